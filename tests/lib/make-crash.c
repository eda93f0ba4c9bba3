/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Write a dump from its description, the crash.txt of a crash in data/lessons or data/crashes.
 *
 *	make-crash DESCRIPTION FILE [BASE=ADDRESS...]
 *
 * A line is a keyword and its values. Numbers are hex; BASE+NUMBER counts from a named address, so
 * that one description can place the crash at any address. # begins a comment.
 *
 *	system windows			before all others: a name in the table below; else Linux
 *	base CODE 555555554000
 *	module CODE 3000 /home/class/kettle BUILD-ID	of Linux: or without one
 *	module CODE 4000 C:\class\pump.exe ID [FILE]	of others: ID and name of a symbol file
 *	version 10000 20000 4b2f1d00	of the last module: high and low half, time stamp
 *	memory CODE+229		its contents are the bytes and words that follow
 *	stack STACK+80		memory that is the stack of the threads that follow
 *	bytes 554889e5
 *	word CODE+273		of the processor's size
 *	zeros 1c			so many words of 0
 *	thread 4b4 NAME		the number and, if it has one, the name; its registers follow
 *	register rip CODE+23f
 *	exception b 1 0		of the last thread: code, flags, address
 *	parameter 8			of the exception
 *	process 5cc 4b2f1d40		the number and the time of the start
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "tests/lib/synth.h"

enum { BASES_MAX = 8, PART_BYTES = 4096 };

struct named_base {
	char name[16];
	uint64_t address;
};

struct part {
	uint64_t address;
	size_t size;
	uint8_t bytes[PART_BYTES];
};

static const struct made_system {
	const char *name;
	enum crash_os os;
	enum arch_id arch;
	uint32_t major, minor, build, revision, processors;
	const char *version;
	const char *debug_suffix;		/* ending of a module's debug file; NULL: ELF */
} systems[] = {
	{ "linux", CRASH_OS_LINUX, ARCH_AMD64, 0, 0, 0, 0x5507, 2, "Linux 6.1.0 x86_64", NULL },
	{ "windows", CRASH_OS_WINDOWS, ARCH_AMD64, 10, 0, 19045, 0x5507, 2, "", ".pdb" },
	{ "windows-xp-x86", CRASH_OS_WINDOWS, ARCH_X86, 5, 1, 2600, 0xd08, 1, "Service Pack 3", ".pdb" },
	{ "windows-7-x86", CRASH_OS_WINDOWS, ARCH_X86, 6, 1, 7601, 0xd08, 1, "Service Pack 1", ".pdb" },
	{ "mac", CRASH_OS_MAC, ARCH_ARM64, 14, 5, 0, 0, 0, "23F79", "" },
	{ "mac-amd64", CRASH_OS_MAC, ARCH_AMD64, 12, 7, 4, 0x5507, 2, "21H1123", "" },
};

struct description {
	struct synth *synth;
	const struct made_system *system;
	struct named_base bases[BASES_MAX];
	size_t base_count, chosen_count;	/* the ones from the command line come first */
	struct part memory, stack;
	struct part *open;			/* the memory to which bytes and words are added */
	uint64_t registers[ARCH_REGISTERS];
	uint32_t thread;
	char thread_name[64];
};

static void
fail(const char *what)
{
	fprintf(stderr, "make-crash: cannot read '%s'\n", what);
	exit(1);
}

static uint64_t
number_of(const struct description *made, const char *text)
{
	for (size_t i = 0; i < made->base_count; i++) {
		size_t length = strlen(made->bases[i].name);
		if (strncmp(text, made->bases[i].name, length) == 0 &&
		    (text[length] == '+' || text[length] == '-' || text[length] == '\0')) {
			uint64_t offset = text[length] ? strtoull(text + length + 1, NULL, 16) : 0;

			return made->bases[i].address + (text[length] == '-' ? 0 - offset : offset);
		}
	}
	char *end;
	uint64_t value = strtoull(text, &end, 16);
	if (end == text || *end != '\0')
		fail(text);
	return value;
}

static void
add_base(struct description *made, const char *name, uint64_t address)
{
	if (made->base_count == BASES_MAX || strlen(name) >= sizeof(made->bases->name))
		fail(name);
	snprintf(made->bases[made->base_count].name, sizeof(made->bases->name), "%s", name);
	made->bases[made->base_count++].address = address;
}

