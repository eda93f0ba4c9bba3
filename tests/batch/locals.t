#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Arguments and local variables of compiled programs and damaged files; those of whole files are in
# tests/scenes/locals. The values are those of gdb 13.1 for the same cores (tests/batch/locals/README.md).
. "$(dirname "$0")/../lib/tap.sh"

folder=$srcdir/tests/batch/locals

# locals NAME OPTION...: the variables of a core in the folder.
locals() {
	name=$1
	shift
	"$UNSPOOL" locals --no-system-binaries "$folder/$name.core.gz" --binaries "$folder/${name%%.*}" "$@" 2>"$scratch/messages"
}

# classes.cc: a class with a base, its members set to their indices; app() calls apply(call, 1 + one).
windows=$srcdir/tests/windows
mkdir "$scratch/windows"
gzip -dc "$windows/classes.pdb.gz" >"$scratch/windows/classes.pdb"
cp "$windows/classes.exe" "$scratch/windows"
set -- --no-system-binaries "$windows/classes.dmp" --binaries "$scratch/windows"
"$UNSPOOL" locals "$@" >"$scratch/out" 2>/dev/null
t 'an object of a PDB has its base' grep -qxF \
	'   square made = {<shape> = {width = 1}, sides = {0, 1, 2, 3, 4}}  [memory at .cfa 32 -]' "$scratch/out"
is 'an argument of two functions of a PDB is shown once' "$(grep -c '^   int n = 2  \[argument, register esi\]$' "$scratch/out")" 2
is 'an expression may use types of a PDB' \
	"$("$UNSPOOL" identify "$@" --frame 6 'made.sides[3] * 10 + sizeof(shape)' 2>/dev/null | sed -n 's/^ value  *//p')" '38   0x26'

# The second parameter of the inlined through() becomes another description of the first one.
mkdir "$scratch/again"
cp "$folder/x86_64/optimised.O2" "$scratch/again" && chmod u+w "$scratch/again/optimised.O2"
printf '\323\003\000\000' | dd of="$scratch/again/optimised.O2" bs=1 seek=$((0x3077 + 0x371)) conv=notrunc 2>/dev/null
"$UNSPOOL" locals --no-system-binaries "$folder/x86_64.optimised.O2.core.gz" --binaries "$scratch/again" --frame 3 \
	>"$scratch/out" 2>/dev/null
is 'a parameter that is described twice is shown once' "$(sed -n '/through/,/inlined/p' "$scratch/out" | grep -c ' place = ')" 1
t 'a parameter that only the abstract function describes is shown' grep -q ' extra = <optimised out' "$scratch/out"

# The types of variables are in a supplement of dwz, which is missing: DW_FORM_GNU_ref_alt for DW_FORM_ref4.
if command -v python3 >/dev/null 2>&1; then
	mkdir "$scratch/moved"
	python3 - "$folder/x86_64/optimised.O2" "$scratch/moved/optimised.O2" <<'END'
import struct, sys
elf = bytearray(open(sys.argv[1], 'rb').read())
headers, = struct.unpack_from('<Q', elf, 40)
size, count, names = struct.unpack_from('<HHH', elf, 58)
section = lambda i: struct.unpack_from('<IIQQQQ', elf, headers + i * size)
text = section(names)[4]
for i in range(count):
    if not elf[text + section(i)[0]:].startswith(b'.debug_abbrev\0'):
        continue
    start, length = section(i)[4:6]
    table, at, new = elf[start:start + length], 0, bytearray()
    def number():
        global at
        first, value, shift = at, 0, 0
        while True:
            value |= (table[at] & 0x7f) << shift
            at, shift = at + 1, shift + 7
            if table[at - 1] < 0x80:
                return value, table[first:at]
    while at < length:
        code, raw = number()
        new += raw
        if code == 0:
            continue
        tag, raw = number()
        new += raw + table[at:at + 1]
        at += 1
        while True:
            (name, raw), (form, again) = number(), number()
            new += raw + (b'\xa0\x3e' if tag in (5, 0x34) and (name, form) == (0x49, 0x13) else again)
            if form == 0x21:
                new += number()[1]
            if name == 0:
                break
    struct.pack_into('<QQ', elf, headers + i * size + 24, len(elf), len(new))
    elf += new
open(sys.argv[2], 'wb').write(elf)
END
	"$UNSPOOL" locals --no-system-binaries "$folder/x86_64.optimised.O2.core.gz" --binaries "$scratch/moved" >"$scratch/out"
	is 'a type in a missing supplement is not void' "$(grep -c '^   ? doubled = <its type is in a file that was not found>' "$scratch/out")" 1
	none 'no variable has the type void' "$(grep -n '  *void [a-z(]' "$scratch/out")"
else
	skip 2 'python3 is not there: it moves the types'
fi

# Without debug information --------------------------------------------------------------------------

