// A stack from what a user hands in: by command line or by Heat's API.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "metadata/graph/stack.hpp"

namespace hearth::metadata {

/// A whole tree of stacks with all that it is made of.
struct StackModel {
  Sources sources;
  std::unique_ptr<FileSource> files;
  TextFilter mend_text{};
  DocumentFilter mend{};            ///< of what is read (mending.hpp)
  std::function<void()> breathe{};  ///< called now and then while it is evaluated
  std::unique_ptr<Tree> tree;
  std::unique_ptr<Stack> root;
};

struct StackRequest {
  std::string name = "overcloud";
  std::string id{};
  std::string template_name{};
  TemplatePtr source{};                     ///< where it is given instead of read by its name
  std::vector<std::string> environments{};  ///< names of files, in order
  Value environment{};                      ///< sections, merged by the client, where no files are named
  Value parameters{};                       ///< of the command line or the request
  bool environment_wins = false;            ///< Heat's order; ours lets the command line win
  std::vector<std::string> other_files{};   ///< searched for schemata of parameters, too
  StackSettings settings{};
};

/// Throws Fault; the sources of the model name its marks even then.
void build_model(StackModel& model, const StackRequest& request);
/// The request that a body of Heat's API is; its files go to the model. Throws Fault.
[[nodiscard]] StackRequest request_from_body(StackModel& model, const Value& body);

}  // namespace hearth::metadata
