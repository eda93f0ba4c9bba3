/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lesson/lesson_lint.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "lesson/answers.h"
#include "report/glossary.h"

/* Smaller answers are ignored, because such numbers occur in many texts. */
#define LEAST_TELLING 256u

struct linting {
	const struct lesson *lesson;
	struct lesson_scene scene;
	bool (*permits)(const char *line);
	struct lesson_findings *findings;
	struct input *files;		/* `wrong` and `solution` */
	struct arena arena;		/* holds texts of a card */
};

void
lesson_find(struct lesson_findings *findings, struct place place, const char *format, ...)
{
	char text[400];

	TEXT_FORMAT(text, format);
	ARENA_ADD(&findings->arena, findings->items, findings->count, findings->capacity,
		  &(struct lesson_finding){ place,
					    text_or_empty(arena_string(&findings->arena, text)) });
}

/* Texts ----------------------------------------------------------------------------------------*/

/* Report keys and commands of the explorer in a plain piece of a text. */
static void
lint_keys(struct linting *linting, const struct lesson_piece *piece)
{
	static const char *const keys[] = { "cursor", "oint at it", "press P", "Space ", "`t`" };
	const struct text text = piece->text;
	const struct lesson_text of = { text.start, piece->place };
	const char *at;

	for (size_t i = 0; i < ARRAY_COUNT(keys); i++)
		if ((at = memmem(text.start, text.length, keys[i], strlen(keys[i]))) != NULL)
			lesson_find(linting->findings,
				lesson_place_in(&of, (size_t)(at - text.start)),
				"only the explorer has '%s': use a word of place_words.def",
				keys[i]);
	/* The words of a place end before the command. */
	for (size_t i = 2; i + 2 < text.length; i++) {
		at = text.start + i;
		if (at[0] == '`' && at[1] == ':' && islower((unsigned char)at[2]))
			lesson_find(linting->findings, lesson_place_in(&of, i),
				"only the explorer has commands: write {{command}} before it");
	}
}

static void
lint_pieces(struct linting *linting, const struct lesson_text *text)
{
	struct lesson_piece piece;

	for (struct lesson_text rest = *text; lesson_next_piece(&rest, &piece);) {
		struct query_answer answer;
		struct error error = { 0 };

		if (piece.kind == LESSON_WORD &&
		    glossary_explain(piece.text, &linting->arena) == NULL)
			lesson_find(linting->findings, piece.place, "the glossary has no '%.*s'",
				(int)piece.text.length, piece.text.start);
		if (piece.kind == LESSON_PLAIN)
			lint_keys(linting, &piece);
		if (piece.kind != LESSON_QUERY ||
			operand_place_words(piece.text, LESSON_IN_EXPLORER) != NULL)
			continue;
		const struct lesson_text query = {
			text_or_empty(text_copy(&linting->arena, piece.text)), piece.place
		};
		if (operand_of(&query, &linting->scene, &linting->arena, &answer, &error) !=
		    ERROR_NONE)
			lesson_find(linting->findings, piece.place, "no answer: %s", error.text);
	}
}

static void
lint_size(struct linting *linting, const struct lesson_text *text, const char *filled)
{
	static const size_t sizes[][2] = {
		{ LESSON_SIDE_COLUMNS, LESSON_SIDE_ROWS },
		{ LESSON_BELOW_COLUMNS, LESSON_BELOW_ROWS },
	};

	for (size_t i = 0; i < ARRAY_COUNT(sizes); i++) {
		struct text line;
		size_t lines = 0;

		while (operand_filled_line(filled, sizes[i][0], lines, &line))
			lines++;
		if (lines > sizes[i][1])
			lesson_find(linting->findings, text->place,
				"%zu lines of %zu columns, %zu fit", lines, sizes[i][0],
				sizes[i][1]);
	}
}

