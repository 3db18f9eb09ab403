// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Checks that code is read as it is in the file: objdump prints the same bytes at the same
 * addresses.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "object/elf.h"
#include "builtin/test/checks.h"

enum { MOST_BYTES = 64 * 1024, ROW = 16 };

extern char **environ;

static const char *program(const struct selftest *t)
{
	return t->objdump ? t->objdump : "objdump";
}

/* Starts objdump without a shell, its output in *out. Returns 0 or a positive errno. */
static int start(const struct selftest *t, const char *path, u64 from, u64 to, FILE **out,
		 pid_t *pid)
{
	char *first = xasprintf("--start-address=0x%" PRIx64, from),
	     *end = xasprintf("--stop-address=0x%" PRIx64, to);
	/* not "--", which llvm-objdump does not know */
	char *file = xasprintf("%s%s", *path == '-' ? "./" : "", path);
	const char *const words[] = { program(t), "-s", "-j", ".text", first, end, file, NULL };
	posix_spawn_file_actions_t actions;
	int fds[2], err = pipe2(fds, O_CLOEXEC) ? errno : 0;

	if (!err) {
		posix_spawn_file_actions_init(&actions);
		posix_spawn_file_actions_adddup2(&actions, fds[1], STDOUT_FILENO);
		err = posix_spawnp(pid, words[0], &actions, NULL, (char *const *)words, environ);
		posix_spawn_file_actions_destroy(&actions);
		close(fds[1]);
		*out = err ? NULL : fdopen(fds[0], "r");
		if (err)
			close(fds[0]);
	}
	free(file);
	free(first);
	free(end);
	return err;
}

/* Takes " 401000 f30f1efa 4883ec08 ...  ....H..."; returns how many bytes it has, or 0. */
static unsigned parse_row(const char *line, u64 *address, u8 bytes[ROW])
{
	char *hex;
	unsigned n = 0;

	if (*line != ' ')
		return 0;
	*address = strtoull(line, &hex, 16);
	if (*hex != ' ')
		return 0;
	hex++;
	for (; n < ROW; n++) {
		const char *at = hex + n * 2 + n / 4;
		const char byte[3] = { at[0], at[0] ? at[1] : '\0', '\0' };

		if (!isxdigit((unsigned char)byte[0]) || !isxdigit((unsigned char)byte[1]))
			break;
		bytes[n] = (u8)strtoul(byte, NULL, 16);
		if (n % 4 == 3 && at[2] != ' ')
			return n + 1;
	}
	return n;
}

static enum selftest_result compare_row(struct selftest *t, const struct elf *e, u64 address,
					const u8 *theirs, unsigned n)
{
	size_t size;
	const u8 *data = elf_data(e, &size);
	u64 offset;

	if (!elf_addr_to_offset(e, address, &offset) || offset > size || size - offset < n)
		return selftest_fail(t, "address %" PRIx64 " is not found in the file", address);
	if (memcmp(data + offset, theirs, n) != 0)
		return selftest_fail(t, "at %" PRIx64 " %s prints other bytes", address,
				     program(t));
	return SELFTEST_OK;
}

static enum selftest_result compare(struct selftest *t, const struct elf *e, const char *path)
{
	const struct elf_section *text = elf_section(e, ".text");
	enum selftest_result result = SELFTEST_OK;
	u64 end, address, seen = 0;
	char line[256];
	u8 bytes[ROW];
	FILE *out;
	pid_t pid;
	int status, err;

	if (!text || !elf_address_is_code(e, text->addr))
		return selftest_skip(t, "'%s' has no code in a section .text", path);
	end = text->addr + MIN(text->size, (u64)MOST_BYTES);
	err = start(t, path, text->addr, end, &out, &pid);
	if (err)
		return selftest_skip(t, "'%s' cannot be run: %s", program(t), strerror(err));
	while (result == SELFTEST_OK && fgets(line, sizeof(line), out)) {
		unsigned n = parse_row(line, &address, bytes);

		if (n)
			result = compare_row(t, e, address, bytes, n);
		seen += n;
	}
	fclose(out);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	strbuf_f(&t->log, "%" PRIu64 " bytes from %" PRIx64 " of '%s'\n", seen, text->addr, path);
	if (result == SELFTEST_OK && !seen)
		return selftest_skip(t, "'%s' prints no code of '%s'", program(t), path);
	if (result == SELFTEST_OK && seen != end - text->addr)
		return selftest_fail(t, "%s prints %" PRIu64 " of %" PRIu64 " bytes", program(t),
				     seen, end - text->addr);
	return result;
}

enum selftest_result check_code(struct selftest *t)
{
	const char *path = t->dso ? t->dso : "/proc/self/exe";
	char self[4096];
	ssize_t n = t->dso ? 0 : readlink(path, self, sizeof(self) - 1);
	enum selftest_result result;
	struct elf *e;

	if (n < 0)
		return selftest_skip(t, "/proc/self/exe cannot be read: %s", strerror(errno));
	self[n] = '\0';
	if (n)
		path = self; /* in objdump /proc/self is objdump's own */
	if (elf_open(path, &e, NULL))
		return selftest_fail(t, "'%s' cannot be read as an ELF file", path);
	result = compare(t, e, path);
	elf_close(e);
	return result;
}
