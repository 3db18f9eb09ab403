// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Noise: what else the machine did while commands were compared, as the kernel counts it.
 *
 * Sources: proc(5): /proc/stat, /proc/loadavg; Documentation/accounting/psi.rst and
 * Documentation/admin-guide/pm/cpufreq.rst of Linux.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "builtin/stat/versus.h"

static const char *const pressures[] = { "cpu", "memory", "io" };

/* From these on noise is named: shares, and CPUs. */
static const double steal_named = 0.01, others_named = 0.1, load_named = 0.5,
		    frequency_named = 0.05;
static const double pressure_named[] = { 0.05, 0.01, 0.05 };

static u64 cpu_time(int who)
{
	struct rusage u;

	getrusage(who, &u);
	return (u64)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000000 +
	       (u64)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000;
}

/* Reads the ticks of all CPUs, all 0 where the kernel does not say. */
static void read_cpus(const struct sys *sys, u64 *total, u64 *busy, u64 *stolen)
{
	char *line = sys_read_line(sys, "/proc/stat");
	u64 user, nice, system, idle, iowait, irq, softirq, steal;

	*total = *busy = *stolen = 0;
	if (line && sscanf(line,
			   "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
			   " %" SCNu64 " %" SCNu64 " %" SCNu64,
			   &user, &nice, &system, &idle, &iowait, &irq, &softirq, &steal) == 8) {
		*busy = user + nice + system + irq + softirq;
		*stolen = steal;
		*total = *busy + steal + idle + iowait;
	}
	free(line);
}

/*
 * Reads how many us some task has waited for it since the machine started. Returns false where the
 * kernel does not say.
 */
static bool read_pressure(const struct sys *sys, const char *what, u64 *us)
{
	char *line = sys_read_line(sys, "/proc/pressure/%s", what);
	const char *at = line && str_starts(line, "some ") ? strstr(line, "total=") : NULL;
	bool good = at && sscanf(at, "total=%" SCNu64, us) == 1;

	free(line);
	return good;
}

static double read_load(const struct sys *sys)
{
	char *line = sys_read_line(sys, "/proc/loadavg");
	double load = NAN;

	if (line && !parse_decimal(line, &load))
		load = NAN;
	free(line);
	return load;
}

void versus_noise_begin(struct versus_noise *n, const struct sys *sys)
{
	*n = (struct versus_noise){ .load = read_load(sys), .steal = NAN, .others = NAN };
	n->governor = sys_read_line(sys, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
	for (size_t i = 0; i < ARRAY_SIZE(pressures); i++)
		if (!read_pressure(sys, pressures[i], &n->pressure[i]))
			n->waited[i] = NAN;
	versus_noise_look(n, sys);
	read_cpus(sys, &n->total, &n->busy, &n->stolen);
	n->own = cpu_time(RUSAGE_SELF) + cpu_time(RUSAGE_CHILDREN);
	n->start = clock_now();
}

void versus_noise_look(struct versus_noise *n, const struct sys *sys)
{
	u64 khz;

	for (u32 cpu = 0; !sys_read_u64(
		     sys, &khz, "/sys/devices/system/cpu/cpu%u/cpufreq/scaling_cur_freq", cpu);
	     cpu++) {
		n->lowest = n->lowest ? MIN(n->lowest, khz) : khz;
		n->highest = MAX(n->highest, khz);
	}
}

void versus_noise_end(struct versus_noise *n, const struct sys *sys)
{
	u64 total, busy, stolen, us, passed = MAX(clock_now() - n->start, 1);
	u64 own = cpu_time(RUSAGE_SELF) + cpu_time(RUSAGE_CHILDREN) - n->own;
	double tick = 1.0 / (double)sysconf(_SC_CLK_TCK);

	versus_noise_look(n, sys);
	read_cpus(sys, &total, &busy, &stolen);
	if (total > n->total) {
		n->steal = (double)(stolen - MIN(n->stolen, stolen)) / (double)(total - n->total);
		n->others = fmax(((double)(busy - MIN(n->busy, busy)) * tick - (double)own / 1e9) /
					 ((double)passed / 1e9),
				 0);
	}
	for (size_t i = 0; i < ARRAY_SIZE(pressures); i++)
		if (!isnan(n->waited[i]) && read_pressure(sys, pressures[i], &us))
			n->waited[i] =
				(double)(us - MIN(n->pressure[i], us)) * 1000 / (double)passed;
}

static void add_line(struct strlist *lines, char *text)
{
	vec_push(&lines->list, text);
}

/* Lists what disturbed the runs. A comparison with NAN is false, so nothing unknown is listed. */
void versus_noise_name(const struct versus_noise *n, struct strlist *lines)
{
	if (n->steal >= steal_named)
		add_line(lines, xasprintf("steal: the host took %.1f%% of the CPUs' time",
					  100 * n->steal));
	if (n->others >= others_named)
		add_line(lines, xasprintf("other load: other tasks used %.2f CPUs", n->others));
	if (n->load >= load_named)
		add_line(lines, xasprintf("other load: the load average was %.2f before the start",
					  n->load));
	for (size_t i = 0; i < ARRAY_SIZE(pressures); i++)
		if (n->waited[i] >= pressure_named[i])
			add_line(lines, xasprintf("%s pressure: tasks waited %.1f%% of the time",
						  pressures[i], 100 * n->waited[i]));
	if (n->lowest && (double)(n->highest - n->lowest) >= frequency_named * (double)n->highest)
		add_line(lines, xasprintf("frequency: CPUs ran at %.0f to %.0f MHz%s%s",
					  (double)n->lowest / 1e3, (double)n->highest / 1e3,
					  n->governor ? ", governor " : "",
					  n->governor ? n->governor : ""));
}

static void add_number(struct strbuf *b, const char *key, double value)
{
	strbuf_f(b, "%s\"%s\" : ", b->s[b->len - 1] == '{' ? "" : ", ", key);
	if (isnan(value))
		strbuf_str(b, "null");
	else
		strbuf_f(b, "%.4f", value);
}

void versus_noise_json(const struct versus_noise *n, struct strbuf *b)
{
	strbuf_char(b, '{');
	add_number(b, "steal-percent", 100 * n->steal);
	add_number(b, "other-cpus", n->others);
	add_number(b, "load-before", n->load);
	for (size_t i = 0; i < ARRAY_SIZE(pressures); i++) {
		char *key = xasprintf("%s-pressure-percent", pressures[i]);

		add_number(b, key, 100 * n->waited[i]);
		free(key);
	}
	add_number(b, "lowest-mhz", n->lowest ? (double)n->lowest / 1e3 : NAN);
	add_number(b, "highest-mhz", n->highest ? (double)n->highest / 1e3 : NAN);
	strbuf_char(b, '}');
}

void versus_noise_release(struct versus_noise *n)
{
	free(n->governor);
}
