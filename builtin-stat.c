// SPDX-License-Identifier: GPL-2.0-or-later
/* perf stat: count events of a command, of tasks, of CPUs. */
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/out.h"
#include "builtin-stat.h"
#include "builtin.h"
#include "cli/say.h"

/* ---- target ---- */

static char *command_line(const char *const *argv)
{
	struct strbuf b = STRBUF_INIT;

	strbuf_char(&b, '\'');
	for (; *argv; argv++)
		strbuf_f(&b, "%s%s", *argv, argv[1] ? " " : "'");
	return strbuf_detach(&b);
}

static int choose_cpus(struct stat_session *q, struct reason *r)
{
	const char *list = q->s->cpus;
	int err = parse_cpu_list(list, UINT16_MAX, &q->target.cpus, &q->target.cpu_count);

	if (err) {
		reason_set(r, EINVAL, "'%s' is no list of CPUs", list);
		reason_hint(r, "numbers and ranges in ascending order, such as 0-3,7");
		return -EINVAL;
	}
	for (size_t i = 0; i < q->target.cpu_count; i++) {
		const struct cpu_place *p =
			cpu_topology_find(&q->topology, q->target.cpus[i]);

		if (p && p->online)
			continue;
		reason_set(r, EINVAL, "there is no CPU %u online", q->target.cpus[i]);
		reason_hint(r, "'cat /sys/devices/system/cpu/online' shows which are");
		return -EINVAL;
	}
	return 0;
}

static int choose_target(struct stat_session *q, struct reason *r)
{
	struct stat_settings *s = q->s;
	int err = 0;

	q->target.inherit = s->inherit;
	q->target.per_thread = s->by == STAT_BY_THREAD;
	if (!q->argv && !s->pids && !s->tids && !s->cpus)
		s->system_wide = true;
	if (s->system_wide && (s->pids || s->tids)) {
		say_warning("-a is left out: -p and -t say what is counted");
		s->system_wide = false;
	}
	if (s->cpus || s->system_wide)
		q->target.system_wide = !s->pids && !s->tids && s->by != STAT_BY_THREAD;
	if (s->system_wide && s->by == STAT_BY_THREAD)
		err = target_add_all(&q->target, r);
	if (s->cpus)
		err = choose_cpus(q, r);
	if (!err && s->pids)
		err = target_add_pids(&q->target, s->pids, r);
	if (!err && s->tids)
		err = target_add_tids(&q->target, s->tids, r);
	q->title = s->pids ? xasprintf("process id '%s'", s->pids) :
		   s->tids ? xasprintf("thread id '%s'", s->tids) :
		   s->cpus ? xasprintf("'CPU(s) %s'", s->cpus) :
		   s->system_wide ? xstrdup("'system wide'") :
					   command_line(q->argv);
	return err;
}

/* ---- the command ---- */

void stat_write(struct stat_session *q, const struct strbuf *b)
{
	int err = write_all(q->fd, b->s, b->len);

	if (err && !q->write_err)
		q->write_err = err;
}

static int check_output(const struct stat_session *q, int code)
{
	struct reason r = REASON_INIT;

	if (!q->write_err || q->write_err == -EPIPE)
		return code;
	if (q->fd == STDOUT_FILENO)
		return say_output(q->write_err);
	if (q->s->output && !q->s->record)
		reason_errno(&r, -q->write_err, "cannot write '%s'", q->s->output);
	else
		reason_errno(&r, -q->write_err, "cannot write the counts to descriptor %d", q->fd);
	return say_reason(&r);
}

static int open_output(struct stat_session *q, struct reason *r)
{
	const struct stat_settings *s = q->s;
	struct strbuf line = STRBUF_INIT;
	time_t now = time(NULL);
	char date[32];
	int err;

	q->fd = s->log_fd >= 0 ? s->log_fd : STDERR_FILENO;
	if (s->log_fd >= 0 && fcntl(s->log_fd, F_GETFD) < 0) {
		err = reason_errno(r, errno, "cannot write to descriptor %d", s->log_fd);
		reason_hint(r, "open it in the shell: perf stat --log-fd %d ... %d>FILE", s->log_fd,
			    s->log_fd);
		return err;
	}
	if (s->output && !s->record) {
		q->fd = open(s->output,
			     O_WRONLY | O_CREAT | O_CLOEXEC | (s->append ? O_APPEND : O_TRUNC),
			     0644);
		if (q->fd < 0) {
			err = reason_errno(r, errno, "cannot write '%s'", s->output);
			reason_hint(r, "name a file in a directory that is there and that you may write to");
			return err;
		}
	}
	if (s->output && !s->record && !s->json) {
		strbuf_f(&line, "# started on %s\n", ctime_r(&now, date));
		stat_write(q, &line);
		strbuf_release(&line);
	}
	return 0;
}

/* The user's locale decides about thousands; the decimal point stays a point. */
void stat_choose_style(struct stat_session *q, char *thousands, size_t size)
{
	locale_t locale = newlocale(LC_NUMERIC_MASK, "", (locale_t)0);

	thousands[0] = '\0';
	if (locale && q->s->big_num)
		snprintf(thousands, size, "%s", nl_langinfo_l(THOUSEP, locale));
	if (locale)
		freelocale(locale);
	q->style = (struct stat_style){ .separator = q->s->separator, .thousands = thousands, .json = q->s->json,
					.unit_width = 4, .merge = q->s->merge,
					.metric_only = q->s->metric_only,
					.hide_zero = q->s->hide_zero,
					.counted_threads_only = q->s->system_wide,
					.color = !q->s->separator && !q->s->json && isatty(q->fd),
					.percore_show_thread = q->s->percore_show_thread,
					.scale = q->s->scale };
	vec_for_each(&q->s->set.list, it)
		if ((*it)->unit)
			q->style.unit_width =
				MAX(q->style.unit_width, (unsigned)strlen((*it)->unit));
}

