// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The decoder: every sample_type bit and read format, alone and together, in
 * both byte orders, and each of them cut at every length.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "record_maker.h"
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

/*
 * Checks that a whole sample decodes to what was put in, and that one cut anywhere fails without
 * reading outside.
 */
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
	struct perf_event_attr attr =
		attr_of(PERF_SAMPLE_KNOWN & ~PERF_SAMPLE_WEIGHT, 0x1f,
			PERF_SAMPLE_BRANCH_HW_INDEX | PERF_SAMPLE_BRANCH_COUNTERS);

	(void)state;
	check_sample(&attr, false);
	check_sample(&attr, true);
}

static void test_read_formats(void **state)
{
	(void)state;
	for (u64 format = 0; format < 32; format++) {
		struct perf_event_attr attr =
			attr_of(PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN, format, 0);

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

/* Checks which event a record belongs to, by its id in the body or at the end. */
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

/*
 * Checks that decoding into an older sample gives the same as decoding into a fresh one, whatever
 * was there before.
 */
static void test_one_after_the_other(void **state)
{
	static const u64 more[] = { PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
				    PERF_SAMPLE_CPU | PERF_SAMPLE_RAW,
				    PERF_SAMPLE_CPU | PERF_SAMPLE_RAW,
				    PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_PERIOD,
				    PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_RAW,
				    PERF_SAMPLE_KNOWN & ~PERF_SAMPLE_WEIGHT };
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
		event_set_add_id(&set, event_set_add(&set, &attrs[i], "event"),
				 i == 2 ? 1ULL << 40 : 900 + i);
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

/*
 * Checks that quick decoding gives the same as sample_decode_next(), and leaves damaged samples to
 * that.
 */
static void check_tracepoints(u64 sample_type, u32 id_at)
{
	const u64 types[] = { sample_type, sample_type | PERF_SAMPLE_CALLCHAIN,
			      sample_type & ~(u64)PERF_SAMPLE_PERIOD };
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

/* Checks branch flags of a big-endian machine, whose bits are mirrored in their word. */
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

/* Checks a wait inside raw data, as later perfs write it, cut at every length. */
static void test_embedded_wait(void **state)
{
	struct perf_event_attr attr =
		attr_of(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW, 0, 0);
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
		cmocka_unit_test(test_branch_flags_mirrored),
		cmocka_unit_test(test_embedded_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
