// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions by name from symbol tables. */
#include "probe/functions.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "object/elf.h"
#include "object/entry_points.h"
#include "object/locate.h"
#include "object/versions.h"
#include "probe/name.h"
#include "symbol/demangle.h"
#include "symbol/gopclntab.h"
#include "sys/explain.h"
#include "sys/sys.h"

/* The name to look for, and where the answers go. */
struct search {
	const char *pattern; /* NULL: all */
	bool glob, demangle;
	bool qualified, parameters;  /* the pattern is a name of C++ or Rust */
	const struct elf *program;   /* whose segments say the offset */
	struct entry_points entries; /* of it */
	/* sections of a kernel whose code is freed after the start */
	const struct elf_section *gone[2];
	struct probe_functions *out;
};

static bool matches(const struct search *s, const char *name)
{
	/* Go's "main.Max[int]" looks like a glob */
	return !strcmp(s->pattern, name) || (s->glob && glob_match(s->pattern, name));
}

/*
 * Reports whether a name matches. "malloc@@GLIBC_2.2.5" matches malloc, malloc@GLIBC_2.2.5, and
 * itself.
 */
static bool name_matches(const struct search *s, const char *name)
{
	const char *at = strchr(name, '@');
	char *plain;
	bool match;

	if (!s->pattern || matches(s, name))
		return true;
	if (!at)
		return false;
	plain = xstrndup(name, (size_t)(at - name));
	match = matches(s, plain);
	free(plain);
	if (match || at[1] != '@')
		return match;
	plain = xasprintf("%.*s%s", (int)(at - name), name, at + 1);
	match = matches(s, plain);
	free(plain);
	return match;
}

static bool is_mangled(const char *name)
{
	return (name[0] == '_' && (name[1] == 'Z' || name[1] == 'R')) || str_starts(name, "_D");
}

/* Reports whether "nn::f(int)" chooses this one among functions of one name. */
static bool is_named(const struct search *s, const char *mangled, const char *shown)
{
	char *full;
	bool match;

	if (!s->qualified || strstr(shown, "thunk to "))
		return false;
	full = s->parameters ? symbol_demangle(mangled, true) : NULL;
	match = name_ends_in(full ? full : shown, s->pattern);
	free(full);
	return match;
}

/* Adds a symbol; name includes its version. */
static void add_symbol(const struct search *s, const struct elf_symbol *sym, const char *name)
{
	char *shown =
		s->demangle && is_mangled(sym->name) ? symbol_demangle(sym->name, false) : NULL;
	const char *at = strchr(name, '@');
	struct probe_function f = { .address = sym->value,
				    .size = sym->size,
				    .file_offset = UINT64_MAX,
				    .ifunc = sym->type == STT_GNU_IFUNC,
				    .old_version = at && at[1] != '@' };

	if (name_matches(s, name) ||
	    (shown && (name_matches(s, shown) || is_named(s, sym->name, shown)))) {
		elf_addr_to_offset(s->program, sym->value, &f.file_offset);
		f.name = shown ? shown : xstrndup(sym->name, strcspn(sym->name, "@"));
		vec_push(&s->out->list, f);
	} else {
		free(shown);
	}
}

/*
 * Reports whether a symbol is in code that a started kernel has dropped. A function named exactly
 * is never left out.
 */
static bool is_gone(const struct search *s, const struct elf_symbol *sym)
{
	for (size_t i = 0; i < ARRAY_SIZE(s->gone) && (!s->pattern || s->glob); i++)
		if (s->gone[i] && sym->value >= s->gone[i]->addr &&
		    sym->value - s->gone[i]->addr < s->gone[i]->size)
			return true;
	return false;
}

static void scan_table(const struct search *s, const struct elf *e, const struct elf_section *table)
{
	u32 count = table ? elf_symbol_count(e, table) : 0;
	struct versions versions = { .elf = e };
	struct elf_symbol sym;

	if (table && table->type == SHT_DYNSYM)
		versions_read(&versions, e);
	for (u32 i = 0; i < count; i++) {
		const char *version;
		bool is_default = true;
		char *name;

		if (!elf_symbol_at(e, table, i, &sym) || !*sym.name || sym.section == SHN_UNDEF ||
		    !sym.value || (sym.type != STT_FUNC && sym.type != STT_GNU_IFUNC) ||
		    !entry_point_set(&s->entries, &sym) || is_gone(s, &sym))
			continue;
		version = version_of(&versions, i, &is_default);
		name = version && strcmp(version, "Base")
			       ? xasprintf("%s@%s%s", sym.name, is_default ? "@" : "", version)
			       : NULL;
		add_symbol(s, &sym, name ? name : sym.name);
		free(name);
	}
	versions_release(&versions);
}

