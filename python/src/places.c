// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is at the addresses of an evlist's samples: objects, mappings, functions.
 *
 * Nothing is read before the first request. Then the kernel's mappings come from /proc, and those
 * of a process at the first request for it. From then on the records of the rings keep them up to
 * date. A process that has ended before its first request stays unknown.
 */
#include "live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/annotate.h"
#include "live/live.h"
#include "object/buildid.h"
#include "profile/insn.h"
#include "symbol/srcline.h"
#include "symbol/symbol.h"
#include "synth/synth.h"

struct places {
	struct context ctx;
	struct image_table *images;
	struct history *history;
	struct symbol_store *symbols;
	struct event_set set; /* one event, by which the records from /proc are made and read */
	struct map64 pids;    /* those whose mappings were read */
	u64 position;         /* of the last record */
	struct insn_reader *instructions; /* NULL until one is requested */
	struct line_store *lines;         /* the same */
	PyObject *sources;                /* as struct run has it */
};

static struct order_key key_now(const struct places *p)
{
	return (struct order_key){ .position = p->position };
}

void places_apply(struct places *p, const struct event_set *set, const struct record *rec)
{
	struct order_key key;

	if (!p || !history_wants(rec->type))
		return;
	p->position++;
	key = key_now(p);
	history_apply(p->history, set, rec, &key, NULL); /* ignores a damaged one */
}

static void apply_all(struct places *p, const struct strbuf *records)
{
	struct record_header h;

	for (size_t at = 0; at + sizeof(h) <= records->len; at += h.size) {
		const u8 *data = (const u8 *)records->s + at;
		struct record rec;

		memcpy(&h, data, sizeof(h));
		if (h.size < sizeof(h) || h.size > records->len - at)
			return;
		rec = (struct record){
			.type = h.type, .misc = h.misc, .size = h.size, .data = data
		};
		places_apply(p, &p->set, &rec);
	}
}

static struct places *new_places(void)
{
	const struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					      .size = ATTR_SIZE_VER7,
					      .config = 9 /* dummy */,
					      .flags = ATTR_SAMPLE_ID_ALL,
					      .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME };
	struct places *p = xcalloc(1, sizeof(*p));
	const char *home = getenv("HOME"), *dir = getenv("PERF_BUILDID_DIR");
	struct symbol_options options = { .symfs = "" };
	struct strbuf records = STRBUF_INIT;
	const struct event *ev;

	p->ctx.symfs = "";
	p->ctx.buildid_dir = dir    ? xstrdup(strcmp(dir, "/dev/null") ? dir : "")
			     : home ? xasprintf("%s/.debug", home)
				    : xstrdup("");
	options.buildid_dir = p->ctx.buildid_dir;
	p->images = image_table_new();
	p->history = history_new(&p->ctx, p->images);
	p->symbols = symbol_store_new(&p->ctx, p->images, &options);
	event_set_init(&p->set);
	ev = event_set_add(&p->set, &attr, "dummy");
	if (!event_set_finish(&p->set, NULL) && !synth_kernel(&records, ev, NULL))
		apply_all(p, &records);
	strbuf_release(&records);
	return p;
}

struct places *places_of(struct places **slot)
{
	if (!*slot)
		*slot = new_places();
	return *slot;
}

void places_free(struct places *p)
{
	if (!p)
		return;
	Py_XDECREF(p->sources);
	insn_reader_free(p->instructions);
	line_store_free(p->lines);
	symbol_store_free(p->symbols);
	history_free(p->history);
	image_table_free(p->images);
	event_set_release(&p->set);
	map64_release(&p->pids);
	condition_list_release(&p->ctx.conditions);
	free((char *)p->ctx.buildid_dir);
	free(p);
}

/* Reads the current mappings of a process. */
static void read_process(struct places *p, s32 pid)
{
	struct target target = { 0 };
	struct strbuf records = STRBUF_INIT;
	char text[16];

	snprintf(text, sizeof(text), "%d", pid);
	if (!target_add_pids(&target, text, NULL) &&
	    !synth_tasks(&p->ctx, &records, p->set.list.items[0], &target, NULL, NULL))
		apply_all(p, &records);
	strbuf_release(&records);
	target_release(&target);
}

