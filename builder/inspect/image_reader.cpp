#include "builder/inspect/image_reader.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <boost/filesystem/directory.hpp>
#include <functional>
#include <utility>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "builder/vm/qemu_machine.hpp"

namespace hearth::builder {

namespace {

constexpr std::uint64_t k_blank_bytes = std::uint64_t{1} << 20;

ReadBytes reader_of(const Fd& fd, const fs::path& file) {
  return [&fd, file](std::uint64_t offset, std::size_t count) {
    std::string bytes(count, '\0');
    const ssize_t got = ::pread(fd.get(), bytes.data(), count, static_cast<off_t>(offset));
    if (got < 0) throw Error::from_errno("reading", file.string());
    bytes.resize(static_cast<std::size_t>(got));
    return bytes;
  };
}

bool is_direct(const Signature& signature) {
  return signature.type.starts_with("ext") || signature.type == "vfat" || signature.type == "swap" ||
         signature.type.empty();
}

void add_directory(FileTree& tree, const fs::path& directory, const std::string& path) {
  tree.entries[path] = TreeEntry{.kind = 'd', .mode = 0755};
  for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
    const std::string name = cat(path, path.empty() ? "" : "/", entry.path().filename().string());
    if (fs::is_directory(fs::symlink_status(entry.path()))) {
      add_directory(tree, entry.path(), name);
      continue;
    }
    const std::string text = read_file(entry.path());
    tree.entries[name] =
        TreeEntry{.kind = 'f', .mode = 0755, .size = text.size(), .content = hex_digest(HashKind::sha256, text)};
    if (keep_text(name)) tree.texts[name] = text;
  }
}

/// FAT has no owners and modes of its own: they are all the same here.
FileTree read_fat(const fs::path& raw, std::uint64_t offset, const fs::path& scratch, CommandRunner& runner) {
  const TempDir work = TempDir::create(scratch, "fat-");
  Environment env = current_environment();
  env["MTOOLS_SKIP_CHECK"] = "1";
  const CommandResult result = runner.run(
      Command{.argv = {"mcopy", "-s", "-n", "-i", cat(raw.string(), "@@", offset), "::*", work.path().string()},
              .env = std::move(env)});
  // An empty file system has nothing that the pattern could match.
  if (!succeeded(result.status) && result.err.find("\"::*\" not found") == std::string::npos) {
    throw Error(ErrorKind::input, cat("reading a FAT file system by mcopy: ", trim(result.err)));
  }
  FileTree tree;
  add_directory(tree, work.path(), "");
  return tree;
}

void read_directly(const fs::path& raw, ImagePart& part, const ReadImageOptions& options, CommandRunner& runner) {
  if (!options.files) return;
  if (part.signature.type.starts_with("ext")) part.tree = read_ext(raw, part.extent.offset);
  if (part.signature.type == "vfat") part.tree = read_fat(raw, part.extent.offset, options.scratch, runner);
}

std::vector<ImagePart> find_parts(const ReadBytes& read, const FoundTable& table, std::uint64_t bytes) {
  std::vector<ImagePart> parts;
  if (table.table == PartitionTable::none) {
    parts.push_back({.device = "", .extent = {0, bytes}, .signature = read_signature(read, {0, bytes})});
  }
  for (const FoundPartition& partition : table.partitions) {
    parts.push_back({.device = std::to_string(partition.number),
                     .extent = partition.extent,
                     .signature = read_signature(read, partition.extent)});
  }
  return parts;
}

/// The raw disk: the file itself, or what qemu-img makes of it.
fs::path raw_of(const fs::path& image, const std::string& format, const fs::path& scratch, CommandRunner& runner) {
  if (format == "raw") return image;
  fs::path raw = scratch / "disk.raw";
  run_checked(runner,
              Command{.argv = {"qemu-img", "convert", "-f", format, "-O", "raw", image.string(), raw.string()}});
  return raw;
}

/// A disk that nothing was written to may be looked at; a text is none.
void refuse_unknown(const ImageContents& contents, const ReadBytes& read) {
  const bool is_known = contents.table.table != PartitionTable::none || contents.format != "raw" ||
                        !contents.parts.front().signature.type.empty();
  const std::string head = read(0, std::min<std::uint64_t>(contents.bytes, k_blank_bytes));
  if (is_known || head.find_first_not_of('\0') == std::string::npos) return;
  throw Error(ErrorKind::input,
              "neither a partition table, nor a file system, nor an archive that Hearth knows is in it");
}

const ImagePart* part_of_fstab(const ImageContents& contents, const std::string& source) {
  for (const ImagePart& part : contents.parts) {
    const bool same =
        source == cat("LABEL=", part.signature.label) || source == part.device ||
        to_lower(source) == to_lower(cat("UUID=", part.signature.uuid)) ||
        replace_all(source, "/dev/mapper/", "") == replace_all(replace_all(part.device, "/dev/", ""), "/", "-");
    if (same && part.tree) return &part;
  }
  return nullptr;
}

const ImagePart* root_part(const ImageContents& contents) {
  for (const char* mark : {"etc/fstab", "etc/os-release", "etc"}) {
    for (const ImagePart& part : contents.parts) {
      if (part.tree && part.tree->entries.contains(mark)) return &part;
    }
  }
  for (const ImagePart& part : contents.parts) {
    if (part.tree) return &part;
  }
  return nullptr;
}

}  // namespace

namespace {

std::uint64_t bytes_below(const fs::path& directory) {
  std::uint64_t bytes = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(directory)) {
    if (fs::is_regular_file(fs::symlink_status(entry.path()))) bytes += fs::file_size(entry.path());
  }
  return bytes;
}

