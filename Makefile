# SPDX-License-Identifier: GPL-2.0-or-later
# The one build.  `make help` lists the targets and switches.

.DEFAULT_GOAL := all
comma := ,
# CROSS=arm64: for that machine, in a directory of its own, against a sysroot of Debian packages.
# Of each machine: what its compiler is called, Debian's name of it (none: no release of Debian has
# packages of it, so there is only the compiler's own C library), its directory of libraries.
CROSS ?=
cross_arm64 := aarch64-linux-gnu arm64 aarch64-linux-gnu
cross_i386 := i686-linux-gnu i386 i386-linux-gnu
cross_ppc64 := powerpc64-linux-gnu none powerpc64-linux-gnu
cross_ppc64el := powerpc64le-linux-gnu ppc64el powerpc64le-linux-gnu
cross_riscv64 := riscv64-linux-gnu riscv64 riscv64-linux-gnu
cross_s390x := s390x-linux-gnu s390x s390x-linux-gnu
CROSS_ALL := arm64 i386 ppc64 ppc64el riscv64 s390x
# The kernel's names of them, and those of uname.
also_powerpc := ppc64el
also_ppc64le := ppc64el
also_riscv := riscv64
also_aarch64 := arm64
also_i686 := i386
also_s390 := s390x
# The kernel's name of the same: ARCH=arm64.  Not from the environment, where those who build kernels have it.
ifeq ($(origin ARCH),command line)
override CROSS := $(or $(CROSS),$(filter-out $(shell uname -m; dpkg --print-architecture 2>/dev/null),$(or $(also_$(ARCH)),$(ARCH))))
endif
override CROSS := $(or $(also_$(CROSS)),$(CROSS))
# STATIC=1: a program that needs no library at run time, in a directory of its own.
STATIC ?=
O ?= build$(if $(CROSS),/$(CROSS))$(if $(STATIC),/static)
CC ?= gcc
ifneq ($(CROSS),)
MACHINE := $(or $(cross_$(CROSS)),$(error CROSS=$(CROSS): only $(CROSS_ALL) are known))
TRIPLET := $(word 3,$(MACHINE))
HAVE_SYSROOT := $(filter-out none,$(word 2,$(MACHINE)))
SYSROOT := $(if $(HAVE_SYSROOT),$(or $(shell scripts/sysroot $(HAVE_SYSROOT)),$(error no sysroot for $(CROSS))),/usr/$(TRIPLET))
override CC := $(if $(findstring ccache,$(CC)),ccache )$(word 1,$(MACHINE))-gcc$(if $(HAVE_SYSROOT), --sysroot=$(SYSROOT))
export PKG_CONFIG_SYSROOT_DIR := $(SYSROOT)
export PKG_CONFIG_LIBDIR := $(SYSROOT)/usr/lib/$(TRIPLET)/pkgconfig:$(SYSROOT)/usr/share/pkgconfig
endif
CFLAGS ?= -O2 -g
SANITIZE ?=
WERROR ?= $(if $(CI),1,)
PERF ?= /usr/bin/perf

DESTDIR ?=
prefix ?= /usr/local
bindir ?= $(prefix)/bin
mandir ?= $(prefix)/share/man
docdir ?= $(prefix)/share/doc/perf
completiondir ?= $(prefix)/share/bash-completion/completions
zshcompletiondir ?= $(prefix)/share/zsh/site-functions
# What `perf --exec-path` and `perf --html-path` say.
execdir ?= $(prefix)/libexec/perf-core
plugindir ?= $(prefix)/lib/perf-core/plugins
includedir ?= $(prefix)/include
# Where the Python module goes: the place of $(PYTHON) below prefix.
PYTHON ?= python3
pythondir ?= $(shell $(PYTHON) -c 'import sysconfig as s; print(s.get_path("platlib", vars={v: "$(prefix)" for v in ("base", "platbase", "installed_base", "installed_platbase")}))' 2>/dev/null)

# V=1 shows the commands; make -s shows nothing.
V ?=
Q := $(if $(V),,@)
say = $(if $(V)$(findstring s,$(firstword -$(MAKEFLAGS))),true,echo)

