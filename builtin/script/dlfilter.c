// SPDX-License-Identifier: GPL-2.0-or-later
#include "builtin/script/dlfilter_internal.h"

#include <dirent.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/file.h"

/* ---- finding and opening ---- */

/*
 * Returns a path as it is, or that of an installed filter of the name; a file in the current
 * directory is not code that the user chose. The caller frees it; NULL with a reason.
 */
static char *find(const char *file, const char *exec_path, struct reason *r)
{
	char *path;

	if (strchr(file, '/'))
		return xstrdup(file);
	path = exec_path ? xasprintf("%s/dlfilters/%s", exec_path, file) : NULL;
	if (path && !file_access(path, R_OK))
		return path;
	free(path);
	reason_set(r, ENOENT, "filter '%s' cannot be loaded: there is none in '%s/dlfilters'", file,
		   exec_path ? exec_path : "");
	if (!file_access(file, R_OK))
		reason_hint(r, "--dlfilter ./%s loads the one in the current directory", file);
	return NULL;
}

/*
 * Fills the filter's table of functions, with as many of ours as its variable has room for.
 */
static void fill_functions(void *handle)
{
	void *table = dlsym(handle, "perf_dlfilter_fns"), *entry = NULL;
	size_t size = sizeof(dlfilter_answers);
	Dl_info info;

	if (!table)
		return;
	if (dladdr1(table, &info, &entry, RTLD_DL_SYMENT) && entry)
		size = MIN(size, (size_t)((const ElfW(Sym) *)entry)->st_size);
	memcpy(table, &dlfilter_answers, size);
}

static int load(struct dlfilter *f, struct reason *r)
{
	f->handle = dlopen(f->path, RTLD_NOW);
	if (!f->handle) {
		const char *why = dlerror();

		return reason_set(r, ENOENT, "filter '%s' cannot be loaded: %s", f->path,
				  why ? why : "not known why");
	}
	f->start = (int (*)(void **, void *))dlsym(f->handle, "start");
	f->stop = (int (*)(void *, void *))dlsym(f->handle, "stop");
	f->event = (int (*)(void *, const struct perf_dlfilter_sample *,
			    void *))dlsym(f->handle, "filter_event");
	f->early = (int (*)(void *, const struct perf_dlfilter_sample *,
			    void *))dlsym(f->handle, "filter_event_early");
	if (!f->event && !f->early && !f->start && !f->stop)
		return reason_set(r, EINVAL,
				  "'%s' is not a filter: it has neither filter_event() nor "
				  "filter_event_early()",
				  f->path);
	fill_functions(f->handle);
	return 0;
}

static void release(struct dlfilter *f)
{
	if (f->handle)
		dlclose(f->handle);
	free(f->path);
	free(f->args);
	vec_release(&f->branches);
	vec_release(&f->chain);
	vec_release(&f->word_sizes);
	free(f);
}

static int failed(const struct dlfilter *f, const char *function, int code, struct reason *r)
{
	return reason_set(r, ECANCELED, "%s() of filter '%s' failed with %d", function, f->path,
			  code);
}

static int run_start(struct dlfilter *f, struct reason *r)
{
	int code;

	if (!f->start)
		return 0;
	f->in_start_or_stop = true;
	code = f->start(&f->data, f);
	f->in_start_or_stop = false;
	return code ? failed(f, "start", code, r) : 0;
}

/*
 * Writes what filters printed by stdio after the samples before it, which are still in a buffer of
 * ours. Stdio's own buffer is large enough not to be written earlier.
 */
static void write_printed(struct dlfilter *f)
{
	if (likely(!__fpending(stdout)))
		return;
	out_flush(f->s->out);
	fflush(stdout);
}

static void hold_printed(void)
{
	static char buffer[64 << 10];

	setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
}

int dlfilter_open(struct script *s, const char *file, const struct strlist *args,
		  const char *exec_path, struct dlfilter **out, struct reason *r)
{
	struct dlfilter *f = xcalloc(1, sizeof(*f));
	int err;

	f->s = s;
	f->path = find(file, exec_path, r);
	f->args = xcalloc(args->list.count + 1, sizeof(*f->args));
	f->arg_count = (int)args->list.count;
	for (int i = 0; i < f->arg_count; i++)
		f->args[i] = args->list.items[i];
	hold_printed();
	err = f->path ? load(f, r) : -ENOENT;
	if (!err)
		err = run_start(f, r);
	write_printed(f);
	if (err) {
		release(f);
		return err;
	}
	*out = f;
	return 0;
}

int dlfilter_close(struct dlfilter *f, struct reason *r)
{
	int code = 0, err;

	f->in_start_or_stop = true;
	if (f->stop)
		code = f->stop(f->data, f);
	write_printed(f);
	err = code < 0 ? failed(f, "stop", code, r) : 0;
	release(f);
	return err;
}

bool dlfilter_is_early(const struct dlfilter *f)
{
	return f->early;
}

/* ---- one sample ---- */

static bool as_they_lie(const struct dlfilter *f, const u8 *items)
{
	return !f->s->set->swap && (uintptr_t)items % 8 == 0;
}

static void set_branches(struct dlfilter *f, const struct sample *sample)
{
	f->sample.brstack_nr = sample->branch_count;
	if (!sample->branch_count)
		return;
	if (as_they_lie(f, sample->branches)) {
		f->sample.brstack = (const void *)sample->branches;
		return;
	}
	vec_clear(&f->branches);
	for (u64 i = 0; i < sample->branch_count; i++)
		vec_push(&f->branches, sample_branch(f->s->set, sample, i));
	f->sample.brstack = (const void *)f->branches.items;
}

