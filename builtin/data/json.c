// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * JSON in the shape of Linux 6.1: one value a line, tabs. Numbers are numbers, addresses and
 * fields of tracepoints are texts.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/replace.h"
#include "builtin/data/internal.h"

/* The text before the value of each field of a tracepoint, made once. */
struct event_keys {
	VEC(char *) fields;
};

struct json {
	struct out out;
	struct replace file; /* without a path: standard output */
	struct chains *chains;
	VEC(char *) frames;          /* text by frame, NULL: not made yet */
	VEC(struct event_keys) keys; /* by event */
	struct strbuf value;         /* the value of a field; used again */
	bool begun;                  /* the headers were written */
	u64 bytes;
};

static const char *const own_keys[] = {
	"timestamp", "pid", "tid", "cpu", "comm", "callchain", NULL
};

static void key_text(struct strbuf *b, const char *key, const char *value)
{
	strbuf_f(b, ",\n\t\t\"%s\": ", key);
	json_text(b, value ? value : "");
}

static void key_number(struct strbuf *b, const char *key, u64 value)
{
	strbuf_f(b, ",\n\t\t\"%s\": %" PRIu64, key, value);
}

/* Adds the members about the file itself. What a stream does not have is 0. */
static void put_file_header(struct convert *c, struct strbuf *b)
{
	int fd = data_is_pipe(c->data) ? -1 : open(data_path(c->data), O_RDONLY | O_CLOEXEC);
	u8 header[104] = { 0 };
	bool swap = data_is_swapped(c->data);
	struct stat st;
	char when[32];
	struct tm tm;
	u64 offset, size;

	if (fd >= 0 && pread(fd, header, sizeof(header), 0) != (ssize_t)sizeof(header))
		memset(header, 0, sizeof(header));
	offset = load_u64(header + 40, swap);
	size = load_u64(header + 48, swap);
	strbuf_f(b, "\n\t\t\"header-version\": %d", memcmp(header, "PERFFILE", 8) != 0);
	if (fd >= 0 && !fstat(fd, &st) && gmtime_r(&st.st_mtime, &tm) &&
	    strftime(when, sizeof(when), "%FT%TZ", &tm))
		key_text(b, "captured-on", when);
	if (fd >= 0)
		close(fd);
	key_number(b, "data-offset", offset);
	key_number(b, "data-size", size);
	key_number(b, "feat-offset", offset + size);
}

static void put_clock(struct convert *c, struct strbuf *b)
{
	size_t size = 0;
	const u8 *clocks = data_feature(c->data, FEATURE_CLOCK_DATA, &size);
	bool swap = data_is_swapped(c->data);

	if (!clocks || size < 24)
		return;
	key_number(b, "clockid", load_u32(clocks + 4, swap));
	key_number(b, "clock-time", load_u64(clocks + 16, swap));
	key_number(b, "real-time", load_u64(clocks + 8, swap));
}

static void put_command(struct convert *c, struct strbuf *b)
{
	size_t argc = 0;
	const char *const *argv = data_cmdline(c->data, &argc);

	strbuf_str(b, ",\n\t\t\"cmdline\": [");
	for (size_t i = 0; argv && i < argc; i++) {
		strbuf_str(b, i ? ",\n\t\t\t" : "\n\t\t\t");
		json_text(b, argv[i]);
	}
	strbuf_str(b, "\n\t\t]");
}

static void put_headers(struct convert *c, struct strbuf *b)
{
	static const struct {
		unsigned feature;
		const char *key;
	} texts[] = {
		{ FEATURE_HOSTNAME, "hostname" }, { FEATURE_OSRELEASE, "os-release" },
		{ FEATURE_ARCH, "arch" },         { FEATURE_CPUDESC, "cpu-desc" },
		{ FEATURE_CPUID, "cpuid" },
	};
	size_t size = 0;
	const u8 *cpus = data_feature(c->data, FEATURE_NRCPUS, &size);
	bool swap = data_is_swapped(c->data), known = cpus && size >= 8;

	strbuf_str(b, "{\n\t\"linux-perf-json-version\": 1,\n\t\"headers\": {");
	put_file_header(c, b);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		key_text(b, texts[i].key, data_feature_string(c->data, texts[i].feature));
	key_number(b, "nrcpus-online", known ? load_u32(cpus + 4, swap) : 0);
	key_number(b, "nrcpus-avail", known ? load_u32(cpus, swap) : 0);
	put_clock(c, b);
	key_text(b, "perf-version", data_feature_string(c->data, FEATURE_VERSION));
	put_command(c, b);
	strbuf_str(b, "\n\t},\n\t\"samples\": [");
}

