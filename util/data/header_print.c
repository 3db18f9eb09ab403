// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The header as text, line for line as perf 6.1 prints it: other programs read
 * these lines.  One function for each feature; what is damaged is left out.
 */
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "base/bytes.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "data/feature.h"
#include "event/parse.h"

struct feature_text {
	const char *name;
	bool full_only; /* only with -I */
	void (*print)(struct data_reader *d, struct feature_cursor *c, struct strbuf *out);
};

/* A name out of a file cannot drive a terminal. */
static void put(struct strbuf *out, const char *s)
{
	strbuf_printable(out, s);
}

static void line(struct strbuf *out, const char *label, const char *value)
{
	strbuf_str(out, label);
	put(out, value);
	strbuf_char(out, '\n');
}

static void text_line(struct feature_cursor *c, struct strbuf *out, const char *label)
{
	const char *s = feature_text(c);

	if (!c->bad)
		line(out, label, s);
}

static void print_hostname(struct data_reader *d, struct feature_cursor *c, struct strbuf *out)
{
	(void)d;
	text_line(c, out, "# hostname : ");
}

static void print_release(struct data_reader *d, struct feature_cursor *c, struct strbuf *out)
{
	(void)d;
	text_line(c, out, "# os release : ");
}

static void print_version(struct data_reader *d, struct feature_cursor *c, struct strbuf *out)
{
	(void)d;
	text_line(c, out, "# perf version : ");
}

static void print_arch(struct data_reader *d, struct feature_cursor *c, struct strbuf *out)
{
	(void)d;
	text_line(c, out, "# arch : ");
}

static void print_cpu_description(struct data_reader *d, struct feature_cursor *c,
				  struct strbuf *out)
{
	(void)d;
	text_line(c, out, "# cpudesc : ");
}

static void print_cpuid(struct data_reader *d, struct feature_cursor *c, struct strbuf *out)
{
	(void)d;
	text_line(c, out, "# cpuid : ");
}

static void print_cpus(struct data_reader *d, struct feature_cursor *c, struct strbuf *out)
{
	u32 available = feature_u32(c), online = feature_u32(c);

	(void)d;
	if (!c->bad)
		strbuf_f(out, "# nrcpus online : %u\n# nrcpus avail : %u\n", online, available);
}

static void print_memory(struct data_reader *d, struct feature_cursor *c, struct strbuf *out)
{
	u64 kb = feature_u64(c);

	(void)d;
	if (!c->bad)
		strbuf_f(out, "# total memory : %" PRIu64 " kB\n", kb);
}

static void print_cmdline(struct data_reader *d, struct feature_cursor *c, struct strbuf *out)
{
	size_t n;
	const char *const *argv = data_cmdline(d, &n);

	(void)c;
	strbuf_str(out, "# cmdline : ");
	for (size_t i = 0; i < n; i++) {
		struct strbuf quoted = STRBUF_INIT;

		for (const char *p = argv[i]; *p; p++) {
			if (*p == '\'')
				strbuf_char(&quoted, '\\');
			strbuf_char(&quoted, *p);
		}
		put(out, strbuf_cstr(&quoted));
		strbuf_char(out, ' ');
		strbuf_release(&quoted);
	}
	strbuf_char(out, '\n');
}

static void print_event_ids(struct feature_cursor *c, u32 n, struct strbuf *out)
{
	if (!n)
		return;
	strbuf_str(out, ", id = {");
	for (u32 i = 0; i < n && !c->bad; i++)
		strbuf_f(out, "%s %" PRIu64, i ? "," : "", feature_u64(c));
	strbuf_str(out, " }");
}

