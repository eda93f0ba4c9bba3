/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "base/compiler.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/output.h"
#include "base/sorted.h"
#include "inspect/expression.h"
#include "inspect/recorded_step.h"
#include "lesson/answers.h"
#include "lesson/check_compare.h"
#include "walk/location.h"

/* Rounds of a digest: trying all sets of frames must take longer than solving the task. */
#define DIGEST_ROUNDS 4096u

static enum check_result (*const comparisons[])(struct checking *checking) = {
#define CHECK_KIND(id, word, form, comparison, ...) check_compare_##comparison,
#include "lesson/check_kind.def"
};

enum check_result
check_misread(struct checking *checking, const char *format, ...)
{
	char text[sizeof(checking->error->text)];

	TEXT_FORMAT(text, format);
	error_plain(checking->error, ERROR_FORMAT, "%s", text);
	return CHECK_NO_ANSWER;
}

/* Whether the truth of a place is a record of a file, not a word in memory. */
static bool
is_record(const struct lesson_card *card, const struct lesson_scene *scene, struct arena *arena)
{
	struct query_answer truth = { .text = "" };
	struct check_truth check;
	struct error error = { 0 };

	return check_read(&card->check, &check, &error) == ERROR_NONE &&
	       operand_value(&check.operand, scene, arena, &truth, &error) == ERROR_NONE &&
	       truth.place.input != NULL && truth.place.line != 0;
}

const char *
check_how(const struct lesson_card *card, const struct lesson_scene *scene, struct arena *arena)
{
	static const char *const how[] = {
#define CHECK_KIND(id, word, form, comparison, how, ...) how,
#include "lesson/check_kind.def"
	};
	const struct arch *arch = scene->walk->arch;
	enum lesson_check_kind kind = card->check.kind;

	if (kind == LESSON_CHECK_PLACE && is_record(card, scene, arena))
		return "FILE:LINE of a record; :LINE is enough";
	return text_or_empty(arena_format(
		arena, how[kind], text_or_empty(arch->registers[arch->sp].name)));
}

static uint64_t
digest_of(const struct lesson_card *card, const char *purpose, const char *truth)
{
	uint64_t digest = hash_bytes(HASH_START, card->task.text, strlen(card->task.text));

	digest = hash_bytes(digest, purpose, strlen(purpose));
	for (unsigned i = 0; i < DIGEST_ROUNDS; i++)
		digest = hash_bytes(digest, truth, strlen(truth) + 1);
	return digest;
}

uint64_t
check_digest(const struct lesson_card *card, const char *truth)
{
	return digest_of(card, "", truth);
}

void
check_write_hidden(const struct lesson_card *card, const char *truth, const char *sentence,
		   const struct output *output)
{
	uint64_t key = digest_of(card, ">", truth);

	for (; *sentence != '\0'; sentence++) {
		key = hash_bytes(key, "", 1);
		output_format(output, "%02x",
			      ((unsigned)(unsigned char)*sentence ^ (unsigned)(key >> 32)) & 0xff);
	}
}

/* Values ---------------------------------------------------------------------------------------*/

/* The value of the truth, or of the misconception `other`. */
static bool
other_value(const struct checking *checking, struct query_answer *value)
{
	const struct check_try *try = checking->try;
	struct error *error = checking->error;

	return (checking->other == NULL
			? operand_value(&checking->truth.operand, try->scene, try->arena, value,
					error)
			: operand_of(checking->other, try->scene, try->arena, value, error)) ==
	       ERROR_NONE;
}

/* An expression in lower case; `failed` if the lower-case form has no value either. */
static struct expression
in_lower_case(const struct check_try *try, struct text answer, struct expression failed)
{
	char *copy = text_copy(try->arena, answer);

	for (char *c = copy; c != NULL && *c != '\0'; c++)
		*c = (char)tolower((unsigned char)*c);
	const struct expression lower =
		operand_expression(try->scene, text_of(text_or_empty(copy)), try->arena);
	return lower.known ? lower : failed;
}

