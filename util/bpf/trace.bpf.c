// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * System calls: at the entry what the arguments point to is copied into the task's storage, at
 * the exit what the call filled, and the whole is sent; or calls are only counted (count_only).
 *
 * A task has one call at a time, so that its storage needs no lock, whatever interrupts it.
 */
#include "bpf/kernel.h"
#include "bpf/trace.h"

enum {
	ITEM_MOST = TRACE_TEXT,
	TEXTS_MOST = 64, /* of argv */
	COUNT_MOST = 1024,
	VECTORS_MOST = 8,
	VECTOR_BYTES = 256,
	CALL_HEAD = sizeof(struct trace_call),
};

const volatile struct trace_settings settings;
struct trace_counts counts;

/* Room behind TRACE_DATA for one item that began before it. */
struct slot {
	struct trace_call call;
	u8 data[TRACE_DATA + ITEM_MOST + 64];
	bool pending, sent, before_exec;
	u8 copies; /* of its plan */
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct slot);
} slots SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 24);
} events SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2 * TRACE_NUMBERS);
	__type(key, u32);
	__type(value, struct trace_plan);
} plans SEC(".maps");

/* Processes (threads with by_tid) that are traced, with enum trace_target_state. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, u32);
	__type(value, u32);
} targets SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, u32);
	__type(value, u32);
} excluded SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u32);
} cgroup SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, 16384);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct trace_sum_key);
	__type(value, struct trace_sum);
} sums SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct trace_errno_key);
	__type(value, u64);
} errnos SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct trace_sum);
} empty_sum SEC(".maps");

/* ---- which tasks ---- */

/* 0: not traced; else enum trace_target_state. */
static __always_inline u32 state_of(u64 id)
{
	u32 tgid = id >> 32, key = settings.by_tid ? (u32)id : tgid, *state;

	if (counts.paused)
		return 0;
	if (settings.by_cpu) {
		u32 cpu = bpf_get_smp_processor_id();

		if (cpu >= 1024 || !(settings.cpus[cpu / 64 & 15] >> (cpu % 64) & 1))
			return 0;
	}
	if (settings.by_cgroup && bpf_current_task_under_cgroup(&cgroup, 0) != 1)
		return 0;
	if (settings.by_uid && (u32)bpf_get_current_uid_gid() != settings.uid)
		return 0;
	if (settings.all)
		return tgid == settings.own_tgid || (settings.excludes && bpf_map_lookup_elem(&excluded, &tgid))
			       ? 0
			       : TRACE_RUNNING;
	state = bpf_map_lookup_elem(&targets, &key);
	if (!state || (settings.excludes && bpf_map_lookup_elem(&excluded, &tgid)))
		return 0;
	return *state;
}

static __always_inline bool is_compat(struct task_struct *task)
{
#if defined(__TARGET_ARCH_x86)
	enum { TS_COMPAT = 2 };

	return task->thread_info.status & TS_COMPAT;
#elif defined(__TARGET_ARCH_arm64)
	return task->thread_info.flags >> 22 & 1; /* TIF_32BIT */
#else
	return false;
#endif
}

static __always_inline void get_args(struct pt_regs *regs, bool compat, u64 args[TRACE_ARGS])
{
#if defined(__TARGET_ARCH_x86)
	if (compat) {
		args[0] = (u32)regs->bx;
		args[1] = (u32)regs->cx;
		args[2] = (u32)regs->dx;
		args[3] = (u32)regs->si;
		args[4] = (u32)regs->di;
		args[5] = (u32)regs->bp;
		return;
	}
	args[0] = regs->di;
	args[1] = regs->si;
	args[2] = regs->dx;
	args[3] = regs->r10;
	args[4] = regs->r8;
	args[5] = regs->r9;
#elif defined(__TARGET_ARCH_arm64)
	args[0] = regs->orig_x0;
	for (int i = 1; i < TRACE_ARGS; i++)
		args[i] = regs->regs[i];
#elif defined(__TARGET_ARCH_powerpc)
	args[0] = regs->orig_gpr3;
	for (int i = 1; i < TRACE_ARGS; i++)
		args[i] = regs->gpr[3 + i];
#endif
}

/* ---- copies ---- */

