/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes invented crashes, on which two walkers are compared.
 *
 *	generate KIND SEED FIRST[,FIRST...] COUNT DUMP SYMBOLS
 *
 * writes a minidump of COUNT threads from each FIRST. Each thread is a case of its own that depends
 * only on KIND, SEED and its number: its pc is covered by a record, its stack has return addresses,
 * stack addresses, small numbers and noise. SYMBOLS is the folder of the kind's symbol files; an
 * invented file is written there. Without arguments, list the kinds with the folder of each in the
 * corpus, or '-' if it is invented.
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/compiler.h"
#include "tests/differential/chance.h"
#include "tests/differential/invent.h"
#include "tests/lib/synth.h"

#define MOST_MODULES 4
#define MOST_WORDS 512
#define INVENTED_ID "5A9832E5287241C1838ED98914E9B7FF0"

struct kind {
	const char *name;
	enum arch_id arch;
	enum crash_os os;
	const char *symbols;			/* folder in the corpus; NULL: invented */
	const char *modules[MOST_MODULES];	/* debug files; '-' first: without symbols */
	uint32_t span;				/* of an invented file */
	unsigned extras;
};

/* Other properties of the dumps of a kind. */
#define BIG_ENDIAN_DUMP 1u
#define OLD_CONTEXTS 2u			/* Breakpad's arm64 layout, Crashpad's mips64 */
#define WIDE_MEMORY 4u			/* stacks are in a Memory64List too */
#define THREAD_NAMES 8u
#define EXCEPTION 16u			/* an exception with registers of its own */
#define MORE_EXCEPTIONS 32u		/* an exception stream for each thread, as LLDB writes */
#define MOZILLA 64u			/* streams of Firefox and its writers */

/* The modules of an invented and of a small crash, and the size of their code. */
#define INVENTED { "invented", "-other" }, 0x4000
#define INVENTED_PDB { "invented.pdb", "-other.pdb" }, 0x4000
#define SMALL { "small", "-other" }, 0x500
#define SMALL_PDB { "small.pdb", "-other.pdb" }, 0x500

