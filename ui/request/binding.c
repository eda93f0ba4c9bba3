/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ui/request/keymap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/terminal/key.h"

enum {
	MOST = 1024,		/* largest number of bindings: a keyboard has fewer keys */
};

static struct {
	struct binding *items;
	size_t count;
} bound;

/* Append a binding. False if there are too many or memory is out. */
static bool
append(struct binding binding, const char *arguments)
{
	if (bound.items == NULL)
		bound.items = calloc(MOST, sizeof(*bound.items));
	binding.arguments = strdup(arguments);
	if (bound.items == NULL || bound.count == MOST || binding.arguments == NULL) {
		free(binding.arguments);
		return false;
	}
	bound.items[bound.count++] = binding;
	return true;
}

/* Add the keys of request.def, once. */
static void
make_ready(void)
{
	size_t count;
	const struct keymap_row *rows = keymap_rows(&count);

	if (bound.items != NULL)
		return;
	for (size_t i = 0; i < count; i++) {
		const char *keys = rows[i].keys;

		while (*(keys += strspn(keys, " ")) != '\0') {
			const size_t length = strcspn(keys, " ");
			struct binding binding = { .contexts = rows[i].contexts,
						   .request = rows[i].request };
			char name[BINDING_NAME_SIZE];

			snprintf(name, sizeof(name), "%.*s", (int)length, keys);
			binding_parse(name, &binding.first, &binding.second);
			append(binding, "");
			keys += length;
		}
	}
}

void
binding_reset(void)
{
	for (size_t i = 0; i < bound.count; i++)
		free(bound.items[i].arguments);
	free(bound.items);
	bound.items = NULL;
	bound.count = 0;
}

bool
binding_parse(const char *text, int *first, int *second)
{
	const size_t length = strlen(text);

	*second = TERM_KEY_NONE;
	*first = key_parse(text, length);
	for (size_t i = 1; *first == TERM_KEY_NONE && i < length; i++) {
		*first = key_parse(text, i);
		*second = key_parse(text + i, length - i);
		if (*second == TERM_KEY_NONE)
			*first = TERM_KEY_NONE;
	}
	return *first != TERM_KEY_NONE;
}

/*
 * Remove conflicting bindings in some contexts: equal keys, or one a prefix of the other. True if
 * there were any.
 */
static bool
forget(int first, int second, unsigned contexts)
{
	size_t kept = 0;
	bool any = false;

	for (size_t i = 0; i < bound.count; i++) {
		struct binding binding = bound.items[i];

		if ((binding.contexts & contexts) != 0 && binding.first == first &&
		    (binding.second == second || binding.second == TERM_KEY_NONE ||
		     second == TERM_KEY_NONE)) {
			any = true;
			binding.contexts &= ~contexts;
		}
		if (binding.contexts == 0)
			free(binding.arguments);
		else
			bound.items[kept++] = binding;
	}
	bound.count = kept;
	return any;
}

static enum error_code
unknown_key(const char *keys, struct error *error)
{
	return error_plain(error, ERROR_FORMAT,
			   "unknown key '%s'; expected for example "
			   "'s', 'C-o', 'F5' or two keys, 'gg'",
			   keys);
}

enum error_code
binding_add(const char *keys, const char *command, struct error *error)
{
	int first, second;
	const char *arguments;
	char buffer[1024];

	make_ready();
	if (!binding_parse(keys, &first, &second))
		return unknown_key(keys, error);
	enum request request = keymap_line(command, buffer, sizeof(buffer), &arguments);
	if (request == REQUEST_AMBIGUOUS)
		return error_plain(error, ERROR_FORMAT, "ambiguous command '%s'; write it in full",
				   command);
	if (request == REQUEST_NONE)
		return error_plain(error, ERROR_FORMAT,
				   "unknown command '%s'; unspool-keys(7) lists all", command);
	const struct keymap_row *row = keymap_row_of(request);
	forget(first, second, row->contexts);
	if (!append((struct binding){ .first = first, .second = second,
				      .contexts = row->contexts, .request = request },
		    arguments))
		return error_plain(error, ERROR_MEMORY, "too many key bindings: '%s'", command);
	return ERROR_NONE;
}

enum error_code
binding_remove(const char *keys, struct error *error)
{
	int first, second;

	make_ready();
	if (!binding_parse(keys, &first, &second))
		return unknown_key(keys, error);
	return forget(first, second, ~0u)
		       ? ERROR_NONE
		       : error_plain(error, ERROR_NOT_FOUND, "'%s' has no binding", keys);
}

const struct binding *
binding_find(int first, int second, unsigned context)
{
	make_ready();
	for (size_t i = 0; i < bound.count; i++)
		if (bound.items[i].first == first && bound.items[i].second == second &&
		    (bound.items[i].contexts & context) != 0)
			return &bound.items[i];
	return NULL;
}

bool
binding_is_prefix(int key, unsigned context)
{
	make_ready();
	for (size_t i = 0; i < bound.count; i++)
		if (bound.items[i].first == key && bound.items[i].second != TERM_KEY_NONE &&
		    (bound.items[i].contexts & context) != 0)
			return true;
	return false;
}

const struct binding *
binding_at(size_t index)
{
	make_ready();
	return index < bound.count ? &bound.items[index] : NULL;
}

const char *
binding_label(const struct binding *binding, char buffer[BINDING_NAME_SIZE])
{
	char first[KEY_NAME_SIZE], second[KEY_NAME_SIZE];

	snprintf(buffer, BINDING_NAME_SIZE, "%.15s%.15s", key_label(binding->first, first),
		 binding->second != TERM_KEY_NONE ? key_label(binding->second, second) : "");
	return buffer;
}

const char *
binding_keys(enum request request, char *buffer, size_t size)
{
	char label[BINDING_NAME_SIZE];
	size_t length = 0;

	make_ready();
	buffer[0] = '\0';
	for (size_t i = 0; i < bound.count; i++) {
		if (bound.items[i].request != request || bound.items[i].arguments[0] != '\0')
			continue;
		binding_label(&bound.items[i], label);
		if (length + strlen(label) + 2 > size)
			break;
		length += (size_t)snprintf(buffer + length, size - length, "%s%s",
					   length > 0 ? " " : "", label);
	}
	return buffer;
}
