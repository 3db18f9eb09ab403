// SPDX-License-Identifier: GPL-2.0-or-later
/* What a just-in-time compiler left: records, and the objects made of them. */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "jit/code.h"

/* As one object: what is in it lies inside of it. */
static void read_code(const char *path)
{
	struct jit_code *c;
	size_t size;
	const u8 *object;

	if (jit_code_open(path, &c, NULL))
		return;
	if (jit_code_read(c, NULL) > 0)
		abort();
	for (size_t i = 0; i < jit_code_count(c); i++) {
		const struct jit_function *f = jit_code_at(c, i);

		object = jit_code_object(c, f->part, &size);
		if (!object || f->offset > size || f->size > size - f->offset)
			abort();
	}
	jit_code_free(c);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct jit_entry e;
	struct jitdump *d;
	char path[64], object[64];

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	snprintf(object, sizeof(object), "/dev/shm/fuzz-jit.%d", getpid());
	if (!jitdump_open(path, &d, NULL)) {
		volatile u64 sum = 0;

		(void)sum;

		while (jitdump_next(d, &e, NULL) == 1) {
			sum += e.addr + (e.kind == JIT_LOAD ? strlen(e.name) : 0);
			for (size_t i = 0; e.kind == JIT_LOAD && i < e.line_count; i++)
				sum += strlen(e.lines[i].file);
			for (u64 i = 0; e.kind == JIT_LOAD && e.code && i < e.size; i++)
				sum += e.code[i];
			for (size_t i = 0; e.kind == JIT_LOAD && i < e.eh_frame_size; i++)
				sum += e.eh_frame[i];
			if (e.kind == JIT_LOAD && !jit_write_object(d, &e, object, NULL))
				unlink(object);
		}
		jitdump_close(d);
	}
	read_code(path);
	close(fd);
	return 0;
}
