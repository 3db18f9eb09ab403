// SPDX-License-Identifier: GPL-2.0-or-later
/* perf c2c report as text. */
#include <inttypes.h>

#include "builtin/c2c/internal.h"

#define BAR "=================================================\n"

static void title(const char *text, struct strbuf *b)
{
	strbuf_f(b, BAR "%s\n" BAR, text);
}

static void number(const char *name, u64 v, struct strbuf *b)
{
	strbuf_f(b, "  %-34s: %10" PRIu64 "\n", name, v);
}

static void share(const char *name, u64 part, u64 all, struct strbuf *b)
{
	strbuf_f(b, "  %-34s: %10.1f%%\n", name, c2c_percent(part, all));
}

struct named_count {
	const char *name;
	enum c2c_count count, more; /* more: added to it; C2C_COUNTS: nothing */
};

static void numbers(const struct c2c_counts *c, const struct named_count *rows, size_t n,
		    struct strbuf *b)
{
	for (size_t i = 0; i < n; i++)
		number(rows[i].name,
		       c->of[rows[i].count] +
			       (rows[i].more == C2C_COUNTS ? 0 : c->of[rows[i].more]),
		       b);
}

#define ONE(name, count)                                                                           \
	{                                                                                          \
		name, count, C2C_COUNTS                                                            \
	}

static void print_loads(const struct c2c_counts *c, struct strbuf *b)
{
	static const struct named_count rows[] = {
		ONE("Total records", C2C_RECORDS),
		ONE("Locked Load/Store Operations", C2C_LOCKS),
		ONE("Load Operations", C2C_LOADS),
		ONE("Loads - uncacheable", C2C_LOAD_UNCACHED),
		ONE("Loads - IO", C2C_LOAD_IO),
		ONE("Loads - Miss", C2C_LOAD_MISS),
		ONE("Loads - no mapping", C2C_LOAD_NO_ADDRESS),
		ONE("Load Fill Buffer Hit", C2C_LOAD_BUFFER),
		ONE("Load L1D hit", C2C_LOAD_L1),
		ONE("Load L2D hit", C2C_LOAD_L2),
		{ "Load LLC hit", C2C_LOAD_LLC, C2C_LOCAL_HITM },
		ONE("Load Local HITM", C2C_LOCAL_HITM),
		ONE("Load Remote HITM", C2C_REMOTE_HITM),
		ONE("Load Remote HIT", C2C_REMOTE_HIT),
		ONE("Load Local DRAM", C2C_LOCAL_DRAM),
		ONE("Load Remote DRAM", C2C_REMOTE_DRAM),
		ONE("Load MESI State Exclusive", C2C_EXCLUSIVE),
		ONE("Load MESI State Shared", C2C_SHARED),
	};

	numbers(c, rows, ARRAY_SIZE(rows), b);
}

static void print_misses(const struct c2c_counts *c, struct strbuf *b)
{
	static const struct named_count rows[] = {
		ONE("Load access blocked by data", C2C_BLOCKED_DATA),
		ONE("Load access blocked by address", C2C_BLOCKED_ADDRESS),
		ONE("Load HIT Local Peer", C2C_LOCAL_PEER),
		ONE("Load HIT Remote Peer", C2C_REMOTE_PEER),
	};
	u64 misses = c2c_llc_misses(c);

	number("Load LLC Misses", misses, b);
	numbers(c, rows, ARRAY_SIZE(rows), b);
	share("LLC Misses to Local DRAM", c->of[C2C_LOCAL_DRAM], misses, b);
	share("LLC Misses to Remote DRAM", c->of[C2C_REMOTE_DRAM], misses, b);
	share("LLC Misses to Remote cache (HIT)", c->of[C2C_REMOTE_HIT], misses, b);
	share("LLC Misses to Remote cache (HITM)", c->of[C2C_REMOTE_HITM], misses, b);
}

static void print_stores(const struct c2c_counts *c, struct strbuf *b)
{
	static const struct named_count rows[] = {
		ONE("Store Operations", C2C_STORES),
		ONE("Store - uncacheable", C2C_STORE_UNCACHED),
		ONE("Store - no mapping", C2C_STORE_NO_ADDRESS),
		ONE("Store L1D Hit", C2C_STORE_L1),
		ONE("Store L1D Miss", C2C_STORE_L1_MISS),
		ONE("Store No available memory level", C2C_STORE_NA),
		ONE("No Page Map Rejects", C2C_NO_MAP),
		ONE("Unable to parse data source", C2C_NO_PARSE),
	};

	numbers(c, rows, ARRAY_SIZE(rows), b);
}

