// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Unwinds with libunwind, by its accessors for another process: x86-64 samples only, since the
 * library is built for one target. It is opened on first use.
 *
 * One address space (with the library's cache) for each set of mappings. Source of .eh_frame_hdr:
 * LSB, "Exception Frames".
 */
#include <elf.h>
#include <libunwind-x86_64.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/alloc.h"
#include "base/library.h"
#include "unwind/internal.h"

#define MAX_SPACES  8
#define MAX_MODULES 64

/* The place of an image in the process. */
struct module {
	struct image_cfi *image;
	u64 bias;       /* run-time address minus the file's */
	u64 start, end; /* its segments at run time */
};

struct address_space {
	unw_addr_space_t as;
	struct unwinder *u;
	space_version space;
	u64 last_used;
	struct module modules[MAX_MODULES];
	u32 module_count;
	/* about the current sample */
	const struct unwind_request *q;
	const struct arch *arch;
	struct unwind_memory memory;
	struct unwind_miss miss;
};

struct libunwind_state {
	struct address_space spaces[MAX_SPACES];
	u64 clock;
};

static struct {
	__typeof__(unw_create_addr_space) *create;
	__typeof__(unw_destroy_addr_space) *destroy;
	__typeof__(unw_set_caching_policy) *set_caching;
	__typeof__(unw_init_remote) *init;
	__typeof__(unw_step) *step;
	__typeof__(unw_get_reg) *get_reg;
	__typeof__(unw_is_signal_frame) *is_signal;
	int (*search)(unw_addr_space_t, unw_word_t, unw_dyn_info_t *, unw_proc_info_t *, int,
		      void *);
} lib;

static bool opened;

static void open_library(void)
{
	static const struct library_symbol symbols[] = {
		{ "_Ux86_64_create_addr_space", (void **)&lib.create },
		{ "_Ux86_64_destroy_addr_space", (void **)&lib.destroy },
		{ "_Ux86_64_set_caching_policy", (void **)&lib.set_caching },
		{ "_Ux86_64_init_remote", (void **)&lib.init },
		{ "_Ux86_64_step", (void **)&lib.step },
		{ "_Ux86_64_get_reg", (void **)&lib.get_reg },
		{ "_Ux86_64_is_signal_frame", (void **)&lib.is_signal },
		{ "_Ux86_64_dwarf_search_unwind_table", (void **)&lib.search },
	};

	opened = library_open("libunwind-x86_64.so.8", symbols, ARRAY_SIZE(symbols));
}

static bool usable(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, open_library);
	return opened;
}

/* Images */

/*
 * Places an image in the process. It starts from the address itself, since a mapping's first page
 * can hold the end of the previous segment, which is mapped elsewhere.
 */
static bool place_module(struct module *m, struct image_cfi *i, const struct mapping *map, u64 at)
{
	const struct elf *e = i->object.elf;
	u64 addr;

	if (!e || !elf_offset_to_addr(e, at - map->start + map->pgoff, &addr))
		return false;
	*m = (struct module){ .image = i, .bias = at - addr, .start = UINT64_MAX };
	for (u32 n = 0; n < elf_segment_count(e); n++) {
		const struct elf_segment *s = elf_segment_at(e, n);

		if (s->type != PT_LOAD)
			continue;
		m->start = MIN(m->start, s->vaddr + m->bias);
		m->end = MAX(m->end, s->vaddr + s->memory_size + m->bias);
	}
	return m->start < m->end;
}

static struct module *known_module(struct address_space *s, u64 addr)
{
	for (u32 i = 0; i < s->module_count; i++)
		if (addr - s->modules[i].start < s->modules[i].end - s->modules[i].start)
			return &s->modules[i];
	return NULL;
}

static struct module *module_of(struct address_space *s, u64 addr)
{
	struct module *m = known_module(s, addr);
	const struct mapping *map;

	if (m)
		return m;
	map = history_find(s->q->history, s->space, addr);
	if (!map || s->module_count == MAX_MODULES)
		return NULL;
	m = &s->modules[s->module_count];
	if (!place_module(m, unwinder_image(s->u, map->image), map, addr))
		return NULL;
	s->module_count++;
	return m;
}

