// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/self_profile.h"
#include "builtin/top/internal.h"
#include "session/session.h"

static u64 chain_end(void *arg, u32 image, u64 offset)
{
	const struct top *t = arg;

	return session_chain_end(t->session, image, offset);
}

void top_truth_begin(struct top *t)
{
	t->o.set.truth = true;
	t->o.set.services.chain_end = chain_end;
	t->o.set.services.chain_end_arg = t;
}

void top_find_truth(struct top *t, const struct hist *h)
{
	phase_begin("sum up the truth");
	truth_find(&t->truth, t->session, h);
	phase_end();
}

void top_put_truth(const struct top *t, const struct hist_view *v, struct strbuf *b)
{
	if (t->o.set.expansion == HIST_BRANCHES || !v->totals[0].samples)
		return;
	strbuf_str(b, ", ");
	truth_short(&t->truth, v->members, v->member_count, b);
}