static const char *
lint_text(struct linting *linting, const struct lesson_text *text)
{
	lint_pieces(linting, text);
	const char *filled = operand_fill(text, &linting->scene, &linting->arena);
	lint_size(linting, text, text_or_empty(filled));
	return text_or_empty(filled);
}

/* Answers --------------------------------------------------------------------------------------*/

/*
 * The part of a task's answer in `solution` that no earlier text may contain: the rule of an edit,
 * or the members of a set. Empty for other kinds: a choice shows all its words.
 */
static const char *
solution_of(const struct lesson *lesson, const struct lesson_card *card, struct arena *arena)
{
	struct answers answers;
	struct error error = { 0 };

	if (card->check.kind != LESSON_CHECK_SET && card->check.kind != LESSON_CHECK_WALK)
		return "";
	answers_read_solution(&answers, lesson, &error);
	const char *given = answers_last(&answers, card->task.text);
	given = text_or_empty(arena_string(arena, given));
	arena_free(&answers.arena);
	if (card->check.kind == LESSON_CHECK_WALK) {
		given = strstr(given, ": ");
		return given != NULL ? given + 2 : "";
	}
	return strchr(given, ' ') != NULL ? given : "";
}

/* Whether a text contains the number as a word, in hexadecimal or decimal. */
static bool
tells_number(const char *text, uint64_t value)
{
	while (*text != '\0' && value >= LEAST_TELLING) {
		size_t length = 0;
		uint64_t number;

		while (isalnum((unsigned char)text[length]))
			length++;
		for (unsigned base = 10; base <= 16; base += 6)
			if (text_number((struct text){ text, length }, base, &number) &&
			    number == value)
				return true;
		text += length > 0 ? length : 1;
	}
	return false;
}

/* Whether a rule cannot be the answer: it has the name that the answer must not use. */
static bool
is_banned(const struct check_truth *check, const char *rule)
{
	return check->without.length > 0 &&
		memmem(rule, strlen(rule), check->without.start, check->without.length) != NULL;
}

/* Whether a line is a word of memory or an instruction: its address comes first, after marks. */
static bool
is_word_row(const char *line)
{
	size_t digits = 0;

	line += strspn(line, " >[|/\\-");
	while (isxdigit((unsigned char)line[digits]))
		digits++;
	return digits >= 8 && (line[digits] == ' ' || line[digits] == ']');
}

/* Whether a text has the rule, as postfix or as "rsp+16" in columns of a table. */
static bool
tells_rule(const char *line, const char *rule)
{
	char reg[16];
	long number;
	int end = 0;

	if (strstr(line, rule) != NULL)
		return true;
	if (sscanf(rule, "$%15[a-z0-9] %ld +%n", reg, &number, &end) != 2 || rule[end] != '\0')
		return false;
	char cell[48];
	snprintf(cell, sizeof(cell), "%s%+ld", reg, number);
	const char *at = strstr(line, cell);
	return at != NULL && !isdigit((unsigned char)at[strlen(cell)]);
}

/* Whether a register of the card's frame has the value: views may show it. */
static bool
is_register(const struct lesson_scene *scene, uint64_t value)
{
	const struct registers *registers = &scene->walk->frames[scene->frame].registers;

	for (int reg = 0; reg < scene->walk->arch->register_count; reg++)
		if (registers_known(registers, reg) && registers->value[reg] == value)
			return true;
	return false;
}

/*
 * Whether a row has the value as a distance, or as the sum of a register of the card's frame and a
 * distance: "esp+32", "$rsp 168 +". Sums that the cards at this place show are no answers.
 */
