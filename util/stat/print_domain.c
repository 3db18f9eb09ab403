// SPDX-License-Identifier: GPL-2.0-or-later
/* Names what a row is about: a CPU, a socket, a thread ... */
#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "stat/internal.h"

/* Returns the width of a name. In text its last number has a column: "S0-D0-C" and 8 more. */
static int name_width(enum stat_by by, const struct strbuf *name)
{
	static const int columns[] = {
		[STAT_BY_CPU] = 7,   [STAT_BY_CORE] = 8,   [STAT_BY_CLUSTER] = 5, [STAT_BY_DIE] = 8,
		[STAT_BY_CACHE] = 8, [STAT_BY_SOCKET] = 5, [STAT_BY_NODE] = 5,
	};
	size_t digits = 0;

	while (digits < name->len && isdigit((unsigned char)name->s[name->len - 1 - digits]))
		digits++;
	return (int)(name->len - digits) + columns[by];
}

void stat_domain_name(struct strbuf *b, enum stat_by by, const struct stat_domain *d)
{
	switch (by) {
	case STAT_BY_ALL:
		break;
	case STAT_BY_CPU:
		strbuf_f(b, "CPU%d", d->cpu);
		break;
	case STAT_BY_THREAD:
		strbuf_f(b, "%s-%d", d->comm, d->tid);
		break;
	case STAT_BY_NODE:
		strbuf_f(b, "N%d", d->node);
		break;
	case STAT_BY_SOCKET:
		strbuf_f(b, "S%d", d->socket);
		break;
	case STAT_BY_DIE:
		strbuf_f(b, "S%d-D%d", d->socket, d->die);
		break;
	case STAT_BY_CLUSTER:
		strbuf_f(b, "S%d-D%d-CLS%d", d->socket, d->die, d->cluster);
		break;
	case STAT_BY_CACHE:
		strbuf_f(b, "S%d-D%d-L%d-ID%d", d->socket, d->die, d->cache_level, d->cache);
		break;
	case STAT_BY_CORE:
		strbuf_f(b, "S%d-D%d-C%d", d->socket, d->die, d->core);
		break;
	}
}

void stat_put_domain(const struct stat_row *r)
{
	const struct stat_domain *d = &r->table->domains->list.items[r->domain];
	enum stat_by by = r->table->domains->by;
	u32 cpus = !r->cpus_counted ? 1 : r->ev ? r->reading.counters : d->cpus;
	struct strbuf name = STRBUF_INIT;

	if (by == STAT_BY_ALL)
		return;
	if (by == STAT_BY_THREAD) {
		const char *comm = d->comm ? d->comm : "";

		strbuf_aligned(r->b, comm, strlen(comm), stat_width(r, 16));
		strbuf_f(r->b, "-%*d%s", stat_width(r, -8), d->tid, stat_sep(r));
		return;
	}
	stat_domain_name(&name, by, d);
	strbuf_f(r->b, "%*s%s", stat_width(r, -name_width(by, &name)), name.s, stat_sep(r));
	if (by != STAT_BY_CPU)
		strbuf_f(r->b, "%*u%s", stat_width(r, 4), cpus, stat_sep(r));
	strbuf_release(&name);
}
