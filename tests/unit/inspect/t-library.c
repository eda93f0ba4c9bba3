/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "inspect/expression/value_expression.h"
#include "inspect/variable/dynamic_type.h"
#include "inspect/variable/library_value.h"
#include "inspect/variable/lock_value.h"
#include "report/value/value_text.h"
#include "tests/unit/inspect/made_types.h"

/*
 * Values of libraries' types. The rows of types have the members that the readers name, at offsets of our own; variables are at
 * 408000, and memory ends at 409000.
 */
static const char *const types[] = {
	"int|i4", "u8|u1", "word|u8", "bool|b1", "char|c1", "*int|*int", "*char|*char", "*word|*word", "[8]u8|[8]u8", "[8]int|[8]int",
	/* Go until 1.23 (runtime/map.go), and since (internal/runtime/maps) */
	"bucket|{80|tophash@[8]u8@0|keys@[8]int@8|values@[8]int@40|overflow@*bucket@72", "*bucket|*bucket",
	"hash<int,int>|{48|count@word@0|flags@u8@8|B@u8@9|buckets@*bucket@16|oldbuckets@*bucket@24", "*hash<int,int>|*hash<int,int>",
	"map[int]int|=*hash<int,int>", "gomap|@8000|map[int]int", "slot|{8|key@int@0|elem@int@4", "[8]slot|[8]slot",
	"group|{72|ctrl@word@0|slots@[8]slot@8", "*group|*group", "table|{24|groups.data@*group@8|groups.lengthMask@word@16",
	"*table|*table", "**table|**table", "map<int,int>|{24|used@word@0|dirPtr@**table@8|dirLen@word@16", "*map<int,int>|*map<int,int>",
	"map[int]int32|=*map<int,int>", "swiss|@8000|map[int]int32", "string|{16|str@*char@0|len@word@8", "gotext|@8000|string",
	"[]int|{24|array@*int@0|len@word@8|cap@word@16", "goslice|@8000|[]int",
	/* Rust */
	"String|{24|vec.buf.inner.ptr.pointer.pointer@*char@8|vec.len@word@16", "rtext|@8000|String",
	"Vec<int>|{24|buf.inner.ptr.pointer.pointer@*char@8|len@word@16|<int", "rvec|@8000|Vec<int>",
	"&[int]|{16|data_ptr@*int@0|length@word@8", "rslice|@8000|&[int]", "&str|{16|data_ptr@*char@0|length@word@8", "rstr|@8000|&str",
	"VecDeque<int>|{32|head@word@0|len@word@8|buf.inner.cap.__0@word@16|buf.inner.ptr.pointer.pointer@*char@24|<int",
	"rdeque|@8000|VecDeque<int>", "pair|{8|__0@int@0|__1@int@4",
	"RawTable|{32|table.bucket_mask@word@0|table.ctrl.pointer@*char@8|table.items@word@24|<pair",
	"HashMap<int, int>|{32|base.table@RawTable@0", "rmap|@8000|HashMap<int, int>", "HashSet<int>|{32|base.map.table@RawTable@0",
	"rset|@8000|HashSet<int>", "leaf|{64|len@u8@0|keys@[8]int@4|vals@[8]int@36", "*leaf|*leaf",
	"BTreeMap<int, int>|{32|root.Some.__0.height@word@0|root.Some.__0.node.pointer@*leaf@8|length@word@16|<int|<int",
	"rtree|@8000|BTreeMap<int, int>", "BTreeSet<int>|{32|map@BTreeMap<int, int>@0|<int", "rtreeset|@8000|BTreeSet<int>",
	"RcInner|{24|strong.value.value@word@0|weak.value.value@word@8|value@int@16", "*RcInner|*RcInner",
	"Rc<int>|{8|ptr.pointer@*RcInner@0", "rc|@8000|Rc<int>", "&dyn shape|{16|pointer@*int@0|vtable@*word@8", "dyn|@8000|&dyn shape",
	"core::ptr::drop_in_place<pair>|+2000", "core::ptr::drop_in_place::<pair>|+2100", "core::ptr::drop_in_place<pair|+2200",
	"core::ptr::drop_in_place<nothing>|+2300", "core::ptr::drop<pair>|+2400", "core::ptr::drop_in_place(pair>|+2500",
	/* libstdc++ */
	"list<int>|{24|_M_impl._M_node._M_next@*word@0|_M_impl._M_node._M_prev@*word@8|_M_impl._M_node._M_size@word@16|<int",
	"list|@8000|list<int>", "forward_list<int>|{8|_M_impl._M_head._M_next@*word@0|<int", "flist|@8000|forward_list<int>",
	"spair|{8|first@int@0|second@int@4",
	"tree|{48|_M_impl._M_header._M_color@int@0|_M_impl._M_header._M_left@*word@16|_M_impl._M_node_count@word@32|<int|<spair",
	"map<int, int>|{48|_M_t@tree@0", "map|@8000|map<int, int>", "_Rb_tree_iterator<spair>|{8|_M_node@*word@0|<spair",
	"treeat|@8000|_Rb_tree_iterator<spair>", "hashtable|{56|_M_before_begin._M_nxt@*word@16|_M_element_count@word@24|<int|<spair",
	"unordered_map<int, int>|{56|_M_h@hashtable@0", "umap|@8000|unordered_map<int, int>",
	"_Node_iterator<spair>|{8|_M_cur@*word@0|<spair", "hashat|@8000|_Node_iterator<spair>",
	"iter|{32|_M_cur@*int@0|_M_first@*int@8|_M_last@*int@16|_M_node@*word@24",
	"deque<int>|{80|_M_impl._M_start@iter@0|_M_impl._M_finish@iter@32", "deque|@8000|deque<int>", "stack<int>|{80|c@deque<int>@0",
	"stack|@8000|stack<int>", "_Head_base<0, int>|{4|_M_head_impl@int@0", "_Head_base<1, bool>|{1|_M_head_impl@bool@0",
	"_Tuple_impl<1, bool>|{1|^@_Head_base<1, bool>@0", "_Tuple_impl<0, int, bool>|{8|^@_Tuple_impl<1, bool>@0|^@_Head_base<0, int>@4",
	"tuple<int, bool>|{8|^@_Tuple_impl<0, int, bool>@0", "tuple|@8000|tuple<int, bool>",
	"variant<int, char>|{8|_M_u._M_first._M_storage@int@0|_M_u._M_rest._M_first._M_storage@char@0|_M_index@u8@4",
	"variant|@8000|variant<int, char>",
	"vector<int>|{24|_M_impl._M_start@*int@0|_M_impl._M_finish@*int@8|_M_impl._M_end_of_storage@*int@16", "vector|@8000|vector<int>",
	"bititer|{16|_M_p@*word@0|_M_offset@u8@8",
	"vector<bool, a>|{40|_M_impl._M_start@bititer@0|_M_impl._M_finish@bititer@16|_M_impl._M_end_of_storage@*word@32|<bool",
	"bits|@8000|vector<bool, a>", "[16]char|[16]char",
	"basic_string<char>|{32|_M_dataplus._M_p@*char@0|_M_string_length@word@8|_M_local_buf@[16]char@16|_M_allocated_capacity@word@16",
	"text|@8000|basic_string<char>", "basic_string_view<char>|{16|_M_len@word@0|_M_str@*char@8", "view|@8000|basic_string_view<char>",
	"unique_ptr<int>|{8|_M_t._M_t._M_head_impl@*int@0", "unique|@8000|unique_ptr<int>",
	"counts|{16|_M_use_count@int@8|_M_weak_count@int@12", "*counts|*counts",
	"shared_ptr<int>|{16|_M_ptr@*int@0|_M_refcount._M_pi@*counts@8", "shared|@8000|shared_ptr<int>",
	"optional<int>|{8|_M_payload._M_payload._M_value@int@0|_M_payload._M_engaged@bool@4", "optional|@8000|optional<int>",
	/* libc++: names of members since LLVM 15 */
	"list<int, llvm>|{24|__end_.__prev_@*word@0|__end_.__next_@*word@8|__size_@word@16|<int", "llist|@8000|list<int, llvm>",
	"ltree|{24|__begin_node_@*word@0|__end_node_@word@8|__size_@word@16|<spair", "map<int, int, llvm>|{24|__tree_@ltree@0",
	"lmap|@8000|map<int, int, llvm>", "ltable|{40|__first_node_.__next_@*word@16|__size_@word@24|<spair",
	"unordered_map<int, int, llvm>|{40|__table_@ltable@0", "lumap|@8000|unordered_map<int, int, llvm>", "**int|**int",
	"deque<int, llvm>|{48|__map_.__begin_@**int@8|__start_@word@32|__size_@word@40", "ldeque|@8000|deque<int, llvm>",
	"vector<int, llvm>|{24|__begin_@*int@0|__end_@*int@8|__cap_@*int@16", "lvector|@8000|vector<int, llvm>",
	"vector<bool, llvm>|{24|__begin_@*word@0|__size_@word@8|__cap_@word@16|<bool", "lbits|@8000|vector<bool, llvm>",
	"lcounts|{24|__shared_owners_@word@8|__shared_weak_owners_@word@16", "*lcounts|*lcounts",
	"shared_ptr<int, llvm>|{16|__ptr_@*int@0|__cntrl_@*lcounts@8", "lshared|@8000|shared_ptr<int, llvm>", "[23]char|[23]char",
	"basic_string<char, llvm>|{24|__rep_.__s.__size_@u8@0|__rep_.__s.__data_@[23]char@1|__rep_.__l.__cap_@word@0"
	"|__rep_.__l.__size_@word@8|__rep_.__l.__data_@*char@16", "ltext|@8000|basic_string<char, llvm>",
	"basic_string<char, last>|{24|__rep_.__s.__data_@[23]char@0|__rep_.__s.__size_@u8@23|__rep_.__l.__data_@*char@0"
	"|__rep_.__l.__size_@word@8|__rep_.__l.__cap_@word@16", "lasttext|@8000|basic_string<char, last>",
	/* Microsoft's */
	"mnode|{24|_Next@*word@0|_Prev@*word@8|_Myval@int@16", "*mnode|*mnode",
	"list<int, ms>|{16|_Mypair._Myval2._Myhead@*mnode@0|_Mypair._Myval2._Mysize@word@8", "mlist|@8000|list<int, ms>",
	"mtnode|{40|_Left@*word@0|_Parent@*word@8|_Right@*word@16|_Isnil@u8@25|_Myval@spair@28", "*mtnode|*mtnode",
	"map<int, int, ms>|{16|_Mypair._Myval2._Myval2._Myhead@*mtnode@0|_Mypair._Myval2._Myval2._Mysize@word@8",
	"mmap|@8000|map<int, int, ms>", "_Tree_iterator<int>|{16|_Ptr@*mtnode@8", "mtreeat|@8000|_Tree_iterator<int>",
	"unordered_map<int, int, ms>|{64|_List@list<int, ms>@8", "mumap|@8000|unordered_map<int, int, ms>",
	"deque<int, ms>|{40|_Mypair._Myval2._Map@**int@8|_Mypair._Myval2._Mapsize@word@16|_Mypair._Myval2._Myoff@word@24"
	"|_Mypair._Myval2._Mysize@word@32", "mdeque|@8000|deque<int, ms>",
	"basic_string<char, ms>|{32|_Mypair._Myval2._Bx._Buf@[16]char@0|_Mypair._Myval2._Bx._Ptr@*char@0"
	"|_Mypair._Myval2._Mysize@word@16|_Mypair._Myval2._Myres@word@24", "mtext|@8000|basic_string<char, ms>", "tuple<ms>|{1",
	"tuple<bool, ms>|{4|^@tuple<ms>@0|_Myfirst._Val@bool@0", "tuple<int, bool, ms>|{8|^@tuple<bool, ms>@0|_Myfirst._Val@int@4",
	"mtuple|@8000|tuple<int, bool, ms>", "optional<int, ms>|{8|_Value@int@0|_Has_value@bool@4", "moptional|@8000|optional<int, ms>",
	"variant<int, char, ms>|{8|_Head@int@0|_Tail._Head@char@0|_Which@u8@4", "*text|*basic_string<char>",
	"basic_json<a>|{16|m_data.m_type@u8@0|m_data.m_value.boolean@bool@8|m_data.m_value.string@*text@8", "json|@8000|basic_json<a>",
	"mvariant|@8000|variant<int, char, ms>",
	/* Wide characters, and types of three bytes */
	"char16|c2", "char24|c3", "*char16|*char16", "*char24|*char24", "[8]char16|[8]char16", "[5]char24|[5]char24", "[8]int16|[8]int",
	"basic_string<char16>|{32|_M_dataplus._M_p@*char16@0|_M_string_length@word@8|_M_local_buf@[8]char16@16"
	"|_M_allocated_capacity@word@16", "text16|@8000|basic_string<char16>",
	"basic_string<char24>|{32|_M_dataplus._M_p@*char24@0|_M_string_length@word@8|_M_local_buf@[5]char24@16"
	"|_M_allocated_capacity@word@16", "text24|@8000|basic_string<char24>",
	"basic_string_view<char24>|{16|_M_len@word@0|_M_str@*char24@8", "view24|@8000|basic_string_view<char24>",
	"basic_string<char16, ms>|{32|_Mypair._Myval2._Bx._Buf@[8]char16@0|_Mypair._Myval2._Bx._Ptr@*char16@0"
	"|_Mypair._Myval2._Mysize@word@16|_Mypair._Myval2._Myres@word@24", "mtext16|@8000|basic_string<char16, ms>",
	/* libc++ with bit fields, its short characters first or last */
	"basic_string<char, bits>|{24|__rep_.__s.__is_long_@u8@0:1|__rep_.__s.__size_@u8@1:7|__rep_.__s.__data_@[23]char@1"
	"|__rep_.__l.__cap_@word@1:63|__rep_.__l.__size_@word@8|__rep_.__l.__data_@*char@16", "bittext|@8000|basic_string<char, bits>",
	"basic_string<char, bitsl>|{24|__rep_.__s.__data_@[23]char@0|__rep_.__s.__size_@u8@184:7"
	"|__rep_.__s.__is_long_@u8@191:1|__rep_.__l.__data_@*char@0|__rep_.__l.__size_@word@8|__rep_.__l.__cap_@word@128:63",
	"lastbits|@8000|basic_string<char, bitsl>", "__tuple_leaf<0, int>|{4|__value_@int@0",
	"__tuple_leaf<1, pair>|{8|first@int@0|second@int@4", "leaves|{12|^@__tuple_leaf<0, int>@0|^@pair@4|^@__tuple_leaf<1, pair>@4",
	"tuple<int, pair, llvm>|{12|__base_@leaves@0", "ltuple|@8000|tuple<int, pair, llvm>", "tuple<>|{1", "tuple0|@8000|tuple<>",
	"tuple<x>|{8|other@int@0", "badtuple|@8000|tuple<x>", "__normal_iterator<int>|{8|_M_current@*int@0",
	"at|@8000|__normal_iterator<int>",
	"vector<bool, ms>|{32|_Myvec._Mypair._Myval2._Myfirst@*word@0|_Myvec._Mypair._Myval2._Myend@*word@16|_Mysize@word@24|<bool",
	"mbits|@8000|vector<bool, ms>", "variant<wide>|{16|_M_index@word@0|_M_u._M_first._M_storage@int@8",
	"widevariant|@8000|variant<wide>", "_Uninitialized<spair>|{8|_M_storage@[8]u8@0|<spair",
	"variant<spair>|{16|_M_u._M_first._M_storage@_Uninitialized<spair>@0|_M_index@u8@8", "buffered|@8000|variant<spair>", "none|{0",
	"Vec<u8>|{24|buf.inner.ptr.pointer.pointer@*char@8|len@word@16|<u8", "rbytes|@8000|Vec<u8>",
	"Vec<none>|{24|buf.inner.ptr.pointer.pointer@*char@8|len@word@16|<none", "rnones|@8000|Vec<none>",
	"mfnode|{16|_Next@*word@0|_Myval@int@8", "*mfnode|*mfnode", "forward_list<int, ms>|{8|_Mypair._Myval2._Myhead@*mfnode@0",
	"mflist|@8000|forward_list<int, ms>", "tuple<bool>|{1|^@_Tuple_impl<1, bool>@0", "tuple1|@8000|tuple<bool>",
	"*none|*none", "**none|**none", "niter|{32|_M_cur@*none@0|_M_first@*none@8|_M_node@*word@24", "ndeque|@8000|deque<none>",
	"deque<none>|{80|_M_impl._M_start@niter@0|_M_impl._M_finish@niter@32", "lndeque|@8000|deque<none, llvm>",
	"deque<none, llvm>|{48|__map_.__begin_@**none@8|__start_@word@32|__size_@word@40",
	NULL
};

