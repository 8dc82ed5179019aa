// How much of the machine this process may take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>

namespace hearth {

/// Files and connections: raises the soft limit to `wanted`, as far as the hard one lets it: that of 1024 is for
/// programs that use select(2).
void allow_descriptors(std::size_t wanted);

/// How many threads can run at once: the processors that this process may use (sched_getaffinity(2)), which in a
/// container or under taskset(1) are fewer than the machine has. At least 1.
[[nodiscard]] unsigned usable_processors();

/// Bytes of memory that the kernel would give without pushing anything out (MemAvailable); 0 when it does not say.
[[nodiscard]] std::uint64_t available_memory();

/// What an exception that is no Error means to a user: where the system refused memory or a thread, that, and which
/// limits to look at; where it refused a file, which and why; else a fault of ours.
[[nodiscard]] std::string describe_unexpected(const std::exception& error);

}  // namespace hearth
