// SPDX-License-Identifier: GPL-2.0-or-later
/* The metadata of a CTF trace. Names of fields are those of Linux 6.1. */
#include <string.h>

#include "base/text.h"
#include "builtin/data/ctf.h"

unsigned ctf_size(enum ctf_type t)
{
	static const u8 sizes[] = { 1, 2, 4, 4, 8, 8, 4, 8, 0 };

	return sizes[t];
}

enum ctf_type ctf_field_type(const struct tracepoint_field *f)
{
	bool is_signed = f->flags & FIELD_SIGNED;
	u32 size = f->flags & FIELD_ARRAY ? f->element_size : f->size;

	if (f->flags & FIELD_STRING)
		return CTF_STRING;
	/* unsigned long is mostly an address */
	if (!is_signed && f->flags & (FIELD_LONG | FIELD_POINTER))
		return CTF_X64;
	if (size == 8)
		return is_signed ? CTF_S64 : CTF_U64;
	return is_signed ? CTF_S32 : CTF_U32;
}

u32 ctf_field_count(const struct tracepoint_field *f)
{
	if (f->flags & FIELD_STRING)
		return 1;
	if (f->flags & FIELD_DYNAMIC)
		return 0;
	/* a sample has at most 64 KiB, even if a damaged format says more */
	return f->flags & FIELD_ARRAY && f->element_size ? MIN(f->size / f->element_size, 65536U)
							 : 1;
}

bool ctf_is_bpf_output(const struct event *ev)
{
	return ev->attr.type == PERF_TYPE_SOFTWARE && ev->attr.config == PERF_COUNT_SW_BPF_OUTPUT;
}

static void put_type(struct strbuf *b, enum ctf_type t)
{
	static const char *const bases[] = { "10", "10", "10", "10", "10", "10", "16", "16" };

	if (t == CTF_STRING)
		strbuf_str(b, "\t\tstring { encoding = UTF8; } ");
	else
		strbuf_f(b, "\t\tinteger { size = %u; align = 8; signed = %s; base = %s; } ",
			 ctf_size(t) * 8, t == CTF_S32 || t == CTF_S64 ? "true" : "false",
			 bases[t]);
}

static void put_field(struct strbuf *b, enum ctf_type t, const char *name)
{
	put_type(b, t);
	strbuf_f(b, "%s;\n", name);
}

static void put_sequence(struct strbuf *b, enum ctf_type t, const char *name, const char *length)
{
	put_field(b, CTF_U32, length);
	put_type(b, t);
	strbuf_f(b, "%s[%s];\n", name, length);
}

/* Adds an identifier. Keywords of the language get an underscore, which readers remove. */
static void put_identifier(const struct tracepoint_format *f, u32 field, struct strbuf *out)
{
	static const char *const keywords[] = {
		"align",  "callsite", "clock",     "const",          "char",     "double",
		"enum",   "env",      "event",     "floating_point", "float",    "integer",
		"int",    "long",     "short",     "signed",         "stream",   "string",
		"struct", "trace",    "typealias", "typedef",        "unsigned", "variant",
		"void",   "_Bool",    "_Complex",  "_Imaginary",
	};
	const char *name = f->fields[field].name;
	size_t from = out->len;

	for (size_t i = 0; i < ARRAY_SIZE(keywords); i++)
		if (!strcmp(name, keywords[i]))
			strbuf_char(out, '_');
	field_name(f, field, NULL, out);
	for (char *p = out->s + from; *p; p++)
		if (!(*p == '_' || (*p >= '0' && *p <= '9') ||
		      ((*p | 32) >= 'a' && (*p | 32) <= 'z')))
			*p = '_';
}

static void put_tracepoint(struct strbuf *b, const struct tracepoint_format *f)
{
	struct strbuf name = STRBUF_INIT, length = STRBUF_INIT;

	for (u32 i = 0; i < f->field_count; i++) {
		u32 count = ctf_field_count(&f->fields[i]);
		enum ctf_type t = ctf_field_type(&f->fields[i]);

		strbuf_clear(&name);
		strbuf_clear(&length);
		put_identifier(f, i, &name);
		strbuf_f(&length, "__%s_length", strbuf_cstr(&name));
		if (!count) {
			put_sequence(b, t, strbuf_cstr(&name), strbuf_cstr(&length));
		} else if (f->fields[i].flags & FIELD_ARRAY && t != CTF_STRING) {
			put_type(b, t);
			strbuf_f(b, "%s[%u];\n", strbuf_cstr(&name), count);
		} else {
			put_field(b, t, strbuf_cstr(&name));
		}
	}
	strbuf_release(&name);
	strbuf_release(&length);
}

