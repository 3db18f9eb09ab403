// SPDX-License-Identifier: GPL-2.0-or-later
/* A recording: its header, its records in both orders, and all that script can print of it. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "builtin/script/script.h"
#include "fuzz.h"
#include "session/summary.h"

enum { MAX_CODE = 64 };

struct sums {
	const struct history *history;
	u64 sum;
	u32 code; /* samples whose code was asked for */
};

/* The kernel's code around a sample, as its changes left it: in one way and the other. */
static void code_at(struct sums *t, const struct session_sample *s)
{
	const u64 start = s->sample->ip - 8;
	u8 bytes[32] = { 0 };
	struct code_forms f;

	if (t->code++ >= MAX_CODE)
		return;
	code_forms_read(&f, t->history, start, bytes, sizeof(bytes));
	for (u32 n = 0; n <= f.count && n < MAX_CODE; n++)
		if (history_code_changes(t->history, start, sizeof(bytes),
					 code_forms_version(&f, n)) != n)
			abort();
	t->sum += history_code(t->history, start, bytes, sizeof(bytes),
			       history_code_version(t->history, &s->key));
	code_forms_release(&f);
}

static int on_sample(void *arg, unsigned worker, const struct session_sample *s, struct reason *r)
{
	struct sums *t = arg;

	(void)worker, (void)r;
	t->sum += s->sample->ip + s->leaf.offset;
	code_at(t, s);
	return 0;
}

static struct session *open_session(struct context *ctx, int fd)
{
	char path[64];
	struct session_options o = { .input = path, .force = true };
	struct session *s;

	/* no objects of this machine: nothing that a file names is below there */
	o.symbols = (struct symbol_options){ .symfs = "/proc/self/task",
					     .buildid_dir = "",
					     .kallsyms = "/dev/null",
					     .ignore_vmlinux = true };
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return session_open(ctx, &o, &s, NULL) ? NULL : s;
}

static void sums(struct context *ctx, int fd)
{
	struct session *s = open_session(ctx, fd);
	struct sums t = { .history = s ? session_history(s) : NULL };
	const struct session_ops ops = { .order = SESSION_SUMS, .sample = on_sample };

	if (s && !session_run(s, &ops, &t, NULL)) {
		struct strbuf b = STRBUF_INIT;

		data_header_print(session_data(s), &b, true);
		strbuf_release(&b);
	}
	session_free(s);
}

static void print(struct context *ctx, int fd)
{
	struct session *s = open_session(ctx, fd);
	struct script_options o = {
		.show = { true, true, true, true, true, true, true, true, true },
		.max_stack = 127,
		.inlines = true,
	};
	struct out out;
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	script_fields_init(&o.fields);
	out_init(&out, null);
	if (s)
		script_run(s, &o, &out, NULL);
	out_release(&out);
	close(null);
	session_free(s);
}

static void summarise(struct context *ctx, int fd)
{
	struct session *s = open_session(ctx, fd);
	struct strbuf b = STRBUF_INIT;

	if (s)
		session_tasks_text(s, true, &b, NULL);
	strbuf_release(&b);
	session_free(s);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct context ctx = { .workers = 1, .buildid_dir = "", .symfs = "" };
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	sums(&ctx, fd);
	print(&ctx, fd);
	summarise(&ctx, fd);
	condition_list_release(&ctx.conditions);
	close(fd);
	return 0;
}