static const struct {
	const char *text, *memory, *shown;
} cases[] = {
	{ "gomap", "", "map[int]int with 0 elements (nil)" },
	/* Marks from 5 on are those of entries in use. */
	{ "gomap", "8000=408010 8010=2 8020=408100 8100=800405 8108=800000007 8110=9 8128=5000000046 8130=5a",
	  "map[int]int "
	  "with 2 elements = {[7] = 70, [9] = 90}" },
	{ "gomap[9]", "8000=408010 8010=2 8020=408100 8100=800405 8108=800000007 8110=9 8128=5000000046 8130=5a", "90" },
	{ "gomap[8]", "8000=408010 8010=2 8020=408100 8100=800405 8108=800000007 8110=9 8128=5000000046 8130=5a", "the container has 2 "
	  "elements, none with this key" },
	{ "gomap", "8000=408010 8010=3 8020=408100 8100=800405 8108=800000007 8110=9 8128=5000000046 8130=5a",
	  "map[int]int "
	  "with 3 elements = {[7] = 70, [9] = 90, <the other elements were not found>}" },
	/* Slot 7 of a further bucket */
	{ "gomap", "8000=408010 8010=2 8020=408100 8100=5 8108=7 8128=46 8148=408180 8180=500000000000000 81a0=900000000 "
	  "81c0=5a00000000",
	  "map[int]int with 2 elements = {[7] = 70, [9] = 90}" },
	{ "gomap", "8000=408010 8010=2 8020=408100 8100=5 8108=7 8128=46 8148=409000", "map[int]int with 2 elements = {[7] = 70, <memory "
	  "at 0x409048 is not in the dump>}" },
	/* A map that grows from one bucket to two, and one that keeps two */
	{ "gomap", "8000=408010 8010=2 8018=100 8020=408100 8028=4081a0 8150=500 8158=700000000 8178=4600000000 81a0=5 81a8=9 81c8=5a "
	  "81f0=6 81f8=1", "map[int]int with 2 elements = {[7] = 70, [9] = 90}" },
	{ "gomap", "8000=408010 8010=2 8018=108 8020=408100 8028=4081a0 8100=5 8108=7 8128=46 81f0=5 81f8=9 8218=5a",
	  "map[int]int with 2 elements = {[7] = 70, [9] = 90}" }, { "gomap", "8000=408010 8010=2 8018=2900 8020=408100", "0x408010" },
	/* A group without a directory: bytes from 80 on mark free slots. */
	{ "swiss", "8000=408010 8010=2 8018=408100 8100=808080808000fe12 8108=4600000007 8110=100000001 8118=5a00000009",
	  "map[int]int32 with 2 elements = {[7] = 70, [9] = 90}" },
	/* Each of two tables twice in a row; the second has two groups. */
	{ "swiss", "8000=408010 8010=3 8018=408200 8020=4 8200=408040 8208=408040 8210=408060 8218=408060 8048=408100 8068=408148 8070=1 "
	  "8100=8080808080808012 8108=4600000007 8148=8080808080808080 8190=8080128080808080 81c0=5a00000009", "map[int]int32 with 3 "
	  "elements = {[7] = 70, [9] = 90, <the other elements were not found>}" },
	{ "swiss", "8000=408010 8010=3 8018=408200 8020=2 8200=408040 8208=409000 8048=408100 8100=8080808080808012 8108=4600000007",
	  "map[int]int32 with 3 elements = {[7] = 70, <memory at 0x409000 is not in the "
	  "dump>}" },
	{ "gotext", "8000=408100 8008=5 8100=6f6c6c6568", "\"hello\"" }, { "rtext", "8008=408100 8010=5 8100=6f6c6c6568", "\"hello\"" },
	{ "goslice", "8000=408100 8008=2 8010=3 8100=200000001", "slice(size=2) = {1, 2}" },
	{ "goslice", "8000=408100 8008=4 8010=3 8100=200000001", "members" },
	{ "rstr", "8000=408100 8008=5 8100=6f6c6c6568", "\"hello\"" },
	{ "rvec", "8008=408100 8010=2 8100=200000001", "Vec(size=2) = {1, 2}" },
	{ "rslice", "8000=408100 8008=2 8100=200000001", "&[T](size=2) = {1, 2}" },
	/* A ring of 3 elements with its first one in the last place */
	{ "rdeque", "8000=2 8008=2 8010=3 8018=408100 8100=200000001 8108=7", "VecDeque(size=2) = {7, 1}" },
	{ "rdeque", "8000=3 8008=2 8010=3 8018=408100 8100=200000001 8108=7", "members" },
	{ "rdeque", "8008=4 8010=3 8018=408100 8100=200000001 8108=7", "members" },
	/* Entry i is i + 1 entries before the marks. */
	{ "rmap", "8000=3 8008=408140 8018=2 8138=4600000007 8128=5a00000009 8140=ff01ff00", "HashMap(size=2) = {[7] = 70, [9] = 90}" },
	{ "rset", "8000=3 8008=408140 8018=2 8138=4600000007 8128=5a00000009 8140=ff01ff00", "HashSet(size=2) = {7, 9}" },
	{ "rmap", "8000=3 8008=408140 8018=3 8138=4600000007 8128=5a00000009 8140=ff01ff00", "members" },
	{ "rmap", "8000=3 8008=408140 8018=5 8140=ff01ff00", "members" }, { "rmap", "8000=2 8008=408140 8018=1 8140=ff01ff00", "members" },
	{ "rmap", "8000=3 8008=408140 8018=4 8120=400000004 8128=300000003 8130=200000002 8138=100000001", "HashMap(size=4) = {[1] = 1, "
	  "[2] = 2, [3] = 3, [4] = 4}" },
	{ "rtree", "8000=17 8008=408100 8010=4", "BTreeMap(size=4) = {<memory at 0x0 is not in the dump>}" },
	{ "rtreeset", "8008=408100 8010=b 8100=b", "BTreeSet(size=11) = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}" }, { "rdeque", "8018=408100", "VecDeque(size=0)" },
	{ "rdeque", "8000=2 8008=3 8010=3 8018=408100 8100=200000001 8108=7", "VecDeque(size=3) = {7, 1, 2}" },
	{ "rc", "8000=408100 8100=1 8108=0 8110=7", "Rc(strong=1, weak=0) = 7" }, { "rc", "8000=408100 8100=1 8108=1 8110=7", "Rc(strong=1, weak=0) = 7" },
	{ "rmap", "8000=3 8008=409000 8018=1", "HashMap(size=1) = {<memory at 0x409000 is not in the dump>}" },
	/* A root of one element with two leaves */
	{ "rtree", "8000=1 8008=408100 8010=4 8100=500000001 8120=3200000000 8140=408180 8148=408200 8180=100000002 8188=2 "
	  "81a0=a00000000 81a8=14 8200=900000001 8220=5a00000000", "BTreeMap(size=4) = {[1] = 10, [2] = 20, [5] = 50, [9] = 90}" },
	{ "rtreeset", "8000=1 8008=408100 8010=4 8100=500000001 8140=408180 8148=408200 8180=100000002 8188=2 8200=900000001",
	  "BTreeSet(size=4) = {1, 2, 5, 9}" },
	{ "rtree", "", "BTreeMap(size=0)" }, { "rtree", "8008=408100 8010=2 8100=500000001", "members" },
	{ "rtree", "8000=1 8008=408100 8010=4 8100=500000001 8120=3200000000 8140=409000", "BTreeMap(size=4) = {<memory at 0x409000 is "
	  "not in the dump>}" },
	{ "rtree", "8000=18 8008=408100 8010=4", "members" }, { "rc", "8000=408100 8100=2 8108=2 8110=7", "Rc(strong=2, weak=1) = 7" },
	{ "rtree", "8008=408100 8010=4 8100=c", "members" }, { "rc", "8000=408100 8100=0 8108=1 8110=7", "Rc(strong=0, weak=1) = 7" },
	/* The table of a trait object begins with the function that drops the object. */
	{ "dyn", "8000=408100 8008=408200 8100=4600000007 8200=402000", "dyn pair = {__0 = 7, __1 = 70}" },
	{ "dyn", "8000=408100 8008=408200 8100=4600000007 8200=402100", "dyn pair = {__0 = 7, __1 = 70}" },
	{ "dyn", "8000=408100 8008=408200 8200=402200", "members" }, { "dyn", "8000=408100 8008=408200 8200=402300", "members" },
	{ "dyn", "8000=408100 8008=408200 8200=402400", "members" }, { "dyn", "8000=408100 8008=408200 8200=402500", "members" },
	{ "dyn", "8000=408100 8008=408200 8200=402001", "members" }, { "dyn", "8000=408100 8008=408200 8200=408300", "members" },
	{ "dyn", "8000=408100 8008=408200", "members" }, { "dyn", "8000=408100 8008=409000", "members" },
	/* Nodes: the next one, the one before, the element */
	{ "list", "8000=408100 8010=2 8100=408120 8110=7 8120=408000 8130=9", "std::list with 2 elements = {[0] = 7, [1] = 9}" },
	{ "list", "8000=408000", "std::list with 0 elements" },
	{ "list", "8000=408100 8010=3 8100=408120 8110=7 8120=408000 8130=9", "members" }, { "flist", "", "empty std::forward_list" },
	{ "list", "8000=408100 8010=1 8100=408120 8110=7 8120=408000 8130=9", "members" },
	{ "list", "8000=408100 8010=2 8100=409000 8110=7", "std::list with 2 elements = {[0] = 7, [1] = <its memory is not in the dump>, "
	  "<memory at 0x409000 is not in the dump>}" },
	{ "flist", "8000=408100 8100=408120 8108=7 8128=9", "std::forward_list = {[0] = 7, [1] = 9}" },
	/* A tree of 5, 7 and 9: colour, parent, left, right, element */
	{ "map", "8010=408140 8020=3 8108=408000 8110=408140 8118=408180 8120=4600000007 8148=408100 8160=3200000005 8188=408100 "
	  "81a0=5a00000009", "std::map with 3 elements = {[5] = 50, [7] = 70, [9] = 90}" },
	{ "map", "8010=408140 8020=2 8108=408000 8110=408140 8118=408180 8120=4600000007 8148=408100 8160=3200000005 8188=408100 "
	  "81a0=5a00000009", "members" },
	{ "map", "8010=408140 8020=3 8108=408000 8110=408140 8120=4600000007 8148=408100 8158=409000 8160=3200000005",
	  "std::map with 3 elements = {[5] = 50, <memory at 0x409010 is not in the dump>}" },
	{ "map", "8010=408000", "std::map with 0 elements" },
	{ "map[7]", "8010=408140 8020=3 8108=408000 8110=408140 8118=408180 8120=4600000007 8148=408100 8160=3200000005 8188=408100 "
	  "81a0=5a00000009", "70" },
	{ "map[8]", "8010=408140 8020=3 8108=408000 8110=408140 8120=4600000007 8148=408100 8158=409000 8160=3200000005", "the container "
	  "has 3 elements, none of those that were read has this key: memory at 0x409010 is not in the dump" },
	{ "list[2]", "8000=408100 8010=3 8100=409000 8110=7", "the container has 3 elements: memory at 0x409000 is not in the dump" },
	/* A deeper tree: 5 above 3 and 9, 7 below 9 */
	{ "map", "8010=408140 8020=4 8108=408000 8110=408140 8118=408180 8120=3200000005 8148=408100 8160=1e00000003 8188=408100 "
	  "8190=4081c0 81a0=5a00000009 81c8=408180 81e0=4600000007", "std::map with 4 elements = {[3] = 30, [5] = 50, [7] = 70, [9] = "
	  "90}" }, { "treeat", "8000=408100 8100=1 8108=408140 8120=4600000007", "{first = 7, second = 70}" }, { "treeat", "", "members" },
	{ "treeat", "8000=408100 8108=408140 8120=4600000007", "{first = 7, second = 70}" },
	{ "treeat", "8000=408100 8108=408140 8148=408100 8120=4600000007", "members" },
	/* The colour has four bytes. The root of a tree is black, and the parent of its parent. */
	{ "treeat", "8000=408100 8100=ff00000000 8108=408140 8148=408100 8120=4600000007", "members" },
	{ "treeat", "8000=408100 8100=1000000 8108=408140 8148=408100 8120=4600000007", "{first = 7, second = 70}" },
	{ "treeat", "8000=408100 8108=409000 8120=4600000007", "members" }, { "treeat", "8000=408ff8 8ff8=1", "members" },
	{ "treeat", "8000=409000", "members" }, { "mtreeat", "8008=409000", "members" },
	{ "treeat", "8000=408100 8120=4600000007", "members" }, { "hashat", "8000=408100 8108=4600000007", "{first = 7, second = 70}" },
	{ "umap", "8010=408100 8018=2 8100=408120 8108=4600000007 8128=5a00000009", "std::unordered_map with 2 elements = {[7] = 70, [9] "
	  "= 90}" }, { "umap", "8010=408100 8018=3 8100=408120 8108=4600000007 8128=5a00000009", "members" }, { "hashat", "", "members" },
	/* 128 elements in a block: the last one of the first block, the first one of the second */
	{ "deque", "8000=4084fc 8008=408300 8018=408200 8020=408604 8028=408600 8038=408208 8200=408300 8208=408600 84f8=700000000 "
	  "8600=9", "std::deque with 2 elements = {7, 9}" },
	{ "deque", "8000=408300 8008=408300 8018=408200 8020=408300 8028=408300 8038=408200 8200=408300", "std::deque with 0 elements" },
	{ "deque", "8000=408300 8008=408300 8018=7f0000408202 8020=408300 8028=408300 8038=7f0000408202", "std::deque with 0 elements" },
	{ "ndeque", "", "members" }, { "lndeque", "8028=1", "members" }, { "mdeque", "", "std::deque with 0 elements" },
	{ "deque", "8000=408300 8008=408300 8018=408208 8020=408304 8028=408300 8038=408200", "members" },
	{ "deque", "8000=408300 8008=408300 8018=408200 8020=408304 8028=408300 8038=408204", "members" },
	{ "deque", "8000=408300 8008=408300 8018=408200 8020=408304 8028=408300 8038=20000408200", "members" },
	{ "deque", "8000=408304 8008=408300 8018=408200 8020=408300 8028=408300 8038=408200", "members" },
	{ "ldeque", "8008=409000 8028=10000000000", "std::deque with 1099511627776 elements = {<memory at 0x409000 is not in the dump>}" },
	{ "ldeque", "8008=408100 8020=10000000000 8028=1", "std::deque with 1 element = {<memory at 0x200408100 is not in the dump>}" },
	{ "ldeque", "8008=408100 8028=10000000001", "members" }, { "variant", "8000=ff00000007", "std::variant [no contained value]" },
	{ "ldeque", "8008=408100 8020=10000000001 8028=1", "members" }, { "vector", "8000=408108 8008=408100 8010=408110", "members" },
	{ "rmap", "8000=3 8008=408140 8018=1 8120=4600000007 8140=ffffff", "HashMap(size=1) = {[7] = 70}" },
	{ "rbytes", "8008=408100 8010=2 8100=201", "Vec(size=2) = {1, 2}" }, { "variant", "8000=7", "std::variant [index 0] = {7}" },
	{ "rnones", "8008=408100 8010=2", "members" }, { "tuple", "8000=700000001", "std::tuple containing = {[1] = 7, [2] = true}" },
	{ "rvec", "8008=408100 8010=10000000000", "members" }, { "rtext", "8008=408100 8010=10000000000", "members" },
	{ "rmap", "8000=3 8008=408140 8018=5 8140=0", "members" }, { "rslice", "8000=408100 8008=10000000000", "members" }, { "variant", "8000=100000041", "std::variant [index 1] = {65 'A'}" },
	{ "rstr", "8000=408100 8008=10000000000", "members" }, { "variant", "8000=200000007", "members" },
	{ "stack", "8000=4084fc 8008=408300 8018=408200 8020=408604 8028=408600 8038=408208 8200=408300 8208=408600 84f8=700000000 "
	  "8600=9", "std::deque with 2 elements = {7, 9}" },
	{ "deque", "8000=4084fc 8008=408300 8018=408200 8020=408604 8028=408600 8038=408200 8200=408300", "members" },
	{ "deque", "8000=408300 8008=408304 8018=408200 8020=408604 8028=408600 8038=408208", "members" },
	{ "vector", "8000=408100 8008=408108 8010=408110 8100=900000007", "std::vector of length 2, capacity 4 = {7, 9}" },
	{ "vector", "8000=408100 8008=408110 8010=408108", "members" }, { "vector", "8000=408100 8008=408106 8010=408110", "members" },
	{ "vector", "8000=408100 8008=408108 8010=408111", "members" }, { "vector", "", "std::vector of length 0, capacity 0" },
	{ "vector", "8010=8", "members" },
	/* Bits 62 to 64 of the words at 8100, which have room for 128 */
	{ "bits", "8000=408100 8008=3e 8010=408108 8018=1 8020=408110 8100=8000000000000000 8108=1", "std::vector<bool> of length 3, "
	  "capacity 128 = {false, true, true}" },
	{ "bits", "8000=408100 8010=408110 8018=1 8020=408110", "members" }, { "text", "8000=408010 8008=10 8010=6f6c6c6568", "members" },
	{ "bits", "8000=408100 8008=40 8010=408108 8018=1 8020=408110", "members" }, { "shared", "8000=408100 8008=409000", "members" },
	{ "text", "8000=408010 8008=5 8010=6f6c6c6568", "\"hello\"" }, { "shared", "", "std::shared_ptr<int> (empty) = {get() = 0x0}" },
	{ "text", "8000=408100 8008=5 8010=14 8100=6f6c6c6568", "\"hello\"" }, { "unique", "", "std::unique_ptr<int> = {get() = 0x0}" },
	{ "text", "8000=408100 8008=15 8010=14 8100=6f6c6c6568", "members" },
	{ "text", "8008=5 8010=14", "members" }, { "unique", "8000=408100 8100=7", "std::unique_ptr<int> = {get() = 0x408100}" },
	{ "view", "8000=5 8008=408100 8100=6f6c6c6568", "\"hello\"" },
	{ "shared", "8000=408100 8008=408108 8100=7 8110=200000002", "std::shared_ptr<int> (use count 2, weak count 1) = {get() = "
	  "0x408100}" },
	{ "shared", "8000=408100 8008=408108 8100=7 8110=100000000", "std::shared_ptr<int> (use count 0, weak count 1) = {get() = "
	  "0x408100}" },
	{ "optional", "8000=100000007", "std::optional<int> = {[contained value] = 7}" }, { "optional", "8000=200000007", "members" },
	{ "optional", "8000=7", "std::optional<int> [no contained value]" },
	/* libc++: a list's node has the one before first; a tree's left, right, parent, colour, element; a table's the hash second */
	{ "llist", "8000=408120 8008=408100 8010=2 8108=408120 8110=7 8128=408000 8130=9", "std::list with 2 elements = {[0] = 7, [1] = "
	  "9}" },
	{ "lmap", "8000=408140 8008=408100 8010=3 8100=408140 8108=408180 8110=408008 811c=4600000007 8150=408100 815c=3200000005 "
	  "8190=408100 819c=5a00000009", "std::map with 3 elements = {[5] = 50, [7] = 70, [9] = 90}" },
	{ "lumap", "8010=408100 8018=2 8100=408120 8110=4600000007 8130=5a00000009", "std::unordered_map with 2 elements = {[7] = 70, "
	  "[9] = 90}" },
	{ "ldeque", "8008=408100 8020=3ff 8028=2 8100=407300 8108=408200 8200=900000009 82f8=700000000", "std::deque with 2 elements = "
	  "{7, 9}" }, { "ldeque", "8008=408100 8020=1 8028=2 8100=408200 8200=700000005 8208=9", "std::deque with 2 elements = {7, 9}" },
	{ "lvector", "8000=408100 8008=408108 8010=408110 8100=900000007", "std::vector of length 2, capacity 4 = {7, 9}" },
	{ "lbits", "8000=408100 8008=3 8010=1 8100=5", "std::vector<bool> of length 3, capacity 64 = {true, false, true}" },
	{ "lbits", "8000=408100 8008=41 8010=1 8100=5", "members" }, { "lasttext", "8000=6f6c6c6568 8010=500000000000000", "\"hello\"" },
	{ "lshared", "8000=408100 8008=408108 8100=7 8110=1 8118=1", "std::shared_ptr<int> (use count 2, weak count 1) = {get() = "
	  "0x408100}" },
	{ "ltext", "8000=6f6c6c65680a", "\"hello\"" }, { "json", "8000=3 8008=408100 8100=408110 8108=2 8110=6968", "json = \"hi\"" },
	{ "ltext", "8000=21 8008=5 8010=408100 8100=6f6c6c6568", "\"hello\"" }, { "json", "8008=1", "json null" },
	{ "lasttext", "8000=408100 8008=5 8010=8000000000000006 8100=6f6c6c6568", "\"hello\"" }, { "json", "8000=9 8008=1", "members" },
	{ "lasttext", "8000=408100 8008=6 8010=8000000000000006 8100=6f6c6c6568", "members" }, { "json", "8000=4 8008=1", "json = true" },
	/* Microsoft's: a head without an element; a tree's left, parent, right */
	{ "mlist", "8000=408100 8008=2 8100=408120 8120=408140 8130=7 8140=408100 8150=9", "std::list with 2 elements = {[0] = 7, [1] = "
	  "9}" },
	{ "mumap", "8008=408100 8010=2 8100=408120 8120=408140 8130=7 8140=408100 8150=9", "std::unordered_map with 2 elements = {7, "
	  "9}" },
	{ "mmap", "8000=408100 8008=3 8100=408180 8108=408140 8110=4081c0 8140=408180 8148=408100 8150=4081c0 8158=700000000 8160=46 "
	  "8180=408100 8188=408140 8190=408100 8198=500000000 81a0=32 81c0=408100 81c8=408140 81d0=408100 81d8=900000000 81e0=5a",
	  "std::map with 3 elements = {[5] = 50, [7] = 70, [9] = "
	  "90}" }, { "mflist", "8000=408100 8100=408120 8108=7 8128=9", "std::forward_list = {[0] = 7, [1] = 9}" },
	{ "mflist", "", "empty std::forward_list" },
	/* Damaged trees: a left child that is its own, a parent that is not in the dump */
	{ "map", "8010=408140 8020=3 8110=408100 8158=408100", "members" },
	{ "map", "8010=408140 8020=3 8148=409000 8160=3200000005", "std::map with 3 elements = {[5] = 50, <memory at 0x409018 is not in "
	  "the dump>}" }, { "mtreeat", "8008=408100 8118=700000000 8120=46", "{first = 7, second = 70}" },
	{ "mtreeat", "8008=408100 8118=700000100 8120=46", "members" },
	/* A ring of two blocks with four elements each */
	{ "mdeque", "8008=408100 8010=2 8018=7 8020=2 8100=408200 8108=408240 8248=900000000 8200=7", "std::deque with 2 elements = {9, "
	  "7}" },
	{ "mdeque", "8008=408100 8020=2", "members" }, { "moptional", "8000=100000007", "std::optional<int> = {[contained value] = 7}" },
	{ "mtext", "8000=6f6c6c6568 8010=5 8018=f", "\"hello\"" }, { "mtext", "8000=408100 8010=5 8018=10 8100=6f6c6c6568", "\"hello\"" },
	{ "mtext", "8000=408100 8010=11 8018=10 8100=6f6c6c6568", "members" }, { "mvariant", "8000=7", "std::variant [index 0] = {7}" },
	{ "mtuple", "8000=700000001", "std::tuple containing = {[1] = 7, [2] = true}" },
	{ "widevariant", "8008=7", "std::variant [index 0] = {7}" }, { "tuple1", "8000=1", "std::tuple containing = {[1] = true}" },
	{ "widevariant", "8000=ffffffffffffffff", "std::variant [no contained value]" },
	{ "buffered", "8000=800000007", "std::variant [index 0] = {{first = 7, second = 8}}" },
	{ "mvariant", "8000=100000041", "std::variant [index 1] = {65 'A'}" },
	/* Characters of two and three bytes, capacities of strings */
	{ "text16", "8000=408010 8008=2 8010=690068", "u\"hi\"" }, { "lastbits", "8000=408100 8008=20 8010=8000000000000020", "members" },
	{ "text16", "8000=408010 8008=7 8010=690068", "u\"hi\\000\\000\\000\\000\\000\"" }, { "text24", "8000=408010 8008=1", "members" },
	{ "text16", "8000=408010 8008=8 8010=690068", "{_M_dataplus = {_M_p = 0x408010 u\"hi\"}, _M_string_length = 8, _M_local_buf = "
	  "u\"hi\\000\\000\\000\\000\\000\", _M_allocated_capacity = 6881384}" },
	{ "text16", "8000=408100 8008=8 8010=8 8100=690068", "u\"hi\\000\\000\\000\\000\\000\\000\"" }, { "ltext", "8000=2e", "members" },
	{ "text16", "8000=408100 8008=2 8010=7 8100=690068", "{_M_dataplus = {_M_p = 0x408100 u\"hi\"}, _M_string_length = 2, "
	  "_M_local_buf = u\"\\a\\000\\000\\000\\000\\000\\000\", _M_allocated_capacity = 7}" },
	{ "view24", "8000=1 8008=408100", "members" }, { "text", "8000=408100 8008=5 8010=10000000000 8100=6f6c6c6568", "members" },
	{ "view", "8000=10000000000 8008=408100", "members" }, { "bittext", "8000=21 8008=1f 8010=408100", "'\\000' <repeats 31 times>" },
	{ "mtext16", "8000=690068 8010=2 8018=7", "u\"hi\"" }, { "bits", "8000=408100 8008=2 8010=408100 8018=1 8020=408110", "members" },
	{ "mtext16", "8000=408100 8010=2 8018=8 8100=690068", "u\"hi\"" },
	{ "text", "8000=408100 8008=5 8010=f 8100=6f6c6c6568", "members" },
	{ "text", "8000=408100 8008=5 8010=10 8100=6f6c6c6568", "\"hello\"" }, { "ltext", "8000=21 8008=20 8010=408100", "members" },
	{ "text", "8000=408100 8008=5 8010=ffffffffff 8100=6f6c6c6568", "\"hello\"" }, { "bittext", "8000=6f6c6c65680a", "\"hello\"" },
	{ "ltext", "8000=2c", "'\\000' <repeats 22 times>" }, { "bits", "8000=408100 8010=408100 8018=40 8020=408110", "members" },
	{ "ltext", "8000=21 8008=1f 8010=408100", "'\\000' <repeats 31 times>" }, { "bittext", "8000=21 8008=20 8010=408100", "members" },
	{ "lastbits", "8000=6f6c6c6568 8010=500000000000000", "\"hello\"" }, { "lshared", "8008=408ff8", "members" },
	{ "lastbits", "8000=408100 8008=1f 8010=8000000000000020", "'\\000' <repeats 31 times>" }, { "tuple0", "", "empty std::tuple" },
	{ "lasttext", "8000=408100 8008=1f 8010=8000000000000020", "'\\000' <repeats 31 times>" }, { "*at", "8000=408100 8100=7", "7" },
	{ "lasttext", "8000=408100 8008=20 8010=8000000000000020", "members" }, { "mbits", "8000=408100 8010=408108 8018=41", "members" },
	{ "ltuple", "8000=800000007 8008=9", "std::tuple containing = {[1] = 7, [2] = {first = 8, second = 9}}" },
	{ "badtuple", "", "members" }, { "bits", "8000=408100 8010=408100 8020=408110", "std::vector<bool> of length 0, capacity 128" },
	{ "at", "8000=408100 8100=7", "7" }, { "at", "", "members" }, { "bits", "8000=408108 8010=408100 8018=1 8020=408110", "members" },
	{ "mbits", "8000=408100 8010=408108 8018=3 8100=5", "std::vector<bool> of length 3, capacity 64 = {true, false, true}" },
	{ "shared", "8000=408100 8008=408108 8100=7 8110=300000000", "std::shared_ptr<int> (use count 0, weak count 3) = {get() = "
	  "0x408100}" },
	{ "shared", "8000=408100 8008=408108 8100=7 8110=1", "std::shared_ptr<int> (use count 1, weak count 0) = {get() = 0x408100}" },
	{ "lshared", "8000=408100 8008=408108 8100=7 8110=ffffffffffffffff 8118=0", "std::shared_ptr<int> (use count 0, weak count 1) = "
	  "{get() = 0x408100}" },
	{ "shared", "8000=408100 8008=408108 8110=200000001", "std::shared_ptr<int> (use count 1, weak count 1) = {get() = 0x408100}" },
	{ "shared", "8000=408100 8008=408108 8110=100000001", "std::shared_ptr<int> (use count 1, weak count 0) = {get() = 0x408100}" },
	{ "bits", "8000=408100 8008=3f 8010=408108 8018=1 8020=408110", "std::vector<bool> of length 2, capacity 128 = {false, false}" },
	{ "bits", "8000=408100 8008=3d 8010=408100 8018=3f 8020=408110", "std::vector<bool> of length 2, capacity 128 = {false, false}" },
};

