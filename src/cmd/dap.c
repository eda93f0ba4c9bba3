/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "code/instruction.h"
#include "cmd/cmd.h"
#include "document/json.h"
#include "inspect/expression.h"
#include "report/step/explain.h"
#include "report/value/locals.h"
#include "report/value/value_parts.h"
#include "system/file.h"
#include "walk/location.h"

/*
 * A server of the Debug Adapter Protocol on standard input and output: an editor shows the crash as
 * a stopped program. The command line names the dump and its symbols, so the sandbox needs no other
 * files, and launch and attach need no arguments. Other commands print the same facts.
 * Source: microsoft.github.io/debug-adapter-protocol/specification.
 *
 *	threadId		number of a thread, from 1
 *	frameId			number of a row of `rows`, from 1
 *	variablesReference	2 * frameId: variables; 2 * frameId + 1: registers; from
 *				FIRST_VALUE on: parts of a value that was sent
 */

/* Limits on the bytes of a request and of a header line: editors send a few hundred bytes. */
#define MOST_REQUEST (1u << 20)
#define MOST_HEADER 1024u
/* Rows of a stack in one answer; a client requests further rows separately. */
#define MOST_ROWS 1000u
/* Bytes of memory, and instructions, in one answer. */
#define MOST_MEMORY (1u << 20)
#define MOST_INSTRUCTIONS 10000u
/* First reference of a value (above the references of rows), and limit on bytes of such values. */
#define FIRST_VALUE (UINT64_C(1) << 30)
#define MOST_KEPT ((size_t)256 << 20)

struct dap_row {
	size_t thread, frame, call;
	struct value_frame *variables;	/* variables in `kept`; NULL: not requested */
};

/* A value that was sent and has parts. */
struct dap_value {
	struct typed_value value;
	const char *expression;		/* finds the value again in its frame; NULL: unknown */
};

struct dap_thread {
	struct walk *walk;		/* NULL: not walked */
	size_t first, count;		/* index of its first row; number of rows */
};

struct dap {
	const struct cmd_options *options;
	struct cmd_input *input;
	struct dap_thread *threads;
	struct dap_row *rows;
	size_t count, capacity;
	struct dap_value *values;
	size_t value_count, value_capacity;
	struct locals_budget budget;	/* remaining work for the values in an answer */
	struct arena kept;		/* holds `threads`, `rows` and `values` */
	struct arena arena;		/* holds a request and its answer */
	struct text arguments;
	struct json json;		/* writes the body of the answer */
	uint64_t sequence;		/* number of the last message */
	const char *event;		/* event to be sent after the answer; NULL: none */
	bool done;
};

/* Messages ------------------------------------------------------------------------------------- */

/* Read a line of the header. False at the end of the input. */
static bool
read_line(char *line, size_t size)
{
	size_t length = 0;
	int byte;

	while ((byte = getchar()) != EOF && byte != '\n')
		if (byte != '\r' && length + 1 < size)
			line[length++] = (char)byte;
	line[length] = '\0';
	return byte != EOF;
}

/* Read a message. Empty at the end of the input and for a message that is too long. */
static struct text
read_message(struct arena *arena)
{
	static const char field[] = "Content-Length:";
	char line[MOST_HEADER];
	unsigned long long length = 0;

	do {
		if (!read_line(line, sizeof(line)))
			return text_of("");
		if (strncasecmp(line, field, strlen(field)) == 0)
			length = strtoull(line + strlen(field), NULL, 10);
	} while (line[0] != '\0' || length == 0);
	char *text = length <= MOST_REQUEST ? arena_array(arena, (size_t)length, 1) : NULL;
	if (text == NULL || fread(text, 1, (size_t)length, stdin) < length) {
		if (length > MOST_REQUEST)
			cmd_say("a request of %llu bytes; the limit is %u", length, MOST_REQUEST);
		return text_of("");
	}
	return (struct text){ text, (size_t)length };
}

/* Begin a message in memory, because its length must be sent first. */
static void
begin(struct dap *dap, struct output_string *string, const char *type)
{
	output_string_init(string, &dap->arena);
	string->output.names = cmd_output.names;
	json_begin(&dap->json, &string->output, false);
	json_object(&dap->json, NULL);
	json_number(&dap->json, "seq", ++dap->sequence);
	json_string(&dap->json, "type", type);
}

