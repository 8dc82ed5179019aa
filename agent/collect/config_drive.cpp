#include "agent/collect/config_drive.hpp"

#include <map>

#include "agent/collect/site_authority.hpp"
#include "base/error.hpp"
#include "base/python_json.hpp"
#include "base/sys/mount.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

constexpr const char* k_metadata_file = "ec2/latest/meta-data.json";

std::string without_backslashes(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    out += text[i];
  }
  return out;
}

bool is_config_drive(const std::map<std::string, std::string>& block) {
  const auto value = [&block](const char* key) {
    const auto found = block.find(key);
    return found == block.end() ? std::string() : found->second;
  };
  return value("LABEL") == "config-2" && (value("TYPE") == "vfat" || value("TYPE") == "iso9660") &&
         !value("DEVNAME").empty();
}

std::optional<Json> drive_metadata(const std::string& root, const SourceContext& context) {
  const std::string path = cat(root, "/", k_metadata_file);
  const std::optional<std::string> text = context.files.read(path);
  if (!text) {
    context.log.warning(cat("The config drive has no ", k_metadata_file));
    return std::nullopt;
  }
  Result<Json> content = parse_python_json(*text, path);
  if (content && content->is_object() && !content->empty()) {
    keep_site_authority(*content, "the config drive", context);
    return std::move(content).value();
  }
  context.log.warning(content ? cat(path, " is not an object") : content.error().text());
  return std::nullopt;
}

/// A read-only mount for as long as it lives. The agent may run where mounts are shared with others, so it goes lazily.
class TemporaryMount {
 public:
  TemporaryMount(const std::string& device, CommandRunner& runner)
      : runner_(runner), directory_(TempDir::create("/tmp", "config-2-")) {
    run_checked(runner, {.argv = {"mount", device, directory_.path().string(), "-o", "ro"}});
  }
  TemporaryMount(const TemporaryMount&) = delete;
  TemporaryMount& operator=(const TemporaryMount&) = delete;
  ~TemporaryMount() {
    try {
      (void)runner_.run({.argv = {"umount", "-l", directory_.path().string()}});
    } catch (const Error&) {  // no umount program: the read-only mount stays, and its files can't be removed
    }
  }
  [[nodiscard]] std::string path() const { return directory_.path().string(); }

 private:
  CommandRunner& runner_;
  TempDir directory_;
};

std::optional<std::string> find_drive(const SourceContext& context) {
  try {
    return config_drive_device(context.runner.run({.argv = {"blkid", "-o", "export"}}).out);
  } catch (const Error& error) {
    context.once.log(LogLevel::error, cat("Could not look for a config drive: ", error.what()));
    return std::nullopt;
  }
}

}  // namespace

std::optional<std::string> config_drive_device(std::string_view blkid_export) {
  std::map<std::string, std::string> block;
  std::vector<std::string> lines = split_lines(blkid_export);
  lines.emplace_back("");
  for (const std::string& line : lines) {
    const std::size_t equals = line.find('=');
    if (equals != std::string::npos)
      block[line.substr(0, equals)] = without_backslashes(std::string_view(line).substr(equals + 1));
    if (!line.empty()) continue;
    if (is_config_drive(block)) return block["DEVNAME"];
    block.clear();
  }
  return std::nullopt;
}

std::optional<std::string> mount_point_of(const std::string& device, std::string_view mounts) {
  for (const std::string& line : split_lines(mounts)) {
    const std::vector<std::string> fields = split_words(line);
    if (fields.size() > 1 && without_octal(fields[0]) == device) return without_octal(fields[1]);
  }
  return std::nullopt;
}

std::optional<Json> config_drive_metadata(const SourceContext& context) {
  const std::optional<std::string> device = find_drive(context);
  if (!device) return std::nullopt;
  try {
    const std::optional<std::string> mounted = mount_point_of(*device, context.files.read("/proc/mounts").value_or(""));
    if (mounted) return drive_metadata(*mounted, context);
    const TemporaryMount mount(*device, context.runner);
    return drive_metadata(mount.path(), context);
  } catch (const Error& error) {
    context.log.warning(cat("Could not read the config drive ", *device, ": ", error.what()));
    return std::nullopt;
  }
}

}  // namespace hearth::agent
