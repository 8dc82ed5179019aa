// Software configs and deployments that people make by hand, beside those of stacks: a deployment puts its config among
// the `deployments` of a server. Kept in the repository's settings.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "base/log.hpp"
#include "metadata/engine/repository.hpp"

namespace hearth::metadata::live {

class SoftwareStore {
 public:
  explicit SoftwareStore(Repository& repository) : repository_(repository) {}
  /// Reads all that is kept, in place of what is known. What can't be read is left where it is, and told.
  void load(Logger& log);

  /// Takes name, group, config, inputs, outputs, options; gives what was stored, with id and creation_time.
  Json add_config(const Json& given, std::int64_t now);
  [[nodiscard]] const Json* config(const std::string& id) const;
  [[nodiscard]] const std::map<std::string, Json>& configs() const { return configs_; }
  bool remove_config(const std::string& id);

  /// Takes config_id, server_id, action, status, status_reason, input_values, output_values.
  Json add_deployment(const Json& given, std::int64_t now);
  /// Null when there is none.
  const Json* change_deployment(const std::string& id, const Json& given, std::int64_t now);
  [[nodiscard]] const Json* deployment(const std::string& id) const;
  [[nodiscard]] const std::map<std::string, Json>& deployments() const { return deployments_; }
  bool remove_deployment(const std::string& id);

  /// Name and text of each entry in the server's metadata.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> entries(const std::string& server_id) const;

 private:
  void keep(const char* kind, const Json& row);

  Repository& repository_;
  std::map<std::string, Json> configs_;
  std::map<std::string, Json> deployments_;
};

}  // namespace hearth::metadata::live
