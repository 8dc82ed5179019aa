#include "metadata/live/stack_service.hpp"

#include <gtest/gtest.h>
#include <malloc.h>

#include <thread>

#include "base/error.hpp"
#include "base/net/web_client.hpp"
#include "base/sql/database.hpp"
#include "base/sys/file.hpp"
#include "base/sys/seal.hpp"
#include "base/text.hpp"
#include "metadata/engine/sql_repository.hpp"
#include "metadata/live/file_machines.hpp"
#include "metadata/live/upload.hpp"
#include "tests/fakes/memory_logger.hpp"

namespace hearth::metadata::live {
namespace {

class NoMachines final : public MachineView {
 public:
  std::optional<Machine> machine_at(const std::string&) override { return std::nullopt; }
  std::optional<Machine> machine_named(const std::string& id) override {
    return id == "of-a-stack" ? std::optional(Machine{}) : std::nullopt;
  }
  std::string instance_at(const std::string&) const override { return "of-a-stack"; }
};

TEST(FileMachines, AreFoundByAddressAndByIdBeforeThoseOfStacks) {
  NoMachines others;
  EXPECT_EQ(FileMachines(others, "{}", "m.json").instance_at("192.0.2.9"), "of-a-stack");
  FileMachines machines(others, R"({"192.0.2.7": {"meta_data": {"instance-id": "i-1"}, "user_data": "u"}})", "m.json");
  EXPECT_EQ(machines.machine_at("192.0.2.7")->user_data, "u");
  EXPECT_EQ(machines.instance_at("192.0.2.7"), "");
  EXPECT_EQ(machines.machine_named("i-1")->meta_data["instance-id"], "i-1");
  EXPECT_FALSE(machines.machine_at("192.0.2.8"));
  EXPECT_FALSE(machines.machine_named("i-2"));
  EXPECT_TRUE(machines.machine_named("of-a-stack"));
  EXPECT_THROW(FileMachines(others, "[]", "m.json"), Error);
  EXPECT_THROW(FileMachines(others, R"({"a": 1})", "m.json"), Error);
}

class StackServiceTest : public testing::Test {
 protected:
  ServiceSettings settings() const {
    ServiceSettings settings;
    settings.state = directory_.path() / "state";
    settings.provides_machines = true;
    return settings;
  }
  TempDir directory_ = TempDir::create("/tmp", "service-");
  SystemClock clock_;
  fakes::MemoryLogger log_;
};

TEST_F(StackServiceTest, EventsGoToTheSinksOfTheirEnvironmentAndToNobodyElses) {
  RealFileSystem files;
  files.write(directory_.path() / "t.yaml",
              "heat_template_version: 2018-08-31\nresources: {v: {type: OS::Heat::Value, properties: {value: 1}}}\n",
              {});
  files.write(directory_.path() / "e.yaml", "event_sinks: [{type: zaqar-queue, target: mine}]\n", {});
  StackService service(settings(), clock_, log_);
  UploadRequest request;
  request.name = "quiet";
  request.template_file = directory_.path() / "t.yaml";
  (void)service.deploy(request, files);
  EXPECT_FALSE(files.read(directory_.path() / "state/events/mine.jsonl"));
  request.name = "told";
  request.environments = {directory_.path() / "e.yaml"};
  const std::string id = service.deploy(request, files);
  const std::string lines = files.read(directory_.path() / "state/events/mine.jsonl").value_or("");
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 4) << lines;
  EXPECT_EQ(Json::parse(lines.substr(0, lines.find('\n')))["payload"]["stack_id"], id);
}

TEST_F(StackServiceTest, AnotherRoomDrivesTheEngineInItsOwnProcess) {
  RealFileSystem files;
  files.write(directory_.path() / "t.yaml", R"(heat_template_version: 2018-08-31
resources:
  node: {type: OS::Nova::Server, properties: {name: node-0, flavor: big, image: debian, user_data_format: SOFTWARE_CONFIG}}
outputs:
  address: {value: {get_attr: [node, first_address]}}
)",
              {});
  StackService service(settings(), clock_, log_);
  EXPECT_THROW(StackService(settings(), clock_, log_), Error) << "the state is taken";
  UploadRequest request;
  request.name = "site";
  request.template_file = directory_.path() / "t.yaml";
  const std::string id = service.deploy(request, files);
  Engine& engine = service.engine();
  const std::vector<WantedServer> wanted = engine.servers("site");
  ASSERT_EQ(wanted.size(), 1U);
  EXPECT_TRUE(wanted[0].is_machine);
  EXPECT_EQ(wanted[0].properties["image"], "debian");
  engine.machine_came(wanted[0].id, {{"address", "192.0.2.9"}, {"first_address", "192.0.2.9"}});
  LiveTree& live = *engine.find("site").live;
  EXPECT_EQ(status_text(live.tree.root().action, live.tree.root().status), "CREATE_COMPLETE");
  EXPECT_EQ(engine.blueprint(live).outputs("")[0].value, "192.0.2.9");
  EXPECT_EQ(service.deploy(request, files), id) << "it is updated";
  EXPECT_EQ(live.tree.root().action, Action::update);
}

