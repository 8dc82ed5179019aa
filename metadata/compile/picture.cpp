#include "metadata/compile/picture.hpp"

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "metadata/model/value_text.hpp"

namespace hearth::metadata {

namespace {

bool waits(Resource& resource) { return resource.owner->raw_properties(resource).has_waiting(); }

/// Graphviz reads an escape for a line's end where the text has one.
std::string dot_quoted(const std::string& text) {
  const std::string quoted = replace_all(replace_all(text, "\\", "\\\\"), "\"", "\\\"");
  return cat("\"", replace_all(quoted, "\n", "\\n"), "\"");
}

void append_stack(std::string& out, Stack& stack, int depth) {
  const std::string margin(static_cast<std::size_t>(depth) * 2, ' ');
  for (Resource* resource : stack.resources()) {
    out += cat(margin, dot_quoted(resource->path), " [label=", dot_quoted(cat(resource->name, "\n", resource->type)),
               waits(*resource) ? ", color=orange" : "", "];\n");
    for (const std::string& needed : stack.needs(*resource)) {
      out += cat(margin, dot_quoted(stack.find(needed)->path), " -> ", dot_quoted(resource->path), ";\n");
    }
    Stack* nested = stack.nested_of(*resource);
    if (nested == nullptr) continue;
    out += cat(margin, "subgraph ", dot_quoted(cat("cluster ", resource->path)), " {\n", margin,
               "  label=", dot_quoted(resource->path), ";\n");
    append_stack(out, *nested, depth + 1);
    out += margin + "}\n";
  }
}

struct Box {
  Resource* resource = nullptr;
  std::size_t row = 0;
  std::size_t column = 0;
};

/// One more than the deepest of what it needs, within its stack.
std::size_t column_of(Stack& stack, Resource& resource, std::map<std::string, Box>& boxes, std::size_t base) {
  Box& box = boxes[resource.path];
  if (box.resource != nullptr) return box.column;
  box.resource = &resource;
  std::size_t column = base;
  for (const std::string& needed : stack.needs(resource))
    column = std::max(column, column_of(stack, *stack.find(needed), boxes, base) + 1);
  boxes[resource.path].column = column;
  return column;
}

void place(Stack& stack, std::map<std::string, Box>& boxes, std::vector<Resource*>& rows, std::size_t base) {
  for (Resource* resource : stack.resources()) {
    const std::size_t column = column_of(stack, *resource, boxes, base);
    boxes[resource->path].row = rows.size();
    rows.push_back(resource);
    if (Stack* nested = stack.nested_of(*resource)) place(*nested, boxes, rows, column + 1);
  }
}

}  // namespace

std::string dot_picture(Stack& root) {
  std::string out = "digraph stack {\n  rankdir=LR;\n  node [shape=box];\n";
  append_stack(out, root, 1);
  return out + "}\n";
}

std::string svg_picture(Stack& root) {
  constexpr std::size_t k_width = 240;
  constexpr std::size_t k_height = 28;
  std::map<std::string, Box> boxes;
  std::vector<Resource*> rows;
  place(root, boxes, rows, 0);
  std::size_t columns = 1;
  for (const auto& [path, box] : boxes) columns = std::max(columns, box.column + 1);
  std::string out = cat("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", columns * k_width + 240, "\" height=\"",
                        rows.size() * k_height + 20, "\" font-family=\"sans-serif\" font-size=\"11\">\n");
  for (Resource* resource : rows) {
    const Box& box = boxes.at(resource->path);
    const std::size_t x = box.column * k_width + 10;
    const std::size_t y = box.row * k_height + 10;
    for (const std::string& needed : resource->owner->needs(*resource)) {
      const Box& from = boxes.at(resource->owner->find(needed)->path);
      out += cat("<line x1=\"", from.column * k_width + 210, "\" y1=\"", from.row * k_height + 21, "\" x2=\"", x,
                 "\" y2=\"", y + 11, "\" stroke=\"#999\"/>\n");
    }
    out += cat("<rect x=\"", x, "\" y=\"", y, "\" width=\"200\" height=\"22\" rx=\"3\" fill=\"",
               waits(*resource) ? "#ffe0b0" : "#e8f0ff", "\" stroke=\"#668\"/>\n");
    out += cat("<text x=\"", x + 6, "\" y=\"", y + 15, "\">", xml_escaped(resource->path), "<title>",
               xml_escaped(resource->type), "</title></text>\n");
  }
  return out + "</svg>\n";
}

}  // namespace hearth::metadata
