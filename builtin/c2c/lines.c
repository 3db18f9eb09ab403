// SPDX-License-Identifier: GPL-2.0-or-later
/* Samples into cache lines and entries. */
#include "builtin/c2c/lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/perf_abi.h"

#define SHARED_MAPPING 1 /* MAP_SHARED */

void lines_init(struct c2c_lines *l)
{
	/* number 0 stands for unmapped memory */
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
	vec_release(&l->touched);
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

static u32 put_object(struct c2c_lines *l, const struct c2c_object *o)
{
	u64 *number;
	bool added;

	number = map64_put(&l->objects,
			   hash_combine(hash_combine(hash_u64(o->dev), o->ino), o->generation),
			   &added);
	if (added) {
		*number = l->object_list.count;
		vec_push(&l->object_list, *o);
	}
	return (u32)*number;
}

/*
 * Returns the number of an object. Files are distinguished by inode, as in the kernel; all memory
 * without a file is one object.
 */
static u32 object_number(struct c2c_lines *l, const struct image *im)
{
	return put_object(l, &(struct c2c_object){ (u64)im->maj << 32 | im->min, im->ino,
						   im->ino_generation });
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
		*known = strtab_add(&l->dsos, image_get(session_images(l->session), image)->name) +
			 1;
	return *known - 1;
}

/* Finds the object that the accessed data is in, in the kernel or in the process. */
static void locate_data(struct c2c_lines *l, const struct session_sample *s, struct location *out)
{
	struct history *h = session_history(l->session);
	const struct sample *x = s->sample;
	bool kernel = (s64)x->addr < 0;
	bool guest = x->cpumode == PERF_RECORD_MISC_GUEST_KERNEL ||
		     x->cpumode == PERF_RECORD_MISC_GUEST_USER;
	u8 mode = guest ? (kernel ? PERF_RECORD_MISC_GUEST_KERNEL : PERF_RECORD_MISC_GUEST_USER)
			: (kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER);

	session_place(h, s, mode, x->addr, out);
}

static u64 line_hash(const struct c2c_line_key *key)
{
	return hash_combine(key->at, (u64)key->object << 32 | key->pid) ^ key->cpumode;
}

static void line_key(struct c2c_lines *l, const struct session_sample *s,
		     const struct location *data, struct c2c_line_key *key)
{
	const struct sample *x = s->sample;

	key->cpumode = x->cpumode;
	key->data = x->addr;
	key->at = (data->mapping ? data->offset : x->addr) & ~((u64)l->line_size - 1);
	if (data->mapping) {
		const struct c2c_object *o;
		bool shared = data->mapping->flags & SHARED_MAPPING;

		key->object = object_of(l, data->image);
		o = &l->object_list.items[key->object];
		/* memory for generated code does not say of which file it is */
		if (image_get(session_images(l->session), data->image)->kind == IMAGE_JIT)
			shared = false;
		if (x->cpumode != PERF_RECORD_MISC_KERNEL && !shared && !o->dev && !o->ino &&
		    !o->generation)
			key->pid = s->task->pid;
	}
	key->hash = line_hash(key);
}

static bool same_line(const struct c2c_line_key *a, const struct c2c_line_key *b)
{
	return a->hash == b->hash && a->at == b->at && a->object == b->object && a->pid == b->pid &&
	       a->cpumode == b->cpumode;
}

/* ---- tables ---- */

/* Puts a number into the table, whose slots contain number + 1. */
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

static u64 entry_hash(const struct c2c_lines *l, const struct c2c_entry_key *key)
{
	u64 hash = hash_combine(key->line, key->data & (l->line_size - 1));

	for (const enum c2c_key *k = l->keys; *k; k++)
		hash = hash_combine(hash, *k == C2C_KEY_PID    ? key->pid
					  : *k == C2C_KEY_TID  ? key->tid
					  : *k == C2C_KEY_CODE ? key->code
							       : key->dso);
	return hash;
}

static void entry_key(struct c2c_lines *l, const struct session_sample *s,
		      struct c2c_entry_key *key)
{
	key->pid = s->task->pid;
	key->tid = s->task->tid;
	key->code = s->sample->ip;
	key->dso = dso_of(l, s->leaf.image);
	key->hash = entry_hash(l, key);
}

static bool same_entry(const struct c2c_lines *l, const struct c2c_entry_key *a,
		       const struct c2c_entry_key *b)
{
	if (a->hash != b->hash || a->line != b->line || (a->data ^ b->data) & (l->line_size - 1))
		return false;
	for (const enum c2c_key *k = l->keys; *k; k++)
		if (*k == C2C_KEY_PID    ? a->pid != b->pid
		    : *k == C2C_KEY_TID  ? a->tid != b->tid
		    : *k == C2C_KEY_CODE ? a->code != b->code
					 : a->dso != b->dso)
			return false;
	return true;
}

/* Returns the entry of a key. A new one takes over what like has. */
static struct c2c_entry *put_entry(struct c2c_lines *l, const struct c2c_entry_key *key,
				   const struct c2c_entry *like)
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
	e->cpumode = like->cpumode;
	e->leaf = like->leaf;
	e->comm = like->comm;
	init_item(l, &e->item);
	e->cpus = zeroed(l, lines_cpu_words(l) * sizeof(u64));
	e->by_node = zeroed(l, l->nodes->count * sizeof(*e->by_node));
	table_put(t, key->hash, (u32)l->entries.count);
	vec_push(&l->entries, e);
	vec_push(&l->all.items[key->line]->entries, e);
	return e;
}

