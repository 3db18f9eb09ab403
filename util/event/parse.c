// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The event language.
 *
 *	list	   item { "," item }
 *	item	   group | event
 *	group	   [NAME] "{" list-of-events "}" [ ":" modifiers ]
 *	event	   body [ ":" modifiers ]  |  body ":" "{" modifiers { "," modifiers } "}"
 *	body	   SYMBOL | CACHE | "r" HEX | TYPE ":" CONFIG | PMU-EVENT
 *		   | SYSTEM ":" NAME [ "/" terms "/" ]
 *		   | ( PMU | SYMBOL | CACHE ) "/" terms "/"	modifiers need no ":" then
 *		   | "mem:" ( ADDRESS | SYMBOL [ "+" OFFSET ] ) [ "/" LENGTH ] [ ":" ACCESS ]
 *	terms	   [ term { "," term } ],  term = NAME [ "=" VALUE ]
 *
 * NAME and SYSTEM may hold globs.  An event's name is its own text; a
 * tracepoint's is SYSTEM:NAME without modifiers, since programs look for that.
 */
#include "event/parse.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "event/internal.h"
#include "event/names.h"
#include "event/pfm.h"

static void skip_blanks(struct parse *p)
{
	p->at += strspn(p->at, " \t\n");
}

static struct span from(const struct parse *p, const char *start)
{
	return (struct span){ start, (size_t)(p->at - start) };
}

/* Parses rNNN. A word like "read" is hex as well, but names no other event. */
static bool parse_raw(struct parse *p, struct span word)
{
	char *hex;
	u64 config;
	bool ok;

	if (word.n < 2 || word.n > 17 || word.s[0] != 'r')
		return false;
	hex = xstrndup(word.s + 1, word.n - 1);
	ok = strspn(hex, "0123456789abcdefABCDEF") == word.n - 1 && !parse_hex(hex, &config);
	if (ok)
		parse_add(p, PERF_TYPE_RAW, config, word);
	free(hex);
	return ok;
}

static bool is_number(struct span s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!isdigit((unsigned char)s.s[i]))
			return false;
	return s.n > 0;
}

/* Parses TYPE:CONFIG, as in perf_event_attr. */
static int parse_numeric(struct parse *p, struct span type)
{
	u64 type_number, config_number;
	struct span config;
	char *a = xstrndup(type.s, type.n), *b;
	int err;

	p->at++;
	config = parse_scan_word(p);
	b = xstrndup(config.s, config.n);
	err = parse_u64(a, &type_number) || type_number > UINT32_MAX
		      ? parse_fault(p, type, "'%s' is not an event type", a)
	      : parse_u64(b, &config_number)
		      ? parse_fault(p, config, "expected the event's number after '%s:'", a)
		      : 0;
	if (!err)
		parse_add(p, (u32)type_number, config_number, from(p, type.s));
	free(a);
	free(b);
	return err;
}

/* Explains the absence of a name: an empty group, or braces in its place. */
static int missing_event(struct parse *p)
{
	const char *before = p->at;
	int err;

	while (before > p->text && strchr(" \t\n", before[-1]))
		before--;
	if (*p->at == '}' && before > p->text && before[-1] == '{')
		return parse_fault(p, (struct span){ p->at, 1 }, "this group is empty");
	if (*p->at != '{')
		return parse_fault(p, (struct span){ p->at, 1 }, "expected an event");
	err = parse_fault(p, (struct span){ p->at, 1 }, "a group cannot hold another one");
	reason_hint(p->r, "close the first one before the next begins: '{A,B},{C,D}'");
	return err;
}

static int missing_tracepoint(struct parse *p, struct span system, struct span name)
{
	int err = parse_fault(p, name, "expected a tracepoint's name");

	if (*p->at == '{')
		reason_hint(p->r, "name each by itself, '%.*s:A,%.*s:B', or use a glob: '%.*s:*'",
			    (int)system.n, system.s, (int)system.n, system.s, (int)system.n,
			    system.s);
	return err;
}

static int unknown_event(struct parse *p, struct span word)
{
	const struct event_symbol *symbols;
	struct strlist names = { 0 };
	char buf[64];
	size_t count;

	if (!word.n)
		return missing_event(p);
	parse_fault(p, word, "unknown event '%.*s'", (int)word.n, word.s);
	symbols = event_symbols(&count);
	for (size_t i = 0; i < count; i++) {
		strlist_add(&names, symbols[i].name);
		if (symbols[i].alias)
			strlist_add(&names, symbols[i].alias);
	}
	for (u64 i = 0; i < CACHE_COUNT * CACHE_OPERATIONS * CACHE_RESULTS; i++) {
		u64 config = i % CACHE_COUNT | (i / CACHE_COUNT % CACHE_OPERATIONS) << 8 |
			     (i / CACHE_COUNT / CACHE_OPERATIONS) << 16;

		if (cache_event_name(config, buf, sizeof(buf)))
			strlist_add(&names, buf);
	}
	pmu_event_names(p, &names);
	parse_suggest(p, word, &names);
	strlist_release(&names);
	return -EINVAL;
}

