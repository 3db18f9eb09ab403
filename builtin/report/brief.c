// SPDX-License-Identifier: GPL-2.0-or-later
/* perf report --brief: the profile in a bounded number of bytes. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/text.h"
#include "builtin/report/internal.h"
#include "builtin/report/paths.h"
#include "event/event.h"

enum {
	MOST_NAMES = 5, /* in a line of functions or places */
	MOST_EVENTS = 4,
	MOST_COMMANDS = 3,
	MOST_COMMAND = 200, /* bytes of one */
};

/* Importance: paths have their percentage. */
#define FIRST    1000.0 /* the truth, then what there is of each event */
#define COMMANDS 20.0

struct brief {
	const struct report *p;
	const struct paths *paths;
	struct digest digest;
	unsigned command_count;
};

int report_set_brief(const struct option_call *call, struct reason *r)
{
	struct report *p = call->settings;
	u64 bytes = 0;

	if (!call->negated && digest_parse_bytes(call->value, &bytes, r))
		return -EINVAL;
	p->o.brief = bytes;
	return 0;
}

/* Refuses options that ask for another form of output or for other rows. */
int report_check_brief(const struct report *p, struct reason *r)
{
	const struct report_options *o = &p->o;
	const struct {
		bool given;
		const char *name;
	} others[] = {
		{ o->json, "--json" },
		{ o->folded, "--folded" },
		{ o->flamegraph != NULL, "--flamegraph" },
		{ o->header, "--header" },
		{ o->header_only, "--header-only" },
		{ o->stats, "--stats" },
		{ o->tasks, "--tasks" },
		{ o->mmaps, "--mmaps" },
		{ o->dump, "-D" },
		{ o->tui, "--tui" },
		{ o->what.total_cycles, "--total-cycles" },
		{ o->what.readings, "--threads" },
		{ o->what.hierarchy, "--hierarchy" },
		{ o->what.set.picks > 0, "--samples" },
		{ o->what.branch_history, "--branch-history" },
		{ o->what.branches, "--branch-stack" },
		{ o->draw.separator != NULL, "--field-separator" },
		{ o->sort_given, "--sort" },
		{ o->what.fields != NULL, "--fields" },
	};
	u64 number;

	if (!o->brief)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (others[i].given)
			return reason_set(r, EINVAL, "--brief and %s exclude each other",
					  others[i].name);
	if (!o->what.set.symbol_filter || parse_size(o->what.set.symbol_filter, &number))
		return 0;
	reason_set(r, EINVAL, "--brief takes its number of bytes after '='");
	reason_hint(r, "--brief=%s", o->what.set.symbol_filter);
	return -EINVAL;
}

/* ---- pieces of lines ---- */

static void put_share(const struct path_share *s, struct strbuf *b)
{
	strbuf_f(b, "%.1f%%", s->percent);
	if (s->has_interval)
		strbuf_f(b, " (%.1f-%.1f)", s->low, s->high);
}

/* ---- the first lines ---- */

static void add_truth(struct brief *d)
{
	const struct truth *t = &d->p->truth;
	const struct event *events[MOST_EVENTS];
	struct strbuf b = STRBUF_INIT, words = STRBUF_INIT;
	size_t count = 0;

	for (; count < d->paths->events.count && count < MOST_EVENTS; count++)
		events[count] = d->paths->events.items[count].event;
	truth_line(t, events, count, &words);
	if (words.len > digest_line_bytes(&d->digest)) {
		strbuf_clear(&words);
		truth_short(t, events, count, &words);
	}
	strbuf_str(&b, "truth: ");
	strbuf_str(&b, strbuf_cstr(&words));
	strbuf_release(&words);
	digest_add(&d->digest, &b, FIRST);
}

static void add_event(struct brief *d, const struct path_event *e, double importance)
{
	struct strbuf b = STRBUF_INIT;

	digest_name(e->event->name, &b);
	strbuf_f(&b, ": %" PRIu64 " sample%s", e->samples, e->samples == 1 ? "" : "s");
	if (e->is_time)
		strbuf_f(&b, ", %.3f s", (double)e->period / 1e9);
	else
		strbuf_f(&b, ", period %" PRIu64, e->period);
	if (e->of != e->period)
		strbuf_f(&b, " of %" PRIu64, e->of);
	if (e->has_intervals)
		strbuf_f(&b, ", %.0f%% intervals in brackets", 100 * PATHS_LEVEL);
	digest_add(&d->digest, &b, importance);
}

/* A list that begins with label; put_item() writes item i. */
static void add_list(struct brief *d, const struct path_event *e, const char *label, size_t count,
		     void (*put_item)(const struct path_event *e, size_t i, struct strbuf *b),
		     double importance)
{
	struct strbuf b = STRBUF_INIT;

	for (size_t i = 0; i < count && i < MOST_NAMES; i++) {
		size_t before = b.len;

		strbuf_str(&b, i ? ", " : label);
		put_item(e, i, &b);
		if (i && b.len > digest_line_bytes(&d->digest)) {
			strbuf_truncate(&b, before);
			break;
		}
	}
	if (count)
		digest_add(&d->digest, &b, importance);
}

