// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * x86 instructions in AT&T syntax, to the letter as objdump (binutils 2.40) has them.
 *
 * Capstone says what an instruction is, in Intel's order of operands; the text is made
 * here.  A suffix (b, w, l, q) stands where no register operand tells the size.
 */
#include <string.h>

#include "annotate/capstone_calls.h"
#include "base/text.h"

/* Names are compared a dozen times for each instruction: most differ in their first letter. */
static inline bool same(const char *a, const char *b)
{
	return *a == *b && !strcmp(a, b);
}

struct renamed {
	const char *from, *to;
};

/* Names that differ between Intel's and AT&T's syntax. */
static const char *att_name(const char *name)
{
	static const struct renamed names[] = {
		{ "cbw", "cbtw" }, { "cwde", "cwtl" }, { "cdqe", "cltq" }, { "cwd", "cwtd" },
		{ "cdq", "cltd" }, { "cqo", "cqto" }, { "pushfq", "pushf" }, { "popfq", "popf" },
		{ "pushfd", "pushf" }, { "popfd", "popf" }, { "lodsb", "lods" },
		{ "lodsw", "lods" }, { "lodsd", "lods" }, { "lodsq", "lods" }, { "stosb", "stos" },
		{ "stosw", "stos" }, { "stosd", "stos" }, { "stosq", "stos" }, { "scasb", "scas" },
		{ "scasw", "scas" }, { "scasd", "scas" }, { "scasq", "scas" }, { "movsd ", "movsl" },
		{ "pushal", "pusha" }, { "popal", "popa" }, { "wait", "fwait" },
		{ "int1", "icebp" }, { "retf", "lret" }, { "retfq", "lretq" }, { "iretd", "iret" },
		{ "ljmp", "ljmp" }, { "lcall", "lcall" }, { "sal", "shl" }, { "salc", "salc" },
		{ "xlatb", "xlat" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (same(name, names[i].from))
			return names[i].to;
	return name;
}

static bool one_of(const char *name, const char *const *list)
{
	for (; *list; list++)
		if (same(name, *list))
			return true;
	return false;
}

/* Integer instructions whose size a suffix tells when memory is all they name. */
static bool has_suffix(const char *name)
{
	static const char *const names[] = {
		"adc", "add", "and", "bt", "btc", "btr", "bts", "cmp", "dec", "div", "idiv", "imul",
		"inc", "mov", "mul", "neg", "nop", "not", "or", "rcl", "rcr", "rol", "ror", "sar",
		"sbb", "shl", "shr", "sub", "test", "xor", "cvtsi2sd", "cvtsi2ss", "vcvtsi2sd",
		"vcvtsi2ss", "vcvtusi2sd", "vcvtusi2ss", "ptwrite", NULL
	};

	return one_of(name, names);
}

/* Their immediates are as wide as what they work on. */
static bool wide_immediate(const char *name)
{
	static const char *const names[] = { "adc", "add", "and", "cmp", "imul", "mov", "movabs",
					     "or", "push", "sbb", "sub", "test", "xor", NULL };

	return one_of(name, names);
}

static bool is_shift(const char *name)
{
	static const char *const names[] = { "rcl", "rcr", "rol", "ror", "sar", "shl", "shr", NULL };

	return one_of(name, names);
}

static char size_letter(unsigned size)
{
	return size == 1 ? 'b' : size == 2 ? 'w' : size == 4 ? 'l' : size == 8 ? 'q' : 0;
}

static const char *segment_name(const struct x86_code *x, unsigned reg)
{
	return x->cs->reg_name(x->handle, reg);
}

static void reg_text(const struct x86_code *x, unsigned reg)
{
	const char *name = x->cs->reg_name(x->handle, reg);

	strbuf_char(x->out, '%');
	if (name && str_starts(name, "st(0"))
		name = "st";
	if (reg >= X86_REG_DR0 && reg <= X86_REG_DR7)
		strbuf_f(x->out, "db%u", reg - X86_REG_DR0);
	else
		strbuf_str(x->out, name ? name : "?");
}

static void signed_hex(struct strbuf *b, s64 v)
{
	strbuf_str(b, v < 0 ? "-0x" : "0x");
	strbuf_hex(b, v < 0 ? -(u64)v : (u64)v);
}

/* What an operand that is relative to the instruction pointer means: any address, 0 too. */
struct rip_target {
	bool known;
	u64 address;
};

static bool is_near(const cs_insn *insn)
{
	return insn->id == X86_INS_CALL || insn->id == X86_INS_JMP;
}

static void mem_text(const struct x86_code *x, const cs_x86_op *op, struct rip_target *rip)
{
	const x86_op_mem *m = &op->mem;
	const cs_x86 *d = &x->insn->detail->x86;
	bool no_base = m->base == X86_REG_INVALID, no_index = m->index == X86_REG_INVALID;
	/* A SIB byte without an index where neither the base nor, with 64-bit addresses, its absence asked for one. */
	bool riz = no_index && d->sib && (d->sib >> 3 & 7) == 4 &&
		   (d->sib >> 6 || (no_base ? d->addr_size != 8 : (d->sib & 7) != 4));

	/* what is no address's segment is before the mnemonic: notrack's ds, and in 64-bit code all but two */
	if (m->segment != X86_REG_INVALID &&
	    ((!x->bits64 && !(m->segment == X86_REG_DS && is_near(x->insn))) ||
	     m->segment == X86_REG_FS || m->segment == X86_REG_GS))
		strbuf_f(x->out, "%%%s:", segment_name(x, m->segment));
	if (no_base && no_index && !riz) {
		strbuf_f(x->out, "0x%" PRIx64,
			 x->bits64 && !(d->prefix[3] == 0x67) ? (u64)m->disp : (u64)m->disp & 0xffffffff);
		return;
	}
	if (d->encoding.disp_offset || m->disp || (no_base && !no_index))
		signed_hex(x->out, m->disp);
	strbuf_char(x->out, '(');
	if (!no_base)
		reg_text(x, m->base);
	if (!no_index) {
		strbuf_char(x->out, ',');
		reg_text(x, m->index);
		strbuf_char(x->out, ',');
		strbuf_dec(x->out, (u64)m->scale);
	} else if (riz) {
		strbuf_f(x->out, ",%%%ciz,%d", d->addr_size == 8 ? 'r' : 'e', 1 << (d->sib >> 6));
	}
	strbuf_char(x->out, ')');
	if (m->base == X86_REG_RIP || m->base == X86_REG_EIP)
		*rip = (struct rip_target){ true, x->insn->address + x->insn->size + (u64)m->disp };
}

static void imm_text(const struct x86_code *x, s64 value, unsigned size)
{
	u64 v = (u64)value;

	if (size < 8)
		v &= (1ULL << size * 8) - 1;
	strbuf_str(x->out, "$0x");
	strbuf_hex(x->out, v);
}

/* An instruction's bytes: legacy prefixes, one REX prefix, the opcode. */
struct parts {
	unsigned prefixes; /* how many bytes before REX and opcode */
	unsigned sizes, segments, fs_gs, addresses, reps, locks;
	u8 rex, op, op2, modrm; /* op2: behind 0f; modrm: behind the opcode's one or two bytes */
};

static bool is_prefix(u8 c)
{
	switch (c) {
	case 0x26: case 0x2e: case 0x36: case 0x3e: case 0x64: case 0x65: case 0x66: case 0x67:
	case 0xf0: case 0xf2: case 0xf3:
		return true;
	default:
		return false;
	}
}

static struct parts parts_of(const struct x86_code *x)
{
	const u8 *p = x->insn->bytes;
	unsigned n = x->insn->size, i = 0;
	struct parts q = { 0 };

	for (; i < n && is_prefix(p[i]); i++) {
		q.sizes += p[i] == 0x66;
		q.addresses += p[i] == 0x67;
		q.reps += p[i] == 0xf2 || p[i] == 0xf3;
		q.locks += p[i] == 0xf0;
		q.fs_gs += p[i] == 0x64 || p[i] == 0x65;
	}
	q.prefixes = i;
	q.segments = i - q.sizes - q.addresses - q.reps - q.locks;
	if (x->bits64 && i < n && (p[i] & 0xf0) == 0x40)
		q.rex = p[i++];
	q.op = i < n ? p[i++] : 0;
	if (q.op == 0x0f)
		q.op2 = i < n ? p[i++] : 0;
	q.modrm = i < n ? p[i] : 0;
	return q;
}

static bool has_memory(const cs_x86 *d)
{
	for (unsigned i = 0; i < d->op_count; i++)
		if (d->operands[i].type == X86_OP_MEM)
			return true;
	return false;
}

static bool long_nop(const struct parts *q)
{
	return q->op == 0x0f && q->op2 == 0x1f;
}

static bool is_conditional(const struct parts *q)
{
	return (q->op >= 0x70 && q->op <= 0x7f) || (q->op >= 0xe0 && q->op <= 0xe3) ||
	       (q->op == 0x0f && q->op2 >= 0x80 && q->op2 <= 0x8f);
}

static const char *segment_word(u8 prefix)
{
	switch (prefix) {
	case 0x26: return "es ";
	case 0x2e: return "cs ";
	case 0x36: return "ss ";
	case 0x3e: return "ds ";
	case 0x64: return "fs ";
	default: return "gs ";
	}
}

/* In 64-bit code cs, ds, es and ss change no address: objdump has them before the mnemonic. */
static bool idle_segment(const struct x86_code *x, u8 prefix)
{
	return x->bits64 && prefix != 0x64 && prefix != 0x65;
}

/*
 * REX bits that mean nothing to a near branch (it has one size), as calls of __tls_get_addr have
 * them for the linker to rewrite.
 */
static void branch_rex(const struct x86_code *x, const struct parts *q)
{
	unsigned used = 0;

	if (q->op == 0xff)
		used = q->modrm >= 0xc0 ? 1 : (q->modrm & 7) == 4 ? 3 : 1;
	if (!q->rex || (q->rex != 0x40 && !(q->rex & 15 & ~used)))
		return;
	strbuf_str(x->out, q->rex == 0x40 ? "rex" : "rex.");
	for (unsigned i = 0; i < 4; i++)
		if (q->rex & 8 >> i)
			strbuf_char(x->out, "WRXB"[i]);
	strbuf_char(x->out, ' ');
}

/* The words before the mnemonic: prefixes without a meaning for it, in the order of the bytes. */
static void prefix_words(const struct x86_code *x, const struct parts *q, const char *name, bool branch,
			 bool string)
{
	const u8 *p = x->insn->bytes;
	bool memory = has_memory(&x->insn->detail->x86), indirect = branch && q->op == 0xff;

	for (unsigned i = 0; i < q->prefixes; i++) {
		switch (p[i]) {
		case 0x66:
			if (q->rex & 8 && q->op != 0x0f)
				strbuf_str(x->out, "data16 ");
			break;
		case 0x67:
			if (branch && !memory && q->op != 0xe3)
				strbuf_str(x->out, x->bits64 ? "addr32 " : "addr16 ");
			break;
		case 0xf0:
			strbuf_str(x->out, "lock ");
			break;
		case 0xf2: case 0xf3:
			if (string)
				strbuf_str(x->out, p[i] == 0xf2 ? "repnz " :
					   str_starts(name, "cmps") || str_starts(name, "scas") ?
					   "repz " : "rep ");
			else if (branch)
				strbuf_str(x->out, p[i] == 0xf2 ? "bnd " : "repz ");
			break;
		default:
			if (string || (branch && is_conditional(q) && (p[i] == 0x2e || p[i] == 0x3e)))
				break;
			if (indirect && p[i] == 0x3e)
				strbuf_str(x->out, "notrack ");
			else if (!memory || idle_segment(x, p[i]))
				strbuf_str(x->out, segment_word(p[i]));
		}
	}
	if (branch)
		branch_rex(x, q);
}

/* What objdump says of a branch's 2e or 3e: not taken, taken. */
static const char *branch_hint(const struct x86_code *x, const struct parts *q)
{
	for (unsigned i = 0; is_conditional(q) && i < q->prefixes; i++) {
		if (x->insn->bytes[i] == 0x2e)
			return ",pn";
		if (x->insn->bytes[i] == 0x3e)
			return ",pt";
	}
	return "";
}

/*
 * No-operations of many bytes: further prefixes are spelled out.  False for what is none.
 */
static bool nop_text(const struct x86_code *x)
{
	const u8 *p = x->insn->bytes;
	unsigned n = x->insn->size, sizes = 0, i = 0;
	bool cs = false;

	for (; i < n && (p[i] == 0x66 || (p[i] == 0x2e && x->bits64)); i++) {
		sizes += p[i] == 0x66;
		cs |= p[i] == 0x2e;
	}
	if (i < n && p[i] == 0x90 && !cs && sizes) {
		while (--sizes)
			strbuf_str(x->out, "data16 ");
		strbuf_str(x->out, x->out->len ? "xchg %ax,%ax" : "xchg   %ax,%ax");
		return true;
	}
	if (i + 1 >= n || p[i] != 0x0f || p[i + 1] != 0x1f)
		return false;
	for (unsigned k = 1; k < sizes; k++)
		strbuf_str(x->out, "data16 ");
	if (cs)
		strbuf_str(x->out, "cs ");
	return false;
}

/* movzbl, movslq ...; NULL: no such instruction */
static bool extending_name(const struct x86_code *x, unsigned id, char out[8])
{
	const cs_x86 *d = &x->insn->detail->x86;
	char from, to;

	if (d->op_count != 2 || (id != X86_INS_MOVZX && id != X86_INS_MOVSX && id != X86_INS_MOVSXD))
		return false;
	from = size_letter(d->operands[1].size);
	to = size_letter(d->operands[0].size);
	memcpy(out, id == X86_INS_MOVZX ? "movz" : "movs", 4);
	out[4] = from ? from : '?';
	out[5] = to ? to : '?';
	out[6] = 0;
	return true;
}

static const char *x87_suffix(const char *name, unsigned size)
{
	bool integer = str_starts(name, "fi");

	if (same(name, "fldcw") || same(name, "fnstcw") || same(name, "fstcw") ||
	    same(name, "fldenv") || same(name, "fnstenv") || same(name, "fstenv") ||
	    same(name, "fnstsw") || same(name, "fstsw") || same(name, "fnsave") ||
	    same(name, "fsave") || same(name, "frstor") || str_starts(name, "fx") ||
	    same(name, "fbld") || same(name, "fbstp"))
		return "";
	if (integer)
		return size == 2 ? same(name, "fild") || str_starts(name, "fist") ? "s" : "s"
		     : size == 4 ? "l" : "ll";
	return size == 4 ? "s" : size == 8 ? "l" : "t";
}

static bool is_string(unsigned id)
{
	switch (id) {
	case X86_INS_MOVSB: case X86_INS_MOVSW: case X86_INS_MOVSQ:
	case X86_INS_CMPSB: case X86_INS_CMPSW: case X86_INS_CMPSQ:
	case X86_INS_STOSB: case X86_INS_STOSW: case X86_INS_STOSD: case X86_INS_STOSQ:
	case X86_INS_LODSB: case X86_INS_LODSW: case X86_INS_LODSD: case X86_INS_LODSQ:
	case X86_INS_SCASB: case X86_INS_SCASW: case X86_INS_SCASD: case X86_INS_SCASQ:
	case X86_INS_INSB: case X86_INS_INSW: case X86_INS_INSD:
	case X86_INS_OUTSB: case X86_INS_OUTSW: case X86_INS_OUTSD:
		return true;
	default:
		return false;
	}
}

/* movsl and cmpsl share their number with the SSE instructions of Intel's name. */
static bool is_string_insn(const cs_insn *insn)
{
	const cs_x86 *d = &insn->detail->x86;

	if (is_string(insn->id))
		return true;
	return (insn->id == X86_INS_MOVSD || insn->id == X86_INS_CMPSD) &&
	       (d->opcode[0] == 0xa5 || d->opcode[0] == 0xa7);
}

static void string_text(const struct x86_code *x)
{
	const char *gap = x->out->len ? " " : NULL; /* behind prefixes there is no column to keep */
	const cs_x86 *d = &x->insn->detail->x86;
	const char *rsi = d->addr_size == 8 ? "%rsi" : "%esi", *rdi = d->addr_size == 8 ? "%rdi" : "%edi";
	static const char *const accumulators[] = { "%al", "%ax", "%eax", "%rax" };
	unsigned op = d->opcode[0];
	unsigned width = !(op & 1) ? 0 : d->rex & 8 ? 3 : d->prefix[2] == 0x66 ? 1 : 2;
	const char *acc = accumulators[width], *seg = "ds";
	char letter = "bwlq"[width];

	if (d->prefix[1] == 0x64)
		seg = "fs";
	else if (d->prefix[1] == 0x65)
		seg = "gs";
	switch (op & ~1u) {
	case 0x6c: /* ports have no 64-bit form */
		strbuf_f(x->out, "ins%c%s(%%dx),%%es:(%s)", "bwll"[width], gap ? gap : "   ", rdi);
		break;
	case 0x6e:
		strbuf_f(x->out, "outs%c%s%%%s:(%s),(%%dx)", "bwll"[width], gap ? gap : "  ", seg, rsi);
		break;
	case 0xa4:
		strbuf_f(x->out, "movs%c%s%%%s:(%s),%%es:(%s)", letter, gap ? gap : "  ", seg, rsi, rdi);
		break;
	case 0xa6:
		strbuf_f(x->out, "cmps%c%s%%es:(%s),%%%s:(%s)", letter, gap ? gap : "  ", rdi, seg, rsi);
		break;
	case 0xaa:
		strbuf_f(x->out, "stos%s%s,%%es:(%s)", gap ? gap : "   ", acc, rdi);
		break;
	case 0xac:
		strbuf_f(x->out, "lods%s%%%s:(%s),%s", gap ? gap : "   ", seg, rsi, acc);
		break;
	default:
		strbuf_f(x->out, "scas%s%%es:(%s),%s", gap ? gap : "   ", rdi, acc);
	}
}

static bool is_branch(const cs_insn *insn)
{
	switch (insn->id) {
	case X86_INS_CALL: case X86_INS_JMP: case X86_INS_RET: case X86_INS_XBEGIN:
	case X86_INS_LOOP: case X86_INS_LOOPE: case X86_INS_LOOPNE:
		return true;
	default:
		return insn->id >= X86_INS_JAE && insn->id <= X86_INS_JS && insn->id != X86_INS_JMP;
	}
}

/* Through memory: with their immediates they have two operands. */
static bool is_far(const cs_insn *insn)
{
	return insn->id == X86_INS_LCALL || insn->id == X86_INS_LJMP;
}

static bool branch_operand(const struct x86_code *x, const cs_x86_op *op, struct rip_target *rip)
{
	const cs_x86 *d = &x->insn->detail->x86;

	if (op->type == X86_OP_IMM && d->opcode[0] != 0xc2) {
		text_address(x->names, x->bits64 ? (u64)op->imm : (u64)op->imm & 0xffffffff, x->out);
		return true;
	}
	if (!is_near(x->insn) && !is_far(x->insn))
		return false;
	strbuf_char(x->out, '*');
	if (op->type == X86_OP_REG)
		reg_text(x, op->reg);
	else
		mem_text(x, op, rip);
	return true;
}

/* Bytes of the instruction's immediates when they are not as wide as its operands. */
static unsigned imm_size(const struct x86_code *x, const char *name, bool first, unsigned operand_size)
{
	const cs_x86 *d = &x->insn->detail->x86;

	if (same(name, "enter"))
		return first ? 2 : 1;
	if (same(name, "push"))
		return d->prefix[2] == 0x66 ? 2 : x->bits64 ? 8 : 4;
	if (wide_immediate(name) && operand_size)
		return operand_size;
	return d->encoding.imm_size ? d->encoding.imm_size : 1;
}

/* EVEX: the mask register that is applied to the destination, 0: none. */
static unsigned mask_number(const struct x86_code *x)
{
	const u8 *p = x->insn->bytes;

	return x->bits64 && x->insn->size > 4 && p[0] == 0x62 ? p[3] & 7 : 0;
}

static void mask_text(const struct x86_code *x)
{
	if (mask_number(x))
		strbuf_f(x->out, "{%%k%u}%s", mask_number(x), x->insn->bytes[3] & 0x80 ? "{z}" : "");
}

static bool is_mask(const struct x86_code *x, unsigned i)
{
	const cs_x86_op *op = &x->insn->detail->x86.operands[i];

	return i == 1 && mask_number(x) && op->type == X86_OP_REG &&
	       op->reg == X86_REG_K0 + mask_number(x);
}

/* Copies of other x87 instructions, which objdump does not know. */
static bool undocumented_x87(u8 op, unsigned reg)
{
	return (op == 0xdc && (reg == 2 || reg == 3)) || (op == 0xde && reg == 2) ||
	       (op == 0xdf && (reg == 2 || reg == 3)) || (op == 0xdd && reg == 1);
}

/* Capstone 4 takes these for older instructions, or for ones of another length. */
static bool mistaken(const struct x86_code *x, const struct parts *q)
{
	const u8 *p = x->insn->bytes;
	unsigned reg = q->modrm >> 3 & 7;
	bool f2 = false, f3 = false, memory = q->modrm < 0xc0;

	for (unsigned i = 0; i < q->prefixes; i++) {
		f2 |= p[i] == 0xf2;
		f3 |= p[i] == 0xf3;
	}
	if (q->op != 0x0f && !memory && undocumented_x87(q->op, reg))
		return true;
	if (q->op != 0x0f)
		return q->addresses && q->rex && (q->op == 0xe8 || q->op == 0xe9);
	switch (q->op2) {
	case 0x05: /* syscall, with prefixes that mean nothing */
		return q->rex || q->sizes;
	case 0x07: case 0x35: /* sysretl, sysretq; sysexitl, sysexitq */
	case 0x1a: case 0x1b: /* bndldx and its kin */
		return true;
	case 0x09: /* wbnoinvd */
		return f2 || f3;
	case 0x1c: /* cldemote */
		return memory && !reg;
	case 0xae: /* incssp, umonitor, ptwrite, clrssbsy, umwait, tpause; rdfsbase and its kin are known */
		return f2 || (f3 && (memory || reg > 3)) || (q->sizes && !memory);
	case 0xc7: /* rdpid, senduipi */
		return (f2 || f3) && !memory;
	default:
		return false;
	}
}

/* Opcodes of bytes, or of no operand: 66 and REX.W mean nothing to them. */
static bool sizeless(u8 op)
{
	if (op < 0x40)
		return !(op & 1);
	if (op >= 0x80 && op <= 0x8f)
		return op <= 0x8a && !(op & 1);
	if (op >= 0xa0 && op <= 0xaf)
		return !(op & 1);
	return op == 0x6c || op == 0x6e || (op >= 0xb0 && op <= 0xb7) || op == 0xc0 || op == 0xc6 ||
	       op == 0xcc || op == 0xcd || op == 0xd0 || op == 0xd2 || op == 0xd7 || op == 0x9e || op == 0x9f ||
	       op == 0xe4 || op == 0xe6 || op == 0xec || op == 0xee || (op >= 0xf4 && op <= 0xf6) ||
	       (op >= 0xf8 && op <= 0xfe) ||
	       op == 0xd6;
}

/* A REX prefix of no bits makes %ah ... %bh to %spl ... %dil: has the instruction one of these? */
static bool has_low_byte(const cs_x86 *d)
{
	for (unsigned i = 0; i < d->op_count; i++)
		if (d->operands[i].type == X86_OP_REG &&
		    (d->operands[i].reg == X86_REG_SPL || d->operands[i].reg == X86_REG_BPL ||
		     d->operands[i].reg == X86_REG_SIL || d->operands[i].reg == X86_REG_DIL))
			return true;
	return false;
}

/* Opcodes that have one size in 64-bit code, or say another one in their name: with 66 or REX.W. */
static bool unsized(const struct parts *q, bool branch)
{
	unsigned reg = q->modrm >> 3 & 7;
	bool wide = q->rex & 8;

	if (!wide && !q->sizes)
		return false;
	if (branch && q->op != 0xc7)
		return !wide;
	if (sizeless(q->op))
		return true;
	switch (q->op) {
	case 0x06: case 0x07: case 0x0e: case 0x16: case 0x17: case 0x1e: case 0x1f:
	case 0x60: case 0x61: case 0x8f: case 0x9c: case 0x9d: case 0xc8: case 0xc9: case 0xca: case 0xcb:
	case 0xcf: case 0xc2: case 0xc3: case 0x9a: case 0xea:
		return q->op != 0x8f || wide;
	case 0x68: case 0x6a: case 0xe4: case 0xe5: case 0xe6: case 0xe7: case 0xec: case 0xed: case 0xee:
	case 0xef:
		return wide;
	case 0xff:
		return wide && reg >= 2;
	default:
		return (q->op >= 0x50 && q->op <= 0x5f && wide) ||
		       (q->op >= 0xd8 && q->op <= 0xdf);
	}
}

/* The opcodes behind 0f that f2 or f3 makes to another instruction; to others it means nothing or is bad. */
static bool has_rep_form(u8 op2)
{
	switch (op2) {
	case 0x10: case 0x11: case 0x12: case 0x16: case 0x1e: case 0x2a: case 0x2c: case 0x2d: case 0x38:
	case 0x3a: case 0x6f: case 0x70: case 0x7c: case 0x7d: case 0x7e: case 0x7f: case 0xae: case 0xb8:
	case 0xbc: case 0xbd: case 0xc2: case 0xc7: case 0xd0: case 0xd6: case 0xe6: case 0xf0:
		return true;
	default:
		return (op2 >= 0x51 && op2 <= 0x53) || (op2 >= 0x58 && op2 <= 0x5f);
	}
}

/* Prefixes that change the name, that are there twice, or that mean nothing. */
static bool odd_prefixes(const struct x86_code *x, const struct parts *q, bool branch, bool string)
{
	bool memory = has_memory(&x->insn->detail->x86);
	u8 next = x->insn->bytes[q->prefixes + (q->rex != 0)];
	bool x87 = q->op >= 0xd8 && q->op <= 0xdf;

	if (q->rex && (is_prefix(next) || (next & 0xf0) == 0x40))
		return true;
	if (q->rex == 0x40 && !branch && !has_low_byte(&x->insn->detail->x86))
		return true;
	if (q->op == 0x9b && (q->prefixes || q->rex))
		return true;
	if (x87 && (q->sizes || q->reps || q->locks || q->rex & 8 || (q->rex && q->modrm >= 0xc0)))
		return true;
	if (unsized(q, branch) || (q->sizes > 1 && (q->op == 0x0f || !(q->rex & 8)) && !long_nop(q)))
		return true;
	if (q->addresses > 1 || (q->addresses && !memory && !branch && !string) ||
	    (q->addresses && q->op >= 0xe0 && q->op <= 0xe2))
		return true;
	if (q->reps > 1 || (q->reps && q->locks) || q->locks > 1 || (q->locks && !memory) ||
	    (q->reps && !branch && !string && q->op != 0x90 && (q->op != 0x0f || !has_rep_form(q->op2))))
		return true;
	if (q->segments > 1 && (q->fs_gs || !x->bits64 || is_conditional(q) || string))
		return true;
	if (q->segments && ((string && !x->bits64 && !q->fs_gs) || (q->reps && q->op == 0x90)))
		return true;
	if (q->segments && string && (q->op == 0xaa || q->op == 0xab || q->op == 0xae || q->op == 0xaf ||
				      q->op == 0x6c || q->op == 0x6d))
		return true;
	return q->segments && !memory && !branch && !string && (q->fs_gs || !x->bits64);
}

/* What is sure to be objdump's text; capstone 4 also takes bits of some EVEX addresses for a vector's. */
static bool sound(const struct x86_code *x, const struct parts *q, bool branch, bool string)
{
	const cs_x86 *d = &x->insn->detail->x86;
	const char *name = x->insn->mnemonic;

	for (unsigned i = 0; i < d->op_count; i++)
		if (d->operands[i].type == X86_OP_MEM && d->operands[i].mem.index >= X86_REG_XMM0 &&
		    d->operands[i].mem.index <= X86_REG_ZMM31 && !strstr(name, "gather") &&
		    !strstr(name, "scatter"))
			return false;
	if (!x->bits64 && (q->addresses || q->op == 0xd4 || q->op == 0xd5)) /* 16-bit addresses; aam, aad */
		return false;
	if (x->bits64 && q->op == 0x63 && !(q->rex & 8)) /* movslq to 32 bits */
		return false;
	return !mistaken(x, q) && !odd_prefixes(x, q, branch, string);
}

static bool is_x87(const cs_x86 *d)
{
	return d->opcode[0] >= 0xd8 && d->opcode[0] <= 0xdf && d->modrm >= 0xc0;
}

/*
 * x87 instructions between registers of its stack.  AT&T's fsub and fsubr (fdiv, fdivr)
 * are exchanged where the stack's top is not the destination.
 */
static bool x87_text(const struct x86_code *x, const char *name)
{
	const cs_x86 *d = &x->insn->detail->x86;
	unsigned op = d->opcode[0], group = d->modrm >> 3 & 7, reg = d->modrm & 7;
	static const char *const arithmetic[] = { "fadd", "fmul", "fcom", "fcomp",
						  "fsub", "fsubr", "fdiv", "fdivr" };
	char full[16];

	if (op == 0xd8 || op == 0xdc || (op == 0xde && group != 3)) {
		if (group == 2 || group == 3) {
			strbuf_f(x->out, "%-6s %%st(%u)", arithmetic[group], reg);
			return true;
		}
		/* to %st(i): the sense of sub and div is the other one in AT&T's names */
		snprintf(full, sizeof(full), "%s%s", arithmetic[group], op == 0xde ? "p" : "");
		if (op == 0xd8)
			strbuf_f(x->out, "%-6s %%st(%u),%%st", full, reg);
		else
			strbuf_f(x->out, "%-6s %%st,%%st(%u)", full, reg);
		return true;
	}
	if (str_starts(name, "fcmov") || same(name, "fucomi") || same(name, "fcomi") ||
	    same(name, "fucompi") || same(name, "fcompi") || same(name, "fucomip") ||
	    same(name, "fcomip")) {
		if (str_ends(name, "mpi"))
			name = str_starts(name, "fu") ? "fucomip" : "fcomip";
		strbuf_f(x->out, "%-6s %%st(%u),%%st", name, reg);
		return true;
	}
	if (same(name, "fld") || same(name, "fst") || same(name, "fstp") ||
	    same(name, "fxch") || same(name, "ffree") || same(name, "ffreep") || same(name, "fucom") ||
	    same(name, "fucomp")) {
		strbuf_f(x->out, "%-6s %%st(%u)", name, reg);
		return true;
	}
	return false;
}

static void operands(const struct x86_code *x, const char *name, unsigned count, struct rip_target *rip)
{
	const cs_x86 *d = &x->insn->detail->x86;
	unsigned operand_size = 0;
	bool same_order = same(name, "enter") || same(name, "bound") ||
			  (same(name, "xchg") && d->opcode[0] >= 0x90 && d->opcode[0] < 0x98);
	bool ports = d->opcode[0] >= 0xec && d->opcode[0] <= 0xef, any = false;

	for (unsigned i = 0; i < d->op_count; i++)
		if (d->operands[i].type != X86_OP_IMM && !operand_size)
			operand_size = d->operands[i].size;
	for (unsigned k = 0; k < count; k++) {
		unsigned i = same_order ? k : count - 1 - k;
		const cs_x86_op *op = &d->operands[i];

		if (is_mask(x, i))
			continue;
		if (any)
			strbuf_char(x->out, ',');
		any = true;
		if (op->type == X86_OP_REG && ports && op->reg == X86_REG_DX)
			strbuf_str(x->out, "(%dx)");
		else if (op->type == X86_OP_REG)
			reg_text(x, op->reg);
		else if (op->type == X86_OP_IMM)
			imm_text(x, op->imm, imm_size(x, name, !i, operand_size));
		else
			mem_text(x, op, rip);
		if (!i)
			mask_text(x);
	}
}

static bool only_memory(const cs_x86 *d, const char *name, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (d->operands[i].type == X86_OP_REG && !(is_shift(name) && i == 1) &&
		    !strstr(name, "cvt"))
			return false;
	return true;
}

/* Base name with its suffix into b. */
static void full_name(const struct x86_code *x, const char *name, unsigned count, char b[32])
{
	const cs_x86 *d = &x->insn->detail->x86;
	unsigned mem = 0;
	size_t n = strlen(name);

	for (unsigned i = 0; i < count; i++)
		if (d->operands[i].type == X86_OP_MEM)
			mem = d->operands[i].size;
	if (n > 28)
		n = 28;
	memcpy(b, name, n);
	b[n] = 0;
	if (n == 28)
		return;
	if (mem && name[0] == 'f' && x->insn->detail->x86.opcode[0] >= 0xd8 &&
	    x->insn->detail->x86.opcode[0] <= 0xdf)
		snprintf(b + n, 3, "%s", x87_suffix(name, mem));
	else if (mem && has_suffix(name) && only_memory(d, name, count))
		b[n] = size_letter(mem), b[n + 1] = 0;
	else if ((same(name, "push") || same(name, "pop")) && count == 1 &&
		 d->operands[0].type != X86_OP_REG && d->prefix[2] == 0x66)
		b[n] = 'w', b[n + 1] = 0;
	else if (mem && is_far(x->insn) && d->prefix[2] == 0x66)
		b[n] = 'w', b[n + 1] = 0;
	if (same(name, "mov") && d->encoding.imm_size == 8)
		memcpy(b, "movabs", 7);
}

/* fnstcw with an fwait is fstcw, and so on. */
static const char *waiting_name(const struct x86_code *x, const char *name)
{
	static const struct renamed names[] = {
		{ "fnstcw", "fstcw" }, { "fnstenv", "fstenv" }, { "fnsave", "fsave" },
		{ "fnstsw", "fstsw" }, { "fnclex", "fclex" }, { "fninit", "finit" },
	};

	for (size_t i = 0; x->waits && i < ARRAY_SIZE(names); i++)
		if (same(name, names[i].from))
			return names[i].to;
	return name;
}

bool x86_text(const struct x86_code *x)
{
	const cs_insn *insn = x->insn;
	const cs_x86 *d = &insn->detail->x86;
	unsigned count = d->op_count;
	bool branch = is_branch(insn), string = is_string_insn(insn);
	const char *name = x->cs->insn_name(x->handle, insn->id);
	char full[32], extending[8];
	struct rip_target rip = { 0 };
	struct parts q;

	if (!name || insn->size < 1)
		return false;
	if (nop_text(x))
		return true;
	q = parts_of(x);
	if (!sound(x, &q, branch, string))
		return false;
	if (!long_nop(&q))
		prefix_words(x, &q, name, branch, string);
	if (string) {
		string_text(x);
		return true;
	}
	/* compare pseudo-operations and their kin have their names in the text alone */
	if (strstr(insn->mnemonic, "cmp") && d->op_count && insn->id != X86_INS_CMP &&
	    insn->id != X86_INS_CMPXCHG)
		name = strrchr(insn->mnemonic, ' ') ? strrchr(insn->mnemonic, ' ') + 1 : insn->mnemonic;
	name = waiting_name(x, name);
	if (is_x87(d) && x87_text(x, name))
		return true;
	name = att_name(name);
	if (is_shift(name) && (d->opcode[0] == 0xd0 || d->opcode[0] == 0xd1))
		count = 1;
	if (extending_name(x, insn->id, extending))
		snprintf(full, sizeof(full), "%s", extending);
	else
		full_name(x, name, count, full);
	strbuf_str(x->out, full);
	if (branch)
		strbuf_str(x->out, branch_hint(x, &q));
	if (!count)
		return true;
	strbuf_pad(x->out, ' ', 6 - (int)x->out->len);
	strbuf_char(x->out, ' ');
	if ((!branch && !is_far(insn)) || count != 1 || !branch_operand(x, &d->operands[0], &rip))
		operands(x, name, count, &rip);
	if (rip.known) {
		strbuf_str(x->out, "        # ");
		text_address(x->names, rip.address, x->out);
	}
	return true;
}
