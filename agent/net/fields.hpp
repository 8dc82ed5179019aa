// The fields of one entry, by type. What a field may hold was said by the schema already, but a file that failed it may
// be applied all the same: whatever can't be used is an Error that names its place.
#pragma once

#include <string>
#include <vector>

#include "agent/net/device.hpp"
#include "base/json.hpp"

namespace hearth::agent::net {

class Fields {
 public:
  /// `entry` must be an object; both arguments live longer than this.
  Fields(const Json& entry, const std::string& where) : entry_(entry), where_(where) {}

  /// True when there is a value other than null.
  [[nodiscard]] bool has(const char* name) const;
  /// Text or a number, as text without control characters; "" when there is none.
  [[nodiscard]] std::string text(const char* name) const;
  /// The same; throws when there is none.
  [[nodiscard]] std::string required_text(const char* name) const;
  [[nodiscard]] int integer(const char* name, int fallback) const;
  /// true, yes, on, 1, t and y in any case are true, as oslo.utils has it; all else is false.
  [[nodiscard]] bool boolean(const char* name, bool fallback) const;
  /// A list of texts; a single text is a list of one.
  [[nodiscard]] std::vector<std::string> texts(const char* name) const;
  [[nodiscard]] std::vector<Address> addresses() const;
  [[nodiscard]] std::vector<Route> routes() const;
  [[nodiscard]] std::vector<Rule> rules() const;
  /// A list of objects; empty when there is none.
  [[nodiscard]] const Json& list(const char* name) const;

  [[nodiscard]] const std::string& where() const { return where_; }
  [[noreturn]] void refuse(const std::string& what) const;

 private:
  [[nodiscard]] const Json* find(const char* name) const;
  [[nodiscard]] std::string text_of(const Json& value, const char* name) const;
  const Json& entry_;
  const std::string& where_;
};

/// Throws Error(input) naming `where` unless this can be the name of a network device: 1 to 15 bytes, of letters,
/// digits and . _ - : @ + , with no - in front. Names become names of files, and words of shells and of udev's rules.
void check_device_name(const std::string& name, const std::string& where);

}  // namespace hearth::agent::net
