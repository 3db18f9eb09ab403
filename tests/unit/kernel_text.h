/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What print formats of tracepoints mean: they are C, and this is what their C calls.  c_formats.h
 * writes a program that includes this file and holds each print format as an expression; no part of
 * perf is in it.
 *
 * The meanings are those of the kernel's own text (trace in tracefs), except where perf has a form
 * of its own:
 *	%p            the address (the kernel: a hash), "(nil)" for none
 *	%pS, %ps      NAME+0xOFFSET, NAME, or the address (the kernel: also the function's
 *	              size and its module)
 *	%s            of a pointer into the kernel: the text that the recording knows it by, or the
 *	              address; nothing for NULL that the format itself has
 *	%c            nothing for 0
 *	%#x, %#o      as in C for 0 (the kernel: "0x0")
 *	%pIS          nothing for an address of another family (the kernel: "(einval)")
 *	__print_array numbers with spaces between them (the kernel: "{0x1,0x2}")
 *	__print_flags, __print_symbolic of what no row has: the bits of its type (the
 *	              kernel: all 64)
 */
typedef _Bool bool;
typedef unsigned char u8, __u8, uint8_t;
typedef unsigned short u16, __u16, uint16_t, __le16, __be16, umode_t, ushort;
typedef unsigned int u32, __u32, uint32_t, __le32, __be32, uint, gfp_t, fmode_t, dev_t, uid_t,
	gid_t, OM_uint32, blk_opf_t, tid_t, xfs_agnumber_t, xfs_agblock_t, xfs_extlen_t,
	slab_flags_t, isolate_mode_t, nfs4_verifier, qid_t;
typedef unsigned long u64, __u64, uint64_t, __le64, __be64, size_t, ino_t, sector_t, vm_flags_t,
	xfs_ino_t, uintptr_t, ulong, phys_addr_t, dma_addr_t, resource_size_t, pgoff_t, gpa_t,
	gfn_t, ext4_fsblk_t, blkcnt_t;
typedef signed char s8, __s8, int8_t;
typedef short s16, __s16, int16_t;
typedef int s32, __s32, int32_t, pid_t, __kernel_rwf_t, rwf_t, clockid_t;
typedef long s64, __s64, int64_t, loff_t, ssize_t, off_t, ktime_t, time64_t, xfs_fsize_t, xfs_off_t;

struct page {
	/* pages are shown by their numbers: where the kernel has its array of them, nobody knows */
	char one;
};

#define false 0
#define true 1
#define NULL ((void *)0)
static const char no_text[1]; /* c_formats.h writes it for the NULLs of the format */
#define offsetof(type, member) __builtin_offsetof(type, member)
#define unlikely(x)            (x)
#define likely(x)              (x)

int snprintf(char *, size_t, const char *, ...);
size_t strlen(const char *);
size_t strnlen(const char *, size_t);

/* What the test knows: functions and texts of the kernel. */
struct kernel {
	_Bool (*function_at)(void *, unsigned long *address, char *name, size_t size, char *module,
			     size_t module_size);
	const char *(*text_at)(unsigned long address);
};
const struct kernel *kernel;

enum { ROOM = 1 << 18 };
static char made[ROOM]; /* what the functions of one print format return */
static size_t made_len;
static char *written;
static size_t written_len;
static const u8 *record;
static int not_known;

static void put(char c)
{
	if (written_len < ROOM - 1)
		written[written_len++] = c;
}

static void put_n(const char *s, size_t n)
{
	while (n--)
		put(*s++);
}

#define put_f(...)                                                                                 \
	do {                                                                                       \
		char piece[512];                                                                   \
		put_n(piece, (size_t)snprintf(piece, sizeof(piece), __VA_ARGS__));                 \
	} while (0)

/* Functions write to the end of made, and return where they began. */
#define make_f(...) (made_len += (size_t)snprintf(made + made_len, ROOM - made_len, __VA_ARGS__))

struct row {
	unsigned long mask;
	const char *name;
};
/*
 * The mask of a row that the kernel shows by a name, whose number nobody knows: perf takes it for
 * no value's.
 * Elsewhere such a name counts as 0.
 */
#define NO_VALUE 0x7ead7ead7ead7eadUL

static unsigned long of_size(unsigned long v, size_t size)
{
	return size < 8 ? v & ((1UL << 8 * size) - 1) : v;
}

/*
 * Writes the names of the rows, in their order and up to one without a name, whose bits are all
 * set, and removes these bits. A row without bits matches while any bit is left. Bits that no row
 * has follow as a number.
 */
