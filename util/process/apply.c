// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Applies side-band records, in ascending key order, to the tables.
 *
 * Losses are compensated. A thread or process first seen without a FORK has lived from the
 * beginning. A tid that maps memory after its EXIT, or that appears with another pid, is a new one
 * whose FORK was lost.
 */
#include "process/tables.h"

#include <errno.h>
#include <string.h>

#include "base/bytes.h"
#include "base/privileges.h"
#include "base/text.h"
#include "base/trace.h"

#define PID_NONE         UINT32_MAX
#define PROT_READ_EXEC   (1 | 4)
#define MAX_KERNEL_MOVES 16

struct apply {
	struct history *h;
	const struct event_set *set;
	const struct record *rec;
	struct order_key key;
	struct reason *r;
};

/* Returns the machine of the record. */
static u32 machine_of(const struct apply *a, u32 pid)
{
	u8 cpumode = a->rec->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	struct sample_id id = { 0 };

	if (a->h->guest_ids.count && history_machine(cpumode, pid))
		(void)record_sample_id(a->set, a->rec, &id, NULL, NULL);
	return history_machine_by_id(a->h, cpumode, pid, id.id);
}

/* tasks */

static bool same_time(const struct apply *a, u32 version)
{
	return version && timeline_version(&a->h->times, version)->since.time == a->key.time;
}

/* Returns the newest process of a pid; makes one that lived from the beginning if it is unknown. */
static u32 ensure_process(struct apply *a, u32 machine, u32 pid)
{
	u32 p = history_newest_process(a->h, machine, pid);

	return p == NO_PROCESS ? history_new_process(a->h, machine, pid, NULL) : p;
}

static struct life *ensure_life(struct apply *a, u32 machine, u32 pid, u32 tid)
{
	struct life *l = history_newest_life(a->h, machine, tid);
	u32 process = ensure_process(a, machine, pid);

	if (!l)
		l = history_new_life(a->h, machine, pid, tid, NULL);
	else if (l->task.pid != pid || l->process != process)
		l = history_new_life(a->h, machine, pid, tid, &a->key);
	return l;
}

static void set_comm(struct apply *a, struct life *l, u32 comm)
{
	l->comms = timeline_add(&a->h->times, l->comms, &a->key, comm);
}

static void inherit_comm(struct apply *a, struct life *child, u32 machine, u32 parent_tid)
{
	const struct life *parent = history_newest_life(a->h, machine, parent_tid);

	if (parent && parent != child && parent->comms)
		set_comm(a, child, timeline_version(&a->h->times, parent->comms)->value);
}

/* spaces */

static u32 *roots_of(struct apply *a, u32 process)
{
	return &history_process(a->h, process)->roots;
}

static u32 newest_root(const struct apply *a, const u32 *roots)
{
	return *roots ? timeline_version(&a->h->times, *roots)->value : 0;
}

/*
 * Sets a new root from here on. Records that are adjacent and have one time (the maps written for
 * running programs) make one version, since no sample fits between them.
 */
static void set_root(struct apply *a, u32 *roots, u32 root)
{
	struct history *h = a->h;

	if (h->batch_roots == roots && same_time(a, *roots))
		timeline_version(&h->times, *roots)->value = root;
	else
		*roots = timeline_add(&h->times, *roots, &a->key, root);
	h->batch_roots = roots;
	h->batch_end = a->rec->position + a->rec->size;
}

static void begin_change(struct apply *a, const u32 *roots)
{
	struct history *h = a->h;

	if (h->batch_roots != roots || h->batch_end != a->rec->position || !same_time(a, *roots) ||
	    timeline_version(&h->times, *roots)->since.file != a->key.file) {
		h->batch_roots = NULL;
		spaces_freeze(&h->spaces);
	}
}

static void map(struct apply *a, u32 *roots, const struct mapping *m)
{
	begin_change(a, roots);
	set_root(a, roots, space_map(&a->h->spaces, newest_root(a, roots), m));
}

