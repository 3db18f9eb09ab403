// SPDX-License-Identifier: GPL-2.0-or-later
/* Results as JUnit XML. */
#include "base/replace.h"
#include "base/strbuf.h"
#include "builtin/test/runner.h"

static void xml_text(struct strbuf *b, const char *s)
{
	for (; *s; s++) {
		if (*s == '<')
			strbuf_str(b, "&lt;");
		else if (*s == '&')
			strbuf_str(b, "&amp;");
		else if (*s == '"')
			strbuf_str(b, "&quot;");
		else if ((unsigned char)*s >= 0x20 || *s == '\n' || *s == '\t')
			strbuf_char(b, *s);
	}
}

static void junit_case(struct strbuf *b, const struct selftest_run *run)
{
	static const char *const tags[] = { NULL, "skipped", "failure" };

	strbuf_str(b, "    <testcase classname=\"perf\" name=\"");
	xml_text(b, run->row->name);
	strbuf_f(b, "\" time=\"%.3f\">", run->seconds);
	if (tags[run->result]) {
		strbuf_f(b, "<%s message=\"", tags[run->result]);
		xml_text(b, run->reason);
		strbuf_str(b, "\"/>");
	}
	if (*run->log) {
		strbuf_str(b, "<system-out>");
		xml_text(b, run->log);
		strbuf_str(b, "</system-out>");
	}
	strbuf_str(b, "</testcase>\n");
}

int selftest_junit(const char *path, const selftest_runs *runs, struct reason *r)
{
	unsigned counts[3] = { 0 };
	struct strbuf b = STRBUF_INIT;
	int err;

	vec_for_each(runs, run)
		counts[run->result]++;
	strbuf_f(&b,
		 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
		 "  <testsuite name=\"perf\" tests=\"%zu\" failures=\"%u\" skipped=\"%u\">\n",
		 runs->count, counts[SELFTEST_FAILED], counts[SELFTEST_SKIP]);
	vec_for_each(runs, run)
		junit_case(&b, run);
	strbuf_str(&b, "  </testsuite>\n</testsuites>\n");
	err = replace_text(path, b.s, b.len, 0666, REPLACE_ANY, r);
	strbuf_release(&b);
	return err;
}
