#include "metadata/lsp/names.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.hpp"
#include "metadata/lsp/text_document.hpp"
#include "metadata/model/value_text.hpp"

namespace hearth::metadata::lsp {

namespace {

/// What is gone over for all places of a name: each is found by going back to where its section begins.
constexpr std::size_t k_most_gone_over = std::size_t{1} << 30U;

bool ends_word(std::string_view text, std::size_t at, std::string_view ends) {
  return at >= text.size() || ends.find(text[at]) != std::string_view::npos;
}

bool is_whole_word(std::string_view text, std::size_t begin, std::size_t end) {
  const bool before = begin == 0 || ends_word(text, begin - 1, " \t\r\n[{,:\"'");
  return before && ends_word(text, end, " \t\r\n]},:\"'");
}

std::string kind_of_name(const Name& name) { return name.section.substr(0, name.section.size() - 1); }

bool is_plain(const std::string& word) {
  const auto fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.'; };
  const bool begins = !word.empty() && (std::isalpha(static_cast<unsigned char>(word[0])) != 0 || word[0] == '_');
  return begins && std::all_of(word.begin(), word.end(), fits);
}

/// YAML 1.1 reads these as something else than texts.
bool is_yamls(const std::string& word) {
  static constexpr std::array<std::string_view, 9> k_words = {"true", "false", "yes", "no", "on",
                                                              "off",  "null",  "y",   "n"};
  return std::find(k_words.begin(), k_words.end(), to_lower(word)) != k_words.end();
}

SymbolKind kind_in(const std::string& section) {
  const std::string name = to_lower(section);
  if (name == "parameters") return SymbolKind::parameter;
  if (name == "resources") return SymbolKind::resource;
  if (name == "outputs") return SymbolKind::output;
  return name == "conditions" ? SymbolKind::condition : SymbolKind::other;
}

std::string type_of(const Value& value) {
  for (const char* key : {"type", "Type"}) {
    const Value* type = value.is_map() ? value.find(key) : nullptr;
    if (type != nullptr && type->is_string()) return type->text();
  }
  return "";
}

class Outliner {
 public:
  explicit Outliner(std::string_view text) : text_(text), marks_(text) {}

  /// The entries of a map that ends at `end`. `section`: whose entries they are; empty: the document's.
  std::vector<Symbol> entries(const Value& map, std::size_t end, const std::string& section) {
    std::vector<Symbol> symbols;
    std::vector<const Value*> values;
    for (const Entry& entry : map.entries()) {
      const std::string name = python_str(entry.key);
      if (name.empty() || !entry.key.mark().known()) continue;
      const std::size_t begin = marks_.offset_of(entry.key.mark().line, entry.key.mark().column);
      if (!symbols.empty() && begin < symbols.back().begin) continue;  // of an alias: it stands elsewhere
      const bool is_quoted = begin < text_.size() && (text_[begin] == '"' || text_[begin] == '\'');
      symbols.push_back({.name = name, .begin = begin, .name_end = begin + name.size() + (is_quoted ? 2 : 0)});
      if (!section.empty()) {
        symbols.back().kind = kind_in(section);
        symbols.back().detail = type_of(entry.value);
      }
      values.push_back(&entry.value);
    }
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      Symbol& symbol = symbols[i];
      symbol.end = less_blanks(symbol.begin, i + 1 < symbols.size() ? symbols[i + 1].begin : end);
      symbol.name_end = std::min(symbol.name_end, symbol.end);
      if (section.empty() && values[i]->is_map()) symbol.children = entries(*values[i], symbol.end, symbol.name);
    }
    return symbols;
  }

 private:
  [[nodiscard]] std::size_t less_blanks(std::size_t begin, std::size_t end) const {
    end = std::min(std::max(begin, end), text_.size());
    while (end > begin && std::string_view(" \t\r\n").find(text_[end - 1]) != std::string_view::npos) --end;
    return end;
  }

  std::string_view text_;
  MarkedText marks_;
};

}  // namespace

std::optional<std::vector<Occurrence>> occurrences(std::string_view text, const Name& name, const Vocabulary& words) {
  std::vector<Occurrence> found;
  std::size_t gone_over = 0;
  for (std::size_t at = text.find(name.name); at != std::string_view::npos; at = text.find(name.name, at + 1)) {
    const std::size_t end = at + name.name.size();
    if (!is_whole_word(text, at, end)) continue;
    gone_over += at;
    if (gone_over > k_most_gone_over) return std::nullopt;
    const CursorPlace place = place_at(text, name.name.size() > 1 ? at + 1 : at);
    if (place.begin != at || place.end != end || name_at(place, words) != name) continue;
    found.push_back({at, end, place.role == CursorPlace::Role::key});
  }
  return found;
}

std::string rename_fault(const Name& name, const std::string& wanted, const Vocabulary& words) {
  if (wanted.starts_with("OS::")) return cat("names that begin with OS:: are Heat's own: not ", wanted);
  if (!is_plain(wanted)) return cat("'", wanted, "' is no name: letters, digits, _ - and ., a letter or _ first");
  if (is_yamls(wanted)) return cat("YAML reads ", wanted, " as something else than a name");
  const Entry* other = wanted == name.name ? nullptr : words.entry(name.section, wanted);
  if (other == nullptr) return "";
  return cat("there is a ", kind_of_name(name), " ", wanted, " already, in line ", other->key.mark().line);
}

std::vector<Symbol> outline(std::string_view text, const Value& document) {
  if (!document.is_map()) return {};
  return Outliner(text).entries(document, text.size(), "");
}

}  // namespace hearth::metadata::lsp
