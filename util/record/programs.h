/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BPF programs of the user's as events: -e prog.o, -e prog.c.
 *
 * Each program of the object becomes the event that its section names, and decides which samples
 * are written (0: none). Each map of type PERF_EVENT_ARRAY becomes an event bpf-output with the
 * map's name, whose samples are what programs write into it.
 *	SYSTEM:NAME, tracepoint/SYSTEM/NAME, tp/SYSTEM/NAME     a tracepoint
 *	kprobe/FUNCTION, kretprobe/FUNCTION                     a function of the kernel
 *	uprobe/FILE:FUNCTION, uretprobe/FILE:FUNCTION           a function of a program
 * The kernel calls a program for every hit of its event, for any recorder: samples that it drops
 * are also lost to other recordings of that event.
 *
 * Threads: the recorder's. Life: the request contains it; the caller zeroes it.
 */
#ifndef RECORD_PROGRAMS_H
#define RECORD_PROGRAMS_H

#include "base/reason.h"
#include "base/vec.h"
#include "event/event.h"

struct bpf_run;
struct context;
struct live;
struct session_probes;

struct record_programs {
	struct session_probes *probes;          /* for kprobes and uprobes */
	const char *clang_path, *clang_options; /* NULL: "clang", none */
	VEC(struct bpf_run *) runs;
	VEC(struct record_program {
		struct bpf_run *run;
		char *name; /* the name of a program, or of a map */
		u32 event;  /* index in the set */
		int fd;     /* an event that keeps the program attached; -1: none */
		bool is_map;
	})
	list;
};

/* Adds a BPF program, as event_parser's program; arg is a struct record_programs. */
int record_program_add(void *arg, struct event_set *set, const char *path, struct reason *r);
/* Loads all and attaches them to the events, which are open. */
int record_programs_open(const struct context *ctx, struct record_programs *p,
			 const struct event_set *set, const struct live *live, struct reason *r);
/* Warns of runs that the kernel left out. */
void record_programs_say_missed(struct context *ctx, const struct record_programs *p);
/* Releases the programs, after the events were closed. */
void record_programs_release(struct record_programs *p);

#endif