TEST_F(StackServiceTest, AMachineLearnsItsUserDataAndKeysAsNovaTellsThem) {
  RealFileSystem files;
  files.write(directory_.path() / "t.yaml", R"(heat_template_version: 2018-08-31
resources:
  key: {type: OS::Nova::KeyPair, properties: {name: admin, public_key: ssh-ed25519 AAAA}}
  cfg: {type: OS::Heat::SoftwareConfig, properties: {config: "#!/bin/sh"}}
  raw: {type: OS::Nova::Server, properties: {flavor: big, key_name: {get_resource: key}, user_data_format: RAW, user_data: {get_resource: cfg}}}
  own: {type: OS::Nova::Server, properties: {flavor: big, user_data_format: SOFTWARE_CONFIG}}
)",
              {});
  StackService service(settings(), clock_, log_);
  UploadRequest request;
  request.name = "site";
  request.template_file = directory_.path() / "t.yaml";
  (void)service.deploy(request, files);
  Engine& engine = service.engine();
  for (const WantedServer& each : engine.servers("site"))
    engine.machine_came(each.id, {{"address", each.path == "raw" ? "192.0.2.1" : "192.0.2.2"}});
  const std::optional<Machine> raw = engine.machine_at("192.0.2.1");
  ASSERT_TRUE(raw);
  EXPECT_EQ(raw->user_data, "#!/bin/sh") << "the config's text, not its id";
  EXPECT_EQ(raw->meta_data["public-keys"]["0"]["_name"], "admin");
  EXPECT_EQ(raw->meta_data["public-keys"]["0"]["openssh-key"], "ssh-ed25519 AAAA");
  EXPECT_EQ(raw->openstack["meta_data.json"]["public_keys"]["admin"], "ssh-ed25519 AAAA");
  const std::optional<Machine> own = engine.machine_at("192.0.2.2");
  ASSERT_TRUE(own);
  EXPECT_NE(own->user_data.find("cfn-init-data"), std::string::npos) << own->user_data;
  EXPECT_FALSE(own->meta_data.contains("public-keys"));
}

TEST_F(StackServiceTest, APortKeepsItsAddressWhenAnotherOneComesBeforeIt) {
  RealFileSystem files;
  const auto write = [&](const std::string& first) {
    files.write(directory_.path() / "t.yaml",
                cat(R"(heat_template_version: 2018-08-31
resources:
  net: {type: OS::Neutron::Net}
  sub: {type: OS::Neutron::Subnet, properties: {network: {get_resource: net}, cidr: 192.0.2.0/28}}
)",
                    first, R"(
  port: {type: OS::Neutron::Port, properties: {network: {get_resource: net}}}
outputs:
  address: {value: {get_attr: [port, fixed_ips, 0, ip_address]}}
)"),
                {});
  };
  UploadRequest request;
  request.name = "s";
  request.template_file = directory_.path() / "t.yaml";
  const auto deployed = [&] {
    StackService service(settings(), clock_, log_);
    (void)service.deploy(request, files);
    return service.engine().blueprint(*service.engine().find("s").live).outputs("")[0].value;
  };
  write("");
  EXPECT_EQ(deployed(), "192.0.2.2");
  const std::string any = "{type: OS::Neutron::Port, properties: {network: {get_resource: net}}}";
  write(cat("  early: ", any, "\n  earlier: ", any));
  EXPECT_EQ(deployed(), "192.0.2.2");
  write(
      R"(  early: {type: OS::Neutron::Port, properties: {network: {get_resource: net}, fixed_ips: [{ip_address: 192.0.2.2}]}})");
  EXPECT_EQ(deployed(), "192.0.2.3") << "somebody asks for its address by name";
}