TEST_EACH(value, cases)
{
	const struct value_text_options options = { .reasons = true, .library = true }, plain = { .reasons = true };
	struct made made;

	made_open(&made, types, cases[i].memory);
	const struct value_expression found = value_expression_of(made.frame, 0, text_of(cases[i].text), NULL, &made.arena);
	const char *shown = found.wrong != NULL ? found.wrong : value_text(&found.value.value, &options, &made.arena);
	/* A value that fails a check is shown with its members. */
	if (*shown == '{' && strcmp(shown, value_text(&found.value.value, &plain, &made.arena)) == 0)
		shown = "members";
	is_str(shown, cases[i].shown, "%s with %s", cases[i].text, cases[i].memory);
	made_close(&made);
}

/* Types of other libraries with the same names, which have other members */
static const char *const others[] = {
	"basic_string<x>", "basic_string_view<x>", "vector<bool, x>", "vector<x>", "unique_ptr<x>", "shared_ptr<x>", "optional<x>",
	"list<x>", "forward_list<x>", "map<x>", "set<x>", "unordered_map<x>", "deque<x>", "tuple<x>", "variant<x>", "stack<x>", "String", "&str",
	"Vec<x>", "VecDeque<x>", "HashMap<x>", "HashSet<x>", "BTreeMap<x>", "BTreeSet<x>", "Rc<x>", "&dyn x", "&[x]", "string", "[]x",
	"basic_json<x>", "__normal_iterator<x>", "_Rb_tree_iterator<x>", "_Node_iterator<x>",
};

