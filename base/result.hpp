// Result<T, E>: the outcome of parsing input that may well be hostile, shaped like std::expected (which GCC 12 lacks).
// ParseError says where in which input. Use value_or_throw() where a bad input ends the operation.
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

#include "base/error.hpp"

namespace hearth {

/// A position in a text: 1-based line and column; 0 means unknown.
struct Position {
  int line = 0;
  int column = 0;
  bool operator==(const Position&) const = default;
};

struct ParseError {
  std::string source;  ///< file name, or what the text is ("--metadata")
  Position at;
  std::string what;

  /// "SOURCE:LINE:COLUMN: WHAT", leaving out what is not known.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] Error to_error() const { return Error(ErrorKind::input, text()); }
  bool operator==(const ParseError&) const = default;
};

template <class T, class E = ParseError>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT(google-explicit-constructor)
  Result(E error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  [[nodiscard]] const T& value() const& { return std::get<0>(state_); }
  [[nodiscard]] T& value() & { return std::get<0>(state_); }
  [[nodiscard]] T&& value() && { return std::get<0>(std::move(state_)); }
  const T& operator*() const { return value(); }
  const T* operator->() const { return &value(); }
  [[nodiscard]] const E& error() const { return std::get<1>(state_); }

  /// The value, or the error thrown as an Error.
  [[nodiscard]] T value_or_throw() && {
    if (!ok()) throw error().to_error();
    return std::get<0>(std::move(state_));
  }

 private:
  std::variant<T, E> state_;
};

}  // namespace hearth
