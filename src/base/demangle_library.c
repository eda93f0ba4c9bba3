/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include "base/demangle_library.h"

#ifdef HAVE_DEMANGLER

#include <ctype.h>
#include <setjmp.h>
#include <stdbool.h>
#include <string.h>
#if __has_include(<libiberty/demangle.h>)
#include <libiberty/demangle.h>
#else
#include <demangle.h>
#endif

/* Substitutions of a name whose packs libiberty may search. */
#define MOST_REPEATED 16

struct writer {
	char *text;
	size_t length, size;
	bool full;
	bool stops_anywhere;
	jmp_buf stop;
};

/*
 * The demanglers cannot be told to stop, and go on for ages where a name doubles itself thirty
 * times. That of C++ keeps all that it has on the stack and may be left at any time. That of Rust
 * holds memory while it prints an identifier; those have no ASCII character of punctuation.
 */
static void
write_piece(const char *piece, size_t length, void *opaque)
{
	struct writer *writer = opaque;

	if (length > writer->size - writer->length)
		writer->full = true;
	if (!writer->full) {
		memcpy(writer->text + writer->length, piece, length);
		writer->length += length;
	} else if (writer->stops_anywhere || (length > 0 && ispunct((unsigned char)piece[0]) &&
					      piece[0] != '_')) {
		longjmp(writer->stop, 1);
	}
}

/*
 * libiberty looks for packs in all that an expansion or a fold covers, one way after the other, and
 * prints nothing meanwhile: with repetitions that takes 2^n steps.
 */
static bool
may_search_for_ages(const char *name)
{
	static const char *const searches[] = { "Dp", "sp", "sP", "sZ", "fl", "fr", "fL", "fR" };
	size_t repeated = 0;

	/* "S_", "S0_", "SA_": what was said before, once more. */
	for (const char *at = strchr(name, 'S'); at != NULL; at = strchr(at + 1, 'S'))
		repeated += at[1 + strspn(at + 1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")] == '_';
	if (repeated <= MOST_REPEATED)
		return false;
	/* What "Dp" expands may be just a parameter of a template: "OT_", "RKT0_". */
	for (size_t i = 0; i < sizeof(searches) / sizeof(searches[0]); i++)
		for (const char *at = strstr(name, searches[i]); at != NULL;
		     at = strstr(at + 1, searches[i]))
			if (i > 0 || at[2 + strspn(at + 2, "ROPKV")] != 'T')
				return true;
	return false;
}

typedef int library_call(const char *mangled, int options, demangle_callbackref callback,
			 void *opaque);

static bool
run(library_call *call, const char *mangled, struct writer *writer)
{
	writer->length = 0;
	writer->full = false;
	writer->stops_anywhere = call == cplus_demangle_v3_callback;
	if (setjmp(writer->stop) != 0)
		return false;
	return call(mangled, DMGL_PARAMS | DMGL_ANSI, write_piece, writer) != 0 &&
	       !writer->full && writer->length > 0;
}

/* Rust first: its old names are C++ names, too, but for their hash. */
size_t
demangle_into(const char *mangled, char *room, size_t size)
{
	struct writer writer = { .text = room, .size = size };

	if (run(rust_demangle_callback, mangled, &writer) ||
	    (!may_search_for_ages(mangled) && run(cplus_demangle_v3_callback, mangled, &writer)))
		return writer.length;
	return 0;
}

#else

size_t
demangle_into(const char *mangled, char *room, size_t size)
{
	(void)mangled;
	(void)room;
	(void)size;
	return 0;
}

#endif
