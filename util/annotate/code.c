// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds the bytes of a function: in files, the vdso, vmlinux, modules, BPF programs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/counts.h"
#include "annotate/internal.h"
#include "arch/arch.h"
#include "base/alloc.h"
#include "object/elf_module.h"
#include "object/entry_points.h"
#include "object/vdso.h"
#include "process/history.h"

/* A larger function means that the symbol table is damaged. */
#define MAX_FUNCTION (16u << 20)

static void open_kernel_file(struct annotator *a, const struct image *img, struct open_object *o)
{
	const struct symbol_table *t = symbols_of(a->symbols, img->id);
	const char *source = symbol_table_source(t);
	char origin = symbol_table_origin(t);

	/*
	 * 'k' and 'g' are kallsyms, which has no code; a module's file has, and source lines as
	 * well
	 */
	if (origin == 'k' && img->kind == IMAGE_MODULE && !a->set.kcore) {
		o->err = object_open(symbol_store_search(a->symbols), img, -1, &o->file, NULL);
		return;
	}
	if (!source || origin == 'k' || origin == 'g' || elf_open(source, &o->file.elf, NULL)) {
		o->err = -ENOENT;
		return;
	}
	o->file.path = xstrdup(source);
	o->file.origin = origin;
}

static void open_object(struct annotator *a, struct open_object *o)
{
	const struct image *img = image_get(a->images, o->image);

	switch (img->kind) {
	case IMAGE_KERNEL:
	case IMAGE_MODULE:
		open_kernel_file(a, img, o);
		break;
	case IMAGE_ELF:
	case IMAGE_VDSO:
	case IMAGE_DUMP:
		o->err =
			object_open(symbol_store_search(a->symbols), img, -1, &o->file, &o->reason);
		break;
	default:
		o->err = reason_set(&o->reason, ENODATA, "'%s' is not a file that holds code",
				    img->path);
	}
}

struct open_object *annotator_object(struct annotator *a, u32 image)
{
	struct open_object *o;

	vec_for_each(&a->objects, it)
		if ((*it)->image == image)
			return *it;
	o = xcalloc(1, sizeof(*o));
	o->image = image;
	open_object(a, o);
	vec_push(&a->objects, o);
	return o;
}

static const struct elf_section *section_of_offset(const struct elf *e, u64 offset)
{
	for (u32 i = 1; i < elf_section_count(e); i++) {
		const struct elf_section *s = elf_section_at(e, i);

		if (s && s->type != 8 /* SHT_NOBITS */ && s->flags & 2 /* SHF_ALLOC */ &&
		    offset >= s->offset && offset - s->offset < s->size)
			return s;
	}
	return NULL;
}

/* Reports whether it is a debug file in the object's place. */
static bool has_no_bytes(const struct elf *e)
{
	for (u32 i = 0; i < elf_segment_count(e); i++)
		if (elf_segment_at(e, i)->placed)
			return true;
	return false;
}

/* Finds the place in the file of a symbol's place in the image. */
static bool file_place(struct annotator *a, const struct image *img, const struct elf *e, u64 start,
		       u64 *offset, u64 *addr)
{
	const struct elf_section *s;
	struct module_layout layout;

	if (img->kind == IMAGE_KERNEL) {
		*addr = lines_address(a->lines, img->id, start);
		return elf_addr_to_offset(e, *addr, offset);
	}
	if (img->kind == IMAGE_MODULE) {
		module_layout_read(&layout, e);
		*addr = start - img->addr + MODULE_ORIGIN;
		s = module_section_at(&layout, e, *addr);
		if (s) {
			*offset = *addr - layout.addresses[s->index] + s->offset;
			*addr = *offset - s->offset + s->addr;
		}
		module_layout_release(&layout);
		return s && s->type != 8 /* SHT_NOBITS */;
	}
	*offset = start;
	return elf_offset_to_addr(e, start, addr) && !has_no_bytes(e);
}

static int code_of_file(struct annotator *a, const struct image *img, struct open_object *o,
			const struct symbol *sym, struct code *c, struct reason *r)
{
	const struct elf *e = o->file.elf;
	const struct elf_section *s;
	u64 offset, addr, end;
	size_t size;
	const u8 *data = elf_data(e, &size);

	if (!file_place(a, img, e, sym->start, &offset, &addr))
		return reason_set(r, ENODATA, "'%s' holds no code at 0x%" PRIx64, o->file.path,
				  sym->start);
	s = section_of_offset(e, offset);
	end = s ? s->offset + s->size : size;
	if (offset >= size || end > size || offset >= end)
		return reason_set(r, ENODATA, "'%s' ends before it", o->file.path);
	c->bytes = data + offset;
	c->size = (size_t)MIN(symbol_end(sym) - sym->start, end - offset);
	c->address = addr;
	c->elf = e;
	c->path = o->file.path;
	c->section = s ? s->name : "";
	c->machine = elf_machine(e);
	c->arch = arch_by_elf(c->machine, elf_is_64(e),
			      elf_is_swapped(e) == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__));
	c->thumb = entry_point_is_thumb(e, addr) ||
		   (o->debug.elf && entry_point_is_thumb(o->debug.elf, addr));
	c->is_file = img->kind != IMAGE_VDSO || o->file.path[0] == '/';
	return 0;
}

