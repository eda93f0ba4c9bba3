/* ledger: add up as many accounts as a file has numbers. Nobody asks how many there are. */
#include <stdio.h>
#include <windows.h>

struct account { int id, debit, credit; };
typedef void (*visitor)(const struct account *);
static struct account cash = { 1, 25, 100 }, bank = { 2, 0, 100 }, *accounts[16] = { &cash, &bank };

static int
balance_of(const struct account *account)
{
	return account->credit - account->debit;
}

static int
add_up(struct account **list, int count)
{
	int sum = 0;

	for (int i = 0; i < count; i++)
		sum += balance_of(list[i]);
	return sum;
}

static void
print_account(const struct account *account)
{
	printf("%6d %8d\n", account->id, account->credit - account->debit);
}

static int
read_ledger(const char *path)
{
	visitor visit = print_account;
	FILE *file = fopen(path, "r");
	int count = 0, id;

	while (file != NULL && count < 16 && fscanf(file, "%d", &id) == 1)
		count++;
	int total = add_up(accounts, count);
	for (int i = 0; i < count; i++)
		visit(accounts[i]);
	return total;
}

static DWORD WINAPI
autosave(void *minutes)
{
	for (;;)
		Sleep(*(DWORD *)minutes * 60000);
}

int
main(int argc, char **argv)
{
	DWORD minutes = 5;

	CreateThread(NULL, 0, autosave, &minutes, 0, NULL);
	return argc < 2 || read_ledger(argv[1]) < 0;
}
