// SPDX-License-Identifier: GPL-2.0-or-later
/* perf kvm stat report on the terminal: the table, sorted by any of its columns. */
#include <inttypes.h>
#include <string.h>

#include "builtin/kvm/internal.h"
#include "ui/tui/keys.h"
#include "ui/tui/list.h"
#include "ui/tui/menu.h"
#include "ui/tui/screen.h"
#include "ui/tui/search.h"

struct page {
	struct kvm_exits *e;
	const char *whose;
	enum kvm_sort by;
	struct list list;
	struct list_search search;
	bool left;
};

static void title(void *arg, struct strbuf *b)
{
	static const char *const sorted[] = {
		[KVM_SORT_SAMPLES] = "samples",   [KVM_SORT_MEAN] = "average time",
		[KVM_SORT_TIME] = "total time",   [KVM_SORT_MIN] = "least time",
		[KVM_SORT_MAX] = "greatest time",
	};
	const struct page *p = arg;

	strbuf_f(b, "Analyze events for %s, ", p->whose);
	if (p->e->vcpu < 0)
		strbuf_str(b, "all VCPUs");
	else
		strbuf_f(b, "VCPU %d", p->e->vcpu);
	strbuf_f(b, "     (%" PRIu64 " samples, %.2fus, sorted by %s)", p->e->count,
		 (double)p->e->time / 1000, sorted[p->by]);
}

static void head(void *arg, struct strbuf *b)
{
	const struct page *p = arg;

	kvm_head(p->e, b);
}

static u64 row_count(void *arg)
{
	return ((const struct page *)arg)->e->rows.count;
}

static void row_text(void *arg, u64 row, struct strbuf *b)
{
	const struct page *p = arg;

	kvm_row(p->e, &p->e->rows.items[row], b);
}

static void draw(void *arg, const struct list *l, u64 first, u64 n)
{
	struct strbuf b = STRBUF_INIT;

	for (u64 i = first; i < first + n; i++) {
		strbuf_clear(&b);
		row_text(arg, i, &b);
		list_row(l, i, &b);
	}
	strbuf_release(&b);
}

/* Sorts the rows and keeps the same row selected. */
static void sort_by(void *arg, int key)
{
	static const struct {
		int key;
		enum kvm_sort by;
	} sorts[] = {
		{ 's', KVM_SORT_SAMPLES }, { 't', KVM_SORT_TIME }, { 'a', KVM_SORT_MEAN },
		{ 'm', KVM_SORT_MIN },     { 'x', KVM_SORT_MAX },
	};
	struct page *p = arg;
	struct kvm_reason at;

	for (size_t i = 0; i < ARRAY_SIZE(sorts); i++)
		if (sorts[i].key == key)
			p->by = sorts[i].by;
	if (!p->e->rows.count)
		return;
	at = p->e->rows.items[p->list.at];
	exits_sort(p->e, p->by);
	for (size_t i = 0; i < p->e->rows.count; i++)
		if (p->e->rows.items[i].code == at.code && p->e->rows.items[i].info == at.info)
			list_select(&p->list, i);
}

static void search(void *arg, int key)
{
	struct page *p = arg;

	if (key == 'n')
		list_search_next(&p->search, &p->list);
	else
		list_search_ask(&p->search, &p->list);
}

static void leave(void *arg, int key)
{
	(void)key;
	((struct page *)arg)->left = true;
}

static void show_help(void *arg, int key);

static const struct key_row keys[] = {
	KEYS_OF_LIST("Rows"),
	{ { '/', KEY_CTRL('s') }, "search for a part of a row", NULL, NULL, search },
	{ { 'n' }, "the next row that has it", NULL, NULL, search },
	{ { 's' }, "sort by samples", "Order", NULL, sort_by },
	{ { 't' }, "by total time", NULL, NULL, sort_by },
	{ { 'a' }, "by average time", NULL, NULL, sort_by },
	{ { 'm' }, "by the least time", NULL, NULL, sort_by },
	{ { 'x' }, "by the greatest time", NULL, NULL, sort_by },
	{ { '?', 'h', KEY_F1 }, "this help", "Other", NULL, show_help },
	{ { 'q', KEY_ESC, KEY_CTRL('c'), KEY_GONE }, "quit", NULL, NULL, leave },
};

static void show_help(void *arg, int key)
{
	(void)key;
	menu_keys(keys, ARRAY_SIZE(keys), arg);
}

void kvm_browse(struct kvm_exits *e, const char *whose, enum kvm_sort by)
{
	static const struct list_ops ops = {
		.title = title, .head = head, .count = row_count, .draw = draw
	};
	struct page p = { .e = e, .whose = whose, .by = by };

	p.list = (struct list){ .ops = &ops,
				.arg = &p,
				.status = "? help  s t a m x sort  / search  q quit" };
	p.search = (struct list_search){ .row = row_text, .arg = &p };
	while (!p.left) {
		int key = list_key(&p.list);
		const struct key_row *row = keys_find(keys, ARRAY_SIZE(keys), key, &p);

		if (row && row->run)
			row->run(&p, key);
	}
	list_search_release(&p.search);
	list_release(&p.list);
}
