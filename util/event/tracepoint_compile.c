// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Print format to plan: walks libtraceevent's parse tree, gives up (NULL) at the
 * first construct that the plan does not know, so that libtraceevent prints it.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <traceevent/event-parse.h>

#include "event/tracepoint_plan.h"

enum {
	DEEPEST = 40,	     /* nesting of expressions: deeper ones are left to the library */
	LARGEST_OFFSET = 65535,
};

struct compiler {
	struct plan *plan;
	const struct tep_event *event;
	int depth;
	bool is_probe; /* its numbers have their sign, see tests/differences: script-probe-sign */
};

#define FAILED UINT32_MAX

static const char *keep(struct compiler *c, const char *s, size_t n)
{
	return arena_strndup(&c->plan->memory, s, n);
}

static u32 push_num(struct compiler *c, struct num n)
{
	vec_push(&c->plan->nums, n);
	return (u32)c->plan->nums.count - 1;
}

static u32 push_str(struct compiler *c, struct str s)
{
	vec_push(&c->plan->strs, s);
	return (u32)c->plan->strs.count - 1;
}

static bool reach(struct compiler *c, int offset, int size)
{
	if (offset < 0 || size < 0 || offset > LARGEST_OFFSET || size > LARGEST_OFFSET)
		return false;
	c->plan->min_size = MAX(c->plan->min_size, (u32)offset + (u32)size);
	return true;
}

/* The parse tree names fields; they are looked up when first printed: do it here. */
static const struct tep_format_field *field_of(struct compiler *c, const struct tep_print_arg *a)
{
	if (a->field.field)
		return a->field.field;
	return tep_find_any_field((struct tep_event *)c->event, a->field.name);
}

static u32 compile_num(struct compiler *c, const struct tep_print_arg *a);

