// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes what was found, for people and as JSON. */
#include "base/json.h"
#include "base/text.h"
#include "builtin/doctor/internal.h"

void doctor_put_member(struct strbuf *out, const char *name, const char *value)
{
	strbuf_f(out, ",\"%s\":", name);
	if (value)
		json_text(out, value);
	else
		strbuf_str(out, "null");
}

void doctor_put_cause(const char *share, const char *cause, const char *cure, struct strbuf *out)
{
	strbuf_f(out, "    cause: %s", share);
	strbuf_printable(out, cause);
	strbuf_char(out, '\n');
	if (!cure)
		return;
	strbuf_str(out, "    cure: ");
	strbuf_printable(out, cure);
	strbuf_char(out, '\n');
}

void doctor_print(const struct doctor *d, struct strbuf *out)
{
	vec_for_each(&d->findings, f) {
		strbuf_f(out, "can %s: %s\n", f->check->text, f->works ? "yes" : "no");
		if (!f->works)
			doctor_put_cause("", f->why.text, f->why.hint, out);
	}
	if (d->mode == DOCTOR_ALL)
		return;
	strbuf_f(out, "\nperf %s %s here\n", doctor_mode_name(d->mode),
		 doctor_holds(d) ? "works" : "does not work");
}

void doctor_json(const struct doctor *d, struct strbuf *out)
{
	const char *between = "";

	strbuf_char(out, '{');
	if (d->mode != DOCTOR_ALL)
		strbuf_f(out, "\"for\":\"%s\",\"works\":%s,", doctor_mode_name(d->mode),
			 doctor_holds(d) ? "true" : "false");
	strbuf_str(out, "\"abilities\":[");
	vec_for_each(&d->findings, f) {
		strbuf_f(out, "%s\n{\"name\":\"%s\",\"can\":\"%s\",\"works\":%s", between,
			 f->check->name, f->check->text, f->works ? "true" : "false");
		if (d->mode != DOCTOR_ALL)
			strbuf_f(out, ",\"needed\":%s",
				 doctor_needs(d, f->check) ? "true" : "false");
		if (!f->works) {
			doctor_put_member(out, "obstacle", f->why.obstacle);
			doctor_put_member(out, "cause", f->why.text);
			doctor_put_member(out, "cure", f->why.hint);
		}
		strbuf_char(out, '}');
		between = ",";
	}
	strbuf_str(out, "]}\n");
}
