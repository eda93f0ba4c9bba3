/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "inspect/expression.h"
#include "lesson/check_compare.h"

/* Slips that the answer to any task can have, found without a `wrong` of the lesson. */

/* Larger values are not distances in a frame. */
#define MOST_DISTANCE 0x10000u

/* The word in memory from which the value of the truth was read. False: none. */
static bool
address_of_truth(const struct checking *checking, uint64_t *address)
{
	const struct check_try *try = checking->try;
	struct query query = checking->truth.operand.query;
	struct query_answer answer;
	struct error error = { 0 };

	query.attribute = QUERY_OF_ADDRESS;
	if (!checking->truth.operand.asks || checking->truth.operand.rest.length > 0 ||
		query_ask(&query, try->scene->walk, try->arena, &answer, &error) != ERROR_NONE)
		return false;
	*address = answer.value;
	return answer.valued;
}

bool
check_reads_other(struct checking *checking, struct text answer)
{
	struct check_try *try = checking->try;
	uint64_t address;

	if (!text_drop_suffix(&answer, " ^") || !address_of_truth(checking, &address))
		return false;
	const struct expression read = operand_expression(try->scene, answer, try->arena);
	if (!read.known || read.value == address)
		return false;
	try->sentence = arena_format(try->arena,
		"the word at 0x%" PRIx64 " has this value by chance; the answer is another word",
		read.value);
	return true;
}

/* Whether a value is a register of the card's frame plus the distance. */
static bool
is_beyond_register(const struct checking *checking, uint64_t value, uint64_t distance)
{
	const struct lesson_scene *scene = checking->try->scene;

	/* A lesson can name a frame that the walk does not have. */
	if (scene->frame >= scene->walk->count)
		return false;
	const struct registers *registers = &scene->walk->frames[scene->frame].registers;
	for (int reg = 0; reg < scene->walk->arch->register_count; reg++)
		if (registers_known(registers, reg) && registers->value[reg] != 0 &&
			registers->value[reg] + distance == value)
			return true;
	return false;
}

/* Whether an address lies in a module at the distance from its start. */
static bool
is_in_module(const struct checking *checking, uint64_t address, uint64_t distance)
{
	const struct crash *crash = checking->try->scene->crash;

	for (size_t i = 0; i < crash->module_count; i++)
		if (address - crash->modules[i].base == distance &&
			distance < crash->modules[i].size)
			return true;
	return false;
}

enum check_result
check_slip_value(struct checking *checking, const struct expression *typed, uint64_t truth)
{
	struct check_try *try = checking->try;
	const char *slip = NULL;
	uint64_t address;

	if (!typed->numbers && truth < MOST_DISTANCE &&
		is_beyond_register(checking, typed->value, truth))
		slip = "the answer is only the number of bytes: leave out the register";
	else if (address_of_truth(checking, &address) && typed->value == address)
		slip = "that is the address of the word: read the word there";
	else if (!typed->numbers && truth < MOST_DISTANCE && typed->value >= MOST_DISTANCE)
		slip = "that is an address; the answer is a small number";
	else if (is_in_module(checking, typed->value, truth))
		slip = "that is the address in the process: subtract the start of the module";
	else if (is_in_module(checking, truth, typed->value))
		slip = "that is the distance from the module's start: give the address in memory";
	const char *comma = strstr(typed->text, "decimal") != NULL ? "," : "";
	try->sentence = slip != NULL ? slip
		: arena_format(try->arena, "%s%s is another value", typed->text, comma);
	return CHECK_WRONG;
}

enum check_result
check_slip_place(struct checking *checking, const struct expression *typed)
{
	struct check_try *try = checking->try;
	const struct arch *arch = try->scene->walk->arch;
	struct query_answer truth = { .text = "" };
	struct error error = { 0 };
	uint64_t word;

	const bool is_word = typed->known &&
		operand_value(&checking->truth.operand, try->scene, try->arena, &truth, &error) ==
			ERROR_NONE &&
		truth.valued &&
		memory_read(&try->scene->around->memory, truth.value, arch->word_size, &word,
			NULL) &&
		word == typed->value;
	try->sentence = arena_format(try->arena,
		is_word ? "%s is the content of the right word: type the word's address"
			: "%s is another place",
		text_or_empty(try->read));
	return CHECK_WRONG;
}

/*
 * A text reduced to its names, numbers and '^' with a blank before each, without signs: "type
 * .cfa -8 +" and "type .cfa - 8" are both " type .cfa 8". NULL when out of memory.
 */
static const char *
words_of(const char *text, struct arena *arena)
{
	char *words = arena_alloc(arena, 2 * strlen(text) + 3), *end = words;

	for (bool inside = false; words != NULL && *text != '\0'; text++) {
		const bool part = isalnum((unsigned char)*text) || *text == '_' || *text == '^' ||
			(*text == '.' && isalpha((unsigned char)text[1]));

		if (part && (!inside || *text == '^'))
			*end++ = ' ';
		if (part)
			*end++ = (char)tolower((unsigned char)*text);
		inside = part && *text != '^';
	}
	if (words != NULL)
		memcpy(end, " ", 2);
	return words;
}

const char *
check_shown(const struct lesson *lesson, const struct lesson_card *card,
	const struct lesson_scene *scene, struct arena *arena)
{
	const char *all = "";

	/* Cards before the last `at` are about another place. */
	for (bool here = true; here; card--) {
		const char *said = operand_fill(&card->say, scene, arena);

		all = text_or_empty(arena_format(arena, "%s\n%s", text_or_empty(said), all));
		here = card > lesson->cards && card->at.text[0] == '\0';
	}
	return text_or_empty(words_of(all, arena));
}

bool
check_is_shown(const struct check_try *try, bool literally)
{
	struct arena *arena = try->arena;
	const char *answer = text_or_empty(text_copy(arena, text_trimmed(try->answer)));

	/* A register alone can be the answer: the word at its address. */
	if (try->card->check.kind == LESSON_CHECK_PLACE && strpbrk(answer, "+-") == NULL)
		return false;
	if (literally)
		return strpbrk(answer, "$.") != NULL &&
			strstr(text_or_empty(operand_fill(&try->card->say, try->scene, arena)),
				answer) != NULL;
	return (strpbrk(answer, "$.+-^") != NULL ||
		       expression_register(try->scene->walk->arch, text_of(answer)) !=
			       ARCH_NO_REGISTER) &&
		!operand_expression(try->scene, try->answer, arena).numbers &&
		strstr(check_shown(try->lesson, try->card, try->scene, arena),
			text_or_empty(words_of(answer, arena))) != NULL;
}
