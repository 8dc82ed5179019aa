// What a resource is in a live stack.
#pragma once

#include <cstdint>

namespace hearth::metadata::live {

enum class Role : std::uint8_t {
  plain,           ///< complete as soon as it is created; updated in place
  fixed,           ///< as plain, but never updated: a change makes a new one
  server,          ///< has metadata that an agent polls
  deployment,      ///< waits for a signal of the agent of its server
  nested,          ///< a stack of its own
  wait_handle,     ///< collects signals
  wait_condition,  ///< waits for a number of signals at a handle
};

}  // namespace hearth::metadata::live
