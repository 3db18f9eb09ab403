// SPDX-License-Identifier: GPL-2.0-or-later
/* The probe language: one argument. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "probe/definition.h"
#include "probe/internal.h"

static bool name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static const char *name_end(const char *s, const char *end)
{
	while (s < end && name_char(*s))
		s++;
	return s;
}

/* Returns the end of a variable's name, which may be qualified: ns::var. */
static const char *variable_end(const char *s, const char *end)
{
	for (;;) {
		s = name_end(s, end);
		if (end - s < 3 || s[0] != ':' || s[1] != ':' || !name_char(s[2]))
			return s;
		s += 2;
	}
}

/* Parses a signed number, which must reach up to stop. */
static int parse_signed(struct probe_parse *p, const char *s, const char *stop, const char *what,
			s64 *n)
{
	bool negative = s < stop && *s == '-';
	char *word = xstrndup(s + negative, (size_t)(stop - s - negative));
	u64 v = 0;
	int err = parse_u64(word, &v);

	free(word);
	if (err)
		return probe_fault(p, s, "expected %s", what);
	*n = negative ? (s64)-v : (s64)v;
	return 0;
}

static int parse_index(struct probe_parse *p, const char *end, struct probe_argument *a)
{
	const char *s = p->at + 1, *close = memchr(s, ']', (size_t)(end - s)), *dots;
	struct probe_step *step = vec_push_zero(&a->steps);
	int err;

	if (!close)
		return probe_fault(p, p->at, "this '[' has no ']'");
	for (dots = s; dots < close && strncmp(dots, "..", 2); dots++)
		;
	step->kind = dots < close ? PROBE_RANGE : PROBE_INDEX;
	err = parse_signed(p, s, dots, "an index", &step->first);
	step->last = step->first;
	if (!err && dots < close)
		err = parse_signed(p, dots + 2, close, "the last index after '..'", &step->last);
	if (err)
		return err;
	if (step->first < 0 || step->first > INT_MAX || step->last > INT_MAX)
		return probe_fault(p, s, "no array has such an index");
	if (step->last < step->first)
		return probe_fault(p, dots + 2, "the range ends before it begins");
	p->at = close + 1;
	return 0;
}

static int parse_member(struct probe_parse *p, const char *end, struct probe_argument *a)
{
	bool arrow = *p->at == '-';
	const char *s = p->at + 1 + arrow, *stop = name_end(s, end);
	struct probe_step *step;

	if (stop == s)
		return probe_fault(p, s, "expected a member's name");
	step = vec_push_zero(&a->steps);
	step->kind = arrow ? PROBE_ARROW : PROBE_MEMBER;
	step->name = xstrndup(s, (size_t)(stop - s));
	p->at = stop;
	return 0;
}

/* Parses ->MEMBER .MEMBER [I] [A..B]. */
static int parse_steps(struct probe_parse *p, const char *end, struct probe_argument *a)
{
	int err = 0;

	while (!err && p->at < end) {
		if (a->steps.count && vec_last(&a->steps)->kind == PROBE_RANGE)
			return probe_fault(p, p->at, "nothing can follow a range");
		if (*p->at == '[')
			err = parse_index(p, end, a);
		else if (*p->at == '.' || (end - p->at > 1 && !strncmp(p->at, "->", 2)))
			err = parse_member(p, end, a);
		else
			return probe_fault(p, p->at, "expected '->', '.' or '['");
	}
	return err;
}

static int parse_variable(struct probe_parse *p, const char *end, struct probe_argument *a)
{
	const char *stop = variable_end(p->at, end);

	if (stop == p->at || isdigit((unsigned char)*p->at))
		return probe_fault(p, p->at,
				   "expected a variable, %%REGISTER, $WORD, @ADDRESS, \\NUMBER "
				   "or +OFFSET(...)");
	a->base = PROBE_VARIABLE;
	a->base_name = xstrndup(p->at, (size_t)(stop - p->at));
	p->at = stop;
	return parse_steps(p, end, a);
}

static int parse_register(struct probe_parse *p, const char *end, struct probe_argument *a)
{
	const char *s = p->at + 1, *stop = name_end(s, end);

	if (stop == s || stop != end)
		return probe_fault(p, stop, "expected a register's name after '%%'");
	a->base = PROBE_REGISTER;
	a->base_name = xstrndup(s, (size_t)(stop - s));
	p->at = stop;
	return 0;
}

static const struct dollar_word {
	const char *name;
	enum probe_base base;
	bool number, needed; /* a number may / must follow */
} dollar_words[] = {
	{ "retval", PROBE_RETVAL },
	{ "comm", PROBE_COMM },
	{ "stack", PROBE_STACK, .number = true },
	{ "arg", PROBE_ARGUMENT, .number = true, .needed = true },
	{ "vars", PROBE_ALL_VARIABLES },
	{ "params", PROBE_ALL_PARAMETERS },
};

