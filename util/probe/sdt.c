// SPDX-License-Identifier: GPL-2.0-or-later
/* SDT markers: the notes, and their operands as fetch arguments. */
#include "probe/sdt.h"

#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "arch/arch.h"
#include "base/bytes.h"
#include "base/strbuf.h"
#include "object/elf.h"

#define NT_STAPSDT 3

/* A walk over bytes that are not to be trusted. */
struct cursor {
	const u8 *at, *end;
	bool swapped, wide;
};

static bool take_word(struct cursor *c, u64 *v)
{
	size_t n = c->wide ? 8 : 4;

	if ((size_t)(c->end - c->at) < n)
		return false;
	*v = c->wide ? load_u64(c->at, c->swapped) : load_u32(c->at, c->swapped);
	c->at += n;
	return true;
}

static bool take_u32(struct cursor *c, u32 *v)
{
	if (c->end - c->at < 4)
		return false;
	*v = load_u32(c->at, c->swapped);
	c->at += 4;
	return true;
}

static const char *take_text(struct cursor *c)
{
	const u8 *nul = memchr(c->at, 0, (size_t)(c->end - c->at));
	const char *s = (const char *)c->at;

	if (!nul)
		return NULL;
	c->at = nul + 1;
	return s;
}

/* Reads a marker: pc, base, semaphore, then three strings. */
static bool read_marker(const struct elf *e, struct cursor desc, struct sdt_marker *m)
{
	const struct elf_section *base = elf_section(e, ".stapsdt.base");
	const char *provider, *name, *arguments;
	u64 pc, noted_base, semaphore, moved = 0;

	if (!take_word(&desc, &pc) || !take_word(&desc, &noted_base) ||
	    !take_word(&desc, &semaphore))
		return false;
	provider = take_text(&desc);
	name = provider ? take_text(&desc) : NULL;
	arguments = name ? take_text(&desc) : NULL;
	if (!arguments || !*provider || !*name)
		return false;
	if (base && noted_base)
		moved = base->addr - noted_base;
	*m = (struct sdt_marker){
		.provider = xstrdup(provider),
		.name = xstrdup(name),
		.arguments = xstrdup(arguments),
		.address = pc + moved,
		.semaphore = semaphore ? semaphore + moved : 0,
	};
	return true;
}

/* Reads one note. Returns false at the end, or where the rest makes no sense. */
static bool next_note(const struct elf *e, struct cursor *c, struct sdt_markers *out)
{
	u32 name_size, desc_size, type;
	struct cursor desc = *c;
	struct sdt_marker m;
	size_t left;

	if (!take_u32(c, &name_size) || !take_u32(c, &desc_size) || !take_u32(c, &type))
		return false;
	left = (size_t)(c->end - c->at);
	if (name_size > left || ALIGN_UP((u64)name_size, 4) + desc_size > left)
		return false;
	desc.at = c->at + ALIGN_UP(name_size, 4);
	desc.end = desc.at + desc_size;
	if (type == NT_STAPSDT && name_size == sizeof("stapsdt") && !memcmp(c->at, "stapsdt", 8) &&
	    read_marker(e, desc, &m))
		vec_push(&out->list, m);
	c->at = desc.end + MIN((size_t)(-desc_size & 3), (size_t)(c->end - desc.end));
	return c->at < c->end;
}

int sdt_read(const struct elf *e, struct sdt_markers *out, struct reason *r)
{
	const struct elf_section *s = elf_section(e, ".note.stapsdt");
	struct elf_bytes bytes = { NULL };
	struct cursor c = { .swapped = elf_is_swapped(e), .wide = elf_is_64(e) };

	if (s)
		bytes = elf_section_raw(e, s);
	c.at = bytes.data;
	c.end = bytes.data + bytes.size;
	while (bytes.size && next_note(e, &c, out))
		;
	return out->list.count ? 0 : reason_set(r, ENOENT, "the file has no SDT markers");
}

void sdt_markers_release(struct sdt_markers *m)
{
	vec_for_each(&m->list, it) {
		free(it->provider);
		free(it->name);
		free(it->arguments);
	}
	vec_release(&m->list);
}

/*
 * Normalizes the names of one x86 register by width: rax eax ax al; r8 r8d r8w r8b. Returns false
 * for another name.
 */
