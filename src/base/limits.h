/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

/**
 * Every limit on the resources that an input may use, with its reason.
 *
 * Reaching one is a message or an event, never a silent stop. Counts are also checked against the
 * bytes of the input, so a limit only bounds the cost of a large and well-formed file.
 */

/* Streams of a dump: real ones have about 20; Crashpad adds user streams. */
#define LIMIT_STREAMS 4096u
/* Notes of an ELF core: about four for each thread. */
#define LIMIT_CORE_NOTES (1u << 19)
/* Threads of a dump: 16 times as many as the largest dumps of servers have. */
#define LIMIT_THREADS 65536u
/* Modules in a dump's list of loaded modules, and in its list of unloaded modules. */
#define LIMIT_MODULES 65536u
/* Memory regions of full dumps and lines of memory maps. */
#define LIMIT_REGIONS (1u << 20)
/* Bytes of one string of a dump; Windows paths reach 64 KiB. */
#define LIMIT_STRING 65536u
/* Bytes of a module's name after its last slash: file systems have up to 255 characters. */
#define LIMIT_MODULE_NAME 512u
/* Bytes of one CodeView or misc record (Breakpad's limit). */
#define LIMIT_CODEVIEW 32768u
/* Annotations of Crashpad in all lists of a dump together. */
#define LIMIT_ANNOTATIONS 65536u
/*
 * Bytes of streams and of their entries' data in one listing, in addition to the size of the dump:
 * streams may share their bytes, and entries may share one context.
 */
#define LIMIT_DESCRIBED_BYTES (4u << 20)
/*
 * Bytes of strings in one listing, in addition to 4 per byte of the dump: entries may share one
 * long string.
 */
#define LIMIT_DESCRIBED_TEXT (8u << 20)
/*
 * Structures that entries of a listing point to, in addition to one per 8 bytes of the dump:
 * entries may share one long list.
 */
#define LIMIT_DESCRIBED_LINKS 65536u
/* Bytes of memory in a dump, in addition to 4 per byte of its file: regions may share bytes. */
#define LIMIT_SHARED_MEMORY (64u << 20)
/* Bytes for a dump's model, in addition to 32 per byte of the file: records may share strings. */
#define LIMIT_DUMP_MEMORY (128u << 20)

/* Arenas of one glibc heap: up to eight per processor. */
#define LIMIT_HEAP_ARENAS 4096u
/* Words of a C library's data, and places of its heap, to search; glibc has 2 MB of data. */
#define LIMIT_HEAP_SEARCH (1u << 19)

/* Frames of one walk: Breakpad's kMaxFrames. */
#define LIMIT_FRAMES (1u << 20)
/*
 * Frames of one walk, in addition to one per word of the dump, with the policy end-of-stack: a call
 * stores at least a word, but a symbol file can give frames of one byte.
 */
#define LIMIT_FRAMES_LEAST 8192u
/*
 * Limits for a crash whose threads share stacks. LIMIT_SHARED_FRAMES: frames of all walks, in
 * addition to one per 64 bytes of the dump. LIMIT_SHARED_BYTES: bytes searched for the bottoms of
 * the stacks. Threads share stacks if all stacks have LIMIT_SHARED_STACKS times the dump's bytes.
 * Each thread may have LIMIT_SHARED_LEAST frames, the requesting thread LIMIT_FRAMES.
 */
#define LIMIT_SHARED_FRAMES 8192u
#define LIMIT_SHARED_BYTES (256u << 20)
#define LIMIT_SHARED_STACKS 4u
#define LIMIT_SHARED_LEAST 4u
/*
 * Bytes of names and paths in the frames of all written walks: a million frames may share one long
 * name. This many bytes take a fifth of a second. After them, each name is cut to LIMIT_NAME_CUT
 * bytes. Shorter names are not counted.
 */
#define LIMIT_WALK_NAMES (32u << 20)
#define LIMIT_NAME_CUT 256u
/*
 * Bytes of names and paths that one reader of debug information keeps, or one symbol file gets. 8
 * more are allowed per byte of the files read. Only names longer than LIMIT_NAME_CUT count, and
 * 2 * LIMIT_SHOWN_FREE for each name that cannot be demangled: many functions may share one long
 * name or scope. After this many bytes, each name is cut, or stays mangled.
 */
