#include "metadata/serve/cfn_answer.hpp"

#include <array>

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace hearth::metadata {

namespace {

using Fields = std::array<std::pair<const char*, std::string>, 10>;

/// In the order in which Heat writes them.
Fields fields_of(const ResourceDetail& detail) {
  return {{{"Description", detail.description},
           {"LastUpdatedTimestamp", detail.updated},
           {"LogicalResourceId", detail.logical_id},
           {"Metadata", *detail.metadata.text},
           {"PhysicalResourceId", detail.physical_id},
           {"ResourceStatusReason", detail.status_reason},
           {"ResourceType", detail.type},
           {"StackId", stack_arn(detail.project, detail.stack_name, detail.stack_id)},
           {"StackName", detail.stack_name},
           {"ResourceStatus", detail.status}}};
}

void append_character(std::string& out, std::string_view text, std::size_t& at) {
  const auto c = static_cast<unsigned char>(text[at]);
  if (c >= 0x80) {
    const DecodedCharacter character = decode_utf8(text.substr(at));
    out += cat("&#", static_cast<std::uint32_t>(character.value), ";");
    at += character.length;
    return;
  }
  ++at;
  switch (c) {
    case '&': out += "&amp;"; return;
    case '<': out += "&lt;"; return;
    case '>': out += "&gt;"; return;
    default: out.push_back(c < 0x20 && c != '\n' && c != '\t' && c != '\r' ? '?' : static_cast<char>(c));
  }
}

}  // namespace

std::string stack_arn(const std::string& project, const std::string& name, const std::string& id) {
  return cat("arn:openstack:heat::", project, ":stacks/", name, "/", id);
}

std::optional<StackArn> parse_arn(const std::string& text) {
  const std::vector<std::string> parts = split(text, ':');
  if (parts.size() != 6 || parts[0] != "arn" || parts[2] != "heat") return std::nullopt;
  const std::vector<std::string> path = split(parts[5], '/');
  if ((path.size() != 3 && path.size() != 5) || path[0] != "stacks") return std::nullopt;
  if (path.size() == 5 && path[3] != "resources") return std::nullopt;
  return StackArn{parts[4], path[1], path[2], path.size() == 5 ? path[4] : ""};
}

std::string xml_text(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t plain = text.find_first_of("&<>", at);
    std::size_t end = at;
    const std::size_t stop = plain == std::string_view::npos ? text.size() : plain;
    while (end < stop && static_cast<unsigned char>(text[end]) >= 0x20 && static_cast<unsigned char>(text[end]) < 0x80)
      ++end;
    out.append(text.substr(at, end - at));
    at = end;
    if (at < text.size()) append_character(out, text, at);
  }
  return out;
}

std::string describe_resource_xml(const ResourceDetail& detail) {
  std::string out = "<DescribeStackResourceResponse><DescribeStackResourceResult><StackResourceDetail>";
  for (const auto& [name, value] : fields_of(detail)) {
    if (value.empty()) {
      out += cat("<", name, "/>");
    } else {
      out += cat("<", name, ">", xml_text(value), "</", name, ">");
    }
  }
  return out + "</StackResourceDetail></DescribeStackResourceResult></DescribeStackResourceResponse>";
}

std::string describe_resource_json(const ResourceDetail& detail) {
  Json fields = Json::object();
  for (const auto& [name, value] : fields_of(detail)) fields[name] = value;
  Json answer = Json::object();
  answer["DescribeStackResourceResponse"]["DescribeStackResourceResult"]["StackResourceDetail"] = std::move(fields);
  return format_json(answer, {.lossy = true});
}

ServedResponse cfn_error(int status, const std::string& code, const std::string& message) {
  ServedResponse response;
  response.status = status;
  response.reason = code;
  response.headers = {{"Content-Type", "application/xml"}};
  response.body = cat("<ErrorResponse><Error><Type>", status >= 500 ? "Server" : "Sender", "</Type><Code>", code,
                      "</Code><Message>", xml_text(message), "</Message></Error></ErrorResponse>");
  return response;
}

ServedResponse version_document(const ServedRequest& request) {
  Json version = Json::object();
  version["status"] = "CURRENT";
  version["id"] = "v1.0";
  version["links"] =
      Json::array({{{"href", cat(request.tls ? "https" : "http", "://", request.host(), "/v1/")}, {"rel", "self"}}});
  ServedResponse response;
  response.status = 300;
  response.headers = {{"Content-Type", "application/json"}};
  Json document = Json::object();
  document["versions"] = Json::array({version});
  response.body = format_json(document, {.lossy = true});
  return response;
}

}  // namespace hearth::metadata
