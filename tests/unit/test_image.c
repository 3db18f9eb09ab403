// SPDX-License-Identifier: GPL-2.0-or-later
/* What a mapping's name says it is, and which images are one. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "object/image.h"

static u32 intern(struct image_table *t, const char *path, bool kernel)
{
	return image_intern(t, &(struct image){ .path = path, .kernel = kernel, .pid = 77 });
}

static void test_kinds_and_names(void **state)
{
	static const struct {
		const char *path;
		bool kernel;
		enum image_kind kind;
		const char *name, *script;
	} cases[] = {
		{ "/usr/bin/ls", false, IMAGE_ELF, "ls", "/usr/bin/ls" },
		{ "/memfd:x (deleted)", false, IMAGE_ELF, "memfd:x (deleted)",
		  "/memfd:x (deleted)" },
		{ "[vdso]", false, IMAGE_VDSO, "[vdso]", "[vdso]" },
		{ "[vsyscall]", false, IMAGE_VSYSCALL, "[vsyscall]", "[vsyscall]" },
		{ "//anon", false, IMAGE_JIT, "[JIT] tid 77", "/tmp/perf-77.map" },
		{ "/dev/zero (deleted)", false, IMAGE_JIT, "[JIT] tid 77", "/tmp/perf-77.map" },
		{ "/anon_hugepage (deleted)", false, IMAGE_JIT, "[JIT] tid 77",
		  "/tmp/perf-77.map" },
		{ "[anon:jit]", false, IMAGE_JIT, "[JIT] tid 77", "/tmp/perf-77.map" },
		{ "[anon_shmem:jit]", false, IMAGE_JIT, "[JIT] tid 77", "/tmp/perf-77.map" },
		{ "/SYSV00000000", false, IMAGE_JIT, "[JIT] tid 77", "/tmp/perf-77.map" },
		{ "[heap]", false, IMAGE_JIT, "[JIT] tid 77", "/tmp/perf-77.map" },
		{ "[kernel.kallsyms]_text", true, IMAGE_KERNEL, "[kernel.kallsyms]",
		  "[kernel.kallsyms]" },
		{ "[kernel.kallsyms]_stext", true, IMAGE_KERNEL, "[kernel.kallsyms]",
		  "[kernel.kallsyms]" },
		{ "[guest.kernel.kallsyms]_text", true, IMAGE_KERNEL, "[guest.kernel.kallsyms]",
		  "[guest.kernel.kallsyms]" },
		{ "/lib/modules/6.1/kernel/fs/ext4/ext4.ko.xz", true, IMAGE_MODULE, "[ext4]",
		  "[ext4]" },
		{ "/lib/modules/6.1/snd-hda-intel.ko", true, IMAGE_MODULE, "[snd_hda_intel]",
		  "[snd_hda_intel]" },
		{ "[virtio_net]", true, IMAGE_MODULE, "[virtio_net]", "[virtio_net]" },
		{ "bpf_prog_6deef7357e7b4530_x", true, IMAGE_BPF, "bpf_prog_6deef7357e7b4530_x",
		  "bpf_prog_6deef7357e7b4530_x" },
	};
	struct image_table *t = image_table_new();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct image *im = image_get(t, intern(t, cases[i].path, cases[i].kernel));

		assert_int_equal(im->kind, cases[i].kind);
		assert_string_equal(im->name, cases[i].name);
		assert_string_equal(image_script_name(im), cases[i].script);
		assert_int_equal(im->kernel, cases[i].kernel);
	}
	assert_int_equal(image_classify("[heap]", false, false), IMAGE_OTHER);
	assert_int_equal(image_classify("//anon", false, false), IMAGE_OTHER);
	assert_int_equal(image_classify("[uprobes]", false, true), IMAGE_OTHER);
	image_table_free(t);
}

/* Checks memory in files: a loader maps an object privately, and never writable and executable. */
static void test_memory_in_files(void **state)
{
	static const char *const files[] = { "/memfd:doublemapper (deleted)", "/tmp/jit (deleted)",
					     "/dev/shm/jit" };
	const u32 exec = PROT_READ | PROT_EXEC;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		assert_true(image_may_be_generated(files[i]));
		assert_int_equal(image_classify_mapping(files[i], true, exec, MAP_SHARED),
				 IMAGE_JIT);
		assert_int_equal(image_classify_mapping(files[i], true, exec | PROT_WRITE,
							MAP_PRIVATE),
				 IMAGE_JIT);
		assert_int_equal(image_classify_mapping(files[i], true, exec, MAP_PRIVATE),
				 IMAGE_ELF);
		assert_int_equal(image_classify_mapping(files[i], true, 0, 0), IMAGE_ELF);
		assert_int_equal(image_classify_mapping(files[i], false, PROT_READ, MAP_SHARED),
				 IMAGE_ELF);
	}
	assert_false(image_may_be_generated("/proc/self/exe"));
	assert_int_equal(image_classify_mapping("/proc/self/exe", true, exec, MAP_SHARED),
			 IMAGE_ELF);
}

