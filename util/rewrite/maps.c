// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Mappings with their build-ids.
 *
 * MMAP2: header 8, pid, tid, start, len, pgoff: 40 bytes. Then 24 that hold device and inode, or
 * (by MISC_MMAP_BUILD_ID) u8 size, 3 bytes, 20 of build-id. Then prot, flags; name, padded to 8;
 * sample_id. MMAP has the name after pgoff.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "object/locate.h"
#include "rewrite/internal.h"

enum { MMAP_FIXED = 40, MMAP2_FIXED = 72, ID_BYTES = 24 };

static void add32(struct strbuf *b, u32 v, bool swap)
{
	v = load_u32(&v, swap);
	strbuf_add(b, &v, sizeof(v));
}

static void add64(struct strbuf *b, u64 v, bool swap)
{
	v = load_u64(&v, swap);
	strbuf_add(b, &v, sizeof(v));
}

static void put_mmap2(struct strbuf *b, const struct map_text *m, u16 misc, bool swap,
		      const void *tail, size_t tail_size)
{
	size_t start = b->len, name = strlen(m->name) + 1;
	bool has_id = m->id && m->id->size;
	u16 half;

	add32(b, PERF_RECORD_MMAP2, swap);
	half = has_id ? (u16)(misc | PERF_RECORD_MISC_MMAP_BUILD_ID) : misc;
	half = load_u16(&half, swap);
	strbuf_add(b, &half, 2);
	strbuf_add(b, &half, 2); /* the size follows below */
	add32(b, m->pid, swap);
	add32(b, m->tid, swap);
	add64(b, m->start, swap);
	add64(b, m->len, swap);
	add64(b, m->pgoff, swap);
	if (has_id) {
		u8 id[ID_BYTES] = { m->id->size };

		memcpy(id + 4, m->id->id, MIN(m->id->size, sizeof(m->id->id)));
		strbuf_add(b, id, sizeof(id));
	} else {
		add32(b, m->maj, swap);
		add32(b, m->min, swap);
		add64(b, m->ino, swap);
		add64(b, 0, swap);
	}
	add32(b, m->prot, swap);
	add32(b, m->flags, swap);
	strbuf_add(b, m->name, name);
	strbuf_pad(b, 0, (int)(ALIGN_UP(name, 8) - name));
	strbuf_add(b, tail, tail_size);
	half = (u16)(b->len - start);
	half = load_u16(&half, swap);
	memcpy(b->s + start + 6, &half, sizeof(half));
}

/* Returns the identity of what a record maps, without a table of images. */
static struct image image_of(const struct record_mmap *m, bool kernel)
{
	struct image img = {
		.path = m->filename,
		.name = path_base(m->filename),
		.kernel = kernel,
		.maj = m->maj,
		.min = m->min,
		.ino = m->ino,
		.pid = -1,
	};

	img.kind = image_classify(m->filename, kernel, true);
	if (kernel && img.kind == IMAGE_KERNEL)
		img.path = "[kernel.kallsyms]";
	if (m->build_id_size) {
		img.build_id.size = (u8)MIN(m->build_id_size, sizeof(img.build_id.id));
		memcpy(img.build_id.id, m->build_id, img.build_id.size);
	}
	return img;
}

/* Returns the path of a container's file below the root of its process, or NULL. */
static char *file_below_root(const struct image *img, u32 pid)
{
	char *path = path_in_process((s32)pid, img->path);
	struct stat st;

	if (!stat(path, &st) && (!img->ino || st.st_ino == img->ino))
		return path;
	free(path);
	return NULL;
}

/* Looks up the build-id of a mapping, once for each file; returns NULL if there is none. */
static const struct build_id *id_of_map(struct rewriter *w, const struct record_mmap *m,
					bool kernel, bool *first)
{
	char *key = xasprintf("%u:%u:%" PRIu64 ":%s", m->maj, m->min, m->ino, m->filename);
	struct image img = image_of(m, kernel);
	u64 *slot = strmap_put(&w->maps_seen, key, first);

	free(key);
	if (*first) {
		struct build_id id;
		char *file = image_file(&w->files, &img);

		if (!file && img.kind == IMAGE_ELF && (s32)m->pid > 0)
			file = file_below_root(&img, m->pid);
		if (!image_find_build_id(&w->files, &img, file, &id))
			*slot = (u64)(uintptr_t)xmemdup(&id, sizeof(id));
		free(file);
	}
	return (const struct build_id *)(uintptr_t)*slot;
}