static void
add_bytes(struct description *made, const uint8_t *bytes, size_t size)
{
	if (made->open == NULL || made->open->size + size > PART_BYTES)
		fail("bytes");
	memcpy(made->open->bytes + made->open->size, bytes, size);
	made->open->size += size;
}

static size_t
digits_to_bytes(const char *digits, uint8_t *bytes, size_t size)
{
	size_t count = 0;

	for (; count < size && digits[2 * count] != '\0'; count++) {
		unsigned value;
		if (sscanf(digits + 2 * count, "%2x", &value) != 1)
			fail(digits);
		bytes[count] = (uint8_t)value;
	}
	return count;
}

/* Complete the memory that was described last. */
static void
finish_memory(struct description *made)
{
	if (made->memory.size != 0)
		synth_memory(made->synth, made->memory.address, made->memory.bytes, made->memory.size, false);
	made->memory.size = 0;
}

static void
finish_thread(struct description *made)
{
	if (made->thread == 0)
		return;
	synth_thread(made->synth, made->thread, made->registers, made->stack.address, made->stack.bytes, made->stack.size);
	if (made->thread_name[0] != '\0')
		synth_thread_name(made->synth, made->thread, made->thread_name);
	made->thread = 0;
}

static void
read_base(struct description *made, char **values)
{
	for (size_t i = 0; i < made->chosen_count; i++) {
		if (strcmp(made->bases[i].name, values[0]) == 0)
			return;
	}
	add_base(made, values[0], number_of(made, values[1]));
}

static void
read_module(struct description *made, char **values)
{
	uint8_t record[64] = "LEpB";

	if (made->system->debug_suffix != NULL) {
		char debug[64];
		const char *slash = strrchr(values[2], '/'), *back = strrchr(values[2], '\\');
		const char *name = slash ? slash + 1 : back ? back + 1 : values[2];

		snprintf(debug, sizeof(debug), "%.*s%s", (int)strcspn(name, "."), name, made->system->debug_suffix);
		synth_module(made->synth, number_of(made, values[0]), (uint32_t)number_of(made, values[1]), values[2],
			     values[4][0] != '\0' ? values[4] : debug, values[3]);
		return;
	}
	synth_module(made->synth, number_of(made, values[0]), (uint32_t)number_of(made, values[1]), values[2], NULL, NULL);
	if (values[3][0] != '\0')
		synth_module_record(made->synth, record, 4 + digits_to_bytes(values[3], record + 4, sizeof(record) - 4));
}

static void
read_version(struct description *made, char **values)
{
	synth_module_version(made->synth, (uint32_t)number_of(made, values[0]), (uint32_t)number_of(made, values[1]),
			     (uint32_t)number_of(made, values[2]));
}

static void
read_memory(struct description *made, char **values)
{
	finish_memory(made);
	made->open = &made->memory;
	made->open->address = number_of(made, values[0]);
}

static void
read_stack(struct description *made, char **values)
{
	finish_thread(made);
	made->open = &made->stack;
	made->open->address = number_of(made, values[0]);
	made->open->size = 0;
}

static void
read_bytes(struct description *made, char **values)
{
	uint8_t bytes[64];

	add_bytes(made, bytes, digits_to_bytes(values[0], bytes, sizeof(bytes)));
}

static void
read_word(struct description *made, char **values)
{
	const uint64_t value = number_of(made, values[0]);
	const size_t size = arch_by_id(made->system->arch)->word_size;
	uint8_t bytes[8];

	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)(value >> 8 * i);
	add_bytes(made, bytes, size);
}

static void
read_zeros(struct description *made, char **values)
{
	char *zero[] = { "0" };

	for (uint64_t i = number_of(made, values[0]); i > 0; i--)
		read_word(made, zero);
}

static void
start_synth(struct description *made)
{
	static const uint32_t vendor[3] = { 0x756e6547, 0x49656e69, 0x6c65746e };

	if (made->synth != NULL)
		synth_free(made->synth);
	const struct made_system *system = made->system;
	made->synth = synth_create(system->arch, system->os, false);
	synth_system(made->synth, system->major, system->minor, system->build, system->version);
	if (system->processors != 0)
		synth_cpu(made->synth, 6, (uint16_t)system->revision, (uint8_t)system->processors, vendor);
}

