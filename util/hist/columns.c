// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The columns that every report knows.
 *
 * Values: of the sums of an entry.  Keys: of the sample (collect) or of the
 * frame.  A key's cmp is the order in which it is shown and tells which samples
 * belong together.
 */
#include <stdio.h>
#include <string.h>

#include "hist/internal.h"

static u64 slot(const struct hist_field *f, const struct hist_entry *e)
{
	return e->key[f->slot];
}

static int u64_cmp(u64 a, u64 b)
{
	return a < b ? -1 : a > b;
}

static int slot_cmp(const struct hist_view *v, const struct hist_field *f,
		    const struct hist_entry *a, const struct hist_entry *b)
{
	(void)v;
	return u64_cmp(slot(f, a), slot(f, b));
}

/* ---- values ---- */

static u64 of_all(const struct hist_view *v, u32 member)
{
	return hist_view_period(v, member);
}

static u64 overhead_value(const struct hist_view *v, const struct hist_entry *e, u32 m, u64 *of)
{
	*of = of_all(v, m);
	return e->self[m].period;
}

static u64 children_value(const struct hist_view *v, const struct hist_entry *e, u32 m, u64 *of)
{
	*of = of_all(v, m);
	return e->total[m].period;
}

#define MODE_VALUE(name, mode)                                                                  \
	static u64 name##_value(const struct hist_view *v, const struct hist_entry *e, u32 m,   \
				u64 *of)                                                        \
	{                                                                                       \
		*of = of_all(v, m);                                                             \
		return e->self[m].mode_period[mode];                                            \
	}
MODE_VALUE(sys, HIST_SYS)
MODE_VALUE(user, HIST_USER)
MODE_VALUE(guest_sys, HIST_GUEST_SYS)
MODE_VALUE(guest_user, HIST_GUEST_USER)

static u64 samples_value(const struct hist_view *v, const struct hist_entry *e, u32 m, u64 *of)
{
	(void)v;
	*of = 0;
	return e->self[m].samples;
}

static u64 period_value(const struct hist_view *v, const struct hist_entry *e, u32 m, u64 *of)
{
	(void)v;
	*of = 0;
	return e->self[m].period;
}

static int member_cmp(const struct hist_view *v, const struct hist_field *f,
		      const struct hist_entry *a, const struct hist_entry *b, u32 m)
{
	u64 of;

	return u64_cmp(f->column->value(v, b, m, &of), f->column->value(v, a, m, &of));
}

/* Larger first, the leader's value before its members'; before it the chosen member's. */
static int value_cmp(const struct hist_view *v, const struct hist_field *f,
		     const struct hist_entry *a, const struct hist_entry *b)
{
	u32 first = v->hist->sort_member;
	int d = first && first < v->member_count ? member_cmp(v, f, a, b, first) : 0;

	for (u32 m = 0; !d && m < v->member_count; m++)
		d = member_cmp(v, f, a, b, m);
	return d;
}

static void percent_format(const struct hist_view *v, const struct hist_field *f,
			   const struct hist_entry *e, u32 m, struct strbuf *out)
{
	u64 of, value = f->column->value(v, e, m, &of);

	strbuf_f(out, "%.2f%%", of ? (double)value * 100.0 / (double)of : 0.0);
}

static void number_format(const struct hist_view *v, const struct hist_field *f,
			  const struct hist_entry *e, u32 m, struct strbuf *out)
{
	u64 of;

	strbuf_dec(out, f->column->value(v, e, m, &of));
}

/* ---- keys of the sample ---- */

static u64 comm_collect(struct hist_collector *c, const struct hist_sample *s)
{
	(void)c;
	return s->comm;
}

static const char *comm_text(const struct hist_view *v, u64 comm)
{
	return history_comm_text(v->hist->history, (u32)comm);
}

static int comm_cmp(const struct hist_view *v, const struct hist_field *f,
		    const struct hist_entry *a, const struct hist_entry *b)
{
	if (slot(f, a) == slot(f, b))
		return 0;
	return strcmp(comm_text(v, slot(f, a)), comm_text(v, slot(f, b)));
}

static void comm_format(const struct hist_view *v, const struct hist_field *f,
			const struct hist_entry *e, u32 m, struct strbuf *out)
{
	(void)m;
	strbuf_printable(out, comm_text(v, slot(f, e)));
}

