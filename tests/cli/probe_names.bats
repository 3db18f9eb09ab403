#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf probe and the names of functions: scopes, templates, overloads, globs; -V and -L of them.

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return 1
	cat >names.cc <<'EOS'
#include <cstdio>
namespace nn {
__attribute__((noinline)) int f(int flag)
{
	int twice = flag * 2;
	return twice + 1;
}
__attribute__((noinline)) int over(int a) { return a + 1; }
__attribute__((noinline)) int over(double b) { return (int)b + 2; }
__attribute__((noinline)) int over(const char *s, unsigned n) { return s[n]; }
namespace {
__attribute__((noinline)) int hidden(int h) { return h ^ 3; }
}
int call(int x) { return hidden(x); }
}
namespace other {
__attribute__((noinline)) int f(int flag) { return flag - 1; }
}
template <class T> struct Box {
	T value;
	explicit Box(T v) : value(v) {}
	__attribute__((noinline)) T get() const { return value; }
	__attribute__((noinline)) Box &operator+=(T v) { value += v; return *this; }
	__attribute__((noinline)) operator bool() const { return value != 0; }
};
template <class T> __attribute__((noinline)) T twice(T v) { return v * 2; }
int main(int argc, char **)
{
	Box<int> b(argc);
	Box<long> c(argc);
	b += 4;
	auto lambda = [&](int q) __attribute__((noinline)) { return q + argc; };
	printf("%d\n", nn::f(1) + nn::over(1) + nn::over(2.0) + nn::over("ab", 1) + nn::call(4) + b.get());
	printf("%d\n", (int)c.get() + twice(4) + (int)twice(4.5) + lambda(3) + (bool)b + other::f(2));
}
EOS
	cat >inlined.c <<'EOS'
#include <stdio.h>
static inline __attribute__((always_inline)) int take_in(int a) { return a * 3 + 1; }
__attribute__((noinline)) int take_out(int a)
{
	int sum = 5 + a;

	return take_in(a) + take_in(sum);
}
int main(int argc, char **argv)
{
	(void)argv;
	printf("%d\n", take_out(argc) + take_in(argc));
	return 0;
}
EOS
	g++ -O0 -g -o names0 names.cc && g++ -O2 -g -o names2 names.cc || return 1
	gcc -O0 -g -o inlined0 inlined.c && gcc -O2 -g -o inlined2 inlined.c
}

setup() {
	cd "$BATS_FILE_TMPDIR" || return 1
}

# The place of a definition, by the symbol there: "nn::f(int)+7"
places() { # program, definition
	"$PERF" probe -x "./$1" -D "$2" | sed 's/.*:0x\([0-9a-f]*\).*/\1/' | while read -r at; do
		nm -C "$1" | awk -v at=$((0x$at)) 'function hex(s,  i, v) {
				for (i = 1; i <= length(s); i++) v = v * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
				return v
			}
			$2 ~ /[tTwW]/ { a = hex($1); if (a <= at && a >= best) { best = a; sub(/^[^ ]* . /, ""); name = $0 } }
			END { print name }'
	done | sort
}

@test "every function that -F lists can be named, with and without debug information" {
	for p in names0 names2; do
		"$PERF" probe -x "./$p" -F >all
		[ "$(grep -c '::' all)" -ge 8 ]
		while IFS= read -r name; do
			"$PERF" probe -x "./$p" -D "$name" >/dev/null || { echo "$p $name"; return 1; }
			case $name in *tm_clones | frame_dummy | _* | *.cold) continue ;; esac
			"$PERF" probe -x "./$p" -D "$name:0" >/dev/null || { echo "$p $name:0"; return 1; }
			"$PERF" probe -x "./$p" -L "$name" >/dev/null || { echo "$p -L $name"; return 1; }
			"$PERF" probe -x "./$p" -V "$name" >/dev/null || { echo "$p -V $name"; return 1; }
		done <all
	done
}

