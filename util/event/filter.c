// SPDX-License-Identifier: GPL-2.0-or-later
#include "event/filter.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/alloc.h"
#include "base/text.h"
#include "event/filter_program.h"
#include "tracepoint/tracepoint.h"

enum { MINOR_BITS = 20 };

/* The kinds of values that fields are compared with. */
enum value_kind { VALUE_NUMBER, VALUE_TEXT, VALUE_DEVICE, VALUE_CPUS, VALUE_FUNCTION, VALUE_NONE };

struct filter {
	const struct tracepoint_format *format;
	const char *text, *at;
	struct strbuf out; /* for the kernel: what was copied so far */
	const char *copied;
	struct reason *r;
	int depth;
	struct filter_program *program; /* NULL if the filter is only checked */
	struct filter_step test;        /* the test that is being read */
	bool live;                      /* only the kernel can evaluate it, on a live event */
};

struct word {
	const char *s;
	size_t n;
};

static int fault(struct filter *f, struct word where, const char *fmt, ...) PRINTF_LIKE(3, 4);

static int fault(struct filter *f, struct word where, const char *fmt, ...)
{
	struct strbuf b = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vf(&b, fmt, ap);
	va_end(ap);
	strbuf_f(&b, "\n%s\n", f->text);
	strbuf_pad(&b, ' ', (int)(where.s - f->text));
	strbuf_pad(&b, '^', (int)MAX(where.n, (size_t)1));
	reason_set(f->r, EINVAL, "filter of %s:%s: %s", f->format->system, f->format->name, b.s);
	strbuf_release(&b);
	return -EINVAL;
}

static void skip_blanks(struct filter *f)
{
	while (isspace((unsigned char)*f->at))
		f->at++;
}

static bool is(struct word w, const char *text)
{
	return strlen(text) == w.n && !strncmp(w.s, text, w.n);
}

static struct word take_word(struct filter *f)
{
	struct word w;

	skip_blanks(f);
	w.s = f->at;
	while (isalnum((unsigned char)*f->at) || *f->at == '_' || *f->at == '.')
		f->at++;
	w.n = (size_t)(f->at - w.s);
	return w;
}

/* ---- fields ---- */

static const char *const general_fields[] = { "CPU", "cpu", "COMM", "comm", "stacktrace" };

static int unknown_field(struct filter *f, struct word field)
{
	struct strlist names = { VEC_INIT };
	char *typed = xstrndup(field.s, field.n);
	const char *near;

	if (!field.n)
		fault(f, field, "expected a field's name");
	else
		fault(f, field, "there is no field '%s'", typed);
	for (u32 i = 0; i < f->format->field_count; i++)
		strlist_add(&names, f->format->fields[i].name);
	for (size_t i = 0; i < ARRAY_SIZE(general_fields); i++)
		strlist_add(&names, general_fields[i]);
	near = nearest_name(typed, (const char *const *)names.list.items, names.list.count);
	if (near)
		reason_hint(f->r, "did you mean '%s'?", near);
	else
		reason_hint(f->r, "'perf list --details %s:%s' shows the fields", f->format->system,
			    f->format->name);
	strlist_release(&names);
	free(typed);
	return -EINVAL;
}

static bool is_text(const struct tracepoint_field *field)
{
	if (field->flags & FIELD_STRING)
		return true;
	return field->flags & FIELD_ARRAY && strstr(field->type, "char");
}

static enum value_kind kind_of(const struct tracepoint_field *field)
{
	if (is_text(field))
		return VALUE_TEXT;
	if (strstr(field->type, "cpumask"))
		return VALUE_CPUS;
	if (field->flags & (FIELD_ARRAY | FIELD_DYNAMIC))
		return VALUE_NONE;
	return strstr(field->type, "dev_t") ? VALUE_DEVICE : VALUE_NUMBER;
}

/* Reads "NAME.ustring", "NAME.function": another view of a number. */
static int with_suffix(struct filter *f, struct word field, size_t name_len, enum value_kind *kind)
{
	struct word suffix = { field.s + name_len + 1, field.n - name_len - 1 };

	if (is(suffix, "ustring") || is(suffix, "function")) {
		f->live = true;
		if (*kind == VALUE_NUMBER) {
			*kind = is(suffix, "ustring") ? VALUE_TEXT : VALUE_FUNCTION;
			return 0;
		}
		return fault(f, suffix, "'.%.*s' is for fields that are an address", (int)suffix.n,
			     suffix.s);
	}
	return fault(f, suffix, "expected 'ustring' or 'function' after the dot");
}

