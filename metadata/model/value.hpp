// Values of templates, as Python has them: null, bool, int (of any size), float, str, list, map in insertion order,
// plus two of our own: `waiting` stands for what only an event at run time will tell, `omitted` for an item that leaves
// its list or map (`if` with two arguments).
//
// A Value is sixteen bytes, immutable and shared: copying costs a count, so that a thousand servers hold one script
// once. Numbers and booleans live in the handle. Every handle has the Mark of the text that it came from.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "metadata/model/mark.hpp"

namespace hearth::metadata {

enum class Kind : std::uint8_t { null, boolean, integer, real, big_integer, string, list, map, waiting, omitted };

class Value;
struct Entry;
struct ValueHash;
class MapBuilder;

/// One thing that a value waits for: an attribute that a signal or the inventory will tell.
struct Event {
  std::string resource;   ///< path in the stack: "Compute.0.HostsEntryDeployment"
  std::string attribute;  ///< "hostname"
  auto operator<=>(const Event&) const = default;
  bool operator==(const Event&) const = default;
  [[nodiscard]] std::string text() const { return resource + "." + attribute; }
};

namespace detail {
struct Node {
  explicit Node(Kind k) : kind(k) {}
  mutable std::atomic<std::uint32_t> uses{0};
  Kind kind;
};
void destroy(const Node* node) noexcept;
}  // namespace detail

class Value {
 public:
  Value() = default;  ///< null
  Value(const Value& other) noexcept : meta_(other.meta_), data_(other.data_) { hold(); }
  Value(Value&& other) noexcept : meta_(other.meta_), data_(other.data_) {
    other.meta_.kind = 0;
    other.data_.node = nullptr;
  }
  Value& operator=(Value other) noexcept {
    std::swap(meta_, other.meta_);
    std::swap(data_, other.data_);
    return *this;
  }
  ~Value() { drop(); }

  static Value boolean(bool value);
  static Value integer(std::int64_t value);
  static Value real(double value);
  /// Decimal digits with optional minus; becomes an ordinary integer where it fits 64 bits.
  static Value big_integer(std::string_view digits);
  static Value string(std::string text);
  /// Both throw ValueError for what is deeper than any reader gives: all that goes through a value calls itself.
  static Value list(std::vector<Value> items);
  static Value map(MapBuilder entries);
  static Value waiting(std::vector<Event> events);
  static Value omitted();

  [[nodiscard]] Kind kind() const { return static_cast<Kind>(meta_.kind); }
  [[nodiscard]] bool is_null() const { return kind() == Kind::null; }
  [[nodiscard]] bool is_bool() const { return kind() == Kind::boolean; }
  [[nodiscard]] bool is_string() const { return kind() == Kind::string; }
  [[nodiscard]] bool is_list() const { return kind() == Kind::list; }
  [[nodiscard]] bool is_map() const { return kind() == Kind::map; }
  [[nodiscard]] bool is_waiting() const { return kind() == Kind::waiting; }
  [[nodiscard]] bool is_omitted() const { return kind() == Kind::omitted; }
  [[nodiscard]] bool is_integer() const { return kind() == Kind::integer || kind() == Kind::big_integer; }
  /// int, float or bool, as Python's numbers.Number.
  [[nodiscard]] bool is_number() const { return is_integer() || is_bool() || kind() == Kind::real; }

  [[nodiscard]] bool as_bool() const { return data_.integer != 0; }
  [[nodiscard]] std::int64_t as_integer() const { return data_.integer; }  ///< bool and integer
  [[nodiscard]] double as_real() const;                                    ///< any number
  [[nodiscard]] const std::string& text() const;                           ///< string; digits of a big integer
  [[nodiscard]] const std::vector<Value>& items() const;
  [[nodiscard]] const std::vector<Entry>& entries() const;
  [[nodiscard]] const std::vector<Event>& events() const;
  /// The member of a map, or nothing (also when this is no map).
  [[nodiscard]] const Value* find(std::string_view key) const;
  [[nodiscard]] const Value* find(const Value& key) const;

