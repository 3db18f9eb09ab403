// SPDX-License-Identifier: GPL-2.0-or-later
/* perf ftrace trace: the tracer's text as it is. */
#include <string.h>

#include "builtin/ftrace/internal.h"

struct passing {
	struct ftrace_run *run;
	bool any;
};

static int pass_on(void *arg, const char *text, size_t size)
{
	struct passing *p = arg;

	p->any = true;
	strbuf_add(out_buf(&p->run->out), text, size);
	out_flush(&p->run->out);
	return -p->run->out.err;
}

int ftrace_trace(struct ftrace_run *run, struct reason *r)
{
	struct passing p = { .run = run };
	int err = ftrace_set_up(run->f, &run->target, &run->place, r);

	if (!err) /* the heads of the columns */
		err = ftrace_place_read(run->place, "trace", out_buf(&run->out), r);
	if (!err)
		err = ftrace_stream(run, pass_on, &p, r);
	if (!err && !p.any)
		ftrace_say_nothing(run, "the tracer reported nothing");
	return err;
}
