// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --filter of ordinary users: root loads the program once and pins it, with the map of the tests
 * for each event. A user attaches it to his own events, which takes no privilege, and writes the
 * tests of these events into the map.
 *
 * Nothing in the directory that this perf did not make is used or removed.
 */
#include <dirent.h>
#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bpf/bpf.h"
#include "bpf/sample_filter.h"
#include "event/sample_filter.h"
#include "record/command.h"
#include "record/internal.h"

#define IOC_SET_BPF _IOW('$', 8, u32)

#define FILE_SYSTEM  "/sys/fs/bpf"
#define DIRECTORY    FILE_SYSTEM "/perf_filter"
#define PROGRAM_NAME "perf_filter"
#define MAP_NAME     "perf_filters"
static const char directory[] = DIRECTORY;
static const char program_path[] = DIRECTORY "/" PROGRAM_NAME;
static const char map_path[] = DIRECTORY "/" MAP_NAME;

/*
 * Reports whether filters work. Linux 6.3 fills in a sample before it asks the program; before, the
 * program would test what another sample has left there.
 */
int record_filter_usable(const char *for_what, struct reason *r)
{
	int err = bpf_usable(for_what, r);

	return err ? err
		   : bpf_kernel_needs(BPF_WHOLE_SAMPLES, for_what,
				      "perf script and perf report can filter what is "
				      "recorded, by --tid, --comm, --dsos and others",
				      r);
}

/* ---- what is pinned ---- */

static bool is_our_program(int program)
{
	char name[16];
	u32 type;

	return !bpf_program_look(program, &type, name) && type == BPF_PROG_TYPE_PERF_EVENT &&
	       !strcmp(name, PROGRAM_NAME);
}

static bool is_our_map(int map, bool as_it_is_now)
{
	struct bpf_map_shape is = { 0 };

	if (bpf_map_look(map, &is) || is.type != BPF_MAP_TYPE_LRU_HASH ||
	    strcmp(is.name, MAP_NAME) != 0)
		return false;
	return !as_it_is_now ||
	       (is.key_size == sizeof(u64) && is.value_size == sizeof(struct pinned_filter));
}

static void close_both(int program, int map)
{
	if (program >= 0)
		close(program);
	if (map >= 0)
		close(map);
}

int pinned_filter_open(int *program, int *map, struct reason *r)
{
	*program = bpf_object_pinned(program_path);
	*map = *program < 0 ? -1 : bpf_object_pinned(map_path);
	if (*program >= 0 && *map >= 0 && is_our_program(*program) && is_our_map(*map, true))
		return 0;
	if (*program >= 0) {
		close_both(*program, *map);
		reason_set(r, EINVAL,
			   "what is pinned in '%s' is not the filter of this version of perf",
			   directory);
		reason_hint(r, "root can replace it: perf record --setup-filter unpin, then pin");
		return -EINVAL;
	}
	return *program;
}

/* ---- one event's filter ---- */

static int set_on(const struct live *live, const struct event *ev,
		  const struct pinned_filter *filter, int program, int map, size_t c, size_t t)
{
	int fd = live_event_fd(live, ev, c, t), err;
	u64 id = fd >= 0 ? live_id(live, ev, c, t) : 0;

	if (fd < 0)
		return 0;
	err = bpf_map_write(map, &id, filter);
	return err ? err : ioctl(fd, IOC_SET_BPF, program) ? -errno : 0;
}

int pinned_filter_set(const struct live *live, const struct event *ev, int program, int map,
		      struct reason *r)
{
	struct pinned_filter filter = { .count = ev->sample_filter->count };
	int err = 0;

	if (filter.count > PINNED_FILTER_TESTS)
		return reason_set(
			r, E2BIG,
			"a --filter of an ordinary user has at most %d tests, and this one has %u",
			PINNED_FILTER_TESTS, filter.count);
	if (live_cpu_count(live) * live_thread_count(live) > PINNED_FILTERS / 2)
		return reason_set(
			r, E2BIG,
			"--filter of an ordinary user is for %d counters at most, and '%s' would "
			"be %zu of them",
			PINNED_FILTERS / 2, ev->name,
			live_cpu_count(live) * live_thread_count(live));
	memcpy(filter.tests, ev->sample_filter->tests, sizeof(filter.tests));
	for (size_t c = 0; !err && c < live_cpu_count(live); c++)
		for (size_t t = 0; !err && t < live_thread_count(live); t++)
			err = set_on(live, ev, &filter, program, map, c, t);
	return err ? reason_errno(r, -err, "cannot use the pinned filter for '%s'", ev->name) : 0;
}

/* Applies an operation to each of the event's elements; returns for how many it was missing. */
static u64 each_element(const struct live *live, const struct event *ev, int map,
			void (*take)(int map, u64 id, const struct pinned_filter *f, u64 *sum),
			u64 *sum)
{
	struct pinned_filter f;
	u64 missing = 0;

	for (size_t c = 0; c < live_cpu_count(live); c++)
		for (size_t t = 0; t < live_thread_count(live); t++) {
			u64 id = live_id(live, ev, c, t);

			if (!id)
				continue;
			if (bpf_map_read(map, &id, &f))
				missing++;
			else
				take(map, id, &f, sum);
		}
	return missing;
}

