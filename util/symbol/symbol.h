/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From an offset in an image to a function's name.
 *
 * What it is: for each image one sorted, immutable array of functions, made on first use from the
 * ELF file (found by build ID or path), kallsyms, vdso or perf-PID.map. A symbol number is an index
 * in its image's table.
 * Offsets are an image's (object/image.h).
 * Threads: symbols_of() may be called by many simultaneously (each table is loaded once); look-ups
 * are lock-free.
 * Life: the store owns all. Names live as long as the store, or until symbol_store_sweep() drops
 * their image, or symbol_store_renew() has replaced their table, and it has been dropped.
 * A function of a stripped object that only unwind tables know also has a number and a name, but is
 * not among the symbols that are counted and listed (ranges.c).
 * The rules by which one of several symbols at an address is chosen (global before weak before
 * local, fewest leading underscores, longest) follow perf.
 */
#ifndef SYMBOL_SYMBOL_H
#define SYMBOL_SYMBOL_H

#include "base/context.h"
#include "base/reason.h"
#include "object/image.h"

/* Tables of large programs have a hundred thousand of them, so they are kept small: 24 bytes. */
struct symbol {
	u64 start;        /* offset */
	const char *name; /* demangled, as shown */
	u64 size : 48;    /* private: see symbol_end() */
	u8 binding : 4;   /* STB_*: 0 local, 1 global, 2 weak */
	bool is_plt : 1, ifunc : 1;
	bool is_data : 1; /* STT_OBJECT: a variable */
	u8 name_state;    /* private: whether name was demangled yet */
};

/* Damaged and hostile files have larger sizes: such a symbol reaches to the end of all offsets. */
#define SYMBOL_MOST_SIZE (((u64)1 << 48) - 2)

/* Returns the first offset after the symbol. */
static inline u64 symbol_end(const struct symbol *s)
{
	return s->size > SYMBOL_MOST_SIZE || s->start + s->size < s->start ? UINT64_MAX
									   : s->start + s->size;
}

/* Sets the end, which is not before the start. */
static inline void symbol_set_end(struct symbol *s, u64 end)
{
	s->size = MIN(end - s->start, SYMBOL_MOST_SIZE + 1);
}

#define NO_SYMBOL UINT32_MAX
/* Set in the numbers of functions that only unwind tables know, "[OBJECT+0xSTART]". */
#define RANGE_NUMBERS (1U << 30)

/*
 * Reports whether the number is that of a symbol: neither NO_SYMBOL nor a function of unwind
 * tables.
 */
static inline bool symbol_is_named(u32 number)
{
	return !(number & RANGE_NUMBERS);
}

struct symbol_table; /* the symbols of one image */
struct symbol_store;

struct symbol_options {
	const char *kallsyms; /* file to use instead of /proc/kallsyms, or NULL */
	const char *vmlinux;  /* or NULL: searched for */
	bool ignore_vmlinux;
	bool use_modules, modules_given; /* -m, --no-modules; neither: where kallsyms has none */
	const char *guest_kallsyms, *guest_vmlinux; /* the files of every guest, or NULL */
	/* a copy of their /proc/modules, or NULL: not recorded, or not loaded */
	const char *guest_modules;
	bool guest_code;         /* what guests run is mapped in their hypervisors */
	const char *guest_mount; /* DIR/PID is the root of the guest whose qemu is PID; or NULL */
	bool no_demangle, demangle_kernel;
	/* perf maps and jitdump files that belong to other users are read as well */
	bool foreign_maps;
	const char *symfs;             /* prefix, "" = none */
	const char *buildid_dir;       /* "" = none */
	struct debug_servers *servers; /* object/debug_servers.h; NULL: nobody is asked */
};

/* Checks that the files that the user named exist. Returns -errno with a reason if not. */
int symbol_options_check(const struct symbol_options *o, struct reason *r);

struct symbol_store *symbol_store_new(struct context *ctx, const struct image_table *images,
				      const struct symbol_options *opts);
void symbol_store_free(struct symbol_store *s);
/*
 * Notes that the recording is of another kernel than the one that runs here, as its architecture or
 * release says. The symbols of this machine's kernel and vdso are then used only where a build ID
 * matches. Called before addresses are looked up.
 */
void symbol_store_set_foreign(struct symbol_store *s);
/*
 * Frees, in live sessions, the tables of images for which named[id] is false (image_count()
 * entries), with the names in them. Each is read again on request. Threads: no other may use the
 * store meanwhile.
 */
