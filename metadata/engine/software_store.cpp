#include "metadata/engine/software_store.hpp"

#include "base/error.hpp"
#include "base/foreign_json.hpp"
#include "base/sys/random.hpp"
#include "base/text.hpp"
#include "metadata/engine/records_json.hpp"

namespace hearth::metadata::live {

namespace {

std::string id_of(const Json& row) { return row.value("id", ""); }

const Json* found_in(const std::map<std::string, Json>& rows, const std::string& id) {
  const auto found = rows.find(id);
  return found == rows.end() ? nullptr : &found->second;
}

Json given_or(const Json& given, const char* key, const Json& fallback) {
  const auto found = given.find(key);
  return found == given.end() || found->is_null() ? fallback : *found;
}

}  // namespace

void SoftwareStore::load(Logger& log) {
  std::map<std::string, Json> configs;
  std::map<std::string, Json> deployments;
  for (auto* rows : {&configs, &deployments}) {
    for (const std::string& text : repository_.settings_below(rows == &configs ? "config/" : "deployment/")) {
      try {
        Json row = kept_json(text, "a software config in the database");
        const std::string id = id_of(row);
        (*rows)[id] = std::move(row);
      } catch (const Error& error) {
        log.error(cat("left out: ", error.story()));
      } catch (const Json::exception& error) {
        log.error(cat("left out: a software config in the database: ", json_fault(error)));
      }
    }
  }
  configs_ = std::move(configs);  // what was known is known until all is read
  deployments_ = std::move(deployments);
}

void SoftwareStore::keep(const char* kind, const Json& row) {
  const std::string key = cat(kind, "/", id_of(row));
  repository_.set(key, kept_text(row, key));
}

Json SoftwareStore::add_config(const Json& given, std::int64_t now) {
  Json row = Json::object();
  row["id"] = random_uuid();
  row["name"] = given_or(given, "name", "");
  row["group"] = given_or(given, "group", "Heat::Ungrouped");
  row["creation_time"] = iso_time(now);
  row["config"] = given_or(given, "config", "");
  row["inputs"] = given_or(given, "inputs", Json::array());
  row["outputs"] = given_or(given, "outputs", Json::array());
  row["options"] = given_or(given, "options", Json::object());
  row["project"] = given_or(given, "project", "admin");
  keep("config", row);
  return configs_[id_of(row)] = row;
}

const Json* SoftwareStore::config(const std::string& id) const { return found_in(configs_, id); }

bool SoftwareStore::remove_config(const std::string& id) {
  const auto found = configs_.find(id);
  if (found == configs_.end()) return false;
  repository_.unset(cat("config/", id));
  configs_.erase(found);  // last: `id` may be its own key
  return true;
}

Json SoftwareStore::add_deployment(const Json& given, std::int64_t now) {
  Json row = Json::object();
  row["id"] = given_or(given, "deployment_id", random_uuid());
  row["server_id"] = given_or(given, "server_id", "");
  row["input_values"] = given_or(given, "input_values", Json::object());
  row["output_values"] = given_or(given, "output_values", Json());
  row["action"] = given_or(given, "action", "INIT");
  row["status"] = given_or(given, "status", "COMPLETE");
  row["status_reason"] = given_or(given, "status_reason", Json());
  row["config_id"] = given_or(given, "config_id", "");
  row["creation_time"] = iso_time(now);
  row["updated_time"] = Json();
  row["project"] = given_or(given, "project", "admin");
  keep("deployment", row);
  return deployments_[id_of(row)] = row;
}

const Json* SoftwareStore::change_deployment(const std::string& id, const Json& given, std::int64_t now) {
  const auto found = deployments_.find(id);
  if (found == deployments_.end()) return nullptr;
  Json row = found->second;
  for (const char* key : {"config_id", "input_values", "output_values", "action", "status", "status_reason"}) {
    if (given.contains(key) && !given[key].is_null()) row[key] = given[key];
  }
  row["updated_time"] = iso_time(now);
  keep("deployment", row);
  return &(found->second = std::move(row));
}

const Json* SoftwareStore::deployment(const std::string& id) const { return found_in(deployments_, id); }

bool SoftwareStore::remove_deployment(const std::string& id) {
  const auto found = deployments_.find(id);
  if (found == deployments_.end()) return false;
  repository_.unset(cat("deployment/", id));
  deployments_.erase(found);  // last: `id` may be its own key
  return true;
}

std::vector<std::pair<std::string, std::string>> SoftwareStore::entries(const std::string& server_id) const {
  std::vector<std::pair<std::string, std::string>> found;
  for (const auto& [id, row] : deployments_) {
    const Json* config = row.value("server_id", "") == server_id ? this->config(row.value("config_id", "")) : nullptr;
    if (config == nullptr) continue;
    Json entry = *config;
    entry.erase("project");  // of no concern to the machine
    found.emplace_back(config->value("name", ""), format_json(entry, {.lossy = true}));
  }
  return found;
}

}  // namespace hearth::metadata::live
