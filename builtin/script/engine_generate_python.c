// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A Python 3 script that runs as it is: each event is printed with its fields and its call chain.
 */
#include <ctype.h>
#include <string.h>

#include "builtin/script/engine_internal.h"

/* Reports whether the name is a word that cannot be a parameter. */
static bool is_keyword(const char *name)
{
	static const char *const words[] = {
		"False",  "None",   "True",    "and",      "as",       "assert", "async",
		"await",  "break",  "class",   "continue", "def",      "del",    "elif",
		"else",   "except", "finally", "for",      "from",     "global", "if",
		"import", "in",     "is",      "lambda",   "nonlocal", "not",    "or",
		"pass",   "raise",  "return",  "try",      "while",    "with",   "yield",
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(words[i], name))
			return true;
	return false;
}

/*
 * Reports whether the name is a parameter that every handler has before the fields; a field of that
 * name gets another one.
 */
static bool is_common(const char *name)
{
	static const char *const words[] = {
		"event_name", "context",     "common_cpu",       "common_secs",      "common_nsecs",
		"common_pid", "common_comm", "common_callchain", "perf_sample_dict",
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(words[i], name))
			return true;
	return false;
}

static void add_identifier(struct strbuf *b, const char *name)
{
	if (isdigit((unsigned char)*name))
		strbuf_char(b, '_');
	generate_word(b, name);
}

/* Adds the n-th field as a parameter, whose name differs from all before it. */
static void add_parameter(struct strbuf *b, const struct engine_event *ev, u32 n)
{
	const char *name = ev->fields[n].name;

	add_identifier(b, name);
	if (is_keyword(name) || is_common(name))
		strbuf_char(b, '_');
	generate_repeat(b, ev, n);
}

static const struct generate_words python = { "__", add_identifier, add_parameter };

static char conversion(const struct engine_event *ev, u32 n)
{
	return generate_naming(ev, ev->fields[n].name) ||
			       ev->fields[n].flags & (ENGINE_STRING | ENGINE_ARRAY)
		       ? 's'
		       : 'd';
}

static void add_handler(struct strbuf *b, const struct engine_event *ev)
{
	strbuf_str(b, "def ");
	add_identifier(b, ev->system);
	strbuf_str(b, "__");
	add_identifier(b, ev->tracepoint);
	strbuf_str(b, "(event_name, context, common_cpu, common_secs, common_nsecs,\n"
		      "\t\tcommon_pid, common_comm, common_callchain,");
	for (u32 i = 0; i < ev->field_count; i++) {
		strbuf_str(b, i % 5 ? " " : "\n\t\t");
		add_parameter(b, ev, i);
		strbuf_char(b, ',');
	}
	strbuf_str(b, "\n\t\tperf_sample_dict):\n"
		      "\tprint_header(event_name, common_cpu, common_secs, common_nsecs,\n"
		      "\t\tcommon_pid, common_comm)\n\tprint(\"");
	for (u32 i = 0; i < ev->field_count; i++) {
		strbuf_str(b, i ? ", " : "");
		add_identifier(b, ev->fields[i].name);
		strbuf_f(b, "=%%%c", conversion(ev, i));
	}
	strbuf_str(b, "\" %\n\t\t(");
	for (u32 i = 0; i < ev->field_count; i++) {
		generate_value(b, ev, i, &python);
		strbuf_str(b, i + 1 < ev->field_count ? i % 3 == 2 ? ",\n\t\t" : ", " : ",");
	}
	strbuf_str(
		b,
		"))\n\tprint_sample(perf_sample_dict)\n\tprint_callchain(common_callchain)\n\n\n");
}

static const char head[] =
	"# Handlers of perf script events, written by perf script -g python.\n"
	"#\n"
	"# Run it:  perf script -s FILE\n"
	"#\n"
	"# A handler gets first what all events have in common (the common_* parameters), then "
	"the\n"
	"# fields of its event.  perf_sample_dict may be left out; functions of the module\n"
	"# perf_trace_context give more of the event: common_pc(context), common_flags(context),\n"
	"# common_lock_depth(context).\n\n"
	"import os\n"
	"import sys\n\n"
	"sys.path.append(os.environ['PERF_EXEC_PATH'] +\n"
	"\t'/scripts/python/Perf-Trace-Util/lib/Perf/Trace')\n\n"
	"from perf_trace_context import *\n"
	"from Core import *\n\n\n"
	"def trace_begin():\n"
	"\tprint(\"in trace_begin\")\n\n\n"
	"def trace_end():\n"
	"\tprint(\"in trace_end\")\n\n\n";

static const char tail[] =
	"# An event that has no handler of its own.\n"
	"def trace_unhandled(event_name, context, event_fields_dict, perf_sample_dict):\n"
	"\tprint(event_name, get_dict_as_string(event_fields_dict))\n"
	"\tprint_sample(perf_sample_dict)\n\n\n"
	"def print_header(event_name, cpu, secs, nsecs, pid, comm):\n"
	"\tprint(\"%-20s %5u %05u.%09u %8u %-20s \" %\n"
	"\t\t(event_name, cpu, secs, nsecs, pid, comm), end=\"\")\n\n\n"
	"def print_sample(sample_dict):\n"
	"\tprint('Sample: {' + get_dict_as_string(sample_dict['sample'], ', ') + '}')\n\n\n"
	"def print_callchain(chain):\n"
	"\tfor node in chain:\n"
	"\t\tif 'sym' in node:\n"
	"\t\t\tprint(\"\\t[%x] %s+0x%x%s%s\" % (\n"
	"\t\t\t\tnode['ip'], node['sym']['name'], node.get('sym_off', 0),\n"
	"\t\t\t\t\" (%s)\" % node['dso'] if 'dso' in node else \"\",\n"
	"\t\t\t\t\" \" + node['sym_srcline'] if 'sym_srcline' in node else \"\"))\n"
	"\t\telse:\n"
	"\t\t\tprint(\"\\t[%x]\" % node['ip'])\n"
	"\tprint()\n\n\n"
	"def get_dict_as_string(a_dict, delimiter=' '):\n"
	"\treturn delimiter.join('%s=%s' % (k, v) for k, v in sorted(a_dict.items()))\n";

void generate_python(const struct engine_event_view *events, size_t count, struct strbuf *b)
{
	strbuf_str(b, head);
	for (size_t i = 0; i < count; i++)
		add_handler(b, &events[i].shown);
	if (!count)
		strbuf_str(b,
			   "def process_event(sample):\n"
			   "\tprint(\"%-16s %7d %s:\" % (sample['comm'], sample['sample']['pid'], "
			   "sample['ev_name']))\n"
			   "\tprint_callchain(sample['callchain'])\n\n\n");
	strbuf_str(b, tail);
}