static bool x86_register(const char *s, size_t n, char out[8])
{
	static const char *const plain[] = { "ax", "bx", "cx", "dx", "si", "di", "bp", "sp" };

	if (n >= 2 && s[0] == 'r' && isdigit((unsigned char)s[1])) {
		n -= strchr("dwb", s[n - 1]) != NULL;
		snprintf(out, 8, "%%%.*s", (int)MIN(n, (size_t)3), s);
		return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(plain); i++) {
		const char *p = plain[i];
		bool same = (n == 2 && !strncmp(s, p, 2)) ||
			    (n == 3 && (*s == 'r' || *s == 'e') && !strncmp(s + 1, p, 2)) ||
			    (n == 2 && s[1] == 'l' && p[1] == 'x' && *s == *p) ||
			    (n == 3 && s[2] == 'l' && p[1] != 'x' && !strncmp(s, p, 2));

		if (same) {
			snprintf(out, 8, "%%%s", p);
			return true;
		}
	}
	return false;
}

static bool numbered_register(const char *s, size_t n, const char *letters, const char *prefix,
			      unsigned most, char out[8])
{
	unsigned number = 0;

	if (n < 2 || n > 3 || !strchr(letters, *s))
		return false;
	for (size_t i = 1; i < n; i++) {
		if (!isdigit((unsigned char)s[i]))
			return false;
		number = number * 10 + (unsigned)(s[i] - '0');
	}
	if (number > most)
		return false;
	snprintf(out, 8, "%%%s%u", prefix, number);
	return true;
}

/* Finds the kernel's name of a register; s has no '%'. */
static bool register_name(const struct arch *a, const char *s, size_t n, char out[8])
{
	switch (a->e_machine) {
	case EM_X86_64:
	case EM_386:
		return x86_register(s, n, out);
	case EM_AARCH64:
		if (n == 2 && !strncmp(s, "sp", 2)) {
			snprintf(out, 8, "%%sp");
			return true;
		}
		return numbered_register(s, n, "xw", "x", 30, out);
	case EM_PPC64:
		return numbered_register(s, n, "r", "gpr", 31, out);
	default:
		return false;
	}
}

static bool is_number(const char *s, size_t n, s64 *v)
{
	char *word = xstrndup(s, n);
	bool good = n && !parse_s64(word, v);

	free(word);
	return good;
}

static void put_memory(struct strbuf *b, s64 displacement, const char *reg)
{
	strbuf_f(b, "%+lld(%s)", (long long)displacement, reg);
}

/* Why a probe cannot fetch an operand, in the words after "arg1 (4@...) is". */
static const char two_registers[] = "at the sum of two registers",
		  scaled[] = "at a multiple of a register",
		  other_register[] = "in a register that a probe cannot read",
		  unknown[] = "in a form that perf does not know",
		  no_symbol[] = "at a symbol that the file does not have",
		  moves[] = "an address, which is not the same in each run",
		  segment[] = "at a distance from a segment register",
		  floating[] = "a floating point number",
		  signed_upper[] =
			  "a signed upper byte of a register, whose sign a probe cannot determine";

static bool find_symbol(const struct elf *e, const char *name, size_t len, u64 *value)
{
	const struct elf_section *tables[] = { elf_section_of_type(e, SHT_SYMTAB),
					       elf_section_of_type(e, SHT_DYNSYM) };
	struct elf_symbol sym;

	for (size_t t = 0; t < ARRAY_SIZE(tables); t++)
		for (u32 i = 0; tables[t] && i < elf_symbol_count(e, tables[t]); i++)
			if (elf_symbol_at(e, tables[t], i, &sym) && sym.value &&
			    strlen(sym.name) == len && !strncmp(sym.name, name, len)) {
				*value = sym.value;
				return true;
			}
	return false;
}

/* Finds the virtual address in the file of "counter", "table+8". Returns NULL, or why not. */
static const char *symbol_address(const struct elf *e, const char *s, size_t n, u64 *address)
{
	size_t len = 0;
	s64 more = 0;

	while (len < n && s[len] != '+' && s[len] != '-')
		len++;
	if (!len ||
	    (len < n && !is_number(s + len + (s[len] == '+'), n - len - (s[len] == '+'), &more)))
		return unknown;
	if (!find_symbol(e, s, len, address))
		return no_symbol;
	*address += (u64)more;
	return NULL;
}