static void put_generic(struct strbuf *b, u64 type)
{
	if (type & PERF_SAMPLE_IP)
		put_field(b, CTF_X64, "perf_ip");
	if (type & PERF_SAMPLE_TID) {
		put_field(b, CTF_S32, "perf_tid");
		put_field(b, CTF_S32, "perf_pid");
	}
	if (type & (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER))
		put_field(b, CTF_U64, "perf_id");
	if (type & PERF_SAMPLE_STREAM_ID)
		put_field(b, CTF_U64, "perf_stream_id");
	if (type & PERF_SAMPLE_PERIOD)
		put_field(b, CTF_U64, "perf_period");
	if (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
		put_field(b, CTF_U64, "perf_weight");
	if (type & PERF_SAMPLE_DATA_SRC)
		put_field(b, CTF_U64, "perf_data_src");
	if (type & PERF_SAMPLE_TRANSACTION)
		put_field(b, CTF_U64, "perf_transaction");
}

static void quoted(struct strbuf *b, const char *s)
{
	strbuf_char(b, '"');
	for (; *s; s++) {
		if ((unsigned char)*s < 32 || *s == 127) {
			strbuf_f(b, "\\x%02x", (unsigned char)*s);
			continue;
		}
		if (*s == '"' || *s == '\\')
			strbuf_char(b, '\\');
		strbuf_char(b, *s);
	}
	strbuf_char(b, '"');
}

static void begin_event(struct strbuf *b, u32 id, const char *name)
{
	strbuf_f(b, "event {\n\tid = %u;\n\tname = ", id);
	quoted(b, name);
	strbuf_str(b, ";\n\tstream_id = 0;\n\tfields := struct {\n");
}

static void end_event(struct strbuf *b)
{
	strbuf_str(b, "\t} align(8);\n};\n\n");
}

static void put_event(struct convert *c, struct strbuf *b, const struct event *ev)
{
	begin_event(b, ev->index, ev->name);
	put_generic(b, ev->attr.sample_type);
	if (ev->attr.sample_type & PERF_SAMPLE_CALLCHAIN)
		put_sequence(b, CTF_X64, "perf_callchain", "perf_callchain_size");
	if (event_is_tracepoint(ev) && ev->format && c->formats)
		put_tracepoint(b, ev->format);
	if (ctf_is_bpf_output(ev))
		put_sequence(b, CTF_X32, "raw_data", "raw_len");
	end_event(b);
}

/* Adds the records of --all, numbered after the events. */
static void put_others(struct strbuf *b, u32 first)
{
	static const char *const names[] = { "perf_comm", "perf_exit", "perf_fork", "perf_mmap",
					     "perf_mmap2" };
	static const char *const tasks[] = { "pid", "ppid", "tid", "ptid" };

	for (u32 i = 0; i < CTF_OTHERS; i++) {
		begin_event(b, first + i, names[i]);
		if (i == CTF_EXIT || i == CTF_FORK) {
			for (size_t k = 0; k < ARRAY_SIZE(tasks); k++)
				put_field(b, CTF_U32, tasks[k]);
			put_field(b, CTF_U64, "time");
		} else {
			put_field(b, CTF_U32, "pid");
			put_field(b, CTF_U32, "tid");
			if (i != CTF_COMM)
				put_field(b, CTF_X64, "start");
			put_field(b, CTF_STRING, i == CTF_COMM ? "comm" : "filename");
		}
		end_event(b);
	}
}

static void put_uuid(struct strbuf *b, const u8 uuid[16])
{
	for (int i = 0; i < 16; i++)
		strbuf_f(b, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
}

static void put_trace(struct strbuf *b, const u8 uuid[16])
{
	const u16 one = 1;
	bool little = *(const u8 *)&one;

	strbuf_str(b, "/* CTF 1.8 */\n\ntrace {\n\tmajor = 1;\n\tminor = 8;\n\tuuid = \"");
	put_uuid(b, uuid);
	strbuf_f(b, "\";\n\tbyte_order = %s;\n\tpacket.header := struct {\n", little ? "le" : "be");
	put_field(b, CTF_U32, "magic");
	put_field(b, CTF_U8, "uuid[16]");
	put_field(b, CTF_U32, "stream_id");
	strbuf_str(b, "\t} align(8);\n};\n\n");
}

static void put_env(struct convert *c, struct strbuf *b)
{
	static const struct {
		unsigned feature;
		const char *name;
	} texts[] = { { FEATURE_HOSTNAME, "host" },
		      { FEATURE_OSRELEASE, "release" },
		      { FEATURE_VERSION, "version" },
		      { FEATURE_ARCH, "machine" } };

	strbuf_str(b, "env {\n\tsysname = \"Linux\";\n");
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		const char *text = data_feature_string(c->data, texts[i].feature);

		strbuf_f(b, "\t%s = ", texts[i].name);
		quoted(b, text ? text : "");
		strbuf_str(b, ";\n");
	}
	strbuf_str(b, "\tdomain = \"kernel\";\n\ttracer_name = \"perf\";\n};\n\n");
}

static void put_clock(const struct convert *c, struct strbuf *b)
{
	s64 seconds = c->tod_offset / 1000000000, rest = c->tod_offset % 1000000000;

	strbuf_f(b,
		 "clock {\n\tname = perf_clock;\n\tdescription = \"%s\";\n\tfreq = 1000000000;\n"
		 "\tprecision = 10;\n\toffset_s = %" PRId64 ";\n\toffset = %" PRId64
		 ";\n\tabsolute = FALSE;\n};\n\n",
		 c->s->tod ? "wall clock" : "perf clock", seconds, rest);
}

static void put_stream(struct strbuf *b)
{
	static const char *const context[] = { "timestamp_begin", "timestamp_end", "content_size",
					       "packet_size", "events_discarded" };

	strbuf_str(b, "stream {\n\tid = 0;\n\tevent.header := struct {\n");
	put_field(b, CTF_U32, "id");
	strbuf_str(b, "\t\tinteger { size = 64; align = 8; signed = false; map = "
		      "clock.perf_clock.value; } timestamp;\n"
		      "\t} align(8);\n\tpacket.context := struct {\n");
	for (size_t i = 0; i < ARRAY_SIZE(context); i++)
		put_field(b, CTF_U64, context[i]);
	put_field(b, CTF_U32, "cpu_id");
	strbuf_str(b, "\t} align(8);\n};\n\n");
}

void ctf_metadata(struct convert *c, const u8 uuid[16], struct strbuf *b)
{
	const struct event_set *set = session_events(c->session);

	put_trace(b, uuid);
	put_env(c, b);
	put_clock(c, b);
	put_stream(b);
	vec_for_each(&set->list, ev)
		put_event(c, b, *ev);
	if (c->s->all)
		put_others(b, (u32)set->list.count);
}
