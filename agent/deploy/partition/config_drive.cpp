#include "agent/deploy/partition/config_drive.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "agent/deploy/disk/disk_target.hpp"
#include "agent/deploy/disk/gpt.hpp"
#include "agent/deploy/disk/inflate.hpp"
#include "base/error.hpp"
#include "base/hmac.hpp"
#include "base/sys/random.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

constexpr std::uint64_t k_drive_bytes = std::uint64_t{64} << 20U;  // as ironic-python-agent has it
constexpr std::uint64_t k_alignment = std::uint64_t{1} << 20U;
constexpr std::uint8_t k_linux = 0x83;
constexpr std::string_view k_label = "config-2";

std::string unzipped(std::string_view bytes) {
  StreamInflater inflater(StreamInflater::Kind::gzip);
  std::string out;
  while (true) {
    const std::size_t before = out.size();
    out.resize(before + (std::size_t{1} << 20U));
    const std::size_t got = inflater.inflate(bytes, std::span(out).subspan(before));
    out.resize(before + got);
    if (out.size() > k_drive_bytes) throw Error(ErrorKind::input, "the config drive is larger than 64 MiB");
    if (got == 0 && bytes.empty()) break;
    if (inflater.complete() && bytes.empty()) break;
  }
  if (!inflater.complete()) throw Error(ErrorKind::input, "the config drive is cut off");
  return out;
}

std::string plain(const std::string& bytes) { return bytes.rfind("\x1f\x8b", 0) == 0 ? unzipped(bytes) : bytes; }

std::string fetched(const Url& url, HttpClient& http, const Clock& clock, bool verify_tls) {
  const HttpResponse answer = http.send(HttpRequest{.url = url,
                                                    .deadline = Deadline::after(std::chrono::minutes(2), clock),
                                                    .max_redirects = 5,
                                                    .verify_tls = verify_tls});
  if (!answer.ok())
    throw Error(ErrorKind::io, cat("the config drive ", url.masked(), ": the server answers ", answer.status));
  return answer.body;
}

/// A disk as sectors.
class SectorFile {
 public:
  SectorFile(const std::string& path, std::uint32_t sector)
      : path_(path), fd_(Fd::open(path, O_RDWR)), sector_(sector), sectors_(DiskTarget(path).size() / sector) {}

  [[nodiscard]] std::uint64_t sectors() const { return sectors_; }
  [[nodiscard]] std::uint32_t sector() const { return sector_; }
  [[nodiscard]] std::string read(std::uint64_t first, std::size_t bytes) const {
    std::string text(bytes, 0);
    const ssize_t got = ::pread(fd_.get(), text.data(), text.size(), static_cast<off_t>(first * sector_));
    if (got < 0) throw Error::from_errno("reading", path_);
    text.resize(static_cast<std::size_t>(got));
    return text;
  }
  void write(std::uint64_t first, std::string_view bytes) { write_at(fd_, first * sector_, bytes, path_); }
  void sync() const {
    if (::fsync(fd_.get()) != 0) throw Error::from_errno("writing to", path_);
  }

 private:
  std::string path_;
  Fd fd_;
  std::uint32_t sector_;
  std::uint64_t sectors_;
};

/// Where the drive goes.
struct Place {
  std::uint32_t number = 0;  ///< 0 = nowhere
  std::uint64_t first = 0;
  std::uint64_t sectors = 0;
};

Error no_room(const std::string& disk) {
  return Error(ErrorKind::input, cat("there is no room for the config drive behind the last partition of ", disk))
      .hint("Use a disk that is 64 MiB larger than the image, or an image with a partition named config-2.");
}

/// An ISO 9660 volume identifier (ECMA-119 section 8.4) or the label of a FAT file system.
bool is_labelled(const SectorFile& disk, std::uint64_t first) {
  const std::string head = disk.read(first, 0x8100);
  const auto text = [&head](std::size_t at) { return to_lower(head.size() > at + 11 ? head.substr(at, 11) : ""); };
  return text(0x8028).rfind(k_label, 0) == 0 || text(43).rfind(k_label, 0) == 0 || text(71).rfind(k_label, 0) == 0;
}

