// SPDX-License-Identifier: GPL-2.0-or-later
/* record NAME, report NAME, NAME: starters are run by the shell. */
#include "builtin/script/engine_starters.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/file.h"
#include "builtin/script/engine_internal.h"
#include "builtin/script/engine_list.h"
#include "cli/say.h"
#include "cli/self_profile.h"

typedef engine_words words;

/* Sets PERF and PATH so that starters, which write "perf", find this one. */
static void set_path(void)
{
	char program[4096];
	ssize_t len = readlink("/proc/self/exe", program, sizeof(program) - 1);
	const char *path = getenv("PATH");
	char *slash, *more;

	if (len <= 0)
		return;
	program[len] = 0;
	setenv("PERF", program, 1);
	slash = strrchr(program, '/');
	if (!slash || strcmp(slash, "/perf"))
		return;
	*slash = 0;
	more = xasprintf("%s:%s", program, path ? path : "/usr/bin:/bin");
	setenv("PATH", more, 1);
	free(more);
}

/* Replaces the process by a shell. Returns only on failure, with an exit code. */
static int exec_shell(words *w)
{
	if (self_profile_refuses(w->items[1])) {
		say_hint("a starter runs perf again: profile 'perf script -s FILE' or 'perf "
			 "record'");
		return 1;
	}
	vec_push(w, NULL);
	set_path();
	fflush(stdout);
	execv("/bin/sh", (char *const *)(uintptr_t)w->items);
	say_error("cannot run '/bin/sh': %s", strerror(errno));
	return 1;
}

static void push_all(words *w, int argc, const char **argv)
{
	for (int i = 0; i < argc; i++)
		vec_push(w, argv[i]);
}

static int no_script(const char *name)
{
	say_error("there is no script '%s'", name);
	say_hint("'perf script -l' lists the scripts that are installed; -s FILE runs one of your "
		 "own");
	return EXIT_USAGE;
}

/*
 * Reports whether a word after the options names a program to record. Starters give the rest to
 * perf record.
 */
static bool has_command(int argc, const char **argv)
{
	for (int i = 0; i < argc; i++)
		if (!strcmp(argv[i], "--"))
			return i + 1 < argc;
	return argc && *argv[argc - 1] != '-';
}

static bool records_by_stat(const char *starter)
{
	struct engine_about about;
	bool by_stat;

	engine_about_read(&about, starter);
	by_stat = !strcmp(about.recorder, "perf stat");
	engine_about_release(&about);
	return by_stat;
}

static int refuse_option(const char *name, const char *word)
{
	say_error("'%s' is an option of perf record, but the script '%s' counts with perf stat",
		  word, name);
	say_hint("'perf stat -h' lists the options that it takes");
	return EXIT_USAGE;
}

static int refuse_unknown(const char *name, const char *word, const char *args)
{
	say_error("'%s' is an option neither of the recording nor of the script '%s'", word, name);
	if (strstr(args, "[-"))
		say_hint("the script's are: %s", args);
	else
		say_hint("'perf record -h' lists those of the recording");
	return EXIT_USAGE;
}

static int check_record_options(struct engine_command *c, const char *starter, const char *name,
				int argc, const char **argv)
{
	struct engine_live_words l = { .stat_has = records_by_stat(starter) ? c->stat_has : NULL };

	if (l.stat_has)
		engine_live_options(c->script->a.ctx, &l, "", &argc, &argv);
	vec_release(&l.record);
	vec_release(&l.report);
	return l.refused ? refuse_option(name, l.refused) : 0;
}

static int run_record(struct engine_command *c, const char *starter, const char *name, int argc,
		      const char **argv)
{
	words w = VEC_INIT;
	int code = check_record_options(c, starter, name, argc, argv);

	if (code)
		return code;
	vec_push(&w, "sh");
	vec_push(&w, starter);
	/* perf record has that default itself */
	if (c->everything || (records_by_stat(starter) && !has_command(argc, argv)))
		vec_push(&w, "-a");
	push_all(&w, argc, argv);
	code = exec_shell(&w);
	vec_release(&w);
	return code;
}

/* Runs the report starter. -i before the name also holds for the starter's perf script. */
static int run_report(const struct engine_command *c, const char *starter, int argc,
		      const char **argv)
{
	const char *input = c->script->a.open.input;
	words w = VEC_INIT;
	int code;

	vec_push(&w, "sh");
	vec_push(&w, starter);
	push_all(&w, argc, argv);
	if (input) {
		vec_push(&w, "-i");
		vec_push(&w, input);
	}
	code = exec_shell(&w);
	vec_release(&w);
	return code;
}

