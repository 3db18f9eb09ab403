// SPDX-License-Identifier: GPL-2.0-or-later
/* KVM's tracepoints into sums by reason. */
#include "base/search.h"
#include "builtin/kvm/stat.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* type of kvm_mmio: arch/x86/kvm/trace.h */
enum { MMIO_READ = 1, MMIO_WRITE = 2 };
/* fields of rows */
enum { VCPU = 0, REASON = 0, TRAP = 1, CODE = 0, INFO = 1 };

struct thread {
	bool known; /* it has entered a guest */
	int vcpu;   /* -1: nothing says which */
	u64 start;  /* 0: nothing is under way */
	bool has_key;
	u64 code;
	u32 info;
};

const char *kvm_kind_name(enum kvm_kind kind)
{
	static const char *const names[] = {
		[KVM_VMEXIT] = "vmexit", [KVM_MMIO] = "mmio",   [KVM_IOPORT] = "ioport",
		[KVM_MSR] = "msr",       [KVM_HCALL] = "hcall",
	};

	return names[kind];
}

bool kvm_kind_known(const struct arch_kvm *a, enum kvm_kind kind)
{
	if (kind == KVM_VMEXIT)
		return true;
	return kind == KVM_HCALL ? a->hcalls != NULL : !strcmp(a->arch, "x86_64");
}

/* ---- threads ---- */

/* Returns a virtual CPU's number, from QEMU's name of its thread, "CPU 3/KVM", or -1. */
static int vcpu_of_name(const struct kvm_exits *e, const struct tracer_hit *hit)
{
	unsigned n;
	char end;

	if (e->history && sscanf(history_comm_text(e->history, tracer_hit_sample(hit)->comm),
				 "CPU %u/KVM%c", &n, &end) == 1)
		return (int)n;
	return -1;
}

static bool is_wanted_process(const struct kvm_exits *e, u32 pid)
{
	size_t at = lower_bound(i, 0, e->pid_count, e->pids[i] < pid);

	return !e->pids || (at < e->pid_count && e->pids[at] == pid);
}

static struct thread *thread_of(struct kvm_exits *e, const struct tracer_hit *hit)
{
	return tracer_state(&e->threads, tracer_hit_sample(hit)->sample->id.tid);
}

/* Returns the thread of a hit, or NULL if it is unknown as a guest's or not wanted. */
static struct thread *wanted_thread(struct kvm_exits *e, const struct tracer_hit *hit)
{
	struct thread *t;

	if (!is_wanted_process(e, tracer_hit_sample(hit)->sample->id.pid))
		return NULL;
	t = thread_of(e, hit);
	if (!t->known || (e->vcpu >= 0 && e->vcpu != t->vcpu))
		return NULL;
	return t;
}

/* ---- sums ---- */

static struct kvm_reason *reason_of(struct kvm_exits *e, u64 code, u32 info)
{
	bool added;
	u64 *index = map64_put(&e->by_key, code ^ (u64)info << 62, &added);

	if (added) {
		*index = e->rows.count;
		vec_push(&e->rows, (struct kvm_reason){ .code = code, .info = info });
	}
	return &e->rows.items[*index];
}

static void add(struct kvm_exits *e, struct kvm_reason *row, u64 time)
{
	double difference = (double)time - row->mean;

	row->count++;
	row->time += time;
	row->mean += difference / (double)row->count;
	row->squares += difference * ((double)time - row->mean);
	row->min = row->count == 1 ? time : MIN(row->min, time);
	row->max = MAX(row->max, time);
	e->count++;
	e->time += time;
}

static void report_long(struct kvm_exits *e, const struct tracer_hit *hit, const struct thread *t,
			const struct kvm_reason *row, u64 time)
{
	const struct sample *s = tracer_hit_sample(hit)->sample;
	struct strbuf name = STRBUF_INIT;

	kvm_reason_text(e, row, &name);
	if (!e->arch->idle || strcmp(strbuf_cstr(&name), e->arch->idle))
		out_f(e->out, "%" PRIu64 " VM %u, vcpu %d: %s event took %" PRIu64 "usec\n",
		      s->id.time, s->id.pid, t->vcpu, strbuf_cstr(&name), time / 1000);
	strbuf_release(&name);
}

/* ---- intervals ---- */

