#include "bootstrap/bundle/bundle_file.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "base/error.hpp"
#include "base/frames/signature.hpp"
#include "base/hash.hpp"
#include "base/hmac.hpp"
#include "base/sys/file.hpp"
#include "base/sys/sync.hpp"
#include "base/text.hpp"
#include "builder/evidence/image_facts.hpp"
#include "builder/evidence/statements.hpp"

namespace hearth::bootstrap::bundle {

namespace {

constexpr std::size_t k_piece = std::size_t{1} << 20U;
constexpr std::uint64_t k_largest_manifest = std::uint64_t{256} << 20U;

struct Close {
  void operator()(archive* file) const { ::archive_free(file); }
};
using Archive = std::unique_ptr<archive, Close>;
struct Drop {
  void operator()(archive_entry* entry) const { ::archive_entry_free(entry); }
};
using ArchiveEntry = std::unique_ptr<archive_entry, Drop>;

Entry describe(const Source& source) {
  Entry entry{.path = source.path};
  const fs::file_status status = fs::symlink_status(source.file);
  if (fs::is_symlink(status)) {
    entry.is_link = true;
    entry.content = fs::read_symlink(source.file).string();
    return entry;
  }
  if (!fs::is_regular_file(status)) {
    throw Error(ErrorKind::input,
                cat(source.file.string(), " is neither a file nor a link: it can't go into a bundle"));
  }
  const builder::evidence::OutputFile file = builder::evidence::describe_output(source.file);
  entry.mode = (status.permissions() & fs::owner_exe) != 0 ? 0755 : 0644;
  if ((status.permissions() & (fs::group_read | fs::others_read)) == 0) entry.mode &= 0700;  // a secret stays one
  entry.size = file.size;
  entry.content = file.sha256;
  return entry;
}

class Packer {
 public:
  Packer(const Fd& output, std::string name, std::int64_t time_s, const OnBytes& on_bytes)
      : archive_(::archive_write_new()), name_(std::move(name)), time_s_(time_s), on_bytes_(on_bytes) {
    ::archive_write_set_format_pax_restricted(archive_.get());
    ::archive_write_set_bytes_in_last_block(archive_.get(), 1);
    check(::archive_write_open_fd(archive_.get(), output.get()));
  }
  void text(const std::string& path, const std::string& text) {
    begin({path, false, 0644, text.size(), ""});
    write(text.data(), text.size());
  }
  void file(const Entry& entry, const fs::path& source) {
    begin(entry);
    if (entry.is_link) return;
    const Fd opened = Fd::open(source.string(), O_RDONLY);
    Hasher hasher(HashKind::sha256);
    std::string piece(k_piece, '\0');
    std::uint64_t size = 0;
    for (ssize_t got = 0; (got = ::read(opened.get(), piece.data(), piece.size())) > 0;) {
      hasher.update({piece.data(), static_cast<std::size_t>(got)});
      size += static_cast<std::uint64_t>(got);
      if (size > entry.size) break;
      write(piece.data(), static_cast<std::size_t>(got));
    }
    if (size != entry.size || hasher.hex_digest() != entry.content) {
      throw Error(ErrorKind::input, cat(source.string(), " changed while it was packed")).hint("Try again.");
    }
  }
  void finish() { check(::archive_write_close(archive_.get())); }

 private:
  void begin(const Entry& entry) {
    const ArchiveEntry made(::archive_entry_new());
    ::archive_entry_set_pathname(made.get(), entry.path.c_str());
    ::archive_entry_set_filetype(made.get(), entry.is_link ? AE_IFLNK : AE_IFREG);
    ::archive_entry_set_perm(made.get(), entry.is_link ? 0777 : static_cast<mode_t>(entry.mode));
    ::archive_entry_set_mtime(made.get(), time_s_, 0);
    ::archive_entry_set_size(made.get(), static_cast<la_int64_t>(entry.size));
    if (entry.is_link) ::archive_entry_set_symlink(made.get(), entry.content.c_str());
    check(::archive_write_header(archive_.get(), made.get()));
  }
  void write(const char* data, std::size_t size) {
    if (::archive_write_data(archive_.get(), data, size) != static_cast<la_ssize_t>(size)) check(ARCHIVE_FATAL);
    done_ += size;
    if (on_bytes_) on_bytes_(done_);
  }
  void check(int result) {
    if (result >= ARCHIVE_WARN) return;
    throw Error(ErrorKind::io, cat("writing ", name_, ": ", ::archive_error_string(archive_.get())));
  }

