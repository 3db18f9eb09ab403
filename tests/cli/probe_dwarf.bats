#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf probe and debug information: what gcc and clang write, at every level, of C and C++.

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return 1
	ORACLE=${RIVAL_PERF:-/usr/bin/perf}
	export ORACLE
	cat >kinds.c <<'EOS'
#include <stdbool.h>
#include <stdio.h>
enum color { RED, GREEN = 5, BLUE };
struct inner { short s; unsigned char c[8]; struct inner *next; };
struct outer {
	int a;
	unsigned flag1 : 3, flag2 : 7;
	struct inner in;
	struct inner *ptr;
	const char *name;
	char text[16];
	union { int x; long y; };
	long arr[4];
	unsigned long long big : 40;
};
int counter = 7;
static long hidden = 9;
struct outer whole = { .a = 3, .name = "glob" };
char *message = "hello";
static inline int tiny(int x, int y)
{
	int z = x * y;

	hidden += z;
	return z + 1;
}
__attribute__((noinline)) int work(struct outer *o, int n, enum color col, bool b,
				   const char *str, double d)
{
	int i, sum = 0;

	for (i = 0; i < n; i++) {
		int t = tiny(i, o->a);

		sum += t;
	}
	printf("n=%d a=%d flag1=%u flag2=%u big=%llu s=%d next=%d str_string=\"%s\" col=0x%x b=0x%x\n",
	       n, o->a, o->flag1, o->flag2, (unsigned long long)o->big, o->in.s, o->ptr->s, str, col, b);
	printf("sum %d %f\n", sum, d);
	return sum;
}
__attribute__((noinline)) struct outer *find(int i)
{
	whole.a = i;
	whole.flag2 = i;
	return &whole;
}
int main(int argc, char **argv)
{
	struct outer o = { .a = 1, .flag1 = 5, .flag2 = 77, .text = "abc", .y = 11,
			   .arr = { 1, 2, 3, 4 }, .big = 123456789012 };
	int r;

	o.in.s = 44;
	o.in.c[2] = 200;
	o.ptr = &o.in;
	o.name = argv[0] + 2;
	printf("counter=%d hidden=%ld message_string=\"%s\" gname=\"%s\" ga=%d\n", counter, hidden,
	       message, whole.name, whole.a);
	r = work(&o, 5 + argc, GREEN, true, "str", 1.5);
	counter += r + find(42)->a;
	return 0;
}
EOS
	cat >classes.cc <<'EOS'
#include <cstdio>
#include <vector>
namespace ns {
struct base { int id = 3; virtual ~base() {} };
struct widget : base {
	int width = 7; static int made; int &ref;
	explicit widget(int &r) : ref(r) { made++; }
	int area(int height) const;
};
template <typename T> __attribute__((noinline)) T twice(T v) { return v * 2; }
int widget::made = 100;
int widget::area(int height) const { return width * height; }
}
__attribute__((noinline)) int use(const ns::widget &w, std::vector<int> &v, unsigned char flag)
{
	int total = w.area(2) + ns::twice(4) + (int)ns::twice(1.5);
	for (auto x : v)
		total += x;
	printf("width=%d id=%d ref=%d flag=0x%x made=%d\n", w.width, w.id, w.ref, flag, ns::widget::made);
	return total;
}
int main() { int k = 9; ns::widget w(k); std::vector<int> v{1, 2, 3}; return use(w, v, 200) == 0; }
EOS
	gcc -O0 -g -o gcc-O0 kinds.c || skip "no compiler"
	programs=gcc-O0
	for how in gcc:-O2:-gdwarf-5 gcc:-O1:-gdwarf-4 clang:-O0:-gdwarf-5 clang:-O0:-gdwarf-4 \
		clang:-O2:-gdwarf-5 clang:-O1:-gdwarf-4 gcc:-O2:-gz gcc:-O1:-gsplit-dwarf; do
		IFS=: read -r compiler level format <<<"$how"
		"$compiler" "$level" -g "$format" -o "$compiler$level$format" kinds.c || continue
		programs="$programs $compiler$level$format"
	done
	for compiler in g++ clang++; do
		for level in -O0 -O2; do
			"$compiler" $level -g -o "$compiler$level" classes.cc || continue
			classes="$classes $compiler$level"
		done
	done
	export programs classes
	writable=
	if [ -w /sys/kernel/tracing/uprobe_events ]; then writable=1; fi
	export writable
}

setup() {
	cd "$BATS_FILE_TMPDIR" || return 1
	group=d$$
}

teardown() {
	[ -z "$writable" ] || "$PERF" probe -q -d "$group:*" 2>/dev/null || true
}

need_uprobes() {
	[ -n "$writable" ] || skip "uprobe_events of tracefs cannot be written here"
}

