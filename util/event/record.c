// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Decodes side-band records: each kind's body, checked against its least size.
 *
 * Offsets are those of the structs in the comments of linux/perf_event.h, counted from the record's
 * first byte. A record may be longer than its kind needs (sample_id follows, newer kernels append),
 * never shorter.
 */
#include <errno.h>

#include "base/bytes.h"
#include "event/sample.h"

static const char *const kernel_names[] = {
	[PERF_RECORD_MMAP] = "PERF_RECORD_MMAP",
	[PERF_RECORD_LOST] = "PERF_RECORD_LOST",
	[PERF_RECORD_COMM] = "PERF_RECORD_COMM",
	[PERF_RECORD_EXIT] = "PERF_RECORD_EXIT",
	[PERF_RECORD_THROTTLE] = "PERF_RECORD_THROTTLE",
	[PERF_RECORD_UNTHROTTLE] = "PERF_RECORD_UNTHROTTLE",
	[PERF_RECORD_FORK] = "PERF_RECORD_FORK",
	[PERF_RECORD_READ] = "PERF_RECORD_READ",
	[PERF_RECORD_SAMPLE] = "PERF_RECORD_SAMPLE",
	[PERF_RECORD_MMAP2] = "PERF_RECORD_MMAP2",
	[PERF_RECORD_AUX] = "PERF_RECORD_AUX",
	[PERF_RECORD_ITRACE_START] = "PERF_RECORD_ITRACE_START",
	[PERF_RECORD_LOST_SAMPLES] = "PERF_RECORD_LOST_SAMPLES",
	[PERF_RECORD_SWITCH] = "PERF_RECORD_SWITCH",
	[PERF_RECORD_SWITCH_CPU_WIDE] = "PERF_RECORD_SWITCH_CPU_WIDE",
	[PERF_RECORD_NAMESPACES] = "PERF_RECORD_NAMESPACES",
	[PERF_RECORD_KSYMBOL] = "PERF_RECORD_KSYMBOL",
	[PERF_RECORD_BPF_EVENT] = "PERF_RECORD_BPF_EVENT",
	[PERF_RECORD_CGROUP] = "PERF_RECORD_CGROUP",
	[PERF_RECORD_TEXT_POKE] = "PERF_RECORD_TEXT_POKE",
	[PERF_RECORD_AUX_OUTPUT_HW_ID] = "PERF_RECORD_AUX_OUTPUT_HW_ID",
	[PERF_RECORD_CALLCHAIN_DEFERRED] = "PERF_RECORD_CALLCHAIN_DEFERRED",
};

static const char *const user_names[] = {
	[PERF_RECORD_HEADER_ATTR - 64] = "PERF_RECORD_ATTR",
	[PERF_RECORD_HEADER_EVENT_TYPE - 64] = "PERF_RECORD_EVENT_TYPE",
	[PERF_RECORD_HEADER_TRACING_DATA - 64] = "PERF_RECORD_TRACING_DATA",
	[PERF_RECORD_HEADER_BUILD_ID - 64] = "PERF_RECORD_BUILD_ID",
	[PERF_RECORD_FINISHED_ROUND - 64] = "PERF_RECORD_FINISHED_ROUND",
	[PERF_RECORD_ID_INDEX - 64] = "PERF_RECORD_ID_INDEX",
	[PERF_RECORD_AUXTRACE_INFO - 64] = "PERF_RECORD_AUXTRACE_INFO",
	[PERF_RECORD_AUXTRACE - 64] = "PERF_RECORD_AUXTRACE",
	[PERF_RECORD_AUXTRACE_ERROR - 64] = "PERF_RECORD_AUXTRACE_ERROR",
	[PERF_RECORD_THREAD_MAP - 64] = "PERF_RECORD_THREAD_MAP",
	[PERF_RECORD_CPU_MAP - 64] = "PERF_RECORD_CPU_MAP",
	[PERF_RECORD_STAT_CONFIG - 64] = "PERF_RECORD_STAT_CONFIG",
	[PERF_RECORD_STAT - 64] = "PERF_RECORD_STAT",
	[PERF_RECORD_STAT_ROUND - 64] = "PERF_RECORD_STAT_ROUND",
	[PERF_RECORD_EVENT_UPDATE - 64] = "PERF_RECORD_EVENT_UPDATE",
	[PERF_RECORD_TIME_CONV - 64] = "PERF_RECORD_TIME_CONV",
	[PERF_RECORD_HEADER_FEATURE - 64] = "PERF_RECORD_FEATURE",
	[PERF_RECORD_COMPRESSED - 64] = "PERF_RECORD_COMPRESSED",
	[PERF_RECORD_FINISHED_INIT - 64] = "PERF_RECORD_FINISHED_INIT",
	[PERF_RECORD_COMPRESSED2 - 64] = "PERF_RECORD_COMPRESSED2",
	[PERF_RECORD_BPF_METADATA - 64] = "PERF_RECORD_BPF_METADATA",
	[PERF_RECORD_SCHEDSTAT_CPU - 64] = "PERF_RECORD_SCHEDSTAT_CPU",
	[PERF_RECORD_SCHEDSTAT_DOMAIN - 64] = "PERF_RECORD_SCHEDSTAT_DOMAIN",
};

