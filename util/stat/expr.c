// SPDX-License-Identifier: GPL-2.0-or-later
#include "stat/expr.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"

enum expr_kind { EXPR_NUMBER, EXPR_NAME, EXPR_NEGATIVE, EXPR_BINARY, EXPR_FUNCTION, EXPR_IF };
enum { MOST_DEPTH = 200 };

struct expr {
	enum expr_kind kind;
	double number;
	char *name;             /* EXPR_NAME */
	const char *sign;       /* EXPR_BINARY, EXPR_FUNCTION: a literal */
	struct expr *a, *b, *c; /* EXPR_IF: b if a else c */
};

struct expr_parser {
	const char *text, *at;
	struct reason *r;
	int depth;
};

static struct expr *parse_value(struct expr_parser *p);

static struct expr *new_expr(enum expr_kind kind, const char *sign, struct expr *a, struct expr *b)
{
	struct expr *e = xcalloc(1, sizeof(*e));

	*e = (struct expr){ .kind = kind, .sign = sign, .a = a, .b = b };
	return e;
}

void expr_free(struct expr *e)
{
	if (!e)
		return;
	expr_free(e->a);
	expr_free(e->b);
	expr_free(e->c);
	free(e->name);
	free(e);
}

static struct expr *fault(struct expr_parser *p, const char *what)
{
	reason_set(p->r, EINVAL, "%s\n%s\n%*s^", what, p->text, (int)(p->at - p->text), "");
	return NULL;
}

static void skip_blanks(struct expr_parser *p)
{
	while (isspace((unsigned char)*p->at))
		p->at++;
}

static bool take(struct expr_parser *p, const char *sign)
{
	size_t n = strlen(sign);

	skip_blanks(p);
	if (strncmp(p->at, sign, n))
		return false;
	/* words end where a name would */
	if (isalpha((unsigned char)*sign) && (isalnum((unsigned char)p->at[n]) || p->at[n] == '_'))
		return false;
	p->at += n;
	return true;
}

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.' || c == ':' || c == '@';
}

static char *take_name(struct expr_parser *p)
{
	struct strbuf b = STRBUF_INIT;

	if (*p->at == '#')
		strbuf_char(&b, *p->at++);
	for (; is_name_char(*p->at) || (*p->at == '\\' && p->at[1]); p->at++) {
		bool escaped = *p->at == '\\';

		p->at += escaped;
		strbuf_char(&b, *p->at == '@' && !escaped ? '/' : *p->at);
	}
	return strbuf_detach(&b);
}

static struct expr *parse_function(struct expr_parser *p, const char *name)
{
	struct expr *a, *b;

	p->at++;
	a = parse_value(p);
	if (!a)
		return NULL;
	if (!take(p, ",")) {
		expr_free(a);
		return fault(p, "expected ','");
	}
	b = parse_value(p);
	if (b && take(p, ")"))
		return new_expr(EXPR_FUNCTION, name, a, b);
	expr_free(a);
	if (!b)
		return NULL;
	expr_free(b);
	return fault(p, "expected ')'");
}

static struct expr *parse_name(struct expr_parser *p)
{
	static const char *const functions[] = { "min", "max", "d_ratio" };
	const char *start = p->at;
	char *name = take_name(p);
	struct expr *e;

	skip_blanks(p);
	if (*p->at == '(') {
		for (size_t i = 0; i < ARRAY_SIZE(functions); i++)
			if (!strcmp(name, functions[i])) {
				free(name);
				return parse_function(p, functions[i]);
			}
		free(name);
		p->at = start;
		return fault(p, "there is no such function: min, max and d_ratio are");
	}
	e = new_expr(EXPR_NAME, NULL, NULL, NULL);
	e->name = name;
	return e;
}

static struct expr *parse_number(struct expr_parser *p)
{
	struct expr *e = new_expr(EXPR_NUMBER, NULL, NULL, NULL);
	char *end;

	e->number = strtod(p->at, &end);
	p->at = end;
	return e;
}

static struct expr *parse_sign(struct expr_parser *p)
{
	struct expr *e;

	if (take(p, "-")) {
		e = p->depth++ < MOST_DEPTH ? parse_sign(p) : fault(p, "this is nested too deeply");
		p->depth--;
		return e ? new_expr(EXPR_NEGATIVE, NULL, e, NULL) : NULL;
	}
	if (take(p, "(")) {
		e = parse_value(p);
		if (!e || take(p, ")"))
			return e;
		expr_free(e);
		return fault(p, "expected ')'");
	}
	skip_blanks(p);
	if (isdigit((unsigned char)*p->at) || (*p->at == '.' && isdigit((unsigned char)p->at[1])))
		return parse_number(p);
	if (is_name_char(*p->at) || *p->at == '#' || *p->at == '\\')
		return parse_name(p);
	return fault(p, "expected a number or a name");
}

