// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One recording in several files: --switch-output, --timestamp-filename. A finished file is renamed
 * to OUTPUT.YYYYMMDDhhmmssCC (CC: hundredths); the file being written always has the name without a
 * time.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/replace.h"
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
	char *place = replace_place(rec->settings->output, r), *to;
	struct stat st;
	int err;

	if (!place)
		return -EACCES;
	to = stamped(place);
	while (!lstat(to, &st)) { /* only one file is made in a hundredth of a second */
		free(to);
		usleep(2000);
		to = stamped(place);
	}
	err = replace_rename(place, to, r);
	free(place);
	if (err) {
		free(to);
		return err;
	}
	strlist_add(&rec->files, to);
	*name = to;
	return 0;
}

/* Removes the oldest files of this recording to make room. */
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
	err = record_begin_file(rec, r);
	return err ? err : data_begun(rec->writer, r);
}

/*
 * Returns the size at which a file is full. With many tasks a file may begin with more than was
 * requested; then the same amount again must be recorded.
 */
static u64 full_at(const struct recorder *rec)
{
	u64 size = rec->settings->switch_output.size;

	return size ? MAX(size, 2 * rec->begin_bytes) : UINT64_MAX;
}

bool record_file_full(const struct recorder *rec)
{
	return data_written(rec->writer) >= full_at(rec);
}

/*
 * Returns how large a file may become. If little is left in the rings, a full file takes it, so the
 * next one starts with samples that it has names for. If samples arrive faster than files can be
 * begun, it is not little: rings fill while the next file begins, and all of that would end up in
 * one file.
 */
static u64 most_written(const struct recorder *rec)
{
	enum { LEAST = 64 << 10, PART = 8 };
	u64 full = full_at(rec);

	return full == UINT64_MAX ? full : full + MAX(full / PART, (u64)LEAST);
}

static u64 room_below(u64 most, u64 there)
{
	return most == UINT64_MAX ? most : most - MIN(most, there);
}

u64 record_file_room(const struct recorder *rec)
{
	u64 written = data_written(rec->writer), file = room_below(most_written(rec), written);
	u64 all = room_below(rec->settings->max_size ? rec->settings->max_size : UINT64_MAX,
			     data_offset(rec->writer) + written);

	return MIN(file, all);
}

u64 record_room(const struct recorder *rec)
{
	u64 room, readers = MAX(rec->settings->threads.count, (size_t)1);

	/* a consumer of records writes when it has come that far */
	if (rec->sink)
		return UINT64_MAX;
	room = record_file_room(rec);
	/*
	 * each of them may write at the same time, so each gets some room as long as there is any
	 */
	return room == UINT64_MAX ? room : room / readers + !!(room % readers);
}

bool record_switches(const struct record_settings *s)
{
	const struct record_rotation *w = &s->switch_output;

	return w->on_signal || w->size || w->time || w->on_event;
}
