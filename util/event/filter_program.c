// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Applies filters of tracepoints to samples of a recording: finds what the kernel would have let
 * pass.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "event/filter.h"
#include "event/filter_program.h"
#include "tracepoint/tracepoint.h"

void filter_program_free(struct filter_program *p)
{
	if (!p)
		return;
	vec_for_each(&p->steps, s)
		free(s->text);
	vec_release(&p->steps);
	free(p);
}

static bool compare(enum filter_sign sign, int order)
{
	switch (sign) {
	case SIGN_EQUAL:
		return !order;
	case SIGN_UNEQUAL:
		return order;
	case SIGN_LESS:
		return order < 0;
	case SIGN_LESS_EQUAL:
		return order <= 0;
	case SIGN_GREATER:
		return order > 0;
	default:
		return order >= 0;
	}
}

static bool number_fits(const struct filter_step *step, u64 value, bool is_signed)
{
	int order;

	if (step->sign == SIGN_BITS)
		return value & step->number;
	if (is_signed)
		order = ((s64)value > (s64)step->number) - ((s64)value < (s64)step->number);
	else
		order = (value > step->number) - (value < step->number);
	return compare(step->sign, order);
}

/* Cuts a number to the field's bits, as the kernel does for "-1" or a mask. */
static u64 as_wide_as(const struct tracepoint_field *field, u64 number)
{
	unsigned unused = field->size && field->size < 8 ? 64 - 8 * field->size : 0;

	if (field->flags & FIELD_SIGNED)
		return (u64)((s64)(number << unused) >> unused);
	return number << unused >> unused;
}

static bool field_fits(const struct filter_step *step, const struct filter_sample *s)
{
	struct filter_step wide = *step;
	u64 value;

	if (!tracepoint_get_int(s->formats, step->field, s->raw, s->raw_size, &value))
		return false;
	if (step->sign == SIGN_EQUAL || step->sign == SIGN_UNEQUAL)
		wide.number = as_wide_as(step->field, step->number);
	return number_fits(&wide, value, step->field->flags & FIELD_SIGNED);
}

static bool text_fits(const struct filter_step *step, const char *text, size_t length)
{
	char *copy = xstrndup(text, length);
	bool fits = step->sign == SIGN_GLOB
			    ? glob_match(step->text, copy)
			    : !strcmp(step->text, copy) == (step->sign == SIGN_EQUAL);

	free(copy);
	return fits;
}

static bool text_field_fits(const struct filter_step *step, const struct filter_sample *s)
{
	u32 length = 0;
	const char *text =
		tracepoint_get_bytes(s->formats, step->field, s->raw, s->raw_size, &length);

	return text && text_fits(step, text, strnlen(text, length));
}

static bool step_fits(const struct filter_step *step, const struct filter_sample *s)
{
	switch (step->code) {
	case STEP_NUMBER:
		return field_fits(step, s);
	case STEP_TEXT:
		return text_field_fits(step, s);
	case STEP_CPU:
		return number_fits(step, s->cpu, false);
	default:
		return text_fits(step, s->comm, strlen(s->comm));
	}
}

bool filter_matches(const struct filter_program *p, const struct filter_sample *s)
{
	bool stack[2 * FILTER_DEPTH + 4]; /* two operands may wait in each pair of brackets */
	size_t top = 0;

	vec_for_each(&p->steps, step) {
		switch (step->code) {
		case STEP_NOT:
			stack[top - 1] = !stack[top - 1];
			break;
		case STEP_AND:
			top--;
			stack[top - 1] = stack[top - 1] && stack[top];
			break;
		case STEP_OR:
			top--;
			stack[top - 1] = stack[top - 1] || stack[top];
			break;
		default:
			stack[top++] = step_fits(step, s);
		}
	}
	return top && stack[0];
}