void symbol_store_sweep(struct symbol_store *s, const bool *named);
/*
 * Prepares for symbol_store_renew(), in live sessions before the first question: it needs to know
 * which files tables were made from.
 */
void symbol_store_expect_changes(struct symbol_store *s);
/*
 * Reads tables again, in live sessions, whose files have changed since (debug files and perf maps:
 * or were not there). A file that has gone changes nothing. Nor does an object that another one has
 * replaced, a perf map that cannot be used, or one whose process has ended. What is wrong with a
 * file is reported once.
 * images is by number: on entry, which to look at; on return, which have a new table. Returns
 * whether any has.
 * Symbols of the table before, and their numbers, stay valid until the image is renewed once more,
 * or symbol_store_drop_replaced() is called; symbol_find() and symbol_by_name() know those of the
 * new table only.
 * A table is renewed so seldom that this takes 2 % of the time at most. Threads: no other may use
 * the store meanwhile.
 */
bool symbol_store_renew(struct symbol_store *s, bool *images);
/*
 * Frees tables that have been replaced: nobody knows numbers or names of them any more. Threads:
 * likewise.
 */
void symbol_store_drop_replaced(struct symbol_store *s);
/*
 * Sets where bytes without a file are kept (object_search.kept); called before the first question.
 */
void symbol_store_keep(struct symbol_store *s,
		       const u8 *(*kept)(void *arg, const struct image *img, size_t *size),
		       void *arg);
/*
 * Returns roughly how much memory the tables take, including replaced ones; those of kernels, which
 * all share one list, are not counted.
 */
u64 symbol_store_bytes(const struct symbol_store *s);
/*
 * Lets pages leave memory, in live sessions after symbol_store_expect_changes(): those of files in
 * which names were looked up. The kernel maps 16 pages for each name that is read. Names that were
 * given stay. Threads: others may ask meanwhile.
 */
void symbol_store_let_pages_go(struct symbol_store *s);
/* How it finds files, for callers that need the same; lives as long as the store. */
struct object_search;
const struct object_search *symbol_store_search(const struct symbol_store *s);
/* Reports whether perf maps and jitdump files of other users are read. */
bool symbol_store_takes_foreign(const struct symbol_store *s);

/*
 * Returns the table of an image. Never NULL: an image without symbols has an empty table (and a
 * condition).
 */
const struct symbol_table *symbols_of(struct symbol_store *s, u32 image);
/* Works like symbols_of() if the table has been requested before; else returns NULL. */
const struct symbol_table *symbols_if_loaded(const struct symbol_store *s, u32 image);
/*
 * Returns the number of the innermost symbol that covers the offset. Where none does, that of the
 * function that the unwind tables of an ELF file have there, or NO_SYMBOL.
 */
u32 symbol_find(const struct symbol_table *t, u64 offset);
/* Works like symbol_find(), but returns false where unwind tables would have to be read first. */
bool symbol_find_loaded(const struct symbol_table *t, u64 offset, u32 *number);
/* Demangles the name on first use, so take symbols by number only. */
const struct symbol *symbol_get(const struct symbol_table *t, u32 number);
/*
 * Finds the offset where a symbol begins, without reading its name. Returns false where
 * symbol_get() has none.
 */
bool symbol_start(const struct symbol_table *t, u32 number, u64 *start);
/* Returns the number of the first symbol, which is 0 where tables are not renewed. */
u32 symbol_first(const struct symbol_table *t);
u32 symbol_count(const struct symbol_table *t); /* without functions of unwind tables */
/* Returns the first symbol of exactly this name, also "[OBJECT+0xSTART]", or NO_SYMBOL. */
u32 symbol_by_name(const struct symbol_table *t, const char *name);
/* Returns the file that the table was made from, for -v, or NULL when none was found. */
const char *symbol_table_source(const struct symbol_table *t);
/*
 * Returns the pid of a process as it sees itself, by which its perf map is named, or pid when that
 * is unknown.
 */
s32 perf_map_pid(s32 pid);
/*
 * Returns the path of a process's perf map: in its own root while it runs, with its own pid, else
 * below symfs ("" means here). The caller frees it. The file may not exist.
 */
char *perf_map_path(s32 pid, const char *symfs);
/*
 * Reports whether the table is of an ELF file that has only exported names, and of which no debug
 * file was found.
 */
bool symbol_table_is_stripped(const struct symbol_table *t);
/* Returns perf's one-letter origin of a dso, 'e' ELF, 'K' kallsyms and so on, for report -v. */
char symbol_table_origin(const struct symbol_table *t);

#endif