# What the probes of one definition record, as script prints the fields
recorded() { # program, definition
	"$PERF" probe -q -x "./$1" -a "$group:e=$2" >/dev/null || return 1
	"$PERF" record -q -e "$group:*" -o data -- "./$1" >printed || return 1
	"$PERF" script -i data -F trace | sed 's/^ *([0-9a-f <-]*) //; s/ *$//'
	"$PERF" probe -q -d "$group:*" >/dev/null
}

# The event without its path
definition() { # program, definition
	"$PERF" probe -x "./$1" -D "$2" | sed "s| $PWD/$1:| |"
}

@test "a function's arguments: the probe records what the program prints" {
	need_uprobes
	for p in $programs; do
		recorded "$p" 'work n o->a o->flag1 o->flag2 o->big o->in.s next=o->ptr->s str:string col b' >got
		grep '^n=' printed >want
		sed -i 's/b=1$/b=0x1/' got # clang: one bit of a register
		diff want got || { echo "$p"; return 1; }
	done
}

@test "global variables, of the file and of the program" {
	need_uprobes
	for p in $programs; do
		recorded "$p" 'work counter hidden message:string gname=whole.name:string ga=whole.a' >got
		grep '^counter=' printed >want
		diff want got || { echo "$p"; return 1; }
	done
}

@test "arrays, unions and strings inside structures" {
	need_uprobes
	for p in $programs; do
		recorded "$p" 'work o->in.c[2] o->y o->text:string o->name:string third=o->arr[2] some=o->arr[1..3]' >got
		echo "c=0xc8 y=11 text=\"abc\" name=\"$p\" third=3 some={2,3,4}" | diff - got || { echo "$p"; return 1; }
	done
}

@test "arrays and signs in perf script: what the program prints" {
	need_uprobes
	cat >arrays.c <<'EOS'
#include <stdio.h>
int numbers[6] = { 10, -20, 30, 40, 50, 60 };
__attribute__((noinline)) int f(const int *a, const short *s, const char *t)
{
	printf("a={%d,%d,%d} s={%d,%d,%d} n={%d,%d} h={0x%x,0x%x} c={'%c','%c'} str=\"%s\" one=%d byte=%d\n", a[0],
	       a[1], a[2], s[1], s[2], s[3], numbers[1], numbers[2], a[0], a[1], t[0], t[1], t, s[1], (signed char)s[1]);
	return -s[3];
}
int main(void)
{
	short s[4] = { 1, -2, 300, -4 };
	int a[3] = { -1, 2, 1 << 30 };
	return f(a, s, "xyz") != 4;
}
EOS
	gcc -O1 -g -o arrays arrays.c
	recorded arrays 'f a[0..2] s[1..3] n=numbers[1..2] h=a[0..1]:x32 c=+0(%dx):char[2] str=+0(%dx):string one=s[1] byte=+2(%si):s8' >got
	diff printed got
}

@test "whole arrays, rows, dimensions: as C counts them; what is behind the end is refused" {
	need_uprobes
	cat >rows.c <<'EOS'
#include <stdio.h>
struct s { long arr[4]; short m[2][3]; char text[8]; void *p[2]; struct { int x; } in[3]; float f[2]; long many[65]; int end[]; };
int total[3] = { 7, -8, 9 };
__attribute__((noinline)) int work(struct s *p, int k)
{
	int loc[4] = { k, -2, 3, 4 };

	printf("arr={%ld,%ld,%ld,%ld} m={%d,%d,%d,%d,%d,%d} row={%d,%d,%d} one=%d two={%d,%d} total={%d,%d,%d} x=%d\n", p->arr[0],
	       p->arr[1], p->arr[2], p->arr[3], p->m[0][0], p->m[0][1], p->m[0][2], p->m[1][0], p->m[1][1], p->m[1][2],
	       p->m[1][0], p->m[1][1], p->m[1][2], p->m[1][1], p->m[0][1], p->m[0][2], total[0], total[1], total[2],
	       p->in[2].x);
	printf("loc={%d,%d,%d,%d}\n", loc[0], loc[1], loc[2], loc[3]);
	return loc[k & 3];
}
int main(void)
{
	static struct s s = { { 1, -2, 3, 4 }, { { 1, 2, -3 }, { 4, -5, 6 } }, "abc", { 0 }, { { 1 }, { 2 }, { 33 } } };
	return work(&s, 5) == 0;
}
EOS
	for p in "gcc -O0 -gdwarf-5" "gcc -O2 -gdwarf-4" "clang -O1"; do
		$p -g -o rows rows.c || continue
		recorded rows 'work p->arr p->m row=p->m[1] one=p->m[1][1] two=p->m[0][1..2] total p->in[2].x' >got
		grep ^arr= printed | diff - got || { echo "$p"; return 1; }
	done
	gcc -O0 -g -o rows rows.c
	recorded rows 'work:4 loc' | sort -u >got
	grep ^loc= printed | diff - got
	definition rows 'work p->text' | grep -q 'text=+.*:s8\[8\]$'
	definition rows 'work p->arr:x' | grep -q ':x64\[4\]$'
	recorded rows 'work total:u32[3]' | grep -qx 'total_u32={7,4294967288,9}'
	definition rows 'work p->end[100]' | grep -q ':s32$'
	# What is no number, or too much for the kernel, stays a word at its address, as in 6.1
	for d in 'p->in' 'p->f' 'p->many'; do
		definition rows "work $d" | grep -q ")$"
	done
	definition rows 'work:4 $vars' | grep -q 'loc=[^ ]*:s32\[[0-9]*\]$'
	for d in 'p->arr[4]' 'p->arr[2..4]' 'p->m[2]' 'p->m[1][3]' 'total[3]' 'p->text[8]'; do
		run "$PERF" probe -x ./rows -D "work $d"
		[ "$status" -eq 1 ] || { echo "taken: $d"; return 1; }
		[[ "$output" == *"'$d' has no element "*"they are [0] to ["* ]] || { echo "$d: $output"; return 1; }
	done
}

