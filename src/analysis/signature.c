/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/analysis_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/signature_rules.h"
#include "base/demangle.h"
#include "walk/location.h"

/*
 * One line that names a crash: the first meaningful functions of the stack, as in Mozilla's
 * Socorro. The same fault then has the same name in many dumps. Functions that only report errors
 * are left out; a function with many callers is followed by its caller.
 */

#define FRAMES 64u
/* Bytes of a signature, cut as in Socorro, and of one frame in it. */
#define SIGNATURE_MOST 255u
#define FRAME_MOST 200u
#define PROTO_FRAMES 40u
/* Bytes. Larger allocations fail because of their size, others because memory is used up. */
#define OOM_LARGE 262144u
#define ABORT_MOST 80u

/*
 * Reduces a function's name to its constant parts: template arguments become <T>; parameters, the
 * text after them and Rust hashes are removed. Operators keep their signs, and parentheses that are
 * part of the name stay.
 */
struct normaliser {
	struct text name;
	char *out;
	size_t used, size;
};

static void
put(struct normaliser *to, const char *text, size_t length)
{
	for (size_t i = 0; i < length && to->used + 1 < to->size; i++)
		to->out[to->used++] = text[i];
	to->out[to->used] = '\0';
}

static bool
follows(const struct normaliser *from, size_t at, const char *word)
{
	size_t length = strlen(word);

	return from->name.length - at >= length &&
	       memcmp(from->name.start + at, word, length) == 0;
}

/* The index after the bracket that closes the bracket at `at`, or the end of the name. */
static size_t
behind_brackets(const struct normaliser *from, size_t at, char open, char close)
{
	size_t depth = 0;

	for (; at < from->name.length; at++) {
		char c = from->name.start[at];

		/* The '>' of "->" is not a closing bracket. */
		if (c == '>' && at > 0 && from->name.start[at - 1] == '-')
			continue;
		if (c == open)
			depth++;
		else if (c == close && --depth == 0)
			return at + 1;
	}
	return from->name.length;
}

/* The length of an operator's name with parentheses or angle brackets; 0: another name. */
static size_t
operator_length(const struct normaliser *from, size_t at)
{
	static const char *const signs[] = {
		"operator()", "operator->*", "operator->", "operator<<=", "operator<<",
		"operator<=>", "operator<=", "operator<", "operator>>=", "operator>>",
		"operator>=", "operator>",
	};

	for (size_t i = 0; i < ARRAY_COUNT(signs); i++)
		if (follows(from, at, signs[i]))
			return strlen(signs[i]);
	return 0;
}

static void
normalise(struct text name, char *out, size_t size)
{
	struct normaliser work = { .out = out, .size = size };

	/* In another build the code of a clone may be in the function itself. */
	name.length = demangle_clone_at(name);
	work.name = name = analysis_untyped(name);
	out[0] = '\0';
	/* Stop when `out` is full: a hostile name may have megabytes. */
	for (size_t at = 0; at < name.length && work.used + 1 < size;) {
		size_t length = operator_length(&work, at);

		if (length > 0) {
			put(&work, name.start + at, length);
			at += length;
		} else if (name.start[at] == '<' && at > 0) {
			put(&work, "<T>", 3);
			at = behind_brackets(&work, at, '<', '>');
		} else if (follows(&work, at, "(anonymous namespace)")) {
			put(&work, "(anonymous namespace)", 21);
			at += 21;
		} else if (name.start[at] == '(' && at > 0 && name.start[at - 1] != '.') {
			/* Parameters. After a '.', '(' belongs to a type of Go: "main.(*T).f". */
			break;
		} else {
			/* Several blanks or a tab become one blank. */
			bool blank = name.start[at] == ' ' || name.start[at] == '\t';

			if (!blank)
				put(&work, name.start + at, 1);
			else if (work.used > 0 && out[work.used - 1] != ' ')
				put(&work, " ", 1);
			at++;
		}
	}
	while (work.used > 0 && out[work.used - 1] == ' ')
		out[--work.used] = '\0';
	if (work.used > 19 && strncmp(out + work.used - 19, "::h", 3) == 0 &&
	    strspn(out + work.used - 16, "0123456789abcdef") == 16)
		out[work.used - 19] = '\0';
}

/* A frame or one of its inlined calls, as matched with the lists. */
struct signature_name {
	const char *text;
	bool system;			/* the frame is in a system library without symbols */
};

struct names {
	struct signature_name list[FRAMES];
	size_t count;
};

static void
add_name(struct explain *explain, struct names *names, const char *text, bool system)
{
	const char *copy = arena_string(&explain->out->arena, text);

	if (copy != NULL && names->count < FRAMES)
		names->list[names->count++] = (struct signature_name){ copy, system };
}

static void
add_location(struct explain *explain, struct names *names, const struct location *location)
{
	char text[FRAME_MOST];

	for (size_t i = 0; i < location->call_count; i++) {
		const struct call *call = &location->calls[i];

		/* An uncertain name may be that of any earlier function. */
		if (call->name.length > 0 && !location->symbol.uncertain) {
			normalise(call->name, text, sizeof(text));
			add_name(explain, names, text, false);
		} else if (location->module != NULL) {
			const char *module = place_base_name(location->module->code_file);

			snprintf(text, sizeof(text), "%.*s@0x%" PRIx64, 150, module,
				 location->address - location->module->base);
			add_name(explain, names, text,
				 signature_rules_match(explain->rules, SIGNATURE_SYSTEM_MODULE,
						       module));
		} else {
			snprintf(text, sizeof(text), "@0x%" PRIx64, location->address);
			add_name(explain, names, text, false);
		}
	}
}

