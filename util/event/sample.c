// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Decodes PERF_RECORD_SAMPLE and the sample_id of side-band records.
 *
 * A sample body is a row of u64 slots whose presence follows sample_type. The first ones
 * (IDENTIFIER to PERIOD) have fixed size: they are counted once, checked once and loaded without
 * further tests. The rest is read through a cursor that refuses to pass the record's end.
 */
#include <errno.h>
#include <string.h>

#include "base/bytes.h"
#include "event/ibs.h"
#include "event/sample.h"

enum {
	/* the fields that a side-band record repeats, in this order, IDENTIFIER last */
	ID_BITS = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
		  PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER,
	BEFORE_TIME = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID,
	FROM_TIME = ID_BITS & ~PERF_SAMPLE_TID,
	BRANCH_SIZE = 24,
};

struct cursor {
	const u8 *at, *end;
	bool swap;
	const struct record *rec;
	struct reason *r;
};

static unsigned bits(u64 v)
{
	return (unsigned)__builtin_popcountll(v);
}

static int too_long(struct cursor *c, const char *what, u64 count)
{
	return reason_set(c->r, EINVAL, "%s of %" PRIu64 " does not fit in a record of %u bytes",
			  what, count, c->rec->size);
}

static int take_u64(struct cursor *c, const char *what, u64 *v)
{
	if (unlikely((size_t)(c->end - c->at) < 8))
		return reason_set(c->r, EINVAL, "a record of %u bytes ends before its %s",
				  c->rec->size, what);
	*v = load_u64(c->at, c->swap);
	c->at += 8;
	return 0;
}

/* Takes count items of size bytes each. Returns 0 or -EINVAL. */
static int take_items(struct cursor *c, const char *what, u64 count, unsigned size, const u8 **p)
{
	if (unlikely(count > (size_t)(c->end - c->at) / size))
		return too_long(c, what, count);
	*p = c->at;
	c->at += count * size;
	return 0;
}

static unsigned read_value_slots(u64 format)
{
	return 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
}

/* Takes what read(2) of a counter returns, as SAMPLE and READ records hold it. */
static int take_read(struct cursor *c, u64 format, struct sample *s)
{
	bool group = format & PERF_FORMAT_GROUP;
	u64 slots = read_value_slots(format);
	int err = 0;

	s->read_format = format;
	s->read_count = 1;
	if (group)
		err = take_u64(c, "counter values", &s->read_count);
	else
		err = take_items(c, "counter value", 1, 8, &s->read_values);
	if (!err && (format & PERF_FORMAT_TOTAL_TIME_ENABLED))
		err = take_u64(c, "enabled time", &s->time_enabled);
	if (!err && (format & PERF_FORMAT_TOTAL_TIME_RUNNING))
		err = take_u64(c, "running time", &s->time_running);
	if (!err && group)
		err = take_items(c, "counter group", s->read_count, slots * 8, &s->read_values);
	else if (!err && slots > 1) {
		const u8 *rest;

		err = take_items(c, "counter value", slots - 1, 8, &rest);
	}
	return err;
}

struct sample_read_value sample_read(const struct event_set *set, const struct sample *s, u64 i)
{
	struct sample_read_value v = { 0, 0, 0 };
	u64 format = s->read_format;
	const u8 *p = s->read_values;

	if (format & PERF_FORMAT_GROUP)
		p += i * read_value_slots(format) * 8;
	v.value = load_u64(p, set->swap);
	p += 8;
	if (!(format & PERF_FORMAT_GROUP))
		p += 8 * (!!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
			  !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING));
	if (format & PERF_FORMAT_ID) {
		v.id = load_u64(p, set->swap);
		p += 8;
	}
	if (format & PERF_FORMAT_LOST)
		v.lost = load_u64(p, set->swap);
	return v;
}

