// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds which of the generated code samples touch.
 * Each function is searched for before each sample, in every word of it: the address itself, call
 * chains, branches, registers, copied stacks. A function that is found gets its object and its
 * mapping just before the first such sample.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/file.h"
#include "base/search.h"
#include "base/temporary.h"
#include "jit/code.h"
#include "rewrite/jit.h"

/* ---- directories and files ---- */

struct jit_objects {
	char *dir; /* NULL: beside each jitdump file */
	VEC(char *) made, written;
};

struct jit_objects *jit_objects_new(const char *output, bool stream)
{
	struct jit_objects *o = xcalloc(1, sizeof(*o));
	const char *name = path_base(output);
	char *parent = xasprintf("%.*s.", (int)(name - output), output), *real;

	/* absolute, because the mappings name it */
	real = stream ? NULL : realpath(parent, NULL);
	if (!stream)
		o->dir = xasprintf("%s/%s.jit", real ? real : parent, name);
	free(real);
	free(parent);
	return o;
}

void jit_objects_free(struct jit_objects *o, bool failed)
{
	if (!o)
		return;
	vec_for_each(&o->written, path) {
		if (failed)
			unlink(*path);
		free(*path);
	}
	vec_for_each(&o->made, dir) {
		if (failed)
			rmdir(*dir);
		temporary_forget(*dir);
		free(*dir);
	}
	vec_release(&o->written);
	vec_release(&o->made);
	free(o->dir);
	free(o);
}

static int make_directory(struct jit_objects *o, const char *dir, struct reason *r)
{
	struct stat st;

	if (!mkdir(dir, 0777)) {
		temporary_note(dir, TEMPORARY_TREE);
		vec_push(&o->made, xstrdup(dir));
		return 0;
	}
	if (errno != EEXIST)
		return reason_errno(
			r, errno, "cannot make the directory '%s' for code made at run time", dir);
	if (lstat(dir, &st) || !S_ISDIR(st.st_mode))
		return reason_set(r, ENOTDIR,
				  "'%s' is not a directory, and code made at run time goes there",
				  dir);
	return 0;
}

/* Writes the object of a function unless that was done.  1: the jitdump file does not have it. */
static int write_object(struct rewriter *w, const struct jit_process *jp, u64 index,
			const char *dir, const char *path, struct reason *r)
{
	const u64 *place = map64_get(&jp->places, index);
	struct jitdump *d = place ? jitdump_again(jp->dump, *place) : NULL;
	struct jit_entry e;
	int err = 1;

	if (d && jitdump_next(d, &e, NULL) == 1 && e.kind == JIT_LOAD && e.index == index) {
		err = make_directory(w->s->objects, dir, r);
		if (!err && file_access(path, F_OK))
			vec_push(&w->s->objects->written, xstrdup(path));
		if (!err)
			err = jit_write_object(d, &e, path, r);
	}
	jitdump_close(d);
	return err;
}

static int put_function(struct rewriter *w, const struct jit_process *jp, u32 pid,
			const struct in_memory *f, u64 time, struct reason *r)
{
	char *dir =
		w->s->objects->dir ? xstrdup(w->s->objects->dir) : xasprintf("%s.jit", jp->path);
	char *path = xasprintf("%s/jitted-%u-%" PRIu64 ".so", dir, jitdump_pid(jp->dump), f->index);
	struct map_text t = {
		.pid = pid,
		.tid = pid,
		.start = f->addr,
		.len = f->end - f->addr,
		.pgoff = JIT_CODE_OFFSET,
		.prot = PROT_READ | PROT_EXEC,
		.flags = MAP_PRIVATE,
		.name = path,
	};
	struct stat st;
	int err = write_object(w, jp, f->index, dir, path, r);

	if (!err && !stat(path, &st)) {
		t.maj = major(st.st_dev);
		t.min = minor(st.st_dev);
		t.ino = st.st_ino;
		maps_put_at(w, &t, time);
	}
	free(path);
	free(dir);
	return MIN(err, 0);
}

/* ---- what is in memory ---- */

/* Returns the first function that ends above the address. */
static size_t first_above(const struct jit_process *jp, u64 addr)
{
	return lower_bound(i, 0, jp->now.count, jp->now.items[i].end <= addr);
}

