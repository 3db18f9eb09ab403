// SPDX-License-Identifier: GPL-2.0-or-later
/* The cells of perf c2c's tables. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "builtin/c2c/internal.h"

static const struct c2c_item *item(const struct c2c_row *row)
{
	return row->e ? &row->e->item : &row->line->item;
}

static u64 count(const struct c2c_row *row, enum c2c_count what)
{
	return item(row)->counts.of[what];
}

/* ---- numbers ---- */

#define COUNT(name, what)                                                                          \
	static void name##_cell(struct c2c_view *v, const struct c2c_row *row, struct strbuf *b)   \
	{                                                                                          \
		(void)v;                                                                           \
		strbuf_dec(b, what);                                                               \
	}
COUNT(total_hitm, count(row, C2C_LOCAL_HITM) + count(row, C2C_REMOTE_HITM))
COUNT(local_hitm, count(row, C2C_LOCAL_HITM))
COUNT(remote_hitm, count(row, C2C_REMOTE_HITM))
COUNT(total_peer, count(row, C2C_ALL_PEER))
COUNT(local_peer, count(row, C2C_LOCAL_PEER))
COUNT(remote_peer, count(row, C2C_REMOTE_PEER))
COUNT(records, c2c_all_records(&item(row)->counts))
COUNT(loads, c2c_all_loads(&item(row)->counts))
COUNT(stores, count(row, C2C_STORES))
COUNT(store_l1, count(row, C2C_STORE_L1))
COUNT(store_l1_miss, count(row, C2C_STORE_L1_MISS))
COUNT(store_na, count(row, C2C_STORE_NA))
COUNT(load_buffer, count(row, C2C_LOAD_BUFFER))
COUNT(load_l1, count(row, C2C_LOAD_L1))
COUNT(load_l2, count(row, C2C_LOAD_L2))
COUNT(load_llc, count(row, C2C_LOAD_LLC))
COUNT(remote_hit, count(row, C2C_REMOTE_HIT))
COUNT(local_dram, count(row, C2C_LOCAL_DRAM))
COUNT(remote_dram, count(row, C2C_REMOTE_DRAM))
COUNT(moves, item(row)->moves)
COUNT(index, row->line->index)
COUNT(pid, row->e->key.pid)

/* The share of the line's own count. */
#define SHARE(name, what)                                                                          \
	static void name##_cell(struct c2c_view *v, const struct c2c_row *row, struct strbuf *b)   \
	{                                                                                          \
		(void)v;                                                                           \
		strbuf_f(b, "%.2f%%",                                                              \
			 c2c_percent(count(row, what), row->line->item.counts.of[what]));          \
	}
SHARE(remote_hitm_share, C2C_REMOTE_HITM)
SHARE(local_hitm_share, C2C_LOCAL_HITM)
SHARE(remote_peer_share, C2C_REMOTE_PEER)
SHARE(local_peer_share, C2C_LOCAL_PEER)
SHARE(store_l1_share, C2C_STORE_L1)
SHARE(store_l1_miss_share, C2C_STORE_L1_MISS)
SHARE(store_na_share, C2C_STORE_NA)

/* Adds the row's share of the sort key's count, among all lines. */
static void metric_share_cell(struct c2c_view *v, const struct c2c_row *row, struct strbuf *b)
{
	enum c2c_count m = lines_metric(v->lines);

	strbuf_f(b, "%.2f%%", c2c_percent(count(row, m), v->lines->total.of[m]));
}

#define MEAN(name, which)                                                                          \
	static void name##_cell(struct c2c_view *v, const struct c2c_row *row, struct strbuf *b)   \
	{                                                                                          \
		u64 n = row->e->costs[which];                                                      \
		(void)v;                                                                           \
		strbuf_f(b, "%.0f", n ? (double)row->e->cost[which] / (double)n : 0);              \
	}