TEST_F(StackServiceTest, NestedStacksThatCameWithAnUpdateKeepTheirIdsWhenTheyAreAdopted) {
  const auto body = [](int count) {
    return Json{{"template", cat(R"(heat_template_version: 2018-08-31
resources:
  more:
    type: OS::Heat::ResourceGroup
    properties: {count: )",
                                 count, R"(, resource_def: {type: m.yaml}}
)")},
                {"files", {{"m.yaml", "heat_template_version: 2018-08-31\nresources: {v: {type: OS::Heat::None}}\n"}}}};
  };
  StackService service(settings(), clock_, log_);
  Engine& engine = service.engine();
  const auto ids = [&] {
    std::vector<std::string> all;
    for (const StackRecord& stack : engine.find("s").live->tree.stacks()) all.push_back(stack.id);
    std::sort(all.begin(), all.end());
    return all;
  };
  const std::string id = engine.create("admin", "s", body(1));
  engine.update(id, body(2));
  const std::vector<std::string> before = ids();
  ASSERT_EQ(before.size(), 4U);
  const Json data = engine.abandon(id);
  (void)engine.adopt("admin", "s", body(2), data);
  EXPECT_EQ(ids(), before) << "signal URLs of their machines have them";
  engine.update(id, body(3));
  const std::vector<std::string> later = ids();
  EXPECT_EQ(later.size(), 5U);
  EXPECT_TRUE(std::includes(later.begin(), later.end(), before.begin(), before.end()))
      << "nor does an update change them";
}

TEST_F(StackServiceTest, ARandomTextThatWasExportedIsTheSameWhereItIsAdopted) {
  const std::string top = R"(heat_template_version: 2018-08-31
resources:
  pw: {type: OS::Heat::RandomString, properties: {length: LENGTH}}
  more: {type: OS::Heat::ResourceGroup, properties: {count: 1, resource_def: {type: OS::Heat::RandomString}}}
  same: {type: OS::Heat::Value, properties: {value: of the template}}
outputs:
  all: {value: [{get_resource: pw}, {get_attr: [pw, value]}, {get_attr: [more, value]}, {get_attr: [same, value]}]}
)";
  const auto body = [&](const char* length) {
    std::string text = top;
    return Json{{"template", text.replace(text.find("LENGTH"), 6, length)}};
  };
  std::optional<StackService> service(std::in_place, settings(), clock_, log_);
  const auto texts = [&] {
    return service->engine().blueprint(*service->engine().find("s").live).outputs("")[0].value;
  };
  (void)service->engine().create("admin", "s", body("20"));
  const Json before = texts();
  const std::string left = service->engine().find("s").live->tree.id;
  const auto resource_id = [&] {
    const StackTree& tree = service->engine().find("s").live->tree;
    return tree.resource(tree.find_path("pw")).physical_id;
  };
  const std::string known_as = resource_id();
  Json data = service->engine().abandon(left);
  EXPECT_EQ(data["resources"]["pw"]["resource_data"]["value"], before[0]);
  EXPECT_EQ(data["resources"]["more"]["resources"]["0"]["resource_data"]["value"], before[2][0]);
  data["resources"]["same"]["resource_data"] = {{"value", "of the export"}};
  const std::string id = service->engine().adopt("admin", "s", body("20"), data);
  EXPECT_EQ(texts(), before) << "and only what is random comes along";
  EXPECT_EQ(id, left);
  std::vector<EventRecord> events = service->engine().events({{id}});
  std::erase_if(events, [](const EventRecord& event) { return !event.status.starts_with("ADOPT"); });
  ASSERT_GT(events.size(), 2U);
  EXPECT_EQ(events[1].reason, "resource_data was not taken over, for only a RandomString's value is: same.value");
  EXPECT_EQ(cat(events[1].type, " ", events[1].resource, " ", events[1].status), "OS::Heat::Stack s ADOPT_IN_PROGRESS")
      << "where people look";
  EXPECT_EQ(resource_id(), known_as);
  service.reset();
  service.emplace(settings(), clock_, log_);
  EXPECT_EQ(texts(), before);
  service->engine().update(id, body("20"));
  EXPECT_EQ(texts(), before);
  service->engine().update(id, body("30"));
  EXPECT_EQ(texts()[0].get<std::string>().size(), 30U) << "another one takes its place";
  EXPECT_EQ(texts()[2], before[2]);
}