TEST_EACH(other, others)
{
	char type[60], variable[60];
	const char *const rows[] = { "int|i4", type, variable, NULL };
	struct library_value found;
	struct made made;

	snprintf(type, sizeof(type), "%s|{8|other@int@0|<int|<int", others[i]);
	snprintf(variable, sizeof(variable), "v|@8000|%s", others[i]);
	made_open(&made, rows, "");
	const struct value_expression of = value_expression_of(made.frame, 0, text_of("v"), NULL, &made.arena);
	ok(of.wrong == NULL && !library_value_of(&of.value.value, &made.arena, &found), "other members of %s", others[i]);
	made_close(&made);
}

/*
 * Where elements are. A node's element is aligned after its words: one of a forward list, and three with a byte in a tree of
 * libc++. Blocks of a deque have 512 bytes (libstdc++), 4096 or at least 16 elements (libc++), or 16 bytes (Microsoft).
 */
static const struct { const char *type; unsigned size, list, tree, each, llvm, microsoft; } layouts[] = {
	{ "char|c1", 1, 8, 25, 512, 4096, 16 }, { "short|i2", 2, 8, 26, 256, 2048, 8 }, { "int|i4", 4, 8, 28, 128, 1024, 4 },
	{ "[3]short|[3]short", 6, 8, 26, 85, 682, 2 }, { "word|u8", 8, 8, 32, 64, 512, 2 }, { "wide|f16", 16, 16, 32, 32, 256, 1 },
	{ "both|{12|a@short@0|b@int@4|c@char@8", 12, 8, 28, 42, 341, 1 }, { "deep|{32|a@char@0|b.c@wide@16", 32, 16, 32, 16, 128, 1 },
	{ "[255]char|[255]char", 255, 8, 25, 2, 16, 1 }, { "[256]char|[256]char", 256, 8, 25, 2, 16, 1 },
	/* The alignment of a member in more than eight structures is that of a word. */
	{ "dg|{1|a.b.c.d.e.f.g@char@0", 1, 8, 25, 512, 4096, 16 }, { "dh|{1|a.b.c.d.e.f.g.h@char@0", 1, 8, 32, 512, 4096, 16 },
	{ "[3]char|[3]char", 3, 8, 25, 170, 1365, 4 }, { "[5]char|[5]char", 5, 8, 25, 102, 819, 2 },
	{ "[9]char|[9]char", 9, 8, 25, 56, 455, 1 }, { "[17]char|[17]char", 17, 8, 25, 30, 240, 1 },
	{ "[272]char|[272]char", 272, 8, 25, 1, 16, 1 }, { "[257]char|[257]char", 257, 8, 25, 1, 16, 1 },
	{ "[512]char|[512]char", 512, 8, 25, 1, 16, 1 }, { "[600]char|[600]char", 600, 8, 25, 1, 16, 1 },
};

