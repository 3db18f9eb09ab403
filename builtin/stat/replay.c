// SPDX-License-Identifier: GPL-2.0-or-later
/* perf stat report: prints what perf stat record has written. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/bytes.h"
#include "base/out.h"
#include "base/text.h"
#include "builtin/stat/internal.h"
#include "cli/options.h"
#include "data/reader.h"
#include "event/names.h"

struct stat_report {
	struct context *ctx;
	struct stat_request ask;   /* what the options leave open is completed by the file */
	struct stat_events events; /* its metrics */
	struct stat_printer out;
	struct data_reader *data;
	const char *input;
	bool force, by_given, final_seen;
	VEC(s32) cpus;
	VEC(s32) tids;
	VEC(char *) comms;
	u64 file_by, interval_ms, last_time;
};

/* ---- records: every length is checked, nothing is trusted ---- */

static u64 word(const struct record *rec, size_t offset, bool swap)
{
	return offset + 8 <= rec->size ? load_u64(rec->data + offset, swap) : 0;
}

static void read_thread_map(struct stat_report *s, const struct record *rec, bool swap)
{
	enum { ENTRY = 24 };
	u64 n = MIN(word(rec, 8, swap), (u64)(rec->size - 8) / ENTRY);

	for (u64 i = 0; i < n && 16 + (i + 1) * ENTRY <= rec->size; i++) {
		const u8 *p = rec->data + 16 + i * ENTRY;

		vec_push(&s->tids, (s32)load_u64(p, swap));
		vec_push(&s->comms,
			 xstrndup((const char *)p + 8, strnlen((const char *)p + 8, 16)));
	}
}

/* Reads a CPU map. Type 0 is a list of u16, 1 a mask of words, 2 a range. */
static void read_cpu_map(struct stat_report *s, const struct record *rec, bool swap)
{
	const u8 *p = rec->data + 8;
	size_t left = rec->size - 8u;
	u16 type = left >= 2 ? load_u16(p, swap) : 0;

	if (left < 4)
		return;
	if (type == 0) {
		u16 n = load_u16(p + 2, swap);

		for (u16 i = 0; i < n && 4 + 2 * (i + 1u) <= left; i++)
			vec_push(&s->cpus, (s16)load_u16(p + 4 + 2 * i, swap));
	} else if (type == 1 && left >= 6) {
		u16 n = load_u16(p + 2, swap), size = load_u16(p + 4, swap);
		size_t at = size == 8 ? 10 : 6; /* words of 8 bytes come after 4 bytes of padding */

		for (u32 i = 0; size && i < (u32)n * size * 8; i++) {
			size_t word_at = at + i / (size * 8u) * size;
			u64 bits;

			if (word_at + size > left || (size != 4 && size != 8))
				break;
			bits = size == 8 ? load_u64(p + word_at, swap)
					 : load_u32(p + word_at, swap);
			if (bits >> i % (size * 8u) & 1)
				vec_push(&s->cpus, (s32)i);
		}
	} else if (type == 2 && left >= 8) {
		if (p[2]) /* any */
			vec_push(&s->cpus, -1);
		for (u32 i = load_u16(p + 4, swap); i <= load_u16(p + 6, swap); i++)
			vec_push(&s->cpus, (s32)i);
	}
}

static void read_config(struct stat_report *s, const struct record *rec, bool swap)
{
	u64 n = word(rec, 8, swap);

	for (u64 i = 0; i < n && 32 + i * 16 <= rec->size; i++) {
		u64 value = word(rec, 24 + i * 16, swap);

		switch (word(rec, 16 + i * 16, swap)) {
		case 0:
			s->file_by = value;
			break;
		case 1:
			s->interval_ms = value;
			break;
		case 2:
			s->out.style.scale = s->ask.scale = value != 0;
			break;
		}
	}
}

static void read_update(struct stat_report *s, const struct record *rec, bool swap)
{
	struct event *ev = event_by_id(data_events(s->data), word(rec, 16, swap));
	u64 bits = word(rec, 24, swap);

	if (!ev || rec->size < 32)
		return;
	if (word(rec, 8, swap) == 0) {
		char *unit = xstrndup((const char *)rec->data + 24,
				      strnlen((const char *)rec->data + 24, rec->size - 24u));

		free(ev->unit);
		ev->unit = printable_copy(unit);
		free(unit);
	} else if (word(rec, 8, swap) == 1) {
		memcpy(&ev->scale, &bits, sizeof(ev->scale));
	}
}

/* ---- what is printed ---- */

