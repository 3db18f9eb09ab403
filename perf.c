// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The command table and the runner: the only place that exits.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/lost_pages.h"
#include "base/out.h"
#include "base/privileges.h"
#include "base/replace.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "base/trace.h"
#include "base/words.h"
#include "builtin.h"
#include "cli/config.h"
#include "cli/options.h"
#include "cli/pager.h"
#include "cli/say.h"
#include "cli/self_profile.h"
#include "live/workload.h"
#include "object/debug_servers.h"
#include "sys/tracefs.h"

const struct command commands[] = {
	{ .name = "annotate",
	  .group = COMMAND_ANALYSE,
	  .run = cmd_annotate,
	  .purpose = "show functions instruction by instruction, with their samples" },
	{ .name = "archive",
	  .group = COMMAND_FILES,
	  .run = cmd_archive,
	  .purpose = "pack what a report needs on another machine" },
	{ .name = "bench",
	  .group = COMMAND_SELF,
	  .run = cmd_bench,
	  .purpose = "measure the kernel, memory and perf itself by small workloads" },
	{ .name = "buildid-cache",
	  .group = COMMAND_FILES,
	  .run = cmd_buildid_cache,
	  .purpose = "keep copies of programs and libraries by build-id" },
	{ .name = "buildid-list",
	  .group = COMMAND_FILES,
	  .run = cmd_buildid_list,
	  .purpose = "list the build-ids of what was sampled" },
	{ .name = "c2c",
	  .group = COMMAND_MEASURE,
	  .run = cmd_c2c,
	  .recorder = "perf c2c record",
	  .purpose = "find cache lines that processors fight over" },
	{ .name = "check",
	  .group = COMMAND_SELF,
	  .run = cmd_check,
	  .purpose = "ask whether an optional part is built in" },
	{ .name = "config",
	  .group = COMMAND_SELF,
	  .run = cmd_config,
	  .purpose = "read and write settings" },
	{ .name = "daemon",
	  .group = COMMAND_MEASURE,
	  .run = cmd_daemon,
	  .purpose = "run recordings in the background, as configured" },
	{ .name = "data",
	  .group = COMMAND_FILES,
	  .run = cmd_data,
	  .purpose = "convert recordings to JSON and CTF" },
	{ .name = "diff",
	  .group = COMMAND_ANALYSE,
	  .run = cmd_diff,
	  .pager = true,
	  .purpose = "compare recordings: what got slower, and how sure that is" },
	{ .name = "doctor",
	  .group = COMMAND_SELF,
	  .run = cmd_doctor,
	  .purpose = "say what can be measured here, what not, and what changes it" },
	{ .name = "evlist",
	  .group = COMMAND_FILES,
	  .run = cmd_evlist,
	  .purpose = "list the events of a perf.data file" },
	{ .name = "ftrace",
	  .group = COMMAND_MEASURE,
	  .run = cmd_ftrace,
	  .purpose = "trace, time and count functions of the kernel" },
	{ .name = "help",
	  .group = COMMAND_SELF,
	  .run = cmd_help,
	  .purpose = "list the commands, or show the page of one" },
	{ .name = "inject",
	  .group = COMMAND_FILES,
	  .run = cmd_inject,
	  .purpose = "write a recording in another form, or with build-ids" },
	{ .name = "iostat",
	  .group = COMMAND_MEASURE,
	  .run = cmd_iostat,
	  .purpose = "show what devices read and write, by PCIe root port" },
	{ .name = "kallsyms",
	  .group = COMMAND_SELF,
	  .run = cmd_kallsyms,
	  .purpose = "look up symbols of the running kernel" },
	{ .name = "kmem",
	  .group = COMMAND_ANALYSE,
	  .run = cmd_kmem,
	  .recorder = "perf kmem record",
	  .purpose = "show what the kernel's memory allocators handed out" },
	{ .name = "kvm",
	  .group = COMMAND_MEASURE,
	  .run = cmd_kvm,
	  .recorder = "perf kvm record",
	  .purpose = "profile KVM guests, and measure what their exits cost" },
	{ .name = "kwork",
	  .group = COMMAND_ANALYSE,
	  .run = cmd_kwork,
	  .recorder = "perf kwork record",
	  .purpose = "measure interrupts, softirqs and work items of the kernel" },
	{ .name = "list",
	  .group = COMMAND_MEASURE,
	  .pager = true,
	  .run = cmd_list,
	  .purpose = "show the events of this machine" },
	{ .name = "lock",
	  .group = COMMAND_ANALYSE,
	  .run = cmd_lock,
	  .recorder = "perf lock record",
	  .purpose = "show who waited for which lock" },
	{ .name = "mem",
	  .group = COMMAND_MEASURE,
	  .run = cmd_mem,
	  .recorder = "perf mem record",
	  .purpose = "sample single memory accesses, and show what they cost" },
	{ .name = "probe",
	  .group = COMMAND_MEASURE,
	  .run = cmd_probe,
	  .purpose = "put probes into the running kernel and into programs" },
	{ .name = "record",
	  .group = COMMAND_MEASURE,
	  .run = cmd_record,
	  .purpose = "sample a command, processes or the whole system into a file" },
	{ .name = "report",
	  .group = COMMAND_ANALYSE,
	  .run = cmd_report,
	  .purpose = "show where recorded samples fell" },
	{ .name = "sched",
	  .group = COMMAND_ANALYSE,
	  .run = cmd_sched,
	  .recorder = "perf sched record",
	  .purpose = "show who ran, who waited for a CPU, and why" },
	{ .name = "script",
	  .group = COMMAND_ANALYSE,
	  .run = cmd_script,
	  .purpose = "print every sample as text" },
	{ .name = "stat",
	  .group = COMMAND_MEASURE,
	  .run = cmd_stat,
	  .recorder = "perf stat record",
	  .purpose = "count events of a command or of the system" },
	{ .name = "test",
	  .group = COMMAND_SELF,
	  .run = cmd_test,
	  .purpose = "check this machine and installation; run bundled workloads" },
	{ .name = "timechart",
	  .group = COMMAND_ANALYSE,
	  .run = cmd_timechart,
	  .recorder = "perf timechart record",
	  .purpose = "draw who ran and waited over time, as SVG" },
	{ .name = "top",
	  .group = COMMAND_MEASURE,
	  .run = cmd_top,
	  .purpose = "show what runs now, function by function" },
	{ .name = "trace",
	  .group = COMMAND_MEASURE,
	  .run = cmd_trace,
	  .recorder = "perf trace record",
	  .purpose = "show system calls, page faults and tracepoints as they happen" },
	{ .name = "version",
	  .group = COMMAND_SELF,
	  .run = cmd_version,
	  .purpose = "print the version and what is built in" },
	{ .name = NULL },
};

