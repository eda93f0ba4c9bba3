/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The line that names a crash: Socorro's rules (socorro/signature), applied by hand. */
#include "analysis/analysis.h"
#include "base/limits.h"
#include "tests/unit/walk/scene.h"

#define NAMES 4

static const struct example {
	const char *title;
	const char *names[NAMES];	/* functions on the stack, frame 0 first */
	const char *key, *value;	/* an annotation */
	const char *signature;
} examples[] = {
	{ "the first function", { "app::run(int)", "main" }, NULL, NULL, "app::run" },
	{ "helpers and who called them", { "memcpy", "copy_rows(Table const&)", "main" }, NULL, NULL, "memcpy | copy_rows" },
	{ "two helpers", { "memcpy", "realloc", "give_up()", "main" }, NULL, NULL, "memcpy | realloc | give_up" },
	{ "the functions that end a static program left out", { "raise", "abort", "give_up()", "main" }, NULL, NULL, "give_up" },
	{ "a vector of Rust that cannot grow left out", { "core::panicking::panic_fmt", "alloc::raw_vec::capacity_overflow",
	  "alloc::vec::Vec<T>::with_capacity_in", "app" }, NULL, NULL, "app" },
	{ "a trait of Rust's vectors left out", { "<u8 as alloc::vec::spec_from_elem::SpecFromElem>::from_elem",
	  "alloc::slice::<T>::repeat", "<str>::repeat", "<app::Row as core::fmt::Display>::fmt" }, NULL, NULL,
	  "<app::Row as core::fmt::Display>::fmt" },
	{ "messengers left out", { "__libc_message", "abort", "core::panicking::panic", "app" }, NULL, NULL, "app" },
	{ "the runtime of C++ left out", { "__gnu_cxx::__verbose_terminate_handler()",
	  "__cxxabiv1::__terminate(void (*)())", "std::terminate()", "app" }, NULL, NULL, "app" },
	{ "a template of C++ without its type, and its caller", { "void std::throw_with_nested<io::Error>(io::Error&&)",
	  "app::load<int>(int)", "main" }, NULL, NULL, "std::throw_with_nested<T> | app::load<T>" },
	{ "the type of a conversion", { "Box<int>::operator unsigned long<int>()", "main" }, NULL, NULL,
	  "Box<T>::operator unsigned long<T>" },
	{ "the runtime of Rust 1.88 left out", { "std::process::abort", "__rustc::__rust_abort",
	  "core::panicking::panic", "app" }, NULL, NULL, "app" },
	{ "functions of Rust's libraries that panic left out", { "core::option::expect_failed", "core::option::Option<T>::expect",
	  "<std::collections::hash::map::HashMap<K,V,S> as core::ops::index::Index<&Q>>::index", "app" }, NULL, NULL, "app" },
	{ "operators of Rust's numbers left out", { "core::panicking::panic_const::panic_const_div_by_zero",
	  "<&u32 as core::ops::arith::Div<T>>::div", "<app::Row as core::ops::arith::Div>::div" }, NULL, NULL,
	  "<app::Row as core::ops::arith::Div>::div" },
	{ "the runtime of Go left out", { "runtime.raise", "runtime.goPanicIndex", "runtime.mapassign_faststr",
	  "main.(*Shop).price" }, NULL, NULL, "main.(*Shop).price" },
	{ "template arguments left out", { "mine::Thing<std::pair<int, char (*)(long)> >::operator()(int) const"
	  , "main" }, NULL, NULL, "mine::Thing<T>::operator()" },
	{ "operators with brackets", { "mine::operator<< <char>(std::ostream&)", "main" }, NULL, NULL, "mine::operator<< <T>" },
	{ "functions that return pointers to members", { "f<&A::operator->>(int)", "main" }, NULL, NULL, "f<T>" },
	{ "namespaces without a name", { "(anonymous namespace)::f(int)", "main" }, NULL, NULL, "(anonymous namespace)::f" },
	{ "the hashes of Rust", { "core::panicking::panic::h0123456789abcdef", "app::run::h0123456789abcdef",
	  "main" }, NULL, NULL, "app::run" },
	{ "a name that only looks like one with a hash", { "a::i0123456789abcdef", "main" }, NULL, NULL, "a::i0123456789abcdef" },
	{ "a hash that is too short", { "a::h0123456789abcde", "main" }, NULL, NULL, "a::h0123456789abcde" },
	{ "an invalid hash", { "a::h0123456789abcdeg", "main" }, NULL, NULL, "a::h0123456789abcdeg" },
	{ "nothing but a hash", { "::h0123456789abcdef", "main" }, NULL, NULL, "::h0123456789abcdef" },
	{ "one letter before a hash", { "a::h0123456789abcdef", "main" }, NULL, NULL, "a" },
	{ "blanks and tabs", { "\ta \t  b\t c   ", "main" }, NULL, NULL, "a b c" },
	{ "a bracket at the beginning", { "<a as b>::c", "main" }, NULL, NULL, "<a as b>::c" },
	{ "brackets that do not end", { "a<b<c>", "main" }, NULL, NULL, "a<T>" },
	{ "the largest amount that is little", { "f()", "main" }, "OOMAllocationSize", "262144", "OOM | small" },
	{ "the smallest amount that is much", { "f()", "main" }, "OOMAllocationSize", "262145", "OOM | large | f" },
	{ "a sentinel, wherever it is", { "f()", "_purecall", "Widget::draw()", "main" }, NULL, NULL, "_purecall | Widget::draw" },
	{ "a sentinel that is a helper, too", { "f()", "_sigtramp", "abort", "g()" }, NULL, NULL, "_sigtramp | g" },
	{ "helpers alone", { "__libc_message", "__libc_fatal" }, NULL, NULL, "__libc_message" },
	{ "a small allocation that failed", { "app::run()", "main" }, "OOMAllocationSize", "1024", "OOM | small" },
	{ "a large allocation that failed", { "app::run()", "main" }, "OOMAllocationSize", "1000000", "OOM | large | app::run" },
	{ "memory that a function missed", { "mozalloc_handle_oom", "app::run()", "main" }, NULL, NULL, "OOM | unknown | app::run" },
	{ "one letter of an abort", { "f()", "main" }, "AbortMessage", "x", "Abort | x | f" },
	{ "an empty abort", { "f()", "main" }, "AbortMessage", "", "f" },
	{ "the words of an abort", { "app::run()", "main" }, "AbortMessage", "told you\nso", "Abort | told you | app::run" },
};

