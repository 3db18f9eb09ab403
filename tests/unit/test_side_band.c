// SPDX-License-Identifier: GPL-2.0-or-later
/* The records beside the samples, in both byte orders, and each of them cut short. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "record_maker.h"

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
#define CHECK_CUT(get, out)                                                                        \
	do {                                                                                       \
		for (size_t cut_ = 8; cut_ < maker.size - 40 && cut_ < 16; cut_ += 4) {            \
			struct record r_ = finished(&maker, cut_);                                 \
			assert_int_equal(get(&side_band, &r_, out, NULL), -EINVAL);                \
			free((void *)r_.data);                                                     \
		}                                                                                  \
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
	struct perf_event_attr attr =
		attr_of(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
				PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_STREAM_ID,
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
		cmocka_unit_test(test_side_band),
		cmocka_unit_test(test_unterminated_names),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests_name("side_band", tests, NULL, NULL);
}
