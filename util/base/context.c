// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/context.h"

#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "base/strbuf.h"

unsigned context_workers(const struct context *ctx)
{
	static atomic_uint online; /* 0: nobody has asked yet */
	unsigned n =
		ctx->workers ? ctx->workers : atomic_load_explicit(&online, memory_order_relaxed);

	if (!n) {
		n = (unsigned)MAX(sysconf(_SC_NPROCESSORS_ONLN), 1L);
		atomic_store_explicit(&online, n, memory_order_relaxed);
	}
	return n;
}

static int str_cmp(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static struct condition *find(struct condition_list *l, const char *code, const char *object)
{
	vec_for_each(&l->list, c)
		if (!strcmp(c->code, code) && !str_cmp(c->object, object))
			return c;
	return NULL;
}

static void condition_release(struct condition *c)
{
	free(c->object);
	free(c->text);
	free(c->hint);
}

/*
 * Adds conditions of another list. The text is that of the first by key, in any order of workers.
 */
static void merge_into(struct condition *c, struct condition *more)
{
	u64 count = c->count + more->count;
	struct condition other = *more;

	if (order_key_cmp(&more->first, &c->first) < 0) {
		other = *c;
		*c = *more;
	}
	c->count = count;
	condition_release(&other);
}

bool condition_known(struct condition_list *l, const char *code, const char *object,
		     const struct order_key *first)
{
	struct condition *c;
	bool known;

	pthread_mutex_lock(&l->lock);
	c = find(l, code, object);
	known = c && !order_key_cmp(first, &c->first);
	pthread_mutex_unlock(&l->lock);
	return known;
}

void condition_add(struct condition_list *l, enum condition_weight weight, const char *code,
		   const char *object, const struct order_key *first, u64 count, const char *hint,
		   const char *fmt, ...)
{
	struct condition *c;
	struct strbuf text = STRBUF_INIT;
	struct condition added;
	bool others;
	va_list ap;

	pthread_mutex_lock(&l->lock);
	c = find(l, code, object);
	others = !c && object && l->list.count >= CONDITIONS_MAX;
	if (others) {
		object = NULL;
		c = find(l, code, NULL);
	}
	if (c && (!first || order_key_cmp(first, &c->first) >= 0)) {
		c->count += count;
		pthread_mutex_unlock(&l->lock);
		return;
	}
	va_start(ap, fmt);
	strbuf_vf(&text, fmt, ap);
	va_end(ap);
	if (others)
		strbuf_str(&text, ", and others");
	added = (struct condition){
		.code = code,
		.object = object ? xstrdup(object) : NULL,
		.text = strbuf_detach(&text),
		.hint = hint ? xstrdup(hint) : NULL,
		.weight = weight,
		.count = count,
		.first = first ? *first : (struct order_key){ 0, 0, 0 },
	};
	if (c)
		merge_into(c, &added);
	else
		vec_push(&l->list, added);
	pthread_mutex_unlock(&l->lock);
}

void condition_list_merge(struct condition_list *dst, struct condition_list *src)
{
	pthread_mutex_lock(&dst->lock);
	vec_for_each(&src->list, c) {
		struct condition *old = find(dst, c->code, c->object);

		if (old)
			merge_into(old, c);
		else
			vec_push(&dst->list, *c);
	}
	pthread_mutex_unlock(&dst->lock);
	vec_release(&src->list);
}

static int by_first(const void *pa, const void *pb)
{
	const struct condition *a = pa, *b = pb;
	int d = order_key_cmp(&a->first, &b->first);

	if (!d)
		d = strcmp(a->code, b->code);
	return d ? d : str_cmp(a->object, b->object);
}

void condition_list_sort(struct condition_list *l)
{
	vec_sort(&l->list, by_first);
}

bool condition_list_damaged(const struct condition_list *l)
{
	vec_for_each(&l->list, c)
		if (c->weight == CONDITION_DAMAGE)
			return true;
	return false;
}

void condition_list_release(struct condition_list *l)
{
	vec_for_each(&l->list, c)
		condition_release(c);
	vec_release(&l->list);
}
