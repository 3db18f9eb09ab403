/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Print formats as what they are, C: a program that holds each as an expression on a structure made
 * of the format's fields, compiled by gcc and called here. kernel_text.h is what the expressions
 * call.
 */
#ifndef TESTS_UNIT_C_FORMATS_H
#define TESTS_UNIT_C_FORMATS_H

#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "base/vec.h"
#include "shell.h"
#include "tracepoint/tracepoint.h"

/* As kernel_text.h has it. */
struct kernel {
	bool (*function_at)(void *arg, u64 *addr, char *name, size_t name_size, char *module,
			    size_t module_size);
	const char *(*text_at)(u64 addr);
};

struct c_formats {
	VEC(const struct tracepoint_format *) formats;
	VEC(char *) reasons;    /* why gcc does not take the format of this index, or NULL */
	struct strlist unknown; /* names that have no number in the formats */
	void *program;          /* NULL: gcc is missing, or makes programs for another machine */
	bool is_wrong;          /* there is one, and it does not take the program */
	int (*print)(unsigned index, const u8 *raw, char *out);
};

static inline void c_formats_add(struct c_formats *c, const struct tracepoint_format *t)
{
	vec_push(&c->formats, t);
	vec_push(&c->reasons, NULL);
}

/* Returns the C type of a number of this size, such as "s32"; NULL if C has none. */
static inline const char *c_number(u32 size, bool is_signed)
{
	return size == 1   ? is_signed ? "s8" : "u8"
	       : size == 2 ? is_signed ? "s16" : "u16"
	       : size == 4 ? is_signed ? "s32" : "u32"
	       : size == 8 ? is_signed ? "s64" : "u64"
			   : NULL;
}

static inline void c_member(FILE *f, const struct tracepoint_field *field)
{
	const char *number = c_number(field->size, field->flags & FIELD_SIGNED);
	const char *element = c_number(field->element_size, field->flags & FIELD_SIGNED);

	if (field->flags & FIELD_DYNAMIC)
		fprintf(f, "u32 %s; ", field->name);
	else if (field->flags & FIELD_ARRAY && element && field->size % field->element_size == 0)
		fprintf(f, "%s %s[%u]; ", element, field->name, field->size / field->element_size);
	else if (field->flags & FIELD_POINTER && field->size == 8)
		fprintf(f, "void *%s; ", field->name);
	else if (number && !(field->flags & FIELD_ARRAY))
		fprintf(f, "%s %s; ", number, field->name);
	else
		fprintf(f, "u8 %s[%u]; ", field->name, field->size);
}

static inline bool c_is_unknown(const struct c_formats *c, const char *name, size_t n)
{
	vec_for_each(&c->unknown.list, it)
		if (strlen(*it) == n && !memcmp(*it, name, n))
			return true;
	return false;
}

/*
 * Returns where the comma is in "{ VALUE, ..." if VALUE contains a name that is not known; NULL
 * otherwise.
 */
static inline const char *c_unknown_row(const struct c_formats *c, const char *p)
{
	const char *comma = *p == '{' ? p + strcspn(p, ",;}\"") : p;

	if (*comma != ',')
		return NULL;
	while (++p < comma) {
		const char *name = p;

		while (isalnum((unsigned char)*p) || *p == '_')
			p++;
		if (p > name && c_is_unknown(c, name, (size_t)(p - name)))
			return comma;
	}
	return NULL;
}

/* Writes a print format as C. Like the kernel, it shows a newline inside quotes as one. */
static inline void c_print(const struct c_formats *c, FILE *f, const char *print)
{
	static const char null[] = "((void *)0)", common[] = "REC->ent."; /* what all events have */
	bool quoted = false;

	for (const char *p = print; *p; p++) {
		if (*p == '"' && (p == print || p[-1] != '\\'))
			quoted = !quoted;
		const char *comma = quoted ? NULL : c_unknown_row(c, p);

		if (!quoted && !strncmp(p, common, strlen(common))) {
			fprintf(f, "REC->common_");
			p += strlen(common) - 1;
		} else if (comma) {
			fprintf(f, "{ NO_VALUE");
			p = comma - 1;
		} else if (!quoted && !strncmp(p, null, strlen(null))) {
			fprintf(f, "((void *)no_text)");
			p += strlen(null) - 1;
		} else if (quoted && *p == '\n') {
			fprintf(f, "\\n");
		} else {
			fputc(*p, f);
		}
	}
}

/* Writes one format as C. Its number serves as the file name in gcc's messages. */
static inline void c_format(const struct c_formats *c, FILE *f, size_t index)
{
	const struct tracepoint_format *t = c->formats.items[index];
	u32 end = 0;

	fprintf(f, "# 1 \"%zu\"\nstruct r%zu { ", index, index);
	for (u32 i = 0; i < t->field_count; i++) {
		const struct tracepoint_field *field = &t->fields[i];

		if (field->offset < end)
			continue;
		if (field->offset > end)
			fprintf(f, "u8 _%u[%u]; ", end, field->offset - end);
		c_member(f, field);
		end = field->offset + field->size;
	}
	fprintf(f,
		"} __attribute__((packed));\n#undef REC\n#define REC ((const struct r%zu "
		"*)record)\n",
		index);
	fprintf(f, "static void f%zu(void) { text(", index);
	c_print(c, f, t->print_fmt);
	fprintf(f, "); }\n");
}

