/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside the component: options.c reads the options, run.c goes through the files, print.c shows
 * the tables, flames.c folded stacks and pictures, paths.c chooses where the time goes for brief.c
 * and --json, blocks.c --total-cycles, annotate.c functions in the browser, made_code.c says what
 * has no names.
 */
#ifndef BUILTIN_REPORT_INTERNAL_H
#define BUILTIN_REPORT_INTERNAL_H

#include "builtin/report/report.h"

/* Parses the options' texts. */
int report_parse_texts(struct report *p, struct reason *r) MUST_CHECK;

/* truth.c: --require. */
int report_set_require(const struct option_call *call, struct reason *r);
int report_check_require(const struct report *p, struct reason *r) MUST_CHECK;
/* Finds the truth of the profile that was read, and checks the conditions. */
void report_find_truth(struct report *p);
/* Prints the truth as a comment line below the title. */
void report_print_truth(struct report *p, const struct hist_view *v);
/* Reports the conditions that do not hold. Returns 0, or EXIT_NOT_HELD. */
int report_say_broken(struct report *p);

/* brief.c: --brief. */
int report_set_brief(const struct option_call *call, struct reason *r);
int report_check_brief(const struct report *p, struct reason *r) MUST_CHECK;
void report_brief(struct report *p);

/* The finished tables, in the form asked for. */
int report_print(struct report *p, struct reason *r) MUST_CHECK;
int report_flames(struct report *p, struct reason *r) MUST_CHECK;
void report_blocks(struct report *p);
/* Reports code made at run time that has 1 % of a table or more and no names. */
void report_say_made_code(struct report *p, const struct hist_view *v);

/* Begins the JSON object: version, file, and the header if requested. */
void report_json_begin(struct report *p);
/* Prints the whole object of --stats, --tasks, --mmaps or --header-only. */
int report_json_records(struct report *p, struct reason *r) MUST_CHECK;

/*
 * Shows a function's code, as tui_report.annotate for the key 'a'. Returns true if the user quits.
 */
bool report_annotate(void *arg, const struct hist_view *v, u32 image, u32 symbol);
void report_code_release(struct report *p);

#endif
