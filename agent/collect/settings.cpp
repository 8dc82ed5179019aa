#include "agent/collect/settings.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

std::optional<bool> parse_boolean(std::string_view text) {
  const std::string word = to_lower(trim(text));
  for (const std::string_view yes : {"true", "1", "on", "yes"}) {
    if (word == yes) return true;
  }
  for (const std::string_view no : {"false", "0", "off", "no"}) {
    if (word == no) return false;
  }
  return std::nullopt;
}

std::optional<double> parse_double(std::string_view text) {
  const std::string word(trim(text));
  const bool plain = !word.empty() && word.find_first_not_of("0123456789.eE+-") == std::string::npos;
  char* end = nullptr;
  const double value = std::strtod(word.c_str(), &end);
  if (!plain || *end != '\0' || !(value >= 0 && value < 1e9)) return std::nullopt;
  return value;
}

bool is_name_start(char c) { return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_name_char(char c) { return is_name_start(c) || c == '.' || (c >= '0' && c <= '9'); }

/// A "$…" at the start of a text: what it names, and how many characters it takes. Empty name: no reference.
struct Dollar {
  std::string_view name;
  std::size_t length = 0;
};

Dollar dollar_at(std::string_view text) {
  const bool braced = text.size() > 1 && text[1] == '{';
  const std::size_t begin = braced ? 2 : 1;
  std::size_t end = begin;
  if (end >= text.size() || !is_name_start(text[end])) return {};
  while (end < text.size() && is_name_char(text[end])) ++end;
  if (!braced) return {text.substr(begin, end - begin), end};
  if (end >= text.size() || text[end] != '}') return {};
  return {text.substr(begin, end - begin), end + 1};
}

bool is_secret(std::string_view name) { return name == "password" || name == "secret_access_key"; }

/// Words of a comma separated environment value.
std::vector<std::string> comma_list(std::string_view text) {
  std::vector<std::string> words;
  for (const std::string& word : split(text, ',')) words.emplace_back(trim(word));
  return words;
}

}  // namespace

Settings::Settings(const std::vector<Assignment>& files, const Environment& env, const cli::Arguments& arguments) {
  read_files(files);
  read_environment(env);
  read_arguments(arguments);
  check_types();
  for (const auto& [key, values] : values_) {
    if (is_secret(key.second)) continue;  // a password may hold dollar signs, and does not belong into the log
    for (const std::string& value : values) (void)expand(value, key.first, {}, &warnings_);
  }
}

void Settings::add(const SettingRow& row, std::string value) {
  std::vector<std::string>& values = values_[{row.group, row.name}];
  if (row.type != SettingType::list) values.clear();
  values.push_back(std::move(value));
}

void Settings::read_files(const std::vector<Assignment>& files) {
  for (const Assignment& assignment : files) {
    if (const SettingRow* row = find_row(assignment.group, assignment.key)) add(*row, assignment.value);
  }
}

void Settings::read_environment(const Environment& env) {
  for (const SettingRow& row : setting_rows()) {
    const auto found = env.find(environment_name(row));
    if (found == env.end()) continue;
    values_[{row.group, row.name}] =
        row.type == SettingType::list ? comma_list(found->second) : std::vector<std::string>{found->second};
  }
}

void Settings::read_arguments(const cli::Arguments& arguments) {
  for (const SettingRow& row : setting_rows()) {
    if (row.option.empty()) continue;
    for (std::string& value : arguments.values(std::string(row.option))) {
      add(row, row.type == SettingType::boolean ? "true" : std::move(value));
    }
    if (row.type == SettingType::boolean && arguments.has(inverse_option(row))) add(row, "false");
  }
  for (const OptionAlias& alias : option_aliases()) {
    const std::optional<std::string> value = arguments.value(std::string(alias.alias));
    if (value) add(*find_row("DEFAULT", replace_all(std::string(alias.option), "-", "_")), *value);
  }
  if (!arguments.operands().empty()) values_[{"DEFAULT", "collectors"}] = arguments.operands();
}

void Settings::check_types() const {
  for (const auto& [key, values] : values_) {
    const SettingRow& row = *find_row(key.first, key.second);
    const std::string value = values.empty() ? "" : expand(values.back(), row.group, {}, nullptr);
    if (trim(value).empty()) continue;
    if (row.type == SettingType::number && !parse_double(value)) {
      throw Error(ErrorKind::input, cat("argument --", row.name, ": Invalid Float value: ", value));
    }
    if (row.type == SettingType::boolean && !parse_boolean(value)) {
      throw Error(ErrorKind::input, cat("argument --", row.name, ": Invalid Boolean value: ", value));
    }
  }
}

const std::vector<std::string>& Settings::raw(std::string_view group, std::string_view name) const {
  const SettingRow* row = find_row(group, name);
  if (row == nullptr) throw std::logic_error(cat("no row of the table is ", group, ".", name));
  const auto found = values_.find({row->group, row->name});
  return found == values_.end() ? row->preset : found->second;
}

std::optional<std::string> Settings::text(std::string_view group, std::string_view name) const {
  const std::vector<std::string>& values = raw(group, name);
  if (values.empty()) return std::nullopt;
  std::string value = expand(values.back(), group, {}, nullptr);
  if (trim(value).empty()) return std::nullopt;
  return value;
}

std::string Settings::text_or(std::string_view group, std::string_view name, std::string fallback) const {
  return text(group, name).value_or(std::move(fallback));
}

