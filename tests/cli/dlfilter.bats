#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs beside others: it reads files, or records what it starts itself.
# perf script --dlfilter: filters see what other perfs show them, and do what they do there.

load rival

bats_require_minimum_version 1.5.0

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	top=$BATS_TEST_DIRNAME/../..
	cat >w.c <<-'EOF'
		volatile long sink;
		/* one product after the other: about as long on each CPU */
		__attribute__((noinline)) void leaf(int n) { for (int i = 0; i < n; i++) sink = sink * 6364136223846793005 + i; }
		__attribute__((noinline)) void memorable(int n) { for (int i = 0; i < n; i++) sink = sink * 6364136223846793005 ^ i; }
		int main(void)
		{
			for (int i = 0; i < 600; i++) { leaf(30000); memorable(30000); }
			return 0;
		}
	EOF
	gcc -O1 -g -fno-omit-frame-pointer -o w w.c
	"$PERF" record -q -o clock -e cpu-clock -F 5000 -g ./w >/dev/null
	cat >tell.c <<-'EOF'
		#include <perf/perf_dlfilter.h>
		#include <stdio.h>

		struct perf_dlfilter_fns perf_dlfilter_fns;
		static FILE *out;
		static long seen;

		static void place(const char *what, const struct perf_dlfilter_al *al)
		{
			if (!al) {
				fprintf(out, " %s none", what);
				return;
			}
			fprintf(out, " %s %s+%x %llx %llx-%llx %s %d %d %d %d %s %u:", what,
				al->sym ? al->sym : "-", al->symoff, al->addr, al->sym_start, al->sym_end,
				al->dso ? al->dso : "-", al->sym_binding, al->is_64_bit, al->is_kernel_ip,
				al->filtered, al->comm ? al->comm : "-", al->buildid_size);
			for (__u32 i = 0; i < al->buildid_size; i++)
				fprintf(out, "%02x", al->buildid[i]);
		}

		int start(void **data, void *ctx)
		{
			int count;
			char **args = perf_dlfilter_fns.args(ctx, &count);

			out = fopen(args[0], "w");
			for (int i = 1; i < count; i++)
				fprintf(out, "argument %s\n", args[i]);
			fprintf(out, "resolve in start: %d\n", perf_dlfilter_fns.resolve_ip(ctx) != NULL);
			*data = &seen;
			return 0;
		}

		int filter_event(void *data, const struct perf_dlfilter_sample *s, void *ctx)
		{
			struct perf_dlfilter_al al = { .size = sizeof(al) };
			__u32 length = 0, line = 0;
			const char *file = perf_dlfilter_fns.srcline(ctx, &line);
			const __u8 *insn = perf_dlfilter_fns.insn(ctx, &length);
			unsigned char code[4];

			fprintf(out, "%u %s %llx %d %d %llu %llx %llu %llu %llu %llu %llx %d %x %llx %d %d %x %u %llu %llu %d %d",
				s->size, s->event, s->ip, s->pid, s->tid, s->time, s->addr, s->id, s->stream_id,
				s->period, s->weight, s->transaction, s->cpu, s->flags, s->data_src, s->cpumode,
				s->addr_correlates_sym, s->misc, s->raw_size, s->brstack_nr, s->raw_callchain_nr,
				s->machine_pid, s->vcpu);
			for (__u64 i = 0; i < s->raw_callchain_nr; i++)
				fprintf(out, " %llx", s->raw_callchain[i]);
			place("ip", perf_dlfilter_fns.resolve_ip(ctx));
			place("addr", perf_dlfilter_fns.resolve_addr(ctx));
			if (!perf_dlfilter_fns.resolve_address(ctx, s->ip + 1, &al))
				place("next", &al);
			if (s->cpumode == 2) { /* the kernel's code is not everybody's to read */
				fprintf(out, " insn %u:", length);
				for (__u32 i = 0; i < length; i++)
					fprintf(out, "%02x", insn[i]);
				fprintf(out, " %s:%u code %d", file ? file : "-", line,
					perf_dlfilter_fns.object_code(ctx, s->ip, code, sizeof(code)));
				fprintf(out, " %02x%02x", code[0], code[3]);
			}
			fprintf(out, " attr %u %llx\n", perf_dlfilter_fns.attr(ctx)->type,
				perf_dlfilter_fns.attr(ctx)->sample_type);
			return ++*(long *)data % 3 == 0;
		}

		int stop(void *data, void *ctx)
		{
			fprintf(out, "%ld samples\n", *(long *)data);
			return fclose(out);
		}

		const char *filter_description(const char **more)
		{
			*more = "and\nmore";
			return "tells all";
		}
	EOF
	cat >code.c <<-'EOF'
		#include <perf/perf_dlfilter.h>
		#include <stdlib.h>

		struct perf_dlfilter_fns perf_dlfilter_fns;

		int start(void **data, void *ctx)
		{
			return getenv("IN") && *getenv("IN") == 's' ? -7 : 0;
		}

		int filter_event_early(void *data, const struct perf_dlfilter_sample *s, void *ctx)
		{
			return getenv("IN") && *getenv("IN") == 'e' ? -8 : s->tid % 2 == 2;
		}

		int filter_event(void *data, const struct perf_dlfilter_sample *s, void *ctx)
		{
			return getenv("IN") && *getenv("IN") == 'f' ? -9 : 1;
		}
	EOF
	for f in tell code; do
		gcc -Wall -Werror -shared -fPIC -I"$top/include" -o $f.so $f.c
	done
}

