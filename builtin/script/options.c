// SPDX-License-Identifier: GPL-2.0-or-later
/* The options of perf script. */
#include <errno.h>
#include <string.h>

#include "builtin/script/command.h"

static int set_fields(const struct option_call *call, struct reason *r)
{
	struct script_command *c = call->settings;

	return script_fields_parse(&c->script.fields, call->value, r);
}

/* Chooses the fields that perf shows for decoded instruction traces, the same for any recording. */
static int set_insn_trace(const struct option_call *call, struct reason *r)
{
	struct script_command *c = call->settings;
	bool text = call->value && !strcmp(call->value, "disasm");

	if (call->value && !text && *call->value && strcmp(call->value, "raw"))
		return reason_set(r, EINVAL, "--insn-trace takes raw or disasm, not '%s'",
				  call->value);
	c->itrace.given = true;
	c->script.nanoseconds = true;
	return script_fields_parse(&c->script.fields,
				   text ? "+disasm,-event,-period" : "+insn,-event,-period", r);
}

static int set_calls(struct script_command *c, enum script_calls calls, struct reason *r)
{
	c->itrace.given = true;
	c->script.nanoseconds = true;
	c->script.calls = calls;
	return script_fields_parse(&c->script.fields, "-ip,-addr,-event,-period,+callindent", r);
}

static int set_call_trace(const struct option_call *call, struct reason *r)
{
	return set_calls(call->settings, SCRIPT_CALLS, r);
}

static int set_call_return_trace(const struct option_call *call, struct reason *r)
{
	return set_calls(call->settings, SCRIPT_CALLS_AND_RETURNS, r);
}

static const char *fields_help(struct strbuf *b)
{
	strbuf_str(b, "fields to print, [TYPE:]LIST; +FIELD adds, -FIELD removes. Types: hw, sw, "
		      "trace, raw, break, synth. Fields: ");
	script_fields_names(b);
	return strbuf_cstr(b);
}

