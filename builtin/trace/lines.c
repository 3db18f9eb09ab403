// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines, as 6.1 prints them; or as JSON, or separated. */
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "base/text_table.h"
#include "builtin/trace/internal.h"

/* Adds ns as ms with three digits after the point, right-aligned. */
static void put_ms(struct strbuf *b, u64 ns, int width)
{
	enum { SPACE = 40 };
	u64 us = (ns + 500) / 1000, ms = us / 1000;
	u32 rest = (u32)(us - ms * 1000);
	char text[SPACE], *p = text + SPACE;

	*--p = (char)('0' + rest % 10);
	*--p = (char)('0' + rest / 10 % 10);
	*--p = (char)('0' + rest / 100);
	*--p = '.';
	do {
		*--p = (char)('0' + ms % 10);
	} while (ms /= 10);
	while (text + SPACE - p < width)
		*--p = ' ';
	strbuf_add(b, p, (size_t)(text + SPACE - p));
}

static void put_comm(struct strbuf *b, const struct trace_task *task, size_t most)
{
	char comm[sizeof(task->comm) + 1] = "";

	memcpy(comm, task->comm, MIN(most, sizeof(task->comm)));
	strbuf_printable(b, comm);
}

void line_begin(struct trace *t, const struct trace_line *l)
{
	struct strbuf *b = out_buf(&t->out);

	if (t->o.show_time) {
		if (l->no_time)
			strbuf_str(b, "         ?");
		else
			put_ms(b, l->time - (l->time >= t->base_time ? t->base_time : 0), 10);
		strbuf_char(b, ' ');
	}
	if (t->o.show_cpu) {
		strbuf_char(b, '[');
		strbuf_dec_zero(b, l->cpu, 3);
		strbuf_str(b, "] ");
	}
	if (t->o.show_duration) {
		strbuf_char(b, '(');
		if (l->no_duration)
			strbuf_str(b, "         ");
		else {
			put_ms(b, l->duration, 6);
			strbuf_str(b, " ms");
		}
		strbuf_str(b, "): ");
	}
	if (t->many && l->task) {
		if (t->o.comm) {
			put_comm(b, l->task, 14);
			strbuf_char(b, '/');
		}
		strbuf_dec(b, l->task->tid);
		strbuf_char(b, ' ');
	}
}

void line_end(struct trace *t)
{
	strbuf_char(out_buf(&t->out), '\n');
	t->printed++;
	if (t->o.max_events && t->printed >= t->o.max_events)
		t->done = true;
	out_done(&t->out);
	if (t->out.err)
		t->done = true;
}

struct saying {
	struct trace *t;
	u32 pid;
};

static void say_fd(void *arg, s32 fd, struct strbuf *out)
{
	struct saying *s = arg;

	process_say_fd(s->t, s->pid, fd, out);
}

static void say_pid(void *arg, s32 pid, struct strbuf *out)
{
	struct saying *s = arg;
	u64 *slot = map64_get(&s->t->tasks, (u64)pid);
	const struct trace_task *task = slot ? (const struct trace_task *)(uintptr_t)*slot : NULL;

	if (!task || !task->comm[0])
		return;
	strbuf_str(out, " (");
	put_comm(out, task, sizeof(task->comm));
	strbuf_char(out, ')');
}

static void put_result(struct trace *t, const struct syscall_call *s,
		       const struct syscall_says *says)
{
	struct strbuf *b = out_buf(&t->out);

	strbuf_str(b, "= ");
	syscall_print_result(s, &t->style, says, b);
}

/* Returns the call's ABI where it is not the machine's own (i386, x32, arm), or NULL. */
static const char *call_abi(const struct trace_call *c, const struct syscall_call *s)
{
	if (c->flags & TRACE_X32)
		return "x32";
	return c->flags & TRACE_COMPAT ? syscall_book_arch(s->book)->name : NULL;
}

void line_call(struct trace *t, const struct trace_call *c, const struct syscall_call *s,
	       const struct trace_task *task, bool continued, bool running)
{
	struct saying saying = { t, c->pid };
	const struct syscall_says says = { &saying, say_fd, say_pid };
	struct strbuf *b = out_buf(&t->out);
	bool ended = s->ended;
	struct trace_line l = { .time = c->entry_time,
				.no_time = !c->entry_time,
				.task = task,
				.cpu = c->cpu,
				.duration = ended ? c->exit_time - c->entry_time : 0,
				.no_duration = !ended || !c->entry_time };
	size_t begin, length;
	int most = (int)t->o.alignment;

	line_begin(t, &l);
	begin = b->len;
	if (call_abi(c, s))
		strbuf_f(b, "[%s] ", call_abi(c, s));
	if (continued) {
		/*
		 * the first event of a new task is the exit from the call by which its parent
		 * created it
		 */
		bool born = s->call->result == RESULT_PID && s->ended && !s->result;

		strbuf_str(b, c->entry_time || born ? " ... [continued]: "
						    : " ... [entry not seen]: ");
		strbuf_str(b, s->call->name);
		strbuf_char(b, '(');
		syscall_print_filled(s, &t->style, &says, b);
	} else {
		strbuf_str(b, s->call->name);
		strbuf_char(b, '(');
		syscall_print_args(s, &t->style, &says, b);
	}
	strbuf_char(b, ')');
	length = b->len - begin;
	if (running) {
		strbuf_pad(b, ' ', MAX(most - 4 - (int)length, 1));
		strbuf_str(b, "...");
	} else {
		strbuf_pad(b, ' ', MAX(most - (int)length, 1));
		put_result(t, s, &says);
	}
	line_end(t);
}

