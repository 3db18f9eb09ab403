/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of this component and its unit tests. */
#ifndef SYMBOL_INTERNAL_H
#define SYMBOL_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/reason.h"
#include "object/locate.h"
#include "symbol/demangle.h"
#include "symbol/symbol.h"

struct elf;
struct frame_index;
struct module_layout;

enum name_state {
	NAME_FINAL,     /* shown as it is */
	NAME_MANGLED,   /* perhaps mangled; nobody has looked yet */
	NAME_DEMANGLED, /* our own malloc'ed text */
	/*
	 * the name of the function whose stub it is; "@plt" is still missing; to be demangled or
	 * not
	 */
	NAME_MANGLED_STUB,
	NAME_STUB,
	/*
	 * the rest of a line of kallsyms, which ends with the name or with "\t[module]"; likewise
	 */
	NAME_MANGLED_LINE,
	NAME_LINE,
	/* the object; where the function begins is still missing (ranges.c) */
	NAME_RANGE,
};

/* Half of all numbers: a table and the one that replaces it have none in common. */
#define SECOND_NUMBERS (1U << 31)

/* What a table was made from, to see whether it would be another one now (renew.c). */
struct source_files {
	char *object; /* the path of elf; NULL: none was found */
	struct elf_seen {
		struct file_stamp stamp; /* inode 0: its bytes are a copy */
		struct build_id id;
	} seen_elf, seen_debug_elf;
	struct file_stamp text;           /* of a perf map; inode 0: there was none */
	bool unread;                      /* there was a perf map that could not be used */
	u64 process;                      /* whose perf map it is: process_begun() */
	bool wants_debug;                 /* no debug file was found */
	struct object_debug_wanted debug; /* then: what the object says of it, */
	struct object_debug_seen seen;    /* and the files where it may be */
	u64 made, took;                   /* ns: when that was, and the CPU time that it took */
};

struct outer_run {
	u32 first, outer;
};

/*
 * Names are not copied: they point into the ELF file, the perf map's text or the
 * arena, all of which the table owns (those of kallsyms: the store).
 */
struct symbol_table {
	bool stripped; /* of an ELF file that has no more than exported names, and no debug file */
	struct symbol *symbols;
	u32 count;
	/* the number of symbols[0]: 0 or SECOND_NUMBERS, by turns where tables are renewed */
	u32 first;
	/*
	 * What no symbol covers (ranges.c): NULL until somebody asks. Then of is the table that
	 * this one belongs to.
	 */
	_Atomic(struct symbol_table *) ranges;
	const struct symbol_table *of;
	struct frame_index *index; /* not NULL: symbols are filled one by one, so many up to now */
	u32 filled;
	const char *object; /* the beginning of names of ranges, in names; or NULL */
	/* the one that it replaced, whose numbers are still valid; or NULL */
	struct symbol_table *before;
	struct source_files files;
	bool borrowed;               /* symbols belong to a struct kallsyms */
	const struct kallsyms *list; /* that names were read from; or NULL */
	/*
	 * Where to look: of the symbols that start in [first + (b << step), first +
	 * ((b + 1) << step)) the first is buckets[b]; NULL: few symbols.
	 */
	u32 *buckets;
	u32 bucket_count;
	u8 step;
	/*
	 * From symbol first up to the first one of the next run: the symbol that surrounds each, or
	 * NO_SYMBOL.
	 */
	VEC(struct outer_run) outer;
	bool demangle_params; /* C++ names with their parameters */
	char origin;
	char *source;
	u64 shift;                   /* kernel: added to the addresses of source */
	struct elf *elf, *debug_elf; /* names point into them */
	char *text;                  /* likewise */
	size_t text_size;
	struct arena names;
	pthread_mutex_t lock;    /* for by_name and for publishing names */
	pthread_mutex_t *naming; /* the latter: lock, or what all have that borrow these symbols */
	bool copies_names; /* that are shown: the pages of files that they were read from may go */
	atomic_uint names_read; /* since they went */
	atomic_uint pages_went; /* how often, for that */
	u32 *by_name; /* numbers in order of name, made when names were looked for some times */
	unsigned searches; /* by name, without that order */
};

/* explain.c: conditions about the files of a store; by any thread. */
struct symbol_conditions {
	struct context *ctx;
	pthread_mutex_t lock; /* guards ctx->conditions */
	bool renews;          /* faults of a file were reported when it was read first */
};
void symbol_say(struct symbol_conditions *c, enum condition_weight weight, const char *code,
		const char *object, const char *hint, const char *text);
