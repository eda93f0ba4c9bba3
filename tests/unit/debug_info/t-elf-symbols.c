/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "debug_info/file_symbols.h"

#include "tests/lib/tap.h"
#include "tests/unit/binary/image.h"

/* Functions of symbol tables (gABI, Symbol Table) of both classes and byte orders. */

static const char strings[] = "\0alpha\0beta\0data\0open\0$t.2";

/* Functions alpha and beta, a data object, one in a section without memory, an undefined symbol and one with a bad name. */
static void
make(struct image *image, bool wide, bool big)
{
	image_elf(image, wide, big, wide ? 62 : 3, NULL, 0, false);
	image->at = IMAGE_SYMBOLS;
	image_symbol(image, 0, 0, 0, 0, 0);
	image_symbol(image, 7, 2, IMAGE_BASE + 0x240, 0x10, 2);
	image_symbol(image, 1, 2, IMAGE_BASE + 0x200, 0x20, 2);
	image_symbol(image, 12, 1, IMAGE_BASE + 0x300, 8, 4);
	image_symbol(image, 17, 1, IMAGE_BASE + 0x308, 8, 3);
	image_symbol(image, 17, 2, 0, 0, 0);
	image_symbol(image, 0xffffff, 2, IMAGE_BASE + 0x210, 8, 2);
	image_symbol_table(image, strings, sizeof(strings));
}

static bool
open_symbols(const struct image *image, struct binary **binary, struct file_symbols *symbols)
{
	struct error error = { 0 };

	*symbols = (struct file_symbols){ 0 };
	if (binary_from_memory(binary, "test.so", image->bytes, image->size, &error) != ERROR_NONE) {
		tap_diag("%s", error.text);
		return false;
	}
	file_symbols_read(symbols, *binary);
	return true;
}

static void
test_class(bool wide, bool big)
{
	struct file_symbols symbols;
	struct image image;
	struct binary *binary;

	make(&image, wide, big);
	if (!ok(open_symbols(&image, &binary, &symbols), "the symbols of %s, %s-endian, are read",
		wide ? "ELF64" : "ELF32", big ? "big" : "little"))
		return;
	is_u64(symbols.count, 2, "only functions with a name are counted");
	if (symbols.count == 2) {
		is_str(symbols.items[0].name, "alpha", "the symbol with the lowest address is the first");
		is_u64(symbols.items[0].address, IMAGE_BASE + 0x200, "a symbol has its address");
		is_u64(symbols.items[0].size, 0x20, "a symbol has its size");
	}
	const struct file_symbol *last = file_symbols_at(&symbols, IMAGE_BASE + 0x21f);
	ok(last != NULL && strcmp(last->name, "alpha") == 0, "the last byte of a function has its symbol");
	ok(file_symbols_at(&symbols, IMAGE_BASE + 0x220) == NULL, "the byte after a function has no symbol");
	ok(file_symbols_at(&symbols, IMAGE_BASE + 0x1ff) == NULL, "the byte before a function has no symbol");
	const struct file_symbol *beta = file_symbols_at(&symbols, IMAGE_BASE + 0x240);
	ok(beta != NULL && strcmp(beta->name, "beta") == 0, "another function has its own symbol");
	const struct file_symbol *data = file_symbols_data_at(&symbols, IMAGE_BASE + 0x307);
	ok(data != NULL && strcmp(data->name, "data") == 0, "the last byte of data has its symbol");
	ok(file_symbols_data_at(&symbols, IMAGE_BASE + 0x308) == NULL &&
		   file_symbols_data_at(&symbols, IMAGE_BASE + 0x2ff) == NULL &&
		   file_symbols_data_at(&symbols, IMAGE_BASE + 0x200) == NULL,
	   "bytes next to data, functions, and objects that are only in the file have no data symbol");
	file_symbols_free(&symbols);
	binary_close(binary);
}

/* The name of an address of the code, or "". */
static const char *
name_at(const struct file_symbols *symbols, unsigned relative)
{
	const struct file_symbol *symbol = file_symbols_at(symbols, IMAGE_BASE + relative);

	return symbol != NULL ? symbol->name : "";
}

