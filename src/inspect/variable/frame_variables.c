/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inspect/variable/frame_variables.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>


const char *const variable_locations[VARIABLE_LOCATIONS] = {
	[VARIABLE_MEMORY] = "memory",
	[VARIABLE_REGISTER] = "register",
	[VARIABLE_CONSTANT] = "constant",
	[VARIABLE_COMPUTED] = "computed",
	[VARIABLE_FROM_ENTRY] = "computed from an entry value",
	[VARIABLE_PIECES] = "pieces",
	[VARIABLE_POINTER] = "implicit pointer",
	[VARIABLE_PARTLY] = "partly optimized out",
	[VARIABLE_ABSENT] = "optimized out",
};

/* Maximum size of a value made of registers, constants and parts. */
#define MOST_MADE ((uint64_t)1 << 16)

/* Parts ---------------------------------------------------------------------------------------- */

/* A value that is assembled bit by bit. */
struct assembly {
	uint8_t *bytes, *known;
	uint64_t size;			/* in bytes */
	uint64_t at;			/* in bits */
	bool big_endian;
};

/* The mask of a value's bit `bit` in its byte. Big-endian values begin with the highest bit. */
static uint8_t
mask_of(uint64_t bit, bool big_endian)
{
	return (uint8_t)(big_endian ? 0x80u >> bit % 8 : 1u << bit % 8);
}

/* Adds bits of a part; `bytes` NULL: their values are unknown. */
static void
add_bits(struct assembly *to, const uint8_t *bytes, uint64_t from, uint64_t count)
{
	for (uint64_t i = 0; i < count && to->at < 8 * to->size; i++, to->at++) {
		const uint8_t mask = mask_of(to->at, to->big_endian);
		const uint64_t at = from + i;

		if (bytes == NULL)
			continue;
		to->known[to->at / 8] |= mask;
		if ((bytes[at / 8] & mask_of(at, to->big_endian)) != 0)
			to->bytes[to->at / 8] |= mask;
	}
}

/* Adds a number with `available` known bits. */
static const char *
add_number(struct assembly *to, uint64_t value, uint64_t bits, uint64_t offset, uint64_t available)
{
	uint8_t word[8];

	if (offset > available || bits > available - offset) {
		add_bits(to, NULL, 0, bits);
		return "the value is larger than what holds it";
	}
	reader_put_number(word, sizeof(word), to->big_endian, value);
	/* In big-endian order the low bits come last. */
	add_bits(to, word, to->big_endian ? 64 - bits - offset : offset, bits);
	return NULL;
}

static const char *
add_memory(struct assembly *to, const struct value_frame *frame, uint64_t address, uint64_t bits,
	   uint64_t offset, struct arena *arena)
{
	const uint64_t size = (offset % 8 + bits + 7) / 8;
	uint8_t *bytes = size <= MOST_MADE ? arena_alloc(arena, (size_t)size + 1) : NULL;

	if (bytes == NULL ||
	    value_read(frame, address + offset / 8, bytes, (size_t)size) < size) {
		add_bits(to, NULL, 0, bits);
		return value_unread(address, arena);
	}
	add_bits(to, bytes, offset % 8, bits);
	return NULL;
}

/*
 * Converts an x87 register, which always has 10 bytes (Intel SDM volume 1, 4.2.2), to a number of 4
 * or 8 bytes.
 */
static unsigned
narrow_x87(uint8_t bytes[VALUE_REGISTER], uint64_t size)
{
	const uint64_t mantissa = reader_number(bytes, 8, false);
	const int exponent = (bytes[9] & 0x7f) << 8 | bytes[8];
	const double rest = mantissa << 1 == 0 ? INFINITY : NAN;
	const double number =
		copysign(exponent == 0x7fff ? rest : ldexp((double)mantissa, exponent - 16383 - 63),
			 (bytes[9] & 0x80) != 0 ? -1 : 1);
	const float less = (float)number;
	uint32_t short_bits;
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	memcpy(&short_bits, &less, sizeof(short_bits));
	reader_put_number(bytes, 8, false, size == sizeof(less) ? short_bits : bits);
	return (unsigned)size;
}

/* Adds a part; returns why it has no value, or NULL. */
static const char *
add_part(struct assembly *to, struct value_frame *frame, const struct location_part *part,
	 uint64_t bits, struct arena *arena)
{
	const struct arch *arch = frame->walk->arch;
	uint8_t wide[VALUE_REGISTER];
	unsigned size = 0;
	const char *why;

	switch (part->kind) {
	case LOCATION_MEMORY:
		return add_memory(to, frame, part->number, bits, part->bit_offset, arena);
	case LOCATION_REGISTER:
		why = value_frame_register(frame, part->number, wide, &size);
		if (why == NULL && size == VALUE_X87 && part->whole && (bits == 32 || bits == 64))
			size = narrow_x87(wide, bits / 8);
		if (why == NULL &&
		    (part->bit_offset > 8 * size || bits > 8 * size - part->bit_offset))
			why = "the value is larger than its register";
		if (why == NULL)
			add_bits(to, wide, to->big_endian ? 8 * size - bits - part->bit_offset
							  : part->bit_offset, bits);
		else
			add_bits(to, NULL, 0, bits);
		return why;
	case LOCATION_VALUE:
		return add_number(to, part->constant ? part->written : part->number, bits,
				  part->bit_offset,
				  arch->word_size == 8 || part->whole || part->constant ? 64 : 32);
	case LOCATION_BYTES:
		if (part->bit_offset <= 8 * part->bytes.size &&
		    bits <= 8 * part->bytes.size - part->bit_offset) {
			add_bits(to, part->bytes.data, part->bit_offset, bits);
			return NULL;
		}
		add_bits(to, NULL, 0, bits);
		return "the constant is shorter than its type";
	default:
		add_bits(to, NULL, 0, bits);
		return part->why != NULL ? part->why : "a part is a pointer without an address";
	}
}

