// SPDX-License-Identifier: GPL-2.0-or-later
/* The file of -o, once there is something to trace. */
#include "base/replace.h"
#include "builtin/trace/internal.h"

/* Opens the output file. An existing one is kept as FILE.old, as 6.1 does. */
int trace_start_output(struct trace *t, struct reason *r)
{
	int err = t->o.output ? replace_keep_old(t->o.output, r) : 0;

	if (err || !t->o.output)
		return err;
	t->out_fd = replace_open(t->o.output, false, 0666, r);
	if (t->out_fd >= 0)
		t->out.fd = t->out_fd;
	return MIN(t->out_fd, 0);
}
