// SPDX-License-Identifier: GPL-2.0-or-later
/* The files that are compared. */
#include <errno.h>

#include "builtin/diff/command.h"

int diff_open_session(struct diff_command *c, struct diff_file *f, struct reason *r)
{
	int err;

	c->a.open.input = f->path;
	err = session_open(c->ctx, &c->a.open, &f->session, r);
	if (err == -ENOENT)
		reason_hint(r, "name the recordings to compare: %s OLD NEW (default: %s)",
			    c->ctx->count_guests ? "perf kvm diff" : "perf diff",
			    c->ctx->count_guests ? "perf.data.host perf.data.guest"
						 : "perf.data.old perf.data");
	return err;
}

int diff_open_file(struct diff_command *c, struct diff_file *f, struct reason *r)
{
	int err = diff_open_session(c, f, r);

	if (!err)
		err = sample_choice_cpus(&f->choice, c->cpus, r);
	if (!err)
		err = sample_choice_open(&f->choice, f->time, f->session, r);
	/* perf kvm diff compares the host's own recording with that of the guests */
	if (f->of_host)
		f->choice.guests_alone = false;
	return err;
}
