/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "system/library.h"

#include <dlfcn.h>
#include <string.h>

bool
library_load(const char *const *names, const struct library_function *functions, size_t count,
	     void *table)
{
	void *library = NULL;

	for (; library == NULL && *names != NULL; names++)
		library = dlopen(*names, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	for (size_t i = 0; library != NULL && i < count; i++) {
		void *function = dlsym(library, functions[i].name);

		if (function == NULL)
			return false;
		memcpy((char *)table + functions[i].offset, &function, sizeof(function));
	}
	return library != NULL;
}
