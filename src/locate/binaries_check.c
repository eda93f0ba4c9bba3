/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locate/binaries_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "binary/pe.h"
#include "crash/arch.h"
#include "locate/symbol_path.h"
#include "system/file.h"

/* Number of bytes compared at a file's beginning: a page. */
#define HEAD 4096u

const char *
binaries_build_id(const struct crash *crash, const struct module *module)
{
	bool other = crash->system.os == CRASH_OS_WINDOWS || crash->system.os == CRASH_OS_MAC ||
		     crash->system.os == CRASH_OS_IOS;

	return other || layout_is_zero(module->code_id) ? "" : module->code_id;
}

/* The image that was found for a module, if it names a PDB; else NULL. */
static const struct binary *
image_with_pdb(const struct binaries *binaries, const struct module *module)
{
	const struct binaries_slot *slot =
		&binaries->slots[module - binaries->crash->modules];
	const struct binary *image = slot->files[LOCATE_IMAGE];

	return image != NULL && *image->debug_id != '\0' ? image : NULL;
}

/* The debug identifier of a module's PDB: from the dump, else from the image. */
static const char *
pdb_id(const struct binaries *binaries, const struct module *module)
{
	const struct binary *image = image_with_pdb(binaries, module);

	return !layout_is_zero(module->debug_id) ? module->debug_id
	       : image != NULL			 ? image->debug_id : "";
}

void
binaries_name_pdb(struct binaries *binaries, const struct module *module,
		  struct locate_subject *subject)
{
	const struct binary *image = image_with_pdb(binaries, module);
	const char *path = *module->debug_file != '\0' ? module->debug_file
			   : image != NULL	       ? image->debug_file : "";
	const char *name = place_base_name(path);
	const char *code = place_base_name(module->code_file), *dot = strrchr(code, '.');
	const size_t length = strlen(name);

	if (length == 0 && binaries->crash->system.os == CRASH_OS_WINDOWS && *code != '\0')
		subject->pdb = arena_format(&binaries->arena, "%.*s.pdb",
					    (int)(dot != NULL ? dot - code : (int)strlen(code)),
					    code);
	else if (length > 4 && strcasecmp(name + length - 4, ".pdb") == 0)
		subject->pdb = name;
	subject->pdb_id = pdb_id(binaries, module);
}

struct binary_identity
binaries_copy_identity(const struct binary *binary, struct arena *arena)
{
	return (struct binary_identity){ .format = binary->format,
					 .id = arena_string(arena, binary->id),
					 .debug_id = arena_string(arena, binary->debug_id) };
}

enum binaries_match
binaries_match(const struct binaries *binaries, const struct module *module,
	       struct binary_identity build, char wanted[LOCATE_SHOWN], char found[LOCATE_SHOWN])
{
	const char *expected = binaries_build_id(binaries->crash, module);
	const char *pdb = pdb_id(binaries, module);
	const bool elf = build.format == BINARY_ELF;
	const bool guid = elf && *expected == '\0' && !layout_is_zero(module->debug_id) &&
			  strlen(module->debug_id) >= GUID_DIGITS;
	/* A crash made from a PDB has the image's name, but no time stamp. */
	const bool by_debug_id = build.format == BINARY_PDB || build.format == BINARY_MACH ||
			    (build.format == BINARY_PE && module->timestamp == 0 && *pdb != '\0' &&
			     text_or_empty(build.debug_id)[0] != '\0');
	const char *id = text_or_empty(by_debug_id ? build.debug_id : build.id);

	if (by_debug_id)
		snprintf(wanted, LOCATE_SHOWN, "%s", pdb);
	else if (!elf)
		snprintf(wanted, LOCATE_SHOWN, "%08X%x", (unsigned)module->timestamp,
			 (unsigned)module->size);
	else
		snprintf(wanted, LOCATE_SHOWN, "%.*s",
			 guid ? (int)GUID_DIGITS : (int)LOCATE_SHOWN - 1,
			 guid ? module->debug_id : expected);
	snprintf(found, LOCATE_SHOWN, "%s", *id != '\0' ? id : "none");
	if (elf || by_debug_id ? *wanted == '\0' : module->timestamp == 0)
		return BINARIES_MATCH_UNCHECKED;
	if (*id != '\0' && guid)
		binary_guid(id, found);
	return strcasecmp(wanted, found) == 0 ? BINARIES_MATCH_YES : BINARIES_MATCH_NO;
}

