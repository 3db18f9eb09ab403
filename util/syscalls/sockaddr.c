// SPDX-License-Identifier: GPL-2.0-or-later
/* Addresses of sockets. */
#include <arpa/inet.h>
#include <string.h>

#include "syscalls/internal.h"

/*
 * Reads a number in the byte order of the machine that made the call; ports and addresses have the
 * network's.
 */
static u32 number(const struct syscall_book *b, const u8 *data)
{
	return (u32)bytes_number(b, data, 4);
}

static void print_inet(const u8 *data, u32 size, int family, u32 port_at, u32 address_at,
		       struct strbuf *out)
{
	char text[INET6_ADDRSTRLEN];
	u32 need = address_at + (family == AF_INET ? 4 : 16);

	if (size >= port_at + 2) {
		strbuf_str(out, ", .port: ");
		strbuf_dec(out, (u32)data[port_at] << 8 | data[port_at + 1]);
	}
	if (size >= need && inet_ntop(family, data + address_at, text, sizeof(text))) {
		strbuf_str(out, ", .addr: ");
		strbuf_str(out, text);
	}
}

/*
 * Prints parts of an IPv6 address that are seldom set: the flow, in network order, and the
 * interface of a link-local address.
 */
static void print_scope(const struct syscall_book *b, const u8 *data, u32 size, struct strbuf *out)
{
	u32 flow = 0, scope = 0;

	if (size >= 8)
		memcpy(&flow, data + 4, sizeof(flow));
	if (size >= 28)
		scope = number(b, data + 24);
	if (flow)
		strbuf_f(out, ", .flowinfo: %#x", ntohl(flow));
	if (scope)
		strbuf_f(out, ", .scope_id: %u", scope);
}

/* Prints a packet address. Source: struct sockaddr_ll of linux/if_packet.h. */
static void print_packet(const struct syscall_book *b, const u8 *data, u32 size, struct strbuf *out)
{
	u32 length;

	if (size < 12)
		return;
	length = MIN(MIN((u32)data[11], 8U), size - 12);
	strbuf_f(out,
		 ", .protocol: %#x, .ifindex: %d, .pkttype: %u, .addr: ", data[2] << 8 | data[3],
		 (s32)number(b, data + 4), data[10]);
	for (u32 i = 0; i < length; i++)
		strbuf_f(out, i ? ":%02x" : "%02x", data[12 + i]);
	if (!length)
		strbuf_str(out, "none");
}

/* Prints an algorithm. Source: struct sockaddr_alg of linux/if_alg.h. */
static void print_algorithm(const u8 *data, u32 size, struct strbuf *out)
{
	if (size < 24)
		return;
	strbuf_str(out, ", .type: ");
	syscall_print_text(data + 2, (u32)strnlen((const char *)data + 2, 14), 0, false, out);
	strbuf_str(out, ", .name: ");
	syscall_print_text(data + 24, (u32)strnlen((const char *)data + 24, MIN(size - 24, 64U)), 0,
			   false, out);
}

/* Prints a vsock address. Source: struct sockaddr_vm of linux/vm_sockets.h. */
static void print_vsock(const struct syscall_book *b, const u8 *data, u32 size, struct strbuf *out)
{
	if (size >= 12)
		strbuf_f(out, ", .port: %u, .cid: %u", number(b, data + 4), number(b, data + 8));
}

static void print_local(const u8 *path, u32 size, struct strbuf *out)
{
	if (!size)
		return;
	strbuf_str(out, ", .path: ");
	if (path[0])
		syscall_print_text(path, (u32)strnlen((const char *)path, size), 0, false, out);
	else { /* a name that is not in the file system */
		strbuf_char(out, '@');
		syscall_print_text(path + 1, size - 1, 0, false, out);
	}
}

static void print_netlink(const struct syscall_book *b, const u8 *data, u32 size,
			  struct strbuf *out)
{
	if (size >= 12)
		strbuf_f(out, ", .pid: %u, .groups: %#x", number(b, data + 4), number(b, data + 8));
}

void syscall_print_sockaddr(const struct syscall_book *b, const u8 *data, u32 size,
			    struct strbuf *out)
{
	u16 family;

	if (size < sizeof(family)) {
		strbuf_str(out, "{}");
		return;
	}
	family = (u16)bytes_number(b, data, sizeof(family));
	strbuf_str(out, "{ .family: ");
	values_print(values_find("family"), family, false, out);
	switch (family) {
	case AF_UNIX:
		print_local(data + 2, size - 2, out);
		break;
	case AF_INET:
		print_inet(data, size, AF_INET, 2, 4, out);
		break;
	case AF_INET6:
		print_inet(data, size, AF_INET6, 2, 8, out);
		print_scope(b, data, size, out);
		break;
	case AF_PACKET:
		print_packet(b, data, size, out);
		break;
	case AF_ALG:
		print_algorithm(data, size, out);
		break;
	case AF_VSOCK:
		print_vsock(b, data, size, out);
		break;
	case AF_NETLINK:
		print_netlink(b, data, size, out);
		break;
	default:
		strbuf_str(out, ", .data: ");
		syscall_print_text(data + 2, size - 2, 32, false, out);
	}
	strbuf_str(out, " }");
}