/* Sets the recorded chain, without the frames that the unwinder found. */
static void set_chain(struct dlfilter *f, const struct sample *sample)
{
	u64 count = sample->chain_count - MIN(sample->chain_unwound, sample->chain_count);

	f->sample.raw_callchain_nr = count;
	if (!count)
		return;
	if (as_they_lie(f, sample->chain)) {
		f->sample.raw_callchain = (const void *)sample->chain;
		return;
	}
	vec_clear(&f->chain);
	for (u64 i = 0; i < count; i++)
		vec_push(&f->chain, load_u64(sample->chain + i * 8, f->s->set->swap));
	f->sample.raw_callchain = (const __u64 *)f->chain.items;
}

static void set_guest(struct dlfilter *f, const struct sample *sample)
{
	struct guest_place place;

	if (!history_guest_place(f->s->history, sample->id.id, &place))
		return;
	f->sample.machine_pid = (__s32)place.machine;
	f->sample.vcpu = place.vcpu;
}

/* Sets values for numbers that were not recorded, the same as in other versions of perf. */
static void set_absent(struct perf_dlfilter_sample *s, u64 recorded)
{
	const u64 no_data_source = 0x5080021; /* "not available" in each of its parts */

	if (!(recorded & (PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER)))
		s->id = UINT64_MAX;
	if (!(recorded & PERF_SAMPLE_STREAM_ID))
		s->stream_id = UINT64_MAX;
	if (!(recorded & PERF_SAMPLE_DATA_SRC))
		s->data_src = no_data_source;
}

static void set_sample(struct dlfilter *f, const struct session_sample *ss, const struct event *ev,
		       u64 period)
{
	const struct sample *s = ss->sample;

	f->sample = (struct perf_dlfilter_sample){
		.size = sizeof(f->sample),
		.ins_lat = s->ins_lat,
		.p_stage_cyc = s->p_stage_cyc,
		.ip = s->ip,
		.pid = (__s32)s->id.pid,
		.tid = (__s32)s->id.tid,
		.time = s->id.time,
		.addr = s->addr,
		.id = s->id.id,
		.stream_id = s->id.stream_id,
		.period = period,
		.weight = s->weight,
		.transaction = s->transaction,
		.cpu = (__s32)s->id.cpu,
		.data_src = s->data_src,
		.phys_addr = s->phys_addr,
		.data_page_size = s->data_page_size,
		.code_page_size = s->code_page_size,
		.cgroup = s->cgroup,
		.cpumode = s->cpumode,
		.addr_correlates_sym =
			(event_tells(ev) & PERF_SAMPLE_ADDR) && script_addr_is_place(ev),
		.misc = s->misc,
		.raw_size = s->raw_size,
		.raw_data = s->raw,
		.event = ev->name,
		.vcpu = -1,
	};
	set_absent(&f->sample, event_tells(ev));
	f->attr = ev->attr;
	f->ip.size = f->addr.size = 0;
	set_branches(f, s);
	set_chain(f, s);
	set_guest(f, s);
}

int dlfilter_judge(struct dlfilter *f, const struct session_sample *ss, const struct event *ev,
		   u64 period, bool early, struct reason *r)
{
	int code;

	if (!(early ? f->early : f->event))
		return 0;
	set_sample(f, ss, ev, period);
	f->ss = ss;
	code = (early ? f->early : f->event)(f->data, &f->sample, f);
	f->ss = NULL;
	write_printed(f);
	if (code < 0)
		return failed(f, early ? "filter_event_early" : "filter_event", code, r);
	return code > 0;
}

/* ---- the list ---- */

static void describe(const char *dir, const char *name, bool details, struct strbuf *b)
{
	char *path = xasprintf("%s/%s", dir, name), *lines = NULL, *rest;
	void *handle = dlopen(path, RTLD_NOW);
	const char *(*about)(const char **);
	const char *more = NULL, *one = NULL;

	free(path);
	if (!handle)
		return;
	if (dlsym(handle, "filter_event") || dlsym(handle, "filter_event_early")) {
		about = (const char *(*)(const char **))dlsym(handle, "filter_description");
		one = about ? about(&more) : NULL;
		strbuf_f(b, "  %-36s %s\n", name, one ? one : "");
		lines = rest = details && more ? xstrdup(more) : NULL;
	}
	for (char *line = lines; line; line = rest) {
		rest = strchr(line, '\n');
		if (rest)
			*rest++ = '\0';
		strbuf_f(b, "%39s%s\n", "", line);
	}
	free(lines);
	dlclose(handle);
}

static void list_in(const char *dir, bool details, struct strbuf *b)
{
	struct strlist names = { 0 };
	DIR *d = opendir(dir);
	const struct dirent *e;

	while (d && (e = readdir(d)))
		if (str_ends(e->d_name, ".so") && e->d_type != DT_DIR)
			strlist_add(&names, e->d_name);
	if (d)
		closedir(d);
	strlist_sort(&names);
	vec_for_each(&names.list, name)
		describe(dir, *name, details, b);
	strlist_release(&names);
}

void dlfilter_list(const char *exec_path, bool details, struct strbuf *b)
{
	char *installed = exec_path ? xasprintf("%s/dlfilters", exec_path) : NULL;

	strbuf_str(b, "List of available dlfilters:\n");
	if (installed)
		list_in(installed, details, b);
	free(installed);
}