struct main_options {
	bool help, list_commands, paginate, pager, exec_path_asked, html_path;
	int version;
	const char *exec_path, *buildid_dir, *debugfs_dir, *debug_file, *trace, *self_profile;
};

static const struct command *find_command(const char *name)
{
	for (const struct command *c = commands; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

static int run(struct context *ctx, int argc, const char **argv);

static void print_command_names(void)
{
	for (const struct command *c = commands; c->name; c++)
		printf("%s ", c->name);
	putchar('\n');
}

/* Returns the nearest command after the tenths of a second that help.autocorrect says, or NULL. */
static const struct command *autocorrect(const struct context *ctx, const char *name,
					 const char *near)
{
	u64 tenths = config_u64(ctx, "help.autocorrect", 0);

	if (!near || !tenths || tenths > 600)
		return NULL;
	say_warning("'%s' is not a perf-command; running '%s' in %" PRIu64 ".%" PRIu64 " seconds",
		    name, near, tenths / 10, tenths % 10);
	usleep((useconds_t)tenths * 100000);
	return find_command(near);
}

static const struct command *unknown_command(const struct context *ctx, const char *name)
{
	VEC(const char *) names = VEC_INIT;
	struct strbuf text = STRBUF_INIT;
	const struct command *instead;
	const char *near;

	for (const struct command *c = commands; c->name; c++)
		vec_push(&names, c->name);
	near = nearest_name(name, names.items, names.count);
	vec_release(&names);
	instead = autocorrect(ctx, name, near);
	if (instead)
		return instead;
	strbuf_str(&text, "perf: '");
	strbuf_printable(&text, name);
	strbuf_str(&text, "' is not a perf-command. See 'perf --help'.\n");
	if (near)
		strbuf_f(&text, "\nDid you mean this?\n\t%s\n", near);
	fputs(text.s, stderr);
	strbuf_release(&text);
	return NULL;
}

static const char *exec_path(void)
{
	const char *dir = getenv("PERF_EXEC_PATH");

	return dir && *dir ? dir : PERF_EXEC_PATH;
}

/*
 * Runs perf-NAME in the exec path, which is also a command. Returns false if no such file exists,
 * true if it must not be run now.
 */
static bool run_external(const char **argv)
{
	char *file = xasprintf("%s/perf-%s", exec_path(), argv[0]);
	bool refused = false;

	fflush(stdout);
	if (!strchr(argv[0], '/') && !file_access(file, X_OK)) {
		refused = self_profile_refuses(file);
		if (!refused)
			execv(file, (char *const *)(uintptr_t)argv);
	}
	free(file);
	return refused;
}

/* Runs "!COMMAND", a line of the shell, with what follows the alias as its arguments. */
static int run_shell(const char *line, int argc, const char **argv)
{
	const char **args;
	char *script;

	if (self_profile_refuses(line))
		return 1;
	args = xcalloc((size_t)argc + 5, sizeof(*args));
	script = xasprintf("%s \"$@\"", line);
	fflush(stdout);
	args[0] = "sh";
	args[1] = "-c";
	args[2] = script;
	args[3] = argv[0];
	memcpy(args + 4, argv + 1, (size_t)(argc - 1) * sizeof(*args));
	execvp("sh", (char *const *)(uintptr_t)args);
	say_error("cannot run the shell: %s", strerror(errno));
	free(script);
	free(args);
	return 127;
}

/* Runs alias.NAME: words that stand for an existing command. Returns true when it was run. */
static bool run_alias(struct context *ctx, int argc, const char **argv, int *code)
{
	char *name = xasprintf("alias.%s", argv[0]);
	const char *value = config_get(ctx, name), **args;
	struct strlist words = { VEC_INIT };

	free(name);
	if (!value)
		return false;
	if (*value == '!') {
		*code = run_shell(value + 1, argc, argv);
		return true;
	}
	*code = 1;
	if (shell_words(&words, value) || !words.list.count) {
		say_error("the alias '%s' is not a command: %s", argv[0], value);
	} else if (!find_command(words.list.items[0])) {
		say_error("the alias '%s' stands for '%s', which is not a command", argv[0],
			  words.list.items[0]);
	} else {
		args = xcalloc(words.list.count + (size_t)argc, sizeof(*args));
		memcpy(args, words.list.items, words.list.count * sizeof(*args));
		memcpy(args + words.list.count, argv + 1, (size_t)(argc - 1) * sizeof(*args));
		*code = run(ctx, (int)words.list.count + argc - 1, args);
		free(args);
	}
	strlist_release(&words);
	return true;
}

static int run(struct context *ctx, int argc, const char **argv)
{
	const struct command *c = find_command(argv[0]);
	int code;

	if (!c && run_alias(ctx, argc, argv, &code))
		return code;
	if (!c && run_external(argv))
		return 1;
	if (!c)
		c = unknown_command(ctx, argv[0]);
	if (!c)
		return 1;
	/* --help shows the manual page; the command itself does not see the word. */
	if (argc > 1 && !strcmp(argv[1], "--help"))
		return cmd_help(ctx, 2, (const char *[]){ "help", c->name, NULL });
	if (c->pager || ctx->pager == CONTEXT_PAGER_ALWAYS || (argc > 1 && !strcmp(argv[1], "-h")))
		pager_start(ctx, c->name);
	if (c->recorder)
		ctx->recorder = c->recorder;
	return c->run(ctx, argc, argv);
}

/* Runs another command: "perf --help CMD" is "perf help CMD", "perf -v" is "perf version". */
static int run_as(struct context *ctx, const char *name, int argc, const char **argv)
{
	const char **args = xcalloc((size_t)argc + 2, sizeof(*args));
	int code;

	args[0] = name;
	memcpy(args + 1, argv, (size_t)argc * sizeof(*args));
	code = run(ctx, argc + 1, args);
	free(args);
	return code;
}

/*
 * The output for debug text: the file of --debug-file, which the first line replaces, or standard
 * error.
 */
struct debug_file {
	const char *path;
	int fd; /* -1: not open yet */
};

static void debug_text(void *arg, const char *lines)
{
	struct debug_file *f = arg;

	fflush(stdout);
	if (f->fd < 0)
		f->fd = replace_open(f->path, false, 0666, NULL);
	if (f->fd < 0 || (write_all(f->fd, lines, strlen(lines)) && f->fd != STDERR_FILENO)) {
		f->fd = STDERR_FILENO; /* say it somewhere */
		write_all(f->fd, lines, strlen(lines));
	}
}

static int set_debug_file(struct context *ctx, const char *path)
{
	static struct debug_file file = { .fd = STDERR_FILENO };
	struct reason r = REASON_INIT;

	ctx->debug_text = debug_text;
	ctx->debug_arg = &file;
	if (!path)
		return 0;
	file = (struct debug_file){ path, -1 };
	return replace_check(path, &r) ? say_reason(&r) : 0;
}

/*
 * Ends the debug file. If the command had nothing to say, the file becomes empty instead of keeping
 * an earlier text.
 */
static int end_debug_file(const struct context *ctx, int code)
{
	if (!code)
		debug_text(ctx->debug_arg, "");
	return code;
}

static int set_trace(struct context *ctx, const char *components)
{
	struct reason r = REASON_INIT;

	if (!components || !trace_components(components, ctx->debug_text, ctx->debug_arg, &r))
		return 0;
	reason_prefix(&r, "--trace");
	return say_reason(&r);
}

/* Sets --debug VARIABLE[=LEVEL]. */
static int set_debug(const struct option_call *call, struct reason *r)
{
	static const char *const names[] = { "verbose", "perf-event-open" };
	struct context *ctx = call->settings;
	int *levels[] = { &ctx->verbose, &ctx->debug[DEBUG_EVENT_OPEN] };
	size_t len = strcspn(call->value, "=");
	u64 level = 1;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strlen(names[i]) != len || strncmp(names[i], call->value, len))
			continue;
		if (call->value[len] && (parse_u64(call->value + len + 1, &level) || level > 100))
			return reason_set(r, EINVAL, "'%s' is not a level", call->value + len + 1);
		*levels[i] = (int)level;
		return 0;
	}
	reason_set(r, EINVAL, "unknown variable '%.*s'", (int)len, call->value);
	reason_hint(r, "the variables are verbose and perf-event-open");
	return -EINVAL;
}

