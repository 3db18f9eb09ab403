/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside the component: options.c reads the options, wants.c says what they ask of samples, run.c
 * is the loop, count.c takes samples in, expand.c makes rows of them, beside.c keeps what other
 * records say, table.c makes the next table, renew.c notices that files of symbols have changed,
 * truth.c says how true it is, print.c draws plain text and JSON, fit.c cuts it to a terminal,
 * browse.c is the browser, refresher.c makes its tables, keys.c knows the keys of the plain screen,
 * code.c shows functions instruction by instruction.
 */
#ifndef BUILTIN_TOP_INTERNAL_H
#define BUILTIN_TOP_INTERNAL_H

#include "base/perf_abi.h"
#include "builtin/top/top.h"
#include "live/loop.h"

#define TOP_FIRST_TABLE 300000000ULL /* ns after the start of perf, */
#define TOP_LEAST_TIME  100000000ULL /* but so many after that of the events at least */
#define TOP_CATCH_UP    50000000ULL  /* ns that a table waits at most for what the rings hold */
enum { TOP_ONE_PIECE = 1 };          /* for watch_step(): the whole round in one piece */

/* When the first table is due if events began to count at `since`. */
static inline u64 top_first_table(const struct top *t, u64 since)
{
	return MIN(since + t->o.refresh, MAX(t->begun + TOP_FIRST_TABLE, since + TOP_LEAST_TIME));
}

/* What the options' texts say. */
int top_parse_texts(struct top *t, struct reason *r) MUST_CHECK;
/* Widths of the columns as of -w; those before stay when it is no list of widths. */
int top_set_widths(struct top *t, const char *text, struct reason *r) MUST_CHECK;

/* wants.c: after the texts. */
int top_settle_wants(struct top *t, struct reason *r);

/* count.c: of session_ops. */
int top_count_sample(void *arg, unsigned worker, const struct session_sample *s, struct reason *r);

/* Opened for the sake of the records beside samples only. */
static inline bool top_is_side_band(const struct event *ev)
{
	return ev->attr.type == PERF_TYPE_SOFTWARE && ev->attr.config == PERF_COUNT_SW_DUMMY;
}

/* expand.c: a sample into the table, and into the counts of functions' instructions. */
void top_expand_begin(struct top *t);
void top_add(struct top *t, const struct session_sample *s);
/* Task numbers are used again for other tasks. */
void top_expand_forget(struct top *t);
void top_expand_release(struct top *t);

/* beside.c: completes the ops, and the services of the table. */
void top_beside_begin(struct top *t, struct session_ops *ops);
/* Threads that run now, at least 1; the task is one of them. */
u32 top_parallelism(struct top *t, const struct task *task);
/* With each table: threads that ended before the last one are forgotten. */
void top_beside_forget(struct top *t);
void top_beside_release(struct top *t);

/* dump.c */
void top_dump_symbols(struct top *t);

/* table.c */
/* What came in the time that has passed becomes the pool's: the two below. */
void top_absorb(struct top *t, u64 passed);
/* Counts of the title, and of functions' instructions. */
void top_count_up(struct top *t, u64 passed);
/* Samples of c, by what they say of themselves. */
void top_add_modes(struct top_counts *to, const struct top_counts *c);
/* Rows, which are named.  The session is only read.  zero: those of before go. */
void top_absorb_rows(struct top *t, u64 passed, bool zero);
/*
 * The next table, to be freed before top_forget(), unless it is kept; NULL with a reason.  rows: so
 * many are looked at at most; 0: there is no end.
 */
struct hist *top_snapshot(struct top *t, size_t rows, struct reason *r) MUST_CHECK;
/* The same without top_renew().  The session is only read. */
struct hist *top_make_table(struct top *t, size_t rows, struct reason *r) MUST_CHECK;
/* The table that was made last may live on after top_forget(), until the next one that is kept. */
void top_keep_table(struct top *t);
/*
 * Frees tasks, images and names that neither the pool nor the table that was kept last uses; all
 * other tables are gone by then.  top_absorb() must have been called before, so that all counts are
 * in the pool.
 */
