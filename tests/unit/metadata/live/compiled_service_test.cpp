#include "metadata/live/compiled_service.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

#include "base/error.hpp"
#include "base/net/url.hpp"
#include "base/sys/file.hpp"
#include "base/text.hpp"
#include "metadata/credentials/aws_signature.hpp"
#include "tests/fakes/lossy_disk.hpp"
#include "tests/fakes/manual_clock.hpp"
#include "tests/fakes/memory_logger.hpp"

namespace hearth::metadata::live {
namespace {

using testing::HasSubstr;

class CompiledServiceTest : public testing::Test {
 protected:
  CompiledServiceTest() {
    write("one");
    service_ =
        std::make_unique<CompiledService>(directory_.path() / "out", directory_.path() / "signals", clock_, log_);
  }
  void write(const std::string& value, const std::string& transport = "request") {
    const fs::path out = directory_.path() / "out";
    fs::create_directories(out / "servers");
    RealFileSystem files;
    files.write(out / "servers/a",
                cat(R"({"deployments": [{"id": "i1", "name": "D", "inputs": [
      {"name": "deploy_signal_id", "value": "http://h:8000/v1/signal/arn%3Ax?Signature=s"}]}], "value": ")",
                    value, R"(", "os-collect-config": {")", transport, R"(": {"metadata_url":
      "http://h:8080/v1/AUTH_admin/c/o?temp_url_sig=s&temp_url_expires=1"}}})"),
                {});
    files.write(out / "servers/b", R"({"os-collect-config": {"cfn": {"access_key_id": "k", "secret_access_key": "s3",
      "stack_name": "st-B", "path": "server.Metadata"}}})",
                {});
    files.write(out / "index.json", R"({"servers": [{"path": "A.server", "id": "1", "metadata": "servers/a"},
      {"path": "B.server", "id": "2", "metadata": "servers/b"}]})",
                {});
    fs::last_write_time(out / "index.json", ++written_);
  }
  ServedResponse send(const std::string& method, const std::string& target, const std::string& body = "") {
    ServedRequest request;
    request.method = method;
    request.target = target;
    const RequestTarget parts = parse_request_target(target).value();
    request.raw_path = parts.raw_path;
    request.path = parts.path;
    request.query = parts.query;
    request.headers = {{"Host", "h:8000"}};
    request.body = body;
    return service_->answer(request);
  }
  static constexpr const char* k_document = "/v1/AUTH_admin/c/o?temp_url_sig=s&temp_url_expires=1";
  static constexpr const char* k_signal = "/v1/signal/arn%3Ax?Signature=s";

  TempDir directory_ = TempDir::create("/tmp", "compiled-");
  fakes::ManualClock clock_;
  fakes::MemoryLogger log_;
  std::unique_ptr<CompiledService> service_;
  int written_ = 0;
};

TEST_F(CompiledServiceTest, AnAgentGetsItsDocumentByItsOwnUrlOnly) {
  EXPECT_THAT(send("GET", k_document).content(), HasSubstr("\"one\""));
  EXPECT_EQ(send("GET", "/v1/AUTH_admin/c/o?temp_url_sig=t&temp_url_expires=1").status, 401);
  EXPECT_EQ(send("GET", "/v1/AUTH_admin/c/o").status, 401);
  EXPECT_EQ(send("PUT", k_document, "{}").status, 401);
}

TEST_F(CompiledServiceTest, AnotherGetsItBySignatureOverCfn) {
  Parameters parameters = {{"Action", "DescribeStackResource"}, {"StackName", "st-B"},
                           {"LogicalResourceId", "server"},     {"AWSAccessKeyId", "k"},
                           {"SignatureVersion", "2"},           {"SignatureMethod", "HmacSHA256"}};
  parameters.emplace_back("Signature", sign_version_2("s3", "GET", "h:8000", "/v1/", parameters));
  const ServedResponse answered = send("GET", cat("/v1/?", encode_query(parameters)));
  EXPECT_EQ(answered.status, 200);
  EXPECT_THAT(answered.content(), HasSubstr("os-collect-config"));
  parameters.back().second = "wrong";
  EXPECT_EQ(send("GET", cat("/v1/?", encode_query(parameters))).status, 403);
}

