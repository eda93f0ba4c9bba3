/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/reader.h"
#include "frame_table/frame_tables_internal.h"
#include "tests/lib/tap.h"

/* Unwind information compared with a second implementation: tests/pe/answers has the result of RtlVirtualUnwind for each
 * instruction of tests/pe/functions.dll; `record` there made both. Registers and stack are those of record.c. */
#define STACK 0x200000000u
#define STACK_SIZE 0x1000000u
#define MARK 0x5a00000000000000u

static const char *const names[16] = { "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
				       "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15" };

static uint64_t
register_of(const char *name)
{
	for (unsigned i = 0; i < 16; i++)
		if (strcmp(names[i], name) == 0)
			return i == 4 ? STACK + 0x1000 : STACK + STACK_SIZE / 2 + i * 1024;
	return 0;
}

static uint64_t
word_at(uint64_t address)
{
	return address >= STACK && address < STACK + STACK_SIZE ? MARK | address : 0;
}

/* Evaluate the expressions of pe_frames.c: registers, numbers, +, - and ^. */
static uint64_t
value_of(const char *expression)
{
	uint64_t stack[8] = { 0 };
	unsigned depth = 0;
	char text[128], *rest = NULL;

	snprintf(text, sizeof(text), "%s", expression);
	for (char *word = strtok_r(text, " ", &rest); word != NULL && depth < 8; word = strtok_r(NULL, " ", &rest)) {
		if (*word == '^' && depth > 0) {
			stack[depth - 1] = word_at(stack[depth - 1]);
		} else if (*word == '+' && depth > 1) {
			depth--;
			stack[depth - 1] += stack[depth];
		} else if (*word == '-' && depth > 1) {
			depth--;
			stack[depth - 1] -= stack[depth];
		} else {
			stack[depth++] = *word == '$' ? register_of(word + 1) : strtoull(word, NULL, 0);
		}
	}
	return depth == 1 ? stack[0] : 0;
}

static uint64_t
value_at(const struct unwind_row *row, unsigned column)
{
	struct arena arena = { 0 };
	const char *cannot;
	const char *expression = unwind_row_expression(row, arch_by_id(ARCH_AMD64), column, &arena, &cannot);
	const uint64_t value = value_of(expression != NULL ? expression : "");

	arena_free(&arena);
	return value;
}

/* Write a row as record.c does: registers whose value differs from the callee's. */
static void
write_row(const struct unwind_row *row, uint64_t address, char *text, size_t size)
{
	const struct arch *arch = arch_by_id(ARCH_AMD64);
	size_t length = (size_t)snprintf(text, size, "%" PRIx64 " rip=%" PRIx64 " rsp=%" PRIx64,
					 address, value_at(row, CLAIM_RETURN_ADDRESS), value_at(row, CLAIM_CFA));

	for (unsigned i = 0; i < 16; i++)
		for (unsigned k = CLAIM_REGISTER; k < claim_columns(arch) && length < size; k++) {
			if (row->claims[k].kind == CLAIM_SILENT)
				continue;
			const uint64_t value = value_at(row, k);

			if (strcmp(arch->registers[k - CLAIM_REGISTER].label, names[i]) == 0 && value != register_of(names[i]))
				length += (size_t)snprintf(text + length, size - length, " %s=%" PRIx64, names[i], value);
		}
}

static void
test_answer(void *frames, const char *answer)
{
	const struct frame_table_question question = { .relative = strtoull(answer, NULL, 16), .exact = true };
	const char *problem = NULL;
	struct arena arena = { 0 };
	char text[512] = "";

	const struct unwind_row *row = pe_frames_reader.find(frames, arch_by_id(ARCH_AMD64), &question, &arena, &problem);
	if (row != NULL)
		write_row(row, question.relative, text, sizeof(text));
	is_str(text, answer, "the row at %" PRIx64 " is that of RtlVirtualUnwind", question.relative);
	arena_free(&arena);
}

int
main(void)
{
	struct binary *binary = NULL;
	char line[512];
	unsigned count = 0;

	is_u64(binary_open(&binary, tap_path("tests/pe/functions.dll"), NULL), ERROR_NONE, "the functions are opened");
	void *frames = binary != NULL ? pe_frames_reader.open(binary, NULL) : NULL;
	FILE *file = fopen(tap_path("tests/pe/answers"), "r");
	while (frames != NULL && file != NULL && fgets(line, sizeof(line), file) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		test_answer(frames, line);
		count++;
	}
	ok(count > 90, "the answers of all instructions are compared");
	if (file != NULL)
		fclose(file);
	pe_frames_reader.close(frames);
	binary_close(binary);
	return done_testing();
}
