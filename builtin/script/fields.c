// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fields: their names, the defaults of each type of event, and the -F language.
 *
 *	-F comm,ip,sym	   for all types that can have the field
 *	-F sw:comm,ip	   for software events only
 *	-F +addr,-sym	   the defaults, changed; no mixing with plain names
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "builtin/script/script.h"

#define F(name) BIT64(SHOW_##name)

/* clang-format off */
static const struct {
	const char *name;
	enum script_field field;
} known[] = {
	{ "comm", SHOW_COMM }, { "tid", SHOW_TID }, { "pid", SHOW_PID }, { "time", SHOW_TIME },
	{ "cpu", SHOW_CPU }, { "event", SHOW_EVENT }, { "trace", SHOW_TRACE }, { "ip", SHOW_IP },
	{ "sym", SHOW_SYM }, { "dso", SHOW_DSO }, { "addr", SHOW_ADDR },
	{ "symoff", SHOW_SYMOFF }, { "period", SHOW_PERIOD }, { "iregs", SHOW_IREGS },
	{ "uregs", SHOW_UREGS }, { "brstack", SHOW_BRSTACK }, { "brstacksym", SHOW_BRSTACKSYM },
	{ "flags", SHOW_FLAGS }, { "data_src", SHOW_DATA_SRC }, { "weight", SHOW_WEIGHT },
	{ "bpf-output", SHOW_BPF_OUTPUT }, { "brstackoff", SHOW_BRSTACKOFF },
	{ "synth", SHOW_SYNTH }, { "phys_addr", SHOW_PHYS_ADDR }, { "misc", SHOW_MISC },
	{ "ipc", SHOW_IPC }, { "tod", SHOW_TOD }, { "data_page_size", SHOW_DATA_PAGE_SIZE },
	{ "code_page_size", SHOW_CODE_PAGE_SIZE }, { "ins_lat", SHOW_INS_LAT },
	{ "retire_lat", SHOW_RETIRE_LAT }, { "cgroup", SHOW_CGROUP }, { "dsoff", SHOW_DSOFF },
	{ "machine_pid", SHOW_MACHINE_PID }, { "vcpu", SHOW_VCPU }, { "srcline", SHOW_SRCLINE },
	{ "srccode", SHOW_SRCCODE }, { "insn", SHOW_INSN }, { "insnlen", SHOW_INSNLEN },
	{ "disasm", SHOW_DISASM }, { "brstackinsn", SHOW_BRSTACKINSN },
	{ "brstackinsnlen", SHOW_BRSTACKINSNLEN }, { "brstackdisasm", SHOW_BRSTACKDISASM },
	{ "brcntr", SHOW_BRCNTR }, { "callindent", SHOW_CALLINDENT },
	{ "metric", SHOW_METRIC },
};
/* clang-format on */

static const char *const type_words[SCRIPT_TYPES] = {
	[SCRIPT_HARDWARE] = "hw", [SCRIPT_SOFTWARE] = "sw",      [SCRIPT_TRACEPOINT] = "trace",
	[SCRIPT_RAW] = "raw",     [SCRIPT_BREAKPOINT] = "break", [SCRIPT_SYNTH] = "synth",
};

#define COMMON (F(COMM) | F(TID) | F(CPU) | F(TIME) | F(EVENT))
#define PLACE  (F(IP) | F(SYM) | F(SYMOFF) | F(DSO))
#define MEMORY                                                                                     \
	(F(ADDR) | F(DATA_SRC) | F(WEIGHT) | F(PHYS_ADDR) | F(DATA_PAGE_SIZE) |                    \
	 F(CODE_PAGE_SIZE) | F(INS_LAT))

static const u64 defaults[SCRIPT_TYPES] = {
	[SCRIPT_HARDWARE] = COMMON | PLACE | F(PERIOD),
	[SCRIPT_SOFTWARE] = COMMON | PLACE | F(PERIOD) | F(BPF_OUTPUT),
	[SCRIPT_TRACEPOINT] = COMMON | F(TRACE),
	[SCRIPT_HW_CACHE] = COMMON | PLACE | F(PERIOD),
	[SCRIPT_RAW] = COMMON | PLACE | F(PERIOD) | MEMORY,
	[SCRIPT_BREAKPOINT] = COMMON | PLACE | F(PERIOD),
	[SCRIPT_SYNTH] = COMMON | PLACE | F(SYNTH),
	[SCRIPT_OTHER] = COMMON | PLACE | F(PERIOD),
};

/* Returns the fields that events of this type never have. */
static u64 impossible(enum script_type t)
{
	if (t == SCRIPT_TRACEPOINT)
		return 0;
	return F(TRACE) | (t == SCRIPT_SOFTWARE ? 0 : F(BPF_OUTPUT));
}

void script_fields_init(struct script_fields *f)
{
	*f = (struct script_fields){ 0 };
	for (int t = 0; t < SCRIPT_TYPES; t++)
		f->type[t].fields = defaults[t];
}

