// SPDX-License-Identifier: GPL-3.0-or-later
// What throw writes for the type of an exception, without any library; make-thrown says how it is compiled.
__asm__(".section .rdata\n.globl \"??_7type_info@@6B@\"\n\"??_7type_info@@6B@\":\n.quad 0\n.text");
extern "C" __attribute__((noreturn, noinline, optnone)) void __stdcall _CxxThrowException(void *, void *) { for (;;) __asm__ volatile("nop"); }
namespace std {
class exception { public: virtual const char *what() const { return text; } const char *text; bool owned; };
class runtime_error : public exception { };
}
namespace app { template <class T> class failed : public std::runtime_error { T value; }; }
extern "C" int entry(int choice)
{
	if (choice == 1)
		throw 42;
	if (choice == 2)
		throw "text";
	app::failed<long> what;
	what.text = "no seats left";
	throw what;
}
