# SPDX-License-Identifier: GPL-2.0-or-later
# The one build.  `make help` lists the targets and switches.

.DEFAULT_GOAL := all
O ?= build
prefix ?= /usr/local
CC ?= gcc
CFLAGS ?= -O2 -g
SANITIZE ?=
WERROR ?= $(if $(CI),1,)

# Sanitized objects live beside the normal ones, so switching costs no rebuild.
OBJ := $(O)/$(if $(SANITIZE),sanitize-$(subst $(comma),-,$(SANITIZE)),obj)
comma := ,

WARN := -Wall -Wextra -Wstrict-prototypes -Wmissing-prototypes -Wshadow -Wwrite-strings \
	-Wpointer-arith -Wvla -Wno-missing-field-initializers
ALL_CFLAGS = -std=gnu11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -Iutil -I. -I$(O)/gen $(WARN) \
	$(if $(WERROR),-Werror) $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer) \
	-fno-strict-aliasing -pthread $(LIB_CFLAGS) $(CFLAGS)
ALL_LDFLAGS = $(if $(SANITIZE),-fsanitize=$(SANITIZE)) -pthread -rdynamic $(LDFLAGS)

# What libraries are here: HAVE_x = 1, LIB_CFLAGS, LIB_LIBS, and gen/config.h.
ifeq ($(filter clean help,$(MAKECMDGOALS)),)
include $(O)/gen/config.mk
endif
$(O)/gen/config.mk: scripts/features scripts/libraries
	@mkdir -p $(@D)
	@CC="$(CC)" scripts/features $(O)/gen

# A source file needs a library when scripts/libraries says so; without the
# library its X-without.c twin is built in its place.
SRCS := $(wildcard perf.c builtin-*.c arch/*.c arch/*/*.c util/*/*.c ui/*.c ui/*/*.c)
SRCS := $(filter-out $(SKIPPED_SRCS),$(SRCS))
OBJS := $(SRCS:%.c=$(OBJ)/%.o)
LIB_OBJS := $(filter-out $(OBJ)/perf.o,$(OBJS))
UNIT_SRCS := $(wildcard tests/unit/test_*.c)
UNIT_BINS := $(UNIT_SRCS:tests/unit/%.c=$(OBJ)/tests/unit/%)

BIN := $(if $(SANITIZE),$(OBJ)/perf,perf)

all: $(BIN) $(OBJ)/rooms.ok

$(BIN): $(OBJS)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $(OBJS) $(LIB_LIBS) -lm -ldl
	$(Q)$(if $(SANITIZE),,echo "perf is ready: ./perf")

$(OBJ)/libperf.a: $(LIB_OBJS)
	$(Q)rm -f $@ && ar rcs $@ $(LIB_OBJS)

$(OBJ)/%.o: %.c $(O)/gen/config.mk
	@mkdir -p $(@D)
	$(Q)$(if $(Q),echo "  CC $<")
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(OBJ)/tests/unit/%: $(OBJ)/tests/unit/%.o $(OBJ)/libperf.a
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $< $(OBJ)/libperf.a $(LIB_LIBS) -lcmocka -lm -ldl

# Arrows between rooms: only those in util/ROOMS, no cycle.
$(OBJ)/rooms.ok: util/ROOMS scripts/check-rooms $(SRCS) $(wildcard util/*/*.h arch/*.h ui/*/*.h)
	@mkdir -p $(@D)
	$(Q)scripts/check-rooms && touch $@

unit-bins: $(UNIT_BINS)

check: all unit-bins
	tests/run $(if $(SANITIZE),--perf $(BIN)) --unit $(OBJ)/tests/unit

clean:
	rm -rf $(O) perf

-include $(OBJS:.o=.d) $(UNIT_BINS:=.d)

V ?=
Q := $(if $(V),,@)
.PHONY: all check clean unit-bins help install bench
.SECONDARY:
