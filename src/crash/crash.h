/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CRASH_CRASH_H
#define CRASH_CRASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "system/file.h"
#include "base/message.h"
#include "base/reader.h"
#include "crash/arch.h"

/**
 * One crash, whatever kind of file told of it.
 *
 * A loader builds it once; then it never changes, but for whether it is redacted. Everything
 * keeps its place in the dump. All strings are UTF-8 as the file has them, not yet safe for a
 * terminal. Loaders keep every entry; which of two that disagree counts is decided at look-up, by
 * policy.
 */

/** What the dump says of the machine. */
struct crash_system {
	enum crash_os os;
	const char *os_name;		/* as Breakpad prints it: "Windows NT"; or a hex id */
	const char *os_version;		/* as Breakpad prints it: "5.1.2600 Service Pack 2" */
	const struct arch *arch;
	const char *cpu_name;		/* as Breakpad prints it: "x86"; "unknown" without info */
	const char *cpu_info;		/* "GenuineIntel family 6 model 13 ..."; may be empty */
	uint32_t cpu_count;
	const char *gpu_version, *gpu_vendor, *gpu_renderer;	/* NULL: not told */
	struct place place;
};

/**
 * The system's version as rust-minidump writes it: without blanks around it, and of
 * Linux, whose dumps have `uname -srvmo` behind 0.0.0, the kernel's release and build.
 */
struct text
crash_os_version(const struct crash_system *system);

/** The registers that a dump stores for a thread or an exception. */
struct crash_context {
	bool present;			/* false: none, or unreadable */
	struct place place;		/* the raw bytes */
	uint64_t flags;			/* as stored: which groups the writer filled */
	const char *layout;		/* "x86", "arm64 (old layout)", ...; NULL: none fits */
	const struct arch *arch;	/* of `registers`; NULL: none. WoW64: not the system's */
	uint32_t size;			/* bytes, with any extended state behind the layout */
	uint32_t plain_size;		/* of the plain layout, which alone Breakpad reads */
	struct registers registers;
	uint64_t register_offset[ARCH_REGISTERS];	/* of each register's field in the dump */
	/*
	 * WoW64: what the dump stores for the thread, of the 64-bit layer below, where this is
	 * the context of the 32-bit program on top; NULL elsewhere. Which one is walked is a
	 * matter of policy.
	 */
	const struct crash_context *native;
};

/** Bytes of a region of a text dump: from `skip` on they stand at `offset`, two digits each. */
struct memory_chunk {
	uint64_t skip;
	uint64_t offset;
};

/** A run of the process's memory whose bytes are in the dump. */
struct memory_region {
	uint64_t base;
	uint64_t size;			/* bytes that the dump says are there */
	uint64_t available;		/* bytes that the file has; less in a truncated dump */
	uint64_t offset;		/* of the first byte in the dump */
	const uint8_t *data;
	bool memory64;			/* of a Memory64List, which Breakpad does not read */
	const struct memory_chunk *chunks;	/* by skip; NULL: `data` lies in the file itself */
	size_t chunk_count;
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
	/* Where that does not hold the stack pointer, the region that does; or NULL. */
	const struct memory_region *pointer_stack;
	uint64_t teb;
	bool has_last_error;		/* of Windows, read from the TEB */
	uint32_t last_error;
	const char *last_error_name;	/* "ERROR_ACCESS_DENIED"; NULL: none */
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
	uint32_t parameter_count;	/* at most 15 */
	uint64_t parameters[15];
	struct crash_context context;
	struct place place;
};

/** What kind of trap an exception is, as far as its code tells. */
enum crash_fault {
	CRASH_FAULT_OTHER,
	CRASH_FAULT_MEMORY,		/* an access to memory */
	CRASH_FAULT_DIVISION,		/* of integers */
	CRASH_FAULT_PRIVILEGE,		/* an instruction that a program may not use */
	CRASH_FAULT_INSTRUCTION,	/* an illegal one */
	CRASH_FAULT_BREAKPOINT,
	CRASH_FAULT_STACK,		/* the system says that the stack overflowed */
	CRASH_FAULT_ABORT,		/* the process ended itself */
};

