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

#include "record/internal.h"

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

u64 record_room(const struct recorder *rec)
{
	u64 most = rec->settings->max_size, there;

	/* a consumer of records writes when it has come that far */
	if (rec->sink || !most)
		return UINT64_MAX;
	there = data_offset(rec->writer) + data_written(rec->writer);
	return most - MIN(most, there);
}

bool record_switches(const struct record_settings *s)
{
	const struct record_rotation *w = &s->switch_output;

	return w->on_signal || w->size || w->time || w->on_event;
}
