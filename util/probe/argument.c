// SPDX-License-Identifier: GPL-2.0-or-later
/* Turns arguments into the kernel's fetch arguments: by debug information, or unchanged. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/context.h"
#include "base/strbuf.h"
#include "object/elf.h"
#include "probe/places.h"
#include "probe/internal.h"
#include "probe/tracefs.h"

struct builder {
	struct prober *p;
	const struct probe_definition *d;
	const struct probe_place *place; /* NULL without debug information */
	const struct arch *arch;
	bool at_entry;
	struct probe_event *e;
	struct reason *r;
	u64 array_bytes; /* the bytes of arrays that $vars expands to */
};

static char *take(struct strbuf *b)
{
	char *s = b->len ? strbuf_detach(b) : NULL;

	strbuf_release(b);
	return s;
}

/* Warns that a structure is larger than what a probe reads at once. */
static void warn_cut(struct builder *b, const struct probe_argument *a, const char *type, u64 whole)
{
	condition_add(&b->p->ctx->conditions, CONDITION_WARNING, "probe-cut", a->text, NULL, 1,
		      "name one of its members, or give a type",
		      "'%s' has %llu bytes, of which the probe records the first %d", a->text,
		      (unsigned long long)whole, atoi(type + strcspn(type, "0123456789")) / 8);
}

static int by_debuginfo(struct builder *b, const struct probe_argument *a)
{
	struct strbuf name = STRBUF_INIT, fetch = STRBUF_INIT, type = STRBUF_INIT;
	u64 whole = 0;
	int err = probe_fetch_argument(b->p->debug, b->place, a, b->d->point.is_return, NULL, &name,
				       &fetch, &type, &whole, b->r);

	if (!err && whole)
		warn_cut(b, a, strbuf_cstr(&type), whole);
	if (!err)
		vec_push(&b->e->arguments, (struct probe_event_argument){ .name = take(&name),
									  .fetch = take(&fetch),
									  .type = take(&type) });
	strbuf_release(&name);
	strbuf_release(&fetch);
	strbuf_release(&type);
	return err;
}

/* Most bytes of arrays that $vars records: an event has to fit into a page. */
#define MOST_ARRAY_BYTES 1024

/* Returns the size of an array type: "s32[3]" has 12 bytes. 0 if it is not an array. */
static u64 bytes_of_array(const char *type)
{
	const char *array = type ? strchr(type, '[') : NULL;

	return array ? strtoull(type + strcspn(type, "0123456789"), NULL, 10) / 8 *
			       strtoull(array + 1, NULL, 10)
		     : 0;
}

/* Expands $vars and $params. What has no value here is left out. */
static int expand(struct builder *b, const struct probe_argument *a)
{
	struct strlist names = { VEC_INIT };
	int err = probe_variables_expand(b->p->debug, b->place, a->base == PROBE_ALL_PARAMETERS,
					 b->d->point.is_return, &names, b->r);

	vec_for_each(&names.list, it) {
		struct probe_argument one = { .base = PROBE_VARIABLE,
					      .base_name = *it,
					      .text = *it,
					      .of_all = b->array_bytes >= MOST_ARRAY_BYTES };
		size_t count = b->e->arguments.count;

		if (!err)
			err = by_debuginfo(b, &one);
		if (!err && b->e->arguments.count > count)
			b->array_bytes += bytes_of_array(vec_last(&b->e->arguments)->type);
		if (err == -ERANGE || err == -ENOTSUP || err == -ENOENT)
			err = 0;
	}
	strlist_release(&names);
	return err;
}

