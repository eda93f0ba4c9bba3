/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checksums of all data that is read from a dump and written again: each member of the model, every
 * value of the streams with its place, the core and the copy. The inputs have each kind of stream,
 * note and record; then each word of a stream and each byte of a log is replaced, one at a time.
 * tests/unit/dump/model.txt has the accepted sums (UNSPOOL_ACCEPT=1 writes it anew). A difference
 * shows a change; the other tests of this folder say whether it is right.
 */
#include "tests/unit/dump/described.h"

#include "base/compiler.h"
#include "base/hash.h"
#include "crash/memory.h"
#include "dump/core.h"
#include "dump/write/write.h"
#include "tests/lib/accepted.h"
#include "tests/lib/corefile.h"

#define GROUP 96u		/* changes in one line */
#define MOST 1600u		/* words of an input that are changed */
#define SPEAKING 0x7ff00000000u	/* memory from here on is changed as well */

enum subject { MODEL, TOLD, MESSAGES, WRITTEN, SUBJECTS };

static uint64_t sums[SUBJECTS];
static FILE *out;

static void
add(enum subject subject, const void *bytes, size_t size)
{
	sums[subject] = hash_bytes(sums[subject], bytes, size);
}

static void
add_text(enum subject subject, const char *text)
{
	add(subject, text != NULL ? text : "\1", text != NULL ? strlen(text) + 1 : 2);
}

static void
add_number(enum subject subject, uint64_t number)
{
	uint8_t bytes[8];

	for (unsigned i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(number >> 8 * i);
	add(subject, bytes, sizeof(bytes));
}

#define ADD(subject, ...)								\
	do {										\
		const uint64_t numbers[] = { __VA_ARGS__ };				\
		for (size_t add_i = 0; add_i < ARRAY_COUNT(numbers); add_i++)		\
			add_number(subject, numbers[add_i]);				\
	} while (0)

static void
add_place(enum subject subject, const struct place *place)
{
	ADD(subject, place->input != NULL, place->offset, place->length, place->line,
	    place->column);
}

/* The model ------------------------------------------------------------------------------------ */

static void
add_context(const struct crash_context *context)
{
	ADD(MODEL, context->present, context->flags, context->size, context->plain_size,
	    context->native != NULL);
	add_place(MODEL, &context->place);
	add_text(MODEL, context->layout);
	add_text(MODEL, context->arch != NULL ? context->arch->name : NULL);
	for (int i = 0; i < ARCH_REGISTERS; i++)
		ADD(MODEL, registers_known(&context->registers, i), context->registers.value[i],
		    context->register_offset[i]);
	if (context->native != NULL)
		add_context(context->native);
}

static void
add_exception(const struct crash_exception *exception)
{
	ADD(MODEL, exception->present, exception->thread_id, exception->code, exception->flags,
	    exception->address, exception->parameter_count);
	for (uint32_t i = 0; i < exception->parameter_count && i < 15; i++)
		add_number(MODEL, exception->parameters[i]);
	add_context(&exception->context);
	add_place(MODEL, &exception->place);
}

static void
add_threads(const struct crash *crash)
{
	add_number(MODEL, crash->thread_count);
	for (size_t i = 0; i < crash->thread_count; i++) {
		const struct thread *thread = &crash->threads[i];

		ADD(MODEL, thread->id, thread->stack_start, thread->stack_size, thread->teb,
		    thread->has_last_error, thread->last_error, thread->wrote_dump,
		    thread->stack != NULL, thread->pointer_stack != NULL);
		if (thread->stack != NULL)
			ADD(MODEL, thread->stack->base, thread->stack->size,
			    thread->stack->available, thread->stack->offset);
		if (thread->pointer_stack != NULL)
			add_number(MODEL, thread->pointer_stack->base);
		add_text(MODEL, thread->name);
		add_text(MODEL, thread->last_error_name);
		add_context(&thread->context);
		add_place(MODEL, &thread->place);
	}
}

static void
add_modules(const struct module *modules, size_t count)
{
	add_number(MODEL, count);
	for (size_t i = 0; i < count; i++) {
		const struct module *module = &modules[i];

		ADD(MODEL, module->base, module->size, module->timestamp, module->checksum,
		    module->unloaded);
		add_text(MODEL, module->code_file);
		add_text(MODEL, module->code_id);
		add_text(MODEL, module->debug_file);
		add_text(MODEL, module->debug_id);
		add_text(MODEL, module->version);
		add_place(MODEL, &module->place);
		add_place(MODEL, &module->identity_place);
	}
}

static void
add_memory(const struct crash *crash)
{
	ADD(MODEL, crash->region_count, crash->run_count, crash->mapping_count);
	for (size_t i = 0; i < crash->region_count; i++) {
		const struct memory_region *region = &crash->regions[i];

		ADD(MODEL, region->base, region->size, region->available, region->offset,
		    region->memory64, region->chunk_count);
		add_place(MODEL, &region->place);
	}
	for (size_t i = 0; i < crash->run_count; i++)
		ADD(MODEL, crash->runs[i].base, crash->runs[i].size,
		    (uint64_t)(crash->runs[i].data - crash->runs[i].region->data));
	for (size_t i = 0; i < crash->mapping_count; i++) {
		const struct mapping *mapping = &crash->mappings[i];

		ADD(MODEL, mapping->base, mapping->size, mapping->readable, mapping->writable,
		    mapping->executable, mapping->guard, mapping->free, mapping->file_offset);
		add_text(MODEL, mapping->name);
		add_text(MODEL, mapping->text);
		add_place(MODEL, &mapping->place);
	}
}

static void
add_head(const struct crash *crash)
{
	const struct crash_system *system = &crash->system;
	const struct misc_info *misc = &crash->misc;
	const struct crash_cause *cause = &crash->cause;

	ADD(MODEL, crash->dump_index, crash->dump_count, crash->time, system->os,
	    system->cpu_count, misc->present, misc->has_process_id, misc->has_times,
	    misc->process_id, misc->create_time, misc->user_time,
	    misc->kernel_time, crash->has_requesting_thread,
	    crash->requesting_thread_id, (uint64_t)(int64_t)crash->requesting_thread,
	    crash->reason_address, cause->fault, cause->access, cause->address, cause->no_page,
	    cause->has_sender, cause->sender_is_self, cause->sender_process, cause->sender_user,
	    crash->system_call, crash->address_mask, crash->shared_frames, crash->shared_bytes);
	const char *const texts[] = {
		system->os_name, system->os_version, system->arch->name, system->cpu_name,
		system->cpu_info, system->gpu_version, system->gpu_vendor, system->gpu_renderer,
		misc->build, crash->assertion, crash->reason, cause->text, cause->note,
	};
	for (size_t i = 0; i < ARRAY_COUNT(texts); i++)
		add_text(MODEL, texts[i]);
	add_place(MODEL, &system->place);
	add_place(MODEL, &misc->place);
}

static void
add_annotations(const struct crash *crash)
{
	for (size_t i = 0; i < crash->annotation_count; i++) {
		add_text(MODEL, crash->annotations[i].source);
		add_text(MODEL, crash->annotations[i].key);
		add_text(MODEL, crash->annotations[i].value);
		add_place(MODEL, &crash->annotations[i].place);
	}
}

static void
add_model(const struct crash *crash)
{
	add_head(crash);
	add_exception(&crash->exception);
	for (size_t i = 0; i < crash->more_exception_count; i++)
		add_exception(&crash->more_exceptions[i]);
	add_threads(crash);
	add_modules(crash->modules, crash->module_count);
	add_modules(crash->unloaded, crash->unloaded_count);
	add_memory(crash);
	add_annotations(crash);
	for (size_t i = 0; i < crash->stream_count; i++) {
		ADD(MODEL, crash->streams[i].type, crash->streams[i].offset,
		    crash->streams[i].size, crash->streams[i].decoded);
		add_text(MODEL, crash->streams[i].name);
		add_place(MODEL, &crash->streams[i].place);
	}
}

/* Its descriptions ----------------------------------------------------------------------------- */

static enum describe_detail
begin(void *context, const struct describe_record *record)
{
	(void)context;
	add_text(TOLD, record->name);
	add_number(TOLD, record->index == DESCRIBE_NO_INDEX ? UINT64_MAX : record->index);
	add_text(TOLD, record->note);
	add(TOLD, record->line.start, record->line.length);
	add_place(TOLD, &record->place);
	return DESCRIBE_ALL;
}

static void
value(void *context, const struct describe_value *value)
{
	(void)context;
	add_text(TOLD, value->name);
	ADD(TOLD, value->kind, value->number, value->digits, value->key, value->derived,
	    value->broken, value->private, value->link, value->linked);
	add(TOLD, value->text.start, value->text.length);
	add_text(TOLD, value->note);
	add_place(TOLD, &value->place);
}

static void
end(void *context)
{
	(void)context;
	add_number(TOLD, 1);
}

static void
add_told(const struct crash *crash)
{
	struct arena arena = { 0 };
	struct message_list messages;
	const struct describe_sink sink = { begin, value, end, NULL, &messages, NULL };

	message_list_init(&messages, &arena);
	describe_header(crash, &sink);
	describe_directory(crash, &sink);
	for (size_t i = 0; i < crash->stream_count; i++)
		describe_stream(crash, i, &sink);
	for (size_t i = 0; i < crash->thread_count && i < 2; i++)
		describe_processor(crash, &crash->threads[i].context, &sink);
	for (size_t i = 0; i < messages.count; i++)
		add_text(MESSAGES, messages.messages[i].text);
	arena_free(&arena);
}

static void
add_messages(const struct message_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		add_text(MESSAGES, message_table[list->messages[i].kind].name);
		add_text(MESSAGES, list->messages[i].text);
		add_text(MESSAGES, list->messages[i].hint);
		add_place(MESSAGES, &list->messages[i].place);
	}
	add_number(MESSAGES, message_total(list));
}