static const char *flags_text(unsigned long v, size_t size, const char *delim,
			      const struct row *rows, size_t n)
{
	char *begin = made + made_len;
	const char *between = "";

	*begin = 0;
	for (size_t i = 0; i < n && v && rows[i].name != no_text; i++) {
		if (rows[i].mask & ~v || rows[i].mask == NO_VALUE)
			continue;
		make_f("%s%s", between, rows[i].name);
		between = delim ? delim : "";
		v &= ~rows[i].mask;
	}
	if (v)
		make_f("%s0x%lx", between, of_size(v, size));
	made_len++;
	return begin;
}
#define __print_flags(v, delim, ...)                                                               \
	({                                                                                         \
		static const struct row rows[] = { __VA_ARGS__ };                                  \
		flags_text((unsigned long)(v), sizeof(v), delim, rows,                             \
			   sizeof(rows) / sizeof(rows[0]));                                        \
	})
#define __print_flags_u64 __print_flags

static const char *symbol_text(unsigned long v, size_t size, const struct row *rows, size_t n)
{
	char *begin = made + made_len;

	for (size_t i = 0; i < n && rows[i].name != no_text; i++)
		if (rows[i].mask == v)
			return rows[i].name;
	make_f("0x%lx", of_size(v, size));
	made_len++;
	return begin;
}
#define __print_symbolic(v, ...)                                                                   \
	({                                                                                         \
		static const struct row rows[] = { __VA_ARGS__ };                                  \
		symbol_text((unsigned long)(v), sizeof(v), rows, sizeof(rows) / sizeof(rows[0]));  \
	})
#define __print_symbolic_u64 __print_symbolic

static const char *hex_text(const void *at, int n, const char *between)
{
	char *begin = made + made_len;

	*begin = 0;
	for (int i = 0; i < n; i++)
		make_f("%s%02x", i ? between : "", ((const u8 *)at)[i]);
	made_len++;
	return begin;
}
#define __print_hex(at, n)     hex_text(at, n, " ")
#define __print_hex_str(at, n) hex_text(at, n, "")

static const char *array_text(const void *at, int n, int size)
{
	char *begin = made + made_len;

	*begin = 0;
	for (int i = 0; i < n; i++)
		make_f("%s%lu", i ? " " : "",
		       size == 1   ? ((const u8 *)at)[i]
		       : size == 2 ? ((const u16 *)at)[i]
		       : size == 4 ? ((const u32 *)at)[i]
				   : ((const u64 *)at)[i]);
	made_len++;
	return begin;
}
#define __print_array array_text
#define __print_dynamic_array(f, size)                                                             \
	array_text(__get_dynamic_array(f), (int)(__get_dynamic_array_len(f) / (size)), (int)(size))

#define __fswab16 __builtin_bswap16
#define __fswab32 __builtin_bswap32
#define __fswab64 __builtin_bswap64

/* The word of a dynamic field: where its bytes are, and how many. */
#define __get_dynamic_array(f)         ((void *)(record + (REC->f & 0xffff)))
#define __get_dynamic_array_len(f)     (REC->f >> 16 & 0xffff)
#define __get_str(f)                   ((char *)__get_dynamic_array(f))
#define __get_sockaddr(f)              __get_dynamic_array(f)
#define __get_rel_dynamic_array(f)     ((void *)((u8 *)(&REC->f + 1) + (REC->f & 0xffff)))
#define __get_rel_dynamic_array_len(f) __get_dynamic_array_len(f)
#define __get_rel_str(f)               ((char *)__get_rel_dynamic_array(f))
#define __get_rel_sockaddr(f)          __get_rel_dynamic_array(f)

/* ---- conversions ---- */

struct how {
	char flags[8];
	int width, precision, longs;
	char letter;
};

static void put_padded(const struct how *how, const char *s, size_t n)
{
	int left = 0, pad = how->width - (int)n;

	for (const char *f = how->flags; *f; f++)
		left |= *f == '-';
	for (; !left && pad > 0; pad--)
		put(' ');
	put_n(s, n);
	for (; pad > 0; pad--)
		put(' ');
}

static void put_string(const struct how *how, const char *s)
{
	extern const char __ehdr_start[] __attribute__((visibility("hidden"))),
		_end[] __attribute__((visibility("hidden")));
	char address[24];

	if (s == no_text)
		return;
	/* neither a text of this program nor in the record: the kernel's */
	if (!(s >= __ehdr_start && s < _end) &&
	    !(s >= (const char *)record && s < (const char *)record + 65536)) {
		const char *known = kernel->text_at((unsigned long)s);

		snprintf(address, sizeof(address), "%lx", (unsigned long)s);
		s = known ? known : address;
	}
	put_padded(how, s, how->precision >= 0 ? strnlen(s, (size_t)how->precision) : strlen(s));
}