TEST_F(CompiledServiceTest, SignalsAreWrittenDown) {
  EXPECT_EQ(send("POST", k_signal, R"({"deploy_status_code": 0})").status, 200);
  EXPECT_EQ(send("POST", k_signal, "[").status, 400);
  EXPECT_EQ(send("POST", "/v1/signal/arn%3Ax?Signature=t", "{}").status, 401);
  const Json line = Json::parse(read_file(directory_.path() / "signals"));
  EXPECT_EQ(line["server"], "A.server");
  EXPECT_EQ(line["deployment"], "D");
  EXPECT_EQ(line["id"], "i1");
  EXPECT_EQ(line["signal"]["deploy_status_code"], 0);
}

TEST_F(CompiledServiceTest, ASignalThatWasAcceptedSurvivesAPowerCutAndWhatTheCutHasTorn) {
  const fs::path file = directory_.path() / "signals";
  const auto has = [&](int code) {
    for (const std::string& line : split_lines(RealFileSystem().read(file).value_or(""))) {
      const Json read = json_or_null(line);
      if (read.is_object() && read["signal"]["deploy_status_code"] == code) return true;
    }
    return false;
  };
  const auto signal = [&](int code) {
    return send("POST", k_signal,
                cat(R"({"deploy_stdout": ")", std::string(700, 'x'), R"(", "deploy_status_code": )", code, "}"));
  };
  fakes::LossyDisk disk(directory_.path());
  for (int code = 0; code < 3; ++code) {
    EXPECT_EQ(signal(code).status, 200);
    disk.promise(cat(code));
  }
  const std::size_t cuts = disk.cut_everywhere([&](const fakes::LossyDisk::Cut& cut) {
    for (std::size_t code = 0; code < cut.promised.size(); ++code) EXPECT_TRUE(has(static_cast<int>(code))) << code;
    EXPECT_EQ(signal(7).status, 200);
    EXPECT_TRUE(has(7)) << "it was appended to a line that is torn";
  });
  EXPECT_GT(cuts, 10U);
}

TEST_F(CompiledServiceTest, ASignalThatAFullDiskTakesIsNotAcceptedAndTheNextOneIsReadable) {
  const auto count = [&] {
    int good = 0;
    for (const std::string& line : split_lines(RealFileSystem().read(directory_.path() / "signals").value_or(""))) {
      good += json_or_null(line).is_object() ? 1 : 0;
    }
    return good;
  };
  bool was_full = true;
  for (std::size_t writes = 0; was_full; ++writes) {
    ASSERT_LT(writes, 10U);
    const int before = count();
    fakes::LossyDisk disk(directory_.path());
    disk.fill_after(writes);
    const int status = send("POST", k_signal, R"({"deploy_status_code": 0})").status;
    if (status == 200) {
      EXPECT_EQ(count(), before + 1);
    } else {
      EXPECT_EQ(status, 503);
      EXPECT_EQ(count(), before);
    }
    was_full = disk.was_full();
  }
  RealFileSystem().write(directory_.path() / "signals", "{\"torn", {});
  EXPECT_EQ(send("POST", k_signal, R"({"deploy_status_code": 0})").status, 200);
  EXPECT_EQ(count(), 1);
}

