/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/fetch_internal.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A dump may name very many modules. */
#define BUCKETS 4096u

/* A URL of a file and how it was answered, or that of a server and its failures. */
struct remembered {
	struct remembered *next;
	char *url;
	bool answered;
	enum fetch_answer answer;
	char why[FETCH_REASON_SIZE];
	atomic_uint failures;
};

struct fetch_memory {
	pthread_mutex_t mutex;
	struct remembered *buckets[BUCKETS];
};

struct fetch_memory *
fetch_memory_create(void)
{
	struct fetch_memory *memory = calloc(1, sizeof(*memory));

	if (memory != NULL && pthread_mutex_init(&memory->mutex, NULL) != 0) {
		free(memory);
		return NULL;
	}
	return memory;
}

void
fetch_memory_free(struct fetch_memory *memory)
{
	if (memory == NULL)
		return;
	for (size_t i = 0; i < BUCKETS; i++)
		while (memory->buckets[i] != NULL) {
			struct remembered *next = memory->buckets[i]->next;

			free(memory->buckets[i]->url);
			free(memory->buckets[i]);
			memory->buckets[i] = next;
		}
	pthread_mutex_destroy(&memory->mutex);
	free(memory);
}

/* Under the lock: the entry of a URL, made where there is none; NULL when out of memory. */
static struct remembered *
entry_of(struct fetch_memory *memory, const char *url)
{
	uint64_t hash = 14695981039346656037u;

	for (const char *c = url; *c != '\0'; c++)
		hash = (hash ^ (unsigned char)*c) * 1099511628211u;
	struct remembered **bucket = &memory->buckets[hash % BUCKETS], *entry = *bucket;
	while (entry != NULL && strcmp(entry->url, url) != 0)
		entry = entry->next;
	if (entry != NULL || (entry = calloc(1, sizeof(*entry))) == NULL)
		return entry;
	if ((entry->url = strdup(url)) == NULL) {
		free(entry);
		return NULL;
	}
	atomic_init(&entry->failures, 0);
	entry->next = *bucket;
	*bucket = entry;
	return entry;
}

atomic_uint *
fetch_memory_failures(struct fetch_memory *memory, const char *url)
{
	pthread_mutex_lock(&memory->mutex);
	struct remembered *entry = entry_of(memory, url);
	pthread_mutex_unlock(&memory->mutex);
	return entry == NULL ? NULL : &entry->failures;
}

void
fetch_memory_add(struct fetch_memory *memory, const char *url, enum fetch_answer answer,
		 const char *why)
{
	pthread_mutex_lock(&memory->mutex);
	struct remembered *entry = entry_of(memory, url);
	if (entry != NULL) {
		entry->answered = true;
		entry->answer = answer;
		snprintf(entry->why, sizeof(entry->why), "%s", why);
	}
	pthread_mutex_unlock(&memory->mutex);
}

bool
fetch_memory_find(struct fetch_memory *memory, const char *url, enum fetch_answer *answer,
		  char *why)
{
	pthread_mutex_lock(&memory->mutex);
	const struct remembered *entry = entry_of(memory, url);
	const bool found = entry != NULL && entry->answered;
	if (found) {
		*answer = entry->answer;
		memcpy(why, entry->why, sizeof(entry->why));
	}
	pthread_mutex_unlock(&memory->mutex);
	return found;
}

void
fetch_memory_forget(struct fetch_memory *memory, const char *url)
{
	const size_t length = fetch_url_base(url);

	pthread_mutex_lock(&memory->mutex);
	for (size_t i = 0; i < BUCKETS; i++)
		for (struct remembered *entry = memory->buckets[i]; entry != NULL; entry = entry->next)
			if (strncmp(entry->url, url, length) == 0 &&
			    strchr("/?#", entry->url[length]) != NULL) {
				entry->answered = false;
				atomic_store(&entry->failures, 0);
			}
	pthread_mutex_unlock(&memory->mutex);
}
