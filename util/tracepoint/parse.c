// SPDX-License-Identifier: GPL-2.0-or-later
/* Parses the text of a print format to a tree: the C expressions in the kernel's formats. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "tracepoint/compile.h"
#include "tracepoint/tree.h"

enum { DEEPEST = 200, LONGEST_NAME = 100, MOST_NODES = 1 << 18 };

/* "int x = 5;" of a block: the value replaces the name. */
struct local {
	const char *name;
	const struct tree *value;
	u32 nodes; /* of the value */
	const struct local *before;
};

struct parser {
	const char *p;
	struct arena *memory;
	const struct local *locals;
	int depth;
	/*
	 * of the tree, counting those of a local at each use, since walking the tree visits them
	 * each time
	 */
	u32 nodes;
	bool failed;
};

static const struct tree nothing = { .kind = TREE_NUMBER, .text = "0" };

static const struct tree *fail(struct parser *s)
{
	s->failed = true;
	return &nothing;
}

static struct tree *make(struct parser *s, enum tree_kind kind, const char *text,
			 const struct tree *a)
{
	struct tree *e = arena_alloc(s->memory, sizeof(*e));

	*e = (struct tree){ .kind = kind, .text = text, .a = a };
	if (++s->nodes > MOST_NODES)
		fail(s);
	return e;
}

static void skip_space(struct parser *s)
{
	while (isspace((unsigned char)*s->p))
		s->p++;
}

/* Takes the next word or sign if it is this one. Returns whether it did. */
static bool take(struct parser *s, const char *text)
{
	size_t n = strlen(text);

	skip_space(s);
	if (strncmp(s->p, text, n))
		return false;
	if (isalpha((unsigned char)text[n - 1]) &&
	    (isalnum((unsigned char)s->p[n]) || s->p[n] == '_'))
		return false;
	s->p += n;
	return true;
}

static void need(struct parser *s, const char *text)
{
	if (!take(s, text))
		fail(s);
}

static bool begins_word(char c)
{
	return isalpha((unsigned char)c) || c == '_';
}

/* Takes a name or a number as text; returns NULL if there is none. */
static const char *word(struct parser *s)
{
	const char *begin;

	skip_space(s);
	begin = s->p;
	while (isalnum((unsigned char)*s->p) || *s->p == '_')
		s->p++;
	return s->p == begin ? NULL : arena_strndup(s->memory, begin, (size_t)(s->p - begin));
}

/* Parses strings; "A" "B" is one string. */
static const struct tree *string(struct parser *s)
{
	struct strbuf text = STRBUF_INIT;
	const struct tree *e;

	while (take(s, "\"")) {
		for (; *s->p && *s->p != '"'; s->p++) {
			if (*s->p == '\\' && s->p[1])
				strbuf_char(&text, *s->p++);
			strbuf_char(&text, *s->p);
		}
		if (*s->p != '"')
			fail(s);
		else
			s->p++;
	}
	e = make(s, TREE_STRING, arena_strndup(s->memory, strbuf_cstr(&text), text.len), NULL);
	strbuf_release(&text);
	return e;
}

/* ---- types ---- */

static bool is_type_word(const char *name)
{
	static const char words[] =
		" const volatile unsigned signed char short int long void struct union enum ";
	char *spaced = xasprintf(" %s ", name);
	bool found = strstr(words, spaced);

	free(spaced);
	return found;
}

/* Parses words and stars, such as "const char *", without the words that do not affect the size. */
static const char *type_text(struct parser *s, int *words, bool *is_sure)
{
	char text[LONGEST_NAME] = "";
	struct num_type type;

	*words = 0;
	*is_sure = false;
	for (const char *w;;) {
		skip_space(s);
		if (take(s, "*")) {
			w = "*";
			*is_sure |= *words > 0;
		} else if (begins_word(*s->p)) {
			w = word(s);
			++*words;
			*is_sure |= is_type_word(w);
		} else {
			break;
		}
		if (!strcmp(w, "const") || !strcmp(w, "volatile"))
			continue;
		if (strlen(text) + strlen(w) + 2 > sizeof(text))
			return NULL;
		if (*text)
			strcat(text, " ");
		strcat(text, w);
	}
	*is_sure |= compile_named_type(text, 8, &type);
	return *words ? arena_strndup(s->memory, text, strlen(text)) : NULL;
}

/*
 * Parses the type of a cast at a parenthesis; returns NULL if it is not a cast. A single unknown
 * word is a type if no operator follows.
 */
