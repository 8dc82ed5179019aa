#include "metadata/live/store_guard.hpp"

#include "base/sql/database.hpp"
#include "tests/unit/metadata/engine/engine_fixture.hpp"

namespace hearth::metadata::live {
namespace {

class Handler final : public HttpHandler {
 public:
  explicit Handler(bool& fails) : fails_(fails) {}
  ServedResponse answer(const ServedRequest&) override {
    if (fails_) throw sql::StoreError("database or disk is full");
    return {};
  }

 private:
  bool& fails_;
};

using StoreGuardTest = EngineTest;

TEST_F(StoreGuardTest, SaysThatOneMayComeAgainAndReadsGoOn) {
  bool fails = true;
  Handler handler(fails);
  StoreGuard guard(handler, *engine_, log_);
  ServedRequest post;
  post.method = "POST";
  const ServedResponse refused = guard.answer(post);
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.headers.back().first, "Retry-After");
  EXPECT_THAT(log_.all(), testing::HasSubstr("disk is full"));
  fails = false;
  EXPECT_EQ(guard.answer(post).status, 503) << "not before the store was taken up again";
  ServedRequest get;
  get.method = "GET";
  EXPECT_EQ(guard.answer(get).status, 200);
  engine_->tick();
  EXPECT_EQ(guard.answer(post).status, 200);
}

}  // namespace
}  // namespace hearth::metadata::live
