// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes addresses that a print format takes from bytes: network, hardware, UUID. */
#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>

#include "base/bytes.h"
#include "tracepoint/plan.h"

static void hex_byte(struct strbuf *out, u8 byte, bool is_upper)
{
	const char *digits = is_upper ? "0123456789ABCDEF" : "0123456789abcdef";

	strbuf_char(out, digits[byte >> 4]);
	strbuf_char(out, digits[byte & 15]);
}

static void write_mac(const struct address *a, const u8 *p, struct strbuf *out)
{
	for (int i = 0; i < 6; i++) {
		if (i && !a->is_short)
			strbuf_char(out, ':');
		hex_byte(out, p[i], false);
	}
}

static void write_ip4(const u8 *p, struct strbuf *out)
{
	for (int i = 0; i < 4; i++) {
		if (i)
			strbuf_char(out, '.');
		strbuf_dec(out, p[i]);
	}
}

static void write_ip6_whole(const u8 *p, struct strbuf *out)
{
	for (int i = 0; i < 16; i++) {
		if (i && i % 2 == 0)
			strbuf_char(out, ':');
		hex_byte(out, p[i], false);
	}
}

/*
 * Reports whether the end of an IPv6 address is written as IPv4: ::ffff:a.b.c.d, or an ISATAP
 * interface.
 */
static bool ends_in_ip4(const u8 *p)
{
	static const u8 mapped[12] = { [10] = 0xff, [11] = 0xff };

	return !memcmp(p, mapped, sizeof(mapped)) ||
	       ((p[8] | 2) == 2 && !p[9] && p[10] == 0x5e && p[11] == 0xfe);
}

static bool is_zero(const u8 *p, int group)
{
	return !p[2 * group] && !p[2 * group + 1];
}

/* Finds the first of the longest runs of two or more zero groups. Returns its length, or 0. */
static int longest_zeros(const u8 *p, int groups, int *first)
{
	int longest = 1;

	for (int i = 0; i < groups; i++) {
		int n = 0;

		while (i + n < groups && is_zero(p, i + n))
			n++;
		if (n > longest) {
			longest = n;
			*first = i;
		}
	}
	return longest > 1 ? longest : 0;
}

static void write_ip6_short(const u8 *p, struct strbuf *out)
{
	int groups = ends_in_ip4(p) ? 6 : 8, first = -1;
	int zeros = longest_zeros(p, groups, &first);
	bool colon = false; /* whether the next group needs one */

	for (int i = 0; i < groups; i++) {
		if (i == first) {
			strbuf_str(out, "::");
			colon = false;
			i += zeros - 1;
			continue;
		}
		if (colon)
			strbuf_char(out, ':');
		strbuf_hex(out, (u64)(p[2 * i] << 8 | p[2 * i + 1]));
		colon = true;
	}
	if (groups == 8)
		return;
	if (colon)
		strbuf_char(out, ':');
	write_ip4(p + 12, out);
}

static void write_ip6(const struct address *a, const u8 *p, struct strbuf *out)
{
	if (a->is_short)
		write_ip6_short(p, out);
	else
		write_ip6_whole(p, out);
}

/*
 * Writes struct sockaddr_in or sockaddr_in6, of which size bytes are there. Writes nothing for
 * other families.
 */
static void write_socket(const struct address *a, const u8 *p, u32 size, bool swap,
			 struct strbuf *out)
{
	u16 family = size < 2 ? AF_UNSPEC : load_u16(p, swap);

	if (!(family == AF_INET && size >= 8) && !(family == AF_INET6 && size >= 24))
		return;
	if (family == AF_INET) {
		write_ip4(p + 4, out);
	} else {
		if (a->with_port)
			strbuf_char(out, '[');
		write_ip6(a, p + 8, out);
		if (a->with_port)
			strbuf_char(out, ']');
	}
	if (!a->with_port)
		return;
	strbuf_char(out, ':');
	strbuf_dec(out, (u64)(p[2] << 8 | p[3]));
	if (family == AF_INET6 && a->with_flow) {
		strbuf_char(out, '/');
		strbuf_dec(out, ((u64)p[5] & 15) << 16 | (u64)p[6] << 8 | p[7]);
	}
	if (family == AF_INET6 && a->with_scope && size >= 28) {
		strbuf_char(out, '%');
		strbuf_dec(out, load_u32(p + 24, swap));
	}
}

static void write_uuid(const struct address *a, const u8 *p, struct strbuf *out)
{
	static const u8 guid[16] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };

	for (int i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			strbuf_char(out, '-');
		hex_byte(out, p[a->is_guid ? guid[i] : i], a->is_upper);
	}
}

/* Returns the least size in bytes of an address of this kind. */
static u32 least_size(enum address_kind kind)
{
	return kind == ADDRESS_SOCKET ? 0 : kind == ADDRESS_MAC ? 6 : kind == ADDRESS_IP4 ? 4 : 16;
}

void plan_write_address(const struct address *a, const u8 *raw, u32 raw_size, bool swap,
			struct strbuf *out)
{
	u32 at = a->is_dynamic ? (load_u32(raw + a->offset, swap) & 0xffff) + a->base : a->offset;
	u32 size = at < raw_size ? raw_size - at : 0;
	const u8 *p = raw + at;

	if (size < least_size(a->kind))
		return;

	switch (a->kind) {
	case ADDRESS_MAC:
		write_mac(a, p, out);
		break;
	case ADDRESS_IP4:
		write_ip4(p, out);
		break;
	case ADDRESS_IP6:
		write_ip6(a, p, out);
		break;
	case ADDRESS_SOCKET:
		write_socket(a, p, size, swap, out);
		break;
	case ADDRESS_UUID:
		write_uuid(a, p, out);
		break;
	}
}
