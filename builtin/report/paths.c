// SPDX-License-Identifier: GPL-2.0-or-later
/* Chooses the paths of a profile. */
#include "builtin/report/paths.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/perf_abi.h"
#include "base/self_profile.h"
#include "event/event.h"
#include "statistics/statistics.h"

enum {
	MOST = 20,         /* functions, and places */
	SAME = 90,         /* percent of a run's first frame that its other frames have at least */
	LEAVING = 5,       /* percent of everything that leaves a run unseen, at most */
	DEFAULT_LIMIT = 5, /* in tenths of a percent */
	MANY = 100,        /* samples */
};

/* Weighted draws: samples and the sums of their periods and of the squares of these. */
struct sums {
	u64 samples, period;
	double squares;
};

static void sums_add(struct sums *s, u64 samples, u64 period, double squares)
{
	s->samples += samples;
	s->period += period;
	s->squares += squares;
}

/* While one event's paths are chosen. */
struct choice {
	struct path_event *e;
	const struct stack_node *nodes;
	double squares; /* of what 100 % is */
	double z;
	u64 least, least_samples; /* of a path */
};

static const char *name_of(const struct choice *c, u32 name)
{
	return strtab_get(&c->e->stacks->names, name);
}

static struct path_share share_of(const struct choice *c, const struct sums *s)
{
	double of = (double)c->e->of, p = of > 0 ? (double)s->period / of : 0, n;
	struct path_share share = {
		.samples = s->samples,
		.period = s->period,
		.percent = 100 * p,
	};

	if (!c->e->has_intervals)
		return share;
	n = statistics_share_draws((double)s->period, s->squares, of, c->squares);
	share.has_interval = n > 0;
	if (!share.has_interval)
		return share;
	statistics_share_interval(p, n, c->z, &share.low, &share.high);
	share.low = 100 * fmax(share.low, 0);
	share.high = 100 * fmin(share.high, 1);
	return share;
}

/* ---- the tree, with recursion folded ---- */

/* The root is item 0, and parents come before their children. */
struct node {
	u32 name, parent;
	struct path_frame frame;
	struct sums all, own;
	VEC(u32) callees; /* greatest first, once sort_callees() was there */
};
struct tree {
	VEC(struct node) nodes;
	struct map64 child; /* parent << 32 | name -> node */
};

static u32 ancestor(const struct tree *t, u32 from, u32 name)
{
	while (from && t->nodes.items[from].name != name)
		from = t->nodes.items[from].parent;
	return from;
}

/*
 * The node that stands for a frame of this name below parent: of a function that calls itself the
 * caller, and where functions call each other in a circle the second one of that name.  So a
 * function that a signal handler calls, too, is no circle.
 */
static u32 folded(const struct tree *t, u32 parent, u32 name)
{
	u32 near = ancestor(t, parent, name);

	if (near == parent)
		return near;
	return near && ancestor(t, t->nodes.items[near].parent, name) ? near : 0;
}

static u32 add_node(struct tree *t, const struct choice *c, u32 parent, const struct stack_node *n)
{
	/* keys come before the frames, and a name in brackets is of all functions without one */
	bool has_name = name_of(c, n->name)[0] != '[';
	u32 at = n->kind == STACK_KEY ? 0 : folded(t, parent, n->name);
	struct node *x;
	bool added;
	u64 *known;

	if (at && (has_name || at == parent)) {
		t->nodes.items[at].frame.recursive = has_name;
		return at;
	}
	known = map64_put(&t->child, (u64)parent << 32 | n->name, &added);
	if (added) {
		*known = t->nodes.count;
		vec_push(&t->nodes,
			 (struct node){
				 .name = n->name,
				 .parent = parent,
				 .frame = { name_of(c, n->name), n->kind, n->runtime, false },
			 });
	}
	x = &t->nodes.items[*known];
	x->frame.kind = MIN(x->frame.kind, n->kind);
	x->frame.runtime &= n->runtime;
	return (u32)*known;
}

