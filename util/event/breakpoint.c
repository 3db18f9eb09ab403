// SPDX-License-Identifier: GPL-2.0-or-later
/* mem:ADDRESS[/LENGTH][:ACCESS], mem:SYMBOL...: a hardware breakpoint on data or code. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/text.h"
#include "event/internal.h"
#include "sys/explain.h"

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

/* Reads ":rw" but not ":u": other letters are modifiers and stay unread. Returns 0 or -EINVAL. */
static int read_access(struct parse *p, u32 *type)
{
	size_t n = strcspn(p->at + 1, ",{}/: \t\n");
	struct span s = { p->at + 1, n };

	if (!n || strspn(s.s, "rwx") < n)
		return 0;
	for (size_t i = 0; i < n; i++) {
		u32 bit = s.s[i] == 'r'   ? HW_BREAKPOINT_R
			  : s.s[i] == 'w' ? HW_BREAKPOINT_W
					  : HW_BREAKPOINT_X;

		if (*type & bit)
			return parse_fault(p, (struct span){ s.s + i, 1 },
					   "access '%c' is given twice", s.s[i]);
		*type |= bit;
	}
	p->at += 1 + n;
	return 0;
}

/*
 * Finds the address of the kernel's "SYMBOL[+OFFSET]". Returns 0, -ENOENT, or -EACCES if addresses
 * are hidden.
 */
static int find_kernel_symbol(const struct sys *sys, const char *text, u64 *address)
{
	size_t name = strcspn(text, "+"), size = 0;
	char *path = sys_path(sys, "/proc/kallsyms"), *line = NULL;
	FILE *f = fopen(path, "re");
	u64 offset = 0;
	int err = -ENOENT;

	if (text[name] && parse_u64(text + name + 1, &offset))
		name = 0; /* no such symbol */
	/* "ffffffff81000000 T NAME", then "\t[MODULE]" for modules */
	while (f && name && err == -ENOENT && getline(&line, &size, f) > 0) {
		char *at, *end;

		*address = strtoull(line, &end, 16) + offset;
		at = *end == ' ' && end[1] && end[2] == ' ' ? end + 3 : NULL;
		if (at && !strncmp(at, text, name) && strchr("\t\n", at[name]))
			err = *address == offset ? -EACCES : 0;
	}
	free(line);
	if (f)
		fclose(f);
	free(path);
	return err;
}

static int read_address(struct parse *p, struct span s, u64 *address)
{
	char *text = xstrndup(s.s, s.n);
	const char *hint;
	int err = parse_u64(text, address) ? -ENOENT : 0;

	if (err && *text && (*text < '0' || *text > '9'))
		err = find_kernel_symbol(p->parser->sys, text, address);
	if (err == -EACCES) {
		parse_fault(p, s, "the kernel hides the address of '%s'", text);
		explain_kallsyms(p->parser->sys, &hint);
		reason_hint(p->r, "%s", hint ? hint : "run perf as root");
	} else if (err && s.n && (*text < '0' || *text > '9')) {
		parse_fault(p, s, "the kernel has no symbol '%s'", text);
		reason_hint(p->r, "/proc/kallsyms lists them; addresses of a program: nm");
	} else if (err) {
		parse_fault(p, s, "expected an address or a symbol of the kernel after 'mem:'");
		reason_hint(p->r, "mem:0x1000/8:rw or mem:SYMBOL:w");
	}
	free(text);
	return err ? -EINVAL : 0;
}

int parse_breakpoint(struct parse *p, struct span word)
{
	u64 address, length = 0;
	u32 type = 0;
	struct span s;
	struct event *ev;
	int err;

	p->at++;
	s = parse_scan_word(p);
	err = read_address(p, s, &address);
	if (!err && *p->at == '/')
		err = read_length(p, &length);
	if (!err && *p->at == ':')
		err = read_access(p, &type);
	if (err)
		return err;
	if (!type)
		type = HW_BREAKPOINT_RW;
	if (!length)
		length = type == HW_BREAKPOINT_X ? arch_host()->bits / 8
						 : 4; /* of the kernel, not of this program */
	word.n = (size_t)(p->at - word.s);
	ev = parse_add(p, PERF_TYPE_BREAKPOINT, 0, word);
	ev->attr.bp_type = type;
	ev->attr.config1 = address;
	ev->attr.config2 = length;
	ev->attr.sample_period = 1; /* sample each hit */
	return 0;
}