/* Finds the search table of .eh_frame_hdr: entries of two 32-bit offsets from the section. */
static bool find_table(const struct module *m, unw_dyn_info_t *di)
{
	const struct elf *e = m->image->object.elf;
	const struct elf_section *s = elf_section(e, ".eh_frame_hdr");
	struct elf_bytes b;
	struct cursor c;
	u64 count;

	if (!s)
		return false;
	b = elf_section_raw(e, s);
	c = cursor_at(b.data, b.size, 0, elf_is_swapped(e));
	/* version 1; .eh_frame relative to here; a 32-bit count; offsets from the section */
	if (cursor_u32(&c) != 0x3b031b01)
		return false;
	cursor_skip(&c, 4);
	count = cursor_u32(&c);
	if (c.bad || count > cursor_left(&c) / 8)
		return false;
	di->format = UNW_INFO_FORMAT_REMOTE_TABLE;
	di->start_ip = m->start;
	di->end_ip = m->end;
	di->u.rti.segbase = s->addr + m->bias;
	di->u.rti.table_data = s->addr + m->bias + 12;
	di->u.rti.table_len = count * 8 / sizeof(unw_word_t);
	return true;
}

/* Accessors */

static int find_proc_info(unw_addr_space_t as, unw_word_t ip, unw_proc_info_t *info, int need,
			  void *arg)
{
	struct address_space *s = arg;
	struct module *m = module_of(s, ip);
	unw_dyn_info_t di = { 0 };

	if (!m || !find_table(m, &di))
		return -UNW_ENOINFO;
	return lib.search(as, ip, &di, info, need, arg);
}

/* Does nothing: libunwind itself allocates what it returns. */
static void put_unwind_info(unw_addr_space_t as, unw_proc_info_t *info, void *arg)
{
	(void)as, (void)info, (void)arg;
}

static int no_dynamic_list(unw_addr_space_t as, unw_word_t *addr, void *arg)
{
	(void)as, (void)addr, (void)arg;
	return -UNW_ENOINFO;
}

static bool read_object(const struct module *m, u64 addr, u64 *value)
{
	const struct elf *e = m->image->object.elf;
	size_t size;
	const u8 *data = elf_data(e, &size);
	u64 offset;

	if (!elf_addr_to_offset(e, addr - m->bias, &offset) || offset > size)
		return false;
	*value = 0;
	memcpy(value, data + offset, MIN(sizeof(*value), size - offset));
	return true;
}

static int access_mem(unw_addr_space_t as, unw_word_t addr, unw_word_t *value, int write, void *arg)
{
	struct address_space *s = arg;
	struct module *m;
	u64 v;

	(void)as;
	if (write)
		return -UNW_EINVAL;
	m = known_module(s, addr);
	if (m ? !read_object(m, addr, &v) : !memory_read(&s->memory, addr, 8, &v))
		return -UNW_EINVAL;
	*value = v;
	return 0;
}

static int access_reg(unw_addr_space_t as, unw_regnum_t reg, unw_word_t *value, int write,
		      void *arg)
{
	struct address_space *s = arg;
	u64 mask = s->q->sample->event->attr.sample_regs_user, v;
	/* its numbers are DWARF's */
	int bit =
		reg >= 0 && reg <= UNW_X86_64_RIP ? arch_reg_by_dwarf(s->arch, (unsigned)reg) : -1;

	(void)as;
	if (write || bit < 0 ||
	    !sample_reg(s->q->set, mask, s->q->sample->user_regs, (unsigned)bit, &v))
		return -UNW_EBADREG;
	*value = v;
	return 0;
}

static int no_fpreg(unw_addr_space_t as, unw_regnum_t reg, unw_fpreg_t *value, int write, void *arg)
{
	(void)as, (void)reg, (void)value, (void)write, (void)arg;
	return -UNW_EINVAL;
}

static int no_resume(unw_addr_space_t as, unw_cursor_t *c, void *arg)
{
	(void)as, (void)c, (void)arg;
	return -UNW_EINVAL;
}

static int no_name(unw_addr_space_t as, unw_word_t addr, char *name, size_t size,
		   unw_word_t *offset, void *arg)
{
	(void)as, (void)addr, (void)name, (void)size, (void)offset, (void)arg;
	return -UNW_EINVAL;
}