TEST_EACH(layout, layouts)
{
	char name[40], row[14][200], memory[600];
	const char *rows[24] = { "word|u8", "char|c1", "short|i2", "int|i4", "wide|f16", "*word|*word" };
	const unsigned size = layouts[i].size;
	size_t count = 6, used = 0;
	struct made made;

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(layouts[i].type, "|"), layouts[i].type);
#define ROW(...) (snprintf(row[used], sizeof(row[0]), __VA_ARGS__), rows[count++] = row[used++])
	if (strchr("[bd", name[0]) != NULL)
		ROW("%s", layouts[i].type);
	ROW("*E|*%s", name);
	rows[count++] = "**E|**E";
	ROW("forward_list<E>|{8|_M_impl._M_head._M_next@*word@0|<%s", name);
	ROW("tree|{24|__begin_node_@*word@0|__end_node_@word@8|__size_@word@16|<%s", name);
	rows[count++] = "set<E>|{24|__tree_@tree@0";
	rows[count++] = "iter|{32|_M_cur@*E@0|_M_first@*E@8|_M_node@*word@24";
	rows[count++] = "deque<E>|{80|_M_impl._M_start@iter@0|_M_impl._M_finish@iter@32";
	rows[count++] = "deque<E, llvm>|{48|__map_.__begin_@**E@8|__start_@word@32|__size_@word@40";
	rows[count++] = "deque<E, ms>|{40|_Mypair._Myval2._Map@**E@8|_Mypair._Myval2._Mapsize@word@16|_Mypair._Myval2._Myoff@word@24"
			"|_Mypair._Myval2._Mysize@word@32";
	rows[count++] = "a|@8000|forward_list<E>", rows[count++] = "b|@8010|set<E>", rows[count++] = "c|@8030|deque<E>";
	rows[count++] = "d|@8080|deque<E, llvm>", rows[count++] = "e|@80b0|deque<E, ms>";
	/* The first element of a deque is the last one of its first block. */
	snprintf(memory, sizeof(memory), "8000=408800 8010=408800 8020=1 8030=%x 8038=500000 8048=408900 8050=%x 8058=600000 8068=408908 8088=408900 "
		 "80a0=%x 80a8=2 80b8=408900 80c0=2 80c8=%x 80d0=2 8900=500000 8908=600000", 0x500000 + (layouts[i].each - 1) * size,
		 0x600000 + size, layouts[i].llvm - 1, layouts[i].microsoft - 1);
	made_open(&made, rows, memory);
	const uint64_t wanted[][2] = {
		{ 0x408800 + layouts[i].list, 0 }, { 0x408800 + layouts[i].tree, 0 }, { 0x500000 + (layouts[i].each - 1) * size, 0x600000 },
		{ 0x500000 + (layouts[i].llvm - 1) * size, 0x600000 }, { 0x500000 + (layouts[i].microsoft - 1) * size, 0x600000 },
	};
	for (size_t at = 0; at < 5; at++) {
		const char one[] = { (char)('a' + at), '\0' };
		const struct value_expression of = value_expression_of(made.frame, 0, text_of(one), NULL, &made.arena);
		struct library_value found = { 0 };

		if (!ok(of.wrong == NULL && library_value_of(&of.value.value, &made.arena, &found) && found.item_count == 1 + (at > 1),
			"container %s of %s has its elements", one, name))
			continue;
		for (size_t item = 0; item < found.item_count; item++)
			is_u64(found.items[item].address, wanted[at][item], "element %zu of container %s of %s", item, one, name);
	}
	made_close(&made);
}

