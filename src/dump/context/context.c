/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/context/context.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "dump/core.h"
#include "dump/describe_internal.h"

/* The kernel of Windows ORs bits of its own into the flags of contexts (winnt.h, CONTEXT_...). */
#define KERNEL_BITS 0xf8000000u
#define CPU_MASK 0xffffff00u

static const struct context_layout layouts[] = {
#define LAYOUT(fields, name, arch, ...) { name, arch, &context_##fields, __VA_ARGS__ },
#include "dump/context/context.def"
};

static bool
flags_of(const struct context_layout *layout, const struct reader *bytes, uint64_t *flags)
{
	return reader_unsigned(bytes, layout->flags_offset, layout->flags_size, flags);
}

/*
 * The layout of a context of `size` bytes; `bytes` has the part that is in the file. The size and
 * the flags select the layout. If two layouts match, the system's architecture `arch` decides.
 * NULL: no layout matches.
 */
static const struct context_layout *
choose_layout(enum arch_id arch, const struct reader *bytes, uint32_t size)
{
	for (unsigned pass = 0; pass < 3; pass++) {
		for (size_t i = 0; i < ARRAY_COUNT(layouts); i++) {
			const struct context_layout *layout = &layouts[i];
			const uint64_t kernel = layout->kernel_bits ? KERNEL_BITS : 0;
			uint64_t flags;

			if (size < layout->fields->size || !flags_of(layout, bytes, &flags))
				continue;
			const bool unnamed = (flags & CPU_MASK) == 0;
			const bool fits[] = {
				layout->arch == arch && ((flags & layout->cpu) != 0 ||
				 (unnamed && (flags & layout->cpu_legacy) != 0)),
				/*
				 * On another system, the CPU's part must match the layout exactly.
				 */
				(flags & CPU_MASK & ~kernel) == layout->cpu,
				/* If the flags have no CPU, the system info decides. */
				layout->arch == arch && unnamed,
			};
			if (fits[pass])
				return layout;
		}
	}
	return NULL;
}

const struct context_layout *
context_layout_named(const char *name)
{
	for (size_t i = 0; i < ARRAY_COUNT(layouts); i++)
		if (strcmp(layouts[i].name, name) == 0)
			return &layouts[i];
	return NULL;
}

const struct context_layout *
context_layout_of(const struct arch *arch)
{
	for (size_t i = 0; i < ARRAY_COUNT(layouts); i++)
		if (layouts[i].arch == arch->id)
			return &layouts[i];
	return NULL;
}

size_t
context_registers(const struct structure *fields,
		  struct context_register registers[ARCH_REGISTERS])
{
	size_t count = 0;

	for (size_t row = 0; row < fields->count; row++) {
		const struct field *field = &fields->rows[row];
		const uint32_t count_of = field->count == 0 ? 1 : field->count;
		const uint32_t elements = field->reg == 0 ? 0 : count_of;

		for (uint32_t i = 0; i < elements && count < ARCH_REGISTERS; i++)
			registers[count++] = (struct context_register){
				.number = (uint8_t)(field->reg - 1 + i), .size = field->size,
				.offset = field->offset + i * field->size };
	}
	return count;
}

bool
context_decode_fields(const struct structure *fields, const struct reader *bytes,
		      struct crash_context *context)
{
	struct context_register registers[ARCH_REGISTERS];
	const size_t count = context_registers(fields, registers);
	uint64_t value;

	for (size_t i = 0; i < count; i++) {
		const struct context_register *one = &registers[i];

		context->register_offset[one->number] = bytes->start + one->offset;
		if (reader_unsigned(bytes, one->offset, one->size, &value))
			registers_set(&context->registers, one->number, value);
	}
	return count > 0;
}

void
context_read(struct minidump *minidump, struct descriptor location, const char *whose,
	     struct crash_context *context)
{
	struct reader bytes;

	if (location.size == 0 || location.rva == 0)
		return;
	context->place = reader_place(&minidump->crash->reader, location.rva, location.size);
	if (!crash_bytes(minidump->crash, location.rva, location.size, &bytes)) {
		minidump_message(minidump, CONTEXT_BROKEN, context->place,
				 "the context of %s lies past the end of the file", whose);
		return;
	}
	context_decode(minidump, &bytes, location.size, whose, context);
}

void
context_decode(struct minidump *minidump, const struct reader *bytes, uint32_t size,
	       const char *whose, struct crash_context *context)
{
	const struct arch *system = minidump->crash->system.arch;
	const struct context_layout *layout = choose_layout(system->id, bytes, size);
	uint32_t flags = 0;

	if (layout != NULL) {
		context_decode_as(minidump, layout, bytes, size, whose, context);
		return;
	}
	context->size = size;
	reader_u32(bytes, 0, &flags);
	context->flags = flags;
	minidump_message(minidump, CONTEXT_BROKEN, context->place,
			 "the context of %s has %" PRIu32 " bytes and flags 0x%" PRIx32
			 ", which matches no layout of %s", whose, size, flags, system->name);
}

void
context_decode_as(struct minidump *minidump, const struct context_layout *layout,
		  const struct reader *bytes, uint32_t size, const char *whose,
		  struct crash_context *context)
{
	const struct arch *system = minidump->crash->system.arch;

