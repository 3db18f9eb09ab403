// SPDX-License-Identifier: GPL-2.0-or-later
/* The user's BPF programs: compiled, opened, turned into events and attached. */
#include "record/programs.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/file.h"
#include "base/temporary.h"
#include "base/text.h"
#include "bpf/bpf.h"
#include "event/parse.h"
#include "live/live.h"
#include "probe/session.h"
#include "sys/sys.h"

#define IOC_SET_BPF _IOW('$', 8, u32)

/* ---- from C to an object ---- */

static int run_clang(const char *const *argv, const char *path, struct reason *r)
{
	int status = 0, err;
	pid_t pid;

	err = spawn_bound((char *const *)argv, NULL, NULL, &pid);
	if (err) {
		reason_errno(r, err, "cannot run '%s' to compile '%s'", argv[0], path);
		reason_hint(r, "--clang-path names another compiler (apt-get install clang)");
		return -err;
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return reason_errno(r, errno, "waiting for '%s'", argv[0]);
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	reason_set(r, EINVAL, "'%s' could not compile '%s'", argv[0], path);
	reason_hint(r, "its messages are above; --clang-opt gives it more options");
	return -EINVAL;
}

/*
 * Adds the macro that libbpf's headers check, and the directory where Debian keeps the kernel's
 * headers.
 */
static void host_options(struct strlist *words)
{
	static const struct {
		const char *machine, *target;
	} known[] = {
		{ "x86_64", "x86" }, { "aarch64", "arm64" }, { "ppc64le", "powerpc" },
		{ "s390x", "s390" }, { "riscv64", "riscv" }, { "armv7l", "arm" },
	};
	struct utsname host;

	if (uname(&host))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(host.machine, known[i].machine))
			vec_push(&words->list, xasprintf("-D__TARGET_ARCH_%s", known[i].target));
	vec_push(&words->list, xstrdup("-idirafter"));
	vec_push(&words->list, xasprintf("/usr/include/%s-linux-gnu", host.machine));
}

static int compile(const struct record_programs *p, const char *source, const char *object,
		   struct reason *r)
{
	struct strlist words = { VEC_INIT };
	const char **argv;
	size_t n = 0;
	int err;

	strlist_split(&words, p->clang_path ? p->clang_path : "clang", "\n");
	strlist_split(&words, "-target bpf -mcpu=v3 -O2 -g", " ");
	host_options(&words);
	strlist_split(&words, p->clang_options ? p->clang_options : "", " ");
	vec_push(&words.list, xstrdup("-c"));
	vec_push(&words.list, xstrdup(source));
	vec_push(&words.list, xstrdup("-o"));
	vec_push(&words.list, xstrdup(object));
	argv = xcalloc(words.list.count + 1, sizeof(*argv));
	vec_for_each(&words.list, it)
		argv[n++] = *it;
	err = run_clang(argv, source, r);
	free(argv);
	strlist_release(&words);
	return err;
}

static struct bpf_run *open_source(const struct record_programs *p, const char *path,
				   struct reason *r)
{
	const char *dir = getenv("TMPDIR");
	char *object = xasprintf("%s/perf-bpf-XXXXXX.o", dir && *dir ? dir : "/tmp");
	int fd = mkstemps(object, 2); /* replace-ok: in TMPDIR */
	struct bpf_run *run = NULL;

	if (fd < 0) {
		reason_errno(r, errno, "cannot make a file for the object of '%s'", path);
	} else {
		close(fd);
		temporary_note(object, TEMPORARY_FILE);
		if (!compile(p, path, object, r))
			run = bpf_run_open_file(object, path, r);
		unlink(object);
		temporary_forget(object);
	}
	free(object);
	return run;
}

/* ---- from sections to events ---- */

static const char *after(const char *text, const char *prefix)
{
	return str_starts(text, prefix) ? text + strlen(prefix) : NULL;
}

static int add_tracepoint(struct event_set *set, const char *name, struct reason *r)
{
	const struct event_parser parser = { .command = "record" };

	return event_parse(&parser, set, name, r);
}

