#include "base/cli/manual.hpp"

#include <array>
#include <cstdio>

#include "base/cli/help.hpp"
#include "base/cli/layout.hpp"
#include "base/cli/page.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"

namespace hearth::cli {

namespace {

/// The escape for an ASCII character that troff reads, or shows, as something else; nothing for the others.
std::string_view escape_of(char32_t c) {
  switch (c) {
    case U'\\': return "\\e";
    case U'-': return "\\-";
    case U'\'': return "\\(aq";
    case U'"': return "\\(dq";
    case U'`': return "\\(ga";
    case U'^': return "\\(ha";
    case U'~': return "\\(ti";
    default: return {};
  }
}

std::string unicode_escape(char32_t c) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "\\[u%04X]", static_cast<unsigned>(c));
  return text.data();
}

/// "hearth image create" → "hearth-image-create".
std::string page_name(const std::string& name) { return replace_all(name, " ", "-"); }

std::string page_head(const Manual& manual, const std::string& name, const std::string& summary, int section = 1) {
  const std::string page = page_name(name);
  return cat(".TH \"", troff(to_upper(page)), "\" ", section, " \"\" \"", troff(manual.source), "\" \"",
             troff(manual.program), "\"\n.SH NAME\n", troff(page), " \\- ", troff(summary), "\n");
}

std::string page_section(const std::string& title) { return cat(".SH \"", troff(to_upper(title)), "\"\n"); }

/// A paragraph's text; `first` in its section, where a break would be one too many.
std::string paragraph_body(const Paragraph& paragraph, bool first) {
  const std::string open = first ? "" : ".PP\n";
  if (!paragraph.verbatim) return cat(open, troff(paragraph.text), "\n");
  std::string lines;
  for (const std::string& line : split_lines(paragraph.text)) lines += cat(troff(line), "\n");
  return cat(open, ".nf\n", lines, ".fi\n");
}

/// The section that a paragraph belongs into.
std::string section_of(const Paragraph& paragraph) {
  if (paragraph.label.empty()) return "Description";
  return paragraph.label == "Example" ? "Examples" : "Exit status";
}

/// Examples and exit codes get sections of their own. Lines as they are stay with what stands before them.
std::string description(const std::string& details) {
  std::string text;
  std::string open;
  for (const Paragraph& paragraph : paragraphs(details)) {
    const std::string wanted = paragraph.verbatim && !open.empty() ? open : section_of(paragraph);
    if (wanted != open) text += page_section(wanted);
    text += paragraph_body(paragraph, wanted != open);
    open = wanted;
  }
  return text;
}

std::string option_lines(const Option& option) {
  std::string names;
  if (option.letter != 0) names += cat("\\fB", troff(cat("-", option.letter)), "\\fR");
  if (!option.name.empty()) names += cat(names.empty() ? "" : ", ", "\\fB", troff(cat("--", option.name)), "\\fR");
  const std::string value = option.value_name.empty() ? "" : cat(" \\fI", troff(option.value_name), "\\fR");
  return cat(".TP\n", names, value, "\n", option.help.empty() ? "\\&" : troff(replace_all(option.help, "\n", " ")),
             "\n");
}

std::string options_section(const Command& command) {
  const std::vector<Option> options = shown_options(command);
  const std::vector<std::string> titles = headings(options);
  std::string text = page_section("Options");
  for (const std::string& title : titles) {
    if (titles.size() > 1) text += cat(".SS \"", troff(title.empty() ? "Other options" : title), "\"\n");
    for (const Option& option : options_under(title, options)) text += option_lines(option);
  }
  return text;
}

std::string page_reference(const std::string& page) { return cat(".BR ", troff(page), " (1)\n"); }

std::string command_list(const Program& program, const std::vector<Command>& rows, const std::string& group) {
  std::string text;
  for (const Command& row : rows) {
    if (row.group != group) continue;
    text += cat(".TP\n", page_reference(page_name(cat(program.name, " ", row.words))), troff(row.summary), "\n");
  }
  return text;
}

std::string group_section(const Program& program, const std::vector<Command>& rows, const Group& group) {
  std::string text = cat(".SS \"", troff(group.title), "\"\n");
  bool first = true;
  for (const Paragraph& paragraph : paragraphs(group.details)) {
    text += paragraph_body(paragraph, first);
    first = false;
  }
  return text + command_list(program, rows, group.name);
}