# Sanitized objects live beside the normal ones, so switching costs no rebuild.
OBJ := $(O)/$(if $(SANITIZE),sanitize-$(subst $(comma),-,$(SANITIZE)),obj)
GEN := $(O)/gen
BIN := $(if $(SANITIZE),$(OBJ)/perf,$(if $(CROSS)$(STATIC),$(O)/perf,perf))

WARN := -Wall -Wextra -Wstrict-prototypes -Wmissing-prototypes -Wshadow -Wwrite-strings \
	-Wpointer-arith -Wvla -Wno-missing-field-initializers
# gcc notes at every atomic u64 of a struct that gcc 10 aligned it otherwise there; nothing here is of gcc 10.
ifeq ($(CROSS),i386)
WARN += -Wno-psabi
endif
WARN_BPF := -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers
ALL_CFLAGS = -std=gnu11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -Iutil -I. -I$(GEN) $(WARN) \
	$(if $(WERROR),-Werror) $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer) \
	-fno-strict-aliasing -fPIC -fno-semantic-interposition -pthread $(LIB_CFLAGS) $(CFLAGS)
FRAME_CFLAGS := -fno-omit-frame-pointer -fno-optimize-sibling-calls
WORKLOAD_CFLAGS := $(FRAME_CFLAGS) -O0 -g -fno-inline -U_FORTIFY_SOURCE
# The linker warns of getpwnam() and dlopen() in a static program: names of users then come from
# /etc/passwd alone, and nothing can be opened.
QUIET_LD = $(if $(shell $(CC) -Wl,--help 2>/dev/null | grep -e '--no-warnings'),-Wl$(comma)--no-warnings)
# A C library that came with the cross compiler, older than the sysroot's, would be found first.
ALL_LDFLAGS = -Wl,--as-needed $(if $(HAVE_SYSROOT),-L$(SYSROOT)/usr/lib/$(TRIPLET)) $(if $(SANITIZE),-fsanitize=$(SANITIZE)) -pthread $(if $(STATIC),-static $(QUIET_LD),-rdynamic) $(LDFLAGS)

ifeq ($(filter clean help install-files deb-files deb-source dist,$(MAKECMDGOALS)),)
# $(call keep,FILE,TEXT): FILE holds TEXT, and is as old as its last change.  A command line could not hold
# every text: one argument has at most 128 KB.
keep = $(shell mkdir -p $(dir $(1)))$(file >$(1).new,$(2))$(shell cmp -s $(1).new $(1) && rm -f $(1).new || mv $(1).new $(1))

# WITHOUT="LIBDW SLANG": build as if these libraries of scripts/libraries were missing; all: every one.
WITHOUT ?=
# What is opened when it is first used, and so cannot be part of a static program.
ifneq ($(STATIC),)
override WITHOUT += LIBOPCODES CAPSTONE LIBDEFLATE DEBUGINFOD LIBPFM LIBUNWIND LIBBPF LIBPYTHON LIBPERL
endif
# Without a sysroot there are no libraries.
ifneq ($(CROSS),)
override WITHOUT += $(if $(HAVE_SYSROOT),,all)
endif
$(call keep,$(GEN)/without,$(WITHOUT))

# What libraries are here: HAVE_x = 1, LIB_CFLAGS, LIB_LIBS, and gen/config.h.
# Looked for again when packages came or went.
include $(GEN)/config.mk
endif
$(GEN)/config.mk: scripts/features scripts/libraries $(GEN)/without $(wildcard /var/lib/dpkg/status)
	@mkdir -p $(@D)
	@CC="$(CC)" WITHOUT="$(WITHOUT)" STATIC="$(STATIC)" SYSROOT="$(if $(HAVE_SYSROOT),$(SYSROOT))" BARE="$(if $(CROSS),$(if $(HAVE_SYSROOT),,$(CROSS)))" \
		scripts/features $(GEN)

