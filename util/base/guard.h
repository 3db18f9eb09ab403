/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The last look at text on its way out.
 *
 * Names come from files, from other processes and from the kernel. strbuf_printable() (base/text.h)
 * escapes them where they become part of a line, since only there their newlines and tabs can be
 * told from ours. The guard escapes what nobody thought of: struct out (base/out.h) calls it for
 * all that it writes, to a terminal or not, and so does out_text().
 */
#ifndef BASE_GUARD_H
#define BASE_GUARD_H

#include "base/strbuf.h"

/*
 * Works like strbuf_printable_from(), but if codes is true leaves those that set a colour or clear
 * the screen, which are our own.
 */
void strbuf_guard(struct strbuf *b, bool codes);
/*
 * Works like strbuf_printable(), for what b has from that byte on: names, whose newlines and tabs
 * are also escaped.
 */
void strbuf_printable_names(struct strbuf *b, size_t from);
/*
 * Allows text to contain such codes of ours from now on: the user wants colours, or a screen is
 * redrawn.
 */
void out_allow_codes(void);
/* Writes text to a descriptor, guarded: 0 or -errno. */
int out_text(int fd, const char *text, size_t len);
/* Returns the number of the valid UTF-8 character of len bytes at s. */
u32 utf8_value(const char *s, size_t len);

#endif
