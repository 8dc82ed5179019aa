#include "base/cli/command.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <map>
#include <set>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::cli {

namespace {

const Option k_help = {"help", 'h', "", "show this help"};

void print_to(std::FILE* stream, const std::string& text) { std::fwrite(text.data(), 1, text.size(), stream); }

std::string usage_line(const std::string& name, const Command& command) {
  return cat("usage: ", name, command.options.empty() ? "" : " [OPTION…]", command.operands.empty() ? "" : " ",
             command.operands, "\n");
}

std::string command_help(const std::string& name, const Command& command) {
  std::string text = cat(usage_line(name, command), "\n", command.summary, "\n");
  if (!command.details.empty()) text += cat("\n", command.details, "\n");
  std::vector<Option> options = command.options;
  options.push_back(k_help);
  return cat(text, "\nOptions:\n", options_help(options));
}

std::string program_help(const Program& program, const std::string& prefix) {
  std::string text = cat(program.name, " ", program.version, ": ", program.summary, "\n\nusage: ", program.name,
                         " COMMAND [OPTION…] [OPERAND…]\n\nCommands:\n");
  std::size_t width = 0;
  for (const Command& command : program.commands) width = std::max(width, command.words.size());
  for (const Command& command : program.commands) {
    if (!prefix.empty() && command.words.compare(0, prefix.size(), prefix) != 0) continue;
    text += cat("  ", command.words, std::string(width + 2 - command.words.size(), ' '), command.summary, "\n");
  }
  return cat(text, "\n'", program.name, " COMMAND --help' explains a command.\n");
}

/// How many leading words of the command line are this command's name; 0 when they are not.
std::size_t words_matched(const Command& command, const std::vector<std::string>& words) {
  const std::vector<std::string> name = split_words(command.words);
  if (words.size() < name.size() || !std::equal(name.begin(), name.end(), words.begin())) return 0;
  return name.size();
}

/// Runs `body`, and turns whatever it throws into a message and an exit code.
template <class Body>
int guarded(const std::string& name, const Body& body) noexcept {
  try {
    return body();
  } catch (const Error& error) {
    print_to(stderr, cat(name, ": ", error.story(), "\n"));
    if (error.kind() == ErrorKind::usage) print_to(stderr, cat("Try '", name, " --help'.\n"));
    return error.exit_code();
  } catch (const std::bad_alloc&) {
    std::fputs("out of memory\n", stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "internal error: %s\n", error.what());
  }
  return 1;
}

int run_command(const std::string& name, const Command& command, const std::vector<std::string>& words) {
  std::vector<Option> options = command.options;
  const bool own_help = std::any_of(options.begin(), options.end(), [](const Option& o) { return o.name == "help"; });
  if (!own_help) options.push_back(k_help);
  const Arguments arguments = parse_options(options, words);
  if (!own_help && arguments.has("help")) {
    print_to(stdout, command_help(name, command));
    return 0;
  }
  return command.run(arguments);
}

[[noreturn]] void unknown_command(const Program& program, const std::vector<std::string>& words) {
  std::vector<std::string> names;
  for (const Command& command : program.commands) names.push_back(command.words);
  const std::string two = words.size() > 1 ? cat(words[0], " ", words[1]) : words[0];
  std::optional<std::string> near = nearest(two, names);
  if (!near) near = nearest(words[0], names);
  throw Error(ErrorKind::usage,
              cat("there is no command '", two, "'", near ? cat("; did you mean '", *near, "'?") : ""));
}

/// The first words of all commands, each once.
std::string first_words(const Program& program) {
  std::set<std::string> first;
  for (const Command& command : program.commands) first.insert(split_words(command.words)[0]);
  return join({first.begin(), first.end()}, " ");
}

/// Shell case branches: a first word → the second words that may follow.
std::string second_word_cases(const Program& program) {
  std::map<std::string, std::vector<std::string>> seconds;
  for (const Command& command : program.commands) {
    const std::vector<std::string> words = split_words(command.words);
    if (words.size() > 1) seconds[words[0]].push_back(words[1]);
  }
  std::string cases;
  for (const auto& [first, words] : seconds) cases += cat("    ", first, ") words='", join(words, " "), "' ;;\n");
  return cases;
}

/// Shell case branches: a command's two words (a one-word command's, and anything) → its options.
std::string option_cases(const Program& program) {
  std::string cases;
  for (const Command& command : program.commands) {
    std::vector<std::string> options;
    for (const Option& option : command.options) {
      if (!option.name.empty()) options.push_back(option.display());
    }
    const bool two_words = split_words(command.words).size() > 1;
    cases += cat("    '", command.words, two_words ? "'" : " '*", ") options='", join(options, " "), "' ;;\n");
  }
  return cases;
}

}  // namespace

int run(const Program& program, const std::vector<std::string>& words) noexcept {
  return guarded(program.name, [&]() -> int {
    if (words.empty() || words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
      print_to(words.empty() ? stderr : stdout, program_help(program, ""));
      return words.empty() ? 2 : 0;
    }
    if (words[0] == "--version") {
      print_to(stdout, cat(program.name, " ", program.version, "\n"));
      return 0;
    }
    for (const Command& command : program.commands) {
      const std::size_t used = words_matched(command, words);
      if (used == 0) continue;
      const std::string name = cat(program.name, " ", command.words);
      const std::vector<std::string> rest(words.begin() + static_cast<std::ptrdiff_t>(used), words.end());
      return guarded(name, [&] { return run_command(name, command, rest); });
    }
    const bool is_group = std::any_of(program.commands.begin(), program.commands.end(), [&](const Command& command) {
      return command.words.compare(0, words[0].size() + 1, words[0] + " ") == 0;
    });
    if (is_group && (words.size() == 1 || words[1] == "--help" || words[1] == "-h")) {
      print_to(stdout, program_help(program, words[0] + " "));
      return words.size() == 1 ? 2 : 0;
    }
    unknown_command(program, words);
  });
}

int run_single(const Program& program, const Command& command, const std::vector<std::string>& words) noexcept {
  return guarded(program.name, [&] { return run_command(program.name, command, words); });
}

std::string bash_completion(const Program& program) {
  return cat(
      "_", program.name, "() {\n  local current=\"${COMP_WORDS[COMP_CWORD]}\" words= options=\n",
      "  if [ \"$COMP_CWORD\" = 1 ]; then\n    COMPREPLY=($(compgen -W '", first_words(program),
      "' -- \"$current\"))\n    return\n  fi\n",
      "  if [ \"$COMP_CWORD\" = 2 ]; then\n    case \"${COMP_WORDS[1]}\" in\n", second_word_cases(program),
      "    esac\n    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n    [ -z \"$words\" ] || return 0\n  fi\n",
      "  case \"${COMP_WORDS[1]} ${COMP_WORDS[2]}\" in\n", option_cases(program),
      "  esac\n  COMPREPLY=($(compgen -W \"$options\" -- \"$current\") $(compgen -f -- \"$current\"))\n}\n",
      "complete -F _", program.name, " ", program.name, "\n");
}

void print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

}  // namespace hearth::cli
