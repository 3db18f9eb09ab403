// SPDX-License-Identifier: GPL-2.0-or-later
/* What benchmarks share: their options, the time, processes, and how results are printed. */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/json.h"
#include "builtin/bench/internal.h"
#include "cli/say.h"

void bench_begin(struct bench *b)
{
	if (!b->title)
		return;
	fputs(b->title, stdout);
	fflush(stdout);
	b->title = NULL;
}

void bench_text(struct bench *b, const char *fmt, ...)
{
	va_list ap;

	if (b->format == BENCH_JSON)
		return;
	bench_begin(b);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	fflush(stdout);
}

void bench_metric(struct bench *b, const char *name, double value, const char *unit)
{
	if (b->format != BENCH_JSON)
		return;
	strbuf_str(&b->metrics, b->metrics.len ? ", {\"name\": " : "{\"name\": ");
	json_text(&b->metrics, name);
	strbuf_f(&b->metrics, ", \"value\": %.9g, \"unit\": ", value);
	json_text(&b->metrics, unit);
	strbuf_char(&b->metrics, '}');
}

int bench_failed(int err, const char *fmt, ...)
{
	struct strbuf text = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vf(&text, fmt, ap);
	va_end(ap);
	say_error("%s: %s", strbuf_cstr(&text), strerror(err));
	strbuf_release(&text);
	return 1;
}

int bench_options(struct bench *b, const struct option_row *rows, int *argc, const char **argv)
{
	struct strbuf line = STRBUF_INIT;
	const char *usage[] = { NULL, NULL };
	const struct options o = { .command = b->options, .usage = usage, .rows = rows };
	int code;

	strbuf_f(&line, "perf %s [<options>]", b->options);
	usage[0] = strbuf_cstr(&line);
	code = options_parse(&o, argc, argv);
	if (!code && *argc)
		code = options_usage_error(&o, "'%s': the benchmark takes only options", argv[0]);
	strbuf_release(&line);
	return code;
}

pid_t bench_fork(void)
{
	return fork_bound(SIGKILL);
}

static void put_seconds(struct bench *b, const char *before, u64 ns, const char *after)
{
	bench_text(b, "%s%" PRIu64 ".%03" PRIu64 "%s", before, ns / 1000000000, ns / 1000000 % 1000,
		   after);
}

void bench_total(struct bench *b, u64 ns)
{
	bench_metric(b, "total-time", (double)ns / 1e9, "sec");
	if (b->format == BENCH_SIMPLE)
		put_seconds(b, "", ns, "\n");
	else
		put_seconds(b, "     Total time: ", ns, " [sec]\n");
}

void bench_rate(struct bench *b, u64 ns, u64 operations)
{
	double us = (double)ns / 1e3 / (double)operations;

	bench_total(b, ns);
	bench_metric(b, "time-per-operation", us, "usec");
	bench_metric(b, "operations", 1e6 / us, "1/sec");
	if (b->format != BENCH_DEFAULT)
		return;
	bench_text(b, "\n %14f usecs/op\n", us);
	bench_text(b, " %14.0f ops/sec\n", 1e6 / us);
}