static bool is_number_size(u32 size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static u32 num_field(struct compiler *c, const struct tep_format_field *field)
{
	if (!field || !reach(c, field->offset, field->size))
		return FAILED;
	if (!is_number_size((u32)field->size))
		return FAILED;
	return push_num(c, (struct num){ .kind = c->is_probe && (field->flags & TEP_FIELD_IS_SIGNED) ?
							NUM_SIGNED : NUM_FIELD, .offset = (u32)field->offset,
					 .size = (u32)field->size });
}

/* A name that the kernel did not replace by its number counts as 0. */
static u32 num_atom(struct compiler *c, const char *text)
{
	return push_num(c, (struct num){ .kind = NUM_CONST, .value = strtoull(text, NULL, 0) });
}

/* Bits that a cast leaves: of types that libtraceevent does not know, all. */
static u64 cast_mask(const char *type)
{
	static const struct {
		const char *type;
		u64 mask;
	} known[] = {
		{ "u8", 0xff }, { "s8", 0xff }, { "u16", 0xffff }, { "s16", 0xffff },
		{ "u32", UINT32_MAX }, { "s32", UINT32_MAX }, { "char", 0xff },
		{ "unsigned char", 0xff }, { "short", 0xffff }, { "unsigned short", 0xffff },
		{ "int", UINT32_MAX }, { "unsigned int", UINT32_MAX },
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(known[i].type, type))
			return known[i].mask;
	return UINT64_MAX;
}

static u32 num_cast(struct compiler *c, const struct tep_print_arg *a)
{
	u64 mask = cast_mask(a->typecast.type);
	u32 item = compile_num(c, a->typecast.item);

	if (item == FAILED || mask == UINT64_MAX)
		return item;
	return push_num(c, (struct num){ .kind = NUM_MASKED, .a = item, .value = mask });
}

static bool operator_of(const char *op, enum num_op *out)
{
	static const struct {
		const char *text;
		enum num_op op;
	} known[] = {
		{ "|", OP_OR }, { "||", OP_LOGICAL_OR }, { "&", OP_AND },
		{ "&&", OP_LOGICAL_AND }, { "<", OP_LESS }, { "<=", OP_LESS_EQUAL },
		{ "<<", OP_SHIFT_LEFT }, { ">", OP_MORE }, { ">=", OP_MORE_EQUAL },
		{ ">>", OP_SHIFT_RIGHT }, { "==", OP_EQUAL }, { "!=", OP_NOT_EQUAL },
		{ "+", OP_PLUS }, { "-", OP_MINUS }, { "*", OP_TIMES }, { "/", OP_DIVIDE },
		{ "^", OP_XOR }, { "%", OP_MODULO },
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(known[i].text, op)) {
			*out = known[i].op;
			return true;
		}
	return false;
}

static bool is_choice(const struct tep_print_arg *a)
{
	return a->type == TEP_PRINT_OP && !strcmp(a->op.op, "?") && a->op.right &&
	       a->op.right->type == TEP_PRINT_OP && !strcmp(a->op.right->op.op, ":");
}

/* "s32[]" of a probe: its field does not say how many there are. */
static u32 element_size(const char *type, bool *is_signed)
{
	static const struct {
		const char *type;
		u32 size;
		bool is_signed;
	} known[] = {
		{ "u8", 1, false }, { "s8", 1, true }, { "u16", 2, false }, { "s16", 2, true },
		{ "u32", 4, false }, { "s32", 4, true }, { "u64", 8, false }, { "s64", 8, true },
	};
	size_t n = strcspn(type, "[ ");

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (strlen(known[i].type) == n && !strncmp(known[i].type, type, n)) {
			*is_signed = known[i].is_signed;
			return known[i].size;
		}
	return 0;
}

/* field[N] */
static u32 num_element(struct compiler *c, const struct tep_print_arg *a)
{
	const struct tep_format_field *field;
	bool is_signed = false;
	char *end;
	u32 size;
	u64 n;

	if (!a->op.left || a->op.left->type != TEP_PRINT_FIELD || !a->op.right ||
	    a->op.right->type != TEP_PRINT_ATOM)
		return FAILED;
	field = field_of(c, a->op.left);
	if (!field || field->flags & TEP_FIELD_IS_DYNAMIC || !reach(c, field->offset, field->size))
		return FAILED;
	n = strtoull(a->op.right->atom.atom, &end, 0);
	size = c->is_probe ? element_size(field->type, &is_signed) : field->elementsize;
	if (*end || !is_number_size(size) || n >= (u32)field->size / size)
		return FAILED;
	return push_num(c, (struct num){ .kind = is_signed ? NUM_SIGNED : NUM_FIELD, .size = size,
					 .offset = (u32)field->offset + (u32)n * size });
}

static u32 num_operation(struct compiler *c, const struct tep_print_arg *a)
{
	struct num n = { .kind = NUM_BINARY };

	if (!strcmp(a->op.op, "["))
		return num_element(c, a);

	if (is_choice(a)) {
		n.kind = NUM_CHOICE;
		n.a = compile_num(c, a->op.left);
		n.b = compile_num(c, a->op.right->op.left);
		n.c = compile_num(c, a->op.right->op.right);
		return n.a == FAILED || n.b == FAILED || n.c == FAILED ? FAILED : push_num(c, n);
	}
	if (!strcmp(a->op.op, "!") || !strcmp(a->op.op, "~")) {
		n.kind = a->op.op[0] == '!' ? NUM_NOT : NUM_INVERT;
		n.a = compile_num(c, a->op.right);
		return n.a == FAILED ? FAILED : push_num(c, n);
	}
	if (!operator_of(a->op.op, &n.op))
		return FAILED;
	n.a = compile_num(c, a->op.left);
	n.b = compile_num(c, a->op.right);
	return n.a == FAILED || n.b == FAILED ? FAILED : push_num(c, n);
}

static u32 num_array_len(struct compiler *c, const struct tep_print_arg *a)
{
	const struct tep_format_field *field = a->dynarray.field;

	if (!field || !reach(c, field->offset, 4))
		return FAILED;
	return push_num(c, (struct num){ .kind = NUM_ARRAY_LEN, .offset = (u32)field->offset });
}

static u32 compile_num(struct compiler *c, const struct tep_print_arg *a)
{
	u32 n = FAILED;

	if (!a || c->depth >= DEEPEST)
		return FAILED;
	c->depth++;
	if (a->type == TEP_PRINT_ATOM)
		n = num_atom(c, a->atom.atom);
	else if (a->type == TEP_PRINT_FIELD)
		n = num_field(c, field_of(c, a));
	else if (a->type == TEP_PRINT_TYPE)
		n = num_cast(c, a);
	else if (a->type == TEP_PRINT_OP)
		n = num_operation(c, a);
	else if (a->type == TEP_PRINT_NULL) /* what is left of a sign */
		n = push_num(c, (struct num){ .kind = NUM_CONST });
	else if (a->type == TEP_PRINT_DYNAMIC_ARRAY_LEN)
		n = num_array_len(c, a);
	c->depth--;
	return n;
}

/* A row's number, or a name's that libtraceevent knows; other names count as -1. */
static u64 row_value(const char *text)
{
	static const struct {
		const char *name;
		u64 value;
	} known[] = {
		{ "HI_SOFTIRQ", 0 }, { "TIMER_SOFTIRQ", 1 }, { "NET_TX_SOFTIRQ", 2 },
		{ "NET_RX_SOFTIRQ", 3 }, { "BLOCK_SOFTIRQ", 4 }, { "IRQ_POLL_SOFTIRQ", 5 },
		{ "TASKLET_SOFTIRQ", 6 }, { "SCHED_SOFTIRQ", 7 }, { "HRTIMER_SOFTIRQ", 8 },
		{ "RCU_SOFTIRQ", 9 }, { "HRTIMER_NORESTART", 0 }, { "HRTIMER_RESTART", 1 },
	};

	if (isdigit((unsigned char)text[0]))
		return strtoull(text, NULL, 0);
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(known[i].name, text))
			return known[i].value;
	return UINT64_MAX;
}