# The code of crash() is mov [sink], rdi; mov rdx, [nowhere]; mov rax, rdi; mov [rdx], rdi: it writes rdx.
# Before it, lost() has loaded rdi, rsi, rdx and rcx.
if command -v strip >/dev/null 2>&1 && [ "$(uname -m)" = x86_64 ]; then
	mkdir "$scratch/bare"
	strip --strip-debug -o "$scratch/bare/optimised.O2" "$folder/x86_64/optimised.O2"
	"$UNSPOOL" locals --no-system-binaries "$folder/x86_64.optimised.O2.core.gz" --binaries "$scratch/bare" >"$scratch/out" 2>&1
	is 'registers that the code since the entry has not written are arguments' \
		"$(sed -n 's/^   argument register \([a-z0-9]* *[0-9a-f]*\)  .*/\1/p; s/^   not known: //p; s/^ frame \([01]\) .*/\1/p' "$scratch/out")" \
		'0
rdi  000000000000000e
rsi  0000000000000040
rcx  fffffffffffffffd
r8   0000000000000006
r9   0000000000000020
rdx, which may have been written since the function'\''s entry
1
r8   0000000000000006
r9   0000000000000020
rdi rsi rdx rcx, which may have been written since the function'\''s entry'
	"$UNSPOOL" locals --json --no-system-binaries "$folder/x86_64.optimised.O2.core.gz" --binaries "$scratch/bare" >"$scratch/out" 2>&1
	t 'the JSON has the proved registers' grep -qF '"arguments":[{"register":"rdi","address":null,"value":"0xe","at_entry":true,' "$scratch/out"
	t 'the JSON has the registers that are not proved' grep -qF '{"register":"rdx","address":null,"value":null,"at_entry":false,' "$scratch/out"
fi

# A part of the function outside of its symbol writes rdi and comes back.
if command -v gcc >/dev/null 2>&1 && command -v gdb >/dev/null 2>&1 && [ "$(uname -m)" = x86_64 ]; then
	cat >"$scratch/parts.s" <<'END'
	.text
	.globl main, part
	.type part, @function
	.type part.cold, @function
	.type main, @function
part:	test %rsi, %rsi
	jne part.cold
.Lback:	xor %eax, %eax
	mov %eax, (%rax)
	ret
	.size part, . - part
part.cold:
	mov $7, %edi
	jmp .Lback
	.size part.cold, . - part.cold
main:	mov $3, %edi
	mov $1, %esi
	call part
	ret
	.size main, . - main
	.section .note.GNU-stack,"",@progbits
END
	gcc -o "$scratch/parts" "$scratch/parts.s" 2>"$scratch/messages" &&
		gdb -batch -ex run -ex "generate-core-file $scratch/parts.core" "$scratch/parts" >"$scratch/messages" 2>&1
	if [ -s "$scratch/parts.core" ]; then
		"$UNSPOOL" locals "$scratch/parts.core" --binaries "$scratch" --frame 0 >"$scratch/out" 2>&1
		none 'code elsewhere may have written a register' "$(grep 'argument register rdi' "$scratch/out")"
		t 'the doubt about the register is reported' grep -q '^   no variables: \|^   not known: rdi ' "$scratch/out"
	else
		skip 2 'gdb cannot run a program here'
	fi
fi

# The C++ library -------------------------------------------------------------------------------------

# Containers: the values that the source puts in. gdb makes the core, because sizes of nodes depend on the library.
if command -v g++ >/dev/null 2>&1 && command -v gdb >/dev/null 2>&1 && [ "$(uname -m)" = x86_64 ]; then
	cat >"$scratch/held.cc" <<'END'
