#include "agent/collect/sources.hpp"

#include "agent/collect/site_authority.hpp"
#include "base/error.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

std::optional<std::string> read_regular(const std::string& path, const SourceContext& context) {
  try {
    const std::optional<FileStatus> status = context.files.status(path);
    if (!status || status->type == FileStatus::Type::directory) return std::nullopt;
    return context.files.read(path);
  } catch (const Error& error) {
    context.log.warning(error.what());
    return std::nullopt;
  }
}

void merge_file(Json& merged, const std::string& path, const SourceContext& context) {
  const std::optional<std::string> text = read_regular(path, context);
  if (!text) return;
  const Result<Json> content = parse_python_json(*text, path);
  if (!content) {
    context.log.info(cat(path, " is not valid JSON (", json_complaint(content.error()), ")"));
  } else if (!content->is_object()) {
    context.log.info(cat(path, " is not a JSON object"));
  } else {
    keep_site_authority(*content, path, context);
    for (const auto& [key, value] : content->items()) merged[key] = value;
  }
}

}  // namespace

Collection collect_heat_local(const SourceContext& context) {
  const std::vector<std::string> paths = context.settings.list("heat_local", "path");
  Json merged = Json::object();
  for (const std::string& path : paths) merge_file(merged, path, context);
  if (merged.empty()) {
    context.once.log(LogLevel::info, cat("Local metadata not found (", python_list(paths), ")"));
    return Unavailable{};
  }
  return std::vector<Collected>{{"heat_local", std::move(merged)}};
}

}  // namespace hearth::agent
