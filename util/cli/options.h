/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options declared once: a table that parses them, prints -h and feeds shell completion.
 *
 * Each command has its own table and settings struct. Grammar: clustered short options (-aR),
 * -oFILE and -o FILE, --long=VALUE and --long VALUE, unique prefixes of long options, --no-long for
 * flags, "--" ends options. Parsing stops at the first non-option when stop_at_command. Errors are
 * printed by options_parse itself ("error: ...", the nearest option, usage) and the command returns
 * EXIT_USAGE (129).
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "base/reason.h"
#include "base/text.h"

enum option_kind {
	OPTION_END,
	OPTION_GROUP,    /* a heading in -h */
	OPTION_FLAG,     /* bool *: set, --no- clears */
	OPTION_COUNT,    /* int *: -vv adds, --no- zeroes */
	OPTION_STRING,   /* const char **: points into argv */
	OPTION_LIST,     /* struct strlist *: each use appends */
	OPTION_U64,      /* u64 *: number */
	OPTION_UINT,     /* unsigned * */
	OPTION_INT,      /* int * */
	OPTION_SIZE,     /* u64 *: 4K, 1M ... bytes */
	OPTION_DURATION, /* u64 *: ns; plain number in .unit ns */
	OPTION_CALLBACK, /* set() is called */
	OPTION_SET_INT,  /* int *: becomes .unit when given */
};

enum {
	OPT_OPTIONAL = 1,  /* its value may be left out; then only --x=V and -xV give one */
	OPT_HIDDEN = 2,    /* not in -h (kept for old scripts) */
	OPT_NO_NEGATE = 4, /* no --no-x */
	/*
	 * Listed as --no-x although the table name is x; both are accepted, the short
	 * form means --no-x, and *value starts as what --x would make it.
	 */
	OPT_NEGATE_ONLY = 8,
	/*
	 * Its value may be left out where nothing, or another option, follows (-g caller, -g -n).
	 */
	OPT_LAST_DEFAULT = 16,
	/*
	 * A short form of it that is also one of another option means the other one, as before this
	 * one came.
	 */
	OPT_YIELDS = 32,
};

struct option_call {
	const struct option_row *row;
	const char *value; /* NULL: not given (OPT_OPTIONAL) or negated */
	bool negated;
	void *settings; /* the pointer given to options_parse */
};

struct option_row {
	enum option_kind kind;
	char short_name;       /* 0: none */
	const char *long_name; /* NULL: none */
	void *value;           /* where it goes; type by kind */
	const char *arg;       /* name of the value in -h: "FILE"; kinds have defaults */
	const char *help;      /* one line */
	unsigned flags;        /* OPT_* */
	u64 unit;              /* OPTION_DURATION, OPTION_SET_INT */
	bool *given;           /* set when the option is used; may be NULL */
	/* OPTION_CALLBACK: 0 or -errno with a reason */
	int (*set)(const struct option_call *call, struct reason *r);
};

#define OPT_END_ROW                                                                                \
	{                                                                                          \
		.kind = OPTION_END                                                                 \
	}

enum {
	EXIT_NOT_HELD = 3, /* everything was done, but a condition of the user's is not met */
	EXIT_USAGE = 129,
};

/* A table made of parts; ends with OPT_END_ROW; vec_release() frees it. */
typedef VEC(struct option_row) option_rows;
void option_rows_add(option_rows *rows, const struct option_row *more, size_t count);

struct options {
	const char *command;      /* "stat" */
	const char *const *usage; /* NULL-terminated: "perf stat [<options>] [<command>]" */
	const struct option_row *rows;
	const char *const *subcommands; /* NULL-terminated, for --list-cmds; NULL: none */
	bool stop_at_command;           /* a workload follows */
	void *settings;                 /* handed to callbacks */
	/* Called for each option that was used, after its value was taken; may be NULL. */
	void (*used)(void *settings, const struct option_row *row);
};

/*
 * Parses argv[1..]; leaves the rest in argv[0 .. *argc - 1] (argv[0] of the
 * command removed).  Returns 0; EXIT_USAGE after a message, 1 where
 * this machine is the reason (reason_machine()); or -1 when -h,
 * --list-opts or the like was answered and the command should return 0.
 */
int options_parse(const struct options *o, int *argc, const char **argv);
/*
 * Removes word, "--user", from these options and reports whether it was there. For a command that
 * hands the other words to the command whose table this is. Words of the workload are left alone.
 */
bool options_take_word(const struct options *o, int *argc, const char **argv, const char *word);
/*
 * Finds the row of an option word, "--freq=99" or "-ag" (the one that takes a value, else the
 * last), or NULL. Sets *takes_next if next, the word after it or NULL, is its value.
 */
const struct option_row *options_find(const struct options *o, const char *word, const char *next,
				      bool *takes_next);
/*
 * Sets the program's words, which live as long as it does and end with NULL. An error names an
 * option only if it is among them, not if a command added it that runs another one.
 */
void options_typed(const char *const *words);
/* Prints "error: TEXT", hint, and the usage lines to stderr, and returns EXIT_USAGE. */
int options_usage_error(const struct options *o, const char *fmt, ...) PRINTF_LIKE(2, 3);
/*
 * Works likewise for a missing subcommand (typed is NULL), or for one that the command does not
 * have.
 */
int options_subcommand_error(const struct options *o, const char *typed);

#endif
