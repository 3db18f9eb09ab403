// SPDX-License-Identifier: GPL-2.0-or-later
/* After recording: which objects have samples, and what are their build-ids. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "builtin-record.h"
#include "chain/chain.h"
#include "data/writer.h"
#include "object/buildid.h"
#include "object/cache.h"
#include "session/session.h"

struct hits {
	struct session *session;
	struct chains **chains; /* by worker: each distinct chain is resolved once */
	bool **leaves;		/* by worker: images of the samples themselves */
	unsigned workers;
	u32 image_space;
	bool swap;
	s32 *owners; /* by image: a live process that has it mapped; NULL: not asked yet */
};

static void mark(struct hits *h, unsigned worker, u32 image)
{
	if (image < h->image_space)
		h->leaves[worker][image] = true;
}

static int on_sample(void *arg, unsigned worker, const struct session_sample *s, struct reason *r)
{
	struct hits *h = arg;

	(void)r;
	mark(h, worker, s->leaf.image);
	if (s->sample->chain_count)
		chain_add(h->chains[worker], s->task, s->sample->cpumode, s->sample->chain,
			  s->sample->chain_count, h->swap, 0, &s->key);
	return 0;
}

static void hits_init(struct hits *h, struct session *s)
{
	memset(h, 0, sizeof(*h));
	h->session = s;
	h->workers = session_workers(s);
	h->chains = xcalloc(h->workers, sizeof(*h->chains));
	h->leaves = xcalloc(h->workers, sizeof(*h->leaves));
	h->image_space = 1U << 20;
	for (unsigned i = 0; i < h->workers; i++) {
		h->chains[i] = chains_new(session_history(s));
		h->leaves[i] = xcalloc(h->image_space, sizeof(**h->leaves));
	}
}

static void hits_release(struct hits *h)
{
	for (unsigned i = 0; i < h->workers; i++) {
		chains_free(h->chains[i]);
		free(h->leaves[i]);
	}
	free(h->chains);
	free(h->leaves);
	free(h->owners);
}

/* One table of all that was hit, by image. */
static bool *all_hits(const struct hits *h, u32 images, bool all)
{
	bool *hit = xcalloc(images + 1, sizeof(*hit));

	if (all)
		memset(hit, true, images);
	for (unsigned w = 0; w < h->workers; w++) {
		for (u32 i = 0; i < images && i < h->image_space; i++)
			hit[i] |= h->leaves[w][i];
		for (frame_id f = 0; f < frames_count(h->chains[w]); f++)
			if (chain_frame(h->chains[w], f)->image < images)
				hit[chain_frame(h->chains[w], f)->image] = true;
	}
	return hit;
}

/* Is the file of that name the one that was mapped? */
static bool same_file(const char *path, const struct image *img)
{
	struct stat st;

	if (stat(path, &st))
		return false;
	return !img->ino || st.st_ino == img->ino;
}

struct owner_search {
	s32 *owners;
	u32 images;
	s32 pid;
};

static void own_mapping(void *arg, const struct mapping *m)
{
	struct owner_search *o = arg;

	if (m->image < o->images)
		o->owners[m->image] = o->pid;
}

static s32 *find_owners(const struct hits *h, u32 images)
{
	static const struct order_key the_end = { UINT64_MAX, UINT32_MAX, UINT64_MAX };
	struct history *history = session_history(h->session);
	struct owner_search o = { xcalloc(images + 1, sizeof(*o.owners)), images, 0 };

	for (u32 i = 0; i < history_task_count(history); i++) {
		const struct task *t = history_task_by_id(history, i);
		char path[32];

		snprintf(path, sizeof(path), "/proc/%d/root", (s32)t->pid);
		if (t->pid != t->tid || t->machine || access(path, F_OK))
			continue;
		o.pid = (s32)t->pid;
		history_each_mapping(history, history_space(history, t, &the_end), own_mapping, &o);
	}
	return o.owners;
}

/*
 * The file that was mapped: under its name, or under that name in the mount
 * namespace of a process that has it mapped (a container).  NULL: gone, or another
 * one has its place.  The caller frees it.
 */
