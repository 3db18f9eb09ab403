// SPDX-License-Identifier: GPL-2.0-or-later
/* Which debug information an image gets, opened once however many ask. */
#include "symbol/srcline.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "object/elf_module.h"
#include "object/locate.h"
#include "symbol/dwarf.h"
#include "symbol/internal.h"

/* Inlining stops long before; bounds what a damaged tree can give. */
#define MAX_FRAMES 512

struct image_lines {
	pthread_mutex_t lock; /* one opens, the others wait for it */
	_Atomic(bool) ready;
	/* the object that was mapped: from offsets to addresses; NULL: its debug file */
	struct elf *object;
	struct dwarf *dwarf;       /* NULL without debug information */
	struct addr2line *program; /* asked instead of dwarf; NULL: none is */
	bool by_address;           /* offsets are addresses (kernel) */
	u64 shift;                 /* then: taken off them */
};

struct line_store {
	struct symbol_store *symbols;
	/* guards the map and the names, which are looked up for each frame and rarely added to */
	pthread_rwlock_t lock;
	struct map64 by_image; /* -> struct image_lines * */
	struct strtab names;   /* demangled, of what a program said */
	struct line_options options;
	struct line_styles styles;
	bool demangle, params;
};

struct line_store *line_store_new(struct symbol_store *symbols, const struct line_options *options)
{
	struct line_store *s = xcalloc(1, sizeof(*s));

	s->symbols = symbols;
	if (options)
		s->options = *options;
	line_styles_parse(&s->styles, s->options.style, NULL);
	s->demangle = !store_options(symbols)->no_demangle;
	s->params = store_context(symbols)->verbose > 0;
	pthread_rwlock_init(&s->lock, NULL);
	return s;
}

const struct line_options *line_store_options(const struct line_store *s)
{
	return &s->options;
}

const struct image *line_store_image(const struct line_store *s, u32 image)
{
	return image_get(store_images(s->symbols), image);
}

static void free_lines(struct image_lines *l)
{
	elf_close(l->object);
	dwarf_close(l->dwarf);
	addr2line_free(l->program);
	pthread_mutex_destroy(&l->lock);
	free(l);
}

void line_store_sweep(struct line_store *s, const bool *named)
{
	struct map64 left = { 0 };

	for (size_t i = 0; i < s->by_image.space; i++) {
		const struct map64_slot *slot = &s->by_image.slots[i];

		if (slot->used && named[slot->key])
			*map64_put(&left, slot->key, NULL) = slot->value;
		else if (slot->used)
			free_lines((void *)(uintptr_t)slot->value);
	}
	map64_release(&s->by_image);
	s->by_image = left;
}

struct line_store *line_store_take(struct line_store *s, const bool *images)
{
	struct line_store *taken = NULL;
	struct map64 left = { 0 };

	for (size_t i = 0; i < s->by_image.space; i++) {
		const struct map64_slot *slot = &s->by_image.slots[i];

		if (slot->used && images[slot->key]) {
			if (!taken)
				taken = line_store_new(s->symbols, &s->options);
			*map64_put(&taken->by_image, slot->key, NULL) = slot->value;
		} else if (slot->used) {
			*map64_put(&left, slot->key, NULL) = slot->value;
		}
	}
	map64_release(&s->by_image);
	s->by_image = left;
	return taken;
}

u64 line_store_bytes(const struct line_store *s)
{
	u64 bytes = 0;

	for (size_t i = 0; i < s->by_image.space; i++) {
		const struct map64_slot *slot = &s->by_image.slots[i];
		const struct image_lines *l = (const void *)(uintptr_t)slot->value;

		if (slot->used)
			bytes += sizeof(*l) + (l->dwarf ? dwarf_bytes(l->dwarf) : 0);
	}
	return bytes;
}

void line_store_free(struct line_store *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->by_image.space; i++)
		if (s->by_image.slots[i].used)
			free_lines((void *)(uintptr_t)s->by_image.slots[i].value);
	map64_release(&s->by_image);
	strtab_release(&s->names);
	pthread_rwlock_destroy(&s->lock);
	free(s);
}

