// SPDX-License-Identifier: GPL-2.0-or-later
/* The columns that report and contention have and their order. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "builtin/lock/internal.h"

static u64 acquired(const struct lock_row *row)
{
	return row->acquired;
}

static u64 contended(const struct lock_row *row)
{
	return row->contended;
}

static u64 total(const struct lock_row *row)
{
	return row->total;
}

static u64 max(const struct lock_row *row)
{
	return row->max;
}

static u64 min(const struct lock_row *row)
{
	return row->min == UINT64_MAX ? 0 : row->min;
}

static const struct lock_column all[] = {
	{ "acquired", "acquired", 10, acquired, false },
	{ "contended", "contended", 10, contended, false },
	{ "avg_wait", "avg wait", 12, lock_row_average, true },
	{ "wait_total", "total wait", 12, total, true },
	{ "wait_max", "max wait", 12, max, true },
	{ "wait_min", "min wait", 12, min, true },
};
_Static_assert(ARRAY_SIZE(all) == LOCK_COLUMNS, "each column can be shown");

/*
 * Returns a column. contention has no count of acquisitions, since it does not see those without
 * contention.
 */
static const struct lock_column *column_of(enum lock_command command, const char *name, size_t len)
{
	for (size_t i = command == LOCK_REPORT ? 0 : 1; i < ARRAY_SIZE(all); i++)
		if (strlen(all[i].name) == len && !memcmp(all[i].name, name, len))
			return &all[i];
	return NULL;
}

static int refuse(enum lock_command command, const char *what, const char *name, size_t len,
		  struct reason *r)
{
	return reason_set(
		r, EINVAL,
		"'%.*s' is not a %s: %scontended, avg_wait, wait_total, wait_max, wait_min",
		(int)len, name, what, command == LOCK_REPORT ? "acquired, " : "");
}

static void show(struct lock_columns *c, const struct lock_column *column)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->shown[i] == column)
			return;
	c->shown[c->count++] = column;
}

int lock_columns_parse(struct lock_columns *c, enum lock_command command, const char *fields,
		       const char *key, struct reason *r)
{
	bool report = command == LOCK_REPORT;

	*c = (struct lock_columns){ .count = 0 };
	if (!fields)
		fields = report ? "acquired,contended,avg_wait,wait_total,wait_max,wait_min"
				: "contended,wait_total,wait_max,avg_wait";
	for (;;) {
		size_t len = strcspn(fields, ",");
		const struct lock_column *column = column_of(command, fields, len);

		if (!column)
			return refuse(command, "field", fields, len, r);
		show(c, column);
		if (!fields[len])
			break;
		fields += len + 1;
	}
	if (!key)
		key = report ? "acquired" : "wait_total";
	c->sort = column_of(command, key, strlen(key));
	if (!c->sort)
		return refuse(command, "key", key, strlen(key), r);
	show(c, c->sort);
	return 0;
}

/*
 * Compares by the sort column, greatest first, then by name and address, so the order is always the
 * same.
 */
static int by_column(const void *a, const void *b, void *arg)
{
	const struct lock_columns *c = arg;
	const struct lock_row *x = a, *y = b;
	u64 vx = c->sort->value(x), vy = c->sort->value(y);
	int order;

	if (vx != vy)
		return vx > vy ? -1 : 1;
	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	order = strcmp(x->name ? x->name : "", y->name ? y->name : "");
	if (order)
		return order;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

void lock_rows_sort(struct lock_rows *rows, const struct lock_columns *c)
{
	if (rows->list.count > 1)
		qsort_r(rows->list.items, rows->list.count, sizeof(*rows->list.items), by_column,
			(void *)c);
	map64_release(&rows->by_key);
}
