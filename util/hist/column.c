// SPDX-License-Identifier: GPL-2.0-or-later
/* Chooses the columns that -s and -F ask for, out of all that exist. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/perf_abi.h"
#include "hist/internal.h"

void hist_add_columns(struct hist *h, const struct hist_column *columns, size_t count)
{
	for (size_t i = 0; i < count; i++)
		vec_push(&h->columns, &columns[i]);
}

const char *hist_header(const struct hist *h, const struct hist_field *f)
{
	if (f->column->children_header && h->set.children && !h->strict_fields)
		return f->column->children_header;
	return f->column->header;
}

/* Reports whether a table of this kind of rows can have the column. */
static bool fits(const struct hist *h, const struct hist_column *c)
{
	if ((c->flags & HIST_OF_BRANCH) && h->set.expansion != HIST_BRANCHES)
		return false;
	return !(c->flags & HIST_OF_ACCESS) || h->set.expansion == HIST_ACCESSES;
}

/*
 * Finds a column by its exact name, or else the first whose name begins with it: "sym" is symbol.
 * Returns NULL if there is none.
 */
static const struct hist_column *find_column(const struct hist *h, const char *name)
{
	vec_for_each(&h->columns, c)
		if (!strcasecmp(name, (*c)->name) ||
		    ((*c)->alias && !strcasecmp(name, (*c)->alias)))
			return *c;
	vec_for_each(&h->columns, c)
		if (fits(h, *c) && *name && !strncasecmp(name, (*c)->name, strlen(name)))
			return *c;
	return NULL;
}

bool hist_lists_column(const struct hist *h, const char *keys, unsigned flags)
{
	struct strlist names = { 0 };
	bool found = false;

	if (keys)
		strlist_split(&names, keys, ",+ {}");
	vec_for_each(&names.list, name)
		vec_for_each(&h->columns, c)
			found |= ((*c)->flags & flags) &&
				 (!strcasecmp(*name, (*c)->name) ||
				  ((*c)->alias && !strcasecmp(*name, (*c)->alias)));
	strlist_release(&names);
	return found;
}

/* Explains why a key of branches or of accesses cannot be in this table. Returns -EINVAL. */
static int refuse_column(const struct hist *h, const struct hist_column *c, const char *option,
			 const char *name, struct reason *r)
{
	bool branch = c->flags & HIST_OF_BRANCH;

	if ((c->flags & HIST_LATENCY) && !h->set.latency) {
		reason_set(r, EINVAL,
			   "%s key '%s' needs to know what ran when, and the file "
			   "has no context switches",
			   option, name);
		reason_hint(r, "record with: perf record --switch-events ...");
		return -EINVAL;
	}
	if ((c->flags & HIST_ACCESS_SUM) && !(event_set_tells(h->events) & PERF_SAMPLE_DATA_SRC)) {
		reason_set(r, EINVAL,
			   "%s key '%s' is of memory accesses, and the file does not say "
			   "what they did",
			   option, name);
		reason_hint(r, "record with: perf mem record ..., or perf record -d ...");
		return -EINVAL;
	}
	if ((c->flags & HIST_TYPES) && !h->set.services.data_type)
		return reason_set(r, EINVAL, "%s key '%s' is for perf report only", option, name);
	if (fits(h, c))
		return 0;
	reason_set(r, EINVAL, "%s key '%s' is of %s", option, name,
		   branch ? "branch stacks" : "memory accesses");
	reason_hint(r, branch ? "record with: perf record -b ..., and report with -b"
			      : "record with: perf mem record ..., and report with --mem-mode");
	return -EINVAL;
}

/*
 * Appends "
 * HEADING: a b c" for the columns that have exactly these flags of the KINDS.
 */
static void list_kind(const struct hist *h, const char *heading, unsigned flags, struct strbuf *out)
{
	enum { KINDS = HIST_OF_BRANCH | HIST_OF_ACCESS | HIST_VALUE, WIDEST = 76 };
	size_t line = out->len + 1;

	strbuf_f(out, "\n%s:", heading);
	vec_for_each(&h->columns, c) {
		const char *name = (*c)->name;

		if (((*c)->flags & KINDS) != flags || (*c)->flags & HIST_ACCESS_SUM)
			continue;
		if (out->len - line + strlen(name) >= WIDEST) {
			line = out->len + 1;
			strbuf_str(out, "\n  ");
		}
		strbuf_f(out, " %s", name);
	}
}

static int unknown_column(const struct hist *h, const char *option, const char *name,
			  struct reason *r)
{
	struct strbuf names = STRBUF_INIT;
	VEC(const char *) list = VEC_INIT;
	const char *near;

