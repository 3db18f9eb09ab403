// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The lines of a function: its code, with heads, names of functions, and source in between.
 *
 * These follow objdump -l -S: the name of a function where its code (or that of an inlined
 * function) begins. At each new line of source, the lines since the last one shown of that file; at
 * most five lines above a place that was not shown before. The numbers beside text are those of
 * perf: the source line that objdump named last, plus the lines since.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/counts.h"
#include "annotate/internal.h"
#include "annotate/opcodes.h"
#include "arch/arch.h"
#include "base/alloc.h"
#include "base/bytes.h"
#include "base/text.h"

#define CONTEXT_LINES 5
/* This many zeros or more are shown as "..." */
#define ZERO_RUN        8
#define ZERO_RUN_AT_END 3
#define MAX_TAIL        64

/* An annotation with the memory that it owns. */
struct made {
	struct annotation n; /* first, because callers hold it */
	VEC(struct annotate_line) lines;
	struct arena texts;
	struct annotate_count *counts;
	struct annotate_count *totals;
	u8 *code;  /* the bytes of the code, if they were read */
	u64 start; /* the function's place in the image */
};

struct shown_file {
	const char *path;
	u32 max_shown, last;
};

struct making {
	struct annotator *a;
	struct made *made;
	const struct code *code;
	u32 image;
	struct target_namer namer;
	VEC(struct shown_file) files;
	const char *function; /* the function whose name was shown last */
	u32 line, discriminator, number;
	struct source_line here;
	u64 previous; /* address of the line before */
	struct strbuf text;
};

struct annotator *annotator_new(struct context *ctx, const struct image_table *images,
				struct symbol_store *symbols, const struct annotate_settings *s)
{
	struct annotator *a = xcalloc(1, sizeof(*a));

	a->ctx = ctx;
	a->images = images;
	a->symbols = symbols;
	a->set = *s;
	a->lines = line_store_new(symbols, s->lines);
	a->sources = sources_new(s->prefix, s->prefix_strip);
	return a;
}

static void free_object(struct open_object *o)
{
	addr_names_free(o->names);
	if (!o->err)
		object_close(&o->file);
	if (o->debug.elf)
		object_close(&o->debug);
	reason_release(&o->reason);
	free(o);
}

void annotator_sweep(struct annotator *a, const bool *named)
{
	size_t n = 0;

	for (size_t i = 0; i < a->objects.count; i++) {
		struct open_object *o = a->objects.items[i];

		if (named[o->image])
			a->objects.items[n++] = o;
		else
			free_object(o);
	}
	a->objects.count = n;
	line_store_sweep(a->lines, named);
}

void annotator_free(struct annotator *a)
{
	if (!a)
		return;
	vec_for_each(&a->objects, o)
		free_object(*o);
	vec_release(&a->objects);
	line_store_free(a->lines);
	sources_free(a->sources);
	opcodes_free(a->opcodes);
	decoder_free(a->decoder);
	strtab_release(&a->texts);
	free(a);
}

/* ---- lines ---- */

static const char *keep(struct making *m, const char *s, size_t len)
{
	return arena_strndup(&m->made->texts, s, len);
}

/*
 * Keeps a copy of a name. Names are in mapped files, which may be truncated while the function is
 * on the screen.
 */
static const char *keep_name(struct making *m, const char *name)
{
	return name ? keep(m, name, strlen(name)) : NULL;
}

static struct annotate_line *add_line(struct making *m, enum annotate_kind kind, const char *text)
{
	struct annotate_line *l = vec_push_zero(&m->made->lines);

	l->kind = kind;
	l->text = text;
	l->number = m->number++;
	l->target_line = l->loop = NO_LINE;
	return l;
}

/* Tabs, as wide as they stand in a text that begins at column 0; control characters. */
static void expand(struct strbuf *out, const char *s, size_t len)
{
	while (len && (*s == ' ' || *s == '\t')) {
		s++;
		len--;
	}
	while (len && (s[len - 1] == ' ' || s[len - 1] == '\t'))
		len--;
	for (size_t plain; len; s += plain, len -= plain) {
		size_t start = out->len;

		for (; len && *s == '\t'; s++, len--)
			strbuf_pad(out, ' ', 8 - (int)(out->len % 8));
		for (plain = 0; plain < len && s[plain] && s[plain] != '\t';)
			plain++;
		start = out->len;
		strbuf_add(out, s, plain);
		strbuf_printable_from(out, start);
		if (plain < len && !s[plain]) {
			strbuf_str(out, "\\x00");
			plain++;
		}
	}
}

