/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

/**
 * Every cap on what an input may ask for, with its reason.
 *
 * Reaching one is a message or an event, never a silent stop. Counts are also
 * checked against the bytes that are there, so a cap here only bounds what a
 * large and well-formed file may cost.
 */

/* Streams of a dump: real ones have about 20; Crashpad adds user streams. */
#define LIMIT_STREAMS 4096u
/* Notes of an ELF core: about four for each thread. */
#define LIMIT_CORE_NOTES (1u << 19)
/* Threads of a dump: 16 times what the largest server dumps have. */
#define LIMIT_THREADS 65536u
/* Loaded and unloaded modules, each. */
#define LIMIT_MODULES 65536u
/* Memory regions of full dumps and lines of memory maps. */
#define LIMIT_REGIONS (1u << 20)
/* Bytes of one string of a dump; Windows paths reach 64 KiB. */
#define LIMIT_STRING 65536u
/* Bytes of a name of a module behind its last slash: file systems have up to 255 characters. */
#define LIMIT_MODULE_NAME 512u
/* Bytes of one CodeView or misc record (Breakpad's cap). */
#define LIMIT_CODEVIEW 32768u
/* Annotations of Crashpad, all lists of a dump together. */
#define LIMIT_ANNOTATIONS 65536u
/*
 * Bytes of streams and of what their entries point to that one listing shows, beside those of the
 * dump: streams may share their bytes, and entries one context.
 */
#define LIMIT_DESCRIBED_BYTES (4u << 20)
/*
 * Bytes of strings of one listing, beside 4 for each of the dump's: entries may share one long
 * string.
 */
#define LIMIT_DESCRIBED_TEXT (8u << 20)
/*
 * Structures that entries of a listing only point to, beside one for 8 bytes of the dump: entries
 * may share one long list.
 */
#define LIMIT_DESCRIBED_LINKS 65536u
/* Bytes of memory that a dump has, beside 4 for each of its own: regions may share them. */
#define LIMIT_SHARED_MEMORY (64u << 20)
/* Bytes for what a dump tells, beside 32 for each of its own: entries may share one long string. */
#define LIMIT_DUMP_MEMORY (128u << 20)

/* Frames of one walk, as Breakpad's kMaxFrames. */
#define LIMIT_FRAMES (1u << 20)
/*
 * Where threads share their stacks: frames of all walks together, beside one for 64 bytes of the
 * dump, and bytes that are searched for the stacks' bottoms. Stacks share when they have so many
 * times the bytes of the dump; one thread may always have as many frames.
 */
#define LIMIT_SHARED_FRAMES 8192u
#define LIMIT_SHARED_BYTES (256u << 20)
#define LIMIT_SHARED_STACKS 4u
#define LIMIT_SHARED_LEAST 4u
/*
 * Bytes of names and paths in the frames of all walks that are written: a million frames may share
 * one long name. Behind so many, which take a fifth of a second, each is cut to LIMIT_NAME_CUT;
 * shorter ones do not count.
 */
#define LIMIT_WALK_NAMES (32u << 20)
#define LIMIT_NAME_CUT 256u
/*
 * Bytes of names and paths longer than LIMIT_NAME_CUT that a reader of debug information keeps, and
 * those that are written to a symbol file, beside 8 for each byte of its files: many functions may
 * share one long name or scope. Behind so many each is cut.
 */
#define LIMIT_SYMBOL_NAMES (8u << 20)
#define LIMIT_SYMBOL_NAMES_RATIO 8u
/*
 * Frames of a crash that sanitize walks in all ways and asks of all methods, which takes 50 us
 * each; threads behind them are walked as the options say.
 */
#define LIMIT_SANITIZE_FRAMES 16384u
/* Values on the postfix stack; real programs use five. */
#define LIMIT_POSTFIX_DEPTH 1024u
/* Tokens of one expression or program; real ones have under 100. */
#define LIMIT_POSTFIX_TOKENS 4096u
/* Variables that a STACK WIN program may assign. */
#define LIMIT_POSTFIX_VARIABLES 256u
/* Events of the trace of one step; the longest program allowed leaves under half of that. */
#define LIMIT_TRACE_EVENTS (1u << 20)
/* Registers and pseudo-registers that one STACK CFI row may name. */
#define LIMIT_RULES 128u
/* Bytes of one stack region (Breakpad's cap; a larger one is absent in its column). */
#define LIMIT_STACK_REGION (64u << 20)

