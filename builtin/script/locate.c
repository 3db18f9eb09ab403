// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds what is at an address of a sample: an object, or a function of the kernel. */
#include <stdio.h>

#include "builtin/script/internal.h"

void script_locate(struct script *s, const struct session_sample *ss, u64 addr, struct location *l)
{
	u8 mode = ss->sample->cpumode, other;
	bool kernel_half = addr >= s->arch->kernel_start;

	*l = (struct location){ 0 };
	if (history_locate(s->history, ss->task, mode, addr, &ss->key, l))
		return;
	if (mode == PERF_RECORD_MISC_GUEST_KERNEL || mode == PERF_RECORD_MISC_GUEST_USER)
		other = kernel_half ? PERF_RECORD_MISC_GUEST_KERNEL : PERF_RECORD_MISC_GUEST_USER;
	else
		other = kernel_half ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
	if (other != mode)
		history_locate(s->history, ss->task, other, addr, &ss->key, l);
}

static bool kernel_function(void *arg, u64 *addr, char *name, size_t name_size, char *module,
			    size_t module_size)
{
	struct script *s = arg;
	space_version space = history_kernel_space(s->history, 0, s->now);
	const struct mapping *m = history_find(s->history, space, *addr);
	struct symbol_store *store = session_symbols(s->session);
	const struct symbol_table *t;
	const struct image *im;
	u64 offset;
	u32 n;

	if (!m)
		return false;
	im = image_get(session_images(s->session), m->image);
	t = symbols_of(store, m->image);
	offset = *addr - m->start + m->pgoff;
	n = symbol_find(t, offset);
	if (n == NO_SYMBOL)
		return false;
	*addr -= offset - symbol_get(t, n)->start;
	snprintf(name, name_size, "%s", symbol_get(t, n)->name);
	snprintf(module, module_size, "%s", im->kind == IMAGE_MODULE ? im->name : "");
	return true;
}

void script_resolve_functions(struct script *s)
{
	tracepoint_printer_resolve(s->printer, kernel_function, s);
}

void script_add_dso(struct script *s, u32 image, struct strbuf *b)
{
	struct session *session = s->session;
	const struct image *im = image_get(session_images(session), image);
	const char *name = image ? image_script_name(im) : "[unknown]";

	if (image && s->o->full_kernel_path && im->kernel) {
		const char *source =
			symbol_table_source(symbols_of(session_symbols(session), image));

		/* an image's file; a list of symbols is none */
		if (source && im->kind != IMAGE_BPF && strcmp(path_base(source), "kallsyms"))
			name = source;
	}
	strbuf_printable(b, name);
}
