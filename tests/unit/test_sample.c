// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The decoder: every sample_type bit and read format, alone and together, in
 * both byte orders; side-band records; and each of them cut at every length.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "event/sample_tracepoint.h"

/* A record under construction, in the host's byte order or the other. */
struct maker {
	u8 bytes[4096];
	size_t size;
	bool swap;
};

static void put_u16(struct maker *m, u16 v)
{
	v = load_u16(&v, m->swap);
	memcpy(m->bytes + m->size, &v, 2);
	m->size += 2;
}

static void put_u32(struct maker *m, u32 v)
{
	v = load_u32(&v, m->swap);
	memcpy(m->bytes + m->size, &v, 4);
	m->size += 4;
}

static void put_u64(struct maker *m, u64 v)
{
	v = load_u64(&v, m->swap);
	memcpy(m->bytes + m->size, &v, 8);
	m->size += 8;
}

static void put_bytes(struct maker *m, const void *p, size_t n)
{
	memcpy(m->bytes + m->size, p, n);
	m->size += n;
}

static void put_text(struct maker *m, const char *s)
{
	size_t n = strlen(s) + 1;

	put_bytes(m, s, n);
	while (m->size % 8)
		m->bytes[m->size++] = 0;
}

static void begin(struct maker *m, u32 type, u16 misc, bool swap)
{
	memset(m, 0, sizeof(*m));
	m->swap = swap;
	put_u32(m, type);
	put_u16(m, misc);
	put_u16(m, 0);
}

/* The record, in memory of exactly its size so that a sanitizer sees every step outside. */
static struct record finished(const struct maker *m, size_t size)
{
	u32 type = load_u32(m->bytes, m->swap);

	return (struct record){ .type = type, .misc = load_u16(m->bytes + 4, m->swap),
				.size = (u16)size, .data = xmemdup(m->bytes, size) };
}

enum { ID = 77, PID = 11, TID = 12, CPU = 3, BRANCHES = 2, CHAIN = 4, MEMBERS = 3 };
#define TIME 0x1122334455667788ULL
#define REG_MASK 0x15ULL /* registers 0, 2, 4 */

static void put_task(struct maker *m)
{
	put_u32(m, PID);
	put_u32(m, TID);
}

static void put_cpu(struct maker *m)
{
	put_u32(m, CPU);
	put_u32(m, 0);
}

static void put_value(struct maker *m, u64 format, u64 i)
{
	put_u64(m, 1000 + i);
	if (format & PERF_FORMAT_ID)
		put_u64(m, ID + i);
	if (format & PERF_FORMAT_LOST)
		put_u64(m, 5 + i);
}

static void put_read(struct maker *m, u64 format)
{
	bool group = format & PERF_FORMAT_GROUP;

	put_u64(m, group ? MEMBERS : 1000);
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		put_u64(m, 200);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		put_u64(m, 100);
	for (u64 i = 0; group && i < MEMBERS; i++)
		put_value(m, format, i);
	if (!group && (format & PERF_FORMAT_ID))
		put_u64(m, ID);
	if (!group && (format & PERF_FORMAT_LOST))
		put_u64(m, 5);
}

