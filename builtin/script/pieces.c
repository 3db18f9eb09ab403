// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Printing with all workers: each prints pieces (runs of consecutive samples) into its own buffer,
 * with its own tables, and the buffers are written in order. This is used only if a sample's text
 * does not depend on the samples before it.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "builtin/script/internal.h"

/*
 * Fields that depend on the code of objects, the text of source files or earlier columns are
 * printed by one thread.
 */
#define ALONE                                                                                      \
	(BIT64(SHOW_DATA_SRC) | BIT64(SHOW_TOD) | BIT64(SHOW_SRCCODE) | BIT64(SHOW_INSN) |         \
	 BIT64(SHOW_INSNLEN) | BIT64(SHOW_DISASM) | BIT64(SHOW_BRSTACKINSN) |                      \
	 BIT64(SHOW_BRSTACKINSNLEN) | BIT64(SHOW_BRSTACKDISASM) | BIT64(SHOW_BRCNTR) |             \
	 BIT64(SHOW_IPC))

bool script_by_pieces(const struct script *s)
{
	const struct script_options *o = s->o;

	if (session_workers(s->session) < 2 || data_is_pipe(session_data(s->session)) ||
	    s->filter || s->registers || s->calls || s->sw.on || s->sw.off ||
	    data_has_feature(session_data(s->session), FEATURE_STAT))
		return false;
	if (o->form != SCRIPT_TEXT || o->consumer || o->unsorted || o->dump || o->debug ||
	    o->stitch || o->per_event || o->delta_time || o->relative_time)
		return false;
	vec_for_each(&s->views, v)
		if (v->fields & ALONE || v->event->attr.sample_type & PERF_SAMPLE_READ)
			return false;
	return true;
}

/* The text of a piece that was made. */
struct piece_text {
	struct strbuf text;
	struct pieces *pieces;
	struct piece_text *next, *next_of_all;
};

/* What the workers share. */
struct pieces {
	struct session *session;
	struct out *out;
	pthread_mutex_t lock; /* guards what follows */
	struct piece_text *free, *all;
};

static void swap_text(struct strbuf *a, struct strbuf *b)
{
	struct strbuf kept = *a;

	*a = *b;
	*b = kept;
}

/* Makes a text for a piece. The caller holds the lock. */
static struct piece_text *new_text(struct pieces *p)
{
	struct piece_text *t = xcalloc(1, sizeof(*t));

	t->pieces = p;
	t->next_of_all = p->all;
	p->all = t;
	return t;
}

static void give_text(struct pieces *p, struct piece_text *t)
{
	pthread_mutex_lock(&p->lock);
	t->next = p->free;
	p->free = t;
	pthread_mutex_unlock(&p->lock);
}

static struct line_table *own_lines(struct script *w, const struct line_table *t)
{
	return t ? script_lines(w, t->parts) : NULL;
}

/* Returns a new printer with the settings of s, which has printed nothing yet. */
static struct script *new_worker(const struct script *s, struct pieces *pieces)
{
	struct script *w = xcalloc_apart(1, sizeof(*w));

	*w = (struct script){
		.session = s->session,
		.o = s->o,
		.fields = s->fields,
		.history = s->history,
		.set = s->set,
		.arch = s->arch,
		.ready = true,
		.chains_shown = s->chains_shown,
		.shows_all = s->shows_all,
		.pieces = pieces,
	};
	w->out = xcalloc(1, sizeof(*w->out));
	out_init(w->out, -1);
	w->out->limit = SIZE_MAX; /* others take the text; the worker never writes it */
	w->chains = chains_new(s->history);
	w->source = s->source;
	w->collector = script_truth_collector(s);
	vec_for_each(&s->views, v) {
		struct event_view view = *v;

		view.chain_lines = own_lines(w, v->chain_lines);
		view.leaf_lines = own_lines(w, v->leaf_lines);
		view.addr_lines = own_lines(w, v->addr_lines);
		vec_push(&w->views, view);
	}
	return w;
}

static void end_worker(struct script *s, struct script *w)
{
	s->any_sample |= w->any_sample;
	s->any_shown |= w->any_shown;
	vec_for_each(&w->views, v) { /* copies of those of s */
		v->name = v->path = NULL;
		v->dump = NULL;
	}
	w->source = NULL; /* likewise */
	strbuf_release(&w->out->buf);
	free(w->out);
	script_release(w);
	free(w);
}

/*
 * Takes a text for a piece. The worker continues in the memory that was freed last, which is likely
 * cached.
 */
static void *piece_take(void *arg)
{
	struct script *w = arg;
	struct pieces *p = w->pieces;
	struct piece_text *t;

	pthread_mutex_lock(&p->lock);
	t = p->free ? p->free : new_text(p);
	p->free = t->next;
	pthread_mutex_unlock(&p->lock);
	swap_text(&t->text, out_buf(w->out));
	return t;
}

static int piece_end(void *arg, struct reason *r)
{
	struct piece_text *t = arg;
	struct pieces *p = t->pieces;

	session_piece_made(p->session, t->text.len);
	out_block(p->out, &t->text);
	strbuf_clear(&t->text);
	give_text(p, t);
	return p->out->err ? reason_errno(r, p->out->err, "cannot write 'output'") : 0;
}

static void pieces_release(struct pieces *p)
{
	struct piece_text *next;

	for (struct piece_text *t = p->all; t; t = next) {
		next = t->next_of_all;
		strbuf_release(&t->text);
		free(t);
	}
	pthread_mutex_destroy(&p->lock);
}

int script_run_pieces(struct script *s, struct session_ops *ops, struct reason *r)
{
	unsigned count = session_workers(s->session);
	struct script **workers = xcalloc(count, sizeof(*workers));
	struct pieces pieces = { .session = s->session,
				 .out = s->out,
				 .lock = PTHREAD_MUTEX_INITIALIZER };
	int err;

	script_source(s); /* all workers share it: debug information is read once */
	for (unsigned i = 0; i < count; i++)
		workers[i] = new_worker(s, &pieces);
	data_tracepoints(session_data(s->session), NULL); /* the reader caches it from then on */
	ops->piece_end = piece_end;
	ops->piece_take = piece_take;
	ops->piece_args = (void **)workers;
	ops->piece_makes = true;
	err = session_run(s->session, ops, s, r);
	for (unsigned i = 0; i < count; i++)
		end_worker(s, workers[i]);
	pieces_release(&pieces);
	free(workers);
	return err;
}
