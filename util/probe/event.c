// SPDX-License-Identifier: GPL-2.0-or-later
/* One line of kprobe_events or uprobe_events, and naming. */
#include "probe/event.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/strbuf.h"
#include "probe/name.h"

/* More events of one name than this are not probes of a person. */
#define MOST_SUFFIXES 1024

static void put_place(struct strbuf *b, const struct probe_event *e)
{
	unsigned long long offset = e->offset;

	if (e->path) {
		strbuf_f(b, "%s:0x%llx", e->path, offset);
		if (e->semaphore)
			strbuf_f(b, "(0x%llx)", (unsigned long long)e->semaphore);
	} else if (!e->symbol) {
		strbuf_f(b, "0x%llx", offset);
	} else {
		if (e->module)
			strbuf_f(b, "%s:", e->module);
		strbuf_f(b, "%s+%llu", e->symbol, offset);
	}
}

void probe_event_text(struct strbuf *b, const struct probe_event *e)
{
	strbuf_char(b, e->is_return ? 'r' : 'p');
	if (e->is_return && e->maxactive)
		strbuf_f(b, "%u", e->maxactive);
	strbuf_f(b, ":%s/%s ", e->group, e->event);
	put_place(b, e);
	vec_for_each(&e->arguments, a) {
		strbuf_char(b, ' ');
		if (a->name)
			strbuf_f(b, "%s=", a->name);
		strbuf_str(b, a->fetch);
		if (a->type)
			strbuf_f(b, ":%s", a->type);
	}
}

/* Returns the ':' before a type, outside of brackets and quotes, or NULL. */
static char *type_colon(char *s)
{
	int depth = 0;
	bool quoted = false;

	for (; *s; s++) {
		quoted ^= *s == '"';
		if (quoted)
			continue;
		depth += (*s == '(') - (*s == ')');
		if (*s == ':' && depth <= 0)
			return s;
	}
	return NULL;
}

static void parse_argument(struct probe_event *e, char *word)
{
	struct probe_event_argument *a = vec_push_zero(&e->arguments);
	char *equals = strchr(word, '='), *colon;

	if (equals) {
		a->name = xstrndup(word, (size_t)(equals - word));
		word = equals + 1;
	}
	colon = type_colon(word);
	if (colon) {
		*colon = '\0';
		a->type = xstrdup(colon + 1);
	}
	a->fetch = xstrdup(word);
}

/* Parses "PATH:0xOFFSET(0xSEMAPHORE)". A path may itself contain ':'. */
static int parse_user_place(struct probe_event *e, char *word)
{
	char *colon = strrchr(word, ':'), *semaphore = colon ? strchr(colon, '(') : NULL, *percent;

	if (!colon)
		return -EINVAL;
	percent = strchr(colon, '%'); /* newer form of a return probe */
	if (semaphore) {
		semaphore[strcspn(semaphore, ")")] = '\0';
		*semaphore = '\0';
		if (parse_hex(semaphore + 1, &e->semaphore))
			return -EINVAL;
	}
	if (percent) {
		*percent = '\0';
		e->is_return = true;
	}
	e->path = xstrndup(word, (size_t)(colon - word));
	return parse_hex(colon + 1, &e->offset);
}

static int parse_kernel_place(struct probe_event *e, char *word)
{
	char *colon = strchr(word, ':'), *plus;

	if (str_starts(word, "0x"))
		return parse_hex(word, &e->offset);
	if (colon) {
		e->module = xstrndup(word, (size_t)(colon - word));
		word = colon + 1;
	}
	plus = strchr(word, '+');
	if (plus) {
		*plus = '\0';
		if (parse_u64(plus + 1, &e->offset))
			return -EINVAL;
	}
	if (str_ends(word, "%return")) {
		word[strlen(word) - strlen("%return")] = '\0';
		e->is_return = true;
	}
	e->symbol = xstrdup(word);
	return 0;
}

/* Parses "p", "r", "r16" and so on with ":GROUP/EVENT". */
static int parse_head(struct probe_event *e, char *word)
{
	char *colon = strchr(word, ':'), *slash = colon ? strchr(colon, '/') : NULL;
	u64 n = 0;

	if (*word != 'p' && *word != 'r')
		return -ENOTSUP;
	if (!slash)
		return -EINVAL;
	e->is_return = *word == 'r';
	*colon = *slash = '\0';
	if (word[1] && (parse_u64(word + 1, &n) || n > UINT32_MAX))
		return -EINVAL;
	e->maxactive = (unsigned)n;
	e->group = xstrdup(colon + 1);
	e->event = xstrdup(slash + 1);
	return 0;
}

/* Returns the next word, ended by a NUL, or NULL. Spaces in double quotes belong to it. */
static char *next_word(char **rest)
{
	char *s = *rest + strspn(*rest, " \t\n"), *end = s;
	bool quoted = false;

	for (; *end && (quoted || !isspace((unsigned char)*end)); end++)
		quoted ^= *end == '"';
	*rest = *end ? end + 1 : end;
	*end = '\0';
	return *s ? s : NULL;
}

