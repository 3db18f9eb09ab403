// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Samples that decoders of Intel PT synthesize: PTWRITE values of the program, power states,
 * frequencies, events.  attr.config says which; the raw data are little-endian.
 */
#include "builtin/script/internal.h"

enum synth_id {
	SYNTH_PTWRITE,
	SYNTH_MWAIT,
	SYNTH_PWRE,
	SYNTH_EXSTOP,
	SYNTH_PWRX,
	SYNTH_CBR,
	SYNTH_PSB,
	SYNTH_EVENT,
	SYNTH_INTERRUPT_FLAG,
};

static u32 le32(const struct sample *s, u32 at)
{
	const u8 *p = (const u8 *)s->raw + at;

	return p[0] | (u32)p[1] << 8 | (u32)p[2] << 16 | (u32)p[3] << 24;
}

static u64 le64(const struct sample *s, u32 at)
{
	return le32(s, at) | (u64)le32(s, at + 4) << 32;
}

static void add_ptwrite(const struct sample *s, struct strbuf *b)
{
	strbuf_f(b, " IP: %u payload: %#" PRIx64 " ", le32(s, 0) & 1, le64(s, 4));
}

static void add_mwait(const struct sample *s, struct strbuf *b)
{
	u64 payload = le64(s, 4);

	strbuf_f(b, " hints: %#x extensions: %#x ", (unsigned)(payload & 0xff),
		 (unsigned)(payload >> 32 & 3));
}

static void add_pwre(const struct sample *s, struct strbuf *b)
{
	u64 payload = le64(s, 4);

	strbuf_f(b, " hw: %u cstate: %u sub-cstate: %u ", (unsigned)(payload >> 7 & 1),
		 (unsigned)(payload >> 12 & 15), (unsigned)(payload >> 8 & 15));
}

static void add_exstop(const struct sample *s, struct strbuf *b)
{
	strbuf_f(b, " IP: %u ", le32(s, 0) & 1);
}

static void add_pwrx(const struct sample *s, struct strbuf *b)
{
	u64 payload = le64(s, 4);

	strbuf_f(b, " deepest cstate: %u last cstate: %u wake reason: %#x ",
		 (unsigned)(payload & 15), (unsigned)(payload >> 4 & 15),
		 (unsigned)(payload >> 8 & 15));
}

/* Adds the core-to-bus clock ratio, the frequency, and its percentage of the nominal one. */
static void add_cbr(const struct sample *s, struct strbuf *b)
{
	u32 ratios = le32(s, 0), cbr = ratios & 0xff, nominal = ratios >> 16 & 0xff;

	strbuf_f(b, " cbr: %2u freq: %4u MHz ", cbr, (le32(s, 4) + 500) / 1000); /* from kHz */
	if (nominal)
		strbuf_f(b, "(%3u%%) ", (5 + 1000 * cbr / nominal) / 10);
}

static void add_psb(const struct sample *s, struct strbuf *b)
{
	strbuf_f(b, " psb offs: %#" PRIx64 " ", le64(s, 4));
}

/* Adds an asynchronous event and its data. */
static void add_event(const struct sample *s, struct strbuf *b)
{
	static const char *const types[32] = {
		[1] = "INTR",        [2] = "IRET",      [3] = "SMI",     [4] = "RSM",
		[5] = "SIPI",        [6] = "INIT",      [7] = "VMENTRY", [8] = "VMEXIT",
		[9] = "VMEXIT_INTR", [10] = "SHUTDOWN",
	};
	static const char *const values[64] = { [0] = "PFA", [1] = "VMXQ", [2] = "VMXR" };
	u32 head = le32(s, 0), type = head & 31, count = head >> 16;

	strbuf_f(b, " cfe: %s IP: %u vector: %u", types[type] ? types[type] : "?", head >> 7 & 1,
		 head >> 8 & 0xff);
	for (u32 i = 0; i < count && 4 + 16 * (i + 1) <= s->raw_size; i++) {
		const char *name = values[le32(s, 4 + 16 * i) & 63];

		strbuf_f(b, " %s: %#" PRIx64, name ? name : "?", le64(s, 12 + 16 * i));
	}
}

static void add_interrupt_flag(const struct sample *s, struct strbuf *b)
{
	u32 flags = le32(s, 0), now = flags & 1;

	strbuf_f(b, " IFLAG: %u->%u %s branch ", !now, now, flags & 2 ? "via" : "non");
}

void script_add_synth(const struct event *ev, const struct sample *s, struct strbuf *b)
{
	static const struct {
		u32 size; /* the least size of the raw data */
		void (*add)(const struct sample *s, struct strbuf *b);
	} kinds[] = {
		[SYNTH_PTWRITE] = { 12, add_ptwrite },
		[SYNTH_MWAIT] = { 12, add_mwait },
		[SYNTH_PWRE] = { 12, add_pwre },
		[SYNTH_EXSTOP] = { 4, add_exstop },
		[SYNTH_PWRX] = { 12, add_pwrx },
		[SYNTH_CBR] = { 8, add_cbr },
		[SYNTH_PSB] = { 12, add_psb },
		[SYNTH_EVENT] = { 4, add_event },
		[SYNTH_INTERRUPT_FLAG] = { 12, add_interrupt_flag },
	};
	enum { WIDTH = 34 };
	u64 id = ev->attr.config;
	size_t start = b->len;

	if (id >= ARRAY_SIZE(kinds) || !s->raw || s->raw_size < kinds[id].size)
		return;
	kinds[id].add(s, b);
	strbuf_pad(b, ' ', WIDTH - (int)(b->len - start));
}
