// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Entries of the build-id cache: files of their own, of the right object, with the rights of the
 * original.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "object/buildid.h"
#include "object/cache.h"

enum { NOBODY = 65534 };

static char top[] = "/tmp/test-cache.XXXXXX";
static char *cache, *program, *text; /* the cache, a copy of /bin/sh, a file without a build-id */

static void run(const char *format, ...)
{
	char *command;
	va_list args;

	va_start(args, format);
	assert_true(vasprintf(&command, format, args) > 0);
	va_end(args);
	assert_int_equal(system(command), 0);
	free(command);
}

static int make(void **state)
{
	(void)state;
	if (!mkdtemp(top) || chmod(top, 0755))
		return -1;
	cache = xasprintf("%s/cache", top);
	program = xasprintf("%s/program", top);
	text = xasprintf("%s/text", top);
	return 0;
}

static int end(void **state)
{
	(void)state;
	run("rm -rf %s", top);
	free(cache);
	free(program);
	free(text);
	return 0;
}

static int make_files(void **state)
{
	(void)state;
	run("rm -rf %s && cp /bin/sh %s && chmod 755 %s && echo 10 20 made >%s && chmod 644 %s",
	    cache, program, program, text, text);
	return 0;
}

static struct cache_entry entry_of_program(void)
{
	struct cache_entry e = { .kind = CACHE_ELF, .name = "/opt/program", .source = program };

	assert_int_equal(build_id_of_file(program, &e.id, NULL), 0);
	return e;
}

static struct stat status_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st;
}

static struct stat found(const struct build_id *id, const char *what)
{
	char *path = cache_find(cache, id, what);
	struct stat st;

	assert_non_null(path);
	st = status_of(path);
	free(path);
	return st;
}

static void assert_holds(const struct build_id *id, const char *want)
{
	char *path = cache_find(cache, id, "elf");

	assert_non_null(path);
	run("test \"$(cat '%s')\" = '%s'", path, want);
	free(path);
}

static void test_own_files(void **state)
{
	struct cache_entry e = entry_of_program(),
			   made = { .kind = CACHE_ELF, .name = "/tmp/perf-1.map", .source = text };
	struct build_id own;

	(void)state;
	assert_int_equal(cache_add(cache, &e, NULL), 0);
	assert_int_equal(found(&e.id, "elf").st_nlink, 1);
	assert_int_equal(status_of(program).st_nlink, 1);
	assert_int_equal(build_id_of_content(text, &own, NULL), 0);
	assert_int_equal(cache_add_content(cache, &made, NULL), 0);
	assert_true(build_id_equal(&own, &made.id));
	/* what is written into the originals does not get into the entries */
	run("echo later >%s; echo later >%s", program, text);
	assert_int_equal(found(&e.id, "elf").st_size, status_of("/bin/sh").st_size);
	assert_holds(&made.id, "10 20 made");
	/* nothing else was left */
	run("test $(find %s -type f | wc -l) = 2", cache);
}

/* Makes an entry a hard link to the original, as an earlier version and perf 6.1 did. */
static void link_entry(const struct build_id *id, const char *original)
{
	char *path = cache_find(cache, id, "elf");

	assert_non_null(path);
	run("ln -f %s '%s'", original, path);
	free(path);
	assert_int_equal(status_of(original).st_nlink, 2);
}

static void test_links_become_copies(void **state)
{
	struct cache_entry e = entry_of_program(),
			   made = { .kind = CACHE_ELF, .name = "/tmp/perf-1.map", .source = text };

	(void)state;
	assert_int_equal(cache_add(cache, &e, NULL), 0);
	assert_int_equal(cache_add_content(cache, &made, NULL), 0);
	for (int again = 0; again < 2; again++) {
		link_entry(&e.id, program);
		link_entry(&made.id, text);
		if (again) {
			assert_int_equal(cache_add(cache, &e, NULL), 0);
			assert_int_equal(cache_add_content(cache, &made, NULL), 0);
		} else {
			assert_int_equal(found(&e.id, "elf").st_nlink, 1);
			assert_int_equal(found(&made.id, "elf").st_nlink, 1);
			assert_int_equal(found(&made.id, "elf").st_mode & 0777, 0600);
		}
		assert_int_equal(status_of(program).st_nlink, 1);
		assert_int_equal(status_of(text).st_nlink, 1);
	}
	/*
	 * a link whose file was written since is not used, and is replaced when the right bytes
	 * come
	 */
	link_entry(&made.id, text);
	run("echo later >%s", text);
	assert_null(cache_find(cache, &made.id, "elf"));
	run("rm %s; echo 10 20 made >%s", text, text);
	assert_int_equal(cache_add_content(cache, &made, NULL), 0);
	assert_holds(&made.id, "10 20 made");
}

