// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds functions without reading all of the debug information.
 *
 * A unit with a DIE of some name contains either the name itself or the number of its place in
 * .debug_str. So the raw bytes of .debug_info are searched for these few patterns, at the speed of
 * memory, and only the units with a hit are parsed. A hit may be accidental; the abbreviations and
 * the parsing sort that out. Likewise, a reference to a DIE of another unit contains its offset. If
 * names are reached through one more table (DWARF 5's strx, .dwo files, dwz's common file), every
 * unit is a candidate.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/search.h"
#include "dwarf/die.h"
#include "dwarf/scan.h"

/* Returns the section as libdw uses it: inflated, and relocated in a module. */
struct bytes debuginfo_section(struct debuginfo *d, const char *name)
{
	Elf *elf = dwarf_getelf(d->dwarf);
	size_t names;
	Elf_Scn *s = NULL;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return (struct bytes){ NULL, 0 };
	while ((s = elf_nextscn(elf, s)) != NULL) {
		GElf_Shdr mem, *header = gelf_getshdr(s, &mem);
		const char *n = header ? elf_strptr(elf, names, header->sh_name) : NULL;
		Elf_Data *data;

		if (!n || (strcmp(n, name) != 0 && !(n[1] == 'z' && strcmp(n + 2, name + 1) == 0)))
			continue;
		data = header->sh_type == SHT_NOBITS ? NULL : elf_getdata(s, NULL);
		if (data && data->d_buf)
			return (struct bytes){ data->d_buf, data->d_size };
	}
	return (struct bytes){ NULL, 0 };
}

/* Chromium has 50,000; limits the memory for a file of empty units. */
#define MAX_UNITS (1u << 20)

/* Skips zeros, with which some linkers pad, and which libdw takes for a unit every four bytes. */
static u64 skip_zeros(struct bytes info, u64 offset)
{
	static const u8 zeros[4096];

	while (offset < info.size && info.size - offset >= sizeof(zeros) &&
	       !memcmp(info.data + offset, zeros, sizeof(zeros)))
		offset += sizeof(zeros);
	while (offset < info.size && info.size - offset >= 4 &&
	       !memcmp(info.data + offset, zeros, 4))
		offset += 4;
	return offset;
}

int debuginfo_load_units(struct debuginfo *d, struct reason *r)
{
	struct bytes info = debuginfo_section(d, ".debug_info");
	Dwarf_Off offset = 0, next, abbreviations;
	size_t header;
	u8 address_size, offset_size;

	offset = skip_zeros(info, offset);
	while (d->units.count < MAX_UNITS &&
	       dwarf_next_unit(d->dwarf, offset, &next, &header, NULL, &abbreviations,
			       &address_size, &offset_size, NULL, NULL) == 0) {
		struct unit u = { .start = offset,
				  .end = next,
				  .die_offset = offset + header,
				  .abbreviations = abbreviations,
				  .address_size = address_size,
				  .offset_size = offset_size };

		if (next <= offset)
			break;
		vec_push(&d->units, u);
		offset = skip_zeros(info, next);
	}
	if (!d->units.count)
		return reason_set(r, ENODATA, "the debug information of '%s' is empty or damaged",
				  d->path);
	return 0;
}

static const char *string_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;

	return dwarf_attr(die, name, &attr) ? dwarf_formstring(&attr) : NULL;
}

/* Reports whether libdw, which opens the .dwo file of a skeleton unit, would wait at a FIFO. */
static bool has_odd_split(const struct debuginfo *d, Dwarf_Die *skeleton)
{
	const char *name = string_of(skeleton, DW_AT_dwo_name),
		   *dir = string_of(skeleton, DW_AT_comp_dir);
	char *beside, *there;
	bool odd;

	if (!name)
		name = string_of(skeleton, DW_AT_GNU_dwo_name);
	if (!name)
		return false;
	beside = debuginfo_beside(d, name);
	there = dir ? xasprintf("%s/%s", dir, name) : NULL;
	odd = debuginfo_is_odd(beside) ||
	      (there && (debuginfo_is_odd(there) || debuginfo_is_odd(name)));
	free(beside);
	free(there);
	return odd;
}

bool unit_open(struct debuginfo *d, struct unit *u)
{
	Dwarf_Die split;
	uint8_t type;
	int tag;

	if (u->bad || u->die.addr)
		return !u->bad;
	u->bad = true;
	if (!dwarf_offdie(d->dwarf, u->die_offset, &u->die))
		return false;
	tag = dwarf_tag(&u->die);
	if (tag != DW_TAG_compile_unit && tag != DW_TAG_partial_unit && tag != DW_TAG_skeleton_unit)
		return false;
	if (has_odd_split(d, &u->die))
		return false;
	if (dwarf_cu_info(u->die.cu, NULL, &type, NULL, &split, NULL, NULL, NULL) == 0 &&
	    type == DW_UT_skeleton) {
		u->is_split = true;
		u->lacks_split = !split.addr;
		if (split.addr)
			u->die = split;
	}
	u->bad = false;
	return true;
}

char *debuginfo_missing_split(struct debuginfo *d)
{
	vec_for_each(&d->units, u) {
		const char *name, *dir;

		if (!unit_open(d, u) || !u->lacks_split)
			continue;
		name = string_of(&u->die, DW_AT_dwo_name);
		dir = string_of(&u->die, DW_AT_comp_dir);
		name = name ? name : string_of(&u->die, DW_AT_GNU_dwo_name);
		if (name)
			return dir && name[0] != '/' ? xasprintf("%s/%s", dir, name)
						     : xstrdup(name);
	}
	return NULL;
}