  Archive archive_;
  std::string name_;
  std::int64_t time_s_;
  const OnBytes& on_bytes_;
  std::uint64_t done_ = 0;
};

/// Takes the entries of a bundle, once they are known to be named by the manifest.
class Receiver {
 public:
  virtual ~Receiver() = default;
  virtual void link(const Entry& entry) = 0;
  virtual void begin(const Entry& entry) = 0;
  virtual void bytes(std::string_view bytes) = 0;
  virtual void end() = 0;
};

class Reader {
 public:
  Reader(const fs::path& bundle, const OnBytes& on_bytes)
      : archive_(::archive_read_new()), name_(bundle.string()), on_bytes_(on_bytes) {
    if (!fs::exists(bundle)) {
      throw Error(ErrorKind::not_found, cat("there is no bundle ", fs::absolute(bundle).string()))
          .hint("hearth bundle create makes one");
    }
    ::archive_read_support_format_tar(archive_.get());
    check(::archive_read_open_filename(archive_.get(), bundle.c_str(), k_piece));
  }

  [[nodiscard]] Manifest manifest(std::string& text) {
    text = small_file(k_manifest_name);
    return parse_manifest(text, cat(name_, ":", k_manifest_name)).value_or_throw();
  }

  Checked read(const std::optional<std::string>& key, Receiver& receiver) {
    Checked checked;
    std::string text;
    checked.manifest = manifest(text);
    bool more = next();
    if (more && path() == k_signature_name) {
      checked.key_id = signer(text, content());
      more = next();
    }
    check_signer(checked.key_id, key);
    for (const Entry& entry : checked.manifest.entries) {
      if (!more) throw damaged(cat("it ends before ", entry.path));
      take(entry, receiver);
      more = next();
    }
    if (more) throw damaged(cat(path(), " is in it, but not in its manifest"));
    return checked;
  }

 private:
  [[nodiscard]] Error damaged(const std::string& why) const {
    Error error(ErrorKind::input, cat(name_, " is not whole: ", why));
    error.hint("It was cut short or altered on its way; copy it again from where it was made.");
    return error;
  }
  void check(int result) {
    if (result >= ARCHIVE_WARN || result == ARCHIVE_EOF) return;
    const char* const why = ::archive_error_string(archive_.get());
    throw damaged(why == nullptr ? "it is no bundle" : why);
  }
  bool next() {
    const int result = ::archive_read_next_header(archive_.get(), &entry_);
    check(result);
    return result != ARCHIVE_EOF;
  }
  [[nodiscard]] std::string path() const {
    const char* const text = ::archive_entry_pathname(entry_);
    return text == nullptr ? "" : text;
  }
  std::string small_file(const char* wanted) {
    if (!next() || path() != wanted) throw damaged(cat("it does not begin with ", wanted));
    return content();
  }
  std::string content() {
    const la_int64_t size = ::archive_entry_size(entry_);
    if (size < 0 || static_cast<std::uint64_t>(size) > k_largest_manifest) throw damaged(cat(path(), " is too long"));
    std::string text(static_cast<std::size_t>(size), '\0');
    if (::archive_read_data(archive_.get(), text.data(), text.size()) != size)
      throw damaged(cat(path(), " is cut short"));
    return text;
  }
  /// The key that signed `manifest`, as the envelope says; it holds.
  [[nodiscard]] std::string signer(const std::string& manifest, const std::string& envelope) const {
    try {
      const Json json = parse_json(envelope, cat(name_, ":", k_signature_name)).value_or_throw();
      const Json& signature = json.at("signatures").at(0);
      auto key = signature.at("keyid").get<std::string>();
      const auto bytes = base64_decode(signature.at("sig").get<std::string>());
      const auto payload = base64_decode(json.at("payload").get<std::string>());
      if (bytes && payload && *payload == manifest &&
          frames::verify(builder::evidence::signed_text(manifest), *bytes, key)) {
        return key;
      }
    } catch (const Json::exception&) {
      throw damaged("its signature is not understood");
    }
    throw damaged("its signature does not fit its manifest");
  }
  void check_signer(const std::string& signer, const std::optional<std::string>& wanted) const {
    if (!wanted || signer == *wanted) return;
    throw Error(ErrorKind::input, signer.empty()
                                      ? cat(name_, " is not signed")
                                      : cat(name_, " is signed by a stranger, the owner of the key ", signer))
        .hint(cat("The key that must have signed is ", *wanted, ". Nothing was unpacked."));
  }
  void take(const Entry& entry, Receiver& receiver) {
    if (path() != entry.path) throw damaged(cat(path(), " is where ", entry.path, " should be"));
    if (entry.is_link != (::archive_entry_filetype(entry_) == AE_IFLNK))
      throw damaged(cat(entry.path, " is of another kind"));
    if (entry.is_link) {
      const char* const target = ::archive_entry_symlink(entry_);
      if (target == nullptr || entry.content != target) throw damaged(cat(entry.path, " leads to another place"));
      return receiver.link(entry);
    }
    receiver.begin(entry);
    Hasher hasher(HashKind::sha256);
    std::string piece(k_piece, '\0');
    std::uint64_t size = 0;
    la_ssize_t got = 0;
    while ((got = ::archive_read_data(archive_.get(), piece.data(), piece.size())) > 0) {
      const std::string_view bytes(piece.data(), static_cast<std::size_t>(got));
      size += bytes.size();
      if (size > entry.size) break;
      hasher.update(bytes);
      receiver.bytes(bytes);
      done_ += bytes.size();
      if (on_bytes_) on_bytes_(done_);
    }
    if (got < 0) check(static_cast<int>(got));
    if (size != entry.size || hasher.hex_digest() != entry.content) throw damaged(cat(entry.path, " was altered"));
    receiver.end();
  }