static void add_source(struct making *m, const char *path, u32 from, u32 to)
{
	for (u32 line = from; line <= to; line++) {
		size_t len;
		const char *s = source_line(m->a->sources, path, line, &len);
		struct annotate_line *l;

		if (!s)
			return;
		strbuf_clear(&m->text);
		expand(&m->text, s, len);
		l = add_line(m, ANNOTATE_SOURCE, keep(m, strbuf_cstr(&m->text), m->text.len));
		l->file = path;
		l->line = line;
		m->made->n.has_source = true;
	}
}

static struct shown_file *shown_file(struct making *m, const char *path)
{
	vec_for_each(&m->files, f)
		if (!strcmp(f->path, path))
			return f;
	vec_push(&m->files, (struct shown_file){ .path = path });
	return vec_last(&m->files);
}

static void show_source(struct making *m, const char *path, u32 line)
{
	struct shown_file *f = shown_file(m, path);
	u32 from = line > CONTEXT_LINES ? line - CONTEXT_LINES : 1;

	if (line == f->last)
		return;
	if (f->max_shown >= from)
		from = f->max_shown < line ? f->max_shown + 1 : line;
	add_source(m, path, from, line);
	f->max_shown = MAX(f->max_shown, line);
	f->last = line;
}

/* Reports whether a name is demangled with its parameters: "f(int)", "S::g() const". */
static bool has_parameters(const char *name)
{
	const char *end = strrchr(name, ')');

	return end && (!end[1] || str_starts(end, ") const") || str_starts(end, ") volatile") ||
		       end[1] == '@' || str_starts(end, ") [clone") || str_starts(end, ") &"));
}

/* Returns the name of the function at an address: DWARF's, or else the symbol's. */
static const char *function_here(struct making *m, u64 address)
{
	const struct symbol_table *t = symbols_of(m->a->symbols, m->image);
	u32 number;

	if (m->here.function && (m->here.is_inlined || has_parameters(m->here.function)))
		return m->here.function;
	if (m->namer.names) {
		const char *symbol = addr_name_of_function(m->namer.names, address);

		/* local types have no linkage name in DWARF, but the symbol has it */
		return !m->here.function || (symbol && has_parameters(symbol)) ? symbol
									       : m->here.function;
	}
	if (m->here.function)
		return m->here.function;
	number = symbol_find(t, m->code->from_offset + (address - m->code->address));
	return number == NO_SYMBOL ? NULL : symbol_get(t, number)->name;
}

/* Shows objdump's "FILE:LINE", unless it has a full path: like perf, that only sets the number. */
static void show_position(struct making *m)
{
	struct annotate_line *l;

	if (m->here.file && m->here.file[0] == '/') {
		m->number = m->here.line;
		return;
	}
	strbuf_clear(&m->text);
	strbuf_printable(&m->text, m->here.file ? m->here.file : "???");
	strbuf_f(&m->text, ":%u", m->here.line);
	if (m->here.discriminator)
		strbuf_f(&m->text, " (discriminator %u)", m->here.discriminator);
	l = add_line(m, ANNOTATE_SOURCE, keep(m, strbuf_cstr(&m->text), m->text.len));
	l->file = m->here.file;
	l->line = m->here.line;
}

/* Shows what precedes an instruction. */
static void show_place(struct making *m, u64 address)
{
	const char *function;

	line_at(m->a->lines, m->image, m->code->from_offset + (address - m->code->address),
		&m->here);
	function = m->code->elf ? function_here(m, address) : NULL;
	if (function && (!m->function || strcmp(function, m->function))) {
		strbuf_clear(&m->text);
		strbuf_printable(&m->text, function);
		strbuf_str(&m->text, has_parameters(function) ? ":" : "():");
		add_line(m, ANNOTATE_FUNCTION, keep(m, strbuf_cstr(&m->text), m->text.len));
		m->line = UINT32_MAX;
		m->function = function;
	}
	if (m->here.line && (m->here.line != m->line || m->here.discriminator != m->discriminator))
		show_position(m);
	if (m->here.line && m->here.file && !m->a->set.no_source)
		show_source(m, m->here.file, m->here.line);
	if (m->here.line)
		m->line = m->here.line;
	m->discriminator = m->here.discriminator;
}

