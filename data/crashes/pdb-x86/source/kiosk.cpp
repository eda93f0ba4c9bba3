/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kiosk: count what the tickets of a day were worth. One roll of tickets was never put in. */
#define NOINLINE __attribute__((noinline))
#define INLINE __attribute__((always_inline)) inline

namespace kiosk {

struct ticket {
	const int *price;
	int sold;
};

class roll {
	const ticket *tickets;
	int count;

	INLINE int worth(int i) const
	{
		return *tickets[i].price * tickets[i].sold;
	}

public:
	roll(const ticket *of, int n) : tickets(of), count(n) { }

	NOINLINE int total(int discount) const
	{
		int sum = 0;

		for (int i = 0; i < count; i++)
			sum += worth(i) - discount;
		return sum;
	}
};

NOINLINE int __stdcall
evening(const roll &rolls, int discount, int days)
{
	int sum = 0;

	while (days-- > 0)
		sum += rolls.total(discount);
	return sum;
}

INLINE int
half_price(const roll &rolls, int days)
{
	return evening(rolls, 5, days) / 2;
}

NOINLINE int
close_day(const ticket *tickets, int count)
{
	volatile int till[12];
	roll rolls(tickets, count);

	for (int i = 0; i < 12; i++)
		till[i] = i * 100;
	till[count] += half_price(rolls, 2);
	return till[count] + till[11];
}

} // namespace kiosk

static int prices[] = { 250, 180 };
static kiosk::ticket tickets[] = { { &prices[0], 3 }, { &prices[1], 1 }, { 0, 7 } };

extern "C" int
start(void)
{
	return kiosk::close_day(tickets, 3) < 0;
}
