// SPDX-License-Identifier: GPL-2.0-or-later
/* What the configuration says of the daemon: its base and its sessions. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "base/words.h"
#include "builtin/daemon/internal.h"
#include "cli/config.h"
#include "sys/sys.h"

static int load(const struct daemon_settings *s, struct config *c, struct reason *r)
{
	struct strbuf text = STRBUF_INIT;
	int err, fd;

	if (!s->config)
		return config_load(c, CONFIG_SYSTEM | CONFIG_USER, r);
	/* opened without waiting for the writer of a FIFO, which is refused */
	fd = file_open(s->config, r);
	err = fd < 0 ? fd : 0;
	if (!err)
		err = sys_read(NULL, &text, s->config);
	if (fd >= 0)
		close(fd);
	if (err && err != -EINVAL)
		reason_errno(r, -err, "cannot read the configuration '%s'", s->config);
	else if (!err)
		err = config_parse(c, s->config, strbuf_cstr(&text), r);
	strbuf_release(&text);
	return err;
}

static void set_session(struct wanted *w, const char *name, size_t len, const char *run)
{
	struct wanted_session new;

	vec_for_each(&w->sessions, it) {
		if (strlen(it->name) == len && !strncmp(it->name, name, len)) {
			free(it->run);
			it->run = xstrdup(run);
			return;
		}
	}
	new = (struct wanted_session){ xstrndup(name, len), xstrdup(run) };
	vec_push(&w->sessions, new);
}

/* Checks a session's name, which becomes part of paths and requests. */
static int check_name(const char *name, size_t len, struct reason *r)
{
	if (len && len < sizeof(((struct request *)0)->ping) && !memchr(name, '/', len) &&
	    !(len == 3 && !strncmp(name, "all", 3)))
		return 0;
	return reason_set(r, EINVAL, "'%.*s' cannot be the name of a session: %s", (int)len, name,
			  !len        ? "it is empty"
			  : len >= 64 ? "it is longer than 63 letters"
			  : len == 3  ? "it means every session"
				      : "it has a slash");
}

static int check_run(const char *name, size_t len, const char *run, struct reason *r)
{
	struct strlist words = { VEC_INIT };
	int err = shell_words(&words, run);

	strlist_release(&words);
	return err ? reason_set(r, EINVAL, "session '%.*s': a quote is not closed: %s", (int)len,
				name, run)
		   : 0;
}

static void set_base(struct wanted *w, const struct config_entry *e)
{
	if (strcmp(e->name, "daemon.base") != 0)
		return;
	free(w->base);
	w->base = xstrdup(e->value);
}

static int add_session(struct wanted *w, const struct config_entry *e, struct reason *r)
{
	const char *name, *end;

	if (!str_starts(e->name, "session-") || !str_ends(e->name, ".run"))
		return 0;
	name = e->name + strlen("session-");
	end = e->name + strlen(e->name) - strlen(".run");
	if (check_name(name, (size_t)(end - name), r) ||
	    check_run(name, (size_t)(end - name), e->value, r))
		return -EINVAL;
	set_session(w, name, (size_t)(end - name), e->value);
	return 0;
}

int wanted_read(const struct daemon_settings *s, struct wanted *w, struct reason *r)
{
	struct config c = { VEC_INIT };
	int err = load(s, &c, r);

	vec_for_each(&c.entries, e) {
		set_base(w, e);
		if (!err)
			err = add_session(w, e, r);
	}
	/* those of the usual files were reported when these were read first */
	if (w->warns && s->config)
		config_say_unknown(&c);
	config_release(&c);
	return err;
}

void wanted_release(struct wanted *w)
{
	vec_for_each(&w->sessions, it) {
		free(it->name);
		free(it->run);
	}
	vec_release(&w->sessions);
	free(w->base);
}

char *daemon_base(const struct daemon_settings *s, const struct wanted *w, struct reason *r)
{
	const char *base = s->base ? s->base : w->base;
	char *real;
	struct stat st;

	if (!base) {
		reason_set(r, ENOENT, "the daemon has no base directory");
		reason_hint(r, "name one with --base, or as daemon.base in the configuration");
		return NULL;
	}
	real = realpath(base, NULL);
	if (!real || stat(real, &st)) {
		reason_errno(r, errno, "cannot use the base '%s'", base);
		if (errno == ENOENT)
			reason_hint(r, "mkdir -p makes it");
	} else if (!S_ISDIR(st.st_mode)) {
		reason_set(r, ENOTDIR, "the base '%s' is not a directory", base);
	} else {
		return real;
	}
	free(real);
	return NULL;
}
