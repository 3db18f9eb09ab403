// SPDX-License-Identifier: GPL-2.0-or-later
#include "dump/record_text.h"

#include "base/bytes.h"
#include "base/strbuf.h"
#include "base/text.h"

/* Appends a name from a file, without control characters. */
static void add_name(struct strbuf *b, const char *name)
{
	strbuf_printable(b, name);
	strbuf_char(b, '\n');
}

static bool mmap_text(const struct event_set *set, const struct record *rec, struct strbuf *b)
{
	enum { READ = 1, WRITE = 2, EXEC = 4, SHARED = 1 };
	struct record_mmap m;
	bool data = rec->misc & PERF_RECORD_MISC_MMAP_DATA;

	if (record_get_mmap(set, rec, &m, NULL))
		return false;
	strbuf_f(b, " %d/%d: [%#" PRIx64 "(%#" PRIx64 ") @ %#" PRIx64, (s32)m.pid, (s32)m.tid,
		 m.start, m.len, m.pgoff);
	if (!m.is_mmap2) {
		strbuf_f(b, "]: %c ", data ? 'r' : 'x');
		add_name(b, m.filename);
		return true;
	}
	if (m.build_id_size) {
		strbuf_str(b, " <");
		for (unsigned i = 0; i < m.build_id_size; i++)
			strbuf_hex_zero(b, m.build_id[i], 2);
		strbuf_char(b, '>');
	} else {
		strbuf_f(b, " %02x:%02x %" PRIu64 " %" PRIu64, m.maj, m.min, m.ino,
			 m.ino_generation);
	}
	strbuf_f(b, "]: %c%c%c%c ", m.prot & READ ? 'r' : '-', m.prot & WRITE ? 'w' : '-',
		 m.prot & EXEC ? 'x' : '-', m.flags & SHARED ? 's' : 'p');
	add_name(b, m.filename);
	return true;
}

static bool comm_text(const struct event_set *set, const struct record *rec, struct strbuf *b)
{
	struct record_comm c;

	if (record_get_comm(set, rec, &c, NULL))
		return false;
	strbuf_str(b, c.exec ? " exec: " : ": ");
	strbuf_printable(b, c.comm);
	strbuf_f(b, ":%d/%d\n", (s32)c.pid, (s32)c.tid);
	return true;
}

static bool task_text(const struct event_set *set, const struct record *rec, struct strbuf *b)
{
	struct record_task t;

	if (record_get_task(set, rec, &t, NULL))
		return false;
	strbuf_f(b, "(%d:%d):(%d:%d)\n", (s32)t.pid, (s32)t.tid, (s32)t.ppid, (s32)t.ptid);
	return true;
}

static bool lost_text(const struct event_set *set, const struct record *rec, struct strbuf *b)
{
	struct record_lost l;

	if (record_get_lost(set, rec, &l, NULL))
		return false;
	strbuf_f(b,
		 rec->type == PERF_RECORD_LOST_SAMPLES &&
				 rec->misc & PERF_RECORD_MISC_LOST_SAMPLES_BPF
			 ? " dropped by the filter %" PRIu64 "\n"
			 : " lost %" PRIu64 "\n",
		 l.lost);
	return true;
}

static bool namespaces_text(const struct event_set *set, const struct record *rec, struct strbuf *b)
{
	static const char *const names[] = {
		"net", "uts", "ipc", "pid", "user", "mnt", "cgroup",
	};
	struct record_namespaces n;

	if (record_get_namespaces(set, rec, &n, NULL))
		return false;
	strbuf_f(b, " %d/%d - nr_namespaces: %" PRIu64 "\n\t\t[", (s32)n.pid, (s32)n.tid, n.count);
	for (u64 i = 0; i < n.count; i++) {
		if (i && !(i % 4))
			strbuf_str(b, "\n\t\t ");
		strbuf_f(b, "%" PRIu64 "/%s: %" PRIu64 "/%#" PRIx64 "%s", i,
			 i < ARRAY_SIZE(names) ? names[i] : "unknown",
			 load_u64(n.links + i * 16, set->swap),
			 load_u64(n.links + i * 16 + 8, set->swap), i + 1 < n.count ? ", " : "]\n");
	}
	return true;
}

static bool cgroup_text(const struct event_set *set, const struct record *rec, struct strbuf *b)
{
	struct record_cgroup c;

	if (record_get_cgroup(set, rec, &c, NULL))
		return false;
	strbuf_f(b, " cgroup: %" PRIu64 " ", c.id);
	add_name(b, c.path);
	return true;
}

static bool ksymbol_text(const struct event_set *set, const struct record *rec, struct strbuf *b)
{
	struct record_ksymbol k;

	if (record_get_ksymbol(set, rec, &k, NULL))
		return false;
	strbuf_f(b, " addr %" PRIx64 " len %u type %u flags 0x%x name ", k.addr, k.len, k.ksym_type,
		 k.flags);
	add_name(b, k.name);
	return true;
}

static bool bpf_text(const struct event_set *set, const struct record *rec, struct strbuf *b)
{
	struct record_bpf_event e;

	if (record_get_bpf_event(set, rec, &e, NULL))
		return false;
	strbuf_f(b, " type %u, flags %u, id %u\n", e.type, e.flags, e.id);
	return true;
}