TEST_F(StackServiceTest, AFormerKeyGoesWhenItsTimeIsOverAndTheDatabaseIsSealedAnew) {
  std::optional<StackService> service(std::in_place, settings(), clock_, log_);
  const fs::path file = settings().state / k_seal_key;
  (void)service->engine().create("admin", "s", {{"template", "heat_template_version: 2018-08-31\n"}});
  const auto again = [&] {
    service.reset();
    service.emplace(settings(), clock_, log_);
    EXPECT_EQ(service->engine().trees().size(), 1U);
  };
  const std::string first = Seal::read(file).key_id();
  rotate_seal(file, unix_seconds(clock_.wall()) + 1000);
  again();
  const std::string second = Seal::read(file).key_id();
  EXPECT_NE(second, first);
  EXPECT_TRUE(Seal::read(file).has(first));
  rotate_seal(file, unix_seconds(clock_.wall()));
  EXPECT_TRUE(Seal::read(file).has(second)) << "nobody has sealed with the new one yet";
  again();
  EXPECT_FALSE(Seal::read(file).has(second));
  EXPECT_TRUE(Seal::read(file).has(first));
}

/// A clock that people set, beside one that only goes on.
class SetClock final : public Clock {
 public:
  [[nodiscard]] MonotonicTime now() const override { return going_on; }
  [[nodiscard]] WallTime wall() const override { return told; }
  void sleep(Duration duration) override { going_on += duration; }

