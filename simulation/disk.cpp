#include "simulation/disk.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.hpp"

namespace hearth::simulation {

namespace {

constexpr std::size_t k_sector = 512;

void put(std::string& file, std::uint64_t at, std::string_view bytes) {
  if (file.size() < at) file.resize(at);
  file.replace(at, std::min(bytes.size(), file.size() - at), bytes);  // what is beyond its end is appended
}

}  // namespace

/// SQLite's side of it: https://sqlite.org/vfs.html. One process, so that locks are always had.
struct DiskCalls {
  struct Handle {
    sqlite3_file base;
    SimulatedDisk* disk;
    std::shared_ptr<SimulatedDisk::File>* file;
    int flags;
    std::string* name;
  };
  static Handle& of(sqlite3_file* file) { return *reinterpret_cast<Handle*>(file); }
  static SimulatedDisk::File& file_of(sqlite3_file* file) { return **of(file).file; }
  static SimulatedDisk& disk_of(sqlite3_vfs* vfs) { return *static_cast<SimulatedDisk*>(vfs->pAppData); }

  static int close(sqlite3_file* file) {
    Handle& handle = of(file);
    if ((handle.flags & SQLITE_OPEN_DELETEONCLOSE) != 0) handle.disk->files_.erase(*handle.name);
    delete handle.file;
    delete handle.name;
    return SQLITE_OK;
  }
  static int read(sqlite3_file* file, void* out, int count, sqlite3_int64 at) {
    const std::string& data = file_of(file).live;
    const auto wanted = static_cast<std::size_t>(count);
    const auto from = static_cast<std::size_t>(at);
    const std::size_t got = from < data.size() ? std::min(wanted, data.size() - from) : 0;
    if (got > 0) std::memcpy(out, data.data() + from, got);
    if (got == wanted) return SQLITE_OK;
    std::memset(static_cast<char*>(out) + got, 0, wanted - got);
    return SQLITE_IOERR_SHORT_READ;
  }
  static int write(sqlite3_file* file, const void* bytes, int count, sqlite3_int64 at) {
    SimulatedDisk& disk = *of(file).disk;
    SimulatedDisk::File& written = file_of(file);
    const std::string_view data(static_cast<const char*>(bytes), static_cast<std::size_t>(count));
    const auto end = static_cast<std::uint64_t>(at) + data.size();
    if (disk.is_full_ && end > written.live.size()) return SQLITE_FULL;
    disk.write(written, static_cast<std::uint64_t>(at), data);
    return SQLITE_OK;
  }
  static int truncate(sqlite3_file* file, sqlite3_int64 size) {
    SimulatedDisk::File& cut = file_of(file);
    cut.live.resize(static_cast<std::size_t>(size));
    cut.pending.push_back({static_cast<std::uint64_t>(size), "", true});
    of(file).disk->operated();
    return SQLITE_OK;
  }
  static int sync(sqlite3_file* file, int /*flags*/) {
    of(file).disk->sync(file_of(file));
    return SQLITE_OK;
  }
  static int size(sqlite3_file* file, sqlite3_int64* size) {
    *size = static_cast<sqlite3_int64>(file_of(file).live.size());
    return SQLITE_OK;
  }
  static int lock(sqlite3_file* /*file*/, int /*kind*/) { return SQLITE_OK; }
  static int check_lock(sqlite3_file* /*file*/, int* is_held) {
    *is_held = 0;
    return SQLITE_OK;
  }
  static int control(sqlite3_file* /*file*/, int /*what*/, void* /*value*/) { return SQLITE_NOTFOUND; }
  static int sector(sqlite3_file* /*file*/) { return static_cast<int>(k_sector); }
  static int device(sqlite3_file* /*file*/) { return 0; }
  static int map_shared(sqlite3_file* file, int region, int size, int extend, void volatile** out) {
    auto& shared = file_of(file).shared;
    const auto index = static_cast<std::size_t>(region);
    *out = nullptr;
    if (index >= shared.size() && extend == 0) return SQLITE_OK;
    while (index >= shared.size())
      shared.push_back(std::make_unique<std::string>(static_cast<std::size_t>(size), '\0'));
    *out = shared[index]->data();
    return SQLITE_OK;
  }
  static int lock_shared(sqlite3_file* /*file*/, int /*first*/, int /*count*/, int /*flags*/) { return SQLITE_OK; }
  static void barrier(sqlite3_file* /*file*/) {}
  static int unmap_shared(sqlite3_file* file, int remove) {
    if (remove != 0) file_of(file).shared.clear();
    return SQLITE_OK;
  }

