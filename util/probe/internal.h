/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of this component and its unit tests. */
#ifndef PROBE_INTERNAL_H
#define PROBE_INTERNAL_H

#include "base/text.h"
#include "object/image.h"
#include "object/locate.h"
#include "probe/definition.h"
#include "probe/probe.h"

struct elf;
struct probe_place;
struct strbuf;

/* A parser's position in the text that the user gave. */
struct probe_parse {
	const char *text, *at;
	struct reason *r;
};

/* Sets a reason that shows the text with a caret below where. Returns -EINVAL. */
int probe_fault(struct probe_parse *p, const char *where, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* Parses one argument, which ends at end; p->text is what messages show. */
int probe_parse_argument(struct probe_parse *p, const char *end, struct probe_argument *a);

struct prober {
	struct context *ctx;
	struct probe_settings s;
	struct object_search search;
	struct probe_tracefs *tracefs;
	struct strmap taken;  /* "GROUP:EVENT": in the kernel, or handed out */
	struct strmap places; /* where the ones in files are, see note_place() */
	bool taken_read;
	/* The last target whose debug information was requested. */
	struct probe_target target;
	struct debuginfo *debug;
	struct reason no_debug; /* why it is missing */
	u64 kernel_base;        /* value of its symbol kernel_base_name; 0: not looked for */
	const char *kernel_base_name;
};

/*
 * Finds the paths of a user target: the one that the kernel gets, and the one to read. The caller
 * frees both.
 */
int prober_user_paths(const struct prober *p, const char *name, char **told, char **read,
		      struct reason *r);
/* Returns "nf_nat" of "nf-nat" or "/lib/.../nf-nat.ko.xz"; the caller frees it. */
char *prober_module_name(const char *name);
/*
 * Finds the value of _text (or _stext) in the kernel's file, and its name. Returns -ENOENT without
 * one.
 */
int prober_kernel_base(struct prober *p, struct reason *r);

/* resolve_events.c: events of d, appended to out; they fail when none can be had. */
struct probe_places;
struct probe_functions;
int prober_add_places(struct prober *p, const struct probe_definition *d,
		      const struct probe_places *places, struct probe_events *out,
		      struct reason *r);
int prober_add_functions(struct prober *p, const struct probe_definition *d,
			 const struct probe_functions *f, struct probe_events *out,
			 struct reason *r);
/* Adds the event of an absolute address, which needs nothing else. */
int prober_add_address(struct prober *p, const struct probe_definition *d, struct probe_events *out,
		       struct reason *r);
/* Returns -E2BIG with a reason: d matches found places, which are too many. */
int prober_too_many(const struct prober *p, const struct probe_definition *d, size_t found,
		    struct reason *r);

/*
 * Adds the arguments of d for one event. debug and place are NULL without debug information.
 * at_entry means that the event is at the function's first instruction.
 */
int prober_arguments(struct prober *p, const struct probe_definition *d,
		     const struct probe_place *place, bool at_entry, struct probe_event *e,
		     struct reason *r);

/*
 * marker_arguments.c: gives arguments of an SDT marker's event the types and names of the
 * definition.
 */
struct elf;
int marker_set_arguments(const struct elf *elf, struct probe_event *e,
			 const struct probe_definition *d, struct reason *r) MUST_CHECK;
/* Resolves %NAME from the file of the target, or from the cache. */
int prober_resolve_cached(struct prober *p, const struct probe_definition *d,
			  struct probe_events *out, struct reason *r);
/*
 * Names the event by the rules. suffix means that it is not the first of its definition. shared
 * means that other functions also have this name, as main.(*A).Get and main.(*B).Get both have
 * "main": it gets a suffix unless it is at a place that is probed already.
 */
int prober_name(struct prober *p, const char *base, bool suffix, bool shared, struct probe_event *e,
		struct reason *r);

#endif
