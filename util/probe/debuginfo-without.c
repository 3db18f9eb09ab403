// SPDX-License-Identifier: GPL-2.0-or-later
#include "probe/debuginfo.h"

#include <errno.h>
#include <string.h>

static int without(struct reason *r)
{
	reason_set(r, ENODATA,
		   "this perf was built without libdw, so it reads no debug information");
	reason_hint(r, "apt-get install libdw-dev, and build again");
	return -ENODATA;
}

int debuginfo_open(const struct object_search *search, const char *path,
		   const struct build_id *want, struct debuginfo **out, struct reason *r)
{
	(void)search, (void)path, (void)want, (void)out;
	return without(r);
}

void debuginfo_close(struct debuginfo *d)
{
	(void)d;
}

const char *debuginfo_path(const struct debuginfo *d)
{
	(void)d;
	return "";
}

bool debuginfo_is_kernel(const struct debuginfo *d)
{
	(void)d;
	return false;
}

const struct arch *debuginfo_arch(const struct debuginfo *d)
{
	(void)d;
	return NULL;
}

void probe_places_release(struct probe_places *p)
{
	vec_release(&p->list);
}

void probe_place_release(struct probe_place *p)
{
	memset(p, 0, sizeof(*p));
}

int debuginfo_points(struct debuginfo *d, const struct probe_definition *definition,
		     const struct probe_search *search, struct probe_places *out,
		     struct reason *r)
{
	(void)d, (void)definition, (void)search, (void)out;
	return without(r);
}

int debuginfo_place_of(struct debuginfo *d, u64 address, struct probe_place *out,
		       struct reason *r)
{
	(void)d, (void)address, (void)out;
	return without(r);
}

int debuginfo_argument(struct debuginfo *d, const struct probe_place *place,
		       const struct probe_argument *argument, bool is_return,
		       const struct arch *arch, struct strbuf *name, struct strbuf *fetch,
		       struct strbuf *type, struct reason *r)
{
	(void)d, (void)place, (void)argument, (void)is_return, (void)arch, (void)name, (void)fetch,
	(void)type;
	return without(r);
}

int debuginfo_expand(struct debuginfo *d, const struct probe_place *place, bool only_parameters,
		     bool is_return, struct strlist *names, struct reason *r)
{
	(void)d, (void)place, (void)only_parameters, (void)is_return, (void)names;
	return without(r);
}

int debuginfo_each_variable(struct debuginfo *d, const struct probe_place *place, bool externs,
			    bool ranges, int (*visit)(void *arg, const struct probe_variable *v),
			    void *arg, struct reason *r)
{
	(void)d, (void)place, (void)externs, (void)ranges, (void)visit, (void)arg;
	return without(r);
}

int debuginfo_lines(struct debuginfo *d, const struct probe_point *range, struct probe_lines *out,
		    struct reason *r)
{
	(void)d, (void)range, (void)out;
	return without(r);
}

void probe_lines_release(struct probe_lines *l)
{
	memset(l, 0, sizeof(*l));
}

int debuginfo_find_source(struct debuginfo *d, const char *file, const char *directory, const char *source, char **out,
			  struct reason *r)
{
	(void)file, (void)directory, (void)source, (void)out;
	return without(r);
}

int debuginfo_each_function(struct debuginfo *d, int (*visit)(void *arg, const char *name),
			    void *arg, struct reason *r)
{
	(void)d, (void)visit, (void)arg;
	return without(r);
}