static char *mapped_file(struct hits *h, const struct image *img)
{
	u32 images = image_count(session_images(h->session));
	char *path;

	if (same_file(img->path, img))
		return xstrdup(img->path);
	if (!h->owners)
		h->owners = find_owners(h, images);
	if (img->id >= images || !h->owners[img->id])
		return NULL;
	path = xasprintf("/proc/%d/root%s", h->owners[img->id], img->path);
	if (same_file(path, img))
		return path;
	free(path);
	return NULL;
}

/* file: of IMAGE_ELF, or NULL when it is gone */
static int image_build_id(const struct image *img, const char *file, struct build_id *id)
{
	if (img->build_id.size) {
		*id = img->build_id;
		return 0;
	}
	switch (img->kind) {
	case IMAGE_KERNEL:
		return build_id_of_kernel(NULL, id, NULL);
	case IMAGE_MODULE:
		return build_id_of_module(NULL, img->name, id, NULL);
	case IMAGE_VDSO:
		return build_id_of_vdso(id, NULL);
	case IMAGE_ELF:
		return file ? build_id_of_file(file, id, NULL) : -1;
	default:
		return -1;
	}
}

static void copy_to_cache(struct context *ctx, const struct image *img, const char *file,
			  const struct build_id *id)
{
	struct cache_entry e = {
		.kind = CACHE_ELF, .name = img->path, .source = file, .id = *id,
	};
	struct reason why = REASON_INIT;

	if (img->kind == IMAGE_KERNEL)
		e.kind = CACHE_KALLSYMS;
	else if (img->kind == IMAGE_VDSO)
		e.kind = CACHE_VDSO;
	if (cache_add(ctx->buildid_dir, &e, &why))
		condition_add(&ctx->conditions, CONDITION_NOTE, "not-cached", img->path, NULL, 1,
			      why.hint, "'%s' is not kept in the build-id cache: %s", img->path,
			      why.text ? why.text : "");
	reason_release(&why);
}

static void add_image(struct context *ctx, struct strbuf *b, struct hits *h, const struct image *img,
		      bool cache)
{
	char *file = img->kind == IMAGE_ELF ? mapped_file(h, img) : NULL;
	struct build_id id;

	if (!image_build_id(img, file, &id)) {
		data_build_id_add(b, img->kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER,
				  -1, id.id, id.size, img->path);
		if (cache && *ctx->buildid_dir)
			copy_to_cache(ctx, img, file, &id);
	}
	free(file);
}

static void add_images(struct context *ctx, struct data_writer *w, struct hits *h, bool all,
		       bool cache)
{
	struct image_table *images = session_images(h->session);
	u32 count = image_count(images);
	bool *hit = all_hits(h, count, all);
	struct strbuf b = STRBUF_INIT;

	for (u32 i = 1; i < count; i++)
		if (hit[i])
			add_image(ctx, &b, h, image_get(images, i), cache);
	if (b.len)
		data_feature_set(w, FEATURE_BUILD_ID, b.s, b.len);
	strbuf_release(&b);
	free(hit);
}

int record_add_build_ids(struct context *ctx, struct data_writer *w, const char *path, bool ids,
			 bool all, bool cache)
{
	/* what is missing in a file that is not finished yet is no news */
	struct context own = { .workers = ctx->workers, .buildid_dir = "", .quiet = true };
	const struct session_options o = { .input = path, .force = true };
	struct session_ops ops = { .order = SESSION_SUMS, .sample = on_sample };
	const struct session_stats *stats;
	struct reason why = REASON_INIT;
	struct session *s;
	struct hits h;
	int err = session_open(&own, &o, &s, &why);

	if (err)
		goto out;
	hits_init(&h, s);
	err = session_run(s, &ops, &h, &why);
	stats = session_stats(s);
	if (!err && stats->last_time)
		data_set_sample_time(w, stats->first_time, stats->last_time);
	if (!err && ids)
		add_images(ctx, w, &h, all, cache);
	hits_release(&h);
	session_free(s);
out:
	if (err)
		condition_add(&ctx->conditions, CONDITION_WARNING, "no-build-ids", path, NULL, 1, NULL,
			      "no build-ids in '%s': %s", path, why.text ? why.text : "reading failed");
	reason_release(&why);
	condition_list_release(&own.conditions);
	return 0;
}
