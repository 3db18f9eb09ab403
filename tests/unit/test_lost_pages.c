// SPDX-License-Identifier: GPL-2.0-or-later
/* Files that are cut short while they are mapped. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/lost_pages.h"
#include "base/threads.h"
#include "cli/say.h"
#include "session/session.h"
#include "synth.h"

enum { PAGES = 4 };

struct mapped {
	char path[32];
	size_t size;
	volatile const u8 *bytes;
};

/* A file of ones of which the last three pages are lost. */
static void cut_short(struct mapped *m)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int fd;

	*m = (struct mapped){ .path = "/tmp/perf-lost-XXXXXX", .size = PAGES * page };
	fd = mkstemp(m->path);
	for (size_t i = 0; i < m->size; i++)
		if (write(fd, "\1", 1) != 1)
			_exit(90);
	m->bytes = mmap(NULL, m->size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (m->bytes == MAP_FAILED || m->bytes[m->size - 1] != 1 || ftruncate(fd, (off_t)page))
		_exit(91);
	close(fd);
	unlink(m->path); /* the mapping keeps its name, and " (deleted)" behind it */
}

static sigjmp_buf back;
static void *volatile fault_at;

static void note_fault(int sig, siginfo_t *info, void *context)
{
	(void)context;
	fault_at = info->si_addr;
	siglongjmp(back, sig);
}

/* Does this kernel tell which byte is lost?  qemu's user mode of i386 tells another one. */
static bool faults_are_told(void)
{
	struct sigaction sa = { .sa_sigaction = note_fault, .sa_flags = SA_SIGINFO }, before;
	struct mapped m;
	bool told;

	cut_short(&m);
	sigaction(SIGBUS, &sa, &before);
	if (!sigsetjmp(back, 1))
		_exit(m.bytes[m.size - 1]);
	sigaction(SIGBUS, &before, NULL);
	told = fault_at == (void *)(uintptr_t)&m.bytes[m.size - 1];
	munmap((void *)(uintptr_t)m.bytes, m.size);
	if (!told)
		fprintf(stderr, "# skip: this kernel tells a wrong address of what is lost\n");
	return told;
}

/* What the child writes to standard error goes to text; returns its status. */
static int in_child(void (*what)(void), char *text, size_t space)
{
	int ends[2], status;
	ssize_t n;
	size_t len = 0;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (!pid) {
		dup2(ends[1], STDERR_FILENO);
		close(ends[0]);
		close(ends[1]);
		what();
		_exit(0);
	}
	close(ends[1]);
	while ((n = read(ends[0], text + len, space - 1 - len)) > 0)
		len += (size_t)n;
	text[len] = '\0';
	close(ends[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void read_lost_page(void)
{
	struct mapped m;

	lost_pages_catch();
	cut_short(&m);
	_exit(m.bytes[m.size - 1] ? 92 : 93);
}

static void test_it_ends_perf(void **state)
{
	char text[512];
	int status;

	(void)state;
	if (!faults_are_told())
		skip();
	status = in_child(read_lost_page, text, sizeof(text));
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 1);
	assert_non_null(strstr(text, "error: a file was truncated while it was read"));
	assert_non_null(strstr(text, "/tmp/perf-lost-"));
}

static void read_in_live_session(void)
{
	static const struct symbol_options no_symbols = { .symfs = "", .buildid_dir = "" };
	struct context ctx = { .buildid_dir = "", .symfs = "" };
	struct event_set set;
	struct synth synth;
	struct mapped m;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	lost_pages_catch();
	synth_init(&synth, false);
	synth_event(&synth, NULL, "cpu-clock");
	synth_set(&synth, &set);
	if (!session_new_live(&ctx, &set, &no_symbols) || lost_pages_file())
		_exit(94);
	cut_short(&m);
	for (size_t i = 0; i < m.size; i++)
		if (m.bytes[i] != (i < page))
			_exit(95);
	if (!lost_pages_file() || strncmp(lost_pages_file(), m.path, strlen(m.path)))
		_exit(96);
	if (munmap((void *)(uintptr_t)m.bytes, m.size))
		_exit(97);
	_exit(say_conditions(&ctx) ? 98 : 0);
}

static void test_a_live_session_goes_on(void **state)
{
	char text[512];
	int status;

	(void)state;
	if (!faults_are_told())
		skip();
	status = in_child(read_in_live_session, text, sizeof(text));
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_non_null(strstr(text, "warning: '/tmp/perf-lost-"));
	assert_non_null(strstr(text, "was cut short while it was read"));
}

static void *read_last(void *arg)
{
	const struct mapped *m = arg;

	return m->bytes[m->size - 1] ? (void *)arg : NULL;
}

/* Signals that are sent to perf are not for this thread, nor for those that it starts. */
static void *read_on_another(void *arg)
{
	pthread_t thread;
	void *found = arg;

	if (!pthread_create(&thread, NULL, read_last, arg))
		pthread_join(thread, &found);
	return found;
}

static void read_beside(void)
{
	struct mapped m;
	pthread_t thread;
	void *found;

	lost_pages_catch();
	lost_pages_bear();
	cut_short(&m);
	if (thread_beside(&thread, read_on_another, &m))
		_exit(96);
	pthread_join(thread, &found);
	_exit(found ? 97 : 0);
}

static void test_threads_beside(void **state)
{
	char text[512];

	(void)state;
	if (!faults_are_told())
		skip();
	assert_int_equal(in_child(read_beside, text, sizeof(text)), 0);
}

/* Memory that belongs to no file is never replaced: the fault is perf's own. */
static void touch_no_file(void)
{
	siginfo_t info = { .si_code = BUS_ADRERR };
	int on_stack = 7;

	lost_pages_catch();
	lost_pages_bear();
	info.si_addr = &on_stack;
	_exit(lost_pages_replace(&info) || on_stack != 7 ? 99 : 0);
}

static void test_only_files(void **state)
{
	char text[512];

	(void)state;
	assert_int_equal(in_child(touch_no_file, text, sizeof(text)), 0);
}

/* ---- files that are overwritten ---- */

/* Files of zeros, each mapped several times side by side, that are overwritten by ones. */
static void measure_overwritten(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), most = PAGES * page;
	const size_t sizes[] = { 1, page - 1, page, page + 1, most - 1, most };
	char path[] = "/tmp/perf-lost-XXXXXX";
	int fd = mkstemp(path);
	u8 *ones = malloc(most);
	const u8 *maps[3];

	unlink(path);
	memset(ones, 1, most);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		if (ftruncate(fd, 0) || ftruncate(fd, (off_t)sizes[i]))
			_exit(90);
		for (size_t k = 0; k < ARRAY_SIZE(maps); k++)
			if (!(maps[k] = lost_pages_map(fd, sizes[i])))
				_exit(91);
		/* also behind the old end, in the last page that is mapped and past it */
		if (pwrite(fd, ones, most, 0) != (ssize_t)most)
			_exit(92);
		for (size_t k = 0; k < ARRAY_SIZE(maps); k++)
			if (strlen((const char *)maps[k]) != (sizes[i] + page - 1) / page * page)
				_exit(93);
		for (size_t k = 0; k < ARRAY_SIZE(maps); k++)
			lost_pages_unmap(maps[k], sizes[i]);
	}
	free(ones);
	_exit(0);
}

