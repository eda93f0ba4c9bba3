/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inspect/query.h"

#include <inttypes.h>
#include <strings.h>

#include "base/compiler.h"
#include "base/output.h"
#include "inspect/recorded_step.h"
#include "walk/location.h"

enum query_operand { OPERAND_NONE, OPERAND_NAME, OPERAND_NUMBER };

static const struct {
	const char *word;
	enum query_operand operand;
	enum event_kind kind;		/* EVENT_STEP: not an event, but the walk */
} whats[] = {
#define WHAT(id, word, operand, kind, help) { word, OPERAND_##operand, kind },
#include "inspect/query.def"
};

static const char *const attributes[] = {
#define ATTRIBUTE(id, word, help) word,
#include "inspect/query.def"
};

static const char *const check_words[] = {
#define C(id, passed, failed, why) #id,
#include "walk/check.def"
#undef C
};

/* Reading --------------------------------------------------------------------------------------*/

struct query_words {
	struct text text;
	size_t at;		/* start of the next word */
	size_t start;		/* start of the last word read */
	struct error *error;
};

static struct text
next_word(struct query_words *words)
{
	const struct text *text = &words->text;

	while (words->at < text->length && rule_is_break(text->start[words->at]))
		words->at++;
	words->start = words->at;
	while (words->at < text->length && !rule_is_break(text->start[words->at]))
		words->at++;
	return (struct text){ text->start + words->start, words->at - words->start };
}

static enum error_code
wrong(const struct query_words *words, const char *expected, struct text word)
{
	const struct place place = { .column = (uint32_t)words->start + 1 };
	char shown[64];

	text_printable(shown, sizeof(shown), word);
	return error_set(words->error, ERROR_FORMAT, place, "expected %s%s%s%s", expected,
			 word.length > 0 ? ", not '" : " at the end", shown,
			 word.length > 0 ? "'" : "");
}

/* Read a decimal number; false: the text is no number, or no walk has so many frames. */
static bool
read_count(struct text word, size_t *count)
{
	uint64_t number;

	if (!text_number(word, 10, &number) || number > UINT32_MAX)
		return false;
	*count = (size_t)number;
	return true;
}

static enum error_code
read_what(struct query_words *words, struct text word, struct query *query)
{
	size_t what = 0;

	while (what < ARRAY_COUNT(whats) &&
	       (what == QUERY_FRAMES || !text_is(word, whats[what].word)))
		what++;
	if (what == ARRAY_COUNT(whats))
		return wrong(words, "what to ask of the frame (rule, token, read, set, ...)", word);
	query->what = (enum query_what)what;
	if (whats[what].operand == OPERAND_NONE)
		return ERROR_NONE;
	word = next_word(words);
	if (whats[what].operand == OPERAND_NAME && word.length == 0)
		return wrong(words, "a name", word);
	query->name = word;
	if (whats[what].operand == OPERAND_NUMBER &&
	    (!read_count(word, &query->number) || query->number == 0))
		return wrong(words, "a number from 1", word);
	return ERROR_NONE;
}

/* Reads "frame N [attempt METHOD] WHAT", or just "frames". */
static enum error_code
read_subject(struct query_words *words, struct query *query)
{
	struct text word = next_word(words);

	query->what = QUERY_FRAMES;
	if (text_is(word, whats[QUERY_FRAMES].word))
		return ERROR_NONE;
	if (!text_is(word, "frame"))
		return wrong(words, "'frame N' or 'frames'", word);
	word = next_word(words);
	if (!read_count(word, &query->frame))
		return wrong(words, "the number of a frame", word);
	word = next_word(words);
	if (text_is(word, "attempt")) {
		word = next_word(words);
		if (!method_named(word.start, word.length, &query->method))
			return wrong(words, "a method (stack-cfi, scan, ...)", word);
		word = next_word(words);
	}
	return read_what(words, word, query);
}

bool
query_is_one(struct text text)
{
	struct query_words words = { .text = text };
	const struct text word = next_word(&words);

	return text_is(word, "frame") || text_is(word, whats[QUERY_FRAMES].word);
}

static size_t
attribute_of(struct text word)
{
	size_t attribute = 0;

	while (attribute < QUERY_ATTRIBUTES && !text_is(word, attributes[attribute]))
		attribute++;
	return attribute;
}

size_t
query_length(struct text text)
{
	struct query_words words = { .text = text };
	struct text word;

	while ((word = next_word(&words)).length > 0)
		if (attribute_of(word) < QUERY_ATTRIBUTES)
			return words.at;
	return text.length;
}

enum error_code
query_parse(struct text text, struct query *query, struct error *error)
{
	struct query_words words = { .text = text, .error = error };

	*query = (struct query){ .method = METHOD_COUNT };
	enum error_code code = read_subject(&words, query);
	if (code != ERROR_NONE)
		return code;
	const struct text word = next_word(&words);
	const size_t attribute = word.length == 0 ? QUERY_OF_VALUE : attribute_of(word);
	if (attribute == QUERY_ATTRIBUTES)
		return wrong(&words, "value, address, stack, place, status or text", word);
	query->attribute = (enum query_attribute)attribute;
	const struct text rest = next_word(&words);
	return rest.length == 0 ? ERROR_NONE : wrong(&words, "the end of the query", rest);
}

