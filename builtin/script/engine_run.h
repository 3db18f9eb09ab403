/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A script over a session. */
#ifndef BUILTIN_SCRIPT_ENGINE_RUN_H
#define BUILTIN_SCRIPT_ENGINE_RUN_H

#include "builtin/script/engine.h"

struct engine_script {
	const struct engine_language *language;
	const char *file;
	int argc;
	const char *const *argv; /* after the script's name */
};

/*
 * Runs a script. Returns 0, 1 if the script failed and has said why, or -errno with a reason. Uses
 * o->consumer meanwhile.
 */
int engine_run_script(const struct engine_script *script, struct session *s,
		      struct script_options *o, struct reason *r);

#endif