static int node_cmp(const void *pa, const void *pb, void *arg)
{
	const struct node *nodes = arg, *a = &nodes[*(const u32 *)pa],
			  *b = &nodes[*(const u32 *)pb];

	if (a->all.period != b->all.period)
		return a->all.period > b->all.period ? -1 : 1;
	return strcmp(a->frame.name, b->frame.name);
}

/* The callees of each node that are large enough. */
static void sort_callees(struct tree *t, const struct choice *c)
{
	for (u32 i = 1; i < t->nodes.count; i++) {
		const struct node *n = &t->nodes.items[i];

		if (n->all.period >= c->least && n->all.samples >= c->least_samples)
			vec_push(&t->nodes.items[n->parent].callees, i);
	}
	vec_for_each(&t->nodes, n)
		if (n->callees.count)
			qsort_r(n->callees.items, n->callees.count, sizeof(u32), node_cmp,
				t->nodes.items);
}

static void make_tree(struct tree *t, const struct choice *c)
{
	size_t count = c->e->stacks->nodes.count;
	u32 *to = xcalloc(count, sizeof(*to));

	vec_push(&t->nodes, (struct node){ .name = UINT32_MAX });
	for (u32 i = 1; i < count; i++) {
		const struct stack_node *n = &c->nodes[i];

		to[i] = add_node(t, c, to[n->parent], n);
		sums_add(&t->nodes.items[to[i]].own, n->own_samples, n->own_period, n->own_squares);
	}
	for (size_t i = t->nodes.count; i-- > 0;) {
		struct node *n = &t->nodes.items[i];

		sums_add(&n->all, n->own.samples, n->own.period, n->own.squares);
		if (i)
			sums_add(&t->nodes.items[n->parent].all, n->all.samples, n->all.period,
				 n->all.squares);
	}
	sort_callees(t, c);
	free(to);
}

static void tree_release(struct tree *t)
{
	vec_for_each(&t->nodes, n)
		vec_release(&n->callees);
	vec_release(&t->nodes);
	map64_release(&t->child);
}

/* ---- paths ---- */

/* Does the run that began with so large a frame go on to the first callee of its last one? */
static bool goes_on(const struct tree *t, const struct choice *c, u64 first, u32 last)
{
	const struct node *n = &t->nodes.items[last];
	double most = (double)c->e->period * LEAVING / 100;

	if (!n->callees.count || (double)n->own.period >= most)
		return false;
	if ((double)t->nodes.items[n->callees.items[0]].all.period * 100 < (double)first * SAME)
		return false;
	return n->callees.count < 2 ||
	       (double)t->nodes.items[n->callees.items[1]].all.period < most;
}

/* The path that begins at a node; at the root it has no frame. */
static struct path *make_path(const struct tree *t, const struct choice *c, u32 at)
{
	struct path *p = xcalloc(1, sizeof(*p));
	u64 first = t->nodes.items[at].all.period;
	const struct node *n;

	if (at)
		vec_push(&p->frames, t->nodes.items[at].frame);
	while (at && goes_on(t, c, first, at)) {
		at = t->nodes.items[at].callees.items[0];
		vec_push(&p->frames, t->nodes.items[at].frame);
	}
	n = &t->nodes.items[at];
	p->all = share_of(c, &n->all);
	p->self = share_of(c, &n->own);
	vec_for_each(&n->callees, k)
		vec_push(&p->below, make_path(t, c, *k));
	return p;
}

static void path_free(struct path *p)
{
	if (!p)
		return;
	vec_for_each(&p->below, k)
		path_free(*k);
	vec_release(&p->below);
	vec_release(&p->frames);
	free(p);
}

static void find_tree(const struct choice *c)
{
	struct tree t = { 0 };

	make_tree(&t, c);
	c->e->root = make_path(&t, c, 0);
	tree_release(&t);
}

/* ---- functions and places ---- */

