// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where the id is, from the comments on PERF_RECORD_SAMPLE and sample_id_all in
 * include/uapi/linux/perf_event.h:
 *
 *	sample:	   [IDENTIFIER] IP TID TIME ADDR [ID] STREAM_ID CPU ...
 *	side-band: ... TID TIME [ID] STREAM_ID CPU [IDENTIFIER]
 *
 * each present field one u64.  IDENTIFIER is at a place that does not depend on
 * the other bits, which is why events with different sample_types need it.
 */
#include "event/event.h"

#include <stdlib.h>
#include <string.h>

void event_set_init(struct event_set *set)
{
	memset(set, 0, sizeof(*set));
}

static void event_free(struct event *ev)
{
	free(ev->name);
	free(ev->unit);
	free(ev->filter);
	free(ev->sample_filter);
	free(ev->pmu);
	free(ev->cgroup);
	free(ev->group_name);
	free(ev->cpus);
	free(ev->callgraph);
	free(ev->metric_id);
	free(ev->driver_config);
	free(ev->config1_text);
	vec_release(&ev->ids);
	free(ev);
}

void event_set_truncate(struct event_set *set, size_t count)
{
	while (set->list.count > count)
		event_free(set->list.items[--set->list.count]);
}

void event_set_release(struct event_set *set)
{
	event_set_truncate(set, 0);
	vec_release(&set->list);
	map64_release(&set->by_id);
	free(set->near);
	event_set_init(set);
}

struct event *event_set_add(struct event_set *set, const struct perf_event_attr *attr,
			    const char *name)
{
	struct event *ev = xcalloc(1, sizeof(*ev));

	ev->index = (u32)set->list.count;
	ev->attr = *attr;
	ev->name = name ? xstrdup(name) : NULL;
	ev->scale = 1.0;
	ev->leader = ev;
	ev->members = 1;
	ev->id_from_start = ev->id_from_end = -1;
	ev->time_from_start = ev->time_from_end = -1;
	ev->planned = UINT64_MAX;
	vec_push(&set->list, ev);
	return ev;
}

void event_set_lead(struct event_set *set, size_t first, size_t end)
{
	while (first < end && set->list.items[first]->tool)
		first++;
	for (size_t i = first; i < end; i++)
		set->list.items[i]->leader = set->list.items[first];
	if (first < end)
		set->list.items[first]->members = (u32)(end - first);
}

static char *copy_text(const char *s)
{
	return s ? xstrdup(s) : NULL;
}

struct event *event_set_copy(struct event_set *set, const struct event *from)
{
	struct event *to = event_set_add(set, &from->attr, NULL);
	u32 index = to->index;

	*to = *from;
	to->index = index;
	to->leader = to;
	memset(&to->ids, 0, sizeof(to->ids));
	to->name = copy_text(from->name);
	to->unit = copy_text(from->unit);
	to->filter = copy_text(from->filter);
	to->pmu = copy_text(from->pmu);
	to->cgroup = NULL;
	to->group_name = copy_text(from->group_name);
	to->callgraph = copy_text(from->callgraph);
	to->metric_id = copy_text(from->metric_id);
	to->driver_config = copy_text(from->driver_config);
	to->config1_text = copy_text(from->config1_text);
	to->instance_of = NULL;
	to->cpus = NULL;
	if (from->cpus) {
		to->cpus = xcalloc(from->cpu_count, sizeof(*to->cpus));
		memcpy(to->cpus, from->cpus, from->cpu_count * sizeof(*to->cpus));
	}
	return to;
}

/* Adds an id to an event. The first event that claims an id keeps it. */
void event_set_add_id(struct event_set *set, struct event *ev, u64 id)
{
	bool added;
	u64 *index = map64_put(&set->by_id, id, &added);

	if (added)
		*index = ev->index;
	vec_push(&ev->ids, id);
}

static s16 fields_of(u64 sample_type, u64 mask)
{
	return (s16)__builtin_popcountll(sample_type & mask);
}

static s16 id_from_start(u64 sample_type)
{
	if (sample_type & PERF_SAMPLE_IDENTIFIER)
		return 0;
	if (!(sample_type & PERF_SAMPLE_ID))
		return -1;
	return fields_of(sample_type,
			 PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR);
}

static s16 id_from_end(const struct perf_event_attr *attr)
{
	if (!(attr->flags & ATTR_SAMPLE_ID_ALL))
		return -1;
	if (attr->sample_type & PERF_SAMPLE_IDENTIFIER)
		return 1;
	if (!(attr->sample_type & PERF_SAMPLE_ID))
		return -1;
	return 1 + fields_of(attr->sample_type, PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU);
}

static s16 time_from_start(u64 sample_type)
{
	if (!(sample_type & PERF_SAMPLE_TIME))
		return -1;
	return fields_of(sample_type, PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID);
}

static s16 time_from_end(const struct perf_event_attr *attr)
{
	if (!(attr->flags & ATTR_SAMPLE_ID_ALL) || !(attr->sample_type & PERF_SAMPLE_TIME))
		return -1;
	return fields_of(attr->sample_type, PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
						    PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
						    PERF_SAMPLE_IDENTIFIER);
}

static u16 sample_id_size(const struct perf_event_attr *attr)
{
	if (!(attr->flags & ATTR_SAMPLE_ID_ALL))
		return 0;
	return (u16)(8 * fields_of(attr->sample_type,
				   PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
					   PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
					   PERF_SAMPLE_IDENTIFIER));
}