const char *record_type_name(u32 type)
{
	if (type < ARRAY_SIZE(kernel_names))
		return kernel_names[type];
	if (type >= PERF_RECORD_USER_START &&
	    type - PERF_RECORD_USER_START < ARRAY_SIZE(user_names))
		return user_names[type - PERF_RECORD_USER_START];
	return NULL;
}

static int need(const struct record *rec, size_t size, struct reason *r)
{
	const char *name = record_type_name(rec->type);

	if (likely(rec->size >= size))
		return 0;
	return reason_set(r, EINVAL, "%s (%u) of %u bytes is too short, it needs %zu",
			  name ? name : "record", rec->type, rec->size, size);
}

/* Finds the string at an offset, which must end within the record. Returns 0 or -EINVAL. */
static int text_at(const struct record *rec, size_t at, const char **out, struct reason *r)
{
	const char *name = record_type_name(rec->type);
	int err = need(rec, at + 1, r);

	if (err)
		return err;
	if (!memchr(rec->data + at, 0, rec->size - at))
		return reason_set(r, EINVAL, "the name in a %s is not terminated",
				  name ? name : "record");
	*out = (const char *)rec->data + at;
	return 0;
}

static void get_build_id(const struct record *rec, struct record_mmap *out)
{
	u8 size = rec->data[40];

	out->build_id_size = MIN(size, sizeof(out->build_id));
	memcpy(out->build_id, rec->data + 44, out->build_id_size);
}

int record_get_mmap(const struct event_set *set, const struct record *rec, struct record_mmap *out,
		    struct reason *r)
{
	bool two = rec->type == PERF_RECORD_MMAP2, swap = set->swap;
	const u8 *d = rec->data;
	int err = need(rec, two ? 73 : 41, r);

	*out = (struct record_mmap){ .is_mmap2 = two,
				     .is_data = rec->misc & PERF_RECORD_MISC_MMAP_DATA };
	if (err)
		return err;
	out->pid = load_u32(d + 8, swap);
	out->tid = load_u32(d + 12, swap);
	out->start = load_u64(d + 16, swap);
	out->len = load_u64(d + 24, swap);
	out->pgoff = load_u64(d + 32, swap);
	if (!two)
		return text_at(rec, 40, &out->filename, r);
	if (rec->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		get_build_id(rec, out);
	} else {
		out->maj = load_u32(d + 40, swap);
		out->min = load_u32(d + 44, swap);
		out->ino = load_u64(d + 48, swap);
		out->ino_generation = load_u64(d + 56, swap);
	}
	out->prot = load_u32(d + 64, swap);
	out->flags = load_u32(d + 68, swap);
	return text_at(rec, 72, &out->filename, r);
}

int record_get_comm(const struct event_set *set, const struct record *rec, struct record_comm *out,
		    struct reason *r)
{
	int err = need(rec, 17, r);

