/* SPDX-License-Identifier: GPL-3.0-or-later */

/**
 * Generate tables and functions from the descriptions in the file that FACTS names:
 *
 *	#define FACTS "report/code/lookup_facts.def"
 *	#include "document/describe_facts.h"
 *
 * Each object there becomes `static const struct fact NAME_facts[]` and `static void
 * NAME_members(struct json *json, PARAMETERS)`. For a PUBLIC_OBJECT both are global, and a header
 * declares them; for a ROOT_OBJECT only the table is global. An object comes after the objects that
 * it contains. The rows of an object are, in the order of the document:
 *
 *	OBJECT(name, help, parameters...)	END
 *	EITHER(name, object, other)		a document that is one of two objects; no END
 *	STRING(key, value, help)		const char *; TEXT: struct text
 *	STRING_OR_NULL(key, value, help)	null if NULL; TEXT_OR_NULL: null if empty
 *	TEXT_IF(key, present, value, help)	null unless present
 *	LOWER(key, value, help)			const char *, written in lower case
 *	NUMBER(key, value, help)		unsigned; ORDINAL: from 1; SIGNED; BOOL
 *	NUMBER_OR_NULL(key, present, value, help)
 *	FRACTION(key, percent, help)		from 0 to 1
 *	HEX(key, value, digits, help)		with at least `digits` digits
 *	HEX_OR_NULL(key, present, value, digits, help)
 *	ADDRESS(key, value, help)		with the digits of json->digits
 *	ADDRESS_OR_NULL(key, present, value, help)
 *	PLACE(key, value, help)			null if it has no input
 *	REGISTERS(key, arch, registers, help)	the known registers
 *	WORD(key, names, string, help)		one of the strings of a struct fact_names
 *	NAME(key, names, index, help)		the string with that index
 *	NAME_OR_NULL(key, present, names, index, help)
 *	ALWAYS_NULL(key, help)
 *	MEMBER(key, object, help, arguments...)	an object
 *	MEMBER_OR_NULL(key, present, object, help, arguments...)
 *	MEMBERS(object, arguments...)		the members of another object
 *	LIST(key, object, count, help, arguments...)	objects; `i` is the index
 *	LIST_OR_NULL(key, present, object, count, help, arguments...)
 *	LIST_WHERE(key, condition, object, count, help, arguments...)	those with the condition
 *	FILLED_LIST(key, condition, object, count, help, arguments...)	null if it is empty
 *	LIST_FOR(key, loop, object, help, arguments...)	an object in each iteration of for (loop)
 *	STRINGS(key, count, value, help)	an array; also HEXES, TEXTS, WORDS
 *	MADE_LIST(key, type, object, names, help, statement)	a statement writes the elements
 *	MADE_LIST_OR_NULL(key, present, type, object, names, help, statement)
 *	MADE_LIST_OF_TWO(key, object, other, help, statement)	objects of two kinds
 *	OPEN_LIST_OF_TWO(key, object, other, help)	only begins the list
 *	MADE_MAP(key, type, names, help, statement)	a statement writes members with any keys
 *	MADE(key, type, flags, object, names, help, statement)	a statement writes key and value
 *	IF(condition) ... END_IF		members that may be missing
 *	WHEN(condition, row)			a member that may be missing
 *	LET(statement)				a variable for later rows
 *
 * Keys are unique in an object, even in IFs that exclude each other. This file is included once
 * for each file of descriptions. Macros for the kinds of rows stay defined; each expands to
 * ROW(table entry, statements that write it), and each pass over FACTS uses one of the two.
 */

#include "document/facts.h"

#ifndef DOCUMENT_DESCRIBE_FACTS_H
#define DOCUMENT_DESCRIBE_FACTS_H

#define FACT_FULL(key, help, type, flags, object, other, names) \
	{ key, help, type, flags, object, other, names },
