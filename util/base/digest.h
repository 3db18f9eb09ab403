/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text of a bounded number of bytes: what --brief prints.
 *
 *	digest_parse_bytes()	the option's value
 *	digest_add()		lines in the order of output, each with its importance
 *	digest_put()		those of the more important lines that fit, in that order
 *
 * A digest of {0} with bytes set is ready.  One thread.
 */
#ifndef BASE_DIGEST_H
#define BASE_DIGEST_H

#include "base/reason.h"
#include "base/strbuf.h"
#include "base/vec.h"

struct digest_line {
	char *text; /* may be several lines, which stay together */
	double importance;
	size_t number;
};

struct digest {
	size_t bytes; /* at most */
	VEC(struct digest_line) lines;
};

/* "4096", "1k"; NULL means the default.  -EINVAL with a reason. */
int digest_parse_bytes(const char *text, u64 *bytes, struct reason *r) MUST_CHECK;
/* About how long a line may be that is put together of names. */
size_t digest_line_bytes(const struct digest *d);

/* Takes the text and a newline; of equal importance is what was added first. */
void digest_add(struct digest *d, struct strbuf *text, double importance);
/* Leaves the digest empty. */
void digest_put(struct digest *d, struct strbuf *out);

/*
 * As strbuf_printable(), and in valid UTF-8: other bytes, too, become \xNN.  What takes more than
 * so many bytes ends in "..".
 */
void digest_text(const char *s, size_t most, struct strbuf *out);
/* The same for a name, in at most 60 bytes. */
void digest_name(const char *name, struct strbuf *out);

#endif
