// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A session that is fed piece by piece and may run for days: one deliver for all pieces, and limits
 * that keep its memory as large as what runs.
 */
#include <stdlib.h>

#include "session/internal.h"

/*
 * Returns the deliverer of earlier pieces as long as the callbacks are the same, or else a new one.
 */
static struct deliver *deliver_of(struct session *s, const struct session_ops *ops, void *arg)
{
	if (s->live && s->live->ops == ops && s->live->arg == arg)
		return s->live;
	if (s->live)
		deliver_release(s->live);
	else
		s->live = xcalloc_apart(1, sizeof(*s->live));
	deliver_init(s->live, s, ops, arg, 0);
	return s->live;
}

static int done(struct deliver *d, int err)
{
	deliver_pause(d);
	return err;
}

static int push(struct session *s, const struct session_ops *ops, void *arg,
		const struct data_chunk *c, const struct window_owner *owner, struct reason *r)
{
	struct deliver *d = deliver_of(s, ops, arg);
	struct data_chunk own = *c;

	own.owner = NULL;
	return done(d, window_push(s->window, d, &own, owner, r));
}

int session_push_owned(struct session *s, const struct session_ops *ops, void *arg,
		       const struct data_chunk *c, struct reason *r)
{
	return push(s, ops, arg, c,
		    &(struct window_owner){ (u8 *)(uintptr_t)c->data, s->give_back, NULL }, r);
}

int session_push_lent(struct session *s, const struct session_ops *ops, void *arg,
		      const struct data_chunk *c, struct session_loan *loan, struct reason *r)
{
	struct data_chunk lent = *c;

	lent.data = loan->bytes;
	return push(s, ops, arg, &lent, &(struct window_owner){ .loan = loan }, r);
}

int session_push(struct session *s, const struct session_ops *ops, void *arg,
		 const struct data_chunk *c, struct reason *r)
{
	struct data_chunk own = *c;
	u8 *copy;

	if (!c->size)
		return 0;
	own.data = copy = xmemdup(c->data, c->size);
	return push(s, ops, arg, &own, &(struct window_owner){ .copy = copy }, r);
}

void session_set_give_back(struct session *s, void (*give_back)(void *arg, u8 *bytes), void *arg)
{
	s->give_back = give_back;
	s->give_back_arg = arg;
}

void session_drop_held(struct session *s)
{
	window_drop_held(s->window);
}

int session_round(struct session *s, const struct session_ops *ops, void *arg, struct reason *r)
{
	struct deliver *d = deliver_of(s, ops, arg);

	return done(d, window_round(s->window, d, r));
}

int session_flush(struct session *s, const struct session_ops *ops, void *arg, struct reason *r)
{
	struct deliver *d = deliver_of(s, ops, arg);

	return done(d, window_flush(s->window, d, r));
}

/* Overload */

void session_set_window(struct session *s, u64 bytes)
{
	window_limit(s->window, bytes);
}

u64 session_held(const struct session *s)
{
	return window_held(s->window);
}

void session_restart_stats(struct session *s)
{
	counts_release(&s->counts);
}

/* Forgetting */

/* How long after its EXIT record a task may still be sampled. */
#define EXIT_TAKES 1000000000ULL /* ns */

static void mark_image(void *arg, u32 image)
{
	bool *named = arg;

	named[image] = true;
}

static bool *named_images(const struct session *s, const struct session_keep *keep)
{
	u32 count = image_count(s->images);
	bool *named = xcalloc(count, sizeof(*named));

	named[0] = true;
	history_each_image(s->history, mark_image, named);
	for (u32 i = 1; keep && keep->image && i < count; i++)
		named[i] |= keep->image(keep->arg, i);
	return named;
}

static void drop_images(struct session *s, const struct session_keep *keep)
{
	bool *named = named_images(s, keep);

	symbol_store_sweep(s->symbols, named);
	if (s->unwinder)
		unwinder_sweep(s->unwinder, named);
	if (keep && keep->sweep)
		keep->sweep(keep->arg, named);
	session_jit_sweep(s, named);
	counts_sweep(&s->counts, named);
	image_table_sweep(s->images, named);
	free(named);
}

/* Tables */

#define TABLES_BYTES (32ULL << 20)

void session_set_tables(struct session *s, u64 bytes)
{
	s->tables_most = bytes;
}

u64 session_tables(const struct session *s)
{
	return symbol_store_bytes(s->symbols) + (s->unwinder ? unwinder_bytes(s->unwinder) : 0);
}

static u64 all_tables(const struct session *s, const struct session_keep *keep)
{
	return session_tables(s) + (keep && keep->bytes ? keep->bytes(keep->arg) : 0);
}

/*
 * Returns which images keep their tables. The kernel's stay: they have one list and are used all
 * the time. The caller frees the result.
 */
static bool *wanted_tables(const struct session *s, const struct session_keep *keep)
{
	u32 count = image_count(s->images);
	bool *named = xcalloc(count, sizeof(*named));

	for (u32 i = 0; i < count; i++) {
		enum image_kind kind = image_get(s->images, i)->kind;

		named[i] = !i || kind == IMAGE_KERNEL || kind == IMAGE_MODULE ||
			   (keep && keep->image && keep->image(keep->arg, i));
	}
	return named;
}

bool session_trim(struct session *s, const struct session_keep *keep)
{
	u64 most = s->tables_most ? s->tables_most : TABLES_BYTES, left;
	u64 now = all_tables(s, keep);
	bool *named;

	if (now <= most)
		s->trim_above = 0;
	if (now <= MAX(most, s->trim_above))
		return false;
	named = wanted_tables(s, keep);
	symbol_store_sweep(s->symbols, named);
	if (s->unwinder)
		unwinder_sweep(s->unwinder, named);
	if (keep && keep->trim)
		keep->trim(keep->arg, named);
	free(named);
	left = all_tables(s, keep);
	/* rows may need more than the limit: do not trim again until much has been added */
	s->trim_above = left + left / 4;
	return true;
}

bool session_renew(struct session *s, bool *images)
{
	u32 count = image_count(s->images);
	bool *same;

	if (!symbol_store_renew(s->symbols, images))
		return false;
	same = xcalloc(count, sizeof(*same));
	for (u32 i = 0; i < count; i++)
		same[i] = !images[i];
	if (s->unwinder)
		unwinder_sweep(s->unwinder, same);
	free(same);
	return true;
}

/* Tasks whose counters were read keep their numbers as well. */
struct keeping {
	const struct session_keep *keep; /* or NULL */
	const struct readings *readings;
};

static bool keeps_task(void *arg, u32 id)
{
	const struct keeping *k = arg;

	return readings_have_task(k->readings, id) ||
	       (k->keep && k->keep->task && k->keep->task(k->keep->arg, id));
}

static bool keeps_comm(void *arg, u32 comm)
{
	const struct keeping *k = arg;

	return k->keep && k->keep->comm && k->keep->comm(k->keep->arg, comm);
}

bool session_compact(struct session *s, const struct session_keep *keep)
{
	struct keeping keeping = { keep, s->readings };
	const struct history_keep names = { keeps_task, keeps_comm, &keeping };
	struct order_key before = window_out(s->window);

	if (!history_should_compact(s->history))
		return false;
	before = (struct order_key){ .time = before.time - MIN(before.time, EXIT_TAKES) };
	readings_forget_ended(s->readings, s->history, before.time);
	history_compact(s->history, &before, &names);
	drop_images(s, keep);
	if (s->live)
		history_forget(&s->live->recent);
	return true;
}