std::string topic_section(const Topic& topic) {
  std::string text = page_section(topic.title);
  bool first = true;
  for (const Paragraph& paragraph : paragraphs(topic.text)) {
    text += paragraph_body(paragraph, first);
    first = false;
  }
  return text;
}

ManualPage program_page(const Manual& manual, const Program& program, const std::vector<Command>& rows) {
  std::string text =
      cat(page_head(manual, program.name, program.summary), page_section("Synopsis"), ".B ", troff(program.name), "\n",
          troff("COMMAND [OPTION…] [OPERAND…]"), "\n", page_section("Description"),
          troff("Each command has a manual page of its own, and tells the same with --help."), "\n",
          page_section("Commands"));
  for (const Group& group : program.groups) text += group_section(program, rows, group);
  text += cat(program.groups.empty() ? "" : ".SS \"Help\"\n", command_list(program, rows, ""));
  for (const Topic& topic : program.topics) text += topic_section(topic);
  if (!program.links.empty()) text += page_section("See also");
  for (const Command& link : program.links) text += page_reference(link.words);
  return {cat(program.name, ".1"), text};
}

/// A page of the manual, in section 7: filled already, as its tables are drawn with spaces.
ManualPage manual_page(const Manual& manual, const Program& program, const Page& page) {
  constexpr std::size_t k_width = 72;  // beside what man indents
  const std::string name = cat(program.name, "-", page_name(replace_all(word_for_page(program, page), "/", "-")));
  std::string text = cat(page_head(manual, name, page.title, 7), page_section("Description"));
  bool begins = true;  // a section, whose empty first lines are man's own
  for (const std::string& line : split_lines(page_text(program, page, k_width))) {
    if (line.starts_with("# ") || (begins && line.empty())) continue;
    const std::size_t depth = line.starts_with("## ") ? 2 : line.starts_with("### ") ? 3 : 0;
    if (depth > 0) {
      text += cat(begins ? "" : ".fi\n", depth == 2 ? ".SH \"" : ".SS \"", troff(line.substr(depth + 1)), "\"\n");
    } else {
      text += cat(begins ? ".nf\n" : "", troff(line), "\n");
    }
    begins = depth > 0;
  }
  return {cat(name, ".7"), cat(text, begins ? "" : ".fi\n", page_section("See also"), page_reference(program.name),
                               ".PP\n", troff("Files that are named here lie below share/doc/"), troff(program.name),
                               troff(", where that is installed."), "\n")};
}

}  // namespace

std::string troff(std::string_view text) {
  std::string out = !text.empty() && text.front() == '.' ? "\\&" : "";
  while (!text.empty()) {
    const DecodedCharacter c = decode_utf8(text);
    const std::string_view escape = escape_of(c.value);
    if (!escape.empty()) {
      out += escape;
    } else if (c.value < 0x80) {
      out += static_cast<char>(c.value);
    } else {
      out += unicode_escape(c.value);
    }
    text.remove_prefix(c.length);
  }
  return out;
}

ManualPage command_page(const Manual& manual, const std::string& name, const Command& command) {
  const std::string operands = usage("", command);
  std::string text = cat(page_head(manual, name, command.summary), page_section("Synopsis"), ".B ", troff(name), "\n",
                         operands.empty() ? "" : cat(troff(trim(operands)), "\n"), description(command.details),
                         options_section(command));
  if (manual.program != name) text += cat(page_section("See also"), page_reference(manual.program));
  return {cat(page_name(name), ".1"), text};
}

std::vector<ManualPage> manual_pages(const Program& program, const std::vector<Command>& rows) {
  const Manual manual{program.name, cat(program.name, " ", program.version)};
  std::vector<ManualPage> pages = {program_page(manual, program, rows)};
  for (const Command& row : rows) pages.push_back(command_page(manual, cat(program.name, " ", row.words), row));
  for (const Command& link : program.links) pages.push_back(command_page(manual, link.words, link));
  return pages;
}

std::vector<ManualPage> manual_chapters(const Program& program) {
  const Manual manual{program.name, cat(program.name, " ", program.version)};
  std::vector<ManualPage> pages;
  for (const Page& page : program.pages) pages.push_back(manual_page(manual, program, page));
  return pages;
}

int write_manual(const std::vector<ManualPage>& pages, const std::string& directory) {
  RealFileSystem files;
  files.make_directories(directory, 0755);
  for (const ManualPage& page : pages) files.write(fs::path(directory) / page.file, page.text, {.mode = 0644});
  return 0;
}

}  // namespace hearth::cli
