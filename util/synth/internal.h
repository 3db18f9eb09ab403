/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of synth share: how records are built, and the maps of a process. */
#ifndef SYNTH_INTERNAL_H
#define SYNTH_INTERNAL_H

#include "base/hash.h"
#include "object/buildid.h"
#include "synth/synth.h"

/* Starts a user or synthesised record and returns its offset in out (build.c). */
size_t record_begin(struct strbuf *out, u32 type, u16 misc);
/* Pads to 8 bytes, appends id_size zero bytes, sets the size; false (and undone) over 65535. */
bool record_end(struct strbuf *out, size_t start, size_t id_size);
void record_u64(struct strbuf *out, u64 v);
void record_u32(struct strbuf *out, u32 v);
/* Appends a string with its NUL, padded to 8 bytes. */
void record_string(struct strbuf *out, const char *s, size_t len);

/*
 * Returns the BTF with this number (*size bytes), which the caller frees; NULL if it is gone or the
 * user may not see it (bpf_programs.c).
 */
u8 *bpf_types(u32 id, u32 *size);

/* Writes MMAP2 records from /proc/PID/maps (maps.c). */
struct map_synth {
	struct strbuf *out, text; /* text: of the current maps file; kept to reuse its memory */
	size_t id_size;
	bool data;          /* also write mappings that are not executable */
	bool build_ids;     /* write build-ids instead of device and inode */
	u64 timeout;        /* ns allowed for one process; 0: no limit */
	u64 cut_off;        /* number of processes that took longer */
	struct map64 known; /* inode and device -> index in ids + 1; 0: the file has no build-id */
	VEC(struct build_id) ids;
};
void map_synth_release(struct map_synth *s);
int synth_maps(struct map_synth *s, pid_t pid);

#endif