/*
 * The kernel remains inside execve for some time after it has mapped the new program's vdso, its
 * last mapping. Until then the user part of a sample is the old program's call of execve. So both
 * programs' mappings are shown, up to the first mapping that the new program makes itself. A kernel
 * without a vdso maps at most this many.
 */
enum { EXEC_MAPS = 8 };

static void map_user(struct apply *a, u32 process, const struct mapping *m, bool is_vdso)
{
	struct process *p = history_process(a->h, process);
	struct spaces *spaces = &a->h->spaces;
	u32 shown;

	p->execs = false;
	if (!p->exec_maps) {
		map(a, &p->roots, m);
		return;
	}
	begin_change(a, &p->roots);
	p->new_root = space_map(spaces, p->new_root, m);
	p->exec_maps = is_vdso ? 1 : p->exec_maps - 1;
	shown = p->exec_maps ? space_map(spaces, newest_root(a, &p->roots), m) : p->new_root;
	set_root(a, &p->roots, shown);
}

static u64 end_of(u64 start, u64 length)
{
	return length > UINT64_MAX - start ? UINT64_MAX : start + length;
}

static struct image wanted_image(const struct record_mmap *m, u32 machine)
{
	struct image want = {
		.guest = machine,
		.pid = -1,
		.path = m->filename,
		.maj = m->maj,
		.min = m->min,
		.ino = m->ino,
		.ino_generation = m->ino_generation,
		.owner = machine ? 0 : (s32)m->pid,
		.extent = m->pgoff + 1,
	};

	if (m->build_id_size && m->build_id_size <= sizeof(want.build_id.id)) {
		want.build_id.size = m->build_id_size;
		memcpy(want.build_id.id, m->build_id, m->build_id_size);
	}
	return want;
}

static bool address_is_offset(enum image_kind kind)
{
	return kind == IMAGE_JIT || kind == IMAGE_OTHER;
}

/*
 * Reports whether the mapping is of a program's own code. A program that moves it to huge pages
 * maps anonymous memory over a part of its text, at 2 MB bounds: the code is still the file's.
 * Other memory is a JIT's.
 */
static bool is_remapped_text(const struct apply *a, struct life *l, struct mapping *m)
{
	const u64 huge = 2u << 20;
	const struct process *p =
		l->process == NO_PROCESS ? NULL : history_process(a->h, l->process);
	const struct mapping *old;
	enum image_kind kind;

	if (!p || m->start % huge || m->end % huge)
		return false;
	old = space_find(&a->h->spaces, newest_root(a, &p->roots), m->start);
	if (!old || m->end > old->end || !(old->prot & 4))
		return false;
	kind = image_get(a->h->images, old->image)->kind;
	if (kind != IMAGE_ELF)
		return false;
	m->pgoff = old->pgoff + (m->start - old->start);
	m->image = old->image;
	return true;
}

struct kept_code {
	const struct history *h;
	u64 start, end;
	VEC(struct mapping) list;
};

static void keep_code(void *arg, const struct mapping *m)
{
	struct kept_code *k = arg;

	if (m->start < k->end && m->end > k->start &&
	    image_get(k->h->images, m->image)->kind == IMAGE_DUMP)
		vec_push(&k->list, *m);
}

/* Reports whether all of m is mapped this way, or is known code. */
static bool is_mapped_code(const struct apply *a, u32 root, const struct mapping *m)
{
	for (u64 at = m->start; at < m->end;) {
		const struct mapping *old = space_find(&a->h->spaces, root, at);

		if (!old || (old->image != m->image &&
			     image_get(a->h->images, old->image)->kind != IMAGE_DUMP))
			return false;
		at = old->end;
	}
	return true;
}

