#include "base/cli/help.hpp"

#include <algorithm>

#include "base/cli/layout.hpp"
#include "base/cli/markdown.hpp"
#include "base/cli/page.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::cli {

namespace {

using Rows = std::vector<Command>;

constexpr std::size_t k_summary_column = 34;
constexpr const char* k_all_commands = "commands";
constexpr const char* k_manual = "manual";

template <class Predicate>
Rows rows_that(const Program& program, const Predicate& predicate) {
  Rows rows;
  for (Command& row : all_commands(program)) {
    if (predicate(row)) rows.push_back(std::move(row));
  }
  return rows;
}

Rows rows_of_group(const Program& program, const std::string& group) {
  return rows_that(program, [&](const Command& row) { return row.group == group; });
}

Rows rows_below(const Program& program, const std::string& prefix) {
  const std::string start = prefix + " ";
  return rows_that(program, [&](const Command& row) {
    return row.words == prefix || row.words.compare(0, start.size(), start) == 0;
  });
}

/// Lines of words and summary; summaries stand below each other where the words leave room for that.
std::string summary_lines(const Rows& rows, std::size_t width) {
  std::size_t column = 0;
  for (const Command& row : rows) column = std::max(column, columns(row.words) + 4);
  column = std::min(column, std::min(k_summary_column, width / 2));
  std::string text;
  for (const Command& row : rows) {
    const std::string left = padded(cat(padded(cat("  ", row.words), column - 2), "  "), column);
    text += cat(left, wrapped(row.summary, width, column, columns(left)), "\n");
  }
  return text;
}

/// The names of commands, those with the same first words on one line: "  node power: on, off".
std::string name_lines(const Rows& rows, std::size_t width) {
  std::vector<std::pair<std::string, std::vector<std::string>>> lines;
  for (const Command& row : rows) {
    std::vector<std::string> words = split_words(row.words);
    const std::string last = words.back();
    words.pop_back();
    const std::string stem = join(words, " ");
    const auto same = [&](const auto& line) { return !stem.empty() && line.first == stem; };
    auto line = std::find_if(lines.begin(), lines.end(), same);
    if (line == lines.end()) line = lines.insert(lines.end(), {stem, {}});
    line->second.push_back(last);
  }
  std::string text;
  for (const auto& [stem, names] : lines) {
    const std::string left = stem.empty() ? "  " : cat("  ", stem, ": ");
    text += cat(left, wrapped(join(names, ", "), width, 6, columns(left)), "\n");
  }
  return text;
}

std::string group_help(const Program& program, const Group& group, std::size_t width) {
  const std::string details = group.details.empty() ? "" : cat(laid_out(paragraphs(group.details), width), "\n\n");
  return cat(group.title, "\n\n", details, summary_lines(rows_of_group(program, group.name), width));
}

std::string all_help(const Program& program, std::size_t width) {
  std::string text;
  for (const Group& group : program.groups) {
    text += cat(group.title, "\n", summary_lines(rows_of_group(program, group.name), width), "\n");
  }
  return cat(text, summary_lines(rows_of_group(program, ""), width));
}

std::string help_pointer(const Program& program, std::size_t width) {
  return cat(wrapped(cat("'", program.name, " COMMAND --help' explains a command, '", program.name,
                         " help TOPIC' a command or one of: ", join(topic_names(program), ", "), "."),
                     width),
             "\n");
}

/// "howto/ssh" → "ssh".
std::string short_name(const Page& page) { return page.name.substr(page.name.rfind('/') + 1); }

/// "howto/ssh" → "howto"; empty of a page that lies in none.
std::string folder_of(const Page& page) {
  return page.name.substr(0, page.name.find('/') == std::string::npos ? 0 : page.name.find('/'));
}

/// `folder`: of these pages only; empty: all. Empty where there are none.
std::string manual_help(const Program& program, const std::string& folder, std::size_t width) {
  Rows rows;
  for (const Page& page : program.pages) {
    if (folder.empty() || folder_of(page) == folder)
      rows.push_back({.words = page.name, .operands = "", .summary = page.title});
  }
  if (rows.empty()) return "";
  const std::string how =
      cat("'", program.name, " help NAME' prints a page; what stands before the slash may be left out.");
  return cat("Pages of the manual:\n", summary_lines(rows, width), "\n", wrapped(how, width), "\n");
}

/// Of a topic's table, "  TMPDIR, TMP_DIR    where …", the names in capitals that stand first.
std::vector<std::string> names_of_rows(const std::string& text) {
  std::vector<std::string> names;
  for (const std::string& line : split_lines(text)) {
    if (!line.starts_with("  ") || line.starts_with("   ")) continue;
    for (const std::string& word : split_words(line)) {
      const std::string name = word.ends_with(',') ? word.substr(0, word.size() - 1) : word;
      if (name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != std::string::npos) break;
      names.push_back(name);
      if (name == word) break;
    }
  }
  return names;
}

/// Every name that topic_help knows, for a suggestion.
std::optional<std::string> nearest_topic(const Program& program, const std::string& topic) {
  std::vector<std::string> names = topic_names(program);
  for (const Command& row : all_commands(program)) {
    names.push_back(row.words);
    names.push_back(row.words.substr(0, row.words.find(' ')));  // "image" has help, too
  }
  for (const Page& page : program.pages) names.insert(names.end(), {page.name, short_name(page), folder_of(page)});
  std::erase(names, "");
  for (const Topic& each : program.topics) {
    for (std::string& name : names_of_rows(each.text)) names.push_back(std::move(name));
  }
  if (program.further_names) {
    for (std::string& name : program.further_names()) names.push_back(std::move(name));
  }
  std::optional<std::string> near = nearest(topic, names);
  return near ? near : nearest(replace_all(topic, "_", "-"), names);
}

/// Of the manual, those that have the word most often first.
std::vector<std::string> pages_that_speak_of(const Program& program, const std::string& word) {
  constexpr std::size_t k_most_pages = 5;
  constexpr std::size_t k_least_letters = 3;
  if (word.size() < k_least_letters) return {};
  const std::string wanted = to_lower(word);
  std::vector<std::pair<std::size_t, std::string>> found;
  for (const Page& page : program.pages) {
    const std::string text = to_lower(std::string(page.text));
    std::size_t times = 0;
    for (std::size_t at = text.find(wanted); at != std::string::npos; at = text.find(wanted, at + 1)) ++times;
    if (times > 0) found.emplace_back(times, page.name);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& one, const auto& other) { return one.first > other.first; });
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(found.size(), k_most_pages); ++i) names.push_back(found[i].second);
  return names;
}