struct binary *
binaries_open_path(struct binaries *binaries, const char *path, struct locate_note *note)
{
	struct error error = { 0 };
	struct binary *binary;
	struct stat status;
	const char *problem = NULL;

	if (!file_stat(path, &status)) {
		if (errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG)
			return NULL;
		problem = strerror(errno);
	} else if (S_ISDIR(status.st_mode)) {
		/* A folder may have a module's name, for example a folder of symbols. */
		locate_note_refuse(note, "a directory has this name");
		note->outcome = LOCATE_NOT_THERE;
		return NULL;
	} else if ((problem = file_why_no_data(path, &status)) == NULL &&
		   binary_open_for(&binary, path, binaries->crash->system.arch, &error) ==
		   ERROR_NONE) {
		return binary;
	}
	problem = problem != NULL ? problem : error.text;
	locate_report_unreadable(&binaries->messages, MESSAGE_BINARY_UNREADABLE, path, problem);
	locate_note_refuse(note, "%s", problem);
	return NULL;
}

/* Whether a file is for another CPU than the crash; false if the CPU of the crash is unknown. */
static bool
other_machine(const struct locate_search *search, const struct binary *binary)
{
	const struct arch *wanted = search->binaries->crash->system.arch;
	const struct arch *found = binary_arch(binary);

	return wanted != NULL && arch_known(wanted) && found->id != wanted->id;
}

/* Describes the kind of a file. */
static const char *
what(const struct locate_search *search, const struct binary *binary, char *buffer)
{
	const bool other = other_machine(search, binary);
	const struct arch *arch = binary_arch(binary);
	static const char *const names[] = { [BINARY_ELF] = "an ELF file",
					     [BINARY_MACH] = "a Mach-O file",
					     [BINARY_PE] = "a PE file", [BINARY_PDB] = "a PDB" };

	snprintf(buffer, LOCATE_SHOWN, "%s%s%s", names[binary->format], other ? " for " : "",
		 !other ? "" : !arch_known(arch) ? "another machine" : arch->name);
	return buffer;
}

static void
refuse(const struct locate_search *search, const struct binary *binary, const char *path,
       const char *wanted, const char *found, struct locate_note *note)
{
	const struct module *module = search->subject.module;
	char name[LOCATE_SHOWN], shown_path[LOCATE_SHOWN], shown_wanted[LOCATE_SHOWN];

	/* Each incremental link keeps the GUID and raises the age. */
	if (binary->format == BINARY_PDB && strlen(wanted) > GUID_DIGITS &&
	    strncasecmp(wanted, found, GUID_DIGITS) == 0)
		locate_note_refuse(note,
				   "another build: the PDB has the same GUID but age %s; the image "
				   "has age %s",
				   found + GUID_DIGITS, wanted + GUID_DIGITS);
	else
		locate_note_refuse(note, "another build, %s: expected id %s, found %s",
				   what(search, binary, name), wanted, found);
	/* Other builds in the system's directories are expected and not reported. */
	if (search->by_id)
		return;
	message_add(&search->binaries->messages, MESSAGE_BINARY_ID, module->identity_place,
		    "'%s' is another build of '%s', expected id %s, found %s\nnot used",
		    locate_shown(shown_path, path),
		    locate_shown(name, place_base_name(module->code_file)),
		    locate_shown(shown_wanted, wanted), found);
}

bool
binaries_in_process(const struct binaries *binaries, const struct module *module)
{
	return memory_rest(&binaries->memory, module->base).size >= HEAD;
}

/*
 * Whether an ELF file's first page (headers and notes) equals the memory at the module's base. Go
 * programs have their own kind of ID in these notes, and no GNU build ID.
 */