static const char *cast_type(struct parser *s)
{
	const char *begin = s->p, *type;
	bool is_sure;
	int words;

	need(s, "(");
	type = type_text(s, &words, &is_sure);
	if (type && take(s, ")")) {
		skip_space(s);
		if (is_sure || (words == 1 && (begins_word(*s->p) ||
					       isdigit((unsigned char)*s->p) || *s->p == '(')))
			return type;
	}
	s->p = begin;
	return NULL;
}

/* ---- expressions ---- */

static const struct tree *expression(struct parser *s);
static const struct tree *unary(struct parser *s);

/* Appends a copy of e to a list, since the value of a local may occur at several places. */
static const struct tree **append(struct parser *s, const struct tree **last, const struct tree *e)
{
	struct tree *copy = make(s, e->kind, e->text, e->a);

	*copy = *e;
	copy->next = NULL;
	*last = copy;
	return &copy->next;
}

static const struct tree *list(struct parser *s, const char *end);

/* Parses a row, after "{". */
static const struct tree *row(struct parser *s)
{
	struct tree *e = make(s, TREE_ROW, "", NULL);

	if (++s->depth > DEEPEST)
		return fail(s);
	e->args = list(s, "}");
	s->depth--;
	return e;
}

/* Parses a list up to the given end, separated by ","; a trailing one is allowed. */
static const struct tree *list(struct parser *s, const char *end)
{
	const struct tree *first = NULL, **last = &first;

	while (!s->failed && !take(s, end)) {
		const struct tree *e;

		if (take(s, "{")) {
			e = row(s);
		} else {
			e = expression(s);
		}
		last = append(s, last, e);
		if (!take(s, ",")) {
			need(s, end);
			break;
		}
	}
	return first;
}

/* Parses a block: ({ TYPE NAME = VALUE; ... VALUE; }). */
static const struct tree *block(struct parser *s)
{
	const struct local *outside = s->locals;
	const struct tree *value = NULL;

	while (!s->failed && !take(s, "}")) {
		const char *begin = s->p, *type, *name;
		u32 nodes = s->nodes;
		bool is_sure;
		int words;

		type = type_text(s, &words, &is_sure);
		if (type && words > 1 && !value && take(s, "=")) {
			struct local *local = arena_alloc(s->memory, sizeof(*local));

			/* the last word is the name */
			name = strrchr(type, ' ');
			if (!name)
				return fail(s);
			type = arena_strndup(s->memory, type, (size_t)(name - type));
			*local = (struct local){ .name = name + 1, .before = s->locals };
			local->value = make(s, TREE_CAST, type, expression(s));
			local->nodes = s->nodes - nodes;
			s->locals = local;
		} else {
			s->p = begin;
			value = expression(s);
		}
		need(s, ";");
	}
	s->locals = outside;
	need(s, ")");
	return value ? value : fail(s);
}

/* Parses sizeof(TYPE) of a type whose size plans know; the tree has its number. */
static const struct tree *size_of(struct parser *s)
{
	struct num_type type;
	const char *name;
	bool is_sure;
	int words;

	need(s, "(");
	name = type_text(s, &words, &is_sure);
	need(s, ")");
	if (!name || !compile_named_type(name, 8, &type))
		return fail(s);
	return make(s, TREE_CAST, "size_t",
		    make(s, TREE_NUMBER,
			 type.size == 8   ? "8"
			 : type.size == 4 ? "4"
			 : type.size == 2 ? "2"
					  : "1",
			 NULL));
}

/* Parses REC->FIELD, or a field that all events have: REC->ent.pid. */
static const struct tree *field(struct parser *s)
{
	const char *name;
	char common[LONGEST_NAME];

	need(s, "->");
	name = word(s);
	if (!name)
		return fail(s);
	if (!strcmp(name, "ent") && take(s, ".")) {
		name = word(s);
		snprintf(common, sizeof(common), "common_%s", name ? name : "");
		name = arena_strndup(s->memory, common, strlen(common));
	}
	return make(s, TREE_FIELD, name, NULL);
}

static const struct tree *named(struct parser *s)
{
	const char *name = word(s);
	struct tree *e;

	if (!name)
		return fail(s);
	if (!strcmp(name, "REC"))
		return field(s);
	if (!strcmp(name, "sizeof"))
		return size_of(s);
	for (const struct local *l = s->locals; l; l = l->before)
		if (!strcmp(l->name, name)) {
			s->nodes += l->nodes;
			return s->nodes > MOST_NODES ? fail(s) : l->value;
		}
	if (!take(s, "("))
		return make(s, TREE_NAME, name, NULL);
	e = make(s, TREE_CALL, name, NULL);
	e->args = list(s, ")");
	return e;
}

