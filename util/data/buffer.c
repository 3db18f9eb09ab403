// SPDX-License-Identifier: GPL-2.0-or-later
/* Buffers for chunks: a few are kept for the next chunk, the rest is freed. */
#include "base/alloc.h"
#include "data/internal.h"

enum { MOST_IDLE = 8 };

void buffer_pool_init(struct buffer_pool *p)
{
	pthread_mutex_init(&p->lock, NULL);
	p->free = NULL;
	p->idle = 0;
}

void buffer_pool_release(struct buffer_pool *p)
{
	while (p->free) {
		struct buffer *b = p->free;

		p->free = b->next;
		free(b);
	}
	pthread_mutex_destroy(&p->lock);
}

struct buffer *buffer_get(struct buffer_pool *p)
{
	struct buffer *b;

	pthread_mutex_lock(&p->lock);
	b = p->free;
	if (b) {
		p->free = b->next;
		p->idle--;
	}
	pthread_mutex_unlock(&p->lock);
	if (!b) {
		b = xmalloc(sizeof(*b));
		b->pool = p;
	}
	return b;
}

void buffer_put(struct buffer *b)
{
	struct buffer_pool *p = b->pool;

	pthread_mutex_lock(&p->lock);
	if (p->idle < MOST_IDLE) {
		b->next = p->free;
		p->free = b;
		p->idle++;
		b = NULL;
	}
	pthread_mutex_unlock(&p->lock);
	free(b);
}

void data_chunk_release(struct data_chunk *c)
{
	if (c->owner)
		buffer_put(c->owner);
	free(c->payload);
	c->owner = c->payload = NULL;
	c->data = NULL;
	c->size = 0;
}
