// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes build-ids of single files, of the running kernel and of its modules. */
#include <stdlib.h>
#include <string.h>

#include "analysis/buildid_list.h"
#include "base/text.h"
#include "object/buildid.h"
#include "session/session.h"
#include "synth/synth.h"

int buildid_of_elf_text(const char *path, struct strbuf *b, struct reason *r)
{
	struct build_id id;
	char hex[41];
	int err = build_id_of_file(path, &id, r);

	if (!err)
		strbuf_f(b, "%s\n", build_id_text(&id, hex));
	return err;
}

int buildid_of_kernel_text(struct strbuf *b, struct reason *r)
{
	struct build_id id;
	char hex[41];
	int err = build_id_of_kernel(NULL, &id, r);

	if (!err)
		strbuf_f(b, "%s\n", build_id_text(&id, hex));
	return err;
}

/*
 * Returns a module's name as sysfs writes it ("/lib/modules/.../nf-nat.ko.xz" -> "nf_nat"), which
 * the caller frees.
 */
static char *module_name(const char *path)
{
	const char *base = path_base(path), *dot = strchr(base, '.');
	char *name;

	base += *base == '[';
	name = dot ? xstrndup(base, (size_t)(dot - base)) : xstrdup(base);
	name[strcspn(name, "]")] = '\0';
	for (char *p = name; *p; p++)
		if (*p == '-')
			*p = '_';
	return name;
}

static void put_kernel_map(struct strbuf *b, const struct record_mmap *m)
{
	bool kernel = str_starts(m->filename, "[kernel.kallsyms]");
	struct build_id id = { 0 };
	char hex[41];

	if (kernel) {
		build_id_of_kernel(NULL, &id, NULL);
	} else {
		char *name = module_name(m->filename);

		build_id_of_module(NULL, name, &id, NULL);
		free(name);
	}
	strbuf_f(b, "%s %16" PRIx64 " %16" PRIx64 " ", build_id_text(&id, hex), m->start,
		 m->start + m->len);
	strbuf_printable(b, kernel ? "[kernel.kallsyms]" : m->filename);
	strbuf_char(b, '\n');
}

static int by_start(const void *a, const void *b)
{
	const struct record_mmap *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* Takes the addresses from the records that a recorder would write for the running kernel. */
int buildid_kernel_maps_text(struct strbuf *b, struct reason *r)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	struct strbuf bytes = STRBUF_INIT;
	VEC(struct record_mmap) maps = VEC_INIT;
	struct event_set set;
	struct data_chunk c;
	struct record rec;
	size_t at = 0;
	int err;

	event_set_init(&set);
	err = synth_kernel(&bytes, event_set_add(&set, &attr, ""), r);
	c = (struct data_chunk){ .data = (const u8 *)bytes.s, .size = bytes.len };
	while (!err && data_chunk_record(&c, &at, &rec)) {
		struct record_mmap m;

		if (rec.type != PERF_RECORD_MMAP)
			continue;
		err = record_get_mmap(&set, &rec, &m, r);
		if (!err)
			vec_push(&maps, m);
	}
	vec_sort(&maps, by_start);
	vec_for_each(&maps, m)
		put_kernel_map(b, m);
	vec_release(&maps);
	strbuf_release(&bytes);
	event_set_release(&set);
	return err;
}
