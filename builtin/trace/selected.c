// SPDX-License-Identifier: GPL-2.0-or-later
/* --path and --fd: the calls that name a path, or a descriptor. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "builtin/trace/process.h"

static bool path_matches(const char *pattern, const char *path)
{
	return path && (!strcmp(pattern, path) || glob_match(pattern, path));
}

static bool names_path(struct trace *t, struct trace_process *p, const struct syscall_call *s)
{
	for (u32 i = 0; i < s->call->arg_count; i++) {
		const struct syscall_arg *a = &s->call->args[i];
		bool found = false;

		if (a->kind == KIND_PATH && call_text(s, i)) {
			bool at = i && s->call->args[i - 1].kind == KIND_DIR;
			char *path = process_path(p, at ? (s32)s->args[i - 1] : CURRENT_DIRECTORY,
						  call_text(s, i));

			found = path_matches(t->o.path, path);
			free(path);
		} else if (a->kind == KIND_FD || a->kind == KIND_DIR) {
			struct trace_fd *f = fd_get(p, (s32)s->args[i], false);

			found = f && path_matches(t->o.path, f->name);
		}
		if (found)
			return true;
	}
	return false;
}

static bool names_fd(const struct trace *t, const struct syscall_call *s)
{
	struct strlist list = { 0 };
	bool found = false;

	strlist_split(&list, t->o.fds, ",");
	vec_for_each(&list.list, text)
		for (u32 i = 0; i < s->call->arg_count; i++) {
			u8 kind = s->call->args[i].kind;

			if ((kind == KIND_FD || kind == KIND_DIR) && (s32)s->args[i] == atoi(*text))
				found = true;
		}
	vec_for_each(&list.list, text)
		found |= s->ended && s->call->result == RESULT_FD && s->result == atoi(*text);
	strlist_release(&list);
	return found;
}

bool process_matches(struct trace *t, const struct trace_call *c, const struct syscall_call *s)
{
	if (t->o.path && !names_path(t, process_get(t, c->pid), s))
		return false;
	return !t->o.fds || names_fd(t, s);
}
