/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "document/names.h"

#include "base/message.h"
#include "base/policy_rows.h"
#include "walk/walk.h"

/* A trust has rust-minidump's name: its constant in lower case. */
static const char *const trusts[] = {
#define TRUST(id, ...) [TRUST_##id] = #id,
#include "walk/method/method.def"
};
const struct fact_names names_of_trusts = { trusts, sizeof(trusts[0]), ARRAY_COUNT(trusts), true };

static const char *const methods[] = {
#define METHOD(id, name, ...) [METHOD_##id] = name,
#include "walk/method/method.def"
};
const struct fact_names names_of_methods = FACT_NAMES(methods);

static const char *const messages[] = {
#define M(id, name, severity) [MESSAGE_##id] = name,
#include "base/message.def"
#undef M
};
const struct fact_names names_of_messages = FACT_NAMES(messages);

const struct fact_names names_of_severities = FACT_NAMES(message_severity_names);

const struct fact_names names_of_policies = FACT_NAMES_IN(policy_table);

const struct fact_names names_of_policy_columns = FACT_NAMES(policy_column_names);

static const char *const verdicts[] = {
	[VERDICT_TAKEN] = "taken", [VERDICT_REFUSED] = "refused", [VERDICT_END] = "end",
};
const struct fact_names names_of_verdicts = FACT_NAMES(verdicts);