static void put_number(const struct how *how, long v)
{
	char spec[32];
	int n = snprintf(spec, sizeof(spec), "%%%s*", how->flags);

	if (how->precision >= 0)
		n += snprintf(spec + n, sizeof(spec) - (size_t)n, ".%d", how->precision);
	snprintf(spec + n, sizeof(spec) - (size_t)n, "l%c", how->letter);
	if (how->letter == 'd')
		v = how->longs == -2   ? (s8)v
		    : how->longs == -1 ? (s16)v
		    : how->longs == 0  ? (int)v
				       : v;
	else
		v = how->longs == -2   ? (u8)v
		    : how->longs == -1 ? (u16)v
		    : how->longs == 0  ? (unsigned)v
				       : v;
	put_f(spec, how->width, v);
}

static void put_function(unsigned long at, int with_offset)
{
	unsigned long start = at;
	char name[128], module[32];

	if (!kernel->function_at(NULL, &start, name, sizeof(name), module, sizeof(module)))
		put_f("0x%lx", at);
	else if (with_offset)
		put_f("%s+0x%lx", name, at - start);
	else
		put_f("%s", name);
}

static void put_ip4(const u8 *a)
{
	put_f("%u.%u.%u.%u", a[0], a[1], a[2], a[3]);
}

static void put_ip6(const u8 *a, int is_short)
{
	unsigned w[8], words = 8, from = 8, to = 8;
	int mapped = 1, isatap = !(a[8] & ~2) && !a[9] && a[10] == 0x5e && a[11] == 0xfe;

	for (int i = 0; i < 8; i++) {
		w[i] = (unsigned)(a[2 * i] << 8 | a[2 * i + 1]);
		mapped &= i > 5 || w[i] == (i < 5 ? 0 : 0xffff);
	}
	if (!is_short) {
		put_f("%04x:%04x:%04x:%04x:%04x:%04x:%04x:%04x", w[0], w[1], w[2], w[3], w[4], w[5],
		      w[6], w[7]);
		return;
	}
	if (mapped || isatap)
		words = 6;
	/* the first of the longest runs of at least two zeros */
	for (unsigned i = 0, run; i < words; i += run + 1) {
		for (run = 0; i + run < words && !w[i + run]; run++)
			;
		if (run >= 2 && (from == 8 || run > to - from))
			from = i, to = i + run;
	}
	for (unsigned i = 0; i < words; i++) {
		if (i == from)
			put_n("::", 2);
		else if (i < from || i >= to)
			put_f("%s%x", i && i != to ? ":" : "", w[i]);
	}
	if (words == 6) {
		if (to != 6)
			put(':');
		put_ip4(a + 12);
	}
}

static void put_socket(const u8 *a, const char *letters)
{
	int with_port = 0, is_short = 0, with_flow = 0, with_scope = 0;
	unsigned port = (unsigned)(a[2] << 8 | a[3]), family = *(const u16 *)a;

	for (; *letters; letters++) {
		with_port |= *letters == 'p';
		is_short |= *letters == 'c';
		with_flow |= *letters == 'f';
		with_scope |= *letters == 's';
		not_known |= !__builtin_strchr("pcfs", *letters);
	}
	if (family == 2) {
		put_ip4(a + 4);
	} else if (family == 10) {
		if (with_port)
			put('[');
		put_ip6(a + 8, is_short);
		if (with_port)
			put(']');
	} else {
		return;
	}
	if (with_port)
		put_f(":%u", port);
	if (with_flow && family == 10)
		put_f("/%u", __builtin_bswap32(*(const u32 *)(a + 4)) & 0xfffff);
	if (with_scope && family == 10)
		put_f("%%%u", *(const u32 *)(a + 24));
}

