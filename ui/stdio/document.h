/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of a JSON document that are not tables. */
#ifndef UI_STDIO_DOCUMENT_H
#define UI_STDIO_DOCUMENT_H

#include "base/strbuf.h"

/*
 * Adds ,"header":[{"name":, "value":}...], a member made from the lines "# NAME : VALUE" of a
 * header.
 */
void json_header(const char *text, struct strbuf *b);

#endif
