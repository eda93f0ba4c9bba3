/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The explorer on a screen in memory. An input's first byte is the length of a name, shared by a thread, two modules and
 * one module's symbols; the bytes after the name choose keys and commands. */
#include <stdlib.h>

#include "cmd/cmd.h"
#include "tests/fuzz/harness.h"
#include "tests/lib/synth.h"
#include "tests/screen/random_keys.h"

enum { FEW_KEYS = 10, MOST_KEYS = 60 };

#define CODE 0x400000u
#define STACK 0x7000u
#define ID "5A9832E5287241C1838ED98914E9B7FF1"

static const char *
write_dump(const char *name)
{
	const uint64_t registers[ARCH_REGISTERS] = { [7] = STACK, [16] = CODE + 0x1010 };
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_WINDOWS, false);
	uint8_t stack[256] = { 0 };
	size_t size;

	for (size_t at = 0; at < sizeof(stack); at += 16) {
		const uint64_t word = CODE + 0x1005 + at;
		memcpy(stack + at, &word, sizeof(word));
	}
	synth_module(synth, CODE, 0x2000, "c:\\code.exe", "code.pdb", ID);
	synth_module(synth, CODE + 0x10000, 0x2000, name, name, ID);
	synth_thread(synth, 1, registers, STACK, stack, sizeof(stack));
	synth_thread_name(synth, 1, name);
	synth_crashpad(synth, -1, name, name);
	synth_exception(synth, 1, 0xc0000005, 0, CODE + 0x1010);
	uint8_t *bytes = synth_finish(synth, &size);
	const char *path = fuzz_file(FUZZ_DUMP, bytes, size);
	free(bytes);
	synth_free(synth);
	return path;
}

static const char *
write_symbols(const char *name)
{
	char *text = NULL;

	const int size = asprintf(&text, "MODULE windows x86_64 " ID " code.pdb\nFILE 0 %s\nINLINE_ORIGIN 0 %s\n"
		"FUNC 1000 20 0 %s\nINLINE 0 5 0 0 1000 20\n1000 20 12 0\nPUBLIC 1080 0 %s\n"
		"STACK CFI INIT 1000 100 .cfa: $rsp 16 + .ra: .cfa 16 - ^\nSTACK CFI 1010 $rbx: %s\n",
		name, name, name, name, name);
	if (size < 0)
		fuzz_fail("out of memory");
	const char *path = fuzz_file(FUZZ_SYMBOLS, text, (size_t)size);
	free(text);
	return path;
}

static const char *
write_script(const uint8_t *bytes, size_t size)
{
	struct chance chance = { .bytes = bytes, .left = size };
	char *text = NULL;
	size_t length = 0;
	FILE *script = open_memstream(&text, &length);

	if (script == NULL)
		fuzz_fail("out of memory");
	random_keys(script, &chance, (fuzz_parts(bytes, size, 16) & 1) != 0 ? MOST_KEYS : FEW_KEYS);
	fclose(script);
	const char *path = fuzz_file(FUZZ_SCRIPT, text, length);
	free(text);
	return path;
}

void
fuzz_explorer(const uint8_t *bytes, size_t size)
{
	static const char *const sizes[] = { "80x24", "120x40", "40x6", "200x50" };
	static const char *const kept_out[] = { "--no-config", "--no-state", "--no-cache",
						"--no-system-binaries", "--no-sandbox", "--ascii" };
	size_t head = 1;
	const uint8_t *length = fuzz_take(&bytes, &size, &head);
	const char *words[16];
	size_t count = 0;

	if (head == 0 || size == 0)
		return;
	size_t named = *length;
	const uint8_t *front = fuzz_take(&bytes, &size, &named);
	char *name = strndup((const char *)front, named);
	if (name == NULL)
		fuzz_fail("out of memory");
	words[count++] = write_dump(name);
	words[count++] = write_symbols(name);
	words[count++] = "--script";
	words[count++] = write_script(bytes, size);
	words[count++] = "--size";
	words[count++] = sizes[*length % 4];
	for (size_t i = 0; i < sizeof(kept_out) / sizeof(kept_out[0]); i++)
		words[count++] = kept_out[i];
	struct cmd_options *options = cmd_parse(cmd_commands[0], count, words);
	if (options == NULL)
		fuzz_fail("a command line of the harness is wrong");
	cmd_run(options);
	cmd_options_free(options);
	free(name);
}
