#include "base/cli/layout.hpp"

#include <sys/ioctl.h>

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace hearth::cli {

namespace {

constexpr std::size_t k_usual_width = 80;

/// The label that a line starts with; nothing when it is a line like others.
std::string_view label_of(std::string_view line) {
  for (const std::string_view label : {"Example", "Exit codes", "Exit status"}) {
    if (line.substr(0, label.size()) == label && line.substr(label.size(), 1) == ":") return label;
  }
  return {};
}

/// Puts lines together to paragraphs.
class ParagraphReader {
 public:
  void take(std::string_view line) {
    const bool verbatim = !line.empty() && line.front() == ' ';
    const std::string_view label = label_of(line);
    if (trim(line).empty() || !label.empty() || verbatim != open_.verbatim) close();
    if (trim(line).empty()) return;
    open_.verbatim = verbatim;
    if (!label.empty()) {
      open_.label = label;
      line = trim(line.substr(label.size() + 1));
    }
    if (!open_.text.empty()) open_.text += verbatim ? '\n' : ' ';
    open_.text += line;
  }

  std::vector<Paragraph> take_all() {
    close();
    return std::move(all_);
  }

 private:
  void close() {
    if (!open_.text.empty() || !open_.label.empty()) all_.push_back(std::move(open_));
    open_ = {};
  }

  Paragraph open_;
  std::vector<Paragraph> all_;
};

}  // namespace

std::size_t columns(std::string_view text) { return characters_in(text); }

std::string padded(std::string text, std::size_t width) {
  text.append(width - std::min(width, columns(text)), ' ');
  return text;
}

std::size_t terminal_width(int fd, const char* columns_variable, std::size_t least) {
  const auto named = parse_number(columns_variable == nullptr ? "" : columns_variable);
  if (named && *named > 0) return std::max<std::size_t>(*named, least);
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return std::max<std::size_t>(size.ws_col, least);
  return k_usual_width;
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent, std::size_t column) {
  std::string out;
  bool first = true;
  for (const std::string& word : split_words(text)) {
    const std::size_t wide = columns(word);
    if (!first && column + 1 + wide > width) {
      out += cat("\n", std::string(indent, ' '));
      column = indent;
    } else if (!first) {
      out += ' ';
      ++column;
    }
    out += word;
    column += wide;
    first = false;
  }
  return out;
}

std::string fitted(std::string_view text, std::size_t width) {
  std::vector<std::string> words;
  for (const std::string& word : split_words(text)) {
    std::string part;
    for (std::size_t at = 0; at < word.size();) {
      std::size_t next = at + 1;
      while (next < word.size() && (static_cast<unsigned char>(word[next]) & 0xc0U) == 0x80U) ++next;
      if (columns(part) >= std::max<std::size_t>(width, 1)) words.push_back(std::exchange(part, ""));
      part += word.substr(at, next - at);
      at = next;
    }
    words.push_back(part);
  }
  return wrapped(join(words, " "), width);
}

std::vector<Paragraph> paragraphs(std::string_view text) {
  ParagraphReader reader;
  for (const std::string& line : split_lines(text)) reader.take(line);
  return reader.take_all();
}

std::string laid_out(const std::vector<Paragraph>& paragraphs, std::size_t width) {
  std::vector<std::string> parts;
  for (const Paragraph& paragraph : paragraphs) {
    const std::string label = paragraph.label.empty() ? "" : cat(paragraph.label, ": ");
    parts.push_back(paragraph.verbatim ? paragraph.text : wrapped(cat(label, paragraph.text), width));
  }
  return join(parts, "\n\n");
}

}  // namespace hearth::cli