/* On ARM: alpha and beta in Thumb state without a size, open with one, a label, a mapping symbol. */
TEST(without_size)
{
	struct file_symbols symbols;
	struct image image;
	struct binary *binary;

	image_elf(&image, false, false, 40, NULL, 0, false);
	image.at = IMAGE_SYMBOLS;
	image_symbol(&image, 0, 0, 0, 0, 0);
	image_symbol(&image, 7, 2, IMAGE_BASE + 0x2e1, 0, 2);
	image_symbol(&image, 1, 2, IMAGE_BASE + 0x201, 0, 2);
	image_symbol(&image, 22, 0, IMAGE_BASE + 0x204, 0, 2);
	image_symbol(&image, 12, 0, IMAGE_BASE + 0x240, 0, 2);
	image_symbol(&image, 17, 2, IMAGE_BASE + 0x210, 0x10, 2);
	image_symbol(&image, 1, 2, IMAGE_BASE + 0x218, 0, 2);
	image_symbol_table(&image, strings, sizeof(strings));
	if (!open_symbols(&image, &binary, &symbols))
		return;
	is_u64(symbols.count, 4, "labels and mapping symbols name nothing");
	is_str(name_at(&symbols, 0x200), "alpha", "a Thumb function begins at the even address");
	is_str(name_at(&symbols, 0x206), "alpha", "a mapping symbol does not end a function");
	is_str(name_at(&symbols, 0x20f), "alpha", "a function without a size reaches to the next symbol");
	is_str(name_at(&symbols, 0x219), "open", "a size counts more than a symbol within it");
	is_str(name_at(&symbols, 0x220), "alpha", "the outer symbol continues after the end of the inner one");
	is_str(name_at(&symbols, 0x23f), "alpha", "a function without a size ends at a label");
	is_str(name_at(&symbols, 0x240), "", "a label names nothing");
	is_str(name_at(&symbols, 0x2ff), "beta", "the last function reaches to the end of the code");
	is_str(name_at(&symbols, 0x300), "", "an address after the code has no symbol");
	file_symbols_free(&symbols);
	binary_close(binary);
}

static const struct {
	const char *title;
	unsigned index, type, offset, size;	/* the section that is changed */
	uint64_t count;
} cuts[] = {
	{ "a symbol whose name does not end in its table is left out", 5, 3, IMAGE_STRINGS, 8, 1 },
	{ "half an entry at the end is left out", 3, 2, IMAGE_SYMBOLS, 24 * 3 - 1, 1 },
	{ "a symbol table outside of the file has no symbols", 3, 2, 0x10000, 240, 0 },
};

TEST_EACH(cuts, cuts)
{
	struct file_symbols symbols;
	struct image image;
	struct binary *binary;

	make(&image, true, false);
	image_set_section(&image, cuts[i].index, cuts[i].type, cuts[i].offset, cuts[i].size);
	if (!open_symbols(&image, &binary, &symbols))
		return;
	is_u64(symbols.count, cuts[i].count, "%s", cuts[i].title);
	file_symbols_free(&symbols);
	binary_close(binary);
}

/* A function's symbol of 64-bit PowerPC is at its descriptor, in data (ELFv1), or at its code. */
TEST(descriptors)
{
	struct file_symbols symbols;
	struct image image;
	struct binary *binary;

	image_elf(&image, true, true, 21, NULL, 0, false);
	image_put(&image, IMAGE_DATA + 0x18, 8, IMAGE_BASE + 0x240);
	image_put(&image, IMAGE_DATA + 0x30, 8, IMAGE_BASE + 0x900);
	image.at = IMAGE_SYMBOLS;
	image_symbol(&image, 0, 0, 0, 0, 0);
	image_symbol(&image, 1, 2, IMAGE_BASE + 0x1318, 0x20, 3);
	image_symbol(&image, 7, 2, IMAGE_BASE + 0x200, 0x10, 2);
	image_symbol(&image, 12, 2, IMAGE_BASE + 0x1330, 8, 3);
	image_set_section(&image, 4, 2, IMAGE_SYMBOLS, image.at - IMAGE_SYMBOLS);
	image_set_section(&image, 5, 3, IMAGE_STRINGS, sizeof(strings));
	memcpy(image.bytes + IMAGE_STRINGS, strings, sizeof(strings));
	memcpy(image.bytes + IMAGE_NAMES + 37, ".strtab", sizeof(".strtab"));
	image.size = sizeof(image.bytes);
	if (!open_symbols(&image, &binary, &symbols))
		return;
	is_str(name_at(&symbols, 0x25f), "alpha", "a symbol at a descriptor is that of the code");
	is_str(name_at(&symbols, 0x1318), "", "the descriptor itself is no function");
	is_str(name_at(&symbols, 0x20f), "beta", "a symbol at code keeps its address");
	is_str(name_at(&symbols, 0x1330), "data", "a symbol whose descriptor leads nowhere keeps its address");
	file_symbols_free(&symbols);
	binary_close(binary);
}

int
main(void)
{
	struct image image;
	struct binary *binary;
	struct error error = { 0 };

	make(&image, true, false);
	if (binary_from_memory(&binary, "test.so", image.bytes, image.size, &error) != ERROR_NONE) {
		skip(1, "no ELF reader was built in: %s", error.text);
		return done_testing();
	}
	binary_close(binary);
	test_class(true, false);
	test_class(true, true);
	test_class(false, false);
	test_class(false, true);
	run_tests();
	return done_testing();
}
