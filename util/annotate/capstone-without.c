// SPDX-License-Identifier: GPL-2.0-or-later
/* For builds without capstone: libopcodes or objdump; no operands, so no types of data. */
#include "annotate/internal.h"
#include "annotate/operands.h"

struct decoder *decoder_new(const char *syntax)
{
	(void)syntax;
	return NULL;
}

void decoder_free(struct decoder *d)
{
	(void)d;
}

bool decoder_knows(struct decoder *d, const struct arch *arch, u16 machine)
{
	(void)d;
	(void)arch;
	(void)machine;
	return false;
}

bool decode(struct decoder *d, const struct arch *arch, u16 machine, const u8 *bytes, size_t size,
	    u64 address, const struct target_namer *names, struct insn *insn)
{
	(void)d;
	(void)arch;
	(void)machine;
	(void)bytes;
	(void)size;
	(void)address;
	(void)names;
	(void)insn;
	return false;
}

bool operands_of_x86_64(struct decoder *d, const u8 *bytes, size_t size, u64 address,
			struct operands *out)
{
	(void)d;
	(void)bytes;
	(void)size;
	(void)address;
	(void)out;
	return false;
}