static int take_raw(struct cursor *c, struct sample *s)
{
	size_t left = (size_t)(c->end - c->at);
	size_t whole;

	if (left < 4)
		return reason_set(c->r, EINVAL, "a record of %u bytes ends before its raw data",
				  c->rec->size);
	s->raw_size = load_u32(c->at, c->swap);
	if (s->raw_size > left - 4)
		return too_long(c, "raw data", s->raw_size);
	s->raw = c->at + 4;
	/* size and data together are padded to 8 bytes */
	whole = ALIGN_UP((size_t)s->raw_size + 4, 8);
	c->at += MIN(whole, left);
	return 0;
}

static int take_branches(struct cursor *c, const struct perf_event_attr *attr, struct sample *s)
{
	int err = take_u64(c, "branch stack", &s->branch_count);

	if (!err && (attr->branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX))
		err = take_u64(c, "branch stack's hardware index", &s->branch_hw_index);
	if (!err)
		err = take_items(c, "branch stack", s->branch_count, BRANCH_SIZE, &s->branches);
	if (!err && (attr->branch_sample_type & PERF_SAMPLE_BRANCH_COUNTERS))
		err = take_items(c, "branch counters", s->branch_count, 8, &s->branch_counters);
	return err;
}

static int take_regs(struct cursor *c, u64 mask, u64 *abi, const u8 **regs)
{
	int err = take_u64(c, "registers", abi);

	if (!err && *abi != PERF_SAMPLE_REGS_ABI_NONE)
		err = take_items(c, "register dump", bits(mask), 8, regs);
	return err;
}

static int take_stack(struct cursor *c, struct sample *s)
{
	int err = take_u64(c, "stack", &s->stack_size);

	if (err || !s->stack_size)
		return err;
	err = take_items(c, "stack dump", s->stack_size, 1, &s->stack);
	if (!err)
		err = take_u64(c, "stack's used size", &s->stack_dyn_size);
	if (!err && s->stack_dyn_size > s->stack_size)
		return too_long(c, "used stack", s->stack_dyn_size);
	return err;
}

static inline void part_weight(struct sample *s)
{
	s->p_stage_cyc = s->weight >> 48;
	s->ins_lat = s->weight >> 32;
	s->weight &= UINT32_MAX;
}

static int take_weight(struct cursor *c, u64 type, struct sample *s)
{
	int err = take_u64(c, "weight", &s->weight);

	if (!err && (type & PERF_SAMPLE_WEIGHT_STRUCT))
		part_weight(s);
	return err;
}

/* Takes REGS_USER and everything after it. */
static int take_rest(struct cursor *c, const struct perf_event_attr *attr, u64 type,
		     struct sample *s)
{
	int err = 0;

	if (type & PERF_SAMPLE_REGS_USER)
		err = take_regs(c, attr->sample_regs_user, &s->user_abi, &s->user_regs);
	if (!err && (type & PERF_SAMPLE_STACK_USER))
		err = take_stack(c, s);
	if (!err && (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT)))
		err = take_weight(c, type, s);
	if (!err && (type & PERF_SAMPLE_DATA_SRC))
		err = take_u64(c, "data source", &s->data_src);
	if (!err && (type & PERF_SAMPLE_TRANSACTION))
		err = take_u64(c, "transaction", &s->transaction);
	if (!err && (type & PERF_SAMPLE_REGS_INTR))
		err = take_regs(c, attr->sample_regs_intr, &s->intr_abi, &s->intr_regs);
	if (!err && (type & PERF_SAMPLE_PHYS_ADDR))
		err = take_u64(c, "physical address", &s->phys_addr);
	if (!err && (type & PERF_SAMPLE_CGROUP))
		err = take_u64(c, "cgroup", &s->cgroup);
	if (!err && (type & PERF_SAMPLE_DATA_PAGE_SIZE))
		err = take_u64(c, "data page size", &s->data_page_size);
	if (!err && (type & PERF_SAMPLE_CODE_PAGE_SIZE))
		err = take_u64(c, "code page size", &s->code_page_size);
	if (!err && (type & PERF_SAMPLE_AUX)) {
		err = take_u64(c, "AUX data", &s->aux_size);
		if (!err)
			err = take_items(c, "AUX data", s->aux_size, 1, &s->aux);
	}
	return err;
}

