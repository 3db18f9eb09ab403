// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whether the files that a table of symbols was made from have changed since.
 *
 * An object is identified by its inode: one that another file has replaced is still mapped where it
 * runs, and here. Its bytes can only differ where somebody has written into it. A debug file that
 * was not there, or was refused, may be installed at any time.
 *
 * A perf map is checked while its process runs. A later process may have the same pid, and the path
 * of one that ran in a container leads to a file of the host when it has ended.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "object/buildid.h"
#include "object/elf.h"
#include "symbol/internal.h"

/* a table is read again after so many times as long as reading it took this thread's CPU */
enum { SHARE = 50 };

u64 source_files_cpu_now(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
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
	if (!p ||
	    sscanf(p,
		   ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d "
		   "%llu",
		   &state, &begun) != 2)
		return 0;
	return state == 'Z' || state == 'X' ? 0 : begun;
}

static bool has_lines(const struct elf *e)
{
	return e && (elf_section(e, ".debug_info") || elf_section(e, ".zdebug_info"));
}

static void see_elf(const struct elf *e, struct elf_seen *seen)
{
	const struct file_stamp *stamp = e ? elf_stamp(e) : NULL;

	if (!stamp)
		return;
	seen->stamp = *stamp;
	elf_build_id(e, &seen->id);
}

void source_files_note(struct symbol_table *t, const struct object_search *search,
		       const struct image *img, u64 cpu)
{
	struct source_files *f = &t->files;

	see_elf(t->elf, &f->seen_elf);
	see_elf(t->debug_elf, &f->seen_debug_elf);
	if (img->kind == IMAGE_ELF && !t->debug_elf && !has_lines(t->elf)) {
		f->wants_debug = true;
		object_debug_wanted(img, t->elf, &f->debug);
		object_debug_seen(search, img, &f->debug, &f->seen);
	}
	if (img->kind == IMAGE_JIT && img->pid >= 0)
		f->process = process_begun(img->pid);
	f->made = clock_ns(CLOCK_MONOTONIC);
	f->took = source_files_cpu_now() - cpu;
}

/*
 * Reports whether it is the same program. Links and permissions change only the inode's time, and
 * copying all of /usr by hard links changes it for every file. The build ID of the mapped file says
 * whether it is another program.
 */
static bool is_same_program(const struct elf *e, struct elf_seen *seen,
			    const struct file_stamp *now)
{
	struct build_id id = { .size = 0 };
	bool same;

	if (now->size != seen->stamp.size || now->modified != seen->stamp.modified ||
	    !seen->id.size)
		return false;
	same = elf_build_id(e, &id) && build_id_equal(&id, &seen->id);
	elf_drop_pages(e);
	if (same)
		seen->stamp = *now;
	return same;
}

/*
 * Reports whether the file has changed, which matters only while its name leads to the file that
 * was read.
 */
static bool is_changed(const struct elf *e, struct elf_seen *seen, const char *path)
{
	struct file_stamp now;

	return e && seen->stamp.inode && path && !file_stamp(path, &now) &&
	       file_stamp_is_changed(&seen->stamp, &now) && !is_same_program(e, seen, &now);
}

/*
 * Reports whether the text of a perf map has changed: its program writes to it as long as it runs.
 */
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
	object_debug_seen(search, img, &t->files.debug, &now);
	return object_debug_is_new(&t->files.seen, &now);
}

bool source_files_differ(struct symbol_table *t, const struct object_search *search,
			 const struct image *img, const char *perf_map)
{
	struct source_files *f = &t->files;

	if (clock_ns(CLOCK_MONOTONIC) - f->made < f->took * SHARE)
		return false;
	if (perf_map)
		return is_other_text(f, perf_map) && f->process &&
		       process_begun(img->pid) == f->process;
	return is_changed(t->elf, &f->seen_elf, f->object) ||
	       is_changed(t->debug_elf, &f->seen_debug_elf, t->source) ||
	       has_new_debug_file(t, search, img);
}
