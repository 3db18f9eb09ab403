// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds the members of the cache that a recording needs. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/buildid_list.h"
#include "archive/internal.h"
#include "base/alloc.h"
#include "base/file.h"

static int read_excluded(const char *path, struct strlist *excluded, struct reason *r)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t space = 0;

	if (!f) {
		int err = reason_errno(r, errno, "cannot open '%s'", path);

		reason_hint(
			r,
			"give a list of build-ids, one a line, such as 'perf buildid-list' prints");
		return err;
	}
	while (getline(&line, &space, f) > 0) {
		line[strspn(line, "0123456789abcdefABCDEF")] = '\0';
		if (*line)
			strlist_add(excluded, line);
	}
	free(line);
	fclose(f);
	return 0;
}

static void add_member(struct strbuf *b, const char *path)
{
	strbuf_add(b, path, strlen(path) + 1);
}

/* Reports whether all files can be read, since tar fails at a file that it cannot read. */
static bool can_read_all(const char *place)
{
	DIR *d = opendir(place);
	bool can = d || (errno == ENOTDIR && !file_access(place, R_OK));
	struct dirent *e;

	while (can && d && (e = readdir(d)))
		can = !faccessat(dirfd(d), e->d_name, R_OK, AT_EACCESS);
	if (d)
		closedir(d);
	return can;
}

/* Adds the link of a build-id and the directory that it points to, relative to the cache. */
static bool add_members(const char *cache, const char *root, const char *hex, bool *hidden,
			struct strbuf *b)
{
	char *link = xasprintf("%s/.build-id/%.2s/%s", cache, hex, hex + 2);
	char *real = realpath(link, NULL);
	bool inside = real && str_starts(real, root) && real[strlen(root)] == '/';

	*hidden = inside && !can_read_all(real);
	if (inside && !*hidden) {
		add_member(b, link + strlen(cache) + 1);
		add_member(b, real + strlen(root) + 1);
	}
	free(real);
	free(link);
	return inside && !*hidden;
}

static void note_missing(struct context *ctx, bool known, bool hidden, const char *path)
{
	const char *hint = "'perf buildid-cache -a FILE' adds what is still there";

	if (hidden)
		condition_add(&ctx->conditions, CONDITION_WARNING, "archive-missing", path, NULL, 1,
			      "run perf as the user who recorded",
			      "only its owner may read the cache's copy of '%s'", path);
	else if (known)
		condition_add(&ctx->conditions, CONDITION_WARNING, "archive-missing", path, NULL, 1,
			      hint, "the cache does not have '%s'", path);
	else
		condition_add(&ctx->conditions, CONDITION_WARNING, "archive-missing", path, NULL, 1,
			      hint, "the build-id of '%s' was not recorded, so it cannot be found",
			      path);
}

int archive_members(struct context *ctx, const struct archive_request *q, struct strbuf *members,
		    struct reason *r)
{
	const struct buildid_list l = { .input = q->data, .force = q->force };
	struct strlist excluded = { VEC_INIT };
	struct strbuf list = STRBUF_INIT;
	char *root = realpath(ctx->buildid_dir, NULL), *next = NULL;
	int err = q->excluded_file ? read_excluded(q->excluded_file, &excluded, r) : 0;

	if (!err)
		err = buildid_list_text(ctx, &l, &list, r);
	if (!err && !root)
		err = reason_set(r, ENOENT, "there is no build-id cache '%s'", ctx->buildid_dir);
	for (char *line = !err && list.len ? strtok_r(list.s, "\n", &next) : NULL; line;
	     line = strtok_r(NULL, "\n", &next)) {
		size_t hex = strspn(line, "0123456789abcdef");
		const char *path = line + hex + strspn(line + hex, " ");
		bool hidden = false;

		line[hex] = '\0';
		if (hex && strlist_has(&excluded, line))
			continue;
		if (hex <= 2 || !add_members(ctx->buildid_dir, root, line, &hidden, members))
			note_missing(ctx, hex > 0, hidden, path);
	}
	strbuf_release(&list);
	strlist_release(&excluded);
	free(root);
	return err;
}