static void release(struct stat_session *q)
{
	if (q->ready) {
		stat_table_release(&q->table);
		stat_domains_release(&q->domains);
	}
	control_close(&q->control);
	cpu_topology_release(&q->topology);
	target_release(&q->target);
	vec_release(&q->runs);
	free(q->title);
	if (q->s->output && !q->s->record && q->fd >= 0)
		close(q->fd);
}

static int exit_code(struct stat_session *q)
{
	if (stat_signal())
		return 128 + stat_signal();
	return q->argv && !q->cut_short ? workload_exit_code(&q->workload) : 0;
}

int stat_cache_level(const char *text, u32 *level, struct reason *r)
{
	const char *digits = text ? text + (*text == 'l' || *text == 'L') : NULL;

	*level = 0;
	if (!text)
		return 0;
	if (*digits < '1' || *digits > '9' || (digits[1] && strcmp(digits + 1, "d") && strcmp(digits + 1, "i"))) {
		reason_set(r, EINVAL, "'%s' is no level of cache", text);
		reason_hint(r, "a number, such as 2, L3 or L1d; without one: each CPU's last");
		return -EINVAL;
	}
	*level = (u32)(*digits - '0');
	return 0;
}

static int read_caches(struct stat_session *q, struct reason *r)
{
	const char *text = q->s->cache_level;
	u32 level;
	int err;

	if (q->s->by != STAT_BY_CACHE)
		return 0;
	err = stat_cache_level(text, &level, r);
	if (err)
		return err;
	cpu_topology_read_caches(&q->s->sys, &q->topology, level);
	vec_for_each(&q->topology.cpus, it)
		if (it->cache >= 0)
			return 0;
	reason_set(r, ENOENT, "this machine tells nothing of %s cache%s%s", text ? "a" : "its",
		   text ? " of level " : "s", text ? text : "");
	reason_hint(r, "'cat /sys/devices/system/cpu/cpu0/cache/index*/level' shows what it tells");
	return -ENOENT;
}

static int stat_run(struct stat_session *q)
{
	struct reason r = REASON_INIT;
	char thousands[8];
	int err, code;

	cpu_topology_read(&q->s->sys, &q->topology, NULL);
	err = read_caches(q, &r);
	if (!err)
		err = choose_target(q, &r);
	if (!err)
		err = stat_choose_events(q->s, &r);
	if (!err && !q->target.system_wide)
		err = stat_check_uncore(q->s, &r);
	if (!err && q->s->control_text)
		err = control_open(&q->control, q->s->control_text, &r);
	if (!err) {
		err = open_output(q, &r);
		stat_choose_style(q, thousands, sizeof(thousands));
	}
	if (!err && q->s->iostat && !strcmp(q->s->iostat, "list"))
		iostat_list(q);
	else if (!err)
		err = stat_run_all(q, &r);
	stat_thaw(q->s);
	if (err)
		stat_record_end(q, true, NULL);
	code = err ? say_reason(&r) : check_output(q, exit_code(q));
	if (!err && !q->s->separator && !q->s->json && !q->s->quiet) {
		stat_warn(q);
		say_conditions(q->ctx);
	}
	live_close_in_background(q->live);
	release(q);
	return code;
}

int stat_on(struct context *ctx, const struct sys *sys, const struct live_backend *backend,
	    int argc, const char **argv)
{
	struct stat_settings s = { .inherit = true, .big_num = true, .scale = true, .merge = true,
				   .csv_summary = true, .log_fd = -1 };
	struct stat_session q = { .ctx = ctx, .s = &s, .fd = -1, .backend = backend,
				  .control = CONTROL_INIT };
	const char **full = xmemdup(argv, (size_t)argc * sizeof(*argv));
	int code;

	if (argc > 1 && !strcmp(argv[1], "report")) {
		free(full);
		return stat_report(ctx, argc - 1, argv + 1);
	}
	if (sys)
		s.sys = *sys;
	else
		s.sys.tracing_dir = ctx->debugfs_dir;
	s.parser = (struct event_parser){ .command = "stat", .counting = true, .sys = &s.sys };
	if (!sys) {
		s.probes = (struct session_probes){ .ctx = ctx, .command = "stat" };
		s.parser.resolve = session_probe_resolve;
		s.parser.resolve_arg = &s.probes;
	}
	event_set_init(&s.set);
	s.full_argc = argc;
	s.full_argv = full;
	s.record = argc > 1 && !strcmp(argv[1], "record");
	if (s.record) {
		argv++;
		argc--;
	}
	code = stat_parse_options(&s, &argc, argv);
	if (!code) {
		ctx->verbose = s.verbose;
		q.argv = argc ? argv : NULL;
		code = stat_run(&q);
	} else if (code < 0) {
		code = 0;
	}
	event_set_release(&s.set);
	session_probes_release(&s.probes);
	iostat_release(&s);
	metric_set_release(&s.metrics);
	strlist_release(&s.metric_names);
	free(s.core_pmu);
	free(full);
	return code;
}

int cmd_stat(struct context *ctx, int argc, const char **argv)
{
	return stat_on(ctx, NULL, NULL, argc, argv);
}
