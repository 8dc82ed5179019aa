#include "agent/value/value.hpp"

#include "base/python_json.hpp"

namespace hearth::agent {

std::string value_text(const Json* value) {
  if (value == nullptr || value->is_null()) return "";
  return value->is_string() ? value->get_ref<const std::string&>() : python_json(*value);
}

bool is_set(const Json* value) {
  if (value == nullptr || value->is_null()) return false;
  if (value->is_boolean()) return value->get<bool>();
  if (value->is_number()) return value->get<double>() != 0;
  if (value->is_string()) return !value->get_ref<const std::string&>().empty();
  return !value->empty();
}

void put_variable(Environment& env, const std::string& name, const std::string& value) {
  const bool possible = !name.empty() && name.find('=') == std::string::npos && name.find('\0') == std::string::npos &&
                        value.find('\0') == std::string::npos;
  if (possible) env[name] = value;
}

}  // namespace hearth::agent
