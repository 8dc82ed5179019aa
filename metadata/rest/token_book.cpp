#include "metadata/rest/token_book.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/json.hpp"
#include "base/sys/file.hpp"
#include "base/sys/file_state.hpp"
#include "base/sys/lock.hpp"
#include "base/sys/private_file.hpp"
#include "base/sys/random.hpp"
#include "base/text.hpp"

namespace hearth::metadata::live {

namespace {

constexpr std::array<std::pair<std::string_view, Right>, 3> k_words = {
    {{"read", Right::reads}, {"operate", Right::works}, {"admin", Right::everything}}};
constexpr const char* k_api_token = "api-token";
constexpr std::size_t k_shortest_token = 8;

std::string digest_of(std::string_view text) { return hex_digest(HashKind::sha256, text); }

fs::path book_of(const fs::path& state) { return state / "tokens.json"; }

/// Whoever can read it may do everything.
void require_private(const fs::path& file) {
  struct stat info {};
  if (::stat(file.c_str(), &info) != 0 || (info.st_mode & 077U) == 0) return;
  throw Error(ErrorKind::input, cat(file.string(), ": others than its owner can use this token"))
      .hint(cat("chmod 600 ", file.string(), ", and `hearth metadata token rotate` when they may have read it."));
}

std::string api_token(const fs::path& state) {
  const std::optional<std::string> kept = read_small_file(state / k_api_token);
  std::string token = kept ? std::string(trim(*kept)) : "";
  if (token.empty() || token.size() >= k_shortest_token) return token;
  throw Error(ErrorKind::input,
              cat((state / k_api_token).string(), " holds ", token.size(), " characters: that can be guessed"))
      .hint("Remove it: the next start of the service makes one.");
}

/// In logs and lists, and in URLs.
bool is_plain_name(const std::string& name) {
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.';
  });
}

void require_plain_name(std::string_view what, const std::string& name) {
  if (is_plain_name(name)) return;
  throw Error(ErrorKind::usage, cat(what, " is letters, digits, '_', '-' and '.', 64 at most"));
}

std::string new_api_token(const fs::path& state) {
  std::string token = random_hex(32);
  rewrite_private_file(state / k_api_token, cat(token, "\n"));
  return token;
}

Json row_of(const PeopleToken& token) {
  Json row = Json::object();
  row["name"] = token.name;
  row["role"] = word(token.right);
  row["project"] = token.project;
  row["expires"] = token.expires;
  row["digest"] = token.digest;
  return row;
}

void keep(const fs::path& state, const std::vector<PeopleToken>& tokens) {
  Json rows = Json::array();
  for (const PeopleToken& token : tokens) rows.push_back(row_of(token));
  rewrite_private_file(book_of(state), cat(format_json(rows, {.indent = 1}), "\n"));
}

bool holds(const PeopleToken& token, std::int64_t now) { return token.expires == 0 || token.expires > now; }

std::string state_of(const fs::path& path) {
  const std::string state = file_state(path);
  return state.empty() ? "none " : state;
}

FileLock taken(const fs::path& state) { return FileLock::acquire(state / "tokens.lock"); }

}  // namespace

std::string_view word(Right right) {
  for (const auto& [word, each] : k_words) {
    if (each == right) return word;
  }
  return "";
}

std::optional<Right> parse_right(std::string_view text) {
  for (const auto& [word, right] : k_words) {
    if (word == text) return right;
  }
  return std::nullopt;
}

bool has_tokens(const fs::path& state) { return fs::exists(book_of(state)) || fs::exists(state / k_api_token); }

std::vector<PeopleToken> kept_tokens(const fs::path& state) {
  const fs::path file = book_of(state);
  const std::optional<std::string> text = read_small_file(file);
  std::vector<PeopleToken> tokens;
  if (!text) return tokens;
  const auto wrong = [&] {
    return Error(ErrorKind::input, cat(file.string(), " is no list of tokens"))
        .hint("Remove it to have api-token alone; `hearth metadata token create` makes it anew.");
  };
  const Result<Json> rows = parse_json(*text, file.string());
  if (!rows || !rows->is_array()) throw wrong();
  for (const Json& row : *rows) {
    const auto right = row.is_object() ? parse_right(row.value("role", "")) : std::nullopt;
    if (!right || !row.contains("digest") || !row["digest"].is_string()) throw wrong();
    tokens.push_back({row.value("name", ""), *right, row.value("project", ""), row.value("expires", std::int64_t{0}),
                      row["digest"].get<std::string>()});
  }
  return tokens;
}

