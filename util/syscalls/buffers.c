// SPDX-License-Identifier: GPL-2.0-or-later
/* Bytes: vectors and messages. */
#include <string.h>

#include "syscalls/internal.h"

/*
 * Prints vectors, as the programs in the kernel write them one after another: u64 length, u32
 * copied bytes, u32 1; the bytes, padded to 8. 2 instead of 1 means that no byte could be read, and
 * the pointer follows.
 */
static u32 print_vectors(const struct syscall_book *b, const u8 *data, u32 size, u64 count,
			 const struct syscall_style *style, u64 most, struct strbuf *out)
{
	size_t begin = out->len;
	u32 at = 0;
	u64 n = 0;

	strbuf_char(out, '[');
	while (n < count && at + 16 <= size && !(n && array_is_full(style, begin, out))) {
		enum { POINTER = 2 };
		u64 length = bytes_number(b, data + at, 8);
		u32 copied = (u32)bytes_number(b, data + at + 8, 4);
		u32 what = (u32)bytes_number(b, data + at + 12, 4);

		at += 16;
		if (copied > size - at)
			break;
		if (n)
			strbuf_str(out, ", ");
		strbuf_str(out, "{ .base: ");
		if (what == POINTER && copied == 8)
			print_pointer(bytes_number(b, data + at, 8), out);
		else
			syscall_print_text(data + at, (u32)MIN((u64)copied, most),
					   style->text_limit, copied < MIN(length, most), out);
		strbuf_f(out, ", .len: %" PRIu64 " }", length);
		most -= MIN(most, length);
		at += ALIGN_UP(copied, 8U);
		n++;
	}
	strbuf_str(out, n < count ? ", ..]" : "]");
	return at;
}

/* Returns how many bytes are data; of what a call filled, only as many as its result. */
static u64 most_bytes(const struct syscall_call *c)
{
	bool out = false;

	for (u32 i = 0; i < c->call->arg_count; i++)
		out |= c->call->args[i].out && (c->call->args[i].kind == KIND_IOVEC ||
						c->call->args[i].kind == KIND_MSGHDR);
	return out && c->ended ? (c->result > 0 ? (u64)c->result : 0) : UINT64_MAX;
}

void print_iovec(const struct syscall_call *c, const struct syscall_item *item, u64 count,
		 u64 pointer, const struct syscall_style *style, struct strbuf *out)
{
	if (item->data)
		print_vectors(c->book, item->data, item->size, count, style, most_bytes(c), out);
	else
		print_pointer(pointer, out);
}

/*
 * Prints a message: u32 bytes of the address, u32 number of vectors; the address, padded to 8; the
 * vectors.
 */
static void print_message(const struct syscall_book *b, const u8 *data, u32 size,
			  const struct syscall_style *style, u64 most, struct strbuf *out)
{
	u32 name = (u32)bytes_number(b, data, 4), count = (u32)bytes_number(b, data + 4, 4), at = 8;

	strbuf_str(out, "{ ");
	if (name && name <= size - at) {
		strbuf_str(out, ".name: ");
		syscall_print_sockaddr(b, data + at, name, out);
		strbuf_str(out, ", ");
		at += ALIGN_UP(name, 8U);
	}
	strbuf_str(out, ".iov: ");
	if (at <= size)
		print_vectors(b, data + at, size - at, count, style, most, out);
	strbuf_str(out, " }");
}

void print_msghdr(const struct syscall_call *c, const struct syscall_item *item, u64 pointer,
		  const struct syscall_style *style, struct strbuf *out)
{
	if (item->data && item->size >= 8)
		print_message(c->book, item->data, item->size, style, most_bytes(c), out);
	else
		print_pointer(pointer, out);
}

/* Prints messages, each of which follows its u32 size and u32 received bytes. */
void print_messages(const struct syscall_call *c, const struct syscall_item *item,
		    const struct syscall_style *style, struct strbuf *out)
{
	bool filled = item >= c->out && item < c->out + SYSCALL_ARGS;
	size_t begin = out->len;
	bool full = false;
	u32 at = 0;

	strbuf_char(out, '[');
	while (at + 16 <= item->size) {
		u32 size = (u32)bytes_number(c->book, item->data + at, 4);
		u32 bytes = (u32)bytes_number(c->book, item->data + at + 4, 4);

		full = at && array_is_full(style, begin, out);
		if (full || size < 8 || size > item->size - at - 8)
			break;
		strbuf_str(out, at ? ", { .hdr: " : "{ .hdr: ");
		print_message(c->book, item->data + at + 8, size, style,
			      filled ? bytes : UINT64_MAX, out);
		if (filled)
			strbuf_f(out, ", .len: %u", bytes);
		strbuf_str(out, " }");
		at += 8 + size;
	}
	strbuf_str(out, item->cut || full ? ", ..]" : "]");
}

/* Texts one behind the other, each with its NUL. */
void print_texts(const struct syscall_item *item, struct strbuf *out)
{
	u32 at = 0;

	strbuf_char(out, '[');
	while (at < item->size) {
		u32 n = (u32)strnlen((const char *)item->data + at, item->size - at);

		if (at)
			strbuf_str(out, ", ");
		syscall_print_text(item->data + at, n, 0, false, out);
		at += n + 1;
	}
	strbuf_str(out, item->cut ? ", ..]" : "]");
}
