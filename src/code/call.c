/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/machine.h"

#include <string.h>

/*
 * z/Architecture Principles of Operation, chapter 7: BRANCH AND SAVE, BRANCH RELATIVE AND SAVE.
 * Register 0 as the target of basr means that it does not branch.
 */
static bool
s390x_branches(const struct code *code, uint32_t word)
{
	(void)code;
	return (word & 0xf) != 0;
}

static uint64_t
s390x_near(const struct code *code, uint32_t word, uint64_t address)
{
	(void)code;
	return address + 2 * checked_extend(word, 16);
}

static uint64_t
s390x_far(const struct code *code, uint32_t word, uint64_t address)
{
	(void)word;
	return address + 2 * checked_extend(code_word(code, 4), 32);
}

static const struct call_form s390x_forms[] = {
	{ 6, 6, 0xffff0000, 0xc0e50000, NULL, s390x_far, 0, 0 },
	{ 4, 4, 0xffff0000, 0xa7e50000, NULL, s390x_near, 0, 0 },
	{ 2, 2, 0xfff0, 0x0de0, s390x_branches, NULL, 0, 0 },
};

static const struct family s390x = { FORMS(s390x_forms), .known = false };
const struct machine machine_S390X = { &s390x, 0, 0 };
const struct machine machine_UNKNOWN = { .family = NULL };

const struct machine *
machine_of(const struct arch *arch)
{
	static const struct machine *const machines[ARCH_COUNT] = {
#define ARCH(id) [ARCH_##id] = &machine_##id,
#include "crash/arch_id.def"
#undef ARCH
	};

	return machines[arch->id];
}

/* The 16 bits that begin `back` bytes before the return address. */
static uint32_t
half_of(const struct code *code, unsigned back)
{
	const uint8_t *bytes = code->end - back;

	return code->big_endian ? (uint32_t)bytes[0] << 8 | bytes[1]
				: (uint32_t)bytes[1] << 8 | bytes[0];
}

uint32_t
code_word(const struct code *code, unsigned back)
{
	return code->big_endian ? half_of(code, back) << 16 | half_of(code, back - 2)
				: half_of(code, back - 2) << 16 | half_of(code, back);
}

uint32_t
code_bit(uint32_t word, unsigned from, unsigned to)
{
	return (word >> from & 1) << to;
}

struct call_site
call_found(const struct code *code, unsigned back, unsigned length)
{
	return (struct call_site){ .answer = CALL_YES, .length = length,
			      .address = arch_wrap(code->arch, code->address - back) };
}

static bool
matches(const struct code *code, const struct call_form *form, bool halves, struct call_site *call)
{
	uint32_t word;

	if (form->length == 2)
		word = half_of(code, form->back);
	else if (halves)
		word = half_of(code, form->back) << 16 | half_of(code, form->back - 2);
	else
		word = code_word(code, form->back);
	if ((word & form->mask) != form->bits ||
	    (form->fits != NULL && !form->fits(code, word)))
		return false;
	*call = call_found(code, form->back, form->length);
	call->direct = form->target != NULL || form->offset_bits > 0;
	if (form->target != NULL)
		call->target = arch_wrap(code->arch, form->target(code, word, call->address));
	else if (call->direct)
		call->target = arch_wrap(code->arch, call->address + form->ahead +
				checked_extend((uint64_t)word << 2, form->offset_bits + 2));
	return true;
}

struct call_site
call_match(const struct code *code, const struct call_form *forms, size_t count, bool halves)
{
	struct call_site call = { .answer = CALL_NO };

	for (size_t i = 0; i < count; i++) {
		if (code->count < forms[i].back)
			call.answer = CALL_UNKNOWN;
		else if (matches(code, &forms[i], halves, &call))
			return call;
	}
	return call;
}

struct call_site
call_before(const struct arch *arch, bool big_endian, const uint8_t *bytes, size_t count,
	    uint64_t address)
{
	const struct family *family = machine_of(arch)->family;

	if (family == NULL)
		return (struct call_site){ .answer = CALL_UNKNOWN };
	const struct code code = { .arch = arch, .end = bytes + count, .count = count,
				   .address = address,
				   .big_endian = big_endian && !family->little_endian };
	return family->call != NULL
		       ? family->call(&code)
		       : call_match(&code, family->forms, family->form_count, false);
}

/* Bytes before a stub that are needed to recognise it. */
#define STUB_BEFORE 8u

bool
stub_decode(const struct arch *arch, const struct reader *code, uint64_t offset, uint64_t address,
	    uint64_t table, struct stub *stub)
{
	const struct family *family = machine_of(arch)->family;
	const uint64_t before = offset < STUB_BEFORE ? offset : STUB_BEFORE;
	const uint64_t left = code->size - offset;
	uint8_t window[STUB_BEFORE + STUB_WINDOW] = { 0 };
	const struct code at = { .arch = arch, .end = window + sizeof(window),
				 .address = address + STUB_WINDOW };

	*stub = (struct stub){ .length = 0 };
	memcpy(window + STUB_BEFORE - before, code->data + offset - before,
	       (size_t)(before + (left < STUB_WINDOW ? left : STUB_WINDOW)));
	if (family == NULL || family->stub == NULL || !family->stub(&at, table, stub))
		return false;
	stub->slot = arch_wrap(arch, stub->slot);
	return stub->length <= left;
}

bool
code_read(const struct memory_view *view, struct binaries *binaries, uint64_t address,
	  unsigned size, uint64_t *value)
{
	uint8_t bytes[8];

	if (memory_read(view, address, size, value, NULL))
		return true;
	if (binaries_read(binaries, address, bytes, size, NULL) != size)
		return false;
	*value = reader_number(bytes, size, view->big_endian);
	return true;
}

/* Copy up to CALL_WINDOW bytes of the dump before `address` to the end of `window`. */
static size_t
dump_bytes(const struct memory_view *view, uint64_t address, uint8_t *window)
{
	size_t count = 0;

	while (count < CALL_WINDOW && count < address) {
		uint64_t byte;

		if (!memory_read(view, address - count - 1, 1, &byte, NULL))
			break;
		count++;
		window[CALL_WINDOW - count] = (uint8_t)byte;
	}
	return count;
}

struct call_site
call_find(const struct arch *arch, const struct memory_view *view, struct binaries *binaries,
	  uint64_t address)
{
	uint64_t end = arch_code(arch, address);
	uint8_t window[CALL_WINDOW], byte;
	struct call_site call = { .answer = CALL_UNKNOWN };
	uint64_t value;

	size_t count = dump_bytes(view, end, window);
	if (count != 0)
		call = call_before(arch, view->big_endian, window + CALL_WINDOW - count, count,
				   address);
	if (call.answer == CALL_YES)
		memory_read(view, call.address, 1, &value, &call.place);
	if (call.answer != CALL_UNKNOWN || count == CALL_WINDOW)
		return call;
	/* Fewer than CALL_WINDOW bytes are readable only near the start of a segment. */
	for (count = CALL_WINDOW; count > 1; count--)
		if (count <= end &&
		    binaries_read(binaries, end - count, window + CALL_WINDOW - count, count,
				  NULL) == count)
			break;
	if (count <= 1)
		return call;
	call = call_before(arch, view->big_endian, window + CALL_WINDOW - count, count, address);
	if (call.answer == CALL_YES)
		binaries_read(binaries, call.address, &byte, 1, &call.place);
	call.place.length = call.length;
	return call;
}
