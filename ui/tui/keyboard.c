// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Escape sequences are those that ECMA-48 terminals share: CSI or SS3, numbers,
 * a final letter; "~" for keys with a number; SGR mouse reports.
 */
#include "ui/tui/keyboard.h"

#include "ui/tui/screen.h"

static int by_letter(u8 c)
{
	static const struct {
		u8 letter;
		int key;
	} letters[] = {
		{ 'A', KEY_UP },   { 'B', KEY_DOWN }, { 'C', KEY_RIGHT }, { 'D', KEY_LEFT },
		{ 'H', KEY_HOME }, { 'F', KEY_END },  { 'Z', KEY_UNTAB }, { 'P', KEY_F1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(letters); i++)
		if (letters[i].letter == c)
			return letters[i].key;
	return KEY_NONE;
}

static int by_number(unsigned n)
{
	switch (n) {
	case 1:
	case 7:
		return KEY_HOME;
	case 4:
	case 8:
		return KEY_END;
	case 5:
		return KEY_PAGE_UP;
	case 6:
		return KEY_PAGE_DOWN;
	case 11:
		return KEY_F1;
	}
	return KEY_NONE;
}

/* Returns the key of the wheel, which is buttons 64 and 65. */
static int by_mouse(unsigned button)
{
	if (button == 64)
		return KEY_WHEEL_UP;
	return button == 65 ? KEY_WHEEL_DOWN : KEY_NONE;
}

static int escape(const u8 *b, size_t n, size_t *used)
{
	unsigned number = 0;
	bool first = true, mouse = false;

	*used = 0;
	if (n < 2)
		return KEY_NONE;
	if (b[1] != '[' && b[1] != 'O') {
		*used = 1; /* a lone ESC, then another key */
		return KEY_ESC;
	}
	for (size_t i = 2; i < n; i++) {
		u8 c = b[i];

		if (c < 0x20 || c == 0x7f || i > 32) {
			*used = 1; /* no sequence of a key */
			return KEY_ESC;
		}
		if (c == '<') {
			mouse = true;
		} else if (c >= '0' && c <= '9') {
			if (first && number < 1000)
				number = number * 10 + (c - '0');
		} else if (c == ';') {
			first = false;
		} else if (c >= 0x40) {
			*used = i + 1;
			if (mouse)
				return c == 'M' ? by_mouse(number) : KEY_NONE;
			return c == '~' ? by_number(number) : by_letter(c);
		}
	}
	return KEY_NONE;
}

int keyboard_decode(const u8 *bytes, size_t n, size_t *used)
{
	*used = 1;
	switch (bytes[0]) {
	case KEY_ESC:
		return escape(bytes, n, used);
	case '\n':
		return KEY_ENTER;
	case 8:
	case 127:
		return KEY_BACKSPACE;
	}
	return bytes[0];
}
