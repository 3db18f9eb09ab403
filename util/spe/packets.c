// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads SPE packets. */
#include "spe/packets.h"

#include "event/data_src_bits.h"

/* clang-format off */
enum packet_kind {
	PACKET_BAD, PACKET_PAD, PACKET_END, PACKET_TIME, PACKET_EVENTS, PACKET_SOURCE, PACKET_CONTEXT,
	PACKET_OPERATION, PACKET_ADDRESS, PACKET_COUNTER,
};
/* clang-format on */

struct packet {
	enum packet_kind kind;
	u8 index;
	u64 payload;
	size_t size;
};

void spe_read_begin(struct spe_reader *s, const u8 *data, size_t size)
{
	*s = (struct spe_reader){ .at = data, .end = data + size, .begin = data };
}

/* Headers with an index in their low bits. */
static enum packet_kind kind_of(u8 header, u8 *index)
{
	*index = header & 7;
	if (header == 0x71)
		return PACKET_TIME;
	if ((header & 0xcf) == 0x42)
		return PACKET_EVENTS;
	if ((header & 0xcf) == 0x43)
		return PACKET_SOURCE;
	*index = header & 3;
	if ((header & 0xfc) == 0x64)
		return PACKET_CONTEXT;
	if ((header & 0xfc) == 0x48)
		return PACKET_OPERATION;
	*index = header & 7;
	if ((header & 0xf8) == 0xb0)
		return PACKET_ADDRESS;
	if ((header & 0xf8) == 0x98)
		return PACKET_COUNTER;
	return PACKET_BAD;
}

static u64 load_payload(const u8 *p, size_t size)
{
	u64 v = 0;

	for (size_t i = 0; i < size; i++)
		v |= (u64)p[i] << 8 * i;
	return v;
}

/* Packets are aligned in the area, whose begin is aligned itself. */
static size_t alignment_size(const struct spe_reader *s)
{
	size_t to = (size_t)2 << (s->at[0] & 0xf);

	return to - ((size_t)(s->at - s->begin) & (to - 1));
}

static struct packet next_packet(const struct spe_reader *s)
{
	size_t left = (size_t)(s->end - s->at), headers = 1, bytes;
	struct packet p = { .size = 1 };
	u8 header = s->at[0];

	if (header == 0 || header == 1) {
		p.kind = header ? PACKET_END : PACKET_PAD;
		return p;
	}
	if ((header & 0xfc) == 0x20) { /* extended header: more bits of the index, then a header */
		if (left < 2)
			return p;
		if (!s->at[1]) {
			size_t size = alignment_size(s);

			if (size <= left)
				p = (struct packet){ .kind = PACKET_PAD, .size = size };
			return p;
		}
		headers = 2;
	}
	p.kind = kind_of(s->at[headers - 1], &p.index);
	if (headers == 2 && p.kind != PACKET_ADDRESS && p.kind != PACKET_COUNTER)
		p.kind = PACKET_BAD;
	bytes = (size_t)1 << (s->at[headers - 1] >> 4 & 3);
	if (p.kind == PACKET_BAD || left < headers + bytes)
		return (struct packet){ .size = 1 };
	if (headers == 2)
		p.index = (u8)((header & 3) << 3 | (s->at[1] & 7));
	p.payload = load_payload(s->at + headers, bytes);
	p.size = headers + bytes;
	return p;
}

/* ---- what packets say ---- */

enum { ADDRESS_PC, ADDRESS_TARGET, ADDRESS_DATA, ADDRESS_PHYSICAL };

#define LOW_BYTES(v) ((v) & (BIT64(56) - 1))
#define TOP_BYTE     (0xffULL << 56)

/*
 * Restores the top byte of a code address, which holds the exception level: for kernel code it was
 * all ones.
 */
static u64 code_address(u64 v)
{
	unsigned level = v >> 61 & 3;
	bool normal_world = v >> 63;

	return LOW_BYTES(v) | (normal_world && (level == 1 || level == 2) ? TOP_BYTE : 0);
}

/*
 * Restores the top byte of a data address, which is a tag. The bits below it say which half the
 * address belongs to.
 */
static u64 data_address(u64 v)
{
	return LOW_BYTES(v) | ((v >> 52 & 0xf) == 0xf ? TOP_BYTE : 0);
}

static void take_address(struct spe_record *r, const struct packet *p)
{
	switch (p->index) {
	case ADDRESS_PC:
		r->pc = code_address(p->payload);
		break;
	case ADDRESS_TARGET:
		r->target = code_address(p->payload);
		break;
	case ADDRESS_DATA:
		r->data = data_address(p->payload);
		break;
	case ADDRESS_PHYSICAL:
		r->physical = LOW_BYTES(p->payload);
		break;
	default: /* the target of the previous branch: not used */
		break;
	}
}

