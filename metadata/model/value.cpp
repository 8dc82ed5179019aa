#include "metadata/model/value.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <set>

#include "metadata/model/fault.hpp"
#include "metadata/model/gone_over.hpp"

namespace hearth::metadata {

namespace {

constexpr std::size_t k_indexed_from = 12;  ///< smaller maps are searched in order
constexpr std::uint64_t k_value_size = sizeof(Value);
constexpr std::uint64_t k_most = std::numeric_limits<std::uint64_t>::max() / 2;

/// Fewer than what is read back of a database (1,024): documents are put around a value.
constexpr std::uint32_t k_deepest_made = 640;

void require_made(std::uint32_t depth) {
  if (depth > k_deepest_made)
    throw value_fault(cat("lists and maps stand inside each other more than ", k_deepest_made, " deep"));
}

std::uint64_t add_weight(std::uint64_t a, std::uint64_t b) { return a + b > k_most ? k_most : a + b; }

/// Templates put anything anywhere: whoever forgot to look at the kind gets a fault, not another node's memory.
void require(bool fits, const Value& value, const char* wanted) {
  if (!fits) throw type_fault(std::string("a ") + wanted + " is needed here", value.mark());
}

struct TextNode : detail::Node {
  TextNode(Kind k, std::string t) : Node(k), text(std::move(t)) {}
  std::string text;
};

struct ListNode : detail::Node {
  explicit ListNode(std::vector<Value> i) : Node(Kind::list), items(std::move(i)) {}
  std::vector<Value> items;
  std::uint64_t weight = 1;
  std::uint64_t size = k_value_size;
  std::uint32_t depth = 1;
  bool waits = false;
  mutable std::atomic<std::size_t> hash{0};  ///< of the contents, once it was asked for
};

struct EventNode : detail::Node {
  explicit EventNode(std::vector<Event> e) : Node(Kind::waiting), events(std::move(e)) {}
  std::vector<Event> events;
};

constexpr std::uint64_t k_of_a_look = 16;  ///< bytes that looking at a value counts as, beside its text's
thread_local std::uint64_t gone_over = 0;

std::size_t hash_of_text(std::string_view text) {
  gone_over += k_of_a_look + text.size();
  return std::hash<std::string_view>{}(text);
}

bool equal_texts(const std::string& left, const std::string& right) {
  if (left.size() != right.size()) return false;
  gone_over += left.size();
  return left == right;
}

/// Equal values have equal hashes: True, 1 and 1.0 as well.
std::size_t hash_of(const Value& key) {
  switch (key.kind()) {
    case Kind::string:
    case Kind::big_integer: return hash_of_text(key.text());
    case Kind::boolean:
    case Kind::integer: return std::hash<double>{}(static_cast<double>(key.as_integer()));
    case Kind::real: return std::hash<double>{}(key.as_real());
    default: return 0;
  }
}

}  // namespace

/// Open addressing; slots hold the place in the entries plus one.
struct MapBuilder::Index {
  std::vector<std::uint32_t> slots;

  void add(const Value& key, std::size_t place) {
    std::size_t slot = hash_of(key) & (slots.size() - 1);
    while (slots[slot] != 0) slot = (slot + 1) & (slots.size() - 1);
    slots[slot] = static_cast<std::uint32_t>(place + 1);
  }
  void rebuild(const std::vector<Entry>& entries) {
    std::size_t size = 32;
    while (size < entries.size() * 3) size *= 2;
    slots.assign(size, 0);
    for (std::size_t i = 0; i < entries.size(); ++i) add(entries[i].key, i);
  }
  template <class Same>
  [[nodiscard]] std::size_t find(std::size_t hash, const std::vector<Entry>& entries, Same same) const {
    for (std::size_t slot = hash & (slots.size() - 1); slots[slot] != 0; slot = (slot + 1) & (slots.size() - 1)) {
      if (same(entries[slots[slot] - 1].key)) return slots[slot] - 1;
    }
    return entries.size();
  }
};

namespace {
struct MapNode : detail::Node {
  MapNode() : Node(Kind::map) {}
  MapBuilder builder;
  std::uint64_t weight = 1;
  std::uint64_t size = k_value_size;
  std::uint32_t depth = 1;
  bool waits = false;
  mutable std::atomic<std::size_t> hash{0};  ///< of the contents, once it was asked for
};
}  // namespace

void detail::destroy(const Node* node) noexcept {
  switch (node->kind) {
    case Kind::list: delete static_cast<const ListNode*>(node); return;
    case Kind::map: delete static_cast<const MapNode*>(node); return;
    case Kind::waiting: delete static_cast<const EventNode*>(node); return;
    default: delete static_cast<const TextNode*>(node); return;
  }
}

MapBuilder::MapBuilder() = default;
MapBuilder::MapBuilder(std::vector<Entry> entries) {
  for (Entry& entry : entries) set(entry.key, std::move(entry.value));
}
MapBuilder::MapBuilder(MapBuilder&&) noexcept = default;
MapBuilder& MapBuilder::operator=(MapBuilder&&) noexcept = default;
MapBuilder::~MapBuilder() = default;

const Value* MapBuilder::find(const Value& key) const {
  const auto same = [&key](const Value& other) { return other == key; };
  if (index_) {
    const std::size_t place = index_->find(hash_of(key), entries_, same);
    return place == entries_.size() ? nullptr : &entries_[place].value;
  }
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return same(e.key); });
  return found == entries_.end() ? nullptr : &found->value;
}

