// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf bench --compare: the metrics of two files of perf bench --json, each of one run or of many,
 * compared as independent runs (statistics/compare.h).
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/text_table.h"
#include "builtin/bench/internal.h"
#include "cli/say.h"
#include "statistics/compare.h"

static const double level = 0.95;

enum { SIDES = 2 };

/*
 * All values of one metric. A benchmark that has several of a name distinguishes them by their
 * order.
 */
struct metric {
	char *benchmark, *name, *unit;
	unsigned number; /* among those of its name in one run, from 1 on */
	VEC(double) values[SIDES];
};

typedef VEC(struct metric) metric_list;

/* ---- reading: JSON as bench_metric() writes it, with any white space ---- */

static bool take(const char **at, const char *what)
{
	while (isspace((unsigned char)**at))
		(*at)++;
	if (!str_starts(*at, what))
		return false;
	*at += strlen(what);
	return true;
}

/*
 * Reads a string without escapes (no benchmark's name has any). The caller frees it; NULL if there
 * is no such string.
 */
static char *take_text(const char **at)
{
	size_t len;
	char *text;

	if (!take(at, "\""))
		return NULL;
	len = strcspn(*at, "\"\\");
	if ((*at)[len] != '"')
		return NULL;
	text = xstrndup(*at, len);
	*at += len + 1;
	return text;
}

static bool take_key(const char **at, const char *key)
{
	return take(at, "\"") && take(at, key) && take(at, "\"") && take(at, ":");
}

static bool take_number(const char **at, double *value)
{
	char *end;

	while (isspace((unsigned char)**at))
		(*at)++;
	*value = strtod(*at, &end);
	if (end == *at || !isfinite(*value))
		return false;
	*at = end;
	return true;
}

static bool is_metric(const struct metric *m, const char *benchmark, const char *name,
		      const char *unit, unsigned number)
{
	return m->number == number && !strcmp(m->benchmark, benchmark) && !strcmp(m->name, name) &&
	       !strcmp(m->unit, unit);
}

static void add_value(metric_list *list, int side, const char *benchmark, const char *name,
		      const char *unit, unsigned number, double value)
{
	vec_for_each(list, m)
		if (is_metric(m, benchmark, name, unit, number)) {
			vec_push(&m->values[side], value);
			return;
		}
	vec_push(list, ((struct metric){ xstrdup(benchmark),
					 xstrdup(name),
					 xstrdup(unit),
					 number,
					 { VEC_INIT, VEC_INIT } }));
	vec_push(&list->items[list->count - 1].values[side], value);
}

/* Parses "{"name": NAME, "value": NUMBER, "unit": UNIT}". */
static bool take_metric(const char **at, metric_list *list, int side, const char *benchmark,
			struct strlist *seen)
{
	char *name = NULL, *unit = NULL;
	double value = 0;
	unsigned number = 1;
	bool good = take(at, "{") && take_key(at, "name") && (name = take_text(at)) &&
		    take(at, ",") && take_key(at, "value") && take_number(at, &value) &&
		    take(at, ",") && take_key(at, "unit") && (unit = take_text(at)) &&
		    take(at, "}");

	if (good) {
		vec_for_each(&seen->list, it)
			number += !strcmp(*it, name);
		strlist_add(seen, name);
		add_value(list, side, benchmark, name, unit, number, value);
	}
	free(name);
	free(unit);
	return good;
}

static bool take_line(const char *at, metric_list *list, int side)
{
	struct strlist seen = { VEC_INIT };
	char *benchmark = NULL;
	bool good = take(&at, "{") && take_key(&at, "benchmark") && (benchmark = take_text(&at)) &&
		    take(&at, ",") && take_key(&at, "metrics") && take(&at, "[");

	while (good && !take(&at, "]")) {
		good = take_metric(&at, list, side, benchmark, &seen);
		if (good && !take(&at, ","))
			good = (take(&at, "]") && (at--, true));
	}
	good = good && take(&at, "}");
	while (good && isspace((unsigned char)*at))
		at++;
	strlist_release(&seen);
	free(benchmark);
	return good && !*at;
}

static int read_file(const char *path, metric_list *list, int side, struct reason *r)
{
	FILE *f = file_stream(path, r);
	char *line = NULL;
	size_t space = 0, number = 0;
	bool good = true;

	if (!f)
		return r->text ? -r->err : reason_errno(r, errno, "cannot read '%s'", path);
	while (good && getline(&line, &space, f) >= 0) {
		number++;
		good = !line[strspn(line, " \t\r\n")] || take_line(line, list, side);
	}
	free(line);
	if (!good || !number) {
		reason_set(r, EINVAL,
			   good ? "'%s' is empty" : "'%s', line %zu, is not from perf bench --json",
			   path, number);
		reason_hint(r,
			    "perf bench --json COLLECTION BENCHMARK writes one line for each run");
	}
	fclose(f);
	return good && number ? 0 : -EINVAL;
}

/* ---- the results ---- */

/* Returns 1 if a larger value of this unit is faster, -1 if it is slower, 0 if neither. */
static int speed(const char *unit)
{
	size_t len = strlen(unit);

	if (str_ends(unit, "/sec"))
		return 1;
	return len >= 3 && len <= 4 && !strcmp(unit + len - 3, "sec") ? -1 : 0;
}

static const char *verdict(const struct metric *m, const struct statistics_change *c)
{
	int direction = statistics_direction(c), faster = direction * speed(m->unit);

	if (!direction)
		return "no significant change";
	return faster > 0 ? "faster" : faster < 0 ? "slower" : direction > 0 ? "more" : "less";
}