#include <cstdlib>
#include <deque>
#include <forward_list>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <pthread.h>
#include <set>
#include <shared_mutex>
#include <stack>
#include <string>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>
struct two { char a; double b; };
enum modes { NONE, READ = 1, WRITE = 2, RUN = 8 };
enum packed { LOW = 3, HIGH = 4 };
enum same { ONE = 1, UNO = 1, TWO = 2 };
enum neg { M = -1, N = 1, O = 2 };
struct base { virtual ~base() {} int left = 1; };
struct other { virtual ~other() {} int right = 2; };
struct both_of : base, other { int own = 3; };
struct holed { static int none; char head; unsigned few : 3, more : 14; char end; long tail : 40; int last; } holes;
int holed::none; struct moved : virtual two { short own; } moves;
/* Members as in Microsoft's STL, in libc++ and in Rust's library; the names of namespaces do not count. */
namespace other_library {
template <class T> struct vector { struct { struct { T *_Myfirst, *_Mylast, *_Myend; } _Myval2; } _Mypair; };
template <class T> struct basic_string {
	struct { struct { union { T _Buf[16]; T *_Ptr; } _Bx; size_t _Mysize, _Myres; } _Myval2; } _Mypair; };
template <class T> struct node { node *_Left, *_Parent, *_Right; char _Color, _Isnil; T _Myval; };
template <class T> struct basic_json { unsigned char m_type; union { std::map<std::string, basic_json> *object; bool boolean; } m_value; };
template <class T> struct _Tree_iterator { node<T> *_Ptr; };
template <class K, class V> struct map {
	struct { struct { struct { node<std::pair<K, V>> *_Myhead; size_t _Mysize; } _Myval2; } _Myval2; } _Mypair; };
template <class T> struct deque {
	struct { struct { T **_Map; size_t _Mapsize, _Myoff, _Mysize; } _Myval2; } _Mypair; };
template <class T> struct link { link *_Next, *_Prev; T _Myval; };
template <class T> struct list { struct { struct { link<T> *_Myhead; size_t _Mysize; } _Myval2; } _Mypair; };
namespace llvm {
template <class T> struct basic_string { union { struct { size_t __is_long_ : 1, __cap_ : 63, __size_; T *__data_; } __l;
	struct { unsigned char __is_long_ : 1, __size_ : 7; T __data_[23]; } __s; } __rep_; };
template <class T> struct set_node { set_node *__left_, *__right_, *__parent_; bool black; T value; };
template <class T> struct tree { set_node<T> *__begin_node_; struct { set_node<T> *__left_; } __end_node_; size_t __size_; };
template <class T> struct set { tree<T> __tree_; };
struct page { int number; char rest[508]; };	/* 16 in a block */
template <class T> struct deque { struct { T **__begin_; } __map_; size_t __start_, __size_; };
}
struct leaf { void *parent; int keys[11]; short vals[11], len; };
template <class K, class V> struct BTreeMap {
	struct { struct { struct { size_t height; struct { leaf *pointer; } node; } __0; } Some; } root; size_t length; };
}
using namespace other_library;
__attribute__((noinline)) static void
stop(void *held) { volatile int *nowhere = nullptr; asm volatile("" : : "r"(held)); *nowhere = 1; }
int main()
{
	modes f = NONE; packed p = LOW; same s = ONE; neg n = M;
	pthread_mutex_t idle = PTHREAD_MUTEX_INITIALIZER, orphan = PTHREAD_MUTEX_INITIALIZER;
	pthread_rwlock_t one_reader = PTHREAD_RWLOCK_INITIALIZER, readers = one_reader, writer = one_reader;
	std::mutex guard;
	std::shared_timed_mutex timed;
	std::shared_lock<std::shared_timed_mutex> shares(timed);
	std::unique_lock<std::mutex> waits(guard, std::defer_lock);
	guard.lock(), pthread_mutex_lock(&orphan), orphan.__data.__owner = 5;
	pthread_rwlock_rdlock(&one_reader), pthread_rwlock_rdlock(&readers), pthread_rwlock_rdlock(&readers), pthread_rwlock_wrlock(&writer);
	std::map<std::string, int> prices = { { "pear", 7 }, { "apple", 12 }, { "fig", 30 } };
	std::map<int, int> many;
	for (int i = 0; i < 1000; i++)
		many[i * 7919 % 1009] = i;
	std::multiset<long> numbers = { 5, 1, 9, 1 };
	std::set<int> none;
	std::map<__int128, short> aligned = { { 5, 6 } };
	std::list<two> line = { { 'x', 1.5 }, { 'y', 2.5 } };
	std::forward_list<char> letters = { 'p', 'q' };
	std::unordered_map<int, std::string> words = { { 4, "four" } };
	std::deque<long> queue;
	for (long i = 0; i < 70; i++)
		queue.push_back(i);
	for (long i = 0; i < 63; i++)
		queue.pop_front();
	std::tuple<int, std::string> both = { 1, "two" };
	std::variant<int, std::string, double> either = std::string("text");
	std::variant<int, double> plain = 2.5;
	std::stack<int> stack;
	stack.push(3);
	std::vector<bool> flags = { true, false, true };
	std::vector<std::pair<int, char>> pairs = { { 1, 'x' } };
	std::u16string tale = u"na\u00efve \U0001F600";
	const wchar_t *wide = L"\u65e5";
	const char *narrow = "\u00fc\x80\033";
	std::unique_ptr<two> owned(new two{ 'z', 3.5 });
	std::optional<int> maybe, some = 4;
	std::optional<void (*)(int, char)> call;
	std::optional<std::pair<int, char>> twin = std::make_pair(6, 't');
	std::list<std::vector<char>> grid(7, std::vector<char>(199, 'g'));
	std::shared_ptr<two> shared(new two{ 's', 1 }), twice = shared, nobody;
	std::weak_ptr<two> weak = shared;
	other *object = new both_of;
	std::map<const char *, int> named = { { "figs", 8 } };
	int data[] = { 4, 5, 6, 7 };
	vector<int> m_vector = { { { data, data + 3, data + 4 } } };
	basic_string<char> m_short = { { { { "inside" }, 6, 15 } } }, m_long = { { { { "" }, 20, 31 } } };
	m_long._Mypair._Myval2._Bx._Ptr = const_cast<char *>("not inside the string");
	node<std::pair<int, int>> *nil = (node<std::pair<int, int>> *)calloc(4, sizeof(*nil));
	nil[1] = { nil, nil + 2, nil, 0, 0, { 1, 10 } }, nil[3] = { nil, nil + 2, nil, 0, 0, { 3, 30 } };
	nil[2] = { nil + 1, nil, nil + 3, 1, 0, { 2, 20 } };
	nil->_Left = nil + 1, nil->_Parent = nil + 2, nil->_Right = nil + 3;
	map<int, int> m_map = { { { { nil, 3 } } } };
	basic_json<int> j_null = {}, j_flag = { 4, { .boolean = true } }, j_object = { 1 };
	std::map<std::string, basic_json<int>> json = { { "on", j_flag } };
	j_object.m_value.object = &json;
	_Tree_iterator<std::pair<int, int>> inside = { nil + 2 }, outside = { nil };
	auto fig = prices.find("fig"), last = prices.end();
	auto word = words.begin(), gone = words.end();
	std::variant<int, two> one_of = two{ 'x', 4.5 };
	long long wide_data[] = { 7, 8, 9, 10 }, *wide_blocks[] = { wide_data + 2, wide_data };
	deque<long long> m_deque = { { { wide_blocks, 2, 3, 2 } } };
	link<char> head = {}, one = { &head, &head, 'l' };
	head._Next = &one;
	link<char> start = {}, torn = { (link<char> *)8, &start, 't' };
	start._Next = &torn;
	list<char> m_list = { { { &head, 1 } } }, m_torn = { { { &start, 3 } } };
	llvm::basic_string<char> l_short = {}, l_long = { { { 1, 24, 30, const_cast<char *>("a text that is not in the string") } } };
	l_short.__rep_.__s = { 0, 5, "local" };
	llvm::set_node<int> l_nodes[3] = { { 0, 0, l_nodes + 1, true, 7 }, { l_nodes, l_nodes + 2, 0, true, 8 }, { 0, 0, l_nodes + 1, true, 9 } };
	llvm::set<int> l_set = { { l_nodes, { l_nodes + 1 }, 3 } };
	l_nodes[1].__parent_ = (llvm::set_node<int> *)&l_set.__tree_.__end_node_;
	llvm::page l_pages[32] = {}, *l_map[] = { l_pages, l_pages + 16 };
	l_pages[15].number = 15, l_pages[16].number = 16;
	llvm::deque<llvm::page> l_deque = { { l_map }, 15, 2 };
	struct { leaf data; leaf *edges[12]; } r_root = { { 0, { 30 }, { 3 }, 1 }, {} };
	leaf r_leaves[2] = { { &r_root, { 10, 20 }, { 1, 2 }, 2 }, { &r_root, { 40 }, { 4 }, 1 } };
	r_root.edges[0] = r_leaves, r_root.edges[1] = r_leaves + 1;
	BTreeMap<int, short> r_map = { { { { 1, { &r_root.data } } } }, 4 };
	void *others[] = { &m_vector, &m_short, &m_long, &m_map, &m_deque, &m_list, &m_torn, &l_short, &l_long, &l_set, &l_deque, &r_map, &j_null, &j_flag, &j_object, &inside, &outside, &fig, &last, &word, &gone, &one_of };
	asm volatile("" : : "r"(others) : "memory");
	void *all[] = { &tale, &wide, &narrow, &owned, &maybe, &some, &call, &twin, &grid, &object, &named, &prices, &many, &numbers, &none, &aligned, &line, &letters, &words, &queue, &both,
			&either, &plain, &stack, &flags, &pairs };
	stop(all);
}
END
	if g++ -g -O0 -std=c++17 -o "$scratch/held" "$scratch/held.cc" 2>"$scratch/messages" &&
		gdb -batch -ex run -ex "generate-core-file $scratch/held.core" "$scratch/held" \
			>"$scratch/messages" 2>&1 && [ -s "$scratch/held.core" ]; then
		"$UNSPOOL" locals "$scratch/held.core" --binaries "$scratch" --frame 1 >"$scratch/out" 2>&1
		is 'containers of the C++ library have their elements' "$(sed -n 's/  \[memory at .*//
			/ \(shared\|twice\|nobody\|weak\|many\|json\|i\|all\|maybe\|owned\|some\|named\|call\|twin\|grid\) = /d
			s/.* \([a-z]*\) = \(std::\|empty\)/\1 = \2/p' "$scratch/out" | sort)" \
			'aligned = std::map with 1 element = {[5] = 6}
