/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copies what the arguments of a system call point to, after the record of the call.
 *
 * For trace.bpf.c, which declares struct trace_record, plans and settings before it includes this.
 * Each function that is not inlined is verified once, separately. It gets the record by pointer,
 * since looking it up again costs more than most copies.
 */
#ifndef BPF_TRACE_COPIES_H
#define BPF_TRACE_COPIES_H

/*
 * Passes the record to a function. Before Linux 5.12, separately verified functions cannot take
 * pointers, so they look the record up.
 */
#ifdef FOR_OLD_KERNELS
#define RECORD         u32 unused
#define given_record() record_here()
#define hand(record)   0
#define bpf_loop(...)
#define have_loop() false
#else
#define RECORD         struct trace_record *record
#define given_record() record
#define hand(record)   record
#define have_loop()    true
#endif

/*
 * Returns the address of byte `at` of the items; the caller has checked `at`. The compiler must not
 * compute the address again from a copy of `at` that was made before the check: verifiers up to
 * Linux 6.1 know no bounds of such a copy.
 */
static __always_inline void *item_bytes(struct trace_record *s, u32 at)
{
	void *bytes = s->data + at;

	barrier_var(bytes);
	return bytes;
}

/* Returns where the next item begins, or NULL if there is no room. */
static __always_inline struct trace_item *next_item(struct trace_record *s, u32 *at)
{
	u32 size = s->call.size;

	*at = size;
	barrier_var(size);
	return size > TRACE_DATA ? NULL : item_bytes(s, size);
}

static __always_inline void end_item(struct trace_record *s, struct trace_item *item, u32 at,
				     u32 arg, u32 flags, long size)
{
	item->arg = arg;
	item->flags = flags;
	item->err = size < 0 ? -size : 0;
	item->size = size < 0 ? 0 : size;
	if (size < 0) {
		s->call.retry |= 1 << arg;
		count_add(counts.failed_copies, 1);
	}
	s->call.size = at + sizeof(*item) + ((item->size + 7) & ~7U);
}

/* Reads pointer i of those at `pointer`, of `word` bytes each. Returns 0 or -EFAULT. */
static __always_inline long read_pointer(u64 pointer, u32 i, u32 word, u64 *value)
{
	*value = 0;
	if (word == 4)
		return bpf_probe_read_user(value, 4, (void *)(pointer + (u64)i * 4));
	return bpf_probe_read_user(value, 8, (void *)(pointer + (u64)i * 8));
}

/* ---- arrays of texts ---- */

struct texts {
	struct trace_record *s;
	u64 pointer;
	long err;
	u32 word, at, used, flags, count;
};

/* Adds text i. Returns 1 after the last one. */
static long add_text(u32 i, struct texts *t)
{
	u32 at = t->at, used = t->used;
	u64 text;
	long n;

	t->err = read_pointer(t->pointer, i, t->word, &text);
	if (t->err || !text)
		return 1;
	t->flags = TRACE_ITEM_CUT;
	barrier_var(used);
	barrier_var(at);
	if (used > ITEM_MOST - 512 || at > TRACE_DATA)
		return 1;
	n = bpf_probe_read_user_str(item_bytes(t->s, at + sizeof(struct trace_item) + used), 512,
				    (void *)text);
	if (n < 0) {
		t->err = n;
		return 1;
	}
	t->flags = 0;
	t->used = used + n;
	return 0;
}

/* argv: the texts one after another. */
__noinline int copy_texts(RECORD, u64 pointer, u32 arg, u32 word, u32 flags)
{
	struct trace_record *s = given_record();
	struct texts t = { .s = s, .pointer = pointer, .word = word };
	struct trace_item *item;

	if (!s)
		return 0;
	item = next_item(s, &t.at);
	if (!item)
		return 0;
	if (have_loop()) {
		bpf_loop(TEXTS_MOST + 1, add_text, &t, 0);
	} else {
		for (u32 i = 0; i < OLD_TEXTS_MOST + 1; i++)
			if (add_text(i, &t))
				break;
	}
	end_item(s, item, t.at, arg, flags | t.flags, t.err ? t.err : t.used);
	return 0;
}