static void take_operation(struct spe_record *r, const struct packet *p)
{
	enum { OTHER, LOAD_STORE, BRANCH };

	if (p->index == LOAD_STORE)
		r->op |= p->payload & 1 ? SPE_STORE : SPE_LOAD;
	else
		r->op |= p->index == BRANCH ? SPE_BRANCH : SPE_OTHER;
}

/* Stores what the packet says. Returns true if the record ends with it. */
static bool take(struct spe_record *r, const struct packet *p)
{
	switch (p->kind) {
	case PACKET_TIME:
		r->time = p->payload;
		return true;
	case PACKET_END:
		return true;
	case PACKET_EVENTS:
		r->events |= (u32)p->payload;
		break;
	case PACKET_SOURCE:
		r->source = (u16)p->payload;
		r->has_source = true;
		break;
	case PACKET_CONTEXT:
		r->context = p->payload;
		r->has_context = true;
		break;
	case PACKET_OPERATION:
		take_operation(r, p);
		break;
	case PACKET_ADDRESS:
		take_address(r, p);
		break;
	case PACKET_COUNTER:
		if (!p->index)
			r->latency = (u32)p->payload;
		break;
	default:
		break;
	}
	return false;
}

/*
 * drops what it has gathered when bytes are not a packet, since a packet of the record may be
 * missing
 */
bool spe_read(struct spe_reader *s, struct spe_record *out)
{
	*out = (struct spe_record){ .pc = 0 };
	while (s->at < s->end) {
		struct packet p = next_packet(s);

		if (p.kind == PACKET_BAD) {
			s->damaged++;
			*out = (struct spe_record){ .pc = 0 };
		}
		s->at += p.size;
		if (take(out, &p))
			return true;
	}
	return false;
}

/* ---- perf_mem_data_src ---- */

/*
 * Reports whether the processor's id has the part number of one whose data sources are encoded
 * alike.
 */
static bool is_neoverse(u64 midr)
{
	unsigned implementer = midr >> 24 & 0xff, part = midr >> 4 & 0xfff;

	return implementer == 0x41 &&
	       (part == 0xd0c || part == 0xd40 || part == 0xd49 || part == 0xd4f);
}

static u64 neoverse_source(const struct spe_record *s)
{
	if (s->op & SPE_STORE)
		return LEVEL(LEVEL_NA) | NUMBER(NUMBER_NA) | SNOOP(SNOOP_NA);
	switch (s->source) {
	case 0x0:
		return LEVEL(LEVEL_L1) | LEVEL(LEVEL_HIT) | NUMBER(NUMBER_L1) | SNOOP(SNOOP_NONE);
	case 0x8:
		return LEVEL(LEVEL_L2) | LEVEL(LEVEL_HIT) | NUMBER(NUMBER_L2) | SNOOP(SNOOP_NONE);
	case 0x9: /* another core */
		return LEVEL(LEVEL_L2) | LEVEL(LEVEL_HIT) | NUMBER(NUMBER_L2) | PEER_SNOOP;
	case 0xa: /* this cluster, another cluster */
	case 0xc:
		return LEVEL(LEVEL_L3) | LEVEL(LEVEL_HIT) | NUMBER(NUMBER_L3) | PEER_SNOOP;
	case 0xb: /* the system cache */
		return LEVEL(LEVEL_L3) | LEVEL(LEVEL_HIT) | NUMBER(NUMBER_L3) | SNOOP(SNOOP_HIT);
	case 0xd: /* another socket */
		return LEVEL(LEVEL_NA) | NUMBER(NUMBER_NA) | REMOTE_NODE | PEER_SNOOP;
	case 0xe:
		return LEVEL(LEVEL_RAM) | LEVEL(LEVEL_HIT) | NUMBER(NUMBER_RAM) | SNOOP(SNOOP_NONE);
	default:
		return 0;
	}
}

/* Returns the data source from the events, which every processor has. */
static u64 event_source(const struct spe_record *s)
{
	u64 v = s->events & SPE_REMOTE ? REMOTE_NODE : 0;

	if (s->events & (SPE_LLC_ACCESS | SPE_LLC_MISS))
		return v | LEVEL(LEVEL_L3) |
		       LEVEL(s->events & SPE_LLC_MISS ? LEVEL_MISS : LEVEL_HIT);
	if (s->events & (SPE_L1_ACCESS | SPE_L1_REFILL))
		return v | LEVEL(LEVEL_L1) |
		       LEVEL(s->events & SPE_L1_REFILL ? LEVEL_MISS : LEVEL_HIT);
	return v;
}

u64 spe_data_src(const struct spe_record *s, u64 midr)
{
	u64 v;

	if (!(s->op & (SPE_LOAD | SPE_STORE)))
		return 0;
	v = s->op & SPE_LOAD ? OP_LOAD : OP_STORE;
	v |= is_neoverse(midr) ? neoverse_source(s) : event_source(s);
	if (s->events & (SPE_TLB_ACCESS | SPE_TLB_WALK))
		v |= TLB(TLB_WALKER) | TLB(s->events & SPE_TLB_WALK ? TLB_MISS : TLB_HIT);
	return v;
}
