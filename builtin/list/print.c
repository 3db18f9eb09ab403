// SPDX-License-Identifier: GPL-2.0-or-later
/* perf list: rows for people, objects of JSON, names alone. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "builtin/list/internal.h"

enum { NAME_COLUMN = 50 };

static void print_object(struct list_printer *p, const struct list_item *item)
{
	struct strbuf b = STRBUF_INIT;
	bool metric = item->expression != NULL;

	strbuf_str(&b, "{\n");
	list_put_key(&b, "Unit", item->unit);
	list_put_key(&b, "MetricGroup", item->groups);
	list_put_key(&b, metric ? "MetricName" : "EventName", item->name);
	list_put_key(&b, "EventAlias", item->alias);
	list_put_key(&b, "EventType", metric ? NULL : item->type);
	list_put_key(&b, "BriefDescription", item->description);
	list_put_key(&b, "MetricExpr", item->expression);
	list_put_key(&b, "MetricThreshold", item->threshold);
	list_put_key(&b, "ScaleUnit", item->scale);
	list_put_key(&b, "Encoding", item->code ? item->code : item->terms);
	list_put_key(&b, "Models", item->models);
	list_put_key(&b, "Object", item->object);
	list_put_key(&b, "BuildID", item->build_id);
	list_put_key(&b, "Unavailable", item->unavailable);
	if (p->settings->details && item->tracepoint)
		list_put_format(p, &b, item->name, true);
	out_f(&p->out, "%s%s\n}", p->printed ? ",\n" : "", b.s);
	strbuf_release(&b);
}

void list_begin(struct list_printer *p)
{
	if (p->settings->json)
		out_str(&p->out, "[\n");
	else if (p->settings->spaced && !p->settings->raw_dump)
		out_str(&p->out, "\nList of pre-defined events (to be used in -e):\n\n");
}

void list_end(struct list_printer *p)
{
	if (p->settings->json)
		out_str(&p->out, p->printed ? "\n]\n" : "]\n");
	else if (p->settings->raw_dump)
		out_str(&p->out, "\n");
}

void list_print_item(struct list_printer *p, const struct list_item *item)
{
	struct strbuf *b = out_buf(&p->out);
	size_t start;

	if (p->settings->json) {
		print_object(p, item);
	} else if (p->settings->raw_dump) {
		strbuf_f(b, "%s ", item->name);
	} else {
		if (p->settings->spaced && p->printed && p->last && strcmp(p->last, item->type))
			strbuf_char(b, '\n');
		strbuf_str(b, "  ");
		start = b->len;
		strbuf_str(b, item->name);
		if (item->alias) {
			strbuf_str(b, " OR ");
			strbuf_str(b, item->alias);
		}
		strbuf_pad(b, ' ', NAME_COLUMN - (int)(b->len - start));
		strbuf_str(b, " [");
		strbuf_str(b, item->type);
		strbuf_str(b, "]\n");
		if (item->description && !p->settings->no_desc)
			strbuf_f(b, "       [%s]\n", item->description);
	}
	p->printed++;
	p->last = item->type;
	out_done(&p->out);
}

/* ---- metrics ---- */

static char *joined(const struct strlist *names)
{
	struct strbuf b = STRBUF_INIT;

	vec_for_each(&names->list, it)
		strbuf_f(&b, "%s%s", b.len ? ";" : "", *it);
	return strbuf_detach(&b);
}

static void print_metric_text(struct list_printer *p, const struct metric_entry *m, const char *why)
{
	out_f(&p->out, m->pmu ? "  %s (%s)\n" : "  %s\n", m->name, m->pmu);
	if (!p->settings->no_desc)
		out_f(&p->out, "       [%s]\n", m->description);
	if (p->settings->details) {
		out_f(&p->out, "       %s\n", m->expression);
		if (*m->threshold)
			out_f(&p->out, "       deserves attention: %s\n", m->threshold);
	}
	if (why)
		out_f(&p->out, "       [not available: %s]\n", why);
}

/* Lists what cannot be counted? Names alone are for completion, which has no use for it. */
static bool lists_uncountable(const struct list_printer *p, bool named)
{
	return !p->settings->raw_dump && (named || p->settings->json || p->settings->details);
}

bool list_print_metric(struct list_printer *p, const struct metric_entry *m, bool named)
{
	char *groups, *scale, *why;

	why = metric_unavailable(&p->metrics, m);
	if (why && !lists_uncountable(p, named)) {
		free(why);
		return false;
	}
	if (p->settings->raw_dump) {
		out_f(&p->out, "%s ", m->name);
		p->printed++;
		return true;
	}
	groups = joined(&m->groups);
	scale = xasprintf("%g%s", m->scale, m->unit);
	if (p->settings->json)
		print_object(p,
			     &(struct list_item){ .name = m->name,
						  .groups = groups,
						  .unit = m->pmu,
						  .description = m->description,
						  .expression = m->expression,
						  .threshold = *m->threshold ? m->threshold : NULL,
						  .scale = strcmp(scale, "1") ? scale : NULL,
						  .unavailable = why });
	else
		print_metric_text(p, m, why);
	p->printed++;
	free(groups);
	free(scale);
	free(why);
	out_done(&p->out);
	return true;
}

/* Reports whether the metric is in the group and should be listed. */
static bool is_member(struct list_printer *p, const struct metric_entry *m, const char *group,
		      bool named)
{
	char *why;
	bool countable;

	if (!metric_in_group(m, group))
		return false;
	if (lists_uncountable(p, named))
		return true;
	why = metric_unavailable(&p->metrics, m);
	countable = !why;
	free(why);
	return countable;
}

static bool has_members(struct list_printer *p, const char *group, bool named)
{
	vec_for_each(&p->metrics.catalogue.list, it)
		if (is_member(p, it, group, named))
			return true;
	return false;
}

bool list_print_group(struct list_printer *p, const char *group, bool named)
{
	if (!has_members(p, group, named))
		return false;
	if (p->settings->json) {
		out_f(&p->out, "%s{\n\t\"MetricGroup\": ", p->printed ? ",\n" : "");
		json_text(out_buf(&p->out), group);
		out_str(&p->out, "\n}");
	} else {
		out_f(&p->out, p->settings->raw_dump ? "%s " : "%s:\n", group);
	}
	p->printed++;
	if (p->settings->raw_dump || p->settings->json)
		return true;
	vec_for_each(&p->metrics.catalogue.list, it)
		if (is_member(p, it, group, named))
			out_f(&p->out, "  %s\n", it->name);
	return true;
}
