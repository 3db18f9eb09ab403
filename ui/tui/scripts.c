// SPDX-License-Identifier: GPL-2.0-or-later
/* Scripts out of the browser. */
#include "ui/tui/scripts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/text.h"
#include "ui/tui/menu.h"

enum { MOST_BYTES = 8 << 20 }; /* of what a script prints */

static void take_output(int fd, struct strbuf *out)
{
	char buf[4096];
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) > 0 || (n < 0 && errno == EINTR))
		if (n > 0 && out->len < MOST_BYTES)
			strbuf_add(out, buf, (size_t)n);
}

/* What `perf script ARGS` prints, on standard output and standard error: its exit code, -1: not run. */
static int run(const char *const *args, struct strbuf *out)
{
	int ends[2], status = 0, null;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return -1;
	pid = fork();
	if (!pid) {
		null = open("/dev/null", O_RDONLY);
		dup2(null, STDIN_FILENO);
		dup2(ends[1], STDOUT_FILENO);
		dup2(ends[1], STDERR_FILENO);
		execv("/proc/self/exe", (char *const *)(uintptr_t)args);
		_exit(127);
	}
	close(ends[1]);
	if (pid > 0) {
		take_output(ends[0], out);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	}
	close(ends[0]);
	return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) != 127 ? WEXITSTATUS(status) : -1;
}

/* The lines of `perf script -l` without their heading. */
static bool list_scripts(struct strlist *lines)
{
	static const char *const args[] = { "perf", "--no-pager", "script", "-l", NULL };
	struct strbuf out = STRBUF_INIT;
	bool done = run(args, &out) == 0;
	char *text = xstrdup(strbuf_cstr(&out)), *rest = text, *line;

	while (done && (line = strsep(&rest, "\n")))
		if (!strncmp(line, "  ", 2))
			strlist_add(lines, line + 2);
	free(text);
	strbuf_release(&out);
	return done && lines->list.count;
}

static void show(const char *name, const char *words, const char *file)
{
	const char *args[8] = { "perf", "--no-pager", "script", "report", name };
	struct strbuf out = STRBUF_INIT, title = STRBUF_INIT, shown = STRBUF_INIT;
	char *input = xasprintf("--input=%s", file);
	int n = 5, code;

	if (*words)
		args[n++] = words;
	args[n] = input;
	menu_box("Script", name);
	code = run(args, &out);
	strbuf_printable(&title, name);
	if (code)
		strbuf_f(&title, " (it has failed, status %d)", code);
	/* control characters are for terminals, and this one is the browser's */
	for (const char *p = strbuf_cstr(&out); *p; p += strcspn(p, "\n"), p += *p == '\n') {
		char *line = xstrndup(p, strcspn(p, "\n"));

		strbuf_printable(&shown, line);
		strbuf_char(&shown, '\n');
		free(line);
	}
	menu_text(strbuf_cstr(&title), shown.len ? strbuf_cstr(&shown) : "The script has printed nothing.\n");
	strbuf_release(&out);
	strbuf_release(&title);
	strbuf_release(&shown);
	free(input);
}

void tui_run_script(struct list *l, const char *file)
{
	struct strlist lines = { 0 };
	struct strbuf words = STRBUF_INIT;
	int chosen = -1;

	if (!file)
		list_say(l, "scripts are run over a recording: perf script NAME watches the system");
	else if (!list_scripts(&lines))
		list_say(l, "no scripts are installed: PERF_EXEC_PATH names the directory that holds scripts/");
	else
		chosen = menu_choose("Scripts", NULL, &lines, 0);
	if (chosen >= 0) {
		const char *line = lines.list.items[chosen];
		char *name = xstrndup(line, strcspn(line, " "));

		if (line[strlen(name)] != ' ' || line[strlen(name) + 1] != '<' ||
		    menu_ask(name, "The command that it is about", &words))
			show(name, strbuf_cstr(&words), file);
		free(name);
	}
	strlist_release(&lines);
	strbuf_release(&words);
}