/// Whether a line of a topic's table has the word among its names, which stand first: "  TMPDIR, TMP_DIR    where …".
bool is_row_of(const std::string& line, const std::string& word) {
  if (!line.starts_with("  ")) return false;
  for (std::size_t begin = 2; begin < line.size();) {
    const std::size_t end = std::min(line.find_first_of(" ,", begin), line.size());
    if (line.compare(begin, end - begin, word) == 0) return true;
    if (line.compare(end, 2, ", ") != 0) return false;
    begin = end + 2;
  }
  return false;
}

/// The row of a topic's table that is the word's, as a variable's is, with what stands below; may be empty.
std::string row_of_topic(const std::string& text, const std::string& word) {
  constexpr std::string_view k_below = "     ";
  std::string found;
  for (const std::string& line : split_lines(text)) {
    if (is_row_of(line, word) || (!found.empty() && line.starts_with(k_below)))
      found += cat(line, "\n");
    else if (!found.empty())
      break;
  }
  return found;
}

}  // namespace

std::string usage(const std::string& name, const Command& command) {
  return cat(name, command.options.empty() ? "" : " [OPTION…]", command.operands.empty() ? "" : " ", command.operands);
}

std::vector<Option> shown_options(const Command& command) {
  std::vector<Option> options = command.options;
  const bool own = std::any_of(options.begin(), options.end(), [](const Option& o) { return o.name == "help"; });
  if (!own) options.push_back({"help", 'h', "", "show this help"});
  return options;
}

