// SPDX-License-Identifier: GPL-2.0-or-later
/* Opens a program and its debug information, and finds what is known without reading DWARF. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "object/buildid.h"
#include "object/cache.h"
#include "object/inflate.h"
#include "dwarf/die.h"

const char *debuginfo_path(const struct debuginfo *d)
{
	return d->debug_path ? d->debug_path : d->path;
}

bool debuginfo_is_kernel(const struct debuginfo *d)
{
	return d->is_kernel;
}

const struct arch *debuginfo_arch(const struct debuginfo *d)
{
	return d->arch;
}

/* Returns the name of the file that dwz moved common parts to, or NULL, and its build-id. */
static const char *common_file(const struct elf *e, struct build_id *id)
{
	const struct elf_section *s = elf_section(e, ".gnu_debugaltlink");
	struct elf_bytes b;
	size_t n;

	*id = (struct build_id){ .size = 0 };
	if (!s)
		return NULL;
	b = elf_section_raw(e, s);
	n = strnlen((const char *)b.data, b.size);
	if (!n || n + 1 >= b.size || b.size - n - 1 > sizeof(id->id))
		return NULL;
	id->size = (u8)(b.size - n - 1);
	memcpy(id->id, b.data + n + 1, id->size);
	return (const char *)b.data;
}

/*
 * Checks the file before libdw gets it, which opens any named file, and inflates without a limit.
 */
static int check_for_libdw(struct debuginfo *d, const struct elf *e)
{
	struct build_id id;
	const char *name = common_file(e, &id);
	char *path = name ? debuginfo_beside(d, name) : NULL;
	int err = inflate_check(e, &d->refused);

	if (!err && path && debuginfo_is_odd(path))
		err = reason_set(&d->refused, EINVAL, "its common file '%s' is not a regular file",
				 path);
	free(path);
	return err;
}

/* Opens the file that e was read from, or where libdw may not read that a copy. */
static int open_for_libdw(const struct elf *e, const char *path, struct reason *r)
{
	return inflate_has_zstd(e) ? inflate_copy(e, r) : file_open(path, r);
}

/* Takes path over; an ELF file with that build-id, if one is asked for. */
static int open_checked(char *path, const struct build_id *want, char **found)
{
	struct build_id id = { .size = 0 };
	struct elf *e = NULL;
	int fd = -1;

	if (path && !elf_open(path, &e, NULL) && elf_build_id(e, &id) &&
	    build_id_equal(&id, want) && !inflate_check(e, NULL))
		fd = open_for_libdw(e, path, NULL);
	elf_close(e);
	if (fd < 0)
		free(path);
	else
		*found = path;
	return fd < 0 ? -1 : fd;
}

static int find_common_file(struct debuginfo *d, const char *name, const struct build_id *id,
			    char **found)
{
	int fd = open_checked(debuginfo_beside(d, name), id, found);

	return fd >= 0 ? fd
		       : open_checked(debug_dir_find(d->search ? d->search->symfs : "", id), id,
				      found);
}

/*
 * Finds the separate file, or the common one, for libdwfl. Its own search is not used: it waits at
 * FIFOs, and knows neither --symfs nor the cache.
 */
static int find_debuginfo(Dwfl_Module *module, void **user, const char *module_name,
			  Dwarf_Addr base, const char *file, const char *debuglink, GElf_Word crc,
			  char **found)
{
	struct debuginfo *d = *user;
	struct image image = { .kind = IMAGE_ELF, .path = d->path, .name = path_base(d->path) };
	struct object_file object = { .elf = d->elf, .path = d->path, .origin = 'd' };
	static const struct object_search system = { .symfs = "", .buildid_dir = "" };
	struct build_id id;
	const char *common = common_file(d->separate.elf ? d->separate.elf : d->elf, &id);
	int fd;

	(void)module, (void)module_name, (void)base, (void)file;
	if (common && debuglink && !crc && !strcmp(common, debuglink))
		return find_common_file(d, common, &id, found);
	elf_build_id(d->elf, &image.build_id);
	if (!d->separate.elf && object_open_debug(d->search ? d->search : &system, &image, &object,
						  &d->separate, NULL) == 0) {
		fd = check_for_libdw(d, d->separate.elf)
			     ? -1
			     : open_for_libdw(d->separate.elf, d->separate.path, &d->refused);
		if (fd >= 0)
			*found = strdup(d->separate.path);
		return fd < 0 ? -1 : fd;
	}
	if (!image.build_id.size)
		return -1;
	return open_checked(xasprintf("%s.debug", d->path), &image.build_id, found);
}

