/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/sorted.h"
#include "dump/reason/reason.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ACCESS_VIOLATION 0xc0000005u
#define IN_PAGE_ERROR 0xc0000006u
#define STACK_BUFFER_OVERRUN 0xc0000409u
#define CXX_EXCEPTION 0xe06d7363u
/* Magic numbers of throw (ehdata.h). Later versions of Visual C++ have higher numbers. */
#define CXX_MAGIC_FIRST 0x19930520u
#define CXX_MAGIC_LAST 0x19930522u
#define NET_EXCEPTION 0xe0434352u

static const struct meaning codes[] = {
	{ 0x40010005, "DBG_CONTROL_C" },
	{ 0x80000001, "EXCEPTION_GUARD_PAGE" },
	{ 0x80000002, "EXCEPTION_DATATYPE_MISALIGNMENT" },
	{ 0x80000003, "EXCEPTION_BREAKPOINT" },
	{ 0x80000004, "EXCEPTION_SINGLE_STEP" },
	{ 0xc0000005, "EXCEPTION_ACCESS_VIOLATION" },
	{ 0xc0000006, "EXCEPTION_IN_PAGE_ERROR" },
	{ 0xc0000008, "EXCEPTION_INVALID_HANDLE" },
	{ 0xc000001d, "EXCEPTION_ILLEGAL_INSTRUCTION" },
	{ 0xc0000025, "EXCEPTION_NONCONTINUABLE_EXCEPTION" },
	{ 0xc0000026, "EXCEPTION_INVALID_DISPOSITION" },
	{ 0xc000008c, "EXCEPTION_BOUNDS_EXCEEDED" },
	{ 0xc000008d, "EXCEPTION_FLT_DENORMAL_OPERAND" },
	{ 0xc000008e, "EXCEPTION_FLT_DIVIDE_BY_ZERO" },
	{ 0xc000008f, "EXCEPTION_FLT_INEXACT_RESULT" },
	{ 0xc0000090, "EXCEPTION_FLT_INVALID_OPERATION" },
	{ 0xc0000091, "EXCEPTION_FLT_OVERFLOW" },
	{ 0xc0000092, "EXCEPTION_FLT_STACK_CHECK" },
	{ 0xc0000093, "EXCEPTION_FLT_UNDERFLOW" },
	{ 0xc0000094, "EXCEPTION_INT_DIVIDE_BY_ZERO" },
	{ 0xc0000095, "EXCEPTION_INT_OVERFLOW" },
	{ 0xc0000096, "EXCEPTION_PRIV_INSTRUCTION" },
	{ 0xc00000fd, "EXCEPTION_STACK_OVERFLOW" },
	{ 0xc00000ff, "EXCEPTION_BAD_FUNCTION_TABLE" },
	{ 0xc0000194, "EXCEPTION_POSSIBLE_DEADLOCK" },
	{ 0xc0000374, "EXCEPTION_HEAP_CORRUPTION" },
	{ 0xc0000409, "EXCEPTION_STACK_BUFFER_OVERRUN" },
	{ 0xe0000008, "Out of Memory" },
	{ 0xe06d7363, "Unhandled C++ Exception" },
	{ 0x0517a7ed, "Simulated Exception" },
};

/* The access that failed in an access violation or in-page error (first parameter). */
static const struct meaning accesses[] = { { 0, "_READ" }, { 1, "_WRITE" }, { 8, "_EXEC" } };

