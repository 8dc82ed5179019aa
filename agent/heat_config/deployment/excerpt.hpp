// A flood of lines in bounded room: the first ones pass as they come; of the rest the last ones are kept for the end.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace hearth::agent {

class Excerpt {
 public:
  using Sink = std::function<void(std::string_view)>;
  /// `first` and `last` are bytes, with 64 for each line besides its own: what is written in front of it.
  Excerpt(std::size_t first, std::size_t last, Sink sink) : left_(first), last_(last), sink_(std::move(sink)) {}

  void line(std::string_view text);
  /// Hands over the last lines, behind one that says how many bytes are left out. Then it begins anew, without room.
  void finish();

 private:
  void cut_kept();

  std::size_t left_;
  std::size_t last_;
  Sink sink_;
  bool full_ = false;
  std::string kept_;  ///< with line ends
  std::uint64_t left_out_ = 0;
};

}  // namespace hearth::agent
