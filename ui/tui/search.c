// SPDX-License-Identifier: GPL-2.0-or-later
#include "ui/tui/search.h"

#include <string.h>

#include "ui/tui/menu.h"

void list_search_next(struct list_search *s, struct list *l)
{
	u64 count = l->ops->count(l->arg);
	struct strbuf text = STRBUF_INIT;
	bool found = false;

	if (!s->wanted.len) {
		list_say(l, "nothing to search for again: / searches");
		return;
	}
	for (u64 i = 1; i <= count && !found; i++) {
		u64 row = (l->at + i) % count;

		strbuf_clear(&text);
		s->row(s->arg, row, &text);
		found = strcasestr(strbuf_cstr(&text), strbuf_cstr(&s->wanted)) != NULL;
		if (found)
			list_select(l, row);
	}
	if (!found)
		list_say(l, "no line has '%s'", strbuf_cstr(&s->wanted));
	strbuf_release(&text);
}

void list_search_ask(struct list_search *s, struct list *l)
{
	struct strbuf answer = STRBUF_INIT;

	if (menu_ask("Search",
		     s->wanted.len
			     ? "Part of a line.\nENTER: search (nothing typed: the same again), "
			       "ESC: cancel"
			     : "Part of a line.\nENTER: search, ESC: cancel",
		     &answer) &&
	    (answer.len || s->wanted.len)) {
		if (answer.len) {
			strbuf_clear(&s->wanted);
			strbuf_str(&s->wanted, strbuf_cstr(&answer));
		}
		list_search_next(s, l);
	}
	strbuf_release(&answer);
}

void list_search_release(struct list_search *s)
{
	strbuf_release(&s->wanted);
}
