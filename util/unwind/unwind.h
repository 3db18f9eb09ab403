/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the registers and the piece of stack that a sample carries to the frames
 * of its user stack.
 *
 * What it is: several back ends ("styles") behind one call.
 *   native     the call frame information (CFI) of each object, its list of
 *              functions made once and the rows of a function on first use,
 *              and a stepper on it.  It does not depend on the host:
 *              architecture, byte order and word size are the sample's and the
 *              object's.  32-bit Arm programs have other tables for this
 *              (exidx.c).  If an object has no CFI, the frame pointer is tried.
 *   libdw      elfutils' unwinder.
 *   libunwind  for x86-64 samples only.
 * The first style that is asked for unwinds; the next one is tried where the CFI
 * is of no use to it, and its stack taken when it is longer.  The libraries run
 * after a lock each, and read no file that object/locate.h does not find.
 * Threads: one unwinder for all; many may call unwind_sample() simultaneously.
 * Life: unwinder_free.
 * Source: DWARF 5 section 6.4; LSB "Exception Frames" for .eh_frame; the ABI
 * supplements of each architecture; the Exception Handling ABI of the Arm architecture.
 */
#ifndef UNWIND_UNWIND_H
#define UNWIND_UNWIND_H

#include "base/context.h"
#include "object/locate.h"
#include "process/history.h"

struct arch;
struct unwinder;

/* Why a stack has no more frames. */
enum unwind_end {
	UNWIND_ROOT,         /* the outermost frame was reached: the stack is whole */
	UNWIND_LIMIT,        /* as many frames as were requested */
	UNWIND_NO_REGISTERS, /* the sample has none, or not the stack pointer */
	UNWIND_UNMAPPED,     /* the next address is in no known mapping */
	UNWIND_NO_CFI,       /* nothing describes the function, and no frame pointer helped */
	UNWIND_BAD_CFI,      /* what describes it makes no sense */
	UNWIND_DUMP_ENDS,    /* the next frame lies after the recorded piece of stack */
	UNWIND_COPY_STOPS,   /* it lies after a page not in memory, where the kernel's copy ends */
	UNWIND_BELOW_COPY,   /* what leads to it lies below the stack pointer */
	UNWIND_BEYOND_COPY,  /* it lies where no piece reaches, such as on another stack */
	UNWIND_NO_PROGRESS,  /* a frame at or below the one before */
	UNWIND_NO_OBJECT,    /* the object's file is missing, or not the one recorded */
	UNWIND_NO_POINTER,  /* for a recorded chain: a function without a frame pointer breaks it */
	UNWIND_UNSUPPORTED, /* no requested style knows the architecture */
	UNWIND_ENDS
};

enum unwind_style { UNWIND_NATIVE, UNWIND_LIBDW, UNWIND_LIBUNWIND, UNWIND_STYLES };

/* In the order in which they are tried; count 0 means native, then libdw. */
struct unwind_styles {
	u8 count;
	u8 style[UNWIND_STYLES]; /* enum unwind_style */
};
/* Parses "native,libdw"; a style whose library is missing is an error that names its package. */
int unwind_styles_parse(struct unwind_styles *s, const char *list, struct reason *r) MUST_CHECK;
const char *unwind_style_name(enum unwind_style style);

/* Makes an unwinder; images and search must outlive it. */
struct unwinder *unwinder_new(const struct image_table *images, const struct object_search *search);
void unwinder_free(struct unwinder *u);
/*
 * Closes, live, the files of images for which named[id] is false (image_count() entries) and frees
 * their tables; each is read again when a stack passes through it. Call it after history_compact()
 * as well: the libraries keep what they know by space_version. Threads: no other may use the
 * unwinder meanwhile.
 */
void unwinder_sweep(struct unwinder *u, const bool *named);
/* Returns roughly how many bytes the tables of images take. */
u64 unwinder_bytes(const struct unwinder *u);
/* Sets the styles; call it before the first sample. */
void unwinder_set_styles(struct unwinder *u, const struct unwind_styles *s);

struct unwind_request {
	struct history *history;
	const struct event_set *set;
	const struct sample *sample; /* with user_regs and stack */
	const struct task *task;
	const struct order_key *key;
	const struct arch *arch; /* the architecture of the recording machine */
};

struct unwind_result {
	u32 count;
	enum unwind_end end;
	u32 image;  /* where it ended; 0: not known */
	s64 missed; /* UNWIND_DUMP_ENDS: where the word is, from the stack pointer on; 0: not known
		     */
};

/* Bytes of a stack that the kernel copies at most: a multiple of 8 in 16 bits. */
#define UNWIND_MOST_STACK 65528

/*
 * Unwinds a sample to at most max addresses, leaf first. As in perf, the address of a caller is one
 * less than its return address, so it is inside the call. That of the leaf, and of what a signal
 * interrupted, is exact.
 */
struct unwind_result unwind_sample(struct unwinder *u, const struct unwind_request *q, u64 *ips,
				   u32 max);
/*
 * Why does a chain that the kernel recorded end where it does: at its root (the CFI of
 * the last function knows no caller), or because a frame pointer was missing?  ip: of
 * its outermost frame.  UNWIND_UNMAPPED: no code is there.
 */
struct unwind_result unwind_chain_end(struct unwinder *u, const struct unwind_request *q, u64 ip);
/* Does the same for an outermost frame at this offset of an image. */
struct unwind_result unwind_chain_end_at(struct unwinder *u, u32 image, u64 offset);
/* The place of a leaf's return address, by its CFI. */
enum unwind_leaf {
	UNWIND_LEAF_UNKNOWN,
	UNWIND_LEAF_LINK,        /* in the link register; the stack pointer is the caller's */
	UNWIND_LEAF_FRAMED_LINK, /* in the link register, while the function has a frame already */
	UNWIND_LEAF_STACK,       /* on the stack: the link register holds something else */
};
/*
 * Finds the return address of a leaf in a chain that the kernel recorded on a machine with a link
 * register. pc is the current place, *link the register's value, from which it removes signatures
 * of pointer authentication.
 */
enum unwind_leaf unwind_leaf(struct unwinder *u, const struct unwind_request *q, u64 pc, u64 *link);
/* Returns a text for the user: "frame pointer missing" and the like. */
const char *unwind_end_text(enum unwind_end end);
/* Returns a code for it: "stack-no-cfi". */
const char *unwind_end_code(enum unwind_end end);

#endif
