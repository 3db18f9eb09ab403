// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds source files by the end of their path: which units name them, and their place.
 *
 * To read a unit's file names, libdw runs the whole line program. So the bytes of the program's
 * header are checked first: in DWARF 2 to 4 they hold the name, in DWARF 5 its offset in
 * .debug_line_str.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "object/debug_servers.h"
#include "dwarf/die.h"

bool path_tail_matches(const char *path, const char *wanted)
{
	size_t p = strlen(path), w = strlen(wanted);

	return w <= p && strcmp(path + p - w, wanted) == 0 &&
	       (w == p || wanted[0] == '/' || path[p - w - 1] == '/');
}

/* Finds the strings that end in the name; a reference may point to any character of one. */
static void find_names(struct file_search *s)
{
	const u8 *start = s->strings.data, *end = start + s->strings.size, *p = start;
	const char *name = path_base(s->wanted);
	size_t n = strlen(name) + 1;

	while (p && (p = memmem(p, (size_t)(end - p), name, n)) != NULL) {
		const u8 *from = memrchr(start, '\0', (size_t)(p - start));
		struct file_name_span span = { from ? (u64)(from + 1 - start) : 0,
					       (u64)(p - start) };

		vec_push(&s->names, span);
		p += n;
	}
}

void file_search_init(struct file_search *s, struct debuginfo *d, const char *wanted)
{
	*s = (struct file_search){ .d = d, .wanted = wanted };
	s->lines = debuginfo_section(d, ".debug_line");
	s->strings = debuginfo_section(d, ".debug_line_str");
	find_names(s);
}

void file_search_release(struct file_search *s)
{
	vec_release(&s->names);
}

static u64 number_at(const struct file_search *s, const u8 *p, unsigned size)
{
	u64 v = 0;

	for (unsigned i = 0; i < size; i++)
		v |= (u64)p[i] << 8 * (s->d->big_endian ? size - 1 - i : i);
	return v;
}

/* Returns the header of the line program at an offset, from its version on; empty if damaged. */
static struct bytes line_header(const struct file_search *s, u64 offset)
{
	struct bytes none = { NULL, 0 };
	const u8 *p = s->lines.data + offset;
	u64 left, length, fixed;
	unsigned size = 4;

	if (offset >= s->lines.size || (left = s->lines.size - offset) < 32)
		return none;
	if (number_at(s, p, 4) == UINT32_MAX) {
		p += 4;
		left -= 4;
		size = 8;
	}
	p += size;
	left -= size;
	fixed = number_at(s, p, 2) >= 5 ? 4 : 2;
	length = number_at(s, p + fixed, size);
	fixed += size;
	if (left < fixed || length > left - fixed)
		return none;
	return (struct bytes){ p, fixed + length };
}

static bool may_have_file(const struct file_search *s, struct unit *u)
{
	const char *name = path_base(s->wanted);
	Dwarf_Attribute attr;
	Dwarf_Word offset;
	struct bytes b;

	if (u->is_split || !s->lines.size || !dwarf_attr(&u->die, DW_AT_stmt_list, &attr) ||
	    dwarf_formudata(&attr, &offset) != 0)
		return true;
	b = line_header(s, offset);
	if (!b.size || memmem(b.data, b.size, name, strlen(name) + 1))
		return true;
	for (size_t i = 0; s->names.count && i + 4 <= b.size; i++) {
		u64 v = number_at(s, b.data + i, 4);

		vec_for_each(&s->names, span)
			if (v >= span->from && v <= span->to)
				return true;
	}
	return false;
}

const char *file_search_unit(const struct file_search *s, struct unit *u)
{
	Dwarf_Files *files;
	size_t count;

	if (!may_have_file(s, u) || dwarf_getsrcfiles(&u->die, &files, &count) != 0)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		const char *name = dwarf_filesrc(files, i, NULL, NULL);

		if (name && path_tail_matches(name, s->wanted))
			return name;
	}
	return NULL;
}

/* Fetches the source from a debuginfod server, which identifies it by the whole path. */
static bool fetch_source(struct debuginfo *d, const char *file, const char *directory, char **out)
{
	struct build_id id = { 0 };
	char *path;
	int err;

	if (!d->search || !d->search->servers || !elf_build_id(d->elf, &id))
		return false;
	path = *file == '/' || !directory ? xstrdup(file) : xasprintf("%s/%s", directory, file);
	err = debug_servers_fetch(d->search->servers, SERVER_SOURCE, &id, path, out, NULL);
	free(path);
	return !err;
}

int debuginfo_find_source(struct debuginfo *d, const char *file, const char *directory,
			  const char *source, char **out, struct reason *r)
{
	if (source) {
		/* SOURCE/a/b/c.c, SOURCE/b/c.c, SOURCE/c.c */
		for (const char *tail = file; tail; tail = strchr(tail, '/')) {
			while (*tail == '/')
				tail++;
			*out = xasprintf("%s/%s", source, tail);
			if (file_access(*out, R_OK) == 0)
				return 0;
			free(*out);
		}
	}
	if (file_access(file, R_OK) == 0) {
		*out = xstrdup(file);
		return 0;
	}
	if (file[0] != '/' && directory) {
		*out = xasprintf("%s/%s", directory, file);
		if (file_access(*out, R_OK) == 0)
			return 0;
		free(*out);
	}
	*out = NULL;
	if (fetch_source(d, file, directory, out))
		return 0;
	reason_errno(r, ENOENT, "cannot read the source file '%s'", file);
	reason_hint(r, "say where the source is with --source DIR");
	return -ENOENT;
}