static __always_inline struct slot *own_slot(void)
{
	return bpf_task_storage_get(&slots, bpf_get_current_task_btf(), 0, 0);
}

/* Where the next item begins; NULL: there is no room. */
static __always_inline struct trace_item *next_item(struct slot *s, u32 *at)
{
	*at = s->call.size;
	if (*at > TRACE_DATA)
		return NULL;
	return (struct trace_item *)(s->data + *at);
}

static __always_inline void end_item(struct slot *s, struct trace_item *item, u32 at, u32 arg, u32 flags, long size)
{
	item->arg = arg;
	item->flags = flags;
	item->err = size < 0 ? -size : 0;
	item->size = size < 0 ? 0 : size;
	if (size < 0) {
		s->call.retry |= 1 << arg;
		count_add(counts.failed_copies, 1);
	}
	s->call.size = at + sizeof(*item) + ((item->size + 7) & ~7U);
}

/* Pointers at `pointer`, of `word` bytes each. */
static __always_inline u64 read_pointer(u64 pointer, u32 i, u32 word)
{
	u64 value = 0;

	if (word == 4)
		bpf_probe_read_user(&value, 4, (void *)(pointer + (u64)i * 4));
	else
		bpf_probe_read_user(&value, 8, (void *)(pointer + (u64)i * 8));
	return value;
}

/* argv: the texts one behind the other. */
__noinline int copy_texts(u64 pointer, u32 arg, u32 word)
{
	struct slot *s = own_slot();
	struct trace_item *item;
	u32 at, used = 0, flags = 0, i;

	if (!s)
		return 0;
	item = next_item(s, &at);
	if (!item)
		return 0;
	for (i = 0; i < TEXTS_MOST; i++) {
		u64 text = read_pointer(pointer, i, word);
		long n;

		if (!text)
			break;
		if (used > ITEM_MOST - 512 || at > TRACE_DATA) {
			flags = TRACE_ITEM_CUT;
			break;
		}
		n = bpf_probe_read_user_str(s->data + at + sizeof(*item) + used, 512, (void *)text);
		if (n < 0) {
			flags = TRACE_ITEM_CUT;
			break;
		}
		used += n;
	}
	end_item(s, item, at, arg, flags, used);
	return 0;
}

__noinline int copy_count(u64 pointer, u32 arg, u32 word)
{
	struct slot *s = own_slot();
	struct trace_item *item;
	u32 at, i;

	if (!s)
		return 0;
	item = next_item(s, &at);
	if (!item)
		return 0;
	for (i = 0; i < COUNT_MOST; i++)
		if (!read_pointer(pointer, i, word))
			break;
	*(u32 *)(s->data + at + sizeof(*item)) = i;
	end_item(s, item, at, arg, 0, sizeof(u32));
	return 0;
}

/* Vectors behind `used` bytes of an item: how many bytes are used after them. */
static __always_inline u32 add_vectors(struct slot *s, u32 at, u32 used, u64 pointer, u64 count, u32 word, u64 most)
{
	for (u32 i = 0; i < VECTORS_MOST && i < count; i++) {
		u64 base = read_pointer(pointer, 2 * i, word), length = read_pointer(pointer, 2 * i + 1, word);
		u64 n = length, limit = settings.buffer_limit;
		u32 place = at + sizeof(struct trace_item) + used;

		if (place > TRACE_DATA + ITEM_MOST - VECTOR_BYTES - 32)
			break;
		if (n > most)
			n = most;
		most -= n;
		if (n > limit)
			n = limit;
		if (n > VECTOR_BYTES)
			n = VECTOR_BYTES;
		if (n && bpf_probe_read_user(s->data + place + 16, n, (void *)base))
			n = 0;
		*(u64 *)(s->data + place) = length;
		*(u32 *)(s->data + place + 8) = n;
		*(u32 *)(s->data + place + 12) = 1;
		used += 16 + ((n + 7) & ~7ULL);
	}
	return used;
}

__noinline int copy_vectors(u64 pointer, u64 count, u64 most, u32 arg, u32 word_and_flags)
{
	struct slot *s = own_slot();
	u32 at, used, word = word_and_flags & 0xff;
	struct trace_item *item;

	if (!s)
		return 0;
	item = next_item(s, &at);
	if (!item)
		return 0;
	used = add_vectors(s, at, 0, pointer, count, word, most);
	end_item(s, item, at, arg, word_and_flags >> 8, used);
	return 0;
}

