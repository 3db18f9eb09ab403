/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of this component and its unit tests. */
#ifndef UNWIND_INTERNAL_H
#define UNWIND_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/vec.h"
#include "object/cursor.h"
#include "object/elf.h"
#include "object/frames.h"
#include "object/locate.h"
#include "unwind/unwind.h"

/* Registers by their DWARF numbers. */
#define CFI_REGS FRAME_REGS

enum cfi_how {
	CFI_SAME,      /* the caller's value is still in the register */
	CFI_UNDEFINED, /* lost; of the return address: there is no caller */
	CFI_AT_CFA,    /* in memory at CFA + offset */
	CFI_IS_CFA,    /* it is CFA + offset */
	CFI_REGISTER,  /* in another register */
	CFI_AT_EXPR,   /* in memory where the expression says */
	CFI_IS_EXPR,   /* it is what the expression says */
};

struct cfi_rule {
	u8 how, reg; /* reg: CFI_REGISTER */
	s32 offset;  /* or the expression's length */
	u32 expr;    /* its offset in the section */
};

struct cfi_rows;

/* A row: from pc on, up to end, these rules hold. */
struct cfi_row {
	u64 pc, end;
	const struct cfi_rows *rows; /* the rows of its function */
	struct cfi_rule cfa;         /* CFI_REGISTER: reg + offset, or CFI_IS_EXPR */
	u32 first, count;            /* in cfi_rows.rules */
	/*
	 * The usual kind of row: the CFA is a register plus an offset. What was saved, including
	 * the return address, is at CFA + lowest and above, in span bytes with the last word of 8.
	 */
	bool plain;
	s32 lowest;
	u32 span;
	u64 saved[CFI_REGS / 64]; /* plain: the registers with a rule, as bits */
};

struct cfi_reg_rule {
	u8 reg;
	struct cfi_rule rule;
};

/* One function, compiled. */
struct cfi_rows {
	struct cfi_row *rows; /* in order of pc */
	struct cfi_reg_rule *rules;
	u32 row_count;
	u8 ra; /* register whose rule finds the return address */
	bool is_signal;
	bool bad; /* its instructions make no sense */
};

struct cfi_function {
	u64 low, high;                   /* addresses */
	u32 cie;                         /* number */
	u32 begin, end;                  /* where its instructions are */
	_Atomic(struct cfi_rows *) rows; /* compiled on first use */
};

/* The CFI of one section of one file. */
struct cfi {
	const u8 *data;
	size_t size;
	bool swap;
	struct elf_bytes bytes;
	struct frame_cie *cies;
	u32 cie_count;
	struct cfi_function *functions; /* in order of low */
	u32 function_count;
	_Atomic(u64) compiled; /* bytes of rows */
	u32 unread;            /* entries that could not be read */
	/*
	 * Recently used plain rows, in slots by a hash of the address: stacks return to the same
	 * addresses again and again.
	 */
	_Atomic(const struct cfi_row *) *met;
	u8 met_bits; /* 2^met_bits slots */
};

enum cfi_sections { CFI_EH_FRAME, CFI_DEBUG_FRAME };
/* Reads the CFI of a file; returns NULL if it has none. */
struct cfi *cfi_read(const struct elf *e, enum cfi_sections which);
void cfi_free(struct cfi *c);
/* Returns the function that covers the address, or NULL. */
struct cfi_function *cfi_find(const struct cfi *c, u64 addr);
const struct cfi_rows *cfi_rows(struct cfi *c, struct cfi_function *f);
u64 cfi_bytes(const struct cfi *c); /* NULL: 0 */
const struct cfi_row *cfi_row_at(const struct cfi_rows *r, u64 addr);
/*
 * Returns the remembered plain row of an address, which cfi_find() and cfi_row_at() would find; or
 * NULL.
 */
const struct cfi_row *cfi_recall(const struct cfi *c, u64 addr);
void cfi_remember(struct cfi *c, u64 addr, const struct cfi_row *row);
/* Compiles the rows of a function; used only in cfi.c and rows.c. */
struct cfi_rows *cfi_compile(const struct cfi *c, const struct cfi_function *f);

/* The registers of one frame. */
struct unwind_regs {
	u64 value[CFI_REGS];
	bool known[CFI_REGS];
};

/* A word that was asked for and not copied: the last one. */
struct unwind_miss {
	bool any;
	u64 addr;
};

/* What can be read: the piece of stack. */
struct unwind_memory {
	const u8 *stack;
	u64 start, size; /* address of stack[0], bytes */
	bool swap;
	u8 word;                  /* bytes of an address: 4 or 8 */
	struct unwind_miss *miss; /* gets reads that fail; NULL: nobody asks */
};
bool memory_read(const struct unwind_memory *m, u64 addr, unsigned size, u64 *value);
/* For struct unwind_result. */
s64 unwind_missed(const struct unwind_memory *m);