/* Maps memory for generated code without hiding the known code in it. */
static void map_under_code(struct apply *a, struct process *p, const struct mapping *m)
{
	struct kept_code kept = { .h = a->h, .start = m->start, .end = m->end };
	u32 root = newest_root(a, &p->roots);

	p->execs = false;
	if (is_mapped_code(a, root, m))
		return;
	space_each(&a->h->spaces, root, keep_code, &kept);
	begin_change(a, &p->roots);
	root = space_map(&a->h->spaces, root, m);
	vec_for_each(&kept.list, code) {
		code->pgoff += code->start < m->start ? m->start - code->start : 0;
		code->start = MAX(code->start, m->start);
		code->end = MIN(code->end, m->end);
		root = space_map(&a->h->spaces, root, code);
	}
	vec_release(&kept.list);
	set_root(a, &p->roots, root);
}

static int apply_user_map(struct apply *a, const struct record_mmap *m, u32 machine)
{
	struct image want = wanted_image(m, machine);
	bool exec = m->is_mmap2 ? m->prot & 4 : !m->is_data;
	struct mapping mapping = {
		.start = m->start,
		.end = end_of(m->start, m->len),
		.pgoff = m->pgoff,
		.prot = m->is_mmap2 ? m->prot
			: exec      ? PROT_READ_EXEC
				    : 1,
		.flags = m->flags,
	};
	struct life *l;

	if (m->pid == PID_NONE || !m->len)
		return 0;
	TRACE(process, "mmap: pid %u maps '%s' at %#" PRIx64 "-%#" PRIx64 ", time %" PRIu64, m->pid,
	      m->filename, mapping.start, mapping.end, a->key.time);
	l = ensure_life(a, machine, m->pid, m->tid == PID_NONE ? m->pid : m->tid);
	if (l->exited) { /* the task still runs after its EXIT: a new task's FORK was lost */
		if (m->pid == m->tid)
			history_new_process(a->h, machine, m->pid, &a->key);
		l = history_new_life(a->h, machine, m->pid, l->task.tid, &a->key);
	}
	if (want.build_id.size) /* only programs have it */
		want.kind = image_classify(m->filename, false, exec);
	else
		want.kind = image_classify_mapping(m->filename, exec, m->is_mmap2 ? m->prot : 0,
						   m->is_mmap2 ? m->flags : 0);
	if (exec && want.kind == IMAGE_ELF)
		want.code[0] = (struct image_code){ m->pgoff, m->len };
	want.pid = (s32)m->pid;
	if (address_is_offset(want.kind))
		mapping.pgoff = m->start;
	else if (want.kind == IMAGE_VDSO)
		mapping.pgoff = 0;
	if (want.kind != IMAGE_JIT || !is_remapped_text(a, l, &mapping))
		mapping.image = image_intern(a->h->images, &want);
	if (a->h->has_code &&
	    (want.kind == IMAGE_JIT || (exec && image_may_be_generated(m->filename))) &&
	    !history_process(a->h, l->process)->exec_maps)
		map_under_code(a, history_process(a->h, l->process), &mapping);
	else
		map_user(a, l->process, &mapping, want.kind == IMAGE_VDSO);
	return 0;
}

/* kernels */

static struct machine *ensure_machine(struct apply *a, u32 id)
{
	bool added;
	u64 *at = map64_put(&a->h->machine_ids, id, &added);

	if (added) {
		*at = a->h->machines.count;
		vec_push(&a->h->machines, (struct machine){ .id = id });
		a->h->batch_roots = NULL; /* the roots may have moved */
	}
	return &a->h->machines.items[*at];
}

struct kept_maps {
	u32 kernel; /* image */
	u64 start, end;
	VEC(struct mapping) list;
};

static void keep_others(void *arg, const struct mapping *m)
{
	struct kept_maps *k = arg;

	if (m->image != k->kernel && m->start < k->end && m->end > k->start)
		vec_push(&k->list, *m);
}

/*
 * Reports whether the record moves the kernel, which stays in place while it runs. Rings and
 * rewritten files may repeat its record. A file that moves it endlessly (each move costs a pass
 * over all modules) is damaged.
 */
