/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CRASH_CRASH_H
#define CRASH_CRASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/message.h"
#include "base/reader.h"
#include "crash/arch.h"

/**
 * One crash, whatever kind of file told of it.
 *
 * A loader builds it once; then it never changes. Everything keeps its place in
 * the dump. All strings are UTF-8 as the file has them, not yet safe for a
 * terminal. Loaders keep every entry; who is right where entries disagree is
 * decided at look-up, by policy.
 */

enum crash_os {
	CRASH_OS_UNKNOWN,
	CRASH_OS_WINDOWS,
	CRASH_OS_LINUX,
	CRASH_OS_ANDROID,
	CRASH_OS_MAC,
	CRASH_OS_IOS,
	CRASH_OS_SOLARIS,
	CRASH_OS_NACL,
	CRASH_OS_FUCHSIA,
	CRASH_OS_PS3,
};

/** What the dump says of the machine. */
struct crash_system {
	enum crash_os os;
	const char *os_name;		/* as Breakpad prints it: "Windows NT"; or a hex id */
	const char *os_version;		/* as Breakpad prints it: "5.1.2600 Service Pack 2" */
	const struct arch *arch;
	const char *cpu_name;		/* as Breakpad prints it: "x86"; "unknown" without info */
	const char *cpu_info;		/* "GenuineIntel family 6 model 13 ..."; may be empty */
	uint32_t cpu_count;
	struct place place;
};

/** The registers that a dump stores for a thread or an exception. */
struct crash_context {
	bool present;			/* false: none, or unreadable */
	struct place place;		/* the raw bytes */
	uint64_t flags;			/* as stored: which groups the writer filled */
	const char *layout;		/* "x86", "arm64 (old layout)", ...; NULL: none fits */
	const struct arch *arch;	/* of `registers`; NULL: none. WoW64: not the system's */
	struct registers registers;
	uint64_t register_offset[ARCH_REGISTERS];	/* of each register's field in the dump */
};

/** A run of the process's memory whose bytes are in the dump. */
struct memory_region {
	uint64_t base;
	uint64_t size;			/* bytes that the dump says are there */
	uint64_t available;		/* bytes that the file has; less in a truncated dump */
	uint64_t offset;		/* of the first byte in the dump */
	const uint8_t *data;
	bool memory64;			/* of a Memory64List, which Breakpad does not read */
	struct place place;		/* of the descriptor */
};

struct thread {
	uint32_t id;
	const char *name;		/* NULL: none in the dump */
	struct crash_context context;
	uint64_t stack_start;		/* as its descriptor says, also where bytes are missing */
	uint64_t stack_size;
	/* Of its descriptor, else the memory list's region that holds stack_start; or NULL. */
	const struct memory_region *stack;
	uint64_t teb;
	bool wrote_dump;		/* Breakpad leaves this thread out */
	struct place place;
};

struct module {
	uint64_t base;
	uint64_t size;
	const char *code_file;		/* path */
	const char *code_id;		/* code identifier; empty: none */
	const char *debug_file;		/* path or name in the CodeView record; empty: none */
	const char *debug_id;		/* Breakpad's debug identifier; empty: none */
	const char *version;		/* "5.1.2600.2180"; empty: none */
	uint32_t timestamp;
	uint32_t checksum;
	bool unloaded;
	struct place place;
	struct place identity_place;	/* of the CodeView record */
};

/** One exception; a dump may hold several. */
struct crash_exception {
	bool present;
	uint32_t thread_id;
	uint32_t code;
	uint32_t flags;
	uint64_t address;		/* as stored */
	uint64_t nested_record;
	uint32_t parameter_count;	/* at most 15 */
	uint64_t parameters[15];
	struct crash_context context;
	struct place place;
};

/** What the operating system says of a range of addresses. */
struct mapping {
	uint64_t base;
	uint64_t size;
	bool readable, writable, executable;
	bool guard;
	bool free;			/* nothing is there */
	const char *name;		/* file or "[stack]"; empty: none */
	const char *text;		/* "r-xp", or "commit, execute-read, image" on Windows */
	struct place place;
};

