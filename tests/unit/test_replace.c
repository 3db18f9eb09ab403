// SPDX-License-Identifier: GPL-2.0-or-later
/* Named outputs: what is replaced, what is left alone, what a failure or a signal leaves. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/out.h"
#include "base/replace.h"
#include "base/text.h"

static char dir[] = "/tmp/test-replace-XXXXXX";

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) && !chdir(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	char cmd[64];

	(void)state;
	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	return chdir("/") || system(cmd);
}

/* Each test begins in an empty directory, with and without names for temporary files. */
static int begin_unnamed(void **state)
{
	(void)state;
	temporary_always_named = false;
	umask(022);
	return system("find . -mindepth 1 -delete");
}

static int begin_named(void **state)
{
	int err = begin_unnamed(state);

	temporary_always_named = true;
	return err;
}

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write_all(fd, text, strlen(text)), 0);
	close(fd);
}

static void assert_holds(const char *path, const char *text)
{
	char own[64] = "";
	int fd = open(path, O_RDONLY);

	assert_true(fd >= 0);
	assert_int_equal(read_all(fd, own, sizeof(own) - 1), strlen(text));
	close(fd);
	assert_string_equal(own, text);
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	return st.st_mode;
}

/* Counts the names in the directory. */
static unsigned names(void)
{
	DIR *d = opendir(".");
	unsigned n = 0;

	assert_non_null(d);
	for (struct dirent *e; (e = readdir(d));)
		n += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
	closedir(d);
	return n;
}

static int write_text(const char *path, const char *text, enum replace_how how)
{
	return replace_text(path, text, strlen(text), 0666, how, NULL);
}

static void test_new(void **state)
{
	struct replace o;

	(void)state;
	umask(027);
	assert_int_equal(write_text("f", "new", REPLACE_ANY), 0);
	assert_holds("f", "new");
	assert_int_equal(mode_of("f"), S_IFREG | 0640);
	assert_int_equal(replace_begin(&o, "g", 0666, REPLACE_ANY, NULL), 0);
	assert_int_equal(access("g", F_OK), -1);
	replace_drop(&o);
	assert_int_equal(names(), 1);
	assert_int_equal(write_text("none/f", "x", REPLACE_ANY), -ENOENT);
	assert_int_equal(write_text("f/", "x", REPLACE_ANY), -ENOTDIR);
	assert_int_equal(write_text(".", "x", REPLACE_ANY), -EISDIR);
}

static void test_existing(void **state)
{
	struct replace o;
	struct stat st;

	(void)state;
	put("f", "a long old text");
	assert_int_equal(chmod("f", 0604), 0);
	assert_int_equal(link("f", "other"), 0);
	assert_int_equal(replace_begin(&o, "f", 0666, REPLACE_ANY, NULL), 0);
	assert_int_equal(write_all(o.fd, "half", 4), 0);
	assert_holds("f", "a long old text");
	replace_drop(&o);
	assert_holds("f", "a long old text");
	if (!geteuid())
		assert_int_equal(chown("f", 4, 5), 0);
	assert_int_equal(write_text("f", "new", REPLACE_ANY), 0);
	assert_holds("f", "new");
	assert_int_equal(mode_of("f"), S_IFREG | 0604);
	assert_int_equal(stat("f", &st), 0);
	if (!geteuid())
		assert_true(st.st_uid == 4 && st.st_gid == 5);
	assert_holds("other", "a long old text");
	assert_int_equal(write_text("f", "x", REPLACE_NOTHING), -EEXIST);
	assert_holds("f", "new");
	assert_int_equal(names(), 2);
}

static void test_links(void **state)
{
	(void)state;
	assert_int_equal(mkdir("d", 0755), 0);
	put("d/f", "old");
	assert_int_equal(symlink("d/f", "l"), 0);
	assert_int_equal(symlink("l", "l2"), 0);
	assert_int_equal(write_text("l2", "new", REPLACE_NO_LINK), -ELOOP);
	assert_int_equal(write_text("l2", "new", REPLACE_ANY), 0);
	assert_true(S_ISLNK(mode_of("l")) && S_ISLNK(mode_of("l2")));
	assert_holds("d/f", "new");
	assert_int_equal(symlink("d/none", "dangling"), 0);
	assert_int_equal(write_text("dangling", "x", REPLACE_NOTHING), -EEXIST);
	assert_int_equal(write_text("dangling", "through", REPLACE_ANY), 0);
	assert_true(S_ISLNK(mode_of("dangling")));
	assert_holds("d/none", "through");
	assert_int_equal(symlink("loop", "loop"), 0);
	assert_int_equal(write_text("loop", "x", REPLACE_ANY), -ELOOP);
}

static void test_dangling_is_taken_back(void **state)
{
	struct replace o;

	(void)state;
	assert_int_equal(symlink("none", "l"), 0);
	assert_int_equal(replace_begin(&o, "l", 0666, REPLACE_ANY, NULL), 0);
	replace_drop(&o);
	assert_int_equal(names(), 1);
	assert_true(S_ISLNK(mode_of("l")));
}

