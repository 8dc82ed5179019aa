#include "agent/apply/control.hpp"

#include "agent/apply/yaml_reader.hpp"
#include "base/error.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

std::string octal_number(std::int64_t number) {
  std::string digits;
  for (std::uint64_t rest = static_cast<std::uint64_t>(number < 0 ? -number : number); rest > 0; rest /= 8) {
    digits.insert(digits.begin(), static_cast<char>('0' + rest % 8));
  }
  return cat(number < 0 ? "-" : "", "0o", digits.empty() ? "0" : digits);
}

/// The id of an account in the colon-separated form of passwd(5) and group(5): a text is a name, a number an id.
std::optional<std::uint32_t> find_id(const std::string& database, const Json& account) {
  const std::string wanted = python_text(account);
  for (const std::string& line : split_lines(database)) {
    const std::vector<std::string> fields = split(line, ':');
    if (fields.size() < 3 || fields[account.is_string() ? 0 : 2] != wanted) continue;
    const std::optional<std::uint64_t> id = parse_number(fields[2]);
    if (id && *id < 0xffffffffU) return static_cast<std::uint32_t>(*id);
  }
  return std::nullopt;
}

/// What Python takes for false is a header that says nothing, as for the original.
bool is_nothing(const Json& value) {
  const bool zero = value.is_number() && value.get<double>() == 0;
  const bool blank = value.is_string() && value.get_ref<const std::string&>().empty();
  return value.is_null() || value == false || zero || blank || (value.is_structured() && value.empty());
}

class ControlReader {
 public:
  ControlReader(const std::string& template_path, const Accounts& accounts)
      : template_path_(template_path), accounts_(accounts) {}

  void take(const std::string& key, const Json& value) {
    if (key == "mode") {
      take_mode(value);
    } else if (key == "owner") {
      control_.uid = account("owner", "passwd", accounts_.passwd, value);
    } else if (key == "group") {
      control_.gid = account("group", "group", accounts_.group, value);
    } else if (key == "allow_empty") {
      take_allow_empty(value);
    } else {
      refuse(cat("unrecognised file control key '", key, "'"));
    }
  }

  [[nodiscard]] const FileControl& control() const { return control_; }

 private:
  [[noreturn]] void refuse(const std::string& message) const { throw template_error(message, template_path_); }

  void take_mode(const Json& value) {
    if (!value.is_number_integer()) refuse(cat("mode '", python_text(value), "' is not numeric"));
    const auto mode = value.get<std::int64_t>();
    if (mode < 0 || mode > 0777) refuse(cat("mode '", octal_number(mode), "' out of range"));
    if (mode != 0) control_.mode = static_cast<std::uint32_t>(mode);
  }

  [[nodiscard]] std::uint32_t account(std::string_view what, std::string_view database, const std::string& text,
                                      const Json& value) const {
    if (!value.is_string() && !value.is_number_integer()) {
      refuse(cat(what, " '", python_text(value), "' must be a string or int"));
    }
    const std::optional<std::uint32_t> id = find_id(text, value);
    if (!id) refuse(cat(what, " '", python_text(value), "' not found in ", database, " database"));
    return *id;
  }

  void take_allow_empty(const Json& value) {
    if (!value.is_boolean()) refuse(cat("allow_empty requires Boolean, got: '", python_text(value), "'"));
    control_.allow_empty = value.get<bool>();
  }

  const std::string& template_path_;
  const Accounts& accounts_;
  FileControl control_;
};

}  // namespace

Error template_error(const std::string& message, const std::string& template_path) {
  std::string text = python_text(Json::array({message, template_path}));
  text.front() = '(';
  text.back() = ')';
  return {ErrorKind::input, text};
}

FileControl parse_control(const std::string& yaml, const std::string& template_path, const Accounts& accounts) {
  const Result<Json> parsed = parse_yaml11(yaml, cat(template_path, ".oac"));
  if (!parsed) throw template_error(cat("bad YAML: ", parsed.error().text()), template_path);
  if (is_nothing(*parsed)) return {};
  if (!parsed->is_object()) throw template_error(cat("header is not a dict: ", template_path), template_path);
  ControlReader reader(template_path, accounts);
  for (const auto& [key, value] : parsed->items()) reader.take(key, value);
  return reader.control();
}

}  // namespace hearth::agent