static void put_branches(struct maker *m, u64 branch_type)
{
	put_u64(m, BRANCHES);
	if (branch_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		put_u64(m, 9);
	for (u64 i = 0; i < BRANCHES; i++) {
		put_u64(m, 0x1000 + i);
		put_u64(m, 0x2000 + i);
		put_u64(m, 0x31);
	}
	for (u64 i = 0; (branch_type & PERF_SAMPLE_BRANCH_COUNTERS) && i < BRANCHES; i++)
		put_u64(m, 0x55 + i);
}

static void put_regs(struct maker *m, u64 first)
{
	put_u64(m, PERF_SAMPLE_REGS_ABI_64);
	for (u64 i = 0; i < 3; i++)
		put_u64(m, first + i);
}

static void put_fixed(struct maker *m, u64 type)
{
	if (type & PERF_SAMPLE_IDENTIFIER)
		put_u64(m, ID);
	if (type & PERF_SAMPLE_IP)
		put_u64(m, 0xabcd);
	if (type & PERF_SAMPLE_TID)
		put_task(m);
	if (type & PERF_SAMPLE_TIME)
		put_u64(m, TIME);
	if (type & PERF_SAMPLE_ADDR)
		put_u64(m, 0xadd);
	if (type & PERF_SAMPLE_ID)
		put_u64(m, ID);
	if (type & PERF_SAMPLE_STREAM_ID)
		put_u64(m, 78);
	if (type & PERF_SAMPLE_CPU)
		put_cpu(m);
	if (type & PERF_SAMPLE_PERIOD)
		put_u64(m, 4242);
}

static void put_rest(struct maker *m, u64 type)
{
	if (type & PERF_SAMPLE_REGS_USER)
		put_regs(m, 0x100);
	if (type & PERF_SAMPLE_STACK_USER) {
		put_u64(m, 16);
		put_bytes(m, "stack of 16 byte", 16);
		put_u64(m, 8);
	}
	if (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
		put_u64(m, 0x0003000200000001ULL);
	if (type & PERF_SAMPLE_DATA_SRC)
		put_u64(m, 0xd5);
	if (type & PERF_SAMPLE_TRANSACTION)
		put_u64(m, 0x7a);
	if (type & PERF_SAMPLE_REGS_INTR)
		put_regs(m, 0x200);
	if (type & PERF_SAMPLE_PHYS_ADDR)
		put_u64(m, 0x9999);
	if (type & PERF_SAMPLE_CGROUP)
		put_u64(m, 0xc9);
	if (type & PERF_SAMPLE_DATA_PAGE_SIZE)
		put_u64(m, 4096);
	if (type & PERF_SAMPLE_CODE_PAGE_SIZE)
		put_u64(m, 8192);
	if (type & PERF_SAMPLE_AUX) {
		put_u64(m, 8);
		put_bytes(m, "aux-data", 8);
	}
}

static void put_sample(struct maker *m, const struct perf_event_attr *attr, bool swap)
{
	u64 type = attr->sample_type;

	begin(m, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, swap);
	put_fixed(m, type);
	if (type & PERF_SAMPLE_READ)
		put_read(m, attr->read_format);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		put_u64(m, CHAIN);
		for (u64 i = 0; i < CHAIN; i++)
			put_u64(m, 0xc0 + i);
	}
	if (type & PERF_SAMPLE_RAW) {
		put_u32(m, 12);
		put_bytes(m, "raw-data-123", 12);
	}
	if (type & PERF_SAMPLE_BRANCH_STACK)
		put_branches(m, attr->branch_sample_type);
	put_rest(m, type);
}

static void check_read(const struct event_set *set, const struct sample *s, u64 format)
{
	u64 n = format & PERF_FORMAT_GROUP ? MEMBERS : 1;

	assert_int_equal(s->read_count, n);
	assert_int_equal(s->time_enabled, format & PERF_FORMAT_TOTAL_TIME_ENABLED ? 200 : 0);
	assert_int_equal(s->time_running, format & PERF_FORMAT_TOTAL_TIME_RUNNING ? 100 : 0);
	for (u64 i = 0; i < n; i++) {
		struct sample_read_value v = sample_read(set, s, i);

		assert_int_equal(v.value, 1000 + i);
		assert_int_equal(v.id, format & PERF_FORMAT_ID ? ID + i : 0);
		assert_int_equal(v.lost, format & PERF_FORMAT_LOST ? 5 + i : 0);
	}
}

static void check_fixed(const struct sample *s, const struct perf_event_attr *attr)
{
	u64 type = attr->sample_type;
	bool id = type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID);

	assert_int_equal(s->cpumode, PERF_RECORD_MISC_USER);
	assert_int_equal(s->id.id, id ? ID : 0);
	assert_int_equal(s->ip, type & PERF_SAMPLE_IP ? 0xabcd : 0);
	assert_int_equal(s->id.pid, type & PERF_SAMPLE_TID ? PID : UINT32_MAX);
	assert_int_equal(s->id.tid, type & PERF_SAMPLE_TID ? TID : UINT32_MAX);
	assert_true(s->id.time == (type & PERF_SAMPLE_TIME ? TIME : 0));
	assert_int_equal(s->addr, type & PERF_SAMPLE_ADDR ? 0xadd : 0);
	assert_int_equal(s->id.stream_id, type & PERF_SAMPLE_STREAM_ID ? 78 : 0);
	assert_int_equal(s->id.cpu, type & PERF_SAMPLE_CPU ? CPU : UINT32_MAX);
	assert_int_equal(s->period, type & PERF_SAMPLE_PERIOD ? 4242 : attr->sample_period);
}

static void check_regs(const struct event_set *set, u64 abi, const u8 *regs, bool there, u64 first)
{
	u64 v = 0;

	assert_int_equal(abi, there ? PERF_SAMPLE_REGS_ABI_64 : 0);
	assert_int_equal(sample_reg(set, REG_MASK, regs, 4, &v), there);
	assert_int_equal(v, there ? first + 2 : 0);
	assert_false(sample_reg(set, REG_MASK, regs, 1, &v));
	assert_false(sample_reg(set, REG_MASK, regs, 70, &v));
}

static const bool host_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

static void check_branches(const struct event_set *set, const struct sample *s, u64 branch_type)
{
	assert_int_equal(s->branch_count, BRANCHES);
	assert_int_equal(s->branch_hw_index, branch_type & PERF_SAMPLE_BRANCH_HW_INDEX ? 9 : 0);
	assert_int_equal(sample_branch(set, s, 1).from, 0x1001);
	assert_int_equal(sample_branch(set, s, 1).to, 0x2001);
	if (set->swap == host_big) /* the made-up word is a little-endian machine's */
		assert_int_equal(sample_branch(set, s, 1).flags, 0x31);
	if (branch_type & PERF_SAMPLE_BRANCH_COUNTERS)
		assert_int_equal(load_u64(s->branch_counters + 8, set->swap), 0x56);
	else
		assert_null(s->branch_counters);
}

