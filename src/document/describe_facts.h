/* SPDX-License-Identifier: GPL-3.0-or-later */

/**
 * Make tables and functions of the descriptions in the file that FACTS names:
 *
 *	#define FACTS "report/code/lookup_facts.def"
 *	#include "document/describe_facts.h"
 *
 * Each object there gives `static const struct fact NAME_facts[]` and
 * `static void NAME_members(struct json *json, PARAMETERS)`; a PUBLIC_OBJECT gives the same for
 * other files, which a header declares; of a ROOT_OBJECT only the table is public. An object stands behind those that it consists of. Its
 * rows are, in the order of the document:
 *
 *	OBJECT(name, help, parameters...)	END
 *	EITHER(name, object, other)		a document that is one of two objects; no END
 *	STRING(key, value, help)		const char *; TEXT: struct text
 *	STRING_OR_NULL(key, value, help)	null if NULL; TEXT_OR_NULL: null if empty
 *	TEXT_IF(key, present, value, help)	null unless present
 *	LOWER(key, value, help)			const char * without capital letters
 *	NUMBER(key, value, help)		unsigned; ORDINAL: from 1; SIGNED; BOOL
 *	NUMBER_OR_NULL(key, present, value, help)
 *	FRACTION(key, percent, help)		from 0 to 1
 *	HEX(key, value, digits, help)		at least so many digits
 *	HEX_OR_NULL(key, present, value, digits, help)
 *	ADDRESS(key, value, help)		with the digits of json->digits
 *	ADDRESS_OR_NULL(key, present, value, help)
 *	PLACE(key, value, help)			null where there is none
 *	REGISTERS(key, arch, registers, help)	the known ones
 *	WORD(key, names, string, help)		a string that is one of a struct fact_names
 *	WORD_OR_NULL(key, names, string, help)
 *	NAME(key, names, index, help)		the string with that index
 *	NAME_OR_NULL(key, present, names, index, help)
 *	ALWAYS_NULL(key, help)
 *	MEMBER(key, object, help, arguments...)	an object
 *	MEMBER_OR_NULL(key, present, object, help, arguments...)
 *	MEMBERS(object, arguments...)		the members of an object stand here
 *	LIST(key, object, count, help, arguments...)	objects; `i` is the index
 *	LIST_OR_NULL(key, present, object, count, help, arguments...)
 *	LIST_WHERE(key, condition, object, count, help, arguments...)	those that fulfil it
 *	FILLED_LIST(key, condition, object, count, help, arguments...)	null where none does
 *	LIST_FOR(key, loop, object, help, arguments...)	an object each time round: for (loop)
 *	STRINGS(key, count, value, help)	HEXES, ADDRESSES, TEXTS, WORDS: arrays of those
 *	MADE_LIST(key, type, object, names, help, statement)	elements come from a statement
 *	MADE_LIST_OR_NULL(key, present, type, object, names, help, statement)
 *	MADE_LIST_OF_TWO(key, object, other, help, statement)	objects of two kinds
 *	OPEN_LIST_OF_TWO(key, object, other, help)	only begun here
 *	MADE_MAP(key, type, names, help, statement)	and so do members with keys of any number
 *	MADE(key, type, flags, object, names, help, statement)	it writes key and value
 *	IF(condition) ... END_IF		members that may be missing
 *	LET(statement)				a variable that the rows behind it use
 *
 * Keys are unique in an object, even where an IF leaves only one of two. This file has no include
 * guard: it is included once for each file of descriptions.
 */

#include "document/facts.h"