static void name_tools(struct event_set *set)
{
	vec_for_each(&set->list, it) {
		/* "num_cpus:u", "tool/num_cpus/" */
		const char *name = (*it)->name + (str_starts((*it)->name, "tool/") ? 5 : 0);
		const struct event_symbol *sym = event_symbol_find(name, strcspn(name, ":/"));

		if (sym && sym->tool) {
			(*it)->tool = sym->tool;
			(*it)->snapshot = sym->tool == TOOL_NUMBER;
		}
	}
}

/* Joins events with the same name on several PMUs (types above the kernel's own) into one event. */
static void find_instances(struct event_set *set)
{
	vec_for_each(&set->list, it)
		vec_for_each(&set->list, first) {
			if (first >= it)
				break;
			if (strcmp((*first)->name, (*it)->name) ||
			    (*first)->attr.type == (*it)->attr.type ||
			    (*first)->attr.type <= PERF_TYPE_BREAKPOINT ||
			    (*it)->attr.type <= PERF_TYPE_BREAKPOINT)
				continue;
			(*first)->instance_of = (*it)->instance_of = *first;
			break;
		}
}

static void choose_by(struct stat_report *s)
{
	static const enum stat_by kinds[] = { STAT_BY_CPU, STAT_BY_ALL,  STAT_BY_SOCKET,
					      STAT_BY_DIE, STAT_BY_CORE, STAT_BY_THREAD,
					      STAT_BY_ALL, STAT_BY_NODE };

	if (!s->by_given)
		s->ask.by = s->file_by < ARRAY_SIZE(kinds) ? (int)kinds[s->file_by] : STAT_BY_ALL;
}

/* Reports whether the kernel's clusters are the CPUs that share a second-level cache, as on x86. */
static bool clusters_are_caches(const struct stat_report *s)
{
	const struct arch *arch = data_arch(s->data);

	return arch && !strncmp(arch->name, "x86", 3);
}

static int read_topology(struct stat_report *s, struct reason *r)
{
	struct cpu_topology *t = &s->out.topology;
	struct data_place *places = NULL;
	u32 count = data_places(s->data, &places), level = 0;
	s32 *caches = xcalloc(2 * (size_t)count + 1, sizeof(*caches));
	int by = s->ask.by, err = 0;
	bool told = by != STAT_BY_CACHE && by != STAT_BY_CLUSTER;

	if (by == STAT_BY_CLUSTER)
		level = 2;
	else if (by == STAT_BY_CACHE)
		err = stat_cache_level(s->ask.cache_level, &level, r);
	data_place_caches(s->data, level, caches, caches + count, count);
	for (u32 i = 0; i < count; i++) {
		bool cluster = by == STAT_BY_CLUSTER && clusters_are_caches(s);

		told |= caches[i] >= 0 && (cluster || by == STAT_BY_CACHE);
		vec_push(&t->cpus, (struct cpu_place){ .cpu = i,
						       .core = places[i].core,
						       .die = places[i].die,
						       .socket = places[i].socket,
						       .node = places[i].node,
						       .online = true,
						       .cluster = cluster ? caches[i] : -1,
						       .cache = caches[i],
						       .cache_level = caches[count + i] });
	}
	free(caches);
	free(places);
	if (!err && !told) {
		err = reason_set(r, ENOENT, "'%s' does not say which CPUs share a %s",
				 data_path(s->data), by == STAT_BY_CACHE ? "cache" : "cluster");
		reason_hint(r, "use --per-core, --per-die or --per-socket, which it may have");
	}
	return err;
}

static int not_by_cpu(const struct stat_report *s, struct reason *r)
{
	reason_set(r, EINVAL, "'%s' holds no counts by CPU", data_path(s->data));
	reason_hint(r, "it counted tasks: leave out -A and --per-*, or count again with -a");
	return -EINVAL;
}

static void know_slots(void *arg, const char *value)
{
	metric_set_slots(arg, value);
}

/* Gives the metrics the facts about the machine that the file comes from. */
static void know_machine(struct stat_report *s)
{
	struct metric_set *m = &s->events.metrics;

	metric_set_init_for(m, data_feature_string(s->data, FEATURE_CPUID), &s->out.topology);
	data_pmu_caps(s->data, "slots", know_slots, m);
	metric_slots_settle(m);
}

