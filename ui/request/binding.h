/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UI_REQUEST_BINDING_H
#define UI_REQUEST_BINDING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "ui/request/keymap.h"

/**
 * The keys of commands: those of request.def as the user changed them.
 *
 * There is one keyboard, so there is one set of bindings. A binding is one key, or a prefix and a
 * second key ("gg", "C-xk"). No key is both: the user's later binding wins.
 */
struct binding {
	int first, second;	/* keys; `second` is 0 for a binding of one key */
	unsigned contexts;	/* bits of the keymap in which it is valid */
	enum request request;
	char *arguments;	/* the command's arguments; "": none */
};

/** Bytes of the names of two keys. */
#define BINDING_NAME_SIZE 32

/** Read one key, or two written as one word; `*second` is 0 for one. False if it is neither. */
bool
binding_parse(const char *text, int *first, int *second);

/** Restore the bindings of request.def. */
void
binding_reset(void);

/**
 * Bind `keys` to a command. Replaces their bindings in the same contexts, and those in conflict: a
 * key cannot be a binding and a prefix.
 */
enum error_code
binding_add(const char *keys, const char *command, struct error *error);

/** Remove the binding of `keys`. */
enum error_code
binding_remove(const char *keys, struct error *error);

/** The binding of `first`, or of `first` and `second`, in a context (one bit); or NULL. */
const struct binding *
binding_find(int first, int second, unsigned context);

/** Whether a key is the first of a pair in this context. */
bool
binding_is_prefix(int key, unsigned context);

/** The bindings in their order, the user's last; NULL after the last. */
const struct binding *
binding_at(size_t index);

/** Write the names of a binding's keys: "gg". Returns `buffer`. */
const char *
binding_label(const struct binding *binding, char buffer[BINDING_NAME_SIZE]);

/** Write the keys of a request without arguments: "s F5"; "": none. */
const char *
binding_keys(enum request request, char *buffer, size_t size);

#endif