@test "scopes choose one function of several with that name" {
	[ "$(places names0 'nn::f flag')" = 'nn::f(int)' ]
	[ "$(places names0 'other::f:0')" = 'other::f(int)' ]
	[ "$(places names0 'f flag' | wc -l)" = 2 ]
	[ "$(places names0 '"nn::f" flag')" = 'nn::f(int)' ]
	[ "$(places names0 'nn::f:2')" = 'nn::f(int)' ]
	[ "$(places names0 'Box<int>::get this')" = 'Box<int>::get() const' ]
	[ "$(places names0 'Box<long>::get() const this')" = 'Box<long>::get() const' ]
	[ "$(places names0 'Box<int>::operator bool this')" = 'Box<int>::operator bool() const' ]
	[ "$(places names0 'x=Box<int>::operator+= v')" = 'Box<int>::operator+=(int)' ]
	[ "$(places names0 'nn::(anonymous namespace)::hidden h')" = 'nn::(anonymous namespace)::hidden(int)' ]
	[ "$(places names0 'main::{lambda(int)#1}::operator() q')" = 'main::{lambda(int)#1}::operator()(int) const' ]
	[ "$(places names0 'twice<double>:0')" = 'double twice<double>(double)' ]
	run "$PERF" probe -x ./names0 -D 'nn::g flag'
	[ "$status" -ne 0 ]
	[[ $output == *"no function 'nn::g'"*"did you mean 'nn::f'?"* ]]
}

@test "parameters choose among overloaded functions" {
	[ "$(places names0 'nn::over(int) a')" = 'nn::over(int)' ]
	[ "$(places names0 'over(double) b')" = 'nn::over(double)' ]
	[ "$(places names0 'nn::over(char const*, unsigned int) s')" = 'nn::over(char const*, unsigned int)' ]
	[ "$(places names0 'twice<int>(int) v')" = 'int twice<int>(int)' ]
	[ "$(places names0 'nn::over:0' | wc -l)" = 3 ]
	strip -o bare names0
	[ "$("$PERF" probe -x ./names0 -D 'nn::over(double)' | sed 's/.*:0x//')" = \
		"$("$PERF" probe -x ./names0 -D 'nn::over(double):0' | sed 's/.*:0x//')" ]
	run "$PERF" probe -x ./names0 -D 'nn::over(long) a'
	[ "$status" -ne 0 ]
}

@test "-L and -V of a qualified name" {
	"$PERF" probe -x ./names0 -L 'nn::f' | sed "s|$PWD/||" >got
	printf '%s\n' '<f@names.cc:0>' '      0  __attribute__((noinline)) int f(int flag)' '         {' \
		'      2  	int twice = flag * 2;' '      3  	return twice + 1;' '      4  }' >want
	head -n 6 got | diff want -
	"$PERF" probe -x ./names0 -V 'nn::over(double)' >got
	printf 'Available variables at nn::over(double)\n\t@<over+0>\n\t\tdouble\tb\n' | diff - got
}

@test "-V and -L show exactly what is there" {
	printf 'Available variables at take_out\n\t@<take_out+0>\n\t\tint\ta\n\t\tint\tsum\n' >want
	"$PERF" probe -x ./inlined0 -V take_out | diff want -
	"$PERF" probe -x ./inlined0 -L take_out:2-4 | sed "s|$PWD/||" >got
	printf '%s\n' '<take_out@inlined.c:2>' '      2  	int sum = 5 + a;' '         ' \
		'      4  	return take_in(a) + take_in(sum);' | diff - got
}

go_program() { # go, with functions of Go's names
	cat >go.c <<'EOS'
volatile int s;
__attribute__((noinline)) int main_p_T_q_Work(int n) { return s + n; }
__attribute__((noinline)) int main_Max_int_(int m) { return s - m; }
int main(void) { return main_p_T_q_Work(3) + main_Max_int_(4); }
EOS
	gcc -O1 -g -o go0 go.c
	# a compiler of C cannot make them; the new names are as long
	sed 's/main_p_T_q_Work/main.(*T).Work\x00/g; s/main_Max_int_/main.Max[int]/g' go0 >go
	chmod +x go
}

@test "Go's names: receivers in parentheses, type arguments in square brackets" {
	go_program
	"$PERF" probe -x ./go -D 'main.(*T).Work n' | grep -q ':0x[0-9a-f]* n=%di:s32$'
	"$PERF" probe -x ./go -D 'main.Max[int] m' | grep -q ':0x[0-9a-f]* m=%di:s32$'
	"$PERF" probe -x ./go -D 'main.(*T).Work' | grep -q ':0x[0-9a-f]*$'
	"$PERF" probe -x ./go -D 'main.Max[int]' | grep -q ':0x[0-9a-f]*$'
	"$PERF" probe -x ./go -V 'main.Max[int]' | grep -q 'int.m$'
}

