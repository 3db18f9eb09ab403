// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Shows raw data of AMD's Instruction-Based Sampling as text. For operations see event/ibs.h. Raw
 * data of fetches: u32 capabilities, then as u64 IbsFetchCtl, IbsFetchLinAd, IbsFetchPhysAd,
 * IcIbsExtdCtl. Sources are those of event/ibs.h.
 */
#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "event/ibs.h"
#include "dump/internal.h"

enum { FETCH_CTL, FETCH_LINEAR, FETCH_PHYSICAL, FETCH_EXTENDED, FETCH_REGISTERS };

struct fetch {
	u64 regs[FETCH_REGISTERS];
	bool zen4;
	bool old_zen3; /* the first models, with errata */
};

struct field {
	const char *name;
	u8 at, bits, width; /* width: of the number as text */
};

static void put_fields(u64 v, const struct field *fields, size_t n, struct strbuf *b)
{
	for (size_t i = 0; i < n; i++)
		strbuf_f(b, " %s %*" PRIu64, fields[i].name, fields[i].width,
			 ibs_bits(v, fields[i].at, fields[i].bits));
}

#define PUT(v, fields, b) put_fields(v, fields, ARRAY_SIZE(fields), b)

static void put_name(const char *name, u64 v, struct strbuf *b)
{
	strbuf_f(b, "%s:\t%016" PRIx64, name, v);
}

static void put_address(const char *name, u64 v, struct strbuf *b)
{
	put_name(name, v, b);
	strbuf_char(b, '\n');
}

/* ---- operations ---- */

static void put_op_ctl(const struct ibs_op *o, struct strbuf *b)
{
	static const struct field only[] = { { "L3MissOnly", 16, 1, 1 } };
	static const struct field rest[] = { { "En", 17, 1, 1 },
					     { "Val", 18, 1, 1 },
					     { "CntCtl", 19, 1, 1 } };
	u64 v = o->regs[IBS_OP_CTL], most = (ibs_bits(v, 20, 7) << 16 | ibs_bits(v, 0, 16)) << 4;

	put_name("ibs_op_ctl", v, b);
	strbuf_f(b, " MaxCnt %9" PRIu64, most);
	if (o->zen4)
		PUT(v, only, b);
	PUT(v, rest, b);
	strbuf_f(b, "=%s CurCnt %9" PRIu64 "\n", ibs_bits(v, 19, 1) ? "uOps" : "cycles",
		 ibs_bits(v, 32, 27));
}

static void put_op_data(const struct ibs_op *o, struct strbuf *b)
{
	static const struct field first[] = { { "CompToRetCtr", 0, 16, 5 },
					      { "TagToRetCtr", 16, 16, 5 } };
	static const struct field branch[] = { { "OpReturn", 34, 1, 1 },
					       { "OpBrnTaken", 35, 1, 1 },
					       { "OpBrnMisp", 36, 1, 1 } };
	static const struct field rest[] = { { "BrnRet", 37, 1, 1 },
					     { " RipInvalid", 38, 1, 1 },
					     { "BrnFuse", 39, 1, 1 },
					     { "Microcode", 40, 1, 1 } };
	u64 v = o->regs[IBS_OP_DATA];

	put_name("ibs_op_data", v, b);
	PUT(v, first, b);
	if (ibs_bits(v, 37, 1))
		PUT(v, branch, b);
	PUT(v, rest, b);
	strbuf_char(b, '\n');
}

/* Returns what answered a miss, in the manual's words; NULL for reserved values. */
static const char *source_text(const struct ibs_op *o, unsigned source)
{
	static const char *const zen4[] = {
		[1] = "Local L3 or other L1/L2 in CCX",
		[2] = "A peer cache in a near CCX",
		[3] = "Data returned from DRAM",
		[4] = "(reserved)",
		[5] = "A peer cache in a far CCX",
		[6] = "DRAM address map with \"long latency\" bit set",
		[7] = "Data returned from MMIO/Config/PCI/APIC",
		[8] = "Extension Memory (S-Link, GenZ, etc)",
		[9] = "(reserved)",
		[10] = "(reserved)",
		[11] = "(reserved)",
		[12] = "Peer Agent Memory",
	};
	static const char *const older[] = {
		[1] = "(reserved)", [2] = "Local node cache",
		[3] = "DRAM",       [4] = "Remote node cache",
		[5] = "(reserved)", [6] = "(reserved)",
		[7] = "Other",
	};

	if (o->zen4)
		return source < ARRAY_SIZE(zen4) ? zen4[source] : NULL;
	return older[source];
}