static void add_head(struct making *m, u64 address)
{
	const char *name;
	s64 offset = 0;

	add_line(m, ANNOTATE_HEAD, "");
	name = target_name(&m->namer, address, &offset);
	strbuf_clear(&m->text);
	strbuf_hex_zero(&m->text, address, m->code->arch && m->code->arch->bits == 32 ? 8 : 16);
	if (name) {
		strbuf_f(&m->text, " <%s", name);
		if (offset)
			strbuf_f(&m->text, offset < 0 ? "-0x%" PRIx64 : "+0x%" PRIx64,
				 (u64)(offset < 0 ? -offset : offset));
		strbuf_char(&m->text, '>');
	}
	strbuf_char(&m->text, ':');
	add_line(m, ANNOTATE_HEAD, keep(m, strbuf_cstr(&m->text), m->text.len));
}

static void add_heads(struct making *m)
{
	for (int i = 0; i < 3; i++)
		add_line(m, ANNOTATE_HEAD, "");
	strbuf_clear(&m->text);
	strbuf_f(&m->text, "Disassembly of section ");
	strbuf_printable(&m->text, m->code->section);
	strbuf_char(&m->text, ':');
	add_line(m, ANNOTATE_HEAD, keep(m, strbuf_cstr(&m->text), m->text.len));
	add_head(m, m->code->address);
}

/*
 * Returns a name without its parameters: "operator delete@plt" for "operator delete(void*, unsigned
 * long)@plt".
 */
static const char *without_parameters(struct making *m, const char *name)
{
	const char *end = strrchr(name, ')'), *at = end;
	int depth = 0;

	if (!end || !has_parameters(name))
		return name;
	for (; at > name; at--) {
		depth += *at == ')' ? 1 : *at == '(' ? -1 : 0;
		if (!depth)
			break;
	}
	if (at == name)
		return name;
	strbuf_clear(&m->text);
	strbuf_add(&m->text, name, (size_t)(at - name));
	strbuf_str(&m->text, end + 1);
	return strbuf_cstr(&m->text);
}

/*
 * Returns the short name, without parameters, of a jump's or call's target outside the function;
 * NULL if it is inside.
 */
static const char *outside_name(struct making *m, const struct insn *insn, struct annotate_line *l)
{
	const struct code *c = m->code;
	const struct symbol_table *t = symbols_of(m->a->symbols, m->image);
	u64 place = insn->target;
	s64 offset = 0;
	const char *name;
	u32 number;

	if (!insn->has_target ||
	    (insn->target >= c->address && insn->target < c->address + c->size))
		return NULL;
	if (c->elf && c->from_offset != c->address)
		place = insn->target - c->address + c->from_offset;
	number = symbol_find(t, place);
	if (number != NO_SYMBOL && symbol_get(t, number)->start == place &&
	    !symbol_get(t, number)->is_plt) {
		l->target_symbol = number;
		return symbol_get(t, number)->name;
	}
	name = target_name(&m->namer, insn->target, &offset);
	return name && !offset ? without_parameters(m, name) : NULL;
}

static u8 mnemonic_length(const char *text)
{
	return (u8)MIN(strcspn(text, " "), 255);
}

static void add_code(void *arg, const struct insn *insn)
{
	struct making *m = arg;
	const struct code *c = m->code;
	struct annotate_line *l;
	s64 offset;
	const char *name =
		m->namer.names ? addr_name(m->namer.names, insn->address, &offset) : NULL;

	if (insn->address != c->address && name && !offset)
		add_head(m, insn->address);
	show_place(m, insn->address);
	l = add_line(m, ANNOTATE_CODE, keep(m, strbuf_cstr(insn->text), insn->text->len));
	l->file = m->here.file;
	l->line = m->here.line;
	l->address = insn->address;
	l->offset = insn->address - c->address;
	l->bytes = c->bytes + l->offset;
	l->size = (u8)MIN(insn->size, c->size - l->offset);
	if (m->a->set.raw_lines && l->size)
		m->number += (l->size - 1u) / 7;
	l->mnemonic = mnemonic_length(l->text);
	l->flow = insn->flow;
	l->has_target = insn->has_target;
	l->target = insn->target;
	l->target_symbol = NO_SYMBOL;
	l->target_name = keep_name(m, outside_name(m, insn, l));
	m->made->n.code_count++;
}

/*
 * Adds an instruction from objdump. Replaces the names in "1280 <f+0x60>" by ours, because objdump
 * does not see all names.
 */
static void add_objdump_code(void *arg, const struct insn *insn)
{
	struct making *m = arg;
	struct strbuf text = STRBUF_INIT;
	struct insn copy = *insn;
	const char *old = strbuf_cstr(insn->text), *name = strchr(old, '<'), *start = name;

	while (start && start > old && start[-1] == ' ')
		start--;
	while (start && start > old && start[-1] != ' ' && start[-1] != ',')
		start--;
	if (name && m->namer.names && strrchr(name, '>')) {
		char *end;
		u64 addr = strtoull(start, &end, 16);

		if (end > start && *end == ' ') {
			strbuf_add(&text, old, (size_t)(start - old));
			text_address(&m->namer, addr, &text);
			strbuf_str(&text, strrchr(name, '>') + 1);
			copy.text = &text;
		}
	}
	add_code(m, &copy);
	strbuf_release(&text);
}