static bool is_comparable(const struct metric *m)
{
	return m->values[0].count >= 2 && m->values[1].count >= 2;
}

static void compare(const struct metric *m, struct statistics_change *c)
{
	statistics_compare_sets(m->values[0].items, m->values[0].count, m->values[1].items,
				m->values[1].count, level, c);
}

static double mean(const struct metric *m, int side)
{
	double sum = 0;

	vec_for_each(&m->values[side], it)
		sum += *it;
	return sum / (double)m->values[side].count;
}

static void put_cell(struct text_table *t, char *text)
{
	text_table_cell(t, text, NULL);
	free(text);
}

static void put_row(struct text_table *t, const struct metric *m)
{
	struct statistics_change c = { 0 };
	double a = mean(m, 0), b = mean(m, 1);
	char *name = m->number > 1 ? xasprintf("%s (%u)", m->name, m->number) : xstrdup(m->name);
	char *title = xasprintf("%s %s", m->benchmark, name);

	free(name);
	put_cell(t, printable_copy(title));
	free(title);
	put_cell(t, printable_copy(m->unit));
	put_cell(t, xasprintf("%zu, %zu", m->values[0].count, m->values[1].count));
	put_cell(t, xasprintf("%.6g", a));
	put_cell(t, xasprintf("%.6g", b));
	put_cell(t, a != 0 ? xasprintf("%+.2f%%", 100 * (b / a - 1)) : xasprintf("%+.6g", b - a));
	if (is_comparable(m))
		compare(m, &c);
	put_cell(t, !is_comparable(m) ? xstrdup("")
		    : c.is_relative
			    ? xasprintf("%+.2f%% to %+.2f%%", 100 * c.share_low, 100 * c.share_high)
			    : xasprintf("%+.6g to %+.6g", c.low, c.high));
	put_cell(t,
		 xstrdup(is_comparable(m) ? verdict(m, &c) : "one run says nothing about chance"));
}

static void print_table(const metric_list *list)
{
	static const struct text_column columns[] = {
		{ .head = "Metric" },
		{ .head = "Unit" },
		{ .head = "Runs", .right = true },
		{ .head = "A", .right = true },
		{ .head = "B", .right = true },
		{ .head = "Change", .right = true },
		{ .head = "95% interval", .right = true },
		{ .head = "Verdict", .ragged = true },
	};
	struct text_table *t = text_table_new(columns, ARRAY_SIZE(columns));
	struct strbuf b = STRBUF_INIT;

	vec_for_each(list, m)
		if (m->values[0].count && m->values[1].count)
			put_row(t, m);
	text_table_put(t, &(struct text_table_style){ 0 }, &b);
	fputs(strbuf_cstr(&b), stdout);
	strbuf_release(&b);
	text_table_free(t);
}

static void print_json_row(const struct metric *m)
{
	struct strbuf b = STRBUF_INIT;
	struct statistics_change c = { 0 };

	strbuf_str(&b, "{\"benchmark\": ");
	json_text(&b, m->benchmark);
	strbuf_str(&b, ", \"name\": ");
	json_text(&b, m->name);
	strbuf_f(&b, ", \"number\": %u, \"unit\": ", m->number);
	json_text(&b, m->unit);
	strbuf_f(&b, ", \"runs\": [%zu, %zu], \"means\": [%.9g, %.9g]", m->values[0].count,
		 m->values[1].count, mean(m, 0), mean(m, 1));
	if (is_comparable(m)) {
		compare(m, &c);
		strbuf_f(&b,
			 ", \"difference\": %.9g, \"difference-low\": %.9g, \"difference-high\": "
			 "%.9g",
			 c.difference, c.low, c.high);
		if (c.is_relative)
			strbuf_f(&b,
				 ", \"change-percent\": %.6f, \"change-low-percent\": %.6f, "
				 "\"change-high-percent\": %.6f",
				 100 * c.share, 100 * c.share_low, 100 * c.share_high);
		strbuf_f(&b, ", \"verdict\": \"%s\"",
			 statistics_direction(&c) ? verdict(m, &c) : "");
	}
	printf("%s}\n", strbuf_cstr(&b));
	strbuf_release(&b);
}

/* Counts the metrics of both sides, and reports those of only one side. */
static size_t count_common(const metric_list *list, const char *const paths[SIDES])
{
	size_t common = 0;

	vec_for_each(list, m) {
		int side = m->values[0].count ? 0 : 1;

		if (m->values[0].count && m->values[1].count)
			common++;
		else if (m->number == 1)
			say_warning("only '%s' has %s of %s", paths[side], m->name, m->benchmark);
	}
	return common;
}

static void release(metric_list *list)
{
	vec_for_each(list, m) {
		free(m->benchmark);
		free(m->name);
		free(m->unit);
		for (int i = 0; i < SIDES; i++)
			vec_release(&m->values[i]);
	}
	vec_release(list);
}

int bench_compare(const char *a, const char *b, enum bench_format format)
{
	const char *const paths[SIDES] = { a, b };
	metric_list list = VEC_INIT;
	struct reason r = REASON_INIT;
	int err = 0;

	for (int i = 0; i < SIDES && !err; i++)
		err = read_file(paths[i], &list, i, &r);
	if (!err && !count_common(&list, paths)) {
		err = reason_set(&r, EINVAL, "'%s' and '%s' have no metric in common", a, b);
		reason_hint(&r, "run the same benchmark for both of them");
	}
	if (!err && format == BENCH_JSON) {
		vec_for_each(&list, m)
			if (m->values[0].count && m->values[1].count)
				print_json_row(m);
	} else if (!err) {
		print_table(&list);
	}
	release(&list);
	return err ? say_reason(&r) : 0;
}
