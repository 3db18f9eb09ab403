// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How fast the file grows: reported with -v, and as a warning before the disk is full.
 */
#include <string.h>
#include <sys/statvfs.h>

#include "record/internal.h"

#define SECOND 1000000000ULL

enum {
	FIRST_AFTER = 1,
	NEXT_AFTER = 10,  /* s to and between forecasts */
	WARN_WITHIN = 60, /* s until the disk is full */
};

static void tell(const struct recorder *rec, const struct strbuf *b)
{
	if (rec->tell)
		rec->tell(b->s);
}

static void tell_rate(const struct recorder *rec, u64 rate)
{
	struct strbuf b = STRBUF_INIT;

	strbuf_f(&b, "recording %.1f MB a minute at this rate, %.1f MB so far\n",
		 (double)rate * 60 / (1 << 20), (double)data_written(rec->writer) / (1 << 20));
	tell(rec, &b);
	strbuf_release(&b);
}

static void warn_full(struct recorder *rec, struct forecast *f, u64 rate)
{
	struct strbuf b = STRBUF_INIT;
	struct statvfs st;
	u64 free;

	/* a directory or a file: both are on the file system in question */
	if (f->warned || !rate || !strcmp(rec->settings->output, "-") ||
	    statvfs(rec->settings->output, &st))
		return;
	free = (u64)st.f_bavail * st.f_frsize;
	if (free / rate >= WARN_WITHIN)
		return;
	f->warned = true;
	strbuf_f(&b,
		 "warning: the file system of '%s' is full in %llu s at this rate: %llu MB are "
		 "left\n",
		 rec->settings->output, (unsigned long long)(free / rate),
		 (unsigned long long)free >> 20);
	strbuf_str(
		&b,
		"hint: --max-size or --switch-output with --switch-max-files bound what is kept\n");
	tell(rec, &b);
	strbuf_release(&b);
}

void forecast_update(struct recorder *rec, struct forecast *f, u64 now)
{
	u64 bytes = data_written(rec->writer), rate;

	if (!f->since || bytes < f->bytes) { /* a new file */
		*f = (struct forecast){ .since = now,
					.bytes = bytes,
					.warned = f->warned,
					.told_at = now - (NEXT_AFTER - FIRST_AFTER) * SECOND };
		return;
	}
	if (now - f->since < SECOND)
		return;
	rate = (u64)((double)(bytes - f->bytes) * (double)SECOND / (double)(now - f->since));
	warn_full(rec, f, rate);
	if (rec->ctx->verbose > 0 && now - f->told_at >= NEXT_AFTER * SECOND) {
		tell_rate(rec, rate);
		f->told_at = now;
	}
	f->since = now;
	f->bytes = bytes;
}
