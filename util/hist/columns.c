// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Keys of the sample: thread, time, place and weight. A key's cmp is the order in which it is shown
 * and decides which samples belong together.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "hist/columns.h"

int hist_slot_cmp(const struct hist_view *v, const struct hist_field *f, const struct hist_entry *a,
		  const struct hist_entry *b)
{
	(void)v;
	return u64_cmp(slot(f, a), slot(f, b));
}

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

	/* Compare as signed numbers: -1 is an exited task. */
	return d ? d : ((s32)x->tid > (s32)y->tid) - ((s32)x->tid < (s32)y->tid);
}

/* Writes the thread's id and its last name. */
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

/* Returns the width of a CPU's number. "-001", for an unrecorded CPU, does not widen the column. */
static int cpu_width(const struct hist_view *v, const struct hist_field *f,
		     const struct hist_entry *e)
{
	s64 cpu = (s64)slot(f, e);

	(void)v;
	return cpu < 1000 ? 3 : snprintf(NULL, 0, "%d", (int)cpu);
}

/* Returns the tid alone: all threads that have had it are one row, whatever their names. */
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

	(void)m;
	if (v->hist->set.nanoseconds)
		strbuf_f(out, "%" PRIu64 ".%09u", ns / 1000000000, (unsigned)(ns % 1000000000));
	else
		strbuf_f(out, "%" PRIu64 ".%06u", ns / 1000000000,
			 (unsigned)(ns % 1000000000 / 1000));
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

/* Writes the weight of all samples together. They have equal weights, since the weight is a key. */
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

