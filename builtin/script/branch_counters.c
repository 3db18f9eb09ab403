// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counters that a CPU records with each branch: how often each event of the group happened since
 * the previous branch.  Each has a few bits; the leader's are the lowest.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "builtin/script/internal.h"

/*
 * Returns the capability "branch_counter_width" of CPU_PMU_CAPS, which is a u32 count, then pairs
 * of u32 length and text.
 */
static u32 width_of(struct script *s)
{
	enum { USUAL = 2 };
	struct data_reader *data = session_data(s->session);
	bool swap = data && data_is_swapped(data), is_width = false;
	size_t size = 0, at = 4;
	const u8 *caps = data ? data_feature(data, FEATURE_CPU_PMU_CAPS, &size) : NULL;
	u32 strings = caps && size >= 4 ? load_u32(caps, swap) : 0;

	for (u64 i = 0; i < (u64)strings * 2 && size - at >= 4; i++) {
		u32 len = load_u32(caps + at, swap);
		const char *text = (const char *)caps + at + 4;

		at += 4;
		if (len > size - at || !memchr(text, '\0', len))
			break;
		if (is_width && i % 2)
			return (u32)MIN(MAX(atoi(text), 1), 32);
		is_width = !(i % 2) && !strcmp(text, "branch_counter_width");
		at += len;
	}
	return USUAL;
}

void script_add_branch_counters(struct script *s, const struct session_sample *ss, u64 i,
				struct strbuf *b)
{
	const struct event *leader = ss->sample->event->leader;
	u64 counters, most;

	if (!ss->sample->branch_counters)
		return;
	if (!s->counter_width)
		s->counter_width = width_of(s);
	most = BIT64(s->counter_width) - 1;
	counters = load_u64(ss->sample->branch_counters + 8 * i, s->set->swap);
	strbuf_str(b, "br_cntr: ");
	vec_for_each(&s->set->list, ev) {
		u64 n = counters & most;

		if ((*ev)->leader != leader ||
		    !((*ev)->attr.branch_sample_type & PERF_SAMPLE_BRANCH_COUNTERS))
			continue;
		counters >>= s->counter_width;
		strbuf_printable(b, (*ev)->name);
		strbuf_f(b, " %" PRIu64 "%s ", n, n == most ? "+" : "");
	}
	strbuf_char(b, '\t');
}
