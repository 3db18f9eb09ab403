// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Decodes with libopcodes, objdump's own decoder: its text is objdump's.
 *
 * The library is opened on first use. Its structures differ between versions, so only the build's
 * version is opened (LIBOPCODES_SONAME). Debian's supports this machine alone
 * (libopcodes-VERSION-system.so); the cross binutils bring one for each other machine
 * (libopcodes-VERSION-arm64.so), binutils-multiarch one for all.
 */
#include "annotate/opcodes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* in angles: the build's, not this component's of the same name */
#include <config.h>

/* bfd.h requires a sign that its user was configured. */
#define PACKAGE "perf"
#include <dis-asm.h>

#include "arch/arch.h"
#include "arch/machine.h"
#include "base/alloc.h"
#include "base/library.h"
#include "base/text.h"

struct calls {
	__typeof__(disassembler) *disassembler;
	__typeof__(init_disassemble_info) *init;
	__typeof__(disassemble_init_for_target) *init_target;
	__typeof__(disassemble_free_target) *free_target;
};

/* One for each machine in use; print is NULL if the machine is unknown. */
struct machine {
	u16 number;
	bool big_endian, intel;
	struct calls calls;
	disassembler_ftype print;
	disassemble_info info;
};

struct opcodes {
	VEC(struct machine *) machines;
	struct machine *now;              /* set by opcodes_begin() */
	const struct target_namer *names; /* the names of the code being decoded */
	struct strbuf *out;
	u64 target;       /* the last address written */
	size_t target_at; /* its place in the text */
	bool has_target;
};

static bool bfd_machine(u16 number, enum bfd_architecture *arch, unsigned long *mach)
{
	switch (number) {
	case ELF_MACHINE_386:
		*arch = bfd_arch_i386;
		*mach = bfd_mach_i386_i386;
		return true;
	case ELF_MACHINE_X86_64:
		*arch = bfd_arch_i386;
		*mach = bfd_mach_x86_64;
		return true;
	case ELF_MACHINE_AARCH64:
		*arch = bfd_arch_aarch64;
		*mach = bfd_mach_aarch64;
		return true;
	case ELF_MACHINE_PPC64:
		*arch = bfd_arch_powerpc;
		*mach = bfd_mach_ppc64;
		return true;
	case ELF_MACHINE_PPC:
		*arch = bfd_arch_powerpc;
		*mach = bfd_mach_ppc;
		return true;
	case ELF_MACHINE_RISCV:
		*arch = bfd_arch_riscv;
		*mach = bfd_mach_riscv64;
		return true;
	default:
		return false;
	}
}

/* ---- the library's callbacks ---- */

static int write_text(struct opcodes *o, const char *format, va_list ap)
{
	if (!strcmp(format, "%s")) {
		strbuf_str(o->out, va_arg(ap, const char *));
	} else if (!strcmp(format, "%.*s")) {
		int len = va_arg(ap, int);
		const char *s = va_arg(ap, const char *);

		strbuf_add(o->out, s, strnlen(s, (size_t)MAX(len, 0)));
	} else {
		strbuf_vf(o->out, format, ap);
	}
	return 0; /* the length is unused */
}

static int print_plain(void *arg, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	write_text(arg, format, ap);
	va_end(ap);
	return 0;
}

#ifdef HAVE_LIBOPCODES_STYLED
static int print_styled(void *arg, enum disassembler_style style, const char *format, ...)
{
	va_list ap;

	(void)style;
	va_start(ap, format);
	write_text(arg, format, ap);
	va_end(ap);
	return 0;
}
#endif

static void print_address(bfd_vma address, disassemble_info *info)
{
	struct opcodes *o = info->application_data;

	o->has_target = true;
	o->target = address;
	o->target_at = o->out->len;
	text_address(o->names, address, o->out);
}

/* Ignores an instruction that runs past the function's end, which the return value also reports. */
static void no_memory(int status, bfd_vma address, disassemble_info *info)
{
	(void)status;
	(void)address;
	(void)info;
}

/* ---- opening ---- */

static bool load(struct calls *c, const char *soname)
{
	const struct library_symbol symbols[] = {
		{ "disassembler", (void **)&c->disassembler },
		{ "init_disassemble_info", (void **)&c->init },
		{ "disassemble_init_for_target", (void **)&c->init_target },
		{ "disassemble_free_target", (void **)&c->free_target },
	};

	return library_open(soname, symbols, ARRAY_SIZE(symbols));
}

/* Returns "libopcodes-2.40-arm64.so" for "libopcodes-2.40-system.so"; the caller frees it. */
static char *sibling(const char *which)
{
	const char *end = strstr(LIBOPCODES_SONAME, "-system.so");

	if (!end || !which)
		return NULL;
	return xasprintf("%.*s-%s.so", (int)(end - LIBOPCODES_SONAME), LIBOPCODES_SONAME, which);
}