MEAN(mean_remote, C2C_COST_REMOTE_HITM)
MEAN(mean_local, C2C_COST_LOCAL_HITM)
MEAN(mean_remote_peer, C2C_COST_REMOTE_PEER)
MEAN(mean_local_peer, C2C_COST_LOCAL_PEER)
MEAN(mean_load, C2C_COST_LOAD)

/* ---- places ---- */

static void line_address_cell(struct c2c_view *v, const struct c2c_row *row, struct strbuf *b)
{
	strbuf_f(b, "0x%" PRIx64, row->line->key.data & ~((u64)v->lines->line_size - 1));
}

static void offset_cell(struct c2c_view *v, const struct c2c_row *row, struct strbuf *b)
{
	strbuf_f(b, "0x%" PRIx64, row->e->key.at & (v->lines->line_size - 1));
}

static void code_cell(struct c2c_view *v, const struct c2c_row *row, struct strbuf *b)
{
	(void)v;
	strbuf_f(b, "0x%" PRIx64, row->e->key.code);
}

static void tid_cell(struct c2c_view *v, const struct c2c_row *row, struct strbuf *b)
{
	strbuf_f(b, "%5u:", row->e->key.tid);
	strbuf_printable(b, history_comm_text(session_history(v->session), row->e->comm));
}

static char mark(const struct c2c_entry *e)
{
	static const char marks[] = { '?', 'k', '.', 'H', 'g', 'u' };

	return e->cpumode < sizeof(marks) ? marks[e->cpumode] : '?';
}

/* Returns the function that an entry's code belongs to, or NULL. */
static const struct symbol *c2c_symbol(const struct c2c_view *v, const struct c2c_entry *e)
{
	const struct symbol_table *t;
	u32 number;

	if (!e->leaf.image)
		return NULL;
	t = symbols_of(session_symbols(v->session), e->leaf.image);
	number = symbol_find(t, e->leaf.offset);
	return number == NO_SYMBOL ? NULL : symbol_get(t, number);
}

enum { SHORT_SYMBOL = 30 };

static void symbol_cell(struct c2c_view *v, const struct c2c_row *row, struct strbuf *b)
{
	const struct symbol *s = c2c_symbol(v, row->e);
	struct strbuf text = STRBUF_INIT;

	strbuf_f(&text, "[%c] ", mark(row->e));
	if (s)
		strbuf_printable(&text, s->name);
	else
		strbuf_f(&text, "0x%016" PRIx64,
			 row->e->leaf.mapping ? row->e->leaf.offset : row->e->key.code);
	strbuf_add(b, text.s,
		   v->full_symbols ? text.len : text_fit(text.s, text.len, SHORT_SYMBOL));
	strbuf_release(&text);
}

static void dso_cell(struct c2c_view *v, const struct c2c_row *row, struct strbuf *b)
{
	strbuf_printable(b, strtab_get(&v->lines->dsos, row->e->key.dso));
}

/*
 * Returns the source line of an entry, found once for each place: one instruction accesses several
 * offsets.
 */
static const char *source_of(struct c2c_view *v, const struct c2c_entry *e)
{
	struct source_frame frame;
	struct strbuf text = STRBUF_INIT;
	struct line_place place = {
		.image = e->leaf.image,
		.offset = e->leaf.offset,
		.addr = e->key.code,
		.symbol = c2c_symbol(v, e),
	};
	bool added;
	u64 *id =
		map64_put(&v->source_texts,
			  hash_combine(e->leaf.image, e->leaf.image ? e->leaf.offset : e->key.code),
			  &added);

	if (!added)
		return strtab_get(&v->texts, (u32)*id);
	if (e->leaf.image && lines_at(v->sources, e->leaf.image, e->leaf.offset, &frame, 1)) {
		place.file = frame.file;
		place.line = frame.line;
	}
	line_text(v->sources, &place, LINE_KEY, &text);
	*id = strtab_add(&v->texts, strbuf_cstr(&text));
	strbuf_release(&text);
	return strtab_get(&v->texts, (u32)*id);
}

