// What a step does that no file of ours tells, whatever program does it: the kernel tells of each connect(), sendto()
// and sendmsg(), of each opening of a file to be read, of each program that is run, and of each question whether a path
// is there (stat, access …), before it happens (seccomp's user notification), and lets it go on. What came over the
// network without anybody noting it can't be asked for again, so such a step is not kept; the machine's files that it
// read or asked for are inputs, however it found their paths.
//
// A step's thread gives itself a seccomp filter that hands these calls to a descriptor; a thread of ours reads the
// arguments from the program's memory, notes them and lets the kernel go on. It watches, and forbids nothing: between
// our look and the kernel's the program may have changed its memory, so what is told here is no fence. The sandbox is
// the fence.
//
// What must hold: what is looked at is looked at before the call happens, for afterwards the file may be another. The
// thread that answers is not watched itself, or it would wait for itself. Where the kernel can't do it, take() says so
// and the step counts as one that nobody saw; nothing is kept then.
//
// Why not ptrace: it stops a program at every call. Why not fanotify: it tells nothing of files that are not there. Why
// not a library that is preloaded: static programs never load it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/path.hpp"
#include "base/sys/fd.hpp"

struct seccomp_notif;  // linux/seccomp.h

namespace hearth::builder {

struct FileRequest;

class StepWatch {
 public:
  enum class Network { watched, not_watched };
  /// A directory, and where what hooks write to it lies: that is theirs, and no input.
  using Copy = std::pair<fs::path, fs::path>;
  /// What asking for a path tells now; nothing when hooks can't tell either.
  using Look = std::function<std::optional<std::string>(const fs::path&)>;

  /// What a file's writing and a directory's new name change.
  using Stamp = std::function<std::string(const fs::path&)>;

  /// To be made as process 1 of the sandbox, by a thread that is not watched. `inputs`: directories of which all is
  /// told, wherever they lie.
  explicit StepWatch(Network network, const std::vector<Copy>& copies = {}, Look look = {}, Stamp stamp = {},
                     std::vector<fs::path> inputs = {});
  StepWatch(const StepWatch&) = delete;
  StepWatch& operator=(const StepWatch&) = delete;
  ~StepWatch();

  /// Whether what is opened, run and asked for is to be told, too, of programs that are started from now on. It costs
  /// some microseconds for each call.
  void watch_reads(bool wanted) { watches_reads_ = wanted; }
  /// It does, and can.
  [[nodiscard]] bool tells_reads();
  /// Watches this thread and all that it starts from now on.
  void watch_this_thread();

  /// Who reached what since the last call: "curl reached 192.0.2.1:80". Not told: this process, DNS, apt's own methods
  /// (what apt takes its lists say), and programs with HEARTH_NOTED=1 in their environment, whose answers are noted.
  /// Where nothing can be watched, that.
  [[nodiscard]] std::vector<std::string> take();
  /// Files and directories of the machine that were opened to be read since the last call, as paths without "..", but
  /// for the operating system's own (/usr, /etc …), and the stamp of each before it was opened first; none of a
  /// directory that hooks write to. Not told: what is not there, what programs opened that have another root, and one
  /// of the copied directories itself where nobody listed it (`tar -C /tmp`): its names change all the time.
  [[nodiscard]] std::map<std::string, std::string> take_reads();
  /// Of the paths, likewise, that were only asked for, or were not there, what the first one who asked was told. Not
  /// told: what is asked for by a directory that was opened before.
  [[nodiscard]] std::map<std::string, std::string> take_looks();
  /// Likewise directories and files of the machine that were shown somewhere else (bind mounts, overlays, chroot):
  /// what is read there does not tell where it comes from.
  [[nodiscard]] std::set<std::string> take_shown_elsewhere();

 private:
  /// Which of some directories were listed, by whomever and however they had opened them (inotify tells of it).
  class Listings {
   public:
    explicit Listings(const std::vector<Copy>& copies);
    /// Since the last call, and those that nobody can watch.
    [[nodiscard]] std::set<std::string> take();

   private:
    Fd events_;
    std::map<int, std::string> watched_;
    std::set<std::string> all_;
  };

  struct KnownCopy {
    fs::path directory;
    fs::path written;
    std::set<std::string> machines;  ///< names in it before any hook ran
  };

  void serve();
  void answer(const Fd& listener);
  void look_at(const seccomp_notif& call);
  [[nodiscard]] std::string proc_of(const seccomp_notif& call) const;
  void look_at_path(const seccomp_notif& call);
  void look_at_request(const seccomp_notif& call, FileRequest request);
  [[nodiscard]] bool is_input(const std::string& path) const;
  [[nodiscard]] bool is_told(const std::string& path) const;
  [[nodiscard]] bool is_machines_in_copy(const fs::path& path) const;
  [[nodiscard]] std::string input_behind(const fs::path& path);
  void note_renamed(const fs::path& path);
  [[nodiscard]] static std::vector<KnownCopy> looked_at(const std::vector<Copy>& copies);
  [[nodiscard]] bool serves_files();
  [[nodiscard]] bool counts(const fs::path& path) const;
  void note_content(const fs::path& path);
  void note_look(const fs::path& path);
  void note_shown_elsewhere(const fs::path& path);
  [[nodiscard]] bool is_known_look(const fs::path& path);
  [[nodiscard]] bool is_hooks_own(const fs::path& path) const;

  Network network_;
  std::vector<KnownCopy> copies_;
  Listings listings_;
  Look look_;
  Stamp stamp_;
  std::vector<fs::path> inputs_;
  bool has_own_proc_;
  Fd mounts_;  ///< tells when they change
  std::set<std::string> served_before_;
  bool serves_files_ = false;
  bool watches_reads_ = false;
  Pipe news_;  ///< a listener more; its end stops the thread
  std::mutex mutex_;
  std::vector<Fd> new_listeners_;
  std::string why_not_;
  std::set<std::string> found_;
  std::map<std::string, std::string> reads_;
  std::map<std::string, std::string> looks_;
  std::map<std::string, std::string> behind_;  ///< paths of the system, and the inputs that they lead to
  std::set<std::string> shown_;
  std::thread thread_;
};

/// "192.0.2.1:80" of a socket address as bytes; nothing for other families, DNS, and ports that reach nobody.
[[nodiscard]] std::string network_address(std::string_view address);

}  // namespace hearth::builder
