// SPDX-License-Identifier: GPL-2.0-or-later
#include "session/choice.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/file.h"
#include "base/perf_abi.h"

static int u32_cmp(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

int parse_task_numbers(const char *option, const char *text, u32 **out, size_t *count,
		       struct reason *r)
{
	struct strlist parts = { 0 };
	VEC(u32) list = VEC_INIT;
	int err = 0;

	strlist_split(&parts, text, ", ");
	if (!parts.list.count)
		err = reason_usage(r, "%s: no number given", option);
	else if (list_has_gap(text))
		err = reason_usage(r, "%s: a number is missing in '%s'", option, text);
	vec_for_each(&parts.list, part) {
		s64 v;

		if (err)
			break;
		if (parse_int(*part, &v) || v < -1 || v > UINT32_MAX) {
			err = reason_usage(r, "%s: '%s' is not a number", option, *part);
			break;
		}
		vec_push(&list, (u32)v);
	}
	strlist_release(&parts);
	if (err) {
		vec_release(&list);
		return err;
	}
	vec_sort(&list, u32_cmp);
	vec_reserve(&list, 1);
	*out = list.items;
	*count = list.count;
	return 0;
}

static int names_of_file(struct strlist *l, const char *option, const char *path, struct reason *r)
{
	FILE *f = file_stream(path, NULL);
	char *line = NULL;
	size_t space = 0;
	ssize_t len;

	if (!f)
		return reason_set(r, errno, "--%s: cannot read '%s': %s", option, path,
				  strerror(errno));
	while ((len = getline(&line, &space, f)) > 0) {
		while (len && (line[len - 1] == '\n' || line[len - 1] == '\r'))
			line[--len] = '\0';
		if (len)
			strlist_add(l, line);
	}
	free(line);
	fclose(f);
	return 0;
}

int sample_choice_names(struct strlist *l, const char *option, const char *text, struct reason *r)
{
	struct strlist parts = { 0 };
	int err = 0;

	strlist_split_names(&parts, text);
	vec_for_each(&parts.list, part)
		if (!str_starts(*part, "file://"))
			strlist_add(l, *part);
		else if (!err)
			err = names_of_file(l, option, *part + strlen("file://"), r);
	strlist_release(&parts);
	return err;
}

int sample_choice_cpus(struct sample_choice *c, const char *cpus, struct reason *r)
{
	if (cpus && parse_cpu_list(cpus, 1 << 20, &c->cpus, &c->cpu_count))
		return reason_usage(r, "--cpu: '%s' is not a list of CPUs such as 0-2,5", cpus);
	return 0;
}

static int first_and_last(struct data_reader *d, u64 *first, u64 *last, struct reason *r)
{
	size_t size;
	const u8 *section = data_feature(d, FEATURE_SAMPLE_TIME, &size);

	if (!section || size < 16) {
		reason_set(r, EINVAL, "'%s' does not say when its first and last sample were",
			   data_path(d));
		reason_hint(r, "give --time in seconds: START,STOP");
		return -EINVAL;
	}
	*first = load_u64(section, data_is_swapped(d));
	*last = MAX(*first, load_u64(section + 8, data_is_swapped(d)));
	return 0;
}

/*
 * Warns about a CPU that the recorded machine never had, which is a typing error. Without this
 * check the result would just be empty.
 */
static void note_absent_cpus(const struct sample_choice *c, struct session *s)
{
	struct data_reader *d = session_data(s);
	size_t size;
	const u8 *section = d ? data_feature(d, FEATURE_NRCPUS, &size) : NULL;
	u32 count = section && size >= sizeof(u32) ? load_u32(section, data_is_swapped(d)) : 0;
	u32 last = c->cpu_count ? c->cpus[c->cpu_count - 1] : 0;

	if (count && last >= count)
		condition_add(
			&session_context(s)->conditions, CONDITION_WARNING, "absent-cpu", NULL,
			NULL, 1, NULL,
			"there is no CPU %u in '%s': the last one of the recorded machine is %u",
			last, data_path(d), count - 1);
}

int sample_choice_open(struct sample_choice *c, const char *time, struct session *s,
		       struct reason *r)
{
	u64 first = 0, last = 0;
	const struct event_set *events = session_events(s);
	const struct context *ctx = session_context(s);
	int err = 0;

	c->guests_alone = ctx->count_guests && ctx->skip_host;
	if (c->cpus && events->list.count && !(events->sample_type_any & PERF_SAMPLE_CPU)) {
		reason_set(r, EINVAL, "the samples in '%s' do not say on which CPU they were taken",
			   data_path(session_data(s)));
		reason_hint(r, "record with --sample-cpu (-a has it)");
		return -EINVAL;
	}
	if (c->cpus)
		note_absent_cpus(c, s);
	time_ranges_release(&c->times);
	c->times = (struct time_ranges){ 0 };
	if (!time)
		return 0;
	if (time_ranges_relative(time))
		err = first_and_last(session_data(s), &first, &last, r);
	return err ? err : time_ranges_parse(&c->times, time, first, last, r);
}

bool sample_choice_any(const struct sample_choice *c)
{
	return c->cpus || c->times.list.count || c->guests_alone;
}

bool sample_choice_cpu(const struct sample_choice *c, u32 cpu)
{
	return !c->cpus || bsearch(&cpu, c->cpus, c->cpu_count, sizeof(*c->cpus), u32_cmp);
}

bool sample_choice_time(const struct sample_choice *c, u64 time)
{
	return !c->times.list.count || time_ranges_have(&c->times, time);
}

bool sample_of_guest(const struct sample *s)
{
	return s->cpumode == PERF_RECORD_MISC_GUEST_KERNEL ||
	       s->cpumode == PERF_RECORD_MISC_GUEST_USER;
}

static bool is_for_guests(const struct sample_choice *c, const struct sample *s)
{
	return sample_of_guest(s) || (c->host_describes && s->event &&
				      (s->event->attr.type == PERF_TYPE_TRACEPOINT ||
				       s->event->attr.type == PERF_TYPE_BREAKPOINT));
}

bool sample_choice_keep(const struct sample_choice *c, const struct sample *s)
{
	if (c->guests_alone && !is_for_guests(c, s))
		return false;
	return sample_choice_cpu(c, s->id.cpu) && sample_choice_time(c, s->id.time);
}

void sample_choice_release(struct sample_choice *c)
{
	free(c->cpus);
	time_ranges_release(&c->times);
	*c = (struct sample_choice){ 0 };
}

int sample_filters_parse(struct sample_filters *f, struct reason *r)
{
	int err = 0;

	if (f->pid_text)
		err = parse_task_numbers("--pid", f->pid_text, &f->pids, &f->pid_count, r);
	if (!err && f->tid_text)
		err = parse_task_numbers("--tid", f->tid_text, &f->tids, &f->tid_count, r);
	return err ? err : sample_choice_cpus(&f->choice, f->cpu_text, r);
}

void sample_filters_release(struct sample_filters *f)
{
	strlist_release(&f->comms);
	strlist_release(&f->dsos);
	strlist_release(&f->symbols);
	sample_choice_release(&f->choice);
	free(f->pids);
	free(f->tids);
	f->pids = f->tids = NULL;
}
