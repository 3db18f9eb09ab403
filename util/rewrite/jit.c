// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Code that was made at run time: each function of a jitdump file becomes an ELF object
 * beside that file, and a mapping of it in the recording, at the time when the function
 * was made.
 *
 * A process tells of its jitdump file by mapping a page of it executable.  From then on
 * its executable mappings of memory for generated code are left out, since they would cover what the
 * jitdump file tells of the same memory.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "jit/code.h"
#include "object/locate.h"
#include "rewrite/internal.h"

/* A mapping that waits for its time. */
struct made {
	u64 time, addr, size, index;
};

struct jit_process {
	u32 pid;
	char *path; /* the path of the jitdump file, as the process names it */
	char *dir;  /* where its objects go */
	struct jitdump *dump;
	VEC(struct made) made; /* in order of time from next on */
	size_t next;
};

struct jit_pass {
	VEC(struct jit_process) processes;
	struct jit_clock clock;
	u64 functions;
};

static struct jit_process *find_process(struct jit_pass *p, u32 pid)
{
	vec_for_each(&p->processes, it)
		if (it->pid == pid)
			return it;
	return NULL;
}

static bool holds_code(const struct record_mmap *m)
{
	return !*m->filename || str_starts(m->filename, "/memfd:") ||
	       image_classify_mapping(m->filename, true, m->is_mmap2 ? m->prot : 0, m->is_mmap2 ? m->flags : 0) == IMAGE_JIT;
}

static void note(struct rewriter *w, enum condition_weight weight, const char *code,
		 const char *path, struct reason *why)
{
	condition_add(&w->ctx->conditions, weight, code, path, NULL, 1, why->hint, "%s", why->text);
	reason_release(why);
}

static bool on_monotonic(const struct rewriter *w)
{
	vec_for_each(&w->in->list, it)
		if (!((*it)->attr.flags & ATTR_USE_CLOCKID) || (*it)->attr.clockid != CLOCK_MONOTONIC)
			return false;
	return true;
}

static bool settle_time(struct rewriter *w, const struct jit_pass *p, const struct jit_process *jp,
			struct reason *r)
{
	if (jitdump_in_cycles(jp->dump)) {
		if (p->clock.known)
			return true;
		reason_set(r, EINVAL, "'%s' has times in cycles, and the recording does not say how long "
			   "one is", jp->path);
		return false;
	}
	if (on_monotonic(w))
		return true;
	reason_set(r, EINVAL, "'%s' has times of the monotonic clock, but the recording has not", jp->path);
	reason_hint(r, "record with -k mono");
	return false;
}

static u64 to_ns(const struct jit_pass *p, const struct jit_process *jp, u64 time)
{
	return jitdump_in_cycles(jp->dump) ? jit_clock_ns(&p->clock, time) : time;
}

static char *object_path(const struct jit_process *jp, u64 index)
{
	return xasprintf("%s/jitted-%u-%" PRIu64 ".so", jp->dir, jitdump_pid(jp->dump), index);
}

static void add_made(struct jit_process *jp, const struct made *m)
{
	size_t i = jp->made.count;

	vec_push(&jp->made, *m);
	/* the threads of a compiler may write their entries slightly out of order */
	for (; i > jp->next && jp->made.items[i - 1].time > m->time; i--)
		jp->made.items[i] = jp->made.items[i - 1];
	jp->made.items[i] = *m;
}

/* What the file holds so far. */
static int read_more(struct rewriter *w, struct jit_pass *p, struct jit_process *jp,
		     struct reason *r)
{
	struct reason why = REASON_INIT;
	struct jit_entry e;
	int got;

	while ((got = jitdump_next(jp->dump, &e, &why)) == 1) {
		char *path;
		int err = 0;

		if (e.kind == JIT_CLOSE || !e.size)
			continue;
		if (e.kind == JIT_LOAD) {
			path = object_path(jp, e.index);
			err = jit_write_object(jp->dump, &e, path, r);
			free(path);
			p->functions++;
		}
		if (err)
			return err;
		add_made(jp, &(struct made){ to_ns(p, jp, e.time), e.addr, e.size, e.index });
	}
	if (got < 0)
		note(w, CONDITION_DAMAGE, "damaged-jitdump", jp->path, &why);
	reason_release(&why);
	return 0;
}

/* The directory's real name, so that the mapping's name is absolute and found again. */
static char *directory_of(const char *path)
{
	char *dir = xstrdup(path), *slash = strrchr(dir, '/');

	if (slash == dir)
		slash++;
	*slash = '\0';
	return dir;
}

