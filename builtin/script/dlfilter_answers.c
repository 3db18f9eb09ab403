// SPDX-License-Identifier: GPL-2.0-or-later
/* What a filter may ask about the sample that it is shown. */
#include <stdlib.h>
#include <string.h>

#include "builtin/script/dlfilter_internal.h"

static bool is_kernel_address(const struct dlfilter *f, u64 addr)
{
	return addr >= f->s->arch->kernel_start;
}

/*
 * Reports whether the object has 64 bits. Where no ELF file was found, the recording machine
 * counts; without any code the answer is true.
 */
static bool is_64_bit(struct dlfilter *f, const struct location *l)
{
	struct code_piece *piece;
	u8 *size;

	while (f->word_sizes.count <= l->image)
		vec_push(&f->word_sizes, 0);
	size = &f->word_sizes.items[l->image];
	if (*size)
		return *size == 8;
	piece = code_piece_open(script_code(f->s), l->image, l->offset, 1, NULL);
	*size = !piece || code_piece_is_64(piece) ? 8 : 4;
	code_piece_free(piece);
	return *size == 8;
}

static void describe(struct dlfilter *f, u64 addr, const struct location *l,
		     struct perf_dlfilter_al *al)
{
	const struct symbol *sym = script_symbol_at(f->s, l->image, l->offset);
	const struct image *im = image_get(session_images(f->s->session), l->image);

	*al = (struct perf_dlfilter_al){
		.size = sizeof(*al),
		.addr = l->image ? l->offset : addr,
		.is_kernel_ip = is_kernel_address(f, addr),
	};
	if (l->image) {
		al->dso = image_script_name(im);
		al->is_64_bit = is_64_bit(f, l);
		al->buildid_size = im->build_id.size;
		al->buildid = (__u8 *)im->build_id.id; /* the interface has no const */
	}
	if (!sym)
		return;
	al->sym = sym->name;
	al->sym_start = sym->start;
	al->sym_end = symbol_end(sym);
	al->symoff = (__u32)(l->offset - sym->start);
	al->sym_binding = sym->binding;
}

static const struct perf_dlfilter_al *resolve_ip(void *ctx)
{
	struct dlfilter *f = ctx;

	if (!f->ss)
		return NULL;
	if (!f->ip.size) {
		describe(f, f->ss->sample->ip, &f->ss->leaf, &f->ip);
		f->ip.comm = history_comm_text(f->s->history, f->ss->comm);
		f->ip.filtered = !script_wanted(f->s, f->ss);
	}
	return &f->ip;
}

static const struct perf_dlfilter_al *resolve_addr(void *ctx)
{
	struct dlfilter *f = ctx;
	struct location l;

	if (!f->ss || !f->sample.addr_correlates_sym)
		return NULL;
	if (!f->addr.size) {
		script_locate(f->s, f->ss, f->ss->sample->addr, &l);
		describe(f, f->ss->sample->addr, &l, &f->addr);
	}
	return &f->addr;
}

static char **args(void *ctx, int *count)
{
	struct dlfilter *f = ctx;

	if (!count)
		return NULL;
	*count = 0;
	if (!f->ss && !f->in_start_or_stop)
		return NULL;
	*count = f->arg_count;
	return f->args;
}

static __s32 resolve_address(void *ctx, __u64 address, struct perf_dlfilter_al *al)
{
	struct dlfilter *f = ctx;
	struct perf_dlfilter_al found;
	struct location l;
	__u32 size;

	if (!f->ss || !al)
		return -1;
	script_locate(f->s, f->ss, address, &l);
	describe(f, address, &l, &found);
	size = al->size;
	memcpy(al, &found, MIN((size_t)size, sizeof(found)));
	al->size = size;
	return 0;
}

static const __u8 *insn(void *ctx, __u32 *length)
{
	struct dlfilter *f = ctx;
	const struct location *l;
	struct strbuf text = STRBUF_INIT;
	struct code_piece *piece;
	const u8 *bytes;
	size_t size;
	u8 flow;

	if (!length)
		return NULL;
	*length = 0;
	if (!f->ss || !f->ss->leaf.image)
		return NULL;
	l = &f->ss->leaf;
	piece = code_piece_open(script_code(f->s), l->image, l->offset, MOST_INSN, NULL);
	if (!piece)
		return NULL;
	bytes = code_piece_bytes(piece, &size);
	*length = MIN(code_piece_decode(piece, 0, &text, &flow), (u32)MOST_INSN);
	memcpy(f->insn, bytes, *length);
	code_piece_free(piece);
	strbuf_release(&text);
	return *length ? f->insn : NULL;
}

static const char *srcline(void *ctx, __u32 *line)
{
	struct dlfilter *f = ctx;
	struct source_frame found;
	struct frame at;

	if (!f->ss || !line)
		return NULL;
	*line = 0;
	at = (struct frame){ .image = f->ss->leaf.image, .offset = f->ss->leaf.offset };
	if (!script_source_frames(f->s, &at, at.offset, &found, 1))
		return NULL;
	*line = found.line;
	return found.file;
}

static struct perf_event_attr *attr(void *ctx)
{
	struct dlfilter *f = ctx;

	return f->ss ? &f->attr : NULL;
}

static __s32 object_code(void *ctx, __u64 ip, void *buf, __u32 len)
{
	struct dlfilter *f = ctx;
	struct code_piece *piece;
	struct location l;
	const u8 *bytes;
	size_t size;
	u64 most = len;

	if (!f->ss || !buf || !len)
		return -1;
	script_locate(f->s, f->ss, ip, &l);
	if (!l.image)
		return -1;
	if (l.mapping)
		most = MIN(most, l.mapping->end - ip);
	piece = code_piece_open(script_code(f->s), l.image, l.offset, most, NULL);
	if (!piece)
		return -1;
	bytes = code_piece_bytes(piece, &size);
	size = MIN(size, (size_t)most);
	memcpy(buf, bytes, size);
	code_piece_free(piece);
	return (__s32)size;
}

/* Leaves everything as it is: what describe() returned belongs to the session. */
static void al_cleanup(void *ctx, struct perf_dlfilter_al *al)
{
	(void)ctx;
	(void)al;
}

const struct perf_dlfilter_fns dlfilter_answers = {
	.resolve_ip = resolve_ip,
	.resolve_addr = resolve_addr,
	.args = args,
	.resolve_address = resolve_address,
	.insn = insn,
	.srcline = srcline,
	.attr = attr,
	.object_code = object_code,
	.al_cleanup = al_cleanup,
};
