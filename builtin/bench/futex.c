// SPDX-License-Identifier: GPL-2.0-or-later
/* futex: options and calls. Source: futex(2); PR_FUTEX_HASH of Linux 6.16. */
#include <errno.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "builtin/bench/futex.h"
#include "cli/say.h"

#ifndef PR_FUTEX_HASH
#define PR_FUTEX_HASH           78
#define PR_FUTEX_HASH_SET_SLOTS 1
#define PR_FUTEX_HASH_GET_SLOTS 2
#endif
enum { HASH_IMMUTABLE = 1 };

long futex_call(const struct futex_run *f, u32 *at, int op, u32 value, unsigned long value2,
		u32 *other, u32 value3)
{
	long n;

	if (!f->shared)
		op |= FUTEX_PRIVATE_FLAG;
	n = syscall(SYS_futex, at, op, value, value2, other, value3);
	return n < 0 ? -errno : n;
}

static int set_buckets(const struct futex_run *f)
{
	unsigned long flags = f->immutable ? HASH_IMMUTABLE : 0;

	if (f->buckets < 0)
		return 0;
	if (!prctl(PR_FUTEX_HASH, PR_FUTEX_HASH_SET_SLOTS, (unsigned long)f->buckets, flags, 0))
		return 0;
	bench_failed(errno, "cannot have %d hash buckets for futexes", f->buckets);
	say_hint("%s", f->buckets & (f->buckets - 1) ? "the number has to be a power of two"
						     : "Linux 6.16 or later is needed");
	return 1;
}

void futex_print_buckets(const struct futex_run *f)
{
	int n;

	if (f->buckets < 0)
		return;
	n = prctl(PR_FUTEX_HASH, PR_FUTEX_HASH_GET_SLOTS, 0, 0, 0);
	if (n > 0)
		bench_text(f->b, "Futex hashing: %d hash buckets%s\n", n,
			   f->immutable ? " (immutable)" : "");
	else
		bench_text(f->b, "Futex hashing: global hash\n");
	bench_metric(f->b, "buckets", n, "buckets");
}

static int settle(struct futex_run *f)
{
	if (f->locked && mlockall(MCL_CURRENT | MCL_FUTURE))
		return bench_failed(errno, "cannot lock the memory");
	if (!f->threads)
		f->threads = team_cpus();
	if (f->threads > 1000000) {
		say_error("--threads: more than a million threads cannot be started");
		return EXIT_USAGE;
	}
	return set_buckets(f);
}

int futex_options(struct futex_run *f, unsigned which, const struct option_row *more, size_t count,
		  int argc, const char **argv)
{
	option_rows rows = VEC_INIT;
	const struct option_row common[] = {
		{ OPTION_UINT, 't', "threads", &f->threads,
		  .help = "number of threads (default: one for each CPU)" },
		{ OPTION_FLAG, 's', "silent", &f->silent, .help = "print only the summary" },
		{ OPTION_FLAG, 'S', "shared", &f->shared,
		  .help = "use shared futexes instead of private ones" },
		{ OPTION_FLAG, 'm', "mlockall", &f->locked, .help = "lock all memory" },
	};
	const struct option_row time = {
		OPTION_UINT,      'r',
		"runtime",        &f->runtime,
		.arg = "SECONDS", .help = "how long it runs (default: 10)",
	};
	const struct option_row hash[] = {
		{ OPTION_INT, 'b', "buckets", &f->buckets,
		  .help = "hash buckets for private futexes; 0: the global hash" },
		{ OPTION_FLAG, 'I', "immutable", &f->immutable,
		  .help = "with -b: their number cannot be changed later" },
	};
	int code;

	f->buckets = -1;
	option_rows_add(&rows, common, ARRAY_SIZE(common));
	if (which & FUTEX_ROW_TIME)
		option_rows_add(&rows, &time, 1);
	if (which & FUTEX_ROW_BUCKETS)
		option_rows_add(&rows, hash, ARRAY_SIZE(hash));
	option_rows_add(&rows, more, count);
	vec_push(&rows, (struct option_row)OPT_END_ROW);
	code = bench_options(f->b, rows.items, &argc, argv);
	vec_release(&rows);
	return code ? code : settle(f);
}