static void check_variable(const struct event_set *set, const struct sample *s,
			   const struct perf_event_attr *attr)
{
	u64 type = attr->sample_type;

	if (type & PERF_SAMPLE_READ)
		check_read(set, s, attr->read_format);
	assert_int_equal(s->chain_count, type & PERF_SAMPLE_CALLCHAIN ? CHAIN : 0);
	if (s->chain_count)
		assert_int_equal(load_u64(s->chain + 24, set->swap), 0xc3);
	assert_int_equal(s->raw_size, type & PERF_SAMPLE_RAW ? 12 : 0);
	if (s->raw_size)
		assert_memory_equal(s->raw, "raw-data-123", 12);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		check_branches(set, s, attr->branch_sample_type);
	check_regs(set, s->user_abi, s->user_regs, type & PERF_SAMPLE_REGS_USER, 0x100);
	check_regs(set, s->intr_abi, s->intr_regs, type & PERF_SAMPLE_REGS_INTR, 0x200);
	assert_int_equal(s->stack_size, type & PERF_SAMPLE_STACK_USER ? 16 : 0);
	assert_int_equal(s->stack_dyn_size, type & PERF_SAMPLE_STACK_USER ? 8 : 0);
	assert_int_equal(s->aux_size, type & PERF_SAMPLE_AUX ? 8 : 0);
	if (s->aux_size)
		assert_memory_equal(s->aux, "aux-data", 8);
}

static void check_rest(const struct sample *s, u64 type)
{
	if (type & PERF_SAMPLE_WEIGHT_STRUCT) {
		assert_int_equal(s->weight, 1);
		assert_int_equal(s->ins_lat, 2);
		assert_int_equal(s->p_stage_cyc, 3);
	} else {
		assert_true(s->weight == (type & PERF_SAMPLE_WEIGHT ? 0x0003000200000001ULL : 0));
	}
	assert_int_equal(s->data_src, type & PERF_SAMPLE_DATA_SRC ? 0xd5 : 0);
	assert_int_equal(s->transaction, type & PERF_SAMPLE_TRANSACTION ? 0x7a : 0);
	assert_int_equal(s->phys_addr, type & PERF_SAMPLE_PHYS_ADDR ? 0x9999 : 0);
	assert_int_equal(s->cgroup, type & PERF_SAMPLE_CGROUP ? 0xc9 : 0);
	assert_int_equal(s->data_page_size, type & PERF_SAMPLE_DATA_PAGE_SIZE ? 4096 : 0);
	assert_int_equal(s->code_page_size, type & PERF_SAMPLE_CODE_PAGE_SIZE ? 8192 : 0);
}

static void one_event(struct event_set *set, const struct perf_event_attr *attr, bool swap)
{
	event_set_init(set);
	set->swap = swap;
	event_set_add_id(set, event_set_add(set, attr, "event"), ID);
	assert_int_equal(event_set_finish(set, NULL), 0);
}

/* Whole it decodes to what was put in; cut anywhere it fails, and reads nothing outside. */
static void check_sample(const struct perf_event_attr *attr, bool swap)
{
	struct reason r = REASON_INIT;
	struct event_set set;
	struct maker m;
	struct record rec;
	struct sample s;

	one_event(&set, attr, swap);
	put_sample(&m, attr, swap);
	rec = finished(&m, m.size);
	if (sample_decode(&set, &rec, &s, &r))
		fail_msg("sample_type %#" PRIx64 ": %s", attr->sample_type, r.text);
	check_fixed(&s, attr);
	check_variable(&set, &s, attr);
	check_rest(&s, attr->sample_type);
	assert_true(record_time(&set, &rec) == s.id.time);
	free((void *)rec.data);
	for (size_t size = 8; size + 8 <= m.size; size += 8) {
		rec = finished(&m, size);
		assert_int_equal(sample_decode(&set, &rec, &s, &r), -EINVAL);
		assert_non_null(strstr(r.text, "record") ? r.text : strstr(r.text, "too short"));
		record_time(&set, &rec);
		free((void *)rec.data);
	}
	reason_release(&r);
	event_set_release(&set);
}

static struct perf_event_attr attr_of(u64 sample_type, u64 read_format, u64 branch_type)
{
	return (struct perf_event_attr){
		.size = sizeof(struct perf_event_attr), .sample_period = 4000,
		.sample_type = sample_type, .read_format = read_format,
		.branch_sample_type = branch_type, .sample_regs_user = REG_MASK,
		.sample_regs_intr = REG_MASK, .flags = ATTR_SAMPLE_ID_ALL,
	};
}

static void test_each_bit(void **state)
{
	(void)state;
	for (unsigned swap = 0; swap < 2; swap++)
		for (unsigned bit = 0; bit < 25; bit++) {
			struct perf_event_attr attr = attr_of(BIT64(bit), 0, 0);

			check_sample(&attr, swap);
		}
}