/* Codes that Breakpad prints as numbers, and their sources. */
static const struct {
	uint32_t value;
	const char *name, *note;
} more_codes[] = {
	{ 0x000006ba, "RPC_S_SERVER_UNAVAILABLE", "raised by a call to another process" },
	{ 0x0eedfade, "Unhandled Delphi Exception", NULL },
	{ 0x20474343, "Unhandled C++ Exception", "raised by the runtime of GCC" },
	{ 0x40010006, "DBG_PRINTEXCEPTION_C", "a message to a debugger" },
	{ 0x4001000a, "DBG_PRINTEXCEPTION_WIDE_C", "a message to a debugger" },
	{ 0x40080201, "EXCEPTION_RO_ORIGINATEERROR", "an error of the Windows Runtime" },
	{ 0x40080202, "EXCEPTION_RO_TRANSFORMERROR", "an error of the Windows Runtime" },
	{ 0x406d1388, "MS_VC_EXCEPTION", "a debugger's thread naming" },
	{ 0xc000027b, "STATUS_STOWED_EXCEPTION", "a stored error of the Windows Runtime" },
	{ 0xc0000420, "STATUS_ASSERTION_FAILURE", NULL },
	{ 0xc0000602, "STATUS_FAIL_FAST_EXCEPTION", "the process ended itself" },
	{ 0xe0434352, "MANAGED_EXCEPTION_CODE_V4", "a .NET exception" },
	{ 0xe0434f4d, "MANAGED_EXCEPTION_CODE", "a .NET exception before version 4" },
	{ 0xe073616e, "AddressSanitizer report", NULL },
	{ 0xe24c4a02, "LuaJIT exception", NULL },
};

/* Names of consecutive values, with a comma between them; the first run of a table begins at 0. */
struct number_run {
	uint64_t first;
	const char *prefix, *names;
};

#define RUN(first, prefix, ...) { first, #prefix, #__VA_ARGS__ },

/* winnt.h; Breakpad skips code 0 and ends before 71. */
#define FAST_FAIL_BREAKPAD 71u

static const struct number_run fast_fails[] = {
	RUN(0, FAST_FAIL_, LEGACY_GS_VIOLATION, VTGUARD_CHECK_FAILURE, STACK_COOKIE_CHECK_FAILURE,
		CORRUPT_LIST_ENTRY, INCORRECT_STACK, INVALID_ARG, GS_COOKIE_INIT, FATAL_APP_EXIT,
		RANGE_CHECK_FAILURE, UNSAFE_REGISTRY_ACCESS, GUARD_ICALL_CHECK_FAILURE,
		GUARD_WRITE_CHECK_FAILURE, INVALID_FIBER_SWITCH, INVALID_SET_OF_CONTEXT,
		INVALID_REFERENCE_COUNT)
	RUN(18, FAST_FAIL_, INVALID_JUMP_BUFFER, MRDATA_MODIFIED, CERTIFICATION_FAILURE,
		INVALID_EXCEPTION_CHAIN, CRYPTO_LIBRARY, INVALID_CALL_IN_DLL_CALLOUT,
		INVALID_IMAGE_BASE, DLOAD_PROTECTION_FAILURE, UNSAFE_EXTENSION_CALL,
		DEPRECATED_SERVICE_INVOKED, INVALID_BUFFER_ACCESS, INVALID_BALANCED_TREE,
		INVALID_NEXT_THREAD, GUARD_ICALL_CHECK_SUPPRESSED, APCS_DISABLED,
		INVALID_IDLE_STATE, MRDATA_PROTECTION_FAILURE, UNEXPECTED_HEAP_EXCEPTION,
		INVALID_LOCK_STATE, GUARD_JUMPTABLE, INVALID_LONGJUMP_TARGET,
		INVALID_DISPATCH_CONTEXT, INVALID_THREAD, INVALID_SYSCALL_NUMBER,
		INVALID_FILE_OPERATION, LPAC_ACCESS_DENIED, GUARD_SS_FAILURE,
		LOADER_CONTINUITY_FAILURE, GUARD_EXPORT_SUPPRESSION_FAILURE, INVALID_CONTROL_STACK,
		SET_CONTEXT_DENIED, INVALID_IAT, HEAP_METADATA_CORRUPTION,
		PAYLOAD_RESTRICTION_VIOLATION, LOW_LABEL_ACCESS_DENIED, ENCLAVE_CALL_FAILURE,
		UNHANDLED_LSS_EXCEPTON, ADMINLESS_ACCESS_DENIED, UNEXPECTED_CALL,
		CONTROL_INVALID_RETURN_ADDRESS, UNEXPECTED_HOST_BEHAVIOR, FLAGS_CORRUPTION,
		VEH_CORRUPTION, ETW_CORRUPTION, RIO_ABORT, INVALID_PFN,
		GUARD_ICALL_CHECK_FAILURE_XFG, CAST_GUARD, HOST_VISIBILITY_CHANGE,
		KERNEL_CET_SHADOW_STACK_ASSIST, PATCH_CALLBACK_FAILED, NTDLL_PATCH_FAILED,
		INVALID_FLS_DATA, ASAN_ERROR, CLR_EXCEPTION_AOT,
		POINTER_AUTH_INVALID_RETURN_ADDRESS, INVALID_THREAD_STATE, CORRUPT_WOW64_STATE,
		INVALID_EXTENDED_STATE)
};