/* The CFA of the step that the check asks about. False: the CFA itself is asked for, or unknown. */
static bool
cfa_of_step(const struct checking *checking, uint64_t *value)
{
	const struct check_try *try = checking->try;
	struct query query = checking->truth.operand.query;
	struct query_answer cfa;
	struct error error = { 0 };

	if (!checking->truth.operand.asks || text_is(query.name, ".cfa"))
		return false;
	query.what = QUERY_RULE;
	query.name = text_of(".cfa");
	query.attribute = QUERY_OF_VALUE;
	if (query_ask(&query, try->scene->walk, try->arena, &cfa, &error) != ERROR_NONE)
		return false;
	*value = cfa.value;
	return true;
}

/* An answer's expression, which may name the CFA of the step unless the task asks for the CFA. */
static struct expression
expression_of_answer(const struct checking *checking, struct text answer)
{
	const struct check_try *try = checking->try;
	const char *const at = memmem(answer.start, answer.length, ".cfa", 4);
	uint64_t cfa;

	if (at == NULL || !checking->truth.operand.asks) {
		const struct expression plain = operand_expression(try->scene, answer, try->arena);

		/* Manuals write registers in capitals. */
		return plain.known ? plain : in_lower_case(try, answer, plain);
	}
	if (text_is(checking->truth.operand.query.name, ".cfa"))
		return (struct expression){
			.text = "the CFA is what is asked: type its value, or a sum with a register"
		};
	if (!cfa_of_step(checking, &cfa))
		return operand_expression(try->scene, answer, try->arena);
	const size_t before = (size_t)(at - answer.start);
	/* Numbers in postfix are decimal. */
	const bool postfix = strchr("+-*/%@^", answer.start[answer.length - 1]) != NULL;
	const char *text = arena_format(try->arena, postfix ? "%.*s%" PRIu64 "%.*s"
							    : "%.*s0x%" PRIx64 "%.*s",
		(int)before, answer.start, cfa, (int)(answer.length - before - 4), at + 4);
	struct expression found =
		operand_expression(try->scene, text_of(text_or_empty(text)), try->arena);
	if (postfix && found.known)
		found.text = text_or_empty(text_printable_copy(try->arena, answer));
	return found;
}

/*
 * The value of an answer whose short numbers of only digits are read in `base`: rsp + 48 is rsp +
 * 0x30 in base 10, and rsp + 0x48 in base 16. Unknown if there is no such number.
 */
static struct expression
in_base(const struct checking *checking, struct text text, unsigned base)
{
	struct arena *arena = checking->try->arena;
	const char *sum = "";
	bool any = false;

	for (size_t i = 0, end; i < text.length && sum != NULL; i = end) {
		const bool word = isalnum((unsigned char)text.start[i]) || text.start[i] == '$';
		uint64_t number;

		for (end = i + 1; end < text.length && word; end++)
			if (!isalnum((unsigned char)text.start[end]) && text.start[end] != '_')
				break;
		const struct text part = { text.start + i, end - i };
		const bool digits = part.length < EXPRESSION_ADDRESS_DIGITS &&
			text_number(part, 10, &number);

		any |= digits;
		sum = digits && base == 10 ? arena_format(arena, "%s0x%" PRIx64, sum, number)
			: arena_format(arena, "%s%s%.*s", sum, digits ? "0x" : "",
				  (int)part.length, part.start);
	}
	struct expression found = { 0 };
	if (any && sum != NULL)
		found = expression_of_answer(checking, text_of(sum));
	if (found.known && base == 16)
		found.text = sum;
	else if (found.known && found.plain && found.value < 10)
		found.text = text_or_empty(arena_format(arena, "%" PRIu64, found.value));
	else if (found.known)
		found.text = text_or_empty(arena_format(arena,
			found.plain ? "0x%" PRIx64 ", %.*s in decimal" : "0x%" PRIx64 " = %.*s",
			found.value, (int)text.length, text.start));
	return found;
}

