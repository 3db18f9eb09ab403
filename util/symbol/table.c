// SPDX-License-Identifier: GPL-2.0-or-later
/* From found symbols to one sorted, immutable table, and look-ups in it. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/search.h"
#include "base/self_profile.h"
#include "base/text.h"
#include "object/elf.h"
#include "symbol/dwarf.h"
#include "symbol/internal.h"

#define PAGE 4096ULL

struct symbol_table *symbol_table_new(void)
{
	struct symbol_table *t = xcalloc(1, sizeof(*t));

	pthread_mutex_init(&t->lock, NULL);
	t->naming = &t->lock;
	t->origin = '!';
	return t;
}

void symbol_table_free(struct symbol_table *t)
{
	if (!t)
		return;
	symbol_table_free(t->before);
	symbol_table_free(t->ranges);
	symbol_ranges_release(t);
	for (u32 i = 0; i < t->count && !t->borrowed; i++)
		if (t->symbols[i].name_state == NAME_DEMANGLED)
			free((char *)t->symbols[i].name);
	if (!t->borrowed)
		free(t->symbols);
	vec_release(&t->outer);
	free(t->buckets);
	free(t->by_name);
	free(t->source);
	free(t->files.object);
	free(t->files.debug.link);
	free(t->text);
	elf_close(t->elf);
	elf_close(t->debug_elf);
	arena_release(&t->names);
	pthread_mutex_destroy(&t->lock);
	free(t);
}

void symbol_table_let_pages_go(struct symbol_table *t)
{
	if (!atomic_exchange(&t->names_read, 0))
		return;
	elf_let_pages_go(t->elf);
	elf_let_pages_go(t->debug_elf);
	if (t->list)
		kallsyms_let_pages_go(t->list);
}

/*
 * Counts a name that is read, and lets pages go after many. The kernel maps 16 pages around each
 * name: 64 KB, of which 30 bytes are wanted. A live session reads few names at a time. Another one
 * may read all of a list, so it lets pages go less and less often: most of them would be mapped
 * again for the next names.
 */
static void count_name(struct symbol_table *t)
{
	enum { MANY = 64 };
	unsigned went = atomic_load_explicit(&t->pages_went, memory_order_relaxed);
	unsigned many = MANY << (t->copies_names ? 0 : MIN(went, 20U));

	if ((!t->copies_names && !t->list) || atomic_fetch_add(&t->names_read, 1) < many)
		return;
	/* once, of the threads that get here together */
	atomic_compare_exchange_strong(&t->pages_went, &went, went + 1);
	symbol_table_let_pages_go(t);
}

static u64 start_of(const void *symbol)
{
	return ((const struct symbol *)symbol)->start;
}

/* Sorts the list. Equal starts keep the order in which they were found. */
void symbol_list_sort(struct symbol_list *l)
{
	sort_by_key(l->list.items, sizeof(*l->list.items), l->list.count, start_of);
}

void symbol_list_extend_ends(struct symbol_list *l)
{
	struct symbol *s = l->list.items;
	size_t n = l->list.count;

	for (size_t i = 0; i < n; i++) {
		if (s[i].size)
			continue;
		if (i + 1 < n)
			s[i].size = MIN(s[i + 1].start - s[i].start, SYMBOL_MOST_SIZE);
		else
			symbol_set_end(&s[i], MAX(ALIGN_UP(s[i].start, PAGE) + PAGE, s[i].start));
	}
}

static size_t leading_underscores(const char *name)
{
	return strspn(name, "_");
}

/* Reports whether a is the better name of the two at one address. */
static bool symbol_is_better(const struct symbol *a, const struct symbol *b)
{
	bool a_sized = a->size > 0, b_sized = b->size > 0;
	size_t na, nb;

	if (a_sized != b_sized)
		return a_sized;
	if ((a->binding == STB_WEAK) != (b->binding == STB_WEAK))
		return b->binding == STB_WEAK;
	if ((a->binding == STB_GLOBAL) != (b->binding == STB_GLOBAL))
		return a->binding == STB_GLOBAL;
	na = leading_underscores(a->name);
	nb = leading_underscores(b->name);
	if (na != nb)
		return na < nb;
	na = strlen(a->name);
	nb = strlen(b->name);
	if (na != nb)
		return na > nb;
	/* "SyS_read" is an alias that old kernels made of "sys_read" */
	return strncmp(a->name, "SyS", 3) && strncmp(a->name, "compat_SyS", 10);
}

static bool is_settled(u8 state)
{
	return state == NAME_FINAL || state == NAME_DEMANGLED;
}

