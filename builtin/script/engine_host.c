// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Answers a plugin's questions about the current sample.
 *
 * A frame's texts are made once and kept by its number, so a repeated chain costs one look-up for
 * each frame.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "builtin/script/engine_internal.h"
#include "object/buildid.h"
#include "profile/insn.h"

static const struct symbol *symbol_at(struct engine_run *e, u32 image, u64 offset)
{
	const struct symbol_table *t;
	u32 n;

	if (!image)
		return NULL;
	t = symbols_of(session_symbols(e->session), image);
	n = symbol_find(t, offset);
	return n == NO_SYMBOL ? NULL : symbol_get(t, n);
}

/* Returns the name of an object as perf script shows it, valid for the whole run. */
static const char *dso_name(struct engine_run *e, u32 image)
{
	const struct image *im = image_get(e->images, image);
	const char *source;

	if (!e->options->full_kernel_path || !im->kernel || im->kind == IMAGE_BPF)
		return image_script_name(im);
	source = symbol_table_source(symbols_of(session_symbols(e->session), image));
	return source && strcmp(path_base(source), "kallsyms") ? source : image_script_name(im);
}

/* Returns the recorded build ID or else, as perf 6.1 does, that of the file of the same path. */
static const char *build_id_of(struct engine_run *e, u32 image)
{
	const struct image *im = image_get(e->images, image);
	struct build_id id = im->build_id;
	char buf[41];

	while (e->build_ids.count <= image)
		vec_push(&e->build_ids, NULL);
	if (e->build_ids.items[image])
		return e->build_ids.items[image];
	if (!id.size && im->kind == IMAGE_ELF && build_id_of_file(im->path, &id, NULL))
		id.size = 0;
	e->build_ids.items[image] = xstrdup(build_id_text(&id, buf));
	return e->build_ids.items[image];
}

static void describe_place(struct engine_run *e, const struct location *l, struct engine_place *out)
{
	const struct symbol *sym;

	*out = (struct engine_place){ .dso = NULL };
	if (!l->image || !l->mapping)
		return;
	out->dso = dso_name(e, l->image);
	out->build_id = build_id_of(e, l->image);
	out->map_start = l->mapping->start;
	out->map_end = l->mapping->end;
	out->at = l->offset;
	sym = symbol_at(e, l->image, l->offset);
	if (sym) {
		out->symbol = sym->name;
		out->start = sym->start;
		out->end = symbol_end(sym);
		out->binding = sym->binding;
		out->offset = l->offset - sym->start;
	}
}

/*
 * Finds an address of the sample's task, first in the half of the address space that its mode
 * implies, then in the other half.
 */
static void locate(struct engine_run *e, u64 addr, struct location *l)
{
	const struct session_sample *ss = e->now;
	u8 mode = ss->sample->cpumode, other = 0;

	*l = (struct location){ .image = 0 };
	if (history_locate(e->history, ss->task, mode, addr, &ss->key, l))
		return;
	switch (mode) {
	case PERF_RECORD_MISC_KERNEL:
		other = PERF_RECORD_MISC_USER;
		break;
	case PERF_RECORD_MISC_USER:
		other = PERF_RECORD_MISC_KERNEL;
		break;
	case PERF_RECORD_MISC_GUEST_KERNEL:
		other = PERF_RECORD_MISC_GUEST_USER;
		break;
	case PERF_RECORD_MISC_GUEST_USER:
		other = PERF_RECORD_MISC_GUEST_KERNEL;
		break;
	default:
		return;
	}
	/* a kernel whose size is unknown matches every address, so a match says nothing here */
	if (!history_locate(e->history, ss->task, other, addr, &ss->key, l) || !l->mapping->start)
		*l = (struct location){ .image = 0 };
}

static void host_place_of(void *arg, u64 addr, struct engine_place *out)
{
	struct engine_run *e = arg;
	struct location l;

	locate(e, addr, &l);
	describe_place(e, &l, out);
}

static void host_place(void *arg, bool data, struct engine_place *out)
{
	struct engine_run *e = arg;

	if (data)
		host_place_of(arg, e->now->sample->addr, out);
	else
		describe_place(e, &e->now->leaf, out);
}

