/* SPDX-License-Identifier: GPL-3.0-or-later */

/*
 * A library for LD_PRELOAD that makes allocations of a program fail. Each process counts its own
 * allocations from main on, including those of its libraries.
 *	FAIL_MEMORY=only:N	the N-th fails
 *	FAIL_MEMORY=after:N	the N-th and all later ones fail
 *	FAIL_MEMORY=note:DEPTH	none fails; descriptor 9 gets the number of each allocation that
 *				is the first with these DEPTH callers, and the total at the end
 *
 *
 * FAIL_MEMORY_SPARE names libraries, separated by blanks, whose allocations never fail: libraries
 * that crash without memory through a fault of their own.
 */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The C library exports its own functions under these names. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

enum { NOTES = 9, DEPTH = 32, SEEN = 1 << 16 };

static enum { OFF, ONLY, AFTER, NOTE } mode;
static long number;
static atomic_long asked;
static _Thread_local bool inside;
static atomic_uint_least64_t seen[SEEN];

/* True if these DEPTH callers have not allocated before. */
static bool
first_from(long depth)
{
	void *callers[DEPTH];
	uint64_t hash = 14695981039346656037u;
	const int count = backtrace(callers, (int)depth + 3);

	for (int i = 3; i < count; i++)
		hash = (hash ^ (uintptr_t)callers[i]) * 1099511628211u;
	for (size_t i = hash % SEEN, left = SEEN; left > 0; i = (i + 1) % SEEN, left--) {
		uint_least64_t none = 0;
		if (atomic_compare_exchange_strong(&seen[i], &none, hash))
			return true;
		if (none == hash)
			return false;
	}
	return false;
}

/* The address ranges of the spared libraries. They are linked, so they are loaded at the start. */
static struct range {
	uintptr_t first, end;
} spared[8];
static size_t spared_count;

static int
note_spared(struct dl_phdr_info *info, size_t size, void *context)
{
	const char *const base = strrchr(info->dlpi_name, '/');
	const char *const end = base != NULL ? strchr(base, '.') : NULL;
	char names[256], name[64];

	(void)size;
	if (end == NULL || spared_count == sizeof(spared) / sizeof(*spared))
		return 0;
	snprintf(names, sizeof(names), " %s ", (const char *)context);
	snprintf(name, sizeof(name), " %.*s ", (int)(end - base - 1), base + 1);
	if (strstr(names, name) == NULL)
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_X) != 0)
			spared[spared_count++] =
				(struct range){ info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, info->dlpi_addr + info->dlpi_phdr[i].p_vaddr +
							info->dlpi_phdr[i].p_memsz };
	return 0;
}

/* True if a spared library allocates, directly or through the C library. */
static bool
is_spared(void)
{
	void *callers[DEPTH];
	const int count = spared_count > 0 ? backtrace(callers, DEPTH) : 0;

	for (int i = 0; i < count; i++)
		for (size_t j = 0; j < spared_count; j++)
			if ((uintptr_t)callers[i] - spared[j].first < spared[j].end - spared[j].first)
				return true;
	return false;
}

static bool
fails(void)
{
	bool refused = false;

	if (mode == OFF || inside)
		return false;
	const long now = atomic_fetch_add(&asked, 1) + 1;

	inside = true;
	if (mode == NOTE && first_from(number))
		dprintf(NOTES, "%ld\n", now);
	else if (mode == ONLY)
		refused = now == number;
	else if (mode == AFTER)
		refused = now >= number;
	refused = refused && !is_spared();
	inside = false;
	if (refused)
		errno = ENOMEM;
	return refused;
}

void *
malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *
calloc(size_t count, size_t size)
{
	return fails() ? NULL : __libc_calloc(count, size);
}

void *
realloc(void *block, size_t size)
{
	return fails() ? NULL : __libc_realloc(block, size);
}

void *
aligned_alloc(size_t alignment, size_t size)
{
	return fails() ? NULL : __libc_memalign(alignment, size);
}

int
posix_memalign(void **block, size_t alignment, size_t size)
{
	if (fails())
		return ENOMEM;
	*block = __libc_memalign(alignment, size);
	return *block == NULL ? ENOMEM : 0;
}

void *
mmap(void *address, size_t length, int protection, int flags, int descriptor, off_t offset)
{
	if (fails())
		return MAP_FAILED;
	return (void *)syscall(SYS_mmap, address, length, protection, flags, descriptor, offset);
}

static void
note_end(void)
{
	if (mode == NOTE)
		dprintf(NOTES, "%ld allocations\n", atomic_load(&asked));
}

/* The start of main. Earlier allocations, by the loader and by constructors, do not count. */
int
__libc_start_main(int (*program)(int, char **, char **), int argc, char **argv, void (*init)(void),
		  void (*fini)(void), void (*loader_fini)(void), void *stack_end)
{
	int (*const start)(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void), void (*)(void),
			   void *) = dlsym(RTLD_NEXT, "__libc_start_main");
	const char *const rule = getenv("FAIL_MEMORY");
	const char *const spare = getenv("FAIL_MEMORY_SPARE");
	void *callers[1];

	if (rule != NULL && strchr(rule, ':') != NULL) {
		number = atol(strchr(rule, ':') + 1);
		/* The first call of backtrace() allocates memory itself. */
		backtrace(callers, 1);
		if (number > DEPTH - 3 && rule[0] == 'n')
			number = DEPTH - 3;
		if (spare != NULL)
			dl_iterate_phdr(note_spared, (void *)spare);
		atexit(note_end);
		mode = rule[0] == 'n' ? NOTE : rule[0] == 'o' ? ONLY : AFTER;
	}
	return start(program, argc, argv, init, fini, loader_fini, stack_end);
}