static unw_accessors_t accessors = {
	.find_proc_info = find_proc_info,
	.put_unwind_info = put_unwind_info,
	.get_dyn_info_list_addr = no_dynamic_list,
	.access_mem = access_mem,
	.access_reg = access_reg,
	.access_fpreg = no_fpreg,
	.resume = no_resume,
	.get_proc_name = no_name,
};

/* Samples */

static struct address_space *space_of(struct unwinder *u, space_version version)
{
	struct libunwind_state *st = u->state[UNWIND_LIBUNWIND];
	struct address_space *s;

	if (!st)
		st = u->state[UNWIND_LIBUNWIND] = xcalloc(1, sizeof(*st));
	s = &st->spaces[0];
	for (size_t i = 0; i < MAX_SPACES; i++) {
		struct address_space *k = &st->spaces[i];

		if (k->as && k->space == version) {
			k->last_used = ++st->clock;
			return k;
		}
		if (k->last_used < s->last_used)
			s = k;
	}
	if (s->as)
		lib.destroy(s->as);
	*s = (struct address_space){ .u = u, .space = version, .last_used = ++st->clock };
	s->as = lib.create(&accessors, 0);
	if (s->as)
		lib.set_caching(s->as, UNW_CACHE_GLOBAL);
	return s->as ? s : NULL;
}

static bool is_trampoline(struct address_space *s, u64 ip)
{
	struct module *m = module_of(s, ip);
	struct cfi *c;
	struct cfi_function *f = m ? image_cfi_find(s->u, m->image, ip - m->bias, &c) : NULL;

	return f && cfi_rows(c, f)->is_signal;
}

static struct unwind_result walk(struct address_space *s, u64 *ips, u32 max)
{
	struct unwind_result r = { .end = UNWIND_NO_CFI };
	bool exact = true; /* for the next frame */
	unw_cursor_t c;
	unw_word_t ip;
	int more = 1;

	if (lib.init(&c, s->as, s))
		return r;
	while (r.count < max && more > 0) {
		bool trampoline;

		if (lib.get_reg(&c, UNW_X86_64_RIP, &ip) || !ip)
			break;
		/* its signal frame is what was interrupted; the CFI marks the trampoline */
		exact |= lib.is_signal(&c) > 0;
		trampoline = is_trampoline(s, ip);
		ips[r.count++] = exact || trampoline ? ip : ip - 1;
		exact = trampoline;
		more = lib.step(&c);
	}
	if (r.count == max && more > 0)
		r.end = UNWIND_LIMIT;
	else if (!more || more > 0)
		r.end = UNWIND_ROOT;
	else if (s->miss.any)
		r.end = UNWIND_DUMP_ENDS;
	else if (r.count && !module_of(s, ips[r.count - 1]))
		r.end = UNWIND_UNMAPPED;
	return r;
}

static struct unwind_result libunwind_sample(struct unwinder *u, const struct unwind_request *q,
					     u64 *ips, u32 max)
{
	const struct arch *a = unwind_arch(q);
	struct unwind_result r = { .end = UNWIND_UNSUPPORTED };
	const struct sample *sample = q->sample;
	struct address_space *s;
	const struct mapping *m;
	u64 sp;

	if (!a || strcmp(a->name, "x86_64") || q->set->swap || !usable())
		return r;
	s = space_of(u, history_space(q->history, q->task, q->key));
	if (!s || !sample->user_regs ||
	    !sample_reg(q->set, sample->event->attr.sample_regs_user, sample->user_regs, a->reg_sp,
			&sp)) {
		r.end = UNWIND_NO_REGISTERS;
		return r;
	}
	s->q = q;
	s->arch = a;
	s->miss = (struct unwind_miss){ 0 };
	s->memory = unwind_stack(q, a, sp);
	s->memory.miss = &s->miss;
	r = walk(s, ips, max);
	r.missed = unwind_missed(&s->memory);
	m = r.count ? history_find(q->history, s->space, ips[r.count - 1]) : NULL;
	r.image = m ? m->image : 0;
	return r;
}

static void libunwind_free(void *state)
{
	struct libunwind_state *st = state;

	for (size_t i = 0; i < MAX_SPACES; i++)
		if (st->spaces[i].as)
			lib.destroy(st->spaces[i].as);
	free(st);
}

const struct unwind_backend unwind_libunwind = {
	.package = "libunwind8",
	.usable = usable,
	.sample = libunwind_sample,
	.free = libunwind_free,
};