/* Asks the caller's parser about what nothing here knows: 0 when it became events. */
static int ask_above(struct parse *p, struct span name, struct span word)
{
	const struct event_parser *parser = p->parser;
	char *text;
	int got;

	if (!parser->resolve)
		return unknown_event(p, word);
	text = xstrndup(name.s, name.n);
	got = parser->resolve(parser->resolve_arg, p->set, text, p->r);
	free(text);
	if (got > 0)
		return 0;
	return got < 0 ? got : unknown_event(p, word);
}

/*
 * Calls resolve() for a name that is not a tracepoint of this host. If that does not know it
 * either, keeps err and its reason.
 */
static int ask_instead(struct parse *p, struct span name, int err)
{
	char *text = xstrndup(name.s, name.n);
	int got = p->parser->resolve(p->parser->resolve_arg, p->set, text, p->r);

	free(text);
	return got > 0 ? 0 : got < 0 ? got : err;
}

static int parse_pfm(struct parse *p, struct span word);

/*
 * Tries "EVENT:MASK" of libpfm4, as perf list prints it, if no tracepoint has that name. If the
 * library does not know it either, keeps err and its reason.
 */
static int ask_pfm(struct parse *p, struct span word, int err)
{
	const char *after = p->at;
	int got;

	p->at = word.s + word.n;
	got = parse_pfm(p, word);
	if (!got) {
		p->at = after;
		return err;
	}
	if (got > 0)
		reason_release(p->r);
	return MIN(got, 0);
}

/* In a system of perf probe every word is a tracepoint, also one that looks like modifiers. */
static bool is_of_probes(struct span system)
{
	return span_is(system, "probe") || (system.n > 6 && !strncmp(system.s, "probe_", 6)) ||
	       (system.n > 4 && !strncmp(system.s, "sdt_", 4));
}

static int parse_system_name(struct parse *p, struct span system)
{
	const char *colon = p->at;
	struct span name;
	int err;

	p->at++;
	name = parse_scan_word(p);
	if (!is_modifiers(name.s, name.n) || is_of_probes(system) ||
	    tracepoint_system_known(p, system)) {
		size_t first = p->set->list.count;

		err = name.n ? parse_tracepoint(p, system, name)
			     : missing_tracepoint(p, system, name);
		if (err && p->parser->resolve)
			err = ask_instead(p, from(p, system.s), err);
		if (err && name.n)
			err = ask_pfm(p, system, err);
		if (err || *p->at != '/')
			return err;
		p->at++;
		return parse_tracepoint_terms(p, first);
	}
	p->at = colon;
	err = ask_above(p, system, system);
	return err ? ask_pfm(p, system, err) : 0;
}

/* Parses symbols, cache events, raw codes. Returns 1 if it was one, 0 if not, or -errno. */
static int parse_known(struct parse *p, struct span word)
{
	const struct event_symbol *symbol = event_symbol_find(word.s, word.n);
	u64 config;
	int err;

	if (symbol && (symbol->tool || symbol->type != PERF_TYPE_HARDWARE)) {
		parse_add_symbol(p, symbol, word);
		return 1;
	}
	if (symbol || cache_event_parse(word.s, word.n, &config)) {
		u32 type = symbol ? PERF_TYPE_HARDWARE : PERF_TYPE_HW_CACHE;

		if (symbol)
			config = symbol->config;
		err = parse_hybrid(p, word, type, config);
		if (!err)
			parse_add(p, type, config, word);
		return err < 0 ? err : 1;
	}
	return parse_raw(p, word);
}

/*
 * Parses a name of libpfm4, with its attributes if a colon follows the word. Returns 1, 0 or
 * -errno.
 */
static int parse_pfm(struct parse *p, struct span word)
{
	struct pfm_code code;
	struct event *ev;
	char *text;
	int got;

	if (p->parser->pfm || *p->at == ':')
		p->at = word.s + strcspn(word.s, ",{}/ \t\n");
	text = xstrndup(word.s, (size_t)(p->at - word.s));
	got = pfm_encode(text, &code);
	/* in the words that scripts know from libpfm4's front ends */
	if (got < 0)
		got = parse_fault(p, from(p, word.s),
				  "failed to parse event %s : invalid or missing unit mask", text);
	free(text);
	if (got <= 0)
		return got;
	ev = parse_add(p, code.type, code.config, from(p, word.s));
	ev->attr.config1 = code.config1;
	ev->attr.config2 = code.config2;
	ev->attr.flags |= (code.exclude_user ? ATTR_EXCLUDE_USER : 0) |
			  (code.exclude_kernel ? ATTR_EXCLUDE_KERNEL : 0) |
			  (code.exclude_hv ? ATTR_EXCLUDE_HV : 0);
	return 1;
}

