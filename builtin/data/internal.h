/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declarations that the files of this component share. */
#ifndef BUILTIN_DATA_INTERNAL_H
#define BUILTIN_DATA_INTERNAL_H

#include "base/bytes.h"
#include "base/hash.h"
#include "base/out.h"
#include "builtin/data/convert.h"
#include "chain/chain.h"
#include "session/choice.h"
#include "tracepoint/tracepoint.h"

struct convert {
	struct convert_settings *s;
	struct session *session;
	struct data_reader *data;
	const struct tracepoint_formats *formats; /* or NULL */
	struct sample_choice choice;
	s64 tod_offset;             /* added to times */
	u64 samples, others, bytes; /* counts of records */
	void *writer;
};

/* What a writer does; each 0 or -errno with a reason. */
struct convert_writer {
	int (*begin)(struct convert *c, struct reason *r);
	int (*sample)(struct convert *c, const struct session_sample *s, struct reason *r);
	/* NULL: takes no side-band. time: ns */
	int (*record)(struct convert *c, const struct record *rec, u64 time, struct reason *r);
	/* whole: the recording was read to its end; an incomplete result is removed */
	int (*end)(struct convert *c, bool whole, struct reason *r);
};
extern const struct convert_writer json_writer, ctf_writer;

/*
 * Adds the name of a field, which becomes "NAME_dupl_N" if a field before it or a reserved key has
 * the name.
 */
void field_name(const struct tracepoint_format *f, u32 field, const char *const *reserved,
		struct strbuf *out);

#endif