static const struct meaning fast_fail_words[] = {
	{ 0, "a stack cookie was overwritten" },
	{ 1, "a virtual function table was overwritten" },
	{ 2, "a stack cookie was overwritten: a buffer on the stack overflowed" },
	{ 3, "the links of a list do not match" },
	{ 4, "the stack pointer left the thread's stack" },
	{ 5, "a function of the C library was given an invalid parameter" },
	{ 7, "the program called abort, or an exception found no handler" },
	{ 8, "a checked index was out of range" },
	{ 10, "Control Flow Guard refused the target of an indirect call" },
	{ 18, "longjmp was given an invalid buffer" },
	{ 19, "read-only data of the loader were changed" },
	{ 21, "the chain of exception handlers is damaged" },
	{ 24, "an image base is not that of a module" },
	{ 28, "a buffer was accessed beyond its end" },
	{ 29, "the links of a tree do not match" },
	{ 37, "Control Flow Guard refused a jump table" },
	{ 38, "Control Flow Guard refused the target of longjmp" },
	{ 50, "the heap's own data are damaged" },
	{ 57, "a return address differs from that of the shadow stack" },
	{ 60, "the list of vectored exception handlers is damaged" },
	{ 64, "Control Flow Guard (XFG) refused the target of an indirect call" },
	{ 65, "a cast led to an object of another class (CastGuard)" },
};

/* Facilities of status codes (winerror.h, ntstatus.h) whose low half is an error code. */
static const struct meaning facilities[] = {
	{ 0x1, "FACILITY_RPC" },	{ 0x2, "FACILITY_DISPATCH" },
	{ 0x3, "FACILITY_STORAGE" },	{ 0x4, "FACILITY_ITF" },
	{ 0x7, "FACILITY_WIN32" },	{ 0x8, "FACILITY_WINDOWS" },
	{ 0x9, "FACILITY_SECURITY" },	{ 0xa, "FACILITY_CONTROL" },
	{ 0xb, "FACILITY_CERT" },	{ 0xc, "FACILITY_INTERNET" },
	{ 0xd, "FACILITY_MEDIASERVER" }, { 0xe, "FACILITY_MSMQ" },
	{ 0xf, "FACILITY_SETUPAPI" },	{ 0x10, "FACILITY_SCARD" },
	{ 0x11, "FACILITY_COMPLUS" },	{ 0x12, "FACILITY_NTWIN32" },
	{ 0x13, "FACILITY_URT" },	{ 0x1b, "FACILITY_GRAPHICS" },
	{ 0x6d, "FACILITY_VISUALCPP" },	{ 0x876, "FACILITY_DIRECT3D" },
	{ 0x87a, "FACILITY_DXGI" },
};

/* Names of error codes (from 0 on) and of statuses (higher numbers). */
static const struct number_run numbers[] = {
#include "dump/reason/winerror.def"
#include "dump/reason/ntstatus.def"
};

static bool
run_name(const struct number_run *runs, size_t count, uint32_t number, char *buffer, size_t size)
{
	const size_t upto = sorted_upto(SORTED(runs, count, first), number);
	const struct number_run *run = &runs[upto - 1];
	const char *name = run->names;

	for (uint64_t left = number - run->first; left > 0 && name != NULL; left--)
		if ((name = strchr(name, ',')) != NULL)
			name += strlen(", ");
	if (name == NULL)
		return false;
	snprintf(buffer, size, "%s%.*s", run->prefix, (int)strcspn(name, ","), name);
	return true;
}