static void describe_frame(struct engine_run *e, const struct frame *f, struct engine_frame *out)
{
	const struct symbol *sym = symbol_at(e, f->image, f->offset);

	*out = (struct engine_frame){ .ip = f->addr };
	if (f->image)
		out->dso = dso_name(e, f->image);
	if (!sym)
		return;
	out->symbol = sym->name;
	out->start = sym->start;
	out->end = symbol_end(sym);
	out->binding = sym->binding;
	out->offset = f->offset - sym->start;
}

static const struct engine_frame *frame_of(struct engine_run *e, frame_id id)
{
	struct engine_frame_slot *slot;

	while (e->frames.count <= id)
		vec_push_zero(&e->frames);
	slot = &e->frames.items[id];
	if (!slot->known) {
		describe_frame(e, chain_frame(e->chains, id), &slot->frame);
		slot->known = true;
	}
	return &slot->frame;
}

/* Adds the functions that were inlined at a frame of the unwinder, with their lines. */
static void add_inlined(struct engine_run *e, frame_id id, const struct engine_frame *around)
{
	enum { MOST = 64 };
	const struct frame *f = chain_frame(e->chains, id);
	struct source_frame frames[MOST];
	u32 count;

	if (!f->image || f->cpumode != PERF_RECORD_MISC_USER || !e->options->inlines)
		return;
	if (!e->lines)
		e->lines = line_store_new(session_symbols(e->session), &e->options->lines);
	count = MIN(lines_at(e->lines, f->image, f->offset, frames, MOST), (u32)MOST);
	for (u32 i = 0; i + 1 < count; i++) {
		struct engine_frame shown = *around;

		if (frames[i].file) {
			strbuf_clear(&e->text);
			strbuf_f(&e->text, "%s:%u", path_base(frames[i].file), frames[i].line);
			shown.source = strtab_get(&e->sources,
						  strtab_add(&e->sources, strbuf_cstr(&e->text)));
		}
		if (frames[i].function)
			shown.symbol = frames[i].function;
		vec_push(&e->chain, shown);
	}
}

static u32 host_chain(void *arg, const struct engine_frame **frames)
{
	struct engine_run *e = arg;
	const struct sample *s = e->now->sample;
	const struct recorded_chain recorded = {
		.ips = s->chain,
		.count = s->chain_count,
		.unwound = s->chain_unwound,
		.swap = e->set->swap,
		.max = e->options->max_stack,
	};
	const frame_id *ids;
	size_t count;

	*frames = NULL;
	if (!s->chain_count || e->options->hide_chains)
		return 0;
	ids = chain_frames(e->chains, e->now->task, s->cpumode, &recorded, &e->now->key, &count);
	vec_clear(&e->chain);
	for (size_t i = 0; i < count; i++) {
		const struct engine_frame *f = frame_of(e, ids[i]);

		if (s->chain_unwound)
			add_inlined(e, ids[i], f);
		vec_push(&e->chain, *f);
		if (f->symbol && strlist_has(&e->options->stop_at, f->symbol))
			break;
	}
	*frames = e->chain.items;
	return (u32)e->chain.count;
}

static u32 host_branch_count(void *arg)
{
	struct engine_run *e = arg;

	return (u32)e->now->sample->branch_count;
}

static void host_branch(void *arg, u32 n, struct engine_branch *out)
{
	struct engine_run *e = arg;
	struct sample_branch b = sample_branch(e->set, e->now->sample, n);

	*out = (struct engine_branch){
		.from = b.from,
		.to = b.to,
		.cycles = b.flags >> 4 & 0xffff,
		.mispredicted = b.flags & 1,
		.predicted = b.flags >> 1 & 1,
		.in_transaction = b.flags >> 2 & 1,
		.aborted = b.flags >> 3 & 1,
	};
}

static void host_read_value(void *arg, u32 n, struct engine_read_value *out)
{
	struct engine_run *e = arg;
	struct sample_read_value v = sample_read(e->set, e->now->sample, n);

	*out = (struct engine_read_value){ v.id, v.value, v.lost };
}

static const char *host_data_src(void *arg, u64 data_src)
{
	struct engine_run *e = arg;

	strbuf_clear(&e->text);
	script_add_data_src(data_src, &e->text);
	return strbuf_cstr(&e->text);
}

