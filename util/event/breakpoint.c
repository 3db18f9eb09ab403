// SPDX-License-Identifier: GPL-2.0-or-later
/* mem:ADDRESS[/LENGTH][:ACCESS]: a hardware breakpoint on data or code. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event/internal.h"

static int read_length(struct parse *p, u64 *length)
{
	struct span s;
	char *text;
	int err;

	p->at++;
	s = parse_scan_word(p);
	text = xstrndup(s.s, s.n);
	err = parse_u64(text, length);
	free(text);
	if (err || (*length != 1 && *length != 2 && *length != 4 && *length != 8))
		return parse_fault(p, s, "a breakpoint's length is 1, 2, 4 or 8");
	return 0;
}

/* ":rw" but not ":u": letters of another kind are modifiers and stay. */
static int read_access(struct parse *p, u32 *type)
{
	size_t n = strcspn(p->at + 1, ",{}/: \t\n");
	struct span s = { p->at + 1, n };

	if (!n || strspn(s.s, "rwx") < n)
		return 0;
	for (size_t i = 0; i < n; i++) {
		u32 bit = s.s[i] == 'r' ? HW_BREAKPOINT_R :
			  s.s[i] == 'w' ? HW_BREAKPOINT_W :
					  HW_BREAKPOINT_X;

		if (*type & bit)
			return parse_fault(p, (struct span){ s.s + i, 1 },
					   "access '%c' is given twice", s.s[i]);
		*type |= bit;
	}
	p->at += 1 + n;
	return 0;
}

int parse_breakpoint(struct parse *p, struct span word)
{
	u64 address, length = 0;
	u32 type = 0;
	struct span s;
	struct event *ev;
	char *text;
	int err;

	p->at++;
	s = parse_scan_word(p);
	text = xstrndup(s.s, s.n);
	err = parse_u64(text, &address);
	free(text);
	if (err) {
		parse_fault(p, s, "expected an address after 'mem:'");
		reason_hint(p->r, "mem:0x1000/8:rw; addresses of symbols: nm, /proc/kallsyms");
		return -EINVAL;
	}
	if (*p->at == '/')
		err = read_length(p, &length);
	if (!err && *p->at == ':')
		err = read_access(p, &type);
	if (err)
		return err;
	if (!type)
		type = HW_BREAKPOINT_RW;
	if (!length)
		length = type == HW_BREAKPOINT_X ? sizeof(long) : 4;
	word.n = (size_t)(p->at - word.s);
	ev = parse_add(p, PERF_TYPE_BREAKPOINT, 0, word);
	ev->attr.bp_type = type;
	ev->attr.config1 = address;
	ev->attr.config2 = length;
	ev->attr.sample_period = 1; /* each hit */
	return 0;
}