static long count_text(u32 i, struct texts *t)
{
	u64 text;

	t->err = read_pointer(t->pointer, i, t->word, &text);
	t->count = i;
	return t->err || !text;
}

__noinline int copy_count(RECORD, u64 pointer, u32 arg, u32 word, u32 flags)
{
	struct trace_record *s = given_record();
	struct texts t = { .pointer = pointer, .word = word };
	struct trace_item *item;
	u32 at;

	if (!s)
		return 0;
	item = next_item(s, &at);
	if (!item)
		return 0;
	if (have_loop()) {
		bpf_loop(COUNT_MOST, count_text, &t, 0);
	} else {
		for (u32 i = 0; i < OLD_TEXTS_MOST; i++)
			if (count_text(i, &t))
				break;
	}
	*(u32 *)(item + 1) = t.count;
	end_item(s, item, at, arg, flags, t.err ? t.err : sizeof(u32));
	return 0;
}

/* ---- vectors and messages ---- */

struct vectors {
	struct trace_record *s;
	u64 pointer, most;
	u32 word, at, used;
	long err;     /* the error of reading the array */
	bool missing; /* the bytes of one */
};

static long add_vector(u32 i, struct vectors *v)
{
	u64 base, length, n, limit = settings.buffer_limit;
	u32 used = v->used, place = v->at + sizeof(struct trace_item) + used;
	u8 *to;

	barrier_var(place);
	if (place > TRACE_DATA + ITEM_MOST - VECTOR_BYTES - 32)
		return 1;
	to = item_bytes(v->s, place);
	v->err = read_pointer(v->pointer, 2 * i, v->word, &base);
	if (!v->err)
		v->err = read_pointer(v->pointer, 2 * i + 1, v->word, &length);
	if (v->err)
		return 1;
	n = length > v->most ? v->most : length;
	v->most -= n;
	if (n > limit)
		n = limit;
	if (n > VECTOR_BYTES)
		n = VECTOR_BYTES;
	*(u32 *)(to + 12) = TRACE_VECTOR_BYTES;
	if (n && bpf_probe_read_user(to + 16, n, (void *)base)) {
		v->missing = true;
		*(u32 *)(to + 12) = TRACE_VECTOR_POINTER;
		*(u64 *)(to + 16) = base;
		n = sizeof(base);
	}
	*(u64 *)to = length;
	*(u32 *)(to + 8) = n;
	v->used = used + 16 + ((n + 7) & ~7ULL);
	return 0;
}

/* Vectors behind v->used bytes of an item. */
static __always_inline void add_vectors(struct vectors *v, u64 count)
{
	if (have_loop()) {
		bpf_loop(count < VECTORS_MOST ? count : VECTORS_MOST, add_vector, v, 0);
	} else {
		for (u32 i = 0; i < VECTORS_MOST && i < count; i++)
			if (add_vector(i, v))
				break;
	}
}

__noinline int copy_vectors(RECORD, u64 pointer, u64 most, u32 arg_and_count, u32 word_and_flags)
{
	struct trace_record *s = given_record();
	/*
	 * `nothing` is 0, which the verifier does not know. If it did, it would check the loop
	 * separately for each number of bytes that it can distinguish.
	 */
	struct vectors v = { .s = s,
			     .pointer = pointer,
			     .most = most,
			     .word = word_and_flags & 0xff,
			     .used = counts.nothing };
	struct trace_item *item;

	if (!s)
		return 0;
	item = next_item(s, &v.at);
	if (!item)
		return 0;
	add_vectors(&v, arg_and_count >> 8);
	if (v.missing) /* they are present after the call has read them */
		s->call.retry |= 1 << (arg_and_count & 7);
	end_item(s, item, v.at, arg_and_count & 0xff, word_and_flags >> 8,
		 v.err && !v.used ? v.err : v.used);
	return 0;
}

