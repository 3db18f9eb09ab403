// SPDX-License-Identifier: GPL-2.0-or-later
/* A prober: its files, and the names that are taken. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/context.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "object/buildid.h"
#include "object/cache.h"
#include "object/elf.h"
#include "probe/places.h"
#include "probe/functions.h"
#include "probe/internal.h"
#include "probe/tracefs.h"
#include "sys/sys.h"

struct prober *prober_new(struct context *ctx, const struct probe_settings *settings)
{
	struct prober *p = xcalloc(1, sizeof(*p));

	p->ctx = ctx;
	p->s = *settings;
	p->s.symfs = settings->symfs ? settings->symfs : "";
	p->s.buildid_dir = settings->buildid_dir ? settings->buildid_dir : "";
	p->s.max_probes = settings->max_probes ? settings->max_probes : 128;
	p->search = (struct object_search){ .symfs = p->s.symfs,
					    .buildid_dir = p->s.buildid_dir,
					    .servers = p->s.servers };
	return p;
}

static void forget_target(struct prober *p)
{
	debuginfo_close(p->debug);
	p->debug = NULL;
	free(p->target.name);
	p->target = (struct probe_target){ PROBE_KERNEL, NULL };
	reason_release(&p->no_debug);
	p->no_debug = (struct reason)REASON_INIT;
	p->kernel_base = 0;
}

void prober_free(struct prober *p)
{
	if (!p)
		return;
	forget_target(p);
	probe_tracefs_close(p->tracefs);
	strmap_release(&p->taken);
	strmap_release(&p->places);
	free(p);
}

int prober_tracefs(struct prober *p, struct probe_tracefs **out, struct reason *r)
{
	int err = p->tracefs ? 0 : probe_tracefs_open(p->s.sys, &p->tracefs, r);

	*out = p->tracefs;
	return err;
}

/* Notes where the event is and returns whether none was there before. */
static bool note_place(struct prober *p, const struct probe_event *e)
{
	char *key = xasprintf("%d %llx %s", e->is_return, (unsigned long long)e->offset, e->path);
	bool added;

	strmap_put(&p->places, key, &added);
	free(key);
	return added;
}

/*
 * Reads the names that are taken. Without a readable tracefs, none are; adding will report what is
 * wrong with it.
 */
static void read_taken(struct prober *p)
{
	struct probe_events now = { VEC_INIT };
	struct probe_tracefs *t;

	if (p->taken_read || p->s.offline)
		return;
	p->taken_read = true;
	if (prober_tracefs(p, &t, NULL) || probe_tracefs_list(t, &now, NULL))
		return;
	vec_for_each(&now.list, e) {
		char *full = xasprintf("%s:%s", e->group, e->event);
		bool added;

		strmap_put(&p->taken, full, &added);
		free(full);
		if (e->path)
			note_place(p, e);
	}
	probe_events_release(&now);
}

int prober_name(struct prober *p, const char *base, bool suffix, bool shared, struct probe_event *e,
		struct reason *r)
{
	char *name = NULL;
	int err;

	read_taken(p);
	if (e->path)
		suffix |= note_place(p, e) && shared;
	err = probe_event_take_name(&p->taken, e->group, base, suffix || p->s.force || p->s.offline,
				    &name, r);
	if (err)
		return err;
	free(e->event);
	e->event = name;
	return 0;
}

/*
 * Returns "/proc/PID/root" when that process sees other mounts than we do, else "". The caller
 * frees it.
 */
static char *namespace_root(s32 pid)
{
	char *theirs = xasprintf("/proc/%d/ns/mnt", pid), *root;
	struct stat a, b;
	bool differ = pid && !stat(theirs, &a) && !stat("/proc/self/ns/mnt", &b) &&
		      (a.st_ino != b.st_ino || a.st_dev != b.st_dev);

	root = differ ? xasprintf("/proc/%d/root", pid) : xstrdup("");
	free(theirs);
	return root;
}

/*
 * Searches PATH for a program whose name has no '/'. Returns its path, which the caller frees, or
 * NULL.
 */
static char *search_path(const char *name)
{
	struct strlist dirs = { VEC_INIT };
	const char *path = getenv("PATH");
	char *found = NULL;

	if (strchr(name, '/') || !path)
		return NULL;
	strlist_split(&dirs, path, ":");
	vec_for_each(&dirs.list, dir) {
		found = xasprintf("%s/%s", *dir, name);
		if (!file_access(found, R_OK))
			break;
		free(found);
		found = NULL;
	}
	strlist_release(&dirs);
	return found;
}

