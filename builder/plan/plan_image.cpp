#include "builder/plan/plan_image.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "builder/evidence/evidence.hpp"
#include "builder/plan/requested_elements.hpp"

namespace hearth::builder {

namespace {

void report_cycles(const ImageRequest& request, const ElementSet& elements, std::vector<std::string>& notes) {
  for (const std::vector<std::string>& cycle : elements.cycles) {
    const std::string text = cat("element-deps form a cycle: ", describe_cycle(cycle));
    if (request.cycles == Cycles::accept) {
      notes.push_back(text);
      continue;
    }
    throw Error(ErrorKind::input, text)
        .hint(
            "Break it in one of these element-deps files, or give --accept-cycles: diskimage-builder accepts cycles.");
  }
}

}  // namespace

BuildPlan plan_image(const FileReader& files, const ImageRequest& request, const fs::path& built_in,
                     std::vector<std::string>& notes) {
  const Catalog catalog = Catalog::scan(files, request.elements_path, built_in, request.fallback_elements);
  notes.insert(notes.end(), catalog.notes().begin(), catalog.notes().end());
  ElementSet elements = close_over_dependencies(catalog, requested_elements(request, catalog));
  report_cycles(request, elements, notes);
  if (request.element_digests) evidence::require_elements(elements.elements, *request.element_digests);
  return make_plan(files, std::move(elements), !request.packages.empty());
}

}  // namespace hearth::builder
