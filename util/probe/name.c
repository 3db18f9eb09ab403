// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of functions as C++ and Rust programs show them. */
#include "probe/name.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static char closing(char c)
{
	return c == '<' ? '>' : c == '(' ? ')' : c == '{' ? '}' : c == '[' ? ']' : '\0';
}

/* Brackets within brackets deeper than this are taken as text. */
#define BRACKET_DEPTH 100

/*
 * Returns the position after the bracket that closes the one at s, or NULL if there is none. A
 * bracket inside that is never closed ("a < b" in parentheses) is text.
 */
static const char *skip_brackets(const char *s, const char *end)
{
	char open[BRACKET_DEPTH];
	int depth = 0;

	for (; s < end; s++) {
		int level = depth;

		if (closing(*s)) {
			if (depth == BRACKET_DEPTH)
				return NULL;
			open[depth++] = closing(*s);
			continue;
		}
		if (!strchr(">)}]", *s) || (*s == '>' && s[-1] == '-'))
			continue;
		while (level && open[level - 1] != *s)
			level--;
		if (level == 1)
			return s + 1;
		if (level)
			depth = level - 1;
	}
	return NULL;
}

static bool begins_with(const char *s, const char *end, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(end - s) >= n && !strncmp(s, word, n);
}

static const char *skip_word(const char *s, const char *end)
{
	while (s < end && is_word(*s))
		s++;
	return s;
}

/* Reports whether another word of the same type may follow: "unsigned long", "char const". */
static bool is_type_word(const char *s, size_t n)
{
	static const char *const words[] = { "unsigned", "signed", "long",  "short",   "int",
					     "char",     "double", "const", "volatile" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strlen(words[i]) == n && !strncmp(s, words[i], n))
			return true;
	return false;
}

/* Skips the type of a conversion: "bool", "unsigned long", "char const*", "std::vector<int>&". */
static const char *skip_type(const char *s, const char *end)
{
	while (s < end) {
		const char *word = s, *next;

		while (s < end && (is_word(*s) || begins_with(s, end, "::") || *s == '<')) {
			next = *s == '<' ? skip_brackets(s, end) : NULL;
			s = next ? next : s + (*s == ':' ? 2 : 1);
		}
		next = s < end && *s == ' ' ? s + 1 : s;
		if (next == s || !is_type_word(next, (size_t)(skip_word(next, end) - next)) ||
		    !is_type_word(word, (size_t)(s - word)))
			break;
		s = next;
	}
	while (s < end && (*s == '*' || *s == '&'))
		s++;
	return s;
}

/* Longer ones first. */
static const char *const operators[] = {
	"<=>", "->*", "<<=", ">>=", "()", "[]", "<<", ">>", "<=", ">=", "==", "!=", "&&",
	"||",  "++",  "--",  "+=",  "-=", "*=", "/=", "%=", "^=", "&=", "|=", "->", "<",
	">",   "=",   "!",   "+",   "-",  "*",  "/",  "%",  "^",  "&",  "|",  "~",  ",",
};

/* Skips "operator==", "operator new[]", "operator bool", "operator\"\" _km". */
static const char *skip_operator(const char *s, const char *end)
{
	s += strlen("operator");
	if (begins_with(s, end, "\"\"")) {
		s += 2;
		return skip_word(s < end && *s == ' ' ? s + 1 : s, end);
	}
	for (size_t i = 0; i < ARRAY_SIZE(operators); i++) {
		if (!begins_with(s, end, operators[i]))
			continue;
		s += strlen(operators[i]);
		/* "operator<< <char>" */
		return begins_with(s, end, " <") ? s + 1 : s;
	}
	if (begins_with(s, end, " new") || begins_with(s, end, " delete")) {
		s = skip_word(s + 1, end);
		return begins_with(s, end, "[]") ? s + 2 : s;
	}
	return s < end && *s == ' ' && s + 1 < end && is_word(s[1]) ? skip_type(s + 1, end) : s;
}

static bool is_operator(const char *start, const char *s, const char *end)
{
	const char *after = s + strlen("operator");

	return begins_with(s, end, "operator") && (s == start || !is_word(s[-1])) &&
	       (after == end || !is_word(*after));
}

