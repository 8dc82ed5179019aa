#include "builder/outdated/repositories.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "builder/outdated/release_signature.hpp"
#include "builder/packages/packed_text.hpp"
#include "builder/store/repository_states.hpp"

namespace hearth::builder {

namespace {

constexpr std::chrono::seconds k_list_patience{300};  // for a list over a slow line
constexpr std::chrono::seconds k_release_file_patience{30};
constexpr auto k_stall = std::chrono::seconds(10);
constexpr int k_most_redirects = 5;
constexpr std::size_t k_release_bytes = std::size_t{16} << 20U;
constexpr std::size_t k_list_bytes = std::size_t{256} << 20U;
constexpr std::string_view k_signed = "InRelease";

/// A build noted the name, so it may be of anything.
std::string read_regular(const fs::path& file, std::size_t limit) {
  const std::optional<FileStatus> status = RealFileSystem().status(file);
  const bool is_fit = status && status->type == FileStatus::Type::regular && status->size <= limit;
  if (!is_fit) throw Error(ErrorKind::io, cat(file.string(), " is no regular file of a sensible size"));
  return read_file(file);
}

}  // namespace

const RepositoryLook& Repositories::at(const std::string& url) {
  const auto known = looks_.find(url);
  if (known != looks_.end()) return known->second;
  try {
    return looks_[url] = look(url);
  } catch (const Error& error) {
    return looks_[url] = {.name = url, .fault = error.story()};
  }
}

/// A fault in the middle leaves what was read so far in offers(), under a number that nobody is told.
RepositoryLook Repositories::look(const std::string& url) {
  const std::string base = url.substr(0, url.rfind('/') + 1);
  const std::string text = fetched(url, k_release_bytes);
  const bool is_signed_within = url.ends_with(k_signed);
  std::optional<std::string> content = text;
  if (is_signed_within) content = clear_signed_text(text);
  if (!content) throw Error(ErrorKind::input, cat(url, " is no signed Release file"));
  std::string signature;
  RepositoryLook result{.name = url};
  try {
    if (!is_signed_within) signature = fetched(cat(url, ".gpg"), k_release_bytes);
    const SignatureCheck check =
        check_release_signature(text, signature, setup_.keyrings, setup_.runner, setup_.scratch);
    if (check.is_bad) throw Error(ErrorKind::input, cat(url, ": its signature does not fit: somebody has changed it"));
    result.unchecked = check.unchecked;
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::input) throw;
    result.unchecked = "there is no signature";
  }
  const ReleaseFile release = parse_release_file(*content, setup_.architectures);
  if (release.lists.empty()) {
    throw Error(ErrorKind::input, cat(url, " names no list of packages of ",
                                      join({setup_.architectures.begin(), setup_.architectures.end()}, ", ")));
  }
  result.offer = offers_.add_repository(release);
  for (const PackageListFile& list : release.lists) take_list(base, release, list);
  if (!release.suite.empty()) result.name = release.suite;
  return result;
}

/// With the credentials that a variable has for the place, as a build takes them. Throws Error.
std::string Repositories::fetched(const std::string& url, std::size_t limit) const {
  constexpr std::string_view file = "file:";
  if (url.starts_with(file)) return read_regular(url.substr(file.size()), limit);
  HttpRequest request{
      .url = parse_url(url).value_or_throw(),
      .deadline = Deadline::after(limit == k_list_bytes ? k_list_patience : k_release_file_patience, setup_.clock),
      .stall = k_stall,
      .max_redirects = k_most_redirects,
      .body_limit = limit};
  request.url.user_info = known_user_info(request.url, setup_.environment);
  HttpResponse response = setup_.client.send(request);
  if (!response.ok()) throw Error(ErrorKind::io, cat(url, ": the server answers ", response.status));
  return std::move(response.body);
}

void Repositories::take_list(const std::string& base, const ReleaseFile& release, const PackageListFile& list) {
  if (!setup_.lists.has(list.sha256)) fetch_list(base, release, list);
  const std::optional<Blob> blob = setup_.lists.open(list.sha256);
  const std::optional<std::string> text = blob ? unpacked_text(blob->bytes(), k_list_bytes) : std::nullopt;
  if (!text) {
    setup_.lists.remove(list.sha256);
    throw Error(ErrorKind::input, cat(base, list.path, " can't be unpacked"));
  }
  try {
    offers_.add_list(*text);
  } catch (const Error& error) {
    throw Error(ErrorKind::input, cat(base, list.path, ": ", error.what()));
  }
}

/// By its digest first: under its name stands another one while a mirror is brought up to date.
void Repositories::fetch_list(const std::string& base, const ReleaseFile& release, const PackageListFile& list) const {
  const std::string directory = list.path.substr(0, list.path.rfind('/') + 1);
  std::vector<std::string> places = {cat(base, list.path)};
  if (release.by_hash) places.insert(places.begin(), cat(base, directory, "by-hash/SHA256/", list.sha256));
  for (const std::string& place : places) {
    const bool is_last = place == places.back();
    try {
      BlobStore::Writer writer = setup_.lists.begin();
      writer.write(fetched(place, k_list_bytes));
      if (writer.commit_as(list.sha256)) return;
      if (is_last) {
        throw Error(ErrorKind::input, cat(place, " is not what the Release file says"))
            .hint("The mirror is being brought up to date, or somebody has changed it. Try again in some minutes.");
      }
    } catch (const Error&) {
      if (is_last) throw;
    }
  }
}

}  // namespace hearth::builder