static const Dwfl_Callbacks callbacks = {
	.find_debuginfo = find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

static bool looks_like_kernel(const struct elf *e)
{
	static const char *const names[] = { "__ksymtab", "__ksymtab_gpl", ".modinfo",
					     ".gnu.linkonce.this_module" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (elf_section(e, names[i]))
			return true;
	return elf_section(e, "__ex_table") && elf_section(e, ".init.text");
}

/*
 * Returns a descriptor of the file, or -errno. A packed file (.ko.xz) is passed to libdw unpacked,
 * as elf has it.
 */
static int content_fd(const struct debuginfo *d)
{
	int fd = open(d->path, O_RDONLY | O_CLOEXEC);
	char magic[4];
	size_t size, done = 0;
	const u8 *data;

	if (fd < 0)
		return -errno;
	if (pread(fd, magic, 4, 0) == 4 && memcmp(magic, "\177ELF", 4) == 0)
		return fd;
	close(fd);
	fd = memfd_create("module", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	data = elf_data(d->elf, &size);
	while (done < size) {
		ssize_t n = write(fd, data + done, size - done);

		if (n <= 0) {
			close(fd);
			return -EIO;
		}
		done += (size_t)n;
	}
	return fd;
}

static int say_no_debuginfo(const struct debuginfo *d, struct reason *r)
{
	struct build_id id = { 0 };
	char text[41];

	if (d->refused.text)
		return reason_set(r, ENODATA, "the debug information of '%s' is not used: %s",
				  d->path, d->refused.text);
	if (elf_build_id(d->elf, &id))
		reason_set(r, ENODATA,
			   "'%s' has no debug information, and no file with it was found "
			   "for build-id %s",
			   d->path, build_id_text(&id, text));
	else
		reason_set(r, ENODATA, "'%s' has no debug information", d->path);
	if (d->is_kernel)
		reason_hint(
			r,
			"install the kernel's debug symbols (Debian: linux-image-$(uname -r)-dbg)"
			", or give a vmlinux with -k");
	else
		reason_hint(r,
			    "install its debug symbols (Debian: find-dbgsym-packages '%s'), or "
			    "build it with -g",
			    d->path);
	return -ENODATA;
}

static int attach_libdw(struct debuginfo *d, struct reason *r)
{
	void **user;
	int fd;

	if (check_for_libdw(d, d->elf))
		return say_no_debuginfo(d, r);
	fd = inflate_has_zstd(d->elf) ? inflate_copy(d->elf, &d->refused) : content_fd(d);
	if (fd < 0 && d->refused.text)
		return say_no_debuginfo(d, r);
	if (fd < 0)
		return reason_errno(r, -fd, "cannot open '%s'", d->path);
	d->dwfl = dwfl_begin(&callbacks);
	if (d->dwfl) {
		dwfl_report_begin(d->dwfl);
		d->module = dwfl_report_offline(d->dwfl, path_base(d->path), d->path, fd);
		dwfl_report_end(d->dwfl, NULL, NULL);
	}
	if (!d->module) {
		close(fd);
		return reason_set(r, ENOEXEC, "libdw cannot read '%s': %s", d->path,
				  dwfl_errmsg(-1));
	}
	dwfl_module_info(d->module, &user, NULL, NULL, NULL, NULL, NULL, NULL);
	*user = d;
	d->dwarf = dwfl_module_getdwarf(d->module, &d->bias);
	if (!d->dwarf)
		return say_no_debuginfo(d, r);
	dwfl_module_info(d->module, NULL, NULL, NULL, NULL, NULL, NULL, &d->debug_path);
	return 0;
}

static int check_build_id(struct debuginfo *d, const struct build_id *want, struct reason *r)
{
	struct build_id has = { 0 };
	char a[41], b[41];

	if (!want || !want->size)
		return 0;
	if (!elf_build_id(d->elf, &has))
		return reason_set(r, ESTALE, "'%s' has no build-id, and %s is wanted", d->path,
				  build_id_text(want, a));
	if (!build_id_equal(want, &has))
		return reason_set(r, ESTALE, "'%s' is another version: its build-id is %s, not %s",
				  d->path, build_id_text(&has, a), build_id_text(want, b));
	return 0;
}

int debuginfo_open(const struct object_search *search, const char *path,
		   const struct build_id *want, struct debuginfo **out, struct reason *r)
{
	struct debuginfo *d = xcalloc(1, sizeof(*d));
	int err;

	d->path = xstrdup(path);
	d->search = search;
	err = elf_open(path, &d->elf, r);
	if (!err)
		err = check_build_id(d, want, r);
	if (!err) {
		d->big_endian = elf_data(d->elf, &(size_t){ 0 })[5] == 2;
		d->arch = arch_by_elf(elf_machine(d->elf), elf_is_64(d->elf), d->big_endian);
		d->is_kernel = looks_like_kernel(d->elf);
		err = attach_libdw(d, r);
	}
	if (!err)
		err = debuginfo_load_units(d, r);
	if (err) {
		debuginfo_close(d);
		return err;
	}
	*out = d;
	return 0;
}

void debuginfo_close(struct debuginfo *d)
{
	if (!d)
		return;
	if (d->dwfl)
		dwfl_end(d->dwfl);
	object_close(&d->separate);
	reason_release(&d->refused);
	elf_close(d->elf);
	vec_release(&d->units);
	vec_release(&d->symbols);
	vec_release(&d->symbol_order);
	vec_release(&d->data_symbols);
	free(d->path);
	free(d);
}

u64 debuginfo_number(const struct debuginfo *d, const u8 *data, size_t size)
{
	u64 v = 0;

	for (size_t i = 0; i < size; i++)
		v |= (u64)data[i] << 8 * (d->big_endian ? size - 1 - i : i);
	return v;
}
