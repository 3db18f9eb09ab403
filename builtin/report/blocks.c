// SPDX-License-Identifier: GPL-2.0-or-later
/* perf report --total-cycles: a table of basic blocks for each event. */
#include <stdlib.h>

#include "branch/profile.h"
#include "builtin/report/internal.h"
#include "cli/say.h"
#include "ui/stdio/blocks.h"

static void say_why_empty(const struct report *p, const struct event *ev)
{
	const struct branch_profile *blocks = p->profile.blocks;
	bool any = false;

	vec_for_each(&blocks->blocks, b)
		any |= (*b)->event == ev->index;
	if (any)
		say_warning("no basic block of event '%s' passes the filters", ev->name);
	else if (!branch_profile_cycles(blocks, ev->index))
		say_warning("the branches of event '%s' have no cycles: the CPU that recorded them "
			    "does not "
			    "count them",
			    ev->name);
	else
		say_warning("no two consecutive branches of event '%s' enclose code of a function "
			    "that has a symbol",
			    ev->name);
}

static void print_heading(struct report *p, const struct event *ev, bool first)
{
	const struct branch_profile *blocks = p->profile.blocks;
	struct out *out = &p->a.out;

	out_f(out, "%s# Samples: %" PRIu64 " of event '", first ? "" : "\n",
	      branch_profile_samples(blocks, ev->index));
	strbuf_printable(out_buf(out), ev->name);
	out_f(out, "'\n# Sampled cycles: %" PRIu64 "\n#\n",
	      branch_profile_cycles(blocks, ev->index));
}

static void print_event(struct report *p, const struct event *ev, bool first)
{
	struct profile_block *rows;
	size_t count = profile_blocks(&p->profile, ev->index, &rows);
	struct strbuf *b = out_buf(&p->a.out);

	if (!count)
		say_why_empty(p, ev);
	if (p->o.json) {
		strbuf_str(b, first ? "\n" : ",\n");
		json_blocks(ev->name, branch_profile_cycles(p->profile.blocks, ev->index), rows,
			    count, b);
	} else {
		if (!p->a.ctx->quiet)
			print_heading(p, ev, first);
		stdio_blocks(&p->o.draw, rows, count, b);
	}
	free(rows);
}

void report_blocks(struct report *p)
{
	bool first = true;

	if (p->o.json) {
		report_json_begin(p);
		out_str(&p->a.out, ",\"tables\":[");
	}
	vec_for_each(&session_events(p->a.session)->list, ev) {
		if (!branch_profile_samples(p->profile.blocks, (*ev)->index) && p->o.skip_empty)
			continue;
		print_event(p, *ev, first);
		first = false;
	}
	if (p->o.json)
		out_str(&p->a.out, "]}\n");
}
