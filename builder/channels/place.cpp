#include "builder/channels/place.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/json.hpp"
#include "base/sys/file_digest.hpp"
#include "base/text.hpp"

namespace hearth::builder::channels {

namespace {

constexpr std::size_t k_piece_size = std::size_t{1} << 20U;

class FilePieces {
 public:
  FilePieces(fs::path path, NamedFile file)
      : path_(std::move(path)), file_(std::move(file)), opened_(open_regular(path_)), piece_(k_piece_size, '\0') {}

  std::string_view next() {
    const std::uint64_t left = file_.size - done_;
    if (left == 0) return {};
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(left, piece_.size()));
    std::size_t got = 0;
    while (got < wanted) {
      const ssize_t more = ::read(opened_.get(), piece_.data() + got, wanted - got);
      if (more < 0 && errno == EINTR) continue;
      if (more <= 0) throw changed();
      got += static_cast<std::size_t>(more);
    }
    hasher_.update({piece_.data(), got});
    done_ += got;
    if (done_ == file_.size && hasher_.hex_digest() != file_.sha256) throw changed();
    return {piece_.data(), got};
  }

 private:
  [[nodiscard]] Error changed() const {
    Error error(ErrorKind::input, cat(path_.string(), " changed while it was published"));
    error.hint("Nothing was published. Try again.");
    return error;
  }

  fs::path path_;
  NamedFile file_;
  Fd opened_;
  std::string piece_;
  Hasher hasher_{HashKind::sha256};
  std::uint64_t done_ = 0;
};

}  // namespace

Pieces pieces_of(const fs::path& path, const NamedFile& file) {
  return [pieces = std::make_shared<FilePieces>(path, file)] { return pieces->next(); };
}

std::unique_ptr<Place> open_place(const std::string& where, const Environment& environment, const Clock& clock) {
  const std::size_t colon = where.find("://");
  const std::string scheme = colon == std::string::npos ? "" : where.substr(0, colon);
  if (scheme == "http" || scheme == "https") return web_place(where, environment, clock);
  if (scheme == "oci" || scheme == "oci+http") return registry_place(where, environment, clock);
  if (scheme.empty()) return directory_place(where);
  throw Error(ErrorKind::usage, cat("images can't be published at ", where))
      .hint("A place is a directory, https://HOST/PATH (a server that takes PUT), or oci://HOST/PATH (a registry).");
}

std::string list_text(const std::vector<Reference>& references) {
  Json names = Json::array();
  for (const Reference& reference : references) names.push_back(reference.text());
  return json_document({{"channels", std::move(names)}});
}

std::vector<Reference> parse_list(const std::string& text, const std::string& source) {
  std::vector<Reference> references;
  const Json list = json_or_null(text);
  if (!member_or_null(list, "channels").is_array()) {
    throw Error(ErrorKind::input, cat(source, ", the list of channels, can't be read"))
        .hint(
            "A channel can be taken without it. Publishing makes it anew, of what is published or promoted from then "
            "on.");
  }
  for (const Json& name : list_member(list, "channels")) {
    if (!name.is_string()) continue;
    if (auto reference = parse_reference(name.get<std::string>())) references.push_back(*std::move(reference));
  }
  std::sort(references.begin(), references.end());
  references.erase(std::unique(references.begin(), references.end()), references.end());
  return references;
}

}  // namespace hearth::builder::channels