static int prepare(struct stat_report *s, struct reason *r)
{
	struct stat_printer *p = &s->out;
	struct event_set *set = data_events(s->data);
	int err = 0;

	choose_by(s);
	if (s->ask.by != STAT_BY_ALL && s->ask.by != STAT_BY_THREAD &&
	    (!s->cpus.count || s->cpus.items[0] < 0))
		return not_by_cpu(s, r);
	err = read_topology(s, r);
	if (err)
		return err;
	name_tools(set);
	find_instances(set);
	if (s->ask.by == STAT_BY_THREAD)
		stat_domains_of_threads(&p->domains, s->tids.items,
					(const char *const *)s->comms.items, s->tids.count);
	else
		stat_domains_of_cpus(&p->domains, (enum stat_by)s->ask.by, &p->topology,
				     s->cpus.items, s->cpus.count);
	stat_table_init(&p->table, set, &p->domains);
	p->ready = true;
	vec_for_each(&set->list, it)
		if ((*it)->unit)
			p->style.unit_width =
				MAX(p->style.unit_width, (unsigned)strlen((*it)->unit));
	if (s->ask.metric_names.list.count)
		know_machine(s);
	vec_for_each(&s->ask.metric_names.list, it)
		if (!err)
			err = metric_set_bind(&s->events.metrics, set, *it, r);
	p->table.metrics = s->events.metrics.list.count ? &s->events.metrics : NULL;
	return err;
}

static size_t column_of(const struct stat_report *s, s32 cpu, u32 thread)
{
	if (s->ask.by == STAT_BY_THREAD)
		return thread;
	for (size_t i = 0; i < s->cpus.count; i++)
		if (s->cpus.items[i] == cpu)
			return i;
	return SIZE_MAX;
}

static void read_count(struct stat_report *s, const struct record *rec, bool swap)
{
	const struct event *ev = event_by_id(data_events(s->data), word(rec, 8, swap));
	struct stat_count c = { .value = word(rec, 24, swap),
				.enabled = word(rec, 32, swap),
				.running = word(rec, 40, swap),
				.supported = true };

	if (!ev || rec->size < 48)
		return;
	if (!s->ask.scale)
		c.enabled = c.running;
	stat_table_add(&s->out.table,
		       column_of(s, (s32)load_u32(rec->data + 16, swap),
				 load_u32(rec->data + 20, swap)),
		       ev->index, &c);
}

static void print_interval(struct stat_report *s, u64 time)
{
	struct strbuf b = STRBUF_INIT;
	char *prefix = stat_interval_prefix(&s->ask, time);

	stat_table_end_interval(&s->out.table, time - s->last_time);
	s->last_time = time;
	stat_print_interval(&s->out, &b, prefix);
	stat_write(&s->out, &b);
	free(prefix);
	strbuf_release(&b);
}

static int read_record(struct stat_report *s, const struct record *rec, bool swap, struct reason *r)
{
	int err = 0;

	switch (rec->type) {
	case PERF_RECORD_THREAD_MAP:
		read_thread_map(s, rec, swap);
		break;
	case PERF_RECORD_CPU_MAP:
		read_cpu_map(s, rec, swap);
		break;
	case PERF_RECORD_STAT_CONFIG:
		read_config(s, rec, swap);
		break;
	case PERF_RECORD_EVENT_UPDATE:
		read_update(s, rec, swap);
		break;
	case PERF_RECORD_STAT:
		if (!s->out.ready)
			err = prepare(s, r);
		if (!err)
			read_count(s, rec, swap);
		break;
	case PERF_RECORD_STAT_ROUND:
		if (!s->out.ready)
			err = prepare(s, r);
		if (err)
			break;
		if (word(rec, 8, swap) == 0) {
			print_interval(s, word(rec, 16, swap));
		} else if (!s->interval_ms) {
			stat_table_end_run(&s->out.table, word(rec, 16, swap));
			s->final_seen = true;
		}
		break;
	}
	return err;
}

/*
 * Returns the quoted command line; the caller frees it. For a stream it is 'pipe', as in 6.1, since
 * scripts look for the word.
 */
static char *title(struct stat_report *s)
{
	struct strbuf b = STRBUF_INIT;
	size_t argc = 0;
	const char *const *argv = data_cmdline(s->data, &argc);

	if (data_is_pipe(s->data))
		return xstrdup("'pipe'");
	strbuf_char(&b, '\'');
	for (size_t i = 0; i < argc; i++)
		strbuf_f(&b, "%s%s", i ? " " : "", argv[i]);
	strbuf_char(&b, '\'');
	return strbuf_detach(&b);
}

static int read_all_records(struct stat_report *s, struct reason *r)
{
	struct data_chunk c;
	int got, err = 0;

	while (!err && (got = data_next(s->data, &c, r)) > 0) {
		struct record rec;
		size_t at = 0;

		while (!err && data_chunk_record(&c, &at, &rec))
			err = read_record(s, &rec, c.swap, r);
		data_chunk_release(&c);
	}
	if (!err && got < 0)
		err = got;
	if (!err && !s->out.ready)
		err = reason_set(r, EINVAL, "'%s' holds no counts: perf stat record writes them",
				 data_path(s->data));
	return err;
}