	if (err)
		return err;
	out->pid = load_u32(rec->data + 8, set->swap);
	out->tid = load_u32(rec->data + 12, set->swap);
	out->exec = rec->misc & PERF_RECORD_MISC_COMM_EXEC;
	return text_at(rec, 16, &out->comm, r);
}

int record_get_task(const struct event_set *set, const struct record *rec, struct record_task *out,
		    struct reason *r)
{
	const u8 *d = rec->data;
	int err = need(rec, 32, r);

	if (err)
		return err;
	out->pid = load_u32(d + 8, set->swap);
	out->ppid = load_u32(d + 12, set->swap);
	out->tid = load_u32(d + 16, set->swap);
	out->ptid = load_u32(d + 20, set->swap);
	out->time = load_u64(d + 24, set->swap);
	return 0;
}

int record_get_lost(const struct event_set *set, const struct record *rec, struct record_lost *out,
		    struct reason *r)
{
	bool samples = rec->type == PERF_RECORD_LOST_SAMPLES;
	int err = need(rec, samples ? 16 : 24, r);

	if (err)
		return err;
	out->id = samples ? 0 : load_u64(rec->data + 8, set->swap);
	out->lost = load_u64(rec->data + (samples ? 8 : 16), set->swap);
	return 0;
}

int record_get_throttle(const struct event_set *set, const struct record *rec,
			struct record_throttle *out, struct reason *r)
{
	int err = need(rec, 32, r);

	if (err)
		return err;
	out->time = load_u64(rec->data + 8, set->swap);
	out->id = load_u64(rec->data + 16, set->swap);
	out->stream_id = load_u64(rec->data + 24, set->swap);
	return 0;
}

int record_get_namespaces(const struct event_set *set, const struct record *rec,
			  struct record_namespaces *out, struct reason *r)
{
	int err = need(rec, 24, r);

	if (err)
		return err;
	out->pid = load_u32(rec->data + 8, set->swap);
	out->tid = load_u32(rec->data + 12, set->swap);
	out->count = load_u64(rec->data + 16, set->swap);
	out->links = rec->data + 24;
	if (out->count > (rec->size - 24U) / 16)
		return reason_set(r, EINVAL,
				  "%" PRIu64 " namespaces do not fit in a record of %u bytes",
				  out->count, rec->size);
	return 0;
}

int record_get_cgroup(const struct event_set *set, const struct record *rec,
		      struct record_cgroup *out, struct reason *r)
{
	int err = need(rec, 17, r);

	if (err)
		return err;
	out->id = load_u64(rec->data + 8, set->swap);
	return text_at(rec, 16, &out->path, r);
}

int record_get_ksymbol(const struct event_set *set, const struct record *rec,
		       struct record_ksymbol *out, struct reason *r)
{
	int err = need(rec, 25, r);

	if (err)
		return err;
	out->addr = load_u64(rec->data + 8, set->swap);
	out->len = load_u32(rec->data + 16, set->swap);
	out->ksym_type = load_u16(rec->data + 20, set->swap);
	out->flags = load_u16(rec->data + 22, set->swap);
	return text_at(rec, 24, &out->name, r);
}

int record_get_bpf_event(const struct event_set *set, const struct record *rec,
			 struct record_bpf_event *out, struct reason *r)
{
	int err = need(rec, 24, r);

	if (err)
		return err;
	out->type = load_u16(rec->data + 8, set->swap);
	out->flags = load_u16(rec->data + 10, set->swap);
	out->id = load_u32(rec->data + 12, set->swap);
	memcpy(out->tag, rec->data + 16, sizeof(out->tag));
	return 0;
}

int record_get_text_poke(const struct event_set *set, const struct record *rec,
			 struct record_text_poke *out, struct reason *r)
{
	int err = need(rec, 20, r);

	if (err)
		return err;
	out->addr = load_u64(rec->data + 8, set->swap);
	out->old_len = load_u16(rec->data + 16, set->swap);
	out->new_len = load_u16(rec->data + 18, set->swap);
	out->bytes = rec->data + 20;
	return need(rec, (size_t)20 + out->old_len + out->new_len, r);
}

