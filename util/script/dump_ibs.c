// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Raw data of AMD's Instruction-Based Sampling as text.
 *
 * Raw data: u32 capabilities, then the registers as u64: IbsOpCtl, IbsOpRip, IbsOpData, IbsOpData2,
 * IbsOpData3, IbsDcLinAd, IbsDcPhysAd, IbsBrTarget; of fetches IbsFetchCtl, IbsFetchLinAd,
 * IbsFetchPhysAd, IcIbsExtdCtl.
 * Source: AMD64 Architecture Programmer's Manual volume 2, "Instruction-Based Sampling"; the processor
 * programming references of families 17h and 19h for the fields.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "script/internal.h"

enum { OP_CTL, OP_RIP, OP_DATA, OP_DATA2, OP_DATA3, OP_LINEAR, OP_PHYSICAL, OP_TARGET, OP_REGISTERS };
enum { FETCH_CTL, FETCH_LINEAR, FETCH_PHYSICAL, FETCH_EXTENDED, FETCH_REGISTERS };
#define CAPABILITY_ZEN4 (1U << 11)

struct ibs {
	u64 regs[OP_REGISTERS];
	u32 capabilities;
	/* Zen 3: some fields mean nothing after a miss without a buffer (erratum 1293) */
	bool old_zen3;
};

struct field {
	const char *name;
	u8 at, bits, width; /* width: of the number as text */
};

static u64 bits(u64 v, unsigned at, unsigned n)
{
	return v >> at & (BIT64(n) - 1);
}