int probe_event_parse(struct probe_event *e, const char *line, struct reason *r)
{
	char *copy = xstrdup(line), *rest = copy;
	char *head = next_word(&rest), *place = next_word(&rest), *word;
	int err = head && place ? parse_head(e, head) : -EINVAL;

	if (!err)
		err = *place == '/' ? parse_user_place(e, place) : parse_kernel_place(e, place);
	while (!err && (word = next_word(&rest)))
		parse_argument(e, word);
	free(copy);
	return err ? reason_set(r, -err, "'%s' is not a known kind of probe", line) : 0;
}

bool probe_event_matches(const struct probe_event *e, const char *pattern)
{
	char *full;
	bool match;

	if (!strchr(pattern, ':'))
		return glob_match(pattern, e->event);
	full = xasprintf("%s:%s", e->group, e->event);
	match = glob_match(pattern, full);
	free(full);
	return match;
}

/* Makes a C name: other characters become '_'. */
static void make_name(char *s)
{
	for (; *s; s++)
		if (!isalnum((unsigned char)*s) && *s != '_')
			*s = '_';
}

char *probe_group_name(const char *path)
{
	const char *base;
	char *name;

	if (!path)
		return xstrdup("probe");
	base = path_base(path);
	name = xasprintf("probe_%.*s", (int)strcspn(base, "-._"), base);
	make_name(name);
	return name;
}

/* The kernel allows 63 characters, of which suffixes take some. */
#define LONGEST_NAME 48

/*
 * Returns a function's plain name: "Box::get" of "Box<int>::get() const", "memcpy" of
 * "memcpy@GLIBC_2.14", "f" of "f.isra.0". The caller frees it.
 */
static char *name_plain(const char *function)
{
	const char *end = function + strlen(function);
	struct strbuf b = STRBUF_INIT;
	size_t skip;
	char *name;

	for (const char *s = function, *next; s < end && *s != '.' && *s != '@'; s = next) {
		next = name_skip(function, s, end);
		if (next == s + 1 ? *s != '<' && *s != '(' : !strchr("<({[ ", *s))
			strbuf_add(&b, s, (size_t)(next - s));
	}
	skip = strspn(strbuf_cstr(&b), ":");
	if (b.len > skip + LONGEST_NAME)
		skip = b.len - LONGEST_NAME;
	name = xstrdup(b.len > skip ? b.s + skip : function);
	strbuf_release(&b);
	return name;
}

char *probe_event_base_name(const char *function, bool is_return)
{
	char *name, *full;

	function += *function == '.';
	name = name_plain(function);
	make_name(name);
	full = xasprintf("%s%s%s", isdigit((unsigned char)*name) ? "_" : "", name,
			 is_return ? "__return" : "");
	free(name);
	return full;
}

static bool is_taken(struct strmap *taken, const char *group, const char *base, int number)
{
	char *full = xasprintf("%s:%s_%d", group, base, number);
	bool found = strmap_get(taken, full);

	free(full);
	return found;
}

int probe_event_take_name(struct strmap *taken, const char *group, const char *base, bool suffix,
			  char **name, struct reason *r)
{
	char *full = xasprintf("%s:%s", group, base);
	bool added;

	for (int i = 1; strmap_get(taken, full); i++) {
		free(full);
		if (suffix && i > MOST_SUFFIXES)
			return reason_set(r, EEXIST, "more than %d events would be called '%s:%s'",
					  MOST_SUFFIXES, group, base);
		if (!suffix) {
			/*
			 * which of them is at this place is not known here, so none is named for
			 * removal
			 */
			while (is_taken(taken, group, base, i))
				i++;
			reason_set(r, EEXIST, "event '%s:%s' already exists", group, base);
			reason_hint(
				r,
				"-f adds one more, as %s_%d; 'perf probe -l' shows where each is; "
				"or "
				"name yours: 'perf probe NAME=...'",
				base, i);
			return -EEXIST;
		}
		full = xasprintf("%s:%s_%d", group, base, i);
	}
	strmap_put(taken, full, &added);
	*name = xstrdup(full + strlen(group) + 1);
	free(full);
	return 0;
}

void probe_event_release(struct probe_event *e)
{
	free(e->group);
	free(e->event);
	free(e->path);
	free(e->module);
	free(e->symbol);
	free(e->place);
	free(e->shown_arguments);
	free(e->target);
	vec_for_each(&e->arguments, a) {
		free(a->name);
		free(a->fetch);
		free(a->type);
	}
	vec_release(&e->arguments);
	*e = (struct probe_event){ NULL };
}

void probe_events_release(struct probe_events *e)
{
	vec_for_each(&e->list, it)
		probe_event_release(it);
	vec_release(&e->list);
}
