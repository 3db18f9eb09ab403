// SPDX-License-Identifier: GPL-2.0-or-later
/* Another recording, chosen from the files that are here. */
#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ui/tui/hist_browser.h"
#include "ui/tui/menu.h"
#include "ui/tui/screen.h"

/* Adds the regular files here that start as recorded files do. */
static void add_data_files(struct strlist *files)
{
	DIR *dir = opendir(".");
	struct dirent *d;

	while (dir && (d = readdir(dir))) {
		char magic[8] = "";
		struct stat st;
		int fd = open(d->d_name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

		if (fd < 0)
			continue;
		if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && read(fd, magic, 8) == 8 &&
		    (!memcmp(magic, "PERFILE2", 8) || !memcmp(magic, "2ELIFREP", 8)))
			strlist_add(files, d->d_name);
		close(fd);
	}
	if (dir)
		closedir(dir);
	strlist_sort(files);
}

void browser_choose_file(void *arg, int key)
{
	struct browser *b = arg;
	struct strlist files = { 0 }, shown = { 0 };
	int chosen;

	(void)key;
	add_data_files(&files);
	vec_for_each(&files.list, s) {
		struct strbuf name = STRBUF_INIT;

		strbuf_printable(&name, *s);
		strlist_add(&shown, strbuf_cstr(&name));
		strbuf_release(&name);
	}
	if (!files.list.count) {
		list_say(&b->list, "there are no recordings in this directory");
	} else {
		chosen = menu_choose("Recorded files here", NULL, &shown, 0);
		if (chosen >= 0) {
			b->other = xstrdup(files.list.items[chosen]);
			b->end = SWITCH_FILE;
		}
	}
	strlist_release(&files);
	strlist_release(&shown);
}
