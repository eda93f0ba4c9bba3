/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DOCUMENT_NAMES_H
#define DOCUMENT_NAMES_H

#include "document/facts.h"

/** The names of the engine's enumerations in documents, from its tables. */
extern const struct fact_names names_of_trusts, names_of_methods, names_of_messages,
	names_of_severities, names_of_policies, names_of_policy_columns, names_of_verdicts;

#endif
