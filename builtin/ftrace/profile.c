// SPDX-License-Identifier: GPL-2.0-or-later
/* perf ftrace profile: a row for each function that was called. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "builtin/ftrace/internal.h"
#include "cli/pager.h"

struct function {
	u32 name;              /* in names */
	u64 count, total, max; /* ns */
};
struct profile {
	struct strtab names; /* ids are also indices */
	VEC(struct function) list;
	u64 unnamed;
};

static void take_call(void *arg, const char *line, size_t len)
{
	struct profile *p = arg;
	struct ftrace_call call;
	struct function *f;
	u32 name;

	if (!ftrace_call_parse(line, len, &call))
		return;
	if (!call.name) {
		p->unnamed++;
		return;
	}
	name = strtab_add_n(&p->names, call.name, call.name_len);
	for (u32 next = (u32)p->list.count; next <= name; next++)
		vec_push(&p->list, (struct function){ .name = next });
	f = &p->list.items[name];
	f->count++;
	f->total += call.ns;
	f->max = MAX(f->max, call.ns);
}

static int take(void *arg, const char *text, size_t size)
{
	ftrace_lines_take(arg, text, size);
	return 0;
}

struct order {
	const char *key;
	const struct strtab *names;
};

static double key_of(const struct function *f, char key)
{
	switch (key) {
	case 'a':
		return f->count ? (double)f->total / (double)f->count : 0;
	case 'm':
		return (double)f->max;
	case 'c':
		return (double)f->count;
	default:
		return (double)f->total;
	}
}

static int by_key(const void *a, const void *b, void *arg)
{
	const struct order *o = arg;
	const struct function *x = a, *y = b;
	double vx = key_of(x, *o->key), vy = key_of(y, *o->key);

	if (strcmp(o->key, "name") != 0 && vx != vy)
		return vx > vy ? -1 : 1;
	return strcmp(strtab_get(o->names, x->name), strtab_get(o->names, y->name));
}

static bool print(struct profile *p, const char *sort, struct strbuf *b)
{
	struct order o = { sort ? sort : "total", &p->names };

	if (p->list.count > 1)
		qsort_r(p->list.items, p->list.count, sizeof(*p->list.items), by_key, &o);
	strbuf_f(b, "# %10s %10s %10s %10s   %s\n", "Total (us)", "Avg (us)", "Max (us)", "Count",
		 "Function");
	vec_for_each(&p->list, f) {
		if (!f->count)
			continue;
		strbuf_f(b, "%12.3f %10.3f %10.3f %10" PRIu64 "   ", (double)f->total / 1000,
			 (double)f->total / (double)f->count / 1000, (double)f->max / 1000,
			 f->count);
		strbuf_printable(b, strtab_get(&p->names, f->name));
		strbuf_char(b, '\n');
	}
	return p->list.count > 0;
}

int ftrace_profile(struct ftrace_run *run, struct reason *r)
{
	struct profile p = { .unnamed = 0 };
	struct ftrace_lines lines = { .line = take_call, .arg = &p };
	int err;

	run->f->flags[FTRACE_TAIL] = true; /* a brace alone says nothing */
	err = ftrace_set_up(run->f, &run->target, &run->place, r);
	if (!err)
		err = ftrace_stream(run, take, &lines, r);
	if (!err) {
		pager_start(run->f->ctx, "ftrace");
		if (!print(&p, run->f->sort, out_buf(&run->out)))
			ftrace_say_nothing(run, "no call of a function was seen to end");
	}
	strbuf_release(&lines.rest);
	strtab_release(&p.names);
	vec_release(&p.list);
	return err;
}
