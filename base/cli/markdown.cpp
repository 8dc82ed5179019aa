#include "base/cli/markdown.hpp"

#include "base/cli/help.hpp"
#include "base/cli/layout.hpp"
#include "base/text.hpp"

namespace hearth::cli {

namespace {

std::string file_of(const std::string& name) { return cat(replace_all(name, " ", "-"), ".md"); }

std::string indented(const std::string& text) {
  std::string lines;
  for (const std::string& line : split_lines(text)) lines += line.empty() ? "\n" : cat("    ", line, "\n");
  return lines;
}

std::string prose(const std::string& details) {
  std::string text;
  for (const Paragraph& paragraph : paragraphs(details)) {
    if (paragraph.verbatim) {
      text += cat(indented(paragraph.text), "\n");
    } else if (paragraph.label == "Example") {
      text += cat("For example:\n\n", indented(paragraph.text), "\n");
    } else {
      text += cat(paragraph.label.empty() ? "" : cat("**", paragraph.label, "**: "), markdown(paragraph.text), "\n\n");
    }
  }
  return text;
}

std::string options_table(const Command& command) {
  const std::vector<Option> options = shown_options(command);
  const std::vector<std::string> titles = headings(options);
  std::string text;
  for (const std::string& title : titles) {
    const std::string usual = titles.size() > 1 ? "Other options" : "Options";
    text += cat("## ", markdown(title.empty() ? usual : title), "\n\n| option | what |\n|---|---|\n");
    for (const Option& option : options_under(title, options)) {
      text += cat("| `", replace_all(signature(option), "|", "\\|"), "` | ",
                  markdown(replace_all(option.help, "\n", " ")), " |\n");
    }
    text += "\n";
  }
  return text;
}

ManualPage page_of_command(const std::string& name, const Command& command) {
  return {file_of(name), cat("# ", markdown(name), "\n\n", markdown(command.summary), "\n\n",
                             indented(usage(name, command)), "\n", prose(command.details), options_table(command))};
}

std::string rows_table(const Program& program, const std::vector<Command>& rows, const std::string& group) {
  std::string text;
  for (const Command& row : rows) {
    if (row.group != group) continue;
    const std::string name = cat(program.name, " ", row.words);
    text += cat("| [", markdown(name), "](", file_of(name), ") | ", markdown(row.summary), " |\n");
  }
  return text.empty() ? "" : cat("| command | what |\n|---|---|\n", text, "\n");
}

ManualPage overview_page(const Program& program, const std::vector<Command>& rows) {
  std::string text = cat("# Commands\n\n", markdown(program.name), " ", markdown(program.version), ": ",
                         markdown(program.summary), "\n\n");
  for (const Group& group : program.groups)
    text += cat("## ", markdown(group.title), "\n\n", prose(group.details), rows_table(program, rows, group.name));
  if (std::string help = rows_table(program, rows, ""); !help.empty()) text += cat("## Help\n\n", help);
  if (!program.links.empty()) text += "## Under the field's own names\n\n| command | what |\n|---|---|\n";
  for (const Command& link : program.links)
    text += cat("| [", markdown(link.words), "](", file_of(link.words), ") | ", markdown(link.summary), " |\n");
  text += program.topics.empty() ? "" : "\n## Topics\n\n";
  for (const Topic& topic : program.topics) text += cat("- [", markdown(topic.title), "](", file_of(topic.name), ")\n");
  return {"commands.md", text};
}

}  // namespace

std::string markdown(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else {
      if (std::string_view("\\`*_[]|#>").find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out;
}

std::string reference_text(const Reference& reference) {
  return cat("# ", markdown(reference.title), "\n\n", reference.text());
}

std::vector<ManualPage> markdown_pages(const Program& program, const std::vector<Command>& rows) {
  std::vector<ManualPage> pages = {overview_page(program, rows)};
  for (const Command& row : rows) pages.push_back(page_of_command(cat(program.name, " ", row.words), row));
  for (const Command& link : program.links) pages.push_back(page_of_command(link.words, link));
  for (const Topic& topic : program.topics)
    pages.push_back({file_of(topic.name), cat("# ", markdown(topic.title), "\n\n", prose(topic.text))});
  for (const Reference& each : program.references) pages.push_back({file_of(each.name), reference_text(each)});
  return pages;
}

}  // namespace hearth::cli
