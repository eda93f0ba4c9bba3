/* SPDX-License-Identifier: GPL-3.0-or-later */
/** The description of a dump and its bytes, shared by the two files of synth. */
#ifndef TESTS_LIB_SYNTH_INTERNAL_H
#define TESTS_LIB_SYNTH_INTERNAL_H

#include "tests/lib/synth.h"

/* A growing buffer of bytes or of structures. */
struct synth_bytes {
	uint8_t *data;
	size_t size;
};

struct synth_module {
	uint64_t base;
	uint32_t size, timestamp, version_high, version_low;
	bool has_version, misc_wide;
	const char *name, *debug_file, *id, *misc;
	struct synth_bytes record;
};

struct synth_thread {
	uint32_t id;
	uint64_t stack_base;
	size_t stack_size;
	uint64_t teb;
	struct synth_bytes stack, context;
};

struct synth_exception {
	uint32_t thread, code, flags, claimed;
	uint64_t address, parameters[15];
	uint32_t parameter_count;
	struct synth_bytes context;
};

struct synth_memory {
	uint64_t base;
	struct synth_bytes bytes;
	bool wide;
};

struct synth_info {
	uint64_t base, size;
	uint32_t state, protection, type;
};

struct synth_name {
	uint32_t id;
	const char *name;
};

struct synth_annotation {
	int module;
	const char *key, *value;
};

struct synth_stream {
	uint32_t type;
	struct synth_bytes bytes;
};

struct synth {
	enum arch_id arch;
	bool big_endian;
	struct synth_style style;
	uint16_t processor, level, revision;
	uint8_t cpu_count;
	uint32_t platform, major, minor, build, cpu_words[3];
	const char *service_pack;
	uint64_t address_mask;
	bool has_crashpad, context_is_exception;
	/* Arrays of the structures above, and of struct synth_bytes. */
	struct synth_bytes modules, unloaded, threads, names, exceptions, memories, infos,
		annotations, streams, words;
	/* Used while the dump is written. */
	struct synth_bytes out;
	size_t directory, written;
};

#define SYNTH_COUNT(bytes, type) ((bytes).size / sizeof(type))
#define SYNTH_AT(bytes, type, index) (&((type *)(void *)(bytes).data)[index])
#define SYNTH_LAST(bytes, type) SYNTH_AT(bytes, type, SYNTH_COUNT(bytes, type) - 1)

/** Append a copy of bytes, or zeros if `data` is NULL; returns the start of the copy. */
void *
synth_append(struct synth_bytes *bytes, const void *data, size_t size);

/** A copy of bytes, in a buffer of its own. */
struct synth_bytes
synth_copy(const void *data, size_t size);

/** Write a value of `size` bytes in the dump's byte order. */
void
synth_store(const struct synth *synth, uint8_t *place, unsigned size, uint64_t value);

/** Append a value of `size` bytes in the dump's byte order. */
void
synth_put(const struct synth *synth, struct synth_bytes *bytes, unsigned size, uint64_t value);

/** UTF-8 as UTF-16 units (characters below U+10000), without length and terminator. */
void
synth_put_units(const struct synth *synth, struct synth_bytes *bytes, const char *text);

#endif