static void
find_names(struct explain *explain, struct names *names)
{
	struct walk *walk = explain->walk;
	struct arena scratch = { 0 };

	for (size_t i = explain->first_fault; walk != NULL && i < walk->count &&
					      names->count < FRAMES; i++) {
		struct location location;

		location_of(walk, walk->frames[i].lookup, &scratch, &location);
		/* The offset is that of the return address, as in other tools. */
		if (location.calls[0].name.length == 0 || location.symbol.uncertain)
			location.address = walk->frames[i].registers.value[walk->arch->pc];
		add_location(explain, names, &location);
		arena_reset(&scratch);
	}
	arena_free(&scratch);
}

static void
append(char *signature, size_t size, const char *name)
{
	size_t used = strlen(signature);

	snprintf(signature + used, size - used, "%s%s", used > 0 ? " | " : "", name);
}

static void
join_names(const struct signature_rules *rules, const struct names *names, char *signature,
	   size_t size)
{
	size_t first = 0;

	for (size_t i = names->count; i-- > 0;)
		if (signature_rules_match(rules, SIGNATURE_SENTINEL, names->list[i].text))
			first = i;
	for (size_t i = first; i < names->count; i++) {
		const struct signature_name *name = &names->list[i];

		/* After a call through null the address is all that is known. */
		if ((i != first || first == 0) && strcmp(name->text, "@0x0") != 0 &&
		    signature_rules_match(rules, SIGNATURE_SKIP, name->text))
			continue;
		append(signature, size, name->text);
		const bool prefix = !signature_rules_match(rules, SIGNATURE_END, name->text) &&
				    (name->system || signature_rules_match(rules, SIGNATURE_PREFIX,
									   name->text));
		if (!prefix && !(i == first && first > 0))
			return;
	}
	/* If all functions are helpers, use the first function. */
	if (signature[0] == '\0' && names->count > 0)
		append(signature, size, names->list[0].text);
}

static const char *
annotation_of(const struct crash *crash, const char *key)
{
	for (size_t i = 0; i < crash->annotation_count; i++)
		if (strcmp(crash->annotations[i].key, key) == 0 &&
		    crash->annotations[i].value[0] != '\0' &&
		    !crash_redacts(crash, &crash->annotations[i]))
			return crash->annotations[i].value;
	return NULL;
}

static bool
is_out_of_memory(const struct explain *explain, const struct names *names)
{
	const struct crash *crash = explain->crash;
	uint32_t code = crash->exception.code;

	if (crash->reason == NULL)
		return false;
	/* Chromium's allocator exception, and STATUS_NO_MEMORY. */
	if (crash->system.os == CRASH_OS_WINDOWS && (code == 0xe0000008 || code == 0xc0000017))
		return true;
	for (size_t i = 0; i < names->count; i++)
		if (signature_rules_match(explain->rules, SIGNATURE_OUT_OF_MEMORY,
					  names->list[i].text))
			return true;
	return false;
}

/* Finds the prefix of the signature: the size of a failed allocation, or the text of an abort. */
static void
find_prefix(struct explain *explain, const struct names *names, char *prefix, size_t size,
	    bool *whole)
{
	const char *wanted = annotation_of(explain->crash, "OOMAllocationSize");
	const char *abort = annotation_of(explain->crash, "AbortMessage");
	struct finding *finding = NULL;
	char line[ABORT_MOST + 1];

	if (wanted != NULL || is_out_of_memory(explain, names))
		finding = finding_add(explain, FINDING_OUT_OF_MEMORY, 95, "out of memory");
	if (wanted != NULL) {
		unsigned long long bytes = strtoull(wanted, NULL, 10);

		finding_evidence(explain, finding, "%llu bytes were requested", bytes);
		*whole = bytes <= OOM_LARGE;
		snprintf(prefix, size, bytes <= OOM_LARGE ? "OOM | small" : "OOM | large");
	} else if (finding != NULL) {
		snprintf(prefix, size, "OOM | unknown");
	} else if (abort != NULL) {
		snprintf(line, sizeof(line), "%.*s", (int)strcspn(abort, "\r\n"), abort);
		snprintf(prefix, size, "Abort | %s%s", line,
			 strlen(abort) > ABORT_MOST ? "..." : "");
	}
}

void
signature_explain(struct explain *explain)
{
	char functions[2 * SIGNATURE_MOST] = "", signature[2 * SIGNATURE_MOST] = "";
	char proto[PROTO_FRAMES * 64] = "";
	struct names names = { .count = 0 };
	bool whole = false;

	/* In a blind walk the user predicts the frames, which a signature would reveal. */
	if (explain->walk != NULL && explain->walk->horizon.blind != BLIND_OFF)
		return;
	find_names(explain, &names);
	if (explain->out->thread < 0)
		append(functions, sizeof(functions), "EMPTY: no crashing thread identified");
	else if (names.count == 0)
		append(functions, sizeof(functions), "EMPTY: no frame data available");
	else
		join_names(explain->rules, &names, functions, sizeof(functions));
	find_prefix(explain, &names, signature, sizeof(signature), &whole);
	if (!whole)
		append(signature, sizeof(signature), functions);
	size_t end = SIGNATURE_MOST;
	while (end > 0 && ((unsigned char)signature[end] & 0xc0) == 0x80)
		end--;
	signature[end] = '\0';
	const char *copy = arena_string(&explain->out->arena, signature);
	if (copy != NULL)
		explain->out->signature = copy;
	for (size_t i = 0; i < names.count && i < PROTO_FRAMES; i++)
		append(proto, sizeof(proto), names.list[i].text);
	copy = arena_string(&explain->out->arena, proto);
	if (copy != NULL)
		explain->out->proto_signature = copy;
}
