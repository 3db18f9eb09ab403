// SPDX-License-Identifier: GPL-2.0-or-later
/* The lines of a range that can be probed. */
#include <errno.h>
#include <string.h>

#include "probe/places_internal.h"

struct line_collect {
	struct debuginfo *d;
	const struct probe_point *range;
	struct probe_lines *out;
	struct unit *unit;
	struct rows rows;
	bool rows_read;
	struct function_name name;
	bool only_with_code;
	bool by_symbol; /* the function at hand has the name as its symbol */
};

static void add_line(struct probe_lines *out, unsigned line)
{
	if (line >= out->first && line <= out->last)
		vec_push(&out->lines, line);
}

static bool get_rows(struct line_collect *c)
{
	if (!c->rows_read) {
		c->rows_read = true;
		unit_rows(c->unit, &c->rows);
	}
	return c->rows.list.count > 0;
}

static void set_file(struct line_collect *c, const char *file)
{
	Dwarf_Attribute attr;
	const char *directory = NULL;

	c->out->file = xstrdup(file);
	if (dwarf_attr(&c->unit->die, DW_AT_comp_dir, &attr))
		directory = dwarf_formstring(&attr);
	c->out->directory = directory ? xstrdup(directory) : NULL;
}

/* Adds the line where a function is declared, which stands for the address where it begins. */
static int add_entry_line(void *arg, Dwarf_Die *f)
{
	struct line_collect *c = arg;
	const char *file = die_decl_file(f);
	u64 entry;

	if (file && c->out->file && strcmp(file, c->out->file) == 0 && die_entry(f, &entry))
		add_line(c->out, die_decl_line(f));
	return 0;
}

