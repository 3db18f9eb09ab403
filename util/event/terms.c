// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Applies terms. The common ones are rows of a table: how their value is read, which commands may
 * use them, what they do to an event. The others belong to a PMU.
 */
#include "event/terms.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event/branch.h"
#include "event/names.h"
#include "event/pmu.h"

/* Splits "name[=value]" off the text and moves *at after it. Values may be in '' or "". */
static void split_term(struct term *t, const char **at, const char *end_chars)
{
	const char *s = *at;

	t->name = (struct span){ s, strcspn(s, end_chars) };
	if (memchr(s, '=', t->name.n))
		t->name.n = strcspn(s, "=");
	s += t->name.n;
	if (*s == '=') {
		char quote = *++s;

		if ((quote == '\'' || quote == '"') && strchr(s + 1, quote)) {
			t->value = (struct span){ s + 1, (size_t)(strchr(s + 1, quote) - s - 1) };
			s += t->value.n + 2;
		} else {
			t->value = (struct span){ s, strcspn(s, end_chars) };
			s += t->value.n;
		}
		t->text = xstrndup(t->value.s, t->value.n);
	}
	t->key = xstrndup(t->name.s, t->name.n);
	*at = s;
}

int terms_read(struct parse *p, struct terms *t)
{
	const char *slash = p->at - 1;

	while (*p->at && *p->at != '/') {
		struct term *one = vec_push_zero(&t->list);

		split_term(one, &p->at, ",/");
		if (!one->name.n)
			return parse_fault(p, (struct span){ p->at, 1 }, "expected a term");
		if (one->text && !*one->text)
			return parse_fault(p, one->name, "expected a value after '%s='", one->key);
		if (*p->at == ',')
			p->at++;
		else if (*p->at && *p->at != '/')
			return parse_fault(p, (struct span){ p->at, 1 }, "expected ',' or '/'");
	}
	if (!*p->at)
		return parse_fault(p, (struct span){ slash, 1 }, "this '/' has no closing one");
	p->at++;
	return 0;
}

void terms_of_text(struct terms *t, const char *text, struct span where)
{
	while (*text) {
		struct term *one = vec_push_zero(&t->list);

		split_term(one, &text, ",");
		one->name = one->value = where;
		text += *text == ',';
	}
}

void terms_release(struct terms *t)
{
	vec_for_each(&t->list, it) {
		free(it->key);
		free(it->text);
	}
	vec_release(&t->list);
}

/* Digits alone, of which parse_u64() refuses too many. */
static bool is_long_number(const char *s)
{
	bool hex = str_starts(s, "0x");

	s += hex ? 2 : 0;
	return *s && strspn(s, hex ? "0123456789abcdefABCDEF" : "0123456789") == strlen(s);
}

/* Reads the value of a term as a number in 0..max. Returns 0 or -EINVAL. */
static int number(struct parse *p, const struct term *t, u64 max, u64 *value)
{
	if (!t->text)
		return parse_fault(p, t->name, "'%s' needs a value", t->key);
	if (parse_u64(t->text, value))
		return parse_fault(p, t->value,
				   is_long_number(t->text) ? "%s does not fit into 64 bits"
							   : "'%s' is not a number",
				   t->text);
	if (*value > max)
		return parse_fault(p, t->value, "%s is too large for '%s': at most %llu", t->text,
				   t->key, (unsigned long long)max);
	return 0;
}

static int set_period(struct parse *p, struct event *ev, const struct term *t)
{
	if (ev->user_freq)
		return parse_fault(p, t->name, "period and freq exclude each other");
	ev->user_period = true;
	ev->attr.flags &= ~ATTR_FREQ;
	return number(p, t, INT64_MAX, &ev->attr.sample_period);
}

static int set_freq(struct parse *p, struct event *ev, const struct term *t)
{
	if (ev->user_period)
		return parse_fault(p, t->name, "period and freq exclude each other");
	ev->user_freq = true;
	ev->attr.flags |= ATTR_FREQ;
	return number(p, t, UINT32_MAX, &ev->attr.sample_freq);
}

