// A live stack with its nested stacks, in memory: found by path, by id, by name.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "metadata/engine/records.hpp"

namespace hearth::metadata::live {

/// "Compute.0" below "" is "Compute.0"; below "a" it is "a.Compute.0".
[[nodiscard]] std::string path_below(const std::string& stack_path, const std::string& name);

/// A value that copies share until one of them changes it. Each may be on a thread of its own.
template <class Value>
class Shared {
 public:
  explicit Shared(Value value = {}) : value_(std::make_shared<Value>(std::move(value))) {}
  Shared(const Shared& other) : value_(other.value_), is_own_(other.is_own_ = false) {}
  Shared(Shared&&) noexcept = default;
  Shared& operator=(const Shared& other) {
    if (this == &other) return *this;
    value_ = other.value_;
    is_own_ = other.is_own_ = false;
    return *this;
  }
  Shared& operator=(Shared&&) noexcept = default;
  ~Shared() = default;

  const Value& operator*() const { return *value_; }
  const Value* operator->() const { return value_.get(); }
  /// To be changed. What was seen of it before is the others' from then on.
  [[nodiscard]] Value& own() {
    if (!is_own_) value_ = std::make_shared<Value>(*value_);
    is_own_ = true;
    return *value_;
  }

 private:
  std::shared_ptr<Value> value_;
  mutable bool is_own_ = true;
};

/// So a step can be made on a copy of a large tree, beside what is kept. A copy shares them by the hundred: it costs
/// nothing to speak of, nor does the first change of a row.
template <class Row>
class SharedRows {
 public:
  class Iterator {
   public:
    Iterator(const SharedRows& rows, std::size_t at) : rows_(&rows), at_(at) {}
    const Row& operator*() const { return (*rows_)[at_]; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at_ != other.at_; }

   private:
    const SharedRows* rows_;
    std::size_t at_;
  };

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] const Row& operator[](std::size_t index) const {
    return *(*chunks_[index / k_in_chunk])[index % k_in_chunk].row;
  }
  [[nodiscard]] const Row& front() const { return (*this)[0]; }
  [[nodiscard]] Iterator begin() const { return {*this, 0}; }
  [[nodiscard]] Iterator end() const { return {*this, size_}; }
  [[nodiscard]] Row& own(std::size_t index) {
    Cell& cell = chunks_[index / k_in_chunk].own()[index % k_in_chunk];
    if (!cell.is_own) cell = Cell(Row(*cell.row));
    return *cell.row;
  }
  void push_back(Row row) {
    if (size_ % k_in_chunk == 0) chunks_.emplace_back();
    chunks_.back().own().emplace_back(std::move(row));
    ++size_;
  }
  /// Where each row is when those that are gone are taken out; k_none for these.
  std::vector<std::size_t> take_out_gone() {
    std::vector<std::size_t> now(size_, k_none);
    SharedRows left;
    for (std::size_t i = 0; i < size_; ++i) {
      if ((*this)[i].gone) continue;
      now[i] = left.size_;
      left.push_back(std::move(own(i)));
    }
    *this = std::move(left);
    return now;
  }

 private:
  static constexpr std::size_t k_in_chunk = 128;
  /// Of a chunk that is shared no row is changed any more, whatever this says: who changes one copies the chunk first.
  struct Cell {
    explicit Cell(Row value) : row(std::make_shared<Row>(std::move(value))), is_own(true) {}
    Cell(const Cell& other) : row(other.row) {}
    Cell(Cell&&) noexcept = default;
    Cell& operator=(const Cell&) = delete;
    Cell& operator=(Cell&&) noexcept = default;
    ~Cell() = default;

    std::shared_ptr<Row> row;
    bool is_own = false;
  };

  std::vector<Shared<std::vector<Cell>>> chunks_;
  std::size_t size_ = 0;
};

class StackTree {
 public:
  std::string id;    ///< of the root stack
  std::string name;  ///< of the root stack
  std::string project;
  Json body;                  ///< the definition, with timeout_mins, disable_rollback, tags
  Json previous_body;         ///< before the running update: where a rollback goes
  std::size_t era = 0;        ///< how many updates there were
  bool restoring = false;     ///< a rollback goes back to what was, in place of deleting
  Json adopted;               ///< while it is being adopted: the export that it comes from; not kept
  std::int64_t deadline = 0;  ///< of the running operation, Unix seconds; 0 = none

  /// Adds a stack and, in state INIT, its resources. `parent_resource` is k_none for the root.
  std::size_t add_stack(const PlannedStack& plan, std::size_t parent_resource, std::int64_t now);
  std::size_t add_resource(std::size_t stack, const PlannedResource& plan, std::int64_t now);
  /// Puts rows that were read from the repository in place; link() when all are there.
  void restore(StackRecord stack) { stacks_.push_back(std::move(stack)); }
  void restore(ResourceRecord resource, const std::string& stack_id);
  void link();
  /// Forgets a stack with everything below it.
  void drop_stack(std::size_t index);
  void drop_resource(std::size_t resource);
  /// Takes out what is gone, where that is much of it: updates leave their numbers behind. Only while nothing is going
  /// on. Returns where each resource is now, k_none for what went; nothing where all stayed as it was.
  std::vector<std::size_t> compact();
  /// Sets `needed_by` of a stack's resources from their `needs`.
  void connect(std::size_t stack);

  [[nodiscard]] const StackRecord& stack(std::size_t index) const { return stacks_[index]; }
  [[nodiscard]] const ResourceRecord& resource(std::size_t index) const { return resources_[index]; }
  /// To be changed: the first time costs a copy of the row where it is shared with another tree, and who has it from
  /// resource() may no longer look at it then.
  [[nodiscard]] StackRecord& own_stack(std::size_t index) { return stacks_.own(index); }
  [[nodiscard]] ResourceRecord& own_resource(std::size_t index) { return resources_.own(index); }
  [[nodiscard]] const SharedRows<StackRecord>& stacks() const { return stacks_; }
  [[nodiscard]] const SharedRows<ResourceRecord>& resources() const { return resources_; }
  [[nodiscard]] const StackRecord& root() const { return stacks_.front(); }
  /// A failure ends only what needs what failed (as in Heat's convergence), and not all that runs beside it.
  [[nodiscard]] bool goes_on_after_failure() const {
    const auto found = body.is_object() ? body.find("on_failure") : body.end();
    return body.is_object() && found != body.end() && *found == "continue";
  }
  [[nodiscard]] bool running() const { return !stacks_.empty() && root().status == Status::in_progress; }
  /// Something is going on: it runs, or what ran beside a failure still does.
  [[nodiscard]] bool busy() const;

  /// k_none where there is none.
  [[nodiscard]] std::size_t find_stack(const std::string& id_or_name) const;
  [[nodiscard]] std::size_t find_resource(std::size_t stack, const std::string& resource_name) const;
  [[nodiscard]] std::size_t find_path(const std::string& path) const;

 private:
  using Places = std::unordered_map<std::string, std::size_t>;

  SharedRows<StackRecord> stacks_;
  SharedRows<ResourceRecord> resources_;
  std::size_t gone_ = 0;  ///< of the resources
  Shared<Places> by_path_;
  Shared<Places> stack_by_key_;
};

}  // namespace hearth::metadata::live
