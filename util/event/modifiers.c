// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The letters after an event.
 *
 *	u k h	  count only in user, kernel, hypervisor mode (more than one: the union)
 *	I	  not when the CPU is idle
 *	G H	  in guests, in the host
 *	p pp ppp  precise level 1 to 3; P: the highest that the kernel takes
 *	S	  a sample carries the counts of its whole group
 *	D e	  pinned, exclusive: of the group's leader
 *	W	  weak group: split when it does not fit
 *	b	  counted by a BPF program, which several perfs share
 *	R	  samples carry the latency of retirement
 *	X	  the group stays as written (we never take one apart except for W and for
 *		  several kinds of cores, which cannot be one)
 */
#include <errno.h>
#include <string.h>

#include "event/internal.h"

static const char known[] = "ukhIGHpPSDeWbRX";

struct modifiers {
	u64 keep; /* requested bits ATTR_EXCLUDE_USER..: not excluded */
	bool guest, host, idle;
	unsigned precise;
	bool precise_max, sample_read, pinned, exclusive, weak, by_bpf, retire_latency;
};

bool is_modifiers(const char *s, size_t n)
{
	return n && strspn(s, known) >= n;
}

char *event_name_of_user_side(const char *name)
{
	size_t start = strlen(name);
	struct strbuf b = STRBUF_INIT;

	while (start && !strchr(":/", name[start - 1]))
		start--;
	/* no modifiers: an event's own name, or a breakpoint's "rw" */
	if (!start || (name[start] && !is_modifiers(name + start, strlen(name + start)))) {
		strbuf_f(&b, "%s:u", name);
		return strbuf_detach(&b);
	}
	strbuf_add(&b, name, start);
	for (const char *c = name + start; *c; c++)
		if (*c != 'k')
			strbuf_char(&b, *c);
	if (!strchr(name + start, 'u'))
		strbuf_char(&b, 'u');
	return strbuf_detach(&b);
}

static void read_letter(struct modifiers *m, char c)
{
	switch (c) {
	case 'u':
		m->keep |= ATTR_EXCLUDE_USER;
		break;
	case 'k':
		m->keep |= ATTR_EXCLUDE_KERNEL;
		break;
	case 'h':
		m->keep |= ATTR_EXCLUDE_HV;
		break;
	case 'I':
		m->idle = true;
		break;
	case 'G':
		m->guest = true;
		break;
	case 'H':
		m->host = true;
		break;
	case 'p':
		m->precise++;
		break;
	case 'P':
		m->precise_max = true;
		break;
	case 'S':
		m->sample_read = true;
		break;
	case 'D':
		m->pinned = true;
		break;
	case 'e':
		m->exclusive = true;
		break;
	case 'W':
		m->weak = true;
		break;
	case 'b':
		m->by_bpf = true;
		break;
	case 'R':
		m->retire_latency = true;
		break;
	}
}

static int read_letters(struct parse *p, struct span letters, struct modifiers *m)
{
	for (size_t i = 0; i < letters.n; i++) {
		char c = letters.s[i];
		struct span one = { letters.s + i, 1 };

		if (!strchr(known, c) || !c) {
			parse_fault(p, one, "unknown modifier '%c'", c);
			reason_hint(p->r, "the modifiers are %s; see 'perf help events'", known);
			return -EINVAL;
		}
		if (c == 'b' && !p->parser->counting)
			return parse_fault(p, one,
					   "'b' counts with BPF: it has no use in 'perf %s'",
					   p->parser->command);
		if (c == 'R' && p->parser->counting)
			return parse_fault(p, one,
					   "'R' samples the latency of retirement: it has no use "
					   "in 'perf %s'",
					   p->parser->command);
		if (c != 'p' && memchr(letters.s, c, i))
			return parse_fault(p, one, "modifier '%c' is given twice", c);
		read_letter(m, c);
		if (m->precise > 3)
			return parse_fault(p, one, "precise levels end at 'ppp'");
	}
	return 0;
}

static void apply_one(struct event *ev, const struct modifiers *m, bool on_group, bool guests)
{
	const u64 modes = ATTR_EXCLUDE_USER | ATTR_EXCLUDE_KERNEL | ATTR_EXCLUDE_HV;
	struct perf_event_attr *attr = &ev->attr;

	/* as in perf 6.1: an event's own letters include guests again, but u and p exclude them */
	if (!guests && ((m->keep & ATTR_EXCLUDE_USER) || m->precise))
		attr->flags |= ATTR_EXCLUDE_GUEST;
	else if (!on_group)
		attr->flags &= ~ATTR_EXCLUDE_GUEST;

	if (m->keep) {
		/* a mode that an earlier modifier requested stays included */
		if (!(attr->flags & modes))
			attr->flags |= modes;
		attr->flags &= ~m->keep;
	}
	if (m->guest || m->host) {
		attr->flags |= ATTR_EXCLUDE_HOST | ATTR_EXCLUDE_GUEST;
		attr->flags &=
			~((m->guest ? ATTR_EXCLUDE_GUEST : 0) | (m->host ? ATTR_EXCLUDE_HOST : 0));
	}
	if (m->idle)
		attr->flags |= ATTR_EXCLUDE_IDLE;
	if (m->precise)
		attr->flags = (attr->flags & ~ATTR_PRECISE_MASK) | (u64)m->precise
									   << ATTR_PRECISE_SHIFT;
	ev->precise_max |= m->precise_max;
	ev->leader_sampling |= m->sample_read;
	if (m->retire_latency) {
		ev->retire_latency = true;
		attr->sample_type |= PERF_SAMPLE_WEIGHT_STRUCT;
	}
	ev->weak_group |= m->weak;
	ev->by_bpf |= m->by_bpf;
	if (ev->leader == ev)
		attr->flags |= (m->pinned ? ATTR_PINNED : 0) | (m->exclusive ? ATTR_EXCLUSIVE : 0);
}

int apply_modifiers(struct parse *p, struct span letters, size_t first, bool on_group)
{
	struct modifiers m = { 0 };
	int err = read_letters(p, letters, &m);

	if (err)
		return err;
	if (m.weak && !on_group) {
		parse_fault(p, letters, "'W' makes a group weak, and this is a single event");
		reason_hint(p->r, "'{EVENT,EVENT}:W'");
		return -EINVAL;
	}
	for (size_t i = first; i < p->set->list.count; i++)
		apply_one(p->set->list.items[i], &m, on_group, p->parser->guests);
	return 0;
}