enum script_type script_type_of(const struct event *ev)
{
	if (ev->attr.type == PERF_TYPE_SYNTH)
		return SCRIPT_SYNTH;
	return ev->attr.type <= PERF_TYPE_BREAKPOINT ? (enum script_type)ev->attr.type
						     : SCRIPT_OTHER;
}

void script_fields_names(struct strbuf *b)
{
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (i)
			strbuf_char(b, ',');
		strbuf_str(b, known[i].name);
	}
}

static int unknown_field(const char *name, struct reason *r)
{
	const char *names[ARRAY_SIZE(known)], *near;

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		names[i] = known[i].name;
	near = nearest_name(name, names, ARRAY_SIZE(names));
	reason_set(r, EINVAL, "Invalid field requested: '%s'", name);
	if (near)
		reason_hint(r, "did you mean '%s'?", near);
	else
		reason_hint(r, "'perf script -h' lists the fields under -F");
	return -EINVAL;
}

static int find_field(const char *name, u64 *bit, struct reason *r)
{
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(known[i].name, name)) {
			*bit = BIT64(known[i].field);
			return 0;
		}
	return unknown_field(name, r);
}

static int find_type(const char *word, size_t n, enum script_type *type, struct reason *r)
{
	for (int t = 0; t < SCRIPT_TYPES; t++)
		if (type_words[t] && strlen(type_words[t]) == n &&
		    !memcmp(type_words[t], word, n)) {
			*type = (enum script_type)t;
			return 0;
		}
	reason_set(r, EINVAL, "Invalid event type in field string: '%.*s'", (int)n, word);
	reason_hint(r, "types are hw, sw, trace, raw, break, synth");
	return -EINVAL;
}

/* Changes one type by one word; sign is '+', '-' or 0. */
static void change(struct script_type_fields *t, u64 bit, char sign)
{
	if (sign == '-') {
		t->fields &= ~bit;
		t->asked &= ~bit;
		t->refused |= bit;
	} else {
		t->fields |= bit;
		t->asked |= bit;
		t->refused &= ~bit;
	}
	/* the flags column is special: asking for it does not replace the defaults */
	t->user_set |= bit != F(FLAGS);
}

static int apply_word(struct script_fields *f, int only, u64 bit, const char *word, char sign,
		      struct reason *r)
{
	for (int t = 0; t < SCRIPT_TYPES; t++) {
		if (only >= 0 && t != only)
			continue;
		if (impossible((enum script_type)t) & bit) {
			if (only >= 0)
				return reason_set(r, EINVAL, "'%s' not valid for '%s' events", word,
						  type_words[t]);
			continue; /* the other types can have it */
		}
		change(&f->type[t], bit, sign);
	}
	return 0;
}

static void clear(struct script_fields *f, int only)
{
	for (int t = 0; t < SCRIPT_TYPES; t++) {
		if (only >= 0 && t != only)
			continue;
		f->type[t] = (struct script_type_fields){ .user_set = true };
	}
}

static int parse_words(struct script_fields *f, int only, const char *list, struct reason *r)
{
	struct strlist words = { 0 };
	size_t signs = 0;
	int err = 0;

	strlist_split(&words, list, ",");
	vec_for_each(&words.list, w)
		signs += **w == '+' || **w == '-';
	if (signs && signs != words.list.count)
		err = reason_set(r, EINVAL, "Cannot mix +-field with overridden fields");
	if (!signs)
		clear(f, only);
	vec_for_each(&words.list, w) {
		char sign = signs ? **w : 0;
		u64 bit = 0;

		if (!err)
			err = find_field(*w + !!sign, &bit, r);
		if (!err)
			err = apply_word(f, only, bit, *w + !!sign, sign, r);
	}
	strlist_release(&words);
	return err;
}

int script_fields_parse(struct script_fields *f, const char *text, struct reason *r)
{
	const char *colon = strchr(text, ':');
	enum script_type type = SCRIPT_HARDWARE;
	int err;

	if (!colon) {
		if (!*text)
			return reason_set(r, EINVAL,
					  "Cannot set fields to 'none' for all event types.");
		return parse_words(f, -1, text, r);
	}
	err = find_type(text, (size_t)(colon - text), &type, r);
	return err ? err : parse_words(f, (int)type, colon + 1, r);
}

void script_fields_as_text(struct script_fields *f)
{
	static const struct {
		enum script_field bytes, text;
	} pairs[] = { { SHOW_INSN, SHOW_DISASM }, { SHOW_BRSTACKINSN, SHOW_BRSTACKDISASM } };

	for (int t = 0; t < SCRIPT_TYPES; t++)
		for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
			if (f->type[t].fields & BIT64(pairs[i].bytes)) {
				change(&f->type[t], BIT64(pairs[i].bytes), '-');
				change(&f->type[t], BIT64(pairs[i].text), '+');
			}
}
