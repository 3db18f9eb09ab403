// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where the names of kernel addresses come from: kallsyms or a vmlinux, of the
 * kernel that was recorded and of no other, moved to where it was loaded then.
 *
 * The order: --kallsyms, --vmlinux, a vmlinux found by name with the right
 * build-id, the copy of kallsyms in the cache, /proc/kallsyms when it is this very
 * kernel.  The copy comes first because the kernel takes five times as long to
 * write its list as we take to read it; modules that it lacks are looked up live.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/text.h"
#include "object/buildid.h"
#include "object/cache.h"
#include "object/debug_servers.h"
#include "object/elf.h"
#include "object/elf_module.h"
#include "object/locate.h"
#include "symbol/internal.h"

#define LIVE_LIST "/proc/kallsyms"

struct kernel_list {
	struct kallsyms k;
	char *path; /* NULL: not tried; "": none */
};

enum { CHOSEN, LIVE, LISTS };

struct kernel_symbols {
	struct context *ctx;
	const struct image_table *images;
	const struct symbol_options *o;
	pthread_mutex_t *conditions; /* guards ctx->conditions */
	pthread_mutex_t lock;
	pthread_mutex_t naming;          /* for names that tables share */
	struct kernel_list lists[LISTS]; /* shared by the kernel and its modules */
	bool live_is_right;              /* the recorded kernel is the running one */
	atomic_bool foreign;             /* it cannot be: another architecture or release */
	VEC(struct guest {
		u32 id;
		struct kernel_list list;
	})
	guests;
};

struct kernel_symbols *kernel_symbols_new(struct context *ctx, const struct image_table *images,
					  const struct symbol_options *o,
					  pthread_mutex_t *conditions)
{
	struct kernel_symbols *k = xcalloc(1, sizeof(*k));

	k->ctx = ctx;
	k->images = images;
	k->o = o;
	k->conditions = conditions;
	pthread_mutex_init(&k->lock, NULL);
	pthread_mutex_init(&k->naming, NULL);
	return k;
}

void kernel_symbols_set_foreign(struct kernel_symbols *k)
{
	k->foreign = true;
}

void kernel_symbols_free(struct kernel_symbols *k)
{
	if (!k)
		return;
	for (int i = 0; i < LISTS; i++) {
		kallsyms_release(&k->lists[i].k);
		free(k->lists[i].path);
	}
	vec_for_each(&k->guests, g) {
		kallsyms_release(&g->list.k);
		free(g->list.path);
	}
	vec_release(&k->guests);
	pthread_mutex_destroy(&k->lock);
	pthread_mutex_destroy(&k->naming);
	free(k);
}

static void say(struct kernel_symbols *k, const char *code, const char *object, const char *hint,
		const char *text)
{
	pthread_mutex_lock(k->conditions);
	condition_add(&k->ctx->conditions, CONDITION_WARNING, code, object, NULL, 1, hint, "%s",
		      text);
	pthread_mutex_unlock(k->conditions);
}

static bool user_gives_list(const struct kernel_symbols *k)
{
	return k->o->kallsyms && k->o->kallsyms[0];
}

static void shift(struct symbol_list *l, u64 delta)
{
	if (!delta)
		return;
	vec_for_each(&l->list, s)
		s->start += delta;
}

/* Returns the address of a symbol in the list, or 0 if it has none. */
static u64 address_of(const struct symbol_list *l, const char *name)
{
	vec_for_each(&l->list, s)
		if (!strcmp(s->name, name))
			return s->start;
	return 0;
}

/*
 * Finds the random shift of that boot: the recorder noted where _text (or _stext) was. Returns
 * false if one of the two is unknown.
 */
static bool find_relocation(const struct image *img, u64 text, u64 stext, u64 *delta)
{
	u64 here = 0;

	if (img->reference_name && !strcmp(img->reference_name, "_text"))
		here = text;
	else if (img->reference_name && !strcmp(img->reference_name, "_stext"))
		here = stext;
	*delta = img->reference_addr - here;
	/* a kernel moves by pages */
	return here && img->reference_addr && !(*delta & 0xfff);
}