# A source file needs a library when scripts/libraries says so; without the
# library its X-without.c twin is built in its place.
SRCS := $(wildcard perf.c builtin-*.c arch/*.c arch/*/*.c util/*/*.c builtin/*/*.c ui/*.c ui/*/*.c)
SRCS := $(filter-out $(SKIPPED_SRCS) %.bpf.c,$(SRCS))
BPF_SRCS := $(wildcard util/bpf/*.bpf.c)
# Programs that use what Linux 5.10 does not have, and for which there is another way (util/bpf/kernel.h).
BPF_OLD := counter_tasks latency lock offcpu runq trace
BPF_OBJS := $(if $(HAVE_BPF_PROGRAMS),$(BPF_SRCS:util/bpf/%.bpf.c=$(GEN)/bpf/%.bpf.o) $(BPF_OLD:%=$(GEN)/bpf/%_old.bpf.o))
PAGES := $(wildcard Documentation/*.1.scd)
# What is later overrides what is before it: the machine's own after the general.
METRICS := arch/generic/metrics $(filter-out arch/generic/%,$(wildcard arch/*/metrics))
MANS := $(if $(HAVE_SCDOC),$(PAGES:Documentation/%.scd=$(O)/man/%))
OBJS := $(SRCS:%.c=$(OBJ)/%.o) $(OBJ)/gen/pages.o $(OBJ)/gen/metrics.o $(OBJ)/gen/bpf_images.o
LIB_OBJS := $(filter-out $(OBJ)/perf.o,$(OBJS))
UNIT_SRCS := $(wildcard tests/unit/test_*.c)
UNIT_BINS := $(UNIT_SRCS:tests/unit/%.c=$(OBJ)/tests/unit/%)