setup() {
	cd "$BATS_FILE_TMPDIR"
}

@test "what a filter sees and decides is what 6.1 shows it, with the same object" {
	[ -x "$RIVAL" ] || skip "no other perf at $RIVAL"
	"$RIVAL" version | grep -q ' 6\.1\.' || skip "$RIVAL is not 6.1"
	rival script -i clock --dlfilter ./tell.so --dlarg told.theirs --dlarg 'two words' >theirs 2>/dev/null
	"$PERF" script -i clock --dlfilter ./tell.so --dlarg told.ours --dlarg 'two words' >ours
	same_but_stubs theirs ours
	# where no line is known one says "0", one says nothing
	sed -i 's/ [^ ]*:0 code/ - code/' told.theirs told.ours
	# 6.1 names the file that declares a function, even if it has included the line from another one;
	# the C library, into which a sample falls now and then, is built like that
	sed -i '/w\.c:/!s, [^ ]*/[^ /]*:\([0-9]* code\), \1,' told.theirs told.ours
	same_but_stubs told.theirs told.ours
	[ "$(grep -c ' ip leaf+' told.ours)" -gt 10 ]
	grep -qx 'argument two words' told.ours
	grep -qx 'resolve in start: 0' told.ours
}

@test "one in three is dropped, and stop() is told of all" {
	"$PERF" script -i clock --dlfilter ./tell.so --dlarg told -F ip -G >kept
	all=$("$PERF" script -i clock -F ip -G | wc -l)
	[ "$(wc -l <kept)" -eq $((all - all / 3)) ]
	[ "$(tail -n 1 told)" = "$all samples" ]
}

@test "what a filter prints comes where it belongs among the samples" {
	cat >print.c <<-'EOF'
		#include <stdio.h>
		#include <perf/perf_dlfilter.h>
		int start(void **data, void *ctx) { printf("first\n"); return 0; }
		int filter_event(void *data, const struct perf_dlfilter_sample *s, void *ctx) { printf("> "); return 0; }
		int stop(void *data, void *ctx) { printf("last\n"); return 0; }
	EOF
	gcc -shared -fPIC -I "$BATS_TEST_DIRNAME/../../include" -o print.so print.c
	"$PERF" script -i clock -G --dlfilter ./print.so >ours
	{ echo first; "$PERF" script -i clock -G | sed 's/^/> /'; echo last; } >expected
	[ "$(wc -l <ours)" -gt 10 ]
	diff expected ours
}

@test "the example of the page" {
	"$PERF" help script 2>/dev/null | sed -n '/#include <perf/,/^ *}$/p' | sed 's/^ \{7,11\}//' >begins.c
	gcc -Wall -Werror -shared -fPIC -I"$BATS_TEST_DIRNAME/../../include" -o begins.so begins.c
	"$PERF" script -i clock --dlfilter ./begins.so --dlarg memor -G -F ip,sym >kept
	[ "$(awk '{ print $2 }' kept | sort -u)" = memorable ]
	"$PERF" script -i clock -G -F ip,sym | grep -w memorable | cmp - kept
}