static void apply(struct context *ctx, const struct main_options *m)
{
	if (m->buildid_dir)
		ctx->buildid_dir = m->buildid_dir;
	if (m->debugfs_dir)
		tracefs_use(m->debugfs_dir);
	if (m->exec_path)
		setenv("PERF_EXEC_PATH", m->exec_path, 1);
	ctx->exec_path = exec_path();
	if (m->paginate)
		ctx->pager = CONTEXT_PAGER_ALWAYS;
	if (!m->pager)
		ctx->pager = CONTEXT_PAGER_NEVER;
}

/* Answers options that are all that was asked for. Returns true when one was answered. */
static bool answer(struct context *ctx, const struct main_options *m, int argc, const char **argv,
		   int *code)
{
	*code = 0;
	if (m->list_commands)
		print_command_names();
	else if (m->html_path)
		puts(PERF_HTML_PATH);
	else if (m->exec_path_asked && !m->exec_path)
		puts(exec_path());
	else if (m->version)
		*code = run_as(ctx, "version", m->version > 1,
			       (const char *[]){ "--build-options" });
	else if (m->help)
		*code = run_as(ctx, "help", argc, argv);
	else
		return false;
	return true;
}

static int front_end(struct context *ctx, int argc, const char **argv)
{
	static const char *const usage[] = { "perf [--version] [--help] [OPTIONS] COMMAND [ARGS]",
					     NULL };
	struct main_options m = { .pager = true };
	const struct option_row rows[] = {
		{ OPTION_FLAG, 'h', "help", &m.help, .flags = OPT_NO_NEGATE,
		  .help = "list the commands, or show the page of COMMAND" },
		{ OPTION_COUNT, 'v', "version", &m.version, .flags = OPT_NO_NEGATE,
		  .help = "print the version; -vv: what is built in, too" },
		{ OPTION_FLAG, 'p', "paginate", &m.paginate, .flags = OPT_NO_NEGATE,
		  .help = "show the output of the command in a pager" },
		{ OPTION_FLAG, 0, "pager", &m.pager, .flags = OPT_NEGATE_ONLY,
		  .help = "use no pager" },
		{ OPTION_STRING, 0, "exec-path", &m.exec_path, .arg = "DIR", .flags = OPT_OPTIONAL,
		  .given = &m.exec_path_asked,
		  .help = "look for scripts and extra commands in DIR; or print where they are" },
		{ OPTION_FLAG, 0, "html-path", &m.html_path, .flags = OPT_NO_NEGATE,
		  .help = "print where the documentation is" },
		{ OPTION_STRING, 0, "buildid-dir", &m.buildid_dir, .arg = "DIR",
		  .help = "use the build-id cache in DIR" },
		{ OPTION_STRING, 0, "debugfs-dir", &m.debugfs_dir, .arg = "DIR",
		  .help = "debugfs is mounted at DIR" },
		{ OPTION_CALLBACK, 0, "debug", .arg = "VARIABLE[=LEVEL]", .set = set_debug,
		  .flags = OPT_NO_NEGATE, .help = "say more: verbose, perf-event-open" },
		{ OPTION_STRING, 0, "debug-file", &m.debug_file, .arg = "FILE",
		  .help = "write what --debug, --trace and -vv print to FILE" },
		{ OPTION_STRING, 0, "trace", &m.trace, .arg = "COMPONENT[,COMPONENT]",
		  .help = "show what these parts of perf decide: " TRACE_COMPONENT_LIST },
		{ OPTION_STRING, 0, "self-profile", &m.self_profile, .arg = "FILE",
		  .help = "write what perf itself spent time on as a trace for viewers, and a "
			  "table" },
		{ OPTION_FLAG, 0, "list-cmds", &m.list_commands, .flags = OPT_NO_NEGATE,
		  .help = "print the names of the commands" },
		OPT_END_ROW,
	};
	const struct options o = {
		.usage = usage,
		.rows = rows,
		.stop_at_command = true,
		.settings = ctx,
	};
	int code = options_parse(&o, &argc, argv);

	if (code)
		return code < 0 ? 0 : code;
	apply(ctx, &m);
	if (set_debug_file(ctx, m.debug_file))
		return 1;
	code = set_trace(ctx, m.trace);
	if (code)
		return code;
	if (answer(ctx, &m, argc, argv, &code))
		return code;
	if (argc == 0) {
		run_as(ctx, "help", 0, argv);
		return 1;
	}
	if (m.self_profile)
		code = self_profile_run(m.self_profile, run, ctx, argc, argv);
	else
		code = run(ctx, argc, argv);
	return end_debug_file(ctx, code);
}

