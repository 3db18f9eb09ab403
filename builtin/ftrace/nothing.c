// SPDX-License-Identifier: GPL-2.0-or-later
/* Says that nothing was seen, where there should have been something. */
#include "builtin/ftrace/internal.h"
#include "cli/say.h"
#include "live/loop.h"

void ftrace_say_nothing(const struct ftrace_run *run, const char *what)
{
	if (run->target.system_wide || loop_ran_workload(&run->workload))
		say_nothing_seen(run->f->ctx, what);
}
