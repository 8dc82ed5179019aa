#include "builder/hooks/copied_hooks.hpp"

#include "base/error.hpp"

namespace hearth::builder {

void copy_hooks(const HookTree& hooks, CommandRunner& runner, const fs::path& destination) try {
  for (const auto& [name, entries] : hooks.directories()) {
    fs::create_directories(destination / name);
    std::vector<std::string> argv = {"cp", "-a", "-t", (destination / name).string(), "--"};
    const std::size_t fixed_words = argv.size();
    for (const auto& [entry_name, entry] : entries) argv.push_back(entry.path.string());
    if (argv.size() > fixed_words) run_checked(runner, Command{.argv = argv});
  }
  std::map<std::string, std::string> top;  // of one name the last: cp takes each name once
  for (const fs::path& file : hooks.top_files()) top[file.filename().string()] = file.string();
  if (top.empty()) return;
  std::vector<std::string> argv = {"cp", "-aL", "-t", destination.string(), "--"};
  for (const auto& [name, path] : top) argv.push_back(path);
  run_checked(runner, Command{.argv = argv});
} catch (Error& error) {
  throw while_reading_elements(error, "copying the elements' hooks");
}

}  // namespace hearth::builder