static void memory_exhausted(size_t size)
{
	say_error("out of memory (%zu bytes more were needed)", size);
	_exit(1);
}

static void file_too_large(int sig)
{
	(void)sig;
}

static void catch_signals(void)
{
	struct sigaction large = { .sa_handler = file_too_large, .sa_flags = SA_RESTART };

	lost_pages_catch();
	/*
	 * writes fail with EFBIG then; it is not ignored, since programs that are run would inherit
	 * that
	 */
	sigaction(SIGXFSZ, &large, NULL);
}

/*
 * Returns the build ID cache: PERF_BUILDID_DIR, buildid.dir ("~/" is home), or ~/.debug. The caller
 * frees it.
 */
static char *buildid_dir(const struct context *ctx)
{
	const char *dir = getenv("PERF_BUILDID_DIR");
	const char *home = getenv("HOME");
	struct stat st;

	if (!dir)
		dir = config_get(ctx, "buildid.dir");
	if (!dir)
		dir = "~/.debug";
	if (!strcmp(dir, "/dev/null"))
		return xstrdup("");
	if (!str_starts(dir, "~/"))
		return xstrdup(dir);
	/* a home directory that does not exist is not for perf to make */
	return home && *home && !stat(home, &st) ? xasprintf("%s%s", home, dir + 1) : xstrdup("");
}

