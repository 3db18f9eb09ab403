// SPDX-License-Identifier: GPL-2.0-or-later
/* Samples into cache lines and entries. */
#include "c2c/lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/perf_abi.h"

#define SHARED_MAPPING 1 /* MAP_SHARED */

void lines_init(struct c2c_lines *l)
{
	/* number 0: what is not mapped */
	vec_push(&l->object_list, (struct c2c_object){ 0 });
}

void lines_release(struct c2c_lines *l)
{
	vec_for_each(&l->all, line)
		vec_release(&(*line)->entries);
	vec_release(&l->all);
	vec_release(&l->shown);
	vec_release(&l->entries);
	vec_release(&l->object_list);
	vec_release(&l->object_of_image);
	vec_release(&l->dso_of_image);
	free(l->line_table.slots);
	free(l->entry_table.slots);
	map64_release(&l->objects);
	strtab_release(&l->dsos);
	arena_release(&l->memory);
}

static u32 lines_node_words(const struct c2c_lines *l)
{
	return (l->nodes->count + 63) / 64;
}

u32 lines_cpu_words(const struct c2c_lines *l)
{
	return (l->nodes->cpu_count + 63) / 64;
}

static void *zeroed(struct c2c_lines *l, size_t size)
{
	return memset(arena_alloc(&l->memory, size), 0, size);
}

static void set_add(u64 *set, u32 bit)
{
	set[bit / 64] |= BIT64(bit % 64);
}

/* ---- what identifies a line ---- */

/* Files are distinguished by inode, as in the kernel; all memory without a file is one object. */
static u32 object_number(struct c2c_lines *l, const struct image *im)
{
	struct c2c_object o = { (u64)im->maj << 32 | im->min, im->ino, im->ino_generation };
	u64 *number;
	bool added;

	number = map64_put(&l->objects, hash_combine(hash_combine(hash_u64(o.dev), o.ino), o.generation),
			   &added);
	if (added) {
		*number = l->object_list.count;
		vec_push(&l->object_list, o);
	}
	return (u32)*number;
}

static u32 *of_image(u32 image, c2c_numbers *v)
{
	while (v->count <= image)
		vec_push(v, 0);
	return &v->items[image];
}

static u32 object_of(struct c2c_lines *l, u32 image)
{
	u32 *known = of_image(image, &l->object_of_image);

	if (!*known)
		*known = object_number(l, image_get(session_images(l->session), image)) + 1;
	return *known - 1;
}

static u32 dso_of(struct c2c_lines *l, u32 image)
{
	u32 *known = of_image(image, &l->dso_of_image);

	if (!*known)
		*known = strtab_add(&l->dsos, image_get(session_images(l->session), image)->name) + 1;
	return *known - 1;
}

/* Where the data lies: in the kernel or in the process. */
static void locate_data(struct c2c_lines *l, const struct session_sample *s, struct location *out)
{
	struct history *h = session_history(l->session);
	const struct sample *x = s->sample;
	bool kernel = (s64)x->addr < 0;
	bool guest = x->cpumode == PERF_RECORD_MISC_GUEST_KERNEL ||
		     x->cpumode == PERF_RECORD_MISC_GUEST_USER;
	u8 mode = guest ? (kernel ? PERF_RECORD_MISC_GUEST_KERNEL : PERF_RECORD_MISC_GUEST_USER) :
			  (kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER);

	session_place(h, s, mode, x->addr, out);
}

static void line_key(struct c2c_lines *l, const struct session_sample *s, const struct location *data,
		     struct c2c_line_key *key)
{
	const struct sample *x = s->sample;

	key->cpumode = x->cpumode;
	key->data = x->addr;
	key->at = (data->mapping ? data->offset : x->addr) & ~((u64)l->line_size - 1);
	if (data->mapping) {
		const struct c2c_object *o;

		key->object = object_of(l, data->image);
		o = &l->object_list.items[key->object];
		if (x->cpumode != PERF_RECORD_MISC_KERNEL && !(data->mapping->flags & SHARED_MAPPING) &&
		    !o->dev && !o->ino && !o->generation)
			key->pid = s->task->pid;
	}
	key->hash = hash_combine(key->at, (u64)key->object << 32 | key->pid) ^ key->cpumode;
}

