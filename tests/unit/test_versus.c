// SPDX-License-Identifier: GPL-2.0-or-later
/* Comparisons: quantiles and intervals against published values, and a simulation of when they
 * stop. */
#include "machine.h"

#include <math.h>

#include "base/hash.h"
#include "builtin/stat/versus.h"
#include "statistics/compare.h"

static void near(double a, double b, double tolerance)
{
	if (!(fabs(a - b) <= tolerance))
		fail_msg("%.9f is not %.9f", a, b);
}

/* Fisher and Yates, "Statistical Tables", table III. */
static void student(void **state)
{
	static const struct {
		unsigned freedom;
		double t95, t99;
	} rows[] = {
		{ 1, 12.706, 63.657 }, { 2, 4.303, 9.925 },   { 3, 3.182, 5.841 },
		{ 4, 2.776, 4.604 },   { 9, 2.262, 3.250 },   { 10, 2.228, 3.169 },
		{ 30, 2.042, 2.750 },  { 120, 1.980, 2.617 }, { 999, 1.962, 2.581 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		near(statistics_student_quantile(0.95, rows[i].freedom), rows[i].t95, 6e-4);
		near(statistics_student_quantile(0.99, rows[i].freedom), rows[i].t99, 6e-4);
	}
}

/* The hours of sleep that two drugs added for ten patients, from Student's paper of 1908. */
static const double laevo[] = { 1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4 };
static const double dextro[] = { 0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0 };

static void paired(void **state)
{
	struct statistics_pairs p = { 0 };
	struct statistics_change c;

	(void)state;
	for (size_t i = 0; i < 10; i++)
		statistics_add_pair(&p, dextro[i], laevo[i]);
	statistics_compare_pairs(&p, statistics_student_quantile(0.95, 9), &c);
	near(c.difference, 1.58, 1e-9);
	near(c.low, 0.7001142, 1e-6);
	near(c.high, 2.4598858, 1e-6);
	/* the baseline itself, 0.75 with a deviation of its mean of 0.566, may be 0 */
	assert_false(c.is_relative);
	assert_int_equal(statistics_direction(&c), 1);
}

static void independent(void **state)
{
	struct statistics_change c;

	(void)state;
	/* deviation of the difference 0.849091; 17.776 degrees of freedom, rounded down: t
	 * is 2.109816 */
	statistics_compare_sets(dextro, 10, laevo, 10, 0.95, &c);
	near(c.difference, 1.58, 1e-9);
	near(c.low, 1.58 - 2.109816 * 0.849091, 1e-5);
	near(c.high, 1.58 + 2.109816 * 0.849091, 1e-5);
	assert_int_equal(statistics_direction(&c), 0);
	/* values without any spread */
	statistics_compare_sets((double[]){ 2, 2 }, 2, (double[]){ 3, 3, 3 }, 3, 0.95, &c);
	near(c.low, 1, 1e-12);
	near(c.share_high, 0.5, 1e-12);
}

/* By definition the ends of Fieller's interval are the ratios at which other - ratio * base just
 * differs from 0. */
static void ratios(void **state)
{
	static const double base[] = { 10.1, 9.7, 10.4, 10.0, 9.9, 10.6 },
			    other[] = { 10.9, 10.2, 10.8, 11.1, 10.3, 11.4 };
	struct statistics_pairs p = { 0 };
	struct statistics_change c;
	double ends[2];

	(void)state;
	for (size_t i = 0; i < 6; i++)
		statistics_add_pair(&p, base[i], other[i]);
	statistics_compare_pairs(&p, 2.5, &c);
	assert_true(c.is_relative);
	ends[0] = 1 + c.share_low;
	ends[1] = 1 + c.share_high;
	for (size_t e = 0; e < 2; e++) {
		double sum = 0, squares = 0;

		for (size_t i = 0; i < 6; i++)
			sum += other[i] - ends[e] * base[i];
		for (size_t i = 0; i < 6; i++)
			squares += pow(other[i] - ends[e] * base[i] - sum / 6, 2);
		near(fabs(sum / 6) / sqrt(squares / 5 / 6), 2.5, 1e-6);
	}
	near(c.share, 64.7 / 60.7 - 1, 1e-12);
	/* of 0 and 0 no ratio is known */
	statistics_compare_pairs(&(struct statistics_pairs){ .n = 5 }, 2.5, &c);
	assert_false(c.is_relative);
	assert_int_equal(statistics_direction(&c), 0);
}

static void far_out(void **state)
{
	double values[] = { 9, 50, 1, 2, 3, 4, 5, 6, 7, 8 }, same[] = { 4, 4, 4, 4, 9 };
	double low, high;

	(void)state;
	/* hinges 3 and 8 */
	statistics_far_out(values, 10, &low, &high);
	near(low, 3 - 15, 1e-9);
	near(high, 8 + 15, 1e-9);
	near(statistics_median(values, 10), 5.5, 1e-9);
	statistics_far_out(same, 5, &low, &high);
	assert_true(isinf(low) && isinf(high));
}

/* ---- the plan ---- */

/* In two rounds each command runs before each other one once, and orders change between blocks. */
static void orders(void **state)
{
	u32 a[5], b[5];
	bool same = true;

	(void)state;
	for (size_t count = 2; count <= 5; count++)
		for (u64 round = 0; round < 100; round += 2) {
			u32 seen = 0;

			versus_order(round, a, count);
			versus_order(round + 1, b, count);
			for (size_t i = 0; i < count; i++) {
				assert_int_equal(a[i], b[count - 1 - i]);
				seen |= 1U << a[i];
			}
			assert_int_equal(seen, (1U << count) - 1);
			versus_order(0, b, count);
			same &= a[0] == b[0];
		}
	assert_false(same);
}

static bool always(void *arg)
{
	++*(int *)arg;
	return true;
}

static bool never(void *arg)
{
	++*(int *)arg;
	return false;
}

static u64 rounds_of(struct versus_plan plan, u64 round_ns, bool (*narrow)(void *), int *asked,
		     enum versus_end *end)
{
	u64 rounds = 0;

	*asked = 0;
	do
		*end = versus_is_last(&plan, rounds + 1, (rounds + 1) * round_ns, narrow, asked);
	while (rounds++, !*end);
	return rounds;
}

static void ends(void **state)
{
	const struct versus_plan free_plan = { .max_time = 60000000000 },
				 fixed = { .fixed = 7, .max_time = 1 };
	enum versus_end end;
	int asked;

	(void)state;
	/* narrow at the first look: two more */
	assert_int_equal(rounds_of(free_plan, 1000, always, &asked, &end), 12);
	assert_int_equal(end, VERSUS_NARROW);
	assert_int_equal(asked, 1);
	/* looks at 10, 16, 24, 36, 54, 82, 124, 186, 280, 420, 630, 946 */
	assert_int_equal(rounds_of(free_plan, 1000, never, &asked, &end), 1000);
	assert_int_equal(end, VERSUS_ROUNDS);
	assert_int_equal(asked, 12);
	/* another block of 2 s each would end after 60 s; slow commands have their ten even so */
	assert_int_equal(rounds_of(free_plan, 2000000000, never, &asked, &end), 30);
	assert_int_equal(end, VERSUS_TIME);
	assert_int_equal(rounds_of(free_plan, 20000000000, never, &asked, &end), 10);
	assert_int_equal(rounds_of(fixed, 1000, always, &asked, &end), 7);
	assert_int_equal(end, VERSUS_FIXED);
	assert_int_equal(asked, 0);
}

/* ---- the simulation ---- */

static u64 drawn;

static double uniform(void)
{
	return ((double)(hash_u64(++drawn * 0x9e3779b97f4a7c15ULL) >> 11) + 0.5) /
	       9007199254740992.0;
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

/* The time of a run of 100, with normal noise; and with runs that something else delays, as on a
 * busy machine. */
static double quiet(void)
{
	return 100 + normal();
}

static double busy(void)
{
	return 100 + normal() + (uniform() < 0.1 ? -10 * log(uniform()) : 0);
}

/* uneven: the second run of a pair is 2 % slower than the first, and the machine gets slower all
 * the time. */
static const struct kind {
	double (*draw)(void);
	double second, drift;
} kinds[] = { { quiet, 0, 0 }, { busy, 0, 0 }, { quiet, 2, 0.002 } };

struct simulation {
	struct statistics_pairs p;
	double within;
	u64 rounds;
};

static bool simulated_narrow(void *arg)
{
	struct simulation *s = arg;
	struct statistics_change c;

	statistics_compare_pairs(&s->p, versus_quantile(s->p.n, false), &c);
	return (c.share_high - c.share_low) / 2 <= s->within;
}

/* One comparison with a rival that takes `more` (a share) longer. */
static struct statistics_change compared(struct simulation *s, const struct kind *kind, double more)
{
	struct versus_plan plan = { .max_time = 60000000000 };
	struct statistics_change c;

	s->p = (struct statistics_pairs){ 0 };
	for (s->rounds = 0;; s->rounds++) {
		u32 order[2];
		double values[2];

		versus_order(s->rounds, order, 2);
		for (size_t i = 0; i < 2; i++) {
			double later = (double)s->rounds * kind->drift + (double)i * kind->second;

			values[order[i]] = (kind->draw() + later) * (order[i] ? 1 + more : 1);
		}
		statistics_add_pair(&s->p, values[0], values[1]);
		if (versus_is_last(&plan, s->rounds + 1, 0, simulated_narrow, s))
			break;
	}
	s->rounds++;
	statistics_compare_pairs(&s->p, versus_quantile(s->p.n, false), &c);
	return c;
}

/*
 * A against A: at most 5 % of the comparisons claim a difference, whatever width ends them, in
 * 4,000 trials of each kind (three deviations, 0.34 % each, are allowed for chance).  Where a
 * difference exists, its interval holds the truth as often.
 */
static void false_claims(void **state)
{
	static const double widths[] = { 0.015, 0.01, 0.008, 0.006 };
	enum { TRIALS = 4000 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(widths); i++)
		for (size_t kind = 0; kind < ARRAY_SIZE(kinds); kind++) {
			struct simulation s = { .within = widths[i] };
			int claims = 0, missed = 0;

			for (int n = 0; n < TRIALS; n++) {
				struct statistics_change c = compared(&s, &kinds[kind], 0);

				claims += statistics_direction(&c) != 0;
				c = compared(&s, &kinds[kind], 0.02);
				missed += c.share_low > 0.02 || c.share_high < 0.02;
			}
			if (claims > TRIALS * (0.05 + 3 * 0.0034) ||
			    missed > TRIALS * (0.05 + 3 * 0.0034))
				fail_msg("width %g, noise %zu: %d false claims and %d missed of %d",
					 widths[i], kind, claims, missed, TRIALS);
		}
}

/* 2 % more is found where runs vary by 1 %; where one in ten is delayed by a tenth, it takes more
 * pairs. */
static void true_claims(void **state)
{
	struct simulation s = { .within = 0.01 };
	int found[2] = { 0 };
	u64 rounds[2] = { 0 };

	(void)state;
	for (int n = 0; n < 1000; n++)
		for (int kind = 0; kind < 2; kind++) {
			struct statistics_change c = compared(&s, &kinds[kind], 0.02);

			found[kind] += statistics_direction(&c) == 1;
			rounds[kind] += s.rounds;
		}
	assert_true(found[0] >= 900 && found[1] >= 900);
	assert_true(rounds[0] < 25 * 1000 && rounds[1] > rounds[0] && rounds[1] < 320 * 1000);
}

/* ---- noise ---- */

static void put_noise(const char *stat, const char *waited)
{
	tree_put("/proc/stat", stat);
	tree_put("/proc/pressure/memory", waited);
}

static bool names(const struct strlist *l, const char *part)
{
	vec_for_each(&l->list, it)
		if (strstr(*it, part))
			return true;
	return false;
}

static void noise(void **state)
{
	struct sys sys = { .root = tree_root };
	struct strlist lines = { VEC_INIT };
	struct strbuf b = STRBUF_INIT;
	struct versus_noise n;

	(void)state;
	make_machine("processor : 0", "0-1");
	put_noise("cpu  100 0 0 1000 0 0 0 0 0 0",
		  "some avg10=0.00 avg60=0.00 avg300=0.00 total=0");
	tree_put("/proc/loadavg", "2.50 1.00 1.00 1/100 1000");
	tree_put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "3000000");
	tree_put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave");
	tree_put("/sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "2990000");
	versus_noise_begin(&n, &sys);
	tree_put("/sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "1200000");
	versus_noise_look(&n, &sys);
	/* of 10,000 ticks 300 were stolen and 5,000 busy */
	put_noise("cpu  4600 0 500 5700 0 0 0 300 0 0",
		  "some avg10=0.00 avg60=0.00 avg300=0.00 total=60000000000");
	versus_noise_end(&n, &sys);
	near(n.steal, 0.03, 1e-9);
	assert_true(n.others > 1 && n.waited[1] > 1 && isnan(n.waited[0]));
	versus_noise_name(&n, &lines);
	assert_true(names(&lines, "steal: the host took 3.0%"));
	assert_true(names(&lines, "other load: other tasks used"));
	assert_true(names(&lines, "the load average was 2.50 before the start"));
	assert_true(names(&lines, "memory pressure: tasks waited"));
	assert_true(names(&lines, "frequency: CPUs ran at 1200 to 3000 MHz, governor powersave"));
	assert_int_equal(lines.list.count, 5);
	versus_noise_json(&n, &b);
	assert_non_null(strstr(strbuf_cstr(&b), "{\"steal-percent\" : 3.0000, \"other-cpus\" : "));
	assert_non_null(strstr(strbuf_cstr(&b), "\"cpu-pressure-percent\" : null, "));
	strlist_release(&lines);
	strbuf_release(&b);
	versus_noise_release(&n);
	/* a quiet machine, and one that says nothing */
	put_noise("cpu  100 0 0 1000 0 0 0 0 0 0",
		  "some avg10=0.00 avg60=0.00 avg300=0.00 total=0");
	tree_put("/proc/loadavg", "0.10 1.00 1.00 1/100 1000");
	tree_put("/sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "2990000");
	versus_noise_begin(&n, &sys);
	put_noise("cpu  100 0 0 11000 0 0 0 50 0 0",
		  "some avg10=0.00 avg60=0.00 avg300=0.00 total=0");
	versus_noise_end(&n, &sys);
	versus_noise_name(&n, &lines);
	assert_int_equal(lines.list.count, 0);
	versus_noise_release(&n);
	tree_clear();
	versus_noise_begin(&n, &sys);
	versus_noise_end(&n, &sys);
	versus_noise_name(&n, &lines);
	assert_int_equal(lines.list.count, 0);
	versus_noise_release(&n);
}

/* Hardware counters, shared ones extrapolated: 30 counted in 4 % of the time are 750. */
static void counters_of_a_pmu(void **state)
{
	static const struct script s[] = { { CYCLES, 30, 0, 960 },
					   { INSTRUCTIONS, 200, 0 },
					   SCRIPT_END };
	char *out;

	(void)state;
	skylake();
	out = run(s, "--versus true -r 2 -x, -e cycles,instructions");
	assert_non_null(strstr(out, "'true',cycles,,2,750,750,0,0,0,0.0000,0.0000,0.0000,\n"));
	assert_non_null(
		strstr(out, "'true',instructions,,2,200,200,0,0,0,0.0000,0.0000,0.0000,\n"));
	free(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(student),
		cmocka_unit_test(paired),
		cmocka_unit_test(independent),
		cmocka_unit_test(ratios),
		cmocka_unit_test(far_out),
		cmocka_unit_test(orders),
		cmocka_unit_test(ends),
		cmocka_unit_test(false_claims),
		cmocka_unit_test(true_claims),
		cmocka_unit_test(noise),
		cmocka_unit_test(counters_of_a_pmu),
	};

	return cmocka_run_group_tests(tests, tree_make, tree_remove);
}
