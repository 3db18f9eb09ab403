// SPDX-License-Identifier: GPL-2.0-or-later
/* Attrs of a file, of any size and byte order. */
#include <string.h>

#include "base/bytes.h"
#include "data/internal.h"

void attr_from_file(const struct data_reader *d, const u8 *p, size_t size,
		    struct perf_event_attr *attr)
{
	u8 b[sizeof(*attr)] = { 0 };
	bool s = d->swap;
	u64 flags;
	u32 own = size >= 8 ? load_u32(p + 4, s) : 0;

	/* the attr's own size field says how much of the space it uses */
	size = MIN(size, MAX(own, ATTR_SIZE_VER0));
	memcpy(b, p, MIN(size, sizeof(b)));
	flags = load_u64(b + 40, s);
	*attr = (struct perf_event_attr){
		.type = load_u32(b, s),
		.size = load_u32(b + 4, s),
		.config = load_u64(b + 8, s),
		.sample_period = load_u64(b + 16, s),
		.sample_type = load_u64(b + 24, s),
		.read_format = load_u64(b + 32, s),
		.flags = d->big_endian ? attr_flags_mirrored(flags) : flags,
		.wakeup_events = load_u32(b + 48, s),
		.bp_type = load_u32(b + 52, s),
		.config1 = load_u64(b + 56, s),
		.config2 = load_u64(b + 64, s),
		.branch_sample_type = load_u64(b + 72, s),
		.sample_regs_user = load_u64(b + 80, s),
		.sample_stack_user = load_u32(b + 88, s),
		.clockid = (s32)load_u32(b + 92, s),
		.sample_regs_intr = load_u64(b + 96, s),
		.aux_watermark = load_u32(b + 104, s),
		.sample_max_stack = load_u16(b + 108, s),
		.reserved_2 = load_u16(b + 110, s),
		.aux_sample_size = load_u32(b + 112, s),
		.aux_action = load_u32(b + 116, s),
		.sig_data = load_u64(b + 120, s),
		.config3 = load_u64(b + 128, s),
		.config4 = load_u64(b + 136, s),
	};
	if (!attr->size)
		attr->size = ATTR_SIZE_VER0;
}
