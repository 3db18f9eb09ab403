/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Filters in shared objects (--dlfilter): perf_dlfilter.h is the interface that they are
 * written against, and the same objects run under other perfs.
 *
 * A filter is foreign code in this process: nothing protects perf from its errors.
 * One thread.  What the functions of the interface return is valid until the next sample.
 */
#ifndef BUILTIN_SCRIPT_DLFILTER_H
#define BUILTIN_SCRIPT_DLFILTER_H

#include "builtin/script/internal.h"

struct dlfilter;

/*
 * Opens a filter and runs its start(). file is a path, or a name in exec_path/dlfilters (NULL:
 * nowhere). args must outlive it.
 */
int dlfilter_open(struct script *s, const char *file, const struct strlist *args,
		  const char *exec_path, struct dlfilter **out, struct reason *r) MUST_CHECK;
/* Runs stop(). Returns 0 or -errno with a reason; f is freed in any case. */
int dlfilter_close(struct dlfilter *f, struct reason *r) MUST_CHECK;
bool dlfilter_is_early(const struct dlfilter *f);
/*
 * Asks the filter about a sample. Returns 0 to keep it, 1 to drop it, or -errno with a reason.
 * early means before perf's own filters.
 */
int dlfilter_judge(struct dlfilter *f, const struct session_sample *ss, const struct event *ev,
		   u64 period, bool early, struct reason *r);
/*
 * Adds " NAME what it does" for the filters in the current directory and in exec_path; details adds
 * more lines.
 */
void dlfilter_list(const char *exec_path, bool details, struct strbuf *b);

#endif
