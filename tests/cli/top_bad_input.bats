#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# perf top: events that there are not, names that would drive a terminal, programs and debug files that
# are changed and removed while they are watched.
bats_require_minimum_version 1.5.0
load wait

setup_file() {
	export FILES=$BATS_FILE_TMPDIR
	gcc -O0 -g -o "$FILES/spin" "$BATS_TEST_DIRNAME/spin.c" -lpthread
}

setup() {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	cd "$BATS_TEST_TMPDIR"
}

teardown() {
	end_jobs
}

run_it() {
	"$@" 3>&- &
	pid=$!
	until_true grep -q / "/proc/$pid/maps"
	until_true test "$(readlink "/proc/$pid/exe")" -ef "$1"
}

# table OPTION...: one that has samples
table() {
	local i
	for i in 1 2 3 4 5; do
		"$PERF" top -e cpu-clock:u -p "$pid" -d 0.4 --iterations 1 "$@" >out 2>&1
		! grep -q '100% is 0 samples' out || continue
		break
	done
	cat -v out
}

@test "wrong events are named, and nothing is watched" {
	check() { # EVENT TEXT
		run "$PERF" top -e "$1" --iterations 1 -d 0.1
		echo "$1 -> $status: $output"
		[[ "$status" -eq 129 && "$output" == *"$2"* && "$output" != *PerfTop* ]]
	}
	check nosuch "unknown event 'nosuch'"
	check nosuch:event "nosuch:event"
	check "{cpu-clock" "{cpu-clock"
	check cpu-clock:q "cpu-clock:q"
	check cpu-clock/nosuch=1/ "nosuch"
	check "" "event"
	check $'evil\033]0;x' 'evil\x1b]0;x'
	run "$PERF" top -e cpu-clock --filter 'x == 1' --iterations 1 -d 0.1
	[[ "$status" -eq 129 && "$output" == *--filter* && "$output" != *PerfTop* ]]
}

@test "a user without processes, and a task: the task alone is shown, and why -u includes none that start later" {
	uid=$((60000 + $$ % 5000))
	[ -z "$(ps -o pid= -U $uid)" ] || skip "user $uid has processes"
	run -0 "$PERF" top -e cpu-clock -t $$ -u $uid --iterations 1 -d 0.1 </dev/null
	[[ "$output" == *"PerfTop:"* ]]
	[[ "$output" == *"-u shows the processes that '$uid' has now, and none that start later: -p and -t name tasks"* ]]
}

@test "lists of tasks that lack a number are refused, for which a shell may have lost a variable" {
	check() { # TEXT COMMAND...
		local text=$1
		shift
		run timeout 20 "$PERF" "$@"
		echo "$* -> $status: $output"
		[[ "$status" -eq 129 && "${lines[0]}" == "error: $text" ]]
	}
	for list in 1,,2 ,1; do
		check "a process id is missing in '$list'" top -p $list --iterations 1
		check "a thread id is missing in '$list'" stat -t $list true
		check "--pid: a number is missing in '$list'" report --pid $list
		check "--pid: a number is missing in '$list'" kvm stat report -p $list
	done
	for list in "" ,; do
		check "no process id given in '$list'" top -p "$list" --iterations 1
		check "no thread id given in '$list'" record -t "$list" -o data true
		check "--tid: no number given" script --tid "$list"
		check "--tid: no number given" report --tid "$list"
	done
	# as tr makes it of lines
	run timeout 20 "$PERF" stat -e cpu-clock -p $$, true
	[ "$status" -eq 0 ]
}

@test "a program that was deleted, and one that has another in its place, keep their names" {
	for after in rm "cp /bin/true"; do
		cp "$FILES/spin" going
		run_it ./going
		rm going
		[ "$after" = rm ] || $after going
		table -s sym
		grep -qE '% +\[\.\] spinning_function' out
		table --sym-annotate spinning_function
		grep -q 'Disassembly of going' out
		grep -q 'n += i;' out
		kill $pid
	done
}

@test "a program of an overlay file system that was deleted keeps its names, from a layer and copied up" {
	unshare -m true 2>/dev/null || skip "no mount namespaces here"
	mkdir low up work all
	cp "$FILES/spin" low/spin
	cat >inside <<-'END'
	set -e
	# another file system, whose inodes are not those of the upper layer
	mount -t tmpfs none low && cp "$FILES/spin" low/spin && cp low/spin low/up
	mount -t overlay overlay -o lowerdir=low,upperdir=up,workdir=work all || exit 99
	touch all/up
	for name in spin up; do
		all/$name 3>&- &
		until [ "$(readlink /proc/$!/exe)" -ef all/$name ]; do sleep 0.05; done
		rm all/$name
		"$PERF" top -e cpu-clock:u -p $! -d 0.4 --iterations 2 -s sym >out 2>&1 || kill $!
		kill $!
		cat out
		grep -qE '% +\[\.\] spinning_function' out
	done
	END
	PERF=$PERF FILES=$FILES run unshare -m bash inside
	echo "$output"
	[ "$status" -ne 99 ] || skip "no overlay file system can be mounted"
	[ "$status" -eq 0 ]
}