/* Writes the beginning with the first sample, when a stream's features and events are complete. */
static void put_begin(struct convert *c, struct json *j)
{
	if (j->begun)
		return;
	j->begun = true;
	put_headers(c, out_buf(&j->out));
	c->formats = data_tracepoints(c->data, NULL);
}

static void put_place(struct convert *c, u64 addr, u32 image, u64 offset, struct strbuf *b)
{
	strbuf_str(b, "\n\t\t\t\t{\n\t\t\t\t\t\"ip\": \"0x");
	strbuf_hex(b, addr);
	strbuf_char(b, '"');
	if (image) {
		const struct symbol_table *t = symbols_of(session_symbols(c->session), image);
		u32 number = symbol_find(t, offset);

		if (number != NO_SYMBOL) {
			strbuf_str(b, ",\n\t\t\t\t\t\"symbol\": ");
			json_text(b, symbol_get(t, number)->name);
			strbuf_str(b, ",\n\t\t\t\t\t\"dso\": ");
			json_text(b, image_get(session_images(c->session), image)->name);
		}
	}
	strbuf_str(b, "\n\t\t\t\t}");
}

/* Returns the text of a frame, which is made once for each distinct frame. */
static const char *frame_text(struct convert *c, struct json *j, frame_id id)
{
	while (j->frames.count <= id)
		vec_push(&j->frames, NULL);
	if (!j->frames.items[id]) {
		const struct frame *f = chain_frame(j->chains, id);
		struct strbuf text = STRBUF_INIT;

		put_place(c, f->addr, f->image, f->offset, &text);
		j->frames.items[id] = strbuf_detach(&text);
	}
	return j->frames.items[id];
}

static void put_chain(struct convert *c, struct json *j, const struct session_sample *s,
		      struct strbuf *b)
{
	const struct recorded_chain recorded = {
		.ips = s->sample->chain,
		.count = s->sample->chain_count,
		.unwound = s->sample->chain_unwound,
		.swap = data_is_swapped(c->data),
	};
	size_t count;
	const frame_id *frames;

	if (!s->sample->chain && !(s->sample->event->attr.sample_type & PERF_SAMPLE_CALLCHAIN)) {
		put_place(c, s->sample->ip, s->leaf.image, s->leaf.offset, b);
		return;
	}
	frames = chain_frames(j->chains, s->task, s->sample->cpumode, &recorded, &s->key, &count);
	for (size_t i = 0; i < count; i++) {
		if (i)
			strbuf_char(b, ',');
		strbuf_str(b, frame_text(c, j, frames[i]));
	}
}

static const struct event_keys *keys_of(struct json *j, const struct event *ev)
{
	struct event_keys *keys;
	struct strbuf name = STRBUF_INIT;

	while (j->keys.count <= ev->index)
		vec_push(&j->keys, (struct event_keys){ VEC_INIT });
	keys = &j->keys.items[ev->index];
	while (keys->fields.count < ev->format->field_count) {
		struct strbuf text = STRBUF_INIT;

		strbuf_clear(&name);
		field_name(ev->format, (u32)keys->fields.count, own_keys, &name);
		strbuf_str(&text, ",\n\t\t\t");
		json_text(&text, strbuf_cstr(&name));
		strbuf_str(&text, ": ");
		vec_push(&keys->fields, strbuf_detach(&text));
	}
	strbuf_release(&name);
	return keys;
}

