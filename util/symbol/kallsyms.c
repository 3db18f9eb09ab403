// SPDX-License-Identifier: GPL-2.0-or-later
/* The kernel's own list of symbols: "address type name[\tmodule]" a line, sorted by nothing. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/out.h"
#include "symbol/internal.h"

#define READ_STEP ((size_t)1 << 20)
/* A kernel with allyesconfig stays below a tenth of this. */
#define KALLSYMS_MAX ((size_t)1 << 30)

static int read_whole(int fd, char **text, size_t *size)
{
	size_t space = 8 * READ_STEP, len = 0;
	char *buf = xmalloc(space);

	for (;;) {
		ssize_t n = read_all(fd, buf + len, space - len - 1);

		if (n < 0) {
			free(buf);
			return (int)n;
		}
		len += (size_t)n;
		if (len + 1 < space)
			break;
		if (space >= KALLSYMS_MAX) {
			free(buf);
			return -EFBIG;
		}
		space *= 2;
		buf = xrealloc(buf, space);
	}
	buf[len] = '\0';
	*text = buf;
	*size = len;
	return 0;
}

int kallsyms_read(const char *path, struct kallsyms *k, struct reason *r)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t size = 0;
	char *text = NULL;
	int err;

	*k = (struct kallsyms){ NULL };
	if (fd < 0)
		return reason_errno(r, errno, "cannot open '%s'", path);
	err = read_whole(fd, &text, &size);
	close(fd);
	if (err)
		return reason_errno(r, -err, "cannot read '%s'", path);
	kallsyms_parse(k, text, size);
	return 0;
}

void kallsyms_release(struct kallsyms *k)
{
	vec_for_each(&k->parts, p)
		vec_release(&p->symbols.list);
	vec_release(&k->parts);
	strmap_release(&k->by_module);
	free(k->text);
	*k = (struct kallsyms){ NULL };
}

struct kallsyms_part *kallsyms_part(struct kallsyms *k, const char *module)
{
	u64 *index = module ? strmap_get(&k->by_module, module) : NULL;

	if (module && !index)
		return NULL;
	return &k->parts.items[index ? *index : 0];
}

static inline int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Functions and the data that addresses are looked up in. */
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

static char *put_text(char **to, const char *s, size_t n)
{
	char *start = *to;

	memmove(start, s, n);
	start[n] = '\0';
	*to = start + n + 1;
	return start;
}

static u32 part_of(struct kallsyms *k, const char *name, size_t n, char **to)
{
	const char *last = k->parts.items[k->last_part].module;
	char *text = *to;
	bool added;
	u64 *index;

	if (last && strlen(last) == n && !memcmp(last, name, n))
		return k->last_part;
	put_text(to, name, n);
	index = strmap_put(&k->by_module, text, &added);
	if (added) {
		*index = k->parts.count;
		vec_push(&k->parts, (struct kallsyms_part){ .module = text });
	} else {
		*to = text;
	}
	return (u32)*index;
}

/* The part of "[module]" behind the name; its text is packed behind the name's. */
static u32 find_part(struct kallsyms *k, const char *p, const char *end, char **to)
{
	const char *open = p < end ? memchr(p, '[', (size_t)(end - p)) : NULL;
	const char *close = open ? memchr(open, ']', (size_t)(end - open)) : NULL;

	return close ? part_of(k, open + 1, (size_t)(close - open - 1), to) : 0;
}

/*
 * One line.  What is kept moves to the front of the buffer (*to): names are
 * shorter than their lines, so it stays behind what is read next.
 */
static void parse_line(struct kallsyms *k, const char *p, const char *end, char **to)
{
	const char *name, *name_end;
	u64 addr = 0;
	char type;
	int digit;

	for (; p < end && (digit = hex_digit(*p)) >= 0; p++)
		addr = addr << 4 | (u64)digit;
	if (end - p < 4 || p[0] != ' ' || p[2] != ' ')
		return;
	type = p[1];
	name = name_end = p + 3;
	while (name_end < end && *name_end != '\t' && *name_end != ' ')
		name_end++;
	if (!is_wanted(type) || *name == '$' || name == name_end)
		return;
	k->all_zero &= !addr;
	name = put_text(to, name, (size_t)(name_end - name));
	k->last_part = find_part(k, name_end, end, to);
	symbol_list_add(&k->parts.items[k->last_part].symbols, addr, 0, binding_of(type), name,
			NAME_FINAL);
}

void kallsyms_parse(struct kallsyms *k, char *text, size_t size)
{
	const char *p = text, *end = text + size;
	char *to = text;

	*k = (struct kallsyms){ .text = text, .size = size, .all_zero = true };
	vec_push(&k->parts, (struct kallsyms_part){ .module = NULL });
	vec_reserve(&k->parts.items[0].symbols.list, size / 44);
	while (p < end) {
		const char *eol = memchr(p, '\n', (size_t)(end - p));

		if (!eol)
			eol = end;
		parse_line(k, p, eol, &to);
		p = eol + 1;
	}
}
