// A cache of layers that a fleet shares, by the plain HTTP cache protocol: GET, HEAD and PUT of URL/ac/KEY (records,
// see action_result.hpp) and URL/cas/SHA256 (archives). Records count when they are signed by a key of the site's,
// where there are any; archives are checked against the digest that their record says. The cache may be slow, wrong or
// away: the first exchange that fails ends its use for this build, and no failure is the build's.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "base/net/http.hpp"
#include "builder/blobs/blob_store.hpp"
#include "builder/store/record_signature.hpp"

namespace hearth::builder {

struct RemoteCacheSetup {
  Url url;
  bool read_only = false;  ///< nothing is uploaded
  RecordKeys keys;
  std::unique_ptr<HttpClient> downloads;
  std::unique_ptr<HttpClient> uploads;  ///< used by a thread of its own
  const Clock& clock;
  std::function<void(const std::string&)> note;  ///< called by the thread that calls here, never by another
  Duration moment = std::chrono::seconds(1);     ///< that passes until it is told for what the build waits
};

class RemoteCache {
 public:
  explicit RemoteCache(RemoteCacheSetup setup) : setup_(std::move(setup)) {}
  RemoteCache(const RemoteCache&) = delete;
  RemoteCache& operator=(const RemoteCache&) = delete;
  ~RemoteCache();

  /// Records under a lookup key that may be used; none where there are none, or nobody answers.
  [[nodiscard]] std::vector<LayerRecord> find(const std::string& key);

  /// Downloads a record's archive into the store. False when it can't be had, or its bytes are not those of its name:
  /// find() gives no record any more that names it.
  [[nodiscard]] bool fetch(const LayerRecord& record, const BlobStore& store);

  /// Uploads a layer of the store in the background. Safe to call from any thread.
  void upload(const std::string& key, const LayerRecord& record, const BlobStore& store);

  /// Likewise of a layer that was there before this build, unless the cache has its record: it was made while nobody
  /// answered, or the cache has dropped it.
  void offer(const std::string& key, const LayerRecord& record, const BlobStore& store);

  /// Waits for the uploads, all of them as long as their size allows, and tells what did not work.
  void finish();

  /// What it came to, for the build's last words; empty where nothing went either way and nothing failed.
  [[nodiscard]] std::string summary();

  [[nodiscard]] std::uint64_t fetched_bytes() const { return fetched_; }
  [[nodiscard]] std::uint64_t uploaded_bytes() const { return uploaded_; }

 private:
  /// It answers, and lets nobody put anything there.
  class Refused : public Error {
   public:
    using Error::Error;
  };
  struct Job {
    std::string key;
    LayerRecord record;
    BlobStore store;
    bool only_if_unknown = false;
  };
  [[nodiscard]] HttpRequest request(const char* method, const std::string& kind, const std::string& name,
                                    std::uint64_t bytes);
  [[nodiscard]] Deadline patience_for(std::uint64_t bytes) const;
  [[nodiscard]] bool is_off();
  void turn_off(const std::string& why);
  void stop_uploads(const std::string& why);
  void tell();
  void work();
  void put(const Job& job);
  void put_record(const Job& job);
  void add_job(Job job);
  void leave();                              ///< nobody waits any longer; mutex_ is held
  [[nodiscard]] bool knows(const Job& job);  ///< the server, its record
  /// Records that may be used, as the server has them now.
  [[nodiscard]] std::vector<SignedRecord> usable_records(const std::string& key);
  [[nodiscard]] std::vector<LayerRecord> trusted_records(const std::string& key, const std::string& body);
  void send_upload(const HttpRequest& request);
  /// The answer; whoever waits for it longer than a moment is told so.
  [[nodiscard]] HttpResponse answer_to(const HttpRequest& request, const std::string& what);

  RemoteCacheSetup setup_;
  std::set<std::string> bad_;  ///< archives that could not be had
  bool told_of_signatures_ = false;
  std::uint64_t fetched_ = 0;
  std::uint64_t uploaded_ = 0;
  std::mutex mutex_;  ///< over what follows
  std::condition_variable wake_;
  std::deque<Job> jobs_;
  bool ends_ = false;
  Deadline until_ = Deadline::never();  ///< the build's end waits
  bool off_ = false;
  bool takes_none_ = false;  ///< it is read from, and refuses what is put there
  std::string fault_;        ///< not told yet
  std::string why_;          ///< the same, of a cache that did not do its work
  std::thread worker_;
};

}  // namespace hearth::builder
