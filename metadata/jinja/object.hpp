// Values of Jinja templates. Lists and maps are shared and change in place, as in Python: `set _ = names.append(role)`
// inside a loop is seen outside of it.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "metadata/model/value.hpp"

namespace hearth::metadata::jinja {

class Object;
using List = std::vector<Object>;

/// A name that is not set; prints as nothing, loops over nothing. Anything else with it is an error with this text.
struct Undefined {
  std::string why;
};

struct Dict {
  std::vector<std::pair<Object, Object>> members;
  bool is_namespace = false;
  [[nodiscard]] Object* find(const Object& key);
  [[nodiscard]] Object* find_text(std::string_view key);
  void set(const Object& key, Object value);
  /// False when there is none.
  bool remove(const Object& key);
};

class Object {
 public:
  using Held = std::variant<std::monostate, Undefined, bool, std::int64_t, double, std::string, std::shared_ptr<List>,
                            std::shared_ptr<Dict>>;
  Object() = default;  ///< None
  // An Object is whatever it is made of, but no other Object.
  template <class T>
  requires(!std::is_same_v<std::remove_cvref_t<T>, Object> && std::is_constructible_v<Held, T&&>)
      // NOLINTNEXTLINE(google-explicit-constructor, bugprone-forwarding-reference-overload)
      Object(T&& value)
      : held_(std::forward<T>(value)) {}

  static Object undefined(std::string why) { return Object(Undefined{std::move(why)}); }
  static Object text(std::string_view text) { return Object(std::string(text)); }
  static Object list(List items) { return Object(std::make_shared<List>(std::move(items))); }
  static Object dict() { return Object(std::make_shared<Dict>()); }

  template <class T>
  [[nodiscard]] const T* as() const {
    return std::get_if<T>(&held_);
  }
  [[nodiscard]] bool is_none() const { return std::holds_alternative<std::monostate>(held_); }
  [[nodiscard]] bool is_undefined() const { return std::holds_alternative<Undefined>(held_); }
  [[nodiscard]] const std::string* string() const { return as<std::string>(); }
  [[nodiscard]] List* items() const {
    const auto* list = as<std::shared_ptr<List>>();
    return list == nullptr ? nullptr : list->get();
  }
  [[nodiscard]] Dict* members() const {
    const auto* dict = as<std::shared_ptr<Dict>>();
    return dict == nullptr ? nullptr : dict->get();
  }
  /// Integers and booleans.
  [[nodiscard]] std::optional<std::int64_t> integer() const;
  /// Any number, booleans too.
  [[nodiscard]] std::optional<double> number() const;

 private:
  Held held_;
};

[[nodiscard]] Object from_value(const Value& value);
/// Undefined and None become null.
[[nodiscard]] Value to_value(const Object& object);
/// What {{ }} prints: Python's str().
[[nodiscard]] std::string printed(const Object& object);
[[nodiscard]] bool truth(const Object& object);
[[nodiscard]] bool equal(const Object& left, const Object& right);
/// Nothing when Python has no order for them.
[[nodiscard]] std::optional<std::partial_ordering> ordered(const Object& left, const Object& right);
/// False when a list or map inside `object` is `container`, or it is nested deeper than a hundred: it must not go in
/// there.
[[nodiscard]] bool may_hold(const void* container, const Object& object);
/// "int", "str", "undefined": for messages.
[[nodiscard]] std::string_view kind_name(const Object& object);

}  // namespace hearth::metadata::jinja
