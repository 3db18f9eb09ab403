// SPDX-License-Identifier: GPL-2.0-or-later
/* Decides which waits count, by lock, by kind of lock, and by functions in the call chain. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/kernel_function.h"
#include "builtin/lock/internal.h"

enum { WANTED = 1, UNWANTED = 2 };

int lock_address(struct lock_result *res, const char *name, u64 *addr, struct reason *r)
{
	if (parse_hex(name, addr) || strncmp(name, "0x", 2))
		*addr = kernel_symbol_address(res->session, name);
	if (!*addr) {
		reason_set(r, ENOENT, "no lock is named '%s' in this kernel", name);
		reason_hint(r,
			    "locks inside of structures have no name: give their address, 0x...");
		return -ENOENT;
	}
	return 0;
}

static int add_lock(struct lock_result *res, const char *name, struct reason *r)
{
	u64 addr;
	int err = lock_address(res, name, &addr, r);

	if (!err)
		vec_push(&res->filters.locks, addr);
	return err;
}

int lock_filters_open(struct lock_result *res, struct reason *r)
{
	struct strlist names = { 0 };
	int err = 0;

	if (res->filters.open)
		return 0;
	res->filters.open = true;
	if (res->l->callers)
		strlist_split(&res->filters.callers, res->l->callers, ",");
	if (res->l->locks)
		strlist_split(&names, res->l->locks, ",");
	vec_for_each(&names.list, name)
		if (!err)
			err = add_lock(res, *name, r);
	strlist_release(&names);
	return err;
}

static bool chain_matches(struct lock_result *res, const struct lock_chain *chain,
			  const struct task *task, const struct order_key *key)
{
	struct strbuf b = STRBUF_INIT;
	bool found = false;

	for (u32 i = 0; !found && i < chain->count; i++) {
		strbuf_clear(&b);
		lock_frame_name(res->session, task, key, i < chain->kernel, chain->ips[i], true,
				&b);
		vec_for_each(&res->filters.callers.list, part)
			found |= strstr(strbuf_cstr(&b), *part) != NULL;
	}
	strbuf_release(&b);
	return found;
}

bool lock_chain_wanted(struct lock_result *res, const struct lock_chain *chain,
		       const struct task *task, const struct order_key *key)
{
	bool added;
	u64 *known;

	if (!res->filters.callers.list.count)
		return true;
	known = map64_put(&res->filters.chains, chain->hash, &added);
	if (added)
		*known = chain_matches(res, chain, task, key) ? WANTED : UNWANTED;
	return *known == WANTED;
}

bool lock_wait_wanted(struct lock_result *res, const struct session_sample *s, u64 addr, u32 flags)
{
	const struct lock_filters *f = &res->filters;
	struct lock_chain chain;
	bool found = !f->locks.count;

	vec_for_each(&f->locks, lock)
		found |= *lock == addr;
	if (!found || (res->l->types && !lock_types_have(res->l->types, flags)))
		return false;
	if (!f->callers.list.count)
		return true;
	lock_chain_read(&res->callers, s, &chain);
	return lock_chain_wanted(res, &chain, s->task, &s->key);
}

void lock_filters_release(struct lock_filters *f)
{
	vec_release(&f->locks);
	strlist_release(&f->callers);
	map64_release(&f->chains);
	map64_release(&f->kinds);
}