static u64 task_collect(struct hist_collector *c, const struct hist_sample *s)
{
	(void)c;
	return s->task->id;
}

static const struct task *task_of(const struct hist_view *v, const struct hist_field *f,
				  const struct hist_entry *e)
{
	return history_task_by_id(v->hist->history, (u32)slot(f, e));
}

static int task_cmp(const struct hist_view *v, const struct hist_field *f,
		    const struct hist_entry *a, const struct hist_entry *b)
{
	const struct task *x = task_of(v, f, a), *y = task_of(v, f, b);
	int d = u64_cmp(x->machine, y->machine);

	/* Of signed numbers: -1 is an exited task. */
	return d ? d : ((s32)x->tid > (s32)y->tid) - ((s32)x->tid < (s32)y->tid);
}

/* The name that the task had last. */
static void task_format(const struct hist_view *v, const struct hist_field *f,
			const struct hist_entry *e, u32 m, struct strbuf *out)
{
	static const struct order_key end = { UINT64_MAX, UINT32_MAX, UINT64_MAX };
	const struct task *t = task_of(v, f, e);

	(void)m;
	strbuf_f(out, "%7d:", (s32)t->tid);
	strbuf_printable(out, comm_text(v, history_comm(v->hist->history, t, &end)));
}

static u64 cpu_collect(struct hist_collector *c, const struct hist_sample *s)
{
	(void)c;
	return (u64)(s64)(s32)s->sample->id.cpu;
}

static int signed_cmp(const struct hist_view *v, const struct hist_field *f,
		      const struct hist_entry *a, const struct hist_entry *b)
{
	s64 x = (s64)slot(f, a), y = (s64)slot(f, b);

	(void)v;
	return x < y ? -1 : x > y;
}

static void cpu_format(const struct hist_view *v, const struct hist_field *f,
		       const struct hist_entry *e, u32 m, struct strbuf *out)
{
	(void)v;
	(void)m;
	strbuf_f(out, "%.3d", (int)(s64)slot(f, e));
}

/* "-001", no CPU recorded, does not make the column wider. */
static int cpu_width(const struct hist_view *v, const struct hist_field *f,
		     const struct hist_entry *e)
{
	s64 cpu = (s64)slot(f, e);

	(void)v;
	return cpu < 1000 ? 3 : snprintf(NULL, 0, "%d", (int)cpu);
}

/* The number alone: all lives of a thread number, whatever their names, are one row. */
static u64 tid_collect(struct hist_collector *c, const struct hist_sample *s)
{
	(void)c;
	return (u64)(s64)(s32)s->task->tid;
}

static void tid_format(const struct hist_view *v, const struct hist_field *f,
		       const struct hist_entry *e, u32 m, struct strbuf *out)
{
	(void)v;
	(void)m;
	strbuf_f(out, "%7d", (int)(s64)slot(f, e));
}

static u64 socket_collect(struct hist_collector *c, const struct hist_sample *s)
{
	const struct hist_settings *set = &c->hist->set;
	u32 cpu = s->sample->id.cpu;

	return (u64)(s64)(cpu < set->socket_count ? set->sockets[cpu] : -1);
}

static void socket_format(const struct hist_view *v, const struct hist_field *f,
			  const struct hist_entry *e, u32 m, struct strbuf *out)
{
	(void)v;
	(void)m;
	strbuf_f(out, "%6.3d", (int)(s64)slot(f, e));
}

static u64 time_collect(struct hist_collector *c, const struct hist_sample *s)
{
	u64 quantum = c->hist->set.time_quantum;

	return quantum ? s->sample->id.time / quantum * quantum : s->sample->id.time;
}

static void time_format(const struct hist_view *v, const struct hist_field *f,
			const struct hist_entry *e, u32 m, struct strbuf *out)
{
	u64 ns = slot(f, e);

	(void)v;
	(void)m;
	strbuf_f(out, "%" PRIu64 ".%06u", ns / 1000000000, (unsigned)(ns % 1000000000 / 1000));
}

static void decimal_format(const struct hist_view *v, const struct hist_field *f,
			   const struct hist_entry *e, u32 m, struct strbuf *out)
{
	(void)v;
	(void)m;
	strbuf_dec(out, slot(f, e));
}