static bool
tells_sum(const struct lesson_scene *scene, const char *line, uint64_t value, const char *shown)
{
	const struct arch *arch = scene->walk->arch;
	const struct registers *registers = &scene->walk->frames[scene->frame].registers;

	for (const char *at = line; *at != '\0'; at++) {
		const char *name = at + (*at == '$');
		size_t length = 0;
		char words[48];
		long number;

		if ((at > line && isalnum((unsigned char)at[-1])) || !isalpha((unsigned char)*name))
			continue;
		while (isalnum((unsigned char)name[length]))
			length++;
		const int reg = arch_register(arch, (struct text){ name, length },
			ARCH_NAMES_ALIASES);
		int end = 0;
		if (reg == ARCH_NO_REGISTER ||
			(sscanf(name + length, "%*1[+]%ld%n", &number, &end) != 1 &&
				sscanf(name + length, " %ld +%n", &number, &end) != 1) ||
			end == 0 || number <= 0)
			continue;
		snprintf(words, sizeof(words), " %.*s %ld ", (int)length, name, number);
		if (strstr(shown, words) == NULL &&
			((uint64_t)number == value ||
				(registers_known(registers, reg) &&
					arch_wrap(arch, registers->value[reg] + (uint64_t)number) ==
						value)))
			return true;
	}
	return false;
}

/* Find an answer in the rows of a card, up to the first row that has it. True: found. */
static bool
lint_rows(const struct lesson_scene *scene, const struct lesson_card *card,
	const struct query_answer *truth, const char *shown, struct text opened, const char *rows,
	struct lesson_findings *findings)
{
	const bool rule = card->check.kind >= LESSON_CHECK_RULE;
	bool sums = true;
	char view[40] = "", line[512];

	for (const char *next; *rows != '\0'; rows = next) {
		const size_t length = strcspn(rows, "\n");

		next = rows + length + (rows[length] == '\n');
		snprintf(line, sizeof(line), "%.*s",
			(int)(length < sizeof(line) ? length : sizeof(line) - 1), rows);
		/* The words that a pointer leads to follow it after " -> ". */
		if (strstr(line, " -> ") != NULL)
			*strstr(line, " -> ") = '\0';
		if (line[0] == '[') {
			snprintf(view, sizeof(view), "%.*s", (int)strcspn(line, "]") + 1, line);
			/* Skip sums in the card's view, and in code (rules of all addresses). */
			sums = strcmp(view, "[raw]") != 0 && strcmp(view, "[disassembly]") != 0 &&
				!text_equal(opened, (struct text){ view + 1, strlen(view) - 2 });
		}
		/*
		 * The card's own text is checked separately. The rule of a repair may be in the
		 * file, at another address.
		 */
		if (strcmp(view, "[lesson]") == 0 || is_word_row(line) ||
			(card->check.kind == LESSON_CHECK_WALK && strcmp(view, "[raw]") == 0) ||
			!(rule ? tells_rule(line, truth->text)
			       : truth->valued && (tells_number(line, truth->value) ||
				       (sums && tells_sum(scene, line, truth->value, shown)))))
			continue;
		lesson_find(findings, card->check.what.place, "the answer can be read in %s: %s",
			view, line);
		return true;
	}
	return false;
}

void
lesson_lint_rows(const struct lesson *lesson, const struct lesson_scene *scene,
	const char *const *rows, struct lesson_findings *findings)
{
	struct lesson_scene at = *scene;
	struct arena arena = { 0 };

	for (size_t i = 0; i < lesson->card_count; i++) {
		const struct lesson_card *card = &lesson->cards[i];
		struct query_answer truth = { .text = "" };
		struct check_truth check;
		struct error error = { 0 };

		lesson_scene_go(&at, card);
		walk_run(at.walk, at.frame + 1);
		const bool given = card->check.kind == LESSON_CHECK_WALK ||
			card->check.kind == LESSON_CHECK_SET;
		if (card->task.text[0] == '\0' ||
			(card->check.kind > LESSON_CHECK_PROGRAM && !given) ||
			check_read(&card->check, &check, &error) != ERROR_NONE)
			continue;
		if (card->check.kind >= LESSON_CHECK_RULE)
			check.operand.query.attribute = QUERY_OF_TEXT;
		truth.text = solution_of(lesson, card, &arena);
		/* Frame numbers occur in many rows. */
		if (given ? truth.text[0] == '\0' || isdigit((unsigned char)truth.text[0])
			  : at.frame >= at.walk->count ||
			operand_value(&check.operand, &at, &arena, &truth, &error) != ERROR_NONE ||
			(truth.valued && is_register(&at, truth.value)) ||
			is_banned(&check, truth.text))
			continue;
		/* Search only screens since the previous task: the learner just saw them. */
		const char *shown = check_shown(lesson, card, &at, &arena);
		bool top;
		const struct text opened = lesson_view(lesson, i, &top);
		for (size_t k = i + 1; k-- > 0;) {
			if ((k < i && lesson->cards[k].task.text[0] != '\0') ||
				lint_rows(&at, card, &truth, shown, opened, rows[k], findings))
				break;
		}
		arena_reset(&arena);
	}
	arena_free(&arena);
}