MapBuilder& MapBuilder::set(const Value& key, Value value) {
  if (const Value* found = find(key)) {
    *const_cast<Value*>(found) = std::move(value);
    return *this;
  }
  entries_.push_back({key, std::move(value)});
  if (entries_.size() < k_indexed_from) return *this;
  if (!index_ || index_->slots.size() < entries_.size() * 2) {
    if (!index_) index_ = std::make_unique<Index>();
    index_->rebuild(entries_);
  } else {
    index_->add(key, entries_.size() - 1);
  }
  return *this;
}

Value::Value(const detail::Node* node) noexcept {
  meta_.kind = static_cast<std::uint8_t>(node->kind);
  data_.node = node;
  hold();
}

Value Value::boolean(bool value) {
  Value result;
  result.meta_.kind = static_cast<std::uint8_t>(Kind::boolean);
  result.data_.integer = value ? 1 : 0;
  return result;
}

Value Value::integer(std::int64_t value) {
  Value result;
  result.meta_.kind = static_cast<std::uint8_t>(Kind::integer);
  result.data_.integer = value;
  return result;
}

Value Value::real(double value) {
  Value result;
  result.meta_.kind = static_cast<std::uint8_t>(Kind::real);
  result.data_.real = value;
  return result;
}

Value Value::omitted() {
  Value result;
  result.meta_.kind = static_cast<std::uint8_t>(Kind::omitted);
  return result;
}

Value Value::big_integer(std::string_view digits) {
  const bool negative = !digits.empty() && digits.front() == '-';
  std::string_view magnitude = digits.substr(negative ? 1 : 0);
  while (magnitude.size() > 1 && magnitude.front() == '0') magnitude.remove_prefix(1);
  const std::string text = (negative ? "-" : "") + std::string(magnitude);
  std::int64_t small = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), small);
  if (read.ec == std::errc() && read.ptr == text.data() + text.size()) return integer(small);
  return Value(new TextNode(Kind::big_integer, text));
}

Value Value::string(std::string text) { return Value(new TextNode(Kind::string, std::move(text))); }

Value Value::list(std::vector<Value> items) {
  std::uint32_t depth = 1;
  for (const Value& item : items) depth = std::max(depth, item.depth() + 1);
  require_made(depth);
  auto* node = new ListNode(std::move(items));
  node->depth = depth;
  for (const Value& item : node->items) {
    node->weight = add_weight(node->weight, item.weight());
    node->size = add_weight(node->size, item.size());
    node->waits = node->waits || item.has_waiting();
  }
  return Value(node);
}

Value Value::map(MapBuilder entries) {
  std::uint32_t depth = 1;
  for (const Entry& entry : entries.entries_) depth = std::max({depth, entry.key.depth() + 1, entry.value.depth() + 1});
  require_made(depth);
  auto* node = new MapNode();
  node->depth = depth;
  node->builder = std::move(entries);
  for (const Entry& entry : node->builder.entries_) {
    node->weight = add_weight(node->weight, add_weight(1, entry.value.weight()));
    node->size = add_weight(node->size, add_weight(entry.key.size(), entry.value.size()));
    node->waits = node->waits || entry.value.has_waiting();
  }
  return Value(node);
}

