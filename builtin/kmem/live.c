// SPDX-License-Identifier: GPL-2.0-or-later
/* perf kmem stat --bpf: counted in the kernel, printed at the end and at intervals. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "analysis/kernel_function.h"
#include "base/clock.h"
#include "bpf/bpf.h"
#include "bpf/kmem.h"
#include "cli/pager.h"
#include "cli/say.h"
#include "builtin/kmem/internal.h"
#include "live/live.h"
#include "record/record.h"
#include "synth/synth.h"

struct counting {
	struct kmem *k;
	struct kmem_result *res;
	struct bpf_run *slab, *pages; /* NULL: not requested */
	struct kmem_counts *counts;
	struct kmem_page_counts *page_counts;
	struct workload workload;
	struct event_set set;
	int wake_fd;
	u64 begun, next; /* ns of CLOCK_MONOTONIC */
};

/* The arguments of the tracepoints are those of Linux 6.1 and later. */
static int check_kernel(const struct kmem *k, struct reason *r)
{
	struct utsname name;
	unsigned major, minor;

	if (!k->want[KMEM_SLAB] || uname(&name) ||
	    sscanf(name.release, "%u.%u", &major, &minor) != 2 || major > 6 ||
	    (major == 6 && minor >= 1))
		return 0;
	reason_set(r, ENOTSUP,
		   "--bpf counts slab objects on Linux 6.1 and later, and this is Linux %s",
		   name.release);
	reason_hint(r, "perf kmem record and perf kmem stat work here");
	return -ENOTSUP;
}

/* Opens a live session that knows only the kernel's names. */
static int open_session(struct counting *c, struct reason *r)
{
	static const struct session_ops quiet = { .order = SESSION_ORDERED };
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = ATTR_SIZE_VER7,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.flags = ATTR_SAMPLE_ID_ALL | ATTR_MMAP,
	};
	struct strbuf b = STRBUF_INIT;
	struct data_chunk chunk;
	int err;

	event_set_init(&c->set);
	event_set_add(&c->set, &attr, "dummy");
	err = event_set_finish(&c->set, r);
	if (err)
		return err;
	c->res->session = c->k->a.session =
		session_new_live(c->k->a.ctx, &c->set, &c->k->a.open.symbols);
	synth_kernel(&b, c->set.list.items[0], NULL); /* hidden ones have no names */
	synth_bpf(&b, c->set.list.items[0]);
	chunk = (struct data_chunk){ .data = (const u8 *)b.s, .size = b.len };
	err = b.len ? session_push(c->res->session, &quiet, c, &chunk, r) : 0;
	if (!err)
		err = session_flush(c->res->session, &quiet, c, r);
	strbuf_release(&b);
	return err;
}

/* Loads a program. *counts receives the program's variable of this name. */
static int load(struct counting *c, const char *image, const char *map, struct bpf_run **run,
		void **counts, size_t size, struct reason *r)
{
	struct kmem_settings *s;
	u32 pid = (u32)c->workload.pid;
	u8 one = 1;
	int err;

	*run = bpf_run_open(image, r);
	if (!*run)
		return -ENOTSUP;
	s = bpf_run_variable(*run, "settings", sizeof(*s));
	s->self = (u32)getpid();
	s->some_processes = pid && !c->k->all_cpus;
	s->pages_at = c->k->want[KMEM_PAGE] && c->k->live
			      ? kernel_symbol_address(c->res->session, "vmemmap_base")
			      : 0;
	bpf_run_enable(*run, "process_fork", s->some_processes);
	bpf_run_map_entries(*run, map, (u32)c->k->map_entries);
	err = bpf_run_load(c->k->a.ctx, *run, r);
	if (!err)
		err = bpf_run_attach(*run, r);
	if (!err && pid)
		err = bpf_map_write(bpf_run_map(*run, "processes"), &pid, &one);
	if (!err)
		*counts = bpf_run_variable(*run, "counts", size);
	return err || *counts ? err : reason_set(r, EIO, "a BPF program's state cannot be reached");
}

static int load_all(struct counting *c, struct reason *r)
{
	void *counts = NULL;
	int err = 0;

	if (c->k->want[KMEM_SLAB])
		err = load(c, "kmem", "objects", &c->slab, &counts, sizeof(*c->counts), r);
	c->counts = counts;
	counts = NULL;
	if (!err && c->k->want[KMEM_PAGE])
		err = load(c, "kmem_page", "blocks", &c->pages, &counts, sizeof(*c->page_counts),
			   r);
	c->page_counts = counts;
	if (c->pages)
		c->res->formats = live_pages_formats();
	return err;
}

static void enable(struct counting *c, u32 on)
{
	if (c->counts)
		__atomic_store_n(&c->counts->enabled, on, __ATOMIC_SEQ_CST);
	if (c->page_counts)
		__atomic_store_n(&c->page_counts->enabled, on, __ATOMIC_SEQ_CST);
}

/* ---- from maps to rows ---- */

static int take_site(void *arg, const void *key, void *value)
{
	struct slab *s = arg;
	const struct kmem_site *in = value;
	u64 site;

	memcpy(&site, key, sizeof(site));
	if (!in->hits)
		return 0;
	vec_push(&s->sites, (struct slab_row){ .site = site,
					       .hits = in->hits,
					       .requested = in->requested,
					       .allocated = in->allocated,
					       .pingpong = in->pingpong });
	s->allocs += in->hits;
	s->requested += in->requested;
	s->allocated += in->allocated;
	return 0;
}