/* ---- samples ---- */

/* Returns the cost class of an access: the most expensive one that fits. */
static enum c2c_cost cost_of(const struct c2c_hits *hits)
{
	static const struct {
		enum c2c_count what;
		enum c2c_cost cost;
	} order[] = {
		{ C2C_REMOTE_HITM, C2C_COST_REMOTE_HITM },
		{ C2C_LOCAL_HITM, C2C_COST_LOCAL_HITM },
		{ C2C_REMOTE_PEER, C2C_COST_REMOTE_PEER },
		{ C2C_LOCAL_PEER, C2C_COST_LOCAL_PEER },
		{ C2C_LOADS, C2C_COST_LOAD },
	};

	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		if (c2c_hits_have(hits, order[i].what))
			return order[i].cost;
	return C2C_COSTS;
}

static struct c2c_node_counts by_node(const struct c2c_hits *hits)
{
	struct c2c_node_counts n = { 0 };

	for (u8 i = 0; i < hits->count; i++) {
		n.remote_hitm += hits->what[i] == C2C_REMOTE_HITM;
		n.local_hitm += hits->what[i] == C2C_LOCAL_HITM;
		n.peer += hits->what[i] == C2C_ALL_PEER;
		n.stores += hits->what[i] == C2C_STORES;
	}
	return n;
}

_Static_assert(C2C_MET_HITS == 1 << (64 - 56) && C2C_MET_ENTRIES == 1 << (64 - 53),
	       "by the highest bits");

/* Accesses are of few kinds. */
static const struct c2c_met_hits *decode(struct c2c_lines *l, u64 data_src, u64 addr, bool mapped)
{
	u64 mixed = (data_src ^ (u64)!addr << 62 ^ (u64)mapped << 61) * 0x9e3779b97f4a7c15ULL;
	struct c2c_met_hits *met = &l->met_hits[mixed >> 56];

	if (unlikely(!met->is || met->data_src != data_src || met->addressed != !!addr ||
		     met->mapped != mapped)) {
		*met = (struct c2c_met_hits){
			.is = true, .data_src = data_src, .addressed = addr, .mapped = mapped
		};
		c2c_decode(&met->hits, data_src, addr, mapped);
		met->cost = cost_of(&met->hits);
		met->by_node = by_node(&met->hits);
	}
	return met;
}