static void context_init(struct context *ctx, struct config *config)
{
	const char *workers = getenv("PERF_WORKERS");
	struct reason r = REASON_INIT;
	u64 n;

	if (config_load(config, CONFIG_SYSTEM | CONFIG_USER, &r)) {
		say_warning("%s", r.text);
		if (r.hint)
			say_hint("%s", r.hint);
	}
	reason_release(&r);
	config_say_unknown(config);
	ctx->config = config;
	ctx->progress = isatty(STDERR_FILENO) ? say_progress : NULL;
	n = config_u64(ctx, "core.workers", 0);
	if (workers && parse_u64(workers, &n))
		say_warning("PERF_WORKERS: '%s' is not a number", workers);
	ctx->workers = (unsigned)MIN(n, 1024);
	ctx->expects_fallback = !config_bool(ctx, "record.fallback-warning", true);
}

/* Checks that all output was written. A full disk is noticed here at the latest. */
static int check_output(int code)
{
	int err = 0;

	if (fflush(stdout) || ferror(stdout))
		err = errno ? -errno : -EIO;
	else if (fclose(stdout) && errno != EBADF)
		err = -errno;
	return say_output(err) ? 1 : code;
}

/* Ends the process by a signal. Returns only if the signal cannot end a process. */
static void die_by_signal(int sig)
{
	const struct rlimit none = { 0, 0 };
	sigset_t set;

	/* a core of this process would say nothing about the command's */
	setrlimit(RLIMIT_CORE, &none);
	signal(sig, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, sig);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(sig);
}

