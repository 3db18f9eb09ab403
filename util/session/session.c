// SPDX-License-Identifier: GPL-2.0-or-later
#include "session/internal.h"

#include <errno.h>
#include <sys/utsname.h>

#include "base/lost_pages.h"
#include "base/self_profile.h"
#include "base/trace.h"
#include "unwind/unwind.h"

/*
 * The most that ordered reading holds, so a small file of many records costs no more than a large
 * one.
 */
#define ORDER_BYTES (96ULL << 20)

static struct session *new_session(struct context *ctx)
{
	struct session *s = xcalloc(1, sizeof(*s));

	s->ctx = ctx;
	s->workers = context_workers(ctx);
	s->lost_since = UINT64_MAX;
	s->order_most = ORDER_BYTES;
	pthread_mutex_init(&s->unwinder_lock, NULL);
	atomic_flag_clear(&s->loader.taken);
	s->images = image_table_new();
	s->history = history_new(ctx, s->images);
	session_jit_init(s);
	return s;
}

static bool given(const char *option)
{
	return option && option[0];
}

static void set_guests(struct history *h, const struct symbol_options *o)
{
	history_set_guests(h, o->guest_modules, o->guest_mount);
	if (o->guest_code)
		history_set_guest_code(h);
}

int session_open(struct context *ctx, const struct session_options *o, struct session **out,
		 struct reason *r)
{
	struct symbol_options symbols;
	struct data_reader *data = o->data;
	struct session *s;
	int err = symbol_options_check(&o->symbols, r);

	if (!err && !data)
		err = data_open(ctx, o->input, o->force, &data, r);
	if (err) {
		data_close(data);
		return err;
	}
	s = new_session(ctx);
	s->data = data;
	s->set = data_events(data);
	symbols = o->symbols;
	symbols.foreign_maps |= o->force;
	if (!given(symbols.kallsyms) && !given(symbols.vmlinux))
		symbols.kallsyms = s->kallsyms = data_kernel_file(data, "kallsyms");
	s->kcore = data_kernel_file(data, "kcore");
	s->symbols = symbol_store_new(ctx, s->images, &symbols);
	symbol_store_keep(s->symbols, session_jit_kept_symbols, s);
	s->jit.off = o->no_jitdumps;
	set_guests(s->history, &symbols);
	s->unwind = o->unwind;
	s->keep_deferred = o->keep_deferred;
	s->recorded_ends = data_stack_ends(data);
	if (data_is_pipe(data))
		s->window = window_new(s);
	*out = s;
	return 0;
}

struct session *session_new_live(struct context *ctx, struct event_set *set,
				 const struct symbol_options *o)
{
	struct session *s = new_session(ctx);

	lost_pages_bear();
	s->set = set;
	s->symbols = symbol_store_new(ctx, s->images, o);
	symbol_store_expect_changes(s->symbols);
	symbol_store_keep(s->symbols, session_jit_kept_symbols, s);
	set_guests(s->history, o);
	s->window = window_new(s);
	return s;
}

void session_free(struct session *s)
{
	if (!s)
		return;
	if (s->live)
		deliver_release(s->live);
	free(s->live);
	window_free(s->window);
	deferred_free(s->deferred);
	readings_free(s->readings);
	unwinder_free(s->unwinder);
	pthread_mutex_destroy(&s->unwinder_lock);
	symbol_store_free(s->symbols);
	session_jit_release(s);
	free(s->kallsyms);
	free(s->kcore);
	history_free(s->history);
	image_table_free(s->images);
	if (s->data)
		data_close(s->data);
	counts_release(&s->scanned);
	counts_release(&s->counts);
	vec_release(&s->spans);
	vec_release(&s->recorded_ends.list);
	free(s);
}

/* Reports what was lost, once per run. */
static void note_lost(struct session *s)
{
	const struct session_stats *st = &s->counts.stats;

	if (st->lost_events)
		condition_add(&s->ctx->conditions, CONDITION_WARNING, "lost-events", NULL, NULL,
			      st->lost_events,
			      "record with larger buffers (-m) or a lower frequency (-F)",
			      "the kernel lost records because the buffers were full");
	if (st->unplaced_after_loss)
		condition_add(&s->ctx->conditions, CONDITION_WARNING, "lost-maps", NULL, NULL,
			      st->unplaced_after_loss, NULL,
			      "samples lie outside all known maps, whose records may be among "
			      "those that were lost before them");
}

/* Records as they lie, in one walk. */
static int run_file_order(struct session *s, const struct session_ops *ops, void *arg,
			  struct reason *r)
{
	struct order_key key = { 0 };
	struct deliver d;
	struct data_chunk c;
	struct record rec;
	int got, err = data_rewind(s->data, r);

