// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes one recording from another: opens, drives, closes. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/replace.h"
#include "base/text.h"
#include "data/stack_ends.h"
#include "data/times.h"
#include "rewrite/internal.h"
#include "spe/decode.h"
#include "tracepoint/tracepoint.h"

enum { BUFFER = 1 << 18 }; /* bytes of records to collect before a write */

static int write_out(struct rewriter *w, struct reason *r)
{
	int err = w->buf.len ? data_write(w->writer, w->buf.s, w->buf.len, r) : 0;

	strbuf_clear(&w->buf);
	return err;
}

/* Writes the records when the buffer is full. In order of time a round may end anywhere. */
static int write_when_full(struct rewriter *w, struct reason *r)
{
	if (w->buf.len < BUFFER)
		return 0;
	if (w->in_order && !w->from_stream && !w->no_rounds) {
		record_build_finished_round(&w->buf);
		if (w->in->swap)
			data_turn_header(w->buf.s + w->buf.len - sizeof(struct record_header));
	}
	return write_out(w, r);
}

/* Reports whether a writer itself writes such records, in its own form. */
static bool of_a_header(const struct rewriter *w, u32 type)
{
	return type == PERF_RECORD_HEADER_ATTR || type == PERF_RECORD_HEADER_EVENT_TYPE ||
	       type == PERF_RECORD_HEADER_TRACING_DATA || type == PERF_RECORD_HEADER_BUILD_ID ||
	       type == PERF_RECORD_HEADER_FEATURE ||
	       (type == PERF_RECORD_EVENT_UPDATE && w->to_stream);
}

static int put_payload(struct rewriter *w, const struct record *rec, struct reason *r)
{
	struct data_chunk c;
	int err = write_out(w, r);

	if (err)
		return err;
	err = data_payload(w->reader, rec, &c, r);
	if (err)
		return err;
	err = data_write_auxtrace(w->writer, rec, c.data, c.size, r);
	data_chunk_release(&c);
	return err;
}

/*
 * Refuses instruction traces that cannot be decoded, instead of losing them silently. Returns
 * -ENOTSUP with a reason.
 */
static int refuse_traces(struct rewriter *w, const struct record *rec, struct reason *r)
{
	static const char *const kinds[] = {
		"",
		"Intel PT",
		"Intel BTS",
		"Arm CoreSight",
		"Arm SPE",
		"s390 CPU measurement",
		"HiSilicon PTT",
		"RISC-V trace",
	};
	u32 kind = rec->size >= 12 ? load_u32(rec->data + 8, w->in->swap) : 0;

	reason_set(r, ENOTSUP,
		   "'%s' holds instruction traces (%s), which this perf does not decode",
		   data_path(w->reader),
		   kind && kind < ARRAY_SIZE(kinds) ? kinds[kind] : "unknown");
	reason_hint(r, "'perf inject' of linux-perf decodes them");
	return -ENOTSUP;
}

static bool is_map(u32 type)
{
	return type == PERF_RECORD_MMAP || type == PERF_RECORD_MMAP2;
}

static void put_map(struct rewriter *w, const struct record *rec)
{
	u8 mode = rec->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	bool kernel = mode == PERF_RECORD_MISC_KERNEL || mode == PERF_RECORD_MISC_GUEST_KERNEL;

	if (w->s->maps == MAPS_ALL_WITH_ID || kernel)
		maps_put_record(w, rec);
	/* MAPS_HIT_WITH_ID: they come with their first samples */
}

static int on_record(void *arg, const struct record *rec, const struct order_key *key,
		     struct reason *r)
{
	struct rewriter *w = arg;

	if (of_a_header(w, rec->type) && !data_is_time(rec, w->in->swap))
		return 0;
	if (w->guest) {
		int err = guest_before(w, rec, key->time, r);

		if (err)
			return err;
	}
	if (w->jit) {
		bool drop = false;
		int err;

		err = jit_before(w, key->time, r);
		if (!err)
			err = jit_take_record(w, rec, &drop, r);
		if (err || drop)
			return err;
	}
	if (rec->type == PERF_RECORD_FINISHED_ROUND) {
		if (w->no_rounds || (w->in_order && !w->from_stream))
			return 0;
		strbuf_add(&w->buf, rec->data, rec->size);
		return write_out(w, r);
	}
	if (is_map(rec->type) && w->from_stream && w->s->build_ids_all)
		maps_note_record(w, rec);
	if (rec->type == PERF_RECORD_AUXTRACE_INFO && w->s->decode_traces)
		return refuse_traces(w, rec, r);
	if (w->aslr && aslr_take_record(w, rec, key))
		return write_when_full(w, r);
	if (rec->type == PERF_RECORD_AUXTRACE)
		return put_payload(w, rec, r);
	if (is_map(rec->type) && w->s->maps)
		put_map(w, rec);
	else
		strbuf_add(&w->buf, rec->data, rec->size);
	return write_when_full(w, r);
}

