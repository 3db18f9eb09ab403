/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs that tests compile, opened as images and disassembled. */
#ifndef TESTS_UNIT_ANNOTATED_H
#define TESTS_UNIT_ANNOTATED_H

#include <string.h>

#include "annotate/internal.h"
#include "arch/arch.h"
#include "base/alloc.h"
#include "base/text.h"
#include "config.h"
#include "shell.h"

/* A program of the directory, opened as an image. */
struct opened {
	struct context ctx;
	struct image_table *images;
	struct symbol_store *symbols;
	struct annotator *annotator;
	u32 image;
};

static inline void open_program(const char *dir, struct opened *o, const char *name,
				const char *objdump)
{
	struct annotate_settings set = { .objdump = objdump, .kcore = "" };
	struct symbol_options options = { .symfs = "", .buildid_dir = "" };
	char *path = xasprintf("%s/%s", dir, name);
	struct image want = { .kind = IMAGE_ELF, .path = path, .pid = -1 };

	memset(o, 0, sizeof(*o));
	o->images = image_table_new();
	o->image = image_intern(o->images, &want);
	o->symbols = symbol_store_new(&o->ctx, o->images, &options);
	o->annotator = annotator_new(&o->ctx, o->images, o->symbols, &set);
	free(path);
}

static inline void close_program(struct opened *o)
{
	annotator_free(o->annotator);
	symbol_store_free(o->symbols);
	image_table_free(o->images);
	condition_list_release(&o->ctx.conditions);
}

/*
 * Reports whether perf can disassemble a program for that machine with the tools it finds itself.
 * An emulated perf finds the objdump of another machine.
 */
static inline bool has_disassembler(const char *dir, u16 machine, const char *name)
{
#ifdef HAVE_LIBOPCODES
	(void)dir, (void)machine, (void)name;
	return true;
#else
	return machine != arch_host()->e_machine || shell(dir, "objdump -d %s", name);
#endif
}

static inline struct annotation *function(struct opened *o, const char *name)
{
	const struct symbol_table *t = symbols_of(o->symbols, o->image);
	struct reason r = REASON_INIT;
	struct annotation *n;
	u32 number = symbol_by_name(t, name);

	assert_int_not_equal(number, NO_SYMBOL);
	if (annotate_symbol(o->annotator, o->image, number, &n, &r))
		fail_msg("%s", r.text);
	return n;
}

#endif
