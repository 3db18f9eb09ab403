// SPDX-License-Identifier: GPL-2.0-or-later
/* perf buildid-list: which objects, by build-id. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/out.h"
#include "base/text.h"
#include "builtin.h"
#include "builtin-buildid.h"
#include "cli/options.h"
#include "cli/say.h"
#include "live/live.h"
#include "object/buildid.h"
#include "session/session.h"

struct buildid_list {
	const char *input;
	bool force, with_hits, kernel, kernel_maps;
	int verbose;
};

/* Objects with samples: written by workers without a lock, each byte only ever set to 1. */
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

static int list_kernel(struct strbuf *b, struct reason *r)
{
	struct build_id id;
	char hex[41];
	int err = build_id_of_kernel(NULL, &id, r);

	if (!err)
		strbuf_f(b, "%s\n", build_id_text(&id, hex));
	return err;
}

/* "/lib/modules/.../nf-nat.ko.xz" -> "nf_nat", as sysfs calls it; the caller frees it. */
static char *module_name(const char *path)
{
	const char *base = path_base(path), *dot = strchr(base, '.');
	char *name;

	base += *base == '[';
	name = dot ? xstrndup(base, (size_t)(dot - base)) : xstrdup(base);
	name[strcspn(name, "]")] = '\0';
	for (char *p = name; *p; p++)
		if (*p == '-')
			*p = '_';
	return name;
}

static void put_kernel_map(struct strbuf *b, const struct record_mmap *m)
{
	bool kernel = str_starts(m->filename, "[kernel.kallsyms]");
	struct build_id id = { 0 };
	char hex[41];

	if (kernel) {
		build_id_of_kernel(NULL, &id, NULL);
	} else {
		char *name = module_name(m->filename);

		build_id_of_module(NULL, name, &id, NULL);
		free(name);
	}
	strbuf_f(b, "%s %16" PRIx64 " %16" PRIx64 " ", build_id_text(&id, hex), m->start,
		 m->start + m->len);
	strbuf_printable(b, kernel ? "[kernel.kallsyms]" : m->filename);
	strbuf_char(b, '\n');
}

static int by_start(const void *a, const void *b)
{
	const struct record_mmap *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* The records that a recorder would write for the running kernel. */
static int list_kernel_maps(struct strbuf *b, struct reason *r)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	struct strbuf bytes = STRBUF_INIT;
	VEC(struct record_mmap) maps = VEC_INIT;
	struct event_set set;
	struct data_chunk c;
	struct record rec;
	size_t at = 0;
	int err;

	event_set_init(&set);
	err = synth_kernel(&bytes, event_set_add(&set, &attr, ""), r);
	c = (struct data_chunk){ .data = (const u8 *)bytes.s, .size = bytes.len };
	while (!err && data_chunk_record(&c, &at, &rec)) {
		struct record_mmap m;

		if (rec.type != PERF_RECORD_MMAP)
			continue;
		err = record_get_mmap(&set, &rec, &m, r);
		if (!err)
			vec_push(&maps, m);
	}
	vec_sort(&maps, by_start);
	vec_for_each(&maps, m)
		put_kernel_map(b, m);
	vec_release(&maps);
	strbuf_release(&bytes);
	event_set_release(&set);
	return err;
}

/* The list that the recorder wrote.  6.1 writes a file once for each mount namespace that it was in. */
static void list_recorded(struct data_reader *d, struct strbuf *b)
{
	struct map64 seen = { 0 };
	size_t n;
	const struct data_build_id *ids = data_build_ids(d, &n);

	for (size_t i = 0; i < n; i++) {
		struct build_id id = { .size = ids[i].size };
		bool added;

		memcpy(id.id, ids[i].id, sizeof(id.id));
		map64_put(&seen, hash_combine(hash_str(ids[i].name), hash_bytes(id.id, sizeof(id.id))), &added);
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

/* Images come into being in pass 1, so their number is not known before; 16 M are enough. */
static int find_hits(struct session *s, struct hits *h, struct reason *r)
{
	const struct session_ops ops = { .order = SESSION_SUMS, .sample = mark, .no_tasks = true };

	h->count = 1 << 24;
	h->hit = calloc(h->count, 1); /* touched where there are hits only */
	if (!h->hit)
		return reason_set(r, ENOMEM, "not enough memory to mark objects");
	return session_run(s, &ops, h, r);
}

/* In the order of the recorder's list, then the objects that are not in it. */
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
 * A file without the recorder's list needs a look at its samples; one with AUX
 * data has its samples inside that, so its list is taken as it is.
 */
static int list_file(struct context *ctx, const struct buildid_list *l, struct strbuf *b,
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

int buildid_list_text(struct context *ctx, const char *input, bool force, struct strbuf *b,
		      struct reason *r)
{
	const struct buildid_list l = { .input = input, .force = force };

	return list_file(ctx, &l, b, r);
}

static bool is_elf(const char *path)
{
	char magic[4] = "";
	FILE *f = path && strcmp(path, "-") ? fopen(path, "re") : NULL;
	bool elf = f && fread(magic, 4, 1, f) == 1 && !memcmp(magic, "\177ELF", 4);

	if (f)
		fclose(f);
	return elf;
}

static int list_elf(const char *path, struct strbuf *b, struct reason *r)
{
	struct build_id id;
	char hex[41];
	int err = build_id_of_file(path, &id, r);

	if (!err)
		strbuf_f(b, "%s\n", build_id_text(&id, hex));
	return err;
}

static int run(struct context *ctx, const struct buildid_list *l, struct strbuf *b,
	       struct reason *r)
{
	if (l->kernel)
		return list_kernel(b, r);
	if (l->kernel_maps)
		return list_kernel_maps(b, r);
	if (is_elf(l->input))
		return list_elf(l->input, b, r);
	return list_file(ctx, l, b, r);
}

int cmd_buildid_list(struct context *ctx, int argc, const char **argv)
{
	static const char *const usage[] = { "perf buildid-list [<options>]", NULL };
	struct buildid_list l = { NULL };
	const struct option_row rows[] = {
		{ OPTION_FLAG, 'H', "with-hits", &l.with_hits, .help = "only objects that have samples" },
		{ OPTION_STRING, 'i', "input", &l.input, .arg = "FILE",
		  .help = "perf.data file, or an ELF file whose build-id is printed" },
		{ OPTION_FLAG, 'f', "force", &l.force, .help = "read a file of another user" },
		{ OPTION_FLAG, 'k', "kernel", &l.kernel, .help = "build-id of the running kernel" },
		{ OPTION_FLAG, 'm', "kernel-maps", &l.kernel_maps,
		  .help = "build-ids and addresses of the running kernel and its modules" },
		{ OPTION_COUNT, 'v', "verbose", &l.verbose, .help = "say more about what is wrong" },
		OPT_END_ROW,
	};
	const struct options o = { .command = "buildid-list", .usage = usage, .rows = rows };
	struct reason r = REASON_INIT;
	struct out out;
	int code = options_parse(&o, &argc, argv), err;

	if (code)
		return code < 0 ? 0 : code;
	if (argc)
		return options_usage_error(&o, "'%s' is one argument too many", argv[0]);
	ctx->verbose += l.verbose;
	out_init(&out, STDOUT_FILENO);
	err = run(ctx, &l, out_buf(&out), &r);
	code = say_output(out_release(&out));
	if (err)
		code = say_reason(&r);
	return say_conditions(ctx) ? 1 : code;
}
