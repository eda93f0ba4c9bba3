/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbols/index_guard.h"

#include <stdlib.h>

#include "system/checksum.h"

struct index_guard *
index_guard_create(uint8_t *bytes, size_t size, const uint64_t *sums)
{
	struct index_guard *guard = calloc(1, sizeof(*guard));

	if (guard == NULL)
		return NULL;
	*guard = (struct index_guard){ .bytes = bytes, .size = size, .sums = sums,
				       .blocks = (size + INDEX_BLOCK - 1) / INDEX_BLOCK };
	guard->checked = calloc(guard->blocks + 1, sizeof(*guard->checked));
	if (guard->checked == NULL || pthread_mutex_init(&guard->mutex, NULL) != 0) {
		free(guard->checked);
		free(guard);
		return NULL;
	}
	return guard;
}

void
index_guard_free(struct index_guard *guard)
{
	if (guard == NULL)
		return;
	pthread_mutex_destroy(&guard->mutex);
	free(guard->checked);
	free(guard);
}

void
index_guard_check(struct index_guard *guard, size_t block)
{
	const size_t at = block * INDEX_BLOCK;
	const size_t size = guard->size - at < INDEX_BLOCK ? guard->size - at : INDEX_BLOCK;

	pthread_mutex_lock(&guard->mutex);
	if (atomic_load(&guard->checked[block]) == 0) {
		if (checksum(guard->bytes + at, size, block) != guard->sums[block]) {
			guard->damaged = true;
			if (guard->mend != NULL)
				guard->mend(guard->context, guard);
			for (size_t i = 0; i < guard->blocks; i++)
				atomic_store(&guard->checked[i], 1);
		}
		atomic_store(&guard->checked[block], 1);
	}
	pthread_mutex_unlock(&guard->mutex);
}

void
index_guard_touch_all(struct index_guard *guard, const void *bytes, size_t size)
{
	const uint8_t *from = bytes;

	for (size_t at = 0; at < size; at += INDEX_BLOCK)
		index_guard_touch(guard, from + at);
	if (size != 0)
		index_guard_touch(guard, from + size - 1);
}
