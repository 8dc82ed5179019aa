#include "base/mustache.hpp"

#include "base/position.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"

namespace hearth {

namespace {

constexpr std::string_view k_space = " \t\n\r\v\f";

bool is_space(char c) { return k_space.find(c) != std::string_view::npos; }

/// Thrown inside the parser only.
struct TemplateFault {
  std::size_t offset;
  std::string what;
};

std::string with_unix_lines(std::string_view text) {
  return replace_all(replace_all(std::string(text), "\r\n", "\n"), "\r", "\n");
}

/// A tag as found in the text, before it is given a meaning.
struct Tag {
  char mark = 0;  ///< one of # ^ / ! > & { =, or 0 for a plain variable
  std::string key;
  std::size_t blanks_begin = 0;  ///< where the blanks before it begin
  std::size_t begin = 0;         ///< its opening delimiter
  std::size_t end = 0;           ///< behind its closing delimiter
};

/// Finds tags by the rules of the dialect's grammar:
///   tag = open *space ( "=" *space delimiters *space "=" / "{" *space name *space "}" / [mark] *space key ) *space
///   close
/// where the first alternative that fits wins, and keys are as short as possible but never empty.
class TagFinder {
 public:
  explicit TagFinder(std::string_view text) : text_(text) {}

  void set_delimiters(std::string open, std::string close) {
    open_ = std::move(open);
    close_ = std::move(close);
  }

  [[nodiscard]] std::optional<Tag> find(std::size_t from) const {
    for (std::size_t begin = text_.find(open_, from); begin != std::string_view::npos;
         begin = text_.find(open_, begin + 1)) {
      Tag tag;
      tag.begin = begin;
      tag.blanks_begin = begin;
      while (tag.blanks_begin > from && is_blank(text_[tag.blanks_begin - 1])) --tag.blanks_begin;
      const std::size_t content = skip_space(begin + open_.size());
      if (match_enclosed(tag, content, '=', '=') || match_enclosed(tag, content, '{', '}') ||
          match_plain(tag, content)) {
        return tag;
      }
    }
    return std::nullopt;
  }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t'; }

  [[nodiscard]] std::size_t skip_space(std::size_t at) const {
    while (at < text_.size() && is_space(text_[at])) ++at;
    return at;
  }

  /// "=…=" and "{…}": the inside is on one line and at least one character.
  bool match_enclosed(Tag& tag, std::size_t content, char first, char last) const {
    if (content >= text_.size() || text_[content] != first) return false;
    const std::size_t begin = skip_space(content + 1);
    for (std::size_t i = begin + 1; i < text_.size() && text_[i - 1] != '\n'; ++i) {
      const std::size_t mark = skip_space(i);
      if (mark >= text_.size() || text_[mark] != last) continue;
      const std::size_t close = skip_space(mark + 1);
      if (text_.substr(close, close_.size()) != close_) continue;
      tag.mark = first;
      tag.key = std::string(text_.substr(begin, i - begin));
      tag.end = close + close_.size();
      return true;
    }
    return false;
  }

  bool match_plain(Tag& tag, std::size_t content) const {
    std::size_t begin = content;
    if (begin < text_.size() && std::string_view("!>&/#^").find(text_[begin]) != std::string_view::npos) {
      tag.mark = text_[begin];
      begin = skip_space(begin + 1);
    }
    const std::size_t close = text_.find(close_, begin + 1);
    if (begin >= text_.size() || close == std::string_view::npos) return false;
    std::size_t end = close;
    while (end > begin + 1 && is_space(text_[end - 1])) --end;
    tag.key = std::string(text_.substr(begin, end - begin));
    tag.end = close + close_.size();
    return true;
  }

  std::string_view text_;
  std::string open_ = "{{";
  std::string close_ = "}}";
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text), finder_(text) { levels_.emplace_back(); }

  MustacheTemplate run() {
    std::size_t at = 0;
    while (const std::optional<Tag> tag = finder_.find(at)) at = take(*tag, at);
    add_text(text_.substr(at));
    return finish();
  }