/* Parses 'A', which is a number. */
static const struct tree *character(struct parser *s)
{
	char digits[8];
	char c = *++s->p;
	bool nul = c == '\\' && s->p[1] == '0';

	if (c == '\\')
		c = nul ? *++s->p - '0' : tree_escaped(*++s->p);
	if ((!c && !nul) || s->p[1] != '\'')
		return fail(s);
	s->p += 2;
	snprintf(digits, sizeof(digits), "%d", (u8)c);
	return make(s, TREE_NUMBER, arena_strndup(s->memory, digits, strlen(digits)), NULL);
}

static const struct tree *primary(struct parser *s)
{
	const struct tree *e;

	skip_space(s);
	if (*s->p == '"')
		return string(s);
	if (isdigit((unsigned char)*s->p))
		return make(s, TREE_NUMBER, word(s), NULL);
	if (*s->p == '\'')
		return character(s);
	if (!take(s, "("))
		return named(s);
	if (take(s, "{"))
		return block(s);
	e = expression(s);
	need(s, ")");
	return e;
}

static const struct tree *postfix(struct parser *s)
{
	const struct tree *e = primary(s);

	while (!s->failed && take(s, "[")) {
		struct tree *element = make(s, TREE_INDEX, "", e);

		element->b = expression(s);
		need(s, "]");
		e = element;
	}
	return e;
}

static const struct tree *unary(struct parser *s)
{
	static const char *const signs[] = { "-", "~", "!", "&", "*", "+" };
	const struct tree *e;
	const char *type;

	skip_space(s);
	if (++s->depth > DEEPEST)
		return fail(s);
	for (size_t i = 0; i < ARRAY_SIZE(signs); i++)
		if (take(s, signs[i])) {
			e = make(s, TREE_UNARY, signs[i], unary(s));
			s->depth--;
			return e;
		}
	type = *s->p == '(' ? cast_type(s) : NULL;
	e = type ? make(s, TREE_CAST, type, unary(s)) : postfix(s);
	s->depth--;
	return e;
}

/* Returns the precedence of the operator at p, or 0 if there is none. */
static int operator_at(const char *p, const char **text)
{
	static const struct {
		const char *text;
		int binds;
	} known[] = {
		/* longer operators come first if one begins like another */
		{ "||", 1 }, { "&&", 2 }, { "==", 6 }, { "!=", 6 }, { "<<", 8 }, { ">>", 8 },
		{ "<=", 7 }, { ">=", 7 }, { "|", 3 },  { "^", 4 },  { "&", 5 },  { "<", 7 },
		{ ">", 7 },  { "+", 9 },  { "-", 9 },  { "*", 10 }, { "/", 10 }, { "%", 10 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (!strncmp(p, known[i].text, strlen(known[i].text))) {
			*text = known[i].text;
			return known[i].binds;
		}
	return 0;
}

static const struct tree *binary(struct parser *s, int least)
{
	const struct tree *left = unary(s);

	while (!s->failed) {
		const char *text;
		struct tree *e;
		int binds;

		skip_space(s);
		binds = operator_at(s->p, &text);
		if (!binds || binds < least)
			break;
		s->p += strlen(text);
		e = make(s, TREE_BINARY, text, left);
		e->b = binary(s, binds + 1);
		left = e;
	}
	return left;
}

static const struct tree *expression(struct parser *s)
{
	const struct tree *condition;
	struct tree *e;

	if (++s->depth > DEEPEST)
		return fail(s);
	condition = binary(s, 1);
	if (!s->failed && take(s, "?")) {
		e = make(s, TREE_CHOICE, "", condition);
		e->b = expression(s);
		need(s, ":");
		e->c = expression(s);
		condition = e;
	}
	s->depth--;
	return condition;
}

const struct tree *tree_parse(const char *print_fmt, struct arena *memory)
{
	struct parser s = { .p = print_fmt, .memory = memory };
	struct tree *format;
	const struct tree **last;

	skip_space(&s);
	if (*s.p != '"')
		return NULL;
	format = make(&s, TREE_STRING, string(&s)->text, NULL);
	last = &format->args;
	while (!s.failed && take(&s, ","))
		last = append(&s, last, expression(&s));
	skip_space(&s);
	return s.failed || *s.p ? NULL : format;
}