  MonotonicTime going_on{std::chrono::hours(1)};
  WallTime told{std::chrono::hours(480'000)};  // 2024
};

class RotationTest : public StackServiceTest {
 protected:
  RotationTest() { (void)service_.engine().create("admin", "s", {{"template", k_template}}); }
  /// With which key the database is sealed: "" where it is the newest one.
  std::string sealed_with_former() {
    sql::Database database((settings().state / "state.db").string());
    sql::Statement row = database.prepare("SELECT value FROM setting WHERE name = 'sealed'");
    EXPECT_TRUE(row.step());
    return row.text(0) == Seal::read(keys_).key_id() ? "" : row.text(0);
  }
  Json document() {
    LiveTree& live = *service_.engine().find("s").live;
    return service_.engine().metadata_of(live, live.tree.find_path("server"));
  }

  static constexpr const char* k_template = R"(heat_template_version: 2018-08-31
resources:
  server: {type: OS::Heat::DeployedServer}
  config: {type: OS::Heat::SoftwareConfig, properties: {config: date}}
  deployment: {type: OS::Heat::SoftwareDeployment, properties: {config: {get_resource: config}, server: {get_resource: server}}}
)";
  SetClock set_clock_;
  StackService service_{settings(), set_clock_, log_};
  fs::path keys_ = settings().state / k_seal_key;
};

TEST_F(RotationTest, WhatCouldNotBeTakenIsTriedAgainAMinuteLater) {
  {
    sql::Database other((settings().state / "state.db").string());
    const sql::Transaction locks(other);
    rotate_seal(keys_, unix_seconds(set_clock_.told));
    service_.tick();
    EXPECT_NE(log_.all().find("stays sealed with the former key"), std::string::npos) << log_.all();
  }
  set_clock_.going_on += std::chrono::seconds(58);
  service_.tick();
  EXPECT_NE(sealed_with_former(), "") << "not before";
  service_.engine().machine_came(service_.engine().servers("s")[0].id, {{"address", "192.0.2.5"}});
  set_clock_.going_on += std::chrono::seconds(3);
  service_.tick();
  EXPECT_EQ(sealed_with_former(), "");
  EXPECT_NE(log_.all().find("is sealed with the new key"), std::string::npos) << log_.all();
}

TEST_F(RotationTest, AClockThatIsSetBackOrForthKeepsNoKeyFromBeingTakenAndNoneThatIsNeeded) {
  const Json before = document();
  for (const int hours : {-5, 220'000, -220'000, -470'000, 1'000'000, -12}) {
    SCOPED_TRACE(hours);
    set_clock_.told += std::chrono::hours(hours);
    service_.tick();
    rotate_seal(keys_, unix_seconds(set_clock_.told));
    set_clock_.told -= std::chrono::hours(3);  // and between both
    service_.tick();
    EXPECT_EQ(sealed_with_former(), "");
    EXPECT_EQ(document(), before);
    EXPECT_TRUE(service_.engine().can_write());
    SqlRepository reads((settings().state / "state.db").string(), keys_);
    EXPECT_EQ(reads.load().trees.size(), 1U) << "by the keys that are left";
    EXPECT_EQ(reads.load().unreadable.size(), 0U);
  }
}

TEST_F(StackServiceTest, WhatAMachineIsToldIsTriedFirst) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer's allocator ends a copy that gets no memory in its own way, or never";
#endif
  RealFileSystem files;
  files.write(directory_.path() / "t.yaml", R"(heat_template_version: 2018-08-31
resources:
  raw: {type: OS::Nova::Server, properties: {flavor: big, user_data_format: RAW, user_data: {get_file: data}}}
)",
              {});
  // Else what tests before this one gave back is taken once more, and the copy needs no memory of its own.
  ::mallopt(M_MMAP_THRESHOLD, 1 << 17);
  const auto told = [&](std::size_t size) {
    files.write(directory_.path() / "data", std::string(size, 'x'), {});
    ServiceSettings limited = settings();
    limited.state = directory_.path() / std::to_string(size);
    limited.limits.memory = 2U << 20U;
    StackService service(limited, clock_, log_);
    UploadRequest request;
    request.name = "site";
    request.template_file = directory_.path() / "t.yaml";
    (void)service.deploy(request, files);
    service.engine().machine_came(service.engine().servers("site")[0].id, {{"address", "127.0.0.1"}});
    HttpServer server({}, clock_, log_, &service.audit());
    const std::uint16_t port = service.listen(server, {"127.0.0.1", 0, 0, 0, 0, true, 0}).back().second;
    std::thread thread([&] { server.run(); });
    WebClient client(clock_, {}, "test");
    HttpRequest asked;
    asked.url = parse_url(cat("http://127.0.0.1:", port, "/latest/user-data")).value_or_throw();
    asked.deadline = Deadline::after(std::chrono::seconds(60), clock_);
    HttpResponse response = client.send(asked);
    server.stop();
    thread.join();
    return response;
  };
  EXPECT_EQ(told(10).body, "xxxxxxxxxx");
  const HttpResponse refused = told(12U << 20U);
  EXPECT_EQ(refused.status, 400);
  EXPECT_NE(refused.body.find("takes more than 2 MB of memory"), std::string::npos) << refused.body.substr(0, 200);
}

TEST_F(StackServiceTest, ServesOnTheServersThreadAndTakesWorkFromOthers) {
  StackService service(settings(), clock_, log_);
  HttpServer server({}, clock_, log_, &service.audit());
  const auto open = service.listen(server, {"127.0.0.1", 0, 0, 0, 0, true, 0});
  ASSERT_EQ(open.size(), 5U);
  std::thread thread([&] { server.run(); });
  std::size_t stacks = 1;
  server.post([&] { stacks = service.engine().trees().size(); });
  server.post([&] { server.stop(); });
  thread.join();
  EXPECT_EQ(stacks, 0U);
  EXPECT_EQ(service.token().size(), 64U);
}

}  // namespace
}  // namespace hearth::metadata::live