static u64 weight_collect(struct hist_collector *c, const struct hist_sample *s)
{
	(void)c;
	return s->sample->weight;
}

/* Of all its samples together; they are alike, since the value is a key. */
static void weight_format(const struct hist_view *v, const struct hist_field *f,
			  const struct hist_entry *e, u32 m, struct strbuf *out)
{
	(void)v;
	strbuf_dec(out, slot(f, e) * e->self[m].samples);
}

static u64 ins_lat_collect(struct hist_collector *c, const struct hist_sample *s)
{
	(void)c;
	return s->sample->ins_lat;
}

static u64 p_stage_collect(struct hist_collector *c, const struct hist_sample *s)
{
	(void)c;
	return s->sample->p_stage_cyc;
}

static u64 code_page_collect(struct hist_collector *c, const struct hist_sample *s)
{
	(void)c;
	return s->sample->code_page_size;
}

static u64 data_page_collect(struct hist_collector *c, const struct hist_sample *s)
{
	(void)c;
	return s->sample->data_page_size;
}

/* 4K, 2M, 1G */
static void page_format(const struct hist_view *v, const struct hist_field *f,
			const struct hist_entry *e, u32 m, struct strbuf *out)
{
	u64 size = slot(f, e);

	(void)v;
	(void)m;
	if (!size)
		strbuf_str(out, "N/A");
	else if (size % (1 << 30) == 0)
		strbuf_f(out, "%" PRIu64 "G", size >> 30);
	else if (size % (1 << 20) == 0)
		strbuf_f(out, "%" PRIu64 "M", size >> 20);
	else
		strbuf_f(out, "%" PRIu64 "K", size >> 10);
}

static u64 phys_collect(struct hist_collector *c, const struct hist_sample *s)
{
	(void)c;
	return s->sample->phys_addr;
}

static void address_format(const struct hist_view *v, const struct hist_field *f,
			   const struct hist_entry *e, u32 m, struct strbuf *out)
{
	(void)v;
	(void)m;
	strbuf_f(out, "0x%016" PRIx64, slot(f, e));
}

static u64 cgroup_collect(struct hist_collector *c, const struct hist_sample *s)
{
	(void)c;
	return s->sample->cgroup;
}

static void cgroup_format(const struct hist_view *v, const struct hist_field *f,
			  const struct hist_entry *e, u32 m, struct strbuf *out)
{
	u64 id = slot(f, e);
	const char *path = id ? history_cgroup(v->hist->history, id) : "N/A";

	(void)m;
	strbuf_printable(out, path ? path : "unknown");
}

static u64 trace_collect(struct hist_collector *c, const struct hist_sample *s)
{
	const struct sample *sample = s->sample;
	struct tracepoint_printer *p = hist_collector_printer(c);
	struct strbuf *b = hist_collector_scratch(c);

	strbuf_clear(b);
	if (p && sample->event->format && sample->raw)
		tracepoint_print(p, sample->event->format, sample->raw, sample->raw_size,
				 sample->id.cpu, b);
	else
		strbuf_str(b, "N/A");
	return hist_collector_text(c, strbuf_cstr(b));
}

static const char *text_of(const struct hist_view *v, u64 id)
{
	return strtab_get(&v->hist->texts, (u32)id);
}

static int text_cmp(const struct hist_view *v, const struct hist_field *f,
		    const struct hist_entry *a, const struct hist_entry *b)
{
	if (slot(f, a) == slot(f, b))
		return 0;
	return strcmp(text_of(v, slot(f, a)), text_of(v, slot(f, b)));
}

static void text_format(const struct hist_view *v, const struct hist_field *f,
			const struct hist_entry *e, u32 m, struct strbuf *out)
{
	(void)m;
	strbuf_printable(out, text_of(v, slot(f, e)));
}

/* 0: no parent; else text + 1. */
static const char *parent_text(const struct hist_view *v, const struct hist_field *f,
			       const struct hist_entry *e)
{
	return slot(f, e) ? text_of(v, slot(f, e) - 1) : "[other]";
}

