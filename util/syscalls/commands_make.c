// SPDX-License-Identifier: GPL-2.0-or-later
/* The commands of ioctl, fcntl, bpf and their like, for one architecture. */
#include <string.h>

#include "syscalls/internal.h"

#include "syscalls/commands_list.h"

static const struct {
	const char *name;
	u8 size; /* bytes; 0: a word */
	bool is_signed;
} numbers[] = { { "s32", 4, true }, { "u32", 4, false }, { "u64", 8, false }, { "long", 0, true } };

void commands_make(struct syscall_book *b, struct command_list *to)
{
	bool other_numbers = !strncmp(syscall_book_arch(b)->name, "ppc", 3);

	for (size_t i = 0; i < ARRAY_SIZE(command_rows); i++) {
		const struct command_row *row = &command_rows[i];
		struct syscall_command c = { .which = row->which, .command = row->command,
					     .entry = strchr(row->way, 'i'), .exit = strchr(row->way, 'o') };

		if (row->which == COMMANDS_IOCTL && other_numbers)
			continue;
		for (size_t n = 0; n < ARRAY_SIZE(numbers); n++)
			if (!strcmp(numbers[n].name, row->what)) {
				c.size = numbers[n].size ? numbers[n].size : (u16)book_word(b);
				c.is_signed = numbers[n].is_signed;
			}
		if (!c.size) {
			c.layout = book_layout(b, row->what);
			c.size = c.layout->size;
		}
		vec_push(&to->list, c);
	}
}
