// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables of rows that several files have, or one alone. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "builtin/diff/diff.h"

struct table {
	struct diff_table t;
	VEC(struct diff_key) keys;
	VEC(struct diff_row *) rows;
	struct strmap by_key; /* key texts -> index of the row */
};

struct diff {
	const struct diff_settings *set;
	size_t file_count;
	VEC(struct table *) tables;
};

/* ---- names without what a build or a release adds ---- */

/* The copy of a function that a compiler made: the name's mark and its number go. */
static const char *const renames[] = { ".isra",       ".constprop", ".lto_priv",
				       ".localalias", ".clone",     ".llvm" };
/* A part of a function: only its number goes. */
static const char *const parts[] = { ".part", ".cold" };

/*
 * Returns the length of the mark at s, which ends where the name, another mark or a space begins,
 * or 0 if there is none.
 */
static size_t mark_size(const char *s, const char *const *marks, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t len = strlen(marks[i]);

		if (!strncmp(s, marks[i], len) && (!s[len] || strchr(". ]", s[len])))
			return len;
	}
	return 0;
}

static size_t number_size(const char *s)
{
	size_t len = *s == '.' ? 1 + strspn(s + 1, "0123456789") : 0;

	return len > 1 ? len : 0;
}

static void plain_symbol(const char *s, struct strbuf *b)
{
	const char *begin = s;

	while (*s) {
		size_t part = mark_size(s, parts, sizeof(parts) / sizeof(*parts));
		size_t len = mark_size(s, renames, sizeof(renames) / sizeof(*renames));

		/* "[.] f": the mode's mark is not part of the name */
		if (s == begin || (!part && !len)) {
			strbuf_char(b, *s++);
			continue;
		}
		strbuf_add(b, s, part);
		s += part + len;
		s += number_size(s);
	}
}

/* Adds an object's name without versions: libx-1.2.so.3 and libx.so.4 are libx.so. */
static void plain_dso(const char *s, struct strbuf *b)
{
	const char *so = strstr(s, ".so");
	size_t len;

	if (!so || (so[3] && so[3] != '.')) {
		strbuf_str(b, s);
		return;
	}
	len = (size_t)(so - s);
	while (len && (isdigit((unsigned char)s[len - 1]) || s[len - 1] == '.'))
		len--;
	if (len && len < (size_t)(so - s) && s[len - 1] == '-')
		len--;
	strbuf_add(b, s, len ? len : (size_t)(so - s));
	strbuf_str(b, ".so");
}

/* ---- rows ---- */

static struct diff_row *add_row(struct table *t, const char *key)
{
	struct diff_row *row;
	bool added;
	u64 *at = strmap_put(&t->by_key, key, &added);

	if (!added)
		return t->rows.items[*at];
	*at = t->rows.count;
	row = xcalloc(1, sizeof(*row));
	row->side = xcalloc(t->t.file_count, sizeof(*row->side));
	row->keys = xcalloc(t->keys.count + 1, sizeof(*row->keys));
	vec_push(&t->rows, row);
	return row;
}

static void free_row(struct diff_row *row, size_t keys)
{
	for (size_t i = 0; i < keys; i++)
		free(row->keys[i]);
	free(row->keys);
	free(row->side);
	free(row);
}

static bool is_key(const struct hist_field *f)
{
	return f->shown && !(f->column->flags & HIST_VALUE);
}

static void format_key(const struct hist_view *v, const struct hist_field *f,
		       const struct hist_entry *e, struct strbuf *b)
{
	struct strbuf raw = STRBUF_INIT;

	f->column->format(v, f, e, 0, &raw);
	strbuf_printable(b, strbuf_cstr(&raw));
	strbuf_release(&raw);
}

/*
 * Adds the build ID to the key of code without a symbol, whose name is its address. That address
 * means something in one build only: code at it in another build is not taken for the same
 * function.
 */
static void build_of_address(const struct hist_view *v, const struct hist_entry *e,
			     struct strbuf *b)
{
	const struct frame *f = hist_frame(v->hist, e->frame);
	const struct symbol *s = hist_named_symbol(v->hist, f);
	const struct image *img = hist_frame_image(v->hist, f);
	char id[41];

	if (s && s->name[0] == '[' && (img->kind == IMAGE_ELF || img->kind == IMAGE_VDSO) &&
	    img->build_id.size)
		strbuf_f(b, "%s\n", build_id_text(&img->build_id, id));
}

