// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The grammar: argv against an option table.
 *
 * Arguments that are not options are moved to the front of argv in order, so argv[0 .. kept) is
 * always the answer so far and argv[next ..] is unread.
 */
#include "cli/options.h"

#include <string.h>

#include "base/strbuf.h"
#include "cli/options-internal.h"
#include "cli/say.h"

struct parse {
	const struct options *o;
	const char **argv;
	int argc, next; /* next: first unread */
};

/* A long option as it was understood. */
struct match {
	const struct option_row *row;
	bool negated;
};

#define for_each_row(o, row)                                                                       \
	for (const struct option_row *row = (o)->rows; row->kind != OPTION_END; row++)

/*
 * Returns the name without "no-", or NULL: "no-x" names the negation of "x", and "x" that of
 * "no-x".
 */
static const char *skip_no(const char *name)
{
	return str_starts(name, "no-") ? name + 3 : NULL;
}

static bool matches(const char *name, const char *typed, size_t len, bool exact)
{
	return name && !strncmp(name, typed, len) && (!exact || !name[len]);
}

/* Reports whether typed names the row, as itself or negated. */
static bool row_match(const struct option_row *row, const char *typed, size_t len, bool exact,
		      struct match *m)
{
	const char *bare = row->long_name ? skip_no(row->long_name) : NULL;

	if (row->kind == OPTION_GROUP || !row->long_name)
		return false;
	if (!exact && (row->flags & OPT_HIDDEN))
		return false;
	m->row = row;
	m->negated = false;
	if (matches(row->long_name, typed, len, exact))
		return true;
	if (!option_negatable(row))
		return false;
	m->negated = true;
	if (matches(bare, typed, len, exact))
		return true;
	/* "--no" alone is a prefix only of the names that are listed with it. */
	if (!bare && len < 3)
		return !exact && (row->flags & OPT_NEGATE_ONLY) && !strncmp("no-", typed, len);
	return !bare && str_starts(typed, "no-") &&
	       matches(row->long_name, typed + 3, len - 3, exact);
}

static void candidate_name(const struct match *m, struct strbuf *b)
{
	const char *name = m->row->long_name;
	const char *bare = skip_no(name);

	strbuf_str(b, "--");
	if (m->negated && !bare)
		strbuf_str(b, "no-");
	strbuf_str(b, m->negated && bare ? bare : name);
}

static int ambiguous(struct parse *p, const char *typed, size_t len)
{
	struct strbuf names = STRBUF_INIT;
	size_t last = 0;
	struct match m;
	int code;

	for_each_row(p->o, row) {
		if (!row_match(row, typed, len, false, &m))
			continue;
		if (names.len) {
			last = names.len;
			strbuf_str(&names, ", ");
		}
		candidate_name(&m, &names);
	}
	code = options_usage_error(p->o, "ambiguous option '--%.*s' (could be %.*s or %s)",
				   (int)len, typed, (int)last, names.s, names.s + last + 2);
	strbuf_release(&names);
	return code;
}

/* Returns the nearest option, or NULL. With negated, only names that "no-" may precede. */
static const char *nearest_option(const struct options *o, const char *typed, bool negated)
{
	VEC(const char *) names = VEC_INIT;
	const char *best;

	for_each_row(o, row)
		if (row->long_name && row->kind != OPTION_GROUP && !(row->flags & OPT_HIDDEN) &&
		    (!negated || option_negatable(row)))
			vec_push(&names, row->long_name);
	if (!negated)
		vec_push(&names, "help");
	best = nearest_name(typed, names.items, names.count);
	vec_release(&names);
	return best;
}

static int unknown_long(struct parse *p, const char *typed, size_t len)
{
	char *name = xstrndup(typed, len);
	const char *no = skip_no(name);
	const char *near = nearest_option(p->o, name, false);
	const char *bare =
		no && !(near && str_starts(near, "no-")) ? nearest_option(p->o, no, true) : NULL;
	const char *prefix = "";

	/* --no-childen: --children would be the opposite of the user's intention */
	if (bare) {
		near = bare;
		prefix = "no-";
	}
	say_error("unknown option '--%s'", name);
	if (near)
		say_hint("did you mean '--%s%s'?", prefix, near);
	free(name);
	return options_usage_error(p->o, NULL);
}

