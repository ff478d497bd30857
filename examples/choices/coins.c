/* Two coins, and what they show: cc -o coins coins.c && mayhap explore --cmd ./coins */

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int choose(const char *label, int arity) {
    const char *number = getenv("MAYHAP_CHOICES");
    int channel = number ? atoi(number) : 3;
    char answer[32];
    ssize_t length;
    dprintf(channel, "choose %s %d\n", label, arity);
    length = read(channel, answer, sizeof answer - 1);
    if (length <= 0)
        _exit(1); /* the run ends here */
    answer[length] = 0;
    return atoi(answer);
}

int main(void) {
    int heads = choose("first coin", 2) + choose("second coin", 2);
    printf("%d of 2 show heads\n", heads);
    return 0;
}