/*
 * Joins the keys of an entry into one text. Where rows are by symbol, functions without a name also
 * get their build ID.
 */
static void whole_key(const struct hist_view *v, const struct hist_entry *e, struct strbuf *b)
{
	size_t count;
	const struct hist_field *fields = hist_fields(v->hist, &count);
	bool by_symbol = false;

	strbuf_clear(b);
	for (size_t i = 0; i < count; i++) {
		if (!is_key(&fields[i]))
			continue;
		by_symbol |= fields[i].column->flags & HIST_SYMBOL;
		format_key(v, &fields[i], e, b);
		strbuf_char(b, '\n');
	}
	if (by_symbol)
		build_of_address(v, e, b);
}

static void show_keys(const struct hist_view *v, const struct hist_entry *e, struct diff_row *row)
{
	size_t count, at = 0;
	const struct hist_field *fields = hist_fields(v->hist, &count);
	struct strbuf b = STRBUF_INIT;

	for (size_t i = 0; i < count; i++) {
		if (!is_key(&fields[i]))
			continue;
		strbuf_clear(&b);
		format_key(v, &fields[i], e, &b);
		row->keys[at++] = xstrdup(strbuf_cstr(&b));
	}
	strbuf_release(&b);
}

static void add_file(struct table *t, struct hist *h, const struct hist_view *v, size_t file,
		     bool verbose)
{
	const struct diff_side total = {
		.present = true,
		.samples = hist_settings(h)->relative ? v->totals[0].shown_samples
						      : v->totals[0].samples,
		.period = hist_view_period(v, 0),
		.squares = hist_settings(h)->relative ? v->totals[0].shown_squares
						      : v->totals[0].squares,
	};
	struct strbuf key = STRBUF_INIT;

	t->t.totals[file] = total;
	for (size_t i = 0; i < v->entry_count; i++) {
		const struct hist_entry *e = v->entries[i];
		struct diff_row *row;

		whole_key(v, e, &key);
		row = add_row(t, strbuf_cstr(&key));
		row->side[file].present = true;
		row->side[file].samples += e->self[0].samples;
		row->side[file].period += e->self[0].period;
		row->side[file].squares += e->self[0].squares;
		if (row->keys[0] || !t->keys.count)
			continue;
		hist_set_verbose(h, verbose);
		show_keys(v, e, row);
		hist_set_verbose(h, false);
	}
	strbuf_release(&key);
}

/* ---- rows that differ by marks only ---- */

static bool in_all(const struct diff_row *row, size_t files)
{
	for (size_t f = 0; f < files; f++)
		if (!row->side[f].present)
			return false;
	return true;
}

static void join(struct diff_row *to, struct diff_row *from, size_t files, size_t keys)
{
	/* the baseline's name stays */
	if (from->side[0].present) {
		char **names = to->keys;

		to->keys = from->keys;
		from->keys = names;
	}
	for (size_t f = 0; f < files; f++)
		if (from->side[f].present)
			to->side[f] = from->side[f];
	free_row(from, keys);
}

/* Adds the key's lines without the marks of a build. By line, flags has HIST_SYMBOL or HIST_DSO. */
static void plain_key(const char *key, const unsigned *flags, struct strbuf *b)
{
	strbuf_clear(b);
	for (size_t i = 0; *key; i++) {
		size_t len = strcspn(key, "\n");
		char *part = xstrndup(key, len);

		if (flags[i] & HIST_SYMBOL)
			plain_symbol(part, b);
		else if (flags[i] & HIST_DSO)
			plain_dso(part, b);
		else
			strbuf_str(b, part);
		strbuf_char(b, '\n');
		free(part);
		key += len + (key[len] == '\n');
	}
}

/*
 * Notes which files have a row of the plain key. If a file has two, it is unknown which row matches
 * which, so *twice is set.
 */
static void note_files(struct strmap *seen, struct strbuf *key, const struct diff_row *row,
		       size_t files, bool *twice)
{
	size_t len = key->len;

	for (size_t f = 0; f < files; f++) {
		bool added = true;

		strbuf_truncate(key, len);
		strbuf_f(key, "%zu", f);
		if (row->side[f].present)
			strmap_put(seen, strbuf_cstr(key), &added);
		*twice |= !added;
	}
	strbuf_truncate(key, len);
}