/* Returns the name to show. Never NULL: the line goes on after the name. */
static char *shown_line(const char *line, u8 state, bool params)
{
	char *name = xstrndup(line, kallsyms_name_length(line));
	char *shown = state == NAME_LINE ? NULL : symbol_demangle(name, params);

	if (!shown)
		return name;
	free(name);
	return shown;
}

/*
 * Returns the name to show instead of a raw one that is not settled, which the caller frees, or
 * NULL if the raw one is shown.
 */
static char *shown_name(const char *raw, u8 state, bool params)
{
	char *shown, *stub;

	if (state == NAME_LINE || state == NAME_MANGLED_LINE)
		return shown_line(raw, state, params);
	shown = state == NAME_STUB ? NULL : symbol_demangle(raw, params);
	if (state == NAME_MANGLED)
		return shown;
	stub = xasprintf("%s@plt", shown ? shown : raw);
	free(shown);
	return stub;
}

/*
 * Settles a name for comparing: names are compared as they are shown. One that is shown unchanged
 * may still have to be copied.
 */
static void settle_name(struct symbol *s, bool params)
{
	char *shown;

	if (is_settled(s->name_state))
		return;
	shown = shown_name(s->name, s->name_state, params);
	if (!shown)
		return;
	s->name_state = NAME_DEMANGLED;
	s->name = shown;
}

static void drop(struct symbol *s)
{
	if (s->name_state == NAME_DEMANGLED)
		free((char *)s->name);
}

void symbol_list_drop_duplicates(struct symbol_list *l, bool params)
{
	struct symbol *s = l->list.items;
	size_t kept = 0;

	for (size_t i = 1; i < l->list.count; i++) {
		struct symbol *best = &s[kept];

		if (s[i].start != best->start) {
			s[++kept] = s[i];
			continue;
		}
		/* .dynsym and .symtab list most symbols alike */
		if (strcmp(best->name, s[i].name) || best->is_plt != s[i].is_plt) {
			settle_name(best, params);
			settle_name(&s[i], params);
		}
		if (symbol_is_better(best, &s[i])) {
			best->ifunc |= s[i].ifunc;
			drop(&s[i]);
		} else {
			s[i].ifunc |= best->ifunc;
			drop(best);
			*best = s[i];
		}
	}
	if (l->list.count)
		l->list.count = kept + 1;
}

/*
 * Finds the nearest earlier symbol that reaches beyond the end of each one. Keeps them as runs of
 * symbols that have the same one: few symbols of a table have any.
 */
static void find_outer(struct symbol_table *t)
{
	const struct symbol *s = t->symbols;
	VEC(u32) open = VEC_INIT;
	u32 last = NO_SYMBOL;

	for (u32 i = 0; i < t->count; i++) {
		u32 outer;

		/* what ends before i's end covers nothing beyond it */
		while (open.count && symbol_end(&s[*vec_last(&open)]) <= symbol_end(&s[i]))
			open.count--;
		outer = open.count ? *vec_last(&open) : NO_SYMBOL;
		if (outer != last)
			vec_push(&t->outer, (struct outer_run){ i, outer });
		last = outer;
		vec_push(&open, i);
	}
	vec_release(&open);
	vec_give_back(&t->outer);
}

static u32 outer_of(const struct symbol_table *t, u32 number)
{
	size_t at = lower_bound(i, 0, t->outer.count, t->outer.items[i].first <= number);

	return at ? t->outer.items[at - 1].outer : NO_SYMBOL;
}

/* Fills the buckets. A look-up in a large table is then one step here and few in the table. */
static void fill_buckets(struct symbol_table *t)
{
	enum { WORTH_IT = 256, OF_BUCKET = 4 };
	const struct symbol *s = t->symbols;
	u64 range;
	u32 n = 0;

	if (t->count < WORTH_IT)
		return;
	range = s[t->count - 1].start - s[0].start;
	while (range >> t->step >= t->count / OF_BUCKET)
		t->step++;
	t->bucket_count = (u32)(range >> t->step) + 1;
	t->buckets = xreallocarray(NULL, t->bucket_count + 1, sizeof(*t->buckets));
	for (u32 i = 0; i < t->count; i++)
		for (u64 b = (s[i].start - s[0].start) >> t->step; n <= b; n++)
			t->buckets[n] = i;
	t->buckets[n] = t->count;
}

void symbol_table_seal(struct symbol_table *t, struct symbol_list *l)
{
	if (l->list.count >= RANGE_NUMBERS)
		l->list.count = RANGE_NUMBERS - 1;
	t->count = (u32)l->list.count;
	t->symbols = l->list.items;
	if (t->count && !t->borrowed)
		t->symbols = xreallocarray(t->symbols, t->count, sizeof(*t->symbols));
	*l = (struct symbol_list){ VEC_INIT };
	find_outer(t);
	fill_buckets(t);
}