static int parent_cmp(const struct hist_view *v, const struct hist_field *f,
		      const struct hist_entry *a, const struct hist_entry *b)
{
	if (slot(f, a) == slot(f, b))
		return 0;
	return strcmp(parent_text(v, f, a), parent_text(v, f, b));
}

static void parent_format(const struct hist_view *v, const struct hist_field *f,
			  const struct hist_entry *e, u32 m, struct strbuf *out)
{
	(void)m;
	strbuf_printable(out, parent_text(v, f, e));
}

/* ---- keys of the frame ---- */

static int dso_cmp(const struct hist_view *v, const struct hist_field *f,
		   const struct hist_entry *a, const struct hist_entry *b)
{
	const struct frame *x = hist_frame(v->hist, a->frame), *y = hist_frame(v->hist, b->frame);

	(void)f;
	if (x->image == y->image)
		return 0;
	return strcmp(hist_frame_dso(v->hist, x), hist_frame_dso(v->hist, y));
}

static void dso_format(const struct hist_view *v, const struct hist_field *f,
		       const struct hist_entry *e, u32 m, struct strbuf *out)
{
	(void)f;
	(void)m;
	strbuf_printable(out, hist_frame_dso(v->hist, hist_frame(v->hist, e->frame)));
}

/* By name; the same name at another place is another function; those without last. */
static int symbol_cmp(const struct hist_view *v, const struct hist_field *f,
		      const struct hist_entry *a, const struct hist_entry *b)
{
	const struct hist *h = v->hist;
	const struct frame *x = hist_frame(h, a->frame), *y = hist_frame(h, b->frame);
	const struct symbol *s, *t;
	int d;

	if (x->image == y->image && x->symbol == y->symbol && x->symbol != NO_SYMBOL &&
	    x->inlined == y->inlined)
		return 0;
	s = hist_frame_symbol(h, x);
	t = hist_frame_symbol(h, y);
	if (!s || !t) {
		d = !s - !t;
		if (!d)
			d = dso_cmp(v, f, a, b);
		return d ? d : u64_cmp(x->offset, y->offset);
	}
	d = strcmp(s->name, t->name);
	if (!d)
		d = u64_cmp(s->start, t->start);
	if (!d)
		d = !y->inlined - !x->inlined;
	return d ? d : dso_cmp(v, f, a, b);
}

#define INLINED " (inlined)"

static void symbol_format(const struct hist_view *v, const struct hist_field *f,
			  const struct hist_entry *e, u32 m, struct strbuf *out)
{
	const struct hist *h = v->hist;
	const struct frame *x = hist_frame(h, e->frame);
	const struct symbol *s = hist_frame_symbol(h, x);

	(void)f;
	(void)m;
	if (h->set.verbose) {
		char address[32];

		snprintf(address, sizeof(address), "0x%" PRIx64, x->offset);
		strbuf_f(out, "%-18s %c ", address,
			 symbol_table_origin(symbols_of(h->symbols, x->image)));
	}
	strbuf_f(out, "[%c] ", hist_frame_mark(x));
	if (s)
		strbuf_printable(out, s->name);
	else
		strbuf_f(out, "%#.16" PRIx64, x->offset);
	if (x->inlined)
		strbuf_str(out, INLINED);
}

static int symbol_width(const struct hist_view *v, const struct hist_field *f,
			const struct hist_entry *e)
{
	const struct frame *x = hist_frame(v->hist, e->frame);
	const struct symbol *s = hist_frame_symbol(v->hist, x);

	(void)f;
	return (s ? (int)strlen(s->name) + 4 : 22) + (v->hist->set.verbose ? 21 : 0) +
	       (x->inlined ? (int)strlen(INLINED) : 0);
}

/* Beside an address without a name perf makes the dso column as wide as its digits. */
static int dso_width(const struct hist_view *v, const struct hist_field *f,
		     const struct hist_entry *e)
{
	const struct frame *x = hist_frame(v->hist, e->frame);
	int width = (int)strlen(hist_frame_dso(v->hist, x));

	(void)f;
	return x->symbol == NO_SYMBOL ? MAX(width, 16) : width;
}

static u64 symbol_size_of(const struct hist_view *v, const struct hist_entry *e)
{
	const struct symbol *s = hist_frame_symbol(v->hist, hist_frame(v->hist, e->frame));

	return s ? s->end - s->start : 0;
}