static const struct arch *recorded_arch(const struct annotator *a)
{
	const struct arch *arch = a->set.arch ? arch_by_name(a->set.arch) : NULL;

	return arch ? arch : arch_host();
}

static int code_of_kernel(struct annotator *a, const struct image *img, const struct symbol *sym,
			  struct code *c, struct reason *r)
{
	const char *core = a->set.kcore ? a->set.kcore : "/proc/kcore";
	char id[41];
	struct reason why = REASON_INIT;
	u8 *bytes;
	int err;

	if (img->guest) {
		err = reason_set(r, ENOENT, "no kernel image of the guest is known");
		reason_hint(r, "--guestvmlinux FILE names it");
		return err;
	}
	build_id_text(&img->build_id, id);
	if (!core[0] || (!a->set.kcore && !a->set.arch_of_host)) {
		err = reason_set(r, ENOENT, "no vmlinux%s%s is known",
				 id[0] ? " with build-id " : "", id);
	} else {
		err = kcore_read(core, sym->start, symbol_end(sym) - sym->start, &bytes, &why);
		if (!err) {
			c->bytes = c->owned = bytes;
			c->size = (size_t)(symbol_end(sym) - sym->start);
			c->address = sym->start;
			c->path = core;
			c->section = "load";
			c->arch = recorded_arch(a);
			c->machine = c->arch->e_machine;
			return 0;
		}
		err = reason_set(r, -err, "no vmlinux%s%s is known, and %s",
				 id[0] ? " with build-id " : "", id, why.text ? why.text : core);
		reason_release(&why);
	}
	if (img->kind == IMAGE_MODULE)
		reason_hint(r, "install the modules of the kernel that was recorded, or look below "
			       "another root: --symfs DIR");
	else
		reason_hint(
			r, "-k VMLINUX names it, perf buildid-cache -u VMLINUX keeps it for later; "
			   "as root "
			   "on the recorded machine, /proc/kcore will do");
	return err;
}

static int code_of_bpf(struct annotator *a, const struct image *img, const struct symbol *sym,
		       struct code *c, struct reason *r)
{
	size_t size = 0;

	if (!a->set.bpf_code || !a->set.bpf_code(a->set.bpf_arg, sym->start, &c->bytes, &size) ||
	    !size) {
		reason_set(r, ENODATA, "the recording does not hold the code of this BPF program");
		reason_hint(r,
			    "record it as root: perf record keeps the code of the programs it can "
			    "read");
		return -ENODATA;
	}
	c->size = MIN(size, symbol_end(sym) - sym->start);
	c->address = sym->start;
	c->path = img->path;
	c->section = ".text";
	c->arch = recorded_arch(a);
	c->machine = c->arch->e_machine;
	return 0;
}

static int cannot(const struct image *img, struct reason *r)
{
	reason_set(r, ENODATA, "its code is in no file: it was made at run time (%s)", img->name);
	reason_hint(r, "record with a JIT agent that writes jitdump, then perf inject --jit");
	return -ENODATA;
}

/* Finds code that the kernel made during the recording: trampolines of ftrace and BPF. */
static int code_of_records(struct annotator *a, const struct image *img, const struct symbol *sym,
			   struct code *c)
{
	size_t size = (size_t)(symbol_end(sym) - sym->start);

	if (!a->set.history)
		return -ENODATA;
	c->owned = xcalloc(1, size);
	if (history_code(a->set.history, sym->start, c->owned, size, LAST_CODE) < size) {
		free(c->owned);
		c->owned = NULL;
		return -ENODATA;
	}
	c->bytes = c->owned;
	c->size = size;
	c->address = sym->start;
	c->path = img->path;
	c->section = ".text";
	c->arch = recorded_arch(a);
	c->machine = c->arch->e_machine;
	return 0;
}

/* The form shown of a function that the kernel changed, and how many samples saw it. */
struct form {
	code_version version; /* a version with this form */
	u64 samples;
};

/* Returns the bytes of a version. The caller frees them. */
static u8 *bytes_of(struct annotator *a, const struct symbol *sym, const struct code *c,
		    code_version version)
{
	u8 *bytes = xmemdup(c->bytes, c->size);

	history_code(a->set.history, sym->start, bytes, c->size, version);
	return bytes;
}

/*
 * Returns the form that most samples saw; among equals, the last. Changes that were reverted are
 * one form. Sets *all to the samples of the function.
 */