static void
finish(struct dap *dap, const struct output_string *string)
{
	json_object_end(&dap->json);
	json_finish(&dap->json);
	output_format(&cmd_output, "Content-Length: %zu\r\n\r\n", string->length);
	cmd_output.write(cmd_output.context, text_or_empty(string->text), string->length);
	fflush(stdout);
}

static bool
argument(const struct dap *dap, const char *key, struct text *value)
{
	return json_member(dap->arguments, key, value);
}

static const char *
argument_text(struct dap *dap, const char *key)
{
	struct text value;
	const char *text = argument(dap, key, &value) ? json_unquoted(value, &dap->arena) : NULL;

	return text_or_empty(text);
}

static int64_t
argument_number(const struct dap *dap, const char *key, int64_t otherwise)
{
	char digits[24];
	struct text value;

	if (!argument(dap, key, &value) || value.length >= sizeof(digits) || value.length == 0)
		return otherwise;
	memcpy(digits, value.start, value.length);
	digits[value.length] = '\0';
	return strtoll(digits, NULL, 10);
}

/* Read the address of a memory reference and its offset. False: not a memory reference. */
static bool
argument_address(struct dap *dap, uint64_t *address)
{
	const char *text = argument_text(dap, "memoryReference");
	char *end;

	*address = strtoull(text, &end, 16);
	if (end == text || *end != '\0')
		return false;
	*address += (uint64_t)argument_number(dap, "offset", 0);
	return true;
}

static void
put_address(struct dap *dap, const char *key, uint64_t address)
{
	json_hex(&dap->json, key, address, 1);
}

/* Stacks --------------------------------------------------------------------------------------- */

/* The rows of a thread: frames and inlined calls. The first call walks the thread. */
static const struct dap_thread *
thread_of(struct dap *dap, int64_t id)
{
	if (id < 1 || (uint64_t)id > dap->input->crash.thread_count)
		return NULL;
	const size_t number = (size_t)id - 1;
	struct dap_thread *thread = &dap->threads[number];
	if (thread->walk != NULL)
		return thread;
	struct walk *walk = thread->walk = cmd_walk_thread(dap->input, dap->options, number);
	thread->first = dap->count;
	for (size_t i = 0; walk != NULL && i < walk->count; i++) {
		struct arena scratch = { 0 };
		struct location location;

		location_of(walk, walk->frames[i].lookup, &scratch, &location);
		for (size_t call = 0; call < location.call_count; call++)
			ARENA_ADD(&dap->kept, dap->rows, dap->count, dap->capacity,
				  &(struct dap_row){ number, i, call, NULL });
		arena_free(&scratch);
	}
	thread->count = dap->count - thread->first;
	return walk != NULL ? thread : NULL;
}

/* The row with an ID, and its walk; NULL: none. */
static struct dap_row *
row_of(const struct dap *dap, int64_t id, struct walk **walk)
{
	if (id < 1 || (uint64_t)id > dap->count)
		return NULL;
	struct dap_row *row = &dap->rows[id - 1];
	*walk = dap->threads[row->thread].walk;
	return row;
}

/* Write a source. An editor opens an existing file, and requests other sources by the row's ID. */
static void
write_source(struct dap *dap, size_t index, struct text file)
{
	const char *path = text_copy(&dap->arena, file);
	struct stat status;

	json_object(&dap->json, "source");
	json_text(&dap->json, "name", text_base_name(file));
	json_text(&dap->json, "path", file);
	if (path == NULL || !file_stat(path, &status) || !S_ISREG(status.st_mode))
		json_number(&dap->json, "sourceReference", index + 1);
	json_object_end(&dap->json);
}

static void
write_row(struct dap *dap, size_t index)
{
	const struct dap_row *row = &dap->rows[index];
	const struct walk *walk = dap->threads[row->thread].walk;
	const struct frame *frame = &walk->frames[row->frame];
	const uint64_t pc = frame->registers.value[walk->arch->pc];
	struct arena scratch = { 0 };
	struct location location;
	struct json *json = &dap->json;

	location_of(walk, frame->lookup, &scratch, &location);
	const struct call *call = &location.calls[row->call < location.call_count ? row->call : 0];
	json_object(json, NULL);
	json_number(json, "id", index + 1);
	json_text(json, "name", location_name(&location, call, pc, false, &scratch));
	json_number(json, "line", call->has_line ? call->line : 0);
	json_number(json, "column", 0);
	if (call->file.length > 0)
		write_source(dap, index, call->file);
	put_address(dap, "instructionPointerReference", pc);
	json_string(json, "presentationHint",
		    trust_table[frame->trust].certainty == CERTAINTY_GUESSED ? "subtle" : "normal");
	json_object_end(json);
	arena_free(&scratch);
}

