/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/lib/synth_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/text.h"

static void *
need(void *memory)
{
	if (memory == NULL) {
		fprintf(stderr, "synth: out of memory\n");
		abort();
	}
	return memory;
}

void *
synth_append(struct synth_bytes *bytes, const void *data, size_t size)
{
	if (size == 0)
		return bytes->data;
	bytes->data = need(realloc(bytes->data, bytes->size + size));
	void *place = bytes->data + bytes->size;
	if (data != NULL)
		memcpy(place, data, size);
	else
		memset(place, 0, size);
	bytes->size += size;
	return place;
}

struct synth_bytes
synth_copy(const void *data, size_t size)
{
	struct synth_bytes bytes = { .data = NULL };

	synth_append(&bytes, data, size);
	return bytes;
}

static const char *
copy_text(const char *text)
{
	return text != NULL ? need(strdup(text)) : NULL;
}

/* Values in the dump's byte order. */

void
synth_store(const struct synth *synth, uint8_t *place, unsigned size, uint64_t value)
{
	for (unsigned i = 0; i < size; i++)
		place[synth->big_endian ? size - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

void
synth_put(const struct synth *synth, struct synth_bytes *bytes, unsigned size, uint64_t value)
{
	uint8_t place[8];

	synth_store(synth, place, size, value);
	synth_append(bytes, place, size);
}

void
synth_put_units(const struct synth *synth, struct synth_bytes *bytes, const char *text)
{
	size_t left = strlen(text);

	while (left > 0) {
		uint32_t character = (uint8_t)*text;
		size_t length = text_decode(text, left, &character);

		/* A byte that begins no character counts as one: tests write invalid names. */
		length += length == 0;
		synth_put(synth, bytes, 2, character & 0xffff);
		text += length;
		left -= length;
	}
}

/* Room for `size` bytes that live as long as the dump's description. */
static uint8_t *
keep_words(struct synth *synth, size_t size)
{
	struct synth_bytes *kept = synth_append(&synth->words, NULL, sizeof(*kept));

	return synth_append(kept, NULL, size);
}

const void *
synth_words32(struct synth *synth, const uint32_t *words, size_t count)
{
	uint8_t *bytes = keep_words(synth, 4 * count);

	for (size_t i = 0; i < count; i++)
		synth_store(synth, bytes + 4 * i, 4, words[i]);
	return bytes;
}

const void *
synth_words64(struct synth *synth, const uint64_t *words, size_t count)
{
	uint8_t *bytes = keep_words(synth, 8 * count);

	for (size_t i = 0; i < count; i++)
		synth_store(synth, bytes + 8 * i, 8, words[i]);
	return bytes;
}

/* The description. */

static uint16_t
processor_of(enum arch_id arch)
{
	static const uint16_t processors[ARCH_COUNT] = {
		[ARCH_X86] = 0, [ARCH_AMD64] = 9, [ARCH_ARM] = 5, [ARCH_ARM64] = 12,
		[ARCH_MIPS] = 1, [ARCH_MIPS64] = 0x8004, [ARCH_PPC] = 3, [ARCH_PPC64] = 0x8002,
		[ARCH_SPARC] = 0x8001, [ARCH_SPARC32] = 0x8001, [ARCH_RISCV] = 0x8005,
		[ARCH_RISCV64] = 0x8006, [ARCH_UNKNOWN] = 0xffff,
	};

	return processors[arch];
}

static uint32_t
platform_of(enum crash_os os)
{
	static const uint32_t platforms[] = {
		[CRASH_OS_UNKNOWN] = 0xffff, [CRASH_OS_WINDOWS] = 2, [CRASH_OS_LINUX] = 0x8201,
		[CRASH_OS_ANDROID] = 0x8203, [CRASH_OS_MAC] = 0x8101, [CRASH_OS_IOS] = 0x8102,
		[CRASH_OS_SOLARIS] = 0x8202, [CRASH_OS_NACL] = 0x8205, [CRASH_OS_FUCHSIA] = 0x8206,
		[CRASH_OS_PS3] = 0x8204,
	};

	return platforms[os];
}

struct synth *
synth_create(enum arch_id arch, enum crash_os os, bool big_endian)
{
	struct synth *synth = need(calloc(1, sizeof(*synth)));

	synth->arch = arch;
	synth->big_endian = big_endian;
	synth->processor = processor_of(arch);
	synth->platform = platform_of(os);
	synth->cpu_count = 1;
	synth->style.elf_ids = os == CRASH_OS_LINUX || os == CRASH_OS_ANDROID;
	return synth;
}

static void
free_text(const char *text)
{
	free((void *)(uintptr_t)text);
}

static void
free_modules(struct synth_bytes *modules)
{
	for (size_t i = 0; i < SYNTH_COUNT(*modules, struct synth_module); i++) {
		struct synth_module *module = SYNTH_AT(*modules, struct synth_module, i);
		free_text(module->name);
		free_text(module->debug_file);
		free_text(module->id);
		free_text(module->misc);
		free(module->record.data);
	}
	free(modules->data);
}

void
synth_free(struct synth *synth)
{
	free_modules(&synth->modules);
	free_modules(&synth->unloaded);
	for (size_t i = 0; i < SYNTH_COUNT(synth->threads, struct synth_thread); i++) {
		free(SYNTH_AT(synth->threads, struct synth_thread, i)->stack.data);
		free(SYNTH_AT(synth->threads, struct synth_thread, i)->context.data);
	}
	for (size_t i = 0; i < SYNTH_COUNT(synth->exceptions, struct synth_exception); i++)
		free(SYNTH_AT(synth->exceptions, struct synth_exception, i)->context.data);
	for (size_t i = 0; i < SYNTH_COUNT(synth->memories, struct synth_memory); i++)
		free(SYNTH_AT(synth->memories, struct synth_memory, i)->bytes.data);
	for (size_t i = 0; i < SYNTH_COUNT(synth->words, struct synth_bytes); i++)
		free(SYNTH_AT(synth->words, struct synth_bytes, i)->data);
	for (size_t i = 0; i < SYNTH_COUNT(synth->streams, struct synth_stream); i++)
		free(SYNTH_AT(synth->streams, struct synth_stream, i)->bytes.data);
	for (size_t i = 0; i < SYNTH_COUNT(synth->names, struct synth_name); i++)
		free_text(SYNTH_AT(synth->names, struct synth_name, i)->name);
	for (size_t i = 0; i < SYNTH_COUNT(synth->annotations, struct synth_annotation); i++) {
		free_text(SYNTH_AT(synth->annotations, struct synth_annotation, i)->key);
		free_text(SYNTH_AT(synth->annotations, struct synth_annotation, i)->value);
	}
	free(synth->threads.data);
	free(synth->exceptions.data);
	free(synth->memories.data);
	free(synth->streams.data);
	free(synth->names.data);
	free(synth->annotations.data);
	free(synth->infos.data);
	free(synth->words.data);
	free_text(synth->service_pack);
	free(synth);
}

struct synth_style *
synth_style(struct synth *synth)
{
	return &synth->style;
}

void
synth_system(struct synth *synth, uint32_t major, uint32_t minor, uint32_t build, const char *service_pack)
{
	synth->major = major;
	synth->minor = minor;
	synth->build = build;
	free_text(synth->service_pack);
	synth->service_pack = copy_text(service_pack);
}

void
synth_cpu(struct synth *synth, uint16_t level, uint16_t revision, uint8_t count, const uint32_t words[3])
{
	synth->level = level;
	synth->revision = revision;
	synth->cpu_count = count;
	memcpy(synth->cpu_words, words, sizeof(synth->cpu_words));
}

size_t
synth_module(struct synth *synth, uint64_t base, uint32_t size, const char *name, const char *debug_file, const char *id)
{
	const struct synth_module module = {
		.base = base, .size = size, .name = copy_text(name),
		.debug_file = copy_text(debug_file), .id = copy_text(id),
	};

	synth_append(&synth->modules, &module, sizeof(module));
	return SYNTH_COUNT(synth->modules, struct synth_module) - 1;
}

void
synth_module_version(struct synth *synth, uint32_t high, uint32_t low, uint32_t timestamp)
{
	struct synth_module *module = SYNTH_LAST(synth->modules, struct synth_module);

	module->has_version = true;
	module->version_high = high;
	module->version_low = low;
	module->timestamp = timestamp;
}

void
synth_module_record(struct synth *synth, const void *bytes, size_t size)
{
	struct synth_module *module = SYNTH_LAST(synth->modules, struct synth_module);

	free(module->record.data);
	module->record = synth_copy(bytes, size);
}

void
synth_module_misc(struct synth *synth, const char *name, bool wide)
{
	struct synth_module *module = SYNTH_LAST(synth->modules, struct synth_module);

	free_text(module->misc);
	module->misc = copy_text(name);
	module->misc_wide = wide;
}

void
synth_unloaded( struct synth *synth, uint64_t base, uint32_t size, const char *name, uint32_t timestamp)
{
	const struct synth_module module = {
		.base = base, .size = size, .name = copy_text(name), .timestamp = timestamp
	};

	synth_append(&synth->unloaded, &module, sizeof(module));
}

/* The places of registers in contexts: runs of adjacent fields of one size, by the numbers of the architectures' register tables. */
struct run {
	uint16_t first, count, offset, size;
};

struct form {
	uint16_t size, flags_at, flags_size;
	uint32_t flags;
	struct run runs[24];		/* ends with a count of 0 */
};

static const struct form x86_form = {
	716, 0, 4, 0x10007,
	{ { 0, 1, 184, 4 }, { 1, 1, 196, 4 }, { 2, 1, 180, 4 }, { 3, 1, 164, 4 }, { 4, 1, 160, 4 },
	  { 5, 1, 156, 4 }, { 6, 1, 176, 4 }, { 7, 1, 172, 4 }, { 8, 1, 168, 4 }, { 9, 1, 192, 4 } }
};
static const struct form amd64_form = {
	1232, 48, 4, 0x10000b,
	{ { 0, 1, 120, 8 }, { 1, 1, 136, 8 }, { 2, 1, 128, 8 }, { 3, 1, 144, 8 }, { 4, 1, 168, 8 },
	  { 5, 1, 176, 8 }, { 6, 1, 160, 8 }, { 7, 1, 152, 8 }, { 8, 9, 184, 8 } }
};
static const struct form arm_form = { 368, 0, 4, 0x40000006, { { 0, 17, 4, 4 } } };
static const struct form arm64_form = {
	912, 0, 4, 0x400007, { { 0, 33, 8, 8 }, { 33, 1, 4, 4 } }
};
static const struct form old_arm64_form = {
	796, 0, 8, 0x80000006, { { 0, 33, 8, 8 }, { 33, 1, 272, 4 } }
};
static const struct form lldb_arm64_form = {
	800, 0, 8, 0x80000006, { { 0, 33, 8, 8 }, { 33, 1, 272, 4 } }
};
static const struct form mips_form = {
	600, 0, 4, 0x00040007,
	{ { 0, 32, 8, 8 }, { 32, 1, 312, 8 }, { 33, 2, 264, 8 },
	  { 35, 3, 280, 4 }, { 38, 3, 292, 4 }, { 41, 1, 304, 4 }, { 42, 1, 320, 8 }, { 43, 2, 328, 4 }, { 45, 2, 592, 4 } }
};
static const struct form mips64_form = {
	600, 0, 4, 0x00080007,
	{ { 0, 32, 8, 8 }, { 32, 1, 312, 8 }, { 33, 2, 264, 8 },
	  { 35, 3, 280, 4 }, { 38, 3, 292, 4 }, { 41, 1, 304, 4 }, { 42, 1, 320, 8 }, { 43, 2, 328, 4 }, { 45, 2, 592, 4 } }
};
static const struct form crashpad_mips64_form = {
	640, 0, 8, 0x00080007,
	{ { 0, 32, 8, 8 }, { 32, 1, 336, 8 }, { 33, 2, 264, 8 },
	  { 35, 3, 280, 8 }, { 38, 3, 304, 8 }, { 41, 1, 328, 8 }, { 42, 3, 344, 8 }, { 45, 1, 624, 8 }, { 46, 1, 632, 8 } }
};
static const struct form ppc_form = {
	1004, 0, 4, 0x20000029, { { 0, 32, 12, 4 }, { 32, 2, 4, 4 }, { 34, 6, 140, 4 } }
};
static const struct form ppc64_form = {
	1160, 0, 8, 0x01000029, { { 0, 32, 24, 8 }, { 32, 2, 8, 8 }, { 34, 5, 280, 8 } }
};
static const struct form sparc_form = { 584, 0, 4, 0x10000007, { { 0, 38, 8, 8 } } };
static const struct form riscv_form = {
	268, 0, 4, 0x00800003, { { 0, 32, 8, 4 }, { 32, 1, 264, 4 } }
};
static const struct form riscv64_form = {
	528, 0, 4, 0x08000003, { { 0, 32, 8, 8 }, { 32, 1, 520, 4 } }
};

static const struct form *
form_of(const struct synth *synth)
{
	static const struct form *const forms[ARCH_COUNT] = {
		[ARCH_X86] = &x86_form,	    [ARCH_AMD64] = &amd64_form,
		[ARCH_ARM] = &arm_form,	    [ARCH_ARM64] = &arm64_form,
		[ARCH_MIPS] = &mips_form,   [ARCH_MIPS64] = &mips64_form,
		[ARCH_PPC] = &ppc_form,	    [ARCH_PPC64] = &ppc64_form,
		[ARCH_SPARC] = &sparc_form, [ARCH_SPARC32] = &sparc_form,
		[ARCH_RISCV] = &riscv_form, [ARCH_RISCV64] = &riscv64_form,
	};

	if (synth->arch == ARCH_ARM64 && synth->style.lldb_arm64)
		return &lldb_arm64_form;
	if (synth->arch == ARCH_ARM64 && synth->style.old_arm64)
		return &old_arm64_form;
	if (synth->arch == ARCH_MIPS64 && synth->style.crashpad_mips64)
		return &crashpad_mips64_form;
	return forms[synth->arch];
}

static struct synth_bytes
context_of(const struct synth *synth, const uint64_t *registers)
{
	struct synth_bytes context = { .data = NULL };
	const struct form *form = form_of(synth);

	if (registers == NULL || form == NULL)
		return context;
	synth_append(&context, NULL, form->size);
	synth_store(synth, context.data + form->flags_at, form->flags_size, form->flags);
	for (const struct run *run = form->runs; run->count != 0; run++)
		for (size_t i = 0; i < run->count; i++)
			synth_store(synth, context.data + run->offset + i * run->size, run->size, registers[run->first + i]);
	return context;
}

void
synth_thread(struct synth *synth, uint32_t id, const uint64_t *registers, uint64_t stack_base,
	const void *stack, size_t stack_size)
{
	const struct synth_thread thread = {
		.id = id, .stack_base = stack_base, .stack_size = stack_size,
		.stack = stack != NULL ? synth_copy(stack, stack_size)
				       : (struct synth_bytes){ NULL, 0 },
		.context = context_of(synth, registers),
	};

	synth_append(&synth->threads, &thread, sizeof(thread));
	synth->context_is_exception = false;
}

void
synth_thread_teb(struct synth *synth, uint64_t teb)
{
	SYNTH_LAST(synth->threads, struct synth_thread)->teb = teb;
}

void
synth_context(struct synth *synth, const void *bytes, size_t size)
{
	struct synth_bytes *context = synth->context_is_exception
		? &SYNTH_LAST(synth->exceptions, struct synth_exception)->context
		: &SYNTH_LAST(synth->threads, struct synth_thread)->context;

	free(context->data);
	*context = synth_copy(bytes, size);
}

void
synth_thread_name(struct synth *synth, uint32_t id, const char *name)
{
	const struct synth_name entry = { id, copy_text(name) };

	synth_append(&synth->names, &entry, sizeof(entry));
}

void
synth_exception( struct synth *synth, uint32_t thread, uint32_t code, uint32_t flags, uint64_t address)
{
	const struct synth_exception exception = {
		.thread = thread, .code = code, .flags = flags, .address = address
	};

	synth_append(&synth->exceptions, &exception, sizeof(exception));
	synth->context_is_exception = true;
}

void
synth_parameter(struct synth *synth, uint64_t value)
{
	struct synth_exception *exception = SYNTH_LAST(synth->exceptions, struct synth_exception);

	if (exception->parameter_count < ARRAY_COUNT(exception->parameters))
		exception->parameters[exception->parameter_count++] = value;
	exception->claimed = exception->parameter_count;
}

void
synth_parameter_count(struct synth *synth, uint32_t count)
{
	SYNTH_LAST(synth->exceptions, struct synth_exception)->claimed = count;
}

void
synth_exception_registers(struct synth *synth, const uint64_t *registers)
{
	struct synth_exception *exception = SYNTH_LAST(synth->exceptions, struct synth_exception);

	free(exception->context.data);
	exception->context = context_of(synth, registers);
}

void
synth_memory(struct synth *synth, uint64_t base, const void *bytes, size_t size, bool wide)
{
	const struct synth_memory memory = { base, synth_copy(bytes, size), wide };

	synth_append(&synth->memories, &memory, sizeof(memory));
}

void
synth_memory_info(struct synth *synth, uint64_t base, uint64_t size, uint32_t state, uint32_t protection, uint32_t type)
{
	const struct synth_info info = { base, size, state, protection, type };

	synth_append(&synth->infos, &info, sizeof(info));
}

void
synth_stream(struct synth *synth, uint32_t type, const void *bytes, size_t size)
{
	const struct synth_stream stream = { type, synth_copy(bytes, size) };

	synth_append(&synth->streams, &stream, sizeof(stream));
}

/* Add a stream and free its bytes. */
static void
give_stream(struct synth *synth, uint32_t type, struct synth_bytes *bytes)
{
	synth_stream(synth, type, bytes->data, bytes->size);
	free(bytes->data);
}

void
synth_misc(struct synth *synth, uint32_t process, uint32_t created)
{
	const uint32_t words[] = { 24, 3, process, created, 7, 8 };
	struct synth_bytes bytes = { .data = NULL };

	for (size_t i = 0; i < ARRAY_COUNT(words); i++)
		synth_put(synth, &bytes, 4, words[i]);
	give_stream(synth, 15, &bytes);
}

void
synth_breakpad( struct synth *synth, uint32_t validity, uint32_t dump_thread, uint32_t requesting_thread)
{
	struct synth_bytes bytes = { .data = NULL };

	synth_put(synth, &bytes, 4, validity);
	synth_put(synth, &bytes, 4, dump_thread);
	synth_put(synth, &bytes, 4, requesting_thread);
	give_stream(synth, 0x47670001, &bytes);
}

void
synth_assertion(struct synth *synth, const char *expression, const char *function, const char *file, uint32_t line, uint32_t type)
{
	const char *const texts[] = { expression, function, file };
	struct synth_bytes bytes = { .data = NULL };

	for (size_t i = 0; i < ARRAY_COUNT(texts); i++) {
		synth_put_units(synth, &bytes, texts[i]);
		synth_append(&bytes, NULL, 256 * (i + 1) - bytes.size);
	}
	synth_put(synth, &bytes, 4, line);
	synth_put(synth, &bytes, 4, type);
	give_stream(synth, 0x47670002, &bytes);
}

void
synth_crashpad(struct synth *synth, int module, const char *key, const char *value)
{
	const struct synth_annotation annotation = { module, copy_text(key), copy_text(value) };

	synth_append(&synth->annotations, &annotation, sizeof(annotation));
	synth->has_crashpad = true;
}

void
synth_address_mask(struct synth *synth, uint64_t mask)
{
	synth->address_mask = mask;
	synth->has_crashpad = true;
}