@test "a function without debug information beside others that have it" {
	echo 'int bare(int a) { return a + 1; }' >bare.c
	echo 'int bare(int a); int main(int argc, char **argv) { (void)argv; return bare(argc); }' >beside.c
	gcc -O0 -c -o bare.o bare.c
	gcc -O0 -g -o beside beside.c bare.o
	definition beside 'bare $arg1' | grep -q 'bare .* %di$'
	for d in 'bare a' 'bare:2' 'bare $params'; do
		run "$PERF" probe -x ./beside -D "$d"
		[ "$status" -eq 1 ]
		[[ "$output" == *"'bare' is in the symbols of "*"its code has no debug information"*"can be probed without"* ]]
	done
}

@test "locals of a line, of unoptimised and optimised code" {
	need_uprobes
	printf 't=%d sum=%d i=%d\n' 1 0 0 2 1 1 3 3 2 4 6 3 5 10 4 6 15 5 >want
	recorded gcc-O0 'work:8 t sum i' | diff want -
	for p in $programs; do
		recorded "$p" 'work:10 n' | sort -u | grep -qx n=6 || { echo "$p"; return 1; }
	done
}

@test "inlined instances: one probe each, with the instance's own parameters" {
	need_uprobes
	for p in gcc-O2-gdwarf-5 gcc-O1-gdwarf-4 clang-O1-gdwarf-4; do
		[ -x "./$p" ] || continue
		[ "$p" != clang-O1-gdwarf-4 ] || continue # has lost the parameter
		recorded "$p" 'tiny x' >got
		printf 'x=%d\n' 0 1 2 3 4 5 | diff - got || { echo "$p"; return 1; }
	done
	run "$PERF" probe -x ./gcc-O2-gdwarf-5 --no-inlines -D tiny
	[ "$status" -ne 0 ]
	[[ "$output" == *"'tiny' is inlined wherever it is used"* ]]
	run "$PERF" probe -x ./gcc-O2-gdwarf-5 -D 'tiny%return'
	[ "$status" -ne 0 ]
}

@test "globs: inlined instances, too" {
	cat >fold.c <<-'EOS'
		#include <stdio.h>
		int total;
		static inline __attribute__((always_inline)) void fold_in(int x) { total += x; __asm__ volatile("nop" ::: "memory"); }
		__attribute__((noinline)) void fold_out(int y) { total -= y; fold_in(y); }
		__attribute__((noinline)) void other(int z) { fold_in(z); }
		int main(int n, char **v) { (void)v; fold_in(n); other(n); fold_out(n); return printf("%d\n", total) < 0; }
	EOS
	gcc -O2 -g -o fold fold.c
	# the numbers in the names depend on the order, the places do not
	places() { for f; do "$PERF" probe -q -x ./fold $inlines -D "$f"; done | sed -E 's/^p:[^ ]* [^ ]*:(0x[0-9a-f]*).*/\1/' | sort; }
	inlines=
	[ "$(places 'fold_*' | wc -l)" = 4 ]
	[ "$(places 'fold_*')" = "$(places fold_in fold_out)" ]
	[ "$(places 'fold_* total')" = "$(places 'fold_in total' 'fold_out total')" ]
	inlines=--no-inlines
	[ "$(places 'fold_*')" = "$(places fold_out)" ]
	[ "$(places 'fold_*' | wc -l)" = 1 ]
}

@test "globs: a function that is also inlined is probed itself" {
	cat >both.c <<-'EOS'
		volatile int v;
		static int work_one(int n) { v += n * 3; v ^= n; v -= n << 3; return v; }
		__attribute__((noinline)) int work_two(int n) { return work_one(n) + 1; }
		int (*pointer)(int) = work_one;
		int main(int argc, char **argv) { (void)argv; return work_two(argc) + pointer(argc) == 5; }
	EOS
	gcc -O2 -g -fno-ipa-icf -o both both.c
	[ "$(nm both | grep -c ' work_one$')" = 1 ] || skip "the compiler left no copy of it"
	entry=$(nm both | awk '$3 == "work_one" { print "0x" $1 }')
	"$PERF" probe -x ./both -D work_one | sed 's/.*://' | sort >named
	"$PERF" probe -x ./both -D 'work_on*' | sed 's/.*://' | sort | diff named -
	[ "$(wc -l <named)" -ge 2 ] # the one in work_two, at least
	printf '0x%x\n' "$entry" | grep -qxFf - named
}

