#include "agent/net/state_file.hpp"

#include "base/error.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"

namespace hearth::agent::net {

namespace {}  // namespace

std::string state_path(const std::string& root) { return cat(root, "/var/lib/os-net-config/state.json"); }

State load_state(const std::string& root, const FileReader& files) {
  State state;
  const Result<Json> json = parse_python_json(files.read(state_path(root)).value_or("{}"), state_path(root));
  if (!json || !json->is_object()) return state;
  const Json pending = json->value("pending", Json::array());
  for (const Json& name : pending) {
    if (name.is_string()) state.pending.insert(name.get<std::string>());
  }
  const Json rollback = json->value("rollback", Json::array());
  for (const Json& file : rollback) {
    if (!file.is_object()) continue;
    FileChange change{text_member(file, "path"), text_member(file, "data")};
    if (!change.path.empty()) state.rollback.push_back(std::move(change));
  }
  return state;
}

void save_state(const State& state, const std::string& root, FileSystem& files) {
  const std::string path = state_path(root);
  if (state.pending.empty() && state.rollback.empty()) return files.remove(path);
  Json json = {{"pending", Json(state.pending)}, {"rollback", Json::array()}};
  for (const FileChange& file : state.rollback) json["rollback"].push_back({{"path", file.path}, {"data", file.data}});
  files.make_directories(fs::path(path).parent_path(), 0755);
  files.write(path, python_json(json) + "\n", {.mode = 0600});
}

std::vector<FileChange> former_files(const std::vector<FileChange>& changes, const FileReader& files) {
  std::vector<FileChange> former;
  for (const FileChange& change : changes) former.push_back({change.path, files.read(change.path).value_or("")});
  return former;
}

void write_files(const std::vector<FileChange>& changes, FileSystem& files) {
  for (const FileChange& change : changes) {
    if (change.data.empty()) {
      files.remove(change.path);
      continue;
    }
    files.make_directories(fs::path(change.path).parent_path(), 0755);
    files.write(change.path, change.data, {.mode = 0644});
  }
}

}  // namespace hearth::agent::net