static bool
begins_as_loaded(const struct locate_search *search, const struct binary *binary)
{
	const struct reader loaded =
		memory_rest(&search->binaries->memory, search->subject.module->base);

	return binary->format == BINARY_ELF && loaded.size >= HEAD && binary->file.size >= HEAD &&
	       memcmp(loaded.data, binary->file.data, HEAD) == 0;
}

bool
binaries_is_of_module(const struct locate_search *search, const struct binary *binary,
		      const char *path, struct locate_note *note)
{
	const struct crash *crash = search->binaries->crash;
	const struct module *module = search->subject.module;
	struct message_list *messages = &search->binaries->messages;
	char wanted[LOCATE_SHOWN], found[LOCATE_SHOWN];
	char name[LOCATE_SHOWN], shown_path[LOCATE_SHOWN], kind[LOCATE_SHOWN];
	const enum binaries_match match =
		binaries_match(search->binaries, module, binary_identity(binary), wanted, found);

	if (match == BINARIES_MATCH_NO && !search->forced)
		refuse(search, binary, path, wanted, found, note);
	if (match == BINARIES_MATCH_YES || (match == BINARIES_MATCH_NO && !search->forced))
		return match == BINARIES_MATCH_YES;
	/* The dump has no ID: use the file if nothing else contradicts it. */
	locate_shown(name, place_base_name(module->code_file));
	locate_shown(shown_path, path);
	const bool alike = search->by_id && begins_as_loaded(search, binary);
	if (search->by_id && !alike) {
		locate_note_refuse(note, "the dump has no ID to compare with its ID %s", found);
		return false;
	}
	if (other_machine(search, binary)) {
		const char *expected = crash->system.arch->name;

		locate_note_refuse(note, "%s, expected one for %s", what(search, binary, kind),
				   expected);
		message_add(messages, MESSAGE_BINARY_ID, module->place,
			    "'%s' is %s, expected one for %s as '%s'\nnot used", shown_path, kind,
			    expected, name);
		return false;
	}
	if (match == BINARIES_MATCH_NO)
		message_add(messages, MESSAGE_BINARY_UNCHECKED, module->place,
			    "'%s' is another build of '%s', expected id %s, found %s"
			    "\nused, because '--as' names it", shown_path, name, wanted, found);
	else
		message_add(messages, MESSAGE_BINARY_UNCHECKED, module->place,
			    "the dump has no id of '%s' to compare with that of '%s', %s"
			    "\nused, because %s", name, shown_path, found,
			    search->forced ? "'--as' names it"
			    : alike ? "the process has the same headers in its memory"
			    : strcmp(place_base_name(path),
				     place_base_name(search->subject.path)) != 0 &&
					      binary_is_program(binary, crash)
				    ? "it begins at the process's entry point"
				    : "its name matches");
	return true;
}

/* Whether a .gnu_debuglink fits this file. A file without an ID must have the link's checksum. */
static bool
is_linked(const struct locate_search *search, const struct binary *binary, const char *path,
	  struct locate_note *note)
{
	const uint32_t found = debug_link_checksum(binary), expected = search->link->crc;
	char shown_path[LOCATE_SHOWN], wanted_id[LOCATE_SHOWN], found_id[LOCATE_SHOWN];

	if (found != expected) {
		locate_note_refuse(note, "the checksum differs from .gnu_debuglink: expected "
				     "%08x, found %08x", (unsigned)expected, (unsigned)found);
		message_add(&search->binaries->messages, MESSAGE_BINARY_LINK, (struct place){ 0 },
			    "'%s' is not the file that .gnu_debuglink names, expected checksum "
			    "%08x, found %08x\nnot used", locate_shown(shown_path, path),
			    (unsigned)expected, (unsigned)found);
		return false;
	}
	const enum binaries_match match =
		binaries_match(search->binaries, search->subject.module, binary_identity(binary),
			       wanted_id, found_id);
	if (match == BINARIES_MATCH_YES ||
	    (!search->by_id && (*binary->id == '\0' || match != BINARIES_MATCH_NO)))
		return true;
	refuse(search, binary, path, wanted_id, found_id, note);
	return false;
}