static int on_sample(void *arg, unsigned worker, const struct session_sample *s, struct reason *r)
{
	struct rewriter *w = arg;

	(void)worker;
	if (w->guest) {
		int err = guest_before(w, s->record, s->key.time, r);

		if (err)
			return err;
	}
	if (w->jit) {
		int err = jit_before(w, s->key.time, r);

		if (!err)
			err = jit_touch(w, s, r);
		if (err)
			return err;
	}
	if (w->from_stream && w->s->build_ids)
		hits_note(w, s);
	if (w->s->maps == MAPS_HIT_WITH_ID)
		maps_put_hits(w, s);
	if (w->s->strip || (w->sched && sched_take(w, s)))
		return write_when_full(w, r);
	if (w->aslr)
		aslr_put_sample(w, s);
	else if (w->s->convert_chains && rewrite_has_stack(&s->sample->event->attr))
		rewrite_chain(w->in, s->record, s->sample, &w->buf);
	else
		strbuf_add(&w->buf, s->record->data, s->record->size);
	return write_when_full(w, r);
}

/* Reports whether a section describes how the input was written, not what it holds. */
static bool of_the_form(unsigned feature)
{
	return feature == FEATURE_BUILD_ID || feature == FEATURE_COMPRESSED ||
	       feature == FEATURE_DIR_FORMAT || feature == FEATURE_AUXTRACE;
}

static void copy_tracing_data(struct rewriter *w, const void *section, size_t size)
{
	struct strbuf b = STRBUF_INIT;

	if (!w->s->aslr)
		data_feature_copy(w->writer, FEATURE_TRACING_DATA, section, size);
	else if (!tracing_data_without_addresses(section, size, &b, NULL))
		data_feature_copy(w->writer, FEATURE_TRACING_DATA, b.s, b.len);
	strbuf_release(&b);
}

static void copy_features(struct rewriter *w)
{
	bool described = data_has_feature(w->reader, FEATURE_EVENT_DESC);

	for (unsigned i = FEATURE_TRACING_DATA; i < FEATURE_BITS; i++) {
		const void *section;
		size_t size;

		if (of_the_form(i) || !data_has_feature(w->reader, i) ||
		    (w->s->aslr &&
		     i == FEATURE_BPF_PROG_INFO)) /* code of programs, with their addresses */
			continue;
		section = data_feature(w->reader, i, &size);
		if (section && i == FEATURE_TRACING_DATA) {
			copy_tracing_data(w, section, size);
			continue;
		}
		if (section || i == FEATURE_BRANCH_STACK)
			data_feature_copy(w->writer, i, section ? section : "", section ? size : 0);
	}
	if (!described || w->s->convert_chains || w->s->aslr || w->guest)
		data_set_events(w->writer, &w->out);
}

/* Copies the input's own list, unless a new one is made. */
static void keep_build_ids(struct rewriter *w)
{
	struct strbuf b = STRBUF_INIT;
	size_t n;
	const struct data_build_id *ids = data_build_ids(w->reader, &n);

	for (size_t i = 0; i < n; i++) {
		const struct build_id *known = known_find(&w->known, ids[i].name);

		data_build_id_add(&b, ids[i].misc, ids[i].pid, known ? known->id : ids[i].id,
				  known ? known->size : ids[i].size, ids[i].name);
	}
	guest_add_build_ids(w, &b);
	strbuf_add(&b, w->found.s, w->found.len);
	if (b.len)
		data_feature_set(w->writer, FEATURE_BUILD_ID, b.s, b.len);
	strbuf_release(&b);
}

/* Finds the build-ids of a file before its records; in a stream they come with the samples. */
static int find_build_ids(struct rewriter *w, struct reason *r)
{
	const struct rewrite_objects o = {
		.ids = true,
		.all = w->s->build_ids_all,
		.known = &w->known,
		.kernel = w->kernel.size ? &w->kernel : NULL,
		.guestmount = w->s->guestmount,
	};

	if (w->from_stream)
		return 0;
	if (w->s->build_ids || w->s->build_ids_all)
		rewrite_find_objects(w->ctx, w->writer, w->s->input, &o);
	else
		keep_build_ids(w);
	return data_send_build_ids(w->writer, r);
}

