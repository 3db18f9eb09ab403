// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds the sockets of CPUs, for --socket-filter. */
#include <errno.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "profile/internal.h"

/* Reads CPU_TOPOLOGY: two lists of texts, then (core, socket) for each CPU. */
s32 *profile_read_sockets(struct data_reader *d, u32 *count)
{
	bool swap = data_is_swapped(d);
	size_t size, at = 0;
	const u8 *p = data_feature(d, FEATURE_CPU_TOPOLOGY, &size), *cpus;
	size_t cpus_size = 0;
	s32 *sockets;

	*count = 0;
	for (int list = 0; p && list < 2; list++) {
		u32 n = at + 4 <= size ? load_u32(p + at, swap) : UINT32_MAX;

		for (at += 4; n && at + 4 <= size; n--)
			at += 4 + (size_t)load_u32(p + at, swap);
		if (n || at > size)
			return NULL;
	}
	if (!p || at >= size)
		return NULL;
	*count = (u32)((size - at) / 8);
	cpus = data_feature(d, FEATURE_NRCPUS, &cpus_size); /* dies follow the last CPU */
	if (cpus && cpus_size >= 4)
		*count = MIN(*count, load_u32(cpus, swap));
	sockets = xcalloc(*count + 1, sizeof(*sockets));
	for (u32 i = 0; i < *count; i++)
		sockets[i] = (s32)load_u32(p + at + i * 8 + 4, swap);
	return sockets;
}

/* Checks, for --socket-filter, that sockets are known. */
int profile_check_socket(const struct profile *p, struct reason *r)
{
	struct data_reader *d = session_data(p->session);
	bool by_cpu = session_events(p->session)->sample_type_any & PERF_SAMPLE_CPU;
	s32 most = -1;

	if (data_is_pipe(d)) /* neither is known yet */
		return 0;
	if (!by_cpu) {
		reason_set(r, EINVAL,
			   "the samples in '%s' do not say on which CPU they were taken, but "
			   "--socket-filter needs it",
			   data_path(d));
		reason_hint(r, "record with --sample-cpu (-a has it)");
		return -EINVAL;
	}
	for (u32 i = 0; i < p->set.socket_count; i++)
		most = MAX(most, p->set.sockets[i]);
	if (most < 0)
		return reason_set(r, ENODATA,
				  "'%s' does not say which sockets its CPUs are on, but "
				  "--socket-filter needs it",
				  data_path(d));
	if (p->set.socket > most)
		return reason_set(
			r, EINVAL,
			"--socket-filter: there is no socket %d in '%s': the last one is %d",
			p->set.socket, data_path(d), most);
	return 0;
}
