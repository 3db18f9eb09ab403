// SPDX-License-Identifier: GPL-2.0-or-later
/* Source files: read once, and split into lines. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "annotate/internal.h"
#include "base/alloc.h"
#include "base/file.h"
#include "base/vec.h"

struct source {
	char *data; /* NULL if it cannot be read */
	size_t size;
	VEC(u32) starts; /* the start of each line */
};

struct sources {
	struct strmap by_path; /* -> index */
	VEC(struct source) list;
	const char *prefix;
	unsigned strip;
};

struct sources *sources_new(const char *prefix, unsigned strip)
{
	struct sources *s = xcalloc(1, sizeof(*s));

	s->prefix = prefix;
	s->strip = strip;
	return s;
}

void sources_free(struct sources *s)
{
	if (!s)
		return;
	vec_for_each(&s->list, it) {
		free(it->data);
		vec_release(&it->starts);
	}
	vec_release(&s->list);
	strmap_release(&s->by_path);
	free(s);
}

/* Applies objdump's --prefix and --prefix-strip: removes the first parts of an absolute path. */
static char *prefixed(const struct sources *s, const char *path)
{
	const char *rest = path;

	if (!s->prefix || path[0] != '/')
		return xstrdup(path);
	for (unsigned level = 0; level < s->strip; level++) {
		const char *slash = strchr(rest + 1, '/');

		if (!slash)
			break;
		rest = slash;
	}
	return xasprintf("%s%s", s->prefix, rest);
}

static void read_source(struct source *out, const char *path)
{
	int fd = file_open_source(path, NULL);
	struct stat st;
	ssize_t n;

	if (fd < 0)
		return;
	if (fstat(fd, &st) || st.st_size <= 0) {
		close(fd);
		return;
	}
	out->data = malloc((size_t)st.st_size);
	while (out->data && out->size < (size_t)st.st_size &&
	       (n = read(fd, out->data + out->size, (size_t)st.st_size - out->size)) > 0)
		out->size += (size_t)n;
	close(fd);
	for (size_t at = 0; at < out->size;) {
		const char *end = memchr(out->data + at, '\n', out->size - at);

		vec_push(&out->starts, (u32)at);
		at = end ? (size_t)(end - out->data) + 1 : out->size;
	}
}

const char *source_line(struct sources *s, const char *path, u32 line, size_t *len)
{
	bool added;
	u64 *slot = strmap_put(&s->by_path, path, &added);
	struct source *f;
	size_t start, end;

	if (added) {
		char *name = prefixed(s, path);

		*slot = s->list.count;
		read_source(vec_push_zero(&s->list), name);
		free(name);
	}
	f = &s->list.items[*slot];
	if (!line || line > f->starts.count)
		return NULL;
	start = f->starts.items[line - 1];
	end = line < f->starts.count ? f->starts.items[line] : f->size;
	if (end > start && f->data[end - 1] == '\n')
		end--;
	if (end > start && f->data[end - 1] == '\r')
		end--;
	*len = end - start;
	return f->data + start;
}
