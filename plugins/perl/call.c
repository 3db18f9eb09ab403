// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions of the script, found by name and called. */
#include <stdio.h>

#include "engine.h"

CV *perl_function(const char *name)
{
	return get_cv(name, 0);
}

int perl_call(struct engine *e, CV *function, int flags)
{
	e->in_handler = true;
	call_sv((SV *)function, flags | G_EVAL);
	e->in_handler = false;
	if (e->exited)
		return e->status ? ENGINE_FAILED + e->status - 1 : ENGINE_DONE;
	if (SvTRUE(ERRSV)) {
		/* earlier output comes first */
		PerlIO_flush(NULL);
		fputs(SvPV_nolen(ERRSV), stderr);
		return ENGINE_FAILED;
	}
	return ENGINE_GO_ON;
}
