// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of Java methods and OCaml functions as they are written in the source. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "symbol/demangle.h"

static const struct {
	char code;
	const char *name;
} java_types[] = {
	{ 'B', "byte" }, { 'C', "char" }, { 'D', "double" }, { 'F', "float" },
	{ 'I', "int" },  { 'J', "long" }, { 'S', "short" },  { 'Z', "boolean" },
};

/* Adds "java/lang/Foo" up to end, with dots. */
static const char *put_class(struct strbuf *b, const char *p, char end)
{
	while (*p && *p != end) {
		strbuf_char(b, *p == '/' ? '.' : *p);
		p++;
	}
	return *p ? p + 1 : NULL;
}

/* Adds one type descriptor and returns its end, or NULL when it is not one. */
static const char *put_type(struct strbuf *b, const char *p)
{
	int arrays = 0;

	for (; *p == '['; p++)
		arrays++;
	if (*p == 'L') {
		p = put_class(b, p + 1, ';');
	} else {
		size_t i = 0;

		while (i < ARRAY_SIZE(java_types) && java_types[i].code != *p)
			i++;
		if (i == ARRAY_SIZE(java_types))
			return NULL;
		strbuf_str(b, java_types[i].name);
		p++;
	}
	for (; p && arrays; arrays--)
		strbuf_str(b, "[]");
	return p;
}

/* Reports whether the rest of the name is what a method returns. */
static bool is_result(const char *p)
{
	struct strbuf unused = STRBUF_INIT;

	p = *p == 'V' ? p + 1 : put_type(&unused, p);
	strbuf_release(&unused);
	return p && !*p;
}

/*
 * Demangles "Lpkg/Class;method(II)V" into "pkg.Class.method(int, int)", without the result's type.
 */
static char *demangle_java(const char *name)
{
	struct strbuf b = STRBUF_INIT;
	const char *p = NULL;

	if (name[0] == 'L' && name[1] != ';' && strchr(name, '('))
		p = put_class(&b, name + 1, ';');
	if (p) {
		strbuf_char(&b, '.');
		p = put_class(&b, p, '(');
	}
	if (p) {
		strbuf_char(&b, '(');
		for (bool first = true; p && *p && *p != ')'; first = false) {
			if (!first)
				strbuf_str(&b, ", ");
			p = put_type(&b, p);
		}
	}
	if (!p || *p != ')' || !is_result(p + 1)) {
		strbuf_release(&b);
		return NULL;
	}
	strbuf_char(&b, ')');
	return strbuf_detach(&b);
}

static int hex_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/*
 * Returns '[' for "5b". Returns -1 for what is not a byte, or not a character to print, which stays
 * unchanged.
 */
static int escaped(const char *p)
{
	int high = hex_of(p[0]), low = high < 0 ? -1 : hex_of(p[1]), byte = high * 16 + low;

	return low >= 0 && byte >= ' ' && byte != 0x7f ? byte : -1;
}

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_word(int c)
{
	return is_upper((char)c) || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/*
 * Reports whether "$xx" at p, or several in a row, is one character (in UTF-8) that must be
 * escaped.
 */
static bool is_escaped_character(const char *p)
{
	int first = escaped(p + 1);
	int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc2 ? 1 : 0;

	if (first < 0x80)
		return first >= 0 && !is_word(first);
	if (!more)
		return false;
	for (int i = 0; i < more; i++) {
		int byte;

		p += 3;
		byte = *p == '$' ? escaped(p + 1) : -1;
		if (byte < 0x80 || byte >= 0xc0)
			return false;
	}
	return true;
}

/*
 * Symbols of OCaml's native code are "caml", the module, a separator and the name in the module.
 * The separator depends on the version and the system: "__", although names may also contain "__";
 * "." from 5.1.1 on; "$" where debuggers or assemblers reject the dot. Other characters are "$" and
 * the byte in hex, or "$$" and the byte where "$" is the separator.
 */
enum ocaml_scheme { OCAML_UNDERSCORES, OCAML_DOT, OCAML_DOLLAR };

/*
 * Returns the scheme of an OCaml name. end is the first character from module on that is not a
 * letter, a digit or "_".
 */
static enum ocaml_scheme scheme_of(const char *module, const char *end)
{
	size_t length = (size_t)(end - module);

	if (*end != '$')
		return *end == '.' ? OCAML_DOT : OCAML_UNDERSCORES;
	if (end[1] == '$' || !memmem(module, length, "__", 2))
		return OCAML_DOLLAR;
	/* camlA__$2b_12 and camlA__b$27_12, but camlA__B$add_12 */
	return !strncmp(end - 2, "__", 2) || is_escaped_character(end) ? OCAML_UNDERSCORES
								       : OCAML_DOLLAR;
}

/*
 * Reports whether the module has a part in lower case: Stdlib__array before OCaml 4.13, and
 * Dune__exe__Main.
 */
static bool has_lower_part(const char *module)
{
	return !strncmp(module, "Stdlib__", 8) || !strncmp(module, "Dune__", 6);
}

/*
 * Writes a module, up to end: each "__" separates a module from one inside it.  Where "__" also
 * separates the name (is_whole), that is what begins with a lower-case letter, and its "__" stay.
 */
static void put_module(struct strbuf *b, const char *module, const char *end, bool is_whole)
{
	bool in_module = true, may_be_lower = has_lower_part(module);

	for (const char *p = module; p < end; p++) {
		bool last = p + 2 >= end && !is_whole; /* "Foo__" of dune */

		if (!in_module || last || p[0] != '_' || p[1] != '_') {
			strbuf_char(b, *p);
			continue;
		}
		strbuf_char(b, '.');
		p++;
		if (is_whole)
			in_module = is_upper(p[1]) || may_be_lower;
		may_be_lower = false;
	}
}

/*
 * Demangles "camlStdlib__List__map_12", "camlStdlib__List.map_12" and "camlStdlib__List$map_12"
 * into "Stdlib.List.map_12".
 */
static char *demangle_ocaml(const char *name)
{
	const char *module = name + 4, *end = module;
	struct strbuf b = STRBUF_INIT;
	enum ocaml_scheme scheme;

	if (strncmp(name, "caml", 4) || !is_upper(*module))
		return NULL;
	while (is_word((u8)*end))
		end++;
	scheme = scheme_of(module, end);
	put_module(&b, module, end, scheme == OCAML_UNDERSCORES);
	for (const char *p = end; *p; p++) {
		const char *hex = scheme != OCAML_DOLLAR ? p + 1 : p[1] == '$' ? p + 2 : NULL;

		if (*p == '$' && hex && escaped(hex) >= 0) {
			strbuf_char(&b, (char)escaped(hex));
			p = hex + 1;
		} else {
			strbuf_char(&b, *p == '$' && scheme == OCAML_DOLLAR ? '.' : *p);
		}
	}
	return strbuf_detach(&b);
}

/* Demangles "_ZN...@@VERSION". The version stays after the readable name. */
static char *demangle_versioned(const char *name, const char *at, bool params)
{
	char *base = xstrndup(name, (size_t)(at - name));
	char *shown = demangle_itanium(base, params);
	char *whole = shown ? xasprintf("%s%s", shown, at) : NULL;

	free(shown);
	free(base);
	return whole;
}

char *symbol_demangle(const char *name, bool params)
{
	const char *at;

	switch (name[0]) {
	case '_':
		at = strchr(name, '@');
		return at ? demangle_versioned(name, at, params) : demangle_itanium(name, params);
	case 'c':
		return demangle_ocaml(name);
	case 'L':
		return demangle_java(name);
	default:
		return NULL;
	}
}
