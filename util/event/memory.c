// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds which memory accesses a machine can sample, and by which events. */
#include "event/memory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "event/pmu.h"
#include "sys/explain.h"

#define DEVICES "/sys/bus/event_source/devices"

enum { USUAL_LATENCY = 30 };

static bool pmu_has(const struct memory_events *m, const char *pmu, const char *file)
{
	return sys_exists(m->sys, DEVICES "/%s/%s", pmu, file);
}

static bool pmu_has_event_row(const struct memory_events *m, const char *pmu,
			      const struct arch_memory_event *e)
{
	return e->tag && (!e->need || pmu_has(m, pmu, e->need));
}

static bool has_any_event(const struct memory_events *m, const struct arch_memory_sampler *s,
			  const char *pmu)
{
	if (s->need && pmu_has(m, pmu, s->need) == s->without)
		return false;
	for (int i = 0; i < MEMORY_EVENTS; i++)
		if (pmu_has_event_row(m, pmu, &s->events[i]))
			return true;
	return false;
}

static void find_pmus(struct memory_events *m, const struct arch_memory_sampler *s)
{
	struct strlist names = { 0 };

	if (s->pmus)
		pmu_names(m->sys, &names);
	else
		pmu_core_names(m->sys, &names);
	vec_for_each(&names.list, name)
		if ((!s->pmus || glob_match(s->pmus, *name)) && has_any_event(m, s, *name))
			strlist_add(&m->pmus, *name);
	strlist_release(&names);
}

void memory_events_find(struct memory_events *m, const struct sys *sys)
{
	*m = (struct memory_events){ .sys = sys };
	for (const struct arch_memory_sampler *s = arch_memory_samplers; s->name; s++) {
		find_pmus(m, s);
		if (m->pmus.list.count) {
			m->sampler = s;
			return;
		}
	}
}

void memory_events_release(struct memory_events *m)
{
	strlist_release(&m->pmus);
}

/*
 * Reports whether this is an AMD processor. If it has no PMU, its firmware can have switched IBS
 * off.
 */
static bool is_amd(const struct sys *sys)
{
	struct strbuf text = STRBUF_INIT;
	bool amd;

	if (sys_read(sys, &text, "/proc/cpuinfo"))
		return false;
	amd = strstr(strbuf_cstr(&text), "AuthenticAMD");
	strbuf_release(&text);
	return amd;
}

int memory_events_require(const struct memory_events *m, struct reason *r)
{
	const char *why;

	if (m->sampler)
		return 0;
	if (!hardware_pmu_present(m->sys))
		why = explain_no_hardware_pmu(m->sys);
	else if (is_amd(m->sys))
		why = "IBS is not there: the firmware can have switched it off";
	else
		why = "its PMU has no events mem-loads and mem-stores";
	reason_set(r, ENODEV,
		   "cannot sample memory accesses: %s; it takes an Intel or POWER processor "
		   "with events mem-loads and mem-stores, AMD with IBS (ibs_op), or Arm with SPE "
		   "(arm_spe_0)",
		   why);
	reason_hint(
		r,
		"possible here: page faults by data address (perf record -d -e page-faults), "
		"accesses to one address (-e mem:ADDRESS:rw), calls of a function (perf probe -x)");
	return -ENODEV;
}

static bool is_available(const struct memory_events *m, const struct arch_memory_event *e)
{
	vec_for_each(&m->pmus.list, pmu)
		if (pmu_has_event_row(m, *pmu, e))
			return true;
	return false;
}

static void add_text(const struct memory_events *m, const struct arch_memory_event *e,
		     const char *pmu, struct strbuf *out)
{
	bool aux = e->aux_need && pmu_has(m, pmu, e->aux_need);

	for (const char *s = aux ? e->aux_text : e->text; *s; s++) {
		if (*s == '@')
			strbuf_str(out, pmu);
		else if (*s == '#')
			strbuf_dec(out, m->latency_given ? m->latency : USUAL_LATENCY);
		else
			strbuf_char(out, *s);
	}
}

void memory_events_list(const struct memory_events *m, bool full, struct strbuf *out)
{
	for (int i = 0; i < MEMORY_EVENTS; i++) {
		const struct arch_memory_event *e = &m->sampler->events[i];

		if (!e->tag)
			continue;
		strbuf_f(out, "%-13s", e->tag);
		if (full) {
			size_t from = out->len;

			add_text(m, e, m->pmus.list.items[0], out);
			strbuf_pad(out, ' ', 25 - (int)(out->len - from));
		}
		strbuf_str(out, is_available(m, e) ? ": available\n" : ": not available\n");
	}
}

static int unknown_tag(const struct memory_events *m, const char *word, struct reason *r)
{
	struct strbuf tags = STRBUF_INIT;

	for (int i = 0; i < MEMORY_EVENTS; i++)
		if (m->sampler->events[i].tag)
			strbuf_f(&tags, "%s%s", tags.len ? ", " : "", m->sampler->events[i].tag);
	reason_set(r, EINVAL,
		   "'%s' is not an event that samples memory accesses on this machine (%s)", word,
		   m->sampler->name);
	reason_hint(r, "-e takes %s", strbuf_cstr(&tags));
	strbuf_release(&tags);
	return -EINVAL;
}