/* Makes a value that has several parts or is not in memory. */
static void
assemble(struct variable_value *variable, struct value_frame *frame, struct arena *arena)
{
	const struct location_result *result = variable->result;
	struct typed_value *value = &variable->value;
	const uint64_t size = value->type->size;
	struct assembly to = { .size = size, .big_endian = frame->memory->big_endian };

	if (!value->type->has_size || size > MOST_MADE) {
		value->why = value->type->has_size ? "more than 65536 bytes that are not in memory"
						   : value_size_unknown(value->type);
		return;
	}
	to.bytes = arena_alloc(arena, (size_t)size + 1);
	to.known = arena_alloc(arena, (size_t)size + 1);
	if (to.bytes == NULL || to.known == NULL) {
		value->why = "out of memory";
		return;
	}
	const char *why = NULL;
	for (size_t i = 0; i < result->count; i++) {
		const struct location_part *part = &result->parts[i];
		const char *missing =
			add_part(&to, frame, part, part->whole ? 8 * size : part->bits, arena);
		why = why == NULL ? missing : why;
	}
	/* A byte is known if all its bits are known. */
	size_t known = 0;
	for (uint64_t i = 0; i < size; i++) {
		to.known[i] = to.known[i] == 0xff;
		known += to.known[i];
	}
	value->bytes = to.bytes;
	value->known = to.known;
	value->size = size;
	if (known == 0 && size > 0)
		value->why = why != NULL ? why : "optimised out";
}

/* Variables ------------------------------------------------------------------------------------ */

static const char *
describe_part(const struct value_frame *frame, const struct location_part *part,
	      struct arena *arena)
{
	const struct arch *arch = frame->walk->arch;

	switch (part->kind) {
	case LOCATION_MEMORY:
		return part->postfix == NULL ? "memory"
					     : arena_format(arena, "memory at %s", part->postfix);
	case LOCATION_REGISTER:
		return arena_format(arena, "register %s",
				    value_register_label(arch, part->number, arena));
	case LOCATION_VALUE:
		return part->postfix == NULL ? "computed"
					     : arena_format(arena, "computed: %s", part->postfix);
	case LOCATION_BYTES:
		return "constant";
	case LOCATION_POINTER:
		return "pointer to a value without an address";
	default:
		return part->why;
	}
}

static const char *
describe_parts(const struct value_frame *frame, const struct location_result *result,
	       struct arena *arena)
{
	const char *text = "";

	if (result->count == 1)
		return describe_part(frame, &result->parts[0], arena);
	for (size_t i = 0; i < result->count && text != NULL; i++) {
		const struct location_part *part = &result->parts[i];
		const char *one = describe_part(frame, part, arena);
		const bool bytes = part->bits % 8 == 0;

		const uint64_t size = bytes ? part->bits / 8 : part->bits;
		text = arena_format(arena, "%s%s%" PRIu64 " %s%s: %s", text, i > 0 ? "; " : "",
				    size, bytes ? "byte" : "bit", plural(size), text_or_empty(one));
	}
	return text;
}

static enum variable_location
location_of_part(const struct location_part *part)
{
	static const enum variable_location locations[] = {
		[LOCATION_ABSENT] = VARIABLE_ABSENT,  [LOCATION_MEMORY] = VARIABLE_MEMORY,
		[LOCATION_REGISTER] = VARIABLE_REGISTER, [LOCATION_VALUE] = VARIABLE_COMPUTED,
		[LOCATION_BYTES] = VARIABLE_COMPUTED, [LOCATION_POINTER] = VARIABLE_POINTER,
	};

	return part->kind == LOCATION_VALUE && part->entry_value ? VARIABLE_FROM_ENTRY
								 : locations[part->kind];
}

