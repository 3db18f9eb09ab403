// SPDX-License-Identifier: GPL-2.0-or-later
/* The options of perf timechart, and what it records. */
#include <string.h>

#include "analysis/record_events.h"
#include "builtin/timechart/internal.h"

void timechart_init(struct timechart *t, struct context *ctx)
{
	*t = (struct timechart){ .output = "output.svg",
				 .width = 1000,
				 .tasks = 15,
				 .io_least = 1000000,
				 .io_distance = 1000 };
	analysis_init(&t->a, ctx);
}

void timechart_release(struct timechart *t)
{
	strlist_release(&t->processes);
	analysis_release(&t->a);
}

static int set_highlight(const struct option_call *call, struct reason *r)
{
	struct timechart *t = call->row->value;

	(void)r;
	t->highlight_time = 0;
	t->highlight_name = NULL;
	if (call->value && parse_duration(call->value, 1, &t->highlight_time))
		t->highlight_name = call->value;
	return 0;
}

static void kind_rows(struct timechart *t, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_FLAG, 'P', "power-only", &t->power_only,
		  .help = "only CPUs and their power states" },
		{ OPTION_FLAG, 'T', "tasks-only", &t->tasks_only,
		  .help = "only tasks, no power states" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

void timechart_record_rows(struct timechart *t, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_FLAG, 'I', "io-only", &t->io_only,
		  .help = "only system calls that read, write and wait" },
		{ OPTION_FLAG, 'g', "callchain", &t->chains, .help = "record call chains, too" },
	};

	kind_rows(t, rows);
	option_rows_add(rows, more, ARRAY_SIZE(more));
}

void timechart_rows(struct timechart *t, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_STRING, 'o', "output", &t->output, .arg = "FILE",
		  .help = "the picture (output.svg); -: standard output" },
		{ OPTION_UINT, 'w', "width", &t->width, .arg = "PIXELS",
		  .help = "the width of the picture (1000)" },
		{ OPTION_CALLBACK, 0, "highlight", t, .arg = "TIME|NAME", .set = set_highlight,
		  .flags = OPT_NO_NEGATE,
		  .help = "show in red what ran at least this long (ns), or tasks of this name" },
		{ OPTION_LIST, 'p', "process", &t->processes, .arg = "PID|NAME",
		  .help = "only these tasks; may be given several times" },
		{ OPTION_UINT, 'n', "proc-num", &t->tasks, .arg = "N",
		  .help = "show at least N tasks (15)" },
		{ OPTION_FLAG, 't', "topology", &t->topology,
		  .help = "order CPUs by socket and core" },
		{ OPTION_FLAG, 0, "io-skip-eagain", &t->skip_again,
		  .help = "leave out calls that failed with EAGAIN" },
		{ OPTION_DURATION, 0, "io-min-time", &t->io_least, .arg = "TIME", .unit = 1,
		  .given = &t->io_given,
		  .help = "draw shorter calls as if they took this long (1ms)" },
		{ OPTION_DURATION, 0, "io-merge-dist", &t->io_distance, .arg = "TIME", .unit = 1,
		  .given = &t->io_given,
		  .help = "draw calls as one if they are closer together than this (1us)" },
		{ OPTION_STRING, 0, "symfs", &t->a.open.symbols.symfs, .arg = "DIR[,flat]",
		  .help = "look for objects below DIR" },
	};

	input_option_rows(rows, &t->a.open.input, &t->a.open.force);
	kind_rows(t, rows);
	option_rows_add(rows, more, ARRAY_SIZE(more));
}

int timechart_check(const struct timechart *t, const struct options *o)
{
	if (t->power_only && t->tasks_only)
		return options_usage_error(o, "-P and -T cannot be used together");
	if (t->io_only && (t->power_only || t->tasks_only || t->chains))
		return options_usage_error(o,
					   "-I records only system calls: leave out -P, -T and -g");
	if (t->width < 400 || t->width > 100000)
		return options_usage_error(o, "--width must be between 400 and 100000 pixels");
	return 0;
}

/* ---- perf timechart record ---- */

static bool is_of(const char *event, const char *system)
{
	return str_starts(event, system);
}

static bool is_old_power(const char *event)
{
	return is_of(event, "power:power_");
}

static bool is_wanted(const struct timechart *t, const char *event)
{
	if (is_of(event, "syscalls:"))
		return t->io_only;
	if (!strcmp(event, "sched:sched_waking"))
		return false; /* sched_wakeup, which is recorded, is enough */
	if (is_of(event, "sched:"))
		return !t->io_only && !t->power_only;
	if (is_old_power(event) && !kernel_has_tracepoint(event))
		return false;
	return !t->io_only && !t->tasks_only;
}

/*
 * Reports whether the event's call is missing. Many architectures lack some of these calls, which
 * is not worth a message.
 */
static bool is_missing_call(const char *event)
{
	return is_of(event, "syscalls:") && !kernel_has_tracepoint(event);
}

void timechart_record_words(const struct timechart *t, int argc, const char **argv,
			    struct strlist *words)
{
	static const char *const first[] = { "record", "-R", "-c", "1" };

	for (size_t i = 0; i < ARRAY_SIZE(first); i++)
		strlist_add(words, first[i]);
	if (t->chains)
		strlist_add(words, "-g");
	if (is_wanted(t, "sched:sched_switch"))
		record_event_words(words, "sched:sched_switch");
	for (size_t i = 0; i < timechart_event_count; i++) {
		const char *event = timechart_events[i].event;

		if (is_wanted(t, event) && !is_missing_call(event))
			record_event_words(words, event);
	}
	for (int i = 0; i < argc; i++)
		strlist_add(words, argv[i]);
}