@test "a signed bit field is not fetched without its sign" {
	cat >sign.c <<-'EOS'
		struct fields { unsigned plain : 3; int negative : 5; signed char small : 2; enum { A, B } kind : 2; } all = { 3, -2, -1, B };
		volatile int v;
		__attribute__((noinline)) int take(struct fields *o, int n) { v += n; return o->negative + n; }
		int main(int argc, char **argv) { (void)argv; return take(&all, argc) > 5; }
	EOS
	for flags in -gdwarf-4 -gdwarf-5; do
		gcc -O1 $flags -o sign sign.c
		definition sign 'take o->plain o->kind' | grep -q 'plain=.*:b3@0/32 kind=.*:b2@10/32$'
		for field in negative small negative:s; do
			run "$PERF" probe -x ./sign -D "take o->$field"
			[ "$status" -eq 1 ]
			[[ "$output" == *"'o->${field%:s}' is a signed number in some bits of a value"*"o->${field%:s}:x shows these bits"* ]]
		done
		definition sign 'take o->negative:x o->small:u' | grep -q 'negative=.*:b5@3/32 small=.*:b2@[08]/'
	done
}

@test "a bit field of a structure in a register is cut out of it" {
	need_uprobes
	cat >small.c <<-'EOS'
		#include <stdio.h>
		struct small { int a : 3, b : 5; unsigned c : 6, d : 8, e : 10; struct { unsigned f : 8, g : 16; }; };
		volatile int sink;
		__attribute__((noinline)) int use(struct small v, int n) { sink += v.a + v.c + v.e + v.g; return v.b + n; }
		int main(void)
		{
			for (int i = 1; i < 4; i++) {
				struct small v = { i, -i, 60 - i, 190 + i, 1000 + i, { 250 + i, 60000 + i } };

				printf("c=%d d=%d e=%d f=%d g=%d b=%d n=%d\n", v.c, v.d, v.e, v.f, v.g, v.b & 31, i);
				sink = use(v, i);
			}
			return 0;
		}
	EOS
	for p in "gcc -O1 -gdwarf-4" "gcc -O2 -gdwarf-5"; do
		$p -w -o small small.c
		definition small 'use v.c v.g' | grep -qE 'c=%[a-z0-9]+:b6@8/64 g=%[a-z0-9]+:b16@40/64$'
		recorded small 'use v.c:u v.d:u v.e:u v.f:u v.g:u v.b:u n' >got
		[ "$(wc -l <printed)" -eq 3 ]
		diff printed got
		for field in a b b:s; do
			run "$PERF" probe -x ./small -D "use v.$field"
			[ "$status" -eq 1 ]
			[[ "$output" == *"'v.${field%:s}' is a signed number in some bits of a value"*"v.${field%:s}:x shows these bits"* ]]
		done
	done
}

@test "a function by the name of its symbol, that debug information calls otherwise" {
	cat >alias.c <<-'EOS'
		#include <stdio.h>
		__attribute__((noinline)) int inner_name(int bytes) { return printf("%d\n", bytes); }
		int outer_name(int bytes) __attribute__((alias("inner_name")));
		int main(void) { return outer_name(5) < 0; }
	EOS
	gcc -O2 -g -o alias alias.c
	run "$PERF" probe -x ./alias -D 'outer_name bytes'
	[ "$status" -eq 0 ]
	[[ "$output" == "p:probe_alias/outer_name "*" bytes=%di:s32" ]]
	run "$PERF" probe -x ./alias -L outer_name
	[[ "$output" == *"1  "* || "$output" == *"0  __attribute__"* ]]
	run "$PERF" probe -x ./alias -V outer_name
	[[ "$output" == *"int	bytes"* ]]
}

@test "what a function returns, through a pointer" {
	need_uprobes
	for p in $programs; do
		recorded "$p" 'find%return $retval->a f=$retval->flag2 $retval->name:string' >got
		echo 'a=42 f=42 name="glob"' | diff - got || { echo "$p"; return 1; }
	done
}

@test "C++: methods, base classes, references, statics, templates" {
	need_uprobes
	for p in $classes; do
		recorded "$p" 'use w.width w.id w.ref flag made' >got
		grep '^width=' printed | diff - got || { echo "$p"; return 1; }
		"$PERF" probe -x "./$p" -V use | sed -n 's/^\t\t//p' >got
		grep -qx 'class widget&	w' got || grep -qx 'struct widget&	w' got
	done
	[ "$(definition g++-O0 twice | wc -l)" = 2 ]
	definition g++-O0 'twice v' | grep -q 'v=.*:s32'
	recorded g++-O0 'area this->width this->id height' >got
	echo 'width=7 id=3 height=2' | diff - got
}