static void add_physical(struct c2c_item *item, u64 physical, s32 node)
{
	if (!physical || node < 0)
		return;
	set_add(item->nodes, (u32)node);
	if (item->physical == physical)
		return;
	if (!item->physical)
		item->first_physical = physical;
	item->moves++;
	item->physical = physical;
}

static void add_node(struct c2c_node_counts *n, const struct c2c_node_counts *more)
{
	n->remote_hitm += more->remote_hitm;
	n->local_hitm += more->local_hitm;
	n->peer += more->peer;
	n->stores += more->stores;
}

/* Counts an access for a CPU and its node. A CPU that the header does not know has no node. */
static void add_cpu(struct c2c_lines *l, struct c2c_entry *e, u32 cpu,
		    const struct c2c_node_counts *more)
{
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
	add_node(&e->by_node[l->nodes->node_of[cpu]], more);
}

static struct c2c_met_entry *met_slot(struct c2c_lines *l, const struct session_sample *s)
{
	u64 mixed = (s->sample->addr ^ s->sample->ip << 24 ^ (u64)s->task->id << 48) *
		    0x9e3779b97f4a7c15ULL;

	return &l->met_entries[mixed >> 53];
}

static void look_up(struct c2c_lines *l, const struct session_sample *s,
		    const struct location *data, struct c2c_met_entry *met)
{
	struct c2c_line_key key = { .hash = 0 };
	struct c2c_entry_key entry = {
		.data = s->sample->addr,
		.at = data->mapping ? data->offset : s->sample->addr,
	};

	line_key(l, s, data, &key);
	find_line(l, &key, &entry.line);
	entry_key(l, s, &entry);
	*met = (struct c2c_met_entry){
		.code = s->sample->ip,
		.data = s->sample->addr,
		.task = s->task,
		.mapping = data->mapping,
		.image = s->leaf.image,
		.cpumode = s->sample->cpumode,
		.line = entry.line,
		.entry = put_entry(l, &entry,
				   &(struct c2c_entry){ .cpumode = s->sample->cpumode,
							.leaf = s->leaf,
							.comm = s->comm }),
	};
}

static void touch(struct c2c_lines *l, struct c2c_entry *e)
{
	if (e->touched)
		return;
	e->touched = true;
	vec_push(&l->touched, e);
}

void lines_add(struct c2c_lines *l, const struct session_sample *s, struct c2c_added *what)
{
	const struct sample *x = s->sample;
	struct c2c_met_entry *met = met_slot(l, s);
	const struct c2c_met_hits *hits;
	struct location data = { 0 };
	struct c2c_line *line;
	struct c2c_entry *e;
	s32 node = x->phys_addr ? data_nodes_of_memory(l->nodes, x->phys_addr) : -1;

	locate_data(l, s, &data);
	if (!met->entry || met->code != x->ip || met->data != x->addr || met->task != s->task ||
	    met->mapping != data.mapping || met->image != s->leaf.image ||
	    met->cpumode != x->cpumode)
		look_up(l, s, &data, met);
	line = l->all.items[met->line];
	e = met->entry;
	if (l->whole)
		touch(l, e);
	hits = decode(l, x->data_src, x->addr, data.mapping && s->leaf.mapping);
	l->unknown_memory += x->phys_addr && node < 0;
	c2c_add(&e->item.counts, &hits->hits);
	add_physical(&line->item, x->phys_addr, node);
	add_physical(&e->item, x->phys_addr, node);
	add_cpu(l, e, x->id.cpu, &hits->by_node);
	if (hits->cost < C2C_COSTS) {
		e->cost[hits->cost] += x->weight;
		e->costs[hits->cost]++;
	}
	*what = (struct c2c_added){ line, e, &hits->hits };
}

/* ---- parts ---- */

struct c2c_lines *lines_begin_part(struct c2c_lines *whole)
{
	struct c2c_lines *part = xcalloc_apart(1, sizeof(*part));

