// SPDX-License-Identifier: GPL-2.0-or-later
#include "event/sample_filter.h"

#include <ctype.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/perf_abi.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "event/internal.h"

enum { ALL_BITS = 64 };

/* Names for the values of a term. */
struct value_name {
	const char *name;
	u64 value;
};
static const struct value_name op_names[] = {
	{ "na", 1 }, { "load", 2 }, { "store", 4 }, { "pfetch", 8 }, { "exec", 16 }, { NULL, 0 },
};
static const struct value_name level_names[] = {
	{ "l1", 1 },   { "l2", 2 },    { "l3", 3 },  { "l4", 4 },         { "l2_mhb", 5 },
	{ "msc", 6 },  { "cxl", 9 },   { "io", 10 }, { "any_cache", 11 }, { "lfb", 12 },
	{ "ram", 13 }, { "pmem", 14 }, { "na", 15 }, { NULL, 0 },
};
static const struct value_name snoop_names[] = {
	{ "na", 1 }, { "none", 2 }, { "hit", 4 }, { "miss", 8 }, { "hitm", 16 }, { NULL, 0 },
};
static const struct value_name remote_names[] = { { "remote", 1 }, { NULL, 0 } };
static const struct value_name lock_names[] = { { "na", 1 }, { "locked", 2 }, { NULL, 0 } };
static const struct value_name tlb_names[] = {
	{ "na", 1 },    { "hit", 2 },     { "miss", 4 },    { "l1", 8 },
	{ "l2", 16 },   { "l1_hit", 10 }, { "l2_hit", 18 }, { "any_hit", 26 },
	{ "walk", 32 }, { "fault", 64 },  { NULL, 0 },
};
static const struct value_name blocked_names[] = {
	{ "na", 1 },
	{ "by_data", 2 },
	{ "by_addr", 4 },
	{ NULL, 0 },
};
static const struct value_name hop_names[] = {
	{ "hops0", 1 }, { "hops1", 2 }, { "hops2", 3 }, { "hops3", 4 }, { NULL, 0 },
};

#define WEIGHTS (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT)

static const struct term {
	const char *name, *option; /* option: of perf record, for a hint */
	u64 needs;                 /* needs one of these bits of sample_type; 0 for none */
	enum sample_filter_field field;
	u8 shift, bits; /* bits 0 means all */
	const struct value_name *values;
} terms[] = {
	{ "ip", "", PERF_SAMPLE_IP, FILTER_IP },
	{ "id", "", PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER, FILTER_ID },
	{ "tid", "", PERF_SAMPLE_TID, FILTER_TID },
	{ "pid", "", PERF_SAMPLE_TID, FILTER_PID },
	{ "cpu", "--sample-cpu", PERF_SAMPLE_CPU, FILTER_CPU },
	{ "time", "--timestamp", PERF_SAMPLE_TIME, FILTER_TIME },
	{ "addr", "--data", PERF_SAMPLE_ADDR, FILTER_ADDR },
	{ "period", "--period", PERF_SAMPLE_PERIOD, FILTER_PERIOD },
	{ "txn", "--transaction", PERF_SAMPLE_TRANSACTION, FILTER_TRANSACTION },
	{ "weight", "--weight", WEIGHTS, FILTER_WEIGHT },
	{ "weight1", "--weight", PERF_SAMPLE_WEIGHT_STRUCT, FILTER_WEIGHT1 },
	{ "weight2", "--weight", PERF_SAMPLE_WEIGHT_STRUCT, FILTER_WEIGHT2 },
	{ "weight3", "--weight", PERF_SAMPLE_WEIGHT_STRUCT, FILTER_WEIGHT3 },
	{ "ins_lat", "--weight", PERF_SAMPLE_WEIGHT_STRUCT, FILTER_WEIGHT2 },
	{ "retire_lat", "--weight", PERF_SAMPLE_WEIGHT_STRUCT, FILTER_WEIGHT3 },
	{ "p_stage_cyc", "--weight", PERF_SAMPLE_WEIGHT_STRUCT, FILTER_WEIGHT3 },
	{ "phys_addr", "--phys-data", PERF_SAMPLE_PHYS_ADDR, FILTER_PHYS_ADDR },
	{ "code_pgsz", "--code-page-size", PERF_SAMPLE_CODE_PAGE_SIZE, FILTER_CODE_PAGE },
	{ "data_pgsz", "--data-page-size", PERF_SAMPLE_DATA_PAGE_SIZE, FILTER_DATA_PAGE },
	{ "mem_op", "--data", PERF_SAMPLE_DATA_SRC, FILTER_DATA_SOURCE, 0, 5, op_names },
	{ "mem_lvl", "--data", PERF_SAMPLE_DATA_SRC, FILTER_DATA_SOURCE, 33, 4, level_names },
	{ "mem_snoop", "--data", PERF_SAMPLE_DATA_SRC, FILTER_DATA_SOURCE, 19, 5, snoop_names },
	{ "mem_remote", "--data", PERF_SAMPLE_DATA_SRC, FILTER_DATA_SOURCE, 37, 1, remote_names },
	{ "mem_lock", "--data", PERF_SAMPLE_DATA_SRC, FILTER_DATA_SOURCE, 24, 2, lock_names },
	{ "mem_dtlb", "--data", PERF_SAMPLE_DATA_SRC, FILTER_DATA_SOURCE, 26, 7, tlb_names },
	{ "mem_blk", "--data", PERF_SAMPLE_DATA_SRC, FILTER_DATA_SOURCE, 40, 3, blocked_names },
	{ "mem_hops", "--data", PERF_SAMPLE_DATA_SRC, FILTER_DATA_SOURCE, 43, 3, hop_names },
	{ "uid", "", 0, FILTER_UID },
	{ "gid", "", 0, FILTER_GID },
	{ "cgroup", "--all-cgroups", PERF_SAMPLE_CGROUP, FILTER_CGROUP },
};

