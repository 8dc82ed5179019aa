#include "base/cli/near_option.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>

#include "base/cli/help.hpp"
#include "base/text.hpp"

namespace hearth::cli {

namespace {

/// What other programs call an option that ours have: of those behind the first the table's first is meant.
constexpr std::array<std::string_view, 13> k_alike_options = {
    "type format",
    "json format f fields field column columns c long",
    "url os-cloud os-url os-auth-url os-endpoint endpoint host server",
    "token-file token os-token",
    "memory ram mem m",
    "cpus cpu vcpus cores smp",
    "forward port ports publish p",
    "follow tail watch f",
    "dry-run check simulate noop",
    "timeout wait",
    "output out name file o",
    "template file f",
    "environment env"};

std::string typed(const Option& option) {
  return cat(option.display(), option.name.empty() && !option.value_name.empty() ? cat(" ", option.value_name) : "");
}

const Option* named(const std::vector<Option>& table, std::string_view name) {
  const auto found =
      std::find_if(table.begin(), table.end(), [&](const Option& each) { return !name.empty() && each.name == name; });
  return found == table.end() ? nullptr : &*found;
}

/// "size" of "--image-size", where no other has that part.
const Option* with_part(const std::vector<Option>& table, const std::string& name) {
  const Option* found = nullptr;
  for (const Option& option : table) {
    const std::vector<std::string> parts = split(option.name, '-');
    if (parts.size() < 2 || std::find(parts.begin(), parts.end(), name) == parts.end()) continue;
    if (found != nullptr) return nullptr;
    found = &option;
  }
  return found;
}

/// "--site" for "--boot SITE": those that take such a value.
std::vector<const Option*> with_value(const std::vector<Option>& table, const std::string& name) {
  std::vector<const Option*> found;
  for (const Option& option : table) {
    if (!option.value_name.empty() && to_lower(option.value_name) == name) found.push_back(&option);
  }
  return found;
}

/// "x" of "unrecognized option '--x'…" and of "invalid option -- 'x'".
std::string word_of(const std::string& fault) {
  for (const std::string_view begin : {"unrecognized option '--", "invalid option -- '"}) {
    if (fault.starts_with(begin)) return fault.substr(begin.size(), fault.find('\'', begin.size()) - begin.size());
  }
  return "";
}

/// "web1" of "--server web1", where SERVER is what the command is told without an option; else empty.
std::string operand_meant(const Command& command, const std::string& option) {
  for (const std::string& word : split_words(command.operands)) {
    std::string plain = to_lower(word);
    std::erase_if(plain, [](char c) { return (c < 'a' || c > 'z') && c != '-'; });
    if (plain == option) return word;
  }
  return "";
}

/// "hearth node show or hearth node list"; empty of none, and of many.
std::string who_has(const Program& program, const std::string& option) {
  constexpr std::size_t k_most = 4;
  std::vector<std::string> found;
  for (const Command& row : program.commands) {
    if (named(row.options, option) != nullptr) found.push_back(cat(program.name, " ", row.words));
  }
  return found.size() > k_most ? "" : join(found, " or ");
}

}  // namespace

std::string near_option(const std::vector<Option>& table, const std::string& name) {
  if (name.empty()) return "";
  const std::string plain = replace_all(to_lower(name), "_", "-");
  if (const Option* same = named(table, plain)) return typed(*same);
  std::vector<std::string> names;
  for (const Option& option : table) {
    if (!option.name.empty()) names.push_back(option.name);
  }
  const bool is_letter = name.size() == 1;
  const std::optional<std::string> near = is_letter ? std::nullopt : nearest(plain, names);
  if (near) return cat("--", *near);
  const std::vector<const Option*> taking = with_value(table, plain);
  for (const std::string_view set : k_alike_options) {
    const std::vector<std::string> words = split_words(set);
    if (std::find(words.begin(), words.end(), plain) == words.end()) continue;
    if (const Option* meant = named(table, words.front())) return typed(*meant);
    const auto letter = std::find_if(table.begin(), table.end(), [&](const Option& each) {
      return each.name.empty() && each.letter == words.front().front() && !is_letter;
    });
    if (letter != table.end()) return typed(*letter);
  }
  if (taking.size() == 1) return signature(*taking.front());
  if (const Option* part = with_part(table, plain)) return typed(*part);
  if (!taking.empty()) return signature(*taking.front());
  const auto letter = std::find_if(table.begin(), table.end(), [&](const Option& option) {
    return !is_letter && option.name.empty() && !option.value_name.empty() && option.letter == plain.front();
  });
  return letter == table.end() ? "" : typed(*letter);
}

std::optional<std::string> near_value(const Option& option, const std::string& value) {
  const std::string plain = to_lower(trim(value));
  for (const auto& [others, ours] : option.alike_values) {
    if (others == plain) return ours;
  }
  return nearest(value, option.values);
}

std::string option_advice(const std::string& name, const Command& command, const Program* program,
                          const std::string& fault) {
  constexpr std::size_t k_longest = 320;
  const std::string option = word_of(fault);
  if (option.empty()) return "";
  const auto instead = std::find_if(command.instead.begin(), command.instead.end(),
                                    [&](const auto& each) { return each.first == option; });
  if (instead != command.instead.end()) return instead->second;
  if (const std::string meant = operand_meant(command, option); !meant.empty())
    return cat(meant, " stands by itself, without an option: ", name, " ", command.operands);
  if (fault.find("did you mean") != std::string::npos) return "";
  std::string told;
  if (const std::string others = program == nullptr ? "" : who_has(*program, option); !others.empty())
    told = cat("--", option, " is an option of ", others, ". ");
  std::vector<std::string> own;
  for (const Option& each : command.options) own.push_back(each.display());
  const std::string list = own.empty() ? cat(name, " has no options.") : cat(name, " has ", join(own, ", "), ".");
  return cat(told, list.size() > k_longest ? "" : list);
}

bool is_option_of_others(const Program& program, const std::string& word) {
  return word.starts_with("--") && word != "--man" && word != "--markdown" &&
         std::any_of(program.commands.begin(), program.commands.end(),
                     [&](const Command& row) { return named(row.options, word.substr(2)) != nullptr; });
}

std::string option_help(const Program& program, const std::string& word) {
  std::map<std::string, std::vector<std::string>> rows;  // by what it does there
  for (const Command& row : program.commands) {
    const Option* const option = named(row.options, word.substr(2));
    if (option == nullptr) continue;
    rows[cat(signature(*option), "  ", option->help)].push_back(cat(program.name, " ", row.words));
  }
  std::string text;
  for (const auto& [does, commands] : rows) text += cat(does, "\n    ", join(commands, ", "), "\n");
  return text;
}

}  // namespace hearth::cli
