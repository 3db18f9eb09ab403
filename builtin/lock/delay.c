// SPDX-License-Identifier: GPL-2.0-or-later
/* contention --inject-delay: TIME@LOCK, and the locks' addresses in the map of a BPF program. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/bpf.h"
#include "bpf/lock.h"
#include "builtin/lock/internal.h"

/* Returns the number of a lock that each process has its own of, or 0. */
static u64 known_number(const char *name)
{
	return !strcmp(name, "mmap_lock") ? LOCK_OF_MEMORY_MAP
	       : !strcmp(name, "siglock") ? LOCK_OF_SIGNALS
					  : 0;
}

int lock_parse_delay(const char *text, u64 *ns, const char **lock, struct reason *r)
{
	static const struct {
		const char *unit;
		u64 ns;
	} units[] = { { "", 1 }, { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 } };
	const char *at = strchr(text, '@');
	size_t digits = strspn(text, "0123456789"), i = 0, unit;
	char *number = xstrndup(text, digits);

	unit = at ? (size_t)(at - text) - MIN(digits, (size_t)(at - text)) : 0;
	while (i < ARRAY_SIZE(units) &&
	       (strlen(units[i].unit) != unit || strncmp(text + digits, units[i].unit, unit) != 0))
		i++;
	if (!at || !at[1] || i == ARRAY_SIZE(units) || parse_count(number, ns)) {
		free(number);
		reason_usage(r, "'%s' is not a delay and a lock, such as 100us@mmap_lock", text);
		return -EINVAL;
	}
	free(number);
	if (!*ns || *ns > LOCK_DELAY_LONGEST_NS / units[i].ns)
		return reason_usage(r, "the delay of '%s' must be from 1 ns to 10 ms", text);
	*ns *= units[i].ns;
	if (lock)
		*lock = at + 1;
	return 0;
}

u8 lock_delay_kind(const struct lock *l)
{
	u8 kind = l->delays.list.count ? LOCK_DELAYS_BY_ADDRESS : LOCK_DELAYS_NONE;

	vec_for_each(&l->delays.list, text)
		if (known_number(strchr(*text, '@') + 1))
			kind = LOCK_DELAYS_OF_KNOWN;
	return kind;
}

int lock_put_delays(struct lock_result *res, int map, struct reason *r)
{
	const char *name;
	int err = 0;

	vec_for_each(&res->l->delays.list, text) {
		u64 key, ns;

		err = lock_parse_delay(*text, &ns, &name, r);
		key = err ? 0 : known_number(name);
		if (!err && !key)
			err = lock_address(res, name, &key, r);
		if (err)
			return err;
		err = bpf_map_write(map, &key, &ns);
		if (err)
			return reason_errno(r, -err, "cannot fill the map of delays");
	}
	return 0;
}
