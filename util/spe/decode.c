// SPDX-License-Identifier: GPL-2.0-or-later
/* Makes samples from traces of Arm SPE. */
#include "base/search.h"
#include "spe/internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/temporary.h"
#include "base/text.h"
#include "data/reader.h"
#include "data/writer.h"
#include "spe/packets.h"

enum { TRACE_ARM_SPE = 4, KINDS = 9, NO_THREAD = UINT32_MAX };

/* What perf 6.1 adds to the id of the traced event for each event that it makes. */
#define FIRST_ID 1000000000

struct kind {
	const char *name;
	unsigned wanted;
	u32 events; /* any of these events makes a sample; 0: every access to memory */
};

static const struct kind kinds[KINDS] = {
	{ "l1d-miss", SPE_WANT_L1, SPE_L1_REFILL },
	{ "l1d-access", SPE_WANT_L1, SPE_L1_ACCESS },
	{ "llc-miss", SPE_WANT_LLC, SPE_LLC_MISS },
	{ "llc-access", SPE_WANT_LLC, SPE_LLC_ACCESS },
	{ "tlb-miss", SPE_WANT_TLB, SPE_TLB_WALK },
	{ "tlb-access", SPE_WANT_TLB, SPE_TLB_ACCESS },
	{ "branch-miss", SPE_WANT_BRANCHES, SPE_MISPREDICTED },
	{ "remote-access", SPE_WANT_REMOTE, SPE_REMOTE },
	{ "memory", SPE_WANT_MEMORY, 0 },
};

/* The arrival of a thread on a CPU. */
struct arrival {
	u64 time;
	u32 cpu, tid;
};

struct decoder {
	struct context *ctx;
	struct data_reader *in;
	struct data_writer *out;
	struct event_set *set;
	unsigned wanted;
	struct event *traced; /* the event that wrote the traces */
	u64 ids[KINDS], sample_type, midr;
	bool timed, contexts; /* timed: times are known; contexts: packets name the thread */
	/* from TIME_CONV: converts the counter of timestamp packets to ns */
	u64 shift, mult, zero, cycles, mask;
	bool is_short;
	struct map64 pids;            /* tid -> pid */
	VEC(struct arrival) arrivals; /* sorted by CPU and time once all are read */
	struct strbuf samples;
	u64 damaged, threadless;
};

/* ---- first pass: threads, the clock ---- */

static void learn_thread(struct decoder *d, u32 pid, u32 tid)
{
	*map64_put(&d->pids, tid, NULL) = pid;
}

static void learn_switch(struct decoder *d, const struct record *rec)
{
	struct record_switch s;
	struct sample_id id;
	const struct event *ev;

	if (record_get_switch(d->set, rec, &s, NULL) ||
	    record_sample_id(d->set, rec, &id, &ev, NULL))
		return;
	if (rec->misc & PERF_RECORD_MISC_SWITCH_OUT)
		return;
	vec_push(&d->arrivals, (struct arrival){ id.time, id.cpu, id.tid });
}

static void learn_clock(struct decoder *d, const struct record *rec)
{
	const u8 *p = rec->data + 8;

	if (rec->size < 32)
		return;
	d->shift = load_u64(p, false);
	d->mult = load_u64(p + 8, false);
	d->zero = load_u64(p + 16, false);
	if (rec->size >= 56) {
		d->cycles = load_u64(p + 24, false);
		d->mask = load_u64(p + 32, false);
		d->is_short = p[41];
	}
}