@test "structures in pieces, in registers; what pointers that were optimised out point to" {
	need_uprobes
	cat >pieces.c <<'EOS'
#include <stdio.h>
struct small { int lo, hi; };
struct wide { long x; int y; unsigned z; };
struct in { int a; short b; char *text; };
__attribute__((noinline)) void say(int a, int b, const char *s) { printf("a=%d b=%d text=\"%s\"\n", a, b, s); }
static inline __attribute__((always_inline)) void look(struct in *p, int *q)
{
	say(p->a, p->b, p->text);
	__asm__ volatile("nop" : : "r"(p->a), "r"(p->b), "r"(p->text), "r"(*q));
}
static inline __attribute__((always_inline)) void use(struct in v)
{
	say(v.a, v.b, v.text);
	__asm__ volatile("nop" : : "r"(v.a), "r"(v.b), "r"(v.text));
}
__attribute__((noinline)) int byvalue(struct small s, int k) { printf("lo=%d k=%d\n", s.lo, k); return s.hi + k; }
__attribute__((noinline)) long both(struct wide v, int k) { printf("x=%ld y=%d z=%u k=%d\n", v.x, v.y, v.z, k); return k; }
int main(int argc, char **argv)
{
	for (int i = 1; i < 4; i++) {
		struct in v = { i * 7, i - 3, argv[0] + i };
		int k = i;

		if (argc > 1) {
			use(v);
			continue;
		}
		look(&v, &k);
		byvalue((struct small){ i + 40, -2 * i }, i);
		both((struct wide){ -i, i * 5, i * 7 }, i);
	}
	return 0;
}
EOS
	equal() { # definition, what of the printed lines it has
		recorded pieces "$1" >got
		grep "^$2" printed | diff - got || { echo "$p $1"; return 1; }
	}
	for p in "gcc -O2 -gdwarf-5" "gcc -O1 -gdwarf-4"; do
		$p -o pieces pieces.c
		equal 'look:2 p->a p->b p->text:string' a=
		equal 'byvalue s.lo k' lo=
		equal 'both v.x v.y v.z k' x=
		recorded pieces 'look:2 q[0]' >got
		printf 'q=%d\n' 1 2 3 | diff - got
		definition pieces 'use:2 v.a v.b v.text:string' | grep -q 'a=%.*b=%.*text=+0(%.*):string$'
		run "$PERF" probe -x ./pieces -D 'look:2 q'
		[ "$status" -eq 1 ]
		[[ "$output" == *"'q' was optimised out; only what it points to still exists"*"q[0]"* ]]
		run "$PERF" probe -x ./pieces -D 'look:2 p'
		[[ "$output" == *"name that: p->MEMBER"* ]]
		# The kernel's bit fields have no sign.
		run "$PERF" probe -x ./pieces -D 'byvalue s.hi'
		[ "$status" -eq 1 ]
		[[ "$output" == *"upper bits of a register"*"s.hi:x"* ]]
		definition pieces 'byvalue s.hi:x' | grep -q 'hi=%di:b32@32/64$'
	done
	p="clang -O2 -g"
	$p -o pieces pieces.c || return 0
	recorded pieces 'byvalue k' >got
	printf 'k=%d\n' 1 2 3 | diff - got
	# clang says where s is from some bytes behind the entry on: not at the entry, where these registers
	# still hold something else
	for member in s.lo s.hi; do
		run "$PERF" probe -x ./pieces -D "byvalue $member"
		[ "$status" -eq 1 ]
		[[ "$output" == *"'s' has no value here: it is live at"* || "$output" == *"'$member' cannot be fetched here: "* ]]
	done
}