	if (err)
		return err;
	deliver_init(&d, s, ops, arg, 0);
	while (!err && (got = data_next(s->data, &c, r))) {
		size_t at = 0;

		if (got < 0) {
			err = got;
			break;
		}
		if (c.file != key.file)
			key = (struct order_key){ .file = c.file };
		while (!err && data_chunk_record(&c, &at, &rec)) {
			key.time = record_key_time(s->set, &rec, key.time);
			key.position = rec.position;
			/* the history of a stream grows while the stream is read */
			if (s->window && history_wants(rec.type))
				deliver_sideband(&d, &rec, &key);
			counts_record(&d.counts, s->set, &rec);
			err = deliver(&d, &rec, &key, r);
		}
		data_chunk_release(&c);
	}
	deliver_release(&d);
	return err;
}

/*
 * Runs over the samples in order, because counters change from reading to reading. Other records
 * have already been called back.
 */
static int run_sums_in_order(struct session *s, const struct session_ops *ops, void *arg,
			     struct reason *r)
{
	struct session_ops ordered = *ops;

	ordered.order = SESSION_ORDERED;
	ordered.record = NULL;
	return session_run_ordered(s, &ordered, arg, r);
}

static int run_file(struct session *s, const struct session_ops *ops, void *arg, struct reason *r)
{
	bool plain = ops->order == SESSION_FILE_ORDER;
	int err = 0;

	if (!plain || !ops->no_tasks || !ops->no_locations)
		err = session_gather(s, ops, arg, r);
	if (err)
		return err;
	if (plain)
		return run_file_order(s, ops, arg, r);
	counts_merge(&s->counts, &s->scanned);
	if (ops->order == SESSION_ORDERED)
		return session_run_ordered(s, ops, arg, r);
	if (ops->sample && s->set->sample_type_any & PERF_SAMPLE_READ && !ops->whole_samples)
		return run_sums_in_order(s, ops, arg, r);
	return ops->sample ? session_run_sums(s, ops, arg, r) : 0;
}

static int run_stream(struct session *s, const struct session_ops *ops, void *arg, struct reason *r)
{
	struct deliver d;
	struct data_chunk c;
	int got, err = 0;

	if (ops->order == SESSION_FILE_ORDER)
		return run_file_order(s, ops, arg, r);
	deliver_init(&d, s, ops, arg, 0);
	while (!err && (got = data_next(s->data, &c, r)) > 0)
		err = window_push(s->window, &d, &c, &(struct window_owner){ 0 }, r);
	if (!err && got < 0)
		err = got;
	if (!err)
		err = window_flush(s->window, &d, r);
	deliver_release(&d);
	return err;
}

static const char *const order_names[] = {
	[SESSION_FILE_ORDER] = "order of the file",
	[SESSION_ORDERED] = "order of time",
	[SESSION_SUMS] = "blocks in any order",
};

int session_run(struct session *s, const struct session_ops *ops, void *arg, struct reason *r)
{
	int err;

	if (!s->data)
		return reason_set(r, EINVAL, "a live session has no file to run over");
	counts_release(&s->counts);
	readings_free(s->readings);
	s->readings = NULL;
	TRACE(session, "run over '%s': %s, %s", data_path(s->data), order_names[ops->order],
	      s->window ? "a stream in a bounded window" : "a file in two passes");
	phase_begin("read the recording");
	err = s->window ? run_stream(s, ops, arg, r) : run_file(s, ops, arg, r);
	phase_end();
	if (s->window)
		session_apply_build_ids(s);
	note_lost(s);
	session_say_stacks(s, ops);
	return err;
}

void session_keep_objects(struct session *s,
			  const u8 *(*kept)(void *arg, const struct image *img, size_t *size),
			  void *arg)
{
	s->kept = kept;
	s->kept_arg = arg;
}

unsigned session_workers(const struct session *s)
{
	return s->workers;
}

struct context *session_context(const struct session *s)
{
	return s->ctx;
}

const char *session_kcore(const struct session *s)
{
	return s->kcore;
}

struct data_reader *session_data(struct session *s)
{
	return s->data;
}

struct event_set *session_events(struct session *s)
{
	return s->set;
}

struct history *session_history(struct session *s)
{
	return s->history;
}

struct image_table *session_images(struct session *s)
{
	return s->images;
}

struct symbol_store *session_symbols(struct session *s)
{
	return s->symbols;
}

const struct session_stats *session_stats(const struct session *s)
{
	return &s->counts.stats;
}

u64 session_event_samples(const struct session *s, u32 event)
{
	return event < s->counts.events.count ? s->counts.events.items[event].samples : 0;
}

u64 session_event_period(const struct session *s, u32 event)
{
	return event < s->counts.events.count ? s->counts.events.items[event].period : 0;
}