/* struct msghdr: name, its length, the vectors, how many. */
__noinline int copy_message(u64 pointer, u64 most, u32 arg, u32 word_and_flags)
{
	struct slot *s = own_slot();
	u32 at, used = 8, word = word_and_flags & 0xff, name_size = 0, place;
	struct trace_item *item;
	u64 name, vectors, count;

	if (!s)
		return 0;
	item = next_item(s, &at);
	if (!item)
		return 0;
	name = read_pointer(pointer, 0, word);
	bpf_probe_read_user(&name_size, sizeof(name_size), (void *)(pointer + word));
	vectors = read_pointer(pointer, 2, word);
	count = read_pointer(pointer, 3, word);
	place = at + sizeof(*item);
	if (name_size > 128)
		name_size = 128;
	if (!name || !name_size || place > TRACE_DATA + 64 ||
	    bpf_probe_read_user(s->data + place + 8, name_size, (void *)name))
		name_size = 0;
	if (place > TRACE_DATA + 64)
		return 0;
	*(u32 *)(s->data + place) = name_size;
	*(u32 *)(s->data + place + 4) = count;
	used += (name_size + 7) & ~7U;
	used = add_vectors(s, at, used, vectors, count, word, most);
	end_item(s, item, at, arg, word_and_flags >> 8, used);
	return 0;
}

/* Texts and bytes; n: how many, of a text at most. */
__noinline int copy_bytes(u64 pointer, u64 n, u32 arg, u32 text_and_flags)
{
	struct slot *s = own_slot();
	u32 at, flags = text_and_flags >> 8;
	struct trace_item *item;
	long size;

	if (!s)
		return 0;
	item = next_item(s, &at);
	if (!item)
		return 0;
	if (n > ITEM_MOST)
		n = ITEM_MOST;
	if (text_and_flags & 1) {
		size = bpf_probe_read_user_str(s->data + at + sizeof(*item), ITEM_MOST, (void *)pointer);
		if (size == ITEM_MOST)
			flags |= TRACE_ITEM_CUT;
	} else {
		size = n ? bpf_probe_read_user(s->data + at + sizeof(*item), n, (void *)pointer) : 0;
		if (!size)
			size = n;
	}
	end_item(s, item, at, arg, flags, size);
	return 0;
}

/* How many bytes of a buffer: what the call says, at most what is asked for. */
static __always_inline u64 buffer_bytes(const struct slot *s, const struct trace_copy *c, u32 *flags)
{
	u64 count = s->call.args[c->length < TRACE_ARGS ? c->length : 0], n, most;

	if (c->how == TRACE_RESULT) {
		/* a result below 0 is an error; one that is larger than the buffer tells what would fit */
		u64 result = s->call.result < 0 ? 0 : (u64)s->call.result;

		count = result < count ? result : count;
	} else if (c->how == TRACE_LENGTH_AT) {
		u32 length = 0;

		bpf_probe_read_user(&length, sizeof(length), (void *)count);
		count = (s32)length < 0 ? 0 : length;
	} else if ((s64)count < 0) {
		count = 0;
	}
	most = c->size > 1 || c->how == TRACE_LENGTH_AT ? 512 : settings.buffer_limit;
	if (count > ITEM_MOST)
		count = ITEM_MOST;
	n = count * c->size;
	if (n > most) {
		*flags |= TRACE_ITEM_CUT;
		n = most / c->size * c->size;
	}
	return n;
}

static __always_inline void copy_one(struct slot *s, const struct trace_copy *c, u32 i, u32 flags)
{
	u64 pointer = s->call.args[i], n;

	if (!pointer)
		return;
	switch (c->how) {
	case TRACE_STRING:
		copy_bytes(pointer, 0, i, flags << 8 | 1);
		break;
	case TRACE_FIXED:
		copy_bytes(pointer, c->size, i, flags << 8);
		break;
	case TRACE_LENGTH:
	case TRACE_LENGTH_AT:
	case TRACE_RESULT:
		n = buffer_bytes(s, c, &flags);
		copy_bytes(pointer, n, i, flags << 8);
		break;
	case TRACE_TEXTS:
		copy_texts(pointer, i, c->word);
		break;
	case TRACE_COUNT:
		copy_count(pointer, i, c->word);
		break;
	case TRACE_IOVEC:
		copy_vectors(pointer, s->call.args[c->length < TRACE_ARGS ? c->length : 0],
			     flags & TRACE_ITEM_OUT ? (u64)s->call.result : ~0ULL, i, flags << 8 | c->word);
		break;
	case TRACE_MSGHDR:
		copy_message(pointer, flags & TRACE_ITEM_OUT ? (u64)s->call.result : ~0ULL, i, flags << 8 | c->word);
		break;
	}
}