	if (!strcasecmp(name, "simd"))
		return reason_set(r, EINVAL,
				  "%s key '%s' is of decoded Arm SPE traces, and AUX area data "
				  "is not decoded",
				  option, name);
	vec_for_each(&h->columns, c)
		vec_push(&list, (*c)->name);
	near = nearest_name(name, list.items, list.count);
	reason_set(r, EINVAL, "unknown %s key '%s'", option, name);
	list_kind(h, "of samples", 0, &names);
	list_kind(h, "of branches (-b)", HIST_OF_BRANCH, &names);
	list_kind(h, "of memory accesses (--mem-mode)", HIST_OF_ACCESS, &names);
	list_kind(h, "values", HIST_VALUE, &names);
	strbuf_str(&names, " op cache memory dtlb"); /* for the many sums by what accesses did */
	if (near)
		reason_hint(r, "did you mean '%s'?", near);
	else
		reason_hint(r, "the keys are%s", strbuf_cstr(&names));
	vec_release(&list);
	strbuf_release(&names);
	return -EINVAL;
}

/* Returns the index of the column's field, which it adds on first use. */
static u32 use_column(struct hist *h, const struct hist_column *c)
{
	struct hist_field f = { .column = c, .shown = true };

	for (u32 i = 0; i < h->fields.count; i++)
		if (h->fields.items[i].column == c)
			return i;
	if (c->collect || c->collect_field || (c->flags & (HIST_PARENT | HIST_PROGRAM)))
		f.slot = h->slots++;
	if ((c->flags & HIST_ACCESS_SUM) && h->access_slot < 0)
		h->access_slot = (s32)h->slots++;
	h->wants_extra |= c->flags & (HIST_EXTRA | HIST_LATENCY) && (c->flags & HIST_VALUE);
	if (c->flags & HIST_PARENT)
		h->parent_slot = (s32)f.slot;
	if (c->flags & HIST_PROGRAM)
		h->program_slot = (s32)f.slot;
	vec_for_each(&h->levels, l)
		if (l->column == c)
			f.level = l->level;
	vec_push(&h->fields, f);
	return (u32)h->fields.count - 1;
}

static bool has_column(const column_list *l, const struct hist_column *c)
{
	vec_for_each(l, it)
		if (*it == c)
			return true;
	return false;
}

static void add_column(column_list *l, const struct hist_column *c)
{
	if (c && !has_column(l, c))
		vec_push(l, c);
}

/*
 * Adds a family of columns, those whose names begin with the word. Returns false if the word names
 * no family.
 */
static bool add_family(struct hist *h, const char *name, column_list *l)
{
	static const char *const families[][2] = {
		{ "op", "op_" },
		{ "cache", "cache_" },
		{ "memory", "memory_" },
		{ "dtlb", "dtlb_" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(families); i++) {
		if (strcasecmp(name, families[i][0]))
			continue;
		vec_for_each(&h->columns, c)
			if (((*c)->flags & HIST_ACCESS_SUM) &&
			    str_starts((*c)->name, families[i][1]))
				add_column(l, *c);
		return true;
	}
	return false;
}

/* Returns the level of the next key. Keys in braces share a level; the braces are removed. */
static u32 next_level(struct hist *h, char *name)
{
	size_t len = strlen(name);
	u32 level;

	if (!h->level_open)
		h->level_count++;
	level = h->level_count - 1;
	if (*name == '{') {
		h->level_open = true;
		memmove(name, name + 1, len--);
	}
	if (len && name[len - 1] == '}') {
		h->level_open = false;
		name[len - 1] = '\0';
	}
	return level;
}

static int add_names(struct hist *h, column_list *l, const char *option, const char *text,
		     struct reason *r)
{
	struct strlist names = { 0 };
	int err = 0;

	strlist_split(&names, text, ", ");
	vec_for_each(&names.list, name) {
		size_t before = l->count;
		bool own_level = !h->level_open;
		u32 level = next_level(h, *name);
		bool family = add_family(h, *name, l);
		const struct hist_column *c =
			family ? l->items[l->count - 1] : find_column(h, *name);

		if (c)
			err = refuse_column(h, c, option, *name, r);
		else
			err = hist_trace_columns(h, *name, l, r);
		if (err == -ENOENT)
			err = unknown_column(h, option, *name, r);
		if (err)
			break;
		add_column(l, c);
		if (c && (c->flags & HIST_VALUE) && own_level && !h->level_open)
			h->level_count--; /* values come before all levels */
		for (; before < l->count; before++)
			vec_push(&h->levels, (struct key_level){ l->items[before], level });
	}
	strlist_release(&names);
	if (!err && h->level_open)
		err = reason_set(r, EINVAL, "%s: '%s' has a '{' without its '}'", option, text);
	return err;
}

static const char *default_keys(const struct hist *h, bool traces)
{
	switch (h->set.expansion) {
	case HIST_BRANCHES:
		return "comm,dso_from,symbol_from,symbol_to,cycles";
	case HIST_ACCESSES:
		return "local_weight,mem,sym,dso,symbol_daddr,dso_daddr,snoop,tlb,locked,blocked,"
		       "local_ins_lat";
	case HIST_SAMPLES:
		break;
	}
	if (traces)
		return h->set.raw_trace ? "trace_fields" : "trace";
	return "comm,dso,symbol";
}

/*
 * Adds the values that come before the keys, except those that the keys name. A key list that names
 * overhead or latency gets only what it names.
 */
static void leading_values(struct hist *h, const column_list *named, column_list *keys)
{
	bool chosen = !h->set.prefer_latency && (has_column(named, find_column(h, "overhead")) ||
						 has_column(named, find_column(h, "latency")));
	const struct {
		const char *name;
		bool wanted;
	} values[] = {
		{ "latency_children", h->set.children && h->set.prefer_latency },
		{ "overhead_children", h->set.children },
		{ "latency_children", h->set.children && h->set.show_latency && !chosen },
		{ "latency", h->set.prefer_latency },
		{ "overhead", !chosen },
		{ "latency", h->set.show_latency && !chosen },
		{ "overhead_sys", h->set.utilization },
		{ "overhead_us", h->set.utilization },
		{ "overhead_guest_sys", h->set.utilization && h->set.guest },
		{ "overhead_guest_us", h->set.utilization && h->set.guest },
	};

	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		const struct hist_column *c = find_column(h, values[i].name);

		if (values[i].wanted && !has_column(named, c))
			add_column(keys, c);
	}
}

