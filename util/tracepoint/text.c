// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The text of tracepoints: plans where they reach, libtraceevent for the rest.
 *
 * Tabs inside the strings of a print format confuse libtraceevent; they are given
 * to it as \\t.
 *
 * A printer has a libtraceevent handle of its own; formats are given to it, and
 * compiled, when an event of theirs is first printed.  libtraceevent does not
 * check the offsets that a record's dynamic fields hold, so it is given the raw
 * data inside a buffer of zeros that is larger than any of them can reach.
 *
 * The parser of libtraceevent writes the values of flags into a buffer that all handles of the
 * process share, so only one thread at a time may be inside of the library.  Plans that were made
 * are run by any number of threads.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <traceevent/event-parse.h>

#include "tracepoint/plan.h"

enum {
	/* two 16-bit offsets, a 16-bit length and the largest raw data */
	SCRATCH = 4 * 65536,
};

/* Whoever calls libtraceevent in a way that parses or prints holds it. */
static pthread_mutex_t library = PTHREAD_MUTEX_INITIALIZER;

struct printed {
	struct plan *plan;	 /* or NULL: event prints it, if the guards hold */
	struct plan *guards;	 /* the guards of the event; NULL: it may not print */
	struct tep_event *event; /* NULL: not even libtraceevent can */
};

struct tracepoint_printer {
	const struct tracepoint_formats *formats;
	struct tep_handle *tep;
	struct trace_seq seq;
	VEC(struct printed) printed;
	struct map64 by_format; /* pointer of the format -> index in printed */
	u8 *scratch;
	struct plan_names names;
	struct map64 strings; /* address -> pointer to the text, in memory */
	struct arena memory;
	char resolved[256], module[64];
};

/* The callback has the form that libtraceevent asks for; its strings are not freed by it. */
static char *resolve(void *arg, unsigned long long *addr, char **module)
{
	struct tracepoint_printer *p = arg;
	u64 at = *addr;

	p->module[0] = 0;
	if (!p->names.resolve ||
	    !p->names.resolve(p->names.resolve_arg, &at, p->resolved, sizeof(p->resolved),
			      p->module, sizeof(p->module)))
		return NULL;
	*addr = at;
	*module = p->module[0] ? p->module : NULL;
	return p->resolved;
}

