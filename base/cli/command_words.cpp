#include "base/cli/command_words.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <string_view>

#include "base/text.hpp"

namespace hearth::cli {

namespace {

using Words = std::vector<std::string>;

bool is_in(const std::string& word, const Words& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// What other programs call the same, the likeliest first.
constexpr std::array<std::string_view, 11> k_alike = {"create build make new import add",
                                                      "boot run start up",
                                                      "delete remove rm destroy unload",
                                                      "prune purge clean clear gc",
                                                      "show inspect info get describe list",
                                                      "set edit change modify update",
                                                      "list ls show",
                                                      "lint validate check",
                                                      "deploy provision install",
                                                      "load upload register",
                                                      "publish push"};

/// How far the word is from what a command is called by those that mean the same: 0 the likeliest; nothing: by none.
std::optional<std::size_t> how_far_alike(const std::string& word, const std::string& called) {
  for (const std::string_view set : k_alike) {
    const Words words = split_words(set);
    const auto at = std::find(words.begin(), words.end(), called);
    if (is_in(word, words) && at != words.end()) return static_cast<std::size_t>(at - words.begin());
  }
  return std::nullopt;
}

constexpr std::size_t k_no_match = std::numeric_limits<std::size_t>::max();
constexpr std::size_t k_other_number = 10;  ///< "nodes"
constexpr std::size_t k_other_word = 20;    ///< what means the same
constexpr std::size_t k_mistyped = 30;
constexpr std::size_t k_left_out = 30;  ///< "stack resources" for "stack resource list"
constexpr std::size_t k_between = 50;   ///< what is no word of the command stands within it

/// One word of the command line, or a part of it: "power" of "power-on".
struct Part {
  std::string text;
  std::size_t word = 0;
};

/// How the words of one command are found among the parts.
struct Match {
  std::size_t cost = 0;
  std::vector<bool> used;         ///< of each part
  std::set<std::size_t> guessed;  ///< words of which a part is mistyped
  std::size_t end = 0;            ///< behind the last part that is used
};

struct Reading {
  std::size_t cost = k_no_match;
  std::string command;  ///< with the words that stood within it
};

/// The words that somebody typed, beside those that commands have.
class TypedWords {
 public:
  TypedWords(const Words& names, const Words& words) : words_(words), vocabulary_(vocabulary_of(names)) {
    constexpr std::size_t k_most = 5;  // what comes later is no part of a name
    for (std::size_t i = 0; i < words.size(); ++i) add_parts(i);
    count_ = std::min(parts_.size(), k_most);
  }

  /// The command by these parts, each of its words by one, in whatever order; of foreign words between at most one.
  [[nodiscard]] std::optional<Reading> read_as(const std::string& name) const {
    const std::optional<Match> match = find(split_words(name));
    if (!match || is_guessed_in_part(*match)) return std::nullopt;
    const bool ends_in_a_word =
        match->end == 0 || match->end == parts_.size() || parts_[match->end].word != parts_[match->end - 1].word;
    const std::optional<Words> between = left_between(*match);
    if (!ends_in_a_word || !between || between->size() > 1) return std::nullopt;
    return Reading{match->cost + k_between * between->size(),
                   between->empty() ? name : cat(name, " ", between->front())};
  }

 private:
  /// "Power_On" is two parts where no command has such a word, "boot_log" is one where a command has "boot-log".
  void add_parts(std::size_t index) {
    const std::string word = replace_all(to_lower(words_[index]), "_", "-");
    const Words pieces = split(word, '-');
    const bool is_split =
        pieces.size() > 1 && !is_in(word, vocabulary_) &&
        std::any_of(pieces.begin(), pieces.end(), [&](const std::string& piece) { return is_in(piece, vocabulary_); });
    for (const std::string& piece : is_split ? pieces : Words{word}) parts_.push_back({piece, index});
  }

  [[nodiscard]] std::size_t cost_of(const std::string& word, const std::string& called) const {
    if (word == called) return 0;
    if (word == cat(called, "s") || called == cat(word, "s")) return k_other_number;
    if (const std::optional<std::size_t> far = how_far_alike(word, called)) return k_other_word + *far;
    constexpr std::size_t k_least = 4;                         // of three letters each is near another
    const bool is_as_long = word.size() + 2 >= called.size();  // or any beginning would be near
    const bool is_mistyped = is_as_long && word.size() >= k_least && !is_in(word, vocabulary_);
    return is_mistyped && nearest(word, {called}) ? k_mistyped : k_no_match;
  }

  /// For each word of the command the likeliest part that no other has taken.
  [[nodiscard]] std::optional<Match> find(const Words& called) const {
    Match match{.used = std::vector<bool>(count_, false)};
    std::size_t last = 0;  // the part that the word before was found in
    for (std::size_t i = 0; i < called.size(); ++i) {
      std::size_t best = k_no_match;
      std::size_t at = 0;
      for (std::size_t j = 0; j < count_; ++j) {
        const std::size_t each = match.used[j] ? k_no_match : cost_of(parts_[j].text, called[i]);
        if (each < best) at = j;
        best = std::min(best, each);
      }
      const bool may_lack = i + 1 == called.size() && i > 1 && called[i] == "list" && match.cost > 0;
      if (best == k_no_match && !may_lack) return std::nullopt;
      match.cost += best == k_no_match ? k_left_out : best;
      if (best == k_no_match) continue;
      if (best == k_mistyped) match.guessed.insert(parts_[at].word);
      match.cost += i > 0 && at < last ? 1 : 0;
      match.used[at] = true;
      last = at;
      match.end = std::max(match.end, at + 1);
    }
    return match;
  }

  /// "boot-device": "device" is no mistyped "service" where nothing is made of "boot".
  [[nodiscard]] bool is_guessed_in_part(const Match& match) const {
    for (std::size_t j = 0; j < count_; ++j) {
      if (!match.used[j] && match.guessed.count(parts_[j].word) > 0) return true;
    }
    return false;
  }

  /// Words within the command that are none of its own; nothing where one of them is another command's.
  [[nodiscard]] std::optional<Words> left_between(const Match& match) const {
    std::set<std::size_t> used_words;  // of "disk-image-create" a part is left over
    for (std::size_t j = 0; j < count_; ++j) {
      if (match.used[j]) used_words.insert(parts_[j].word);
    }
    Words between;
    for (std::size_t j = 0; j < match.end; ++j) {
      if (used_words.count(parts_[j].word) > 0 || (between.empty() && is_foreign_beginning(parts_[j].text))) continue;
      if (is_in(parts_[j].text, vocabulary_)) return std::nullopt;
      between.push_back(words_[parts_[j].word]);
    }
    return between;
  }

  const Words& words_;
  Words vocabulary_;
  std::vector<Part> parts_;
  std::size_t count_ = 0;  ///< of parts that count
};

}  // namespace

std::vector<std::string> commands_of_words(const std::vector<std::string>& names,
                                           const std::vector<std::string>& words) {
  const TypedWords typed(names, words);
  std::size_t best = k_no_match - 1;
  Words found;
  for (const std::string& name : names) {
    if (name.find(' ') == std::string::npos) continue;
    std::optional<Reading> reading = typed.read_as(name);
    if (!reading || reading->cost > best) continue;
    if (reading->cost < best) found.clear();
    best = reading->cost;
    found.push_back(std::move(reading->command));
  }
  return found;
}

std::vector<std::string> alike_words(const std::string& word) {
  Words all;
  for (const std::string_view set : k_alike) {
    const Words words = split_words(set);
    if (is_in(word, words)) all.insert(all.end(), words.begin(), words.end());
  }
  return all;
}

bool is_foreign_beginning(const std::string& word) {
  return word == "openstack" || word == "hearth" || word == "baremetal" || word == "ironic" || word == "heat";
}

std::vector<std::string> vocabulary_of(const std::vector<std::string>& names) {
  std::set<std::string> words;
  for (const std::string& name : names) {
    for (std::string& word : split_words(name)) words.insert(std::move(word));
  }
  return {words.begin(), words.end()};
}

}  // namespace hearth::cli