static char *absolute_path(const char *name)
{
	char *found = file_access(name, F_OK) ? search_path(name) : NULL;
	char *full;

	/* The way into another mount namespace must stay as it is. */
	full = str_starts(name, "/proc/") && strstr(name, "/root/")
		       ? xstrdup(name)
		       : realpath(found ? found : name, NULL);

	free(found);
	return full;
}

/* Most symbolic links of one path, as in the kernel. */
#define MOST_LINKS 40

/* Steps back over the last name of a path below root. */
static void leave_directory(struct strbuf *b, size_t root)
{
	while (b->len > root && b->s[b->len - 1] != '/')
		strbuf_truncate(b, b->len - 1);
	if (b->len > root)
		strbuf_truncate(b, b->len - 1);
}

/*
 * Returns the path below another root with its symbolic links followed there: an absolute one
 * begins at that root, not at ours. The caller frees it.
 */
static char *path_below(const char *root, const char *path)
{
	char *left = xstrdup(path), target[PATH_MAX];
	size_t root_len = strlen(root);
	struct strbuf b = STRBUF_INIT;
	unsigned links = 0;

	strbuf_str(&b, root);
	while (*left) {
		size_t skip = strspn(left, "/"), n = strcspn(left + skip, "/");
		char *name = xstrndup(left + skip, n), *rest = xstrdup(left + skip + n);
		ssize_t size = -1;

		free(left);
		left = rest;
		if (!strcmp(name, "..")) {
			leave_directory(&b, root_len);
		} else if (n && strcmp(name, ".")) {
			strbuf_f(&b, "/%s", name);
			size = links < MOST_LINKS ? readlink(b.s, target, sizeof(target) - 1) : -1;
		}
		free(name);
		if (size > 0) {
			target[size] = '\0';
			links++;
			if (*target == '/')
				strbuf_truncate(&b, root_len);
			else
				leave_directory(&b, root_len);
			left = xasprintf("%s%s", target, rest);
			free(rest);
		}
	}
	free(left);
	return strbuf_detach(&b);
}

int prober_user_paths(const struct prober *p, const char *name, char **told, char **read,
		      struct reason *r)
{
	char *root;
	struct stat st;

	if (p->s.ns_pid && !sys_exists(NULL, "/proc/%d", p->s.ns_pid))
		return reason_set(r, ESRCH, "--target-ns: there is no process %d", p->s.ns_pid);
	root = namespace_root(p->s.ns_pid);

	if (*root)
		*told = path_below(root, name);
	else
		*told = *p->s.symfs && *name == '/' ? xstrdup(name) : absolute_path(name);
	free(root);
	if (!*told)
		return reason_errno(r, errno, "cannot probe '%s'", name);
	*read = *p->s.symfs ? xasprintf("%s%s", p->s.symfs, *told) : xstrdup(*told);
	if (!stat(*read, &st) && !S_ISDIR(st.st_mode) && !strpbrk(*told, " \t\n"))
		return 0;
	if (strpbrk(*told, " \t\n")) {
		reason_set(r, EINVAL,
			   "cannot probe '%s': the kernel does not accept a path with spaces",
			   *told);
		reason_hint(r, "use a link without spaces: ln '%s' /tmp/program", *told);
	} else {
		reason_errno(r, S_ISDIR(st.st_mode) ? EISDIR : ENOENT, "cannot probe '%s'", *read);
	}
	free(*told);
	free(*read);
	return -EINVAL;
}

char *prober_module_name(const char *name)
{
	const char *base = path_base(name), *dot = strstr(base, ".ko");
	char *plain = dot ? xstrndup(base, (size_t)(dot - base)) : xstrdup(base);

	for (char *s = plain; *s; s++)
		if (*s == '-')
			*s = '_';
	return plain;
}

static const char *const kernel_patterns[] = {
	"/boot/vmlinux-%s",
	"/usr/lib/debug/boot/vmlinux-%s",
	"/usr/lib/debug/boot/vmlinux-%s.debug",
	"/lib/modules/%s/build/vmlinux",
	"/usr/lib/debug/lib/modules/%s/vmlinux",
	"/usr/lib/debug/lib/modules/%s/vmlinux.debug",
};

