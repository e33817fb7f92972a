"""Random programs: sequences of calls that aiokafka and its face run, each on a broker of its own, and that must see
the same.

`reading` has one consumer that takes its partitions by itself, `grouping` members of a group, `producing` producers and
their transactions; `playing` runs a program on both sides and compares. Short form: `test_aiokafka_programs.py`. Long
form: `make face-programs`, or `python -m tests.compat.differential.aiokafka_programs FIRST_SEED COUNT [KIND...]`, which
shows each program that differs, with the steps left out that do not matter.
"""
