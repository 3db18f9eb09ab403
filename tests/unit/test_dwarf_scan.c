// SPDX-License-Identifier: GPL-2.0-or-later
/* What a scan finds is what looking at each byte finds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dwarf/scan.h"

#define SIZE ((size_t)9 << 20) /* enough for a second thread */

struct found {
	u8 *marks; /* one for each byte */
};

static size_t mark(void *arg, size_t at)
{
	struct found *f = arg;

	f->marks[at] = 1;
	return 0;
}

static u32 number_at(const u8 *p, bool big)
{
	return big ? (u32)p[0] << 24 | (u32)p[1] << 16 | (u32)p[2] << 8 | p[3]
		   : (u32)p[3] << 24 | (u32)p[2] << 16 | (u32)p[1] << 8 | p[0];
}

static bool wanted(const struct scan_request *q, size_t at)
{
	u32 v;

	if (q->string_size && q->size - at >= q->string_size &&
	    !memcmp(q->data + at, q->string, q->string_size))
		return true;
	if (q->size - at < 4)
		return false;
	v = number_at(q->data + at, q->big_endian);
	for (size_t i = 0; i < q->offset_count; i++)
		if (q->offsets[i] == v)
			return true;
	return false;
}

/* Makes data of small numbers, as offsets are, with many zeros. */
static u8 *make_data(void)
{
	u8 *data = malloc(SIZE);
	u32 state = 1;

	assert_non_null(data);
	for (size_t i = 0; i < SIZE; i++) {
		state = state * 1103515245 + 12345;
		data[i] = (state >> 16) % 3 ? (u8)((state >> 18) % 7) : 0;
	}
	memcpy(data, "name", 5);
	memcpy(data + SIZE - 5, "name", 5);
	memcpy(data + SIZE / 2 - 2, "name", 5);
	return data;
}

static void check_with(const u8 *data, size_t size, size_t offsets, bool big, const char *string,
		       bool plain)
{
	u32 values[40];
	struct found f = { calloc(size + 1, 1) };
	/* clang-format off */
	struct scan_request q = { .data = data, .size = size, .offsets = values, .offset_count = offsets,
				  .big_endian = big, .plain = plain, .middle = size / 2, .found = mark, .arg = &f,
				  .string = (const u8 *)string, .string_size = string ? strlen(string) + 1 : 0 };
	/* clang-format on */

	assert_non_null(f.marks);
	for (size_t i = 0; i < 40; i++)
		values[i] = (u32)(i % 5 | (i % 3) << 8 | (i % 7) << 16);
	scan_bytes(&q);
	for (size_t i = 0; i < size; i++)
		if (f.marks[i] != wanted(&q, i))
			fail_msg("%zu offsets, %zu bytes: position %zu", offsets, size, i);
	free(f.marks);
}

static void check(const u8 *data, size_t size, size_t offsets, bool big, const char *string)
{
	check_with(data, size, offsets, big, string, false);
	check_with(data, size, offsets, big, string, true);
}

static void test_scan(void **state)
{
	u8 *data = make_data();

	(void)state;
	check(data, SIZE, 3, false, "name");
	check(data, SIZE, 40, false, NULL);
	for (size_t size = 0; size < 70; size++) {
		check(data, size, 40, true, "name");
		check(data, size, 5, size % 2, size % 3 ? "name" : NULL);
		check(data, size, 30, size % 2, NULL);
	}
	free(data);
}

static size_t stop_at(void *arg, size_t at)
{
	size_t *count = arg;

	(*count)++;
	return at + 100;
}

static void test_goes_on_where_told(void **state)
{
	u8 data[250] = { 0 };
	u32 zeros[20] = { 0 };
	size_t count = 0;
	struct scan_request q = { .data = data,
				  .size = sizeof(data),
				  .offsets = zeros,
				  .offset_count = 20,
				  .found = stop_at,
				  .arg = &count };

	(void)state;
	scan_bytes(&q);
	assert_int_equal(count, 3);
	count = 0;
	q.offset_count = 1;
	scan_bytes(&q);
	assert_int_equal(count, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scan),
		cmocka_unit_test(test_goes_on_where_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
