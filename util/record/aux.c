// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * AUX areas on their way into the file.
 *
 *	AUXTRACE_INFO    at the beginning: what is needed to decode them
 *	AUXTRACE         a piece of one area, its bytes after the record
 *
 * The words of AUXTRACE_INFO differ by kind; see Documentation/perf.data-format.md.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "base/clock.h"
#include "base/text.h"
#include "record/internal.h"
#include "sys/sys.h"
#include "sys/topology.h"

static const char devices[] = "/sys/bus/event_source/devices";

#define DEFAULT_AUX_BYTES      (4ULL << 20)
#define DEFAULT_AUX_BYTES_USER (128ULL << 10)
#define DEFAULT_AUX_SAMPLE     4096
#define MOST_AUX_SAMPLE        (60ULL << 10) /* a record has 64 kB */

struct event *record_aux_event(const struct event_set *set)
{
	vec_for_each(&set->list, it)
		if (live_aux_type(*it))
			return *it;
	return NULL;
}

/*
 * Refuses a request that needs an AUX area, with the name of an event of this machine that has one.
 * Returns -EINVAL.
 */
static int no_aux_event(const struct record_settings *s, struct reason *r)
{
	const char *what = s->aux_snapshot ? "--snapshot" : "--aux-sample";
	struct strlist pmus = { 0 };
	const char *one = NULL;

	if (!sys_list(NULL, &pmus, false, devices))
		vec_for_each(&pmus.list, pmu)
			if (!one && live_aux_pmu_type(*pmu))
				one = *pmu;
	reason_set(r, EINVAL,
		   "%s: none of the events has an AUX area (intel_pt, arm_spe, cs_etm, "
		   "intel_bts, hisi_ptt)",
		   what);
	if (one)
		reason_hint(r, "record an event that has one: -e %s//", one);
	else
		reason_hint(r, "no PMU of this machine has one: leave %s out", what);
	strlist_release(&pmus);
	return -EINVAL;
}

int record_settle_aux(struct event_set *set, struct record_settings *s, struct reason *r)
{
	const struct event *aux = record_aux_event(set);
	u64 page = (u64)sysconf(_SC_PAGESIZE);

	if (!aux)
		return s->aux_snapshot || s->aux_sample ? no_aux_event(s, r) : 0;
	if (s->aux_snapshot && s->aux_sample)
		return reason_set(r, EINVAL,
				  "--snapshot and --aux-sample both say when AUX data is taken");
	if (s->threads.count && (s->aux_snapshot || s->aux_sample))
		return reason_set(r, EINVAL,
				  "--threads writes all AUX data: --snapshot and --aux-sample "
				  "need a single file");
	if (!s->aux_pages)
		s->aux_pages = (geteuid() ? DEFAULT_AUX_BYTES_USER : DEFAULT_AUX_BYTES) / page;
	while (s->aux_snapshot && s->aux_pages * page < s->aux_snapshot_bytes)
		s->aux_pages *= 2;
	return 0;
}

int record_parse_snapshot(struct record_settings *s, const char *text, struct reason *r)
{
	size_t n = text ? strlen(text) : 0;
	char *size = xstrdup(text ? text : "");
	int err = 0;

	s->aux_snapshot = true;
	s->aux_snapshot_at_exit = n && text[n - 1] == 'e';
	s->aux_snapshot_bytes = 0;
	if (s->aux_snapshot_at_exit)
		size[--n] = '\0';
	if (n && (parse_size(size, &s->aux_snapshot_bytes) || !s->aux_snapshot_bytes)) {
		err = reason_set(r, EINVAL, "'%s' is not [SIZE][e]", text);
		reason_hint(r, "how much of the newest AUX data, such as 64K; e: also at the end");
	}
	free(size);
	return err;
}

int record_parse_aux_sample(struct record_settings *s, const char *text, struct reason *r)
{
	u64 bytes = DEFAULT_AUX_SAMPLE;

	if (text && (parse_size(text, &bytes) || !bytes || bytes > MOST_AUX_SAMPLE)) {
		reason_set(r, EINVAL, "'%s' is not a size of AUX data for each sample", text);
		reason_hint(r, "up to 60K, as in --aux-sample=8K");
		return -EINVAL;
	}
	s->aux_sample = (u32)bytes;
	return 0;
}

/*
 * Reports whether SPE picks one operation in this many, as requested; otherwise it picks as many as
 * the PMU can.
 */
static bool has_interval(const struct event *ev, const struct record_settings *s)
{
	return live_aux_type(ev) == AUX_ARM_SPE && (ev->user_period || s->period_given);
}

/*
 * Configures the trace events, which take no samples themselves. Samples of their group may carry a
 * piece of the trace.
 */