static void source_cell(struct c2c_view *v, const struct c2c_row *row, struct strbuf *b)
{
	const char *text = source_of(v, row->e);
	size_t from = b->len;

	strbuf_printable(b, text);
	if (!v->full_symbols)
		strbuf_truncate(b, from + text_fit(b->s + from, b->len - from, SHORT_SYMBOL));
}

/* ---- nodes ---- */

/* Adds "0-2,5" for a set, or "N/A". */
static void add_set(const u64 *set, u32 bits, struct strbuf *b)
{
	u32 *list = xcalloc(bits ? bits : 1, sizeof(*list));
	size_t n = 0;

	for (u32 i = 0; i < bits; i++)
		if (set_has(set, i))
			list[n++] = i;
	format_cpu_list(b, list, n);
	free(list);
}

static void memory_nodes_cell(struct c2c_view *v, const struct c2c_row *row, struct strbuf *b)
{
	size_t from = b->len;

	add_set(item(row)->nodes, v->lines->nodes->count, b);
	if (b->len == from)
		strbuf_str(b, "N/A");
}

static void cpu_count_cell(struct c2c_view *v, const struct c2c_row *row, struct strbuf *b)
{
	u64 n = 0;

	for (u32 i = 0; i < lines_cpu_words(v->lines); i++)
		n += (u64)__builtin_popcountll(row->e->cpus[i]);
	strbuf_dec(b, n);
}

static void add_share(u64 part, u64 all, const char *end, struct strbuf *b)
{
	if (all)
		strbuf_f(b, "%5.1f%%%s", c2c_percent(part, all), end);
	else
		strbuf_f(b, "%6s%s", "n/a", end);
}

static u64 node_metric(enum c2c_display display, const struct c2c_node_counts *n)
{
	switch (display) {
	case C2C_LOCAL:
		return n->local_hitm;
	case C2C_REMOTE:
		return n->remote_hitm;
	case C2C_PEER:
		return n->peer;
	default:
		return n->local_hitm + n->remote_hitm;
	}
}

/* Adds a node; cpus are those of the entry that are on it. */
static void add_node(struct c2c_view *v, const struct c2c_row *row, u32 node, const u64 *cpus,
		     struct strbuf *b)
{
	const struct c2c_node_counts *n = &row->e->by_node[node];
	u64 weight = 0;

	if (v->nodes == C2C_NODES) {
		strbuf_f(b, "%2u", node);
		return;
	}
	if (v->nodes == C2C_NODES_CPUS) {
		strbuf_f(b, "%2u{", node);
		add_set(cpus, v->lines->nodes->cpu_count, b);
		strbuf_char(b, '}');
		return;
	}
	for (u32 i = 0; i < lines_cpu_words(v->lines); i++)
		weight += (u64)__builtin_popcountll(cpus[i]);
	strbuf_f(b, "%2u{%2" PRIu64 " ", node, weight);
	add_share(node_metric(v->lines->display, n), count(row, lines_metric(v->lines)), " ", b);
	add_share(n->stores, count(row, C2C_STORES), "}", b);
}

static void nodes_cell(struct c2c_view *v, const struct c2c_row *row, struct strbuf *b)
{
	const struct data_nodes *nodes = v->lines->nodes;
	u64 *cpus = xcalloc(lines_cpu_words(v->lines) + 1, sizeof(*cpus));
	bool first = true;

	for (u32 node = 0; node < nodes->count; node++) {
		bool any = false;

		memset(cpus, 0, lines_cpu_words(v->lines) * sizeof(*cpus));
		for (u32 cpu = 0; cpu < nodes->cpu_count; cpu++)
			if (nodes->node_of[cpu] == (s32)node && set_has(row->e->cpus, cpu)) {
				cpus[cpu / 64] |= BIT64(cpu % 64);
				any = true;
			}
		if (!any) { /* nodes are below each other */
			strbuf_pad(b, ' ', v->nodes == C2C_NODES_SHARES ? 21 : 0);
			continue;
		}
		if (!first)
			strbuf_char(b, ' ');
		add_node(v, row, node, cpus, b);
		first = false;
	}
	free(cpus);
}