static void print_shared(const struct c2c_lines *l, struct strbuf *b)
{
	static const struct named_count rows[] = {
		ONE("Load HITs on shared lines", C2C_LOADS),
		ONE("Fill Buffer Hits on shared lines", C2C_LOAD_BUFFER),
		ONE("L1D hits on shared lines", C2C_LOAD_L1),
		ONE("L2D hits on shared lines", C2C_LOAD_L2),
		{ "LLC hits on shared lines", C2C_LOAD_LLC, C2C_LOCAL_HITM },
		{ "Load hits on peer cache or nodes", C2C_LOCAL_PEER, C2C_REMOTE_PEER },
		ONE("Locked Access on shared lines", C2C_LOCKS),
		{ "Blocked Access on shared lines", C2C_BLOCKED_DATA, C2C_BLOCKED_ADDRESS },
		ONE("Store HITs on shared lines", C2C_STORES),
		ONE("Store L1D hits on shared lines", C2C_STORE_L1),
		ONE("Store No available memory level", C2C_STORE_NA),
		{ "Total Merged records", C2C_ALL_HITM, C2C_STORES },
	};

	title("    Global Shared Cache Line Event Information   ", b);
	number("Total Shared Cache Lines", l->shared_lines, b);
	numbers(&l->shared, rows, ARRAY_SIZE(rows), b);
}

static void print_details(const struct c2c *c, struct strbuf *b)
{
	static const char *const sorted[] = {
		[C2C_TOTAL] = "Total HITMs",
		[C2C_LOCAL] = "Local HITMs",
		[C2C_REMOTE] = "Remote HITMs",
		[C2C_PEER] = "Peer Snoop",
	};
	const struct event_set *set = session_events(c->a.session);

	title("                 c2c details                     ", b);
	vec_for_each(&set->list, e) {
		strbuf_f(b, "%-36s: ", e == set->list.items ? "  Events" : "");
		strbuf_printable(b, (*e)->name);
		strbuf_char(b, '\n');
	}
	strbuf_f(b, "  Cachelines sort on                : %s\n", sorted[c->lines.display]);
	strbuf_f(b, "  Cacheline data grouping           : %s\n", c->grouping);
}

static void print_head(const struct c2c_table_view *t, struct strbuf *b)
{
	for (int line = 0; line < 2; line++) {
		strbuf_str(b, "# ");
		c2c_table_head(t, line, b);
		strbuf_char(b, '\n');
	}
	strbuf_str(b, "# ");
	c2c_table_dots(t, b);
	strbuf_str(b, "\n#\n");
}

static void print_row(const struct c2c_table_view *t, struct c2c_view *v, const struct c2c_row *row,
		      struct strbuf *b)
{
	strbuf_str(b, "  ");
	c2c_table_row(t, v, row, b);
	strbuf_char(b, '\n');
}

static void print_lines(struct c2c_view *v, struct strbuf *b)
{
	struct c2c_table_view t;

	title("           Shared Data Cache Line Table          ", b);
	strbuf_str(b, "#\n");
	c2c_line_table(&t, v);
	print_head(&t, b);
	vec_for_each(&v->lines->shown, line)
		print_row(&t, v, &(struct c2c_row){ *line, NULL }, b);
	c2c_table_release(&t);
}

static void print_entries(const struct c2c *c, struct c2c_view *v, struct strbuf *b)
{
	static const char rule[] =
		"  ----------------------------------------------------------------------\n";
	struct c2c_table_view t, heading;

	title("      Shared Cache Line Distribution Pareto      ", b);
	strbuf_str(b, "#\n");
	c2c_entry_table(&t, v, true);
	c2c_heading_table(&heading, v);
	if (v->lines->shown.count)
		print_head(&t, b);
	vec_for_each(&v->lines->shown, line) {
		if (line != v->lines->shown.items)
			strbuf_char(b, '\n');
		strbuf_str(b, rule);
		print_row(&heading, v, &(struct c2c_row){ *line, NULL }, b);
		strbuf_str(b, rule);
		vec_for_each(&(*line)->entries, e) {
			print_row(&t, v, &(struct c2c_row){ *line, *e }, b);
			if (c->side.callers.wanted)
				side_callers(&c->side, *e, "            ", b);
		}
	}
	c2c_table_release(&t);
	c2c_table_release(&heading);
}

void c2c_print(struct c2c *c, struct c2c_view *v, struct strbuf *b)
{
	const struct c2c_counts *total = &c->lines.total;

	title("            Trace Event Information              ", b);
	print_loads(total, b);
	print_misses(total, b);
	print_stores(total, b);
	strbuf_char(b, '\n');
	print_shared(&c->lines, b);
	strbuf_char(b, '\n');
	print_details(c, b);
	if (c->stats)
		return;
	strbuf_char(b, '\n');
	print_lines(v, b);
	strbuf_char(b, '\n');
	print_entries(c, v, b);
}
