/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <config.h>

#include "base/demangle_library.h"

#ifdef HAVE_DEMANGLER

#include <ctype.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#if __has_include(<libiberty/demangle.h>)
#include <libiberty/demangle.h>
#else
#include <demangle.h>
#endif

/* Limit on substitutions in a name whose packs libiberty may search. */
#define MOST_REPEATED 16

struct writer {
	char *text;
	size_t length, size;
	bool full;
	bool stops_anywhere;
	jmp_buf stop;
};

/*
 * Leaves a demangler by longjmp if the room is exceeded, because a name can double itself again and
 * again. The C++ demangler keeps everything on the stack, so it can be left any time. The Rust
 * demangler holds memory while it prints an identifier, so it is left at punctuation except '_'.
 */
static void
write_piece(const char *piece, size_t length, void *opaque)
{
	struct writer *writer = opaque;

	if (length > writer->size - writer->length)
		writer->full = true;
	if (!writer->full) {
		/* An empty piece may have a NULL pointer. */
		if (length > 0)
			memcpy(writer->text + writer->length, piece, length);
		writer->length += length;
	} else if (writer->stops_anywhere || (length > 0 && ispunct((unsigned char)piece[0]) &&
					      piece[0] != '_')) {
		longjmp(writer->stop, 1);
	}
}

/* Whether "S0_" or "T_" ends here, so that an identifier may follow. */
static bool
ends_repetition(const char *name, const char *at)
{
	while (at > name && (isdigit((unsigned char)at[-1]) ||
			     (isupper((unsigned char)at[-1]) && at[-1] != 'S' && at[-1] != 'T')))
		at--;
	return at > name && (at[-1] == 'S' || at[-1] == 'T');
}

/*
 * The length of the text at `at` that contains no codes: an identifier with its length, a number or
 * floating-point number as argument ("Lf3f800000E"), or a repetition. 0: unclear. Other digits end
 * in "E" or "_", or belong to a constructor ("C2"), a type ("DF16b") or a fold ("fL0p").
 */
static size_t
word_at(const char *name, const char *at)
{
	const size_t digits = strspn(at, "0123456789");
	const char before = at > name ? at[-1] : '\0', more = at > name + 1 ? at[-2] : '\0';
	const char *first = at + digits;

	if (*at == 'S' && at[1 + strspn(at + 1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")] == '_')
		return 2 + strspn(at + 1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ");
	if (*at == 'L' && islower((unsigned char)at[1]) &&
	    at[2 + strspn(at + 2, "n0123456789abcdef")] == 'E')
		return 3 + strspn(at + 2, "n0123456789abcdef");
	if (digits == 0 || digits > 4 || !isalpha((unsigned char)*first) || *first == 'E' ||
	    strchr("CDST", before) != NULL || (before == '_' && !ends_repetition(name, at - 1)) ||
	    (before == 'F' && more == 'D') ||
	    (before == 'L' && more == 'f'))
		return digits;
	const size_t length = (size_t)atoi(at);
	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)first[i]) && first[i] != '_')
			return digits;
	return digits + length;
}

/*
 * Whether libiberty searches for packs at a code. The argument of "Dp" may be just a parameter:
 * "OT_", "RKT0_".
 */
static bool
searches(const char *at)
{
	static const char codes[][3] = { "Dp", "sp", "sP", "sZ", "fl", "fr", "fL", "fR" };

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (strncmp(at, codes[i], 2) == 0)
			return i > 0 || at[2 + strspn(at + 2, "ROPKV")] != 'T';
	return false;
}

/*
 * libiberty searches for packs in everything that an expansion or a fold covers. The search is
 * depth first and without output. If the name has repetitions, the search takes 2^n steps.
 */
static bool
may_search_for_ages(const char *name)
{
	size_t repeated = 0;

	/* "S_", "S0_", "SA_": repetitions of an earlier part. */
	for (const char *at = strchr(name, 'S'); at != NULL; at = strchr(at + 1, 'S'))
		repeated += at[1 + strspn(at + 1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")] == '_';
	if (repeated <= MOST_REPEATED)
		return false;
	for (const char *at = name; *at != '\0';) {
		const size_t word = word_at(name, at);

		if (word == 0 && searches(at))
			return true;
		at += word > 0 ? word : 1;
	}
	return false;
}

typedef int library_call(const char *mangled, int options, demangle_callbackref callback,
			 void *opaque);

static bool
library_run(library_call *call, const char *mangled, struct writer *writer)
{
	writer->length = 0;
	writer->full = false;
	writer->stops_anywhere = call == cplus_demangle_v3_callback;
	if (setjmp(writer->stop) != 0)
		return false;
	return call(mangled, DMGL_PARAMS | DMGL_ANSI, write_piece, writer) != 0 &&
	       !writer->full && writer->length > 0;
}

/* Limits on a D name: its length, and its types that repeat an earlier type and double the text. */
#define LONGEST_D 1024u
#define MOST_REPEATED_D 12u

/*
 * The number of types in a D name that repeat an earlier type: "Q" and a distance in base 26, whose
 * last digit is a lower-case letter. If a digit is at that distance, "Q" repeats an identifier.
 */
static size_t
repeated_types(const char *name)
{
	size_t count = 0;

	for (const char *at = strchr(name, 'Q'); at != NULL; at = strchr(at + 1, 'Q')) {
		const char *digit = at + 1;
		size_t distance = 0;

		for (; *digit >= 'A' && *digit <= 'Z' && distance < LONGEST_D; digit++)
			distance = distance * 26 + (size_t)(*digit - 'A');
		distance = distance * 26 + (size_t)(*digit - 'a');
		count += *digit >= 'a' && *digit <= 'z' &&
			 (distance > (size_t)(at - name) ||
			  !isdigit((unsigned char)*(at - distance)));
	}
	return count;
}

static size_t
demangle_d(const char *mangled, char *room, size_t size)
{
	if (strlen(mangled) > LONGEST_D || repeated_types(mangled) > MOST_REPEATED_D)
		return 0;
	char *made = dlang_demangle(mangled, DMGL_PARAMS | DMGL_ANSI);
	const size_t length = made != NULL ? strlen(made) : 0;
	const bool fits = length < size;
	if (fits)
		memcpy(room, made != NULL ? made : "", length);
	free(made);
	return fits ? length : 0;
}

/* Rust comes first: apart from their hash, its old names are also C++ names. */
size_t
demangle_into(const char *mangled, char *room, size_t size)
{
	struct writer writer = { .text = room, .size = size };

	if (mangled[1] == 'D')
		return demangle_d(mangled, room, size);
	if (library_run(rust_demangle_callback, mangled, &writer) ||
	    (!may_search_for_ages(mangled) &&
	     library_run(cplus_demangle_v3_callback, mangled, &writer)))
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
