// SPDX-License-Identifier: GPL-2.0-or-later
/* perf trace: its life, and where its output goes. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/replace.h"
#include "base/text.h"
#include "builtin/trace/internal.h"
#include "cli/config.h"
#include "cli/say.h"
#include "data/reader.h"

static void read_config(struct trace *t)
{
	struct trace_options *o = &t->o;
	const struct context *ctx = t->ctx;

	o->show_time = config_bool(ctx, "trace.show_timestamp", true);
	o->show_duration = config_bool(ctx, "trace.show_duration", true);
	o->no_names = !config_bool(ctx, "trace.show_arg_names", true);
	o->zeros = config_bool(ctx, "trace.show_zeros", o->no_names);
	o->prefix = config_bool(ctx, "trace.show_prefix", false);
	o->inherit = !config_bool(ctx, "trace.no_inherit", false);
	o->libtraceevent =
		config_get(ctx, "trace.tracepoint_beautifiers") &&
		!strcmp(config_get(ctx, "trace.tracepoint_beautifiers"), "libtraceevent");
	o->alignment = (unsigned)config_u64(ctx, "trace.args_alignment", 70);
	if (o->alignment > 1000)
		o->alignment = 70;
}

struct trace *trace_new(struct context *ctx)
{
	struct trace *t = xcalloc(1, sizeof(*t));
	const struct arch *arch = arch_host();

	t->ctx = ctx;
	t->out_fd = -1;
	t->o.comm = t->o.bpf = true;
	t->o.text_limit = 32;
	event_set_init(&t->set);
	analysis_init(&t->a, ctx);
	t->native = syscall_book_new(arch);
	t->compat = arch->compat ? syscall_book_new(arch->compat) : NULL;
	read_config(t);
	return t;
}

void trace_free(struct trace *t)
{
	trace_bpf_close(t);
	trace_objects_free(t);
	if (t->chains)
		chains_free(t->chains);
	tracepoint_printer_free(t->printer);
	session_free(t->session);
	live_close(t->live);
	tracepoint_formats_free(t->own_formats);
	trace_tasks_free(t);
	processes_free(t);
	event_set_release(&t->set);
	target_release(&t->target);
	record_settings_release(&t->settings);
	syscall_book_free(t->native);
	syscall_book_free(t->compat);
	asked_free(t);
	vec_release(&t->bound);
	map64_release(&t->small_spaces);
	map64_release(&t->call_places);
	strbuf_release(&t->args);
	strbuf_release(&t->chain);
	strbuf_release(&t->field);
	strlist_release(&t->o.words);
	free(t->left_out);
	analysis_release(&t->a);
	free(t);
}

static int check_output(struct trace *t, struct reason *r)
{
	out_init(&t->out, STDERR_FILENO);
	if (!t->o.output)
		return 0;
	if (t->o.input && data_refuse_same(t->o.input, t->o.output, r))
		return -EINVAL;
	return replace_check(t->o.output, r);
}

static int finish(struct trace *t, int err, struct reason *r)
{
	int code, failed;

	if (!err && (t->o.summary || t->o.with_summary))
		trace_summary(t);
	if (!err && t->o.tool_stats)
		out_f(&t->out,
		      "Stats:\n events      : %" PRIu64 "\n lines       : %" PRIu64
		      "\n lost        : %" PRIu64 "\n tasks       : %" PRIu64
		      "\n remembered  : %" PRIu64 "\n",
		      t->events, t->printed, t->lost, t->ended.seen, t->ended.most);
	failed = out_release(&t->out);
	if (t->out_fd >= 0)
		close(t->out_fd);
	if (err) {
		code = say_reason(r);
		say_conditions(t->ctx);
		return code;
	}
	code = say_conditions(t->ctx);
	if (failed && failed != -EPIPE) {
		say_error("writing %s: %s", t->o.output ? t->o.output : "the trace",
			  strerror(-failed));
		return 1;
	}
	return code;
}

int trace_run(struct trace *t, int argc, const char **argv)
{
	struct reason r = REASON_INIT;
	int err = trace_settle(t, argc > 0, &r), code;
	bool wrong_use = err == -EINVAL;

	if (err) {
		code = say_reason(&r);
		return wrong_use ? EXIT_USAGE : code;
	}
	err = analysis_prepare(&t->a, &r);
	if (!err)
		err = check_output(t, &r);
	if (err)
		return say_reason(&r);
	err = t->o.input ? trace_file(t, &r) : trace_live(t, argc, argv, &r);
	return finish(t, err, &r);
}

/*
 * Adds the arguments. Events in -e that are not calls are passed on to perf record, with all other
 * options.
 */
void trace_record_arguments(struct strlist *out, int argc, const char **argv)
{
	static const char *const first[] = {
		"record", "-R", "-m", "1024",
		"-c",     "1",  "-e", "raw_syscalls:sys_enter,raw_syscalls:sys_exit"
	};

	for (size_t i = 0; i < ARRAY_SIZE(first); i++)
		strlist_add(out, first[i]);
	if (arch_host()->compat) /* where calls have several ABIs, it says which one */
		strlist_add(out, "--user-regs=ip");
	for (int i = 0; i < argc; i++)
		strlist_add(out, argv[i]);
}