Place place_in_gpt(SectorFile& disk, Gpt& gpt, const std::string& name) {
  for (const GptEntry& entry : gpt.entries()) {
    if (entry.name == k_label || is_labelled(disk, entry.first))
      return {entry.number, entry.first, entry.last - entry.first + 1};
  }
  const Guid id = parse_guid(random_hex(16));
  const auto added =
      gpt.add_last(k_drive_bytes / disk.sector(), k_alignment / disk.sector(), k_linux_type, id, k_label);
  if (!added) throw no_room(name);
  return {added->number, added->first, added->last - added->first + 1};
}

Place place_in_mbr(SectorFile& disk, const std::string& name) {
  std::string boot = disk.read(0, 512);
  std::uint64_t used = 0;
  for (const MbrEntry& entry : parse_mbr(boot)) {
    used = std::max<std::uint64_t>(used, std::uint64_t{entry.first} + entry.sectors);
    if (is_labelled(disk, entry.first)) return {static_cast<std::uint32_t>(entry.number), entry.first, entry.sectors};
  }
  const std::uint64_t wanted = k_drive_bytes / disk.sector();
  const std::uint64_t alignment = k_alignment / disk.sector();
  const std::uint64_t reach = std::min<std::uint64_t>(disk.sectors(), 0xffffffffU);
  if (reach < wanted) throw no_room(name);
  const std::uint64_t first = (reach - wanted) / alignment * alignment;
  MbrEntry entry{0, k_linux, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(wanted)};
  const std::vector<MbrEntry> before = parse_mbr(boot);
  const std::optional<std::string> changed = first >= used ? add_to_mbr(std::move(boot), entry) : std::nullopt;
  if (!changed) throw no_room(name);
  disk.write(0, *changed);
  std::uint32_t number = 1;
  while (std::any_of(before.begin(), before.end(),
                     [number](const MbrEntry& one) { return one.number == static_cast<int>(number); })) {
    ++number;
  }
  return {number, first, wanted};
}

void write_drive(SectorFile& disk, const Place& place, const std::string& drive, const std::string& name) {
  if (drive.size() > place.sectors * disk.sector()) {
    throw Error(ErrorKind::input, cat("the config drive has ", drive.size(), " bytes, its partition on ", name,
                                      " only ", place.sectors * disk.sector()));
  }
  std::string padded = drive;
  padded.resize((drive.size() + disk.sector() - 1) / disk.sector() * disk.sector());
  disk.write(place.first, padded);
}

}  // namespace

std::string partition_path(const std::string& disk, std::uint32_t number) {
  const bool digit = !disk.empty() && disk.back() >= '0' && disk.back() <= '9';
  return cat(disk, digit ? "p" : "", number);
}

std::string config_drive_bytes(const std::string& value, HttpClient& http, const Clock& clock, bool verify_tls) {
  if (const Result<Url> url = parse_url(value)) {
    const std::string body = fetched(*url, http, clock, verify_tls);
    const std::optional<std::string> decoded = base64_decode(trim(body));
    return plain(decoded ? *decoded : body);
  }
  std::string packed;
  std::copy_if(value.begin(), value.end(), std::back_inserter(packed),
               [](char c) { return c != '\n' && c != '\r' && c != ' '; });
  const std::optional<std::string> decoded = base64_decode(packed);
  if (!decoded || decoded->empty()) throw Error(ErrorKind::input, "the config drive is neither a URL nor Base64");
  return plain(*decoded);
}

std::string finish_partitions(const std::string& name, std::uint32_t sector, const std::string& drive) {
  SectorFile disk(name, sector);
  std::optional<Gpt> gpt = Gpt::parse(disk.read(0, static_cast<std::size_t>(DiskTarget::k_held)), sector);
  Place place;
  if (gpt) {
    gpt->grow(disk.sectors());
    if (!drive.empty()) place = place_in_gpt(disk, *gpt, name);
    const Gpt::Image image = gpt->encode();
    disk.write(image.backup_sector, image.backup);
    disk.write(1, image.primary);
  } else if (!drive.empty()) {
    place = place_in_mbr(disk, name);
  }
  if (place.number != 0) write_drive(disk, place, drive, name);
  disk.sync();
  if (!gpt && place.number == 0) return "";
  reread_partitions(name);
  return place.number == 0 ? "" : partition_path(name, place.number);
}

}  // namespace hearth::agent::deploy