static void put_fields(struct convert *c, struct json *j, const struct sample *s, struct strbuf *b)
{
	const struct tracepoint_format *f = s->event->format;
	const struct event_keys *keys;

	if (!f || !c->formats || !s->raw)
		return;
	keys = keys_of(j, s->event);
	for (u32 i = 0; i < f->field_count; i++) {
		strbuf_str(b, keys->fields.items[i]);
		strbuf_clear(&j->value);
		tracepoint_print_field(c->formats, &f->fields[i], s->raw, s->raw_size, &j->value);
		json_text(b, strbuf_cstr(&j->value));
	}
}

static void put_number(struct strbuf *b, const char *key, s64 value)
{
	strbuf_str(b, key);
	if (value < 0)
		strbuf_char(b, '-');
	strbuf_dec(b, value < 0 ? -(u64)value : (u64)value);
}

static int json_sample(struct convert *c, const struct session_sample *ss, struct reason *r)
{
	struct json *j = c->writer;
	const struct sample *s = ss->sample;
	struct strbuf *b = out_buf(&j->out);
	size_t from;

	put_begin(c, j);
	from = b->len;
	strbuf_str(b, c->samples > 1 ? ",\n\t\t{" : "\n\t\t{");
	put_number(b, "\n\t\t\t\"timestamp\": ", (s64)(s->id.time + (u64)c->tod_offset));
	put_number(b, ",\n\t\t\t\"pid\": ", (s32)s->id.pid);
	put_number(b, ",\n\t\t\t\"tid\": ", (s32)s->id.tid);
	if (s->id.cpu != UINT32_MAX)
		put_number(b, ",\n\t\t\t\"cpu\": ", s->id.cpu);
	strbuf_str(b, ",\n\t\t\t\"comm\": ");
	json_text(b, history_comm_text(session_history(c->session), ss->comm));
	strbuf_str(b, ",\n\t\t\t\"callchain\": [");
	put_chain(c, j, ss, b);
	strbuf_str(b, "\n\t\t\t]");
	put_fields(c, j, s, b);
	strbuf_str(b, "\n\t\t}");
	j->bytes += b->len - from;
	out_done(&j->out);
	return j->out.err ? reason_errno(r, j->out.err, "cannot write '%s'", c->s->to_json) : 0;
}

static int open_file(struct convert *c, struct json *j, struct reason *r)
{
	const char *path = c->s->to_json;

	if (!c->s->a.open.force && !file_access(path, F_OK) && !replace_is_stream(path)) {
		reason_set(r, EEXIST, "the output file '%s' exists", path);
		reason_hint(r, "--force replaces it");
		return -EEXIST;
	}
	return replace_begin(&j->file, path, 0666, REPLACE_ANY, r);
}

static int json_begin(struct convert *c, struct reason *r)
{
	struct json *j = c->writer = xcalloc(1, sizeof(*j));
	int err = 0;

	j->file = (struct replace)REPLACE_INIT;
	if (strcmp(c->s->to_json, "-") != 0)
		err = open_file(c, j, r);
	if (err) {
		free(j);
		return err;
	}
	out_init(&j->out, j->file.path ? j->file.fd : STDOUT_FILENO);
	j->chains = chains_new(session_history(c->session));
	return 0;
}

static int json_end(struct convert *c, bool whole, struct reason *r)
{
	struct json *j = c->writer;
	int err;

	if (whole) {
		put_begin(c, j);
		strbuf_str(out_buf(&j->out), "\n\t]\n}\n");
	}
	err = out_release(&j->out);
	if (err && err != -EPIPE)
		reason_errno(r, -err, "cannot write '%s'", c->s->to_json);
	else if (!err && whole && j->file.path)
		err = replace_end(&j->file, r);
	replace_drop(&j->file);
	c->bytes = j->bytes;
	vec_for_each(&j->frames, text)
		free(*text);
	vec_release(&j->frames);
	vec_for_each(&j->keys, keys) {
		vec_for_each(&keys->fields, text)
			free(*text);
		vec_release(&keys->fields);
	}
	vec_release(&j->keys);
	strbuf_release(&j->value);
	chains_free(j->chains);
	free(j);
	return err == -EPIPE ? 0 : err;
}

const struct convert_writer json_writer = { json_begin, json_sample, NULL, json_end };
