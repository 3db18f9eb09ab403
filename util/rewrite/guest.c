// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Inserts the records of a guest into the recording of its host by their times.
 *
 * Its events follow the host's, with new ids; ID_INDEX says to which guest an id belongs, and to
 * which of its CPUs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "rewrite/guest.h"

static int bad_text(const char *text, struct reason *r)
{
	reason_set(r, EINVAL, "--guest-data: '%s' is not FILE,PID[,OFFSET[,SCALE]]", text);
	reason_hint(r, "PID is that of the guest's hypervisor in the host's recording");
	return -EINVAL;
}

static int parse(struct guest_pass *g, const char *text, struct reason *r)
{
	const char *comma = strchr(text, ',');
	char *end;
	u64 pid;

	g->scale = 1;
	if (!comma || comma == text)
		return bad_text(text, r);
	g->path = xasprintf("%.*s", (int)(comma - text), text);
	errno = 0;
	pid = strtoull(comma + 1, &end, 10);
	if (end == comma + 1 || comma[1] == '-' || !pid || pid > INT32_MAX)
		return bad_text(text, r);
	g->pid = (u32)pid;
	if (*end == ',') {
		const char *from = end + 1;

		g->offset = strtoull(from, &end, 0);
		if (end == from)
			return bad_text(text, r);
	}
	if (*end == ',') {
		size_t n = parse_decimal(end + 1, &g->scale);

		if (!n || !(g->scale > 0) || g->scale > 1e18)
			return bad_text(text, r);
		end += 1 + n;
	}
	return *end || errno ? bad_text(text, r) : 0;
}

/*
 * Checks that a record's id identifies its origin, without knowing the event. Returns 0 or -EINVAL
 * with a reason.
 */
static int check_events(const struct event_set *set, const char *path, bool all, struct reason *r)
{
	vec_for_each(&set->list, it) {
		u64 type = (*it)->attr.sample_type;
		const char *missing = !(type & PERF_SAMPLE_IDENTIFIER) ? "no identifier"
				      : !(type & PERF_SAMPLE_TIME)     ? "no time"
				      : all && !((*it)->attr.flags & ATTR_SAMPLE_ID_ALL)
					      ? "no ids in records that are not samples"
					      : NULL;

		if (!missing)
			continue;
		reason_set(r, EINVAL, "the event '%s' of '%s' has %s", (*it)->name, path, missing);
		reason_hint(r, "record with --sample-identifier -T");
		return -EINVAL;
	}
	return set->list.count ? 0 : reason_set(r, EINVAL, "'%s' has no events", path);
}

static int open_guest(struct rewriter *w, struct guest_pass *g, struct reason *r)
{
	const struct session_options o = { .input = g->path,
					   .force = w->s->force,
					   .no_jitdumps = true };
	int err;

	if (!strcmp(g->path, "-") || !strcmp(w->s->input, "-") || w->from_stream) {
		reason_set(r, ENOTSUP,
			   "--guest-data needs two files: a stream cannot be read twice");
		reason_hint(r, "perf inject -i HOST --guest-data=GUEST,PID");
		return -ENOTSUP;
	}
	err = session_open(w->ctx, &o, &g->session, r);
	if (err)
		return err;
	g->set = session_events(g->session);
	if (data_is_pipe(session_data(g->session)) || w->in->swap || g->set->swap)
		return reason_set(
			r, ENOTSUP,
			"--guest-data: '%s' and '%s' must be files of this machine's byte order",
			w->s->input, g->path);
	err = check_events(g->set, g->path, true, r);
	return err ? err : check_events(w->in, w->s->input, false, r);
}

/* Finds the number in "CPU 3/KVM". */
static bool vcpu_number(const char *comm, u32 *number)
{
	unsigned n;
	int used = 0;

	if (sscanf(comm, "CPU %u/KVM%n", &n, &used) != 1 || !used || comm[used])
		return false;
	*number = n;
	return true;
}

static struct vcpu *find_vcpu(struct guest_pass *g, s32 number)
{
	vec_for_each(&g->vcpus, v)
		if ((s32)v->number == number)
			return v;
	return NULL;
}

struct host_scan {
	struct guest_pass *g;
	const struct event_set *set;
};

static int look_at_host(void *arg, const struct record *rec, const struct order_key *key)
{
	struct host_scan *h = arg;
	struct guest_pass *g = h->g;
	struct record_comm c;
	struct vcpu *v;
	u32 number;

	(void)key;
	if (rec->type == PERF_RECORD_TIME_CONV)
		guest_take_clock(&g->host, rec);
	if (rec->type != PERF_RECORD_COMM || record_get_comm(h->set, rec, &c, NULL) ||
	    c.pid != g->pid)
		return 0;
	g->pid_seen = true;
	if (!vcpu_number(c.comm, &number))
		return 0;
	v = find_vcpu(g, (s32)number);
	if (!v) {
		vec_push(&g->vcpus, (struct vcpu){ .number = number, .host_cpu = -1 });
		v = vec_last(&g->vcpus);
	}
	v->tid = c.tid;
	return 0;
}

