// An engine on a database in a directory of its own; restart() is what a kill -9 leaves.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sys/file.hpp"
#include "metadata/engine/engine.hpp"
#include "metadata/engine/sql_repository.hpp"
#include "tests/fakes/manual_clock.hpp"
#include "tests/fakes/memory_logger.hpp"
#include "tests/fakes/simple_blueprint.hpp"

namespace hearth::metadata::live {

class EngineTest : public testing::Test {
 protected:
  EngineTest() { restart(); }

  void restart() {
    engine_.reset();
    repository_ = std::make_unique<SqlRepository>((directory_.path() / "state.db").string(), keys_);
    engine_ = std::make_unique<Engine>(Engine::World{*repository_, maker_, clock_, log_}, PublicUrls{});
  }
  static Json body(const std::string& resources) {
    Json body = Json::object();
    body["template"]["resources"] = Json::parse(resources);
    return body;
  }
  std::string create(const std::string& name, const std::string& resources) {
    return engine_->create("admin", name, body(resources));
  }
  const ResourceRecord& at(const std::string& stack, const std::string& path) {
    const StackPlace place = engine_->find(stack);
    return place.live->tree.resource(place.live->tree.find_path(path));
  }
  std::string status(const std::string& stack) {
    const StackRecord& root = engine_->find(stack).live->tree.root();
    return status_text(root.action, root.status);
  }
  Json metadata(const std::string& stack, const std::string& path) {
    const StackPlace place = engine_->find(stack);
    return engine_->metadata_of(*place.live, place.live->tree.find_path(path));
  }

  TempDir directory_ = TempDir::create("/tmp", "engine-");
  fs::path keys_;  ///< by which the database is sealed; empty: tests look into it
  fakes::ManualClock clock_;
  fakes::MemoryLogger log_;
  fakes::SimpleBlueprintMaker maker_;
  std::unique_ptr<SqlRepository> repository_;
  std::unique_ptr<Engine> engine_;
};

constexpr const char* k_one_server = R"({"s": {"role": "server", "name": "node-0"},
  "d1": {"role": "deployment", "server": "s", "name": "B", "needs": ["s"], "outputs": [{"name": "result"}]},
  "d2": {"role": "deployment", "server": "s", "name": "A", "needs": ["s", "d1"], "properties": {"in": "@d1.result"}}})";

}  // namespace hearth::metadata::live
