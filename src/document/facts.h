/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DOCUMENT_FACTS_H
#define DOCUMENT_FACTS_H

#include "base/compiler.h"
#include "base/place.h"
#include "crash/arch.h"
#include "document/json.h"

/**
 * The contents of a document, described once.
 *
 * An object is a list of facts, each a row of a file NAME_facts.def: key, value and meaning of the
 * fact. "document/describe_facts.h" turns such a file into two things for each object: a table of
 * its facts (`OBJECT_facts`), and a function that writes its members (`OBJECT_members`). JSON comes
 * from the functions and the JSON Schema from the tables, so the two always agree.
 */
enum fact_type {
	FACT_OBJECT_TITLE,	/* first row of a table: name and help of the object */
	FACT_STRING,
	FACT_LOWER,		/* a string without capital letters */
	FACT_NUMBER,		/* an unsigned integer */
	FACT_ORDINAL,		/* an integer from 1 up */
	FACT_SIGNED,
	FACT_NUMBER_OR_STRING,
	FACT_FRACTION,		/* a number from 0 to 1 */
	FACT_BOOL,
	FACT_HEX,		/* "0x1f": JSON readers keep only 53 bits of a number */
	FACT_WORD,		/* one of `names` */
	FACT_OBJECT,		/* `object`, or `other` if that is not NULL */
	FACT_NULL,
	FACT_ANY,
	FACT_MEMBERS,		/* not a member: inserts the members of `object` */
	FACT_IF,		/* not a member: facts up to FACT_END_IF may be missing */
	FACT_END_IF,
};

enum fact_flag {
	FACT_OR_NULL = 1 << 0,
	FACT_LIST = 1 << 1,	/* an array of values of the type */
	/* An object whose values have the type; keys are from `names`; NULL: any keys */
	FACT_MAP = 1 << 2,
};

/** The names of an enumeration's values in documents. */
struct fact_names {
	const char *const *first;	/* first of `count` strings, `stride` bytes apart */
	size_t stride, count;
	bool lower;			/* written in lower case */
};

/** Names in an array of strings. A NULL among them is not a value. */
#define FACT_NAMES(array) { array, sizeof((array)[0]), ARRAY_COUNT(array), false }

/** Names given as arguments: FACT_WORDS("low", "high"). */
#define FACT_WORDS(...) FACT_NAMES(((const char *const[]){ __VA_ARGS__ }))

/** Names in the member `name` of an array of structs. */
#define FACT_NAMES_IN(array) { &(array)[0].name, sizeof((array)[0]), ARRAY_COUNT(array), false }

struct fact {
	const char *key;		/* NULL: the end of the table */
	const char *help;		/* meaning of the fact; NULL: clear from the key */
	enum fact_type type;
	unsigned flags;
	const struct fact *object, *other;
	const struct fact_names *names;
};

/** Write an object with the members that OBJECT_members makes from the arguments. */
#define FACTS_WRITE(json, key, object, ...) \
	do { \
		json_object(json, key); \
		object##_members(json, __VA_ARGS__); \
		json_object_end(json); \
	} while (0)

/** Write an object as a complete document. */
#define FACTS_DOCUMENT(output, pretty, object, ...) \
	do { \
		struct json whole; \
\
		json_begin(&whole, output, pretty); \
		json_object(&whole, NULL); \
		object##_members(&whole, __VA_ARGS__); \
		facts_sandbox(&whole); \
		json_object_end(&whole); \
		json_finish(&whole); \
	} while (0)

/** Declare the table and function that describe_facts.h generates for a PUBLIC_OBJECT. */
#define FACTS_DECLARE(object, ...) \
	extern const struct fact object##_facts[]; \
	void object##_members(struct json *json, __VA_ARGS__)

/** Write the member "sandbox" if the process lacks a part of the sandbox. */
void
facts_sandbox(struct json *json);

/** The version of all schemas; raised if a member is renamed, removed or gets another type. */
#define FACTS_SCHEMA_VERSION "1"

/**
 * Write the JSON Schema of a command's document. Its root is `object`, or an array of
 * such objects if `list` is true. Its `$id` is urn:unspool:COMMAND:VERSION.
 */
void
facts_schema(const struct output *output, const char *command, const char *title,
	     const struct fact *object, bool list);

/** Write `string` in lower case, cut to 255 bytes. */
void
facts_lower(struct json *json, const char *key, const char *string);

/** Write name `index` of `names`, in lower case if names->lower; null if there is no such name. */
void
facts_word(struct json *json, const char *key, const struct fact_names *names, size_t index);

/** The names of the engine's enumerations in documents, from its tables. */
extern const struct fact_names names_of_trusts, names_of_methods, names_of_messages,
	names_of_severities, names_of_policies, names_of_policy_columns, names_of_verdicts;

/** The object of a place. place_write() writes null if the place has no input. */
extern const struct fact place_facts[];

void
place_write(struct json *json, const char *key, struct place place);

/**
 * Write the known registers of a set by their labels. `flags` replaces Breakpad's label efl; NULL:
 * keep efl.
 */
void
registers_write(struct json *json, const char *key, const struct arch *arch,
		const struct registers *registers, const char *flags);

#endif