/// As on a full disk: nothing may be written behind so many bytes.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit now{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &now);
  }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;
  ~FileLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    (void)std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST_F(CompiledServiceTest, ASignalThatCannotBeKeptIsAskedForAgainAndSpoilsNoOther) {
  EXPECT_EQ(send("POST", k_signal, R"({"n": 1})").status, 200);
  const fs::path file = directory_.path() / "signals";
  {
    const FileLimit full(fs::file_size(file) + 20);
    const ServedResponse response = send("POST", k_signal, R"({"n": 2})");
    EXPECT_EQ(response.status, 503);
    EXPECT_TRUE(find_header(response.headers, "Retry-After"));
  }
  EXPECT_EQ(send("POST", k_signal, R"({"n": 3})").status, 200);
  RealFileSystem().write(file, cat(read_file(file), R"({"time": ")"), {});  // a kill in the middle
  EXPECT_EQ(send("POST", k_signal, R"({"n": 4})").status, 200);
  std::string kept;
  for (const std::string& line : split_lines(read_file(file))) {
    const Result<Json> json = parse_json(line, "a signal");
    kept += json ? format_json((*json)["signal"]["n"]) : "-";
  }
  EXPECT_EQ(kept, "13-4");
}

TEST_F(CompiledServiceTest, KnowsWhoHasSomethingToSayBeforeABodyIsRead) {
  ServedRequest head;
  head.method = "POST";
  const auto admit = [&](const std::string& target) {
    const RequestTarget parts = parse_request_target(target).value();
    head.raw_path = parts.raw_path;
    head.path = parts.path;
    head.query = parts.query;
    return service_->admit(head);
  };
  EXPECT_FALSE(admit(k_signal).refusal);
  EXPECT_EQ(admit(cat(k_signal, "x")).refusal.value_or(ServedResponse{}).status, 401);
  EXPECT_FALSE(admit("/v1/").refusal);
  EXPECT_LE(admit("/v1/").body_bytes, 65536U);
}

TEST_F(CompiledServiceTest, ADirectoryThatIsCompiledAnewIsServedAndABrokenOneIsNot) {
  write("two");
  service_->refresh();
  EXPECT_THAT(send("GET", k_document).content(), HasSubstr("\"two\""));
  write("three", "heat");
  service_->refresh();
  EXPECT_THAT(log_.all(), HasSubstr("can't poll a compiled directory"));
  EXPECT_THROW(CompiledService("/nowhere", "/dev/null", clock_, log_), Error);
}

TEST_F(CompiledServiceTest, FormerKeysHoldUntilTheirTimeIsOver) {
  const std::int64_t now = std::chrono::duration_cast<std::chrono::seconds>(clock_.wall().time_since_epoch()).count();
  RealFileSystem().write(directory_.path() / "out/index.json",
                         cat(R"({"servers": [{"path": "A.server", "id": "1", "metadata": "servers/a",
      "former": {"until": )",
                             now + 10, R"(, "os-collect-config": {"request": {"metadata_url":
      "http://h:8080/v1/AUTH_admin/c/o?temp_url_sig=former"}},
      "signals": [{"id": "i1", "inputs": {"deploy_signal_id": "http://h:8000/v1/signal/arn%3Ax?Signature=former"}}]}}]})"),
                         {});
  fs::last_write_time(directory_.path() / "out/index.json", ++written_ + 1000);
  service_->refresh();
  EXPECT_EQ(send("GET", k_document).status, 200);
  EXPECT_EQ(send("GET", "/v1/AUTH_admin/c/o?temp_url_sig=former").status, 200);
  EXPECT_EQ(send("POST", "/v1/signal/arn%3Ax?Signature=former", "{}").status, 200);
  EXPECT_EQ(Json::parse(read_file(directory_.path() / "signals"))["id"], "i1");
  clock_.advance(std::chrono::seconds(10));
  service_->refresh();
  EXPECT_EQ(send("GET", "/v1/AUTH_admin/c/o?temp_url_sig=former").status, 401);
  EXPECT_EQ(send("POST", "/v1/signal/arn%3Ax?Signature=former", "{}").status, 401);
  EXPECT_EQ(send("GET", k_document).status, 200);
}

}  // namespace
}  // namespace hearth::metadata::live
