// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Registers of AMD's Instruction-Based Sampling: a processor, the byte order, and raw data of any
 * size.
 */
#include "event/data_src.h"
#include "event/ibs.h"
#include "event/sample.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct strbuf b = STRBUF_INIT;
	struct sample s = { .raw_size = (u32)size - 1 };
	u8 *copy;

	if (size < 2)
		return 0;
	copy = xmemdup(data + 1, size - 1); /* of its exact size, so that a byte too far is found */
	s.raw = copy;
	ibs_complete(&s, data[0] % (IBS_ZEN3_FIRST + 1), data[0] & 0x80);
	/* each access is a load or a store, with words for where it was answered */
	if (s.data_src && !(s.data_src & 7))
		abort();
	data_src_op(s.data_src, &b);
	data_src_level(s.data_src, &b);
	data_src_tlb(s.data_src, &b);
	if (!b.len)
		abort();
	strbuf_release(&b);
	free(copy);
	return 0;
}