void maps_put_record(struct rewriter *w, const struct record *rec)
{
	u8 mode = rec->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	bool kernel = mode == PERF_RECORD_MISC_KERNEL,
	     data = rec->misc & PERF_RECORD_MISC_MMAP_DATA;
	const struct build_id *id = NULL;
	const struct event *ev = NULL;
	struct sample_id sid;
	struct record_mmap m;
	size_t name_end, tail;
	bool first;

	if (!record_get_mmap(w->in, rec, &m, NULL) && !m.build_id_size)
		id = id_of_map(w, &m, kernel, &first);
	if (!id || record_sample_id(w->in, rec, &sid, &ev, NULL)) {
		strbuf_add(&w->buf, rec->data, rec->size);
		return;
	}
	name_end =
		(size_t)((const u8 *)m.filename - rec->data) + ALIGN_UP(strlen(m.filename) + 1, 8);
	tail = ev ? MIN(ev->sample_id_size, rec->size - MIN(name_end, rec->size)) : 0;
	if (!m.is_mmap2) {
		m.prot = PROT_READ | (data ? 0 : PROT_EXEC);
		m.flags = MAP_PRIVATE;
	}
	put_mmap2(&w->buf,
		  &(struct map_text){ m.pid, m.tid, m.start, m.len, m.pgoff, m.prot, m.flags,
				      m.filename, id, 0, 0, 0 },
		  rec->misc, w->in->swap, rec->data + rec->size - tail, tail);
}

void maps_note_record(struct rewriter *w, const struct record *rec)
{
	bool kernel = (rec->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL, first;
	const struct build_id *id;
	struct record_mmap m;

	if (record_get_mmap(w->in, rec, &m, NULL))
		return;
	id = id_of_map(w, &m, kernel, &first);
	if (id && first) {
		struct image img = image_of(&m, kernel);

		hits_tell(w, &img, id);
	}
}

/* Writes what sample_id_all adds, for a record written at a sample's time. */
static void put_sample_id(struct strbuf *b, const struct event *ev, const struct sample_id *id,
			  bool swap)
{
	u64 type = ev->attr.sample_type;

	if (!(ev->attr.flags & ATTR_SAMPLE_ID_ALL))
		return;
	if (type & PERF_SAMPLE_TID) {
		add32(b, id->pid, swap);
		add32(b, id->tid, swap);
	}
	if (type & PERF_SAMPLE_TIME)
		add64(b, id->time, swap);
	if (type & PERF_SAMPLE_ID)
		add64(b, id->id, swap);
	if (type & PERF_SAMPLE_STREAM_ID)
		add64(b, id->stream_id, swap);
	if (type & PERF_SAMPLE_CPU) {
		add32(b, id->cpu, swap);
		add32(b, 0, swap);
	}
	if (type & PERF_SAMPLE_IDENTIFIER)
		add64(b, id->id, swap);
}

void maps_put_at(struct rewriter *w, const struct map_text *m, u64 time)
{
	const struct event *ev = w->in->list.items[0];
	const struct sample_id id = {
		.pid = m->pid,
		.tid = m->tid,
		.time = time,
		.id = ev->ids.count ? ev->ids.items[0] : 0,
	};
	struct strbuf tail = STRBUF_INIT;

	put_sample_id(&tail, ev, &id, w->in->swap);
	put_mmap2(&w->buf, m, PERF_RECORD_MISC_USER, w->in->swap, strbuf_cstr(&tail), tail.len);
	strbuf_release(&tail);
}

static void put_hit(struct rewriter *w, const struct session_sample *s, const struct location *l)
{
	static const struct build_id none;
	const struct mapping *m = l->mapping;
	const struct image *img = image_get(w->files.images, l->image);
	char *key = xasprintf("%u:%" PRIx64 ":%u", s->task->pid, m->start, l->image), *file;
	struct strbuf tail = STRBUF_INIT;
	struct build_id id = none;
	bool added;

	strmap_put(&w->maps_seen, key, &added);
	free(key);
	if (!added || img->kernel)
		return;
	file = image_file(&w->files, img);
	image_find_build_id(&w->files, img, file, &id);
	free(file);
	put_sample_id(&tail, s->sample->event, &s->sample->id, w->in->swap);
	put_mmap2(&w->buf,
		  &(struct map_text){ s->task->pid, s->task->pid, m->start, m->end - m->start,
				      m->pgoff, m->prot, m->flags,
				      img->kind == IMAGE_JIT ? "//anon" : img->path, &id, img->maj,
				      img->min, img->ino },
		  PERF_RECORD_MISC_USER, w->in->swap, strbuf_cstr(&tail), tail.len);
	strbuf_release(&tail);
}

void maps_put_hits(struct rewriter *w, const struct session_sample *s)
{
	hits_each_location(w, s, put_hit);
}

void maps_release(struct rewriter *w)
{
	for (size_t i = 0; i < w->maps_seen.space; i++)
		if (w->maps_seen.slots[i].key)
			free((void *)(uintptr_t)w->maps_seen.slots[i].value);
	strmap_release(&w->maps_seen);
}
