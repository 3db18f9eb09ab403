// SPDX-License-Identifier: GPL-2.0-or-later
/* Bytes of a file, and what is reported of damaged ones. */
#include <errno.h>
#include <stdarg.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "base/trace.h"
#include "data/internal.h"

int file_read(const struct data_file *f, u64 offset, void *p, size_t n, const char *what,
	      struct reason *r)
{
	size_t done = 0;

	while (done < n) {
		ssize_t got = pread(f->fd, (u8 *)p + done, n - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return reason_errno(r, errno, "cannot read %s of '%s'", what, f->path);
		if (!got)
			return reason_set(r, EINVAL, "'%s' ends inside its %s", f->path, what);
		done += (size_t)got;
	}
	return 0;
}

void damage(struct data_reader *d, enum condition_weight weight, const char *code, u32 file,
	    u64 offset, const char *fmt, ...)
{
	const char *path = file < d->files.count ? d->files.items[file].path : d->path;
	struct order_key key = { .time = 0, .file = file, .position = offset };
	struct strbuf text = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vf(&text, fmt, ap);
	va_end(ap);
	TRACE(data, "%s at offset %#" PRIx64 " of '%s': %s", code, offset, path,
	      strbuf_cstr(&text));
	/* a second pass finds the same, and so does another reader of the file */
	if (!d->told && !condition_known(&d->ctx->conditions, code, path, &key))
		condition_add(&d->ctx->conditions, weight, code, path, &key, 1, NULL,
			      "%s, offset %#" PRIx64 ": %s", path, offset, strbuf_cstr(&text));
	strbuf_release(&text);
}
