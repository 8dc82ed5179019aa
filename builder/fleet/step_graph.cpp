#include "builder/fleet/step_graph.hpp"

#include <algorithm>

namespace hearth::builder {

namespace {

std::size_t equal_keys(const ImageSteps& one, const ImageSteps& other) {
  const auto [end, ignored] = std::mismatch(one.keys.begin(), one.keys.end(), other.keys.begin(), other.keys.end());
  return static_cast<std::size_t>(end - one.keys.begin());
}

}  // namespace

StepGraph::StepGraph(std::vector<ImageSteps> images) : images_(std::move(images)) {
  common_.assign(images_.size(), std::vector<std::size_t>(images_.size()));
  for (std::size_t i = 0; i < images_.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) common_[i][j] = common_[j][i] = equal_keys(images_[i], images_[j]);
  }
}

std::set<std::size_t> StepGraph::cuts(std::size_t image) const {
  std::set<std::size_t> cuts;
  for (std::size_t other = 0; other < images_.size(); ++other) {
    if (other != image && common(image, other) > 0) cuts.insert(common(image, other));
  }
  return cuts;
}

std::set<std::string> StepGraph::branches(std::size_t image) const {
  std::set<std::string> labels;
  for (const std::size_t steps : cuts(image)) labels.insert(images_[image].labels[steps - 1]);
  return labels;
}

std::optional<StepGraph::Origin> StepGraph::origin(std::size_t image) const {
  Origin origin;
  for (std::size_t other = 0; other < image; ++other) {
    if (common(image, other) > origin.steps) origin = {other, common(image, other)};
  }
  return origin.steps > 0 ? std::optional(origin) : std::nullopt;
}

std::size_t StepGraph::repeated(std::size_t image) const {
  std::size_t found = images_[image].in_layers;
  for (std::size_t other = 0; other < image; ++other) {
    const std::size_t steps = common(image, other);
    if (images_[other].in_layers < steps) found = std::max(found, steps);  // it runs them, up to a layer's end there
  }
  const std::size_t shared = origin(image).value_or(Origin{}).steps;
  return shared - std::min(shared, found);
}

std::size_t StepGraph::steps() const {
  std::size_t steps = 0;
  for (const ImageSteps& image : images_) steps += image.labels.size();
  return steps;
}

std::size_t StepGraph::distinct() const {
  std::size_t shared = 0;
  for (std::size_t i = 0; i < images_.size(); ++i) shared += origin(i).value_or(Origin{}).steps;
  return steps() - shared;
}

}  // namespace hearth::builder