#define FACT(key, help, type, flags) FACT_FULL(key, help, type, flags, NULL, NULL, NULL)
#define FACT_OF(key, help, flags, object) \
	FACT_FULL(key, help, FACT_OBJECT, flags, object##_facts, NULL, NULL)
#define FACT_WORD_OF(key, help, flags, names) \
	FACT_FULL(key, help, FACT_WORD, flags, NULL, NULL, &(names))
#define FACT_TABLE(name, help) \
	const struct fact name##_facts[] = { FACT(#name, help, FACT_OBJECT_TITLE, 0)

#define WRITE_OR_NULL(key, present, writer, ...) \
	if (present) writer(json, key, __VA_ARGS__); else json_null(json, key);
#define WRITE_LIST(key, ...) \
	json_array(json, key); \
	__VA_ARGS__ \
	json_array_end(json);
#define WRITE_EACH(key, count, ...) \
	WRITE_LIST(key, for (size_t i = 0, end = count; i < end; i++) { __VA_ARGS__ })
#define WRITE_OBJECTS(key, condition, object, count, ...) \
	WRITE_EACH(key, count, if (condition) { FACTS_WRITE(json, NULL, object, __VA_ARGS__); })

#define OBJECT(name, help, ...) \
	ROW(static FACT_TABLE(name, help), \
	    static void name##_members(struct json *json, __VA_ARGS__) {)
#define PUBLIC_OBJECT(name, help, ...) \
	ROW(FACT_TABLE(name, help), void name##_members(struct json *json, __VA_ARGS__) {)
#define ROOT_OBJECT(name, help, ...) \
	ROW(FACT_TABLE(name, help), static void name##_members(struct json *json, __VA_ARGS__) {)
#define EITHER(name, object, other) \
	ROW(const struct fact name##_facts[] = { \
		FACT_FULL(#name, NULL, FACT_OBJECT, 0, object##_facts, other##_facts, NULL) };, )
#define END ROW({ .key = NULL } };, })
#define STRING(key, value, help) \
	ROW(FACT(key, help, FACT_STRING, 0), json_string(json, key, value);)
#define STRING_OR_NULL(key, value, help) \
	ROW(FACT(key, help, FACT_STRING, FACT_OR_NULL), json_string(json, key, value);)
#define TEXT(key, value, help) ROW(FACT(key, help, FACT_STRING, 0), json_text(json, key, value);)
#define TEXT_OR_NULL(key, value, help) \
	ROW(FACT(key, help, FACT_STRING, FACT_OR_NULL), json_text_or_null(json, key, value);)
#define TEXT_IF(key, present, value, help) \
	ROW(FACT(key, help, FACT_STRING, FACT_OR_NULL), \
	    WRITE_OR_NULL(key, present, json_text, value))
#define LOWER(key, value, help) \
	ROW(FACT(key, help, FACT_LOWER, 0), facts_lower(json, key, value);)
#define ORDINAL(key, value, help) \
	ROW(FACT(key, help, FACT_ORDINAL, 0), json_number(json, key, value);)
#define NUMBER(key, value, help) \
	ROW(FACT(key, help, FACT_NUMBER, 0), json_number(json, key, value);)
#define NUMBER_OR_NULL(key, present, value, help) \
	ROW(FACT(key, help, FACT_NUMBER, FACT_OR_NULL), \
	    WRITE_OR_NULL(key, present, json_number, value))
#define SIGNED(key, value, help) \
	ROW(FACT(key, help, FACT_SIGNED, 0), json_signed(json, key, value);)
#define BOOL(key, value, help) ROW(FACT(key, help, FACT_BOOL, 0), json_bool(json, key, value);)
#define FRACTION(key, percent, help) \
	ROW(FACT(key, help, FACT_FRACTION, 0), json_fraction(json, key, percent);)
#define HEX(key, value, digits, help) \
	ROW(FACT(key, help, FACT_HEX, 0), json_hex(json, key, value, digits);)
#define HEX_OR_NULL(key, present, value, digits, help) \
	ROW(FACT(key, help, FACT_HEX, FACT_OR_NULL), \
	    WRITE_OR_NULL(key, present, json_hex, value, digits))
#define ADDRESS(key, value, help) HEX(key, value, json->digits, help)
#define ADDRESS_OR_NULL(key, present, value, help) \
	HEX_OR_NULL(key, present, value, json->digits, help)
#define PLACE(key, value, help) \
	ROW(FACT_OF(key, help, FACT_OR_NULL, place), place_write(json, key, value);)
#define REGISTERS(key, arch, registers, help) \
	ROW(FACT(key, help, FACT_HEX, FACT_MAP), \
	    registers_write(json, key, arch, registers, "eflags");)
#define WORD(key, names, string, help) \
	ROW(FACT_WORD_OF(key, help, 0, names), json_string(json, key, string);)
#define NAME(key, names, index, help) \
	ROW(FACT_WORD_OF(key, help, 0, names), facts_word(json, key, &(names), (size_t)(index));)
#define NAME_OR_NULL(key, present, names, index, help) \
	ROW(FACT_WORD_OF(key, help, FACT_OR_NULL, names), \
	    WRITE_OR_NULL(key, present, facts_word, &(names), (size_t)(index)))
#define ALWAYS_NULL(key, help) ROW(FACT(key, help, FACT_NULL, 0), json_null(json, key);)
#define MEMBER(key, object, help, ...) \
	ROW(FACT_OF(key, help, 0, object), FACTS_WRITE(json, key, object, __VA_ARGS__);)
#define MEMBER_OR_NULL(key, present, object, help, ...)                                            \
	ROW(                                                                                       \
		FACT_OF(key, help, FACT_OR_NULL, object), if (present) {                           \
			FACTS_WRITE(json, key, object, __VA_ARGS__);                               \
		} else json_null(json, key);)
#define MEMBERS(object, ...) \
	ROW(FACT_FULL("", NULL, FACT_MEMBERS, 0, object##_facts, NULL, NULL), \
	    object##_members(json, __VA_ARGS__);)
#define LIST(key, object, count, help, ...) \
	LIST_WHERE(key, true, object, count, help, __VA_ARGS__)
#define LIST_OR_NULL(key, present, object, count, help, ...) \
	ROW(FACT_OF(key, help, FACT_LIST | FACT_OR_NULL, object), \
	    if (present) { \
		WRITE_OBJECTS(key, true, object, count, __VA_ARGS__) \
	    } else json_null(json, key);)
#define LIST_WHERE(key, condition, object, count, help, ...) \
	ROW(FACT_OF(key, help, FACT_LIST, object), \
	    WRITE_OBJECTS(key, condition, object, count, __VA_ARGS__))
#define FILLED_LIST(key, condition, object, count, help, ...) \
	ROW(FACT_OF(key, help, FACT_LIST | FACT_OR_NULL, object), { \
		bool filled = false; \
		for (size_t i = 0, end = count; i < end; i++) \
			if (condition) { \
				if (!filled) \
					json_array(json, key); \
				filled = true; \
				FACTS_WRITE(json, NULL, object, __VA_ARGS__); \
			} \
		if (filled) \
			json_array_end(json); \
		else \
			json_null(json, key); })
#define LIST_FOR(key, loop, object, help, ...) \
	ROW(FACT_OF(key, help, FACT_LIST, object), \
	    WRITE_LIST(key, for (loop) { FACTS_WRITE(json, NULL, object, __VA_ARGS__); }))
#define STRINGS(key, count, value, help) \
	ROW(FACT(key, help, FACT_STRING, FACT_LIST), \
	    WRITE_EACH(key, count, json_string(json, NULL, value);))
#define TEXTS(key, count, value, help) \
	ROW(FACT(key, help, FACT_STRING, FACT_LIST), \
	    WRITE_EACH(key, count, json_text(json, NULL, value);))
#define WORDS(key, names, count, string, help) \
	ROW(FACT_WORD_OF(key, help, FACT_LIST, names), \
	    WRITE_EACH(key, count, json_string(json, NULL, string);))
#define HEXES(key, count, value, digits, help) \
	ROW(FACT(key, help, FACT_HEX, FACT_LIST), \
	    WRITE_EACH(key, count, json_hex(json, NULL, value, digits);))
#define MADE(key, type, flags, object, names, help, ...) \
	ROW(FACT_FULL(key, help, type, flags, object, NULL, names), __VA_ARGS__;)
#define MADE_LIST(key, type, object, names, help, ...) \
	MADE(key, type, FACT_LIST, object, names, help, WRITE_LIST(key, __VA_ARGS__;))
#define MADE_LIST_OR_NULL(key, present, type, object, names, help, ...) \
	MADE(key, type, FACT_LIST | FACT_OR_NULL, object, names, help, \
	     if (present) { WRITE_LIST(key, __VA_ARGS__;) } else json_null(json, key))
#define MADE_LIST_OF_TWO(key, object, other, help, ...) \
	ROW(FACT_FULL(key, help, FACT_OBJECT, FACT_LIST, object##_facts, other##_facts, NULL), \
	    WRITE_LIST(key, __VA_ARGS__;))
#define OPEN_LIST_OF_TWO(key, object, other, help) \
	ROW(FACT_FULL(key, help, FACT_OBJECT, FACT_LIST, object##_facts, other##_facts, NULL), \
	    json_array(json, key);)
#define MADE_MAP(key, type, names, help, ...) \
	MADE(key, type, FACT_MAP, NULL, names, help, \
	     json_object(json, key); __VA_ARGS__; json_object_end(json))
#define IF(condition) ROW(FACT("", NULL, FACT_IF, 0), if (condition) {)
#define END_IF ROW(FACT("", NULL, FACT_END_IF, 0), })
#define WHEN(condition, row) IF(condition) row END_IF
#define LET(...) ROW(, __VA_ARGS__;)

#endif

#define ROW(fact, ...) fact
#include FACTS
#undef ROW
#define ROW(fact, ...) __VA_ARGS__
#include FACTS
#undef ROW
#undef FACTS