static void put_op_data2(const struct ibs_op *o, struct strbuf *b)
{
	u64 v = o->regs[IBS_OP_DATA2];
	unsigned source = ibs_op_source(o);
	bool cache = o->zen4 ? source == 1 || source == 2 || source == 5 : source == 2;
	const char *text = source_text(o, source);

	put_name("ibs_op_data2", v, b);
	strbuf_char(b, ' ');
	if (cache)
		strbuf_str(b,
			   ibs_bits(v, 5, 1) ? "CacheHitSt 1=O-State " : "CacheHitSt 0=M-state ");
	strbuf_f(b, "RmtNode %" PRIu64, ibs_bits(v, 4, 1));
	if (text)
		strbuf_f(b, " DataSrc %u=%s", source, text);
	strbuf_char(b, '\n');
}

static void put_op_data3(const struct ibs_op *o, struct strbuf *b)
{
	/* clang-format off */
	static const struct field first[] = {
		{ "LdOp", 0, 1, 1 }, { "StOp", 1, 1, 1 }, { "DcL1TlbMiss", 2, 1, 1 }, { "DcL2TlbMiss", 3, 1, 1 },
		{ "DcL1TlbHit2M", 4, 1, 1 }, { "DcL1TlbHit1G", 5, 1, 1 }, { "DcL2TlbHit2M", 6, 1, 1 },
		{ "DcMiss", 7, 1, 1 }, { "DcMisAcc", 8, 1, 1 }, { "DcWcMemAcc", 13, 1, 1 },
		{ "DcUcMemAcc", 14, 1, 1 }, { "DcLockedOp", 15, 1, 1 }, { "DcMissNoMabAlloc", 16, 1, 1 },
		{ "DcLinAddrValid", 17, 1, 1 }, { "DcPhyAddrValid", 18, 1, 1 }, { "DcL2TlbHit1G", 19, 1, 1 },
	};
	/* clang-format on */
	static const struct field l2[] = { { "L2Miss", 20, 1, 1 } };
	static const struct field prefetch[] = { { "SwPf", 21, 1, 1 } };
	static const struct field requests[] = { { "OpDcMissOpenMemReqs", 26, 6, 2 } };
	static const struct field rest[] = { { "DcMissLat", 32, 16, 5 },
					     { "TlbRefillLat", 48, 16, 5 } };
	u64 v = o->regs[IBS_OP_DATA3], width = ibs_bits(v, 22, 4);

	put_name("ibs_op_data3", v, b);
	PUT(v, first, b);
	if (!ibs_source_is_void(o))
		PUT(v, l2, b);
	PUT(v, prefetch, b);
	if (width)
		strbuf_f(b, " OpMemWidth %2u bytes", 1U << (width - 1));
	if (!ibs_source_is_void(o))
		PUT(v, requests, b);
	PUT(v, rest, b);
	strbuf_char(b, '\n');
}

static void put_op(const struct ibs_op *o, struct strbuf *b)
{
	u64 data = o->regs[IBS_OP_DATA], data3 = o->regs[IBS_OP_DATA3];

	if (!ibs_bits(o->regs[IBS_OP_CTL], 17, 1) || !ibs_bits(o->regs[IBS_OP_CTL], 18, 1))
		return;
	put_op_ctl(o, b);
	if (!ibs_bits(data, 38, 1))
		put_address("IbsOpRip", o->regs[IBS_OP_RIP], b);
	put_op_data(o, b);
	if (!ibs_source_is_void(o))
		put_op_data2(o, b);
	put_op_data3(o, b);
	if (ibs_bits(data3, 17, 1))
		put_address("IbsDCLinAd", o->regs[IBS_OP_LINEAR], b);
	if (ibs_bits(data3, 18, 1))
		put_address("IbsDCPhysAd", o->regs[IBS_OP_PHYSICAL], b);
	if (ibs_bits(data, 37, 1) && o->regs[IBS_OP_TARGET])
		put_address("IbsBrTarget", o->regs[IBS_OP_TARGET], b);
}

