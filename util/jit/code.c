// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Assigns functions their places as they are read, but makes an object only when it is asked for,
 * by reading its part of the file again: most parts of most files are asked for once or never.
 */
#include "jit/code.h"

#include <elf.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/text.h"
#include "jit/internal.h"

/* Bytes of code in one object. Further code starts another part. */
#define PART_BYTES (256ULL << 20)

struct part {
	u64 position; /* in the file, of the first record of this part */
	size_t loads;
	u64 text_end; /* where the code ends in the object */
	bool taken;   /* read by somebody: nothing may be added */
	u8 *object;   /* NULL: not made yet, or dropped */
	size_t size;
};

struct jit_code {
	struct jitdump *dump;
	u64 entry_end; /* position after the newest entry */
	VEC(struct jit_function) functions;
	struct map64 by_index; /* a function's number in the file -> its newest entry */
	pthread_mutex_t lock;  /* guards the parts */
	VEC(struct part) parts;
};

void jit_clock_take(struct jit_clock *c, const u8 *record, size_t size, bool swap)
{
	if (size < 32)
		return;
	c->shift = MIN(load_u64(record + 8, swap), 63);
	c->mult = load_u64(record + 16, swap);
	c->zero = load_u64(record + 24, swap);
	c->known = true;
}

u64 jit_clock_ns(const struct jit_clock *c, u64 cycles)
{
	u64 whole = cycles >> c->shift, rest = cycles & (BIT64(c->shift) - 1);

	return c->zero + whole * c->mult + ((rest * c->mult) >> c->shift);
}

bool jitdump_names(const char *path)
{
	const char *base = path_base(path);
	size_t digits;

	if (path[0] != '/' || !str_starts(base, "jit-"))
		return false;
	base += strlen("jit-");
	digits = strspn(base, "0123456789");
	return digits && !strcmp(base + digits, ".dump");
}

int jit_code_open(const char *path, struct jit_code **out, struct reason *r)
{
	struct jit_code *c = xcalloc(1, sizeof(*c));
	int err = jitdump_open(path, &c->dump, r);

	if (err) {
		free(c);
		return err;
	}
	c->entry_end = jitdump_position(c->dump);
	pthread_mutex_init(&c->lock, NULL);
	*out = c;
	return 0;
}

void jit_code_free(struct jit_code *c)
{
	if (!c)
		return;
	vec_for_each(&c->parts, p)
		free(p->object);
	vec_release(&c->parts);
	vec_release(&c->functions);
	map64_release(&c->by_index);
	pthread_mutex_destroy(&c->lock);
	jitdump_close(c->dump);
	free(c);
}

const struct jitdump *jit_code_dump(const struct jit_code *c)
{
	return c->dump;
}

size_t jit_code_count(const struct jit_code *c)
{
	return c->functions.count;
}

const struct jit_function *jit_code_at(const struct jit_code *c, size_t index)
{
	return &c->functions.items[index];
}

static void add_load(struct jit_code *c, const struct jit_entry *e)
{
	struct part *p = c->parts.count ? vec_last(&c->parts) : NULL;

	*map64_put(&c->by_index, e->index, NULL) = c->functions.count;
	pthread_mutex_lock(&c->lock);
	if (!p || p->taken || p->text_end >= PART_BYTES) {
		p = vec_push_zero(&c->parts);
		p->position = c->entry_end;
		p->text_end = JIT_CODE_OFFSET;
	}
	vec_push(&c->functions, (struct jit_function){ .time = e->time,
						       .addr = e->addr,
						       .size = e->size,
						       .offset = ALIGN_UP(p->text_end, 16),
						       .part = (u32)c->parts.count - 1 });
	p->text_end = vec_last(&c->functions)->offset + e->size;
	p->loads++;
	pthread_mutex_unlock(&c->lock);
}

static void add_move(struct jit_code *c, const struct jit_entry *e)
{
	const u64 *at = map64_get(&c->by_index, e->index);
	struct jit_function f;

	if (!at)
		return;
	f = c->functions.items[*at];
	f.time = e->time;
	f.addr = e->addr;
	f.size = MIN(f.size, e->size);
	vec_push(&c->functions, f);
}

