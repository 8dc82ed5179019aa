// A database connection of which one call fails, as when the disk is full or the server gone: nothing of it is done.
#pragma once

#include <memory>
#include <string>

#include "base/sql/database.hpp"

namespace hearth::fakes {

/// Counts the calls that the database is asked for. The one with the number `fails_at` fails; with `forever` all after
/// it do, too. Rolling back always works.
struct StoreFaults {
  std::size_t calls = 0;
  std::size_t fails_at = 0;  ///< 0 = none
  bool forever = false;

  void call() {
    ++calls;
    if (fails_at != 0 && (calls == fails_at || (forever && calls > fails_at)))
      throw sql::StoreError("database or disk is full");
  }
};

class FailingConnection final : public sql::detail::Connection {
 public:
  FailingConnection(std::unique_ptr<sql::detail::Connection> real, StoreFaults& faults)
      : real_(std::move(real)), faults_(faults) {}

  void meanwhile(std::function<void()> others) override { real_->meanwhile(std::move(others)); }
  void begin() override {
    faults_.call();
    real_->begin();
  }
  void look() override { real_->look(); }
  void run(const std::string& statements) override {
    if (statements != "ROLLBACK") faults_.call();
    real_->run(statements);
  }
  std::unique_ptr<sql::detail::StatementHandle> prepare(std::string_view statement) override {
    return std::make_unique<Handle>(real_->prepare(statement), faults_);
  }
  std::int64_t last_row() override { return real_->last_row(); }

 private:
  class Handle final : public sql::detail::StatementHandle {
   public:
    Handle(std::unique_ptr<sql::detail::StatementHandle> real, StoreFaults& faults)
        : real_(std::move(real)), faults_(faults) {}
    void bind(int index, std::string_view text) override { real_->bind(index, text); }
    void bind(int index, std::int64_t number) override { real_->bind(index, number); }
    bool step() override {
      faults_.call();
      return real_->step();
    }
    void reset() override { real_->reset(); }
    [[nodiscard]] std::string text(int column) const override { return real_->text(column); }
    [[nodiscard]] std::int64_t number(int column) const override { return real_->number(column); }

   private:
    std::unique_ptr<sql::detail::StatementHandle> real_;
    StoreFaults& faults_;
  };

  std::unique_ptr<sql::detail::Connection> real_;
  StoreFaults& faults_;
};

}  // namespace hearth::fakes
