/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef DUMP_MINIDUMP_INTERNAL_H
#define DUMP_MINIDUMP_INTERNAL_H

#include "base/limits.h"
#include "crash/crash.h"
#include "dump/field.h"

/**
 * Shared by the files that read a minidump.
 *
 * A decoder is a row of stream.def. It gets the bytes of its stream that the file has (at most as
 * many as the directory promises). It stores its results in the crash, and adds a message for each
 * malformed part. Decoders run in the order of the table, not of the file, so that the system is
 * known to the decoders that depend on it.
 */
struct core;

struct thread_name {
	uint32_t id;
	const char *name;
};

struct minidump {
	struct crash *crash;
	struct core *core;		/* NULL: not a core */
	uint16_t processor;		/* processor architecture of the system info, as stored */
	uint32_t platform;		/* platform id of the system info, as stored */
	bool has_system;
	bool has_dump_thread;		/* Breakpad info names the thread that wrote the dump */
	uint32_t dump_thread_id;
	struct thread_name *names;	/* sorted by id */
	size_t name_count;
	uint64_t annotated;		/* bytes of the streams whose texts are annotations */
	bool annotations_full;		/* the limit is reached, and a message says so */
	bool mappings_from_maps;	/* the address space is described by /proc maps */
	size_t region_capacity, mapping_capacity, annotation_capacity, exception_capacity;
	bool regions_left;		/* the dump has more than LIMIT_REGIONS regions */
	bool no_memory;			/* out of memory; a message says so */
};

/* The fields that unspool uses of list entries and of structures in streams. */

#define MINIDUMP_SIGNATURE 0x504d444du	/* "MDMP" */
#define MINIDUMP_VERSION 0xa793u

struct minidump_header {
	uint32_t signature, version, stream_count, directory, time;
};

struct minidump_directory {
	uint32_t type;
	struct descriptor location;
};

struct thread_entry {
	uint32_t id;
	uint64_t teb, stack_start, backing_start;
	struct descriptor stack, context, backing_store;
};

struct module_entry {
	uint64_t base;
	uint32_t size, checksum, timestamp, name;
	uint32_t signature, struct_version;	/* from VS_FIXEDFILEINFO */
	uint32_t version[4];			/* file version, product version */
	struct descriptor codeview, misc;
};

struct memory_entry {
	uint64_t base, size, rva;
};

struct exception_entry {
	uint32_t thread_id, code, flags, parameter_count;
	uint64_t address, parameters[15];
	struct descriptor context;
};

struct system_entry {
	uint16_t processor, level, revision;
	uint8_t processor_count;
	uint32_t major, minor, build, platform, service_pack;
};

extern const struct structure minidump_header, minidump_directory, system_structure,
	exception_structure, misc_structure;

enum {
	STREAM_THREADS = 3, STREAM_MODULES = 4, STREAM_MEMORY = 5, STREAM_EXCEPTION = 6,
	STREAM_SYSTEM = 7, STREAM_THREADS_EX = 8, STREAM_MEMORY64 = 9, STREAM_COMMENT = 10,
	STREAM_COMMENT_WIDE = 11, STREAM_UNLOADED = 14, STREAM_MISC = 15, STREAM_MEMORY_INFO = 16,
	STREAM_THREAD_NAMES = 24,
	CRASHPAD_INFO = 0x43500001,
	BREAKPAD_INFO = 0x47670001, BREAKPAD_ASSERTION, LINUX_CPU_INFO, LINUX_STATUS,
	LINUX_RELEASE, LINUX_COMMAND_LINE, LINUX_ENVIRONMENT, LINUX_AUXV, LINUX_MAPS,
	LINUX_DSO_DEBUG, LINUX_STAT, LINUX_UPTIME, LINUX_FD,
	MOZILLA_LIMITS = 0x4d7a0003, MOZILLA_ERRORS,
};

/* linux.c: the dynamic linker's list, a stream that Breakpad's writer adds */

/** The linker's struct r_debug, and the program's dynamic section. */
struct linux_debug {
	uint32_t version, map, count;	/* map: offset of the links in the dump */
	uint64_t brk, ldbase, dynamic;
	struct reader section;		/* the bytes at `dynamic` */
};

struct linux_link {
	uint64_t address, dynamic;
	uint32_t name;			/* offset of the name's string in the dump */
};

/** Read the stream; false: the dump lacks it. */
bool
linux_debug_read(const struct crash *crash, struct linux_debug *debug);