static bool same_line(const struct c2c_line_key *a, const struct c2c_line_key *b)
{
	return a->hash == b->hash && a->at == b->at && a->object == b->object && a->pid == b->pid &&
	       a->cpumode == b->cpumode;
}

/* ---- tables ---- */

/* Slots hold numbers + 1. */
static void table_put(struct c2c_table *t, u64 hash, u32 number)
{
	size_t i = hash & (t->space - 1);

	while (t->slots[i])
		i = (i + 1) & (t->space - 1);
	t->slots[i] = number + 1;
}

/* Makes room for one more; true: the slots were cleared and must be filled again. */
static bool table_grow(struct c2c_table *t, size_t count)
{
	if (2 * count < t->space)
		return false;
	t->space = t->space ? 2 * t->space : 1024;
	free(t->slots);
	t->slots = xcalloc(t->space, sizeof(*t->slots));
	return true;
}

static void init_item(struct c2c_lines *l, struct c2c_item *item)
{
	item->nodes = zeroed(l, lines_node_words(l) * sizeof(u64));
}

static struct c2c_line *find_line(struct c2c_lines *l, const struct c2c_line_key *key, u32 *number)
{
	struct c2c_table *t = &l->line_table;
	struct c2c_line *line;

	if (table_grow(t, l->all.count))
		for (u32 i = 0; i < l->all.count; i++)
			table_put(t, l->all.items[i]->key.hash, i);
	for (size_t i = key->hash & (t->space - 1); t->slots[i]; i = (i + 1) & (t->space - 1)) {
		*number = t->slots[i] - 1;
		if (same_line(&l->all.items[*number]->key, key))
			return l->all.items[*number];
	}
	line = arena_alloc(&l->memory, sizeof(*line));
	*line = (struct c2c_line){ .key = *key };
	init_item(l, &line->item);
	*number = (u32)l->all.count;
	table_put(t, key->hash, *number);
	vec_push(&l->all, line);
	return line;
}

static void entry_key(struct c2c_lines *l, const struct session_sample *s, struct c2c_entry_key *key)
{
	u64 hash = hash_combine(key->line, s->sample->addr & (l->line_size - 1));

	key->pid = s->task->pid;
	key->tid = s->task->tid;
	key->code = s->sample->ip;
	key->dso = dso_of(l, s->leaf.image);
	for (const enum c2c_key *k = l->keys; *k; k++)
		hash = hash_combine(hash, *k == C2C_KEY_PID ? key->pid : *k == C2C_KEY_TID ? key->tid :
				    *k == C2C_KEY_CODE ? key->code : key->dso);
	key->hash = hash;
}

static bool same_entry(const struct c2c_lines *l, const struct c2c_entry_key *a, const struct c2c_entry_key *b)
{
	if (a->hash != b->hash || a->line != b->line || (a->data ^ b->data) & (l->line_size - 1))
		return false;
	for (const enum c2c_key *k = l->keys; *k; k++)
		if (*k == C2C_KEY_PID ? a->pid != b->pid : *k == C2C_KEY_TID ? a->tid != b->tid :
		    *k == C2C_KEY_CODE ? a->code != b->code : a->dso != b->dso)
			return false;
	return true;
}

static struct c2c_entry *find_entry(struct c2c_lines *l, const struct c2c_entry_key *key,
				    const struct session_sample *s)
{
	struct c2c_table *t = &l->entry_table;
	struct c2c_entry *e;

	if (table_grow(t, l->entries.count))
		for (u32 i = 0; i < l->entries.count; i++)
			table_put(t, l->entries.items[i]->key.hash, i);
	for (size_t i = key->hash & (t->space - 1); t->slots[i]; i = (i + 1) & (t->space - 1)) {
		e = l->entries.items[t->slots[i] - 1];
		if (same_entry(l, &e->key, key))
			return e;
	}
	e = arena_alloc(&l->memory, sizeof(*e));
	*e = (struct c2c_entry){ .key = *key };
	e->cpumode = s->sample->cpumode;
	e->leaf = s->leaf;
	e->comm = s->comm;
	init_item(l, &e->item);
	e->cpus = zeroed(l, lines_cpu_words(l) * sizeof(u64));
	e->by_node = zeroed(l, l->nodes->count * sizeof(*e->by_node));
	table_put(t, key->hash, (u32)l->entries.count);
	vec_push(&l->entries, e);
	vec_push(&l->all.items[key->line]->entries, e);
	return e;
}

