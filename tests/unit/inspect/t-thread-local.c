/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Thread-local variables of a process with glibc: a core of amd64 in which the structures of the C library and of the dynamic linker
 * are written by hand ("ELF Handling For Thread-Local Storage", 3.1 and 3.4.6; nptl_db/structs.def; link.h).
 */
#include "report/value/value_text.h"
#include "tests/lib/corefile.h"
#include "tests/unit/inspect/made_types.h"

#define PROGRAM 0x400000u
#define LIBRARY 0x410000u
#define LIBC 0x420000u
#define LINKER 0x430000u
#define HEAP 0x500000u

/* The modules, and the variable 16 bytes after the beginning of a module's data. */
#define CODE(function) function "|-1000+20|57", "t|!08109b|int", "int|i4"
static const struct {
	const char *name;
	uint64_t base;
	const char *rows[6];
} modules[] = {
	{ "app", PROGRAM, { CODE("main") } }, { "libdata.so", LIBRARY, { CODE("leaf") } },
	{ "libc.so.6", LIBC, { CODE("exit"), "_thread_db_link_map_l_tls_modid|%2000", "_thread_db_pthread_dtvp|%2010" } },
	{ "ld-linux-x86-64.so.2", LINKER, { CODE("start"), "_r_debug|%2000" } },
};

/* A descriptor has the bits of a member, the number of its elements and its offset. */
static const char structures[] =
	/* The descriptors: l_tls_modid is at 448 of a link_map, dtvp at 8 of a thread's block */
	"422000=100000040 422008=448 422010=100000040 422018=8 "
	/* The list of link_maps, app and the library; the library's number is 2 */
	"432000=1 432008=500000 500000=400000 500018=500600 500600=410000 500618=0 500a48=2 "
	/* The thread's block and its vector of 5 elements: 2 is the library's data */
	"501000=501000 501008=502010 502000=5 502030=503000 503010=4d "
	/* The end of app's data */
	"500ff0=4e 500ff8=4f";

#define NOT_KNOWN "thread-local data of a library: its place is not known"
#define NO_DATA "thread-local: this thread has no data of the library yet"
#define CASE(memory_, shown_) .memory = memory_, .shown = shown_
#define PROGRAM_DATA(size, alignment) .target = { .machine = 62, .word = 8, .tls_size = size, .tls_alignment = alignment }
static const struct {
	const char *memory, *shown;
	const char *without;		/* the name of a module whose file is not found */
	struct made_target target;	/* app's; if the machine is not 0, app's data are read */
	uint64_t pointer;		/* the thread pointer; 0: that of the structures, 1: none */
} cases[] = {
	{ CASE("", "77") }, { CASE("502000=2", "77") }, { CASE("502000=1", NO_DATA) }, { CASE("502030=0", NO_DATA) },
	{ CASE("502030=ffffffffffffffff", NO_DATA) }, { CASE("502030=ffffffff", "<its memory is not in the dump>") },
	{ CASE("500a48=0", NOT_KNOWN) }, { CASE("500a48=2000", NO_DATA) }, { CASE("502000=ffffffff 500a48=100000", NOT_KNOWN) },
	/* A number of 4 bytes, and one of a size that no member has */
	{ CASE("422000=100000020 500a48=ffffffff00000002", "77") }, { CASE("422000=100000010", NOT_KNOWN) },
	{ CASE("422000=100000080", NOT_KNOWN) }, { CASE("422010=100000020 501008=ffffffff00502010", "77") },
	{ CASE("422018=10 501010=502010 501008=0", "77") }, { CASE("422008=450 500a50=2 500a48=0", "77") },
	{ CASE("422008=10000000", NOT_KNOWN) },
	/* The list ends without the library, or does not end, or leads out of memory */
	{ CASE("500600=410001", NOT_KNOWN) }, { CASE("500600=410001 500618=500000", NOT_KNOWN) }, { CASE("432008=0", NOT_KNOWN) },
	{ CASE("432008=8", NOT_KNOWN) }, { CASE("500018=0", NOT_KNOWN) }, { CASE("500018=8", NOT_KNOWN) }, { CASE("432008=500600", "77") },
	{ CASE("501008=0", NOT_KNOWN) }, { CASE("501008=8", NOT_KNOWN) },
	{ CASE("", NOT_KNOWN), .without = "libc.so.6" }, { CASE("", NOT_KNOWN), .without = "ld-linux-x86-64.so.2" },
	{ CASE("", "thread-local: the dump does not have the thread pointer"), .pointer = 1 }, { CASE("", NOT_KNOWN), .pointer = 8 },
	/* The data of app end at the thread pointer, with their alignment */
	{ CASE("", "78"), PROGRAM_DATA(0x18, 16) }, { CASE("", "79"), PROGRAM_DATA(0x18, 1) },
	{ CASE("", "79"), PROGRAM_DATA(0x18, 0) }, { CASE("", "79"), PROGRAM_DATA(0x17, 2) }, { CASE("", "79"), PROGRAM_DATA(0x18, 8) },
	{ CASE("", "78"), PROGRAM_DATA(0x20, 32) }, { CASE("", "78"), PROGRAM_DATA(0x19, 8) },
	{ CASE("", "thread-local: the alignment in the program's file is invalid"), PROGRAM_DATA(0x18, 12) },
	{ CASE("", "thread-local: the program's file does not give the size of these data"), PROGRAM_DATA(0, 0) },
	{ CASE("", "thread-local: the program's file does not give the size of these data"), PROGRAM_DATA(UINT64_C(1) << 32, 8) },
	{ CASE("", "thread-local: the alignment in the program's file is invalid"), PROGRAM_DATA(0x18, UINT64_C(1) << 32) },
};

