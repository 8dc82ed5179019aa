#include "base/sys/seal.hpp"

#include <unistd.h>

#include <algorithm>

#include "base/aead.hpp"
#include "base/error.hpp"
#include "base/hex.hpp"
#include "base/hmac.hpp"
#include "base/json.hpp"
#include "base/sys/file_state.hpp"
#include "base/sys/private_file.hpp"
#include "base/sys/random.hpp"
#include "base/text.hpp"

namespace hearth {

namespace {

constexpr std::string_view k_mark = "sealed:";
constexpr std::size_t k_id_size = 16;  ///< hexadecimal digits
constexpr std::size_t k_salt_size = 16;
constexpr std::size_t k_secret_size = 64;  ///< hexadecimal digits of a key

SealKey key_of(std::string text, std::int64_t until = 0) {
  std::string id = to_hex(hmac(HashKind::sha256, text, "id of a key that seals")).substr(0, k_id_size);
  return {std::move(id), Secret::take(text), until};
}

SealKey new_key() { return key_of(random_hex(k_secret_size / 2)); }

/// Each text has a key of its own, so that however many there are, no nonce comes twice with one key.
std::string key_for(const SealKey& key, std::string_view salt) {
  return hmac(HashKind::sha256, key.text.text(), cat("key of a sealed text\n", salt));
}

/// What a parser says of such a file may hold a part of a key.
Error no_seal(const fs::path& file) {
  return Error(ErrorKind::input, cat(file.string(), " holds no keys that seal: it is empty, cut or was changed"))
      .hint("Take the file from a backup: without it nothing that is sealed in the database can be read.");
}

std::vector<SealKey> read_keys(const fs::path& file) {
  std::string whole = read_private_file(file, cat("`hearth metadata seal rotate --seal-key ", file.string(), "`"));
  const Json all = json_or_null(whole);
  wipe(whole);
  std::vector<SealKey> keys;
  for (const Json& row : list_member(all, "keys")) {
    std::string text = text_member(row, "key");
    const Json& until = member_or_null(row, "until");
    if (!is_hex(text, k_secret_size) || (!keys.empty() && !until.is_number_integer())) throw no_seal(file);
    keys.push_back(key_of(std::move(text), keys.empty() ? 0 : until.get<std::int64_t>()));
  }
  if (keys.empty()) throw no_seal(file);
  return keys;
}

std::string file_text(const std::vector<SealKey>& keys) {
  Json rows = Json::array();
  for (const SealKey& key : keys) {
    Json row = Json::object();
    row["key"] = key.text.text();
    if (key.until != 0) row["until"] = key.until;
    rows.push_back(std::move(row));
  }
  Json all = Json::object();
  all["keys"] = std::move(rows);
  return format_json(all, {.indent = 2}) + "\n";
}

}  // namespace

Seal Seal::read(const fs::path& file) {
  Seal seal;
  seal.seen_ = file_state(file);
  seal.keys_ = read_keys(file);
  seal.file_ = file;
  return seal;
}

Seal Seal::read_or_make(const fs::path& file) {
  if (::access(file.c_str(), F_OK) != 0) {
    (void)make_private_file(file, file_text({new_key()}));
  }
  return read(file);
}

bool Seal::has(std::string_view key_id) const {
  return std::any_of(keys_.begin(), keys_.end(), [&](const SealKey& key) { return key.id == key_id; });
}

void Seal::seal_with(std::string_view key_id) {
  const auto key = std::find_if(keys_.begin(), keys_.end(), [&](const SealKey& each) { return each.id == key_id; });
  if (key != keys_.end()) sealing_ = static_cast<std::size_t>(key - keys_.begin());
}

bool Seal::seal_anew(bool again, const std::function<void(const std::string& former)>& seal_all) {
  const std::string now = file_state(file_);
  if (!is_on() || now.empty() || (now == seen_ && !again)) return false;
  seen_ = now;
  const std::string former = key_id();
  Seal fresh = read(file_);
  if (!fresh.has(former))
    throw Error(ErrorKind::input, cat(file_.string(), " lacks the key ", former, " of the database"));
  if (fresh.key_id() == former) return false;
  *this = std::move(fresh);
  try {
    seal_all(former);
  } catch (...) {
    seal_with(former);
    throw;
  }
  return true;
}

bool Seal::put_back() const {
  return is_on() && ::access(file_.c_str(), F_OK) != 0 && errno == ENOENT && make_private_file(file_, file_text(keys_));
}

std::string Seal::seal(std::string_view place, std::string_view text) const {
  if (!is_on() || text.empty()) return std::string(text);
  const std::string salt = random_bytes(k_salt_size);
  const std::string nonce = random_bytes(k_aead_nonce_size);
  const std::string sealed = aead_seal(key_for(keys_[sealing_], salt), nonce, place, text);
  return cat(k_mark, key_id(), ":", base64_encode(cat(salt, nonce, sealed)));
}

std::string Seal::open(std::string_view place, std::string_view sealed) const {
  if (!is_on() || sealed.empty()) return std::string(sealed);
  const std::string_view rest = sealed.substr(std::min(sealed.size(), k_mark.size()));
  if (sealed.rfind(k_mark, 0) != 0 || rest.size() <= k_id_size || rest[k_id_size] != ':')
    throw Error(ErrorKind::input, "it is not sealed, as all else in this database is: somebody else wrote it");
  const std::string_view id = rest.substr(0, k_id_size);
  const auto key = std::find_if(keys_.begin(), keys_.end(), [&](const SealKey& each) { return each.id == id; });
  if (key == keys_.end())
    throw Error(ErrorKind::input, cat("it is sealed with the key ", id, ", which ", file_.string(), " does not have"));
  const std::string raw = base64_decode(rest.substr(k_id_size + 1)).value_or("");
  std::optional<std::string> text;
  if (raw.size() > k_salt_size + k_aead_nonce_size) {
    const std::string_view all = raw;
    text = aead_open(key_for(*key, all.substr(0, k_salt_size)), all.substr(k_salt_size, k_aead_nonce_size), place,
                     all.substr(k_salt_size + k_aead_nonce_size));
  }
  if (!text) throw Error(ErrorKind::input, "it is not as it was sealed: damaged, changed or taken from elsewhere");
  return *text;
}

void rotate_seal(const fs::path& file, std::int64_t until) {
  const FileLock lock = lock_private_file(file);
  std::vector<SealKey> keys = read_keys(file);
  keys.front().until = until;
  keys.insert(keys.begin(), new_key());
  rewrite_private_file(file, file_text(keys));
}

void forget_former_keys(const fs::path& file, std::string_view in_use, std::int64_t now) {
  const auto is_over = [&](const SealKey& key) { return key.until <= now && key.id != in_use; };
  std::vector<SealKey> keys = read_keys(file);
  if (std::none_of(keys.begin() + 1, keys.end(), is_over)) return;  // a directory that is not ours can't be locked
  const FileLock lock = lock_private_file(file, {});                // a server has others to serve
  keys = read_keys(file);
  keys.erase(std::remove_if(keys.begin() + 1, keys.end(), is_over), keys.end());
  rewrite_private_file(file, file_text(keys));
}

}  // namespace hearth
