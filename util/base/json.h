/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts for JSON (RFC 8259), which every writer of it shares. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/strbuf.h"

/*
 * Adds a text in quotes. Quotes, backslashes and control characters are escaped; bytes that are not
 * UTF-8 become U+FFFD. Returns false if there was such a byte, which a reader cannot get back.
 */
bool json_text(struct strbuf *b, const char *s);
/* Adds the bytes as hexadecimal digits in quotes. */
void json_bytes(struct strbuf *b, const void *bytes, size_t size);

#endif
