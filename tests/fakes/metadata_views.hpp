// The served views over plain tables that a test fills.
#pragma once

#include <map>
#include <set>

#include "base/hash.hpp"
#include "base/text.hpp"
#include "metadata/serve/views.hpp"

namespace hearth::fakes {

class MetadataViews final : public metadata::StackView, public metadata::ObjectStore, public metadata::MachineView {
 public:
  std::map<std::string, metadata::AccessKey> keys;
  std::map<std::string, std::string> stacks;                  ///< name → id
  std::map<std::string, metadata::ResourceDetail> resources;  ///< "ID/NAME"
  std::map<std::string, metadata::Document> objects;          ///< "ACCOUNT/CONTAINER/OBJECT"
  std::map<std::string, std::vector<std::string>> accounts;   ///< account → keys
  std::map<std::string, metadata::Machine> machines;          ///< by address or id
  std::vector<std::string> signals;                           ///< "ID/NAME BODY"
  std::set<std::string> servers;                              ///< objects that are servers' documents
  std::vector<std::string> runs;                              ///< "ACCOUNT/CONTAINER/OBJECT STEP"
  metadata::SignalOutcome next_outcome;
  bool read_only = false;

  std::optional<metadata::AccessKey> access_key(const std::string& id) const override { return find(keys, id); }
  std::optional<std::string> stack_id(const std::string& name, const metadata::AccessKey&) const override {
    for (const auto& [key, id] : stacks) {
      if (key == name || id == name) return id;
    }
    return std::nullopt;
  }
  std::optional<metadata::ResourceDetail> resource(const std::string& id, const std::string& name) const override {
    return find(resources, cat(id, "/", name));
  }
  metadata::SignalOutcome signal(const std::string& id, const std::string& name, const Json& body) override {
    signals.push_back(cat(id, "/", name, " ", body.dump()));
    return next_outcome;
  }
  std::vector<std::string> temp_url_keys(const std::string& account, const std::string&) const override {
    return find(accounts, account).value_or(std::vector<std::string>{});
  }
  std::optional<metadata::Document> object(const metadata::ObjectPath& path) const override {
    return find(objects, key_of(path));
  }
  std::optional<metadata::Document> put_object(const metadata::ObjectPath& path, const std::string& body,
                                               const std::string& type) override {
    if (read_only) return std::nullopt;
    return objects[key_of(path)] = document(body, 784111777, type);
  }
  bool takes_runs(const metadata::ObjectPath& path) const override { return servers.count(key_of(path)) > 0; }
  void note_object_run(const metadata::ObjectPath& path, const metadata::RunReport& report) override {
    runs.push_back(cat(key_of(path), " ", report.step));
  }
  bool remove_object(const metadata::ObjectPath& path) override { return objects.erase(key_of(path)) > 0; }
  std::optional<metadata::Machine> machine_at(const std::string& address) override { return find(machines, address); }
  std::optional<metadata::Machine> machine_named(const std::string& id) override { return find(machines, id); }

  static metadata::Document document(const std::string& text, std::int64_t modified = 784111777,
                                     const std::string& type = "application/json") {
    return {std::make_shared<const std::string>(text), hex_digest(HashKind::md5, text), modified, type};
  }
  static std::string key_of(const metadata::ObjectPath& path) {
    return cat(path.account, "/", path.container, "/", path.object);
  }

 private:
  template <class T>
  static std::optional<T> find(const std::map<std::string, T>& table, const std::string& key) {
    const auto found = table.find(key);
    return found == table.end() ? std::nullopt : std::optional(found->second);
  }
};

}  // namespace hearth::fakes
