// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/config.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/out.h"
#include "base/replace.h"
#include "base/text.h"
#include "base/trusted.h"

enum { CONFIG_MAX = 1 << 20 }; /* bytes; a larger file is a mistake */

struct parser {
	const char *text;
	size_t pos;
	unsigned line;
	struct strbuf section;
	struct config *config;
};

static int peek(const struct parser *p)
{
	return (unsigned char)p->text[p->pos];
}

static int next(struct parser *p)
{
	int c = peek(p);

	if (c) {
		p->pos++;
		p->line += c == '\n';
	}
	return c;
}

static void skip_blanks(struct parser *p)
{
	while (peek(p) == ' ' || peek(p) == '\t' || peek(p) == '\r')
		next(p);
}

static void skip_line(struct parser *p)
{
	while (peek(p) && peek(p) != '\n')
		next(p);
}

static void add_lower(struct strbuf *b, int c)
{
	strbuf_char(b, (char)tolower(c));
}

/* Parses [name] or [name "sub"], which is name.sub. */
static bool parse_section(struct parser *p)
{
	bool quoted = false;

	next(p);
	strbuf_clear(&p->section);
	for (int c = next(p); c && c != '\n'; c = next(p)) {
		if (c == ']' && !quoted)
			return p->section.len > 0;
		if (c == '"') {
			quoted = !quoted;
			continue;
		}
		if (c == '\\' && quoted)
			c = next(p);
		if (!quoted && (c == ' ' || c == '\t'))
			c = '.';
		add_lower(&p->section, c);
	}
	return false;
}

static int unescape(int c)
{
	switch (c) {
	case 'n':
		return '\n';
	case 't':
		return '\t';
	case 'b':
		return '\b';
	case '"':
	case '\\':
		return c;
	default:
		return -1;
	}
}

/* Parses a value up to the end of the line. Spaces outside quotes are trimmed at the end. */
static bool parse_value(struct parser *p, struct strbuf *value)
{
	bool quoted = false;
	size_t keep = 0;

	skip_blanks(p);
	while (peek(p) && peek(p) != '\n') {
		int c = next(p);

		if (!quoted && (c == ';' || c == '#')) {
			skip_line(p);
			break;
		}
		if (c == '"') {
			quoted = !quoted;
			keep = value->len;
			continue;
		}
		if (c == '\\') {
			c = next(p);
			if (c == '\n')
				continue;
			c = unescape(c);
			if (c < 0)
				return false;
			strbuf_char(value, (char)c);
			keep = value->len;
			continue;
		}
		strbuf_char(value, (char)c);
		if (quoted || !isspace(c))
			keep = value->len;
	}
	if (value->s)
		strbuf_truncate(value, keep);
	return !quoted;
}

static bool parse_entry(struct parser *p)
{
	struct strbuf name = STRBUF_INIT, value = STRBUF_INIT;
	size_t start = p->pos;
	bool ok = p->section.len > 0;

	strbuf_f(&name, "%s.", strbuf_cstr(&p->section));
	while (isalnum(peek(p)) || peek(p) == '-' || peek(p) == '_' || peek(p) == '.')
		add_lower(&name, next(p));
	ok = ok && p->pos > start;
	skip_blanks(p);
	if (peek(p) == '=') {
		next(p);
		ok = ok && parse_value(p, &value);
	} else if (!peek(p) || peek(p) == '\n' || peek(p) == '#' || peek(p) == ';') {
		strbuf_str(&value, "true");
		skip_line(p);
	} else {
		ok = false;
	}
	if (ok)
		vec_push(&p->config->entries, (struct config_entry){
						      .name = strbuf_detach(&name),
						      .value = strbuf_detach(&value),
						      .start = start,
						      .end = p->pos,
					      });
	strbuf_release(&name);
	strbuf_release(&value);
	return ok;
}

int config_parse(struct config *c, const char *name, const char *text, struct reason *r)
{
	struct parser p = { .text = text, .line = 1, .config = c };
	int err = 0;

	while (peek(&p)) {
		unsigned line = p.line;
		int ch = peek(&p);
		bool ok = true;

		if (ch == '#' || ch == ';')
			skip_line(&p);
		else if (ch == '[')
			ok = parse_section(&p);
		else if (isspace(ch))
			next(&p);
		else
			ok = parse_entry(&p);
		if (!ok) {
			if (!err)
				err = reason_set(r, EINVAL, "line %u of '%s' is not a setting",
						 line, name);
			skip_line(&p);
		}
	}
	strbuf_release(&p.section);
	return err;
}

