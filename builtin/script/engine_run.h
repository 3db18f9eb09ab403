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
 * 0; 1: the script failed and has said why; -errno with a reason. o->consumer is used meanwhile.
 */
int engine_run_script(const struct engine_script *script, struct session *s,
		      struct script_options *o, struct reason *r);

#endif
