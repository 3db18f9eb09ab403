// SPDX-License-Identifier: GPL-2.0-or-later
/* A recording of memory accesses: its traces decoded, its accesses by cache line. */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "builtin/c2c/lines.h"
#include "fuzz.h"
#include "spe/decode.h"

static int add_sample(void *arg, unsigned worker, const struct session_sample *s, struct reason *r)
{
	struct c2c_added what;

	(void)worker;
	(void)r;
	lines_add(arg, s, &what);
	return 0;
}

/* Each HITM and store of a line is in one of its entries. */
static void check(const struct c2c_lines *l)
{
	u64 records = 0;

	vec_for_each(&l->all, line) {
		u64 sum = 0;

		vec_for_each(&(*line)->entries, e)
			sum += (*e)->item.counts.of[lines_metric(l)];
		records += (*line)->item.counts.of[C2C_RECORDS];
		if (sum != (*line)->item.counts.of[lines_metric(l)])
			abort();
	}
	if (records != l->total.of[C2C_RECORDS])
		abort();
}

static void read_lines(struct context *ctx, const char *path)
{
	const struct session_options o = { .input = path,
					   .force = true,
					   .symbols = { .symfs = "/none" } };
	const struct session_ops ops = { .order = SESSION_ORDERED,
					 .sample = add_sample,
					 .no_chains = true };
	struct c2c_lines lines = { .keys = { C2C_KEY_CODE, C2C_KEY_TID },
				   .line_size = 64,
				   .show_all = true };
	struct data_nodes nodes;
	struct session *s;
	int err;

	if (session_open(ctx, &o, &s, NULL))
		return;
	data_nodes_read(&nodes, session_data(s));
	lines.session = s;
	lines.nodes = &nodes;
	lines_init(&lines);
	err = session_run(s, &ops, &lines, NULL);
	lines_finish(&lines);
	if (!err)
		check(&lines);
	lines_release(&lines);
	data_nodes_release(&nodes);
	session_free(s);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct context ctx = { .buildid_dir = "", .symfs = "/none", .workers = 1 };
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	char path[64], *decoded = NULL;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	setenv("TMPDIR", "/dev/shm", 1);
	if (!spe_decode_file(&ctx, path, true, SPE_WANT_ALL, &decoded, NULL))
		read_lines(&ctx, decoded ? decoded : path);
	spe_remove(decoded);
	condition_list_release(&ctx.conditions);
	close(fd);
	return 0;
}
