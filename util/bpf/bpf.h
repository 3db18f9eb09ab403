/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BPF programs of our own: loaded, attached, their maps and rings read.
 *
 * How to add a program "foo":
 *   1. util/bpf/foo.bpf.c: includes "bpf/program.h" and what of "bpf/kernel.h" it reads; the
 *      build compiles every *.bpf.c with clang and keeps the object inside perf as image "foo".
 *      Where it can, it is attached to tp_btf/ or raw_tp/ (no tracefs), and counts what it could
 *      not do (ring full, map full, fault while copying) in a variable.  The command reports each
 *      count, and calls bpf_run_say_missed().  A program that uses what Linux 5.10 does not have
 *      gets a variant for old kernels: kernel.h, and BPF_OLD in the Makefile.
 *   2. util/bpf/foo.h: the structs that both sides use, behind #include "bpf/shared.h".
 *      The program declares  const volatile struct foo_settings settings;  and
 *      struct foo_counts counts;  as globals.
 *   3. The command's component includes "bpf/bpf.h" and "bpf/foo.h":
 *
 *	struct bpf_run *run = bpf_run_open("foo", &r);		NULL: r says why
 *	struct foo_settings *s = bpf_run_variable(run, "settings", sizeof(*s));
 *	s->tgid = pid;						before the load: constants
 *	bpf_run_map_entries(run, "events", 1 << 22);
 *	if (bpf_run_load(ctx, run, &r) || bpf_run_attach(run, &r)) ...
 *	struct bpf_ring *ring = bpf_ring_open(bpf_run_map(run, "events"), &r);
 *	poll(bpf_ring_fd(ring)); bpf_ring_drain(ring, on_record, arg);
 *	counts->lost ...					shared memory, after the load
 *	bpf_ring_close(ring); bpf_run_close(run);
 *
 * What it is: only this component talks to libbpf, which is opened on first use.  A build without
 * libbpf or clang has no images and says so by name (bpf_usable()).
 * Life: descriptors of this process hold programs, maps and links, so the kernel frees them however
 * the process ends.  A caller must remove what it pins.
 * Threads: one thread at a time uses a run; maps and rings are for any one thread each.
 * Errors: a negative errno and a reason, which names what is missing: root or CAP_BPF and
 * CAP_PERFMON, type information of the kernel (BTF), a kernel from 5.8 on.
 * Sources: bpf(2), Documentation/bpf of the kernel (ringbuf.rst, map_*.rst), bpf/libbpf.h.
 */
#ifndef BPF_BPF_H
#define BPF_BPF_H

#include "base/reason.h"

struct bpf_run;
struct context; /* base/context.h */

/*
 * Returns 0, or -errno with the reason why BPF cannot be used here; `for_what` ("--off-cpu") begins
 * the text.
 */
int bpf_usable(const char *for_what, struct reason *r);
/* Its two halves: the kernel takes a program (a small one is tried), and programs find its types.
 */
int bpf_loads(const char *for_what, struct reason *r);
int bpf_has_types(const char *for_what, struct reason *r);
/*
 * Returns 0, or -errno with the reason why programs that choose tasks by their numbers would find
 * none here. In another PID namespace, a process knows other numbers than the kernel.
 */
int bpf_sees_tasks(const char *for_what, struct reason *r);
/*
 * Checks whether the running kernel's types contain this. Types show what a kernel can do, even
 * where a distribution has backported a later feature. member: of the struct or enum `name`, else
 * NULL. After bpf_usable().
 */
enum bpf_fact { BPF_MEMBER, BPF_ENUMERATOR, BPF_FUNCTION, BPF_TRACEPOINT };
bool bpf_kernel_has(enum bpf_fact kind, const char *name, const char *member);
/*
 * Checks that the running kernel is new enough: 0, or -ENOTSUP with a reason that begins with
 * `for_what` and names the version that can do it; hint: the way without it, or NULL. After
 * bpf_usable().
 */