static const struct {
	const char *text;
	enum sample_filter_operator is;
} operators[] = {
	{ "==", FILTER_EQ }, { "!=", FILTER_NE }, { ">=", FILTER_GE }, { "<=", FILTER_LE },
	{ ">", FILTER_GT },  { "<", FILTER_LT },  { "&", FILTER_AND },
};

/* ---- parse ---- */

static const char *skip_blanks(const char *s)
{
	return s + strspn(s, " \t");
}

static size_t word(const char *s)
{
	size_t n = 0;

	while (isalnum((u8)s[n]) || s[n] == '_')
		n++;
	return n;
}

static int fail(const char *text, const char *at, const char *what, struct reason *r)
{
	return *at ? reason_set(r, EINVAL, "'%s': %s at '%s'", text, what, at)
		   : reason_set(r, EINVAL, "'%s': %s at the end", text, what);
}

static const struct term *parse_term(const char **at)
{
	size_t n = word(*at);

	for (size_t i = 0; i < ARRAY_SIZE(terms); i++)
		if (strlen(terms[i].name) == n && !memcmp(terms[i].name, *at, n)) {
			*at += n;
			return &terms[i];
		}
	return NULL;
}

static bool parse_operator(const char **at, u8 *is)
{
	for (size_t i = 0; i < ARRAY_SIZE(operators); i++) {
		size_t n = strlen(operators[i].text);

		/* "&&" is not one of these */
		if (strncmp(*at, operators[i].text, n) != 0 || (*at)[n] == '&')
			continue;
		*at += n;
		*is = operators[i].is;
		return true;
	}
	return false;
}

static bool parse_value(const char **at, const struct term *term, u64 *value)
{
	size_t n = word(*at);
	char number[32];

	for (const struct value_name *v = term->values; v && v->name; v++)
		if (strlen(v->name) == n && !strncasecmp(v->name, *at, n)) {
			*at += n;
			*value = v->value;
			return true;
		}
	if (!n || n >= sizeof(number))
		return false;
	snprintf(number, sizeof(number), "%.*s", (int)n, *at);
	*at += n;
	return !strncmp(number, "0x", 2) ? !parse_hex(number, value) : !parse_u64(number, value);
}

static int parse_one(struct sample_filter_test *t, const char *text, const char **at,
		     struct reason *r)
{
	const char *start = *at = skip_blanks(*at);
	const struct term *term = parse_term(at);
	struct strbuf b = STRBUF_INIT;

	if (!term) {
		fail(text, start, "a term is expected", r);
		for (size_t i = 0; i < ARRAY_SIZE(terms); i++)
			strbuf_f(&b, " %s", terms[i].name);
		reason_hint(r, "terms:%s; a filter applies to the -e before it", b.s);
		strbuf_release(&b);
		return -EINVAL;
	}
	*t = (struct sample_filter_test){ .field = term->field,
					  .shift = term->shift,
					  .bits = term->bits ? term->bits : ALL_BITS };
	*at = skip_blanks(*at);
	if (!parse_operator(at, &t->operator)) {
		fail(text, *at, "expected an operator", r);
		reason_hint(
			r, "operators: == != > >= < <= &; between tests: , for all of them, || for "
			   "any");
		return -EINVAL;
	}
	*at = skip_blanks(*at);
	start = *at;
	if (parse_value(at, term, &t->value))
		return 0;
	fail(text, start, "a value is expected", r);
	for (const struct value_name *v = term->values; v && v->name; v++)
		strbuf_f(&b, " %s", v->name);
	if (b.len)
		reason_hint(r, "values of %s:%s", term->name, b.s);
	strbuf_release(&b);
	return -EINVAL;
}

int sample_filter_parse(struct sample_filter *f, const char *text, struct reason *r)
{
	const char *at = text;

	for (;;) {
		struct sample_filter_test *t = &f->tests[f->count];
		int err;

		if (f->count == FILTER_TESTS)
			return reason_set(r, EINVAL, "a filter has at most %d tests", FILTER_TESTS);
		err = parse_one(t, text, &at, r);
		if (err)
			return err;
		f->count++;
		at = skip_blanks(at);
		if (!*at)
			return 0;
		t->or_next = !strncmp(at, "||", 2);
		if (!t->or_next && *at != ',')
			return fail(text, at, "',' or '||' is expected", r);
		at += t->or_next ? 2 : 1;
	}
}

int sample_filter_check(const struct sample_filter *f, u64 sample_type, struct reason *r)
{
	for (u32 i = 0; i < f->count; i++) {
		const struct term *term = terms;

		/* several terms are parts of one field */
		while (term->field != f->tests[i].field || term->shift != f->tests[i].shift)
			term++;
		if (!term->needs || term->needs & sample_type)
			continue;
		reason_set(r, EINVAL,
			   "--filter tests '%s', which the samples do not have (PERF_SAMPLE_%s)",
			   term->name, sample_bit_name(term->needs));
		if (*term->option)
			reason_hint(r, "record it with %s", term->option);
		return -EINVAL;
	}
	return 0;
}