static int compare_u64(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

struct entries {
	VEC(u64) list;
};

static int collect_entry(void *arg, Dwarf_Die *f)
{
	struct entries *e = arg;
	u64 entry;

	if (die_entry(f, &entry))
		vec_push(&e->list, entry);
	return 0;
}

/* Adds a line that only calls an inlined function. */
static int add_call_line(void *arg, Dwarf_Die *die, int depth)
{
	struct line_collect *c = arg;
	const char *file;
	unsigned line;
	u64 entry;

	(void)depth;
	if (dwarf_tag(die) == DW_TAG_inlined_subroutine &&
	    (file = die_call_site(die, &line)) != NULL && line >= c->out->first &&
	    line <= c->out->last && !strcmp(file, c->out->file) && die_entry(die, &entry))
		add_line(c->out, line);
	return 0;
}

/* Collects the lines of the file in this unit that stand for an address. */
static void collect_rows(struct line_collect *c)
{
	struct die_walk calls = { add_call_line, c };
	struct entries entries = { VEC_INIT };
	const char *same = NULL;

	if (!get_rows(c))
		return;
	unit_each_function(c->unit, collect_entry, &entries);
	vec_sort(&entries.list, compare_u64);
	vec_for_each(&c->rows.list, row) {
		if (row->is_end || !row->is_statement || !row->file || row->line < c->out->first ||
		    row->line > c->out->last)
			continue;
		if (row->file != same && strcmp(row->file, c->out->file) != 0)
			continue;
		same = row->file;
		if (entries.list.count && bsearch(&row->address, entries.list.items,
						  entries.list.count, sizeof(u64), compare_u64))
			continue;
		if (unit_rows_at(&c->rows, row->address)->line == row->line)
			add_line(c->out, row->line);
	}
	unit_each_function(c->unit, add_entry_line, c);
	die_walk(&c->unit->die, &calls, 0);
	vec_release(&entries.list);
}

static int compare_lines(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return x < y ? -1 : x > y;
}

static void sort_lines(struct probe_lines *out)
{
	size_t kept = 0;

	vec_sort(&out->lines, compare_lines);
	for (size_t i = 0; i < out->lines.count; i++)
		if (!kept || out->lines.items[kept - 1] != out->lines.items[i])
			out->lines.items[kept++] = out->lines.items[i];
	out->lines.count = kept;
}

/* Returns the last line of a function: the last of its own file in its code. */
static unsigned function_last_line(const struct rows *rows, Dwarf_Die *f, const char *file,
				   unsigned first)
{
	unsigned last = first;

	vec_for_each(&rows->list, row)
		if (!row->is_end && row->line > last && row->file && strcmp(row->file, file) == 0 &&
		    dwarf_haspc(f, row->address) > 0) {
			Dwarf_Die scope;

			scope_for_line(f, row->address, row->file, row->line, &scope);
			if (scope.addr == f->addr)
				last = row->line;
		}
	return last;
}

struct next_function {
	const char *file;
	unsigned after, line; /* the first that begins after after; UINT32_MAX: none */
};

static int find_next_function(void *arg, Dwarf_Die *f)
{
	struct next_function *n = arg;
	unsigned line = die_decl_line(f);
	const char *file = line > n->after && line < n->line ? die_decl_file(f) : NULL;

	if (file && strcmp(file, n->file) == 0)
		n->line = line;
	return 0;
}

bool probe_line_is_past(struct unit *u, const struct rows *rows, Dwarf_Die *f, const char *file,
			unsigned line)
{
	struct next_function next = { file, die_decl_line(f), UINT32_MAX };

	unit_each_function(u, find_next_function, &next);
	return line >= next.line && line > function_last_line(rows, f, file, next.after);
}

/*
 * Returns the last line of a function that is only inlined: the last with code before the next
 * function.
 */
static unsigned inlined_last_line(struct line_collect *c, Dwarf_Die *f, const char *file)
{
	struct next_function next = { file, die_decl_line(f), UINT32_MAX };
	unsigned last = next.after;

	unit_each_function(c->unit, find_next_function, &next);
	vec_for_each(&c->rows.list, row)
		if (!row->is_end && row->line > last && row->line < next.line && row->file &&
		    strcmp(row->file, file) == 0)
			last = row->line;
	return last;
}

static unsigned add_lines(unsigned base, unsigned n)
{
	return n > UINT32_MAX - base ? UINT32_MAX : base + n;
}

static bool has_code(Dwarf_Die *f)
{
	return dwarf_hasattr(f, DW_AT_low_pc) || dwarf_hasattr(f, DW_AT_ranges);
}

/*
 * Finds the first line of a function: of its declaration or, without one (a lambda), of its code.
 * Returns the file.
 */
static const char *first_line(struct line_collect *c, Dwarf_Die *f, unsigned *line)
{
	const char *file = die_decl_file(f);
	const struct row *row;
	u64 entry;

	*line = die_decl_line(f);
	if ((file && *line) || !die_entry(f, &entry) || !get_rows(c))
		return file;
	row = unit_rows_at(&c->rows, entry);
	*line = row ? row->line : 0;
	return row ? row->file : NULL;
}

static int find_function_range(void *arg, Dwarf_Die *f)
{
	struct line_collect *c = arg;
	const char *name = dwarf_diename(f), *file;
	unsigned line;

	if (!name || (!c->by_symbol && !function_is(c->d, &c->name, f)))
		return 0;
	if (c->only_with_code && !has_code(f))
		return 0;
	file = first_line(c, f, &line);
	if (!file || !line)
		return 0;
	if (c->range->file && !path_tail_matches(file, c->range->file))
		return 0;
	c->out->function = xstrdup(name);
	c->out->base = line;
	c->out->first = add_lines(line, c->range->line);
	c->out->last = c->range->line_end;
	if (c->out->last != UINT32_MAX)
		c->out->last = add_lines(line, c->out->last);
	else if (!get_rows(c))
		c->out->last = MAX(c->out->first, line);
	else if (has_code(f))
		c->out->last = MAX(c->out->first, function_last_line(&c->rows, f, file, line));
	else
		c->out->last = MAX(c->out->first, inlined_last_line(c, f, file));
	set_file(c, file);
	return 1;
}

/*
 * Collects lines of other units. With link-time optimisation they have code of this file's lines.
 */
static void lines_of_other_units(struct line_collect *c)
{
	const struct unit *own = c->unit;

	vec_for_each(&c->d->units, u) {
		if (u == own || !unit_open(c->d, u))
			continue;
		c->unit = u;
		collect_rows(c);
		unit_rows_release(&c->rows);
		c->rows_read = false;
	}
}

static int lines_of_symbol(struct line_collect *c)
{
	Dwarf_Die f;
	int found;

	c->unit = function_of_symbol(c->d, &c->name, &f);
	if (!c->unit)
		return 0;
	c->by_symbol = true;
	found = find_function_range(c, &f);
	if (found)
		collect_rows(c);
	unit_rows_release(&c->rows);
	c->rows_read = false;
	return found;
}

static int lines_of_function(struct line_collect *c, struct reason *r)
{
	bool *hits = xcalloc(c->d->units.count, 1);
	int found = 0;

	function_name_init(&c->name, c->range->function, false);
	debuginfo_units_defining(c->d, DW_TAG_subprogram, c->name.last, hits);
	for (size_t i = 0; i < c->d->units.count && !found; i++) {
		c->unit = &c->d->units.items[i];
		if (!hits[i] || !unit_open(c->d, c->unit))
			continue;
		/* An out-of-line copy knows best where the function ends. */
		c->only_with_code = true;
		found = unit_each_function(c->unit, find_function_range, c);
		c->only_with_code = false;
		if (!found)
			found = unit_each_function(c->unit, find_function_range, c);
		if (found)
			collect_rows(c);
		unit_rows_release(&c->rows);
		c->rows_read = false;
	}
	free(hits);
	if (!found)
		found = lines_of_symbol(c);
	function_name_release(&c->name);
	if (found && debuginfo_crosses_units(c->d))
		lines_of_other_units(c);
	if (found)
		return 0;
	return probe_no_function(c->d, c->range->function, c->range->file, r);
}

/* No file has this name: it may be a function's of Go, "main.(*T).Work". */
static int lines_of_dotted(struct line_collect *c, struct reason *r)
{
	const struct probe_point *range = c->range;
	struct probe_point dotted = *range;
	int err;

	dotted.function = range->file;
	dotted.file = NULL;
	c->range = &dotted;
	err = lines_of_function(c, NULL);
	c->range = range;
	return err ? probe_no_file(c->d, range->file, r) : 0;
}

static int lines_of_file(struct line_collect *c, struct reason *r)
{
	struct file_search search;

	c->out->first = c->range->line ? c->range->line : 1;
	c->out->last = c->range->line_end;
	file_search_init(&search, c->d, c->range->file);
	vec_for_each(&c->d->units, u) {
		const char *file;

		if (!unit_open(c->d, u))
			continue;
		c->unit = u;
		file = file_search_unit(&search, u);
		if (!file || (c->out->file && strcmp(file, c->out->file) != 0))
			continue;
		if (!c->out->file)
			set_file(c, file);
		collect_rows(c);
		unit_rows_release(&c->rows);
		c->rows_read = false;
	}
	file_search_release(&search);
	return c->out->file ? 0 : lines_of_dotted(c, r);
}

int probe_lines_find(struct debuginfo *d, const struct probe_point *range, struct probe_lines *out,
		     struct reason *r)
{
	struct line_collect c = { .d = d, .range = range, .out = out };
	int err;

	memset(out, 0, sizeof(*out));
	if (range->function)
		err = lines_of_function(&c, r);
	else
		err = lines_of_file(&c, r);
	sort_lines(out);
	if (err)
		probe_lines_release(out);
	return err;
}

void probe_lines_release(struct probe_lines *l)
{
	free(l->function);
	free(l->file);
	free(l->directory);
	vec_release(&l->lines);
	memset(l, 0, sizeof(*l));
}

/*
 * Sets the reason that the line has no code, with a hint: "the nearest lines that have are 7 and
 * 9".
 */
int probe_no_line(struct debuginfo *d, const struct probe_point *point, struct reason *r)
{
	struct probe_point all = { .function = point->function,
				   .file = point->file,
				   .line_end = UINT32_MAX };
	unsigned wanted = point->line, below = 0, above = 0;
	bool has_below = false, has_above = false;
	struct probe_lines lines;

	reason_set(r, ENOENT, "line %u of '%s' has no code", point->line,
		   point->function ? point->function : point->file);
	if (probe_lines_find(d, &all, &lines, NULL) < 0)
		return -ENOENT;
	vec_for_each(&lines.lines, l) {
		unsigned line = *l - lines.base;

		if (line < wanted) {
			below = line;
			has_below = true;
		} else if (!has_above) {
			above = line;
			has_above = true;
		}
	}
	if (has_below && has_above)
		reason_hint(r, "the nearest lines with code are %u and %u", below, above);
	else if (has_below || has_above)
		reason_hint(r, "the nearest line with code is %u", has_below ? below : above);
	probe_lines_release(&lines);
	return -ENOENT;
}