/*
 * Checks that a named file is what its bytes say, and a missing one generated code only if its
 * mapping was shared.
 */
static void test_programs_in_files(void **state)
{
	static const struct {
		const char *bytes;
		enum image_kind shared, writable;
	} files[] = {
		{ "\177ELF", IMAGE_ELF, IMAGE_ELF },      { "MZ\220", IMAGE_ELF, IMAGE_ELF },
		{ "\110\307\301", IMAGE_JIT, IMAGE_JIT }, { "", IMAGE_JIT, IMAGE_JIT },
		{ NULL, IMAGE_JIT, IMAGE_ELF }, /* unlinked: the last */
	};
	char path[] = "/tmp/test_imageXXXXXX";
	const u32 exec = PROT_READ | PROT_EXEC;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		const char *bytes = files[i].bytes;

		assert_int_equal(ftruncate(fd, 0), 0);
		if (bytes)
			assert_int_equal(pwrite(fd, bytes, strlen(bytes), 0), strlen(bytes));
		else
			unlink(path);
		assert_int_equal(image_classify_mapping(path, true, exec, MAP_SHARED),
				 files[i].shared);
		assert_int_equal(image_classify_mapping(path, true, exec | PROT_WRITE, MAP_PRIVATE),
				 files[i].writable);
		assert_int_equal(image_classify_mapping(path, true, exec, MAP_PRIVATE), IMAGE_ELF);
	}
	close(fd);
	/* a device is not opened */
	assert_int_equal(image_classify_mapping("/dev/null", true, exec, MAP_SHARED), IMAGE_ELF);
}

/* Checks that a process has one perf map, whichever files its memory comes from. */
static void test_one_map_of_a_process(void **state)
{
	struct image_table *t = image_table_new();
	struct image a = {
		.kind = IMAGE_JIT, .path = "/memfd:a (deleted)", .pid = 5, .ino = 7, .min = 1
	};
	u32 first = image_intern(t, &a);

	(void)state;
	a.path = "//anon";
	a.ino = 0;
	assert_int_equal(image_intern(t, &a), first);
	image_table_free(t);
}

static void test_equal_is_one(void **state)
{
	struct image_table *t = image_table_new();
	struct image a = { .path = "/bin/a", .pid = 5 };
	u32 first, with_id;

	(void)state;
	assert_int_equal(image_get(t, 0)->kind, IMAGE_UNKNOWN);
	first = image_intern(t, &a);
	a.pid = 6; /* whose mapping it is does not matter for a file */
	assert_int_equal(image_intern(t, &a), first);
	a.build_id = (struct build_id){ 20, { 1, 2, 3 } };
	with_id = image_intern(t, &a);
	assert_int_not_equal(with_id, first);
	assert_int_equal(image_intern(t, &a), with_id);
	a.guest = 9;
	assert_int_not_equal(image_intern(t, &a), with_id);
	/* the file at this path was replaced by another */
	assert_int_not_equal(image_intern(t, &(struct image){ .path = "/bin/a", .ino = 4 }), first);
	/* every process has a JIT area of its own */
	assert_int_not_equal(image_intern(t, &(struct image){ .path = "//anon", .pid = 1 }),
			     image_intern(t, &(struct image){ .path = "//anon", .pid = 2 }));
	image_table_free(t);
}

