// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Guards against counts in the data that libtraceevent trusts: they are checked before it prints.
 */
#include <ctype.h>
#include <string.h>

#include "tracepoint/compile.h"

static bool guard_arg(struct compiler *c, const struct tree *a);

static bool guard_args(struct compiler *c, const struct tree *a)
{
	for (; a; a = a->next)
		if (!guard_arg(c, a))
			return false;
	return true;
}

/* Arguments of a function that say how many bytes it reads. */
static bool guard_call(struct compiler *c, const struct tree *a)
{
	bool is_hex = !strcmp(a->text, "__print_hex") || !strcmp(a->text, "__print_hex_str");
	bool is_array = !strcmp(a->text, "__print_array");

	if (is_hex || is_array)
		return a->args && compile_guard(c, a->args->next) &&
		       (!is_array || compile_guard(c, a->args->next->next)) &&
		       guard_arg(c, a->args);
	/* a field's name is not a number */
	return compile_dynamic(c, a) || guard_args(c, a->args);
}

/*
 * Guards against division by 0 in the library: makes a number that is too large if the divisor is
 * 0.
 */
static bool guard_divisor(struct compiler *c, const struct tree *divisor)
{
	struct tree none = { .kind = TREE_UNARY, .text = "!", .a = divisor };
	struct tree most = { .kind = TREE_NUMBER, .text = "1000000" };
	struct tree product = { .kind = TREE_BINARY, .text = "*", .a = &none, .b = &most };

	return compile_guard(c, &product);
}

/* Guards everything below one argument that reads as many bytes as the data says. */
static bool guard_arg(struct compiler *c, const struct tree *a)
{
	bool ok = c->depth < COMPILE_DEPTH;

	c->depth++;
	if (ok && a->kind == TREE_CALL)
		ok = guard_call(c, a);
	else if (ok && a->kind == TREE_BINARY && (a->text[0] == '/' || a->text[0] == '%'))
		ok = guard_divisor(c, a->b) && guard_arg(c, a->a) && guard_arg(c, a->b);
	else if (ok && a->kind == TREE_INDEX)
		ok = compile_guard(c, a->b) && guard_arg(c, a->a);
	else if (ok)
		ok = (!a->a || guard_arg(c, a->a)) && (!a->b || guard_arg(c, a->b)) &&
		     (!a->c || guard_arg(c, a->c));
	c->depth--;
	return ok;
}

/* Reports whether a '*' passed to printf is harmless. Only that of "%.*s" does not need a limit. */
static bool harmless_star(const char *star)
{
	return star[-1] == '.' && star[1] == 's';
}

/*
 * Reports whether the number at *p, a width or precision, is not too large. Moves *p to its last
 * digit.
 */
static bool guard_digits(const char **p)
{
	unsigned value = 0;

	for (;; (*p)++) {
		value = value * 10 + (unsigned)(**p - '0');
		if (value > COMPILE_WIDEST)
			return false;
		if (!isdigit((unsigned char)(*p)[1]))
			return true;
	}
}

/*
 * Guards widths and precisions: numbers, and arguments for a '*' of the format as width, precision
 * or length.
 */
static bool guard_widths(struct compiler *c)
{
	const struct tree *arg = c->tree->args;

	for (const char *p = c->tree->text; *p; p++) {
		if (*p != '%')
			continue;
		for (p++; *p && !isalpha((unsigned char)*p) && *p != '%'; p++) {
			if (isdigit((unsigned char)*p) && !guard_digits(&p))
				return false;
			if (*p != '*')
				continue;
			if (!arg || (!harmless_star(p) && !compile_guard(c, arg)))
				return false;
			arg = arg->next;
		}
		while (*p && strchr("hlLzq", *p))
			p++;
		if (!*p)
			break;
		if (*p != '%' && arg)
			arg = arg->next;
	}
	return true;
}

/* Reports whether all fields passed to functions of the print format are fields of the format. */
static bool calls_know_fields(const struct tracepoint_format *t, const struct tree *e, bool in_call)
{
	if (!e)
		return true;
	if (e->kind == TREE_FIELD && in_call && !tracepoint_field(t, e->text))
		return false;
	for (const struct tree *arg = e->args; arg; arg = arg->next)
		if (!calls_know_fields(t, arg, in_call || e->kind == TREE_CALL))
			return false;
	return calls_know_fields(t, e->a, in_call) && calls_know_fields(t, e->b, in_call) &&
	       calls_know_fields(t, e->c, in_call);
}

bool plan_understands(const struct tracepoint_format *t)
{
	struct arena memory = { 0 };
	const struct tree *format = tree_parse(t->print_fmt, &memory);
	bool is = format && calls_know_fields(t, format, false);

	arena_release(&memory);
	return is;
}

struct plan *plan_compile_guards(const struct tracepoint_format *t, u8 long_size)
{
	struct compiler c = { .plan = xcalloc(1, sizeof(*c.plan)), .format = t };
	struct arena memory = { 0 };
	bool ok;

	c.plan->long_size = long_size;
	c.tree = tree_parse(t->print_fmt, &memory);
	ok = c.tree && guard_args(&c, c.tree->args) && guard_widths(&c);
	arena_release(&memory);
	if (ok)
		return c.plan;
	plan_free(c.plan);
	return NULL;
}
