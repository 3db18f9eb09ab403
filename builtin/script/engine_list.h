/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scripts that are installed, with the descriptions in their starters. */
#ifndef BUILTIN_SCRIPT_ENGINE_LIST_H
#define BUILTIN_SCRIPT_ENGINE_LIST_H

/* Prints them: an exit code. */
int engine_list(const char *exec_path);

/* "# description:" and "# args:" of a starter NAME-report, "# recorder:" of NAME-record. */
struct engine_about {
	char *purpose, *args, *recorder; /* malloc'ed; "" when not said */
};
void engine_about_read(struct engine_about *a, const char *path);
void engine_about_release(struct engine_about *a);
/* Returns how many arguments must be given: those in angle brackets. */
unsigned engine_about_required(const struct engine_about *a);

#endif
