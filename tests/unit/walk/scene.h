/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Crashes made to order, walked, and the frames as text.
 *
 * A scene describes in a few lines where a thread is, the contents of its stack and the symbols of
 * its modules:
 *
 *	static const struct scene scene =
 *		SCENE(AMD64, LINUX, "rip=401010 rsp=8000", "8000=401fcf", APP("FUNC 1000 20 0 f\n"));
 */
#ifndef TESTS_UNIT_WALK_SCENE_H
#define TESTS_UNIT_WALK_SCENE_H

#include <config.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/analysis.h"
#include "base/policy_rows.h"
#include "dump/dump.h"
#include "report/step/explain.h"
#include "tests/lib/synth.h"
#include "tests/lib/tap.h"
#include "walk/location.h"
#include "walk/walk.h"

#define SCENE_MODULES 4

struct scene_module {
	uint64_t base;
	uint32_t size;
	const char *name;
	const char *symbols;		/* records after MODULE; NULL: no symbol file */
};

struct scene {
	enum arch_id arch;
	enum crash_os os;
	const char *registers;		/* "rip=401010 rsp=8000": hexadecimal; others are 0 */
	uint64_t stack;			/* address of the stack's bytes; 0: no stack */
	uint32_t stack_size;		/* bytes; 0: 0x1000 */
	const char *memory;		/* "8000=401fcf 8008=1": words of the stack; others are 0 */
	struct scene_module modules[SCENE_MODULES];
	void (*more)(struct synth *synth);
	bool no_symbols;		/* no symbol directory at all */
	/* A folder of the tree with the modules' own files; "": a folder without any, so that
	 * code and sections come from the dump's memory; NULL: no search for files. */
	const char *binaries;
};

/** The modules of a scene that has one, with these symbols. */
#define APP(symbols) { { 0x400000, 0x4000, "app", symbols } }

