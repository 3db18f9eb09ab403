// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * event/ibs.h: accesses to memory by registers of AMD's Instruction-Based Sampling. Registers are
 * written by hand from the manuals' tables of their bits; what they mean is given in the words of
 * perf script.
 */
#include "event/ibs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "base/bytes.h"
#include "event/data_src.h"
#include "event/sample.h"

/* IbsOpData3 */
/* clang-format off */
enum {
	LOAD = 1, STORE = 2, TLB1 = 4, TLB2 = 8, MISS = 1 << 7, UNCACHED = 1 << 14, LOCKED = 1 << 15, NO_BUFFER = 1 << 16,
	LINEAR = 1 << 17, PHYSICAL = 1 << 18, MISS2 = 1 << 20, PREFETCH = 1 << 21,
};
/* clang-format on */
/* IbsOpData2, beside a source from 0 to 7 */
enum { REMOTE = 1 << 4, OWNED = 1 << 5, HIGH1 = 1 << 6 };
/* a load that no cache of its core answers */
enum { FAR_LOAD = LOAD | MISS | MISS2 | LINEAR };

static void words(u64 v, struct strbuf *b)
{
	data_src_op(v, b);
	strbuf_char(b, ' ');
	data_src_level(v, b);
	strbuf_str(b, ", snoop ");
	data_src_snoop(v, b);
	strbuf_str(b, ", tlb ");
	data_src_tlb(v, b);
	strbuf_str(b, ", locked ");
	data_src_lock(v, b);
}

static void expect(enum ibs_processor p, bool zen4, u64 data2, u64 data3, const char *want)
{
	struct ibs_op o = { .zen4 = zen4, .processor = p };
	struct strbuf b = STRBUF_INIT;

	o.regs[IBS_OP_CTL] = 3 << 17;
	o.regs[IBS_OP_DATA2] = data2;
	o.regs[IBS_OP_DATA3] = data3;
	words(ibs_op_data_src(&o), &b);
	assert_string_equal(strbuf_cstr(&b), want);
	strbuf_release(&b);
}

static void test_processors(void **state)
{
	(void)state;
	assert_int_equal(ibs_processor_of(NULL), IBS_ZEN);
	assert_int_equal(ibs_processor_of("GenuineIntel,6,85,4"), IBS_ZEN);
	assert_int_equal(ibs_processor_of("AuthenticAMD,16,4,3"), IBS_BEFORE_ZEN);
	assert_int_equal(ibs_processor_of("AuthenticAMD,21,2,0"), IBS_BEFORE_ZEN);
	assert_int_equal(ibs_processor_of("AuthenticAMD,23,49,0"), IBS_ZEN);
	assert_int_equal(ibs_processor_of("AuthenticAMD,25,1,1"), IBS_ZEN3_FIRST);
	assert_int_equal(ibs_processor_of("AuthenticAMD,25,15,1"), IBS_ZEN3_FIRST);
	assert_int_equal(ibs_processor_of("AuthenticAMD,25,16,1"), IBS_ZEN);
	assert_int_equal(ibs_processor_of("AuthenticAMD,25,32,1"), IBS_ZEN3);
	assert_int_equal(ibs_processor_of("AuthenticAMD,25,95,1"), IBS_ZEN3);
	assert_int_equal(ibs_processor_of("AuthenticAMD,25,97,2"), IBS_ZEN);
	assert_int_equal(ibs_processor_of("AuthenticAMD,26,2,1"), IBS_ZEN);
}

