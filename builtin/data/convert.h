/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf data convert: a recording in a form that other programs read.
 *
 * What it is: samples in order of time go to one of two writers: JSON (json.c; one document, the
 * shape of Linux 6.1 with the fields of tracepoints that later versions add) or CTF 1.8 (ctf.c; a
 * directory with a text "metadata" and a binary stream for each CPU, as babeltrace and Trace
 * Compass read it). Memory does not grow with the recording.
 * Units: times are ns of the recording's clock, or of the wall clock with tod.
 * Files: a JSON file is written beside its name and renamed when it is complete; a CTF directory
 * must not exist, or is replaced file by file with force. "-" is standard output, for JSON.
 * Threads: one. Errors: reported; the exit code is returned.
 */
#ifndef BUILTIN_DATA_CONVERT_H
#define BUILTIN_DATA_CONVERT_H

#include "analysis/analysis.h"

struct convert_settings {
	struct analysis a;
	const char *to_json, *to_ctf; /* one of them */
	const char *time;             /* --time, or NULL */
	bool all;                     /* side-band records, too (CTF) */
	bool tod;                     /* times of the wall clock */
};

int convert_run(struct convert_settings *c);

#endif