	part->session = whole->session;
	part->nodes = whole->nodes;
	part->line_size = whole->line_size;
	memcpy(part->keys, whole->keys, sizeof(part->keys));
	part->whole = whole;
	lines_init(part);
	return part;
}

/* Adds what a part counted about one line or entry after what the whole counted before it. */
static void join_item(struct c2c_lines *whole, struct c2c_item *to, struct c2c_item *from)
{
	if (!from->physical)
		return;
	for (u32 i = 0; i < lines_node_words(whole); i++)
		to->nodes[i] |= from->nodes[i];
	to->moves += from->moves - (to->physical == from->first_physical);
	to->physical = from->physical;
	from->physical = from->first_physical = from->moves = 0;
}

/*
 * Returns the whole's number of a part's line, which it adds if needed. Each table numbers objects
 * on its own.
 */
static u32 whole_line(struct c2c_lines *part, struct c2c_line *line)
{
	struct c2c_line_key key = line->key;

	if (!line->whole) {
		key.object = key.object
				     ? put_object(part->whole, &part->object_list.items[key.object])
				     : 0;
		key.hash = line_hash(&key);
		find_line(part->whole, &key, &line->whole);
		line->whole++;
	}
	return line->whole - 1;
}

static struct c2c_entry *whole_entry(struct c2c_lines *part, struct c2c_entry *e, u32 line)
{
	struct c2c_entry_key key = e->key;

	if (!e->whole) {
		key.line = line;
		key.dso = strtab_add(&part->whole->dsos, strtab_get(&part->dsos, key.dso));
		key.hash = entry_hash(part->whole, &key);
		e->whole = put_entry(part->whole, &key, e);
	}
	return e->whole;
}

static void join_entry(struct c2c_lines *part, struct c2c_entry *from)
{
	struct c2c_lines *whole = part->whole;
	struct c2c_line *line = part->all.items[from->key.line];
	u32 number = whole_line(part, line);
	struct c2c_entry *to = whole_entry(part, from, number);

	c2c_add_counts(&to->item.counts, &from->item.counts);
	join_item(whole, &whole->all.items[number]->item, &line->item);
	join_item(whole, &to->item, &from->item);
	for (u32 i = 0; i < lines_cpu_words(whole); i++)
		to->cpus[i] |= from->cpus[i];
	for (u32 i = 0; i < whole->nodes->count; i++)
		add_node(&to->by_node[i], &from->by_node[i]);
	for (int i = 0; i < C2C_COSTS; i++) {
		to->cost[i] += from->cost[i];
		to->costs[i] += from->costs[i];
	}
	from->touched = false;
	from->item.counts = (struct c2c_counts){ .of = { 0 } };
	memset(from->by_node, 0, whole->nodes->count * sizeof(*from->by_node));
	memset(from->cost, 0, sizeof(from->cost));
	memset(from->costs, 0, sizeof(from->costs));
}

/* Empties a part. Its lines are kept for its next samples, unless there are many. */
static void empty_part(struct c2c_lines *part)
{
	enum { MANY = 1 << 12 };

	if (part->entries.count < MANY)
		return;
	vec_for_each(&part->all, line)
		vec_release(&(*line)->entries);
	vec_clear(&part->all);
	vec_clear(&part->entries);
	memset(part->line_table.slots, 0, part->line_table.space * sizeof(*part->line_table.slots));
	memset(part->entry_table.slots, 0,
	       part->entry_table.space * sizeof(*part->entry_table.slots));
	memset(part->met_entries, 0, sizeof(part->met_entries));
	arena_release(&part->memory);
}

void lines_join(struct c2c_lines *part)
{
	struct c2c_lines *whole = part->whole;

	vec_for_each(&part->touched, e)
		join_entry(part, *e);
	vec_clear(&part->touched);
	whole->unknown_cpus += part->unknown_cpus;
	whole->unknown_memory += part->unknown_memory;
	whole->no_cpus |= part->no_cpus;
	part->unknown_cpus = part->unknown_memory = 0;
	empty_part(part);
}
