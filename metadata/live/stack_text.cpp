#include "metadata/live/stack_text.hpp"

#include <algorithm>

#include "base/cli/table.hpp"
#include "base/log.hpp"
#include "base/text.hpp"

namespace hearth::metadata::live {

namespace {

std::string text_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return "None";
  return found->is_string() ? found->get<std::string>() : found->dump();
}

std::string link_of(const Json& object, const std::string& rel) {
  for (const Json& link : object.value("links", Json::array())) {
    if (link.value("rel", "") == rel) return link.value("href", "");
  }
  return "";
}

std::string last_part(const std::string& href, std::size_t from_end) {
  const std::vector<std::string> parts = split(href, '/');
  return parts.size() < from_end ? "" : parts[parts.size() - from_end];
}

std::string indented(const std::string& text) {
  std::string out;
  for (const std::string& line : split_lines(text)) out += cat("    ", one_line(line), "\n");
  return out;
}

}  // namespace

std::string stack_table(const Json& stacks) {
  std::vector<cli::Row> rows;
  for (const Json& stack : stacks) {
    rows.push_back({text_of(stack, "id"), text_of(stack, "stack_name"), text_of(stack, "stack_status"),
                    text_of(stack, "creation_time"), text_of(stack, "updated_time")});
  }
  return cli::table({"ID", "Stack Name", "Stack Status", "Creation Time", "Updated Time"}, rows);
}

std::string waits_for(const Json& resource) {
  const std::string status = text_of(resource, "resource_status");
  const std::string reason = text_of(resource, "resource_status_reason");
  const bool waits = status.ends_with("_IN_PROGRESS") || status == "INIT_COMPLETE";
  return waits && reason != "state changed" && reason != "None" ? reason : "";
}

std::string stack_fields(const Json& stack, const Json& resources) {
  std::vector<cli::Row> rows;
  for (const char* key :
       {"id", "stack_name", "description", "creation_time", "updated_time", "stack_status", "stack_status_reason"}) {
    rows.push_back({key, text_of(stack, key)});
  }
  for (const Json& output : stack.value("outputs", Json::array())) {
    std::string value = text_of(output, "output_value");
    while (value.ends_with('\n')) value.pop_back();  // that would be an empty row
    rows.push_back({cat("output ", text_of(output, "output_key")), std::move(value)});
  }
  std::size_t not_begun = 0;
  for (const Json& resource : resources) {
    const std::string reason = waits_for(resource);
    if (text_of(resource, "resource_status") == "INIT_COMPLETE")
      ++not_begun;
    else if (!reason.empty())
      rows.push_back({cat("waits for ", text_of(resource, "resource_name")), reason});
  }
  if (not_begun > 0)
    rows.push_back({"not begun", cat(not_begun, not_begun == 1 ? " resource" : " resources",
                                     ": hearth stack resource list says what each waits for")});
  return cli::table({"Field", "Value"}, rows);
}

std::string resource_fields(const Json& resource) {
  std::vector<cli::Row> rows;
  for (const auto& [key, value] : resource.items()) {
    if (key == "links" || key == "attributes" || key == "hearth_last_run") continue;
    rows.push_back({key, value.is_array() ? format_json(value, {.lossy = true}) : text_of(resource, key.c_str())});
  }
  const auto said = resource.find("hearth_last_run");
  const std::string lines =
      said == resource.end() ? "" : cat("its machine's last run said:\n", indented(said->get<std::string>()));
  return cat(cli::table({"Field", "Value"}, rows), lines);
}

std::string resource_table(const Json& resources, bool nested) {
  cli::Row head = {"resource_name", "physical_resource_id", "resource_type", "resource_status", "updated_time"};
  if (nested) head.emplace_back("stack_name");
  const bool any =
      std::any_of(resources.begin(), resources.end(), [](const Json& one) { return !waits_for(one).empty(); });
  if (any) head.emplace_back("waits for");
  std::vector<cli::Row> rows;
  for (const Json& resource : resources) {
    cli::Row row = {text_of(resource, "resource_name"), text_of(resource, "physical_resource_id"),
                    text_of(resource, "resource_type"), text_of(resource, "resource_status"),
                    text_of(resource, "updated_time")};
    if (nested) row.push_back(last_part(link_of(resource, "stack"), 2));
    if (any) row.push_back(waits_for(resource));
    rows.push_back(std::move(row));
  }
  return cli::table(head, rows);
}

std::string change_table(const Json& changes) {
  std::vector<cli::Row> rows;
  for (const char* kind : {"added", "deleted", "replaced", "updated"}) {
    for (const Json& change : changes.value(kind, Json::array())) {
      rows.push_back(
          {kind, text_of(change, "resource_name"), text_of(change, "resource_type"), text_of(change, "stack_name")});
    }
  }
  const std::size_t same = changes.value("unchanged", Json::array()).size();
  const std::string rest =
      cat(same, same == 1 ? " resource stays" : " resources stay", " as ", same == 1 ? "it is\n" : "they are\n");
  return rows.empty() ? cat("nothing would change: ", rest)
                      : cat(cli::table({"Change", "Resource", "Type", "Stack"}, rows), rest);
}

namespace {

void add_planned(const Json& resources, std::vector<cli::Row>& rows) {
  for (const Json& each : resources) {
    if (each.is_array())
      add_planned(each, rows);
    else
      rows.push_back({text_of(each, "resource_name"), text_of(each, "resource_type"), text_of(each, "stack_name")});
  }
}

}  // namespace

std::string planned_table(const Json& resources) {
  std::vector<cli::Row> rows;
  add_planned(resources, rows);
  return cli::table({"Resource", "Type", "Stack"}, rows);
}

std::string EventPaths::line(const Json& event) {
  const std::string stack = last_part(link_of(event, "stack"), 1);
  const std::string physical = text_of(event, "physical_resource_id");
  if (paths_.empty()) paths_[stack] = root_;
  const auto by_name = paths_.find(text_of(event, "resource_name"));
  if (physical == stack && by_name != paths_.end()) paths_.emplace(stack, by_name->second);
  const std::string path = paths_.count(stack) > 0 ? paths_[stack] : root_;
  const std::string own = physical == stack ? path : cat(path, ".", text_of(event, "resource_name"));
  if (physical != stack && !physical.empty()) paths_.emplace(physical, own);
  return one_line(cat(replace_all(text_of(event, "event_time"), "T", " "), " [", own, "]: ",
                      text_of(event, "resource_status"), "  ", lines_as_one(text_of(event, "resource_status_reason"))));
}

std::string failure_text(const std::string& path, const Json& resource, const Json& deployment) {
  std::string out = cat(path, ":\n  resource_type: ", text_of(resource, "resource_type"),
                        "\n  physical_resource_id: ", text_of(resource, "physical_resource_id"),
                        "\n  status: ", text_of(resource, "resource_status"), "\n  status_reason: |\n",
                        indented(text_of(resource, "resource_status_reason")));
  if (deployment.is_null()) return out;
  const Json outputs = deployment.contains("output_values") && deployment["output_values"].is_object()
                           ? deployment["output_values"]
                           : Json::object();
  for (const char* key : {"deploy_stdout", "deploy_stderr"}) {
    const std::string text = text_of(outputs, key);
    out += cat("  ", key, ": |\n", text == "None" ? "None\n" : indented(text));
  }
  return out;
}

}  // namespace hearth::metadata::live