/* ---- live ---- */

static bool is_program(const char *word)
{
	const char *path = getenv("PATH");
	bool found = false;

	if (strchr(word, '/'))
		return !file_access(word, X_OK);
	for (const char *p = path ? path : "/usr/bin:/bin"; *p && !found;) {
		size_t n = strcspn(p, ":");
		char *file = xasprintf("%.*s/%s", (int)n, p, word);

		found = n && !file_access(file, X_OK);
		free(file);
		p += n + (p[n] == ':');
	}
	return found;
}

static bool ends_with(const char *name, const char *suffix)
{
	size_t n = strlen(name), m = strlen(suffix);

	return n >= m && !strcmp(name + n - m, suffix);
}

/* The arguments of a live script: options, those of the report, then the command to record. */
struct live {
	const char *name;
	struct engine_live_words given;
	int command_count;
	const char **command;
};

/* An option after another word is none of the recording. */
static void check_late_options(struct live *l, size_t first, const char *args)
{
	const engine_words *w = &l->given.report;
	bool with_value;

	for (size_t i = first; i < w->count && !l->given.unknown; i++) {
		const char *next = i + 1 < w->count ? w->items[i + 1] : NULL;

		if (*w->items[i] != '-' || !w->items[i][1])
			continue;
		if (!engine_live_has(&l->given, args, w->items[i], next, &with_value))
			l->given.unknown = w->items[i];
		i += with_value;
	}
}

/*
 * Divides the words into arguments and the command, which is what follows "--". Without it, the
 * required arguments come first; then a word that names a program begins the command, and any other
 * is one more argument. Scripts that redraw a table (*top) watch the whole system, so all words are
 * theirs.
 */
static void divide(struct live *l, unsigned required, int argc, const char **argv)
{
	int n = 0, end = 0;

	while (end < argc && strcmp(argv[end], "--") != 0)
		end++;
	if (end < argc)
		n = end;
	else
		for (n = MIN((int)required, argc); n < argc; n++)
			if (!ends_with(l->name, "top") && is_program(argv[n]))
				break;
	push_all(&l->given.report, n, argv);
	l->command = argv + n + (end < argc);
	l->command_count = argc - n - (end < argc);
}

static void record_side(struct engine_command *c, const struct live *l, const char *starter,
			int out)
{
	words w = VEC_INIT;

	dup2(out, STDOUT_FILENO);
	close(out);
	vec_push(&w, "sh");
	vec_push(&w, starter);
	if (c->everything || (!l->command_count && !l->given.targets))
		vec_push(&w, "-a");
	vec_push(&w, "--no-summary");
	vec_push(&w, "-o");
	vec_push(&w, "-");
	push_all(&w, (int)l->given.record.count, l->given.record.items);
	if (l->command_count)
		vec_push(&w, "--");
	push_all(&w, l->command_count, l->command);
	_exit(exec_shell(&w));
}

static pid_t report_side(const struct live *l, const char *starter, int in)
{
	words w = VEC_INIT;
	pid_t pid = fork_bound(SIGTERM);

	if (pid)
		return pid;
	dup2(in, STDIN_FILENO);
	close(in);
	/* Ctrl-C ends the recording; the rest of the pipe must still be shown */
	signal(SIGINT, SIG_IGN);
	vec_push(&w, "sh");
	vec_push(&w, starter);
	push_all(&w, (int)l->given.report.count, l->given.report.items);
	vec_push(&w, "-i");
	vec_push(&w, "-");
	_exit(exec_shell(&w));
}

/* Reports whether the recorder has closed its end of the pipe, and so has ended. */
static bool recording_has_ended(int in)
{
	struct pollfd p = { .fd = in, .events = POLLIN };

	return poll(&p, 1, 0) > 0 && p.revents & POLLHUP;
}

/*
 * Waits for the recording. Returns false if the recorder wrote nothing: it has failed and reported
 * why.
 */
static bool wait_for_recording(int in)
{
	struct pollfd p = { .fd = in, .events = POLLIN };

	while (poll(&p, 1, -1) < 0 && errno == EINTR)
		;
	return p.revents & POLLIN;
}

