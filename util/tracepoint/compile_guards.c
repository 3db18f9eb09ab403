// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What libtraceevent reads by counts of the data, without looking whether they can be: checked
 * before it prints.
 */
#include <ctype.h>
#include <string.h>

#include "tracepoint/compile.h"

static bool guard_arg(struct compiler *c, const struct tep_print_arg *a);

static bool guard_args(struct compiler *c, const struct tep_print_arg *a)
{
	for (; a; a = a->next)
		if (!guard_arg(c, a))
			return false;
	return true;
}

static bool guard_operation(struct compiler *c, const struct tep_print_arg *a)
{
	if (a->op.op[0] == '[' && !compile_guard(c, a->op.right))
		return false;
	return (!a->op.left || guard_arg(c, a->op.left)) &&
	       (!a->op.right || guard_arg(c, a->op.right));
}

/* Everything below one argument that reads as many bytes as the data says. */
static bool guard_arg(struct compiler *c, const struct tep_print_arg *a)
{
	bool ok = c->depth < COMPILE_DEPTH;

	c->depth++;
	switch (ok ? a->type : TEP_PRINT_NULL) {
	case TEP_PRINT_HEX:
	case TEP_PRINT_HEX_STR:
		ok = compile_guard(c, a->hex.size) && guard_arg(c, a->hex.field);
		break;
	case TEP_PRINT_INT_ARRAY:
		ok = compile_guard(c, a->int_array.count) && compile_guard(c, a->int_array.el_size) &&
		     guard_arg(c, a->int_array.field);
		break;
	case TEP_PRINT_DYNAMIC_ARRAY:
		ok = !a->dynarray.index || compile_guard(c, a->dynarray.index);
		break;
	case TEP_PRINT_TYPE:
		ok = guard_arg(c, a->typecast.item);
		break;
	case TEP_PRINT_FLAGS:
		ok = guard_arg(c, a->flags.field);
		break;
	case TEP_PRINT_SYMBOL:
		ok = guard_arg(c, a->symbol.field);
		break;
	case TEP_PRINT_OP:
		ok = guard_operation(c, a);
		break;
	case TEP_PRINT_FUNC:
		ok = guard_args(c, a->func.args);
		break;
	default:
		break;
	}
	c->depth--;
	return ok;
}

/* A '*' is given to printf: how much it may write is bounded, except for "%.*s". */
static bool harmless_star(const char *star)
{
	return star[-1] == '.' && star[1] == 's';
}

/* Arguments that a '*' of the format takes as width, precision or length. */
static bool guard_widths(struct compiler *c)
{
	const struct tep_print_arg *arg = c->event->print_fmt.args;

	for (const char *p = c->event->print_fmt.format; p && *p; p++) {
		if (*p != '%')
			continue;
		for (p++; *p && !isalpha((unsigned char)*p) && *p != '%'; p++) {
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

struct plan *plan_compile_guards(const struct tep_event *event, u8 long_size)
{
	struct compiler c = { .plan = xcalloc(1, sizeof(*c.plan)), .event = event };

	c.plan->long_size = long_size;
	if (guard_args(&c, event->print_fmt.args) && guard_widths(&c))
		return c.plan;
	plan_free(c.plan);
	return NULL;
}