static void
add_image(const struct dump_image *image)
{
	for (size_t i = 0; i < image->count; i++)
		add(WRITTEN, image->pieces[i].bytes, image->pieces[i].size);
	ADD(WRITTEN, image->threads, image->modules, image->without_registers, image->memory,
	    image->made_up, image->has_links);
}

/* Add the files that are written from it: a core, and a minidump with all parts. */
static void
add_written(const struct crash *crash)
{
	const struct minidump_choice all = { .parts = COPY_EVERYTHING, .runs = crash->runs,
					     .run_count = crash->run_count };
	struct arena arena = { 0 };
	struct error error = { 0 };
	struct dump_image image;

	if (core_write(crash, &arena, &image, &error) == ERROR_NONE)
		add_image(&image);
	if (crash->core ? minidump_write_core(crash, &arena, &image, &error) == ERROR_NONE
			: minidump_copy(crash, &all, &arena, &image, &error) == ERROR_NONE)
		add_image(&image);
	add_text(WRITTEN, error.text);
	arena_free(&arena);
}

static const char *
other_path(void *context, const char *path)
{
	return context != NULL && path[0] == '/' ? context : NULL;
}

static const char *
other_mapping(void *context, const struct mapping *mapping)
{
	return mapping->executable ? context : NULL;
}

