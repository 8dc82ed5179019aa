// A stack of templates in memory.
#pragma once

#include <map>
#include <string>

#include "metadata/compile/files.hpp"
#include "metadata/compile/request.hpp"

namespace hearth::metadata {

struct Built {
  StackModel model;
  Stack& root() { return *model.root; }
};

/// `files` holds "top.yaml" and, where there is one, "env.yaml".
inline std::unique_ptr<Built> build(std::map<std::string, std::string> files) {
  auto built = std::make_unique<Built>();
  StackRequest request;
  request.template_name = "top.yaml";
  request.settings.seed = "a seed for tests";
  if (files.count("env.yaml") > 0) request.environments = {"env.yaml"};
  built->model.files = std::make_unique<MapFiles>(std::move(files));
  build_model(built->model, request);
  return built;
}

}  // namespace hearth::metadata
