// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds the code of a recording: its BPF programs, its kernel. */
#include <string.h>
#include <sys/utsname.h>

#include "base/bytes.h"
#include "profile/gather.h"

/* BPF_PROG_INFO: u32 count; each: u32 info_len, data_len; u64 arrays; info; data. */
struct bpf_info {
	u32 jited_size, nr_ksyms, nr_lens;
	u64 code, ksyms, lens; /* offsets in data, or UINT64_MAX */
};

/* clang-format off */
enum { INFO_JITED_LEN = 16, INFO_JITED = 24, INFO_NR_KSYMS = 104, INFO_NR_LENS = 108,
       INFO_KSYMS = 112, INFO_LENS = 120, INFO_LEAST = 128,
       ARRAY_JITED = 0, ARRAY_KSYMS = 3, ARRAY_LENS = 4 };
/* clang-format on */

/*
 * Reads the kernel's struct bpf_prog_info; its pointers are offsets in the data that follows, for
 * the arrays that the bits name. Returns false if arrays are missing or damaged.
 */
static bool read_bpf_info(const u8 *info, u32 info_len, u64 arrays, u32 data_len, bool swap,
			  struct bpf_info *out)
{
	if (info_len < INFO_LEAST || !(arrays & BIT64(ARRAY_JITED)) ||
	    !(arrays & BIT64(ARRAY_KSYMS)) || !(arrays & BIT64(ARRAY_LENS)))
		return false;
	out->jited_size = load_u32(info + INFO_JITED_LEN, swap);
	out->code = load_u64(info + INFO_JITED, swap);
	out->nr_ksyms = load_u32(info + INFO_NR_KSYMS, swap);
	out->nr_lens = load_u32(info + INFO_NR_LENS, swap);
	out->ksyms = load_u64(info + INFO_KSYMS, swap);
	out->lens = load_u64(info + INFO_LENS, swap);
	return out->code <= data_len && out->jited_size <= data_len - out->code &&
	       out->ksyms <= data_len && out->nr_ksyms <= (data_len - out->ksyms) / 8 &&
	       out->lens <= data_len && out->nr_lens <= (data_len - out->lens) / 4;
}

/* Finds a function in a program's code, where functions follow each other. */
static bool find_in_program(const struct bpf_info *b, const u8 *data, bool swap, u64 addr,
			    const u8 **code, size_t *size)
{
	u64 at = 0;

	for (u32 i = 0; i < b->nr_ksyms && i < b->nr_lens; i++) {
		u32 len = load_u32(data + b->lens + (size_t)i * 4, swap);

		if (len > b->jited_size - at)
			return false;
		if (load_u64(data + b->ksyms + (size_t)i * 8, swap) == addr) {
			*code = data + b->code + at;
			*size = len;
			return true;
		}
		at += len;
	}
	return false;
}

static bool bpf_code(void *arg, u64 addr, const u8 **code, size_t *size)
{
	struct data_reader *d = session_data(arg);
	bool swap = data_is_swapped(d);
	size_t have, at = 4;
	const u8 *s = data_feature(d, FEATURE_BPF_PROG_INFO, &have);
	u32 count = s && have >= 4 ? load_u32(s, swap) : 0;

	for (u32 i = 0; i < count && have - at >= 16; i++) {
		u32 info_len = load_u32(s + at, swap), data_len = load_u32(s + at + 4, swap);
		u64 arrays = load_u64(s + at + 8, swap);
		struct bpf_info b;

		at += 16;
		if (info_len > have - at || data_len > have - at - info_len)
			return false;
		if (read_bpf_info(s + at, info_len, arrays, data_len, swap, &b) &&
		    find_in_program(&b, s + at + info_len, swap, addr, code, size))
			return true;
		at += info_len + (size_t)data_len;
	}
	return false;
}

/* Reports whether this was recorded on the running kernel, so /proc/kcore is its text. */
static bool is_this_kernel(struct session *s)
{
	const char *release = data_feature_string(session_data(s), FEATURE_OSRELEASE);
	const char *host = data_feature_string(session_data(s), FEATURE_HOSTNAME);
	struct utsname u;

	return release && host && !uname(&u) && !strcmp(u.release, release) &&
	       !strcmp(u.nodename, host);
}

struct annotator *annotate_open(struct session *s, const struct annotate_settings *settings)
{
	struct annotate_settings set = *settings;

	set.bpf_code = bpf_code;
	set.bpf_arg = s;
	set.history = session_history(s);
	set.arch = data_feature_string(session_data(s), FEATURE_ARCH);
	set.arch_of_host = is_this_kernel(s);
	if (!set.kcore)
		set.kcore = session_kcore(s);
	return annotator_new(session_context(s), session_images(s), session_symbols(s), &set);
}
