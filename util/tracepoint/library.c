// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Prints texts with libtraceevent.
 *
 * Tabs inside the strings of a print format confuse it, so it gets them as \\t. Its parser writes
 * the values of flags into a buffer that all handles of the process share, so only one thread may
 * use it at a time.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <traceevent/event-parse.h>

#include "tracepoint/library.h"

/* Held during each call of libtraceevent that parses or prints. */
static pthread_mutex_t inside = PTHREAD_MUTEX_INITIALIZER;

struct library {
	struct tep_handle *tep;
	struct trace_seq seq;
	const struct plan_names *names;
	char resolved[256], module[64];
};

/*
 * Resolves an address. libtraceevent requires this form of callback; it does not free the strings.
 */
static char *resolve(void *arg, unsigned long long *addr, char **module)
{
	struct library *l = arg;
	u64 at = *addr;

	l->module[0] = 0;
	if (!l->names->resolve ||
	    !l->names->resolve(l->names->resolve_arg, &at, l->resolved, sizeof(l->resolved),
			       l->module, sizeof(l->module)))
		return NULL;
	*addr = at;
	*module = l->module[0] ? l->module : NULL;
	return l->resolved;
}

struct library *library_new(const struct tracepoint_formats *f, const struct plan_names *names)
{
	struct library *l = xcalloc(1, sizeof(*l));

	l->names = names;
	l->tep = tep_alloc();
	trace_seq_init(&l->seq);
	if (!l->tep)
		return l;
	pthread_mutex_lock(&inside);
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_file_bigendian(l->tep, f->big_endian ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(l->tep, tep_is_bigendian() ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_long_size(l->tep, f->long_size);
	tep_set_function_resolver(l->tep, resolve, l);
	pthread_mutex_unlock(&inside);
	return l;
}

void library_free(struct library *l)
{
	trace_seq_destroy(&l->seq);
	if (l->tep)
		tep_free(l->tep);
	free(l);
}

void library_add_string(struct library *l, const char *quoted, u64 addr)
{
	if (l->tep)
		tep_register_print_string(l->tep, quoted, addr);
}

/* Writes the format with every tab after "print fmt:" escaped. */
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

/*
 * Reports whether all bytes are such as the kernel writes. The library's parser crashes on those of
 * a damaged file.
 */
static bool is_text(const struct format_entry *e)
{
	for (size_t i = 0; i < e->text_size; i++) {
		u8 c = (u8)e->text[i];

		if (c >= 0x7f || (c < 0x20 && c != '\t' && c != '\n'))
			return false;
	}
	return true;
}

/*
 * Reports whether nesting is shallow. The library's parser recurses for each parenthesis and each
 * operator; the kernel's formats do not go too deep.
 */
static bool is_shallow(const struct format_entry *e)
{
	enum { DEEPEST = 200, LONGEST = 8000 };
	size_t depth = 0, since_comma = 0;

	for (size_t i = 0; i < e->text_size; i++) {
		char c = e->text[i];

		depth += c == '(' || c == '{';
		depth -= (c == ')' || c == '}') && depth;
		since_comma = c == ',' || c == ';' ? 0 : since_comma + 1;
		if (depth > DEEPEST || since_comma > LONGEST)
			return false;
	}
	return true;
}

/*
 * Reports whether all arrays of fields end. After one that does not, the library's parser crashes
 * in the print format.
 */
static bool arrays_end(const struct format_entry *e)
{
	const char *print = strstr(e->text, "print fmt:"),
		   *end = print ? print : e->text + e->text_size;
	bool open = false;

	for (const char *c = e->text; c < end; c++) {
		if (open ? *c == '[' || *c == ';' || *c == '\n' : *c == ']')
			return false;
		open = *c == '[' || (open && *c != ']');
	}
	return !open;
}

static struct tep_event *parse(struct library *l, const struct tracepoint_format *t)
{
	struct strbuf text = STRBUF_INIT;
	struct tep_event *event = NULL;

	if (!is_text(format_entry(t)) || !is_shallow(format_entry(t)) ||
	    !arrays_end(format_entry(t)))
		return NULL;
	escape_tabs(format_entry(t), &text);
	if (l->tep && !tep_parse_event(l->tep, text.s, text.len, t->system))
		event = tep_find_event(l->tep, (int)t->id);
	strbuf_release(&text);
	return event;
}

bool library_add(struct library *l, const struct tracepoint_format *t)
{
	bool known;

	pthread_mutex_lock(&inside);
	known = parse(l, t);
	pthread_mutex_unlock(&inside);
	return known;
}

bool library_lists_fields(const struct library *l, const struct tracepoint_format *t)
{
	const struct tep_event *event = tep_find_event(l->tep, (int)t->id);

	return event && event->flags & TEP_EVENT_FL_FAILED;
}

void library_print(struct library *l, u8 *raw, u32 raw_size, u32 cpu, struct strbuf *out)
{
	struct tep_record record = { .cpu = (int)cpu, .size = (int)raw_size, .data = raw };

	trace_seq_reset(&l->seq);
	pthread_mutex_lock(&inside);
	tep_print_event(l->tep, &l->seq, &record, "%s", TEP_PRINT_INFO);
	pthread_mutex_unlock(&inside);
	trace_seq_terminate(&l->seq);
	strbuf_add(out, l->seq.buffer, l->seq.len);
}
