/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of this component. */
#ifndef DUMP_INTERNAL_H
#define DUMP_INTERNAL_H

#include "event/sample.h"
#include "session/session.h"

/*
 * Appends the registers of AMD's IBS for a sample of its PMUs; appends nothing for other samples
 * (ibs.c).
 */
void dump_ibs(struct data_reader *d, const struct sample *s, struct strbuf *b);

/* Appends the lines of a record of perf's own after its first one (user.c). */
void dump_user_record(const struct event_set *set, const struct record *rec, struct strbuf *b);

#endif