static void test_all_bits(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_SAMPLE_KNOWN & ~PERF_SAMPLE_WEIGHT, 0x1f,
					      PERF_SAMPLE_BRANCH_HW_INDEX | PERF_SAMPLE_BRANCH_COUNTERS);

	(void)state;
	check_sample(&attr, false);
	check_sample(&attr, true);
}

static void test_read_formats(void **state)
{
	(void)state;
	for (u64 format = 0; format < 32; format++) {
		struct perf_event_attr attr = attr_of(PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN, format, 0);

		check_sample(&attr, false);
		check_sample(&attr, true);
	}
}

/* Bits that follow each other in every mixture; the numbers are the same in each run. */
static void test_mixtures(void **state)
{
	u64 seed = 12345;

	(void)state;
	for (unsigned i = 0; i < 400; i++) {
		struct perf_event_attr attr;

		seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
		attr = attr_of(seed >> 32 & PERF_SAMPLE_KNOWN, seed >> 8 & 0x1f,
			       seed >> 16 & PERF_SAMPLE_BRANCH_HW_INDEX);
		if (attr.sample_type & PERF_SAMPLE_WEIGHT_STRUCT)
			attr.sample_type &= ~(u64)PERF_SAMPLE_WEIGHT;
		check_sample(&attr, i % 2);
	}
}

/* Counts that overflow when multiplied, and sizes beyond the record. */
static void test_absurd_counts(void **state)
{
	static const u64 kinds[] = { PERF_SAMPLE_CALLCHAIN, PERF_SAMPLE_BRANCH_STACK,
				     PERF_SAMPLE_STACK_USER, PERF_SAMPLE_AUX, PERF_SAMPLE_READ };
	static const u64 counts[] = { 3, 1ULL << 32, 1ULL << 61, UINT64_MAX / 24 + 1, UINT64_MAX };

	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(kinds); k++)
		for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
			struct perf_event_attr attr = attr_of(kinds[k], PERF_FORMAT_GROUP, 0);
			struct event_set set;
			struct maker m;
			struct record rec;
			struct sample s;

			one_event(&set, &attr, false);
			begin(&m, PERF_RECORD_SAMPLE, 0, false);
			put_u64(&m, counts[i]);
			if (kinds[k] == PERF_SAMPLE_BRANCH_STACK || counts[i] > 3)
				put_u64(&m, 1);
			rec = finished(&m, m.size);
			if (counts[i] > 3 || kinds[k] != PERF_SAMPLE_STACK_USER)
				assert_int_equal(sample_decode(&set, &rec, &s, NULL), -EINVAL);
			free((void *)rec.data);
			event_set_release(&set);
		}
}

/* Which event a record belongs to, by its id in the body or at the end. */
static void test_events_by_id(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP, 0, 0);
	struct event_set set;
	struct maker m;
	struct record rec;
	struct sample s;
	struct sample_id id;
	const struct event *ev;

	(void)state;
	one_event(&set, &attr, false);
	attr.sample_type |= PERF_SAMPLE_PERIOD;
	event_set_add_id(&set, event_set_add(&set, &attr, "second"), 500);
	assert_int_equal(event_set_finish(&set, NULL), 0);
	begin(&m, PERF_RECORD_SAMPLE, 0, false);
	put_u64(&m, 500);
	put_u64(&m, 0x1234);
	put_u64(&m, 31);
	rec = finished(&m, m.size);
	assert_int_equal(sample_decode(&set, &rec, &s, NULL), 0);
	assert_string_equal(s.event->name, "second");
	assert_int_equal(s.period, 31);
	memset((u8 *)rec.data + 8, 0xee, 8);
	assert_int_equal(sample_decode(&set, &rec, &s, NULL), -ENOENT);
	free((void *)rec.data);

	begin(&m, PERF_RECORD_COMM, 0, false);
	put_task(&m);
	put_text(&m, "name");
	put_u64(&m, 500);
	rec = finished(&m, m.size);
	assert_int_equal(record_sample_id(&set, &rec, &id, &ev, NULL), 0);
	assert_string_equal(ev->name, "second");
	assert_int_equal(id.id, 500);
	free((void *)rec.data);
	event_set_release(&set);
}

