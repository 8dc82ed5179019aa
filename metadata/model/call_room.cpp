#include "metadata/model/call_room.hpp"

#include <pthread.h>

#include <cstdint>

namespace hearth::metadata {

namespace {

/// The lowest address of this thread's stack; 0 where the system doesn't tell.
std::uintptr_t lowest_address() {
  pthread_attr_t attributes;
  if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) return 0;
  void* lowest = nullptr;
  std::size_t size = 0;
  ::pthread_attr_getstack(&attributes, &lowest, &size);
  ::pthread_attr_destroy(&attributes);
  return reinterpret_cast<std::uintptr_t>(lowest);
}

}  // namespace

std::size_t call_room() {
  thread_local const std::uintptr_t lowest = lowest_address();
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  return here > lowest ? here - lowest : 0;
}

}  // namespace hearth::metadata