static inline void c_program(const struct c_formats *c, const char *path)
{
	FILE *f = fopen(path, "w");

	if (!f)
		abort();
	fprintf(f, "#include \"kernel_text.h\"\n");
	vec_for_each(&c->unknown.list, name)
		fprintf(f, "enum { %s };\n", *name);
	for (size_t i = 0; i < c->formats.count; i++)
		if (!c->reasons.items[i])
			c_format(c, f, i);
	fprintf(f, "static void (*const prints[])(void) = {");
	for (size_t i = 0; i < c->formats.count; i++)
		if (c->reasons.items[i])
			fprintf(f, "0, ");
		else
			fprintf(f, "f%zu, ", i);
	fprintf(f, "};\n");
	fclose(f);
}

/*
 * Reports whether gcc's message is "'X' undeclared (first use ..." for an X that is not in
 * c->unknown yet, and adds X.
 */
static inline bool c_undeclared(struct c_formats *c, const char *message)
{
	const char *name =
		message + strcspn(message, "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
	size_t n = strspn(name, "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
	char *copy;

	if (!strstr(message, " undeclared "))
		return false;
	copy = xstrndup(name, n);
	if (!c_is_unknown(c, name, n))
		strlist_add(&c->unknown, copy);
	free(copy);
	return true;
}

/*
 * Gives all formats that call an undeclared function the same reason, because gcc reports only the
 * first call.
 */
static inline void c_undeclared_function(struct c_formats *c, const char *message)
{
	static const char begin[] = "implicit declaration of function '";
	char *call;

	if (!str_starts(message, begin))
		return;
	message += strlen(begin);
	call = xasprintf("%.*s(", (int)strcspn(message, "'"), message);
	for (size_t i = 0; i < c->formats.count; i++)
		if (!c->reasons.items[i] && strstr(c->formats.items[i]->print_fmt, call))
			c->reasons.items[i] = xasprintf("it calls %s) of the kernel", call);
	free(call);
}

/*
 * Reads gcc's messages, such as "17:1:30: error: 'X' undeclared (first use in this function)", and
 * keeps the first one for each format. Returns the number of errors.
 */
static inline unsigned c_errors(struct c_formats *c, const char *path)
{
	FILE *f = fopen(path, "r");
	char *line = NULL;
	size_t room = 0;
	unsigned n = 0;

	while (f && getline(&line, &room, f) > 0) {
		char *message = strstr(line, " error: "), *end;
		size_t index = strtoul(line, &end, 10);

		if (!message || end == line || *end != ':' || index >= c->reasons.count)
			continue;
		n++;
		message += strlen(" error: ");
		message[strcspn(message, "\n")] = 0;
		if (c_undeclared(c, message))
			continue;
		c_undeclared_function(c, message);
		if (!c->reasons.items[index])
			c->reasons.items[index] = xstrdup(message);
	}
	free(line);
	if (f)
		fclose(f);
	return n;
}

static inline void c_say(const char *path)
{
	FILE *f = fopen(path, "r");
	char line[400];

	for (int i = 0; f && i < 5 && fgets(line, sizeof(line), f); i++)
		fprintf(stderr, "%s", line);
	if (f)
		fclose(f);
}

/* Compiles what was added, in the directory dir, where that can be. */
static inline void c_formats_make(struct c_formats *c, const char *dir, const struct kernel *kernel)
{
	char *source = xasprintf("%s/formats.c", dir), *errors = xasprintf("%s/errors", dir);
	char *program = xasprintf("%s/formats.so", dir);
	const struct kernel **known;
	bool made = false;

	for (int times = 0; !made && times < 4; times++) {
		c_program(c, source);
		made = shell(".",
			     "LC_ALL=C gcc -std=gnu11 -Uunix -Ulinux -O0 "
			     "-Werror=implicit-function-declaration "
			     "-shared -fPIC -Wl,-z,defs -fmax-errors=0 -fno-diagnostics-show-caret "
			     "-Itests/unit -o %s %s 2>%s",
			     program, source, errors);
		if (!made && !c_errors(c, errors)) {
			c_say(errors);
			break;
		}
	}
	c->is_wrong = !made && shell(".", "gcc --version");
	if (made)
		c->program = dlopen(program, RTLD_NOW | RTLD_LOCAL);
	if (c->program) {
		known = dlsym(c->program, "kernel");
		c->print = (int (*)(unsigned, const u8 *, char *))dlsym(c->program, "kernel_print");
		*known = kernel;
	}
	free(program);
	free(errors);
	free(source);
}

static inline void c_formats_release(struct c_formats *c)
{
	vec_for_each(&c->reasons, reason)
		free(*reason);
	vec_release(&c->reasons);
	strlist_release(&c->unknown);
	vec_release(&c->formats);
	if (c->program)
		dlclose(c->program);
}

#endif
