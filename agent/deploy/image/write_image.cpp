#include "agent/deploy/image/write_image.hpp"

#include <algorithm>
#include <memory>

#include "agent/deploy/disk/file_system.hpp"
#include "agent/deploy/disk/gpt.hpp"
#include "agent/deploy/image/http_stream.hpp"
#include "agent/deploy/image/spool.hpp"
#include "base/check.hpp"
#include "base/error.hpp"
#include "base/frames/signature.hpp"
#include "base/hex.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

/// A piece is asked for anew rather than waited for: TCP tries ever more seldom on a connection that was cut for a
/// while.
constexpr Duration k_piece_patience = std::chrono::seconds(15);

std::string file_name_of(const Url& url) { return percent_decode(url.path.substr(url.path.rfind('/') + 1)); }

/// The checksum as digits: looked up in the list that a URL names.
Checksum resolved(const ImageInfo& image, const Url& image_url, WriterWorld& world) {
  Checksum sum = *image.checksum;
  const Result<Url> list = parse_url(sum.value);
  if (!list) return sum;
  const HttpResponse answer =
      world.http.send(HttpRequest{.url = *list,
                                  .deadline = Deadline::after(std::chrono::seconds(60), world.clock),
                                  .max_redirects = 5,
                                  .verify_tls = image.verify_tls,
                                  .ca_file = image.ca_file});
  if (!answer.ok())
    throw Error(ErrorKind::input, cat(list->masked(), ": the list of checksums: status ", answer.status));
  const std::optional<std::string> found = find_checksum(answer.body, file_name_of(image_url));
  const std::optional<HashKind> kind = found ? hash_of_length(found->size()) : std::nullopt;
  if (!kind) throw Error(ErrorKind::input, cat(list->masked(), " has no checksum for ", file_name_of(image_url)));
  return {*kind, *found};
}

/// "raw" may come compressed or as frames, but never as qcow2: such an image could refer to files of this machine.
void check_format(const ImageInfo& image, ImageFormat format) {
  const std::string_view found = format_name(format);
  const bool fits = image.disk_format == "raw"                                      ? format != ImageFormat::qcow2
                    : image.disk_format == "qcow2" || image.disk_format == "frames" ? found == image.disk_format
                                                                                    : true;
  if (!fits) throw Error(ErrorKind::input, cat("the image ", image.id, " is ", found, ", not ", image.disk_format));
}

void check_signature(const ImageInfo& image, const std::string& digits, std::string_view signature,
                     const std::string& key) {
  if (key.empty()) return;
  if (signature.empty())
    throw Error(ErrorKind::input, cat("the image ", image.id, " is not signed, but this site asks for it"));
  if (!frames::verify(digits, signature, key)) {
    throw Error(ErrorKind::input,
                cat("the image ", image.id, " has a signature that does not hold for this site's key"));
  }
}

/// Its jobs refer to what was made before this.
struct StopFirst {
  std::unique_ptr<WritePool>& pool;
  ~StopFirst() { pool.reset(); }
};

/// One attempt to write the image from one of its URLs.
class Attempt {
 public:
  Attempt(const ImageInfo& image, const Url& url, const std::string& disk, WriterWorld& world, WriteProgress& progress)
      : image_(image), url_(url), world_(world), progress_(progress), disk_(disk) {
    if (image.checksum) checksum_ = resolved(image, url, world);
  }

  WrittenImage run() {
    if (const auto written = gather()) return *written;
    HttpStream stream(world_.dialer, world_.clock, url_, stream_options());
    progress_.to_fetch = stream.size().value_or(0);
    Fetcher fetcher(stream, checksum_ ? std::optional(checksum_->kind) : std::nullopt, progress_.fetched);
    Window window(fetcher);
    const ImageFormat format = format_of(window.peek(8));
    check_format(image_, format);
    WrittenImage written{url_.masked(), format, decode(format, stream, window)};
    window.finish();
    check_digest(fetcher.digest());
    check_content(written.disk_size);
    disk_.commit();
    return written;
  }