static const struct example *current;

static void
add_annotation(struct synth *synth)
{
	synth_exception(synth, 1, 11, 1, 0x900000);
	if (current->key != NULL)
		synth_crashpad(synth, -1, current->key, current->value);
}

/* Calls `check` with the analysis of a stack of functions, the first `count` of these names. */
static void
analyse(const char *const names[], size_t count, void (*check)(const struct analysis *analysis))
{
	static char symbols[20000], memory[2000];
	size_t used = (size_t)sprintf(symbols, "STACK CFI INIT 1000 4000 .cfa: $rsp 8 + .ra: .cfa 8 - ^\n"), words = 0;
	const struct scene scene = {
		.arch = ARCH_AMD64, .os = CRASH_OS_LINUX, .registers = "rip=401010 rsp=8000",
		.stack = 0x8000, .memory = memory, .more = add_annotation,
		.modules = { { 0x400000, 0x5000, "a", symbols } },
	};
	struct staged staged;

	memory[0] = '\0';
	for (size_t i = 0; i < count; i++) {
		used += (size_t)sprintf(symbols + used, "FUNC %zx 40 0 %s\n", 0x1000 + i * 0x40, names[i]);
		if (i > 0)
			words += (size_t)sprintf(memory + words, "%zx=%zx ", 0x8000 + (i - 1) * 8, 0x401010 + i * 0x40);
	}
	scene_play(&staged, &scene, POLICY_UNSPOOL);
	struct analysis *analysis = analysis_create(&staged.crash, staged.walk, NULL, NULL);
	check(analysis);
	analysis_free(analysis);
	scene_close(&staged);
}

