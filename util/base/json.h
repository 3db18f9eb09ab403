/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts for JSON (RFC 8259), which every writer of it shares. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/strbuf.h"

/*
 * A text in quotes: quotes, backslashes and control characters are escaped, bytes that are
 * no UTF-8 become U+FFFD.
 */
void json_text(struct strbuf *b, const char *s);

#endif
