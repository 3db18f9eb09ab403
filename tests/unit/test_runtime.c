// SPDX-License-Identifier: GPL-2.0-or-later
/* Tests which functions count as a run-time's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "symbol/runtime.h"

static void test_objects(void **state)
{
	(void)state;
	assert_true(symbol_is_runtime("libc.so.6", "read"));
	assert_true(symbol_is_runtime("libc-2.31.so", ""));
	assert_true(symbol_is_runtime("ld-linux-x86-64.so.2", "_dl_fixup"));
	assert_true(symbol_is_runtime("libstdc++.so.6", "operator new"));
	assert_false(symbol_is_runtime("libcurl.so.4", "curl_easy_perform"));
	assert_false(symbol_is_runtime("ldapsearch", "main"));
	assert_false(symbol_is_runtime("", ""));
}

/* Checks the functions of a static program, which has them in its own object. */
static void test_functions(void **state)
{
	(void)state;
	assert_true(symbol_is_runtime("server", "runtime.futexsleep"));
	assert_true(symbol_is_runtime("server", "sync.(*Mutex).lockSlow"));
	assert_true(symbol_is_runtime("server", "<std::thread::thread::Thread>::park"));
	assert_true(symbol_is_runtime("server", "&core::ops::function::FnOnce::call_once"));
	assert_false(symbol_is_runtime("server", "core::update"));
	assert_false(symbol_is_runtime("server", "core::Queue::wait"));
	assert_true(symbol_is_runtime("server", "__pthread_mutex_lock"));
	assert_true(symbol_is_runtime("server", "__libc_recv"));
	assert_true(symbol_is_runtime("server", "__clock_nanosleep"));
	assert_true(symbol_is_runtime("server", "epoll_wait"));
	assert_false(symbol_is_runtime("server", "epoll_wait_all"));
	assert_false(symbol_is_runtime("server", "send"));
	assert_false(symbol_is_runtime("server", "main.handle"));
	assert_false(symbol_is_runtime("server", "runtime_update"));
	assert_false(symbol_is_runtime("server", "stdlib_init"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_objects),
		cmocka_unit_test(test_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