  static int open(sqlite3_vfs* vfs, const char* name, sqlite3_file* out, int flags, int* flags_out);
  static int remove(sqlite3_vfs* vfs, const char* name, int /*sync*/) {
    disk_of(vfs).files_.erase(name);
    disk_of(vfs).operated();
    return SQLITE_OK;
  }
  static int access(sqlite3_vfs* vfs, const char* name, int /*flags*/, int* answer) {
    const auto& files = disk_of(vfs).files_;
    const auto found = files.find(name);
    *answer = found != files.end() && !found->second->live.empty() ? 1 : 0;
    return SQLITE_OK;
  }
  static int full_name(sqlite3_vfs* /*vfs*/, const char* name, int size, char* out) {
    ::sqlite3_snprintf(size, out, "%s", name);
    return SQLITE_OK;
  }
  static int randomness(sqlite3_vfs* vfs, int count, char* out) {
    for (int at = 0; at < count; ++at) out[at] = static_cast<char>(disk_of(vfs).random_.next());
    return count;
  }
  static int sleep(sqlite3_vfs* /*vfs*/, int microseconds) { return microseconds; }
  static int time(sqlite3_vfs* vfs, sqlite3_int64* milliseconds) {
    const auto now = disk_of(vfs).scheduler_.clock().wall().time_since_epoch();
    constexpr sqlite3_int64 k_julian_epoch = 210'866'760'000'000;  // of 1970-01-01
    *milliseconds = k_julian_epoch + std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
    return SQLITE_OK;
  }
  static int last_error(sqlite3_vfs* /*vfs*/, int /*size*/, char* /*out*/) { return 0; }
};

namespace {

const sqlite3_io_methods k_methods = {.iVersion = 2,
                                      .xClose = DiskCalls::close,
                                      .xRead = DiskCalls::read,
                                      .xWrite = DiskCalls::write,
                                      .xTruncate = DiskCalls::truncate,
                                      .xSync = DiskCalls::sync,
                                      .xFileSize = DiskCalls::size,
                                      .xLock = DiskCalls::lock,
                                      .xUnlock = DiskCalls::lock,
                                      .xCheckReservedLock = DiskCalls::check_lock,
                                      .xFileControl = DiskCalls::control,
                                      .xSectorSize = DiskCalls::sector,
                                      .xDeviceCharacteristics = DiskCalls::device,
                                      .xShmMap = DiskCalls::map_shared,
                                      .xShmLock = DiskCalls::lock_shared,
                                      .xShmBarrier = DiskCalls::barrier,
                                      .xShmUnmap = DiskCalls::unmap_shared,
                                      .xFetch = nullptr,
                                      .xUnfetch = nullptr};

}  // namespace

int DiskCalls::open(sqlite3_vfs* vfs, const char* name, sqlite3_file* out, int flags, int* flags_out) {
  SimulatedDisk& disk = disk_of(vfs);
  const std::string own = name == nullptr ? "temporary" : name;
  auto& file = disk.files_[own];
  if (!file) file = std::make_shared<SimulatedDisk::File>();
  Handle& handle = of(out);
  handle = {{&k_methods}, &disk, new std::shared_ptr<SimulatedDisk::File>(file), flags, new std::string(own)};
  if (flags_out != nullptr) *flags_out = flags;
  return SQLITE_OK;
}

SimulatedDisk::SimulatedDisk(Scheduler& scheduler, Random random)
    : scheduler_(scheduler), random_(random), vfs_(std::make_unique<sqlite3_vfs>()) {
  *vfs_ = {.iVersion = 2,
           .szOsFile = sizeof(DiskCalls::Handle),
           .mxPathname = 512,
           .pNext = nullptr,
           .zName = "simulated",
           .pAppData = this,
           .xOpen = DiskCalls::open,
           .xDelete = DiskCalls::remove,
           .xAccess = DiskCalls::access,
           .xFullPathname = DiskCalls::full_name,
           .xDlOpen = nullptr,
           .xDlError = nullptr,
           .xDlSym = nullptr,
           .xDlClose = nullptr,
           .xRandomness = DiskCalls::randomness,
           .xSleep = DiskCalls::sleep,
           .xCurrentTime = nullptr,
           .xGetLastError = DiskCalls::last_error,
           .xCurrentTimeInt64 = DiskCalls::time,
           .xSetSystemCall = nullptr,
           .xGetSystemCall = nullptr,
           .xNextSystemCall = nullptr};
  if (::sqlite3_vfs_register(vfs_.get(), 1) != SQLITE_OK)
    throw Error(ErrorKind::unsupported, "SQLite takes no disk of ours");
}

SimulatedDisk::~SimulatedDisk() { ::sqlite3_vfs_unregister(vfs_.get()); }

void SimulatedDisk::write(File& file, std::uint64_t at, std::string_view bytes) {
  put(file.live, at, bytes);
  file.pending.push_back({at, std::string(bytes), false});
  operated();
}

void SimulatedDisk::sync(File& file) {
  for (const Operation& one : file.pending) {
    if (one.is_size) {
      file.durable.resize(one.at);
    } else {
      put(file.durable, one.at, one.bytes);
    }
  }
  file.pending.clear();
  operated();
}

void SimulatedDisk::operated() {
  if (!is_armed_ || is_cut_) return;
  if (left_operations_ > 0) {
    --left_operations_;
    return;
  }
  left_ = as_after(cut_);
  is_cut_ = true;
}

void SimulatedDisk::cut_after(std::uint64_t operations, Cut cut) {
  is_armed_ = true;
  left_operations_ = operations;
  cut_ = cut;
}

SimulatedDisk::Files SimulatedDisk::as_after(Cut cut) {
  Files left;
  for (const auto& [name, file] : files_) {
    auto copy = std::make_shared<File>();
    copy->live = cut == Cut::process ? file->live : file->durable;
    if (cut == Cut::power) {
      for (const Operation& one : file->pending) {
        const std::uint64_t fate = random_.below(3);
        if (fate == 0) continue;
        if (one.is_size) {
          copy->live.resize(one.at);
          continue;
        }
        for (std::size_t at = 0; at < one.bytes.size(); at += k_sector) {
          if (fate == 1 || random_.one_in(2))
            put(copy->live, one.at + at, std::string_view(one.bytes).substr(at, k_sector));
        }
      }
    }
    copy->durable = copy->live;
    left[name] = std::move(copy);
  }
  return left;
}

void SimulatedDisk::freeze() {
  left_operations_ = 0;
  operated();
}

void SimulatedDisk::come_back() {
  files_ = std::exchange(left_, {});
  is_cut_ = is_armed_ = false;
}

bool SimulatedDisk::append(const std::string& name, const std::string& text) {
  if (is_full_) return false;
  auto& file = files_[name];
  if (!file) file = std::make_shared<File>();
  write(*file, file->live.size(), text);
  sync(*file);
  return true;
}

bool SimulatedDisk::replace(const std::string& name, const std::string& text) {
  if (is_full_) return false;
  auto file = std::make_shared<File>();
  file->live = file->durable = text;
  operated();
  files_[name] = std::move(file);
  operated();
  return true;
}

std::string SimulatedDisk::contents(const std::string& name) const {
  const auto found = files_.find(name);
  return found == files_.end() ? "" : found->second->live;
}

}  // namespace hearth::simulation
