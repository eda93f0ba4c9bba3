/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dump/context/context.h"

#include <inttypes.h>
#include <string.h>

#include "base/compiler.h"
#include "dump/minidump_internal.h"

/* Windows ORs what the kernel knows into the flags of its own contexts (winnt.h, CONTEXT_...). */
#define KERNEL_BITS 0xf8000000u
#define CPU_MASK 0xffffff00u

static const struct context_layout *const layouts[] = {
#define LAYOUT(name) &context_layout_##name,
#include "dump/context/context.def"
#undef LAYOUT
};

static bool
flags_of(const struct context_layout *layout, const struct reader *bytes, uint64_t *flags)
{
	return reader_unsigned(bytes, layout->flags_offset, layout->flags_size, flags);
}

/* Whether size and flags say that bytes have a layout. */
static bool
confirms(const struct context_layout *layout, const struct reader *bytes, uint32_t size)
{
	uint64_t flags;

	if (size < layout->size || !flags_of(layout, bytes, &flags))
		return false;
	return (flags & layout->cpu) != 0 ||
	       (layout->cpu_legacy != 0 && (flags & CPU_MASK) == 0 &&
		(flags & layout->cpu_legacy) != 0);
}

/* The same without knowing the system: no other bits of the CPU's part may be set. */
static bool
insists(const struct context_layout *layout, const struct reader *bytes, uint32_t size)
{
	uint64_t flags;

	return size >= layout->size && flags_of(layout, bytes, &flags) &&
	       (flags & CPU_MASK & ~(uint64_t)(layout->kernel_bits ? KERNEL_BITS : 0)) ==
		       layout->cpu;
}

const struct context_layout *
context_choose(enum arch_id arch, const struct reader *bytes, uint32_t size)
{
	uint64_t flags;

	for (size_t i = 0; i < ARRAY_COUNT(layouts); i++)
		if (layouts[i]->arch == arch && confirms(layouts[i], bytes, size))
			return layouts[i];
	for (size_t i = 0; i < ARRAY_COUNT(layouts); i++)
		if (insists(layouts[i], bytes, size))
			return layouts[i];
	/* Flags that name no CPU at all leave it to the system info. */
	for (size_t i = 0; i < ARRAY_COUNT(layouts); i++)
		if (layouts[i]->arch == arch && size >= layouts[i]->size &&
		    flags_of(layouts[i], bytes, &flags) && (flags & CPU_MASK) == 0)
			return layouts[i];
	return NULL;
}

const struct context_layout *
context_layout_named(const char *name)
{
	for (size_t i = 0; i < ARRAY_COUNT(layouts); i++)
		if (strcmp(layouts[i]->name, name) == 0)
			return layouts[i];
	return NULL;
}

size_t
context_registers(const struct context_layout *layout,
		  struct context_register registers[ARCH_REGISTERS])
{
	size_t count = 0;

	for (size_t row = 0; row < layout->fields.count; row++) {
		const struct field *field = &layout->fields.rows[row];
		const uint32_t elements = field->reg == 0 ? 0 : field->count == 0 ? 1 : field->count;

		for (uint32_t i = 0; i < elements && count < ARCH_REGISTERS; i++)
			registers[count++] = (struct context_register){
				.number = (uint8_t)(field->reg - 1 + i), .size = field->size,
				.offset = field->offset + i * field->size };
	}
	return count;
}

static void
read_registers(struct crash_context *context, const struct context_layout *layout,
	       const struct reader *bytes)
{
	struct context_register registers[ARCH_REGISTERS];
	const size_t count = context_registers(layout, registers);

	for (size_t i = 0; i < count; i++) {
		const struct context_register *one = &registers[i];
		uint64_t value;

		context->register_offset[one->number] = bytes->start + one->offset;
		if (reader_unsigned(bytes, one->offset, one->size, &value))
			registers_set(&context->registers, one->number, value);
	}
}

/* A 64-bit process of SPARC is known by its stack pointer, which is odd (SCD 2.4, stack bias). */
static enum arch_id
arch_of(const struct context_layout *layout, const struct crash_context *context)
{
	const struct arch *arch = arch_by_id(layout->arch);
	const bool even = arch->narrow != NULL && context->registers.value[arch->sp] % 2 == 0;

	return even ? arch->narrow->id : arch->id;
}

static void
use_layout(struct minidump *minidump, const struct context_layout *layout,
	   const struct reader *bytes, const char *whose, struct crash_context *context)
{
	const struct arch *system = minidump->crash->system.arch;

	context->layout = layout->name;
	context->plain_size = layout->plain_size != 0 ? layout->plain_size : layout->size;
	flags_of(layout, bytes, &context->flags);
	read_registers(context, layout, bytes);
	const struct arch *arch = arch_by_id(arch_of(layout, context));
	context->arch = arch;
	context->present = registers_known(&context->registers, arch->pc) &&
			   registers_known(&context->registers, arch->sp);
	if (!context->present)
		minidump_message(minidump, CONTEXT_BROKEN, context->place,
				 "the file ends inside the context of %s, before its pc and sp",
				 whose);
	else if (layout->arch != system->id &&
		 !(layout->arch == ARCH_X86 && system->id == ARCH_AMD64 &&
		   minidump->crash->system.os == CRASH_OS_WINDOWS))
		minidump_message(minidump, CONTEXT_BROKEN, context->place,
				 "the context of %s is of %s, the system is %s"
				 "\nsize and flags of the context count",
				 whose, arch->name, system->name);
}

void
context_read(struct minidump *minidump, struct location location, const char *whose,
	     struct crash_context *context)
{
	struct reader bytes;

	if (location.size == 0 || location.rva == 0)
		return;
	context->place = reader_place(&minidump->crash->reader, location.rva, location.size);
	if (!minidump_bytes(minidump, location.rva, location.size, &bytes)) {
		minidump_message(minidump, CONTEXT_BROKEN, context->place,
				 "the context of %s lies behind the end of the file", whose);
		return;
	}
	context_decode(minidump, &bytes, location.size, whose, context);
}

void
context_decode(struct minidump *minidump, const struct reader *bytes, uint32_t size,
	       const char *whose, struct crash_context *context)
{
	const struct arch *arch = minidump->crash->system.arch;
	const struct context_layout *layout = context_choose(arch->id, bytes, size);
	uint32_t flags = 0;

	context->size = size;
	if (layout != NULL) {
		use_layout(minidump, layout, bytes, whose, context);
		return;
	}
	reader_u32(bytes, 0, &flags);
	context->flags = flags;
	minidump_message(minidump, CONTEXT_BROKEN, context->place,
			 "the context of %s has %" PRIu32 " bytes and flags 0x%" PRIx32
			 ", which fits no layout of %s", whose, size, flags, arch->name);
}