/* Add copies with each part alone, with other names, and with some of the memory. */
static void
look_at_parts(const uint8_t *bytes, size_t size)
{
	struct error error = { 0 };
	struct crash crash;

	dump_from_memory(&crash, "model", bytes, size, 0, &error);
	for (unsigned part = 0; part < COPY_PARTS; part++) {
		const struct minidump_choice choice = {
			.parts = 1u << part, .runs = crash.runs,
			.run_count = crash.run_count < part ? crash.run_count : part,
			.path = other_path, .mapping = other_mapping, .context = "/other/name",
		};
		struct arena arena = { 0 };
		struct dump_image image;

		if (minidump_copy(&crash, &choice, &arena, &image, &error) == ERROR_NONE)
			add_image(&image);
		arena_free(&arena);
	}
	crash_free(&crash);
}

static void
look(const uint8_t *bytes, size_t size)
{
	struct error error = { 0 };
	struct crash crash;

	if (dump_from_memory(&crash, "model", bytes, size, 0, &error) == ERROR_NONE) {
		add_model(&crash);
		add_told(&crash);
		add_written(&crash);
		add_messages(&crash.messages);
	} else {
		add_text(MESSAGES, error.text);
		add_text(MESSAGES, error.hint);
	}
	crash_free(&crash);
}

/* Add the description of each third offset. */
static void
look_at_offsets(const uint8_t *bytes, size_t size)
{
	struct error error = { 0 };
	struct crash crash;
	char buffer[200];

	dump_from_memory(&crash, "model", bytes, size, 0, &error);
	for (uint64_t at = 0; at <= size; at += 3)
		add_text(TOLD, describe_offset(&crash, at, buffer, sizeof(buffer)));
	crash_free(&crash);
}

static void
write_sums(const char *name, size_t at)
{
	fprintf(out, "%s %zu:", name, at);
	for (unsigned i = 0; i < SUBJECTS; i++)
		fprintf(out, " %08llx", (unsigned long long)(sums[i] ^ sums[i] >> 32) & 0xffffffff);
	fputc('\n', out);
	for (unsigned i = 0; i < SUBJECTS; i++)
		sums[i] = HASH_START;
}

/* Words and bytes that are replaced ------------------------------------------------------------ */

/* List the words that are changed: all words except the memory of the process. */
static size_t
list_words(const uint8_t *bytes, size_t size, uint32_t *words)
{
	struct error error = { 0 };
	struct crash crash;
	size_t count = 0;

	dump_from_memory(&crash, "model", bytes, size, 0, &error);
	for (uint32_t at = 0; at + 4 <= size && count < MOST; at += 4) {
		bool memory = false;

		for (size_t i = 0; i < crash.region_count; i++)
			memory |= crash.regions[i].base < SPEAKING &&
				  at - crash.regions[i].offset < crash.regions[i].available;
		if (!memory)
			words[count++] = at;
	}
	crash_free(&crash);
	return count;
}

/* Set each word to 0, its value plus one and minus one, and all ones, in turn. */
static void
change_words(const char *name, uint8_t *bytes, size_t size, bool big_endian)
{
	static uint32_t words[MOST];
	const size_t count = list_words(bytes, size, words);

	look(bytes, size);
	look_at_offsets(bytes, size);
	look_at_parts(bytes, size);
	write_sums(name, 0);
	for (size_t i = 0; i < count; i++) {
		uint8_t *at = bytes + words[i], kept[4];
		uint32_t word = 0;

		memcpy(kept, at, 4);
		for (unsigned j = 0; j < 4; j++)
			word |= (uint32_t)at[big_endian ? 3 - j : j] << 8 * j;
		word = word == 0 ? 1 : i % 3 == 0 ? word + 1 : i % 3 == 1 ? word - 1 : ~word;
		for (unsigned j = 0; j < 4; j++)
			at[big_endian ? 3 - j : j] = (uint8_t)(word >> 8 * j);
		look(bytes, size);
		memcpy(at, kept, 4);
		if (i % GROUP == GROUP - 1)
			write_sums(name, i + 1);
	}
	for (size_t cut = size / 24; cut < size; cut += size / 24)
		look(bytes, cut);
	write_sums(name, size);
}

/* Minidumps ------------------------------------------------------------------------------------ */

/* A stream that is written by hand; the words at `rvas` count from its beginning. */
struct raw {
	uint32_t type;
	struct image image;
	uint32_t rvas[24];
	unsigned rva_count;
};

static struct raw raws[16];
static size_t raw_count;

static struct image *
raw_begin(uint32_t type, bool big_endian)
{
	struct raw *raw = &raws[raw_count++];

	memset(raw, 0, sizeof(*raw));
	raw->type = type;
	raw->image.big_endian = big_endian;
	return &raw->image;
}

/* Write an offset in the stream that is changed to a file offset later. */
static void
put_rva(struct image *image, uint64_t value)
{
	struct raw *raw = &raws[raw_count - 1];

	raw->rvas[raw->rva_count++] = (uint32_t)image->size;
	put(image, value, 4);
}

static void
raw_text(uint32_t type, const char *text, size_t size)
{
	put_text(raw_begin(type, false), text, size);
}

#define RAW_TEXT(type, text) raw_text(type, text, sizeof(text) - 1)

/* minidumpapiset.h: handles with a chain of object information, and operations on handles. */
static void
make_handles(bool big_endian)
{
	struct image *image = raw_begin(12, big_endian);

	PUT32(image, 16, 40, 2, 0);
	for (unsigned i = 0; i < 2; i++) {
		put(image, 0x44 + 4 * i, 8);
		put_rva(image, 96);
		put_rva(image, 112);
		PUT32(image, 0100644, 0x1f0003, 2, 3);
		if (i == 0)
			put_rva(image, 128);
		else
			put(image, 0, 4);
		put(image, 0x77, 4);
	}
	put_string(image, "Event");
	put_string(image, "named");
	image->size = 128;
	for (unsigned i = 0; i < 9; i++) {
		if (i < 8)
			put_rva(image, 128 + 16 * (i + 1));
		else
			put(image, 0, 4);
		PUT32(image, i, 4, 0x11223344 + i);
	}
	image = raw_begin(18, big_endian);
	PUT32(image, 16, 288, 1, 0);
	put(image, 0x44, 8);
	PUT32(image, 4321, 0x11, 1, 0, 3, 9);
	for (unsigned i = 0; i < 32; i++)
		put(image, 0x401000 + 16 * i, 8);
}

