/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Image identity: what a mapping maps.
 *
 * An image is one version of an object: a path with a build-id (or none), the kernel, a module, a
 * BPF program, one process's JIT area. Images are interned; an id is small, dense, and means the
 * same image for the whole session. A mapping refers to an image; a frame is (image, offset).
 *
 * Offsets: for ELF images the offset in the file, for IMAGE_DUMP that in its object; for kernel,
 * modules, BPF, JIT and anonymous memory the address itself.
 *
 * Names: perf's dso columns show name, or path with -v; `perf script` shows image_script_name().
 * Two images may have the same name (the same path with another inode or build-id), so group
 * printed rows by name, not by id.
 *
 * Threads: interning takes a lock; image_get() does not. Life: the table owns the images, until it
 * is freed or image_table_sweep() drops them.
 */
#ifndef OBJECT_IMAGE_H
#define OBJECT_IMAGE_H

#include "base/types.h"

enum image_kind {
	IMAGE_UNKNOWN, /* not mapped: [unknown] */
	IMAGE_ELF,     /* a file */
	IMAGE_KERNEL,  /* [kernel.kallsyms] */
	IMAGE_MODULE,  /* [ext4] */
	IMAGE_VDSO,    /* [vdso] */
	IMAGE_VSYSCALL,
	IMAGE_BPF,   /* bpf_prog_..., trampolines, other ksymbols */
	IMAGE_JIT,   /* executable //anon, /dev/zero, [heap] ...: /tmp/perf-PID.map names it */
	IMAGE_OTHER, /* likewise, not executable, and [uprobes]: no code */
	/* generated code that a jitdump file describes, in the object of a part of it */
	IMAGE_DUMP,
};

struct build_id {
	u8 size; /* bytes, 0: none */
	u8 id[20];
};

/* A mapping of code, as it was recorded: bytes. */
struct image_code {
	u64 pgoff, size;
};
/* How many mappings of an object are kept: few objects have more than one segment of code. */
enum { IMAGE_CODES = 3 };

struct image {
	u32 id;
	enum image_kind kind;
	bool kernel;      /* addresses of the kernel's half */
	u32 guest;        /* machine: 0 for the host, else a guest's pid */
	s32 pid;          /* IMAGE_JIT, IMAGE_DUMP: the process; else -1 */
	u32 part;         /* IMAGE_DUMP: of its file (jit/code.h); else 0 */
	const char *path; /* "/usr/bin/ls", "[kernel.kallsyms]", "/tmp/perf-12.map", "//anon" */
	const char *name; /* as dso columns show it: "ls", "[ext4]", "[JIT] tid 12" */
	struct build_id build_id; /* final once no more mappings are added */
	u32 maj, min;             /* from MMAP2, 0 if unknown */
	u64 ino, ino_generation;
	/*
	 * Not part of its identity, files only: the process that mapped it last, and from which
	 * offset on.
	 */
	s32 owner; /* pid; 0 if unknown */
	/*
	 * bytes: the file has at least this many (mappings begin in a file, and may end after it)
	 */
	u64 extent;
	/* different mappings of code, in the order in which they were seen; size 0 if unused */
	struct image_code code[IMAGE_CODES];
	u64 addr; /* kernel-side images: where it was loaded */
	u64 size;
	/*
	 * Kernel: the recorded address of the symbol reference_name ("_text", "_stext"); 0 if
	 * unknown (kptr_restrict).
	 */
	const char *reference_name;
	u64 reference_addr;
};

struct image_table;
struct image_table *image_table_new(void);
void image_table_free(struct image_table *t);
/*
 * Returns the kind of image that a mapping's file name shows. kernel: from a kernel-side record;
 * exec: the mapping is executable.
 */
enum image_kind image_classify(const char *path, bool kernel, bool exec);
/*
 * Reports whether a file of this name may be memory for generated code: a memfd, a file without a
 * name, or one in /dev/shm.
 */
bool image_may_be_generated(const char *path);
/* Reports whether it is the path of an IMAGE_JIT, "/tmp/perf-123.map". */
bool image_is_jit_path(const char *path);
/*
 * Returns the kind of a user's mapping. prot and flags are those of mmap(); flags is 0 if unknown.
 * Loaders map privately and without write permission; other executable mappings are IMAGE_JIT if
 * image_may_be_generated() or the file is not a program.
 */
enum image_kind image_classify_mapping(const char *path, bool exec, u32 prot, u32 flags);
/*
 * Returns the id of the image, which it adds if it is new; id 0 is always the IMAGE_UNKNOWN image.
 * Copies want. If want->kind is IMAGE_UNKNOWN, it finds the kind (as executable). It brings path to
 * its common form ("[kernel.kallsyms]_text" -> "[kernel.kallsyms]", executable "//anon" ->
 * "/tmp/perf-PID.map") and sets name. Equal (kind, guest, pid, part, path, build-id, addr, device,
 * ino) are one image; for jitdump files also the generation of the inode.
 */
u32 image_intern(struct image_table *t, const struct image *want);
const struct image *image_get(const struct image_table *t, u32 id);
u32 image_count(const struct image_table *t);
/*
 * Live: drops every image for which named[id] is false (image_count() entries; the unknown image
 * always stays). First drop what was made from these images: symbol_store_sweep(),
 * line_store_sweep(), unwinder_sweep(). Their ids are reused. Threads: no other may use the table
 * meanwhile.
 */
void image_table_sweep(struct image_table *t, const bool *named);
/*
 * Gives the id, which the build-id feature lists by path, to images of this name without one. Call
 * it after pass 1.
 */
void image_apply_build_id(struct image_table *t, const char *path, bool kernel, u32 guest,
			  const struct build_id *id);
/* Returns the name that `perf script` prints: the path, but "[ext4]" for a module. */
static inline const char *image_script_name(const struct image *im)
{
	return im->kind == IMAGE_MODULE ? im->name : im->path;
}
/* Writes the id as hex text into buf (41 bytes); "" if there is none. Returns buf. */
const char *build_id_text(const struct build_id *id, char buf[41]);
int build_id_parse(const char *hex, struct build_id *id);

#endif