/*
 * Levels of binary operators, loosest first; longer operators come first if one begins like
 * another.
 */
static const char *const levels[][7] = {
	{ "|" }, { "&" }, { "<=", ">=", "==", "!=", "<", ">" }, { "+", "-" }, { "*", "/", "%" },
};

static struct expr *parse_level(struct expr_parser *p, size_t level)
{
	struct expr *e = level == ARRAY_SIZE(levels) ? parse_sign(p) : parse_level(p, level + 1);

	for (size_t i = 0; e && level < ARRAY_SIZE(levels) && levels[level][i];) {
		struct expr *right;

		if (!take(p, levels[level][i])) {
			i++;
			continue;
		}
		right = parse_level(p, level + 1);
		if (!right) {
			expr_free(e);
			return NULL;
		}
		e = new_expr(EXPR_BINARY, levels[level][i], e, right);
		i = 0;
	}
	return e;
}

static struct expr *parse_if(struct expr_parser *p, struct expr *then)
{
	struct expr *e = new_expr(EXPR_IF, NULL, parse_level(p, 0), then);

	if (e->a && !take(p, "else"))
		fault(p, "expected 'else'");
	else if (e->a)
		e->c = parse_value(p);
	if (e->c)
		return e;
	expr_free(e);
	return NULL;
}

static struct expr *parse_value(struct expr_parser *p)
{
	struct expr *e;

	if (p->depth++ >= MOST_DEPTH)
		return fault(p, "this is nested too deeply");
	e = parse_level(p, 0);
	if (e && take(p, "if"))
		e = parse_if(p, e);
	p->depth--;
	return e;
}

struct expr *expr_parse(const char *text, struct reason *r)
{
	struct expr_parser p = { .text = text, .at = text, .r = r };
	struct expr *e = parse_value(&p);

	skip_blanks(&p);
	if (!e || !*p.at)
		return e;
	expr_free(e);
	return fault(&p, "expected an operator or the end");
}

void expr_names(const struct expr *e, struct strlist *names)
{
	if (!e)
		return;
	if (e->kind == EXPR_NAME && !strlist_has(names, e->name))
		strlist_add(names, e->name);
	/* as written: the value, the condition, the alternative */
	expr_names(e->kind == EXPR_IF ? e->b : e->a, names);
	expr_names(e->kind == EXPR_IF ? e->a : e->b, names);
	expr_names(e->c, names);
}

static double binary(const char *sign, double a, double b)
{
	bool equal = sign[1] == '=';

	if (isnan(a) || isnan(b))
		return NAN;
	switch (*sign) {
	case '+':
		return a + b;
	case '-':
		return a - b;
	case '*':
		return a * b;
	case '/':
		return b != 0 ? a / b : NAN;
	case '%':
		return b != 0 ? fmod(a, b) : NAN;
	case '<':
		return equal ? a <= b : a < b;
	case '>':
		return equal ? a >= b : a > b;
	case '=':
		return a == b;
	case '!':
		return a != b;
	case '&':
		return a != 0 && b != 0;
	}
	return a != 0 || b != 0; /* | */
}

static double function(const char *name, double a, double b)
{
	if (isnan(a) || isnan(b))
		return NAN;
	if (*name == 'd')
		return b != 0 ? a / b : 0;
	return (name[1] == 'i') == (a < b) ? a : b; /* min, max */
}

double expr_value(const struct expr *e, expr_lookup lookup, void *arg)
{
	double a;

	switch (e->kind) {
	case EXPR_NUMBER:
		return e->number;
	case EXPR_NAME:
		return lookup(arg, e->name);
	case EXPR_NEGATIVE:
		return -expr_value(e->a, lookup, arg);
	case EXPR_BINARY:
		return binary(e->sign, expr_value(e->a, lookup, arg),
			      expr_value(e->b, lookup, arg));
	case EXPR_FUNCTION:
		return function(e->sign, expr_value(e->a, lookup, arg),
				expr_value(e->b, lookup, arg));
	case EXPR_IF:
		a = expr_value(e->a, lookup, arg);
		if (isnan(a))
			return NAN;
		return expr_value(a != 0 ? e->b : e->c, lookup, arg);
	}
	return NAN;
}