void top_forget(struct top *t);

/*
 * renew.c: now and then, before a snapshot and while no sample waits in the collector: files that
 * rows are named by are looked at again.  True: some have changed; a table that was made before the
 * last time that they had must be gone by then.
 */
bool top_renew(struct top *t);

/* code.c; all but the first do nothing until it was called. */
void top_code_begin(struct top *t);
void top_code_count(struct top *t, const struct session_sample *s);
void top_code_count_branch(struct top *t, const struct session_sample *s,
			   const struct hist_branch *b);
void top_code_count_cycles(struct top *t, const struct session_sample *s);
/* With each table. */
void top_code_refresh(struct top *t);
/* Images for which named[id] is false are about to go. */
void top_code_sweep(struct top *t, const bool *named);
void top_code_release(struct top *t);
/* How a function that is open in the browser grows. */
struct top_code_live {
	int (*due)(void *arg);            /* as tui_live.due() */
	void (*take)(void *arg);          /* looks at the counts again */
	void (*hold)(void *arg, bool on); /* nothing is read between the two */
	void *arg;
};
/*
 * The files of these images have changed: their functions will be disassembled again. Counts stay.
 */
void top_code_renew(struct top *t, const bool *renewed);
/* A function is on the screen, by its number. */
bool top_code_is_open(const struct top *t);
/* True: the user leaves perf. */
bool top_annotate(struct top *t, const struct top_code_live *live, const struct hist_view *v,
		  u32 image, u32 symbol);
/* Finds the function of this name that has samples of the event; false if none has. */
bool top_find_function(struct top *t, const char *name, const struct event *ev, u32 *image,
		       u32 *symbol);
/* --sym-annotate: the function that was asked for, as text. */
void top_print_code(struct top *t, const struct event *ev, struct out *out);

/* browse.c: until the user leaves. */
int top_browse(struct top *t, struct reason *r) MUST_CHECK;

/* print.c: one table; rows: as many lines as fit, 0: all. */
/* In one line, for the browser. */
void top_short_title(const struct top *t, const struct hist_view *v, const char *zooms,
		     struct strbuf *b);
void top_print(struct top *t, const struct hist *h, unsigned lines, struct out *out);
/* The rows alone, under a line of headings that may be empty; not for a hierarchy. */
void top_print_rows(struct top *t, const struct hist_view *v, unsigned lines, struct out *out);
void top_print_json(struct top *t, const struct hist *h, struct out *out);
void top_print_separated(struct top *t, const struct hist *h, struct out *out);

/*
 * truth.c: how true the newest table is.  After the table was made, by the thread that draws it,
 * with the refresher's lock.
 */
void top_truth_begin(struct top *t);
void top_find_truth(struct top *t, const struct hist *h);
/* A few words about a view. */
void top_put_truth(const struct top *t, const struct hist_view *v, struct strbuf *b);

/* fit.c: leaves out what has no place on the terminal. */
void top_fit(struct strbuf *picture, int columns, int rows);

/*
 * keys.c: turns off echo and line buffering of the terminal, until top_keys_end() or the end of the
 * program.  False when standard input is not a terminal.
 */
bool top_keys_begin(void);
/* With each table: a shell that brings perf back from the background leaves lines and echo on. */
void top_keys_resume(void);
/* Once after perf was stopped and goes on: the screen has another program's text on it. */
bool top_keys_continued(void);
void top_keys_end(void);
/* Handles what was typed by changing t->o.  True: draw at once. */
bool top_keys_read(struct top *t);
/*
 * Settings that a key asks for, here and in the browser (d, e, f, F, w and others for the same):
 * the question, and what to say of an answer, which changes t->o if it is valid.
 */
const char *top_setting_question(int key);
const char *top_setting_answer(struct top *t, int key, const char *text);

#endif