/* Finds the one row that typed names, exactly or as a unique prefix. */
static int find_long(struct parse *p, const char *typed, size_t len, struct match *found)
{
	struct match m;
	size_t count = 0;

	for_each_row(p->o, row)
		if (row_match(row, typed, len, true, found))
			return 0;
	for_each_row(p->o, row) {
		if (!row_match(row, typed, len, false, &m) || (count && row->flags & OPT_YIELDS))
			continue;
		if (count && found->row->flags & OPT_YIELDS)
			count = 0;
		/* Two rows that do the same thing are not ambiguous. */
		if (count && m.row->value && m.row->value == found->row->value &&
		    m.row->kind == found->row->kind && m.row->unit == found->row->unit &&
		    m.row->kind != OPTION_CALLBACK && m.negated == found->negated)
			continue;
		if (!count++)
			*found = m;
	}
	if (count > 1)
		return ambiguous(p, typed, len);
	return count ? 0 : unknown_long(p, typed, len);
}

/* Returns the value that follows as the next argument, or NULL. */
static const char *next_value(struct parse *p, const struct option_row *row)
{
	if (row->flags & OPT_OPTIONAL)
		return NULL;
	if (p->next >= p->argc)
		return NULL;
	if ((row->flags & OPT_LAST_DEFAULT) && p->argv[p->next][0] == '-')
		return NULL;
	return p->argv[p->next++];
}

static int store(struct parse *p, const struct option_row *row, const char *value, bool negated)
{
	struct reason r = REASON_INIT;
	int err = option_store(p->o, row, value, negated, &r), code;

	if (!err) {
		if (row->given)
			*row->given = true;
		if (p->o->used)
			p->o->used(p->o->settings, row);
		return 0;
	}
	say_error("%s", r.text ? r.text : strerror(-err));
	if (r.hint)
		say_hint("%s", r.hint);
	else if (row->help && row->long_name && row->arg)
		say_hint(row->flags & OPT_OPTIONAL ? "--%s[=%s]: %s" : "--%s %s: %s",
			 row->long_name, row->arg, row->help);
	code = r.of_machine ? 1 : EXIT_USAGE;
	reason_release(&r);
	return code;
}

/* Reports whether the row's value is a list of the numbers of tasks or CPUs. */
static bool takes_numbers(const struct option_row *row)
{
	return row->arg && (str_starts(row->arg, "PID") || str_starts(row->arg, "TID") ||
			    str_starts(row->arg, "CPU"));
}

/*
 * Reports whether the next word continues the list of numbers, as in "-p 1, 2". No command has such
 * a name.
 */
static bool list_goes_on(const struct parse *p, const struct option_row *row, const char *value)
{
	size_t len = strlen(value);
	const char *next = p->next < p->argc ? p->argv[p->next] : "";

	return takes_numbers(row) && len && value[len - 1] == ',' && *next >= '0' && *next <= '9' &&
	       !next[strspn(next, "0123456789,-")];
}

/*
 * Takes an option. shown is "--output" or "-o", for messages; attached is what followed it in the
 * same argument.
 */
static int take(struct parse *p, const struct match *m, const char *shown, const char *attached)
{
	const char *value = attached;

	if (m->negated || !option_takes_value(m->row)) {
		if (attached)
			return options_usage_error(p->o, "option '%s' takes no value", shown);
		return store(p, m->row, NULL, m->negated);
	}
	if (!value)
		value = next_value(p, m->row);
	if (!value && !(m->row->flags & (OPT_OPTIONAL | OPT_LAST_DEFAULT)))
		return options_usage_error(p->o, "option '%s' needs a value", shown);
	if (value && list_goes_on(p, m->row, value))
		return options_usage_error(p->o,
					   "option '%s': a list has no spaces: '%s%s', not '%s %s'",
					   shown, value, p->argv[p->next], value, p->argv[p->next]);
	return store(p, m->row, value, false);
}

/* What every command understands. */
static const struct {
	const char *name;
	void (*answer)(const struct options *o);
} common[] = {
	{ "help", options_print_page },
	{ "list-opts", options_print_names },
	{ "list-cmds", options_print_subcommands },
};

/* Reports whether a row's name is what was typed or, unless exact, begins with it. */
static bool row_named(const struct options *o, const char *typed, bool exact)
{
	struct match m;

	for_each_row(o, row)
		if (row_match(row, typed, strlen(typed), exact, &m))
			return true;
	return false;
}

/*
 * Returns -1 when typed was one of the common options and not a row of the table, after answering
 * it; else 0.
 */
static int answer_common(struct parse *p, const char *typed)
{
	size_t found = 0, count = 0;

	if (row_named(p->o, typed, true))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(common); i++) {
		if (!strcmp(common[i].name, typed)) {
			common[i].answer(p->o);
			return -1;
		}
		if (*typed && str_starts(common[i].name, typed)) {
			found = i;
			count++;
		}
	}
	if (count != 1 || row_named(p->o, typed, false))
		return 0;
	common[found].answer(p->o);
	return -1;
}

