#include "builder/plan/hook_tree.hpp"

#include <algorithm>
#include <cerrno>

#include "base/error.hpp"
#include "base/run_parts.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

constexpr std::size_t k_first_number = 1000000;  // numbers of one length sort as texts

bool is_merged_directory(const std::string& name) { return name != "tests" && name != "__pycache__"; }

/// What can be run, sourced or read. Elements may have other files where nothing looks into them, below static say.
void require_file(const std::optional<FileStatus>& status, const fs::path& path) {
  if (!status || status->type != FileStatus::Type::other) return;
  throw Error(ErrorKind::input, cat(path.string(), " is a pipe, a socket or a device"))
      .hint("Elements have files, directories and links there; remove it.");
}

bool is_hidden(const std::string& name) { return !name.empty() && name[0] == '.'; }

}  // namespace

Error& while_reading_elements(Error& error, std::string frame) {
  error.during(std::move(frame));
  const int cause = error.system_error();
  if (cause == ENOMEM || cause == EMFILE || cause == ENFILE || cause == EAGAIN) return error;
  return error.hint("Whoever builds has to be able to read them; where an element was changed meanwhile, start again.");
}

HookTree HookTree::merge(const FileReader& files, const ElementSet& elements) {
  HookTree tree;
  for (const Element& element : elements.elements) try {
      tree.add_element(files, element);
    } catch (Error& error) {
      if (error.system_error() == 0) throw;
      throw while_reading_elements(error, cat("reading the files of the element ", element.name));
    }
  return tree;
}

void HookTree::add_element(const FileReader& files, const Element& element) {
  for (const std::string& name : files.list(element.path)) {
    const std::optional<FileStatus> status = files.status(element.path / name);
    if (!status || is_hidden(name)) continue;
    if (status->type == FileStatus::Type::directory) {
      if (is_merged_directory(name)) add_directory(files, element, name);
    } else if (!name.ends_with(".pyc")) {
      require_file(status, element.path / name);
      top_files_.push_back(element.path / name);
    }
  }
}

void HookTree::add_directory(const FileReader& files, const Element& element, const std::string& name) {
  std::map<std::string, HookEntry>& merged = directories_[name];
  for (const std::string& entry_name : files.list(element.path / name)) {
    if (is_hidden(entry_name)) continue;
    const fs::path path = element.path / name / entry_name;
    const std::optional<FileStatus> status = files.status(path);
    if (name.ends_with(".d")) require_file(status, path);
    const bool is_directory = status && status->type == FileStatus::Type::directory;
    HookEntry entry{element.name, path, is_directory, status && (status->mode & 0111U) != 0};
    const auto [known, is_new] = merged.emplace(entry_name, entry);
    if (is_new) continue;
    if (!known->second.is_directory) {
      throw Error(ErrorKind::input, cat("There is a duplicated hook in your elements: ", path.string(), " and ",
                                        known->second.path.string()))
          .hint("Hooks of one phase need different names; rename one, or leave out one of the elements.");
    }
    // A further source of a merged directory; never a script. The number keeps the elements' order when it is copied.
    merged[cat(entry_name, "/", std::to_string(k_first_number + merged.size()))] = entry;
  }
}

const std::map<std::string, HookEntry>& HookTree::directory(const std::string& name) const {
  static const std::map<std::string, HookEntry> empty;
  const auto found = directories_.find(name);
  return found == directories_.end() ? empty : found->second;
}

std::vector<fs::path> HookTree::sources(const std::string& path) const {
  std::vector<fs::path> found;
  const std::size_t first = path.find('/');
  if (first == std::string::npos) {
    for (const fs::path& file : top_files_) {
      if (file.filename() == path) found = {file};  // the last one overwrites
    }
    return found;
  }
  const std::string below = path.substr(first + 1);
  const std::string entry = below.substr(0, below.find('/'));
  const std::string rest = below.substr(std::min(below.size(), entry.size() + 1));
  for (const auto& [name, source] : directory(path.substr(0, first))) {
    if (name != entry && !name.starts_with(cat(entry, "/"))) continue;
    found.push_back(rest.empty() ? source.path : source.path / rest);
  }
  return found;
}

std::vector<std::string> HookTree::scripts(const std::string& directory_name) const {
  std::vector<std::string> names;
  for (const auto& [name, entry] : directory(directory_name)) {
    if (!entry.is_directory && entry.is_executable && is_run_parts_name(name)) names.push_back(name);
  }
  sort_run_parts(names);
  return names;
}

std::vector<std::string> HookTree::ignored(const std::string& directory_name) const {
  std::vector<std::string> names;
  for (const auto& [name, entry] : directory(directory_name)) {
    if (!entry.is_directory && !(entry.is_executable && is_run_parts_name(name))) names.push_back(name);
  }
  return names;
}

}  // namespace hearth::builder