static int learn(void *arg, const struct record *rec, const struct order_key *key)
{
	struct decoder *d = arg;
	struct record_comm comm;
	struct record_task task;
	struct record_itrace_start start;

	(void)key;
	switch (rec->type) {
	case PERF_RECORD_COMM:
		if (!record_get_comm(d->set, rec, &comm, NULL))
			learn_thread(d, comm.pid, comm.tid);
		break;
	case PERF_RECORD_FORK:
		if (!record_get_task(d->set, rec, &task, NULL))
			learn_thread(d, task.pid, task.tid);
		break;
	case PERF_RECORD_ITRACE_START:
		if (!record_get_itrace_start(d->set, rec, &start, NULL))
			learn_thread(d, start.pid, start.tid);
		break;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		learn_switch(d, rec);
		break;
	case PERF_RECORD_TIME_CONV:
		learn_clock(d, rec);
		break;
	default:
		break;
	}
	return 0;
}

static int arrival_cmp(const void *a, const void *b)
{
	const struct arrival *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return (x->time > y->time) - (x->time < y->time);
}

/* Returns the thread that arrived last on the CPU before that time, or NO_THREAD. */
static u32 thread_on(const struct decoder *d, u32 cpu, u64 time)
{
	size_t at =
		lower_bound(i, 0, d->arrivals.count,
			    d->arrivals.items[i].cpu < cpu || (d->arrivals.items[i].cpu == cpu &&
							       d->arrivals.items[i].time <= time));

	if (at && d->arrivals.items[at - 1].cpu == cpu)
		return d->arrivals.items[at - 1].tid;
	return NO_THREAD;
}

/* ---- samples ---- */

static u64 to_ns(const struct decoder *d, u64 cycles)
{
	u64 whole, rest, shift = d->shift & 63;

	if (d->is_short)
		cycles = d->cycles + ((cycles - d->cycles) & d->mask);
	whole = cycles >> shift;
	rest = cycles & (BIT64(shift) - 1);
	return d->zero + whole * d->mult + ((rest * d->mult) >> shift);
}

/* The CPU and thread that a trace comes from. */
struct origin {
	u32 cpu, tid; /* UINT32_MAX: not known */
};

static void put_u64(struct strbuf *b, u64 v)
{
	strbuf_add(b, &v, sizeof(v));
}

static void put_pair(struct strbuf *b, u32 first, u32 second)
{
	const u32 both[2] = { first, second };

	strbuf_add(b, both, sizeof(both));
}

struct made {
	const struct spe_record *rec;
	u64 id, time, data_src, addr;
	u32 pid, tid, cpu;
};

/* Appends a sample, with its fields in the order of sample_type. */
static void put_sample(struct decoder *d, const struct made *m)
{
	struct strbuf *b = &d->samples;
	bool kernel = m->rec->pc >> 63;
	const struct {
		u32 type;
		u16 misc, size;
	} h = { PERF_RECORD_SAMPLE, kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER, 0 };
	size_t from = b->len;
	u64 type = d->sample_type;
	u16 size;

	strbuf_add(b, &h, sizeof(h));
	if (type & PERF_SAMPLE_IDENTIFIER)
		put_u64(b, m->id);
	put_u64(b, m->rec->pc);
	put_pair(b, m->pid, m->tid);
	if (type & PERF_SAMPLE_TIME)
		put_u64(b, m->time);
	put_u64(b, m->addr);
	if (type & PERF_SAMPLE_ID)
		put_u64(b, m->id);
	put_pair(b, m->cpu, 0);
	put_u64(b, 1); /* period */
	put_u64(b, m->rec->latency);
	put_u64(b, m->data_src);
	put_u64(b, m->rec->physical);
	size = (u16)(b->len - from);
	memcpy(b->s + from + 6, &size, sizeof(size));
}

static void find_thread(struct decoder *d, const struct origin *o, struct made *m)
{
	u64 *pid;

	m->tid = o->tid;
	if (m->rec->has_context && d->timed) {
		m->tid = (u32)m->rec->context;
		d->contexts = true;
	} else if (!d->contexts && d->timed && m->cpu != UINT32_MAX) {
		u32 tid = thread_on(d, m->cpu, m->time);

		m->tid = tid == NO_THREAD ? o->tid : tid;
	}
	pid = map64_get(&d->pids, m->tid);
	m->pid = pid ? (u32)*pid : m->tid;
	d->threadless += m->tid == NO_THREAD;
}

