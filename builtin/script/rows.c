// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Samples for other programs: --json, an object for each line, and --tsv, columns with a
 * head.  Keys and columns are the names of fields; their order never changes.
 *
 * Addresses, masks and other 64-bit numbers that are not amounts are strings such as "0x1f"; all
 * other numbers are decimal, times in ns.  In TSV a tab, line feed, carriage return or backslash in
 * a string is written as \t, \n, \r or \\, and a field that a sample lacks is empty.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/json.h"
#include "builtin/script/row_text.h"
#include "event/branch.h"

/* ---- cells ---- */

/*
 * Begins a cell; true if its value is to be written.  is_there: the sample has the field; if not,
 * TSV gets an empty cell.
 */
static bool cell(struct row *r, const char *name, u64 column, bool is_there)
{
	if (r->tsv ? !(r->s->columns & column) : !is_there)
		return false;
	if (r->any)
		strbuf_char(r->b, r->tsv ? '\t' : ',');
	r->any = true;
	if (!r->tsv) {
		json_text(r->b, name);
		strbuf_char(r->b, ':');
	}
	return is_there;
}

static bool field(struct row *r, const char *name, enum script_field f)
{
	return cell(r, name, BIT64(f), shows(r->v, f));
}

static void text_cell(struct row *r, const char *name, enum script_field f, const char *text)
{
	if (field(r, name, f))
		row_text(r, name, text);
}

static void dec_cell(struct row *r, const char *name, enum script_field f, u64 v, bool known)
{
	if (cell(r, name, BIT64(f), shows(r->v, f) && known))
		strbuf_dec(r->b, v);
}

static void hex_cell(struct row *r, const char *name, enum script_field f, u64 v)
{
	if (field(r, name, f))
		row_hex(r, v);
}

/* ---- places ---- */

static unsigned row_parts(const struct row *r)
{
	bool lines =
		r->tsv ? (r->s->columns & BIT64(SHOW_SRCLINE)) != 0 : shows(r->v, SHOW_SRCLINE);

	return LINE_SYM | (r->tsv ? LINE_TSV : LINE_JSON) | (lines ? LINE_SRCLINE : 0);
}

static void place_cells(struct row *r, const struct session_sample *ss)
{
	struct script *s = r->s;
	bool is_there = shows(r->v, SHOW_IP);

	if (r->tsv ? !(s->columns & BIT64(SHOW_IP)) : !is_there)
		return;
	if (r->any)
		strbuf_char(r->b, r->tsv ? '\t' : ',');
	r->any = true;
	if (is_there)
		script_add_frame(s, script_lines(s, row_parts(r)),
				 script_frame_of(s, ss->sample->ip, ss->sample->cpumode, &ss->leaf),
				 r->b);
	else
		strbuf_str(r->b, s->columns & BIT64(SHOW_SRCLINE) ? "\t\t\t\t\t" : "\t\t\t\t");
}

/* Adds the kind of branch, how many calls led to it, and the function that it calls or leaves. */
static void call_cells(struct row *r, const struct session_sample *ss)
{
	bool known = r->v->is_bts && r->s->calls && script_call_kind(r->s);
	const char *function =
		known && shows(r->v, SHOW_CALLINDENT) ? script_call_function(r->s, ss) : NULL;

	if (cell(r, "flags", BIT64(SHOW_FLAGS), shows(r->v, SHOW_FLAGS) && known))
		row_text(r, "flags", branch_kind_name(script_call_kind(r->s)));
	dec_cell(r, "callindent", SHOW_CALLINDENT, known ? script_call_depth(r->s) : 0, known);
	if (cell(r, "function", BIT64(SHOW_CALLINDENT), function != NULL))
		row_text(r, "function", function);
}

static void chain_cell(struct row *r, const struct session_sample *ss)
{
	bool is_there = r->v->has_chain && shows(r->v, SHOW_IP);
	size_t start;

	if (!cell(r, "callchain", ROW_CHAIN, is_there))
		return;
	start = r->b->len;
	script_add_chain(r->s, ss,
			 script_lines(r->s, row_parts(r) | LINE_CHAIN |
						    (r->v->chain_lines->parts & LINE_INLINES)),
			 r->b);
	/* each frame begins with a separator; the first one becomes the bracket */
	if (r->tsv) {
		if (r->b->len > start) {
			memmove(r->b->s + start, r->b->s + start + 1, r->b->len - start - 1);
			strbuf_truncate(r->b, r->b->len - 1);
		}
		return;
	}
	if (r->b->len > start)
		r->b->s[start] = '[';
	else
		strbuf_char(r->b, '[');
	strbuf_char(r->b, ']');
}

