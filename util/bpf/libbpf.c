// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Objects of BPF programs, with libbpf: it resolves the places of fields in the kernel's structs,
 * makes the maps, loads and attaches. Later steps need no library.
 *
 * The library is opened on first use (base/library.h). Its messages go to one function of the
 * process, which takes no argument of the caller. So a thread's pointer says where a run's log is
 * during a call.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "base/alloc.h"
#include "base/context.h"
#include "base/library.h"
#include "base/privileges.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "base/trace.h"
#include "base/vec.h"
#include "bpf/bpf.h"
#include "bpf/internal.h"

enum { LOG_MOST = 4 << 20, LIBBPF_ERRNO = __LIBBPF_ERRNO__START };

struct bpf_run {
	char *name;
	struct bpf_object *object;
	bool loaded;
	VEC(struct bpf_link *) links;
	VEC(struct shared {
		const struct bpf_map *map;
		void *memory;
		size_t size;
	})
	shared; /* the sections of variables, as the programs see them */
	struct strbuf log;
};

static struct {
	__typeof__(libbpf_set_print) *set_print;
	__typeof__(bpf_object__open_mem) *open_mem;
	__typeof__(bpf_object__open_file) *open_file;
	__typeof__(bpf_object__load) *load;
	__typeof__(bpf_object__close) *close;
	__typeof__(bpf_object__btf) *btf;
	__typeof__(bpf_object__next_program) *next_program;
	__typeof__(bpf_object__find_program_by_name) *find_program;
	__typeof__(bpf_object__find_map_by_name) *find_map;
	__typeof__(bpf_object__next_map) *next_map;
	__typeof__(bpf_map__name) *map_name;
	__typeof__(bpf_map__type) *map_type;
	__typeof__(bpf_map__set_max_entries) *map_set_max_entries;
	__typeof__(bpf_map__set_value_size) *map_set_value_size;
	__typeof__(bpf_map__initial_value) *map_initial_value;
	__typeof__(bpf_map__fd) *map_fd;
	__typeof__(bpf_map__reuse_fd) *map_reuse_fd;
	__typeof__(bpf_program__fd) *program_fd;
	__typeof__(bpf_program__name) *program_name;
	__typeof__(bpf_program__section_name) *program_section;
	__typeof__(bpf_program__set_type) *program_set_type;
	__typeof__(bpf_program__autoload) *program_autoload;
	__typeof__(bpf_program__set_autoload) *program_set_autoload;
	__typeof__(bpf_program__set_attach_target) *program_set_attach_target;
	__typeof__(bpf_program__attach) *attach;
	__typeof__(bpf_program__attach_perf_event) *attach_perf_event;
	__typeof__(bpf_program__attach_uprobe) *attach_uprobe;
	__typeof__(bpf_link__destroy) *link_destroy;
	__typeof__(btf__load_from_kernel_by_id) *btf_from_kernel;
	__typeof__(btf__parse) *btf_parse;
	__typeof__(btf__find_by_name_kind) *btf_find;
	__typeof__(btf__free) *btf_free;
	__typeof__(btf__type_cnt) *btf_type_cnt;
	__typeof__(btf__type_by_id) *btf_type_by_id;
	__typeof__(btf__name_by_offset) *btf_name_by_offset;
} lib;
static bool lib_open;

static __thread struct strbuf *current_log;

static int keep_message(enum libbpf_print_level level, const char *format, va_list args)
{
	if (current_log && level != LIBBPF_DEBUG && current_log->len < LOG_MOST)
		strbuf_vf(current_log, format, args);
	return 0;
}