/// `directory` is the image, or what was packed in it.
ImageContents container_image(const fs::path& directory, std::uint64_t bytes) {
  ImageContents contents{.format = "archive", .bytes = bytes};
  contents.container = read_container(directory);
  contents.parts.push_back(
      {.device = "", .extent = {}, .signature = {}, .tree = std::exchange(contents.container->tree, {})});
  contents.used = "user space";
  return contents;
}

ImageContents archive_image(const fs::path& image, const ReadImageOptions& options, CommandRunner& runner) {
  FileTree tree = read_archive(image);
  if (is_container(tree)) {
    const TempDir work = TempDir::create(options.scratch, "container-");
    run_checked(runner, Command{.argv = {"tar", "--extract", "--no-same-owner", "--file", fs::absolute(image).string(),
                                         "--directory", work.path().string()}});
    return container_image(work.path(), fs::file_size(image));
  }
  ImageContents contents{.format = "archive", .bytes = fs::file_size(image)};
  contents.parts.push_back({.device = "", .extent = {}, .signature = {}, .tree = std::move(tree)});
  contents.used = "user space";
  return contents;
}

}  // namespace

ImageContents read_image(const fs::path& image, const ReadImageOptions& options, CommandRunner& runner) {
  if (fs::is_directory(image)) return container_image(image, bytes_below(image));
  ImageContents contents{.format = vm::image_format_of(image), .bytes = fs::file_size(image)};
  if (contents.format == "raw" && vm::is_archive(image)) return archive_image(image, options, runner);
  const fs::path raw = raw_of(image, contents.format, options.scratch, runner);
  contents.bytes = fs::file_size(raw);
  const Fd file = Fd::open(raw.string(), O_RDONLY);
  const ReadBytes read = reader_of(file, raw);
  contents.table = read_partition_table(read);
  contents.parts = find_parts(read, contents.table, contents.bytes);
  contents.used = "user space";
  refuse_unknown(contents, read);
  std::vector<std::string> beyond;
  for (ImagePart& part : contents.parts) {
    if (is_direct(part.signature)) {
      read_directly(raw, part, options, runner);
    } else {
      beyond.push_back(part.signature.type);
    }
  }
  if (beyond.empty() || !options.start_guest) return contents;
  contents.used = cat("libguestfs, for ", join(beyond, ", "));
  read_by_guest(raw, options, contents);
  return contents;
}

FileTree system_tree(const ImageContents& contents) {
  const ImagePart* const root = root_part(contents);
  if (root == nullptr) return {};
  FileTree tree = *root->tree;
  std::vector<std::pair<std::string, const ImagePart*>> mounts;
  for (const std::string& line : split_lines(tree.text("etc/fstab").value_or(""))) {
    const std::vector<std::string> words = split_words(line);
    if (words.size() < 3 || words[0].starts_with('#') || words[1] == "/" || !words[1].starts_with('/')) continue;
    const ImagePart* const part = part_of_fstab(contents, replace_all(words[0], "\\040", " "));
    if (part != nullptr && part != root) mounts.emplace_back(normal_path(words[1]).value_or(""), part);
  }
  std::sort(mounts.begin(), mounts.end());
  for (const auto& [at, part] : mounts) {
    if (!at.empty()) graft(tree, at, *part->tree);
  }
  return tree;
}

LayoutNode contents_tree(const ImageContents& contents, const std::string& name) {
  const FoundTable& table = contents.table;
  LayoutNode disk{
      .kind = contents.format == "archive" ? "archive" : "disk", .name = name, .offset = 0, .bytes = contents.bytes};
  const auto add = [](LayoutNode& node, const char* what, const std::string& value) {
    if (!value.empty()) node.facts.emplace_back(what, value);
  };
  add(disk, "format", contents.container ? contents.container->kind : contents.format);
  if (contents.container) {
    disk.kind = "container";
    disk.facts.insert(disk.facts.end(), contents.container->facts.begin(), contents.container->facts.end());
    for (const ContainerContents::Layer& layer : contents.container->layers) {
      LayoutNode& node = disk.children.emplace_back(LayoutNode{.kind = "layer", .name = "", .bytes = layer.bytes});
      add(node, "by", layer.made_by);
      add(node, "digest", layer.digest);
    }
  }
  if (table.table != PartitionTable::none) {
    add(disk, "table", table.table == PartitionTable::gpt ? "gpt" : "mbr");
    add(disk, "id", table.id);
    add(disk, "sector", std::to_string(table.sector_size));
  }
  for (const ImagePart& part : contents.parts) {
    LayoutNode node{.kind = part.signature.type.empty() ? "unknown" : part.signature.type, .name = ""};
    add(node, "label", part.signature.label);
    add(node, "uuid", part.signature.uuid);
    if (part.tree) add(node, "files", std::to_string(part.tree->entries.size()));
    const auto is_it = [&](const FoundPartition& each) { return std::to_string(each.number) == part.device; };
    const auto found = std::find_if(table.partitions.begin(), table.partitions.end(), is_it);
    if (found == table.partitions.end()) {
      if (!part.device.empty()) node.name = part.device;
      if (contents.format != "archive") disk.children.push_back(std::move(node));
      continue;
    }
    LayoutNode partition{.kind = "partition",
                         .name = found->name.empty() ? part.device : found->name,
                         .offset = found->extent.offset,
                         .bytes = found->extent.length};
    add(partition, "number", part.device);
    add(partition, "type", found->type);
    add(partition, "uuid", found->guid);
    if (found->boot) add(partition, "flags", "boot");
    if (!part.signature.type.empty()) partition.children.push_back(std::move(node));
    disk.children.push_back(std::move(partition));
  }
  return disk;
}

}  // namespace hearth::builder