static void addr_cells(struct row *r, const struct session_sample *ss)
{
	struct location l = { 0 };
	const struct symbol *sym = NULL;
	u64 addr = ss->sample->addr;

	hex_cell(r, "addr", SHOW_ADDR, addr);
	if (!r->v->addr_has_symbol || r->tsv || !shows(r->v, SHOW_ADDR))
		return;
	script_locate(r->s, ss, addr, &l);
	sym = script_symbol_at(r->s, l.image, l.offset);
	if (sym && cell(r, "addr_sym", 0, true))
		row_text(r, "addr_sym", sym->name);
	if (sym && cell(r, "addr_symoff", 0, true))
		strbuf_dec(r->b, l.offset - sym->start);
	if (l.image && cell(r, "addr_dso", 0, true)) {
		struct strbuf dso = STRBUF_INIT;

		script_add_dso(r->s, l.image, &dso);
		row_text(r, "addr_dso", strbuf_cstr(&dso));
		strbuf_release(&dso);
	}
}

/* ---- what has parts ---- */

static void branch_cell(struct row *r, const struct session_sample *ss)
{
	const struct sample *sample = ss->sample;
	bool wanted = shows(r->v, SHOW_BRSTACK) || shows(r->v, SHOW_BRSTACKSYM) ||
		      shows(r->v, SHOW_BRSTACKOFF);

	if (!cell(r, "brstack", ROW_BRANCHES, wanted && sample->branch_count))
		return;
	strbuf_str(r->b, r->tsv ? "" : "[");
	for (u64 i = 0; i < sample->branch_count; i++) {
		struct sample_branch br = sample_branch(r->s->set, sample, i);
		u64 cycles = br.flags >> 4 & 0xffff;

		if (r->tsv) {
			strbuf_f(r->b, "%s0x%" PRIx64 "/0x%" PRIx64 "/%s/%" PRIu64, i ? ";" : "",
				 br.from, br.to,
				 br.flags & 2   ? "P"
				 : br.flags & 1 ? "M"
						: "-",
				 cycles);
			continue;
		}
		strbuf_f(r->b, "%s{\"from\":\"0x%" PRIx64 "\",\"to\":\"0x%" PRIx64 "\"",
			 i ? "," : "", br.from, br.to);
		if (br.flags & 3)
			strbuf_f(r->b, ",\"predicted\":%s", br.flags & 2 ? "true" : "false");
		strbuf_str(r->b, br.flags & 4 ? ",\"in_tx\":true" : "");
		strbuf_str(r->b, br.flags & 8 ? ",\"abort\":true" : "");
		if (cycles)
			strbuf_f(r->b, ",\"cycles\":%" PRIu64, cycles);
		if (*branch_type_name(br.flags))
			strbuf_f(r->b, ",\"type\":\"%s\"", branch_type_name(br.flags));
		strbuf_char(r->b, '}');
	}
	strbuf_str(r->b, r->tsv ? "" : "]");
}

static void reg_cell(struct row *r, const char *name, enum script_field f, u64 mask, const u8 *regs)
{
	unsigned at = 0;

	if (!cell(r, name, BIT64(f), shows(r->v, f) && regs))
		return;
	strbuf_str(r->b, r->tsv ? "" : "{");
	for (unsigned reg = 0; reg < 64; reg++) {
		const char *known = arch_reg_name(r->s->arch, reg);

		if (!(mask >> reg & 1))
			continue;
		if (known)
			strbuf_f(r->b, r->tsv ? "%s%s=" : "%s\"%s\":", at ? r->tsv ? " " : "," : "",
				 known);
		else
			strbuf_f(r->b,
				 r->tsv ? "%sr%u=" : "%s\"r%u\":", at ? r->tsv ? " " : "," : "",
				 reg);
		row_hex(r, load_u64(regs + 8 * at++, r->s->set->swap));
	}
	strbuf_str(r->b, r->tsv ? "" : "}");
}

/*
 * Adds a field's value. lost receives the members of "fields_bytes", for texts that are not UTF-8.
 */
static void add_field_value(struct row *r, const struct tracepoint_formats *formats,
			    const struct tracepoint_field *f, const struct sample *sample,
			    struct strbuf *lost)
{
	u64 value;
	u32 len;
	const char *bytes;

