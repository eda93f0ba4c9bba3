/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The PDB of data/crashes/pdb-x86, compared with what 'llvm-pdbutil dump -all' and
 * 'llvm-readobj -S' print for it and for its image. */
#include "pdb/pdb_module.h"
#include "pdb/pdb_types.h"
#include "pdb/pdb_variables.h"
#include "tests/unit/pdb/kiosk.h"

static struct file file;
static struct pdb *pdb;

static bool
named(struct text name, const char *wanted)
{
	return text_equal(name, text_of(wanted));
}

TEST(streams)
{
	char magic[4] = "";

	is_u64(pdb->msf.block_size, 4096, "the superblock gives blocks of 4,096 bytes");
	ok(!msf_read(&pdb->msf, 1, msf_size(&pdb->msf, 1) - 3, magic, 4) &&
	   !msf_read(&pdb->msf, 9999, 0, magic, 1), "nothing is read past the end of a stream");
	const struct place place = msf_place(&pdb->msf, 3, 0, 4);
	ok(memcmp(file.data + place.offset, "\xff\xff\xff\xff", 4) == 0, "the place of a stream's first bytes is their offset in the file");
}

TEST(module)
{
	struct arena arena = { 0 };
	struct pdb_module module;
	struct pdb_types types;
	struct pdb_body body;

	is_u64(pdb_module_at(pdb, 0x1042), 0, "the section contributions give the module of an address");
	is_u64(pdb_module_at(pdb, 0x5000), SIZE_MAX, "an address without a contribution belongs to no module");
	ok(pdb_module_open(&module, pdb, 0), "the first module is read");
	is_u64(module.damaged, 0, "no record of the first module is damaged");
	is_u64(module.procedure_count, 4, "the first module has its four procedures");
	const struct pdb_procedure *procedure = pdb_procedure_at(&module, 0x1094);
	ok(procedure != NULL && named(procedure->name, "kiosk::close_day") &&
	   procedure->address == 0x1040 && procedure->size == 0x55, "a procedure is found by its address");
	ok(pdb_procedure_at(&module, 0x1095) == NULL, "no procedure is found at the address after its last byte");
	pdb_types_open(&types, pdb);
	is_str(pdb_type_parameters(&types, procedure->type, &arena),
	       "(const struct kiosk::ticket *, int)", "a procedure's type gives its parameters");
	ok(pdb_body_read(&module, procedure, true, &arena, &body), "lines and calls of a procedure are read");
	is_u64(body.call_count, 2, "a procedure has both inlined calls");
	is_str(pdb_id_name(&types, body.calls[0].id, &arena), "kiosk::roll::roll", "the first inlined call has its name");
	is_str(pdb_id_name(&types, body.calls[1].id, &arena), "kiosk::half_price", "the second inlined call has its name");
	ok(body.calls[1].line == 59 && body.calls[1].range_count == 1 && body.calls[1].ranges[0].address == 0x106f &&
	   body.calls[1].ranges[0].size == 0x15, "an inlined call has the line of the call and the range of its code");
	const struct pdb_row *row = pdb_row_at(body.rows, body.row_count, 0x1070);
	ok(row != NULL && row->line == 48, "an address in an inlined call has the line of the inlined function");
	is_str(row != NULL ? pdb_file(&module, row->file, &arena) : NULL, "C:\\kiosk\\kiosk.cpp",
	       "an address in an inlined call has the file of the inlined function");
	ok(pdb_body_read(&module, procedure, false, &arena, &body) &&
	   (row = pdb_row_at(body.rows, body.row_count, 0x1070)) != NULL && row->line == 59,
	   "without inlined calls an address has the line of the call");
	is_u64(pdb_type_size(&types, 0x74), 4, "an int has four bytes");
	is_u64(pdb_type_size(&types, 0x403), 4, "a pointer of x86 has four bytes");
	pdb_types_close(&types);
	pdb_module_close(&module);
	arena_free(&arena);
}

TEST(globals)
{
	static const struct {
		const char *name;
		uint32_t offset;	/* 0: the PDB has no such name */
	} globals[] = {
		{ "kiosk::roll", 300 }, { "kiosk::ticket", 320 }, { "kiosk::roll::total", 344 },
		{ "kiosk::close_day", 200 }, { "kiosk::evening", 168 }, { "start", 232 },
		{ "tickets", 252 }, { "prices", 276 }, { "price", 0 }, { "Prices", 0 },
	};
	struct arena arena = { 0 };

	for (size_t i = 0; i < ARRAY_COUNT(globals); i++) {
		const struct text name = text_of(globals[i].name);
		struct pdb_symbol symbol = { 0 };
		uint32_t from = 0;
		const bool found = pdb_global_next(pdb, name, &from, &arena, &symbol);

		is_u64(found ? symbol.offset : 0, globals[i].offset,
		       "the record of the global name %s is found by its hash", globals[i].name);
		ok(!found || !pdb_global_next(pdb, name, &from, &arena, &symbol),
		   "the global name %s has no other record", globals[i].name);
	}
	arena_free(&arena);
}

TEST(frames)
{
	const size_t upto = pdb_frame_upto(pdb, 4, 0x1050);
	struct arena arena = { 0 };
	struct pdb_frame frame;

	is_u64(pdb_frame_count(pdb, 0), 0, "the PDB has no records of FPO_DATA");
	is_u64(pdb_frame_count(pdb, 4), 14, "the PDB has 14 records of frame data");
	ok(pdb_frame_read(pdb, 4, upto - 1, &frame) && frame.address == 0x1044 && frame.size == 0x51 && frame.locals == 0x38 &&
	   frame.parameters == 8 && frame.saved_registers == 4 && frame.prologue == 0,
	   "the frame data at an address have the sizes that the compiler wrote");
	is_str(pdb_name(pdb, frame.program, &arena), "$T0 .raSearch = $eip $T0 ^ = $esp $T0 4 + = $esi $T0 4 - ^ = ",
	       "frame data lead to their program");
	ok(file.data[frame.place.offset] == 0x44 && file.data[frame.place.offset + 1] == 0x10,
	   "the place of frame data is their first byte in the file");
	arena_free(&arena);
}

TEST(refusals)
{
	static const char old[] = "Microsoft C/C++ program database 2.00\r\n\x1aJG\0\0";
	struct file other = { .data = (const uint8_t *)old, .size = sizeof(old) };
	struct error error = { 0 };
	struct pdb *none;

	ok(pdb_open(&none, &other, &error) == ERROR_FORMAT && strstr(error.text, "2.0") != NULL,
	   "a PDB of before 2002 is refused with its version");
	other = (struct file){ .data = (const uint8_t *)"BSJB\1\0\1\0", .size = 8 };
	ok(pdb_open(&none, &other, &error) == ERROR_FORMAT && strstr(error.text, "portable") != NULL,
	   "a portable PDB is refused with its kind");
	other = (struct file){ .data = (const uint8_t *)"MZ", .size = 2 };
	ok(pdb_open(&none, &other, &error) == ERROR_NOT_FOUND, "another file is not a PDB");
	other = file;
	other.size = 4096;
	ok(pdb_open(&none, &other, &error) == ERROR_FORMAT, "the first block alone is refused");
}

int
main(void)
{
	if (open_kiosk(&file, &pdb))
		run_tests();
	pdb_close(pdb);
	file_close(&file);
	return done_testing();
}
