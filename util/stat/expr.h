/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Expressions of metrics: numbers, names of events and metrics, and what is made
 * of them.
 *
 *	value	   either [ "if" either "else" value ]
 *	either	   both { "|" both }		both	 compared { "&" compared }
 *	compared   sum [ ( "<" | ">" | "<=" | ">=" | "==" | "!=" ) sum ]
 *	sum	   product { ( "+" | "-" ) product }
 *	product	   sign { ( "*" | "/" | "%" ) sign }
 *	sign	   [ "-" ] ( NUMBER | NAME | FUNCTION "(" value { "," value } ")" | "(" value ")" )
 *
 * Functions: min, max, d_ratio (0 when its divisor is 0).  A name consists of
 * letters, digits and _ . : @ and any character after a backslash; "@" is the "/" of an
 * event's text.  "#NAME" is a fact of the machine (#smt_on, #num_cpus, #slots).
 * A quotient by zero, or of something that is not known, is not a number.
 */
#ifndef STAT_EXPR_H
#define STAT_EXPR_H

#include "base/reason.h"
#include "base/text.h"

struct expr;

/*
 * Parses an expression. Returns NULL with a reason that shows the text with a caret. Free it with
 * expr_free().
 */
struct expr *expr_parse(const char *text, struct reason *r);
void expr_free(struct expr *e);
/* Adds each name that occurs, once, in order. */
void expr_names(const struct expr *e, struct strlist *names);
/* Returns the value of a name, or NAN if unknown. */
typedef double (*expr_lookup)(void *arg, const char *name);
double expr_value(const struct expr *e, expr_lookup lookup, void *arg);

#endif