static const char *
answer_stack_trace(struct dap *dap)
{
	const struct dap_thread *thread = thread_of(dap, argument_number(dap, "threadId", 0));
	const int64_t start = argument_number(dap, "startFrame", 0);
	const int64_t levels = argument_number(dap, "levels", 0);

	if (thread == NULL)
		return "no such thread";
	const uint64_t most = levels > 0 && levels < MOST_ROWS ? (uint64_t)levels : MOST_ROWS;
	json_array(&dap->json, "stackFrames");
	for (uint64_t i = 0; i < most && start >= 0 && (uint64_t)start < thread->count - i; i++)
		write_row(dap, thread->first + (size_t)start + (size_t)i);
	json_array_end(&dap->json);
	json_number(&dap->json, "totalFrames", thread->count);
	return NULL;
}

static const char *
answer_source(struct dap *dap)
{
	struct source_options options = cmd_source_options(dap->input, dap->options);
	struct source_file source = { .path = NULL };
	struct location location;
	struct walk *walk;
	const struct dap_row *row = row_of(dap, argument_number(dap, "sourceReference", 0), &walk);

	if (row == NULL)
		return "no such source";
	options.written = true;
	location_of(walk, walk->frames[row->frame].lookup, &dap->arena, &location);
	if (row->call < location.call_count)
		source_file_find(&options, location.module, location.calls[row->call].file,
				 &dap->arena, &source);
	if (source.path == NULL)
		return "the source file was not found; '--source OLD=NEW' gives its place";
	json_text(&dap->json, "content", source.text);
	return NULL;
}

static const char *
answer_threads(struct dap *dap)
{
	const struct crash *crash = &dap->input->crash;
	struct json *json = &dap->json;

	json_array(json, "threads");
	for (size_t i = 0; i < crash->thread_count; i++) {
		const struct thread *thread = &crash->threads[i];

		json_object(json, NULL);
		json_number(json, "id", i + 1);
		const char *name = text_or_empty(thread->name);
		json_string(json, "name", arena_format(&dap->arena, "0x%" PRIx32 "%s%s", thread->id,
						       *name == '\0' ? "" : " ", name));
		json_object_end(json);
	}
	json_array_end(json);
	return NULL;
}

/* Variables ------------------------------------------------------------------------------------ */

static const char *
answer_scopes(struct dap *dap)
{
	static const char *const names[] = { "Locals", "Registers" };
	const int64_t id = argument_number(dap, "frameId", 0);
	struct json *json = &dap->json;
	struct walk *walk;

	if (row_of(dap, id, &walk) == NULL)
		return "no such frame";
	json_array(json, "scopes");
	for (unsigned i = 0; i < 2; i++) {
		json_object(json, NULL);
		json_string(json, "name", names[i]);
		json_string(json, "presentationHint", i == 0 ? "locals" : "registers");
		json_number(json, "variablesReference", 2 * (uint64_t)id + i);
		json_bool(json, "expensive", false);
		json_object_end(json);
	}
	json_array_end(json);
	return NULL;
}

/* The number by which the client asks for the parts of a value; 0: no parts. */
static uint64_t
reference_of(struct dap *dap, const struct typed_value *value, const char *expression)
{
	const bool kept = !dap->input->crash.redacted && dap->kept.used < MOST_KEPT &&
			  value_has_parts(value, &dap->kept) &&
			  ARENA_ADD(&dap->kept, dap->values, dap->value_count,
				    dap->value_capacity,
				    &(struct dap_value){ *value, expression });

	return kept ? FIRST_VALUE + dap->value_count - 1 : 0;
}

