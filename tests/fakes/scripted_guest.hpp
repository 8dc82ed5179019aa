// A Guest that records what it was asked to do, in order, and unpacks tar streams into files of this machine.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/sys/fd.hpp"
#include "base/text.hpp"
#include "builder/guestfs/guest.hpp"

namespace hearth::fakes {

/// What the guests of one test did.
struct GuestRecord {
  std::vector<builder::GuestDrive> drives;
  std::vector<std::string> did;                ///< "run SCRIPT", "mount DEVICE AT", "unpack AT", "close"…
  std::map<std::string, std::string> packed;   ///< answers of pack(), by directory
  std::map<std::string, std::string> answers;  ///< answers of run(), by a word in the script
  std::string fails_at;                        ///< a script that holds this text fails
  std::string device;                          ///< what read_device() finds on each
  std::set<std::string> busy;                  ///< what fails the first time: "take down vg"
  std::size_t unpacked_bytes = 0;
  std::function<void()> on_close;  ///< what a real guest would have left on its disks
};

class ScriptedGuest final : public builder::Guest {
 public:
  explicit ScriptedGuest(GuestRecord& record) : record_(record) {}
  std::string run(const std::string& script) override {
    record_.did.push_back(cat("run ", script));
    if (!record_.fails_at.empty() && script.find(record_.fails_at) != std::string::npos) {
      throw Error(ErrorKind::external, "the script failed");
    }
    for (const auto& [word, answer] : record_.answers) {
      if (script.find(word) != std::string::npos) return answer;
    }
    return "";
  }
  void mount(const std::string& device, const std::string& at, const std::string&) override {
    record_.did.push_back(cat("mount ", device, " ", at));
  }
  void unmount_all() override { record_.did.emplace_back("unmount"); }
  void unpack(const std::string& directory, const std::function<void(int)>& write) override {
    record_.did.push_back(cat("unpack ", directory));
    char name[] = "/tmp/hearth-guest-XXXXXX";
    const Fd file(::mkstemp(name));
    ::unlink(name);
    write(file.get());
    record_.unpacked_bytes += static_cast<std::size_t>(::lseek(file.get(), 0, SEEK_END));
  }
  void pack(const std::string& directory, const std::function<void(int)>& read) override {
    record_.did.push_back(cat("pack ", directory));
    Pipe pipe = Pipe::create();
    write_all(pipe.write, record_.packed[directory], "a pipe");  // small ones only
    pipe.write = Fd();
    read(pipe.read.get());
  }
  std::string read_device(const std::string& device, std::uint64_t offset, std::size_t bytes) override {
    record_.did.push_back(cat("read ", device, " ", offset, " ", bytes));
    return record_.device.substr(offset, bytes);
  }
  void write_device(const std::string& device, std::uint64_t offset, std::string_view bytes) override {
    record_.did.push_back(cat("write ", device, " ", offset, " ", bytes.size()));
  }
  void activate_group(const std::string& group, bool active) override {
    say_unless_busy(cat(active ? "start " : "take down ", group));
  }
  void close_encrypted(const std::string& volume) override { say_unless_busy(cat("close ", volume)); }
  void stop_array(const std::string& device) override { say_unless_busy(cat("stop ", device)); }
  void sync() override { record_.did.emplace_back("sync"); }
  void close() override {
    record_.did.emplace_back("close");
    if (record_.on_close) record_.on_close();
  }

 private:
  void say_unless_busy(const std::string& what) {
    if (record_.busy.erase(what) > 0) throw Error(ErrorKind::external, cat("can't ", what, ": in use"));
    record_.did.push_back(what);
  }
  GuestRecord& record_;
};

[[nodiscard]] inline builder::StartGuest scripted_guests(GuestRecord& record) {
  return [&record](const std::vector<builder::GuestDrive>& drives) {
    record.drives = drives;
    return std::unique_ptr<builder::Guest>(std::make_unique<ScriptedGuest>(record));
  };
}

}  // namespace hearth::fakes