/* For plans: the text between the quotes, without a newline at its end. */
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
 * The strings that pointers of print formats stand for: lines of 0xADDR : "TEXT".
 * They are taken apart here, because libtraceevent trusts the lines to be whole,
 * and a string to have at least the quotes and two characters.
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
		tep_register_print_string(p->tep, text, addr);
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
	p->tep = tep_alloc();
	trace_seq_init(&p->seq);
	if (!p->tep)
		return p;
	pthread_mutex_lock(&library);
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_file_bigendian(p->tep, f->big_endian ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(p->tep, tep_is_bigendian() ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_long_size(p->tep, f->long_size);
	give_strings(p);
	pthread_mutex_unlock(&library);
	return p;
}

void tracepoint_printer_resolve(struct tracepoint_printer *p, tracepoint_resolver fn, void *arg)
{
	p->names.resolve = fn;
	p->names.resolve_arg = arg;
	if (p->tep)
		tep_set_function_resolver(p->tep, resolve, p);
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
	trace_seq_destroy(&p->seq);
	if (p->tep)
		tep_free(p->tep);
	free(p->scratch);
	free(p);
}

/* The format with every tab after "print fmt:" escaped. */
static void escape_tabs(const struct format_entry *e, struct strbuf *b)
{
	const char *print = strstr(e->text, "print fmt:");

	if (!print)
		print = e->text + e->text_size;
	strbuf_add(b, e->text, (size_t)(print - e->text));
	for (; *print; print++) {
		if (*print == '\t')
			strbuf_str(b, "\\t");
		else
			strbuf_char(b, *print);
	}
}

/* The library's parser crashes on bytes that the kernel never writes: those of a damaged file. */
static bool is_text(const struct format_entry *e)
{
	for (size_t i = 0; i < e->text_size; i++) {
		u8 c = (u8)e->text[i];

		if (c >= 0x7f || (c < 0x20 && c != '\t' && c != '\n'))
			return false;
	}
	return true;
}

static struct tep_event *parse(struct tracepoint_printer *p, const struct tracepoint_format *t)
{
	struct strbuf text = STRBUF_INIT;
	struct tep_event *event = NULL;

	if (!is_text(format_entry(t)))
		return NULL;
	escape_tabs(format_entry(t), &text);
	if (p->tep && !tep_parse_event(p->tep, text.s, text.len, t->system))
		event = tep_find_event(p->tep, (int)t->id);
	strbuf_release(&text);
	return event;
}

static struct printed compile(struct tracepoint_printer *p, const struct tracepoint_format *t)
{
	struct printed made = { .plan = plan_compile(t, p->formats->long_size) };

	if (made.plan)
		return made;
	pthread_mutex_lock(&library);
	made.event = parse(p, t);
	pthread_mutex_unlock(&library);
	if (made.event)
		made.guards = plan_compile_guards(t, p->formats->long_size);
	return made;
}

static const struct printed *prepare(struct tracepoint_printer *p,
				     const struct tracepoint_format *t)
{
	bool added;
	u64 *index = map64_put(&p->by_format, (uintptr_t)t, &added);

	if (!added)
		return &p->printed.items[*index];
	*index = p->printed.count;
	vec_push(&p->printed, compile(p, t));
	return vec_last(&p->printed);
}

static void print_by_library(struct tracepoint_printer *p, u32 cpu, u32 raw_size,
			     struct strbuf *out)
{
	struct tep_record record = {
		.cpu = (int)cpu, .size = (int)raw_size, .data = p->scratch,
	};

	trace_seq_reset(&p->seq);
	pthread_mutex_lock(&library);
	tep_print_event(p->tep, &p->seq, &record, "%s", TEP_PRINT_INFO);
	pthread_mutex_unlock(&library);
	trace_seq_terminate(&p->seq);
	strbuf_add(out, p->seq.buffer, p->seq.len);
}

/* The scratch buffer holds the data, with zeros after it. */
static void print_scratch(struct tracepoint_printer *p, const struct printed *how,
			  const struct tracepoint_format *t, u32 raw_size, u32 cpu,
			  struct strbuf *out)
{
	const struct plan *guards = how->plan ? how->plan : how->guards;

	if (!guards || !plan_guards_hold(guards, p->formats, p->scratch))
		tracepoint_print_fields(p, t, p->scratch, raw_size, out);
	else if (how->plan)
		plan_run(how->plan, p->formats, &p->names, p->scratch, raw_size, out);
	else
		print_by_library(p, cpu, raw_size, out);
}

void tracepoint_print(struct tracepoint_printer *p, const struct tracepoint_format *t,
		      const void *raw, u32 raw_size, u32 cpu, struct strbuf *out)
{
	const struct printed *how = prepare(p, t);

	if (how->plan && how->plan->min_size <= raw_size &&
	    plan_guards_hold(how->plan, p->formats, raw)) {
		plan_run(how->plan, p->formats, &p->names, raw, raw_size, out);
		return;
	}
	if (!how->plan && !how->event) {
		tracepoint_print_fields(p, t, raw, raw_size, out);
		return;
	}
	raw_size = MIN(raw_size, 65536u);
	memcpy(p->scratch, raw, raw_size);
	print_scratch(p, how, t, raw_size, cpu, out);
	memset(p->scratch, 0, raw_size);
}

bool tracepoint_printer_is_compiled(struct tracepoint_printer *p, const struct tracepoint_format *t)
{
	return prepare(p, t)->plan;
}

const struct tracepoint_formats *tracepoint_printer_formats(const struct tracepoint_printer *p)
{
	return p->formats;
}
