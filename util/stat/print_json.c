// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * -j: an object for each row, with the keys of perf 6.1 in its order.  Unlike
 * there, texts are escaped, and a row without a ratio has the unit "".
 */
#include "base/json.h"
#include "stat/internal.h"

static const char *domain_key(enum stat_by by)
{
	static const char *const keys[] = {
		[STAT_BY_CPU] = "cpu",   [STAT_BY_CORE] = "core",     [STAT_BY_CLUSTER] = "cluster",
		[STAT_BY_DIE] = "die",   [STAT_BY_CACHE] = "cache",   [STAT_BY_SOCKET] = "socket",
		[STAT_BY_NODE] = "node", [STAT_BY_THREAD] = "thread",
	};

	return keys[by];
}

void stat_json_begin(const struct stat_row *r)
{
	const struct stat_domain *d = &r->table->domains->list.items[r->domain];
	enum stat_by by = r->table->domains->by;
	struct strbuf name = STRBUF_INIT;

	strbuf_char(r->b, '{');
	strbuf_str(r->b, r->prefix);
	if (by == STAT_BY_ALL)
		return;
	if (by == STAT_BY_CPU)
		strbuf_f(&name, "%d", d->cpu);
	else
		stat_domain_name(&name, by, d);
	strbuf_f(r->b, "\"%s\" : ", domain_key(by));
	json_text(r->b, name.s);
	strbuf_str(r->b, ", ");
	if (by != STAT_BY_CPU && by != STAT_BY_THREAD)
		strbuf_f(r->b, "\"aggregate-number\" : %u, ",
			 !r->cpus_counted ? 1
			 : r->ev          ? r->reading.counters
					  : d->cpus);
	strbuf_release(&name);
}

static void put_metric(const struct stat_row *r, const struct stat_metric *m)
{
	strbuf_f(r->b, "\"metric-value\" : %f, \"metric-unit\" : ", m ? m->value : 0.0);
	json_text(r->b, m ? m->unit : "");
	if (m && m->has_threshold)
		strbuf_f(r->b, ", \"metric-threshold\" : \"%s\"", m->bad ? "bad" : "good");
	strbuf_str(r->b, "}\n");
}

static void put_event(const struct stat_row *r)
{
	const struct stat_reading *v = &r->reading;

	strbuf_str(r->b, "\"counter-value\" : ");
	if (v->counted)
		strbuf_f(r->b, "\"%f\"", v->value * r->ev->scale);
	else
		strbuf_f(r->b, "\"<not %s>\"", v->supported ? "counted" : "supported");
	strbuf_str(r->b, ", \"unit\" : ");
	json_text(r->b, r->ev->unit ? r->ev->unit : "");
	strbuf_str(r->b, ", \"event\" : ");
	json_text(r->b, r->ev->name);
	if (r->ev->cgroup) {
		strbuf_str(r->b, ", \"cgroup\" : ");
		json_text(r->b, r->ev->cgroup);
	}
	if (r->style->noise)
		strbuf_f(r->b, ", \"variance\" : %.2f", v->noise);
	strbuf_f(r->b, ", \"event-runtime\" : %.0f, \"pcnt-running\" : %.2f, ", v->running,
		 v->enabled > 0 ? 100.0 * v->running / v->enabled : 100.0);
}

void stat_print_json_row(const struct stat_row *r, const struct stat_metric *m, size_t metrics)
{
	stat_json_begin(r);
	put_event(r);
	put_metric(r, metrics ? m : NULL);
	for (size_t i = 1; i < metrics; i++) {
		stat_json_begin(r);
		put_metric(r, &m[i]);
	}
}