static int find_vcpus(struct rewriter *w, struct guest_pass *g, struct reason *r)
{
	struct host_scan h = { .g = g };
	struct data_reader *d;
	int err = data_open(w->ctx, w->s->input, w->s->force, &d, r);

	if (err)
		return err;
	h.set = data_events(d);
	err = data_scan(d, look_at_host, &h, r);
	data_close(d);
	if (!err && !g->vcpus.count) {
		err = reason_set(
			r, ENOENT,
			g->pid_seen
				? "no thread of process %u in '%s' has the name of a guest's CPU "
				  "('CPU 0/KVM')"
				: "no process %u in '%s'",
			g->pid, w->s->input);
		reason_hint(r, g->pid_seen ? "start QEMU with -name NAME,debug-threads=on"
					   : "PID is that of the guest's hypervisor: perf script "
					     "--show-task-events");
	}
	return err;
}

/* Reads the guest's own ID_INDEX: on which CPU an id counts. */
static int look_at_guest(void *arg, const struct record *rec, const struct order_key *key)
{
	struct guest_pass *g = arg;
	u64 count;

	(void)key;
	if (rec->type == PERF_RECORD_TIME_CONV)
		guest_take_clock(&g->guest, rec);
	if (rec->type != PERF_RECORD_ID_INDEX || rec->size < 16)
		return 0;
	count = MIN(load_u64(rec->data + 8, false), (rec->size - 16u) / 32);
	for (u64 i = 0; i < count; i++) {
		const u8 *entry = rec->data + 16 + i * 32;
		const u64 *at = map64_get(&g->by_id, load_u64(entry, false));

		if (at)
			g->ids.items[*at].vcpu = (s32)load_u64(entry + 16, false);
	}
	return 0;
}

/* Marks an event as counted in the guest, whatever its name there said of hosts and guests. */
static void note_guest_event(struct event *ev)
{
	const char *colon = ev->name ? strrchr(ev->name, ':') : NULL;
	struct strbuf name = STRBUF_INIT;

	strbuf_str(&name, ev->name ? ev->name : "event");
	if (colon && colon[1] && !colon[1 + strspn(colon + 1, "ukhpPGHISDWeb")]) {
		strbuf_truncate(&name, (size_t)(colon + 1 - ev->name));
		for (const char *c = colon + 1; *c; c++)
			if (*c != 'G' && *c != 'H')
				strbuf_char(&name, *c);
	} else {
		strbuf_char(&name, ':');
	}
	strbuf_char(&name, 'G');
	free(ev->name);
	ev->name = strbuf_detach(&name);
	ev->attr.flags = (ev->attr.flags | ATTR_EXCLUDE_HOST) & ~ATTR_EXCLUDE_GUEST;
}

void guest_add_events(struct rewriter *w)
{
	struct guest_pass *g = w->guest;

	if (!g)
		return;
	vec_for_each(&w->in->list, it)
		vec_for_each(&(*it)->ids, id)
			g->greatest_id = MAX(g->greatest_id, *id);
	g->first = (u32)w->out.list.count;
	vec_for_each(&g->set->list, it) {
		struct event *ev = event_set_copy(&w->out, *it);

		note_guest_event(ev);
		vec_for_each(&(*it)->ids, id) {
			*map64_put(&g->by_id, *id, NULL) = g->ids.count;
			vec_push(&g->ids, (struct guest_id){ *id, ++g->greatest_id, -1 });
			event_set_add_id(&w->out, ev, g->greatest_id);
		}
	}
	vec_for_each(&g->set->list, it) {
		struct event *ev = w->out.list.items[g->first + (*it)->index];

		ev->leader = w->out.list.items[g->first + (*it)->leader->index];
		ev->members = (*it)->members;
	}
}

static void put_ids(struct rewriter *w, struct guest_pass *g)
{
	enum { ENTRY = 48, MOST = (UINT16_MAX - 16) / ENTRY };

	for (size_t from = 0; from < g->ids.count; from += MOST) {
		size_t n = MIN(g->ids.count - from, (size_t)MOST), size = 16 + n * ENTRY;
		u8 *p = memset(strbuf_grow(&w->buf, size), 0, size);

		w->buf.len += size;
		store_u32(p, PERF_RECORD_ID_INDEX);
		store_u16(p + 6, (u16)size);
		store_u64(p + 8, n);
		for (size_t i = 0; i < n; i++) {
			const struct guest_id *id = &g->ids.items[from + i];
			const struct vcpu *v = find_vcpu(g, id->vcpu);
			u8 *entry = p + 16 + i * 32, *place = p + 16 + n * 32 + i * 16;

			store_u64(entry, id->ours);
			store_u64(entry + 16, UINT64_MAX); /* on any CPU of the host */
			store_u64(entry + 24, v ? v->tid : UINT64_MAX);
			store_u64(place, g->pid);
			store_u64(place + 8, (u64)(s64)id->vcpu);
		}
	}
}