/* What is decoded into an older sample's place is what is decoded afresh, whatever came before. */
static void test_one_after_the_other(void **state)
{
	static const u64 more[] = { PERF_SAMPLE_TID | PERF_SAMPLE_TIME, PERF_SAMPLE_CPU | PERF_SAMPLE_RAW,
				    PERF_SAMPLE_CPU | PERF_SAMPLE_RAW, PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_PERIOD,
				    PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_RAW, PERF_SAMPLE_KNOWN & ~PERF_SAMPLE_WEIGHT };
	struct perf_event_attr attrs[ARRAY_SIZE(more)];
	struct event_set set;
	struct sample kept = { 0 }, fresh;
	u64 seed = 99;

	(void)state;
	event_set_init(&set);
	for (u32 i = 0; i < ARRAY_SIZE(more); i++) {
		attrs[i] = attr_of(PERF_SAMPLE_IDENTIFIER | more[i], 0, 0);
		attrs[i].sample_period = 100 + i;
		/* one lies far from the others */
		event_set_add_id(&set, event_set_add(&set, &attrs[i], "event"), i == 2 ? 1ULL << 40 : 900 + i);
	}
	assert_int_equal(event_set_finish(&set, NULL), 0);
	for (unsigned i = 0; i < 2000; i++) {
		struct maker m;
		struct record rec;
		u32 which;
		u64 id;
		bool cut;
		int err;

		seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
		which = (u32)(seed >> 33) % ARRAY_SIZE(more);
		cut = (seed >> 20) % 7 == 0;
		id = set.list.items[which]->ids.items[0];
		put_sample(&m, &attrs[which], false);
		memcpy(m.bytes + 8, &id, 8);
		rec = finished(&m, cut ? 8 + ((seed >> 24) % (m.size - 8) & ~7ULL) : m.size);
		err = sample_decode(&set, &rec, &fresh, NULL);
		assert_int_equal(sample_decode_next(&set, &rec, &kept, NULL), err);
		if (!err)
			assert_memory_equal(&kept, &fresh, sizeof(kept));
		else
			assert_true(cut);
		free((void *)rec.data);
	}
	event_set_release(&set);
}

/* Decoded on the spot or by sample_decode_next(): the same, and whatever is damaged is left to that. */
static void check_tracepoints(u64 sample_type, u32 id_at)
{
	const u64 types[] = { sample_type, sample_type | PERF_SAMPLE_CALLCHAIN, sample_type & ~(u64)PERF_SAMPLE_PERIOD };
	struct perf_event_attr attrs[ARRAY_SIZE(types)];
	struct sample kept = { 0 }, fresh;
	unsigned quick = 0, cut_short = 0;
	struct event_set set;
	u64 seed = 7;

	event_set_init(&set);
	for (u32 i = 0; i < ARRAY_SIZE(types); i++) {
		attrs[i] = attr_of(types[i], 0, 0);
		event_set_add_id(&set, event_set_add(&set, &attrs[i], "event"), 900 + i);
	}
	assert_int_equal(event_set_finish(&set, NULL), 0);
	for (unsigned i = 0; i < 3000; i++) {
		struct maker m;
		struct record rec;
		u32 which;
		u64 id;
		bool cut, taken;
		int err;

		seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
		which = (u32)(seed >> 33) % 16 ? (u32)(seed >> 40) % 2 : 2;
		id = 900 + which;
		cut = (seed >> 20) % 5 == 0;
		put_sample(&m, &attrs[which], false);
		memcpy(m.bytes + id_at, &id, 8);
		rec = finished(&m, cut ? 8 + ((seed >> 24) % (m.size - 8) & ~7ULL) : m.size);
		err = sample_decode(&set, &rec, &fresh, NULL);
		taken = sample_decode_tracepoint(&set, &rec, &kept);
		quick += taken;
		cut_short += cut && err;
		if (taken)
			assert_int_equal(err, 0);
		else
			assert_int_equal(sample_decode_next(&set, &rec, &kept, NULL), err);
		if (!err)
			assert_memory_equal(&kept, &fresh, sizeof(kept));
		free((void *)rec.data);
	}
	/* most of them, or this tests nothing */
	assert_true(quick > 1500);
	assert_true(cut_short > 300);
	event_set_release(&set);
}

static void test_of_tracepoints(void **state)
{
	(void)state;
	check_tracepoints(SAMPLE_OF_TRACEPOINT, 8);
	check_tracepoints(SAMPLE_OF_TRACEPOINT ^ PERF_SAMPLE_IDENTIFIER ^ PERF_SAMPLE_ID, 32);
}

static void put_sample_id(struct maker *m)
{
	put_task(m);
	put_u64(m, TIME);
	put_u64(m, 78);
	put_cpu(m);
	put_u64(m, ID);
}

static void check_sample_id(const struct event_set *set, const struct record *rec)
{
	struct sample_id id;
	const struct event *ev;

	assert_int_equal(record_sample_id(set, rec, &id, &ev, NULL), 0);
	assert_int_equal(id.pid, PID);
	assert_int_equal(id.tid, TID);
	assert_true(id.time == TIME);
	assert_int_equal(id.stream_id, 78);
	assert_int_equal(id.cpu, CPU);
	assert_int_equal(id.id, ID);
	assert_string_equal(ev->name, "event");
	assert_true(record_time(set, rec) == TIME);
}

/* Make each kind in turn; the getter's result is checked by the caller. */
static struct event_set side_band;
static struct maker maker;
static struct record made;

static void start(u32 type, u16 misc)
{
	begin(&maker, type, misc, side_band.swap);
}

static void end(void)
{
	put_sample_id(&maker);
	free((void *)made.data);
	made = finished(&maker, maker.size);
	check_sample_id(&side_band, &made);
}