static int set_name(struct parse *p, struct event *ev, const struct term *t)
{
	if (!t->text)
		return parse_fault(p, t->name, "'%s' needs a value", t->key);
	free(ev->name);
	ev->name = printable_copy(t->text); /* printable, like names from a recording */
	ev->named = true;
	return 0;
}

static int set_time(struct parse *p, struct event *ev, const struct term *t)
{
	u64 v;
	int err = number(p, t, 1, &v);

	ev->time = v ? TERM_ON : TERM_OFF;
	return err;
}

static int set_callgraph(struct parse *p, struct event *ev, const struct term *t)
{
	static const char *const modes[] = { "fp", "dwarf", "lbr", "no" };

	for (size_t i = 0; t->text && i < ARRAY_SIZE(modes); i++)
		if (!strcmp(t->text, modes[i])) {
			free(ev->callgraph);
			ev->callgraph = xstrdup(t->text);
			ev->own_callgraph = true;
			return 0;
		}
	return parse_fault(p, t->text ? t->value : t->name,
			   "expected call-graph=fp, dwarf, lbr or no");
}

static int set_stack_size(struct parse *p, struct event *ev, const struct term *t)
{
	u64 v;
	int err = number(p, t, UINT16_MAX - 7, &v);

	if (err)
		return err;
	if (!v || v % 8)
		return parse_fault(p, t->value, "stack-size must be a multiple of 8");
	ev->attr.sample_stack_user = (u32)v;
	return 0;
}

static int set_max_stack(struct parse *p, struct event *ev, const struct term *t)
{
	u64 v;
	int err = number(p, t, UINT16_MAX, &v);

	ev->attr.sample_max_stack = err ? 0 : (u16)v;
	ev->own_max_stack = true;
	return err;
}

static int set_max_events(struct parse *p, struct event *ev, const struct term *t)
{
	return number(p, t, UINT64_MAX, &ev->max_events);
}

/* Reads "inherit", "inherit=0", "no-inherit". */
static int on_off(struct parse *p, const struct term *t, bool *on)
{
	u64 v = 1;
	int err = t->text ? number(p, t, 1, &v) : 0;

	*on = v != str_starts(t->key, "no-");
	return err;
}

static int set_inherit(struct parse *p, struct event *ev, const struct term *t)
{
	bool on = true;
	int err = on_off(p, t, &on);

	ev->own_inherit = true;
	ev->attr.flags = (ev->attr.flags & ~ATTR_INHERIT) | (on ? ATTR_INHERIT : 0);
	return err;
}

static int set_overwrite(struct parse *p, struct event *ev, const struct term *t)
{
	bool on = true;
	int err = on_off(p, t, &on);

	ev->own_overwrite = true;
	ev->attr.flags = (ev->attr.flags & ~ATTR_WRITE_BACKWARD) | (on ? ATTR_WRITE_BACKWARD : 0);
	return err;
}

static int set_branch_type(struct parse *p, struct event *ev, const struct term *t)
{
	if (!t->text)
		return parse_fault(p, t->name, "'%s' needs a value", t->key);
	/* commas separate terms, so one term names one filter; several terms add up */
	if (!branch_filter_add(t->text, &ev->attr.branch_sample_type))
		return parse_fault(p, t->value, "'%s' is not a branch filter", t->text);
	ev->attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
	return 0;
}

static int set_percore(struct parse *p, struct event *ev, const struct term *t)
{
	return on_off(p, t, &ev->percore);
}

static int set_aux_output(struct parse *p, struct event *ev, const struct term *t)
{
	bool on = true;
	int err = on_off(p, t, &on);

	ev->attr.flags = (ev->attr.flags & ~ATTR_AUX_OUTPUT) | (on ? ATTR_AUX_OUTPUT : 0);
	return err;
}

static int set_aux_sample_size(struct parse *p, struct event *ev, const struct term *t)
{
	u64 v;
	int err = number(p, t, UINT16_MAX, &v);

	ev->attr.aux_sample_size = err ? 0 : (u32)v;
	return err;
}

