// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel's own list of symbols: "address type name[\tmodule]" a line, sorted by nothing. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/lost_pages.h"
#include "symbol/internal.h"

/* The kernel gives a page at a time; a line of more than a page is not valid. */
#define WINDOW ((size_t)64 << 10)

static void start(struct kallsyms *k)
{
	*k = (struct kallsyms){ .all_zero = true };
	vec_push(&k->parts, (struct kallsyms_part){ .module = NULL });
}

void kallsyms_release(struct kallsyms *k)
{
	vec_for_each(&k->parts, p) {
		vec_for_each(&p->symbols.list, s)
			if (s->name_state == NAME_DEMANGLED)
				free((char *)s->name);
		vec_release(&p->symbols.list);
	}
	vec_release(&k->parts);
	if (k->file)
		lost_pages_unmap(k->file, k->file_size);
	strmap_release(&k->by_module);
	arena_release(&k->names);
	*k = (struct kallsyms){ .file = NULL };
}

struct kallsyms_part *kallsyms_part(struct kallsyms *k, const char *module)
{
	u64 *index = module ? strmap_get(&k->by_module, module) : NULL;

	if (module && !index)
		return NULL;
	return &k->parts.items[index ? *index : 0];
}

/* Value + 1 of each hex digit, 0 for others: two million digits are read in a load. */
static const u8 hex_values[256] = {
	['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,
	['6'] = 7,  ['7'] = 8,  ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
	['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16, ['A'] = 11, ['B'] = 12,
	['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

/* Reports whether the type is wanted: functions, and the data in which addresses are looked up. */
static bool is_wanted(char type)
{
	char c = type & ~0x20;

	return c == 'T' || c == 'W' || c == 'D' || c == 'B';
}

static u8 binding_of(char type)
{
	if (type == 'W')
		return STB_WEAK;
	return type >= 'A' && type <= 'Z' ? STB_GLOBAL : STB_LOCAL;
}

static u32 part_of(struct kallsyms *k, const char *name, size_t n)
{
	const char *last = k->parts.items[k->last_part].module;
	const char *text;
	bool added;
	u64 *index;

	if (last && strlen(last) == n && !memcmp(last, name, n))
		return k->last_part;
	text = arena_strndup(&k->names, name, n);
	index = strmap_put(&k->by_module, text, &added);
	if (added) {
		*index = k->parts.count;
		vec_push(&k->parts, (struct kallsyms_part){ .module = text });
	}
	return (u32)*index;
}

/* Returns the index of the part for "[module]" after the name, 0 without one. */
static u32 find_part(struct kallsyms *k, const char *p, const char *end)
{
	const char *open = p < end ? memchr(p, '[', (size_t)(end - p)) : NULL;
	const char *close = open ? memchr(open, ']', (size_t)(end - open)) : NULL;

	return close ? part_of(k, open + 1, (size_t)(close - open - 1)) : 0;
}

/* Returns the end of the name: "name", or "name\t[module]". */
static const char *end_of_name(const char *name, const char *end)
{
	const char *tab = end[-1] == ']' ? memchr(name, '\t', (size_t)(end - name)) : NULL;

	return tab ? tab : end;
}

/* Returns the length of a line's name. A file that has been cut short since ends with zeros. */
size_t kallsyms_name_length(const char *line)
{
	size_t n = strcspn(line, "\n");

	return n ? (size_t)(end_of_name(line, line + n) - line) : 0;
}

bool kallsyms_name_is(const char *line, const char *name)
{
	size_t n = strlen(name);

	/* most differ early */
	return !strncmp(line, name, n) && kallsyms_name_length(line) == n;
}

static void note_bounds(struct kallsyms *k, const char *name, size_t n, u64 addr)
{
	if (n == 5 && !k->text && !memcmp(name, "_text", n))
		k->text = addr;
	if (n == 6 && !k->stext && !memcmp(name, "_stext", n))
		k->stext = addr;
	if (n == 6 && !k->etext && !memcmp(name, "_etext", n))
		k->etext = addr;
}

static void parse_line(struct kallsyms *k, const char *p, const char *end)
{
	const char *name, *name_end;
	u64 addr = 0;
	char type;
	u8 digit;

	for (; p < end && (digit = hex_values[(u8)*p]); p++)
		addr = addr << 4 | (u64)(digit - 1);
	if (end - p < 4 || p[0] != ' ' || p[2] != ' ')
		return;
	type = p[1];
	name = p + 3;
	if (!is_wanted(type) || *name == '$')
		return;
	name_end = end_of_name(name, end);
	k->all_zero &= !addr;
	k->last_part = name_end < end ? find_part(k, name_end, end) : 0;
	if (!k->last_part)
		note_bounds(k, name, (size_t)(name_end - name), addr);
	if (!k->file)
		name = arena_strndup(&k->names, name, (size_t)(name_end - name));
	symbol_list_add(&k->parts.items[k->last_part].symbols, addr, 0, binding_of(type), name,
			k->file ? NAME_LINE : NAME_FINAL);
}

/* Parses more whole lines. */
static void parse(struct kallsyms *k, const char *text, size_t size)
{
	const char *p = text, *end = text + size;

	while (p < end) {
		const char *eol = memchr(p, '\n', (size_t)(end - p));

		if (!eol)
			eol = end;
		parse_line(k, p, eol);
		p = eol + 1;
	}
}

/* Parses as it reads: the text is larger than any cache, and most of it is not kept. */
static int read_lines(int fd, struct kallsyms *k)
{
	char *window = xmalloc(WINDOW);
	size_t kept = 0;
	ssize_t n;

	while ((n = read(fd, window + kept, WINDOW - kept)) > 0 || (n < 0 && errno == EINTR)) {
		const char *eol;
		size_t whole;

		if (n < 0)
			continue;
		kept += (size_t)n;
		eol = memrchr(window, '\n', kept);
		if (!eol && kept < WINDOW)
			continue;
		whole = eol ? (size_t)(eol + 1 - window) : kept;
		parse(k, window, whole);
		kept -= whole;
		memmove(window, window + whole, kept);
	}
	n = n < 0 ? -errno : 0;
	parse(k, window, kept);
	free(window);
	return (int)n;
}

void kallsyms_let_pages_go(const struct kallsyms *k)
{
	if (k->file)
		madvise((void *)(uintptr_t)k->file, k->file_size, MADV_DONTNEED);
}

/*
 * Parses the list and lets its pages go immediately: the list is larger than what is made from it.
 */
static void parse_mapped(struct kallsyms *k, const char *text, size_t size)
{
	for (size_t from = 0, to; from < size; from = to) {
		const char *eol = size - from > WINDOW ? memrchr(text + from, '\n', WINDOW) : NULL;

		to = eol ? (size_t)(eol + 1 - text) : size;
		parse(k, text + from, to - from);
		kallsyms_let_pages_go(k);
	}
}

/* Maps a file's lines. Returns false if it must be read instead. */
static bool map_lines(int fd, struct kallsyms *k)
{
	struct stat st;

	/* the kernel's own has the size 0 */
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size <= 0 ||
	    (u64)st.st_size > SIZE_MAX / 2)
		return false;
	k->file_size = (size_t)st.st_size;
	k->file = lost_pages_map(fd, k->file_size);
	if (!k->file)
		return false;
	parse_mapped(k, (const char *)k->file, k->file_size);
	return true;
}

static int take_file(const char *path, struct kallsyms *k, bool map, struct reason *r)
{
	int fd = file_open(path, r);
	int err;

	start(k);
	if (fd < 0)
		return fd;
	err = map && map_lines(fd, k) ? 0 : read_lines(fd, k);
	close(fd);
	k->all_zero &= k->parts.items[0].symbols.list.count > 0;
	return err ? reason_errno(r, -err, "cannot read '%s'", path) : 0;
}

int kallsyms_read(const char *path, struct kallsyms *k, struct reason *r)
{
	return take_file(path, k, false, r);
}

int kallsyms_map(const char *path, struct kallsyms *k, struct reason *r)
{
	return take_file(path, k, true, r);
}

void kallsyms_from_text(struct kallsyms *k, const char *text)
{
	start(k);
	parse(k, text, strlen(text));
}