enum crash_access {
	CRASH_ACCESS_UNKNOWN,
	CRASH_ACCESS_READ,
	CRASH_ACCESS_WRITE,
	CRASH_ACCESS_EXECUTE,
};

/** What the field of the crash address holds. */
enum crash_address {
	CRASH_ADDRESS_MEMORY,		/* the address that was accessed, or of the instruction */
	CRASH_ADDRESS_SENDER,		/* ids of the process that sent the signal */
	CRASH_ADDRESS_UNTOLD,		/* nothing: the processor tells no address */
	CRASH_ADDRESS_PC,		/* the thread's pc (LLDB) */
};

/** Why the process crashed: the union of the tables of all readers, corrected. */
struct crash_cause {
	const char *text;		/* "SIGSEGV / SEGV_MAPERR"; NULL: no crash */
	const char *note;		/* what the code alone does not say; NULL: nothing */
	enum crash_fault fault;
	enum crash_access access;
	enum crash_address address;	/* of the crash's reason_address */
	bool no_page;			/* mapped, but the system could not provide the page */
	bool has_sender, has_sender_user, sender_is_self;
	uint32_t sender_process, sender_user;	/* CRASH_ADDRESS_SENDER */
};

/** What the operating system says of a range of addresses. */
struct mapping {
	uint64_t base;
	uint64_t size;
	bool readable, writable, executable;
	bool guard;
	bool free;			/* nothing is there */
	const char *name;		/* file or "[stack]"; empty: none */
	uint64_t file_offset;		/* of its first byte in that file; of Linux */
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
	bool has_process_id, has_times;
	uint32_t process_id;
	uint32_t create_time, user_time, kernel_time;	/* seconds */
	const char *build;		/* build string; empty: none */
	struct place place;
};

/** Bytes of a file. */
struct crash_range {
	uint64_t offset, size;
};

/** Where the lines of a dump that is text begin. */
struct crash_lines {
	const uint64_t *starts;
	size_t count;			/* 0: the dump is binary */
	uint32_t first;			/* number of the first of them in the file */
	const struct crash_range *records;	/* the dump's own lines, without the log's tags */
	size_t record_count;
};

struct memory_run;
struct memory_log;
struct demangle_memo;
struct user_names;

struct crash {
	struct arena arena;
	struct file file;
	struct reader reader;		/* the whole dump in its byte order */
	const char *format;		/* of crash_formats */
	const char *invented;		/* nothing of it happened: what it is; NULL: it did */
	struct crash_lines lines;
	size_t dump_index, dump_count;	/* of the dumps that the file holds, this one from 1 on */
	bool core;			/* an ELF core: its notes are the streams */
	bool microdump;			/* one thread; no module is said to be the program */
	uint32_t time;			/* seconds since 1970; 0: not said */

	struct crash_system system;
	struct misc_info misc;
	struct crash_exception exception;
	struct crash_exception *more_exceptions;	/* further exception streams */
	size_t more_exception_count;
	const char *assertion;		/* Breakpad's sentence for a failed assertion; NULL: none */
	bool has_requesting_thread;	/* Breakpad info: the thread that requested the dump */
	uint32_t requesting_thread_id;

	const char *reason;		/* crash reason as Breakpad names it; NULL: no crash */
	uint64_t reason_address;	/* crash address as Breakpad computes it */
	struct crash_cause cause;	/* the same, corrected and complete */

	struct thread *threads;
	size_t thread_count;
	int requesting_thread;		/* index of the thread to look at first, or -1 */
	/*
	 * Where threads share their stacks, so that all walks together would cost too much:
	 * frames of one walk, and bytes of one stack that are searched for its bottom; 0: as many
	 * as there are.
	 */
	size_t shared_frames;
	uint64_t shared_bytes;

	struct module *modules;		/* loaded ones, in file order */
	size_t module_count;
	struct module *unloaded;
	size_t unloaded_count;
	struct module_order *module_order;	/* both by address: module_map.h; or NULL */