static void open_library(void)
{
	static const struct library_symbol symbols[] = {
		{ "libbpf_set_print", (void **)&lib.set_print },
		{ "bpf_object__open_mem", (void **)&lib.open_mem },
		{ "bpf_object__open_file", (void **)&lib.open_file },
		{ "bpf_object__load", (void **)&lib.load },
		{ "bpf_object__close", (void **)&lib.close },
		{ "bpf_object__btf", (void **)&lib.btf },
		{ "bpf_object__next_program", (void **)&lib.next_program },
		{ "bpf_object__find_program_by_name", (void **)&lib.find_program },
		{ "bpf_object__find_map_by_name", (void **)&lib.find_map },
		{ "bpf_object__next_map", (void **)&lib.next_map },
		{ "bpf_map__name", (void **)&lib.map_name },
		{ "bpf_map__type", (void **)&lib.map_type },
		{ "bpf_map__set_max_entries", (void **)&lib.map_set_max_entries },
		{ "bpf_map__set_value_size", (void **)&lib.map_set_value_size },
		{ "bpf_map__initial_value", (void **)&lib.map_initial_value },
		{ "bpf_map__fd", (void **)&lib.map_fd },
		{ "bpf_map__reuse_fd", (void **)&lib.map_reuse_fd },
		{ "bpf_program__fd", (void **)&lib.program_fd },
		{ "bpf_program__name", (void **)&lib.program_name },
		{ "bpf_program__section_name", (void **)&lib.program_section },
		{ "bpf_program__set_type", (void **)&lib.program_set_type },
		{ "bpf_program__autoload", (void **)&lib.program_autoload },
		{ "bpf_program__set_autoload", (void **)&lib.program_set_autoload },
		{ "bpf_program__set_attach_target", (void **)&lib.program_set_attach_target },
		{ "bpf_program__attach", (void **)&lib.attach },
		{ "bpf_program__attach_perf_event", (void **)&lib.attach_perf_event },
		{ "bpf_program__attach_uprobe", (void **)&lib.attach_uprobe },
		{ "bpf_link__destroy", (void **)&lib.link_destroy },
		{ "btf__load_from_kernel_by_id", (void **)&lib.btf_from_kernel },
		{ "btf__parse", (void **)&lib.btf_parse },
		{ "btf__find_by_name_kind", (void **)&lib.btf_find },
		{ "btf__free", (void **)&lib.btf_free },
		{ "btf__type_cnt", (void **)&lib.btf_type_cnt },
		{ "btf__type_by_id", (void **)&lib.btf_type_by_id },
		{ "btf__name_by_offset", (void **)&lib.btf_name_by_offset },
	};

	lib_open = library_open("libbpf.so.1", symbols, ARRAY_SIZE(symbols));
	if (lib_open)
		lib.set_print(keep_message);
}

bool libbpf_ready(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, open_library);
	return lib_open;
}

static struct bpf_run *opened(struct bpf_run *run, const char *what, struct reason *r)
{
	int err = errno;

	current_log = NULL;
	if (run->object)
		return run;
	if (err >= LIBBPF_ERRNO) /* the library's own numbers */
		reason_set(r, EINVAL,
			   "'%s' is not an object file of BPF programs that libbpf can read", what);
	else
		reason_errno(r, err, "cannot open the BPF program '%s'", what);
	bpf_run_close(run);
	return NULL;
}

/*
 * Returns the image to load: its variant for old kernels, if it has one and the kernel lacks
 * bpf_loop(). Of the features that the variants avoid, that helper was the last to come (Linux
 * 5.17).
 */
static const struct bpf_image *image_for_kernel(const char *name)
{
	const struct bpf_image *image = bpf_image_find(name), *old;
	char *old_name = xasprintf("%s_old", name);

	old = bpf_image_find(old_name);
	free(old_name);
	return image && old && !bpf_kernel_has_helper(BPF_FUNC_loop) ? old : image;
}

struct bpf_run *bpf_run_open(const char *image_name, struct reason *r)
{
	const struct bpf_image *image = image_for_kernel(image_name);
	struct bpf_object_open_opts options = { .sz = sizeof(options), .object_name = image_name };
	struct bpf_run *run;

	if (!image) {
		if (!bpf_usable(image_name, r))
			reason_set(r, ENOENT, "there is no BPF program '%s' in this perf",
				   image_name);
		return NULL;
	}
	if (bpf_usable(image_name, r))
		return NULL;
	run = xcalloc(1, sizeof(*run));
	run->name = xstrdup(image_name);
	current_log = &run->log;
	run->object = lib.open_mem(image->begin, (size_t)(image->end - image->begin), &options);
	return opened(run, image_name, r);
}

struct bpf_run *bpf_run_open_file(const char *path, const char *name, struct reason *r)
{
	struct bpf_object_open_opts options = { .sz = sizeof(options) };
	struct bpf_run *run;

	if (privileges_are_lent()) {
		privileges_refuse(name, r);
		return NULL;
	}
	if (bpf_usable(path, r))
		return NULL;
	run = xcalloc(1, sizeof(*run));
	run->name = xstrdup(name);
	current_log = &run->log;
	run->object = lib.open_file(path, &options);
	return opened(run, name, r);
}