static bool has_dwarf(const struct elf *e)
{
	return elf_section(e, ".debug_info") || elf_section(e, ".zdebug_info");
}

/*
 * Reports whether there are lines that our reader does not know: line tables alone, DWARF 1, stabs.
 */
static bool has_old_lines(const struct elf *e)
{
	static const char *const names[] = { ".debug_line", ".zdebug_line", ".line", ".stab" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (elf_section(e, names[i]))
			return true;
	return has_dwarf(e);
}

/* Takes elf over. */
static void open_dwarf(struct line_store *s, const struct image *img, struct elf *elf,
		       const char *path, const char *object, struct image_lines *l)
{
	const struct line_styles *styles = &s->styles;
	bool odd = has_old_lines(elf);

	if (styles->native && !(styles->program && styles->program_first))
		l->dwarf = dwarf_open(elf, path);
	else
		elf_close(elf);
	if (l->dwarf && object)
		l->dwarf->object = xstrdup(object);
	if (l->dwarf && img->kind == IMAGE_ELF) {
		l->dwarf->ctx = store_context(s->symbols);
		l->dwarf->program = img->path;
		l->dwarf->recorded = object_named_path(symbol_store_search(s->symbols), img);
	}
	if (l->dwarf || !odd || !styles->program)
		return;
	l->program = addr2line_new(s->options.addr2line ? s->options.addr2line : "addr2line", path);
	if (!l->object && !l->by_address && elf_open(path, &l->object, NULL))
		l->object = NULL;
}

static void open_file(struct line_store *s, const struct image *img, struct image_lines *l)
{
	const struct object_search *search = symbol_store_search(s->symbols);
	struct object_file object, debug;
	int err = object_open(search, img, img->pid, &object, NULL);

	l->object = object.elf;
	if (!err && has_old_lines(object.elf)) {
		/* opened again: the DWARF owns its file */
		err = object_open(search, img, img->pid, &debug, NULL);
	} else {
		err = object_open_debug(search, img, err ? NULL : &object, &debug, NULL);
	}
	if (!err) {
		open_dwarf(s, img, debug.elf, debug.path, object.path, l);
		free(debug.path);
	}
	free(object.path);
}

static void open_module(struct line_store *s, const struct image *img, struct image_lines *l)
{
	l->by_address = true;
	l->shift = img->addr - MODULE_ORIGIN;
	open_file(s, img, l);
}

static void open_kernel(struct line_store *s, const struct image *img, struct image_lines *l)
{
	const struct symbol_table *t = symbols_of(s->symbols, img->id);
	struct elf *e;

	if (symbol_table_origin(t) != 'v' || elf_open(symbol_table_source(t), &e, NULL))
		return;
	l->by_address = true;
	l->shift = t->shift;
	open_dwarf(s, img, e, symbol_table_source(t), NULL, l);
}

static struct image_lines *slot_of(struct line_store *s, u32 image)
{
	struct image_lines *l;
	const u64 *known;
	u64 *slot;

	pthread_rwlock_rdlock(&s->lock);
	known = map64_get(&s->by_image, image);
	l = known ? (struct image_lines *)(uintptr_t)*known : NULL;
	pthread_rwlock_unlock(&s->lock);
	if (l)
		return l;
	pthread_rwlock_wrlock(&s->lock);
	slot = map64_put(&s->by_image, image, NULL);
	l = (struct image_lines *)(uintptr_t)*slot;
	if (!l) {
		l = xcalloc(1, sizeof(*l));
		pthread_mutex_init(&l->lock, NULL);
		*slot = (u64)(uintptr_t)l;
	}
	pthread_rwlock_unlock(&s->lock);
	return l;
}

/* Returns the lines of an image. Without wait, returns NULL where another thread opens them. */
static const struct image_lines *lines_or_busy(struct line_store *s, u32 image, bool wait)
{
	struct image_lines *l = slot_of(s, image);
	const struct image *img;

	if (likely(atomic_load_explicit(&l->ready, memory_order_acquire)))
		return l;
	if (wait)
		pthread_mutex_lock(&l->lock);
	else if (pthread_mutex_trylock(&l->lock))
		return NULL;
	if (!atomic_load(&l->ready)) {
		img = image_get(store_images(s->symbols), image);
		if (img->kind == IMAGE_ELF || img->kind == IMAGE_VDSO || img->kind == IMAGE_DUMP)
			open_file(s, img, l);
		else if (img->kind == IMAGE_KERNEL)
			open_kernel(s, img, l);
		else if (img->kind == IMAGE_MODULE)
			open_module(s, img, l);
		atomic_store_explicit(&l->ready, true, memory_order_release);
	}
	pthread_mutex_unlock(&l->lock);
	return l;
}

void lines_open(struct line_store *s, u32 image)
{
	(void)lines_or_busy(s, image, false);
}

static const struct image_lines *lines_of(struct line_store *s, u32 image)
{
	return lines_or_busy(s, image, true);
}

bool lines_exist(struct line_store *s, u32 image)
{
	const struct image_lines *l = lines_of(s, image);

	return l->dwarf || l->program;
}

static bool to_address(const struct image_lines *l, u64 offset, u64 *addr)
{
	const struct elf *e = l->object || !l->dwarf ? l->object : l->dwarf->elf;

	*addr = offset - l->shift;
	return l->by_address || (e && elf_offset_to_addr(e, offset, addr));
}

struct frames {
	struct source_frame *out;
	u32 count, max;
};

static void add_frame(struct frames *f, struct source_frame frame)
{
	if (f->count < f->max)
		f->out[f->count] = frame;
	f->count++;
}

/* Returns where the call was made. */
static struct source_frame call_site(struct dwarf_unit *code, const struct call_node *n)
{
	struct dwarf_unit *files = code->skeleton && !code->has_lines ? code->skeleton : code;

	return (struct source_frame){
		.file = line_file_path(files, unit_lines(files), n->call_file),
		.line = n->call_line,
	};
}

/*
 * Adds the calls from the innermost outward. Each frame's line is where the one before was called.
 */
static void add_calls(struct line_store *s, struct dwarf_unit *code, u64 addr,
		      struct source_frame first, struct frames *f, unsigned how)
{
	const struct unit_calls *calls = unit_calls(code);
	u32 node = calls_find(calls, addr);
	struct source_frame frame = first;

	while (node != NO_CALL && f->count < MAX_FRAMES) {
		struct call_node *n = &calls->nodes[node];

		frame.function = call_name(calls, n, s->demangle, s->params);
		frame.is_inlined = n->parent != NO_CALL;
		add_frame(f, frame);
		frame = how & LINES_CALLS_ALONE ? (struct source_frame){ NULL }
						: call_site(code, n);
		node = n->parent;
	}
}

/*
 * Gives the outermost frame the symbol's name, which is what everything else shows: DWARF has none
 * for some functions, and unwind tables have none at all.
 */
static void name_outermost(struct line_store *s, u32 image, u64 offset, struct frames *f)
{
	const struct symbol_table *t;
	const char **name;
	u32 n;

	if (!f->count || f->count > f->max)
		return;
	name = &f->out[f->count - 1].function;
	t = symbols_of(s->symbols, image);
	n = symbol_find(t, offset);
	if (n != NO_SYMBOL && (symbol_is_named(n) || !*name))
		*name = symbol_get(t, n)->name;
}

/* Asks the child for the frames, whose names it gives mangled. */
static u32 ask_program(struct line_store *s, const struct image_lines *l, u32 image, u64 offset,
		       u64 addr, struct source_frame *out, u32 max)
{
	struct frames f = { .out = out, .max = max };

	f.count = addr2line_ask(l->program, addr, out, max);
	for (u32 i = 0; i < f.count; i++) {
		char *shown = out[i].function && s->demangle
				      ? symbol_demangle(out[i].function, s->params)
				      : NULL;

		if (!shown)
			continue;
		pthread_rwlock_wrlock(&s->lock);
		out[i].function = strtab_get(&s->names, strtab_add(&s->names, shown));
		pthread_rwlock_unlock(&s->lock);
		free(shown);
	}
	name_outermost(s, image, offset, &f);
	return f.count;
}

/*
 * Reads the lines and calls of a unit. Two threads that come to it simultaneously share the work:
 * one reads its lines, the other its calls. Returns false if both are not there yet, because
 * another thread is reading.
 */
static bool read_unit(struct dwarf_unit *u, unsigned how)
{
	bool lines = how & LINES_CALLS_ALONE || unit_lines_try(u),
	     calls = unit_calls_try(unit_with_code(u));

	return lines && calls;
}

/* Finds the line of the address itself. Returns false if it is unknown or not requested. */
static bool find_line(struct dwarf_unit *u, u64 addr, unsigned how, struct source_frame *line)
{
	const struct line_row *row =
		how & LINES_CALLS_ALONE ? NULL : lines_find(unit_lines(u), addr);

	*line = (struct source_frame){ NULL };
	if (!row)
		return false;
	line->file = line_file_path(u, unit_lines(u), row->file);
	line->line = row->line;
	return true;
}

u32 lines_ask(struct line_store *s, u32 image, u64 offset, struct source_frame *out, u32 max,
	      unsigned how)
{
	const struct image_lines *l = lines_or_busy(s, image, !(how & LINES_NO_WAIT));
	struct frames f = { .out = out, .max = max };
	struct source_frame first;
	struct dwarf_unit *u;
	bool known;
	u32 index;
	u64 addr;

	if (!l)
		return LINES_BUSY;
	if ((!l->dwarf && !l->program) || !to_address(l, offset, &addr))
		return 0;
	if (l->program)
		return ask_program(s, l, image, offset, addr, out, max);
	index = dwarf_find_unit(l->dwarf, addr);
	if (index == UINT32_MAX)
		return 0;
	u = &l->dwarf->units[index];
	if (!read_unit(u, how) && how & LINES_NO_WAIT)
		return LINES_BUSY;
	known = find_line(u, addr, how, &first);
	add_calls(s, unit_with_code(u), addr, first, &f, how);
	if (!f.count && known)
		add_frame(&f, first);
	name_outermost(s, image, offset, &f);
	return f.count;
}

u32 lines_at(struct line_store *s, u32 image, u64 offset, struct source_frame *out, u32 max)
{
	return lines_ask(s, image, offset, out, max, 0);
}

/* Finds the innermost function at an address and its line by the program. */
static bool line_by_program(struct line_store *s, const struct image_lines *l, u32 image,
			    u64 offset, u64 addr, struct source_line *out)
{
	struct source_frame frames[2];
	u32 count = ask_program(s, l, image, offset, addr, frames, ARRAY_SIZE(frames));

	if (!count)
		return false;
	*out = (struct source_line){ .function = frames[0].function,
				     .file = frames[0].file,
				     .line = frames[0].line,
				     .is_inlined = count > 1 };
	return true;
}

bool line_at(struct line_store *s, u32 image, u64 offset, struct source_line *out)
{
	const struct image_lines *l = lines_of(s, image);
	const struct unit_calls *calls;
	const struct line_row *row;
	struct dwarf_unit *u;
	u32 index, node;
	u64 addr;

	*out = (struct source_line){ NULL };
	if ((!l->dwarf && !l->program) || !to_address(l, offset, &addr))
		return false;
	if (!l->dwarf)
		return line_by_program(s, l, image, offset, addr, out);
	index = dwarf_find_unit(l->dwarf, addr);
	if (index == UINT32_MAX)
		return false;
	u = &l->dwarf->units[index];
	row = lines_find(unit_lines(u), addr);
	if (row) {
		out->file = line_file_path(u, unit_lines(u), row->file);
		out->line = row->line;
		out->discriminator = row->discriminator;
	}
	calls = unit_calls(unit_with_code(u));
	node = calls_find(calls, addr);
	if (node != NO_CALL) {
		out->function = call_name(calls, &calls->nodes[node], s->demangle, true);
		out->is_inlined = calls->nodes[node].parent != NO_CALL;
	}
	return true;
}

u64 lines_address(struct line_store *s, u32 image, u64 offset)
{
	const struct image_lines *l = lines_of(s, image);
	u64 addr;

	if (!l->by_address && !l->object && !l->dwarf)
		return offset;
	return to_address(l, offset, &addr) ? addr : offset;
}