static bool scan_file(const struct search *s, const struct elf *e)
{
	const struct elf_section *table = elf_section_of_type(e, SHT_SYMTAB);

	scan_table(s, e, table);
	scan_table(s, e, elf_section_of_type(e, SHT_DYNSYM));
	return table && elf_symbol_count(e, table);
}

static void scan_go_functions(const struct search *s)
{
	struct go_functions g;
	struct go_function f;

	go_functions_open(&g, s->program);
	for (u32 i = 0; i < g.count; i++)
		if (go_function_at(&g, i, &f))
			add_symbol(s,
				   &(struct elf_symbol){ .name = f.name,
							 .value = f.address,
							 .size = f.size,
							 .type = STT_FUNC },
				   f.name);
	go_functions_close(&g);
}

/* Scans the other places of a stripped file's symbols. */
static void scan_elsewhere(const struct search *s, const struct object_search *search,
			   const char *path)
{
	struct object_file self = { .elf = (struct elf *)(uintptr_t)s->program, .path = NULL },
			   debug;
	struct image img = { .kind = IMAGE_ELF, .path = path, .name = path };
	struct elf *mini;
	bool has_table = false;

	if (!elf_open_debugdata(s->program, &mini, NULL)) {
		has_table = scan_file(s, mini);
		elf_close(mini);
	}
	self.path = (char *)(uintptr_t)path;
	elf_build_id(s->program, &img.build_id);
	if (!object_open_debug(search, &img, &self, &debug, NULL)) {
		has_table |= scan_file(s, debug.elf);
		object_close(&debug);
	}
	if (!has_table)
		scan_go_functions(s);
}

