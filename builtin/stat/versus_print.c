// SPDX-License-Identifier: GPL-2.0-or-later
/* perf stat --versus: the results as text, Markdown, CSV or JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text_table.h"
#include "builtin/stat/versus.h"
#include "event/names.h"

/* One line of a table: an event of a rival. */
struct row {
	const struct event *ev;
	struct statistics_change c;
	u64 pairs;
};

static bool is_time(const struct event *ev)
{
	return ev->unit && (!strcmp(ev->unit, "ns") || !strcmp(ev->unit, "msec"));
}

static const char *verdict(const struct row *row)
{
	static const char *const words[][3] = { { "fewer", "", "more" },
						{ "faster", "", "slower" } };

	return words[is_time(row->ev)][1 + statistics_direction(&row->c)];
}

/*
 * Calls fn for each event of a rival that was counted: times first, since users ask for them most.
 */
static void for_each_row(const struct stat_session *q, size_t rival,
			 void (*fn)(void *arg, const struct row *row), void *arg)
{
	for (int pass = 0; pass < 2; pass++)
		vec_for_each(&q->events.set.list, it) {
			struct row row = { .ev = *it };

			if (((*it)->tool == TOOL_NONE) != pass ||
			    !versus_compare(q, rival, (*it)->index, &row.c, &row.pairs))
				continue;
			if (!q->ask.hide_zero || row.c.base != 0 || row.c.other != 0)
				fn(arg, &row);
		}
}

/* ---- text and Markdown ---- */

/* Adds a mean with four significant digits, and always all digits before the point. */
static void put_mean(struct strbuf *b, const struct stat_printer *p, double value, const char *unit)
{
	bool is_ns = unit && !strcmp(unit, "ns");
	double shown = is_ns ? value / 1e6 : value, size = fabs(shown);

	stat_put_grouped(b, shown,
			 size >= 1000  ? 0
			 : size >= 100 ? 1
			 : size >= 10  ? 2
				       : 3,
			 p->thousands, 0);
	if (unit)
		strbuf_f(b, " %s", is_ns ? "msec" : unit);
}

static void put_change(struct strbuf *b, const struct row *row, const struct stat_printer *p)
{
	if (row->c.is_relative)
		strbuf_f(b, "%+.2f%%", 100 * row->c.share);
	else
		put_mean(b, p, row->c.difference, row->ev->unit);
}

static void put_interval(struct strbuf *b, const struct row *row, const struct stat_printer *p)
{
	if (row->c.is_relative) {
		strbuf_f(b, "%+.2f%% to %+.2f%%", 100 * row->c.share_low, 100 * row->c.share_high);
		return;
	}
	put_mean(b, p, row->c.low, row->ev->unit);
	strbuf_str(b, " to ");
	put_mean(b, p, row->c.high, row->ev->unit);
}

enum { COLUMNS = 6 };
static const char *const heads[COLUMNS] = { "Baseline",     "Rival", "Change",
					    "95% interval", "Event", "Verdict" };

struct table {
	const struct stat_printer *p;
	struct text_table *t; /* NULL: Markdown */
	struct strbuf *b;
};

static void put_row(void *arg, const struct row *row)
{
	struct table *table = arg;
	struct strbuf cells[COLUMNS] = { STRBUF_INIT };
	const char *words = verdict(row);

	put_mean(&cells[0], table->p, row->c.base, row->ev->unit);
	put_mean(&cells[1], table->p, row->c.other, row->ev->unit);
	put_change(&cells[2], row, table->p);
	put_interval(&cells[3], row, table->p);
	strbuf_printable(&cells[4], row->ev->name);
	strbuf_str(&cells[5], *words ? words : "no significant change");
	for (size_t i = 0; i < COLUMNS; i++) {
		if (table->t)
			text_table_cell(table->t, strbuf_cstr(&cells[i]), NULL);
		else
			strbuf_f(table->b, "| %s %s", strbuf_cstr(&cells[i]),
				 i + 1 == COLUMNS ? "|\n" : "");
		strbuf_release(&cells[i]);
	}
}