void symbol_say_often(struct symbol_conditions *c, enum condition_weight weight, const char *code,
		      const char *object, u64 count, const char *hint, const char *text);
/* Explains a missing object. Without a recording (live), the hint must be a different one. */
void explain_missing(struct symbol_conditions *c, const struct image *img, bool live, int err,
		     const struct reason *r);
void explain_path(struct symbol_conditions *c, const struct image *img,
		  const struct symbol_table *t);
void explain_nameless(struct symbol_conditions *c, const struct image *img,
		      const struct symbol_table *t);

/* Returns what a line store takes from its symbol store; so do the next two. */
struct context *store_context(const struct symbol_store *s);
const struct image_table *store_images(const struct symbol_store *s);
const struct symbol_options *store_options(const struct symbol_store *s);

/* What the texts of lines need of their store. */
struct line_store;
struct line_options;
struct line_styles {
	bool native, program, program_first;
};
int line_styles_parse(struct line_styles *s, const char *text, struct reason *r);
const struct line_options *line_store_options(const struct line_store *s);
const struct image *line_store_image(const struct line_store *s, u32 image);

/* One child; a program that cannot be started, or dies, knows no lines from then on. */
struct addr2line;
struct source_frame;
struct addr2line *addr2line_new(const char *program, const char *file);
void addr2line_free(struct addr2line *a);
/*
 * Asks for the frames at an address of the file, innermost first, with mangled names. Returns how
 * many, at most max.
 */
u32 addr2line_ask(struct addr2line *a, u64 addr, struct source_frame *out, u32 max);

/* Symbols as they are found, in perf's order of insertion. */
struct symbol_list {
	VEC(struct symbol) list;
};
static inline void symbol_list_add(struct symbol_list *l, u64 start, u64 size, u8 binding,
				   const char *name, u8 state)
{
	vec_push(&l->list, (struct symbol){
				   .start = start,
				   .size = MIN(size, SYMBOL_MOST_SIZE + 1),
				   .name = name,
				   .binding = binding,
				   .name_state = state,
			   });
}

/*
 * renew.c: notes which files the table of an image was made from, beside those in t->files;
 * cpu: source_files_cpu_now() when that began.
 */
void source_files_note(struct symbol_table *t, const struct object_search *search,
		       const struct image *img, u64 cpu);
/* Returns this thread's CPU time in ns, so a busy machine delays nothing. */
u64 source_files_cpu_now(void);
/*
 * Returns when the process of this pid began, in ticks since the machine did, which distinguishes
 * it from a later one of the same pid; 0 if no such process runs.
 */
u64 process_begun(s32 pid);
/*
 * Reports whether another table would result now; false where it is too early to read that much
 * again.
 */
bool source_files_differ(struct symbol_table *t, const struct object_search *search,
			 const struct image *img, const char *perf_map);

struct symbol_table *symbol_table_new(void);
void symbol_table_free(struct symbol_table *t);
void symbol_table_let_pages_go(struct symbol_table *t);
/*
 * Sorts a list by start, stable: the first step from found symbols to a table, into which the list
 * is emptied.
 * Next come extend_ends (symbols without a size reach to the next one; kallsyms: where names of
 * modules differ, to the page's end), drop_duplicates (one per start), and seal (computes what
 * look-ups need).
 */
void symbol_list_sort(struct symbol_list *l);
void symbol_list_extend_ends(struct symbol_list *l);
/*
 * unsized.c, for ELF files, once the list is sorted: drops symbols without a size where one with a
 * size is. The others end at the next symbol, at the next function with unwind tables, or after
 * 4096 bytes, whichever is first. Only one where such a function begins may name more: all of that
 * function. object or debug may be NULL.
 */
void symbol_list_bound(struct symbol_list *l, const struct elf *object, const struct elf *debug);
void symbol_list_drop_duplicates(struct symbol_list *l, bool params);
void symbol_table_seal(struct symbol_table *t, struct symbol_list *l);

/* ranges.c: offsets of functions that have unwind tables. */
struct frame_range {
	u64 start, end;
};
struct frame_ranges {
	VEC(struct frame_range) list; /* by start */
};
/* Finds the ranges. object or debug may be NULL; the caller releases out->list. */
void frame_ranges_find(struct frame_ranges *out, const struct elf *object, const struct elf *debug);
/* Returns the number of ranges that start at or before the offset. */
size_t frame_ranges_before(const struct frame_ranges *r, u64 offset);
/*
 * Opens the ranges of t, which has an object, one by one through an index, if made can have one.
 * Otherwise returns false, and symbol_ranges_read() adds all of them to the list, by start.
 */