static const struct kind kinds[] = {
	{ "windows-x86", ARCH_X86, CRASH_OS_WINDOWS, "breakpad/symbols", { "test_app.pdb", "kernel32.pdb", "-ntdll.pdb" }, 0, 0 },
	{ "linux-x86", ARCH_X86, CRASH_OS_LINUX, "made/symbols/i386", { "nofp", "libc.so.6", "-unknown.so" }, 0, 0 },
	{ "linux-amd64", ARCH_AMD64, CRASH_OS_LINUX, "made/symbols/x86_64", { "inline_o2", "libc.so.6", "-unknown.so" }, 0, 0 },
	{ "old-amd64", ARCH_AMD64, CRASH_OS_LINUX, "breakpad/symbols", { "null_read_av", "ld-2.13.so", "libgcc_s.so.1" }, 0, 0 },
	{ "windows-amd64", ARCH_AMD64, CRASH_OS_WINDOWS, "made/symbols/x86_64", { "inline_o2", "libm.so.6", "-ntdll.pdb" }, 0, 0 },
	{ "linux-arm64", ARCH_ARM64, CRASH_OS_LINUX, "made/symbols/arm64", { "recursion_pac", "libc.so.6", "-unknown.so" }, 0, 0 },
	{ "linux-arm", ARCH_ARM, CRASH_OS_LINUX, "made/symbols/arm", { "coldpart", "libgcc_s.so.1", "-unknown.so" }, 0, 0 },
	{ "ios-arm", ARCH_ARM, CRASH_OS_IOS, "made/symbols/arm", { "coldpart", "threads64", "-unknown.so" }, 0, 0 },
	{ "invented-windows-x86", ARCH_X86, CRASH_OS_WINDOWS, NULL, INVENTED_PDB, 0 },
	{ "invented-linux-x86", ARCH_X86, CRASH_OS_LINUX, NULL, INVENTED, 0 },
	{ "invented-amd64", ARCH_AMD64, CRASH_OS_LINUX, NULL, INVENTED, 0 },
	{ "invented-windows-amd64", ARCH_AMD64, CRASH_OS_WINDOWS, NULL, INVENTED_PDB, 0 },
	{ "invented-arm64", ARCH_ARM64, CRASH_OS_MAC, NULL, INVENTED, 0 },
	{ "invented-arm", ARCH_ARM, CRASH_OS_ANDROID, NULL, INVENTED, 0 },
	{ "small-x86", ARCH_X86, CRASH_OS_WINDOWS, NULL, SMALL_PDB, 0 },
	{ "small-amd64", ARCH_AMD64, CRASH_OS_LINUX, NULL, SMALL, 0 },
	{ "small-arm64", ARCH_ARM64, CRASH_OS_LINUX, NULL, SMALL, 0 },
	{ "small-arm", ARCH_ARM, CRASH_OS_LINUX, NULL, SMALL, 0 },
	{ "invented-mips", ARCH_MIPS, CRASH_OS_LINUX, NULL, INVENTED, 0 },
	{ "invented-big-mips", ARCH_MIPS, CRASH_OS_LINUX, NULL, INVENTED, BIG_ENDIAN_DUMP },
	{ "invented-mips64", ARCH_MIPS64, CRASH_OS_LINUX, NULL, INVENTED, 0 },
	{ "invented-ppc", ARCH_PPC, CRASH_OS_MAC, NULL, INVENTED, BIG_ENDIAN_DUMP },
	{ "invented-ppc64", ARCH_PPC64, CRASH_OS_LINUX, NULL, INVENTED, 0 },
	{ "invented-big-ppc64", ARCH_PPC64, CRASH_OS_MAC, NULL, INVENTED, BIG_ENDIAN_DUMP },
	{ "invented-sparc", ARCH_SPARC32, CRASH_OS_SOLARIS, NULL, INVENTED, BIG_ENDIAN_DUMP },
	{ "invented-sparc64", ARCH_SPARC, CRASH_OS_SOLARIS, NULL, INVENTED, BIG_ENDIAN_DUMP },
	{ "invented-riscv", ARCH_RISCV, CRASH_OS_LINUX, NULL, INVENTED, 0 },
	{ "invented-riscv64", ARCH_RISCV64, CRASH_OS_LINUX, NULL, INVENTED, 0 },
	{ "invented-big-x86", ARCH_X86, CRASH_OS_WINDOWS, NULL, INVENTED_PDB, BIG_ENDIAN_DUMP },
	{ "invented-old-arm64", ARCH_ARM64, CRASH_OS_ANDROID, NULL, INVENTED, OLD_CONTEXTS },
	{ "small-mips", ARCH_MIPS, CRASH_OS_LINUX, NULL, SMALL, EXCEPTION },
	{ "small-big-mips", ARCH_MIPS, CRASH_OS_LINUX, NULL, SMALL, BIG_ENDIAN_DUMP },
	{ "small-mips64", ARCH_MIPS64, CRASH_OS_LINUX, NULL, SMALL, 0 },
	{ "small-crashpad-mips64", ARCH_MIPS64, CRASH_OS_LINUX, NULL, SMALL, OLD_CONTEXTS },
	{ "small-ppc", ARCH_PPC, CRASH_OS_MAC, NULL, SMALL, BIG_ENDIAN_DUMP | EXCEPTION },
	{ "small-ppc64", ARCH_PPC64, CRASH_OS_PS3, NULL, SMALL, BIG_ENDIAN_DUMP },
	{ "small-sparc", ARCH_SPARC32, CRASH_OS_SOLARIS, NULL, SMALL, BIG_ENDIAN_DUMP | EXCEPTION },
	{ "small-sparc64", ARCH_SPARC, CRASH_OS_SOLARIS, NULL, SMALL, BIG_ENDIAN_DUMP },
	{ "small-riscv", ARCH_RISCV, CRASH_OS_LINUX, NULL, SMALL, 0 },
	{ "small-riscv64", ARCH_RISCV64, CRASH_OS_FUCHSIA, NULL, SMALL, EXCEPTION },
	{ "small-big-amd64", ARCH_AMD64, CRASH_OS_LINUX, NULL, SMALL, BIG_ENDIAN_DUMP | EXCEPTION },
	{ "small-old-arm64", ARCH_ARM64, CRASH_OS_LINUX, NULL, SMALL, OLD_CONTEXTS },
	{ "small-wide-memory", ARCH_AMD64, CRASH_OS_WINDOWS, NULL, SMALL_PDB, WIDE_MEMORY | EXCEPTION },
	{ "small-thread-names", ARCH_AMD64, CRASH_OS_WINDOWS, NULL, SMALL_PDB, THREAD_NAMES },
	{ "small-exceptions", ARCH_ARM64, CRASH_OS_MAC, NULL, SMALL, EXCEPTION | MORE_EXCEPTIONS },
	{ "small-mozilla", ARCH_AMD64, CRASH_OS_MAC, NULL, SMALL, MOZILLA | EXCEPTION },
	{ "small-mozilla-linux", ARCH_AMD64, CRASH_OS_LINUX, NULL, SMALL, MOZILLA | THREAD_NAMES | EXCEPTION },
};