/* Write the members of a value, with its text as `key`. `expression` (or NULL) finds it again. */
static void
write_value(struct dap *dap, const char *key, const struct variable_value *found,
	    const char *expression)
{
	struct arena scratch = { 0 };
	const struct evaluated written = evaluated_of(found, &scratch);
	const char *text = written.absent != NULL ? written.absent
			   : written.pretty != NULL ? written.pretty : written.value;

	locals_spend(&dap->budget, LOCALS_VARIABLE + 8 * strlen(text) + *found->value.frame->work);
	*found->value.frame->work = 0;
	json_string(&dap->json, key, text);
	json_string(&dap->json, "type", written.type);
	json_number(&dap->json, "variablesReference", reference_of(dap, &found->value, expression));
	/* A pointer's memory reference is its target. */
	uint64_t address = written.address;
	const bool leads = found->value.type->kind == DEBUG_TYPE_POINTER &&
			   value_number(&found->value, &address) == NULL;
	if (leads ? !dap->input->crash.redacted : written.has_address)
		put_address(dap, "memoryReference", address);
	arena_free(&scratch);
}

static void
write_variable(struct dap *dap, const char *name, const struct variable_value *found,
	       const char *expression)
{
	json_object(&dap->json, NULL);
	json_string(&dap->json, "name", name);
	write_value(dap, "value", found, expression);
	if (expression != NULL)
		json_string(&dap->json, "evaluateName", expression);
	json_object_end(&dap->json);
}

/* Write a row that has no parts. `address` (or NULL) is its memory reference. */
static void
write_plain(struct dap *dap, const char *name, const char *value, const uint64_t *address)
{
	json_object(&dap->json, NULL);
	json_string(&dap->json, "name", name);
	json_string(&dap->json, "value", value);
	json_number(&dap->json, "variablesReference", 0);
	if (address != NULL)
		put_address(dap, "memoryReference", *address);
	json_object_end(&dap->json);
}

static void
write_registers(struct dap *dap, const struct walk *walk, size_t frame)
{
	const struct registers *registers = &walk->frames[frame].registers;

	for (int i = 0; i < walk->arch->register_count; i++)
		if (registers_known(registers, i))
			write_plain(dap, walk->arch->registers[i].label,
				    arena_format(&dap->arena, "0x%" PRIx64, registers->value[i]),
				    &registers->value[i]);
}

/* Write the variables of a call; without debug information, one variable that says why. */
static void
write_locals(struct dap *dap, struct walk *walk, struct dap_row *row)
{
	if (row->variables == NULL)
		row->variables = frame_variables_of(walk, &walk->memory, row->frame, &dap->kept);
	struct value_frame *variables = row->variables;
	const bool found = variables != NULL && row->call < variables->scopes.count;
	const struct debug_scope *scope = found ? &variables->scopes.items[row->call] : NULL;

	if (variables != NULL && variables->why != NULL)
		write_plain(dap, "", variables->why, NULL);
	for (size_t i = 0; found && i < scope->count && locals_spend(&dap->budget, 0); i++) {
		struct variable_value value;

		if (!variable_value_of(variables, &scope->variables[i], &dap->kept, &value))
			break;
		const char *name = text_or_empty(scope->variables[i].name);
		write_variable(dap, name, &value, name[0] != '\0' ? name : NULL);
	}
}

/* The expression for a part of a value; NULL for a base class or a member without a name. */
static const char *
part_expression(struct dap *dap, const struct dap_value *whole, const char *name)
{
	const char *of = whole->expression;
	const bool leads = whole->value.type->kind == DEBUG_TYPE_POINTER ||
			   whole->value.type->kind == DEBUG_TYPE_REFERENCE;

	if (of == NULL || name[0] == '<' || name[0] == '(')
		return NULL;
	if (name[0] == '*')
		return arena_format(&dap->kept, "(*%s)", of);
	if (name[0] == '[')
		return arena_format(&dap->kept, leads ? "(*%s)%s" : "%s%s", of, name);
	return arena_format(&dap->kept, leads ? "%s->%s" : "%s.%s", of, name);
}

static void
write_parts(struct dap *dap, const struct dap_value *whole)
{
	const struct value_parts parts = value_parts_of(&whole->value, &dap->kept);

	for (size_t i = 0; i < parts.count && locals_spend(&dap->budget, 0); i++)
		write_variable(dap, parts.items[i].name,
			       &(struct variable_value){ .value = parts.items[i].value },
			       part_expression(dap, whole, parts.items[i].name));
	if (parts.more > 0)
		write_plain(dap, "...", arena_format(&dap->arena, "%" PRIu64 " more elements",
						     parts.more), NULL);
}

