// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names of values in the text of a print format:
 *	__print_flags(REC->field, "|", { 1, "ONE" }, { 2, "TWO" })
 *	__print_symbolic(REC->field, { 0, "HI" }, { 1, "TIMER" })
 *	REC->field ? __print_flags(...) : "R"           the name of 0
 * The text comes from a file: anything else ends the list that it is in.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "builtin/script/engine_internal.h"

struct reader {
	const char *p; /* NUL-terminated */
	bool failed;
	unsigned depth;
};

static void skip_space(struct reader *r)
{
	while (isspace((unsigned char)*r->p))
		r->p++;
}

static bool take(struct reader *r, const char *word)
{
	size_t n = strlen(word);

	skip_space(r);
	if (strncmp(r->p, word, n))
		return false;
	r->p += n;
	return true;
}

/* Reads "text" without the backslashes of its escapes, or returns NULL. The caller frees it. */
static char *take_text(struct reader *r)
{
	struct strbuf b = STRBUF_INIT;
	char *text;

	if (!take(r, "\""))
		return NULL;
	for (; *r->p && *r->p != '"'; r->p++) {
		if (*r->p == '\\' && r->p[1])
			r->p++;
		strbuf_char(&b, *r->p);
	}
	if (!take(r, "\"")) {
		strbuf_release(&b);
		return NULL;
	}
	text = xstrdup(strbuf_cstr(&b));
	strbuf_release(&b);
	return text;
}

static u64 sum(struct reader *r);

/*
 * Skips a cast such as (( gfp_t)...) or ((unsigned long)...): words in parentheses before a value.
 */
static bool skip_cast(struct reader *r)
{
	const char *p = r->p + 1;

	while (isspace((unsigned char)*p) || isalnum((unsigned char)*p) || *p == '_' || *p == '*')
		p++;
	if (*p != ')' || isdigit((unsigned char)r->p[1 + strspn(r->p + 1, " ")]))
		return false;
	r->p = p + 1;
	return true;
}

static u64 number(struct reader *r)
{
	char *end;
	u64 v;

	if (!isdigit((unsigned char)*r->p)) {
		r->failed = true;
		return 0;
	}
	v = strtoull(r->p, &end, 0);
	while (*end == 'U' || *end == 'L' || *end == 'u' || *end == 'l')
		end++;
	r->p = end;
	return v;
}

static u64 operand(struct reader *r)
{
	u64 v;

	skip_space(r);
	if (r->failed || ++r->depth > 100) {
		r->failed = true;
		return 0;
	}
	if (*r->p == '-' || *r->p == '~' || *r->p == '+') {
		char sign = *r->p++;

		v = operand(r);
		v = sign == '-' ? -v : sign == '~' ? ~v : v;
	} else if (*r->p == '(' && skip_cast(r)) {
		v = operand(r);
	} else if (take(r, "(")) {
		v = sum(r);
		if (!take(r, ")"))
			r->failed = true;
	} else {
		v = number(r);
	}
	r->depth--;
	return v;
}

/*
 * Computes an expression. Operators go from left to right, without precedence: what the kernel
 * writes has parentheses.
 */
static u64 sum(struct reader *r)
{
	u64 v = operand(r);

	while (!r->failed) {
		if (take(r, "<<"))
			v = v << (operand(r) & 63);
		else if (take(r, ">>"))
			v = v >> (operand(r) & 63);
		else if (take(r, "|"))
			v |= operand(r);
		else if (take(r, "&"))
			v &= operand(r);
		else if (take(r, "+"))
			v += operand(r);
		else if (take(r, "-"))
			v -= operand(r);
		else
			break;
	}
	return v;
}

typedef VEC(struct engine_value) value_list;

static void take_values(struct reader *r, value_list *values)
{
	while (take(r, ",") && take(r, "{")) {
		struct engine_value v = { .value = sum(r) };

		if (r->failed || !take(r, ",") || !(v.text = take_text(r)))
			return;
		vec_push(values, v);
		if (!take(r, "}"))
			return;
	}
}

/*
 * Returns the last REC->field of an argument, which ends at a comma outside of parentheses, or
 * NULL. The caller frees it.
 */
static char *take_argument(struct reader *r)
{
	char *name = NULL;

	for (int depth = 0; *r->p && !(*r->p == ',' && !depth); r->p++) {
		depth += *r->p == '(';
		depth -= *r->p == ')';
		if (depth < 0)
			break;
		if (!strncmp(r->p, "REC->", 5)) {
			size_t n = 0;

			while (isalnum((unsigned char)r->p[5 + n]) || r->p[5 + n] == '_')
				n++;
			free(name);
			name = xstrndup(r->p + 5, n);
			r->p += 4 + n;
		}
	}
	return name;
}

/* Reads a naming after the opening parenthesis. Returns false if it names nothing. */
static bool take_naming(struct reader *r, bool flags, struct engine_naming *out)
{
	value_list values = VEC_INIT;
	char *delimiter = NULL;

	*out = (struct engine_naming){ .field = take_argument(r) };
	if (flags && out->field) {
		if (take(r, ","))
			delimiter = take_text(r);
		out->delimiter = delimiter ? delimiter : xstrdup("");
	}
	if (out->field)
		take_values(r, &values);
	/* : "R" after the call is the name of 0 */
	r->failed = false;
	r->depth = 0;
	if (flags && take(r, ")") && take(r, ":")) {
		char *zero = take_text(r);

		if (zero)
			vec_push(&values, (struct engine_value){ 0, zero });
	}
	out->values = values.items;
	out->count = (u32)values.count;
	return out->field && values.count;
}

static void release_naming(struct engine_naming *n)
{
	for (u32 i = 0; i < n->count; i++)
		free((void *)(uintptr_t)n->values[i].text);
	free((void *)(uintptr_t)n->values);
	free((void *)(uintptr_t)n->field);
	free((void *)(uintptr_t)n->delimiter);
}

u32 engine_namings_read(const char *print_format, struct engine_naming **out)
{
	static const char flags[] = "__print_flags(", symbolic[] = "__print_symbolic(";
	VEC(struct engine_naming) list = VEC_INIT;
	const char *p = print_format ? print_format : "";

	while ((p = strstr(p, "__print_"))) {
		bool is_flags = !strncmp(p, flags, sizeof(flags) - 1);
		bool is_symbolic = !strncmp(p, symbolic, sizeof(symbolic) - 1);
		struct reader r = { .p = p + (is_flags ? sizeof(flags) : sizeof(symbolic)) - 1 };
		struct engine_naming n;

		if (!is_flags && !is_symbolic) {
			p += strlen("__print_");
			continue;
		}
		if (take_naming(&r, is_flags, &n))
			vec_push(&list, n);
		else
			release_naming(&n);
		p = r.p;
	}
	*out = list.items;
	return (u32)list.count;
}

void engine_namings_free(struct engine_naming *namings, u32 count)
{
	for (u32 i = 0; i < count; i++)
		release_naming(&namings[i]);
	free(namings);
}
