// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds the objects with samples, and their build-ids. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "object/cache.h"
#include "object/elf.h"
#include "object/locate.h"
#include "rewrite/internal.h"
#include "sys/obstacles.h"

struct pass {
	const struct rewrite_objects *o;
	struct chains **chains; /* by worker; each distinct chain is resolved once */
	bool **leaves;          /* by worker: images of the samples themselves */
	unsigned workers;
	u32 image_space;
	bool swap;
	struct image_files files;
};

static int on_sample(void *arg, unsigned worker, const struct session_sample *s, struct reason *r)
{
	struct pass *p = arg;

	(void)r;
	if (s->leaf.image < p->image_space)
		p->leaves[worker][s->leaf.image] = true;
	if (s->sample->chain_count)
		chain_add(p->chains[worker], s->task, s->sample->cpumode,
			  &(struct recorded_chain){ .ips = s->sample->chain,
						    .count = s->sample->chain_count,
						    .unwound = s->sample->chain_unwound,
						    .swap = p->swap },
			  &s->key);
	return 0;
}

static void pass_init(struct pass *p, struct session *s, const struct rewrite_objects *o)
{
	*p = (struct pass){ .o = o, .workers = session_workers(s), .image_space = 1U << 20 };
	p->swap = session_events(s)->swap;
	p->files = (struct image_files){
		.images = session_images(s),
		.history = session_history(s),
		.known = o->known,
		.kernel = o->kernel,
		.guestmount = o->guestmount,
		.held = o->held,
		.held_id = o->held_id,
		.held_arg = o->held_arg,
	};
	p->chains = xcalloc(p->workers, sizeof(*p->chains));
	p->leaves = xcalloc(p->workers, sizeof(*p->leaves));
	for (unsigned i = 0; i < p->workers; i++) {
		p->chains[i] = chains_new(session_history(s));
		p->leaves[i] = xcalloc(p->image_space, sizeof(**p->leaves));
	}
}

static void pass_release(struct pass *p)
{
	for (unsigned i = 0; i < p->workers; i++) {
		chains_free(p->chains[i]);
		free(p->leaves[i]);
	}
	free(p->chains);
	free(p->leaves);
	image_files_release(&p->files);
}

/* Returns a table of all images that were hit. The caller frees it. */
static bool *all_hits(const struct pass *p, u32 images)
{
	bool *hit = xcalloc(images + 1, sizeof(*hit));

	if (p->o->all)
		memset(hit, true, images);
	for (unsigned w = 0; w < p->workers; w++) {
		for (u32 i = 0; i < images && i < p->image_space; i++)
			hit[i] |= p->leaves[w][i];
		for (frame_id f = 0; f < frames_count(p->chains[w]); f++)
			if (chain_frame(p->chains[w], f)->image < images)
				hit[chain_frame(p->chains[w], f)->image] = true;
	}
	return hit;
}

/*
 * Reports that something is not cached: one object without addresses, or that the cache takes
 * nothing, which concerns all of them.
 */
static void say_not_cached(struct context *ctx, const struct image *img, bool hidden,
			   const struct reason *why)
{
	const char *text = why->text ? why->text : "no reason is known";

	if (hidden)
		condition_add(&ctx->conditions, CONDITION_NOTE, "not-cached", img->path, NULL, 1,
			      why->hint, "'%s' is not kept in the build-id cache: %s", img->path,
			      text);
	else
		condition_add(&ctx->conditions, CONDITION_WARNING, "cache-not-filled",
			      ctx->buildid_dir, NULL, 1,
			      obstacle_rows[OBSTACLE_CACHE_UNWRITABLE].cure,
			      "programs are not kept in the build-id cache '%s': %s",
			      ctx->buildid_dir, text);
}

static void copy_to_cache(struct context *ctx, const struct image *img, const char *file,
			  const struct build_id *id)
{
	struct cache_entry e = {
		.kind = CACHE_ELF,
		.name = img->path,
		.source = file,
		.id = *id,
	};
	struct reason why = REASON_INIT;
	int err;

	if (img->kind == IMAGE_ELF && !file)
		return;
	if (img->kind == IMAGE_KERNEL)
		e.kind = CACHE_KALLSYMS;
	else if (img->kind == IMAGE_VDSO)
		e.kind = CACHE_VDSO;
	err = cache_add(ctx->buildid_dir, &e, &why);
	if (err && err != -ESTALE) /* a file that was replaced since has another id */
		say_not_cached(ctx, img, e.kind == CACHE_KALLSYMS && err == -EPERM, &why);
	reason_release(&why);
}

/* Caches an object whose file or symbols are missing here, if a server has it. */
static void cache_from_servers(struct context *ctx, const struct pass *p, const struct image *img,
			       const struct build_id *id)
{
	const struct object_search search = { .symfs = "",
					      .buildid_dir = ctx->buildid_dir,
					      .servers = p->o->servers };
	struct image with_id = *img;

	with_id.build_id = *id;
	object_cache_from_servers(&search, &with_id, NULL);
}