@test "Go's names in -L and before a line or a pattern, though files have dots, too" {
	go_program
	"$PERF" probe -x ./go -L 'main.(*T).Work' >got
	[ "$(head -n 1 got)" = "<main.(*T).Work@$PWD/go.c:0>" ]
	grep -q '^      0  .*main_p_T_q_Work(int n)' got
	"$PERF" probe -x ./go -L 'main.Max[int]:0-0' | grep -q '^      0  .*main_Max_int_(int m)'
	"$PERF" probe -x ./go -D 'main.(*T).Work;*returns*' | grep -q ':probe_go/main .*:0x[0-9a-f]*$'
	# a file of that name comes first, and what is neither is a file that is not there
	[ "$("$PERF" probe -x ./go -D go.c:4 | grep -c .)" -ge 1 ]
	# line 0 is a function's own, and no line of a file
	[ "$("$PERF" probe -x ./go -D 'main.(*T).Work:0')" = "$("$PERF" probe -x ./go -D 'main.(*T).Work')" ]
	"$PERF" probe -x ./go -L 'main.(*T).Work:0' | grep -q '^      0  .*main_p_T_q_Work(int n)'
	run "$PERF" probe -x ./go -D go.c:0
	[ "$status" -ne 0 ]
	[ "$output" = "error: 'go.c' has no line 0: the first line of a file is 1" ]
	run "$PERF" probe -x ./go -D go.o:4
	[[ "$status" -ne 0 && "$output" == "error: no source file 'go.o'"* ]]
	run "$PERF" probe -x ./go -L main.none
	[[ "$status" -ne 0 && "$output" == "error: no source file 'main.none'"* ]]
	run "$PERF" probe -x ./go -D 'main.(*T).Work:7'
	[[ "$status" -ne 0 && "$output" == "error: line 7 of 'main.(*T).Work' has no code"* ]]
}

@test "a Go program's functions, which do not say where they are declared, show their lines in -L" {
	type -P go >/dev/null || skip "there is no Go compiler"
	mkdir real
	cat >real/main.go <<-'EOS'
		package main

		//go:noinline
		func twice(n int) int { return n * 2 }

		func main() {
			if twice(3) == 7 {
				panic("odd")
			}
		}
	EOS
	(cd real && GO111MODULE=off GOCACHE=$PWD/cache go build -o main main.go)
	"$PERF" probe -x real/main -L main.twice | grep -q '^      0  func twice'
	"$PERF" probe -x real/main -L main.go:4-7 | sed -n '2,$p' >got
	grep -q '^      4  func twice' got
	grep -q '^      6  func main' got
	grep -q '^      7  ' got
	"$PERF" probe -x real/main -D main.main:1 >point
	[ "$(cat point)" = "$("$PERF" probe -x real/main -D main.go:7)" ]
}

@test "functions whose names are cut to the same event name get numbers, and each can be deleted" {
	[ "$(id -u)" -eq 0 ] && [ -w /sys/kernel/tracing/uprobe_events ] || skip "no uprobes here"
	go_program
	cp go go_names
	for function in 'main.(*T).Work' 'main.Max[int]'; do "$PERF" probe -q -x ./go_names "$function"; done
	run "$PERF" probe -x ./go_names 'main.(*T).Work'
	"$PERF" probe -l 'probe_go:*' >list
	"$PERF" probe -q -d probe_go:main_1
	"$PERF" probe -l 'probe_go:*' >left
	"$PERF" probe -q -d probe_go:main
	# both in one call
	"$PERF" probe -q -x ./go_names -a 'main.(*T).Work' -a 'main.Max[int]'
	"$PERF" probe -q -d 'probe_go:main' -d 'probe_go:main_1'
	[ "$status" -eq 1 ] # the same function once more
	[[ "$output" == "error: event 'probe_go:main' already exists"* ]]
	grep -q 'probe_go:main  .*main.(\*T).Work' list
	grep -q 'probe_go:main_1 .*main.Max\[int\]' list
	[ "$(wc -l <left)" -eq 1 ]
}