char *config_path(enum config_scope scope)
{
	const char *own = getenv("PERF_CONFIG");
	const char *home = getenv("HOME");

	if (own)
		return xstrdup(own);
	if (scope == CONFIG_SYSTEM)
		return xstrdup("/etc/perfconfig");
	return home && *home ? xasprintf("%s/.perfconfig", home) : NULL;
}

/*
 * Refuses a file of others. Settings name programs that perf runs: only the caller and root may
 * choose those in our home.
 */
static int check_trusted(const char *path, int fd, enum config_scope scope, struct reason *r)
{
	struct stat st;

	if (scope == CONFIG_SYSTEM || getenv("PERF_CONFIG"))
		return 0;
	if (fstat(fd, &st))
		return reason_errno(r, errno, "cannot read '%s'", path);
	if (st.st_uid && st.st_uid != geteuid())
		return reason_set(r, EPERM, "'%s' belongs to another user and is not read", path);
	if (!others_may_write(&st))
		return 0;
	reason_set(r, EPERM, "'%s' can be written by other users and is not read", path);
	reason_hint(r, "chmod go-w '%s'", path);
	return -EPERM;
}

/* Reads a file. The caller frees *text; if there is no such file, that is NULL and the result 0. */
static int read_text(const char *path, enum config_scope scope, char **text, struct reason *r)
{
	int fd = file_open(path, r);
	ssize_t n;
	int err;

	*text = NULL;
	if (fd == -ENOENT || fd == -ENOTDIR || fd == -EACCES) {
		reason_release(r);
		return 0;
	}
	if (fd < 0)
		return fd;
	err = check_trusted(path, fd, scope, r);
	if (err) {
		close(fd);
		return err;
	}
	*text = xmalloc(CONFIG_MAX);
	n = read_all(fd, *text, CONFIG_MAX);
	close(fd);
	if (n < 0)
		n = reason_errno(r, (int)-n, "cannot read '%s'", path);
	else if (n == CONFIG_MAX)
		n = reason_set(r, EFBIG, "'%s' is too large for a list of settings", path);
	if (n < 0) {
		free(*text);
		*text = NULL;
		return (int)n;
	}
	(*text)[n] = '\0';
	return 0;
}

static int load_one(struct config *c, enum config_scope scope, struct reason *r)
{
	char *path = config_path(scope);
	char *text = NULL;
	int err = 0;

	if (path)
		err = read_text(path, scope, &text, r);
	if (text)
		err = config_parse(c, path, text, r);
	free(text);
	free(path);
	return err;
}

int config_load(struct config *c, unsigned scopes, struct reason *r)
{
	bool same = getenv("PERF_CONFIG");
	int err = 0;

	if ((scopes & CONFIG_SYSTEM) && !same)
		err = load_one(c, CONFIG_SYSTEM, r);
	if ((scopes & CONFIG_USER) || same) {
		int e = load_one(c, CONFIG_USER, err ? NULL : r);

		err = err ? err : e;
	}
	return err;
}

void config_release(struct config *c)
{
	vec_for_each(&c->entries, e) {
		free(e->name);
		free(e->value);
	}
	vec_release(&c->entries);
}

const char *config_find(const struct config *c, const char *name)
{
	for (size_t i = c ? c->entries.count : 0; i-- > 0;)
		if (!strcasecmp(c->entries.items[i].name, name))
			return c->entries.items[i].value;
	return NULL;
}

const char *config_get(const struct context *ctx, const char *name)
{
	return config_find(ctx->config, name);
}

bool config_parse_bool(const char *text, bool *v)
{
	static const char *const words[2][4] = {
		{ "false", "no", "off", "0" },
		{ "true", "yes", "on", "1" },
	};

	for (int on = 0; on < 2; on++)
		for (size_t i = 0; i < ARRAY_SIZE(words[on]); i++)
			if (!strcasecmp(text, words[on][i])) {
				*v = on;
				return true;
			}
	return false;
}

bool config_bool(const struct context *ctx, const char *name, bool def)
{
	const char *text = config_get(ctx, name);
	bool v;

	return text && config_parse_bool(text, &v) ? v : def;
}

u64 config_u64(const struct context *ctx, const char *name, u64 def)
{
	const char *v = config_get(ctx, name);
	u64 n;

	return v && !parse_count(v, &n) ? n : def;
}

static void add_quoted(struct strbuf *b, const char *v)
{
	bool quote = !*v || isspace((unsigned char)*v) ||
		     isspace((unsigned char)v[strlen(v) - 1]) || strpbrk(v, ";#\"\\\n");

	if (quote)
		strbuf_char(b, '"');
	for (; *v; v++) {
		if (*v == '"' || *v == '\\')
			strbuf_char(b, '\\');
		if (*v == '\n')
			strbuf_str(b, "\\n");
		else
			strbuf_char(b, *v);
	}
	if (quote)
		strbuf_char(b, '"');
}

