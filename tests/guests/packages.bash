# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Debian packages for a guest's architecture, without touching this machine's packages.
# Wants: arch, work (a directory for downloads), and two functions that end with a reason: skip for what this
# machine lacks, and fail for what nobody has to expect.
# The kernel is that of this machine's release of Debian, or, with PERF_GUEST_KERNEL=SUITE, of another
# suite (bookworm, trixie-backports, sid), which has a cache of its own.

# Tests run with a home of their own: the cache is in the real one.
home=$(getent passwd "$(id -u)" | cut -d: -f6)
suite=${PERF_GUEST_KERNEL:-}
[[ $suite =~ ^[a-z0-9-]*$ ]] || fail "PERF_GUEST_KERNEL is not the name of a suite: '$suite'"
cache=${PERF_GUEST_CACHE:-${XDG_CACHE_HOME:-${home:-$HOME}/.cache}/perf-guests}/$arch${suite:+-$suite}
# Debian 12 has no such machine, and the mirrors of 13 are often not in order for it.
[ "$arch" != riscv64 ] || suite=${suite:-forky}

# A private package state, so that a foreign architecture touches nothing on this machine.
apt_private() {
	local sources=()

	mkdir -p "$cache/apt/lists/partial" "$cache/apt/archives/partial"
	: >>"$cache/apt/status"
	if [ -n "$suite" ]; then
		echo "deb http://deb.debian.org/debian $suite main" >"$cache/apt/sources.list"
		# what else a guest needs is not in backports
		[ "${suite%-backports}" = "$suite" ] ||
			echo "deb http://deb.debian.org/debian ${suite%-backports} main" >>"$cache/apt/sources.list"
		sources=(-o Dir::Etc::sourcelist="$cache/apt/sources.list" -o Dir::Etc::sourceparts=- -o APT::Default-Release="$suite")
	fi
	apt-get -q ${sources+"${sources[@]}"} -o APT::Architecture="$arch" -o APT::Architectures="$arch" -o Dir::State="$cache/apt" \
		-o Dir::State::status="$cache/apt/status" -o Dir::State::lists="$cache/apt/lists" \
		-o Dir::Cache="$cache/apt" -o APT::Sandbox::User=root -o Acquire::Languages=none "$@"
}
update_lists() {
	apt_private update >"$work/apt.log" 2>&1 || true
	# a mirror answered and has no such suite, which without a network nobody can tell
	if [ -n "$suite" ] && grep -q 'does not have a Release file' "$work/apt.log" && grep -q ' 404 ' "$work/apt.log"; then
		rm -rf "$cache/apt"
		fail "Debian has no suite '$suite' for $arch"
	fi
}
fetch() { # package
	[ -d "$cache/apt/lists/auxfiles" ] || update_lists
	(cd "$work" && apt_private download "$1") >>"$work/apt.log" 2>&1
	ls "$work/$1"_*.deb >/dev/null 2>&1 || { tail -3 "$work/apt.log" >&2; skip "cannot download the package $1 for $arch"; }
}
# Until descriptor 9 is closed: others wait here before they change the cache.
one_at_a_time() {
	mkdir -p "$cache"
	exec 9>"$cache/lock" && flock 9
}
# A suite that was asked for gets new kernels: whether it has is asked once a day.
was_asked_today() {
	[ -e "$cache/complete" ] || return 1
	[ -z "${PERF_GUEST_KERNEL:-}" ] || [ -z "$(find "$cache/complete" -mmin +1440)" ]
}
# The file name, with the version, of the package that leads to the kernel; nothing when the mirror cannot be asked.
offered_kernel() {
	apt_private download --print-uris "linux-image-$flavour" 2>>"$work/apt.log" | cut -d' ' -f2
}
fetch_kernel() {
	! was_asked_today || return 0
	one_at_a_time
	if was_asked_today; then # another one fetched it meanwhile
		exec 9>&-
		return 0
	fi
	case $arch in
	ppc64el) flavour=powerpc64le ;; # there is no smaller one
	riscv64) flavour=riscv64 ;;
	*) flavour=cloud-$arch ;;
	esac
	update_lists
	offered=$(offered_kernel)
	if [ -e "$cache/complete" ] && { [ -z "$offered" ] || [ "$offered" = "$(cat "$cache/complete")" ]; }; then
		touch "$cache/complete"
		exec 9>&-
		return 0
	fi
	rm -rf "$cache/complete" "$cache/kernel" "$cache/busybox"
	fetch "linux-image-$flavour"
	image=$(depends_on "linux-image-$flavour" | grep -m 1 '^linux-image-[0-9]')
	fetch "$image"
	fetch busybox-static
	mkdir -p "$cache/kernel/usr/lib"
	ln -s usr/lib "$cache/kernel/lib"
	unpack_kernel "$image"
	# Newer releases have the kernel and its modules in packages of their own.
	for part in $(depends_on "$image" | grep -- "-${image#linux-image-}\$"); do
		fetch "$part"
		unpack_kernel "$part"
	done
	dpkg-deb --fsys-tarfile "$work"/busybox-static_*.deb | tar -xO --wildcards '*/bin/busybox' >"$cache/busybox"
	chmod 755 "$cache/busybox"
	echo "$offered" >"$cache/complete"
	exec 9>&-
}
depends_on() { # package, already fetched: what it depends on, a name a line
	dpkg-deb -f "$work/$1"_*.deb Depends | tr ',' '\n' | sed 's/^ *//; s/[ (].*//'
}
unpack_kernel() { # package, already fetched
	dpkg-deb --fsys-tarfile "$work/$1"_*.deb | tar -x --keep-directory-symlink -C "$cache/kernel"
}
# Sets release, and kernel to the file that qemu boots, which newer releases keep beside the modules.
find_kernel() {
	local name

	release=$(echo "$cache"/kernel/lib/modules/*/kernel)
	release=${release%/kernel} release=${release##*/}
	for name in boot/vmlinuz-"$release" boot/vmlinux-"$release" "lib/modules/$release/vmlinuz" "lib/modules/$release/vmlinux"; do
		kernel=$cache/kernel/$name
		[ ! -e "$kernel" ] || return 0
	done
	fail "the packages of the kernel for $arch are not as expected"
}
