// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The text of -e, as record and as stat read it, on a machine with two PMUs and some tracepoints.
 */
#include "base/strbuf.h"
#include "event/parse.h"
#include "machine.h"
#include "text.h"

static void make_machine(void)
{
	fuzz_make_tree();
	fuzz_put("/sys/kernel/tracing/events/enable", "0\n");
	fuzz_put("/sys/kernel/tracing/events/sched/sched_switch/id", "314\n");
	fuzz_put("/sys/kernel/tracing/events/sched/sched_wakeup/id", "315\n");
	fuzz_put("/sys/kernel/tracing/events/syscalls/sys_enter_read/id", "20\n");
	fuzz_put(DEVICES "cpu/type", "4\n");
	fuzz_put(DEVICES "cpu/format/event", "config:0-7,32-35\n");
	fuzz_put(DEVICES "cpu/format/umask", "config:8-15\n");
	fuzz_put(DEVICES "cpu/format/ldlat", "config1:0-15\n");
	fuzz_put(DEVICES "cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n");
	fuzz_put(DEVICES "cpu/events/needs", "event=0x10,umask=?\n");
	for (int i = 0; i < 2; i++) {
		char path[64];

		snprintf(path, sizeof(path), DEVICES "uncore_imc_%d/type", i);
		fuzz_put(path, i ? "15\n" : "14\n");
		snprintf(path, sizeof(path), DEVICES "uncore_imc_%d/format/event", i);
		fuzz_put(path, "config:0-7\n");
		snprintf(path, sizeof(path), DEVICES "uncore_imc_%d/cpumask", i);
		fuzz_put(path, "0,8\n");
	}
}

static void parse(const struct event_parser *p, const char *text)
{
	struct strbuf b = STRBUF_INIT;
	struct event_set set;

	event_set_init(&set);
	if (!event_parse(p, &set, text, NULL) && !event_set_finish(&set, NULL))
		vec_for_each(&set.list, it)
			event_attr_print(&b, &(*it)->attr, ", ", ": ");
	strbuf_release(&b);
	event_set_release(&set);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	char *text = fuzz_text(data, size);

	if (!*fuzz_root)
		make_machine();
	parse(&(struct event_parser){ .command = "record", .sys = &fuzz_sys }, text);
	parse(
		&(struct event_parser){
			.command = "stat", .counting = true, .guests = true, .sys = &fuzz_sys },
		text);
	free(text);
	return 0;
}
