// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Why functions of a file have no names, or names that nothing proves: conditions, each said once.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/text.h"
#include "symbol/internal.h"

static bool is_said(struct symbol_conditions *c, const char *code, const char *object)
{
	const struct order_key none = { 0, 0, 0 };

	return condition_known(&c->ctx->conditions, code, object, &none);
}

void symbol_say_often(struct symbol_conditions *c, enum condition_weight weight, const char *code,
		      const char *object, u64 count, const char *hint, const char *text)
{
	pthread_mutex_lock(&c->lock);
	if (!c->renews || !is_said(c, code, object))
		condition_add(&c->ctx->conditions, weight, code, object, NULL, count, hint, "%s",
			      text);
	pthread_mutex_unlock(&c->lock);
}

void symbol_say(struct symbol_conditions *c, enum condition_weight weight, const char *code,
		const char *object, const char *hint, const char *text)
{
	symbol_say_often(c, weight, code, object, 1, hint, text);
}

/*
 * Explains that the object's file has gone. A running process keeps it, but only root may open one
 * without a name.
 */
static void explain_gone(struct symbol_conditions *c, const struct image *img)
{
	size_t n =
		strlen(img->path) - (str_ends(img->path, " (deleted)") ? strlen(" (deleted)") : 0);
	char *text =
		xasprintf("'%.*s' has been deleted or replaced since the process mapped it, so its "
			  "functions have no names",
			  (int)n, img->path);

	symbol_say(
		c, CONDITION_WARNING, "object-differs", img->path,
		geteuid()
			? "start the program again, or run perf as root, which can still read the "
			  "file"
			: "start the program again",
		text);
	free(text);
}

static void explain_missing_live(struct symbol_conditions *c, const struct image *img, int err,
				 const struct reason *r)
{
	if (err == -ESTALE || str_ends(img->path, " (deleted)"))
		explain_gone(c, img);
	else
		symbol_say(c, img->kind == IMAGE_ELF ? CONDITION_WARNING : CONDITION_NOTE,
			   "object-not-found", img->path,
			   r->hint ? r->hint : "use --symfs DIR or --debuginfod", r->text);
}

void explain_missing(struct symbol_conditions *c, const struct image *img, bool live, int err,
		     const struct reason *r)
{
	if (err == -ENOEXEC) /* data that was mapped: the address of a page fault, for instance */
		symbol_say(c, CONDITION_NOTE, "object-of-data", img->path, NULL, r->text);
	else if (live)
		explain_missing_live(c, img, err, r);
	else if (err == -ESTALE)
		symbol_say(c, CONDITION_WARNING, "object-differs", img->path,
			   "record with the build-id cache on, or install the version that was "
			   "recorded",
			   r->text);
	else
		symbol_say(
			c, img->kind == IMAGE_ELF ? CONDITION_WARNING : CONDITION_NOTE,
			"object-not-found", img->path,
			r->hint ? r->hint
				: "run 'perf archive' on the recording machine to take its files "
				  "along, or use --symfs DIR or --debuginfod",
			r->text);
}

/* Warns that nothing in the recording proves that this is the same file. */
void explain_path(struct symbol_conditions *c, const struct image *img,
		  const struct symbol_table *t)
{
	char *text = xasprintf("'%s' is used by its path, since no build-id of it was recorded; %s",
			       t->source,
			       img->ino ? "its device, inode and size do not contradict this"
					: "its size does not contradict this");

	symbol_say(c, CONDITION_NOTE, "object-by-path", img->path, NULL, text);
	free(text);
}

/* Explains that the file was found, but nothing in it has a name. */
void explain_nameless(struct symbol_conditions *c, const struct image *img,
		      const struct symbol_table *t)
{
	char *text = xasprintf("'%s' has no symbols", t->source);

	symbol_say(c, CONDITION_WARNING, "object-without-symbols", img->path,
		   "install its debug package (NAME-dbgsym), or allow debuginfod servers: "
		   "--debuginfod",
		   text);
	free(text);
}
