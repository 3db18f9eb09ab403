// SPDX-License-Identifier: GPL-2.0-or-later
/* perf kmem stat: a recording is read in order of time. */
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "builtin/kmem/internal.h"
#include "builtin/kmem/rows.h"
#include "data/reader.h"

struct run {
	struct kmem *k;
	struct kmem_result res;
	struct sample_choice choice;
	bool any[KMEM_ALLOCATORS]; /* allocations were seen to be recorded */
};

static int on_slab_alloc(void *arg, const struct tracer_hit *hit, struct reason *r)
{
	struct run *run = arg;

	(void)r;
	return slab_on_alloc(&run->res.slab, hit);
}

static int on_slab_free(void *arg, const struct tracer_hit *hit, struct reason *r)
{
	struct run *run = arg;

	(void)r;
	slab_on_free(&run->res.slab, hit);
	return 0;
}

static const struct tracepoint_formats *formats_of(const struct run *run)
{
	return data_tracepoints(session_data(run->res.session), NULL);
}

static int on_page_alloc(void *arg, const struct tracer_hit *hit, struct reason *r)
{
	struct run *run = arg;
	struct page *p = &run->res.page;
	const struct session_sample *s = tracer_hit_sample(hit);
	const struct tracepoint_formats *f = formats_of(run);

	if (!tracer_has(hit, PAGE_PFN) && !tracer_has(hit, PAGE_PAGE))
		return reason_set(r, EINVAL,
				  "the event kmem:mm_page_alloc has neither pfn nor page");
	if (!p->page_size)
		p->page_size = f && tracepoint_page_size(f) ? tracepoint_page_size(f) : 4096;
	if (f)
		gfp_learn(&run->res.gfp, f, s, tracer_u64(hit, PAGE_GFP));
	page_on_alloc(p, hit, page_site(p, run->res.session, s));
	return 0;
}

static int on_page_free(void *arg, const struct tracer_hit *hit, struct reason *r)
{
	struct run *run = arg;
	const struct tracepoint_formats *f = formats_of(run);

	(void)r;
	if (!run->res.page.page_size)
		run->res.page.page_size =
			f && tracepoint_page_size(f) ? tracepoint_page_size(f) : 4096;
	page_on_free(&run->res.page, hit);
	return 0;
}

#define SLAB_ALLOC(name, of_node)                                                                  \
	{                                                                                          \
		name, .optional = true, .fn = on_slab_alloc, .fields = {                           \
			[ALLOC_SITE] = { "call_site" },                                            \
			[ALLOC_PTR] = { "ptr" },                                                   \
			[ALLOC_REQUESTED] = { "bytes_req" },                                       \
			[ALLOC_ALLOCATED] = { "bytes_alloc" },                                     \
			[ALLOC_NODE] = { "node", .optional = true }                                \
		}                                                                                  \
	}
#define SLAB_FREE(name)                                                                            \
	{                                                                                          \
		name, .optional = true, .fn = on_slab_free, .fields = { [FREE_PTR] = { "ptr" } }   \
	}
#define PAGES(name, handler, of_alloc)                                                             \
	{                                                                                          \
		name, .optional = true, .fn = handler, .fields = {                                 \
			[PAGE_PFN] = { "pfn", .optional = true },                                  \
			[PAGE_PAGE] = { "page", .optional = true },                                \
			[PAGE_ORDER] = { "order" },                                                \
			[PAGE_GFP] = { "gfp_flags", .optional = !(of_alloc) },                     \
			[PAGE_TYPE] = { "migratetype", .optional = !(of_alloc) }                   \
		}                                                                                  \
	}

/* Slab first: SLAB_ROWS of them. */
enum { SLAB_ROWS = 6, ALL_ROWS = 8 };
static const struct tracer_row rows[ALL_ROWS] = {
	SLAB_ALLOC("kmem:kmalloc", false),
	SLAB_ALLOC("kmem:kmem_cache_alloc", false),
	SLAB_ALLOC("kmem:kmalloc_node", true),
	SLAB_ALLOC("kmem:kmem_cache_alloc_node", true),
	SLAB_FREE("kmem:kfree"),
	SLAB_FREE("kmem:kmem_cache_free"),
	PAGES("kmem:mm_page_alloc", on_page_alloc, true),
	PAGES("kmem:mm_page_free", on_page_free, false),
};

static bool has_event(struct session *s, const char *name)
{
	const struct event_set *set = session_events(s);

	vec_for_each(&set->list, ev)
		if ((*ev)->name && !strcmp((*ev)->name, name))
			return true;
	return false;
}