int jit_code_read(struct jit_code *c, struct reason *r)
{
	struct jit_entry e;
	int got;

	while ((got = jitdump_next(c->dump, &e, r)) == 1) {
		if (e.kind == JIT_LOAD && e.size)
			add_load(c, &e);
		else if (e.kind == JIT_MOVE && e.size)
			add_move(c, &e);
		c->entry_end = jitdump_position(c->dump);
	}
	return got;
}

/* What is gathered of a part before it becomes an object. */
struct assembly {
	struct strbuf text, frames, symbols, names;
	struct jit_dwarf dwarf;
};

static void add_function(struct assembly *a, const struct jit_entry *e, const struct jit_format *f,
			 u64 frames_at)
{
	u64 at = ALIGN_UP(JIT_CODE_OFFSET + a->text.len, 16);

	strbuf_pad(&a->text, 0, (int)(at - JIT_CODE_OFFSET - a->text.len));
	strbuf_add(&a->text, e->code, e->size);
	jit_add_symbol(&a->symbols, f, (u32)a->names.len, at, e->size,
		       ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 1);
	strbuf_add(&a->names, e->name, strlen(e->name) + 1);
	if (e->eh_frame_size)
		jit_frames_add(e, f, at, frames_at + a->frames.len, &a->frames);
	jit_dwarf_add(e, f, at, &a->dwarf);
}

/*
 * Reads the functions of a part again. If the file has changed meanwhile, what does not fit any
 * more is left out.
 */
static void collect(struct jit_code *c, const struct part *p, u64 frames_at, struct assembly *a)
{
	struct jitdump *d = jitdump_again(c->dump, p->position);
	const struct jit_format *f = jitdump_format(d);
	struct jit_entry e;
	size_t loads = 0;

	jit_add_symbol(&a->symbols, f, 0, 0, 0, 0, SHN_UNDEF);
	strbuf_char(&a->names, 0);
	while (loads < p->loads && jitdump_next(d, &e, NULL) == 1) {
		if (e.kind != JIT_LOAD || !e.size)
			continue;
		if (ALIGN_UP(JIT_CODE_OFFSET + a->text.len, 16) + e.size > p->text_end)
			break;
		add_function(a, &e, f, frames_at);
		loads++;
	}
	strbuf_pad(&a->text, 0, (int)(p->text_end - JIT_CODE_OFFSET - a->text.len));
	jitdump_close(d);
}

static void make_object(struct jit_code *c, struct part *p)
{
	const u64 code = SHF_ALLOC | SHF_EXECINSTR;
	u64 frames_at = ALIGN_UP(p->text_end, 8);
	struct assembly a = { .text = STRBUF_INIT };
	struct jit_object o;
	u64 loaded;

	collect(c, p, frames_at, &a);
	jit_object_begin(&o, jitdump_format(c->dump));
	jit_add_section(&o, ".text", SHT_PROGBITS, code, a.text.s, a.text.len, 16);
	jit_add_optional(&o, ".eh_frame", SHF_ALLOC, a.frames.s, a.frames.len);
	loaded = o.bytes.len;
	jit_add_symbol_table(&o, &a.symbols, &a.names);
	jit_object_end(&o, loaded, &a.dwarf);
	strbuf_release(&a.text);
	strbuf_release(&a.frames);
	strbuf_release(&a.symbols);
	strbuf_release(&a.names);
	jit_dwarf_release(&a.dwarf);
	p->size = o.bytes.len;
	p->object = (u8 *)strbuf_detach(&o.bytes);
}

const u8 *jit_code_object(struct jit_code *c, u32 part, size_t *size)
{
	const u8 *object = NULL;

	pthread_mutex_lock(&c->lock);
	if (part < c->parts.count) {
		struct part *p = &c->parts.items[part];

		p->taken = true;
		if (!p->object)
			make_object(c, p);
		object = p->object;
		*size = p->size;
	}
	pthread_mutex_unlock(&c->lock);
	return object;
}

void jit_code_drop(struct jit_code *c, u32 part)
{
	struct part *p;

	pthread_mutex_lock(&c->lock);
	if (part < c->parts.count) {
		p = &c->parts.items[part];
		p->taken = true;
		free(p->object);
		p->object = NULL;
	}
	pthread_mutex_unlock(&c->lock);
}