 private:
  /// Frames, from peers and for what they don't give by pieces of the file. Nothing, before anything was touched: the
  /// conductor knows no peers, or the server gives no pieces.
  std::optional<WrittenImage> gather() {
    if (shelf() == nullptr || world_.spread->peers.stripes() == 0) return std::nullopt;
    Gathering::Seeds seeds;
    for (std::size_t stripe = 0; stripe < world_.spread->peers.stripes(); ++stripe) {
      StreamOptions options = stream_options();
      options.on_demand = true;
      options.connect_time = options.silence = k_piece_patience;
      seeds.push_back(std::make_unique<HttpStream>(world_.dialer, world_.clock, url_, options));
    }
    std::optional<std::string> next = seeds.front()->piece(0, frames::k_head_bytes);
    if (!next) return std::nullopt;
    check_format(image_, format_of(*next));
    auto pool = std::make_unique<WritePool>();
    Writing to{disk_, *pool, progress_.written, image_.id, shelf()};
    const StopFirst stop{pool};
    std::uint64_t front = 0;
    const FrameWritingPtr writing = begin_frames(to, root_check(), [&](std::size_t size) {
      if (front > 0) next = seeds.front()->piece(front, size);
      if (!next) throw Error(ErrorKind::io, cat(url_.masked(), ": the server answers no ranges any more"));
      front += size;
      return *next;
    });
    progress_.to_fetch = writing->map.empty() ? front : spans_of(writing->head, writing->map).back().last + 1;
    progress_.fetched = front;
    Gathering(writing, image_.root, *world_.spread, {world_.dialer, world_.clock, world_.say, {}},
              {progress_.fetched, progress_.from_peers})
        .run(seeds);
    end_frames(writing);
    pool->finish();
    check_written(writing->head.disk_size);
    check_content(writing->head.disk_size);
    disk_.commit();
    return WrittenImage{url_.masked(), ImageFormat::frames, writing->head.disk_size};
  }

  /// Only what the order names by its root can be told to others.
  Shelf* shelf() const { return world_.spread == nullptr || image_.root.empty() ? nullptr : &world_.spread->shelf; }

  void check_written(std::uint64_t size) const {
    const std::uint64_t written = progress_.written;
    check(written == size, "each byte of an image is written once", "written", written, "size", size);
  }

  void check_content(std::uint64_t image_size) const {
    if (image_.partitions && !find_file_system(disk_.held())) {
      throw Error(ErrorKind::input,
                  cat("the image ", image_.id, " holds no ext4, XFS or Btrfs: it is no partition image"));
    }
    if (!image_.partitions && !has_partition_table(disk_.held())) {
      throw Error(ErrorKind::input, cat("the image ", image_.id, " has no partition table: it is no whole disk"))
          .hint("If it is a file system, say so: image_type partition, with root_gb.");
    }
    const std::uint32_t sectors = image_.partitions ? 0 : sector_of_table(disk_.held(), image_size);
    if (sectors != 0 && disk_.sector() != 0 && sectors != disk_.sector()) {
      throw Error(ErrorKind::input, cat("the partition table of the image ", image_.id, " counts sectors of ", sectors,
                                        " bytes, the disk ", disk_.path(), " has sectors of ", disk_.sector()))
          .hint("Build the image for such disks: DIB_BLOCK_SIZE is the size of the sectors.");
    }
  }

  StreamOptions stream_options() const {
    StreamOptions options;
    options.verify_tls = image_.verify_tls;
    options.ca_file = image_.ca_file;
    options.say = world_.say;
    if (!image_.authorization.empty()) options.headers.emplace_back("Authorization", image_.authorization);
    return options;
  }

  std::uint64_t decode(ImageFormat format, ByteSource& source, Window& window) {
    if (format != ImageFormat::frames && !image_.root.empty()) {
      throw Error(ErrorKind::input,
                  cat("the image ", image_.id, " is ", format_name(format), ", so it has no root to check"));
    }
    const bool needs_spool = format == ImageFormat::qcow2 && !source.piece(0, 8);
    if (!needs_spool) return decode_from(format, source, window);
    if (world_.say) world_.say(cat(url_.masked(), ": the server answers no ranges, so the image goes through memory"));
    Spool spool(window, spool_limit(), image_.id);
    std::atomic<std::uint64_t> read_again{0};
    Fetcher fetcher(spool, std::nullopt, read_again);
    Window spooled(fetcher);
    return decode_from(format, spool, spooled);
  }

