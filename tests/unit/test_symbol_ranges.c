// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions of stripped objects, which only unwind tables tell of; nm of the object before it was stripped judges. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "object/elf.h"
#include "symbol/internal.h"
#include "shell.h"

static char dir[] = "/tmp/perf-ranges-XXXXXX";

#define sh(...) shell(dir, __VA_ARGS__)

static const char source[] =
	"int puts(const char *);\n"
	"__attribute__((noinline)) static int hidden(int x) { return puts(\"x\") + x; }\n"
	"__attribute__((noinline)) int shown(int x) { return hidden(x) * 2; }\n";

static const char bare_source[] = ".text\n.globl before\n.type before, %function\nbefore: .skip 8\n.size before, 8\n"
				  "bare: .skip 64\n.section .note.GNU-stack,\"\",%progbits\n";

static int setup(void **state)
{
	FILE *f;

	(void)state;
	if (!mkdtemp(dir) || chdir(dir))
		return -1;
	f = fopen("t.c", "w");
	if (!f)
		return -1;
	fputs(source, f);
	if (fclose(f))
		return -1;
	f = fopen("bare.s", "w");
	if (!f)
		return -1;
	fputs(bare_source, f);
	return fclose(f) ||
	       !sh("gcc -O1 -shared -fPIC -Wl,-z,lazy t.c bare.s -o full.so && "
		   "cp full.so t.so && strip t.so");
}

static int teardown(void **state)
{
	(void)state;
	return chdir("/") || !sh("rm -rf %s", dir);
}

struct fixture {
	struct context ctx;
	struct image_table *images;
	struct symbol_store *store;
	const struct symbol_table *table;
};

static void open_store(struct fixture *f)
{
	struct symbol_options o = { .symfs = dir, .buildid_dir = dir };
	struct image want = { .path = "/t.so", .pid = -1 };

	memset(f, 0, sizeof(*f));
	f->images = image_table_new();
	f->store = symbol_store_new(&f->ctx, f->images, &o);
	f->table = symbols_of(f->store, image_intern(f->images, &want));
}

static void close_store(struct fixture *f)
{
	symbol_store_free(f->store);
	image_table_free(f->images);
	condition_list_release(&f->ctx.conditions);
}

/* The address and size of a function before the object was stripped. */
static void judge(const char *name, u64 *address, u64 *size)
{
	char *command = NULL;
	unsigned long at = 0, bytes = 0;
	FILE *f;

	assert_true(asprintf(&command, "nm -S %s/full.so | awk '$NF == \"%s\" { print $1, (NF > 3 ? $2 : 0) }'", dir, name) > 0);
	f = popen(command, "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%lx %lx", &at, &bytes), 2);
	pclose(f);
	free(command);
	*address = at;
	*size = bytes;
}

static u32 number_at(const struct fixture *f, u64 address)
{
	u64 offset;

	assert_true(elf_addr_to_offset(f->table->elf, address, &offset));
	return symbol_find(f->table, offset);
}

static void test_hidden(void **state)
{
	struct fixture f;
	u64 address, size, offset;
	char name[64];
	u32 n;

	(void)state;
	open_store(&f);
	judge("hidden", &address, &size);
	assert_true(elf_addr_to_offset(f.table->elf, address, &offset));
	assert_false(symbol_find_loaded(f.table, offset, &n)); /* nobody has read the unwind tables yet */
	n = number_at(&f, address);
	assert_false(symbol_is_named(n));
	assert_int_not_equal(n, NO_SYMBOL);
	snprintf(name, sizeof(name), "[t.so+0x%lx]", (unsigned long)address);
	assert_string_equal(symbol_get(f.table, n)->name, name);
	assert_int_equal(symbol_end(symbol_get(f.table, n)) - offset, size);
	assert_int_equal(number_at(&f, address + size - 1), n);
	assert_int_not_equal(number_at(&f, address + size), n);
	assert_int_equal(symbol_by_name(f.table, name), n);
	assert_int_equal(symbol_by_name(f.table, "[t.so+0x1]"), NO_SYMBOL);
	assert_int_equal(symbol_by_name(f.table, "[t.so+x]"), NO_SYMBOL);
	assert_true(symbol_find_loaded(f.table, offset, &n));
	assert_int_equal(number_at(&f, address), n);
	for (u32 i = 0; i < symbol_count(f.table); i++)
		assert_int_not_equal(symbol_get(f.table, i)->name[0], '[');
	close_store(&f);
}

static void test_named_and_outside(void **state)
{
	struct fixture f;
	u64 address, size;

	(void)state;
	open_store(&f);
	judge("shown", &address, &size);
	assert_string_equal(symbol_get(f.table, number_at(&f, address + size - 1))->name, "shown");
	judge("bare", &address, &size); /* neither a symbol nor unwind tables */
	assert_int_equal(number_at(&f, address), NO_SYMBOL);
	assert_int_equal(number_at(&f, address + 63), NO_SYMBOL);
	close_store(&f);
}

static void test_stubs(void **state)
{
	struct fixture f;
	const struct elf_section *plt;
	bool named = false;

	(void)state;
	open_store(&f);
	plt = elf_section(f.table->elf, ".plt");
	if (!plt) {
		close_store(&f);
		skip();
	}
	for (u64 at = plt->addr; at < plt->addr + plt->size; at++) {
		u32 n = number_at(&f, at);

		assert_true(n == NO_SYMBOL || symbol_is_named(n));
		named |= n != NO_SYMBOL && !strcmp(symbol_get(f.table, n)->name, "puts@plt");
	}
	assert_true(named);
	close_store(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hidden),
		cmocka_unit_test(test_named_and_outside),
		cmocka_unit_test(test_stubs),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