/* Attrs as they will be; the reader's own set goes on decoding. */
static int make_events(struct rewriter *w, struct reason *r)
{
	size_t stacks = 0;

	event_set_init(&w->out);
	vec_for_each(&w->in->list, it) {
		struct event *ev = event_set_copy(&w->out, *it);

		vec_for_each(&(*it)->ids, id)
			event_set_add_id(&w->out, ev, *id);
		stacks += rewrite_has_stack(&ev->attr);
		if (w->s->convert_chains)
			rewrite_chain_attr(&ev->attr);
		if (w->s->aslr)
			aslr_attr(&ev->attr);
	}
	vec_for_each(&w->in->list, it) {
		struct event *ev = w->out.list.items[(*it)->index];

		ev->leader = w->out.list.items[(*it)->leader->index];
		ev->members = (*it)->members;
	}
	guest_add_events(w);
	if ((!w->s->convert_chains && !w->needs_stacks) || stacks)
		return 0;
	reason_set(r, EINVAL, "'%s' holds no copies of user stacks to convert",
		   data_path(w->reader));
	reason_hint(r, "record with --call-graph dwarf");
	return -EINVAL;
}

static struct session_ops plan(struct rewriter *w)
{
	const struct rewrite_settings *s = w->s;
	bool ids = w->from_stream && s->build_ids;
	bool places = s->convert_chains || s->aslr || ids || s->maps == MAPS_HIT_WITH_ID;
	struct stat st;
	bool directory = !stat(s->input, &st) && S_ISDIR(st.st_mode);

	w->in_order = directory || s->jit || s->guest_data || s->merge_sched ||
		      s->maps == MAPS_HIT_WITH_ID || (places && w->from_stream);
	return (struct session_ops){
		.order = w->in_order ? SESSION_ORDERED : SESSION_FILE_ORDER,
		.sample = on_sample,
		.record = on_record,
		.want = { ~0ULL, ~0ULL },
		.whole_samples = true,
		.no_tasks = !places,
		.no_locations = !places,
		.no_chains = !s->convert_chains && (s->aslr || !places),
	};
}

/*
 * Writes why stacks ended, because chains do not show it, unlike the copies that they were made
 * from.
 */
static void write_stack_ends(struct rewriter *w)
{
	struct data_stack_ends out = { .mode = "dwarf" };
	struct session_stack_end *ends;
	size_t n = session_stack_ends(w->session, &ends);

	vec_for_each(&w->in->list, ev)
		out.bytes = MAX(out.bytes, (*ev)->attr.sample_stack_user);
	for (size_t i = 0; i < n; i++)
		vec_push(&out.list, (struct data_stack_end){ ends[i].count, ends[i].why,
							     session_stack_is_whole(ends[i].end)
								     ? ""
								     : ends[i].object });
	data_set_stack_ends(w->writer, &out);
	vec_release(&out.list);
	free(ends);
}

static int convert(struct rewriter *w, struct reason *r)
{
	struct session_ops ops = plan(w);
	int err;

	copy_features(w);
	err = data_write_header(w->writer, &w->out, r);
	if (!err)
		err = find_build_ids(w, r);
	if (!err)
		err = w->guest ? guest_begin(w, r) : 0;
	if (!err)
		err = session_run(w->session, &ops, w, r);
	if (!err && w->guest)
		err = guest_end(w, r);
	if (!err && w->jit)
		jit_end(w);
	if (!err)
		err = write_out(w, r);
	if (!err && w->s->convert_chains)
		write_stack_ends(w);
	/* the whole stream has been read, so its features are known */
	if (!err && w->from_stream)
		keep_build_ids(w);
	return err;
}

static int open_input(struct rewriter *w, struct reason *r)
{
	struct session_options o = { .input = w->s->input,
				     .force = w->s->force,
				     .unwind = w->s->unwind };
	int err;

	o.no_jitdumps = true; /* --jit writes their content into the recording */
	o.symbols.buildid_dir = w->ctx->buildid_dir;
	o.symbols.symfs = w->ctx->symfs;
	if (data_refuse_same(w->s->input, w->s->output, r))
		return -EINVAL;
	o.data = w->s->stream;
	err = session_open(w->ctx, &o, &w->session, r);
	if (err)
		return err;
	w->reader = session_data(w->session);
	w->in = session_events(w->session);
	w->from_stream = data_is_pipe(w->reader) || !strcmp(w->s->input, "-");
	w->to_stream = !strcmp(w->s->output, "-");
	w->files = (struct image_files){
		.images = session_images(w->session),
		.history = session_history(w->session),
		.known = &w->known,
		.kernel = w->kernel.size ? &w->kernel : NULL,
		.guestmount = w->s->guestmount,
	};
	if (w->s->aslr)
		aslr_start(w);
	if (w->s->merge_sched) {
		err = sched_start(w, r);
		if (err)
			return err;
	}
	err = guest_start(w, r);
	return err ? err : make_events(w, r);
}

