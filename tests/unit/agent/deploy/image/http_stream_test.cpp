#include "agent/deploy/image/http_stream.hpp"

#include <gmock/gmock.h>

#include <mutex>

#include "base/error.hpp"
#include "tests/fakes/manual_clock.hpp"
#include "tests/fakes/running_server.hpp"

namespace hearth::agent::deploy {
namespace {

constexpr const char* k_image = "0123456789abcdef";

/// Serves k_image with ranges; the first answers to requests for a range are those that the test gives.
class ImageHandler final : public HttpHandler {
 public:
  ServedResponse answer(const ServedRequest& request) override {
    const std::lock_guard lock(lock_);
    seen.push_back(request);
    ServedResponse response;
    response.headers = {{"ETag", tag}};
    if (!redirect.empty()) {
      response.status = 302;
      response.headers = {{"Location", redirect}};
      return response;
    }
    const std::optional<std::string> range = request.header("Range");
    if (range && failures-- > 0) {
      response.status = 503;
      return response;
    }
    if (!range) {
      response.body = k_image;
      return response;
    }
    const std::size_t first = std::stoul(range->substr(6));
    const std::size_t last = std::stoul(range->substr(range->find('-') + 1));
    response.status = 206;
    response.headers = {{"ETag", range_tag.empty() ? tag : range_tag},
                        {"Content-Range", cat("bytes ", first, "-", last, "/16")}};
    response.body = std::string(k_image).substr(first, last - first + 1);
    return response;
  }

  std::vector<ServedRequest> seen;
  std::string tag = "\"one\"", range_tag, redirect;
  int failures = 0;

 private:
  std::mutex lock_;
};

class HttpStreamTest : public testing::Test {
 protected:
  HttpStream open(const std::string& url) {
    StreamOptions options;
    options.retry_pause = std::chrono::milliseconds(1);
    options.headers = {{"Authorization", "Bearer secret"}};
    return {dialer_, clock_, parse_url(url).value_or_throw(), options};
  }

  SystemClock clock_;
  Dialer dialer_{clock_, {}};
  ImageHandler handler_;
  fakes::RunningServer server_{handler_};
};

TEST_F(HttpStreamTest, APieceIsAskedForAgainWhenTheServerCouldNotAnswer) {
  HttpStream stream = open(server_.url("/image"));
  handler_.failures = 3;
  EXPECT_EQ(stream.piece(4, 5), "45678");
}

TEST_F(HttpStreamTest, OneOnDemandAsksForPiecesAloneAndHoldsThemToOneFile) {
  StreamOptions options;
  options.on_demand = true;
  HttpStream stream(dialer_, clock_, parse_url(server_.url("/image")).value_or_throw(), options);
  EXPECT_TRUE(handler_.seen.empty());
  EXPECT_EQ(stream.piece(4, 5), "45678");
  EXPECT_EQ(handler_.seen.size(), 1U);
  handler_.range_tag = "\"two\"";
  EXPECT_THROW((void)stream.piece(4, 5), Error);
}

TEST_F(HttpStreamTest, APieceOfAnotherFileIsNoPieceOfThisOne) {
  HttpStream stream = open(server_.url("/image"));
  handler_.range_tag = "\"two\"";
  EXPECT_THROW((void)stream.piece(4, 5), Error);
}

TEST_F(HttpStreamTest, CredentialsGoToTheServerThatTheyAreForAndNotWhereItSendsUs) {
  ImageHandler elsewhere;
  fakes::RunningServer other(elsewhere);
  handler_.redirect = other.url("/image");
  HttpStream stream = open(server_.url("/image"));
  EXPECT_EQ(stream.piece(0, 2), "01");
  EXPECT_EQ(handler_.seen.at(0).header("Authorization"), "Bearer secret");
  ASSERT_EQ(elsewhere.seen.size(), 2U);
  for (const ServedRequest& request : elsewhere.seen) EXPECT_EQ(request.header("Authorization"), std::nullopt);
}

TEST_F(HttpStreamTest, TheWholeFileComesInOrder) {
  HttpStream stream = open(server_.url("/image"));
  std::string bytes;
  std::array<char, 5> some{};
  while (const std::size_t got = stream.read(some)) bytes.append(some.data(), got);
  EXPECT_EQ(bytes, k_image);
  EXPECT_EQ(stream.size(), 16U);
}

}  // namespace
}  // namespace hearth::agent::deploy
