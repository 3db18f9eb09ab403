// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes the text of tracepoints: by plans where possible, by libtraceevent (library.h) for the
 * rest.
 *
 * A format is compiled when an event of it is first printed. libtraceevent does not check the
 * offsets that a record's dynamic fields hold. So it gets the raw data in a buffer of zeros that is
 * larger than any of them can reach.
 */
#include <stdlib.h>
#include <string.h>

#include "tracepoint/library.h"

enum {
	/* two 16-bit offsets, a 16-bit length and the largest raw data */
	SCRATCH = 4 * 65536,
	RECENT_FORMATS = 16,
};

struct printed {
	struct plan *plan;   /* NULL if the library prints it (if the guards hold) */
	struct plan *guards; /* NULL if the library cannot, or may not */
};

struct tracepoint_printer {
	const struct tracepoint_formats *formats;
	struct library *library;
	VEC(struct printed) printed;
	struct map64 by_format; /* pointer of the format -> index in printed */
	struct recent_format {
		const struct tracepoint_format *format;
		u32 index;
	} recent[RECENT_FORMATS]; /* by id */
	u8 *scratch;
	struct plan_names names;
	struct map64 strings; /* address -> pointer to the text, in memory */
	struct arena memory;
};

/* Keeps a string for plans: the text between the quotes, without a trailing newline. */
static void keep_string(struct tracepoint_printer *p, u64 addr, const char *text, size_t n)
{
	bool added;
	u64 *to = map64_put(&p->strings, addr, &added);

	if (n && text[n - 1] == '"')
		n--;
	if (n >= 2 && text[n - 2] == '\\' && text[n - 1] == 'n')
		n -= 2;
	if (added)
		*to = (uintptr_t)arena_strndup(&p->memory, text, n);
}

/*
 * Adds the strings for pointers in print formats: lines of 0xADDR : "TEXT". It parses them here,
 * because libtraceevent expects complete lines, and a string with at least the quotes and two
 * characters.
 */
static void give_strings(struct tracepoint_printer *p)
{
	const char *line = strbuf_cstr(&p->formats->printk), *end;

	for (; *line; line = *end ? end + 1 : end) {
		const char *quote = strchr(line, '"');
		char *digits_end, *text;
		u64 addr = strtoull(line, &digits_end, 16);

		end = strchrnul(line, '\n');
		if (!quote || end - quote < 4 || digits_end == line || digits_end > quote)
			continue;
		text = xstrndup(quote, (size_t)(end - quote));
		library_add_string(p->library, text, addr);
		keep_string(p, addr, quote + 1, (size_t)(end - quote) - 1);
		free(text);
	}
}

struct tracepoint_printer *tracepoint_printer_new(const struct tracepoint_formats *f)
{
	struct tracepoint_printer *p = xcalloc(1, sizeof(*p));

	p->formats = f;
	p->names.strings = &p->strings;
	p->scratch = xcalloc(1, SCRATCH);
	p->library = library_new(f, &p->names);
	give_strings(p);
	return p;
}

void tracepoint_printer_resolve(struct tracepoint_printer *p, tracepoint_resolver fn, void *arg)
{
	p->names.resolve = fn;
	p->names.resolve_arg = arg;
}

void tracepoint_printer_free(struct tracepoint_printer *p)
{
	if (!p)
		return;
	vec_for_each(&p->printed, it)
		plan_free(it->plan), plan_free(it->guards);
	vec_release(&p->printed);
	map64_release(&p->by_format);
	map64_release(&p->strings);
	arena_release(&p->memory);
	library_free(p->library);
	free(p->scratch);
	free(p);
}

static struct printed compile(struct tracepoint_printer *p, const struct tracepoint_format *t)
{
	struct printed made = { .plan = plan_compile(t, p->formats->long_size) };

	if (made.plan)
		return made;
	if (!plan_understands(t) || !library_add(p->library, t))
		return made;
	made.guards = plan_compile_guards(t, p->formats->long_size);
	if (!made.guards && library_lists_fields(p->library, t))
		made.guards =
			xcalloc(1, sizeof(*made.guards)); /* it reads nothing that needs a limit */
	return made;
}

static u32 find_or_compile(struct tracepoint_printer *p, const struct tracepoint_format *t)
{
	bool added;
	u64 *index = map64_put(&p->by_format, (uintptr_t)t, &added);

	if (added) {
		*index = p->printed.count;
		vec_push(&p->printed, compile(p, t));
	}
	return (u32)*index;
}

static const struct printed *prepare(struct tracepoint_printer *p,
				     const struct tracepoint_format *t)
{
	struct recent_format *recent = &p->recent[t->id % RECENT_FORMATS];

	if (unlikely(recent->format != t))
		*recent = (struct recent_format){ t, find_or_compile(p, t) };
	return &p->printed.items[recent->index];
}

/* Prints the data in the scratch buffer, which has zeros after it. */
static void print_scratch(struct tracepoint_printer *p, const struct printed *how,
			  const struct tracepoint_format *t, u32 raw_size, u32 cpu,
			  struct strbuf *out)
{
	const struct plan *guards = how->plan ? how->plan : how->guards;

	if (!guards || !plan_guards_hold(guards, p->formats, p->scratch, raw_size))
		tracepoint_print_fields(p->formats, t, p->scratch, raw_size, out);
	else if (how->plan)
		plan_run(how->plan, p->formats, &p->names, p->scratch, raw_size, out);
	else
		library_print(p->library, p->scratch, raw_size, cpu, out);
}

bool tracepoint_print(struct tracepoint_printer *p, const struct tracepoint_format *t,
		      const void *raw, u32 raw_size, u32 cpu, struct strbuf *out)
{
	const struct printed *how = prepare(p, t);

	if (how->plan && how->plan->min_size <= raw_size &&
	    plan_guards_hold(how->plan, p->formats, raw, raw_size))
		return plan_run(how->plan, p->formats, &p->names, raw, raw_size, out);
	if (!how->plan && !how->guards) {
		tracepoint_print_fields(p->formats, t, raw, raw_size, out);
		return false;
	}
	raw_size = MIN(raw_size, 65536u);
	memcpy(p->scratch, raw, raw_size);
	print_scratch(p, how, t, raw_size, cpu, out);
	memset(p->scratch, 0, raw_size);
	return false;
}

bool tracepoint_printer_is_compiled(struct tracepoint_printer *p, const struct tracepoint_format *t)
{
	return prepare(p, t)->plan;
}

const struct tracepoint_formats *tracepoint_printer_formats(const struct tracepoint_printer *p)
{
	return p->formats;
}