@test "libraries that were deleted, of one name and with another file in their place, keep their names" {
	for name in first second wrong; do
		echo 'static volatile unsigned long n;
		void FUNCTION(void) { for (int i = 0; i < 100000; i++) n += i; }' |
			gcc -O0 -shared -fPIC -DFUNCTION=${name}_function -o $name.so -x c -
	done
	cat >loads.c <<-'END'
	#include <dlfcn.h>
	#include <stdio.h>
	/* the loader knows what it has loaded by the name, too */
	static void (*load(const char *from, const char *name, const char *function))(void)
	{
		rename(from, "going.so");
		return (void (*)(void))dlsym(dlopen(name, RTLD_NOW), function);
	}
	int main(void)
	{
		void (*first)(void) = load("first.so", "./going.so", "first_function");
		void (*second)(void) = load("second.so", "././going.so", "second_function");

		rename("wrong.so", "going.so");
		for (;;) {
			first();
			second();
		}
	}
	END
	gcc -o loads loads.c -ldl
	run_it ./loads
	until_true test ! -e wrong.so
	until_true grep -q 'going.so (deleted)' /proc/$pid/maps
	for form in "-s sym" "-s dso,sym -g" --sym-annotate=second_function; do
		# shellcheck disable=SC2086 # one or two
		table $form
		grep -qE '\[\.\] first_function' out
		grep -qE '\[\.\] second_function' out
		run ! grep -e wrong_function -e '\[\.\] 0x' out
	done
	grep -q 'Disassembly of going.so' out
}

@test "hostile names of programs, commands, functions and files do not reach a terminal" {
	evil=$'\033]0;EVIL\007\x9b31m'
	mkdir "dir$evil"
	cat >prog.c <<-'END'
	#include <sys/prctl.h>
	static volatile unsigned long n;
	__attribute__((noinline)) void f(void) { for (int i = 0; i < 100000; i++) n += i; }
	int main(int argc, char **argv)
	{
		prctl(PR_SET_NAME, argv[argc - 1]);
		for (;;)
			f();
	}
	END
	cp prog.c "dir$evil/src$evil.c"
	gcc -O1 -g -c -o plain.o "dir$evil/src$evil.c"
	objcopy --redefine-sym "f=f$evil" plain.o hostile.o
	gcc -o "dir$evil/prog$evil" hostile.o
	"./dir$evil/prog$evil" "c$evil" 3>&- &
	pid=$!
	until_true grep -q EVIL "/proc/$pid/comm"
	judge() {
		"$BATS_TEST_DIRNAME/make-hostile" --check "$1"
		grep -q -e 'x1b\]0' -e 'u001b\]0' "$1"
	}
	for form in "" -v -x, --json -H -n -g -D; do
		# shellcheck disable=SC2086 # none or one
		table -s comm,dso,sym $form
		judge out
	done
	for form in "" --json -x, --sym-annotate=main; do
		# shellcheck disable=SC2086 # none or one
		table -e "cpu-clock/name=e$evil/u" $form
		judge out
	done
	"$PERF" stat -e "cpu-clock/name=e$evil/u" true 2>out
	judge out
	table -s srcline,srcfile --full-source-path
	judge out
	table --sym-annotate "f$evil"
	judge out
	table --sym-annotate "no such$evil"
	judge out
	command -v script >/dev/null || return 0
	script -qc "stty rows 20 cols 150; TERM=xterm timeout -s INT 2 '$PERF' top --stdio -v -e cpu-clock:u -p $pid -d 0.5 -s comm,dso,sym" \
		/dev/null </dev/null >out
	judge out
}