  Archive archive_;
  std::string name_;
  const OnBytes& on_bytes_;
  archive_entry* entry_ = nullptr;  ///< owned by the archive
  std::uint64_t done_ = 0;
};

class Nobody final : public Receiver {
 public:
  void link(const Entry&) override {}
  void begin(const Entry&) override {}
  void bytes(std::string_view) override {}
  void end() override {}
};

class Unpacker final : public Receiver {
 public:
  explicit Unpacker(fs::path root) : root_(std::move(root)) {}
  void link(const Entry& entry) override {
    fs::create_directories((root_ / entry.path).parent_path());
    fs::create_symlink(entry.content, root_ / entry.path);
  }
  void begin(const Entry& entry) override {
    name_ = root_ / entry.path;
    fs::create_directories(name_.parent_path());
    file_ = Fd::open(name_.string(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, entry.mode & 0700U);
    if (::fchmod(file_.get(), entry.mode) != 0)
      throw Error::from_errno("setting the mode of", name_.string());  // umask
  }
  void bytes(std::string_view bytes) override { write_all(file_, bytes, name_.string()); }
  void end() override { file_.close(); }

 private:
  fs::path root_;
  fs::path name_;
  Fd file_;
};

}  // namespace

Manifest write_bundle(const fs::path& output, Manifest manifest, std::vector<Source> sources,
                      const std::string& key_pem, const OnBytes& on_bytes) {
  std::sort(sources.begin(), sources.end(), [](const Source& a, const Source& b) { return a.path < b.path; });
  for (const Source& source : sources) manifest.entries.push_back(describe(source));
  const std::string text = manifest_text(manifest);
  (void)parse_manifest(text, output.string()).value_or_throw();  // what could not be unpacked is not packed
  const bool secret = std::any_of(manifest.entries.begin(), manifest.entries.end(),
                                  [](const Entry& entry) { return !entry.is_link && (entry.mode & 0077U) == 0; });
  AtomicFile file = AtomicFile::create(output, secret ? 0600 : 0644);  // what only its owner may read stays so
  Packer packer(file.fd(), output.string(), manifest.created_s, on_bytes);
  packer.text(k_manifest_name, text);
  if (!key_pem.empty()) {
    const std::string signature = frames::sign(builder::evidence::signed_text(text), key_pem);
    packer.text(k_signature_name,
                format_json(builder::evidence::envelope(text, signature, frames::public_key_of(key_pem))));
  }
  for (std::size_t i = 0; i < sources.size(); ++i) packer.file(manifest.entries[i], sources[i].file);
  packer.finish();
  file.commit();
  return manifest;
}

std::optional<Manifest> manifest_of(const fs::path& file) try {
  if (!fs::is_regular_file(file)) return std::nullopt;
  std::string text;
  return Reader(file, {}).manifest(text);
} catch (const Error&) {
  return std::nullopt;
}

Checked check_bundle(const fs::path& bundle, const std::optional<std::string>& key, const OnBytes& on_bytes) {
  Nobody nobody;
  return Reader(bundle, on_bytes).read(key, nobody);
}

Checked unpack_bundle(const fs::path& bundle, const fs::path& directory, const std::optional<std::string>& key,
                      const OnBytes& on_bytes) {
  const fs::path target = fs::absolute(directory);
  if (fs::exists(target) && !(fs::is_directory(target) && fs::is_empty(target))) {
    throw Error(ErrorKind::input, cat(target.string(), " is there already"))
        .hint("Name a directory that is not there yet.");
  }
  TempDir work = TempDir::create(target.parent_path(), ".hearth-unpack-");
  Unpacker unpacker(work.path());
  Checked checked = Reader(bundle, on_bytes).read(key, unpacker);
  if (fs::exists(target)) fs::remove(target);
  fs::permissions(work.path(), fs::perms(0755));
  sync_file_system(work.path());  // a directory of that name is whole, also after a power cut
  fs::rename(work.release(), target);
  sync_directory(target.parent_path());
  return checked;
}

}  // namespace hearth::bootstrap::bundle