/* What is added up by one or two names. */
struct named {
	u32 name, in; /* in: UINT32_MAX for none */
	enum stack_kind kind;
	bool runtime;
	struct sums sums;
};
typedef VEC(struct named) named_list;

static int named_cmp(const void *pa, const void *pb, void *arg)
{
	const struct choice *c = arg;
	const struct named *a = pa, *b = pb;
	int cmp;

	if (a->sums.period != b->sums.period)
		return a->sums.period > b->sums.period ? -1 : 1;
	cmp = strcmp(name_of(c, a->name), name_of(c, b->name));
	if (cmp || a->in == b->in)
		return cmp;
	if (a->in == UINT32_MAX || b->in == UINT32_MAX)
		return a->in == UINT32_MAX ? -1 : 1;
	return strcmp(name_of(c, a->in), name_of(c, b->in));
}

static void named_add(named_list *l, struct map64 *at, const struct named *what)
{
	bool added;
	u64 *i = map64_put(at, (u64)what->in << 32 | what->name, &added);
	struct named *n;

	if (added) {
		*i = l->count;
		vec_push(l, *what);
		return;
	}
	n = &l->items[*i];
	n->kind = MIN(n->kind, what->kind);
	n->runtime &= what->runtime;
	sums_add(&n->sums, what->sums.samples, what->sums.period, what->sums.squares);
}

/* The greatest first, without those below the limit. */
static void named_choose(const struct choice *c, named_list *l)
{
	size_t kept = 0;

	if (l->count)
		qsort_r(l->items, l->count, sizeof(*l->items), named_cmp, (void *)c);
	while (kept < l->count && kept < MOST && l->items[kept].sums.period >= c->least)
		kept++;
	l->count = kept;
}

/*
 * As the key place: the innermost function of the program's own code, outside of the run-time;
 * without one the innermost of user space, or else the leaf.
 */
static struct named place_of(const struct choice *c, u32 leaf)
{
	struct named n = { .name = c->nodes[leaf].name, .in = UINT32_MAX };
	u32 in = UINT32_MAX;

	for (u32 at = leaf; c->nodes[at].kind != STACK_KEY; at = c->nodes[at].parent) {
		const struct stack_node *x = &c->nodes[at];

		if (x->kind == STACK_KERNEL)
			continue;
		if (!x->runtime) {
			n.name = x->name;
			n.in = in;
			return n;
		}
		if (in == UINT32_MAX)
			n.name = x->name;
		in = x->name;
	}
	return n;
}

static void find_functions(const struct choice *c)
{
	named_list functions = VEC_INIT, places = VEC_INIT;
	struct map64 by_function = { 0 }, by_place = { 0 };

	for (u32 i = 1; i < c->e->stacks->nodes.count; i++) {
		const struct stack_node *x = &c->nodes[i];
		struct named n = { .name = x->name, .in = UINT32_MAX };

		if (!x->own_samples || x->kind == STACK_KEY)
			continue;
		if (c->e->waits)
			n = place_of(c, i);
		n.kind = x->kind;
		n.runtime = x->runtime;
		n.sums = (struct sums){ x->own_samples, x->own_period, x->own_squares };
		if (c->e->waits)
			named_add(&places, &by_place, &n);
		n.name = x->name;
		n.in = UINT32_MAX;
		named_add(&functions, &by_function, &n);
	}
	named_choose(c, &functions);
	named_choose(c, &places);
	vec_for_each(&functions, n)
		vec_push(&c->e->functions,
			 (struct path_function){ .name = name_of(c, n->name),
						 .kind = n->kind,
						 .runtime = n->runtime,
						 .share = share_of(c, &n->sums) });
	vec_for_each(&places, n)
		vec_push(&c->e->places,
			 (struct path_place){ .name = name_of(c, n->name),
					      .in = n->in == UINT32_MAX ? NULL : name_of(c, n->in),
					      .share = share_of(c, &n->sums) });
	vec_release(&functions);
	vec_release(&places);
	map64_release(&by_function);
	map64_release(&by_place);
}

