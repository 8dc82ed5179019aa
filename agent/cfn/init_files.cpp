#include "agent/cfn/init.hpp"
#include "agent/value/value.hpp"
#include "base/error.hpp"
#include "base/python_json.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

/// The number behind a name in a file like /etc/passwd; nothing when the name is not in it.
std::optional<std::uint32_t> account_id(const FileReader& files, const char* table, const std::string& name) {
  for (const std::string& line : split_lines(files.read(table).value_or(""))) {
    const std::vector<std::string> fields = split(line, ':');
    if (fields.size() < 3 || fields[0] != name) continue;
    if (const std::optional<std::uint64_t> id = parse_number(fields[2])) return static_cast<std::uint32_t>(*id);
  }
  return std::nullopt;
}

std::uint32_t octal_mode(const Json& mode, const std::string& path) {
  const std::string text = value_text(&mode);
  std::uint32_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '7' || text.size() > 6) {
      throw Error(ErrorKind::input, cat("files: ", path, ": mode '", text, "' is no octal number"));
    }
    value = value * 8 + static_cast<std::uint32_t>(c - '0');
  }
  return value & 07777U;
}

FileAttributes attributes_of(const std::string& path, const Json& description, const FileReader& files) {
  FileAttributes attributes;
  if (const std::optional<FileStatus> old = files.status(path)) {
    attributes = {.mode = old->mode, .uid = old->uid, .gid = old->gid};
  }
  const std::string owner = text_member(description, "owner");
  const std::string group = text_member(description, "group");
  if (const auto uid = account_id(files, "/etc/passwd", owner)) attributes.uid = uid;
  if (const auto gid = account_id(files, "/etc/group", group)) attributes.gid = gid;
  if (const Json* mode = find_member(description, "mode")) attributes.mode = octal_mode(*mode, path);
  return attributes;
}

std::string content_of(const Json& description, const CfnWorld& world) {
  if (const Json* content = find_member(description, "content")) {
    return content->is_structured() ? python_json(*content, {.indent = 4}) : value_text(content);
  }
  return download(text_member(description, "source"), world);
}

}  // namespace

void apply_files(const Json& files, const CfnWorld& world) {
  for (const auto& [path, description] : files.items()) {
    if (find_member(description, "content") == nullptr && find_member(description, "source") == nullptr) {
      world.log.error(cat("files: ", path, " has neither content nor source"));
      continue;
    }
    world.files.make_directories(fs::path(path).parent_path(), 0777);
    world.files.write(path, content_of(description, world), attributes_of(path, description, world.files));
    world.log.info(cat("Wrote ", path));
  }
}

}  // namespace hearth::agent