/* Adds the register that has the function's n-th argument by the ABI. */
static int put_user_argument(struct builder *b, const struct probe_argument *a, struct strbuf *out)
{
	u64 n = (u64)a->number;

	if (!b->at_entry || b->d->point.is_return) {
		reason_set(b->r, EINVAL, "%s is known at a function's entry only", a->text);
		reason_hint(b->r, "name the parameter, or the register it is in");
		return -EINVAL;
	}
	if (!b->arch || !b->arch->argument_regs || n > b->arch->argument_reg_count)
		return reason_set(b->r, EINVAL, "%s is in no register on this architecture",
				  a->text);
	strbuf_str(out, b->arch->probe_regs[b->arch->argument_regs[n - 1]]);
	return 0;
}

/*
 * Adds a register. Its name is checked here: the kernel has no error log before 5.1, and -n and -D
 * do not ask the kernel.
 */
static int put_register(struct builder *b, const struct probe_argument *a, struct strbuf *out)
{
	char *name = xasprintf("%%%s", a->base_name);
	const struct arch *arch = b->arch, *host = arch_host();
	bool known = !arch || arch_has_probe_reg(arch, name) ||
		     (host->compat == arch && arch_has_probe_reg(host, name));
	struct strbuf names = STRBUF_INIT;

	if (known) {
		strbuf_str(out, name);
		free(name);
		return 0;
	}
	reason_set(b->r, EINVAL, "%s has no register '%s' that a probe can read", arch->name, name);
	for (unsigned i = 0; i < arch->probe_reg_count; i++)
		if (arch->probe_regs[i] && arch->probe_regs[i][0] == '%')
			strbuf_f(&names, " %s", arch->probe_regs[i]);
	for (const char *const *more = arch->probe_more_regs; more && *more; more++)
		strbuf_f(&names, " %s", *more);
	reason_hint(b->r, "its registers:%s", strbuf_cstr(&names));
	strbuf_release(&names);
	free(name);
	return -EINVAL;
}

static int put_base(struct builder *b, const struct probe_argument *a, struct strbuf *out)
{
	bool user = b->d->target.kind == PROBE_USER;

	switch (a->base) {
	case PROBE_REGISTER:
		return put_register(b, a, out);
	case PROBE_RETVAL:
		if (!b->d->point.is_return) {
			reason_set(b->r, EINVAL,
				   "$retval is known where the function returns only");
			reason_hint(b->r, "'FUNCTION%%return $retval'");
			return -EINVAL;
		}
		strbuf_str(out, "$retval");
		break;
	case PROBE_STACK:
		strbuf_str(out, "$stack");
		break;
	case PROBE_STACK_ENTRY:
		strbuf_f(out, "$stack%lld", (long long)a->number);
		break;
	case PROBE_ARGUMENT:
		if (user)
			return put_user_argument(b, a, out);
		strbuf_f(out, "$arg%lld", (long long)a->number);
		break;
	case PROBE_COMM:
		strbuf_str(out, "$comm");
		break;
	case PROBE_ADDRESS:
		strbuf_f(out, "@0x%llx", (unsigned long long)a->number);
		break;
	case PROBE_SYMBOL:
		if (user) {
			reason_set(b->r, EINVAL, "%s: a symbol is for kernel probes only", a->text);
			reason_hint(
				b->r,
				"a program's global variable goes by its name alone, with debug "
				"information");
			return -EINVAL;
		}
		strbuf_f(out, "@%s", a->base_name);
		if (a->number)
			strbuf_f(out, "%+lld", (long long)a->number);
		break;
	case PROBE_FILE_OFFSET:
		if (!user)
			return reason_set(b->r, EINVAL,
					  "%s: an offset in a file is for programs only", a->text);
		strbuf_f(out, "@+0x%llx", (unsigned long long)a->number);
		break;
	case PROBE_IMMEDIATE:
		strbuf_f(out, "\\%lld", (long long)a->number);
		break;
	case PROBE_TEXT:
		strbuf_f(out, "\\\"%s\"", a->base_name);
		break;
	default:
		return reason_set(b->r, EINVAL, "'%s' needs debug information", a->text);
	}
	return 0;
}