static void
check_example(const struct analysis *analysis)
{
	is_str(analysis->signature, current->signature, "a signature has %s", current->title);
}

static void
test_examples(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(examples); i++) {
		size_t count = 0;
		current = &examples[i];
		while (count < NAMES && current->names[count] != NULL)
			count++;
		analyse(current->names, count, check_example);
	}
}

static char wanted[1000];

static void
check_signature(const struct analysis *analysis)
{
	is_str(analysis->signature, wanted, "a signature has at most 255 bytes, 80 of an abort and 199 of a frame");
}

static void
check_proto(const struct analysis *analysis)
{
	is_str(analysis->proto_signature, wanted, "a proto signature has the names of 40 frames");
}

static void
test_lengths(void)
{
	char names[2][301], abort_text[90], numbers[70][12];
	const char *const long_ones[] = { names[0], names[1], "main" };
	const char *list[70];
	size_t used = 0;

	current = &(struct example){ .key = "AbortMessage", .value = abort_text };
	snprintf(names[0], sizeof(names[0]), "memcpy%0294d", 0);
	snprintf(names[1], sizeof(names[1]), "rabbit%0294d", 0);
	for (int length = 79; length <= 82; length++) {
		snprintf(abort_text, sizeof(abort_text), "%0*d", length, 7);
		snprintf(wanted, sizeof(wanted), "Abort | %.80s%s | %.199s | %.199s", abort_text, length > 80 ? "..." : "",
			 names[0], names[1]);
		wanted[255] = '\0';
		analyse(long_ones, 3, check_signature);
	}
	/* 0xc3 0xa9 is a letter of two bytes: byte 255 is the second one of a letter, which is left out. */
	snprintf(abort_text, sizeof(abort_text), "%080d", 7);
	for (size_t i = 0; i < 300; i++)
		names[0][i] = i < 3 ? 'x' : i % 2 == 1 ? '\xc3' : '\xa9';
	names[0][187] = '\0';
	snprintf(wanted, sizeof(wanted), "Abort | %s | %.163s", abort_text, names[0]);
	analyse(long_ones, 1, check_signature);
	/* The same without a text before the names: one of 47 bytes, four of 48 and five " | " are 254. */
	current = &examples[0];
	for (size_t i = 0; i < 6; i++) {
		sprintf(names[1] + 50 * i, "memcpy%0*d", i == 0 ? 41 : 42, (int)i);
		list[i] = i < 5 ? names[1] + 50 * i : "\xc3\xa9";
	}
	snprintf(wanted, sizeof(wanted), "%s | %s | %s | %s | %s | ", list[0], list[1], list[2], list[3], list[4]);
	analyse(list, 6, check_signature);
	wanted[0] = '\0';
	for (size_t i = 0; i < ARRAY_COUNT(list); i++) {
		snprintf(numbers[i], sizeof(numbers[i]), "f%zu", i);
		list[i] = numbers[i];
		if (i < 40)
			used += (size_t)snprintf(wanted + used, sizeof(wanted) - used, "%sf%zu", i > 0 ? " | " : "", i);
	}
	analyse(list, ARRAY_COUNT(list), check_proto);
	/* The frames beyond the 64th are not searched for the function to name. */
	for (size_t i = 0; i < 64; i++)
		list[i] = "abort";
	for (size_t i = 0; i < 2; i++) {
		list[63] = i == 0 ? "abort" : "last";
		snprintf(wanted, sizeof(wanted), "%s", list[63]);
		analyse(list, ARRAY_COUNT(list), check_signature);
	}
}

