/* SPDX-License-Identifier: GPL-3.0-or-later */
/**
 * Minidumps made to order.
 *
 * Describe a dump, then ask for its bytes: streams, strings, contexts and memory are placed
 * automatically, in either byte order. The layouts are written here again from their
 * specifications, so that a test does not check the reader against itself. If memory runs out, the
 * program ends.
 *
 *	struct synth *synth = synth_create(ARCH_X86, CRASH_OS_WINDOWS, false);
 *
 *	synth_module(synth, 0x400000, 0x1000, "c:\\test.exe", "c:\\test.pdb",
 *		     "5A9832E5287241C1838ED98914E9B7FF1");
 *	synth_thread(synth, 1, registers, 0x12f000, stack, sizeof(stack));
 *	synth_exception(synth, 1, 0xc0000005, 0, 0x45);
 *	uint8_t *bytes = synth_finish(synth, &size);
 *	synth_free(synth);
 */
#ifndef TESTS_LIB_SYNTH_H
#define TESTS_LIB_SYNTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "crash/crash.h"

struct synth;

/** The form of the dump; all false: that of most writers. Set before synth_finish. */
struct synth_style {
	bool pad_lists;		/* four bytes between the count of a list and its entries */
	bool stacks_by_list;	/* thread stacks have no rva: only the memory list has them */
	bool old_arm64;		/* Breakpad's 796-byte contexts and its processor number */
	bool lldb_arm64;	/* LLDB's 800-byte contexts, with the new ones' processor number */
	bool crashpad_mips64;	/* Crashpad's 640-byte contexts */
	bool reverse;		/* directory in reverse order */
	bool nb10;		/* modules have NB10 records: timestamp and age from the id */
	bool elf_ids;		/* modules have build ids: on Linux and Android the default */
	uint32_t unused;	/* empty directory entries before the others */
};

/** Create an empty dump for a processor and a system. Free it with synth_free. */
struct synth *
synth_create(enum arch_id arch, enum crash_os os, bool big_endian);

void
synth_free(struct synth *synth);

/** The style; the caller may change it. */
struct synth_style *
synth_style(struct synth *synth);

/** The version of the system and its service pack (NULL: none). */
void
synth_system(struct synth *synth, uint32_t major, uint32_t minor, uint32_t build, const char *service_pack);

/** Set level, revision, number of processors and three more words: the vendor on x86; cpuid,
 * hardware capabilities and nothing on ARM. */
void
synth_cpu(struct synth *synth, uint16_t level, uint16_t revision, uint8_t count, const uint32_t words[3]);

/** A module. `id` is the debug identifier as symbol files have it: 32 digits and an age
 * for RSDS, 33 for a build id, 8 and an age for NB10; NULL: no record. Returns its index. */
size_t
synth_module(struct synth *synth, uint64_t base, uint32_t size, const char *name, const char *debug_file, const char *id);

/** Give the last module a version (VS_FIXEDFILEINFO) and a timestamp. */
void
synth_module_version(struct synth *synth, uint32_t high, uint32_t low, uint32_t timestamp);

/** Give the last module a CodeView record of any bytes. */
void
synth_module_record(struct synth *synth, const void *bytes, size_t size);

/** Give the last module a misc record that names a file in 8-bit or 16-bit characters. */
void
synth_module_misc(struct synth *synth, const char *name, bool wide);

void
synth_unloaded(struct synth *synth, uint64_t base, uint32_t size, const char *name, uint32_t timestamp);

/** A thread. `registers` has a value for each number of the architecture's table; NULL: no
 * context. The stack's bytes are copied; NULL: the dump has none. */
void
synth_thread(struct synth *synth, uint32_t id, const uint64_t *registers, uint64_t stack_base,
	     const void *stack, size_t stack_size);

/** Give the last thread the address of a thread environment block. */
void
synth_thread_teb(struct synth *synth, uint64_t teb);

/** Give the last thread (after synth_exception, the exception) a context of any bytes. */
void
synth_context(struct synth *synth, const void *bytes, size_t size);

void
synth_thread_name(struct synth *synth, uint32_t id, const char *name);

/** An exception stream; call again for one more. */
void
synth_exception(struct synth *synth, uint32_t thread, uint32_t code, uint32_t flags, uint64_t address);

/** Add a parameter to the last exception. */
void
synth_parameter(struct synth *synth, uint64_t value);

/** Claim any number of parameters for the last exception. */
void
synth_parameter_count(struct synth *synth, uint32_t count);

/** Give the last exception registers of its own. */
void
synth_exception_registers(struct synth *synth, const uint64_t *registers);

/** Memory in the MemoryList or, if `wide`, in the Memory64List. */
void
synth_memory(struct synth *synth, uint64_t base, const void *bytes, size_t size, bool wide);

/** Words in the byte order of the dump, for synth_thread, synth_memory and synth_stream. They live until synth_free. */
const void *
synth_words32(struct synth *synth, const uint32_t *words, size_t count);

const void *
synth_words64(struct synth *synth, const uint64_t *words, size_t count);

/** A row of MemoryInfoList. */
void
synth_memory_info(struct synth *synth, uint64_t base, uint64_t size, uint32_t state, uint32_t protection, uint32_t type);

/** MiscInfo of 24 bytes with process id and times. */
void
synth_misc(struct synth *synth, uint32_t process, uint32_t created);

/** Breakpad info: bit 0 of `validity` for `dump_thread`, bit 1 for `requesting_thread`. */
void
synth_breakpad(struct synth *synth, uint32_t validity, uint32_t dump_thread, uint32_t requesting_thread);

void
synth_assertion(struct synth *synth, const char *expression, const char *function,
		const char *file, uint32_t line, uint32_t type);

/** A Crashpad annotation of the whole dump (module -1) or of a module. */
void
synth_crashpad(struct synth *synth, int module, const char *key, const char *value);

/** Crashpad's mask of address bits; makes a CrashpadInfo stream. */
void
synth_address_mask(struct synth *synth, uint64_t mask);

/** A stream of any type and any bytes. */
void
synth_stream(struct synth *synth, uint32_t type, const void *bytes, size_t size);

/** The dump's bytes; the caller frees them. The description may be changed and finished again. */
uint8_t *
synth_finish(struct synth *synth, size_t *size);

/** Write the dump to a file; false if that fails. */
bool
synth_write(struct synth *synth, const char *path);

#endif