/* Rows of __print_flags and __print_symbolic. */
static void compile_rows(struct compiler *c, const struct tep_print_flag_sym *row, struct str *s)
{
	s->first_row = (u32)c->plan->rows.count;
	for (; row; row = row->next) {
		vec_push(&c->plan->rows,
			 (struct table_row){ row_value(row->value),
					     keep(c, row->str, strlen(row->str)) });
		s->rows++;
	}
}

static u32 str_table(struct compiler *c, const struct tep_print_arg *field, const char *delim,
		     const struct tep_print_flag_sym *rows, enum str_kind kind)
{
	struct str s = { .kind = kind, .text = keep(c, delim, strlen(delim)) };

	s.num = compile_num(c, field);
	if (s.num == FAILED)
		return FAILED;
	compile_rows(c, rows, &s);
	return push_str(c, s);
}

static u32 str_field(struct compiler *c, const struct tep_format_field *field)
{
	if (!field || !reach(c, field->offset, field->size))
		return FAILED;
	/* not an array: a pointer, looked up among the printk strings */
	if (!(field->flags & TEP_FIELD_IS_ARRAY) && field->size == c->plan->long_size)
		return push_str(c, (struct str){ .kind = STR_POINTER, .num = num_field(c, field) });
	return push_str(c, (struct str){ .kind = STR_FIELD, .offset = (u32)field->offset,
					 .size = (u32)field->size });
}

static u32 str_dynamic(struct compiler *c, const struct tep_print_arg *a)
{
	const struct tep_format_field *field = a->string.field;
	struct str s = { .kind = STR_DYNAMIC };

	if (!field)
		field = tep_find_any_field((struct tep_event *)c->event, a->string.string);
	if (!field || !reach(c, field->offset, 4))
		return FAILED;
	s.offset = (u32)field->offset;
	if (field->flags & TEP_FIELD_IS_RELATIVE)
		s.base = (u32)(field->offset + field->size);
	return push_str(c, s);
}

static bool add_guard(struct compiler *c, const struct tep_print_arg *count)
{
	u32 n = compile_num(c, count);

	if (n == FAILED)
		return false;
	vec_push(&c->plan->guards, n);
	return true;
}

/* Where the bytes of __print_hex() and __print_array() are. */
static bool array_place(struct compiler *c, const struct tep_print_arg *a, struct str *s)
{
	const struct tep_format_field *field;

	s->is_dynamic = a->type == TEP_PRINT_DYNAMIC_ARRAY;
	if (!s->is_dynamic && a->type != TEP_PRINT_FIELD)
		return false;
	field = s->is_dynamic ? a->dynarray.field : field_of(c, a);
	if (!field || !reach(c, field->offset, s->is_dynamic ? 4 : field->size))
		return false;
	s->offset = (u32)field->offset;
	return true;
}