/* ---- all ---- */

static bool is_clock(const struct event *ev)
{
	return ev->attr.type == PERF_TYPE_SOFTWARE && (ev->attr.config == PERF_COUNT_SW_CPU_CLOCK ||
						       ev->attr.config == PERF_COUNT_SW_TASK_CLOCK);
}

/* Is each occurrence a sample, so that nothing is left to chance? */
static bool is_counted(const struct event *ev)
{
	bool software = ev->attr.type == PERF_TYPE_SOFTWARE ||
			ev->attr.type == PERF_TYPE_TRACEPOINT ||
			ev->attr.type == PERF_TYPE_BREAKPOINT;

	if (event_is_wait(ev))
		return true;
	return software && !is_clock(ev) && !(ev->attr.flags & ATTR_FREQ) &&
	       ev->attr.sample_period == 1;
}

/* Are its periods ns?  The kernel does not keep to shorter periods of a clock. */
static bool is_time(const struct event *ev)
{
	enum { SHORTEST = 10000 };

	return event_is_wait(ev) ||
	       (is_clock(ev) &&
		(ev->attr.flags & ATTR_FREQ ? (ev->attr.sample_type & PERF_SAMPLE_PERIOD) != 0
					    : ev->attr.sample_period >= SHORTEST));
}

static void add_event(struct paths *p, struct hist *h, const struct hist_view *v, u32 member,
		      double limit)
{
	const struct event *ev = v->members[member];
	const struct hist_totals *t = &v->totals[member];
	struct path_event e = {
		.event = ev,
		.waits = event_is_wait(ev),
		.is_time = is_time(ev),
		.of = hist_view_period(v, member),
		.has_intervals = !is_counted(ev),
		.stacks = hist_stacks_new(h, ev, NULL),
	};
	struct choice c = {
		.e = &e,
		.nodes = e.stacks->nodes.items,
		.squares = hist_settings(h)->relative ? t->shown_squares : t->squares,
		.z = statistics_normal_quantile(PATHS_LEVEL),
	};

	e.samples = c.nodes[0].samples;
	e.period = c.nodes[0].period;
	c.least = (u64)ceil((double)e.period * limit / 100);
	/* a single one of many samples says little */
	c.least_samples = e.has_intervals && e.samples >= MANY ? 2 : 1;
	if (!e.samples) {
		hist_stacks_free(e.stacks);
		return;
	}
	find_tree(&c);
	find_functions(&c);
	vec_push(&p->events, e);
}

/* Waits come first if they are more time than what ran, and else second. */
static void move_waits(struct paths *p)
{
	const struct path_event *first = p->events.count ? &p->events.items[0] : NULL;

	for (size_t i = 1; i < p->events.count; i++) {
		struct path_event e = p->events.items[i];
		size_t to = first->is_time && e.period > first->period ? 0 : 1;

		if (!e.waits)
			continue;
		memmove(&p->events.items[to + 1], &p->events.items[to],
			(i - to) * sizeof(*p->events.items));
		p->events.items[to] = e;
		return;
	}
}

void paths_find(struct paths *p, struct hist *h, double limit)
{
	p->known = !hist_is_placeless(h) && hist_settings(h)->expansion != HIST_BRANCHES;
	if (!p->known)
		return;
	phase_begin("choose paths");
	for (size_t i = 0; i < hist_view_count(h); i++) {
		const struct hist_view *v = hist_view(h, i);

		for (u32 m = 0; m < v->member_count; m++)
			if (v->totals[m].samples)
				add_event(p, h, v, m, limit > 0 ? limit : DEFAULT_LIMIT / 10.0);
	}
	move_waits(p);
	phase_end();
}

void paths_release(struct paths *p)
{
	vec_for_each(&p->events, e) {
		hist_stacks_free(e->stacks);
		vec_release(&e->functions);
		vec_release(&e->places);
		path_free(e->root);
	}
	vec_release(&p->events);
}
