// SPDX-License-Identifier: GPL-2.0-or-later
/* Files that processes name are opened with the rights of their users. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "object/rights.h"

enum { SOMEBODY = 4711, ANOTHER = 4712 };

static char top[] = "/tmp/test-rights.XXXXXX";
static int root; /* the directory, as the root of a process */

static void run(const char *command)
{
	assert_int_equal(system(command), 0);
}

static int make(void **state)
{
	(void)state;
	if (!mkdtemp(top) || chmod(top, 0755) || chdir(top))
		return -1;
	run("mkdir tmp && echo secret >secret && chmod 600 secret && for f in plain own others "
	    "writable; do echo x >tmp/$f; done;"
	    " chmod 644 tmp/*; chmod 666 tmp/writable; mkfifo tmp/fifo; ln -s plain tmp/link; ln "
	    "-s /secret tmp/out;"
	    " ln tmp/plain tmp/second; cp -p secret tmp/hidden; mkdir closed && echo x "
	    ">closed/file && chmod 700 closed;"
	    " ln -s /tmp absolute; ln -s ../../../../../../tmp up");
	root = open(top, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return root < 0 ? -1 : 0;
}

static int end(void **state)
{
	char *command = xasprintf("rm -rf %s", top);
	int status = chdir("/") || system(command);

	(void)state;
	close(root);
	free(command);
	return status;
}

/* Returns 0 if it can be opened, otherwise -errno. */
static int opens(const struct user_rights *u, const char *path)
{
	int fd = open_as(u, root, path);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static void test_own_rights(void **state)
{
	struct user_rights own = user_rights_own(), of;

	(void)state;
	assert_int_equal(user_rights_of(getpid(), &of), 0);
	assert_int_equal(of.uid, geteuid());
	assert_int_equal(of.gid, getegid());
	assert_int_equal(opens(&own, "tmp/plain"), 0);
	assert_int_equal(opens(&own, "/tmp/plain"), 0); /* below the root, not below ours */
	assert_int_equal(opens(&own, "tmp/link"), -ELOOP);
	assert_int_equal(opens(&own, "tmp/fifo"), -EPERM);
	assert_int_equal(opens(&own, "tmp"), -EPERM);
	assert_int_equal(opens(&own, "tmp/nothing"), -ENOENT);
}

static void test_links_stay_below(void **state)
{
	static const char *const paths[] = { "absolute/plain", "/absolute/plain", "up/plain",
					     "../../tmp/plain" };
	struct user_rights own = user_rights_own();
	struct stat st;
	int fd;

	(void)state;
	fd = open_below(root, "tmp/out", O_PATH);
	if (fd == -ELOOP)
		skip(); /* before Linux 5.6 */
	assert_true(fd >= 0 && !fstat(fd, &st) && st.st_size == 7);
	close(fd);
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		assert_int_equal(opens(&own, paths[i]), 0);
}

static void test_other_user(void **state)
{
	const struct user_rights somebody = { SOMEBODY, SOMEBODY };

	(void)state;
	if (geteuid() || chown("tmp/own", SOMEBODY, SOMEBODY) ||
	    chown("tmp/others", ANOTHER, ANOTHER))
		skip();
	assert_int_equal(opens(&somebody, "tmp/own"), 0);
	assert_int_equal(chmod("tmp/own", 0600), 0);
	assert_int_equal(opens(&somebody, "tmp/own"), 0);
	/* root's, as a compiler leaves it that became another user later */
	assert_int_equal(opens(&somebody, "tmp/plain"), 0);
	assert_int_equal(opens(&somebody, "tmp/writable"), -EPERM);
	assert_int_equal(opens(&somebody, "tmp/others"), -EPERM);
	assert_int_equal(opens(&somebody, "tmp/hidden"), -EACCES);
	assert_int_equal(opens(&somebody, "secret"), -EACCES);
	assert_int_equal(opens(&somebody, "closed/file"), -EACCES);
	/* it was another thread's doing */
	assert_int_equal(geteuid(), 0);
	assert_int_equal(opens(&(struct user_rights){ 0, 0 }, "closed/file"), 0);
	assert_int_equal(open("secret", O_RDONLY | O_CLOEXEC) < 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own_rights),
		cmocka_unit_test(test_links_stay_below),
		cmocka_unit_test(test_other_user),
	};

	return cmocka_run_group_tests(tests, make, end);
}
