// SPDX-License-Identifier: GPL-2.0-or-later
/* Prints what the pointers of a call point to. */
#include <string.h>

#include "syscalls/internal.h"

static void print_wait_status(u32 status, struct strbuf *out)
{
	if (!(status & 0x7f)) {
		strbuf_str(out, "{ exited: ");
		strbuf_dec(out, status >> 8 & 0xff);
	} else if ((status & 0xff) == 0x7f) {
		strbuf_str(out, "{ stopped: SIG");
		print_signal(status >> 8 & 0xff, false, out);
	} else {
		strbuf_str(out, "{ killed: SIG");
		print_signal(status & 0x7f, false, out);
	}
	strbuf_str(out, " }");
}

/*
 * Reports whether the call filled an argument. A call that failed filled nothing, except for the
 * remaining time.
 */
bool call_fills(const struct syscall_arg *a, s64 result)
{
	enum { INTERRUPTED = 4, RESTART_BLOCK = 516 };

	if (result == -INTERRUPTED || result == -RESTART_BLOCK)
		return true;
	/* no child has changed its state */
	if (a->kind == KIND_WAIT_STATUS && !result)
		return false;
	return !syscall_failed(result) && !a->interrupted;
}

/* Returns the bytes that were copied for an argument: those of the exit once there are any. */
static const struct syscall_item *item_of(const struct syscall_call *c, u32 i)
{
	const struct syscall_arg *a = &c->call->args[i];

	static const struct syscall_item nothing;

	if (a->out && c->ended && call_fills(a, c->result))
		return a->both && !c->out[i].data ? &c->in[i] : &c->out[i];
	return a->out && !a->both ? &nothing : &c->in[i];
}

static void print_structs(const struct syscall_call *c, const struct syscall_arg *a,
			  const struct syscall_item *item, const struct syscall_style *style,
			  const struct syscall_says *says, struct strbuf *out)
{
	u32 each = a->layout->size, at;
	size_t begin = out->len;

	strbuf_char(out, '[');
	for (at = 0; at + each <= item->size && !(at && array_is_full(style, begin, out));
	     at += each) {
		if (at)
			strbuf_str(out, ", ");
		layout_print(a->layout, item->data + at, each, c->book, style, says, out);
	}
	strbuf_str(out, item->cut || at + each <= item->size ? ", ..]" : "]");
}

/* Returns the room for an address. The kernel reports its length, but fills at most the room. */
static u32 space_of(const struct syscall_call *c, const struct syscall_arg *a)
{
	const struct syscall_item *length = a->out && a->length_at ? &c->in[a->length_arg] : NULL;

	return length && length->data && length->size >= 4
		       ? (u32)bytes_number(c->book, length->data, 4)
		       : UINT32_MAX;
}

/* Prints "[0-3 7]": the bits that are set among the first `most`. */
static void print_bits(const struct syscall_book *b, const struct syscall_item *item, u64 most,
		       struct strbuf *out)
{
	u32 word = book_word(b), size = item->size / word * word, first = 0;
	u32 count = (u32)MIN(most, (u64)size * 8);
	bool before = false, any = false;

	strbuf_char(out, '[');
	for (u32 bit = 0; bit <= count; bit++) {
		u32 at = bit / (word * 8) * word;
		bool set = bit < count &&
			   bytes_number(b, item->data + at, word) >> (bit % (word * 8)) & 1;

		if (set && !before)
			first = bit;
		if (!set && before) {
			strbuf_f(out, any ? " %u" : "%u", first);
			if (bit - 1 > first)
				strbuf_f(out, "-%u", bit - 1);
			any = true;
		}
		before = set;
	}
	strbuf_str(out, item->cut || (most != UINT64_MAX && count < most) ? " ..]" : "]");
}

static void print_number(const struct syscall_book *b, const struct syscall_item *item,
			 struct strbuf *out)
{
	if (item->size == 4)
		print_s64((s32)bytes_number(b, item->data, 4), out);
	else
		strbuf_dec(out, bytes_number(b, item->data, item->size));
}

/* Reports whether the call changed a number that it read. */
static bool is_changed(const struct syscall_call *c, u32 i, const struct syscall_item *item)
{
	const struct syscall_item *in = &c->in[i];

	return c->call->args[i].both && item != in && in->data && in->size == item->size &&
	       memcmp(in->data, item->data, item->size) != 0;
}
/*
 * Prints the arguments of socketcall, of which each call has a fixed number. Source: net/socket.c,
 * nargs.
 */