/** A link of the list; false if the dump does not have it. */
bool
linux_debug_link(const struct crash *crash, const struct linux_debug *debug, uint32_t index,
		 struct linux_link *link);

/* minidump.c: bytes */

/**
 * The bytes of the dump from `offset` on, at most `size`: cut at the end of the file. False if
 * there are none.
 */
bool
crash_bytes(const struct crash *crash, uint64_t offset, uint64_t size, struct reader *window);

/** Find the first stream of a type that has bytes in the file; see crash_bytes(). */
bool
crash_stream_bytes(const struct crash *crash, uint32_t type, struct reader *window);

/**
 * Open a list. If the count does not fit the stream or exceeds the layout's limit, adds a message
 * and uses the existing entries. False: the header is missing.
 */
bool
minidump_list(struct minidump *minidump, const struct stream *stream, const struct reader *window,
	      const struct list_layout *layout, struct list *list);

/** Open a list and allocate its entries, `size` bytes each. NULL on failure, with a message. */
void *
minidump_entries(struct minidump *minidump, const struct stream *stream,
		 const struct reader *window, const struct list_layout *layout, size_t size,
		 struct list *list);

/** The UTF-16 string at `rva` as UTF-8, or NULL. `what` names it in messages ("service pack"). */
const char *
minidump_string(struct minidump *minidump, uint64_t rva, const char *what);

/* Results */

/**
 * Add an annotation; NULL texts are treated as empty. False at the limit or when out of memory. The
 * first time at the limit, a message is added.
 */
bool
minidump_annotate(struct minidump *minidump, const char *source, const char *key,
		  const char *value, struct place place);

/**
 * Append a copy of an item of `size` bytes to an array of the crash. `array` is the address of the
 * array's pointer. When out of memory, adds a message and returns false.
 */
bool
minidump_append(struct minidump *minidump, void *array, size_t *count, size_t *capacity,
		const void *item, size_t size);

/** Run the decoders of the crash's streams, in the order of stream.def. */
void
minidump_decode_streams(struct minidump *minidump);

/** Report that memory ran out; the crash stays as it is. */
void
minidump_no_memory(struct minidump *minidump);

/** Add a message about the crash's file; see message_add(). */
#define minidump_message(minidump, kind, place, ...)					\
	message_add(&(minidump)->crash->messages, MESSAGE_##kind, place, __VA_ARGS__)

/* context.c */

/**
 * Read the CPU context at `location` into `context`. `whose` names its owner in messages ("thread
 * 0xbf4"). If the context is truncated, the registers in its existing bytes are read.
 */
void
context_read(struct minidump *minidump, struct descriptor location, const char *whose,
	     struct crash_context *context);

struct context_layout;

/** context_decode() with a given layout. */
void
context_decode_as(struct minidump *minidump, const struct context_layout *layout,
		  const struct reader *bytes, uint32_t size, const char *whose,
		  struct crash_context *context);

/** context_read() from `bytes`, which should have `size` bytes; `context->place` must be set. */
void
context_decode(struct minidump *minidump, const struct reader *bytes, uint32_t size,
	       const char *whose, struct crash_context *context);

/* reason.c */

/** Name the crash: set crash->reason, reason_address and cause. */
void
reason_find(struct minidump *minidump);

/* The rows of stream.def */

struct describe;

struct stream_decoder {
	uint32_t type;
	const char *name;
	bool several;			/* streams of the type usually occur more than once */
	/** Stores the stream in the model; NULL: it is not stored. */
	bool (*decode)(struct minidump *minidump, const struct stream *stream,
		       const struct reader *window);
	/** Layout or function that describes the stream's fields to a sink. */
	const struct list_layout *layout;
	void (*describe)(struct describe *describe, const struct reader *window);
	/** Name of the source if the stream's texts are annotations, else NULL. */
	const char *annotations;
};

/** Whether the loader reads the streams of a row. */
static inline bool
stream_is_read(const struct stream_decoder *decoder)
{
	return decoder->decode != NULL || decoder->annotations != NULL;
}

/** The row of a stream type, or NULL. */
const struct stream_decoder *
minidump_decoder(uint32_t type);

#define STREAM_SHOWN(type, name, several, subject, annotations)			\
	void										\
	subject##_describe(struct describe *describe, const struct reader *window);
#define LAYOUT_SHOWN(type, name, several, subject, annotations)			\
	extern const struct list_layout subject##_layout;
#define DECODER(subject)								\
	bool										\
	subject##_decode(struct minidump *minidump, const struct stream *stream,	\
			 const struct reader *window);