static void test_own_caches(void **state)
{
	(void)state;
	expect(IBS_ZEN, false, 0, LOAD | LINEAR,
	       "LOAD L1 or L1 hit, snoop N/A, tlb L1 hit, locked N/A");
	expect(IBS_ZEN, false, 0, STORE | LINEAR,
	       "STORE L1 or L1 hit, snoop N/A, tlb L1 hit, locked N/A");
	/* both: an operation that reads and writes is a load */
	expect(IBS_ZEN, false, 0, LOAD | STORE | LOCKED | LINEAR,
	       "LOAD L1 or L1 hit, snoop N/A, tlb L1 hit, locked Yes");
	expect(IBS_ZEN, false, 0, LOAD | MISS | LINEAR | TLB1,
	       "LOAD L2 or L2 hit, snoop N/A, tlb L2 hit, locked N/A");
	expect(IBS_ZEN, false, 0, LOAD | MISS | LINEAR | TLB1 | TLB2,
	       "LOAD L2 or L2 hit, snoop N/A, tlb L2 miss, locked N/A");
	/* what was translated is not known without an address */
	expect(IBS_ZEN, false, 0, LOAD | TLB1 | TLB2,
	       "LOAD L1 or L1 hit, snoop N/A, tlb N/A, locked N/A");
	/* a source that is left from before means nothing */
	expect(IBS_ZEN, false, 2, LOAD | LINEAR,
	       "LOAD L1 or L1 hit, snoop N/A, tlb L1 hit, locked N/A");
	expect(IBS_ZEN, false, 3, LOAD | MISS | LINEAR,
	       "LOAD L2 or L2 hit, snoop N/A, tlb L1 hit, locked N/A");
	/* caches mean nothing where none is used, unless it is a device */
	expect(IBS_ZEN, false, 0, FAR_LOAD | UNCACHED,
	       "LOAD Uncached or L8 hit, snoop N/A, tlb L1 hit, locked N/A");
	expect(IBS_ZEN, false, 2, FAR_LOAD | UNCACHED,
	       "LOAD Uncached or L8 hit, snoop N/A, tlb L1 hit, locked N/A");
	expect(IBS_ZEN, false, 7, FAR_LOAD | UNCACHED,
	       "LOAD I/O or I/O hit, snoop N/A, tlb L1 hit, locked N/A");
}

static void test_zen(void **state)
{
	(void)state;
	expect(IBS_ZEN, false, 2 | OWNED, FAR_LOAD,
	       "LOAD core, same node Any cache hit, snoop N/A, tlb L1 hit, locked N/A");
	expect(IBS_ZEN, false, 2, FAR_LOAD,
	       "LOAD core, same node Any cache hit, snoop HitM, tlb L1 hit, locked N/A");
	expect(IBS_ZEN, false, 3, FAR_LOAD,
	       "LOAD Local RAM or RAM hit, snoop N/A, tlb L1 hit, locked N/A");
	expect(IBS_ZEN, false, 3 | REMOTE, FAR_LOAD,
	       "LOAD Remote node, same socket RAM hit, snoop N/A, tlb L1 hit, locked N/A");
	expect(IBS_ZEN, false, 4, FAR_LOAD,
	       "LOAD Remote node, same socket Any cache hit, snoop N/A, tlb L1 hit, locked N/A");
	expect(IBS_ZEN, false, 7, FAR_LOAD,
	       "LOAD I/O or I/O hit, snoop N/A, tlb L1 hit, locked N/A");
	/* reserved values, and bits that only Zen 4 has */
	expect(IBS_ZEN, false, 1, FAR_LOAD, "LOAD N/A or N/A, snoop N/A, tlb L1 hit, locked N/A");
	expect(IBS_ZEN, false, 3 | HIGH1, FAR_LOAD,
	       "LOAD Local RAM or RAM hit, snoop N/A, tlb L1 hit, locked N/A");
	/* stores have no source; what waits for an earlier miss has none either */
	expect(IBS_ZEN, false, 3, STORE | MISS | MISS2 | LINEAR,
	       "STORE N/A or N/A, snoop N/A, tlb L1 hit, locked N/A");
	expect(IBS_ZEN, false, 0, FAR_LOAD | NO_BUFFER,
	       "LOAD LFB/MAB or LFB/MAB hit, snoop N/A, tlb L1 hit, locked N/A");
	expect(IBS_ZEN, false, 3, FAR_LOAD | NO_BUFFER,
	       "LOAD Local RAM or RAM hit, snoop N/A, tlb L1 hit, locked N/A");
	/* Zen 3: the state of the cache that answered */
	expect(IBS_ZEN3, false, 2, FAR_LOAD,
	       "LOAD core, same node Any cache hit, snoop N/A, tlb L1 hit, locked N/A");
	expect(IBS_ZEN3_FIRST, false, 2, FAR_LOAD,
	       "LOAD core, same node Any cache hit, snoop N/A, tlb L1 hit, locked N/A");
	/* erratum 1293: neither the L2's miss nor the source */
	expect(IBS_ZEN3_FIRST, false, 3, LOAD | MISS | NO_BUFFER | LINEAR,
	       "LOAD LFB/MAB or LFB/MAB hit, snoop N/A, tlb L1 hit, locked N/A");
	expect(IBS_ZEN3_FIRST, false, 3, LOAD | MISS | PREFETCH | LINEAR,
	       "LOAD N/A or N/A, snoop N/A, tlb L1 hit, locked N/A");
	expect(IBS_ZEN3, false, 3, LOAD | MISS | NO_BUFFER | LINEAR,
	       "LOAD L2 or L2 hit, snoop N/A, tlb L1 hit, locked N/A");
}

