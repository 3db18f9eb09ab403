// SPDX-License-Identifier: GPL-2.0-or-later
/* An instance of tracefs, or tracefs itself. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/privileges.h"
#include "builtin/ftrace/internal.h"
#include "sys/tracefs.h"

enum { INSTANCE_TRIES = 100 };

struct ftrace_place {
	char *dir;
	char *tracefs;
	bool instance;
	struct ftrace_guard guard;
	struct ftrace_ring main; /* tracefs's own, before anything was done */
	u64 usual_kb;            /* for each CPU, once a ring is in use */
	struct strlist written;  /* files whose old values the guard knows */
};

/* ---- open ---- */

static bool has_word(const char *text, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = text; n && (at = strstr(at, word)); at += n)
		if ((at == text || at[-1] == ' ') && strchr(" \n", at[n]))
			return true;
	return false;
}

static bool has_tracer(const char *dir, const char *tracer)
{
	struct strbuf b = STRBUF_INIT;
	bool has = !ftrace_file_read(dir, "available_tracers", &b) && has_word(b.s, tracer);

	strbuf_release(&b);
	return has;
}

static bool has_files(const struct ftrace_place *p, const char *const *files)
{
	while (*files && ftrace_place_has(p, *files))
		files++;
	return !*files;
}

static int make_instance(struct ftrace_place *p, struct reason *r)
{
	struct ftrace_ring ring;
	bool raised;
	int err;

	p->instance = true;
	p->dir = xasprintf("%s/instances/perf-%d", p->tracefs, (int)getpid());
	/*
	 * a process with our number in another namespace may have an instance: the guard must not
	 * get its name
	 */
	for (int i = 1; i < INSTANCE_TRIES && !file_access(p->dir, F_OK); i++) {
		free(p->dir);
		p->dir = xasprintf("%s/instances/perf-%d-%d", p->tracefs, (int)getpid(), i);
	}
	if (!file_access(p->dir, F_OK))
		return reason_set(r, EEXIST, "the instance '%s' already exists", p->dir);
	err = ftrace_guard_instance(&p->guard, p->dir, r);
	if (err)
		return err;
	raised = privileges_raise(p->dir);
	err = mkdir(p->dir, 0700) ? errno : 0;
	if (raised)
		privileges_lower();
	if (err)
		return reason_errno(r, err, "cannot make the instance '%s'", p->dir);
	if (!ftrace_ring_read(p->dir, &ring)) /* a new instance has a ring of the usual size */
		p->usual_kb = ring.usual_kb ? ring.usual_kb : ring.kb;
	return 0;
}

/*
 * Reports whether any event is enabled, except the one that the kernel enables for good with the
 * first BPF program that prints.
 */
static bool is_used(const struct strbuf *events)
{
	return events->len && strcmp(strbuf_cstr(events), "bpf_trace:bpf_trace_printk\n") != 0;
}

/* Refuses a place in use: no tracer may be set and no event enabled. */
static int check_idle(struct ftrace_place *p, struct reason *r)
{
	struct strbuf tracer = STRBUF_INIT, events = STRBUF_INIT;
	int err = 0;

	if (ftrace_file_read(p->dir, "current_tracer", &tracer) || strncmp(tracer.s, "nop", 3))
		err = reason_set(r, EBUSY, "the tracer of '%s' is in use", p->dir);
	else if (!ftrace_file_read(p->dir, "set_event", &events) && is_used(&events))
		err = reason_set(r, EBUSY, "events of '%s' are in use", p->dir);
	if (err)
		reason_hint(
			r, "this kernel cannot run that tracer in an instance of its own, and what "
			   "another "
			   "user traces is left alone");
	strbuf_release(&tracer);
	strbuf_release(&events);
	return err;
}

static int no_tracer(const char *dir, const char *tracer, struct reason *r)
{
	struct strbuf b = STRBUF_INIT;

	ftrace_file_read(dir, "available_tracers", &b);
	if (b.len)
		strbuf_truncate(&b, b.len - 1);
	reason_set(r, ENOENT, "this kernel has no tracer '%s', only: %s", tracer, strbuf_cstr(&b));
	if (!strncmp(tracer, "function", 8))
		reason_hint(r,
			    "it is built without CONFIG_%s_TRACER; 'perf ftrace latency -b' (with "
			    "kprobes) or -e measures by BPF",
			    strcmp(tracer, "function") ? "FUNCTION_GRAPH" : "FUNCTION");
	strbuf_release(&b);
	return -ENOENT;
}

