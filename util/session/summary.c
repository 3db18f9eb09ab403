// SPDX-License-Identifier: GPL-2.0-or-later
#include "session/summary.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/json.h"
#include "base/perf_abi.h"
#include "base/text.h"

/* ---- counts ---- */

/* Returns the short name of a record type: "ATTR" for "PERF_RECORD_HEADER_ATTR". */
static const char *short_name(u32 type)
{
	const char *name = record_type_name(type);

	if (!name)
		return "UNKNOWN";
	if (str_starts(name, "PERF_RECORD_"))
		name += strlen("PERF_RECORD_");
	if (str_starts(name, "HEADER_"))
		name += strlen("HEADER_");
	return name;
}

/*
 * Returns how many records of the type there were. Both inflated records and the compressed records
 * around them count.
 */
static u64 records_of(const struct session *s, u32 type)
{
	struct data_reader *d = session_data((struct session *)s);
	u64 n = session_stats(s)->records[type];

	if (d && (type == PERF_RECORD_COMPRESSED || type == PERF_RECORD_COMPRESSED2))
		n += data_compressed_records(d, type);
	return n;
}

static u64 all_records(const struct session *s)
{
	struct data_reader *d = session_data((struct session *)s);

	return session_stats(s)->total +
	       (d ? data_compressed_records(d, PERF_RECORD_COMPRESSED) +
				data_compressed_records(d, PERF_RECORD_COMPRESSED2)
		  : 0);
}

void session_counts_text(const struct session *s, const struct event_set *events, bool skip_empty,
			 struct strbuf *out)
{
	const struct session_stats *t = session_stats(s);
	u64 total = all_records(s);

	strbuf_str(out, "\nAggregated stats:\n");
	strbuf_f(out, "%16s events: %10" PRIu64 "\n", "TOTAL", total);
	for (u32 type = 0; type < ARRAY_SIZE(t->records); type++) {
		u64 n = records_of(s, type);

		if (!n && (skip_empty || !record_type_name(type)))
			continue;
		strbuf_f(out, "%16s events: %10" PRIu64 "  (%4.1f%%)\n", short_name(type), n,
			 total ? 100.0 * (double)n / (double)total : 0.0);
	}
	vec_for_each(&events->list, ev) {
		u64 n = session_event_samples(s, (*ev)->index);

		if (!n && skip_empty)
			continue;
		strbuf_f(out, "%s stats:\n%16s events: %10" PRIu64 "\n", (*ev)->name, "SAMPLE", n);
	}
}

/* Writes how many stacks are whole and what cut off the others, by object. */
static void stacks_text(struct session *s, struct strbuf *out)
{
	struct session_stack_end *ends;
	size_t n = session_stack_ends(s, &ends);
	u64 all = 0, whole = 0;

	for (size_t i = 0; i < n; i++) {
		all += ends[i].count;
		whole += session_stack_is_whole(ends[i].end) ? ends[i].count : 0;
	}
	if (all)
		strbuf_f(out,
			 "user stacks:\n%16s stacks: %10" PRIu64 "\n%16s stacks: %10" PRIu64
			 "  (%4.1f%%)\n",
			 "TOTAL", all, "whole", whole, 100.0 * (double)whole / (double)all);
	for (size_t i = 0; i < n; i++) {
		char *hint;

		if (session_stack_is_whole(ends[i].end))
			continue;
		hint = session_stack_hint(s, &ends[i]);
		strbuf_f(out, "%16s stacks: %10" PRIu64 "  (%4.1f%%)  ", "cut off", ends[i].count,
			 100.0 * (double)ends[i].count / (double)all);
		if (ends[i].object[0]) {
			strbuf_str(out, "in ");
			strbuf_printable(out, ends[i].object);
			strbuf_str(out, ": ");
		}
		strbuf_printable(out, ends[i].why);
		strbuf_char(out, '\n');
		if (hint)
			strbuf_f(out, "%26shint: %s\n", "", hint);
		free(hint);
	}
	free(ends);
}

/* Samples are counted by event only when somebody takes them. */
static int take_sample(void *arg, unsigned worker, const struct session_sample *s, struct reason *r)
{
	(void)arg;
	(void)worker;
	(void)s;
	(void)r;
	return 0;
}

static int count_all(struct session *s, struct reason *r)
{
	const struct session_ops ops = {
		.order = SESSION_SUMS,
		.sample = take_sample,
		.no_locations = true,
		.judge_chains = true,
	};

	return session_run(s, &ops, NULL, r);
}

int session_stats_text(struct session *s, bool skip_empty, struct strbuf *out, struct reason *r)
{
	int err = count_all(s, r);

	if (err)
		return err;
	session_counts_text(s, session_events(s), skip_empty, out);
	stacks_text(s, out);
	return err;
}

/* ---- counts as JSON ---- */

