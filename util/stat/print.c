// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows as perf 6.1 prints them, for people and with -x for programs.
 *
 *	    1,234.56 msec task-clock                 #    0.998 CPUs utilized  ( +- 1.00% ) (83.43%)
 *	1234.56,msec,task-clock,1.00%,1234560000,83.43,0.998,CPUs utilized
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "event/names.h"
#include "stat/internal.h"

enum { VALUE_WIDTH = 18, NAME_WIDTH = 32, UNCOUNTED_NAME_WIDTH = 25, METRIC_WIDTH = 35 };

void stat_put_grouped(struct strbuf *b, double value, int decimals, const char *thousands,
		      int width)
{
	char digits[400];
	struct strbuf grouped = STRBUF_INIT;
	const char *point;
	size_t whole;

	snprintf(digits, sizeof(digits), "%.*f", decimals, value);
	point = strchr(digits, '.');
	whole = point ? (size_t)(point - digits) : strlen(digits);
	for (size_t i = 0; i < whole; i++) {
		strbuf_char(&grouped, digits[i]);
		if ((whole - i - 1) % 3 == 0 && i + 1 < whole && isdigit((unsigned char)digits[i]))
			strbuf_str(&grouped, thousands);
	}
	strbuf_str(&grouped, digits + whole);
	strbuf_pad(b, ' ', width - (int)grouped.len);
	strbuf_str(b, grouped.s);
	strbuf_release(&grouped);
}

static void put_value(const struct stat_row *r)
{
	const struct stat_style *s = r->style;
	double value = r->reading.value * r->ev->scale;
	int decimals = floor(r->ev->scale) != r->ev->scale ? 2 : 0;

	if (!r->reading.counted) {
		strbuf_f(r->b, "%*s", stat_width(r, VALUE_WIDTH),
			 r->reading.supported ? "<not counted>" : "<not supported>");
	} else if (s->separator) {
		strbuf_f(r->b, "%.*f", decimals, value);
	} else {
		stat_put_grouped(r->b, value, decimals, s->thousands ? s->thousands : "",
				 VALUE_WIDTH);
	}
	strbuf_f(r->b, "%s%*s%s", stat_sep(r), stat_width(r, -(int)s->unit_width),
		 r->ev->unit ? r->ev->unit : "", stat_sep(r));
	strbuf_aligned(r->b, r->ev->name, strlen(r->ev->name),
		       stat_width(r, r->reading.counted ? -NAME_WIDTH : -UNCOUNTED_NAME_WIDTH));
	if (r->ev->cgroup) {
		strbuf_str(r->b, stat_sep(r));
		strbuf_printable(r->b, r->ev->cgroup);
	}
}

/* Appends text and returns its width; escape sequences take no room on the screen. */
static int put_text(struct strbuf *b, const char *s)
{
	strbuf_str(b, s);
	return (int)strlen(s);
}

static void put_metric_text(const struct stat_row *r, const struct stat_metric *m)
{
	size_t start = r->b->len;
	int escapes = 0;

	if (m) {
		strbuf_str(r->b, " # ");
		if (r->style->color && m->bad)
			escapes += put_text(r->b, "\033[31m");
		strbuf_f(r->b, m->format, m->value);
		if (escapes)
			escapes += put_text(r->b, "\033[m");
		strbuf_f(r->b, " %s", m->unit);
	}
	strbuf_pad(r->b, ' ', METRIC_WIDTH + escapes - (int)(r->b->len - start));
}

/* Writes only the number, without the spaces and the % of the text form. */
static void put_metric_csv(const struct stat_row *r, const struct stat_metric *m)
{
	char text[64];
	const char *at;

	if (!m) {
		strbuf_f(r->b, "%s%s", stat_sep(r), stat_sep(r));
		return;
	}
	snprintf(text, sizeof(text), m->format, m->value);
	at = text + strspn(text, " ");
	strbuf_f(r->b, "%s%.*s%s%s", stat_sep(r), (int)strcspn(at, " %"), at, stat_sep(r), m->unit);
}

static double share(const struct stat_reading *r)
{
	return r->enabled > 0 ? 100.0 * r->running / r->enabled : 100.0;
}

static void put_rest_text(const struct stat_row *r, const struct stat_metric *m, size_t metrics)
{
	put_metric_text(r, metrics ? m : NULL);
	if (!r->reading.counted)
		return;
	if (r->style->noise && r->reading.noise > 0)
		strbuf_f(r->b, "  ( +-%6.2f%% )", r->reading.noise);
	if (r->reading.running < r->reading.enabled && !r->ev->tool)
		strbuf_f(r->b, "  (%.2f%%)", share(&r->reading));
}

