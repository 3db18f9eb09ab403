// SPDX-License-Identifier: GPL-2.0-or-later
/* perf mem: its options, and the command lines that they make. */
#include "builtin/mem/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { BOTH = MEMORY_LOAD | MEMORY_STORE };

static int set_type(const struct option_call *call, struct reason *r)
{
	struct mem *m = call->row->value;
	struct strlist names = { 0 };
	int err = 0;

	strlist_split(&names, call->value, ",");
	m->ops = 0;
	m->ops_given = true;
	vec_for_each(&names.list, name) {
		if (!strcasecmp(*name, "load"))
			m->ops |= MEMORY_LOAD;
		else if (!strcasecmp(*name, "store"))
			m->ops |= MEMORY_STORE;
		else if (!err)
			err = reason_set(r, EINVAL, "'%s' is not a kind of memory access", *name);
	}
	if (!m->ops && !err)
		err = reason_set(r, EINVAL, "-t names no kind of memory access");
	if (err)
		reason_hint(r, "-t load, -t store, or both with a comma between them");
	strlist_release(&names);
	return err;
}

static void type_row(struct mem *m, option_rows *rows)
{
	const struct option_row row = {
		OPTION_CALLBACK,
		't',
		"type",
		m,
		.set = set_type,
		.arg = "load,store",
		.flags = OPT_NO_NEGATE,
		.help = "which accesses (default: both)",
	};

	option_rows_add(rows, &row, 1);
}

static void address_rows(struct mem *m, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_FLAG, 'p', "phys-data", &m->phys,
		  .help = "physical addresses of the data, too" },
		{ OPTION_FLAG, 0, "data-page-size", &m->page_size,
		  .help = "the size of the page that the data lies in, too" },
		{ OPTION_STRING, 'C', "cpu", &m->cpus, .arg = "CPUS",
		  .help = "only these CPUs: 0-2,5" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
}

static void reader_rows(struct mem *m, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_FLAG, 'D', "dump-raw-samples", &m->dump,
		  .help = "print each sample on a line" },
		{ OPTION_FLAG, 'U', "hide-unresolved", &m->hide_unresolved,
		  .help = "only entries with the name of a function" },
		{ OPTION_STRING, 'x', "field-separator", &m->separator, .arg = "CHAR",
		  .help = "separate columns with CHAR, without padding" },
	};

	input_option_rows(rows, &m->input, &m->force);
	option_rows_add(rows, more, ARRAY_SIZE(more));
}

void mem_option_rows(struct mem *m, option_rows *rows)
{
	type_row(m, rows);
	address_rows(m, rows);
	reader_rows(m, rows);
}

void mem_record_rows(struct mem *m, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_GROUP, .help = "Memory accesses" },
		{ OPTION_STRING, 'e', "event", &m->events, .arg = "EVENT[,EVENT]...",
		  .help = "these events, by a part of their names; 'list' shows them" },
		{ OPTION_U64, 0, "ldlat", &m->latency, .arg = "CYCLES", .given = &m->latency_given,
		  .help = "leave out loads that took fewer cycles (default: 30)" },
		{ OPTION_FLAG, 'U', "all-user", &m->all_user, .help = "only in user mode" },
		{ OPTION_COUNT, 'v', "verbose", &m->ctx->verbose,
		  .help = "show the command line of perf record; twice: attrs, too" },
		{ OPTION_FLAG, 'K', "all-kernel", &m->all_kernel, .help = "only in the kernel" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
	type_row(m, rows);
	address_rows(m, rows);
}

void mem_report_rows(struct mem *m, option_rows *rows)
{
	const struct option_row more[] = {
		{ OPTION_GROUP, .help = "Memory accesses" },
		{ OPTION_STRING, 's', "sort", &m->sort, .arg = "KEY[,KEY]...",
		  .help = "group by these keys; +KEY adds" },
		{ OPTION_FLAG, 'T', "type-profile", &m->types,
		  .help = "show the types of the data that is accessed" },
	};

	option_rows_add(rows, more, ARRAY_SIZE(more));
	mem_option_rows(m, rows);
}