#define LIMIT_SYMBOL_NAMES (8u << 20)
#define LIMIT_SYMBOL_NAMES_RATIO 8u
/*
 * Frames of a crash that `unspool sanitize` finds in all ways and with all methods; each takes
 * 50 us. Further threads are walked only as the options say.
 */
#define LIMIT_SANITIZE_FRAMES 8192u
/* Values on the postfix stack; real programs use five. */
#define LIMIT_POSTFIX_DEPTH 1024u
/* Tokens of one expression or program; real ones have under 100. */
#define LIMIT_POSTFIX_TOKENS 4096u
/* Variables that a STACK WIN program may assign. */
#define LIMIT_POSTFIX_VARIABLES 256u
/* Events of the trace of one step; the longest allowed program makes fewer than half as many. */
#define LIMIT_TRACE_EVENTS (1u << 20)
/* Registers and pseudo-registers that one STACK CFI row may name. */
#define LIMIT_RULES 128u
/* Bytes of one stack region (Breakpad's limit; with its policy, larger ones are ignored). */
#define LIMIT_STACK_REGION (64u << 20)

/* Fields of one INLINE record (Breakpad's limit). */
#define LIMIT_INLINE_FIELDS 512u
/* Bad records after which Breakpad stops reading a symbol file. */
#define LIMIT_SYMBOL_ERRORS 100u
/* Inlined calls shown for one address; real ones reach about 30. */
#define LIMIT_INLINE_DEPTH 256u
/* Parts of inlined calls in one function; the largest real ones have some 10,000. */
#define LIMIT_INLINE_PARTS (1u << 19)

/*
 * Bytes for records of one symbol file's long functions, which are kept for repeated look-ups. They
 * take three times the bytes of their text; large functions have 1 MB.
 */
#define LIMIT_KEPT_FUNCTIONS (64u << 20)

/* Names of one directory of symbols; large stores have some 50,000 modules. */
#define LIMIT_STORE_NAMES (1u << 18)

/* Entries of a directory, and of the directories in it, that are searched for dumps. */
#define LIMIT_FOLDER_ENTRIES 4096u

/*
 * Work to match one file's findings with accepted patterns, in addition to 64 per byte of the file:
 * about a second. A pattern costs 4, its comparison 64 more, and a byte of a name 1.
 */
#define LIMIT_ACCEPTED_WORK (UINT64_C(1) << 28)
#define LIMIT_ACCEPTED_RATIO UINT64_C(64)

/* Symbol files that one run of lint reads; large stores have some 500,000. */
#define LIMIT_LINT_FILES (1u << 22)

/* Exports of one PE file: their ordinals have 16 bits. */
#define LIMIT_EXPORTS 65536u
/* Slots for the addresses of imported functions: the largest libraries have some 400,000. */
#define LIMIT_IMPORTS (1u << 20)
/* Types, functions or variables in the answer to one query: more than a user reads. */
#define LIMIT_LISTED_NAMES 2000u
/* Bytes of one export's name; MSVC's decorated names end at 4096. */
#define LIMIT_EXPORT_NAME 4097u

/* Program headers of one ELF file; real ones have under 20. */
#define LIMIT_SEGMENTS 4096u
/* Sections of one ELF, Mach-O or PE file; -ffunction-sections objects reach some 10,000. */
#define LIMIT_SECTIONS 65536u
/* Load commands of one Mach-O file; real ones have under 100. */
#define LIMIT_LOAD_COMMANDS 4096u
/* Bytes of a section's name. */
#define LIMIT_SECTION_NAME 256u
/* Notes read in one segment or section of an ELF file. */
#define LIMIT_NOTES 4096u
/* Bytes of a PE file that is relocated to its load address; large ones have 0.4 GiB. */
#define LIMIT_RELOCATED (1ull << 30)
/* Bytes of images copied from a dump's memory, with gaps, in addition to the dump's size. */
#define LIMIT_PROCESS_IMAGES (256u << 20)
/* Bytes of a build ID; linkers write 8 to 20 unless the user chooses others. */
#define LIMIT_BUILD_ID 64u
/* Files with split DWARF opened for one module: Chromium has some 30,000. */
#define LIMIT_SPLIT_FILES 65536u
/* Bytes of abbreviation tables that the units of a module may read, in addition to twice the
 * sections' size. Tables hardly ever overlap. */