std::string add_token(const fs::path& state, PeopleToken token, std::int64_t now) {
  require_plain_name("the name of a token", token.name);
  if (!token.project.empty()) require_plain_name("a project", token.project);
  const FileLock lock = taken(state);
  std::vector<PeopleToken> tokens = kept_tokens(state);
  std::erase_if(tokens, [&](const PeopleToken& each) { return !holds(each, now); });
  const auto same = [&](const PeopleToken& each) { return each.name == token.name; };
  if (token.name == k_api_token || std::any_of(tokens.begin(), tokens.end(), same)) {
    throw Error(ErrorKind::usage, cat("there is a token ", token.name, " already"))
        .hint(cat("hearth metadata token revoke ", token.name, " ends it."));
  }
  std::string text = random_hex(32);
  token.digest = digest_of(text);
  tokens.push_back(std::move(token));
  keep(state, tokens);
  return text;
}

bool revoke_token(const fs::path& state, const std::string& name) {
  const FileLock lock = taken(state);
  std::vector<PeopleToken> tokens = kept_tokens(state);
  if (std::erase_if(tokens, [&](const PeopleToken& each) { return each.name == name; }) == 0) return false;
  keep(state, tokens);
  return true;
}

void rotate_api_token(const fs::path& state, std::int64_t now, std::int64_t until) {
  const FileLock lock = taken(state);
  const std::string former = api_token(state);
  std::vector<PeopleToken> tokens = kept_tokens(state);
  std::erase_if(tokens, [&](const PeopleToken& each) { return !holds(each, now); });
  if (!former.empty() && until > now)
    tokens.push_back({cat("former ", k_api_token), Right::everything, "", until, digest_of(former)});
  keep(state, tokens);  // before the new one: whoever has the former one is never shut out
  (void)new_api_token(state);
}

TokenBook::TokenBook(fs::path state) : state_(std::move(state)), own_(random_hex(32)) {
  require_private(state_ / k_api_token);
  if (api_token(state_).empty()) (void)new_api_token(state_);
  home_ = file_identity(state_);
  read();
}

void TokenBook::read() {
  seen_ = cat(state_of(state_ / k_api_token), state_of(book_of(state_)));
  std::vector<PeopleToken> tokens = kept_tokens(state_);
  if (const std::string token = api_token(state_); !token.empty())
    tokens.push_back({k_api_token, Right::everything, "", 0, digest_of(token)});
  tokens.push_back({"this process", Right::everything, "", 0, digest_of(own_)});
  tokens_ = std::move(tokens);
}

void TokenBook::refresh(Logger& log) {
  const std::string now = cat(state_of(state_ / k_api_token), state_of(book_of(state_)));
  if (seen_ == now) return;
  if (file_identity(state_) != home_) {
    seen_ = now;
    return log.error(cat("tokens are as they were before: ", state_.string(),
                         " was removed or replaced; put it back and start the server again"));
  }
  try {
    read();
    if (file_state(state_ / k_api_token).empty())
      log.warning(
          cat((state_ / k_api_token).string(),
              " was removed, so that nobody can use it any more; `hearth metadata token rotate` makes another"));
  } catch (const Error& error) {
    log.error(cat("tokens are as they were before: ", error.story()));
  }
}

std::optional<PeopleToken> TokenBook::find(std::string_view text, std::int64_t now) const {
  if (text.empty()) return std::nullopt;
  const std::string digest = digest_of(text);  // so that no comparison tells how much was right
  for (const PeopleToken& token : tokens_) {
    if (token.digest == digest && holds(token, now)) return token;
  }
  return std::nullopt;
}

}  // namespace hearth::metadata::live