int memory_events_choose(struct memory_events *m, const char *text, struct reason *r)
{
	struct strlist words = { 0 };
	int err = 0;

	strlist_split(&words, text, ",");
	if (!words.list.count)
		err = unknown_tag(m, text, r);
	vec_for_each(&words.list, word) {
		unsigned before = m->chosen;
		bool found = false;

		for (int i = 0; i < MEMORY_EVENTS; i++) {
			const struct arch_memory_event *e = &m->sampler->events[i];

			if (!e->tag || !strstr(e->tag, *word))
				continue;
			found = true;
			m->chosen |= 1U << i;
		}
		if (!found && !err)
			err = unknown_tag(m, *word, r);
		if (err)
			m->chosen = before;
	}
	strlist_release(&words);
	return err;
}

/* Returns the event that samples exactly these operations, or -1. */
static int event_of(const struct memory_events *m, unsigned ops)
{
	for (int i = 0; i < MEMORY_EVENTS; i++)
		if (m->sampler->events[i].tag && m->sampler->events[i].ops == ops &&
		    is_available(m, &m->sampler->events[i]))
			return i;
	return -1;
}

int memory_events_choose_ops(struct memory_events *m, unsigned ops, struct reason *r)
{
	int all = event_of(m, MEMORY_LOAD | MEMORY_STORE), one = event_of(m, ops);
	int load = event_of(m, MEMORY_LOAD), store = event_of(m, MEMORY_STORE);

	m->wider = false;
	if (one >= 0) {
		m->chosen |= 1U << one;
	} else if (ops == (MEMORY_LOAD | MEMORY_STORE) && load >= 0 && store >= 0) {
		m->chosen |= 1U << load | 1U << store;
	} else if (all >= 0) {
		m->chosen |= 1U << all;
		m->wider = true;
	} else {
		bool no_stores = ops & MEMORY_STORE && store < 0;

		reason_set(r, ENODEV, "%s of this machine does not sample %s", m->sampler->name,
			   no_stores ? "stores" : "loads");
		reason_hint(r, "-t %s", no_stores ? "load" : "store");
		return -ENODEV;
	}
	return 0;
}

bool memory_events_have_cost(const struct memory_events *m)
{
	for (int i = 0; i < MEMORY_EVENTS; i++)
		if (m->chosen >> i & 1 && m->sampler->events[i].has_cost)
			return true;
	return false;
}

/* Adds the latency threshold as another term, if the event's own text has none. */
static int add_latency(const struct memory_events *m, const char *pmu, struct strbuf *text,
		       struct reason *r)
{
	if (!m->sampler->latency_format || !pmu_has(m, pmu, m->sampler->latency_format)) {
		reason_set(r, EINVAL, "--ldlat: %s of this machine has no latency threshold",
			   m->sampler->name);
		reason_hint(r, "record all accesses, and look at the largest weights first");
		return -EINVAL;
	}
	strbuf_clear(text);
	strbuf_f(text, "%s/ldlat=%llu/", pmu, (unsigned long long)m->latency);
	return 0;
}

/* Reports whether this kernel leaves the PMU's registers for the reader of a recording. */
static bool needs_raw(const struct memory_events *m)
{
	struct strbuf text = STRBUF_INIT;
	unsigned major, minor;
	bool old =
		m->sampler->raw_before && !sys_read(m->sys, &text, "/proc/sys/kernel/osrelease") &&
		sscanf(strbuf_cstr(&text), "%u.%u", &major, &minor) == 2 &&
		(major < m->sampler->raw_before / 100 ||
		 (major == m->sampler->raw_before / 100 && minor < m->sampler->raw_before % 100));

	strbuf_release(&text);
	return old;
}

int memory_events_words(const struct memory_events *m, struct strlist *words, struct reason *r)
{
	struct strbuf text = STRBUF_INIT;
	int err = 0;

	for (int i = 0; i < MEMORY_EVENTS && !err; i++) {
		const struct arch_memory_event *e = &m->sampler->events[i];
		size_t before = words->list.count;

		if (!(m->chosen >> i & 1))
			continue;
		vec_for_each(&m->pmus.list, pmu) {
			if (!pmu_has_event_row(m, *pmu, e))
				continue;
			strbuf_clear(&text);
			add_text(m, e, *pmu, &text);
			if (m->latency_given && e->ops & MEMORY_LOAD && !strchr(e->text, '#'))
				err = add_latency(m, *pmu, &text, r);
			if (err)
				break;
			strlist_add(words, "-e");
			strlist_add(words, strbuf_cstr(&text));
		}
		if (!err && words->list.count == before)
			err = reason_set(r, ENODEV,
					 "the event '%s' is not available on this machine", e->tag);
	}
	if (!err && needs_raw(m))
		strlist_add(words, "-R");
	strbuf_release(&text);
	return err;
}
