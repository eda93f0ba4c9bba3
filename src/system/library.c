/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "system/shortage.h"

bool
library_load(const char *const *names, const struct library_function *functions, void *table)
{
	void *library = NULL;

	for (; library == NULL && *names != NULL; names++) {
		library = dlopen(*names, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
		const char *why = library == NULL ? dlerror() : NULL;
		/* A missing library is not a shortage. */
		if (why != NULL && strstr(why, strerror(ENOENT)) == NULL)
			shortage_note_text(*names, why);
	}
	for (; library != NULL && functions->name != NULL; functions++) {
		void *function = dlsym(library, functions->name);

		if (function == NULL)
			return false;
		memcpy((char *)table + functions->offset, &function, sizeof(function));
	}
	return library != NULL;
}
