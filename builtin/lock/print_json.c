// SPDX-License-Identifier: GPL-2.0-or-later
/* The table as one JSON object; times are ns. */
#include <string.h>

#include "base/json.h"
#include "builtin/lock/internal.h"

static void put_key(struct strbuf *b, const char *key, bool first)
{
	strbuf_f(b, "%s\"%s\": ", first ? "" : ", ", key);
}

static void put_text(struct strbuf *b, const char *key, const char *text)
{
	put_key(b, key, false);
	json_text(b, text);
}

static void put_number(struct strbuf *b, const char *key, u64 value)
{
	put_key(b, key, false);
	strbuf_dec(b, value);
}

static void put_stack(struct strbuf *b, const struct lock_row *row)
{
	put_key(b, "stack", false);
	strbuf_char(b, '[');
	for (u32 i = 0; i < row->depth; i++) {
		strbuf_f(b, "%s{\"ip\": \"%#" PRIx64 "\", \"symbol\": ", i ? ", " : "",
			 row->frames[i].ip);
		json_text(b, row->frames[i].name);
		strbuf_char(b, '}');
	}
	strbuf_char(b, ']');
}

/*
 * Adds pairs: the least time of a slot, and how many waits took that long, but less than twice
 * that.
 */
static void put_slots(struct strbuf *b, const struct lock_row *row)
{
	const char *comma = "";

	put_key(b, "histogram", false);
	strbuf_char(b, '[');
	for (unsigned i = 0; i < HISTOGRAM_SLOTS; i++) {
		if (!row->slots[i])
			continue;
		strbuf_f(b, "%s{\"from_ns\": %llu, \"count\": %" PRIu64 "}", comma,
			 i ? 1ULL << (i - 1) : 0ULL, row->slots[i]);
		comma = ", ";
	}
	strbuf_char(b, ']');
}

static void put_row(const struct lock_result *res, const struct lock_row *row, struct strbuf *b)
{
	const char *type = lock_type_name(row->flags);
	struct strbuf symbol = STRBUF_INIT;

	put_key(b, "name", true);
	json_text(b, row->name);
	put_number(b, "contended", row->contended);
	put_number(b, "waits", row->waits);
	put_number(b, "wait_total", row->total);
	put_number(b, "wait_max", row->max);
	put_number(b, "wait_min", row->min == UINT64_MAX ? 0 : row->min);
	put_number(b, "avg_wait", lock_row_average(row));
	if (res->l->command == LOCK_REPORT)
		put_number(b, "acquired", row->acquired);
	else if (res->l->by == LOCK_BY_CALLER || res->l->by == LOCK_BY_ADDRESS ||
		 res->l->by == LOCK_BY_OWNER_STACK)
		put_text(b, "type", type ? type : "unknown");
	if (res->l->by == LOCK_BY_ADDRESS) {
		put_key(b, "address", false);
		strbuf_f(b, "\"%#" PRIx64 "\"", row->addr);
		lock_symbol(res, row, &symbol);
		if (symbol.len)
			put_text(b, "symbol", symbol.s);
	}
	if (res->l->by == LOCK_BY_TASK || res->l->by == LOCK_BY_OWNER)
		put_number(b, "tid", row->tid);
	if (row->wakers)
		put_text(b, "waited_for", row->wakers);
	if (row->depth)
		put_stack(b, row);
	put_slots(b, row);
	strbuf_release(&symbol);
}

void lock_print_json(struct lock_result *res, struct strbuf *b)
{
	u64 shown = 0;

	strbuf_f(b, "{\"lost\": %" PRIu64 ", \"locks\": [",
		 res->lost + tracer_states_lost(&res->pending));
	vec_for_each(&res->rows.list, row) {
		if (shown == res->l->most_rows)
			break;
		if (res->l->command == LOCK_REPORT ? !row->acquired : !row->contended)
			continue;
		strbuf_str(b, shown++ ? ",\n{" : "\n{");
		put_row(res, row, b);
		strbuf_char(b, '}');
	}
	strbuf_str(b, "\n]}\n");
}
