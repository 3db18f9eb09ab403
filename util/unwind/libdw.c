// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Unwinds with elfutils. One handle (Dwfl) for each set of mappings is kept for later samples of
 * the same set; images are reported to it when an address in them first occurs.
 */
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/alloc.h"
#include "base/file.h"
#include "base/out.h"
#include "object/inflate.h"
#include "unwind/internal.h"

#define MAX_HANDLES 8

struct handle {
	Dwfl *dwfl;
	struct unwinder *u;
	space_version space;
	const struct arch *arch;
	bool attached;
	u64 last_used;
	/* about the current sample */
	const struct unwind_request *q;
	struct unwind_memory memory;
	struct unwind_result result;
	u64 *ips;
	u32 max;
	struct unwind_miss miss;
};

struct libdw_state {
	struct handle handles[MAX_HANDLES];
	u64 clock;
};

/*
 * Finds no file, since only files that our own search finds are used: elfutils' would contact
 * servers.
 */
static int find_elf(Dwfl_Module *m, void **data, const char *name, Dwarf_Addr base, char **file,
		    Elf **elf)
{
	(void)m, (void)data, (void)name, (void)base, (void)file, (void)elf;
	return -1;
}

static int find_debug(Dwfl_Module *m, void **data, const char *name, Dwarf_Addr base,
		      const char *file, const char *link, GElf_Word crc, char **found)
{
	struct image_cfi *i = *data;
	int fd = -1;

	(void)m, (void)name, (void)base, (void)file, (void)link, (void)crc;
	if (i && i->debug.path && i->debug.path[0] == '/' && !inflate_check(i->debug.elf, NULL)) {
		fd = file_open(i->debug.path, NULL);
		*found = fd < 0 ? NULL : strdup(i->debug.path);
	}
	return fd;
}

static const Dwfl_Callbacks callbacks = { .find_elf = find_elf, .find_debuginfo = find_debug };