void bpf_run_close(struct bpf_run *run)
{
	if (!run)
		return;
	bpf_run_detach(run);
	vec_release(&run->links);
	vec_for_each(&run->shared, section)
		munmap(section->memory, section->size);
	vec_release(&run->shared);
	if (run->object)
		lib.close(run->object);
	strbuf_release(&run->log);
	free(run->name);
	free(run);
}

/* Returns a count of the programs, or 0 if they have no variable of this name. */
static u64 count_of(struct bpf_run *run, const char *name)
{
	const u64 *count = bpf_run_variable(run, name, sizeof(*count));

	return count ? *count : 0;
}

u64 missed_runs(struct bpf_run *run, u64 (*of)(int program))
{
	struct bpf_program *program = NULL;
	u64 missed = 0;

	while ((program = lib.next_program(run->object, program)))
		if (!str_ends(lib.program_name(program), "_again"))
			missed += of(lib.program_fd(program));
	return missed - MIN(missed, count_of(run, "caught_up"));
}

void bpf_run_say_missed(struct context *ctx, struct bpf_run *run)
{
	u64 missed, unfollowed, refused;

	if (!run || !run->loaded)
		return;
	unfollowed = count_of(run, "unfollowed");
	if (unfollowed)
		condition_add(
			&ctx->conditions, CONDITION_WARNING, "bpf-unfollowed", run->name, NULL,
			unfollowed, NULL,
			"tasks were started while too many were followed: nothing is known of "
			"them");
	refused = count_of(run, "refused");
	if (refused)
		condition_add(
			&ctx->conditions, CONDITION_WARNING, "bpf-refused", run->name, NULL,
			refused, NULL,
			"the kernel refused changes to maps of the BPF programs '%s' that were "
			"not full: "
			"what they would have counted may be missing",
			run->name);
	missed = missed_runs(run, bpf_program_missed);
	if (missed)
		condition_add(&ctx->conditions, CONDITION_WARNING, "bpf-missed", run->name, NULL,
			      missed, NULL,
			      "the kernel left out runs of the BPF programs '%s', which were still "
			      "under way on the same CPU: "
			      "what happened then may be missing",
			      run->name);
}

const char *bpf_run_log(const struct bpf_run *run)
{
	return strbuf_cstr(&run->log);
}

/* Returns the section (such as ".bss") that holds a variable, and the offset in it. */
static const char *find_variable(const struct btf *btf, const char *name, size_t size, u32 *offset)
{
	u32 count = lib.btf_type_cnt(btf);

	for (u32 id = 1; id < count; id++) {
		const struct btf_type *section = lib.btf_type_by_id(btf, id);

		if (!btf_is_datasec(section))
			continue;
		for (u32 i = 0; i < btf_vlen(section); i++) {
			const struct btf_var_secinfo *at = btf_var_secinfos(section) + i;
			const struct btf_type *variable = lib.btf_type_by_id(btf, at->type);

			if (at->size != size ||
			    strcmp(lib.btf_name_by_offset(btf, variable->name_off), name) != 0)
				continue;
			*offset = at->offset;
			return lib.btf_name_by_offset(btf, section->name_off);
		}
	}
	return NULL;
}

/* Maps the memory of a loaded section; constants are frozen, so read-only. */
static void *share(struct bpf_run *run, const struct bpf_map *map, size_t size)
{
	void *memory;
	int fd = lib.map_fd(map);

	vec_for_each(&run->shared, section)
		if (section->map == map)
			return section->memory;
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		memory = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		return NULL;
	vec_push(&run->shared, (struct shared){ map, memory, size });
	return memory;
}

void *bpf_run_variable(struct bpf_run *run, const char *name, size_t size)
{
	const struct btf *btf = lib.btf(run->object);
	u32 offset = 0;
	const char *section = btf ? find_variable(btf, name, size, &offset) : NULL;
	struct bpf_map *map = section ? lib.find_map(run->object, section) : NULL;
	size_t space = 0;
	u8 *data = map ? (u8 *)lib.map_initial_value(map, &space) : NULL;

	if (data && run->loaded)
		data = share(run, map, space);
	return data && offset + size <= space ? data + offset : NULL;
}

int bpf_run_map_entries(struct bpf_run *run, const char *name, u32 entries)
{
	struct bpf_map *map = lib.find_map(run->object, name);

	return map ? lib.map_set_max_entries(map, entries) : -ENOENT;
}