static bool kernel_moved(struct apply *a, struct machine *mc, const struct mapping *m)
{
	const struct mapping *old = &mc->kernel;

	if (old->start == m->start && old->end == m->end && old->image == m->image)
		return false;
	if (mc->kernel_moves++ < MAX_KERNEL_MOVES)
		return true;
	condition_add(&a->h->ctx->conditions, CONDITION_DAMAGE, "kernel-moves", NULL, &a->key, 1,
		      NULL, "the file moves the kernel more than %d times", MAX_KERNEL_MOVES);
	return false;
}

/* Maps the kernel below modules and BPF programs, whichever came first. */
static void map_kernel(struct apply *a, struct machine *mc, const struct mapping *m)
{
	struct history *h = a->h;
	struct kept_maps kept = { .kernel = m->image, .start = m->start, .end = m->end };
	u32 root = newest_root(a, &mc->kernel_roots);

	if (!kernel_moved(a, mc, m))
		return;
	space_each(&h->spaces, root, keep_others, &kept);
	begin_change(a, &mc->kernel_roots);
	if (mc->kernel.end)
		root = space_unmap(&h->spaces, root, mc->kernel.start, mc->kernel.end);
	root = space_map(&h->spaces, root, m);
	vec_for_each(&kept.list, other)
		root = space_map(&h->spaces, root, other);
	vec_release(&kept.list);
	set_root(a, &mc->kernel_roots, root);
	mc->kernel = *m;
}

static int apply_kernel_map(struct apply *a, const struct record_mmap *m, u32 machine)
{
	struct image want = wanted_image(m, machine);
	struct machine *mc = ensure_machine(a, machine);
	const char *symbol = strchr(m->filename, ']');
	struct mapping mapping = {
		.start = m->start,
		.end = m->start || m->len ? end_of(m->start, m->len) : UINT64_MAX,
		.pgoff = m->start,
		.prot = PROT_READ_EXEC,
		.flags = m->flags,
	};

	if (mapping.end <= mapping.start)
		return 0;
	TRACE(process, "mmap: the kernel has '%s' at %#" PRIx64 "-%#" PRIx64 ", time %" PRIu64,
	      m->filename, mapping.start, mapping.end, a->key.time);
	want.kind = image_classify(m->filename, true, true);
	want.addr = m->start;
	want.size = mapping.end - mapping.start;
	if (want.kind == IMAGE_KERNEL && symbol && symbol[1] && m->pgoff) {
		want.reference_name = symbol + 1;
		want.reference_addr = m->pgoff;
	}
	mapping.image = image_intern(a->h->images, &want);
	if (want.kind == IMAGE_KERNEL && m->filename[0] == '[')
		map_kernel(a, mc, &mapping);
	else
		map(a, &mc->kernel_roots, &mapping);
	return 0;
}

static void note_unread_maps(struct apply *a)
{
	condition_add(&a->h->ctx->conditions, CONDITION_WARNING, "maps-not-read", NULL, &a->key, 1,
		      NULL,
		      "the maps of processes that ran before could not be read in time; "
		      "their addresses may stay unresolved");
}

static int apply_mmap(struct apply *a)
{
	u8 cpumode = a->rec->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	struct record_mmap m;
	u32 machine;
	int err = record_get_mmap(a->set, a->rec, &m, a->r);

	if (err)
		return err;
	if (a->rec->misc & PERF_RECORD_MISC_PROC_MAP_PARSE_TIMEOUT)
		note_unread_maps(a);
	machine = machine_of(a, m.pid);
	if (cpumode == PERF_RECORD_MISC_KERNEL || cpumode == PERF_RECORD_MISC_GUEST_KERNEL)
		return apply_kernel_map(a, &m, machine);
	return apply_user_map(a, &m, machine);
}

