// SPDX-License-Identifier: GPL-2.0-or-later
/* The session's unwinder, created for the first stack or chain. */
#include "session/internal.h"
#include "unwind/unwind.h"

static const u8 *kept_object(void *arg, const struct image *img, size_t *size)
{
	struct session *s = arg;
	const u8 *bytes = session_jit_kept(s, img, size);

	return bytes || !s->kept ? bytes : s->kept(s->kept_arg, img, size);
}

struct unwinder *session_unwinder(struct session *s)
{
	struct unwinder *u;

	pthread_mutex_lock(&s->unwinder_lock);
	if (!s->unwinder) {
		s->search = *symbol_store_search(s->symbols);
		s->search.kept = kept_object;
		s->search.kept_arg = s;
		s->unwinder = unwinder_new(s->images, &s->search);
		unwinder_set_styles(s->unwinder, &s->unwind);
	}
	u = s->unwinder;
	pthread_mutex_unlock(&s->unwinder_lock);
	return u;
}