static struct form commonest_form(struct annotator *a, u32 image, const struct symbol *sym,
				  const struct code *code, u64 *all)
{
	struct annotate_counts *c = a->set.counts;
	struct code_forms forms;
	struct map64 sums = { 0 };
	struct form best = { 0 };
	u64 *samples;

	annotate_counts_sort(c);
	code_forms_read(&forms, a->set.history, sym->start, code->bytes, code->size);
	/* samples that saw it after this many changes */
	samples = xcalloc(forms.count + 1, sizeof(*samples));
	*all = 0;
	for (size_t i = annotate_counts_from(c, image, sym->start);
	     i < c->used && c->sorted[i].image == image &&
	     c->sorted[i].offset - sym->start < code->size;
	     i++) {
		const struct place_count *p = &c->sorted[i];
		u32 n = code_forms_before(&forms, p->version);

		samples[n] += p->count.samples;
		*map64_put(&sums, forms.forms[n], NULL) += p->count.samples;
		*all += p->count.samples;
	}
	for (u32 n = 0; n <= forms.count; n++) {
		u64 sum = samples[n] ? *map64_get(&sums, forms.forms[n]) : 0;

		if (sum && sum >= best.samples)
			best = (struct form){ code_forms_version(&forms, n), sum };
	}
	map64_release(&sums);
	code_forms_release(&forms);
	free(samples);
	return best;
}

static void say_changes(struct annotator *a, const struct symbol *sym, u32 changes,
			const struct form *shown, u64 all)
{
	if (shown->samples < all)
		condition_add(&a->ctx->conditions, CONDITION_WARNING, "code-changed", sym->name,
			      NULL, 1, NULL,
			      "the kernel changed the code of '%s' %u times while it was recorded; "
			      "shown is what %" PRIu64 " of its %" PRIu64 " samples saw",
			      sym->name, changes, shown->samples, all);
	else if (changes > 1)
		condition_add(&a->ctx->conditions, CONDITION_NOTE, "code-changed", sym->name, NULL,
			      1, NULL,
			      "the kernel changed the code of '%s' %u times while it was recorded; "
			      "shown is %s",
			      sym->name, changes,
			      all ? "the form that its samples saw" : "the last form");
}

/*
 * Applies the changes that the kernel made to its code: static keys, static calls, ftrace, kprobes.
 */
static void apply_changes(struct annotator *a, u32 image, const struct symbol *sym, struct code *c)
{
	u32 changes = a->set.history
			      ? history_code_changes(a->set.history, sym->start, c->size, LAST_CODE)
			      : 0;
	struct form shown = { 0 };
	u64 all = 0;
	u8 *bytes;

	if (!changes)
		return;
	if (a->set.counts)
		shown = commonest_form(a, image, sym, c, &all);
	bytes = bytes_of(a, sym, c, all ? shown.version : LAST_CODE);
	free(c->owned);
	c->bytes = c->owned = bytes;
	c->is_file = false; /* the file has other bytes */
	say_changes(a, sym, changes, &shown, all);
}

static int find_code(struct annotator *a, u32 image, const struct symbol *sym, struct code *c,
		     struct reason *r)
{
	const struct image *img = image_get(a->images, image);
	struct open_object *o;
	int err;

	*c = (struct code){ .from_offset = sym->start };
	if (symbol_end(sym) <= sym->start || symbol_end(sym) - sym->start > MAX_FUNCTION)
		return reason_set(r, ENODATA,
				  "it has an impossible size: 0x%" PRIx64 " to 0x%" PRIx64,
				  sym->start, symbol_end(sym));
	if (img->kind == IMAGE_BPF)
		return code_of_records(a, img, sym, c) ? code_of_bpf(a, img, sym, c, r) : 0;
	if (img->kind == IMAGE_JIT || img->kind == IMAGE_OTHER || img->kind == IMAGE_UNKNOWN ||
	    img->kind == IMAGE_VSYSCALL)
		return cannot(img, r);
	o = annotator_object(a, image);
	if (!o->err)
		return code_of_file(a, img, o, sym, c, r);
	if (img->kind == IMAGE_KERNEL || img->kind == IMAGE_MODULE)
		return code_of_kernel(a, img, sym, c, r);
	err = reason_set(r, -o->err, "%s",
			 o->reason.text ? o->reason.text : "the object cannot be opened");
	if (o->reason.hint)
		reason_hint(r, "%s", o->reason.hint);
	else
		reason_hint(
			r, "keep a copy where it was recorded: perf archive; or look below another "
			   "directory: --symfs DIR");
	return err;
}

int code_find(struct annotator *a, u32 image, const struct symbol *sym, struct code *c,
	      struct reason *r)
{
	const struct image *img = image_get(a->images, image);
	int err = find_code(a, image, sym, c, r);

	if (!err && (img->kind == IMAGE_KERNEL || img->kind == IMAGE_MODULE) && !img->guest)
		apply_changes(a, image, sym, c);
	return err;
}
