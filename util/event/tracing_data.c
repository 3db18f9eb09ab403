// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes TRACING_DATA from tracefs, for the tracepoints of an event set; the layout is in
 * tracepoint_section.c.
 * Like perf, it leaves out kallsyms (size 0) and the ftrace formats: no tracepoint event has one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/arch.h"
#include "event/tracing_data.h"
#include "sys/tracefs.h"
#include "tracepoint/tracepoint.h"

struct collector {
	const char *dir; /* the directory of tracefs */
	struct strbuf *out;
	struct strlist systems; /* in order of first use */
	struct strlist names;   /* "system:name", each once */
	struct reason *r;
};

static void add_u32(struct strbuf *b, u32 v)
{
	strbuf_add(b, &v, sizeof(v));
}

static void add_u64(struct strbuf *b, u64 v)
{
	strbuf_add(b, &v, sizeof(v));
}

static void add_string(struct strbuf *b, const char *s)
{
	strbuf_add(b, s, strlen(s) + 1);
}

/*
 * Adds a file's size and text; with wide, the size is a u64. A missing file is an error unless
 * may_miss.
 */
static int add_file(struct collector *c, const char *path, bool wide, bool may_miss)
{
	struct strbuf text = STRBUF_INIT;
	char *full = xasprintf("%s/%s", c->dir, path);
	int err = sys_read(NULL, &text, full);

	if (err && may_miss)
		err = 0;
	if (err)
		reason_errno(c->r, -err, "reading '%s' failed", full);
	if (!err) {
		if (wide)
			add_u64(c->out, text.len);
		else
			add_u32(c->out, (u32)text.len);
		strbuf_add(c->out, strbuf_cstr(&text), text.len);
	}
	strbuf_release(&text);
	free(full);
	return err;
}

static int add_start(struct collector *c)
{
	static const u8 magic[] = { 0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g' };
	int err;

	strbuf_add(c->out, magic, sizeof(magic));
	add_string(c->out, "0.6");
	strbuf_char(c->out, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	/* the size of a long in the kernel, which wrote the formats */
	strbuf_char(c->out, (char)(arch_host()->bits / 8));
	add_u32(c->out, (u32)sysconf(_SC_PAGESIZE));
	add_string(c->out, "header_page");
	err = add_file(c, "events/header_page", true, false);
	if (err)
		return err;
	add_string(c->out, "header_event");
	err = add_file(c, "events/header_event", true, false);
	add_u32(c->out, 0); /* ftrace formats */
	return err;
}

/*
 * Returns "sched:sched_switch" of "sched:sched_switch:u", or NULL if it has no colon. The caller
 * frees it.
 */
static char *plain_name(const char *name)
{
	const char *colon = strchr(name, ':');
	const char *end = colon ? strpbrk(colon + 1, ":/") : NULL;

	if (!colon)
		return NULL;
	return xstrndup(name, end ? (size_t)(end - name) : strlen(name));
}

static void note_tracepoints(struct collector *c, const struct event_set *set)
{
	vec_for_each(&set->list, it) {
		const struct event *ev = *it;
		char *name = event_is_tracepoint(ev) ? plain_name(ev->name) : NULL;
		char *system;

		if (!name)
			continue;
		system = xstrndup(name, (size_t)(strchr(name, ':') - name));
		if (!strlist_has(&c->systems, system))
			strlist_add(&c->systems, system);
		if (!strlist_has(&c->names, name))
			strlist_add(&c->names, name);
		free(system);
		free(name);
	}
}

static bool in_system(const char *name, const char *system)
{
	return str_starts(name, system) && name[strlen(system)] == ':';
}

static int add_system(struct collector *c, const char *system)
{
	u32 count = 0;
	int err = 0;

	vec_for_each(&c->names.list, name)
		count += in_system(*name, system);
	add_string(c->out, system);
	add_u32(c->out, count);
	vec_for_each(&c->names.list, name) {
		char *path;

		if (!in_system(*name, system))
			continue;
		path = xasprintf("events/%s/%s/format", system, *name + strlen(system) + 1);
		err = add_file(c, path, true, false);
		free(path);
		if (err)
			break;
	}
	return err;
}

static int collect(struct collector *c)
{
	int err = add_start(c);

	if (err)
		return err;
	add_u32(c->out, (u32)c->systems.list.count);
	vec_for_each(&c->systems.list, system) {
		err = add_system(c, *system);
		if (err)
			return err;
	}
	add_u32(c->out, 0); /* kallsyms */
	err = add_file(c, "printk_formats", false, true);
	return err ? err : add_file(c, "saved_cmdlines", true, true);
}

int tracing_data_collect(const struct event_set *set, struct strbuf *out, struct reason *r)
{
	struct collector c = { .out = out, .r = r };
	char *dir = tracefs_find(NULL, r);
	int err;

	if (!dir)
		return -ENOENT;
	c.dir = dir;
	note_tracepoints(&c, set);
	err = collect(&c);
	strlist_release(&c.systems);
	strlist_release(&c.names);
	free(dir);
	return err;
}

struct tracepoint_formats *tracing_data_formats(struct event_set *set, struct reason *r)
{
	struct tracepoint_formats *f = NULL;
	struct strbuf b = STRBUF_INIT;
	bool any = false;

	vec_for_each(&set->list, ev)
		any |= event_is_tracepoint(*ev);
	if (any && !tracing_data_collect(set, &b, r)) {
		f = tracepoint_formats_new(__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
					   arch_host()->bits / 8);
		if (tracepoint_formats_load(f, b.s, b.len, r)) {
			tracepoint_formats_free(f);
			f = NULL;
		}
	}
	strbuf_release(&b);
	vec_for_each(&set->list, ev)
		if (f && event_is_tracepoint(*ev))
			(*ev)->format = tracepoint_by_id(f, (u32)(*ev)->attr.config);
	return f;
}
