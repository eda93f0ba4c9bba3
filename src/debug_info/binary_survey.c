/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "debug_info/binary_survey.h"

#include <stdatomic.h>
#include <string.h>

#include "locate/debug_links.h"
#include "sframe/sframes.h"

struct survey_slot {
	_Atomic(const struct binary_survey *) survey;	/* NULL: no survey yet */
};

static void
fill(struct binary_survey *survey, struct binaries *binaries, size_t module)
{
	struct debug_link link;
	bool has_dwarf = false;

	survey->image = binaries_load(binaries, module, LOCATE_IMAGE);
	survey->debug = binaries_load(binaries, module, LOCATE_DEBUG);
	if (survey->debug != NULL && debug_link_read_supplement(survey->debug, &link))
		memcpy(survey->supplement_id, link.id, sizeof(link.id));
	if (survey->debug == survey->image)
		survey->debug = NULL;
	survey->supplement = binaries_load(binaries, module, LOCATE_SUPPLEMENT);
	survey->name_count = debug_info_sources(binaries, module, survey->names);
	for (unsigned i = 0; i < FRAME_TABLES; i++)
		if (frame_tables_file(binaries, module, i) != NULL)
			survey->tables[survey->table_count++] = frame_tables_name(i);
	if (sframes_load(binaries, module) != NULL)
		survey->sframe = sframes_found(binaries, module);
	for (size_t i = 0; i < survey->name_count; i++)
		has_dwarf = has_dwarf || survey->names[i].unit_count > 0;
	binaries_near_misses(binaries, module, survey->image == NULL,
			     !has_dwarf && survey->debug == NULL, &survey->near);
}

/* Make a survey and store it in place of the old survey, which stays valid. */
static void
survey_now(struct binaries_reader *reader, size_t module, const struct binary_survey *before)
{
	struct survey_slot *slot = (struct survey_slot *)reader->slots + module;
	struct binary_survey survey = { .image = NULL };

	fill(&survey, reader->binaries, module);
	pthread_mutex_lock(&reader->mutex);
	struct binary_survey *kept = atomic_load(&slot->survey) == before
					     ? arena_alloc(&reader->arena, sizeof(*kept)) : NULL;
	if (kept != NULL) {
		*kept = survey;
		atomic_store(&slot->survey, kept);
	}
	pthread_mutex_unlock(&reader->mutex);
}

/* Repeat a module's survey, if it has one. Called after servers have sent files. */
static void
survey_again(struct binaries_reader *reader, size_t module)
{
	struct survey_slot *slot = (struct survey_slot *)reader->slots + module;
	const struct binary_survey *known = atomic_load(&slot->survey);

	if (known != NULL)
		survey_now(reader, module, known);
}

static struct binaries_reader *
reader_of(const struct binaries *binaries, size_t module)
{
	static const struct binaries_reader_kind kind = {
		.room = BINARIES_SURVEYS, .slot_size = sizeof(struct survey_slot),
		.served = survey_again };

	return binaries_reader(binaries, &kind, module);
}

const struct binary_survey *
binaries_surveyed(const struct binaries *binaries, size_t module)
{
	struct binaries_reader *reader = reader_of(binaries, module);

	return reader != NULL ? atomic_load(&((struct survey_slot *)reader->slots + module)->survey)
			      : NULL;
}

void
binaries_survey(struct binaries *binaries, size_t module)
{
	struct binaries_reader *reader = reader_of(binaries, module);

	if (reader != NULL && binaries_configured(binaries) &&
	    binaries_surveyed(binaries, module) == NULL)
		survey_now(reader, module, NULL);
}