enum bpf_feature { BPF_CGROUP_SWITCHES, BPF_LOCK_EVENTS, BPF_TASK_BY_NUMBER, BPF_WHOLE_SAMPLES };
int bpf_kernel_needs(enum bpf_feature feature, const char *for_what, const char *hint,
		     struct reason *r);
/*
 * Checks whether BPF programs can call this helper on the running kernel (BPF_FUNC_ of
 * linux/bpf.h).
 */
bool bpf_kernel_has_helper(u32 helper);
/* Reports whether this build has BPF programs, and the library is installed. */
bool bpf_built_in(void);

/*
 * Opens the image of this name, or any object file, called `name` in errors. Returns NULL with a
 * reason on errors. Loads nothing into the kernel yet.
 */
struct bpf_run *bpf_run_open(const char *image, struct reason *r);
struct bpf_run *bpf_run_open_file(const char *path, const char *name, struct reason *r);
/* Detaches and unloads everything; NULL does nothing. */
void bpf_run_close(struct bpf_run *run);
/*
 * Adds warnings to the context's conditions, each with its count: the kernel has left out runs of
 * these programs, since one was still under way on the same CPU; the map of followed tasks was
 * full; a map refused an element although it was not full. Every command calls it before
 * bpf_run_close(), once.
 */
void bpf_run_say_missed(struct context *ctx, struct bpf_run *run);
/* Messages of the library and the verifier so far: many lines; never NULL. */
const char *bpf_run_log(const struct bpf_run *run);

/*
 * Returns a global variable, or NULL if none has this name and size. Before the load that is its
 * initial value, even of constants. After the load, it is the memory that the programs use, where
 * constants are read-only. A pointer obtained before the load is invalid afterwards.
 */
void *bpf_run_variable(struct bpf_run *run, const char *name, size_t size);
/*
 * Sets the number of entries of a map before the load (for a ring: bytes, a power of two and a
 * multiple of the page size).
 */
int bpf_run_map_entries(struct bpf_run *run, const char *map, u32 entries);
/*
 * Decides before the load if this program is loaded. By default all are, except those whose section
 * begins with '?'.
 */
int bpf_run_enable(struct bpf_run *run, const char *program, bool enable);
/* Makes the run use an existing map instead of its own; before the load. */
int bpf_run_map_share(struct bpf_run *run, const char *map, int fd);
/* Attaches an fentry or fexit program to a function of a loaded program; before the load. */
int bpf_run_target(struct bpf_run *run, const char *program, int of_program, const char *function);
/*
 * Loads the programs into the kernel.  When it refuses one, and ctx asks for -v, the end of the
 * verifier's log goes to ctx->debug_text(); with -vv all of it.
 */
int bpf_run_load(const struct context *ctx, struct bpf_run *run, struct reason *r);

/* Attaches each loaded program whose section says where. */
int bpf_run_attach(struct bpf_run *run, struct reason *r);
/* Attaches one program, by name. */
int bpf_run_attach_one(struct bpf_run *run, const char *program, struct reason *r);
/* Attaches a program to an event of perf_event_open(2); the descriptor remains the caller's. */
int bpf_run_attach_event(struct bpf_run *run, const char *program, int event_fd, struct reason *r);
/* Takes back all that was attached; what is loaded stays. */
void bpf_run_detach(struct bpf_run *run);

/* Descriptors that the run owns; negative: there is none of this name, or it is not loaded. */
int bpf_run_map(const struct bpf_run *run, const char *map);
int bpf_run_program(const struct bpf_run *run, const char *program);
/* Returns the name of program i, from 0; NULL after the last. */
const char *bpf_run_program_name(const struct bpf_run *run, size_t i);
/* Returns a program's section, which says where it attaches, or a map's name and type. */
const char *bpf_run_program_section(const struct bpf_run *run, size_t i);
const char *bpf_run_map_name(const struct bpf_run *run, size_t i, u32 *type);
/*
 * Sets a program's type, BPF_PROG_TYPE_, where its section does not determine it; before the load.
 */
