// SPDX-License-Identifier: GPL-2.0-or-later
/* perf script: every sample as text, in time order. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "analysis/analysis.h"
#include "builtin.h"
#include "cli/options.h"
#include "cli/say.h"
#include "object/debug_servers.h"
#include "script/script.h"

struct script_command {
	struct context *ctx;
	struct session_options session;
	struct script_options script;
	const char *time, *pid, *tid, *cpus;
	const char *comms, *dsos, *symbols, *stop_at;
	struct debuginfod_wish debuginfod;
	bool header, header_only, full_header, itrace_given, demangle;
};

static int set_fields(const struct option_call *call, struct reason *r)
{
	struct script_command *c = call->settings;

	return script_fields_parse(&c->script.fields, call->value, r);
}

/* perf's decoder options for AUX traces: with --no-itrace or without such traces, nothing to do. */
static int set_itrace(const struct option_call *call, struct reason *r)
{
	struct script_command *c = call->settings;

	(void)r;
	c->itrace_given = !call->negated;
	return 0;
}

static int check_itrace(const struct script_command *c, struct session *s, struct reason *r)
{
	if (!c->itrace_given || !data_has_feature(session_data(s), FEATURE_AUXTRACE))
		return 0;
	reason_set(r, EOPNOTSUPP, "the hardware traces in '%s' cannot be decoded",
		   data_path(session_data(s)));
	reason_hint(r, "--no-itrace shows the other samples");
	return -EOPNOTSUPP;
}

static void print_header(const struct script_command *c, struct session *s, struct out *out)
{
	struct strbuf *b = out_buf(out);

	if (!c->header && !c->header_only)
		return;
	data_header_print(session_data(s), b, c->full_header);
	out_done(out);
}

static int run_session(struct script_command *c, struct session *s, struct out *out,
		       struct reason *r)
{
	int err = sample_choice_open(&c->script.choice, c->time, s, r);

	if (!err)
		err = check_itrace(c, s, r);
	if (err)
		return err;
	print_header(c, s, out);
	return c->header_only ? 0 : script_run(s, &c->script, out, r);
}

static int run(struct script_command *c)
{
	struct reason r = REASON_INIT;
	struct session *s;
	struct out out;
	int err, code, written;

	c->session.symbols.no_demangle = !c->demangle;
	if (open_debug_servers(c->ctx, &c->debuginfod, &c->session.symbols.servers, &r))
		return say_reason(&r), EXIT_USAGE;
	err = session_open(c->ctx, &c->session, &s, &r);
	if (err) {
		debug_servers_free(c->session.symbols.servers);
		return say_reason(&r);
	}
	out_init(&out, STDOUT_FILENO);
	err = run_session(c, s, &out, &r);
	written = out_release(&out);
	if (err && written)
		reason_release(&r); /* it ended because nobody takes the output any more */
	code = err && !written ? say_reason(&r) : say_output(written);
	session_free(s);
	close_debug_servers(c->ctx, c->session.symbols.servers);
	if (!code || !err)
		code |= say_conditions(c->ctx);
	return code;
}

static void split(struct strlist *to, const char *text)
{
	if (text)
		strlist_split_names(to, text);
}

/* Options whose text is taken apart before a file is opened: 0 or a usage error. */
static int take_apart(struct script_command *c, const struct options *o)
{
	struct script_options *s = &c->script;
	struct reason r = REASON_INIT;
	int err = 0, code = 0;

	split(&s->comms, c->comms);
	split(&s->dsos, c->dsos);
	split(&s->symbols, c->symbols);
	split(&s->stop_at, c->stop_at);
	if (s->relative_time && s->delta_time)
		return options_usage_error(o, "reltime and deltatime - the two don't get along "
					   "well. Please limit to --reltime or --deltatime.");
	if (c->pid)
		err = parse_task_numbers("--pid", c->pid, &s->pids, &s->pid_count, &r);
	if (!err && c->tid)
		err = parse_task_numbers("--tid", c->tid, &s->tids, &s->tid_count, &r);
	if (!err)
		err = sample_choice_cpus(&s->choice, c->cpus, &r);
	if (!err)
		err = line_options_check(&s->lines, &r);
	if (err)
		code = options_usage_error(o, "%s", r.text);
	reason_release(&r);
	return code;
}

