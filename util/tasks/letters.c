// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads prev_state of sched_switch. Its bits moved more than once (Linux 4.14, 4.15), so they come
 * from the table of the recorded print format: { 0x01, "S" }, { 0x02, "D" } ...
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tasks/tasks.h"

static void use_default(struct tasks_letters *l)
{
	static const char letters[] = "SDTtXZPI";

	l->count = sizeof(letters) - 1;
	for (u32 i = 0; i < l->count; i++) {
		l->bit[i] = BIT64(i);
		l->letter[i] = letters[i];
	}
}

/* Parses "{ 0x10, "X" }" at p. Returns the text after it, or NULL. */
static const char *parse_pair(const char *p, u64 *bit, char *letter)
{
	char *end;

	if (*p != '{')
		return NULL;
	*bit = strtoull(p + 1, &end, 0);
	if (end == p + 1)
		return NULL;
	p = end + strspn(end, " ,");
	if (p[0] != '"' || !isalpha((unsigned char)p[1]) || p[2] != '"')
		return NULL;
	*letter = p[1];
	p += 3 + strspn(p + 3, " ");
	return *p == '}' ? p + 1 : NULL;
}

void tasks_letters_parse(struct tasks_letters *l, const char *print_fmt)
{
	const char *p = print_fmt ? strstr(print_fmt, "__print_flags") : NULL, *next;
	u64 bit;
	char letter;

	*l = (struct tasks_letters){ 0 };
	for (p = p ? strchr(p, '{') : NULL; p && l->count < TASKS_LETTERS;
	     p = next + strspn(next, " ,")) {
		next = parse_pair(p, &bit, &letter);
		if (!next)
			break;
		l->bit[l->count] = bit;
		l->letter[l->count++] = letter;
	}
	if (!l->count)
		use_default(l);
	for (u32 i = 0; i < l->count; i++)
		l->preempted = MAX(l->preempted, l->bit[i] << 1);
}

char tasks_letter(const struct tasks_letters *l, u64 state, bool *preempted)
{
	*preempted = !(state & (l->preempted - 1)) || (state & l->preempted);
	if (*preempted)
		return 'R';
	for (u32 i = 0; i < l->count; i++)
		if (state & l->bit[i])
			return l->letter[i];
	return '?';
}
