/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sframe/sframe_write.h"

#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "sframe/sframe_format.h"

struct row_writing {
	const struct sframe_table *form;
	struct {
		int64_t value;
		bool control;		/* a control word is unsigned, other words are signed */
	} words[SFRAME_WORDS];
	unsigned count;
	const char *refused;
};

static void
word(struct row_writing *row, int64_t value, bool control)
{
	row->words[row->count].value = value;
	row->words[row->count++].control = control;
}

/* Only the first reason is reported. */
static void
no(struct row_writing *row, const char *why)
{
	if (row->refused == NULL)
		row->refused = why;
}

static void
put(const struct sframe_table *form, uint8_t *bytes, unsigned size, uint64_t value)
{
	for (unsigned i = 0; i < size; i++)
		bytes[form->reader.big_endian ? size - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

static bool
fits(int64_t value, bool is_unsigned, unsigned size)
{
	return is_unsigned ? (uint64_t)value >> 8 * size == 0
			   : (int64_t)checked_extend((uint64_t)value, 8 * size) == value;
}

/* Whether a rule needs no words: it is empty, or the header gives it. */
static bool
is_unspoken(const struct sframe_rule *rule)
{
	return rule->kind == SFRAME_UNSAVED || rule->kind == SFRAME_FIXED ||
	       rule->kind == SFRAME_PADDING;
}

/* The register that holds a value unchanged; -1: the rule is not a register. */
static int
inside_register(const struct sframe_rule *rule)
{
	const bool plain = rule->kind == SFRAME_OFFSET && rule->base != SFRAME_CFA &&
			   rule->offset == 0 && !rule->dereference;

	return plain || rule->kind == SFRAME_IN_REGISTER ? rule->base : -1;
}

/* Ordinary rows -------------------------------------------------------------------------------- */

static void
default_cfa(struct row_writing *row, const struct sframe_rule *cfa)
{
	const struct sframe_registers *registers = sframe_registers(row->form->abi);
	int64_t offset = cfa->offset;

	if (cfa->dereference)
		no(row, "the CFA is read from memory");
	else if (cfa->base != registers->sp && cfa->base != registers->fp)
		no(row, "the CFA counts from another register than stack or frame pointer");
	if (row->form->abi == SFRAME_S390X) {
		if ((offset - SFRAME_S390X_BIAS) % SFRAME_S390X_SCALE != 0)
			no(row, "the CFA's offset less 160 is no multiple of 8");
		offset = (offset - SFRAME_S390X_BIAS) / SFRAME_S390X_SCALE;
	}
	word(row, offset, false);
}

/* A register saved at an offset from the CFA or, on s390x, in another register. */
static void
default_slot(struct row_writing *row, const struct sframe_rule *rule, bool zero_is_padding)
{
	const int inside = inside_register(rule);
	const bool numbers = sframe_words_name_registers(row->form);

	if (inside > SFRAME_LARGEST_NUMBER && numbers)
		no(row, "the number of a register has more than 7 bits");
	if (inside >= 0 && numbers) {
		word(row, (int64_t)inside << 1 | 1, false);
		return;
	}
	if (inside >= 0)
		no(row, "a register is in another register");
	else if (rule->base != SFRAME_CFA)
		no(row, "a register's place does not count from the CFA");
	else if (!rule->dereference)
		no(row, "a register is a sum, not a word in memory");
	else if (numbers && (rule->offset & 1) != 0)
		no(row, "an odd offset would be the number of a register");
	else if (row->form->abi == SFRAME_S390X && rule->offset == 0 && zero_is_padding)
		no(row, "an offset of 0 would be padding");
	word(row, rule->offset, false);
}

static const char not_fixed[] = "a register is not where the header has it for all functions";

static void
write_default(struct row_writing *row, const struct sframe_row *from)
{
	const struct sframe_table *form = row->form;
	const bool fp_saved = !is_unspoken(&from->fp) && form->fixed_fp == 0;

	default_cfa(row, &from->cfa);
	if (form->fixed_ra != 0) {
		if (!is_unspoken(&from->ra) || from->ra.kind == SFRAME_UNSAVED)
			no(row, not_fixed);
	} else if (!is_unspoken(&from->ra)) {
		default_slot(row, &from->ra, true);
	} else if (form->abi == SFRAME_S390X &&
		   (fp_saved || from->ra.kind == SFRAME_PADDING)) {
		word(row, 0, false);
	} else if (fp_saved) {
		no(row, "the frame pointer is saved and the return address is not");
	}
	if (form->fixed_fp != 0 && from->fp.kind != SFRAME_FIXED)
		no(row, not_fixed);
	else if (fp_saved)
		default_slot(row, &from->fp, false);
}

/* Flexible rows -------------------------------------------------------------------------------- */

static void
write_pair(struct row_writing *row, const struct sframe_rule *rule)
{
	const bool named = rule->base != SFRAME_CFA;
	const bool read = rule->dereference && rule->kind != SFRAME_IN_REGISTER;

	if (!named && !read)
		no(row, "a register is a sum of the CFA, not a word in memory");
	word(row,
	     (named ? (int64_t)rule->base << SFRAME_CONTROL_NUMBER | SFRAME_CONTROL_REGISTER : 0) |
		     (read ? (int64_t)SFRAME_CONTROL_DEREFERENCE : 0),
	     true);
	word(row, rule->kind == SFRAME_IN_REGISTER ? 0 : rule->offset, false);
}

static void
write_flexible(struct row_writing *row, const struct sframe_row *from)
{
	const bool fp_said = !is_unspoken(&from->fp) || from->fp.kind == SFRAME_PADDING;

	write_pair(row, &from->cfa);
	if (from->cfa.base == SFRAME_CFA)
		no(row, "the CFA is not computed from a register");
	if (!is_unspoken(&from->ra))
		write_pair(row, &from->ra);
	else if (from->ra.kind == SFRAME_UNSAVED && row->form->fixed_ra != 0)
		no(row, not_fixed);
	else if (fp_said || from->ra.kind == SFRAME_PADDING)
		word(row, 0, true);
	if (from->fp.kind == SFRAME_FIXED)
		no(row, not_fixed);
	else if (from->fp.kind == SFRAME_PADDING)
		word(row, 0, true);
	else if (fp_said)
		write_pair(row, &from->fp);
}

/* Rows ----------------------------------------------------------------------------------------- */

/* Write the words of a row. Returns the size of a word in bytes, or 0 and sets `refused`. */
static unsigned
write_words(struct row_writing *row, bool flexible, const struct sframe_row *from)
{
	unsigned size = 1;

	if (from->problem != NULL)
		no(row, from->problem);
	else if (from->outermost && row->form->version == 1)
		no(row, "version 1 has no mark for functions without a caller");
	else if (from->signed_ra && sframe_registers(row->form->abi)->ra != 30)
		no(row, "return addresses of this processor are not signed");
	if (row->refused != NULL || from->outermost)
		return row->refused == NULL;
	if (flexible)
		write_flexible(row, from);
	else
		write_default(row, from);
	for (unsigned i = 0; i < row->count; i++)
		while (size <= 4 && !fits(row->words[i].value, row->words[i].control, size))
			size *= 2;
	if (size > 4)
		no(row, "an offset has more than 32 bits");
	return row->refused == NULL ? size : 0;
}

const char *
sframe_row_refused(const struct sframe_table *form, bool flexible, const struct sframe_row *row)
{
	struct row_writing writing = { .form = form };

	write_words(&writing, flexible, row);
	return writing.refused;
}

/* Append bytes to the rows. NULL when out of memory: the writer has failed. */
static uint8_t *
append(struct sframe_writer *writer, size_t size)
{
	if (writer->row_bytes + size > writer->row_capacity) {
		const size_t wanted = (writer->row_capacity + size) * 2;
		uint8_t *larger = arena_alloc(&writer->arena, wanted);

		if (larger == NULL) {
			writer->failed = true;
			return NULL;
		}
		if (writer->row_bytes > 0)
			memcpy(larger, writer->rows, writer->row_bytes);
		writer->rows = larger;
		writer->row_capacity = wanted;
	}
	writer->row_bytes += size;
	return writer->rows + writer->row_bytes - size;
}

static void
add_row(struct sframe_writer *writer, const struct sframe_function *function,
	const struct sframe_row *row)
{
	struct row_writing writing = { .form = &writer->form };
	const unsigned size = write_words(&writing, function->flexible, row);
	const unsigned width = function->address_bytes;
	uint8_t *at = append(writer, width + 1 + (size_t)writing.count * size);

	if (at == NULL)
		return;
	/* Flexible rows do not use the bit for the base register; GNU's writer clears it. */
	const bool from_sp = !row->outermost && !function->flexible &&
			     row->cfa.base == sframe_registers(writer->form.abi)->sp;
	put(&writer->form, at, width, row->offset);
	at[width] = (uint8_t)(SFRAME_ROW_INFO(writing.count, size >> 1) |
			      (from_sp ? SFRAME_ROW_SP : 0) |
			      (row->signed_ra ? SFRAME_ROW_SIGNED : 0));
	for (unsigned i = 0; i < writing.count; i++)
		put(&writer->form, at + width + 1 + (size_t)i * size, size,
		    (uint64_t)writing.words[i].value);
}

/* Functions ------------------------------------------------------------------------------------ */

bool
sframe_abi_of(const struct arch *arch, bool big_endian, enum sframe_abi *abi)
{
	bool any = false;

	/* An architecture with an ABI for only one byte order uses this ABI for both. */
	for (unsigned i = 1; i < SFRAME_ABIS; i++) {
		if (arch_by_id(sframe_abis[i].arch) != arch ||
		    (any && sframe_abis[i].big_endian != big_endian))
			continue;
		*abi = (enum sframe_abi)i;
		any = true;
	}
	return any;
}

const char *
sframe_form(struct sframe_table *form, unsigned version, enum sframe_abi abi, uint64_t address)
{
	const struct sframe_abi_info *info = &sframe_abis[abi];

	if (version < 1 || version >= SFRAME_VERSIONS)
		return "there are versions 1, 2 and 3";
	if (info->since > version)
		return "this version has no number for the processor";
	*form = (struct sframe_table){
		.reader = { .big_endian = info->big_endian }, .address = address,
		.version = version, .abi = abi, .fixed_ra = info->fixed_ra,
		.flags = SFRAME_FLAG_SORTED | (version == 3 ? SFRAME_FLAG_PCREL : 0),
	};
	return NULL;
}

void
sframe_writer_init(struct sframe_writer *writer, const struct sframe_table *form)
{
	*writer = (struct sframe_writer){ .form = *form };
	arena_init(&writer->arena, 0);
	writer->form.auxiliary_size = 0;
	writer->form.functions_at = SFRAME_HEADER_SIZE;
	writer->form.function_size = sframe_versions[form->version].function_size;
}

void
sframe_writer_free(struct sframe_writer *writer)
{
	arena_free(&writer->arena);
	*writer = (struct sframe_writer){ 0 };
}

/* The value of the start field in descriptor `index` of a function at `address`. */
static uint64_t
start_value(const struct sframe_table *form, size_t index, uint64_t address)
{
	const uint64_t at = form->functions_at + (uint64_t)index * form->function_size;

	return address - form->address - ((form->flags & SFRAME_FLAG_PCREL) != 0 ? at : 0);
}

static const char *
function_refused(const struct sframe_writer *writer, const struct sframe_function *function,
		 const struct sframe_row *rows, size_t count)
{
	const struct sframe_table *form = &writer->form;
	const struct sframe_part_place *parts = sframe_versions[form->version].parts;
	const uint64_t start = start_value(form, writer->count, function->address);
	const unsigned width = function->address_bytes;

	if (!fits((int64_t)start, false, parts[SFRAME_PART_START].size))
		return "it begins more than 2 GiB from the section";
	if ((uint64_t)count >> 8 * parts[SFRAME_PART_ROW_COUNT].size != 0)
		return "it has more rows than a descriptor counts";
	if (function->signal && form->version != 3)
		return "only version 3 has a mark for signal frames";
	if (function->flexible && form->version != 3)
		return "only version 3 has flexible rows";
	if (function->key_b && sframe_registers(form->abi)->ra != 30)
		return "return addresses of this processor are not signed";
	if (function->masked && parts[SFRAME_PART_REPEAT].size == 0 &&
	    function->repeat != SFRAME_PLT_BLOCK)
		return "rows of version 1 repeat every 16 bytes only";
	for (size_t i = 0; i < count; i++) {
		const char *why = sframe_row_refused(form, function->flexible, &rows[i]);

		if (why == NULL && rows[i].offset >> 8 * width != 0)
			why = "a row begins past the end of its function";
		if (why != NULL)
			return why;
	}
	return NULL;
}

const char *
sframe_writer_add(struct sframe_writer *writer, const struct sframe_function *function,
		  const struct sframe_row *rows, size_t count)
{
	const unsigned attribute_size = sframe_versions[writer->form.version].attribute_size;
	const uint64_t size = function->masked ? function->repeat : function->size;
	struct sframe_function added = *function;

	added.address_bytes = size < 0x100 ? 1 : size < 0x10000 ? 2 : 4;
	added.row_count = (uint32_t)count;
	added.rows_at = writer->row_bytes;
	const char *why = function_refused(writer, &added, rows, count);
	if (why != NULL)
		return why;
	struct sframe_function *kept =
		ARENA_PUSH(&writer->arena, writer->functions, writer->count, writer->capacity);
	if (kept == NULL) {
		writer->failed = true;
		return NULL;
	}
	*kept = added;
	if (attribute_size > 0)
		append(writer, attribute_size);
	for (size_t i = 0; i < count; i++)
		add_row(writer, kept, &rows[i]);
	writer->row_count += count;
	return NULL;
}

/* The section ---------------------------------------------------------------------------------- */

static void
put_function(const struct sframe_writer *writer, size_t index, uint8_t *descriptor, uint8_t *rows)
{
	const struct sframe_table *form = &writer->form;
	const struct sframe_function *function = &writer->functions[index];
	const unsigned width = function->address_bytes;
	const uint64_t parts[SFRAME_PARTS] = {
		[SFRAME_PART_START] = start_value(form, index, function->address),
		[SFRAME_PART_SIZE] = function->size,
		[SFRAME_PART_ROWS] = function->rows_at,
		[SFRAME_PART_ROW_COUNT] = function->row_count,
		[SFRAME_PART_INFO] = width >> 1 | (function->masked ? SFRAME_INFO_MASKED : 0) |
				     (function->key_b ? SFRAME_INFO_KEY_B : 0) |
				     (function->signal ? SFRAME_INFO_SIGNAL : 0),
		[SFRAME_PART_INFO2] = function->flexible ? SFRAME_TYPE_FLEXIBLE : 0,
		[SFRAME_PART_REPEAT] = function->repeat,
	};

	for (size_t i = 0; i < SFRAME_PARTS; i++) {
		const struct sframe_part_place *place = &sframe_versions[form->version].parts[i];

		put(form, place->attribute ? rows + function->rows_at + place->at
					   : descriptor + place->at,
		    place->size, parts[i]);
	}
}

static void
put_header(const struct sframe_writer *writer, uint64_t rows_at, uint8_t *header)
{
	const struct sframe_table *form = &writer->form;

	put(form, header + SFRAME_AT_MAGIC, 2, SFRAME_MAGIC);
	header[SFRAME_AT_VERSION] = (uint8_t)form->version;
	header[SFRAME_AT_FLAGS] = (uint8_t)form->flags;
	header[SFRAME_AT_ABI] = (uint8_t)form->abi;
	header[SFRAME_AT_FIXED_FP] = (uint8_t)form->fixed_fp;
	header[SFRAME_AT_FIXED_RA] = (uint8_t)form->fixed_ra;
	put(form, header + SFRAME_AT_FUNCTIONS, 4, writer->count);
	put(form, header + SFRAME_AT_ROWS, 4, writer->row_count);
	put(form, header + SFRAME_AT_ROW_BYTES, 4, writer->row_bytes);
	put(form, header + SFRAME_AT_ROW_OFFSET, 4, rows_at - SFRAME_HEADER_SIZE);
}

const uint8_t *
sframe_writer_finish(struct sframe_writer *writer, size_t *size, const char **why)
{
	const struct sframe_table *form = &writer->form;
	const uint64_t rows_at =
		form->functions_at + (uint64_t)writer->count * form->function_size;

	for (size_t i = 1; i < writer->count; i++)
		if (writer->functions[i].address < writer->functions[i - 1].address)
			writer->form.flags &= ~SFRAME_FLAG_SORTED;
	*why = "an SFrame section cannot be larger than 4 GiB";
	if (rows_at > UINT32_MAX || writer->row_bytes > UINT32_MAX)
		return NULL;
	*why = OUT_OF_MEMORY;
	*size = (size_t)rows_at + writer->row_bytes;
	uint8_t *bytes = writer->failed ? NULL : arena_alloc(&writer->arena, *size);
	if (bytes == NULL)
		return NULL;
	if (writer->row_bytes > 0)
		memcpy(bytes + rows_at, writer->rows, writer->row_bytes);
	put_header(writer, rows_at, bytes);
	for (size_t i = 0; i < writer->count; i++)
		put_function(writer, i, bytes + form->functions_at + i * form->function_size,
			     bytes + rows_at);
	return bytes;
}