/*
 * Opens /dev/null for closed standard descriptors, so that no event or file takes their place and
 * is written to. It refuses what the descriptor is for, as a closed one does, and is closed in
 * programs that perf starts.
 */
static void hold_standard_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC) < 0)
			return;
}

int main(int argc, const char **argv)
{
	const char **typed = xcalloc((size_t)argc + 1, sizeof(*typed));
	struct context ctx = { .symfs = "" };
	struct config config = { VEC_INIT };
	struct reason r = REASON_INIT;
	char *dir;
	int code;

	hold_standard_descriptors();
	memcpy(typed, argv, (size_t)argc * sizeof(*typed)); /* parsing changes their order */
	options_typed(typed);
	alloc_set_exhausted(memory_exhausted);
	catch_signals();
	debug_servers_hide();
	if (privileges_begin(&r))
		return say_reason(&r);
	context_init(&ctx, &config);
	ctx.buildid_dir = dir = buildid_dir(&ctx);
	code = check_output(front_end(&ctx, argc, argv));
	if (code == 1 && workload_refused())
		code = workload_refused();
	else if (!code)
		code = workload_handed_on();
	pager_finish();
	condition_list_release(&ctx.conditions);
	config_release(&config);
	free(dir);
	free(typed);
	if (ctx.ended_by)
		die_by_signal(ctx.ended_by);
	return code;
}