 private:
  struct Level {
    std::string name;
    bool inverted = false;
    std::size_t begin = 0;
    MustacheNodes nodes;
  };

  /// Handles one tag and returns where the text goes on.
  std::size_t take(const Tag& tag, std::size_t at) {
    const bool standalone = is_standalone(tag);
    add_text(text_.substr(at, (standalone ? tag.blanks_begin : tag.begin) - at));
    const std::string indent =
        standalone ? std::string(text_.substr(tag.blanks_begin, tag.begin - tag.blanks_begin)) : "";
    apply(tag, indent);
    return standalone && tag.end < text_.size() ? tag.end + 1 : tag.end;
  }

  /// Alone on its line, the line end directly behind it: then the whole line vanishes. Variables never are.
  [[nodiscard]] bool is_standalone(const Tag& tag) const {
    if (tag.mark == 0 || tag.mark == '&' || tag.mark == '{') return false;
    const bool begins_line = tag.blanks_begin == 0 || text_[tag.blanks_begin - 1] == '\n';
    return begins_line && (tag.end == text_.size() || text_[tag.end] == '\n');
  }

  void apply(const Tag& tag, const std::string& indent) {
    switch (tag.mark) {
      case '!': return;
      case '=': change_delimiters(tag); return;
      case '#': levels_.push_back({tag.key, false, tag.begin, {}}); return;
      case '^': levels_.push_back({tag.key, true, tag.begin, {}}); return;
      case '/': close_section(tag); return;
      case '>': add(MustachePartial{tag.key, indent}); return;
      default: add(MustacheVariable{tag.key, line_of(tag)}); return;
    }
  }

  /// Tags come in order, so that each line end is counted once.
  std::size_t line_of(const Tag& tag) {
    for (; counted_ < tag.begin; ++counted_) line_ += text_[counted_] == '\n' ? 1U : 0U;
    return line_;
  }

  void change_delimiters(const Tag& tag) {
    std::vector<std::string> words = split_words(tag.key);
    if (words.size() < 2) throw TemplateFault{tag.begin, "a delimiter tag needs two delimiters"};
    finder_.set_delimiters(std::move(words[0]), std::move(words[1]));
  }

  void close_section(const Tag& tag) {
    const std::string open = levels_.size() > 1 ? levels_.back().name : "None";
    if (levels_.size() == 1 || open != tag.key) {
      throw TemplateFault{tag.begin, cat("Section end tag mismatch: ", tag.key, " != ", open)};
    }
    Level level = std::move(levels_.back());
    levels_.pop_back();
    add(MustacheSection{std::move(level.name), level.inverted, std::move(level.nodes)});
  }

  void add_text(std::string_view text) {
    if (!text.empty()) add(MustacheText{std::string(text)});
  }

  template <class Node>
  void add(Node node) {
    levels_.back().nodes.push_back({std::move(node)});
  }

  /// Of unclosed sections only the innermost one's inside is left (the dialect's quirk).
  MustacheTemplate finish() {
    MustacheTemplate result;
    for (std::size_t i = 1; i < levels_.size(); ++i) {
      result.unclosed.push_back({levels_[i].name, position_in(text_, levels_[i].begin)});
    }
    result.nodes = std::move(levels_.back().nodes);
    return result;
  }

  std::string_view text_;
  TagFinder finder_;
  std::size_t counted_ = 0;  ///< the text up to here, which ends in line_
  std::size_t line_ = 1;
  std::vector<Level> levels_;
};

}  // namespace

Result<MustacheTemplate> parse_mustache(std::string_view text, std::string_view source) {
  if (!is_valid_utf8(text)) return ParseError{std::string(source), {}, "the template is not valid UTF-8"};
  const std::string unix_text = with_unix_lines(text);
  try {
    return Parser(unix_text).run();
  } catch (const TemplateFault& failure) {
    return ParseError{std::string(source), position_in(unix_text, failure.offset), failure.what};
  }
}

}  // namespace hearth
