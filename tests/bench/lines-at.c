// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Our answers in the form of "addr2line -a -f -i", for tests that compare.
 *
 * usage: lines-at FILE <ADDRESSES
 *
 * Addresses of FILE, in hex, a line each. Names as the linker has them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "object/elf.h"
#include "symbol/srcline.h"

int main(int argc, char **argv)
{
	struct context ctx = { .buildid_dir = "", .symfs = "" };
	struct symbol_options o = { .symfs = "", .buildid_dir = "", .no_demangle = true };
	struct image_table *images = image_table_new();
	struct source_frame frames[256];
	struct symbol_store *symbols;
	struct line_store *lines;
	struct elf *elf;
	char text[64];
	u32 image;

	if (argc != 2 || elf_open(argv[1], &elf, NULL)) {
		fprintf(stderr, "usage: lines-at FILE <ADDRESSES\n");
		return 129;
	}
	symbols = symbol_store_new(&ctx, images, &o);
	lines = line_store_new(symbols, NULL);
	image = image_intern(images, &(struct image){ .path = argv[1], .pid = -1 });
	while (fgets(text, sizeof(text), stdin)) {
		u64 addr = strtoull(text, NULL, 16), offset;
		u32 n = 0;

		printf("0x%016" PRIx64 "\n", addr);
		if (elf_addr_to_offset(elf, addr, &offset))
			n = lines_at(lines, image, offset, frames, 256);
		for (u32 i = 0; i < n; i++)
			printf("%s\n%s:%u\n", frames[i].function ? frames[i].function : "??",
			       frames[i].file ? frames[i].file : "??", frames[i].line);
		if (!n)
			printf("??\n??:0\n");
	}
	line_store_free(lines);
	symbol_store_free(symbols);
	image_table_free(images);
	condition_list_release(&ctx.conditions);
	elf_close(elf);
	return 0;
}
