/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * make-stacks FOLDER FRAMES MODULES FUNCTIONS [CYCLE [THREADS]]: dumps with a deep stack.
 *
 * FOLDER/deep.dmp has FRAMES frames in turn in each of MODULES modules, which have symbol files of FUNCTIONS functions under
 * FOLDER/symbols. FOLDER/short.dmp has 2 frames in each, with the same files, so that the two walks differ by the cost of
 * frames alone. STACK CFI finds all frames. With CYCLE this number of frames repeats, as in a recursion; without it, or if it
 * is 0, any function may call any other. The other threads, of THREADS in all (1), have OTHER_FRAMES each. amd64, Linux.
 */
#include <string.h>
#include <sys/stat.h>

#include "tests/bench/bench.h"
#include "tests/bench/invented.h"
#include "tests/differential/chance.h"
#include "tests/lib/bytes.h"
#include "tests/lib/synth.h"

#define CODE 0x550000000000u
#define APART 0x1000000u
#define STACK 0x7ffc00000000u
#define STACKS_APART 0x100000u
#define OTHER_FRAMES 12u
#define MODULES_MOST 1000u
#define NAME_SIZE 24
#define ID_SIZE 48

struct scene {
	const char *folder;
	uint32_t frames, modules, functions, cycle, threads;
	struct invented_function *code;	/* of all modules, one after the other */
};

/* The pc of a frame and its function. */
struct place_in_code {
	const struct invented_function *function;
	uint64_t pc;
};

static void
name_module(char name[NAME_SIZE], char id[ID_SIZE], uint32_t module)
{
	snprintf(name, NAME_SIZE, "libdeep%u.so", module);
	snprintf(id, ID_SIZE, "%032X0", 0xdee9000u + module);
}

static void
make_folder(const char *path)
{
	if (mkdir(path, 0777) != 0) {
		struct stat status;
		if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode))
			give_up(path);
	}
}

static void
write_symbols(struct scene *scene, uint32_t module)
{
	char name[NAME_SIZE], id[ID_SIZE], path[4200], head[128];
	int length = snprintf(path, 4096, "%s/symbols", scene->folder);

	name_module(name, id, module);
	make_folder(path);
	length += snprintf(path + length, sizeof(path) - (size_t)length, "/%s", name);
	make_folder(path);
	length += snprintf(path + length, sizeof(path) - (size_t)length, "/%s", id);
	make_folder(path);
	snprintf(path + length, sizeof(path) - (size_t)length, "/%s.sym", name);
	struct invented *invented = invented_create(path, module + 1, scene->functions, 0x1000);
	snprintf(head, sizeof(head), "MODULE Linux x86_64 %s %s\n", id, name);
	invented_put(invented, head, strlen(head));
	invented_files(invented);
	invented_origins(invented);
	invented_functions(invented, 0, scene->functions);
	invented_publics(invented);
	invented_stack(invented, 0, scene->functions);
	for (uint32_t i = 0; i < scene->functions; i++)
		scene->code[module * scene->functions + i] = invented_function(invented, i);
	invented_finish(invented);
}

static struct place_in_code
frame_place(const struct scene *scene, uint32_t frame)
{
	uint32_t turn = scene->cycle != 0 ? frame % scene->cycle : frame;
	uint32_t module = turn % scene->modules, number;
	struct chance chance = { .state = (uint64_t)turn << 20 };
	const uint64_t any = chance_next(&chance);

	/* Four of a hundred functions have no STACK CFI; they are not called. */
	number = (uint32_t)(any % scene->functions);
	if (number % 100 < 4)
		number = (number + 4) % scene->functions < 100 ? 4 : number - number % 100 + 4;
	const struct invented_function *function = &scene->code[module * scene->functions + number];
	uint64_t pc = function->body + 1 + (any >> 32) % (function->body_end - function->body);

	return (struct place_in_code){ function, CODE + (uint64_t)module * APART + pc };
}

