// SPDX-License-Identifier: GPL-2.0-or-later
/* The start of a line: comm, pid/tid, [cpu], misc, time. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/bytes.h"
#include "base/digits.h"
#include "base/text.h"
#include "builtin/script/internal.h"

#define NSEC 1000000000ULL

enum { PERIOD_WIDTH = 10 };

static void add_comm(struct script *s, const struct event_view *v, const char *comm,
		     struct strbuf *b)
{
	size_t n;

	if (!comm)
		comm = ":-1";
	n = strlen(comm);
	if (s->o->latency) {
		char *cut = xstrndup(comm, text_fit(comm, n, 8));

		strbuf_pad(b, ' ', 8 - text_columns(cut, strlen(cut)));
		strbuf_printable(b, cut);
		free(cut);
	} else {
		if (!(shows(v, SHOW_IP) && v->has_chain))
			strbuf_pad(b, ' ', 16 - text_columns(comm, n));
		strbuf_printable(b, comm);
	}
	strbuf_char(b, ' ');
}

/* Adds a pid in five columns (-1 means not recorded). */
static void add_pid(u32 pid, bool left, struct strbuf *b)
{
	size_t start = b->len;

	if ((s32)pid < 0) {
		strbuf_f(b, left ? "%-5d" : "%5d", (s32)pid);
	} else if (left) {
		strbuf_dec(b, pid);
		strbuf_pad(b, ' ', 5 - (int)(b->len - start));
	} else {
		strbuf_dec_pad(b, pid, 5);
	}
}

static void add_task(const struct event_view *v, const struct sample_id *id, struct strbuf *b)
{
	bool pid = shows(v, SHOW_PID), tid = shows(v, SHOW_TID);

	if (!pid && !tid)
		return;
	if (pid) {
		add_pid(id->pid, false, b);
		if (tid)
			strbuf_char(b, '/');
	}
	if (tid)
		add_pid(id->tid, pid, b);
	strbuf_char(b, ' ');
}

static void add_cpu(const struct script *s, u32 cpu, struct strbuf *b)
{
	if (s->o->latency) {
		strbuf_f(b, "%3d ", (s32)cpu);
		return;
	}
	strbuf_char(b, '[');
	if ((s32)cpu < 0)
		strbuf_f(b, "%03d", (s32)cpu);
	else
		strbuf_dec_zero(b, cpu, 3);
	strbuf_add(b, "] ", 2);
}

/* Adds letters for the misc bits of the record, in a column of six. */
static void add_misc(u16 misc, u32 type, struct strbuf *b)
{
	static const struct {
		u16 bits;
		char letter;
	} modes[] = {
		{ PERF_RECORD_MISC_KERNEL, 'K' },     { PERF_RECORD_MISC_USER, 'U' },
		{ PERF_RECORD_MISC_HYPERVISOR, 'H' }, { PERF_RECORD_MISC_GUEST_KERNEL, 'G' },
		{ PERF_RECORD_MISC_GUEST_USER, 'g' },
	};
	size_t start = b->len;

	for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
		if ((misc & modes[i].bits) == modes[i].bits)
			strbuf_char(b, modes[i].letter);
	if ((type == PERF_RECORD_MMAP || type == PERF_RECORD_MMAP2) &&
	    (misc & PERF_RECORD_MISC_MMAP_DATA))
		strbuf_char(b, 'M');
	if (type == PERF_RECORD_COMM && (misc & PERF_RECORD_MISC_COMM_EXEC))
		strbuf_char(b, 'E');
	if ((type == PERF_RECORD_SWITCH || type == PERF_RECORD_SWITCH_CPU_WIDE) &&
	    (misc & PERF_RECORD_MISC_SWITCH_OUT)) {
		strbuf_char(b, 'S');
		if (misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT)
			strbuf_char(b, 'p');
	}
	strbuf_pad(b, ' ', MAX(1, 6 - (int)(b->len - start)));
}

/*
 * Converts a time of the file's clock to wall-clock time, by the readings of both clocks at the
 * start.
 */
static void add_time_of_day(struct script *s, u64 time, struct strbuf *b)
{
	struct data_reader *data = session_data(s->session);
	size_t size = 0;
	const u8 *clocks = data ? data_feature(data, FEATURE_CLOCK_DATA, &size) : NULL;
	u64 wall, file_clock, now;
	struct tm tm;
	time_t seconds;
	char text[32];

	/* u32 version, u32 clock id, u64 wall clock ns, u64 the file's clock ns */
	if (!clocks || size < 24) {
		strbuf_str(b, "N/A ");
		return;
	}
	wall = load_u64(clocks + 8, data_is_swapped(data));
	file_clock = load_u64(clocks + 16, data_is_swapped(data));
	now = wall + (time - file_clock);
	seconds = (time_t)(now / NSEC);
	if (!localtime_r(&seconds, &tm) || !strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm))
		return;
	strbuf_str(b, text);
	strbuf_char(b, '.');
	strbuf_dec_zero(b, s->o->nanoseconds ? now % NSEC : now % NSEC / 1000,
			s->o->nanoseconds ? 9 : 6);
	strbuf_char(b, ' ');
}

static u64 shown_time(struct script *s, u64 time)
{
	u64 before = s->previous_time;

	if (s->o->relative_time) {
		if (!s->initial_time)
			s->initial_time = time;
		return time - s->initial_time;
	}
	if (s->o->delta_time) {
		s->previous_time = time;
		return before ? time - before : 0;
	}
	return time;
}

/* Adds right-aligned seconds, which gives "%12s" of seconds.usec, or "%5lu" before nsec. */
static void add_seconds(u64 t, struct strbuf *b)
{
	strbuf_dec_pad(b, t / NSEC, 5);
	strbuf_char(b, '.');
}

