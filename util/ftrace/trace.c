// SPDX-License-Identifier: GPL-2.0-or-later
/* perf ftrace trace: the tracer's text as it is. */
#include <string.h>

#include "ftrace/internal.h"

static int pass_on(void *arg, const char *text, size_t size)
{
	struct ftrace_run *run = arg;

	strbuf_add(out_buf(&run->out), text, size);
	out_flush(&run->out);
	return -run->out.err;
}

int ftrace_trace(struct ftrace_run *run, struct reason *r)
{
	int err = ftrace_set_up(run->f, &run->target, &run->place, r);

	if (!err) /* the heads of the columns */
		err = ftrace_place_read(run->place, "trace", out_buf(&run->out), r);
	return err ? err : ftrace_stream(run, pass_on, run, r);
}