static int set_by_cache(const struct option_call *c, struct reason *r)
{
	struct stat_report *s = c->settings;

	(void)r;
	s->by_given = true;
	s->ask.by = STAT_BY_CACHE;
	s->ask.cache_level = c->value;
	return 0;
}

static int refuse_versus(const struct option_call *c, struct reason *r)
{
	(void)c;
	reason_usage(r, "--versus runs commands, and a recording has none to run");
	reason_hint(r, "perf stat --versus './new' -- ./old");
	return -EINVAL;
}

static int set_by(const struct option_call *c, struct reason *r)
{
	struct stat_report *s = c->settings;

	(void)r;
	s->by_given = true;
	s->ask.by = (int)c->row->unit;
	return 0;
}

#define BY(letter, name, kind, text)                                                               \
	{                                                                                          \
		OPTION_CALLBACK, letter, name, .unit = (kind), .help = text, .set = set_by,        \
					       .flags = OPT_NO_NEGATE | OPT_OPTIONAL               \
	}

static int parse_options(struct stat_report *s, int *argc, const char **argv)
{
	static const char *const usage[] = { "perf stat report [<options>]", NULL };
	const struct option_row rows[] = {
		{ OPTION_STRING, 'i', "input", &s->input, .arg = "FILE", .help = "file to read" },
		{ OPTION_FLAG, 'f', "force", &s->force,
		  .help = "read it even if it belongs to another user" },
		BY('A', "no-aggr", STAT_BY_CPU, "a line for each CPU"),
		BY(0, "per-core", STAT_BY_CORE, "a line for each core"),
		BY(0, "per-cluster", STAT_BY_CLUSTER, "a line for each cluster of cores"),
		BY(0, "per-die", STAT_BY_DIE, "a line for each die"),
		{ OPTION_CALLBACK, 0, "per-cache", .arg = "LEVEL", .set = set_by_cache,
		  .help = "a line for each cache of the level (1, L2 ...; the last)",
		  .flags = OPT_NO_NEGATE | OPT_OPTIONAL },
		BY(0, "per-socket", STAT_BY_SOCKET, "a line for each socket"),
		BY(0, "per-node", STAT_BY_NODE, "a line for each NUMA node"),
		BY(0, "per-thread", STAT_BY_THREAD, "a line for each thread"),
		{ OPTION_STRING, 'x', "field-separator", &s->ask.separator, .arg = "SEP",
		  .help = "print rows for programs, separated by SEP" },
		{ OPTION_FLAG, 'j', "json-output", &s->ask.json, .help = "print objects of JSON" },
		{ OPTION_LIST, 'M', "metrics", &s->ask.metric_names, .arg = "METRIC",
		  .help = "metrics whose events the file holds", .flags = OPT_NO_NEGATE },
		{ OPTION_CALLBACK, 0, "versus", .arg = "COMMAND", .set = refuse_versus,
		  .help = "of perf stat alone", .flags = OPT_HIDDEN | OPT_NO_NEGATE | OPT_YIELDS },
		OPT_END_ROW,
	};
	const struct options o = {
		.command = "stat report", .usage = usage, .rows = rows, .settings = s
	};
	int code = options_parse(&o, argc, argv);

	if (!code && *argc)
		code = options_usage_error(&o, "'%s' is not expected here", argv[0]);
	if (!code && s->ask.json && s->ask.separator)
		code = options_usage_error(&o, "-j and -x are two forms of output");
	return code;
}

static int print_file(struct stat_report *s, struct reason *r)
{
	int err = data_open(s->ctx, s->input, s->force, &s->data, r);

	if (err)
		return err;
	err = read_all_records(s, r);
	s->out.title = title(s);
	if (!err && s->final_seen)
		stat_print_results(&s->out);
	return err;
}

static void release(struct stat_report *s)
{
	stat_printer_release(&s->out);
	metric_set_release(&s->events.metrics);
	strlist_release(&s->ask.metric_names);
	vec_for_each(&s->comms, it)
		free(*it);
	vec_release(&s->comms);
	vec_release(&s->tids);
	vec_release(&s->cpus);
	if (s->data)
		data_close(s->data);
}

int stat_report(struct context *ctx, int argc, const char **argv, struct reason *r)
{
	struct stat_report s = { .ctx = ctx, .ask = STAT_REQUEST_INIT };
	int code;

	stat_ask_from_config(ctx, &s.ask);
	s.out.ask = &s.ask;
	s.out.events = &s.events;
	s.out.fd = STDERR_FILENO;
	event_set_init(&s.events.set);
	code = parse_options(&s, &argc, argv);
	if (!code) {
		stat_choose_style(&s.out, &s.events.set);
		code = print_file(&s, r) ? 1 : 0;
	} else if (code < 0) {
		code = 0;
	}
	release(&s);
	return code;
}