#define FACT(key, help, type, flags) { key, help, type, flags, NULL, NULL, NULL },
#define FACT_OF(key, help, flags, object) \
	{ key, help, FACT_OBJECT, flags, object##_facts, NULL, NULL },
#define FACT_WORD_OF(key, help, flags, names) \
	{ key, help, FACT_WORD, flags, NULL, NULL, &(names) },

#define OBJECT(name, help, ...) \
	static const struct fact name##_facts[] = { FACT(#name, help, FACT_OBJECT_TITLE, 0)
#define PUBLIC_OBJECT(name, help, ...) \
	const struct fact name##_facts[] = { FACT(#name, help, FACT_OBJECT_TITLE, 0)
#define ROOT_OBJECT(name, help, ...) PUBLIC_OBJECT(name, help, )
#define EITHER(name, object, other) \
	const struct fact name##_facts[] = { { #name, NULL, FACT_OBJECT, 0, object##_facts, \
					       other##_facts, NULL } };
#define END { .key = NULL } };
#define STRING(key, value, help) FACT(key, help, FACT_STRING, 0)
#define STRING_OR_NULL(key, value, help) FACT(key, help, FACT_STRING, FACT_OR_NULL)
#define TEXT(key, value, help) FACT(key, help, FACT_STRING, 0)
#define TEXT_OR_NULL(key, value, help) FACT(key, help, FACT_STRING, FACT_OR_NULL)
#define TEXT_IF(key, present, value, help) FACT(key, help, FACT_STRING, FACT_OR_NULL)
#define LOWER(key, value, help) FACT(key, help, FACT_LOWER, 0)
#define ORDINAL(key, value, help) FACT(key, help, FACT_ORDINAL, 0)
#define NUMBER(key, value, help) FACT(key, help, FACT_NUMBER, 0)
#define NUMBER_OR_NULL(key, present, value, help) FACT(key, help, FACT_NUMBER, FACT_OR_NULL)
#define SIGNED(key, value, help) FACT(key, help, FACT_SIGNED, 0)
#define BOOL(key, value, help) FACT(key, help, FACT_BOOL, 0)
#define FRACTION(key, percent, help) FACT(key, help, FACT_FRACTION, 0)
#define HEX(key, value, digits, help) FACT(key, help, FACT_HEX, 0)
#define HEX_OR_NULL(key, present, value, digits, help) FACT(key, help, FACT_HEX, FACT_OR_NULL)
#define ADDRESS(key, value, help) FACT(key, help, FACT_HEX, 0)
#define ADDRESS_OR_NULL(key, present, value, help) FACT(key, help, FACT_HEX, FACT_OR_NULL)
#define PLACE(key, value, help) FACT_OF(key, help, FACT_OR_NULL, place)
#define REGISTERS(key, arch, registers, help) FACT(key, help, FACT_HEX, FACT_MAP)
#define WORD(key, names, string, help) FACT_WORD_OF(key, help, 0, names)
#define WORD_OR_NULL(key, names, string, help) FACT_WORD_OF(key, help, FACT_OR_NULL, names)
#define NAME(key, names, index, help) FACT_WORD_OF(key, help, 0, names)
#define NAME_OR_NULL(key, present, names, index, help) \
	FACT_WORD_OF(key, help, FACT_OR_NULL, names)
#define ALWAYS_NULL(key, help) FACT(key, help, FACT_NULL, 0)
#define MEMBER(key, object, help, ...) FACT_OF(key, help, 0, object)
#define MEMBER_OR_NULL(key, present, object, help, ...) FACT_OF(key, help, FACT_OR_NULL, object)
#define MEMBERS(object, ...) { "", NULL, FACT_MEMBERS, 0, object##_facts, NULL, NULL },
#define LIST(key, object, count, help, ...) FACT_OF(key, help, FACT_LIST, object)
#define LIST_OR_NULL(key, present, object, count, help, ...) \
	FACT_OF(key, help, FACT_LIST | FACT_OR_NULL, object)
#define LIST_WHERE(key, condition, object, count, help, ...) \
	FACT_OF(key, help, FACT_LIST, object)
#define FILLED_LIST(key, condition, object, count, help, ...) \
	FACT_OF(key, help, FACT_LIST | FACT_OR_NULL, object)
#define LIST_FOR(key, loop, object, help, ...) FACT_OF(key, help, FACT_LIST, object)
#define STRINGS(key, count, value, help) FACT(key, help, FACT_STRING, FACT_LIST)
#define TEXTS(key, count, value, help) FACT(key, help, FACT_STRING, FACT_LIST)
#define WORDS(key, names, count, string, help) FACT_WORD_OF(key, help, FACT_LIST, names)
#define HEXES(key, count, value, digits, help) FACT(key, help, FACT_HEX, FACT_LIST)
#define ADDRESSES(key, count, value, help) FACT(key, help, FACT_HEX, FACT_LIST)
#define MADE(key, type, flags, object, names, help, ...) \
	{ key, help, type, flags, object, NULL, names },
#define MADE_LIST(key, type, object, names, help, ...) \
	{ key, help, type, FACT_LIST, object, NULL, names },
#define MADE_LIST_OR_NULL(key, present, type, object, names, help, ...) \
	{ key, help, type, FACT_LIST | FACT_OR_NULL, object, NULL, names },
#define MADE_LIST_OF_TWO(key, object, other, help, ...) \
	{ key, help, FACT_OBJECT, FACT_LIST, object##_facts, other##_facts, NULL },
#define OPEN_LIST_OF_TWO(key, object, other, help) \
	MADE_LIST_OF_TWO(key, object, other, help, )
#define MADE_MAP(key, type, names, help, ...) { key, help, type, FACT_MAP, NULL, NULL, names },
#define IF(condition) FACT("", NULL, FACT_IF, 0)
#define END_IF FACT("", NULL, FACT_END_IF, 0)
#define LET(...)

#include FACTS

#include "document/describe_facts_end.h"

#define OBJECT(name, help, ...) \
	static void name##_members(struct json *json, __VA_ARGS__) {
#define PUBLIC_OBJECT(name, help, ...) \
	void name##_members(struct json *json, __VA_ARGS__) {
#define ROOT_OBJECT(name, help, ...) OBJECT(name, help, __VA_ARGS__)
#define EITHER(name, object, other)
#define END }
#define STRING(key, value, help) json_string(json, key, value);
#define STRING_OR_NULL(key, value, help) json_string(json, key, value);
#define TEXT(key, value, help) json_text(json, key, value);
#define TEXT_OR_NULL(key, value, help) json_text_or_null(json, key, value);
#define TEXT_IF(key, present, value, help) OR_NULL(key, present, json_text, value)
#define LOWER(key, value, help) json_string(json, key, value);
#define ORDINAL(key, value, help) json_number(json, key, value);
#define NUMBER(key, value, help) json_number(json, key, value);
#define NUMBER_OR_NULL(key, present, value, help) OR_NULL(key, present, json_number, value)
#define SIGNED(key, value, help) json_signed(json, key, value);
#define BOOL(key, value, help) json_bool(json, key, value);
#define FRACTION(key, percent, help) json_fraction(json, key, percent, 2);
#define HEX(key, value, digits, help) json_hex(json, key, value, digits);
#define HEX_OR_NULL(key, present, value, digits, help) \
	OR_NULL(key, present, json_hex, value, digits)
#define ADDRESS(key, value, help) json_hex(json, key, value, json->digits);
#define ADDRESS_OR_NULL(key, present, value, help) \
	OR_NULL(key, present, json_hex, value, json->digits)
#define PLACE(key, value, help) place_write(json, key, value);
#define REGISTERS(key, arch, registers, help) registers_write(json, key, arch, registers);
#define WORD(key, names, string, help) json_string(json, key, string);
#define WORD_OR_NULL(key, names, string, help) json_string(json, key, string);
#define NAME(key, names, index, help) facts_word(json, key, &(names), (size_t)(index));
#define NAME_OR_NULL(key, present, names, index, help) \
	OR_NULL(key, present, facts_word, &(names), (size_t)(index))
#define ALWAYS_NULL(key, help) json_null(json, key);
#define MEMBER(key, object, help, ...) \
	json_object(json, key); \
	object##_members(json, __VA_ARGS__); \
	json_object_end(json);
#define MEMBER_OR_NULL(key, present, object, help, ...) \
	if (present) { MEMBER(key, object, help, __VA_ARGS__) } else json_null(json, key);
#define MEMBERS(object, ...) object##_members(json, __VA_ARGS__);
#define LIST(key, object, count, help, ...) \
	LIST_WHERE(key, true, object, count, help, __VA_ARGS__)
#define LIST_OR_NULL(key, present, object, count, help, ...) \
	if (present) { LIST(key, object, count, help, __VA_ARGS__) } else json_null(json, key);
#define LIST_WHERE(key, condition, object, count, help, ...) \
	EACH(key, count, if (condition) { MEMBER(NULL, object, help, __VA_ARGS__) })
#define FILLED_LIST(key, condition, object, count, help, ...) { \
	bool filled = false; \
	for (size_t i = 0, end = count; i < end; i++) \
		if (condition) { \
			if (!filled) \
				json_array(json, key); \
			filled = true; \
			MEMBER(NULL, object, help, __VA_ARGS__) \
		} \
	if (filled) \
		json_array_end(json); \
	else \
		json_null(json, key); }
#define LIST_FOR(key, loop, object, help, ...) \
	json_array(json, key); \
	for (loop) { MEMBER(NULL, object, help, __VA_ARGS__) } \
	json_array_end(json);
#define STRINGS(key, count, value, help) EACH(key, count, json_string(json, NULL, value);)
#define TEXTS(key, count, value, help) EACH(key, count, json_text(json, NULL, value);)
#define WORDS(key, names, count, string, help) EACH(key, count, json_string(json, NULL, string);)
#define HEXES(key, count, value, digits, help) \
	EACH(key, count, json_hex(json, NULL, value, digits);)
#define ADDRESSES(key, count, value, help) \
	EACH(key, count, json_hex(json, NULL, value, json->digits);)
#define MADE(key, type, flags, object, names, help, ...) __VA_ARGS__;
#define MADE_LIST(key, type, object, names, help, ...) \
	json_array(json, key); \
	__VA_ARGS__; \
	json_array_end(json);
#define MADE_LIST_OR_NULL(key, present, type, object, names, help, ...) \
	if (present) { \
		MADE_LIST(key, type, object, names, help, __VA_ARGS__) \
	} else \
		json_null(json, key);
#define MADE_LIST_OF_TWO(key, object, other, help, ...) \
	MADE_LIST(key, FACT_OBJECT, NULL, NULL, help, __VA_ARGS__)
#define OPEN_LIST_OF_TWO(key, object, other, help) json_array(json, key);
#define MADE_MAP(key, type, names, help, ...) \
	json_object(json, key); \
	__VA_ARGS__; \
	json_object_end(json);
#define IF(condition) if (condition) {
#define END_IF }
#define LET(...) __VA_ARGS__;
#define OR_NULL(key, present, writer, ...) \
	if (present) writer(json, key, __VA_ARGS__); else json_null(json, key);
#define EACH(key, count, ...) \
	json_array(json, key); \
	for (size_t i = 0, end = count; i < end; i++) { __VA_ARGS__ } \
	json_array_end(json);

#include FACTS

#undef OR_NULL
#undef EACH
#include "document/describe_facts_end.h"
#undef FACT
#undef FACT_OF
#undef FACT_WORD_OF
#undef FACTS
