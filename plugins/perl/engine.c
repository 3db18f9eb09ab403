// SPDX-License-Identifier: GPL-2.0-or-later
/* The interpreter: begun with a script, ended with trace_end. */
#include "engine.h"

#include <stdlib.h>

void boot_DynaLoader(pTHX_ CV *cv);

/* The engine that perl_parse() is starting: Perl gives its callback no argument. */
static struct engine *starting;

static void define_functions(pTHX)
{
	static const char file[] = __FILE__;

	newXS("DynaLoader::boot_DynaLoader", boot_DynaLoader, file);
	context_define(aTHX_ starting);
}

static int call_plain(struct engine *e, const char *name)
{
	CV *function = perl_function(name);
	int answer;
	dSP;

	if (!function)
		return ENGINE_GO_ON;
	ENTER;
	SAVETMPS;
	PUSHMARK(SP);
	answer = perl_call(e, function, G_DISCARD | G_NOARGS);
	FREETMPS;
	LEAVE;
	return answer;
}

/* Perl keeps for each handle that a write to it failed, but its print() is hardly ever asked. */
static XS(flush_output)
{
	struct engine *e = XSANY.any_ptr;
	PerlIO *out = PerlIO_stdout();
	dXSARGS;

	PERL_UNUSED_VAR(items);
	if (out && *out && PerlIO_flush(out))
		e->unwritten = strerror(errno);
	else if (out && *out && PerlIO_error(out))
		e->unwritten = "an earlier write failed";
	XSRETURN_EMPTY;
}

/* Registers the flushing of output after the script's END blocks, which also print. */
static void flush_at_the_end(struct engine *e)
{
	CV *last = newXS(NULL, flush_output, __FILE__);

	CvXSUBANY(last).any_ptr = e;
	if (!PL_endav)
		PL_endav = newAV();
	av_push(PL_endav, (SV *)last);
}

static int finish(struct engine *e, int answer)
{
	handlers_release(e);
	flush_at_the_end(e);
	PL_perl_destruct_level = 1;
	perl_destruct(e->perl);
	if (e->unwritten) {
		fprintf(stderr, "error: cannot write to standard output: %s\n", e->unwritten);
		answer = answer > ENGINE_FAILED ? answer : ENGINE_FAILED;
	}
	perl_free(e->perl);
	free(e);
	return answer;
}

/*
 * Loads the script. Perl takes the arguments of its command line: no options, the script, then the
 * script's.
 */
static int load(struct engine *e, const char *script, int argc, const char *const *argv)
{
	char **args = calloc((size_t)argc + 4, sizeof(*args));
	int status;

	if (!args)
		return ENGINE_FAILED;
	args[0] = (char *)(uintptr_t) "perf";
	args[1] = (char *)(uintptr_t) "--"; /* a script may be called -x */
	args[2] = (char *)(uintptr_t)script;
	for (int i = 0; i < argc; i++)
		args[i + 3] = (char *)(uintptr_t)argv[i];
	starting = e;
	status = perl_parse(e->perl, define_functions, argc + 3, args, NULL);
	starting = NULL;
	if (!status)
		status = perl_run(e->perl);
	free(args);
	if (e->exited)
		return e->status ? ENGINE_FAILED + e->status - 1 : ENGINE_DONE;
	return status ? ENGINE_FAILED : ENGINE_GO_ON; /* Perl has said why */
}

static int start(const struct engine_host *host, const char *script, int argc,
		 const char *const *argv, void **state)
{
	static bool initialized;
	struct engine *e = calloc(1, sizeof(*e));
	int answer;

	*state = NULL;
	if (!e)
		return ENGINE_FAILED;
	if (!initialized) {
		int none = 0;
		char **nothing = NULL, **environment = environ;

		PERL_SYS_INIT3(&none, &nothing, &environment);
		initialized = true;
	}
	e->host = host;
	e->script = script;
	e->perl = perl_alloc();
	PERL_SET_CONTEXT(e->perl);
	perl_construct(e->perl);
	PL_exit_flags |= PERL_EXIT_DESTRUCT_END;
	answer = load(e, script, argc, argv);
	e->unhandled = gv_fetchpv("main::trace_unhandled", GV_ADD, SVt_PVCV);
	e->general = gv_fetchpv("main::process_event", GV_ADD, SVt_PVCV);
	if (answer == ENGINE_GO_ON)
		answer = call_plain(e, "main::trace_begin");
	if (answer != ENGINE_GO_ON)
		return finish(e, answer);
	*state = e;
	return ENGINE_GO_ON;
}

static int sample(void *state, const struct engine_sample *s)
{
	struct engine *e = state;
	int answer;

	e->now = s;
	answer = handlers_sample(e, s);
	e->now = NULL;
	return answer;
}

/* Ignores the record: Perl scripts get only samples, as in perf 6.1. */
static int record(void *state, const struct engine_record *r)
{
	(void)state;
	(void)r;
	return ENGINE_GO_ON;
}

static int stop(void *state, bool run_end)
{
	struct engine *e = state;

	return finish(e, run_end ? call_plain(e, "main::trace_end") : ENGINE_GO_ON);
}

ENGINE_EXPORT const struct engine_plugin perf_engine;
const struct engine_plugin perf_engine = {
	.interface = ENGINE_INTERFACE,
	.size = sizeof(perf_engine),
	.language = "Perl " PERL_VERSION_STRING,
	.start = start,
	.sample = sample,
	.record = record,
	.stop = stop,
};
