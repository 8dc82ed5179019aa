// How deep calls may still nest: what a template says decides how deep its evaluation calls itself, and a stack that
// runs over ends the process.
#pragma once

#include <cstddef>

namespace hearth::metadata {

/// Bytes that are left of this thread's stack (pthread_getattr_np(3); the main thread's follows `ulimit -s`).
[[nodiscard]] std::size_t call_room();

/// With less than that no further resource is evaluated inside others: one function's own calls (yaql, Jinja, patterns)
/// need some of it.
inline constexpr std::size_t k_least_call_room = std::size_t{1} << 20U;
/// With less than that no further function is called.
inline constexpr std::size_t k_last_call_room = std::size_t{1} << 18U;

}  // namespace hearth::metadata
