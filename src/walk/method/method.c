/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "walk/step.h"

bool
method_always(const struct step *step)
{
	(void)step;
	return true;
}

bool
method_is_interrupted(const struct step *step)
{
	return step->callee->interrupted;
}

#define ON(arch) (1u << ARCH_##arch)

const struct method methods[METHOD_COUNT] = {
#define METHOD(id, title, function, row, fits, misfit, source, architectures, how)	\
	[METHOD_##id] = { title, function, (enum policy_row)(row), fits, misfit,		\
			  METHOD_BY_##source, architectures },
#include "walk/method/method.def"
};

bool
method_is_of(enum arch_id arch, enum method_id method)
{
	return (methods[method].architectures >> arch & 1) != 0;
}

static size_t
methods_of(enum arch_id arch, enum method_id list[METHOD_COUNT])
{
	size_t count = 0;

	for (int id = 0; id < METHOD_COUNT; id++)
		if (method_is_of(arch, (enum method_id)id))
			list[count++] = (enum method_id)id;
	return count;
}

/* Moves the method that analyses code before all methods that use records. */
static void
code_first(enum method_id *list, size_t count)
{
	size_t at = 0, code = 0;

	while (at < count && methods[list[at]].source != METHOD_BY_RECORDS)
		at++;
	while (code < count && list[code] != METHOD_CODE)
		code++;
	if (code == count)
		return;
	for (; code > at; code--)
		list[code] = list[code - 1];
	list[at] = METHOD_CODE;
}

size_t
method_order(enum arch_id arch, const struct policy *policy, enum method_id list[METHOD_COUNT])
{
	size_t count = 0;

	if (policy->method_count == 0) {
		count = methods_of(arch, list);
		if (policy->value[POLICY_CODE_WINS] != 0)
			code_first(list, count);
		return count;
	}
	for (size_t i = 0; i < policy->method_count && count < METHOD_COUNT; i++)
		if (method_is_of(arch, (enum method_id)policy->methods[i]))
			list[count++] = (enum method_id)policy->methods[i];
	return count;
}

size_t
walk_methods(const struct walk *walk, enum method_id list[METHOD_COUNT])
{
	const size_t count = methods_of(walk->arch->id, list);

	if (count == 0 || list[0] != METHOD_REPORT)
		return count;
	/* A crash report has no memory for the other methods. */
	if (walk->crash->threads[walk->thread].reported != NULL)
		return 1;
	memmove(list, list + 1, (count - 1) * sizeof(*list));
	return count - 1;
}

bool
walk_method_is_off(const struct walk *walk, enum method_id method)
{
	const enum policy_row row = methods[method].policy;

	return row != POLICY_COUNT && walk->policy.value[row] == 0;
}

/* Whether a text is a method's name, in any case and with '-' for each blank. */
static bool
is_called(const char *name, const char *text, size_t length)
{
	if (strlen(name) != length)
		return false;
	for (size_t i = 0; i < length; i++) {
		char wanted = name[i] == ' ' ? '-' : name[i];
		char given = text[i] == ' ' ? '-' : text[i];

		if (tolower((unsigned char)wanted) != tolower((unsigned char)given))
			return false;
	}
	return true;
}

bool
method_named(const char *text, size_t length, enum method_id *method)
{
	for (size_t i = 0; i < METHOD_COUNT; i++) {
		*method = (enum method_id)i;
		if (is_called(methods[i].name, text, length))
			return true;
	}
	return false;
}

const char *
method_option(enum method_id method, char *buffer, size_t size)
{
	snprintf(buffer, size, "%s", methods[method].name);
	for (char *c = buffer; *c != '\0'; c++)
		*c = *c == ' ' ? '-' : (char)tolower((unsigned char)*c);
	return buffer;
}

const char *
methods_choose(struct policy *policy, const char *list)
{
	struct policy chosen = *policy;
	enum method_id method;

	chosen.method_count = 0;
	for (const char *at = list; *at != '\0';) {
		const size_t length = strcspn(at, ",");

		if (chosen.method_count == POLICY_METHODS)
			return "'%s' names too many methods";
		if (!method_named(at, length, &method))
			return "'%s' is not a method; methods are stack-cfi, sframe, "
			       "frame-pointer, stack-scan and others";
		chosen.methods[chosen.method_count++] = (uint8_t)method;
		at += length + (at[length] == ',');
	}
	if (chosen.method_count == 0)
		return "'%s' is not a method";
	*policy = chosen;
	return NULL;
}
