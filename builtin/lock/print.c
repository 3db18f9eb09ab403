// SPDX-License-Identifier: GPL-2.0-or-later
/* The tables as text: as perf 6.1 lays them out except for names, which are whole. */
#include <stdlib.h>
#include <string.h>

#include "analysis/kernel_function.h"
#include "base/text_table.h"
#include "builtin/lock/internal.h"

/* Adds a time with a unit in three columns: "2.21 s ", "32.48 ms", "127 ns". */
static void put_time(struct strbuf *b, u64 ns, int width)
{
	static const struct {
		double base;
		const char *unit;
	} units[] = {
		{ 3600e9, "h " }, { 60e9, "m " }, { 1e9, "s " }, { 1e6, "ms" }, { 1e3, "us" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if ((double)ns >= units[i].base) {
			strbuf_f(b, "%*.2f %s", width - 3, (double)ns / units[i].base,
				 units[i].unit);
			return;
		}
	strbuf_f(b, "%*" PRIu64 " ns", width - 3, ns);
}

static void put_cells(const struct lock_result *res, const struct lock_row *row, struct strbuf *b)
{
	for (size_t i = 0; i < res->columns.count; i++) {
		const struct lock_column *c = res->columns.shown[i];

		if (c->is_time)
			put_time(b, c->value(row), c->width);
		else
			strbuf_f(b, "%*" PRIu64, c->width, c->value(row));
		strbuf_char(b, ' ');
	}
}

static void put_heads(const struct lock_result *res, struct strbuf *b)
{
	for (size_t i = 0; i < res->columns.count; i++)
		strbuf_f(b, "%*s ", res->columns.shown[i]->width, res->columns.shown[i]->head);
}

static const char *type_of(const struct lock_row *row)
{
	const char *name = lock_type_name(row->flags);

	return name ? name : "unknown";
}

void lock_symbol(const struct lock_result *res, const struct lock_row *row, struct strbuf *b)
{
	struct kernel_function f;
	u64 addr = row->addr;

	if (row->lock_name && *row->lock_name) {
		strbuf_str(b, row->lock_name);
	} else if (!res->l->user && kernel_function_at(res->session, addr, NULL, &f) && *f.name) {
		strbuf_printable(b, f.name);
		if (addr != f.start)
			strbuf_f(b, "+%#" PRIx64, addr - f.start);
	}
}

/* ---- one row below another ---- */

static void put_slot_time(struct strbuf *b, unsigned slot)
{
	u64 ns = slot ? 1ULL << (slot - 1) : 0;

	put_time(b, ns, 12);
}

static void put_histogram(const struct lock_row *row, struct strbuf *b)
{
	enum { BAR = 40 };
	unsigned first = 0, last = HISTOGRAM_SLOTS - 1;
	u64 most = 0;

	for (unsigned i = 0; i < HISTOGRAM_SLOTS; i++)
		most = MAX(most, row->slots[i]);
	if (!most)
		return;
	while (!row->slots[first])
		first++;
	while (!row->slots[last])
		last--;
	for (unsigned i = first; i <= last; i++) {
		strbuf_str(b, "\t\t");
		put_slot_time(b, i);
		strbuf_str(b, " ..");
		put_slot_time(b, i + 1);
		strbuf_f(b, " %10" PRIu64 " |", row->slots[i]);
		strbuf_pad(b, '#', (int)((row->slots[i] * BAR + most - 1) / most));
		strbuf_char(b, '\n');
	}
}

static void put_frames(const struct lock_row *row, struct strbuf *b)
{
	for (u32 i = 0; i < row->depth; i++)
		strbuf_f(b, "\t\t\t%#lx  %s\n", (unsigned long)row->frames[i].ip,
			 row->frames[i].name);
}

static void put_more(const struct lock_result *res, const struct lock_row *row, struct strbuf *b)
{
	const struct lock *l = res->l;

	if (l->a.ctx->verbose > 0 && l->by != LOCK_BY_TASK)
		put_frames(row, b);
	if (row->wakers)
		strbuf_f(b, "\t\t\twaited for: %s\n", row->wakers);
	if (l->histogram)
		put_histogram(row, b);
}

/* ---- contention ---- */

static int type_width(const struct lock_result *res)
{
	return res->l->user ? 11 : 10;
}

static void put_contention_head(const struct lock_result *res, struct strbuf *b)
{
	put_heads(res, b);
	switch (res->l->by) {
	case LOCK_BY_TASK:
	case LOCK_BY_OWNER:
		strbuf_f(b, "  %10s   %s\n\n", "pid",
			 res->l->by == LOCK_BY_TASK ? "comm" : "owner");
		break;
	case LOCK_BY_ADDRESS:
		strbuf_f(b, "  %16s   %s\n\n", "address", "symbol");
		break;
	case LOCK_BY_CGROUP:
		strbuf_str(b, "  cgroup\n\n");
		break;
	case LOCK_BY_OWNER_STACK:
		strbuf_f(b, "  %*s   %s\n\n", type_width(res), "type", "where the owner was");
		break;
	default:
		strbuf_f(b, "  %*s   %s\n\n", type_width(res), "type", "caller");
	}
}

static void put_contention_row(const struct lock_result *res, const struct lock_row *row,
			       struct strbuf *b)
{
	size_t at;

	put_cells(res, row, b);
	switch (res->l->by) {
	case LOCK_BY_TASK:
	case LOCK_BY_OWNER:
		strbuf_f(b, "  %10d   %s\n", (s32)row->tid, row->name);
		break;
	case LOCK_BY_ADDRESS:
		strbuf_f(b, "  %016" PRIx64 "   ", row->addr);
		at = b->len;
		lock_symbol(res, row, b);
		strbuf_f(b, b->len > at ? " (%s)" : "(%s)", type_of(row));
		strbuf_f(b, row->name && strcmp(row->name, "Unknown") ? " %s\n" : "\n", row->name);
		break;
	case LOCK_BY_CGROUP:
		strbuf_f(b, "  %s\n", row->name);
		break;
	default:
		strbuf_f(b, "  %*s   %s\n", type_width(res), type_of(row), row->name);
	}
	put_more(res, row, b);
}

/* ---- separated fields ---- */

static void put_csv_head(const struct lock_result *res, struct strbuf *b)
{
	static const char *const last[] = {
		[LOCK_BY_CALLER] = "type\0caller", [LOCK_BY_ADDRESS] = "address\0symbol\0type",
		[LOCK_BY_TASK] = "pid\0comm",      [LOCK_BY_OWNER] = "pid\0owner",
		[LOCK_BY_CGROUP] = "cgroup",       [LOCK_BY_OWNER_STACK] = "type\0owner_at",
	};
	static const int parts[] = {
		[LOCK_BY_CALLER] = 2, [LOCK_BY_ADDRESS] = 3, [LOCK_BY_TASK] = 2,
		[LOCK_BY_OWNER] = 2,  [LOCK_BY_CGROUP] = 1,  [LOCK_BY_OWNER_STACK] = 2,
	};
	const char *sep = res->l->separator, *at = last[res->l->by];

	strbuf_str(b, "# output: ");
	if (res->l->command == LOCK_REPORT)
		strbuf_f(b, "name%s ", sep);
	for (size_t i = 0; i < res->columns.count; i++)
		strbuf_f(b, "%s%s ", res->columns.shown[i]->head,
			 res->l->command == LOCK_REPORT && i + 1 == res->columns.count ? "" : sep);
	for (int i = 0; res->l->command == LOCK_CONTENTION && i < parts[res->l->by]; i++) {
		strbuf_f(b, "%s%s", i ? sep : "", i ? " " : "");
		strbuf_str(b, at);
		at += strlen(at) + 1;
	}
	strbuf_char(b, '\n');
}

static void put_csv_row(const struct lock_result *res, const struct lock_row *row, struct strbuf *b)
{
	const char *sep = res->l->separator;
	bool report = res->l->command == LOCK_REPORT;

	if (report) {
		strbuf_csv_field(b, row->name, sep);
		strbuf_f(b, "%s ", sep);
	}
	for (size_t i = 0; i < res->columns.count; i++)
		strbuf_f(b, "%" PRIu64 "%s%s", res->columns.shown[i]->value(row),
			 report && i + 1 == res->columns.count ? "" : sep,
			 report && i + 1 == res->columns.count ? "" : " ");
	if (!report) {
		struct strbuf symbol = STRBUF_INIT;

		switch (res->l->by) {
		case LOCK_BY_TASK:
		case LOCK_BY_OWNER:
			strbuf_f(b, "%d%s ", (s32)row->tid, sep);
			break;
		case LOCK_BY_ADDRESS:
			lock_symbol(res, row, &symbol);
			strbuf_f(b, "%#" PRIx64 "%s ", row->addr, sep);
			strbuf_csv_field(b, strbuf_cstr(&symbol), sep);
			strbuf_f(b, "%s %s\n", sep, type_of(row));
			strbuf_release(&symbol);
			return;
		case LOCK_BY_CGROUP:
			break;
		default:
			strbuf_f(b, "%s%s ", type_of(row), sep);
		}
		strbuf_csv_field(b, row->name, sep);
	}
	strbuf_char(b, '\n');
}

/* ---- report ---- */

static int name_width(const struct lock_result *res)
{
	int width = 20;

	vec_for_each(&res->rows.list, row)
		if (row->acquired)
			width = MAX(width, (int)strlen(row->name));
	return width;
}

static void put_faults(const struct lock_result *res, struct strbuf *b)
{
	static const char *const names[LOCK_FAULTS] = { "acquire", "acquired", "contended",
							"release" };
	u64 bad = 0, total = res->rows.list.count;

	vec_for_each(&res->rows.list, row)
		bad += row->broken;
	if (res->l->a.ctx->quiet || (!bad && res->l->a.ctx->verbose <= 0))
		return;
	strbuf_f(b,
		 "\n=== output for debug===\n\nbad: %" PRIu64 ", total: %" PRIu64
		 "\nbad rate: %.2f %%\n",
		 bad, total, total ? (double)bad / (double)total * 100 : 0.0);
	strbuf_str(b, "histogram of events caused bad sequence\n");
	for (int i = 0; i < LOCK_FAULTS; i++)
		strbuf_f(b, " %10s: %" PRIu64 "\n", names[i], res->faults[i]);
}

static void put_report_row(const struct lock_result *res, const struct lock_row *row, int width,
			   struct strbuf *b)
{
	strbuf_f(b, "%*s ", width, row->name);
	put_cells(res, row, b);
	strbuf_char(b, '\n');
	put_more(res, row, b);
}

void lock_print(struct lock_result *res, struct strbuf *b)
{
	const struct lock *l = res->l;
	bool report = l->command == LOCK_REPORT, quiet = l->a.ctx->quiet;
	int width = report ? name_width(res) : 0;
	u64 shown = 0;

	if (l->separator && !quiet)
		put_csv_head(res, b);
	else if (!quiet && report)
		strbuf_f(b, "%*s ", width, "Name");
	if (!l->separator && !quiet && report) {
		put_heads(res, b);
		strbuf_str(b, "\n\n");
	} else if (!l->separator && !quiet) {
		put_contention_head(res, b);
	}
	vec_for_each(&res->rows.list, row) {
		if (shown == l->most_rows)
			break;
		if (report ? !row->acquired : !row->contended)
			continue;
		shown++;
		if (l->separator)
			put_csv_row(res, row, b);
		else if (report)
			put_report_row(res, row, width, b);
		else
			put_contention_row(res, row, b);
	}
	if (!l->separator && report)
		put_faults(res, b);
}

/* ---- info ---- */

static int by_number(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static void put_threads(struct lock_result *res, struct strbuf *b)
{
	VEC(u64) tids = VEC_INIT;

	for (size_t i = 0; i < res->threads.space; i++)
		if (res->threads.slots[i].used)
			vec_push(&tids, res->threads.slots[i].key);
	vec_sort(&tids, by_number);
	strbuf_f(b, "%10s: comm\n", "Thread ID");
	vec_for_each(&tids, tid) {
		u64 comm = *map64_get(&res->threads, *tid);

		strbuf_f(b, "%10" PRIu64 ": ", *tid >> 32);
		strbuf_printable(b, history_comm_text(session_history(res->session), (u32)comm));
		strbuf_char(b, '\n');
	}
	vec_release(&tids);
}

static int by_name(const void *a, const void *b)
{
	const struct lock_row *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : x->addr < y->addr ? -1 : x->addr > y->addr;
}

void lock_print_info(struct lock_result *res, struct strbuf *b)
{
	if (res->l->threads)
		put_threads(res, b);
	if (!res->l->map)
		return;
	strbuf_str(b, "Address of instance: name of class\n");
	vec_sort(&res->rows.list, by_name);
	vec_for_each(&res->rows.list, row)
		strbuf_f(b, " %#" PRIx64 ": %s\n", row->addr, row->name);
}
