// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of numbers. */
#include <stdlib.h>
#include <string.h>

#include "syscalls/internal.h"
#include "syscalls/values_list.h"

static int compare(const void *key, const void *member)
{
	return strcmp(key, ((const struct syscall_values *)member)->name);
}

const struct syscall_values *values_find(const char *name)
{
	return bsearch(name, all_values, ARRAY_SIZE(all_values), sizeof(all_values[0]), compare);
}

const struct syscall_values *values_of(const struct arch *arch, const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(arch_values); i++)
		if (!strncmp(arch->name, arch_values[i].arch, strlen(arch_values[i].arch)) &&
		    !strcmp(arch_values[i].values.name, name))
			return &arch_values[i].values;
	return values_find(name);
}

const char *values_name(const struct syscall_values *v, u64 value)
{
	for (size_t i = 0; i < v->count; i++)
		if (v->list[i].value == value)
			return v->list[i].name;
	return NULL;
}

static void one(const struct syscall_values *v, const char *name, bool prefix, struct strbuf *out)
{
	if (prefix)
		strbuf_str(out, v->prefix);
	strbuf_str(out, name);
}

/* Prints flags. Names of several bits (O_SYNC, O_TMPFILE) come before those of their parts. */
static void print_flags(const struct syscall_values *v, u64 value, bool prefix, struct strbuf *out)
{
	bool any = false;
	u64 left = value;

	for (size_t i = 0; i < v->count && left; i++) {
		u64 bits = v->list[i].value;
		bool whole = bits && (value & bits) == bits && left & bits;

		for (size_t j = 0; whole && j < v->count; j++) {
			u64 other = v->list[j].value;

			if (j != i && (other & bits) == bits && other != bits &&
			    (value & other) == other)
				whole = false;
		}
		if (!whole)
			continue;
		if (any)
			strbuf_char(out, '|');
		one(v, v->list[i].name, prefix, out);
		any = true;
		left &= ~bits;
	}
	if (left || !any) {
		if (any)
			strbuf_char(out, '|');
		if (left)
			strbuf_str(out, "0x");
		strbuf_hex(out, left);
	}
}

void values_print(const struct syscall_values *v, u64 value, bool prefix, struct strbuf *out)
{
	const char *name = v->flags && value ? NULL : values_name(v, value);

	if (name) {
		one(v, name, prefix, out);
	} else if (v->flags && value != UINT32_MAX) { /* all bits: no choice, but a question or
							 "whatever there is" */
		print_flags(v, value, prefix, out);
	} else if (value < 4096) {
		strbuf_dec(out, value);
	} else {
		strbuf_str(out, "0x");
		strbuf_hex(out, value);
	}
}
