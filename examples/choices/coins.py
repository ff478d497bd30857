"""Two coins, and what they show: `mayhap explore --cmd 'python3 examples/choices/coins.py'`."""

from choices import choose

heads = choose("first coin", 2) + choose("second coin", 2)
print(f"{heads} of 2 show heads")
