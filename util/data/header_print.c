// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The header as text, line for line as perf 6.1 prints it: other programs read these lines. One
 * function for each feature; damaged ones are left out.
 */
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "data/header_print.h"
#include "event/parse.h"

struct feature_text {
	const char *name;
	bool full_only; /* only with -I */
	header_printer *print;
};

static void print_version(struct data_reader *d, struct feature_cursor *c, struct strbuf *out)
{
	(void)d;
	header_text_line(c, out, "# perf version : ");
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
		header_put(out, strbuf_cstr(&quoted));
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
		header_put(out, name);
		strbuf_str(out, ", ");
		print_event_ids(c, ids, out);
		strbuf_str(out, ", ");
		event_attr_print(out, &attr, ", ", " = ");
		strbuf_char(out, '\n');
	}
}

static void print_branch_stack(struct data_reader *d, struct feature_cursor *c, struct strbuf *out)
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

static void print_groups(struct data_reader *d, struct feature_cursor *c, struct strbuf *out)
{
	(void)c;
	vec_for_each(&d->events.list, e) {
		const struct event *ev = *e;

		if (ev->leader != ev || ev->members < 2)
			continue;
		strbuf_str(out, "# group: ");
		header_put(out, ev->group_name ? ev->group_name : "");
		for (u32 i = 0; i < ev->members; i++) {
			const char *name = d->events.list.items[ev->index + i]->name;

			strbuf_char(out, i ? ',' : '{');
			header_put(out, name ? name : "");
		}
		strbuf_str(out, "}\n");
	}
}

static void put_time(struct strbuf *out, const char *label, u64 ns)
{
	strbuf_f(out, "%s%" PRIu64 ".%06" PRIu64 "\n", label, ns / 1000000000,
		 ns % 1000000000 / 1000);
}

static void print_sample_time(struct data_reader *d, struct feature_cursor *c, struct strbuf *out)
{
	u64 first = feature_u64(c), last = feature_u64(c);

	(void)d;
	if (c->bad)
		return;
	put_time(out, "# time of first sample : ", first);
	put_time(out, "# time of last sample : ", last);
	strbuf_f(out, "# sample duration : %10.3f ms\n", (double)(last - first) / 1e6);
}

/* Prints why user stacks that were unwound while recording ended. */
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

static const char *clock_name(u32 id)
{
	static const char *const names[] = {
		[CLOCK_REALTIME] = "realtime",
		[CLOCK_MONOTONIC] = "monotonic",
		[CLOCK_MONOTONIC_RAW] = "monotonic_raw",
		[CLOCK_BOOTTIME] = "boottime",
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
	strbuf_f(out,
		 "# reference time: %s.%06" PRIu64 " = %" PRIu64 ".%06" PRIu64 " (TOD) = %" PRIu64
		 ".%09" PRIu64 " (%s)\n",
		 date, wall % s / 1000, wall / s, wall % s / 1000, clock / s, clock % s,
		 clock_name(id));
}

static const struct feature_text texts[] = {
	[FEATURE_TRACING_DATA] = { "TRACING_DATA", false, NULL },
	[FEATURE_BUILD_ID] = { "BUILD_ID", false, NULL },
	[FEATURE_HOSTNAME] = { "HOSTNAME", false, header_hostname },
	[FEATURE_OSRELEASE] = { "OSRELEASE", false, header_release },
	[FEATURE_VERSION] = { "VERSION", false, print_version },
	[FEATURE_ARCH] = { "ARCH", false, header_arch },
	[FEATURE_NRCPUS] = { "NRCPUS", false, header_cpus },
	[FEATURE_CPUDESC] = { "CPUDESC", false, header_cpu_description },
	[FEATURE_CPUID] = { "CPUID", false, header_cpuid },
	[FEATURE_TOTAL_MEM] = { "TOTAL_MEM", false, header_memory },
	[FEATURE_CMDLINE] = { "CMDLINE", false, print_cmdline },
	[FEATURE_EVENT_DESC] = { "EVENT_DESC", false, print_events },
	[FEATURE_CPU_TOPOLOGY] = { "CPU_TOPOLOGY", true, header_topology },
	[FEATURE_NUMA_TOPOLOGY] = { "NUMA_TOPOLOGY", true, header_nodes },
	[FEATURE_BRANCH_STACK] = { "BRANCH_STACK", false, print_branch_stack },
	[FEATURE_PMU_MAPPINGS] = { "PMU_MAPPINGS", false, header_pmus },
	[FEATURE_GROUP_DESC] = { "GROUP_DESC", false, print_groups },
	[FEATURE_AUXTRACE] = { "AUXTRACE", false, print_auxtrace },
	[FEATURE_STAT] = { "STAT", false, print_stat },
	[FEATURE_CACHE] = { "CACHE", true, header_caches },
	[FEATURE_SAMPLE_TIME] = { "SAMPLE_TIME", false, print_sample_time },
	[FEATURE_MEM_TOPOLOGY] = { "MEM_TOPOLOGY", true, header_memory_topology },
	[FEATURE_CLOCKID] = { "CLOCKID", false, print_clockid },
	[FEATURE_DIR_FORMAT] = { "DIR_FORMAT", false, print_directory },
	[FEATURE_BPF_PROG_INFO] = { "BPF_PROG_INFO", false, header_bpf_programs },
	[FEATURE_BPF_BTF] = { "BPF_BTF", false, header_bpf_types },
	[FEATURE_COMPRESSED] = { "COMPRESSED", false, print_compressed },
	[FEATURE_CPU_PMU_CAPS] = { "CPU_PMU_CAPS", false, header_cpu_caps },
	[FEATURE_CLOCK_DATA] = { "CLOCK_DATA", false, print_clock_data },
	[FEATURE_HYBRID_TOPOLOGY] = { "HYBRID_TOPOLOGY", true, header_hybrid },
	[FEATURE_PMU_CAPS] = { "PMU_CAPS", false, header_pmu_caps },
	/* since 6.1: printed when there, never named as missing */
	[FEATURE_CPU_DOMAIN_INFO] = { "CPU_DOMAIN_INFO", true, NULL },
	[FEATURE_E_MACHINE] = { "E_MACHINE", false, header_machine },
	[FEATURE_CLN_SIZE] = { "CLN_SIZE", false, header_cache_line },
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
	/* a stream's features come as records, after its header */
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
