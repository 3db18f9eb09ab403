// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Checks the fields against what each event recorded: a field requested by name must have been
 * recorded; one that is only a default is otherwise left out.
 *
 * The messages are those of perf 6.1: perf2bolt looks for one of them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "builtin/script/internal.h"
#include "profile/calls.h"

#define F(name) BIT64(SHOW_##name)
#define MEMORY  (F(ADDR) | F(DATA_SRC) | F(WEIGHT) | F(INS_LAT) | F(RETIRE_LAT) | F(CGROUP))
#define DETAILS                                                                                    \
	(F(IREGS) | F(UREGS) | F(BRSTACK) | F(BRSTACKSYM) | F(BRSTACKOFF) | F(BPF_OUTPUT) |        \
	 F(PHYS_ADDR) | F(DATA_PAGE_SIZE) | F(CODE_PAGE_SIZE) | F(IPC))
#define CODE                                                                                       \
	(F(INSN) | F(INSNLEN) | F(DISASM) | F(BRSTACKINSN) | F(BRSTACKINSNLEN) |                   \
	 F(BRSTACKDISASM) | F(SRCCODE))
#define WEIGHTS (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT)

/* Which sample_type bits a field needs (any of them). */
static const struct need {
	enum script_field field;
	u64 any_of;
	const char *attribute, *name;
	bool not_with_aux; /* the decoder of AUX data may supply it */
} needs[] = {
	{ SHOW_IP, PERF_SAMPLE_IP, "IP", "ip", false },
	{ SHOW_ADDR, PERF_SAMPLE_ADDR, "ADDR", "addr", true },
	{ SHOW_DATA_SRC, PERF_SAMPLE_DATA_SRC, "DATA_SRC", "data_src", true },
	{ SHOW_WEIGHT, WEIGHTS, "WEIGHT", "weight", true },
	{ SHOW_PID, PERF_SAMPLE_TID, "TID", "pid", false },
	{ SHOW_TID, PERF_SAMPLE_TID, "TID", "tid", false },
	{ SHOW_TIME, PERF_SAMPLE_TIME, "TIME", "time", false },
	{ SHOW_CPU, PERF_SAMPLE_CPU, "CPU", "cpu", true },
	{ SHOW_IREGS, PERF_SAMPLE_REGS_INTR, "IREGS", "iregs", true },
	{ SHOW_UREGS, PERF_SAMPLE_REGS_USER, "UREGS", "uregs", false },
	{ SHOW_PHYS_ADDR, PERF_SAMPLE_PHYS_ADDR, "PHYS_ADDR", "phys_addr", false },
	{ SHOW_DATA_PAGE_SIZE, PERF_SAMPLE_DATA_PAGE_SIZE, "DATA_PAGE_SIZE", "data_page_size",
	  false },
	{ SHOW_CODE_PAGE_SIZE, PERF_SAMPLE_CODE_PAGE_SIZE, "CODE_PAGE_SIZE", "code_page_size",
	  false },
	{ SHOW_INS_LAT, PERF_SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT", "ins_lat", false },
	{ SHOW_RETIRE_LAT, PERF_SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT", "retire_lat", false },
	{ SHOW_CGROUP, PERF_SAMPLE_CGROUP, "CGROUP", "cgroup", true },
};

static int check_need(const struct event *ev, struct script_type_fields *t, const struct need *n,
		      bool has_aux, struct reason *r)
{
	u64 bit = BIT64(n->field);

	if (!(t->fields & bit) || (event_tells(ev) & n->any_of))
		return 0;
	if (!(t->asked & bit)) {
		t->fields &= ~bit;
		return 0;
	}
	if (has_aux && n->not_with_aux)
		return 0;
	return reason_set(
		r, EINVAL,
		"Samples for '%s' event do not have %s attribute set. Cannot print '%s' field.",
		ev->name, n->attribute, n->name);
}

/*
 * Returns the branch filters of all events. The code between two branches is known only if all
 * branches were recorded.
 */
static u64 branch_filters(const struct event_set *set)
{
	u64 filter = 0;

	vec_for_each(&set->list, ev)
		filter |= (*ev)->attr.branch_sample_type;
	return filter;
}

/* Checks the fields that show code between branches. filter is what branch_filters() returns. */
static int check_branch_code(const struct script_type_fields *t, u64 filter, bool has_aux,
			     struct reason *r)
{
	const u64 code = F(BRSTACKINSN) | F(BRSTACKINSNLEN) | F(BRSTACKDISASM);

	if (!(t->fields & code) || has_aux || filter & PERF_SAMPLE_BRANCH_ANY)
		return 0;
	reason_set(r, EINVAL,
		   "Display of branch stack assembler requested, but non all-branch filter set");
	reason_hint(r, "record all branches: perf record -b ...");
	return -EINVAL;
}

static int check_event(const struct event *ev, struct script_type_fields *t, bool has_aux,
		       struct reason *r)
{
	bool has_address = ev->attr.sample_type & (PERF_SAMPLE_IP | PERF_SAMPLE_ADDR);

	for (size_t i = 0; i < ARRAY_SIZE(needs); i++) {
		int err = check_need(ev, t, &needs[i], has_aux, r);

		if (err)
			return err;
	}
	if ((t->fields & F(SYM)) && !has_address)
		return reason_set(r, EINVAL,
				  "Display of symbols requested but neither sample IP "
				  "nor sample address available. Hence, no addresses to convert "
				  "to symbols.");
	if ((t->fields & F(SYMOFF)) && !(t->fields & F(SYM)))
		return reason_set(r, EINVAL,
				  "Display of offsets requested but symbol is not selected.");
	if ((t->fields & (F(DSO) | F(DSOFF))) && !has_address)
		return reason_set(r, EINVAL, "Display of DSO requested but no address to convert.");
	if ((t->fields & (F(SRCLINE) | F(SRCCODE))) && !(t->fields & F(IP)))
		return reason_set(r, EINVAL,
				  "Display of source line number requested but sample IP "
				  "is not selected. Hence, no address to lookup the source line "
				  "number.");
	if (t->fields & F(DSOFF))
		t->fields |= F(DSO);
	return 0;
}

static bool is_dummy(const struct event *ev)
{
	return ev->attr.type == PERF_TYPE_SOFTWARE && ev->attr.config == PERF_COUNT_SW_DUMMY;
}

static int check_type(struct script *s, int t, bool has_aux, struct reason *r)
{
	struct script_type_fields *fields = &s->fields.type[t];
	u64 filter = branch_filters(s->set);

	vec_for_each(&s->set->list, it) {
		const struct event *ev = *it;
		int err;

		if ((int)script_type_of(ev) != t)
			continue;
		err = fields->fields && !is_dummy(ev) ? check_event(ev, fields, has_aux, r) : 0;
		if (!err)
			err = check_branch_code(fields, filter, has_aux, r);
		if (err)
			return err;
	}
	return 0;
}

/* Makes tracepoints show the place where they were hit only if a call chain was recorded. */
static void tracepoint_places(struct script *s)
{
	struct script_type_fields *t = &s->fields.type[SCRIPT_TRACEPOINT];

	if (!s->chains_shown || t->user_set)
		return;
	vec_for_each(&s->set->list, it)
		if (event_is_tracepoint(*it) && event_has_chains(*it))
			t->fields |= F(IP) | F(SYM) | F(SYMOFF) | F(DSO);
}

static unsigned line_parts(u64 fields)
{
	return (fields & F(IP) ? LINE_IP : 0) | (fields & F(SYM) ? LINE_SYM : 0) |
	       (fields & F(SYMOFF) ? LINE_SYMOFF : 0) | (fields & F(DSO) ? LINE_DSO : 0) |
	       (fields & F(DSOFF) ? LINE_DSOFF : 0) | (fields & F(SRCLINE) ? LINE_SRCLINE : 0);
}

/*
 * Returns LINE_INLINES where frames show the functions inlined in them. Unwound frames do, and all
 * frames if source lines are shown, since a line belongs to the innermost function. Other chains of
 * frame pointers are shown as recorded, as perf 6.1 does it.
 */
static unsigned inline_part(const struct script *s, const struct perf_event_attr *a, u64 fields)
{
	const u64 unwound = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	bool wanted = (a->sample_type & unwound) == unwound || fields & F(SRCLINE);

	return s->o->inlines && wanted ? LINE_INLINES : 0;
}

/* Returns the fields that rows also have by default. */
static u64 fields_of_rows(const struct script *s, enum script_type type,
			  const struct perf_event_attr *a)
{
	if (s->o->form == SCRIPT_TEXT || s->fields.type[type].user_set)
		return 0;
	return (a->sample_type & PERF_SAMPLE_TID ? F(PID) : 0) |
	       (script_is_bts(a) && a->sample_type & PERF_SAMPLE_ADDR ? F(ADDR) : 0);
}

static void set_name(struct event_view *v, int width)
{
	char *text = xasprintf("%*s: ", width, v->event->name);

	v->name_len = strlen(text);
	v->name = xcalloc(1, (v->name_len / START_PIECE + 1) * START_PIECE);
	memcpy(v->name, text, v->name_len);
	free(text);
}

static void make_view(struct script *s, struct event *ev, size_t name_width)
{
	enum script_type type = script_type_of(ev);
	u64 fields = s->fields.type[type].fields | fields_of_rows(s, type, &ev->attr);
	unsigned parts = line_parts(fields);
	struct event_view v = {
		.event = ev,
		.type = type,
		.fields = fields,
		.has_chain = event_has_chains(ev) && s->chains_shown,
		.is_bpf_output = ev->attr.type == PERF_TYPE_SOFTWARE &&
				 ev->attr.config == PERF_COUNT_SW_BPF_OUTPUT &&
				 !event_has_wait_in_raw(ev),
		.is_bts = script_is_bts(&ev->attr),
		.is_dummy = is_dummy(ev),
		.chain_lines =
			script_lines(s, parts | LINE_CHAIN | inline_part(s, &ev->attr, fields)),
		.leaf_lines = script_lines(s, parts),
		.addr_lines = script_lines(s, (parts & ~(LINE_IP | LINE_SRCLINE)) | LINE_DATA),
	};

	v.keeps_start = !(fields & (F(MACHINE_PID) | F(VCPU) | F(MISC) | F(TOD))) &&
			!s->o->relative_time && !s->o->delta_time;
	set_name(&v, (int)name_width);
	v.has_memory = fields & MEMORY;
	v.has_code = fields & CODE;
	v.has_details = v.has_code || ((fields & DETAILS) &&
				       (v.is_bpf_output || (fields & DETAILS & ~F(BPF_OUTPUT))));
	v.addr_has_symbol = script_addr_is_place(ev);
	vec_push(&s->views, v);
}

static int check_types(struct script *s, struct data_reader *data, struct reason *r)
{
	bool has_aux = data && data_has_feature(data, FEATURE_AUXTRACE);
	bool has_stat = data && data_has_feature(data, FEATURE_STAT);
	bool tod = false;

	for (int t = 0; t < SCRIPT_TYPES; t++)
		tod |= s->fields.type[t].asked & F(TOD);
	if (tod && !(data && data_has_feature(data, FEATURE_CLOCK_DATA)))
		return reason_set(r, EINVAL,
				  "Can't provide 'tod' time, missing clock data. "
				  "Please record with -k/--clockid option.");
	for (int t = 0; t < SCRIPT_TYPES && !has_stat; t++) {
		int err = check_type(s, t, has_aux, r);

		if (err)
			return err;
	}
	return 0;
}

static void make_views(struct script *s)
{
	bool any_chain = false;
	size_t width = 0;

	vec_for_each(&s->set->list, it) {
		any_chain |= event_has_chains(*it);
		width = MAX(width, strlen((*it)->name));
	}
	s->chains_shown = any_chain && !s->o->hide_chains;
	tracepoint_places(s);
	vec_for_each(&s->set->list, it)
		make_view(s, *it, width);
}

/* Prepares chains from branch registers. --stitch-lbr without any is an error. */
static int begin_registers(struct script *s, struct reason *r)
{
	bool any = false;

	vec_for_each(&s->set->list, ev)
		any |= call_registers_hold(*ev);
	if (any && !s->o->hide_chains && !s->o->dump)
		s->registers = call_registers_new(s->set, s->o->stitch, false);
	if (any || !s->o->stitch)
		return 0;
	reason_set(r, EINVAL,
		   "'%s' has no call chains from branch registers, which --stitch-lbr needs",
		   data_path(session_data(s->session)));
	reason_hint(r, "record with: perf record --call-graph lbr ...");
	return -EINVAL;
}

/* Calls, returns and kinds of branches are known only for events that trace branches. */
static int begin_calls(struct script *s, struct reason *r)
{
	const struct script_options *o = s->o;
	bool shows_kind = false, wanted = o->calls || o->graph_functions.list.count, any = false;

	for (int t = 0; t < SCRIPT_TYPES; t++) {
		wanted |= (s->fields.type[t].asked & F(CALLINDENT)) != 0;
		shows_kind |= (s->fields.type[t].fields & F(FLAGS)) != 0;
	}
	vec_for_each(&s->set->list, ev)
		any |= script_is_branch_trace(*ev);
	if (any && (wanted || shows_kind))
		s->calls = call_trace_new();
	if (any || !wanted)
		return 0;
	reason_set(r, EINVAL, "'%s' has no branch trace from which calls could be taken",
		   data_path(session_data(s->session)));
	reason_hint(
		r,
		"on processors with a branch trace store: perf record -e branches:u -c 1 -d ...");
	return -EINVAL;
}

/* Checks the field of ratios, which need counters that were read together. */
static int check_metrics(const struct script *s, struct reason *r)
{
	const u64 group = PERF_FORMAT_GROUP;
	bool wanted = false;

	for (int t = 0; t < SCRIPT_TYPES; t++)
		wanted |= (s->fields.type[t].asked & F(METRIC)) != 0;
	vec_for_each(&s->set->list, ev)
		if (!wanted ||
		    ((*ev)->attr.sample_type & PERF_SAMPLE_READ && (*ev)->attr.read_format & group))
			return 0;
	if (!wanted)
		return 0;
	reason_set(r, EINVAL,
		   "'%s' has no group of counters that were read together. Cannot print 'metric' "
		   "field.",
		   data_path(session_data(s->session)));
	reason_hint(
		r,
		"record a group that its leader samples: perf record -e '{cycles,instructions}:S' "
		"...");
	return -EINVAL;
}

int script_prepare(struct script *s, struct reason *r)
{
	struct data_reader *data = session_data(s->session);
	int err = script_find_switches(s, r);

	s->arch = data ? data_arch(data) : arch_host();
	s->ready = true;
	if (!err)
		err = begin_registers(s, r);
	if (!err)
		err = begin_calls(s, r);
	if (err || s->o->consumer)
		return err;
	err = check_types(s, data, r);
	if (!err)
		err = check_metrics(s, r);
	if (err)
		return err;
	make_views(s);
	if (s->o->form != SCRIPT_TEXT)
		script_begin_rows(s);
	return s->o->per_event ? script_files_open(s, r) : 0;
}