/* Two tables of two functions, the second with padding; tokens with data of their own. */
static void
make_tables(bool big_endian)
{
	struct image *image = raw_begin(13, big_endian);

	PUT32(image, 24, 32, 8, 12, 2, 0);
	for (unsigned i = 0; i < 2; i++) {
		put(image, 0x401000 + 0x1000 * i, 8);
		put(image, 0x401800 + 0x1000 * i, 8);
		put(image, 0x400000, 8);
		PUT32(image, 2, 4 * i, 0x99, 0x98, 0x1000, 0x1010, 0x3000, 0x1010, 0x1040, 0x3008);
	}
	image = raw_begin(19, big_endian);
	PUT32(image, 84, 2, 20, 24, 0x12345678);
	PUT32(image, 32, 1, 0x44, 0, 1, 2, 3, 4, 32, 2, 0x48, 0, 5, 6, 7, 8);
	image = raw_begin(19, big_endian);
	PUT32(image, 48, 1, 16, 32, 32, 1, 0x44, 0, 1, 2, 3, 4);
}

static void
make_counts(uint32_t type, unsigned words, bool big_endian, uint32_t first)
{
	struct image *image = raw_begin(type, big_endian);

	put(image, first, 4);
	for (unsigned i = 1; i < words; i++)
		put(image, 0x1000 * i + i, 4);
}

/* MINIDUMP_MISC_INFO_5 with all flags and three states of the processor. */
static void
make_misc(bool big_endian)
{
	struct image *image = raw_begin(15, big_endian);
	static const char *const names[] = { "Standard", "Daylight" };

	PUT32(image, 1364, 0x3f7, 4321, 0x4a000000, 5, 6, 3000, 2400, 3000, 2, 1, 0x2000, 0x22, 1,
	      1, (uint32_t)-60);
	for (unsigned i = 0; i < 2; i++) {
		for (size_t j = 0; j < 32; j++)
			put(image, j < strlen(names[i]) ? (uint8_t)names[i][j] : 0, 2);
		for (unsigned j = 0; j < 8; j++)
			put(image, j, 2);
		put(image, UINT32_MAX - 29, 4);
	}
	image->size = 832;
	PUT32(image, 528, 0x980, 0x807, 0);
	for (unsigned i = 0; i < 64; i++)
		if (i < 3)
			PUT32(image, 288 * i, i < 2 ? 288 : 256);
		else
			PUT32(image, i == 11 ? 832 : 0, i == 11 ? 16 : 0);
	image->size = 1360;
	put(image, 0xc00c1e, 4);
	for (unsigned i = 0; i < 8; i++)
		image->bytes[(big_endian ? 233 : 232) + 2 * i] = (uint8_t)"10.build"[i];
}

static void
make_windows(bool big_endian)
{
	struct image *image;

	make_handles(big_endian);
	make_tables(big_endian);
	make_misc(big_endian);
	make_counts(21, 64, big_endian, 0x10001);
	make_counts(22, 24, big_endian, 0x20001);
	RAW_TEXT(10, "said \"so\"\0");
	image = raw_begin(17, big_endian);
	PUT32(image, 12, 64, 2);
	for (unsigned i = 1; i <= 2; i++)
		PUT32(image, 0x11 * i, i, 0, 259, 7, 0x1d01, 0, 0, 100, 0, 200, 0, 0x401000, 0, 3,
		      0);
	image = raw_begin(8, big_endian);
	PUT32(image, 1, 0x33, 1, 32, 8, 0, 0, 0x7000, 0, 16);
	put_rva(image, 0);
	PUT32(image, 0);
	put_rva(image, 0);
	PUT32(image, 0x9000, 0, 16);
	put_rva(image, 4);
	image = raw_begin(11, big_endian);
	for (const char *c = "wide"; *c != '\0'; c++)
		put(image, (uint8_t)*c, 2);
}