	if (!(f->flags & (FIELD_STRING | FIELD_ARRAY | FIELD_DYNAMIC)) &&
	    tracepoint_get_int(formats, f, sample->raw, sample->raw_size, &value)) {
		if (f->flags & FIELD_POINTER)
			row_hex(r, value);
		else if (f->flags & FIELD_SIGNED)
			strbuf_f(r->b, "%" PRId64, (s64)value);
		else
			strbuf_dec(r->b, value);
		return;
	}
	bytes = tracepoint_get_bytes(formats, f, sample->raw, sample->raw_size, &len);
	if (!bytes) {
		strbuf_str(r->b, "null");
	} else if (f->flags & FIELD_STRING) {
		char *copy = xstrndup(bytes, len);

		if (!json_text(r->b, copy)) {
			strbuf_f(lost, "%s\"%s\":", lost->len ? "," : "", f->name);
			json_bytes(lost, copy, strlen(copy));
		}
		free(copy);
	} else { /* bytes, unchanged */
		json_bytes(r->b, bytes, len);
	}
}

/* Adds a tracepoint's text and, in JSON, the value of each field. */
static void trace_cells(struct row *r, const struct session_sample *ss)
{
	const struct sample *sample = ss->sample;
	bool has = shows(r->v, SHOW_TRACE) && sample->raw && event_is_tracepoint(r->v->event);
	const struct tracepoint_formats *formats;
	const struct tracepoint_format *format;
	struct strbuf text = STRBUF_INIT, lost = STRBUF_INIT;
	bool first = true;

	if (cell(r, "trace", BIT64(SHOW_TRACE), has)) {
		script_add_trace(r->s, ss, r->v, &text);
		row_text(r, "trace", strbuf_cstr(&text));
	}
	strbuf_release(&text);
	format = r->tsv || !has ? NULL : script_format_of(r->s, r->v->event, &formats);
	if (!format || !cell(r, "fields", 0, true))
		return;
	strbuf_char(r->b, '{');
	for (u32 i = 0; i < format->field_count; i++) {
		const struct tracepoint_field *f = &format->fields[i];

		if (f->flags & FIELD_COMMON)
			continue;
		strbuf_str(r->b, first ? "" : ",");
		first = false;
		json_text(r->b, f->name);
		strbuf_char(r->b, ':');
		add_field_value(r, formats, f, sample, &lost);
	}
	strbuf_char(r->b, '}');
	if (lost.len && cell(r, "fields_bytes", 0, true))
		strbuf_f(r->b, "{%s}", strbuf_cstr(&lost));
	strbuf_release(&lost);
}

static void counter_cells(struct row *r, const struct session_sample *ss)
{
	struct stat_metric metrics[STAT_METRICS_MAX];
	size_t count =
		shows(r->v, SHOW_METRIC) ? script_metrics(r->s, ss, r->v->event, metrics) : 0;
	u64 instructions = 0, cycles = 0;
	bool has = shows(r->v, SHOW_IPC) && script_ipc(r->s, ss, &instructions, &cycles);

	dec_cell(r, "instructions", SHOW_IPC, instructions, has);
	dec_cell(r, "cycles", SHOW_IPC, cycles, has);
	if (!cell(r, "metrics", BIT64(SHOW_METRIC), count > 0))
		return;
	strbuf_str(r->b, r->tsv ? "" : "[");
	for (size_t i = 0; i < count; i++)
		strbuf_f(r->b, r->tsv ? "%s%.9g %s" : "%s{\"value\":%.9g,\"unit\":\"%s\"}",
			 !i       ? ""
			 : r->tsv ? ";"
				  : ",",
			 metrics[i].value, metrics[i].unit);
	strbuf_str(r->b, r->tsv ? "" : "]");
}

static void bytes_cell(struct row *r, const char *name, enum script_field f, const u8 *bytes,
		       u32 size)
{
	if (!cell(r, name, BIT64(f), shows(r->v, f) && r->v->is_bpf_output))
		return;
	strbuf_str(r->b, r->tsv ? "" : "\"");
	for (u32 i = 0; i < size; i++)
		strbuf_hex_zero(r->b, bytes[i], 2);
	strbuf_str(r->b, r->tsv ? "" : "\"");
}

/* ---- the row ---- */

