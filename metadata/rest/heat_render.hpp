// Stacks, resources and events as Heat's orchestration API (v1) writes them. Pure: values in, JSON out.
#pragma once

#include "base/text.hpp"
#include "metadata/engine/engine.hpp"

namespace hearth::metadata::live {

/// "http://HOST/v1/PROJECT", on which all links stand.
struct Base {
  std::string url;
  [[nodiscard]] std::string stack(const StackRecord& stack) const;
  [[nodiscard]] std::string resource(const StackRecord& owner, const std::string& name) const;
};

[[nodiscard]] Json stack_summary(const Base& base, const StackTree& tree, std::size_t index);
/// `parameters` and `outputs` null = left out (resolve_outputs=False).
[[nodiscard]] Json stack_details(const Base& base, const StackTree& tree, std::size_t index, const Json& parameters,
                                 const Json& outputs);
[[nodiscard]] Json resource_summary(const Base& base, const StackTree& tree, std::size_t index);
[[nodiscard]] Json event_summary(const Base& base, const EventRecord& event, const StackRecord& stack,
                                 const StackRecord* root);
[[nodiscard]] Json output_details(const PlannedOutput& output);
/// The UUID of a deployment's server.
[[nodiscard]] std::string server_of(const StackTree& tree, const ResourceRecord& deployment);
/// As `software_deployments` shows it.
[[nodiscard]] Json deployment_details(const ResourceRecord& deployment, const std::string& server_id);

/// {"code", "title", "explanation", "error": {"type", "traceback", "message"}}.
[[nodiscard]] ServedResponse heat_error(int status, const std::string& type, const std::string& message);
[[nodiscard]] ServedResponse json_response(int status, const Json& body);

/// {"NAME": [row, …]}, written row by row: a long list is no long piece of work at its end.
class JsonRows {
 public:
  /// `most`: so many rows come. Without room for them the text would be copied again and again as it grows, which holds
  /// others up where it is long.
  JsonRows(std::string_view name, std::size_t most) : text_(cat("{\"", name, "\":[")), most_(most) {}
  void add(const Json& row);
  [[nodiscard]] ServedResponse response() &&;

 private:
  std::string text_;
  std::size_t most_;
  bool has_rows_ = false;
};

}  // namespace hearth::metadata::live