static int exit_code(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* The recorder, which SIGINT ends. */
static volatile pid_t interrupted;

/* Passes a signal on that a process sent to this one alone. A terminal sends SIGINT to all. */
static void pass_on(int sig, siginfo_t *info, void *context)
{
	int saved = errno;

	(void)context;
	if (info->si_code <= 0 && interrupted > 0)
		kill(interrupted, sig);
	errno = saved;
}

static void on_interrupt(void)
{
	struct sigaction act = { .sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART };

	sigemptyset(&act.sa_mask);
	sigaction(SIGINT, &act, NULL);
}

static int run_live(struct engine_command *c, const struct live *l, const char *record,
		    const char *report)
{
	pid_t recorder, reporter;
	int ends[2], status = 0, recorded = 0;
	bool ended;

	if (pipe(ends)) {
		say_error("cannot make a pipe: %s", strerror(errno));
		return 1;
	}
	fflush(stdout);
	recorder = fork_bound(SIGTERM);
	if (!recorder) {
		close(ends[0]);
		record_side(c, l, record, ends[1]);
	}
	close(ends[1]);
	interrupted = recorder;
	on_interrupt();
	if (recorder > 0 && !wait_for_recording(ends[0])) {
		close(ends[0]);
		while (waitpid(recorder, &recorded, 0) < 0 && errno == EINTR)
			;
		return exit_code(recorded);
	}
	reporter = recorder < 0 ? -1 : report_side(l, report, ends[0]);
	if (reporter < 0) {
		close(ends[0]);
		say_error("cannot start the script '%s': %s", l->name, strerror(errno));
		if (recorder > 0)
			kill(recorder, SIGTERM);
		return 1;
	}
	while (waitpid(reporter, &status, 0) < 0 && errno == EINTR)
		;
	ended = recording_has_ended(ends[0]);
	close(ends[0]);
	if (!ended) /* the script has seen enough, so nobody needs the recording any more */
		kill(recorder, SIGTERM);
	while (waitpid(recorder, &recorded, 0) < 0 && errno == EINTR)
		;
	if (status || !ended)
		return exit_code(status);
	/* as its command ended */
	if (WIFSIGNALED(recorded))
		c->script->a.ctx->ended_by = WTERMSIG(recorded);
	return exit_code(recorded);
}

static int start_live(struct engine_command *c, const struct options *o, const char *record,
		      const char *report, int argc, const char **argv)
{
	struct live l = { .name = argv[0], .given.script = o };
	struct engine_about about;
	unsigned required;
	size_t options;
	int code;

	engine_about_read(&about, report);
	required = engine_about_required(&about);
	argc--;
	argv++;
	l.given.stat_has = records_by_stat(record) ? c->stat_has : NULL;
	engine_live_options(c->script->a.ctx, &l.given, about.args, &argc, &argv);
	options = l.given.report.count;
	divide(&l, required, argc, argv);
	check_late_options(&l, options, about.args);
	if (l.given.refused)
		code = refuse_option(l.name, l.given.refused);
	else if (l.given.unknown)
		code = refuse_unknown(l.name, l.given.unknown, about.args);
	else if (l.given.report.count - options < required)
		code = options_usage_error(o, "the script '%s' needs arguments: %s", l.name,
					   about.args);
	else
		code = run_live(c, &l, record, report);
	engine_about_release(&about);
	vec_release(&l.given.record);
	vec_release(&l.given.report);
	return code;
}

/* ---- which of them ---- */

int engine_start(struct engine_command *c, const struct options *o, int argc, const char **argv,
		 char **script)
{
	bool record = !strcmp(argv[0], "record"), report = !strcmp(argv[0], "report");
	const char *name = record || report ? argc > 1 ? argv[1] : NULL : argv[0];
	char *record_starter, *report_starter;
	int code;

	*script = NULL;
	if (!name)
		return options_usage_error(o, "'%s' needs the name of a script", argv[0]);
	if (record && c->script->a.open.input)
		return options_usage_error(
			o, "-i is a file to read, but 'record' writes one: give -o after the "
			   "script's name");
	record_starter = engine_find_starter(c->exec_path, name, "record");
	report_starter = engine_find_starter(c->exec_path, name, "report");
	if (record && record_starter)
		code = run_record(c, record_starter, name, argc - 2, argv + 2);
	else if (report && report_starter)
		code = run_report(c, report_starter, argc - 2, argv + 2);
	else if (record || report)
		code = no_script(name);
	else if (record_starter && report_starter && c->script->a.open.input)
		code = options_usage_error(
			o,
			"'%s' records what it shows; a file is read by: perf script report %s -i "
			"%s",
			name, name, c->script->a.open.input);
	else if (record_starter && report_starter)
		code = start_live(c, o, record_starter, report_starter, argc, argv);
	else if (report_starter)
		code = run_report(c, report_starter, argc - 1, argv + 1);
	else {
		*script = engine_find_script(c->exec_path, argv[0]);
		code = *script ? 0 : no_script(argv[0]);
	}
	free(record_starter);
	free(report_starter);
	return code;
}