#define LIMIT_ABBREVIATIONS (16u << 20)
/*
 * Attributes without bytes in one abbreviation (flags and implicit constants): DWARF 5 has some 30
 * flags.
 */
#define LIMIT_EMPTY_ATTRIBUTES 64u
/*
 * Entries of debug information that one question may read, such as for the inlined calls of a
 * function. All questions together may read eight times as many, in addition to 8 per byte of the
 * file. Each may read LIMIT_QUESTION_LEAST; few questions need more. An expression needs 15,000.
 */
#define LIMIT_QUESTION (UINT64_C(1) << 20)
#define LIMIT_QUESTION_LEAST 256u
/*
 * Bytes for the model of a file's debug information, in addition to 16 per byte of the file: units
 * may share long lists.
 */
#define LIMIT_DEBUG_MEMORY (64u << 20)
/*
 * Bytes of the values of variables in all frames of a document, in addition to 4 per byte of the
 * dump: thousands of frames may share thousands of variables. This many bytes take a second.
 */
#define LIMIT_LOCALS (24u << 20)
/*
 * Operations of all expressions for the variables of one frame, which are kept for display: this
 * many take 30 MB. Most variables need one to five.
 */
#define LIMIT_FRAME_OPERATIONS (1u << 16)
/* Places recorded in the search for one module's split DWARF, and messages about the search. */
#define LIMIT_SPLIT_PLACES 64u
#define LIMIT_SPLIT_MESSAGES 4u
/* Bytes for the list of places searched for modules' files: some 300,000 places. */
#define LIMIT_BINARY_PLACES (40u << 20)
/* Names that the search for near misses reads in one directory of binaries. */
#define LIMIT_BINARIES_NAMES 4096u
/* Entries that the search for near misses opens in one directory of binaries. */
#define LIMIT_BINARIES_LISTED 64u
/* Paths tried for near misses of all modules: these take half a second. */
#define LIMIT_BINARIES_NEAR (1u << 18)
/* Decompressed bytes per byte of a compressed section, in addition to LIMIT_SECTION_FREE: debug
 * information grows 2 to 8 times; lists of ranges of generated code grow some 20 times. */
#define LIMIT_SECTION_RATIO 64u
#define LIMIT_SECTION_FREE (1u << 20)
/* Decompressed bytes of the symbols in a .gnu_debugdata; large programs have some 50 MiB. */
#define LIMIT_MINI_DEBUG (256ull << 20)

/* Bytes of one stream of a PDB that are assembled; the largest known ones have some 400 MiB. */
#define LIMIT_PDB_STREAM (1u << 30)
/* Bytes of a path in a PDB, and of a name made from types. */
#define LIMIT_PDB_TEXT 65536u
/* Bytes of a stream with URLs of sources; 100,000 rows, one for each file, have 20 MB. */
#define LIMIT_PDB_LINKS (64u << 20)
/* Bytes before an address that are searched for the procedure or run of lines that contains it. */
#define LIMIT_PDB_NEST (1u << 20)
/* Rows of lines of one function, with all calls inlined into it; large ones have some 10,000. */
#define LIMIT_PDB_ROWS (1u << 20)
/* Reads of records, and of their blocks of 64 bytes, for one type; 4096 members take 3 million. */
#define LIMIT_PDB_TYPE_READS (1u << 22)
/* Nesting of a PDB's types that are written or measured. */
#define LIMIT_PDB_TYPE_DEPTH 16u

/* Rows of one function's table of unwind rules; the longest known function has some 9,000. */
#define LIMIT_TABLE_ROWS 65536u
/*
 * Differences between unwind sources that are kept with their places: four times those of a library
 * with every row wrong.
 */