static int write_output(struct rewriter *w, struct reason *r)
{
	int err = data_create_whole(w->ctx, w->s->output, &w->writer, r);

	if (err)
		return err;
	if (data_is_swapped(w->reader))
		data_set_other_order(w->writer);
	err = convert(w, r);
	if (err)
		data_abandon(w->writer);
	else
		err = data_finish(w->writer, r);
	return err;
}

static int run_once(struct context *ctx, const struct rewrite_settings *s, bool needs_stacks,
		    struct reason *r)
{
	struct rewriter w = { .ctx = ctx, .s = s, .needs_stacks = needs_stacks };
	int err = s->known ? known_parse(&w.known, s->known, r) : 0;

	if (!err)
		err = kernel_named(s, &w.kernel, r);
	if (s->jit)
		jit_start(&w);
	if (!err)
		err = open_input(&w, r);
	if (!err)
		err = write_output(&w, r);
	hits_release(&w);
	jit_release(&w);
	sched_release(&w);
	aslr_release(&w);
	guest_release(&w);
	maps_release(&w);
	image_files_release(&w.files);
	event_set_release(&w.out);
	session_free(w.session);
	known_release(&w.known);
	strbuf_release(&w.buf);
	return err;
}

static bool is_stream(const char *output)
{
	return !strcmp(output, "-") || replace_is_stream(output);
}

/* Opens a file without a name in the directory of an output, or in TMPDIR for a stream. */
static int open_between(const char *output, struct reason *r)
{
	char *dir = is_stream(output)
			    ? NULL
			    : xasprintf("%.*s.", (int)(path_base(output) - output), output);
	int fd = temporary_unnamed(dir);

	if (fd < 0) {
		reason_errno(r, -fd, "cannot make a temporary file in '%s'", dir ? dir : "TMPDIR");
		reason_hint(r, "name a file in a directory that you may write to with -o");
	}
	free(dir);
	return fd;
}

/*
 * Inserts the mappings of jitdump files first, into another file, because everything that looks up
 * addresses needs them.
 */
static int run_after_jit(struct context *ctx, const struct rewrite_settings *s, struct reason *r)
{
	struct rewrite_settings first = { .input = s->input,
					  .force = s->force,
					  .jit = true,
					  .objects = s->objects },
				second = *s;
	char between[40];
	int err, fd = open_between(s->output, r);

	if (fd < 0)
		return fd;
	snprintf(between, sizeof(between), "/proc/self/fd/%d", fd);
	first.output = second.input = between;
	second.jit = second.force = false;
	err = run_once(ctx, &first, s->convert_chains, r);
	if (!err)
		err = run_once(ctx, &second, false, r);
	close(fd);
	return err;
}

static int run_all(struct context *ctx, const struct rewrite_settings *s, struct reason *r)
{
	bool ids = (s->build_ids || s->build_ids_all) && strcmp(s->input, "-");

	return s->jit && (s->convert_chains || s->aslr || s->maps || ids)
		       ? run_after_jit(ctx, s, r)
		       : run_once(ctx, s, false, r);
}

/*
 * Decodes traces. Opens a stream here; if there is nothing to decode, the changes continue with it.
 */
static int decode(struct context *ctx, struct rewrite_settings *s, char **decoded, struct reason *r)
{
	unsigned wanted = s->traces | (s->strip ? SPE_ALONE : 0);
	struct stat st;
	int err;

	if (strcmp(s->input, "-") || (!fstat(STDIN_FILENO, &st) && S_ISREG(st.st_mode)))
		return spe_decode_file(ctx, s->input, s->force, wanted, decoded, r);
	err = data_open(ctx, s->input, s->force, &s->stream, r);
	if (!err)
		err = spe_decode_stream(ctx, s->stream, wanted, decoded, r);
	if (err || *decoded) {
		data_close(s->stream);
		s->stream = NULL;
	}
	return err;
}

int rewrite_recording(struct context *ctx, const struct rewrite_settings *s, struct reason *r)
{
	struct rewrite_settings own = *s;
	char *decoded = NULL;
	int err = s->decode_traces ? decode(ctx, &own, &decoded, r) : 0;

	if (decoded) {
		own.input = decoded;
		own.decode_traces = false;
		own.strip = false;
		own.force = true;
	}
	if (own.jit)
		own.objects = jit_objects_new(own.output, is_stream(own.output));
	if (!err)
		err = run_all(ctx, &own, r);
	jit_objects_free(own.objects, err);
	spe_remove(decoded);
	return err;
}
