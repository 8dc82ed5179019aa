// Facts about secrets: their plain digests could be found by trying likely values, and facts lie beside images and in
// caches that others read. So these digests are keyed, by a key that stays in the store (LayerStore::fact_key()). Steps
// that see a secret are therefore not shared with stores of another key. Pure.
#pragma once

#include <string>

#include "base/path.hpp"

namespace hearth::builder {

struct FactKey {
  std::string bytes;
};

/// A digest in the form of fact_digest() that nobody without the key can compute.
[[nodiscard]] std::string keyed_digest(const FactKey& key, std::string_view value);

/// The digest of a variable's value; keyed where its name or a URL in it says that it is secret.
[[nodiscard]] std::string variable_digest(const FactKey& key, const std::string& name, const std::string& value);

/// The digest of a file's content, as fact; keyed where the file's path, or the variable that names it, speaks of
/// secrets.
[[nodiscard]] std::string file_digest(const FactKey& key, const std::string& name, const std::string& digest);

}  // namespace hearth::builder
