// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which function of the script gets what.
 *
 * A tracepoint SYSTEM:EVENT calls SYSTEM::EVENT(event_name, context, cpu, secs, nsecs, pid, comm,
 * call chain, its fields ...), or main::trace_unhandled with the same.  process_event() gets each
 * sample, as bytes.
 *
 * SYSTEM and EVENT come from the recording.  So they call only functions that the script's own file
 * defines, and none in main, where those are that the script calls itself.
 */
#include "engine.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- events ---- */

/*
 * Reports whether a script may handle the event. CORE is Perl's own functions: a look-up there
 * makes a function of what was only an operator.
 */
static bool may_be_handled(const struct engine_event *ev)
{
	return field_names_handler(ev->system) && field_names_handler(ev->tracepoint) &&
	       strcmp(ev->system, "CORE") != 0 && strcmp(ev->system, "main") != 0;
}

/* Returns the function that the script defines for an event, or NULL. */
static CV *handler_of(const struct engine *e, const struct event_names *names)
{
	CV *function = names->place ? GvCV(names->place) : NULL;

	if (!function || CvISXSUB(function) || !CvFILE(function) ||
	    strcmp(CvFILE(function), e->script) != 0)
		return NULL;
	return function;
}

static struct event_names *names_of(struct engine *e, const struct engine_event *ev)
{
	struct event_names *n;

	if (ev->index >= e->event_count) {
		uint32_t count = ev->index + 8;
		struct event_names *more = realloc(e->events, count * sizeof(*more));

		if (!more)
			return NULL;
		memset(more + e->event_count, 0, (count - e->event_count) * sizeof(*more));
		e->events = more;
		e->event_count = count;
	}
	n = &e->events[ev->index];
	if (n->event)
		return n;
	n->event = ev;
	if (asprintf(&n->handler, "%s::%s", ev->system ? ev->system : "main",
		     ev->tracepoint ? ev->tracepoint : "") < 0)
		n->handler = NULL;
	if (n->handler && may_be_handled(ev))
		n->place = gv_fetchpv(n->handler, GV_ADD, SVt_PVCV);
	return n->handler ? n : NULL;
}

void handlers_release(struct engine *e)
{
	for (uint32_t i = 0; i < e->event_count; i++)
		free(e->events[i].handler);
	free(e->events);
}

/* ---- names of values ---- */

static int define(struct engine *e, const char *name, const char *event,
		  const struct engine_naming *n, const struct engine_value *value)
{
	CV *function = perl_function(name);
	int answer;
	dSP;

	if (!function)
		return ENGINE_GO_ON;
	ENTER;
	SAVETMPS;
	PUSHMARK(SP);
	mXPUSHs(newSVpv(event, 0));
	mXPUSHs(newSVpv(n->field, 0));
	if (value) {
		mXPUSHs(newSVuv(value->value));
		mXPUSHs(newSVpv(value->text, 0));
	} else if (n->delimiter) {
		mXPUSHs(newSVpv(n->delimiter, 0));
	}
	PUTBACK;
	answer = perl_call(e, function, G_DISCARD);
	FREETMPS;
	LEAVE;
	return answer;
}

static int tell_namings(struct engine *e, struct event_names *names)
{
	int answer = ENGINE_GO_ON;

	names->told = true;
	for (uint32_t i = 0; i < names->event->naming_count; i++) {
		const struct engine_naming *n = &names->event->namings[i];
		bool flags = n->delimiter;

		answer =
			define(e, flags ? "main::define_flag_field" : "main::define_symbolic_field",
			       names->handler, n, NULL);
		for (uint32_t v = 0; answer == ENGINE_GO_ON && v < n->count; v++)
			answer = define(e,
					flags ? "main::define_flag_value"
					      : "main::define_symbolic_value",
					names->handler, n, &n->values[v]);
		if (answer != ENGINE_GO_ON)
			break;
	}
	return answer;
}

/* ---- arguments ---- */

static SV *frame_hash(const struct engine_frame *f)
{
	HV *hash = newHV(), *sym;

	(void)hv_stores(hash, "ip", newSVuv(f->ip));
	if (f->symbol) {
		sym = newHV();
		(void)hv_stores(sym, "start", newSVuv(f->start));
		(void)hv_stores(sym, "end", newSVuv(f->end));
		(void)hv_stores(sym, "binding", newSVuv(f->binding));
		(void)hv_stores(sym, "name", newSVpv(f->symbol, 0));
		(void)hv_stores(hash, "sym", newRV_noinc((SV *)sym));
	}
	if (f->dso)
		(void)hv_stores(hash, "dso", newSVpv(f->dso, 0));
	return newRV_noinc((SV *)hash);
}