static int set_aux_action(struct parse *p, struct event *ev, const struct term *t)
{
	static const char *const actions[] = { "start-paused", "pause", "resume" };

	for (unsigned i = 0; t->text && i < ARRAY_SIZE(actions); i++)
		if (!strcmp(t->text, actions[i])) {
			ev->attr.aux_action |= 1U << i;
			return 0;
		}
	return parse_fault(p, t->text ? t->value : t->name,
			   "expected aux-action=start-paused, pause or resume");
}

static int set_metric_id(struct parse *p, struct event *ev, const struct term *t)
{
	if (!t->text)
		return parse_fault(p, t->name, "'%s' needs a value", t->key);
	free(ev->metric_id);
	ev->metric_id = xstrdup(t->text);
	return 0;
}

static int set_cpu(struct parse *p, struct event *ev, const struct term *t)
{
	size_t count;
	u32 *cpus;

	if (!t->text || parse_cpu_list(t->text, UINT16_MAX, &cpus, &count))
		return parse_fault(p, t->text ? t->value : t->name, "expected cpu=NUMBER");
	free(ev->cpus);
	ev->cpus = cpus;
	ev->cpu_count = (u32)count;
	ev->own_cpus = true;
	return 0;
}

static int set_config(struct parse *p, struct event *ev, const struct term *t)
{
	static const char word[] = "config";
	u64 *const words[] = { &ev->attr.config, &ev->attr.config1, &ev->attr.config2,
			       &ev->attr.config3, &ev->attr.config4 };
	char digit = t->key[strlen(word)];

	return number(p, t, UINT64_MAX, words[digit ? digit - '0' : 0]);
}

enum { IN_SAMPLING = 1, IN_COUNTING = 2, IN_TRACE = 4, ANYWHERE = 7 };

static const struct common_term {
	const char *name;
	u8 where;
	int (*set)(struct parse *p, struct event *ev, const struct term *t);
} common_terms[] = {
	{ "config", ANYWHERE, set_config },
	{ "config1", ANYWHERE, set_config },
	{ "config2", ANYWHERE, set_config },
	{ "config3", ANYWHERE, set_config },
	{ "config4", ANYWHERE, set_config },
	{ "name", ANYWHERE, set_name },
	{ "period", ANYWHERE, set_period },
	{ "freq", IN_SAMPLING, set_freq },
	{ "time", IN_SAMPLING, set_time },
	{ "call-graph", IN_SAMPLING, set_callgraph },
	{ "stack-size", IN_SAMPLING, set_stack_size },
	{ "max-stack", IN_SAMPLING, set_max_stack },
	{ "nr", IN_TRACE, set_max_events },
	{ "inherit", IN_SAMPLING, set_inherit },
	{ "no-inherit", IN_SAMPLING, set_inherit },
	{ "overwrite", IN_SAMPLING, set_overwrite },
	{ "no-overwrite", IN_SAMPLING, set_overwrite },
	{ "branch_type", IN_SAMPLING, set_branch_type },
	{ "aux-output", IN_SAMPLING, set_aux_output },
	{ "aux-sample-size", IN_SAMPLING, set_aux_sample_size },
	{ "aux-action", IN_SAMPLING, set_aux_action },
	{ "percore", IN_COUNTING, set_percore },
	{ "metric-id", IN_COUNTING, set_metric_id },
	{ "cpu", ANYWHERE, set_cpu },
};

static u8 where_now(const struct parse *p)
{
	const char *command = p->parser->command;

	if (p->parser->counting)
		return IN_COUNTING;
	return command && !strcmp(command, "trace") ? IN_SAMPLING | IN_TRACE : IN_SAMPLING;
}

static const struct common_term *find_common(const char *key)
{
	for (size_t i = 0; i < ARRAY_SIZE(common_terms); i++)
		if (!strcmp(common_terms[i].name, key))
			return &common_terms[i];
	return NULL;
}

/*
 * Sets the target of the trace that the PMU's driver writes: "@SINK". Source:
 * Documentation/trace/coresight of Linux: devices/PMU/sinks/SINK holds the number for config2.
 */