static __always_inline struct trace_plan *plan_of(u32 nr, bool compat)
{
	u32 index = nr + (compat ? TRACE_NUMBERS : 0);

	return nr < TRACE_NUMBERS ? bpf_map_lookup_elem(&plans, &index) : NULL;
}

/* Copies of one side of the call; a function of its own, so that it is verified by itself. */
__noinline int copy_side(u32 when)
{
	struct slot *s = own_slot();
	struct trace_plan *p = s ? plan_of(s->call.nr, s->call.flags & TRACE_COMPAT) : NULL;

	if (!p)
		return 0;
	for (u32 i = 0; i < TRACE_ARGS; i++) {
		if (p->args[i].when & when)
			copy_one(s, &p->args[i], i, when == TRACE_EXIT ? TRACE_ITEM_OUT : 0);
	}
	return 0;
}

/* Pages that were not there at the entry: the kernel has brought them meanwhile. */
__noinline int copy_again(u32 which)
{
	struct slot *s = own_slot();
	struct trace_plan *p = s ? plan_of(s->call.nr, s->call.flags & TRACE_COMPAT) : NULL;

	if (!p || p->exec)
		return 0;
	for (u32 i = 0; i < TRACE_ARGS; i++) {
		if (which >> i & 1 && p->args[i].when & TRACE_ENTRY)
			copy_one(s, &p->args[i], i, TRACE_ITEM_LATE);
	}
	return 0;
}

/* ---- sending ---- */

static __always_inline void send(struct slot *s, u32 flags)
{
	u32 size = s->call.size, cpu = bpf_get_smp_processor_id(), index = cpu < 255 ? cpu : 255;

	s->call.flags = (s->call.flags & (TRACE_COMPAT | TRACE_X32)) | flags;
	s->call.cpu = cpu;
	s->call.lost = counts.lost_by_cpu[index];
	if (size > TRACE_DATA + ITEM_MOST)
		size = 0;
	/* nobody is woken: the reader looks often enough, and a wake-up costs more than the call */
	if (bpf_ringbuf_output(&events, s, CALL_HEAD + size, BPF_RB_NO_WAKEUP)) {
		count_add(counts.lost, 1);
		count_add(counts.lost_by_cpu[index], 1);
		return;
	}
	count_add(counts.sent, 1);
}

SEC("tp_btf/sys_enter")
int BPF_PROG(trace_enter, struct pt_regs *regs, long id)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task_btf();
	u64 ids = bpf_get_current_pid_tgid();
	bool compat = is_compat(task);
	u32 nr = (u32)id & ~0x40000000U, state;
	struct trace_plan *p = plan_of(nr, compat);
	struct slot *s;

	if (!p || !p->enabled)
		return 0;
	state = state_of(ids);
	if (!state || (state == TRACE_BEFORE_EXEC && !p->exec))
		return 0;
	s = bpf_task_storage_get(&slots, (void *)task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!s) {
		count_add(counts.no_memory, 1);
		return 0;
	}
	s->call.nr = nr;
	s->call.flags = (compat ? TRACE_COMPAT : 0) | (id & 0x40000000 ? TRACE_X32 : 0);
	s->call.pid = ids >> 32;
	s->call.tid = s->call.entry_tid = ids;
	s->call.size = 0;
	s->call.retry = 0;
	s->pending = true;
	s->sent = false;
	s->copies = p->copies;
	s->before_exec = state == TRACE_BEFORE_EXEC;
	if (settings.count_only) {
		s->call.entry_time = bpf_ktime_get_ns();
		return 0;
	}
	get_args(regs, compat, s->call.args);
	bpf_get_current_comm(s->call.comm, sizeof(s->call.comm));
	if (p->copies & TRACE_ENTRY)
		copy_side(TRACE_ENTRY);
	s->call.entry_time = bpf_ktime_get_ns();
	if (p->ends || (counts.many && state == TRACE_RUNNING)) {
		send(s, TRACE_HAS_ENTRY);
		s->sent = true;
		s->call.size = 0;
	}
	return 0;
}

