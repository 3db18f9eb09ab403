// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The raw dump of -D: a record's position, its bytes, and what they mean.
 *
 *	0x278@perf.data [0x28]: event: 3
 *	.
 *	. ... raw event: size 40 bytes
 *	.  0000:  03 00 00 00 00 20 28 00 a0 5e 00 00 a0 5e 00 00  ..... (..^...^..
 *
 *	3366609658137 0x278 [0x28]: PERF_RECORD_COMM exec: w:24224/24224
 */
#include <ctype.h>
#include <string.h>

#include "arch/arch.h"
#include "base/bytes.h"
#include "base/text.h"
#include "dump/internal.h"
#include "dump/record_text.h"
#include "event/branch.h"
#include "event/data_src.h"

enum { WIDTH = 16 };

static void dump_line(const u8 *data, u32 at, u32 size, struct strbuf *b)
{
	strbuf_f(b, ".  %04x: ", at);
	strbuf_hex_line(b, data, at, size, WIDTH);
	strbuf_char(b, '\n');
}

static void dump_bytes(const struct record *rec, const char *path, struct strbuf *b)
{
	strbuf_f(b, "\n%#" PRIx64 "@%s [%#x]: event: %u\n.\n. ... raw event: size %u bytes\n",
		 rec->file_offset, path, rec->size, rec->type, rec->size);
	for (u32 at = 0; at < rec->size; at += WIDTH)
		dump_line(rec->data, at, rec->size, b);
	strbuf_char(b, '\n');
}

/* Appends cpu and time if the events record them. */
static void dump_stamp(const struct event_set *set, const struct record *rec,
		       const struct sample_id *id, struct strbuf *b)
{
	bool all = set->list.count && (set->list.items[0]->attr.flags & ATTR_SAMPLE_ID_ALL);

	if (rec->type != PERF_RECORD_SAMPLE && !all) {
		strbuf_str(b, "-1 -1 ");
		return;
	}
	if (set->sample_type_any & PERF_SAMPLE_CPU)
		strbuf_f(b, "%u ", id->cpu);
	if (set->sample_type_any & PERF_SAMPLE_TIME)
		strbuf_f(b, "%" PRIu64 " ", id->time);
}

static void dump_chain(const struct event_set *set, const struct sample *s, struct strbuf *b)
{
	strbuf_f(b, "... %s chain: nr:%" PRIu64 "\n",
		 s->event->attr.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK ? "LBR" : "FP",
		 s->chain_count);
	for (u64 i = 0; i < s->chain_count; i++)
		strbuf_f(b, "..... %2" PRIu64 ": %016" PRIx64 "\n", i,
			 load_u64(s->chain + i * 8, set->swap));
}

static void dump_branches(const struct event_set *set, const struct sample *s, struct strbuf *b)
{
	bool stack = s->event->attr.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK;

	strbuf_f(b, "%s: nr:%" PRIu64 "\n", stack ? "... branch callstack" : "... branch stack",
		 stack ? s->branch_count + 1 : s->branch_count);
	for (u64 i = 0; i < s->branch_count; i++) {
		struct sample_branch e = sample_branch(set, s, i);

		if (stack) {
			if (!i)
				strbuf_f(b, "..... %2d: %016" PRIx64 "\n", 0, e.to);
			strbuf_f(b, "..... %2" PRIu64 ": %016" PRIx64 "\n", i + 1, e.from);
			continue;
		}
		strbuf_f(b,
			 "..... %2" PRIu64 ": %016" PRIx64 " -> %016" PRIx64
			 " %hu cycles %s%s%s%s %x %s\n",
			 i, e.from, e.to, (unsigned short)(e.flags >> 4 & 0xffff),
			 e.flags & 1 ? "M" : " ", e.flags & 2 ? "P" : " ", e.flags & 8 ? "A" : " ",
			 e.flags & 4 ? "T" : " ", (unsigned)(e.flags >> 33),
			 branch_type_name(e.flags));
	}
}

/*
 * Returns a register's name. Registers of a 32-bit task have other names; the mask may contain more
 * than it has.
 */
static const char *reg_name(const struct arch *arch, u64 abi, unsigned reg)
{
	const char *name = NULL;

	if (abi == PERF_SAMPLE_REGS_ABI_32 && arch->compat)
		name = arch_reg_name(arch->compat, reg);
	if (!name)
		name = arch_reg_name(arch, reg);
	return name ? name : "unknown";
}

static void dump_regs(const struct event_set *set, const struct arch *arch, const char *what,
		      u64 abi, u64 mask, const u8 *regs, struct strbuf *b)
{
	unsigned at = 0;

	if (!regs)
		return;
	strbuf_f(b, "... %s regs: mask 0x%" PRIx64 " ABI %s\n", what, mask,
		 abi == PERF_SAMPLE_REGS_ABI_32   ? "32-bit"
		 : abi == PERF_SAMPLE_REGS_ABI_64 ? "64-bit"
						  : "none");
	for (unsigned reg = 0; reg < 64; reg++)
		if (mask >> reg & 1)
			strbuf_f(b, ".... %-5s 0x%016" PRIx64 "\n", reg_name(arch, abi, reg),
				 load_u64(regs + 8 * at++, set->swap));
}

static void dump_read(const struct event_set *set, const struct sample *s, struct strbuf *b)
{
	bool group = s->read_format & PERF_FORMAT_GROUP;

	strbuf_str(b, "... sample_read:\n");
	if (s->read_format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		strbuf_f(b, "...... time enabled %016" PRIx64 "\n", s->time_enabled);
	if (s->read_format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		strbuf_f(b, "...... time running %016" PRIx64 "\n", s->time_running);
	if (group)
		strbuf_f(b, ".... group nr %" PRIu64 "\n", s->read_count);
	for (u64 i = 0; i < s->read_count; i++) {
		struct sample_read_value v = sample_read(set, s, i);

		strbuf_f(b, "..... id %016" PRIx64 ", value %016" PRIx64, v.id, v.value);
		if (s->read_format & PERF_FORMAT_LOST)
			strbuf_f(b, ", lost %" PRIu64, v.lost);
		strbuf_char(b, '\n');
	}
}

static void dump_memory(const struct sample *s, u64 type, struct strbuf *b)
{
	char name[32];

	if (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT)) {
		strbuf_f(b, "... weight: %" PRIu64, s->weight);
		if (type & PERF_SAMPLE_WEIGHT_STRUCT)
			strbuf_f(b, ",0x%x,0x%x", s->ins_lat, s->p_stage_cyc);
		strbuf_char(b, '\n');
	}
	if (type & PERF_SAMPLE_DATA_SRC)
		strbuf_f(b, " . data_src: 0x%" PRIx64 "\n", s->data_src);
	if (type & PERF_SAMPLE_PHYS_ADDR)
		strbuf_f(b, " .. phys_addr: 0x%" PRIx64 "\n", s->phys_addr);
	if (type & PERF_SAMPLE_DATA_PAGE_SIZE)
		strbuf_f(b, " .. data page size: %s\n", page_size_name(s->data_page_size, name));
	if (type & PERF_SAMPLE_CODE_PAGE_SIZE)
		strbuf_f(b, " .. code page size: %s\n", page_size_name(s->code_page_size, name));
	if (type & PERF_SAMPLE_TRANSACTION)
		strbuf_f(b, "... transaction: %" PRIx64 "\n", s->transaction);
}

static void dump_sample(const struct event_set *set, const struct arch *arch,
			const struct record *rec, struct strbuf *b)
{
	struct sample s;
	u64 type;

	if (sample_decode(set, rec, &s, NULL)) {
		strbuf_str(b, "PERF_RECORD_SAMPLE: cannot be decoded\n");
		return;
	}
	type = s.event->attr.sample_type;
	strbuf_f(b,
		 "PERF_RECORD_SAMPLE(IP, 0x%x): %d/%d: %#" PRIx64 " period: %" PRIu64
		 " addr: %#" PRIx64 "\n",
		 rec->misc, (s32)s.id.pid, (s32)s.id.tid, s.ip, s.period, s.addr);
	if (type & PERF_SAMPLE_CALLCHAIN)
		dump_chain(set, &s, b);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		dump_branches(set, &s, b);
	if (type & PERF_SAMPLE_REGS_USER)
		dump_regs(set, arch, "user", s.user_abi, s.event->attr.sample_regs_user,
			  s.user_regs, b);
	if (type & PERF_SAMPLE_REGS_INTR)
		dump_regs(set, arch, "intr", s.intr_abi, s.event->attr.sample_regs_intr,
			  s.intr_regs, b);
	if (type & PERF_SAMPLE_STACK_USER)
		strbuf_f(b, "... ustack: size %" PRIu64 ", offset 0x%x\n", s.stack_dyn_size,
			 s.stack ? (unsigned)(s.stack - rec->data) : 0);
	dump_memory(&s, type, b);
	if (type & PERF_SAMPLE_READ)
		dump_read(set, &s, b);
}

void record_dump(struct session *s, const struct record *rec, struct strbuf *b)
{
	const struct event_set *set = session_events(s);
	struct sample_id id = { 0 };
	struct sample sample;

	dump_bytes(rec, data_path(session_data(s)), b);
	if (rec->type == PERF_RECORD_SAMPLE) {
		if (!sample_decode(set, rec, &sample, NULL)) {
			id = sample.id;
			dump_ibs(session_data(s), &sample, b);
		}
	} else if (rec->type < PERF_RECORD_USER_START &&
		   record_sample_id(set, rec, &id, NULL, NULL)) {
		id = (struct sample_id){ 0 };
	}
	dump_stamp(set, rec, &id, b);
	strbuf_f(b, "%#" PRIx64 " [%#x]: ", rec->file_offset, rec->size);
	if (rec->type == PERF_RECORD_SAMPLE)
		dump_sample(set, data_arch(session_data(s)), rec, b);
	else if (rec->type < PERF_RECORD_USER_START)
		record_text(set, rec, b);
	else
		dump_user_record(set, rec, b);
}

void record_dump_resolved(struct session *s, const struct session_sample *ss, struct strbuf *b)
{
	const struct image *im = image_get(session_images(s), ss->leaf.image);

	strbuf_str(b, " ... thread: ");
	strbuf_printable(b, history_comm_text(session_history(s), ss->comm));
	strbuf_f(b, ":%d\n ...... dso: ", (s32)ss->sample->id.tid);
	if (ss->leaf.image)
		strbuf_printable(b, image_script_name(im));
	else
		strbuf_str(b, "<not found>");
	strbuf_char(b, '\n');
}
