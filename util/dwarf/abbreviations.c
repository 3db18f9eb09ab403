// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Decides whether a name at some place in a unit can be the name of a definition, such as a
 * function with a body.
 *
 * A DIE begins with the code of its abbreviation, and its name is at a fixed distance after it. So
 * for each kind of function in the unit, the bytes before the name are compared with that code.
 * This rules out a name that only a declaration, a call or a type has, without reading the DIEs
 * before it. If an abbreviation does not determine the distance, or such a DIE takes its name from
 * another one, the answer is yes. Source: DWARF 5, 7.5.3.
 */
#include <string.h>

#include "dwarf/die.h"

struct reader {
	const u8 *at, *end;
	bool bad;
};

static u64 read_uleb(struct reader *r)
{
	u64 v = 0;

	for (unsigned shift = 0; r->at < r->end; shift += 7) {
		u8 b = *r->at++;

		if (shift < 64)
			v |= (u64)(b & 0x7f) << shift;
		if (!(b & 0x80))
			return v;
	}
	r->bad = true;
	return 0;
}

/* Returns the bytes of a form's value in the DIE; -1 if that depends on the value. */
static int form_size(const struct unit *u, u64 form)
{
	switch (form) {
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const:
		return 0;
	case DW_FORM_data1:
	case DW_FORM_ref1:
	case DW_FORM_flag:
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
		return 1;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2:
		return 2;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4:
		return 4;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sig8:
		return 8;
	case DW_FORM_data16:
		return 16;
	case DW_FORM_addr:
		return u->address_size;
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_sec_offset:
		return u->offset_size;
	default:
		return -1;
	}
}

struct kind {
	u64 code;
	unsigned distances[2]; /* the distances of name and linkage name from the end of the code */
	unsigned count;
	bool is_declaration, takes_name, unknown;
};

/* Reads one abbreviation's attributes. */
static void read_attributes(const struct unit *u, struct reader *r, struct kind *k)
{
	int distance = 0;

	while (!r->bad) {
		u64 name = read_uleb(r), form = read_uleb(r);
		int size = form_size(u, form);
		bool is_name = name == DW_AT_name || name == DW_AT_linkage_name ||
			       name == DW_AT_MIPS_linkage_name;

		if (form == DW_FORM_implicit_const)
			read_uleb(r);
		if (!name && !form)
			return;
		k->is_declaration |= name == DW_AT_declaration;
		k->takes_name |= name == DW_AT_specification;
		if (is_name && distance >= 0 && k->count < 2)
			k->distances[k->count++] = (unsigned)distance;
		else if (is_name)
			k->unknown = true;
		distance = size < 0 || distance < 0 ? -1 : distance + size;
	}
}

/* Reports whether the bytes before a name are the code of this kind. */
static bool kind_fits(const struct unit *u, const struct kind *k, const u8 *info, u64 at)
{
	u8 code[10];
	unsigned n = 0;
	u64 rest = k->code;

	do {
		code[n] = (u8)((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
		rest >>= 7;
		n++;
	} while (rest && n < sizeof(code));
	for (unsigned i = 0; i < k->count; i++) {
		u64 back = (u64)k->distances[i] + n;

		if (at >= u->die_offset && at - u->die_offset >= back &&
		    memcmp(info + at - back, code, n) == 0)
			return true;
	}
	return false;
}

bool unit_may_define(struct debuginfo *d, const struct unit *u, int tag, struct bytes info, u64 at)
{
	struct bytes all = d->abbreviations;
	struct reader r;

	if (u->abbreviations >= all.size)
		return true;
	r = (struct reader){ all.data + u->abbreviations, all.data + all.size, false };
	for (;;) {
		struct kind k = { .code = read_uleb(&r) };
		u64 its_tag;

		if (!k.code)
			return r.bad;
		its_tag = read_uleb(&r);
		if (r.at < r.end)
			r.at++; /* has children */
		read_attributes(u, &r, &k);
		if (r.bad)
			return true;
		if (its_tag != (u64)tag || k.is_declaration)
			continue;
		if (k.takes_name || k.unknown || kind_fits(u, &k, info.data, at))
			return true;
	}
}
