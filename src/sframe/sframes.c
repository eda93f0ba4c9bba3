/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sframe/sframes.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "sframe/sframe_find.h"

/* The section of one module; set before `done` says so. */
struct sframe_slot {
	atomic_bool done;
	bool looked;			/* in the dump's memory */
	bool there;
	struct sframe sframe;
	const char *how;
};

struct sframes {
	const struct crash *crash;
	struct binaries *binaries;
	struct sframe_slot *slots;		/* one a loaded module */
	struct memory_view memory;
	struct arena arena;
	struct message_list messages;
	pthread_mutex_t mutex;		/* all but a slot that is done */
};

static void *
create(const struct crash *crash, struct binaries *binaries)
{
	struct sframes *sframes = calloc(1, sizeof(*sframes));

	if (sframes == NULL)
		return NULL;
	arena_init(&sframes->arena, 0);
	message_list_init(&sframes->messages, &sframes->arena);
	sframes->crash = crash;
	sframes->binaries = binaries;
	sframes->slots = arena_array(&sframes->arena, crash->module_count + 1,
				     sizeof(*sframes->slots));
	if (sframes->slots == NULL || pthread_mutex_init(&sframes->mutex, NULL) != 0) {
		arena_free(&sframes->arena);
		free(sframes);
		return NULL;
	}
	for (size_t i = 0; i <= crash->module_count; i++)
		atomic_init(&sframes->slots[i].done, false);
	memory_view_all(&sframes->memory, crash, &sframes->arena);
	return sframes;
}

static void
release(void *reader)
{
	struct sframes *sframes = reader;

	if (sframes == NULL)
		return;
	for (size_t i = 0; i < sframes->crash->module_count; i++)
		sframe_close(&sframes->slots[i].sframe);
	pthread_mutex_destroy(&sframes->mutex);
	arena_free(&sframes->arena);
	free(sframes);
}

struct sframes *
binaries_sframes(const struct binaries *binaries)
{
	static const struct binaries_reader_kind kind = { .create = create, .release = release };

	return binaries_reader(binaries, BINARIES_SFRAMES, &kind);
}

void
sframes_set(struct sframes *sframes, size_t module, struct sframe *sframe)
{
	struct sframe_slot *slot = &sframes->slots[module];

	slot->sframe = *sframe;
	/* The list moved with its section. */
	slot->sframe.messages.arena = &slot->sframe.arena;
	slot->there = true;
	slot->how = "raw section";
	*sframe = (struct sframe){ 0 };
	atomic_store(&slot->done, true);
}

/* A section of another architecture than the dump's is of no use here. */
static bool
fits(struct sframes *sframes, const struct sframe_slot *slot)
{
	const struct sframe_table *table = &slot->sframe.tables[0];

	if (sframe_arch(table->abi) == sframes->crash->system.arch)
		return true;
	message_add(&sframes->messages, MESSAGE_SFRAME_SECTION,
		    reader_place(&table->reader, 4, 1),
		    "an SFrame section for %s in a crash on %s\nit is not used",
		    sframe_abi_name(table->abi), sframes->crash->system.cpu_name);
	return false;
}

static bool
keep(struct sframes *sframes, struct sframe_slot *slot, enum error_code code,
     const struct error *error, const char *how)
{
	if (code != ERROR_NONE) {
		message_add(&sframes->messages, MESSAGE_SFRAME_SECTION, error->place,
			    "%s\nthe section is not used", error->text);
		return false;
	}
	if (!fits(sframes, slot)) {
		sframe_close(&slot->sframe);
		return false;
	}
	slot->there = true;
	slot->how = how;
	return true;
}

static bool
open_in_memory(struct sframes *sframes, size_t index)
{
	const struct module *module = &sframes->crash->modules[index];
	const struct sframe_code code = { module->base, module->base + module->size - 1 };
	struct sframe_slot *slot = &sframes->slots[index];
	struct sframe_bytes bytes;
	struct error error = { 0 };

	if (module->size == 0 || !sframe_in_memory(&sframes->memory, module, &bytes))
		return false;
	enum error_code result = sframe_open(&slot->sframe, bytes.input, bytes.data, bytes.size,
					     bytes.offset, bytes.address, &code, 1, &error);
	return keep(sframes, slot, result, &error, bytes.how);
}

/* False: another file may still come. */
static bool
open_in_file(struct sframes *sframes, size_t index)
{
	bool settled;
	const struct binary *binary =
		binaries_try(sframes->binaries, index, BINARIES_IMAGE, &settled);
	const uint64_t base = sframes->crash->modules[index].base;
	struct sframe_slot *slot = &sframes->slots[index];
	struct sframe_bytes bytes;
	struct error error = { 0 };
	const char *why_not;

	if (binary == NULL || !sframe_in_binary(binary, &bytes, &why_not))
		return settled;
	enum error_code result = sframe_open_binary(&slot->sframe, binary, &bytes,
						    base - binary->linked_base, &error);
	keep(sframes, slot, result, &error, bytes.how);
	return true;
}

const struct sframe *
sframes_load(struct sframes *sframes, size_t module)
{
	if (sframes == NULL || module >= sframes->crash->module_count)
		return NULL;
	struct sframe_slot *slot = &sframes->slots[module];
	if (!atomic_load_explicit(&slot->done, memory_order_acquire)) {
		pthread_mutex_lock(&sframes->mutex);
		if (!atomic_load(&slot->done)) {
			const bool there = !slot->looked && open_in_memory(sframes, module);

			slot->looked = true;
			atomic_store_explicit(&slot->done, there || open_in_file(sframes, module),
					      memory_order_release);
		}
		pthread_mutex_unlock(&sframes->mutex);
	}
	return sframes_peek(sframes, module);
}

/* A slot that was opened, or NULL. */
static const struct sframe_slot *
peek(const struct sframes *sframes, size_t module)
{
	if (sframes == NULL || module >= sframes->crash->module_count ||
	    !atomic_load_explicit(&sframes->slots[module].done, memory_order_acquire))
		return NULL;
	return &sframes->slots[module];
}

const struct sframe *
sframes_peek(const struct sframes *sframes, size_t module)
{
	const struct sframe_slot *slot = peek(sframes, module);

	return slot != NULL && slot->there ? &slot->sframe : NULL;
}

const char *
sframes_found(const struct sframes *sframes, size_t module)
{
	const struct sframe_slot *slot = peek(sframes, module);

	return slot != NULL ? slot->how : NULL;
}

const struct message_list *
sframes_messages(const struct sframes *sframes)
{
	return sframes != NULL ? &sframes->messages : NULL;
}