bool symbol_ranges_open(struct symbol_table *made, const struct symbol_table *t);
void symbol_ranges_read(const struct symbol_table *t, struct symbol_list *l);
/* Frees what only ranges have. */
void symbol_ranges_release(struct symbol_table *ranges);
/*
 * Returns the number of the range that covers the offset, or NO_SYMBOL, for ranges that have an
 * index.
 */
u32 symbol_range_find(const struct symbol_table *ranges, u64 offset);
/* Returns "[OBJECT+0xSTART]", which the caller frees. */
char *symbol_range_name(const struct symbol_table *ranges, const struct symbol *s);

/* What a store shares between the tables of kernels and modules. */
struct kernel_symbols;
struct kernel_symbols *kernel_symbols_new(struct context *ctx, const struct image_table *images,
					  const struct symbol_options *o,
					  pthread_mutex_t *conditions);
void kernel_symbols_free(struct kernel_symbols *k);
void kernel_symbols_set_foreign(struct kernel_symbols *k); /* see symbol_store_set_foreign */
/* Loads the table of an IMAGE_KERNEL or IMAGE_MODULE image. */
struct symbol_table *kernel_symbols_load(struct kernel_symbols *k, const struct image *img);
struct symbol_table *kernel_symbols_load_module(struct kernel_symbols *k,
						const struct object_search *search,
						const struct image *img);

/*
 * Symbols of an ELF image: from object (the mapped file) and debug (its debug file, or NULL), as
 * offsets in object; addresses instead of offsets when as_addresses (the kernel).
 */
struct elf_symbol_source {
	const struct elf *object, *debug;
	bool as_addresses;
	bool demangle;
	const struct module_layout *module; /* not NULL: addresses in it, of code that stays */
	bool thrifty; /* pages of files that were read leave memory from time to time */
};
void elf_symbols_add(struct symbol_list *l, const struct elf_symbol_source *s);
/*
 * Adds name@plt entries, whose names are in the arena. l has the file's own symbols, sorted: they
 * name the stubs whose relocations have no symbol.
 */
void plt_symbols_add(struct symbol_list *l, const struct elf *e, struct arena *names, bool demangle,
		     bool params);

/* What a kallsyms file says: one part for the kernel, one for each module. */
struct kallsyms_part {
	const char *module;         /* "ext4", "bpf"; NULL: the kernel itself */
	struct symbol_list symbols; /* as found; sealed: as tables show them */
	bool sealed;
	u64 moved; /* sealed: was added to the addresses */
};
struct kallsyms {
	struct arena names;
	VEC(struct kallsyms_part) parts; /* the kernel's is always there, first */
	struct strmap by_module;         /* -> index in parts */
	u32 last_part;
	bool all_zero;          /* the kernel hides addresses */
	u64 text, stext, etext; /* the addresses of _text, _stext and _etext; 0: not in it */
	const u8 *file;         /* mapped, with the names in place; NULL: they are copies */
	size_t file_size;
};
/* Reads a list. The caller releases k in any case. */
int kallsyms_read(const char *path, struct kallsyms *k, struct reason *r) MUST_CHECK;
/*
 * Works like kallsyms_read(), with names of the states NAME_LINE and NAME_DEMANGLED, where it is a
 * file on a disk: most are never requested.
 */
int kallsyms_map(const char *path, struct kallsyms *k, struct reason *r) MUST_CHECK;
/*
 * Lets go of the file's pages: what was read is not needed soon, and later only in scattered
 * places.
 */
void kallsyms_let_pages_go(const struct kallsyms *k);
/* Returns the length of the name at the start of such a line; kallsyms_name_is() compares it. */
size_t kallsyms_name_length(const char *line);
bool kallsyms_name_is(const char *line, const char *name);
void kallsyms_from_text(struct kallsyms *k, const char *text);
void kallsyms_release(struct kallsyms *k);
/* Returns the part of a module (NULL: the kernel), or NULL when no symbol names it. */
struct kallsyms_part *kallsyms_part(struct kallsyms *k, const char *module);

/* Parses the text of perf-PID.map in place. Returns the number of overlapping lines. */
u64 perf_map_parse(char *text, size_t size, struct symbol_list *l);

/* guests.c: whether there is such a directory; a warning if it has none for any guest. */
int guest_mount_check(const char *path, struct reason *r) MUST_CHECK;
void guest_mount_say_empty(struct context *ctx, const char *path);

#endif