static u64 relocation(const struct image *img, u64 text, u64 stext)
{
	u64 delta;

	return find_relocation(img, text, stext, &delta) ? delta : 0;
}

static void settle(struct symbol_list *l)
{
	symbol_list_sort(l);
	symbol_list_extend_ends(l);
	symbol_list_drop_duplicates(l, false);
}

/* vmlinux */

static void say_not_used(struct kernel_symbols *k, const char *option, const char *path,
			 const struct reason *why)
{
	char *text = xasprintf("%s is not used: %s", option, why->text);

	say(k, "vmlinux-not-used", path,
	    why->hint ? why->hint
		      : "give the file with the symbols of the kernel that the samples come from",
	    text);
	free(text);
}

/*
 * Reports whether the list reaches the kernel. Where kernels are in the upper half of addresses, at
 * least one symbol must be there.
 */
static bool reaches_kernel(const struct image *img, const struct symbol_list *l)
{
	const u64 half = (u64)1 << 63;

	if (img->addr < half)
		return true;
	vec_for_each(&l->list, s)
		if (s->start >= half)
			return true;
	return false;
}

static bool use_vmlinux(struct kernel_symbols *k, const char *path, const struct image *img,
			const struct build_id *want, struct symbol_table *t, struct reason *r)
{
	struct symbol_list l = { VEC_INIT };
	struct build_id id = { .size = 0 };

	if (elf_open(path, &t->elf, r))
		return false;
	elf_build_id(t->elf, &id);
	if (want->size && !build_id_equal(&id, want)) {
		reason_set(r, ESTALE, "'%s' is not the kernel that was recorded (build-ids differ)",
			   path);
		goto no;
	}
	elf_symbols_add(&l, &(struct elf_symbol_source){ .object = t->elf,
							 .as_addresses = true,
							 .demangle = k->o->demangle_kernel });
	if (!l.list.count) {
		reason_set(r, ENOENT, "'%s' has no symbols", path);
		goto no;
	}
	if (!reaches_kernel(img, &l)) {
		reason_set(r, EINVAL, "'%s' is not a kernel: its symbols are programs' addresses",
			   path);
		goto no;
	}
	t->shift = relocation(img, address_of(&l, "_text"), address_of(&l, "_stext"));
	shift(&l, t->shift);
	t->source = xstrdup(path);
	t->origin = 'v';
	settle(&l);
	symbol_table_seal(t, &l);
	return true;
no:
	elf_close(t->elf);
	t->elf = NULL;
	vec_release(&l.list);
	return false;
}

/* %s: the release. */
static const char *const vmlinux_paths[] = {
	"vmlinux",
	"/boot/vmlinux",
	"/boot/vmlinux-%s",
	"/usr/lib/debug/boot/vmlinux-%s",
	"/lib/modules/%s/build/vmlinux",
	"/usr/lib/debug/lib/modules/%s/vmlinux",
	"/usr/lib/debug/boot/vmlinux-%s.debug",
};

static char *vmlinux_path(const struct kernel_symbols *k, size_t i, const char *release)
{
	const char *form = vmlinux_paths[i], *mark = strstr(form, "%s");
	const char *symfs = form[0] == '/' ? k->o->symfs : "";

	if (!mark)
		return xasprintf("%s%s", symfs, form);
	return xasprintf("%s%.*s%s%s", symfs, (int)(mark - form), form, release, mark + 2);
}

