/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A booking that fails: no seat is left, nothing catches the exception, and the handler of SIGABRT
 * that should write a report uses a log that was never opened.
 */
#include <csignal>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>

struct fare {
	int cents = 9900;
	virtual ~fare() = default;
	virtual int price(int seats) const { return cents * seats; }
};

struct group_fare : fare {
	int discount = 15;
	int price(int seats) const override { return fare::price(seats) * (100 - discount) / 100; }
};

struct no_seats : std::runtime_error {
	int wanted;
	no_seats(const std::string &flight, int wanted)
		: std::runtime_error("no seats left on " + flight), wanted(wanted) {}
};

struct log {
	int lines;
};
static log *journal;

static void write_report(int number)
{
	journal->lines = number;
}

static int book(std::map<std::string, int> &seats, const char *flight, const fare *kind, int wanted)
{
	int left = seats[flight];

	if (left < wanted)
		throw no_seats(flight, wanted);
	seats[flight] = left - wanted;
	return kind->price(wanted);
}

int main(int count, char **arguments)
{
	std::map<std::string, int> seats = { { "OS 87", 4 }, { "OS 91", 120 }, { "OS 97", 33 } };
	group_fare group;
	int paid = 0;

	std::signal(SIGABRT, write_report);
	for (int i = 1; i < count; i++)
		paid += book(seats, arguments[i], &group, 12);
	std::printf("%d\n", paid);
	return 0;
}