/* An answer: numbers of only digits are decimal here, and hexadecimal in `*other`. */
static struct expression
read_answer(const struct checking *checking, struct text answer, struct expression *other)
{
	const struct expression decimal = in_base(checking, answer, 10);

	*other = in_base(checking, answer, 16);
	if (decimal.known)
		return decimal;
	struct expression plain = expression_of_answer(checking, answer);
	if (plain.known && !plain.plain)
		plain.text = text_or_empty(arena_format(checking->try->arena, "0x%" PRIx64 " = %s",
			plain.value, plain.text));
	return plain;
}

/*
 * Refuse an answer that is right only if its numbers are read as hexadecimal. A misconception is
 * recognised in both bases.
 */
static enum check_result
refuse_base(struct checking *checking, const struct expression *other)
{
	return checking->other != NULL
		? CHECK_RIGHT
		: check_misread(checking, "%s is right, but a number without 0x is decimal",
			  other->text);
}

enum check_result
check_compare_value(struct checking *checking)
{
	struct check_try *try = checking->try;
	struct text answer = text_trimmed(try->answer);
	struct expression other;
	struct query_answer value;

	if (text_drop_suffix(&answer, " bytes"))
		answer = text_trimmed(answer);
	const struct expression typed = read_answer(checking, answer, &other);
	if (!typed.known)
		return check_misread(checking, "%s", typed.text);
	if (!other_value(checking, &value) || !value.valued)
		return CHECK_BROKEN;
	try->valued = true;
	try->value = value.value;
	try->read = typed.text;
	if (typed.value == value.value)
		return checking->other == NULL && check_reads_other(checking, answer)
			? CHECK_WRONG : CHECK_RIGHT;
	if (other.known && other.value == value.value)
		return refuse_base(checking, &other);
	return checking->other != NULL ? CHECK_WRONG
				       : check_slip_value(checking, &typed, value.value);
}

/* Places ---------------------------------------------------------------------------------------*/

/* A record or word in a form for comparison: a line of a file, or an offset in it. */
struct check_spot {
	const char *file;		/* base name; NULL: no place */
	uint64_t offset;
	uint32_t line;
	bool addressed;			/* the answer is an address in memory */
	uint64_t address;
};

static void
spot_of_place(struct place place, struct check_spot *spot)
{
	if (place.input == NULL)
		return;
	spot->file = place_base_name(place.input->name);
	spot->offset = place.offset;
	spot->line = place.line;
}

static void
spot_of_address(const struct checking *checking, uint64_t address, struct check_spot *spot)
{
	struct place place = { 0 };
	uint8_t byte;

	spot->addressed = true;
	spot->address = address;
	if (memory_copy(&checking->try->scene->around->memory, address, &byte, 1, &place) == 1)
		spot_of_place(place, spot);
}

/*
 * Parse "FILE:LINE", "FILE:LINE:COLUMN" or "FILE+0x1234"; ":LINE", as views write it, is a line of
 * any file. False: it is something else.
 */
static bool
spot_of_text(struct arena *arena, struct text text, struct check_spot *spot)
{
	const char *copy = text_copy(arena, text);
	const char *colon = copy != NULL ? strchr(copy, ':') : NULL;
	const char *plus = copy != NULL ? strstr(copy, "+0x") : NULL;
	struct text rest = text_of(colon != NULL ? colon + 1 : "");
	uint64_t line;

	if (text_take_number(&rest, 10, &line)) {
		spot->line = (uint32_t)line;
		spot->file = arena_copy(arena, copy, (size_t)(colon - copy));
		return spot->file != NULL && (rest.length == 0 || rest.start[0] == ':');
	}
	if (plus == NULL || memchr(copy, ' ', (size_t)(plus - copy)) != NULL)
		return false;
	spot->file = arena_copy(arena, copy, (size_t)(plus - copy));
	return spot->file != NULL && text_number(text_of(plus + 1), 16, &spot->offset);
}