struct joining {
	struct table *t;
	const unsigned *flags; /* by line of a key: HIST_SYMBOL or HIST_DSO */
	const char **keys;     /* by row */
	struct strmap plain;   /* plain key -> row + 1, or 0: ambiguous */
};

/* Finds the rows that may be the same one. */
static void find_joins(struct joining *j)
{
	struct strmap seen = { 0 };
	struct strbuf b = STRBUF_INIT;
	size_t files = j->t->t.file_count;

	for (size_t i = 0; i < j->t->rows.count; i++) {
		const struct diff_row *row = j->t->rows.items[i];
		bool added, twice = false;
		u64 *at;

		if (in_all(row, files))
			continue;
		plain_key(j->keys[i], j->flags, &b);
		at = strmap_put(&j->plain, strbuf_cstr(&b), &added);
		note_files(&seen, &b, row, files, &twice);
		*at = twice ? 0 : added ? i + 1 : *at;
	}
	strbuf_release(&b);
	strmap_release(&seen);
}

static void join_rows(struct table *t, const unsigned *flags)
{
	struct joining j = { .t = t, .flags = flags };
	struct strbuf b = STRBUF_INIT;
	size_t kept = 0;

	j.keys = xcalloc(t->rows.count + 1, sizeof(*j.keys));
	for (size_t i = 0; i < t->by_key.space; i++)
		if (t->by_key.slots[i].key)
			j.keys[t->by_key.slots[i].value] = t->by_key.slots[i].key;
	find_joins(&j);
	for (size_t i = 0; i < t->rows.count; i++) {
		struct diff_row *row = t->rows.items[i];
		u64 to = 0;

		if (!in_all(row, t->t.file_count)) {
			plain_key(j.keys[i], flags, &b);
			to = *strmap_get(&j.plain, strbuf_cstr(&b));
		}
		if (!to || to == i + 1)
			continue;
		join(t->rows.items[to - 1], row, t->t.file_count, t->keys.count);
		t->rows.items[i] = NULL;
	}
	for (size_t i = 0; i < t->rows.count; i++)
		if (t->rows.items[i])
			t->rows.items[kept++] = t->rows.items[i];
	t->rows.count = kept;
	free(j.keys);
	strbuf_release(&b);
	strmap_release(&j.plain);
}

/* ---- order ---- */

struct sorting {
	const struct diff_settings *set;
	const struct diff_table *t;
};

static int by_double(double a, double b)
{
	return a > b ? -1 : a < b;
}

static int by_share(const struct diff_row *a, const struct diff_row *b, size_t file)
{
	u64 x = a->side[file].present ? a->side[file].period + 1 : 0;
	u64 y = b->side[file].present ? b->side[file].period + 1 : 0;

	return x > y ? -1 : x < y;
}

static int by_value(const struct sorting *s, const struct diff_row *a, const struct diff_row *b)
{
	struct diff_value x = diff_compute(s->set, s->t, a, s->set->order);
	struct diff_value y = diff_compute(s->set, s->t, b, s->set->order);

	if (x.kind != y.kind) /* numbers, then what the baseline has not, then nothing */
		return x.kind > y.kind ? -1 : 1;
	if (x.kind != DIFF_NUMBER)
		return 0;
	if (a->sure != b->sure)
		return a->sure ? -1 : 1;
	if (s->set->method == DIFF_DELTA_ABS)
		return by_double(fabs(x.number), fabs(y.number));
	return by_double(x.number, y.number);
}

static int row_cmp(const void *pa, const void *pb, void *arg)
{
	const struct diff_row *a = *(struct diff_row *const *)pa;
	const struct diff_row *b = *(struct diff_row *const *)pb;
	const struct sorting *s = arg;
	int cmp = s->set->order ? by_value(s, a, b) : 0;

	for (size_t f = 0; !cmp && f < s->t->file_count; f++)
		cmp = by_share(a, b, f);
	for (size_t k = 0; !cmp && k < s->t->key_count; k++)
		cmp = strcmp(a->keys[k], b->keys[k]);
	return cmp;
}

/* ---- tables ---- */

static bool in_another(const struct diff_row *row, size_t files)
{
	for (size_t f = 1; f < files; f++)
		if (row->side[f].present)
			return true;
	return false;
}

