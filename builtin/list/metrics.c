// SPDX-License-Identifier: GPL-2.0-or-later
/* perf list: metrics and their groups. */
#include <stdlib.h>
#include <string.h>

#include "builtin/list/internal.h"

static int need_metrics(struct list_printer *p, struct reason *r)
{
	if (p->metrics_ready)
		return 0;
	p->metrics_ready = true;
	return metric_set_init(&p->metrics, &p->sys, r);
}

/* Reports whether a metric is listed. Helpers of other metrics have no group, and are not. */
static bool is_listed(const struct metric_entry *m)
{
	return *m->description && m->groups.list.count;
}

/* Reports whether a metric matches NAME, or GROUP:NAME for one of its groups. */
static bool metric_matches(const struct metric_entry *m, const char *pattern)
{
	bool fits = list_text_matches(m->name, pattern);

	vec_for_each(&m->groups.list, g) {
		char *both = xasprintf("%s:%s", *g, m->name);

		fits |= strchr(pattern, ':') && list_text_matches(both, pattern);
		free(both);
	}
	return fits;
}

static void say_hidden(struct list_printer *p, size_t n, const char *what, const char *word)
{
	if (n && !p->settings->raw_dump)
		out_f(&p->out, "\n[%zu %s%s cannot be counted here: perf list -v %s]\n", n, what,
		      n == 1 ? "" : "s", word);
}

int list_metrics(struct list_printer *p, const char *pattern, struct reason *r)
{
	size_t before = p->printed, hidden = 0;
	int err = need_metrics(p, r);

	if (err)
		return err;
	vec_for_each(&p->metrics.catalogue.list, it) {
		if (!is_listed(it) || (pattern && !metric_matches(it, pattern)))
			continue;
		if (p->printed == before && !pattern && p->settings->spaced)
			out_str(&p->out, "\nMetrics (to be used in perf stat -M):\n\n");
		hidden += !list_print_metric(p, it, pattern);
	}
	say_hidden(p, hidden, "metric", "metric");
	return 0;
}

int list_groups(struct list_printer *p, const char *pattern, struct reason *r)
{
	struct strlist groups = { VEC_INIT };
	size_t hidden = 0;
	int err = need_metrics(p, r);

	if (err)
		return err;
	vec_for_each(&p->metrics.catalogue.list, it)
		vec_for_each(&it->groups.list, g)
			if (!strlist_has(&groups, *g) &&
			    (!pattern || list_text_matches(*g, pattern)))
				strlist_add(&groups, *g);
	strlist_sort(&groups);
	vec_for_each(&groups.list, g)
		hidden += !list_print_group(p, *g, pattern);
	say_hidden(p, hidden, "group", "metricgroup");
	strlist_release(&groups);
	return 0;
}
