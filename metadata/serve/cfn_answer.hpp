// The answers of Heat's CFN API, as XML or JSON. Pure.
#pragma once

#include <string>

#include "metadata/serve/views.hpp"

namespace hearth::metadata {

/// "arn:openstack:heat::PROJECT:stacks/NAME/UUID".
[[nodiscard]] std::string stack_arn(const std::string& project, const std::string& name, const std::string& id);

struct StackArn {
  std::string project;
  std::string name;
  std::string id;
  std::string resource;  ///< empty when it names a stack
};
/// Reads the above, with or without "/resources/NAME" behind it.
[[nodiscard]] std::optional<StackArn> parse_arn(const std::string& text);

/// Text in XML: markup escaped, non-ASCII as character references, what XML can't hold as "?".
[[nodiscard]] std::string xml_text(std::string_view text);

/// The answer to DescribeStackResource, without an XML declaration (agents refuse one).
[[nodiscard]] std::string describe_resource_xml(const ResourceDetail& detail);
[[nodiscard]] std::string describe_resource_json(const ResourceDetail& detail);

/// An AWS error: HTTP status, code (which is the reason phrase, too) and message.
[[nodiscard]] ServedResponse cfn_error(int status, const std::string& code, const std::string& message);

/// The version document of the CFN and orchestration APIs: 300, with links to where the request came in.
[[nodiscard]] ServedResponse version_document(const ServedRequest& request);

}  // namespace hearth::metadata
