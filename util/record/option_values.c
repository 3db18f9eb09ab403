// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The words that record's options take.
 */
#include <errno.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "record/record.h"
#include "sys/sys.h"

enum {
	MOST_STACK_BYTES = 65528, /* a u16 in the kernel, a multiple of 8 */
};

int record_parse_affinity(const char *text, enum record_affinity *a, struct reason *r)
{
	if (!strcmp(text, "node") || !strcmp(text, "cpu")) {
		*a = *text == 'n' ? AFFINITY_NODE : AFFINITY_CPU;
		return 0;
	}
	reason_set(r, EINVAL, "'%s' is neither 'node' nor 'cpu'", text);
	reason_hint(r, "cpu: where the ring is filled; node: anywhere on its NUMA node");
	return -EINVAL;
}

static int parse_stack_bytes(const char *text, bool live, u32 *bytes, struct reason *r)
{
	u32 usual = live ? RECORD_LIVE_STACK_BYTES : RECORD_STACK_BYTES;
	u64 v;

	if (!text) {
		*bytes = usual;
		return 0;
	}
	if (parse_size_or_hex(text, &v) || !v || v > MOST_STACK_BYTES) {
		reason_set(r, EINVAL, "'%s' is not a size of a stack dump: 1 to %d bytes", text,
			   MOST_STACK_BYTES);
		reason_hint(r, "--call-graph dwarf,%s%u is the usual size", live ? "live," : "",
			    usual);
		return -EINVAL;
	}
	*bytes = (u32)ALIGN_UP(v, (u64)8);
	return 0;
}

static int parse_frames(const char *text, u16 *frames, struct reason *r)
{
	u64 v;

	if (!text)
		return 0;
	if (parse_count(text, &v) || !v || v > UINT16_MAX) {
		reason_set(r, EINVAL, "'%s' is not a number of frames", text);
		reason_hint(r, "as in --call-graph fp,32");
		return -EINVAL;
	}
	*frames = (u16)v;
	return 0;
}

int record_parse_call_graph(struct record_settings *s, const char *text, struct reason *r)
{
	struct strlist parts = { 0 };
	const char *mode, *arg;
	bool live;
	int err = 0;

	strlist_split(&parts, text, ",");
	mode = parts.list.count ? parts.list.items[0] : "";
	live = strlist_has(&parts, "live"); /* before the size, or after it */
	arg = parts.list.count > 1U + live ? parts.list.items[1] : NULL;
	if (live && arg && !strcmp(arg, "live"))
		arg = parts.list.items[2];
	if (live && strcmp(mode, "dwarf")) {
		err = reason_set(r, EINVAL, "'%s': only stacks of 'dwarf' can be unwound live",
				 text);
		reason_hint(r, "--call-graph dwarf,live");
		strlist_release(&parts);
		return err;
	}
	s->live_stacks = live;
	if (!strcmp(mode, "fp")) {
		s->call_graph = CALL_GRAPH_FP;
		s->defer_callchain = arg && !strcmp(arg, "defer");
		if (s->defer_callchain)
			arg = parts.list.count > 2 ? parts.list.items[2] : NULL;
		err = parse_frames(arg, &s->max_stack, r);
	} else if (!strcmp(mode, "dwarf")) {
		s->call_graph = CALL_GRAPH_DWARF;
		err = parse_stack_bytes(arg, live, &s->stack_bytes, r);
	} else if (!strcmp(mode, "lbr")) {
		s->call_graph = CALL_GRAPH_LBR;
	} else {
		err = reason_set(r, EINVAL, "'%s' is not a kind of call graph", text);
		reason_hint(r, "fp[,FRAMES], dwarf[,BYTES][,live] or lbr");
	}
	strlist_release(&parts);
	return err;
}

