// SPDX-License-Identifier: GPL-2.0-or-later
/* Perf::Trace::Context, and exit(), which in a handler ends the run and not the process. */
#include "engine.h"

#include <stdlib.h>

static struct engine *engine_of(CV *cv)
{
	return CvXSUBANY(cv).any_ptr;
}

/*
 * Returns the engine of a context, or croaks. The context that handlers receive is the engine's
 * address, as in perf.
 */
static struct engine *checked(pTHX_ CV *cv, SV *context)
{
	struct engine *e = engine_of(cv);

	if (!SvIOK(context) || SvIV(context) != PTR2IV(e))
		croak("this is not a context of perf");
	if (!e->now)
		croak("there is no event at the moment: ask inside a handler");
	return e;
}

#define COMMON(function, which)                                                                    \
	static XS(function)                                                                        \
	{                                                                                          \
		dXSARGS;                                                                           \
		struct engine *e;                                                                  \
                                                                                                   \
		if (items != 1)                                                                    \
			croak_xs_usage(cv, "context");                                             \
		e = checked(aTHX_ cv, ST(0));                                                      \
		ST(0) = sv_2mortal(newSViv(e->host->common(e->host->arg, which)));                 \
		XSRETURN(1);                                                                       \
	}
COMMON(common_pc, ENGINE_PREEMPT_COUNT)
COMMON(common_flags, ENGINE_FLAGS)
COMMON(common_lock_depth, ENGINE_LOCK_DEPTH)

static XS(syscall_name)
{
	dXSARGS;
	struct engine *e = engine_of(cv);
	const char *name;

	if (items != 1)
		croak_xs_usage(cv, "number");
	name = e->host->syscall_name(e->host->arg, SvUV(ST(0)));
	ST(0) = name ? sv_2mortal(newSVpv(name, 0)) : &PL_sv_undef;
	XSRETURN(1);
}

/* Context.pm of other perfs loads its functions: they are there already. */
static XS(bootstrap)
{
	dXSARGS;

	PERL_UNUSED_VAR(items);
	XSRETURN_YES;
}

static XS(script_exit)
{
	dXSARGS;
	struct engine *e = engine_of(cv);

	e->status = items ? (int)SvIV(ST(0)) & 0xff : 0;
	e->exited = true;
	if (e->in_handler)
		croak("exit\n"); /* out of the handler; perl_call() looks at exited */
	my_exit((U32)e->status);
}

static CV *define(pTHX_ const char *name, XSUBADDR_t function, struct engine *e)
{
	CV *cv = newXS(name, function, __FILE__);

	CvXSUBANY(cv).any_ptr = e;
	return cv;
}

void context_define(pTHX_ struct engine *e)
{
	GV *gv;

	define(aTHX_ "Perf::Trace::Context::bootstrap", bootstrap, e);
	define(aTHX_ "Perf::Trace::Context::common_pc", common_pc, e);
	define(aTHX_ "Perf::Trace::Context::common_flags", common_flags, e);
	define(aTHX_ "Perf::Trace::Context::common_lock_depth", common_lock_depth, e);
	define(aTHX_ "Perf::Trace::Context::syscall_name", syscall_name, e);
	define(aTHX_ "CORE::GLOBAL::exit", script_exit, e);
	gv = gv_fetchpv("CORE::GLOBAL::exit", GV_ADD, SVt_PVCV);
	GvIMPORTED_CV_on(gv); /* without this flag the word stays Perl's own function */
}