/* Was a file found that its name does not lead to? */
static bool is_out_of_reach(const struct image *img, const char *file)
{
	return file && !img->guest && strcmp(file, img->path) != 0;
}

/*
 * Of a file without a build-id that is out of reach the copy is all that will be left, and a digest
 * of its bytes stands for the build-id.
 */
static bool keep_unnamed(struct context *ctx, const struct image *img, const char *file,
			 struct build_id *id)
{
	struct cache_entry e = { .kind = CACHE_ELF, .name = img->path, .source = file };
	struct reason why = REASON_INIT;
	struct elf *elf;
	int err;

	if (!is_out_of_reach(img, file) || elf_open(file, &elf, NULL))
		return false;
	elf_close(elf);
	err = cache_add_content(ctx->buildid_dir, &e, &why);
	if (err)
		say_not_cached(ctx, img, false, &why);
	reason_release(&why);
	*id = e.id;
	return !err;
}

static void add_image(struct context *ctx, struct strbuf *b, struct pass *p,
		      const struct image *img)
{
	bool cached = p->o->cache && *ctx->buildid_dir && !img->guest;
	char *file = image_file(&p->files, img);
	struct build_id id;

	if (!image_find_build_id(&p->files, img, file, &id)) {
		image_add_build_id(b, img, &id);
		if (cached) {
			copy_to_cache(ctx, img, file, &id);
			cache_from_servers(ctx, p, img, &id);
		}
	} else if (cached && keep_unnamed(ctx, img, file, &id)) {
		image_add_build_id(b, img, &id);
	}
	if (!file && img->kind == IMAGE_ELF && !img->guest && p->o->cache && !*ctx->buildid_dir)
		condition_add(&ctx->conditions, CONDITION_WARNING, "gone-not-kept", img->path, NULL,
			      1, "'perf --buildid-dir DIR record' keeps such files in DIR",
			      "'%s' is gone, and there is no build-id cache to keep it in",
			      img->path);
	free(file);
}

static void add_images(struct context *ctx, struct data_writer *w, struct pass *p)
{
	u32 count = image_count(p->files.images);
	bool *hit = all_hits(p, count);
	struct strbuf b = STRBUF_INIT;

	for (u32 i = 1; i < count; i++) {
		const struct image *img = image_get(p->files.images, i);
		struct build_id id;

		if (p->o->cache && *ctx->buildid_dir &&
		    generated_keep(ctx, &p->files, img, hit[i], &id))
			image_add_build_id(&b, img, &id);
		else if (hit[i])
			add_image(ctx, &b, p, img);
	}
	if (b.len)
		data_feature_set(w, FEATURE_BUILD_ID, b.s, b.len);
	strbuf_release(&b);
	free(hit);
}

/* Reports whether the name is a program's; the kernel truncates names. */
static bool is_comm_of(const char *comm, const char *program)
{
	enum { COMM_MAX = 15 };

	return program && !strncmp(comm, path_base(program), COMM_MAX);
}

static void say_ended(struct context *ctx, const struct context *own,
		      const struct rewrite_objects *o)
{
	vec_for_each(&own->conditions.list, c)
		if (o->say_ended && !strcmp(c->code, EVENTS_ENDED) && c->object &&
		    !is_comm_of(c->object, o->said))
			condition_add(&ctx->conditions, CONDITION_WARNING, c->code, c->object,
				      &c->first, c->count, c->hint, "%s", c->text);
}

void rewrite_find_objects(struct context *ctx, struct data_writer *w, const char *path,
			  const struct rewrite_objects *o)
{
	/* do not report what an unfinished file lacks */
	struct context own = { .workers = ctx->workers, .buildid_dir = "", .quiet = true };
	const struct session_options so = { .input = path, .force = true, .no_jitdumps = true };
	struct session_ops ops = { .order = SESSION_SUMS,
				   .sample = on_sample,
				   .whole_samples = true };
	const struct session_stats *stats;
	struct reason why = REASON_INIT;
	struct session *s;
	struct pass p;
	struct stat st;
	int err;

	/* data written to a device or a pipe cannot be read again */
	if (!stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return;
	err = session_open(&own, &so, &s, &why);
	if (err)
		goto out;
	pass_init(&p, s, o);
	err = session_run(s, &ops, &p, &why);
	stats = session_stats(s);
	if (!err && stats->last_time)
		data_set_sample_time(w, stats->first_time, stats->last_time);
	if (!err && o->ids)
		add_images(ctx, w, &p);
	/* a lost mapping looks like one that never existed */
	if (!stats->lost_chunks)
		say_ended(ctx, &own, o);
	pass_release(&p);
	session_free(s);
out:
	if (err)
		condition_add(&ctx->conditions, CONDITION_WARNING, "no-build-ids", path, NULL, 1,
			      NULL, "no build-ids in '%s': %s", path,
			      why.text ? why.text : "reading failed");
	reason_release(&why);
	condition_list_release(&own.conditions);
}