static void print_rows(struct script_command *c, option_rows *rows)
{
	const char *help_of_fields = fields_help(&c->fields_help);
	struct script_options *s = &c->script;
	const struct option_row more[] = {
		{ OPTION_GROUP, .help = "What is printed" },
		{ OPTION_CALLBACK, 'F', "fields", NULL, "LIST", help_of_fields, OPT_NO_NEGATE,
		  .set = set_fields },
		{ OPTION_FLAG, 'G', "hide-call-graph", &s->hide_chains,
		  .help = "no call chains: the sampled address only" },
		{ OPTION_FLAG, 'D', "dump-raw-trace", &s->dump, .help = "dump every record, too" },
		{ OPTION_FLAG, 0, "dump-unsorted-raw-trace", &s->unsorted,
		  .help = "the same, in the order of the file" },
		{ OPTION_FLAG, 'd', "debug-mode", &s->debug,
		  .help = "print only how many samples are out of order or lost" },
		{ OPTION_FLAG, 0, "per-event-dump", &s->per_event,
		  .help = "write the text of each event to a file, INPUT.EVENT.dump" },
		{ OPTION_SET_INT, 0, "json", &s->form, .unit = SCRIPT_JSON, .given = &c->json_given,
		  .help = "print each sample as a JSON object on a line of its own" },
		{ OPTION_SET_INT, 0, "tsv", &s->form, .unit = SCRIPT_TSV, .given = &c->tsv_given,
		  .help = "print columns separated by tabs, with their names in the first line" },
		{ OPTION_FLAG, 0, "header", &c->header, .help = "print the file's header first" },
		{ OPTION_FLAG, 0, "header-only", &c->header_only,
		  .help = "print nothing but the header" },
		{ OPTION_FLAG, 'I', "show-info", &c->full_header,
		  .help = "print the complete header: topology, caches" },
		{ OPTION_FLAG, 0, "ns", &s->nanoseconds, .help = "times in nanoseconds" },
		{ OPTION_FLAG, 0, "reltime", &s->relative_time,
		  .help = "times since the first sample" },
		{ OPTION_FLAG, 0, "deltatime", &s->delta_time,
		  .help = "times since the previous sample" },
		{ OPTION_FLAG, 'L', "Latency", &s->latency, .help = "narrow comm and CPU columns" },
		{ OPTION_UINT, 0, "max-stack", &s->max_stack, "N",
		  "frames of a call chain to show (127)" },
		{ OPTION_FLAG, 0, "merge-callchains", &c->merge_callchains,
		  .help = "put deferred user call chains into their samples (default)" },
		{ OPTION_CALLBACK, 0, "insn-trace", NULL, "raw|disasm",
		  "the instruction at each sample in place of event and period",
		  OPT_OPTIONAL | OPT_NO_NEGATE, .set = set_insn_trace },
		{ OPTION_CALLBACK, 0, "call-trace", NULL, NULL,
		  "calls of a trace of branches, indented as they nest", OPT_NO_NEGATE,
		  .set = set_call_trace },
		{ OPTION_CALLBACK, 0, "call-ret-trace", NULL, NULL, "the same with returns",
		  OPT_NO_NEGATE, .set = set_call_return_trace },
		{ OPTION_FLAG, 0, "xed", &c->as_text,
		  .help = "show instructions as text instead of bytes" },
		{ OPTION_FLAG, 0, "stitch-lbr", &s->stitch,
		  .help = "extend chains of branch registers with those of the previous sample" },
		{ OPTION_UINT, 0, "max-blocks", &s->max_blocks, "N",
		  "blocks of code to show with brstackinsn (all)" },
		UNWIND_STYLE_ROW(&c->a.open.unwind),
		{ OPTION_FLAG, 0, "call-sites", &s->call_sites,
		  .help = "name callers by their calls, not by the return address" },
		{ OPTION_FLAG, 0, "inline", &s->inlines,
		  .help = "show functions inlined in unwound frames (default)" },
		{ OPTION_STRING, 0, "stop-bt", &c->stop_at, "SYMBOL[,SYMBOL]",
		  "end each call chain at these functions" },
		{ OPTION_FLAG, 0, "show-kernel-path", &s->full_kernel_path,
		  .help = "show the file of the kernel's symbols instead of [kernel.kallsyms]" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

static void record_rows(struct script_command *c, option_rows *rows)
{
	struct script_options *s = &c->script;
	const struct option_row more[] = {
		{ OPTION_GROUP, .help = "Other records" },
		{ OPTION_FLAG, 0, "show-task-events", &s->show.task,
		  .help = "lines for comm, fork and exit records" },
		{ OPTION_FLAG, 0, "show-mmap-events", &s->show.mmap,
		  .help = "lines for mmap records" },
		{ OPTION_FLAG, 0, "show-switch-events", &s->show.switches,
		  .help = "lines for context switch records" },
		{ OPTION_FLAG, 0, "show-namespace-events", &s->show.namespaces,
		  .help = "lines for namespaces records" },
		{ OPTION_FLAG, 0, "show-cgroup-events", &s->show.cgroup,
		  .help = "lines for cgroup records" },
		{ OPTION_FLAG, 0, "show-lost-events", &s->show.lost,
		  .help = "lines for lost records" },
		{ OPTION_FLAG, 0, "show-round-events", &s->show.round,
		  .help = "lines for the ends of flush rounds" },
		{ OPTION_FLAG, 0, "show-bpf-events", &s->show.bpf,
		  .help = "lines for BPF and kernel symbol records" },
		{ OPTION_FLAG, 0, "show-text-poke-events", &s->show.text_poke,
		  .help = "lines for text poke and kernel symbol records" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

static void sample_rows(struct script_command *c, option_rows *rows)
{
	struct script_options *s = &c->script;
	const struct option_row more[] = {
		{ OPTION_GROUP, .help = "Which samples" },
		{ OPTION_STRING, 0, "time", &c->time, "RANGE",
		  "START,STOP in seconds, several separated by spaces; 10%/2; 10%-20%" },
		{ OPTION_STRING, 0, "pid", &c->pid, "PID[,PID]", "of these processes only" },
		{ OPTION_STRING, 0, "tid", &c->tid, "TID[,TID]", "of these threads only" },
		{ OPTION_STRING, 'c', "comms", &c->comms, "COMM[,COMM]", "of these comms only" },
		{ OPTION_STRING, 0, "dsos", &c->dsos, "DSO[,DSO]", "in these objects only" },
		{ OPTION_STRING, 'S', "symbols", &c->symbols, "SYMBOL[,SYMBOL]",
		  "only samples in these functions, or at these addresses (hex)" },
		{ OPTION_STRING, 0, "graph-function", &c->graph_functions, "SYMBOL[,SYMBOL]",
		  "only traced branches in these functions and those that they call" },
		{ OPTION_U64, 0, "addr-range", &s->address_range, "N",
		  "N bytes from each address of -S" },
		{ OPTION_STRING, 0, "switch-on", &s->switch_on, "EVENT",
		  "only samples after this event" },
		{ OPTION_STRING, 0, "switch-off", &s->switch_off, "EVENT",
		  "only samples before this event, until the next --switch-on" },
		{ OPTION_FLAG, 0, "show-on-off-events", &s->show_switches,
		  .help = "show the events of --switch-on and --switch-off, too" },
		{ OPTION_STRING, 0, "dlfilter", &s->dlfilter, "FILE",
		  "only samples that the shared object FILE keeps" },
		{ OPTION_LIST, 0, "dlarg", &s->dlargs, "ARGUMENT",
		  "an argument for that filter; may be given several times" },
		{ OPTION_FLAG, 0, "list-dlfilters", &c->list_filters,
		  .help = "list such filters, and exit" },
		{ OPTION_STRING, 'C', "cpu", &c->cpus, "CPUS", "on these CPUs only: 0-2,5" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

static void trace_rows(struct script_command *c, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_COUNT, 'v', "verbose", &c->a.ctx->verbose, .help = "report more" },
		ITRACE_ROW(&c->itrace),
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

void script_command_rows(struct script_command *c, option_rows *rows)
{
	const struct option_row end = OPT_END_ROW;

	input_option_rows(rows, &c->a.open.input, &c->a.open.force);
	print_rows(c, rows);
	line_option_rows(rows, &c->script.lines);
	record_rows(c, rows);
	sample_rows(c, rows);
	symbol_option_rows(rows, &c->a);
	trace_rows(c, rows);
	option_rows_add(rows, &end, 1);
}
