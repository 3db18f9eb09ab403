// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pieces of lines: callbacks fill them with facts; jobs of the session make text of them, or take
 * them in order.
 */
#include "session/lines.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "session/jobs.h"

enum {
	/* of facts: their text stays in a core's own cache until it is written */
	PIECE_BYTES = 64 << 10,
	PIECES = JOBS + 1, /* all jobs, and the piece that is being filled */
};

/* Precedes the facts of a line. */
struct line_head {
	u64 size; /* bytes from one head to the next */
};

struct piece {
	struct session_job job;
	struct session_lines *lines;
	u64 number;
	u8 *facts;
	size_t used, space;
	struct strbuf text;
};

struct session_lines {
	struct session *session;
	struct out *out;
	session_put_line put;
	const void *arg;
	void (*take)(void *arg, const void *facts); /* called instead of put */
	void *taker;
	pthread_mutex_t taking; /* guards what take() writes to, and the following */
	u64 taken;              /* pieces with numbers below it */
	u64 number;             /* of the piece that is being filled */
	/* jobs are put in order, so a piece is free again when its turn comes */
	struct piece pieces[PIECES];
};

static struct piece *piece_of(struct session_job *job)
{
	return (struct piece *)job; /* its first member */
}

static void make_text(struct session_job *job)
{
	struct piece *p = piece_of(job);

	for (size_t at = 0; at < p->used;) {
		const struct line_head *head = (const void *)(p->facts + at);

		p->lines->put(p->lines->arg, head + 1, &p->text);
		at += head->size;
	}
}

static void take_piece(struct session_lines *l, const struct piece *p)
{
	for (size_t at = 0; at < p->used;) {
		const struct line_head *head = (const void *)(p->facts + at);

		l->take(l->taker, head + 1);
		at += head->size;
	}
}

/*
 * Takes the pieces up to this job's. Jobs begin in order, so all pieces before this one are filled;
 * a later job may find its own already taken.
 */
static void take_pieces(struct session_job *job)
{
	struct session_lines *l = piece_of(job)->lines;

	pthread_mutex_lock(&l->taking);
	while (l->taken <= piece_of(job)->number)
		take_piece(l, &l->pieces[l->taken++ % PIECES]);
	pthread_mutex_unlock(&l->taking);
}

static void put_taken(struct session_job *job)
{
	piece_of(job)->used = 0;
}

static void put_text(struct session_job *job)
{
	struct piece *p = piece_of(job);

	out_block(p->lines->out, &p->text);
	strbuf_clear(&p->text);
	p->used = 0;
}

struct session_lines *session_lines_new(struct session *s, struct out *out, session_put_line put,
					const void *arg)
{
	struct session_lines *l = xcalloc(1, sizeof(*l));

	*l = (struct session_lines){ .session = s, .out = out, .put = put, .arg = arg };
	pthread_mutex_init(&l->taking, NULL);
	for (unsigned i = 0; i < PIECES; i++) {
		l->pieces[i].job = (struct session_job){ make_text, put_text };
		l->pieces[i].lines = l;
	}
	return l;
}

struct session_lines *session_facts_new(struct session *s,
					void (*take)(void *arg, const void *facts), void *arg)
{
	struct session_lines *l = session_lines_new(s, NULL, NULL, NULL);

	l->take = take;
	l->taker = arg;
	for (unsigned i = 0; i < PIECES; i++)
		l->pieces[i].job = (struct session_job){ take_pieces, put_taken };
	return l;
}

static struct piece *filled(struct session_lines *l)
{
	return &l->pieces[l->number % PIECES];
}

void session_lines_end(struct session_lines *l)
{
	struct piece *p = filled(l);

	if (!p->used)
		return;
	p->number = l->number++;
	session_give_job(l->session, &p->job);
}

static void enlarge(struct piece *p, size_t size)
{
	p->space = MAX(size, (size_t)PIECE_BYTES);
	p->facts = xrealloc(p->facts, p->space);
}

void *session_line(struct session_lines *l, size_t size)
{
	struct piece *p = filled(l);
	struct line_head *head;

	size = (sizeof(*head) + size + 7) & ~(size_t)7;
	if (unlikely(p->space - p->used < size)) {
		session_lines_end(l);
		p = filled(l);
		if (p->space < size)
			enlarge(p, size);
	}
	head = (void *)(p->facts + p->used);
	head->size = size;
	p->used += size;
	return head + 1;
}

void session_lines_free(struct session_lines *l)
{
	if (!l)
		return;
	for (unsigned i = 0; i < PIECES; i++) {
		free(l->pieces[i].facts);
		strbuf_release(&l->pieces[i].text);
	}
	pthread_mutex_destroy(&l->taking);
	free(l);
}