static void add_record(struct decoder *d, const struct origin *o, const struct spe_record *rec)
{
	struct made m = { .rec = rec,
			  .cpu = o->cpu,
			  .time = d->timed ? to_ns(d, rec->time) : 0,
			  .data_src = spe_data_src(rec, d->midr) };

	find_thread(d, o, &m);
	for (size_t i = 0; i < KINDS; i++) {
		if (!d->ids[i] ||
		    (kinds[i].events ? !(rec->events & kinds[i].events) : !m.data_src))
			continue;
		m.id = d->ids[i];
		m.addr = kinds[i].wanted == SPE_WANT_BRANCHES ? rec->target : rec->data;
		put_sample(d, &m);
	}
}

enum { ENOUGH = 1 << 20 };

static int write_samples(struct decoder *d, size_t least, struct reason *r)
{
	int err;

	if (!d->samples.len || d->samples.len < least)
		return 0;
	err = data_write(d->out, d->samples.s, d->samples.len, r);
	strbuf_clear(&d->samples);
	return err;
}

/* Decodes the trace that follows an AUXTRACE record: size, offset, reference, idx, tid, cpu. */
static int decode_trace(struct decoder *d, const struct record *rec, struct reason *r)
{
	struct data_chunk payload;
	struct spe_reader reader;
	struct spe_record got;
	struct origin o;
	int err;

	if (rec->size < 48)
		return 0;
	o.tid = load_u32(rec->data + 36, false);
	o.cpu = load_u32(rec->data + 40, false);
	err = data_payload(d->in, rec, &payload, r);
	if (err)
		return err;
	spe_read_begin(&reader, payload.data, payload.size);
	while (!err && spe_read(&reader, &got)) {
		add_record(d, &o, &got);
		err = write_samples(d, ENOUGH, r);
	}
	d->damaged += reader.damaged;
	data_chunk_release(&payload);
	return err;
}

/* ---- second pass: the other records, and samples ---- */

static bool belongs_to_traces(u32 type)
{
	/* the header of a stream becomes that of a file */
	if (type == PERF_RECORD_HEADER_ATTR || type == PERF_RECORD_EVENT_UPDATE ||
	    type == PERF_RECORD_HEADER_FEATURE || type == PERF_RECORD_HEADER_BUILD_ID ||
	    type == PERF_RECORD_HEADER_TRACING_DATA)
		return true;
	return type == PERF_RECORD_AUXTRACE || type == PERF_RECORD_AUXTRACE_INFO ||
	       type == PERF_RECORD_AUX || type == PERF_RECORD_AUXTRACE_ERROR ||
	       type == PERF_RECORD_ITRACE_START ||
	       type == PERF_RECORD_FINISHED_ROUND; /* traces lie where they were written, not by
						      time */
}

static int copy_chunk(struct decoder *d, const struct data_chunk *c, struct reason *r)
{
	struct record rec;
	size_t at = 0;
	int err = 0;

	while (!err && data_chunk_record(c, &at, &rec)) {
		if (rec.type == PERF_RECORD_AUXTRACE)
			err = decode_trace(d, &rec, r);
		else if (rec.type == PERF_RECORD_SAMPLE && d->wanted & SPE_ALONE)
			continue;
		else if (!belongs_to_traces(rec.type))
			err = data_write(d->out, rec.data, rec.size, r);
	}
	return err ? err : write_samples(d, 1, r);
}

static int copy_records(struct decoder *d, struct reason *r)
{
	struct data_chunk c;
	int more = data_rewind(d->in, r);

	if (more)
		return more;
	while ((more = data_next(d->in, &c, r)) > 0) {
		more = copy_chunk(d, &c, r);
		data_chunk_release(&c);
		if (more)
			return more;
	}
	return more;
}

