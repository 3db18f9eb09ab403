// SPDX-License-Identifier: GPL-2.0-or-later
/* --addr2line-style: which reader is asked for source lines. */
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "symbol/internal.h"

/* Others' words for reading in the process mean ours. */
static const char *const native_words[] = { "native", "libdw", "llvm", "libbfd" };

static bool is_native(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(native_words); i++)
		if (!strcmp(word, native_words[i]))
			return true;
	return false;
}

int line_styles_parse(struct line_styles *s, const char *text, struct reason *r)
{
	struct strlist words = { 0 };
	int err = 0;

	*s = (struct line_styles){ .native = !text, .program = !text };
	if (text)
		strlist_split(&words, text, ", ");
	vec_for_each(&words.list, w) {
		if (is_native(*w)) {
			s->native = true;
		} else if (!strcmp(*w, "addr2line")) {
			s->program_first = !s->native;
			s->program = true;
		} else {
			err = reason_set(r, EINVAL, "unknown --addr2line-style '%s'", *w);
			reason_hint(r, "known: native, addr2line; libdw, llvm, libbfd mean native");
			break;
		}
	}
	if (!err && !s->native && !s->program)
		err = reason_set(r, EINVAL, "--addr2line-style needs native or addr2line");
	strlist_release(&words);
	return err;
}