const char *name_skip(const char *start, const char *s, const char *end)
{
	const char *after = NULL;

	if (*s == '\\' && s + 1 < end)
		return s + 2;
	if (begins_with(s, end, "::"))
		return s + 2;
	if (is_operator(start, s, end))
		return skip_operator(s, end);
	if (*s == '"') {
		after = memchr(s + 1, '"', (size_t)(end - s - 1));
		return after ? after + 1 : s + 1;
	}
	if (closing(*s))
		after = skip_brackets(s, end);
	/* The words after parameters, and what a compiler made of a function. */
	if (after && *s == '(' && begins_with(after, end, " const") &&
	    (after + 6 == end || !is_word(after[6])))
		return after + 6;
	if (!after && begins_with(s, end, " [clone ")) {
		after = skip_brackets(s + 1, end);
		return after ? after : s + 1;
	}
	return after ? after : s + 1;
}

bool name_has_glob(const char *name)
{
	const char *end = name + strlen(name);

	for (const char *s = name; s < end; s = name_skip(name, s, end))
		if (*s == '*' || *s == '?' || *s == '[')
			return true;
	return false;
}

/*
 * Returns where the parameters begin, at an outer "(" that is not the start of a scope, as in
 * "(anonymous namespace)::f" and in Go's "main.(*T).Work"; or the end.
 */
static const char *find_parameters(const char *name)
{
	const char *end = name + strlen(name);

	for (const char *s = name, *next; s < end; s = next) {
		next = name_skip(name, s, end);
		if (*s == '(' && next > s + 1 &&
		    (next == end ||
		     (strncmp(next, "::", 2) && !(next[0] == '.' && is_word(next[1])))))
			return s;
	}
	return end;
}

bool name_has_parameters(const char *name)
{
	return *find_parameters(name) != '\0';
}

bool name_is_qualified(const char *name)
{
	return strstr(name, "::") || strpbrk(name, "<({ ") ||
	       is_operator(name, name, name + strlen(name));
}

char *name_last(const char *name)
{
	const char *end = find_parameters(name), *last = name, *stop = end;

	for (const char *s = name, *next; s < end; s = next) {
		next = name_skip(name, s, end);
		if (next == s + 2 && *s == ':' && s[1] == ':' && next < end && *next != '<') {
			last = next;
			stop = end;
		} else if (next == s + 2 && *s == ':') {
			stop = s; /* Rust's "f::<T>" */
		} else if (*s == '<' && next > s + 1 && s > last) {
			stop = MIN(stop, s);
		}
	}
	while (stop > last && stop[-1] == ' ')
		stop--;
	return xstrndup(last, (size_t)(stop - last));
}

static char *without_blanks(const char *from, const char *end)
{
	char *text = xmalloc((size_t)(end - from) + 1), *to = text;

	for (; from < end; from++)
		if (*from != ' ')
			*to++ = *from;
	*to = '\0';
	return text;
}

static bool ends_in(const char *full, const char *wanted)
{
	size_t n = strlen(full), w = strlen(wanted);

	return n >= w && !strcmp(full + n - w, wanted) &&
	       (n == w || (n - w >= 2 && !strncmp(full + n - w - 2, "::", 2)));
}

/* Skips the result type, which templates have before their name. */
static const char *skip_result(const char *full)
{
	const char *end = find_parameters(full), *name = full;

	for (const char *s = full; s < end; s = name_skip(full, s, end))
		if (*s == ' ')
			name = s + 1;
	return name;
}

static bool name_matches(const char *full, const char *wanted,
			 bool (*fits)(const char *, const char *))
{
	bool parameters = name_has_parameters(wanted), match;
	char *a = without_blanks(parameters ? skip_result(full) : full,
				 parameters ? full + strlen(full) : find_parameters(full));
	char *b = without_blanks(wanted, wanted + strlen(wanted));
	size_t n = strlen(a);

	match = fits(a, b);
	/* A user who names the parameters may leave out "const". */
	if (!match && parameters && n > 5 && !strcmp(a + n - 6, ")const")) {
		a[n - 5] = '\0';
		match = fits(a, b);
	}
	free(a);
	free(b);
	return match;
}

bool name_ends_in(const char *full, const char *wanted)
{
	return name_matches(full, wanted, ends_in);
}

static bool is_same(const char *full, const char *wanted)
{
	return !strcmp(full, wanted);
}

bool name_is(const char *full, const char *wanted)
{
	return name_matches(full, wanted, is_same);
}