static bool locate(struct places *p, const struct place_asked *q, struct location *out)
{
	struct order_key key = key_now(p);
	const struct task *task = history_task(p->history, 0, (u32)q->pid, (u32)q->tid, &key);

	*out = (struct location){ .image = 0 };
	return history_locate(p->history, task, q->cpumode, q->ip, &key, out) && out->image;
}

static bool find(struct places *p, const struct place_asked *q, struct location *out)
{
	bool added = false;

	if (q->cpumode == PERF_RECORD_MISC_USER && q->pid > 0) {
		map64_put(&p->pids, (u64)q->pid, &added);
		if (added)
			read_process(p, q->pid);
	}
	if (locate(p, q, out))
		return true;
	if (added || q->cpumode != PERF_RECORD_MISC_USER || q->pid <= 0)
		return false;
	read_process(p, q->pid); /* mapped since, and the event writes no records of mappings */
	return locate(p, q, out);
}

static PyObject *build_id_object(const struct image *im)
{
	struct build_id id = im->build_id;
	char buf[41];

	if (!id.size && im->kind == IMAGE_ELF && build_id_of_file(im->path, &id, NULL))
		id.size = 0;
	return id.size ? text_object(build_id_text(&id, buf)) : Py_NewRef(Py_None);
}

static PyObject *symbol_object(struct places *p, const struct location *l, enum place_part part)
{
	const struct symbol_table *table = symbols_of(p->symbols, l->image);
	u32 number = symbol_find(table, l->offset);
	const struct symbol *sym = number == NO_SYMBOL ? NULL : symbol_get(table, number);

	if (!sym)
		return Py_NewRef(Py_None);
	return part == PLACE_SYMBOL
		       ? text_object(sym->name)
		       : PyLong_FromUnsignedLongLong(part == PLACE_SYM_START ? sym->start
									     : symbol_end(sym));
}

PyObject *places_part(struct places *p, const struct place_asked *q, enum place_part part)
{
	const struct image *im;
	struct location l;

	if (!find(p, q, &l) || !l.mapping)
		return Py_NewRef(Py_None);
	im = image_get(p->images, l.image);
	switch (part) {
	case PLACE_DSO:
		return text_object(image_script_name(im));
	case PLACE_DSO_PATH:
		return text_object(im->path);
	case PLACE_BUILD_ID:
		return build_id_object(im);
	case PLACE_MAP_START:
		return PyLong_FromUnsignedLongLong(l.mapping->start);
	case PLACE_MAP_END:
		return PyLong_FromUnsignedLongLong(l.mapping->end);
	case PLACE_MAP_PGOFF:
		return PyLong_FromUnsignedLongLong(l.mapping->pgoff);
	default:
		return symbol_object(p, &l, part);
	}
}

PyObject *places_instruction(struct places *p, const struct place_asked *q)
{
	const struct annotate_settings set = { .no_source = true,
					       .arch_of_host = true,
					       .history = p->history };
	const u8 *bytes = NULL;
	struct location l;
	u32 size;

	if (find(p, q, &l)) {
		if (!p->instructions)
			p->instructions =
				insn_reader_of(annotator_new(&p->ctx, p->images, p->symbols, &set));
		bytes = insn_read(p->instructions, l.image, l.offset, &size);
	}
	return bytes ? PyBytes_FromStringAndSize((const char *)bytes, size) : Py_NewRef(Py_None);
}

PyObject *places_source(struct places *p, const struct place_asked *q)
{
	struct location l = { .image = 0 };

	if (!find(p, q, &l))
		l.image = 0;
	if (l.image && !p->lines)
		p->lines = line_store_new(p->symbols, NULL);
	return source_object(p->lines, &p->sources, l.image, l.offset);
}