static void print_events(struct data_reader *d, struct feature_cursor *c, struct strbuf *out)
{
	u32 n = feature_u32(c), attr_size = feature_u32(c);

	for (u32 i = 0; i < n && !c->bad; i++) {
		const u8 *p = feature_bytes(c, attr_size);
		u32 ids = feature_u32(c);
		const char *name = feature_text(c);
		struct perf_event_attr attr;

		if (c->bad)
			return;
		attr_from_file(d, p, attr_size, &attr);
		strbuf_str(out, "# event : name = ");
		put(out, name);
		strbuf_str(out, ", ");
		print_event_ids(c, ids, out);
		strbuf_str(out, ", ");
		event_attr_print(out, &attr, ", ", " = ");
		strbuf_char(out, '\n');
	}
}

static void print_lists(struct feature_cursor *c, const char *label, struct strbuf *out)
{
	u32 n = feature_u32(c);

	for (u32 i = 0; i < n && !c->bad; i++)
		text_line(c, out, label);
}

/*
 * Sibling lists, then core and package of each CPU, then (since 5.2) die lists
 * and dies; the dies are printed among the rest, so they are looked up ahead.
 */
static void print_topology(struct data_reader *d, struct feature_cursor *c, struct strbuf *out)
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

static void print_nodes(struct data_reader *d, struct feature_cursor *c, struct strbuf *out)
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
		line(out, "", cpus);
	}
}

static void print_branch_stack(struct data_reader *d, struct feature_cursor *c,
			       struct strbuf *out)
{
	(void)d;
	(void)c;
	strbuf_str(out, "# contains samples with branch stack\n");
}

static void print_auxtrace(struct data_reader *d, struct feature_cursor *c, struct strbuf *out)
{
	(void)d;
	(void)c;
	strbuf_str(out, "# contains AUX area data (e.g. instruction trace)\n");
}

static void print_stat(struct data_reader *d, struct feature_cursor *c, struct strbuf *out)
{
	(void)d;
	(void)c;
	strbuf_str(out, "# contains stat data\n");
}

static void print_pmus(struct data_reader *d, struct feature_cursor *c, struct strbuf *out)
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
		put(out, name);
		strbuf_f(out, " = %u", type);
	}
	strbuf_char(out, '\n');
}

static void print_groups(struct data_reader *d, struct feature_cursor *c, struct strbuf *out)
{
	(void)c;
	vec_for_each(&d->events.list, e) {
		const struct event *ev = *e;

		if (ev->leader != ev || ev->members < 2)
			continue;
		strbuf_str(out, "# group: ");
		put(out, ev->group_name ? ev->group_name : "");
		for (u32 i = 0; i < ev->members; i++) {
			const char *name = d->events.list.items[ev->index + i]->name;

			strbuf_char(out, i ? ',' : '{');
			put(out, name ? name : "");
		}
		strbuf_str(out, "}\n");
	}
}

static void print_caches(struct data_reader *d, struct feature_cursor *c, struct strbuf *out)
{
	u32 version = feature_u32(c), n = feature_u32(c);

	(void)d;
	if (version != 1)
		return;
	strbuf_str(out, "# CPU cache info:\n");
	for (u32 i = 0; i < n && !c->bad; i++) {
		u32 level = feature_u32(c);
		const char *type, *size, *cpus;

		feature_bytes(c, 12); /* line size, sets, ways */
		type = feature_text(c);
		size = feature_text(c);
		cpus = feature_text(c);
		if (c->bad)
			return;
		strbuf_f(out, "#  L%u %-15s %8s [", level, type, size);
		put(out, cpus);
		strbuf_str(out, "]\n");
	}
}

static void put_time(struct strbuf *out, const char *label, u64 ns)
{
	strbuf_f(out, "%s%" PRIu64 ".%06" PRIu64 "\n", label, ns / 1000000000,
		 ns % 1000000000 / 1000);
}

static void print_sample_time(struct data_reader *d, struct feature_cursor *c,
			      struct strbuf *out)
{
	u64 first = feature_u64(c), last = feature_u64(c);

	(void)d;
	if (c->bad)
		return;
	put_time(out, "# time of first sample : ", first);
	put_time(out, "# time of last sample : ", last);
	strbuf_f(out, "# sample duration : %10.3f ms\n", (double)(last - first) / 1e6);
}