static __always_inline u32 bucket_of(u64 ns)
{
	u32 b = 0;

	for (ns >>= 8; ns && b < TRACE_BUCKETS - 1; b++)
		ns >>= 1;
	return b;
}

static __always_inline void add_square(struct trace_sum *t, u64 ns)
{
	u64 before = t->squares_low;

	if (ns >> 32) {
		u64 part = (ns >> 16) * (ns >> 16); /* in units of 2^32 */

		t->squares_high += part >> 32;
		t->squares_low += part << 32;
	} else {
		t->squares_low += ns * ns;
	}
	t->squares_high += t->squares_low < before;
}

static __always_inline void count_call(struct slot *s, u64 ids)
{
	struct trace_sum_key key = { .index = s->call.nr + (s->call.flags & TRACE_COMPAT ? TRACE_NUMBERS : 0) };
	u64 ns = s->call.exit_time - s->call.entry_time;
	struct trace_sum *t;
	u32 zero = 0;

	if (settings.summary_by == TRACE_BY_TASK)
		key.who = (u32)ids;
	else if (settings.summary_by == TRACE_BY_CGROUP)
		key.who = bpf_get_current_cgroup_id();
	t = bpf_map_lookup_elem(&sums, &key);
	if (!t) {
		t = bpf_map_lookup_elem(&empty_sum, &zero);
		if (!t || (bpf_map_update_elem(&sums, &key, t, BPF_NOEXIST) && !bpf_map_lookup_elem(&sums, &key))) {
			count_add(counts.lost, 1);
			return;
		}
		t = bpf_map_lookup_elem(&sums, &key);
		if (!t)
			return;
	}
	if (!t->calls || ns < t->min)
		t->min = ns;
	if (ns > t->max)
		t->max = ns;
	if (!(t->calls & 0xfff)) { /* the name may change, but a look costs */
		bpf_get_current_comm(t->comm, sizeof(t->comm));
		t->pid = ids >> 32;
	}
	t->calls++;
	t->total += ns;
	add_square(t, ns);
	t->buckets[bucket_of(ns) & 31]++;
	if (s->call.result < 0 && s->call.result >= -4095) {
		struct trace_errno_key failed = { key.who, key.index, -s->call.result };
		u64 one = 1, *n = bpf_map_lookup_elem(&errnos, &failed);

		t->errors++;
		if (n)
			count_add(*n, 1);
		else if (bpf_map_update_elem(&errnos, &failed, &one, BPF_NOEXIST))
			count_add(counts.no_memory, 1);
	}
}

static __always_inline bool is_kept(const struct slot *s)
{
	if (settings.failures_only && !(s->call.result < 0 && s->call.result >= -4095))
		return false;
	return s->call.exit_time - s->call.entry_time >= settings.least_duration;
}

/* An exit whose entry was not seen: the task was in the call when the trace began. */
static __always_inline void send_exit_alone(struct task_struct *task, u64 ids, u32 nr, bool compat, long result)
{
	struct slot *s = bpf_task_storage_get(&slots, (void *)task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!s || settings.count_only || settings.least_duration || (settings.failures_only && result >= 0))
		return;
	s->call.nr = nr;
	s->call.flags = compat ? TRACE_COMPAT : 0;
	s->call.pid = ids >> 32;
	s->call.tid = s->call.entry_tid = ids;
	s->call.size = 0;
	s->call.entry_time = 0;
	s->call.exit_time = bpf_ktime_get_ns();
	s->call.result = result;
	bpf_get_current_comm(s->call.comm, sizeof(s->call.comm));
	send(s, TRACE_HAS_EXIT);
}

#if defined(__TARGET_ARCH_x86)
#define call_number(regs) ((u32)(regs)->orig_ax)
#elif defined(__TARGET_ARCH_arm64)
#define call_number(regs) ((u32)(regs)->syscallno)
#else
#define call_number(regs) ((u32)(regs)->gpr[0])
#endif