static int set_driver_config(struct parse *p, struct event *ev, const struct term *t)
{
	const struct sys *sys = p->parser->sys;
	struct strlist sinks = { 0 };
	char *dir, *line;
	u64 number = 0;
	int err = 0;

	if (!ev->pmu)
		return parse_fault(p, t->name,
				   "'%s' is for the driver of a PMU, and this event has none",
				   t->key);
	line = t->text ? NULL
		       : sys_read_line(sys, "/sys/bus/event_source/devices/%s/sinks/%s", ev->pmu,
				       t->key + 1);
	if (line && !parse_hex(line + (str_starts(line, "0x") ? 2 : 0), &number)) {
		ev->attr.config2 |= number;
		free(ev->driver_config);
		ev->driver_config = xstrdup(t->key + 1);
	} else {
		err = parse_fault(p, t->name, "PMU '%s' has no sink '%s'", ev->pmu, t->key + 1);
		dir = xasprintf("/sys/bus/event_source/devices/%s/sinks", ev->pmu);
		if (!sys_list(sys, &sinks, false, dir) && sinks.list.count)
			parse_suggest(p, (struct span){ t->key + 1, strlen(t->key + 1) }, &sinks);
		else
			reason_hint(p->r, "its driver takes no configuration");
		strlist_release(&sinks);
		free(dir);
	}
	free(line);
	return err;
}

int terms_apply_common(struct parse *p, struct terms *terms, size_t first)
{
	vec_for_each(&terms->list, t) {
		const struct common_term *c = find_common(t->key);
		bool driver = *t->key == '@';

		if (t->used || (!c && !driver))
			continue;
		t->used = true;
		if (c && !(c->where & where_now(p))) {
			parse_fault(p, t->name, "'%s' has no use in 'perf %s'", t->key,
				    p->parser->command ? p->parser->command : "");
			return -EINVAL;
		}
		for (size_t i = first; i < p->set->list.count; i++) {
			struct event *ev = p->set->list.items[i];
			int err = driver ? set_driver_config(p, ev, t) : c->set(p, ev, t);

			if (err)
				return err;
		}
	}
	return 0;
}

static int fill_field(struct parse *p, const struct pmu_format *f, const struct term *t,
		      struct event *ev)
{
	u64 *const words[PMU_CONFIG_WORDS] = { &ev->attr.config, &ev->attr.config1,
					       &ev->attr.config2, &ev->attr.config3,
					       &ev->attr.config4 };
	u64 value = 1; /* "any" alone sets a flag */
	int err;

	if (t->text && !strcmp(t->text, "?")) {
		parse_fault(p, t->name, "this event needs a value for '%s'", t->key);
		reason_hint(p->r, "write ',%s=NUMBER' after the event's name", t->key);
		return -EINVAL;
	}
	err = t->text ? number(p, t, UINT64_MAX, &value) : 0;
	if (!err && pmu_fill_bits(f->mask, value, words[f->word]))
		err = parse_fault(p, t->text ? t->value : t->name,
				  "%s does not fit into the %d bits of '%s'",
				  t->text ? t->text : "1", __builtin_popcountll(f->mask), t->key);
	return err;
}

/* Reports whether the user gave a value, which then wins over that of the events file. */
static bool given_by_user(const struct terms *user, const char *key)
{
	vec_for_each(&user->list, t)
		if (!strcmp(t->key, key) && t->text)
			return true;
	return false;
}

static int apply_named_event(struct parse *p, struct terms *user, const struct pmu *pmu,
			     const struct pmu_event *e, struct span where, struct event *ev)
{
	struct terms t = { 0 };
	int err = 0;

	terms_of_text(&t, e->terms, where);
	vec_for_each(&t.list, it) {
		const struct pmu_format *f = pmu_find_format(pmu, it->key);
		const struct common_term *c = f ? NULL : find_common(it->key);

		if (err || (!f && !c) || given_by_user(user, it->key))
			continue;
		err = f ? fill_field(p, f, it, ev) : c->set(p, ev, it);
	}
	terms_release(&t);
	if (err)
		return err;
	if (e->unit && ev->unit && strcmp(e->unit, ev->unit))
		return parse_fault(p, where, "'%s' counts in %s, the event before it in %s",
				   e->name, e->unit, ev->unit);
	if (e->unit && !ev->unit)
		ev->unit = xstrdup(e->unit);
	ev->scale = e->scale;
	ev->snapshot |= e->snapshot;
	ev->per_package |= e->per_package;
	return 0;
}