@test "a glob stands for inlined instances, too" {
	[ "$("$PERF" probe -x ./inlined2 -D 'take_i*' | grep -c take_in)" = 3 ]
	"$PERF" probe -x ./inlined2 -D 'take_*' >got
	grep -q '/take_out ' got
	[ "$(wc -l <got)" -ge 4 ]
	"$PERF" probe -x ./inlined2 --no-inlines -D 'take_*' >got
	[ "$(wc -l <got)" = 1 ]
	[ "$("$PERF" probe -x ./names0 -D 'nn::*' | sed 's/.*:0x//' | sort -u | wc -l)" = 6 ]
	[ "$("$PERF" probe -x ./names0 -D 'nn::*' | wc -l)" = 6 ]
	run "$PERF" probe -x ./inlined2 --max-probes 2 -D 'take_*'
	[ "$status" -ne 0 ]
	[[ $output == *"--max-probes"* ]]
}

@test "static functions of namespaces that were inlined everywhere have their scopes" {
	cat >scopes.cc <<-'EOS'
		volatile int sink;
		namespace ns {
		static inline int work_in(int a) { return a * 3 + sink; }
		namespace { inline int work_hidden(int a) { return a * 11 + sink; } }
		struct kind { static inline int work_of(int a) { return a * 7 + sink; } };
		}
		static inline int work_bare(int a) { return a * 13 + sink; }
		int main(int c, char **) { return ns::work_in(c) + ns::work_hidden(c) + ns::kind::work_of(c) + work_bare(c); }
	EOS
	for p in "g++ -O2 -gdwarf-5" "g++ -O1 -gdwarf-4"; do
		$p -o scopes scopes.cc
		"$PERF" probe -x ./scopes -D 'ns::*' | sed 's/.*\/\(.*\) .*/\1/' >got
		printf '%s\n' ns____work_hidden ns__kind__work_of ns__work_in | diff - got
		[ "$("$PERF" probe -x ./scopes -D 'work_*' | wc -l)" = 1 ]
		"$PERF" probe -x ./scopes -D 'ns::work_in a' | grep -q ' a=%'
		[ "$("$PERF" probe -x ./scopes -D work_in | wc -l)" = 1 ]
		run "$PERF" probe -x ./scopes -D 'ns::work_bare'
		[ "$status" -ne 0 ]
	done
}

@test "a line that only calls an inlined function is probed where that begins" {
	cat >call.c <<'EOS'
struct c { const unsigned char *at, *end; };
static inline __attribute__((always_inline)) void add(struct c *c, int n)
{
	for (int i = 0; i < n; i++)
		c->at += c->end[i];
}
__attribute__((noinline)) unsigned calls(struct c *c, int n)
{
	if (c->at == c->end)
		return 0;
	add(c, n);
	return c->at[0];
}
int main(int argc, char **argv)
{
	struct c c = { (void *)argv[0], (void *)argv[argc - 1] };

	return calls(&c, argc) > 9;
}
EOS
	gcc -O2 -g -o call call.c
	"$PERF" probe -x ./call -D calls:4 >got
	[ "$(wc -l <got)" = 1 ]
	[ "$(sed 's/.*:0x//' got)" = "$("$PERF" probe -x ./call -D add | sed -n 's/.*:0x//p' | head -n 1)" ]
	"$PERF" probe -x ./call -L calls | grep -q '^ *4  .*add(c, n)'
}

@test "Rust: modules, methods, traits" {
	cat >r.rs <<'EOS'
mod r {
    #[inline(never)]
    pub fn count(n: u64) -> u64 { n + 1 }
    pub struct Acc { pub total: u64 }
    impl Acc {
        #[inline(never)]
        pub fn add(&mut self, n: u64) -> u64 { self.total += n; self.total }
    }
    pub trait Shape { fn area(&self) -> u64; }
    impl Shape for Acc { #[inline(never)] fn area(&self) -> u64 { self.total * 2 } }
}
use r::Shape;
fn main() { let mut a = r::Acc { total: 0 }; a.add(r::count(3)); println!("{}", a.area()); }
EOS
	for rustc in rustc /usr/bin/rustc; do "$rustc" -g -o r r.rs && break; done || true
	[ -x r ] || skip "no rustc that works"
	"$PERF" probe -x ./r -D 'r::count n' | grep -q '^p:probe_r/r__count .*n=.*:[ux]64$'
	"$PERF" probe -x ./r -L 'r::count' | grep -q 'pub fn count'
	"$PERF" probe -x ./r -F | grep -E 'Acc|r::r::' >all
	[ "$(wc -l <all)" -ge 3 ]
	while IFS= read -r name; do
		"$PERF" probe -x ./r -D "$name:0" >/dev/null || { echo "$name"; return 1; }
	done <all
}