int record_configure_aux(struct event_set *set, const struct record_settings *s, struct reason *r)
{
	const struct event *aux = record_aux_event(set);
	u64 bytes = s->aux_pages * (u64)sysconf(_SC_PAGESIZE);
	bool carried = !s->aux_sample;

	if (!aux)
		return 0;
	vec_for_each(&set->list, it) {
		struct perf_event_attr *a = &(*it)->attr;

		if (live_aux_type(*it)) {
			if (!has_interval(*it, s))
				a->sample_period = 1;
			a->flags &= ~(ATTR_FREQ | ATTR_WRITE_BACKWARD);
			a->sample_type &= ~(u64)(PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN);
			if (!s->aux_snapshot && !s->aux_sample)
				a->aux_watermark = (u32)MIN(bytes / 4, (u64)UINT32_MAX);
		} else if (live_aux_type((*it)->leader) && (s->aux_sample || a->aux_sample_size)) {
			if (!a->aux_sample_size)
				a->aux_sample_size = s->aux_sample;
			a->sample_type |= PERF_SAMPLE_AUX;
			carried = true;
		}
	}
	if (carried)
		return 0;
	reason_set(r, EINVAL, "--aux-sample: no event is in a group with '%s' before it",
		   aux->name);
	reason_hint(r, "-e '{%s,cycles}'", aux->name);
	return -EINVAL;
}

static void add(struct strbuf *b, u64 v)
{
	strbuf_add(b, &v, sizeof(v));
}

/* Returns the bits of config that a format of the PMU names, or 0 if it has no such format. */
static u64 format_mask(const struct recorder *rec, const struct event *ev, const char *name)
{
	char *line = sys_read_line(rec->sys, "%s/%s/format/%s", devices, ev->pmu, name);
	unsigned from, to;
	u64 mask = 0;
	int n = line ? sscanf(line, "config:%u-%u", &from, &to) : 0;

	if (n == 1)
		to = from;
	if (n > 0 && from <= to && to < 64)
		mask = (to - from == 63 ? UINT64_MAX : (BIT64(to - from + 1) - 1)) << from;
	free(line);
	return mask;
}

/* Adds the ratio of the time stamp counter to the crystal clock. */
static void add_crystal_ratio(struct strbuf *b)
{
	unsigned a = 0, ebx = 0;
#if defined(__x86_64__) || defined(__i386__)
	unsigned c, d;

	__get_cpuid(0x15, &a, &ebx, &c, &d);
#endif
	add(b, ebx);
	add(b, a);
}

static void intel_pt_words(const struct recorder *rec, const struct event *ev, struct strbuf *b)
{
	struct live_clock c = { 0 };
	bool per_cpu = live_cpu(rec->live, 0) >= 0;
	u64 ratio = 0;

	live_clock(rec->live, &c);
	sys_read_u64(rec->sys, &ratio, "%s/%s/caps/max_nonturbo_ratio", devices, ev->pmu);
	add(b, ev->attr.type);
	add(b, c.shift);
	add(b, c.mult);
	add(b, c.zero);
	add(b, c.known);
	add(b, format_mask(rec, ev, "tsc"));
	add(b, format_mask(rec, ev, "noretcomp"));
	/* by context switch records, of whole CPUs or not */
	add(b, live_thread(rec->live, 0) < 0 ? 3 : 2);
	add(b, rec->settings->aux_snapshot);
	add(b, per_cpu);
	add(b, format_mask(rec, ev, "mtc"));
	add(b, format_mask(rec, ev, "mtc_period"));
	add_crystal_ratio(b);
	add(b, format_mask(rec, ev, "cyc"));
	add(b, ratio);
	add(b, 0); /* length of an address filter, which would follow */
}

static void intel_bts_words(const struct recorder *rec, const struct event *ev, struct strbuf *b)
{
	struct live_clock c = { 0 };

	live_clock(rec->live, &c);
	add(b, ev->attr.type);
	add(b, c.shift);
	add(b, c.mult);
	add(b, c.zero);
	add(b, c.known);
	add(b, rec->settings->aux_snapshot);
}

/*
 * Returns the trace unit's register for the event's options: bits of config become bits of
 * TRCCONFIGR.
 */
static u64 etm_config(u64 config)
{
	static const struct {
		u8 option, bit;
	} bits[] = { { 12, 4 }, { 14, 6 }, { 15, 7 }, { 28, 11 }, { 29, 12 } };
	u64 reg = 0;

	for (size_t i = 0; i < ARRAY_SIZE(bits); i++)
		reg |= config & BIT64(bits[i].option) ? BIT64(bits[i].bit) : 0;
	return reg;
}