static void
lint_telling(struct linting *linting, const struct lesson_text *text, const char *filled,
	     const struct query_answer *truth, const struct check_truth *check)
{
	const bool words = check->operand.asks && !truth->valued && strlen(truth->text) > 2;

	if ((truth->valued && tells_number(filled, truth->value)) ||
	    (words && strstr(filled, truth->text) != NULL))
		lesson_find(linting->findings, text->place, "the answer can be read here: %s",
			truth->text);
}

/* Check that a task's answer exists and that no earlier text reveals it. */
static void
lint_check(struct linting *linting, size_t index, const char *const *filled)
{
	const struct lesson_card *card = &linting->lesson->cards[index];
	struct query_answer truth = { .text = "" };
	struct check_truth check;
	struct error error = { 0 };

	if (check_read(&card->check, &check, &error) != ERROR_NONE)
		return;
	if (check.open)
		lesson_find(linting->findings, card->check.what.place,
			"the truth can be read in the file; 'unspool lesson --seal' hides it");
	if ((check.operand.asks || check.operand.rest.length > 0) &&
	    operand_value(&check.operand, &linting->scene, &linting->arena, &truth, &error) !=
		    ERROR_NONE) {
		lesson_find(linting->findings, card->check.what.place, "no answer: %s", error.text);
		return;
	}
	const char *given = solution_of(linting->lesson, card, &linting->arena);
	if (given[0] != '\0') {
		truth.text = given;
		check.operand.asks = true;
	}
	/* Only the cards since the previous task are searched: learners have just read them. */
	for (size_t i = index + 1; i-- > 0;) {
		if (i < index && linting->lesson->cards[i].task.text[0] != '\0')
			break;
		lint_telling(linting, &linting->lesson->cards[i].say, filled[i], &truth, &check);
	}
	for (size_t i = 0; i < card->hint_count; i++) {
		const char *hint =
			operand_fill(&card->hints[i], &linting->scene, &linting->arena);

		lint_telling(linting, &card->hints[i], text_or_empty(hint), &truth, &check);
	}
}

static bool
has_word(const char *text, const char *word)
{
	const size_t length = strlen(word);

	for (const char *at = text; (at = strstr(at, word)) != NULL; at++)
		if ((at == text || !isalnum((unsigned char)at[-1])) &&
		    !isalnum((unsigned char)at[length]))
			return true;
	return false;
}

/* Check that one option is right, and that the question and hints do not name only that option. */
static void
lint_options(struct linting *linting, const struct lesson_card *card)
{
	struct check_try try = { .lesson = linting->lesson, .card = card,
				 .scene = &linting->scene, .arena = &linting->arena };
	size_t right = 0, count = 0;

	for (size_t i = 0; i < card->option_count; i++) {
		try.answer = text_of(card->options[i].word.text);
		if (check_answer(&try) == CHECK_RIGHT) {
			right = i;
			count++;
		}
	}
	if (card->check.kind != LESSON_CHECK_CHOICE || card->option_count == 0)
		return;
	if (count != 1)
		lesson_find(linting->findings, card->check.what.place, "%zu options are right",
			count);
	for (size_t i = 0; i <= card->hint_count; i++) {
		const struct lesson_text *text = i == 0 ? &card->say : &card->hints[i - 1];
		bool others = false;

		for (size_t k = 0; k < card->option_count; k++)
			others |= k != right && has_word(text->text, card->options[k].word.text);
		if (!others && count == 1 && has_word(text->text, card->options[right].word.text))
			lesson_find(linting->findings, text->place,
				"only the right option is named here: %s",
				card->options[right].word.text);
	}
}