static bool is_plain(const struct event *ev)
{
	const struct perf_event_attr *attr = &ev->attr;

	/* raw data of a BPF output can be a whole sample; that of IBS is a part of one */
	return !ev->ibs &&
	       !(attr->sample_type &
		 ~(u64)(PERF_SAMPLE_FIXED | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW)) &&
	       !(attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_BPF_OUTPUT);
}

/*
 * Reports whether these are the fields of a tracepoint's samples, with the id at either place that
 * the recorder chooses.
 */
static bool is_of_tracepoint(u64 sample_type)
{
	return sample_type == SAMPLE_OF_TRACEPOINT ||
	       sample_type == (SAMPLE_OF_TRACEPOINT ^ PERF_SAMPLE_IDENTIFIER ^ PERF_SAMPLE_ID);
}

/*
 * Returns the end of a sample of memory accesses, as usually recorded: just numbers. Returns 0 for
 * other samples.
 */
static u16 words_end(const struct perf_event_attr *attr)
{
	const u64 words = (u64)PERF_SAMPLE_FIXED | SAMPLE_LATE_WORDS;
	/* they share one word */
	const u64 both = PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT;

	if (attr->sample_type & ~words || (attr->sample_type & both) == both ||
	    (attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_BPF_OUTPUT))
		return 0;
	return (u16)(sizeof(struct record_header) + 8 * fields_of(attr->sample_type, words));
}

static void find_sample_time(struct event_set *set)
{
	u64 differ = set->sample_type_any ^ set->sample_type_all;

	set->sample_time_at = 0;
	if (set->list.count && (set->sample_type_all & PERF_SAMPLE_TIME) &&
	    !(differ & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID)))
		set->sample_time_at = (u16)(sizeof(struct record_header) +
					    8 * set->list.items[0]->time_from_start);
}

static void find_sample_id(struct event_set *set)
{
	const struct event *first = set->list.count > 1 ? set->list.items[0] : NULL;

	set->sample_id_at = 0;
	if (first && set->same_id_position && first->id_from_start >= 0)
		set->sample_id_at = (u16)(sizeof(struct record_header) + 8 * first->id_from_start);
}

static void table_ids(struct event_set *set)
{
	enum { MOST = 1 << 15 };
	u64 least = UINT64_MAX, greatest = 0;

	free(set->near);
	set->near = NULL;
	set->near_count = 0;
	for (size_t i = 0; i < set->by_id.space; i++)
		if (set->by_id.slots[i].used && set->by_id.slots[i].key) { /* 0 means any event */
			least = MIN(least, set->by_id.slots[i].key);
			greatest = MAX(greatest, set->by_id.slots[i].key);
		}
	if (least > greatest || greatest - least >= MOST)
		return;
	set->near_first = least;
	set->near_count = (u32)(greatest - least) + 1;
	set->near = xcalloc(set->near_count, sizeof(struct event *));
	for (size_t i = 0; i < set->by_id.space; i++) {
		const struct map64_slot *slot = &set->by_id.slots[i];

		if (slot->used && slot->key && slot->value < set->list.count)
			set->near[slot->key - least] = set->list.items[slot->value];
	}
}

/*
 * Works out what the decoder needs. Refuses nothing that a file can hold: events with their ids at
 * different places can still be distinguished by trying each place (same_id_position is false
 * then).
 */
int event_set_finish(struct event_set *set, struct reason *r)
{
	const struct event *first = set->list.count ? set->list.items[0] : NULL;

	(void)r;
	set->same_id_position = true;
	set->sample_type_any = 0;
	set->sample_type_all = first ? first->attr.sample_type : 0;
	vec_for_each(&set->list, it) {
		struct event *ev = *it;

		ev->id_from_start = id_from_start(ev->attr.sample_type);
		ev->id_from_end = id_from_end(&ev->attr);
		ev->sample_id_size = sample_id_size(&ev->attr);
		ev->time_from_start = time_from_start(ev->attr.sample_type);
		ev->time_from_end = time_from_end(&ev->attr);
		ev->planned = ev->attr.sample_type;
		ev->fixed_end = (u16)(sizeof(struct record_header) +
				      8 * fields_of(ev->attr.sample_type, PERF_SAMPLE_FIXED));
		ev->words_end = words_end(&ev->attr);
		ev->plain = is_plain(ev);
		ev->of_tracepoint = ev->plain && is_of_tracepoint(ev->attr.sample_type &
								  ~(u64)PERF_SAMPLE_CALLCHAIN);
		set->sample_type_any |= ev->attr.sample_type;
		set->sample_type_all &= ev->attr.sample_type;
		if (ev->id_from_start != first->id_from_start ||
		    ev->id_from_end != first->id_from_end ||
		    (ev->attr.flags ^ first->attr.flags) & ATTR_SAMPLE_ID_ALL)
			set->same_id_position = false;
	}
	find_sample_time(set);
	find_sample_id(set);
	table_ids(set);
	return 0;
}

struct event *event_by_any_id(const struct event_set *set, u64 id)
{
	const u64 *index = map64_get(&set->by_id, id);

	if (index && *index < set->list.count)
		return set->list.items[*index];
	return id == 0 && set->list.count == 1 ? set->list.items[0] : NULL;
}

struct event *event_by_name(const struct event_set *set, const char *name)
{
	vec_for_each(&set->list, it)
		if ((*it)->name && !strcmp((*it)->name, name))
			return *it;
	return NULL;
}
