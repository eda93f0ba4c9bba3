/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FRAME_TABLE_CFI_BYTES_H
#define FRAME_TABLE_CFI_BYTES_H

#include "base/checked.h"
#include "base/reader.h"
#include "frame_table/dwarf_codes.h"

/** The unread bytes of a section of call frame information, or of data that it points to. */
struct cfi_bytes {
	const struct reader *section;
	uint64_t at, end;
	bool failed;		/* bytes were missing: values read since are 0 */
	uint64_t address;	/* linked address of the section */
	unsigned word_size;
};

/* The bits of a pointer's encoding that select the base of its value. */
#define CFI_APPLIED 0x70

/** An unsigned value of 1, 2, 4 or 8 bytes. */
static inline uint64_t
cfi_fixed(struct cfi_bytes *bytes, unsigned size)
{
	uint64_t value = 0;

	bytes->failed = bytes->failed || bytes->end - bytes->at < size;
	if (bytes->failed)
		return 0;
	const uint8_t *from = bytes->section->data + bytes->at;
	bytes->at += size;
	if (size == 1)
		return *from;
	if (size == 4 && !bytes->section->big_endian)
		return reader_little(from);
	for (unsigned i = 0; i < size; i++)
		value |= (uint64_t)from[bytes->section->big_endian ? size - 1 - i : i] << 8 * i;
	return value;
}

/** A number of any length (DWARF 5, 7.6). */
static inline uint64_t
cfi_leb128(struct cfi_bytes *bytes, bool is_signed)
{
	uint64_t value = 0;
	unsigned shift = 0;

	/* Nearly all numbers have one byte. */
	if (!bytes->failed && bytes->at < bytes->end && bytes->section->data[bytes->at] < 0x40)
		return bytes->section->data[bytes->at++];
	for (uint8_t byte = 0x80; (byte & 0x80) != 0;) {
		if (bytes->failed || bytes->at >= bytes->end) {
			bytes->failed = true;
			return 0;
		}
		byte = bytes->section->data[bytes->at++];
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (is_signed && (byte & 0xc0) == 0x40 && shift < 64)
			value |= UINT64_MAX << shift;
	}
	return value;
}

/** Skip bytes. Returns the offset of the first skipped byte. */
static inline uint64_t
cfi_skip(struct cfi_bytes *bytes, uint64_t count)
{
	const uint64_t from = bytes->at;

	bytes->failed = bytes->failed || bytes->end - bytes->at < count;
	bytes->at += bytes->failed ? 0 : count;
	return from;
}

/** Read an encoded address (0: none; LSB, 10.5.1), or an encoded size if `size` is true. */
static inline uint64_t
cfi_pointer(struct cfi_bytes *bytes, int encoding, bool size)
{
	static const uint8_t widths[8] = { [DW_EH_PE_udata2] = 2, [DW_EH_PE_udata4] = 4,
					   [DW_EH_PE_udata8] = 8 };
	const unsigned low = (unsigned)encoding & 7u;
	const unsigned width = low == DW_EH_PE_absptr ? bytes->word_size : widths[low];
	const uint64_t at = bytes->at;
	uint64_t value;

	if (low == DW_EH_PE_uleb128)
		value = cfi_leb128(bytes, (encoding & DW_EH_PE_signed) != 0);
	else
		value = cfi_fixed(bytes, width);
	bytes->failed = bytes->failed || (width == 0 && low != DW_EH_PE_uleb128);
	if ((encoding & DW_EH_PE_signed) != 0 && width > 0 && !size)
		value = checked_extend(value, 8 * width);
	if ((encoding & CFI_APPLIED) == DW_EH_PE_pcrel && !size && value != 0)
		value += bytes->address + at;
	else if ((encoding & CFI_APPLIED) != DW_EH_PE_absptr &&
		 (encoding & CFI_APPLIED) != DW_EH_PE_pcrel && !size)
		bytes->failed = true;
	return bytes->word_size == 4 ? (uint32_t)value : value;
}

#endif