/* Breakpad's copies of /proc files, and the dynamic linker's list. */
static void
make_linux(bool big_endian, unsigned word)
{
	static const uint64_t vector[][2] = {
		{ 3, 0x400040 }, { 9, 0x401000 }, { 33, 0x7fff0000 }, { 32, 0x7fff0400 },
		{ 16, 0xbfebfbff }, { 31, 0x7ffe0ff0 }, { 0, 0 },
	};
	struct image *image = raw_begin(0x47670008, big_endian);
	char long_name[300];

	for (size_t i = 0; i < ARRAY_COUNT(vector); i++) {
		put(image, vector[i][0], word);
		put(image, vector[i][1], word);
	}
	image = raw_begin(0x4767000a, big_endian);
	const unsigned head = word == 8 ? 40 : 24, links = head + 6 * word;
	const unsigned names = links + 2u * (word == 8 ? 24 : 12);
	put(image, 1, 4);
	put_rva(image, links);
	put(image, 2, word == 8 ? 8 : 4);
	const uint64_t values[] = { 0x7f001234, 0x7e000000, 0x402e00, 5, 0x777, 21, 0x402f00, 0,
				    0 };
	for (size_t i = 0; i < ARRAY_COUNT(values); i++)
		put(image, values[i], word);
	for (uint32_t i = 0; i < 2; i++) {
		put(image, i == 0 ? 0 : 0x7f000000, word);
		put_rva(image, i == 0 ? names : names + 4 + 2 * sizeof(long_name));
		put(image, 0, word - 4);
		put(image, i == 0 ? 0x402e00 : 0x7f002000, word);
	}
	/* The next name has an offset of more than one byte. */
	memset(long_name, 'n', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	put_string(image, long_name);
	put_string(image, "/lib/two.so");
	RAW_TEXT(0x47670006, "/bin/one\0--flag\0last\0");
	RAW_TEXT(0x47670007, "HOME=/home/me\0PATH=/bin:/a=b\0EMPTY=\0none\0");
	RAW_TEXT(0x47670004, "Name:\tone\nPid:\t4321\n\nUid:\t1000\t1000\n");
	RAW_TEXT(0x47670003, "processor\t: 0\nmodel name\t: A CPU: fast\n");
	RAW_TEXT(0x47670005, "DISTRIB_ID=\"Some System\"\nX=\"\nY=\"\"\nZ=7");
	RAW_TEXT(0x47670009, "00400000-00402000 r-xp 00000000 fe:00 77   /bin/one\n"
			     "00402000-00403000 rw-p 00002000 fe:00 77   /bin/one\n"
			     "7f000000-7f003000 r-xp 00001000 fe:00 78   /lib/two.so (deleted)\n"
			     "7ffe0000-7fff0000 rw-p 00000000 00:00 0    [stack]\n"
			     "7fff0000-7fff1000 --xp 00000000 00:00 0    [vdso]\n");
	RAW_TEXT(0x4d7a0003, "Limit      Soft Limit   Hard Limit   Units\n"
			     "Max cpu time  unlimited   17   seconds\nMax nice priority  0  5 \n");
	RAW_TEXT(0x4767000d, "0 -> /dev/null\n1 -> pipe:[7]\n");
	RAW_TEXT(0xfacecafb, "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a");
	RAW_TEXT(0xfacedead, "abort: \xc3\xa9 of it");
}

/* Mozilla's streams for macOS: records with runs of strings, and boot arguments. */
static void
make_mac(bool big_endian)
{
	struct image *image = raw_begin(0x4d7a0001, big_endian);

	PUT32(image, 0x4d7a0001, 2, 40);
	for (unsigned i = 0; i < 2; i++) {
		put(image, 64, 4);
		put_rva(image, 32 + 64 * i);
	}
	image->size = 32;
	for (unsigned i = 0; i < 2; i++) {
		const uint64_t numbers[] = { 0x4d7a0001, 4 + i, 0, 1, 0x55 };

		for (size_t j = 0; j < ARRAY_COUNT(numbers); j++)
			put(image, numbers[j], 8);
		put_text(image, "/lib/a\0abort\0sig\0back\0m", 24);
	}
	image = raw_begin(0x4d7a0002, big_endian);
	put(image, 0x4d7a0002, 4);
	if (big_endian)
		put(image, 0, 4);
	put_rva(image, 12);
	if (!big_endian)
		put(image, 0, 4);
	put_string(image, "-v debug=1");
	make_misc(big_endian);
}

static void
make_threads(struct synth *synth, const struct arch *arch, uint8_t stack[256])
{
	uint64_t registers[ARCH_REGISTERS];

	for (unsigned i = 0; i < 256; i++)
		stack[i] = (uint8_t)(i * 7 + 1);
	for (unsigned id = 0x11; id <= 0x33; id += 0x11) {
		for (unsigned i = 0; i < ARCH_REGISTERS; i++)
			registers[i] = 0x401000 + i + id;
		registers[arch->sp] = 0x7ffe1000 + 0x100 * id + 8;
		synth_thread(synth, id, registers, 0x7ffe1000 + 0x100 * id, stack, 64);
		synth_thread_teb(synth, 0x7ffd0000 + id);
		synth_thread_name(synth, id, id == 0x11 ? "main" : "worker");
	}
}

/* A thread whose context has an XSAVE area after it (winnt.h, CONTEXT_EX). */
static void
make_extended(struct synth *synth)
{
	struct image context = { 0 };

	for (unsigned at = 0; at < 1232; at += 4)
		put(&context, at == 48 ? 0x10005f : at, 4);
	PUT32(&context, (uint32_t)-1232, 1648, (uint32_t)-1232, 1232, 80, 336);
	context.size = 1232 + 80;
	PUT32(&context, 0x804, 0, 0x804, 0x80000000);
	context.size += 48;
	for (unsigned at = 0; at < 272; at += 4)
		put(&context, at + 0x10000, 4);
	synth_thread(synth, 0x44, NULL, 0x7ffe4000, NULL, 0);
	synth_context(synth, context.bytes, context.size);
}

static uint8_t *
make_minidump(enum arch_id id, enum crash_os os, bool big_endian, size_t *size)
{
	const struct arch *arch = arch_by_id(id);
	const uint32_t words[3] = { 0x756e6547, 0x49656e69, 0x6c65746e };
	struct synth *synth = synth_create(id, os, big_endian);
	struct error error = { 0 };
	struct crash crash;
	uint8_t stack[256];

	raw_count = 0;
	synth_system(synth, 10, 0, 19041, os == CRASH_OS_WINDOWS ? "Service Pack 1" : "5.10 x");
	synth_cpu(synth, 6, 0x3a09, 4, words);
	synth_module(synth, 0x400000, 0x5000, "/bin/one", "one.pdb",
		     "5A9832E5287241C1838ED98914E9B7FF1");
	synth_module_version(synth, 0x50001, 0x0a280884, 0x4a5bc000);
	synth_module_misc(synth, "one.dbg", false);
	synth_module(synth, 0x7f000000, 0x3000, "/lib/two.so", "two",
		     "000102030405060708090A0B0C0D0E0F0");
	synth_module(synth, 0x7f100000, 0x1000, "/lib/three.so", NULL, NULL);
	synth_unloaded(synth, 0x6000000, 0x2000, "gone.dll", 0x4a5bc111);
	make_threads(synth, arch, stack);
	if (os == CRASH_OS_WINDOWS && id == ARCH_AMD64)
		make_extended(synth);
	synth_memory(synth, 0x7ffd0000, stack, sizeof(stack), false);
	synth_exception(synth, 0x11, os == CRASH_OS_WINDOWS ? 0xc0000005 : 11, 1, 0x1234);
	synth_parameter(synth, 1);
	synth_parameter(synth, 0x1234);
	synth_memory(synth, 0x402e00, stack, 128, false);
	synth_memory(synth, 0x500000, stack, 64, true);
	synth_memory_info(synth, 0x400000, 0x2000, 0x1000, 0x20, 0x1000000);
	synth_memory_info(synth, 0x500000, 0x1000, 0x1000, 0x104, 0x20000);
	synth_breakpad(synth, 3, 0x33, 0x22);
	if (os == CRASH_OS_WINDOWS)
		make_windows(big_endian);
	else if (os == CRASH_OS_MAC)
		make_mac(big_endian);
	else
		make_linux(big_endian, arch->word_size);
	if (os != CRASH_OS_LINUX) {
		synth_crashpad(synth, -1, "channel", "beta");
		synth_crashpad(synth, 1, "abort_message", "it failed");
		synth_address_mask(synth, 0xffff800000000000);
		synth_assertion(synth, "a == b", "check", "check.c", 17, 1);
	}
	for (size_t i = 0; i < raw_count; i++)
		synth_stream(synth, raws[i].type, raws[i].image.bytes, raws[i].image.size);
	uint8_t *bytes = synth_finish(synth, size);
	synth_free(synth);
	dump_from_memory(&crash, "model", bytes, *size, 0, &error);
	for (size_t i = 0; i < raw_count; i++)
		for (size_t j = 0; j < crash.stream_count; j++)
			for (unsigned k = 0; crash.streams[j].type == raws[i].type &&
					     k < raws[i].rva_count; k++) {
				const uint32_t at = raws[i].rvas[k];
				struct image word = { .big_endian = big_endian };
				uint64_t number = 0;

				reader_unsigned(&crash.reader, crash.streams[j].offset + at, 4,
						&number);
				put(&word, number + crash.streams[j].offset, 4);
				memcpy(bytes + crash.streams[j].offset + at, word.bytes, 4);
			}
	crash_free(&crash);
	return bytes;
}

/* A 32-bit process dumped by a 64-bit tool: one thread in 32-bit code, one in 64-bit code. */
static void
test_wow64(void)
{
	struct synth *synth = synth_create(ARCH_AMD64, CRASH_OS_WINDOWS, false);
	const uint64_t teb = SPEAKING + 0x1000, reserved = SPEAKING + 0x9000;
	struct image slots = { 0 }, saved = { 0 };
	uint8_t stack[64] = { 0 }, wide[1232] = { 0 };
	uint64_t registers[ARCH_REGISTERS];
	size_t size;

	synth_module(synth, 0x400000, 0x10000, "c:\\app.exe", "app.pdb", NULL);
	synth_module(synth, 0x77000000, 0x8000, "C:\\Windows\\wow64cpu.dll", "x.pdb", NULL);
	for (unsigned i = 0; i < ARCH_REGISTERS; i++)
		registers[i] = UINT64_C(0x1100401000) + i;
	synth_thread(synth, 0x11, registers, 0x8e000, stack, sizeof(stack));
	synth_thread_teb(synth, teb);
	for (size_t at = 0; at < sizeof(wide); at += 8)
		wide[at] = (uint8_t)(at / 8);
	memcpy(wide + 48, "\x1f\0\x10\0", 4);
	memcpy(wide + 56, "\x23\0", 2);
	synth_thread(synth, 0x22, NULL, 0x9e000, stack, sizeof(stack));
	synth_context(synth, wide, sizeof(wide));
	synth_exception(synth, 0x11, 0xc0000005, 0, 0x401000);
	put(&slots, 0, 8);
	put(&slots, reserved, 8);
	PUT32(&saved, 0x014c0000, 0x1003f);
	for (unsigned i = 1; i < 716 / 4; i++)
		put(&saved, 0x500000 + i, 4);
	synth_memory(synth, teb + 0x1480, slots.bytes, slots.size, true);
	synth_memory(synth, reserved, saved.bytes, saved.size, true);
	synth_memory(synth, teb + 0x2000, saved.bytes, 64, true);
	uint8_t *bytes = synth_finish(synth, &size);
	synth_free(synth);
	change_words("wow64", bytes, size, false);
	free(bytes);
}

static void
test_minidumps(void)
{
	static const struct {
		const char *name;
		enum arch_id arch;
		enum crash_os os;
		bool big_endian;
	} dumps[] = {
		{ "windows amd64", ARCH_AMD64, CRASH_OS_WINDOWS, false },
		{ "linux amd64", ARCH_AMD64, CRASH_OS_LINUX, false },
		{ "linux mips", ARCH_MIPS, CRASH_OS_LINUX, true },
		{ "mac arm64", ARCH_ARM64, CRASH_OS_MAC, false },
		{ "windows x86", ARCH_X86, CRASH_OS_WINDOWS, false },
	};

	for (size_t i = 0; i < ARRAY_COUNT(dumps); i++) {
		size_t size;
		uint8_t *bytes = make_minidump(dumps[i].arch, dumps[i].os, dumps[i].big_endian,
					       &size);

		change_words(dumps[i].name, bytes, size, dumps[i].big_endian);
		free(bytes);
	}
}

/* Cores ---------------------------------------------------------------------------------------- */

static struct corefile core;

/* The program's headers, dynamic section and linker's list, and a library's build ID. */
static void
make_core_memory(uint8_t program[0x400], uint8_t library[0x200], bool dynamic)
{
	const unsigned word = corefile_word(&core);
	const struct structure *segment = &core_segment_structures[core.wide];
	const uint64_t tables[] = { 5, 0x400777, 21, 0x400200, 0, 0 };
	const uint64_t list[] = { 1, 0x400240, 0x7f001234, 0 };
	const uint64_t links[2][5] = { { 0, 0x400300, 0x400180, 0x400280, 0 },
				       { 0x7f000000, 0x400310, 0x7f000180, 0, 0x400240 } };
	uint8_t *const images[] = { program, library };

	for (unsigned i = 0; i < 2; i++) {
		uint8_t *image = images[i];
		const unsigned phoff = core.wide ? 64 : 52, note = core.wide ? 0x140 : 0x140;

		memcpy(image, "\x7f" "ELF", 4);
		image[4] = core.wide ? 2 : 1;
		image[5] = core.big_endian ? 2 : 1;
		corefile_put(&core, image, 24 + word, word, phoff);
		corefile_put(&core, image, 30 + 3 * word, 2, segment->size);
		corefile_put(&core, image, 32 + 3 * word, 2, 2);
		for (unsigned j = 0; j < 2; j++) {
			uint8_t *at = image + phoff + j * segment->size;
			const unsigned place = core.wide ? 8 : 4;
			const uint64_t address = (i == 0 ? 0x400000 : 0) + (j == 0 ? 0 : note);

			corefile_put(&core, at, 0, 4, j == 0 ? 1 : 4);
			corefile_put(&core, at, place + word, word, address);
			corefile_put(&core, at, place + 3 * word, word, j == 0 ? 0x1800 : 36);
			corefile_put(&core, at, place + 4 * word, word, j == 0 ? 0x1800 : 36);
		}
		corefile_put(&core, image, note, 4, 4);
		corefile_put(&core, image, note + 4, 4, 20);
		corefile_put(&core, image, note + 8, 4, 3);
		memcpy(image + note + 12, "GNU", 4);
		for (unsigned j = 0; j < 20; j++)
			image[note + 16 + j] = (uint8_t)(0x10 * i + j + 1);
	}
	for (size_t i = 0; dynamic && i < ARRAY_COUNT(tables); i++)
		corefile_put(&core, program, 0x180 + i * word, word, tables[i]);
	for (size_t i = 0; i < ARRAY_COUNT(list); i++)
		corefile_put(&core, program, 0x200 + i * word, word, list[i]);
	for (size_t i = 0; i < 2; i++)
		for (size_t j = 0; j < 5; j++)
			corefile_put(&core, program, 0x240 + i * 0x40 + j * word, word,
				     links[i][j]);
	memcpy(program + 0x300, "/bin/one", 9);
	memcpy(program + 0x310, "/lib/two.so", 12);
}

static void
make_core_notes(size_t status)
{
	static const uint64_t vector[] = { 3, 0x400040, 9, 0x400100, 31, 0x400300, 33, 0x7fff0000,
					   16, 0xbfebfbff, 0, 0 };
	static const uint64_t files[] = { 2, 0x1000, 0x400000, 0x401000, 0, 0x600000, 0x601000, 3 };
	static const char paths[] = "/bin/one\0/data/file";
	const unsigned word = corefile_word(&core);
	uint8_t bytes[1024];

	for (unsigned thread = 0; thread < 2; thread++) {
		for (unsigned i = 0; i < sizeof(bytes) / word; i++)
			corefile_put(&core, bytes, (size_t)i * word, word,
				     0x400100 + i * 8 + thread);
		corefile_put(&core, bytes, core.wide ? 32 : 24, 4, 4321 + thread);
		corefile_note(&core, "CORE", 1, bytes, status);
		corefile_note(&core, "CORE", 2, bytes, 512);
		corefile_note(&core, "LINUX", 0x406, bytes, 16);
		if (thread != 0)
			corefile_note(&core, "CORE", 0x46494c45, bytes, word);
		if (thread != 0)
			continue;
		memcpy(bytes + (core.wide ? 40 : 28), "one\0            ./one -x y    \0", 31);
		corefile_put(&core, bytes, core.wide ? 24 : 12, 4, 4321);
		corefile_note(&core, "CORE", 3, bytes, core.wide ? 136 : 124);
		corefile_note(&core, "CORE", 0x53494749, bytes, 128);
		for (size_t i = 0; i < ARRAY_COUNT(vector); i++)
			corefile_put(&core, bytes, i * word, word, vector[i]);
		corefile_note(&core, "CORE", 6, bytes, ARRAY_COUNT(vector) * word);
		for (size_t i = 0; i < ARRAY_COUNT(files); i++)
			corefile_put(&core, bytes, i * word, word, files[i]);
		memcpy(bytes + ARRAY_COUNT(files) * word, paths, sizeof(paths));
		corefile_note(&core, "CORE", 0x46494c45, bytes,
			      ARRAY_COUNT(files) * word + sizeof(paths));
		corefile_note(&core, "OTHER", 7, bytes, 9);
	}
}

static void
test_cores(void)
{
	static const struct {
		const char *name;
		uint16_t machine;
		bool wide, big_endian;
		size_t status;
		bool dynamic;		/* it has the dynamic linker's list */
	} cores[] = {
		{ "core amd64", 62, true, false, 336, true },
		{ "core mips", 8, false, true, 256, true },
		{ "core x86", 3, false, false, 144, true },
		{ "core arm64", 183, true, false, 392, false },
	};
	static uint8_t program[0x400], library[0x200];

	for (size_t i = 0; i < ARRAY_COUNT(cores); i++) {
		memset(program, 0, sizeof(program));
		memset(library, 0, sizeof(library));
		memset(&core, 0, sizeof(core));
		core.machine = cores[i].machine;
		core.wide = cores[i].wide;
		core.big_endian = cores[i].big_endian;
		make_core_memory(program, library, cores[i].dynamic);
		make_core_notes(cores[i].status);
		corefile_memory(&core, 0x400000, 0x1000, 6, program, sizeof(program));
		corefile_memory(&core, 0x600000, 0x1000, 4, library, 0);
		corefile_memory(&core, 0x7f000000, 0x1000, 5, library, sizeof(library));
		corefile_memory(&core, 0x7f001000, 0x800, 6, library, 16);
		corefile_memory(&core, 0x7fff0000, 0x1000, 5, library, sizeof(library));
		corefile_finish(&core);
		change_words(cores[i].name, core.bytes, core.size, core.big_endian);
		/* Change the memory that gives the places of modules. */
		for (size_t at = core.size - 0x400 - 0x200 - 16 - 0x200; at < core.size; at += 4) {
			core.bytes[at + (core.big_endian ? 3 : 0)] ^= (uint8_t)(1 + at / 4 % 3);
			look(core.bytes, core.size);
			core.bytes[at + (core.big_endian ? 3 : 0)] ^= (uint8_t)(1 + at / 4 % 3);
			if (at % (4 * GROUP) < 4)
				write_sums(cores[i].name, at);
		}
		write_sums(cores[i].name, core.size + 1);
	}
}

/* Microdumps ----------------------------------------------------------------------------------- */

/* Replace each byte by each of these, in turn. */
static void
test_microdump(const char *name, const char *tag)
{
	static const char begin_line[] = "-----BEGIN BREAKPAD MICRODUMP-----\n";
	static const char others[] = "\n 0fZ:-";
	static const char *const lines[] = {
		"V Shell:1.2.3", "O A arm 08 aarch64 maker/phone:9/A B", "P browser",
		"R 0000000B SIGSEGV DEADBEEF", "G ES 3.0|Maker|Chip 5",
		"H 00001000 F0000000 0012 00100000 00200000 0C:01",
		"S 0 00007004 00007000 00000020", "S 00007000 0011223344556677",
		"S 00007010 8899AABBCCDDEEFF", NULL,
		"M 00001000 00000000 00002000 DA7778FB66018A4E9B4110ED06E730D00 app",
		"M 00008000 00000000 00001000 56B149396A4DAF176E26B4A85DA87BF30 libc.so",
	};
	static char text[8192];
	size_t size = (size_t)snprintf(text, sizeof(text), "%s%s", tag, begin_line);

	for (size_t i = 0; i < ARRAY_COUNT(lines); i++) {
		size += (size_t)snprintf(text + size, sizeof(text) - size, "%s%s", tag,
					 lines[i] != NULL ? lines[i] : "C 06000040");
		for (unsigned j = 1; lines[i] == NULL && j < 368 / 4; j++)
			size += (size_t)snprintf(text + size, sizeof(text) - size, "%02X700000",
						 j);
		text[size++] = '\n';
	}
	size += (size_t)snprintf(text + size, sizeof(text) - size,
				 "%s-----END BREAKPAD MICRODUMP-----\n", tag);
	look((const uint8_t *)text, size);
	look_at_offsets((const uint8_t *)text, size);
	look_at_parts((const uint8_t *)text, size);
	write_sums(name, 0);
	for (size_t i = 0; i < size; i++) {
		const char kept = text[i];

		text[i] = others[i % (sizeof(others) - 1)];
		look((const uint8_t *)text, size);
		text[i] = kept;
		if (i % GROUP == GROUP - 1)
			write_sums(name, i + 1);
	}
	write_sums(name, size);
}

/* Annotations in the folder of a dump, in both forms ------------------------------------------- */

static void
look_at_extra(const char *text, size_t size)
{
	struct crash crash = { .format = "" };

	arena_init(&crash.arena, 0);
	message_list_init(&crash.messages, &crash.arena);
	extra_from_memory(&crash, "x.extra", text, size);
	add_annotations(&crash);
	add_messages(&crash.messages);
	crash_free(&crash);
}

static void
test_extra(void)
{
	static const char others[] = "\"\\{}[]:, \nu0=x";
	static const char *const texts[] = {
		"{\"A\":\"a\\\"b\\\\c\\u0041\",\"B\" : {\"x\":[1,\"}\"]} ,\n"
		"\"C\":\"\\ud83d\\ude00\",\"D\":1.5e3,\"E\":{\"y\":\"q\\\\\"},\"F\":\"\\\\\" }\n",
		"A=x\nB=y=z\r\nC=a\\nb\\tc\\\\d\n",
	};

	for (size_t i = 0; i < ARRAY_COUNT(texts); i++) {
		const size_t size = strlen(texts[i]);
		char text[200];

		memcpy(text, texts[i], size + 1);
		for (size_t at = 0; at < size; at++) {
			for (size_t j = 0; j < sizeof(others) - 1; j++) {
				text[at] = others[j];
				look_at_extra(text, size);
			}
			text[at] = texts[i][at];
			look_at_extra(text, at);
		}
		write_sums("extra", i);
	}
}

int
main(void)
{
	char *said = NULL;
	size_t size;

	out = open_memstream(&said, &size);
	for (unsigned i = 0; i < SUBJECTS; i++)
		sums[i] = HASH_START;
	test_minidumps();
	test_wow64();
	test_cores();
	test_microdump("microdump", "W/google-breakpad( 3745): ");
	test_microdump("microdump with times", "01-25 09:57:54.139 237 470 F google-breakpad: ");
	test_extra();
	fclose(out);
	is_as_accepted(said, "tests/unit/dump/model.txt");
	free(said);
	return done_testing();
}