/* The owner of a lock, and the class of an object. Functions and virtual tables are from 402000 on. */
static const char *const object_types[] = {
	"int|i4", "u8|u1", "word|u8", "*word|*word", "mutex|(40|__data.__lock@int@0|__data.__owner@int@8", "*mutex|*mutex",
	"&mutex|&mutex", "rwlock|(56|__data.__readers@int@0|__data.__cur_writer@int@24",
	"both|(40|__data.__lock@int@0|__data.__readers@int@4|__data.__cur_writer@int@8", "std_mutex|{40|_M_mutex@mutex@0",
	"*std_mutex|*std_mutex", "shared_mutex|{56|_M_impl._M_rwlock@rwlock@0", "*shared_mutex|*shared_mutex",
	"unique_lock|{16|_M_device@*std_mutex@0", "shared_lock|{16|_M_pm@*shared_mutex@0", "*unique_lock|*unique_lock",
	"guard|{8|_M_device@&mutex@0", "section|{40|RecursionCount@int@12|OwningThread@*word@16", "rust|{8|inner.futex.v.value@int@0",
	"newer|{8|inner.futex.value.value@int@0", "llvm|{40|__m_@mutex@0", "plain|{8|a@int@0", "*plain|*plain",
	"m|@8000|mutex", "rw|@8000|rwlock", "b|@8000|both", "sm|@8000|std_mutex", "shm|@8000|shared_mutex",
	"ul|@8000|unique_lock", "sl|@8000|shared_lock", "pul|@8000|*unique_lock", "g|@8000|guard", "cs|@8000|section", "r|@8000|rust",
	"n|@8000|newer", "l|@8000|llvm", "pm|@8000|*mutex",
	/* Classes: the pointer to the virtual table may be in a base. */
	"Base|{8|_vptr.Base@*word@0", "*Base|*Base", "Derived|{24|^@Base@0|x@int@8|y@int@12", "*Derived|*Derived",
	"Second|{16|s@int@~|_vptr$Second@*word@0|z@int@8", "*Second|*Second", "Late|{16|z@int@0|_vptr.Late@*word@8", "*Late|*Late",
	"Plain|{16|^@plain@0|_vptr.Plain@*word@8", "*Plain|*Plain", "Virtual|{16|^@Base@!1206481c0622|_vptr.V@*word@0",
	"*Virtual|*Virtual", "base|@8000|*Base", "derived|@8000|*Derived", "second|@8000|*Second", "late|@8000|*Late",
	"ofplain|@8000|*Plain", "ofvirtual|@8000|*Virtual", "*int|*int", "number|@8000|*int", "lost|_|*Base", "vtable for Derived|+2000",
	"vtable for Unknown|+2100", "const Derived::`vftable'|+2200", "const Derived::`vftable'{for `Base'}|+2300", "Derived|+2400",
	"const Derived|+2500", "p|@8000|plain", "pp|@8000|*plain", "i|@8000|int", "gone|_|mutex", "dead|!1080a08202|mutex",
	NULL
};