/* ---- events and features ---- */

static void add_events(struct decoder *d)
{
	struct perf_event_attr attr = d->traced->attr;
	u64 id = d->traced->ids.count ? d->traced->ids.items[0] + FIRST_ID : FIRST_ID;

	d->sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU |
			 PERF_SAMPLE_PERIOD | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC |
			 PERF_SAMPLE_PHYS_ADDR;
	d->sample_type |=
		attr.sample_type & PERF_SAMPLE_IDENTIFIER ? PERF_SAMPLE_IDENTIFIER : PERF_SAMPLE_ID;
	d->sample_type |= d->timed ? PERF_SAMPLE_TIME : 0;
	attr.type = PERF_TYPE_HARDWARE;
	attr.config = attr.config1 = attr.config2 = 0;
	attr.sample_type = d->sample_type;
	attr.read_format = 0;
	/*
	 * it has no samples itself, but code that looks for a field in all events should find
	 * it
	 */
	d->traced->attr.sample_type |=
		d->sample_type & ~(u64)(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID | PERF_SAMPLE_TIME |
					PERF_SAMPLE_CPU | PERF_SAMPLE_TID);
	for (size_t i = 0; i < KINDS; i++) {
		struct event *ev;

		if (!(d->wanted & kinds[i].wanted))
			continue;
		ev = event_set_add(d->set, &attr, kinds[i].name);
		d->ids[i] = id++;
		event_set_add_id(d->set, ev, d->ids[i]);
	}
}

static void copy_features(struct decoder *d)
{
	for (unsigned i = FEATURE_BUILD_ID; i < FEATURE_BITS; i++) {
		size_t size = 0;
		const void *section;

		if (i == FEATURE_AUXTRACE || i == FEATURE_COMPRESSED || i == FEATURE_DIR_FORMAT ||
		    i == FEATURE_EVENT_DESC || i == FEATURE_GROUP_DESC ||
		    !data_has_feature(d->in, i))
			continue;
		section = data_feature(d->in, i, &size);
		if (section)
			data_feature_copy(d->out, i, section, size);
	}
	data_set_events(d->out, d->set);
}

bool spe_is_info(const struct record *rec)
{
	return rec->type == PERF_RECORD_AUXTRACE_INFO && rec->size >= 24 &&
	       load_u32(rec->data + 8, false) == TRACE_ARM_SPE;
}

static int find_info(void *arg, const struct record *rec, const struct order_key *key)
{
	struct decoder *d = arg;

	(void)key;
	if (spe_is_info(rec) && !d->traced) {
		u32 pmu = (u32)load_u64(rec->data + 16, false);

		vec_for_each(&d->set->list, ev)
			if ((*ev)->attr.type == pmu && !d->traced)
				d->traced = *ev;
	}
	return learn(arg, rec, key);
}

static bool has_times(const struct event_set *set)
{
	vec_for_each(&set->list, ev)
		if ((*ev)->attr.sample_type & PERF_SAMPLE_TIME)
			return true;
	return false;
}

static void say_losses(struct decoder *d, const char *input)
{
	if (d->damaged)
		condition_add(&d->ctx->conditions, CONDITION_DAMAGE, "spe-damaged", input, NULL,
			      d->damaged, NULL,
			      "bytes of SPE traces that are not part of a packet were skipped");
	if (d->threadless)
		condition_add(&d->ctx->conditions, CONDITION_WARNING, "spe-threads", input, NULL,
			      d->threadless,
			      "record with -a, or a kernel with CONFIG_PID_IN_CONTEXTIDR",
			      "SPE traces do not say which thread ran");
}

