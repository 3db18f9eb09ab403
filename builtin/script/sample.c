// SPDX-License-Identifier: GPL-2.0-or-later
/* One sample as text. */
#include "base/text.h"
#include "builtin/script/internal.h"
#include "event/data_src.h"

const struct tracepoint_format *script_format_of(struct script *s, const struct event *ev,
						 const struct tracepoint_formats **formats)
{
	*formats =
		session_data(s->session) ? data_tracepoints(session_data(s->session), NULL) : NULL;
	if (ev->format || !*formats)
		return ev->format;
	return tracepoint_by_id(*formats, (u32)ev->attr.config);
}

void script_add_trace(struct script *s, const struct session_sample *ss, const struct event_view *v,
		      struct strbuf *b)
{
	const struct sample *sample = ss->sample;
	const struct tracepoint_formats *formats;
	const struct tracepoint_format *format;
	size_t start;

	if (!sample->raw || !event_is_tracepoint(v->event))
		return;
	format = v->event->format;
	if (!format || !s->printer)
		format = script_format_of(s, v->event, &formats);
	if (!format)
		return;
	if (!s->printer) {
		s->printer = tracepoint_printer_new(formats);
		script_resolve_functions(s);
	}
	s->now = &ss->key;
	start = b->len;
	if (!tracepoint_print(s->printer, format, sample->raw, sample->raw_size, sample->id.cpu, b))
		strbuf_printable_from(b, start);
}

static void add_addr(struct script *s, const struct session_sample *ss, const struct event_view *v,
		     struct strbuf *b)
{
	struct location l;

	strbuf_hex_pad(b, ss->sample->addr, 16);
	if (!v->addr_has_symbol)
		return;
	script_locate(s, ss, ss->sample->addr, &l);
	script_add_frame(s, v->addr_lines,
			 script_frame_of(s, ss->sample->addr, ss->sample->cpumode, &l), b);
}

static void add_place(struct script *s, const struct session_sample *ss, const struct event_view *v,
		      struct strbuf *b)
{
	const struct sample *sample = ss->sample;

	if (v->has_chain) {
		strbuf_char(b, '\n');
		script_add_chain(s, ss, v->chain_lines, b);
		return;
	}
	strbuf_char(b, ' ');
	script_add_frame(s, v->leaf_lines,
			 script_frame_of(s, sample->ip, sample->cpumode, &ss->leaf), b);
}

/* Adds the data source. The column is as wide as the widest one so far, as perf does it. */
static void add_data_src(struct script *s, u64 data_src, struct strbuf *b)
{
	size_t start = b->len;
	int len;

	strbuf_hex_pad(b, data_src, 16);
	strbuf_char(b, ' ');
	script_add_data_src(data_src, b);
	if (b->len - start > 99)
		strbuf_truncate(b, start + 99);
	len = (int)(b->len - start);
	strbuf_pad(b, ' ', s->data_src_width - len);
	s->data_src_width = MAX(s->data_src_width, len);
}

static void add_memory(struct script *s, const struct session_sample *ss,
		       const struct event_view *v, struct strbuf *b)
{
	const struct sample *sample = ss->sample;

	if (shows(v, SHOW_ADDR))
		add_addr(s, ss, v, b);
	if (shows(v, SHOW_DATA_SRC))
		add_data_src(s, sample->data_src, b);
	if (shows(v, SHOW_WEIGHT))
		strbuf_dec_pad(b, sample->weight, 16);
	if (shows(v, SHOW_INS_LAT))
		strbuf_dec_pad(b, sample->ins_lat, 16);
	if (shows(v, SHOW_RETIRE_LAT))
		strbuf_dec_pad(b, sample->p_stage_cyc, 16);
	if (shows(v, SHOW_CGROUP)) {
		const char *path = history_cgroup(s->history, sample->cgroup);

		strbuf_char(b, ' ');
		strbuf_printable(b, path ? path : "unknown");
	}
}

static void add_code(struct script *s, const struct session_sample *ss, const struct event_view *v,
		     struct strbuf *b)
{
	script_add_insn(s, v, ss, b);
	if (shows(v, SHOW_BRSTACKINSN) || shows(v, SHOW_BRSTACKINSNLEN) ||
	    shows(v, SHOW_BRSTACKDISASM))
		script_add_branch_code(s, v, ss, b);
}