static struct ftrace_place *new_place(const char *tracefs)
{
	struct ftrace_place *p = xcalloc(1, sizeof(*p));

	p->tracefs = xstrdup(tracefs);
	ftrace_ring_read(tracefs, &p->main);
	p->usual_kb = p->main.usual_kb;
	return p;
}

static int open_instance(struct ftrace_place *p, struct reason *r)
{
	int err = ftrace_guard_start(&p->guard, r);

	if (!err && p->main.usual_kb)
		err = ftrace_guard_ring(&p->guard, p->tracefs, p->main, r);
	return err ? err : make_instance(p, r);
}

/* Opens the main instance. The caller tries an instance first, which is in nobody's way. */
static int open_main(struct ftrace_place **p, struct reason *r)
{
	struct ftrace_place *tried = *p;
	int err;

	*p = new_place(tried->tracefs);
	(*p)->usual_kb = tried->usual_kb;
	ftrace_place_close(tried);
	(*p)->dir = xstrdup((*p)->tracefs);
	err = check_idle(*p, r);
	return err ? err : ftrace_guard_start(&(*p)->guard, r);
}

int ftrace_place_open(const char *tracer, const char *const *files, struct ftrace_place **out,
		      struct reason *r)
{
	struct ftrace_place *p = NULL;
	struct reason why = REASON_INIT;
	char *tracefs = tracefs_find(NULL, &why);
	int err = 0;

	if (!tracefs && why.err == EACCES) {
		err = reason_set(r, EACCES, "only root may use the kernel's tracers");
		reason_machine(r);
	} else if (!tracefs) {
		err = -ENOENT;
		reason_move(r, &why);
	}
	reason_release(&why);
	if (!err && !has_tracer(tracefs, tracer))
		err = no_tracer(tracefs, tracer, r);
	if (!err) {
		p = new_place(tracefs);
		err = open_instance(p, r);
	}
	if (!err && (!has_tracer(p->dir, tracer) || !has_files(p, files)))
		err = open_main(&p, r);
	free(tracefs);
	if (err) {
		ftrace_place_close(p);
		return err;
	}
	*out = p;
	return 0;
}

void ftrace_place_close(struct ftrace_place *p)
{
	if (!p)
		return;
	ftrace_guard_end(&p->guard);
	strlist_release(&p->written);
	free(p->dir);
	free(p->tracefs);
	free(p);
}

/* ---- use ---- */

bool ftrace_place_has(const struct ftrace_place *p, const char *file)
{
	char *path = xasprintf("%s/%s", p->dir, file);
	bool has = !file_access(path, F_OK);

	free(path);
	return has;
}

/* Keeps a file's old value so the guard can restore it. An empty filter reads as a comment. */
static int keep_old(struct ftrace_place *p, const char *file, struct reason *r)
{
	struct strbuf old = STRBUF_INIT, path = STRBUF_INIT;
	char *end;
	int err;

	if (p->instance || strlist_has(&p->written, file))
		return 0;
	strlist_add(&p->written, file);
	err = ftrace_file_read(p->dir, file, &old);
	if (err)
		err = reason_errno(r, -err, "cannot read '%s/%s'", p->dir, file);
	else if (old.len && *old.s == '#')
		strbuf_truncate(&old, 0);
	end = old.len ? strchr(old.s, '\n') : NULL;
	if (!err && end && end[1])
		err = reason_set(r, EBUSY, "'%s/%s' is in use", p->dir, file);
	if (end)
		strbuf_truncate(&old, (size_t)(end - old.s));
	strbuf_f(&path, "%s/%s", p->dir, file);
	if (!err)
		err = ftrace_guard_file(&p->guard, path.s, strbuf_cstr(&old), r);
	strbuf_release(&old);
	strbuf_release(&path);
	return err;
}

static int put(struct ftrace_place *p, const char *file, const char *value, int flags,
	       struct reason *r)
{
	int err = keep_old(p, file, r);