static void keep_baseline(struct table *t)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->rows.count; i++) {
		struct diff_row *row = t->rows.items[i];

		if (row->side[0].present && in_another(row, t->t.file_count))
			t->rows.items[kept++] = row;
		else
			free_row(row, t->keys.count);
	}
	t->rows.count = kept;
}

/* Finds the matching view of another file: the same name, else the same kernel type and config. */
static const struct hist_view *partner(const struct event *ev, struct hist *h)
{
	for (size_t i = 0; i < hist_view_count(h); i++)
		if (!strcmp(hist_view(h, i)->members[0]->name, ev->name))
			return hist_view(h, i);
	if (ev->attr.type > PERF_TYPE_RAW || ev->attr.type == PERF_TYPE_TRACEPOINT)
		return NULL;
	for (size_t i = 0; i < hist_view_count(h); i++) {
		const struct event *other = hist_view(h, i)->members[0];

		if (other->attr.type == ev->attr.type && other->attr.config == ev->attr.config)
			return hist_view(h, i);
	}
	return NULL;
}

static unsigned *add_keys(struct table *t, const struct hist *h)
{
	size_t count, n = 0;
	const struct hist_field *fields = hist_fields(h, &count);
	unsigned *flags = xcalloc(count + 1, sizeof(*flags));

	for (size_t i = 0; i < count; i++) {
		struct diff_key key = { .ragged = fields[i].column->flags & HIST_NO_PAD };

		if (!is_key(&fields[i]))
			continue;
		key.head = xstrdup(hist_header(h, &fields[i]));
		flags[n++] = fields[i].column->flags;
		vec_push(&t->keys, key);
	}
	return flags;
}

static struct table *make_table(struct hist *const *files, size_t count,
				const struct hist_view *base, const struct diff_settings *set,
				bool verbose)
{
	struct table *t = xcalloc(1, sizeof(*t));
	struct sorting sorting = { set, &t->t };
	unsigned *flags = add_keys(t, files[0]);

	t->t.event = xstrdup(base->members[0]->name);
	t->t.file_count = count;
	t->t.totals = xcalloc(count, sizeof(*t->t.totals));
	for (size_t f = 0; f < count; f++) {
		const struct hist_view *v = f ? partner(base->members[0], files[f]) : base;

		if (v)
			add_file(t, files[f], v, f, verbose);
	}
	join_rows(t, flags);
	free(flags);
	if (set->baseline_only)
		keep_baseline(t);
	t->t.keys = t->keys.items;
	t->t.key_count = t->keys.count;
	t->t.rows = t->rows.items;
	t->t.row_count = t->rows.count;
	for (size_t i = 0; set->sure_first && set->order && i < t->t.row_count; i++)
		t->t.rows[i]->sure = diff_interval(set, &t->t, t->t.rows[i], set->order).change;
	if (t->t.row_count)
		qsort_r(t->t.rows, t->t.row_count, sizeof(*t->t.rows), row_cmp, &sorting);
	return t;
}

static void free_table(struct table *t)
{
	for (size_t i = 0; i < t->rows.count; i++)
		free_row(t->rows.items[i], t->keys.count);
	vec_release(&t->rows);
	vec_for_each(&t->keys, k)
		free(k->head);
	vec_release(&t->keys);
	strmap_release(&t->by_key);
	free(t->t.totals);
	free(t->t.event);
	free(t);
}

struct diff *diff_new(struct hist *const *files, size_t count, const struct diff_settings *s,
		      bool verbose)
{
	struct diff *d = xcalloc(1, sizeof(*d));

	d->set = s;
	d->file_count = count;
	for (size_t f = 0; f < count; f++)
		hist_set_verbose(files[f], false);
	for (size_t i = 0; i < hist_view_count(files[0]); i++)
		vec_push(&d->tables, make_table(files, count, hist_view(files[0], i), s, verbose));
	return d;
}

void diff_free(struct diff *d)
{
	if (!d)
		return;
	vec_for_each(&d->tables, t)
		free_table(*t);
	vec_release(&d->tables);
	free(d);
}

size_t diff_table_count(const struct diff *d)
{
	return d->tables.count;
}

const struct diff_table *diff_table(const struct diff *d, size_t i)
{
	return &d->tables.items[i]->t;
}
