// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes a perf_event_attr as text, in perf's words and order; leaves out zero fields. */
#include "base/strbuf.h"
#include "event/internal.h"

struct bit_name {
	u64 bit;
	const char *name;
};

/* In the order that perf prints them, which is not the order of the bits. */
static const struct bit_name sample_bits[] = {
	{ PERF_SAMPLE_IP, "IP" },
	{ PERF_SAMPLE_TID, "TID" },
	{ PERF_SAMPLE_TIME, "TIME" },
	{ PERF_SAMPLE_ADDR, "ADDR" },
	{ PERF_SAMPLE_READ, "READ" },
	{ PERF_SAMPLE_CALLCHAIN, "CALLCHAIN" },
	{ PERF_SAMPLE_ID, "ID" },
	{ PERF_SAMPLE_CPU, "CPU" },
	{ PERF_SAMPLE_PERIOD, "PERIOD" },
	{ PERF_SAMPLE_STREAM_ID, "STREAM_ID" },
	{ PERF_SAMPLE_RAW, "RAW" },
	{ PERF_SAMPLE_BRANCH_STACK, "BRANCH_STACK" },
	{ PERF_SAMPLE_REGS_USER, "REGS_USER" },
	{ PERF_SAMPLE_STACK_USER, "STACK_USER" },
	{ PERF_SAMPLE_IDENTIFIER, "IDENTIFIER" },
	{ PERF_SAMPLE_REGS_INTR, "REGS_INTR" },
	{ PERF_SAMPLE_DATA_SRC, "DATA_SRC" },
	{ PERF_SAMPLE_WEIGHT, "WEIGHT" },
	{ PERF_SAMPLE_PHYS_ADDR, "PHYS_ADDR" },
	{ PERF_SAMPLE_AUX, "AUX" },
	{ PERF_SAMPLE_CGROUP, "CGROUP" },
	{ PERF_SAMPLE_DATA_PAGE_SIZE, "DATA_PAGE_SIZE" },
	{ PERF_SAMPLE_CODE_PAGE_SIZE, "CODE_PAGE_SIZE" },
	{ PERF_SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT" },
	{ PERF_SAMPLE_TRANSACTION, "TRANSACTION" },
	{ 0, NULL },
};

const char *sample_bit_name(u64 bits)
{
	for (const struct bit_name *b = sample_bits; b->name; b++)
		if (b->bit & bits)
			return b->name;
	return "";
}

static const struct bit_name read_bits[] = {
	{ PERF_FORMAT_TOTAL_TIME_ENABLED, "TOTAL_TIME_ENABLED" },
	{ PERF_FORMAT_TOTAL_TIME_RUNNING, "TOTAL_TIME_RUNNING" },
	{ PERF_FORMAT_ID, "ID" },
	{ PERF_FORMAT_GROUP, "GROUP" },
	{ PERF_FORMAT_LOST, "LOST" },
	{ 0, NULL },
};

static const struct bit_name branch_bits[] = {
	{ PERF_SAMPLE_BRANCH_USER, "USER" },
	{ PERF_SAMPLE_BRANCH_KERNEL, "KERNEL" },
	{ PERF_SAMPLE_BRANCH_HV, "HV" },
	{ PERF_SAMPLE_BRANCH_ANY, "ANY" },
	{ PERF_SAMPLE_BRANCH_ANY_CALL, "ANY_CALL" },
	{ PERF_SAMPLE_BRANCH_ANY_RETURN, "ANY_RETURN" },
	{ PERF_SAMPLE_BRANCH_IND_CALL, "IND_CALL" },
	{ PERF_SAMPLE_BRANCH_ABORT_TX, "ABORT_TX" },
	{ PERF_SAMPLE_BRANCH_IN_TX, "IN_TX" },
	{ PERF_SAMPLE_BRANCH_NO_TX, "NO_TX" },
	{ PERF_SAMPLE_BRANCH_COND, "COND" },
	{ PERF_SAMPLE_BRANCH_CALL_STACK, "CALL_STACK" },
	{ PERF_SAMPLE_BRANCH_IND_JUMP, "IND_JUMP" },
	{ PERF_SAMPLE_BRANCH_CALL, "CALL" },
	{ PERF_SAMPLE_BRANCH_NO_FLAGS, "NO_FLAGS" },
	{ PERF_SAMPLE_BRANCH_NO_CYCLES, "NO_CYCLES" },
	{ PERF_SAMPLE_BRANCH_TYPE_SAVE, "TYPE_SAVE" },
	{ PERF_SAMPLE_BRANCH_HW_INDEX, "HW_INDEX" },
	{ PERF_SAMPLE_BRANCH_PRIV_SAVE, "PRIV_SAVE" },
	{ PERF_SAMPLE_BRANCH_COUNTERS, "COUNTERS" },
	{ 0, NULL },
};

/* One bit of attr.flags each; precise_ip, two bits wide, is between them. */
static const struct bit_name flags[] = {
	{ ATTR_DISABLED, "disabled" },
	{ ATTR_INHERIT, "inherit" },
	{ ATTR_PINNED, "pinned" },
	{ ATTR_EXCLUSIVE, "exclusive" },
	{ ATTR_EXCLUDE_USER, "exclude_user" },
	{ ATTR_EXCLUDE_KERNEL, "exclude_kernel" },
	{ ATTR_EXCLUDE_HV, "exclude_hv" },
	{ ATTR_EXCLUDE_IDLE, "exclude_idle" },
	{ ATTR_MMAP, "mmap" },
	{ ATTR_COMM, "comm" },
	{ ATTR_FREQ, "freq" },
	{ ATTR_INHERIT_STAT, "inherit_stat" },
	{ ATTR_ENABLE_ON_EXEC, "enable_on_exec" },
	{ ATTR_TASK, "task" },
	{ ATTR_WATERMARK, "watermark" },
	{ ATTR_PRECISE_MASK, "precise_ip" },
	{ ATTR_MMAP_DATA, "mmap_data" },
	{ ATTR_SAMPLE_ID_ALL, "sample_id_all" },
	{ ATTR_EXCLUDE_HOST, "exclude_host" },
	{ ATTR_EXCLUDE_GUEST, "exclude_guest" },
	{ ATTR_EXCLUDE_CALLCHAIN_KERNEL, "exclude_callchain_kernel" },
	{ ATTR_EXCLUDE_CALLCHAIN_USER, "exclude_callchain_user" },
	{ ATTR_MMAP2, "mmap2" },
	{ ATTR_COMM_EXEC, "comm_exec" },
	{ ATTR_USE_CLOCKID, "use_clockid" },
	{ ATTR_CONTEXT_SWITCH, "context_switch" },
	{ ATTR_WRITE_BACKWARD, "write_backward" },
	{ ATTR_NAMESPACES, "namespaces" },
	{ ATTR_KSYMBOL, "ksymbol" },
	{ ATTR_BPF_EVENT, "bpf_event" },
	{ ATTR_AUX_OUTPUT, "aux_output" },
	{ ATTR_CGROUP, "cgroup" },
	{ ATTR_TEXT_POKE, "text_poke" },
	{ ATTR_BUILD_ID, "build_id" },
	{ ATTR_INHERIT_THREAD, "inherit_thread" },
	{ ATTR_REMOVE_ON_EXEC, "remove_on_exec" },
	{ ATTR_SIGTRAP, "sigtrap" },
	{ ATTR_DEFER_CALLCHAIN, "defer_callchain" },
	{ ATTR_DEFER_OUTPUT, "defer_output" },
	{ 0, NULL },
};

struct printer {
	struct strbuf *b;
	const char *sep, *kv;
	bool any;
};

static void field_name(struct printer *p, const char *name)
{
	if (p->any)
		strbuf_str(p->b, p->sep);
	p->any = true;
	if (p->kv)
		strbuf_f(p->b, "%s%s", name, p->kv);
	else
		strbuf_f(p->b, "%-32s ", name);
}

static void put_number(struct printer *p, const char *name, u64 value)
{
	if (!value)
		return;
	field_name(p, name);
	strbuf_dec(p->b, value);
}

static void put_hex(struct printer *p, const char *name, u64 value)
{
	if (!value)
		return;
	field_name(p, name);
	strbuf_str(p->b, "0x");
	strbuf_hex(p->b, value);
}

static void put_bits(struct printer *p, const char *name, u64 value, const struct bit_name *bits)
{
	const char *between = "";

	if (!value)
		return;
	field_name(p, name);
	for (; bits->name; bits++)
		if (value & bits->bit) {
			strbuf_str(p->b, between);
			strbuf_str(p->b, bits->name);
			between = "|";
		}
}

static void put_flags(struct printer *p, u64 value)
{
	for (const struct bit_name *f = flags; f->name; f++)
		put_number(p, f->name, (value & f->bit) >> __builtin_ctzll(f->bit));
}

void event_attr_print(struct strbuf *b, const struct perf_event_attr *attr, const char *sep,
		      const char *kv)
{
	struct printer p = { .b = b, .sep = sep, .kv = kv };

	put_number(&p, "type", attr->type);
	put_number(&p, "size", attr->size);
	put_hex(&p, "config", attr->config);
	put_number(&p, "{ sample_period, sample_freq }", attr->sample_period);
	put_bits(&p, "sample_type", attr->sample_type, sample_bits);
	put_bits(&p, "read_format", attr->read_format, read_bits);
	put_flags(&p, attr->flags);
	put_number(&p, "{ wakeup_events, wakeup_watermark }", attr->wakeup_events);
	put_number(&p, "bp_type", attr->bp_type);
	put_hex(&p, "{ bp_addr, config1 }", attr->config1);
	put_hex(&p, "{ bp_len, config2 }", attr->config2);
	put_bits(&p, "branch_sample_type", attr->branch_sample_type, branch_bits);
	put_hex(&p, "sample_regs_user", attr->sample_regs_user);
	put_number(&p, "sample_stack_user", attr->sample_stack_user);
	if (attr->clockid) {
		field_name(&p, "clockid");
		strbuf_f(b, "%d", attr->clockid);
	}
	put_hex(&p, "sample_regs_intr", attr->sample_regs_intr);
	put_number(&p, "aux_watermark", attr->aux_watermark);
	put_number(&p, "sample_max_stack", attr->sample_max_stack);
	put_number(&p, "aux_sample_size", attr->aux_sample_size);
	put_hex(&p, "aux_action", attr->aux_action);
	put_number(&p, "sig_data", attr->sig_data);
	put_hex(&p, "config3", attr->config3);
	put_hex(&p, "config4", attr->config4);
}
