#include "builder/fleet/graph_page.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"

namespace hearth::builder {

namespace {

std::string quoted(const std::string& text) {
  return cat("\"", replace_all(replace_all(text, "\\", "\\\\"), "\"", "\\\""), "\"");
}

std::string steps_text(std::size_t steps) { return cat(steps, steps == 1 ? " step" : " steps"); }

std::string no_plan(const ImageSteps& image) { return cat("can't be planned: ", image.fault); }

/// Of an image that goes on from no other.
std::string all_own(const ImageSteps& image) {
  return cat(steps_text(image.labels.size()), ", all its own", image.apart.empty() ? "" : "; ", image.apart);
}

/// Of an image whose origin keeps what they share as a part of more.
std::string repeated_text(const StepGraph& graph, std::size_t image) {
  const std::size_t steps = graph.repeated(image);
  if (steps == 0) return "";
  return cat("; runs ", steps, " of those that it shares again: no layer ends behind them");
}

std::string fleet_sum(const StepGraph& graph) {
  return cat(graph.images().size(), graph.images().size() == 1 ? " image, " : " images, ", steps_text(graph.steps()),
             ", ", graph.distinct(), " of them distinct: ", graph.steps() - graph.distinct(), " are shared");
}

/// The image with those that go on from it; one goes on from an image before it.
cli::TreeNode image_tree(const StepGraph& graph, std::size_t index) {
  const std::vector<ImageSteps>& images = graph.images();
  const std::size_t steps = images[index].labels.size();
  cli::TreeNode tree{.label = images[index].name, .note = steps == 0 ? no_plan(images[index]) : all_own(images[index])};
  if (const auto origin = graph.origin(index); origin && steps > 0)
    tree.note = cat(steps_text(steps - origin->steps), " of its own, behind ", images[index].labels[origin->steps - 1],
                    repeated_text(graph, index));
  for (std::size_t i = index + 1; i < images.size(); ++i) {
    const auto origin = graph.origin(i);
    if (origin && origin->image == index) tree.children.push_back(image_tree(graph, i));
  }
  return tree;
}

}  // namespace

cli::TreeNode fleet_tree(const StepGraph& graph) {
  cli::TreeNode tree{.label = fleet_sum(graph)};
  for (std::size_t i = 0; i < graph.images().size(); ++i) {
    if (!graph.origin(i)) tree.children.push_back(image_tree(graph, i));
  }
  return tree;
}

std::string fleet_text(const StepGraph& graph) {
  const std::vector<ImageSteps>& images = graph.images();
  std::string text = cat(fleet_sum(graph), "\n");
  std::size_t columns = 0;
  for (const ImageSteps& image : images) columns = std::max(columns, image.name.size());
  for (std::size_t i = 0; i < images.size(); ++i) {
    std::string line = cat("  ", images[i].name);
    line.resize(columns + 4, ' ');
    const std::size_t steps = images[i].labels.size();
    if (steps == 0) {
      text += cat(line, no_plan(images[i]), "\n");
    } else if (const auto origin = graph.origin(i)) {
      text += cat(line, steps_text(origin->steps), " as ", images[origin->image].name, ", up to ",
                  images[i].labels[origin->steps - 1], "; ", steps - origin->steps, " its own", repeated_text(graph, i),
                  "\n");
    } else {
      text += cat(line, all_own(images[i]), "\n");
    }
  }
  return text;
}

Json fleet_json(const StepGraph& graph) {
  Json list = Json::array();
  for (std::size_t i = 0; i < graph.images().size(); ++i) {
    const ImageSteps& image = graph.images()[i];
    Json each = {{"name", image.name}, {"steps", image.labels.size()}, {"own", image.labels.size()}};
    if (const auto origin = graph.origin(i)) {
      each["own"] = image.labels.size() - origin->steps;
      each["shares"] = {{"with", graph.images()[origin->image].name},
                        {"steps", origin->steps},
                        {"up_to", image.labels[origin->steps - 1]},
                        {"repeated", graph.repeated(i)}};
    }
    if (!image.apart.empty()) each["apart"] = image.apart;
    list.push_back(std::move(each));
  }
  return {{"steps", graph.steps()}, {"distinct", graph.distinct()}, {"images", list}};
}

std::string fleet_graph(const StepGraph& graph) {
  std::string text = "digraph images {\n  rankdir=LR;\n  node [shape=box];\n";
  for (std::size_t i = 0; i < graph.images().size(); ++i) {
    const ImageSteps& image = graph.images()[i];
    const std::size_t begin = graph.origin(i).value_or(StepGraph::Origin{}).steps;
    const auto node = [&](std::size_t end) {  // of the first image that comes by there
      std::size_t first = i;
      for (std::size_t other = 0; other < i && first == i; ++other) {
        if (graph.common(i, other) >= end) first = other;
      }
      return quoted(cat(graph.images()[first].name, " ", end));
    };
    std::size_t before = 0;
    std::set<std::size_t> cuts = graph.cuts(i);
    cuts.insert(image.labels.size());
    for (const std::size_t cut : cuts) {
      if (cut > begin) {
        const std::string last = cut > before + 1 ? cat(" … ", image.labels[cut - 1]) : "";
        text += cat("  ", node(cut), " [label=", quoted(cat(image.labels[before], last)), "];\n");
        if (before > 0) text += cat("  ", node(before), " -> ", node(cut), ";\n");
      }
      before = cut;
    }
    text += cat("  ", quoted(image.name), " [shape=ellipse];\n");
    if (before > 0) text += cat("  ", node(before), " -> ", quoted(image.name), ";\n");
  }
  return text + "}\n";
}

}  // namespace hearth::builder
