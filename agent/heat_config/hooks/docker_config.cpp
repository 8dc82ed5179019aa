#include "agent/heat_config/hooks/docker_config.hpp"

#include "agent/apply/yaml_reader.hpp"
#include "agent/heat_config/deployment/deployment.hpp"
#include "agent/heat_config/hooks/tools.hpp"
#include "agent/value/value.hpp"
#include "base/error.hpp"

namespace hearth::agent {

Json container_config(const Json& deployment) {
  const Json* given = find_member(deployment, "config");
  if (!is_set(given)) return nullptr;
  Json config = given->is_string() ? parse_yaml11(given->get<std::string>(), "the config").value_or_throw() : *given;
  if (!is_set(&config)) return nullptr;
  if (!config.is_object()) throw Error(ErrorKind::input, "the config has to be a mapping");
  return config;
}

}  // namespace hearth::agent