  std::uint64_t decode_from(ImageFormat format, ByteSource& source, Window& window) {
    auto pool = std::make_unique<WritePool>();
    Decoding decoding{{disk_, *pool, progress_.written, image_.id, shelf()}, source, window};
    const StopFirst stop{pool};
    const std::uint64_t size = decode_format(format, decoding);
    pool->finish();
    check_written(size);
    return size;
  }

  std::uint64_t decode_format(ImageFormat format, Decoding& decoding) {
    switch (format) {
      case ImageFormat::raw: return decode_raw(decoding);
      case ImageFormat::gzip: return decode_stream(decoding, StreamInflater::Kind::gzip);
      case ImageFormat::zstd: return decode_stream(decoding, StreamInflater::Kind::zstd);
      case ImageFormat::qcow2: return decode_qcow2(decoding);
      case ImageFormat::frames: break;
    }
    return decode_frames(decoding, root_check());
  }

  RootCheck root_check() {
    return [this](const std::string& root, std::string_view signature) {
      if (!image_.root.empty() && root != image_.root) {
        throw Error(ErrorKind::input, cat("the image ", image_.id, " has the root ", root, ", expected ", image_.root));
      }
      check_signature(image_, root, signature, world_.trusted_key);
      trusted_ = !signature.empty();
    };
  }

  void check_digest(const std::string& digest) {
    check(!checksum_ || !digest.empty(), "what has a checksum was hashed");
    if (checksum_ && digest != checksum_->value) {
      throw Error(ErrorKind::input, cat("the checksum of the image ", image_.id, " from ", url_.masked(), " is ",
                                        digest, ", expected ", checksum_->value))
          .hint("The file is damaged, or its checksum was not updated with it.");
    }
    if (trusted_) return;
    check_signature(image_, checksum_ ? checksum_->value : "", from_hex(image_.signature), world_.trusted_key);
  }

  const ImageInfo& image_;
  Url url_;
  WriterWorld& world_;
  WriteProgress& progress_;
  std::optional<Checksum> checksum_;
  bool trusted_ = false;  ///< by the signature within a frames file
  DiskTarget disk_;
};

}  // namespace

bool has_partition_table(std::string_view front) {
  return front.size() >= 1024 &&
         ((front[510] == '\x55' && front[511] == '\xaa') || front.substr(512, 8) == "EFI PART" ||
          (front.size() >= 4104 && front.substr(4096, 8) == "EFI PART"));
}

std::uint32_t sector_of_table(std::string_view front, std::uint64_t image_size) {
  for (const std::uint32_t sector : {512U, 4096U}) {
    if (front.size() >= sector + 8 && front.substr(sector, 8) == "EFI PART") return sector;
  }
  std::uint64_t end = 0;
  for (const MbrEntry& entry : parse_mbr(front.substr(0, 512))) {
    end = std::max(end, std::uint64_t{entry.first} + entry.sectors);
  }
  if (end == 0) return 0;
  return end * 4096 <= image_size ? 4096 : 512;
}

WrittenImage write_image(const ImageInfo& image, const std::string& disk, WriterWorld& world, WriteProgress& progress) {
  if (world.spread != nullptr) world.spread->peers.begin(image.peers);
  for (std::size_t i = 0; i < image.urls.size(); ++i) {
    const Url url = parse_url(image.urls[i]).value_or_throw();
    try {
      progress.fetched = 0;
      progress.written = 0;
      progress.from_peers = 0;
      return Attempt(image, url, disk, world, progress).run();
    } catch (Error& error) {
      const bool more = i + 1 < image.urls.size();
      if (!more && world.spread != nullptr) world.spread->shelf.close();
      if (!more) throw error.during(cat("writing the image ", image.id, " to ", disk));
      if (world.say) world.say(cat(error.what(), "; trying the next URL"));
    }
  }
  throw Error(ErrorKind::usage, "Image 'urls' must be a list with at least one element.");
}

}  // namespace hearth::agent::deploy