/* Frames without a name: by module and offset, or by address. */
static void
test_bare(void)
{
	static const struct example none = { .title = "none" };
	struct scene scene = {
		.arch = ARCH_AMD64, .os = CRASH_OS_LINUX, .registers = "rip=401010 rsp=8000",
		.stack = 0x8000, .more = add_annotation,
		.modules = { { 0x400000, 0x5000, "/usr/bin/tool", NULL } },
	};
	struct staged staged;

	current = &none;
	scene_play(&staged, &scene, POLICY_UNSPOOL);
	struct analysis *analysis = analysis_create(&staged.crash, staged.walk, NULL, NULL);
	is_str(analysis->signature, "tool@0x1010", "a frame without a name has its module and offset");
	is_str(analysis->proto_signature, "tool@0x1010", "a proto signature has the module and offset of a frame without a name");
	analysis_free(analysis);
	scene_close(&staged);
	scene.registers = "rip=901010 rsp=8000";
	scene_play(&staged, &scene, POLICY_UNSPOOL);
	analysis = analysis_create(&staged.crash, staged.walk, NULL, NULL);
	is_str(analysis->signature, "@0x901010", "a frame outside of modules has its address");
	analysis_free(analysis);
	scene_close(&staged);
}

static uint32_t code;

static void
add_code(struct synth *synth)
{
	synth_exception(synth, 1, code, 0, 0x401010);
}

/* Windows exceptions for lack of memory: the allocator's own, and STATUS_NO_MEMORY. */
static void
test_no_memory(void)
{
	static const struct {
		uint32_t code;
		enum crash_os os;
		const char *signature;
	} codes[] = {
		{ 0xe0000008, CRASH_OS_WINDOWS, "OOM | unknown | f" }, { 0xc0000017, CRASH_OS_WINDOWS, "OOM | unknown | f" },
		{ 0xe0000009, CRASH_OS_WINDOWS, "f" }, { 0xc0000018, CRASH_OS_WINDOWS, "f" },
		{ 0xc0000005, CRASH_OS_WINDOWS, "f" }, { 0xc0000017, CRASH_OS_LINUX, "f" },
	};

	for (size_t i = 0; i < ARRAY_COUNT(codes); i++) {
		const struct scene scene = {
			.arch = ARCH_AMD64, .os = codes[i].os, .registers = "rip=401010 rsp=8000",
			.stack = 0x8000, .more = add_code,
			.modules = { { 0x400000, 0x5000, "a", "FUNC 1000 100 0 f\n" } },
		};
		struct staged staged;

		code = codes[i].code;
		scene_play(&staged, &scene, POLICY_UNSPOOL);
		struct analysis *analysis = analysis_create(&staged.crash, staged.walk, NULL, NULL);
		is_str(analysis->signature, codes[i].signature, "code 0x%x means that memory ran out, or not", codes[i].code);
		bool sure = false;
		for (size_t n = 0; n < analysis->finding_count; n++)
			sure |= analysis->findings[n].kind == FINDING_OUT_OF_MEMORY && analysis->findings[n].confidence == 95;
		ok(sure == (codes[i].signature[0] == 'O'), "a finding says so, or none");
		analysis_free(analysis);
		scene_close(&staged);
	}
}

struct buffer {
	char text[20000];
	size_t used;
};

static void
write_buffer(void *context, const char *bytes, size_t length)
{
	struct buffer *buffer = context;

	if (length < sizeof(buffer->text) - buffer->used) {
		memcpy(buffer->text + buffer->used, bytes, length);
		buffer->used += length;
	}
}

/* The rules of a file with this text. */
static struct signature_rules *
read_rules(const char *text)
{
	struct error error = { 0 };
	char path[] = "/tmp/unspool-rules-XXXXXX";
	const int file = mkstemp(path);

	if (file < 0 || write(file, text, strlen(text)) != (ssize_t)strlen(text))
		exit(1);
	close(file);
	struct signature_rules *rules = signature_rules_read(path, &error);
	unlink(path);
	if (rules == NULL)
		exit(1);
	return rules;
}

