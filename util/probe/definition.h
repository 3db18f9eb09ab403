/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The probe language: text as given to `perf probe`, into a tree.
 *
 *	[[GROUP:]EVENT=]FUNC[@FILE][:LINE|:A-B|+OFFSET|%return|;PATTERN] [ARGUMENT ...]
 *	[[GROUP:]EVENT=][@]FILE:LINE | FILE;PATTERN [ARGUMENT ...]
 *	[[GROUP:]EVENT=]0xADDRESS [ARGUMENT ...]
 *	%sdt_PROVIDER:NAME | sdt_PROVIDER:NAME | %CACHED [ARGUMENT ...]
 *
 *	ARGUMENT: [NAME=]EXPRESSION[:TYPE][@user]
 *	EXPRESSION: VARIABLE or $retval, then ->MEMBER .MEMBER [I] [A..B] in any number;
 *	        %REGISTER  $stack $stackN $argN $comm $retval  @ADDRESS  @SYMBOL[+-N]  @+OFFSET
 *	        \NUMBER  \"TEXT"  +OFF(EXPRESSION)  -OFF(EXPRESSION)  +uOFF(EXPRESSION)
 *	        $vars $params (each stands for many; without NAME and TYPE)
 *
 * In the point, a backslash takes away the special meaning of = @ + : ; % and spaces. Text in
 * brackets or double quotes, "::" and operators of C++ belong to the name (probe/name.h). "FUNC:"
 * is FUNC:0. A name is a source file if it contains a dot and is followed by : or ;, without any of
 * + @ %. Plain text: nothing here knows whether a function or variable exists.
 * Threads: no state. Errors: -EINVAL and a reason that shows the text with a caret.
 * Life: probe_definition_parse fills a zeroed struct, _release frees its contents.
 */
#ifndef PROBE_DEFINITION_H
#define PROBE_DEFINITION_H

#include "base/reason.h"
#include "base/vec.h"

enum probe_target_kind {
	PROBE_KERNEL,
	PROBE_MODULE, /* target.name: module or path of a .ko */
	PROBE_USER,   /* target.name: path of a program or library */
};

struct probe_target {
	enum probe_target_kind kind;
	char *name; /* NULL for the kernel */
};

struct probe_point {
	char *function; /* may have globs (probe_point_has_glob); NULL: none was named */
	char *file;     /* end of the source file's path, or NULL */
	bool has_line;
	/* From the function's first line (0) when there is a function, else the file's (1). */
	unsigned line;
	/*
	 * Last line of a range (-L): as line; UINT32_MAX: to the end. Equal to line for a probe.
	 */
	unsigned line_end;
	u64 offset;         /* bytes from the function's entry */
	bool offset_is_hex; /* it was written so, and is shown so */
	bool is_absolute;
	u64 address; /* with is_absolute: kernel address, or virtual address in the ELF file */
	bool is_return;
	char *lazy; /* pattern after ';', or NULL */
};

enum probe_base {
	PROBE_VARIABLE,       /* name: a local, parameter or global */
	PROBE_REGISTER,       /* name: "di", without % */
	PROBE_RETVAL,         /* $retval */
	PROBE_STACK,          /* $stack: the pointer itself */
	PROBE_STACK_ENTRY,    /* $stackN: number is N */
	PROBE_ARGUMENT,       /* $argN: number is N, from 1 */
	PROBE_COMM,           /* $comm */
	PROBE_ADDRESS,        /* @ADDRESS: number */
	PROBE_SYMBOL,         /* @SYMBOL[+-N]: name, number is N */
	PROBE_FILE_OFFSET,    /* @+OFFSET: number; in the probed file */
	PROBE_IMMEDIATE,      /* \NUMBER: number */
	PROBE_TEXT,           /* \"TEXT": name without the quotes */
	PROBE_ALL_VARIABLES,  /* $vars */
	PROBE_ALL_PARAMETERS, /* $params */
};

enum probe_step_kind {
	PROBE_MEMBER,      /* .name */
	PROBE_ARROW,       /* ->name */
	PROBE_INDEX,       /* [first] */
	PROBE_RANGE,       /* [first..last], both included; the last step */
	PROBE_DEREFERENCE, /* +first( ) of what precedes it; user: +u */
};

/* Steps are in the order they are taken: of "+8(+16(%di))" +16 is the first. */
struct probe_step {
	enum probe_step_kind kind;
	char *name;
	s64 first, last;
	bool user;
};

struct probe_argument {
	char *name; /* as given; NULL: not given */
	char *text; /* the expression as written, without name, type and @user */
	enum probe_base base;
	char *base_name;
	s64 number;
	VEC(struct probe_step) steps;
	char *type;     /* after ':', without [N]; "u", "s", "x" only say how; NULL: by DWARF */
	unsigned array; /* N of TYPE[N], 0: no array */
	bool user;      /* @user: memory of the task, not the kernel's */
	/* one of $vars: arrays stay a word, since all of them could be too much */
	bool of_all;
};

struct probe_definition {
	struct probe_target target; /* filled by the caller; released with the rest */
	char *group, *event;        /* NULL: made by the naming rules (probe/event.h) */
	/*
	 * %NAME and sdt_P:N: the name is in group and event (group may be NULL) and the point is
	 * empty.
	 */
	bool is_cached;
	struct probe_point point;
	VEC(struct probe_argument) arguments;
};

/* Parses a whole definition: the point, then its arguments. */
int probe_definition_parse(struct probe_definition *d, const char *text, struct reason *r);
/* Parses what -L takes: only "FUNC[@FILE][:A[-B|+N]]" or "FILE[:A[-B|+N]]". */
int probe_line_range_parse(struct probe_point *p, const char *text, struct reason *r);

void probe_definition_release(struct probe_definition *d);
void probe_point_release(struct probe_point *p);
void probe_argument_release(struct probe_argument *a);

bool probe_point_has_glob(const struct probe_point *p);
/*
 * Reports whether the argument is understood without DWARF: registers, memory, unchanged $retval.
 */
bool probe_argument_is_raw(const struct probe_argument *a);
/* Refuses TYPE[N] of a value that is not in memory: -EINVAL; the caller adds a hint. */
int probe_refuse_array(const struct probe_argument *a, struct reason *r);
/* Reports whether the point or an argument needs DWARF. */
bool probe_definition_needs_dwarf(const struct probe_definition *d);

struct strbuf;
/* Adds "+16", or "+0x10". */
void probe_offset_text(struct strbuf *b, u64 offset, bool hex);
/* Adds the point as text again: "tcp_sendmsg:9", "main%return", "foo.c:12". */
void probe_point_text(struct strbuf *b, const struct probe_point *p);

#endif
