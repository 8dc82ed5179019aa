#include "agent/apply/writer.hpp"

#include "agent/apply/diff.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::agent {

namespace {

constexpr std::uint32_t k_default_mode = 0644;

/// Output root and relative path; "o/" and "o" are the same root.
std::string target_of(const std::string& root, const std::string& relative) {
  return (fs::path(root) / relative).string();
}

bool is_link(const std::string& path) {
  boost::system::error_code ignored;
  return fs::is_symlink(path, ignored);
}

FileAttributes attributes_of(const FileControl& control, const std::optional<FileStatus>& old) {
  FileAttributes attributes{.mode = k_default_mode, .uid = control.uid, .gid = control.gid};
  if (old) {
    attributes.mode = old->mode & 0777U;
    if (!attributes.uid) attributes.uid = old->uid;
    if (!attributes.gid) attributes.gid = old->gid;
  }
  if (control.mode) attributes.mode = *control.mode;
  return attributes;
}

bool is_same(const FileChange& change) {
  if (!change.old_status || change.old_content != change.content || is_link(change.path)) return false;
  const FileStatus& old = *change.old_status;
  const FileAttributes& wanted = change.attributes;
  return old.mode == wanted.mode && old.uid == wanted.uid.value_or(old.uid) && old.gid == wanted.gid.value_or(old.gid);
}

FileChange::Kind kind_of(const FileChange& change, const FileControl& control) {
  if (change.content.empty() && !control.allow_empty) {
    return change.old_status ? FileChange::Kind::remove : FileChange::Kind::skip;
  }
  return is_same(change) ? FileChange::Kind::keep : FileChange::Kind::write;
}

FileChange plan_change(const RenderedFile& file, const std::string& root, const FileReader& reader) {
  FileChange change;
  change.path = target_of(root, file.relative);
  change.content = file.content;
  change.old_status = reader.status(change.path);
  if (change.old_status && change.old_status->type == FileStatus::Type::directory) {
    throw Error(ErrorKind::input, cat("cannot write ", change.path, ": it is a directory"));
  }
  if (change.old_status && change.old_status->type == FileStatus::Type::regular)
    change.old_content = reader.read(change.path);
  change.attributes = attributes_of(file.control, change.old_status);
  change.kind = kind_of(change, file.control);
  return change;
}

/// Files that are written together: when one of them can't be, none is replaced.
class Batch {
 public:
  Batch(FileSystem& files, const WriteTogether& write, Logger& log) : files_(files), write_(write), log_(log) {}

  void add(const FileChange& change) {
    log_.info(cat("writing ", change.path));
    const fs::path parent = fs::path(change.path).parent_path();
    if (parent != last_parent_) files_.make_directories(parent, 0777);
    last_parent_ = parent;
    waiting_.push_back({change.path, change.content, change.attributes});
  }
  void flush() { write_(std::exchange(waiting_, {})); }

 private:
  FileSystem& files_;
  const WriteTogether& write_;
  Logger& log_;
  std::vector<FileToWrite> waiting_;
  fs::path last_parent_;  ///< which is there; those of one directory come one after the other
};

std::string attribute_lines(const FileChange& change) {
  if (change.kind != FileChange::Kind::write || !change.old_status) return "";
  const FileStatus& old = *change.old_status;
  std::string text;
  if (old.mode != change.attributes.mode) {
    text += cat("# ", change.path, ": mode ", octal_mode(old.mode), " -> ", octal_mode(change.attributes.mode), "\n");
  }
  const std::uint32_t uid = change.attributes.uid.value_or(old.uid);
  const std::uint32_t gid = change.attributes.gid.value_or(old.gid);
  if (old.uid != uid || old.gid != gid) {
    text += cat("# ", change.path, ": owner ", old.uid, ":", old.gid, " -> ", uid, ":", gid, "\n");
  }
  if (is_link(change.path)) text += cat("# ", change.path, ": a link is replaced by a file\n");
  return text;
}

}  // namespace

std::vector<FileChange> plan_changes(const std::vector<RenderedFile>& files, const std::string& output_root,
                                     const FileReader& reader) {
  std::vector<FileChange> changes;
  changes.reserve(files.size());
  for (const RenderedFile& file : files) changes.push_back(plan_change(file, output_root, reader));
  return changes;
}

void apply_changes(const std::vector<FileChange>& changes, FileSystem& files, const WriteTogether& write, Logger& log) {
  Batch batch(files, write, log);
  for (const FileChange& change : changes) {
    switch (change.kind) {
      case FileChange::Kind::write: batch.add(change); break;
      case FileChange::Kind::keep: log.debug(cat("unchanged ", change.path)); break;
      case FileChange::Kind::skip: log.info(cat("not creating empty ", change.path)); break;
      case FileChange::Kind::remove: log.info(cat("deleting ", change.path)); break;
    }
  }
  batch.flush();
  for (const FileChange& change : changes) {
    if (change.kind == FileChange::Kind::remove) files.remove(change.path);
  }
}

std::string describe_changes(const std::vector<FileChange>& changes) {
  std::string text;
  for (const FileChange& change : changes) {
    if (!change.changes_something()) continue;
    text += attribute_lines(change);
    const std::string new_name = change.kind == FileChange::Kind::remove ? "/dev/null" : change.path;
    const std::string old_name = change.old_content ? change.path : "/dev/null";
    text += unified_diff(change.old_content.value_or(""), change.content, old_name, new_name);
  }
  return text;
}

}  // namespace hearth::agent