static int find_field(struct filter *f, struct word field, enum value_kind *kind)
{
	const char *point = memchr(field.s, '.', field.n);
	struct word name = { field.s, point ? (size_t)(point - field.s) : field.n };
	const struct tracepoint_field *found = NULL;

	for (u32 i = 0; i < f->format->field_count; i++)
		if (is(name, f->format->fields[i].name))
			found = &f->format->fields[i];
	f->test = (struct filter_step){ .field = found };
	if (found)
		*kind = kind_of(found);
	else if (is(name, "COMM") || is(name, "comm"))
		*kind = VALUE_TEXT;
	else if (is(name, "CPU") || is(name, "cpu"))
		*kind = VALUE_NUMBER;
	else if (is(name, "stacktrace"))
		*kind = VALUE_FUNCTION;
	else
		return unknown_field(f, name);
	f->live = *kind == VALUE_CPUS || *kind == VALUE_FUNCTION;
	f->test.code = *kind == VALUE_TEXT ? (found ? STEP_TEXT : STEP_COMM)
		       : found             ? STEP_NUMBER
					   : STEP_CPU;
	if (*kind == VALUE_NONE)
		return fault(f, name,
			     "'%.*s' (%s) is an array, and the kernel cannot compare arrays",
			     (int)name.n, name.s, found->type);
	return point ? with_suffix(f, field, name.n, kind) : 0;
}

/* ---- operators ---- */

static struct word take_operator(struct filter *f)
{
	struct word w;

	skip_blanks(f);
	w.s = f->at;
	w.n = strspn(f->at, "=!<>&~|");
	/* "!=": but "==!x" has no operator of three signs */
	if (w.n > 2)
		w.n = 2;
	f->at += w.n;
	return w;
}

static int check_operator(struct filter *f, struct word sign, enum value_kind kind)
{
	static const char *const signs[] = { "==", "!=", "<", "<=", ">", ">=", "&", "~" };
	bool known = false, equality = is(sign, "==") || is(sign, "!=");

	for (size_t i = 0; i < ARRAY_SIZE(signs); i++)
		if (is(sign, signs[i])) {
			known = true;
			f->test.sign = (enum filter_sign)i;
		}
	if (!known) {
		fault(f, sign, "expected an operator: == != < <= > >= & ~");
		if (is(sign, "=>"))
			reason_hint(f->r, "did you mean '>='?");
		else if (is(sign, "=<"))
			reason_hint(f->r, "did you mean '<='?");
		else if (is(sign, "="))
			reason_hint(f->r, "did you mean '=='?");
		return -EINVAL;
	}
	if (kind == VALUE_TEXT && !equality && !is(sign, "~"))
		return fault(f, sign, "strings are compared with == != ~");
	if (kind != VALUE_TEXT && is(sign, "~"))
		return fault(f, sign, "'~' is for strings, and this field is a number");
	if (kind == VALUE_FUNCTION && !equality)
		return fault(f, sign, "functions are compared with == and !=");
	if (kind == VALUE_CPUS && !equality && !is(sign, "&"))
		return fault(f, sign, "sets of CPUs are compared with == != &");
	return 0;
}

/* ---- values ---- */

static int text_value(struct filter *f)
{
	char quote;
	const char *end;

	skip_blanks(f);
	quote = *f->at;
	if (quote != '"' && quote != '\'') {
		struct word w = { f->at, strcspn(f->at, " \t()&|") };

		fault(f, w, "expected a string in quotes");
		reason_hint(f->r, "\"%.*s\"", (int)w.n, w.s);
		return -EINVAL;
	}
	end = strchr(f->at + 1, quote);
	if (!end)
		return fault(f, (struct word){ f->at, 1 }, "this quote is not closed");
	if (f->program)
		f->test.text = xstrndup(f->at + 1, (size_t)(end - f->at - 1));
	f->at = end + 1;
	return 0;
}

static int cpus_value(struct filter *f)
{
	const char *end = strchr(f->at, '}');
	char *list;
	u32 *cpus = NULL;
	size_t count;
	int err;

	f->live = true;
	if (!end)
		return fault(f, (struct word){ f->at, 5 }, "this '{' has no '}'");
	f->at += strlen("CPUS{");
	list = xstrndup(f->at, (size_t)(end - f->at));
	err = parse_cpu_list(list, UINT16_MAX, &cpus, &count);
	free(cpus);
	free(list);
	if (err)
		return fault(f, (struct word){ f->at, (size_t)(end - f->at) },
			     "expected a list of CPUs, such as 0-3,7");
	f->at = end + 1;
	return 0;
}

static bool number_of(struct word w, u64 *value)
{
	char *text = xstrndup(w.s, w.n);
	s64 negative = 0;
	bool ok = *text == '-' ? !parse_s64(text, &negative) : !parse_u64(text, value);

	if (*text == '-')
		*value = (u64)negative;
	free(text);
	return ok;
}

static struct word take_number(struct filter *f)
{
	struct word w = { f->at, 0 };

	f->at += *f->at == '-';
	while (isalnum((unsigned char)*f->at) || *f->at == '_')
		f->at++;
	w.n = (size_t)(f->at - w.s);
	return w;
}

/* Reads "MAJOR,MINOR" as the kernel's number. */
static int device_value(struct filter *f, struct word major)
{
	struct word minor;
	u64 a, b;

	f->at++;
	minor = take_number(f);
	if (!number_of(major, &a) || a >= 1 << 12)
		return fault(f, major, "expected a device's major number, below 4096");
	if (!number_of(minor, &b) || b >= 1 << MINOR_BITS)
		return fault(f, minor, "expected a device's minor number, below 1048576");
	strbuf_add(&f->out, f->copied, (size_t)(major.s - f->copied));
	strbuf_f(&f->out, "%llu", (unsigned long long)(a << MINOR_BITS | b));
	f->copied = f->at;
	f->test.number = a << MINOR_BITS | b;
	return 0;
}