static void test_build_ids_by_path(void **state)
{
	struct build_id a = { 20, { 0xaa } }, b = { 20, { 0xbb } }, own = { 16, { 0xcc } };
	struct image_table *t = image_table_new();
	u32 plain, guest, ext4, kernel, owner;

	(void)state;
	plain = intern(t, "/bin/a", false);
	owner = image_intern(t, &(struct image){ .path = "/bin/a", .build_id = own });
	guest = image_intern(t, &(struct image){ .path = "/bin/a", .guest = 3 });
	ext4 = intern(t, "[ext4]", true);
	kernel = intern(t, "[kernel.kallsyms]_text", true);
	image_apply_build_id(t, "/bin/a", false, 0, &a);
	image_apply_build_id(t, "/lib/modules/6.1/kernel/fs/ext4/ext4.ko", true, 0, &b);
	image_apply_build_id(t, "[kernel.kallsyms]", true, 0, &a);
	assert_int_equal(image_get(t, plain)->build_id.id[0], 0xaa);
	assert_int_equal(image_get(t, owner)->build_id.id[0], 0xcc);
	assert_int_equal(image_get(t, guest)->build_id.size, 0);
	assert_int_equal(image_get(t, ext4)->build_id.id[0], 0xbb);
	assert_int_equal(image_get(t, kernel)->build_id.id[0], 0xaa);
	image_table_free(t);
	/* Debian's perf names the file that it found */
	t = image_table_new();
	kernel = intern(t, "[kernel.kallsyms]_text", true);
	plain = intern(t, "/boot/vmlinux-6.1.0", false);
	image_apply_build_id(t, "/boot/vmlinux-6.1.0", true, 0, &b);
	assert_int_equal(image_get(t, kernel)->build_id.id[0], 0xbb);
	assert_int_equal(image_get(t, plain)->build_id.size, 0);
	image_table_free(t);
}

static void test_build_id_text(void **state)
{
	struct build_id id;
	char buf[41];

	(void)state;
	assert_int_equal(build_id_parse("00ffA5", &id), 0);
	assert_int_equal(id.size, 3);
	assert_string_equal(build_id_text(&id, buf), "00ffa5");
	assert_int_equal(build_id_parse("0", &id), -EINVAL);
	assert_int_equal(build_id_parse("zz", &id), -EINVAL);
	assert_int_equal(build_id_parse("", &id), -EINVAL);
	assert_string_equal(build_id_text(&(struct build_id){ 0 }, buf), "");
}

static void test_many_images_stay_where_they_are(void **state)
{
	struct image_table *t = image_table_new();
	const struct image *first = image_get(t, intern(t, "/bin/first", false));
	char path[32];

	(void)state;
	for (u32 i = 0; i < 10000; i++) {
		snprintf(path, sizeof(path), "/lib/lib%u.so", i);
		assert_int_equal(intern(t, path, false), i + 2);
	}
	assert_int_equal(image_count(t), 10002);
	assert_ptr_equal(first, image_get(t, 1));
	assert_string_equal(image_get(t, 5001)->path, "/lib/lib4999.so");
	assert_int_equal(image_get(t, 99999)->id, 0);
	image_table_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds_and_names),
		cmocka_unit_test(test_memory_in_files),
		cmocka_unit_test(test_programs_in_files),
		cmocka_unit_test(test_one_map_of_a_process),
		cmocka_unit_test(test_equal_is_one),
		cmocka_unit_test(test_build_ids_by_path),
		cmocka_unit_test(test_build_id_text),
		cmocka_unit_test(test_many_images_stay_where_they_are),
	};

	return cmocka_run_group_tests_name("image", tests, NULL, NULL);
}