@test "masks and shifts of a register or of memory are bit fields; what is computed otherwise is refused" {
	need_uprobes
	cat >cuts.c <<'EOS'
#include <stdio.h>
struct t { unsigned long word; };
__attribute__((noinline)) void cuts(unsigned long x, struct t *p)
{
	unsigned char second = x >> 8;
	int third = (x >> 16) & 0xff;
	unsigned upper = x >> 32;
	unsigned long low = x & 0xfff, rest = x >> 12;
	unsigned short half = x;
	unsigned field = (p->word >> 20) & 0x3f;
	short sign = (short)(x >> 40);
	int sum = (int)x + 7;
	unsigned long both = x + p->word, times = x * 8, page = x & ~0xfffUL, other = x ^ 5;
	__asm__ volatile("nop");
}
int main(int argc, char **argv)
{
	struct t t = { 0x123456789abcdef0 };
	unsigned long v[] = { 0x8899aabbccddeeff, 0x1122334455667788 };
	(void)argv;
	for (int i = 0; i < 2; i++) {
		unsigned long x = v[i] + argc - 1;
		printf("second=%u third=%d upper=%u low=%lu rest=%lu half=0x%x field=%u sign_x=%u\n", (unsigned char)(x >> 8),
		       (int)((x >> 16) & 0xff), (unsigned)(x >> 32), x & 0xfff, x >> 12, (unsigned short)x,
		       (unsigned)((t.word >> 20) & 0x3f), (unsigned short)(x >> 40));
		__asm__ volatile("" : : "r"(&t) : "memory");
		cuts(x, &t);
	}
	return 0;
}
EOS
	for how in "gcc -O2 -gdwarf-5" "gcc -O1 -gdwarf-4"; do
		$how -o cuts cuts.c 2>/dev/null
		recorded cuts 'cuts:11 second third upper low rest half field sign:x' >got
		diff printed got || { echo "$how"; return 1; }
		definition cuts 'cuts:11 second field' | grep -q 'second=%di:b8@8/16 field=+0(%si):b6@20/32$'
		while IFS='|' read -r v want; do
			run "$PERF" probe -x ./cuts -D "cuts:11 $v"
			[ "$status" -eq 1 ] || { echo "taken: $v: $output"; return 1; }
			[[ "$output" == *"$want"* ]] || { echo "$v: $output"; return 1; }
		done <<-'EOS'
		sign|sign a probe cannot determine
		sign:s16|sign a probe cannot determine
		sum|plus 7, and a probe cannot add
		both|it is computed (DW_OP_plus)
		times|above 3 zeros, and a probe cannot move bits up
		page|above 12 zeros
		other|it is computed (DW_OP_xor)
		EOS
	done
}

@test "types without a name" {
	echo 'int main(void) { struct { int x; } here = { 1 }; union { int a; } *there = 0; return here.x + !there; }' >unnamed.c
	gcc -O0 -g -o unnamed unnamed.c
	"$PERF" probe -x ./unnamed -V main >got
	grep -qx '		struct {...}	here' got
	grep -qx '		union {...}\*	there' got
}

@test "6.1 makes the same events where it is right" {
	[ -x "$ORACLE" ] || skip "no other perf here"
	while read -r p d; do
		[ -x "./$p" ] || continue
		# 6.1 gives all places of one definition the same name here
		"$PERF" probe -x "./$p" -D "$d" >ours 2>out || { echo "$p $d: $(cat out)"; return 1; }
		sed -i 's|^\(p:[a-z_]*/[^ ]*\)_[0-9]* |\1 |' ours
		"$ORACLE" probe -x "./$p" -D "$d" >theirs 2>/dev/null
		diff ours theirs || { echo "$p '$d'"; return 1; }
	done <<'EOS'
gcc-O0 work $params
gcc-O0 work $vars
gcc-O0 work d o->arr[0] o->text:string o->in
gcc-O0 work:5 n
gcc-O0 work;*sum*
gcc-O0 kinds.c:38 sum
gcc-O0 tiny:2 x
gcc-O2-gdwarf-5 work o->in.c[1] str[0] col b
gcc-O2-gdwarf-5 work:6
gcc-O2-gdwarf-5 tiny x
gcc-O2-gdwarf-5 work:10 n
gcc-O1-gdwarf-4 work o->x o->y n:u8
gcc-O1-gdwarf-4 find%return
gcc-O1-gdwarf-4 w*k
clang-O1-gdwarf-4 work n col
clang-O1-gdwarf-4 work:5
EOS
}

@test "-V and -L as 6.1 has them" {
	[ -x "$ORACLE" ] || skip "no other perf here"
	for p in gcc-O0 gcc-O2-gdwarf-5 gcc-O1-gdwarf-4; do
		for point in work work:10 find main; do
			"$PERF" probe -x "./$p" -V $point >ours
			"$ORACLE" probe -x "./$p" -V $point >theirs
			grep -q '^<\|^@\|^Available' theirs || { echo "$p -V $point: nothing to compare"; cat theirs; return 1; }
			# Values that need no register or memory are ours alone.
			diff theirs ours >differs || ! grep '^<' differs || { echo "$p $point"; return 1; }
			"$PERF" probe -x "./$p" -L $point | grep -E '^ +[0-9]+  ' >ours || true
			"$ORACLE" probe -x "./$p" -L $point 2>/dev/null | grep -E '^ +[0-9]+  ' >theirs || true
			[ "$point" = find ] || [ -s theirs ] || { echo "$p -L $point: nothing to compare"; return 1; }
			[ "$point" = find ] || diff ours theirs || { echo "$p -L $point"; return 1; }
		done
	done
	"$PERF" probe -x ./gcc-O0 -V work --externs --range >ours
	"$ORACLE" probe -x ./gcc-O0 -V work --externs --range >theirs
	diff ours theirs
}