static int take_variable(struct cursor *c, const struct perf_event_attr *attr, u64 type,
			 struct sample *s)
{
	int err = 0;

	if (type & PERF_SAMPLE_READ)
		err = take_read(c, attr->read_format, s);
	if (!err && (type & PERF_SAMPLE_CALLCHAIN)) {
		err = take_u64(c, "callchain", &s->chain_count);
		if (!err)
			err = take_items(c, "callchain", s->chain_count, 8, &s->chain);
	}
	if (!err && (type & PERF_SAMPLE_RAW))
		err = take_raw(c, s);
	if (!err && (type & PERF_SAMPLE_BRANCH_STACK))
		err = take_branches(c, attr, s);
	if (!err && (type & ~(u64)(PERF_SAMPLE_FIXED | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN |
				   PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK)))
		err = take_rest(c, attr, type, s);
	return err;
}

/* Loads the fixed slots. The caller has checked that they are all there. Returns where they end. */
static inline __attribute__((always_inline)) const u8 *load_fixed(const u8 *p, u64 type, bool swap,
								  struct sample *s)
{
	if (type & PERF_SAMPLE_IDENTIFIER) {
		s->id.id = load_u64(p, swap);
		p += 8;
	}
	if (type & PERF_SAMPLE_IP) {
		s->ip = load_u64(p, swap);
		p += 8;
	}
	if (type & PERF_SAMPLE_TID) {
		s->id.pid = load_u32(p, swap);
		s->id.tid = load_u32(p + 4, swap);
		p += 8;
	}
	if (type & PERF_SAMPLE_TIME) {
		s->id.time = load_u64(p, swap);
		p += 8;
	}
	if (type & PERF_SAMPLE_ADDR) {
		s->addr = load_u64(p, swap);
		p += 8;
	}
	if (type & PERF_SAMPLE_ID) {
		s->id.id = load_u64(p, swap);
		p += 8;
	}
	if (type & PERF_SAMPLE_STREAM_ID) {
		s->id.stream_id = load_u64(p, swap);
		p += 8;
	}
	if (type & PERF_SAMPLE_CPU) {
		s->id.cpu = load_u32(p, swap);
		p += 8;
	}
	if (type & PERF_SAMPLE_PERIOD) {
		s->period = load_u64(p, swap);
		p += 8;
	}
	return p;
}

/*
 * Loads SAMPLE_LATE_WORDS of a sample that has no other late parts. The caller has checked that
 * they are all there.
 */
static inline __attribute__((always_inline)) void load_late(const u8 *p, u64 type, bool swap,
							    struct sample *s)
{
	if (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT)) {
		s->weight = load_u64(p, swap);
		if (type & PERF_SAMPLE_WEIGHT_STRUCT)
			part_weight(s);
		p += 8;
	}
	if (type & PERF_SAMPLE_DATA_SRC) {
		s->data_src = load_u64(p, swap);
		p += 8;
	}
	if (type & PERF_SAMPLE_TRANSACTION) {
		s->transaction = load_u64(p, swap);
		p += 8;
	}
	if (type & PERF_SAMPLE_PHYS_ADDR) {
		s->phys_addr = load_u64(p, swap);
		p += 8;
	}
	if (type & PERF_SAMPLE_CGROUP) {
		s->cgroup = load_u64(p, swap);
		p += 8;
	}
	if (type & PERF_SAMPLE_DATA_PAGE_SIZE) {
		s->data_page_size = load_u64(p, swap);
		p += 8;
	}
	if (type & PERF_SAMPLE_CODE_PAGE_SIZE)
		s->code_page_size = load_u64(p, swap);
}

/* Reads the u64 in slot i of a record's body. Returns false if the record is shorter. */
static bool body_slot(const struct record *rec, int i, bool swap, u64 *v)
{
	size_t at = sizeof(struct record_header) + (size_t)i * 8;

	if (i < 0 || at + 8 > rec->size)
		return false;
	*v = load_u64(rec->data + at, swap);
	return true;
}