/* A link of another user in a directory like /tmp. */
static void test_foreign_link(void **state)
{
	(void)state;
	if (geteuid())
		skip();
	put("target", "precious");
	assert_int_equal(mkdir("sticky", 0), 0);
	assert_int_equal(chmod("sticky", 01777), 0);
	assert_int_equal(symlink("../target", "sticky/f"), 0);
	assert_int_equal(lchown("sticky/f", 7, 7), 0);
	assert_int_equal(write_text("sticky/f", "x", REPLACE_ANY), -EACCES);
	assert_int_equal(replace_check("sticky/f", NULL), -EACCES);
	assert_int_equal(replace_open("sticky/f", false, 0666, NULL), -EACCES);
	assert_null(replace_place("sticky/f", NULL));
	assert_holds("target", "precious");
}

static void test_streams(void **state)
{
	char text[8] = "";
	int fd;

	(void)state;
	assert_int_equal(mkfifo("fifo", 0600), 0);
	fd = open("fifo", O_RDWR);
	assert_int_equal(write_text("fifo", "stream", REPLACE_ANY), 0);
	assert_int_equal(read(fd, text, sizeof(text)), 6);
	assert_string_equal(text, "stream");
	close(fd);
	assert_true(S_ISFIFO(mode_of("fifo")));
	assert_true(replace_is_stream("fifo") && replace_is_stream("/dev/null"));
	assert_int_equal(replace_rename("fifo", "g", NULL), -EEXIST);
	assert_int_equal(replace_keep_old("fifo", NULL), 0);
	assert_int_equal(names(), 1);
}

static void test_descriptor(void **state)
{
	int fd = open("f", O_WRONLY | O_CREAT | O_APPEND, 0644);
	char path[32];

	(void)state;
	assert_int_equal(write_all(fd, "one ", 4), 0);
	snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	assert_int_equal(symlink(path, "l"), 0);
	assert_int_equal(write_text("l", "two", REPLACE_ANY), 0);
	assert_holds("f", "one two");
	assert_true(replace_is_descriptor("/dev/stdout") && !replace_is_descriptor("/dev/null"));
	assert_int_equal(replace_keep_old("l", NULL), 0);
	assert_int_equal(names(), 2);
	close(fd);
}

static void test_old(void **state)
{
	(void)state;
	put("f", "new");
	put("mine", "mine");
	assert_int_equal(symlink("f", "l"), 0);
	assert_int_equal(replace_keep_old("l", NULL), 0);
	assert_holds("f.old", "new");
	assert_true(S_ISLNK(mode_of("l")));
	put("f", "newer");
	assert_int_equal(unlink("f.old"), 0);
	assert_int_equal(symlink("mine", "f.old"), 0);
	assert_int_equal(replace_keep_old("f", NULL), -EEXIST);
	assert_int_equal(unlink("f.old"), 0);
	assert_int_equal(mkdir("f.old", 0755), 0);
	assert_int_equal(replace_keep_old("f", NULL), -EEXIST);
	assert_int_equal(replace_check_old("f", true, NULL), 0);
	assert_holds("f", "newer");
	assert_holds("mine", "mine");
}

static void test_check_changes_nothing(void **state)
{
	int fd;

	(void)state;
	put("f", "old");
	assert_int_equal(replace_check("f", NULL), 0);
	assert_int_equal(replace_check("new", NULL), 0);
	assert_int_equal(replace_check(".", NULL), -EISDIR);
	assert_int_equal(replace_check("none/f", NULL), -ENOENT);
	assert_holds("f", "old");
	assert_int_equal(names(), 1);
	fd = replace_open("f", true, 0666, NULL);
	assert_int_equal(write_all(fd, "er", 2), 0);
	close(fd);
	assert_holds("f", "older");
}

/* What appears with the name meanwhile belongs to someone else. */
static void test_meanwhile(void **state)
{
	struct replace o;

	(void)state;
	put("mine", "mine");
	assert_int_equal(replace_begin(&o, "f", 0666, REPLACE_ANY, NULL), 0);
	assert_int_equal(symlink("mine", "f"), 0);
	assert_int_equal(replace_end(&o, NULL), -EEXIST);
	assert_int_equal(unlink("f"), 0);
	put("f", "old");
	assert_int_equal(replace_begin(&o, "f", 0666, REPLACE_ANY, NULL), 0);
	assert_int_equal(unlink("f") || symlink("mine", "f"), 0);
	assert_int_equal(replace_end(&o, NULL), -EEXIST);
	assert_holds("mine", "mine");
	assert_int_equal(names(), 2);
}

/* A child that begins an output and is ended by a signal before it is complete. */
static void end_by(int sig)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		struct replace o;

		temporary_note("noted", TEMPORARY_FILE);
		put("noted", "x");
		if (replace_begin(&o, "f", 0666, REPLACE_ANY, NULL) || write_all(o.fd, "half", 4))
			_exit(1);
		raise(sig);
		_exit(2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == sig);
}

static void test_signals(void **state)
{
	static const int signals[] = { SIGHUP,  SIGINT,  SIGQUIT, SIGPIPE,
				       SIGTERM, SIGALRM, SIGUSR1, SIGXCPU };

	(void)state;
	put("f", "old");
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		end_by(signals[i]);
		assert_int_equal(names(), 1);
	}
	assert_holds("f", "old");
}