/* Adds a probe at FUNCTION, or at FILE:FUNCTION of a program. */
static int add_probe(struct record_programs *p, struct event_set *set, const char *text, bool ret,
		     bool user, struct reason *r)
{
	const char *colon = user ? strrchr(text, ':') : NULL;
	char *definition = colon ? xasprintf("%.*s %s%s", (int)(colon - text), text, colon + 1,
					     ret ? "%return" : "")
				 : xasprintf("%s%s", text, ret ? "%return" : "");
	int err = user && !colon ? reason_set(r, EINVAL, "'%s' is not FILE:FUNCTION", text)
				 : session_probe_add(p->probes, set, definition, r);

	free(definition);
	return err;
}

static int add_section(struct record_programs *p, struct event_set *set, const char *section,
		       u32 *type, struct reason *r)
{
	const char *tracepoint = after(section, "tracepoint/"), *at;
	char *name, *slash;
	int err;

	*type = BPF_PROG_TYPE_TRACEPOINT;
	tracepoint = tracepoint ? tracepoint : after(section, "tp/");
	if (tracepoint || (strchr(section, ':') && !strchr(section, '/'))) {
		name = xstrdup(tracepoint ? tracepoint : section);
		slash = tracepoint ? strchr(name, '/') : NULL;
		if (slash)
			*slash = ':';
		err = add_tracepoint(set, name, r);
		free(name);
		return err;
	}
	*type = BPF_PROG_TYPE_KPROBE;
	if ((at = after(section, "kprobe/")))
		return add_probe(p, set, at, false, false, r);
	if ((at = after(section, "kretprobe/")))
		return add_probe(p, set, at, true, false, r);
	if ((at = after(section, "uprobe/")))
		return add_probe(p, set, at, false, true, r);
	if ((at = after(section, "uretprobe/")))
		return add_probe(p, set, at, true, true, r);
	reason_set(r, EINVAL, "its section '%s' names no event", section);
	reason_hint(r, "tracepoint/SYSTEM/NAME, kprobe/FUNCTION, uprobe/FILE:FUNCTION ...: see "
		       "perf-record(1)");
	return -EINVAL;
}

static int add_program(struct record_programs *p, struct bpf_run *run, struct event_set *set,
		       size_t i, struct reason *r)
{
	const char *name = bpf_run_program_name(run, i);
	u32 event = (u32)set->list.count, type;
	int err = add_section(p, set, bpf_run_program_section(run, i), &type, r);

	if (!err && set->list.count != event + 1)
		err = reason_set(r, EINVAL, "its section names %zu events",
				 set->list.count - event);
	if (!err)
		err = bpf_run_set_type(run, name, type);
	if (err) {
		reason_prefix(r, "BPF program '%s'", name);
		return err;
	}
	vec_push(&p->list, (struct record_program){
				   .run = run, .name = xstrdup(name), .event = event, .fd = -1 });
	return 0;
}

/*
 * Adds the event to which a map's samples are written on the program's CPU; children do not inherit
 * it.
 */
static int add_output(struct record_programs *p, struct bpf_run *run, struct event_set *set,
		      const char *map, struct reason *r)
{
	char *text = xasprintf("bpf-output/no-inherit,name=%s/", map);
	u32 event = (u32)set->list.count;
	int err = add_tracepoint(set, text, r);

	free(text);
	if (!err)
		vec_push(&p->list, (struct record_program){ .run = run,
							    .name = xstrdup(map),
							    .event = event,
							    .is_map = true,
							    .fd = -1 });
	return err;
}

int record_program_add(void *arg, struct event_set *set, const char *path, struct reason *r)
{
	struct record_programs *p = arg;
	size_t length = strlen(path);
	bool source = length > 2 && !strcmp(path + length - 2, ".c");
	struct bpf_run *run;
	const char *map;
	u32 type;
	int err = bpf_usable(path, r);

	if (err)
		return err;
	if (file_access(path, R_OK))
		return reason_errno(r, errno, "cannot read the BPF program '%s'", path);
	run = source ? open_source(p, path, r) : bpf_run_open_file(path, path, r);
	if (!run)
		return -EINVAL;
	vec_push(&p->runs, run);
	for (size_t i = 0; !err && bpf_run_program_name(run, i); i++)
		err = add_program(p, run, set, i, r);
	for (size_t i = 0; !err && (map = bpf_run_map_name(run, i, &type)); i++)
		if (type == BPF_MAP_TYPE_PERF_EVENT_ARRAY)
			err = add_output(p, run, set, map, r);
	if (!err && !bpf_run_program_name(run, 0))
		err = reason_set(r, EINVAL, "'%s' holds no BPF program", path);
	return err;
}