static int by_address(const void *a, const void *b)
{
	const struct probe_function *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* Sorts the functions. One that two tables name is kept once. */
static void settle(struct probe_functions *f)
{
	size_t kept = 0;

	vec_sort(&f->list, by_address);
	for (size_t i = 0; i < f->list.count; i++) {
		if (kept && !by_address(&f->list.items[kept - 1], &f->list.items[i])) {
			free(f->list.items[i].name);
			free(f->list.items[i].module);
			continue;
		}
		f->list.items[kept++] = f->list.items[i];
	}
	f->list.count = kept;
}

/*
 * Drops old versions of a name, if there is a new one: a name without a version means the newest.
 */
static void drop_old_versions(struct probe_functions *f)
{
	bool has_new = false;
	size_t kept = 0;

	vec_for_each(&f->list, it)
		has_new |= !it->old_version;
	for (size_t i = 0; has_new && i < f->list.count; i++) {
		if (f->list.items[i].old_version)
			free(f->list.items[i].name);
		else
			f->list.items[kept++] = f->list.items[i];
	}
	f->list.count = has_new ? kept : f->list.count;
}

static int none_found(const char *what, const char *pattern, const char *where, struct reason *r)
{
	if (pattern)
		return reason_set(r, ENOENT, "no function '%s' in %s", pattern, where);
	return reason_set(r, ENOENT, "no %s in %s", what, where);
}

int probe_user_functions(const struct object_search *search, const char *path, const char *pattern,
			 bool demangle, struct probe_functions *out, struct reason *r)
{
	static const struct object_search nowhere = { .symfs = "", .buildid_dir = "" };
	struct search s = { .pattern = pattern,
			    .glob = pattern && name_has_glob(pattern),
			    .demangle = demangle,
			    .out = out };
	struct elf *e;
	bool stripped;
	int err = elf_open(path, &e, r);

	if (err)
		return err;
	stripped = !elf_section_of_type(e, SHT_SYMTAB);
	s.program = e;
	entry_points_find(&s.entries, e);
	s.qualified = pattern && !s.glob && name_is_qualified(pattern);
	s.parameters = s.qualified && name_has_parameters(pattern);
	if (elf_section(e, "__ksymtab") && elf_type(e) != ET_REL) {
		s.gone[0] = elf_section(e, ".init.text");
		s.gone[1] = elf_section(e, ".exit.text");
	}
	if (!scan_file(&s, e))
		scan_elsewhere(&s, search ? search : &nowhere, path);
	elf_close(e);
	settle(out);
	if (pattern && !s.glob && !strchr(pattern, '@'))
		drop_old_versions(out);
	if (out->list.count)
		return 0;
	none_found("symbols", pattern, path, r);
	if (stripped)
		reason_hint(
			r,
			"it is stripped: install its debug symbols (Debian: find-dbgsym-packages "
			"'%s')",
			path);
	return -ENOENT;
}

u64 probe_elf_symbol(const struct elf *e, const char *name)
{
	const struct elf_section *table = elf_section_of_type(e, SHT_SYMTAB);
	u32 count = table ? elf_symbol_count(e, table) : 0;
	struct elf_symbol sym;

	for (u32 i = 0; i < count; i++)
		if (elf_symbol_at(e, table, i, &sym) && !strcmp(sym.name, name))
			return sym.value;
	return 0;
}

u64 probe_local_entry(const struct elf *e, u64 address)
{
	static const u32 tables[] = { SHT_SYMTAB, SHT_DYNSYM };
	struct elf_symbol sym;

	for (size_t t = 0; t < ARRAY_SIZE(tables); t++) {
		const struct elf_section *table = elf_section_of_type(e, tables[t]);
		u32 count = table ? elf_symbol_count(e, table) : 0;

		for (u32 i = 0; i < count; i++)
			if (elf_symbol_at(e, table, i, &sym) && sym.type == STT_FUNC &&
			    sym.value == address && sym.section != SHN_UNDEF)
				return (1u << (sym.other >> 5)) >> 2 << 2;
	}
	return 0;
}

static bool same_module(const char *a, const char *b)
{
	for (; *a && *b; a++, b++)
		if (*a != *b && !((*a == '-' || *a == '_') && (*b == '-' || *b == '_')))
			return false;
	return !*a && !*b;
}

/* Reads one line of kallsyms: "ffffffff81000000 T _text" or "ffffffffc0000000 t f\t[module]". */
static void scan_kallsyms_line(const struct search *s, const char *module, char *line, bool *shown)
{
	char *end, *name, *of, *plain;
	unsigned long long address = strtoull(line, &end, 16);
	char type;

	if (end == line || end[0] != ' ' || !end[1] || end[2] != ' ')
		return;
	type = end[1];
	name = end + 3;
	of = strchr(name, '\t');
	if (of) {
		*of++ = '\0';
		of += *of == '[';
		of[strcspn(of, "]")] = '\0';
	}
	*shown |= address != 0;
	if (!strchr("tTwW", type))
		return;
	plain = s->demangle && is_mangled(name) ? symbol_demangle(name, false) : NULL;
	if (!name_matches(s, name) && !(plain && name_matches(s, plain)))
		goto out;
	if (module && !same_module(module, of ? of : ""))
		goto out;
	vec_push(&s->out->list, (struct probe_function){ .name = xstrdup(name),
							 .address = address,
							 .file_offset = UINT64_MAX,
							 .module = of ? xstrdup(of) : NULL });
out:
	free(plain);
}

int probe_kernel_functions(const struct sys *sys, const char *module, const char *pattern,
			   bool demangle, struct probe_functions *out, struct reason *r)
{
	struct search s = { .pattern = pattern,
			    .glob = pattern && has_glob(pattern),
			    .demangle = demangle,
			    .out = out };
	struct strbuf b = STRBUF_INIT;
	int err = sys_read(sys, &b, "/proc/kallsyms");
	char *rest = b.s, *line;
	bool shown = false;
	const char *why, *hint;

	if (err)
		return reason_errno(r, -err, "cannot read /proc/kallsyms");
	while (rest && (line = strsep(&rest, "\n")))
		scan_kallsyms_line(&s, module, line, &shown);
	strbuf_release(&b);
	if (!shown) {
		why = explain_kallsyms(sys, &hint);
		err = reason_set(r, EACCES, "the kernel hides its addresses: %s",
				 why ? why : "/proc/kallsyms shows only zeros");
		if (hint)
			reason_hint(r, "%s", hint);
		return err;
	}
	settle(out);
	if (out->list.count)
		return 0;
	return none_found("functions", pattern, module && *module ? module : "the running kernel",
			  r);
}

const struct probe_function *probe_function_at(const struct probe_functions *f, bool by_offset,
					       u64 where)
{
	const struct probe_function *best = NULL;
	u64 best_at = 0;

	vec_for_each(&f->list, it) {
		u64 at = by_offset ? it->file_offset : it->address;

		if (at > where || (by_offset && at == UINT64_MAX) || (best && at <= best_at))
			continue;
		if (it->size && where - at >= it->size)
			continue;
		best = it;
		best_at = at;
	}
	return best;
}

void probe_functions_release(struct probe_functions *f)
{
	vec_for_each(&f->list, it) {
		free(it->name);
		free(it->module);
	}
	vec_release(&f->list);
}

bool probe_function_is_alias(const struct probe_functions *f, size_t i)
{
	return i && f->list.items[i].address == f->list.items[i - 1].address;
}