static void
test_rules(void)
{
	static const struct {
		enum signature_kind kind;
		const char *name;
		bool matches;
		const char *title;
	} expected[] = {
		{ SIGNATURE_SKIP, "mine", true, "a rule matches" }, { SIGNATURE_SKIP, "mine_too", true, "the beginning of a name" },
		{ SIGNATURE_SKIP, "not_mine", false, "and not its middle" },
		{ SIGNATURE_SKIP, "a.b", true, "a backslash makes a sign plain" },
		{ SIGNATURE_SKIP, "axb", false, "so that it matches itself alone" },
		{ SIGNATURE_SKIP, "core::panicking::panic", false, "a kind is replaced" },
		{ SIGNATURE_PREFIX, "whole", true, "'$' ends a name" },
		{ SIGNATURE_PREFIX, "wholesale", false, "and nothing may follow" },
		{ SIGNATURE_PREFIX, "in_the_middle", true, "'.*' matches anywhere" },
		{ SIGNATURE_PREFIX, "memcpy", true, "with '+' the built-in rules stay" },
		{ SIGNATURE_END, "v12_of(int)", true, "expressions are matched" },
		{ SIGNATURE_END, "v_of(int)", false, "and only where they fit" },
		{ SIGNATURE_END, "an v12_of", false, "from the beginning on" },
		{ SIGNATURE_SENTINEL, "_purecall", true, "kinds without a line stay" },
		{ SIGNATURE_SENTINEL, "_purecall2", false, "as they are built in" },
		{ SIGNATURE_SYSTEM_MODULE, "libc.so.6", true, "also those of files" },
	};
	struct signature_rules *rules = read_rules("# mine\n[skip]\nmine \r\na\\.b\n\n[+prefix]\nwhole$\n.*middle\n"
		"[end]\nv[0-9]+_\n(wrong\n[nothing]\nx\n");
	const struct message_list *messages = &rules->messages;

	for (size_t i = 0; i < ARRAY_COUNT(expected); i++)
		ok(signature_rules_match(rules, expected[i].kind, expected[i].name) ==
		   expected[i].matches, "%s: %s", expected[i].title, expected[i].name);
	is_u64(messages->count, 3, "each of three wrong lines has a message");
	is_u64(messages->messages[0].place.line, 11, "a wrong regular expression has its line");
	ok(strncmp(messages->messages[0].text, "'(wrong': expected a regular expression: ", 40) ==
		   0, "the message of a wrong regular expression quotes it");
	is_u64(messages->messages[1].place.line, 12, "an unknown kind of rules has its line");
	is_str(messages->messages[1].text, "'[nothing]': expected one of [skip], [prefix], [end], [sentinel], [system-module], "
	       "[out-of-memory]", "the message of an unknown kind lists the kinds");
	is_str(messages->messages[2].text, "'x': expected a line such as [skip] above it", "a rule after an unknown kind belongs to none");
	signature_rules_free(rules);
}

/* Lines that are too long, a byte 0, and a missing file. */
static void
test_limits(void)
{
	static char text[1200];
	struct error error = { 0 };

	memset(text, 'a', sizeof(text) - 1);
	memcpy(text, "[skip]\n", 7);
	memcpy(text + 7 + 500, "\nb", 2);
	text[7 + 500 + 1 + 501] = '\0';
	struct signature_rules *rules = read_rules(text);
	text[7 + 500] = '\0';
	ok(signature_rules_match(rules, SIGNATURE_SKIP, text + 7), "a rule may have 500 bytes");
	is_u64(rules->messages.count, 1, "a longer rule is refused");
	is_u64(rules->messages.messages[0].place.line, 3, "the message of a long rule has its line");
	signature_rules_free(rules);
	for (size_t more = 0; more < 2; more++) {
		char *lines = calloc((1 << 20) + 2, 1);
		memset(lines, '\n', (1 << 20) + more);
		rules = read_rules(lines);
		is_u64(rules->messages.count, more, "a file of 1 MB and %zu bytes gives %zu messages", more, more);
		signature_rules_free(rules);
		free(lines);
	}
	rules = read_rules("[]\nx\n[skip\ny\n");
	is_u64(rules->messages.count, 4, "a line in brackets without a kind is an error");
	is_str(rules->messages.messages[0].text, "'[]': expected a line such as [skip] above it", "brackets have a word");
	signature_rules_free(rules);
	ok(signature_rules_read("/nonexistent/rules", &error) == NULL && error.text[0] != '\0', "a missing file is an error");
}

