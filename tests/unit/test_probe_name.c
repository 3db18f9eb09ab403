// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of C++ and Rust functions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "probe/name.h"

static const struct {
	const char *name, *last;
	bool qualified, parameters, glob;
} names[] = {
	{ "f", "f", false, false, false },
	{ "tcp_*", "tcp_*", false, false, true },
	{ "tcp_[a-z]x", "tcp_[a-z]x", false, false, true },
	{ "nn::f", "f", true, false, false },
	{ "nn::*", "*", true, false, true },
	{ "nn::f(int)", "f", true, true, false },
	{ "f(int*, char const*)", "f", true, true, false },
	{ "Box<int>::get", "get", true, false, false },
	{ "Box<int*>::get() const", "get", true, true, false },
	{ "twice<int>", "twice", true, false, false },
	{ "twice<int>(int)", "twice", true, true, false },
	{ "Box<int>::~Box", "~Box", true, false, false },
	{ "Box<int>::operator bool", "operator bool", true, false, false },
	{ "Box<int>::operator unsigned long", "operator unsigned long", true, false, false },
	{ "Box<int>::operator+=", "operator+=", true, false, false },
	{ "Box<int>::operator()(int) const", "operator()", true, true, false },
	{ "operator<", "operator<", true, false, false },
	{ "operator<< <char>", "operator<<", true, false, false },
	{ "operator new[]", "operator new[]", true, false, false },
	{ "nn::operator*", "operator*", true, false, false },
	{ "nn::(anonymous namespace)::hidden", "hidden", true, false, false },
	{ "main::{lambda(int)#1}::operator()", "operator()", true, false, false },
	{ "<r::Acc as r::Shape>::area", "area", true, false, false },
	{ "<[u8] as core::fmt::Debug>::fmt", "fmt", true, false, false },
	{ "core::ptr::drop_in_place::<alloc::vec::Vec<u8>>", "drop_in_place", true, false, false },
	{ "f::<fn() -> u8>", "f", true, false, false },
	{ "a::b::{closure#0}", "{closure#0}", true, false, false },
};

static void test_parts(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *last = name_last(names[i].name);

		if (strcmp(last, names[i].last))
			fail_msg("%s: '%s', not '%s'", names[i].name, last, names[i].last);
		if (name_is_qualified(names[i].name) != names[i].qualified ||
		    name_has_parameters(names[i].name) != names[i].parameters ||
		    name_has_glob(names[i].name) != names[i].glob)
			fail_msg("%s: qualified %d, parameters %d, glob %d", names[i].name,
				 name_is_qualified(names[i].name),
				 name_has_parameters(names[i].name), name_has_glob(names[i].name));
		free(last);
	}
}

static const struct {
	const char *full, *wanted;
	bool ends, same;
} pairs[] = {
	{ "nn::f", "nn::f", true, true },
	{ "nn::f", "f", true, false },
	{ "nn::off", "f", false, false },
	{ "nn::f(int)", "nn::f", true, true },
	{ "nn::f(int)", "nn::f(int)", true, true },
	{ "nn::f(double)", "nn::f(int)", false, false },
	{ "int twice<int>(int)", "twice<int>(int)", true, true },
	{ "Box<int>::get() const", "Box<int>::get()", true, true },
	{ "Box<int>::get() const", "Box<int>::get", true, true },
	{ "Box<int>::get() const", "Box<long>::get", false, false },
	{ "f(char const*, unsigned int)", "f(char const *,unsigned int)", true, true },
	{ "std::vector<int, std::allocator<int> >::size", "vector<int, std::allocator<int>>::size",
	  true, false },
	{ "r::r::count", "r::count", true, false },
};

static void test_matches(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		if (name_ends_in(pairs[i].full, pairs[i].wanted) != pairs[i].ends ||
		    name_is(pairs[i].full, pairs[i].wanted) != pairs[i].same)
			fail_msg("%s and %s", pairs[i].full, pairs[i].wanted);
}

/* Text of any kind is gone through to its end, and not beyond. */
static void test_any_text(void **state)
{
	static const char parts[][10] = { "<",  ">",        "(", ")",         "{",  "[",  "]",
					  "::", "operator", " ", "a",         "\\", "\"", "->",
					  "=",  " const",   "*", "unsigned ", ":",  ";" };
	unsigned seed = 1;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		char text[128] = "";
		const char *s, *end;

		while (strlen(text) < 40 + (size_t)(seed >> 20) % 60) {
			seed = seed * 1664525u + 1013904223u;
			strcat(text, parts[(seed >> 16) % ARRAY_SIZE(parts)]);
		}
		s = xstrndup(text, strlen(text));
		end = s + strlen(s);
		for (const char *p = s; p < end;) {
			const char *next = name_skip(s, p, end);

			assert_true(next > p && next <= end);
			p = next;
		}
		free(name_last(s));
		name_ends_in(s, "a::b(c)");
		name_is("a::b(c)", s);
		free((char *)(uintptr_t)s);
	}
}

/* Brackets that never close: quickly. */
static void test_many_brackets(void **state)
{
	char *text = xmalloc(4001);

	(void)state;
	memset(text, '<', 4000);
	text[4000] = '\0';
	free(name_last(text));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_matches),
		cmocka_unit_test(test_any_text),
		cmocka_unit_test(test_many_brackets),
	};

	return cmocka_run_group_tests_name("probe names", tests, NULL, NULL);
}