static void put_rest_csv(const struct stat_row *r, const struct stat_metric *m, size_t metrics)
{
	if (r->style->noise)
		strbuf_f(r->b, "%s%.2f%%", stat_sep(r), r->reading.noise);
	strbuf_f(r->b, "%s%.0f%s%.2f", stat_sep(r), r->reading.running, stat_sep(r),
		 share(&r->reading));
	put_metric_csv(r, metrics ? m : NULL);
}

/* Writes a second metric on its own line, under the first. */
static void put_next_metric(const struct stat_row *r, const struct stat_metric *m)
{
	strbuf_str(r->b, r->prefix);
	stat_put_domain(r);
	if (r->style->separator) {
		for (int i = r->style->noise ? 5 : 4; i > 0; i--)
			strbuf_str(r->b, stat_sep(r));
		put_metric_csv(r, m);
	} else {
		strbuf_pad(r->b, ' ', VALUE_WIDTH + 2 + (int)r->style->unit_width + NAME_WIDTH);
		put_metric_text(r, m);
	}
	strbuf_char(r->b, '\n');
}

/* Adds the counts of an event's instances on several PMUs, which are one event. */
static void add_instances(struct stat_row *r)
{
	vec_for_each(&r->table->set->list, it) {
		struct stat_reading more;

		if (*it == r->ev || (*it)->instance_of != r->ev)
			continue;
		stat_read(r->table, r->domain, *it, &more);
		r->reading.value += more.value;
		r->reading.enabled += more.enabled;
		r->reading.running += more.running;
		r->reading.supported |= more.supported;
		r->reading.counted |= more.counted;
	}
}

/* Adds the counts of all threads of the core, for a percore event. */
static void add_core(struct stat_row *r)
{
	const struct stat_domain *all = r->table->domains->list.items;
	size_t count = r->table->domains->list.count;

	for (size_t i = 0; i < count; i++) {
		struct stat_reading more;

		if (i == r->domain || all[i].core_first != all[r->domain].core_first)
			continue;
		stat_read(r->table, i, r->ev, &more);
		r->reading.value += more.value;
		r->reading.enabled += more.enabled;
		r->reading.running += more.running;
		r->reading.supported |= more.supported;
		r->reading.counted |= more.counted;
	}
}

static bool is_percore(const struct stat_row *r)
{
	return r->ev->percore && r->table->domains->by == STAT_BY_CPU;
}

/* Reports whether a row is not printed: instances that are added elsewhere, or zeroes. */
static bool left_out(const struct stat_row *r)
{
	bool threads_of_all =
		r->style->counted_threads_only && r->table->domains->by == STAT_BY_THREAD;

	if (r->style->merge && r->ev->instance_of && r->ev->instance_of != r->ev)
		return true;
	if (is_percore(r) && !r->style->percore_show_thread &&
	    r->table->domains->list.items[r->domain].core_first != r->domain)
		return true;
	return (r->style->hide_zero || threads_of_all) &&
	       (!r->reading.counted || !(r->reading.value > 0));
}

static void print_row(struct stat_row *r)
{
	struct stat_metric m[STAT_METRICS_MAX];
	size_t metrics;

	stat_read(r->table, r->domain, r->ev, &r->reading);
	if (r->style->merge && r->ev->instance_of)
		add_instances(r);
	if (is_percore(r))
		add_core(r);
	if (left_out(r))
		return;
	r->cpus_counted = r->reading.counted;
	metrics = stat_metrics(r->table, r->domain, r->ev, m);
	if (r->style->json) {
		stat_print_json_row(r, m, metrics);
		return;
	}
	strbuf_str(r->b, r->prefix);
	stat_put_domain(r);
	put_value(r);
	if (r->style->separator)
		put_rest_csv(r, m, metrics);
	else
		put_rest_text(r, m, metrics);
	strbuf_char(r->b, '\n');
	for (size_t i = 1; i < metrics; i++)
		put_next_metric(r, &m[i]);
}

struct thread_value {
	size_t domain;
	double value;
};

static int by_value(const void *a, const void *b)
{
	const struct thread_value *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? 1 : -1;
	return x->domain < y->domain ? -1 : x->domain > y->domain;
}