int record_get_switch(const struct event_set *set, const struct record *rec,
		      struct record_switch *out, struct reason *r)
{
	bool wide = rec->type == PERF_RECORD_SWITCH_CPU_WIDE;
	int err = need(rec, wide ? 16 : 8, r);

	if (err)
		return err;
	*out = (struct record_switch){
		.out = rec->misc & PERF_RECORD_MISC_SWITCH_OUT,
		.preempt = rec->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT,
		.cpu_wide = wide,
	};
	if (wide) {
		out->next_prev_pid = load_u32(rec->data + 8, set->swap);
		out->next_prev_tid = load_u32(rec->data + 12, set->swap);
	}
	return 0;
}

int record_get_aux(const struct event_set *set, const struct record *rec, struct record_aux *out,
		   struct reason *r)
{
	int err = need(rec, 32, r);

	if (err)
		return err;
	out->offset = load_u64(rec->data + 8, set->swap);
	out->size = load_u64(rec->data + 16, set->swap);
	out->flags = load_u64(rec->data + 24, set->swap);
	return 0;
}

int record_get_itrace_start(const struct event_set *set, const struct record *rec,
			    struct record_itrace_start *out, struct reason *r)
{
	int err = need(rec, 16, r);

	if (err)
		return err;
	out->pid = load_u32(rec->data + 8, set->swap);
	out->tid = load_u32(rec->data + 12, set->swap);
	return 0;
}

/*
 * Decodes a READ record. Values follow the event's read_format; for a group, returns the first
 * counter's.
 */
int record_get_read(const struct event_set *set, const struct record *rec, struct record_read *out,
		    struct reason *r)
{
	const struct event *ev = NULL;
	struct sample_id id;
	u64 format;
	size_t at = 16;
	int err = need(rec, 24, r);

	if (!err)
		err = record_sample_id(set, rec, &id, &ev, r);
	if (err)
		return err;
	*out = (struct record_read){ .pid = load_u32(rec->data + 8, set->swap),
				     .tid = load_u32(rec->data + 12, set->swap) };
	format = ev ? ev->attr.read_format : 0;
	err = need(rec, at + 8 * (size_t)(1 + __builtin_popcountll(format & 0x1f)), r);
	if (err)
		return err;
	if (format & PERF_FORMAT_GROUP)
		at += 8; /* the number of counters */
	else
		out->value = load_u64(rec->data + at, set->swap), at += 8;
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		out->time_enabled = load_u64(rec->data + at, set->swap), at += 8;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		out->time_running = load_u64(rec->data + at, set->swap), at += 8;
	if (format & PERF_FORMAT_GROUP)
		out->value = load_u64(rec->data + at, set->swap), at += 8;
	if (format & PERF_FORMAT_ID)
		out->id = load_u64(rec->data + at, set->swap), at += 8;
	if (format & PERF_FORMAT_LOST)
		out->lost = load_u64(rec->data + at, set->swap);
	return 0;
}

int record_get_callchain_deferred(const struct event_set *set, const struct record *rec,
				  struct record_callchain_deferred *out, struct reason *r)
{
	int err = need(rec, 24, r);

	if (err)
		return err;
	out->cookie = load_u64(rec->data + 8, set->swap);
	out->nr = load_u64(rec->data + 16, set->swap);
	out->ips = rec->data + 24;
	if (out->nr > (rec->size - 24U) / 8)
		return reason_set(r, EINVAL,
				  "callchain of %" PRIu64
				  " entries does not fit in a record of %u bytes",
				  out->nr, rec->size);
	return 0;
}

int record_get_aux_output_hw_id(const struct event_set *set, const struct record *rec,
				struct record_aux_output_hw_id *out, struct reason *r)
{
	int err = need(rec, 16, r);

	if (err)
		return err;
	out->hw_id = load_u64(rec->data + 8, set->swap);
	return 0;
}