static int parse_body(struct parse *p)
{
	struct span word = parse_scan_word(p);
	int got;

	if (p->parser->pfm || (word.n && str_starts(p->at, "::"))) {
		got = parse_pfm(p, word);
		if (got)
			return MIN(got, 0);
		unknown_event(p, from(p, word.s));
		reason_hint(p->r,
			    "'perf list pfm' shows the names that libpfm4 has for this machine");
		return -EINVAL;
	}

	if (*p->at == '/' && word.n) {
		p->at++;
		return parse_slashes(p, word);
	}
	if (*p->at == ':' && span_is(word, "mem"))
		return parse_breakpoint(p, word);
	got = parse_known(p, word);
	if (!got && *p->at == ':' && is_number(word))
		return parse_numeric(p, word);
	if (!got && word.n)
		got = parse_pmu_name(p, word);
	if (!got && word.n && *p->at != ':')
		got = parse_pfm(p, word);
	if (got)
		return got < 0 ? got : 0;
	if (*p->at == ':' && word.n)
		return parse_system_name(p, word);
	return ask_above(p, word, word);
}

/* Tracepoints keep their plain name, name= the user's. */
static void add_to_names(struct parse *p, size_t first, struct span letters, const char *between)
{
	for (size_t i = first; i < p->set->list.count; i++) {
		struct event *ev = p->set->list.items[i];
		char *old = ev->name;

		if (event_is_tracepoint(ev) || ev->named)
			continue;
		ev->name = xasprintf("%s%s%.*s", old, between, (int)letters.n, letters.s);
		free(old);
	}
}

static int one_alternative(struct parse *p, const char *body, size_t first, bool again)
{
	struct span letters = parse_scan_word(p);
	const char *after = p->at;
	int err = 0;

	if (again) {
		first = p->set->list.count;
		p->at = body;
		err = parse_body(p);
		p->at = after;
	}
	if (!letters.n)
		return parse_fault(p, letters, "expected modifiers");
	if (!err)
		err = apply_modifiers(p, letters, first, false);
	if (!err)
		add_to_names(p, first, letters, ":");
	return err;
}

/* Parses "EVENT:{k,u}": adds the event once for each alternative. */
static int parse_alternatives(struct parse *p, const char *body, size_t first)
{
	struct span brace = { p->at, 1 };
	bool again = false;
	int err;

	do {
		p->at++;
		err = one_alternative(p, body, first, again);
		again = true;
	} while (!err && *p->at == ',');
	if (!err && *p->at != '}')
		err = parse_fault(p, brace, "this '{' has no '}'");
	p->at += !err;
	return err;
}

/*
 * Scans the letters in "EVENT:u", and "PMU/TERMS/u" or "PMU/TERMS/:u"; sets n to 0 if there are
 * none.
 */
static int scan_modifiers(struct parse *p, struct span *letters)
{
	*letters = (struct span){ p->at, 0 };
	if (*p->at == ':')
		p->at++;
	else if (p->at[-1] != '/')
		return 0;
	else if (!*p->at || strchr(parse_word_end, *p->at))
		return 0;
	if (*p->at == '{')
		return 0;
	*letters = parse_scan_word(p);
	if (!letters->n)
		return parse_fault(p, *letters, "expected modifiers after ':'");
	return 0;
}

static int parse_event(struct parse *p)
{
	size_t first = p->set->list.count;
	const char *start = p->at;
	struct span letters;
	bool slashes;
	int err = parse_body(p);

	if (err)
		return err;
	slashes = p->at > start && p->at[-1] == '/';
	err = scan_modifiers(p, &letters);
	if (!err && *p->at == '{' && !letters.n && p->at[-1] == ':')
		return parse_alternatives(p, start, first);
	if (!err && letters.n)
		err = apply_modifiers(p, letters, first, false);
	if (!err && letters.n)
		add_to_names(p, first, letters, slashes && letters.s[-1] == '/' ? "" : ":");
	return err;
}

/* Returns the PMU of a kind of cores, if there are several kinds, or NULL for any. */
static const char *core_kind(const struct event *ev)
{
	return ev->pmu && str_starts(ev->pmu, "cpu_") ? ev->pmu : NULL;
}

/*
 * Cores of different kinds cannot count one group: from first on those of the first
 * event's kind come first, with all that is not a core's.  Returns their end.
 */
