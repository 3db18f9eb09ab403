// SPDX-License-Identifier: GPL-2.0-or-later
/* Features about the machine, as text: one function for each; damaged ones are left out. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "data/header_print.h"

/* Adds a name from a file, which must not control a terminal. */
void header_put(struct strbuf *out, const char *s)
{
	strbuf_printable(out, s);
}

static void header_line(struct strbuf *out, const char *label, const char *value)
{
	strbuf_str(out, label);
	header_put(out, value);
	strbuf_char(out, '\n');
}

void header_text_line(struct feature_cursor *c, struct strbuf *out, const char *label)
{
	const char *s = feature_text(c);

	if (!c->bad)
		header_line(out, label, s);
}

void header_hostname(struct data_reader *d, struct feature_cursor *c, struct strbuf *out)
{
	(void)d;
	header_text_line(c, out, "# hostname : ");
}

void header_release(struct data_reader *d, struct feature_cursor *c, struct strbuf *out)
{
	(void)d;
	header_text_line(c, out, "# os release : ");
}

void header_arch(struct data_reader *d, struct feature_cursor *c, struct strbuf *out)
{
	(void)d;
	header_text_line(c, out, "# arch : ");
}

void header_cpu_description(struct data_reader *d, struct feature_cursor *c, struct strbuf *out)
{
	(void)d;
	header_text_line(c, out, "# cpudesc : ");
}

void header_cpuid(struct data_reader *d, struct feature_cursor *c, struct strbuf *out)
{
	(void)d;
	header_text_line(c, out, "# cpuid : ");
}

void header_cpus(struct data_reader *d, struct feature_cursor *c, struct strbuf *out)
{
	u32 available = feature_u32(c), online = feature_u32(c);

	(void)d;
	if (!c->bad)
		strbuf_f(out, "# nrcpus online : %u\n# nrcpus avail : %u\n", online, available);
}

void header_memory(struct data_reader *d, struct feature_cursor *c, struct strbuf *out)
{
	u64 kb = feature_u64(c);

	(void)d;
	if (!c->bad)
		strbuf_f(out, "# total memory : %" PRIu64 " kB\n", kb);
}

static void print_lists(struct feature_cursor *c, const char *label, struct strbuf *out)
{
	u32 n = feature_u32(c);

	for (u32 i = 0; i < n && !c->bad; i++)
		header_text_line(c, out, label);
}

/*
 * Prints sibling lists, then core and package of each CPU, then (since 5.2) die lists and dies. The
 * dies are printed among the rest, so they are looked up ahead.
 */
void header_topology(struct data_reader *d, struct feature_cursor *c, struct strbuf *out)
{
	struct feature_cursor cpus = feature_open(d, FEATURE_NRCPUS), ids, die_ids;
	u32 n = cpus.bad ? 0 : feature_u32(&cpus);
	struct strbuf threads = STRBUF_INIT;
	bool dies;

	print_lists(c, "# sibling sockets : ", out);
	print_lists(c, "# sibling threads : ", &threads);
	ids = *c;
	dies = feature_bytes(c, 8 * (u64)n) && c->end - c->at > 4;
	if (dies)
		print_lists(c, "# sibling dies    : ", out);
	die_ids = *c;
	strbuf_add(out, threads.s, threads.len);
	strbuf_release(&threads);
	for (u32 i = 0; i < n && !ids.bad; i++) {
		u32 core = feature_u32(&ids), package = feature_u32(&ids);

		if (ids.bad)
			break;
		strbuf_f(out, "# CPU %u: Core ID %d, ", i, (int)core);
		if (dies)
			strbuf_f(out, "Die ID %d, ", (int)feature_u32(&die_ids));
		strbuf_f(out, "Socket ID %d\n", (int)package);
	}
}

void header_nodes(struct data_reader *d, struct feature_cursor *c, struct strbuf *out)
{
	u32 n = feature_u32(c);

	(void)d;
	for (u32 i = 0; i < n && !c->bad; i++) {
		u32 node = feature_u32(c);
		u64 total = feature_u64(c), left = feature_u64(c);
		const char *cpus = feature_text(c);

		if (c->bad)
			return;
		strbuf_f(out, "# node%u meminfo  : total = %" PRIu64 " kB, free = %" PRIu64 " kB\n",
			 node, total, left);
		strbuf_f(out, "# node%u cpu list : ", node);
		header_line(out, "", cpus);
	}
}

void header_pmus(struct data_reader *d, struct feature_cursor *c, struct strbuf *out)
{
	u32 n = feature_u32(c);

	(void)d;
	strbuf_str(out, "# pmu mappings: ");
	if (!n)
		strbuf_str(out, "not available");
	for (u32 i = 0; i < n && !c->bad; i++) {
		u32 type = feature_u32(c);
		const char *name = feature_text(c);

		if (c->bad)
			break;
		strbuf_str(out, i ? ", " : "");
		header_put(out, name);
		strbuf_f(out, " = %u", type);
	}
	strbuf_char(out, '\n');
}

