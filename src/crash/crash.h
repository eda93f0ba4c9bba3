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
 * One crash, from any kind of file.
 *
 * A loader builds it once; then only `redacted` may change. Every fact has its place in the dump.
 * Strings are UTF-8 as in the file; escape them before printing. Loaders keep all entries, even
 * contradicting ones; the policy decides at look-up which entry is used.
 */

/** The machine, as described in the dump. */
struct crash_system {
	enum crash_os os;
	const char *os_name;		/* as in Breakpad: "Windows NT"; or a hex id */
	const char *os_version;		/* as in Breakpad: "5.1.2600 Service Pack 2" */
	const struct arch *arch;
	const char *cpu_name;		/* as in Breakpad: "x86"; "unknown" without info */
	const char *cpu_info;		/* "GenuineIntel family 6 model 13 ..."; may be empty */
	uint32_t cpu_count;
	const char *gpu_version, *gpu_vendor, *gpu_renderer;	/* NULL: unknown */
	struct place place;
};

/**
 * The system's version as in rust-minidump, without surrounding blanks. A Linux dump has "0.0.0 "
 * and the output of `uname -srvmo`; the result is the kernel's release and build.
 */
struct text
crash_os_version(const struct crash_system *system);

/** The registers in a dump for a thread or an exception. */
struct crash_context {
	bool present;			/* false: missing or unreadable */
	struct place place;		/* the raw bytes */
	uint64_t flags;			/* groups of registers that the writer filled; as stored */
	const char *layout;		/* "x86", "arm64 (old layout)", ...; NULL: unknown */
	/* architecture of `registers`, or NULL; WoW64: differs from the system's */
	const struct arch *arch;
	uint32_t size;			/* in bytes, including extended state */
	uint32_t plain_size;		/* in bytes, without extended state (as in Breakpad) */
	struct registers registers;
	uint64_t register_offset[ARCH_REGISTERS];	/* offset of each register in the dump */
	/*
	 * WoW64: the stored context of the 64-bit layer, if this is the context of the 32-bit
	 * program; else NULL. The policy decides which of the two contexts is walked.
	 */
	const struct crash_context *native;
};

/** Part of a region in a text dump, from byte `skip` on. Its digits begin at `offset`. */
struct memory_chunk {
	uint64_t skip;
	uint64_t offset;
};

/** A run of the process's memory with bytes in the dump. */
struct memory_region {
	uint64_t base;
	uint64_t size;			/* bytes, by its descriptor */
	uint64_t available;		/* bytes in the file; less in a truncated dump */
	uint64_t offset;		/* offset of the first byte in the dump */
	const uint8_t *data;
	bool memory64;			/* it is in a Memory64List, which Breakpad ignores */
	/* Pieces sorted by `skip`; NULL: `data` is in the file itself */
	const struct memory_chunk *chunks;
	size_t chunk_count;
	struct place place;		/* place of the descriptor */
};

struct thread {
	uint32_t id;
	const char *name;		/* NULL: not in the dump */
	struct crash_context context;
	uint64_t stack_start;		/* given by its descriptor, even if bytes are missing */
	uint64_t stack_size;
	/* The descriptor's region, else the memory list's region at stack_start, else NULL. */
	const struct memory_region *stack;
	/* The region at the stack pointer, if `stack` does not contain it; or NULL. */
	const struct memory_region *pointer_stack;
	uint64_t teb;
	bool has_last_error;		/* on Windows, read from the TEB */
	uint32_t last_error;
	const char *last_error_name;	/* "ERROR_ACCESS_DENIED"; NULL: none */
	bool wrote_dump;		/* it wrote the dump, so Breakpad omits it */
	/* Return addresses in a crash report; reported[i] is the return address of frame i. */
	const uint64_t *reported;
	size_t reported_count;
	struct place place;
};

struct module {
	uint64_t base;
	uint64_t size;
	const char *code_file;		/* a path */
	const char *code_id;		/* empty: none */
	const char *debug_file;		/* path or name in the CodeView record; empty: none */
	const char *debug_id;		/* Breakpad's debug identifier; empty: none */
	const char *version;		/* "5.1.2600.2180"; empty: none */
	uint32_t timestamp;
	uint32_t checksum;
	bool unloaded;
	struct place place;
	struct place identity_place;	/* place of the CodeView record */
};

/** One exception; a dump may hold several. */
struct crash_exception {
	bool present;
	uint32_t thread_id;
	uint32_t code;
	uint32_t flags;
	uint64_t address;		/* address as in the dump */
	uint32_t parameter_count;	/* at most 15 */
	uint64_t parameters[15];
	struct crash_context context;
	struct place place;
};

/** The kind of a trap, from its code. */
enum crash_fault {
	CRASH_FAULT_OTHER,
	CRASH_FAULT_MEMORY,
	CRASH_FAULT_DIVISION,		/* an integer division */
	CRASH_FAULT_PRIVILEGE,
	CRASH_FAULT_INSTRUCTION,
	CRASH_FAULT_BREAKPOINT,
	CRASH_FAULT_STACK,		/* a stack overflow, reported by the system */
	CRASH_FAULT_ABORT,		/* the process ended itself */
};