@test "where 6.1 is wrong: sums taken for memory, bit fields, clang's lines" {
	# "t" is a register plus 1: 6.1 reads memory there
	run "$PERF" probe -x ./gcc-O1-gdwarf-4 -D 'work:8 t'
	[ "$status" -ne 0 ]
	[[ "$output" == *"and a probe cannot add"* ]]
	definition gcc-O0 'work o->flag2' | grep -q 'flag2=.*:b7@3/32$'
	[ ! -x clang-O2-gdwarf-5 ] || definition clang-O2-gdwarf-5 'work:12' | grep -q '^p:'
	# clang's optimised code has no prologue to skip
	[ ! -x clang-O2-gdwarf-5 ] ||
		[ "$(definition clang-O2-gdwarf-5 'work n' | cut -d' ' -f2)" = \
			"$(definition clang-O2-gdwarf-5 'work' | cut -d' ' -f2)" ]
}

@test "refusals say what is there instead" {
	while IFS='|' read -r d want; do
		run "$PERF" probe -x ./gcc-O2-gdwarf-5 -D "$d"
		[ "$status" -ne 0 ] || { echo "no refusal: $d"; return 1; }
		[[ "$output" == *"$want"* ]] || { echo "$d: $output"; return 1; }
	done <<'EOS'
wrok|did you mean 'work'?
work:4|line 4 of 'work' has no code
work:4000|the nearest line with code is
kinds.c:2|the nearest line
kindz.c:2|did you mean 'kinds.c'?
work nn|variable 'nn' is not visible
work o->flag3|did you mean 'flag
work o.a|write -> before it
work whole->a|write . before it
work n:string|neither a pointer nor an array
work n->x|not in a structure
work n[1]|neither an array nor a pointer
work d|is in register XMM0
work o->arr[1..100]|they are [0] to [3]
work str[1..100]|64 elements
work%return n|
work+4000|past the end
work;nothing here|matches
EOS
	# Where the variable lives
	run "$PERF" probe -x ./gcc-O1-gdwarf-4 -D 'work:10 t'
	[[ "$output" == *"'t' has no value here: it is live at @<work+["* ]]
	[ -x clang-O1-gdwarf-4 ] || return 0
	run "$PERF" probe -x ./clang-O1-gdwarf-4 -D 'tiny x'
	[[ "$output" == *"'x' was optimised out"* ]]
}

@test "links that name a FIFO are refused, and sections that claim to inflate to far more than the file" {
	echo 'int f(int x) { return x; } int main(int c, char **v) { (void)v; return f(c) - 1; }' >odd.c
	look() { run timeout -s KILL 60 "$PERF" probe -x "./$1" -L f; }

	gcc -g -O1 odd.c -o odd
	objcopy --only-keep-debug odd odd.debug
	objcopy --strip-debug --add-gnu-debuglink=odd.debug odd
	look odd
	[ "$status" -eq 0 ]
	rm odd.debug
	mkfifo odd.debug
	look odd
	[ "$status" -eq 1 ]
	[[ "$output" == *"'./odd' has no debug information"* || "$output" == *"/odd' has no debug information"* ]]

	gcc -g -O1 odd.c -o common
	printf 'common.dwz\0abcdefghijklmnopqrst' >link
	objcopy --add-section .gnu_debugaltlink=link common
	mkfifo common.dwz
	look common
	[ "$status" -eq 1 ]
	[[ "$output" == *"common.dwz' is not a regular file"* ]]

	gcc -g -O1 -gsplit-dwarf -c odd.c -o split.o
	gcc split.o -o split
	look split
	[ "$status" -eq 0 ]
	rm split.dwo
	mkfifo split.dwo
	look split
	[ "$status" -eq 1 ]

	head -c 200000000 /dev/zero >zeros
	gcc -O1 odd.c -o plain
	objcopy --add-section .debug_info=zeros plain large
	look large
	[ "$status" -eq 1 ]
	objcopy --compress-debug-sections=zlib large small
	rm zeros large
	look small
	[ "$status" -eq 1 ]
	[[ "$output" == *"section '.debug_info'"*"claim to inflate to 200000000, more than 64 times as much and 16 MB"* ]]
	rm small
}

@test "separate debug files, by link and by build-id; none at all" {
	want=$(definition gcc-O2-gdwarf-5 'work n o->a')
	cp gcc-O2-gdwarf-5 apart
	objcopy --only-keep-debug apart apart.debug
	objcopy --strip-all --add-gnu-debuglink=apart.debug apart
	[ "$(definition apart 'work n o->a' | cut -d' ' -f2-)" = "$(cut -d' ' -f2- <<<"$want")" ]
	rm apart.debug
	run "$PERF" probe -x ./apart -D 'work n'
	[ "$status" -ne 0 ]
	[[ "$output" == *"no debug information"*"build-id"* ]]
}

