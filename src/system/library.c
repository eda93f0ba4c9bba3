/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "system/shortage.h"

bool
library_load(const char *const *names, const struct library_function *functions, size_t count,
	     void *table)
{
	void *library = NULL;

	for (; library == NULL && *names != NULL; names++) {
		library = dlopen(*names, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
		const char *why = library == NULL ? dlerror() : NULL;
		/* A missing library is not a shortage. */
		if (why != NULL && strstr(why, strerror(ENOENT)) == NULL)
			shortage_note_text(*names, why);
	}
	for (size_t i = 0; library != NULL && i < count; i++) {
		void *function = dlsym(library, functions[i].name);

		if (function == NULL)
			return false;
		memcpy((char *)table + functions[i].offset, &function, sizeof(function));
	}
	return library != NULL;
}