static int parse_dollar_number(struct probe_parse *p, const char *s, const char *end,
			       const struct dollar_word *w, struct probe_argument *a)
{
	int err = parse_signed(p, s, end, "a number here", &a->number);

	if (err)
		return err;
	if (a->number < (w->needed ? 1 : 0) || a->number > 4096)
		return probe_fault(p, s, "$%s%lld is out of range", w->name, (long long)a->number);
	a->base = w->base == PROBE_STACK ? PROBE_STACK_ENTRY : w->base;
	return 0;
}

static int parse_dollar(struct probe_parse *p, const char *end, struct probe_argument *a)
{
	const char *s = p->at + 1, *stop = s, *digits;

	while (stop < end && isalpha((unsigned char)*stop))
		stop++;
	for (digits = stop; digits < end && isdigit((unsigned char)*digits); digits++)
		;
	for (size_t i = 0; i < ARRAY_SIZE(dollar_words); i++) {
		const struct dollar_word *w = &dollar_words[i];

		if ((size_t)(stop - s) != strlen(w->name) ||
		    strncmp(s, w->name, (size_t)(stop - s)))
			continue;
		if ((digits > stop) ? !w->number : w->needed)
			break;
		a->base = w->base;
		p->at = digits;
		if (digits > stop && parse_dollar_number(p, stop, digits, w, a))
			return -EINVAL;
		if (w->base == PROBE_RETVAL)
			return parse_steps(p, end, a);
		return digits == end ? 0 : probe_fault(p, digits, "nothing can follow here");
	}
	return probe_fault(p, p->at,
			   "expected $retval, $comm, $stack, $stackN, $argN, $vars or $params");
}

/* Parses @ADDRESS, @+OFFSET, @SYMBOL, @SYMBOL+N, @SYMBOL-N. */
static int parse_at(struct probe_parse *p, const char *end, struct probe_argument *a)
{
	const char *s = p->at + 1, *sign;

	p->at = end;
	if (s < end && *s == '+') {
		a->base = PROBE_FILE_OFFSET;
		return parse_signed(p, s + 1, end, "an offset in the file after '@+'", &a->number);
	}
	if (s < end && isdigit((unsigned char)*s)) {
		a->base = PROBE_ADDRESS;
		return parse_signed(p, s, end, "an address after '@'", &a->number);
	}
	for (sign = s; sign < end && (name_char(*sign) || *sign == '.' || *sign == '$'); sign++)
		;
	if (sign == s)
		return probe_fault(p, s, "expected an address or a symbol after '@'");
	a->base = PROBE_SYMBOL;
	a->base_name = xstrndup(s, (size_t)(sign - s));
	if (sign == end)
		return 0;
	if (*sign != '+' && *sign != '-')
		return probe_fault(p, sign, "expected '+' or '-' after the symbol");
	return parse_signed(p, *sign == '-' ? sign : sign + 1, end, "a number of bytes",
			    &a->number);
}

static int parse_immediate(struct probe_parse *p, const char *end, struct probe_argument *a)
{
	const char *s = p->at + 1;

	p->at = end;
	if (s < end && *s == '"') {
		if (end - s < 2 || end[-1] != '"')
			return probe_fault(p, s, "this '\"' is not closed");
		a->base = PROBE_TEXT;
		a->base_name = xstrndup(s + 1, (size_t)(end - s - 2));
		return 0;
	}
	a->base = PROBE_IMMEDIATE;
	return parse_signed(p, s, end, "a number or \"text\" after '\\'", &a->number);
}

static int parse_expression(struct probe_parse *p, const char *end, struct probe_argument *a,
			    int depth);

/* Parses +OFF(EXPR), -OFF(EXPR), +uOFF(EXPR). The inner one is taken first. */
static int parse_dereference(struct probe_parse *p, const char *end, struct probe_argument *a,
			     int depth)
{
	struct probe_step step = { .kind = PROBE_DEREFERENCE };
	const char *sign = p->at, *s = sign + 1, *open = memchr(s, '(', (size_t)(end - s));
	int err;

	step.user = s < end && *s == 'u';
	s += step.user;
	if (!open || end[-1] != ')')
		return probe_fault(p, sign, "expected +OFFSET(...) or -OFFSET(...)");
	if (depth > 32)
		return probe_fault(p, sign, "this is nested too deeply");
	err = parse_signed(p, s, open, "an offset", &step.first);
	if (err)
		return err;
	if (step.first && (*s == '-') != (step.first < 0))
		return probe_fault(p, s, "this offset is out of range");
	if (*sign == '-')
		step.first = -step.first;
	p->at = open + 1;
	err = parse_expression(p, end - 1, a, depth + 1);
	if (err)
		return err;
	if (a->base == PROBE_ALL_VARIABLES || a->base == PROBE_ALL_PARAMETERS)
		return probe_fault(p, open + 1, "this stands for many values");
	vec_push(&a->steps, step);
	p->at = end;
	return 0;
}

