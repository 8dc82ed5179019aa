#include "builder/channels/seen.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/json.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "builder/evidence/statements.hpp"

namespace hearth::builder::channels {

namespace {

std::string row_of(const std::string& key_id, const Reference& reference) { return cat(reference.text(), " ", key_id); }

/// A file that can't be read is no leave to take anything.
Json read_rows(const fs::path& file) {
  const std::optional<std::string> text = RealFileSystem().read(file);
  if (!text) return Json::object();
  Json rows = json_or_null(*text);
  const auto is_good = [](const Json& row) {
    return member_or_null(row, "serial").is_number_unsigned() && member_or_null(row, "statement").is_string();
  };
  if (rows.is_object() && std::all_of(rows.begin(), rows.end(), is_good)) return rows;
  throw Error(ErrorKind::input, cat(file.string(), ", what was seen of channels, can't be read"))
      .hint("Remove it; whatever is served next is then taken for the newest.");
}

/// Of a row that was read, or of none.
std::uint64_t serial_in(const Json& row) { return row.is_object() ? row.at("serial").get<std::uint64_t>() : 0; }

void require_newer(const Json& row, const Opened& opened, const std::string& digest, const fs::path& file) {
  const std::uint64_t seen = serial_in(row);
  const Pointer& pointer = opened.pointer;
  if (pointer.serial > seen || (pointer.serial == seen && text_member(row, "statement") == digest)) return;
  const std::string published = evidence::iso_time(pointer.published_s);
  if (pointer.serial == seen) {
    throw Error(ErrorKind::input, cat(pointer.reference.text(), " is refused: another one with the same serial (", seen,
                                      ") was seen before"))
        .hint("Two have published at once, or its key is with somebody else. Publishing again mends it.");
  }
  throw Error(ErrorKind::input, cat(pointer.reference.text(), " is refused: what is served is of ", published,
                                    " (serial ", pointer.serial, "), and a newer one was seen (serial ", seen, ")"))
      .hint(cat("An old backup, a stale mirror, or somebody who serves what was. --older takes it all the same (",
                file.string(), " keeps count)."));
}

}  // namespace

std::uint64_t Seen::serial(const std::string& key_id, const Reference& reference) const {
  return serial_in(member_or_null(read_rows(file_), row_of(key_id, reference)));
}

FileLock Seen::hold() const try {
  RealFileSystem().make_directories(file_.parent_path(), 0755);
  FileLock lock = FileLock::acquire(cat(file_.string(), ".lock"));
  static_cast<void>(AtomicFile::create(file_));  // a file that can't be written is better known now
  return lock;
} catch (Error& error) {
  throw error.hint(
      "The newest that was seen of each channel is kept there, so that nobody is given an older one. Another place for "
      "it: XDG_STATE_HOME.");
}

void Seen::require_kept() const { static_cast<void>(hold()); }

void Seen::accept(const Opened& opened, Older older) const {
  const FileLock lock = hold();
  Json rows = read_rows(file_);
  const std::string name = row_of(opened.key_id, opened.pointer.reference);
  const std::string digest = hex_digest(HashKind::sha256, opened.statement);
  const Json before = member_or_null(rows, name);
  if (older == Older::is_refused) require_newer(before, opened, digest, file_);
  Json now = {{"serial", opened.pointer.serial}, {"statement", digest}};
  if (now == before) return;
  rows[name] = std::move(now);
  RealFileSystem().write(file_, json_document(rows), {});
}

}  // namespace hearth::builder::channels
