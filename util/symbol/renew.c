// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whether the files that a table of symbols was made from are still as they were.
 *
 * An object is told by its inode: one that another file has been put in place of is still mapped where
 * it runs, and here.  Its bytes can only be others where somebody has written into it.  A debug file
 * that was not there, or was refused, may be installed at any time.
 *
 * A perf map is looked at while its process runs: a later process may have the same pid, and the
 * path of one that ran in a container leads to a file of the host when it has ended.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/text.h"
#include "object/elf.h"
#include "symbol/internal.h"

/* a table is read again after so many times as long as reading it took this thread's CPU */
enum { SHARE = 50 };

static u64 now_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (u64)t.tv_sec * 1000000000 + (u64)t.tv_nsec;
}

u64 source_files_cpu_now(void)
{
	return now_of(CLOCK_THREAD_CPUTIME_ID);
}

u64 process_begun(s32 pid)
{
	char *path = xasprintf("/proc/%d/stat", pid);
	FILE *f = fopen(path, "re");
	char text[1024];
	size_t n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;
	unsigned long long begun;
	const char *p;
	char state;

	free(path);
	if (f)
		fclose(f);
	text[n] = '\0';
	p = strrchr(text, ')'); /* its name may be anything */
	/* field 3, and field 22 */
	if (!p || sscanf(p, ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
			 &state, &begun) != 2)
		return 0;
	return state == 'Z' || state == 'X' ? 0 : begun;
}

static bool has_lines(const struct elf *e)
{
	return e && (elf_section(e, ".debug_info") || elf_section(e, ".zdebug_info"));
}

void source_files_note(struct symbol_table *t, const struct object_search *search, const struct image *img,
		       u64 cpu)
{
	struct source_files *f = &t->files;

	if (img->kind == IMAGE_ELF && !t->debug_elf && !has_lines(t->elf)) {
		f->wants_debug = true;
		object_debug_seen(search, img, t->elf, &f->seen);
	}
	if (img->kind == IMAGE_JIT && img->pid >= 0)
		f->process = process_begun(img->pid);
	f->made = now_of(CLOCK_MONOTONIC);
	f->took = source_files_cpu_now() - cpu;
}

/* Only while its name leads to the file that was read. */
static bool is_changed(const struct elf *e, const char *path)
{
	const struct file_stamp *before = e ? elf_stamp(e) : NULL;
	struct file_stamp now;

	return before && path && !file_stamp(path, &now) && file_stamp_is_changed(before, &now);
}

/* Of a perf map, which its program makes, and writes to as long as it runs. */
static bool is_other_text(const struct source_files *f, const char *path)
{
	struct file_stamp now;

	return !file_stamp(path, &now) && !file_stamp_equal(&f->text, &now);
}

static bool has_new_debug_file(const struct symbol_table *t, const struct object_search *search,
			       const struct image *img)
{
	struct object_debug_seen now;

	if (!t->files.wants_debug)
		return false;
	object_debug_seen(search, img, t->elf, &now);
	return object_debug_is_new(&t->files.seen, &now);
}

bool source_files_differ(struct symbol_table *t, const struct object_search *search, const struct image *img,
			 const char *perf_map)
{
	const struct source_files *f = &t->files;

	if (now_of(CLOCK_MONOTONIC) - f->made < f->took * SHARE)
		return false;
	if (perf_map)
		return is_other_text(f, perf_map) && f->process && process_begun(img->pid) == f->process;
	return is_changed(t->elf, f->object) || is_changed(t->debug_elf, t->source) ||
	       has_new_debug_file(t, search, img);
}
