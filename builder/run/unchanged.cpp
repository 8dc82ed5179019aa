#include "builder/run/unchanged.hpp"

#include <sys/stat.h>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "builder/layers/fact_source.hpp"

namespace hearth::builder {

namespace {

constexpr const char* k_file = "output.json";
constexpr std::string_view k_repository = "repository ";
constexpr std::string_view k_commit = "git ";
constexpr std::string_view k_host = "host ";
constexpr std::int64_t k_unchanged_nanoseconds = 1'000'000'000;

/// Size, times and inode: a file that was written to, or replaced, looks different.
std::string look_of(const fs::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return "missing";
  return cat(status.st_size, " ", status.st_mtim.tv_sec * k_unchanged_nanoseconds + status.st_mtim.tv_nsec, " ",
             status.st_ino);
}

/// Of an input also the mode, the time of change, which a copy that keeps the times can't keep, and where a link leads.
std::string input_look(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) status = {};
  boost::system::error_code none;
  const fs::path target = fs::read_symlink(path, none);
  return cat(status.st_mode, " ", look_of(path), " ",
             status.st_ctim.tv_sec * k_unchanged_nanoseconds + status.st_ctim.tv_nsec, " ",
             none ? "" : target.string());
}

/// How everything below a directory looks, without a look inside.
void add_looks(const fs::path& directory, std::string& text) {
  for (const std::string& name : RealFileSystem().list(directory)) {
    const fs::path path = directory / name;
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0) continue;
    text += cat(path.string(), " ", status.st_mode, " ", input_look(path), "\n");
    if (S_ISDIR(status.st_mode)) add_looks(path, text);
  }
}

std::string value_digest(const std::string& name, const std::string& value, const ImageRequest& request) {
  Environment places = {{"DIB_IMAGE_CACHE", request.cache.string()}};
  if (!may_name_input(name, value, places)) return value;
  places["DIB_IMAGE_CACHE"] = request.output.string();  // a directory in which images are made changes by itself
  struct stat status {};
  if (::stat(value.c_str(), &status) != 0) return value;  // or it may not be looked at
  if (S_ISREG(status.st_mode)) return cat(value, " ", input_look(value));
  if (!S_ISDIR(status.st_mode) || !may_name_input(name, value, places)) return value;
  std::string looks;
  try {
    add_looks(value, looks);
  } catch (const Error&) {  // hooks can't read it either
  }
  return cat(value, " ", fact_digest(looks));
}

}  // namespace

std::string output_key(const ImageRequest& request, const BuildPlan& plan, const Installation& installation,
                       const FactKey& secrets) {
  const RealFileSystem files;
  std::string text =
      cat(HEARTH_VERSION, "\n", look_of(installation.program), "\n", look_of(installation.agent_binary), "\n",
          tree_digest(files, installation.shims), "\n", tree_digest(files, installation.library), "\n",
          request.arguments_text, "\n", request.output.string(), "\n", request.architecture, "\n",
          join(request.elements, " "), "\n", fact_digest(files.read("/etc/os-release").value_or("")), "\n");
  const Facts counting = environment_facts(request.environment, element_texts(files, plan));
  for (const auto& [name, value] : request.environment) {
    const bool is_ours = name.starts_with("DIB_") || name.starts_with("HEARTH_") || name == "SOURCE_DATE_EPOCH";
    if (is_ours || counting.count(cat("env ", name)) > 0)
      text += cat(name, "=", value_digest(name, value, request), "\n");
  }
  for (const Element& element : plan.elements.elements) {
    text += cat(element.name, " ", tree_digest(files, element.path), "\n");
  }
  return keyed_digest(secrets, text);
}

void note_outputs(const fs::path& directory, const std::string& key, const std::vector<fs::path>& outputs,
                  const std::vector<StepRecord>& steps) {
  Json repositories = Json::object();
  Json host = Json::object();
  for (const StepRecord& step : steps) {
    for (const auto& [fact, digest] : step.facts) {
      if (fact.compare(0, k_repository.size(), k_repository) == 0) {
        repositories[fact.substr(k_repository.size())] = digest;
      }
      if (fact.compare(0, k_commit.size(), k_commit) == 0) repositories[fact] = digest;
      if (fact.compare(0, k_host.size(), k_host) == 0) host[fact.substr(k_host.size())] = digest;
    }
  }
  Json looks = Json::object();
  for (const fs::path& output : outputs) looks[output.string()] = look_of(output);
  const Json json = {{"key", key}, {"repositories", repositories}, {"host", host}, {"outputs", looks}};
  RealFileSystem().write(directory / k_file, cat(json.dump(2), "\n"), {.mode = 0644});
}

std::vector<fs::path> unchanged_outputs(const fs::path& directory, const std::string& key,
                                        RepositoryStates& repositories, const FactKey& secrets) {
  const Result<Json> read = parse_json(RealFileSystem().read(directory / k_file).value_or("{}"), k_file);
  if (!read.ok() || !read.value().is_object() || read.value().value("key", "") != key) return {};
  const Json looks = read.value().value("outputs", Json::object());
  const Json seen = read.value().value("repositories", Json::object());
  std::vector<fs::path> outputs;
  for (const auto& [file, look] : looks.items()) {
    if (look != look_of(file)) return {};
    outputs.emplace_back(file);
  }
  const Json host = read.value().value("host", Json::object());
  for (const auto& [file, digest] : host.items()) {
    if (digest != file_digest(secrets, file, host_digest(RealFileSystem(), file))) return {};
  }
  for (const auto& [url, digest] : seen.items()) {
    const std::optional<std::string> now = repositories.digest(url);
    if (now && digest != *now) return {};
  }
  return outputs;
}

}  // namespace hearth::builder