/** A scene with a stack at 8000; its modules and further members follow. */
#define SCENE(arch_, os_, registers_, memory_, ...) \
	{ ARCH_##arch_, CRASH_OS_##os_, .registers = registers_, .stack = 0x8000, .memory = memory_, .modules = __VA_ARGS__ }

/** A scene whose module has no symbols. */
#define BARE(arch_, os_, registers_, memory_) SCENE(arch_, os_, registers_, memory_, APP(NULL))

/** Scenes of amd64 that stopped in the app, with the given modules or without symbols. */
#define STOPPED_IN(memory_, ...) SCENE(AMD64, LINUX, "rip=402170 rsp=8000", memory_, __VA_ARGS__)
#define STOPPED(memory_) STOPPED_IN(memory_, APP(NULL))
/** The frame of such a thread. */
#define CTX "ctx 402170 8000"

/** An opened scene and all data that a walk of it needs. */
struct staged {
	const struct scene *scene;
	bool big_endian;
	struct crash crash;
	uint8_t *bytes;
	char paths[SCENE_MODULES][64];
	const char *path_list[SCENE_MODULES];
	size_t path_count;
	struct symbols *symbols;
	struct binaries *binaries;
	struct walk *walk;
	char frames[4096];	/* TRUST PC SP of each frame; "?": it may pass over callers */
};

/** "90: sentence; evidence; evidence" */
static inline const char *
finding_text(const struct finding *finding, char *buffer, size_t size)
{
	size_t used = (size_t)snprintf(buffer, size, "%u: %s", finding->confidence, finding->text);

	for (size_t i = 0; i < finding->evidence_count; i++)
		used += (size_t)snprintf(buffer + used, size - used, "; %s", finding->evidence[i]);
	return buffer;
}

/** The last finding of either kind, as finding_text writes it, or "". */
static inline const char *
scene_finding(struct staged *staged, enum finding_kind kind, enum finding_kind other, char *buffer, size_t size)
{
	struct analysis *analysis = analysis_create(&staged->crash, staged->walk, staged->binaries, NULL);

	buffer[0] = '\0';
	for (size_t i = 0; i < analysis->finding_count; i++)
		if (analysis->findings[i].kind == kind || analysis->findings[i].kind == other)
			finding_text(&analysis->findings[i], buffer, size);
	analysis_free(analysis);
	return buffer;
}

/* The tree; a folder for symbol files, removed at the end; the first working directory. */
static char scene_tree[1000];
static char scene_folder[] = "/tmp/unspool-scene.XXXXXX";
static char scene_nothing[] = "nothing";	/* an empty folder in scene_folder */
static int scene_before = -1;

static inline void
scene_leave_folder(void)
{
	if (rmdir(scene_nothing) != 0 || fchdir(scene_before) != 0 || rmdir(scene_folder) != 0)
		tap_diag("cannot remove '%s'", scene_folder);
	close(scene_before);
	scene_before = -1;
}

static inline void
scene_enter_folder(void)
{
	const char *srcdir = getenv("srcdir");

	if (scene_before >= 0)
		return;
	char *tree = realpath(srcdir != NULL ? srcdir : ".", NULL);
	snprintf(scene_tree, sizeof(scene_tree), "%s", tree != NULL ? tree : ".");
	free(tree);
	scene_before = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (scene_before < 0 || mkdtemp(scene_folder) == NULL || chdir(scene_folder) != 0 || mkdir(scene_nothing, 0700) != 0) {
		tap_diag("cannot make a folder in /tmp");
		exit(1);
	}
	atexit(scene_leave_folder);
}

/** Call `take` for each "name=value" of a list. */
static inline void
scene_pairs(const char *list, void (*take)(void *context, const char *name, uint64_t value), void *context)
{
	char name[32];
	uint64_t value;
	int length;

	while (list != NULL && sscanf(list, " %31[^= ]=%" SCNx64 "%n", name, &value, &length) == 2) {
		take(context, name, value);
		list += length;
	}
	if (list != NULL && list[strspn(list, " ")] != '\0')
		tap_diag("a scene's list ends at '%s'", list);
}

struct scene_registers {
	const struct arch *arch;
	uint64_t *values;
};

static inline void
scene_take_register(void *context, const char *name, uint64_t value)
{
	const struct scene_registers *registers = context;
	int reg = arch_register(registers->arch, text_of(name), ARCH_NAMES_ALIASES);

	if (reg < 0)
		tap_diag("a scene has no register '%s'", name);
	else
		registers->values[reg] = value;
}

struct scene_memory {
	uint64_t base;
	uint32_t size;
	unsigned word;
	bool big_endian;
	uint8_t *bytes;
};

static inline void
scene_take_word(void *context, const char *name, uint64_t value)
{
	const struct scene_memory *memory = context;
	uint64_t at = strtoull(name, NULL, 16) - memory->base;

	if (at >= memory->size)
		tap_diag("a scene's stack has no word at %s", name);
	for (unsigned i = 0; i < memory->word && at + i < memory->size; i++)
		memory->bytes[at + i] = (uint8_t)(value >> 8 * (memory->big_endian ? memory->word - 1 - i : i));
}

/** Add the thread of a scene to `synth`. */
static inline void
scene_thread(const struct scene *scene, struct synth *synth, bool big_endian)
{
	uint64_t registers[ARCH_REGISTERS] = { 0 };
	const struct arch *arch = arch_by_id(scene->arch);
	struct scene_memory memory = { scene->stack, scene->stack_size != 0 ? scene->stack_size : 0x1000,
				       arch->word_size, big_endian, NULL };

	memory.bytes = calloc(1, memory.size);
	scene_pairs(scene->registers, scene_take_register, &(struct scene_registers){ arch, registers });
	scene_pairs(scene->memory, scene_take_word, &memory);
	synth_thread(synth, 1, registers, scene->stack, scene->stack != 0 ? memory.bytes : NULL, scene->stack != 0 ? memory.size : 0);
	free(memory.bytes);
}

/* The id of module `index`. */
static inline const char *
scene_id(size_t index)
{
	static const char *const ids[SCENE_MODULES] = {
		"11111111111111111111111111111111" "1", "22222222222222222222222222222222" "1",
		"33333333333333333333333333333333" "1", "44444444444444444444444444444444" "1",
	};

	return ids[index];
}

static inline void
scene_symbols(struct staged *staged, const struct scene_module *module, size_t index)
{
	char *path = staged->paths[staged->path_count];
	int file = -1;

	/* The first free name, equal in every run, because explanations contain it. */
	scene_enter_folder();
	for (unsigned i = 0; file < 0 && i < 100; i++) {
		snprintf(path, sizeof(staged->paths[0]), "scene-%u.sym", i);
		file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	}
	if (file < 0 || dprintf(file, "MODULE any any %s %s\n%s", scene_id(index), module->name, module->symbols) < 0) {
		tap_diag("cannot write '%s'", path);
		exit(1);
	}
	close(file);
	staged->path_list[staged->path_count++] = path;
}

/* The search for the modules' own files, or NULL. */
static inline struct binaries *
scene_binaries(const struct scene *scene, const struct crash *crash)
{
	char path[1200];
	const char *folders[] = { path };

	if (scene->binaries == NULL)
		return NULL;
	scene_enter_folder();
	if (scene->binaries[0] == '\0')
		folders[0] = scene_nothing;
	snprintf(path, sizeof(path), "%s/%s", scene_tree, scene->binaries);
	return binaries_create(crash, folders, 1);
}

/** Make the crash in either byte order, its symbols, and the search for its modules' files. */
static inline void
scene_open_ordered(struct staged *staged, const struct scene *scene, bool big_endian)
{
	struct synth *synth = synth_create(scene->arch, scene->os, big_endian);
	struct error error = { 0 };
	size_t size;

	*staged = (struct staged){ .scene = scene, .big_endian = big_endian };
	synth_style(synth)->elf_ids = false;
	for (size_t i = 0; i < SCENE_MODULES && scene->modules[i].name != NULL; i++) {
		const struct scene_module *module = &scene->modules[i];
		synth_module(synth, module->base, module->size, module->name, module->name, scene_id(i));
		if (module->symbols != NULL)
			scene_symbols(staged, module, i);
	}
	scene_thread(scene, synth, big_endian);
	if (scene->more != NULL)
		scene->more(synth);
	staged->bytes = synth_finish(synth, &size);
	synth_free(synth);
	if (dump_from_memory(&staged->crash, "scene.dmp", staged->bytes, size, 0, &error) != ERROR_NONE) {
		tap_diag("cannot open the scene: %s", error.text);
		exit(1);
	}
	if (staged->path_count == 0 && !scene->no_symbols) {
		scene_enter_folder();
		staged->path_list[staged->path_count++] = scene_nothing;
	}
	staged->symbols = symbols_create(staged->crash.modules, staged->crash.module_count, staged->path_list, staged->path_count);
	staged->binaries = scene_binaries(scene, &staged->crash);
}

static inline void
scene_open(struct staged *staged, const struct scene *scene)
{
	scene_open_ordered(staged, scene, false);
}

static inline void
scene_close(struct staged *staged)
{
	walk_free(staged->walk);
	symbols_free(staged->symbols);
	binaries_free(staged->binaries);
	crash_free(&staged->crash);
	free(staged->bytes);
	for (size_t i = 0; i < staged->path_count; i++)
		if (staged->path_list[i] == staged->paths[i])
			unlink(staged->path_list[i]);
}

/* The bytes of a stack that a walk read. */
struct scene_reads {
	struct memory_log log;
	const struct memory_region *stack;
	bool *read;
};

static inline void
scene_note_read(struct memory_log *log, uint64_t address, uint64_t size, enum memory_use use)
{
	struct scene_reads *reads = (struct scene_reads *)log;

	for (uint64_t i = 0; i < size && use == MEMORY_READ; i++)
		if (address + i - reads->stack->base < reads->stack->available)
			reads->read[address + i - reads->stack->base] = true;
}

/** A log that finds a read of exactly these bytes. */
struct scene_noted {
	struct memory_log log;
	uint64_t address, size;
	bool found;
};

static inline void
scene_find_read(struct memory_log *log, uint64_t address, uint64_t size, enum memory_use use)
{
	struct scene_noted *noted = (struct scene_noted *)log;

	noted->found |= use == MEMORY_READ && address == noted->address && size == noted->size;
}

static inline void
scene_frames(const struct walk *walk, char *text, size_t size)
{
	size_t length = 0;

	text[0] = '\0';
	for (size_t i = 0; i < walk->count && length < size; i++)
		length += (size_t)snprintf(text + length, size - length, "%s %" PRIx64 " %" PRIx64
					   ", ", trust_table[walk->frames[i].trust].tag,
					   walk->frames[i].registers.value[walk->arch->pc],
					   walk->frames[i].registers.value[walk->arch->sp]);
	if (length < size)
		snprintf(text + length, size - length, "%s", walk->end.text);
}

/* A walk notes its reads: it finds the same frames if every other byte of the stack is 0, as in a sanitized dump. */
static inline void
scene_check_reads(struct staged *staged, const struct policy *policy, size_t limit)
{
	struct crash *crash = &staged->crash;
	struct scene_reads reads = { .log = { scene_note_read }, .stack = crash->threads[0].stack };
	char before[4096], after[4096];

	/* A 0 looks like a return address if a module ends with the last address. */
	for (size_t i = 0; i < crash->module_count; i++)
		if (crash->modules[i].base + crash->modules[i].size > UINT32_MAX && crash->system.arch->word_size == 4)
			return;
	if (reads.stack == NULL)
		return;
	reads.read = calloc((size_t)reads.stack->available + 1, sizeof(bool));
	uint8_t *bytes = (uint8_t *)(uintptr_t)reads.stack->data;
	uint8_t *whole = malloc((size_t)reads.stack->available + 1);
	memcpy(whole, bytes, (size_t)reads.stack->available);
	crash->log = &reads.log;
	struct walk *walk = walk_create(crash, staged->symbols, staged->binaries, 0, policy);
	walk_run(walk, limit);
	scene_frames(walk, before, sizeof(before));
	walk_free(walk);
	crash->log = NULL;
	for (uint64_t i = 0; i < reads.stack->available; i++)
		if (!reads.read[i])
			bytes[i] = 0;
	walk = walk_create(crash, staged->symbols, staged->binaries, 0, policy);
	walk_run(walk, limit);
	scene_frames(walk, after, sizeof(after));
	walk_free(walk);
	memcpy(bytes, whole, (size_t)reads.stack->available);
	is_str(after, before, "the walk notes what it reads");
	free(whole);
	free(reads.read);
}

/* Whether each frame's module, if there is one, contains the address that was looked up. */
static inline bool
scene_modules_fit(const struct walk *walk)
{
	for (size_t i = 0; i < walk->count; i++) {
		const struct frame *frame = &walk->frames[i];
		const struct module *module = frame->module == MODULE_NONE ? NULL : &walk->crash->modules[frame->module];

		if (module != NULL && frame->lookup - module->base >= module->size)
			return false;
	}
	return true;
}

static inline char *
scene_explained_of(struct walk *walk, size_t frame);

/* Whether the explanation of each step has the caller's address, that of the last one the end. */
static inline bool
scene_explains(struct walk *walk)
{
	const struct arch *arch = walk->arch;
	char wanted[40];
	bool all = true;

	for (size_t i = 0; i < walk->count && i < 8; i++) {
		char *text = scene_explained_of(walk, i);
		if (i + 1 < walk->count) {
			snprintf(wanted, sizeof(wanted), "%0*" PRIx64, (int)arch->word_size * 2,
				 walk->frames[i + 1].registers.value[arch->pc]);
			all = all && strstr(text, wanted) != NULL;
		} else if (walk->complete) {
			all = all && strstr(text, walk->end.text) != NULL;
		}
		free(text);
	}
	return all;
}

/* Whether all stack pointers are aligned: other words differ with the order of their bytes. */
static inline bool
scene_is_aligned(const struct walk *walk)
{
	for (size_t i = 0; i < walk->count; i++)
		if (walk->frames[i].registers.value[walk->arch->sp] % walk->arch->word_size != 0)
			return false;
	return true;
}

/* Properties of each walk: frames that are asked for one at a time are the same, as are those of a scene in the other byte order. */
static inline void
scene_check_walks(const struct staged *staged, const struct policy *policy, size_t limit)
{
	char whole[4096], other[4096];
	struct walk *walk = walk_create(&staged->crash, staged->symbols, staged->binaries, 0, policy);

	walk_run(walk, limit);
	scene_frames(walk, whole, sizeof(whole));
	ok(scene_modules_fit(walk), "modules of frames contain them");
	ok(scene_explains(walk), "explanations have the result of their step");
	const bool aligned = scene_is_aligned(walk);
	walk_free(walk);
	walk = walk_create(&staged->crash, staged->symbols, staged->binaries, 0, policy);
	for (size_t i = 1; !walk->complete && (limit == 0 || i <= limit); i++)
		walk_run(walk, i);
	scene_frames(walk, other, sizeof(other));
	is_str(other, whole, "a walk in steps has the frames of the whole walk");
	walk_free(walk);
	if (staged->scene == NULL || staged->scene->more != NULL || staged->big_endian || !aligned)
		return;
	struct staged big;
	scene_open_ordered(&big, staged->scene, true);
	walk = walk_create(&big.crash, big.symbols, big.binaries, 0, policy);
	walk_run(walk, limit);
	scene_frames(walk, other, sizeof(other));
	is_str(other, whole, "a big-endian crash has the same frames");
	walk_free(walk);
	scene_close(&big);
}

/** Walk thread 0, at most `limit` frames (0: all), and write "trust pc sp, trust pc sp". */
static inline void
scene_walk_limited(struct staged *staged, const struct policy *policy, size_t limit)
{
	const struct arch *arch = staged->crash.system.arch;
	size_t length = 0;

	walk_free(staged->walk);
	staged->walk = walk_create(&staged->crash, staged->symbols, staged->binaries, 0, policy);
	walk_run(staged->walk, limit);
	staged->frames[0] = '\0';
	for (size_t i = 0; i < staged->walk->count && length < sizeof(staged->frames); i++) {
		const struct frame *frame = &staged->walk->frames[i];
		length += (size_t)snprintf(staged->frames + length, sizeof(staged->frames) - length,
					   "%s%s%s %" PRIx64 " %" PRIx64, i > 0 ? ", " : "",
					   trust_table[frame->trust].tag, frame->doubtful ? "?" : "",
					   frame->registers.value[arch->pc], frame->registers.value[arch->sp]);
	}
	scene_check_reads(staged, policy, limit);
	scene_check_walks(staged, policy, limit);
}

static inline void
scene_walk(struct staged *staged, const struct policy *policy)
{
	scene_walk_limited(staged, policy, 0);
}

/** Open a scene and walk it by a column of the policy, at most `limit` frames (0: all). */
static inline void
scene_play_limited(struct staged *staged, const struct scene *scene, enum policy_column column, size_t limit)
{
	const struct policy policy = policy_column(column);

	scene_open(staged, scene);
	scene_walk_limited(staged, &policy, limit);
}

static inline void
scene_play(struct staged *staged, const struct scene *scene, enum policy_column column)
{
	scene_play_limited(staged, scene, column, 0);
}

/** Assert that the walk of a scene, of at most `limit` frames (0: all), has these frames. */
static inline void
scene_is(const struct scene *scene, enum policy_column column, size_t limit, const char *frames, const char *title)
{
	struct staged staged;

	scene_play_limited(&staged, scene, column, limit);
	is_str(staged.frames, frames, "%s", title);
	scene_close(&staged);
}

/** True if a register of a frame is known; `*value` gets its value. */
static inline bool
scene_register(const struct staged *staged, size_t frame, const char *name, uint64_t *value)
{
	int reg = arch_register(staged->crash.system.arch, text_of(name), ARCH_NAMES_ALIASES);

	if (frame >= staged->walk->count || !registers_known(&staged->walk->frames[frame].registers, reg))
		return false;
	*value = staged->walk->frames[frame].registers.value[reg];
	return true;
}

static inline void
scene_write(void *file, const char *bytes, size_t length)
{
	fwrite(bytes, 1, length, file);
}

static inline char *
scene_explained_of(struct walk *walk, size_t frame)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	const struct output output = { .write = scene_write, .context = out };
	struct step_view view;

	step_view_make(&view, walk, frame);
	explain_step(&output, &view, ARCH_NO_REGISTER);
	step_view_free(&view);
	fclose(out);
	return text;
}