/* A range of a module that a record covers. */
struct range {
	uint64_t address, size;
};

struct ranges {
	struct range *list;
	size_t count, room;
};

struct place_of_module {
	uint64_t base, size;
	char id[64];
	struct ranges stack, named;	/* those of STACK, and of FUNC and PUBLIC records */
};

struct generator {
	const struct kind *kind;
	const struct arch *arch;
	const char *symbols;
	uint64_t seed;
	struct place_of_module modules[MOST_MODULES];
	size_t module_count;
	struct synth *synth;
};

static void
die(const char *what, const char *of)
{
	fprintf(stderr, "generate: %s '%s'\n", what, of);
	exit(2);
}

static void
add_range(struct ranges *ranges, uint64_t address, uint64_t size)
{
	if (ranges->count == ranges->room) {
		ranges->room = ranges->room * 2 + 64;
		ranges->list = realloc(ranges->list, ranges->room * sizeof(*ranges->list));
		if (ranges->list == NULL)
			die("no memory for", "ranges");
	}
	ranges->list[ranges->count++] = (struct range){ address, size };
}

static void
read_record(struct place_of_module *module, const char *line)
{
	uint64_t address, size = 1;
	unsigned type;
	struct ranges *ranges = &module->stack;

	if (sscanf(line, "STACK WIN %u %" SCNx64 " %" SCNx64, &type, &address, &size) < 3 &&
	    sscanf(line, "STACK CFI INIT %" SCNx64 " %" SCNx64, &address, &size) < 2 &&
	    sscanf(line, "STACK CFI %" SCNx64, &address) < 1) {
		ranges = &module->named;
		if (sscanf(line, "FUNC m %" SCNx64 " %" SCNx64, &address, &size) < 2 &&
		    sscanf(line, "FUNC %" SCNx64 " %" SCNx64, &address, &size) < 2 &&
		    sscanf(line, "PUBLIC m %" SCNx64, &address) < 1 && sscanf(line, "PUBLIC %" SCNx64, &address) < 1)
			return;
	}
	if (size == 0 || size > 0x1000000 || address > 0x10000000)
		return;
	add_range(ranges, address, size);
	if (address + size > module->size)
		module->size = address + size;
}

static void
read_symbols(struct place_of_module *module, const char *path)
{
	char line[4096];
	FILE *file = fopen(path, "r");

	if (file == NULL)
		die("no symbol file", path);
	while (fgets(line, sizeof(line), file) != NULL)
		read_record(module, line);
	fclose(file);
}

/* The only subfolder of a debug file's folder; its name is the identifier. */
static void
find_id(const char *folder, char *id, size_t size)
{
	DIR *directory = opendir(folder);
	const struct dirent *entry;

	if (directory == NULL)
		die("no folder", folder);
	while ((entry = readdir(directory)) != NULL)
		if (entry->d_name[0] != '.' && strlen(entry->d_name) < size)
			strcpy(id, entry->d_name);
	closedir(directory);
}

static void
write_invented(const struct generator *generator, const char *name, const char *folder, const char *path)
{
	char inner[600];

	snprintf(inner, sizeof(inner), "%s/%s", folder, INVENTED_ID);
	mkdir(generator->symbols, 0777);
	mkdir(folder, 0777);
	mkdir(inner, 0777);
	FILE *file = fopen(path, "w");
	if (file == NULL)
		die("can't write", path);
	invent_symbols(file, generator->arch, name, INVENTED_ID, generator->kind->span, generator->seed);
	if (fclose(file) != 0)
		die("can't write", path);
}