static void remove_symbol(struct apply *a, struct machine *mc, const struct record_ksymbol *k)
{
	struct history *h = a->h;
	u32 root = newest_root(a, &mc->kernel_roots);
	const struct mapping *old = space_find(&h->spaces, root, k->addr);
	struct mapping under = mc->kernel;

	if (!old || old->start != k->addr || image_get(h->images, old->image)->kind != IMAGE_BPF)
		return;
	under.start = MAX(under.start, old->start);
	under.end = MIN(under.end, old->end);
	under.pgoff = under.start;
	begin_change(a, &mc->kernel_roots);
	root = space_unmap(&h->spaces, root, old->start, old->end);
	if (under.start < under.end)
		root = space_map(&h->spaces, root, &under);
	set_root(a, &mc->kernel_roots, root);
}

static int apply_ksymbol(struct apply *a)
{
	struct record_ksymbol k;
	struct machine *mc;
	struct mapping m;
	u32 machine = machine_of(a, 0);
	int err = record_get_ksymbol(a->set, a->rec, &k, a->r);

	if (err)
		return err;
	mc = ensure_machine(a, machine);
	if (k.flags & 1) {
		remove_symbol(a, mc, &k);
		return 0;
	}
	m = (struct mapping){ .start = k.addr,
			      .end = end_of(k.addr, k.len),
			      .pgoff = k.addr,
			      .prot = PROT_READ_EXEC };
	if (m.end <= m.start)
		return 0;
	m.image = image_intern(a->h->images, &(struct image){ .kind = IMAGE_BPF,
							      .pid = -1,
							      .guest = machine,
							      .path = k.name,
							      .addr = k.addr,
							      .size = k.len });
	map(a, &mc->kernel_roots, &m);
	return 0;
}

static int apply_text_poke(struct apply *a)
{
	struct record_text_poke p;
	int err = record_get_text_poke(a->set, a->rec, &p, a->r);

	if (!err && !machine_of(a, 0)) /* only the host's kernel is of interest */
		text_pokes_add(&a->h->text_pokes, &p, &a->key);
	return err;
}

/* tasks come and go */

static void exec(struct apply *a, u32 process)
{
	struct process *p = history_process(a->h, process);

	p->new_root = 0;
	p->execs = true;
	p->exec_maps = newest_root(a, &p->roots) ? EXEC_MAPS : 0;
}

/*
 * Finds the thread that took the number of its process's first thread, which has ended: the only
 * one that has not ended. Returns NULL if unknown. A damaged file cannot make this slow.
 */
static struct life *find_survivor(struct apply *a, const struct life *first)
{
	enum { MOST_STEPS = 1 << 26 };
	u32 count = segments_count(&a->h->lives);
	struct life *found = NULL;

	if (a->h->takeover_steps + count > MOST_STEPS)
		return NULL;
	a->h->takeover_steps += count;
	for (u32 i = 0; i < count; i++) {
		struct life *l = history_life(a->h, i);

		if (l == first || l->dropped || l->exited || l->is_stranger ||
		    l->process != first->process || l->task.pid != first->task.pid ||
		    l->task.machine != first->task.machine)
			continue;
		if (found)
			return NULL;
		found = l;
	}
	return found;
}

static void take_over(struct apply *a, struct life *first)
{
	struct life *from = first->process == NO_PROCESS ? NULL : find_survivor(a, first);

	first->exited = false;
	if (!from)
		return;
	from->exited = true;
	from->exited_at = a->key.time;
	vec_push(&a->h->takeovers,
		 (struct history_takeover){ first->task.id, from->task.id, a->key });
}

static int apply_comm(struct apply *a)
{
	struct record_comm c;
	struct life *l;
	u32 machine;
	int err = record_get_comm(a->set, a->rec, &c, a->r);

	if (err)
		return err;
	if (c.pid == PID_NONE || c.tid == PID_NONE)
		return 0;
	machine = machine_of(a, c.pid);
	l = ensure_life(a, machine, c.pid, c.tid);
	set_comm(a, l, history_comm_add(a->h, c.comm));
	if (c.exec) {
		TRACE(process, "exec: pid %u is now '%s', time %" PRIu64, c.pid, c.comm,
		      a->key.time);
		if (l->exited) /* exec by a thread */
			take_over(a, l);
		exec(a, l->process);
	}
	return 0;
}