static int symbol_size_cmp(const struct hist_view *v, const struct hist_field *f,
			   const struct hist_entry *a, const struct hist_entry *b)
{
	(void)f;
	return u64_cmp(symbol_size_of(v, a), symbol_size_of(v, b));
}

static void symbol_size_format(const struct hist_view *v, const struct hist_field *f,
			       const struct hist_entry *e, u32 m, struct strbuf *out)
{
	(void)f;
	(void)m;
	strbuf_f(out, "%11" PRIu64, symbol_size_of(v, e));
}

/* As signed numbers: the kernel's half comes first, as perf has it. */
static int addr_cmp(const struct hist_view *v, const struct hist_field *f,
		    const struct hist_entry *a, const struct hist_entry *b)
{
	s64 x = (s64)hist_frame(v->hist, a->frame)->addr;
	s64 y = (s64)hist_frame(v->hist, b->frame)->addr;

	(void)f;
	return x < y ? -1 : x > y;
}

static void addr_format(const struct hist_view *v, const struct hist_field *f,
			const struct hist_entry *e, u32 m, struct strbuf *out)
{
	(void)f;
	(void)m;
	strbuf_f(out, "0x%" PRIx64, hist_frame(v->hist, e->frame)->addr);
}

static const char *line_of(const struct hist_view *v, const struct hist_entry *e)
{
	return strtab_get(&v->hist->texts, v->hist->line_texts[e->frame]);
}

static int srcline_cmp(const struct hist_view *v, const struct hist_field *f,
		       const struct hist_entry *a, const struct hist_entry *b)
{
	const u32 *texts = v->hist->line_texts;

	(void)f;
	return texts[a->frame] == texts[b->frame] ? 0 : strcmp(line_of(v, a), line_of(v, b));
}

static void srcline_format(const struct hist_view *v, const struct hist_field *f,
			   const struct hist_entry *e, u32 m, struct strbuf *out)
{
	(void)f;
	(void)m;
	strbuf_str(out, line_of(v, e));
}

static const char *file_of(const struct hist_view *v, const struct hist_entry *e)
{
	return strtab_get(&v->hist->texts, v->hist->file_texts[e->frame]);
}

static int srcfile_cmp(const struct hist_view *v, const struct hist_field *f,
		       const struct hist_entry *a, const struct hist_entry *b)
{
	const u32 *texts = v->hist->file_texts;

	(void)f;
	return texts[a->frame] == texts[b->frame] ? 0 : strcmp(file_of(v, a), file_of(v, b));
}

static void srcfile_format(const struct hist_view *v, const struct hist_field *f,
			   const struct hist_entry *e, u32 m, struct strbuf *out)
{
	(void)f;
	(void)m;
	strbuf_str(out, file_of(v, e));
}

#define PERCENT(n, h, v, fl)                                                                    \
	{                                                                                       \
		.name = n, .header = h, .min_width = 8, .cmp = value_cmp, .value = v,           \
		.format = percent_format,                                                       \
		.flags = HIST_VALUE | HIST_PERCENT | HIST_PER_MEMBER | (fl)                     \
	}