static void counts_json(struct session *s, bool skip_empty, struct strbuf *out)
{
	const struct session_stats *t = session_stats(s);
	const char *between = "";

	strbuf_f(out, "{\"total\":%" PRIu64 ",\"records\":{", all_records(s));
	for (u32 type = 0; type < ARRAY_SIZE(t->records); type++) {
		u64 n = records_of(s, type);

		if (!n && (skip_empty || !record_type_name(type)))
			continue;
		/* the number distinguishes types without a name */
		strbuf_str(out, between);
		if (record_type_name(type))
			json_text(out, short_name(type));
		else
			strbuf_f(out, "\"%u\"", type);
		strbuf_f(out, ":%" PRIu64, n);
		between = ",";
	}
	strbuf_str(out, "},\"events\":[");
	between = "";
	vec_for_each(&session_events(s)->list, ev) {
		u64 n = session_event_samples(s, (*ev)->index);

		if (!n && skip_empty)
			continue;
		strbuf_f(out, "%s{\"name\":", between);
		json_text(out, (*ev)->name);
		strbuf_f(out, ",\"samples\":%" PRIu64 "}", n);
		between = ",";
	}
	strbuf_char(out, ']');
}

static void stacks_json(struct session *s, struct strbuf *out)
{
	struct session_stack_end *ends;
	size_t n = session_stack_ends(s, &ends);
	const char *between = "";
	u64 all = 0, whole = 0;

	for (size_t i = 0; i < n; i++) {
		all += ends[i].count;
		whole += session_stack_is_whole(ends[i].end) ? ends[i].count : 0;
	}
	if (!all) {
		free(ends);
		return;
	}
	strbuf_f(out, ",\"stacks\":{\"total\":%" PRIu64 ",\"whole\":%" PRIu64 ",\"cut_off\":[", all,
		 whole);
	for (size_t i = 0; i < n; i++) {
		if (session_stack_is_whole(ends[i].end))
			continue;
		strbuf_f(out, "%s{\"count\":%" PRIu64 ",\"dso\":", between, ends[i].count);
		json_text(out, ends[i].object);
		strbuf_str(out, ",\"why\":");
		json_text(out, ends[i].why);
		strbuf_char(out, '}');
		between = ",";
	}
	strbuf_str(out, "]}");
	free(ends);
}

int session_stats_json(struct session *s, bool skip_empty, struct strbuf *out, struct reason *r)
{
	int err = count_all(s, r);

	if (err)
		return err;
	counts_json(s, skip_empty, out);
	stacks_json(s, out);
	strbuf_char(out, '}');
	return err;
}

/* ---- tasks ---- */

struct node {
	const struct task *task;
	s32 parent; /* pid, or -1 for none */
	bool done;
};

struct tree {
	struct session *session;
	struct history *history;
	struct map64 parents; /* pid << 32 | tid -> pid of the parent */
	struct map64 by_tid;  /* leaders: pid -> index of nodes */
	VEC(struct node) nodes;
	bool maps, json, any;
	struct strbuf *out;
	struct reason *r;
};

static const struct order_key the_end = { UINT64_MAX, UINT32_MAX, UINT64_MAX };

static u64 task_key(u32 pid, u32 tid)
{
	return (u64)pid << 32 | tid;
}

static int note_fork(void *arg, const struct record *rec, const struct order_key *key,
		     struct reason *r)
{
	struct tree *t = arg;
	struct record_task f;
	int err = record_get_task(session_events(t->session), rec, &f, r);

	(void)key;
	if (!err)
		*map64_put(&t->parents, task_key(f.pid, f.tid), NULL) = f.ppid;
	return 0; /* the reader of all records counts a damaged one */
}

static int node_cmp(const void *pa, const void *pb)
{
	const struct task *a = ((const struct node *)pa)->task;
	const struct task *b = ((const struct node *)pb)->task;

	if (a->machine != b->machine)
		return a->machine < b->machine ? -1 : 1;
	if (a->tid != b->tid)
		return (s32)a->tid < (s32)b->tid ? -1 : 1;
	return a->generation < b->generation ? -1 : a->generation > b->generation;
}

/*
 * Keeps one line for a task that was forked twice under its numbers (found running, then forked).
 */
static void drop_earlier_lives(struct tree *t)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->nodes.count; i++) {
		const struct task *next =
			i + 1 < t->nodes.count ? t->nodes.items[i + 1].task : NULL;
		const struct task *task = t->nodes.items[i].task;

		if (next && next->machine == task->machine && next->tid == task->tid &&
		    next->pid == task->pid)
			continue;
		t->nodes.items[kept++] = t->nodes.items[i];
	}
	t->nodes.count = kept;
}

static void gather_nodes(struct tree *t)
{
	for (u32 i = 0; i < history_task_count(t->history); i++) {
		const struct task *task = history_task_by_id(t->history, i);
		const u64 *parent = map64_get(&t->parents, task_key(task->pid, task->tid));

		vec_push(&t->nodes, (struct node){ task, parent ? (s32)*parent : -1, false });
	}
	vec_sort(&t->nodes, node_cmp);
	drop_earlier_lives(t);
	for (size_t i = 0; i < t->nodes.count; i++)
		if (t->nodes.items[i].task->pid == t->nodes.items[i].task->tid)
			*map64_put(&t->by_tid, t->nodes.items[i].task->tid, NULL) = i;
}

struct map_line {
	struct tree *tree;
	int level;
	bool any; /* a mapping has been printed already */
};

