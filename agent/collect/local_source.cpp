#include "agent/collect/sources.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

constexpr std::uint32_t k_others_may_write = 0002;

bool is_trusted(const std::string& path, const FileStatus& status, bool check_owner, const SourceContext& context) {
  if (check_owner && status.uid != context.uid) {
    context.log.error(cat(path, " is owned by another user. This is a security risk."));
    return false;
  }
  if ((status.mode & k_others_may_write) != 0) {
    context.log.error(cat(path, " is world writable. This is a security risk."));
    return false;
  }
  return true;
}

/// Reads one file into `found`; false when the source must not be used.
bool take_file(const std::string& directory, const std::string& name, const SourceContext& context,
               std::vector<Collected>& found) {
  const std::string path = cat(directory, "/", name);
  const std::optional<FileStatus> status = context.files.status(path);
  if (!status || status->type == FileStatus::Type::directory) return true;
  if (!is_trusted(path, *status, false, context)) return false;
  const std::optional<std::string> text = context.files.read(path);
  if (!text) return true;
  Result<Json> content = parse_python_json(*text, path);
  if (!content) {
    context.log.error(cat(path, " is not valid JSON (", json_complaint(content.error()), ")"));
    return false;
  }
  found.push_back({name, std::move(content).value()});
  return true;
}

bool take_directory(const std::string& directory, const SourceContext& context, std::vector<Collected>& found) {
  const std::optional<FileStatus> status = context.files.status(directory);
  if (!status || status->type != FileStatus::Type::directory) {
    context.log.warning(cat(directory, status ? " is not a directory. Skipping" : " not found. Skipping"));
    return true;
  }
  if (!is_trusted(directory, *status, true, context)) return false;
  for (const std::string& name : context.files.list(directory)) {
    if (name.front() != '.' && !take_file(directory, name, context, found)) return false;
  }
  return true;
}

}  // namespace

Collection collect_local(const SourceContext& context) {
  const std::vector<std::string> directories = context.settings.list("local", "path");
  std::vector<Collected> found;
  try {
    for (const std::string& directory : directories) {
      if (!take_directory(directory, context, found)) return Unavailable{};
    }
  } catch (const Error& error) {
    context.log.error(error.what());
    return Unavailable{};
  }
  if (found.empty()) context.once.log(LogLevel::info, cat("No local metadata found (", python_list(directories), ")"));
  std::stable_sort(found.begin(), found.end(), [](const Collected& a, const Collected& b) { return a.name < b.name; });
  return found;
}

}  // namespace hearth::agent