both = std::tuple containing = {[1] = 1, [2] = "two"}
either = std::variant [index 1] = {"text"}
flags = std::vector<bool> of length 3, capacity 64 = {true, false, true}
letters = std::forward_list = {[0] = 112 '\''p'\'', [1] = 113 '\''q'\''}
line = std::list with 2 elements = {[0] = {a = 120 '\''x'\'', b = 1.5}, [1] = {a = 121 '\''y'\'', b = 2.5}}
none = std::set with 0 elements
numbers = std::multiset with 4 elements = {[0] = 1, [1] = 1, [2] = 5, [3] = 9}
pairs = std::vector of length 1, capacity 1 = {{first = 1, second = 120 '\''x'\''}}
plain = std::variant [index 1] = {2.5}
prices = std::map with 3 elements = {["apple"] = 12, ["fig"] = 30, ["pear"] = 7}
queue = std::deque with 7 elements = {63, 64, 65, 66, 67, 68, 69}
stack = std::deque with 1 element = {3}
words = std::unordered_map with 1 element = {[4] = "four"}'
		is "containers by the members of Microsoft's library, of libc++ and of Rust" \
			"$(sed -n 's/  \[memory at .*//; s/.* \([jmlr]_[a-z]*\) = /\1 /p' "$scratch/out" | grep -v 'nodes\|leaves\|root\|pages\|l_map' | sort)" \
			'j_flag json = true