/* Appends the bytes, 16 to a line. */
static void poke_bytes(struct strbuf *b, const char *what, const u8 *bytes, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		if (i % 16 == 0)
			strbuf_f(b, "            %s bytes:", what);
		strbuf_f(b, " %02x", bytes[i]);
		if (i % 16 == 15 || i + 1 == count)
			strbuf_char(b, '\n');
	}
}

static bool text_poke_text(const struct event_set *set, const struct record *rec, struct strbuf *b)
{
	struct record_text_poke p;

	if (record_get_text_poke(set, rec, &p, NULL))
		return false;
	strbuf_f(b, " %" PRIx64 "  old len %u new len %u\n", p.addr, p.old_len, p.new_len);
	poke_bytes(b, "Old", p.bytes, p.old_len);
	poke_bytes(b, "New", p.bytes + p.old_len, p.new_len);
	return true;
}

static bool switch_text(const struct event_set *set, const struct record *rec, struct strbuf *b)
{
	struct record_switch s;

	if (record_get_switch(set, rec, &s, NULL))
		return false;
	strbuf_char(b, ' ');
	strbuf_str(b, !s.out ? "IN         " : !s.preempt ? "OUT        " : "OUT preempt");
	if (s.cpu_wide)
		strbuf_f(b, "  %s pid/tid: %5d/%-5d", s.out ? "next" : "prev", (s32)s.next_prev_pid,
			 (s32)s.next_prev_tid);
	strbuf_char(b, '\n');
	return true;
}

static bool aux_text(const struct event_set *set, const struct record *rec, struct strbuf *b)
{
	struct record_aux a;

	if (record_get_aux(set, rec, &a, NULL))
		return false;
	strbuf_f(b, " offset: %#" PRIx64 " size: %#" PRIx64 " flags: %#" PRIx64 " [%s%s%s]\n",
		 a.offset, a.size, a.flags, a.flags & 1 ? "T" : "", a.flags & 2 ? "O" : "",
		 a.flags & 4 ? "P" : "");
	return true;
}

static bool itrace_start_text(const struct event_set *set, const struct record *rec,
			      struct strbuf *b)
{
	struct record_itrace_start t;

	if (record_get_itrace_start(set, rec, &t, NULL))
		return false;
	strbuf_f(b, " pid: %u tid: %u\n", t.pid, t.tid);
	return true;
}

/* Appends the addresses, without the markers between them. */
static bool deferred_text(const struct event_set *set, const struct record *rec, struct strbuf *b)
{
	struct record_callchain_deferred chain;

	if (record_get_callchain_deferred(set, rec, &chain, NULL))
		return false;
	strbuf_f(b, " [cookie: %#" PRIx64 "]\n", chain.cookie);
	for (u64 i = 0; i < chain.nr; i++) {
		u64 ip = load_u64(chain.ips + 8 * i, set->swap);

		if (ip < PERF_CONTEXT_MAX)
			strbuf_f(b, "\t%16" PRIx64 "\n", ip);
	}
	return true;
}

static bool hw_id_text(const struct event_set *set, const struct record *rec, struct strbuf *b)
{
	struct record_aux_output_hw_id h;

	if (record_get_aux_output_hw_id(set, rec, &h, NULL))
		return false;
	strbuf_f(b, " hw_id: %#" PRIx64 "\n", h.hw_id);
	return true;
}

typedef bool (*text_fn)(const struct event_set *set, const struct record *rec, struct strbuf *b);

static const text_fn texts[PERF_RECORD_KERNEL_MAX] = {
	[PERF_RECORD_MMAP] = mmap_text,
	[PERF_RECORD_MMAP2] = mmap_text,
	[PERF_RECORD_COMM] = comm_text,
	[PERF_RECORD_FORK] = task_text,
	[PERF_RECORD_EXIT] = task_text,
	[PERF_RECORD_LOST] = lost_text,
	[PERF_RECORD_LOST_SAMPLES] = lost_text,
	[PERF_RECORD_NAMESPACES] = namespaces_text,
	[PERF_RECORD_CGROUP] = cgroup_text,
	[PERF_RECORD_KSYMBOL] = ksymbol_text,
	[PERF_RECORD_BPF_EVENT] = bpf_text,
	[PERF_RECORD_TEXT_POKE] = text_poke_text,
	[PERF_RECORD_SWITCH] = switch_text,
	[PERF_RECORD_SWITCH_CPU_WIDE] = switch_text,
	[PERF_RECORD_AUX] = aux_text,
	[PERF_RECORD_ITRACE_START] = itrace_start_text,
	[PERF_RECORD_AUX_OUTPUT_HW_ID] = hw_id_text,
	[PERF_RECORD_CALLCHAIN_DEFERRED] = deferred_text,
};

void record_text(const struct event_set *set, const struct record *rec, struct strbuf *b)
{
	const char *name = record_type_name(rec->type);
	text_fn fn = rec->type < ARRAY_SIZE(texts) ? texts[rec->type] : NULL;

	if (name)
		strbuf_str(b, name);
	else
		strbuf_f(b, "PERF_RECORD_%u", rec->type);
	if (!fn || !fn(set, rec, b))
		strbuf_char(b, '\n');
}