static void test_wrong_object(void **state)
{
	struct cache_entry e = entry_of_program(), debug = e,
			   vdso = { .kind = CACHE_VDSO, .name = "[vdso]" };
	struct reason r = REASON_INIT;
	struct build_id own;

	(void)state;
	e.id.id[3] ^= 1;
	assert_int_equal(cache_add(cache, &e, &r), -ESTALE);
	assert_non_null(strstr(r.text, "build-ids differ"));
	assert_null(cache_find(cache, &e.id, "elf"));
	debug.kind = CACHE_DEBUG;
	debug.id = vdso.id = e.id;
	assert_int_equal(cache_add(cache, &debug, &r), -ESTALE);
	if (!build_id_of_vdso(&own, NULL)) /* there is one */
		assert_int_equal(cache_add(cache, &vdso, &r), -ESTALE);
	e.source = text; /* has none */
	assert_int_equal(cache_add(cache, &e, &r), -ESTALE);
	run("test -z \"$(find %s ! -type d)\"", cache);
	reason_release(&r);
}

/* Checks that the running kernel's list is refused for another kernel. */
static void test_wrong_kernel(void **state)
{
	struct cache_entry e = { .kind = CACHE_KALLSYMS, .name = "[kernel.kallsyms]" };
	int err;

	(void)state;
	if (build_id_of_kernel(NULL, &e.id, NULL) || cache_add(cache, &e, NULL))
		skip(); /* it has no id, or hides its addresses */
	assert_int_equal(found(&e.id, "kallsyms").st_mode & 0777, 0600);
	e.id.id[0] ^= 1;
	err = cache_add(cache, &e, NULL);
	assert_int_equal(err, -ESTALE);
	assert_null(cache_find(cache, &e.id, "kallsyms"));
}

static void test_rights(void **state)
{
	static const struct {
		mode_t from, to;
	} modes[] = {
		{ 0755, 0755 }, { 0644, 0755 }, { 04755, 0755 }, { 0700, 0700 },
		{ 0600, 0600 }, { 0400, 0400 }, { 0711, 0711 },  { 0750, 0750 },
	};
	struct cache_entry e = entry_of_program(),
			   made = { .kind = CACHE_ELF, .name = "/tmp/perf-1.map", .source = text };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		assert_int_equal(chmod(program, modes[i].from), 0);
		assert_int_equal(cache_add(cache, &e, NULL), 0);
		assert_int_equal(found(&e.id, "elf").st_mode & 07777, modes[i].to);
		assert_int_equal(cache_remove(cache, &e.id, NULL), 0);
	}
	assert_int_equal(cache_add_content(cache, &made, NULL), 0);
	assert_int_equal(found(&made.id, "elf").st_mode & 07777, 0600);
	/* readable for everybody, but in a directory that is not */
	assert_int_equal(chmod(program, 0755), 0);
	assert_int_equal(chmod(top, 0700), 0);
	assert_int_equal(cache_add(cache, &e, NULL), 0);
	assert_int_equal(chmod(top, 0755), 0);
	assert_int_equal(found(&e.id, "elf").st_mode & 07777, 0700);
}

/*
 * Checks sudo with the HOME of a user: the entries of the user's own files belong to the user, and
 * so does the kernel's list.
 */
static void test_cache_of_a_user(void **state)
{
	struct cache_entry list = { .kind = CACHE_KALLSYMS,
				    .name = "[kernel.kallsyms]",
				    .source = text,
				    .id = { .size = 20, .id = { 7 } } };
	struct cache_entry made = { .kind = CACHE_ELF, .name = "/tmp/perf-1.map", .source = text };
	struct cache_entry e = entry_of_program();
	char *home = xstrdup(getenv("HOME") ? getenv("HOME") : "");

	(void)state;
	if (geteuid())
		skip();
	setenv("HOME", top, 1);
	assert_int_equal(chown(top, NOBODY, NOBODY), 0);
	assert_int_equal(cache_add(cache, &list, NULL), 0);
	assert_int_equal(found(&list.id, "kallsyms").st_uid, NOBODY);
	assert_int_equal(found(&list.id, "kallsyms").st_mode & 0777, 0600);
	/* with the addresses that root sees, only if the user sees them, too */
	list.source = NULL;
	if (!build_id_of_kernel(NULL, &list.id, NULL) && !cache_add(cache, &list, NULL))
		assert_int_equal(found(&list.id, "kallsyms").st_uid,
				 kallsyms_shown_to_all() ? NOBODY : 0);
	/* what only root could read stays root's */
	assert_int_equal(chmod(program, 0700), 0);
	assert_int_equal(cache_add(cache, &e, NULL), 0);
	assert_int_equal(found(&e.id, "elf").st_uid, 0);
	assert_int_equal(found(&e.id, "elf").st_mode & 0777, 0700);
	assert_int_equal(cache_add_content(cache, &made, NULL), 0);
	assert_int_equal(found(&made.id, "elf").st_uid, 0);
	run("echo more >>%s", text);
	assert_int_equal(chown(text, NOBODY, NOBODY), 0);
	assert_int_equal(cache_add_content(cache, &made, NULL), 0);
	assert_int_equal(found(&made.id, "elf").st_uid, NOBODY);
	assert_int_equal(chown(top, 0, 0), 0);
	setenv("HOME", home, 1);
	free(home);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_own_files, make_files),
		cmocka_unit_test_setup(test_links_become_copies, make_files),
		cmocka_unit_test_setup(test_wrong_object, make_files),
		cmocka_unit_test_setup(test_wrong_kernel, make_files),
		cmocka_unit_test_setup(test_rights, make_files),
		cmocka_unit_test_setup(test_cache_of_a_user, make_files),
	};

	return cmocka_run_group_tests(tests, make, end);
}
