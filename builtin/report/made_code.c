// SPDX-License-Identifier: GPL-2.0-or-later
/* Code that a program made at run time and nothing names: which program, and how it would tell. */
#include "base/hash.h"
#include "builtin/report/internal.h"

static bool is_unnamed(const struct report *p, const struct frame *f)
{
	const struct image *img =
		f && f->image ? image_get(session_images(p->a.session), f->image) : NULL;

	return img && img->kind == IMAGE_JIT && img->pid > 0 && !img->guest && f->named &&
	       f->symbol == NO_SYMBOL;
}

/*
 * Finds the process whose nameless code has the largest share of the first event's table, and that
 * share in percent.
 */
static u32 most_unnamed(const struct report *p, const struct hist_view *v, double *share)
{
	struct map64 periods = { 0 };
	u64 all = hist_view_period(v, 0);
	u32 most = 0;

	*share = 0;
	for (size_t i = 0; all && i < v->entry_count; i++) {
		const struct frame *f = hist_frame(p->profile.hist, v->entries[i]->frame);
		u64 *sum;

		if (!is_unnamed(p, f))
			continue;
		sum = map64_put(&periods, f->image, NULL);
		*sum += v->entries[i]->self[0].period;
		if ((double)*sum * 100.0 / (double)all <= *share)
			continue;
		*share = (double)*sum * 100.0 / (double)all;
		most = f->image;
	}
	map64_release(&periods);
	return most;
}

void report_say_made_code(struct report *p, const struct hist_view *v)
{
	const struct order_key last = { .time = UINT64_MAX };
	struct history *h = session_history(p->a.session);
	const struct task *t;
	const char *comm, *hint;
	double share;
	u32 most = most_unnamed(p, v, &share);
	s32 pid;

	if (share < 1)
		return;
	pid = image_get(session_images(p->a.session), most)->pid;
	t = history_task(h, 0, (u32)pid, (u32)pid, &last);
	comm = history_comm_text(h, history_comm(h, t, &last));
	hint = truth_jit_hint(comm);
	condition_add(
		&p->a.ctx->conditions, CONDITION_WARNING, "made-code", comm, NULL, 1, hint,
		"%.1f %% is code that '%s' (process %d) made at run time and that nothing names",
		share, comm, pid);
}
