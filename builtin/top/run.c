// SPDX-License-Identifier: GPL-2.0-or-later
/* The loop: read, and each time that a refresh is due, draw. */
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/guard.h"
#include "builtin/top/internal.h"
#include "cli/color.h"
#include "cli/config.h"
#include "cli/say.h"
#include "ui/open.h"
#include "ui/tui/screen.h"

/* ---- begin ---- */

static bool only_traces(const struct event_set *set)
{
	vec_for_each(&set->list, it)
		if (!event_is_tracepoint(*it) && !top_is_side_band(*it))
			return false;
	return true;
}

static int make_hist(struct top *t, struct reason *r)
{
	struct session *s = t->session;
	const char *sort = t->o.sort;
	bool traces = only_traces(session_events(s));
	int err;

	if (!sort && !traces && !t->o.fields)
		sort = "dso,symbol";
	top_truth_begin(t);
	t->hist = hist_new(t->a.ctx, session_events(s), session_history(s), session_images(s),
			   &t->o.set);
	if (top_source_formats(t->source))
		hist_set_tracepoints(t->hist, top_source_formats(t->source));
	err = hist_set_keys(t->hist, sort, t->o.fields, traces, r);
	if (!err && t->o.show_samples)
		err = hist_add_value(t->hist, "sample", r);
	if (!err && t->o.show_period)
		err = hist_add_value(t->hist, "period", r);
	if (err)
		return err;
	top_expand_begin(t);
	t->collector = hist_collector_new(t->hist);
	t->pool = hist_pool_new(t->hist, session_symbols(s));
	if (t->o.annotate)
		top_code_begin(t);
	return 0;
}

static int find_switches(struct top *t, struct reason *r)
{
	int err = event_switch_init(&t->sw, session_events(t->session), t->o.switch_on,
				    t->o.switch_off, "the events of -e", r);

	t->sw.show = t->o.show_switches;
	if (err)
		reason_hint(r, "watch the event that switches, too: -e EVENT");
	return err;
}

/*
 * A file of -k that cannot be used is said now, as the screen would hide a warning until the end.
 * Its symbols are needed with the first sample of the kernel anyway.
 */
static int check_kernel_file(struct top *t, struct reason *r)
{
	const struct image_table *images = session_images(t->session);

	if (!t->a.open.symbols.vmlinux)
		return 0;
	for (u32 id = 1; id < image_count(images); id++)
		if (image_get(images, id)->kind == IMAGE_KERNEL && !image_get(images, id)->guest)
			symbols_of(session_symbols(t->session), id);
	vec_for_each(&t->a.ctx->conditions.list, c) {
		if (strcmp(c->code, "vmlinux-not-used"))
			continue;
		reason_set(r, EINVAL, "%s", c->text);
		reason_hint(r, "%s", c->hint);
		condition_list_release(&t->a.ctx->conditions); /* it would be said twice */
		return -EINVAL;
	}
	return 0;
}

static int begin(struct top *t, struct reason *r)
{
	int err = t->o.tui ? browser_needs_terminal(r) : 0;

	if (!err)
		err = analysis_prepare(&t->a, r);
	if (!err)
		err = symbol_options_check(&t->a.open.symbols, r);

	t->ops = (struct session_ops){ .order = SESSION_ORDERED, .sample = top_count_sample };
	top_beside_begin(t, &t->ops);
	if (!err)
		err = top_source_open(t->source, &t->a.open.symbols, &t->ops, t, r);
	t->session = top_source_session(t->source);
	t->watch = top_source_watch(t->source);
	if (err)
		return err;
	err = check_kernel_file(t, r);
	if (!err)
		err = find_switches(t, r);
	if (!err && t->o.member_given)
		hist_check_member(t->a.ctx, &t->o.set, session_events(t->session));
	return err ? err : make_hist(t, r);
}

/* ---- one table ---- */

static bool is_screen(const struct top *t)
{
	return isatty(STDOUT_FILENO) && !t->o.iterations && !t->o.json && !t->o.separator;
}

static struct winsize screen_size(void)
{
	struct winsize w = { 0 };

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) || !w.ws_row || !w.ws_col)
		w = (struct winsize){ .ws_row = 24, .ws_col = 80 };
	return w;
}

/*
 * As many rows as draw() looks at: some that are at the end of a list may be left out; 0: there is
 * no end.
 */
static size_t rows_looked_at(const struct top *t)
{
	enum { FEW = 200 }; /* of more, all trees at once cost less than one by one */
	size_t rows = is_screen(t) ? screen_size().ws_row : 0;

	if (t->o.entries && !t->o.json)
		rows = rows ? MIN(rows, t->o.entries) : t->o.entries;
	/* what has too few samples makes room for others */
	return t->o.hierarchy || t->o.least_count > 1 || rows > FEW ? 0 : rows;
}

/* -f and -E, for what draws whole tables; rows of text are counted as they are drawn. */
static void leave_rows_out(const struct top *t, struct hist *h)
{
	const struct hist_narrowing n = {
		.relative = t->o.set.relative,
		.sort_member = t->o.set.sort_member,
		.least_samples = t->o.least_count,
		.most_entries = t->o.entries,
		.sums = t->o.hierarchy,
	};

	if ((t->o.json || t->o.hierarchy) && (n.least_samples || n.most_entries))
		hist_narrow(h, &n);
}