static void empty_cell(struct c2c_view *v, const struct c2c_row *row, struct strbuf *b)
{
	(void)v;
	(void)row;
	(void)b;
}

/* ---- the columns ---- */

#define COLUMN(name, over, under, spans, wide, cell)                                               \
	[name] = { { over, under }, spans, wide, false, cell }
#define TEXT(name, over, under, wide, cell) [name] = { { over, under }, 0, wide, true, cell }
#define SHARES                              "------- Store Refs ------"
#define CYCLES                              "---------- cycles ----------"

const struct c2c_column c2c_columns[COLUMN_COUNT] = {
	COLUMN(COLUMN_INDEX, NULL, "Index", 0, 5, index_cell),
	COLUMN(COLUMN_NUMBER, NULL, "Num", 0, 5, index_cell),
	COLUMN(COLUMN_NO_NUMBER, NULL, "Num", 0, 5, empty_cell),
	COLUMN(COLUMN_LINE, "Cacheline", "Address", 2, 18, line_address_cell),
	COLUMN(COLUMN_OFFSET, "Data address", "Offset", 2, 18, offset_cell),
	COLUMN(COLUMN_SHORT_OFFSET, "CL", "Off", 2, 5, offset_cell),
	COLUMN(COLUMN_MEMORY_NODES, NULL, "Node", 0, 4, memory_nodes_cell),
	COLUMN(COLUMN_MOVES, NULL, "PA cnt", 0, 6, moves_cell),
	COLUMN(COLUMN_TOTAL_SHARE, "Tot", "Hitm", 0, 7, metric_share_cell),
	COLUMN(COLUMN_LOCAL_SHARE, "Lcl", "Hitm", 0, 7, metric_share_cell),
	COLUMN(COLUMN_REMOTE_SHARE, "Rmt", "Hitm", 0, 7, metric_share_cell),
	COLUMN(COLUMN_PEER_SHARE, "Peer", "Snoop", 0, 7, metric_share_cell),
	COLUMN(COLUMN_TOTAL_HITM, "------- Load Hitm -------", "Total", 2, 7, total_hitm_cell),
	COLUMN(COLUMN_LOCAL_HITM, NULL, "LclHitm", 0, 7, local_hitm_cell),
	COLUMN(COLUMN_REMOTE_HITM, NULL, "RmtHitm", 0, 7, remote_hitm_cell),
	COLUMN(COLUMN_TOTAL_PEER, "------- Load Peer -------", "Total", 2, 7, total_peer_cell),
	COLUMN(COLUMN_LOCAL_PEER, NULL, "Local", 0, 7, local_peer_cell),
	COLUMN(COLUMN_REMOTE_PEER, NULL, "Remote", 0, 7, remote_peer_cell),
	COLUMN(COLUMN_RECORDS, "Total", "records", 0, 7, records_cell),
	COLUMN(COLUMN_LOADS, "Total", "Loads", 0, 7, loads_cell),
	COLUMN(COLUMN_STORES, "Total", "Stores", 0, 7, stores_cell),
	COLUMN(COLUMN_STORE_L1, "--------- Stores --------", "L1Hit", 2, 7, store_l1_cell),
	COLUMN(COLUMN_STORE_L1_MISS, NULL, "L1Miss", 0, 7, store_l1_miss_cell),
	COLUMN(COLUMN_STORE_NA, NULL, "N/A", 0, 7, store_na_cell),
	COLUMN(COLUMN_LOAD_BUFFER, "----- Core Load Hit -----", "FB", 2, 7, load_buffer_cell),
	COLUMN(COLUMN_LOAD_L1, NULL, "L1", 0, 7, load_l1_cell),
	COLUMN(COLUMN_LOAD_L2, NULL, "L2", 0, 7, load_l2_cell),
	COLUMN(COLUMN_LOAD_LLC, "- LLC Load Hit --", "LclHit", 1, 8, load_llc_cell),
	COLUMN(COLUMN_REMOTE_HIT, "- RMT Load Hit --", "RmtHit", 1, 8, remote_hit_cell),
	COLUMN(COLUMN_LOCAL_DRAM, "--- Load Dram ----", "Lcl", 1, 8, local_dram_cell),
	COLUMN(COLUMN_REMOTE_DRAM, NULL, "Rmt", 0, 8, remote_dram_cell),

	COLUMN(COLUMN_HEAD_REMOTE, "----- HITM -----", "Rmt", 1, 7, remote_hitm_cell),
	COLUMN(COLUMN_HEAD_LOCAL, NULL, "Lcl", 0, 7, local_hitm_cell),
	COLUMN(COLUMN_HEAD_REMOTE_PEER, "----- Peer -----", "Rmt", 1, 7, remote_peer_cell),
	COLUMN(COLUMN_HEAD_LOCAL_PEER, NULL, "Lcl", 0, 7, local_peer_cell),
	COLUMN(COLUMN_HEAD_STORE_L1, SHARES, "L1 Hit", 2, 7, store_l1_cell),
	COLUMN(COLUMN_HEAD_STORE_L1_MISS, NULL, "L1 Miss", 0, 7, store_l1_miss_cell),
	COLUMN(COLUMN_HEAD_STORE_NA, NULL, "N/A", 0, 7, store_na_cell),

	COLUMN(COLUMN_PART_REMOTE, "----- HITM -----", "RmtHitm", 1, 7, remote_hitm_share_cell),
	COLUMN(COLUMN_PART_LOCAL, NULL, "LclHitm", 0, 7, local_hitm_share_cell),
	COLUMN(COLUMN_PART_REMOTE_PEER, "-- Peer Snoop --", "Rmt", 1, 7, remote_peer_share_cell),
	COLUMN(COLUMN_PART_LOCAL_PEER, NULL, "Lcl", 0, 7, local_peer_share_cell),
	COLUMN(COLUMN_PART_STORE_L1, SHARES, "L1 Hit", 2, 7, store_l1_share_cell),
	COLUMN(COLUMN_PART_STORE_L1_MISS, NULL, "L1 Miss", 0, 7, store_l1_miss_share_cell),
	COLUMN(COLUMN_PART_STORE_NA, NULL, "N/A", 0, 7, store_na_share_cell),
	COLUMN(COLUMN_PID, NULL, "Pid", 0, 7, pid_cell),
	TEXT(COLUMN_TID, NULL, "Tid", 7, tid_cell),
	COLUMN(COLUMN_CODE, NULL, "Code address", 0, 18, code_cell),
	COLUMN(COLUMN_MEAN_REMOTE, CYCLES, "rmt hitm", 2, 8, mean_remote_cell),
	COLUMN(COLUMN_MEAN_LOCAL, NULL, "lcl hitm", 0, 8, mean_local_cell),
	COLUMN(COLUMN_MEAN_REMOTE_PEER, CYCLES, "rmt peer", 2, 8, mean_remote_peer_cell),
	COLUMN(COLUMN_MEAN_LOCAL_PEER, NULL, "lcl peer", 0, 8, mean_local_peer_cell),
	COLUMN(COLUMN_MEAN_LOAD, NULL, "load", 0, 8, mean_load_cell),
	COLUMN(COLUMN_CPUS, "cpu", "cnt", 0, 8, cpu_count_cell),
	TEXT(COLUMN_SYMBOL, NULL, "Symbol", 6, symbol_cell),
	TEXT(COLUMN_DSO, "Shared", "Object", 6, dso_cell),
	TEXT(COLUMN_SOURCE, NULL, "Source:Line", 11, source_cell),
	TEXT(COLUMN_NODES, NULL, "Node", 4, nodes_cell),
	TEXT(COLUMN_NODES_HITM, NULL, "Node{cpus %hitms %stores}", 4, nodes_cell),
	TEXT(COLUMN_NODES_PEER, NULL, "Node{cpus %peers %stores}", 4, nodes_cell),
	TEXT(COLUMN_NODES_CPUS, NULL, "Node{cpu list}", 4, nodes_cell),
};
