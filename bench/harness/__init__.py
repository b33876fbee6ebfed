"""Takes emitted C, gives what it computes, how many operations that is, and how long it runs."""
