#include "base/error.hpp"

#include <cerrno>
#include <cstring>

#include "base/limits_hint.hpp"
#include "base/text.hpp"

namespace hearth {

Error::Error(ErrorKind kind, const std::string& message, int exit_code)
    : std::runtime_error(message), kind_(kind), exit_code_(exit_code) {}

Error Error::from_errno(std::string_view operation, std::string_view object, int error_number) {
  Error error(ErrorKind::io, cat(operation, " ", object, ": ", std::strerror(error_number)));
  error.errno_ = error_number;
  if (error_number == ENOMEM) error.hint(k_limits_hint);
  return error;
}

Error& Error::during(std::string frame) {
  frames_.push_back(std::move(frame));
  return *this;
}

Error& Error::hint(std::string text) {
  hint_ = std::move(text);
  return *this;
}

int Error::exit_code() const {
  if (exit_code_ != 0) return exit_code_;
  switch (kind_) {
    case ErrorKind::usage: return 2;
    case ErrorKind::interrupted: return 130;
    default: return 1;
  }
}

std::string Error::story() const {
  std::string text = what();
  for (const std::string& frame : frames_) text += cat("\n  while ", frame);
  if (!hint_.empty()) text += cat("\n  ", hint_);
  return text;
}

}  // namespace hearth