/* ---- samples ---- */

static void add_physical(struct c2c_item *item, u64 physical, s32 node)
{
	if (!physical || node < 0)
		return;
	set_add(item->nodes, (u32)node);
	if (item->physical != physical) {
		item->moves++;
		item->physical = physical;
	}
}

static enum c2c_cost cost_of(const struct c2c_hits *hits)
{
	static const struct {
		enum c2c_count what;
		enum c2c_cost cost;
	} order[] = {
		{ C2C_REMOTE_HITM, C2C_COST_REMOTE_HITM }, { C2C_LOCAL_HITM, C2C_COST_LOCAL_HITM },
		{ C2C_REMOTE_PEER, C2C_COST_REMOTE_PEER }, { C2C_LOCAL_PEER, C2C_COST_LOCAL_PEER },
		{ C2C_LOADS, C2C_COST_LOAD },
	};

	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		if (c2c_hits_have(hits, order[i].what))
			return order[i].cost;
	return C2C_COSTS;
}

/* A CPU that the header does not know counts for no node. */
static void add_cpu(struct c2c_lines *l, struct c2c_entry *e, u32 cpu, const struct c2c_hits *hits)
{
	struct c2c_node_counts *n;

	if (cpu == UINT32_MAX) {
		l->no_cpus = true;
		cpu = 0;
	} else if (cpu < l->nodes->cpu_count) {
		set_add(e->cpus, cpu);
	}
	if (cpu >= l->nodes->cpu_count || l->nodes->node_of[cpu] < 0) {
		l->unknown_cpus++;
		return;
	}
	n = &e->by_node[l->nodes->node_of[cpu]];
	for (u8 i = 0; i < hits->count; i++) {
		n->remote_hitm += hits->what[i] == C2C_REMOTE_HITM;
		n->local_hitm += hits->what[i] == C2C_LOCAL_HITM;
		n->peer += hits->what[i] == C2C_ALL_PEER;
		n->stores += hits->what[i] == C2C_STORES;
	}
}

void lines_add(struct c2c_lines *l, const struct session_sample *s, struct c2c_added *what)
{
	struct location data = { 0 };
	struct c2c_line_key key = { .hash = 0 };
	struct c2c_line *line;
	struct c2c_entry_key entry = { .data = s->sample->addr };
	struct c2c_entry *e;
	struct c2c_hits hits;
	u64 physical = s->sample->phys_addr;
	s32 node = physical ? data_nodes_of_memory(l->nodes, physical) : -1;
	enum c2c_cost cost;

	locate_data(l, s, &data);
	c2c_decode(&hits, s->sample->data_src, s->sample->addr, data.mapping && s->leaf.mapping);
	l->unknown_memory += physical && node < 0;
	line_key(l, s, &data, &key);
	line = find_line(l, &key, &entry.line);
	entry.at = data.mapping ? data.offset : s->sample->addr;
	entry_key(l, s, &entry);
	e = find_entry(l, &entry, s);
	c2c_add(&l->total, &hits);
	c2c_add(&line->item.counts, &hits);
	c2c_add(&e->item.counts, &hits);
	add_physical(&line->item, physical, node);
	add_physical(&e->item, physical, node);
	add_cpu(l, e, s->sample->id.cpu, &hits);
	cost = cost_of(&hits);
	if (cost < C2C_COSTS) {
		e->cost[cost] += s->sample->weight;
		e->costs[cost]++;
	}
	*what = (struct c2c_added){ line, e, hits };
}