/* Returns a descriptor of the object's bytes, wherever they are. */
static int image_fd(const struct image_cfi *i)
{
	size_t size;
	const u8 *data;
	int fd = -1;

	if (i->object.path[0] == '/')
		fd = open(i->object.path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	data = elf_data(i->object.elf, &size);
	fd = memfd_create("object", MFD_CLOEXEC);
	if (fd >= 0 && write_all(fd, (const char *)data, size)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/*
 * Finds the address of the image's first segment in the process. It starts from the address pc
 * itself, since a mapping's first page can hold the end of the previous segment, which is mapped
 * elsewhere.
 */
static bool first_address(const struct image_cfi *i, const struct mapping *m, u64 pc, u64 *base)
{
	u64 addr;

	if (!elf_offset_to_addr(i->object.elf, pc - m->start + m->pgoff, &addr))
		return false;
	for (u32 n = 0; n < elf_segment_count(i->object.elf); n++) {
		const struct elf_segment *s = elf_segment_at(i->object.elf, n);

		if (s->type != PT_LOAD)
			continue;
		*base = pc - addr + (s->vaddr & ~(MAX(s->align, 1) - 1));
		return true;
	}
	return false;
}

/* Reports the image at an address to libdw. Returns false if libdw cannot use it. */
static bool tell_image(struct handle *h, u64 pc)
{
	const struct mapping *m;
	Dwfl_Module *module;
	struct image_cfi *i;
	void **data;
	u64 base;
	int fd;

	if (dwfl_addrmodule(h->dwfl, pc))
		return true;
	m = history_find(h->q->history, h->space, pc);
	h->result.image = m ? m->image : 0;
	if (!m)
		return false;
	i = unwinder_image(h->u, m->image);
	/* libdw inflates sections without a limit */
	if (!i->object.elf || inflate_check(i->object.elf, NULL) || !first_address(i, m, pc, &base))
		return false;
	fd = image_fd(i);
	if (fd < 0)
		return false;
	module = dwfl_report_elf(h->dwfl, i->image->name, i->object.path, fd, base, false);
	if (!module) {
		close(fd);
		return false;
	}
	if (dwfl_module_info(module, &data, NULL, NULL, NULL, NULL, NULL, NULL))
		*data = i;
	return dwfl_addrmodule(h->dwfl, pc) == module;
}

/* Returns the only thread, whose registers are the sample's. */
static pid_t next_thread(Dwfl *dwfl, void *arg, void **thread_arg)
{
	struct handle *h = arg;

	(void)dwfl;
	if (*thread_arg)
		return 0;
	*thread_arg = h;
	return 1;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *arg, void **thread_arg)
{
	(void)dwfl, (void)tid;
	*thread_arg = arg;
	return true;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr addr, Dwarf_Word *result, void *arg)
{
	struct handle *h = arg;
	u64 value;

	(void)dwfl;
	if (!memory_read(&h->memory, addr, h->memory.word, &value))
		return false;
	*result = value;
	return true;
}

/*
 * Tells libdw the signature bits of return addresses on arm64. Newer elfutils (0.192) clear the
 * bits of a mask, which they take as a register of this number. Older ones (0.188) refuse it, and
 * their stacks end at a signed address.
 */
static void set_signature_bits(Dwfl_Thread *thread, const struct arch_unwind *facts)
{
	enum { SIGNATURE_MASK = -2 };
	Dwarf_Word bits = facts ? ~facts->code_mask : 0;

	if (facts && facts->code_mask)
		dwfl_thread_state_registers(thread, SIGNATURE_MASK, 1, &bits);
}

static bool set_registers(Dwfl_Thread *thread, void *arg)
{
	struct handle *h = arg;
	const struct sample *s = h->q->sample;
	u64 mask = s->event->attr.sample_regs_user, value;

	for (unsigned i = 0; i < h->arch->reg_count && i < 64; i++) {
		s16 dwarf = h->arch->regs[i].dwarf;

		if (dwarf < 0 || !sample_reg(h->q->set, mask, s->user_regs, i, &value))
			continue;
		/* it refuses flags and the like, which have no number there; that is harmless */
		dwfl_thread_state_registers(thread, dwarf, 1, &value);
	}
	set_signature_bits(thread, h->arch->unwind);
	if (!sample_reg(h->q->set, mask, s->user_regs, h->arch->reg_ip, &value))
		return false;
	dwfl_thread_state_register_pc(thread, value);
	return true;
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = next_thread,
	.get_thread = get_thread,
	.memory_read = read_memory,
	.set_initial_registers = set_registers,
};

static int take_frame(Dwfl_Frame *frame, void *arg)
{
	struct handle *h = arg;
	Dwarf_Addr pc;
	bool exact;

	if (h->result.count >= h->max)
		return DWARF_CB_ABORT;
	if (!dwfl_frame_pc(frame, &pc, NULL))
		return DWARF_CB_ABORT;
	/* the next call unwinds with this image */
	if (!tell_image(h, pc) && !(h->result.count && tell_image(h, pc - 1))) {
		h->ips[h->result.count] = h->result.count ? pc - 1 : pc;
		h->result.count++;
		return DWARF_CB_ABORT;
	}
	if (!dwfl_frame_pc(frame, &pc, &exact))
		return DWARF_CB_ABORT;
	if (!exact && !tell_image(h, pc - 1))
		return DWARF_CB_ABORT;
	h->ips[h->result.count++] = exact ? pc : pc - 1;
	return DWARF_CB_OK;
}

static void drop_handle(struct handle *h)
{
	if (h->dwfl)
		dwfl_end(h->dwfl);
	*h = (struct handle){ NULL };
}

static struct handle *handle_of(struct libdw_state *st, struct unwinder *u, space_version space,
				const struct arch *a)
{
	struct handle *h = &st->handles[0];

	for (size_t i = 0; i < MAX_HANDLES; i++) {
		struct handle *k = &st->handles[i];

		if (k->dwfl && k->space == space && k->arch == a) {
			h = k;
			goto found;
		}
		if (k->last_used < h->last_used)
			h = k;
	}
	drop_handle(h);
	h->u = u;
	h->space = space;
	h->arch = a;
	h->dwfl = dwfl_begin(&callbacks);
found:
	h->last_used = ++st->clock;
	return h->dwfl ? h : NULL;
}

static enum unwind_end why(const struct handle *h, bool done)
{
	u64 last = h->result.count ? h->ips[h->result.count - 1] : 0;

	if (done)
		return UNWIND_ROOT;
	if (h->result.count >= h->max)
		return UNWIND_LIMIT;
	if (h->miss.any)
		return UNWIND_DUMP_ENDS;
	return history_find(h->q->history, h->space, last) ? UNWIND_NO_CFI : UNWIND_UNMAPPED;
}

static bool begin(struct handle *h, u64 *sp)
{
	const struct sample *s = h->q->sample;
	u64 mask = s->event->attr.sample_regs_user, pc;

	if (!s->user_regs || !sample_reg(h->q->set, mask, s->user_regs, h->arch->reg_ip, &pc) ||
	    !sample_reg(h->q->set, mask, s->user_regs, h->arch->reg_sp, sp))
		return false;
	h->ips[0] = pc;
	if (!tell_image(h, pc))
		return false;
	/* libdw learns the architecture from the first image */
	if (!h->attached)
		h->attached = dwfl_attach_state(h->dwfl, NULL, 1, &thread_callbacks, h);
	return h->attached;
}

static struct unwind_result libdw_sample(struct unwinder *u, const struct unwind_request *q,
					 u64 *ips, u32 max)
{
	const struct arch *a = unwind_arch(q);
	struct unwind_result none = { .end = UNWIND_UNSUPPORTED };
	space_version space = history_space(q->history, q->task, q->key);
	struct handle *h;
	u64 sp;
	int done;

	if (!u->state[UNWIND_LIBDW])
		u->state[UNWIND_LIBDW] = xcalloc(1, sizeof(struct libdw_state));
	h = a ? handle_of(u->state[UNWIND_LIBDW], u, space, a) : NULL;
	if (!h || !max)
		return none;
	h->q = q;
	h->result = none;
	h->ips = ips;
	h->max = max;
	h->miss = (struct unwind_miss){ 0 };
	if (!begin(h, &sp)) {
		h->result.end = UNWIND_NO_CFI;
		h->result.count = q->sample->user_regs != NULL;
		return h->result;
	}
	h->memory = unwind_stack(q, a, sp);
	h->memory.miss = &h->miss;
	done = dwfl_getthread_frames(h->dwfl, 1, take_frame, h);
	h->result.end = why(h, !done);
	h->result.missed = unwind_missed(&h->memory);
	return h->result;
}

static void libdw_free(void *state)
{
	struct libdw_state *st = state;

	for (size_t i = 0; i < MAX_HANDLES; i++)
		drop_handle(&st->handles[i]);
	free(st);
}

const struct unwind_backend unwind_libdw = {
	.package = "libdw1",
	.sample = libdw_sample,
	.free = libdw_free,
};