enum crash_access {
	CRASH_ACCESS_UNKNOWN,
	CRASH_ACCESS_READ,
	CRASH_ACCESS_WRITE,
	CRASH_ACCESS_EXECUTE,
};

/** The meaning of the crash address field. */
enum crash_address {
	CRASH_ADDRESS_MEMORY,		/* the accessed address, or the instruction's */
	CRASH_ADDRESS_SENDER,		/* ids of the process that sent the signal */
	CRASH_ADDRESS_UNTOLD,		/* nothing: the processor reports no address */
	CRASH_ADDRESS_MISSING,		/* 0 without a si_code: perhaps not stored */
	CRASH_ADDRESS_PC,		/* the thread's pc (LLDB) */
};

/** Why the process crashed, according to tables that combine and correct those of other tools. */
struct crash_cause {
	const char *text;		/* "SIGSEGV / SEGV_MAPERR"; NULL: no crash */
	const char *note;		/* a fact in addition to the code; NULL: none */
	enum crash_fault fault;
	enum crash_access access;
	enum crash_address address;	/* meaning of crash->reason_address */
	bool no_page;			/* mapped, but the system could not provide the page */
	bool may_be_sent;		/* the address may be the id of a process */
	bool has_sender, has_sender_user, sender_is_self;
	uint32_t sender_process, sender_user;	/* process and user of CRASH_ADDRESS_SENDER */
};

/** A range of addresses in the operating system's memory map. */
struct mapping {
	uint64_t base;
	uint64_t size;
	bool readable, writable, executable;
	bool guard;
	bool free;			/* nothing is mapped */
	const char *name;		/* file or "[stack]"; empty: none */
	uint64_t file_offset;		/* on Linux: offset of its first byte in the file */
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
	const char *name;		/* "ThreadList", or for example "unknown (Google)" */
	uint64_t offset, size;
	bool decoded;			/* the stream table has a row for it */
	struct place place;
};

/** The contents of MiscInfo; fields are valid only with their flag. */
struct misc_info {
	bool present;
	bool has_process_id, has_times;
	uint32_t process_id;
	uint32_t create_time, user_time, kernel_time;	/* in seconds */
	const char *build;		/* empty: none */
	struct place place;
};

struct crash_range {
	uint64_t offset, size;
};

/** The beginnings of the lines of a text dump. */
struct crash_lines {
	const uint64_t *starts;
	size_t count;			/* number of lines; 0: the dump is binary */
	uint32_t first;			/* number of the first line in the file */
	const struct crash_range *records;	/* the dump's own lines, without the log's tags */
	size_t record_count;
};

struct memory_run;
struct thread_stack;
struct memory_log;
struct demangle_memo;
struct user_names;

/** The program in the auxiliary vector of Linux; addresses are 0 if they are unknown. */
struct crash_program {
	uint64_t headers, entry;	/* AT_PHDR, AT_ENTRY */
	/* no page of the program is mapped, so modules[0] ends after the entry point's page */
	bool unsized;
};

struct crash {
	struct arena arena;
	struct file file;
	struct reader reader;		/* the whole dump in its byte order */
	const char *format;		/* name in crash_formats */
	const char *invented;		/* description of a made-up crash; NULL: a real one */
	struct crash_lines lines;
	size_t dump_index, dump_count;	/* number of this dump, from 1; number of dumps */
	bool core;			/* an ELF core: its notes are the streams */
	bool microdump;			/* one thread; the program's module is unknown */
	uint32_t time;			/* seconds since 1970; 0: unknown */

	struct crash_system system;
	struct misc_info misc;
	struct crash_exception exception;
	struct crash_exception *more_exceptions;	/* further exception streams */
	size_t more_exception_count;
	const char *assertion;		/* Breakpad's sentence about a failed assertion; or NULL */
	bool has_requesting_thread;	/* from Breakpad info: the thread that requested the dump */
	uint32_t requesting_thread_id;

	const char *reason;		/* crash reason in Breakpad's words; NULL: no crash */
	uint64_t reason_address;	/* crash address, computed as in Breakpad */
	struct crash_cause cause;	/* reason and address, corrected and complete */

	struct thread *threads;
	size_t thread_count;
	int requesting_thread;		/* index of the thread to look at first, or -1 */
	/*
	 * Limits for all but the crashed thread if threads share stacks; 0: no limit. Frames of a
	 * walk, and bytes above sp in which a walk may search for the stack's bottom.
	 */
	size_t shared_frames;
	uint64_t shared_bytes;

	struct module *modules;		/* loaded modules, in file order */
	size_t module_count;
	bool modules_misfit;		/* the size of their stream contradicts their number */
	struct module *unloaded;
	size_t unloaded_count;
	struct module_order *module_order;	/* sorted by address (module_map.h); or NULL */