/*
 * Lists the columns in sorting order. As in perf, the overheads come first unless -F gives the
 * whole output.
 */
static int sort_keys(struct hist *h, const char *sort, bool strict_fields, bool traces,
		     column_list *keys, struct reason *r)
{
	column_list named = VEC_INIT;
	int err = 0;

	if (!strict_fields || sort) {
		if (!sort || *sort == '+')
			strbuf_str(&h->sort_text, default_keys(h, traces));
		if (sort) {
			if (*sort == '+')
				strbuf_char(&h->sort_text, ',');
			strbuf_str(&h->sort_text, sort + (*sort == '+'));
		}
		err = add_names(h, &named, "--sort", strbuf_cstr(&h->sort_text), r);
	}
	if (!strict_fields)
		leading_values(h, &named, keys);
	vec_for_each(&named, c)
		vec_push(keys, *c);
	vec_release(&named);
	return err;
}

/* Puts overhead and latency before the keys, wherever --sort names them. */
static void add_totals(struct hist *h, const column_list *keys, column_list *out)
{
	const char *const names[] = { h->set.prefer_latency ? "latency" : "overhead", "overhead",
				      "latency" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (has_column(keys, find_column(h, names[i])))
			add_column(out, find_column(h, names[i]));
}

/*
 * Lists the columns in output order. With a strict -F: its list, then the keys. Without: the
 * leading values, the list of -F +list, and the other keys.
 */
static void output_order(struct hist *h, const column_list *keys, const column_list *fields,
			 bool strict, column_list *out)
{
	size_t i = 0;

	if (!strict) {
		for (; i < keys->count && strstr(keys->items[i]->name, "_children"); i++)
			add_column(out, keys->items[i]);
		add_totals(h, keys, out);
		for (; i < keys->count && (keys->items[i]->flags & HIST_VALUE); i++)
			add_column(out, keys->items[i]);
	}
	vec_for_each(fields, c)
		add_column(out, *c);
	for (; i < keys->count; i++)
		add_column(out, keys->items[i]);
}

int hist_set_keys(struct hist *h, const char *sort, const char *fields, bool traces,
		  struct reason *r)
{
	column_list keys = VEC_INIT, named = VEC_INIT, out = VEC_INIT;
	bool strict = fields && *fields != '+';
	int err = sort_keys(h, sort, strict, traces, &keys, r);

	h->strict_fields = strict;

	if (!err && fields)
		err = add_names(h, &named, "--fields", fields + (*fields == '+'), r);
	if (!err && h->set.parent)
		add_column(&keys, find_column(h, "parent"));
	if (!err) {
		output_order(h, &keys, &named, strict, &out);
		vec_for_each(&out, c)
			use_column(h, *c);
		vec_for_each(&keys, c)
			vec_push(&h->order, use_column(h, *c));
		vec_for_each(&out, c)
			if (!has_column(&keys, *c))
				vec_push(&h->order, use_column(h, *c));
	}
	/* Totals that no column shows would only add rows of callers. */
	if (!err && strict && !has_column(&out, find_column(h, "overhead_children")) &&
	    !has_column(&out, find_column(h, "latency_children")))
		h->set.children = false;
	if (r && err == -EINVAL)
		r->wrong_use = true;
	vec_release(&keys);
	vec_release(&named);
	vec_release(&out);
	return err;
}

const char *hist_sort_text(const struct hist *h)
{
	return strbuf_cstr(&h->sort_text);
}

int hist_add_value(struct hist *h, const char *name, struct reason *r)
{
	const struct hist_column *c = find_column(h, name);
	size_t at = 0, was = h->fields.count;
	struct hist_field f;
	u32 index;

	if (!c)
		return unknown_column(h, "value", name, r);
	index = use_column(h, c);
	if (h->fields.count == was)
		return 0;
	/* Insert it after the leading values, and adjust the indices in the order. */
	f = h->fields.items[index];
	while (at < index && (h->fields.items[at].column->flags & HIST_VALUE))
		at++;
	memmove(&h->fields.items[at + 1], &h->fields.items[at], (index - at) * sizeof(f));
	h->fields.items[at] = f;
	vec_for_each(&h->order, i)
		if (*i >= at)
			(*i)++;
	return 0;
}

/* Hides a column if a filter of one name makes it the same in all rows. */
void hist_hide_fixed(struct hist *h)
{
	struct hist_settings *s = &h->set;
	unsigned fixed = (s->comms.list.count == 1 ? HIST_COMM : 0) |
			 (s->dsos.list.count == 1 ? HIST_DSO : 0) |
			 (s->symbols.list.count == 1 ? HIST_SYMBOL : 0);
	bool any_left = false;

	vec_for_each(&h->fields, f)
		any_left |= !(f->column->flags & (HIST_VALUE | fixed));
	vec_for_each(&h->fields, f)
		f->shown = s->hierarchy || !any_left || !(f->column->flags & fixed);
}

/* ---- -g ---- */

static const struct {
	const char *name;
	enum call_graph_mode mode;
} modes[] = {
	{ "flat", CALL_GRAPH_FLAT },       { "graph", CALL_GRAPH_GRAPH },
	{ "fractal", CALL_GRAPH_FRACTAL }, { "folded", CALL_GRAPH_FOLDED },
	{ "none", CALL_GRAPH_NONE },
};

/* Reports whether the typed text is the beginning of a word, as in perf. */
static bool is_word(const char *typed, const char *word)
{
	return *typed && !strncmp(typed, word, strlen(typed));
}

static bool parse_mode(struct call_graph_settings *g, const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
		if (is_word(word, modes[i].name)) {
			g->mode = modes[i].mode;
			return true;
		}
	return false;
}

static bool parse_order(struct call_graph_settings *g, const char *word)
{
	bool caller = is_word(word, "caller");

	if (!caller && !is_word(word, "callee"))
		return false;
	g->caller = caller;
	g->order_given = true;
	return true;
}

static bool parse_frame_key(struct call_graph_settings *g, const char *word)
{
	bool by_address = is_word(word, "address"), by_line = is_word(word, "srcline");

	if (!by_address && !by_line && !is_word(word, "function"))
		return false;
	g->by_address = by_address;
	g->by_line = by_line;
	return true;
}

static bool parse_value(struct call_graph_settings *g, const char *word)
{
	if (is_word(word, "percent"))
		g->value = CALL_GRAPH_PERCENT;
	else if (is_word(word, "period"))
		g->value = CALL_GRAPH_PERIOD;
	else if (is_word(word, "count"))
		g->value = CALL_GRAPH_COUNT;
	else
		return false;
	return true;
}

/*
 * Takes a number: the first is the threshold, the second the print limit. Returns false for
 * anything else.
 */
static bool parse_number(struct call_graph_settings *g, const char *word, int *numbers)
{
	double v;
	size_t n = parse_decimal(word, &v);

	if (!n || word[n] || *numbers > 1)
		return false;
	if ((*numbers)++ == 0)
		g->threshold = v;
	else
		g->print_limit = (u32)v;
	return true;
}

int call_graph_parse(struct call_graph_settings *g, const char *text, struct reason *r)
{
	struct strlist words = { 0 };
	int numbers = 0, err = 0;

	strlist_split(&words, text, ", ");
	vec_for_each(&words.list, w) {
		if (is_word(*w, "branch")) {
			g->branches = true;
			continue;
		}
		if (parse_number(g, *w, &numbers) || parse_mode(g, *w) || parse_order(g, *w) ||
		    parse_frame_key(g, *w) || parse_value(g, *w))
			continue;
		err = reason_set(r, EINVAL, "unknown call graph setting '%s'", *w);
		reason_hint(r, "known: graph flat fractal folded none; caller callee; "
			       "function address srcline; branch; percent period count; "
			       "THRESHOLD[,PRINT_LIMIT]");
		break;
	}
	strlist_release(&words);
	return err;
}
