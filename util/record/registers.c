// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The registers that samples can contain. The table of the architecture knows all of their numbers.
 * The kernel is asked which of them it and this CPU support (arm64's vg requires SVE, powerpc's
 * mmcr3 a POWER10, x86's xmm0 a special PMU).
 */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "arch/arch.h"
#include "base/text.h"
#include "record/record.h"
#include "sys/sample_regs.h"

static unsigned register_count(void)
{
	return MIN(arch_host()->reg_count, 64U);
}

static u64 known_regs(void)
{
	u64 mask = 0;

	for (unsigned i = 0; i < register_count(); i++)
		mask |= arch_reg_name(arch_host(), i) ? BIT64(i) : 0;
	return mask;
}

/*
 * Returns the registers that an unwinder needs: all but x86's segment registers (the kernel refuses
 * most of them for 64-bit tasks) and vector registers.
 */
static u64 unwind_regs(void)
{
	static const char *const unwanted[] = { "DS", "ES", "FS", "GS" };
	u64 mask = 0;

	for (unsigned i = 0; i < register_count(); i++) {
		const char *name = arch_reg_name(arch_host(), i);
		bool keep = name && strncasecmp(name, "XMM", 3);

		for (size_t n = 0; keep && n < ARRAY_SIZE(unwanted); n++)
			keep = strcasecmp(name, unwanted[n]) != 0;
		mask |= keep ? BIT64(i) : 0;
	}
	return sys_sample_regs(mask, false);
}

u64 record_leaf_regs(const struct arch *a)
{
	int reg = a->unwind && a->unwind->chain_link == CHAIN_WITHOUT_LINK
			  ? arch_reg_by_dwarf(a, a->unwind->link)
			  : -1;

	return reg < 0 ? 0 : BIT64(reg);
}

void record_list_regs(bool interrupt, struct strbuf *out)
{
	u64 there = sys_sample_regs(known_regs(), interrupt);
	const char *last = "";

	for (unsigned i = 0; i < register_count(); i++) {
		const char *name = there & BIT64(i) ? arch_reg_name(arch_host(), i) : NULL;

		/* wide registers have two numbers */
		if (name && strcmp(name, last))
			strbuf_f(out, "%s%s", out->len ? " " : "", name);
		last = name ? name : last;
	}
}

static int find_reg(const char *typed)
{
	for (unsigned i = 0; i < register_count(); i++) {
		const char *name = arch_reg_name(arch_host(), i);

		if (name && !strcasecmp(name, typed))
			return (int)i;
	}
	return -1;
}

static int unknown_register(const char *name, bool known, bool interrupt, struct reason *r)
{
	struct strbuf all = STRBUF_INIT;

	record_list_regs(interrupt, &all);
	reason_set(r, EINVAL,
		   known ? "this CPU or its kernel cannot put the register '%s' into samples"
			 : "this machine has no register '%s'",
		   name);
	reason_hint(r, "the registers to choose from are %s", strbuf_cstr(&all));
	strbuf_release(&all);
	return -EINVAL;
}

int record_parse_regs(const char *text, bool interrupt, u64 *mask, struct reason *r)
{
	struct strlist names = { 0 };
	int err = 0;

	if (!text) {
		*mask = unwind_regs();
		return 0;
	}
	*mask = 0;
	strlist_split(&names, text, ",");
	vec_for_each(&names.list, name) {
		int reg = find_reg(*name);

		if (reg < 0 || !sys_sample_regs(BIT64(reg), interrupt)) {
			err = unknown_register(*name, reg >= 0, interrupt, r);
			break;
		}
		*mask |= BIT64(reg);
	}
	strlist_release(&names);
	return err;
}