static void add_time(struct script *s, u64 time, struct strbuf *b)
{
	u64 t = shown_time(s, time);

	add_seconds(t, b);
	if (s->o->nanoseconds)
		strbuf_dec_zero(b, t % NSEC, 9);
	else
		strbuf_dec_zero(b, t % NSEC / 1000, 6);
	strbuf_add(b, ": ", 2);
}

/* Adds where a record of a guest's own recording came from: "VM:  812 VCPU:003 ". */
static void add_guest(struct script *s, const struct event_view *v, u64 id, struct strbuf *b)
{
	struct guest_place place;

	if (!history_guest_place(s->history, id, &place))
		return;
	if (shows(v, SHOW_MACHINE_PID))
		strbuf_f(b, "VM:%5u ", place.machine);
	if (shows(v, SHOW_VCPU))
		strbuf_f(b, "VCPU:%03d ", place.vcpu);
}

void script_add_head(struct script *s, const struct event_view *v, const struct line_head *h,
		     struct strbuf *b)
{
	if (shows(v, SHOW_MACHINE_PID) || shows(v, SHOW_VCPU))
		add_guest(s, v, h->id->id, b);
	if (shows(v, SHOW_COMM))
		add_comm(s, v, h->comm, b);
	add_task(v, h->id, b);
	if (shows(v, SHOW_CPU))
		add_cpu(s, h->id->cpu, b);
	if (shows(v, SHOW_MISC))
		add_misc(h->misc, h->record_type, b);
	if (shows(v, SHOW_TOD))
		add_time_of_day(s, h->id->time, b);
	if (shows(v, SHOW_TIME))
		add_time(s, h->id->time, b);
}

/* ---- starts that are kept ---- */

static bool start_holds(const struct line_start *t, const struct event_view *v,
			const struct session_sample *ss)
{
	const struct sample_id *id = &ss->sample->id;

	return t->view == v && t->tid == id->tid && t->pid == id->pid && t->cpu == id->cpu &&
	       t->comm == ss->comm && id->time - t->second < NSEC;
}

/*
 * Makes a line's start with the functions that make any head. Returns false if it is too long to
 * keep.
 */
static bool make_start(struct script *s, struct line_start *t, const struct event_view *v,
		       const struct session_sample *ss, struct strbuf *b)
{
	const struct sample_id *id = &ss->sample->id;
	size_t from = b->len;

	if (shows(v, SHOW_COMM))
		add_comm(s, v, history_comm_text(s->history, ss->comm), b);
	add_task(v, id, b);
	if (shows(v, SHOW_CPU))
		add_cpu(s, id->cpu, b);
	if (shows(v, SHOW_TIME))
		add_seconds(id->time, b);
	*t = (struct line_start){
		.view = v,
		.second = id->time - id->time % NSEC,
		.pid = id->pid,
		.tid = id->tid,
		.cpu = id->cpu,
		.comm = ss->comm,
		.len = (u32)(b->len - from),
	};
	if (b->len - from > START_BYTES)
		t->view = NULL;
	else if (b->len > from)
		memcpy(t->text, b->s + from, b->len - from);
	strbuf_truncate(b, from);
	return t->view;
}

static struct line_start *find_start(struct script *s, const struct event_view *v,
				     const struct session_sample *ss, struct strbuf *b)
{
	const struct sample_id *id = &ss->sample->id;
	struct line_start *t;

	if (!v->keeps_start)
		return NULL;
	if (unlikely(!s->starts))
		s->starts = xcalloc(STARTS, sizeof(*s->starts));
	t = &s->starts[(id->tid ^ id->tid >> 6 ^ id->cpu << 3 ^ v->event->index << 1) % STARTS];
	return likely(start_holds(t, v, ss)) || make_start(s, t, v, ss, b) ? t : NULL;
}

/* Copies the text in pieces, without a call. */
static inline char *put_pieces(char *to, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i += START_PIECE)
		memcpy(to + i, text + i, START_PIECE);
	return to + n;
}

static inline char *put_period(char *to, u64 period)
{
	unsigned digits = digits_dec_count(period);

	for (; digits < PERIOD_WIDTH; digits++)
		*to++ = ' ';
	to = digits_dec(to, period);
	*to++ = ' ';
	return to;
}

void script_add_start(struct script *s, const struct event_view *v, const struct session_sample *ss,
		      u64 period, struct strbuf *b)
{
	const struct line_start *t = find_start(s, v, ss, b);
	char *to;

	if (!t) {
		const struct line_head head = {
			.comm = history_comm_text(s->history, ss->comm),
			.id = &ss->sample->id,
			.misc = ss->sample->misc,
			.record_type = PERF_RECORD_SAMPLE,
		};

		script_add_head(s, v, &head, b);
	}
	to = strbuf_grow(b, START_BYTES + 4 * DIGITS_ROOM + v->name_len + START_PIECE);
	if (t) {
		to = put_pieces(to, t->text, t->len);
		if (shows(v, SHOW_TIME)) {
			u32 rest = (u32)(ss->sample->id.time - t->second);

			to = s->o->nanoseconds ? digits_dec_exact(to, rest, 9)
					       : digits_six(to, rest / 1000);
			memcpy(to, ": ", 2);
			to += 2;
		}
	}
	if (shows(v, SHOW_PERIOD))
		to = put_period(to, period);
	if (shows(v, SHOW_EVENT))
		to = put_pieces(to, v->name, v->name_len);
	b->len = (size_t)(to - b->s);
	*to = '\0';
}
