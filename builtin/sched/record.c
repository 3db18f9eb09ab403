// SPDX-License-Identifier: GPL-2.0-or-later
/* perf sched record and perf sched script: the commands of these names, with what sched needs. */
#include <stdlib.h>
#include <string.h>

#include "analysis/record_events.h"
#include "base/text.h"
#include "builtin/sched/internal.h"
#include "sys/tracefs.h"

static bool has(const struct strlist *known, const char *event)
{
	return strlist_has(known, event + strlen("sched:"));
}

static void add_event(struct strlist *line, const char *event)
{
	strlist_add(line, "-e");
	strlist_add(line, event);
}

/*
 * Adds the events. Those that the kernel lacks are left out; without sched_switch, perf record
 * itself refuses.
 */
static void add_events(struct strlist *line, const struct strlist *known, struct strbuf *left_out)
{
	static const char *const wanted[] = {
		"sched:sched_stat_runtime", "sched:sched_process_fork", "sched:sched_wakeup_new",
		"sched:sched_migrate_task", "sched:sched_stat_wait",    "sched:sched_stat_sleep",
		"sched:sched_stat_iowait",
	};

	add_event(line, "sched:sched_switch");
	add_event(line,
		  has(known, "sched:sched_waking") ? "sched:sched_waking" : "sched:sched_wakeup");
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		if (has(known, wanted[i]))
			add_event(line, wanted[i]);
		else
			strbuf_f(left_out, "%s%s", left_out->len ? ", " : "", wanted[i]);
	}
}

/* Reports whether -h or a list of options asks only for text. */
static bool asks_for_text(int argc, const char **argv)
{
	for (int i = 1; i < argc && argv[i][0] == '-' && strcmp(argv[i], "--"); i++)
		if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help") ||
		    str_starts(argv[i], "--list-"))
			return true;
	return false;
}

int sched_record(struct sched *s, int argc, const char **argv)
{
	/* 4 MB for each CPU */
	static const char *const first[] = { "record", "-R", "-m", "1024", "-c", "1" };
	struct strlist known = { 0 };
	struct strbuf left_out = STRBUF_INIT;
	struct reason r = REASON_INIT;
	struct strlist line = { 0 };
	const char **words;
	char *dir, *said = NULL;
	int code;

	record_words(&line, first, ARRAY_SIZE(first));
	dir = tracefs_find(NULL, &r);
	if (dir && !tracefs_tracepoints(NULL, dir, "sched", &known)) {
		add_events(&line, &known, &left_out);
	} else { /* perf record will report the failure */
		add_event(&line, "sched:sched_switch");
		add_event(&line, "sched:sched_waking");
	}
	if (left_out.len && !s->ctx->quiet && !asks_for_text(argc, argv))
		said = xasprintf("note: this kernel has no %s: left out\n", strbuf_cstr(&left_out));
	record_words(&line, argv + 1, (size_t)argc - 1);
	words = record_argv(&line);
	s->ctx->said_at_start = said;
	s->ctx->records_all = true;
	code = s->record(s->ctx, (int)line.list.count, words);
	s->ctx->said_at_start = NULL;
	s->ctx->records_all = false;
	free(said);
	free(words);
	strlist_release(&line);
	free(dir);
	reason_release(&r);
	strlist_release(&known);
	strbuf_release(&left_out);
	return code;
}

int sched_script(struct sched *s, int argc, const char **argv)
{
	VEC(const char *) w = VEC_INIT;
	int code;

	vec_push(&w, "script");
	if (s->a.open.input) {
		vec_push(&w, "-i");
		vec_push(&w, s->a.open.input);
	}
	if (s->a.open.force)
		vec_push(&w, "-f");
	if (s->dump)
		vec_push(&w, "-D");
	for (int i = 1; i < argc; i++)
		vec_push(&w, argv[i]);
	vec_push(&w, NULL);
	code = s->script(s->ctx, (int)w.count - 1, w.items);
	vec_release(&w);
	return code;
}