/* Rules that would take much time or memory (LIMIT_REGEX_REPETITIONS is 255), and the largest number of rules. */
static void
test_bounds(void)
{
	static const struct {
		const char *text, *refusal;	/* NULL: none */
	} lines[] = {
		{ "[skip]\na{255}\n", NULL }, { "[skip]\na{256}\n", "without more than 255 repetitions" },
		{ "[skip]\na{1,256}\n", "without more than 255 repetitions" },
		{ "[skip]\na{1}b{1}\n", "without more than one repetition in braces" },
		{ "[skip]\n(a)\\1\n", "without a reference back" }, { "[skip]\n(a)\\.1\n", NULL },
	};
	static char text[(LIMIT_SIGNATURE_STATES / 256 + 1) * 257 + 16];
	char *end = text;

	for (size_t i = 0; i < ARRAY_COUNT(lines); i++) {
		struct signature_rules *rules = read_rules(lines[i].text);
		const char *message = rules->messages.count == 1 ? rules->messages.messages[0].text : NULL;
		is_str(message != NULL ? strstr(message, "without ") : NULL, lines[i].refusal,
		       "a rule that costs too much is a message: %s", lines[i].text + 7);
		is_u64(rules->count, lines[i].refusal == NULL, "a rule that costs too much is left out");
		signature_rules_free(rules);
	}
	end += sprintf(end, "[skip]\n");
	for (size_t i = 0; i < LIMIT_SIGNATURE_RULES; i++)
		end += sprintf(end, "x\n");
	for (size_t more = 0; more < 3; more++) {
		struct signature_rules *rules = read_rules(text);
		is_u64(rules->count, LIMIT_SIGNATURE_RULES, "rules up to the limit are read");
		is_u64(message_total(&rules->messages), more > 0, "all rules after the limit have one message");
		signature_rules_free(rules);
		end += sprintf(end, "y\n");
	}
	end = text + sprintf(text, "[skip]\n");
	for (size_t i = 0; i < LIMIT_SIGNATURE_STATES / 256; i++)
		end += sprintf(end, "%0256d\n", 1);
	for (size_t more = 0; more < 2; more++) {
		struct signature_rules *rules = read_rules(text);
		is_u64(rules->count, LIMIT_SIGNATURE_STATES / 256, "rules up to the limit of states are read");
		is_u64(message_total(&rules->messages), more, "rules over the limit of states have one message");
		signature_rules_free(rules);
		end += sprintf(end, "y\n");
	}
}

/* The printed rules can be read again and give the same answers without built-in rules. */
static void
test_printed(void)
{
	static const char *const names[] = {
		"memcpy", "raise", "@0x0", "@0x10", "std::vector<T>::at", "my_calloc2", "operator new[]", "_purecall", "libc.so.6",
		"ntdll.dll", "libcxso", "rust_oom", "std::_Throw", "main", "core::option::unwrap_failed", "mozilla::CrashAtUnhandlableOOM",
		"",
	};
	static struct buffer buffer;
	const struct output output = { .write = write_buffer, .context = &buffer };
	bool same = true;

	signature_rules_write(&output);
	struct signature_rules *rules = read_rules(buffer.text);
	size_t heads = 0;
	for (const char *at = buffer.text; (at = strstr(at, "# ")) != NULL; at += 2) {
		ok(at == buffer.text || (at > buffer.text + 1 && at[-1] == '\n' && at[-2] == '\n'),
		   "an empty line is between the printed kinds");
		heads++;
	}
	is_u64(heads, SIGNATURE_KINDS, "each kind is printed with its purpose");
	for (size_t kind = 0; kind < SIGNATURE_KINDS; kind++)
		ok(rules->replaced[kind], "each printed kind is read again");
	is_u64(rules->messages.count, 0, "the printed rules have no errors");
	for (size_t i = 0; i < ARRAY_COUNT(names); i++)
		for (enum signature_kind kind = 0; kind < SIGNATURE_KINDS; kind++)
			same = same && signature_rules_match(rules, kind, names[i]) ==
					       signature_rules_match(NULL, kind, names[i]);
	ok(same, "the printed rules match the same names as the built-in rules");
	signature_rules_free(rules);
}

int
main(void)
{
	test_examples();
	test_lengths();
	test_bare();
	test_no_memory();
	test_rules();
	test_limits();
	test_bounds();
	test_printed();
	return done_testing();
}
