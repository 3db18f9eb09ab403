// SPDX-License-Identifier: GPL-2.0-or-later
/* perf report: how true the profile is, and whether that is as true as the user wants it. */
#include <errno.h>

#include "base/self_profile.h"
#include "builtin/report/internal.h"
#include "cli/say.h"

int report_set_require(const struct option_call *call, struct reason *r)
{
	struct report *p = call->settings;

	if (call->negated) {
		require_release(&p->o.require);
		return 0;
	}
	return require_parse(&p->o.require, call->value, r);
}

/* Refuses --require with forms that do not read samples, which conditions are about. */
int report_check_require(const struct report *p, struct reason *r)
{
	const char *other = p->o.header_only         ? "--header-only"
			    : p->o.stats             ? "--stats"
			    : p->o.tasks             ? "--tasks"
			    : p->o.mmaps             ? "--mmaps"
			    : p->o.dump              ? "-D"
			    : p->o.what.total_cycles ? "--total-cycles"
						     : NULL;

	if (!p->o.require.list.count || !other)
		return 0;
	return reason_set(r, EINVAL,
			  "--require and %s exclude each other: %s makes no table of samples",
			  other, other);
}

void report_find_truth(struct report *p)
{
	phase_begin("sum up the truth");
	truth_find(&p->truth, p->a.session, p->profile.hist);
	require_check(&p->o.require, &p->truth, &p->lines);
	phase_end();
}

void report_print_truth(struct report *p, const struct hist_view *v)
{
	struct strbuf *b = out_buf(&p->a.out);

	strbuf_str(b, "# Truth: ");
	truth_line(&p->truth, v->members, v->member_count, b);
	strbuf_str(b, "\n#\n");
}

int report_say_broken(struct report *p)
{
	int code = say_broken(&p->lines.broken, &p->lines.notes, p->a.ctx->quiet);

	require_lines_release(&p->lines);
	truth_release(&p->truth);
	return code;
}
