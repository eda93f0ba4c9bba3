/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CMD_DOCUMENTS_H
#define CMD_DOCUMENTS_H

#include "document/facts.h"

/**
 * The documents of commands that write JSON, as facts: a row of documents.c for each.
 */
extern const struct fact lookup_document_facts[];

/** Print the JSON Schema of a command's document. False where it has none. */
bool
documents_print_schema(const struct output *output, const char *command);

#endif