double Settings::number(std::string_view group, std::string_view name) const {
  const std::string preset = find_row(group, name)->preset.front();
  return parse_double(text_or(group, name, preset)).value_or(0);
}

bool Settings::flag(std::string_view group, std::string_view name) const {
  const std::string preset = find_row(group, name)->preset.front();
  return parse_boolean(text_or(group, name, preset)).value_or(false);
}

std::vector<std::string> Settings::list(std::string_view group, std::string_view name) const {
  std::vector<std::string> values;
  for (const std::string& value : raw(group, name)) {
    std::string expanded = expand(value, group, {}, nullptr);
    if (!trim(expanded).empty()) values.push_back(std::move(expanded));
  }
  return values;
}

/// "$$" and "\$" are a dollar sign; what names no option stays as it is, since it is probably meant for the shell.
std::string Settings::expand(std::string_view text, std::string_view group, const std::set<Key>& open,
                             std::vector<std::string>* warnings) const {
  std::string out;
  while (!text.empty()) {
    const bool escaped = text.substr(0, 2) == "$$" || text.substr(0, 2) == "\\$";
    const Dollar dollar = text.front() == '$' && !escaped ? dollar_at(text) : Dollar{};
    if (dollar.name.empty()) {
      out += escaped ? '$' : text.front();
      text.remove_prefix(escaped ? 2 : 1);
      continue;
    }
    const std::optional<std::string> value = reference(dollar.name, group, open);
    out += value ? *value : std::string(text.substr(0, dollar.length));
    if (!value && warnings != nullptr) {
      warnings->push_back(
          cat("There is no option '", dollar.name, "'; '", text.substr(0, dollar.length), "' stays as it is"));
    }
    text.remove_prefix(dollar.length);
  }
  return out;
}

/// The value that "name" or "group.name" stands for, looked up in the same group first. `open` are the options that
/// are being expanded: one that refers to itself has no value.
std::optional<std::string> Settings::reference(std::string_view name, std::string_view group,
                                               std::set<Key> open) const {
  const std::size_t dot = name.find('.');
  const SettingRow* row = nullptr;
  if (dot != std::string_view::npos) {
    row = find_row(normal_group(name.substr(0, dot)), name.substr(dot + 1));
  } else {
    row = find_row(group, name);
    if (row == nullptr) row = find_row("DEFAULT", name);
  }
  if (row == nullptr || !open.insert({row->group, row->name}).second) return std::nullopt;
  return shown(*row, open);
}

/// A value inside another text, in the form that Python prints it.
std::string Settings::shown(const SettingRow& row, const std::set<Key>& open) const {
  std::vector<std::string> values;
  for (const std::string& value : raw(row.group, row.name)) values.push_back(expand(value, row.group, open, nullptr));
  if (row.type == SettingType::list) return python_text(Json(values));
  if (values.empty()) return "";
  if (row.type == SettingType::number) return python_text(Json(parse_double(values.back()).value_or(0)));
  if (row.type == SettingType::boolean) return python_text(Json(parse_boolean(values.back()).value_or(false)));
  return values.back();
}

namespace {

bool is_file(const std::string& path, const FileReader& files) {
  const std::optional<FileStatus> status = files.status(path);
  return status && status->type != FileStatus::Type::directory;
}

void add_directory(std::vector<std::string>& paths, const std::string& directory, const FileReader& files) {
  for (const std::string& name : files.list(directory)) {
    const bool fits = name.size() > 5 && name.compare(name.size() - 5, 5, ".conf") == 0 && name.front() != '.';
    const std::string path = cat(directory, "/", name);
    if (fits && is_file(path, files)) paths.push_back(path);
  }
}

}  // namespace

ConfigFiles find_config_files(const cli::Arguments& arguments, const std::string& home, const FileReader& files) {
  ConfigFiles found;
  found.files = arguments.values("config-file");
  for (const std::string& path : found.files) {
    if (!is_file(path, files)) throw Error(ErrorKind::not_found, cat("Failed to find some config files: ", path));
  }
  const std::vector<std::string> places = {home, "/etc"};
  for (const std::string& place : places) {
    const std::string path = cat(place, "/os-collect-config.conf");
    if (!arguments.has("config-file") && !place.empty() && is_file(path, files)) found.files.push_back(path);
  }
  std::vector<std::string> directories = arguments.values("config-dir");
  if (directories.empty()) {
    for (const std::string& place : places) directories.push_back(cat(place, "/os-collect-config.conf.d"));
  }
  for (const std::string& directory : directories) add_directory(found.from_dirs, directory, files);
  return found;
}

std::vector<Assignment> read_config_files(const ConfigFiles& config, const FileReader& files) {
  std::vector<Assignment> all;
  for (const std::vector<std::string>* paths : {&config.files, &config.from_dirs}) {
    for (const std::string& path : *paths) {
      std::vector<Assignment> some = parse_ini(files.read(path).value_or(""), path).value_or_throw();
      std::move(some.begin(), some.end(), std::back_inserter(all));
    }
  }
  return all;
}

std::string fingerprint(const std::vector<std::string>& paths, const FileReader& files) {
  Hasher hasher(HashKind::md5);
  for (const std::string& path : paths) {
    try {
      hasher.update(files.read(path).value_or(""));
    } catch (const Error&) {  // unreadable now: it may be readable next time, which is a change like any other
    }
  }
  return hasher.hex_digest();
}

}  // namespace hearth::agent