SEC("tp_btf/sys_exit")
int BPF_PROG(trace_exit, struct pt_regs *regs, long result)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task_btf();
	struct slot *s = bpf_task_storage_get(&slots, (void *)task, 0, 0);
	u64 ids, now;

	if (!s || !s->pending) {
		u32 nr = call_number(regs) & ~0x40000000U;
		bool compat = is_compat(task);
		struct trace_plan *p = s ? NULL : plan_of(nr, compat);

		ids = bpf_get_current_pid_tgid();
		if (p && p->enabled && (int)nr >= 0 && state_of(ids) == TRACE_RUNNING)
			send_exit_alone(task, ids, nr, compat, result);
		return 0;
	}
	now = bpf_ktime_get_ns();
	ids = bpf_get_current_pid_tgid();
	s->pending = false;
	s->call.exit_time = now;
	s->call.result = result;
	s->call.pid = ids >> 32;
	s->call.tid = ids;
	if (s->before_exec && state_of(ids) != TRACE_RUNNING)
		return 0; /* an exec that failed before the one that is traced */
	if (settings.count_only) {
		count_call(s, ids);
		return 0;
	}
	if (!is_kept(s) && !s->sent)
		return 0;
	if (s->call.retry)
		copy_again(s->call.retry);
	/* a call that failed filled nothing, but for the time that was left (EINTR, ERESTART_RESTARTBLOCK) */
	if (s->copies & TRACE_EXIT && (result >= 0 || result < -4095 || result == -4 || result == -516))
		copy_side(TRACE_EXIT);
	send(s, TRACE_HAS_EXIT | (s->sent ? TRACE_ENTRY_SENT : TRACE_HAS_ENTRY));
	return 0;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(trace_fork, struct task_struct *parent, struct task_struct *child)
{
	u32 from = settings.by_tid ? parent->pid : parent->tgid, to = settings.by_tid ? child->pid : child->tgid;
	u32 *state, running = TRACE_RUNNING;

	if (settings.all)
		return 0;
	state = bpf_map_lookup_elem(&targets, &from);
	if (!state || *state != TRACE_RUNNING)
		return 0;
	if (from == to) {
		counts.many = 1;
	} else if (settings.inherit) {
		counts.many = 1;
		if (bpf_map_update_elem(&targets, &to, &running, BPF_ANY))
			count_add(counts.no_memory, 1);
	}
	return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(trace_exec, struct task_struct *task, int old_pid, struct linux_binprm *binary)
{
	u32 tgid = task->tgid, running = TRACE_RUNNING, *state;
	struct slot *s = bpf_task_storage_get(&slots, (void *)task, 0, 0);

	state = bpf_map_lookup_elem(&targets, &tgid);
	if (state && *state == TRACE_BEFORE_EXEC)
		bpf_map_update_elem(&targets, &tgid, &running, BPF_ANY);
	state = bpf_map_lookup_elem(&excluded, &tgid);
	if (state && *state == TRACE_BEFORE_EXEC)
		bpf_map_delete_elem(&excluded, &tgid);
	/* the path that could not be read at the entry; the memory that held it is gone by the exit */
	if (s && s->pending && s->call.retry && !s->sent) {
		struct trace_item *item;
		u32 at;
		long size;

		item = next_item(s, &at);
		if (!item)
			return 0;
		size = bpf_probe_read_kernel_str(s->data + at + sizeof(*item), ITEM_MOST, binary->filename);
		s->call.retry = 0;
		if (size > 0)
			end_item(s, item, at, 0, TRACE_ITEM_LATE, size);
	}
	return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(trace_end, struct task_struct *task)
{
	struct slot *s = bpf_task_storage_get(&slots, (void *)task, 0, 0);
	u32 key = settings.by_tid ? task->pid : task->tgid;

	if (s && s->pending && s->sent) {
		s->pending = false;
		s->call.size = 0;
		s->call.exit_time = bpf_ktime_get_ns();
		send(s, TRACE_ENDED);
	}
	if (!settings.all && (settings.by_tid || !task->signal->live.counter))
		bpf_map_delete_elem(&targets, &key);
	return 0;
}