/*
 * Copies struct msghdr (name, its length, the vectors, their number) after `used` bytes of the item
 * at `at`. Returns the bytes used after it, or -EFAULT.
 */
__noinline int add_message(RECORD, u64 pointer, u64 most, u32 at, u32 used_and_word)
{
	struct trace_record *s = given_record();
	struct vectors v = { .s = s, .most = most, .word = used_and_word & 0xff, .at = at };
	u32 used = used_and_word >> 8, name_size = 0, place;
	u64 name, count;
	u8 *to;

	place = at + sizeof(struct trace_item) + used;
	barrier_var(place);
	if (!s || used > ITEM_MOST || place > TRACE_DATA + ITEM_MOST - 256)
		return used;
	to = item_bytes(s, place);
	if (read_pointer(pointer, 0, v.word, &name))
		return -14;
	bpf_probe_read_user(&name_size, sizeof(name_size), (void *)(pointer + v.word));
	read_pointer(pointer, 2, v.word, &v.pointer);
	read_pointer(pointer, 3, v.word, &count);
	if (name_size > 128)
		name_size = 128;
	if (!name || !name_size || bpf_probe_read_user(to + 8, name_size, (void *)name))
		name_size = 0;
	*(u32 *)to = name_size;
	*(u32 *)(to + 4) = count;
	v.used = used + 8 + ((name_size + 7) & ~7U);
	add_vectors(&v, count);
	if (v.missing)
		s->call.retry |= MESSAGE_MISSING;
	return v.used;
}

/* Notes a message whose bytes could not be read; they are present after the call has read them. */
static __always_inline void note_missing(struct trace_record *s, u32 arg)
{
	if (s->call.retry & MESSAGE_MISSING)
		s->call.retry = (s->call.retry & ~MESSAGE_MISSING) | 1 << (arg & 7);
}

__noinline int copy_message(RECORD, u64 pointer, u64 most, u32 arg, u32 word_and_flags)
{
	struct trace_record *s = given_record();
	struct trace_item *item;
	u32 at;

	if (!s)
		return 0;
	item = next_item(s, &at);
	if (item)
		end_item(s, item, at, arg, word_and_flags >> 8,
			 add_message(hand(s), pointer, most, at, word_and_flags & 0xff));
	note_missing(s, arg);
	return 0;
}

/* Copies struct mmsghdr: a message and how many bytes of it were transferred. */
__noinline int copy_messages(RECORD, u64 pointer, u32 count, u32 arg, u32 word_and_flags)
{
	struct trace_record *s = given_record();
	u32 at, i, used = 0, word = word_and_flags & 0xff,
		   out = word_and_flags >> 8 & TRACE_ITEM_OUT;
	u32 each = word == 4 ? 32 : 64, flags = word_and_flags >> 8;
	struct trace_item *item;

	if (!s)
		return 0;
	item = next_item(s, &at);
	if (!item)
		return 0;
	for (i = 0; i < MESSAGES_MOST && i < count; i++) {
		u32 transferred = 0, place = at + sizeof(*item) + used;
		u64 from = pointer + i * each;
		u32 *head;
		int n;

		barrier_var(place);
		if (used > ITEM_MOST - 1024 || place > TRACE_DATA + ITEM_MOST - 1024)
			break;
		head = item_bytes(s, place);
		if (out)
			bpf_probe_read_user(&transferred, sizeof(transferred),
					    (void *)(from + (word == 4 ? 28 : 56)));
		n = add_message(hand(s), from, out ? transferred : ~0ULL, at,
				(used + 8) << 8 | word);
		if (n < 0 || n > ITEM_MOST)
			break;
		head[0] = n - used - 8;
		head[1] = transferred;
		used = n;
	}
	end_item(s, item, at, arg, flags | (i < count ? TRACE_ITEM_CUT : 0),
		 used || !count ? (long)used : -14);
	note_missing(s, arg);
	return 0;
}