static void begin(struct thread *t, const struct tracer_hit *hit)
{
	t->start = tracer_hit_sample(hit)->sample->id.time;
	t->has_key = false;
}

static void begin_with(struct thread *t, const struct tracer_hit *hit, u64 code, u64 info)
{
	begin(t, hit);
	t->has_key = true;
	t->code = code;
	t->info = (u32)info;
}

/* Ends what began and adds its time. What it was may have become known only meanwhile. */
static void end(struct kvm_exits *e, struct thread *t, const struct tracer_hit *hit)
{
	u64 now = tracer_hit_sample(hit)->sample->id.time, time = now - t->start;
	bool early = now < t->start;
	struct kvm_reason *row;

	if (!t->start || !t->has_key)
		return;
	t->start = 0;
	t->has_key = false;
	if (early)
		return;
	row = reason_of(e, t->code, t->info);
	add(e, row, time);
	if (e->longest && time > e->longest)
		report_long(e, hit, t, row, time);
}

static void end_with(struct kvm_exits *e, struct thread *t, const struct tracer_hit *hit, u64 code,
		     u64 info)
{
	if (t->start && !t->has_key) {
		t->has_key = true;
		t->code = code;
		t->info = (u32)info;
	}
	end(e, t, hit);
}

/* ---- tracepoints ---- */

static int on_entry(void *arg, const struct tracer_hit *hit, struct reason *r)
{
	struct kvm_exits *e = arg;
	struct thread *t;

	(void)r;
	if (!is_wanted_process(e, tracer_hit_sample(hit)->sample->id.pid))
		return 0;
	t = thread_of(e, hit);
	if (!t->known) {
		t->known = true;
		t->vcpu = tracer_has(hit, VCPU) ? (int)tracer_u64(hit, VCPU) : vcpu_of_name(e, hit);
	}
	if (e->vcpu >= 0 && e->vcpu != t->vcpu)
		return 0;
	if (e->kind == KVM_VMEXIT && e->arch->until_exit)
		begin(t, hit);
	else if (e->kind != KVM_HCALL)
		end(e, t, hit);
	return 0;
}

/*
 * Returns the key of an exit. Traps have their own table; their numbers can be those of other
 * reasons.
 */
static void exit_key(const struct kvm_exits *e, const struct tracer_hit *hit, u64 *code, u64 *info)
{
	*code = tracer_u64(hit, REASON);
	*info = 0;
	if (e->arch->trap_field && *code == e->arch->trap && tracer_has(hit, TRAP)) {
		*code = tracer_u64(hit, TRAP);
		*info = 1;
	}
}

static int on_exit_guest(void *arg, const struct tracer_hit *hit, struct reason *r)
{
	struct kvm_exits *e = arg;
	struct thread *t = wanted_thread(e, hit);
	u64 code, info;

	(void)r;
	if (!t)
		return 0;
	exit_key(e, hit, &code, &info);
	if (e->kind == KVM_MMIO) /* a read may follow, which says what it was */
		begin(t, hit);
	else if (e->kind == KVM_VMEXIT && e->arch->until_exit)
		end_with(e, t, hit, code, info);
	else if (e->kind == KVM_VMEXIT)
		begin_with(t, hit, code, info);
	return 0;
}

static int on_mmio(void *arg, const struct tracer_hit *hit, struct reason *r)
{
	struct kvm_exits *e = arg;
	struct thread *t = wanted_thread(e, hit);
	u64 type = tracer_u64(hit, INFO);

	(void)r;
	if (t && type == MMIO_WRITE)
		begin_with(t, hit, tracer_u64(hit, CODE), type);
	else if (t && type == MMIO_READ)
		end_with(e, t, hit, tracer_u64(hit, CODE), type);
	return 0;
}

/* Begins an access (kvm_pio, kvm_msr) or hypervisor call, which ends with the next entry. */
static int on_access(void *arg, const struct tracer_hit *hit, struct reason *r)
{
	struct kvm_exits *e = arg;
	struct thread *t = wanted_thread(e, hit);

	(void)r;
	if (t)
		begin_with(t, hit, tracer_u64(hit, CODE),
			   e->kind == KVM_HCALL ? 0 : !!tracer_u64(hit, INFO));
	return 0;
}

static int on_hcall_end(void *arg, const struct tracer_hit *hit, struct reason *r)
{
	struct kvm_exits *e = arg;
	struct thread *t = wanted_thread(e, hit);

	(void)r;
	if (t)
		end(e, t, hit);
	return 0;
}