static int number_value(struct filter *f, enum value_kind kind)
{
	struct word w;
	u64 n;

	skip_blanks(f);
	if (str_starts(f->at, "CPUS{"))
		return cpus_value(f);
	if (kind == VALUE_CPUS)
		return fault(f, (struct word){ f->at, 1 },
			     "expected CPUS{LIST}, such as CPUS{0-3}");
	/* one letter in quotes is its number */
	if (*f->at == '\'' && f->at[1] && f->at[2] == '\'') {
		f->test.number = (unsigned char)f->at[1];
		f->at += 3;
		return 0;
	}
	if (*f->at == '"' || *f->at == '\'')
		return fault(f, (struct word){ f->at, 1 },
			     "expected a number: this field does not hold text");
	w = take_number(f);
	if (kind == VALUE_FUNCTION && w.n)
		return 0; /* its name or address */
	if (*f->at == ',') {
		if (kind == VALUE_DEVICE)
			return device_value(f, w);
		return fault(f, (struct word){ f->at, 1 },
			     "MAJOR,MINOR is for fields of type dev_t");
	}
	if (!w.n || !number_of(w, &n))
		return fault(f, w, "expected a number");
	f->test.number = n;
	return 0;
}

/* ---- structure ---- */

static int parse_any(struct filter *f);

static void keep_operator(struct filter *f, int code)
{
	if (f->program)
		vec_push_zero(&f->program->steps)->code = (unsigned)code;
}

static int keep_test(struct filter *f, struct word field)
{
	if (!f->program)
		return 0;
	vec_push(&f->program->steps, f->test); /* the program holds its text from here on */
	if (!f->live)
		return 0;
	fault(f, field,
	      "a recording does not hold this: only the kernel can compare it, while the event is "
	      "live");
	return -EINVAL;
}

static int parse_one(struct filter *f)
{
	struct word open, field, sign;
	enum value_kind kind = VALUE_NONE;
	int err;

	skip_blanks(f);
	open = (struct word){ f->at, 1 };
	if (f->depth >= FILTER_DEPTH)
		return fault(f, open, "this is nested too deeply");
	if (*f->at == '!' || *f->at == '(') {
		bool negated = *f->at++ == '!';

		f->depth++;
		err = negated ? parse_one(f) : parse_any(f);
		f->depth--;
		skip_blanks(f);
		if (!err && !negated && *f->at != ')')
			return *f->at ? fault(f, (struct word){ f->at, 1 },
					      "expected '&&', '||' or ')'")
				      : fault(f, open, "this '(' has no ')'");
		f->at += !err && !negated;
		if (negated)
			keep_operator(f, STEP_NOT);
		return err;
	}
	field = take_word(f);
	err = find_field(f, field, &kind);
	if (err)
		return err;
	sign = take_operator(f);
	err = check_operator(f, sign, kind);
	if (err)
		return err;
	err = kind == VALUE_TEXT ? text_value(f) : number_value(f, kind);
	return err ? err : keep_test(f, field);
}

static bool take_sign(struct filter *f, const char *sign)
{
	skip_blanks(f);
	if (strncmp(f->at, sign, 2))
		return false;
	f->at += 2;
	return true;
}

static int parse_all(struct filter *f)
{
	int err = parse_one(f);

	while (!err && take_sign(f, "&&")) {
		err = parse_one(f);
		keep_operator(f, STEP_AND);
	}
	return err;
}

static int parse_any(struct filter *f)
{
	int err = parse_all(f);

	while (!err && take_sign(f, "||")) {
		err = parse_all(f);
		keep_operator(f, STEP_OR);
	}
	return err;
}

static int parse_whole(struct filter *f)
{
	int err = parse_any(f);

	skip_blanks(f);
	return !err && *f->at
		       ? fault(f, (struct word){ f->at, 1 }, "expected '&&', '||' or the end")
		       : err;
}

int filter_check(const struct tracepoint_format *t, const char *text, char **kernel_text,
		 struct reason *r)
{
	struct filter f = { .format = t, .text = text, .at = text, .copied = text, .r = r };
	int err = parse_whole(&f);

	if (!err) {
		strbuf_str(&f.out, f.copied);
		*kernel_text = strbuf_detach(&f.out);
	}
	strbuf_release(&f.out);
	return err;
}

struct filter_program *filter_compile(const struct tracepoint_format *t, const char *text,
				      struct reason *r)
{
	struct filter_program *p = xcalloc(1, sizeof(*p));
	struct filter f = {
		.format = t, .text = text, .at = text, .copied = text, .r = r, .program = p
	};
	int err = parse_whole(&f);

	strbuf_release(&f.out);
	if (!err)
		return p;
	filter_program_free(p);
	return NULL;
}
