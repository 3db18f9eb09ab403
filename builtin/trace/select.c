// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * -e: a list of system calls, groups of calls and events; '!' before the first word or each selects
 * all other calls.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "builtin/trace/internal.h"
#include "event/parse.h"

bool trace_wants(const struct trace *t, u32 nr, bool compat)
{
	if (!t->selected)
		return true;
	return syscall_set_has(compat ? &t->want_compat : &t->want, nr) != t->excluded;
}

/* Splits at commas, except inside a regular expression, an event's terms or a group's braces. */
static void split(struct strlist *words, const char *text)
{
	struct strbuf word = STRBUF_INIT;
	bool regex = false, terms = false, braces = false;

	for (const char *p = text; *p; p++) {
		size_t length = strcspn(p, ",");

		/* slashes of a path do not enclose anything */
		if (!word.len && !regex && !terms && length > 2 &&
		    !strncmp(p + length - 2, ".o", 2)) {
			strbuf_add(&word, p, length);
			p += length - 1;
			continue;
		}
		if (*p == '/' && (!word.len || !strcmp(strbuf_cstr(&word), "!")))
			regex = true;
		else if (*p == '/' && regex && (!p[1] || p[1] == ','))
			regex = false;
		else if (*p == '/' && !regex)
			terms = !terms;
		if (!regex && !terms && (*p == '}' || (*p == '{' && !word.len)))
			braces = *p == '{';
		if (*p == ',' && !regex && !terms && !braces) {
			if (word.len)
				strlist_add(words, strbuf_cstr(&word));
			strbuf_clear(&word);
		} else {
			strbuf_char(&word, *p);
		}
	}
	if (word.len)
		strlist_add(words, strbuf_cstr(&word));
	strbuf_release(&word);
}

static int unknown(const struct trace *t, const char *word, struct reason *event_reason,
		   struct reason *r)
{
	VEC(const char *) names = VEC_INIT;
	const char *near;

	if (strpbrk(word, ":/{*?") || has_glob(word)) {
		reason_move(r, event_reason);
		return -EINVAL;
	}
	for (u32 nr = 0; nr <= syscall_most(t->native); nr++)
		if (syscall_find(t->native, nr))
			vec_push(&names, syscall_find(t->native, nr)->name);
	near = nearest_name(word, names.items, names.count);
	reason_set(r, EINVAL, "'%s' is neither a system call nor an event", word);
	if (near)
		reason_hint(r, "did you mean '%s'?", near);
	else
		reason_hint(
			r,
			"'perf list' lists events, '%%file' and other words are groups of system "
			"calls");
	vec_release(&names);
	reason_release(event_reason);
	return -EINVAL;
}

static int add_event(struct trace *t, const char *word, struct reason *r)
{
	static const struct event_parser parser = { .command = "trace" };
	struct reason why = REASON_INIT;
	int err = event_parse(&parser, &t->set, word, &why);

	return err ? unknown(t, word, &why, r) : 0;
}

static int add_word(struct trace *t, const char *word, bool excluded, struct reason *r);

/* Adds "{a,b}": events that are counted together, or simply system calls. */
static int add_group(struct trace *t, const char *word, struct reason *r)
{
	char *inner = xstrndup(word + 1, strcspn(word + 1, "}"));
	struct reason ignored = REASON_INIT;
	struct strlist names = { 0 };
	struct syscall_set calls;
	bool are_calls = inner[0] && !strcmp(word + 1 + strlen(inner), "}");
	int err = 0;

	memset(&calls, 0, sizeof(calls));
	strlist_split(&names, inner, ",");
	vec_for_each(&names.list, name)
		are_calls &= !syscall_select(t->native, *name, &calls, &ignored);
	if (!are_calls)
		err = add_event(t, word, r);
	for (size_t i = 0; are_calls && !err && i < names.list.count; i++)
		err = add_word(t, names.list.items[i], false, r);
	reason_release(&ignored);
	strlist_release(&names);
	free(inner);
	return err;
}

static int add_word(struct trace *t, const char *word, bool excluded, struct reason *r)
{
	int err;

	if (*word == '{' && excluded)
		return reason_set(r, EINVAL, "the group '%s' cannot be left out", word);
	if (*word == '{')
		return add_group(t, word, r);
	if (trace_is_object(word) && excluded)
		return reason_set(r, EINVAL,
				  "'%s' is a file of BPF programs, which cannot be left out", word);
	if (trace_is_object(word)) {
		trace_add_object(t, word);
		return 0;
	}
	err = syscall_select(t->native, word, &t->want, r);
	if (err == -EINVAL)
		return err;
	if (t->compat) {
		struct reason ignored = REASON_INIT;

		/* a call that only 32-bit tasks have is known all the same */
		if (!syscall_select(t->compat, word, &t->want_compat, &ignored))
			err = 0;
		reason_release(&ignored);
	}
	if (err && excluded && strchr(word, ':')) {
		reason_set(r, EINVAL, "'!' leaves out system calls, and '%s' is not one", word);
		reason_hint(r, "give each its own option: -e '!CALL' -e %s", word);
		return -EINVAL;
	}
	if (err && excluded)
		return reason_set(r, EINVAL, "there is no system call '%s'", word);
	if (err)
		return add_event(t, word, r);
	t->selected = true;
	strlist_add(&t->o.words, word);
	return 0;
}

/* Selects the same names among the calls of another architecture, where they have other numbers. */
void trace_select_again(struct trace *t)
{
	struct reason ignored = REASON_INIT;

	memset(&t->want, 0, sizeof(t->want));
	memset(&t->want_compat, 0, sizeof(t->want_compat));
	vec_for_each(&t->o.words.list, word) {
		(void)syscall_select(t->native, *word, &t->want, &ignored);
		if (t->compat)
			(void)syscall_select(t->compat, *word, &t->want_compat, &ignored);
		reason_release(&ignored);
	}
}

static int exclude_each_other(const char *text, struct reason *r)
{
	reason_set(r, EINVAL, "-e '%s': calls to trace and calls to leave out exclude each other",
		   text);
	reason_hint(
		r, "name either those to trace or, after '!', those to leave out; events need a -e "
		   "of their own");
	return -EINVAL;
}

/* Refuses a call to leave out after an event. Returns -EINVAL with a reason. */
static int needs_own_option(const char *word, struct reason *r)
{
	reason_set(r, EINVAL, "'%s' leaves out a system call, and what precedes it names events",
		   word);
	reason_hint(r, "give each its own option: -e EVENT -e '%s'", word);
	return -EINVAL;
}

/* Adds the words of one -e. If it names raw_syscalls:*, each call would be shown twice. */
int trace_add_words(struct trace *t, const char *text, struct reason *r)
{
	bool excluded = text[0] == '!', selected = t->selected;
	struct strlist words = { 0 };
	int err = 0;

	if (excluded && t->selected && !t->excluded)
		return exclude_each_other(text, r);
	split(&words, text);
	if (!words.list.count || !strcmp(text, "!"))
		err = reason_set(r, EINVAL, "-e '%s' names nothing", text);
	t->selected = false; /* by these words */
	vec_for_each(&words.list, word) {
		bool out = **word == '!'; /* "!a,b" leaves out both, as "!a,!b" does */

		if (!err && out && !excluded)
			err = t->selected ? exclude_each_other(text, r)
					  : needs_own_option(*word, r);
		if (!err)
			err = add_word(t, *word + out, excluded, r);
	}
	if (!err && t->excluded && t->selected && !excluded)
		err = exclude_each_other(text, r);
	t->selected |= selected;
	t->excluded |= excluded && t->selected;
	strlist_release(&words);
	return err;
}