static const char *
answer_variables(struct dap *dap)
{
	const int64_t reference = argument_number(dap, "variablesReference", 0);
	const uint64_t value = (uint64_t)reference - FIRST_VALUE;
	struct walk *walk;
	struct dap_row *row = row_of(dap, reference / 2, &walk);

	if (row == NULL && (reference < (int64_t)FIRST_VALUE || value >= dap->value_count))
		return "no such variables";
	dap->budget = locals_budget(&dap->input->crash);
	json_array(&dap->json, "variables");
	if (row == NULL)
		write_parts(dap, &dap->values[value]);
	else if (reference % 2 == 1)
		write_registers(dap, walk, row->frame);
	else
		write_locals(dap, walk, row);
	json_array_end(&dap->json);
	return NULL;
}

static const char *
answer_evaluate(struct dap *dap)
{
	struct expression_scope scope = { .walk = NULL };
	const int64_t id = argument_number(dap, "frameId", 0);
	const struct dap_row *row = row_of(dap, id, &scope.walk);

	if (row != NULL) {
		scope.frame = row->frame;
		scope.call = row->call;
	} else if (id == 0) {
		scope.walk = dap->input->walk;
	}
	/* The client requests the parts of the value later. */
	struct arena *arena = dap->kept.used < MOST_KEPT ? &dap->kept : &dap->arena;
	const char *words = arena_format(arena, "%s", argument_text(dap, "expression"));
	const struct expression found =
		expression_in(dap->input->around, &scope, text_of(text_or_empty(words)), arena);
	const struct typed_value *typed = found.typed != NULL && found.typed->wrong == NULL
						  ? &found.typed->value.value : NULL;
	if (typed != NULL ? typed->why != NULL : !found.known)
		return typed != NULL ? typed->why : found.text;
	if (typed != NULL) {
		write_value(dap, "result", &found.typed->value, arena_format(arena, "(%s)", words));
		return NULL;
	}
	json_string(&dap->json, "result", arena_format(&dap->arena, "0x%" PRIx64, found.value));
	json_number(&dap->json, "variablesReference", 0);
	put_address(dap, "memoryReference", found.value);
	return NULL;
}

/* Memory and code ------------------------------------------------------------------------------ */

static const char *
answer_read_memory(struct dap *dap)
{
	const int64_t count = argument_number(dap, "count", 0);
	uint64_t address;

	if (!argument_address(dap, &address))
		return "no such memory reference";
	if (dap->input->crash.redacted)
		return "process memory is omitted (--redact)";
	if (count < 0 || count > (int64_t)MOST_MEMORY)
		return "the limit is 1 MiB";
	uint8_t *bytes = arena_array(&dap->arena, (size_t)count + 1, 1);
	char *text = arena_array(&dap->arena, TEXT_BASE64((size_t)count), 1);
	const bool enough = bytes != NULL && text != NULL;
	const size_t there = enough ? surroundings_read(dap->input->around, address, bytes,
							(size_t)count, NULL, NULL) : 0;
	if (enough)
		text_base64(bytes, there, text);
	put_address(dap, "address", address);
	json_string(&dap->json, "data", text_or_empty(text));
	json_number(&dap->json, "unreadableBytes", (uint64_t)count - there);
	return NULL;
}

/* Write the instruction at `*address`, and advance `*address` to the next instruction. */
static void
write_instruction(struct dap *dap, bool known, uint64_t *address)
{
	const struct surroundings *around = dap->input->around;
	const bool hidden = !known ||
			    (around->crash->redacted &&
			     module_map_find(&around->modules, *address) == MODULE_NONE);
	struct instruction instruction;
	char bytes[3 * INSTRUCTION_WINDOW + 1] = "";

	const bool read = !hidden && instruction_at(&instruction, around->arch, &around->memory,
						    around->binaries, false, *address);
	for (unsigned i = 0; read && i < instruction.length; i++)
		snprintf(bytes + strlen(bytes), 4, "%s%02x", i > 0 ? " " : "",
			 (unsigned)instruction.bytes[i]);
	json_object(&dap->json, NULL);
	put_address(dap, "address", *address);
	json_string(&dap->json, "instructionBytes", bytes);
	json_string(&dap->json, "instruction", read ? instruction.text : "??");
	if (!read)
		json_string(&dap->json, "presentationHint", "invalid");
	json_object_end(&dap->json);
	*address += read && instruction.length > 0 ? instruction.length : 1;
}