void header_caches(struct data_reader *d, struct feature_cursor *c, struct strbuf *out)
{
	u32 version = feature_u32(c), n = feature_u32(c);

	(void)d;
	if (version != 1)
		return;
	strbuf_str(out, "# CPU cache info:\n");
	for (u32 i = 0; i < n && !c->bad; i++) {
		u32 level = feature_u32(c);
		char *type, *size;
		const char *cpus;

		feature_bytes(c, 12); /* line size, sets, ways */
		type = printable_copy(feature_text(c));
		size = printable_copy(feature_text(c));
		cpus = feature_text(c);
		if (!c->bad) {
			strbuf_f(out, "#  L%u %-15s %8s [", level, type, size);
			header_put(out, cpus);
			strbuf_str(out, "]\n");
		}
		free(type);
		free(size);
	}
}

/* Adds the set bits, as "0-23,32-199". */
static void put_bitmap(struct strbuf *out, const u8 *words, u64 bits, bool swap)
{
	const char *between = "";

	for (u64 i = 0; i < bits; i++) {
		u64 first = i;

		while (i < bits && load_u64(words + i / 64 * 8, swap) & BIT64(i % 64))
			i++;
		if (i == first)
			continue;
		strbuf_f(out, "%s%" PRIu64, between, first);
		if (i - first > 1)
			strbuf_f(out, "-%" PRIu64, i - 1);
		between = ",";
	}
}

/*
 * Adds a size with 6.1's rounding: divided by 1024 as long as more than one of the next unit is
 * left.
 */
static void put_size(struct strbuf *out, u64 n)
{
	unsigned unit = 0;

	for (; n / 1024 > 1 && unit < 3; unit++)
		n /= 1024;
	strbuf_f(out, "%" PRIu64 "%c", n, "BKMG"[unit]);
}

static void print_memory_node(struct feature_cursor *c, u64 block_size, struct strbuf *out)
{
	u64 node = feature_u64(c), bits, set = 0;
	const u8 *words;

	feature_u64(c); /* number of bits, which the map repeats */
	bits = feature_u64(c);
	words = feature_bytes(c, bits > UINT64_MAX - 63 ? UINT64_MAX : (bits + 63) / 64 * 8);
	if (c->bad)
		return;
	for (u64 i = 0; i < (bits + 63) / 64; i++)
		set += (u64)__builtin_popcountll(load_u64(words + 8 * i, c->swap));
	strbuf_f(out, "#  %3" PRIu64 " [", node);
	put_size(out, block_size * set);
	strbuf_str(out, "]: ");
	put_bitmap(out, words, bits, c->swap);
	strbuf_char(out, '\n');
}

void header_memory_topology(struct data_reader *d, struct feature_cursor *c, struct strbuf *out)
{
	u64 version = feature_u64(c), size = feature_u64(c), n = feature_u64(c);

	(void)d;
	if (c->bad || version != 1)
		return;
	strbuf_f(out, "# memory nodes (nr %" PRIu64 ", block size 0x%" PRIx64 "):\n", n, size);
	for (u64 i = 0; i < n && !c->bad; i++)
		print_memory_node(c, size, out);
}

/* Adds "name=value, name=value" or "not available" after the label. */
static void put_caps(struct feature_cursor *c, u32 n, struct strbuf *out)
{
	if (!n)
		strbuf_str(out, "not available");
	for (u32 i = 0; i < n && !c->bad; i++) {
		const char *name = feature_text(c), *value = feature_text(c);

		if (c->bad)
			break;
		strbuf_str(out, i ? ", " : "");
		header_put(out, name);
		strbuf_char(out, '=');
		header_put(out, value);
	}
	strbuf_char(out, '\n');
}

void header_cpu_caps(struct data_reader *d, struct feature_cursor *c, struct strbuf *out)
{
	u32 n = feature_u32(c);

	(void)d;
	strbuf_str(out, "# cpu pmu capabilities: ");
	put_caps(c, n, out);
}

void header_pmu_caps(struct data_reader *d, struct feature_cursor *c, struct strbuf *out)
{
	u32 n = feature_u32(c);

	(void)d;
	for (u32 i = 0; i < n && !c->bad; i++) {
		struct strbuf caps = STRBUF_INIT;
		const char *pmu;

		put_caps(c, feature_u32(c), &caps);
		pmu = feature_text(c); /* the PMU's name follows its capabilities */
		if (!c->bad) {
			strbuf_str(out, "# ");
			header_put(out, pmu);
			strbuf_f(out, " pmu capabilities: %s", strbuf_cstr(&caps));
		}
		strbuf_release(&caps);
	}
}

void header_hybrid(struct data_reader *d, struct feature_cursor *c, struct strbuf *out)
{
	u32 n = feature_u32(c);

	(void)d;
	strbuf_str(out, "# hybrid cpu system:\n");
	for (u32 i = 0; i < n && !c->bad; i++) {
		const char *pmu = feature_text(c), *cpus = feature_text(c);

		if (c->bad)
			return;
		strbuf_str(out, "# ");
		header_put(out, pmu);
		header_line(out, " cpu list : ", cpus);
	}
}

void header_machine(struct data_reader *d, struct feature_cursor *c, struct strbuf *out)
{
	u32 machine = feature_u32(c), flags = feature_u32(c);

	(void)d;
	if (!c->bad)
		strbuf_f(out, "# e_machine : %u\n#   e_flags : %u\n", machine, flags);
}

void header_cache_line(struct data_reader *d, struct feature_cursor *c, struct strbuf *out)
{
	u32 size = feature_u32(c);

	(void)d;
	if (!c->bad)
		strbuf_f(out, "# cacheline size: %u\n", size);
}
