// SPDX-License-Identifier: GPL-2.0-or-later
/* Single values of samples, for columns and groups: numbers, or numbers that name texts. */
#include "module.h"

#include <stddef.h>
#include <string.h>

#include "tracepoint/tracepoint.h"

static const struct value_of known[] = {
	{ "time", VALUE_NUMBER, offsetof(struct sample, id.time), 8, 0, 0, 0 },
	{ "pid", VALUE_SIGNED, offsetof(struct sample, id.pid), 4, 0, 0, 0 },
	{ "tid", VALUE_SIGNED, offsetof(struct sample, id.tid), 4, 0, 0, 0 },
	{ "cpu", VALUE_SIGNED, offsetof(struct sample, id.cpu), 4, 0, 0, 0 },
	{ "id", VALUE_NUMBER, offsetof(struct sample, id.id), 8, 0, 0, 0 },
	{ "period", VALUE_NUMBER, offsetof(struct sample, period), 8, 0, 0, 0 },
	{ "ip", VALUE_NUMBER, offsetof(struct sample, ip), 8, 0, 0, 0 },
	{ "addr", VALUE_NUMBER, offsetof(struct sample, addr), 8, 0, 0, 0 },
	{ "phys_addr", VALUE_NUMBER, offsetof(struct sample, phys_addr), 8, 0, 0, 0 },
	{ "weight", VALUE_NUMBER, offsetof(struct sample, weight), 8, 0, 0, 0 },
	{ "ins_lat", VALUE_NUMBER, offsetof(struct sample, ins_lat), 2, 0, 0, 0 },
	{ "retire_lat", VALUE_NUMBER, offsetof(struct sample, p_stage_cyc), 2, 0, 0, 0 },
	{ "data_src", VALUE_NUMBER, offsetof(struct sample, data_src), 8, 0, 0, 0 },
	{ "mode", VALUE_MODE, offsetof(struct sample, cpumode), 1, 0, 0, 0 },
	{ "comm", VALUE_COMM, 0, 0, 0, 0, 1 },
	{ "event", VALUE_EVENT, 0, 0, 0, 0, 0 },
	{ "sym", VALUE_SYMBOL, 0, 0, 0, 1, 1 },
	{ "dso", VALUE_DSO, 0, 0, 0, 1, 1 },
};

bool value_find(const char *name, struct value_of *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(known[i].name, name)) {
			*out = known[i];
			return true;
		}
	/* a field of tracepoints; only their samples show which events have it */
	*out = (struct value_of){ .name = name, .kind = VALUE_TEXT, .is_field = true };
	return true;
}

/*
 * Checks that the value is a field of some event of the file, and sets its kind; otherwise raises a
 * ValueError.
 */
bool value_settle(struct run *r, struct value_of *v)
{
	const struct tracepoint_formats *formats;

	if (!v->is_field)
		return true;
	formats = data_tracepoints(session_data(r->session), NULL);
	vec_for_each(&session_events(r->session)->list, ev) {
		const struct tracepoint_format *t =
			!formats || !event_is_tracepoint(*ev) ? NULL
			: (*ev)->format                       ? (*ev)->format
					: tracepoint_by_id(formats, (u32)(*ev)->attr.config);
		const struct tracepoint_field *f = t ? tracepoint_field(t, v->name) : NULL;

		if (!f)
			continue;
		if (!(f->flags & (FIELD_STRING | FIELD_ARRAY | FIELD_DYNAMIC)))
			v->kind = f->flags & FIELD_SIGNED ? VALUE_SIGNED : VALUE_NUMBER;
		return true;
	}
	PyErr_Format(PyExc_ValueError,
		     "'%s' is neither a field of samples nor one of a tracepoint in this recording",
		     v->name);
	return false;
}

static u64 number_at(const struct sample *s, const struct value_of *v)
{
	const u8 *at = (const u8 *)s + v->at;

	switch (v->size) {
	case 8:
		return *(const u64 *)at;
	case 4:
		return (u64)(s64) * (const s32 *)at;
	case 2:
		return *(const u16 *)at;
	default:
		return *at;
	}
}

static u64 field_value(struct run *r, const struct value_of *v, const struct sample *s,
		       struct strtab *texts)
{
	const struct tracepoint_formats *formats = data_tracepoints(session_data(r->session), NULL);
	const struct tracepoint_format *t =
		!event_is_tracepoint(s->event) || !s->raw ? NULL
		: s->event->format                        ? s->event->format
				   : tracepoint_by_id(formats, (u32)s->event->attr.config);
	const struct tracepoint_field *f = t ? tracepoint_field(t, v->name) : NULL;
	const char *bytes;
	u64 value = 0;
	u32 len;

	if (!f)
		return 0;
	if (v->kind != VALUE_TEXT)
		return tracepoint_get_int(formats, f, s->raw, s->raw_size, &value) ? value : 0;
	bytes = tracepoint_get_bytes(formats, f, s->raw, s->raw_size, &len);
	return bytes ? strtab_add_n(texts, bytes, strnlen(bytes, len)) : 0;
}

u64 value_get(struct run *r, const struct value_of *v, const struct session_sample *ss,
	      struct strtab *texts)
{
	const struct symbol_table *t;
	u32 number;

	if (v->size)
		return number_at(ss->sample, v);
	if (v->is_field)
		return field_value(r, v, ss->sample, texts);
	switch (v->kind) {
	case VALUE_COMM:
		return ss->comm;
	case VALUE_EVENT:
		return ss->sample->event->index;
	case VALUE_DSO:
		return ss->leaf.image;
	default:
		break;
	}
	if (!ss->leaf.image)
		return 0;
	t = symbols_of(session_symbols(r->session), ss->leaf.image);
	number = symbol_find(t, ss->leaf.offset);
	return number == NO_SYMBOL ? 0 : (u64)ss->leaf.image << 32 | (number + 1);
}

static PyObject *symbol_object(struct run *r, u64 value)
{
	u32 image = (u32)(value >> 32);

	if (!value)
		return Py_NewRef(Py_None);
	return run_symbol(
		r, image,
		symbol_get(symbols_of(session_symbols(r->session), image), (u32)value - 1)->start,
		NULL);
}

PyObject *value_object(struct run *r, const struct value_of *v, u64 value,
		       const struct strtab *texts)
{
	static const char *const modes[] = { "unknown",    "kernel",       "user",
					     "hypervisor", "guest_kernel", "guest_user" };

	switch (v->kind) {
	case VALUE_NUMBER:
		return PyLong_FromUnsignedLongLong(value);
	case VALUE_SIGNED:
		return PyLong_FromLongLong((s64)value);
	case VALUE_COMM:
		return run_comm(r, (u32)value);
	case VALUE_EVENT:
		return run_event(r, session_events(r->session)->list.items[value]);
	case VALUE_DSO:
		return run_dso(r, (u32)value);
	case VALUE_SYMBOL:
		return symbol_object(r, value);
	case VALUE_MODE:
		return PyUnicode_InternFromString(modes[value < ARRAY_SIZE(modes) ? value : 0]);
	default:
		return text_object(strtab_get(texts, (u32)value));
	}
}