/* Answers ------------------------------------------------------------------------------------- */

struct query_asking {
	const struct query *query;
	struct walk *walk;
	struct arena *arena;
	struct query_answer *answer;
	struct error *error;
};

static enum error_code
missing(const struct query_asking *asking, const char *what)
{
	const struct query *query = asking->query;
	const char *word = whats[query->what].word;
	char name[64];

	text_printable(name, sizeof(name),
		       query->name.length > 0 || what == word ? query->name : text_of(word));
	return error_plain(asking->error, ERROR_NOT_FOUND, "frame %zu has no %s%s%s", query->frame,
			   what, name[0] != '\0' ? " " : "", name);
}

static enum error_code
give_value(const struct query_asking *asking, uint64_t value)
{
	asking->answer->valued = true;
	asking->answer->value = value;
	asking->answer->text = arena_format(asking->arena, "0x%" PRIx64, value);
	return ERROR_NONE;
}

static enum error_code
give_text(const struct query_asking *asking, struct text text)
{
	asking->answer->text = text_printable_copy(asking->arena, text);
	return ERROR_NONE;
}

static bool
check_is(const struct event *at, struct text name)
{
	const char *word = at->detail < CHECK_COUNT ? check_words[at->detail] : "";

	for (size_t i = 0; i < name.length; i++) {
		const char c = name.start[i] == '-' ? '_' : name.start[i];

		if (word[i] == '\0' || strncasecmp(&c, &word[i], 1) != 0)
			return false;
	}
	return word[name.length] == '\0';
}

static bool
is_asked(const struct query_asking *asking, const struct event *at, int reg, size_t *left)
{
	const struct query *query = asking->query;

	if (at->kind != whats[query->what].kind ||
	    (query->what == QUERY_ROW && at->status != EVENT_OK))
		return false;
	switch (whats[query->what].operand) {
	case OPERAND_NUMBER:
		return --*left == 0;
	case OPERAND_NAME:
		if (query->what == QUERY_CHECK)
			return check_is(at, query->name);
		return text_equal(at->name, query->name) ||
		       (reg != ARCH_NO_REGISTER && at->reg == reg);
	default:
		return true;
	}
}

/* Finds the requested event in the attempt that found the caller, else in the last attempt. */
static uint32_t
find_event(const struct query_asking *asking, const struct step_view *view)
{
	const struct query *query = asking->query;
	const int reg = arch_register(asking->walk->arch, query->name, ARCH_NAMES_ALIASES);
	uint32_t attempt = step_view_taken(view), found = TRACE_NONE;
	size_t left = query->number;

	if (query->what == QUERY_METHOD)
		return attempt;
	const uint32_t end = attempt != TRACE_NONE ? view->trace.events[attempt].end : attempt;
	for (uint32_t i = attempt; i < end; i++)
		if (is_asked(asking, &view->trace.events[i], reg, &left)) {
			found = i;
			if (query->what != QUERY_SET && query->what != QUERY_CHECK)
				break;
		}
	return found;
}

/* Answers with the postfix stack in push order. */
static enum error_code
give_stack(const struct query_asking *asking, const struct event *at)
{
	struct output_string string;
	size_t depth = 0;

	output_string_init(&string, asking->arena);
	for (const struct cell *cell = at->stack; cell != NULL; cell = cell->below)
		depth++;
	output_plain(&string.output, depth == 0 ? "empty" : "");
	for (; depth > 0; depth--) {
		const struct cell *cell = at->stack;

		for (size_t i = 1; i < depth; i++)
			cell = cell->below;
		if (cell->name.length > 0)
			output_text(&string.output, cell->name);
		else
			output_format(&string.output, "0x%" PRIx64, cell->value);
		output_plain(&string.output, depth > 1 ? " " : "");
	}
	asking->answer->text = string.text;
	return ERROR_NONE;
}

/* Answers with the value of an event: for a token, the value that it left on top or assigned. */
static enum error_code
give_event_value(const struct query_asking *asking, const struct event *at)
{
	const bool token = at->kind == EVENT_TOKEN;
	const bool assigns = token && at->detail == OPERATION_ASSIGN;
	const bool program = at->kind == EVENT_RULE && at->reg == ARCH_NO_REGISTER &&
			     text_is(at->name, "program");

	if (at->status == EVENT_FAILED || program)
		return missing(asking, program ? "single value for" : "value for");
	if (token && !assigns && at->stack != NULL && at->stack->known)
		return give_value(asking, at->stack->value);
	if (assigns || at->kind == EVENT_RULE || at->kind == EVENT_READ || at->kind == EVENT_SET ||
	    at->kind == EVENT_INPUT)
		return give_value(asking, at->value);
	return missing(asking, "value for");
}