static void put_fields(u64 v, const struct field *fields, size_t n, struct strbuf *b)
{
	for (size_t i = 0; i < n; i++)
		strbuf_f(b, " %s %*" PRIu64, fields[i].name, fields[i].width, bits(v, fields[i].at, fields[i].bits));
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

static void put_op_ctl(const struct ibs *i, struct strbuf *b)
{
	static const struct field only[] = { { "L3MissOnly", 16, 1, 1 } };
	static const struct field rest[] = { { "En", 17, 1, 1 }, { "Val", 18, 1, 1 }, { "CntCtl", 19, 1, 1 } };
	u64 v = i->regs[OP_CTL], most = (bits(v, 20, 7) << 16 | bits(v, 0, 16)) << 4;

	put_name("ibs_op_ctl", v, b);
	strbuf_f(b, " MaxCnt %9" PRIu64, most);
	if (i->capabilities & CAPABILITY_ZEN4)
		PUT(v, only, b);
	PUT(v, rest, b);
	strbuf_f(b, "=%s CurCnt %9" PRIu64 "\n", bits(v, 19, 1) ? "uOps" : "cycles", bits(v, 32, 27));
}

static void put_op_data(const struct ibs *i, struct strbuf *b)
{
	static const struct field first[] = { { "CompToRetCtr", 0, 16, 5 }, { "TagToRetCtr", 16, 16, 5 } };
	static const struct field branch[] = { { "OpReturn", 34, 1, 1 }, { "OpBrnTaken", 35, 1, 1 },
					       { "OpBrnMisp", 36, 1, 1 } };
	static const struct field rest[] = { { "BrnRet", 37, 1, 1 }, { " RipInvalid", 38, 1, 1 },
					     { "BrnFuse", 39, 1, 1 }, { "Microcode", 40, 1, 1 } };
	u64 v = i->regs[OP_DATA];

	put_name("ibs_op_data", v, b);
	PUT(v, first, b);
	if (bits(v, 37, 1))
		PUT(v, branch, b);
	PUT(v, rest, b);
	strbuf_char(b, '\n');
}

/* What answered a miss, in the manual's words; NULL for reserved values. */
static const char *source_text(const struct ibs *i, unsigned source)
{
	static const char *const zen4[] = {
		[1] = "Local L3 or other L1/L2 in CCX", [2] = "A peer cache in a near CCX",
		[3] = "Data returned from DRAM", [4] = "(reserved)", [5] = "A peer cache in a far CCX",
		[6] = "DRAM address map with \"long latency\" bit set",
		[7] = "Data returned from MMIO/Config/PCI/APIC", [8] = "Extension Memory (S-Link, GenZ, etc)",
		[9] = "(reserved)", [10] = "(reserved)", [11] = "(reserved)", [12] = "Peer Agent Memory",
	};
	static const char *const older[] = {
		[1] = "(reserved)", [2] = "Local node cache", [3] = "DRAM", [4] = "Remote node cache",
		[5] = "(reserved)", [6] = "(reserved)", [7] = "Other",
	};

	if (i->capabilities & CAPABILITY_ZEN4)
		return source < ARRAY_SIZE(zen4) ? zen4[source] : NULL;
	return older[source];
}

static void put_op_data2(const struct ibs *i, struct strbuf *b)
{
	bool zen4 = i->capabilities & CAPABILITY_ZEN4;
	u64 v = i->regs[OP_DATA2];
	unsigned source = (unsigned)(bits(v, 0, 3) | (zen4 ? bits(v, 6, 2) << 3 : 0));
	bool cache = zen4 ? source == 1 || source == 2 || source == 5 : source == 2;
	const char *text = source_text(i, source);

	put_name("ibs_op_data2", v, b);
	strbuf_char(b, ' ');
	if (cache)
		strbuf_str(b, bits(v, 5, 1) ? "CacheHitSt 1=O-State " : "CacheHitSt 0=M-state ");
	strbuf_f(b, "RmtNode %" PRIu64, bits(v, 4, 1));
	if (text)
		strbuf_f(b, " DataSrc %u=%s", source, text);
	strbuf_char(b, '\n');
}

/* A miss without a buffer, or a software prefetch, on a processor that sets no data source then. */
static bool no_source(const struct ibs *i)
{
	return i->old_zen3 && (bits(i->regs[OP_DATA3], 16, 1) || bits(i->regs[OP_DATA3], 21, 1));
}

static void put_op_data3(const struct ibs *i, struct strbuf *b)
{
	static const struct field first[] = {
		{ "LdOp", 0, 1, 1 }, { "StOp", 1, 1, 1 }, { "DcL1TlbMiss", 2, 1, 1 }, { "DcL2TlbMiss", 3, 1, 1 },
		{ "DcL1TlbHit2M", 4, 1, 1 }, { "DcL1TlbHit1G", 5, 1, 1 }, { "DcL2TlbHit2M", 6, 1, 1 },
		{ "DcMiss", 7, 1, 1 }, { "DcMisAcc", 8, 1, 1 }, { "DcWcMemAcc", 13, 1, 1 },
		{ "DcUcMemAcc", 14, 1, 1 }, { "DcLockedOp", 15, 1, 1 }, { "DcMissNoMabAlloc", 16, 1, 1 },
		{ "DcLinAddrValid", 17, 1, 1 }, { "DcPhyAddrValid", 18, 1, 1 }, { "DcL2TlbHit1G", 19, 1, 1 },
	};
	static const struct field l2[] = { { "L2Miss", 20, 1, 1 } };
	static const struct field prefetch[] = { { "SwPf", 21, 1, 1 } };
	static const struct field requests[] = { { "OpDcMissOpenMemReqs", 26, 6, 2 } };
	static const struct field rest[] = { { "DcMissLat", 32, 16, 5 }, { "TlbRefillLat", 48, 16, 5 } };
	u64 v = i->regs[OP_DATA3], width = bits(v, 22, 4);

	put_name("ibs_op_data3", v, b);
	PUT(v, first, b);
	if (!no_source(i))
		PUT(v, l2, b);
	PUT(v, prefetch, b);
	if (width)
		strbuf_f(b, " OpMemWidth %2u bytes", 1U << (width - 1));
	if (!no_source(i))
		PUT(v, requests, b);
	PUT(v, rest, b);
	strbuf_char(b, '\n');
}

static void put_op(const struct ibs *i, struct strbuf *b)
{
	u64 data = i->regs[OP_DATA], data3 = i->regs[OP_DATA3];

	if (!bits(i->regs[OP_CTL], 17, 1) || !bits(i->regs[OP_CTL], 18, 1))
		return;
	put_op_ctl(i, b);
	if (!bits(data, 38, 1))
		put_address("IbsOpRip", i->regs[OP_RIP], b);
	put_op_data(i, b);
	if (!no_source(i))
		put_op_data2(i, b);
	put_op_data3(i, b);
	if (bits(data3, 17, 1))
		put_address("IbsDCLinAd", i->regs[OP_LINEAR], b);
	if (bits(data3, 18, 1))
		put_address("IbsDCPhysAd", i->regs[OP_PHYSICAL], b);
	if (bits(data, 37, 1) && i->regs[OP_TARGET])
		put_address("IbsBrTarget", i->regs[OP_TARGET], b);
}

/* ---- fetches ---- */

static void put_page_size(const struct ibs *i, u64 v, struct strbuf *b)
{
	static const char *const sizes[] = { "4KB", "2MB", "1GB", "RESERVED" };
	static const char *const zen3[] = { "4KB", "16KB", "2MB", "1GB" }; /* erratum 1347 */

	if (bits(v, 52, 1))
		strbuf_f(b, " L1TlbPgSz %s", (i->old_zen3 ? zen3 : sizes)[bits(v, 53, 2)]);
}

static void put_fetch_ctl(const struct ibs *i, struct strbuf *b)
{
	static const struct field first[] = { { "Lat", 32, 16, 5 }, { "En", 48, 1, 1 }, { "Val", 49, 1, 1 },
					      { "Comp", 50, 1, 1 } };
	static const struct field miss[] = { { "IcMiss", 51, 1, 1 } };
	static const struct field valid[] = { { "PhyAddrValid", 52, 1, 1 } };
	static const struct field rest[] = { { "L1TlbMiss", 55, 1, 1 }, { "L2TlbMiss", 56, 1, 1 },
					     { "RandEn", 57, 1, 1 } };
	static const struct field l2[] = { { "L2Miss", 58, 1, 1 } };
	static const struct field l3[] = { { "L3MissOnly", 59, 1, 1 }, { "FetchOcMiss", 60, 1, 1 },
					   { "FetchL3Miss", 61, 1, 1 } };
	u64 v = i->regs[FETCH_CTL];

	put_name("ibs_fetch_ctl", v, b);
	strbuf_f(b, " MaxCnt %7" PRIu64 " Cnt %7" PRIu64, bits(v, 0, 16) << 4, bits(v, 16, 16) << 4);
	PUT(v, first, b);
	if (!i->old_zen3) /* erratum 1238: it means nothing there */
		PUT(v, miss, b);
	PUT(v, valid, b);
	put_page_size(i, v, b);
	PUT(v, rest, b);
	if (bits(v, 50, 1))
		PUT(v, l2, b);
	if (i->capabilities & CAPABILITY_ZEN4)
		PUT(v, l3, b);
	strbuf_char(b, '\n');
}

static void put_fetch(const struct ibs *i, struct strbuf *b)
{
	u64 v = i->regs[FETCH_CTL];

	if (!bits(v, 48, 1) || !bits(v, 49, 1))
		return;
	put_fetch_ctl(i, b);
	put_address("IbsFetchLinAd", i->regs[FETCH_LINEAR], b);
	if (bits(v, 52, 1))
		put_address("IbsFetchPhysAd", i->regs[FETCH_PHYSICAL], b);
	put_name("ic_ibs_ext_ctl", i->regs[FETCH_EXTENDED], b);
	strbuf_f(b, " IbsItlbRefillLat %3" PRIu64 "\n", bits(i->regs[FETCH_EXTENDED], 0, 16));
}

static bool is_old_zen3(struct data_reader *d)
{
	const char *cpuid = data_feature_string(d, FEATURE_CPUID);
	unsigned family, model;

	return cpuid && sscanf(cpuid, "AuthenticAMD,%u,%u", &family, &model) == 2 && family == 0x19 && model < 0x10;
}

void dump_ibs(struct data_reader *d, const struct sample *s, struct strbuf *b)
{
	const char *pmu = s->raw_size >= 4 ? data_pmu_name(d, s->event->attr.type) : NULL;
	bool op = pmu && !strcmp(pmu, "ibs_op"), fetch = pmu && !strcmp(pmu, "ibs_fetch"), swap = data_is_swapped(d);
	size_t count = op ? OP_REGISTERS : FETCH_REGISTERS;
	struct ibs i = { .capabilities = 0 };

	/* the branch target is there where the processor has it */
	if ((!op && !fetch) || s->raw_size < 4 + 8 * (count - op))
		return;
	i.capabilities = load_u32(s->raw, swap);
	i.old_zen3 = is_old_zen3(d);
	for (size_t n = 0; n < count && 4 + 8 * (n + 1) <= s->raw_size; n++)
		i.regs[n] = load_u64(s->raw + 4 + 8 * n, swap);
	if (op)
		put_op(&i, b);
	else
		put_fetch(&i, b);
}