void jit_make(struct jit_process *jp, const struct made *m)
{
	const struct in_memory f = { .addr = m->addr, .end = m->addr + m->size, .index = m->index };
	size_t from = first_above(jp, f.addr), to = from, tail;

	if (f.end <= f.addr)
		return;
	while (to < jp->now.count && jp->now.items[to].addr < f.end)
		to++;
	tail = jp->now.count - to;
	if (from == to)
		vec_push(&jp->now, f); /* room for one more */
	memmove(jp->now.items + from + 1, jp->now.items + to, tail * sizeof(f));
	jp->now.items[from] = f;
	jp->now.count = from + 1 + tail;
}

struct jit_process *jit_process_of(struct jit_pass *p, u32 pid)
{
	vec_for_each(&p->processes, it)
		if (it->pid == pid)
			return it;
	return NULL;
}

void jit_child_gone(struct jit_pass *p, u32 pid)
{
	vec_for_each(&p->children, c)
		if (c->pid == pid)
			c->pid = UINT32_MAX;
}

void jit_child_add(struct jit_pass *p, u32 parent, u32 pid)
{
	const struct jit_process *jp = jit_process_of(p, parent);
	struct jit_child child = { .pid = pid };

	jit_child_gone(p, pid);
	if (jp) {
		child.parent = (size_t)(jp - p->processes.items);
		vec_push(&p->children, child);
		return;
	}
	for (size_t i = 0; i < p->children.count; i++)
		if (p->children.items[i].pid == parent) {
			child.parent = p->children.items[i].parent;
			vec_push(&p->children, child);
			return;
		}
}

static struct jit_child *child_of(struct jit_pass *p, u32 pid)
{
	vec_for_each(&p->children, c)
		if (c->pid == pid)
			return c;
	return NULL;
}

/* The process that runs the code: its own, or a child with its parent's. */
struct user {
	struct jit_process *jp;
	struct jit_child *child; /* or NULL */
};

static bool find_user(struct jit_pass *p, u32 pid, struct user *u)
{
	u->child = NULL;
	u->jp = pid == UINT32_MAX ? NULL : jit_process_of(p, pid);
	if (!u->jp && pid != UINT32_MAX) {
		u->child = child_of(p, pid);
		u->jp = u->child ? &p->processes.items[u->child->parent] : NULL;
	}
	return u->jp && u->jp->now.count;
}

static int use_address(struct rewriter *w, const struct user *u, u64 addr, u64 time,
		       struct reason *r)
{
	size_t i = first_above(u->jp, addr);
	struct in_memory *f = &u->jp->now.items[i];

	if (i == u->jp->now.count || addr < f->addr)
		return 0;
	if (u->child) {
		bool added;

		map64_put(&u->child->used, hash_combine(f->addr, f->index), &added);
		return added ? put_function(w, u->jp, u->child->pid, f, time, r) : 0;
	}
	if (f->used)
		return 0;
	f->used = true;
	return put_function(w, u->jp, u->jp->pid, f, time, r);
}

int jit_use(struct rewriter *w, struct jit_process *jp, u64 addr, u64 time, struct reason *r)
{
	const struct user u = { .jp = jp };

	return jp->now.count ? use_address(w, &u, addr, time, r) : 0;
}

int jit_touch(struct rewriter *w, const struct session_sample *s, struct reason *r)
{
	const struct record *rec = s->record;
	struct user u;
	size_t step;
	int err = 0;

	if (!find_user(w->jit, s->sample->id.pid, &u))
		return 0;
	step = vec_last(&u.jp->now)->end > UINT32_MAX ? 8 : 4;
	for (size_t at = sizeof(struct record_header); !err && at + step <= rec->size; at += step) {
		u64 word = step == 8 ? load_u64(rec->data + at, w->in->swap)
				     : load_u32(rec->data + at, w->in->swap);

		if (word < u.jp->now.items[0].addr || word > vec_last(&u.jp->now)->end)
			continue;
		err = use_address(w, &u, word, s->key.time, r);
		/* a function may end with the call that this returns from */
		if (!err && word != s->sample->ip)
			err = use_address(w, &u, word - 1, s->key.time, r);
	}
	return err;
}