/* Adds a hint if the kernel has no kprobes: then its debug information does not help. */
static bool hint_no_kprobes(struct prober *p, struct reason *r)
{
	const struct probe_event kernel = { NULL };
	struct probe_tracefs *t;

	if (prober_tracefs(p, &t, NULL) || !probe_tracefs_check(t, &kernel, 1, NULL))
		return false;
	reason_hint(
		r, "this kernel has no kernel probes (CONFIG_KPROBE_EVENTS); for another one, name "
		   "its "
		   "vmlinux with -k");
	return true;
}

/* Opens the debug information of the running kernel, found by path, then by build ID. */
static int open_kernel(struct prober *p, struct reason *r)
{
	struct build_id id = { 0 };
	struct utsname u;
	char *path;

	if (p->s.vmlinux) {
		bool check = !p->s.offline && !build_id_of_kernel(NULL, &id, NULL);
		int err =
			debuginfo_open(&p->search, p->s.vmlinux, check ? &id : NULL, &p->debug, r);

		if (err == -ESTALE)
			reason_hint(
				r,
				"for a kernel that does not run here: -D, -V, -L and -F take its "
				"file");
		return err;
	}
	uname(&u);
	if (build_id_of_kernel(NULL, &id, NULL))
		id.size = 0;
	for (size_t i = 0; i < ARRAY_SIZE(kernel_patterns); i++) {
		struct strbuf b = STRBUF_INIT;
		const char *mark = strstr(kernel_patterns[i], "%s");
		bool opened;

		strbuf_f(&b, "%s%.*s%s%s", p->s.symfs, (int)(mark - kernel_patterns[i]),
			 kernel_patterns[i], u.release, mark + 2);
		opened = !file_access(b.s, R_OK) &&
			 !debuginfo_open(&p->search, b.s, id.size ? &id : NULL, &p->debug, NULL);
		strbuf_release(&b);
		if (opened)
			return 0;
	}
	path = id.size ? cache_find(p->s.buildid_dir, &id, "debug") : NULL;
	if (!path && id.size)
		path = debug_dir_find(p->s.symfs, &id);
	if (path && !debuginfo_open(&p->search, path, &id, &p->debug, NULL)) {
		free(path);
		return 0;
	}
	free(path);
	reason_set(r, ENODATA, "the running kernel's file has no debug information (%s)",
		   u.release);
	if (!hint_no_kprobes(p, r))
		reason_hint(
			r,
			"install it (Debian: linux-image-%s-dbg, Fedora: kernel-debuginfo), or "
			"name a "
			"vmlinux with -k; function entries, %%return and registers work without",
			u.release);
	return -ENODATA;
}

/* Returns the path of a module's file, found in modules.dep, or NULL. The caller frees it. */
static char *find_module(const struct prober *p, const char *name)
{
	struct strbuf b = STRBUF_INIT;
	char *dep, *rest, *line, *found = NULL;
	struct utsname u;

	uname(&u);
	dep = xasprintf("%s/lib/modules/%s/modules.dep", p->s.symfs, u.release);
	sys_read(NULL, &b, dep);
	for (rest = b.s; !found && rest && (line = strsep(&rest, "\n"));) {
		char *plain;

		line[strcspn(line, ":")] = '\0';
		plain = prober_module_name(line);
		if (*line && !strcmp(plain, name))
			found = xasprintf("%s/lib/modules/%s/%s", p->s.symfs, u.release, line);
		free(plain);
	}
	strbuf_release(&b);
	free(dep);
	return found;
}

static int open_module(struct prober *p, const char *name, struct reason *r)
{
	char *plain, *path;
	int err;

	if (strchr(name, '/') || str_ends(name, ".ko"))
		return debuginfo_open(&p->search, name, NULL, &p->debug, r);
	plain = prober_module_name(name);
	path = find_module(p, plain);
	err = path ? debuginfo_open(&p->search, path, NULL, &p->debug, r)
		   : reason_set(r, ENODATA, "no file of module '%s' was found", name);
	if (err == -ENODATA && !hint_no_kprobes(p, r))
		reason_hint(
			r, "install the kernel's debug package, or give the path of the .ko to -m");
	free(plain);
	free(path);
	return err;
}