static void cs_etm_words(const struct recorder *rec, const struct event *ev, struct strbuf *b)
{
	static const char *const ids[] = { "trcidr0", "trcidr1", "trcidr2", "trcidr8" };
	enum { HEADER_VERSION = 1, PARAMETERS = 7, FIRST_ID = 0x10 };
	const u64 magic = 0x4040404040404040ULL;
	u32 *cpus = NULL;
	size_t n = 0;

	sys_cpus(rec->sys, "online", &cpus, &n, NULL);
	add(b, HEADER_VERSION);
	add(b, (u64)ev->attr.type << 32 | n);
	add(b, rec->settings->aux_snapshot);
	for (size_t i = 0; i < n; i++) {
		u64 v = 0;

		add(b, magic);
		add(b, cpus[i]);
		add(b, PARAMETERS);
		add(b, etm_config(ev->attr.config));
		add(b, FIRST_ID + cpus[i] * 2ULL);
		for (size_t k = 0; k < ARRAY_SIZE(ids); k++) {
			v = 0;
			sys_read_u64(rec->sys, &v, "%s/%s/cpu%u/trcidr/%s", devices, ev->pmu,
				     cpus[i], ids[k]);
			add(b, v);
		}
		v = 0;
		sys_read_u64(rec->sys, &v, "%s/%s/cpu%u/mgmt/trcauthstatus", devices, ev->pmu,
			     cpus[i]);
		add(b, v);
	}
	free(cpus);
}

static void add_head(struct strbuf *b, u32 type, size_t size)
{
	struct record_header h = { .type = type, .size = (u16)size };

	strbuf_add(b, &h, sizeof(h));
}

void record_build_aux_info(const struct recorder *rec, struct strbuf *out)
{
	const struct event *ev = record_aux_event(rec->set);
	struct strbuf words = STRBUF_INIT;
	u32 kind[2] = { ev ? live_aux_type(ev) : 0, 0 };

	switch (kind[0]) {
	case 0:
		return;
	case AUX_INTEL_PT:
		intel_pt_words(rec, ev, &words);
		break;
	case AUX_INTEL_BTS:
		intel_bts_words(rec, ev, &words);
		break;
	case AUX_CS_ETM:
		cs_etm_words(rec, ev, &words);
		break;
	case AUX_ARM_SPE:
		add(&words, ev->attr.type);
		add(&words, live_cpu(rec->live, 0) >= 0);
		break;
	default:
		add(&words, ev->attr.type);
	}
	if (words.len <= UINT16_MAX - 16) {
		add_head(out, PERF_RECORD_AUXTRACE_INFO, 16 + words.len);
		strbuf_add(out, kind, sizeof(kind));
		strbuf_add(out, words.s, words.len);
	}
	strbuf_release(&words);
}

void record_build_time_conv(const struct recorder *rec, struct strbuf *out)
{
	struct live_clock c;
	u8 can[8] = { 0 };

	if (!live_clock(rec->live, &c))
		return;
	add_head(out, PERF_RECORD_TIME_CONV, 56);
	add(out, c.shift);
	add(out, c.mult);
	add(out, c.zero);
	add(out, c.cycles);
	add(out, c.mask);
	can[0] = c.known;
	can[1] = c.narrow;
	strbuf_add(out, can, sizeof(can));
}

static int write_piece(struct record_reader *rd, u32 ring, const struct aux_data *d,
		       struct reason *r)
{
	struct recorder *rec = rd->rec;
	const struct data_aux piece = {
		.first = d->first,
		.second = d->second,
		.first_size = d->first_size,
		.second_size = d->second_size,
		.offset = d->offset,
		.reference = clock_now(),
		.idx = ring,
		.tid = live_ring_thread(rec->live, ring),
		.cpu = live_ring_cpu(rec->live, ring),
	};

	rd->taken += d->first_size + d->second_size;
	return data_write_aux(rec->parts ? rec->parts[ring] : rec->writer, &piece, r);
}

int reader_take_aux(struct record_reader *rd, u32 ring, struct reason *r)
{
	struct aux_data d;
	int err;

	if (rd->rec->settings->aux_snapshot || rd->rec->settings->aux_sample ||
	    !live_aux_get(rd->rec->live, ring, &d))
		return 0;
	err = write_piece(rd, ring, &d, r);
	live_aux_done(rd->rec->live, ring, &d);
	return err;
}

int reader_aux_snapshot(struct record_reader *rd, struct reason *r)
{
	struct recorder *rec = rd->rec;
	struct event *ev = record_aux_event(rec->set);
	int err = 0;

	if (!ev)
		return 0;
	live_disable_event(rec->live, ev);
	vec_for_each(&rd->rings, ring) {
		struct aux_data d;

		if (!err &&
		    live_aux_snapshot(rec->live, *ring, rec->settings->aux_snapshot_bytes, &d))
			err = write_piece(rd, *ring, &d, r);
	}
	live_enable_event(rec->live, ev);
	return err;
}
