// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

#include "record/record.h"

#define MB (1ULL << 20)

static void expect(const struct loss_facts *f, const char *in_cause, const char *whole_remedy)
{
	struct strbuf cause = STRBUF_INIT, remedy = STRBUF_INIT;

	record_explain_loss(f, &cause, &remedy);
	assert_non_null(strstr(strbuf_cstr(&cause), in_cause));
	assert_string_equal(strbuf_cstr(&remedy), whole_remedy);
	strbuf_release(&cause);
	strbuf_release(&remedy);
}

/* A ring below the usual size comes first, whatever else was slow. */
static void small_rings(void **state)
{
	struct loss_facts f = { .lost = 1, .ring = 4096, .ring_may_grow = true, .ran_ns = 100,
				.waited_ns = 90, .emptying_ns = 90 };

	(void)state;
	expect(&f, "rings of 4 kB", "use larger rings: -m 2M");
	f.ring = 2 * MB;
	f.waited_ns = f.emptying_ns = 0;
	expect(&f, "rings of 2048 kB", "use larger rings: -m 8M");
}

static void no_cpu(void **state)
{
	struct loss_facts f = { .lost = 1, .ring = 2 * MB, .ring_may_grow = true, .ran_ns = 1000,
				.waited_ns = 400, .emptying_ns = 900 };

	(void)state;
	expect(&f, "waited for a CPU 40%",
	       "give it priority over what it watches: -r 1 (as root)");
	f.waited_ns = 100;
	f.freq_applies = true;
	f.freq = 4000;
	expect(&f, "writing them took 90%", "take fewer samples: -F 2000");
}

/* Each kind of recording has its own way to write less. */
static void less_to_write(void **state)
{
	struct loss_facts f = { .lost = 1, .ring = 512 * 1024, .ran_ns = 1000, .freq = 4000,
				.freq_applies = true, .stack_bytes = 8192 };

	(void)state;
	expect(&f, "rings of 512 kB", "copy less of the stack: --call-graph dwarf,4096");
	f.stack_bytes = 1024;
	expect(&f, "rings", "take fewer samples: -F 2000");
	f.freq_applies = false;
	expect(&f, "rings", "sample not each event but every tenth: -c 10");
	f.period = 100;
	expect(&f, "rings", "take fewer samples: -c 1000");
	f.ring = 64 * MB;
	f.ring_may_grow = true;
	expect(&f, "rings of 65536 kB", "take fewer samples: -c 1000");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_rings),
		cmocka_unit_test(no_cpu),
		cmocka_unit_test(less_to_write),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