/* Prints rows by thread, those with the largest counts first. */
static void print_threads(struct stat_row *row)
{
	size_t domains = row->table->domains->list.count;
	struct thread_value *order = xcalloc(domains + 1, sizeof(*order));

	for (size_t i = 0; i < domains; i++) {
		struct stat_reading reading;

		stat_read(row->table, i, row->ev, &reading);
		order[i] = (struct thread_value){ i, reading.counted ? reading.value : 0 };
	}
	if (domains)
		qsort(order, domains, sizeof(*order), by_value);
	for (size_t i = 0; i < domains; i++) {
		row->domain = order[i].domain;
		print_row(row);
	}
	free(order);
}

void stat_print_rows(struct strbuf *b, const struct stat_table *t, const struct stat_style *style,
		     const char *prefix)
{
	/* CPUs and threads: by event, to compare them; larger domains: one after another */
	bool by_event = t->domains->by == STAT_BY_CPU;
	size_t events = t->set->list.count, domains = t->domains->list.count;
	struct stat_row r = { .b = b, .table = t, .style = style, .prefix = prefix };

	if (style->metric_only) {
		stat_print_metrics_only(&r);
		return;
	}
	for (size_t i = 0; t->domains->by == STAT_BY_THREAD && i < events; i++) {
		r.ev = t->set->list.items[i];
		print_threads(&r);
	}
	for (size_t i = 0; t->domains->by != STAT_BY_THREAD && i < events * domains; i++) {
		r.domain = by_event ? i % domains : i / events;
		r.ev = t->set->list.items[by_event ? i / domains : i % events];
		/*
		 * a number of the whole run belongs to no CPU: print it once, in the first domain
		 */
		if (by_event && event_tool_is_whole(r.ev->tool) && r.domain)
			continue;
		print_row(&r);
	}
}

void stat_print_interval_head(struct strbuf *b, enum stat_by by, const struct stat_style *style)
{
	static const char *const heads[] = {
		[STAT_BY_ALL] = "",
		[STAT_BY_CPU] = " CPU    ",
		[STAT_BY_CORE] = " core            cpus",
		[STAT_BY_CLUSTER] = " cluster      cpus",
		[STAT_BY_DIE] = " die          cpus",
		[STAT_BY_CACHE] = " cache              cpus",
		[STAT_BY_SOCKET] = " socket cpus",
		[STAT_BY_NODE] = " node   cpus",
		[STAT_BY_THREAD] = "             comm-pid     ",
	};

	strbuf_f(b, "#           time%s ", heads[by]);
	if (!style->metric_only && by == STAT_BY_CPU)
		strbuf_str(b, "   ");
	if (!style->metric_only)
		strbuf_f(b, "            counts %*s events\n", (int)style->unit_width, "unit");
}

/* Digits after the point that show two significant ones. */
static int precision(double v)
{
	double digits;

	if (v > 1)
		return 0;
	if (!(v > 0))
		return 9;
	digits = ceil(-log10(v)) + 2;
	return digits > 9 ? 9 : (int)digits;
}

void stat_print_elapsed(struct strbuf *b, const struct stat_series *wall)
{
	double seconds = wall->mean / 1e9, error = stat_error(wall) / 1e9;
	int digits = precision(error);

	if (wall->runs < 2) {
		strbuf_f(b, " %17.9f seconds time elapsed", seconds);
		return;
	}
	strbuf_f(b, " %17.*f +- %.*f seconds time elapsed", digits, seconds, digits, error);
	if (seconds > 0)
		strbuf_f(b, "  ( +-%6.2f%% )", 100.0 * error / seconds);
}

void stat_print_run_table(struct strbuf *b, const double *values, size_t count,
			  const struct stat_series *wall)
{
	enum { BAR_MAX = 40, PERCENT_PER_MARK = 5 };
	double mean = wall->mean / 1e9;

	strbuf_str(b, "          # Table of individual measurements:\n");
	for (size_t i = 0; i < count; i++) {
		double off = values[i] - mean;
		double percent = values[i] > 0 ? 100 * fabs(off) / values[i] : 0;
		int bar = 1 + (int)MIN(percent / PERCENT_PER_MARK, BAR_MAX - 1);

		strbuf_f(b, " %17.9f (%+.9f) ", values[i], off);
		strbuf_pad(b, '#', bar);
		strbuf_char(b, '\n');
	}
	strbuf_str(b, "\n          # Final result:\n");
}
