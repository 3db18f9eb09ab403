// SPDX-License-Identifier: GPL-2.0-or-later
/* Conditions on a truth: what parses, and what holds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "truth/require.h"
#include "truth/truth.h"

static void refused(const char *text, const char *hint)
{
	struct require q = { 0 };
	struct reason r = REASON_INIT;

	assert_true(require_parse(&q, text, &r) < 0);
	if (!r.hint || !strstr(r.hint, hint))
		fail_msg("'%s': the hint is '%s', not '%s'", text, r.hint ? r.hint : "", hint);
	reason_release(&r);
	require_release(&q);
}

static void bad_conditions(void **state)
{
	(void)state;
	refused("whoel>=90%", "did you mean 'whole'?");
	refused("xyzzy>=90%", "the names are whole");
	refused("whole", "operators");
	refused("whole=90%", "operators");
	refused("whole>90", "in percent");
	refused("samples>=5%", "number of samples");
	refused("samples>=1.5", "whole number");
	refused("named>=", "in percent");
	refused("lost<", "a number follows");
	refused("named>=%", "a number follows");
	refused("named>=-1%", "a number follows");
	refused("named>=100.1%", "between 0% and 100%");
	refused("named>=1e400%", "between 0% and 100%");
	refused("", "commas between");
	refused("lost<1%,,named>=95%", "commas between");
}

/* One event of 200 samples: 150 of 160 stacks whole, 190 named; 1 lost for 199 delivered;
 * it was counted in 900 of 1000 ns. */
static void make_truth(struct truth *t)
{
	struct truth_event e = { .name = "cycles", .samples = 200, .counts = true };
	struct truth_cause c = { 10, xstrdup("/lib/libx.so"), xstrdup("it is cut"),
				 xstrdup("--mend") };

	e.whole.good = 150;
	e.whole.all = 160;
	vec_push(&e.whole.causes, c);
	e.named.good = 190;
	e.named.all = 200;
	e.times.enabled = 1000;
	e.times.running = 900;
	vec_push(&t->events, e);
	t->samples = 200;
	t->delivered = 199;
	t->lost = 1;
	t->throttled = 3;
}

static size_t broken(const char *text, struct require_lines *lines)
{
	struct require q = { 0 };
	struct truth t = { 0 };
	struct reason r = REASON_INIT;

	make_truth(&t);
	assert_int_equal(require_parse(&q, text, &r), 0);
	require_check(&q, &t, lines);
	require_release(&q);
	truth_release(&t);
	return lines->broken.list.count;
}

static void is(const char *text, bool holds)
{
	struct require_lines lines = { 0 };

	if (broken(text, &lines) != !holds)
		fail_msg("'%s' %s", text, holds ? "does not hold" : "holds");
	require_lines_release(&lines);
}

static void comparisons(void **state)
{
	(void)state;
	is("whole>=93.75%", true);
	is("whole>93.75%", false);
	is("whole<=93.75%", true);
	is("whole<93.75%", false);
	is("whole>=93.76%", false);
	is(" named >= 95 % ", true);
	is("named>95%", false);
	is("lost<1%", true);
	is("lost<=0.5%", true);
	is("lost<0.5%", false);
	is("lost<2", true);
	is("lost<1", false);
	is("samples>=200", true);
	is("samples>200", false);
	is("throttled<=3", true);
	is("throttled<3", false);
	is("throttled<1.4%", false);
	is("throttled<1.5%", true);
	is("multiplexed<=10%", true);
	is("multiplexed<10%", false);
	is("multiplexed>9.9%", true);
	is("multiplexed>10%", false);
}

static void lines_of_text(void **state)
{
	struct require_lines lines = { 0 };

	(void)state;
	assert_int_equal(broken("whole>=99%,samples>=201,multiplexed<5%,named>=90%", &lines), 3);
	assert_string_equal(
		lines.broken.list.items[0],
		"'whole>=99%' does not hold: 93.8% of 160 stacks of 'cycles' are whole; "
		"6.2% libx.so: it is cut: --mend");
	assert_non_null(strstr(lines.broken.list.items[1], "there are 200 samples of 'cycles'"));
	assert_string_equal(lines.broken.list.items[2],
			    "'multiplexed<5%' does not hold: 'cycles' was not counted in 10.00% of "
			    "the time in which it was enabled: record fewer events at a time");
	require_lines_release(&lines);
}