static void put_function(const struct path_event *e, size_t i, struct strbuf *b)
{
	const struct path_function *f = &e->functions.items[i];

	digest_name(f->name, b);
	strbuf_char(b, ' ');
	put_share(&f->share, b);
}

static void put_place(const struct path_event *e, size_t i, struct strbuf *b)
{
	const struct path_place *p = &e->places.items[i];

	digest_name(p->name, b);
	if (p->in) {
		strbuf_str(b, " in ");
		digest_name(p->in, b);
	}
	strbuf_char(b, ' ');
	put_share(&p->share, b);
}

static void add_overview(struct brief *d, const struct path_event *e, double importance)
{
	add_event(d, e, importance);
	if (e->waits)
		add_list(d, e, "  waits: ", e->places.count, put_place, importance);
	else
		add_list(d, e, "  hot: ", e->functions.count, put_function, importance);
}

/* ---- paths ---- */

/* Frames like those that start a program or a thread, which say nothing of this one. */
static bool is_start(const struct path_frame *f)
{
	return f->runtime || !strcmp(f->name, "_start");
}

/* Frames from first on; of more than head and tail the ones between are left out. */
static void put_run(const struct path *p, size_t first, size_t head, size_t tail, struct strbuf *b)
{
	size_t count = p->frames.count - first;

	for (size_t i = 0; i < count; i++) {
		const struct path_frame *f = &p->frames.items[first + i];

		if (count > head + tail + 1 && i >= head && i + tail < count) {
			strbuf_str(b, i == head ? (i ? " -> .." : "..") : "");
			continue;
		}
		strbuf_str(b, i ? " -> " : "");
		digest_name(f->name, b);
		strbuf_str(b, f->kind == STACK_INLINED ? " (inlined)" : "");
		strbuf_str(b, f->recursive ? " (recursive)" : "");
	}
}

/* at_start: its first frame starts a program or a thread. */
static void put_frames(const struct path *p, bool at_start, size_t most, struct strbuf *b)
{
	size_t at = 0, keys, start = b->len;

	for (; at < p->frames.count && p->frames.items[at].kind == STACK_KEY; at++) {
		digest_name(p->frames.items[at].name, b);
		strbuf_str(b, at + 1 < p->frames.count ? ": " : "");
	}
	keys = at;
	while (at_start && at + 1 < p->frames.count && is_start(&p->frames.items[at]))
		at++;
	if (at > keys)
		strbuf_str(b, ".. -> ");
	keys = b->len;
	for (size_t shown = 4; shown; shown--) {
		strbuf_truncate(b, keys);
		put_run(p, at, shown - 1, shown, b);
		if (b->len - start <= most)
			break;
	}
}

/* head: what comes before it and goes with it. */
static void add_path(struct brief *d, const struct path *p, unsigned depth, bool at_start,
		     const char *head)
{
	enum { DEEPEST = 10 };
	struct strbuf b = STRBUF_INIT;

	strbuf_str(&b, head);
	strbuf_pad(&b, ' ', 2 * (int)MIN(depth, DEEPEST));
	put_share(&p->all, &b);
	strbuf_str(&b, "  ");
	put_frames(p, at_start, digest_line_bytes(&d->digest), &b);
	if (p->below.count && p->self.percent >= 0.05) {
		strbuf_str(&b, ", itself ");
		put_share(&p->self, &b);
	}
	digest_add(&d->digest, &b, p->all.percent);
	vec_for_each(&p->frames, f)
		at_start &= f->kind == STACK_KEY || is_start(f);
	vec_for_each(&p->below, k)
		add_path(d, *k, depth + 1, at_start, "");
}

static void add_paths(struct brief *d, const struct path_event *e, bool alone)
{
	struct strbuf head = STRBUF_INIT;

	if (!alone) {
		strbuf_str(&head, "paths of ");
		digest_name(e->event->name, &head);
		strbuf_str(&head, ":\n");
	}
	vec_for_each(&e->root->below, k) {
		add_path(d, *k, 1, true, strbuf_cstr(&head));
		strbuf_clear(&head);
	}
	strbuf_release(&head);
}

/* ---- what to do next ---- */

/* A word of a shell's command line. */
static void put_word(const char *s, struct strbuf *b)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-+=./:,@%";

	if (*s && s[strspn(s, plain)] == '\0') {
		strbuf_str(b, s);
		return;
	}
	strbuf_char(b, '\'');
	for (; *s; s++)
		if (*s == '\'')
			strbuf_str(b, "'\\''");
		else
			strbuf_char(b, *s);
	strbuf_char(b, '\'');
}

/* Takes what text holds; nothing if there are enough. */
static void add_next(struct brief *d, struct strbuf *text)
{
	struct strbuf b = STRBUF_INIT;

	if (d->command_count >= MOST_COMMANDS) {
		strbuf_release(text);
		return;
	}
	d->command_count++;
	strbuf_str(&b, "next: ");
	digest_text(strbuf_cstr(text), MOST_COMMAND, &b);
	strbuf_release(text);
	digest_add(&d->digest, &b, COMMANDS);
}