static const struct {
	const char *name;
	u64 bit;
} branch_words[] = {
	{ "u", PERF_SAMPLE_BRANCH_USER },
	{ "k", PERF_SAMPLE_BRANCH_KERNEL },
	{ "hv", PERF_SAMPLE_BRANCH_HV },
	{ "any", PERF_SAMPLE_BRANCH_ANY },
	{ "any_call", PERF_SAMPLE_BRANCH_ANY_CALL },
	{ "any_ret", PERF_SAMPLE_BRANCH_ANY_RETURN },
	{ "ind_call", PERF_SAMPLE_BRANCH_IND_CALL },
	{ "abort_tx", PERF_SAMPLE_BRANCH_ABORT_TX },
	{ "in_tx", PERF_SAMPLE_BRANCH_IN_TX },
	{ "no_tx", PERF_SAMPLE_BRANCH_NO_TX },
	{ "cond", PERF_SAMPLE_BRANCH_COND },
	{ "ind_jmp", PERF_SAMPLE_BRANCH_IND_JUMP },
	{ "call", PERF_SAMPLE_BRANCH_CALL },
	{ "no_flags", PERF_SAMPLE_BRANCH_NO_FLAGS },
	{ "no_cycles", PERF_SAMPLE_BRANCH_NO_CYCLES },
	{ "save_type", PERF_SAMPLE_BRANCH_TYPE_SAVE },
	{ "stack", PERF_SAMPLE_BRANCH_CALL_STACK },
	{ "hw_index", PERF_SAMPLE_BRANCH_HW_INDEX },
	{ "priv", PERF_SAMPLE_BRANCH_PRIV_SAVE },
	{ "counter", PERF_SAMPLE_BRANCH_COUNTERS },
};

static int unknown_branch_word(const char *word, struct reason *r)
{
	struct strbuf all = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(branch_words); i++)
		strbuf_f(&all, "%s%s", i ? ", " : "", branch_words[i].name);
	reason_set(r, EINVAL, "'%s' is not a branch filter", word);
	reason_hint(r, "the filters are %s", all.s);
	strbuf_release(&all);
	return -EINVAL;
}

int record_parse_branch_filter(const char *text, u64 *mask, struct reason *r)
{
	const u64 levels =
		PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_HV;
	struct strlist words = { 0 };
	u64 got = 0;
	int err = 0;

	strlist_split(&words, text, ",");
	vec_for_each(&words.list, w) {
		size_t i;

		for (i = 0; i < ARRAY_SIZE(branch_words); i++)
			if (!strcmp(*w, branch_words[i].name))
				break;
		if (i == ARRAY_SIZE(branch_words)) {
			err = unknown_branch_word(*w, r);
			break;
		}
		got |= branch_words[i].bit;
	}
	strlist_release(&words);
	/* only privilege levels: all branches there */
	if (!(got & ~levels))
		got |= PERF_SAMPLE_BRANCH_ANY;
	if (!err)
		*mask = got;
	return err;
}

static const struct {
	const char *name;
	s32 id;
} clocks[] = {
	{ "monotonic", CLOCK_MONOTONIC },
	{ "mono", CLOCK_MONOTONIC },
	{ "monotonic_raw", CLOCK_MONOTONIC_RAW },
	{ "raw", CLOCK_MONOTONIC_RAW },
	{ "realtime", CLOCK_REALTIME },
	{ "real", CLOCK_REALTIME },
	{ "boottime", CLOCK_BOOTTIME },
	{ "boot", CLOCK_BOOTTIME },
	{ "tai", CLOCK_TAI },
};

int record_parse_clockid(const char *text, s32 *id, struct reason *r)
{
	const char *name = strncasecmp(text, "CLOCK_", 6) ? text : text + 6;
	s64 number;

	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++)
		if (!strcasecmp(name, clocks[i].name)) {
			*id = clocks[i].id;
			return 0;
		}
	if (!parse_int(text, &number) && number >= 0 && number <= INT32_MAX) {
		*id = (s32)number;
		return 0;
	}
	reason_set(r, EINVAL, "'%s' is not a clock", text);
	reason_hint(r, "the clocks are monotonic, monotonic_raw, realtime, boottime, tai");
	return -EINVAL;
}