int bpf_run_map_share(struct bpf_run *run, const char *name, int fd)
{
	struct bpf_map *map = lib.find_map(run->object, name);

	return map ? lib.map_reuse_fd(map, fd) : -ENOENT;
}

int bpf_run_target(struct bpf_run *run, const char *name, int of_program, const char *function)
{
	struct bpf_program *program = lib.find_program(run->object, name);
	int err;

	if (!program)
		return -ENOENT;
	current_log = &run->log;
	err = lib.program_set_attach_target(program, of_program, function);
	current_log = NULL;
	return err;
}

char *bpf_function_name(u32 types, u32 type)
{
	struct btf *btf = libbpf_ready() ? lib.btf_from_kernel(types) : NULL;
	const struct btf_type *t = btf ? lib.btf_type_by_id(btf, type) : NULL;
	const char *name = t ? lib.btf_name_by_offset(btf, t->name_off) : NULL;
	char *copy = name && *name ? xstrdup(name) : NULL;

	if (btf)
		lib.btf_free(btf);
	return copy;
}

static bool has_member(const struct btf *btf, s32 type, const char *member)
{
	const struct btf_type *t = type > 0 ? lib.btf_type_by_id(btf, (u32)type) : NULL;
	const struct btf_member *m = t ? btf_members(t) : NULL;
	const char *name;

	for (u32 i = 0; t && i < btf_vlen(t); i++) {
		name = lib.btf_name_by_offset(btf, m[i].name_off);
		if (name && !strcmp(name, member))
			return true;
	}
	return false;
}

static bool has_enumerator(const struct btf *btf, s32 type, const char *enumerator)
{
	const struct btf_type *t = type > 0 ? lib.btf_type_by_id(btf, (u32)type) : NULL;
	const struct btf_enum *e = t ? btf_enum(t) : NULL;
	const char *name;

	for (u32 i = 0; t && i < btf_vlen(t); i++) {
		name = lib.btf_name_by_offset(btf, e[i].name_off);
		if (name && !strcmp(name, enumerator))
			return true;
	}
	return false;
}

bool bpf_kernel_has(enum bpf_fact kind, const char *name, const char *member)
{
	struct btf *btf = libbpf_ready() ? lib.btf_parse(BPF_KERNEL_TYPES, NULL) : NULL;
	char *type;
	bool has = false;

	if (!btf)
		return false;
	switch (kind) {
	case BPF_MEMBER:
		has = has_member(btf, lib.btf_find(btf, name, BTF_KIND_STRUCT), member);
		break;
	case BPF_ENUMERATOR:
		has = has_enumerator(btf, lib.btf_find(btf, name, BTF_KIND_ENUM), member);
		break;
	case BPF_FUNCTION:
		has = lib.btf_find(btf, name, BTF_KIND_FUNC) > 0;
		break;
	case BPF_TRACEPOINT: /* the type of its programs */
		type = xasprintf("btf_trace_%s", name);
		has = lib.btf_find(btf, type, BTF_KIND_TYPEDEF) > 0;
		free(type);
		break;
	}
	lib.btf_free(btf);
	return has;
}

int bpf_run_enable(struct bpf_run *run, const char *name, bool enable)
{
	struct bpf_program *program = lib.find_program(run->object, name);

	return program ? lib.program_set_autoload(program, enable) : -ENOENT;
}

/*
 * Explains a failed load. The verifier returns EACCES and EINVAL; EPERM comes from a policy
 * (lockdown, a container).
 */
static int load_failed(struct bpf_run *run, int err, struct reason *r)
{
	char *said;

	if (err == EPERM) {
		reason_errno(r, err, "the kernel refuses to load the BPF program '%s'", run->name);
		reason_hint(
			r, "a container, a security module or kernel lockdown may forbid BPF here");
		return -err;
	}
	reason_errno(r, err, "loading the BPF program '%s'", run->name);
	said = verifier_verdict(strbuf_cstr(&run->log));
	if (said)
		reason_hint(r, "the kernel's verifier said: %s", said);
	free(said);
	return -err;
}

