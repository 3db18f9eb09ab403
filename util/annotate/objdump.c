// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Decodes with objdump: for machines that no library here knows, builds without libopcodes, and
 * --objdump. It runs without a shell, so no shell ever parses a file's name.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "annotate/internal.h"
#include "arch/arch.h"
#include "arch/machine.h"
#include "base/alloc.h"
#include "base/temporary.h"
#include "base/text.h"

extern char **environ;

struct command {
	VEC(char *) words;
};

static void add_word(struct command *c, char *owned)
{
	vec_push(&c->words, owned);
}

static void command_release(struct command *c)
{
	vec_for_each(&c->words, w)
		free(*w);
	vec_release(&c->words);
}

/* Writes bytes without a file to a temporary file for objdump. */
static int bytes_file(const struct code *c, char path[32], struct reason *r)
{
	int fd;

	strcpy(path, "/tmp/perf-code-XXXXXX");
	fd = mkostemp(path, O_CLOEXEC); /* replace-ok: in /tmp */
	if (fd < 0)
		return reason_errno(r, errno, "cannot create a file for objdump in /tmp");
	temporary_note(path, TEMPORARY_FILE);
	if (write(fd, c->bytes, c->size) != (ssize_t)c->size) {
		close(fd);
		unlink(path);
		temporary_forget(path);
		return reason_errno(r, EIO, "'%s' cannot be written", path);
	}
	close(fd);
	return 0;
}

static void build_command(struct command *cmd, const struct annotator *a, const struct code *c,
			  const char *path)
{
	const struct arch_machine *m = arch_machine(c->machine);

	add_word(cmd, xstrdup("objdump")); /* replaced */
	add_word(cmd, xstrdup(c->is_file ? "-d" : "-D"));
	add_word(cmd, xstrdup("--no-show-raw-insn"));
	add_word(cmd, xstrdup("-C"));
	if (a->set.syntax) {
		add_word(cmd, xstrdup("-M"));
		add_word(cmd, xstrdup(a->set.syntax));
	}
	if (!c->is_file) {
		add_word(cmd, xstrdup("-b"));
		add_word(cmd, xstrdup("binary"));
		add_word(cmd, xstrdup("-m"));
		add_word(cmd, xstrdup(m ? m->bfd : "unknown"));
		add_word(cmd, xasprintf("--adjust-vma=0x%" PRIx64, c->address));
	} else {
		add_word(cmd, xasprintf("--start-address=0x%" PRIx64, c->address));
		add_word(cmd, xasprintf("--stop-address=0x%" PRIx64, c->address + c->size));
		if (c->section[0]) {
			add_word(cmd, xstrdup("-j"));
			add_word(cmd, xstrdup(c->section));
		}
	}
	add_word(cmd, xstrdup("--"));
	add_word(cmd, xstrdup(path));
	add_word(cmd, NULL);
}

static int start(const char *program, struct command *cmd, int write_end, int errors, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	int err;

	free(cmd->words.items[0]);
	cmd->words.items[0] = xstrdup(program);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, write_end, 1);
	if (errors >= 0)
		posix_spawn_file_actions_adddup2(&actions, errors, 2);
	else
		posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	err = posix_spawnp(pid, program, &actions, NULL, cmd->words.items, environ);
	posix_spawn_file_actions_destroy(&actions);
	return err;
}

static bool is_own(const struct code *c)
{
	return c->machine == arch_host()->e_machine ||
	       (c->machine == ELF_MACHINE_386 && arch_host()->e_machine == ELF_MACHINE_X86_64);
}

/*
 * Suggests a package. Debian's packages of other machines are named after their tools, without
 * underscores.
 */
static void hint_package(const struct code *c, struct reason *r)
{
	const struct arch_machine *m = is_own(c) ? NULL : arch_machine(c->machine);
	char *package = m ? xasprintf("binutils-%.*s", (int)strlen(m->tools[0]) - 1, m->tools[0])
			  : xstrdup("binutils");

	for (char *at = strchr(package, '_'); at; at = strchr(at, '_'))
		*at = '-';
	reason_hint(r, "install objdump (Debian package %s), or give --objdump PATH", package);
	free(package);
}

/* Starts the requested objdump; by default this machine's, or whichever cross one exists. */
static int start_any(const struct annotator *a, const struct code *c, struct command *cmd,
		     int write_end, int errors, pid_t *pid, char **program)
{
	const struct arch_machine *m = arch_machine(c->machine);
	int err = ENOENT;

	if (a->set.objdump) {
		*program = xstrdup(a->set.objdump);
		return start(*program, cmd, write_end, errors, pid);
	}
	if (is_own(c)) {
		*program = xstrdup("objdump");
		err = start(*program, cmd, write_end, errors, pid);
		if (!err)
			return 0;
		free(*program);
	}
	for (size_t i = 0; m && i < ARRAY_SIZE(m->tools) && m->tools[i]; i++) {
		*program = xasprintf("%sobjdump", m->tools[i]);
		err = start(*program, cmd, write_end, errors, pid);
		if (!err)
			return 0;
		free(*program);
	}
	*program = xasprintf("%sobjdump", m ? m->tools[0] : "");
	return err;
}

