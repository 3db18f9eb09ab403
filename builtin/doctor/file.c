// SPDX-License-Identifier: GPL-2.0-or-later
/* Tells which questions a recording can answer, which not, and why. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/text.h"
#include "builtin/doctor/internal.h"
#include "hist/hist.h"
#include "object/debug_servers.h"
#include "profile/profile.h"
#include "symbol/srcline.h"
#include "sys/obstacles.h"
#include "truth/truth.h"

/* One reason why a quality is missing, with the samples that it affects. */
struct flaw {
	u64 samples, of; /* of 0: it is not about single samples */
	char *why, *cure;
};

/* A quality that a recording should have, as "complete" or "named". */
struct quality {
	bool applies;
	VEC(struct flaw) flaws; /* none: the recording is so */
};

enum { COMPLETE, LOST_NOTHING, NOT_THROTTLED, WHOLE, NAMED, OBJECTS, LINES, QUALITIES };

static const struct {
	const char *name, *text;
} known[QUALITIES] = {
	[COMPLETE] = { "complete", "is complete" },
	[LOST_NOTHING] = { "lost-nothing", "lost no samples" },
	[NOT_THROTTLED] = { "not-throttled", "was never throttled" },
	[WHOLE] = { "whole", "has whole stacks" },
	[NAMED] = { "named", "names the functions of its samples" },
	[OBJECTS] = { "objects", "finds its objects here" },
	[LINES] = { "lines", "knows lines of source" },
};

struct file_doctor {
	struct quality all[QUALITIES];
	u64 samples;
};

static void add_flaw(struct file_doctor *f, unsigned quality, u64 samples, u64 of, const char *why,
		     const char *cure)
{
	struct flaw flaw = { samples, of, xstrdup(why), cure ? xstrdup(cure) : NULL };

	vec_push(&f->all[quality].flaws, flaw);
}

static void release(struct file_doctor *f)
{
	for (unsigned i = 0; i < QUALITIES; i++) {
		vec_for_each(&f->all[i].flaws, flaw) {
			free(flaw->why);
			free(flaw->cure);
		}
		vec_release(&f->all[i].flaws);
	}
}

/* ---- finding ---- */

static void find_lost(struct file_doctor *f, const struct truth *t)
{
	char *text;

	f->all[LOST_NOTHING].applies = f->all[NOT_THROTTLED].applies = true;
	if (t->lost) {
		text = xasprintf("%" PRIu64 " samples (%.2f%%) were lost, since buffers were full",
				 t->lost, truth_lost_percent(t));
		add_flaw(f, LOST_NOTHING, 0, 0, text, truth_lost_cure);
		free(text);
	}
	if (t->throttled) {
		text = xasprintf("events were throttled %" PRIu64 " times in %" PRIu64 " samples",
				 t->throttled, t->delivered);
		add_flaw(f, NOT_THROTTLED, 0, 0, text, truth_throttled_cure);
		free(text);
	}
}

static void find_share(struct file_doctor *f, unsigned quality, const struct truth_share *s)
{
	struct strbuf b = STRBUF_INIT;

	if (s->state > TRUTH_ABOUT)
		return;
	f->all[quality].applies = true;
	vec_for_each(&s->causes, c) {
		strbuf_clear(&b);
		if (c->object[0])
			strbuf_f(&b, "%s: ", c->object);
		strbuf_str(&b, c->why);
		add_flaw(f, quality, c->samples, s->all, strbuf_cstr(&b), c->cure);
	}
	strbuf_release(&b);
}

/* Adds flaws from the conditions: damage, and objects that are not on this machine. */
static void find_conditions(struct file_doctor *f, const struct condition_list *l)
{
	static const char *const of_objects[] = { "object-differs", "object-not-found",
						  "no-kernel-symbols", "kernel-addresses-hidden" };

	f->all[COMPLETE].applies = f->all[OBJECTS].applies = true;
	vec_for_each(&l->list, c) {
		if (c->weight == CONDITION_DAMAGE)
			add_flaw(f, COMPLETE, 0, 0, c->text,
				 c->hint ? c->hint
					 : "what is there can be read; record again for the rest");
		for (size_t i = 0; i < ARRAY_SIZE(of_objects); i++)
			if (c->weight == CONDITION_WARNING && !strcmp(c->code, of_objects[i]))
				add_flaw(f, OBJECTS, 0, 0, c->text, c->hint);
	}
}

/* Samples by image, of all events. */
static u64 *count_images(const struct hist *h, u32 images)
{
	u64 *samples = xcalloc(images, sizeof(*samples));

	for (size_t i = 0; i < hist_view_count(h); i++) {
		const struct hist_view *v = hist_view(h, i);

		for (size_t n = 0; n < v->entry_count; n++)
			for (u32 m = 0; m < v->member_count; m++)
				samples[hist_frame(h, v->entries[n]->frame)->image] +=
					v->entries[n]->self[m].samples;
	}
	return samples;
}

