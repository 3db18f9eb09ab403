// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What describes code that was made at run time, jitdump files and perf maps, is kept in the
 * build-id cache when a recording ends: the compiler's next run writes over it, and a
 * container takes it along when it goes.  Such files have no build-ids, so a digest of their
 * bytes stands for one.
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jit/code.h"
#include "object/cache.h"
#include "rewrite/internal.h"
#include "symbol/symbol.h"

/* Longer ones are not copied. */
#define LONGEST_COPY (1LL << 30)

static char *dump_of(struct image_files *f, const struct image *img)
{
	char *path = image_file(f, img);
	struct jitdump *d;

	/* a program can name a file of others so: it must at least be what its name says */
	if (path && !jitdump_open(path, &d, NULL)) {
		jitdump_close(d);
		return path;
	}
	free(path);
	return NULL;
}

/* A file here that has the name of a container's need not be the container's. */
static char *map_of(struct image_files *f, const struct image *img)
{
	char *path = f->held ? f->held(f->held_arg, img) : NULL;

	return path ? path : perf_map_path(img->pid, "");
}

static char *file_of(struct image_files *f, const struct image *img, bool hit)
{
	struct stat st;
	char *path = NULL;

	if (img->kind == IMAGE_ELF && jitdump_names(img->path))
		path = dump_of(f, img);
	else if (img->kind == IMAGE_JIT && hit && img->pid > 0)
		path = map_of(f, img);
	if (path && (stat(path, &st) || !S_ISREG(st.st_mode) || st.st_size > LONGEST_COPY ||
		     (img->kind == IMAGE_JIT && st.st_uid && st.st_uid != geteuid()))) {
		free(path);
		path = NULL;
	}
	return path;
}

bool generated_keep(struct context *ctx, struct image_files *f, const struct image *img, bool hit,
		    struct build_id *id)
{
	char *path = img->guest ? NULL : file_of(f, img, hit);
	struct cache_entry e = { .kind = CACHE_ELF, .name = img->path, .source = path };
	bool kept;

	if (!path)
		return false;
	kept = !cache_add_content(ctx->buildid_dir, &e, NULL);
	*id = e.id;
	free(path);
	return kept;
}