#define LIMIT_UNWIND_PLACES (1u << 22)
/* Cells of all tables of one function: five times those of the longest known one. */
#define LIMIT_TABLE_CELLS (1u << 19)
/* States that one entry of a frame table can save at a time: compilers nest one or two. */
#define LIMIT_FRAME_STATES 16u
/*
 * Look-ups of one reader that reads all rows of .pdata or .ARM.exidx, in addition to one per byte
 * of the file: an entry needs at most one for each instruction.
 */
#define LIMIT_FRAME_STEPS (UINT64_C(1) << 22)
/*
 * Bytes of frame tables that are run: entries and CIEs by all look-ups of addresses, and by one
 * reader of rows. 16 more are allowed per byte of the file or section, because entries may share a
 * long CIE. This many bytes take half a second. Most entries have fewer than 100 bytes.
 */
#define LIMIT_FRAME_LOOKUPS (32u << 20)
/* Bytes of one rule of a STACK WIN program; it may double with every assignment. */
#define LIMIT_RULE_TEXT 1024u
/*
 * Instructions of modules that the walks of a crash run, in addition to one per 4 bytes of the
 * dump. For an address in a long function, the whole function is run. Crashes of large programs run
 * 100,000 instructions. Running up to the limit takes a second or two.
 */
#define LIMIT_CODE_STEPS (1u << 19)
/*
 * Instructions that a check or a repair of unwind rules runs, in addition to one per byte of the
 * module's file: rules may have functions that overlap.
 */
#define LIMIT_CODE_CHECKED (1u << 19)
/* Bytes for the states before each instruction of a function: 60,000 states that save a value. */
#define LIMIT_CODE_STATES (144u << 20)
/* Rows of one SFrame function that a look-up reads; real functions have up to a hundred. */
#define LIMIT_SFRAME_ROWS 65536u
/*
 * Rows of one SFrame section that all look-ups read: half a second. Each later look-up reads only
 * LIMIT_SFRAME_ROWS_LEAST.
 */
#define LIMIT_SFRAME_LOOKUPS (1u << 22)
#define LIMIT_SFRAME_ROWS_LEAST 256u
/*
 * Rows of an SFrame section that are written as STACK CFI or as SFrame, in addition to one per byte
 * of the section or its file. A row has at least two bytes, but functions may share rows.
 */
#define LIMIT_SFRAME_WRITTEN (1u << 19)

/* Bytes of a mangled name; nested templates reach some 10,000. */
#define LIMIT_MANGLED_NAME 65536u
/*
 * Bytes of a demangled name: 32 per byte of the mangled name and LIMIT_SHOWN_FREE more, but at most
 * LIMIT_SHOWN_NAME. Names of nested templates become some 10 times as long.
 */
#define LIMIT_SHOWN_NAME 65536u
#define LIMIT_SHOWN_FREE 4096u
#define LIMIT_SHOWN_RATIO 32u
/* Bytes of demangled names that the walks of a crash keep: some 200,000 names. */
#define LIMIT_DEMANGLED (64u << 20)
/* Nesting of symbols, names and types in a name of Microsoft's compilers; few reach a dozen. */
#define LIMIT_MSVC_NESTING 64u
/*
 * Bytes of all intermediate texts of one of Microsoft's names, as a multiple of its final limit:
 * parts are copied into each other.
 */
#define LIMIT_MSVC_COPIES 16u

/* Bytes of a lesson's file or a document; long ones have some 30 KiB. */
#define LIMIT_LESSON_BYTES (64u << 10)
/* Bytes of a line and of a text in a lesson's file; a card has room for some 1,100. */
#define LIMIT_LESSON_LINE 4096u
/* Cards and tasks of a lesson: an hour's lesson has about 30. */
#define LIMIT_LESSON_CARDS 256u
/* Lessons of a course: its list reads them all. The bundled course has 26. */
#define LIMIT_COURSE_LESSONS 512u
/* Rows of one view at all cards of a lesson together: a million take 4 seconds. */
#define LIMIT_LESSON_ROWS (1u << 18)
/* Frames for which a generated lesson has tasks: four tasks each are an evening's work. */
#define LIMIT_LESSON_MADE_FRAMES 12u
/* Rows of a view in a page of a lesson: a deep stack has thousands. */
#define LIMIT_LESSON_PAGE_ROWS 400u
/* Bytes of one answer: edited records are the longest. */
#define LIMIT_LESSON_ANSWER 16384u
/* Bytes of a file of answers or of progress: years of lessons. */
#define LIMIT_LESSON_ANSWERS (4u << 20)

