#include "bootstrap/store/standby.hpp"

#include <csignal>
#include <set>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/sys/datagram.hpp"
#include "base/sys/process.hpp"
#include "base/sys/seal.hpp"
#include "base/text.hpp"
#include "bootstrap/node/node.hpp"
#include "bootstrap/store/site_files.hpp"
#include "bootstrap/store/store.hpp"

namespace hearth::bootstrap {

namespace {

constexpr auto k_files_each = std::chrono::seconds(10);  ///< their sizes are looked at
constexpr auto k_way_each = std::chrono::seconds(10);    ///< whether it could connect anew, as one who follows does

}  // namespace

Standby::Standby(std::string url, fs::path directory, Logger& log)
    : url_(std::move(url)), name_(sql::without_password(url_)), directory_(std::move(directory)), log_(log) {
  check_is_its_home(directory_, url_);
  check_has_no_state(directory_);
  check_did_not_go_back(directory_);
}

Claim Standby::wait() {
  silence_ = {};
  (void)std::signal(SIGHUP, SIG_IGN);  // a reload: there is nothing yet to be looked at anew
  for (;; std::this_thread::sleep_for(k_looks_each)) {
    try {
      const MonotonicTime asked = time_since_boot();
      look();
      const MonotonicTime now = time_since_boot();
      check_way(now);
      if (!holder_) return {.gives_way = true};
      if (driver_ != holder_->driver) silence_.missed();
      driver_ = holder_->driver;
      silence_.saw(holder_->beat, asked, now);
    } catch (const sql::StoreError& error) {
      silence_.missed();
      tell(cat("waits for the database: ", error.what()));
      continue;
    }
    // One that was killed, or has ended, leaves its row; where it lives, it has the lock.
    if ((holder_->name.empty() && !was_refused_) || !holder_->gives_way) return {.gives_way = true};
    if (holder_->name.empty()) holder_->name = driver_;  // it has the lock, and has not come to say that it serves
    check_files(time_since_boot());
    const bool is_again = refused_at_ == holder_->beat;
    if (!is_again) tell_of(*holder_);
    if (!silence_.is_over()) continue;
    if (!is_again) tell(cat(holder_->name, " was silent for ", k_term.count(), " s: takes ", name_));
    for (const char* part : {k_home_schema, ""}) {
      for (const std::string& name : std::set<std::string>{holder_->name, driver_}) sql::end_driver(url_, part, name);
    }
    was_refused_ = false;
    return {.gives_way = true, .after = holder_->beat};
  }
}

void Standby::was_refused(const sql::StoreError& error) {
  if (holder_ && !holder_->name.empty() && !holder_->gives_way)
    throw Error(ErrorKind::external, cat(error.what(), ", without --standby"))
        .hint(
            "It would go on answering machines where it is cut off from the database, so nobody may follow it. Start "
            "that one again with --standby, then this one.");
  was_refused_ = true;
  if (holder_) refused_at_ = holder_->beat;
  tell(cat("waits: ", lines_as_one(error.story())));
}

void Standby::look() {
  if (!database_) database_.emplace(url_, k_home_schema, sql::Use::look);
  const std::int64_t version = home_version(*database_);
  check_home_version(name_, version);
  const std::int64_t seen = holder_ ? holder_->beat : 0;
  holder_.reset();
  if (version < k_version_with_terms) return;
  sql::Statement row = database_->prepare(
      "SELECT beat, holder, since, gives_way, files, coalesce((SELECT value FROM settings WHERE name = 'sealed'), ''), "
      "coalesce((SELECT holder FROM hearth_epoch), ''), set_config('application_name', ?1, false) FROM serving");
  row.bind(1, cat(k_standby_prefix, sql::driver_name()).substr(0, 63));  // PostgreSQL takes no more
  if (!row.step()) return;
  holder_ = {row.number(0), one_line(row.text(1)), row.number(2), row.number(3) != 0, row.text(4), row.text(6)};
  if (holder_->beat < seen) {
    const std::string why = cat(name_, " went back to before what was seen of it: it lacks at least ",
                                seen - holder_->beat, " transaction(s)");
    keep_went_back(directory_, why);
    check_did_not_go_back(directory_);
  }
  if (key_ != row.text(5)) check_key(row.text(5));
  key_ = row.text(5);
}

/// Nothing of it is made or read here that is not this site's.
void Standby::check_key(const std::string& key) const {
  const fs::path file = directory_ / k_seal_key;
  const bool is_there = fs::exists(file);
  if (key.empty() || (is_there && Seal::read(file).has(key))) return;
  throw Error(ErrorKind::input, cat(name_, " is sealed with the key ", key, ", which ", file.string(),
                                    is_there ? " does not have" : " would have: it is not there"))
      .hint(
          "Is it this site's? Then copy seal-key from the seed that serves, with the other files that hearth help "
          "second-seed names. Else name another database.");
}

void Standby::check_files(MonotonicTime now) {
  const bool is_first = files_checked_ == MonotonicTime{};
  if (!is_first && now - files_checked_ < k_files_each) return;
  if (holder_->files == "{}") return;  // it is starting
  files_checked_ = now;
  const FileDifferences differing = differing_files(
      parse_json(holder_->files, "what the serving seed tells").value_or_throw(), site_files(directory_));
  const std::string keys = join(differing.keys, ", ");
  if (is_first && !keys.empty())
    throw Error(ErrorKind::input, cat("not as ", holder_->name, " has them, in ", directory_.string(), ": ", keys))
        .hint(
            "A seed that follows another one has its keys and tokens, or machines and people would be refused. Copy "
            "them from there (hearth help second-seed).");
  std::string fault =
      differing.images.empty() ? "" : cat("machines would ask in vain for ", join(differing.images, ", "));
  if (!keys.empty()) fault = cat("machines or people would be refused for ", keys, fault.empty() ? "" : "; ", fault);
  if (fault == std::exchange(files_fault_, fault)) return;
  if (fault.empty()) return log_.info("standby: has all files that the serving seed has");
  log_.warning(cat("standby: not as ", holder_->name, " has them: if this one followed now, ", fault));
}

/// Its own connection stays where new ones are refused: a password that was changed, a certificate that is over, rules
/// of the server's. That is to be known before it is needed.
void Standby::check_way(MonotonicTime now) {
  if (now - way_checked_ < k_way_each) return;
  const std::optional<std::string> found = database_->another();
  if (!found) return;
  way_checked_ = now;
  if (*found == way_fault_) return;
  way_fault_ = *found;
  if (way_fault_.empty()) return log_.info("standby: new connections to the database are made again: could follow");
  log_.warning(cat("standby: could not follow, for a new connection is refused: ", lines_as_one(way_fault_)));
}

void Standby::tell(const std::string& status) {
  if (status == told_) return;
  told_ = status;
  log_.info(cat("standby: ", status));
  notify_service_manager(current_environment(), cat("READY=1\nSTATUS=standby: ", status));
}

/// It was compared, and is this site's: from here on people who ask in its directory are told where its state is.
void Standby::tell_of(const Holder& holder) {
  if (!std::exchange(has_waited_, true)) keep_home_name(directory_, name_);
  tell(cat("waits: ", holder.name, " serves ", name_, " since ",
           stamp_json(holder.since * 1'000'000).get<std::string>(), "; this one follows when it is silent for ",
           k_term.count(), " s"));
}

}  // namespace hearth::bootstrap
