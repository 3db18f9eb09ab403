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

const struct key_row *keys_find(const struct key_row *rows, size_t count, int key, const void *arg)
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

/* Returns the name of a key, or NULL for one that no user presses. */
static const char *special_name(int key)
{
	switch (key) {
	case ' ':
		return "SPACE";
	case KEY_ENTER:
		return "ENTER";
	case KEY_TAB:
		return "TAB";
	case KEY_ESC:
		return "ESC";
	case KEY_UP:
		return "UP";
	case KEY_DOWN:
		return "DOWN";
	case KEY_LEFT:
		return "LEFT";
	case KEY_RIGHT:
		return "RIGHT";
	case KEY_PAGE_UP:
		return "PGUP";
	case KEY_PAGE_DOWN:
		return "PGDN";
	case KEY_HOME:
		return "HOME";
	case KEY_END:
		return "END";
	case KEY_UNTAB:
		return "UNTAB";
	case KEY_BACKSPACE:
		return "BACKSPACE";
	case KEY_F1:
		return "F1";
	case KEY_WHEEL_UP:
		return "wheel"; /* and down: one name for both */
	}
	return NULL;
}

static void put_name(int key, struct strbuf *out)
{
	const char *name = special_name(key);

	if (!name && key >= KEY_UP)
		return;
	if (out->len)
		strbuf_char(out, ' ');
	if (name)
		strbuf_str(out, name);
	else if (key < ' ')
		strbuf_f(out, "Ctrl-%c", key | 0x40);
	else
		strbuf_char(out, (char)key);
}

void keys_names(const struct key_row *row, struct strbuf *out)
{
	const int *k = row->keys;

	if (k[0] == '0' && k[KEYS_OF_ROW - 1] == '9')
		strbuf_str(out, "0-9");
	else
		for (int i = 0; i < KEYS_OF_ROW && k[i]; i++)
			put_name(k[i], out);
}

void keys_help(const struct key_row *rows, size_t count, const void *arg, struct strbuf *out)
{
	const char *group = NULL, *said = NULL;
	struct strbuf names = STRBUF_INIT;
	size_t width = 0;

	for (size_t i = 0; i < count; i++) {
		strbuf_clear(&names);
		keys_names(&rows[i], &names);
		width = MAX(width, names.len);
	}
	for (size_t i = 0; i < count; i++) {
		const struct key_row *row = &rows[i];

		group = row->group ? row->group : group;
		if (!usable(row, arg))
			continue;
		if (group != said)
			strbuf_f(out, "%s%s\n\n", out->len ? "\n" : "", group);
		said = group;
		strbuf_clear(&names);
		keys_names(row, &names);
		strbuf_f(out, "%-*s  %s\n", (int)width, strbuf_cstr(&names), row->help);
	}
	strbuf_release(&names);
}