static const char *mode_name(u8 cpumode)
{
	static const char *const names[] = { "unknown",    "kernel",       "user",
					     "hypervisor", "guest_kernel", "guest_user" };

	return cpumode < ARRAY_SIZE(names) ? names[cpumode] : "unknown";
}

static void head_cells(struct row *r, const struct session_sample *ss, u64 period)
{
	const struct sample *s = ss->sample;
	struct guest_place guest = { 0 };
	bool in_guest = (shows(r->v, SHOW_MACHINE_PID) || shows(r->v, SHOW_VCPU)) &&
			history_guest_place(r->s->history, s->id.id, &guest);

	text_cell(r, "event", SHOW_EVENT, r->v->event->name);
	text_cell(r, "comm", SHOW_COMM, history_comm_text(r->s->history, ss->comm));
	dec_cell(r, "pid", SHOW_PID, s->id.pid, (s32)s->id.pid >= 0);
	dec_cell(r, "tid", SHOW_TID, s->id.tid, (s32)s->id.tid >= 0);
	dec_cell(r, "machine_pid", SHOW_MACHINE_PID, guest.machine, in_guest);
	dec_cell(r, "vcpu", SHOW_VCPU, (u64)guest.vcpu, in_guest && guest.vcpu >= 0);
	dec_cell(r, "cpu", SHOW_CPU, s->id.cpu, (s32)s->id.cpu >= 0);
	text_cell(r, "mode", SHOW_MISC, mode_name(s->cpumode));
	dec_cell(r, "time", SHOW_TIME, s->id.time, true);
	dec_cell(r, "period", SHOW_PERIOD, period, true);
}

static void memory_cells(struct row *r, const struct session_sample *ss)
{
	const struct sample *s = ss->sample;
	struct strbuf text = STRBUF_INIT;

	addr_cells(r, ss);
	hex_cell(r, "phys_addr", SHOW_PHYS_ADDR, s->phys_addr);
	if (cell(r, "data_src", BIT64(SHOW_DATA_SRC), shows(r->v, SHOW_DATA_SRC)))
		row_hex(r, s->data_src);
	if (shows(r->v, SHOW_DATA_SRC) && !r->tsv && cell(r, "data_src_text", 0, true)) {
		script_add_data_src(s->data_src, &text);
		row_text(r, "data_src_text", strbuf_cstr(&text));
	}
	strbuf_release(&text);
	dec_cell(r, "weight", SHOW_WEIGHT, s->weight, true);
	dec_cell(r, "ins_lat", SHOW_INS_LAT, s->ins_lat, true);
	dec_cell(r, "retire_lat", SHOW_RETIRE_LAT, s->p_stage_cyc, true);
	dec_cell(r, "data_page_size", SHOW_DATA_PAGE_SIZE, s->data_page_size, true);
	dec_cell(r, "code_page_size", SHOW_CODE_PAGE_SIZE, s->code_page_size, true);
	if (field(r, "cgroup", SHOW_CGROUP)) {
		const char *path = history_cgroup(r->s->history, s->cgroup);

		row_text(r, "cgroup", path ? path : "");
	}
}

void script_add_row(struct script *s, const struct session_sample *ss, u64 period,
		    const struct event_view *v, struct strbuf *b)
{
	struct row r = { .s = s, .v = v, .b = b, .tsv = s->o->form == SCRIPT_TSV };
	const struct perf_event_attr *attr = &v->event->attr;

	if (!v->fields)
		return;
	strbuf_str(b, r.tsv ? "" : "{");
	head_cells(&r, ss, period);
	place_cells(&r, ss);
	call_cells(&r, ss);
	chain_cell(&r, ss);
	trace_cells(&r, ss);
	memory_cells(&r, ss);
	reg_cell(&r, "iregs", SHOW_IREGS, attr->sample_regs_intr, ss->sample->intr_regs);
	reg_cell(&r, "uregs", SHOW_UREGS, attr->sample_regs_user, ss->sample->user_regs);
	branch_cell(&r, ss);
	counter_cells(&r, ss);
	bytes_cell(&r, "bpf-output", SHOW_BPF_OUTPUT, ss->sample->raw, ss->sample->raw_size);
	strbuf_str(b, r.tsv ? "\n" : "}\n");
}

/* ---- before and beside samples ---- */

