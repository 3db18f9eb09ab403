// SPDX-License-Identifier: GPL-2.0-or-later
/* perf stat: where the results go, and the text around the rows. */
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/guard.h"
#include "base/replace.h"
#include "builtin/stat/internal.h"

static bool writes_file(const struct stat_printer *p)
{
	return p->ask->output && !p->ask->record && strcmp(p->ask->output, "-");
}

int stat_check_output(const struct stat_printer *p, struct reason *r)
{
	if (!p->write_err || p->write_err == -EPIPE)
		return 0;
	if (p->fd == STDOUT_FILENO)
		return reason_errno(r, -p->write_err, "cannot write to standard output");
	if (writes_file(p))
		return reason_errno(r, -p->write_err, "cannot write '%s'", p->ask->output);
	return reason_errno(r, -p->write_err, "cannot write the counts to descriptor %d", p->fd);
}

static int explain(int err, struct reason *r)
{
	if (err)
		reason_hint(r, "name a file in an existing directory that you may write to");
	return err;
}

int stat_open_output(struct stat_printer *p, struct reason *r)
{
	const struct stat_request *ask = p->ask;
	int err;

	p->fd = STDERR_FILENO;
	if (ask->log_fd >= 0)
		p->fd = ask->log_fd;
	else if (!ask->record && ask->output && !strcmp(ask->output, "-"))
		p->fd = STDOUT_FILENO;
	if (ask->log_fd >= 0 && fcntl(ask->log_fd, F_GETFD) < 0) {
		err = reason_errno(r, errno, "cannot write to descriptor %d", ask->log_fd);
		reason_hint(r, "open it in the shell: perf stat --log-fd %d ... %d>FILE",
			    ask->log_fd, ask->log_fd);
		return err;
	}
	if (!writes_file(p))
		return 0;
	p->fd = -1;
	return explain(replace_check(ask->output, r), r);
}

int stat_start_output(struct stat_printer *p, struct reason *r)
{
	struct strbuf line = STRBUF_INIT;
	time_t now = time(NULL);
	char date[32];

	if (!writes_file(p) || p->fd >= 0)
		return 0;
	p->fd = replace_open(p->ask->output, p->ask->append, 0644, r);
	if (p->fd < 0)
		return explain(p->fd, r);
	p->style.color = stat_for_people(p->ask) && isatty(p->fd);
	if (p->ask->json)
		return 0;
	strbuf_f(&line, "# started on %s\n", ctime_r(&now, date));
	stat_write(p, &line);
	strbuf_release(&line);
	return 0;
}

void stat_printer_release(struct stat_printer *p)
{
	if (p->ready) {
		stat_table_release(&p->table);
		stat_domains_release(&p->domains);
	}
	cpu_topology_release(&p->topology);
	vec_release(&p->runs);
	free(p->title);
	if (writes_file(p) && p->fd >= 0)
		close(p->fd);
}

/*
 * Chooses the style. The user's locale decides about thousands separators; the decimal point stays
 * a point.
 */
void stat_choose_style(struct stat_printer *p, const struct event_set *set)
{
	locale_t locale = newlocale(LC_NUMERIC_MASK, "", (locale_t)0);
	const struct stat_request *ask = p->ask;

	p->thousands[0] = '\0';
	if (locale && ask->big_num)
		snprintf(p->thousands, sizeof(p->thousands), "%s", nl_langinfo_l(THOUSEP, locale));
	if (locale)
		freelocale(locale);
	p->style = (struct stat_style){ .separator = ask->separator,
					.thousands = p->thousands,
					.json = ask->json,
					.unit_width = 4,
					.merge = ask->merge,
					.metric_only = ask->metric_only,
					.hide_zero = ask->hide_zero,
					.counted_threads_only = ask->system_wide,
					.color = stat_for_people(ask) && isatty(p->fd),
					.percore_show_thread = ask->percore_show_thread,
					.scale = ask->scale };
	if (p->style.color)
		out_allow_codes();
	vec_for_each(&set->list, it)
		if ((*it)->unit)
			p->style.unit_width =
				MAX(p->style.unit_width, (unsigned)strlen((*it)->unit));
}

/* ---- printing ---- */

static void print_head(struct stat_printer *p, struct strbuf *b)
{
	strbuf_str(b, "\n Performance counter stats for ");
	strbuf_printable(b, p->title);
	if (p->table.wall.runs > 1)
		strbuf_f(b, " (%llu runs)", (unsigned long long)p->table.wall.runs);
	strbuf_str(b, ":\n\n");
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static void print_foot(struct stat_printer *p, struct strbuf *b)
{
	if (p->table.set->list.count)
		strbuf_char(b, '\n');
	if (p->ask->table && p->runs.count > 1)
		stat_print_run_table(b, p->runs.items, p->runs.count, &p->table.wall);
	stat_print_elapsed(b, &p->table.wall);
	if (p->usage && p->table.wall.runs == 1)
		strbuf_f(b, "\n\n %17.9f seconds user\n %17.9f seconds sys\n",
			 seconds(p->usage->ru_utime), seconds(p->usage->ru_stime));
	strbuf_str(b, "\n\n");
}

void stat_print_results(struct stat_printer *p)
{
	struct strbuf b = STRBUF_INIT;
	bool text = stat_for_people(p->ask);
	char *prefix = NULL;

	if (p->ask->quiet)
		return;
	p->style.noise = p->table.wall.runs > 1;
	p->style.no_head = p->ask->interval && p->ask->separator;
	if (text)
		print_head(p, &b);
	if ((p->ask->interval || p->ask->summary) && p->ask->separator && p->ask->csv_summary)
		prefix = xasprintf("%16s%s", "summary", p->ask->separator);
	if (p->ask->iostat)
		iostat_print(p, &b, prefix ? prefix : "", true);
	else
		stat_print_rows(&b, &p->table, &p->style, prefix ? prefix : "");
	if (text)
		print_foot(p, &b);
	free(prefix);
	stat_write(p, &b);
	strbuf_release(&b);
}

char *stat_interval_prefix(const struct stat_request *ask, u64 since)
{
	unsigned long long s = since / 1000000000, ns = since % 1000000000;

	if (ask->json)
		return xasprintf("\"interval\" : %llu.%09llu, ", s, ns);
	return xasprintf("%6llu.%09llu%s", s, ns, ask->separator ? ask->separator : " ");
}

void stat_print_interval(struct stat_printer *p, struct strbuf *b, const char *prefix)
{
	bool head = p->intervals % 25 == 0 || p->ask->interval_clear;

	if (p->ask->interval_clear && stat_for_people(p->ask)) {
		out_allow_codes();
		strbuf_str(b, "\033[H\033[2J");
	}
	if (p->ask->iostat) {
		iostat_print(p, b, prefix, p->ask->separator ? !p->intervals : head);
		p->intervals++;
		return;
	}
	if (stat_for_people(p->ask) && head)
		stat_print_interval_head(b, p->domains.by, &p->style);
	p->style.no_head = p->ask->separator ? p->intervals > 0 : !head;
	stat_print_rows(b, &p->table, &p->style, prefix);
	p->intervals++;
}
