/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/lib/walk_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/sorted.h"
#include "crash/memory.h"

#define WORD 8u
/* The most words of memory in one file: a stack of 8 MiB. */
#define MOST_WORDS (UINT32_C(1) << 20)

static const struct {
	const char *name;
	enum sframe_abi abi;
} abis[] = {
	{ "amd64", SFRAME_AMD64 }, { "aarch64-le", SFRAME_AARCH64 }, { "aarch64-be", SFRAME_AARCH64_BIG }, { "s390x", SFRAME_S390X },
};

/* The bits of an AArch64 address above the lowest 48, unless the file gives another mask. */
#define AUTHENTICATION_BITS UINT64_C(0xffff000000000000)

/* One word of memory; `order` makes the sort stable. */
struct word {
	uint64_t address, value;
	size_t order;
	struct place place;
};

struct walk_file_reading {
	struct walk_file *file;
	struct error *error;
	struct text line;
	struct place place;
	struct word *words;
	size_t count, capacity;
	bool has_abi, done;
};

static bool
fail(struct walk_file_reading *reading, const char *expected)
{
	const int shown = reading->line.length < 80 ? (int)reading->line.length : 80;

	error_set(reading->error, ERROR_FORMAT, reading->place, "expected %s, found '%.*s'", expected, shown, reading->line.start);
	return false;
}

static bool
begins(struct text line, const char *with, struct text *rest)
{
	const size_t length = strlen(with);

	if (line.length < length || memcmp(line.start, with, length) != 0)
		return false;
	*rest = text_trimmed((struct text){ line.start + length, line.length - length });
	return true;
}

/* Copy the next word of `rest`. */
static bool
take_word(struct text *rest, char *buffer, size_t size)
{
	size_t length = 0;

	while (length < rest->length && rest->start[length] != ' ')
		length++;
	if (length == 0 || length >= size)
		return false;
	memcpy(buffer, rest->start, length);
	buffer[length] = '\0';
	*rest = text_trimmed((struct text){ rest->start + length, rest->length - length });
	return true;
}

static bool
take_number(struct text *rest, uint64_t *number)
{
	char word[40], *end;

	if (!take_word(rest, word, sizeof(word)))
		return false;
	*number = strtoull(word, &end, 0);
	return *end == '\0' && word[0] != '-';
}

static bool
read_abi(struct walk_file_reading *reading, struct text rest)
{
	struct crash_system *system = &reading->file->crash.system;
	size_t i = 0;

	while (i < ARRAY_COUNT(abis) && !text_equal(rest, text_of(abis[i].name)))
		i++;
	if (i == ARRAY_COUNT(abis))
		return fail(reading, "an ABI: amd64, aarch64-le, aarch64-be or s390x");
	reading->file->abi = abis[i].abi;
	reading->has_abi = true;
	system->arch = sframe_arch(abis[i].abi);
	system->cpu_name = system->arch->name;
	return true;
}

/* The register named "pc", "sp", "fp" or "r" and a DWARF number. */
static int
register_of(const struct walk_file *file, const char *name)
{
	const struct arch *arch = file->crash.system.arch;
	char *end;

	if (strcmp(name, "pc") == 0)
		return arch->pc;
	if (strcmp(name, "sp") == 0)
		return arch->sp;
	if (strcmp(name, "fp") == 0)
		return arch->fp;
	if (name[0] != 'r' || name[1] == '\0')
		return ARCH_NO_REGISTER;
	unsigned long number = strtoul(name + 1, &end, 10);
	return *end == '\0' && number < ARCH_REGISTERS ? arch_dwarf_register(arch, (int)number) : ARCH_NO_REGISTER;
}

static bool
read_register(struct walk_file_reading *reading, struct text rest)
{
	struct crash_context *context = &reading->file->crash.threads[0].context;
	char name[16];
	uint64_t value;

	if (!reading->has_abi)
		return fail(reading, "'abi:' before the first register");
	int reg = take_word(&rest, name, sizeof(name)) ? register_of(reading->file, name) : ARCH_NO_REGISTER;
	if (reg == ARCH_NO_REGISTER || !take_number(&rest, &value))
		return fail(reading, "'reg' with a register and a value");
	registers_set(&context->registers, reg, value);
	context->register_offset[reg] = reading->place.offset;
	return true;
}

static bool
read_memory(struct walk_file_reading *reading, struct text rest)
{
	struct word word = { .place = reading->place };
	uint64_t count = 1;

	if (!take_number(&rest, &word.address) || !take_number(&rest, &word.value) || (rest.length > 0 && !take_number(&rest, &count)))
		return fail(reading, "'mem' with an address and a value");
	if (count > MOST_WORDS - reading->count)
		return fail(reading, "at most 1048576 words of memory");
	for (; count > 0; count--, word.address += WORD) {
		struct word *added = ARENA_PUSH(&reading->file->crash.arena, reading->words, reading->count, reading->capacity);

		if (added == NULL)
			return fail(reading, "not more memory than exists");
		word.order = reading->count - 1;
		*added = word;
	}
	return true;
}

