/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/lib/microtext.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/compiler.h"
#include "base/place.h"

#define CHUNK 384u	/* bytes of the stack in a line, as in Breakpad's writer */

static const struct {
	enum arch_id arch;
	const char *name;
} names[] = {
	{ ARCH_X86, "x86" }, { ARCH_AMD64, "x86_64" }, { ARCH_ARM, "arm" }, { ARCH_ARM64, "arm64" },
};

static void
add_digits(FILE *log, const uint8_t *bytes, uint64_t size)
{
	for (uint64_t i = 0; i < size; i++)
		fprintf(log, "%02X", bytes[i]);
	fputc('\n', log);
}

static void
add_stack(FILE *log, const char *prefix, const struct memory_region *stack, uint64_t sp, int width)
{
	fprintf(log, "%sS 0 %0*" PRIX64 " %0*" PRIX64 " %0*" PRIX64 "\n", prefix, width, sp, width, stack->base, width, stack->size);
	for (uint64_t at = 0; at < stack->available; at += CHUNK) {
		uint64_t left = stack->available - at;
		fprintf(log, "%sS %0*" PRIX64 " ", prefix, width, stack->base + at);
		add_digits(log, stack->data + at, left < CHUNK ? left : CHUNK);
	}
}

static void
write_log(FILE *log, const struct crash *crash, size_t thread, const char *prefix, const char *arch)
{
	const struct crash_context *context = crash_thread_context(crash, thread);
	int width = (int)context->arch->word_size * 2;

	fprintf(log, "%s-----BEGIN BREAKPAD MICRODUMP-----\n%sV Test:1\n", prefix, prefix);
	fprintf(log, "%sO L %s 04 machine 6.1.0 #1\n%sP main\n%sG UNKNOWN\n", prefix, arch, prefix, prefix);
	add_stack(log, prefix, crash->threads[thread].stack, context->registers.value[context->arch->sp], width);
	fprintf(log, "%sC ", prefix);
	add_digits(log, crash->file.data + context->place.offset, context->place.length);
	for (size_t i = 0; i < crash->module_count; i++) {
		const struct module *module = &crash->modules[i];
		fprintf(log, "%sM %0*" PRIX64 " %0*X %0*" PRIX64 " %s %s\n", prefix, width,
			module->base, width, 0, width, module->size, module->debug_id[0] != '\0' ? module->debug_id : "0",
			place_base_name(module->debug_file[0] != '\0' ? module->debug_file : module->code_file));
	}
	fprintf(log, "%s-----END BREAKPAD MICRODUMP-----\n", prefix);
}

char *
microtext_from(const struct crash *crash, size_t thread, const char *prefix, size_t *size)
{
	const struct crash_context *context = crash_thread_context(crash, thread);
	const char *arch = NULL;
	char *text = NULL;

	for (size_t i = 0; i < ARRAY_COUNT(names); i++)
		if (context->present && names[i].arch == context->arch->id)
			arch = names[i].name;
	if (arch == NULL || crash->threads[thread].stack == NULL)
		return NULL;
	FILE *log = open_memstream(&text, size);
	if (log == NULL)
		abort();
	write_log(log, crash, thread, prefix, arch);
	if (fclose(log) != 0)
		abort();
	return text;
}