static int parse_long(struct parse *p, const char *typed)
{
	size_t len = strcspn(typed, "=");
	const char *attached = typed[len] ? typed + len + 1 : NULL;
	struct match m;
	char *shown;
	int err;

	if (answer_common(p, typed))
		return -1;
	err = find_long(p, typed, len, &m);
	if (err)
		return err;
	shown = xasprintf("--%.*s", (int)len, typed);
	err = take(p, &m, shown, attached);
	free(shown);
	return err;
}

static const struct option_row *find_short(const struct options *o, char c)
{
	for_each_row(o, row)
		if (row->short_name == c && row->kind != OPTION_GROUP)
			return row;
	return NULL;
}

/* Parses a cluster: flags, the last of which may take the rest as its value. */
static int parse_short(struct parse *p, const char *cluster)
{
	while (*cluster) {
		char shown[] = { '-', *cluster, '\0' };
		const struct option_row *row = find_short(p->o, *cluster++);
		struct match m = { row, row && (row->flags & OPT_NEGATE_ONLY) };
		bool last;
		int err;

		if (!row && shown[1] == 'h') {
			options_print_help(p->o);
			return -1;
		}
		if (!row)
			return options_usage_error(p->o, "unknown option '%s'", shown);
		last = !m.negated && option_takes_value(row);
		err = take(p, &m, shown, last && *cluster ? cluster : NULL);
		if (err || last)
			return err;
	}
	return 0;
}

static int parse_one(struct parse *p, const char *arg)
{
	return arg[1] == '-' ? parse_long(p, arg + 2) : parse_short(p, arg + 1);
}

/*
 * Returns the row of the first letter that takes a value, else that of the last, or NULL if a
 * letter is unknown.
 */
static const struct option_row *find_cluster(const struct options *o, const char *letters,
					     bool *attached)
{
	const struct option_row *row = NULL;

	while (*letters) {
		row = find_short(o, *letters++);
		if (!row || option_takes_value(row))
			break;
	}
	*attached = *letters;
	return row;
}

const struct option_row *options_find(const struct options *o, const char *word, const char *next,
				      bool *takes_next)
{
	const struct option_row *row = NULL;
	struct match m = { NULL, false };
	size_t len = word[1] ? strcspn(word + 2, "=") : 0;
	bool attached = false;

	*takes_next = false;
	if (word[1] != '-') {
		row = find_cluster(o, word + 1, &attached);
	} else {
		attached = word[2 + len];
		for (int exact = 1; exact >= 0 && !row; exact--)
			for_each_row(o, each)
				if (!row && row_match(each, word + 2, len, exact, &m))
					row = m.row;
	}
	if (row && !attached && !m.negated && option_takes_value(row) &&
	    !(row->flags & OPT_OPTIONAL))
		*takes_next = next && (!(row->flags & OPT_LAST_DEFAULT) || *next != '-');
	return row;
}

bool options_take_word(const struct options *o, int *argc, const char **argv, const char *word)
{
	bool takes_next;
	int i = 0;

	while (i < *argc && argv[i][0] == '-' && argv[i][1] && strcmp(argv[i], "--") != 0) {
		if (!strcmp(argv[i], word)) {
			memmove(argv + i, argv + i + 1, (size_t)(*argc - i - 1) * sizeof(*argv));
			argv[--*argc] = NULL;
			return true;
		}
		options_find(o, argv[i], i + 1 < *argc ? argv[i + 1] : NULL, &takes_next);
		i += 1 + takes_next;
	}
	return false;
}

void option_rows_add(option_rows *rows, const struct option_row *more, size_t count)
{
	for (size_t i = 0; i < count; i++)
		vec_push(rows, more[i]);
}

int options_parse(const struct options *o, int *argc, const char **argv)
{
	struct parse p = { .o = o, .argv = argv, .argc = *argc, .next = 1 };
	int kept = 0;

	while (p.next < p.argc) {
		const char *arg = argv[p.next++];
		int err;

		if (!strcmp(arg, "--"))
			break;
		if (arg[0] != '-' || !arg[1]) {
			argv[kept++] = arg;
			if (o->stop_at_command)
				break;
			continue;
		}
		err = parse_one(&p, arg);
		if (err)
			return err;
	}
	while (p.next < p.argc)
		argv[kept++] = argv[p.next++];
	argv[kept] = NULL;
	*argc = kept;
	return 0;
}
