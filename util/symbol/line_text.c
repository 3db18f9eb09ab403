// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Source lines as text.
 *
 * Where there is no line, perf's words: "??:0" for a function of a file's own symbols. For the
 * kernel, and for code without a file to ask, the function and the distance from its start, or the
 * object and the address in it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/text.h"
#include "symbol/internal.h"
#include "symbol/srcline.h"

/* Reports whether execvp() would find the program. */
static bool can_run(const char *program)
{
	struct strlist dirs = { 0 };
	const char *path = getenv("PATH");
	bool found = false;

	if (strchr(program, '/'))
		return !file_access(program, X_OK);
	if (path)
		strlist_split(&dirs, path, ":");
	vec_for_each(&dirs.list, dir) {
		char *file = xasprintf("%s/%s", *dir, program);

		found = found || !file_access(file, X_OK);
		free(file);
	}
	strlist_release(&dirs);
	return found;
}

int line_options_check(const struct line_options *o, struct reason *r)
{
	struct line_styles styles;
	int err = line_styles_parse(&styles, o->style, r);

	if (!err && o->addr2line && !can_run(o->addr2line)) {
		err = reason_set(r, ENOENT, "--addr2line: there is no program '%s'", o->addr2line);
		reason_hint(r, "name its path; without the option it is 'addr2line' from PATH");
	}
	if (err || !o->prefix_strip || o->prefix)
		return err;
	reason_set(r, EINVAL, "--prefix-strip requires --prefix");
	reason_hint(r, "add --prefix DIR, which goes before the remaining paths");
	return -EINVAL;
}

/* Returns path without its first n directories, with the slash before the rest. */
static const char *strip_directories(const char *path, unsigned n)
{
	for (; n; n--) {
		const char *slash = strchr(path + 1, '/');

		if (!slash)
			break;
		path = slash;
	}
	return path;
}

void line_file_text(const struct line_store *s, const char *file, struct strbuf *out)
{
	const struct line_options *o = line_store_options(s);
	size_t n;

	if (!file)
		return;
	if (!o->full_path) {
		strbuf_printable(out, path_base(file));
		return;
	}
	if (o->prefix && file[0] == '/') {
		n = strlen(o->prefix);
		while (n && o->prefix[n - 1] == '/')
			n--;
		strbuf_add(out, o->prefix, n);
		file = strip_directories(file, o->prefix_strip);
	}
	strbuf_printable(out, file);
}

static bool of_file(const struct image *im, const struct symbol *sym)
{
	const char *at = sym ? strrchr(sym->name, '@') : NULL;

	return sym && im->kind == IMAGE_ELF && !(at && !strcmp(at, "@plt"));
}

static void object_text(struct line_store *s, const struct line_place *p, struct strbuf *out)
{
	const struct image *im = line_store_image(s, p->image);

	strbuf_printable(out, path_base(image_script_name(im)));
	strbuf_char(out, '[');
	strbuf_hex(out, im->kernel ? p->addr : lines_address(s, p->image, p->offset));
	strbuf_char(out, ']');
}

static void distance_text(const struct line_place *p, struct strbuf *out)
{
	strbuf_char(out, '+');
	strbuf_dec(out, p->offset - p->symbol->start);
}

static void unknown_text(struct line_store *s, const struct line_place *p, enum line_style style,
			 struct strbuf *out)
{
	bool known_file = p->image && of_file(line_store_image(s, p->image), p->symbol);

	switch (style) {
	case LINE_BELOW:
		if (p->image && !known_file)
			object_text(s, p, out);
		return;
	case LINE_KEY:
		if (known_file || !p->image) {
			strbuf_str(out, "??:0");
		} else if (p->symbol) {
			strbuf_printable(out, p->symbol->name);
			distance_text(p, out);
		} else {
			object_text(s, p, out);
		}
		return;
	case LINE_BEHIND:
		if (known_file)
			strbuf_str(out, "??:0");
		return;
	case LINE_ADDRESS:
		if (p->symbol)
			distance_text(p, out);
		return;
	}
}

void line_text(struct line_store *s, const struct line_place *p, enum line_style style,
	       struct strbuf *out)
{
	if (!p->file) {
		unknown_text(s, p, style, out);
		return;
	}
	line_file_text(s, p->file, out);
	strbuf_char(out, ':');
	strbuf_dec(out, p->line);
}
