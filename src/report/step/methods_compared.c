/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/step/explain.h"

#include <inttypes.h>
#include <stdio.h>

#include "report/report.h"
#include "report/step/step_view.h"

/* Minimum width of a view that also shows the frame pointer and the CFA. */
#define WIDE 110u

enum { VERDICT_COLUMN = 19, VALUE_COLUMN = 28 };

static void
methods_compared_head(const struct listing *listing, size_t columns, struct row *row)
{
	const struct methods_compared *compared = listing->context;
	const struct arch *arch = compared->walk->arch;
	const int digits = report_digits(arch);

	row_add(row, ROLE_DIM, "  method");
	row_pad(row, VERDICT_COLUMN);
	row_add(row, ROLE_DIM, "verdict");
	row_pad(row, VALUE_COLUMN);
	row_add(row, ROLE_DIM, "%-*s ", digits, arch->registers[arch->pc].label);
	row_add(row, ROLE_DIM, "%-8s ", arch->registers[arch->sp].label);
	if ((columns == 0 || columns >= WIDE) && arch->fp >= 0)
		row_add(row, ROLE_DIM, "%-*s %-*s ", digits, arch->registers[arch->fp].label,
			digits, "cfa");
	row_add(row, ROLE_DIM, "function");
}

static void
add_known(struct row *row, int digits, bool known, uint64_t value)
{
	if (known)
		row_add(row, ROLE_NORMAL, "%0*" PRIx64 " ", digits, value);
	else
		row_add(row, ROLE_UNKNOWN, "%-*s ", digits, "?");
}

static void
add_caller(struct row *row, const struct methods_compared *compared,
	   const struct methods_answer *answer, bool wide)
{
	const struct arch *arch = compared->walk->arch;
	const int digits = report_digits(arch);
	const struct registers *registers = &answer->caller.registers;

	add_known(row, digits, true, registers->value[arch->pc]);
	/* Show how far the stack pointer moves: this is easier to read than its value. */
	const uint64_t after = registers->value[arch->sp];
	const uint64_t before = compared->walk->frames[compared->frame].registers.value[arch->sp];
	char text[32];

	snprintf(text, sizeof(text), "%c0x%" PRIx64, after >= before ? '+' : '-',
		 after >= before ? after - before : before - after);
	row_add(row, ROLE_NORMAL, "%-8s ", text);
	if (wide && arch->fp >= 0) {
		add_known(row, digits, registers_known(registers, arch->fp),
			  registers->value[arch->fp]);
		add_known(row, digits, answer->has_cfa, answer->cfa);
	}
	row_add_text(row, ROLE_NORMAL, answer->name);
}

/* The last row: the walk's own result. */
static void
fill_walk(const struct methods_compared *compared, struct row *row)
{
	const struct verdict *verdict = &compared->verdict;

	if (verdict->kind == VERDICT_TAKEN)
		row_add(row, ROLE_NORMAL, "  the walk takes %s", method_name(verdict->method));
	else
		row_add(row, ROLE_NORMAL, "  the walk ends here: %s", verdict->text);
}

static void
methods_compared_fill(const struct listing *listing, size_t index, size_t columns, struct row *row)
{
	const struct methods_compared *compared = listing->context;

	if (index >= compared->count) {
		fill_walk(compared, row);
	} else {
		const struct methods_answer *answer = &compared->answers[index];
		const bool tried = answer->verdict.method != METHOD_COUNT;
		const enum verdict_kind kind = answer->verdict.kind;

		row_add(row,
			answer->sign == '!'	      ? ROLE_BAD
				: answer->sign == '*' ? ROLE_CHANGED
						      : ROLE_NORMAL,
			"%c %s", answer->sign, method_name(answer->method));
		row_pad(row, VERDICT_COLUMN);
		row_add(row, kind == VERDICT_TAKEN ? ROLE_NORMAL : ROLE_DIM, "%s",
			!tried		     ? "none"
			: kind == VERDICT_END ? "end"
			: kind == VERDICT_TAKEN && answer->sign != '*' ? "possible"
					      : step_view_verdict(kind));
		row_pad(row, VALUE_COLUMN);
		if (kind == VERDICT_TAKEN)
			add_caller(row, compared, answer, columns == 0 || columns >= WIDE);
		else
			row_add_text(row, ROLE_DIM, text_of(answer->verdict.text));
		if (answer->off)
			row_add(row, ROLE_DIM, "  (switched off)");
	}
}

/* How a method's caller agrees with the walk's caller: a mark, a name in JSON, a sentence. */
static const struct agreement {
	char sign;
	const char *name, *words;
} agreements[] = {
	{ '*', "taken", "the walk takes this caller" },
	{ '=', "same", "the same caller as the walk's" },
	{ '~', "same-but-registers",
	  "the same caller, but another value of a register that calls keep" },
	{ '!', "other", "another caller than the walk's" },
	{ '?', "stack-ends", "the walk ends the stack here" },
	{ ' ', NULL, "no caller" },
};

static const struct agreement *
agreement_of(char sign)
{
	const struct agreement *at = agreements;

	while (at->sign != sign && at->sign != ' ')
		at++;
	return at;
}

static void
methods_compared_explain(const struct listing *listing, size_t index, struct row *row)
{
	const struct methods_compared *compared = listing->context;

	if (index >= compared->count) {
		fill_walk(compared, row);
		return;
	}
	const struct methods_answer *answer = &compared->answers[index];
	row_add(row, ROLE_NORMAL, "%s: %s", method_name(answer->method),
		agreement_of(answer->sign)->words);
	if (answer->verdict.kind != VERDICT_TAKEN && answer->verdict.text[0] != '\0')
		row_add(row, ROLE_NORMAL, ": %s", answer->verdict.text);
}

static struct target
target(const struct listing *listing, size_t index)
{
	const struct methods_compared *compared = listing->context;
	struct target target = TARGET(index < compared->count ? TARGET_METHOD : TARGET_NONE);

	if (index < compared->count)
		target.method = compared->answers[index].method;
	return target;
}

struct listing
methods_listing(const struct methods_compared *compared)
{
	size_t taken = 0;

	if (compared == NULL)
		return listing_out_of_memory();
	while (taken < compared->count && compared->answers[taken].sign != '*')
		taken++;
	return (struct listing){ .count = compared->count + 1, .current = taken,
				 .head = methods_compared_head,
				 .fill = methods_compared_fill,
				 .target = target,
				 .explain = methods_compared_explain,
				 .context = compared };
}

static const char *const answer_words[] = {
	[VERDICT_TAKEN] = "possible", [VERDICT_REFUSED] = "refused", [VERDICT_END] = "end", "none",
};
static const struct fact_names answer_verdicts = FACT_NAMES(answer_words);

static const struct fact_names agreement_names = FACT_NAMES_IN(agreements);

#define FACTS "report/step/methods_facts.def"
#include "document/describe_facts.h"