int record_parse_ring_pages(const char *text, u64 *pages, struct reason *r)
{
	u64 page = (u64)sysconf(_SC_PAGESIZE), v;
	bool number = !parse_count(text, &v);

	if (number && v > UINT64_MAX / page)
		v = 0;
	else if (number)
		v *= page;
	if ((number || !parse_size(text, &v)) && v && v <= 1ULL << 40) {
		for (*pages = 1; *pages * page < v;)
			*pages *= 2;
		return 0;
	}
	reason_set(r, EINVAL, "'%s' is not a size of a ring: pages, or a size up to 1T", text);
	reason_hint(r, "-m 128 (pages) or -m 4M, for example");
	return -EINVAL;
}

static int parse_aux_pages(const char *text, u64 *pages, struct reason *r)
{
	struct reason why = REASON_INIT;
	int err = record_parse_ring_pages(text, pages, &why);

	if (err)
		reason_set(r, -err, "of AUX areas: %s", why.text);
	if (err && why.hint)
		reason_hint(r, "-m ,1024 (pages) or -m 512K,4M, for example");
	reason_release(&why);
	return err;
}

int record_parse_mmap_pages(struct record_settings *s, const char *text, struct reason *r)
{
	const char *comma = strchr(text, ',');
	char *ring = comma ? xstrndup(text, (size_t)(comma - text)) : xstrdup(text);
	int err = 0;

	if (*ring || !comma)
		err = record_parse_ring_pages(ring, &s->ring_pages, r);
	if (!err && comma)
		err = parse_aux_pages(comma + 1, &s->aux_pages, r);
	free(ring);
	return err;
}

int record_max_freq(u64 *freq, struct reason *r)
{
	static const char path[] = "/proc/sys/kernel/perf_event_max_sample_rate";
	int err = sys_read_u64(NULL, freq, path);

	return err ? reason_errno(r, -err, "cannot read %s", path) : 0;
}

int record_parse_synth(const char *text, unsigned *mask, struct reason *r)
{
	static const struct {
		const char *word;
		unsigned bits;
	} words[] = {
		{ "no", 0 },
		{ "none", 0 },
		{ "all", SYNTH_ALL },
		{ "task", SYNTH_TASKS },
		{ "mmap", SYNTH_MAPS },
		{ "cgroup", SYNTH_CGROUPS },
	};
	struct strlist parts = { VEC_INIT };
	unsigned bits = 0;
	int err = 0;

	strlist_split(&parts, text, ",");
	vec_for_each(&parts.list, p) {
		size_t i = 0;

		while (i < ARRAY_SIZE(words) && strcmp(words[i].word, *p))
			i++;
		if (i < ARRAY_SIZE(words))
			bits |= words[i].bits;
		else if (!err)
			err = reason_set(r, EINVAL,
					 "'%s' is not one of no, all, task, mmap, cgroup", *p);
	}
	strlist_release(&parts);
	if (!err)
		*mask = bits;
	return err;
}

int record_parse_switch_output(struct record_settings *s, const char *text, struct reason *r)
{
	struct record_rotation *w = &s->switch_output;
	size_t n = text ? strlen(text) : 0;

	*w = (struct record_rotation){ .max_files = w->max_files };
	if (!text || !strcmp(text, "signal")) {
		w->on_signal = true;
		return 0;
	}
	/* the last letter distinguishes sizes (B, K, M, G) from times (s, m, h) */
	if (strchr("BKMG", text[n - 1])
		    ? !parse_size(text, &w->size) && w->size
		    : strchr("smh", text[n - 1]) && !parse_duration(text, 1, &w->time) && w->time)
		return 0;
	reason_set(r, EINVAL, "'%s' is not a condition for switching files", text);
	reason_hint(r, "'signal' (SIGUSR2), a size such as 100M, or a time such as 30s");
	return -EINVAL;
}
