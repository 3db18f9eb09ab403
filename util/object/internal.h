/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of this component and its unit tests. */
#ifndef OBJECT_INTERNAL_H
#define OBJECT_INTERNAL_H

#include "base/reason.h"
#include "object/debug_servers.h"
#include "object/image.h"

struct elf;
struct elf_section;
struct elf_segment;

/*
 * Reports whether these bytes are a whole file in gzip, xz or zstd form (.ko.gz, .ko.xz, .ko.zst).
 */
bool object_is_packed(const u8 *data, size_t size);
/* Unpacks a file that object_is_packed(). *out is malloc'ed; the caller frees it. */
int object_unpack(const u8 *data, size_t size, u8 **out, size_t *out_size, struct reason *r);

/* Finds the build-id among raw notes; align is 4 or 8. */
bool notes_build_id(const u8 *notes, size_t size, u64 align, bool swap, struct build_id *id);

/* Reports whether a section is compressed with zstd. */
bool section_is_zstd(const struct elf *e, const struct elf_section *s);

/* While it is being opened.  index: one that elf_segment_at() knows. */
void elf_set_segment(struct elf *e, u32 index, const struct elf_segment *s);
/*
 * Gives the segments of a debug file that is opened without its object the object's offsets
 * (debug_layout.c).
 */
void debug_file_place(struct elf *e, const struct image *img);

/* Computes the checksum of a whole file for .gnu_debuglink (the CRC-32 of Ethernet and zlib). */
u32 object_crc32(const u8 *data, size_t size);

/* Makes a directory and its parents. Returns 0 or -errno. */
int cache_make_dirs(const char *path);

/* cache_copy.c */
struct cache_entry;
/*
 * Puts the file of an entry into DIR/NAME/ID, unless it is there; the link to it is the caller's to
 * make.
 */
int cache_store(const char *dir, const struct cache_entry *e, struct reason *r);
/* Does the same with a digest of the bytes as the id, which it sets. */
int cache_store_content(const char *dir, struct cache_entry *e, struct reason *r);
/*
 * Replaces an entry that is a hard link by a copy where that is possible. False: its bytes have
 * changed.
 */
bool cache_own_copy(const char *path, const struct build_id *id);

/* The library behind debug_servers.c. */
struct debuginfod_client_state;
struct debuginfod_client_state *debuginfod_client_open(void); /* NULL if the library is missing */
void debuginfod_client_close(struct debuginfod_client_state *c);
int debuginfod_client_find(struct debuginfod_client_state *c, const struct debug_servers_options *o,
			   enum debug_server_file what, const struct build_id *id, const char *name,
			   char **path);

#endif