/* Returns the number of symbols that start at or before the offset. */
static u32 upper_bound(const struct symbol_table *t, u64 offset)
{
	const struct symbol *base = t->symbols;
	u32 n = t->count;

	if (!n || offset < base->start)
		return 0;
	if (t->buckets) {
		u64 b = MIN((offset - base->start) >> t->step, t->bucket_count - 1);

		/* from the last one before the bucket on */
		n = t->buckets[b + 1] - t->buckets[b] + 1;
		base += t->buckets[b] - (b > 0);
		n -= b == 0;
	}
	while (n > 1) {
		u32 half = n / 2;

		base = base[half].start <= offset ? base + half : base;
		n -= half;
	}
	return (u32)(base - t->symbols) + (base->start <= offset);
}

static bool covers(const struct symbol *s, u64 offset)
{
	return offset < symbol_end(s) || (offset == s->start && !s->size);
}

static u32 find_symbol(const struct symbol_table *t, u64 offset)
{
	u32 i;

	if (t->index)
		return symbol_range_find(t, offset);
	i = upper_bound(t, offset);
	if (!i--)
		return NO_SYMBOL;
	while (i != NO_SYMBOL && !covers(&t->symbols[i], offset))
		i = outer_of(t, i);
	return i == NO_SYMBOL ? i : t->first + i;
}

/* ---- what no symbol covers (ranges.c) ---- */

static struct symbol_table *make_ranges(const struct symbol_table *t)
{
	struct symbol_table *made = symbol_table_new();
	struct symbol_list l = { VEC_INIT };

	phase_begin("load unwind tables as symbols");
	made->of = t;
	made->first = t->first ^ RANGE_NUMBERS;
	if (!symbol_ranges_open(made, t)) {
		symbol_ranges_read(t, &l);
		symbol_table_seal(made, &l);
	}
	elf_let_pages_go(t->elf);
	elf_let_pages_go(t->debug_elf);
	phase_end();
	return made;
}

static const struct symbol_table *ranges_if_loaded(const struct symbol_table *t)
{
	return atomic_load_explicit(&t->ranges, memory_order_acquire);
}

static const struct symbol_table *ranges_of(const struct symbol_table *t)
{
	struct symbol_table *table = (struct symbol_table *)t, *ranges;

	ranges = atomic_load_explicit(&table->ranges, memory_order_acquire);
	if (likely(ranges))
		return ranges;
	pthread_mutex_lock(&table->lock);
	ranges = atomic_load(&table->ranges);
	if (!ranges) {
		ranges = make_ranges(t);
		atomic_store_explicit(&table->ranges, ranges, memory_order_release);
	}
	pthread_mutex_unlock(&table->lock);
	return ranges;
}

u32 symbol_find(const struct symbol_table *t, u64 offset)
{
	u32 number = find_symbol(t, offset);

	return number == NO_SYMBOL && t->object ? find_symbol(ranges_of(t), offset) : number;
}

bool symbol_find_loaded(const struct symbol_table *t, u64 offset, u32 *number)
{
	const struct symbol_table *ranges;

	*number = find_symbol(t, offset);
	if (*number != NO_SYMBOL || !t->object)
		return true;
	ranges = ranges_if_loaded(t);
	if (ranges)
		*number = find_symbol(ranges, offset);
	return ranges;
}

/*
 * Settles a name. Several threads may do so simultaneously: each does the work, and the first to
 * publish wins.
 */
static void settle_once(struct symbol_table *t, struct symbol *s, const char *raw, u8 state)
{
	char *shown = state == NAME_RANGE ? symbol_range_name(t, s)
					  : shown_name(raw, state, t->demangle_params);

	if (!shown && t->copies_names)
		shown = xstrdup(raw);
	count_name(t);
	pthread_mutex_lock(t->naming);
	if (s->name_state == state) {
		if (shown)
			__atomic_store_n(&s->name, shown, __ATOMIC_RELEASE);
		__atomic_store_n(&s->name_state, shown ? NAME_DEMANGLED : NAME_FINAL,
				 __ATOMIC_RELEASE);
		shown = NULL;
	}
	pthread_mutex_unlock(t->naming);
	free(shown);
}

static void settle_shared_name(struct symbol_table *t, struct symbol *s)
{
	const char *raw = __atomic_load_n(&s->name, __ATOMIC_ACQUIRE);
	u8 state = __atomic_load_n(&s->name_state, __ATOMIC_ACQUIRE);

	/* raw may already be another's result; then the state has changed below the lock */
	if (!is_settled(state))
		settle_once(t, s, raw, state);
}

