/*
 * A shop closes its till for the day. One account has no ledger to post to.
 *
 * Receipts are printed before accounts are settled, so the stack still holds where receipts came
 * from when settle() makes room for its own lists there.
 */
struct ledger {
	long balance;
	long entries;
};

struct account {
	const char *owner;
	long cents;
	struct ledger *ledger;
};

static struct ledger cash, card;
static struct account accounts[] = {
	{ "cash", 129900, &cash },
	{ "card", 487350, &card },
	{ "voucher", 2500, 0 },
};

static volatile long printed;

__attribute__((noinline)) static void
print_line(const char *text, long cents)
{
	volatile long width[6] = { 0 };

	while (text[width[0]] != '\0')
		width[0]++;
	printed += width[0] + cents % 10;
}

__attribute__((noinline)) static void
print_receipt(const struct account *account)
{
	volatile char title[24];

	for (int i = 0; account->owner[i] != '\0'; i++)
		title[i] = account->owner[i];
	print_line(account->owner, account->cents);
	print_line("total", account->cents + title[0]);
}

__attribute__((noinline)) static void
post(struct ledger *ledger, long cents)
{
	ledger->balance += cents;
	ledger->entries++;
}

__attribute__((noinline)) static long
settle(struct account *list, int count)
{
	volatile long posted[12];
	long sum = 0;

	for (int i = 0; i < count; i++) {
		post(list[i].ledger, list[i].cents);
		posted[i] = list[i].cents;
		sum += posted[i];
	}
	return sum;
}

__attribute__((noinline)) static long
close_day(struct account *list, int count)
{
	for (int i = 0; i < count; i++)
		print_receipt(&list[i]);
	return settle(list, count);
}

int
main(void)
{
	return close_day(accounts, 3) > 0 ? 0 : 1;
}