static int decode_into(struct decoder *d, const char *input, const char *path, struct reason *r)
{
	const char *cpuid = data_feature_string(d->in, FEATURE_CPUID);
	int err;

	if (cpuid && !str_starts(cpuid, "0x"))
		parse_hex(cpuid, &d->midr);
	else if (cpuid)
		parse_u64(cpuid, &d->midr);
	if (d->arrivals.count)
		qsort(d->arrivals.items, d->arrivals.count, sizeof(*d->arrivals.items),
		      arrival_cmp);
	d->timed = has_times(d->set) && d->mult;
	err = data_create(d->ctx, path, false, &d->out, r);
	if (err)
		return err;
	add_events(d);
	err = event_set_finish(d->set, r);
	if (!err) {
		copy_features(d);
		err = data_write_header(d->out, d->set, r);
	}
	if (!err)
		err = copy_records(d, r);
	if (err) {
		data_take_back(d->out);
		return err;
	}
	say_losses(d, input);
	return data_finish(d->out, r);
}

#define DESCRIPTOR "/proc/self/fd/"

char *spe_temporary_path(struct reason *r)
{
	int fd = temporary_unnamed(NULL);

	if (fd >= 0)
		return xasprintf(DESCRIPTOR "%d", fd);
	reason_errno(r, -fd, "cannot make a temporary file for the decoded trace");
	reason_hint(r, "TMPDIR=DIR names a directory that you may write to");
	return NULL;
}

void spe_remove(char *path)
{
	if (path)
		close(atoi(path + strlen(DESCRIPTOR)));
	free(path);
}

static int decode_traced(struct decoder *d, const char *input, char **out, struct reason *r)
{
	char *path = spe_temporary_path(r);
	int err = path ? decode_into(d, input, path, r) : -EIO;

	if (err)
		spe_remove(path);
	else
		*out = path;
	return err;
}

int spe_decode_file(struct context *ctx, const char *input, bool force, unsigned wanted, char **out,
		    struct reason *r)
{
	struct decoder d = { .ctx = ctx, .wanted = wanted };
	int err = data_open(ctx, input, force, &d.in, r);

	*out = NULL;
	if (err)
		return err;
	d.set = data_events(d.in);
	/* a stream does not say beforehand whether it holds traces */
	if (!data_is_swapped(d.in) &&
	    (data_is_pipe(d.in) || data_has_feature(d.in, FEATURE_AUXTRACE))) {
		err = data_scan(d.in, find_info, &d, r);
		if (!err && d.traced)
			err = decode_traced(&d, data_path(d.in), out, r);
	}
	data_close(d.in);
	map64_release(&d.pids);
	vec_release(&d.arrivals);
	strbuf_release(&d.samples);
	return err;
}

int spe_parse_wish(const char *text, unsigned *wanted, struct reason *r)
{
	static const struct {
		char letter;
		unsigned wanted;
	} letters[] = {
		{ 'f', SPE_WANT_L1 },       { 'm', SPE_WANT_LLC },    { 't', SPE_WANT_TLB },
		{ 'b', SPE_WANT_BRANCHES }, { 'a', SPE_WANT_REMOTE }, { 'M', SPE_WANT_MEMORY },
	};

	/* letters for other kinds of traces, with their numbers and units */
	static const char others[] = "icrxwpoIedglGLsqAZnu0123456789+-";

	*wanted = text && *text ? 0 : SPE_WANT_ALL;
	for (const char *c = text ? text : ""; *c; c++) {
		unsigned bits = 0;

		for (size_t i = 0; i < ARRAY_SIZE(letters); i++)
			bits |= letters[i].letter == *c ? letters[i].wanted : 0;
		if (!bits && !strchr(others, *c)) {
			reason_set(r, EINVAL, "--itrace: '%c' is not something that traces hold",
				   *c);
			reason_hint(r,
				    "f, m, t: misses and accesses of the L1 cache, the last level, "
				    "the TLB; b: "
				    "mispredicted branches; a: remote accesses; M: all loads and "
				    "stores");
			return -EINVAL;
		}
		*wanted |= bits;
	}
	return 0;
}