/* Why user stacks ended that were unwound while recording. */
static void print_stack_ends(struct data_reader *d, struct strbuf *out)
{
	struct feature_cursor c = feature_open(d, FEATURE_OURS);
	u32 version = feature_u32(&c), n = feature_u32(&c);

	if (c.bad || version != 1 || !n)
		return;
	strbuf_str(out, "# user stacks unwound while recording :");
	for (u32 i = 0; i < n && !c.bad; i++) {
		u64 count = feature_u64(&c);
		const char *text = feature_text(&c);

		if (c.bad || !text)
			break;
		strbuf_f(out, "%s %" PRIu64 " ", i ? "," : "", count);
		strbuf_printable(out, text);
	}
	strbuf_char(out, '\n');
}

/* The bits that are set, as "0-23,32-199". */
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

/* 6.1's rounding: divided by 1024 as long as more than one of the next unit is left. */
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

static void print_memory_topology(struct data_reader *d, struct feature_cursor *c,
				  struct strbuf *out)
{
	u64 version = feature_u64(c), size = feature_u64(c), n = feature_u64(c);

	(void)d;
	if (c->bad || version != 1)
		return;
	strbuf_f(out, "# memory nodes (nr %" PRIu64 ", block size 0x%" PRIx64 "):\n", n, size);
	for (u64 i = 0; i < n && !c->bad; i++)
		print_memory_node(c, size, out);
}

static void print_clockid(struct data_reader *d, struct feature_cursor *c, struct strbuf *out)
{
	u64 ns = feature_u64(c);

	(void)d;
	if (!c->bad)
		strbuf_f(out, "# clockid frequency: %" PRIu64 " MHz\n", ns * 1000);
}

static void print_directory(struct data_reader *d, struct feature_cursor *c, struct strbuf *out)
{
	u64 version = feature_u64(c);

	(void)d;
	if (!c->bad)
		strbuf_f(out, "# directory data version : %" PRIu64 "\n", version);
}

/* Count, then each: u32 id, u32 size, the BTF. */
static void print_btf(struct data_reader *d, struct feature_cursor *c, struct strbuf *out)
{
	u32 n = feature_u32(c);

	(void)d;
	for (u32 i = 0; i < n && !c->bad; i++) {
		u32 id = feature_u32(c);

		if (feature_bytes(c, feature_u32(c)))
			strbuf_f(out, "# btf info of id %u\n", id);
	}
}

static void print_compressed(struct data_reader *d, struct feature_cursor *c, struct strbuf *out)
{
	u32 type, level, ratio;

	(void)d;
	feature_u32(c); /* version */
	type = feature_u32(c);
	level = feature_u32(c);
	ratio = feature_u32(c);
	if (!c->bad)
		strbuf_f(out, "# compressed : %s, level = %u, ratio = %u\n",
			 type == 1 ? "Zstd" : "Unknown", level, ratio);
}

/* label, then "name=value, name=value" or "not available". */
static void put_caps(struct feature_cursor *c, u32 n, struct strbuf *out)
{
	if (!n)
		strbuf_str(out, "not available");
	for (u32 i = 0; i < n && !c->bad; i++) {
		const char *name = feature_text(c), *value = feature_text(c);

		if (c->bad)
			break;
		strbuf_str(out, i ? ", " : "");
		put(out, name);
		strbuf_char(out, '=');
		put(out, value);
	}
	strbuf_char(out, '\n');
}

static void print_cpu_caps(struct data_reader *d, struct feature_cursor *c, struct strbuf *out)
{
	u32 n = feature_u32(c);

	(void)d;
	strbuf_str(out, "# cpu pmu capabilities: ");
	put_caps(c, n, out);
}

static void print_pmu_caps(struct data_reader *d, struct feature_cursor *c, struct strbuf *out)
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
			put(out, pmu);
			strbuf_f(out, " pmu capabilities: %s", strbuf_cstr(&caps));
		}
		strbuf_release(&caps);
	}
}

