/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside of the engine component.
 *
 *	command.c	options, and what they ask for
 *	find.c		where scripts and plugins are
 *	list.c		scripts with their purposes and arguments
 *	starters.c	record SCRIPT, report SCRIPT, live
 *	open.c		a plugin, opened and checked
 *	run.c		a script over a session: from samples to the calls of a plugin
 *	events.c	events, their fields and names of values, as plugins see them
 *	host.c		what plugins ask of a sample
 *	generate*.c	-g python, -g perl
 */
#ifndef BUILTIN_SCRIPT_ENGINE_INTERNAL_H
#define BUILTIN_SCRIPT_ENGINE_INTERNAL_H

#include "arch/arch.h"
#include "builtin/script/engine.h"
#include "plugins/plugin.h"
#include "symbol/srcline.h"
#include "tracepoint/tracepoint.h"

/* ---- find.c ---- */

/*
 * Returns the directory that contains scripts/: PERF_EXEC_PATH, or that of the build tree, or the
 * installed one. The caller frees it.
 */
char *engine_exec_path(void);
/*
 * Returns this perf's own directory, even if PERF_EXEC_PATH names the scripts of another perf. The
 * caller frees it.
 */
char *engine_own_path(void);
/*
 * Returns the path of a language's plugin ("python"), which the caller frees, or NULL with a
 * reason.
 */
char *engine_plugin_path(const struct engine_language *l, struct reason *r);
/*
 * Returns the path of the script with this name, or of the file itself. The caller frees it; NULL
 * if there is neither.
 */
char *engine_find_script(const char *exec_path, const char *name);
/* Returns the path of NAME-record or NAME-report of any language, or NULL. The caller frees it. */
char *engine_find_starter(const char *exec_path, const char *name, const char *side);

/* ---- open.c ---- */

const struct engine_plugin *engine_open_plugin(const struct engine_language *l, struct reason *r);

/* ---- events.c ---- */

/* An event as the plugin sees it, and what that is made of. */
struct engine_event_view {
	struct engine_event shown;
	const struct tracepoint_format *format;
	const struct tracepoint_field *common_pid, *common[3];
	u32 raw_needed; /* bytes, for all fields of fixed size */
	bool described; /* looked for its format */
	bool addr_has_place;
	u64 sample_type;
};
void engine_event_describe(struct engine_event_view *v, const struct event *ev,
			   const struct tracepoint_formats *formats);
void engine_event_release(struct engine_event_view *v);

/* namings.c: the names of values in a print format; *out is malloc'ed. */
u32 engine_namings_read(const char *print_format, struct engine_naming **out);
void engine_namings_free(struct engine_naming *namings, u32 count);

/* ---- run.c, host.c ---- */

struct engine_frame_slot {
	bool known;
	struct engine_frame frame;
};

struct engine_run {
	struct session *session;
	struct script_options *options;
	struct context *ctx;
	struct history *history;
	struct event_set *set;
	struct image_table *images;
	const struct arch *arch;
	const struct tracepoint_formats *formats;
	const struct engine_plugin *plugin;
	void *state;
	struct engine_host host;
	char *home; /* host.home */
	int answer; /* enum engine_answer */

	VEC(struct engine_event_view *) events; /* by event index */
	const struct session_sample *now;
	struct order_key now_key; /* also of a record */
	const struct engine_event_view *now_event;
	struct chains *chains;
	VEC(struct engine_frame_slot) frames; /* by frame id */
	VEC(struct engine_frame) chain;       /* the chain of the sample */
	VEC(const char *) build_ids;          /* by image, hex */
	struct strtab sources;                /* inlined functions' lines, each once */
	struct line_store *lines;
	struct insn_reader *instructions; /* NULL until one is requested */
	struct strbuf text;
	struct engine_stat *stat;
	u64 round; /* for stat: the time of the round that has just ended */
	bool round_ended;
	u64 damaged; /* samples whose raw data are shorter than their fields */
};

void engine_host_init(struct engine_run *e);
void engine_host_release(struct engine_run *e);

/* records.c: chooses the records that scripts receive */
void engine_want_records(u64 want[2]);
int engine_record(struct engine_run *e, const struct record *rec, const struct order_key *key);
void engine_stat_release(struct engine_run *e);

/* ---- generate_words.c ---- */

/* How a language writes what all of them need. */
struct generate_words {
	const char *joint; /* between system and tracepoint */
	void (*name)(struct strbuf *b, const char *name);
	/* writes the name of the n-th field */
	void (*variable)(struct strbuf *b, const struct engine_event *ev, u32 n);
};
void generate_word(struct strbuf *b, const char *name); /* letters and digits, '_' for others */
/* Adds "_N" when a field before the n-th one has its name. */
void generate_repeat(struct strbuf *b, const struct engine_event *ev, u32 n);
/* Returns the naming of a field, or NULL if the print format has no names for its values. */
const struct engine_naming *generate_naming(const struct engine_event *ev, const char *field);
/* Adds the n-th field as its value is printed: the variable, or a call that returns its names. */
void generate_value(struct strbuf *b, const struct engine_event *ev, u32 n,
		    const struct generate_words *w);

/* ---- generate.c ---- */

enum engine_generated { GENERATE_PYTHON, GENERATE_PERL };
/* Writes a script for the recording's events. If path is NULL it is perf-script.py or .pl. */
int engine_generate(struct session *s, const struct engine_language *l, const char *path,
		    struct reason *r);
void generate_python(const struct engine_event_view *events, size_t count, struct strbuf *b);
void generate_perl(const struct engine_event_view *events, size_t count, struct strbuf *b);

#endif