/*
 * Checks that the events asked for were recorded. Runs after reading, since a stream describes its
 * events as it goes.
 */
static int check_events(const struct run *run, struct reason *r)
{
	struct session *s = run->res.session;
	bool slab = false;

	for (int i = 0; i < SLAB_ROWS - 2; i++)
		slab |= has_event(s, rows[i].event);
	if (run->k->want[KMEM_SLAB] && !slab) {
		reason_set(r, ENOENT, "'%s' has no slab allocations", data_path(session_data(s)));
		reason_hint(r, "record with: perf kmem record --slab");
		return -ENOENT;
	}
	if (run->k->want[KMEM_PAGE] && !has_event(s, "kmem:mm_page_alloc")) {
		reason_set(r, ENOENT, "'%s' has no page allocations", data_path(session_data(s)));
		reason_hint(r, "record with: perf kmem record --page");
		return -ENOENT;
	}
	return 0;
}

static bool keep(void *arg, const struct sample *s)
{
	const struct run *run = arg;

	return sample_choice_keep(&run->choice, s);
}

static int read_recording(struct run *run, struct reason *r)
{
	bool slab = run->k->want[KMEM_SLAB], page = run->k->want[KMEM_PAGE];
	struct tracer *t = tracer_new(&(struct tracer_settings){
		.rows = slab ? rows : rows + SLAB_ROWS,
		.row_count = (slab ? SLAB_ROWS : 0) + (page ? ALL_ROWS - SLAB_ROWS : 0),
		.arg = run,
		.record = "record with: perf kmem record",
		.keep = run->k->time ? keep : NULL,
		.no_tasks = true,
		.no_locations = true,
		.no_chains = true,
		.names_kernel = !run->k->raw_ip });
	int err = tracer_run(t, run->res.session, r);

	tracer_free(t);
	return err;
}

/* Reports whether a release such as "4.3.0-..." is before 4.4. */
static bool is_before_4_4(const char *release)
{
	unsigned major = 0, minor = 0;

	return release && sscanf(release, "%u.%u", &major, &minor) == 2 &&
	       (major < 4 || (major == 4 && minor < 4));
}

static void choose_thousands(struct kmem_result *res)
{
	locale_t locale = newlocale(LC_NUMERIC_MASK, "", (locale_t)0);

	if (locale) {
		snprintf(res->thousands, sizeof(res->thousands), "%s",
			 nl_langinfo_l(THOUSEP, locale));
		freelocale(locale);
	}
}

static void begin(struct run *run)
{
	struct kmem_result *res = &run->res;
	struct data_reader *d = session_data(res->session);

	res->old_types = is_before_4_4(data_feature_string(d, FEATURE_OSRELEASE));
	res->slab.keep_freed = run->k->table[KMEM_ALLOCS] && !run->k->live;
	res->slab.place_count = data_places(d, &res->slab.places);
}

static int run_stat(struct run *run, struct reason *r)
{
	struct session *s = run->res.session;
	bool stream = data_is_pipe(session_data(s));
	int err = sample_choice_open(&run->choice, run->k->time, s, r);

	if (!err && !stream)
		err = check_events(run, r);
	if (err)
		return err;
	begin(run);
	err = read_recording(run, r);
	if (!err && stream)
		err = check_events(run, r);
	if (err)
		return err;
	if (run->k->live) {
		slab_only_live(&run->res.slab);
		page_only_live(&run->res.page);
	}
	gfp_names_sort(&run->res.gfp);
	kmem_print(&run->res, out_buf(&run->k->a.out));
	return 0;
}

static int read_file(struct run *run, struct reason *r)
{
	int err = analysis_begin(&run->k->a, r);

	if (err)
		return err;
	run->res.session = run->k->a.session;
	return run_stat(run, r);
}

int kmem_stat(struct kmem *k, int argc, const char **argv)
{
	struct run run = { .k = k, .res = { .k = k } };
	struct event_set set = { 0 };
	struct reason r = REASON_INIT;
	int err = analysis_prepare(&k->a, &r);

	choose_thousands(&run.res);
	if (!err && k->bpf) {
		out_init(&k->a.out, STDOUT_FILENO);
		err = kmem_count(k, &run.res, &set, argc, argv, &r);
	} else if (!err) {
		err = read_file(&run, &r);
	}
	err = analysis_end(&k->a, err, &r);
	if (k->bpf)
		event_set_release(&set);
	slab_release(&run.res.slab);
	page_release(&run.res.page);
	gfp_names_release(&run.res.gfp);
	tracepoint_formats_free(run.res.formats);
	sample_choice_release(&run.choice);
	analysis_release(&k->a);
	return err;
}