static void test_zen4(void **state)
{
	(void)state;
	expect(IBS_ZEN, true, 1 | OWNED, FAR_LOAD,
	       "LOAD L3 or L3 hit, snoop N/A, tlb L1 hit, locked N/A");
	expect(IBS_ZEN, true, 1, FAR_LOAD, "LOAD L3 or L3 hit, snoop HitM, tlb L1 hit, locked N/A");
	expect(IBS_ZEN, true, 2, FAR_LOAD,
	       "LOAD Remote core, same node Any cache hit, snoop HitM, tlb L1 hit, locked N/A");
	expect(IBS_ZEN, true, 3, FAR_LOAD,
	       "LOAD Local RAM or RAM hit, snoop N/A, tlb L1 hit, locked N/A");
	expect(IBS_ZEN, true, 3 | REMOTE, FAR_LOAD,
	       "LOAD Remote node, same socket RAM hit, snoop N/A, tlb L1 hit, locked N/A");
	expect(IBS_ZEN, true, 5, FAR_LOAD,
	       "LOAD Remote node, same socket Any cache hit, snoop HitM, tlb L1 hit, locked N/A");
	expect(IBS_ZEN, true, 6, FAR_LOAD, "LOAD PMEM, snoop N/A, tlb L1 hit, locked N/A");
	expect(IBS_ZEN, true, 6 | REMOTE, FAR_LOAD,
	       "LOAD Remote node, same socket PMEM, snoop N/A, tlb L1 hit, locked N/A");
	expect(IBS_ZEN, true, 7, FAR_LOAD,
	       "LOAD I/O or I/O hit, snoop N/A, tlb L1 hit, locked N/A");
	/*
	 * the upper bits of the source: 8 is the first, 12 has no name in perf's words, 11 is
	 * reserved
	 */
	expect(IBS_ZEN, true, 0 | HIGH1, FAR_LOAD, "LOAD CXL, snoop N/A, tlb L1 hit, locked N/A");
	expect(IBS_ZEN, true, 3 | HIGH1, FAR_LOAD,
	       "LOAD N/A or N/A, snoop N/A, tlb L1 hit, locked N/A");
	expect(IBS_ZEN, true, 4 | HIGH1, FAR_LOAD,
	       "LOAD N/A or N/A, snoop N/A, tlb L1 hit, locked N/A");
	expect(IBS_ZEN, true, 4, FAR_LOAD, "LOAD N/A or N/A, snoop N/A, tlb L1 hit, locked N/A");
}

static void test_before_zen(void **state)
{
	(void)state;
	/* the bit of the L2's misses is reserved there */
	expect(IBS_BEFORE_ZEN, false, 0, LOAD | MISS | LINEAR,
	       "LOAD L2 or L2 hit, snoop N/A, tlb L1 hit, locked N/A");
	expect(IBS_BEFORE_ZEN, false, 1, LOAD | MISS | LINEAR,
	       "LOAD L3 or L3 hit, snoop N/A, tlb L1 hit, locked N/A");
	expect(IBS_BEFORE_ZEN, false, 1 | REMOTE, LOAD | MISS | LINEAR,
	       "LOAD Remote node, same socket Any cache hit, snoop N/A, tlb L1 hit, locked N/A");
	expect(IBS_BEFORE_ZEN, false, 2, LOAD | MISS | LINEAR,
	       "LOAD core, same node Any cache hit, snoop HitM, tlb L1 hit, locked N/A");
	expect(IBS_BEFORE_ZEN, false, 2 | REMOTE | OWNED, LOAD | MISS | LINEAR,
	       "LOAD Remote node, same socket Any cache hit, snoop N/A, tlb L1 hit, locked N/A");
	expect(IBS_BEFORE_ZEN, false, 3, LOAD | MISS | LINEAR,
	       "LOAD Local RAM or RAM hit, snoop N/A, tlb L1 hit, locked N/A");
	expect(IBS_BEFORE_ZEN, false, 7, LOAD | MISS | LINEAR,
	       "LOAD I/O or I/O hit, snoop N/A, tlb L1 hit, locked N/A");
}

/* ---- whole samples ---- */

static void put(u8 raw[76], u32 n, u64 v)
{
	store_u64(raw + 4 + 8 * n, v);
}

static void make_raw(u8 raw[76], u64 data3)
{
	memset(raw, 0, 76);
	store_u32(raw, 0x3ff);
	put(raw, IBS_OP_CTL, 3 << 17);
	put(raw, IBS_OP_DATA, 321 << 16 | 55);
	put(raw, IBS_OP_DATA2, 3);
	put(raw, IBS_OP_DATA3, data3 | (u64)210 << 32 | (u64)99 << 48);
	put(raw, IBS_OP_LINEAR, 0x7f0000001040);
	put(raw, IBS_OP_PHYSICAL, 0x123456040);
}

