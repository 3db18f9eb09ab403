// SPDX-License-Identifier: GPL-2.0-or-later
/* perf script: from its options to the printed file. */
#include "builtin/script/command.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/privileges.h"
#include "builtin/script/dlfilter.h"
#include "cli/say.h"
#include "spe/decode.h"

static int check_itrace(const struct script_command *c, struct session *s, struct reason *r)
{
	if (!c->itrace.given || !data_has_feature(session_data(s), FEATURE_AUXTRACE))
		return 0;
	reason_set(r, EOPNOTSUPP, "the hardware traces in '%s' cannot be decoded",
		   data_path(session_data(s)));
	reason_hint(r, "--no-itrace shows the other samples");
	return -EOPNOTSUPP;
}

static void print_header(const struct script_command *c, struct session *s, struct out *out)
{
	struct strbuf *b = out_buf(out);

	if (!c->header && !c->header_only)
		return;
	data_header_print(session_data(s), b, c->full_header);
	out_done(out);
}

static int run_session(struct script_command *c, struct reason *r)
{
	struct session *s = c->a.session;
	int err = sample_choice_open(&c->script.choice, c->time, s, r);

	c->script.choice.host_describes = true;
	if (!err)
		err = check_itrace(c, s, r);
	if (err)
		return err;
	print_header(c, s, &c->a.out);
	if (c->header_only)
		return 0;
	out_flush(&c->a.out);
	return c->instead ? c->instead(c->instead_arg, s, &c->script, r)
			  : script_run(s, &c->script, &c->a.out, r);
}

static void split(struct strlist *to, const char *text)
{
	if (text)
		strlist_split_names(to, text);
}

/*
 * Finds the words of -S that may be addresses. "add" can be a function or a hexadecimal address,
 * and both match.
 */
static void find_addresses(struct script_options *s)
{
	vec_for_each(&s->symbols.list, word) {
		u64 addr;

		if (!parse_hex(*word, &addr))
			vec_push(&s->addresses, addr);
	}
}

static bool shows_records(const struct script_shown *s)
{
	return s->mmap || s->task || s->switches || s->lost || s->namespaces || s->cgroup ||
	       s->round || s->bpf || s->text_poke || s->deferred;
}

static int check_combinations(const struct script_command *c, const struct options *o)
{
	const struct script_options *s = &c->script;

	if (c->json_given && c->tsv_given)
		return options_usage_error(o, "--json and --tsv exclude each other");
	if (s->relative_time && s->delta_time)
		return options_usage_error(o, "reltime and deltatime - the two don't get along "
					      "well. Please limit to --reltime or --deltatime.");
	if (s->address_range && !s->addresses.count)
		return options_usage_error(
			o, "--addr-range counts from the addresses of -S, and there are none");
	if (s->dlargs.list.count && !s->dlfilter)
		return options_usage_error(
			o, "--dlarg is for the filter of --dlfilter, and there is none");
	if (s->dlfilter && !*s->dlfilter)
		return options_usage_error(o, "--dlfilter needs the name of a shared object");
	if (s->form != SCRIPT_TEXT && (s->dump || c->header || c->header_only))
		return options_usage_error(
			o, "--json and --tsv cannot be mixed with the text of -D or --header");
	if (s->form == SCRIPT_TSV && shows_records(&s->show))
		return options_usage_error(
			o, "--tsv has columns of samples only; --json shows other records, too");
	if (s->show_switches && !s->switch_on && !s->switch_off)
		return options_usage_error(
			o, "--show-on-off-events shows the events of --switch-on and "
			   "--switch-off, and there are none");
	return 0;
}

/* Parses the arguments of options before a file is opened: 0 or a usage error. */
static int take_apart(struct script_command *c, const struct options *o)
{
	struct script_options *s = &c->script;
	struct reason r = REASON_INIT;
	int err = 0, code = 0;

	split(&s->comms, c->comms);
	split(&s->dsos, c->dsos);
	split(&s->symbols, c->symbols);
	split(&s->stop_at, c->stop_at);
	split(&s->graph_functions, c->graph_functions);
	find_addresses(s);
	s->dump |= s->unsorted;
	s->show.deferred = c->a.open.keep_deferred = !c->merge_callchains;
	if (c->as_text)
		script_fields_as_text(&s->fields);
	code = check_combinations(c, o);
	if (code)
		return code;
	if (c->pid)
		err = parse_task_numbers("--pid", c->pid, &s->pids, &s->pid_count, &r);
	if (!err && c->tid)
		err = parse_task_numbers("--tid", c->tid, &s->tids, &s->tid_count, &r);
	if (!err)
		err = sample_choice_cpus(&s->choice, c->cpus, &r);
	if (!err)
		err = line_options_check(&s->lines, &r);
	if (err)
		code = options_usage_error(o, "%s", r.text);
	reason_release(&r);
	return code;
}

void script_command_init(struct script_command *c, struct context *ctx)
{
	*c = (struct script_command){ .script = { .max_stack = 127, .inlines = true } };
	analysis_init(&c->a, ctx);
	c->merge_callchains = true;
	script_fields_init(&c->script.fields);
}

static int list_filters(const struct script_command *c)
{
	struct out out;

	out_init(&out, STDOUT_FILENO);
	dlfilter_list(c->a.ctx->exec_path, c->a.ctx->verbose > 0, out_buf(&out));
	return say_output(out_release(&out));
}

int script_command_run(struct script_command *c, const struct options *o)
{
	struct reason r = REASON_INIT;
	int code = c->list_filters ? 0 : take_apart(c, o);

	if (code)
		return code;
	if ((c->list_filters || c->script.dlfilter) && privileges_drop(&r))
		return say_reason(&r);
	if (c->list_filters)
		return list_filters(c);
	if (analysis_prepare(&c->a, &r)) {
		say_reason(&r);
		return EXIT_USAGE;
	}
	c->script.truth = c->header && !c->header_only;
	c->a.traces = itrace_wanted(&c->itrace, c->script.dump || c->header_only, SPE_WANT_ALL);
	if (analysis_begin(&c->a, &r))
		code = say_reason(&r);
	else
		code = analysis_end(&c->a, run_session(c, &r), &r);
	analysis_release(&c->a);
	return code;
}

void script_command_release(struct script_command *c)
{
	struct script_options *s = &c->script;

	strlist_release(&s->comms);
	strlist_release(&s->dsos);
	strlist_release(&s->symbols);
	strlist_release(&s->stop_at);
	strlist_release(&s->graph_functions);
	strlist_release(&s->dlargs);
	vec_release(&s->addresses);
	sample_choice_release(&s->choice);
	free(s->pids);
	free(s->tids);
	strbuf_release(&c->fields_help);
}
