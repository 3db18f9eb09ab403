/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside of synth: how records are built, and the maps of a process. */
#ifndef SYNTH_INTERNAL_H
#define SYNTH_INTERNAL_H

#include "base/hash.h"
#include "object/buildid.h"
#include "synth/synth.h"

/* build.c: user and synthesised records. */
size_t record_begin(struct strbuf *out, u32 type, u16 misc);
/* Pads to 8 bytes, appends id_size zero bytes, sets the size; false (and undone) over 65535. */
bool record_end(struct strbuf *out, size_t start, size_t id_size);
void record_u64(struct strbuf *out, u64 v);
void record_u32(struct strbuf *out, u32 v);
/* With its NUL, padded to 8. */
void record_string(struct strbuf *out, const char *s, size_t len);

/*
 * bpf_programs.c: the BTF with this number, malloc'ed, *size bytes; NULL: gone, or not ours to see.
 */
u8 *bpf_types(u32 id, u32 *size);

/* maps.c: MMAP2 records of /proc/PID/maps. */
struct map_synth {
	struct strbuf *out, text; /* text: of a maps file, kept for the next one */
	size_t id_size;
	bool data;          /* also what is not executable */
	bool build_ids;     /* in place of device and inode */
	u64 timeout;        /* ns for one process; 0: none */
	u64 cut_off;        /* processes that took longer */
	struct map64 known; /* inode and device -> index + 1 in ids, 0: it has none */
	VEC(struct build_id) ids;
};
void map_synth_release(struct map_synth *s);
int synth_maps(struct map_synth *s, pid_t pid);

#endif