bool
binaries_is_supplement(const struct locate_search *search, const struct binary *binary,
		       const char *path, struct locate_note *note)
{
	const char *wanted = search->subject.build_id;
	const char *found = *binary->id != '\0' ? binary->id : "none";
	char shown_path[LOCATE_SHOWN];

	if (strcmp(binary->id, wanted) == 0)
		return true;
	locate_note_refuse(note, "not the file that .gnu_debugaltlink names: expected id %s, "
			     "found %s", wanted, found);
	message_add(&search->binaries->messages, MESSAGE_BINARY_LINK, (struct place){ 0 },
		    "'%s' is not the file that .gnu_debugaltlink names, expected id %s, found %s"
		    "\nnot used",
		    locate_shown(shown_path, path), wanted, found);
	return false;
}

bool
binaries_has_split(const struct locate_search *search, const struct binary *binary,
		   const char *path, struct locate_note *note)
{
	const struct binaries_split *split = search->split;
	char shown_path[LOCATE_SHOWN];

	if (split == NULL ? binary_section(binary, 0, ".debug_cu_index") != NULL
			  : split->fits(split->context, binary))
		return true;
	if (split == NULL) {
		locate_note_refuse(note, "it has no .debug_cu_index");
		return false;
	}
	if (split->object) {
		locate_note_refuse(note, "it is no object file, or was changed after the link");
		return false;
	}
	locate_note_refuse(note, "it has no unit with the id %016" PRIx64, split->id);
	if (search->slot->split_missing < LIMIT_SPLIT_MESSAGES)
		message_add(
			&search->binaries->messages, MESSAGE_BINARY_SPLIT, (struct place){ 0 },
			"'%s' is of another build: it has no unit of DWARF with the id %016" PRIx64
			"\nnot used",
			locate_shown(shown_path, path), split->id);
	return false;
}

/* Open the target of a note's file.ptr, if following is allowed. */
static struct binary *
open_pointed(struct binaries *binaries, struct locate_note *note)
{
	char target[FILE_POINTER_SIZE], why[LOCATE_WHY];
	struct binary *binary = NULL;

	if (access(note->path, F_OK) != 0)
		return NULL;
	const bool follow = (binaries->options & BINARIES_POINTERS) != 0;
	if (!file_pointer_read(note->path, follow, target, why, sizeof(why)))
		locate_note_refuse(note, "%s", why);
	else if ((binary = binaries_open_path(binaries, target, note)) == NULL &&
		 note->why[0] == '\0')
		locate_note_refuse(note, "its file.ptr leads to '%.200s', which does not exist",
				   target);
	return binary;
}

struct binary *
binaries_open_matching(const struct locate_search *search, struct locate_note *note)
{
	const bool pointer = note->layout != NULL && (note->layout->flags & LAYOUT_POINTER) != 0;
	struct binary *binary = pointer ? open_pointed(search->binaries, note)
					: binaries_open_path(search->binaries, note->path, note);

	if (binary == NULL)
		return NULL;
	const char *path = binary->file.input.name;
	bool good = search->link != NULL
			    ? is_linked(search, binary, path, note)
			    : binaries_kinds[search->kind].belongs(search, binary, path, note);
	if (good && search->whole && !binary_is_whole(binary)) {
		locate_report_unreadable(&search->binaries->messages, MESSAGE_BINARY_UNREADABLE,
					 path, "it is truncated");
		locate_note_refuse(note, "it is truncated");
		good = false;
	}
	if (!good) {
		binary_close(binary);
		return NULL;
	}
	note->outcome = LOCATE_USED;
	const struct module *module = search->subject.module;
	if (binary->format == BINARY_PDB && layout_is_zero(module->debug_id) &&
	    image_with_pdb(search->binaries, module) != NULL)
		snprintf(note->why, sizeof(note->why),
			 "the dump has no CodeView record: the program, found by time stamp and "
			 "size, names this PDB");
	pe_relocate(binary, module->base);
	return binary;
}