static bool search_vmlinux(struct kernel_symbols *k, const struct image *img,
			   const struct build_id *want, struct symbol_table *t)
{
	struct utsname u;
	bool found = false;

	/* without a build-id nothing says that a file is of this kernel */
	if (!want->size || uname(&u))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(vmlinux_paths) && !found; i++) {
		char *path = vmlinux_path(k, i, u.release);

		found = !file_access(path, R_OK) && use_vmlinux(k, path, img, want, t, NULL);
		free(path);
	}
	if (!found) {
		char *path = cache_find(k->o->buildid_dir, want, "elf");

		found = path && use_vmlinux(k, path, img, want, t, NULL);
		free(path);
	}
	return found;
}

/* kallsyms */

/* Returns the path of the list to use, "" when there is none; the caller frees it. */
static char *choose_list(struct kernel_symbols *k, const struct build_id *want, struct reason *r)
{
	char hex[41];
	char *path;

	if (user_gives_list(k))
		return xstrdup(k->o->kallsyms);
	path = cache_find(k->o->buildid_dir, want, "kallsyms");
	if (path)
		return path;
	if (k->live_is_right)
		return xstrdup(LIVE_LIST);
	if (want->size)
		reason_set(r, ENOENT,
			   "no kallsyms and no vmlinux of the recorded kernel (build-id %s)",
			   build_id_text(want, hex));
	else if (k->foreign)
		reason_set(
			r, ENOENT,
			"no kallsyms and no vmlinux of the recorded kernel, which is not the one "
			"of this machine");
	else
		reason_set(r, ENOENT, "no kallsyms and no vmlinux of the recorded kernel");
	reason_hint(r, "give them with --kallsyms FILE or --vmlinux FILE");
	return xstrdup("");
}

static void explain_zeros(struct kernel_symbols *k, const char *path)
{
	const char *hint, *why = kallsyms_hidden(path, &hint);
	char *text = xasprintf("kernel functions have no names, for '%s' shows no addresses: %s",
			       path, why);

	say(k, "kernel-addresses-hidden", path, hint, text);
	free(text);
}

/* Takes path over.  map: see kallsyms_map().  False when the list names nothing. */
static bool read_list(struct kernel_list *l, char *path, bool map, struct reason *r)
{
	l->path = path;
	if (!path[0] || (map ? kallsyms_map(path, &l->k, r) : kallsyms_read(path, &l->k, r)))
		return false;
	if (l->k.parts.count == 1 && !kallsyms_part(&l->k, NULL)->symbols.list.count) {
		reason_set(r, EINVAL, "'%s' names no function: it is not a list of kernel symbols",
			   path);
		reason_hint(r,
			    "its lines must look like those of /proc/kallsyms: ADDRESS TYPE NAME");
		return false;
	}
	return !l->k.all_zero;
}

static bool is_useful(const struct kernel_list *l)
{
	return l->path && l->path[0] && l->k.parts.count && !l->k.all_zero;
}

/*
 * Reports whether it is known how far a list must be moved to fit the recorded boot. It is not
 * where the kernel hid its addresses from the recorder.
 */
static bool can_be_moved(const struct kernel_symbols *k, const struct kallsyms *list)
{
	u64 delta;

	for (u32 i = 1; i < image_count(k->images); i++) {
		const struct image *img = image_get(k->images, i);

		if (img->kind == IMAGE_KERNEL && !img->guest &&
		    find_relocation(img, list->text, list->stext, &delta))
			return true;
	}
	return false;
}

static void forget_list(struct kernel_list *l)
{
	kallsyms_release(&l->k);
	free(l->path);
	*l = (struct kernel_list){ .path = NULL };
}

/*
 * Works like read_list(), for the list that choose_list() chose. Those of the cache may be of
 * another boot.
 */
static bool read_chosen(struct kernel_symbols *k, struct kernel_list *l, char *path, bool borrowed,
			struct reason *r)
{
	bool found = read_list(l, path, true, r);