/* Adds text with the setting put where it belongs. */
static void edit(struct strbuf *out, const char *text, const struct config *c, const char *name,
		 const char *value)
{
	size_t section_len = (size_t)(strrchr(name, '.') - name);
	const struct config_entry *same = NULL, *beside = NULL;
	size_t from = strlen(text), to = from;

	vec_for_each(&c->entries, e) {
		if (!strcasecmp(e->name, name))
			same = e;
		if (!strncasecmp(e->name, name, section_len + 1) &&
		    !strchr(e->name + section_len + 1, '.'))
			beside = e;
	}
	if (same) {
		from = same->start;
		to = same->end;
	} else if (beside) {
		from = to = beside->end;
	}
	strbuf_add(out, text, from);
	if (!same && out->len && out->s[out->len - 1] != '\n')
		strbuf_char(out, '\n');
	if (!same && !beside)
		strbuf_f(out, "[%.*s]\n", (int)section_len, name);
	strbuf_f(out, "%s%s = ", same ? "" : "\t", name + section_len + 1);
	add_quoted(out, value);
	strbuf_str(out, text[to] == '\n' ? text + to : "\n");
}

/* Reads the file at path, which may be missing, into *text and c; the caller frees both. */
static int read_settings(const char *path, char **text, struct config *c, struct reason *r)
{
	int err = read_text(path, CONFIG_SYSTEM, text, r);

	return err || !*text ? err : config_parse(c, path, *text, r);
}

bool config_can_write(const char *name)
{
	struct config none = { VEC_INIT }, c = { VEC_INIT };
	struct strbuf text = STRBUF_INIT;
	bool same;

	edit(&text, "", &none, name, "1");
	same = !config_parse(&c, "", strbuf_cstr(&text), NULL) && c.entries.count == 1 &&
	       !strcmp(c.entries.items[0].name, name) && !strcmp(c.entries.items[0].value, "1");
	config_release(&c);
	strbuf_release(&text);
	return same;
}

int config_write(const char *path, const char *name, const char *value, struct reason *r)
{
	struct config c = { VEC_INIT };
	struct strbuf out = STRBUF_INIT;
	char *text;
	int err = read_settings(path, &text, &c, r);

	if (!err) {
		edit(&out, text ? text : "", &c, name, value);
		err = replace_text(path, strbuf_cstr(&out), out.len, 0644, REPLACE_ANY, r);
	}
	strbuf_release(&out);
	config_release(&c);
	free(text);
	return err;
}

/*
 * Cuts the heading of a section off if only that ends here, with nothing but another section after
 * it.
 */
static void drop_empty_section(struct strbuf *out, const char *rest)
{
	size_t end = out->len, start;

	while (isspace((unsigned char)*rest))
		rest++;
	while (end && isspace((unsigned char)out->s[end - 1]))
		end--;
	for (start = end; start && out->s[start - 1] != '\n';)
		start--;
	if ((!*rest || *rest == '[') && end > start && out->s[start] == '[' &&
	    out->s[end - 1] == ']')
		strbuf_truncate(out, start);
}

/*
 * Appends text up to the entry, without the spaces before it; returns what is left after its line.
 */
static const char *cut_entry(struct strbuf *out, const char *text, const struct config_entry *e,
			     size_t from)
{
	const char *rest = text + e->end;
	size_t start = e->start;

	while (start > from && (text[start - 1] == ' ' || text[start - 1] == '\t'))
		start--;
	strbuf_add(out, text + from, start - from);
	if (*rest == '\n' && (!start || text[start - 1] == '\n'))
		rest++;
	drop_empty_section(out, rest);
	return rest;
}

static bool names_entry(const struct strlist *names, const struct config_entry *e)
{
	vec_for_each(&names->list, name)
		if (!strcasecmp(e->name, *name))
			return true;
	return false;
}

int config_unset(const char *path, const struct strlist *names, struct reason *r)
{
	struct config c = { VEC_INIT };
	struct strbuf out = STRBUF_INIT;
	char *text;
	size_t from = 0;
	int err = read_settings(path, &text, &c, r);

	vec_for_each(&names->list, name)
		if (!err && !config_find(&c, *name))
			err = reason_set(r, ENOENT, "'%s' does not set '%s'", path, *name);
	if (!err) {
		vec_for_each(&c.entries, e)
			if (names_entry(names, e))
				from = (size_t)(cut_entry(&out, text, e, from) - text);
		strbuf_str(&out, text + from);
		err = replace_text(path, strbuf_cstr(&out), out.len, 0644, REPLACE_ANY, r);
	}
	strbuf_release(&out);
	config_release(&c);
	free(text);
	return err;
}