static void find_lines(struct file_doctor *f, struct session *s, const struct hist *h)
{
	const struct image_table *images = session_images(s);
	struct line_store *lines = line_store_new(session_symbols(s), NULL);
	u64 *samples = count_images(h, image_count(images));
	const char *urls = debug_servers_default();
	enum obstacle which =
		urls && *urls ? OBSTACLE_NO_DEBUG_INFORMATION : OBSTACLE_NO_DEBUG_SERVERS;

	for (u32 i = 1; i < image_count(images); i++) {
		const struct image *img = image_get(images, i);
		struct reason why = REASON_INIT;

		if (img->kind != IMAGE_ELF || !samples[i])
			continue;
		f->all[LINES].applies = true;
		if (lines_exist(lines, i))
			continue;
		obstacle_refuse(which, &(struct obstacle_words){ .what = img->path }, ENOENT, &why);
		add_flaw(f, LINES, samples[i], f->samples, why.text, why.hint);
		reason_release(&why);
	}
	free(samples);
	line_store_free(lines);
}

static int flaw_cmp(const void *pa, const void *pb)
{
	const struct flaw *a = pa, *b = pb;

	if (a->samples != b->samples)
		return a->samples > b->samples ? -1 : 1;
	return strcmp(a->why, b->why);
}

static void find_flaws(struct file_doctor *f, struct session *s, const struct hist *h)
{
	struct truth t = { 0 };

	truth_find(&t, s, h);
	f->samples = t.samples;
	find_lost(f, &t);
	vec_for_each(&t.events, e) {
		if (!e->samples)
			continue;
		find_share(f, WHOLE, &e->whole);
		find_share(f, NAMED, &e->named);
	}
	truth_release(&t);
	find_lines(f, s, h);
	find_conditions(f, &session_context(s)->conditions);
	for (unsigned i = 0; i < QUALITIES; i++)
		if (f->all[i].flaws.count)
			vec_sort(&f->all[i].flaws, flaw_cmp);
}

/* ---- writing ---- */

/* Of a quality people get the largest causes, programs get all. */
static void put_text(const struct file_doctor *f, struct strbuf *out)
{
	enum { MOST = 5 };

	strbuf_f(out, "the recording has %" PRIu64 " samples\n", f->samples);
	for (unsigned i = 0; i < QUALITIES; i++) {
		const struct quality *q = &f->all[i];

		if (!q->applies)
			continue;
		strbuf_f(out, "%s: %s\n", known[i].text, q->flaws.count ? "no" : "yes");
		for (size_t n = 0; n < q->flaws.count && n < MOST; n++) {
			const struct flaw *flaw = &q->flaws.items[n];
			char *share =
				flaw->of ? xasprintf("%.1f%%: ", 100.0 * (double)flaw->samples /
									 (double)flaw->of)
					 : xstrdup("");

			doctor_put_cause(share, flaw->why, flaw->cure, out);
			free(share);
		}
		if (q->flaws.count > MOST)
			strbuf_f(out, "    %zu more causes\n", q->flaws.count - MOST);
	}
}

static void put_json(const struct file_doctor *f, struct strbuf *out)
{
	const char *between = "";

	strbuf_f(out, "{\"samples\":%" PRIu64 ",\"qualities\":[", f->samples);
	for (unsigned i = 0; i < QUALITIES; i++) {
		const struct quality *q = &f->all[i];

		if (!q->applies)
			continue;
		strbuf_f(out, "%s\n{\"name\":\"%s\",\"holds\":%s,\"causes\":[", between,
			 known[i].name, q->flaws.count ? "false" : "true");
		between = "";
		vec_for_each(&q->flaws, flaw) {
			strbuf_f(out, "%s{\"samples\":", between);
			if (flaw->of)
				strbuf_dec(out, flaw->samples);
			else
				strbuf_str(out, "null");
			doctor_put_member(out, "cause", flaw->why);
			doctor_put_member(out, "cure", flaw->cure);
			strbuf_char(out, '}');
			between = ",";
		}
		strbuf_str(out, "]}");
		between = ",";
	}
	strbuf_str(out, "]}\n");
}

int doctor_file(struct context *ctx, const char *path, bool json, struct strbuf *out,
		struct reason *r)
{
	struct file_doctor f = { 0 };
	struct profile p = { 0 };
	struct analysis a;
	int err;

	analysis_init(&a, ctx);
	a.open.input = path;
	err = analysis_prepare(&a, r);
	if (!err) {
		err = session_open(ctx, &a.open, &a.session, r);
		if (err == -ENOENT)
			reason_hint(r, "make it with 'perf record', or name another file");
	}
	if (!err)
		err = profile_by_function(&p, a.session, true, r);
	if (!err) {
		find_flaws(&f, a.session, p.hist);
		if (json)
			put_json(&f, out);
		else
			put_text(&f, out);
	}
	/* the flaws say them */
	condition_list_release(&ctx->conditions);
	release(&f);
	profile_release(&p);
	session_free(a.session);
	analysis_release(&a);
	return err;
}