	if (!path[0] || user_gives_list(k) || !strcmp(path, LIVE_LIST) ||
	    (found && can_be_moved(k, &l->k) && (!borrowed || l->k.etext)))
		return found;
	if (!k->live_is_right) {
		if (found) {
			reason_set(
				r, ESTALE,
				"kernel functions have no names: the recording does not say where "
				"the kernel was, "
				"and '%s' may be of another boot",
				path);
			reason_hint(r, "if it is of the recorded boot, give it with --kallsyms");
			kallsyms_release(&l->k);
		}
		return false;
	}
	reason_release(r);
	forget_list(l);
	return read_list(l, xstrdup(LIVE_LIST), true, r);
}

/* Loads the chosen list, once for the kernel and all modules. The caller holds k->lock. */
static void load_chosen(struct kernel_symbols *k, const struct build_id *recorded)
{
	struct kernel_list *l = &k->lists[CHOSEN];
	struct build_id running = { .size = 0 };
	struct reason r = REASON_INIT;
	bool borrowed;

	if (l->path)
		return;
	build_id_of_kernel(NULL, &running, NULL);
	k->live_is_right = !k->o->symfs[0] && !user_gives_list(k) &&
			   (recorded->size ? build_id_equal(recorded, &running) : !k->foreign);
	/* a live session has no build-id of its kernel: it is this one's */
	borrowed = !recorded->size && k->live_is_right;
	if (!read_chosen(k, l, choose_list(k, borrowed ? &running : recorded, &r), borrowed, &r)) {
		if (r.text)
			say(k, "no-kernel-symbols", NULL, r.hint, r.text);
		else if (l->k.all_zero)
			explain_zeros(k, l->path);
	}
	reason_release(&r);
}

/* Loads the running kernel's own list, for modules that a copy of it lacks. */
static void load_live(struct kernel_symbols *k)
{
	struct kernel_list *l = &k->lists[LIVE];

	if (!l->path && k->live_is_right && strcmp(k->lists[CHOSEN].path, LIVE_LIST))
		read_list(l, xstrdup(LIVE_LIST), true, NULL);
}

/* Copies symbols for a separate table. Names that were settled still belong to the list. */
static void copy_symbols(struct kernel_symbols *k, struct symbol_list *l)
{
	pthread_mutex_lock(&k->naming);
	l->list.items = xmemdup(l->list.items, l->list.count * sizeof(*l->list.items));
	pthread_mutex_unlock(&k->naming);
	vec_for_each(&l->list, s) {
		if (s->name_state == NAME_LINE)
			s->name_state = k->o->demangle_kernel ? NAME_MANGLED_LINE : NAME_LINE;
		else
			s->name_state = k->o->demangle_kernel ? NAME_MANGLED : NAME_FINAL;
	}
}

static void take_part(struct kernel_symbols *k, struct kernel_list *from, const char *module,
		      u64 delta, struct symbol_table *t)
{
	struct kallsyms_part *part = is_useful(from) ? kallsyms_part(&from->k, module) : NULL;
	struct symbol_list l;

	if (!part || !part->symbols.list.count)
		return;
	if (!part->sealed) {
		settle(&part->symbols);
		/* usually there is one kernel: its table needs no copy */
		shift(&part->symbols, delta);
		part->moved = delta;
	}
	part->sealed = true;
	l = part->symbols;
	if (delta != part->moved || k->o->demangle_kernel)
		copy_symbols(k, &l);
	shift(&l, delta - part->moved);
	t->source = xstrdup(from->path);
	t->origin = 'k';
	t->list = &from->k;
	t->borrowed = l.list.items == part->symbols.list.items;
	if (t->borrowed)
		t->naming = &k->naming;
	t->demangle_params = k->ctx->verbose > 0;
	symbol_table_seal(t, &l);
}