/* Messages kept of one kind for one input; all are counted. */
#define LIMIT_MESSAGES_PER_KIND 100u
/* Bytes of a file that is read into memory instead of mapped. */
#define LIMIT_READ_WHOLE (64u << 20)
/* Bytes of a module's file that is read instead of mapped: each mapping keeps a descriptor. */
#define LIMIT_READ_MODULE (1u << 20)
/* Bytes of a pipe that begins like a dump or a symbol file. */
#define LIMIT_READ_PIPE (1ull << 31)
/* Bytes of a pipe with compressed data. */
#define LIMIT_READ_PACKED (1ull << 30)
/* Plain files above this size are mapped: a symbol file is read once, and in few places. */
#define LIMIT_READ_SMALL (256u << 10)
/* Decompressed bytes of a file: they are in memory, while a plain file is mapped. */
#define LIMIT_INFLATED (1ull << 32)
/*
 * Memory for decompressed bytes, in addition to 64 for each compressed byte; pages of zeros take
 * none. Complete dumps become 3 to 20 times as large.
 */
#define LIMIT_INFLATED_MEMORY (64u << 20)
#define LIMIT_INFLATED_RATIO 64u
/* Decompressed bytes of a text or a minidump, in addition to 64 or 256 per compressed byte. Half of
 * a large minidump may be zeros, which need no memory. A core's size is in its headers. */
#define LIMIT_INFLATED_TEXT (64u << 20)
#define LIMIT_INFLATED_DUMP (256u << 20)
#define LIMIT_INFLATED_DUMP_RATIO 256u
/* Bytes of the dictionary of an xz file; 'xz -9' needs 65 MiB to decompress. */
#define LIMIT_INFLATE_DICTIONARY (256ull << 20)
/* Microdumps of one log: a crash every minute for a week. */
#define LIMIT_MICRODUMPS 16384u
/* Bytes of source, standard input and other text that is read completely. */
#define LIMIT_STDIN (1ull << 32)
/*
 * Bytes of a file that is neither a minidump nor a core. The largest symbol files have some 4 GB,
 * but a sparse file of one page can have any size.
 */
#define LIMIT_PLAIN_FILE (1ull << 34)

/*
 * Requests of one run to its broker: a session needs some thousand files. Processes that the broker
 * runs at a time: one for each server that is asked for a module's file.
 */
#define LIMIT_BROKER_REQUESTS (1u << 17)
#define LIMIT_BROKER_SERVICES 64u

/* Users whose names are replaced in paths (a shared server has many), and bytes of one name. */
#define LIMIT_USER_NAMES 1024u
#define LIMIT_USER_NAME 256u

/* Repetitions in braces of a regular expression: as many as POSIX guarantees. */
#define LIMIT_REGEX_REPETITIONS 255u
/*
 * Rules of signatures, and states of their expressions. The largest known lists are Socorro's, with
 * some 600 rules of 20 bytes.
 */
#define LIMIT_SIGNATURE_RULES 8192u
#define LIMIT_SIGNATURE_STATES (1u << 18)

/*
 * Bytes of a prompt's line, which each key copies and shows: answers of a lesson
 * (LIMIT_LESSON_ANSWER) and edited records are typed there.
 */
#define LIMIT_PROMPT_LINE 16384u
/* Lines and bytes of a script for the explorer: a day's session has some thousand lines. */
#define LIMIT_SCRIPT_LINES 100000u
#define LIMIT_SCRIPT_BYTES (16u << 20)

#endif