void mem_init(struct mem *m, struct context *ctx)
{
	*m = (struct mem){ .ctx = ctx, .ops = BOTH };
}

void mem_release(struct mem *m)
{
	strlist_release(&m->words);
	memory_events_release(&m->choice);
}

/* ---- record ---- */

static int find_events(struct mem *m, struct reason *r)
{
	memory_events_find(&m->choice, NULL);
	m->choice.latency = m->latency;
	m->choice.latency_given = m->latency_given;
	return memory_events_require(&m->choice, r);
}

int mem_list_events(struct mem *m, struct strbuf *out, struct reason *r)
{
	int err = find_events(m, r);

	if (!err)
		memory_events_list(&m->choice, m->ctx->verbose > 0, out);
	return err;
}

static void note_wider(struct mem *m)
{
	condition_add(&m->ctx->conditions, CONDITION_WARNING, "mem-type", NULL, NULL, 1, NULL,
		      "%s samples loads and stores alike: -t %s records both",
		      m->choice.sampler->name, m->ops == MEMORY_LOAD ? "load" : "store");
}

int mem_record_words(struct mem *m, struct strlist *line, struct reason *r)
{
	int err = find_events(m, r);

	if (!err && m->events)
		err = memory_events_choose(&m->choice, m->events, r);
	else if (!err)
		err = memory_events_choose_ops(&m->choice, m->ops, r);
	if (err)
		return err;
	if (m->choice.wider)
		note_wider(m);
	strlist_add(line, "record");
	if (memory_events_have_cost(&m->choice))
		strlist_add(line, "-W");
	strlist_add(line, "-d");
	if (m->phys)
		strlist_add(line, "--phys-data");
	if (m->page_size)
		strlist_add(line, "--data-page-size");
	err = memory_events_words(&m->choice, line, r);
	if (m->all_user)
		strlist_add(line, "--all-user");
	if (m->all_kernel)
		strlist_add(line, "--all-kernel");
	if (m->cpus) {
		strlist_add(line, "-C");
		strlist_add(line, m->cpus);
	}
	return err;
}

/* ---- report ---- */

static void add_option(struct strlist *line, const char *option, const char *value)
{
	char *word = xasprintf("%s%s", option, value);

	strlist_add(line, word);
	free(word);
}

/* Returns the usual sort keys, or NULL for those of perf report --mem-mode. */
static const char *usual_keys(const struct mem *m)
{
	if (m->types)
		return "mem,snoop,tlb,type";
	/* stores have no weight, and nothing was asked of other caches for them */
	if (!(m->ops & MEMORY_LOAD))
		return "mem,sym,dso,symbol_daddr,dso_daddr,tlb,locked";
	if (m->phys || m->page_size)
		return "local_weight,mem,sym,dso,symbol_daddr,dso_daddr,snoop,tlb,locked,blocked";
	return NULL;
}

static void add_keys(const struct mem *m, struct strlist *line)
{
	const char *keys = m->sort ? m->sort : usual_keys(m);
	char *all;

	if (!keys)
		return;
	all = xasprintf("%s%s%s", keys, !m->sort && m->phys ? ",phys_daddr" : "",
			!m->sort && m->page_size ? ",data_page_size" : "");
	add_option(line, "--sort=", all);
	free(all);
}

void mem_report_words(struct mem *m, struct strlist *line)
{
	strlist_add(line, "report");
	strlist_add(line, "--mem-mode");
	strlist_add(line, "-n");
	add_keys(m, line);
	if (m->input)
		add_option(line, "--input=", m->input);
	if (m->force)
		strlist_add(line, "--force");
	if (m->cpus)
		add_option(line, "--cpu=", m->cpus);
	if (m->separator)
		add_option(line, "--field-separator=", m->separator);
	if (m->hide_unresolved)
		strlist_add(line, "--hide-unresolved");
}