/* Add a thread whose stack has this many frames from `first` on; the last one returns to 0. */
static void
add_thread(const struct scene *scene, struct synth *synth, uint32_t thread, uint32_t first,
	   uint32_t frames, uint64_t registers[ARCH_REGISTERS])
{
	const struct arch *arch = arch_by_id(ARCH_AMD64);
	size_t at = 0, size = 64;

	for (uint32_t i = first; i < first + frames; i++)
		size += frame_place(scene, i).function->frame;
	uint8_t *stack = calloc(1, size);
	if (stack == NULL)
		give_up(scene->folder);
	for (uint32_t i = first; i < first + frames; i++) {
		at += frame_place(scene, i).function->frame;
		put_le(stack + at - 8, i + 1 < first + frames ? frame_place(scene, i + 1).pc : 0, 8);
	}
	registers[arch->pc] = frame_place(scene, first).pc;
	registers[arch->sp] = STACK - (uint64_t)(thread - 1) * STACKS_APART;
	synth_thread(synth, thread, registers, registers[arch->sp], stack, size);
	free(stack);
}

static void
write_dump(const struct scene *scene, const char *name, uint32_t frames)
{
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_LINUX, false);
	uint64_t registers[ARCH_REGISTERS] = { 0 }, others[ARCH_REGISTERS] = { 0 };
	char path[4200], module[NAME_SIZE], id[ID_SIZE];

	for (uint32_t i = 0; i < scene->modules; i++) {
		const struct invented_function *last = &scene->code[(i + 1) * scene->functions - 1];
		name_module(module, id, i);
		snprintf(path, sizeof(path), "/usr/lib/%s", module);
		synth_module(synth, CODE + (uint64_t)i * APART, (last->address + last->size + 0xfffu) & ~0xfffu, path, module, id);
	}
	add_thread(scene, synth, 1, 0, frames, registers);
	for (uint32_t thread = 2; thread <= scene->threads; thread++)
		add_thread(scene, synth, thread, thread * OTHER_FRAMES, OTHER_FRAMES, others);
	synth_exception(synth, 1, 11, 1, registers[arch_by_id(ARCH_AMD64)->pc]);
	synth_exception_registers(synth, registers);
	snprintf(path, sizeof(path), "%s/%s.dmp", scene->folder, name);
	if (!synth_write(synth, path))
		give_up(path);
	synth_free(synth);
}

static uint32_t
number_of(const char *text, uint32_t most)
{
	unsigned long number = strtoul(text, NULL, 10);

	return number > most ? most : (uint32_t)number;
}

int
main(int argc, char **argv)
{
	struct scene scene = { 0 };

	if (argc >= 5 && argc <= 7) {
		scene.folder = argv[1];
		scene.frames = number_of(argv[2], 1u << 20);
		scene.modules = number_of(argv[3], MODULES_MOST);
		scene.functions = number_of(argv[4], scene.modules == 1 ? 1u << 20 : APART / 0x1000);
		scene.cycle = argc > 5 ? number_of(argv[5], 1u << 20) : 0;
		scene.threads = argc > 6 ? number_of(argv[6], 1u << 16) : 1;
	}
	if (scene.frames == 0 || scene.modules == 0 || scene.functions < 100) {
		fprintf(stderr, "usage: make-stacks FOLDER FRAMES MODULES FUNCTIONS [CYCLE [THREADS]]\n"
			"FUNCTIONS is at least 100\n");
		return 2;
	}
	scene.code = calloc((size_t)scene.modules * scene.functions, sizeof(*scene.code));
	if (scene.code == NULL)
		give_up(scene.folder);
	make_folder(scene.folder);
	for (uint32_t i = 0; i < scene.modules; i++)
		write_symbols(&scene, i);
	write_dump(&scene, "deep", scene.frames);
	write_dump(&scene, "short", 2 * scene.modules);
	free(scene.code);
	return 0;
}