static bool
number_name(uint32_t number, char *buffer, size_t size)
{
	return run_name(numbers, ARRAY_COUNT(numbers), number, buffer, size);
}

bool
reason_windows_number(uint32_t number, char *buffer, size_t size)
{
	const char *facility = meaning_text(VALUES(facilities), number >> 16 & 0xfff);
	char name[96];

	if (number_name(number, buffer, size))
		return true;
	if ((number & 0xc0000000) == 0 || facility == NULL || (number & 0xffff) == 0 ||
	    !number_name(number & 0xffff, name, sizeof(name)))
		return false;
	snprintf(buffer, size, "%s / %s", facility, name);
	return true;
}

bool
reason_windows_exception(uint32_t code, uint64_t access, char *buffer, size_t size)
{
	const char *name = meaning_text(VALUES(codes), code), *how = NULL;

	for (size_t i = 0; i < ARRAY_COUNT(more_codes); i++)
		if (more_codes[i].value == code)
			name = more_codes[i].name;
	if (name == NULL)
		return reason_windows_number(code, buffer, size);
	if (code == ACCESS_VIOLATION || code == IN_PAGE_ERROR)
		how = meaning_text(VALUES(accesses), access);
	snprintf(buffer, size, "%s%s", name, how != NULL ? how : "");
	return true;
}

static void
name_access(const struct crash *crash, struct reason *reason)
{
	const struct crash_exception *exception = &crash->exception;
	static const enum crash_access kinds[] = {
		[0] = CRASH_ACCESS_READ, [1] = CRASH_ACCESS_WRITE, [8] = CRASH_ACCESS_EXECUTE,
	};

	reason->kind.fault = CRASH_FAULT_MEMORY;
	if (exception->parameter_count >= 1) {
		/* Breakpad compares only the low half. */
		uint32_t kind = (uint32_t)exception->parameters[0];

		reason_windows_exception(exception->code, kind, reason->text, sizeof(reason->text));
		if (meaning_text(VALUES(accesses), kind) != NULL)
			reason->kind.access = kinds[kind];
	}
	if (exception->parameter_count >= 2)
		reason->address = exception->parameters[1];
	if (exception->code == ACCESS_VIOLATION && exception->parameter_count >= 2 &&
	    exception->parameters[1] == UINT64_MAX && crash->system.arch->word_size == 8) {
		reason->kind.address = CRASH_ADDRESS_UNTOLD;
		reason_note(reason, "an access to a non-canonical address is reported as one to "
			    "the highest address");
	}
	if (exception->code != IN_PAGE_ERROR || exception->parameter_count < 3)
		return;
	uint32_t status = (uint32_t)exception->parameters[2];
	const size_t used = strlen(reason->text);
	char name[96];
	if (status > UINT16_MAX && number_name(status, name, sizeof(name)))
		snprintf(reason->text + used, sizeof(reason->text) - used, " / %s", name);
	else
		snprintf(reason->text + used, sizeof(reason->text) - used, " / 0x%08" PRIx32,
			 status);
}

static void
name_fast_fail(const struct crash_exception *exception, struct reason *reason)
{
	uint32_t code = (uint32_t)exception->parameters[0];
	char name[64];

	if (exception->parameter_count == 0)
		return;
	reason->kind.fault = CRASH_FAULT_ABORT;
	if (!run_name(fast_fails, ARRAY_COUNT(fast_fails), code, name, sizeof(name))) {
		reason_cause(reason, "EXCEPTION_STACK_BUFFER_OVERRUN / FAST_FAIL_%" PRIu32, code);
		return;
	}
	reason_cause(reason, "EXCEPTION_STACK_BUFFER_OVERRUN / %s", name);
	if (code != 0 && code < FAST_FAIL_BREAKPAD)
		reason_text(reason, "%s", name);
	const char *words = meaning_text(VALUES(fast_fail_words), code);
	if (words != NULL)
		reason_note(reason, "%s", words);
	else
		reason_note(reason, "__fastfail ends a process with "
			    "EXCEPTION_STACK_BUFFER_OVERRUN even if no buffer overflowed");
}