/* As the kernel writes it where another program listens, too: its size has grown behind its end. */
static void stop_grown(void)
{
	end();
	memset(maker.bytes + maker.size, 0xab, 32);
	maker.size += 32;
	free((void *)made.data);
	made = finished(&maker, maker.size);
	check_sample_id(&side_band, &made);
	assert_int_equal(record_time(&side_band, &made), TIME);
}

/* A getter must refuse what is shorter than its kind. */
#define CHECK_CUT(get, out)                                                             \
	do {                                                                            \
		for (size_t cut_ = 8; cut_ < maker.size - 40 && cut_ < 16; cut_ += 4) { \
			struct record r_ = finished(&maker, cut_);                      \
			assert_int_equal(get(&side_band, &r_, out, NULL), -EINVAL);     \
			free((void *)r_.data);                                          \
		}                                                                       \
	} while (0)

static void check_maps(void)
{
	struct record_mmap m;
	u8 id[20] = { 9, 8, 7 };

	start(PERF_RECORD_MMAP, PERF_RECORD_MISC_MMAP_DATA);
	put_task(&maker);
	put_u64(&maker, 0x400000);
	put_u64(&maker, 0x1000);
	put_u64(&maker, 0x2000);
	put_text(&maker, "/bin/file");
	end();
	assert_int_equal(record_get_mmap(&side_band, &made, &m, NULL), 0);
	assert_int_equal(m.pid, PID);
	assert_int_equal(m.start, 0x400000);
	assert_int_equal(m.pgoff, 0x2000);
	assert_true(m.is_data && !m.is_mmap2);
	assert_string_equal(m.filename, "/bin/file");
	CHECK_CUT(record_get_mmap, &m);

	for (unsigned with_id = 0; with_id < 2; with_id++) {
		start(PERF_RECORD_MMAP2, with_id ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0);
		put_task(&maker);
		put_u64(&maker, 0x400000);
		put_u64(&maker, 0x1000);
		put_u64(&maker, 0x2000);
		if (with_id) {
			put_bytes(&maker, "\x14\0\0\0", 4);
			put_bytes(&maker, id, 20);
		} else {
			put_u32(&maker, 8);
			put_u32(&maker, 1);
			put_u64(&maker, 123456);
			put_u64(&maker, 7);
		}
		put_u32(&maker, 5);
		put_u32(&maker, 2);
		put_text(&maker, "/bin/file");
		end();
		assert_int_equal(record_get_mmap(&side_band, &made, &m, NULL), 0);
		assert_int_equal(m.build_id_size, with_id ? 20 : 0);
		assert_memory_equal(m.build_id, with_id ? id : (u8[20]){ 0 }, 20);
		assert_int_equal(m.maj, with_id ? 0 : 8);
		assert_int_equal(m.ino, with_id ? 0 : 123456);
		assert_int_equal(m.prot, 5);
		assert_string_equal(m.filename, "/bin/file");
		CHECK_CUT(record_get_mmap, &m);
	}
}