	struct memory_region *regions;	/* of both memory lists, by base; may overlap */
	size_t region_count;
	struct memory_run *runs;	/* all memory and stacks, each address once: memory.h */
	size_t run_count;
	/* Demangled names of all walks, which one thread makes; NULL: each walk has its own */
	struct demangle_memo *demangled;
	struct memory_log *log;		/* told what views of the memory are used for; or NULL */
	struct mapping *mappings;	/* by base, without overlap */
	size_t mapping_count;
	struct annotation *annotations;
	size_t annotation_count;
	bool redacted;			/* reports leave out memory and what crash_redacts names */
	struct user_names *names;	/* what reports replace then; borrowed; NULL: nothing */
	struct crash_range *redactions;	/* of the file, by offset, apart from each other */
	size_t redaction_count;
	/* Address of the kernel's own on x86 (AT_SYSINFO); 0: not said */
	uint64_t system_call;
	uint64_t address_mask;		/* Crashpad's, for pointer authentication; 0: not said */

	struct stream *streams;
	size_t stream_count;
	struct message_list messages;
};

/** What the formats of dumps are called, in the order of the kinds. */
enum crash_format {
	CRASH_MINIDUMP,
	CRASH_MICRODUMP,
	CRASH_CORE,
	CRASH_FORMATS
};

extern const char *const crash_formats[CRASH_FORMATS];

/** Free everything that a crash owns. */
void
crash_free(struct crash *crash);

/** Whether a module is the kernel's own code in every process (vDSO), which is in no file. */
bool
crash_is_kernels(const struct module *module);

/** The mapping that holds `address`, or NULL where nothing is known of it. */
const struct mapping *
crash_mapping(const struct crash *crash, uint64_t address);

/**
 * Say whether reports leave out what may be secret: the environment, the command line, the
 * process's memory and, by crash->names, the names of users. What was made of the crash before is
 * to be made anew. When out of memory every byte of the dump counts as secret.
 */
void
crash_redact(struct crash *crash, bool redacted);

/** Whether reports must leave out the annotation: one of the environment or a command line. */
bool
crash_redacts(const struct crash *crash, const struct annotation *annotation);

/**
 * Whether reports must leave out any of `size` bytes at an offset of the dump: memory of the
 * process, and the streams that hold the environment and the command line.
 */
bool
crash_redacts_bytes(const struct crash *crash, uint64_t offset, uint64_t size);

/**
 * Whether reports must leave out the byte at `at` of a file of `size` bytes, the dump or that of a
 * module: one of a user's name.
 */
bool
crash_redacts_name(const struct crash *crash, const uint8_t *data, uint64_t size, uint64_t at);

/**
 * Learn the names of users from the environment, the command line, annotations, paths of modules
 * and mappings, and names of threads.
 */
void
crash_learn_names(const struct crash *crash, struct user_names *names);

/** What stands in the place of what is left out. */
#define CRASH_REDACTED "(redacted)"

/**
 * The sender of the signal: "process 13413, this process itself, user id 1000". Empty where the
 * cause has no sender. Always terminates.
 */
const char *
crash_describe_sender(const struct crash *crash, char *buffer, size_t size);

/** The place of `length` bytes at an offset of the dump, with line and column where it is text. */
struct place
crash_place(const struct crash *crash, uint64_t offset, uint32_t length);

/** The place of `size` bytes at an address that lies in `region`. */
struct place
crash_memory_place(const struct crash *crash, const struct memory_region *region,
		   uint64_t address, uint32_t size);

/** The address whose byte stands at an offset of the dump; false where that is not in `region`. */
bool
crash_memory_address(const struct memory_region *region, uint64_t offset, uint64_t *address);

/** The place of a register's field of a context; none where the context has no such field. */
struct place
crash_register_place(const struct crash *crash, const struct crash_context *context, int number);

/**
 * A stream of a type that Breakpad reads and that the dump has twice, or NULL (google/breakpad
 * minidump.cc, Minidump::Read: a dump with one is no dump for it).
 */
const struct stream *
crash_repeated_stream(const struct crash *crash);

/**
 * The registers that a walk of thread `index` starts from: the exception's for its
 * thread, where they can be read, else the thread's own. Look at `present`, and, to see
 * what Breakpad sees of a WoW64 process, at `native`.
 */
const struct crash_context *
crash_thread_context(const struct crash *crash, size_t index);

#endif