static void print_socketcall(const struct syscall_call *c, const struct syscall_item *item,
			     struct strbuf *out)
{
	static const u8 counts[] = {
		0, 3, 3, 3, 2, 3, 3, 3, 4, 4, 4, 6, 6, 2, 5, 5, 3, 3, 4, 5, 4
	};
	u64 call = (u32)c->args[0];
	u32 count = call < ARRAY_SIZE(counts) ? counts[call] : 0, word = book_word(c->book);

	strbuf_char(out, '[');
	for (u32 i = 0; i < count && (i + 1) * word <= item->size; i++) {
		u64 v = bytes_number(c->book, item->data + i * word, word);

		strbuf_str(out, i ? ", " : "");
		/* small numbers of any kind, and pointers */
		if (v < 65536)
			strbuf_dec(out, v);
		else
			print_pointer(v, out);
	}
	strbuf_char(out, ']');
}

void print_pointed(const struct syscall_call *c, u32 i, u64 value,
		   const struct syscall_style *style, const struct syscall_says *says,
		   struct strbuf *out)
{
	const struct syscall_arg *a = &c->call->args[i];
	const struct syscall_item *item = item_of(c, i);

	if (!item->data) {
		print_pointer(value, out);
		return;
	}
	switch (a->kind) {
	case KIND_PATH:
	case KIND_TEXT:
		syscall_print_text(item->data, (u32)strnlen((const char *)item->data, item->size),
				   0, item->cut, out);
		break;
	case KIND_BYTES:
		syscall_print_text(item->data, item->size, style->text_limit, item->cut, out);
		break;
	case KIND_CPUS:
		print_bits(c->book, item, UINT64_MAX, out);
		break;
	case KIND_SO_VALUE:
		print_socket_value(c, item, style, says, out);
		break;
	case KIND_STRUCT:
	case KIND_FUTEX_TIME:
		layout_print(a->layout, item->data, item->size, c->book, style, says, out);
		break;
	case KIND_BITS:
		print_bits(c->book, item, c->args[a->length_arg] & UINT32_MAX, out);
		break;
	case KIND_STRUCTS:
		print_structs(c, a, item, style, says, out);
		break;
	case KIND_SOCKADDR:
		syscall_print_sockaddr(c->book, item->data, MIN(item->size, space_of(c, a)), out);
		break;
	case KIND_SOCKETCALL:
		print_socketcall(c, item, out);
		break;
	case KIND_SIGSET:
		print_sigset(c->book, item->data, item->size, out);
		break;
	case KIND_TEXTS:
		print_texts(item, out);
		break;
	case KIND_COUNT:
		print_pointer(value, out);
		strbuf_str(out, " /* ");
		strbuf_dec(out, bytes_number(c->book, item->data, MIN(item->size, 4U)));
		strbuf_str(out, " vars */");
		break;
	case KIND_IOVEC:
		print_iovec(c, item, c->args[a->length_arg], value, style, out);
		break;
	case KIND_MSGHDR:
		print_msghdr(c, item, value, style, out);
		break;
	case KIND_MESSAGES:
		print_messages(c, item, style, out);
		break;
	case KIND_NUMBER_AT:
		strbuf_char(out, '[');
		if (is_changed(c, i, item)) {
			print_number(c->book, &c->in[i], out);
			strbuf_str(out, " => ");
		}
		print_number(c->book, item, out);
		strbuf_char(out, ']');
		break;
	case KIND_FDS_AT:
		strbuf_char(out, '[');
		print_fd((s32)bytes_number(c->book, item->data, MIN(item->size, 4U)), says, out);
		strbuf_str(out, ", ");
		print_fd(item->size >= 8 ? (s32)bytes_number(c->book, item->data + 4, 4) : -1, says,
			 out);
		strbuf_char(out, ']');
		break;
	case KIND_WAIT_STATUS:
		print_wait_status((u32)bytes_number(c->book, item->data, MIN(item->size, 4U)), out);
		break;
	default:
		print_pointer(value, out);
	}
	if (item->late)
		strbuf_str(out, " /* read at the exit */");
}