j_null json null
j_object json = std::map with 1 element = {["on"] = json = true}
l_deque std::deque with 2 elements = {{number = 15, rest = '\'\\000\'' <repeats 507 times>}, {number = 16, rest = '\'\\000\'' <repeats 507 times>}}
l_long "a text that is not in the stri"
l_set std::set with 3 elements = {[0] = 7, [1] = 8, [2] = 9}
l_short "local"
m_deque std::deque with 2 elements = {8, 9}
m_list std::list with 1 element = {[0] = 108 '\''l'\''}
m_long "not inside the strin"
m_map std::map with 3 elements = {[1] = 10, [2] = 20, [3] = 30}
m_short "inside"
m_torn std::list with 3 elements = {[0] = 116 '\''t'\'', [1] = <its memory is not in the dump>, <memory at 0x8 is not in the dump>}
m_vector std::vector of length 3, capacity 4 = {4, 5, 6}
r_map BTreeMap(size=4) = {[10] = 1, [20] = 2, [30] = 3, [40] = 4}'
		is 'the elements of all containers in a value are limited: 5 vectors have 1 + 199 of 1,000' \
			"$(sed -n 's/.* grid = //p' "$scratch/out" | sed "s/103 'g'/G/g; s/\(, G\)\{198\}/+/g; s/std::vector of length 199, capacity 199/V/g; s/  .memory.*//")" \
			'std::list with 7 elements = {[0] = V = {G+}, [1] = V = {G+}, [2] = V = {G+}, [3] = V = {G+}, [4] = V = {G+}, ...}'
		t 'a large container has its first elements in order' \
			grep -qE ' many = std::map with 1000 elements = \{\[0\] = 0, \[1\] = 244, .*, \[201\] = 612\.\.\.\}' "$scratch/out"
		is 'strings of other encodings and characters of UTF-8 are text' \
			"$(sed -n 's/  \[memory at .*//; s/0x[0-9a-f]* //; s/.* \(tale\|wide\|narrow\) = /\1 /p' "$scratch/out")" \
			'tale u"naïve 😀"
wide L"日"
narrow "ü\200\033"'
		# The elements by the source: 7919 * 831 is 1000 more than a multiple of 1009.
		ask() { "$UNSPOOL" identify "$scratch/held.core" --binaries "$scratch" --frame 1 "$@" 2>&1; }
		is 'elements and functions that only read can be used in expressions' "$(ask 'many[1000]' 'prices["fig"]' 'words[4].size()' \
				'queue[6]' 'line.back().b' 'both[2]' 'owned->a' 'owned.get()->b' 'some.value()' 'maybe.has_value()' \
				'none.empty()' 'pairs.front().second' 'narrow[0] + numbers.size()' 'tale[2]' \
				'named["figs"]' 'fig->second' '(*word).second' 'inside->second' 'one_of.b' 'j_object["on"]' |
			sed -n 's/^ value  *//p' | sed 's/   [^ ]*core+0x.*//' | tr '\n' ,)" \
			"831   0x33f,30   0x1e,4,69   0x45,2.5,\"two\",122 'z',3.5,4,false,true,120 'x',18446744073709551559   0xffffffffffffffc7,239 u'ï',8,30   0x1e,\"four\",20   0x14,4.5,json = true,"
		is 'a value and its parts leave out static members' "$(ask holes | sed -n '2p; /^ parts/,$p' | sed 's/   [^ ]*+.*//; 7q' | tr -s ' ' | tr '\n' ,)" \
			" value {head = 0 '\\000', few = 0, more = 0, end = 0 '\\000', tail = 0, last = 0}, parts head = 0 '\\000', few = 0, more = 0, end = 0 '\\000', tail = 0, last = 0,"
		is 'an enumeration of single bits is written as flags' "$(ask '(modes)0' '(modes)2' '(modes)3' '(modes)11' '(modes)4' '(modes)13' \
				'(packed)7' '(packed)4' '(same)3' '(same)1' '(neg)3' '(neg)-1' | sed -n 's/^ value  *//p' | tr '\n' ,)" \
			'NONE,WRITE,(READ | WRITE),(READ | WRITE | RUN),(unknown: 0x4),(READ | RUN | unknown: 0x4),7,HIGH,(ONE | TWO),ONE,3,M,'
		is 'holders of one value are written as by gdb' "$(ask owned maybe some call twin fig inside shared nobody weak | sed -n 's/^ value  *//p' |
				sed 's/ = 0x[1-9a-f][0-9a-f]*/ = N/; s/   [^ ]*core+0x.*//')" \
			'std::unique_ptr<two> = {get() = N}