static disassembler_ftype find_in(struct machine *m, const char *soname)
{
	enum bfd_architecture arch;
	unsigned long mach;

	if (!soname || !bfd_machine(m->number, &arch, &mach) || !load(&m->calls, soname))
		return NULL;
	return m->calls.disassembler(arch, m->big_endian, mach, NULL);
}

static void find(struct machine *m)
{
	const struct arch_machine *known = arch_machine(m->number);
	char *own = sibling(known ? known->library : NULL), *all = sibling("multiarch");

	m->print = find_in(m, LIBOPCODES_SONAME);
	if (!m->print)
		m->print = find_in(m, own);
	if (!m->print)
		m->print = find_in(m, all);
	free(own);
	free(all);
}

static void set_up(struct opcodes *o, struct machine *m)
{
	enum bfd_endian endian = m->big_endian ? BFD_ENDIAN_BIG : BFD_ENDIAN_LITTLE;

#ifdef HAVE_LIBOPCODES_STYLED
	m->calls.init(&m->info, o, print_plain, print_styled);
#else
	m->calls.init(&m->info, o, print_plain);
#endif
	bfd_machine(m->number, &m->info.arch, &m->info.mach);
	m->info.flavour = bfd_target_elf_flavour;
	m->info.endian = m->info.endian_code = m->info.display_endian = endian;
	m->info.application_data = o;
	m->info.print_address_func = print_address;
	m->info.memory_error_func = no_memory;
	m->info.disassembler_options = m->intel ? "intel" : NULL;
	m->calls.init_target(&m->info);
}

struct opcodes *opcodes_new(void)
{
	return xcalloc(1, sizeof(struct opcodes));
}

void opcodes_free(struct opcodes *o)
{
	if (!o)
		return;
	vec_for_each(&o->machines, m) {
		if ((*m)->print)
			(*m)->calls.free_target(&(*m)->info);
		free(*m);
	}
	vec_release(&o->machines);
	free(o);
}

static struct machine *machine_of(struct opcodes *o, const struct code *c, bool intel)
{
	bool big_endian = c->arch && c->arch->big_endian;
	struct machine *m;

	vec_for_each(&o->machines, it)
		if ((*it)->number == c->machine && (*it)->big_endian == big_endian &&
		    (*it)->intel == intel)
			return *it;
	m = xcalloc(1, sizeof(*m));
	m->number = c->machine;
	m->big_endian = big_endian;
	m->intel = intel;
	find(m);
	if (m->print)
		set_up(o, m);
	vec_push(&o->machines, m);
	return m;
}

bool opcodes_begin(struct opcodes *o, const struct code *c, const char *syntax,
		   const struct target_namer *names)
{
	bool intel = machine_is_x86(c->machine) && syntax && !strcmp(syntax, "intel");

	o->now = machine_of(o, c, intel);
	if (!o->now->print)
		return false;
	o->names = names;
	o->now->info.buffer = (bfd_byte *)c->bytes; /* only read */
	o->now->info.buffer_vma = c->address;
	o->now->info.buffer_length = c->size;
	return true;
}

/* ---- one instruction ---- */

static void tidy(struct strbuf *text)
{
	size_t len = text->len;
	char *s = text->s;

	for (char *tab = s ? memchr(s, '\t', len) : NULL; tab;
	     tab = memchr(tab, '\t', (size_t)(s + len - tab)))
		*tab = ' ';
	while (len && s[len - 1] == ' ')
		len--;
	strbuf_truncate(text, len);
}

/* Sets the target of a jump or call to the last address written, unless that is in a comment. */
static void settle_flow(const struct opcodes *o, struct insn *insn)
{
	const char *text = strbuf_cstr(insn->text);
	const char *operands = flow_kind_from_text(o->now->number, text, insn);

	if (!insn->flow || !o->has_target || operands[0] == '*' ||
	    text + o->target_at > comment_of(operands))
		return;
	insn->has_target = true;
	insn->target = o->target;
}

bool opcodes_decode(struct opcodes *o, u64 address, struct insn *insn)
{
	int size;

	strbuf_clear(insn->text);
	o->out = insn->text;
	o->has_target = false;
	size = o->now->print(address, &o->now->info);
	if (size <= 0 ||
	    (u64)size > o->now->info.buffer_length - (address - o->now->info.buffer_vma))
		return false;
	tidy(insn->text);
	insn->address = address;
	insn->size = (u32)size;
	settle_flow(o, insn);
	return true;
}
