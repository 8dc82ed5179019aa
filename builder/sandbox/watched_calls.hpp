// The system calls that StepWatch is told of, by each architecture's numbers: the filter that tells of them, and what
// one that was told of is about.
#pragma once

#include <fcntl.h>

#include <string>
#include <vector>

#include "base/sys/fd.hpp"

struct seccomp_notif;  // linux/seccomp.h

namespace hearth::builder {

/// A path of a call.
struct FileRequest {
  enum class For { content, run, look, elsewhere, name };  ///< name: it gets another one

  std::string path;          ///< as it was given; empty = no such call
  int directory = AT_FDCWD;  ///< where it begins when it is relative
  For what = For::content;
};

/// Has the kernel tell of the calls of this thread, and of all that it starts, to whoever reads what is returned; none,
/// with errno, where it can't.
[[nodiscard]] Fd watch_calls(bool network, bool reads);
/// The socket's address that the call names; empty when it names none.
[[nodiscard]] std::string named_address(const seccomp_notif& call);
/// All paths that the call reads, asks for, or shows somewhere else.
[[nodiscard]] std::vector<FileRequest> requests_of(const seccomp_notif& call);

}  // namespace hearth::builder
