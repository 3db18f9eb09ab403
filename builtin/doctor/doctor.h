/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf doctor: what this user on this machine can measure, what not, why, and what changes it.
 *
 *	doctor_mode_find()	"record", as --for has it
 *	doctor_examine()	tries everything, or what a mode needs or may use
 *	doctor_print()		one line for each ability, with cause and cure where it is missing
 *	doctor_json()		the same for programs
 *	doctor_release()
 *
 *	doctor_file()		the same of a recording
 *
 * Everything is tried first; settings are read only to explain a failure (sys/obstacles.h).
 * Nothing on the machine is changed, and whatever was opened is closed again.
 * One thread.
 */
#ifndef BUILTIN_DOCTOR_DOCTOR_H
#define BUILTIN_DOCTOR_DOCTOR_H

#include "base/context.h"
#include "base/reason.h"
#include "base/strbuf.h"
#include "base/vec.h"

/* The names that --for takes. */
enum doctor_mode {
	DOCTOR_RECORD,
	DOCTOR_STAT,
	DOCTOR_TOP,
	DOCTOR_TRACE,
	DOCTOR_PROBE,
	DOCTOR_BPF,
	DOCTOR_MODES,
	DOCTOR_ALL = DOCTOR_MODES, /* without --for */
};

struct doctor_check;

struct doctor_finding {
	const struct doctor_check *check;
	bool works;
	struct reason why; /* unless it works */
};

struct doctor {
	struct context *ctx;
	enum doctor_mode mode;
	VEC(struct doctor_finding) findings; /* the most important first */
};

/* 0, or EXIT_USAGE with a reason that names all modes. */
int doctor_mode_find(const char *name, enum doctor_mode *mode, struct reason *r);
void doctor_examine(struct doctor *d, struct context *ctx, enum doctor_mode mode);
void doctor_release(struct doctor *d);
/* Does everything work that the mode needs?  Always true of DOCTOR_ALL. */
bool doctor_holds(const struct doctor *d);
void doctor_print(const struct doctor *d, struct strbuf *out);
void doctor_json(const struct doctor *d, struct strbuf *out);

/* 0, or -errno with a reason if the file cannot be read. */
int doctor_file(struct context *ctx, const char *path, bool json, struct strbuf *out,
		struct reason *r);

#endif
