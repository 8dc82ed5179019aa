// Error: what effectful code throws. It names the operation, the object and the reason; callers on the way up add
// a frame ("while building hello") instead of logging. Pure parsers return Result (base/result.hpp) instead.
#pragma once

#include <cerrno>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace hearth {

/// What went wrong, as far as a caller or an exit code needs to know.
enum class ErrorKind {
  usage,        ///< the command line is wrong (exit 2)
  input,        ///< a file, element or value that the user gave is wrong (exit 1)
  not_found,    ///< something that should exist does not (exit 1)
  external,     ///< a program that we ran failed (exit: its own code where there is one, else 1)
  io,           ///< the operating system refused (exit 1)
  unsupported,  ///< understood, but this machine or version can't do it (exit 1)
  interrupted,  ///< stopped by a signal (exit 130)
};

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message, int exit_code = 0);

  /// An Error for a failed system call: "OPERATION OBJECT: REASON". Pass errno as it was on the line after the call.
  [[nodiscard]] static Error from_errno(std::string_view operation, std::string_view object, int error_number = errno);

  /// Adds an outer context line; returns *this so that `throw error.during("…")` reads well.
  Error& during(std::string frame);
  /// Adds the line that tells the user what to do next.
  Error& hint(std::string text);

  [[nodiscard]] ErrorKind kind() const { return kind_; }
  [[nodiscard]] int system_error() const { return errno_; }
  /// Process exit code for this error (see ErrorKind); a non-zero code given at construction wins.
  [[nodiscard]] int exit_code() const;
  /// The whole story for a person: message, then a "while …" line per frame, then the hint.
  [[nodiscard]] std::string story() const;
  [[nodiscard]] const std::vector<std::string>& frames() const { return frames_; }

 private:
  ErrorKind kind_;
  int errno_ = 0;
  int exit_code_ = 0;
  std::vector<std::string> frames_;
  std::string hint_;
};

}  // namespace hearth