static void put_open(const struct probe_argument *a, struct strbuf *out)
{
	for (size_t i = a->steps.count; i--;) {
		const struct probe_step *s = &a->steps.items[i];

		strbuf_f(out, "%c%s%llu(", s->first < 0 ? '-' : '+', s->user || a->user ? "u" : "",
			 (unsigned long long)(s->first < 0 ? -s->first : s->first));
	}
}

/* Checks that the kernel's README has the word of a type. */
static int check_type(struct builder *b, const char *type)
{
	static const char *const words[] = { "ustring", "symstr", "%pd", "%pD", "char" };
	bool user = b->d->target.kind == PROBE_USER;
	struct probe_tracefs *t;

	if (user && (!strcmp(type, "symbol") || !strcmp(type, "symstr") || *type == '%'))
		return reason_set(b->r, EINVAL, "type '%s' is for kernel probes only", type);
	if (b->p->s.offline || prober_tracefs(b->p, &t, NULL))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(type, words[i]) && !probe_tracefs_knows(t, words[i]))
			return reason_set(b->r, EOPNOTSUPP,
					  "this kernel does not know the type '%s'", type);
	return 0;
}

/*
 * Returns the type as given, which the caller frees. "x" alone is the machine's word here: nothing
 * gives another size.
 */
static char *raw_type(const struct builder *b, const struct probe_argument *a)
{
	struct strbuf t = STRBUF_INIT;

	if (!a->type)
		return NULL;
	strbuf_str(&t, a->type);
	if (!strcmp(a->type, "u") || !strcmp(a->type, "s") || !strcmp(a->type, "x"))
		strbuf_f(&t, "%u", b->arch ? b->arch->bits : 64);
	if (a->array)
		strbuf_f(&t, "[%u]", a->array);
	return strbuf_detach(&t);
}

/*
 * Reports whether the register or word has the address of a string in memory, from which the kernel
 * reads it.
 */
static bool is_text_address(const struct probe_argument *a)
{
	return !a->steps.count && !a->array && a->type &&
	       (!strcmp(a->type, "string") || !strcmp(a->type, "ustring")) &&
	       (a->base == PROBE_REGISTER || a->base == PROBE_RETVAL || a->base == PROBE_ARGUMENT ||
		a->base == PROBE_STACK || a->base == PROBE_STACK_ENTRY);
}

static int check_array(struct builder *b, const struct probe_argument *a)
{
	if (!a->array || a->steps.count || a->base == PROBE_ADDRESS || a->base == PROBE_SYMBOL ||
	    a->base == PROBE_FILE_OFFSET)
		return 0;
	probe_refuse_array(a, b->r);
	if (a->base != PROBE_COMM && a->base != PROBE_TEXT && a->base != PROBE_IMMEDIATE)
		reason_hint(b->r, "+0(%s):%s[%u] reads an array at the address in %s", a->text,
			    a->type, a->array, a->text);
	return -EINVAL;
}

static int as_it_stands(struct builder *b, const struct probe_argument *a)
{
	struct strbuf fetch = STRBUF_INIT;
	bool text = is_text_address(a);
	int err = check_array(b, a);

	if (err)
		return err;
	if (text)
		strbuf_f(&fetch, "+%s0(", a->user ? "u" : "");
	put_open(a, &fetch);
	err = put_base(b, a, &fetch);
	strbuf_pad(&fetch, ')', (int)a->steps.count + text);
	if (!err)
		vec_push(&b->e->arguments,
			 (struct probe_event_argument){ .name = a->name ? xstrdup(a->name) : NULL,
							.fetch = strbuf_detach(&fetch),
							.type = raw_type(b, a) });
	strbuf_release(&fetch);
	return err;
}

/*
 * Adds what the function returns, as its declaration says. Returns 1 if done, 0 if nothing is known
 * about it, so it is the register, or -ENOTSUP if it is not in that register.
 */