static bool try_vmlinux(struct kernel_symbols *k, const struct image *img, struct symbol_table *t)
{
	struct build_id want = img->build_id;
	struct reason r = REASON_INIT;

	if (k->o->ignore_vmlinux || user_gives_list(k))
		return false;
	if (k->o->vmlinux && k->o->vmlinux[0]) {
		if (use_vmlinux(k, k->o->vmlinux, img, &want, t, &r))
			return true;
		say_not_used(k, "--vmlinux", k->o->vmlinux, &r);
		reason_release(&r);
	}
	if (!want.size && !k->o->symfs[0] && !k->foreign)
		build_id_of_kernel(NULL, &want, NULL);
	return search_vmlinux(k, img, &want, t);
}

/*
 * Fetches the recorded kernel's vmlinux, when nothing here names its functions and the user allows
 * it.
 */
static void fetch_vmlinux(struct kernel_symbols *k, const struct image *img, struct symbol_table *t)
{
	char *path;

	if (t->count || k->o->ignore_vmlinux ||
	    debug_servers_fetch(k->o->servers, SERVER_DEBUGINFO, &img->build_id, "vmlinux", &path,
				NULL))
		return;
	use_vmlinux(k, path, img, &img->build_id, t, NULL);
	free(path);
}

/* Guests: their lists are where the user says, and not on this machine. */

static char *guest_path(const struct kernel_symbols *k, u32 guest)
{
	if (k->o->guest_kallsyms)
		return xstrdup(k->o->guest_kallsyms);
	if (k->o->guest_mount && guest != UINT32_MAX)
		return xasprintf("%s/%u/proc/kallsyms", k->o->guest_mount, guest);
	return xstrdup("");
}

/* Returns the list of a guest. The caller holds k->lock. */
static const struct kernel_list *guest_list(struct kernel_symbols *k, u32 guest)
{
	struct reason r = REASON_INIT;
	struct guest *g;

	vec_for_each(&k->guests, it)
		if (it->id == guest)
			return &it->list;
	vec_push(&k->guests, (struct guest){ .id = guest });
	g = vec_last(&k->guests);
	if (!read_list(&g->list, guest_path(k, guest), false, &r) && r.text)
		say(k, "no-guest-symbols", g->list.path, r.hint, r.text);
	else if (g->list.path[0] && g->list.k.all_zero)
		explain_zeros(k, g->list.path);
	reason_release(&r);
	return &g->list;
}

/*
 * Takes the symbols of a guest. If its maps were not recorded, the kernel's image is all there is,
 * so it includes the modules.
 */
static void take_guest(const struct kernel_list *from, const struct image *img, const char *module,
		       struct symbol_table *t)
{
	u64 delta = module ? 0 : relocation(img, from->k.text, from->k.stext);
	struct symbol_list all = { VEC_INIT };

	if (!is_useful(from))
		return;
	vec_for_each(&from->k.parts, p) {
		if (module ? !p->module || strcmp(p->module, module) : p->module && img->addr)
			continue;
		vec_for_each(&p->symbols.list, s)
			vec_push(&all.list, *s);
	}
	if (!all.list.count)
		return;
	shift(&all, delta);
	settle(&all);
	t->source = xstrdup(from->path);
	t->origin = 'g';
	symbol_table_seal(t, &all);
}

static void load_guest(struct kernel_symbols *k, const struct image *img, const char *module,
		       struct symbol_table *t)
{
	struct reason r = REASON_INIT;

	if (!module && k->o->guest_vmlinux) {
		if (use_vmlinux(k, k->o->guest_vmlinux, img, &img->build_id, t, &r))
			return;
		say_not_used(k, "--guestvmlinux", k->o->guest_vmlinux, &r);
		reason_release(&r);
	}
	pthread_mutex_lock(&k->lock);
	take_guest(guest_list(k, img->guest), img, module, t);
	pthread_mutex_unlock(&k->lock);
}

/*
 * Returns the build ID of the recorded kernel. Some of its images may have been recorded without
 * one.
 */
static struct build_id kernel_of(const struct kernel_symbols *k)
{
	for (u32 i = 1; i < image_count(k->images); i++) {
		const struct image *img = image_get(k->images, i);

		if (img->kind == IMAGE_KERNEL && !img->guest && img->build_id.size)
			return img->build_id;
	}
	return (struct build_id){ .size = 0 };
}