static void draw(struct top *t, struct hist *h, struct out *out)
{
	bool screen = is_screen(t);
	struct winsize size = screen_size();

	leave_rows_out(t, h);
	if (screen && terminal_obeys_codes())
		out_allow_codes();
	if (screen) /* the upper left corner; clear what follows */
		out_str(out, terminal_obeys_codes() ? "\033[H\033[J" : "\n");
	if (t->o.json)
		top_print_json(t, h, out);
	else if (t->o.separator)
		top_print_separated(t, h, out);
	else
		top_print(t, h, screen ? size.ws_row : 0, out);
	if (screen) {
		strbuf_clear(&t->picture);
		strbuf_add(&t->picture, out_buf(out)->s, out_buf(out)->len);
		top_fit(out_buf(out), size.ws_col, size.ws_row);
	}
	out_flush(out);
}

/*
 * A picture that does not change may have been written over by the shell, where perf was stopped,
 * or be for another size.
 */
static void draw_again(const struct top *t, struct out *out)
{
	struct winsize size = screen_size();

	strbuf_add(out_buf(out), t->picture.s, t->picture.len);
	top_fit(out_buf(out), size.ws_col, size.ws_row);
	out_flush(out);
}

static int refresh(struct top *t, struct out *out, u64 passed, struct reason *r)
{
	struct hist *h;

	top_absorb(t, passed);
	if (!t->paused) {
		h = top_snapshot(t, rows_looked_at(t), r);
		if (!h)
			return -r->err;
		top_find_truth(t, h);
		draw(t, h, out);
		hist_free(h);
	} else {
		draw_again(t, out);
	}
	top_forget(t);
	return 0;
}

/* ---- the loop ---- */

static bool ended(const struct top *t, const struct out *out)
{
	return t->ends || loop_ending_signal() || out->err ||
	       (t->o.iterations && t->tables >= t->o.iterations);
}

/* Waits until the next table is due, or a key asks for one at once. */
static int gather(struct top *t, const struct out *out, struct loop *l, size_t keys, u64 until,
		  struct reason *r)
{
	struct watch *w = t->watch;
	int err = 0;

	while (err >= 0 && !ended(t, out) && clock_now() < until) {
		err = loop_wait(l, watch_has_work(w) ? 0 : until);
		if (err >= 0)
			err = watch_step(w, TOP_ONE_PIECE, r);
		if ((loop_ready(l, keys) && top_keys_read(t)) || top_keys_continued())
			break;
	}
	if (err >= 0)
		err = watch_catch_up(w, clock_now() + TOP_CATCH_UP, r);
	return MIN(err, 0);
}

static int draw_tables(struct top *t, struct out *out, struct loop *l, size_t keys,
		       struct reason *r)
{
	u64 since = clock_now(), until = since + t->o.refresh;
	int err = 0;

	/*
	 * the first table comes early, as an empty screen says nothing; if a number of tables was
	 * asked for, all intervals are equal
	 */
	if (!t->o.iterations)
		until = top_first_table(t, since);
	for (; !err; until = since + t->o.refresh) {
		u64 now;

		err = gather(t, out, l, keys, until, r);
		if (err || ended(t, out))
			break;
		now = clock_now();
		top_keys_resume();
		err = refresh(t, out, now - since, r);
		since = now;
	}
	/* ended by the user while it waited or drew */
	return err == -EINTR ? 0 : err;
}

static int loop(struct top *t, struct out *out, struct reason *r)
{
	int wake, err = loop_signals(t->a.ctx, 0, &wake, r); /* the browser's screen has its own */
	struct loop l;
	size_t keys;

	if (err)
		return err;
	if (is_screen(t))
		out->limit = SIZE_MAX; /* a picture is written whole */
	loop_init(&l, wake);
	loop_add(&l, watch_fd(t->watch));
	keys = loop_add(&l, is_screen(t) && top_keys_begin() ? STDIN_FILENO : -1);
	err = draw_tables(t, out, &l, keys, r);
	top_keys_end();
	loop_release(&l);
	t->a.ctx->ended_by = loop_ending_signal();
	return err;
}

/* The browser is used on a terminal, unless only plain text offers what was asked for. */
static bool wants_browser(const struct top *t)
{
	return t->o.tui || (!t->o.stdio && !t->o.annotate && !t->o.iterations && !t->o.json &&
			    !t->o.separator && screen_fits_terminal() &&
			    config_bool(t->a.ctx, "tui.top", true));
}

int top_run(struct top *t)
{
	struct reason r = REASON_INIT;
	int err = top_parse_texts(t, &r);

	/* what a thread that named frames has freed can be used by all */
	mallopt(M_ARENA_MAX, 1);
	t->begun = clock_now();
	r.wrong_use = err != 0;
	out_init(&t->a.out, STDOUT_FILENO);
	if (!err)
		err = begin(t, &r);
	/*
	 * before the error that ended it, whose hint is the last word then; what this machine lacks
	 * does not matter to who wrote what no machine accepts
	 */
	if (!r.wrong_use)
		say_conditions(t->a.ctx);
	condition_list_release(&t->a.ctx->conditions);
	if (!err) {
		err = wants_browser(t) ? top_browse(t, &r) : loop(t, &t->a.out, &r);
		if (!err && t->o.dump_symbols)
			top_dump_symbols(t);
	}
	top_source_say_missed(t->source);
	return analysis_end(&t->a, err, &r);
}

void top_release(struct top *t)
{
	strbuf_release(&t->picture);
	truth_release(&t->truth);
	top_code_release(t);
	top_expand_release(t);
	top_beside_release(t);
	hist_pool_free(t->pool);
	hist_collector_free(t->collector);
	hist_free(t->hist);
	top_source_free(t->source);
	analysis_release(&t->a);
	sample_filters_release(&t->o.filters);
	map64_release(&t->idle);
	vec_release(&t->fresh);
	vec_release(&t->last_of);
	hist_pool_names_release(&t->shown);
	free(t->o.width_list);
	free(t->o.parallelism_wanted);
}
