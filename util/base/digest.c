// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/digest.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { LEAST_BYTES = 512, DEFAULT_BYTES = 4096, NAME_BYTES = 60 };

int digest_parse_bytes(const char *text, u64 *bytes, struct reason *r)
{
	*bytes = DEFAULT_BYTES;
	if (text && parse_size(text, bytes))
		return reason_set(r, EINVAL, "'%s' is not a number of bytes", text);
	if (*bytes < LEAST_BYTES)
		return reason_set(r, EINVAL,
				  "%" PRIu64 " bytes are too few: it takes %d to say anything",
				  *bytes, LEAST_BYTES);
	return 0;
}

size_t digest_line_bytes(const struct digest *d)
{
	enum { SHORTEST = 80, LONGEST = 200, LINES = 6 };

	return MAX(MIN(d->bytes / LINES, LONGEST), SHORTEST);
}

void digest_add(struct digest *d, struct strbuf *text, double importance)
{
	strbuf_char(text, '\n');
	vec_push(&d->lines,
		 (struct digest_line){ strbuf_detach(text), importance, d->lines.count });
}

static int number_cmp(const void *pa, const void *pb)
{
	const struct digest_line *a = pa, *b = pb;

	return a->number < b->number ? -1 : a->number > b->number;
}

static int importance_cmp(const void *pa, const void *pb)
{
	const struct digest_line *a = pa, *b = pb;

	if (a->importance != b->importance)
		return a->importance > b->importance ? -1 : 1;
	return number_cmp(pa, pb);
}

void digest_put(struct digest *d, struct strbuf *out)
{
	size_t bytes = 0, kept = 0;

	if (d->lines.count)
		vec_sort(&d->lines, importance_cmp);
	while (kept < d->lines.count) {
		bytes += strlen(d->lines.items[kept].text);
		if (bytes > d->bytes)
			break;
		kept++;
	}
	if (kept)
		qsort(d->lines.items, kept, sizeof(*d->lines.items), number_cmp);
	for (size_t i = 0; i < kept; i++)
		strbuf_str(out, d->lines.items[i].text);
	vec_for_each(&d->lines, l)
		free(l->text);
	vec_release(&d->lines);
}

/* Adds what is at s, and returns how many bytes that were. */
static size_t add_letter(const char *s, size_t len, struct strbuf *out)
{
	size_t control = text_control(s, len), n = utf8_letter(s, len);

	if (n && !control) {
		strbuf_add(out, s, n);
		return n;
	}
	n = MAX(control, (size_t)1);
	for (size_t i = 0; i < n; i++)
		strbuf_f(out, "\\x%02x", (u8)s[i]);
	return n;
}

void digest_text(const char *s, size_t most, struct strbuf *out)
{
	size_t start = out->len, fits = out->len, len = strlen(s);

	while (len) {
		size_t n = add_letter(s, len, out);

		s += n;
		len -= n;
		if (out->len - start > most) {
			strbuf_truncate(out, fits);
			strbuf_str(out, "..");
			return;
		}
		if (out->len - start + 2 <= most)
			fits = out->len;
	}
}

void digest_name(const char *name, struct strbuf *out)
{
	digest_text(name, NAME_BYTES, out);
}
