/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_REQUEST_BINDING_H
#define UI_REQUEST_BINDING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "ui/request/keymap.h"

/**
 * Which keys ask for which commands: at first as request.def says, then as the user changed it.
 *
 * There is one keyboard, so there is one set of bindings. A binding is one key, or a prefix and a
 * second key ("gg", "C-xk"); a key cannot be both, so the later word of the user wins.
 */
struct binding {
	int first, second;	/* keys; second is 0 where one is enough */
	unsigned contexts;	/* of the request */
	enum request request;
	char *arguments;	/* of the command; "" for none */
};

/** Bytes of the names of two keys. */
#define BINDING_NAME_SIZE 32

/** Read one key, or two that are written as one word; `*second` is 0 for one. False for neither. */
bool
binding_parse(const char *text, int *first, int *second);

/** Forget what the user changed. */
void
binding_reset(void);

/**
 * Make `keys` ask for a command. What they asked for before in the same views is forgotten, and
 * so is what conflicts with it: a key that is a prefix now.
 */
enum error_code
binding_add(const char *keys, const char *command, struct error *error);

/** Make `keys` ask for nothing. */
enum error_code
binding_remove(const char *keys, struct error *error);

/** What `first`, or `first` and then `second`, asks for in a context (one bit); or NULL. */
const struct binding *
binding_find(int first, int second, unsigned context);

/** Whether a key begins a pair in this context. */
bool
binding_is_prefix(int key, unsigned context);

/** The bindings in their order, the user's last; NULL behind them. */
const struct binding *
binding_at(size_t index);

/** Write the names of a binding's keys: "gg". Returns `buffer`. */
const char *
binding_label(const struct binding *binding, char buffer[BINDING_NAME_SIZE]);

/** Write the keys that ask for a request without arguments: "s F5"; "" for none. */
const char *
binding_keys(enum request request, char *buffer, size_t size);

#endif