	context->size = size;
	context->layout = layout->name;
	context->plain_size = layout->plain_size != 0 ? layout->plain_size : layout->fields->size;
	flags_of(layout, bytes, &context->flags);
	context_decode_fields(layout->fields, bytes, context);
	const struct arch *arch = arch_by_id(layout->arch);
	/* In a 64-bit process of SPARC the stack pointer is odd (SCD 2.4, stack bias). */
	if (arch->narrow != NULL && context->registers.value[arch->sp] % 2 == 0)
		arch = arch->narrow;
	context->arch = arch;
	context->present = registers_known(&context->registers, arch->pc) &&
			   registers_known(&context->registers, arch->sp);
	if (!context->present)
		minidump_message(minidump, CONTEXT_BROKEN, context->place,
				 "the file ends inside the context of %s, before its pc and sp",
				 whose);
	else if (arch_known(system) && layout->arch != system->id &&
		 !(layout->arch == ARCH_X86 && system->id == ARCH_AMD64 &&
		   minidump->crash->system.os == CRASH_OS_WINDOWS))
		minidump_message(minidump, CONTEXT_BROKEN, context->place,
				 "the context of %s is for %s, but the system is %s"
				 "\nthe size and flags of the context are used",
				 whose, arch->name, system->name);
}

/* CONTEXT_EX (winnt.h) follows the old context. Its offsets count from its own beginning. */
static const struct field extension_fields[] = {
	{ 0, 4, FIELD_SIGNED, .name = "context_ex.all.offset" },
	{ 4, 4, FIELD_DECIMAL, .name = "context_ex.all.length" },
	{ 8, 4, FIELD_SIGNED, .name = "context_ex.legacy.offset" },
	{ 12, 4, FIELD_DECIMAL, .name = "context_ex.legacy.length" },
	{ 16, 4, FIELD_SIGNED, .name = "context_ex.xstate.offset" },
	{ 20, 4, FIELD_DECIMAL, .name = "context_ex.xstate.length" },
};

static const struct field header_fields[] = {
	{ 0, 8, FIELD_HEX, .name = "xsave.mask" },
	{ 8, 8, FIELD_HEX, .name = "xsave.compaction_mask" },
};

#define XSAVE_LEGACY 512u	/* bytes of the x87 and SSE state, which the area lacks */
#define XSAVE_HEADER 64u
#define FEATURE_CET 11u
#define MISC_FEATURES 848u	/* offset of the features in MiscInfo */

static const struct field cet_fields[] = {
	{ 0, 8, FIELD_HEX, .name = "cet_u.msr" },
	{ 8, 8, FIELD_ADDRESS, .name = "cet_u.ssp" },
};

/* The offset of a feature from the area's beginning, according to MiscInfo. */
static bool
feature_of(const struct crash *crash, uint32_t feature, uint32_t *offset, uint32_t *size)
{
	for (size_t i = 0; i < crash->stream_count; i++) {
		const struct stream *stream = &crash->streams[i];
		uint64_t at = stream->offset + MISC_FEATURES + 8 * (uint64_t)feature;

		if (stream->type == STREAM_MISC && stream->size >= 1364)
			return reader_u32(&crash->reader, at, offset) &&
			       reader_u32(&crash->reader, at + 4, size) && *size > 0 &&
			       *offset >= XSAVE_LEGACY + XSAVE_HEADER;
	}
	return false;
}

static void
tell_features(struct describe *describe, const struct reader *area)
{
	uint64_t mask = 0;

	describe_fields(describe, FIELDS(header_fields), area);
	reader_u64(area, 0, &mask);
	for (uint32_t i = 2; i < 64; i++) {
		uint32_t offset, size;
		struct reader state;
		char name[24];

		if ((mask >> i & 1) == 0 || !feature_of(describe->crash, i, &offset, &size) ||
		    !reader_window(area, offset - XSAVE_LEGACY, size, &state))
			continue;
		if (i == FEATURE_CET) {
			describe_fields(describe, FIELDS(cet_fields), &state);
			continue;
		}
		snprintf(name, sizeof(name), "xsave.feature[%u]", i);
		describe_bytes(describe, name, &state, 0, state.size);
	}
}

static void
tell_context(struct describe *describe, const struct context_layout *layout,
	     const struct reader *bytes)
{
	const uint32_t size = layout->fields->size;
	uint32_t legacy = 0, offset = 0, length = 0;
	struct reader extension, area;

	describe_structure(describe, *layout->fields, bytes, size);
	/* The rest is extended processor state if CONTEXT_EX describes it, else plain bytes. */
	if (bytes->size <= size)
		return;
	reader_window(bytes, size, bytes->size - size, &extension);
	reader_u32(&extension, 12, &legacy);
	reader_u32(&extension, 16, &offset);
	reader_u32(&extension, 20, &length);
	if (!layout->xstate || legacy != size || length < XSAVE_HEADER ||
	    !reader_window(&extension, offset, length, &area)) {
		describe_bytes(describe, "rest", &extension, 0, extension.size);
		return;
	}
	describe_fields(describe, FIELDS(extension_fields), &extension);
	tell_features(describe, &area);
}

void
describe_registers(struct describe *describe, const struct reader *bytes, uint32_t size)
{
	const struct arch *arch = describe->crash->system.arch;
	const struct context_layout *layout =
		describe->crash->core ? core_context_layout(arch, core_word(describe->crash))
				      : choose_layout(arch->id, bytes, size);

	if (layout != NULL)
		tell_context(describe, layout, bytes);
}

void
describe_context(struct describe *describe, struct descriptor location)
{
	static const char name[] = "context";
	struct reader bytes;

	if (location.size == 0 || location.rva == 0 || !describe_whole(describe) ||
	    !describe_window(describe, name, location, &bytes))
		return;
	const struct context_layout *layout =
		choose_layout(describe->crash->system.arch->id, &bytes, location.size);
	if (!describe_begin_clipped(describe, name,
				    layout != NULL ? layout->name : "no layout fits", &bytes,
				    location.size))
		return;
	if (layout != NULL)
		tell_context(describe, layout, &bytes);
	else
		describe_bytes(describe, "bytes", &bytes, 0, bytes.size);
	describe_end(describe);
}
