#include "agent/deploy/orders.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/sys/fd.hpp"
#include "tests/fakes/manual_clock.hpp"

namespace hearth::agent::deploy {
namespace {

/// Of which nothing is asked.
class UntouchedMachine final : public Machine {
 public:
  std::vector<Disk> disks() override { return touched<std::vector<Disk>>("disks"); }
  std::vector<Nic> nics() override { return touched<std::vector<Nic>>("nics"); }
  Json inventory() override { return touched<Json>("inventory"); }
  Json pci_devices() override { return touched<Json>("pci_devices"); }
  std::string install_bootloader(const Disk&) override { return touched<std::string>("install_bootloader"); }
  std::string install_grub(const GrubWish&) override { return touched<std::string>("install_grub"); }
  void make_file_system(const std::string&, const std::string&, const std::string&) override { touched<int>("mkfs"); }
  WrittenImage write_image(const ImageInfo&, const std::string&, WriterWorld&, WriteProgress&) override {
    return touched<WrittenImage>("write_image");
  }
  std::string finish_partitions(const Disk&, const std::string&) override { return touched<std::string>("finish"); }
  void let_in(const Json&) override { touched<int>("let_in"); }
  void end(Ending) override { touched<int>("end"); }

 private:
  template <class Value>
  static Value touched(const char* what) {
    ADD_FAILURE() << what;
    return {};
  }
};

class NoHttp final : public HttpClient {
 public:
  HttpResponse send(const HttpRequest&) override { throw Error(ErrorKind::io, "none"); }
};

class Orders : public ::testing::Test {
 protected:
  Json run(const std::string& name, const Json& params) {
    CommandBoard board(order_rows(world, session), {}, own_thread());
    return board.execute(name, params, true);
  }
  std::string refused(const std::string& name, const Json& params) {
    try {
      return run(name, params).dump();
    } catch (const Refusal& refusal) {
      return refusal.text;
    }
  }

  fakes::ManualClock clock;
  Fd nowhere = Fd::open("/dev/null", O_WRONLY);
  Console console{clock, nowhere.get()};
  UntouchedMachine machine;
  NoHttp http;
  Dialer dialer{clock, {}};
  OrderWorld world{machine, http, dialer, clock, console};
  Session session;
};

TEST_F(Orders, AMachineInUseIsServedAndNoStepOfServiceErases) {
  const Json record = run("service.get_service_steps", Json::object());
  EXPECT_EQ(record["command_status"], "SUCCEEDED") << record;
  EXPECT_EQ(record["command_result"]["service_steps"], Json::parse(R"({"GenericHardwareManager": []})"));
  for (const char* step : {"erase_devices_metadata", "erase_devices", "write_image"}) {
    const std::string why =
        refused("service.execute_service_step", {{"step", {{"interface", "deploy"}, {"step", step}}}});
    EXPECT_NE(why.find(std::string("this ramdisk has no service step '") + step), std::string::npos) << why;
  }
}

TEST_F(Orders, CleaningErasesAndWritesNoImage) {
  std::vector<std::string> names;
  const Json record = run("clean.get_clean_steps", Json::object());
  for (const Json& step : record["command_result"]["clean_steps"]["GenericHardwareManager"])
    names.push_back(step["step"]);
  EXPECT_EQ(names, (std::vector<std::string>{"erase_devices_metadata", "erase_devices"}));
  const std::string why = refused("clean.execute_clean_step", {{"step", {{"step", "write_image"}}}});
  EXPECT_NE(why.find("no clean step 'write_image'"), std::string::npos) << why;
}

}  // namespace
}  // namespace hearth::agent::deploy