static void test_sample(void **state)
{
	u8 raw[76];
	struct sample s = { .raw = raw, .raw_size = 68 };

	(void)state;
	make_raw(raw, FAR_LOAD | PHYSICAL);
	ibs_complete(&s, IBS_ZEN, false);
	/* load; hit, local RAM; RAM by number; snoop, lock: not said; translation by the L1 */
	assert_int_equal(s.data_src,
			 2 | (2 | 0x80) << 5 | 0xdULL << 33 | 1 << 19 | 1 << 24 | (2 | 8) << 26);
	assert_int_equal(s.addr, 0x7f0000001040);
	assert_int_equal(s.phys_addr, 0x123456040);
	assert_int_equal(s.weight, 210);
	assert_int_equal(s.ins_lat, 321);
	/* a hit has no latency of a miss, a store none that is valid; addresses can be missing */
	s = (struct sample){ .raw = raw, .raw_size = 68 };
	make_raw(raw, LOAD);
	ibs_complete(&s, IBS_ZEN, false);
	assert_int_equal(s.weight, 0);
	assert_int_equal(s.ins_lat, 0);
	assert_int_equal(s.addr, 0);
	assert_int_equal(s.phys_addr, 0);
	s = (struct sample){ .raw = raw, .raw_size = 68 };
	make_raw(raw, STORE | MISS | MISS2 | LINEAR);
	ibs_complete(&s, IBS_ZEN, false);
	assert_int_equal(s.weight, 0);
	assert_int_equal(s.addr, 0x7f0000001040);
	/* what accesses no memory, and what the processor did not mark as valid */
	s = (struct sample){ .raw = raw, .raw_size = 68 };
	make_raw(raw, LINEAR | PHYSICAL | MISS);
	ibs_complete(&s, IBS_ZEN, false);
	assert_int_equal(s.data_src, 0x5080021);
	assert_int_equal(s.addr, 0);
	s = (struct sample){ .raw = raw, .raw_size = 68 };
	make_raw(raw, FAR_LOAD);
	put(raw, IBS_OP_CTL, 1 << 17);
	ibs_complete(&s, IBS_ZEN, false);
	assert_int_equal(s.data_src, 0x5080021);
}

static void test_kernel_wins(void **state)
{
	u8 raw[76];
	struct sample s = { .raw = raw, .raw_size = 68, .data_src = 4 | 0xa << 5 };

	(void)state;
	make_raw(raw, FAR_LOAD | PHYSICAL);
	ibs_complete(&s, IBS_ZEN, false);
	assert_int_equal(s.data_src, 4 | 0xa << 5);
	assert_int_equal(s.addr, 0);
	assert_int_equal(s.weight, 0);
	/*
	 * but not by saying that nothing is known, as kernels do that do not look at the registers
	 */
	s = (struct sample){ .raw = raw, .raw_size = 68, .data_src = 0x5080021, .addr = 7 };
	ibs_complete(&s, IBS_ZEN, false);
	assert_int_equal(s.data_src & 31, 2);
	assert_int_equal(s.addr, 7);
	assert_int_equal(s.phys_addr, 0x123456040);
}

/* Checks that nothing is read beyond the data, whose bytes end an allocation, for each size. */
static void test_sizes(void **state)
{
	u8 raw[76];

	(void)state;
	make_raw(raw, FAR_LOAD);
	for (u32 size = 0; size <= sizeof(raw); size++) {
		u8 *copy = xmemdup(raw, size + !size);
		struct sample s = { .raw = copy, .raw_size = size };

		ibs_complete(&s, IBS_ZEN, false);
		assert_int_equal(s.data_src != 0, size >= 60);
		free(copy);
	}
	/* the other byte order */
	for (u32 i = 0; i < 9; i++)
		store_u64(raw + 4 + 8 * i, load_u64(raw + 4 + 8 * i, true));
	store_u32(raw, 1U << 3 << 16);
	{
		struct sample s = { .raw = raw, .raw_size = 68 };

		ibs_complete(&s, IBS_ZEN, true);
		assert_int_equal(s.weight, 210);
		assert_int_equal(s.addr, 0x7f0000001040);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_processors),  cmocka_unit_test(test_own_caches),
		cmocka_unit_test(test_zen),         cmocka_unit_test(test_zen4),
		cmocka_unit_test(test_before_zen),  cmocka_unit_test(test_sample),
		cmocka_unit_test(test_kernel_wins), cmocka_unit_test(test_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
