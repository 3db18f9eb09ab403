// SPDX-License-Identifier: GPL-2.0-or-later
/* A stream, up to the first record that is not of its header. */
#include <errno.h>

#include "data/internal.h"

/*
 * Reads a stream's header. A seekable stream is walked again later; what came from a pipe is kept
 * for data_next().
 */
int pipe_read_ahead(struct data_reader *d, struct reason *r)
{
	struct walked seen = { 0 };
	struct data_chunk c;
	int err;

	while (!seen.body && (err = walk_next(d, &c, &seen, r)) == 1) {
		err = pipe_take_header(d, &c, r);
		if (seen.compressed && !d->seekable) {
			d->compressed = true;
			inflate_begin(d, &c);
		} else if (!d->seekable) {
			vec_push(&d->ahead, c);
		} else {
			data_chunk_release(&c);
		}
		if (err)
			return err;
	}
	if (!seen.body && err < 0)
		return err;
	names_make_up(d);
	d->events_named = true;
	if (!d->events.list.count)
		return reason_set(r, EINVAL, "the stream '%s' has no events", d->path);
	if (d->seekable)
		walk_reset(d);
	return 0;
}
