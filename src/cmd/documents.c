/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/documents.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *command;
	const struct fact *facts;
} documents[] = {
	{ "lookup", lookup_document_facts },
};

bool
documents_print_schema(const struct output *output, const char *command)
{
	for (size_t i = 0; i < ARRAY_COUNT(documents); i++) {
		char title[64];

		if (strcmp(documents[i].command, command) != 0)
			continue;
		snprintf(title, sizeof(title), "unspool %s --json", command);
		facts_schema(output, title, documents[i].facts);
		return true;
	}
	return false;
}
