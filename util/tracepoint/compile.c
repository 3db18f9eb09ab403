// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compiles a print format to a plan: the format's text and conversions; see compile.h for the other
 * phases.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "tracepoint/compile.h"
#include "tracepoint/plan_quick.h"

static const char *digits(const char *p, unsigned *value)
{
	*value = 0;
	while (isdigit((unsigned char)*p) && *value < 1000)
		*value = *value * 10 + (unsigned)(*p++ - '0');
	return p;
}

/*
 * Parses a conversion from after '%': flags, width, precision, length, conversion. Returns its end,
 * or NULL if unknown.
 */
static const char *parse_conversion(const char *p, struct layout *l)
{
	bool odd = false; /* only printf can do it */
	unsigned v;
	int n;
	char flags[8];
	size_t flag_count = 0;

	*l = (struct layout){ .precision = -1 };
	for (; *p && strchr("-+ #0", *p) && flag_count < sizeof(flags) - 1; p++) {
		flags[flag_count++] = *p;
		l->zero |= *p == '0';
		l->left |= *p == '-';
		odd |= *p != '0';
	}
	flags[flag_count] = 0;
	p = digits(p, &v);
	l->width = (u16)v;
	if (*p == '.') {
		p = digits(p + 1, &v);
		l->precision = (s32)v;
		odd = true;
	}
	for (; *p && strchr("hlLzq", *p); p++)
		l->longs = (s8)(l->longs + (*p == 'h' ? -1 : *p == 'L' ? 2 : 1));
	if (!*p || !strchr("diuxXospc", *p) || l->longs < -2 || l->longs > 2 ||
	    l->width > COMPILE_WIDEST || l->precision > COMPILE_WIDEST)
		return NULL;
	l->conversion = *p == 'i' ? 'd' : *p;
	l->plain = !odd && l->conversion != 'X' && l->conversion != 'o';
	n = snprintf(l->printf_format, sizeof(l->printf_format), "%%%s", flags);
	if (l->width)
		n += snprintf(l->printf_format + n, sizeof(l->printf_format) - n, "%u", l->width);
	if (l->precision >= 0)
		n += snprintf(l->printf_format + n, sizeof(l->printf_format) - n, ".%d",
			      l->precision);
	snprintf(l->printf_format + n, sizeof(l->printf_format) - n, "ll%c", l->conversion);
	return p + 1;
}

static void push_text(struct compiler *c, struct strbuf *text)
{
	if (!text->len)
		return;
	vec_push(&c->plan->steps,
		 (struct step){ .kind = STEP_TEXT,
				.len = (u32)text->len,
				.text = compile_keep(c, strbuf_cstr(text), text->len) });
	strbuf_clear(text);
}

/*
 * Parses the kind of address at p, "I4" or "UB", and sets its size in bytes. Returns what follows
 * it, or NULL.
 */
