/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/signature_rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/limits.h"
#include "base/text.h"
#include "system/file.h"

#define MOST_BYTES (1u << 20)
/* Maximum bytes of a line: deeply nested expressions cost stack and time to compile. */
#define MOST_LINE 500u
#define BLANKS " \t\r"
/* Characters with a special meaning in a regular expression. */
#define SPECIAL ".[]()*+?{}|^$\\"

static const struct {
	const char *name, *help;
} kinds[] = {
#define K(id, name, help) { name, help },
#include "analysis/signature_kind.def"
#undef K
};

/* Functions where the interesting part of a stack begins. */
static const char *const sentinels[] = {
	"_purecall", "_sigtramp", "google_breakpad::ExceptionHandler::HandleInvalidParameter",
};

/* Prefixes of names that never explain a crash. */
static const char *const irrelevant[] = {
	"<alloc::", "<core::", "<std::", "<str>::",
	"@0x", "__GI_", "__aeabi_", "__assert", "__chk_fail", "__chkstk", "_chkstk",
	"__clang_call_terminate", "__cxa_call_terminate", "__cxa_rethrow", "__cxa_throw",
	"__cxxabiv1::__terminate", "__gxx_personality_v0", "_CxxThrowException",
	"__fortify_fail", "__gnu_cxx::__verbose_terminate_handler", "__libc_fatal",
	"__libc_message", "__libc_start_", "__memcpy", "__memmove", "__memset", "__memcmp", "__str",
	"__pthread_", "_pthread_", "__psynch_", "__restore_rt", "__kernel_", "__report_gsfailure",
	"__security_check_cookie", "__stack_chk_fail", "__rust_alloc_error_handler", "__rustc::",
	"_Unwind_RaiseException", "_Unwind_Resume", "_guard_dispatch_icall_nop", "_sigtramp",
	"AnnotateMozCrashReason",
	"DebugBreak", "KiFastSystemCall", "KiRaise", "KiUser", "LdrpDispatchUserCallTarget",
	"LdrpValidateUserCallTarget", "MOZ_Crash", "NtWaitFor", "ZwWaitFor", "RaiseException",
	"RtlDispatchException", "RtlFailFast", "RtlReportCriticalFailure", "RtlReportFatalFailure",
	"RtlpHeapHandleError", "RtlpLogHeapFailure", "RustMozCrash", "WaitForSingleObject",
	"WaitForMultipleObjects", "alloc::alloc::", "alloc::collections::", "alloc::raw_vec::",
	"alloc::slice::", "alloc::str::", "alloc::string::", "alloc::vec::", "compiler_builtins::",
	"core::cell::", "core::intrinsics", "core::iter::", "core::num::", "core::ops::function::",
	"core::option::", "core::panicking::", "core::ptr::write", "core::result::",
	"core::slice::", "core::str::", "__kernel_vsyscall", "g_log", "g_malloc",
	"google_breakpad::", "libc++abi.so", "libgcc_s.so", "libstdc++.so", "linux-gate.so",
	"linux-vdso", "mach_msg", "mozalloc_abort",
	"mozalloc_handle_oom", "mozglue_static::panic_hook", "moz_xmalloc", "moz_xrealloc",
	"objc_terminate", "panic_abort::", "pthread_cond_wait", "rust_begin_unwind", "rust_oom",
	"runtime.chansend", "runtime.closechan", "runtime.crash", "runtime.dieFromSignal",
	"runtime.fatal", "runtime.goPanic", "runtime.gopanic", "runtime.growslice",
	"runtime.makeslice", "runtime.mapassign", "runtime.panic", "runtime.raise", "runtime.sig",
	"runtime.throw",
	"rust_panic", "seh_filter_exe", "std::_", "std::alloc::rust_oom", "std::panicking::",
	"std::process::abort",
	"std::sys", "std::terminate", "std::unique_ptr",
};

/* Functions of the C library that end a program; "__GI_abort" and so on in its debug file. */
static const char *const endings[] = { "abort", "gsignal", "raise" };

/*
 * Traits that only Rust's library implements: " as " follows the type of the elements, or one of
 * the language's numbers ("<&u32 as core::ops::arith::Div<T>>::div").
 */
static const char *const irrelevant_parts[] = {
	" as alloc::slice::", " as alloc::string::SpecToString", " as alloc::vec::",
	" as core::slice::", "i8 as core::", "i16 as core::", "i32 as core::", "i64 as core::",
	"i128 as core::", "isize as core::", "u8 as core::", "u16 as core::", "u32 as core::",
	"u64 as core::", "u128 as core::", "usize as core::",
};

