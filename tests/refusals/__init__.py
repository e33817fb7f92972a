"""Every request of a client is refused, cut off, answered late or not at all: the generator of these cases and its
tests.

A case takes one workload (a producer, a member of a group, an administrator) on a cluster of its own, and does one
thing to one kind of its requests: once, or for some seconds. The workload's calls keep their time-outs, its requests
keep a pace, and when the fault has ended it goes on by itself: with the same client, unless an error said that this one
is lost.

`python -m tests.refusals` runs all cases (`make refusals`), or those that it is given, and says what each did.
"""