static void
open_symbols(struct generator *generator, struct place_of_module *module, const char *name)
{
	char folder[512], path[1024];
	size_t length = strlen(name);

	if (length > 4 && strcmp(name + length - 4, ".pdb") == 0)
		length -= 4;
	snprintf(folder, sizeof(folder), "%s/%s", generator->symbols, name);
	if (generator->kind->symbols == NULL)
		snprintf(module->id, sizeof(module->id), "%s", INVENTED_ID);
	else
		find_id(folder, module->id, sizeof(module->id));
	snprintf(path, sizeof(path), "%s/%s/%.*s.sym", folder, module->id, (int)length, name);
	if (generator->kind->symbols == NULL)
		write_invented(generator, name, folder, path);
	read_symbols(module, path);
}

static bool
is_narrow(const struct generator *generator)
{
	return generator->arch->word_size == 4;
}

static void
place_modules(struct generator *generator)
{
	uint64_t base = is_narrow(generator) ? 0x400000 : UINT64_C(0x7f1200400000);

	for (size_t i = 0; i < MOST_MODULES && generator->kind->modules[i] != NULL; i++) {
		struct place_of_module *module = &generator->modules[i];
		const char *name = generator->kind->modules[i];

		module->base = base;
		if (name[0] == '-')
			module->size = 0x8000;
		else
			open_symbols(generator, module, name);
		module->size = (module->size + 0xfff) & ~UINT64_C(0xfff);
		synth_module(generator->synth, base, (uint32_t)module->size,
			     name[0] == '-' ? name + 1 : name, name[0] == '-' ? NULL : name, name[0] == '-' ? NULL : module->id);
		base += module->size + (i % 2 == 0 ? 0 : 0x10000);
		generator->module_count++;
	}
}

/* One case: a thread. */
struct subject {
	struct generator *generator;
	struct chance chance;
	uint64_t base;				/* of the stack */
	size_t words;
	uint64_t stack[MOST_WORDS];
	unsigned code, stacked, small;		/* percentages of the words */
	bool sign;				/* code pointers carry authentication bits */
};

static uint64_t
below(struct subject *subject, uint64_t limit)
{
	return chance_below(&subject->chance, limit);
}

/* An address that a record covers, most often near one of its ends. */
static uint64_t
in_range(struct subject *subject, const struct ranges *ranges)
{
	const struct range *range = &ranges->list[below(subject, ranges->count)];

	switch (below(subject, 6)) {
	case 0:
		return range->address;
	case 1:
		return range->address + 1;
	case 2:
		return range->address + range->size - 1;
	case 3:
		return range->address + range->size;
	default:
		return range->address + below(subject, range->size);
	}
}

static uint64_t
code_address(struct subject *subject)
{
	const struct generator *generator = subject->generator;
	const struct place_of_module *module = &generator->modules[below(subject, generator->module_count)];

	if (module->stack.count > 0 && chance_percent(&subject->chance, 75))
		return module->base + in_range(subject, &module->stack);
	if (module->named.count > 0 && chance_percent(&subject->chance, 70))
		return module->base + in_range(subject, &module->named);
	return module->base + below(subject, module->size + 2) - 1;
}

static uint64_t
return_address(struct subject *subject)
{
	const struct arch *arch = subject->generator->arch;
	uint64_t address = code_address(subject);

	/* On mips a return address is the pc plus 8; on SPARC the address of the call is saved. */
	if (chance_percent(&subject->chance, 70))
		address += arch->return_step < 0 ? 8 : arch->return_step > 0 ? 0 : arch->call_step;
	if (subject->sign && chance_percent(&subject->chance, 60))
		address |= below(subject, 0x7f) << 48;
	return address;
}

static uint64_t
stack_address(struct subject *subject, size_t from)
{
	const unsigned word = subject->generator->arch->word_size;
	uint64_t slot = from + below(subject, subject->words - from + 2);
	uint64_t address = subject->base + slot * word;

	if (chance_percent(&subject->chance, 4))
		address += below(subject, 2 * word) - word;
	return address;
}

static uint64_t
noise(struct subject *subject)
{
	static const uint64_t odd[] = { 0, 1, UINT64_MAX, UINT64_C(0x8000000000000000), 4095, 4096, UINT64_C(0x800000000000), 0x80000000 };

	if (chance_percent(&subject->chance, 30))
		return odd[below(subject, ARRAY_COUNT(odd))];
	return chance_next(&subject->chance) >> below(subject, 40);
}

static uint64_t
any_word(struct subject *subject, size_t slot)
{
	unsigned share = (unsigned)below(subject, 100);

	if (share < subject->code)
		return return_address(subject);
	if (share < subject->code + subject->stacked)
		return stack_address(subject, slot < subject->words ? slot : 0);
	if (share < subject->code + subject->stacked + subject->small)
		return below(subject, 64);
	return noise(subject);
}

