#include "metadata/serve/audit_log.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/json.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::metadata {

namespace {

constexpr std::string_view k_seal = R"(,"chain":")";
constexpr std::size_t k_digest = 64;

std::string link(const std::string& before, std::string_view line) {
  return hex_digest(HashKind::sha256, cat(before, "\n", line));
}

/// What stands before the digest, with its brace again; and the digest. Both empty for what is no such line.
std::pair<std::string, std::string> taken_apart(std::string_view line) {
  const std::size_t seal = line.rfind(k_seal);
  const bool whole = seal != std::string_view::npos && line.size() == seal + k_seal.size() + k_digest + 2;
  if (!whole || !line.ends_with("\"}")) return {};
  return {cat(line.substr(0, seal), "}"), std::string(line.substr(seal + k_seal.size(), k_digest))};
}

std::string former_name(const std::string& path, int number) { return cat(path, ".", number); }

/// The last digest of a file, and whether its last line has no end.
struct End {
  std::string digest;
  bool is_torn = false;
};

End end_of(const std::string& path) {
  const std::optional<std::string> text = RealFileSystem().read(path);
  if (!text || text->empty()) return {};
  End end;
  end.is_torn = text->back() != '\n';
  std::size_t stop = text->size();
  while (stop > 0 && end.digest.empty()) {
    const std::size_t begin = text->rfind('\n', stop - 1);
    const std::size_t start = begin == std::string::npos ? 0 : begin + 1;
    end.digest = taken_apart(std::string_view(*text).substr(start, stop - start)).second;
    stop = begin == std::string::npos ? 0 : begin;
  }
  return end;
}

std::string begin_line(const std::string& former, bool is_torn, std::int64_t now) {
  Json line = Json::object();
  line["time"] = now;
  line["follows"] = former;
  if (is_torn) line["torn"] = true;
  return format_json(line);
}

std::string missed_line(std::size_t count, std::int64_t now) {
  Json line = Json::object();
  line["time"] = now;
  line["missed"] = count;
  return format_json(line);
}

/// One file's lines after those before it. A line that a crash left unfinished is followed by one that says so.
void verify_file(const std::string& path, AuditVerdict& verdict) {
  const std::vector<std::string> lines = split_lines(read_file(path));
  ++verdict.files;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto [line, digest] = taken_apart(lines[i]);
    const Result<Json> json = parse_json(line.empty() ? "{" : line, path);
    const bool begins = json && json->is_object() && json->contains("follows");
    const bool first = verdict.lines == 0 && begins;  // older files are gone
    if (first) verdict.digest = (*json)["follows"].is_string() ? (*json)["follows"].get<std::string>() : "";
    if (verdict.lines == 0 && digest.empty()) continue;  // of a version that made no chain
    const bool broken = digest.empty() || link(verdict.digest, line) != digest;
    const std::string next = i + 1 < lines.size() ? taken_apart(lines[i + 1]).first : "";
    if (broken && next.find("\"torn\":true") != std::string::npos) {
      ++verdict.torn;
      continue;
    }
    if (broken || (begins && (*json)["follows"] != verdict.digest)) {
      throw Error(
          ErrorKind::input,
          cat(path, ":", i + 1, ": the chain does not hold: this line, or one before it, is not as it was written"));
    }
    verdict.digest = digest;
    if (json && json->is_object()) verdict.missed += json->value("missed", std::size_t{0});
    ++verdict.lines;
  }
}

}  // namespace

std::string audit_line(const AccessRecord& record, std::int64_t unix_seconds) {
  Json line = Json::object();
  line["time"] = unix_seconds;
  line["listener"] = record.listener;
  line["peer"] = record.request.peer;
  line["principal"] = record.principal;
  line["method"] = record.request.method;
  line["target"] = without_secrets(record.request.target);
  line["status"] = record.status;
  line["bytes"] = record.bytes;
  line["microseconds"] = std::chrono::duration_cast<std::chrono::microseconds>(record.took).count();
  return format_json(line, {.ascii = true, .lossy = true});
}

AuditLog::AuditLog(std::string path, const Clock& clock, AuditLimits limits)
    : path_(std::move(path)), clock_(clock), limits_(limits) {
  open(unix_seconds(clock_.wall()));
}

/// Goes on where the file ends; a new one, and one with an unfinished line, begins with a line that says what it
/// follows.
void AuditLog::open(std::int64_t now) {
  const End end = end_of(path_);
  if (!end.digest.empty()) chain_ = end.digest;
  if (chain_.empty()) chain_ = end_of(former_name(path_, 1)).digest;
  file_ = Fd::open(path_, O_WRONLY | O_APPEND | O_CREAT, 0640);
  struct stat info {};
  size_ = ::fstat(file_.get(), &info) == 0 ? static_cast<std::size_t>(info.st_size) : 0;
  if (end.is_torn) (void)!::write(file_.get(), "\n", 1);
  if (end.is_torn || end.digest.empty()) (void)append(begin_line(chain_, end.is_torn, now));
}

bool AuditLog::append(std::string line) {
  const std::string digest = link(chain_, line);
  line.pop_back();
  line += cat(k_seal, digest, "\"}\n");
  if (::write(file_.get(), line.data(), line.size()) == static_cast<ssize_t>(line.size())) {
    chain_ = digest;
    size_ += line.size();
    return true;
  }
  (void)!::ftruncate(file_.get(), static_cast<off_t>(size_));  // a full disk must not end the service, nor the chain
  return false;
}

/// A file that is long enough, or that others moved away, is followed by a new one.
void AuditLog::look_after(std::int64_t now) {
  const bool is_full = size_ > limits_.bytes;
  if (now == looked_ && !is_full) return;
  looked_ = now;
  struct stat there {};
  struct stat ours {};
  const bool same = ::stat(path_.c_str(), &there) == 0 && ::fstat(file_.get(), &ours) == 0 &&
                    there.st_ino == ours.st_ino && there.st_dev == ours.st_dev;
  if (!same) return open(now);
  if (!is_full) return;
  for (int number = limits_.former_files; number > 1; --number) {
    (void)::rename(former_name(path_, number - 1).c_str(), former_name(path_, number).c_str());
  }
  if (::rename(path_.c_str(), former_name(path_, 1).c_str()) == 0) open(now);
}

void AuditLog::record(const AccessRecord& record) noexcept {
  if (record.status == 304) return;
  try {
    const auto now = unix_seconds(clock_.wall());
    look_after(now);
    if (missed_ > 0 && append(missed_line(missed_, now))) missed_ = 0;
    if (missed_ > 0 || !append(audit_line(record, now))) ++missed_;
  } catch (const std::exception&) {  // neither a full disk nor a lack of memory ends the service
    ++missed_;
  }
}

AuditVerdict verify_audit(const std::string& path) {
  AuditVerdict verdict;
  int oldest = 0;
  while (fs::exists(former_name(path, oldest + 1))) ++oldest;
  for (int number = oldest; number > 0; --number) verify_file(former_name(path, number), verdict);
  verify_file(path, verdict);
  return verdict;
}

}  // namespace hearth::metadata