/* Writes a page size: 4K, 2M, 1G. */
void hist_page_format(const struct hist_view *v, const struct hist_field *f,
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
	if (p && sample->event->format && sample->raw && c->hist->set.raw_trace)
		tracepoint_print_fields(tracepoint_printer_formats(p), sample->event->format,
					sample->raw, sample->raw_size, b);
	else if (p && sample->event->format && sample->raw)
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

int hist_text_cmp(const struct hist_view *v, const struct hist_field *f, const struct hist_entry *a,
		  const struct hist_entry *b)
{
	if (slot(f, a) == slot(f, b))
		return 0;
	return strcmp(text_of(v, slot(f, a)), text_of(v, slot(f, b)));
}

void hist_text_format(const struct hist_view *v, const struct hist_field *f,
		      const struct hist_entry *e, u32 m, struct strbuf *out)
{
	(void)m;
	strbuf_printable(out, text_of(v, slot(f, e)));
}

/* Returns the name of the parent. The slot is its text + 1, or 0 if it has none. */
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

/* Returns the pid. The column shows it with the process's last name. */
static u64 tgid_collect(struct hist_collector *c, const struct hist_sample *s)
{
	(void)c;
	return (u64)(s64)(s32)s->task->pid;
}

/* Returns the name of the process's first thread. */
static const char *process_name(const struct hist_view *v, u32 pid)
{
	static const struct order_key end = { UINT64_MAX, UINT32_MAX, UINT64_MAX };
	const struct history *history = v->hist->history;

	for (u32 i = history_task_count(history); i-- > 0;) {
		const struct task *t = history_task_by_id(history, i);

		if (t->tid == pid && t->machine == 0)
			return comm_text(v, history_comm(history, t, &end));
	}
	return "";
}

static void tgid_format(const struct hist_view *v, const struct hist_field *f,
			const struct hist_entry *e, u32 m, struct strbuf *out)
{
	s32 pid = (s32)slot(f, e);

	(void)m;
	strbuf_f(out, "%7d:", pid);
	strbuf_printable(out, process_name(v, (u32)pid));
}

/* Returns the comm with each number replaced by <N>, so workers of a pool are one row. */
static u64 comm_nodigit_collect(struct hist_collector *c, const struct hist_sample *s)
{
	const char *comm = history_comm_text(c->hist->history, s->comm);
	struct strbuf *b = hist_collector_scratch(c);

	strbuf_clear(b);
	for (; *comm; comm++) {
		if (!isdigit((unsigned char)*comm)) {
			strbuf_char(b, *comm);
			continue;
		}
		strbuf_str(b, "<N>");
		while (isdigit((unsigned char)comm[1]))
			comm++;
	}
	return hist_collector_text(c, strbuf_cstr(b));
}

static u64 transaction_collect(struct hist_collector *c, const struct hist_sample *s)
{
	(void)c;
	return s->sample->transaction;
}

/* Writes the words of a transaction. Source: PERF_TXN_* in include/uapi/linux/perf_event.h. */
static void transaction_format(const struct hist_view *v, const struct hist_field *f,
			       const struct hist_entry *e, u32 m, struct strbuf *out)
{
	static const struct {
		u64 bit;
		const char *word;
	} words[] = {
		{ 1, "EL " },     { 2, "TX " },   { 4, "SYNC " },       { 8, "ASYNC " },
		{ 16, "RETRY " }, { 32, "CON " }, { 64, "CAP-WRITE " }, { 128, "CAP-READ " },
	};
	u64 t = slot(f, e);

	(void)v;
	(void)m;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (t & words[i].bit)
			strbuf_str(out, words[i].word);
	if (t && !(t & (4 | 8)))
		strbuf_str(out, "NEITHER ");
	if (t >> 32)
		strbuf_f(out, ":%" PRIx64, t >> 32);
}

/* Returns the size in bytes of the sample's mapping. */
static u64 dso_size_collect(struct hist_collector *c, const struct hist_sample *s)
{
	const struct mapping *m = s->leaf.mapping;

	(void)c;
	return m ? m->end - m->start : 0;
}

static void dso_size_format(const struct hist_view *v, const struct hist_field *f,
			    const struct hist_entry *e, u32 m, struct strbuf *out)
{
	(void)v;
	(void)m;
	if (slot(f, e))
		strbuf_dec(out, slot(f, e));
	else
		strbuf_str(out, "unknown");
}

/* Returns the number of the sample's namespace, or 0 if unknown. */
static u64 cgroup_id_collect(struct hist_collector *c, const struct hist_sample *s)
{
	const struct hist_services *services = &c->hist->set.services;

	return services->cgroup_space ? services->cgroup_space(services->cgroup_space_arg, s) : 0;
}

static void cgroup_id_format(const struct hist_view *v, const struct hist_field *f,
			     const struct hist_entry *e, u32 m, struct strbuf *out)
{
	const struct hist_services *services = &v->hist->set.services;
	u64 dev = 0, ino = 0;

	(void)m;
	if (slot(f, e))
		services->cgroup_space_numbers(services->cgroup_space_arg, slot(f, e), &dev, &ino);
	strbuf_f(out, "%" PRIu64 "/0x%" PRIx64, dev, ino);
}

/* Returns 0: without branches, nothing is known about instructions per cycle. */
static u64 nothing_collect(struct hist_collector *c, const struct hist_sample *s)
{
	(void)c;
	(void)s;
	return 0;
}

static void ipc_null_format(const struct hist_view *v, const struct hist_field *f,
			    const struct hist_entry *e, u32 m, struct strbuf *out)
{
	(void)v;
	(void)f;
	(void)e;
	(void)m;
	strbuf_str(out, "-      -");
}

static u64 parallelism_collect(struct hist_collector *c, const struct hist_sample *s)
{
	(void)c;
	return s->parallelism;
}

const struct hist_column hist_task_columns[] = {
	{ .name = "pid",
	  .header = "    Pid:Command",
	  .collect = task_collect,
	  .cmp = task_cmp,
	  .format = task_format,
	  .flags = HIST_TASK_ID },
	{ .name = "comm",
	  .header = "Command",
	  .collect = comm_collect,
	  .cmp = comm_cmp,
	  .format = comm_format,
	  .flags = HIST_COMM | HIST_COMM_ID },
	{ .name = "parent",
	  .header = "Parent symbol",
	  .cmp = parent_cmp,
	  .format = parent_format,
	  .flags = HIST_PARENT },
	{ .name = "place",
	  .header = "Place in the program",
	  .cmp = parent_cmp,
	  .format = parent_format,
	  .flags = HIST_PROGRAM | HIST_NO_PAD },
	{ .name = "cpu",
	  .header = "CPU",
	  .collect = cpu_collect,
	  .cmp = signed_cmp,
	  .format = cpu_format,
	  .width = cpu_width },
	{ .name = "socket",
	  .header = "Socket",
	  .collect = socket_collect,
	  .cmp = signed_cmp,
	  .format = socket_format },
	{ .name = "local_weight",
	  .header = "Local Weight",
	  .collect = weight_collect,
	  .cmp = hist_slot_cmp,
	  .format = decimal_format,
	  .sees = HIST_SEES_WEIGHT },
	{ .name = "weight",
	  .header = "Weight",
	  .min_width = 12,
	  .collect = weight_collect,
	  .cmp = hist_slot_cmp,
	  .format = weight_format,
	  .sees = HIST_SEES_WEIGHT,
	  .flags = HIST_OF_BOTH },
	{ .name = "trace",
	  .header = "Trace output",
	  .collect = trace_collect,
	  .cmp = hist_text_cmp,
	  .format = hist_text_format,
	  .flags = HIST_TEXT | HIST_NO_PAD },
	{ .name = "cgroup",
	  .header = "Cgroup",
	  .collect = cgroup_collect,
	  .cmp = hist_slot_cmp,
	  .format = cgroup_format,
	  .flags = HIST_NO_PAD },
	{ .name = "time",
	  .header = "Time",
	  .min_width = 12,
	  .collect = time_collect,
	  .cmp = hist_slot_cmp,
	  .format = time_format,
	  .flags = HIST_NO_PAD },
	{ .name = "code_page_size",
	  .header = "Code Page Size",
	  .collect = code_page_collect,
	  .cmp = hist_slot_cmp,
	  .format = hist_page_format },
	{ .name = "local_ins_lat",
	  .header = "Local INSTR Latency",
	  .collect = ins_lat_collect,
	  .cmp = hist_slot_cmp,
	  .format = decimal_format,
	  .sees = HIST_SEES_LATENCY },
	{ .name = "ins_lat",
	  .header = "INSTR Latency",
	  .collect = ins_lat_collect,
	  .cmp = hist_slot_cmp,
	  .format = weight_format,
	  .sees = HIST_SEES_LATENCY,
	  .flags = HIST_OF_BOTH },
	{ .name = "local_p_stage_cyc",
	  .header = "Local Pipeline Stage Cycle",
	  .collect = p_stage_collect,
	  .cmp = hist_slot_cmp,
	  .format = decimal_format },
	{ .name = "p_stage_cyc",
	  .header = "Pipeline Stage Cycle",
	  .collect = p_stage_collect,
	  .cmp = hist_slot_cmp,
	  .format = weight_format,
	  .flags = HIST_OF_BOTH },
	{ .name = "transaction",
	  .header = "Transaction                ",
	  .collect = transaction_collect,
	  .cmp = hist_slot_cmp,
	  .format = transaction_format },
	{ .name = "dso_size",
	  .header = "DSO size",
	  .collect = dso_size_collect,
	  .cmp = hist_slot_cmp,
	  .format = dso_size_format,
	  .flags = HIST_RIGHT | HIST_OF_PLACE },
	{ .name = "cgroup_id",
	  .header = "cgroup id (dev/inode)",
	  .collect = cgroup_id_collect,
	  .cmp = hist_slot_cmp,
	  .format = cgroup_id_format },
	{ .name = "ipc_null",
	  .header = "IPC   [IPC Coverage]",
	  .collect = nothing_collect,
	  .cmp = hist_slot_cmp,
	  .format = ipc_null_format },
	{ .name = "parallelism",
	  .header = "Parallelism",
	  .collect = parallelism_collect,
	  .cmp = hist_slot_cmp,
	  .format = decimal_format,
	  .flags = HIST_RIGHT | HIST_LATENCY },
	{ .name = "tgid",
	  .header = "   Tgid:Command",
	  .collect = tgid_collect,
	  .cmp = signed_cmp,
	  .format = tgid_format },
	{ .name = "comm_nodigit",
	  .header = "CommandNoDigit",
	  .collect = comm_nodigit_collect,
	  .cmp = hist_text_cmp,
	  .format = hist_text_format,
	  .flags = HIST_TEXT },
	{ .name = "retire_lat",
	  .header = "Retire Latency",
	  .collect = p_stage_collect,
	  .cmp = hist_slot_cmp,
	  .format = weight_format,
	  .flags = HIST_OF_BOTH },
	{ .name = "local_retire_lat",
	  .header = "Local Retire Latency",
	  .collect = p_stage_collect,
	  .cmp = hist_slot_cmp,
	  .format = decimal_format },
	{ .name = "tid",
	  .header = "    Tid",
	  .collect = tid_collect,
	  .cmp = signed_cmp,
	  .format = tid_format },
};
const size_t hist_task_column_count = ARRAY_SIZE(hist_task_columns);
