// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/self_profile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/out.h"
#include "base/replace.h"
#include "base/self_profile.h"
#include "cli/say.h"

static int write_profile(struct replace *file, const char *command)
{
	struct phases s = phases_gathered();
	struct strbuf text = STRBUF_INIT;
	struct reason r = REASON_INIT;
	int err;

	phases_json(&s, command, &text);
	err = write_all(file->fd, text.s, text.len);
	if (err)
		reason_errno(&r, -err, "cannot write '%s'", file->path);
	else
		err = replace_end(file, &r);
	if (err)
		say_reason(&r);
	strbuf_clear(&text);
	phases_table(&s, command, &text);
	fflush(stdout);
	fputs(text.s, stderr);
	strbuf_release(&text);
	return err ? 1 : 0;
}

/*
 * Reports whether the file is a recording, in either byte order, as a file or as a pipe. The
 * command may be reading it.
 */
static bool is_recording(const char *file)
{
	int fd = open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	char magic[8] = "";
	struct stat st;
	bool found;

	if (fd < 0)
		return false;
	found = !fstat(fd, &st) && S_ISREG(st.st_mode) &&
		read(fd, magic, sizeof(magic)) == sizeof(magic) &&
		(!memcmp(magic, "PERFILE2", 8) || !memcmp(magic, "2ELIFREP", 8));
	close(fd);
	return found;
}

bool self_profile_refuses(const char *program)
{
	if (phases_on)
		say_error("--self-profile measures perf itself, but '%s' would run in its place",
			  program);
	return phases_on;
}

int self_profile_run(const char *file, self_profile_command run, struct context *ctx, int argc,
		     const char **argv)
{
	const char *command = argv[0];
	struct reason r = REASON_INIT;
	pid_t self = getpid();
	struct replace out;
	int code, failed = 0;

	if (is_recording(file)) {
		say_error("'%s' is a recording, which the profile would replace", file);
		return 1;
	}
	if (replace_begin(&out, file, 0666, REPLACE_ANY, &r))
		return say_reason(&r);
	phases_start();
	phase_begin("command");
	code = run(ctx, argc, argv);
	phase_end();
	phases_stop();
	if (getpid() == self) /* a child that returns to here must not write it */
		failed = write_profile(&out, command);
	phases_release();
	replace_drop(&out);
	return code ? code : failed;
}