/* Parses "    1220:\ttest   %esi,%esi". */
static bool parse_line(char *line, u64 *addr, char **text)
{
	char *end;

	while (*line == ' ')
		line++;
	*addr = strtoull(line, &end, 16);
	if (end == line || end[0] != ':' || end[1] != '\t')
		return false;
	*text = end + 2;
	return true;
}

struct pending {
	struct insn insn;
	bool any;
};

static void give(struct pending *p, u64 next, insn_fn fn, void *arg)
{
	if (!p->any || next <= p->insn.address)
		return;
	p->insn.size = (u32)MIN(next - p->insn.address, 255);
	fn(arg, &p->insn);
	p->any = false;
}

static void read_text(struct context *ctx, FILE *f, const struct code *c, insn_fn fn, void *arg)
{
	struct strbuf text = STRBUF_INIT;
	struct pending p = { .insn.text = &text };
	char *line = NULL, *body;
	size_t space = 0;
	ssize_t n;
	u64 addr;

	while (!context_cancelled(ctx) && (n = getline(&line, &space, f)) > 0) {
		while (n && (line[n - 1] == '\n' || line[n - 1] == ' ' || line[n - 1] == '\t'))
			line[--n] = 0;
		if (!parse_line(line, &addr, &body) || addr < c->address ||
		    addr >= c->address + c->size)
			continue;
		give(&p, addr, fn, arg);
		strbuf_clear(&text);
		for (char *at = body; *at; at++)
			if (*at == '\t')
				*at = ' ';
		strbuf_printable(&text, body);
		p.insn.address = addr;
		flow_from_text(c->machine, strbuf_cstr(&text), &p.insn);
		p.any = true;
	}
	give(&p, c->address + c->size, fn, arg);
	free(line);
	strbuf_release(&text);
}

static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Writes the first line of a program's messages, if any. */
static void first_words(int fd, struct strbuf *out)
{
	char text[256];
	ssize_t n = fd >= 0 ? pread(fd, text, sizeof(text) - 1, 0) : -1;

	text[MAX(n, 0)] = 0;
	text[strcspn(text, "\n")] = 0;
	strbuf_printable(out, text);
}

/* Reports that objdump failed, or that it continued after a warning, such as one about a style. */
static int judge(struct annotator *a, int status, int errors, const char *program, const char *path,
		 struct reason *r)
{
	struct strbuf said = STRBUF_INIT;
	int err = 0;

	first_words(errors, &said);
	if (status)
		err = reason_set(r, EIO, "'%s' failed on '%s' (status %d)%s%s", program, path,
				 status, said.len ? ": " : "", strbuf_cstr(&said));
	else if (said.len)
		condition_add(&a->ctx->conditions, CONDITION_WARNING, "objdump-said", program, NULL,
			      1, NULL, "%s", strbuf_cstr(&said));
	strbuf_release(&said);
	return err;
}

static int run_on(struct annotator *a, const struct code *c, const char *path, insn_fn fn,
		  void *arg, const char **shown, struct reason *r)
{
	struct command cmd = { VEC_INIT };
	char *program = NULL;
	int ends[2], errors, err, status;
	pid_t pid;
	FILE *f;

	if (pipe2(ends, O_CLOEXEC))
		return reason_errno(r, errno, "cannot create a pipe for objdump");
	errors = memfd_create("objdump", MFD_CLOEXEC);
	build_command(&cmd, a, c, path);
	err = start_any(a, c, &cmd, ends[1], errors, &pid, &program);
	close(ends[1]);
	command_release(&cmd);
	if (err) {
		close(ends[0]);
		if (errors >= 0)
			close(errors);
		reason_errno(r, err, "'%s' cannot be run", program);
		if (a->set.objdump)
			reason_hint(r,
				    "without --objdump, or annotate.objdump in the configuration, "
				    "perf looks for one itself");
		else
			hint_package(c, r);
		free(program);
		return -err;
	}
	*shown = strtab_get(&a->texts, strtab_add(&a->texts, program));
	free(program);
	f = fdopen(ends[0], "r");
	if (f) {
		read_text(a->ctx, f, c, fn, arg);
		fclose(f);
	} else {
		close(ends[0]);
	}
	status = wait_for(pid);
	err = judge(a, status, errors, *shown, path, r);
	if (errors >= 0)
		close(errors);
	return err;
}

int objdump_run(struct annotator *a, const struct code *c, insn_fn fn, void *arg,
		const char **program, struct reason *r)
{
	char temporary[32];
	int err;

	if (c->is_file)
		return run_on(a, c, c->path, fn, arg, program, r);
	err = bytes_file(c, temporary, r);
	if (err)
		return err;
	err = run_on(a, c, temporary, fn, arg, program, r);
	unlink(temporary);
	temporary_forget(temporary);
	return err;
}