/*
 * Finds the register of "base,index,scale" on x86: one, when the other is missing and the scale is
 * 1.
 */
static const char *indexed_register(const struct arch *a, const char *s, size_t n, char reg[8])
{
	const char *end = s + n, *index = memchr(s, ',', n);
	const char *scale = memchr(index + 1, ',', (size_t)(end - index - 1));
	const char *index_end = scale ? scale : end;

	if (index_end == index + 1)
		return unknown;
	if (index > s)
		return two_registers;
	if (scale && (end - scale != 2 || scale[1] != '1'))
		return scaled;
	index++;
	index += *index == '%';
	return register_name(a, index, (size_t)(index_end - index), reg) ? NULL : other_register;
}

/* Adds "disp(base)" of x86 and powerpc, "disp(base,index,scale)" of x86. */
static const char *put_based(const struct elf *e, const struct arch *a, u64 delta, const char *s,
			     struct strbuf *b)
{
	const char *open = strchr(s, '('), *close = strchr(open, ')'), *why = NULL;
	s64 displacement = 0;
	u64 address;
	char reg[8];
	size_t n;

	if (*s == '%')
		return segment;
	if (!close || close[1] || close == open + 1)
		return unknown;
	n = (size_t)(close - open - 1);
	if (n == 4 && !strncmp(open + 1, "%rip", 4)) {
		why = symbol_address(e, s, (size_t)(open - s), &address);
		if (!why)
			strbuf_f(b, "@+0x%llx", (unsigned long long)(address - delta));
		return why;
	}
	if (memchr(open + 1, ',', n))
		why = indexed_register(a, open + 1, n, reg);
	else if (open[1] == '%')
		why = register_name(a, open + 2, n - 1, reg) ? NULL : other_register;
	else if (a->e_machine == EM_PPC64 && isdigit((unsigned char)open[1]))
		/* powerpc writes "8(1)" for 8 bytes from r1 */
		snprintf(reg, sizeof(reg), "%%gpr%.*s", (int)MIN(n, (size_t)2), open + 1);
	else
		why = unknown;
	if (!why && open > s && !is_number(s, (size_t)(open - s), &displacement))
		why = moves; /* a symbol and a register: only where the program is not moved */
	if (!why)
		put_memory(b, displacement, reg);
	return why;
}

/* Adds "[sp, 16]", "[x0]" of arm64. */
static const char *put_bracketed(const struct arch *a, const char *s, struct strbuf *b)
{
	const char *close = strchr(s, ']'), *comma = strchr(s, ',');
	s64 displacement = 0;
	char reg[8];
	size_t n;

	if (!close || close[1])
		return unknown;
	n = (size_t)((comma ? comma : close) - s - 1);
	if (!register_name(a, s + 1, n, reg))
		return other_register;
	if (comma) {
		comma += 1 + strspn(comma + 1, " #");
		if (*comma == 'x' || *comma == 'w')
			return two_registers;
		if (!is_number(comma, (size_t)(close - comma), &displacement))
			return unknown;
	}
	put_memory(b, displacement, reg);
	return NULL;
}

/* Adds "$7", "-3"; "$table" is a number where the program is not moved. */
static const char *put_number(const struct elf *e, const char *s, struct strbuf *b)
{
	const char *number = s + (*s == '$');
	const char *why = NULL;
	u64 address;
	s64 value;

	if (is_number(number, strlen(number), &value)) {
		strbuf_f(b, "\\%lld", (long long)value);
		return NULL;
	}
	why = symbol_address(e, number, strlen(number), &address);
	if (!why && elf_type(e) != ET_EXEC)
		why = moves;
	if (!why)
		strbuf_f(b, "\\%llu", (unsigned long long)address);
	return why;
}

const char *sdt_operand(const struct elf *e, const struct arch *arch, u64 delta, const char *s,
			struct strbuf *b)
{
	char reg[8];

	if (*s == '[')
		return put_bracketed(arch, s, b);
	if (strchr(s, '('))
		return put_based(e, arch, delta, s, b);
	if (*s == '$' || isdigit((unsigned char)*s) || *s == '-')
		return put_number(e, s, b);
	if (!*s)
		return unknown;
	if (strchr(s, ':'))
		return segment;
	s += *s == '%';
	if (!register_name(arch, s, strlen(s), reg))
		return other_register;
	strbuf_str(b, reg);
	return NULL;
}