/*
 * The address of the instruction that is `count` instructions before `address`. Decodes the
 * function from its beginning. Sets `*missing` to the number of these instructions that do not
 * exist. The client expects them, too, so the caller sends unknown bytes instead.
 */
static uint64_t
earlier(struct surroundings *around, uint64_t address, uint64_t count, uint64_t *missing)
{
	struct surrounding_name name;
	struct instruction instruction;
	uint64_t before = 0, start = address;

	*missing = count;
	if (!surroundings_name(around, address, &name) ||
	    name.start >= address || address - name.start > MOST_MEMORY)
		return address;
	for (uint64_t at = name.start; at < address; at += instruction.length, before++)
		if (!instruction_at(&instruction, around->arch, &around->memory, around->binaries,
				    false, at) || instruction.length == 0)
			return address;
	start = name.start;
	for (; before > count; before--) {
		instruction_at(&instruction, around->arch, &around->memory, around->binaries,
			       false, start);
		start += instruction.length;
	}
	*missing = count - before;
	return start;
}

static const char *
answer_disassemble(struct dap *dap)
{
	const int64_t offset = argument_number(dap, "instructionOffset", 0);
	const int64_t count = argument_number(dap, "instructionCount", 0);
	const char *why = instruction_unsupported(dap->input->around->arch);
	uint64_t address, missing = 0;

	if (!argument_address(dap, &address))
		return "no such memory reference";
	if (why != NULL)
		return why;
	if (count < 0 || count > MOST_INSTRUCTIONS || offset < -(int64_t)MOST_INSTRUCTIONS ||
	    offset > MOST_INSTRUCTIONS)
		return "the limit is 10000 instructions";
	if (offset < 0)
		address = earlier(dap->input->around, address, (uint64_t)-offset, &missing);
	json_array(&dap->json, "instructions");
	uint64_t unknown = address - missing;
	for (int64_t i = 0; i < count; i++)
		write_instruction(dap, i >= (int64_t)missing,
				  i < (int64_t)missing ? &unknown : &address);
	json_array_end(&dap->json);
	return NULL;
}

/* Session -------------------------------------------------------------------------------------- */

static const char *
answer_initialize(struct dap *dap)
{
	static const char *const can[] = {
		"supportsConfigurationDoneRequest", "supportsEvaluateForHovers",
		"supportsExceptionInfoRequest", "supportsReadMemoryRequest",
		"supportsDisassembleRequest", "supportsDelayedStackTraceLoading",
		"supportsTerminateRequest",
	};

	for (size_t i = 0; i < ARRAY_COUNT(can); i++)
		json_bool(&dap->json, can[i], true);
	dap->event = "initialized";
	return NULL;
}

static const char *
answer_nothing(struct dap *dap)
{
	(void)dap;
	return NULL;
}

static const char *
answer_configured(struct dap *dap)
{
	dap->event = "stopped";
	return NULL;
}

static const char *
answer_end(struct dap *dap)
{
	dap->done = true;
	return NULL;
}

/* The program is a crash: no breakpoint is ever hit. */
static const char *
answer_breakpoints(struct dap *dap)
{
	json_array(&dap->json, "breakpoints");
	json_array_end(&dap->json);
	return NULL;
}

static const char *
answer_exception_info(struct dap *dap)
{
	const struct crash *crash = &dap->input->crash;

	if (crash->reason == NULL)
		return "the dump has no crash";
	json_string(&dap->json, "exceptionId", crash->reason);
	json_string(&dap->json, "breakMode", "unhandled");
	return NULL;
}

/* The step of the unwinder from a frame to its caller, as `unspool explain --json` has it. */
static const char *
answer_step(struct dap *dap)
{
	struct walk *walk;
	const struct dap_row *row = row_of(dap, argument_number(dap, "frameId", 0), &walk);
	struct step_view view;

	if (row == NULL)
		return "no such frame";
	step_view_make(&view, walk, row->frame);
	FACTS_WRITE(&dap->json, "step", step_document, &view, NULL);
	step_view_free(&view);
	return NULL;
}

