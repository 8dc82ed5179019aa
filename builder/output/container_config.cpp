#include "builder/output/container_config.hpp"

#include <algorithm>
#include <cctype>
#include <functional>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

constexpr std::uint64_t k_last_port = 65535;
constexpr const char* k_usual_path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// One instruction, and where it comes from.
struct Instruction {
  std::string name;
  std::string rest;
  std::string from;

  [[noreturn]] void refuse(std::string_view why) const {
    throw Error(ErrorKind::usage, cat(from, ": ", name, " ", rest, ": ", why));
  }
};

/// Words as a Dockerfile has them: blanks part them, quotes and backslashes keep blanks.
std::vector<std::string> dockerfile_words(const Instruction& instruction) {
  std::vector<std::string> words;
  std::string word;
  bool open = false;  // inside of a word
  char quote = 0;
  const std::string& text = instruction.rest;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == 0 && (c == ' ' || c == '\t')) {
      if (open) words.push_back(std::exchange(word, ""));
      open = false;
      continue;
    }
    open = true;
    if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      word += text[++i];
    } else if (c == '$' && quote != '\'') {
      instruction.refuse("variables are not expanded; a dollar sign stands in '…' or behind a backslash");
    } else {
      word += c;
    }
  }
  if (quote != 0) instruction.refuse("a quotation mark is missing");
  if (open) words.push_back(word);
  return words;
}

/// What begins with a bracket is a JSON list of strings.
std::vector<std::string> json_words(const Instruction& instruction) {
  const Result<Json> list = parse_json(instruction.rest, instruction.from);
  const bool texts = list.ok() && list.value().is_array() &&
                     std::all_of(list.value().begin(), list.value().end(), [](const Json& j) { return j.is_string(); });
  if (!texts) instruction.refuse("this is no JSON list of strings, as in [\"nginx\", \"-g\", \"daemon off;\"]");
  return list.value().get<std::vector<std::string>>();
}

/// The list form is run as it is, the other one by a shell.
std::vector<std::string> program(const Instruction& instruction) {
  if (instruction.rest.starts_with('[')) return json_words(instruction);
  return {"/bin/sh", "-c", instruction.rest};
}

std::string one_word(const Instruction& instruction) {
  const std::vector<std::string> words = dockerfile_words(instruction);
  if (words.size() != 1) instruction.refuse("this is to be one word");
  return words.front();
}

/// "A=1 B=2"; or "A all the rest" for one.
std::vector<std::pair<std::string, std::string>> assignments(const Instruction& instruction) {
  std::vector<std::pair<std::string, std::string>> pairs;
  std::vector<std::string> words = dockerfile_words(instruction);
  if (words.size() > 1 && words.front().find('=') == std::string::npos) {
    const std::string name = words.front();
    words.erase(words.begin());
    return {{name, join(words, " ")}};
  }
  for (const std::string& word : words) {
    const std::size_t at = word.find('=');
    if (at == std::string::npos || at == 0) instruction.refuse(cat("'", word, "' is not NAME=VALUE"));
    pairs.emplace_back(word.substr(0, at), word.substr(at + 1));
  }
  return pairs;
}

std::string port(const Instruction& instruction, const std::string& word) {
  const std::size_t at = word.find('/');
  const std::string protocol = at == std::string::npos ? "tcp" : to_lower(word.substr(at + 1));
  const std::uint64_t number = parse_number(word.substr(0, at)).value_or(0);
  const bool known = protocol == "tcp" || protocol == "udp" || protocol == "sctp";
  if (number < 1 || number > k_last_port || !known)
    instruction.refuse(cat("'", word, "' is not PORT or PORT/PROTOCOL"));
  return cat(number, "/", protocol);
}

void set_variable(ContainerConfig& config, const std::string& name, const std::string& value) {
  for (auto& [known, text] : config.environment) {
    if (known == name) {
      text = value;
      return;
    }
  }
  config.environment.emplace_back(name, value);
}

