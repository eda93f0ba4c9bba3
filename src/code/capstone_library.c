/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/capstone_library.h"

#ifdef HAVE_CAPSTONE

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* One call of capstone 4 allocates up to 20 KiB (x86); all threads may call it at once. */
#define RESERVE (1u << 20)
#define ALIGNMENT 16u

static _Alignas(ALIGNMENT) unsigned char reserve[RESERVE];
static atomic_size_t taken;
static pthread_once_t prepared = PTHREAD_ONCE_INIT;
static struct capstone_library lib;
static bool loaded;

static void *
from_reserve(size_t size)
{
	if (size > RESERVE)
		return NULL;
	const size_t rounded = (size + ALIGNMENT) & ~(size_t)(ALIGNMENT - 1);
	const size_t begin = atomic_fetch_add(&taken, rounded);

	return begin <= RESERVE - rounded ? reserve + begin : NULL;
}

static void *
allocate(size_t size)
{
	void *block = malloc(size);

	return block != NULL ? block : from_reserve(size);
}

/* The reserve is zeroed, and no byte of it is used twice. */
static void *
allocate_zeros(size_t count, size_t size)
{
	void *block = calloc(count, size);

	return block != NULL || (size != 0 && count > RESERVE / size) ? block
								      : from_reserve(count * size);
}

static bool
is_reserve(const void *block)
{
	return (uintptr_t)block - (uintptr_t)reserve < RESERVE;
}

/* Capstone requires this function, but calls it only for more than 32 instructions at once. */
static void *
allocate_again(void *block, size_t size)
{
	return is_reserve(block) ? NULL : realloc(block, size);
}

static void
release(void *block)
{
	if (!is_reserve(block))
		free(block);
}

static void
prepare(void)
{
	cs_opt_mem functions = { allocate, allocate_zeros, allocate_again, release, vsnprintf };

	loaded = LIBRARY_FILL(CAPSTONE_SYMBOLS, "libcapstone", CS_API_MAJOR);
	if (loaded)
		lib.cs_option(0, CS_OPT_MEM, (uintptr_t)&functions);
}

const struct capstone_library *
capstone(void)
{
	return &lib;
}

bool
capstone_has_memory(void)
{
	return atomic_load(&taken) == 0;
}

bool
capstone_open(cs_arch arch, cs_mode mode, csh *handle)
{
	pthread_once(&prepared, prepare);
	return loaded && capstone_has_memory() && lib.cs_open(arch, mode, handle) == CS_ERR_OK;
}

#endif
