/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/binary_survey.h"

#include <string.h>

#include "locate/binaries_internal.h"
#include "sframe/sframes.h"

static void
fill(struct binary_survey *survey, struct binaries *binaries, size_t module)
{
	struct debug_link link;

	survey->image = binaries_load(binaries, module, BINARIES_IMAGE);
	survey->debug = binaries_load(binaries, module, BINARIES_DEBUG);
	if (survey->debug != NULL && debug_link_read_supplement(survey->debug, &link))
		memcpy(survey->supplement_id, link.id, sizeof(link.id));
	if (survey->debug == survey->image)
		survey->debug = NULL;
	survey->supplement = binaries_load(binaries, module, BINARIES_SUPPLEMENT);
	survey->name_count =
		debug_info_sources(binaries->debug_info, module, survey->names);
	for (unsigned i = 0; i < FRAME_TABLES; i++)
		if (frame_tables_file(binaries->frame_tables, module, i) != NULL)
			survey->tables[survey->table_count++] = frame_tables_name(i);
	if (sframes_load(binaries->sframes, module) != NULL)
		survey->sframe = sframes_found(binaries->sframes, module);
}

const struct binary_survey *
binaries_surveyed(const struct binaries *binaries, size_t module)
{
	return binaries != NULL && module < binaries->crash->module_count
		       ? atomic_load(&binaries->slots[module].survey)
		       : NULL;
}

/* Survey, and keep that in the place of what was kept before, which lives on. */
static void
survey_now(struct binaries *binaries, size_t module, const struct binary_survey *before)
{
	_Atomic(const struct binary_survey *) *slot = &binaries->slots[module].survey;
	struct binary_survey survey = { .image = NULL };

	fill(&survey, binaries, module);
	pthread_mutex_lock(&binaries->mutex);
	struct binary_survey *kept =
		atomic_load(slot) == before ? arena_alloc(&binaries->arena, sizeof(*kept)) : NULL;
	if (kept != NULL) {
		binaries_find_near(binaries, module, &survey);
		*kept = survey;
		atomic_store(slot, kept);
	}
	pthread_mutex_unlock(&binaries->mutex);
}

const struct binary_survey *
binaries_survey(struct binaries *binaries, size_t module)
{
	const struct binary_survey *known = binaries_surveyed(binaries, module);

	if (known != NULL || !binaries_configured(binaries) ||
	    module >= binaries->crash->module_count)
		return known;
	survey_now(binaries, module, NULL);
	return binaries_surveyed(binaries, module);
}

void
binaries_survey_again(struct binaries *binaries, size_t module)
{
	const struct binary_survey *known = binaries_surveyed(binaries, module);

	if (known != NULL)
		survey_now(binaries, module, known);
}
