// SPDX-License-Identifier: GPL-2.0-or-later
/* A Perl script that runs as it is: each event is printed with its fields. */
#include "builtin/script/engine_internal.h"

/* Adds the variable of the n-th field, which none of the common ones hides. */
static void add_variable(struct strbuf *b, const struct engine_event *ev, u32 n)
{
	strbuf_str(b, "$field_");
	generate_word(b, ev->fields[n].name);
	generate_repeat(b, ev, n);
}

static const struct generate_words perl = { "::", generate_word, add_variable };

static void add_handler(struct strbuf *b, const struct engine_event *ev)
{
	strbuf_str(b, "sub ");
	generate_word(b, ev->system);
	strbuf_str(b, "::");
	generate_word(b, ev->tracepoint);
	strbuf_str(b,
		   "\n{\n\tmy ($event_name, $context, $common_cpu, $common_secs, $common_nsecs,\n"
		   "\t    $common_pid, $common_comm, $common_callchain");
	for (u32 i = 0; i < ev->field_count; i++) {
		strbuf_str(b, i % 4 ? ", " : ",\n\t    ");
		add_variable(b, ev, i);
	}
	strbuf_str(b, ") = @_;\n\n"
		      "\tprint_header($event_name, $common_cpu, $common_secs, $common_nsecs,\n"
		      "\t\t     $common_pid, $common_comm);\n\n\tprintf(\"");
	for (u32 i = 0; i < ev->field_count; i++) {
		const struct engine_field *f = &ev->fields[i];
		bool text =
			generate_naming(ev, f->name) || f->flags & (ENGINE_STRING | ENGINE_ARRAY);

		strbuf_str(b, i ? ", " : "");
		generate_word(b, f->name);
		strbuf_str(b, text ? "=%s" : f->flags & ENGINE_SIGNED ? "=%d" : "=%u");
	}
	strbuf_str(b, "\\n\"");
	for (u32 i = 0; i < ev->field_count; i++) {
		strbuf_str(b, i % 3 ? ", " : ",\n\t       ");
		generate_value(b, ev, i, &perl);
	}
	strbuf_str(b, ");\n\n\tprint_backtrace($common_callchain);\n}\n\n");
}

static const char head[] =
	"# Handlers of perf script events, written by perf script -g perl.\n"
	"#\n"
	"# Run it:  perf script -s FILE\n"
	"#\n"
	"# A handler gets first what all events have in common (the $common_* variables), then "
	"the\n"
	"# fields of its event.  Functions of Perf::Trace::Context give more of the event:\n"
	"# common_pc($context), common_flags($context), common_lock_depth($context).\n\n"
	"use lib \"$ENV{'PERF_EXEC_PATH'}/scripts/perl/Perf-Trace-Util/lib\";\n"
	"use strict;\n"
	"use warnings;\n"
	"use Perf::Trace::Core;\n"
	"use Perf::Trace::Context;\n"
	"use Perf::Trace::Util;\n\n"
	"sub trace_begin\n{\n\tprint \"in trace_begin\\n\";\n}\n\n"
	"sub trace_end\n{\n\tprint \"in trace_end\\n\";\n}\n\n";

static const char tail[] =
	"# An event that has no handler of its own.\n"
	"sub trace_unhandled\n{\n"
	"\tmy ($event_name, $context, $common_cpu, $common_secs, $common_nsecs,\n"
	"\t    $common_pid, $common_comm, $common_callchain) = @_;\n\n"
	"\tprint_header($event_name, $common_cpu, $common_secs, $common_nsecs,\n"
	"\t\t     $common_pid, $common_comm);\n"
	"\tprint \"\\n\";\n"
	"\tprint_backtrace($common_callchain);\n}\n\n"
	"sub print_header\n{\n"
	"\tmy ($event_name, $cpu, $secs, $nsecs, $pid, $comm) = @_;\n\n"
	"\tprintf(\"%-20s %5u %05u.%09u %8u %-20s \",\n"
	"\t       $event_name, $cpu, $secs, $nsecs, $pid, $comm);\n}\n\n"
	"sub print_backtrace\n{\n"
	"\tmy $callchain = shift;\n\n"
	"\tfor my $node (@$callchain) {\n"
	"\t\tif (exists $node->{sym}) {\n"
	"\t\t\tprintf(\"\\t[%x] %s\\n\", $node->{ip}, $node->{sym}{name});\n"
	"\t\t} else {\n"
	"\t\t\tprintf(\"\\t[%x]\\n\", $node->{ip});\n"
	"\t\t}\n\t}\n}\n";

void generate_perl(const struct engine_event_view *events, size_t count, struct strbuf *b)
{
	strbuf_str(b, head);
	for (size_t i = 0; i < count; i++)
		add_handler(b, &events[i].shown);
	strbuf_str(b, tail);
}
