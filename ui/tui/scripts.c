// SPDX-License-Identifier: GPL-2.0-or-later
/* Scripts out of the browser. */
#include "ui/tui/scripts.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/child.h"
#include "base/text.h"
#include "cli/config.h"
#include "ui/tui/menu.h"

enum { MOST_BYTES = 8 << 20 }; /* the most output that is kept of a script */

static void take_output(int fd, struct strbuf *out)
{
	char buf[4096];
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) > 0 || (n < 0 && errno == EINTR))
		if (n > 0 && out->len < MOST_BYTES)
			strbuf_add(out, buf, (size_t)n);
}

/*
 * Collects what a program prints on standard output and standard error; returns its exit code, or
 * -1 if it could not be run.
 */
static int run(const char *program, const char *const *args, struct strbuf *out)
{
	int ends[2], status = 0, null;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return -1;
	pid = fork_bound(SIGTERM);
	if (!pid) {
		null = open("/dev/null", O_RDONLY);
		dup2(null, STDIN_FILENO);
		dup2(ends[1], STDOUT_FILENO);
		dup2(ends[1], STDERR_FILENO);
		execv(program, (char *const *)(uintptr_t)args);
		_exit(127);
	}
	close(ends[1]);
	if (pid > 0) {
		take_output(ends[0], out);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	}
	close(ends[0]);
	return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) != 127 ? WEXITSTATUS(status)
									  : -1;
}

static const char perf[] = "/proc/self/exe";

/* Lists the lines of `perf script -l` without their heading. Returns false if there are none. */
static bool list_scripts(struct strlist *lines)
{
	static const char *const args[] = { "perf", "--no-pager", "script", "-l", NULL };
	struct strbuf out = STRBUF_INIT;
	bool done = run(perf, args, &out) == 0;
	char *text = xstrdup(strbuf_cstr(&out)), *rest = text, *line;

	while (done && (line = strsep(&rest, "\n")))
		if (!strncmp(line, "  ", 2))
			strlist_add(lines, line + 2);
	free(text);
	strbuf_release(&out);
	return done && lines->list.count;
}

static void show(const char *name, const char *program, const char *const *args)
{
	struct strbuf out = STRBUF_INIT, title = STRBUF_INIT, shown = STRBUF_INIT;
	int code;

	menu_box("Script", name);
	code = run(program, args, &out);
	strbuf_printable(&title, name);
	if (code)
		strbuf_f(&title, " (it has failed, status %d)", code);
	/* control characters would disturb the browser's own terminal */
	for (const char *p = strbuf_cstr(&out); *p; p += strcspn(p, "\n"), p += *p == '\n') {
		char *line = xstrndup(p, strcspn(p, "\n"));

		strbuf_printable(&shown, line);
		strbuf_char(&shown, '\n');
		free(line);
	}
	menu_text(strbuf_cstr(&title),
		  shown.len ? strbuf_cstr(&shown) : "The script has printed nothing.\n");
	strbuf_release(&out);
	strbuf_release(&title);
	strbuf_release(&shown);
}

static void show_script(const char *name, const char *words, const char *file)
{
	const char *args[8] = { "perf", "--no-pager", "script", "report", name };
	char *input = xasprintf("--input=%s", file);
	int n = 5;

	if (*words)
		args[n++] = words;
	args[n] = input;
	show(name, perf, args);
	free(input);
}

/* Runs a command in the shell, with the file as its last word, and shows the output. */
static void show_command(const char *name, const char *command, const char *file)
{
	char *text = xasprintf("%s -i \"$1\"", command);
	const char *args[] = { "sh", "-c", text, "sh", file, NULL };

	show(name, "/bin/sh", args);
	free(text);
}

/* Adds the commands that scripts.NAME sets. The last setting of a name counts. */
static void add_commands(const struct context *ctx, struct strlist *lines)
{
	const struct config *c = ctx->config;

	for (size_t i = 0; c && i < c->entries.count; i++) {
		const char *name = c->entries.items[i].name, *value = c->entries.items[i].value;
		char *line;

		if (!str_starts(name, "scripts.") || !*value || config_find(c, name) != value)
			continue;
		line = xasprintf("%-36s %s", name + strlen("scripts."), value);
		strlist_add(lines, line);
		free(line);
	}
}

void tui_show_around(const struct context *ctx, const char *file, u64 time)
{
	u64 context = config_u64(ctx, "samples.context", 10000000), half = context / 2;
	u64 from = time - MIN(time, half), to = half > UINT64_MAX - time ? UINT64_MAX : time + half;
	char *span =
		xasprintf("--time=%" PRIu64 ".%09" PRIu64 ",%" PRIu64 ".%09" PRIu64,
			  from / 1000000000, from % 1000000000, to / 1000000000, to % 1000000000);
	char *input = xasprintf("--input=%s", file);
	const char *args[] = { "perf", "--no-pager", "script", "--ns", span, input, NULL };

	show("What was sampled around it", perf, args);
	free(span);
	free(input);
}

static const char *setting_of(const char *name, struct strbuf *b)
{
	strbuf_f(b, "scripts.%s", name);
	return strbuf_cstr(b);
}

void tui_run_script(const struct context *ctx, struct list *l, const char *file)
{
	struct strlist lines = { 0 };
	struct strbuf words = STRBUF_INIT;
	size_t installed;
	int chosen = -1;
	bool any;

	any = file && list_scripts(&lines);
	installed = lines.list.count;
	if (file)
		add_commands(ctx, &lines);
	if (!file)
		list_say(l,
			 "scripts are run over a recording: perf script NAME watches the system");
	else if (!any && !lines.list.count)
		list_say(l,
			 "no scripts are installed: PERF_EXEC_PATH names the directory that holds "
			 "scripts/");
	else
		chosen = menu_choose("Scripts", NULL, &lines, 0);
	if (chosen >= 0) {
		const char *line = lines.list.items[chosen];
		char *name = xstrndup(line, strcspn(line, " "));

		if ((size_t)chosen >= installed)
			show_command(name, config_find(ctx->config, setting_of(name, &words)),
				     file);
		else if (line[strlen(name)] != ' ' || line[strlen(name) + 1] != '<' ||
			 menu_ask(name, "The command that it is about", &words))
			show_script(name, strbuf_cstr(&words), file);
		free(name);
	}
	strlist_release(&lines);
	strbuf_release(&words);
}