static const struct {
	const char *name, *memory, *shown;
} locks[] = {
	{ "m", "", "free 0 0" }, { "cs", "8008=100000000 8010=2a", "held by 42 0" }, { "cs", "8008=ffffffff00000000 8010=2a", "no lock" },
	{ "m", "8000=1 8008=2a", "held by 42 0" }, { "rw", "8018=2a", "written by 42 0" }, { "l", "8000=1 8008=2a", "held by 42 0" },
	{ "m", "8000=1", "held 0 0" }, { "rw", "8000=7", "free 0 0" }, { "b", "8004=10", "read 0 2" }, { "cs", "8010=2a", "no lock" },
	{ "m", "8008=2a", "no lock" }, { "r", "8000=1", "held 0 0" }, { "r", "8000=2", "held 0 0" }, { "n", "8000=1", "held 0 0" },
	{ "pm", "8000=408100 8100=1 8108=2a", "held by 42 0" }, { "pul", "8000=408100 8100=408200 8200=1 8208=2a", "held by 42 0" },
	{ "pm", "", "no lock" }, { "ul", "", "no lock" }, { "cs", "", "free 0 0" }, { "r", "", "free 0 0" }, { "i", "", "no lock" },
	{ "pm", "8000=409000", "no lock" }, { "rw", "8000=ffffffff", "read 0 536870911" }, { "rw", "8000=1c 8018=7", "written by 7 3" },
	{ "rw", "", "free 0 0" }, { "r", "8000=3", "no lock" }, { "gone", "", "no lock" }, { "dead", "", "no lock" },
	{ "rw", "8000=8", "read 0 1" }, { "cs", "8008=100000000", "no lock" }, { "p", "", "no lock" }, { "pp", "8000=408100", "no lock" },
	{ "sm", "8000=1 8008=2a", "held by 42 0" }, { "shm", "8018=2a", "written by 42 0" }, { "sl", "8000=408100 8100=10", "read 0 2" },
	{ "ul", "8000=408100 8100=1 8108=2a", "held by 42 0" }, { "g", "8000=408100 8100=1 8108=2a", "held by 42 0" },
};