/* Prefixes of functions with many callers: the caller belongs in the signature, too. */
static const char *const prefixes[] = {
	"@0x0", "Abort", "CFRelease", "CFRetain", "CxxThrowException", "HeapFree", "IPC::",
	"NS_ABORT_OOM", "NS_DebugBreak", "PORT_", "PR_", "RaiseFailFastException", "Rtl",
	"SetEvent", "SysFreeString", "_VEC_mem", "___forwarding___", "__rust_start_panic",
	"__semwait_signal", "__ulock_wait", "_alloca_probe", "_invalid_parameter",
	"invalid_parameter_noinfo", "_purecall", "arena_", "chunk_alloc",
	"core::ptr::drop_in_place",
	"dlmalloc", "get_meta", "je_", "kill", "lstr", "memcmp", "memcpy", "memmove", "memset",
	"moz_", "mozilla::detail::InvalidArrayIndex_CRASH", "nsTArray", "objc_", "operator delete",
	"operator new", "pthread_", "raise", "realloc", "recv", "send", "setjmp", "std::",
	"strcat", "strchr", "strcmp", "strcpy", "strlen", "strncmp", "strncpy",
	"strstr", "strtol", "syscall", "tgkill", "unlink", "wcs",
};

/* Parts of names of functions with many callers. */
static const char *const prefix_parts[] = { "abort", "calloc", "malloc", "free", "strdup" };

/* System modules: a frame there without symbols says no more than its caller. */
static const char *const system_modules[] = {
	".dll", ".drv", "libc.so", "libc-2", "ld-linux", "ld-2", "libpthread", "libart.so",
	"libobjc.A.dylib", "libsystem_",
};

/* Functions that give up when out of memory; the size of the failed allocation is unknown. */
static const char *const oom_functions[] = {
	"NS_ABORT_OOM", "mozalloc_handle_oom", "CrashAtUnhandlableOOM",
	"AutoEnterOOMUnsafeRegion::crash", "alloc::alloc::handle_alloc_error", "rust_oom",
	"std::alloc::rust_oom", "__rust_alloc_error_handler",
};

static const struct {
	enum signature_kind kind;
	enum {
		MATCH_BEGINS,
		MATCH_ANYWHERE,
		MATCH_WHOLE
	} match;
	const char *const *texts;
	size_t count;
} built_in[] = {
	{ SIGNATURE_SKIP, MATCH_BEGINS, irrelevant, ARRAY_COUNT(irrelevant) },
	{ SIGNATURE_SKIP, MATCH_WHOLE, endings, ARRAY_COUNT(endings) },
	{ SIGNATURE_SKIP, MATCH_ANYWHERE, irrelevant_parts, ARRAY_COUNT(irrelevant_parts) },
	{ SIGNATURE_PREFIX, MATCH_BEGINS, prefixes, ARRAY_COUNT(prefixes) },
	{ SIGNATURE_PREFIX, MATCH_ANYWHERE, prefix_parts, ARRAY_COUNT(prefix_parts) },
	{ SIGNATURE_SENTINEL, MATCH_WHOLE, sentinels, ARRAY_COUNT(sentinels) },
	{ SIGNATURE_SYSTEM_MODULE, MATCH_ANYWHERE, system_modules, ARRAY_COUNT(system_modules) },
	{ SIGNATURE_OUT_OF_MEMORY, MATCH_ANYWHERE, oom_functions, ARRAY_COUNT(oom_functions) },
};

bool
signature_rules_match(const struct signature_rules *rules, enum signature_kind kind,
		      const char *name)
{
	for (size_t i = 0; rules != NULL && i < rules->count; i++)
		if (rules->rules[i].kind == kind &&
		    regexec(&rules->rules[i].regex, name, 0, NULL, 0) == 0)
			return true;
	if (rules != NULL && rules->replaced[kind])
		return false;
	for (size_t i = 0; i < ARRAY_COUNT(built_in); i++)
		for (size_t n = 0; built_in[i].kind == kind && n < built_in[i].count; n++) {
			const char *rule = built_in[i].texts[n];

			if (built_in[i].match == MATCH_ANYWHERE ? strstr(name, rule) != NULL
			    : built_in[i].match == MATCH_WHOLE	? strcmp(name, rule) == 0
					: strncmp(name, rule, strlen(rule)) == 0)
				return true;
		}
	return false;
}

static void
complain(struct signature_rules *rules, unsigned line, const char *what, const char *expected)
{
	const struct place place = { .input = &rules->input, .line = line };

	message_line_skipped(&rules->messages, MESSAGE_SIGNATURE_RULE, place, what, expected);
}