/* Fields of one INLINE record (Breakpad's cap). */
#define LIMIT_INLINE_FIELDS 512u
/* Bad records after which Breakpad stops reading a symbol file. */
#define LIMIT_SYMBOL_ERRORS 100u
/* Inlined calls shown for one address; real ones reach about 30. */
#define LIMIT_INLINE_DEPTH 256u
/* Parts of inlined calls in one function; the largest real ones have some 10,000. */
#define LIMIT_INLINE_PARTS (1u << 19)

/*
 * Bytes for the records of long functions that are kept of one symbol file because look-ups ask for
 * them again and again: three times their text, and large functions have 1 MB.
 */
#define LIMIT_KEPT_FUNCTIONS (64u << 20)

/* Names of one directory of symbols; large stores have some 50,000 modules. */
#define LIMIT_STORE_NAMES (1u << 18)

/*
 * Work of lint for the patterns of accepted findings in one file, beside so much for each of its
 * bytes: bytes of names that are compared, 64 for each comparison and 4 for each pattern. A second.
 */
#define LIMIT_ACCEPTED_WORK (UINT64_C(1) << 28)
#define LIMIT_ACCEPTED_RATIO UINT64_C(64)

/* Symbol files that one run of lint reads; large stores have some 500,000. */
#define LIMIT_LINT_FILES (1u << 22)

/* Exports of one PE file: their ordinals have 16 bits. */
#define LIMIT_EXPORTS 65536u
/* Slots for addresses of other files' functions: the largest libraries have some 400,000. */
#define LIMIT_IMPORTS (1u << 20)
/* Bytes of one export's name; MSVC's decorated names end at 4096. */
#define LIMIT_EXPORT_NAME 4097u

/* Program headers of one ELF file; real ones have under 20. */
#define LIMIT_SEGMENTS 4096u
/* Sections of one ELF or PE file; -ffunction-sections objects reach some 10,000. */
#define LIMIT_SECTIONS 65536u
/* Bytes of a section's name. */
#define LIMIT_SECTION_NAME 256u
/* Notes looked at in one segment or section of an ELF file. */
#define LIMIT_NOTES 4096u
/* Bytes of a PE file whose addresses are rewritten for where it was loaded; large: 0.4 GiB. */
#define LIMIT_RELOCATED (1ull << 30)
/* Bytes of a build id; linkers write 8 to 20, people may choose. */
#define LIMIT_BUILD_ID 64u
/* Files with split DWARF that are opened for one module: Chromium is made of some 30,000. */
#define LIMIT_SPLIT_FILES 65536u
/* Bytes that units of debug information may read of tables that they share, beside 8 for each of
 * their own: units of types share them, some hundred of a program's few kilobytes. */
#define LIMIT_ABBREVIATIONS (16u << 20)
/*
 * Attributes without bytes, which are flags and what an abbreviation says itself, of one
 * abbreviation: DWARF 5 has some 30 flags.
 */
#define LIMIT_EMPTY_ATTRIBUTES 64u
/*
 * Entries of debug information that one question looks at, as for the inlined calls of a
 * function; all questions together look at eight times as many beside 8 for each byte of the file,
 * and each at the least behind these. Most functions have fewer; an expression asks for 15,000.
 */
#define LIMIT_QUESTION (UINT64_C(1) << 20)
#define LIMIT_QUESTION_LEAST 256u
/*
 * Bytes for what is kept of a file's debug information, beside 16 for each of its own: its units
 * may share long lists.
 */
#define LIMIT_DEBUG_MEMORY (64u << 20)
/*
 * Bytes of the values of variables of all frames of a document, beside 4 for each of the dump's:
 * thousands of frames may share thousands of variables. They take a second.
 */
#define LIMIT_LOCALS (24u << 20)
/*
 * Operations of all expressions that are run for the variables of one frame, which are kept to be
 * shown and take 30 MB then. Most variables need one to five.
 */