static void end_directory_by(int sig)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		struct temporary_directory t;

		if (temporary_directory(&t, "d", 0755) || chdir(t.path) || mkdir("in", 0))
			_exit(1);
		put("file", "x");
		if (chdir(dir))
			_exit(3);
		raise(sig);
		_exit(2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == sig);
}

/* A process cleans up in a directory once; after this it does so again here. */
static void forget_directory(void)
{
	assert_int_equal(mkdir("d", 0755), 0);
	assert_int_equal(write_text("d/f", "x", REPLACE_ANY), 0);
	assert_int_equal(write_text("d/f", "x", REPLACE_ANY), 0);
	assert_int_equal(unlink("d/f") || rmdir("d"), 0);
}

static void test_killed(void **state)
{
	struct replace o;

	(void)state;
	put(".f.mine-new-abcdef", "the user's");
	put("f", "old");
	end_by(SIGKILL);
	assert_int_equal(unlink("noted"), 0);
	assert_int_equal(names(), temporary_always_named ? 3 : 2);
	forget_directory();
	/* the next run removes it, but nothing that is still being written */
	assert_int_equal(replace_begin(&o, "g", 0666, REPLACE_ANY, NULL), 0);
	assert_int_equal(names(), temporary_always_named ? 3 : 2);
	end_by(SIGTERM);
	assert_int_equal(replace_end(&o, NULL), 0);
	assert_int_equal(names(), 3);
	assert_int_equal(write_text("f", "new", REPLACE_ANY), 0);
	assert_int_equal(names(), 3);
	assert_holds(".f.mine-new-abcdef", "the user's");
}

/* Moves what had this name to "moved", which holds a shut directory and a link that leads out. */
static void swap_directory(const char *path)
{
	put("kept", "outside");
	assert_int_equal(rename(path, "moved"), 0);
	assert_int_equal(mkdir("moved/in", 0700) || mkdir("moved/in/deep", 0700) ||
				 symlink("../..", "moved/in/out"),
			 0);
	put("moved/in/deep/file", "x");
	assert_int_equal(chmod("moved/in", 0), 0);
	assert_int_equal(mkdir(path, 0700) || chdir(path), 0);
	put("precious", "the user's");
	assert_int_equal(chdir(dir), 0);
}

static void test_directory(void **state)
{
	struct temporary_directory t, other;
	char *other_path;
	struct stat st;

	(void)state;
	assert_int_equal(temporary_directory(&t, "new", 0755), 0);
	assert_int_equal(stat(t.path, &st), 0);
	assert_true(S_ISDIR(st.st_mode));
	assert_int_equal(temporary_directory(&other, "new", 0700), 0);
	assert_int_equal(names(), 2);
	assert_int_equal(temporary_directory_place(&t, "new"), 0);
	assert_int_equal(temporary_directory_place(&other, "new"), -EEXIST);
	temporary_directory_end(&t);
	temporary_directory_end(&other);
	assert_int_equal(names(), 1);
	assert_int_equal(rmdir("new"), 0);
	assert_int_equal(temporary_directory(&t, "no/such", 0700), -ENOENT);
	temporary_directory_end(&t);
	/*
	 * signals remove one, and so does the next run after KILL, but nothing that is still in use
	 */
	end_directory_by(SIGTERM);
	assert_int_equal(names(), 0);
	end_directory_by(SIGKILL);
	assert_int_equal(names(), 1);
	forget_directory();
	assert_int_equal(temporary_directory(&t, "x", 0700), 0);
	assert_int_equal(names(), 1);
	end_directory_by(SIGTERM);
	assert_int_equal(names(), 1);
	temporary_directory_end(&t);
	assert_int_equal(names(), 0);
	/* another directory that has got the name keeps what it holds */
	assert_int_equal(temporary_directory(&t, "x", 0700), 0);
	swap_directory(t.path);
	assert_true(asprintf(&other_path, "%s", t.path) > 0);
	temporary_directory_end(&t);
	assert_int_equal(rmdir("moved"), 0);
	assert_int_equal(rename(other_path, "other"), 0);
	free(other_path);
	assert_holds("other/precious", "the user's");
	assert_holds("kept", "outside");
	assert_int_equal(unlink("other/precious") || rmdir("other") || unlink("kept"), 0);
}

int main(void)
{
#define BOTH(test)                                                                                 \
	cmocka_unit_test_setup(test, begin_unnamed), cmocka_unit_test_setup(test, begin_named)
	/* clang-format off */
	const struct CMUnitTest tests[] = {
		BOTH(test_new), BOTH(test_existing), BOTH(test_links), BOTH(test_dangling_is_taken_back),
		BOTH(test_foreign_link), BOTH(test_streams), BOTH(test_descriptor), BOTH(test_old),
		BOTH(test_check_changes_nothing), BOTH(test_meanwhile), BOTH(test_signals), BOTH(test_killed),
		cmocka_unit_test_setup(test_directory, begin_unnamed),
	};
	/* clang-format on */

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