static int take_object(void *arg, const void *key, void *value)
{
	struct slab *s = arg;
	const struct kmem_object *in = value;
	u64 ptr;

	memcpy(&ptr, key, sizeof(ptr));
	vec_push(&s->ptrs, (struct slab_row){ .ptr = ptr,
					      .site = in->site,
					      .hits = 1,
					      .live = true,
					      .last_requested = in->requested,
					      .last_allocated = in->allocated });
	return 0;
}

static void take_slab(struct counting *c)
{
	struct slab *s = &c->res->slab;

	slab_release(s);
	*s = (struct slab){ .freed = c->counts->freed, .cross = c->counts->cross };
	bpf_map_each(bpf_run_map(c->slab, "sites"), sizeof(u64), sizeof(struct kmem_site),
		     take_site, s);
	if (c->k->live) {
		bpf_map_each(bpf_run_map(c->slab, "objects"), sizeof(u64),
			     sizeof(struct kmem_object), take_object, s);
		slab_only_live(s);
	}
}

static void print(struct counting *c)
{
	if (c->slab)
		take_slab(c);
	if (c->pages)
		live_pages_take(c->res, c->pages, c->page_counts);
	if (c->k->interval)
		strbuf_f(out_buf(&c->k->a.out), "# after %.1f s\n",
			 (double)(clock_now() - c->begun) / 1e9);
	kmem_print(c->res, out_buf(&c->k->a.out));
	out_flush(&c->k->a.out);
}

/*
 * Reports that nothing was seen, which is unusual: the whole machine allocates all the time, and so
 * does a command that starts.
 */
static void explain_empty(const struct counting *c)
{
	const struct workload *w = &c->workload;
	bool none =
		!c->slab || (!c->res->slab.allocs && !c->res->slab.ptrs.count && !c->counts->freed);

	if (c->pages && (c->page_counts->allocs || c->page_counts->frees))
		none = false;
	if (none && (w->pid <= 0 || loop_ran_workload(w)))
		say_nothing_seen(c->k->a.ctx, c->workload.pid > 0 && !c->k->all_cpus
						      ? "no allocation of the command was seen"
						      : "no allocation was seen");
}

static void warn(const struct counting *c)
{
	const struct kmem_counts *slab = c->counts;
	const struct kmem_page_counts *pages = c->page_counts;
	struct condition_list *l = &c->k->a.ctx->conditions;
	u64 no_row = (slab ? slab->no_row : 0) + (pages ? pages->no_row : 0);

	if (no_row)
		condition_add(l, CONDITION_WARNING, "kmem-callers", NULL, NULL, no_row, NULL,
			      "allocations are not counted because the map of callers was full");
	if (slab && slab->no_live)
		condition_add(
			l, CONDITION_WARNING, "kmem-objects", NULL, NULL, slab->no_live,
			"--map-nr-entries makes the map larger",
			"allocations whose free is not known, because the map of objects was full");
	if (pages && pages->no_live)
		condition_add(
			l, CONDITION_WARNING, "kmem-blocks", NULL, NULL, pages->no_live,
			"--map-nr-entries makes the map larger",
			"blocks of pages whose free is not known, because the map of blocks was "
			"full");
	if (pages && pages->no_stack)
		condition_add(
			l, CONDITION_WARNING, "kmem-stacks", NULL, NULL, pages->no_stack, NULL,
			"the caller of an allocation is not known, because the map of call chains "
			"was full");
	if (pages && pages->unread_stack)
		condition_add(
			l, CONDITION_WARNING, "kmem-unread", NULL, NULL, pages->unread_stack, NULL,
			"the caller of an allocation is not known, because the kernel could not "
			"follow its call chain");
	bpf_run_say_missed(c->k->a.ctx, c->slab);
	bpf_run_say_missed(c->k->a.ctx, c->pages);
}

static int count(struct counting *c, struct reason *r)
{
	struct workload *w = c->workload.pid > 0 ? &c->workload : NULL;
	int err;

	c->begun = clock_now();
	c->next = c->k->interval ? c->begun + c->k->interval : UINT64_MAX;
	enable(c, 1);
	err = w ? workload_start(w, r) : 0;
	while (!err && !loop_wait_end(w, c->wake_fd, c->next)) {
		print(c);
		c->next += c->k->interval;
	}
	enable(c, 0);
	if (err)
		return err;
	if (!c->k->interval) /* not while a command ran, which has the terminal */
		pager_start(c->k->a.ctx, "kmem");
	print(c);
	explain_empty(c);
	warn(c);
	return 0;
}

int kmem_count(struct kmem *k, struct kmem_result *res, struct event_set *set, int argc,
	       const char **argv, struct reason *r)
{
	struct counting c = { .k = k, .res = res };
	int err = bpf_usable("--bpf", r);

	if (!err && argc)
		err = bpf_sees_tasks("--bpf", r);
	if (!err)
		err = check_kernel(k, r);
	if (!err)
		err = loop_signals(k->a.ctx, 0, &c.wake_fd, r);
	if (!err && argc)
		err = workload_prepare(&c.workload, argv, r);
	if (!err)
		err = open_session(&c, r);
	if (!err)
		err = load_all(&c, r);
	if (!err)
		err = count(&c, r);
	if (c.workload.pid > 0)
		loop_finish_workload(&c.workload);
	k->a.ctx->ended_by = loop_ending_signal();
	bpf_run_close(c.slab);
	bpf_run_close(c.pages);
	*set = c.set; /* the session needs it until its end */
	return err;
}