static void release(struct script_command *c)
{
	struct script_options *s = &c->script;

	strlist_release(&s->comms);
	strlist_release(&s->dsos);
	strlist_release(&s->symbols);
	strlist_release(&s->stop_at);
	sample_choice_release(&s->choice);
	free(s->pids);
	free(s->tids);
}

static const char *fields_help(struct strbuf *b)
{
	strbuf_str(b, "fields to print, [TYPE:]LIST; +FIELD adds, -FIELD removes. Types: hw, sw, "
		   "trace, raw, break, synth. Fields: ");
	script_fields_names(b);
	return strbuf_cstr(b);
}

static void print_rows(struct script_command *c, const char *help_of_fields, option_rows *rows)
{
	struct script_options *s = &c->script;
	const struct option_row more[] = {
		{ OPTION_GROUP, .help = "Input" },
		{ OPTION_STRING, 'i', "input", &c->session.input, "FILE",
		  "the recording (perf.data; - reads standard input)" },
		{ OPTION_FLAG, 'f', "force", &c->session.force,
		  .help = "read it although it belongs to another user" },
		{ OPTION_GROUP, .help = "What is printed" },
		{ OPTION_CALLBACK, 'F', "fields", NULL, "LIST", help_of_fields, OPT_NO_NEGATE,
		  .set = set_fields },
		{ OPTION_FLAG, 'G', "hide-call-graph", &s->hide_chains,
		  .help = "no call chains: the sampled address only" },
		{ OPTION_FLAG, 'D', "dump-raw-trace", &s->dump, .help = "dump every record, too" },
		{ OPTION_FLAG, 0, "header", &c->header, .help = "print the file's header first" },
		{ OPTION_FLAG, 0, "header-only", &c->header_only,
		  .help = "print nothing but the header" },
		{ OPTION_FLAG, 'I', "show-info", &c->full_header,
		  .help = "the header in full: topology, caches" },
		{ OPTION_FLAG, 0, "ns", &s->nanoseconds, .help = "times in nanoseconds" },
		{ OPTION_FLAG, 0, "reltime", &s->relative_time,
		  .help = "times since the first sample" },
		{ OPTION_FLAG, 0, "deltatime", &s->delta_time,
		  .help = "times since the sample before" },
		{ OPTION_FLAG, 'L', "Latency", &s->latency, .help = "narrow comm and CPU columns" },
		{ OPTION_UINT, 0, "max-stack", &s->max_stack, "N",
		  "frames of a call chain to show (127)" },
		UNWIND_STYLE_ROW(&c->session.unwind),
		{ OPTION_FLAG, 0, "call-sites", &s->call_sites,
		  .help = "name callers by their calls, not by the return address" },
		{ OPTION_FLAG, 0, "inline", &s->inlines,
		  .help = "frames for the functions inlined in unwound ones (default)" },
		{ OPTION_STRING, 0, "prefix", &s->lines.prefix, .arg = "DIR",
		  .help = "put DIR before whole paths of source files" },
		{ OPTION_UINT, 0, "prefix-strip", &s->lines.prefix_strip, .arg = "N",
		  .help = "after taking N directories off them" },
		{ OPTION_STRING, 0, "addr2line", &s->lines.addr2line, .arg = "FILE",
		  .help = "the program that is asked about odd debug information" },
		{ OPTION_STRING, 0, "addr2line-style", &s->lines.style, .arg = "LIST",
		  .help = "who finds lines: native, addr2line (default: native,addr2line)" },
		{ OPTION_FLAG, 0, "full-source-path", &s->lines.full_path,
		  .help = "srcline: the whole path of the source file" },
		{ OPTION_STRING, 0, "stop-bt", &c->stop_at, "SYMBOL[,SYMBOL]",
		  "end each call chain at these functions" },
		{ OPTION_FLAG, 0, "show-kernel-path", &s->full_kernel_path,
		  .help = "the file of the kernel's symbols in place of [kernel.kallsyms]" },
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
	const struct option_row more[] = {
		{ OPTION_GROUP, .help = "Which samples" },
		{ OPTION_STRING, 0, "time", &c->time, "RANGE",
		  "START,STOP in seconds, several separated by blanks; 10%/2; 10%-20%" },
		{ OPTION_STRING, 0, "pid", &c->pid, "PID[,PID]", "of these processes only" },
		{ OPTION_STRING, 0, "tid", &c->tid, "TID[,TID]", "of these threads only" },
		{ OPTION_STRING, 'c', "comms", &c->comms, "COMM[,COMM]", "of these comms only" },
		{ OPTION_STRING, 0, "dsos", &c->dsos, "DSO[,DSO]", "in these objects only" },
		{ OPTION_STRING, 'S', "symbols", &c->symbols, "SYMBOL[,SYMBOL]",
		  "in these functions only" },
		{ OPTION_STRING, 'C', "cpu", &c->cpus, "CPUS", "on these CPUs only: 0-2,5" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

static void symbol_rows(struct script_command *c, option_rows *rows)
{
	struct symbol_options *sym = &c->session.symbols;
	const struct option_row more[] = {
		{ OPTION_GROUP, .help = "Symbols" },
		{ OPTION_STRING, 'k', "vmlinux", &sym->vmlinux, "FILE", "the kernel's image" },
		{ OPTION_STRING, 0, "kallsyms", &sym->kallsyms, "FILE",
		  "a copy of /proc/kallsyms of the recording's time" },
		{ OPTION_STRING, 0, "symfs", &sym->symfs, "DIR[,flat]", "look for objects below DIR" },
		{ OPTION_FLAG, 0, "demangle", &c->demangle,
		  "show names as the source has them (default)" },
		{ OPTION_FLAG, 0, "demangle-kernel", &sym->demangle_kernel,
		  "demangle kernel symbols" },
		{ OPTION_FLAG, 0, "ignore-vmlinux", &sym->ignore_vmlinux,
		  .help = "do not look for a vmlinux" },
		{ OPTION_FLAG, 'm', "modules", &sym->use_modules, .given = &sym->modules_given,
		  .help = "names of modules from their files first; --no-modules: none" },
		GUEST_KERNEL_ROWS(sym),
		DEBUGINFOD_ROW(&c->debuginfod),
		{ OPTION_COUNT, 'v', "verbose", &c->ctx->verbose, .help = "say more" },
		{ OPTION_CALLBACK, 0, "itrace", NULL, "OPTS",
		  "decode hardware traces (none can be decoded; --no-itrace leaves them alone)",
		  OPT_OPTIONAL, .set = set_itrace },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

static int parse_and_run(struct script_command *c, int argc, const char **argv,
			 const char *help_of_fields)
{
	static const char *const usage[] = { "perf script [<options>]", NULL };
	option_rows rows = VEC_INIT;
	struct options o = { .command = "script", .usage = usage, .settings = c };
	int code;

	print_rows(c, help_of_fields, &rows);
	record_rows(c, &rows);
	sample_rows(c, &rows);
	symbol_rows(c, &rows);
	vec_push(&rows, (struct option_row)OPT_END_ROW);
	o.rows = rows.items;
	code = options_parse(&o, &argc, argv);
	if (!code && argc)
		code = options_usage_error(&o, "'%s': scripts cannot be run", argv[0]);
	if (!code)
		code = take_apart(c, &o);
	vec_release(&rows);
	if (code)
		return code < 0 ? 0 : code;
	return run(c);
}

int cmd_script(struct context *ctx, int argc, const char **argv)
{
	struct script_command c = {
		.ctx = ctx,
		.script.max_stack = 127,
		.script.inlines = true, .demangle = true,
		.session.symbols = { .symfs = ctx->symfs ? ctx->symfs : "",
				     .buildid_dir = ctx->buildid_dir },
	};
	struct strbuf help = STRBUF_INIT;
	int code;

	script_fields_init(&c.script.fields);
	code = parse_and_run(&c, argc, argv, fields_help(&help));
	release(&c);
	strbuf_release(&help);
	return code;
}