static void put_mapping(void *arg, const struct mapping *m)
{
	struct map_line *l = arg;
	const struct image *image = image_get(session_images(l->tree->session), m->image);
	const char protection[] = { m->prot & PROT_READ ? 'r' : '-',
				    m->prot & PROT_WRITE ? 'w' : '-',
				    m->prot & PROT_EXEC ? 'x' : '-',
				    m->flags & MAP_SHARED ? 's' : 'p', 0 };

	if (l->tree->json) {
		strbuf_f(l->tree->out,
			 "%s\n{\"start\":%" PRIu64 ",\"end\":%" PRIu64 ",\"protection\":\"%s\","
			 "\"offset\":%" PRIu64 ",\"inode\":%" PRIu64 ",\"path\":",
			 l->any ? "," : "", m->start, m->end, protection, m->pgoff, image->ino);
		json_text(l->tree->out, image->path);
		strbuf_char(l->tree->out, '}');
		l->any = true;
		return;
	}
	strbuf_pad(l->tree->out, ' ', 32 + l->level);
	strbuf_f(l->tree->out, "%" PRIx64 "-%" PRIx64 " %s %08" PRIx64 " %" PRIu64 " ", m->start,
		 m->end, protection, m->pgoff, image->ino);
	strbuf_printable(l->tree->out, image->path);
	strbuf_char(l->tree->out, '\n');
}

static void put_task_json(struct tree *t, const struct node *n, int level)
{
	struct map_line line = { .tree = t };

	strbuf_f(t->out,
		 "%s\n{\"pid\":%d,\"tid\":%d,\"ppid\":%d,\"level\":%d,\"comm\":", t->any ? "," : "",
		 (s32)n->task->pid, (s32)n->task->tid, n->parent, level);
	json_text(t->out,
		  history_comm_text(t->history, history_comm(t->history, n->task, &the_end)));
	if (t->maps) {
		strbuf_str(t->out, ",\"maps\":[");
		history_each_mapping(t->history, history_space(t->history, n->task, &the_end),
				     put_mapping, &line);
		strbuf_char(t->out, ']');
	}
	strbuf_char(t->out, '}');
	t->any = true;
}

static void put_task(struct tree *t, struct node *n, int level)
{
	const struct task *task = n->task;
	struct map_line line = { .tree = t, .level = level };

	if (t->json) {
		put_task_json(t, n, level);
		return;
	}
	strbuf_f(t->out, "  %8d %8d %8d |%*s", (s32)task->pid, (s32)task->tid, n->parent, level,
		 "");
	strbuf_printable(t->out,
			 history_comm_text(t->history, history_comm(t->history, task, &the_end)));
	strbuf_char(t->out, '\n');
	if (t->maps)
		history_each_mapping(t->history, history_space(t->history, task, &the_end),
				     put_mapping, &line);
}

/* Writes the tree depth first. `done` also stops a ring of parents, which reused pids can make. */
static void put_tree(struct tree *t, size_t index, int level)
{
	struct node *n = &t->nodes.items[index];

	if (n->done)
		return;
	n->done = true;
	put_task(t, n, level);
	if (n->task->pid != n->task->tid)
		return;
	for (size_t i = 0; i < t->nodes.count; i++)
		if (t->nodes.items[i].parent == (s32)n->task->tid && !t->nodes.items[i].done)
			put_tree(t, i, MIN(level + 1, 200));
}

static bool has_parent(const struct tree *t, size_t index)
{
	const struct node *n = &t->nodes.items[index];
	const u64 *parent = map64_get(&t->by_tid, (u32)n->parent);

	return parent && *parent != index;
}

static int put_tasks(struct session *s, bool maps, bool json, struct strbuf *out, struct reason *r)
{
	struct tree t = {
		.session = s,
		.history = session_history(s),
		.maps = maps,
		.json = json,
		.out = out,
		.r = r,
	};
	struct session_ops ops = {
		.order = SESSION_SUMS,
		.record = note_fork,
		.no_tasks = true,
		.no_locations = true,
		.want = { BIT64(PERF_RECORD_FORK) },
	};
	int err = session_run(s, &ops, &t, r);

	if (!err) {
		gather_nodes(&t);
		if (json)
			strbuf_char(out, '[');
		else
			strbuf_f(out, "# %8s %8s %8s  %s\n", "pid", "tid", "ppid", "comm");
		for (size_t i = 0; i < t.nodes.count; i++)
			if (!has_parent(&t, i))
				put_tree(&t, i, 0);
		for (size_t i = 0; i < t.nodes.count; i++)
			put_tree(&t, i, 0);
		if (json)
			strbuf_char(out, ']');
	}
	map64_release(&t.parents);
	map64_release(&t.by_tid);
	vec_release(&t.nodes);
	return err;
}

int session_tasks_text(struct session *s, bool maps, struct strbuf *out, struct reason *r)
{
	return put_tasks(s, maps, false, out, r);
}

int session_tasks_json(struct session *s, bool maps, struct strbuf *out, struct reason *r)
{
	return put_tasks(s, maps, true, out, r);
}