/* exidx.c: the tables of a 32-bit Arm program, or NULL. */
struct exidx;
struct exidx *exidx_read(const struct elf *e);
void exidx_free(struct exidx *x);
/* Reports whether the tables say how to leave the function at an address of the file. */
bool exidx_covers(const struct exidx *x, u64 addr);
/*
 * Steps from a frame at an address to its caller's registers and *pc. Returns UNWIND_LIMIT to
 * continue, UNWIND_ROOT if the function says that it has no caller, or UNWIND_NO_CFI if no table
 * has the address.
 */
enum unwind_end exidx_step(const struct exidx *x, u64 addr, struct unwind_regs *regs,
			   const struct unwind_memory *memory, u64 *pc);

/*
 * Steps from a signal's return trampoline at an address of the file to what the signal interrupted
 * (signal_return.c). Returns UNWIND_LIMIT to continue at *pc with the interrupted registers, or
 * UNWIND_NO_CFI if there is no trampoline. sp is the DWARF number of the stack pointer.
 */
enum unwind_end signal_return_step(const struct elf *e, u64 addr, unsigned sp,
				   struct unwind_regs *regs, const struct unwind_memory *m,
				   u64 *pc);

/* What unwinding needs of one image. */
struct image_cfi {
	pthread_mutex_t lock; /* one thread opens, the others wait for it */
	_Atomic(bool) ready;
	const struct image *image;
	struct object_file object;
	struct cfi *eh, *frame; /* .eh_frame, .debug_frame; or NULL */
	struct exidx *exidx;    /* used where these have nothing; or NULL */
	_Atomic(bool) debug_ready;
	struct object_file debug; /* opened when the object has nothing for an address */
	struct cfi *debug_frame;
	_Atomic(u32) unread; /* parts of its CFI that could not be read */
};

#define BLOCK_IMAGES 1024u

struct unwind_backend;
struct unwinder {
	const struct image_table *images;
	const struct object_search *search;
	struct unwind_styles styles;
	pthread_mutex_t lock; /* guards growth */
	_Atomic(struct image_cfi **) blocks[1024];
	pthread_mutex_t style_lock[UNWIND_STYLES]; /* each guards what follows */
	void *state[UNWIND_STYLES];                /* each back end's own */
};

/* Returns the image's slot, never NULL, with its CFI opened. */
struct image_cfi *unwinder_image(struct unwinder *u, u32 image);
/*
 * Returns the function that covers an address of the image's file, and in *c the CFI that has it;
 * or NULL.
 */
struct cfi_function *image_cfi_find(struct unwinder *u, struct image_cfi *i, u64 addr,
				    struct cfi **c);

/*
 * Finds how many bytes a PLT stub has pushed at an address of the file. Returns false if that is
 * not in a stub (plt.c).
 */
bool plt_pushed(const struct elf *e, u64 addr, u64 *bytes);

/*
 * Hand-written code at the ELF file's entry may have no CFI that tells that nobody calls it.  f:
 * the function that covers the address, or NULL.
 */
bool image_begins_program(const struct image_cfi *i, const struct cfi_function *f, u64 addr);

/* The architecture of the sample's registers; NULL: not known. */
const struct arch *unwind_arch(const struct unwind_request *q);
/* Returns the sample's piece of stack. */
struct unwind_memory unwind_stack(const struct unwind_request *q, const struct arch *a, u64 sp);

struct arch_unwind;
/*
 * Removes the signature that a return address may have above its bits. The recording does not say
 * how many bits an address has (39 to 52 on arm64), so it takes the most that make a mapped
 * address.
 */
u64 unwind_strip(const struct unwind_request *q, const struct arch_unwind *facts,
		 space_version space, u64 pc);

/* One way to unwind. */
struct unwind_backend {
	const char *package; /* the package that has the library */
	/* Reports whether its library is installed; NULL means always. */
	bool (*usable)(void);
	/* Unwinds a sample; called with the style's lock held, unless it keeps no state. */
	struct unwind_result (*sample)(struct unwinder *u, const struct unwind_request *q, u64 *ips,
				       u32 max);
	void (*free)(void *state); /* NULL if it keeps no state */
};
extern const struct unwind_backend unwind_native, unwind_libdw, unwind_libunwind;

/* Runs an expression; if cfa is given, pushes it first. */
bool expression_run(const struct cfi *c, u32 at, u32 length, const struct unwind_regs *r,
		    const struct unwind_memory *m, const u64 *cfa, u64 *result);

#endif