static void
lint_task(struct linting *linting, size_t index, const char *const *filled)
{
	const struct lesson_card *card = &linting->lesson->cards[index];

	if (card->right.text[0] == '\0')
		lesson_find(linting->findings, card->task.place,
			"no 'right' says why the answer is right");
	lint_text(linting, &card->right);
	for (size_t i = 0; i < card->hint_count; i++)
		lint_text(linting, &card->hints[i]);
	for (size_t i = 0; i < card->option_count; i++)
		lint_pieces(linting, &card->options[i].meaning);
	for (size_t i = 0; i < card->wrong_count; i++) {
		const struct lesson_wrong *wrong = &card->wrongs[i];
		struct query_answer answer;
		struct error error = { 0 };

		lint_text(linting, &wrong->sentence);
		bool offered = card->check.kind != LESSON_CHECK_CHOICE || card->option_count == 0;
		for (size_t k = 0; k < card->option_count; k++)
			offered |= strcmp(card->options[k].word.text, wrong->match.text) == 0;
		if (!offered)
			lesson_find(linting->findings, wrong->match.place,
				"no option is called '%s'", wrong->match.text);
		if (card->check.kind <= LESSON_CHECK_PREDICT &&
		    operand_of(&wrong->match, &linting->scene, &linting->arena, &answer, &error) !=
			    ERROR_NONE)
			lesson_find(
				linting->findings, wrong->match.place, "no answer: %s", error.text);
	}
	lint_check(linting, index, filled);
	lint_options(linting, card);
}

/* A file of answers in the lesson's directory. */
struct lint_answers {
	struct linting *linting;
	bool must_pass;
};

static void
lint_reply(void *context, const struct answers_line *line, const struct lesson_reply *reply)
{
	const struct lint_answers *answers = context;
	struct linting *linting = answers->linting;
	const bool right = reply->result == CHECK_RIGHT;
	struct place place = line->place;

	place.input = &linting->files[answers->must_pass];
	if (answers->must_pass && !right)
		lesson_find(linting->findings, place, "the answer to '%s' is not accepted: %s",
			line->task, reply->sentence);
	else if (!answers->must_pass && right)
		lesson_find(linting->findings, place, "the answer to '%s' is accepted", line->task);
	else if (!answers->must_pass && !reply->own)
		lesson_find(linting->findings, place,
			"the answer to '%s' matches no 'wrong' sentence: %s", line->task,
			reply->sentence);
}

/* Replay `solution`, which must pass each task, or `wrong`, whose lines must get a reply. */
static void
lint_answers_of(struct linting *linting, bool must_pass)
{
	struct input *input = &linting->files[must_pass];
	struct lint_answers context = { linting, must_pass };
	struct lesson_run run;
	struct answers answers;
	struct error error = { 0 };

	input->name = arena_format(&linting->findings->arena, "%s/%s", linting->lesson->directory,
				   must_pass ? "solution" : "wrong");
	if (input->name == NULL || access(input->name, F_OK) != 0)
		return;
	if (answers_read(&answers, input->name, &error) != ERROR_NONE) {
		error.place.input = input;
		lesson_find(linting->findings, error.place, "%s", error.text);
	} else if (lesson_run_open(&run, linting->lesson, &linting->scene)) {
		answers_replay(&answers, NULL, &run, lint_reply, &context);
		for (size_t i = 0; must_pass && i < linting->lesson->card_count; i++)
			if (linting->lesson->cards[i].task.text[0] != '\0' &&
			    !run.states[i].passed)
				lesson_find(linting->findings, linting->lesson->cards[i].task.place,
					"'solution' does not pass it");
		lesson_run_close(&run);
	}
	arena_free(&answers.arena);
}

