// SPDX-License-Identifier: GPL-2.0-or-later
/* perf report: folded stacks and flame graphs. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/replace.h"
#include "builtin/report/internal.h"
#include "cli/say.h"
#include "ui/html/flamegraph.h"
#include "ui/stdio/folded.h"

/* Adds the recorded command line in a form that could be typed again, except for quotes. */
static void command_line(struct data_reader *d, struct strbuf *out)
{
	size_t argc = 0;
	const char *const *argv = data_cmdline(d, &argc);

	for (size_t i = 0; i < argc; i++) {
		strbuf_str(out, i ? " " : "");
		strbuf_printable(out, argv[i]);
	}
}

/*
 * Reports whether chains by frame pointers often led to addresses without code, as where the
 * register has another use.
 */
static bool led_astray(const struct report *p, const struct hist_stacks *f)
{
	return session_chains_by_pointers(p->a.session) &&
	       hist_stacks_unknown(f) * 2 > f->nodes.items[0].samples;
}

/* Says what makes the picture wrong: stacks that were cut off.  Functions without names do not. */
static void hint_at_cut(const struct report *p, const struct hist_stacks *f)
{
	const struct session_cut_chains cut = session_cut_chains(p->a.session);
	struct strbuf more = STRBUF_INIT;

	if (cut.objects > 1)
		strbuf_f(&more, " and %zu more", cut.objects - 1);
	if (cut.count)
		condition_add(&p->a.ctx->conditions, CONDITION_WARNING, "flame-cut", NULL, NULL,
			      cut.count, "report --stats shows why",
			      "the flame graph has stacks that end early in '%s'%s",
			      path_base(cut.object), strbuf_cstr(&more));
	else if (led_astray(p, f))
		condition_add(
			&p->a.ctx->conditions, CONDITION_WARNING, "flame-unknown", NULL, NULL, 1,
			"record with --call-graph dwarf: programs and libraries without frame "
			"pointers "
			"need it; report --stats shows which objects cut chains off",
			"most stacks have addresses at which no code is mapped");
	strbuf_release(&more);
}

/* Draws the flame graph. times is what the periods of the stacks measure, or NULL. */
static void draw_picture(struct report *p, const struct event *ev, const struct hist_times *times,
			 const struct hist_stacks *f, struct out *svg)
{
	struct data_reader *d = session_data(p->a.session);
	struct strbuf title = STRBUF_INIT, subtitle = STRBUF_INIT, events = STRBUF_INIT;
	bool periods = times || p->profile.set.graph.value == CALL_GRAPH_PERIOD;
	struct flamegraph g = {
		.unit = periods ? "of the period" : "samples",
		.periods = periods,
		.times = times != NULL,
		.limit = p->profile.set.percent_limit,
	};

	if (times && times->ran)
		strbuf_f(&events, "%s and ", times->ran->name);
	strbuf_str(&events, ev->name);
	command_line(d, &title);
	if (title.len)
		strbuf_f(&subtitle, "%s, ", strbuf_cstr(&events));
	else
		strbuf_str(&title, strbuf_cstr(&events));
	strbuf_f(&subtitle, "%s, ", data_path(d));
	truth_line(&p->truth, &ev, 1, &subtitle);
	g.title = strbuf_cstr(&title);
	g.subtitle = strbuf_cstr(&subtitle);
	flamegraph_svg(&g, f, svg);
	hint_at_cut(p, f);
	strbuf_release(&title);
	strbuf_release(&subtitle);
	strbuf_release(&events);
}

/* Waits and running times of tasks are comparable only in ns. */
static void add_folded(struct report *p, const struct event *ev, bool alone)
{
	struct hist_times times;
	bool timed =
		hist_times_find(p->profile.hist, &times) && (ev == times.waited || ev == times.ran);
	struct hist_stacks *f = hist_stacks_new(p->profile.hist, ev, timed ? &times : NULL);
	bool periods = timed || p->profile.set.graph.value == CALL_GRAPH_PERIOD;
	const struct folded folded = {
		.root = alone ? NULL : ev->name,
		.periods = periods,
		.marks = p->o.marks,
		.limit = p->profile.set.percent_limit,
	};

	stdio_folded(&folded, f, &p->a.out);
	hist_stacks_free(f);
}

/*
 * Draws the flame graph. If a recording has waits, one picture shows these and the tasks' run
 * times.
 */
static void add_picture(struct report *p, const struct event *ev, size_t events, struct out *svg)
{
	struct hist_times times;
	bool waits = hist_times_find(p->profile.hist, &times);
	struct hist_stacks *f = waits ? hist_stacks_of_times(p->profile.hist, &times)
				      : hist_stacks_new(p->profile.hist, ev, NULL);

	if (!waits && events > 1)
		say_note("the flame graph shows only event '%s', the first of %zu", ev->name,
			 events);
	else if (waits && !times.ran && events > 1)
		say_note("the flame graph shows only event '%s': samples of the others do not "
			 "measure time",
			 times.waited->name);
	else if (waits && times.ran && events > 2)
		say_note("the flame graph shows only events '%s' and '%s', of %zu", times.ran->name,
			 times.waited->name, events);
	draw_picture(p, waits ? times.waited : ev, waits ? &times : NULL, f, svg);
	hist_stacks_free(f);
}

/* Returns the first event with samples, or any if none has; NULL if there are no events. */
static const struct event *first_counted(const struct report *p, size_t *count)
{
	const struct event *first = NULL, *any = NULL;

	*count = 0;
	for (size_t i = 0; i < hist_view_count(p->profile.hist); i++) {
		const struct hist_view *v = hist_view(p->profile.hist, i);

		for (u32 m = 0; m < v->member_count; m++) {
			any = any ? any : v->members[m];
			if (!v->totals[m].samples)
				continue;
			first = first ? first : v->members[m];
			(*count)++;
		}
	}
	return first ? first : any;
}

static int write_picture(struct report *p, const struct event *ev, size_t events, struct reason *r)
{
	struct replace file;
	struct out svg;
	int err;

	if (!strcmp(p->o.flamegraph, "-")) {
		add_picture(p, ev, events, &p->a.out);
		return 0;
	}
	if (data_refuse_same(data_path(session_data(p->a.session)), p->o.flamegraph, r))
		return -EINVAL;
	err = replace_begin(&file, p->o.flamegraph, 0666, REPLACE_ANY, r);
	if (err)
		return err;
	out_init(&svg, file.fd);
	add_picture(p, ev, events, &svg);
	err = out_release(&svg);
	if (!err)
		return replace_end(&file, r);
	replace_drop(&file);
	return reason_errno(r, -err, "cannot write '%s'", p->o.flamegraph);
}

/* Prints the stacks. Several events are distinguished by a frame in front of all others. */
int report_flames(struct report *p, struct reason *r)
{
	size_t count;
	const struct event *first = first_counted(p, &count);

	for (size_t i = 0; p->o.folded && i < hist_view_count(p->profile.hist); i++) {
		const struct hist_view *v = hist_view(p->profile.hist, i);

		for (u32 m = 0; m < v->member_count; m++)
			if (v->totals[m].samples)
				add_folded(p, v->members[m], count == 1);
	}
	return p->o.flamegraph && first ? write_picture(p, first, count, r) : 0;
}
