/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Perl engine.
 *
 *	engine.c	start and stop; calls, and what ends them
 *	handlers.c	which function of the script gets what
 *	context.c	the functions of Perf::Trace::Context
 *
 * One interpreter, in the thread of perf.
 */
#ifndef PLUGINS_PERL_ENGINE_H
#define PLUGINS_PERL_ENGINE_H

#include "fields.h"

/* Perl's own names for what stdbool.h has. */
#define HAS_BOOL
#include <EXTERN.h>
#include <perl.h>
#include <XSUB.h>

struct event_names {
	const struct engine_event *event; /* NULL: not seen yet */
	char *handler;                    /* "sched::sched_switch" */
	/* where its function is; NULL if its name cannot be a handler's */
	GV *place;
	bool told; /* flags and symbols were defined */
};

struct engine {
	const struct engine_host *host;
	PerlInterpreter *perl;
	const char *script; /* its file's name, as Perl knows it */
	const struct engine_sample *now;
	struct event_names *events; /* by index */
	uint32_t event_count;
	GV *unhandled, *general; /* main::trace_unhandled, main::process_event */
	bool in_handler;
	bool exited; /* the script called exit() in a handler */
	int status;
	const char *unwritten; /* why text on standard output was lost, or NULL */
};

/* ---- engine.c ---- */

/*
 * Calls a function of the script with the arguments that were pushed since PUSHMARK, and answers
 * as plugins do.
 */
int perl_call(struct engine *e, CV *function, int flags);
/* Returns the function of this name, or NULL. */
CV *perl_function(const char *name);

/* ---- handlers.c ---- */

int handlers_sample(struct engine *e, const struct engine_sample *s);
void handlers_release(struct engine *e);

/* ---- context.c ---- */

/* Defines the functions, which ask e. */
void context_define(pTHX_ struct engine *e);

#endif