#define STREAM_READ(type, name, several, subject, annotations)				\
	STREAM_SHOWN(type, name, several, subject, annotations) DECODER(subject)
#define LAYOUT_READ(type, name, several, subject, annotations)				\
	LAYOUT_SHOWN(type, name, several, subject, annotations) DECODER(subject)
#include "dump/stream.def"
#undef DECODER

/** Set a module's IDs from a build ID. Its debug file gets the name of the module. */
void
modules_set_build_id(struct minidump *minidump, const uint8_t *id, size_t length,
		     struct module *module);

/** Copy the build ID in a module's code identifier to `id`. Returns its size in bytes; 0: none. */
size_t
modules_build_id(const struct module *module, uint8_t id[LIMIT_BUILD_ID]);

/** Sort the regions of all memory lists by base and report overlaps. */
void
memory_finish(struct minidump *minidump);

/** The platform ID that a writer stores for a system; 0: none. */
uint32_t
system_platform(enum crash_os os);

/**
 * Report unknown properties of the processor. If no system info names a processor (mostly because a
 * file was cut), take it from the contexts. Needs threads and exception.
 */
void
system_finish(struct minidump *minidump);

/** Find every thread's stack; needs the sorted regions. */
void
threads_finish(struct minidump *minidump);

/**
 * Set thread->last_error, the value of GetLastError, for each thread of a Windows crash. It is in
 * the thread environment block, which full dumps have and small dumps may have. The crash's memory
 * must be indexed (memory_index).
 */
void
threads_read_last_errors(struct crash *crash);

/** Limit the cost of walks of threads that share their stacks. */
void
threads_bound(struct crash *crash);

struct memory_view;

/** Repeat the reads of threads_read_last_errors through a view, for the view's log. */
void
threads_reread(const struct crash *crash, const struct memory_view *memory);

/** threads_reread() for the contexts that wow64_find read from memory. */
void
wow64_reread(const struct crash *crash, const struct memory_view *memory);

/** Sort the mappings by base and drop those that begin inside another. */
void
memory_finish_mappings(struct minidump *minidump);

/** Add a mapping; false at the limit. */
bool
memory_add_mapping(struct minidump *minidump, struct mapping mapping);

/* minidump.c */

/** Read a crash's file as a minidump; false if it does not begin like one. */
bool
minidump_read(struct crash *crash);

/* microdump.c */

/** Records of microdumps have no stream types: use this number plus the letter of the record. */
#define MICRODUMP_STREAMS 0x6d640000u

/** Stream types of ELF cores: this number plus the types of core.h. */
#define CORE_STREAMS 0x434f0000u

/** Whether bytes begin like an ELF core. */
bool
core_recognise(const uint8_t *bytes, uint64_t size);

/** The size of a core by its headers; UINT64_MAX if not all headers are in the given bytes. */
uint64_t
core_extent(const uint8_t *bytes, uint64_t size);

/** Read a crash's file as an ELF core. */
void
core_read(struct crash *crash);

/** Whether a line of a text begins a microdump. */
bool
microdump_recognise(const uint8_t *bytes, uint64_t size);

/**
 * Read microdump `index` of a crash's file; microdumps count from 1. 0: the first complete
 * microdump, or if none is complete, the first of all. Sets crash->dump_count to the number of
 * microdumps. False: the file has fewer; nothing is read.
 */
bool
microdump_read(struct crash *crash, size_t index);

/* apple/apple_report.c */

/** Whether bytes begin like a crash report of Apple, in JSON or as text. */
bool
apple_recognise(const uint8_t *bytes, uint64_t size);

/** Read a crash's file as a crash report; false if it lists neither threads nor images. */
bool
apple_read(struct crash *crash);

/* wow64.c */

/**
 * If a 64-bit tool dumped a 32-bit Windows process, give each thread and exception the 32-bit
 * code's registers. Keep the stored registers as `native`. Needs all streams.
 */
void
wow64_find(struct minidump *minidump);

/* extra.c */

/**
 * Add the annotations of the file NAME.extra next to the dump NAME.dmp at `path`, with "extra" as
 * their source. A missing file is not an error; a malformed one is a message of the crash.
 */
void
extra_read(struct crash *crash, const char *path);

/** extra_read() from bytes; `name` is the name of the input in places. */
void
extra_from_memory(struct crash *crash, const char *name, const void *bytes, size_t size);

#endif