/* Splits "-4@%edi" into type "s32" and the operand after '@'. */
static const char *value_type(const char *word, char type[8], const char **operand)
{
	const char *at = strchr(word, '@');
	s64 size;

	*operand = at ? at + 1 : word;
	snprintf(type, 8, "u64");
	if (!at)
		return NULL; /* old notes had no sizes */
	if (at > word && at[-1] == 'f')
		return floating;
	if (!is_number(word, (size_t)(at - word), &size))
		return unknown;
	if (size != 1 && size != 2 && size != 4 && size != 8 && size != -1 && size != -2 &&
	    size != -4 && size != -8)
		return unknown;
	snprintf(type, 8, "%c%d", size < 0 ? 's' : 'u', (int)(size < 0 ? -size : size) * 8);
	return NULL;
}

/* Reports whether the operand is "%ah", the second byte of %ax: a bit field of it. */
static bool is_upper_byte(const struct arch *arch, const char *operand)
{
	return (arch->e_machine == EM_X86_64 || arch->e_machine == EM_386) && operand[0] == '%' &&
	       operand[1] && strchr("abcd", operand[1]) && operand[2] == 'h' && !operand[3];
}

static const char *put_value(const struct elf *e, const struct arch *arch, u64 delta,
			     const char *word, struct strbuf *fetch, char type[8])
{
	const char *operand, *why = arch ? value_type(word, type, &operand) : unknown;

	if (why || !is_upper_byte(arch, operand))
		return why ? why : sdt_operand(e, arch, delta, operand, fetch);
	if (strcmp(type, "u8"))
		return signed_upper;
	snprintf(type, 8, "b8@8/16");
	strbuf_f(fetch, "%%%cx", operand[1]);
	return NULL;
}

/*
 * Takes the next value. Values are separated by spaces; those inside brackets belong to the
 * operand.
 */
static char *next_value(const char **s)
{
	const char *start = *s + strspn(*s, " "), *end = start;

	while (*end && *end != ' ')
		end += *end == '[' ? strcspn(end, "]") : 1;
	*s = end;
	return end > start ? xstrndup(start, (size_t)(end - start)) : NULL;
}

static void add_arguments(const struct elf *e, const struct arch *arch, u64 delta,
			  const char *values, struct probe_event *out, struct strbuf *skipped)
{
	char *word;

	for (int n = 1; (word = next_value(&values)); n++) {
		struct strbuf fetch = STRBUF_INIT;
		char type[8];
		const char *why = put_value(e, arch, delta, word, &fetch, type);

		if (!why)
			vec_push(&out->arguments,
				 (struct probe_event_argument){ .name = xasprintf("arg%d", n),
								.fetch = strbuf_detach(&fetch),
								.type = xstrdup(type) });
		else if (skipped)
			strbuf_f(skipped, "%sarg%d (%s) is %s", skipped->len ? "; " : "", n, word,
				 why);
		strbuf_release(&fetch);
		free(word);
	}
}

int sdt_event(const struct elf *e, const struct sdt_marker *m, const char *path,
	      struct probe_event *out, struct strbuf *skipped, struct reason *r)
{
	const struct arch *arch =
		arch_by_elf(elf_machine(e), elf_is_64(e),
			    elf_is_swapped(e) ^ (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__));
	char *provider;
	u64 offset;

	if (!elf_addr_to_offset(e, m->address, &offset))
		return reason_set(r, EINVAL, "marker %s:%s is in no segment of the file",
				  m->provider, m->name);
	if (m->semaphore && !elf_addr_to_offset(e, m->semaphore, &out->semaphore))
		return reason_set(r, EINVAL,
				  "the semaphore of marker %s:%s is in no segment of the file",
				  m->provider, m->name);
	provider = xasprintf("sdt_%s", m->provider);
	out->group = probe_event_base_name(provider, false);
	free(provider);
	out->event = probe_event_base_name(m->name, false);
	out->path = xstrdup(path);
	out->offset = offset;
	add_arguments(e, arch, m->address - offset, m->arguments, out, skipped);
	return 0;
}
