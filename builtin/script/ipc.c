// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Instructions per cycle around a sample: since the sample before, where a group counted both, else
 * in the code between the branches of its branch stack, whose cycles the CPU noted.
 */
#include "builtin/script/internal.h"

/*
 * Returns how many instructions ran from where a branch landed to where the next one left, or 0 if
 * unknown.
 */
static u32 count_block(struct script *s, const struct session_sample *ss, u64 start, u64 end)
{
	struct code_piece *p = start <= end ? script_code_between(s, ss, start, end) : NULL;
	struct strbuf text = STRBUF_INIT;
	u32 count = 0, length = 1;
	u64 at = 0;
	u8 flow;

	for (; p && length && at < end - start; at += length, count++)
		length = code_piece_decode(p, at, &text, &flow);
	/* no instruction of the block may go over its end */
	count = p && length && at == end - start ? count + 1 : 0;
	strbuf_release(&text);
	code_piece_free(p);
	return count;
}

/*
 * Counts instructions and cycles over the branches, except the oldest: the code before it is
 * unknown. Returns false if they cannot be counted.
 */
static bool ipc_of_branches(struct script *s, const struct session_sample *ss, u64 *instructions,
			    u64 *cycles)
{
	const struct sample *sample = ss->sample;

	/* where only some branches were noted, the code between two of them is not what ran */
	if (!(sample->event->attr.branch_sample_type & PERF_SAMPLE_BRANCH_ANY))
		return false;
	*instructions = *cycles = 0;
	for (u64 i = 0; i + 1 < sample->branch_count; i++) {
		struct sample_branch br = sample_branch(s->set, sample, i);
		u64 took = br.flags >> 4 & 0xffff;
		u32 ran =
			took ? count_block(s, ss, sample_branch(s->set, sample, i + 1).to, br.from)
			     : 0;

		if (!ran)
			continue;
		*instructions += ran;
		*cycles += took;
	}
	return true;
}

bool script_ipc(struct script *s, const struct session_sample *ss, u64 *instructions, u64 *cycles)
{
	return (script_reading_ipc(ss, instructions, cycles) ||
		ipc_of_branches(s, ss, instructions, cycles)) &&
	       *instructions && *cycles;
}

void script_add_ipc(struct script *s, const struct session_sample *ss, struct strbuf *b)
{
	u64 instructions, cycles, hundredths;

	if (!script_ipc(s, ss, &instructions, &cycles))
		return;
	hundredths = (u64)((double)instructions / (double)cycles * 100);
	strbuf_f(b, " \t IPC: %" PRIu64 ".%02" PRIu64 " (%" PRIu64 "/%" PRIu64 ") ",
		 hundredths / 100, hundredths % 100, instructions, cycles);
}