/* ---- decoding ---- */

/* Returns how many zeros at p are shown as "...". */
static size_t zeros_at(const u8 *p, size_t size)
{
	size_t n = 0;

	while (n < size && !p[n])
		n++;
	if (n == size)
		return n >= ZERO_RUN || (n && n < ZERO_RUN_AT_END) ? n : 0;
	return n >= ZERO_RUN ? n / 4 * 4 : 0;
}

/* Writes bytes that are not an instruction, as objdump does. Returns their number. */
static u32 put_data(const struct code *c, size_t at, struct insn *insn)
{
	bool words = c->arch && c->arch->min_insn_size == 4 && c->size - at >= 4;

	strbuf_clear(insn->text);
	*insn = (struct insn){ .address = c->address + at,
			       .size = words ? 4 : 1,
			       .text = insn->text };
	if (words)
		strbuf_f(insn->text, ".long 0x%x",
			 load_u32(c->bytes + at,
				  c->arch->big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)));
	else
		strbuf_f(insn->text, ".byte  0x%x", c->bytes[at]);
	return insn->size;
}

/* Decodes the instruction at this place of the code. Returns false if it cannot. */
static bool by_opcodes(struct making *m, size_t at, struct insn *insn)
{
	return opcodes_decode(m->a->opcodes, m->code->address + at, insn);
}

static bool by_capstone(struct making *m, size_t at, struct insn *insn)
{
	const struct code *c = m->code;

	return decode(m->a->decoder, c->arch, c->machine, c->bytes + at, c->size - at,
		      c->address + at, &m->namer, insn);
}

/*
 * Reports whether a traceback table of powerpc begins here. It follows a function's code: a zero,
 * and a few words.
 */
static bool is_tail(const struct code *c, size_t at)
{
	return c->arch && c->arch->min_insn_size == 4 && c->size - at <= MAX_TAIL &&
	       c->size - at >= 4 && !load_u32(c->bytes + at, false);
}

/*
 * Decodes all of the code. Returns false if an instruction could not be decoded; the lines so far
 * are useless then.
 */
static bool decode_all(struct making *m)
{
	const struct code *c = m->code;
	struct strbuf text = STRBUF_INIT;
	struct insn insn = { .text = &text };
	bool ok = true, tail = false;

	for (size_t at = 0; at < c->size && ok && !context_cancelled(m->a->ctx);) {
		size_t zeros = zeros_at(c->bytes + at, c->size - at);

		if (zeros) {
			add_line(m, ANNOTATE_HEAD, "...");
			at += zeros;
			continue;
		}
		ok = !tail && by_opcodes(m, at, &insn);
		tail |= !ok && is_tail(c, at);
		if (tail)
			ok = put_data(c, at, &insn);
		if (ok)
			add_code(m, &insn);
		at += ok ? insn.size : 0;
	}
	strbuf_release(&text);
	return ok;
}

static void begin_lines(struct making *m)
{
	m->made->lines.count = 0;
	m->files.count = 0;
	m->made->n.code_count = 0;
	m->function = NULL;
	m->line = m->discriminator = m->number = 0;
	add_heads(m);
}

/* Decodes the code with capstone; shows what that cannot decode as bytes. */
static void capstone_or_bytes(struct making *m)
{
	const struct code *c = m->code;
	struct strbuf text = STRBUF_INIT;
	struct insn insn = { .text = &text };

	begin_lines(m);
	m->made->n.decoder = "capstone";
	for (size_t at = 0; at < c->size;) {
		if (!by_capstone(m, at, &insn))
			put_data(c, at, &insn);
		add_code(m, &insn);
		at += insn.size;
	}
	strbuf_release(&text);
}

/*
 * Starts libopcodes if it can decode this code. Returns false if it cannot, or if the user chose
 * objdump or a syntax that only objdump has. objdump then comes before capstone, whose text
 * differs.
 */
static bool choose_opcodes(struct making *m)
{
	struct annotator *a = m->a;

	if (a->set.objdump ||
	    (a->set.syntax && strcmp(a->set.syntax, "att") && strcmp(a->set.syntax, "intel")))
		return false;
	if (!a->opcodes)
		a->opcodes = opcodes_new();
	if (!opcodes_begin(a->opcodes, m->code, a->set.syntax, &m->namer))
		return false;
	m->made->n.decoder = "libopcodes";
	return true;
}

