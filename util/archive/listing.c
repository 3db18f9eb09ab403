// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parses tar's listing: lines "-rw-r--r-- UID/GID SIZE DATE TIME NAME", in which the name has C's
 * escapes.
 *
 * tar can stop in the middle of a file without any sign in the listing; only the sizes show which
 * file it was.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/internal.h"
#include "base/alloc.h"
#include "base/hash.h"

struct member {
	char type; /* '-' regular file, 'd', 'l' ... */
	u64 size;
	char *name; /* in the line */
};

/* Resolves escapes in place: "\n", "\\" and the like, "\ooo". */
static void unescape(char *s)
{
	static const char letters[] = "abfnrtv", values[] = "\a\b\f\n\r\t\v";
	char *out = s;

	while (*s) {
		const char *letter;

		if (*s != '\\' || !s[1]) {
			*out++ = *s++;
			continue;
		}
		s++;
		letter = strchr(letters, *s);
		if (letter) {
			*out++ = values[letter - letters];
			s++;
		} else if (*s >= '0' && *s <= '7') {
			unsigned value = 0;

			for (int i = 0; i < 3 && *s >= '0' && *s <= '7'; i++)
				value = value * 8 + (unsigned)(*s++ - '0');
			*out++ = (char)value;
		} else {
			*out++ = *s++;
		}
	}
	*out = '\0';
}

static bool parse_member(char *line, struct member *m)
{
	char *word[5], *next = line;

	line[strcspn(line, "\n")] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(word); i++) {
		next += strspn(next, " ");
		word[i] = next;
		next += strcspn(next, " ");
		if (!*next)
			return false;
		*next++ = '\0';
	}
	m->type = word[0][0];
	m->name = next;
	unescape(next);
	while (str_starts(m->name, "./") || m->name[0] == '/')
		m->name += m->name[0] == '/' ? 1 : 2;
	return m->type != '-' || !parse_u64(word[2], &m->size);
}

static FILE *open_listing(int listing)
{
	int fd = fcntl(listing, F_DUPFD_CLOEXEC, 0);
	FILE *f = fd >= 0 ? fdopen(fd, "r") : NULL;

	if (f)
		rewind(f);
	else if (fd >= 0)
		close(fd);
	return f;
}

int archive_cut_files(int listing, const char *dir, struct strlist *cut, struct reason *r)
{
	struct strlist names = { VEC_INIT };
	VEC(u64) sizes = VEC_INIT;
	struct strmap known = { 0 };
	FILE *f = open_listing(listing);
	char *line = NULL;
	size_t space = 0;

	if (!f)
		return reason_errno(r, errno, "cannot read what tar said");
	while (getline(&line, &space, f) > 0) {
		struct member m;
		bool added;
		u64 *slot;

		if (!parse_member(line, &m) || m.type != '-')
			continue;
		slot = strmap_put(&known, m.name, &added); /* among several members with the same
							    * name the last one counts */
		if (added) {
			*slot = sizes.count;
			strlist_add(&names, m.name);
			vec_push(&sizes, 0);
		}
		sizes.items[*slot] = m.size;
	}
	for (size_t i = 0; i < sizes.count; i++) {
		char *path = xasprintf("%s/%s", dir, names.list.items[i]);
		struct stat st;

		if (!lstat(path, &st) && S_ISREG(st.st_mode) && (u64)st.st_size < sizes.items[i])
			strlist_add(cut, names.list.items[i]);
		free(path);
	}
	strmap_release(&known);
	strlist_release(&names);
	vec_release(&sizes);
	free(line);
	fclose(f);
	return 0;
}

bool archive_holds_recording(int listing)
{
	FILE *f = open_listing(listing);
	char *line = NULL;
	bool found = false;
	size_t space = 0;

	while (f && getline(&line, &space, f) > 0) {
		struct member m;

		if (parse_member(line, &m) && m.type == '-')
			found |= !strchr(m.name, '/') && str_ends(m.name, ".tar.bz2");
	}
	free(line);
	if (f)
		fclose(f);
	return found;
}