using Handler = std::function<void(ContainerConfig&, const Instruction&)>;

const std::vector<std::pair<std::string, Handler>>& handlers() {
  static const std::vector<std::pair<std::string, Handler>> all = {
      {"CMD", [](auto& config, const auto& given) { config.command = program(given); }},
      {"ENTRYPOINT", [](auto& config, const auto& given) { config.entrypoint = program(given); }},
      {"ENV",
       [](auto& config, const auto& given) {
         for (const auto& [name, value] : assignments(given)) set_variable(config, name, value);
       }},
      {"EXPOSE",
       [](auto& config, const auto& given) {
         for (const std::string& word : dockerfile_words(given)) config.ports.insert(port(given, word));
       }},
      {"LABEL",
       [](auto& config, const auto& given) {
         for (const auto& [name, value] : assignments(given)) config.labels[name] = value;
       }},
      {"STOPSIGNAL", [](auto& config, const auto& given) { config.stop_signal = one_word(given); }},
      {"USER", [](auto& config, const auto& given) { config.user = one_word(given); }},
      {"VOLUME",
       [](auto& config, const auto& given) {
         const bool list = given.rest.starts_with('[');
         for (const std::string& path : list ? json_words(given) : dockerfile_words(given)) config.volumes.insert(path);
       }},
      {"WORKDIR",
       [](auto& config, const auto& given) {
         config.working_directory = one_word(given);
         if (!config.working_directory.starts_with('/')) given.refuse("this is no absolute path");
       }},
  };
  return all;
}

void add_instruction(ContainerConfig& config, std::string_view text, const std::string& from) {
  const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
  const std::string name = to_upper(text.substr(0, end));
  const Instruction given{name, std::string(trim(text.substr(end))), from};
  std::vector<std::string> names;
  for (const auto& [known, handle] : handlers()) {
    names.push_back(known);
    if (known != name) continue;
    if (given.rest.empty()) given.refuse("a value is missing");
    return handle(config, given);
  }
  const auto meant = nearest(name, names);
  throw Error(ErrorKind::usage,
              cat(from, ": '", name, "' configures no container", meant ? cat(", did you mean ", *meant, "?") : ""))
      .hint(cat("Instructions of a Dockerfile that can stand here: ", join(names, ", ")));
}

Json keys_of(const std::set<std::string>& names) {
  Json keys = Json::object();
  for (const std::string& name : names) keys[name] = Json::object();
  return keys;
}

}  // namespace

ContainerConfig parse_container_config(const std::vector<std::string>& instructions, const std::string& from) {
  ContainerConfig config;
  for (const std::string& each : instructions) add_instruction(config, trim(each), from);
  return config;
}

ContainerConfig with_defaults(ContainerConfig config, const FileReader& tree) {
  const auto is_path = [](const auto& variable) { return variable.first == "PATH"; };
  if (std::none_of(config.environment.begin(), config.environment.end(), is_path)) {
    config.environment.insert(config.environment.begin(), {"PATH", k_usual_path});
  }
  if (!config.command.empty() || !config.entrypoint.empty()) return config;
  for (const char* shell : {"/bin/bash", "/bin/sh"}) {
    if (!tree.status(shell)) continue;
    config.command = {shell};
    break;
  }
  return config;
}

std::string config_json(const ContainerConfig& config) {
  Json json = Json::object();
  const auto add = [&](const char* key, const auto& value) {
    if (!value.empty()) json[key] = value;
  };
  add("User", config.user);
  add("ExposedPorts", keys_of(config.ports));
  std::vector<std::string> variables;
  for (const auto& [name, value] : config.environment) variables.push_back(cat(name, "=", value));
  add("Env", variables);
  add("Entrypoint", config.entrypoint);
  add("Cmd", config.command);
  add("Volumes", keys_of(config.volumes));
  add("WorkingDir", config.working_directory);
  add("Labels", config.labels);
  add("StopSignal", config.stop_signal);
  return format_json(json);
}

}  // namespace hearth::builder