int bpf_run_set_type(struct bpf_run *run, const char *program, u32 type);

/*
 * Objects in the kernel, perf's own or not (objects.c). An id is never reused and keeps nothing
 * alive; a descriptor does. Functions return 0 or a descriptor, or -errno.
 */
enum bpf_kind { BPF_PROGRAM_KIND, BPF_MAP_KIND };
int bpf_object_open(enum bpf_kind kind, u32 id);
u32 bpf_object_id(enum bpf_kind kind, int fd); /* 0 if unknown */
/* Runs a program (of raw_tp) once on this CPU. */
int bpf_program_run(int program, u32 cpu);
/*
 * Returns how many runs of the program the kernel has skipped; 0 also where the kernel does not
 * count them.
 */
u64 bpf_program_missed(int program);
/* Finds a program's type, and the name with which it was loaded (its first 15 characters). */
int bpf_program_look(int program, u32 *type, char name[16]);
/* Returns the name of a program's main function, malloc'ed; NULL with a reason on errors. */
char *bpf_program_function(int program, struct reason *r);
struct bpf_map_shape {
	u32 type, key_size, value_size, entries, flags;
	char name[16];
};
int bpf_map_make(const struct bpf_map_shape *shape);
int bpf_map_look(int map, struct bpf_map_shape *shape);
/* Gives an object a name in a BPF file system, which keeps it until the name is removed. */
int bpf_object_pin(int fd, const char *path);
int bpf_object_pinned(const char *path);

/* Elements of a map, by its descriptor: 0 or -errno (-ENOENT: no such key, -E2BIG: full). */
int bpf_map_read(int map, const void *key, void *value);
int bpf_map_write(int map, const void *key, const void *value);
int bpf_map_remove(int map, const void *key);
/*
 * Visits each element once, in no order; `visit` may remove the current element. Elements added
 * meanwhile may be visited or not. Stops when visit returns non-zero, and returns that.
 */
int bpf_map_each(int map, size_t key_size, size_t value_size,
		 int (*visit)(void *arg, const void *key, void *value), void *arg);
/*
 * Reports whether one of the threads in the map still runs; its keys are their numbers (u32; values
 * u8). See bpf/tasks.h.
 */
bool bpf_tasks_go_on(int map);
/*
 * Returns how many values the value of a per-CPU map consists of; they are bpf_percpu_size() bytes
 * apart.
 */
size_t bpf_percpu_count(void);
#define bpf_percpu_size(value_size) ALIGN_UP((size_t)(value_size), 8)
/*
 * Reads a stack from a stack map into ips, leaf first; returns the number of addresses, or -ENOENT.
 */
int bpf_stack_read(int map, s32 id, u64 *ips, size_t most);

/* A ring buffer (BPF_MAP_TYPE_RINGBUF), read in order.  The map's descriptor must stay open. */
struct bpf_ring;
struct bpf_ring *bpf_ring_open(int map, struct reason *r);
void bpf_ring_close(struct bpf_ring *ring);
/* Returns a descriptor for poll(2): readable when a record was submitted with a wake-up. */
int bpf_ring_fd(const struct bpf_ring *ring);
/* Return how many bytes wait, and how many fit. */
u64 bpf_ring_used(const struct bpf_ring *ring);
u64 bpf_ring_size(const struct bpf_ring *ring);
/*
 * Takes all records that were there at the start, and returns their number. A negative result of
 * `take` ends it after that record and is returned. data is 8-byte aligned and valid until take
 * returns.
 */
typedef int (*bpf_take)(void *arg, const void *data, size_t size);
s64 bpf_ring_drain(struct bpf_ring *ring, bpf_take take, void *arg);

#endif