std::optional<int> [no contained value]
std::optional<int> = {[contained value] = 4}
std::optional<void (*)(int, char)> [no contained value]
std::optional<std::pair<int, char> > = {[contained value] = {first = 6, second = 116 '\''t'\''}}
{first = "fig", second = 30}
{first = 2, second = 20}
std::shared_ptr<two> (use count 2, weak count 1) = {get() = N}
std::shared_ptr<two> (empty) = {get() = 0x0}
std::weak_ptr<two> (use count 2, weak count 1) = {get() = N}'
		is 'the threads that hold a lock are named' "$(ask idle guard waits orphan one_reader shares readers writer |
				sed -n 's/^ lock  *//p' | sed 's/ (id 0x[0-9a-f]*, [0-9]*)$/, id/')" \
			'not locked
locked by thread 0, id
locked by thread 0, id
locked by a thread that the dump lacks, id 5
locked for reading by 1 thread; it does not store which
locked for reading by 1 thread; it does not store which
locked for reading by 2 threads; it does not store which
locked for writing by thread 0, id'
		# 7919 * 237 is 63 more than a multiple of 1009.
		is 'elements of containers are rows with their keys' "$({
				printf '%s\n' 'set rows 94' 'frame 1'
				printf 'display %s\n' prices line both some maybe stack owned flags pairs many m_torn
				printf 'view frame\n'
				printf 'row %s\nfold\n' 11 10 9 8 7 6 5 4 3 2 1
				printf 'view frame\n'
			} | "$UNSPOOL" --plain "$scratch/held.core" --binaries "$scratch" 2>/dev/null |
				$AWK '/^.frame/ { text = "" } /^  frame 1/ { shown = text } /^    / { text = text $0 "\n" } END { printf "%s", shown }' |
				sed '/ int \[[0-9]*\] = /{/\[63\]/!d}; s/0x[0-9a-f]*/N/; s/std::__cxx11::[^[]*/string /; s/^    //')" \
			'  int ["apple"] = 12
  int ["fig"] = 30
  int ["pear"] = 7
+ two [0] = {a = 120 '\''x'\'', b = 1.5}
+ two [1] = {a = 121 '\''y'\'', b = 2.5}
+ string [2] = "two"
  int * = 4
+ std::deque<int, std::allocator<int> > * = std::deque with 1 element = {3}
+ two * * = N
  bool [0] = true
  bool [1] = false
  bool [2] = true
+ std::pair<int, char> [0] = {first = 1, second = 120 '\''x'\''}
  int [63] = 237
  936 more elements
  char [0] = 116 '\''t'\''
  char [1] = <its memory is not in the dump>
  char (the next one) = <memory at N is not in the dump>'
		is 'an object seen through its second base has its class by the virtual table' "$(ask object |
				sed -n 's/0x[0-9a-f]*/N/g; s/^ \(value\|object\)  *//p' | sed 's/   [^ ]*core+.*//')" \
			'(both_of *) N
both_of = {<base> = {_vptr.base = N <vtable for both_of+16>, left = 1}, <other> = {_vptr.other = N <vtable for both_of+48>, right = 2}, own = 3}'
		is 'types have their members with their places, and holes also after bit fields' \
			"$(ask 'ptype owned.get()' 'ptype struct holed' 'ptype moved' | grep -v '^ ptype\|^$' | tr -s ' ' | tr '\n' ,)" \
			' type two *, target two, size 16 (0x10) bytes, members +0x0 char a 1 byte, +0x1 7 bytes without a member, +0x8 double b 8 bytes,'\