const struct hist_column hist_base_columns[] = {
	{ .name = "overhead", .header = "Overhead", .children_header = "Self", .min_width = 8,
	  .cmp = value_cmp, .value = overhead_value, .format = percent_format,
	  .flags = HIST_VALUE | HIST_PERCENT | HIST_PER_MEMBER },
	PERCENT("overhead_sys", "sys", sys_value, 0),
	PERCENT("overhead_us", "usr", user_value, 0),
	PERCENT("overhead_guest_sys", "guest sys", guest_sys_value, 0),
	PERCENT("overhead_guest_us", "guest usr", guest_user_value, 0),
	PERCENT("overhead_children", "Children", children_value, HIST_CHILDREN),
	{ .name = "sample", .header = "Samples", .min_width = 12, .cmp = value_cmp,
	  .value = samples_value, .format = number_format, .flags = HIST_VALUE | HIST_PER_MEMBER },
	{ .name = "period", .header = "Period", .min_width = 12, .cmp = value_cmp,
	  .value = period_value, .format = number_format, .flags = HIST_VALUE | HIST_PER_MEMBER },
	{ .name = "pid", .header = "    Pid:Command", .collect = task_collect,
	  .cmp = task_cmp, .format = task_format },
	{ .name = "tid", .header = "    Tid", .collect = tid_collect, .cmp = signed_cmp,
	  .format = tid_format },
	{ .name = "comm", .header = "Command", .collect = comm_collect, .cmp = comm_cmp,
	  .format = comm_format, .flags = HIST_COMM },
	{ .name = "dso", .header = "Shared Object", .cmp = dso_cmp, .format = dso_format,
	  .width = dso_width, .flags = HIST_BY_FRAME | HIST_DSO },
	{ .name = "symbol", .header = "Symbol", .cmp = symbol_cmp, .format = symbol_format,
	  .width = symbol_width, .flags = HIST_BY_FRAME | HIST_NO_PAD | HIST_SYMBOL },
	{ .name = "parent", .header = "Parent symbol", .cmp = parent_cmp,
	  .format = parent_format, .flags = HIST_PARENT },
	{ .name = "cpu", .header = "CPU", .collect = cpu_collect, .cmp = signed_cmp,
	  .format = cpu_format, .width = cpu_width },
	{ .name = "socket", .header = "Socket", .collect = socket_collect, .cmp = signed_cmp,
	  .format = socket_format },
	{ .name = "srcline", .header = "Source:Line", .cmp = srcline_cmp, .format = srcline_format,
	  .flags = HIST_BY_FRAME | HIST_BY_ADDRESS | HIST_LINES | HIST_NO_PAD },
	{ .name = "srcfile", .header = "Source File", .cmp = srcfile_cmp, .format = srcfile_format,
	  .flags = HIST_BY_FRAME | HIST_BY_ADDRESS | HIST_LINES | HIST_NO_PAD },
	{ .name = "local_weight", .header = "Local Weight", .collect = weight_collect,
	  .cmp = slot_cmp, .format = decimal_format },
	{ .name = "weight", .header = "Weight", .min_width = 12, .collect = weight_collect,
	  .cmp = slot_cmp, .format = weight_format },
	{ .name = "trace", .header = "Trace output", .collect = trace_collect, .cmp = text_cmp,
	  .format = text_format, .flags = HIST_TEXT | HIST_NO_PAD },
	{ .name = "symbol_size", .header = "Symbol size", .cmp = symbol_size_cmp,
	  .format = symbol_size_format, .flags = HIST_BY_FRAME },
	{ .name = "cgroup", .header = "Cgroup", .collect = cgroup_collect, .cmp = slot_cmp,
	  .format = cgroup_format, .flags = HIST_NO_PAD },
	{ .name = "time", .header = "Time", .min_width = 12, .collect = time_collect,
	  .cmp = slot_cmp, .format = time_format, .flags = HIST_NO_PAD },
	{ .name = "code_page_size", .header = "Code Page Size", .collect = code_page_collect,
	  .cmp = slot_cmp, .format = page_format },
	{ .name = "data_page_size", .header = "Data Page Size", .collect = data_page_collect,
	  .cmp = slot_cmp, .format = page_format },
	{ .name = "phys_daddr", .header = "Data Physical Address", .collect = phys_collect,
	  .cmp = slot_cmp, .format = address_format },
	{ .name = "local_ins_lat", .header = "Local INSTR Latency", .collect = ins_lat_collect,
	  .cmp = slot_cmp, .format = decimal_format },
	{ .name = "ins_lat", .header = "INSTR Latency", .collect = ins_lat_collect,
	  .cmp = slot_cmp, .format = weight_format },
	{ .name = "local_p_stage_cyc", .header = "Local Pipeline Stage Cycle",
	  .collect = p_stage_collect, .cmp = slot_cmp, .format = decimal_format },
	{ .name = "p_stage_cyc", .header = "Pipeline Stage Cycle", .collect = p_stage_collect,
	  .cmp = slot_cmp, .format = weight_format },
	{ .name = "addr", .header = "Address", .min_width = 18, .cmp = addr_cmp,
	  .format = addr_format, .flags = HIST_BY_FRAME | HIST_BY_ADDRESS },
};
const size_t hist_base_column_count = ARRAY_SIZE(hist_base_columns);