/* The command after `quote` in `shows`; `quote` if none follows; empty if `shows` lacks it. */
static struct text
after_quoted(const char *shows, struct text quote)
{
	struct text command, next;

	while ((command = lesson_next_command(&shows)).length > 0) {
		command = text_trimmed(command);
		if (text_equal(command, quote)) {
			next = lesson_next_command(&shows);
			return next.length > 0 ? next : command;
		}
	}
	return command;
}

/* Check that `shows` runs the quoted commands of a text (`:command`) and compares the result. */
static void
lint_quotes(struct linting *linting, const struct lesson_card *card, const struct lesson_text *of)
{
	const char *text = of->text, *end;

	for (; (text = strchr(text, '`')) != NULL; text = end + 1) {
		end = strchr(text + 1, '`');
		if (end == NULL)
			return;
		struct text quote = { text + 1, (size_t)(end - text) - 1 };
		const bool command = text_drop_prefix(&quote, ":");
		bool form = false;

		/* A word in capitals is an argument to fill in. */
		for (size_t i = 0; i + 1 < quote.length; i++)
			form |= isupper((unsigned char)quote.start[i]) &&
				isupper((unsigned char)quote.start[i + 1]);
		struct text next = after_quoted(card->shows.text, quote);
		const char *const lacks = next.length == 0 ? "run" : "compare the result of";
		if (command && !form && !text_drop_prefix(&next, "expect-value "))
			lesson_find(linting->findings,
				lesson_place_in(of, (size_t)(text - of->text)),
				"'shows' does not %s ':%.*s'", lacks, (int)quote.length,
				quote.start);
	}
}

/* Check that the explorer permits the commands. */
static void
lint_commands(struct linting *linting, const struct lesson_text *text)
{
	const char *rest = text->text;
	struct text command;

	while ((command = lesson_next_command(&rest)).length > 0) {
		const char *line = text_or_empty(text_copy(&linting->arena, command));

		if (!linting->permits(line))
			lesson_find(linting->findings, text->place, "a lesson may not run '%s'",
				line);
	}
}

void
lesson_lint(const struct lesson *lesson, const struct lesson_scene *scene,
	    bool (*permits)(const char *line), struct lesson_findings *findings)
{
	struct linting linting = { .lesson = lesson, .scene = *scene, .permits = permits,
				   .findings = findings };
	struct arena texts = { 0 };

	*findings = (struct lesson_findings){ 0 };
	linting.files = findings->files;
	const char **filled = arena_array(&texts, lesson->card_count + 1, sizeof(*filled));
	for (size_t i = 0; filled != NULL && i < lesson->card_count; i++) {
		const struct lesson_card *card = &lesson->cards[i];

		if (!lesson_scene_go(&linting.scene, card))
			lesson_find(linting.findings, card->at.place,
				"the crash has no such thread or frame");
		lint_commands(&linting, &card->at);
		lint_commands(&linting, &card->after);
		lint_commands(&linting, &card->shows);
		lint_quotes(&linting, card, &card->say);
		lint_quotes(&linting, card, &card->right);
		for (size_t k = 0; k < card->hint_count; k++)
			lint_quotes(&linting, card, &card->hints[k]);
		const char *text = lint_text(&linting, &card->say);
		filled[i] = text_or_empty(arena_string(&texts, text));
		if (card->task.text[0] != '\0')
			lint_task(&linting, i, filled);
		arena_reset(&linting.arena);
	}
	lint_answers_of(&linting, true);
	lint_answers_of(&linting, false);
	arena_free(&texts);
	arena_free(&linting.arena);
}
