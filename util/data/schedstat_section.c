// SPDX-License-Identifier: GPL-2.0-or-later
#include "data/schedstat_section.h"

#include <errno.h>
#include <sys/utsname.h>

#include "data/feature.h"
#include "data/feature_build.h"
#include "data/reader.h"
#include "data/writer.h"

enum { VERSION = 2 };

static void put_text(struct strbuf *b, const struct strbuf *text)
{
	feature_add_u64(b, text->len);
	strbuf_add(b, strbuf_cstr(text), text->len);
}

static void set_host(struct data_writer *w)
{
	struct utsname u;

	if (uname(&u))
		return;
	data_feature_set_string(w, FEATURE_HOSTNAME, u.nodename);
	data_feature_set_string(w, FEATURE_OSRELEASE, u.release);
	data_feature_set_string(w, FEATURE_ARCH, u.machine);
}

int schedstat_section_write(struct context *ctx, const char *path, const struct schedstat_texts *t,
			    struct reason *r)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TID,
		.flags = ATTR_DISABLED,
	};
	struct strbuf b = STRBUF_INIT, record = STRBUF_INIT;
	struct data_writer *w = NULL;
	struct event_set set;
	int err;

	event_set_init(&set);
	event_set_add_id(&set, event_set_add(&set, &attr, "dummy:u"), 1);
	err = event_set_finish(&set, r);
	if (!err)
		err = data_create(ctx, path, true, &w, r);
	if (!err)
		err = data_write_header(w, &set, r);
	/* a file without any record looks like that of a killed recorder */
	record_build_finished_init(&record);
	if (!err)
		err = data_write(w, record.s, record.len, r);
	if (!err)
		err = data_flush(w, r);
	feature_add_u32(&b, VERSION);
	put_text(&b, &t->before);
	put_text(&b, &t->after);
	if (!err) {
		set_host(w);
		data_set_events(w, &set);
		data_feature_set(w, FEATURE_OURS, b.s, b.len);
		err = data_finish(w, r);
	} else if (w) {
		data_abandon(w);
	}
	strbuf_release(&b);
	strbuf_release(&record);
	event_set_release(&set);
	return err;
}

static void take_text(struct feature_cursor *c, struct strbuf *text)
{
	u64 size = feature_u64(c);
	const u8 *bytes = feature_bytes(c, size);

	if (!c->bad && bytes)
		strbuf_add(text, bytes, size);
}

int schedstat_section_read(struct context *ctx, const char *path, struct schedstat_texts *t,
			   struct reason *r)
{
	struct data_reader *d;
	struct feature_cursor c;
	int err = data_open(ctx, path, true, &d, r);

	if (err)
		return err;
	c = feature_open(d, FEATURE_OURS);
	if (c.bad || feature_u32(&c) != VERSION) {
		err = reason_set(r, ENOENT, "'%s' has no statistics of the scheduler", path);
		reason_hint(r, "record with: perf sched stats record -- COMMAND");
	} else {
		take_text(&c, &t->before);
		take_text(&c, &t->after);
		if (c.bad)
			err = reason_set(r, EINVAL, "the statistics in '%s' are truncated", path);
	}
	data_close(d);
	return err;
}
