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
/* Threads of a dump: 16 times what the largest server dumps have. */
#define LIMIT_THREADS 65536u
/* Loaded and unloaded modules, each. */
#define LIMIT_MODULES 65536u
/* Memory regions of full dumps and lines of memory maps. */
#define LIMIT_REGIONS (1u << 20)
/* Bytes of one string of a dump; Windows paths reach 64 KiB. */
#define LIMIT_STRING 65536u
/* Bytes of one CodeView or misc record (Breakpad's cap). */
#define LIMIT_CODEVIEW 32768u
/* Annotations of Crashpad, all lists of a dump together. */
#define LIMIT_ANNOTATIONS 65536u
/* Bytes for what a dump tells, beside 32 for each of its own: entries may share one long string. */
#define LIMIT_DUMP_MEMORY (256u << 20)

/* Frames of one walk, as Breakpad's kMaxFrames. */
#define LIMIT_FRAMES (1u << 20)
/* Frames that scanning may add to one walk, as Breakpad's kMaxFramesScanned. */
#define LIMIT_SCANNED_FRAMES 16384u
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

/* Messages kept of one kind for one input; the true count is kept beside them. */
#define LIMIT_MESSAGES_PER_KIND 100u
/* Bytes of one file that is read into memory instead of mapped. */
#define LIMIT_READ_WHOLE (64u << 20)
/* Bytes of source, standard input and other text that is read whole, at most. */
#define LIMIT_STDIN (1ull << 32)

#endif