/* Reads a slot counted from the end, 1 = the last. */
/*
 * Returns the bytes before the sample id of a record whose size cannot be trusted; 0 for all
 * others.
 */
static size_t body_size(const struct record *rec, bool swap)
{
	const u8 *p = rec->data;
	size_t name;

	switch (rec->type) {
	case PERF_RECORD_KSYMBOL: /* header, addr, len and flags, the name in whole u64s */
		name = rec->size > 24 ? strnlen((const char *)p + 24, rec->size - 24U) : 0;
		return 24 + ((name + 8) & ~(size_t)7);
	case PERF_RECORD_BPF_EVENT:
		return 24;
	case PERF_RECORD_TEXT_POKE: /* header, addr, two lengths, the bytes of both, padding */
		return rec->size < 20
			       ? 0
			       : (20 + (size_t)load_u16(p + 16, swap) + load_u16(p + 18, swap) +
				  7) & ~(size_t)7;
	default:
		return 0;
	}
}

/*
 * Returns where a record's sample id ends. The kernel passes the same KSYMBOL, BPF_EVENT or
 * TEXT_POKE record to every event that requested it. Each adds the size of its sample id to the
 * record's size, without subtracting it again (perf_event_ksymbol_output() and its kin in
 * kernel/events/core.c). So if several programs listen, random bytes of the ring follow the id.
 */
static size_t id_end(const struct event *layout, const struct record *rec, bool swap)
{
	size_t body, end;

	if (likely(rec->type == PERF_RECORD_SAMPLE) || !(layout->attr.flags & ATTR_SAMPLE_ID_ALL))
		return rec->size;
	body = body_size(rec, swap);
	end = body + 8 * bits(layout->attr.sample_type & ID_BITS);
	return body && end < rec->size ? end : rec->size;
}

static bool end_slot(const struct event *layout, const struct record *rec, int i, bool swap, u64 *v)
{
	if (i <= 0 || sizeof(struct record_header) + (size_t)i * 8 > rec->size)
		return false;
	*v = load_u64(rec->data + id_end(layout, rec, swap) - (size_t)i * 8, swap);
	return true;
}

static bool event_slot(const struct event *ev, const struct record *rec, bool swap, u64 *id)
{
	if (rec->type == PERF_RECORD_SAMPLE)
		return body_slot(rec, ev->id_from_start, swap, id);
	return end_slot(ev, rec, ev->id_from_end, swap, id);
}

/*
 * Returns the event of a kernel record, or NULL if its id is unknown. That is the first event if
 * nothing identifies it (a single event, no ids, or id 0 as in synthesised records).
 */
static const struct event *record_event(const struct event_set *set, const struct record *rec)
{
	const struct event *first = set->list.count ? set->list.items[0] : NULL;
	u64 id = 0;

	if (set->list.count <= 1)
		return first;
	if (likely(set->same_id_position)) {
		if (!event_slot(first, rec, set->swap, &id) || !id)
			return first;
		return event_by_id(set, id);
	}
	vec_for_each(&set->list, ev)
		if (event_slot(*ev, rec, set->swap, &id) && event_by_id(set, id) == *ev)
			return *ev;
	return rec->type == PERF_RECORD_SAMPLE ? NULL : first;
}

/*
 * Clears a sample. For a size known at compile time, gcc would emit "rep stos", which starts so
 * slowly that the C library's loop is faster.
 */
static void clear(struct sample *s)
{
	size_t size = sizeof(*s);

	__asm__("" : "+r"(size));
	memset(s, 0, size);
}

bool event_is_wait(const struct event *ev)
{
	return ev->attr.type == PERF_TYPE_SOFTWARE && ev->attr.config == PERF_COUNT_SW_BPF_OUTPUT &&
	       ev->name && !strcmp(ev->name, EVENT_OF_WAITS);
}