static void check(const char *text, const struct truth *t, struct require_lines *lines)
{
	struct require q = { 0 };
	struct reason r = REASON_INIT;

	require_lines_release(lines);
	*lines = (struct require_lines){ 0 };
	assert_int_equal(require_parse(&q, text, &r), 0);
	require_check(&q, t, lines);
	require_release(&q);
}

/* An event whose times are not known breaks a condition, one that needs no counter does not. */
static void times(void **state)
{
	struct truth_event other = { .name = "waits", .samples = 3 },
			   dummy = { .name = "dummy", .times = { .enabled = 9 } };
	struct require_lines lines = { 0 };
	struct truth t = { 0 };
	struct strbuf b = STRBUF_INIT;

	(void)state;
	make_truth(&t);
	other.times = (struct truth_times){ .state = TRUTH_NOT_APPLICABLE };
	vec_push(&t.events, other);
	vec_push(&t.events, dummy);
	check("multiplexed<=10%", &t, &lines);
	assert_int_equal(lines.broken.list.count + lines.notes.list.count, 0);
	assert_ptr_equal(truth_most_multiplexed(&t), &t.events.items[0]);
	t.events.items[1].times = (struct truth_times){ .enabled = 8, .running = 1 };
	check("multiplexed<50%", &t, &lines);
	assert_non_null(strstr(lines.broken.list.items[0], "'waits' was not counted in 87.50%"));
	truth_causes_text(&t, &b);
	assert_non_null(strstr(strbuf_cstr(&b), "multiplexed: 87.5% of the time of waits: "));
	t.events.items[1].times =
		(struct truth_times){ TRUTH_UNKNOWN, 0, 0, "nobody asked", "ask" };
	check("multiplexed<=100%", &t, &lines);
	assert_string_equal(lines.broken.list.items[0],
			    "'multiplexed<=100%' does not hold: unknown: nobody asked: ask");
	t.events.items[0].times = t.events.items[1].times =
		(struct truth_times){ .state = TRUTH_NOT_APPLICABLE };
	check("multiplexed<1%", &t, &lines);
	assert_int_equal(lines.broken.list.count, 0);
	assert_string_equal(lines.notes.list.items[0],
			    "'multiplexed<1%' does not apply: no event needs a counter");
	assert_null(truth_most_multiplexed(&t));
	require_lines_release(&lines);
	strbuf_release(&b);
	truth_release(&t);
}

/* Of several events the worst one is named; events without samples are no matter, but for
 * "samples". */
static void several_events(void **state)
{
	struct truth t = { 0 };
	struct require q = { 0 };
	struct require_lines lines = { 0 };
	struct reason r = REASON_INIT;
	struct truth_event second = { .name = "faults", .samples = 4, .counts = true };
	struct truth_event none = { .name = "none", .counts = true };

	(void)state;
	make_truth(&t);
	second.whole.state = TRUTH_NOT_APPLICABLE;
	second.whole.why = "no call chains were recorded";
	second.named.good = 2;
	second.named.all = 4;
	vec_push(&t.events, second);
	vec_push(&t.events, none);
	assert_int_equal(require_parse(&q, "named>=96%,whole>=90%", &r), 0);
	require_check(&q, &t, &lines);
	assert_int_equal(lines.broken.list.count, 1);
	assert_non_null(strstr(lines.broken.list.items[0], "50.0% of 4 samples of 'faults'"));
	assert_int_equal(lines.notes.list.count, 0);
	require_lines_release(&lines);
	require_release(&q);
	assert_int_equal(require_parse(&q, "samples>=1", &r), 0);
	require_check(&q, &t, &lines);
	assert_int_equal(lines.broken.list.count, 1);
	assert_non_null(strstr(lines.broken.list.items[0], "0 samples of 'none'"));
	require_lines_release(&lines);
	require_release(&q);
	truth_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_conditions), cmocka_unit_test(comparisons),
		cmocka_unit_test(lines_of_text),  cmocka_unit_test(times),
		cmocka_unit_test(several_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
