#include "builder/guestfs/appliance.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <exception>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/sys/fd.hpp"
#include "base/text.hpp"
#include "builder/guestfs/guest_library.hpp"

namespace hearth::builder {

namespace {

constexpr std::size_t k_kept_lines = 20;
constexpr int k_most_processors = 4;

/// Does `work` in a thread of its own while it lives; join() passes on what it threw. A broken pipe is an error there,
/// not a signal.
class SideThread {
 public:
  explicit SideThread(std::function<void()> work)
      : thread_([this, work = std::move(work)] {
          sigset_t pipe;
          sigemptyset(&pipe);
          sigaddset(&pipe, SIGPIPE);
          ::pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
          try {
            work();
          } catch (...) {
            failure_ = std::current_exception();
          }
        }) {}
  SideThread(const SideThread&) = delete;
  SideThread& operator=(const SideThread&) = delete;
  ~SideThread() {
    if (thread_.joinable()) thread_.join();
  }
  void join() {
    thread_.join();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::exception_ptr failure_;
  std::thread thread_;
};

/// Reads to the end: the padding behind an archive, or all of one that was given up. Whoever writes must not be killed
/// by a pipe without a reader.
void drain(const Fd& fd) {
  std::array<char, 4096> buffer{};
  while (::read(fd.get(), buffer.data(), buffer.size()) > 0) {
  }
}

std::string fd_path(const Fd& fd) { return cat("/dev/fd/", fd.get()); }

}  // namespace

Appliance::Appliance(const GuestLibrary& library, ApplianceSettings settings)
    : library_(library),
      settings_(std::move(settings)),
      handle_(library.create_flags(GUESTFS_CREATE_NO_ENVIRONMENT | GUESTFS_CREATE_NO_CLOSE_ON_EXIT)) {
  if (handle_ == nullptr) throw Error::from_errno("preparing", "libguestfs");
}

Appliance::~Appliance() { library_.close(handle_); }

std::unique_ptr<Appliance> Appliance::start(const ApplianceSettings& settings, const std::vector<GuestDrive>& drives) {
  std::unique_ptr<Appliance> made(new Appliance(GuestLibrary::get(), settings));
  made->configure(drives);
  made->launch();
  return made;
}

void Appliance::configure(const std::vector<GuestDrive>& drives) {
  library_.set_error_handler(handle_, nullptr, nullptr);
  (void)library_.set_event_callback(handle_, &Appliance::on_event,
                                    GUESTFS_EVENT_APPLIANCE | GUESTFS_EVENT_LIBRARY | GUESTFS_EVENT_WARNING, 0, this);
  check(library_.set_verbose(handle_, 1), "setting up");  // without it the console stays dark
  check(library_.set_backend(handle_, "direct"), "choosing the backend");
  std::string force_tcg = "force_tcg";
  std::array<char*, 2> settings = {settings_.kvm ? nullptr : force_tcg.data(), nullptr};
  check(library_.set_backend_settings(handle_, settings.data()), "choosing the accelerator");
  check(library_.set_cachedir(handle_, settings_.cache.c_str()), "choosing its cache");
  check(library_.set_tmpdir(handle_, settings_.scratch.c_str()), "choosing its directory");
  const int processors = static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
  check(library_.set_smp(handle_, std::max(1, std::min(processors, k_most_processors))), "choosing its processors");
  if (!settings_.hypervisor.empty()) check(library_.set_hv(handle_, settings_.hypervisor.c_str()), "choosing QEMU");
  if (!settings_.search_path.empty())
    check(library_.set_path(handle_, settings_.search_path.c_str()), "choosing a path");
  if (settings_.network) check(library_.set_network(handle_, 1), "giving it the network");
  for (const GuestDrive& drive : drives) {
    struct guestfs_add_drive_opts_argv options {};
    options.bitmask = GUESTFS_ADD_DRIVE_OPTS_READONLY_BITMASK | GUESTFS_ADD_DRIVE_OPTS_FORMAT_BITMASK |
                      GUESTFS_ADD_DRIVE_OPTS_LABEL_BITMASK | GUESTFS_ADD_DRIVE_OPTS_CACHEMODE_BITMASK;
    options.readonly = drive.read_only ? 1 : 0;
    options.format = drive.format.c_str();
    options.label = drive.label.c_str();
    options.cachemode = "unsafe";  // the image is synced when it is written out
    if (drive.sector_size != 512) {
      options.bitmask |= GUESTFS_ADD_DRIVE_OPTS_BLOCKSIZE_BITMASK;
      options.blocksize = static_cast<int>(drive.sector_size);
    }
    check(library_.add_drive_opts_argv(handle_, drive.file.c_str(), &options), cat("attaching ", drive.file.string()));
  }
}

void Appliance::launch() {
  if (library_.launch(handle_) == 0) return;
  std::string console;
  for (const std::string& line : console_.last.empty() ? own_.last : console_.last) console += cat("\n    ", line);
  throw Error(ErrorKind::external, cat("libguestfs' appliance did not come up: ", last_error(),
                                       console.empty() ? "" : "\n  its last lines:", console))
      .hint("Try it alone with: LIBGUESTFS_BACKEND=direct libguestfs-test-tool (package guestfs-tools).");
}

void Appliance::on_event(guestfs_h*, void* opaque, std::uint64_t event, int, int, const char* text, std::size_t length,
                         const std::uint64_t*, std::size_t) {
  static_cast<Appliance*>(opaque)->heard({text, length}, event == GUESTFS_EVENT_APPLIANCE);
}

void Appliance::heard(std::string_view text, bool console) {
  Output& output = console ? console_ : own_;
  for (const char c : text) {
    if (c != '\n' && c != '\r') {
      output.partial.push_back(c);
      continue;
    }
    if (output.partial.empty()) continue;
    if (settings_.on_line) settings_.on_line(output.partial);
    output.last.push_back(std::exchange(output.partial, ""));
    if (output.last.size() > k_kept_lines) output.last.pop_front();
  }
}

std::string Appliance::last_error() const {
  const char* const text = library_.last_error(handle_);
  return text != nullptr ? text : "for an unknown reason";
}

void Appliance::check(int result, std::string_view what) const {
  if (result >= 0) return;
  throw Error(ErrorKind::external, cat("libguestfs: ", what, ": ", last_error()));
}

std::string Appliance::run(const std::string& script) {
  std::string text = cat("exec 2>&1; set -e\n", script);
  std::array<char*, 2> words = {text.data(), nullptr};
  char* const output = library_.debug(handle_, "sh", words.data());
  if (output == nullptr) throw Error(ErrorKind::external, cat("in libguestfs' appliance: ", trim(last_error())));
  const std::unique_ptr<char, decltype(&::free)> owner(output, &::free);
  return output;
}

void Appliance::mount(const std::string& device, const std::string& at, const std::string& options) {
  check(library_.mount_options(handle_, options.c_str(), device.c_str(), at.c_str()), cat("mounting ", device));
}

void Appliance::unmount_all() { check(library_.umount_all(handle_), "unmounting"); }

void Appliance::unpack(const std::string& directory, const std::function<void(int fd)>& write) {
  Pipe pipe = Pipe::create();
  SideThread writer([&] {
    const Fd end = std::move(pipe.write);
    write(end.get());
  });
  struct guestfs_tar_in_opts_argv options {};
  options.bitmask = GUESTFS_TAR_IN_OPTS_XATTRS_BITMASK | GUESTFS_TAR_IN_OPTS_ACLS_BITMASK;
  options.xattrs = 1;
  options.acls = 1;
  const int result = library_.tar_in_opts_argv(handle_, fd_path(pipe.read).c_str(), directory.c_str(), &options);
  pipe.read = Fd();  // a writer that is still at it gets an error
  if (result < 0) check(result, cat("unpacking into ", directory));
  writer.join();
}

void Appliance::pack(const std::string& directory, const std::function<void(int fd)>& read) {
  Pipe pipe = Pipe::create();
  SideThread reader([&] {
    const Fd end = std::move(pipe.read);
    try {
      read(end.get());
    } catch (...) {
      drain(end);
      throw;
    }
    drain(end);
  });
  struct guestfs_tar_out_opts_argv options {};
  options.bitmask = GUESTFS_TAR_OUT_OPTS_NUMERICOWNER_BITMASK | GUESTFS_TAR_OUT_OPTS_XATTRS_BITMASK |
                    GUESTFS_TAR_OUT_OPTS_ACLS_BITMASK;
  options.numericowner = 1;
  options.xattrs = 1;
  options.acls = 1;
  const int result = library_.tar_out_opts_argv(handle_, directory.c_str(), fd_path(pipe.write).c_str(), &options);
  pipe.write = Fd();
  if (result < 0) check(result, cat("packing ", directory));
  reader.join();
}

std::string Appliance::read_device(const std::string& device, std::uint64_t offset, std::size_t bytes) {
  std::size_t got = 0;
  char* const piece =
      library_.pread_device(handle_, device.c_str(), static_cast<int>(bytes), static_cast<std::int64_t>(offset), &got);
  if (piece == nullptr) check(-1, cat("reading ", device));
  const std::unique_ptr<char, decltype(&::free)> owner(piece, &::free);
  return {piece, got};
}

void Appliance::write_device(const std::string& device, std::uint64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const int written =
        library_.pwrite_device(handle_, device.c_str(), bytes.data(), std::min(bytes.size(), k_most_device_bytes),
                               static_cast<std::int64_t>(offset));
    check(written > 0 ? 0 : -1, cat("writing to ", device));
    offset += static_cast<std::uint64_t>(written);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void Appliance::activate_group(const std::string& group, bool active) {
  std::string name = group;
  std::array<char*, 2> groups = {name.data(), nullptr};
  check(library_.vg_activate(handle_, active ? 1 : 0, groups.data()),
        cat(active ? "starting" : "taking down", " the volume group ", group));
}

void Appliance::close_encrypted(const std::string& volume) {
  check(library_.cryptsetup_close(handle_, cat("/dev/mapper/", volume).c_str()), cat("closing ", volume));
}

void Appliance::stop_array(const std::string& device) {
  check(library_.md_stop(handle_, device.c_str()), cat("stopping ", device));
}

void Appliance::sync() { check(library_.sync(handle_), "writing everything out"); }

void Appliance::close() { check(library_.shutdown(handle_), "shutting down"); }

}  // namespace hearth::builder
