#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What is handed on: the sources as a tarball, a program that needs no library, a Debian package.
bats_require_minimum_version 1.5.0

setup() {
	top=$(realpath "$BATS_TEST_DIRNAME/../..")
	cd "$BATS_TEST_TMPDIR"
	unset MAKEFLAGS MAKELEVEL
	export XZ_OPT=-1 # small enough, and quick
}

# The objects that are there already are taken over: a whole build takes minutes.
objects_here() {
	[ "$(realpath "$PERF")" = "$top/perf" ] && [ -d "$top/build/obj" ] || skip "the objects are not in build/obj"
}

# Builds with the compiler and the warnings of those objects, so that they hold.
build() { # directory, argument of make...
	local flags
	flags=$(cat "$top/build/obj/flags")
	(cd "$1" && make -s -j2 CC="${flags%% -std=*}" WERROR="$(grep -o -- ' -Werror ' <<<"$flags" | wc -l | tr -d 0)" "${@:2}" >build.log 2>&1) ||
		{ tail -40 "$1/build.log"; return 1; }
}

version() { sed -n 's/^#define PERF_VERSION "\(.*\)"/\1/p' "$top/util/base/version.h"; }

@test "make dist: the same bytes each time, no file too many or too few, builds without git" {
	make -s -C "$top" dist O="$PWD/one" >said
	tarball=one/dist/perf-$(version).tar.xz
	[ "$(cat said)" = "$PWD/$tarball" ]
	make -s -C "$top" dist O="$PWD/two" >said
	cmp "$tarball" "two/dist/${tarball##*/}"
	tar -xf "$tarball"
	cd "perf-$(version)"
	for f in Makefile perf.c quickstart packages.list LICENSE README.md tests/run arch/arch.h util/COMPONENTS; do
		[ -e $f ] || { echo "no $f"; return 1; }
	done
	for f in build perf .git; do
		[ ! -e $f ] || { echo "there is $f"; return 1; }
	done
	# a tarball of what is in the tarball holds the same files
	[ -x scripts/dist ]
	SOURCE_DATE_EPOCH=1 scripts/dist "$BATS_TEST_TMPDIR/three" >/dev/null
	tar -tf "$BATS_TEST_TMPDIR/$tarball" | sort >"$BATS_TEST_TMPDIR/first"
	tar -tf "$BATS_TEST_TMPDIR/three/${tarball##*/}" | sort >"$BATS_TEST_TMPDIR/second"
	diff "$BATS_TEST_TMPDIR/first" "$BATS_TEST_TMPDIR/second"
}

@test "the sources of make dist build where there is no git" {
	objects_here
	make -s -C "$top" dist O="$PWD/one" >/dev/null
	tar -xf "one/dist/perf-$(version).tar.xz"
	mkdir bin "perf-$(version)/build"
	printf '#!/bin/sh\necho "$*" >>%s/asked\nexit 1\n' "$PWD" >bin/git
	chmod +x bin/git
	cp -a "$top/build/obj" "$top/build/gen" "perf-$(version)/build/"
	# the program is linked anew, and one file compiled
	# not older than the sources, whose time is the commit's, and all of one age
	find "perf-$(version)/build" -type f -exec touch -d "@$(date +%s)" {} +
	rm -f "perf-$(version)/build/obj/perf.o"
	PATH=$PWD/bin:$PATH build "perf-$(version)" perf
	[ "$("perf-$(version)/perf" version)" = "perf version $(version)" ]
	[ ! -e asked ]
}

@test "make STATIC=1: needs nothing but /proc, and is smaller than 8 MB" {
	objects_here
	mkdir tree
	(cd "$top" && tar cf - Makefile perf.c builtin* arch include libexec plugins python ui util scripts Documentation \
		build/obj build/gen) | tar xf - -C tree
	build tree STATIC=1 O=build build/perf
	readelf -lW tree/build/perf >segments
	readelf -dW tree/build/perf >dynamic
	run ! grep -q 'INTERP' segments
	run ! grep -q 'NEEDED' dynamic
	mkdir -p root/proc root/tmp
	strip -o root/perf tree/build/perf
	[ "$(stat -c %s root/perf)" -lt 8000000 ]
	[ "$(id -u)" -eq 0 ] || skip "root's rights are needed for a root of one program"
	unshare -m true 2>/dev/null || skip "no mount namespaces here"
	cat >run.sh <<-'EOF'
	set -e
	mount -t proc proc root/proc
	inside() { chroot root /perf "$@"; }
	inside stat -e page-faults,task-clock /perf version 2>stat
	inside record -q -e cpu-clock:u -o /tmp/data /perf test -w noploop 1
	inside report -i /tmp/data --stdio >report
	inside script -i /tmp/data >script
	inside trace -o /tmp/trace /perf version 2>trace-said
	inside stat -e raw_syscalls:sys_enter /perf version 2>calls
	EOF
	unshare -m --propagation private bash -e run.sh
	grep -q 'page-faults' stat
	grep -qE '[0-9]+\.[0-9]+% ' report
	grep -qE ' cpu-clock:u: +[0-9a-f]+ ' script
	# calls by tracepoints, of a tracefs that nothing mounts
	grep -q 'shown as pointers' trace-said
	grep -qE ' ms\): ([^ ]+ )?write\(fd: 1[^,]*, buf: 0x[0-9a-f]+, count: [0-9]+\) += [0-9]+' root/tmp/trace
	grep -qE '[0-9] +raw_syscalls:sys_enter' calls
}