	struct memory_region *regions;	/* regions of both memory lists, by base; may overlap */
	size_t region_count;
	struct memory_run *runs;	/* all memory and stacks, each address once (memory.h) */
	size_t run_count;
	struct thread_stack *stacks;	/* stacks of only one thread each, by base (memory.h) */
	size_t stack_count;
	/* demangled names, if one thread runs all walks; NULL: each walk has its own */
	struct demangle_memo *demangled;
	struct memory_log *log;		/* log of the bytes that views use; or NULL */
	struct mapping *mappings;	/* sorted by base, without overlap */
	size_t mapping_count;
	struct annotation *annotations;
	size_t annotation_count;
	bool redacted;			/* reports omit possible secrets (crash_redact()) */
	/* User names replaced if `redacted`; borrowed; NULL: none */
	struct user_names *names;
	struct crash_range *redactions;	/* ranges of the file to omit, by offset, disjoint */
	size_t redaction_count;
	struct crash_program program;
	/* Address of the kernel's code for system calls on x86 (AT_SYSINFO); 0: unknown */
	uint64_t system_call;
	uint64_t address_mask;		/* Crashpad's mask for pointer authentication; 0: unknown */

	struct stream *streams;
	size_t stream_count;
	struct message_list messages;
};

/** The kinds of dumps; crash_formats has their names. */
enum crash_format {
	CRASH_MINIDUMP,
	CRASH_MICRODUMP,
	CRASH_CORE,
	CRASH_REPORT,
	CRASH_FORMATS
};

extern const char *const crash_formats[CRASH_FORMATS];

/** Free everything that a crash owns. */
void
crash_free(struct crash *crash);

/** Whether a module is the vDSO: kernel code that every process has mapped without a file. */
bool
crash_is_kernels(const struct module *module);

/** The registers for a function's first arguments on the crash's system; NULL: none. */
const struct arch_arguments *
crash_arguments(const struct crash *crash, const struct arch *arch);

/**
 * The thread whose stack contains `address`; -1: none, or several. Memory that several threads use
 * is not the stack of one of them. An example is Go's heap, which holds the stacks of goroutines.
 */
int
crash_stack_owner(const struct crash *crash, uint64_t address);

/** The mapping of `address`, or NULL if unknown. */
const struct mapping *
crash_mapping(const struct crash *crash, uint64_t address);

/**
 * Whether the memory map proves that nothing is mapped at `address`. In a core, an address in a
 * module may be mapped, because gdb leaves pages of files out of its cores.
 */
bool
crash_is_unmapped(const struct crash *crash, uint64_t address);

/**
 * Set whether reports omit possible secrets: the environment, the command line, the process's
 * memory and, with crash->names, user names. Recompute earlier results afterwards.
 * When out of memory, every byte of the dump is treated as secret.
 */
void
crash_redact(struct crash *crash, bool redacted);

/** Whether reports must omit an annotation: an environment variable or a command line. */
bool
crash_redacts(const struct crash *crash, const struct annotation *annotation);

/**
 * Whether reports must omit any of `size` bytes at an offset of the dump: memory of the process,
 * and streams with the environment or the command line.
 */
bool
crash_redacts_bytes(const struct crash *crash, uint64_t offset, uint64_t size);

/**
 * Whether reports must omit the byte at `at` of a file of `size` bytes (the dump or a module's
 * file): the byte is part of a user name.
 */
bool
crash_redacts_name(const struct crash *crash, const uint8_t *data, uint64_t size, uint64_t at);

/**
 * Learn user names from the environment, the command line, annotations, paths of modules and
 * mappings, and names of threads.
 */
void
crash_learn_names(const struct crash *crash, struct user_names *names);

/** Learn the names of this process's user, from its variables (HOME, USER, ...). */
void
crash_learn_user(struct user_names *names);

/** Written in place of redacted text. */
#define CRASH_REDACTED "(redacted)"

/**
 * The sender of the signal: "process 13413, this process itself, user id 1000". Empty if the cause
 * has no sender.
 */
struct short_text
crash_describe_sender(const struct crash *crash);

/** The place of `length` bytes at an offset of the dump, with line and column in a text dump. */
struct place
crash_place(const struct crash *crash, uint64_t offset, uint32_t length);

/** The place of `size` bytes at an address in `region`. */
struct place
crash_memory_place(const struct crash *crash, const struct memory_region *region,
		   uint64_t address, uint32_t size);

/** The address of the byte at an offset of the dump; false if it is not in `region`. */
bool
crash_memory_address(const struct memory_region *region, uint64_t offset, uint64_t *address);

/** The place of a register's field in a context; no input if it has no such field. */
struct place
crash_register_place(const struct crash *crash, const struct crash_context *context, int number);

/**
 * The context from which thread `index` is walked: its exception's context if that is readable,
 * else the thread's own. Check `present`. For Breakpad's view of a WoW64 process use `native`.
 */
const struct crash_context *
crash_thread_context(const struct crash *crash, size_t index);

#endif