static u32 str_hex(struct compiler *c, const struct tep_print_arg *a)
{
	struct str s = { .kind = STR_HEX, .text = a->type == TEP_PRINT_HEX ? " " : "" };

	if (!array_place(c, a->hex.field, &s) || !add_guard(c, a->hex.size))
		return FAILED;
	s.num = compile_num(c, a->hex.size);
	return push_str(c, s);
}

static u32 str_numbers(struct compiler *c, const struct tep_print_arg *a)
{
	const struct tep_print_arg *size = a->int_array.el_size;
	struct str s = { .kind = STR_NUMBERS };

	if (!array_place(c, a->int_array.field, &s) || !add_guard(c, a->int_array.count) ||
	    size->type != TEP_PRINT_ATOM)
		return FAILED;
	s.num = compile_num(c, a->int_array.count);
	s.b = (u32)strtoul(size->atom.atom, NULL, 0);
	return is_number_size(s.b) ? push_str(c, s) : FAILED;
}

static u32 compile_str(struct compiler *c, const struct tep_print_arg *a)
{
	struct str s = { .kind = STR_CHOICE };
	u32 index = FAILED;

	if (!a || c->depth >= DEEPEST)
		return FAILED;
	c->depth++;
	if (a->type == TEP_PRINT_FIELD) {
		index = str_field(c, field_of(c, a));
	} else if (a->type == TEP_PRINT_STRING) {
		index = str_dynamic(c, a);
	} else if (a->type == TEP_PRINT_ATOM) {
		s = (struct str){ .kind = STR_CONST,
				  .text = keep(c, a->atom.atom, strlen(a->atom.atom)) };
		index = push_str(c, s);
	} else if (a->type == TEP_PRINT_FLAGS) {
		index = str_table(c, a->flags.field, a->flags.delim ? a->flags.delim : "",
				  a->flags.flags, STR_FLAGS);
	} else if (a->type == TEP_PRINT_SYMBOL) {
		index = str_table(c, a->symbol.field, "", a->symbol.symbols, STR_SYMBOLIC);
	} else if (a->type == TEP_PRINT_HEX || a->type == TEP_PRINT_HEX_STR) {
		index = str_hex(c, a);
	} else if (a->type == TEP_PRINT_INT_ARRAY) {
		index = str_numbers(c, a);
	} else if (a->type == TEP_PRINT_TYPE) { /* ((void *)0) */
		index = push_str(c, (struct str){ .kind = STR_NOTHING });
	} else if (is_choice(a)) {
		s.num = compile_num(c, a->op.left);
		s.a = compile_str(c, a->op.right->op.left);
		s.b = compile_str(c, a->op.right->op.right);
		if (s.num != FAILED && s.a != FAILED && s.b != FAILED)
			index = push_str(c, s);
	}
	c->depth--;
	return index;
}

static const char *digits(const char *p, unsigned *value)
{
	*value = 0;
	while (isdigit((unsigned char)*p) && *value < 1000)
		*value = *value * 10 + (unsigned)(*p++ - '0');
	return p;
}

/* From after '%': flags, width, precision, length, conversion.  NULL: not known. */
static const char *parse_conversion(const char *p, struct layout *l)
{
	bool odd = false; /* printf must do it */
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
	if (!*p || !strchr("diuxXospc", *p) || l->longs < -2 || l->longs > 2 || l->width > 200 ||
	    l->precision > 200)
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
		 (struct step){ .kind = STEP_TEXT, .len = (u32)text->len,
				.text = keep(c, strbuf_cstr(text), text->len) });
	strbuf_clear(text);
}

/* The address at p, "I4" or "UB", of how many bytes: what follows it, or NULL. */
static const char *parse_address(const char *p, struct address *a, int *size)
{
	static const struct {
		const char *text;
		int size;
		struct address address;
	} known[] = {
		{ "M", 6, { .kind = ADDRESS_MAC } },
		{ "m", 6, { .kind = ADDRESS_MAC, .is_short = true } },
		{ "I4", 4, { .kind = ADDRESS_IP4 } },
		{ "I6c", 16, { .kind = ADDRESS_IP6, .is_short = true } },
		{ "I6", 16, { .kind = ADDRESS_IP6 } },
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
		/* another letter asks for another order of the bytes, or is text: not known */
		return isalnum((unsigned char)p[n]) ? NULL : p + n;
	}
	return NULL;
}

