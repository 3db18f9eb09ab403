// SPDX-License-Identifier: GPL-2.0-or-later
/* perf stat: options that need hardware, and the freezing of counters in SMIs. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/out.h"
#include "builtin/stat/internal.h"
#include "sys/explain.h"

int stat_need_hardware(const struct stat_events *e, const char *option, const char *what,
		       struct reason *r)
{
	reason_set(r, EOPNOTSUPP, "%s needs %s", option, what);
	if (!hardware_pmu_present(&e->sys))
		reason_hint(r, "%s", explain_no_hardware_pmu(&e->sys));
	return -EOPNOTSUPP;
}

static int check_transaction(struct stat_session *q, struct reason *r)
{
	static const char dir[] = "/sys/bus/event_source/devices/cpu/events";

	if (!sys_exists(&q->events.sys, "%s/tx-start", dir) ||
	    !sys_exists(&q->events.sys, "%s/cycles-t", dir))
		return stat_need_hardware(&q->events, "-T",
					  "a CPU that counts transactions (cpu/tx-start/)", r);
	return 0;
}

static int write_freeze_on_smi(const struct stat_session *q, const char *text)
{
	char *path = sys_path(&q->events.sys, "/sys/bus/event_source/devices/cpu/freeze_on_smi");
	int fd = open(path, O_WRONLY | O_CLOEXEC), err = 0;

	if (fd < 0)
		err = -errno;
	else
		err = write_all(fd, text, strlen(text));
	if (fd >= 0)
		close(fd);
	free(path);
	return err;
}

static int check_smi_cost(struct stat_session *q, struct reason *r)
{
	s64 frozen = 0;

	if (!sys_exists(&q->events.sys, "/sys/bus/event_source/devices/msr/events/smi") ||
	    sys_read_s64(&q->events.sys, &frozen,
			 "/sys/bus/event_source/devices/cpu/freeze_on_smi"))
		return stat_need_hardware(&q->events, "--smi-cost",
					  "an Intel CPU that counts SMIs (msr/smi/)", r);
	q->to_freeze = !frozen;
	return 0;
}

int stat_freeze(struct stat_session *q, struct reason *r)
{
	int err;

	if (!q->to_freeze)
		return 0;
	q->frozen = true;
	err = write_freeze_on_smi(q, "1");
	if (err) {
		q->frozen = false;
		reason_errno(r, -err, "--smi-cost cannot make the counters stop in SMIs");
		reason_hint(r, "as root: echo 1 >/sys/bus/event_source/devices/cpu/freeze_on_smi");
	}
	return err;
}

void stat_thaw(struct stat_session *q)
{
	if (q->frozen)
		write_freeze_on_smi(q, "0");
	q->frozen = false;
}

static int check_iostat(struct stat_session *q, struct reason *r)
{
	int err = iostat_find_ports(&q->events, q->ask.iostat, r);

	if (err != -EOPNOTSUPP)
		return err;
	return stat_need_hardware(&q->events, "counting I/O by root port",
				  "the I/O stacks' PMUs (uncore_iio_N) of an Intel server", r);
}

int stat_check_hardware(struct stat_session *q, struct reason *r)
{
	const struct stat_request *ask = &q->ask;
	int err = 0;

	if (ask->iostat)
		err = check_iostat(q, r);
	if (!err && ask->transaction)
		err = check_transaction(q, r);
	if (!err && ask->smi_cost)
		err = check_smi_cost(q, r);
	return err;
}