/* Adds the source code below the sample's line. */
static void add_source_code(struct script *s, const struct session_sample *ss,
			    const struct event_view *v, struct strbuf *b)
{
	if (shows(v, SHOW_SRCCODE) && script_add_source_code(s, ss, &ss->leaf, b))
		strbuf_char(b, '\n');
}

static void add_details(struct script *s, const struct session_sample *ss,
			const struct event_view *v, struct strbuf *b)
{
	const struct sample *sample = ss->sample;
	const struct perf_event_attr *attr = &v->event->attr;
	char name[32];

	if (shows(v, SHOW_IREGS))
		script_add_regs(s, sample->intr_abi, attr->sample_regs_intr, sample->intr_regs, b);
	if (shows(v, SHOW_UREGS))
		script_add_regs(s, sample->user_abi, attr->sample_regs_user, sample->user_regs, b);
	script_add_branches(s, v, ss, b);
	if (v->is_bpf_output && shows(v, SHOW_BPF_OUTPUT))
		script_add_bpf_output(sample, b);
	if (v->has_code)
		add_code(s, ss, v, b);
	if (shows(v, SHOW_PHYS_ADDR))
		strbuf_hex_pad(b, sample->phys_addr, 16);
	if (shows(v, SHOW_DATA_PAGE_SIZE)) {
		strbuf_char(b, ' ');
		strbuf_str(b, page_size_name(sample->data_page_size, name));
	}
	if (shows(v, SHOW_CODE_PAGE_SIZE)) {
		strbuf_char(b, ' ');
		strbuf_str(b, page_size_name(sample->code_page_size, name));
	}
	if (shows(v, SHOW_IPC))
		script_add_ipc(s, ss, b);
}

/* Adds a branch trace store: from => to. */
static void add_bts(struct script *s, const struct session_sample *ss, const struct event_view *v,
		    struct strbuf *b)
{
	if (shows(v, SHOW_CALLINDENT))
		script_add_call(s, v, ss, b);
	if (shows(v, SHOW_IP))
		add_place(s, ss, v, b);
	if (shows(v, SHOW_ADDR) || ((v->event->attr.sample_type & PERF_SAMPLE_ADDR) &&
				    !s->fields.type[v->type].user_set)) {
		strbuf_add(b, " => ", 4);
		add_addr(s, ss, v, b);
	}
	if (v->has_code)
		add_code(s, ss, v, b);
	strbuf_char(b, '\n');
	add_source_code(s, ss, v, b);
}

static struct line_head head_of(struct script *s, const struct session_sample *ss)
{
	return (struct line_head){
		.comm = history_comm_text(s->history, ss->comm),
		.id = &ss->sample->id,
		.misc = ss->sample->misc,
		.record_type = PERF_RECORD_SAMPLE,
	};
}

void script_add_metrics(struct script *s, const struct session_sample *ss,
			const struct event_view *v, struct strbuf *b)
{
	struct stat_metric metrics[STAT_METRICS_MAX];
	const struct line_head head = head_of(s, ss);
	size_t count = script_metrics(s, ss, v->event, metrics);

	for (size_t i = 0; i < count; i++) {
		script_add_head(s, v, &head, b);
		strbuf_str(b, "\tmetric: ");
		strbuf_f(b, metrics[i].format, metrics[i].value);
		strbuf_f(b, " %s\n", metrics[i].unit);
	}
}

void script_add_sample(struct script *s, const struct session_sample *ss, u64 period,
		       const struct event_view *v, struct strbuf *b)
{
	const struct sample *sample = ss->sample;

	if (!v->fields)
		return;
	script_add_start(s, v, ss, period, b);
	if (shows(v, SHOW_FLAGS))
		script_add_branch_kind(s, b);
	if (v->is_bts) {
		add_bts(s, ss, v, b);
		return;
	}
	if (shows(v, SHOW_TRACE))
		script_add_trace(s, ss, v, b);
	if (v->type == SCRIPT_SYNTH && shows(v, SHOW_SYNTH))
		script_add_synth(v->event, sample, b);
	if (v->has_memory)
		add_memory(s, ss, v, b);
	if (shows(v, SHOW_IP))
		add_place(s, ss, v, b);
	if (v->has_details)
		add_details(s, ss, v, b);
	strbuf_char(b, '\n');
	add_source_code(s, ss, v, b);
}