#define LIMIT_FRAME_OPERATIONS (1u << 16)
/* Places that are noted of them, and messages about them, of one module. */
#define LIMIT_SPLIT_PLACES 64u
#define LIMIT_SPLIT_MESSAGES 4u
/* Bytes to note where modules' files were looked for: some 300,000 places. */
#define LIMIT_BINARY_PLACES (16u << 20)
/* Names of a directory of binaries that are looked through for near misses. */
#define LIMIT_BINARIES_NAMES 4096u
/* Directories and binaries among them that are looked into. */
#define LIMIT_BINARIES_LISTED 64u
/* Paths that are tried for near misses, for all modules: half a second's worth. */
#define LIMIT_BINARIES_NEAR (1u << 18)
/* Bytes that each byte of a compressed section may become, beside some for all: debug information
 * becomes 2 to 8 times as large, and the lists of ranges of generated code some 20 times. */
#define LIMIT_SECTION_RATIO 64u
#define LIMIT_SECTION_FREE (1u << 20)
/*
 * Bytes that the symbols in a .gnu_debugdata may become; those of large programs have some 50
 * MiB.
 */
#define LIMIT_MINI_DEBUG (256ull << 20)

/* Bytes of one stream of a PDB that are put together; the largest known ones have some 400 MiB. */
#define LIMIT_PDB_STREAM (1u << 30)
/* Bytes of a path in a PDB, and of a name that is made from types. */
#define LIMIT_PDB_TEXT 65536u
/* How far before an address a procedure or a run of lines that covers it is looked for. */
#define LIMIT_PDB_NEST (1u << 20)
/* Rows of lines of one function, and those of all calls inlined into it; large: some 10,000. */
#define LIMIT_PDB_ROWS (1u << 20)
/* How deep types of a PDB may be in each other, as they are spelled or measured. */
#define LIMIT_PDB_TYPE_DEPTH 16u

/* Rows of one function's table of unwind rules; the longest known function has some 9,000. */
#define LIMIT_TABLE_ROWS 65536u
/*
 * Differences of unwind sources that are kept with their places: four times what a library has
 * whose every row is wrong.
 */
#define LIMIT_UNWIND_PLACES (1u << 22)
/* Cells of all tables of one function: five times what the longest known one has. */
#define LIMIT_TABLE_CELLS (1u << 19)
/* States that one entry of a frame table remembers at a time: compilers nest one or two. */
#define LIMIT_FRAME_STATES 16u
/*
 * Rows of a frame table that dump-syms runs only to reach a later row, in addition to 16 for each
 * byte of the file: the longest known function takes 40 millions.
 */
#define LIMIT_FRAME_STEPS (UINT64_C(1) << 26)
/*
 * Bytes of entries of a frame table, with their CIEs, that look-ups of addresses run, beside 16
 * for each byte of the file: entries may share a long CIE. They take half a second; most have
 * under 100.
 */
#define LIMIT_FRAME_LOOKUPS (32u << 20)
/* Bytes of one rule that a STACK WIN program comes to; it may double with every assignment. */
#define LIMIT_RULE_TEXT 1024u
/*
 * Instructions of modules that the walks of a crash run, beside one for 4 bytes of the dump: each
 * address of a long function runs all of it. Crashes of large programs run 100,000; so many take a
 * second.
 */
#define LIMIT_CODE_STEPS (1u << 20)
/* Bytes for what is known before each instruction of a function: 60,000 that each save a value. */
#define LIMIT_CODE_STATES (144u << 20)
/* Rows of one SFrame function that a look-up reads; real functions have up to some hundred. */
#define LIMIT_SFRAME_ROWS 65536u
/*
 * Rows that are written of an SFrame section, as STACK CFI or as SFrame, beside one for each byte
 * of it or its file: functions may share their rows, which have at least two bytes each.
 */
#define LIMIT_SFRAME_WRITTEN (1u << 19)

/* Bytes of a mangled name; those of templates of templates reach some 10,000. */
#define LIMIT_MANGLED_NAME 65536u
/*
 * Bytes that a mangled name may become: at most, beside 32 for each of its own, and so many.
 * Names of templates of templates become some 10 times as long.
 */
