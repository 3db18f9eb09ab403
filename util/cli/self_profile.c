// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/self_profile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/out.h"
#include "base/spans.h"
#include "cli/say.h"

static int write_profile(int fd, const char *file, const char *command)
{
	struct spans s = spans_gathered();
	struct strbuf text = STRBUF_INIT;
	int err;

	spans_json(&s, command, &text);
	err = write_all(fd, text.s, text.len);
	if (err)
		say_error("cannot write '%s': %s", file, strerror(-err));
	strbuf_clear(&text);
	spans_table(&s, command, &text);
	fflush(stdout);
	fputs(text.s, stderr);
	strbuf_release(&text);
	return err ? 1 : 0;
}

int self_profile_run(const char *file, self_profile_command run, struct context *ctx, int argc, const char **argv)
{
	const char *command = argv[0];
	int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	pid_t self = getpid();
	int code, failed = 0;

	if (fd < 0) {
		say_error("cannot write '%s': %s", file, strerror(errno));
		return 1;
	}
	spans_start();
	span_begin("command");
	code = run(ctx, argc, argv);
	span_end();
	spans_stop();
	if (getpid() == self) /* a child that returns to here must not write it */
		failed = write_profile(fd, file, command);
	spans_release();
	close(fd);
	return code ? code : failed;
}
