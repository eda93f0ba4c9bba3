/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "debug_info/binary_survey.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "locate/debug_links.h"
#include "sframe/sframes.h"

/* The surveys of one set of files. */
struct surveys {
	const struct crash *crash;
	struct binaries *binaries;
	_Atomic(const struct binary_survey *) *modules;	/* NULL: not asked for */
	struct arena arena;
	pthread_mutex_t mutex;		/* of the arena, and of what is set */
};

static void
fill(struct binary_survey *survey, struct binaries *binaries, size_t module)
{
	struct debug_info *info = binaries_debug_info(binaries);
	struct frame_tables *tables = binaries_frame_tables(binaries);
	struct sframes *sframes = binaries_sframes(binaries);
	struct debug_link link;
	bool has_dwarf = false;

	survey->image = binaries_load(binaries, module, BINARIES_IMAGE);
	survey->debug = binaries_load(binaries, module, BINARIES_DEBUG);
	if (survey->debug != NULL && debug_link_read_supplement(survey->debug, &link))
		memcpy(survey->supplement_id, link.id, sizeof(link.id));
	if (survey->debug == survey->image)
		survey->debug = NULL;
	survey->supplement = binaries_load(binaries, module, BINARIES_SUPPLEMENT);
	survey->name_count = debug_info_sources(info, module, survey->names);
	for (unsigned i = 0; i < FRAME_TABLES; i++)
		if (frame_tables_file(tables, module, i) != NULL)
			survey->tables[survey->table_count++] = frame_tables_name(i);
	if (sframes_load(sframes, module) != NULL)
		survey->sframe = sframes_found(sframes, module);
	for (size_t i = 0; i < survey->name_count; i++)
		has_dwarf = has_dwarf || survey->names[i].unit_count > 0;
	survey->near_count =
		binaries_near_misses(binaries, module, survey->image == NULL,
				     !has_dwarf && survey->debug == NULL, survey->near);
}

/* Survey, and keep that in the place of what was kept before, which lives on. */
static void
survey_now(struct surveys *surveys, size_t module, const struct binary_survey *before)
{
	_Atomic(const struct binary_survey *) *slot = &surveys->modules[module];
	struct binary_survey survey = { .image = NULL };

	fill(&survey, surveys->binaries, module);
	pthread_mutex_lock(&surveys->mutex);
	struct binary_survey *kept =
		atomic_load(slot) == before ? arena_alloc(&surveys->arena, sizeof(*kept)) : NULL;
	if (kept != NULL) {
		*kept = survey;
		atomic_store(slot, kept);
	}
	pthread_mutex_unlock(&surveys->mutex);
}

static void *
create(const struct crash *crash, struct binaries *binaries)
{
	struct surveys *surveys = calloc(1, sizeof(*surveys));

	if (surveys == NULL)
		return NULL;
	*surveys = (struct surveys){ .crash = crash, .binaries = binaries };
	arena_init(&surveys->arena, 0);
	surveys->modules =
		arena_array(&surveys->arena, crash->module_count + 1, sizeof(*surveys->modules));
	if (surveys->modules == NULL || pthread_mutex_init(&surveys->mutex, NULL) != 0) {
		arena_free(&surveys->arena);
		free(surveys);
		return NULL;
	}
	for (size_t i = 0; i < crash->module_count; i++)
		atomic_init(&surveys->modules[i], NULL);
	return surveys;
}

static void
release(void *reader)
{
	struct surveys *surveys = reader;

	if (surveys == NULL)
		return;
	pthread_mutex_destroy(&surveys->mutex);
	arena_free(&surveys->arena);
	free(surveys);
}

/* Survey once more where that was done already: servers have sent files since. */
static void
survey_again(void *reader, size_t module)
{
	struct surveys *surveys = reader;
	const struct binary_survey *known = atomic_load(&surveys->modules[module]);

	if (known != NULL)
		survey_now(surveys, module, known);
}

static struct surveys *
surveys_of(const struct binaries *binaries, size_t module)
{
	static const struct binaries_reader_kind kind = { .create = create, .release = release,
							  .served = survey_again };
	struct surveys *surveys = binaries_reader(binaries, BINARIES_SURVEYS, &kind);

	return surveys != NULL && module < surveys->crash->module_count ? surveys : NULL;
}

const struct binary_survey *
binaries_surveyed(const struct binaries *binaries, size_t module)
{
	const struct surveys *surveys = surveys_of(binaries, module);

	return surveys != NULL ? atomic_load(&surveys->modules[module]) : NULL;
}

const struct binary_survey *
binaries_survey(struct binaries *binaries, size_t module)
{
	struct surveys *surveys = surveys_of(binaries, module);

	if (surveys != NULL && binaries_configured(binaries) &&
	    atomic_load(&surveys->modules[module]) == NULL)
		survey_now(surveys, module, NULL);
	return binaries_surveyed(binaries, module);
}
