// SPDX-License-Identifier: GPL-2.0-or-later
/* Settings for recordings in the configuration: defaults that the command line overrides. */
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "cli/config.h"
#include "record/command.h"

static int not_understood(struct reason *r, const char *name, const char *value, const char *hint)
{
	reason_set(r, EINVAL, "the setting '%s' cannot be '%s'", name, value);
	reason_hint(r, "%s", hint);
	return -EINVAL;
}

/* Settles the kind of call chains that -g means. */
static int set_call_graph(struct record_request *q, struct reason *r)
{
	const char *how = config_get(q->ctx, "record.call-graph");
	const char *size = config_get(q->ctx, "call-graph.dump-size");
	struct record_settings tried = { .call_graph = CALL_GRAPH_NONE };
	u64 bytes;

	if (!how)
		how = config_get(q->ctx, "call-graph.record-mode");
	if (how && record_parse_call_graph(&tried, how, NULL))
		return not_understood(r, "call-graph.record-mode", how, "fp, dwarf or lbr");
	q->asked.usual_call_graph = how;
	if (!size)
		return 0;
	if (parse_size_or_hex(size, &bytes) || !bytes || bytes > 65528)
		return not_understood(r, "call-graph.dump-size", size, "1 to 65528 bytes");
	q->asked.usual_stack_bytes = (u32)ALIGN_UP(bytes, (u64)8);
	return 0;
}

static int set_build_ids(struct record_request *q, struct reason *r)
{
	const char *how = config_get(q->ctx, "record.build-id");

	if (!how || !strcmp(how, "cache"))
		return 0;
	if (!strcmp(how, "no-cache"))
		q->asked.build_id_cache = false;
	else if (!strcmp(how, "skip"))
		q->asked.build_ids = false;
	else if (!strcmp(how, "mmap"))
		q->s.build_id_mmap = true;
	else
		return not_understood(r, "record.build-id", how, "cache, no-cache, skip or mmap");
	return 0;
}

static int set_number(struct record_request *q, const char *name, u64 most, u64 *out,
		      struct reason *r)
{
	const char *text = config_get(q->ctx, name);

	if (text && (parse_count(text, out) || *out > most))
		return not_understood(r, name, text, "a number");
	return 0;
}

int record_from_config(struct record_request *q, struct reason *r)
{
	const char *servers = config_get(q->ctx, "record.debuginfod");
	u64 aio = 0, ms = 0;
	int err = set_call_graph(q, r);

	if (!err)
		err = set_build_ids(q, r);
	if (!err)
		err = set_number(q, "record.aio", 256, &aio, r);
	if (!err)
		err = set_number(q, "core.proc-map-timeout", 86400000, &ms, r);
	q->programs.clang_path = config_get(q->ctx, "llvm.clang-path");
	q->programs.clang_options = config_get(q->ctx, "llvm.clang-opt");
	q->s.aio = (unsigned)aio;
	q->s.map_timeout = ms * 1000000;
	if (servers) {
		q->asked.debuginfod.given = true;
		q->asked.debuginfod.urls = servers;
	}
	return err;
}

int record_take_call_graph(struct record_request *q, const char *how, struct reason *r)
{
	int err = record_parse_call_graph(&q->s, how, r);
	const char *size = strchr(how, ',');

	/* the text gives no size */
	if (!err && q->s.call_graph == CALL_GRAPH_DWARF && q->asked.usual_stack_bytes &&
	    (!size || !strpbrk(size, "0123456789")))
		q->s.stack_bytes = q->asked.usual_stack_bytes;
	return err;
}
