// SPDX-License-Identifier: GPL-2.0-or-later
/* Whether names can be found: this program's own, the kernel's, a vdso's. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "builtin/test/checks.h"
#include "object/buildid.h"
#include "object/cache.h"
#include "symbol/symbol.h"

struct symbols {
	struct image_table *images;
	struct symbol_store *store;
	const struct symbol_table *table;
};

static void symbols_open(struct symbols *s, struct selftest *t, const char *path,
			 enum image_kind kind, bool kernel)
{
	struct symbol_options options = { .symfs = "", .buildid_dir = "" };
	struct image want = { .path = path, .pid = -1, .kind = kind, .kernel = kernel };
	u32 image;

	s->images = image_table_new();
	image = image_intern(s->images, &want);
	s->store = symbol_store_new(t->ctx, s->images, &options);
	s->table = symbols_of(s->store, image);
}

static void symbols_close(struct symbols *s)
{
	symbol_store_free(s->store);
	image_table_free(s->images);
}

static char binding_letter(const struct symbol *s)
{
	return s->binding == 0 ? 'l' : s->binding == 1 ? 'g' : 'w';
}

static void log_symbols(struct selftest *t, const struct symbol_table *table)
{
	for (u32 i = 0; i < symbol_count(table); i++) {
		const struct symbol *s = symbol_get(table, i);

		strbuf_f(&t->log, " %" PRIx64 "-%" PRIx64 " %c %s\n", s->start, symbol_end(s),
			 binding_letter(s), s->name);
	}
}

/*
 * Checks a file of the user's: its symbols ascend, and each one's address leads to a symbol that
 * begins there.
 */
static enum selftest_result check_symbols_of(struct selftest *t, const char *path)
{
	enum selftest_result result = SELFTEST_OK;
	char real[PATH_MAX];
	u64 before = 0;
	struct symbols s;

	if (file_access(path, R_OK) || !realpath(path, real))
		return selftest_fail(t, "'%s' cannot be read: %s", path, strerror(errno));
	symbols_open(&s, t, real, IMAGE_UNKNOWN, false);
	log_symbols(t, s.table);
	if (!symbol_count(s.table))
		result = selftest_fail(t, "'%s' has no symbols", path);
	for (u32 i = 0; i < symbol_count(s.table) && result == SELFTEST_OK; i++) {
		const struct symbol *sym = symbol_get(s.table, i);
		u32 found = symbol_find(s.table, sym->start);

		if (sym->start < before)
			result = selftest_fail(t, "%s is not in the order of addresses", sym->name);
		else if (found == NO_SYMBOL || symbol_get(s.table, found)->start != sym->start)
			result =
				selftest_fail(t, "the address of %s gives another name", sym->name);
		before = sym->start;
	}
	symbols_close(&s);
	return result;
}

/* Looks for a function of each kind that tests record and look for. */
enum selftest_result check_own_symbols(struct selftest *t)
{
	static const char *const wanted[] = { "test_loop", "thfunc", "leaf", "cmd_test" };
	enum selftest_result result = SELFTEST_OK;
	char self[PATH_MAX];
	struct symbols s;
	ssize_t n;

	if (t->dso)
		return check_symbols_of(t, t->dso);
	n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (n < 0)
		return selftest_skip(t, "/proc/self/exe cannot be read: %s", strerror(errno));
	self[n] = '\0';
	symbols_open(&s, t, self, IMAGE_UNKNOWN, false);
	log_symbols(t, s.table);
	for (size_t i = 0; i < ARRAY_SIZE(wanted) && result == SELFTEST_OK; i++)
		if (symbol_by_name(s.table, wanted[i]) == NO_SYMBOL)
			result = selftest_fail(t, "this program was stripped: it has no symbol %s",
					       wanted[i]);
	symbols_close(&s);
	return result;
}

enum selftest_result check_kernel_symbols(struct selftest *t)
{
	enum selftest_result result = SELFTEST_OK;
	const struct symbol *sym;
	struct symbols s;
	const char *hint;
	u32 n;

	if (file_access("/proc/kallsyms", R_OK))
		return selftest_skip(t, "/proc/kallsyms cannot be read (CONFIG_KALLSYMS)");
	symbols_open(&s, t, "[kernel.kallsyms]", IMAGE_KERNEL, true);
	n = symbol_by_name(s.table, "schedule");
	sym = n == NO_SYMBOL ? NULL : symbol_get(s.table, n);
	strbuf_f(&t->log, "%u symbols\n", symbol_count(s.table));
	if (!symbol_count(s.table))
		result = selftest_skip(t, "kernel addresses are hidden: %s",
				       kallsyms_hidden("/proc/kallsyms", &hint));
	else if (!sym)
		result = selftest_fail(t, "the kernel has no symbol 'schedule'");
	else if (symbol_find(s.table, sym->start + 1) != n)
		result = selftest_fail(t, "the address of 'schedule' gives another name");
	symbols_close(&s);
	return result;
}

enum selftest_result check_own_build_id(struct selftest *t)
{
	struct build_id id = { 0 };
	char text[41];

	if (build_id_of_file("/proc/self/exe", &id, NULL))
		return selftest_fail(t, "this program has no build-id");
	strbuf_f(&t->log, "%s\n", build_id_text(&id, text));
	return id.size ? SELFTEST_OK : selftest_fail(t, "this program has no build-id");
}
