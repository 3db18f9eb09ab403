// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>

#include "feed/internal.h"

enum {
	ROUNDED = 8 << 10, /* capacities are multiples of so many bytes */
};

struct buffer {
	struct buffer *next; /* next in the list of unused buffers */
	size_t capacity;
	_Alignas(16) u8 bytes[];
};

void buffers_init(struct buffers *b, size_t most_unused)
{
	*b = (struct buffers){ .most_unused = most_unused };
	pthread_mutex_init(&b->lock, NULL);
}

void buffers_release(struct buffers *b)
{
	while (b->unused) {
		struct buffer *next = b->unused->next;

		free(b->unused);
		b->unused = next;
	}
	pthread_mutex_destroy(&b->lock);
}

/*
 * Takes the first unused buffer that is large enough but would not waste most of its memory; NULL
 * if there is none.
 */
static struct buffer *take_unused(struct buffers *b, size_t size)
{
	struct buffer **at = &b->unused, *found;

	while (*at && ((*at)->capacity < size || (*at)->capacity / 4 > size + ROUNDED))
		at = &(*at)->next;
	found = *at;
	if (found) {
		*at = found->next;
		b->unused_bytes -= found->capacity;
	}
	return found;
}

u8 *piece_bytes(struct buffers *b, size_t size)
{
	size_t capacity = (size + ROUNDED - 1) / ROUNDED * ROUNDED;
	struct buffer *buffer;

	pthread_mutex_lock(&b->lock);
	buffer = take_unused(b, size);
	pthread_mutex_unlock(&b->lock);
	if (!buffer) {
		buffer = malloc(sizeof(*buffer) + capacity);
		if (buffer)
			buffer->capacity = capacity;
	}
	return buffer ? buffer->bytes : NULL;
}

void piece_bytes_put(struct buffers *b, u8 *bytes)
{
	struct buffer *buffer;

	if (!bytes)
		return;
	buffer = (struct buffer *)(void *)(bytes - offsetof(struct buffer, bytes));
	pthread_mutex_lock(&b->lock);
	if (b->unused_bytes + buffer->capacity <= b->most_unused) {
		b->unused_bytes += buffer->capacity;
		buffer->next = b->unused;
		b->unused = buffer;
		buffer = NULL;
	}
	pthread_mutex_unlock(&b->lock);
	free(buffer);
}