/* Note the parameters of exceptions from the runtimes of C++ and .NET. */
static void
note_language(const struct crash_exception *exception, struct reason *reason)
{
	char name[96];

	if (exception->code == CXX_EXCEPTION && exception->parameter_count >= 3 &&
	    (exception->parameters[0] < CXX_MAGIC_FIRST ||
	     exception->parameters[0] > CXX_MAGIC_LAST)) {
		reason_note(reason,
			    "its first parameter, 0x%" PRIx64 ", is not one that Visual C++ uses: "
			    "the others may have any meaning",
			    exception->parameters[0]);
	} else if (exception->code == CXX_EXCEPTION && exception->parameter_count >= 3) {
		reason_note(reason, "the object thrown is at 0x%" PRIx64 ", its type information "
			    "at 0x%" PRIx64, exception->parameters[1], exception->parameters[2]);
	} else if (exception->code == NET_EXCEPTION && exception->parameter_count >= 1) {
		uint32_t result = (uint32_t)exception->parameters[0];

		if (reason_windows_number(result, name, sizeof(name)))
			reason_note(reason, "a .NET exception, result 0x%08" PRIx32 " (%s)",
				    result, name);
		else
			reason_note(reason, "a .NET exception, result 0x%08" PRIx32, result);
	}
}

/* Names that Breakpad's table lacks: other exceptions, error codes, statuses, facilities. */
static void
name_other(const struct crash_exception *exception, struct reason *reason)
{
	char name[96];

	for (size_t i = 0; i < ARRAY_COUNT(more_codes); i++)
		if (more_codes[i].value == exception->code && more_codes[i].note != NULL)
			reason_note(reason, "%s", more_codes[i].note);
	if (reason_windows_exception(exception->code, UINT64_MAX, name, sizeof(name))) {
		reason_cause(reason, "%s", name);
		return;
	}
	reason_cause(reason, "unknown 0x%08" PRIx32, exception->code);
	if ((exception->code & 0x20000000) != 0)
		reason_note(reason, "an application-defined code: Windows defines none with this "
				    "bit");
}

static const struct {
	uint32_t code;
	enum crash_fault fault;
} faults[] = {
	{ 0x80000001, CRASH_FAULT_MEMORY },	 { 0x80000003, CRASH_FAULT_BREAKPOINT },
	{ 0x80000004, CRASH_FAULT_BREAKPOINT },	 { 0xc000001d, CRASH_FAULT_INSTRUCTION },
	{ 0xc0000094, CRASH_FAULT_DIVISION },	 { 0xc0000096, CRASH_FAULT_PRIVILEGE },
	{ 0xc00000fd, CRASH_FAULT_STACK },	 { 0xc0000409, CRASH_FAULT_ABORT },
	{ 0xc0000602, CRASH_FAULT_ABORT },
};

void
reason_windows(const struct minidump *minidump, struct reason *reason)
{
	const struct crash_exception *exception = &minidump->crash->exception;
	const char *name = meaning_text(VALUES(codes), exception->code);

	for (size_t i = 0; i < ARRAY_COUNT(faults); i++)
		if (faults[i].code == exception->code)
			reason->kind.fault = faults[i].fault;
	if (name == NULL)
		name_other(exception, reason);
	else
		reason_text(reason, "%s", name);
	reason->kind.no_page = exception->code == IN_PAGE_ERROR;
	if (exception->code == ACCESS_VIOLATION || exception->code == IN_PAGE_ERROR)
		name_access(minidump->crash, reason);
	else if (exception->code == STACK_BUFFER_OVERRUN)
		name_fast_fail(exception, reason);
	else
		note_language(exception, reason);
}
