#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/sys/file.hpp"
#include "base/sys/file_digest.hpp"
#include "base/sys/lock.hpp"
#include "base/text.hpp"
#include "builder/channels/place.hpp"

namespace hearth::builder::channels {

namespace {

constexpr std::string_view k_pointer_ending = ".json";

class DirectoryPlace final : public Place {
 public:
  explicit DirectoryPlace(fs::path directory) : directory_(std::move(directory)) {}

  [[nodiscard]] std::string text() const override { return directory_.string(); }

  [[nodiscard]] std::optional<std::string> pointer(const Reference& reference) override {
    const fs::path file = pointer_file(reference);
    const auto status = files_.status(file);
    if (!status) {
      require_directory();
      return std::nullopt;
    }
    if (status->type != FileStatus::Type::regular)
      throw Error(ErrorKind::input, cat(reference.text(), ": ", file.string(), " is refused: it is no regular file"));
    if (status->size > k_largest_pointer)
      throw Error(ErrorKind::input, cat(reference.text(), ": ", file.string(), " is refused: it is too long"));
    return files_.read(file);
  }

  void set_pointer(const Pointer& pointer, const std::string& envelope) override {
    files_.write(pointer_file(pointer.reference), envelope, {});
    files_.write(channels() / "index.json", list_text(list()), {});  // for those who read this by HTTP
  }

  [[nodiscard]] bool has(const std::string& /*name*/, const NamedFile& file) override {
    const auto status = files_.status(blob(file));
    return status && status->type == FileStatus::Type::regular && status->size == file.size;
  }

  void put(const std::string& /*name*/, const NamedFile& file, const Pieces& next) override {
    files_.make_directories(blob(file).parent_path(), 0755);
    AtomicFile out = AtomicFile::create(blob(file));
    for (std::string_view piece = next(); !piece.empty(); piece = next())
      write_all(out.fd(), piece, blob(file).string());
    out.commit();
  }

  void get(const std::string& /*name*/, const NamedFile& file, const Take& take) override {
    if (!files_.status(blob(file)))
      throw Error(ErrorKind::not_found, cat("there is no ", blob(file).string(), " (", file.path, ")"));
    const Fd opened = open_regular(blob(file));
    std::string piece(std::size_t{1} << 20U, '\0');
    while (true) {
      const ssize_t got = ::read(opened.get(), piece.data(), piece.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw Error::from_errno("reading", blob(file).string());
      if (got == 0) return;
      take({piece.data(), static_cast<std::size_t>(got)});
    }
  }

  [[nodiscard]] std::vector<Reference> list() override {
    require_directory();
    std::vector<Reference> references;
    for (const std::string& name : files_.list(channels())) {
      if (!is_directory(files_, channels() / name)) continue;
      for (const std::string& file : files_.list(channels() / name)) {
        if (!file.ends_with(k_pointer_ending)) continue;
        const std::string channel = file.substr(0, file.size() - k_pointer_ending.size());
        if (auto reference = parse_reference(cat(name, "@", channel))) references.push_back(*std::move(reference));
      }
    }
    std::sort(references.begin(), references.end());
    return references;
  }

  [[nodiscard]] std::unique_ptr<Held> hold(const std::string& name) override {
    files_.make_directories(channels() / name, 0755);
    return std::make_unique<HeldLock>(FileLock::acquire(channels() / ".lock"));
  }

 private:
  struct HeldLock final : Held {
    explicit HeldLock(FileLock taken) : lock(std::move(taken)) {}
    FileLock lock;
  };

  void require_directory() const {
    if (is_directory(files_, directory_)) return;
    throw Error(ErrorKind::not_found, cat("there is no directory ", directory_.string()))
        .hint("It is where images are published: hearth image publish IMAGE --to DIR --channel CHANNEL makes it.");
  }
  [[nodiscard]] fs::path channels() const { return directory_ / "channels"; }
  [[nodiscard]] fs::path pointer_file(const Reference& reference) const {
    return channels() / reference.name / cat(reference.channel, k_pointer_ending);
  }
  [[nodiscard]] fs::path blob(const NamedFile& file) const { return directory_ / "blobs" / "sha256" / file.sha256; }

  fs::path directory_;
  RealFileSystem files_;
};

}  // namespace

std::unique_ptr<Place> directory_place(const fs::path& directory) {
  return std::make_unique<DirectoryPlace>(fs::absolute(directory));
}

}  // namespace hearth::builder::channels