/* ---- attached ---- */

static int set_program(struct record_program *one, const struct event *ev, int fd, struct reason *r)
{
	if (!ioctl(fd, IOC_SET_BPF, bpf_run_program(one->run, one->name)))
		return 0;
	return reason_errno(r, errno, "cannot attach the BPF program '%s' to '%s'", one->name,
			    ev->name);
}

static int first_fd(const struct event *ev, const struct live *live)
{
	for (size_t c = 0; c < live_cpu_count(live); c++)
		for (size_t t = 0; t < live_thread_count(live); t++)
			if (live_event_fd(live, ev, c, t) >= 0)
				return live_event_fd(live, ev, c, t);
	return -1;
}

/*
 * Attaches a program, which is called for every hit of its tracepoint, through whichever event it
 * was attached. It gets its own event, since the end of an inherited one would detach it from all.
 */
static int attach_program(struct record_program *one, const struct event *ev,
			  const struct live *live, struct reason *r)
{
	struct perf_event_attr attr = ev->attr;
	int fd = first_fd(ev, live);

	if (!event_is_tracepoint(ev))
		return fd < 0 ? 0 : set_program(one, ev, fd, r);
	attr.flags = (attr.flags & ~(ATTR_INHERIT | ATTR_ENABLE_ON_EXEC)) | ATTR_DISABLED;
	one->fd = sys_perf_event_open(&attr, -1, 0, -1, 0);
	if (one->fd < 0)
		return reason_errno(r, -one->fd, "cannot open '%s' for the BPF program '%s'",
				    ev->name, one->name);
	return set_program(one, ev, one->fd, r);
}

static int attach_output(const struct record_program *one, const struct event *ev,
			 const struct live *live, struct reason *r)
{
	int map = bpf_run_map(one->run, one->name), err = 0;

	for (size_t c = 0; !err && c < live_cpu_count(live); c++) {
		u32 cpu = (u32)live_cpu(live, c), fd = (u32)live_event_fd(live, ev, c, 0);

		if ((int)fd >= 0)
			err = bpf_map_write(map, &cpu, &fd);
	}
	if (err == -E2BIG)
		return reason_set(r, E2BIG, "the map '%s' has fewer entries than there are CPUs",
				  one->name);
	return err ? reason_errno(r, -err, "cannot connect the map '%s' to its event", one->name)
		   : 0;
}

int record_programs_open(const struct context *ctx, struct record_programs *p,
			 const struct event_set *set, const struct live *live, struct reason *r)
{
	int err = 0;

	vec_for_each(&p->runs, it)
		if (!err)
			err = bpf_run_load(ctx, *it, r);
	/* outputs first: a program may write as soon as it is attached */
	for (int maps = 1; maps >= 0; maps--)
		vec_for_each(&p->list, it) {
			const struct event *ev = set->list.items[it->event];

			if (!err && it->is_map == (bool)maps)
				err = maps ? attach_output(it, ev, live, r)
					   : attach_program(it, ev, live, r);
		}
	return err;
}

void record_programs_say_missed(struct context *ctx, const struct record_programs *p)
{
	vec_for_each(&p->runs, it)
		bpf_run_say_missed(ctx, *it);
}

void record_programs_release(struct record_programs *p)
{
	vec_for_each(&p->list, it) {
		if (it->fd >= 0)
			close(it->fd);
		free(it->name);
	}
	vec_release(&p->list);
	vec_for_each(&p->runs, it)
		bpf_run_close(*it);
	vec_release(&p->runs);
}
