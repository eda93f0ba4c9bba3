// SPDX-License-Identifier: GPL-3.0-or-later
// Functions whose linker's names are not their own: folded ones, thunks, templates; make-folded says how it is compiled.
extern "C" { volatile int one = 1; int _fltused; void __main() {} int __cxa_pure_virtual() { return 0; } int _purecall() { return 0; } }
#define APART __attribute__((noinline))
namespace shop {
inline int scaled(int count)
{
	return count * 3 + one;
}
template <class T> struct shelf {
	T items[4];
	int used;
	APART shelf() : used(one) {}
	APART ~shelf() { used = 0; }
	APART void put(T item) { items[used++ & 3] = item; }
};
struct priced { virtual int price(int) = 0; };
struct weighed { virtual int weight(int) = 0; };
struct thing : priced, weighed {
	int price(int count) override;
	int weight(int count) override;
};
int thing::price(int count) { return scaled(count) + 5; }
int thing::weight(int count)
{
	int all = 0;
	for (int i = 0; i < count; i++)
		all += scaled(i);
	return all;
}
APART int weighs(int a) { return a * 7 + one; }
APART int costs(int a) { return a * 7 + one; }
static APART int hidden(int a) { return a * 9 - one; }
APART int open(int a) { return a * 9 - one; }
int tail(int a) { return scaled(a); }
}
extern "C" int entry(int count)
{
	shop::shelf<char *> names;
	shop::shelf<int *> numbers;
	shop::thing thing;
	shop::priced *volatile priced = &thing;
	shop::weighed *volatile weighed = &thing;
	int number = priced->price(count) + weighed->weight(count);

	names.put((char *)"a");
	numbers.put(&number);
	return number + shop::weighs(count) + shop::costs(number) + shop::hidden(number) + shop::open(count) + shop::tail(count);
}