char *debuginfo_unread_package(const struct debuginfo *d)
{
	static const char first_with_packages[] = "0.191";
	char *package = xasprintf("%s.dwp", d->path);

	if (strverscmp(dwfl_version(NULL), first_with_packages) < 0 && !file_access(package, R_OK))
		return package;
	free(package);
	return NULL;
}

static size_t unit_index(const struct debuginfo *d, u64 offset)
{
	size_t after = lower_bound(i, 0, d->units.count, d->units.items[i].start <= offset);

	return after ? after - 1 : 0;
}

/* Units whose bytes hold one of some patterns. */
struct unit_scan {
	struct debuginfo *d;
	struct bytes info;
	int tag; /* only as the name of a definition with this tag; 0 means anywhere */
	bool *hits;
};

static size_t unit_found(void *arg, size_t at)
{
	const struct unit_scan *s = arg;
	size_t index = unit_index(s->d, at);
	const struct unit *u = &s->d->units.items[index];

	if (s->tag && !s->hits[index] && !unit_may_define(s->d, u, s->tag, s->info, at))
		return at;
	/* This unit has a hit: continue after it. */
	s->hits[index] = true;
	return u->end;
}

/* Marks the units with the name (including its 0), if it is not NULL, or one of count offsets. */
static void mark_units(struct unit_scan *s, const char *name, const u32 *offsets, size_t count)
{
	const struct scan_request q = {
		.data = s->info.data,
		.size = s->info.size,
		.string = (const u8 *)name,
		.string_size = name ? strlen(name) + 1 : 0,
		.offsets = offsets,
		.offset_count = count,
		.big_endian = s->d->big_endian,
		.middle = s->d->units.items[unit_index(s->d, s->info.size / 2)].start,
		.found = unit_found,
		.arg = s,
	};

	scan_bytes(&q);
}

static bool needs_every_unit(struct debuginfo *d)
{
	return dwarf_getalt(d->dwarf) || debuginfo_section(d, ".debug_str_offsets").size ||
	       debuginfo_section(d, ".debug_types").size ||
	       debuginfo_section(d, ".gnu_debugaltlink").size;
}

static void mark_all(const struct debuginfo *d, bool *hits)
{
	for (size_t i = 0; i < d->units.count; i++)
		hits[i] = true;
}

static bool has_split_units(struct debuginfo *d)
{
	return unit_open(d, &d->units.items[0]) && d->units.items[0].is_split;
}

/* If more strings than this begin with the name, visiting every unit is as quick. */
#define MOST_STRINGS 1024

/* Finds the next string that is the name, or begins with it as a C++ template: "name<int>". */
static const u8 *next_string(const u8 *from, const u8 *end, const char *name, size_t n)
{
	const u8 *p;

	while ((size_t)(end - from) > n &&
	       (p = memmem(from, (size_t)(end - from), name, n)) != NULL) {
		from = p + 1;
		if (p + n < end && (p[n] == '\0' || p[n] == '<'))
			return p;
	}
	return NULL;
}

void debuginfo_units_defining(struct debuginfo *d, int tag, const char *name, bool *hits)
{
	struct unit_scan s = { d, debuginfo_section(d, ".debug_info"), tag, hits };
	struct bytes strings = debuginfo_section(d, ".debug_str");
	const u8 *p = strings.data, *end = strings.data + strings.size;
	u32 offsets[MOST_STRINGS];
	size_t n = strlen(name), count = 0;

	if (!s.info.size || needs_every_unit(d) || has_split_units(d) || !n) {
		mark_all(d, hits);
		return;
	}
	while (p && (p = next_string(p, end, name, n)) != NULL) {
		if (count == MOST_STRINGS) {
			mark_all(d, hits);
			return;
		}
		offsets[count++] = (u32)(p - strings.data);
		p++;
	}
	d->abbreviations = debuginfo_section(d, ".debug_abbrev");
	mark_units(&s, name, offsets, count);
}

void debuginfo_units_with_reference(struct debuginfo *d, u64 die_offset, bool *hits)
{
	struct unit_scan s = { d, debuginfo_section(d, ".debug_info"), 0, hits };
	u32 offset = (u32)die_offset;

	if (!s.info.size || dwarf_getalt(d->dwarf) || has_split_units(d))
		mark_all(d, hits);
	else
		mark_units(&s, NULL, &offset, 1);
}

/*
 * Reports whether units refer to each other. The abbreviations show it: DW_AT_abstract_origin or
 * DW_AT_specification in the form DW_FORM_ref_addr.
 */
static bool crosses_units(struct debuginfo *d)
{
	static const u8 origin[] = { DW_AT_abstract_origin, DW_FORM_ref_addr };
	static const u8 specification[] = { DW_AT_specification, DW_FORM_ref_addr };
	struct bytes b = debuginfo_section(d, ".debug_abbrev");

	if (dwarf_getalt(d->dwarf))
		return true;
	return b.data &&
	       (memmem(b.data, b.size, origin, 2) || memmem(b.data, b.size, specification, 2));
}

bool debuginfo_crosses_units(struct debuginfo *d)
{
	if (!d->crossing_known)
		d->crosses_units = crosses_units(d);
	d->crossing_known = true;
	return d->crosses_units;
}

struct unit *debuginfo_unit_at(struct debuginfo *d, u64 address)
{
	Dwarf_Die die;

	if (dwarf_addrdie(d->dwarf, address, &die)) {
		struct unit *u = &d->units.items[unit_index(d, dwarf_dieoffset(&die))];

		if (u->die_offset == dwarf_dieoffset(&die) && unit_open(d, u))
			return u;
	}
	/* clang writes no .debug_aranges. */
	vec_for_each(&d->units, u) {
		Dwarf_Die top;

		if (dwarf_offdie(d->dwarf, u->die_offset, &top) && dwarf_haspc(&top, address) > 0 &&
		    unit_open(d, u))
			return u;
	}
	return NULL;
}