# Script engines: shared objects that perf opens when a script needs one.
PLUGIN_DIR := $(if $(SANITIZE),$(OBJ),$(O))/plugins
PLUGIN_NAMES := $(foreach p,$(PLUGIN_NAMES),$(if $(wildcard plugins/$(p)/*.c),$(p)))
PLUGINS := $(PLUGIN_NAMES:%=$(PLUGIN_DIR)/perf-%.so)

# Everything is made again when the compiler or its flags change, the program
# when its list of objects does, what names paths when they do.
$(call keep,$(OBJ)/flags,$(CC) $(ALL_CFLAGS) $(WORKLOAD_CFLAGS))
$(call keep,$(OBJ)/link,$(ALL_LDFLAGS) $(LIB_LIBS) $(OBJS))
$(call keep,$(GEN)/pages.list,$(PAGES))
$(call keep,$(GEN)/bpf.list,$(BPF_CC) $(BPF_OBJS))
$(call keep,$(OBJ)/paths,$(execdir) $(docdir) $(plugindir))

all: $(BIN) $(OBJ)/components.ok $(MANS) $(PLUGINS)

# The objects are listed in files, since a command line cannot hold them below every directory.
$(BIN): $(OBJS) $(OBJ)/link
	$(file >$(OBJ)/perf.objects,$(OBJS))
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ @$(OBJ)/perf.objects $(LIB_LIBS) -lm -ldl
	$(Q)$(say) "perf is ready: ./$@"

$(OBJ)/libperf.a: $(LIB_OBJS) $(OBJ)/link
	$(file >$(OBJ)/libperf.objects,$(LIB_OBJS))
	$(Q)rm -f $@ && ar rcs $@ @$(OBJ)/libperf.objects

define compile
	@mkdir -p $(@D)
	$(Q)$(if $(V),,$(say) "  CC $<")
	$(Q)$(CC) $(ALL_CFLAGS) $(FILE_CFLAGS) -MMD -MP -c -o $@ $<
endef
$(OBJ)/%.o: %.c $(OBJ)/flags | $(GEN)/config.mk
	$(compile)
$(OBJ)/perf.o: $(OBJ)/paths
$(OBJ)/perf.o: FILE_CFLAGS := $(FRAME_CFLAGS) -DPERF_EXEC_PATH='"$(execdir)"' -DPERF_HTML_PATH='"$(docdir)"'
$(OBJ)/builtin/script/engine_find.o: $(OBJ)/paths
$(OBJ)/builtin/script/engine_find.o: FILE_CFLAGS := -DPERF_EXEC_PATH='"$(execdir)"' -DPERF_PLUGIN_DIR='"$(plugindir)"'
$(OBJ)/gen/%.o: $(GEN)/%.c $(OBJ)/flags
	$(compile)

# A plugin links nothing of perf: both know plugin.h alone.
define plugin_rules
$(OBJ)/plugins/$(1)/%.o: plugins/$(1)/%.c $(OBJ)/flags | $(GEN)/config.mk
	@mkdir -p $$(@D)
	$$(Q)$$(if $$(V),,$$(say) "  CC $$<")
	$$(Q)$$(CC) $$(PLUGIN_CFLAGS_$(1)) $$(PLUGIN_FLAGS) -Iplugins -MMD -MP -c -o $$@ $$<
$(PLUGIN_DIR)/perf-$(1).so: $(patsubst %.c,$(OBJ)/%.o,$(wildcard plugins/$(1)/*.c))
	@mkdir -p $$(@D)
	$$(Q)$$(CC) -shared $$(filter-out -rdynamic,$$(ALL_LDFLAGS)) -o $$@ $$^ $$(PLUGIN_LIBS_$(1))
-include $(patsubst %.c,$(OBJ)/%.d,$(wildcard plugins/$(1)/*.c))
endef
PLUGIN_FLAGS = $(ALL_CFLAGS) -fPIC -fvisibility=hidden
$(foreach p,$(PLUGIN_NAMES),$(eval $(call plugin_rules,$(p))))

# The workloads' functions and frames must be there as written; the way to them too.
$(OBJ)/builtin/test/workload_%.o: FILE_CFLAGS := $(WORKLOAD_CFLAGS)
$(OBJ)/builtin/test/inlineloop.o: FILE_CFLAGS := $(WORKLOAD_CFLAGS)
$(OBJ)/builtin-test.o: FILE_CFLAGS := $(FRAME_CFLAGS)

# cmocka 2 has new names for some of its macros and warns of those that older ones have.
$(OBJ)/tests/unit/%.o: FILE_CFLAGS += -DCMOCKA_DISABLE_DEPRECATION_WARNINGS

$(OBJ)/tests/unit/%: $(OBJ)/tests/unit/%.o $(OBJ)/libperf.a
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $< $(OBJ)/libperf.a $(LIB_LIBS) -lcmocka -lm -ldl

$(OBJ)/tests/bench/%: $(OBJ)/tests/bench/%.o $(OBJ)/libperf.a
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $< $(OBJ)/libperf.a $(LIB_LIBS) -lm -ldl

# The pages: inside the program as text, and for man.
$(GEN)/pages.c: scripts/pages scripts/page-text $(PAGES) $(GEN)/pages.list
	$(Q)scripts/pages $(PAGES) >$@.new && mv $@.new $@
$(GEN)/metrics.c: scripts/metrics $(METRICS)
	$(Q)scripts/metrics $(METRICS) >$@.new && mv $@.new $@
# BPF programs: objects with the type information that the loader needs and no other (-g makes
# both), inside the program as bytes.
$(GEN)/bpf/%.bpf.o: util/bpf/%.bpf.c $(GEN)/bpf.list
	@mkdir -p $(@D)
	$(Q)$(if $(V),,$(say) "  BPF $<")
	$(Q)$(BPF_CC) -mcpu=v3 -O2 -g -Iutil $(WARN_BPF) $(if $(WERROR),-Werror) -MMD -MP -c -o $@ $<
	$(Q)$(if $(BPF_STRIP),$(BPF_STRIP) $@)
$(GEN)/bpf/%_old.bpf.o: util/bpf/%.bpf.c $(GEN)/bpf.list
	@mkdir -p $(@D)
	$(Q)$(if $(V),,$(say) "  BPF $< (old)")
	$(Q)$(BPF_CC) -DFOR_OLD_KERNELS -mcpu=v3 -O2 -g -Iutil $(WARN_BPF) $(if $(WERROR),-Werror) -MMD -MP -c -o $@ $<
	$(Q)$(if $(BPF_STRIP),$(BPF_STRIP) $@)
$(GEN)/bpf_images.c: scripts/bpf-images $(GEN)/bpf.list
	$(Q)scripts/bpf-images $(BPF_OBJS) >$@.new && mv $@.new $@
$(OBJ)/gen/bpf_images.o: $(BPF_OBJS)
$(O)/man/%: Documentation/%.scd
	@mkdir -p $(@D)
	$(Q)scdoc <$< >$@.new && mv $@.new $@

# What components use of each other is listed in util/COMPONENTS.
$(OBJ)/components.ok: util/COMPONENTS scripts/check-components $(SRCS) $(wildcard util/*/*.h builtin/*/*.h arch/*.h ui/*.h ui/*/*.h)
	@mkdir -p $(@D)
	$(Q)scripts/check-components && touch $@

# The Python module, for PYTHONPATH=build/python: one build for Python 3.11 and later.
PYTHON_SRCS := $(wildcard python/src/*.c)
PYTHON_OBJS := $(PYTHON_SRCS:%.c=$(OBJ)/%.o)
PYTHON_FILES := $(wildcard python/perf/*)
PYTHON_MODULE := $(if $(SANITIZE),$(OBJ),$(O))/python/perf/_perf.abi3.so
PYTHON_CFLAGS := $(if $(CROSS),,$(shell pkg-config --cflags python3 2>/dev/null))
python: $(PYTHON_MODULE)
# A sanitized module cannot be loaded by a Python that is not; `make python` builds it all the same.
all: $(if $(PYTHON_CFLAGS),$(if $(SANITIZE)$(STATIC),,python))
$(PYTHON_OBJS): FILE_CFLAGS = -Wno-write-strings $(PYTHON_CFLAGS) -Ipython/src
$(PYTHON_MODULE): $(PYTHON_OBJS) $(OBJ)/libperf.a $(PYTHON_FILES)
	@mkdir -p $(@D)
	$(Q)cp $(PYTHON_FILES) $(@D)
	$(Q)$(CC) -shared $(ALL_LDFLAGS) -Wl,--exclude-libs,ALL -Wl,-Bsymbolic -o $@.new $(PYTHON_OBJS) $(OBJ)/libperf.a $(LIB_LIBS) -lm -ldl && mv $@.new $@
	$(Q)$(say) "the module is ready: PYTHONPATH=$(abspath $(@D)/..)"

unit-bins: $(UNIT_BINS) $(OBJ)/tests/bench/unwind-styles $(OBJ)/tests/bench/symbols $(OBJ)/tests/bench/lines-at

# cmocka for a machine of which Debian has no libraries: of its sources, that of the compiler.
ifneq ($(CROSS),)
ifeq ($(HAVE_SYSROOT),)
CMOCKA := $(O)/cmocka
$(CMOCKA)/libcmocka.a: scripts/cmocka $(OBJ)/flags
	$(Q)CC="$(CC)" scripts/cmocka $(CMOCKA)
$(UNIT_BINS:=.o): $(CMOCKA)/libcmocka.a
$(UNIT_BINS:=.o): FILE_CFLAGS += -isystem $(CMOCKA)/include
$(UNIT_BINS): LDFLAGS += -L$(CMOCKA)
endif
endif

check: all unit-bins
	tests/run $(if $(SANITIZE),--perf $(BIN)) --unit $(OBJ)/tests/unit $(TESTS)

# The tests that boot a kernel under qemu.  Each one that cannot run here says why; when none can, that is a failure.
# KERNEL=trixie-backports: that of another suite of Debian.  Not from the environment, where it can mean anything.
ifeq ($(origin KERNEL),command line)
GUEST_KERNEL := PERF_GUEST_KERNEL=$(KERNEL)
endif
check-guests: all $(OBJ)/tests/unit/test_formats
	PERF_ALL_GUESTS=1 $(GUEST_KERNEL) tests/run $(if $(SANITIZE),--perf $(BIN)) --unit $(OBJ)/tests/unit guests/$(TESTS)

# The same over a list of kernels, and what each test found on each of them as a table.  Takes hours without TESTS.
# KERNELS: suites of Debian, and of other machines ARCH/SUITE; the default is in tests/guests/kernels.
KERNELS ?=
check-kernels: all unit-bins
	PERF=$(abspath $(BIN)) UNIT=$(abspath $(OBJ)/tests/unit) KERNELS="$(KERNELS)" tests/guests/kernels $(TESTS)

# Unit tests, report and script of other machines' builds under qemu: MACHINES="ppc64 arm64", or all that can be built here.
MACHINES ?=
check-cross: all
	tests/cross $(MACHINES)

# A processor without AVX2 gets other variants of libc's functions, with other names and other code:
# the tests that call, probe, unwind or annotate them run once with those.
LIBC_VARIANTS := glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX2,-ERMS
LIBC_TESTS ?= cli/probe.bats cli/unwind cli/symbols.bats cli/record_live screens/annotate
check-libc: all unit-bins
	$(Q)for t in $(LIBC_TESTS); do \
		GLIBC_TUNABLES=$(LIBC_VARIANTS) tests/run --unit $(OBJ)/tests/unit $$t || exit 1; \
	done

# The README's two commands in a fresh installation of a release of Debian: RELEASE=bookworm or trixie.
RELEASE := trixie
check-debian:
	tests/debian $(RELEASE) $(TESTS)

# Services as Debian ships them, under load, each recorded in several ways: SERVICES="postgresql nginx python".
SERVICES ?=
check-services: all
	tests/services/run --perf $(BIN) --rival $(PERF) $(SERVICES)

# Whether perf stat --versus is as sure as it says: TRIALS="same two hyperfine".
TRIALS ?=
check-trials: all
	CC="$(CC)" tests/trials/run --perf $(BIN) $(TRIALS)

# The rival is $(PERF), and SECOND=FILE names one more; the bench makes its own files.
FIGURES := tests/bench/figures.json
bench: all $(OBJ)/tests/bench/unwind-styles $(OBJ)/tests/bench/symbols
	tests/bench/run --ours $(BIN) --rival $(PERF) $(if $(SECOND),--second $(SECOND)) --unwind-styles $(OBJ)/tests/bench/unwind-styles \
		--symbols $(OBJ)/tests/bench/symbols --json $(O)/bench.json $(BENCH)
bench-keep: all
	tests/bench/run --ours $(BIN) --json $(O)/bench.json --alone --keep $(FIGURES) $(BENCH)
bench-check: all
	tests/bench/run --ours $(BIN) --alone --json $(O)/bench-check.json --check $(FIGURES) $(BENCH)

# perf top and record --call-graph dwarf,live for a long time, simulated: a week of a busy machine,
# 30 minutes of 20,000 processes each.  `make -j2 soak` runs two tests at a time.
TOP_SOAKS := soak-functions soak-commands_and_chains soak-an_open_function
soak: $(TOP_SOAKS) soak-stacks
$(TOP_SOAKS): soak-%: $(OBJ)/tests/unit/test_top_soak
	SOAK="604800 4000 200" SOAK_TEST=test_$* $<
soak-stacks: $(OBJ)/tests/unit/test_stacks_soak
	SOAK="1800 333" $<

# Hostile input, with sanitizers: FUZZ="SECONDS TARGET".  Objects live in a build of their own.
FUZZ ?= 60
FUZZ_BINS := $(patsubst tests/fuzz/%.c,$(OBJ)/tests/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))
# The Python module with an interpreter around it, where there is one to link with.
PYTHON_EMBED := $(if $(CROSS),,$(shell pkg-config --libs python3-embed 2>/dev/null))
FUZZ_BINS := $(filter-out $(if $(PYTHON_EMBED),,%/fuzz_module),$(FUZZ_BINS))
$(OBJ)/tests/fuzz/fuzz_module.o: FILE_CFLAGS = $(PYTHON_CFLAGS)
$(OBJ)/tests/fuzz/fuzz_module: $(OBJ)/tests/fuzz/fuzz_module.o $(PYTHON_OBJS) $(OBJ)/libperf.a
	$(Q)$(CC) $(subst fuzzer-no-link,fuzzer,$(ALL_LDFLAGS)) -o $@ $< $(PYTHON_OBJS) $(OBJ)/libperf.a $(LIB_LIBS) $(PYTHON_EMBED) -lm -ldl
$(OBJ)/tests/fuzz/%: $(OBJ)/tests/fuzz/%.o $(OBJ)/libperf.a
	$(Q)$(CC) $(subst fuzzer-no-link,fuzzer,$(ALL_LDFLAGS)) -o $@ $< $(OBJ)/libperf.a $(LIB_LIBS) -lm -ldl
fuzz-bins: $(FUZZ_BINS)
# All that is compiled, in its own directory: clang warns of other things than gcc does.
fuzz-objects: $(OBJS) $(foreach p,$(PLUGIN_NAMES),$(patsubst %.c,$(OBJ)/%.o,$(wildcard plugins/$(p)/*.c)))
FUZZ_CC ?= clang
FUZZ_MAKE = +$(Q)$(MAKE) --no-print-directory O=$(O)/fuzz CC="$(FUZZ_CC)" \
	SANITIZE=fuzzer-no-link,address,undefined CFLAGS="-O1 -g -fno-sanitize-recover=undefined"
FUZZ_DIR = $(O)/fuzz/sanitize-fuzzer-no-link-address-undefined/tests/fuzz
fuzz: all
	$(FUZZ_MAKE) fuzz-bins
	tests/fuzz/corpus ./perf $(O)/fuzz/corpus
	tests/fuzz/run $(FUZZ_DIR) $(O)/fuzz/corpus $(FUZZ)
# For the build machine: without a warning of clang; then every target on its inputs and for its share of a minute.
fuzz-smoke: all
	$(FUZZ_MAKE) WERROR=1 fuzz-objects fuzz-bins
	$(Q)rm -rf $(O)/fuzz/smoke
	$(Q)tests/fuzz/corpus ./perf $(O)/fuzz/smoke
	$(Q)tests/fuzz/run --together $(FUZZ_DIR) $(O)/fuzz/smoke 60

# Debug information of the guests' kernel: nothing else downloads it.
kernel-debug:
	tests/guests/kernel-debug

# For clangd and other tools: how each file is compiled.
compile_commands.json: Makefile $(GEN)/config.mk $(OBJ)/link
	$(Q)for f in $(SRCS); do \
		printf '{"directory": "%s", "file": "%s", "command": "%s"},\n' '$(CURDIR)' "$$f" \
			"$(CC) $(ALL_CFLAGS) -c -o $(OBJ)/$${f%.c}.o $$f"; \
	done | sed '1s/^/[/; $$s/,$$/]/' >$@.new && mv $@.new $@

# What is not laid out as .clang-format says: all files, or the lines that differ from BASE.
BASE ?=
check-format:
	$(Q)scripts/check-format $(BASE)

# Includes of which a file uses nothing.
check-includes:
	$(Q)scripts/check-includes

# The sources, for those who build without git.
dist:
	$(Q)scripts/dist $(O)/dist

# The Debian package perf-standalone, in directories of its own. What names them is compiled for it; it
# shares every other object with ./perf.
DEB := $(O)/deb
DEB_PREFIX := /usr/lib/perf-standalone
DEB_DOC := /usr/share/doc/perf-standalone
DEB_OBJS := $(DEB)/perf.o $(DEB)/builtin/script/engine_find.o
$(DEB)/%.o: %.c $(OBJ)/flags Makefile | $(GEN)/config.mk
	$(compile)
$(DEB_OBJS): FILE_CFLAGS := $(FRAME_CFLAGS) -DPERF_EXEC_PATH='"$(DEB_PREFIX)/libexec/perf-core"' \
	-DPERF_PLUGIN_DIR='"$(DEB_PREFIX)/lib/perf-core/plugins"' -DPERF_HTML_PATH='"$(DEB_DOC)"'
$(DEB)/perf: $(DEB_OBJS) $(filter-out $(DEB_OBJS:$(DEB)/%=$(OBJ)/%),$(OBJS)) $(OBJ)/link
	$(file >$(DEB)/perf.objects,$(filter %.o,$^))
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ @$(DEB)/perf.objects $(LIB_LIBS) -lm -ldl
deb-program: $(if $(CROSS)$(STATIC)$(SANITIZE),$(if $(filter deb%,$(MAKECMDGOALS)),$(error make deb is for this machine: without CROSS, STATIC and SANITIZE)))
deb-program: all $(DEB)/perf
# What was built before, in the places of the package.
deb-files:
	@$(MAKE) --no-print-directory install-files BIN=$(DEB)/perf prefix=$(DEB_PREFIX) \
		bindir=$(DEB_PREFIX)/bin mandir=$(DEB_PREFIX)/share/man docdir=$(DEB_DOC) \
		completiondir=$(DEB_PREFIX)/share/bash-completion/completions \
		zshcompletiondir=$(DEB_PREFIX)/share/zsh/vendor-completions execdir=$(DEB_PREFIX)/libexec/perf-core \
		plugindir=$(DEB_PREFIX)/lib/perf-core/plugins includedir=$(DEB_PREFIX)/include pythondir=$(DEB_PREFIX)/python
deb: deb-program
	$(Q)CC="$(CC)" O="$(O)" scripts/deb $(DEB)
# What others build it from.
deb-source:
	$(Q)scripts/deb --source $(DEB)

install: all
	@$(MAKE) --no-print-directory install-files

# What was built before, without building.
install-files:
	install -d $(DESTDIR)$(bindir) $(DESTDIR)$(mandir)/man1 $(DESTDIR)$(completiondir) $(DESTDIR)$(zshcompletiondir) \
		$(DESTDIR)$(plugindir) $(DESTDIR)$(execdir)/scripts $(DESTDIR)$(execdir)/dlfilters $(DESTDIR)$(docdir) \
		$(DESTDIR)$(includedir)/perf
	install -m 755 $(BIN) $(DESTDIR)$(bindir)/perf
	install -m 644 scripts/perf-completion.bash $(DESTDIR)$(completiondir)/perf
	install -m 644 scripts/perf-completion.zsh $(DESTDIR)$(zshcompletiondir)/_perf
	install -m 644 include/perf/perf_dlfilter.h $(DESTDIR)$(includedir)/perf
	$(if $(and $(wildcard $(O)/python/perf/*),$(pythondir)),install -d $(DESTDIR)$(pythondir)/perf && \
		install -m 644 $(wildcard $(O)/python/perf/*.py* $(O)/python/perf/*.so) $(O)/python/perf/py.typed $(DESTDIR)$(pythondir)/perf)
	$(if $(and $(wildcard $(O)/python/perf/*),$(pythondir)),install -d $(DESTDIR)$(docdir)/examples && \
		install -m 755 python/examples/*.py $(DESTDIR)$(docdir)/examples)
	install -m 644 README.md LICENSE Documentation/*.md $(DESTDIR)$(docdir)
	$(if $(wildcard $(O)/man/*.1),install -m 644 $(wildcard $(O)/man/*.1) $(DESTDIR)$(mandir)/man1)
	$(if $(wildcard $(O)/plugins/*.so),install -m 644 $(wildcard $(O)/plugins/*.so) $(DESTDIR)$(plugindir))
	$(if $(wildcard libexec/scripts/*),cp -R libexec/scripts/. $(DESTDIR)$(execdir)/scripts && \
		chmod 755 $(DESTDIR)$(execdir)/scripts/*/bin/*-record $(DESTDIR)$(execdir)/scripts/*/bin/*-report)

clean:
	rm -rf $(O) perf

help:
	@sed '/^# SPDX/d' scripts/make-help

-include $(OBJS:.o=.d) $(DEB_OBJS:.o=.d) $(PYTHON_OBJS:.o=.d) $(BPF_OBJS:.o=.d) $(UNIT_BINS:=.d) $(FUZZ_BINS:=.d) $(wildcard $(OBJ)/tests/bench/*.d)

.PHONY: all python dist deb deb-program deb-files deb-source check check-guests check-kernels check-services check-trials check-cross check-debian check-format check-includes check-libc clean unit-bins help install install-files bench bench-check bench-keep soak fuzz fuzz-bins fuzz-objects fuzz-smoke kernel-debug
.SECONDARY:
.DELETE_ON_ERROR:
