#include "base/cli/page.hpp"

#include <algorithm>
#include <utility>

#include "base/cli/layout.hpp"
#include "base/cli/table.hpp"
#include "base/path.hpp"
#include "base/text.hpp"

namespace hearth::cli {

namespace {

constexpr std::size_t k_code_indent = 4;  ///< of a line that is shown as it is; twice as much below an item

/// "| a | b \| c |" → "a", "b | c".
Row cells_of(std::string_view line) {
  Row cells(1);
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size() && line[i + 1] == '|') {
      cells.back() += line[++i];
    } else if (line[i] == '|') {
      cells.emplace_back();
    } else {
      cells.back() += line[i];
    }
  }
  if (trim(cells.back()).empty()) cells.pop_back();
  return cells;
}

/// What an item begins with, and how far it stands to the right: "- ", "12. "; empty for a line that begins none.
std::string_view item_mark(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(' ');
  if (begin == std::string_view::npos || begin >= k_code_indent) return {};
  std::size_t end = begin;
  while (end < line.size() && line[end] >= '0' && line[end] <= '9') ++end;
  const bool numbered = end > begin && line.substr(end).starts_with(". ");
  if (numbered) return line.substr(0, end + 2);
  return line.substr(begin).starts_with("- ") ? line.substr(0, begin + 2) : std::string_view{};
}

class PageReader {
 public:
  PageReader(const Program& program, const Page& page, std::size_t width)
      : program_(program), page_(page), width_(width) {}

  std::string read() {
    for (const std::string& line : split_lines(page_.text)) take(line);
    close();
    return std::move(text_);
  }

 private:
  void take(const std::string& line) {
    const bool fence = line.starts_with("```");
    if (fence || fenced_ || is_as_it_is(line)) {
      fenced_ = fence != fenced_;
      close();
      text_ += cat(line, "\n");
    } else if (line.starts_with("|")) {
      close_paragraph();
      rows_.push_back(cells_of(line));
    } else if (const std::string_view mark = item_mark(line); !mark.empty()) {
      close();
      mark_ = mark;
      open_ = line.substr(mark.size());
      listed_ = true;
    } else {
      close_table();
      const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
      if (open_.empty()) mark_ = std::string(indent, ' ');
      if (indent == 0 && open_.empty()) listed_ = false;
      open_ += cat(open_.empty() ? "" : " ", trim(line));
    }
  }
  /// Empty, a headline, or indented text that goes on with no paragraph.
  [[nodiscard]] bool is_as_it_is(const std::string& line) const {
    if (line.empty() || line.front() == '#') return true;
    return open_.empty() && line.starts_with(std::string(listed_ ? 2 * k_code_indent : k_code_indent, ' '));
  }

  void close() {
    close_paragraph();
    close_table();
  }
  void close_paragraph() {
    if (open_.empty()) return;
    text_ += cat(mark_, wrapped(without_links(open_), width_, columns(mark_), columns(mark_)), "\n");
    open_.clear();
  }
  void close_table() {
    if (rows_.empty()) return;
    for (Row& row : rows_) {
      row.resize(rows_.front().size());
      for (std::string& cell : row) cell = without_links(trim(cell));
    }
    const auto begin = rows_.begin() + std::min<std::ptrdiff_t>(2, std::ssize(rows_));  // behind it a line of dashes
    text_ += table(rows_.front(), {begin, rows_.end()}, width_, LongWords::broken);
    rows_.clear();
  }

  /// "[users](users.md)" → "users (hearth help users)"; signs of emphasis go, code stays.
  [[nodiscard]] std::string without_links(std::string_view text) const {
    std::string out;
    while (!text.empty()) {
      const std::size_t next = text.find_first_of("`[*!\\&");
      out += text.substr(0, next);
      text.remove_prefix(std::min(next, text.size()));
      if (text.empty()) break;
      const std::size_t used = text.front() == '`'                           ? code(text, out)
                               : text.front() == '\\' || text.front() == '&' ? escaped(text, out)
                               : text.starts_with("**")                      ? 2
                               : text.front() == '['                         ? link(text, out)
                               : text.starts_with("![") ? link(text.substr(1), out, "picture: ") + 1
                                                        : 0;
      if (used == 0) out += text.front();
      text.remove_prefix(std::max<std::size_t>(used, 1));
    }
    return out;
  }
  /// What markdown() has made harmless is told as it was.
  static std::size_t escaped(std::string_view text, std::string& out) {
    constexpr std::string_view k_less = "&lt;";
    if (text.starts_with(k_less)) return out += '<', k_less.size();
    if (text.front() != '\\' || text.size() < 2 ||
        std::string_view("\\`*_[]|#>").find(text[1]) == std::string_view::npos)
      return 0;
    return out += text[1], 2;
  }
  static std::size_t code(std::string_view text, std::string& out) {
    const std::size_t end = text.find('`', 1);
    if (end == std::string_view::npos) return 0;
    out += text.substr(0, end + 1);
    return end + 1;
  }
  /// How much of the text is a link at its beginning; 0 where it is none.
  std::size_t link(std::string_view text, std::string& out, std::string_view before = "") const {
    const std::size_t middle = text.find("](");
    const std::size_t end = middle == std::string_view::npos ? middle : text.find(')', middle);
    if (end == std::string_view::npos || text.substr(1, middle - 1).find('[') != std::string_view::npos) return 0;
    const std::string where = place_of(std::string(text.substr(middle + 2, end - middle - 2)));
    out += cat(text.substr(1, middle - 1), where.empty() ? "" : cat(" (", before, where, ")"));
    return end + 1;
  }

  [[nodiscard]] std::string place_of(const std::string& target) const {
    if (target.find("://") != std::string::npos) return target;
    const std::string file = target.substr(0, target.find('#'));
    if (file.empty()) return "";  // a headline of this page
    const fs::path path = (fs::path(page_.name).parent_path() / file).lexically_normal();
    for (const Page& other : program_.pages) {
      const bool is_it = path.string() == cat(other.name, ".md") ||
                         (path.is_absolute() && path.string().ends_with(cat("/docs/", other.name, ".md")));
      if (is_it) return cat(program_.name, " help ", word_for_page(program_, other));
    }
    return (fs::path(program_.pages_at) / path).lexically_normal().string();
  }

  const Program& program_;
  const Page& page_;
  std::size_t width_;
  std::string text_;
  std::string open_;  ///< a paragraph, or an item
  std::string mark_;  ///< what its first line begins with
  std::vector<Row> rows_;
  bool listed_ = false;  ///< the last item's text may go on
  bool fenced_ = false;
};

}  // namespace

std::string word_for_page(const Program& program, const Page& page) {
  const std::string word = page.name.substr(page.name.rfind('/') + 1);
  const auto is_word = [&](const auto& one) { return one.name == word; };
  const auto is_command = [&](const Command& row) { return row.words == word; };
  const std::vector<Command> rows = all_commands(program);
  const bool is_taken = std::any_of(program.groups.begin(), program.groups.end(), is_word) ||
                        std::any_of(program.topics.begin(), program.topics.end(), is_word) ||
                        std::any_of(rows.begin(), rows.end(), is_command) ||
                        std::any_of(program.links.begin(), program.links.end(), is_command);
  return is_taken ? page.name : word;
}

std::string page_text(const Program& program, const Page& page, std::size_t width) {
  return PageReader(program, page, width).read();
}

}  // namespace hearth::cli
