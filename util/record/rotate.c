// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One recording in several files: --switch-output, --timestamp-filename.
 *
 * A finished file is renamed to OUTPUT.YYYYMMDDhhmmssCC (CC: hundredths); the
 * name without a time is always that of the file being written.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "record/record.h"

static char *stamped(const char *output)
{
	struct timespec now;
	struct tm tm;
	char day[32];

	clock_gettime(CLOCK_REALTIME, &now);
	localtime_r(&now.tv_sec, &tm);
	strftime(day, sizeof(day), "%Y%m%d%H%M%S", &tm);
	return xasprintf("%s.%s%02ld", output, day, now.tv_nsec / 10000000);
}

int record_stamp_file(struct recorder *rec, char **name, struct reason *r)
{
	const char *output = rec->settings->output;
	char *to = stamped(output);
	int err;

	while (!access(to, F_OK)) { /* a hundredth of a second has one file */
		free(to);
		usleep(2000);
		to = stamped(output);
	}
	if (rename(output, to)) {
		err = reason_errno(r, errno, "cannot rename '%s' to '%s'", output, to);
		free(to);
		return err;
	}
	strlist_add(&rec->files, to);
	*name = to;
	return 0;
}

/* The oldest files of this recording make room. */
static void drop_old_files(struct recorder *rec)
{
	u64 most = rec->settings->switch_output.max_files;

	/* one more is being written */
	while (most && rec->files.list.count - rec->dropped >= most)
		data_remove(rec->files.list.items[rec->dropped++], NULL);
}

int record_switch_file(struct recorder *rec, struct reason *r)
{
	int err = rec->finish(rec->finish_arg, r);

	if (err)
		return err;
	drop_old_files(rec);
	return record_begin_file(rec, r);
}

int record_parse_switch_output(struct record_settings *s, const char *text, struct reason *r)
{
	struct record_rotation *w = &s->switch_output;
	size_t n = text ? strlen(text) : 0;

	*w = (struct record_rotation){ .max_files = w->max_files };
	if (!text || !strcmp(text, "signal")) {
		w->on_signal = true;
		return 0;
	}
	/* the last letter tells sizes (B, K, M, G) from times (s, m, h) */
	if (strchr("BKMG", text[n - 1]) ? !parse_size(text, &w->size) && w->size :
	    strchr("smh", text[n - 1]) && !parse_duration(text, 1, &w->time) && w->time)
		return 0;
	reason_set(r, EINVAL, "'%s' does not say when to switch files", text);
	reason_hint(r, "'signal' (SIGUSR2), a size such as 100M, or a time such as 30s");
	return -EINVAL;
}