static void put_text_table(const struct stat_session *q, size_t rival, struct strbuf *b)
{
	struct text_column columns[COLUMNS];
	struct table table = { .p = &q->out, .b = b };

	for (size_t i = 0; i < COLUMNS; i++)
		columns[i] = (struct text_column){ .head = heads[i],
						   .right = i < 4,
						   .ragged = i == COLUMNS - 1 };
	table.t = text_table_new(columns, COLUMNS);
	for_each_row(q, rival, put_row, &table)
		;
	text_table_put(table.t, &(struct text_table_style){ 0 }, b);
	text_table_free(table.t);
}

/*
 * Adds code of a table cell, without vertical bars, which would end the cell, and backticks, which
 * would end the code.
 */
static void put_markdown_code(struct strbuf *b, const char *text)
{
	strbuf_str(b, "``");
	for (; *text; text++)
		strbuf_char(b, *text == '`' ? '\'' : *text == '|' ? '/' : *text);
	strbuf_str(b, "``");
}

static void put_markdown_table(const struct stat_session *q, size_t rival, struct strbuf *b)
{
	struct table table = { .p = &q->out, .b = b };

	for (size_t i = 0; i < COLUMNS; i++)
		strbuf_f(b, "| %s %s", heads[i], i + 1 == COLUMNS ? "|\n" : "");
	for (size_t i = 0; i < COLUMNS; i++)
		strbuf_f(b, "|%s%s", i < 4 ? "---:" : ":---", i + 1 == COLUMNS ? "|\n" : "");
	for_each_row(q, rival, put_row, &table)
		;
}

static void put_title(const struct stat_session *q, size_t rival, struct strbuf *b)
{
	const struct versus *v = q->versus;
	const char *base = v->commands.items[0].title, *other = v->commands.items[rival].title;

	if (q->ask.markdown) {
		put_markdown_code(b, other);
		strbuf_str(b, " against ");
		put_markdown_code(b, base);
	} else {
		strbuf_f(b, " %s against %s", other, base);
	}
	strbuf_f(b, " (%llu pairs of runs):\n\n", (unsigned long long)v->rounds);
}

/* Adds one sentence: what the judged event says. */
static void put_verdict(const struct stat_session *q, size_t rival, struct strbuf *b)
{
	struct row row = { .ev = q->events.set.list.items[q->versus->judged] };
	const char *title = q->versus->commands.items[rival].title;

	if (!versus_compare(q, rival, q->versus->judged, &row.c, &row.pairs))
		return;
	strbuf_char(b, '\n');
	strbuf_char(b, ' ');
	if (q->ask.markdown)
		put_markdown_code(b, title);
	else
		strbuf_str(b, title);
	if (!statistics_direction(&row.c))
		strbuf_str(b, " shows no significant change of ");
	else
		strbuf_f(b, " %s %s by ", is_time(row.ev) ? "is" : "has", verdict(&row));
	strbuf_printable(b, row.ev->name);
	strbuf_str(b, ": ");
	put_change(b, &row, &q->out);
	strbuf_str(b, " (");
	put_interval(b, &row, &q->out);
	strbuf_str(b, ")\n");
}

static void put_end(const struct stat_session *q, struct strbuf *b)
{
	static const char *const texts[] = {
		[VERSUS_FIXED] = "as -r says",
		[VERSUS_NARROW] = "the interval is narrow enough",
		[VERSUS_TIME] = "--max-time has passed",
		[VERSUS_ROUNDS] = "the most that are run",
		[VERSUS_SIGNAL] = "ended by a signal",
	};

	strbuf_f(b, " %llu pairs in %.1f s, after a warm-up run of each command: %s",
		 (unsigned long long)q->versus->rounds, (double)q->versus->took / 1e9,
		 texts[q->versus->end]);
	if (q->versus->end == VERSUS_NARROW || q->versus->end == VERSUS_TIME ||
	    q->versus->end == VERSUS_ROUNDS)
		strbuf_f(b, " (--within %.4g%%)", 100 * q->ask.within);
	strbuf_char(b, '\n');
}

