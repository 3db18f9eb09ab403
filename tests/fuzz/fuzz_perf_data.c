// SPDX-License-Identifier: GPL-2.0-or-later
/* A recording: its header, its records in both orders, and all that script can print of it. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "script/script.h"
#include "session/summary.h"

static int on_sample(void *arg, unsigned worker, const struct session_sample *s, struct reason *r)
{
	u64 *sum = arg;

	(void)worker, (void)r;
	*sum += s->sample->ip + s->leaf.offset;
	return 0;
}

static struct session *open_session(struct context *ctx, int fd)
{
	char path[64];
	struct session_options o = { .input = path, .force = true };
	struct session *s;

	/* no objects of this machine: nothing that a file names is below there */
	o.symbols = (struct symbol_options){ .symfs = "/proc/self/task", .buildid_dir = "",
					     .kallsyms = "/dev/null", .ignore_vmlinux = true };
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return session_open(ctx, &o, &s, NULL) ? NULL : s;
}

static void sums(struct context *ctx, int fd)
{
	struct session *s = open_session(ctx, fd);
	u64 sum = 0;
	const struct session_ops ops = { .order = SESSION_SUMS, .sample = on_sample };

	if (s && !session_run(s, &ops, &sum, NULL)) {
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
		.max_stack = 127, .inlines = true,
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