/*
 * Reports whether a wait is in the raw data. perf 6.16 and later write the waits of record
 * --off-cpu as raw data of a sample that the program's own CPU made: pid, tid, period, call chain,
 * cgroup.
 */
bool event_has_wait_in_raw(const struct event *ev)
{
	return event_is_wait(ev) && (ev->attr.sample_type & PERF_SAMPLE_RAW) &&
	       !(ev->attr.sample_type & PERF_SAMPLE_CALLCHAIN);
}

bool event_has_chains(const struct event *ev)
{
	return ev->attr.sample_type & PERF_SAMPLE_CALLCHAIN || event_has_wait_in_raw(ev);
}

u64 event_tells(const struct event *ev)
{
	const u64 of_ibs = PERF_SAMPLE_ADDR | PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_DATA_SRC |
			   PERF_SAMPLE_WEIGHT_STRUCT;

	return ev->attr.sample_type | (ev->ibs ? of_ibs : 0);
}

u64 event_set_tells(const struct event_set *set)
{
	u64 all = 0;

	vec_for_each(&set->list, ev)
		all |= event_tells(*ev);
	return all;
}

bool event_set_has_chains(const struct event_set *set)
{
	vec_for_each(&set->list, it)
		if (event_has_chains(*it))
			return true;
	return false;
}

static int take_embedded_wait(const struct cursor *c, struct sample *s)
{
	enum { PID = 0, TID = 4, PERIOD = 8, COUNT = 16, CHAIN = 24 };
	u64 count;

	if (s->raw_size < CHAIN)
		return reason_set(c->r, EINVAL,
				  "a wait of %u bytes does not hold its task and time",
				  s->raw_size);
	count = load_u64(s->raw + COUNT, c->swap);
	if (count > (s->raw_size - CHAIN) / 8)
		return reason_set(c->r, EINVAL,
				  "callchain of %" PRIu64 " does not fit in a wait of %u bytes",
				  count, s->raw_size);
	s->id.pid = load_u32(s->raw + PID, c->swap);
	s->id.tid = load_u32(s->raw + TID, c->swap);
	s->period = load_u64(s->raw + PERIOD, c->swap);
	s->chain = s->raw + CHAIN;
	s->chain_count = count;
	/* the address follows the marker of its side */
	s->ip = count > 1 ? load_u64(s->chain + 8, c->swap) : 0;
	s->cpumode = count && load_u64(s->chain, c->swap) == PERF_CONTEXT_KERNEL
			     ? PERF_RECORD_MISC_KERNEL
			     : PERF_RECORD_MISC_USER;
	if (s->raw_size - CHAIN - 8 * count >= 8)
		s->cgroup = load_u64(s->raw + CHAIN + 8 * count, c->swap);
	return 0;
}

/* Takes what follows the fixed slots of a sample whose event is plain. */
static int take_plain(struct cursor *c, u64 type, struct sample *s)
{
	int err = 0;

	if (type & PERF_SAMPLE_CALLCHAIN) {
		err = take_u64(c, "callchain", &s->chain_count);
		if (!err)
			err = take_items(c, "callchain", s->chain_count, 8, &s->chain);
	}
	if (!err && (type & PERF_SAMPLE_RAW))
		err = take_raw(c, s);
	return err;
}

static int take_behind(const struct event_set *set, const struct record *rec, const u8 *at,
		       struct sample *s, struct reason *r)
{
	const struct event *ev = s->event;
	struct cursor c = { at, rec->data + rec->size, set->swap, rec, r };
	u64 type = ev->attr.sample_type;
	int err;

	if (likely(ev->plain && ev->planned == type))
		return take_plain(&c, type, s);
	if (unlikely(type & ~(u64)PERF_SAMPLE_KNOWN))
		return reason_set(r, EINVAL,
				  "event '%s' has a sample_type that is not known: %#" PRIx64,
				  ev->name ? ev->name : "", type);
	err = take_variable(&c, &ev->attr, type, s);
	if (unlikely(!err && ev->ibs))
		ibs_complete(s, ev->ibs, c.swap);
	if (unlikely(!err && event_has_wait_in_raw(ev)))
		err = take_embedded_wait(&c, s);
	return err;
}