  [[nodiscard]] Mark mark() const {
    return {static_cast<std::uint32_t>(meta_.file), static_cast<std::uint32_t>(meta_.line),
            static_cast<std::uint32_t>(meta_.column)};
  }
  [[nodiscard]] Value with_mark(const Mark& mark) const;
  /// The same node in memory: certainly equal, without looking inside.
  [[nodiscard]] bool same(const Value& other) const {
    return meta_.kind == other.meta_.kind && data_.integer == other.data_.integer;
  }
  /// How many values it is made of when everything shared is written out; saturates.
  [[nodiscard]] std::uint64_t weight() const;
  /// Bytes, about, when everything shared is written out; saturates.
  [[nodiscard]] std::uint64_t size() const;
  /// How many lists and maps stand inside each other, itself among them; 0 for all else.
  [[nodiscard]] std::uint32_t depth() const;
  /// Something inside waits.
  [[nodiscard]] bool has_waiting() const;

 private:
  friend struct ValueHash;
  struct Meta {
    std::uint64_t kind : 8, file : 14, line : 22, column : 20;
  };
  union Data {
    std::int64_t integer;
    double real;
    const detail::Node* node;
  };
  explicit Value(const detail::Node* node) noexcept;
  [[nodiscard]] bool on_heap() const { return kind() >= Kind::big_integer && kind() != Kind::omitted; }
  void hold() const noexcept {
    if (on_heap()) data_.node->uses.fetch_add(1, std::memory_order_relaxed);
  }
  void drop() noexcept {
    if (on_heap() && data_.node->uses.fetch_sub(1, std::memory_order_acq_rel) == 1) detail::destroy(data_.node);
  }

  Meta meta_{0, 0, 0, 0};
  Data data_{0};
};

struct Entry {
  Value key;
  Value value;
};

/// Puts a map together; a key that is set again keeps its place, as in Python.
class MapBuilder {
 public:
  MapBuilder();
  explicit MapBuilder(std::vector<Entry> entries);
  MapBuilder(MapBuilder&&) noexcept;
  MapBuilder& operator=(MapBuilder&&) noexcept;
  ~MapBuilder();
  MapBuilder& set(const Value& key, Value value);
  MapBuilder& set(std::string_view key, Value value) { return set(Value::string(std::string(key)), std::move(value)); }
  [[nodiscard]] const Value* find(const Value& key) const;
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  friend class Value;
  struct Index;
  std::vector<Entry> entries_;
  std::unique_ptr<Index> index_;
};

/// The member of a map; null where there is none, and where `map` is no map.
[[nodiscard]] Value member(const Value& map, std::string_view key);
/// The same where it is text; else empty.
[[nodiscard]] std::string member_text(const Value& map, std::string_view key);

/// What a document becomes as soon as it is read, by its file's name; an empty one leaves it.
/// Of a text that is about to be parsed; `what` it is for people: "template" or "the environment".
using TextFilter = std::function<std::string(const std::string& file, std::string text, std::string_view what)>;
using DocumentFilter = std::function<Value(const std::string& file, Value document)>;

/// A map of text keys, for code that builds documents.
[[nodiscard]] Value map_of(std::vector<std::pair<std::string, Value>> members);

/// Python's ==: 1 == 1.0 == True, "1" != 1, lists and maps by value. Waiting values are equal when they are the same.
[[nodiscard]] bool operator==(const Value& left, const Value& right);

/// For whoever looks for one value among many. What is equal has the same hash: 1, 1.0 and true, maps in any order.
struct ValueHash {
  [[nodiscard]] std::size_t operator()(const Value& value) const;
};
using ValueSet = std::unordered_set<Value, ValueHash>;

}  // namespace hearth::metadata