struct symbol_table *kernel_symbols_load(struct kernel_symbols *k, const struct image *img)
{
	struct symbol_table *t = symbol_table_new();
	struct build_id kernel;

	if (img->guest)
		load_guest(k, img, NULL, t);
	if (img->guest || try_vmlinux(k, img, t))
		return t;
	kernel = kernel_of(k);
	pthread_mutex_lock(&k->lock);
	load_chosen(k, &kernel);
	for (int i = 0; i < LISTS && !t->count; i++) {
		const struct kernel_list *l = &k->lists[i];

		if (i == LIVE)
			load_live(k);
		take_part(k, &k->lists[i], NULL, relocation(img, l->k.text, l->k.stext), t);
	}
	pthread_mutex_unlock(&k->lock);
	fetch_vmlinux(k, img, t);
	return t;
}

/* Returns "ext4" of "[ext4]"; the caller frees it. */
static char *module_name(const struct image *img)
{
	const char *name = img->name[0] == '[' ? img->name + 1 : img->name;

	return xstrndup(name, strcspn(name, "]"));
}

/*
 * Takes the symbols of a module's file, found by its name or in the cache, as laid out where the
 * image begins.
 */
static bool use_module_file(struct kernel_symbols *k, const struct object_search *search,
			    const struct image *img, struct symbol_table *t)
{
	struct object_file object;
	struct symbol_list l = { VEC_INIT };
	struct module_layout layout;

	if (object_open(search, img, -1, &object, NULL))
		return false;
	if (module_layout_read(&layout, object.elf))
		elf_symbols_add(&l, &(struct elf_symbol_source){ .object = object.elf,
								 .demangle = k->o->demangle_kernel,
								 .module = &layout });
	module_layout_release(&layout);
	if (!l.list.count) {
		object_close(&object);
		return false;
	}
	shift(&l, img->addr - MODULE_ORIGIN);
	t->elf = object.elf;
	t->source = object.path;
	t->origin = 'K';
	settle(&l);
	symbol_table_seal(t, &l);
	return true;
}

/*
 * Reports whether the list places the module in the image. One of another boot has it at other
 * addresses.
 */
static bool places_module(struct kernel_list *l, const char *name, const struct image *img)
{
	struct kallsyms_part *part = is_useful(l) ? kallsyms_part(&l->k, name) : NULL;

	if (!part)
		return false;
	if (!img->size)
		return true;
	vec_for_each(&part->symbols.list, s)
		if (s->start - img->addr < img->size)
			return true;
	return false;
}

static void take_module(struct kernel_symbols *k, const char *name, const struct image *img,
			struct symbol_table *t)
{
	struct build_id kernel = kernel_of(k);

	pthread_mutex_lock(&k->lock);
	load_chosen(k, &kernel);
	if (!places_module(&k->lists[CHOSEN], name, img))
		load_live(k);
	for (int i = 0; i < LISTS && !t->count; i++)
		if (places_module(&k->lists[i], name, img))
			take_part(k, &k->lists[i], name, 0, t);
	pthread_mutex_unlock(&k->lock);
}

struct symbol_table *kernel_symbols_load_module(struct kernel_symbols *k,
						const struct object_search *search,
						const struct image *img)
{
	struct symbol_table *t = symbol_table_new();
	char *name = module_name(img);

	if (k->o->modules_given && !k->o->use_modules) {
		/* the user does not want modules to be used */
	} else if (img->guest) {
		load_guest(k, img, name, t);
		if (!t->count)
			use_module_file(k, search, img, t);
	} else {
		if (k->o->use_modules)
			use_module_file(k, search, img, t);
		if (!t->count)
			take_module(k, name, img, t);
		if (!t->count && !k->o->use_modules)
			use_module_file(k, search, img, t);
	}
	free(name);
	return t;
}
