/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include <errno.h>
#include <string.h>

#include "system/shortage.h"

/*
 * The linker's --wrap sends allocations of the program's own code here, so that callers that
 * continue without memory need not note the shortage. Libraries call the C library's functions
 * directly.
 */
#ifdef HAVE_LINK_WRAP

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);
char *__real_strndup(const char *text, size_t most);
char *__wrap_strndup(const char *text, size_t most);

static void *
noted(void *block)
{
	if (block == NULL)
		shortage_note(ENOMEM, NULL);
	return block;
}

void *
__wrap_malloc(size_t size)
{
	return noted(__real_malloc(size));
}

void *
__wrap_calloc(size_t count, size_t size)
{
	return noted(__real_calloc(count, size));
}

void *
__wrap_realloc(void *block, size_t size)
{
	return noted(__real_realloc(block, size));
}

void *
__wrap_aligned_alloc(size_t alignment, size_t size)
{
	return noted(__real_aligned_alloc(alignment, size));
}

char *
__wrap_strdup(const char *text)
{
	return noted(__real_strdup(text));
}

char *
__wrap_strndup(const char *text, size_t most)
{
	return noted(__real_strndup(text, most));
}

#endif