static const struct event *sample_event(const struct event_set *set, const struct record *rec)
{
	u64 i;

	if (likely(set->sample_id_at && rec->size >= set->sample_id_at + 8)) {
		i = load_u64(rec->data + set->sample_id_at, set->swap) - set->near_first;
		if (likely(i < set->near_count && set->near[i]))
			return set->near[i];
	}
	return record_event(set, rec);
}

static size_t fixed_end(u64 type)
{
	return sizeof(struct record_header) + 8 * bits(type & PERF_SAMPLE_FIXED);
}

/* Reports whether both write the same fields, each of them in each sample. */
static bool same_fields(const struct event *a, const struct event *b)
{
	u64 type = b->attr.sample_type;

	return a && (b->plain ? a->plain : a->words_end && b->words_end) &&
	       a->attr.sample_type == type && a->planned == type && b->planned == type;
}

int sample_decode_next(const struct event_set *set, const struct record *rec, struct sample *s,
		       struct reason *r)
{
	const struct event *ev = sample_event(set, rec);
	const u8 *at;
	u64 type;

	if (unlikely(!ev))
		return reason_set(r, ENOENT, "a sample's id belongs to no event of the file");
	type = ev->attr.sample_type;
	if (!same_fields(s->event, ev)) {
		clear(s);
		s->id.pid = s->id.tid = s->id.cpu = UINT32_MAX;
	}
	s->event = ev;
	s->misc = rec->misc;
	s->cpumode = rec->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	s->period = ev->attr.sample_period;
	if (unlikely(rec->size < (ev->planned == type ? ev->fixed_end : fixed_end(type))))
		return reason_set(r, EINVAL, "a sample of %u bytes is too short for its event '%s'",
				  rec->size, ev->name ? ev->name : "");
	at = rec->data + sizeof(struct record_header);
	if (likely(ev->words_end && ev->planned == type && !set->swap &&
		   rec->size >= ev->words_end)) {
		load_late(load_fixed(at, type, false, s), type, false, s);
		return 0;
	}
	/* so the compiler knows the byte order in each call */
	at = set->swap ? load_fixed(at, type, true, s) : load_fixed(at, type, false, s);
	return type & ~(u64)PERF_SAMPLE_FIXED ? take_behind(set, rec, at, s, r) : 0;
}

int sample_decode(const struct event_set *set, const struct record *rec, struct sample *s,
		  struct reason *r)
{
	s->event = NULL;
	return sample_decode_next(set, rec, s, r);
}

bool sample_reg(const struct event_set *set, u64 mask, const u8 *regs, unsigned reg, u64 *value)
{
	if (!regs || reg >= 64 || !(mask & BIT64(reg)))
		return false;
	*value = load_u64(regs + 8 * bits(mask & (BIT64(reg) - 1)), set->swap);
	return true;
}

/*
 * Converts the flags to little-endian order. The kernel's bit fields begin at the lowest bit on
 * little-endian machines and at the highest on big-endian ones; each field of the entry is
 * mirrored.
 */
static u64 branch_flags(u64 flags, bool big_endian)
{
	/* mispred predicted in_tx abort cycles type spec new_type priv */
	static const u8 width[] = { 1, 1, 1, 1, 16, 4, 2, 4, 3 };
	unsigned at = 0;
	u64 out = 0;

	if (!big_endian)
		return flags;
	for (size_t i = 0; i < ARRAY_SIZE(width); i++) {
		u64 field = flags >> (64 - at - width[i]) & (BIT64(width[i]) - 1);

		out |= field << at;
		at += width[i];
	}
	return out;
}

struct sample_branch sample_branch(const struct event_set *set, const struct sample *s, u64 i)
{
	const u8 *p = s->branches + i * BRANCH_SIZE;
	bool host_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