# A separate file of debug information is put where it is looked for, emptied, filled with anything and
# removed, all while tables are drawn.
@test "debug files that appear, change and vanish: the tables go on" {
	cp "$FILES/spin" watched
	objcopy --only-keep-debug watched watched.debug
	objcopy --strip-all --add-gnu-debuglink=watched.debug watched
	mv watched.debug away
	run_it ./watched
	draws_on() {
		local n
		n=$(grep -c PerfTop: tables) || :
		more() { [ "$(grep -c PerfTop: tables)" -gt $((n + 2)) ]; }
		until_true more
	}
	watch() { # OPTION...
		"$PERF" top -e cpu-clock:u -p $pid -d 0.2 "$@" >tables 2>errors 3>&- &
		top=$!
		draws_on
	}
	finish() {
		kill $top
		code=0
		wait $top || code=$?
		[ $code -eq 143 ]
		cat errors
	}
	last_row() { awk '/% / { row = $3 } END { print row }' tables; }
	last_row_is() { [[ "$(last_row)" == $1 ]]; }
	# what appears is used, once it is noticed; what is emptied is no longer
	watch -s sym
	last_row_is '\[watched+0x*'
	cp away watched.debug
	until_true last_row_is spinning_function
	: >watched.debug
	until_true last_row_is '\[watched+0x*'
	cp away watched.debug
	until_true last_row_is spinning_function
	rm watched.debug
	draws_on
	last_row_is spinning_function
	finish
	run ! grep -qE '\[\.\] *$' tables
	# names that were there stay, or are replaced by addresses once the file is looked at, and not by nothing
	for options in "-s sym" "-s sym,srcline --inline --no-children --call-graph dwarf,caller" "--sym-annotate spinning_function"; do
		cp away watched.debug
		# shellcheck disable=SC2086 # several
		watch $options
		until_true grep -q '\[\.\] spinning_function' tables
		: >watched.debug
		draws_on
		head -c 100000 /dev/urandom >watched.debug
		draws_on
		rm watched.debug
		draws_on
		cp away watched.debug
		draws_on
		finish
		grep -qE '% .*\[\.\] (0x[0-9a-f]+|spinning_function)' tables
		run ! grep -qE '% .*\[\.\] *($|  )' tables
		# it is said unless the file was read again first, which depends on the time
		grep 'cut short' errors >cut || continue
		[ "$(wc -l <cut)" -eq 1 ]
		grep -q "'.*/watched.debug' was cut short while it was read: functions in it may have no names" cut
	done
	# a file that is put into the place of another takes nothing away
	watch -s sym
	until_true grep -q '\[\.\] spinning_function' tables
	head -c 1000 /dev/urandom >other
	mv other watched.debug
	draws_on
	finish
	run ! grep -qE '\[\.\] (0x|\[watched\+0x)' tables
}

@test "an object that is overwritten where it lies gives the names of what it is now" {
	# the names of the second one begin elsewhere in its table of strings
	make_lib() { # FILE FUNCTION SPINNING-FUNCTION
		cat >lib.c <<-END
		static volatile unsigned long n;
		void $2(void) { n = 0; }
		void $3(void) { for (;;) n++; }
		END
		gcc -O1 -shared -fPIC -o "$1" lib.c
	}
	make_lib before.so idle before_the_change
	make_lib after.so quite_another_nam late
	cat >load.c <<-'END'
	#include <dlfcn.h>
	int main(void)
	{
		void *lib = dlopen("./lib.so", RTLD_NOW);
		void (*f)(void) = lib ? dlsym(lib, "before_the_change") : 0;

		if (!f)
			return 1;
		f();
	}
	END
	gcc -o load load.c -ldl
	[ "$(stat -c %s before.so)" = "$(stat -c %s after.so)" ]
	cp before.so lib.so
	./load 3>&- &
	pid=$!
	until_true grep -q lib.so /proc/$pid/maps
	"$PERF" top -e cpu-clock:u -p $pid -d 0.2 -s sym >tables 2>errors 3>&- &
	top=$!
	until_true grep -q before_the_change tables
	dd if=after.so of=lib.so conv=notrunc status=none
	now() { awk '/% / { row = $3 } END { exit row != "late" }' tables; }
	until_true now
	kill $top
	wait $top || [ $? -eq 143 ]
}

@test "a perf map that grows names functions that were compiled later" {
	[ "$(uname -m)" = x86_64 ] || skip "the program has machine code of x86-64"
	gcc -o jit "$BATS_TEST_DIRNAME/forever.c"
	./jit >address 3>&- &
	pid=$!
	until_true grep -q . address
	map=/tmp/perf-$pid.map
	last_row_is() { awk '/% / { row = $3 } END { print row }' tables | grep -q "^$1"; }
	"$PERF" top -e cpu-clock:u -p $pid -d 0.2 -s sym >tables 2>errors 3>&- &
	top=$!
	ok=1
	until_true last_row_is 0x || ok=
	echo "1000 10 something_else" >"$map"
	sleep 0.1
	echo "$(cat address) 2 compiled_later" >>"$map"
	until_true last_row_is compiled_later || ok=
	# it is kept when its program removes it
	rm "$map"
	n=$(grep -c PerfTop: tables)
	more() { [ "$(grep -c PerfTop: tables)" -gt $((n + 20)) ]; }
	until_true more || ok=
	last_row_is compiled_later || ok=
	kill $top
	wait $top || [ $? -eq 143 ]
	[ "$ok" ] || { tail -50 tables; false; }
}