/* ---- texts, bytes and structs ---- */

__noinline int copy_text(RECORD, u64 pointer, u32 arg, u32 flags)
{
	struct trace_record *s = given_record();
	struct trace_item *item;
	long size;
	u32 at;

	if (!s)
		return 0;
	item = next_item(s, &at);
	if (!item)
		return 0;
	size = bpf_probe_read_user_str(item + 1, ITEM_MOST, (void *)pointer);
	if (size == ITEM_MOST)
		flags |= TRACE_ITEM_CUT;
	end_item(s, item, at, arg, flags, size);
	return 0;
}

__noinline int copy_bytes(RECORD, u64 pointer, u64 n, u32 arg, u32 flags)
{
	struct trace_record *s = given_record();
	struct trace_item *item;
	long size;
	u32 at;

	if (!s)
		return 0;
	item = next_item(s, &at);
	if (!item)
		return 0;
	if (n > ITEM_MOST)
		n = ITEM_MOST;
	size = n ? bpf_probe_read_user(item + 1, n, (void *)pointer) : 0;
	end_item(s, item, at, arg, flags, size ? size : (long)n);
	return 0;
}

/*
 * Returns the argument number i, or the first one if there is none of that number. barrier_var()
 * hides from the compiler what it knows of i: it would drop the comparison, or make it before it
 * computes i, and the verifier would not see that the address is inside the record.
 */
static __always_inline u64 argument(const struct trace_record *s, u32 i)
{
	barrier_var(i);
	return s->call.args[i < TRACE_ARGS ? i : 0];
}

/*
 * Returns how many bytes of a buffer to copy: as many as the call uses, at most the requested
 * number.
 */
static __always_inline u64 buffer_bytes(const struct trace_record *s, const struct trace_copy *c,
					u32 *flags)
{
	u64 count = argument(s, c->length), n, most;

	if (c->how == TRACE_RESULT) {
		/* a negative result is an error; one larger than the buffer is the size needed */
		u64 result = s->call.result < 0 ? 0 : (u64)s->call.result;

		count = result < count ? result : count;
	} else if (c->how == TRACE_LENGTH_AT) {
		u32 length = 0;

		bpf_probe_read_user(&length, sizeof(length), (void *)count);
		count = (s32)length < 0 ? 0 : length;
	} else if ((s64)count < 0) {
		/* an implausible size: copy the maximum */
		count = ITEM_MOST;
	}
	most = c->size > 1 || c->how == TRACE_LENGTH_AT ? 512 : settings.buffer_limit;
	if (count > ITEM_MOST)
		count = ITEM_MOST;
	n = count * c->size;
	if (n > most) {
		*flags |= TRACE_ITEM_CUT;
		n = most / c->size * c->size;
	}
	return n;
}

/* Returns the size of a struct, from an argument or its own field; at most its known size. */
static __always_inline u64 struct_bytes(const struct trace_record *s, const struct trace_copy *c,
					u64 pointer)
{
	u32 size = 0;

	if (c->how == TRACE_SIZED)
		size = argument(s, c->length);
	else
		bpf_probe_read_user(&size, sizeof(size), (void *)(pointer + c->length));
	return size && size < c->size ? size : c->size;
}

/*
 * Copies what an ioctl, fcntl or prctl takes or fills; that depends on its command, the argument
 * before.
 */
static __always_inline void copy_by_command(struct trace_record *s, const struct trace_copy *c,
					    u32 i, u32 flags)
{
	enum { IOC_WRITE = 1, IOC_READ = 2, MOST = 512 };
	struct trace_command_key key = { .command = argument(s, i ? i - 1 : 0),
					 .compat = c->word == 4,
					 .which = c->size };
	struct trace_command *known = bpf_map_lookup_elem(&commands, &key);
	u32 when = flags & TRACE_ITEM_OUT ? TRACE_EXIT : TRACE_ENTRY,
	    size = known ? known->size : 0;

	if (known ? !(known->when & when) : true)
		return;
	copy_bytes(hand(s), argument(s, i), size > MOST ? MOST : size, i, flags);
}

