// SPDX-License-Identifier: GPL-2.0-or-later
/* Frees what a run has allocated: of the printer itself, and of each worker's copy. */
#include <stdlib.h>

#include "builtin/script/internal.h"
#include "profile/calls.h"

void script_release(struct script *s)
{
	call_registers_free(s->registers);
	call_trace_free(s->calls);
	vec_release(&s->branches);
	script_lines_release(s);
	script_code_release(s);
	line_store_free(s->source);
	script_chains_release(s);
	free(s->starts);
	script_stat_release(s);
	vec_for_each(&s->views, v) {
		free(v->name);
		script_file_drop(v);
		free(v->path);
	}
	vec_release(&s->views);
	script_reading_free(s->reading);
	tracepoint_printer_free(s->printer);
	chains_free(s->chains);
}