#define LIMIT_SHOWN_NAME 65536u
#define LIMIT_SHOWN_FREE 4096u
#define LIMIT_SHOWN_RATIO 32u
/* Bytes of names that the walks of a crash remember to have demangled: some 200,000 of them. */
#define LIMIT_DEMANGLED (64u << 20)
/*
 * Symbols, names and types within each other in a name of Microsoft's compilers; few have a
 * dozen.
 */
#define LIMIT_MSVC_NESTING 64u
/*
 * Bytes of all texts made on the way to one such name, in those that it may become: parts are
 * copied into each other.
 */
#define LIMIT_MSVC_COPIES 16u

/* Bytes of a lesson's file; long ones have some 10 KiB. */
#define LIMIT_LESSON_BYTES (256u << 10)
/* Bytes of one of its lines. */
#define LIMIT_LESSON_LINE 4096u
/* Cards and tasks of a lesson: an hour has about 30. */
#define LIMIT_LESSON_CARDS 256u
/* Bytes of one answer: an edited record is longer than any other. */
#define LIMIT_LESSON_ANSWER 16384u
/* Bytes of a file of answers or of progress: years of lessons. */
#define LIMIT_LESSON_ANSWERS (4u << 20)

/* Messages kept of one kind for one input; the true count is kept beside them. */
#define LIMIT_MESSAGES_PER_KIND 100u
/* Bytes of one file that is read into memory instead of mapped. */
#define LIMIT_READ_WHOLE (64u << 20)
/* The same of a module's file: a crash has hundreds, and a mapped one keeps a descriptor. */
#define LIMIT_READ_MODULE (1u << 20)
/* Bytes that a pipe may have that begins as a dump or a symbol file does. */
#define LIMIT_READ_PIPE (1ull << 31)
/* LIMIT_READ_PIPE of compressed bytes. */
#define LIMIT_READ_PACKED (1ull << 30)
/* A larger plain file is mapped: a symbol file is read once, and in few places. */
#define LIMIT_READ_SMALL (256u << 10)
/* Bytes that a compressed file may become: in memory, unlike a plain one, which is mapped. */
#define LIMIT_INFLATED (1ull << 32)
/*
 * Memory for what comes out, beside 64 for each byte that was compressed; pages of zeros take
 * none. Whole dumps become 3 to 20 times as large.
 */
#define LIMIT_INFLATED_MEMORY (64u << 20)
#define LIMIT_INFLATED_RATIO 64u
/* Bytes that a compressed text may become, beside 64 for each of its own, and a minidump: half of a
 * large one may be zeros, which take next to nothing. What a core has its headers say. */
#define LIMIT_INFLATED_TEXT (64u << 20)
#define LIMIT_INFLATED_DUMP (256u << 20)
#define LIMIT_INFLATED_DUMP_RATIO 256u
/* Bytes of the dictionary of an xz file; 'xz -9' needs 65 MiB to decompress. */
#define LIMIT_INFLATE_DICTIONARY (256ull << 20)
/* Microdumps of one log: a device that crashes every minute of a week. */
#define LIMIT_MICRODUMPS 16384u
/* Bytes of source, standard input and other text that is read whole, at most. */
#define LIMIT_STDIN (1ull << 32)

/* Names of users that are replaced in paths, and the bytes of one: of a server that all share. */
#define LIMIT_USER_NAMES 1024u
#define LIMIT_USER_NAME 256u

/* Repetitions that braces of a regular expression may ask for: POSIX promises as many. */
#define LIMIT_REGEX_REPETITIONS 255u
/*
 * Rules of signatures, and states of their expressions: those of Socorro, the largest known lists,
 * have some 600 rules of 20 bytes.
 */
#define LIMIT_SIGNATURE_RULES 8192u
#define LIMIT_SIGNATURE_STATES (1u << 18)

/*
 * Bytes of the line that is typed into a prompt, which each key copies and shows: an answer of a
 * lesson (LIMIT_LESSON_ANSWER) and an edited record are typed there.
 */
#define LIMIT_PROMPT_LINE 16384u
/* A script of the explorer: a session of a day has some thousand lines. */
#define LIMIT_SCRIPT_LINES 100000u
#define LIMIT_SCRIPT_BYTES (16u << 20)

#endif