Value Value::waiting(std::vector<Event> events) {
  std::sort(events.begin(), events.end());
  events.erase(std::unique(events.begin(), events.end()), events.end());
  return Value(new EventNode(std::move(events)));
}

double Value::as_real() const {
  if (kind() == Kind::real) return data_.real;
  if (kind() == Kind::big_integer) return std::strtod(text().c_str(), nullptr);
  return static_cast<double>(data_.integer);
}

const std::string& Value::text() const {
  require(kind() == Kind::string || kind() == Kind::big_integer, *this, "string");
  return static_cast<const TextNode*>(data_.node)->text;
}

const std::vector<Value>& Value::items() const {
  require(is_list(), *this, "list");
  return static_cast<const ListNode*>(data_.node)->items;
}

const std::vector<Entry>& Value::entries() const {
  require(is_map(), *this, "map");
  return static_cast<const MapNode*>(data_.node)->builder.entries_;
}

const std::vector<Event>& Value::events() const {
  require(is_waiting(), *this, "value that waits");
  return static_cast<const EventNode*>(data_.node)->events;
}

const Value* Value::find(std::string_view key) const {
  if (!is_map()) return nullptr;
  const MapBuilder& builder = static_cast<const MapNode*>(data_.node)->builder;
  const auto same = [key](const Value& other) { return other.is_string() && other.text() == key; };
  if (builder.index_) {
    const std::size_t place = builder.index_->find(hash_of_text(key), builder.entries_, same);
    return place == builder.entries_.size() ? nullptr : &builder.entries_[place].value;
  }
  for (const Entry& entry : builder.entries_) {
    if (same(entry.key)) return &entry.value;
  }
  return nullptr;
}

const Value* Value::find(const Value& key) const {
  return is_map() ? static_cast<const MapNode*>(data_.node)->builder.find(key) : nullptr;
}

Value Value::with_mark(const Mark& mark) const {
  Value result(*this);
  result.meta_.file = std::min<std::uint32_t>(mark.file, 0x3fffU) & 0x3fffU;
  result.meta_.line = std::min<std::uint32_t>(mark.line, 0x3fffffU) & 0x3fffffU;
  result.meta_.column = std::min<std::uint32_t>(mark.column, 0xfffffU) & 0xfffffU;
  return result;
}

std::uint64_t Value::weight() const {
  if (is_list()) return static_cast<const ListNode*>(data_.node)->weight;
  if (is_map()) return static_cast<const MapNode*>(data_.node)->weight;
  return 1;
}

std::uint64_t Value::size() const {
  if (is_list()) return static_cast<const ListNode*>(data_.node)->size;
  if (is_map()) return static_cast<const MapNode*>(data_.node)->size;
  return is_string() ? k_value_size + text().size() : k_value_size;
}

std::uint32_t Value::depth() const {
  if (is_list()) return static_cast<const ListNode*>(data_.node)->depth;
  if (is_map()) return static_cast<const MapNode*>(data_.node)->depth;
  return 0;
}

bool Value::has_waiting() const {
  if (is_list()) return static_cast<const ListNode*>(data_.node)->waits;
  if (is_map()) return static_cast<const MapNode*>(data_.node)->waits;
  return is_waiting();
}

std::uint64_t values_gone_over() { return gone_over; }