static bool
take_rule(struct signature_rules *rules, enum signature_kind kind, unsigned line, const char *text)
{
	struct signature_rule *rule =
		ARENA_PUSH(&rules->arena, rules->rules, rules->count, rules->capacity);
	char anchored[MOST_LINE + 4], wrong[160] = "a regular expression: ";
	const size_t used = strlen(wrong);
	const char *hard = text_regex_refusal(text);

	if (rule == NULL)
		return false;
	rules->count--;
	if (hard != NULL) {
		snprintf(wrong + used, sizeof(wrong) - used, "without %s", hard);
		complain(rules, line, text, wrong);
		return true;
	}
	rules->states += text_regex_states(text);
	if (rules->count >= LIMIT_SIGNATURE_RULES || rules->states > LIMIT_SIGNATURE_STATES) {
		message_add(&rules->messages, MESSAGE_SIGNATURE_RULE,
			    (struct place){ .input = &rules->input, .line = line },
			    "too many rules, or too long ones\nall from this line on are skipped");
		rules->full = true;
		return true;
	}
	rule->kind = kind;
	snprintf(anchored, sizeof(anchored), "^(%s)", text);
	const int code = regcomp(&rule->regex, anchored, REG_EXTENDED | REG_NOSUB);
	if (code == 0) {
		rules->count++;
		return true;
	}
	regerror(code, &rule->regex, wrong + used, sizeof(wrong) - used);
	complain(rules, line, text, wrong);
	return code != REG_ESPACE;
}

/* The kind in "[skip]" or "[+skip]". Unknown: adds a message and returns SIGNATURE_KINDS. */
static enum signature_kind
take_kind(struct signature_rules *rules, unsigned line, const char *text, size_t length)
{
	const bool adds = text[1] == '+';
	const char *word = text + 1 + adds;
	char names[200] = "one of";
	size_t kind = 0;

	length -= (size_t)(word - text) + 1;
	for (; kind < SIGNATURE_KINDS && (strlen(kinds[kind].name) != length ||
					  memcmp(kinds[kind].name, word, length) != 0); kind++) {
		const size_t used = strlen(names);

		snprintf(names + used, sizeof(names) - used, "%s [%s]", kind == 0 ? "" : ",",
			 kinds[kind].name);
	}
	if (kind == SIGNATURE_KINDS)
		complain(rules, line, text, names);
	else
		rules->replaced[kind] |= !adds;
	return (enum signature_kind)kind;
}

static bool
take_lines(struct signature_rules *rules, char *text)
{
	enum signature_kind kind = SIGNATURE_KINDS;
	bool good = true;
	char *line;

	for (unsigned number = 1; good && !rules->full && (line = strsep(&text, "\n")) != NULL;
	     number++) {
		line += strspn(line, BLANKS);
		size_t length = strlen(line);
		while (length > 0 && strchr(BLANKS, line[length - 1]) != NULL)
			line[--length] = '\0';
		if (length == 0 || line[0] == '#')
			continue;
		if (length > MOST_LINE)
			complain(rules, number, line, "at most 500 bytes");
		else if (line[0] == '[' && line[length - 1] == ']' && length > 2)
			kind = take_kind(rules, number, line, length);
		else if (kind == SIGNATURE_KINDS)
			complain(rules, number, line, "a line such as [skip] above it");
		else
			good = take_rule(rules, kind, number, line);
	}
	return good;
}

struct signature_rules *
signature_rules_read(const char *path, struct error *error)
{
	struct signature_rules *rules = calloc(1, sizeof(*rules));
	struct file file = { .size = 0 };

	if (rules == NULL) {
		error_memory(error);
		return NULL;
	}
	arena_init(&rules->arena, 0);
	message_list_init(&rules->messages, &rules->arena);
	bool good = file_open(&file, path, error) == ERROR_NONE;
	if (good) {
		const size_t size = file.size < MOST_BYTES ? (size_t)file.size : MOST_BYTES;
		char *text = arena_array(&rules->arena, size + 1, 1);

		/* A byte 0 would end the text too early. */
		for (size_t i = 0; text != NULL && i < size; i++)
			text[i] = file.data[i] != 0 ? (char)file.data[i] : '?';
		if (file.size > size)
			complain(rules, 0, path, "at most 1 MB");
		rules->input.name = arena_format(&rules->arena, "%s", path);
		file_close(&file);
		good = text != NULL && rules->input.name != NULL && take_lines(rules, text);
		if (!good)
			error_memory(error);
	}
	if (good)
		return rules;
	signature_rules_free(rules);
	return NULL;
}

void
signature_rules_free(struct signature_rules *rules)
{
	if (rules == NULL)
		return;
	for (size_t i = 0; i < rules->count; i++)
		regfree(&rules->rules[i].regex);
	arena_free(&rules->arena);
	free(rules);
}

void
signature_rules_write(const struct output *output)
{
	for (size_t kind = 0; kind < SIGNATURE_KINDS; kind++) {
		output_format(output, "%s# %s\n[%s]\n", kind > 0 ? "\n" : "", kinds[kind].help,
			      kinds[kind].name);
		for (size_t i = 0; i < ARRAY_COUNT(built_in); i++)
			for (size_t n = 0; built_in[i].kind == kind && n < built_in[i].count; n++) {
				output_plain(output,
					     built_in[i].match == MATCH_ANYWHERE ? ".*" : "");
				for (const char *c = built_in[i].texts[n]; *c != '\0'; c++)
					output_format(output, "%s%c",
						      strchr(SPECIAL, *c) != NULL ? "\\" : "", *c);
				output_plain(output,
					     built_in[i].match == MATCH_WHOLE ? "$\n" : "\n");
			}
	}
}
