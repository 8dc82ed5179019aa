// Work on a thread of its own that takes turns with the thread that made it: while one of them goes on, the other
// waits, so that both may use the same things as if there were one thread. Only what the work does beside() runs while
// the other goes on; it must be its alone.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace hearth::metadata::live {

class SideThread {
 public:
  /// `work` begins with the first go_on(). `wake` is called on any thread when go_on(), or rests(), is worth a call; it
  /// calls neither itself.
  SideThread(std::function<void()> work, std::function<void()> wake);
  SideThread(const SideThread&) = delete;
  SideThread& operator=(const SideThread&) = delete;
  /// What is beside ends at its next breath, and all its work with it.
  ~SideThread();

  /// Lets the work go on until it has ended or does something beside; true when it has ended. Throws what it threw.
  /// Nothing happens while it is beside, or has the turn.
  bool go_on();

  /// Has what is beside rest at its next breath; true when all of it rests, so that it holds nothing that a copy of the
  /// process would find held for ever.
  [[nodiscard]] bool rests();
  /// Until rests() is called again it goes on.
  void let_go();

  /// Whether the caller is the work of one, and has the turn.
  [[nodiscard]] static bool is_here();
  [[nodiscard]] static bool is_beside();
  /// Does it; of a side thread others go on meanwhile.
  static void beside(const std::function<void()>& work);
  /// To be called now and then by what is beside: throws when it has to end.
  static void breathe();

 private:
  enum class Turn { maker, own };
  void run(const std::function<void()>& work);
  void give_back();
  void do_beside(const std::function<void()>& work);
  void end_if_wanted();
  void breathe_beside();

  std::function<void()> wake_;
  std::mutex guard_;
  std::condition_variable turned_;
  Turn turn_ = Turn::maker;
  bool waits_ = true;  ///< for its turn
  bool ended_ = false;
  bool is_beside_ = false;  ///< of its own thread's
  bool has_to_rest_ = false;
  bool is_resting_ = false;
  bool has_to_end_ = false;
  std::exception_ptr thrown_;
  std::thread thread_;  // the last: it uses all the others
};

}  // namespace hearth::metadata::live