static __always_inline bool has_kind(u32 how)
{
	return settings.kinds >> how & 1;
}

static __always_inline const struct trace_plan *plan_of_record(const struct trace_record *s)
{
	u32 index = s->plan;

	return bpf_map_lookup_elem(&plans, &index);
}

/* Makes one copy; number is its index in the plan's list. */
__noinline int copy_one(RECORD, u32 number, u32 flags)
{
	struct trace_record *s = given_record();
	const struct trace_plan *p = s ? plan_of_record(s) : NULL;
	const struct trace_copy *c;
	u64 pointer, most, n;
	u32 i;

	if (!s || !p || number >= TRACE_ARGS)
		return 0;
	c = &p->list[number];
	i = c->arg;
	if (i >= TRACE_ARGS)
		return 0;
	most = flags & TRACE_ITEM_OUT ? (u64)s->call.result : ~0ULL;
	pointer = argument(s, i);
	if (!pointer)
		return 0;
	/*
	 * `settings.kinds` is a constant for the verifier, which then leaves out what no call
	 * needs: it checks all reachable functions, for each program separately.
	 */
	switch (c->how) {
	case TRACE_STRING:
		if (has_kind(TRACE_STRING))
			copy_text(hand(s), pointer, i, flags);
		break;
	case TRACE_FIXED:
		copy_bytes(hand(s), pointer, c->size, i, flags);
		break;
	case TRACE_LENGTH:
	case TRACE_LENGTH_AT:
	case TRACE_RESULT:
		n = buffer_bytes(s, c, &flags);
		copy_bytes(hand(s), pointer, n, i, flags);
		break;
	case TRACE_SIZED:
	case TRACE_SIZE_INSIDE:
		copy_bytes(hand(s), pointer, struct_bytes(s, c, pointer), i, flags);
		break;
	case TRACE_COMMAND:
		if (has_kind(TRACE_COMMAND))
			copy_by_command(s, c, i, flags);
		break;
	case TRACE_TEXTS:
		if (has_kind(TRACE_TEXTS))
			copy_texts(hand(s), pointer, i, c->word, flags);
		break;
	case TRACE_COUNT:
		if (has_kind(TRACE_COUNT))
			copy_count(hand(s), pointer, i, c->word, flags);
		break;
	case TRACE_IOVEC:
		n = argument(s, c->length);
		if (has_kind(TRACE_IOVEC))
			copy_vectors(hand(s), pointer, most,
				     i | (n > VECTORS_MOST ? VECTORS_MOST : n) << 8,
				     flags << 8 | c->word);
		break;
	case TRACE_MSGHDR:
		if (has_kind(TRACE_MSGHDR))
			copy_message(hand(s), pointer, most, i, flags << 8 | c->word);
		break;
	case TRACE_MESSAGES:
		n = flags & TRACE_ITEM_OUT ? most : argument(s, c->length);
		if (has_kind(TRACE_MESSAGES))
			copy_messages(hand(s), pointer, n > 1024 ? 1024 : n, i,
				      flags << 8 | c->word);
		break;
	}
	return 0;
}

/* Makes the copies of one side of the call, for arguments whose bit is set. */
__noinline int copy_side(RECORD, u32 when, u32 which, u32 flags)
{
	struct trace_record *s = given_record();
	const struct trace_plan *p = s ? plan_of_record(s) : NULL;

	if (!p)
		return 0;
	for (u32 i = 0; i < TRACE_ARGS && i < p->count; i++) {
		const struct trace_copy *c = &p->list[i];

		if (c->when & when && which >> (c->arg & 7) & 1)
			copy_one(hand(s), i, flags);
	}
	return 0;
}

#endif
