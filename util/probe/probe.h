/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Front door: from a definition to the events that the kernel takes, and back.
 *
 * What it is: a prober knows one machine's tracefs and where to look for debug information and
 * symbols, and keeps the files of the last target open. A definition becomes one or more events
 * (instances, matches of a glob). Nothing changes in the kernel until they are given to
 * probe_tracefs_add().
 * Order of knowledge: debug information when it is there, else symbol tables. What needs debug
 * information (lines, variables) is then refused with a hint at what would help.
 * Threads: one at a time per prober.
 * Errors: -errno and a reason. Survived degradations go to the context's conditions.
 * Life: prober_new allocates, prober_free frees.
 */
#ifndef PROBE_PROBE_H
#define PROBE_PROBE_H

#include "probe/definition.h"
#include "probe/event.h"

struct context;
struct debug_servers;
struct debuginfo;
struct probe_functions;
struct probe_tracefs;
struct prober;
struct sys;

struct probe_settings {
	const struct sys *sys;         /* NULL: this host */
	const char *vmlinux;           /* file to use for the kernel, or NULL: searched for */
	const char *source;            /* where source files are, or NULL */
	const char *symfs;             /* prefix of all files that are read, "" = none */
	const char *buildid_dir;       /* "" = none */
	struct debug_servers *servers; /* used to fetch missing files; NULL: none */
	bool no_demangle;              /* names of programs as they are linked */
	bool demangle_kernel;
	bool no_inlines;
	bool force; /* add further events of a name: NAME_1 ... */
	/* only worked out, for any machine: neither tracefs nor kallsyms is asked */
	bool offline;
	unsigned max_probes; /* most events of one definition; 0: 128 */
	unsigned maxactive;  /* for kernel return probes; 0: the kernel chooses */
	s32 ns_pid;          /* paths are seen as this process sees them; 0: as perf does */
};

struct prober *prober_new(struct context *ctx, const struct probe_settings *settings);
void prober_free(struct prober *p);

/* Opens tracefs on first use; the prober owns it. */
int prober_tracefs(struct prober *p, struct probe_tracefs **out, struct reason *r) MUST_CHECK;
/*
 * Appends the events of d, named so that they clash neither with the kernel's nor with those of
 * earlier calls.
 */
int prober_resolve(struct prober *p, const struct probe_definition *d, struct probe_events *out,
		   struct reason *r) MUST_CHECK;

/*
 * Returns in *out the debug information of a target. The prober owns it, until another target is
 * requested.
 */
int prober_debuginfo(struct prober *p, const struct probe_target *target, struct debuginfo **out,
		     struct reason *r) MUST_CHECK;
/* Finds the target's functions by symbol tables; all if pattern is NULL. */
int prober_functions(struct prober *p, const struct probe_target *target, const char *pattern,
		     struct probe_functions *out, struct reason *r) MUST_CHECK;

/*
 * Adds the place of an event that the kernel listed: "work:3@src/t.c in /tmp/t with n str", or
 * "work+4 in ..." without debug information.
 */
void prober_describe(struct prober *p, const struct probe_event *e, struct strbuf *b);

/*
 * Names in the build-id cache: definitions that were added with --cache, and SDT markers.
 * The file is "probes" beside the copy of the object:
 *	%sdt_PROVIDER:NAME=NAME		or	#GROUP:EVENT=DEFINITION
 *	p:GROUP/EVENT PATH:0xOFFSET ...	(one line for each place)
 */
/* Indexes the SDT markers of a file. Returns how many, 0 when it has none, or -errno. */
int probe_cache_index(const char *buildid_dir, const char *path, struct reason *r);
/* The path that stands for the kernel. */
#define PROBE_CACHE_KERNEL "[kernel.kallsyms]"
/*
 * Adds the events of a definition (text, without its target) to the cache; path NULL means the
 * kernel.
 */
int probe_cache_add(const char *buildid_dir, const char *path, const char *definition,
		    const struct probe_events *events, struct reason *r);

struct probe_cache_entry {
	const char *path;     /* the path of the object */
	const char *build_id; /* hex */
	const char *group, *event;
	const char *definition; /* what follows '=' */
	bool sdt;
	const struct probe_events *events;
};
/* Calls fn for each entry. A non-zero result ends the walk and is returned. */
int probe_cache_each(const char *buildid_dir,
		     int (*fn)(void *arg, const struct probe_cache_entry *e), void *arg,
		     struct reason *r);
/*
 * Removes entries whose "GROUP:EVENT" matches globs. Returns how many, or -errno. gone receives
 * each name, or is NULL.
 */
int probe_cache_remove(const char *buildid_dir, const char *pattern, struct strlist *gone,
		       struct reason *r);

#endif