# Makes the package once for all tests, and sets deb to its file.
package() {
	local tool there=$BATS_FILE_TMPDIR/package
	for tool in dh dpkg-buildpackage strip; do
		command -v $tool >/dev/null || skip "no $tool"
	done
	objects_here
	if [ ! -d "$there" ]; then
		mkdir "$there"
		(cd "$top" && tar cf - Makefile README.md LICENSE packages.list perf.c builtin* arch include libexec plugins python ui util \
			scripts Documentation build/obj build/gen build/man build/plugins build/python) | tar xf - -C "$there"
		build "$there" deb
	fi
	deb=$(echo "$there"/build/deb/perf-standalone_*.deb)
	[ -f "$deb" ]
}

# A directory that dpkg takes for a machine, on which what the package needs is installed.
machine() {
	local info=root/var/lib/dpkg/info name
	mkdir -p $info root/var/lib/dpkg/updates root/var/lib/dpkg/alternatives root/etc/alternatives
	: >root/var/lib/dpkg/status
	dpkg-deb -f "$deb" Depends | tr ',' '\n' | sed 's/[(|].*//' | while read -r name; do
		dpkg-query -s "$name" >>root/var/lib/dpkg/status
		echo >>root/var/lib/dpkg/status
		: >"$info/$(dpkg-query -f '${binary:Package}' -W "$name").list"
	done
}

on_machine() { # dpkg's arguments
	PATH=$PATH:/usr/sbin:/sbin dpkg --root="$PWD/root" --log=/dev/null --force-not-root --force-script-chrootless "$@" >said 2>&1 ||
		{ cat said; return 1; }
}

# Another package with /usr/bin/perf and a page: linux-perf.deb
rival() {
	mkdir -p rival/DEBIAN rival/usr/bin rival/usr/share/man/man1
	printf 'Package: linux-perf\nVersion: 1\nArchitecture: all\nMaintainer: n <n@n>\nDescription: x\n' >rival/DEBIAN/control
	echo rival >rival/usr/bin/perf
	echo rival >rival/usr/share/man/man1/perf.1.gz
	dpkg-deb --root-owner-group -b rival linux-perf.deb >/dev/null
}