static int open_dump(struct rewriter *w, struct jit_pass *p, u32 pid, const char *path,
		     struct reason *r)
{
	struct jit_process jp = { .pid = pid };
	struct reason why = REASON_INIT, at_root = REASON_INIT;
	int err = jitdump_open(path, &jp.dump, &why);

	jp.path = xstrdup(path);
	if (err) {
		/* in a container */
		free(jp.path);
		jp.path = path_in_process((s32)pid, path);
		err = jitdump_open(jp.path, &jp.dump, &at_root);
	}
	if (!err && !w->s->force)
		err = jitdump_check_owner(jp.dump, &why);
	if (err) {
		note(w, CONDITION_WARNING, "no-jitdump", path, &why);
		err = 0;
	} else if (!settle_time(w, p, &jp, r)) {
		err = -EINVAL;
	} else {
		jp.dir = directory_of(jp.path);
		vec_push(&p->processes, jp);
		jp = (struct jit_process){ 0 };
		err = read_more(w, p, vec_last(&p->processes), r);
	}
	reason_release(&why);
	reason_release(&at_root);
	jitdump_close(jp.dump);
	free(jp.path);
	free(jp.dir);
	return err;
}

static void put_made(struct rewriter *w, const struct jit_process *jp, const struct made *m)
{
	char *path = object_path(jp, m->index);
	struct map_text t = {
		.pid = jp->pid, .tid = jp->pid, .start = m->addr, .len = m->size,
		.pgoff = JIT_CODE_OFFSET, .prot = PROT_READ | PROT_EXEC, .flags = MAP_PRIVATE, .name = path,
	};
	struct stat st;

	if (!stat(path, &st)) {
		t.maj = major(st.st_dev);
		t.min = minor(st.st_dev);
		t.ino = st.st_ino;
		maps_put_at(w, &t, m->time);
	}
	free(path);
}

/* All that was made up to this time. */
static void put_until(struct rewriter *w, struct jit_pass *p, u64 time)
{
	for (;;) {
		struct jit_process *first = NULL;

		vec_for_each(&p->processes, jp)
			if (jp->next < jp->made.count && jp->made.items[jp->next].time <= time &&
			    (!first || jp->made.items[jp->next].time < first->made.items[first->next].time))
				first = jp;
		if (!first)
			return;
		put_made(w, first, &first->made.items[first->next++]);
	}
}

int jit_before(struct rewriter *w, u64 time, struct reason *r)
{
	struct jit_pass *p = w->jit;
	int err = 0;

	/* the compiler of a stream may still be running */
	vec_for_each(&p->processes, jp)
		if (!err && w->from_stream && jp->next == jp->made.count)
			err = read_more(w, p, jp, r);
	if (!err)
		put_until(w, p, time);
	return err;
}

int jit_take_record(struct rewriter *w, const struct record *rec, bool *drop, struct reason *r)
{
	struct jit_pass *p = w->jit;
	struct jit_process *jp;
	struct record_mmap m;

	*drop = false;
	if (rec->type == PERF_RECORD_TIME_CONV)
		jit_clock_take(&p->clock, rec->data, rec->size, w->in->swap);
	if ((rec->type != PERF_RECORD_MMAP && rec->type != PERF_RECORD_MMAP2) ||
	    record_get_mmap(w->in, rec, &m, NULL))
		return 0;
	jp = find_process(p, m.pid);
	if (jp) {
		*drop = holds_code(&m) && !m.is_data;
		return 0;
	}
	return jitdump_names(m.filename) ? open_dump(w, p, m.pid, m.filename, r) : 0;
}

void jit_end(struct rewriter *w)
{
	put_until(w, w->jit, UINT64_MAX);
	if (!w->jit->processes.count)
		condition_add(&w->ctx->conditions, CONDITION_WARNING, "no-jitdump", w->s->input, NULL, 1,
			      "have the compiler write one (java: -agentpath:libperf-jvmti.so, node: --perf-prof)",
			      "no process of '%s' has mapped a jitdump file", w->s->input);
}

void jit_start(struct rewriter *w)
{
	w->jit = xcalloc(1, sizeof(*w->jit));
}

void jit_release(struct rewriter *w)
{
	if (!w->jit)
		return;
	vec_for_each(&w->jit->processes, jp) {
		jitdump_close(jp->dump);
		vec_release(&jp->made);
		free(jp->path);
		free(jp->dir);
	}
	vec_release(&w->jit->processes);
	free(w->jit);
}
