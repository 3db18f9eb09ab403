/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A probe as the kernel's tracefs takes and lists it: one line of kprobe_events or uprobe_events,
 * and the rules by which unnamed groups, events and arguments are named.
 *
 *	p[:GROUP/EVENT] [MODULE:]SYMBOL[+OFFSET] | ADDRESS [NAME=]FETCH[:TYPE] ...
 *	r[MAXACTIVE][:GROUP/EVENT] SYMBOL ...
 *	p:GROUP/EVENT PATH:0xFILEOFFSET[(0xSEMAPHORE)] ...
 *
 * Plain data. Threads: no state. Errors: -EINVAL and a reason.
 * Life: the caller zeroes a struct probe_event, probe_event_release frees its contents.
 * Source: Documentation/trace/kprobetrace.rst and uprobetracer.rst.
 */
#ifndef PROBE_EVENT_H
#define PROBE_EVENT_H

#include "base/hash.h"
#include "base/reason.h"
#include "base/text.h"
#include "base/vec.h"

struct strbuf;

struct probe_event_argument {
	char *name;  /* NULL: the kernel says arg1, arg2 ... */
	char *fetch; /* "+8(%di)" */
	char *type;  /* "s32", "x8[4]"; NULL: the kernel's default */
};

struct probe_event {
	char *group, *event;
	bool is_return;
	unsigned maxactive; /* kretprobes that may be under way at a time; 0: the kernel chooses */
	char *path;         /* user: the file; NULL: a kernel probe */
	char *module;       /* kernel: NULL when in the kernel itself or an address */
	char *symbol;       /* kernel; NULL: only the address */
	/*
	 * Bytes from the symbol; user: offset in the file; without symbol: the address.
	 */
	u64 offset;
	u64 semaphore; /* offset in the file of a counter to raise while probed; 0: none */
	VEC(struct probe_event_argument) arguments;
	char *place;           /* for people: "work:3"; NULL when read from the kernel */
	char *shown_arguments; /* for people: "n p->in->a"; or NULL */
	char *target;          /* for people: the module or file; or NULL */
};

struct probe_events {
	VEC(struct probe_event) list;
};

static inline bool probe_event_is_user(const struct probe_event *e)
{
	return e->path != NULL;
}

/* Adds the line for tracefs, without a newline. */
void probe_event_text(struct strbuf *b, const struct probe_event *e);
/* Parses a line that tracefs lists. Returns -ENOTSUP for event and fetch probes of other tools. */
int probe_event_parse(struct probe_event *e, const char *line, struct reason *r);
/* Reports whether the event matches "GROUP:EVENT" or "EVENT", with globs. */
bool probe_event_matches(const struct probe_event *e, const char *pattern);

/* Returns "probe", or "probe_libc" for a path; the caller frees it. */
char *probe_group_name(const char *path);
/*
 * Returns the name of a function's probe: "malloc", "main__return", "ns__f". The caller frees it.
 */
char *probe_event_base_name(const char *function, bool is_return);
/*
 * Takes the first of base, base_1, base_2 and so on that no event of group has in taken
 * ("GROUP:EVENT" each), and adds it there. Returns -EEXIST when base is taken and suffix is false.
 */
int probe_event_take_name(struct strmap *taken, const char *group, const char *base, bool suffix,
			  char **name, struct reason *r);

void probe_event_release(struct probe_event *e);
void probe_events_release(struct probe_events *e);

#endif