/** The explanation of the step from a frame; the caller frees it. */
static inline char *
scene_explained(const struct staged *staged, size_t frame)
{
	return scene_explained_of(staged->walk, frame);
}

/** Check that the explanation of the step from a frame has these words; NULL: any. */
static inline void
scene_says(const struct staged *staged, size_t frame, const char *words)
{
	char *said = scene_explained(staged, frame);

	if (words != NULL && !ok(strstr(said, words) != NULL, "'%s' is said", words))
		tap_diag("%s", said);
	free(said);
}

/** The number of frames of a text of frames. */
static inline size_t
scene_count(const char *frames)
{
	size_t count = 1;

	for (; *frames != '\0'; frames++)
		count += *frames == ',';
	return count;
}

/** Write the registers of a space-separated list as "rbx=7 rbp=?". */
static inline const char *
scene_registers(const struct staged *staged, size_t frame, const char *names, char *buffer, size_t size)
{
	char name[16];
	size_t used = 0;
	int length;

	buffer[0] = '\0';
	for (; sscanf(names, " %15s%n", name, &length) == 1; names += length) {
		uint64_t value;
		if (scene_register(staged, frame, name, &value))
			used += (size_t)snprintf(buffer + used, size - used, "%s%s=%" PRIx64, used > 0 ? " " : "", name, value);
		else
			used += (size_t)snprintf(buffer + used, size - used, "%s%s=?", used > 0 ? " " : "", name);
	}
	return buffer;
}

/** A crash whose frames differ with the value of a row of the policy. */
struct flip {
	enum policy_row row;
	size_t limit;
	const char *names;		/* the compared registers of frame 1 */
	struct scene scene;
	struct {
		uint32_t value;
		const char *frames, *registers;
	} sides[2];
};

static inline void
scene_flip(const struct flip *flip)
{
	const char *name = policy_table[flip->row].name;

	for (size_t side = 0; side < 2; side++) {
		struct policy policy = policy_column(POLICY_UNSPOOL);
		struct staged staged;
		char registers[128];

		policy.value[flip->row] = flip->sides[side].value;
		scene_open(&staged, &flip->scene);
		scene_walk_limited(&staged, &policy, flip->limit);
		is_str(staged.frames, flip->sides[side].frames, "%s %" PRIu32 " decides the frames", name, flip->sides[side].value);
		if (flip->names[0] != '\0' && staged.walk->count > 1)
			is_str(scene_registers(&staged, 1, flip->names, registers, sizeof(registers)),
			       flip->sides[side].registers, "%s %" PRIu32 " decides the registers",
			       name, flip->sides[side].value);
		scene_close(&staged);
	}
}

#endif