static void
read_system(struct description *made, char **values)
{
	for (size_t i = 0; i < ARRAY_COUNT(systems); i++)
		if (strcmp(systems[i].name, values[0]) == 0)
			made->system = &systems[i];
	start_synth(made);
}

static void
read_thread(struct description *made, char **values)
{
	finish_thread(made);
	made->thread = (uint32_t)number_of(made, values[0]);
	snprintf(made->thread_name, sizeof(made->thread_name), "%s", values[1]);
	memset(made->registers, 0, sizeof(made->registers));
}

static void
read_register(struct description *made, char **values)
{
	const struct arch *arch = arch_by_id(made->system->arch);

	for (int i = 0; i < arch->register_count; i++) {
		const char *name = arch_spelled(arch, i);
		if (strcmp(name + (*name == '$'), values[0]) == 0) {
			made->registers[i] = number_of(made, values[1]);
			return;
		}
	}
	fail(values[0]);
}

static void
read_exception(struct description *made, char **values)
{
	uint32_t thread = made->thread;

	finish_thread(made);
	synth_exception(made->synth, thread, (uint32_t)number_of(made, values[0]),
			(uint32_t)number_of(made, values[1]), number_of(made, values[2]));
	synth_exception_registers(made->synth, made->registers);
}

static void
read_parameter(struct description *made, char **values)
{
	synth_parameter(made->synth, number_of(made, values[0]));
}

static void
read_process(struct description *made, char **values)
{
	synth_misc(made->synth, (uint32_t)number_of(made, values[0]), (uint32_t)number_of(made, values[1]));
}

static const struct keyword {
	const char *name;
	unsigned values;
	void (*read)(struct description *made, char **values);
} keywords[] = {
	{ "base", 2, read_base }, { "module", 3, read_module }, { "version", 3, read_version }, { "memory", 1, read_memory },
	{ "stack", 1, read_stack }, { "bytes", 1, read_bytes }, { "word", 1, read_word }, { "zeros", 1, read_zeros },
	{ "system", 1, read_system }, { "thread", 1, read_thread }, { "register", 2, read_register }, { "exception", 3, read_exception },
	{ "parameter", 1, read_parameter }, { "process", 2, read_process },
};

static void
read_line(struct description *made, char *line)
{
	char *words[6] = { "", "", "", "", "", "" };
	unsigned count = 0;

	line[strcspn(line, "#\n")] = '\0';
	for (char *word = strtok(line, " \t"); word != NULL && count < ARRAY_COUNT(words); word = strtok(NULL, " \t"))
		words[count++] = word;
	if (count == 0)
		return;
	for (size_t i = 0; i < ARRAY_COUNT(keywords); i++) {
		if (strcmp(keywords[i].name, words[0]) == 0 && count > keywords[i].values) {
			keywords[i].read(made, words + 1);
			return;
		}
	}
	fail(words[0]);
}

static void
read_description(struct description *made, const char *path)
{
	char line[256];
	FILE *file = fopen(path, "r");

	if (file == NULL)
		fail(path);
	while (fgets(line, sizeof(line), file) != NULL)
		read_line(made, line);
	fclose(file);
	finish_memory(made);
	finish_thread(made);
}

int
main(int argc, char **argv)
{
	static struct description made = { .system = systems };

	if (argc < 3) {
		fprintf(stderr, "usage: make-crash DESCRIPTION FILE [BASE=ADDRESS...]\n");
		return 2;
	}
	for (int i = 3; i < argc; i++) {
		char *equal = strchr(argv[i], '=');
		if (equal == NULL)
			fail(argv[i]);
		*equal = '\0';
		add_base(&made, argv[i], strtoull(equal + 1, NULL, 16));
	}
	made.chosen_count = made.base_count;
	start_synth(&made);
	read_description(&made, argv[1]);
	bool good = synth_write(made.synth, argv[2]);
	if (!good)
		perror(argv[2]);
	synth_free(made.synth);
	return !good;
}