static void
lay_word(struct subject *subject, size_t slot, uint64_t value)
{
	if (slot < subject->words)
		subject->stack[slot] = value;
}

/* The places of a frame's link and return address, in words from its start. */
struct chain {
	size_t link, returns, shortest;
	bool in_caller;			/* the return address is in the caller's frame */
};

static struct chain
chain_of(const struct arch *arch)
{
	switch (arch->id) {
	case ARCH_PPC:
	case ARCH_PPC64:
		return (struct chain){ 0, 2, 3, true };
	case ARCH_SPARC32:
		return (struct chain){ 14, 15, 16, false };
	default:
		return (struct chain){ 0, 1, 2, false };
	}
}

/* A chain of frames as compilers make it, with a return address for each. */
static void
lay_chain(struct subject *subject, size_t slot)
{
	const unsigned word = subject->generator->arch->word_size;
	const struct chain chain = chain_of(subject->generator->arch);

	while (slot + 1 < subject->words) {
		size_t next = slot + chain.shortest + below(subject, 20);
		lay_word(subject, slot + chain.link, next < subject->words ? subject->base + next * word : 0);
		lay_word(subject, (chain.in_caller ? next : slot) + chain.returns, return_address(subject));
		slot = next;
	}
}

static void
lay_stack(struct subject *subject)
{
	const unsigned word = subject->generator->arch->word_size;
	bool small = subject->generator->kind->span != 0 && subject->generator->kind->span < 0x1000;
	uint64_t top = is_narrow(subject->generator) ? UINT64_C(0x100000000) : 0;

	subject->words = 24 + below(subject, small ? 72 : MOST_WORDS - 24);
	subject->base = is_narrow(subject->generator) ? 0xbf000000 : UINT64_C(0x7ffd00000000);
	subject->base += below(subject, 0x10000) * 16;
	if (chance_percent(&subject->chance, 3))
		subject->base = top - (subject->words - below(subject, 2)) * word;
	/* With few return addresses some scans reach their limit. */
	subject->code = chance_percent(&subject->chance, 25) ? 1 + (unsigned)below(subject, 3) : 5 + (unsigned)below(subject, 50);
	subject->stacked = (unsigned)below(subject, 40);
	subject->small = (unsigned)below(subject, 40);
	subject->sign = subject->generator->arch->id == ARCH_ARM64 && chance_percent(&subject->chance, 30);
	for (size_t i = 0; i < subject->words; i++)
		subject->stack[i] = any_word(subject, i);
}

static void
lay_registers(struct subject *subject, uint64_t registers[ARCH_REGISTERS])
{
	const struct arch *arch = subject->generator->arch;
	size_t sp = below(subject, subject->words / 6 + 1);
	size_t fp = sp + below(subject, 24);

	for (int i = 0; i < arch->register_count; i++)
		registers[i] = any_word(subject, sp);
	registers[arch->sp] = subject->base + sp * arch->word_size;
	if (chance_percent(&subject->chance, 3))
		registers[arch->sp] = any_word(subject, 0);
	registers[arch->pc] = chance_percent(&subject->chance, 95) ? code_address(subject) : any_word(subject, 0);
	if (chance_percent(&subject->chance, 75))
		registers[arch->fp] = subject->base + fp * arch->word_size;
	if (arch->id == ARCH_ARM && chance_percent(&subject->chance, 80))
		registers[7] = registers[arch->fp];
	if (arch->lr != ARCH_NO_REGISTER && chance_percent(&subject->chance, 70))
		registers[arch->lr] = return_address(subject);
	if (chain_of(arch).in_caller)
		fp = sp;
	if (chance_percent(&subject->chance, 40) && fp < subject->words)
		lay_chain(subject, fp);
}

static void
add_exception(struct subject *subject, uint32_t id, const uint64_t *registers)
{
	const struct generator *generator = subject->generator;
	const uint64_t pc = registers[generator->arch->pc];

	synth_exception(generator->synth, id, 11, 1, pc);
	synth_parameter(generator->synth, 1);
	synth_parameter(generator->synth, pc);
	synth_exception_registers(generator->synth, registers);
}

