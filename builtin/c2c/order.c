// SPDX-License-Identifier: GPL-2.0-or-later
/* Which lines and entries are shown, and in which order. */
#include "builtin/c2c/lines.h"

#include <stdlib.h>
#include <string.h>

/* A line with less than this part of all is not shown. */
#define LEAST_SHARE 0.001

static int cmp(u64 a, u64 b)
{
	return (a > b) - (a < b);
}

enum c2c_count lines_metric(const struct c2c_lines *l)
{
	static const enum c2c_count of[] = {
		[C2C_TOTAL] = C2C_ALL_HITM,
		[C2C_LOCAL] = C2C_LOCAL_HITM,
		[C2C_REMOTE] = C2C_REMOTE_HITM,
		[C2C_PEER] = C2C_ALL_PEER,
	};

	return of[l->display];
}

/* ---- lines ---- */

static int by_key(const void *a, const void *b, void *arg)
{
	const struct c2c_line *x = *(struct c2c_line *const *)a, *y = *(struct c2c_line *const *)b;
	const struct c2c_lines *l = arg;
	const struct c2c_object *o = &l->object_list.items[x->key.object],
				*p = &l->object_list.items[y->key.object];
	int c = cmp(x->key.cpumode, y->key.cpumode);

	if (!c)
		c = cmp(!x->key.object, !y->key.object); /* unmapped memory comes last */
	if (!c)
		c = cmp(o->dev, p->dev);
	if (!c)
		c = cmp(o->ino, p->ino);
	if (!c)
		c = cmp(o->generation, p->generation);
	if (!c)
		c = cmp(x->key.pid, y->key.pid);
	return c ? c : cmp(x->key.at, y->key.at);
}

static int by_metric(const void *a, const void *b, void *arg)
{
	const struct c2c_line *x = *(struct c2c_line *const *)a, *y = *(struct c2c_line *const *)b;
	enum c2c_count m = lines_metric(arg);
	int c = cmp(y->item.counts.of[m], x->item.counts.of[m]);

	return c ? c : by_key(a, b, arg);
}

static void add_shared(struct c2c_lines *l)
{
	vec_for_each(&l->all, line) {
		const struct c2c_counts *c = &(*line)->item.counts;

		if (!c->of[C2C_ALL_HITM] && !c->of[C2C_ALL_PEER])
			continue;
		l->shared_lines++;
		c2c_add_counts(&l->shared, c);
	}
}

static bool is_shown(const struct c2c_lines *l, const struct c2c_line *line)
{
	enum c2c_count m = lines_metric(l);
	u64 all = l->shared.of[m];

	return l->show_all || (all && (double)line->item.counts.of[m] / (double)all >= LEAST_SHARE);
}

/* ---- entries ---- */

static int by_coalesce_key(const struct c2c_lines *l, const struct c2c_entry *x,
			   const struct c2c_entry *y)
{
	for (const enum c2c_key *k = l->keys; *k; k++) {
		int c = 0;

		switch (*k) {
		case C2C_KEY_PID: /* perf 6.1 has these the other way round */
			c = cmp(y->key.pid, x->key.pid);
			break;
		case C2C_KEY_TID:
			c = cmp(x->key.tid, y->key.tid);
			break;
		case C2C_KEY_CODE:
			c = cmp(x->key.code, y->key.code);
			break;
		default:
			c = strcmp(strtab_get(&l->dsos, x->key.dso),
				   strtab_get(&l->dsos, y->key.dso));
		}
		if (c)
			return c;
	}
	return 0;
}

static int by_offset(const void *a, const void *b, void *arg)
{
	const struct c2c_entry *x = *(struct c2c_entry *const *)a,
			       *y = *(struct c2c_entry *const *)b;
	const struct c2c_lines *l = arg;
	const u64 *s = x->item.counts.of, *t = y->item.counts.of;
	enum c2c_count m = lines_metric(l), second = m;
	int c = cmp(x->key.data & (l->line_size - 1), y->key.data & (l->line_size - 1));

	if (m == C2C_LOCAL_HITM)
		second = C2C_REMOTE_HITM;
	else if (m == C2C_REMOTE_HITM)
		second = C2C_LOCAL_HITM;
	if (!c)
		c = cmp(t[m], s[m]);
	if (!c)
		c = cmp(t[second], s[second]);
	return c ? c : by_coalesce_key(l, x, y);
}

/* Reports whether an entry is dull: neither written to, nor in another cache when it was read. */
static bool is_dull(const struct c2c_lines *l, const struct c2c_entry *e)
{
	return !e->item.counts.of[C2C_STORES] && !e->item.counts.of[lines_metric(l)];
}

static void finish_line(struct c2c_lines *l, struct c2c_line *line)
{
	size_t kept = 0;

	vec_for_each(&line->entries, e)
		if (!is_dull(l, *e))
			line->entries.items[kept++] = *e;
	line->entries.count = kept;
	if (kept)
		qsort_r(line->entries.items, kept, sizeof(*line->entries.items), by_offset, l);
	line->index = (u32)l->shown.count;
	vec_push(&l->shown, line);
}

/* Sums up the lines and the total, since samples were added only to entries. */
static void sum_up(struct c2c_lines *l)
{
	vec_for_each(&l->all, line) {
		vec_for_each(&(*line)->entries, e)
			c2c_add_counts(&(*line)->item.counts, &(*e)->item.counts);
		c2c_add_counts(&l->total, &(*line)->item.counts);
	}
}

void lines_finish(struct c2c_lines *l)
{
	sum_up(l);
	if (l->all.count)
		qsort_r(l->all.items, l->all.count, sizeof(*l->all.items), by_metric, l);
	add_shared(l);
	vec_for_each(&l->all, line)
		if (is_shown(l, *line))
			finish_line(l, *line);
}
