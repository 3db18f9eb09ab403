/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SDT (USDT) markers: probe points that a program's author named, in its .note.stapsdt section,
 * with the place of each value.
 *
 * A marker's value is SIZE@OPERAND in the assembler's words: "-4@%edi", "8@-16(%rbp)", "4@$7",
 * "8@counter(%rip)"; a minus is a signed type, an 'f' a floating one. Operands that a probe cannot
 * fetch (an index register, floating point) are left out and reported.
 * Threads: no state. Errors: -errno and a reason; -ENOENT: the file has no markers.
 * Source: https://sourceware.org/systemtap/wiki/UserSpaceProbeImplementation
 */
#ifndef PROBE_SDT_H
#define PROBE_SDT_H

#include "probe/event.h"

struct arch;
struct elf;

struct sdt_marker {
	char *provider, *name, *arguments;
	u64 address;   /* virtual address in the file, prelink accounted for */
	u64 semaphore; /* virtual address of its counter; 0: it has none */
};

struct sdt_markers {
	VEC(struct sdt_marker) list; /* in the order of the file */
};

int sdt_read(const struct elf *e, struct sdt_markers *out, struct reason *r) MUST_CHECK;
void sdt_markers_release(struct sdt_markers *m);

/*
 * Makes the event of a marker in the program at path: group "sdt_PROVIDER", arguments arg1 and so
 * on. If skipped is not NULL, adds to it what was left out: "arg3 (4@(%rdx,%rbx,8)) is at the sum
 * of two registers".
 */
int sdt_event(const struct elf *e, const struct sdt_marker *m, const char *path,
	      struct probe_event *out, struct strbuf *skipped, struct reason *r) MUST_CHECK;

/*
 * Adds one operand to b as a fetch argument. delta is virtual address - file offset of the probed
 * code. Returns NULL, or why no fetch argument expresses it: words to put after "is".
 */
const char *sdt_operand(const struct elf *e, const struct arch *arch, u64 delta,
			const char *operand, struct strbuf *b);

#endif