TEST_EACH(lock, locks)
{
	static const char *const uses[] = { "free", "held", "written", "read" };
	struct lock_value lock;
	struct made made;

	made_open(&made, object_types, locks[i].memory);
	const struct value_expression of = value_expression_of(made.frame, 0, text_of(locks[i].name), NULL, &made.arena);
	const char *shown = "no lock";
	if (of.wrong != NULL)
		shown = of.wrong;
	else if (lock_value_of(&of.value.value, &made.arena, &lock))
		shown = arena_format(&made.arena, "%s%s %" PRIu64 " %" PRIu64, uses[lock.use],
				     lock.has_owner ? " by" : "", lock.owner, lock.readers);
	is_str(shown, locks[i].shown, "lock %s with %s", locks[i].name, locks[i].memory);
	made_close(&made);
}

static const struct {
	const char *name, *memory, *shown;
} objects[] = {
	/* The number at 402000 is the distance from the table's part to the whole object. */
	{ "base", "8000=408100 8100=402010", "Derived at 408100, a known type" }, { "base", "8000=408100 8100=402010 2000=8", "unknown" },
	{ "base", "8000=408100 8100=402010 2000=fffffffffffffff0", "Derived at 4080f0, a known type" }, { "base", "", "unknown" },
	{ "base", "8000=408100 8100=402010 2000=ffffffff80000001", "Derived at ffffffff80408101, a known type" },
	{ "base", "8000=408100 8100=402010 2000=ffffffff80000000", "unknown" }, { "late", "8000=408100 8100=402010", "unknown" },
	{ "base", "8000=408100 8100=402008", "unknown" }, { "derived", "8000=408100 8100=402010", "Derived at 408100, a known type" },
	{ "base", "8000=408100 8100=402030", "Derived at 408100, a known type" }, { "base", "8000=408100 8100=402410", "unknown" },
	{ "base", "8000=408100 8100=402018", "Derived at 408100, a known type" }, { "base", "8000=408100 8100=408200", "unknown" },
	{ "base", "8000=408100 8100=402110", "Unknown at 408100, an unknown type" }, { "ofplain", "8000=408100 8100=402010", "unknown" },
	{ "base", "8000=408100 8100=402200", "unknown" }, { "second", "8000=408100 8100=402010", "Derived at 408100, a known type" },
	{ "base", "8000=409000", "unknown" }, { "lost", "", "unknown" },
	{ "ofvirtual", "8000=408100 8100=402010", "Derived at 408100, a known type" }, { "number", "8000=408100 8100=402010", "unknown" },
	/* Visual C++ */
	{ "w base", "8000=408100 8100=402200 21f8=408300 8300=0", "Derived at 408100, a known type" },
	{ "w base", "8000=408100 8100=402300 22f8=408300 8300=800000000", "Derived at 4080f8, a known type" },
	{ "w pp", "8000=408100 8100=402200 21f8=408300 8300=800000000", "Derived at 4080f8, a known type" },
	{ "w base", "8000=408100 8100=402208 2200=408300", "unknown" }, { "w base", "8000=408100 8100=402200 21f8=409000", "unknown" },
	{ "w base", "8000=408100 8100=402010", "Derived at 408100, a known type" },
	{ "w base", "8000=408100 8100=402500 24f8=408300", "unknown" },
	{ "w base", "8000=408100 8100=402200 21f8=408300 8300=7fffffff00000000", "Derived at ffffffff80408101, a known type" },
	{ "w base", "8000=408100 8100=402200 21f8=408300 8300=8000000000000000", "unknown" },
};

TEST_EACH(object, objects)
{
	const bool windows = strncmp(objects[i].name, "w ", 2) == 0;
	struct dynamic_type found;
	struct made made;

	made_open(&made, object_types, objects[i].memory);
	made.staged.crash.system.os = windows ? CRASH_OS_WINDOWS : CRASH_OS_LINUX;
	const struct value_expression of = value_expression_of(made.frame, 0, text_of(objects[i].name + 2 * windows), NULL, &made.arena);
	const char *shown = "unknown";
	if (of.wrong == NULL && dynamic_type_of(&of.value.value, &made.arena, &found))
		shown = arena_format(&made.arena, "%s at %" PRIx64 ", %s", found.name, found.address,
				     found.type != NULL ? "a known type" : "an unknown type");
	is_str(shown, objects[i].shown, "object %s with %s", objects[i].name, objects[i].memory);
	made_close(&made);
}
