// Appliance: libguestfs' small machine, run by QEMU directly, as a Guest. It is built once from the packages of this
// machine (supermin) and kept below `cache`; libguestfs renews it when they change.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "builder/guestfs/guest.hpp"

struct guestfs_h;

namespace hearth::builder {

struct GuestLibrary;

struct ApplianceSettings {
  fs::path cache;           ///< an existing directory for the built appliance
  fs::path scratch;         ///< an existing directory for sockets and temporary files
  bool kvm = false;         ///< whether KVM really works (builder/vm/kvm_probe); else QEMU interprets
  bool network = false;     ///< the guest reaches what this machine reaches
  std::string hypervisor;   ///< a program in QEMU's place; empty = libguestfs' choice
  std::string search_path;  ///< LIBGUESTFS_PATH: where an appliance, or what it is made of, lies; empty = the default
  std::function<void(std::string_view)> on_line = {};  ///< the guest's console and libguestfs' own words, by line
};

class Appliance final : public Guest {
 public:
  /// Throws Error: not_found when something is missing (check_appliance()), external with the last lines of its console
  /// when it does not come up.
  [[nodiscard]] static std::unique_ptr<Appliance> start(const ApplianceSettings& settings,
                                                        const std::vector<GuestDrive>& drives);
  Appliance(const Appliance&) = delete;
  Appliance& operator=(const Appliance&) = delete;
  ~Appliance() override;

  std::string run(const std::string& script) override;
  void mount(const std::string& device, const std::string& at, const std::string& options) override;
  void unmount_all() override;
  void unpack(const std::string& directory, const std::function<void(int fd)>& write) override;
  void pack(const std::string& directory, const std::function<void(int fd)>& read) override;
  std::string read_device(const std::string& device, std::uint64_t offset, std::size_t bytes) override;
  void write_device(const std::string& device, std::uint64_t offset, std::string_view bytes) override;
  void activate_group(const std::string& group, bool active) override;
  void close_encrypted(const std::string& volume) override;
  void stop_array(const std::string& device) override;
  void sync() override;
  void close() override;

 private:
  Appliance(const GuestLibrary& library, ApplianceSettings settings);
  void configure(const std::vector<GuestDrive>& drives);
  void launch();
  void heard(std::string_view text, bool console);
  static void on_event(guestfs_h* handle, void* opaque, std::uint64_t event, int event_handle, int flags,
                       const char* text, std::size_t length, const std::uint64_t* numbers, std::size_t count);
  /// Throws what the library says when `result` is its mark of failure.
  void check(int result, std::string_view what) const;
  [[nodiscard]] std::string last_error() const;

  const GuestLibrary& library_;
  ApplianceSettings settings_;
  guestfs_h* handle_;
  /// The last lines of the guest's console, or of libguestfs itself.
  struct Output {
    std::string partial;
    std::deque<std::string> last;
  };
  Output console_;
  Output own_;
};

}  // namespace hearth::builder