	return (struct sample_branch){
		.from = load_u64(p, set->swap),
		.to = load_u64(p + 8, set->swap),
		.flags = branch_flags(load_u64(p + 16, set->swap), set->swap != host_big),
	};
}

/* Slots that lie at a record's end, TID first. */
static void load_sample_id(const u8 *p, u64 type, bool swap, struct sample_id *id)
{
	if (type & PERF_SAMPLE_TID) {
		id->pid = load_u32(p, swap);
		id->tid = load_u32(p + 4, swap);
		p += 8;
	}
	if (type & PERF_SAMPLE_TIME) {
		id->time = load_u64(p, swap);
		p += 8;
	}
	if (type & PERF_SAMPLE_ID) {
		id->id = load_u64(p, swap);
		p += 8;
	}
	if (type & PERF_SAMPLE_STREAM_ID) {
		id->stream_id = load_u64(p, swap);
		p += 8;
	}
	if (type & PERF_SAMPLE_CPU) {
		id->cpu = load_u32(p, swap);
		p += 8;
	}
	if (type & PERF_SAMPLE_IDENTIFIER)
		id->id = load_u64(p, swap);
}

int record_sample_id(const struct event_set *set, const struct record *rec, struct sample_id *id,
		     const struct event **ev, struct reason *r)
{
	const struct event *event, *layout;
	size_t size;

	*id = (struct sample_id){ .pid = UINT32_MAX, .tid = UINT32_MAX, .cpu = UINT32_MAX };
	if (ev)
		*ev = NULL;
	if (rec->type >= PERF_RECORD_USER_START || !set->list.count)
		return 0;
	event = record_event(set, rec);
	if (ev)
		*ev = event;
	layout = event ? event : set->list.items[0];
	if (!(layout->attr.flags & ATTR_SAMPLE_ID_ALL))
		return 0;
	size = 8 * bits(layout->attr.sample_type & ID_BITS);
	if (sizeof(struct record_header) + size > rec->size)
		return reason_set(r, EINVAL, "a record of %u bytes is too short for its sample id",
				  rec->size);
	load_sample_id(rec->data + id_end(layout, rec, set->swap) - size, layout->attr.sample_type,
		       set->swap, id);
	return 0;
}

/* Returns the event whose sample_type says where the time is: any event while all agree on mask. */
static const struct event *time_layout(const struct event_set *set, const struct record *rec,
				       u64 mask)
{
	const struct event *ev;

	if (likely(!((set->sample_type_any ^ set->sample_type_all) & mask)))
		return set->list.items[0];
	ev = record_event(set, rec);
	return ev || rec->type == PERF_RECORD_SAMPLE ? ev : set->list.items[0];
}

/* Finds a record's time. Returns false if it has none. */
static bool find_time(const struct event_set *set, const struct record *rec, u64 *time)
{
	const struct event *ev;

	if (rec->type >= PERF_RECORD_USER_START || unlikely(!set->list.count))
		return false;
	if (likely(rec->type == PERF_RECORD_SAMPLE)) {
		ev = time_layout(set, rec, BEFORE_TIME | PERF_SAMPLE_TIME);
		return ev && body_slot(rec, ev->time_from_start, set->swap, time);
	}
	ev = time_layout(set, rec, FROM_TIME);
	if (ev->time_from_end > 0)
		return end_slot(ev, rec, ev->time_from_end, set->swap, time);
	/*
	 * FORK and EXIT have their own time, after four u32. If no other record has a time, using
	 * it would reorder them relative to the others, so ignore it.
	 */
	return (rec->type == PERF_RECORD_FORK || rec->type == PERF_RECORD_EXIT) &&
	       (set->sample_type_any & PERF_SAMPLE_TIME) && body_slot(rec, 2, set->swap, time);
}

u64 record_time(const struct event_set *set, const struct record *rec)
{
	u64 time = 0;

	find_time(set, rec, &time);
	return time;
}

u64 record_any_key_time(const struct event_set *set, const struct record *rec, u64 before)
{
	u64 time = 0;

	return find_time(set, rec, &time) ? time : before;
}
