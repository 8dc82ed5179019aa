// The steps of many images as one graph: a tree, in which images go the same way as long as their steps have the same
// inputs. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace hearth::builder {

struct ImageSteps {
  std::string name;
  std::vector<std::string> labels;  ///< of all planned steps, in order
  std::vector<std::string> keys;    ///< of the first ones, those that layers may cover (step_keys())
  std::string fault = {};           ///< why it can't be planned; empty where it can
  std::string apart = {};           ///< why it has no step in common with the images before it, where it has none
  std::size_t in_layers = 0;        ///< how many of its first steps it would find in layers now
};

class StepGraph {
 public:
  explicit StepGraph(std::vector<ImageSteps> images);

  [[nodiscard]] const std::vector<ImageSteps>& images() const { return images_; }
  /// How many steps, from the first on, two images have in common.
  [[nodiscard]] std::size_t common(std::size_t one, std::size_t other) const { return common_[one][other]; }
  /// After how many of its steps others leave the image, or it leaves them: numbers from 1 on, in order.
  [[nodiscard]] std::set<std::size_t> cuts(std::size_t image) const;
  /// Labels of the image's steps behind which others go another way.
  [[nodiscard]] std::set<std::string> branches(std::size_t image) const;

  /// The image before this one that has most in common with it, the first of these; nothing where none has anything.
  struct Origin {
    std::size_t image = 0;
    std::size_t steps = 0;
  };
  [[nodiscard]] std::optional<Origin> origin(std::size_t image) const;
  /// How many of those it runs all the same when they are built in their order: the other one, which has them in a
  /// layer with steps behind them, makes none that ends there.
  [[nodiscard]] std::size_t repeated(std::size_t image) const;

  [[nodiscard]] std::size_t steps() const;     ///< of all images
  [[nodiscard]] std::size_t distinct() const;  ///< those that have to run once
 private:
  std::vector<ImageSteps> images_;
  std::vector<std::vector<std::size_t>> common_;
};

}  // namespace hearth::builder