/* Forks a process: the child starts with the parent's current mappings. */
static void fork_process(struct apply *a, u32 machine, const struct record_task *t)
{
	u32 parent = history_newest_process(a->h, machine, t->ppid);
	u32 root = parent == NO_PROCESS ? 0 : newest_root(a, roots_of(a, parent));
	u32 child = history_new_process(a->h, machine, t->pid, &a->key);

	if (root)
		*roots_of(a, child) = timeline_add(&a->h->times, 0, &a->key, root);
	a->h->batch_roots = NULL;
}

/* Reports whether the fork is known: it may be recorded in two rings. */
static bool told_before(struct apply *a, u32 machine, const struct record_task *t)
{
	const u64 *newest = map64_get(&a->h->tids, (u64)machine << 32 | t->tid);
	const struct life *l = history_newest_life(a->h, machine, t->tid);

	return newest && a->key.time && same_time(a, (u32)*newest) && l->task.pid == t->pid &&
	       !l->exited;
}

static int apply_fork(struct apply *a)
{
	struct record_task t;
	struct life *l;
	u32 machine;
	int err = record_get_task(a->set, a->rec, &t, a->r);

	if (err)
		return err;
	if (t.pid == PID_NONE || t.tid == PID_NONE)
		return 0;
	TRACE(process, "fork: pid %u, thread %u, from pid %u, thread %u, time %" PRIu64, t.pid,
	      t.tid, t.ppid, t.ptid, a->key.time);
	machine = machine_of(a, t.pid);
	if (a->rec->misc & PERF_RECORD_MISC_FORK_EXEC) {
		/* written for a running task: nothing was cloned */
		l = ensure_life(a, machine, t.pid, t.tid);
	} else if (told_before(a, machine, &t)) {
		return 0;
	} else {
		if (t.pid == t.ppid)
			ensure_process(a, machine, t.pid);
		else
			fork_process(a, machine, &t);
		l = history_new_life(a->h, machine, t.pid, t.tid, &a->key);
	}
	if (!l->comms)
		inherit_comm(a, l, machine, t.ptid);
	return 0;
}

/*
 * Reports whether an EXIT belongs to an exec. A set-uid, set-gid or unreadable program loses the
 * events of its caller inside execve. The kernel writes an EXIT for that, after the COMM and before
 * the mappings, and the task continues.
 */
static bool exit_of_exec(const struct apply *a, const struct life *l)
{
	return l->task.pid == l->task.tid && l->process != NO_PROCESS &&
	       history_process(a->h, l->process)->execs;
}

/*
 * Reports whether the record is of a task's event. Only these end at an exec, and the file's index
 * of ids identifies them.
 */
static bool is_of_task_event(const struct apply *a)
{
	struct sample_id id = { 0 };

	if (!a->h->cpu_ids.count)
		return a->h->index_read;
	return !record_sample_id(a->set, a->rec, &id, NULL, NULL) && id.id &&
	       !history_counts_cpu(a->h, id.id);
}

static void note_ended_events(struct apply *a, const struct life *l)
{
	const char *name =
		l->comms ? history_comm_text(a->h, timeline_version(&a->h->times, l->comms)->value)
			 : NULL;

	if (!name || !is_of_task_event(a))
		return;
	condition_add(
		&a->h->ctx->conditions, CONDITION_NOTE, EVENTS_ENDED, name, &a->key, 1,
		ENDED_EVENTS_HINT,
		"the kernel ended the events of '%s' when it started: it runs with rights that "
		"its caller "
		"does not have (set-user-ID, set-group-ID, capabilities), or may not be read",
		name);
}

static int apply_exit(struct apply *a)
{
	struct record_task t;
	struct life *l;
	int err = record_get_task(a->set, a->rec, &t, a->r);

	if (err)
		return err;
	TRACE(process, "exit: pid %u, thread %u, time %" PRIu64, t.pid, t.tid, a->key.time);
	l = history_newest_life(a->h, machine_of(a, t.pid), t.tid);
	if (!l || l->task.pid != t.pid)
		return 0;
	if (exit_of_exec(a, l)) {
		note_ended_events(a, l);
	} else {
		l->exited = true;
		l->exited_at = a->key.time;
	}
	return 0;
}

