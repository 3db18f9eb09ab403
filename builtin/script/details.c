// SPDX-License-Identifier: GPL-2.0-or-later
/* The wide fields of a sample: registers, branches, BPF output, page sizes. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "builtin/script/internal.h"
#include "event/branch.h"

void script_add_regs(struct script *s, u64 abi, u64 mask, const u8 *regs, struct strbuf *b)
{
	unsigned at = 0;

	if (!regs)
		return;
	strbuf_f(b, " ABI:%" PRIu64 " ", abi);
	for (unsigned reg = 0; reg < 64; reg++) {
		const char *name = arch_reg_name(s->arch, reg);

		if (!(mask >> reg & 1))
			continue;
		strbuf_f(b, "%5s:0x%" PRIx64 " ", name ? name : "unknown",
			 load_u64(regs + 8 * at++, s->set->swap));
	}
}

/* Bits of sample_branch.flags. */
enum {
	BRANCH_MISPREDICTED = 1,
	BRANCH_PREDICTED = 2,
	BRANCH_IN_TX = 4,
	BRANCH_ABORT = 8,
};

static void add_flags(u64 flags, struct strbuf *b)
{
	char outcome = flags & BRANCH_PREDICTED ? 'P' : flags & BRANCH_MISPREDICTED ? 'M' : '-';

	strbuf_char(b, '/');
	strbuf_char(b, outcome);
	strbuf_char(b, '/');
	strbuf_char(b, flags & BRANCH_IN_TX ? 'X' : '-');
	strbuf_char(b, '/');
	strbuf_char(b, flags & BRANCH_ABORT ? 'A' : '-');
	strbuf_char(b, '/');
	strbuf_dec(b, flags >> 4 & 0xffff);
	strbuf_char(b, '/');
	strbuf_str(b, branch_type_name(flags));
	strbuf_char(b, ' ');
}

/* Adds one end of a branch: address, object offset or symbol; then its object. */
static void add_end(struct script *s, const struct event_view *v, const struct session_sample *ss,
		    u64 addr, struct strbuf *b)
{
	bool symbolic = shows(v, SHOW_BRSTACKSYM) && !shows(v, SHOW_BRSTACK);
	bool offset = shows(v, SHOW_BRSTACKOFF) && !shows(v, SHOW_BRSTACK) && !symbolic;
	struct location l = { 0 };

	if (symbolic || offset || shows(v, SHOW_DSO))
		script_locate(s, ss, addr, &l);
	if (symbolic) {
		script_add_symbol(s, &l, true, b);
	} else {
		strbuf_add(b, "0x", 2);
		strbuf_hex(b, offset && l.image ? l.offset : addr);
	}
	if (shows(v, SHOW_DSO)) {
		strbuf_char(b, '(');
		script_add_dso(s, l.image, b);
		strbuf_char(b, ')');
	}
}

void script_add_branches(struct script *s, const struct event_view *v,
			 const struct session_sample *ss, struct strbuf *b)
{
	if (!shows(v, SHOW_BRSTACK) && !shows(v, SHOW_BRSTACKSYM) && !shows(v, SHOW_BRSTACKOFF))
		return;
	for (u64 i = 0; i < ss->sample->branch_count; i++) {
		struct sample_branch branch = sample_branch(s->set, ss->sample, i);

		if (shows(v, SHOW_BRSTACK) || !shows(v, SHOW_BRSTACKSYM))
			strbuf_char(b, ' ');
		add_end(s, v, ss, branch.from, b);
		strbuf_char(b, '/');
		add_end(s, v, ss, branch.to, b);
		add_flags(branch.flags, b);
	}
}

static void add_bpf_line(const u8 *data, u32 at, u32 size, struct strbuf *b)
{
	enum { WIDTH = 8 };

	strbuf_f(b, "%17s %04x:", at ? "" : "BPF output:", at);
	strbuf_hex_line(b, data, at, size, WIDTH);
	strbuf_char(b, '\n');
}

/* Reports whether the data is text followed by zeros up to the end. */
static bool is_text(const u8 *data, u32 size)
{
	size_t n = size ? strnlen((const char *)data, size) : 0; /* data NULL: nothing was output */

	if (!n || n == size)
		return false;
	for (size_t i = 0; i < size; i++)
		if (i < n ? !isprint(data[i]) : data[i])
			return false;
	return true;
}

void script_add_bpf_output(const struct sample *sample, struct strbuf *b)
{
	strbuf_char(b, '\n');
	for (u32 at = 0; at < sample->raw_size; at += 8)
		add_bpf_line(sample->raw, at, sample->raw_size, b);
	if (is_text(sample->raw, sample->raw_size))
		strbuf_f(b, "%17s \"%s\"\n", "BPF string:", (const char *)sample->raw);
}
