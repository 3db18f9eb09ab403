# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Debian packages for a guest's architecture, without touching this machine's packages.
# Wants: arch, work (a directory for downloads), skip (a function that ends with a reason).

# Tests run with a home of their own: the cache is in the real one.
home=$(getent passwd "$(id -u)" | cut -d: -f6)
cache=${PERF_GUEST_CACHE:-${XDG_CACHE_HOME:-${home:-$HOME}/.cache}/perf-guests}/$arch

# A private package state, so that a foreign architecture touches nothing on this machine.
apt_private() {
	mkdir -p "$cache/apt/lists/partial" "$cache/apt/archives/partial"
	: >>"$cache/apt/status"
	apt-get -q -o APT::Architecture="$arch" -o APT::Architectures="$arch" -o Dir::State="$cache/apt" \
		-o Dir::State::status="$cache/apt/status" -o Dir::State::lists="$cache/apt/lists" \
		-o Dir::Cache="$cache/apt" -o APT::Sandbox::User=root -o Acquire::Languages=none "$@"
}
fetch() { # package
	[ -d "$cache/apt/lists/auxfiles" ] || apt_private update >"$work/apt.log" 2>&1 || true
	(cd "$work" && apt_private download "$1") >>"$work/apt.log" 2>&1
	ls "$work/$1"_*.deb >/dev/null 2>&1 || { tail -3 "$work/apt.log" >&2; skip "cannot download the package $1 for $arch"; }
}
# Until descriptor 9 is closed: others wait here before they change the cache.
one_at_a_time() {
	mkdir -p "$cache"
	exec 9>"$cache/lock" && flock 9
}
fetch_kernel() {
	[ ! -e "$cache/complete" ] || return 0
	one_at_a_time
	if [ -e "$cache/complete" ]; then # another one fetched it meanwhile
		exec 9>&-
		return 0
	fi
	rm -rf "$cache/kernel" "$cache/busybox"
	case $arch in
	ppc64el) flavour=powerpc64le ;; # there is no smaller one
	*) flavour=cloud-$arch ;;
	esac
	fetch "linux-image-$flavour"
	image=$(dpkg-deb -f "$work/linux-image-${flavour}"_*.deb Depends | sed 's/[ (,].*//')
	fetch "$image"
	fetch busybox-static
	dpkg-deb -x "$work/$image"_*.deb "$cache/kernel"
	dpkg-deb --fsys-tarfile "$work"/busybox-static_*.deb | tar -xO ./bin/busybox >"$cache/busybox"
	chmod 755 "$cache/busybox"
	touch "$cache/complete"
	exec 9>&-
}