static void test_overwritten_strings_end(void **state)
{
	char text[512];

	(void)state;
	assert_int_equal(in_child(measure_overwritten, text, sizeof(text)), 0);
}

/* Of this process: all that it has mapped. */
static size_t mapped_pages(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	size_t pages = 0;

	if (!f || fscanf(f, "%zu", &pages) != 1)
		_exit(89);
	fclose(f);
	return pages;
}

/* All that was mapped is given back, and the place of a file that cannot be mapped. */
static void map_often(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), before;
	char path[] = "/tmp/perf-lost-XXXXXX";
	int fd = mkstemp(path), none[2];

	unlink(path);
	if (pipe(none) || ftruncate(fd, (off_t)page))
		_exit(90);
	before = mapped_pages();
	for (int i = 0; i < 1000; i++) {
		const u8 *p = lost_pages_map(fd, page);

		if (!p)
			_exit(91);
		lost_pages_unmap(p, page);
		if (lost_pages_map(none[0], page) || errno != ENODEV)
			_exit(92);
	}
	if (mapped_pages() >= before + 500)
		_exit(93);
	if (lost_pages_map(fd, 0) || errno != EINVAL || lost_pages_map(fd, SIZE_MAX) ||
	    errno != ENOMEM)
		_exit(94);
	_exit(0);
}

static void test_nothing_stays_mapped(void **state)
{
	char text[512];

	(void)state;
	assert_int_equal(in_child(map_often, text, sizeof(text)), 0);
}

/* ---- in a program that is not perf ---- */

static void of_program(int sig)
{
	siglongjmp(back, sig);
}

/* Its own mappings fault as they did before there was a live session. */
static void read_in_other_program(void)
{
	struct sigaction sa = { .sa_handler = of_program };
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct mapped theirs, ours;
	int fd;

	sigaction(SIGBUS, &sa, NULL);
	lost_pages_bear();
	cut_short(&theirs);
	ours = (struct mapped){ .path = "/tmp/perf-lost-XXXXXX", .size = PAGES * page };
	fd = mkstemp(ours.path);
	unlink(ours.path);
	if (ftruncate(fd, (off_t)ours.size))
		_exit(90);
	ours.bytes = lost_pages_map(fd, ours.size);
	if (!ours.bytes || ftruncate(fd, (off_t)page))
		_exit(91);
	close(fd);
	for (size_t i = 0; i < ours.size; i++)
		if (ours.bytes[i])
			_exit(92);
	if (!sigsetjmp(back, 1))
		_exit(theirs.bytes[theirs.size - 1] ? 93 : 94);
	if (!lost_pages_file() || strncmp(lost_pages_file(), ours.path, strlen(ours.path)))
		_exit(95);
	lost_pages_unmap((const u8 *)(uintptr_t)ours.bytes, ours.size);
	_exit(0);
}

static void test_mappings_of_others(void **state)
{
	char text[512];
	int status;

	(void)state;
	if (!faults_are_told())
		skip();
	status = in_child(read_in_other_program, text, sizeof(text));
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_it_ends_perf),
		cmocka_unit_test(test_a_live_session_goes_on),
		cmocka_unit_test(test_threads_beside),
		cmocka_unit_test(test_only_files),
		cmocka_unit_test(test_overwritten_strings_end),
		cmocka_unit_test(test_nothing_stays_mapped),
		cmocka_unit_test(test_mappings_of_others),
	};

	return cmocka_run_group_tests_name("lost_pages", tests, NULL, NULL);
}