std::size_t find_part(std::string_view text, std::string_view part, std::size_t from) {
  if (from > text.size()) return std::string_view::npos;
  if (part.empty()) return from;
  const void* found = ::memmem(text.data() + from, text.size() - from, part.data(), part.size());
  return found == nullptr ? std::string_view::npos
                          : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

std::size_t find_last_part(std::string_view text, std::string_view part) {
  const std::string backwards(text.rbegin(), text.rend());
  const std::size_t found = find_part(backwards, std::string(part.rbegin(), part.rend()));
  return found == std::string::npos ? found : text.size() - found - part.size();
}

Value member(const Value& map, std::string_view key) {
  const Value* found = map.find(key);
  return found == nullptr ? Value() : *found;
}

std::string member_text(const Value& map, std::string_view key) {
  const Value* found = map.is_map() ? map.find(key) : nullptr;
  return found != nullptr && found->is_string() ? std::string(found->text()) : std::string();
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): its values are moved on
Value map_of(std::vector<std::pair<std::string, Value>> members) {
  MapBuilder builder;
  for (auto& [key, value] : members) builder.set(key, std::move(value));
  return Value::map(std::move(builder));
}

namespace {

bool equal_numbers(const Value& left, const Value& right) {
  if (left.kind() == Kind::big_integer && right.kind() == Kind::big_integer) return left.text() == right.text();
  if (left.kind() == Kind::real || right.kind() == Kind::real) return left.as_real() == right.as_real();
  if (left.kind() == Kind::big_integer || right.kind() == Kind::big_integer) return false;
  return left.as_integer() == right.as_integer();
}

bool equal_maps(const Value& left, const Value& right) {
  if (left.entries().size() != right.entries().size()) return false;
  return std::all_of(left.entries().begin(), left.entries().end(), [&](const Entry& entry) {
    const Value* other = right.find(entry.key);
    return other != nullptr && *other == entry.value;
  });
}

bool equal_contents(const Value& left, const Value& right) {
  return left.is_list() ? left.items() == right.items() : equal_maps(left, right);
}

constexpr std::uint64_t k_remembered_from = 1000;  ///< values in it

/// Lists and maps. What is shared inside is written out a million times perhaps, so that what was found to be equal is
/// remembered while the whole is compared.
bool equal_composites(const Value& left, const Value& right) {
  if (left.weight() != right.weight() || left.depth() != right.depth()) return false;
  if (left.weight() < k_remembered_from) return equal_contents(left, right);
  using Pair = std::pair<const void*, const void*>;
  thread_local std::set<Pair>* known = nullptr;
  const auto place = [](const Value& value) {
    return value.is_list() ? static_cast<const void*>(&value.items()) : static_cast<const void*>(&value.entries());
  };
  if (known == nullptr) {
    std::set<Pair> own;
    known = &own;
    const std::unique_ptr<std::set<Pair>, void (*)(std::set<Pair>*)> until(&own,
                                                                           [](std::set<Pair>*) { known = nullptr; });
    return equal_contents(left, right);
  }
  const Pair pair(place(left), place(right));
  if (known->count(pair) > 0) return true;
  const bool equal = equal_contents(left, right);
  if (equal) known->insert(pair);
  return equal;
}

std::size_t mixed(std::size_t a, std::size_t b) { return a ^ (b + 0x9e3779b97f4a7c15ULL + (a << 6U) + (a >> 2U)); }

std::size_t hash_of_contents(const Value& value) {
  const ValueHash hash;
  if (value.is_list()) {
    std::size_t all = 1;
    for (const Value& item : value.items()) all = mixed(all, hash(item));
    return all;
  }
  std::size_t all = 2;
  for (const Entry& entry : value.entries()) all += mixed(hash(entry.key), hash(entry.value));  // in any order
  return all;
}

}  // namespace

bool operator==(const Value& left, const Value& right) {
  gone_over += k_of_a_look;
  if (left.is_number() && right.is_number()) return equal_numbers(left, right);
  if (left.kind() != right.kind()) return false;
  if (left.same(right)) return true;
  switch (left.kind()) {
    case Kind::string: return equal_texts(left.text(), right.text());
    case Kind::list:
    case Kind::map: return equal_composites(left, right);
    case Kind::waiting: return left.events() == right.events();
    default: return true;
  }
}

std::size_t ValueHash::operator()(const Value& value) const {
  gone_over += k_of_a_look;
  if (value.is_number()) return std::hash<double>{}(value.as_real());
  if (!value.is_list() && !value.is_map()) return value.is_string() ? hash_of_text(value.text()) : 0;
  std::atomic<std::size_t>& known = value.is_list() ? static_cast<const ListNode*>(value.data_.node)->hash
                                                    : static_cast<const MapNode*>(value.data_.node)->hash;
  std::size_t hash = known.load(std::memory_order_relaxed);
  if (hash == 0) {
    hash = hash_of_contents(value) | 1U;
    known.store(hash, std::memory_order_relaxed);
  }
  return hash;
}

}  // namespace hearth::metadata