static void check_tasks(void)
{
	struct record_comm comm;
	struct record_task task;
	struct record_namespaces ns;
	struct record_switch sw;

	start(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
	put_task(&maker);
	put_text(&maker, "comm");
	end();
	assert_int_equal(record_get_comm(&side_band, &made, &comm, NULL), 0);
	assert_true(comm.exec && comm.pid == PID && comm.tid == TID);
	assert_string_equal(comm.comm, "comm");

	start(PERF_RECORD_FORK, 0);
	put_u32(&maker, 1);
	put_u32(&maker, 2);
	put_u32(&maker, 3);
	put_u32(&maker, 4);
	put_u64(&maker, TIME);
	end();
	assert_int_equal(record_get_task(&side_band, &made, &task, NULL), 0);
	assert_true(task.pid == 1 && task.ppid == 2 && task.tid == 3 && task.ptid == 4);
	assert_true(task.time == TIME);
	CHECK_CUT(record_get_task, &task);

	start(PERF_RECORD_NAMESPACES, 0);
	put_task(&maker);
	put_u64(&maker, 2);
	for (u64 i = 0; i < 4; i++)
		put_u64(&maker, i + 1);
	end();
	assert_int_equal(record_get_namespaces(&side_band, &made, &ns, NULL), 0);
	assert_int_equal(ns.count, 2);
	assert_int_equal(load_u64(ns.links + 24, side_band.swap), 4);

	start(PERF_RECORD_SWITCH_CPU_WIDE, PERF_RECORD_MISC_SWITCH_OUT);
	put_u32(&maker, 21);
	put_u32(&maker, 22);
	end();
	assert_int_equal(record_get_switch(&side_band, &made, &sw, NULL), 0);
	assert_true(sw.out && sw.cpu_wide && !sw.preempt);
	assert_true(sw.next_prev_pid == 21 && sw.next_prev_tid == 22);
}

static void check_kernel_objects(void)
{
	struct record_ksymbol k;
	struct record_bpf_event b;
	struct record_cgroup c;
	struct record_text_poke t;

	start(PERF_RECORD_KSYMBOL, 0);
	put_u64(&maker, 0xffff0000);
	put_u32(&maker, 64);
	put_u16(&maker, 1);
	put_u16(&maker, 1);
	put_text(&maker, "bpf_prog_x");
	stop_grown();
	assert_int_equal(record_get_ksymbol(&side_band, &made, &k, NULL), 0);
	assert_true(k.addr == 0xffff0000 && k.len == 64 && k.ksym_type == 1 && k.flags == 1);
	assert_string_equal(k.name, "bpf_prog_x");

	start(PERF_RECORD_BPF_EVENT, 0);
	put_u16(&maker, 1);
	put_u16(&maker, 0);
	put_u32(&maker, 99);
	put_bytes(&maker, "tagtagta", 8);
	stop_grown();
	assert_int_equal(record_get_bpf_event(&side_band, &made, &b, NULL), 0);
	assert_true(b.type == 1 && b.id == 99);
	assert_memory_equal(b.tag, "tagtagta", 8);

	start(PERF_RECORD_CGROUP, 0);
	put_u64(&maker, 55);
	put_text(&maker, "/system.slice");
	end();
	assert_int_equal(record_get_cgroup(&side_band, &made, &c, NULL), 0);
	assert_int_equal(c.id, 55);
	assert_string_equal(c.path, "/system.slice");

	start(PERF_RECORD_TEXT_POKE, 0);
	put_u64(&maker, 0xffff1000);
	put_u16(&maker, 5);
	put_u16(&maker, 5);
	put_bytes(&maker, "oldo.newn.\0", 12);
	stop_grown();
	assert_int_equal(record_get_text_poke(&side_band, &made, &t, NULL), 0);
	assert_true(t.old_len == 5 && t.new_len == 5);
	assert_memory_equal(t.bytes, "oldo.newn.", 10);
}

static void check_counts(void)
{
	struct record_lost lost;
	struct record_throttle th;
	struct record_aux aux;
	struct record_read read;
	struct record_callchain_deferred deferred;

	start(PERF_RECORD_LOST, 0);
	put_u64(&maker, ID);
	put_u64(&maker, 17);
	end();
	assert_int_equal(record_get_lost(&side_band, &made, &lost, NULL), 0);
	assert_true(lost.id == ID && lost.lost == 17);

	start(PERF_RECORD_LOST_SAMPLES, 0);
	put_u64(&maker, 18);
	end();
	assert_int_equal(record_get_lost(&side_band, &made, &lost, NULL), 0);
	assert_true(!lost.id && lost.lost == 18);

	start(PERF_RECORD_THROTTLE, 0);
	put_u64(&maker, TIME);
	put_u64(&maker, ID);
	put_u64(&maker, 78);
	end();
	assert_int_equal(record_get_throttle(&side_band, &made, &th, NULL), 0);
	assert_true(th.time == TIME && th.id == ID && th.stream_id == 78);

	start(PERF_RECORD_AUX, 0);
	put_u64(&maker, 1);
	put_u64(&maker, 2);
	put_u64(&maker, 4);
	end();
	assert_int_equal(record_get_aux(&side_band, &made, &aux, NULL), 0);
	assert_true(aux.offset == 1 && aux.size == 2 && aux.flags == 4);

	start(PERF_RECORD_READ, 0);
	put_task(&maker);
	put_read(&maker, PERF_FORMAT_ID | PERF_FORMAT_LOST | PERF_FORMAT_TOTAL_TIME_ENABLED);
	end();
	assert_int_equal(record_get_read(&side_band, &made, &read, NULL), 0);
	assert_true(read.pid == PID && read.value == 1000 && read.id == ID && read.lost == 5);
	assert_true(read.time_enabled == 200 && !read.time_running);

	start(PERF_RECORD_CALLCHAIN_DEFERRED, 0);
	put_u64(&maker, 0xc00c1e);
	put_u64(&maker, 2);
	put_u64(&maker, 0x1);
	put_u64(&maker, 0x2);
	end();
	assert_int_equal(record_get_callchain_deferred(&side_band, &made, &deferred, NULL), 0);
	assert_true(deferred.cookie == 0xc00c1e && deferred.nr == 2);
	assert_int_equal(load_u64(deferred.ips + 8, side_band.swap), 2);
}

static void test_side_band(void **state)
{
	struct perf_event_attr attr = attr_of(
		PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			PERF_SAMPLE_CPU | PERF_SAMPLE_STREAM_ID,
		PERF_FORMAT_ID | PERF_FORMAT_LOST | PERF_FORMAT_TOTAL_TIME_ENABLED, 0);

	(void)state;
	for (unsigned swap = 0; swap < 2; swap++) {
		one_event(&side_band, &attr, swap);
		check_maps();
		check_tasks();
		check_kernel_objects();
		check_counts();
		event_set_release(&side_band);
	}
	free((void *)made.data);
}

/* A name without an end, and a name that ends with the record. */
static void test_unterminated_names(void **state)
{
	struct perf_event_attr attr = attr_of(0, 0, 0);
	struct record_comm comm;
	struct record rec;
	struct maker m;

	(void)state;
	one_event(&side_band, &attr, false);
	begin(&m, PERF_RECORD_COMM, 0, false);
	put_task(&m);
	put_bytes(&m, "12345678", 8);
	rec = finished(&m, m.size);
	assert_int_equal(record_get_comm(&side_band, &rec, &comm, NULL), -EINVAL);
	free((void *)rec.data);
	m.bytes[m.size - 1] = 0;
	rec = finished(&m, m.size);
	assert_int_equal(record_get_comm(&side_band, &rec, &comm, NULL), 0);
	assert_string_equal(comm.comm, "1234567");
	free((void *)rec.data);
	event_set_release(&side_band);
}

/* Branch flags of a big-endian machine lie mirrored in their word. */
static void test_branch_flags_mirrored(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_SAMPLE_BRANCH_STACK, 0, 0);
	struct event_set set;
	struct maker m;
	struct record rec;
	struct sample s;
	struct sample_branch b;

	(void)state;
	one_event(&set, &attr, !host_big);
	begin(&m, PERF_RECORD_SAMPLE, 0, !host_big);
	put_u64(&m, 1);
	put_u64(&m, 1);
	put_u64(&m, 2);
	/* predicted, 300 cycles, type 5 */
	put_u64(&m, BIT64(62) | 300ULL << 44 | 5ULL << 40);
	rec = finished(&m, m.size);
	assert_int_equal(sample_decode(&set, &rec, &s, NULL), 0);
	b = sample_branch(&set, &s, 0);
	assert_int_equal(b.flags & 3, 2);
	assert_int_equal(b.flags >> 4 & 0xffff, 300);
	assert_int_equal(b.flags >> 20 & 0xf, 5);
	free((void *)rec.data);
	event_set_release(&set);
}