static const char *clock_name(u32 id)
{
	static const char *const names[] = {
		[CLOCK_REALTIME] = "realtime",	       [CLOCK_MONOTONIC] = "monotonic",
		[CLOCK_MONOTONIC_RAW] = "monotonic_raw", [CLOCK_BOOTTIME] = "boottime",
		[CLOCK_TAI] = "tai",
	};

	return id < ARRAY_SIZE(names) && names[id] ? names[id] : "(not found)";
}

static void print_clock_data(struct data_reader *d, struct feature_cursor *c, struct strbuf *out)
{
	u32 version = feature_u32(c), id = feature_u32(c);
	u64 wall = feature_u64(c), clock = feature_u64(c), s = 1000000000;
	char date[64] = "";
	struct tm tm;
	time_t t = (time_t)(wall / s);

	(void)version;
	(void)d;
	if (c->bad)
		return;
	if (localtime_r(&t, &tm))
		strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S", &tm);
	strbuf_f(out, "# clockid: %s (%u)\n", clock_name(id), id);
	strbuf_f(out, "# reference time: %s.%06" PRIu64 " = %" PRIu64 ".%06" PRIu64 " (TOD) = %" PRIu64
		 ".%09" PRIu64 " (%s)\n", date, wall % s / 1000, wall / s, wall % s / 1000, clock / s,
		 clock % s, clock_name(id));
}

static void print_hybrid(struct data_reader *d, struct feature_cursor *c, struct strbuf *out)
{
	u32 n = feature_u32(c);

	(void)d;
	strbuf_str(out, "# hybrid cpu system:\n");
	for (u32 i = 0; i < n && !c->bad; i++) {
		const char *pmu = feature_text(c), *cpus = feature_text(c);

		if (c->bad)
			return;
		strbuf_str(out, "# ");
		put(out, pmu);
		line(out, " cpu list : ", cpus);
	}
}

static void print_machine(struct data_reader *d, struct feature_cursor *c, struct strbuf *out)
{
	u32 machine = feature_u32(c), flags = feature_u32(c);

	(void)d;
	if (!c->bad)
		strbuf_f(out, "# e_machine : %u\n#   e_flags : %u\n", machine, flags);
}

static void print_cache_line(struct data_reader *d, struct feature_cursor *c, struct strbuf *out)
{
	u32 size = feature_u32(c);

	(void)d;
	if (!c->bad)
		strbuf_f(out, "# cacheline size: %u\n", size);
}

