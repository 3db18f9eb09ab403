// SPDX-License-Identifier: GPL-2.0-or-later
#include "ui/tui/keys.h"

#include <string.h>

static bool usable(const struct key_row *row, const void *arg)
{
	return !row->usable || row->usable(arg);
}

static bool has_key(const struct key_row *row, int key)
{
	for (int k = 0; k < KEYS_OF_ROW && row->keys[k]; k++)
		if (row->keys[k] == key)
			return true;
	return false;
}

const struct key_row *keys_find(const struct key_row *rows, size_t count, int key,
				const void *arg)
{
	for (size_t i = 0; i < count; i++)
		if (has_key(&rows[i], key) && usable(&rows[i], arg))
			return &rows[i];
	return NULL;
}

const struct key_row *keys_idle(const struct key_row *rows, size_t count, int key, const void *arg)
{
	const struct key_row *first = NULL, *meant = NULL;

	for (size_t i = 0; i < count; i++) {
		if (!has_key(&rows[i], key))
			continue;
		if (usable(&rows[i], arg))
			return NULL;
		first = first ? first : &rows[i];
		if (!meant && rows[i].meant && rows[i].meant(arg))
			meant = &rows[i];
	}
	return meant ? meant : first;
}

void keys_help(const struct key_row *rows, size_t count, const void *arg, struct strbuf *out)
{
	const char *group = NULL, *said = NULL;
	size_t width = 0;

	for (size_t i = 0; i < count; i++)
		width = MAX(width, strlen(rows[i].names));
	for (size_t i = 0; i < count; i++) {
		const struct key_row *row = &rows[i];

		group = row->group ? row->group : group;
		if (!usable(row, arg))
			continue;
		if (group != said)
			strbuf_f(out, "%s%s\n\n", out->len ? "\n" : "", group);
		said = group;
		strbuf_f(out, "%-*s  %s\n", (int)width, row->names, row->help);
	}
}
