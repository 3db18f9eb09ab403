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
	{ 'B', "byte" }, { 'C', "char" }, { 'D', "double" }, { 'F', "float" }, { 'I', "int" },
	{ 'J', "long" }, { 'S', "short" }, { 'Z', "boolean" },
};

/* "java/lang/Foo" up to end, with dots. */
static const char *put_class(struct strbuf *b, const char *p, char end)
{
	while (*p && *p != end) {
		strbuf_char(b, *p == '/' ? '.' : *p);
		p++;
	}
	return *p ? p + 1 : NULL;
}

/* One type descriptor; NULL when it is none. */
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

/* What the method returns, up to the end of the name. */
static bool is_result(const char *p)
{
	struct strbuf unused = STRBUF_INIT;

	p = *p == 'V' ? p + 1 : put_type(&unused, p);
	strbuf_release(&unused);
	return p && !*p;
}

/* "Lpkg/Class;method(II)V" -> "pkg.Class.method(int, int)", without the result's type. */
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

/* "$5b" -> '['; bytes that are no characters to print stay as they are. */
static bool is_escape(const char *p)
{
	int high = *p == '$' ? hex_of(p[1]) : -1, low = high < 0 ? -1 : hex_of(p[2]);
	int byte = high * 16 + low;

	return low >= 0 && byte >= ' ' && byte != 0x7f;
}

/* "camlStdlib__List__map_12" -> "Stdlib.List.map_12"; $xx is a byte in hex. */
static char *demangle_ocaml(const char *name)
{
	struct strbuf b = STRBUF_INIT;

	if (strncmp(name, "caml", 4) || name[4] < 'A' || name[4] > 'Z')
		return NULL;
	for (const char *p = name + 4; *p; p++) {
		if (p[0] == '_' && p[1] == '_') {
			strbuf_char(&b, '.');
			p++;
		} else if (is_escape(p)) {
			strbuf_char(&b, (char)(hex_of(p[1]) * 16 + hex_of(p[2])));
			p += 2;
		} else {
			strbuf_char(&b, *p);
		}
	}
	return strbuf_detach(&b);
}

/* "_ZN...@@VERSION": the version stays after the readable name. */
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