static bool
read_line(struct walk_file_reading *reading)
{
	struct walk_file *file = reading->file;
	struct text rest;

	if (begins(reading->line, "[expect]", &rest)) {
		reading->done = true;
		return true;
	}
	if (begins(reading->line, "reg ", &rest))
		return read_register(reading, rest);
	if (begins(reading->line, "mem ", &rest))
		return read_memory(reading, rest);
	if (begins(reading->line, "abi:", &rest))
		return read_abi(reading, rest);
	if (begins(reading->line, "sframe:", &rest)) {
		file->sframe_name = arena_copy(&file->crash.arena, rest.start, rest.length);
		return true;
	}
	if (begins(reading->line, "section-address:", &rest) && !take_number(&rest, &file->section_address))
		return fail(reading, "an address after 'section-address:'");
	return true;
}

SORTED_BY_ALL(compare_words, struct word, SORTED_UP(address) SORTED_UP(order))

/* Make a memory region of each run of words without a gap. */
static bool
make_regions(struct walk_file_reading *reading)
{
	struct crash *crash = &reading->file->crash;
	const bool big = crash->reader.big_endian;
	const size_t count = reading->count;
	uint8_t *bytes = arena_array(&crash->arena, count + 1, WORD);

	crash->regions = arena_array(&crash->arena, count + 1, sizeof(*crash->regions));
	if (bytes == NULL || crash->regions == NULL)
		return fail(reading, "not more memory than exists");
	if (count > 0)
		qsort(reading->words, count, sizeof(*reading->words), compare_words);
	for (size_t i = 0; i < count; i++) {
		const struct word *word = &reading->words[i];
		struct memory_region *last = crash->region_count == 0 ? NULL : &crash->regions[crash->region_count - 1];

		for (unsigned byte = 0; byte < WORD; byte++)
			bytes[i * WORD + byte] = (uint8_t)(word->value >> 8 * (big ? WORD - 1 - byte : byte));
		if (last != NULL && word->address == last->base + last->size) {
			last->size += WORD;
			last->available += WORD;
			continue;
		}
		crash->regions[crash->region_count++] = (struct memory_region){
			.base = word->address, .size = WORD, .available = WORD,
			.data = bytes + i * WORD, .offset = word->place.offset,
			.place = word->place };
	}
	return true;
}

static bool
finish(struct walk_file_reading *reading)
{
	struct walk_file *file = reading->file;
	struct crash *crash = &file->crash;
	const struct arch *arch = crash->system.arch;
	struct crash_context *context = &crash->threads[0].context;

	if (!reading->has_abi || file->sframe_name == NULL)
		return fail(reading, "lines 'abi:' and 'sframe:' in the file");
	if (!registers_known(&context->registers, arch->pc) || !registers_known(&context->registers, arch->sp))
		return fail(reading, "the registers pc and sp");
	crash->reader.big_endian = file->abi == SFRAME_AARCH64_BIG || file->abi == SFRAME_S390X;
	if (arch->signs_pointers)
		crash->address_mask = AUTHENTICATION_BITS;
	context->present = true;
	context->arch = arch;
	context->layout = "text";
	if (!make_regions(reading))
		return false;
	memory_index(crash);
	return true;
}

/* Set the fields that are the same in all walk files. */
static bool
start(struct walk_file *file)
{
	struct crash *crash = &file->crash;

	*file = (struct walk_file){ .crash = { .requesting_thread = 0 } };
	arena_init(&crash->arena, 0);
	message_list_init(&crash->messages, &crash->arena);
	crash->format = "walk file";
	crash->system = (struct crash_system){ .os = CRASH_OS_LINUX, .os_name = "Linux", .os_version = "", .cpu_name = "unknown",
					       .cpu_info = "", .arch = arch_by_id(ARCH_UNKNOWN) };
	crash->misc.build = "";
	crash->threads = arena_array(&crash->arena, 1, sizeof(*crash->threads));
	crash->modules = arena_array(&crash->arena, 1, sizeof(*crash->modules));
	if (crash->threads == NULL || crash->modules == NULL)
		return false;
	crash->thread_count = crash->module_count = 1;
	crash->modules[0] = (struct module){ .size = UINT64_MAX, .code_file = "code", .code_id = "",
					     .debug_file = "", .debug_id = "", .version = "" };
	return true;
}

enum error_code
walk_file_open(struct walk_file *file, const char *path, struct error *error)
{
	struct walk_file_reading reading = { .file = file, .error = error };
	struct crash *crash = &file->crash;

	if (!start(file))
		return error_memory(error);
	enum error_code code = file_open(&crash->file, path, error);
	if (code != ERROR_NONE)
		return code;
	crash->reader = (struct reader){ .input = &crash->file.input, .data = crash->file.data, .size = crash->file.size };
	reading.place = (struct place){ .input = &crash->file.input };
	const char *at = (const char *)crash->file.data, *end = at + crash->file.size;
	while (at < end && !reading.done) {
		const char *feed = memchr(at, '\n', (size_t)(end - at));
		const char *stop = feed != NULL ? feed : end;

		reading.line = (struct text){ at, (size_t)(stop - at) };
		reading.place.offset = (uint64_t)(at - (const char *)crash->file.data);
		reading.place.length = (uint32_t)reading.line.length;
		reading.place.line++;
		reading.place.column = 1;
		if (!read_line(&reading))
			return ERROR_FORMAT;
		at = feed != NULL ? feed + 1 : end;
	}
	return finish(&reading) ? ERROR_NONE : ERROR_FORMAT;
}
