// SPDX-License-Identifier: GPL-2.0-or-later
/* Feature sections: bytes on demand, strings, event names, groups, build-ids. */
#include <errno.h>
#include <string.h>

#include "arch/arch.h"
#include "base/bytes.h"
#include "base/text.h"
#include "data/feature.h"

/* More than any perf writes; memory for a section is bounded by the file as well. */
#define SECTION_MOST (1ULL << 31)

bool data_has_feature(const struct data_reader *d, unsigned feature)
{
	return feature < FEATURE_BITS && d->features[feature].present;
}

/* Loads a section of a file when it is first requested. */
static bool load_section(struct data_reader *d, struct feature_section *s)
{
	if (s->data)
		return true;
	if (s->failed || s->size > SECTION_MOST)
		return false;
	s->data = malloc(s->size + 1);
	if (s->data &&
	    !file_read(&d->files.items[0], s->offset, s->data, s->size, "features", NULL))
		return true;
	free(s->data);
	s->data = NULL;
	s->failed = true;
	return false;
}

const void *data_feature(const struct data_reader *cd, unsigned feature, size_t *size)
{
	struct data_reader *d = (struct data_reader *)cd; /* the cache is no visible change */

	*size = 0;
	if (!data_has_feature(d, feature) || !load_section(d, &d->features[feature]))
		return NULL;
	*size = d->features[feature].size;
	return d->features[feature].data;
}

struct feature_cursor feature_open(const struct data_reader *d, unsigned feature)
{
	struct feature_cursor c = { .swap = d->swap };
	size_t size;

	c.at = data_feature(d, feature, &size);
	c.end = c.at ? c.at + size : NULL;
	c.bad = !c.at;
	return c;
}

static bool has(struct feature_cursor *c, u64 n)
{
	if (c->bad || n > (u64)(c->end - c->at))
		c->bad = true;
	return !c->bad;
}

u32 feature_u32(struct feature_cursor *c)
{
	u32 v = has(c, 4) ? load_u32(c->at, c->swap) : 0;

	if (!c->bad)
		c->at += 4;
	return v;
}

u64 feature_u64(struct feature_cursor *c)
{
	u64 v = has(c, 8) ? load_u64(c->at, c->swap) : 0;

	if (!c->bad)
		c->at += 8;
	return v;
}

const u8 *feature_bytes(struct feature_cursor *c, u64 n)
{
	const u8 *p = c->at;

	if (!has(c, n))
		return NULL;
	c->at += n;
	return p;
}

/* Reads u32 length (padded), then this many bytes with at least one NUL among them. */
const char *feature_text(struct feature_cursor *c)
{
	u32 size = feature_u32(c);
	const u8 *p = feature_bytes(c, size);

	if (!p || !size || !memchr(p, 0, size)) {
		c->bad = true;
		return "";
	}
	return (const char *)p;
}

const char *data_feature_string(struct data_reader *d, unsigned feature)
{
	struct feature_cursor c;
	const char *s;

	if (!data_has_feature(d, feature))
		return NULL;
	if (!d->strings[feature]) {
		c = feature_open(d, feature);
		s = feature_text(&c);
		if (c.bad)
			return NULL;
		d->strings[feature] = xstrdup(s);
	}
	return d->strings[feature];
}

const char *const *data_cmdline(struct data_reader *d, size_t *argc)
{
	struct feature_cursor c = feature_open(d, FEATURE_CMDLINE);

	if (!d->cmdline && !c.bad) {
		u32 n = feature_u32(&c);

		d->cmdline = xcalloc((size_t)(c.end - c.at) / 4 + 1, sizeof(char *));
		for (u32 i = 0; i < n && !c.bad; i++) {
			const char *s = feature_text(&c);

			if (!c.bad)
				d->cmdline[d->cmdline_count++] = (char *)s;
		}
	}
	*argc = d->cmdline_count;
	return (const char *const *)d->cmdline;
}

/*
 * Takes the name of each event from EVENT_DESC, which has attr, ids and name in the order of the
 * events.
 */