static int typed_retval(struct builder *b, const struct probe_argument *a)
{
	struct strbuf name = STRBUF_INIT, fetch = STRBUF_INIT, type = STRBUF_INIT;
	u64 whole = 0;
	int err;

	if (a->base != PROBE_RETVAL || a->type || a->steps.count || !b->place ||
	    !b->d->point.is_return)
		return 0;
	err = probe_fetch_argument(b->p->debug, b->place, a, true, NULL, &name, &fetch, &type,
				   &whole, b->r);
	if (!err && whole)
		warn_cut(b, a, strbuf_cstr(&type), whole);
	if (!err)
		vec_push(&b->e->arguments,
			 (struct probe_event_argument){ .name = a->name ? xstrdup(a->name) : NULL,
							.fetch = take(&fetch),
							.type = take(&type) });
	strbuf_release(&name);
	strbuf_release(&fetch);
	strbuf_release(&type);
	return err ? err : 1;
}

static int add_argument(struct builder *b, const struct probe_argument *a)
{
	int err = a->type ? check_type(b, a->type) : 0;

	if (err)
		return err;
	if (a->base == PROBE_ALL_VARIABLES || a->base == PROBE_ALL_PARAMETERS)
		return b->place ? expand(b, a)
				: reason_set(b->r, ENODATA, "%s needs debug information", a->text);
	err = typed_retval(b, a);
	if (err)
		return MIN(err, 0);
	if (probe_argument_is_raw(a))
		return as_it_stands(b, a);
	return b->place ? by_debuginfo(b, a)
			: reason_set(b->r, ENODATA, "variable '%s' needs debug information",
				     a->text);
}

/*
 * Makes names of fields distinct ("n", "n_1"), since two with one name could not be distinguished.
 */
static void make_names_distinct(struct probe_event *e)
{
	for (size_t i = 1; i < e->arguments.count; i++) {
		struct probe_event_argument *a = &e->arguments.items[i];
		char *base = a->name ? xstrdup(a->name) : NULL;
		unsigned n = 1;

		for (size_t j = 0; base && j < i; j++) {
			const char *other = e->arguments.items[j].name;

			if (!other || strcmp(other, a->name))
				continue;
			free(a->name);
			a->name = xasprintf("%s_%u", base, n++);
			j = (size_t)-1; /* the new name may also be taken */
		}
		free(base);
	}
}

/* Returns the architecture of the probed file or, for the running kernel, of the host. */
static const struct arch *target_arch(const struct prober *p, const struct probe_definition *d,
				      const struct probe_event *e)
{
	bool is_file = d->target.kind == PROBE_MODULE && strchr(d->target.name, '/');
	const char *file = is_file ? d->target.name : p->s.vmlinux;
	const struct arch *arch = NULL;
	struct elf *elf;
	char *read;

	if (!e->path && !file)
		return arch_host();
	read = e->path ? xasprintf("%s%s", p->s.symfs, e->path) : xstrdup(file);

	if (!elf_open(read, &elf, NULL)) {
		arch = arch_by_elf(elf_machine(elf), elf_is_64(elf),
				   elf_is_swapped(elf) ^ (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__));
		elf_close(elf);
	}
	free(read);
	return arch;
}

int prober_arguments(struct prober *p, const struct probe_definition *d,
		     const struct probe_place *place, bool at_entry, struct probe_event *e,
		     struct reason *r)
{
	struct builder b = { .p = p, .d = d, .place = place, .at_entry = at_entry, .e = e, .r = r };
	int err = 0;

	if (!d->arguments.count)
		return 0;
	b.arch = target_arch(p, d, e);
	vec_for_each(&d->arguments, a)
		if (!err)
			err = add_argument(&b, a);
	if (!err && e->arguments.count > 128)
		err = reason_set(r, E2BIG, "a probe has at most 128 arguments, not %zu",
				 e->arguments.count);
	make_names_distinct(e);
	return err;
}