/* ---- fetches ---- */

static void put_page_size(const struct fetch *f, u64 v, struct strbuf *b)
{
	static const char *const sizes[] = { "4KB", "2MB", "1GB", "RESERVED" };
	static const char *const zen3[] = { "4KB", "16KB", "2MB", "1GB" }; /* erratum 1347 */

	if (ibs_bits(v, 52, 1))
		strbuf_f(b, " L1TlbPgSz %s", (f->old_zen3 ? zen3 : sizes)[ibs_bits(v, 53, 2)]);
}

static void put_fetch_ctl(const struct fetch *f, struct strbuf *b)
{
	static const struct field first[] = {
		{ "Lat", 32, 16, 5 }, { "En", 48, 1, 1 }, { "Val", 49, 1, 1 }, { "Comp", 50, 1, 1 }
	};
	static const struct field miss[] = { { "IcMiss", 51, 1, 1 } };
	static const struct field valid[] = { { "PhyAddrValid", 52, 1, 1 } };
	static const struct field rest[] = { { "L1TlbMiss", 55, 1, 1 },
					     { "L2TlbMiss", 56, 1, 1 },
					     { "RandEn", 57, 1, 1 } };
	static const struct field l2[] = { { "L2Miss", 58, 1, 1 } };
	static const struct field l3[] = { { "L3MissOnly", 59, 1, 1 },
					   { "FetchOcMiss", 60, 1, 1 },
					   { "FetchL3Miss", 61, 1, 1 } };
	u64 v = f->regs[FETCH_CTL];

	put_name("ibs_fetch_ctl", v, b);
	strbuf_f(b, " MaxCnt %7" PRIu64 " Cnt %7" PRIu64, ibs_bits(v, 0, 16) << 4,
		 ibs_bits(v, 16, 16) << 4);
	PUT(v, first, b);
	if (!f->old_zen3) /* erratum 1238: meaningless on these models */
		PUT(v, miss, b);
	PUT(v, valid, b);
	put_page_size(f, v, b);
	PUT(v, rest, b);
	if (ibs_bits(v, 50, 1))
		PUT(v, l2, b);
	if (f->zen4)
		PUT(v, l3, b);
	strbuf_char(b, '\n');
}

static void put_fetch(const struct fetch *f, struct strbuf *b)
{
	u64 v = f->regs[FETCH_CTL];

	if (!ibs_bits(v, 48, 1) || !ibs_bits(v, 49, 1))
		return;
	put_fetch_ctl(f, b);
	put_address("IbsFetchLinAd", f->regs[FETCH_LINEAR], b);
	if (ibs_bits(v, 52, 1))
		put_address("IbsFetchPhysAd", f->regs[FETCH_PHYSICAL], b);
	put_name("ic_ibs_ext_ctl", f->regs[FETCH_EXTENDED], b);
	strbuf_f(b, " IbsItlbRefillLat %3" PRIu64 "\n", ibs_bits(f->regs[FETCH_EXTENDED], 0, 16));
}

void dump_ibs(struct data_reader *d, const struct sample *s, struct strbuf *b)
{
	const char *pmu = s->raw_size >= 4 ? data_pmu_name(d, s->event->attr.type) : NULL;
	enum ibs_processor p = ibs_processor_of(data_feature_string(d, FEATURE_CPUID));
	bool swap = data_is_swapped(d);
	struct ibs_op o;

	if (pmu && !strcmp(pmu, "ibs_op")) {
		if (ibs_op_read(&o, p, s->raw, s->raw_size, swap))
			put_op(&o, b);
	} else if (pmu && !strcmp(pmu, "ibs_fetch") && s->raw_size >= 4 + 8 * FETCH_REGISTERS) {
		struct fetch f = { .zen4 = load_u32(s->raw, swap) & IBS_MORE_SOURCES,
				   .old_zen3 = p == IBS_ZEN3_FIRST };

		for (size_t n = 0; n < FETCH_REGISTERS; n++)
			f.regs[n] = load_u64(s->raw + 4 + 8 * n, swap);
		put_fetch(&f, b);
	}
}
