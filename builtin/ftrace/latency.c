// SPDX-License-Identifier: GPL-2.0-or-later
/* perf ftrace latency: how long the calls of a function take. */
#include "builtin/ftrace/internal.h"
#include "cli/pager.h"

static void take_call(void *arg, const char *line, size_t len)
{
	struct ftrace_call call;

	if (ftrace_call_parse(line, len, &call))
		ftrace_histogram_add(arg, call.ns);
}

static int take(void *arg, const char *text, size_t size)
{
	ftrace_lines_take(arg, text, size);
	return 0;
}

static int by_tracer(struct ftrace_run *run, struct ftrace_histogram *h, struct reason *r)
{
	struct ftrace_lines lines = { .line = take_call, .arg = h };
	int err = ftrace_set_up(run->f, &run->target, &run->place, r);

	if (!err)
		err = ftrace_stream(run, take, &lines, r);
	strbuf_release(&lines.rest);
	return err;
}

int ftrace_latency(struct ftrace_run *run, struct reason *r)
{
	struct ftrace_histogram h;
	int err;

	ftrace_histogram_init(&h, run->f);
	err = run->f->use_bpf ? ftrace_latency_bpf(run, &h, r) : by_tracer(run, &h, r);
	if (err)
		return err;
	pager_start(run->f->ctx, "ftrace");
	ftrace_histogram_print(&h, run->f, out_buf(&run->out));
	return 0;
}
