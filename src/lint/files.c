/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "base/compiler.h"
#include "lint/lint.h"
#include "system/crew.h"

/* Many symbol files: read by all processors, reported in their order. */

enum {
	MOST_THREADS = 16,
};

struct lint_file_crew {
	const struct gathered_files *paths;
	const struct lint_options *options;
	void (*tell)(void *context, size_t index, const struct lint *lint);
	void *context;
	struct lint lints[CREW_MOST_AHEAD];
};

static void
read_file(void *context, size_t item)
{
	struct lint_file_crew *crew = context;
	struct lint *lint = &crew->lints[item % CREW_MOST_AHEAD];
	struct error error = { 0 };

	/* An unreadable file is a finding. */
	if (lint_file(lint, crew->paths->list[item], crew->options, &error) != ERROR_NONE)
		lint_unreadable(lint, error.text);
}

static void
report_file(void *context, size_t item)
{
	struct lint_file_crew *crew = context;
	struct lint *lint = &crew->lints[item % CREW_MOST_AHEAD];

	crew->tell(crew->context, item, lint);
	lint_free(lint);
}

bool
lint_files(const struct gathered_files *paths, const struct lint_options *options,
	   void (*tell)(void *context, size_t index, const struct lint *lint), void *context)
{
	struct lint_file_crew *crew = calloc(1, sizeof(*crew));

	if (crew == NULL)
		return false;
	crew->paths = paths;
	crew->options = options;
	crew->tell = tell;
	crew->context = context;
	const bool good = crew_run_in_order(crew_size(MOST_THREADS), paths->count, CREW_MOST_AHEAD,
					    read_file, report_file, crew);
	free(crew);
	return good;
}
