// The heap of the program hearth: gperftools' allocator, which is linked from its archive (CMakeLists.txt), and what it
// needs.
//
// A seed keeps small objects of all its nodes for months, and makes and drops others between them for each question. In
// a hall of 100,000 nodes glibc's allocator took half of all time to look through what was free. What was left then was
// the machine's own look-up: a heap of 1 GB in pages of 4 KB is 300,000 of them, and each time that the program wakes
// up under a hypervisor which keeps page tables in software, they are gone through (0.7 ms a time; 0.07 in pages of 2
// MB). So what a heap grows by beyond its first 64 MB is asked for in large pages. Commands for people stay below that,
// and small.
#pragma once

namespace hearth::bootstrap {

/// From now on. For the start of main(), once.
void grow_in_large_pages();

}  // namespace hearth::bootstrap
