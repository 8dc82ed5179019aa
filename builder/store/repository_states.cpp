#include "builder/store/repository_states.hpp"

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/json.hpp"
#include "base/sys/file.hpp"
#include "base/sys/file_digest.hpp"
#include "base/sys/process.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

constexpr auto k_release_patience = std::chrono::seconds(5);
constexpr int k_redirects = 5;
constexpr auto k_git_patience = std::chrono::seconds(20);
constexpr std::string_view k_git = "git ";
constexpr std::string_view k_document = "url ";

/// A file that hooks named: what blocks or never ends is none.
std::optional<std::string> digest_of_file(const fs::path& path) {
  try {
    const std::optional<FileStatus> status = RealFileSystem().status(path);
    if (!status || status->type != FileStatus::Type::regular) return "gone";
    return digest_file(path).sha256;
  } catch (const Error&) {  // hooks can't read it either
    return "gone";
  }
}

/// That never changes.
bool is_commit(std::string_view ref) {
  return (ref.size() == 40 || ref.size() == 64) && ref.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// A repository of this machine that is not there any more: no server that does not answer.
bool is_gone_from_here(std::string_view place) {
  static constexpr std::string_view scheme = "file://";
  if (place.starts_with(scheme)) place.remove_prefix(scheme.size());
  boost::system::error_code failed;
  return place.starts_with('/') && fs::status(std::string(place), failed).type() == fs::file_not_found;
}

/// git looks for a repository where it is started, and hooks may have left one there, whose configuration names
/// programs.
Environment environment_of_git(const Environment& given) {
  Environment env = given.empty() ? current_environment() : given;
  env["GIT_TERMINAL_PROMPT"] = "0";
  env.try_emplace("GIT_ALLOW_PROTOCOL", "file:git:http:https:ssh");
  return env;
}

}  // namespace

std::string known_user_info(const Url& url, const Environment& environment) {
  for (const auto& [name, value] : environment) {
    for (const std::string& word : split_words(value)) {
      const Result<Url> known = word.find('@') == std::string::npos ? Result<Url>(Url()) : parse_url(word);
      if (!known.ok() || known.value().user_info.empty()) continue;
      const Url& place = known.value();
      if (place.scheme == url.scheme && place.host == url.host && place.port == url.port &&
          url.path.starts_with(place.path)) {
        return place.user_info;
      }
    }
  }
  return "";
}

RepositoryStates::RepositoryStates(fs::path file, HttpClient& client, const Clock& clock, std::optional<Duration> age,
                                   Environment environment, ReachCheck reach)
    : file_(std::move(file)),
      client_(client),
      clock_(clock),
      age_(age),
      environment_(std::move(environment)),
      reach_(std::move(reach)) {
  const Result<Json> read = parse_json(RealFileSystem().read(file_).value_or("{}"), file_.string());
  if (!read.ok() || !read.value().is_object()) return;
  for (const auto& [url, state] : read.value().items()) {
    if (state.is_object()) {
      states_[url] = {.digest = state.value("digest", ""), .looked = state.value("looked", std::int64_t{0})};
    }
  }
}

std::int64_t RepositoryStates::now() const { return unix_seconds(clock_.wall()); }

std::optional<std::string> RepositoryStates::digest(const std::string& url) {
  const auto known = states_.find(url);
  if (url.starts_with(k_document)) return age_ ? validators(url.substr(k_document.size())) : std::nullopt;
  if (url.starts_with(k_git)) return age_ ? git_commit(url.substr(k_git.size())) : std::nullopt;
  if (known != states_.end()) {
    const auto since = std::chrono::seconds(now() - known->second.looked);
    if (!age_ || known->second.own || (since.count() >= 0 && since < *age_)) return known->second.digest;
  }
  if (std::optional<std::string> current = age_ ? fetch(url) : std::nullopt) {
    seen(url, *current);
    return current;
  }
  return known == states_.end() ? std::nullopt : std::optional(known->second.digest);
}