	if (err)
		return err;
	err = ftrace_file_write(p->dir, file, value, flags);
	return err ? reason_errno(r, -err, "cannot write '%s' into '%s/%s'", value, p->dir, file)
		   : 0;
}

int ftrace_place_write(struct ftrace_place *p, const char *file, const char *value,
		       struct reason *r)
{
	return put(p, file, value, O_TRUNC, r);
}

int ftrace_place_append(struct ftrace_place *p, const char *file, const char *value,
			struct reason *r)
{
	/* another user's setting there was not requested */
	return put(p, file, value,
		   p->instance || strlist_has(&p->written, file) ? O_APPEND : O_TRUNC, r);
}

int ftrace_place_read(const struct ftrace_place *p, const char *file, struct strbuf *b,
		      struct reason *r)
{
	int err = ftrace_file_read(p->dir, file, b);

	return err ? reason_errno(r, -err, "cannot read '%s/%s'", p->dir, file) : 0;
}

int ftrace_place_pipe(const struct ftrace_place *p, struct reason *r)
{
	char *path = xasprintf("%s/trace_pipe", p->dir);
	int fd = file_open_system(path, O_RDONLY | O_NONBLOCK);

	if (fd < 0)
		fd = reason_errno(r, errno, "cannot open '%s'", path);
	free(path);
	return fd;
}

/* ---- rings ---- */

static struct strlist ring_dirs(const struct ftrace_place *p)
{
	struct strlist dirs = { 0 };
	char *path = xasprintf("%s/per_cpu", p->dir);

	sys_list(NULL, &dirs, true, path);
	free(path);
	return dirs;
}

/* Keeps the sizes of rings, one by one where they differ. */
static int keep_rings(struct ftrace_place *p, struct ftrace_ring now, struct reason *r)
{
	char *path = xasprintf("%s/buffer_size_kb", p->dir), size[24];
	struct strlist dirs = { 0 };
	int err = 0;

	snprintf(size, sizeof(size), "%" PRIu64, now.usual_kb ? now.usual_kb : now.kb);
	if (now.kb && !p->instance)
		err = ftrace_guard_file(&p->guard, path, size, r);
	else if (!p->instance)
		dirs = ring_dirs(p);
	free(path);
	vec_for_each(&dirs.list, dir) {
		char *file = xasprintf("per_cpu/%s/buffer_size_kb", *dir);

		err = err ? err : keep_old(p, file, r);
		free(file);
	}
	strlist_release(&dirs);
	return err;
}

int ftrace_place_set_ring(struct ftrace_place *p, u64 kb, struct reason *r)
{
	struct ftrace_ring now;
	u64 wanted;
	char size[24];
	int err = ftrace_ring_read(p->dir, &now);

	if (err)
		return reason_errno(r, -err, "cannot read '%s/buffer_size_kb'", p->dir);
	wanted = kb ? kb : now.kb ? MAX(now.kb, p->usual_kb) : 0;
	if (!wanted || (wanted == now.kb && !now.usual_kb))
		return 0;
	err = keep_rings(p, now, r);
	if (err)
		return err;
	snprintf(size, sizeof(size), "%" PRIu64, wanted);
	err = ftrace_file_write(p->dir, "buffer_size_kb", size, O_TRUNC);
	return err ? reason_errno(r, -err, "cannot give the rings of '%s' %s KB each", p->dir, size)
		   : 0;
}

void ftrace_place_mend_main(const struct ftrace_place *p)
{
	if (p->instance)
		ftrace_ring_mend(p->tracefs, p->main);
}

/* Returns the number of a line "NAME: N" in a ring's statistics; 0 if there is no such line. */
static u64 number_of(const char *stats, const char *name)
{
	const char *at = strstr(stats, name);

	return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

u64 ftrace_place_lost(const struct ftrace_place *p)
{
	struct strlist dirs = ring_dirs(p);
	u64 lost = 0;

	vec_for_each(&dirs.list, dir) {
		struct strbuf b = STRBUF_INIT;
		char *file = xasprintf("per_cpu/%s/stats", *dir);

		if (!ftrace_file_read(p->dir, file, &b))
			lost += number_of(b.s, "\noverrun: ") +
				number_of(b.s, "\ndropped events: ");
		strbuf_release(&b);
		free(file);
	}
	strlist_release(&dirs);
	return lost;
}
