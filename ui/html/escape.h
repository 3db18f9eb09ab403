/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Escapes text from files, so XML reads it as plain text. */
#ifndef UI_HTML_ESCAPE_H
#define UI_HTML_ESCAPE_H

#include "base/strbuf.h"

/*
 * Adds a text escaped for element contents and attribute values. What XML does not allow (control
 * characters, bytes that are not UTF-8) becomes U+FFFD.
 */
void html_escape(struct strbuf *b, const char *s, size_t len);
/* Returns the largest number of bytes, at most len, that does not split a UTF-8 character. */
size_t html_whole_letters(const char *s, size_t len);

#endif