/* Streams that Breakpad ignores, with contents as from their writers. */
static void
add_mozilla(struct synth *synth)
{
	static const char limits[] = "Limit                     Soft Limit           Hard Limit           Units     \n"
				     "Max cpu time              unlimited            unlimited            seconds   \n";
	static const char errors[] = "[{\"InitErrors\":[{\"StopProcessFailed\":\"Stop\"}]}]";
	static const uint8_t crash_info[4 + 4 + 4 + 20 * 8] = { 1, 0, 0x7a, 0x4d };
	static const uint8_t boot_arguments[4 + 8] = { 2, 0, 0x7a, 0x4d };

	synth_stream(synth, 0x4d7a0001, crash_info, sizeof(crash_info));
	synth_stream(synth, 0x4d7a0002, boot_arguments, sizeof(boot_arguments));
	synth_stream(synth, 0x4d7a0003, limits, sizeof(limits) - 1);
	synth_stream(synth, 0x4d7a0004, errors, sizeof(errors) - 1);
}

static void
add_extras(struct subject *subject, uint32_t id, const uint64_t *registers, const uint8_t *bytes)
{
	const struct generator *generator = subject->generator;
	const unsigned extras = generator->kind->extras;
	char name[32];

	snprintf(name, sizeof(name), "worker %u", id);
	if (extras & THREAD_NAMES && id % 3 != 0)
		synth_thread_name(generator->synth, id, name);
	if (extras & WIDE_MEMORY)
		synth_memory(generator->synth, subject->base, bytes, subject->words * generator->arch->word_size, true);
	if (extras & EXCEPTION && (id == 1 || (extras & MORE_EXCEPTIONS && id < 4)))
		add_exception(subject, id, registers);
	if (extras & MOZILLA && id == 1)
		add_mozilla(generator->synth);
}

static void
add_case(struct generator *generator, uint64_t number)
{
	const unsigned word = generator->arch->word_size;
	struct subject subject = { .generator = generator, .chance = chance_of(generator->seed, number) };
	const bool big = (generator->kind->extras & BIG_ENDIAN_DUMP) != 0;
	uint64_t registers[ARCH_REGISTERS] = { 0 };
	uint8_t bytes[MOST_WORDS * 8];

	lay_stack(&subject);
	lay_registers(&subject, registers);
	for (size_t i = 0; i < subject.words; i++)
		for (unsigned j = 0; j < word; j++)
			bytes[i * word + j] = (uint8_t)(subject.stack[i] >> 8 * (big ? word - 1 - j : j));
	synth_thread(generator->synth, (uint32_t)number + 1, registers, subject.base, bytes, subject.words * word);
	add_extras(&subject, (uint32_t)number + 1, registers, bytes);
}

static int
list_kinds(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++)
		printf("%s %s\n", kinds[i].name, kinds[i].symbols != NULL ? kinds[i].symbols : "-");
	return 0;
}

static const struct kind *
kind_named(const char *name)
{
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++)
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	die("there is no kind", name);
	return NULL;
}

int
main(int argc, char **argv)
{
	if (argc == 1)
		return list_kinds();
	if (argc != 7)
		die("wants KIND SEED FIRST COUNT DUMP SYMBOLS, not", argv[1]);
	const struct kind *kind = kind_named(argv[1]);
	struct generator generator = { .kind = kind, .arch = arch_by_id(kind->arch), .symbols = argv[6],
				       .synth = synth_create(kind->arch, kind->os, kind->extras & BIG_ENDIAN_DUMP) };
	struct chance chance = chance_of(strtoull(argv[2], NULL, 0), (uint64_t)(kind - kinds));
	const uint64_t count = strtoull(argv[4], NULL, 0);

	synth_style(generator.synth)->old_arm64 = (kind->extras & OLD_CONTEXTS) != 0;
	synth_style(generator.synth)->crashpad_mips64 = (kind->extras & OLD_CONTEXTS) != 0;
	generator.seed = chance_next(&chance);
	place_modules(&generator);
	for (const char *list = argv[3]; list != NULL; list = strchr(list, ',')) {
		list += list > argv[3];
		const uint64_t first = strtoull(list, NULL, 0);

		for (uint64_t i = 0; i < count; i++)
			add_case(&generator, first + i);
	}
	bool good = synth_write(generator.synth, argv[5]);
	synth_free(generator.synth);
	for (size_t i = 0; i < generator.module_count; i++) {
		free(generator.modules[i].stack.list);
		free(generator.modules[i].named.list);
	}
	return good ? 0 : 2;
}