/* A wait inside of raw data, as later perfs write it; cut at every length. */
static void test_embedded_wait(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW, 0, 0);
	enum { WAIT_BYTES = 24 + 3 * 8 + 8 };

	(void)state;
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_BPF_OUTPUT;
	for (u32 size = 0; size <= WAIT_BYTES; size += 4) {
		struct event_set set;
		struct maker m;
		struct record rec;
		struct sample s;
		size_t from;
		int err;

		event_set_init(&set);
		event_set_add_id(&set, event_set_add(&set, &attr, "offcpu-time"), ID);
		set.swap = size & 4;
		assert_int_equal(event_set_finish(&set, NULL), 0);
		begin(&m, PERF_RECORD_SAMPLE, 0, set.swap);
		put_task(&m);
		put_u64(&m, TIME);
		put_u32(&m, size);
		from = m.size;
		put_u32(&m, 50);
		put_u32(&m, 51);
		put_u64(&m, 700000000);
		put_u64(&m, 3);
		put_u64(&m, PERF_CONTEXT_USER);
		put_u64(&m, 0x1234);
		put_u64(&m, 0x5678);
		put_u64(&m, 99);
		m.size = from + size;
		while (m.size % 8)
			m.bytes[m.size++] = 0;
		rec = finished(&m, m.size);
		err = sample_decode(&set, &rec, &s, NULL);
		assert_int_equal(err, size < 24 + 3 * 8 ? -EINVAL : 0);
		if (!err) {
			assert_true(s.id.pid == 50 && s.id.tid == 51 && s.id.time == TIME);
			assert_true(s.period == 700000000 && s.chain_count == 3 && s.ip == 0x1234);
			assert_int_equal(s.cgroup, size == WAIT_BYTES ? 99 : 0);
		}
		free((void *)rec.data);
		event_set_release(&set);
	}
}

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(record_type_name(PERF_RECORD_MMAP2), "PERF_RECORD_MMAP2");
	assert_string_equal(record_type_name(PERF_RECORD_HEADER_BUILD_ID), "PERF_RECORD_BUILD_ID");
	assert_string_equal(record_type_name(PERF_RECORD_SCHEDSTAT_DOMAIN),
			    "PERF_RECORD_SCHEDSTAT_DOMAIN");
	assert_null(record_type_name(0));
	assert_null(record_type_name(50));
	assert_null(record_type_name(PERF_RECORD_USER_MAX));
	assert_null(record_type_name(UINT32_MAX));
	for (u32 t = 1; t < PERF_RECORD_KERNEL_MAX; t++)
		assert_non_null(record_type_name(t));
	for (u32 t = PERF_RECORD_USER_START; t < PERF_RECORD_USER_MAX; t++)
		assert_non_null(record_type_name(t));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_bit),
		cmocka_unit_test(test_all_bits),
		cmocka_unit_test(test_read_formats),
		cmocka_unit_test(test_mixtures),
		cmocka_unit_test(test_absurd_counts),
		cmocka_unit_test(test_events_by_id),
		cmocka_unit_test(test_one_after_the_other),
		cmocka_unit_test(test_of_tracepoints),
		cmocka_unit_test(test_side_band),
		cmocka_unit_test(test_unterminated_names),
		cmocka_unit_test(test_branch_flags_mirrored),
		cmocka_unit_test(test_embedded_wait),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
