#include "builder/elements/unknown_element.hpp"

#include <algorithm>

#include "base/sys/process.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

constexpr std::string_view k_search_path = "ELEMENTS_PATH";
constexpr std::size_t k_longest_element_name = 200;

/// This directory and those in it, as far as they are many.
std::vector<fs::path> folders_here() {
  constexpr std::size_t k_most = 2000;
  std::vector<fs::path> folders = {""};
  boost::system::error_code failed;
  fs::directory_iterator at(".", failed);
  for (; !failed && at != fs::directory_iterator() && folders.size() < k_most; at.increment(failed)) {
    boost::system::error_code hidden;
    const fs::path name = at->path().filename();
    if (!name.string().starts_with('.') && fs::is_directory(name, hidden)) folders.push_back(name);
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

/// "'a' or 'b'"
std::string quoted_names(const std::vector<std::string>& names) {
  std::vector<std::string> quoted;
  for (const std::string& name : names) quoted.push_back(cat("'", name, "'"));
  return join(quoted, " or ");
}

/// What has an element of that name be found, the likeliest first.
std::string how_to_find(const Catalog& catalog, const std::string& name, bool is_asked) {
  std::string told;
  const auto add = [&](const std::string& sentence) {
    if (!sentence.empty()) told += cat(sentence, "\n  ");
  };
  if (const auto mistyped = mistyped_search_path(current_environment()))
    add(cat(*mistyped, " is set, and nothing reads it: did you mean ", k_search_path, "?"));
  add(catalog.doubts().empty() ? found_by_search_path(name) : catalog.doubts());
  if (is_asked) add(cat("Is it a package? -p ", name));
  // One that every diskimage-builder has, and we have not.
  const bool has_upstreams = catalog.find("pip-and-virtualenv") != nullptr;
  return cat(told, catalog.searched_text(),
             has_upstreams ? "" : "; not there are diskimage-builder's own: hearth element fetch diskimage-builder");
}

}  // namespace

Error unknown_element(const Catalog& catalog, const std::string& name, const std::string& needed_by) {
  const std::optional<std::string> meant = needed_by.empty() ? std::nullopt : name_before_comment(name);
  if (meant && (meant->empty() || catalog.find(*meant) != nullptr)) {
    return Error(ErrorKind::input,
                 cat("element-deps of ", needed_by, " knows no comments, and has the line '", name, "'"))
        .hint(meant->empty() ? "Take the line out." : cat("Write '", *meant, "' alone."));
  }
  const std::vector<std::string> near = near_elements(catalog, meant.value_or(name));
  std::string message = cat("Element '", name, "' not found");
  if (!needed_by.empty()) message += cat(" (", needed_by, " depends on it)");
  if (meant) message += "; element-deps knows no comments";
  if (!near.empty()) message += cat("; did you mean ", quoted_names(near), "?");
  if (!needed_by.empty() && !meant && split_words(name).size() > 1)
    return Error(ErrorKind::input, message)
        .hint(cat("In element-deps each line is the name of one element: write those each on its own."));
  if (name.find('/') != std::string::npos || name.ends_with(".yaml") || name.ends_with(".yml")) {
    return Error(ErrorKind::input, message)
        .hint(cat("An element is called by its name, and found in ELEMENTS_PATH (", catalog.search_path_text(),
                  "); a file of images ends in .yaml, and must be there."));
  }
  if (const std::vector<std::string> parts = split(name, ','); parts.size() > 1 && needed_by.empty())
    return Error(ErrorKind::input, message).hint(cat("Elements stand with blanks between: ", join(parts, " ")));
  return Error(ErrorKind::input, message).hint(how_to_find(catalog, meant.value_or(name), needed_by.empty()));
}

std::vector<std::string> near_elements(const Catalog& catalog, const std::string& name) {
  constexpr std::size_t k_shortest_part = 3;
  constexpr std::size_t k_most_told = 3;
  std::vector<std::string> with_part;
  for (const std::string& known : catalog.names()) {
    if (cat("-", known, "-").find(cat("-", name, "-")) != std::string::npos ||
        (known.starts_with(name) && name.size() > k_shortest_part) || known.find(cat(name, "-")) != std::string::npos)
      with_part.push_back(known);
  }
  if (name.size() >= k_shortest_part && !with_part.empty() && with_part.size() <= k_most_told) return with_part;
  const std::optional<std::string> near = nearest(name, catalog.names());
  return near ? std::vector<std::string>{*near} : std::vector<std::string>();
}

std::string found_by_search_path(const std::string& name) {
  const fs::path path = name;
  if (name.empty() || path != path.filename() || name == "." || name == ".." || name.size() > k_longest_element_name)
    return "";
  for (const fs::path& folder : folders_here()) {
    boost::system::error_code hidden;
    const fs::path place = folder / path;
    if (!fs::is_directory(place, hidden)) continue;
    const std::string here = fs::absolute(place).parent_path().string();
    return cat("There is ", place.string(), " here, which ", k_search_path, " does not name: export ", k_search_path,
               "=", shell_quote(here), "${", k_search_path, ":+:$", k_search_path, "}");
  }
  return "";
}

std::optional<std::string> mistyped_search_path(const Environment& environment) {
  for (const auto& [name, value] : environment) {
    const bool is_like_it = to_upper(name).find("ELEMENT") != std::string::npos && name != "ELEMENTS_DIR" &&
                            name != k_search_path && !value.empty();  // ELEMENTS_DIR: dib-lint's
    if (is_like_it && !name.starts_with("DIB_") && nearest(to_upper(name), {std::string(k_search_path)})) return name;
  }
  return std::nullopt;
}

}  // namespace hearth::builder