static const struct feature_text texts[] = {
	[FEATURE_TRACING_DATA] = { "TRACING_DATA", false, NULL },
	[FEATURE_BUILD_ID] = { "BUILD_ID", false, NULL },
	[FEATURE_HOSTNAME] = { "HOSTNAME", false, print_hostname },
	[FEATURE_OSRELEASE] = { "OSRELEASE", false, print_release },
	[FEATURE_VERSION] = { "VERSION", false, print_version },
	[FEATURE_ARCH] = { "ARCH", false, print_arch },
	[FEATURE_NRCPUS] = { "NRCPUS", false, print_cpus },
	[FEATURE_CPUDESC] = { "CPUDESC", false, print_cpu_description },
	[FEATURE_CPUID] = { "CPUID", false, print_cpuid },
	[FEATURE_TOTAL_MEM] = { "TOTAL_MEM", false, print_memory },
	[FEATURE_CMDLINE] = { "CMDLINE", false, print_cmdline },
	[FEATURE_EVENT_DESC] = { "EVENT_DESC", false, print_events },
	[FEATURE_CPU_TOPOLOGY] = { "CPU_TOPOLOGY", true, print_topology },
	[FEATURE_NUMA_TOPOLOGY] = { "NUMA_TOPOLOGY", true, print_nodes },
	[FEATURE_BRANCH_STACK] = { "BRANCH_STACK", false, print_branch_stack },
	[FEATURE_PMU_MAPPINGS] = { "PMU_MAPPINGS", false, print_pmus },
	[FEATURE_GROUP_DESC] = { "GROUP_DESC", false, print_groups },
	[FEATURE_AUXTRACE] = { "AUXTRACE", false, print_auxtrace },
	[FEATURE_STAT] = { "STAT", false, print_stat },
	[FEATURE_CACHE] = { "CACHE", true, print_caches },
	[FEATURE_SAMPLE_TIME] = { "SAMPLE_TIME", false, print_sample_time },
	[FEATURE_MEM_TOPOLOGY] = { "MEM_TOPOLOGY", true, print_memory_topology },
	[FEATURE_CLOCKID] = { "CLOCKID", false, print_clockid },
	[FEATURE_DIR_FORMAT] = { "DIR_FORMAT", false, print_directory },
	[FEATURE_BPF_PROG_INFO] = { "BPF_PROG_INFO", false, NULL },
	[FEATURE_BPF_BTF] = { "BPF_BTF", false, print_btf },
	[FEATURE_COMPRESSED] = { "COMPRESSED", false, print_compressed },
	[FEATURE_CPU_PMU_CAPS] = { "CPU_PMU_CAPS", false, print_cpu_caps },
	[FEATURE_CLOCK_DATA] = { "CLOCK_DATA", false, print_clock_data },
	[FEATURE_HYBRID_TOPOLOGY] = { "HYBRID_TOPOLOGY", true, print_hybrid },
	[FEATURE_PMU_CAPS] = { "PMU_CAPS", false, print_pmu_caps },
	/* since 6.1: printed when there, never named as missing */
	[FEATURE_CPU_DOMAIN_INFO] = { "CPU_DOMAIN_INFO", true, NULL },
	[FEATURE_E_MACHINE] = { "E_MACHINE", false, print_machine },
	[FEATURE_CLN_SIZE] = { "CLN_SIZE", false, print_cache_line },
};

const char *data_feature_name(unsigned feature)
{
	return feature < ARRAY_SIZE(texts) ? texts[feature].name : NULL;
}

static void print_features(struct data_reader *d, struct strbuf *out, bool full)
{
	for (unsigned i = 1; i < ARRAY_SIZE(texts); i++) {
		const struct feature_text *t = &texts[i];
		struct feature_cursor c;

		if (!d->features[i].present || !t->print)
			continue;
		if (t->full_only && !full) {
			strbuf_f(out, "# %s info available, use -I to display\n", t->name);
			continue;
		}
		c = feature_open(d, i);
		if (!c.bad)
			t->print(d, &c, out);
	}
}

static void print_missing(const struct data_reader *d, struct strbuf *out)
{
	strbuf_str(out, "# missing features: ");
	for (unsigned i = 1; i <= FEATURE_PMU_CAPS; i++)
		if (!d->features[i].present)
			strbuf_f(out, "%s ", texts[i].name);
	strbuf_char(out, '\n');
}

void data_header_print(struct data_reader *d, struct strbuf *out, bool full)
{
	time_t t = (time_t)d->file_time;
	char date[64] = "\n";

	ctime_r(&t, date);
	strbuf_str(out, "# ========\n");
	strbuf_f(out, "# captured on    : %s", date);
	strbuf_str(out, "# header version : 1\n");
	strbuf_f(out, "# data offset    : %" PRIu64 "\n", d->header_data_offset);
	strbuf_f(out, "# data size      : %" PRIu64 "\n", d->header_data_size);
	strbuf_f(out, "# feat offset    : %" PRIu64 "\n", d->header_feature_offset);
	/* a stream's features come as records, behind its header */
	if (d->is_pipe) {
		strbuf_str(out, "# ========\n#\n");
		print_features(d, out, full);
		return;
	}
	print_features(d, out, full);
	if (d->features[FEATURE_OURS].present)
		print_stack_ends(d, out);
	print_missing(d, out);
	strbuf_str(out, "# ========\n#\n");
}