' type holed, size 24 (0x18) bytes, members static int none, +0x0 char head 1 byte, +0x1 unsigned int few 3 bits from bit 0,'\
' +0x1 unsigned int more 14 bits from bit 3, +0x4 char end 1 byte, +0x8 long tail 40 bits from bit 0, +0xd 3 bytes without a member,'\
' +0x10 int last 4 bytes, type moved, size 32 (0x20) bytes, members computed two (base), +0x0 int (**)(...) _vptr.moved 8 bytes, +0x8 short own 2 bytes,'
		is 'data without debug information are named with a type' "$(ask 'environ[0] != 0' 'whatis environ' | sed -n 's/^ \(value\|type\)  *//p' | tr '\n' ,)" \
			'true,bool,char **,'
		is 'missing names are refused' "$(ask 'prices["kiwi"]' 'named["fig"]' 'queue[7]' 'maybe.value()' 'line["x"]' 'words.clear()' 'last->first' '*gone' '*outside' |
			sed -n 's/^ unknown  *column //p' | sed 's/: std::.* has/: has/; s/; this is .*//; s/^[0-9]*: expected a pointer, or a p.*/no object/')" '8: the container has 3 elements, none with this key
7: the container has 1 element, none with this key
7: the container has 7 elements
1: the optional contains no value
6: expected a number
7: has no member '"'clear'; its members: _M_h
no object
no object"
		# A dump of the stack alone has no nodes: the number of nodes is known, and that they are missing.
		"$UNSPOOL" sanitize "$scratch/held.core" --binaries "$scratch" --keep stacks \
			-o "$scratch/held.dmp" >"$scratch/messages" 2>&1
		"$UNSPOOL" locals "$scratch/held.dmp" --binaries "$scratch" --frame 1 >"$scratch/out" 2>&1
		t 'elements that the dump lacks are marked as missing' \
			grep -qE ' many = std::map with 1000 elements = \{.*<memory at 0x[0-9a-f]* is not in the dump>\}' "$scratch/out"
	else
		skip 16 'gdb cannot run a program here'
	fi
fi

# Coroutines, pointers to members ------------------------------------------------------------------

"$UNSPOOL" walk --backtrace --no-system-binaries "$folder/x86_64.resumed.O2.core.gz" \
	--binaries "$folder/x86_64" >"$scratch/out" 2>"$scratch/messages"
is 'a function right after the code that a process begins with has that code as its caller, by its label' \
	"$(sed 1d "$scratch/out" | sed 's/ \[.*//; s/.*!//; s/^.* //' | tail -n 3 | tr '\n' ' ')" 'const begin 0xa '
# DWARF names the code of a coroutine "count"; c++filt gives the expected name of its linker symbol.
program=$folder/x86_64/resumed.O2
is 'dump-syms and lookup name the code of a coroutine by its linker symbol' \
	"$("$UNSPOOL" dump-syms "$program" | sed -n 's/^FUNC 10[0a]0 [0-9a-f]* 0 //p'
	"$UNSPOOL" lookup "$program" 1000 10a0 | sed -n '/^0/{n;s/^ *//;s/   .*//;s/ \[clone.*//;p}')" \
	"$(for i in 1 2 3 4; do echo 'count(count(int)::_ZL5counti.Frame*)'; done)"
# arm64 marks a virtual function in the second word; qemu's core of a static program names no module.
for arch in x86_64 arm64; do
	locals "$arch.resumed.O2" >"$scratch/out"
	is "pointers to members: $arch" "$(sed -n 's/^   .* \(\(field\|none\|number\|method\|inherited\|gone\) = .*\)  \[.*/\1/p' "$scratch/out")" \
		'field = &both::last
none = NULL
number = &first::number
method = &virtual first::weight()
inherited = &virtual first::size()
gone = NULL'
done

# Rust -------------------------------------------------------------------------------------------------

cat >"$scratch/dyn.rs" <<'END'
use std::any::Any;
fn stop(cause: Box<dyn Any + Send>, any: &dyn Any) -> usize { std::process::abort(); }
fn main() {
	let cause = std::panic::catch_unwind(|| { let seat = std::env::args().count() + 6; if seat > 0 { panic!("seat {}", seat) } }).unwrap_err();
	std::process::exit(stop(cause, &String::from("row")) as i32);
}
END
if [ "$(uname -m)" = x86_64 ] && rustc -g -A warnings -o "$scratch/dyn" "$scratch/dyn.rs" >"$scratch/messages" 2>&1 &&
	gdb -batch -ex run -ex "generate-core-file $scratch/dyn.core" "$scratch/dyn" >"$scratch/messages" 2>&1 &&
	[ -s "$scratch/dyn.core" ]; then
	"$UNSPOOL" locals "$scratch/dyn.core" --binaries "$scratch" >"$scratch/out" 2>/dev/null
	is 'a trait object has the type that its table names: the text of a caught panic' \
		"$(sed -nE 's/.* (cause|any) = (.*)  \[argument.*/\2/p' "$scratch/out" | tr '\n' ' ')" \
		'dyn alloc::string::String = "seat 7" dyn alloc::string::String = "row" '
else
	skip 1 'rustc or gdb cannot make a core here'
fi

# Signals on other stacks --------------------------------------------------------------------------------