static size_t gather_kind(struct event_set *set, size_t first)
{
	size_t count = set->list.count, end = first;
	struct event **kept = xcalloc(count - first + 1, sizeof(*kept));
	const char *kind = NULL;
	size_t others = 0;

	for (size_t i = first; i < count && !kind; i++)
		kind = core_kind(set->list.items[i]);
	for (size_t i = first; i < count; i++) {
		struct event *ev = set->list.items[i];
		const char *own = core_kind(ev);

		if (own && strcmp(own, kind))
			kept[others++] = ev;
		else
			set->list.items[end++] = ev;
	}
	memcpy(set->list.items + end, kept, others * sizeof(struct event *));
	free(kept);
	return end;
}

static void make_group(struct parse *p, size_t first, struct span name)
{
	struct event_set *set = p->set;

	for (size_t at = first, end; at < set->list.count; at = end) {
		end = gather_kind(set, at);
		event_set_lead(set, at, end);
		/* a tool event at the beginning does not lead */
		if (name.n)
			set->list.items[end - 1]->leader->group_name = xstrndup(name.s, name.n);
	}
	for (size_t i = first; i < set->list.count; i++)
		set->list.items[i]->index = (u32)i;
}

static int parse_group(struct parse *p, struct span name)
{
	size_t first = p->set->list.count;
	struct span brace = { p->at, 1 }, letters;
	int err;

	do {
		p->at++;
		skip_blanks(p);
		err = parse_event(p);
		skip_blanks(p);
	} while (!err && *p->at == ',');
	if (err)
		return err;
	if (*p->at != '}')
		return *p->at ? parse_fault(p, (struct span){ p->at, 1 }, "expected ',' or '}'")
			      : parse_fault(p, brace, "this '{' has no '}'");
	p->at++;
	make_group(p, first, name);
	if (*p->at != ':')
		return 0;
	p->at++;
	letters = parse_scan_word(p);
	if (!letters.n)
		return parse_fault(p, letters, "expected modifiers after ':'");
	return apply_modifiers(p, letters, first, true);
}

/*
 * Reports whether the word is a program that perf 6.1 compiles and loads: "./prog.c", "prog.o",
 * "./prog.c/map:channel.event=evt/".
 */
static bool is_bpf_program(struct span s)
{
	size_t file = 0;

	if (*s.s == '.' || *s.s == '/')
		return true;
	while (file < s.n && s.s[file] != '/' && s.s[file] != ':')
		file++;
	return file > 2 && s.s[file - 2] == '.' && (s.s[file - 1] == 'c' || s.s[file - 1] == 'o');
}

static int parse_program(struct parse *p, struct span item)
{
	char *path = xstrndup(item.s, item.n);
	size_t n = item.n;
	int err;

	if (!p->parser->program)
		err = parse_fault(
			p, item,
			"'%s' is a BPF program, which only perf record accepts as an event", path);
	else if (n < 2 || path[n - 2] != '.' || (path[n - 1] != 'c' && path[n - 1] != 'o')) {
		err = parse_fault(p, item, "expected a BPF program, FILE.o or FILE.c");
		if (strstr(path, "/map:"))
			reason_hint(
				p->r,
				"give -e '%.*s' alone: each of its maps of type PERF_EVENT_ARRAY "
				"is an event of the map's "
				"name",
				(int)strcspn(path, ":") - (int)strlen("/map"), path);
	} else
		err = p->parser->program(p->parser->program_arg, p->set, path, p->r);
	p->at += n;
	free(path);
	return err;
}

static int parse_item(struct parse *p)
{
	struct span item;
	size_t n;

	skip_blanks(p);
	item = (struct span){ p->at, strcspn(p->at, ",{}") };
	if (item.n && is_bpf_program(item))
		return parse_program(p, item);
	n = strcspn(p->at, parse_word_end);
	if (p->at[n] != '{')
		return parse_event(p);
	p->at += n;
	return parse_group(p, (struct span){ p->at - n, n });
}

static int parse_list(struct parse *p)
{
	int err;

	for (;;) {
		err = parse_item(p);
		skip_blanks(p);
		if (err || !*p->at)
			return err;
		if (*p->at != ',')
			return parse_fault(p, (struct span){ p->at, 1 }, "expected ',' or the end");
		p->at++;
	}
}

int event_parse(const struct event_parser *parser, struct event_set *set, const char *text,
		struct reason *r)
{
	struct parse p = { .parser = parser, .set = set, .text = text, .at = text, .r = r };
	size_t before = set->list.count;
	int err = parse_list(&p);

	if (err && r && r->text && !r->hint)
		reason_hint(r, "'perf help events' shows the grammar of events");
	if (err)
		event_set_truncate(set, before);
	else
		set->last_parse = (u32)before;
	free(p.tracefs);
	return err;
}