@test "make deb: files in directories of its own, none of linux-perf's; what it depends on; sums" {
	package
	version=$(version)
	[ "$(dpkg-deb -f "$deb" Package Version | tr '\n' ' ')" = "Package: perf-standalone Version: $version-1 " ]
	dpkg-deb -f "$deb" Depends >depends
	grep -qE '(^|, )libc6 \(>= ' depends
	dpkg-deb -f "$deb" Recommends >recommends
	# each library that the program is linked with has its package in Depends, opened ones and plugins' in Recommends
	dpkg-deb -x "$deb" tree
	home=tree/usr/lib/perf-standalone
	for plugin in "$home"/lib/perf-core/plugins/*.so; do
		[ -e "$plugin" ] || continue
		language=${plugin##*/perf-}
		grep -q "lib${language%.so}" recommends
		run ! grep -q "lib${language%.so}" depends
	done
	! "$home/bin/perf" version --build-options | grep -q 'libpfm4: \[ on' || grep -q libpfm recommends
	(cd tree && find . ! -type d | sed 's/^\.//' | sort) >files
	run ! grep -vE '^/usr/(lib/perf-standalone/|bin/perf-standalone$|share/(doc/perf-standalone/|lintian/overrides/perf-standalone$|man/man1/perf-standalone\.1\.gz$|bash-completion/completions/perf-standalone$|zsh/vendor-completions/_perf-standalone$))' files
	dpkg-deb -c "$deb" | awk '$2 != "root/root" || $1 ~ /^.....w|^........w/ && $1 !~ /^l/' >odd
	[ ! -s odd ] || { cat odd; return 1; }
	if dpkg-query -L linux-perf >theirs 2>/dev/null; then
		grep -xFf files theirs | while read -r clash; do
			[ -d "$clash" ] || { echo "$clash"; return 1; }
		done
	fi
	dpkg-deb --ctrl-tarfile "$deb" | tar -t >control
	run ! grep -q conffiles control
	(cd tree && dpkg-deb --ctrl-tarfile "$deb" | tar -xO ./md5sums | md5sum -c --quiet)
	[ "$(dpkg-deb --ctrl-tarfile "$deb" | tar -xO ./md5sums | wc -l)" -eq "$(find tree -type f | wc -l)" ]
	doc=tree/usr/share/doc/perf-standalone
	zcat $doc/changelog.Debian.gz | head -1 | grep -q "^perf-standalone ($version-1) "
	grep -q "^License: GPL-2.0-or-later" $doc/copyright
	grep -q "under $("$home/bin/perf" version --build-options | sed -n 's/^ *licence: \([^ ]*\).*/\1/p')\.$" $doc/copyright
	# the directories that the program names are those of the package
	[ -d "tree$("$home/bin/perf" --exec-path)/scripts/python" ]
	[ -f "tree$("$home/bin/perf" --html-path)/README.md" ]
	strings -a "$home/bin/perf" | grep -q "^/usr/lib/perf-standalone/lib/perf-core/plugins/perf-"
	[ -f "$home/include/perf/perf_dlfilter.h" ]
	nm "$home/bin/perf" | grep -q ' T main$'
}

