// SPDX-License-Identifier: GPL-2.0-or-later
#include "profile/insn.h"

#include <stdlib.h>
#include <string.h>

#include "annotate/annotate.h"
#include "base/hash.h"
#include "profile/gather.h"

enum { MOST_INSN = 16 }; /* bytes, of any machine */

struct known_insn {
	u8 bytes[MOST_INSN], size;
};

struct insn_reader {
	struct annotator *code;
	struct map64 images; /* image -> struct map64 *: offset -> number in known */
	VEC(struct known_insn) known;
};

struct insn_reader *insn_reader_of(struct annotator *code)
{
	struct insn_reader *r = xcalloc(1, sizeof(*r));

	r->code = code;
	return r;
}

struct insn_reader *insn_reader_new(struct session *s)
{
	const struct annotate_settings set = { .no_source = true };

	return insn_reader_of(annotate_open(s, &set));
}

void insn_reader_free(struct insn_reader *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->images.space; i++) {
		struct map64 *places = (struct map64 *)(uintptr_t)r->images.slots[i].value;

		if (!r->images.slots[i].used)
			continue;
		map64_release(places);
		free(places);
	}
	map64_release(&r->images);
	vec_release(&r->known);
	annotator_free(r->code);
	free(r);
}

static struct known_insn read_one(struct insn_reader *r, u32 image, u64 offset)
{
	struct code_piece *piece = code_piece_open(r->code, image, offset, MOST_INSN, NULL);
	struct strbuf text = STRBUF_INIT;
	struct known_insn found = { .size = 0 };
	const u8 *bytes;
	size_t size;
	u8 flow;

	if (piece) {
		bytes = code_piece_bytes(piece, &size);
		found.size = (u8)MIN(code_piece_decode(piece, 0, &text, &flow), (u32)MOST_INSN);
		memcpy(found.bytes, bytes, found.size);
	}
	strbuf_release(&text);
	code_piece_free(piece);
	return found;
}

const u8 *insn_read(struct insn_reader *r, u32 image, u64 offset, u32 *size)
{
	u64 *slot, *number;
	const struct known_insn *found;
	bool added;

	if (!image)
		return NULL;
	slot = map64_put(&r->images, image, &added);
	if (added)
		*slot = (u64)(uintptr_t)xcalloc(1, sizeof(struct map64));
	number = map64_put((struct map64 *)(uintptr_t)*slot, offset, &added);
	if (added) {
		*number = r->known.count;
		vec_push(&r->known, read_one(r, image, offset));
	}
	found = &r->known.items[*number];
	*size = found->size;
	return found->size ? found->bytes : NULL;
}
