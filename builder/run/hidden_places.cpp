#include "builder/run/hidden_places.hpp"

#include <map>

#include "base/text.hpp"
#include "builder/hooks/host_files.hpp"

namespace hearth::builder {

namespace {

/// What an element says of where hooks find things of this machine, by labels: its scripts that run here, and sources.
std::map<std::string, std::string> texts_on_host(const BuildPlan& plan, const FileReader& files) {
  std::map<std::string, std::string> texts;
  for (const Step& step : plan.steps) {
    const Element* const element = plan.elements.find(step.element);
    if (step.kind != Step::Kind::hook || element == nullptr || info(step.phase).place == Place::target) continue;
    texts[cat(step.label(), " (element ", step.element, ")")] = files.read(element->path / step.label()).value_or("");
  }
  for (const Element& element : plan.elements.elements) {
    for (const std::string& name : files.list(element.path)) {
      if (!name.starts_with("source-repository-")) continue;
      const std::string text = files.read(element.path / name).value_or("");
      texts[cat(name, " (element ", element.name, ")")] = replace_all(text, "file://", "");
    }
  }
  return texts;
}

}  // namespace

std::vector<std::string> hidden_places(const FileReader& files, const ImageRequest& request, const BuildPlan& plan,
                                       const SandboxSpec& spec) {
  const std::vector<fs::path> shown = shown_of_homes(spec);
  std::vector<std::string> texts;
  for (const auto& [label, said] : texts_on_host(plan, files)) {
    for (const fs::path& path : hidden_host_files(files, said, request.environment, spec.homes, shown))
      texts.push_back(cat(label, " names ", path.string(),
                          ", which hooks don't see: homes are hidden. HEARTH_HOST_FILES or the element's file "
                          "host-files can name it"));
  }
  return texts;
}

}  // namespace hearth::builder