static void add_dropped(int map, u64 id, const struct pinned_filter *f, u64 *sum)
{
	(void)map;
	(void)id;
	*sum += f->dropped;
}

static void forget(int map, u64 id, const struct pinned_filter *f, u64 *sum)
{
	(void)f;
	(void)sum;
	bpf_map_remove(map, &id);
}

u64 pinned_filter_dropped(const struct live *live, const struct event *ev, int map, u64 *missing)
{
	u64 sum = 0;

	*missing = each_element(live, ev, map, add_dropped, &sum);
	return sum;
}

void pinned_filter_forget(const struct live *live, const struct event *ev, int map)
{
	each_element(live, ev, map, forget, NULL);
}

/* ---- --setup-filter ---- */

static int pin_one(int fd, const char *path, struct reason *r)
{
	int err = fd < 0 ? fd : bpf_object_pin(fd, path);

	/* the kernel wants both rights of the user who opens it */
	if (!err && chmod(path, 0666))
		err = -errno;
	return err ? reason_errno(r, -err, "cannot pin '%s'", path) : 0;
}

/* Pins the map and then the program: a process that finds the program also finds the map. */
static int pin_both(const struct context *ctx, struct reason *r)
{
	struct bpf_run *run = bpf_run_open("sample_filter_pinned", r);
	int err = run ? bpf_run_load(ctx, run, r) : -ENOTSUP;

	if (!err)
		err = pin_one(bpf_run_map(run, MAP_NAME), map_path, r);
	if (!err)
		err = pin_one(bpf_run_program(run, PROGRAM_NAME), program_path, r);
	bpf_run_close(run);
	return err;
}

static int make_directory(struct reason *r)
{
	int err = mkdir(directory, 0755) || chmod(directory, 0755) ? -errno : 0;

	if (!err)
		return 0;
	if (err == -EEXIST) {
		reason_set(r, EEXIST, "'%s' is there already", directory);
		reason_hint(
			r,
			"perf record --setup-filter unpin removes it if this version of perf made "
			"it");
		return err;
	}
	reason_errno(r, -err, "cannot make '%s'", directory);
	if (err != -EACCES)
		reason_hint(r, "it must be in a BPF file system: mount -t bpf bpf %s", FILE_SYSTEM);
	return err;
}

/* Reports whether the name leads to an object that this perf made, or to nothing. */
static bool is_ours(const char *name)
{
	bool program = !strcmp(name, PROGRAM_NAME), ours;
	int fd;

	if (!program && strcmp(name, MAP_NAME) != 0)
		return false;
	fd = bpf_object_pinned(program ? program_path : map_path);
	ours = fd >= 0 && (program ? is_our_program(fd) : is_our_map(fd, false));
	if (fd >= 0)
		close(fd);
	return ours;
}

static int check_all_ours(struct reason *r)
{
	DIR *d = opendir(directory);
	const struct dirent *e;
	int err = 0;

	if (!d && errno == ENOENT)
		return reason_set(r, ENOENT, "no filter is pinned: there is no '%s'", directory);
	if (!d)
		return reason_errno(r, errno, "cannot read '%s'", directory);
	while (!err && (e = readdir(d)))
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 &&
		    !is_ours(e->d_name))
			err = reason_set(
				r, EEXIST,
				"'%s/%s' was not made by this perf, and nothing is removed",
				directory, e->d_name);
	closedir(d);
	return err;
}

static int remove_all(struct reason *r)
{
	if ((unlink(program_path) && errno != ENOENT) || (unlink(map_path) && errno != ENOENT) ||
	    rmdir(directory))
		return reason_errno(r, errno, "cannot remove '%s'", directory);
	return 0;
}

static int pin(struct context *ctx, struct reason *r)
{
	struct reason none = REASON_INIT;
	struct stat st;
	int err = record_filter_usable("--setup-filter", r);

	if (!err)
		err = make_directory(r);
	if (err)
		return err;
	err = pin_both(ctx, r);
	if (err) {
		remove_all(&none);
		reason_release(&none);
		return err;
	}
	if (!stat(FILE_SYSTEM, &st) && !(st.st_mode & S_IXOTH))
		condition_add(&ctx->conditions, CONDITION_WARNING, "filter-hidden", NULL, NULL, 1,
			      "chmod o+x " FILE_SYSTEM,
			      "ordinary users cannot use the filter yet: %s is closed to them",
			      FILE_SYSTEM);
	return 0;
}

int record_setup_filter(const struct record_request *q, bool has_command, struct reason *r)
{
	int err;

	if (*q->asked.of_recording)
		return reason_usage(r,
				    "--setup-filter records nothing, so %s has no place beside it",
				    q->asked.of_recording);
	if (has_command)
		return reason_usage(r, "--setup-filter records nothing: it takes no command");
	if (!strcmp(q->asked.setup_filter, "pin"))
		return pin(q->ctx, r);
	err = check_all_ours(r);
	return err ? err : remove_all(r);
}