/// The commit behind "URL REF" at its server, in git's own order of names.
std::optional<std::string> RepositoryStates::git_commit(const std::string& place) const {
  const std::size_t blank = place.rfind(' ');
  if (blank == std::string::npos) return std::nullopt;
  const std::string ref = place.substr(blank + 1);
  if (is_commit(ref)) return ref;
  std::string server = place.substr(0, blank);
  if (is_gone_from_here(server)) return "gone";
  const bool is_elsewhere = server.find(':') != std::string::npos || server.starts_with('/');
  if (!is_elsewhere || (reach_ && !reach_(server))) return "gone";
  if (Result<Url> url = parse_url(server); url.ok() && url.value().user_info.empty()) {
    const std::string user = known_user_info(url.value(), environment_);
    if (!user.empty()) server.insert(server.find("://") + 3, user + "@");
  }
  try {
    const CommandResult asked =
        RealRunner(clock_).run({.argv = {"git", "-c", "safe.directory=*", "ls-remote", "--", server, ref},
                                .env = environment_of_git(environment_),
                                .cwd = "/",
                                .err = hearth::Output::discard,
                                .deadline = Deadline::after(k_git_patience, clock_)});
    if (!succeeded(asked.status)) return std::nullopt;
    for (const std::string& name : {ref, cat("refs/", ref), cat("refs/tags/", ref), cat("refs/heads/", ref)}) {
      for (const std::string& line : split_lines(asked.out)) {
        const std::size_t tab = line.find('\t');
        if (tab != std::string::npos && line.substr(tab + 1) == name) return line.substr(0, tab);
      }
    }
    return "gone";
  } catch (const Error&) {  // no git
    return std::nullopt;
  }
}

/// As elements' cache-url notes them; "gone" where the server has neither, so that nothing holds by them.
std::optional<std::string> RepositoryStates::validators(const std::string& document) const {
  if (document.starts_with("file:")) return fetch(document);
  const Result<Url> parsed = parse_url(document);
  if (!parsed.ok()) return std::nullopt;
  HttpRequest request{.method = "HEAD",
                      .url = parsed.value(),
                      .deadline = Deadline::after(k_release_patience, clock_),
                      .max_redirects = k_redirects};
  if (request.url.user_info.empty()) request.url.user_info = known_user_info(request.url, environment_);
  try {
    const HttpResponse response = client_.send(request);
    if (!response.ok()) return response.status == 404 ? std::optional<std::string>("gone") : std::nullopt;
    const std::string tag = find_header(response.headers, "ETag").value_or("");
    const std::string time = find_header(response.headers, "Last-Modified").value_or("");
    return tag.empty() && time.empty() ? "gone" : hex_digest(HashKind::sha256, cat(tag, "\n", time, "\n"));
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<std::string> RepositoryStates::fetch(const std::string& url) const {
  const Result<Url> parsed = parse_url(url);
  if (!parsed.ok()) {  // file: and the like
    const std::string scheme = "file:";
    if (url.compare(0, scheme.size(), scheme) != 0) return std::nullopt;
    const std::size_t name = url.find_first_not_of('/', scheme.size());
    return name == std::string::npos ? "gone" : digest_of_file(url.substr(name - 1));
  }
  Url asked = parsed.value();
  if (asked.user_info.empty()) asked.user_info = known_user_info(asked, environment_);
  try {
    const HttpResponse response = client_.send(
        {.url = asked, .deadline = Deadline::after(k_release_patience, clock_), .max_redirects = k_redirects});
    return response.ok() ? std::optional(hex_digest(HashKind::sha256, response.body)) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

void RepositoryStates::seen(const std::string& url, const std::string& digest) {
  states_[url] = {.digest = digest, .looked = now(), .own = true};
  save();
}

void RepositoryStates::save() const {
  Json json = Json::object();
  for (const auto& [url, state] : states_) json[url] = {{"digest", state.digest}, {"looked", state.looked}};
  try {
    RealFileSystem files;
    files.make_directories(file_.parent_path(), 0777);
    files.write(file_, format_json(json, {.indent = 2}), {.mode = 0644});
  } catch (const Error&) {  // a full disk: the next build asks again
  }
}

}  // namespace hearth::builder