static const char *host_registers(void *arg, bool user)
{
	struct engine_run *e = arg;
	const struct sample *s = e->now->sample;
	const u8 *regs = user ? s->user_regs : s->intr_regs;
	u64 mask = user ? s->event->attr.sample_regs_user : s->event->attr.sample_regs_intr;
	unsigned at = 0;

	strbuf_clear(&e->text);
	for (unsigned reg = 0; regs && reg < 64; reg++) {
		const char *name = arch_reg_name(e->arch, reg);

		if (mask >> reg & 1)
			strbuf_f(&e->text, "%5s:0x%" PRIx64 " ", name ? name : "unknown",
				 load_u64(regs + 8 * at++, e->set->swap));
	}
	return strbuf_cstr(&e->text);
}

static s64 host_common(void *arg, enum engine_common which)
{
	struct engine_run *e = arg;
	const struct tracepoint_field *f = e->now_event ? e->now_event->common[which] : NULL;
	const struct sample *s = e->now->sample;
	u64 v;

	return f && e->formats && tracepoint_get_int(e->formats, f, s->raw, s->raw_size, &v)
		       ? (s64)v
		       : 0;
}

static bool host_source(void *arg, const char **file, u32 *line)
{
	struct engine_run *e = arg;
	const struct location *l = &e->now->leaf;
	struct source_frame frame;

	if (!l->image)
		return false;
	if (!e->lines)
		e->lines = line_store_new(session_symbols(e->session), &e->options->lines);
	if (!lines_at(e->lines, l->image, l->offset, &frame, 1) || !frame.file)
		return false;
	*file = frame.file;
	*line = frame.line;
	return true;
}

static bool host_instruction(void *arg, const u8 **bytes, u32 *size)
{
	struct engine_run *e = arg;

	if (!e->instructions)
		e->instructions = insn_reader_new(e->session);
	*bytes = insn_read(e->instructions, e->now->leaf.image, e->now->leaf.offset, size);
	return *bytes != NULL;
}

static const char *host_syscall_name(void *arg, u64 number)
{
	struct engine_run *e = arg;

	return number <= UINT32_MAX ? arch_syscall_name(e->arch, (u32)number) : NULL;
}

static void host_command(void *arg, int32_t pid, int32_t tid, struct engine_command_name *out)
{
	struct engine_run *e = arg;
	const struct task *t = history_task(e->history, 0, (u32)pid, (u32)tid, &e->now_key);

	out->name = history_comm_text(e->history, history_comm(e->history, t, &e->now_key));
	out->since = history_comm_since(e->history, t, &e->now_key);
	out->task = t->id;
}

static bool host_cancelled(void *arg)
{
	struct engine_run *e = arg;

	return context_cancelled(e->ctx);
}

void engine_host_init(struct engine_run *e)
{
	e->host = (struct engine_host){
		.interface = ENGINE_INTERFACE,
		.size = sizeof(e->host),
		.arg = e,
		.swap = e->set->swap,
		.place = host_place,
		.place_of = host_place_of,
		.chain = host_chain,
		.branch_count = host_branch_count,
		.branch = host_branch,
		.read_value = host_read_value,
		.data_src = host_data_src,
		.registers = host_registers,
		.common = host_common,
		.source = host_source,
		.instruction = host_instruction,
		.syscall_name = host_syscall_name,
		.command = host_command,
		.cancelled = host_cancelled,
	};
	e->home = engine_own_path();
	e->host.home = e->home;
	e->chains = chains_new(e->history);
}

void engine_host_release(struct engine_run *e)
{
	vec_for_each(&e->events, v) {
		if (*v)
			engine_event_release(*v);
		free(*v);
	}
	vec_release(&e->events);
	vec_release(&e->frames);
	vec_release(&e->chain);
	vec_for_each(&e->build_ids, id)
		free((void *)(uintptr_t)*id);
	vec_release(&e->build_ids);
	strtab_release(&e->sources);
	strbuf_release(&e->text);
	line_store_free(e->lines);
	insn_reader_free(e->instructions);
	chains_free(e->chains);
	free(e->home);
}
