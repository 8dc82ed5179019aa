#include "base/json_place.hpp"

#include <optional>
#include <string>
#include <vector>

#include "base/position.hpp"
#include "base/text.hpp"

namespace hearth {

namespace {

/// A key, or an index into a list.
struct PathStep {
  std::string key;
  std::optional<std::size_t> index;
};

std::vector<PathStep> steps_of(std::string_view path) {
  std::vector<PathStep> steps;
  std::string key;
  const auto end_key = [&] {
    if (!key.empty()) steps.push_back({std::exchange(key, {}), std::nullopt});
  };
  for (std::size_t i = 0; i < path.size(); ++i) {
    const std::size_t close = path[i] == '[' ? path.find(']', i) : std::string_view::npos;
    if (path[i] == '.') {
      end_key();
    } else if (close != std::string_view::npos) {
      end_key();
      steps.push_back({"", static_cast<std::size_t>(parse_number(path.substr(i + 1, close - i - 1)).value_or(0))});
      i = close;
    } else {
      key += path[i];
    }
  }
  end_key();
  return steps;
}

/// Goes through valid JSON by its brackets and quotes; a cursor behind the end stays there.
class JsonScanner {
 public:
  explicit JsonScanner(std::string_view text) : text_(text) {}

  std::size_t find(const std::vector<PathStep>& steps) {
    skip_space();
    std::size_t best = at_;
    for (const PathStep& step : steps) {
      const std::optional<std::size_t> found = step.index ? enter_item(*step.index) : enter_member(step.key);
      if (!found) return best;
      best = *found;
    }
    return best;
  }

 private:
  [[nodiscard]] char now() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_space() {
    while (now() == ' ' || now() == '\n' || now() == '\r' || now() == '\t') ++at_;
  }
  void skip_string() {
    for (++at_; at_ < text_.size() && now() != '"'; ++at_) {
      if (now() == '\\') ++at_;
    }
    ++at_;
  }
  /// A whole value, with what is nested in it.
  void skip_value() {
    std::size_t depth = 0;
    do {
      const char c = now();
      if (c == '"') {
        skip_string();
        continue;
      }
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
      ++at_;
      while (depth == 0 && at_ < text_.size() && std::string_view(",]} \n\r\t").find(now()) == std::string_view::npos &&
             c != '}' && c != ']') {
        ++at_;  // the rest of a number or word
      }
    } while (depth > 0 && at_ < text_.size());
  }
  /// To the next member or item; false at the end.
  bool next() {
    skip_space();
    if (now() != ',') return false;
    ++at_;
    skip_space();
    return true;
  }

  std::optional<std::size_t> enter_member(const std::string& key) {
    if (now() != '{') return std::nullopt;
    ++at_;
    skip_space();
    while (now() == '"') {
      const std::size_t begin = at_;
      skip_string();
      const bool is_it = text_.substr(begin + 1, at_ - begin - 2) == key;
      skip_space();
      ++at_;  // the colon
      skip_space();
      if (is_it) return begin;
      skip_value();
      if (!next()) break;
    }
    return std::nullopt;
  }

  std::optional<std::size_t> enter_item(std::size_t index) {
    if (now() != '[') return std::nullopt;
    ++at_;
    skip_space();
    for (std::size_t i = 0; now() != ']' && at_ < text_.size(); ++i) {
      if (i == index) return at_;
      skip_value();
      if (!next()) break;
    }
    return std::nullopt;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Position place_in_json(std::string_view text, std::string_view path) {
  return position_in(text, JsonScanner(text).find(steps_of(path)));
}

}  // namespace hearth