static bool
spots_equal(const struct check_spot *one, const struct check_spot *other)
{
	if (one->addressed && other->addressed)
		return one->address == other->address;
	return one->file != NULL && other->file != NULL &&
	       (one->file[0] == '\0' || strcmp(one->file, other->file) == 0) &&
	       one->line == other->line && (one->line != 0 || one->offset == other->offset);
}

/* The place of the bytes from which a query's answer comes. */
static bool
other_spot(const struct checking *checking, struct check_spot *spot)
{
	struct query_answer value;

	if (checking->other != NULL && !query_is_one(text_of(checking->other->text)) &&
	    spot_of_text(checking->try->arena, text_of(checking->other->text), spot))
		return true;
	*spot = (struct check_spot){ 0 };
	if (!other_value(checking, &value))
		return false;
	if (value.place.input != NULL)
		spot_of_place(value.place, spot);
	else if (value.valued)
		spot_of_address(checking, value.value, spot);
	return value.place.input != NULL || value.valued;
}

enum check_result
check_compare_place(struct checking *checking)
{
	const struct text answer = text_trimmed(checking->try->answer);
	struct check_try *try = checking->try;
	struct check_spot typed = { 0 }, truth = { 0 }, hexadecimal = { 0 };
	struct expression sum = { 0 }, other = { 0 };

	const bool spot = spot_of_text(try->arena, answer, &typed);
	if (!spot || typed.line == 0) {
		/*
		 * "rsp+0x18" has the form of an offset in a file. A number alone is an address, and
		 * addresses are hexadecimal.
		 */
		const struct expression plain = expression_of_answer(checking, answer);

		sum = plain.plain ? plain : read_answer(checking, answer, &other);
		if (!sum.known && !spot)
			return check_misread(checking, "%s", sum.text);
	}
	if (sum.known) {
		typed = (struct check_spot){ 0 };
		spot_of_address(checking, sum.value, &typed);
	}
	if (!other_spot(checking, &truth))
		return CHECK_BROKEN;
	try->read = typed.addressed ? arena_format(try->arena, "0x%" PRIx64, typed.address)
				    : text_printable_copy(try->arena, answer);
	try->valued = sum.known;
	try->value = sum.value;
	if (spots_equal(&typed, &truth))
		return CHECK_RIGHT;
	if (other.known)
		spot_of_address(checking, other.value, &hexadecimal);
	if (other.known && spots_equal(&hexadecimal, &truth))
		return refuse_base(checking, &other);
	if (checking->other != NULL)
		return CHECK_WRONG;
	return sum.plain && truth.line != 0
		? check_misread(checking, "a record is a line of a file: FILE:LINE, or :LINE")
		: check_slip_place(checking, &sum);
}

/* Words ----------------------------------------------------------------------------------------*/

/* A word in lower case, with '-' for '_'. */
static const char *
plain_word(struct arena *arena, struct text word)
{
	char *copy = text_copy(arena, word);

	for (char *c = copy; c != NULL && *c != '\0'; c++)
		*c = *c == '_' || *c == ' ' ? '-' : (char)tolower((unsigned char)*c);
	return text_or_empty(copy);
}

/* Maximum number of frames that an answer can name by their functions. */
#define FRAMES_NAMED 1000u

/* The number of the only frame that has this function. False: none, or several. */
static bool
frame_named(const struct checking *checking, struct text word, uint64_t *number)
{
	const struct check_try *try = checking->try;
	struct walk *walk = try->scene->walk;
	size_t count = 0;

	walk_run(walk, FRAMES_NAMED);
	for (size_t i = 0; i < walk->count && i < FRAMES_NAMED; i++)
		if (text_equal(location_frame_name(walk, &walk->frames[i], false, try->arena),
			    word)) {
			*number = i;
			count++;
		}
	return count == 1;
}

