// SPDX-License-Identifier: GPL-2.0-or-later
/* What the objects have at the places of a sample: instructions and lines of source. */
#include <string.h>

#include "builtin/script/internal.h"
#include "profile/gather.h"

enum { MOST_INSN = 16, MOST_BLOCK = 16384 - MOST_INSN }; /* bytes, of any machine */

struct annotator *script_code(struct script *s)
{
	const struct annotate_settings set = { .no_source = true };

	if (!s->code)
		s->code = annotate_open(s->session, &set);
	return s->code;
}

void script_code_release(struct script *s)
{
	annotator_free(s->code);
	vec_release(&s->insns.lines);
	strbuf_release(&s->insns.text);
	map64_release(&s->last_lines);
}

bool script_in_kernel(const struct script *s, u64 addr)
{
	return addr >= s->arch->kernel_start;
}

bool script_locate_code(struct script *s, const struct session_sample *ss, u64 addr,
			struct location *l)
{
	u8 mode = script_in_kernel(s, addr) ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;

	*l = (struct location){ 0 };
	return addr && history_locate(s->history, ss->task, mode, addr, &ss->key, l) && l->image;
}

struct code_piece *script_code_between(struct script *s, const struct session_sample *ss, u64 start,
				       u64 end)
{
	struct location l;

	if (!end || end - start > MOST_BLOCK || !script_locate_code(s, ss, start, &l))
		return NULL;
	return code_piece_open(script_code(s), l.image, l.offset, end - start + MOST_INSN, NULL);
}

/* Prints " ilen: 3 insn: 48 01 c2" and the instruction's text, or the requested parts. */
static void render(struct script *s, const struct event_view *v, const struct location *l,
		   struct strbuf *b)
{
	struct code_piece *piece =
		l->image ? code_piece_open(script_code(s), l->image, l->offset, MOST_INSN, NULL)
			 : NULL;
	struct strbuf text = STRBUF_INIT;
	const u8 *bytes = NULL;
	size_t size = 0;
	u32 length = 0;
	u8 flow;

	if (piece) {
		bytes = code_piece_bytes(piece, &size);
		length = code_piece_decode(piece, 0, &text, &flow);
	}
	if (shows(v, SHOW_INSNLEN))
		strbuf_f(b, " ilen: %u", length);
	if (shows(v, SHOW_INSN) && length) {
		strbuf_str(b, " insn:");
		for (u32 i = 0; i < length; i++) {
			strbuf_char(b, ' ');
			strbuf_hex_zero(b, bytes[i], 2);
		}
	}
	if (shows(v, SHOW_DISASM) && length) {
		strbuf_str(b, "\t\t");
		strbuf_printable(b, strbuf_cstr(&text));
	}
	strbuf_release(&text);
	code_piece_free(piece);
}

/*
 * Returns the slot for the text of a frame's instruction. All events of one type show the same
 * fields.
 */
static struct line *slot_of(struct insn_texts *t, frame_id id)
{
	while (t->lines.count <= id)
		vec_push(&t->lines, (struct line){ 0 });
	return &t->lines.items[id];
}

void script_add_insn(struct script *s, const struct event_view *v, const struct session_sample *ss,
		     struct strbuf *b)
{
	struct insn_texts *t = &s->insns;
	struct line *line;

	if (!shows(v, SHOW_INSN) && !shows(v, SHOW_INSNLEN) && !shows(v, SHOW_DISASM))
		return;
	line = slot_of(t, script_frame_of(s, ss->sample->ip, (u8)v->type, &ss->leaf));
	if (!line->len) {
		line->at = t->text.len;
		render(s, v, &ss->leaf, &t->text);
		strbuf_char(&t->text, '\n'); /* an entry is never empty */
		line->len = (u32)(t->text.len - line->at);
	}
	strbuf_add(b, t->text.s + line->at, line->len - 1);
}

/* Reports whether the line is another than the one shown last for the task. */
static bool is_new_line(struct script *s, const struct task *task, const char *file, u32 line)
{
	u64 key = hash_combine(hash_bytes(file, strlen(file)), line) | 1;
	u64 *last = map64_put(&s->last_lines, task->id, NULL);

	if (*last == key)
		return false;
	*last = key;
	return true;
}

bool script_add_source_code(struct script *s, const struct session_sample *ss,
			    const struct location *l, struct strbuf *b)
{
	const struct frame f = { .image = l->image, .offset = l->offset };
	struct source_frame frame;
	const char *text;
	size_t len, start;

	if (!script_source_frames(s, &f, l->offset, &frame, 1) || !frame.file || !frame.line)
		return false;
	text = annotator_source_line(script_code(s), frame.file, frame.line, &len);
	if (!text || !is_new_line(s, ss->task, frame.file, frame.line))
		return false;
	strbuf_f(b, "|%-8u ", frame.line);
	start = b->len;
	strbuf_add(b, text, len);
	strbuf_printable_from(b, start);
	return true;
}