@test "links optimised as a whole: functions and variables of other units" {
	echo 'extern int shared; struct s { int x; }; int helper(int a) { struct s v = { a }; shared += a; return v.x + shared; }' >one.c
	echo 'int helper(int a); int shared = 3; int main(int argc, char **argv) { return helper(argc); }' >two.c
	gcc -O2 -g -flto -o lto one.c two.c 2>/dev/null || skip "no link-time optimisation here"
	definition lto 'helper a shared' | grep -q 'a=%di:s32 shared=@+0x[0-9a-f]*:s32$'
	definition lto 'one.c:1' | grep -q ^p:
	clang -O2 -g -gsplit-dwarf -o split one.c two.c || return 0
	definition split 'helper a shared' | grep -q 'a=%di:s32 shared=@+0x[0-9a-f]*:s32$'
}

@test "programs of other machines: their registers, their byte order" {
	cat >other.c <<'EOS'
struct o { int a; unsigned f1 : 3, f2 : 7; };
int work(struct o *o, int n) { return o->a + n; }
EOS
	clang --target=aarch64-linux-gnu -O2 -g -c -o arm.o other.c || skip "no clang for other machines"
	ld.lld -shared -o arm.so arm.o 2>/dev/null || aarch64-linux-gnu-ld -shared -o arm.so arm.o ||
		skip "no linker for other machines"
	definition arm.so 'work n o->a o->f2' | grep -q 'n=%x1:s32 a=+0(%x0):s32 f2=+4(%x0):b7@3/32$'
}

@test "damaged debug information: a refusal or an answer, never a crash" {
	cp gcc-O2-gdwarf-5 bent
	size=$(stat -c %s bent)
	from=$(readelf -SW bent | sed -n 's/.*\.debug_aranges *PROGBITS *[0-9a-f]* *\([0-9a-f]*\).*/\1/p')
	[ -n "$from" ]
	python3 - "$((16#$from))" "$size" <<'EOS' >seeds
import sys, random
random.seed(7)
a, b = map(int, sys.argv[1:])
for i in range(16):
	print(" ".join("%d:%d" % (random.randrange(a, b), random.randrange(256)) for _ in range(8)))
EOS
	while read -r changes; do
		cp gcc-O2-gdwarf-5 bent
		for c in $changes; do
			printf "\\x$(printf %x "${c#*:}")" | dd of=bent bs=1 seek="${c%:*}" conv=notrunc status=none
		done
		for d in 'work n o->in.s o->flag1 counter' 'tiny:1 x' 'work;sum*'; do
			status=0
			timeout 100 "$PERF" probe -x ./bent -D "$d" >out 2>&1 || status=$?
			[ "$status" -le 1 ] || { echo "status $status: $d: $changes"; return 1; }
		done
		timeout 100 "$PERF" probe -x ./bent -V work >out 2>&1 || [ $? -eq 1 ]
	done <seeds
}

@test "what debug information calls a source file is read to its end: a FIFO, a device and 30 GB are not" {
	printf 'void work(void) { for (volatile int i = 0; i < 9; i++); }\nint main(void) { work(); }\n' >src.c
	gcc -g -O1 src.c -o src
	for make in 'ln -s /dev/zero' mkfifo 'truncate -s 30G'; do
		rm src.c
		$make src.c
		for what in -L=work '-D=work;*for*'; do
			run timeout -s KILL 20 "$PERF" probe -x ./src "${what%%=*}" "${what#*=}"
			[[ "$status" -eq 1 && "$output" == *"src.c' is "@(not a regular file|too large for a source file)* ]] ||
				{ echo "$make, $what: $output"; return 1; }
		done
	done
}

@test "debug sections that are compressed with zstd are read, in a separate file, too" {
	"$PERF" check -q feature zstd || skip "built without zstd"
	cd "$BATS_TEST_TMPDIR"
	gcc -g -O2 -o packed "$BATS_FILE_TMPDIR/kinds.c"
	answers() {
		"$PERF" probe -x ./packed -L work
		"$PERF" probe -x ./packed -V work
		"$PERF" probe -x ./packed -D 'work n o->ptr->s'
	}
	answers >want
	cp packed plain
	objcopy --compress-debug-sections=zstd packed 2>said || skip "this objcopy has no zstd: $(head -1 said)"
	readelf -tW packed | grep -q ZSTD
	answers | diff want -
	objcopy --only-keep-debug packed packed.debug
	readelf -tW packed.debug | grep -q ZSTD
	objcopy --strip-debug --add-gnu-debuglink=packed.debug plain packed
	answers | diff want -
	rm packed.debug
	run "$PERF" probe -x ./packed -L work
	[ "$status" -ne 0 ]
	# a stream that is damaged
	objcopy --compress-debug-sections=zstd plain packed
	python3 - <<-'END'
		b = bytearray(open("packed", "rb").read())
		at = b.index(b"\x28\xb5\x2f\xfd")
		b[at:at + 4] = b"none"
		open("packed", "wb").write(b)
	END
	run "$PERF" probe -x ./packed -L work
	[ "$status" -ne 0 ]
	[[ "$output" == *"the debug information of '"*"packed' is not used: section '.debug_"* ]]
}