/* ---- life ---- */

static void on_lost(void *arg, const struct tracer_gap *gap)
{
	struct kvm_exits *e = arg;

	(void)gap;
	e->lost++;
	tracer_states_lose(&e->threads);
}

/* Adds the rows for the kind's events other than entry and exit; returns how many. */
static size_t add_access_rows(const struct kvm_exits *e, struct tracer_row *rows)
{
	switch (e->kind) {
	case KVM_MMIO:
		rows[0] =
			(struct tracer_row){ "kvm:kvm_mmio", .fn = on_mmio,
					     .fields = { { .name = "gpa" }, { .name = "type" } } };
		return 1;
	case KVM_IOPORT:
		rows[0] = (struct tracer_row){ "kvm:kvm_pio", .fn = on_access,
					       .fields = { { .name = "port" }, { .name = "rw" } } };
		return 1;
	case KVM_MSR:
		rows[0] =
			(struct tracer_row){ "kvm:kvm_msr", .fn = on_access,
					     .fields = { { .name = "ecx" }, { .name = "write" } } };
		return 1;
	case KVM_HCALL:
		rows[0] = (struct tracer_row){ "kvm_hv:kvm_hcall_enter", .fn = on_access,
					       .fields = { { .name = "req" } } };
		rows[1] = (struct tracer_row){ "kvm_hv:kvm_hcall_exit", .fn = on_hcall_end };
		return 2;
	default:
		return 0;
	}
}

void exits_init(struct kvm_exits *e)
{
	*e = (struct kvm_exits){ .vcpu = -1 };
}

struct tracer *exits_tracer(struct kvm_exits *e)
{
	struct tracer_settings s = {
		.rows = e->tracer_rows,
		.row_count = 2,
		.lost = on_lost,
		.arg = e,
		.record = "record with: perf kvm stat record",
	};

	e->threads.size = sizeof(struct thread);
	e->tracer_rows[0] =
		(struct tracer_row){ e->arch->entry, .fn = on_entry,
				     .fields = { { .name = e->arch->vcpu, .optional = true } } };
	e->tracer_rows[1] = (struct tracer_row){
		e->arch->exit,
		.fn = on_exit_guest,
		.fields = { { .name = e->arch->reason },
			    { .name = e->arch->trap_field, .optional = true } },
	};
	s.row_count += add_access_rows(e, e->tracer_rows + 2);
	return tracer_new(&s);
}

void exits_clear(struct kvm_exits *e)
{
	e->rows.count = 0;
	e->count = e->time = e->lost = 0;
	map64_release(&e->by_key);
	e->by_key = (struct map64){ 0 };
}

void exits_release(struct kvm_exits *e)
{
	vec_release(&e->rows);
	map64_release(&e->by_key);
	tracer_states_release(&e->threads);
}

struct sorting {
	enum kvm_sort by;
};

static double sort_value(const struct kvm_reason *x, enum kvm_sort by)
{
	switch (by) {
	case KVM_SORT_MEAN:
		return x->mean;
	case KVM_SORT_TIME:
		return (double)x->time;
	case KVM_SORT_MIN:
		return (double)x->min;
	case KVM_SORT_MAX:
		return (double)x->max;
	default:
		return (double)x->count;
	}
}

/* Compares in descending order, and equal values by what they are. */
static int by_value(const void *a, const void *b, void *arg)
{
	const struct kvm_reason *x = a, *y = b;
	const struct sorting *s = arg;
	double v = sort_value(x, s->by), w = sort_value(y, s->by);

	if (v != w)
		return v < w ? 1 : -1;
	if (x->code != y->code)
		return x->code < y->code ? -1 : 1;
	return (x->info > y->info) - (x->info < y->info);
}

void exits_sort(struct kvm_exits *e, enum kvm_sort by)
{
	struct sorting s = { by };

	if (e->rows.count)
		qsort_r(e->rows.items, e->rows.count, sizeof(*e->rows.items), by_value, &s);
	map64_release(&e->by_key); /* the numbers are others */
	e->by_key = (struct map64){ 0 };
	for (size_t i = 0; i < e->rows.count; i++)
		*map64_put(&e->by_key, e->rows.items[i].code ^ (u64)e->rows.items[i].info << 62,
			   NULL) = i;
}