static int open_user(struct prober *p, const char *name, struct reason *r)
{
	char *told, *read;
	int err = prober_user_paths(p, name, &told, &read, r);

	if (err)
		return err;
	err = debuginfo_open(&p->search, read, NULL, &p->debug, r);
	free(told);
	free(read);
	return err;
}

static bool same_target(const struct probe_target *a, const struct probe_target *b)
{
	return a->kind == b->kind && !strcmp(a->name ? a->name : "", b->name ? b->name : "");
}

static int open_target(struct prober *p, const struct probe_target *t, struct reason *r)
{
	switch (t->kind) {
	case PROBE_KERNEL:
		return open_kernel(p, r);
	case PROBE_MODULE:
		return open_module(p, t->name, r);
	default:
		return open_user(p, t->name, r);
	}
}

int prober_debuginfo(struct prober *p, const struct probe_target *target, struct debuginfo **out,
		     struct reason *r)
{
	bool fresh = !p->debug && !p->no_debug.err;

	if (fresh || !same_target(&p->target, target)) {
		forget_target(p);
		p->target.kind = target->kind;
		p->target.name = target->name ? xstrdup(target->name) : NULL;
		if (open_target(p, target, &p->no_debug) && !p->no_debug.err)
			p->no_debug.err = ENODATA;
	}
	*out = p->debug;
	if (p->debug)
		return 0;
	reason_set(r, p->no_debug.err, "%s",
		   p->no_debug.text ? p->no_debug.text : "no debug information");
	if (p->no_debug.hint)
		reason_hint(r, "%s", p->no_debug.hint);
	return -p->no_debug.err;
}

/* Finds functions of the kernel, which knows modules only while they are loaded. */
static int kernel_functions(struct prober *p, const struct probe_target *target,
			    const char *pattern, struct probe_functions *out, struct reason *r)
{
	const char *module = target->kind == PROBE_KERNEL ? "" : target->name;
	int err = probe_kernel_functions(p->s.sys, module, pattern, p->s.demangle_kernel, out, r);
	char *plain;

	if (err != -ENOENT || !*module)
		return err;
	plain = prober_module_name(module);
	if (!sys_exists(p->s.sys, "/sys/module/%s", plain)) {
		reason_set(r, ENOENT, "module '%s' is not loaded", module);
		reason_hint(r, "modprobe %s; or give the path of its .ko file to -m", module);
	}
	free(plain);
	return err;
}

int prober_functions(struct prober *p, const struct probe_target *target, const char *pattern,
		     struct probe_functions *out, struct reason *r)
{
	const char *file = NULL;
	char *told, *read;
	int err;

	if (target->kind == PROBE_KERNEL && p->s.vmlinux)
		file = p->s.vmlinux;
	else if (target->kind == PROBE_MODULE && strchr(target->name, '/'))
		file = target->name;
	if (file)
		return probe_user_functions(&p->search, file, pattern, p->s.demangle_kernel, out,
					    r);
	if (target->kind != PROBE_USER)
		return kernel_functions(p, target, pattern, out, r);
	err = prober_user_paths(p, target->name, &told, &read, r);
	if (err)
		return err;
	err = probe_user_functions(&p->search, read, pattern, !p->s.no_demangle, out, r);
	free(told);
	free(read);
	return err;
}

/*
 * Reports whether the running kernel has a symbol that it would be given: not every arm64 kernel
 * shows _text.
 */
static bool runs_with(const struct prober *p, const char *symbol)
{
	struct probe_functions f = { VEC_INIT };
	bool found = !probe_kernel_functions(p->s.sys, "", symbol, false, &f, NULL);

	probe_functions_release(&f);
	return found;
}

int prober_kernel_base(struct prober *p, struct reason *r)
{
	static const char *const names[] = { "_text", "_stext" };
	struct elf *e;
	int err;

	if (p->kernel_base)
		return 0;
	err = elf_open(debuginfo_path(p->debug), &e, r);
	if (err)
		return err;
	for (size_t i = 0; i < ARRAY_SIZE(names) && !p->kernel_base; i++) {
		if (!p->s.offline && i + 1 < ARRAY_SIZE(names) && !runs_with(p, names[i]))
			continue;
		p->kernel_base = probe_elf_symbol(e, names[i]);
		p->kernel_base_name = names[i];
	}
	elf_close(e);
	return p->kernel_base
		       ? 0
		       : reason_set(r, ENOENT, "'%s' has no symbol _text, so it is not a kernel",
				    debuginfo_path(p->debug));
}