static int parse_expression(struct probe_parse *p, const char *end, struct probe_argument *a,
			    int depth)
{
	if (p->at == end)
		return probe_fault(p, p->at, "expected a value");
	switch (*p->at) {
	case '%':
		return parse_register(p, end, a);
	case '$':
		return parse_dollar(p, end, a);
	case '@':
		return parse_at(p, end, a);
	case '\\':
		return parse_immediate(p, end, a);
	case '+':
	case '-':
		return parse_dereference(p, end, a, depth);
	default:
		return parse_variable(p, end, a);
	}
}

/*
 * Reports whether a word is a type: u8-u64, s, x, char, string and so on. Whether the kernel knows
 * it is checked when the probe is written.
 */
static bool is_type(const char *t)
{
	static const char *const words[] = { "u",       "s",      "x",      "char", "string",
					     "ustring", "symbol", "symstr", "%pd",  "%pD" };
	unsigned width, shift, container;
	char extra;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(t, words[i]))
			return true;
	if (strchr("usx", *t))
		return !strcmp(t + 1, "8") || !strcmp(t + 1, "16") || !strcmp(t + 1, "32") ||
		       !strcmp(t + 1, "64");
	return sscanf(t, "b%3u@%3u/%3u%c", &width, &shift, &container, &extra) == 3 && width &&
	       (container == 8 || container == 16 || container == 32 || container == 64) &&
	       width + shift <= container;
}

/* Parses TYPE or TYPE[N] in [s, end). */
static int parse_type(struct probe_parse *p, const char *s, const char *end,
		      struct probe_argument *a)
{
	const char *open = memchr(s, '[', (size_t)(end - s));
	s64 n = 0;

	a->type = xstrndup(s, (size_t)((open ? open : end) - s));
	if (!*a->type || !is_type(a->type)) {
		probe_fault(p, s, "expected a type");
		reason_hint(
			p->r,
			"types: u8 to u64, s8 to s64, x8 to x64, u, s, x, char, string, ustring, "
			"symbol, symstr, bWIDTH@SHIFT/SIZE; with [N] an array");
		return -EINVAL;
	}
	if (!open)
		return 0;
	if (end[-1] != ']' || parse_signed(p, open + 1, end - 1, "the array's length", &n))
		return probe_fault(p, open, "expected [LENGTH]");
	if (n < 1 || n > 64)
		return probe_fault(p, open + 1, "an array holds 1 to 64 values");
	a->array = (unsigned)n;
	return 0;
}

/* Returns the ':' before the type, outside of brackets and quotes and not part of "::", or NULL. */
static const char *find_type(const char *s, const char *end)
{
	int depth = 0;
	bool quoted = false;

	for (; s < end; s++) {
		if (*s == '"')
			quoted = !quoted;
		else if (quoted)
			continue;
		else if (*s == '(' || *s == '[')
			depth++;
		else if (*s == ')' || *s == ']')
			depth--;
		else if (s[0] == ':' && end - s > 1 && s[1] == ':')
			s++;
		else if (*s == ':' && depth <= 0)
			return s;
	}
	return NULL;
}

/* Parses the name of "NAME=", and moves p->at after it. */
static int parse_name(struct probe_parse *p, const char *end, struct probe_argument *a)
{
	const char *stop = name_end(p->at, end);

	if (stop == end || *stop != '=')
		return 0;
	if (stop == p->at || isdigit((unsigned char)*p->at))
		return probe_fault(p, p->at, "expected a name before '='");
	a->name = xstrndup(p->at, (size_t)(stop - p->at));
	p->at = stop + 1;
	return 0;
}

int probe_parse_argument(struct probe_parse *p, const char *end, struct probe_argument *a)
{
	static const char user[] = "@user";
	const size_t user_len = sizeof(user) - 1;
	const char *type, *start;
	int err = parse_name(p, end, a);

	if (err)
		return err;
	start = p->at;
	if ((size_t)(end - start) > user_len && !strncmp(end - user_len, user, user_len)) {
		a->user = true;
		end -= user_len;
	}
	type = find_type(start, end);
	a->text = xstrndup(start, (size_t)((type ? type : end) - start));
	err = parse_expression(p, type ? type : end, a, 0);
	if (!err && type)
		err = parse_type(p, type + 1, end, a);
	if (!err && (a->base == PROBE_ALL_VARIABLES || a->base == PROBE_ALL_PARAMETERS) &&
	    (a->name || a->type))
		err = probe_fault(p, start, "%s stands for many values: without name and type",
				  a->text);
	return err;
}

int probe_refuse_array(const struct probe_argument *a, struct reason *r)
{
	return reason_set(r, EINVAL,
			  "'%s:%s[%u]': an array needs memory, but '%s' is a single value", a->text,
			  a->type, a->array, a->text);
}

void probe_argument_release(struct probe_argument *a)
{
	free(a->name);
	free(a->text);
	free(a->base_name);
	free(a->type);
	vec_for_each(&a->steps, s)
		free(s->name);
	vec_release(&a->steps);
	*a = (struct probe_argument){ NULL };
}