/* clang-format off */
static const struct {
	const char *name;
	u64 column;
} heads[] = { /* in the order of script_add_row() */
	{ "event", BIT64(SHOW_EVENT) }, { "comm", BIT64(SHOW_COMM) }, { "pid", BIT64(SHOW_PID) },
	{ "tid", BIT64(SHOW_TID) }, { "machine_pid", BIT64(SHOW_MACHINE_PID) }, { "vcpu", BIT64(SHOW_VCPU) },
	{ "cpu", BIT64(SHOW_CPU) }, { "mode", BIT64(SHOW_MISC) }, { "time", BIT64(SHOW_TIME) },
	{ "period", BIT64(SHOW_PERIOD) }, { "ip", BIT64(SHOW_IP) }, { "sym", BIT64(SHOW_IP) },
	{ "symoff", BIT64(SHOW_IP) }, { "dso", BIT64(SHOW_IP) }, { "dsoff", BIT64(SHOW_IP) },
	{ "srcline", BIT64(SHOW_SRCLINE) }, { "flags", BIT64(SHOW_FLAGS) }, { "callindent", BIT64(SHOW_CALLINDENT) },
	{ "function", BIT64(SHOW_CALLINDENT) },
	{ "callchain", ROW_CHAIN }, { "trace", BIT64(SHOW_TRACE) },
	{ "addr", BIT64(SHOW_ADDR) }, { "phys_addr", BIT64(SHOW_PHYS_ADDR) },
	{ "data_src", BIT64(SHOW_DATA_SRC) }, { "weight", BIT64(SHOW_WEIGHT) },
	{ "ins_lat", BIT64(SHOW_INS_LAT) }, { "retire_lat", BIT64(SHOW_RETIRE_LAT) },
	{ "data_page_size", BIT64(SHOW_DATA_PAGE_SIZE) }, { "code_page_size", BIT64(SHOW_CODE_PAGE_SIZE) },
	{ "cgroup", BIT64(SHOW_CGROUP) }, { "iregs", BIT64(SHOW_IREGS) }, { "uregs", BIT64(SHOW_UREGS) },
	{ "brstack", ROW_BRANCHES }, { "instructions", BIT64(SHOW_IPC) }, { "cycles", BIT64(SHOW_IPC) },
	{ "metrics", BIT64(SHOW_METRIC) }, { "bpf-output", BIT64(SHOW_BPF_OUTPUT) },
};
/* clang-format on */

/* Settles the columns: all that some event has. */
static void settle_columns(struct script *s)
{
	const u64 branches = BIT64(SHOW_BRSTACK) | BIT64(SHOW_BRSTACKSYM) | BIT64(SHOW_BRSTACKOFF);

	vec_for_each(&s->views, v) {
		if (v->is_dummy) /* it has no samples */
			continue;
		s->columns |= v->fields & ~(v->is_bpf_output ? 0 : BIT64(SHOW_BPF_OUTPUT));
		if (v->has_chain && shows(v, SHOW_IP))
			s->columns |= ROW_CHAIN;
		if (v->fields & branches)
			s->columns |= ROW_BRANCHES;
	}
	if (!(s->columns & BIT64(SHOW_IP)))
		s->columns &= ~BIT64(SHOW_SRCLINE);
}

void script_begin_rows(struct script *s)
{
	struct strbuf *b = out_buf(s->out);
	const char *separator = "";

	settle_columns(s);
	if (s->o->form != SCRIPT_TSV)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(heads); i++) {
		if (!(s->columns & heads[i].column))
			continue;
		strbuf_f(b, "%s%s", separator, heads[i].name);
		separator = "\t";
	}
	strbuf_char(b, '\n');
	out_done(s->out);
}

void script_add_record_row(const struct record *rec, const struct sample_id *id, const char *comm,
			   const char *text, struct strbuf *b)
{
	const char *name = record_type_name(rec->type);
	struct row r = { .b = b };

	strbuf_str(b, "{\"record\":");
	json_text(b, name ? name : "unknown");
	if (comm) {
		strbuf_str(b, ",\"comm\":");
		row_text(&r, "comm", comm);
	}
	if ((s32)id->pid >= 0)
		strbuf_f(b, ",\"pid\":%u,\"tid\":%u", id->pid, id->tid);
	if ((s32)id->cpu >= 0)
		strbuf_f(b, ",\"cpu\":%u", id->cpu);
	strbuf_f(b, ",\"time\":%" PRIu64 ",\"text\":", id->time);
	row_text(&r, "text", text);
	strbuf_str(b, "}\n");
}