static void take_event_names(struct data_reader *d)
{
	struct feature_cursor c = feature_open(d, FEATURE_EVENT_DESC);
	u32 count = c.bad ? 0 : feature_u32(&c);
	u32 attr_size = c.bad ? 0 : feature_u32(&c);

	for (u32 i = 0; i < count && !c.bad; i++) {
		struct event *ev = i < d->events.list.count ? d->events.list.items[i] : NULL;
		const char *name;
		u32 ids;

		feature_bytes(&c, attr_size);
		ids = feature_u32(&c);
		name = feature_text(&c);
		for (u32 j = 0; j < ids && !c.bad; j++) {
			struct event *owner = event_by_id(&d->events, feature_u64(&c));

			if (!j && owner)
				ev = owner;
		}
		if (!c.bad && ev && !ev->name)
			ev->name = printable_copy(name);
	}
}

static void take_groups(struct data_reader *d)
{
	struct feature_cursor c = feature_open(d, FEATURE_GROUP_DESC);
	u32 count = c.bad ? 0 : feature_u32(&c);

	for (u32 i = 0; i < count && !c.bad; i++) {
		const char *name = feature_text(&c);
		u32 leader = feature_u32(&c), members = feature_u32(&c);
		struct event *ev;

		if (c.bad || leader >= d->events.list.count ||
		    members > d->events.list.count - leader)
			return;
		ev = d->events.list.items[leader];
		ev->members = members;
		if (!ev->group_name && strcmp(name, "{anon_group}"))
			ev->group_name = printable_copy(name);
		for (u32 j = 1; j < members; j++)
			d->events.list.items[leader + j]->leader = ev;
	}
}

void features_name_events(struct data_reader *d)
{
	take_event_names(d);
	take_groups(d);
}

/*
 * Adds one entry: record header (misc: cpumode, bit 15: the size is given), s32 pid, u8 id[20], u8
 * size, 3 bytes, the name.
 */
void feature_add_build_id(struct data_reader *d, const u8 *p, size_t size)
{
	struct data_build_id b = { .size = sizeof(b.id) };
	const char *name = (const char *)p + 36;

	if (size <= 36 || !memchr(name, 0, size - 36))
		return;
	b.misc = load_u16(p + 4, d->swap);
	b.pid = (s32)load_u32(p + 8, d->swap);
	memcpy(b.id, p + 12, sizeof(b.id));
	if (b.misc & PERF_RECORD_MISC_EXT_RESERVED)
		b.size = MIN(p[32], (u8)sizeof(b.id));
	b.misc &= PERF_RECORD_MISC_CPUMODE_MASK;
	b.name = arena_strndup(&d->names, name, strlen(name));
	vec_push(&d->build_ids, b);
}

const struct data_build_id *data_build_ids(struct data_reader *d, size_t *count)
{
	struct feature_cursor c = feature_open(d, FEATURE_BUILD_ID);

	while (!d->build_ids_loaded && !c.bad && c.end - c.at >= 36) {
		u16 size = load_u16(c.at + 6, d->swap);
		const u8 *p = feature_bytes(&c, MAX(size, 1));

		if (p)
			feature_add_build_id(d, p, size);
	}
	d->build_ids_loaded = true;
	*count = d->build_ids.count;
	return d->build_ids.items;
}

/*
 * Finds the architecture by E_MACHINE (u32 machine, u32 flags), else by name. Returns the host's
 * when neither is known.
 */
static const struct arch *find_arch(struct data_reader *d)
{
	struct feature_cursor c = feature_open(d, FEATURE_E_MACHINE);
	u32 machine = c.bad ? 0 : feature_u32(&c);
	const char *name = data_feature_string(d, FEATURE_ARCH);
	const struct arch *a = name ? arch_by_name(name) : NULL;

	if (!a && machine && machine <= UINT16_MAX)
		a = arch_by_elf((u16)machine, true, d->big_endian);
	return a ? a : arch_host();
}

const struct arch *data_arch(const struct data_reader *cd)
{
	struct data_reader *d = (struct data_reader *)cd; /* the cache is no visible change */

	if (!d->arch)
		d->arch = find_arch(d);
	return d->arch;
}
