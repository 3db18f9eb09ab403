// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * BPF programs in the header, as text.
 *
 * BPF_PROG_INFO: u32 count; each: u32 size of the info, u32 size of its data, u64 arrays
 * that are there, the info (struct bpf_prog_info of include/uapi/linux/bpf.h, whose
 * pointers are offsets in the data), the data.  BPF_BTF: u32 count; each: u32 id, u32
 * size, the BTF.
 */
#include <inttypes.h>
#include <string.h>

#include "base/btf.h"
#include "base/bytes.h"
#include "base/strbuf.h"
#include "data/header_print.h"

/* clang-format off */
enum {
	/* offsets in struct bpf_prog_info */
	ID = 4, NAME = 64, NAME_SIZE = 16, FUNCTIONS = 104, ADDRESSES = 112, LENGTHS = 120, BTF_ID = 128,
	TYPE_SIZE = 132, TYPES = 136, TYPE_COUNT = 144, TAG_COUNT = 180, TAGS = 184, INFO_LEAST = 192,
	TAG_SIZE = 8,
	/* bits of the arrays */
	HAS_ADDRESSES = 1 << 3, HAS_LENGTHS = 1 << 4, HAS_TYPES = 1 << 5, HAS_TAGS = 1 << 8,
};
/* clang-format on */

/* One program of the section. */
struct program {
	const u8 *info, *data;
	u32 data_size, functions;
	u64 arrays;
	const u8 *btf; /* NULL: none */
	u32 btf_size;
	bool swap;
};

/*
 * Returns item i of the array whose offset is at `place` of the info, or NULL if it is not there.
 */
static const u8 *item(const struct program *p, u64 bit, unsigned place, u32 i, u32 size)
{
	u64 at = load_u64(p->info + place, p->swap);

	if (!(p->arrays & bit) || at > p->data_size || ((u64)i + 1) * size > p->data_size - at)
		return NULL;
	return p->data + at + (size_t)i * size;
}

/* Finds the types with this number in the file. */
static void find_types(const struct data_reader *d, u32 id, struct program *p)
{
	struct feature_cursor c = feature_open(d, FEATURE_BPF_BTF);
	u32 n = c.bad ? 0 : feature_u32(&c);

	p->btf = NULL;
	for (u32 i = 0; id && i < n && !c.bad; i++) {
		u32 own = feature_u32(&c), size = feature_u32(&c);
		const u8 *bytes = feature_bytes(&c, size);

		if (own == id && bytes) {
			p->btf = bytes;
			p->btf_size = size;
			return;
		}
	}
}

/* Adds the name that the kernel uses: bpf_prog_TAG_NAME. */
static void put_name(const struct program *p, u32 i, struct strbuf *out)
{
	u32 type_size = load_u32(p->info + TYPE_SIZE, p->swap);
	const u8 *tag = i < load_u32(p->info + TAG_COUNT, p->swap)
				? item(p, HAS_TAGS, TAGS, i, TAG_SIZE)
				: NULL;
	const u8 *type = type_size >= 8 && i < load_u32(p->info + TYPE_COUNT, p->swap)
				 ? item(p, HAS_TYPES, TYPES, i, type_size)
				 : NULL;
	const char *name = p->btf && type ? btf_type_name(p->btf, p->btf_size, p->swap,
							  load_u32(type + 4, p->swap))
					  : NULL;
	char own[NAME_SIZE + 1] = "";

	strbuf_str(out, "bpf_prog_");
	for (unsigned k = 0; tag && k < TAG_SIZE; k++)
		strbuf_f(out, "%02x", tag[k]);
	memcpy(own, p->info + NAME, NAME_SIZE);
	if (!name)
		name = p->functions > 1 ? "F" : own;
	if (*name)
		strbuf_char(out, '_');
	header_put(out, name);
}

static void put_function(const struct program *p, u32 i, struct strbuf *out)
{
	const u8 *addr = item(p, HAS_ADDRESSES, ADDRESSES, i, 8),
		 *len = item(p, HAS_LENGTHS, LENGTHS, i, 4);

	put_name(p, i, out);
	strbuf_f(out, " addr 0x%" PRIx64 " size %u\n", addr ? load_u64(addr, p->swap) : 0,
		 len ? load_u32(len, p->swap) : 0);
}

void header_bpf_programs(struct data_reader *d, struct feature_cursor *c, struct strbuf *out)
{
	u32 n = feature_u32(c);

	for (u32 i = 0; i < n && !c->bad; i++) {
		u32 size = feature_u32(c), id;
		struct program p = { .swap = c->swap };

		p.data_size = feature_u32(c);
		p.arrays = feature_u64(c);
		p.info = feature_bytes(c, size);
		p.data = feature_bytes(c, p.data_size);
		if (c->bad || size < INFO_LEAST)
			return;
		id = load_u32(p.info + ID, p.swap);
		p.functions = load_u32(p.info + FUNCTIONS, p.swap);
		if (!(p.arrays & HAS_ADDRESSES) || !p.functions)
			continue; /* not compiled, or hidden from the user who recorded */
		find_types(d, load_u32(p.info + BTF_ID, p.swap), &p);
		strbuf_f(out, "# bpf_prog_info %u:", id);
		if (p.functions == 1) {
			strbuf_char(out, ' ');
			put_function(&p, 0, out);
			continue;
		}
		strbuf_char(out, '\n');
		for (u32 f = 0; f < p.functions && item(&p, HAS_ADDRESSES, ADDRESSES, f, 8); f++) {
			strbuf_f(out, "# \tsub_prog %u: ", f);
			put_function(&p, f, out);
		}
	}
}

void header_bpf_types(struct data_reader *d, struct feature_cursor *c, struct strbuf *out)
{
	u32 n = feature_u32(c);

	(void)d;
	for (u32 i = 0; i < n && !c->bad; i++) {
		u32 id = feature_u32(c);

		if (feature_bytes(c, feature_u32(c)))
			strbuf_f(out, "# btf info of id %u\n", id);
	}
}