static void put_remarks(const struct stat_session *q, struct strbuf *b)
{
	struct strlist noise = { VEC_INIT };

	for (size_t i = 0; i < q->versus->commands.count; i++) {
		const struct versus_command *c = &q->versus->commands.items[i];
		double factor;
		u64 far = versus_far_out(q, i, q->versus->judged, &factor);

		if (far)
			strbuf_f(b,
				 " outliers: %llu of %llu runs of %s, up to %.2f times its median "
				 "of %s; they are counted\n",
				 (unsigned long long)far, (unsigned long long)q->versus->rounds,
				 c->title, factor, q->versus->judged_name);
		if (c->failed)
			strbuf_f(
				b,
				" failures: %llu of %llu runs of %s did not end with status 0, the "
				"last with %d\n",
				(unsigned long long)c->failed,
				(unsigned long long)q->versus->rounds, c->title, c->status);
	}
	versus_noise_name(&q->versus->noise, &noise);
	vec_for_each(&noise.list, line)
		strbuf_f(b, " noise: %s\n", *line);
	strlist_release(&noise);
}

/* Prints the foot. Lines of prose are a list in Markdown. */
static void put_foot(const struct stat_session *q, struct strbuf *b)
{
	struct strbuf lines = STRBUF_INIT;

	put_end(q, &lines);
	put_remarks(q, &lines);
	strbuf_char(b, '\n');
	for (char *line = strtok(lines.s, "\n"); line; line = strtok(NULL, "\n"))
		strbuf_f(b, "%s%s\n", q->ask.markdown ? "-" : "", line);
	strbuf_release(&lines);
}

static void put_text(const struct stat_session *q, struct strbuf *b)
{
	for (size_t i = 1; i < q->versus->commands.count; i++) {
		strbuf_char(b, '\n');
		put_title(q, i, b);
		if (q->ask.markdown)
			put_markdown_table(q, i, b);
		else
			put_text_table(q, i, b);
		put_verdict(q, i, b);
	}
	put_foot(q, b);
	strbuf_char(b, '\n');
}

/* ---- CSV and JSON ---- */

struct lines {
	const struct stat_session *q;
	size_t rival;
	struct strbuf *b;
};

static void put_csv_row(void *arg, const struct row *row)
{
	struct lines *l = arg;
	const char *sep = l->q->ask.separator;
	const double numbers[] = { row->c.base, row->c.other, row->c.difference, row->c.low,
				   row->c.high };
	const double shares[] = { row->c.share, row->c.share_low, row->c.share_high };

	strbuf_csv_field(l->b, l->q->versus->commands.items[l->rival].title, sep);
	strbuf_str(l->b, sep);
	strbuf_csv_field(l->b, row->ev->name, sep);
	strbuf_f(l->b, "%s%s%s%llu", sep, row->ev->unit ? row->ev->unit : "", sep,
		 (unsigned long long)row->pairs);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		strbuf_f(l->b, "%s%.9g", sep, numbers[i]);
	for (size_t i = 0; i < ARRAY_SIZE(shares); i++)
		if (row->c.is_relative)
			strbuf_f(l->b, "%s%.4f", sep, 100 * shares[i]);
		else
			strbuf_str(l->b, sep);
	strbuf_f(l->b, "%s%s\n", sep, verdict(row));
}