@test "make deb: lintian finds nothing to warn of, and starters of scripts can be run" {
	package
	dpkg-deb -x "$deb" tree
	for starter in tree/usr/lib/perf-standalone/libexec/perf-core/scripts/python/bin/*-record; do
		[ -x "$starter" ] || { echo "$starter"; return 1; }
	done
	command -v lintian >/dev/null || skip "no lintian"
	TMPDIR=$PWD lintian --fail-on error,warning "$deb" 2>&1 || return 1
}

@test "make deb: the same bytes a second time, and ./perf is left as it was" {
	package
	there=$BATS_FILE_TMPDIR/package
	cp "$deb" first.deb
	sha256sum <"$there/perf" >before
	build "$there" deb
	cmp "$deb" first.deb
	sha256sum <"$there/perf" | cmp - before
	[ "$("$there/perf" --exec-path)" = /usr/local/libexec/perf-core ]
	run make -s -C "$there" deb SANITIZE=address
	[ "$status" -ne 0 ]
	[[ "$output" == *"make deb is for this machine"* ]]
}

@test "make deb-source: the tarball of make dist, its own packaging, and what it builds is the package of make deb" {
	package
	make -s -C "$top" deb-source O="$PWD/out" >said
	dsc=out/deb/perf-standalone_$(version)-1.dsc
	[ "$(cat said)" = "$PWD/$dsc" ]
	make -s -C "$top" dist O="$PWD/out" >/dev/null
	cmp "out/dist/perf-$(version).tar.xz" "out/deb/perf-standalone_$(version).orig.tar.xz"
	if command -v lintian >/dev/null; then TMPDIR=$PWD lintian --fail-on error,warning "$dsc" 2>&1; fi
	dpkg-source -x "$dsc" tree >/dev/null
	grep -q '^Build-Depends: debhelper-compat (= 13), .*pkgconf, scdoc,.*libdw-dev' tree/debian/control
	run ! grep -rn '@[A-Z_]*@' tree/debian/control tree/debian/changelog
	# the objects that are there already, and the flags of their compiler, so that nothing but two files is compiled
	mkdir tree/build
	cp -a "$top/build/obj" "$top/build/gen" "$top/build/man" "$top/build/plugins" "$top/build/python" tree/build/
	find tree/build -type f -exec touch -d "@$(date +%s)" {} +
	flags=$(cat "$top/build/obj/flags")
	touch before
	(cd tree && CC="${flags%% -std=*}" WERROR="$(grep -o -- ' -Werror ' <<<"$flags" | wc -l | tr -d 0)" DEB_CFLAGS_SET="-O2 -g" \
		DEB_LDFLAGS_SET="" dpkg-buildpackage -b -us -uc -d -nc >../log 2>&1) || { tail -40 log; return 1; }
	[ "$(find tree/build -name '*.o' -newer before | wc -l)" -le 4 ] # and which are for the package
	dpkg-deb -c perf-standalone_*.deb | awk '{ print $1, $6, $8 }' >built
	dpkg-deb -c "$deb" | awk '{ print $1, $6, $8 }' | diff - built
	diff <(dpkg-deb -f "$deb" | grep -v Installed-Size) <(dpkg-deb -f perf-standalone_*.deb | grep -v Installed-Size)
}

@test "the package: installed, perf is an alternative with pages and completion; removed, nothing is left" {
	package
	machine
	on_machine -i "$deb"
	grep -q 'perf-standalone: /usr/bin/perf is this program now' said
	[ "$(readlink root/usr/bin/perf)" = /etc/alternatives/perf ]
	[ "$(readlink root/etc/alternatives/perf)" = /usr/lib/perf-standalone/bin/perf ]
	[ -L root/usr/share/bash-completion/completions/perf ]
	[ -L root/usr/share/zsh/vendor-completions/_perf ]
	[ -e "root$(readlink root/etc/alternatives/perf.zsh-completion)" ]
	perf=$PWD/root/usr/bin/perf-standalone
	[ "$("$perf" version)" = "$("$PERF" version)" ]
	# the completion of either name asks that program
	sed "s,/usr/lib,$PWD/root&," root/usr/share/bash-completion/completions/perf-standalone >completion
	bash -c '. ./completion; complete -p perf-standalone; COMP_WORDS=(perf-standalone ver) COMP_CWORD=1; _perf "$0"; echo ${COMPREPLY[@]}' "$perf" >completed
	grep -q -- '-F _perf perf-standalone$' completed
	[ "$(tail -1 completed)" = version ]
	if command -v zsh >/dev/null; then
		sed "s,/usr/lib,$PWD/root&," root/usr/share/zsh/vendor-completions/_perf-standalone >perf-standalone.zsh
		PATH="$PWD/root/usr/bin:$PATH" "$BATS_TEST_DIRNAME/press-tab" "$PWD/perf-standalone.zsh" "perf-standalone ver" >completed
		[ "$(cat completed)" = "perf-standalone version " ]
	fi
	# (which leaves what it compiled there)
	PYTHONDONTWRITEBYTECODE='' PYTHONPATH=root/usr/lib/perf-standalone/python python3 -c 'import perf' 2>python ||
		[ ! -e root/usr/lib/perf-standalone/python ] || { cat python; return 1; }
	"$perf" record -q -e cpu-clock:u -o data "$perf" test -w noploop 1
	"$perf" report -i data --stdio | grep -qE '[0-9]+\.[0-9]+% '
	missing=
	if [ -e root/usr/lib/perf-standalone/lib/perf-core/plugins/perf-python.so ]; then
		printf 'def process_event(fields):\n\tprint("event", fields["comm"])\n' >x.py
		"$perf" script -i data -s x.py | grep -q '^event '
	else
		missing="the Python plugin (libpython3-dev)"
	fi
	if [ -e root/usr/share/man/man1/perf-standalone.1.gz ]; then
		zcat root/usr/share/man/man1/perf-standalone.1.gz | grep -q '^\.TH "perf" "1"'
		[ "$(readlink root/usr/share/man/man1/perf-record.1.gz)" = /etc/alternatives/perf-record.1.gz ]
		[ -e "root$(readlink root/etc/alternatives/perf-record.1.gz)" ]
		! command -v man >/dev/null || man -M root/usr/lib/perf-standalone/share/man perf-record 2>/dev/null | grep -q 'perf record'
	else
		missing="${missing:+$missing and }the man pages (scdoc)"
	fi
	on_machine -P perf-standalone
	find root ! -type d ! -path 'root/var/*' >left
	[ ! -s left ] || { cat left; return 1; }
	[ ! -e root/usr ]
	[ -z "$(ls root/var/lib/dpkg/alternatives)" ]
	[ -z "$missing" ] || skip "not looked at: $missing"
}

@test "the package beside linux-perf: /usr/bin/perf stays linux-perf's, in any order" {
	package
	machine
	rival
	on_machine -i linux-perf.deb
	on_machine -i "$deb"
	grep -q 'perf-standalone: /usr/bin/perf belongs to the package linux-perf and stays' said
	[ "$(cat root/usr/bin/perf)" = rival ]
	[ -x root/usr/bin/perf-standalone ]
	[ -z "$(ls root/etc/alternatives)" ]
	# linux-perf goes, and comes again
	on_machine -r linux-perf
	grep -q 'perf-standalone: /usr/bin/perf is this program now' said
	[ "$(readlink root/usr/bin/perf)" = /etc/alternatives/perf ]
	on_machine -i linux-perf.deb
	grep -q 'perf-standalone: /usr/bin/perf belongs to the package linux-perf and stays' said
	[ ! -L root/usr/bin/perf ] && [ "$(cat root/usr/bin/perf)" = rival ]
	[ -z "$(ls root/etc/alternatives)" ]
	on_machine -r perf-standalone
	[ "$(cat root/usr/bin/perf)$(cat root/usr/share/man/man1/perf.1.gz)" = rivalrival ]
	# a link that the administrator made stays, too
	on_machine -r linux-perf
	mkdir -p root/usr/bin
	ln -s /opt/perf root/usr/bin/perf
	on_machine -i "$deb"
	grep -q 'perf-standalone: /usr/bin/perf stays as it is' said
	on_machine -r perf-standalone
	[ "$(readlink root/usr/bin/perf)" = /opt/perf ]
}

@test "make ARCH=NAME is CROSS=NAME, unless that is this machine; the environment's is not meant" {
	run make -s -C "$top" help ARCH=sparc64
	[ "$status" -ne 0 ]
	[[ "$output" == *"CROSS=sparc64: only arm64 i386 ppc64 ppc64el riscv64 s390x are known"* ]]
	make -s -C "$top" help ARCH="$(uname -m)" >said
	grep -q 'make dist' said
	ARCH=sparc64 make -s -C "$top" help >said
	grep -q 'make dist' said
}

@test "make ARCH=ppc64: objects of big-endian powerpc, of which there are no libraries" {
	command -v powerpc64-linux-gnu-gcc >/dev/null || skip "no powerpc64-linux-gnu-gcc"
	make -s -C "$top" ARCH=ppc64 O="$PWD/out" "$PWD/out/obj/arch/arch.o" >said 2>&1 || { cat said; return 1; }
	[ "$(cat said)" = "for ppc64 without libraries: no release of Debian has them" ]
	readelf -h out/obj/arch/arch.o >header
	grep -q 'Machine: *PowerPC64$' header
	grep -q 'big endian' header
	run ! grep -q '^#define HAVE_' out/gen/config.h
}

@test "what is missing in a sysroot is not to be installed here, and what another machine cannot have is said" {
	printf '#!/bin/sh\ncase "$*" in -dumpmachine) echo s390x-linux-gnu ;; *-lslang* | *-lunwind*) exit 1 ;; *) exec gcc "$@" ;; esac\n' >other
	chmod +x other
	CC=$PWD/other SYSROOT=$PWD/root "$top/scripts/features" gen 2>said
	grep -qx "without the terminal browser of perf report: libslang2-dev is not in $PWD/root" said
	grep -qx 'without --unwind-style=libunwind: it is for x86-64 alone' said
	run ! grep -E '(libslang2|libunwind)-dev is missing' said
	grep -q 'HAVE_LIBBPF 1' gen/config.h || skip "no libbpf-dev"
	grep -qx 'without BPF programs: they know no registers of s390x-linux-gnu' said
	run ! grep -q 'HAVE_BPF_PROGRAMS 1' gen/config.h
}

@test "make ARCH=NAME knows the kernel's names of machines" {
	mkdir bin
	printf '#!/bin/sh\nexit 1\n' >bin/apt-get
	chmod +x bin/apt-get
	for pair in powerpc:ppc64el ppc64le:ppc64el aarch64:arm64 riscv:riscv64; do
		PATH=$PWD/bin:$PATH PERF_GUEST_CACHE=$PWD/none run make -s -C "$top" help ARCH="${pair%:*}"
		[ "$status" -ne 0 ]
		[[ "$output" == *"no sysroot for ${pair#*:}."* ]]
	done
}

@test "make check-cross: says what is missing, and which machines there are" {
	mkdir -p bare
	for tool in bash sed dirname mktemp rm; do ln -s "$(type -P $tool)" bare/; done
	PATH=$PWD/bare run -77 "$top/tests/cross" ppc64 riscv64
	[ "${lines[0]}" = "skipped: ppc64: qemu-ppc64-static is missing (apt-get install qemu-user-static)" ]
	[ "${lines[1]}" = "skipped: riscv64: qemu-riscv64-static is missing (apt-get install qemu-user-static)" ]
	ln -s "$(type -P true)" bare/qemu-ppc64-static
	PATH=$PWD/bare run -77 "$top/tests/cross" ppc64
	[ "$output" = "skipped: ppc64: powerpc64-linux-gnu-gcc is missing (apt-get install gcc-powerpc64-linux-gnu)" ]
	run -129 "$top/tests/cross" vax
	[ "${lines[0]}" = "error: 'vax' is not known" ]
	[ "${lines[1]}" = "hint: the machines are arm64 i386 ppc64 ppc64el riscv64 s390x" ]
}