/* Write the body of an answer and return NULL, or return an error. */
typedef const char *dap_answer(struct dap *dap);

static const struct {
	const char *command;
	dap_answer *answer;
} requests[] = {
	{ "initialize", answer_initialize },
	{ "launch", answer_nothing },
	{ "attach", answer_nothing },
	{ "setBreakpoints", answer_breakpoints },
	{ "setFunctionBreakpoints", answer_breakpoints },
	{ "setExceptionBreakpoints", answer_breakpoints },
	{ "configurationDone", answer_configured },
	{ "threads", answer_threads },
	{ "stackTrace", answer_stack_trace },
	{ "source", answer_source },
	{ "scopes", answer_scopes },
	{ "variables", answer_variables },
	{ "evaluate", answer_evaluate },
	{ "readMemory", answer_read_memory },
	{ "disassemble", answer_disassemble },
	{ "exceptionInfo", answer_exception_info },
	{ "unspoolStep", answer_step },
	{ "disconnect", answer_end },
	{ "terminate", answer_end },
};

static void
send_event(struct dap *dap, const char *event)
{
	const struct crash *crash = &dap->input->crash;
	struct output_string string;
	struct json *json = &dap->json;

	begin(dap, &string, "event");
	json_string(json, "event", event);
	if (strcmp(event, "stopped") == 0) {
		json_object(json, "body");
		json_string(json, "reason", "exception");
		json_string(json, "description", text_or_empty(crash->reason));
		if (crash->requesting_thread >= 0)
			json_number(json, "threadId", (uint64_t)crash->requesting_thread + 1);
		json_bool(json, "allThreadsStopped", true);
		json_object_end(json);
	}
	finish(dap, &string);
}

static void
begin_response(struct dap *dap, struct output_string *string, int64_t request, const char *command,
	       bool success)
{
	begin(dap, string, "response");
	json_signed(&dap->json, "request_seq", request);
	json_bool(&dap->json, "success", success);
	json_string(&dap->json, "command", command);
}

static void
answer(struct dap *dap, struct text message)
{
	const char *error = "a crash cannot be continued or changed", *command;
	struct output_string string;

	dap->arguments = message;
	dap->event = NULL;
	const int64_t request = argument_number(dap, "seq", 0);
	command = argument_text(dap, "command");
	if (!json_member(message, "arguments", &dap->arguments))
		dap->arguments = text_of("{}");
	begin_response(dap, &string, request, command, true);
	json_object(&dap->json, "body");
	for (size_t i = 0; i < ARRAY_COUNT(requests); i++)
		if (strcmp(requests[i].command, command) == 0)
			error = requests[i].answer(dap);
	if (error == NULL) {
		json_object_end(&dap->json);
	} else {
		dap->sequence--;
		begin_response(dap, &string, request, command, false);
		json_string(&dap->json, "message", error);
	}
	finish(dap, &string);
	if (dap->event != NULL)
		send_event(dap, dap->event);
}

static enum cmd_status
dap_run(const struct cmd_options *options, struct cmd_input *input)
{
	struct dap dap = { .options = options, .input = input };
	struct text message;

	dap.threads = arena_array(&dap.kept, input->crash.thread_count + 1, sizeof(*dap.threads));
	if (dap.threads == NULL)
		return cmd_out_of_memory();
	while (!dap.done && (message = read_message(&dap.arena)).length > 0) {
		answer(&dap, message);
		arena_free(&dap.arena);
	}
	send_event(&dap, "terminated");
	for (size_t i = 0; i < input->crash.thread_count; i++)
		walk_free(dap.threads[i].walk);
	arena_free(&dap.arena);
	arena_free(&dap.kept);
	return CMD_DONE;
}

const struct cmd_command cmd_dap = {
	.name = "dap", .arguments = "DUMP [SYMBOLS...]",
	.help = "serve a crash to an editor by the Debug Adapter Protocol",
	.least = 1, .needs = CMD_NEEDS_SURROUNDINGS,
	.groups = (CMD_GROUPS_OF_WALK & ~(CMD_GROUP_THREAD | CMD_GROUP_STRICT)) | CMD_GROUP_SOURCE,
	.run = dap_run, .interactive = true,
};