# The handler's stack is above the interrupted stack; in the program for arm only .ARM.exidx shows this.
for arch in x86_64 i386 arm64 arm; do
	"$UNSPOOL" walk --backtrace --no-system-binaries "$folder/$arch.signal.O2.core.gz" \
		--binaries "$folder/$arch" >"$scratch/out" 2>"$scratch/messages"
	is "a signal on a lower stack leaves the variables of the caller: $arch" \
		"$(sed -n '/handle/,/begin/p' "$scratch/out" | sed 's/ \[.*//; s/.*!//; s/ + .*//' | sed 2d | tr '\n' ' ')" \
		'handle touch weigh weigh weigh work switch_to begin '
	# 2.25 * 1.5 * 1.5 * 1.5 * 0.5 + 1 is in a vector register or on the x87 stack of the interrupted
	# code; ARM's calls preserve eight such registers.
	locals "$arch.signal.O2" >"$scratch/out"
	is "floating-point values that the kernel or a callee has saved: $arch" \
		"$(sed -n 's/^   double \(sum\|mine\) = \([^ ]*\) .*/\2/p' "$scratch/out" | tr '\n' ' ')" '4.796875 7.59375 5.0625 3.375 '
done

# Damage ---------------------------------------------------------------------------------------------

# Bytes of the debug information are overwritten, a few at a time.
cp -R "$folder/x86_64" "$scratch/damaged"
chmod -R u+w "$scratch/damaged"
size=$(wc -c <"$folder/x86_64/optimised.O2")
$AWK -v size="$size" 'BEGIN {
	for (seed = 7; round < 240; round++) {
		seed = (seed * 16807) % 2147483647
		at = 12336 + seed % (size - 12336 - 2500)
		seed = (seed * 16807) % 2147483647
		printf "%d %o\n", at, seed % 3 == 0 ? 255 : seed % 5 == 0 ? 0 : seed % 256
	}
}' >"$scratch/places"
ended=
round=0
while read -r at byte; do
	# shellcheck disable=SC2059
	printf "\\$byte" | dd of="$scratch/damaged/optimised.O2" bs=1 seek="$at" conv=notrunc 2>/dev/null
	round=$((round + 1))
	[ $((round % 6)) = 0 ] || continue
	timeout 900 "$UNSPOOL" locals --no-system-binaries --globals "$folder/x86_64.optimised.O2.core.gz" \
		--binaries "$scratch/damaged" >/dev/null 2>&1
	status=$?
	[ "$status" -le 3 ] || ended="$ended $at:$status"
	[ $((round % 60)) != 0 ] || cp "$folder/x86_64/optimised.O2" "$scratch/damaged/optimised.O2"
done <"$scratch/places"
is 'damaged debug information neither ends the program nor keeps it busy' "$ended" ''

# Compilers' forms -----------------------------------------------------------------------------------

# Types in units of their own, which entries name by a signature (DWARF 5, 7.32).
if [ "$(uname -m)" = x86_64 ] && command -v g++ nm readelf >/dev/null 2>&1; then
	. "$srcdir/tests/lib/compiled.sh"
	compiled_with=g++
	compile units -g -O1 -gdwarf-5 -fdebug-types-section <<'END'
namespace space {
struct outer { struct inner { int a; long b; } in; const struct inner *next; decltype(nullptr) no; };
extern const outer value;
const outer value = { { 7, -8 }, nullptr, nullptr };
}
int main(int argc, char **) { return space::value.in.a + argc; }
END
	main=$(compiled_address "$scratch/units" main)
	compiled_crash "$scratch/units" "${main%% *}" >"$scratch/units.dmp"
	"$UNSPOOL" locals --globals "$scratch/units.dmp" --binaries "$scratch/units" >"$scratch/out" 2>"$scratch/messages"
	t 'a type may be in a unit of its own; nullptr has the value 0' \
		grep -qF 'const space::outer value = {in = {a = 7, b = -8}, next = 0x0, no = 0x0}' "$scratch/out"

	# As in gdb: "optimised out" is shown for each element, also of text, but once for ten or more.
	compiled_with=
	compile parts -g -O2 <<'END'
struct money { long cents; char unit[4]; int rest[12]; };
int
main(int argc, char **argv)
{
	struct money sum;

	sum.cents = argc + 4;
	__asm__ volatile("stop: nop" : : "r"(sum.cents), "r"(argv));
	return (int)sum.cents;
}
END
	stop=$(nm "$scratch/parts" | sed -n 's/ t stop$//p')
	compiled_crash "$scratch/parts" "$stop" >"$scratch/parts.dmp"
	"$UNSPOOL" locals --json "$scratch/parts.dmp" --binaries "$scratch/parts" >"$scratch/out" 2>"$scratch/messages"
	lost='<optimized out>'
	t 'a structure whose arrays are optimised out' grep -qF \
		"{cents = 0, unit = {$lost, $lost, $lost, $lost}, rest = {$lost <repeats 12 times>}}" "$scratch/out"
fi

done_testing
