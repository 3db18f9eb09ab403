// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * group_by(): how many samples and how much period each combination of values has; each worker
 * counts in its own tables.
 */
#include "module.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_KEYS = 8, LAST = 8 };

struct group {
	u64 key[MOST_KEYS], samples, period;
};

struct table { /* what one worker has */
	VEC(struct group) groups;
	VEC(u32) slots; /* group + 1, a power of two of them */
	struct strtab texts;
	u32 last[LAST]; /* by event: the group of its previous sample, as samples in a row often
			 * share one */
};

struct groups {
	struct run *run;
	struct value_of of[MOST_KEYS];
	size_t count;
	struct table *tables;
	unsigned table_count;
};

static bool is_key(const struct group *g, const u64 *key, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (g->key[i] != key[i])
			return false;
	return true;
}

static u64 hash_of(const u64 *key, size_t n)
{
	u64 h = 0;

	for (size_t i = 0; i < n; i++)
		h = hash_combine(h, key[i]);
	return h;
}

static void grow(struct table *t, size_t n)
{
	size_t space = t->slots.count ? t->slots.count * 2 : 256;

	vec_reserve(&t->slots, space);
	memset(t->slots.items, 0, space * sizeof(*t->slots.items));
	t->slots.count = space;
	for (u32 g = 0; g < t->groups.count; g++) {
		size_t at = hash_of(t->groups.items[g].key, n) & (space - 1);

		while (t->slots.items[at])
			at = (at + 1) & (space - 1);
		t->slots.items[at] = g + 1;
	}
}

/*
 * Returns the group of a key. where, of enum LAST, is which one of the groups seen last it is
 * likely to be.
 */
static struct group *group_of(struct table *t, const u64 *key, size_t n, u32 where)
{
	u32 *last = &t->last[where % LAST];
	size_t at;

	if (likely(*last < t->groups.count && is_key(&t->groups.items[*last], key, n)))
		return &t->groups.items[*last];
	if (t->groups.count * 2 >= t->slots.count)
		grow(t, n);
	at = hash_of(key, n) & (t->slots.count - 1);
	while (t->slots.items[at]) {
		*last = t->slots.items[at] - 1;
		if (is_key(&t->groups.items[*last], key, n))
			return &t->groups.items[*last];
		at = (at + 1) & (t->slots.count - 1);
	}
	*last = (u32)t->groups.count;
	t->slots.items[at] = *last + 1;
	vec_push_zero(&t->groups);
	memcpy(t->groups.items[*last].key, key, n * sizeof(*key));
	return &t->groups.items[*last];
}

static int on_sample(void *arg, unsigned worker, const struct session_sample *ss, struct reason *r)
{
	struct groups *g = arg;
	struct table *t = &g->tables[worker];
	u64 key[MOST_KEYS];
	struct group *found;

	(void)r;
	for (size_t i = 0; i < g->count; i++)
		key[i] = value_quick(g->run, &g->of[i], ss, &t->texts);
	found = group_of(t, key, g->count, ss->sample->event->index);
	found->samples++;
	found->period += ss->sample->period;
	return 0;
}

/* Merges everything into the first table. Each table has its own numbers of texts. */
static void merge(struct groups *g)
{
	struct table *all = &g->tables[0];

	for (unsigned i = 1; i < g->table_count; i++) {
		struct table *t = &g->tables[i];

		vec_for_each(&t->groups, from) {
			struct group *to;

			for (size_t k = 0; k < g->count; k++)
				if (g->of[k].kind == VALUE_TEXT)
					from->key[k] = strtab_add(&all->texts,
								  strtab_get(&t->texts,
									     (u32)from->key[k]));
			to = group_of(all, from->key, g->count, 0);
			to->samples += from->samples;
			to->period += from->period;
		}
	}
}

/*
 * Returns the key of a group by text: groups of two images or functions with the same name become
 * one.
 */
static PyObject *key_object(const struct groups *g, const struct group *group)
{
	PyObject *key;

	if (g->count == 1)
		return value_object(g->run, &g->of[0], group->key[0], &g->tables[0].texts);
	key = PyTuple_New((Py_ssize_t)g->count);
	for (size_t i = 0; key && i < g->count; i++) {
		PyObject *v = value_object(g->run, &g->of[i], group->key[i], &g->tables[0].texts);

		if (!v)
			Py_CLEAR(key);
		else
			PyTuple_SetItem(key, (Py_ssize_t)i, v);
	}
	return key;
}

static int add_group(const struct groups *g, const struct group *group, PyObject *dict)
{
	PyObject *key = key_object(g, group), *sum, *before;
	unsigned long long samples = group->samples, period = group->period;
	int err = -1;

	if (!key)
		return -1;
	before = PyDict_GetItemWithError(dict, key);
	if (before) {
		samples += PyLong_AsUnsignedLongLong(PyTuple_GetItem(before, 0));
		period += PyLong_AsUnsignedLongLong(PyTuple_GetItem(before, 1));
	}
	sum = PyErr_Occurred() ? NULL : Py_BuildValue("(KK)", samples, period);
	if (sum)
		err = PyDict_SetItem(dict, key, sum);
	Py_XDECREF(sum);
	Py_DECREF(key);
	return err;
}

static int most_first(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return x->period != y->period     ? x->period < y->period ? 1 : -1
	       : x->samples != y->samples ? x->samples < y->samples ? 1 : -1
					  : memcmp(x->key, y->key, sizeof(x->key));
}

static PyObject *make_dict(struct groups *g)
{
	PyObject *dict = PyDict_New();

	merge(g);
	vec_sort(&g->tables[0].groups, most_first);
	vec_for_each(&g->tables[0].groups, group)
		if (dict && add_group(g, group, dict))
			Py_CLEAR(dict);
	return dict;
}

static void release(struct groups *g)
{
	for (unsigned i = 0; i < g->table_count; i++) {
		vec_release(&g->tables[i].groups);
		vec_release(&g->tables[i].slots);
		strtab_release(&g->tables[i].texts);
	}
	free(g->tables);
	run_put(g->run);
}

PyObject *recording_group_by(struct run *run, PyObject *args)
{
	struct groups g = { .run = run_get(run) };
	struct session_ops ops = { .order = SESSION_SUMS, .sample = on_sample };
	struct reason r = REASON_INIT;
	PyObject *dict = NULL;
	int err;

	if (!take_names(g.run, args, g.of, MOST_KEYS, &g.count)) {
		release(&g);
		return NULL;
	}
	g.table_count = session_workers(g.run->session);
	g.tables = xcalloc(g.table_count, sizeof(*g.tables));
	set_needs(&ops, g.of, g.count);
	g.run->busy++;
	g.run->read = true;
	Py_BEGIN_ALLOW_THREADS err = session_run(g.run->session, &ops, &g, &r);
	Py_END_ALLOW_THREADS g.run->busy--;
	if (err)
		raise_reason(err, &r);
	else
		dict = make_dict(&g);
	if (dict && !run_warn(run))
		Py_CLEAR(dict);
	release(&g);
	return dict;
}
