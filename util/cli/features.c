// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/features.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* in angles: the build's, not this component's of that name */
#include <config.h>

#ifdef HAVE_LIBTRACEEVENT
#define WITH_LIBTRACEEVENT true
#else
#define WITH_LIBTRACEEVENT false
#endif
#ifdef HAVE_ZSTD
#define WITH_ZSTD true
#else
#define WITH_ZSTD false
#endif

#ifdef HAVE_ZLIB
#define WITH_ZLIB true
#else
#define WITH_ZLIB false
#endif
#ifdef HAVE_LIBPFM
#define WITH_LIBPFM true
#else
#define WITH_LIBPFM false
#endif
#ifdef HAVE_LZMA
#define WITH_LZMA true
#else
#define WITH_LZMA false
#endif
#ifdef HAVE_CAPSTONE
#define WITH_CAPSTONE true
#else
#define WITH_CAPSTONE false
#endif
#ifdef HAVE_LIBOPCODES
#define WITH_LIBOPCODES true
#else
#define WITH_LIBOPCODES false
#endif
#ifdef HAVE_LIBDW
#define WITH_LIBDW true
#else
#define WITH_LIBDW false
#endif
#ifdef HAVE_LIBPYTHON
#define WITH_LIBPYTHON true
#else
#define WITH_LIBPYTHON false
#endif
#ifdef HAVE_LIBPERL
#define WITH_LIBPERL true
#else
#define WITH_LIBPERL false
#endif
#ifdef HAVE_SLANG
#define WITH_SLANG true
#else
#define WITH_SLANG false
#endif
#ifdef HAVE_DEBUGINFOD
#define WITH_DEBUGINFOD true
#else
#define WITH_DEBUGINFOD false
#endif
#ifdef HAVE_LIBUNWIND
#define WITH_LIBUNWIND true
#else
#define WITH_LIBUNWIND false
#endif

#ifdef HAVE_LIBBPF
#define WITH_LIBBPF true
#else
#define WITH_LIBBPF false
#endif
#ifdef HAVE_BPF_PROGRAMS
#define WITH_BPF_PROGRAMS true
#else
#define WITH_BPF_PROGRAMS false
#endif

/*
 * The names are what scripts ask for, whichever code does the work: "libelf" means that
 * symbols work, "dwarf-unwind" that stacks are unwound (both by code of our own), "auxtrace"
 * that AUX areas are recorded and listed (not decoded).  A part without code is off;
 * turn it on with the commit that makes it work.
 */
const struct feature features[] = {
	{ "aio", "HAVE_AIO_SUPPORT", true, false },
	{ "bpf", "HAVE_LIBBPF_SUPPORT", WITH_LIBBPF, false },
	{ "bpf_skeletons", "HAVE_BPF_SKEL", WITH_BPF_PROGRAMS, false },
	{ "debuginfod", "HAVE_DEBUGINFOD_SUPPORT", WITH_DEBUGINFOD, false },
	{ "dwarf", "HAVE_LIBDW_SUPPORT", WITH_LIBDW, false },
	{ "dwarf_getlocations", "HAVE_LIBDW_SUPPORT", WITH_LIBDW, false },
	{ "dwarf-unwind", "HAVE_DWARF_UNWIND_SUPPORT", true, false },
	{ "auxtrace", "HAVE_AUXTRACE_SUPPORT", true, false },
	{ "libbfd", "HAVE_LIBBFD_SUPPORT", false, false },
	{ "libbpf-strings", "HAVE_LIBBPF_STRINGS_SUPPORT", false, false },
	{ "libcapstone", "HAVE_LIBCAPSTONE_SUPPORT", WITH_CAPSTONE, false },
	{ "libcrypto", "HAVE_LIBCRYPTO_SUPPORT", false, true },
	{ "libdw-dwarf-unwind", "HAVE_LIBDW_SUPPORT", WITH_LIBDW, false },
	{ "libelf", "HAVE_LIBELF_SUPPORT", true, false },
	{ "libLLVM", "HAVE_LIBLLVM_SUPPORT", false, false },
	{ "libnuma", "HAVE_LIBNUMA_SUPPORT", false, false },
	{ "libopcodes", "HAVE_LIBOPCODES_SUPPORT", WITH_LIBOPCODES, false },
	{ "libopencsd", "HAVE_CSTRACE_SUPPORT", false, false },
	{ "libperl", "HAVE_LIBPERL_SUPPORT", WITH_LIBPERL, false },
	{ "libpfm4", "HAVE_LIBPFM", WITH_LIBPFM, false },
	{ "libpython", "HAVE_LIBPYTHON_SUPPORT", WITH_LIBPYTHON, false },
	{ "libslang", "HAVE_SLANG_SUPPORT", WITH_SLANG, false },
	{ "libtraceevent", "HAVE_LIBTRACEEVENT", WITH_LIBTRACEEVENT, false },
	{ "libunwind", "HAVE_LIBUNWIND_SUPPORT", WITH_LIBUNWIND, false },
	{ "lzma", "HAVE_LZMA_SUPPORT", WITH_LZMA, false },
	{ "numa_num_possible_cpus", "HAVE_LIBNUMA_SUPPORT", false, false },
	{ "rust", "HAVE_RUST_SUPPORT", false, false },
	{ "zlib", "HAVE_ZLIB_SUPPORT", WITH_ZLIB, false },
	{ "zstd", "HAVE_ZSTD_SUPPORT", WITH_ZSTD, false },
	{ NULL, NULL, false, false },
};

static bool same(const char *a, const char *typed, size_t len)
{
	return strlen(a) == len && !strncasecmp(a, typed, len);
}

const struct feature *feature_find(const char *name, size_t len)
{
	for (const struct feature *f = features; f->name; f++)
		if (same(f->name, name, len) || same(f->macro, name, len))
			return f;
	return NULL;
}

void licence_print(void)
{
	printf("%22s: %s\n", "licence",
	       WITH_LIBOPCODES ? "GPL-3.0-or-later (with libopcodes)" : "GPL-2.0-or-later");
}

void feature_print(const struct feature *f)
{
	printf("%22s: [ %-3s ]  # %s\n", f->name, f->on ? "on" : "OFF", f->macro);
}
