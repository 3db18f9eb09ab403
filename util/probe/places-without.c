// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/places.h"

#include <errno.h>
#include <string.h>

#include "sys/obstacles.h"

static int without(struct reason *r)
{
	reason_set(r, ENODATA,
		   "this perf was built without libdw, so it reads no debug information");
	obstacle_hint(OBSTACLE_LIBRARY, &(struct obstacle_words){ .needs = "libdw-dev" }, r);
	return -ENODATA;
}

void probe_places_release(struct probe_places *p)
{
	vec_release(&p->list);
}

void probe_place_release(struct probe_place *p)
{
	memset(p, 0, sizeof(*p));
}

int probe_places_find(struct debuginfo *d, const struct probe_definition *definition,
		      const struct probe_search *search, struct probe_places *out, struct reason *r)
{
	(void)d, (void)definition, (void)search, (void)out;
	return without(r);
}

int probe_place_of(struct debuginfo *d, u64 address, struct probe_place *out, struct reason *r)
{
	(void)d, (void)address, (void)out;
	return without(r);
}

int probe_fetch_argument(struct debuginfo *d, const struct probe_place *place,
			 const struct probe_argument *argument, bool is_return,
			 const struct arch *arch, struct strbuf *name, struct strbuf *fetch,
			 struct strbuf *type, u64 *whole, struct reason *r)
{
	(void)whole, (void)d, (void)place, (void)argument, (void)is_return, (void)arch, (void)name,
		(void)fetch, (void)type;
	return without(r);
}

int probe_variables_expand(struct debuginfo *d, const struct probe_place *place,
			   bool only_parameters, bool is_return, struct strlist *names,
			   struct reason *r)
{
	(void)d, (void)place, (void)only_parameters, (void)is_return, (void)names;
	return without(r);
}

int probe_each_variable(struct debuginfo *d, const struct probe_place *place, bool externs,
			bool ranges, int (*visit)(void *arg, const struct probe_variable *v),
			void *arg, struct reason *r)
{
	(void)d, (void)place, (void)externs, (void)ranges, (void)visit, (void)arg;
	return without(r);
}

int probe_lines_find(struct debuginfo *d, const struct probe_point *range, struct probe_lines *out,
		     struct reason *r)
{
	(void)d, (void)range, (void)out;
	return without(r);
}

void probe_function_names(struct debuginfo *d, const char *pattern,
			  struct probe_function_names *names)
{
	(void)d, (void)pattern, (void)names;
}

void probe_function_names_release(struct probe_function_names *names)
{
	(void)names;
}

void probe_lines_release(struct probe_lines *l)
{
	memset(l, 0, sizeof(*l));
}