/* Shows with -v the end of what the library and the verifier said, and all of it with -vv. */
static void show_log(const struct context *ctx, const struct bpf_run *run)
{
	struct strbuf lines = STRBUF_INIT;

	if (ctx->verbose <= 0 || !ctx->debug_text)
		return;
	verifier_log_text(&lines, run->name, strbuf_cstr(&run->log), ctx->verbose > 1);
	ctx->debug_text(ctx->debug_arg, strbuf_cstr(&lines));
	strbuf_release(&lines);
}

int bpf_run_load(const struct context *ctx, struct bpf_run *run, struct reason *r)
{
	int err;

	current_log = &run->log;
	err = lib.load(run->object);
	current_log = NULL;
	run->loaded = !err;
	TRACE(bpf, "programs of '%s': %s", run->name, err ? strerror(-err) : "loaded");
	if (!err)
		return 0;
	show_log(ctx, run);
	return load_failed(run, -err, r);
}

static int keep_link(struct bpf_run *run, struct bpf_link *link, const char *program,
		     struct reason *r)
{
	int err = errno;

	current_log = NULL;
	TRACE(bpf, "'%s' of '%s': %s", program, run->name, link ? "attached" : strerror(err));
	if (link) {
		vec_push(&run->links, link);
		return 0;
	}
	return reason_errno(r, err, "cannot attach the BPF program '%s' of '%s'", program,
			    run->name);
}

static struct bpf_program *program_of(struct bpf_run *run, const char *name, struct reason *r)
{
	struct bpf_program *program = lib.find_program(run->object, name);

	if (!program)
		reason_set(r, ENOENT, "'%s' has no BPF program '%s'", run->name, name);
	current_log = &run->log;
	return program;
}

int bpf_run_attach(struct bpf_run *run, struct reason *r)
{
	struct bpf_program *program = NULL;
	int err = 0;

	while (!err && (program = lib.next_program(run->object, program))) {
		struct bpf_link *link;

		if (!lib.program_autoload(program))
			continue;
		current_log = &run->log;
		link = lib.attach(program);
		if (!link && errno == EOPNOTSUPP)
			continue; /* its section does not say where: the caller attaches it */
		err = keep_link(run, link, lib.program_name(program), r);
	}
	current_log = NULL;
	return err;
}

int bpf_run_attach_one(struct bpf_run *run, const char *name, struct reason *r)
{
	struct bpf_program *program = program_of(run, name, r);

	return program ? keep_link(run, lib.attach(program), name, r) : -ENOENT;
}

int bpf_run_attach_event(struct bpf_run *run, const char *name, int event_fd, struct reason *r)
{
	struct bpf_program *program = program_of(run, name, r);

	return program ? keep_link(run, lib.attach_perf_event(program, event_fd), name, r)
		       : -ENOENT;
}

void bpf_run_detach(struct bpf_run *run)
{
	vec_for_each(&run->links, link)
		lib.link_destroy(*link);
	vec_clear(&run->links);
}

int bpf_run_map(const struct bpf_run *run, const char *name)
{
	const struct bpf_map *map = lib.find_map(run->object, name);

	return map ? lib.map_fd(map) : -ENOENT;
}

int bpf_run_program(const struct bpf_run *run, const char *name)
{
	const struct bpf_program *program = lib.find_program(run->object, name);

	return program ? lib.program_fd(program) : -ENOENT;
}

static struct bpf_program *nth_program(const struct bpf_run *run, size_t i)
{
	struct bpf_program *program = NULL;

	do {
		program = lib.next_program(run->object, program);
	} while (program && i--);
	return program;
}

const char *bpf_run_program_name(const struct bpf_run *run, size_t i)
{
	const struct bpf_program *program = nth_program(run, i);

	return program ? lib.program_name(program) : NULL;
}

const char *bpf_run_program_section(const struct bpf_run *run, size_t i)
{
	const struct bpf_program *program = nth_program(run, i);

	return program ? lib.program_section(program) : NULL;
}

int bpf_run_set_type(struct bpf_run *run, const char *name, u32 type)
{
	struct bpf_program *program = lib.find_program(run->object, name);

	return program ? lib.program_set_type(program, (enum bpf_prog_type)type) : -ENOENT;
}

const char *bpf_run_map_name(const struct bpf_run *run, size_t i, u32 *type)
{
	struct bpf_map *map = NULL;

	do {
		map = lib.next_map(run->object, map);
	} while (map && i--);
	*type = map ? (u32)lib.map_type(map) : 0;
	return map ? lib.map_name(map) : NULL;
}