/* p: after "%p".  What follows the conversion, or NULL. */
static const char *compile_address(struct compiler *c, const char *p, struct step *step,
				   const struct tep_print_arg *arg)
{
	const struct tep_format_field *field;
	struct address a;
	int size;

	p = parse_address(p, &a, &size);
	field = p && arg->type == TEP_PRINT_FIELD ? field_of(c, arg) : NULL;
	if (!field || (a.kind == ADDRESS_SOCKET ? field->size < size : field->size != size) ||
	    !reach(c, field->offset, field->size))
		return NULL;
	a.offset = (u32)field->offset;
	step->kind = STEP_ADDRESS;
	step->index = (u32)c->plan->addresses.count;
	vec_push(&c->plan->addresses, a);
	return p;
}

static const char *compile_pointer(struct compiler *c, const char *p, struct step *step,
				   const struct tep_print_arg *arg)
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

/* One conversion with its argument: what follows it, or NULL. */
static const char *compile_conversion(struct compiler *c, const char *p,
				      const struct tep_print_arg **arg)
{
	struct step step = { .kind = STEP_NUMBER };
	const struct tep_print_arg *a = *arg;

	if (!strncmp(p, ".*s", 3) && a) {
		step.takes_precision = true;
		step.precision = compile_num(c, a);
		if (step.precision == FAILED)
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
	if (!p || step.index == FAILED)
		return NULL;
	vec_push(&c->plan->steps, step);
	*arg = a->next;
	return p;
}

static char escaped(char c)
{
	return c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
}

static bool compile_format(struct compiler *c, struct strbuf *text)
{
	const struct tep_print_arg *arg = c->event->print_fmt.args;
	const char *p = c->event->print_fmt.format;

	while (*p) {
		if (*p == '\\' && p[1]) {
			strbuf_char(text, escaped(p[1]));
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

struct plan *plan_compile(const struct tep_event *event, u8 long_size)
{
	struct compiler c = { .plan = xcalloc(1, sizeof(*c.plan)), .event = event };
	struct strbuf text = STRBUF_INIT;
	bool ok = false;

	c.plan->long_size = long_size;
	c.is_probe = tep_find_field((struct tep_event *)event, "__probe_ip") ||
		     tep_find_field((struct tep_event *)event, "__probe_ret_ip");
	if (!event->handler && event->print_fmt.format &&
	    !(event->flags & (TEP_EVENT_FL_FAILED | TEP_EVENT_FL_ISBPRINT | TEP_EVENT_FL_ISPRINT |
			      TEP_EVENT_FL_ISFUNCENT | TEP_EVENT_FL_ISFUNCRET)))
		ok = compile_format(&c, &text);
	strbuf_release(&text);
	if (ok)
		return c.plan;
	plan_free(c.plan);
	return NULL;
}

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
	if (a->op.op[0] == '[' && !add_guard(c, a->op.right))
		return false;
	return (!a->op.left || guard_arg(c, a->op.left)) &&
	       (!a->op.right || guard_arg(c, a->op.right));
}

/* Everything below one argument that reads as many bytes as the data says. */
static bool guard_arg(struct compiler *c, const struct tep_print_arg *a)
{
	bool ok = c->depth < DEEPEST;

	c->depth++;
	switch (ok ? a->type : TEP_PRINT_NULL) {
	case TEP_PRINT_HEX:
	case TEP_PRINT_HEX_STR:
		ok = add_guard(c, a->hex.size) && guard_arg(c, a->hex.field);
		break;
	case TEP_PRINT_INT_ARRAY:
		ok = add_guard(c, a->int_array.count) && add_guard(c, a->int_array.el_size) &&
		     guard_arg(c, a->int_array.field);
		break;
	case TEP_PRINT_DYNAMIC_ARRAY:
		ok = !a->dynarray.index || add_guard(c, a->dynarray.index);
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

/* A '*' is given to printf: how much it may write is bounded, but for "%.*s". */
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
			if (!arg || (!harmless_star(p) && !add_guard(c, arg)))
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
