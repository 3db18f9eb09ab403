// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds the fields of structs, from the lines of layout_list.h, and prints them. */
#include <string.h>

#include "base/alloc.h"
#include "syscalls/internal.h"

/* ---- text ---- */

static void print_handler(u64 v, struct strbuf *out)
{
	if (v <= 1)
		strbuf_str(out, v ? "IGN" : "DFL");
	else
		print_pointer(v, out);
}

static void print_limit(u64 v, u32 size, struct strbuf *out)
{
	if (v == (size == 4 ? UINT32_MAX : UINT64_MAX))
		strbuf_str(out, "INFINITY");
	else
		strbuf_dec(out, v);
}

static void print_utime(s64 v, struct strbuf *out)
{
	enum { UTIME_NOW_NS = 0x3fffffff, UTIME_OMIT_NS = 0x3ffffffe };

	if (v == UTIME_NOW_NS || v == UTIME_OMIT_NS)
		strbuf_str(out, v == UTIME_NOW_NS ? "NOW" : "OMIT");
	else
		print_s64(v, out);
}

static s64 sign_extended(u64 v, u32 size)
{
	return size >= 8 ? (s64)v : (s64)(v << (64 - 8 * size)) >> (64 - 8 * size);
}

static void print_field(const struct layout_field *f, const u8 *data, const struct syscall_book *b,
			const struct syscall_style *style, const struct syscall_says *says,
			struct strbuf *out)
{
	u64 v = f->size > 8 || f->kind == LAYOUT_TEXT ? 0 : bytes_number(b, data, f->size);

	switch (f->kind) {
	case LAYOUT_TEXT:
		syscall_print_text(data, (u32)strnlen((const char *)data, f->size), 0, false, out);
		break;
	case LAYOUT_SIGNED:
		print_s64(sign_extended(v, f->size), out);
		break;
	case LAYOUT_VALUES:
		if (!strcmp(f->values->name, "open_flags"))
			print_open_flags(b, v, style->prefix, out);
		else
			values_print(f->values, v, style->prefix, out);
		break;
	case LAYOUT_MODE:
		print_mode(v, true, out);
		break;
	case LAYOUT_DEVICE:
	case LAYOUT_DEVICE_IF:
		print_device(v, out);
		break;
	case LAYOUT_SIGSET:
		print_sigset(b, data, f->size, out);
		break;
	case LAYOUT_FD:
		print_fd((s32)v, says, out);
		break;
	case LAYOUT_LIMIT:
		print_limit(v, f->size, out);
		break;
	case LAYOUT_HANDLER:
		print_handler(v, out);
		break;
	case LAYOUT_UTIME:
		print_utime(sign_extended(v, f->size), out);
		break;
	case LAYOUT_HEX:
		print_pointer(v, out);
		break;
	case LAYOUT_SOCKADDR:
		syscall_print_sockaddr(b, data, f->size, out);
		break;
	case LAYOUT_MAC:
		for (u32 i = 0; i < f->size; i++)
			strbuf_f(out, i ? ":%02x" : "%02x", data[i]);
		break;
	default:
		strbuf_dec(out, v);
	}
}

void layout_print(const struct syscall_layout *l, const u8 *data, u32 size,
		  const struct syscall_book *b, const struct syscall_style *style,
		  const struct syscall_says *says, struct strbuf *out)
{
	bool any = false;

	if (l->field_count == 1 && !l->fields[0].name[0]) {
		print_field(&l->fields[0], data, b, style, says, out);
		return;
	}
	strbuf_str(out, "{ ");
	for (u32 i = 0; i < l->field_count; i++) {
		const struct layout_field *f = &l->fields[i];

		if ((f->hidden && !style->bits) || f->offset + f->size > size)
			continue;
		if (f->kind == LAYOUT_DEVICE_IF && !style->bits &&
		    !bytes_number(b, data + f->offset, f->size))
			continue;
		if (any)
			strbuf_str(out, ", ");
		strbuf_char(out, '.');
		strbuf_str(out, f->name);
		strbuf_str(out, ": ");
		print_field(f, data + f->offset, b, style, says, out);
		any = true;
	}
	strbuf_str(out, any ? " }" : "}");
}