static void put_uuid(const u8 *a, char kind)
{
	static const u8 plain[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
	static const u8 guid[] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
	const u8 *order = kind == 'l' || kind == 'L' ? guid : plain;

	for (int i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			put('-');
		if (kind == 'B' || kind == 'L')
			put_f("%02X", a[order[i]]);
		else
			put_f("%02x", a[order[i]]);
	}
}

static void put_mac(const u8 *a, const char *between)
{
	for (int i = 0; i < 6; i++)
		put_f("%s%02x", i ? between : "", a[i]);
}

static void put_bytes(const u8 *at, int n, char letter)
{
	const char *between = letter == 'C' ? ":" : letter == 'D' ? "-" : letter == 'N' ? "" : " ";

	for (int i = 0; i < n && i < 64; i++)
		put_f("%s%02x", i ? between : "", at[i]);
}

#define IS(s) (!__builtin_strcmp(letters, s))

/* Writes a pointer. letters: those after %p */
static void put_pointer(const struct how *how, const char *letters, const void *at)
{
	if (at == no_text)
		at = NULL;
	if (letters[0] == 'h') {
		put_bytes(at, how->width, letters[1]);
		return;
	}
	if (how->width || how->flags[0] || how->precision >= 0)
		not_known = 1;
	else if (IS(""))
		put_f("%p", at);
	else if (IS("S") || IS("F") || IS("s") || IS("f"))
		put_function((unsigned long)at, letters[0] == 'S' || letters[0] == 'F');
	else if (IS("I4"))
		put_ip4(at);
	else if (IS("I6") || IS("I6c"))
		put_ip6(at, letters[2]);
	else if (letters[0] == 'I' && letters[1] == 'S')
		put_socket(at, letters + 2);
	else if (letters[0] == 'U' && (!letters[1] || !letters[2]))
		put_uuid(at, letters[1]);
	else if (IS("M") || IS("m"))
		put_mac(at, letters[0] == 'M' ? ":" : "");
	else
		not_known = 1;
}

static const char *number_at(const char *p, int *v)
{
	for (*v = 0; *p >= '0' && *p <= '9'; p++)
		*v = *v * 10 + *p - '0';
	return p;
}

static const char *how_at(const char *p, struct how *how, int *width_is_taken,
			  int *precision_is_taken)
{
	int n = 0;

	*how = (struct how){ .precision = -1 };
	for (; n < 7 && *p && __builtin_strchr("-+ #0", *p); p++)
		how->flags[n++] = *p;
	*width_is_taken = *p == '*';
	p = *width_is_taken ? p + 1 : number_at(p, &how->width);
	*precision_is_taken = 0;
	if (*p == '.') {
		*precision_is_taken = p[1] == '*';
		p = *precision_is_taken ? p + 2 : number_at(p + 1, &how->precision);
	}
	for (; *p && __builtin_strchr("hlLzqtj", *p); p++)
		how->longs += *p == 'h' ? -1 : *p == 'l' ? 1 : 2;
	how->letter = *p == 'i' ? 'd' : *p;
	return *p ? p + 1 : p;
}

static size_t text(const char *f, ...)
{
	__builtin_va_list ap;

	__builtin_va_start(ap, f);
	while (*f) {
		struct how how;
		int takes_width, takes_precision;

		if (*f != '%') {
			put(*f++);
			continue;
		}
		f = how_at(f + 1, &how, &takes_width, &takes_precision);
		if (takes_width)
			how.width = __builtin_va_arg(ap, int);
		if (takes_precision)
			how.precision = __builtin_va_arg(ap, int);
		if (how.letter == '%') {
			put('%');
		} else if (how.letter == 's') {
			put_string(&how, __builtin_va_arg(ap, const char *));
		} else if (how.letter == 'c') {
			char c = (char)__builtin_va_arg(ap, int);

			put_padded(&how, &c, c != 0);
		} else if (how.letter == 'p') {
			char letters[16];
			size_t n = 0;

			/* of what follows, letters that the kernel knows behind %p are taken */
			for (; n < 15 && ((*f >= 'a' && *f <= 'z') || (*f >= 'A' && *f <= 'Z') ||
					  (*f >= '0' && *f <= '9'));
			     f++)
				letters[n++] = *f;
			letters[n] = 0;
			put_pointer(&how, letters, __builtin_va_arg(ap, const void *));
		} else if (how.letter && __builtin_strchr("duxXo", how.letter)) {
			put_number(&how, __builtin_va_arg(ap, long));
		} else {
			not_known = 1;
			break;
		}
	}
	__builtin_va_end(ap);
	return written_len;
}

static void (*const prints[])(void);

/* Prints raw by the format of this number; false when it is none, or has what is not known here. */
int kernel_print(unsigned index, const u8 *raw, char *out)
{
	record = raw;
	written = out;
	made_len = written_len = 0;
	not_known = !prints[index];
	if (prints[index])
		prints[index]();
	out[written_len] = 0;
	return !not_known;
}