static SV *chain_array(struct engine *e)
{
	const struct engine_frame *frames;
	uint32_t count = e->host->chain(e->host->arg, &frames);
	AV *list = newAV();

	for (uint32_t i = 0; i < count; i++)
		av_push(list, frame_hash(&frames[i]));
	return newRV_noinc((SV *)list);
}

/* Returns the value of a field: text up to its NUL, other arrays as their bytes. */
static SV *field_value(struct engine *e, const struct engine_field *f,
		       const struct engine_sample *s)
{
	uint32_t len;
	const uint8_t *p;
	uint64_t v;

	if (!(f->flags & (ENGINE_ARRAY | ENGINE_STRING))) {
		v = field_number(f, s->raw, e->host->swap);
		return f->flags & ENGINE_SIGNED ? newSViv((IV)v) : newSVuv(v);
	}
	p = field_bytes(f, s, e->host->swap, &len);
	if (f->flags & ENGINE_STRING)
		len = (uint32_t)strnlen((const char *)p, len);
	return newSVpvn((const char *)p, len);
}

static int tracepoint(struct engine *e, const struct engine_sample *s)
{
	struct event_names *names = names_of(e, s->event);
	CV *function = NULL;
	int answer = ENGINE_GO_ON;
	dSP;

	if (!names)
		return ENGINE_FAILED;
	if (!names->told)
		answer = tell_namings(e, names);
	function = handler_of(e, names);
	if (!function && e->unhandled)
		function = GvCV(e->unhandled);
	if (answer != ENGINE_GO_ON || !function)
		return answer;
	SPAGAIN; /* the calls above can have moved Perl's stack */
	ENTER;
	SAVETMPS;
	PUSHMARK(SP);
	mXPUSHs(newSVpv(names->handler, 0));
	mXPUSHs(newSViv(PTR2IV(e)));
	mXPUSHs(newSVuv(s->cpu));
	mXPUSHs(newSVuv(s->time / 1000000000));
	mXPUSHs(newSVuv(s->time % 1000000000));
	mXPUSHs(newSViv(s->common_pid));
	mXPUSHs(newSVpv(s->comm, 0));
	mXPUSHs(chain_array(e));
	for (uint32_t i = 0; i < s->event->field_count; i++)
		mXPUSHs(field_value(e, &s->event->fields[i], s));
	PUTBACK;
	answer = perl_call(e, function, G_DISCARD);
	FREETMPS;
	LEAVE;
	return answer;
}

/* The sample's numbers, as documented in perf-script-perl(1). */
struct sample_numbers {
	uint32_t pid, tid;
	uint64_t ip, time, addr, id, stream_id, period;
	uint32_t cpu;
};

static int general(struct engine *e, const struct engine_sample *s)
{
	const struct sample_numbers numbers = {
		.pid = s->pid,
		.tid = s->tid,
		.ip = s->ip,
		.time = s->time,
		.addr = s->addr,
		.id = s->id,
		.stream_id = s->stream_id,
		.period = s->period,
		.cpu = s->cpu,
	};
	CV *function = e->general ? GvCV(e->general) : NULL;
	int answer;
	dSP;

	if (!function)
		return ENGINE_GO_ON;
	ENTER;
	SAVETMPS;
	PUSHMARK(SP);
	mXPUSHs(newSVpvn((const char *)s->record, s->record_size));
	mXPUSHs(newSVpvn(s->event->attr, s->event->attr_size));
	mXPUSHs(newSVpvn((const char *)&numbers, sizeof(numbers)));
	mXPUSHs(newSVpvn((const char *)s->raw, s->raw_size));
	PUTBACK;
	answer = perl_call(e, function, G_DISCARD);
	FREETMPS;
	LEAVE;
	return answer;
}

int handlers_sample(struct engine *e, const struct engine_sample *s)
{
	int answer = s->event->is_tracepoint ? tracepoint(e, s) : ENGINE_GO_ON;

	return answer == ENGINE_GO_ON ? general(e, s) : answer;
}
