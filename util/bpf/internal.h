/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internals of the component: the compiled programs. */
#ifndef BPF_INTERNAL_H
#define BPF_INTERNAL_H

#include "base/strbuf.h"
#include "base/types.h"

#define BPF_KERNEL_TYPES "/sys/kernel/btf/vmlinux"

/*
 * An object file compiled by clang, embedded in perf. The build makes the table
 * (scripts/bpf-images).
 */
struct bpf_image {
	const char *name;
	const u8 *begin, *end;
};
/* An image without a name ends it; empty in a build without clang or libbpf. */
extern const struct bpf_image bpf_images[];

const struct bpf_image *bpf_image_find(const char *name);
/* Reports whether the library is installed, and opens it. */
bool libbpf_ready(void);
/*
 * Returns the name of a function in the kernel's type information, malloc'ed; NULL if it has none.
 */
char *bpf_function_name(u32 types, u32 type);

/*
 * Returns how many runs of a loaded object's programs the kernel skipped for good. The runs of a
 * second program ("NAME_again"), which takes over skipped runs of NAME, lose nothing more. of:
 * bpf_program_missed(), or a test's.
 */
struct bpf_run;
u64 missed_runs(struct bpf_run *run, u64 (*of)(int program));

/*
 * Extracts the verifier's messages about a refused program (log.c) from those of libbpf.
 * verifier_verdict() returns the line that says why, malloc'ed, or NULL. verifier_log_text() writes
 * lines for a reader: the last few of its log, or all messages.
 */
char *verifier_verdict(const char *log);
void verifier_log_text(struct strbuf *lines, const char *name, const char *log, bool all);

#endif