/* Prints "+++ exited with 7 +++", "+++ killed by SIGKILL +++". */
void line_task_end(struct trace *t, const struct trace_task *task, u64 time, u32 cpu, u32 code)
{
	enum { SIGNAL_BITS = 0x7f, DUMPED = 0x80 };
	struct trace_line l = { .time = time, .task = task, .no_duration = true, .cpu = cpu };
	struct strbuf *out;

	line_begin(t, &l);
	out = out_buf(&t->out);
	if (code & SIGNAL_BITS) {
		strbuf_str(out, "+++ killed by ");
		syscall_print_signal(code & SIGNAL_BITS, out);
		strbuf_str(out, code & DUMPED ? " (core dumped) +++" : " +++");
	} else {
		strbuf_f(out, "+++ exited with %u +++", code >> 8 & 0xff);
	}
	line_end(t);
}

/* Prints the arguments into t->args, which is used again, and finds the parts. Returns how many. */
static u32 args_parts(struct trace *t, const struct trace_call *c, const struct syscall_call *s,
		      struct syscall_part parts[SYSCALL_ARGS])
{
	struct saying saying = { t, c->pid };
	const struct syscall_says says = { &saying, say_fd, say_pid };

	strbuf_clear(&t->args);
	return syscall_print_parts(s, &t->style, &says, &t->args, parts);
}

/* Adds the arguments by name, from the text in t->args. */
static void json_arguments(struct trace *t, const struct syscall_part *parts, u32 count)
{
	struct strbuf *b = out_buf(&t->out);

	strbuf_str(b, ", \"arguments\": {");
	for (u32 i = 0; i < count; i++) {
		strbuf_clear(&t->field);
		strbuf_add(&t->field, t->args.s + parts[i].at, parts[i].length);
		strbuf_str(b, i ? ", " : "");
		json_text(b, parts[i].name);
		strbuf_str(b, ": ");
		json_text(b, strbuf_cstr(&t->field));
	}
	strbuf_char(b, '}');
}

void line_json(struct trace *t, const struct trace_call *c, const struct syscall_call *s,
	       const struct trace_task *task)
{
	struct strbuf *b = out_buf(&t->out);
	struct syscall_part parts[SYSCALL_ARGS];
	u32 count = args_parts(t, c, s, parts);

	strbuf_char(b, '{');
	if (c->entry_time)
		strbuf_f(b, "\"time\": %" PRIu64 ", ", c->entry_time);
	if (c->entry_time && s->ended)
		strbuf_f(b, "\"duration\": %" PRIu64 ", ", c->exit_time - c->entry_time);
	strbuf_f(b, "\"cpu\": %u, \"comm\": ", c->cpu);
	json_text(b, task->comm);
	strbuf_f(b, ", \"pid\": %u, \"tid\": %u, ", task->pid, task->tid);
	if (call_abi(c, s))
		strbuf_f(b, "\"abi\": \"%s\", ", call_abi(c, s));
	strbuf_f(b, "\"syscall\": \"%s\", \"args\": ", s->call->name);
	json_text(b, strbuf_cstr(&t->args));
	if (s->ended)
		strbuf_f(b, ", \"result\": %" PRId64, c->result);
	if (s->ended && syscall_failed(c->result)) {
		strbuf_clear(&t->field);
		syscall_print_errno((int)-c->result, &t->field);
		strbuf_f(b, ", \"error\": \"%s\"", strbuf_cstr(&t->field));
	}
	json_arguments(t, parts, count);
	strbuf_add(b, strbuf_cstr(&t->chain), t->chain.len);
	strbuf_char(b, '}');
	line_end(t);
}

void line_field(struct trace *t, const char *text)
{
	strbuf_clear(&t->field);
	strbuf_printable(&t->field, text);
	strbuf_csv_field(out_buf(&t->out), strbuf_cstr(&t->field), t->o.separator);
}

void line_separated(struct trace *t, const struct trace_call *c, const struct syscall_call *s,
		    const struct trace_task *task)
{
	struct strbuf *b = out_buf(&t->out);
	const char *sep = t->o.separator;
	struct syscall_part parts[SYSCALL_ARGS];

	strbuf_f(b, "%" PRIu64 "%s", c->entry_time, sep);
	if (c->entry_time && s->ended)
		strbuf_dec(b, c->exit_time - c->entry_time);
	strbuf_f(b, "%s%u%s", sep, c->cpu, sep);
	line_field(t, task->comm);
	strbuf_f(b, "%s%u%s%u%s", sep, task->pid, sep, task->tid, sep);
	line_field(t, s->call->name);
	strbuf_str(b, sep);
	args_parts(t, c, s, parts);
	line_field(t, strbuf_cstr(&t->args));
	strbuf_str(b, sep);
	if (s->ended)
		strbuf_f(b, "%" PRId64, c->result);
	line_end(t);
}