/*
 * Applies the kernel's own numbers on one PMU: cpu/cycles/, cpu_atom/L1-dcache-loads/, cpu/r1a8/.
 * Returns false for other names.
 */
static bool apply_core_name(const struct term *t, const struct pmu *pmu, struct event *ev)
{
	/* "extended type": include/uapi/linux/perf_event.h, PERF_PMU_TYPE_SHIFT */
	u64 extended = strcmp(pmu->name, "cpu") ? (u64)pmu->type << 32 : 0, config;
	const struct event_symbol *s = event_symbol_find(t->key, strlen(t->key));

	if (!pmu->core || t->text)
		return false;
	if (s && !s->tool && s->type == PERF_TYPE_HARDWARE) {
		ev->attr.type = PERF_TYPE_HARDWARE;
		ev->attr.config = s->config | extended;
	} else if (cache_event_parse(t->key, strlen(t->key), &config)) {
		ev->attr.type = PERF_TYPE_HW_CACHE;
		ev->attr.config = config | extended;
	} else if (*t->key == 'r' && t->key[1] && !parse_hex(t->key + 1, &config)) {
		ev->attr.config = config;
	} else {
		return false;
	}
	return true;
}

int terms_apply_pmu(struct parse *p, struct terms *terms, const struct pmu *pmu, struct event *ev)
{
	vec_for_each(&terms->list, t) {
		const struct pmu_format *f = pmu_find_format(pmu, t->key);
		const struct pmu_event *e = f || t->text ? NULL : pmu_find_event(pmu, t->key);
		int err = 0;

		if (find_common(t->key) && !f)
			continue;
		if (f)
			err = fill_field(p, f, t, ev);
		else if (e)
			err = apply_named_event(p, terms, pmu, e, t->name, ev);
		else if (!apply_core_name(t, pmu, ev))
			continue;
		if (err)
			return err;
		t->used = true;
	}
	return 0;
}

static void list_possible(struct parse *p, const struct pmu *pmu, struct strlist *names)
{
	for (size_t i = 0; i < ARRAY_SIZE(common_terms); i++)
		if (common_terms[i].where & where_now(p))
			strlist_add(names, common_terms[i].name);
	if (!pmu)
		return;
	vec_for_each(&pmu->formats, f)
		strlist_add(names, f->name);
	vec_for_each(&pmu->events, e)
		strlist_add(names, e->name);
}

static void say_possible(struct parse *p, const struct pmu *pmu, const struct strlist *names)
{
	struct strbuf b = STRBUF_INIT;
	size_t shown = 0;

	vec_for_each(&names->list, it)
		if (shown++ < 40)
			strbuf_f(&b, "%s%s", b.len ? ", " : "", *it);
	if (pmu)
		reason_hint(p->r, "the terms and events of '%s' are %s%s", pmu->name, b.s,
			    shown > 40 ? " ..." : "");
	else
		reason_hint(p->r, "the terms are %s", b.s);
	strbuf_release(&b);
}

int terms_refuse_rest(struct parse *p, const struct terms *terms, const struct pmu *pmu)
{
	struct strlist names = { 0 };
	const char *near;

	vec_for_each(&terms->list, t) {
		if (t->used)
			continue;
		if (pmu)
			parse_fault(p, t->name, "PMU '%s' has no term or event '%s'", pmu->name,
				    t->key);
		else
			parse_fault(p, t->name, "unknown term '%s'", t->key);
		list_possible(p, pmu, &names);
		near = nearest_name(t->key, (const char *const *)names.list.items,
				    names.list.count);
		if (near)
			reason_hint(p->r, "did you mean '%s'?", near);
		else
			say_possible(p, pmu, &names);
		strlist_release(&names);
		return -EINVAL;
	}
	return 0;
}