static int apply_cgroup(struct apply *a)
{
	struct record_cgroup c;
	int err = record_get_cgroup(a->set, a->rec, &c, a->r);

	if (!err)
		*map64_put(&a->h->cgroups, c.id, NULL) = strtab_add(&a->h->paths, c.path);
	return err;
}

/* Applies PERF_RECORD_THREAD_MAP: u64 count, then { u64 tid; char comm[16]; }. */
static int apply_thread_map(struct apply *a)
{
	const u8 *p = a->rec->data + sizeof(struct record_header);
	u64 count, room;
	char comm[17] = "";

	if (a->rec->size < sizeof(struct record_header) + 8)
		return reason_set(a->r, EINVAL, "thread map without its count");
	count = load_u64(p, a->set->swap);
	room = (a->rec->size - sizeof(struct record_header) - 8) / 24;
	if (count > room)
		return reason_set(a->r, EINVAL,
				  "thread map of %" PRIu64 " entries, room for %" PRIu64, count,
				  room);
	for (u64 i = 0; i < count; i++) {
		const u8 *entry = p + 8 + 24 * i;
		u32 tid = (u32)load_u64(entry, a->set->swap);

		memcpy(comm, entry + 8, 16);
		if (comm[0] && !history_newest_life(a->h, 0, tid))
			set_comm(a, ensure_life(a, 0, tid, tid), history_comm_add(a->h, comm));
	}
	return 0;
}

static int dispatch(struct apply *a)
{
	switch (a->rec->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return apply_mmap(a);
	case PERF_RECORD_COMM:
		return apply_comm(a);
	case PERF_RECORD_FORK:
		return apply_fork(a);
	case PERF_RECORD_EXIT:
		return apply_exit(a);
	case PERF_RECORD_KSYMBOL:
		return apply_ksymbol(a);
	case PERF_RECORD_TEXT_POKE:
		return apply_text_poke(a);
	case PERF_RECORD_CGROUP:
		return apply_cgroup(a);
	case PERF_RECORD_ID_INDEX:
		return guest_ids_take(a->h, a->rec, a->set->swap, a->r);
	case PERF_RECORD_THREAD_MAP:
		return apply_thread_map(a);
	default:
		return 0;
	}
}

bool history_wants(u32 type)
{
	switch (type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
	case PERF_RECORD_KSYMBOL:
	case PERF_RECORD_TEXT_POKE:
	case PERF_RECORD_CGROUP:
	case PERF_RECORD_THREAD_MAP:
	case PERF_RECORD_ID_INDEX:
		return true;
	default:
		return false;
	}
}

void history_map_code(struct history *h, u32 machine, u32 pid, const struct mapping *m,
		      const struct order_key *key)
{
	const struct record none = { .position = UINT64_MAX };
	struct apply a = { .h = h, .rec = &none, .key = *key };
	u32 process = ensure_process(&a, machine, pid);

	if (m->end <= m->start)
		return;
	if (order_key_cmp(key, &h->last) < 0)
		a.key = h->last;
	h->last = a.key;
	h->has_code = true;
	h->batch_roots = NULL;
	map(&a, &history_process(h, process)->roots, m);
	h->batch_roots = NULL;
}

int history_apply(struct history *h, const struct event_set *set, const struct record *rec,
		  const struct order_key *key, struct reason *r)
{
	struct apply a = { .h = h, .set = set, .rec = rec, .key = *key, .r = r };

	if (order_key_cmp(key, &h->last) < 0) {
		condition_add(&h->ctx->conditions, CONDITION_NOTE, "late-sideband", NULL, key, 1,
			      NULL, "records about processes came too late to be put in order");
		a.key = h->last;
		h->batch_roots = NULL;
	}
	h->last = a.key;
	return dispatch(&a);
}