static enum error_code
give_address(const struct query_asking *asking, const struct step_view *view, uint32_t event)
{
	const struct event *at = &view->trace.events[event];
	uint32_t from = at->kind == EVENT_READ || at->kind == EVENT_TOKEN ? event : at->from;

	const uint32_t read = from == TRACE_NONE ? from : trace_read_behind(&view->trace, from);
	if (read == TRACE_NONE)
		return missing(asking, "address in memory for");
	asking->answer->place = view->trace.events[read].place;
	return give_value(asking, view->trace.events[read].address);
}

static enum error_code
give_event_text(const struct query_asking *asking, const struct event *at)
{
	if (at->kind == EVENT_ATTEMPT)
		return give_text(asking, text_of(method_name((enum method_id)at->detail)));
	if (at->kind == EVENT_TOKEN)
		return give_text(asking, at->name);
	if (at->kind == EVENT_CHECK && at->detail < CHECK_COUNT)
		return give_text(asking,
				 text_of(check_table[at->detail][at->status != EVENT_FAILED]));
	return give_text(asking, text_of(text_or_empty(at->text)));
}

static enum error_code
give_event(const struct query_asking *asking, const struct step_view *view, uint32_t event)
{
	static const char *const states[] = { "ok", "failed", "note" };
	const struct event *at = &view->trace.events[event];
	struct query_answer *answer = asking->answer;

	/* A value that must be predicted first is not available yet (blind.h). */
	if (at->status == EVENT_HIDDEN && asking->query->attribute != QUERY_OF_TEXT)
		return missing(asking, "prediction yet of");
	/* A read has the place of its bytes; a rule has the place of its record. */
	answer->place = at->kind == EVENT_READ || at->kind == EVENT_INPUT
				? at->place : step_view_said_by(view, event);
	switch (asking->query->attribute) {
	case QUERY_OF_VALUE:
		return at->kind == EVENT_ATTEMPT ? give_event_text(asking, at)
						 : give_event_value(asking, at);
	case QUERY_OF_ADDRESS:
		return give_address(asking, view, event);
	case QUERY_OF_STACK:
		return at->kind == EVENT_TOKEN ? give_stack(asking, at)
					       : missing(asking, "postfix stack for");
	case QUERY_OF_PLACE:
		if (answer->place.input == NULL)
			return missing(asking, "place in a file for");
		return give_text(asking, text_of(place_format(&answer->place).text));
	case QUERY_OF_STATUS:
		return give_text(asking, text_of(states[at->status]));
	default:
		return give_event_text(asking, at);
	}
}

static enum error_code
ask_step(const struct query_asking *asking)
{
	const struct query *query = asking->query;
	enum error_code code = ERROR_NONE;
	struct step_view view;

	step_view_make_by(&view, asking->walk, query->frame, query->method);
	const uint32_t event = find_event(asking, &view);
	if (event == TRACE_NONE)
		code = missing(asking, whats[query->what].word);
	else
		code = give_event(asking, &view, event);
	step_view_free(&view);
	return code;
}

/* Answers questions about the walk itself. */
static enum error_code
ask_frame(const struct query_asking *asking)
{
	const struct query *query = asking->query;
	const struct frame *frame = &asking->walk->frames[query->frame];
	struct location location;

	if (query->what == QUERY_REGISTER) {
		const int reg =
			arch_register(asking->walk->arch, query->name, ARCH_NAMES_ALIASES);

		if (!registers_known(&frame->registers, reg))
			return missing(asking, "value for register");
		return give_value(asking, frame->registers.value[reg]);
	}
	location_of(asking->walk, frame->lookup, asking->arena, &location);
	if (query->what == QUERY_CALLS)
		return give_value(asking, location.call_count);
	if (query->attribute == QUERY_OF_TEXT)
		return give_text(asking, location_frame_name(asking->walk, frame, false,
							     asking->arena));
	if (location.module == NULL || location.symfile == NULL)
		return missing(asking, "known");
	return give_value(asking, location.module->base +
				  location.calls[location.call_count - 1].function_base);
}

enum error_code
query_ask(const struct query *query, struct walk *walk, struct arena *arena,
	  struct query_answer *answer, struct error *error)
{
	const struct query_asking asking = { query, walk, arena, answer, error };
	enum error_code code;

	*answer = (struct query_answer){ .text = "" };
	walk_run(walk, query->what == QUERY_FRAMES ? 0 : query->frame + 1);
	if (query->what == QUERY_FRAMES)
		code = give_value(&asking, walk->count);
	else if (walk->count == 0)
		code = error_plain(error, ERROR_NOT_FOUND, "no frame %zu; the thread has none",
				   query->frame);
	else if (query->frame >= walk->count)
		code = error_plain(error, ERROR_NOT_FOUND, "no frame %zu; the outermost one is %zu",
				   query->frame, walk->count - 1);
	else
		code = whats[query->what].kind == EVENT_STEP ? ask_frame(&asking)
							     : ask_step(&asking);
	if (code == ERROR_NONE && answer->text == NULL)
		code = error_memory(error);
	return code;
}