static void put_json_row(void *arg, const struct row *row)
{
	struct lines *l = arg;
	double ignored;
	const struct {
		const char *key;
		double value;
		bool is_percent;
	} numbers[] = {
		{ "baseline-mean", row->c.base, false },
		{ "rival-mean", row->c.other, false },
		{ "difference", row->c.difference, false },
		{ "difference-low", row->c.low, false },
		{ "difference-high", row->c.high, false },
		{ "change-percent", 100 * row->c.share, true },
		{ "change-low-percent", 100 * row->c.share_low, true },
		{ "change-high-percent", 100 * row->c.share_high, true },
	};

	strbuf_f(l->b, "{\"rival\" : %zu, \"event\" : ", l->rival);
	json_text(l->b, row->ev->name);
	strbuf_str(l->b, ", \"unit\" : ");
	json_text(l->b, row->ev->unit ? row->ev->unit : "");
	strbuf_f(l->b, ", \"pairs\" : %llu", (unsigned long long)row->pairs);
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		strbuf_f(l->b, ", \"%s\" : ", numbers[i].key);
		if (numbers[i].is_percent && !row->c.is_relative)
			strbuf_str(l->b, "null");
		else
			strbuf_f(l->b, "%.9g", numbers[i].value);
	}
	strbuf_f(l->b,
		 ", \"baseline-outliers\" : %llu, \"rival-outliers\" : %llu, \"verdict\" : "
		 "\"%s\"}\n",
		 (unsigned long long)versus_far_out(l->q, 0, row->ev->index, &ignored),
		 (unsigned long long)versus_far_out(l->q, l->rival, row->ev->index, &ignored),
		 verdict(row));
}

/* Adds one object for each run: its place, and the values of all events. */
static void put_json_runs(const struct stat_session *q, struct strbuf *b)
{
	const struct versus *v = q->versus;

	for (size_t i = 0; i < v->runs.count; i++) {
		u64 round = i / v->commands.count;
		size_t command = i % v->commands.count;

		strbuf_f(b,
			 "{\"pair\" : %llu, \"rival\" : %zu, \"position\" : %u, \"status\" : %d, "
			 "\"values\" : {",
			 (unsigned long long)round + 1, command, v->runs.items[i].position,
			 v->runs.items[i].status);
		vec_for_each(&q->events.set.list, it) {
			double value = versus_value(q, round, command, (*it)->index);

			strbuf_str(b, it == q->events.set.list.items ? "" : ", ");
			json_text(b, (*it)->name);
			if (isnan(value))
				strbuf_str(b, " : null");
			else
				strbuf_f(b, " : %.15g", value);
		}
		strbuf_str(b, "}}\n");
	}
}

static void put_json_end(const struct stat_session *q, struct strbuf *b)
{
	static const char *const ends[] = { "", "repeat", "within", "max-time", "most", "signal" };
	const struct versus *v = q->versus;

	strbuf_str(b, "{\"commands\" : [");
	vec_for_each(&v->commands, c) {
		strbuf_str(b, c == v->commands.items ? "" : ", ");
		json_text(b, c->title);
	}
	strbuf_f(b,
		 "], \"pairs\" : %llu, \"seconds\" : %.3f, \"ended-by\" : \"%s\", "
		 "\"confidence-percent\" : %d, \"quantile\" : %.6f, \"failures\" : [",
		 (unsigned long long)v->rounds, (double)v->took / 1e9, ends[v->end], VERSUS_LEVEL,
		 v->t);
	vec_for_each(&v->commands, c)
		strbuf_f(b, "%s%llu", c == v->commands.items ? "" : ", ",
			 (unsigned long long)c->failed);
	strbuf_str(b, "], \"noise\" : ");
	versus_noise_json(&v->noise, b);
	strbuf_str(b, "}\n");
}

void versus_print(struct stat_session *q)
{
	struct strbuf b = STRBUF_INIT;
	bool is_json = q->ask.json;

	if (stat_for_people(&q->ask)) {
		put_text(q, &b);
	} else {
		if (is_json)
			put_json_runs(q, &b);
		for (size_t i = 1; i < q->versus->commands.count; i++)
			for_each_row(q, i, is_json ? put_json_row : put_csv_row,
				     &(struct lines){ q, i, &b })
				;
		if (is_json)
			put_json_end(q, &b);
	}
	stat_write(&q->out, &b);
	strbuf_release(&b);
}