static uint8_t images[4][0x3000], heap[0x4000];
static struct corefile core;

/* Put words "ADDRESS=VALUE ..." into the memory of the modules and the heap. */
static void
put_words(const char *words)
{
	uint64_t address, value;
	int length;

	for (; sscanf(words, "%" SCNx64 "=%" SCNx64 " %n", &address, &value, &length) == 2; words += length)
		corefile_put(&core, address >= HEAP ? heap : images[(address - PROGRAM) >> 16], address & 0xffff, 8, value);
}

static void
make_core(uint64_t pc, uint64_t pointer)
{
	uint8_t status[336] = { 0 }, files[512] = { 0 };
	size_t names = 16 + 24 * 4;

	corefile_put(&core, status, 12, 2, 11);
	corefile_put(&core, status, 32, 4, 77);
	corefile_put(&core, status, 112 + 16 * 8, 8, pc);
	corefile_put(&core, status, 112 + 19 * 8, 8, HEAP + 0x3800);
	corefile_put(&core, status, 112 + 21 * 8, 8, pointer);
	corefile_note(&core, "CORE", 1, status, sizeof(status));
	corefile_put(&core, files, 0, 8, 4);
	corefile_put(&core, files, 8, 8, 0x1000);
	for (size_t i = 0; i < 4; i++) {
		corefile_put(&core, files, 16 + 24 * i, 8, modules[i].base);
		corefile_put(&core, files, 24 + 24 * i, 8, modules[i].base + sizeof(images[i]));
		names += (size_t)snprintf((char *)files + names, sizeof(files) - names, "/lib/%s", modules[i].name) + 1;
		corefile_memory(&core, modules[i].base, sizeof(images[i]), 5, images[i], sizeof(images[i]));
	}
	corefile_note(&core, "CORE", 0x46494c45, files, names);
	corefile_memory(&core, HEAP, sizeof(heap), 6, heap, sizeof(heap));
	corefile_finish(&core);
}

TEST_EACH(variable, cases)
{
	const struct policy policy = policy_column(POLICY_UNSPOOL);
	const bool in_app = cases[i].target.machine != 0;
	struct staged staged = { .walk = NULL };
	struct arena arena = { 0 };
	struct variable_value value = { .how = NULL };
	struct error error = { 0 };

	scene_enter_folder();
	core = (struct corefile){ .machine = 62, .wide = true };
	memset(heap, 0, sizeof(heap));
	for (size_t j = 0; j < 4; j++) {
		struct made_target target = j == 0 && in_app ? cases[i].target : (struct made_target){ .machine = 62, .word = 8 };
		const char *path = arena_format(&arena, "nothing/%s", modules[j].name);

		target.id = (uint8_t)(0x21 + j);
		made_write_for(path, modules[j].rows, target);
		FILE *file = fopen(path, "rb");
		if (file == NULL || fread(images[j], 1, sizeof(images[j]), file) != sizeof(images[j]))
			exit(1);
		fclose(file);
		if (cases[i].without != NULL && strcmp(cases[i].without, modules[j].name) == 0)
			unlink(path);
	}
	put_words(structures);
	put_words(cases[i].memory);
	make_core((in_app ? PROGRAM : LIBRARY) + 0x1010, cases[i].pointer == 0 ? 0x501000 : cases[i].pointer & ~UINT64_C(1));
	if (dump_from_memory(&staged.crash, "core", core.bytes, core.size, 0, &error) != ERROR_NONE)
		exit(1);
	staged.symbols = symbols_create(staged.crash.modules, staged.crash.module_count, (const char *const[]){ "nothing" }, 1);
	staged.binaries = binaries_create(&staged.crash, (const char *const[]){ "nothing" }, 1);
	staged.walk = walk_create(&staged.crash, staged.symbols, staged.binaries, 0, &policy);
	struct value_frame *frame = frame_variables_of(staged.walk, &staged.walk->memory, 0, &arena);
	ok(frame->why == NULL && variable_value_of(frame, &frame->scopes.items[0].variables[0], &arena, &value), "%zu: a variable", i);
	const struct evaluated text = evaluated_of(&value, &arena);
	is_text(text.absent != NULL ? text.absent : text.value, cases[i].shown, "case %zu, %s: its value", i, cases[i].memory);
	for (size_t j = 0; j < 4; j++)
		unlink(arena_format(&arena, "nothing/%s", modules[j].name));
	arena_free(&arena);
	scene_close(&staged);
}
