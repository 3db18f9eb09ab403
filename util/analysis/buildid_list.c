// SPDX-License-Identifier: GPL-2.0-or-later
/* Lists the build-ids of the objects in a recording. */
#include "analysis/buildid_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "session/session.h"

/*
 * Marks objects with samples. Workers write it without a lock, since each byte is only ever set to
 * 1.
 */
struct hits {
	u8 *hit;
	u32 count;
};

static void put_line(struct strbuf *b, const struct build_id *id, const char *name)
{
	char hex[41];

	strbuf_f(b, "%-40s ", build_id_text(id, hex));
	strbuf_printable(b, name);
	strbuf_char(b, '\n');
}

/*
 * Writes the list that the recorder wrote, without repeats: 6.1 lists a file once for each mount
 * namespace that used it.
 */
static void list_recorded(struct data_reader *d, struct strbuf *b)
{
	struct map64 seen = { 0 };
	size_t n;
	const struct data_build_id *ids = data_build_ids(d, &n);

	for (size_t i = 0; i < n; i++) {
		struct build_id id = { .size = ids[i].size };
		bool added;

		memcpy(id.id, ids[i].id, sizeof(id.id));
		map64_put(&seen,
			  hash_combine(hash_str(ids[i].name), hash_bytes(id.id, sizeof(id.id))),
			  &added);
		if (added)
			put_line(b, &id, ids[i].name);
	}
	map64_release(&seen);
}

static int mark(void *arg, unsigned worker, const struct session_sample *s, struct reason *r)
{
	struct hits *h = arg;

	(void)worker;
	(void)r;
	if (s->leaf.image && s->leaf.image < h->count)
		__atomic_store_n(&h->hit[s->leaf.image], 1, __ATOMIC_RELAXED);
	return 0;
}

/*
 * Marks the objects that have samples. Images are created in pass 1, so their number is not known
 * before; there is room for 16 M.
 */
static int find_hits(struct session *s, struct hits *h, struct reason *r)
{
	const struct session_ops ops = {
		.order = SESSION_SUMS, .sample = mark, .whole_samples = true, .no_tasks = true
	};

	h->count = 1 << 24;
	h->hit = calloc(h->count, 1); /* only pages with hits take memory */
	if (!h->hit)
		return reason_set(r, ENOMEM, "not enough memory to mark objects");
	return session_run(s, &ops, h, r);
}

/* Writes the marked objects: first those in the recorder's list, in its order, then the others. */
static void put_hits(struct session *s, const struct hits *h, struct strbuf *b)
{
	const struct image_table *images = session_images(s);
	u32 count = MIN(image_count(images), h->count);
	u8 *left = xmemdup(h->hit, count + 1);
	size_t n;
	const struct data_build_id *ids = data_build_ids(session_data(s), &n);

	for (size_t i = 0; i < n; i++)
		for (u32 j = 1; j < count; j++) {
			const struct image *im = image_get(images, j);

			if (!left[j] || strcmp(im->path, ids[i].name))
				continue;
			left[j] = 0;
			put_line(b, &im->build_id, im->path);
		}
	for (u32 j = 1; j < count; j++)
		if (left[j])
			put_line(b, &image_get(images, j)->build_id, image_get(images, j)->path);
	free(left);
}

static int list_hits(struct context *ctx, const struct buildid_list *l, struct strbuf *b,
		     struct reason *r)
{
	struct session_options o = { .input = l->input, .force = l->force };
	struct hits h = { NULL, 0 };
	struct session *s;
	int err;

	o.symbols.symfs = "";
	o.symbols.buildid_dir = ctx->buildid_dir;
	err = session_open(ctx, &o, &s, r);
	if (err)
		return err;
	err = find_hits(s, &h, r);
	if (!err)
		put_hits(s, &h, b);
	free(h.hit);
	session_free(s);
	return err;
}

/*
 * Writes the list of a recording. A file without the recorder's list needs a pass over its samples.
 * One with AUX data has its samples inside that data, so the recorder's list is used even if only
 * objects with samples are wanted.
 */
int buildid_list_text(struct context *ctx, const struct buildid_list *l, struct strbuf *b,
		      struct reason *r)
{
	struct data_reader *d;
	bool hits;
	int err;

	if (l->input && !strcmp(l->input, "-"))
		return list_hits(ctx, l, b, r);
	err = data_open(ctx, l->input, l->force, &d, r);
	if (err)
		return err;
	hits = !data_has_feature(d, FEATURE_BUILD_ID) ||
	       (l->with_hits && !data_has_feature(d, FEATURE_AUXTRACE));
	if (!hits)
		list_recorded(d, b);
	data_close(d);
	return hits ? list_hits(ctx, l, b, r) : 0;
}