std::string command_help(const std::string& name, const Command& command, std::size_t width) {
  std::string text =
      cat("usage: ", wrapped(usage(name, command), width, 7, 7), "\n\n", wrapped(command.summary, width), "\n");
  if (!command.details.empty()) text += cat("\n", laid_out(paragraphs(command.details), width), "\n");
  const std::vector<Option> options = shown_options(command);
  const std::vector<std::string> shown = headings(options);
  for (const std::string& heading : shown) {
    const std::string title = !heading.empty() ? heading : shown.size() > 1 ? "Other options" : "Options";
    text += cat("\n", title, ":\n", options_help(options_under(heading, options), width));
  }
  return text;
}

std::string overview(const Program& program, std::size_t width) {
  std::string text = cat(wrapped(cat(program.name, " ", program.version, ": ", program.summary), width),
                         "\n\nusage: ", program.name, " COMMAND [OPTION…] [OPERAND…]\n");
  const Rows first = rows_that(program, [](const Command& row) { return row.first; });
  if (!first.empty()) text += cat("\nFirst of all:\n", summary_lines(first, width));
  for (const Group& group : program.groups) {
    text += cat("\n", group.title, ":\n", name_lines(rows_of_group(program, group.name), width));
  }
  text +=
      cat("\n", program.groups.empty() ? "Commands" : "Help", ":\n", summary_lines(rows_of_group(program, ""), width));
  return cat(text, "\n", help_pointer(program, width));
}

std::string commands_below(const Program& program, const std::string& prefix, std::size_t width) {
  const Rows rows = rows_below(program, prefix);
  if (rows.empty()) return "";
  return cat("Commands:\n", summary_lines(rows, width), "\n", "'", program.name, " COMMAND --help' explains one.\n");
}

std::string topic_help(const Program& program, const std::string& topic, std::size_t width) {
  if (topic == k_all_commands) return all_help(program, width);
  for (const Group& group : program.groups) {
    if (group.name == topic) return group_help(program, group, width);
  }
  for (const Topic& each : program.topics) {
    if (each.name == topic) return cat(each.title, "\n\n", laid_out(paragraphs(each.text), width), "\n");
  }
  for (const Command& row : all_commands(program)) {
    if (row.words == topic) return command_help(cat(program.name, " ", row.words), row, width);
  }
  for (const Command& link : program.links) {
    if (link.words == topic) return command_help(link.words, link, width);
  }
  if (topic == k_manual && !program.pages.empty()) return manual_help(program, "", width);
  for (const Page& page : program.pages) {
    const bool is_it = page.name == topic || short_name(page) == topic;
    if (is_it || replace_all(page.name, "/", "-") == replace_all(topic, " ", "-"))
      return page_text(program, page, width);
  }
  for (const Reference& each : program.references) {
    if (each.name != topic) continue;
    const std::string text = reference_text(each);
    return page_text(program, {each.name, each.title, text}, width);
  }
  if (std::string below = commands_below(program, topic, width); !below.empty()) return below;
  if (std::string pages = manual_help(program, topic, width); !pages.empty() && !topic.empty()) return pages;
  for (const Topic& each : program.topics) {
    if (const std::string row = row_of_topic(each.text, topic); !row.empty())
      return cat(row, "\n'", program.name, " help ", each.name, "' has the others.\n");
  }
  const std::optional<Topic> further = program.further ? program.further(topic) : std::nullopt;
  if (further)
    return cat(further->title, "\n\n", page_text(program, {further->name, further->title, further->text}, width));
  const std::optional<std::string> near = nearest_topic(program, topic);
  const std::vector<std::string> speak = pages_that_speak_of(program, topic);
  throw Error(ErrorKind::usage,
              cat("there is no help on '", topic, "'", near ? cat("; did you mean '", *near, "'?") : ""))
      .hint(cat(speak.empty() ? "" : cat("Pages that speak of it: ", program.name, " help ", join(speak, ", "), ". "),
                "Topics: ", join(topic_names(program), ", "), "; or a command."));
}

std::vector<std::string> topic_names(const Program& program) {
  std::vector<std::string> names;
  for (const Group& group : program.groups) names.push_back(group.name);
  for (const Topic& topic : program.topics) names.push_back(topic.name);
  for (const Reference& reference : program.references) names.push_back(reference.name);
  if (!program.pages.empty()) names.emplace_back(k_manual);
  names.emplace_back(k_all_commands);
  return names;
}

}  // namespace hearth::cli
