// All mistakes of a tree of stacks at once. Most parts of the compiler stop at the first fault that they meet, as Heat
// does, and nothing behind it is looked at. So each fault is mended in memory, where it stands, and everything is
// looked at again: a misspelt name becomes the nearest right one, a wrong value one that is not known yet (nothing is
// said about what uses it), a resource of an unknown type one that does nothing. It ends when nothing is left that can
// be mended.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "metadata/compile/request.hpp"

namespace hearth::metadata {

/// Documents as read, and what was mended in them.
class Mending {
 public:
  /// One change, at a place: the indexes in maps and lists from the document on.
  struct Patch {
    enum class Kind { drop, rename, replace, add } kind = Kind::drop;
    std::vector<std::size_t> path;
    Value value{};       ///< the new name, or the new value
    std::string name{};  ///< of the member that is added to the map at the path
  };

  /// `text` as it is, where it can be parsed; else without the lines that keep it from that, so that the rest is looked
  /// at. What is wrong with it is given by take_unreadable() then, once. `breathe` may throw, which ends it.
  [[nodiscard]] std::string readable(const std::string& file, std::string text, std::string_view what, Sources& sources,
                                     const std::function<void()>& breathe = {});
  [[nodiscard]] std::vector<Fault> take_unreadable() { return std::exchange(unreadable_, {}); }
  /// Whether the fault may only be there because its cause stood in a line that was left out.
  [[nodiscard]] bool may_follow(const Fault& fault) const;

  /// `document`, read from `file`, with all that was mended in it so far.
  [[nodiscard]] Value mended(const std::string& file, Value document);
  /// Mends what the fault is about, for whoever reads next; false where its place says too little.
  bool mend(const Fault& fault, const Sources& sources);

 private:
  std::map<std::string, Value> documents_;
  std::map<std::string, std::vector<Patch>> patches_;  ///< by file, in the order in which they were made
  std::vector<Fault> unreadable_;
  std::map<std::string, std::string> readable_;  ///< what is read in their place
  std::set<std::string> left_out_;               ///< what lines that were left out gave names to
};

/// A fault or a warning as people see it.
struct Mistake {
  std::string file;  ///< or the option that said it; empty = unknown
  std::uint32_t line = 0, column = 0;
  std::string type;    ///< as Heat names it; of a warning: empty
  std::string text;    ///< with the path in the template
  std::string advice;  ///< may be empty
  std::string story;   ///< all of it for a terminal, with the place
};

struct Mistakes {
  std::vector<Mistake> errors;  ///< by file, line and column
  std::vector<Mistake> warnings;
  std::size_t untold = 0;  ///< further errors that were seen
  bool all = true;         ///< false: there may be more, but that took too long
};

/// `build` fills in a model; it is called for each look, until `longest` of processor time is gone. Throws what is no
/// Fault.
[[nodiscard]] Mistakes all_mistakes(const std::function<void(StackModel&)>& build,
                                    Duration longest = std::chrono::seconds(2));

/// What a command says that ended at `first`: where the stack that `build` makes has more mistakes, all of them.
[[nodiscard]] Error with_all_mistakes(const Error& first, const std::function<void(StackModel&)>& build);

}  // namespace hearth::metadata