/** A key and its value, from annotations or files of /proc. */
struct annotation {
	const char *source;		/* "crashpad", "crashpad module NAME", "environment", ... */
	const char *key;
	const char *value;
	struct place place;
};

/** One entry of the dump's directory. */
struct stream {
	uint32_t type;
	const char *name;		/* "ThreadList"; "unknown (Google)" and the like else */
	uint64_t offset, size;
	bool decoded;			/* by a row of the stream table */
	struct place place;		/* of the directory entry */
};

/** What MiscInfo holds; fields count only with their flag. */
struct misc_info {
	bool present;
	bool has_process_id, has_times, has_power;
	uint32_t process_id;
	uint32_t create_time, user_time, kernel_time;	/* seconds */
	uint32_t max_mhz, current_mhz;
	const char *build;		/* build string; empty: none */
	struct place place;
};

/** One field of a structure of a dump: `size` bytes at `offset` in it. */
struct crash_field {
	uint32_t offset, size;
	const char *name;
};

/** Bytes of a dump that have a name: a structure, or an array of equal structures. */
struct crash_span {
	uint64_t offset, size;
	uint32_t stride;		/* bytes of one element; 0: no array */
	const char *text;		/* "header", "thread entry", "name of module 3" */
	const struct crash_field *fields;
	size_t field_count;
};

struct crash {
	struct arena arena;
	struct file file;
	bool borrowed;			/* the bytes of `file` are the caller's */
	struct reader reader;		/* the whole dump in its byte order */
	const char *format;		/* "minidump" */
	uint64_t flags;			/* of the header */
	uint32_t time;			/* seconds since 1970; 0: not said */

	struct crash_system system;
	struct misc_info misc;
	struct crash_exception exception;
	struct crash_exception *more_exceptions;	/* further exception streams */
	size_t more_exception_count;
	const char *assertion;		/* Breakpad's sentence for a failed assertion; NULL: none */
	bool has_requesting_thread;	/* Breakpad info: who asked for the dump */
	uint32_t requesting_thread_id;

	const char *reason;		/* crash reason as Breakpad names it; NULL: no crash */
	uint64_t reason_address;	/* crash address as Breakpad computes it */
	const char *reason_note;	/* what Breakpad's wording hides; NULL: nothing */

	struct thread *threads;
	size_t thread_count;
	int requesting_thread;		/* index of the thread to look at first, or -1 */

	struct module *modules;		/* loaded ones, in file order */
	size_t module_count;
	struct module *unloaded;
	size_t unloaded_count;

	struct memory_region *regions;	/* of both memory lists, by base; may overlap */
	size_t region_count;
	struct mapping *mappings;	/* by base, without overlap */
	size_t mapping_count;
	struct annotation *annotations;
	size_t annotation_count;
	uint64_t address_mask;		/* Crashpad's, for pointer authentication; 0: not said */

	struct stream *streams;
	size_t stream_count;
	struct crash_span *spans;	/* named bytes, in no order; they nest */
	size_t span_count;
	struct message_list messages;
};

/** Free everything that a crash owns. */
void
crash_free(struct crash *crash);

/** The mapping that holds `address`, or NULL where nothing is known of it. */
const struct mapping *
crash_mapping(const struct crash *crash, uint64_t address);

/**
 * The registers that a walk of thread `index` starts from: the exception's for its
 * thread, where they can be read, else the thread's own. Look at `present`.
 */
const struct crash_context *
crash_thread_context(const struct crash *crash, size_t index);

/**
 * Name the place of a dump that holds `offset`: which structure and field it lies in
 * ("thread 0xbf4, stack at +0x1639", "exception context, ebp"). Always terminates.
 */
const char *
crash_describe_offset(const struct crash *crash, uint64_t offset, char *buffer, size_t size);

#endif