/* Takes the value from the parts of a location. */
static void
take_result(struct variable_value *variable, struct value_frame *frame, struct arena *arena)
{
	const struct location_result *result = variable->result;
	const struct location_part *first = &result->parts[0];
	struct typed_value *value = &variable->value;
	bool missing = false;

	variable->how = describe_parts(frame, result, arena);
	if (result->count > 1 || !first->whole) {
		assemble(variable, frame, arena);
		for (uint64_t i = 0; value->known != NULL && i < value->size; i++)
			missing |= !value->known[i];
		/* Padding has no part: that is not an error. */
		variable->location = value->why != NULL ? VARIABLE_ABSENT
				     : missing && value_lacks_member(value, arena)
					     ? VARIABLE_PARTLY
					     : VARIABLE_PIECES;
		return;
	}
	variable->location = location_of_part(first);
	switch (first->kind) {
	case LOCATION_ABSENT:
		value->why = first->why;
		break;
	case LOCATION_MEMORY:
		value->in_memory = true;
		value->address = first->number;
		value_resolve(value, arena);
		break;
	case LOCATION_POINTER:
		value->target = first->target;
		value->target_offset = first->offset;
		break;
	default:
		assemble(variable, frame, arena);
	}
}

/* Extends a number of eight bytes to a larger type. */
static const uint8_t *
extend(uint64_t number, const struct debug_type *type, bool big_endian, struct arena *arena)
{
	const size_t size = (size_t)type->size;
	uint8_t *bytes = arena_alloc(arena, size);

	if (bytes == NULL)
		return NULL;
	memset(bytes, type->is_signed && (int64_t)number < 0 ? 0xff : 0, size);
	reader_put_number(big_endian ? bytes + size - 8 : bytes, 8, big_endian, number);
	return bytes;
}

/* Takes a constant; an integer may be shorter or longer than its type. */
static void
take_constant(struct variable_value *variable, struct value_frame *frame,
	      const struct debug_location *location, struct arena *arena)
{
	struct location_result *result = arena_alloc(arena, sizeof(*result));

	variable->location = VARIABLE_CONSTANT;
	variable->how = "constant";
	if (result == NULL) {
		variable->value.why = "out of memory";
		return;
	}
	result->count = 1;
	result->parts[0].whole = true;
	result->parts[0].kind =
		location->kind == DEBUG_LOCATION_NUMBER ? LOCATION_VALUE : LOCATION_BYTES;
	result->parts[0].number = location->number;
	result->parts[0].bytes = location->bytes;
	const struct debug_type *type = variable->value.type;
	/* Compilers write 0 for objects of any size. */
	if (location->kind == DEBUG_LOCATION_NUMBER && type->size > 8 && type->size <= MOST_MADE &&
	    (type->kind == DEBUG_TYPE_NUMBER || location->number == 0)) {
		result->parts[0].kind = LOCATION_BYTES;
		result->parts[0].bytes = (struct reader){
			.data = extend(location->number, type, frame->memory->big_endian, arena),
			.size = type->size };
		if (result->parts[0].bytes.data == NULL)
			result->parts[0].bytes.size = 0;
	}
	variable->result = result;
	assemble(variable, frame, arena);
	variable->result = NULL;
}

static const char *
elsewhere(const struct value_frame *frame, const struct debug_location *location,
	  struct arena *arena)
{
	const struct walk *walk = frame->walk;
	const uint64_t base = walk->crash->modules[walk->frames[frame->number].module].base;

	if (!location->has_nearest)
		return "optimised out here";
	return location->high <= frame->relative
		       ? arena_format(arena, "optimised out here: it had a value until 0x%" PRIx64,
				      base + location->high)
		       : arena_format(arena,
				      "optimised out here: it has a value from 0x%" PRIx64 " on",
				      base + location->low);
}

bool
variable_value_of(struct value_frame *frame, const struct debug_variable *variable,
		  struct arena *arena, struct variable_value *value)
{
	*value = (struct variable_value){
		.location = VARIABLE_ABSENT, .value.frame = frame,
		.value.type = debug_type_of(&variable->entry, arena) };
	if (value->value.type == NULL)
		return false;
	if (variable->outside) {
		value->value.why = "not in scope at this address";
		return true;
	}
	const struct debug_location location =
		debug_locate(&variable->entry, DEBUG_LOCATION, frame->relative);
	switch (location.kind) {
	case DEBUG_LOCATION_CONSTANT:
	case DEBUG_LOCATION_NUMBER:
		take_constant(value, frame, &location, arena);
		break;
	case DEBUG_LOCATION_EXPRESSION:
		if (location.expression.dwarf.code.size == 0) {
			value->value.why = "optimised out here";
			break;
		}
		value->result = value_frame_run(frame, &location.expression,
						&(struct location_start){ .records = true }, arena);
		if (value->result == NULL)
			return false;
		take_result(value, frame, arena);
		break;
	case DEBUG_LOCATION_ELSEWHERE:
		value->value.why = elsewhere(frame, &location, arena);
		break;
	case DEBUG_LOCATION_BROKEN:
		value->value.why = "its location cannot be read";
		break;
	default:
		value->value.why = variable->abstract ? "optimised out: no code of it is left here"
						      : "optimised out";
	}
	return true;
}

size_t
frame_variables_globals(const struct value_frame *frame, struct arena *arena,
			struct debug_variable **globals)
{
	const struct frame *found = &frame->walk->frames[frame->number];

	*globals = NULL;
	return frame->why != NULL
		       ? 0
		       : debug_globals_at(frame->walk->binaries, (size_t)found->module,
					  frame->relative, arena, globals);
}
