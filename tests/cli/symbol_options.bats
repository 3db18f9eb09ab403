#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: it reads files, or records what it starts itself.
# Options that say where names of kernel and module code come from: each changes the names that report,
# diff and script give to the same two samples, one in the kernel and one in a module.
bats_require_minimum_version 1.5.0

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	cat >v.s <<-'END'
	.globl _text, _Z5startPKc
	_text:
	.type _Z5startPKc,@function
	_Z5startPKc: xor %eax,%eax
	mov $9,%ecx
	ret
	.size _Z5startPKc,.-_Z5startPKc
	END
	gcc -nostdlib -static -Wl,-Ttext=0xffffffff81000000 -Wl,-e0 -Wl,--build-id v.s -o v
	gcc -O1 -fcf-protection=none -c -o made.ko -x c - <<<'int in_module(int x) { return x * 5 + 1; }'
	printf '%s\n' 'ffffffff81000000 T _text' 'ffffffff81000000 T from_list' $'ffffffffc0000000 t listed\t[made]' >list
	python3 - "$BATS_TEST_DIRNAME/make-samples" "$PWD/made.ko" "$(readelf -n v | awk '/Build ID/ { print $3 }')" <<-'CODE'
	import importlib.machinery, importlib.util, sys
	l = importlib.machinery.SourceFileLoader("m", sys.argv[1])
	m = importlib.util.module_from_spec(importlib.util.spec_from_loader("m", l))
	l.exec_module(m)
	TEXT, MODULE = 0xffffffff81000000, 0xffffffffc0000000
	w = m.Writer("<")
	padded = lambda s: s + b"\0" * (8 - len(s) % 8)
	w.record(10, 1 | 1 << 14, w.pack("IIQQQ", 0xffffffff, 0, TEXT, 0x40000000, TEXT) + w.pack("B3x", 20)
	         + bytes.fromhex(sys.argv[3]) + w.pack("II", 5, 2) + padded(b"[kernel.kallsyms]_text") + w.sample_id())
	w.record(1, 1, w.pack("IIQQQ", 0xffffffff, 0, MODULE, 0x4000, 0) + padded(sys.argv[2].encode()) + w.sample_id())
	w.sample(b"", ip=TEXT + 2, misc=1)
	w.sample(b"", ip=MODULE + 2, misc=1, period=2)
	open("d", "wb").write(w.file(1, 0, m.BASE))
	CODE
}

setup() {
	cd "$BATS_FILE_TMPDIR"
	rm -f vmlinux
}

# names COMMAND OPTION...: of the module's sample and of the kernel's
names() {
	local command=$1
	shift
	case $command in
	report) "$PERF" report --stdio -q -i d -F sym -s sym,period "$@" 2>/dev/null | sed 's/\[k\]//' ;;
	diff) "$PERF" diff -q --no-confidence -s sym "$@" d d 2>/dev/null | sed 's/.*\[k\]//' ;;
	script) "$PERF" script -i d -F ip,sym "$@" 2>/dev/null | sed 's/^ *[0-9a-f]* //' ;;
	esac | awk 'NF { print $1 }' | sort | tr '\n' ' '
}

same_names() { # want, commands with + between, option...
	local want=$1 commands=$2 command
	shift 2
	for command in ${commands//+/ }; do
		[ "$(names $command "$@")" = "$want " ] || { echo "$command $*: $(names $command "$@"), not $want"; return 1; }
	done
}

@test "-k, --kallsyms, -m, --no-modules: where names come from" {
	all=report+diff+script
	for k in -k --vmlinux; do
		same_names "_Z5startPKc in_module" $all $k v
	done
	same_names "from_list listed" $all --kallsyms list
	same_names "from_list in_module" $all --kallsyms list -m
	same_names "from_list in_module" $all --kallsyms list --modules
	same_names "0xffffffffc0000002 from_list" report+diff --kallsyms list --no-modules
	same_names "0xffffffffc0000002 _Z5startPKc" report+diff -k v --no-modules
	same_names "in_module start" report -k v --demangle-kernel
}

@test "--ignore-vmlinux: neither that of -k nor one that lies here by its name" {
	cp v vmlinux
	same_names "_Z5startPKc in_module" report+diff+script
	for options in "" "-k v"; do
		run names report --ignore-vmlinux $options
		[[ "$output" != *startPKc* && "$output" == *in_module* ]]
		run names script --ignore-vmlinux $options
		[[ "$output" != *startPKc* && "$output" == *in_module* ]]
	done
}

@test "--symfs: modules below another root, with their directories and flat" {
	mkdir -p "root$PWD" flat
	mv made.ko "root$PWD/"
	cp "root$PWD/made.ko" flat
	same_names "0xffffffffc0000002 _Z5startPKc" report+diff -k v
	same_names "_Z5startPKc in_module" report+diff+script -k v --symfs root
	same_names "_Z5startPKc in_module" report+diff+script -k v --symfs flat,flat
	same_names "_Z5startPKc in_module" report+diff+script -k v --symfs root,hierarchy
}