/* Adds the build-ids of the guest's files, for the guest. */
void guest_add_build_ids(struct rewriter *w, struct strbuf *b)
{
	struct guest_pass *g = w->guest;
	const struct data_build_id *ids;
	size_t n;

	if (!g)
		return;
	ids = data_build_ids(session_data(g->session), &n);
	for (size_t i = 0; i < n; i++) {
		bool kernel =
			(ids[i].misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;

		data_build_id_add(
			b, kernel ? PERF_RECORD_MISC_GUEST_KERNEL : PERF_RECORD_MISC_GUEST_USER,
			(s32)g->pid, ids[i].id, ids[i].size, ids[i].name);
	}
}

static int read_next(struct guest_pass *g, struct reason *r)
{
	g->next.size = 0;
	if (fread(&g->next, sizeof(g->next), 1, g->sorted) == 1 &&
	    g->next.size <= sizeof(g->bytes) && fread(g->bytes, g->next.size, 1, g->sorted) == 1)
		return 0;
	g->next.size = 0;
	return ferror(g->sorted) ? reason_errno(r, errno, "cannot read a temporary file") : 0;
}

static int put_until(struct rewriter *w, struct guest_pass *g, u64 time, struct reason *r)
{
	int err = 0;

	while (!err && g->next.size && g->next.time <= time) {
		if (g->next.cpu_at) {
			const struct vcpu *v = find_vcpu(g, g->next.vcpu);

			store_u32(g->bytes + g->next.cpu_at, (u32)(v ? v->host_cpu : -1));
		}
		strbuf_add(&w->buf, g->bytes, g->next.size);
		err = read_next(g, r);
	}
	return err;
}

int guest_before(struct rewriter *w, const struct record *rec, u64 time, struct reason *r)
{
	struct guest_pass *g = w->guest;
	struct sample_id id;
	struct sample s;
	int err = put_until(w, g, time, r);

	/* where the guest's CPUs run from here on */
	if (rec->type != PERF_RECORD_SAMPLE)
		(void)record_sample_id(w->in, rec, &id, NULL, NULL);
	else if (!sample_decode(w->in, rec, &s, NULL))
		id = s.id;
	else
		return err;
	vec_for_each(&g->vcpus, v)
		if (v->tid == id.tid && id.cpu != UINT32_MAX)
			v->host_cpu = (s32)id.cpu;
	return err;
}

/* Widens the times of the samples to include the guest's, if the host's file has them. */
static void widen_times(struct rewriter *w, const struct guest_pass *g)
{
	size_t size;
	const u8 *times = data_feature(w->reader, FEATURE_SAMPLE_TIME, &size);

	if (times && size >= 16 && g->first_sample)
		data_set_sample_time(w->writer, MIN(load_u64(times, false), g->first_sample),
				     MAX(load_u64(times + 8, false), g->last_sample));
}

int guest_begin(struct rewriter *w, struct reason *r)
{
	struct guest_pass *g = w->guest;
	int err = data_scan(session_data(g->session), look_at_guest, g, r);

	if (!err)
		err = guest_sort_records(w, g, r);
	if (err)
		return err;
	widen_times(w, g);
	put_ids(w, g);
	return read_next(g, r);
}

static void say(struct rewriter *w, const struct guest_pass *g, const char *code, u64 count,
		const char *what)
{
	if (count)
		condition_add(&w->ctx->conditions, CONDITION_WARNING, code, g->path, NULL, 1, NULL,
			      "%" PRIu64 " record%s of '%s' left out: %s", count,
			      count == 1 ? "" : "s", g->path, what);
}

int guest_end(struct rewriter *w, struct reason *r)
{
	struct guest_pass *g = w->guest;
	int err = put_until(w, g, UINT64_MAX, r);

	say(w, g, "guest-no-event", g->nameless, "their event is not known");
	say(w, g, "guest-tracepoints", g->tracepoints,
	    "samples of tracepoints need the formats of the guest's kernel");
	return err;
}

int guest_start(struct rewriter *w, struct reason *r)
{
	int err;

	if (!w->s->guest_data)
		return 0;
	w->guest = xcalloc(1, sizeof(*w->guest));
	err = parse(w->guest, w->s->guest_data, r);
	if (!err)
		err = open_guest(w, w->guest, r);
	return err ? err : find_vcpus(w, w->guest, r);
}

void guest_release(struct rewriter *w)
{
	struct guest_pass *g = w->guest;

	if (!g)
		return;
	if (g->sorted)
		fclose(g->sorted);
	session_free(g->session);
	vec_release(&g->ids);
	vec_release(&g->vcpus);
	map64_release(&g->by_id);
	free(g->path);
	free(g);
}