/* Returns the table or its ranges, whichever has the number, or NULL. */
static const struct symbol_table *part_of(const struct symbol_table *t, u32 number)
{
	if (likely((number ^ t->first) < t->count))
		return t;
	t = ranges_if_loaded(t);
	return t && (number ^ t->first) < t->count ? t : NULL;
}

/*
 * Returns the table with the number, also the earlier table's, which may still be shown. NULL if
 * neither has it.
 */
static const struct symbol_table *table_of(const struct symbol_table *t, u32 number)
{
	const struct symbol_table *part = part_of(t, number);

	return likely(part) || !t->before ? part : part_of(t->before, number);
}

const struct symbol *symbol_get(const struct symbol_table *t, u32 number)
{
	struct symbol *s;

	t = table_of(t, number);
	if (unlikely(!t))
		return NULL;
	s = &t->symbols[number ^ t->first];
	settle_shared_name((struct symbol_table *)t, s);
	return s;
}

bool symbol_start(const struct symbol_table *t, u32 number, u64 *start)
{
	t = table_of(t, number);
	if (t)
		*start = t->symbols[number ^ t->first].start;
	return t;
}

u32 symbol_first(const struct symbol_table *t)
{
	return t->first;
}

u32 symbol_count(const struct symbol_table *t)
{
	return t->count;
}

static int by_name_then_number(const void *pa, const void *pb, void *arg)
{
	const struct symbol_table *t = arg;
	u32 a = *(const u32 *)pa, b = *(const u32 *)pb;
	int d = strcmp(t->symbols[a].name, t->symbols[b].name);

	return d ? d : a < b ? -1 : 1;
}

static const u32 *names_in_order(struct symbol_table *t)
{
	for (u32 i = 0; i < t->count; i++)
		symbol_get(t, t->first + i);
	pthread_mutex_lock(&t->lock);
	if (!t->by_name && t->count) {
		u32 *order = xreallocarray(NULL, t->count, sizeof(*order));

		for (u32 i = 0; i < t->count; i++)
			order[i] = i;
		qsort_r(order, t->count, sizeof(*order), by_name_then_number, t);
		t->by_name = order;
	}
	pthread_mutex_unlock(&t->lock);
	return t->by_name;
}

/*
 * Reports whether few names have been searched: such a caller need not wait until all are sorted.
 */
static bool is_rarely_searched(struct symbol_table *t)
{
	enum { FEW = 8 };
	bool is;

	pthread_mutex_lock(&t->lock);
	is = !t->by_name && t->searches < FEW;
	t->searches += is;
	pthread_mutex_unlock(&t->lock);
	return is;
}

static u32 search_all(const struct symbol_table *t, const char *name)
{
	for (u32 i = 0; i < t->count; i++) {
		struct symbol *s = &t->symbols[i];
		u8 state = __atomic_load_n(&s->name_state, __ATOMIC_ACQUIRE);

		if (state == NAME_LINE &&
		    !kallsyms_name_is(__atomic_load_n(&s->name, __ATOMIC_ACQUIRE), name))
			continue;
		settle_shared_name((struct symbol_table *)t, s);
		/* most differ early; seeing that is cheaper than a call */
		if (s->name[0] == name[0] && !strcmp(s->name, name))
			return t->first + i;
	}
	return NO_SYMBOL;
}

static u32 range_by_name(const struct symbol_table *t, const char *name)
{
	const char *plus = name[0] == '[' ? strrchr(name, '+') : NULL;
	u64 offset;
	u32 number;

	if (!plus || !t->object ||
	    !elf_addr_to_offset(t->elf ? t->elf : t->debug_elf, strtoull(plus + 1, NULL, 16),
				&offset))
		return NO_SYMBOL;
	number = symbol_find(t, offset);
	return number != NO_SYMBOL && !strcmp(symbol_get(t, number)->name, name) ? number
										 : NO_SYMBOL;
}

u32 symbol_by_name(const struct symbol_table *t, const char *name)
{
	struct symbol_table *table = (struct symbol_table *)t;
	const u32 *order;
	u32 at;

	if (name[0] == '[' && t->object)
		return range_by_name(t, name);
	if (is_rarely_searched(table))
		return search_all(t, name);
	order = names_in_order(table);

	at = lower_bound(i, 0, t->count, strcmp(t->symbols[order[i]].name, name) < 0);
	return at < t->count && !strcmp(t->symbols[order[at]].name, name) ? t->first + order[at]
									  : NO_SYMBOL;
}

const char *symbol_table_source(const struct symbol_table *t)
{
	return t->source;
}

bool symbol_table_is_stripped(const struct symbol_table *t)
{
	return t->stripped;
}

char symbol_table_origin(const struct symbol_table *t)
{
	return t->origin;
}
