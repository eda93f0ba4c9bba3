/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "lint/lint.h"

const struct lint_code_info lint_code_table[LINT_CODE_COUNT] = {
#define L(id, name, severity, wrong, effect, hint, breakpad, rust, follows) \
	[LINT_##id] = { name, LINT_##severity, wrong, effect, hint, breakpad, rust, follows },
#include "lint/code.def"
#undef L
};

bool
lint_code_named(struct text name, enum lint_code *code)
{
	for (int i = 0; i < LINT_CODE_COUNT; i++) {
		if (!text_equal(name, text_of(lint_code_table[i].name)))
			continue;
		*code = (enum lint_code)i;
		return true;
	}
	return false;
}

const char *const lint_severity_names[LINT_SEVERITIES] = {
	[LINT_NOTE] = "note", [LINT_WARNING] = "warning", [LINT_ERROR] = "error",
};

const char *
lint_accept_parse(const char *text, struct lint_accept *accept)
{
	const size_t length = strcspn(text, "@=");
	char *end;

	*accept = (struct lint_accept){ 0 };
	if (!lint_code_named((struct text){ text, length }, &accept->code))
		return "unknown finding in '%s'; 'unspool lint --explain all' lists them";
	if (text[length] == '=') {
		accept->name = text + length + 1;
		return accept->name[0] != '\0' ? NULL : "'%s' has no pattern for names";
	}
	if (text[length] == '\0')
		return NULL;
	accept->addressed = true;
	accept->address = strtoull(text + length + 1, &end, 16);
	return text[length + 1] != '\0' && *end == '\0'
		       ? NULL : "'%s' has no hexadecimal address after '@'";
}
