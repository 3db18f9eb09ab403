// SPDX-License-Identifier: GPL-2.0-or-later
/* perf script -l */
#include "builtin/script/engine_list.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "base/vec.h"
#include "builtin/script/engine_internal.h"
#include "cli/say.h"

static char *after(const char *line, const char *word)
{
	const char *p = strstr(line, word);
	size_t n;

	if (!p || *line != '#')
		return NULL;
	p += strlen(word);
	p += strspn(p, " \t");
	n = strcspn(p, "\n");
	while (n && (p[n - 1] == ' ' || p[n - 1] == '\t'))
		n--;
	return xstrndup(p, n);
}

void engine_about_read(struct engine_about *a, const char *path)
{
	FILE *f = file_stream(path, NULL);
	char line[1024];

	*a = (struct engine_about){ NULL, NULL, NULL };
	while (f && fgets(line, sizeof(line), f)) {
		if (!a->purpose)
			a->purpose = after(line, "description:");
		if (!a->args)
			a->args = after(line, "args:");
		if (!a->recorder)
			a->recorder = after(line, "recorder:");
	}
	if (f)
		fclose(f);
	if (!a->purpose)
		a->purpose = xstrdup("");
	if (!a->args)
		a->args = xstrdup("");
	if (!a->recorder)
		a->recorder = xstrdup("");
}

void engine_about_release(struct engine_about *a)
{
	free(a->purpose);
	free(a->args);
	free(a->recorder);
}

unsigned engine_about_required(const struct engine_about *a)
{
	unsigned n = 0;

	for (const char *p = a->args; (p = strchr(p, '<')); p++)
		n++;
	return n;
}

struct listed {
	char *name; /* with its arguments */
	char *purpose;
};
typedef VEC(struct listed) listed_scripts;

static void add_scripts(listed_scripts *list, const char *dir)
{
	static const char suffix[] = "-report";
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		size_t len = strlen(e->d_name), cut = sizeof(suffix) - 1;
		struct engine_about about;
		char *path;

		if (len <= cut || strcmp(e->d_name + len - cut, suffix))
			continue;
		path = xasprintf("%s/%s", dir, e->d_name);
		engine_about_read(&about, path);
		vec_push(list, (struct listed){ xasprintf("%.*s%s%s", (int)(len - cut), e->d_name,
							  *about.args ? " " : "", about.args),
						xstrdup(about.purpose) });
		engine_about_release(&about);
		free(path);
	}
	if (d)
		closedir(d);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct listed *)a)->name, ((const struct listed *)b)->name);
}

static void print_list(listed_scripts *list)
{
	struct strbuf b = STRBUF_INIT;

	vec_sort(list, by_name);
	printf("List of available trace scripts:\n");
	vec_for_each(list, s) {
		strbuf_clear(&b);
		strbuf_str(&b, "  ");
		strbuf_printable(&b, s->name);
		strbuf_pad(&b, ' ', 39 - (int)b.len);
		strbuf_char(&b, ' ');
		strbuf_printable(&b, s->purpose);
		puts(strbuf_cstr(&b));
		free(s->name);
		free(s->purpose);
	}
	strbuf_release(&b);
}

int engine_list(const char *exec_path)
{
	listed_scripts list = VEC_INIT;

	for (const struct engine_language *l = engine_languages; l->name; l++) {
		char *dir = xasprintf("%s/scripts/%s/bin", exec_path, l->name);

		add_scripts(&list, dir);
		free(dir);
	}
	if (!list.count) {
		say_error("there are no scripts in '%s/scripts'", exec_path);
		say_hint("PERF_EXEC_PATH names the directory that holds scripts/python and "
			 "scripts/perl");
		return 1;
	}
	print_list(&list);
	vec_release(&list);
	return 0;
}