/*
 * A member of a set in a form independent of load addresses: a register's label, the number of a
 * frame, a word of an option, or a distance from the first frame's stack pointer.
 */
static const char *
member_of(const struct checking *checking, struct text word)
{
	const struct check_try *try = checking->try;
	const struct walk *walk = try->scene->walk;
	const int reg = arch_register(walk->arch, word, ARCH_NAMES_ALIASES);
	uint64_t number;

	for (size_t i = 0; i < try->card->option_count; i++)
		if (text_is(word, try->card->options[i].word.text))
			return try->card->options[i].word.text;
	if (reg != ARCH_NO_REGISTER)
		return walk->arch->registers[reg].label;
	if (word.length <= 4 && text_number(word, 10, &number))
		return arena_format(try->arena, "%" PRIu64, number);
	if (frame_named(checking, word, &number))
		return arena_format(try->arena, "%" PRIu64, number);
	const struct expression expression = operand_expression(try->scene, word, try->arena);
	if (!expression.known || walk->count == 0)
		return plain_word(try->arena, word);
	return arena_format(try->arena, "sp+%" PRIx64,
			    expression.value - walk->frames[0].registers.value[walk->arch->sp]);
}

static int
compare_members(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* The members of a set in order, without duplicates; NULL when out of memory. */
static const char *
set_of(const struct checking *checking, struct text words)
{
	struct arena *arena = checking->try->arena;
	const char **members = arena_array(arena, words.length / 2 + 1, sizeof(*members));
	struct output_string string;
	struct text word;
	size_t count = 0;

	output_string_init(&string, arena);
	while (members != NULL && (word = lesson_word(&words)).length > 0) {
		while (word.length > 1 && word.start[word.length - 1] == ',')
			word.length--;
		if (text_is(word, "and") || text_is(word, "frame") || text_is(word, "frames"))
			continue;
		members[count++] = text_or_empty(member_of(checking, word));
	}
	SORT(members, count, compare_members);
	for (size_t i = 0; i < count; i++)
		if (i == 0 || strcmp(members[i], members[i - 1]) != 0) {
			output_plain(&string.output, members[i]);
			output_plain(&string.output, " ");
		}
	return text_or_empty(string.text);
}

/* Compare words with those of the lesson's file, or with their digest. */
static enum check_result
compare_words(const struct checking *checking, const char *typed, const char *other)
{
	const struct check_truth *truth = &checking->truth;
	const bool same = checking->other == NULL && truth->sealed
				  ? check_digest(checking->try->card, typed) == truth->digest
				  : strcmp(typed, other) == 0;

	return same ? CHECK_RIGHT : CHECK_WRONG;
}

/* Whether a set, as set_of() writes it, has a member. */
static bool
has_member(const char *set, struct text member)
{
	struct text rest = text_of(set), word;

	while ((word = lesson_word(&rest)).length > 0)
		if (text_equal(word, member))
			return true;
	return false;
}

/* Report how many members of a wrong set are right, if `solution` has the sealed truth. */
static void
say_members(const struct checking *checking, const char *typed)
{
	struct check_try *try = checking->try;
	struct text rest = text_of(typed), word;
	struct answers solution;
	struct error error = { 0 };
	size_t right = 0, count = 0;

	answers_read_solution(&solution, try->lesson, &error);
	const char *given = answers_last(&solution, try->card->task.text);
	const char *truth = set_of(checking, text_of(given));
	arena_free(&solution.arena);
	if (check_digest(try->card, truth) != checking->truth.digest)
		return;
	for (; (word = lesson_word(&rest)).length > 0; count++)
		right += has_member(truth, word);
	if (right == count)
		try->sentence = "this is right, but it is not all";
	else if (right > 0)
		try->sentence = arena_format(try->arena, "%zu of these %zu %s right", right, count,
			right == 1 ? "is" : "are");
}

enum check_result
check_compare_set(struct checking *checking)
{
	const struct text other = checking->other != NULL ? text_of(checking->other->text)
							  : checking->truth.words;
	const char *typed = set_of(checking, checking->try->answer);

	if (typed[0] == '\0')
		return check_misread(checking, "name the members of the set");
	checking->try->read =
		text_printable_copy(checking->try->arena, text_trimmed(checking->try->answer));
	const enum check_result result =
		compare_words(checking, typed, set_of(checking, other));
	if (result == CHECK_WRONG && checking->other == NULL)
		say_members(checking, typed);
	return result;
}

static const char *const check_ids[] = {
#define C(id, passed, failed, why) #id,
#include "walk/check.def"
#undef C
};

/* The method that found a caller, or the check that failed first. */
static const char *
choice_of_step(const struct checking *checking)
{
	const struct lesson_scene *scene = checking->try->scene;
	const char *found = NULL;
	struct step_view view;

	walk_run(scene->walk, checking->truth.frame + 1);
	if (checking->truth.frame >= scene->walk->count)
		return NULL;
	step_view_make(&view, scene->walk, checking->truth.frame);
	const uint32_t taken = step_view_taken(&view);
	if (checking->truth.choice == CHECK_CHOICE_METHOD && taken != TRACE_NONE)
		found = method_name((enum method_id)view.trace.events[taken].detail);
	for (uint32_t i = 0; i < view.trace.count && checking->truth.choice == CHECK_CHOICE_CHECK;
	     i++)
		if (found == NULL && view.trace.events[i].kind == EVENT_CHECK &&
		    view.trace.events[i].status == EVENT_FAILED)
			found = check_ids[view.trace.events[i].detail];
	step_view_free(&view);
	return found;
}

/* The choice named by `word`, as the task writes it; NULL: none. */
static const char *
offered(const struct checking *checking, const char *word)
{
	const struct lesson_card *card = checking->try->card;
	enum method_id method;

	for (size_t i = 0; i < card->option_count; i++)
		if (strcmp(plain_word(checking->try->arena, text_of(card->options[i].word.text)),
			    word) == 0)
			return card->options[i].word.text;
	for (size_t i = 0; i < ARRAY_COUNT(check_ids); i++)
		if (checking->truth.choice == CHECK_CHOICE_CHECK &&
			strcmp(plain_word(checking->try->arena, text_of(check_ids[i])), word) == 0)
			return word;
	if (checking->truth.choice == CHECK_CHOICE_METHOD
			? method_named(word, strlen(word), &method)
			: card->option_count == 0 && checking->truth.choice == CHECK_CHOICE_WORD)
		return word;
	return NULL;
}

enum check_result
check_compare_choice(struct checking *checking)
{
	struct arena *arena = checking->try->arena;
	const char *typed = plain_word(arena, text_trimmed(checking->try->answer));
	struct text other = checking->truth.words;

	checking->try->read = offered(checking, typed);
	if (checking->try->read == NULL)
		return check_misread(checking, "answer with one of the words");
	if (checking->other != NULL)
		other = text_of(checking->other->text);
	else if (checking->truth.choice != CHECK_CHOICE_WORD)
		other = text_of(text_or_empty(choice_of_step(checking)));
	if (other.length == 0 && !checking->truth.sealed)
		return CHECK_BROKEN;
	return compare_words(checking, typed, plain_word(arena, other));
}

/* Write the methods of the walk, or the checks of the step. */
static void
write_step_choices(const struct check_truth *truth, const struct lesson_scene *scene,
		   struct arena *arena, const struct output *output)
{
	bool seen[CHECK_COUNT] = { false };
	enum method_id methods[METHOD_COUNT];
	struct step_view view;
	const char *between = "";

	walk_run(scene->walk, truth->frame + 1);
	if (truth->choice == CHECK_CHOICE_METHOD) {
		const size_t count = walk_methods(scene->walk, methods);

		for (size_t i = 0; i < count; i++)
			output_format(output, "%s%s", i > 0 ? ", " : "",
				      plain_word(arena, text_of(method_name(methods[i]))));
		return;
	}
	if (truth->frame >= scene->walk->count)
		return;
	step_view_make(&view, scene->walk, truth->frame);
	for (uint32_t i = 0; i < view.trace.count; i++) {
		const struct event *at = &view.trace.events[i];

		if (at->kind != EVENT_CHECK || seen[at->detail])
			continue;
		seen[at->detail] = true;
		output_format(output, "%s%s", between,
			      plain_word(arena, text_of(check_ids[at->detail])));
		between = ", ";
	}
	step_view_free(&view);
}

const char *
check_choices(const struct lesson_card *card, const struct lesson_scene *scene,
	      struct arena *arena)
{
	struct output_string string;
	struct check_truth truth;
	struct error error = { 0 };

	output_string_init(&string, arena);
	if (card->check.kind != LESSON_CHECK_CHOICE ||
	    check_read(&card->check, &truth, &error) != ERROR_NONE)
		return NULL;
	for (size_t i = 0; i < card->option_count; i++)
		output_format(&string.output, "%s%s", i > 0 ? ", " : "",
			      card->options[i].word.text);
	if (card->option_count == 0 && truth.choice != CHECK_CHOICE_WORD)
		write_step_choices(&truth, scene, arena, &string.output);
	return string.length > 0 ? string.text : NULL;
}

/* Deciding -------------------------------------------------------------------------------------*/

/* Find the sentence for a wrong answer, from the misconception with this answer. */
static void
find_sentence(struct checking *checking)
{
	struct check_try *try = checking->try;

	for (size_t i = 0; i < try->card->wrong_count && !try->own; i++) {
		const struct lesson_wrong *wrong = &try->card->wrongs[i];

		checking->other = &wrong->match;
		if (comparisons[try->card->check.kind](checking) == CHECK_RIGHT) {
			try->sentence = operand_fill(&wrong->sentence, try->scene, try->arena);
			try->own = true;
		}
	}
}

/* The answer with ".cfa" where it has "cfa": "cfa - 8" is no hexadecimal number. */
static struct text
with_point(struct text answer, struct arena *arena)
{
	for (size_t i = 0; i + 3 <= answer.length; i++) {
		const char *at = answer.start + i;

		if (strncasecmp(at, "cfa", 3) == 0 &&
		    (i == 0 || (at[-1] != '.' && !isalnum((unsigned char)at[-1]))) &&
		    (i + 3 == answer.length || !isalnum((unsigned char)at[3])))
			return text_of(text_or_empty(arena_format(
				arena, "%.*s.cfa%.*s", (int)i, answer.start,
				(int)(answer.length - i - 3), at + 3)));
	}
	return answer;
}

enum check_result
check_answer(struct check_try *try)
{
	struct error error = { 0 };
	struct checking checking = { .try = try, .error = &error };

	try->read = try->sentence = NULL;
	try->own = try->valued = false;
	if (check_read(&try->card->check, &checking.truth, &error) != ERROR_NONE)
		return CHECK_BROKEN;
	if (try->answer.length > LIMIT_LESSON_ANSWER || text_trimmed(try->answer).length == 0) {
		try->sentence = try->answer.length > LIMIT_LESSON_ANSWER ? "the answer is too long"
									 : "an answer is missing";
		return CHECK_NO_ANSWER;
	}
	const enum lesson_check_kind kind = try->card->check.kind;
	const bool expression = kind <= LESSON_CHECK_PREDICT || kind == LESSON_CHECK_PLACE;
	if (expression)
		try->answer = with_point(try->answer, try->arena);
	enum check_result result = comparisons[kind](&checking);
	if (expression &&
		(result == CHECK_RIGHT || result == CHECK_NO_ANSWER) &&
		check_is_shown(try, result == CHECK_NO_ANSWER))
		result = check_misread(
			&checking, "that is the expression of the card: type its value");
	const char *read = try->read, *sentence = try->sentence;
	if (result == CHECK_WRONG)
		find_sentence(&checking);
	else if (result != CHECK_RIGHT)
		sentence = arena_string(try->arena, error.text);
	try->read = read;
	try->sentence = try->own ? try->sentence : sentence;
	return result;
}

/* Normal forms ---------------------------------------------------------------------------------*/

static size_t
normal_value(struct checking *checking, const char **forms)
{
	const struct check_try *try = checking->try;
	struct query_answer value;
	uint64_t cfa;

	if (!other_value(checking, &value) || !value.valued)
		return 0;
	forms[0] = arena_format(try->arena, "%" PRIx64, value.value);
	if (!cfa_of_step(checking, &cfa))
		return 1;
	forms[1] = arena_format(try->arena, ".cfa+%" PRIx64,
		arch_wrap(try->scene->walk->arch, value.value - cfa));
	return 2;
}

static size_t
normal_place(struct checking *checking, const char **forms)
{
	struct check_spot spot = { 0 };

	/* The normal form of a word in memory is a value: its address. */
	if (!other_spot(checking, &spot) || spot.addressed || spot.line == 0)
		return normal_value(checking, forms);
	forms[0] = arena_format(checking->try->arena, "%s:%" PRIu32, spot.file, spot.line);
	forms[1] = strchr(forms[0], ':');
	return 2;
}

/* The words of a truth or misconception; for a sealed truth, the words of the solution. */
static struct text
words_of(const struct checking *checking)
{
	return checking->other != NULL		   ? text_of(checking->other->text)
		: checking->truth.words.length > 0 ? checking->truth.words
						   : text_trimmed(checking->try->answer);
}

static size_t
normal_set(struct checking *checking, const char **forms)
{
	forms[0] = set_of(checking, words_of(checking));
	return 1;
}

static size_t
normal_choice(struct checking *checking, const char **forms)
{
	const bool step = checking->other == NULL && checking->truth.choice != CHECK_CHOICE_WORD;

	forms[0] = plain_word(checking->try->arena,
			      step ? text_of(text_or_empty(choice_of_step(checking)))
				   : words_of(checking));
	return 1;
}

size_t
check_normal(const struct check_try *try, const struct lesson_text *other,
	     const char *forms[CHECK_FORMS])
{
	static size_t (*const normals[])(struct checking *checking, const char **forms) = {
		[LESSON_CHECK_VALUE] = normal_value,   [LESSON_CHECK_PREDICT] = normal_value,
		[LESSON_CHECK_PLACE] = normal_place,   [LESSON_CHECK_SET] = normal_set,
		[LESSON_CHECK_CHOICE] = normal_choice, [LESSON_CHECK_RULE] = check_normal_rule,
		[LESSON_CHECK_PROGRAM] = NULL,	       [LESSON_CHECK_WALK] = NULL,
	};
	struct error error = { 0 };
	struct check_try copy = *try;
	struct checking checking = { .try = &copy, .other = other, .error = &error };
	const enum lesson_check_kind kind = try->card->check.kind;

	if (normals[kind] == NULL ||
	    check_read(&try->card->check, &checking.truth, &error) != ERROR_NONE)
		return 0;
	const size_t count = normals[kind](&checking, forms);
	const struct check_truth *truth = &checking.truth;
	return count == 0 || text_or_empty(forms[0])[0] == '\0' ||
			(other == NULL && truth->sealed &&
				check_digest(try->card, forms[0]) != truth->digest)
		? 0 : count;
}