static const char *parse_address(const char *p, struct address *a, u32 *size)
{
	static const struct {
		const char *text;
		u32 size;
		struct address address;
	} known[] = {
		{ "M", 6, { .kind = ADDRESS_MAC } },
		{ "m", 6, { .kind = ADDRESS_MAC, .is_short = true } },
		{ "I4", 4, { .kind = ADDRESS_IP4 } },
		{ "I6c", 16, { .kind = ADDRESS_IP6, .is_short = true } },
		{ "I6", 16, { .kind = ADDRESS_IP6 } },
		{ "ISpsfc",
		  28,
		  { .kind = ADDRESS_SOCKET,
		    .is_short = true,
		    .with_port = true,
		    .with_flow = true,
		    .with_scope = true } },
		{ "ISpc", 28, { .kind = ADDRESS_SOCKET, .is_short = true, .with_port = true } },
		{ "ISc", 28, { .kind = ADDRESS_SOCKET, .is_short = true } },
		{ "Ub", 16, { .kind = ADDRESS_UUID } },
		{ "UB", 16, { .kind = ADDRESS_UUID, .is_upper = true } },
		{ "Ul", 16, { .kind = ADDRESS_UUID, .is_guid = true } },
		{ "UL", 16, { .kind = ADDRESS_UUID, .is_guid = true, .is_upper = true } },
		{ "U", 16, { .kind = ADDRESS_UUID } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		size_t n = strlen(known[i].text);

		if (strncmp(known[i].text, p, n))
			continue;
		*a = known[i].address;
		*size = known[i].size;
		/* another letter means another byte order, or is text: unknown */
		return isalnum((unsigned char)p[n]) ? NULL : p + n;
	}
	return NULL;
}

/* Compiles an address; p is after "%p". Returns what follows the conversion, or NULL. */
static const char *compile_address(struct compiler *c, const char *p, struct step *step,
				   const struct tree *arg)
{
	const struct tracepoint_field *field;
	struct address a;
	u32 size;

	p = parse_address(p, &a, &size);
	if (!p)
		return NULL;
	field = compile_dynamic(c, arg);
	a.is_dynamic = field;
	if (field) {
		size = 4;
		a.base = compile_base(field);
	} else {
		field = compile_field(c, arg);
		if (!field || (a.kind == ADDRESS_SOCKET ? field->size < size : field->size != size))
			return NULL;
	}
	if (!compile_reach(c, field->offset, size))
		return NULL;
	a.offset = field->offset;
	step->kind = STEP_ADDRESS;
	step->index = (u32)c->plan->addresses.count;
	vec_push(&c->plan->addresses, a);
	return p;
}

static const char *compile_pointer(struct compiler *c, const char *p, struct step *step,
				   const struct tree *arg)
{
	if (step->layout.width || !step->layout.plain)
		return NULL;
	if (isalnum((unsigned char)*p) && !strchr("SsFf", *p))
		return compile_address(c, p, step, arg);
	step->index = compile_num(c, arg);
	step->layout.longs = c->plan->long_size == 4 ? 1 : 2;
	if (!isalnum((unsigned char)*p))
		return p;
	step->kind = STEP_FUNCTION;
	step->with_offset = *p == 'S' || *p == 'F';
	return p + 1;
}

/*
 * Compiles a dump of bytes, which has two arguments; p is after "%*ph". A letter chooses the
 * separator. Returns what follows, or NULL.
 */
static const char *compile_bytes(struct compiler *c, const char *p, struct step *step,
				 const struct tree *count)
{
	const char *between = *p == 'C' ? ":" : *p == 'D' ? "-" : *p == 'N' ? "" : " ";

	p += *p == 'C' || *p == 'D' || *p == 'N';
	step->kind = STEP_STRING;
	step->layout.precision = -1;
	step->index = compile_dump(c, count->next, count, between);
	return isalnum((unsigned char)*p) || step->index == COMPILE_FAILED ? NULL : p;
}

/* Compiles one conversion with its argument. Returns what follows it, or NULL. */
static const char *compile_conversion(struct compiler *c, const char *p, const struct tree **arg)
{
	struct step step = { .kind = STEP_NUMBER };
	const struct tree *a = *arg;

	if (!strncmp(p, "*ph", 3) && a && a->next) {
		p = compile_bytes(c, p + 3, &step, a);
		if (!p)
			return NULL;
		vec_push(&c->plan->steps, step);
		*arg = a->next->next;
		return p;
	}
	if (!strncmp(p, ".*s", 3) && a) {
		step.takes_precision = true;
		step.precision = compile_num(c, a);
		if (step.precision == COMPILE_FAILED)
			return NULL;
		a = a->next;
		p += 2;
	}
	p = parse_conversion(p, &step.layout);
	if (!p || !a)
		return NULL;
	if (step.layout.conversion == 's') {
		step.kind = STEP_STRING;
		step.index = compile_str(c, a);
	} else if (step.layout.conversion == 'p') {
		p = compile_pointer(c, p, &step, a);
	} else {
		step.index = compile_num(c, a);
	}
	if (!p || step.index == COMPILE_FAILED)
		return NULL;
	vec_push(&c->plan->steps, step);
	*arg = a->next;
	return p;
}

static bool compile_format(struct compiler *c, struct strbuf *text)
{
	const struct tree *arg = c->tree->args;
	const char *p = c->tree->text;

	while (*p) {
		if (*p == '\\' && p[1]) {
			strbuf_char(text, tree_escaped(p[1]));
			p += 2;
		} else if (*p == '%' && p[1] == '%') {
			strbuf_char(text, '%');
			p += 2;
		} else if (*p == '%') {
			push_text(c, text);
			p = compile_conversion(c, p + 1, &arg);
			if (!p)
				return false;
		} else {
			strbuf_char(text, *p++);
		}
	}
	push_text(c, text);
	return true;
}

struct plan *plan_compile(const struct tracepoint_format *t, u8 long_size)
{
	struct compiler c = { .plan = xcalloc(1, sizeof(*c.plan)), .format = t };
	struct strbuf text = STRBUF_INIT;
	struct arena memory = { 0 };
	bool ok = false;

	c.plan->long_size = long_size;
	c.is_probe = tracepoint_field(t, "__probe_ip") || tracepoint_field(t, "__probe_ret_ip");
	/* tracers write forms into their buffers that libtraceevent knows */
	if (strcmp(t->system, "ftrace"))
		c.tree = tree_parse(t->print_fmt, &memory);
	if (c.tree)
		ok = compile_format(&c, &text);
	strbuf_release(&text);
	arena_release(&memory);
	if (ok) {
		plan_make_quick(c.plan);
		return c.plan;
	}
	plan_free(c.plan);
	return NULL;
}
