// SPDX-License-Identifier: GPL-2.0-or-later
/* Build-ids of the file's table, for images whose records say none. */
#include <string.h>
#include <sys/utsname.h>

#include "arch/arch.h"
#include "base/trace.h"
#include "session/internal.h"

/*
 * Notes whether the file comes from another machine or kernel than the running one, as its
 * architecture and release show.
 */
static void note_origin(struct session *s)
{
	const char *arch = data_feature_string(s->data, FEATURE_ARCH);
	const char *release = data_feature_string(s->data, FEATURE_OSRELEASE);
	struct utsname u;

	if ((!arch && !release) || uname(&u))
		return;
	s->origin_known = true;
	if ((arch && arch_by_name(arch) != arch_host()) || (release && strcmp(release, u.release)))
		symbol_store_set_foreign(s->symbols);
}

/* Gives the ids in the file's table of build-ids to images whose records had none. */
void session_apply_build_ids(struct session *s)
{
	size_t count;
	const struct data_build_id *ids = data_build_ids(s->data, &count);

	if (!s->origin_known)
		note_origin(s);
	for (size_t i = s->build_ids_applied; i < count; i++) {
		u8 mode = ids[i].misc & PERF_RECORD_MISC_CPUMODE_MASK;
		struct build_id id = { .size = MIN(ids[i].size, 20) };

		memcpy(id.id, ids[i].id, id.size);
		image_apply_build_id(s->images, ids[i].name,
				     mode == PERF_RECORD_MISC_KERNEL ||
					     mode == PERF_RECORD_MISC_GUEST_KERNEL,
				     history_machine(mode, (u32)ids[i].pid), &id);
	}
	s->build_ids_applied = count;
}

void session_apply_new_build_ids(struct session *s)
{
	size_t ids;
	u32 images;

	if (!s->data)
		return;
	data_build_ids(s->data, &ids);
	if (!ids)
		return;
	images = image_count(s->images);
	if (ids == s->build_ids_applied && images == s->images_named)
		return;
	s->build_ids_applied = 0;
	session_apply_build_ids(s);
	s->images_named = images;
}
