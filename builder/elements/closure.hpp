// The closure: from the elements that were asked for to all that take part, closed over element-deps, minus what others
// provide. Upstream leaves the order undefined; here dependencies come before what needs them, ties by name, so that
// the same request always gives the same build.
#pragma once

#include <string>
#include <vector>

#include "builder/elements/catalog.hpp"

namespace hearth::builder {

struct ElementSet {
  std::vector<Element> elements;                 ///< dependencies first
  std::vector<std::vector<std::string>> cycles;  ///< each as a -> b -> a; upstream accepts them silently

  [[nodiscard]] const Element* find(const std::string& name) const;
  [[nodiscard]] bool contains(const std::string& name) const { return find(name) != nullptr; }
  [[nodiscard]] std::vector<std::string> names() const;
};

/// Throws Error(input): an unknown element (search path, nearest name, who asked for it), two elements providing the
/// same thing, an element listed together with one that provides it, no operating-system element.
[[nodiscard]] ElementSet close_over_dependencies(const Catalog& catalog, const std::vector<std::string>& requested);

/// "a -> b -> a".
[[nodiscard]] std::string describe_cycle(const std::vector<std::string>& cycle);

}  // namespace hearth::builder