/* Can a command be printed that holds it as it is? */
static bool is_plain(const char *s)
{
	size_t len = strlen(s);

	if (len > MOST_COMMAND / 2 || text_control(s, len))
		return false;
	for (size_t n; len; s += n, len -= n) {
		n = utf8_letter(s, len);
		if (!n)
			return false;
	}
	return true;
}

/* perf COMMAND -i FILE OPTIONS 'NAME' */
static void add_command(struct brief *d, const char *command, const char *options, const char *name)
{
	const char *file = data_path(session_data(d->p->a.session));
	struct strbuf b = STRBUF_INIT;

	strbuf_f(&b, "perf %s", command);
	if (strcmp(file, "perf.data") && is_plain(file)) {
		strbuf_str(&b, " -i ");
		put_word(file, &b);
	}
	strbuf_f(&b, " %s", options);
	if (name)
		put_word(name, &b);
	add_next(d, &b);
}

static bool is_poor(const struct truth_share *s)
{
	return s->state <= TRUTH_ABOUT && truth_percent(s) < 90;
}

/* Adds the cure of the largest cause of a share that is too small to rely on. */
static void add_cure(struct brief *d, const struct truth_share *s)
{
	struct strbuf b = STRBUF_INIT;

	if (!is_poor(s) || !s->causes.count || !s->causes.items[0].cure)
		return;
	strbuf_printable(&b, s->causes.items[0].cure);
	add_next(d, &b);
}

static void add_cures(struct brief *d, const struct path_event *e)
{
	vec_for_each(&d->p->truth.events, t)
		if (t->event == e->event->index) {
			add_cure(d, &t->whole);
			add_cure(d, &t->named);
		}
}

/* Can a command take it as a function's name? */
static bool is_function(const char *name)
{
	return name[0] != '[' && is_plain(name) && !strchr(name, ',');
}

/* The largest function of the program's own code, if it is worth a look; NULL: none is. */
static const char *find_own(const struct path_event *e)
{
	enum { WORTH = 5 }; /* percent */

	vec_for_each(&e->functions, f)
		if (f->kind == STACK_USER && !f->runtime && is_function(f->name) &&
		    f->share.percent >= WORTH)
			return f->name;
	return NULL;
}

static const struct path_event *find_event(const struct paths *p, bool waits)
{
	vec_for_each(&p->events, e)
		if (e->waits == waits)
			return e;
	return NULL;
}

/* Of what ran: instructions of its largest function, and the callers of the one on top. */
static void add_running(struct brief *d, const struct path_event *e)
{
	const char *own = find_own(e),
		   *top = e->functions.count ? e->functions.items[0].name : NULL;

	if (own)
		add_command(d, "annotate", "--stdio ", own);
	if (top && is_function(top) && event_has_chains(e->event))
		add_command(d, "report", "--no-children -g caller -S ", top);
}

static void add_commands(struct brief *d)
{
	const struct path_event *first = &d->paths->events.items[0];
	const struct path_event *waited = find_event(d->paths, true);
	const struct path_event *ran = find_event(d->paths, false);
	struct strbuf b = STRBUF_INIT;

	add_cures(d, ran ? ran : first);
	if (ran && !event_has_chains(ran->event)) {
		strbuf_str(&b, "perf record -g COMMAND shows who called these functions");
		add_next(d, &b);
	}
	if (waited && event_has_chains(waited->event))
		add_command(d, "report", "--no-children -s place", NULL);
	if (ran)
		add_running(d, ran);
	if (event_has_chains(first->event))
		add_command(d, "report", "--flamegraph flames.svg", NULL);
	else
		add_command(d, "report", "--no-children -s dso,symbol", NULL);
}

/* ---- the digest ---- */

static void add_events(struct brief *d)
{
	size_t count = d->paths->events.count, shown = MIN(count, MOST_EVENTS);
	struct strbuf b = STRBUF_INIT;

	for (size_t i = 0; i < shown; i++)
		add_overview(d, &d->paths->events.items[i], FIRST - 1 - (double)i);
	if (count > shown) {
		strbuf_f(&b, "%zu more event%s: --json has their paths", count - shown,
			 count - shown == 1 ? "" : "s");
		digest_add(&d->digest, &b, FIRST - 1 - (double)shown);
	}
	for (size_t i = 0; i < shown; i++)
		add_paths(d, &d->paths->events.items[i], shown == 1);
	add_commands(d);
}

void report_brief(struct report *p)
{
	struct paths paths = { 0 };
	struct brief d = {
		.p = p,
		.paths = &paths,
		.digest = { .bytes = p->o.brief },
	};
	struct strbuf b = STRBUF_INIT;

	paths_find(&paths, p->profile.hist, p->o.what.set.percent_limit);
	add_truth(&d);
	if (paths.events.count) {
		add_events(&d);
	} else {
		strbuf_str(&b, "no samples");
		digest_add(&d.digest, &b, FIRST);
	}
	digest_put(&d.digest, out_buf(&p->a.out));
	paths_release(&paths);
}
