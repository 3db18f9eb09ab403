/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside the component: the compiled programs. */
#ifndef BPF_INTERNAL_H
#define BPF_INTERNAL_H

#include "base/strbuf.h"
#include "base/types.h"

#define BPF_KERNEL_TYPES "/sys/kernel/btf/vmlinux"

/*
 * An object file compiled by clang, embedded in perf.  The build makes the table
 * (scripts/bpf-images).
 */
struct bpf_image {
	const char *name;
	const u8 *begin, *end;
};
/* Ended by an image without name; empty in a build without clang or libbpf. */
extern const struct bpf_image bpf_images[];

const struct bpf_image *bpf_image_find(const char *name);
/* Is the library here?  Opens it. */
bool libbpf_ready(void);
/* The name of a function in the kernel's type information, malloc'ed; NULL: there is none. */
char *bpf_function_name(u32 types, u32 type);

/*
 * How many runs the kernel has left out for good, of a loaded object: those of a second program
 * ("NAME_again"), which takes over what NAME was kept from, lose nothing more. of:
 * bpf_program_missed(), or a test's.
 */
struct bpf_run;
u64 missed_runs(struct bpf_run *run, u64 (*of)(int program));

/*
 * What the verifier says of a program it refused (log.c), in the messages of libbpf: the line that
 * says why, malloc'ed, or NULL; and lines for a reader, the last few of its log or all messages.
 */
char *verifier_verdict(const char *log);
void verifier_log_text(struct strbuf *lines, const char *name, const char *log, bool all);

#endif
