// SPDX-License-Identifier: GPL-2.0-or-later
/* perf evlist: the events of a perf.data file. */
#include <unistd.h>

#include "analysis/options.h"
#include "base/out.h"
#include "base/text.h"
#include "builtin.h"
#include "cli/options.h"
#include "cli/say.h"
#include "data/reader.h"
#include "event/parse.h"
#include "tracepoint/tracepoint.h"

struct evlist {
	const char *input;
	bool force, freq, group, trace_fields;
	int verbose;
	bool saw_tracepoint;
};

/* Adds what comes before the next part of "NAME: first, second". */
static void between(struct strbuf *b, bool *first)
{
	strbuf_str(b, *first ? ": " : ", ");
	*first = false;
}

static void put_group(struct strbuf *b, const struct event_set *set, const struct event *ev)
{
	strbuf_printable(b, ev->group_name ? ev->group_name : "");
	for (u32 i = 0; i < ev->members; i++) {
		strbuf_char(b, i ? ',' : '{');
		strbuf_printable(b, set->list.items[ev->index + i]->name);
	}
	strbuf_char(b, '}');
}

static void put_fields(struct strbuf *b, const struct tracepoint_format *f)
{
	const char *comma = "";

	strbuf_str(b, "trace_fields: ");
	for (u32 i = 0; i < f->field_count; i++) {
		if (f->fields[i].flags & FIELD_COMMON)
			continue;
		strbuf_str(b, comma);
		strbuf_printable(b, f->fields[i].name);
		comma = ",";
	}
}

static void put_trace_fields(struct strbuf *b, const struct event *ev, bool *first)
{
	between(b, first);
	if (!event_is_tracepoint(ev))
		strbuf_str(b, "(not a tracepoint)");
	else if (!ev->format)
		strbuf_str(b, "(not a tracepoint with known fields)");
	else
		put_fields(b, ev->format);
}

static void put_event(const struct evlist *e, struct strbuf *b, const struct event_set *set,
		      const struct event *ev)
{
	bool first = true;

	if (e->group && ev->leader != ev)
		return;
	if (e->group && ev->members > 1)
		put_group(b, set, ev);
	else
		strbuf_printable(b, ev->name);
	if (e->verbose) {
		between(b, &first);
		event_attr_print(b, &ev->attr, ", ", ": ");
	} else if (e->freq) {
		between(b, &first);
		strbuf_f(b, "sample_%s=%" PRIu64, ev->attr.flags & ATTR_FREQ ? "freq" : "period",
			 ev->attr.sample_period);
	}
	if (e->trace_fields)
		put_trace_fields(b, ev, &first);
	strbuf_char(b, '\n');
}

static void put_events(struct evlist *e, struct data_reader *d, struct strbuf *b)
{
	const struct event_set *set = data_events(d);

	if (e->trace_fields)
		data_tracepoints(d, NULL);
	vec_for_each(&set->list, ev) {
		put_event(e, b, set, *ev);
		e->saw_tracepoint |= event_is_tracepoint(*ev);
	}
	if (e->saw_tracepoint && !e->trace_fields)
		strbuf_str(b, "# Tip: use 'perf evlist --trace-fields' to show fields for "
			      "tracepoint events\n");
}

static void add_rows(struct evlist *e, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_FLAG, 'F', "freq", &e->freq,
		  .help = "show the frequency or period of samples" },
		{ OPTION_COUNT, 'v', "verbose", &e->verbose,
		  .help = "show every field of the events" },
		{ OPTION_FLAG, 'g', "group", &e->group, .help = "show groups in braces" },
		{ OPTION_FLAG, 0, "trace-fields", &e->trace_fields,
		  .help = "show the fields of tracepoints" },
		OPT_END_ROW,
	};

	input_option_rows(rows, &e->input, &e->force);
	option_rows_add(rows, more, ARRAY_SIZE(more));
}

int cmd_evlist(struct context *ctx, int argc, const char **argv)
{
	static const char *const usage[] = { "perf evlist [<options>]", NULL };
	struct evlist e = { NULL };
	option_rows rows = VEC_INIT;
	struct options o = { .command = "evlist", .usage = usage };
	struct reason r = REASON_INIT;
	struct data_reader *d;
	struct out out;
	int code, err;

	add_rows(&e, &rows);
	o.rows = rows.items;
	code = options_parse(&o, &argc, argv);
	if (!code && argc)
		code = options_usage_error(&o, "'%s' is one argument too many", argv[0]);
	if (!code && e.group && (e.verbose || e.freq))
		code = options_usage_error(&o, "--group cannot be combined with other options");
	vec_release(&rows);
	if (code)
		return code < 0 ? 0 : code;
	if (data_open(ctx, e.input, e.force, &d, &r))
		return say_reason(&r);
	out_init(&out, STDOUT_FILENO);
	put_events(&e, d, out_buf(&out));
	err = out_release(&out);
	data_close(d);
	code = say_conditions(ctx);
	return say_output(err) ? 1 : code;
}