static bool capstone_knows(struct annotator *a, const struct code *c)
{
	if (!a->decoder)
		a->decoder = decoder_new(a->set.syntax);
	return decoder_knows(a->decoder, c->arch, c->machine);
}

static int disassemble(struct making *m, struct reason *r)
{
	struct annotator *a = m->a;
	int err;

	begin_lines(m);
	if (choose_opcodes(m)) {
		if (decode_all(m))
			return 0;
		begin_lines(m);
	}
	err = objdump_run(a, m->code, add_objdump_code, m, &m->made->n.decoder, r);
	if (!err && !m->made->n.code_count)
		err = reason_set(r, ENODATA, "'%s' shows no instruction of it", m->made->n.decoder);
	if (!err || a->set.objdump || !capstone_knows(a, m->code))
		return err;
	condition_add(&a->ctx->conditions, CONDITION_WARNING, "annotate-undecoded", m->code->path,
		      NULL, 1,
		      r->hint ? r->hint : "give an objdump that knows them: --objdump PATH",
		      "instructions of '%s' are shown as capstone reads them: %s", m->code->path,
		      r->text ? r->text : "objdump could not help");
	reason_release(r);
	capstone_or_bytes(m);
	return 0;
}

static void settle(struct making *m, u32 symbol)
{
	struct annotation *n = &m->made->n;
	const struct image *img = image_get(m->a->images, m->image);

	n->lines = m->made->lines.items;
	n->count = (u32)m->made->lines.count;
	n->image = m->image;
	n->symbol = symbol;
	n->name = keep_name(m, symbol_get(symbols_of(m->a->symbols, m->image), symbol)->name);
	n->path = m->code->path;
	/* name the kernel by the file that was read */
	n->object = img->kind == IMAGE_KERNEL && m->code->elf ? m->code->path : img->path;
	n->address = m->code->address;
	n->size = m->code->size;
	flow_settle(n);
}

static struct addr_names *object_names(struct annotator *a, struct open_object *o,
				       const struct elf *elf)
{
	const struct image *img = image_get(a->images, o->image);

	if (o->names)
		return o->names;
	if (img->kind == IMAGE_ELF && !elf_section(elf, ".symtab") &&
	    object_open_debug(symbol_store_search(a->symbols), img, &o->file, &o->debug, NULL))
		o->debug = (struct object_file){ NULL, NULL, 0 };
	o->names = addr_names_new(elf, o->debug.elf, symbols_of(a->symbols, o->image), true);
	return o->names;
}

int annotate_symbol(struct annotator *a, u32 image, u32 symbol, struct annotation **out,
		    struct reason *r)
{
	const struct symbol *sym = symbol_get(symbols_of(a->symbols, image), symbol);
	struct open_object *o;
	struct code code;
	struct making m = { .a = a, .code = &code, .image = image };
	int err = code_find(a, image, sym, &code, r);

	if (err) {
		reason_prefix(r, "'%s' cannot be disassembled", sym->name);
		return err;
	}
	m.made = xcalloc(1, sizeof(*m.made));
	m.made->code = code.owned;
	m.made->start = sym->start;
	m.namer = (struct target_namer){ .a = a, .image = image, .code = &code };
	o = code.elf && code.machine ? annotator_object(a, image) : NULL;
	if (o && elf_type(code.elf) != 1 /* ET_REL: its addresses are not unique */) {
		m.namer.names = object_names(a, o, code.elf);
	}
	err = disassemble(&m, r);
	if (context_cancelled(a->ctx) && !err)
		err = reason_set(r, ECANCELED, "given up");
	strbuf_release(&m.text);
	vec_release(&m.files);
	if (err) {
		annotation_free(&m.made->n);
		reason_prefix(r, "'%s' cannot be disassembled", sym->name);
		return err;
	}
	settle(&m, symbol);
	*out = &m.made->n;
	return 0;
}

void annotation_fill(struct annotation *n, struct annotate_counts *c, const u32 *events, u32 count)
{
	struct made *made = (struct made *)n;

	annotate_counts_sort(c);
	annotation_fill_at(n, made->start, c, events, count, &made->counts, &made->totals);
}

void annotation_free(struct annotation *n)
{
	struct made *made = (struct made *)n;

	if (!n)
		return;
	vec_release(&made->lines);
	arena_release(&made->texts);
	free(made->counts);
	free(made->totals);
	free(made->code);
	free(made);
}