@test "a filter that fails ends perf with what it returned" {
	IN=start run -1 "$PERF" script -i clock --dlfilter ./code.so
	[[ "$output" == *"error: start() of filter './code.so' failed with -7"* ]]
	IN=early run -1 "$PERF" script -i clock --dlfilter ./code.so
	[[ "$output" == *"filter_event_early() of filter './code.so' failed with -8"* ]]
	IN=filter run -1 "$PERF" script -i clock --dlfilter ./code.so
	[[ "$output" == *"filter_event() of filter './code.so' failed with -9"* ]]
	run -0 "$PERF" script -i clock --dlfilter ./code.so
	[ -z "$output" ]
}

@test "what is no filter is refused" {
	run -1 "$PERF" script -i clock --dlfilter nosuch.so
	[[ "$output" == *"filter 'nosuch.so' cannot be loaded:"* ]]
	echo 'int x;' >none.c
	gcc -shared -fPIC -o none.so none.c
	run -1 "$PERF" script -i clock --dlfilter ./none.so
	[[ "$output" == *"'./none.so' is not a filter"* ]]
	run -129 "$PERF" script -i clock --dlarg x
	run -129 "$PERF" script -i clock --dlfilter ''
	[[ "$output" == "error: --dlfilter needs the name of a shared object"* ]]
}

@test "a filter in the current directory is loaded as ./NAME only, and never listed" {
	echo '#include <stdio.h>
	__attribute__((constructor)) static void run(void) { fclose(fopen("ran", "w")); }
	int filter_event(void *d, const void *s, void *c) { (void)d; (void)s; (void)c; return 0; }' >runs.c
	gcc -shared -fPIC -o runs.so runs.c
	run -0 "$PERF" script --list-dlfilters
	[[ "$output" != *runs.so* ]]
	run -1 "$PERF" script -i clock --dlfilter runs.so
	[[ "$output" == *"filter 'runs.so' cannot be loaded: there is none in '"*"/dlfilters'"* ]]
	[[ "$output" == *"hint: --dlfilter ./runs.so loads the one in the current directory"* ]]
	LD_LIBRARY_PATH=. run -1 "$PERF" script -i clock --dlfilter runs.so
	[ ! -e ran ]
	run -0 "$PERF" script -i clock --dlfilter ./runs.so
	[ -e ran ]
}

@test "--list-dlfilters: in the exec path" {
	mkdir -p lib/dlfilters && cp tell.so lib/dlfilters/told.so
	run -0 "$PERF" --exec-path=lib script --list-dlfilters
	[ "${lines[0]}" = "List of available dlfilters:" ]
	[[ "$output" != *tell.so* ]]
	[[ "$output" == *"  told.so                              tells all"* ]]
	[[ "$output" != *none.so* ]]
	run -0 "$PERF" --exec-path=lib script --list-dlfilters -v
	[[ "$output" == *"                                       more"* ]]
	"$PERF" --exec-path=lib script -i clock --dlfilter told.so --dlarg told >/dev/null
	[ -s told ]
}

@test "perf_dlfilter.h compiles as C and as C++, and its layout is the documented one" {
	cat >layout.c <<-'EOF'
		#include <perf/perf_dlfilter.h>
		#include <stddef.h>
		#define AT(t, m, o) _Static_assert(offsetof(struct t, m) == o, #m)
		AT(perf_dlfilter_sample, ip, 8);
		AT(perf_dlfilter_sample, cpu, 96);
		AT(perf_dlfilter_sample, data_src, 104);
		AT(perf_dlfilter_sample, cpumode, 144);
		AT(perf_dlfilter_sample, raw_data, 152);
		AT(perf_dlfilter_sample, event, 192);
		AT(perf_dlfilter_sample, machine_pid, 200);
		AT(perf_dlfilter_al, sym, 8);
		AT(perf_dlfilter_al, sym_binding, 48);
		AT(perf_dlfilter_al, filtered, 64);
		AT(perf_dlfilter_al, comm, 72);
		_Static_assert(sizeof(struct perf_dlfilter_sample) == 208, "sample");
		_Static_assert(sizeof(struct perf_dlfilter_fns) == 128 * sizeof(void *), "functions");
	EOF
	gcc -Wall -Wextra -Werror -c -I"$BATS_TEST_DIRNAME/../../include" -o /dev/null layout.c
	echo '#include <perf/perf_dlfilter.h>' | g++ -Wall -Wextra -Werror -x c++ -c -I"$BATS_TEST_DIRNAME/../../include" -o /dev/null -
}
