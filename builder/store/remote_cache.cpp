#include "builder/store/remote_cache.hpp"

#include <algorithm>
#include <future>
#include <set>

#include "base/error.hpp"
#include "base/text.hpp"
#include "builder/store/action_result.hpp"

namespace hearth::builder {

namespace {

constexpr auto k_patience = std::chrono::seconds(5);          // for an answer that has no archive in it
constexpr std::uint64_t k_slowest = std::uint64_t{1} << 20U;  // bytes a second of a line that is worth waiting for
constexpr std::size_t k_most_records = 8;                     // under one key
constexpr std::size_t k_largest_record = std::size_t{16} << 20U;
constexpr std::uint64_t k_largest_layer = std::uint64_t{64} << 30U;
constexpr int k_not_found = 404;

/// Writes an answer's body to the store as it comes.
class Intake final : public BodySink {
 public:
  explicit Intake(BlobStore::Writer& writer) : writer_(writer) {}
  void begin(const HttpResponse& head) override { good_ = head.ok(); }
  void take(std::string_view bytes) override {
    if (good_) writer_.write(bytes);
    size_ += bytes.size();
  }
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  BlobStore::Writer& writer_;
  bool good_ = false;
  std::uint64_t size_ = 0;
};

/// Of a PUT: forbidden, no such method, nobody here knows it.
const std::set<int> k_refused_puts = {401, 403, 405, 501};

const char* advice_on(int status) {
  constexpr int k_unauthorized = 401;
  constexpr int k_forbidden = 403;
  if (status != k_unauthorized && status != k_forbidden) return "";
  return " (name and password stand in its URL: --remote-cache, or remote-cache in hearth.conf)";
}

void join_path(Url& url, const std::string& more) {
  while (!url.path.empty() && url.path.back() == '/') url.path.pop_back();
  url.path += more;
}

}  // namespace

RemoteCache::~RemoteCache() {
  {
    const std::lock_guard lock(mutex_);
    jobs_.clear();
    ends_ = true;
  }
  wake_.notify_all();
  if (worker_.joinable()) worker_.join();
}

Deadline RemoteCache::patience_for(std::uint64_t bytes) const {
  return Deadline::after(k_patience + std::chrono::seconds(bytes / k_slowest), setup_.clock);
}

HttpRequest RemoteCache::request(const char* method, const std::string& kind, const std::string& name,
                                 std::uint64_t bytes) {
  HttpRequest request{.method = method, .url = setup_.url};
  join_path(request.url, cat("/", kind, "/", name));
  const std::lock_guard lock(mutex_);
  request.deadline = Deadline::earlier(until_, patience_for(bytes));
  request.stall = k_patience;
  request.body_limit = bytes == 0 ? k_largest_record : bytes;
  request.max_redirects = 3;
  return request;
}

bool RemoteCache::is_off() {
  const std::lock_guard lock(mutex_);
  return off_;
}

void RemoteCache::turn_off(const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (off_) return;
  off_ = true;
  jobs_.clear();
  why_ = why;
  fault_ = cat("the remote cache ", setup_.url.masked(), " is not used any more: ", why);
}

/// As a server of plain files does: what it has is read all the same.
void RemoteCache::stop_uploads(const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (off_ || takes_none_) return;
  takes_none_ = true;
  jobs_.clear();
  why_ = cat(why, "; --remote-cache-read-only sends it none");
  fault_ = cat("the remote cache ", setup_.url.masked(), " takes no layers, and is only read from: ", why_);
}

void RemoteCache::tell() {
  std::string fault;
  {
    const std::lock_guard lock(mutex_);
    fault.swap(fault_);
  }
  if (!fault.empty()) setup_.note(fault);
}

HttpResponse RemoteCache::answer_to(const HttpRequest& request, const std::string& what) {
  std::future<HttpResponse> answer =  // here, where no thread is to be had: without a word then
      std::async(std::launch::async | std::launch::deferred, [&] { return setup_.downloads->send(request); });
  if (answer.wait_for(setup_.moment) == std::future_status::timeout)
    setup_.note(cat("waiting for ", what, " of the remote cache ", setup_.url.masked(), "; ", k_patience.count(),
                    " s of its silence end that"));
  return answer.get();
}

std::vector<LayerRecord> RemoteCache::find(const std::string& key) {
  if (is_off()) return {};
  std::vector<LayerRecord> records;
  try {
    const HttpResponse answer = answer_to(request("GET", "ac", key, 0), "an answer");
    if (answer.ok()) {
      records = trusted_records(key, answer.body);
    } else if (answer.status != k_not_found) {
      turn_off(cat("it answers ", answer.status, " ", answer.reason, advice_on(answer.status)));
    }
  } catch (const Error& error) {
    turn_off(error.what());
  }
  tell();
  std::erase_if(records, [this](const LayerRecord& record) {
    return !is_digest(record.blob) || record.bytes > k_largest_layer || bad_.count(record.blob) > 0;
  });
  return records;
}

std::vector<LayerRecord> RemoteCache::trusted_records(const std::string& key, const std::string& body) {
  std::vector<LayerRecord> records;
  std::size_t refused = 0;
  for (SignedRecord& given : decode_action(body)) {
    if (is_trusted(setup_.keys, key, given)) {
      records.push_back(std::move(given.record));
    } else {
      ++refused;
    }
  }
  if (refused > 0 && !told_of_signatures_) {
    told_of_signatures_ = true;
    setup_.note(cat("the remote cache ", setup_.url.masked(),
                    " has records that no key of this build has signed for their place; they are not used"));
  }
  return records;
}

bool RemoteCache::fetch(const LayerRecord& record, const BlobStore& store) {
  if (is_off()) return false;
  try {
    BlobStore::Writer writer = store.begin();
    Intake intake(writer);
    HttpRequest get = request("GET", "cas", record.blob, record.bytes);
    get.sink = &intake;
    const HttpResponse answer = answer_to(get, cat("a layer (", human_bytes(record.bytes), ")"));
    fetched_ += intake.size();
    if (answer.ok() && writer.commit_as(record.blob)) return true;
    setup_.note(answer.ok() ? cat("the remote cache gave other bytes than those of ", record.blob.substr(0, 12))
                            : cat("the remote cache has no ", record.blob.substr(0, 12), " (", answer.status, ")"));
  } catch (const Error& error) {
    turn_off(error.what());
    tell();
  }
  bad_.insert(record.blob);
  return false;
}

void RemoteCache::upload(const std::string& key, const LayerRecord& record, const BlobStore& store) {
  add_job({key, record, store});
}

void RemoteCache::offer(const std::string& key, const LayerRecord& record, const BlobStore& store) {
  add_job({key, record, store, true});
}

void RemoteCache::add_job(Job job) {
  if (setup_.read_only) return;
  const std::lock_guard lock(mutex_);
  if (off_ || takes_none_) return;
  jobs_.push_back(std::move(job));
  if (!worker_.joinable()) worker_ = std::thread([this] { work(); });
  wake_.notify_all();
}

void RemoteCache::work() {
  while (true) {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [this] { return ends_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    if (until_.passed(setup_.clock.now())) return leave();
    const Job job = jobs_.front();  // it counts until it is done
    lock.unlock();
    std::string fault;
    try {
      put(job);
    } catch (const Refused& refused) {
      stop_uploads(refused.what());
    } catch (const std::exception& error) {
      fault = error.what();
    }
    lock.lock();
    if (!fault.empty() && until_.passed(setup_.clock.now())) return leave();
    if (!jobs_.empty()) jobs_.pop_front();
    lock.unlock();
    if (!fault.empty()) turn_off(fault);
    wake_.notify_all();  // the build's end
  }
}

void RemoteCache::leave() {
  why_ = cat(jobs_.size(), " layers were not uploaded, since it takes long");
  fault_ = cat("the remote cache ", setup_.url.masked(), " takes long: ", jobs_.size(),
               " layers were not uploaded; a later build that takes them uploads them");
  jobs_.clear();
}

void RemoteCache::send_upload(const HttpRequest& request) {
  const HttpResponse answer = setup_.uploads->send(request);
  if (answer.ok()) return;
  const std::string fault = cat(request.method, " ", request.url.masked(), " is answered by ", answer.status, " ",
                                answer.reason, advice_on(answer.status));
  if (k_refused_puts.contains(answer.status)) throw Refused(ErrorKind::unsupported, fault);
  throw Error(ErrorKind::io, fault);
}

bool RemoteCache::knows(const Job& job) {
  const std::vector<SignedRecord> known = usable_records(job.key);
  const auto is_it = [&](const SignedRecord& given) { return given.record.id() == job.record.id(); };
  return std::any_of(known.begin(), known.end(), is_it);
}

/// The archive goes first: a record is only there when what it names is. Servers that drop what nobody asked for keep
/// the record longer than its archive: builds that have that already ask for the record alone.
void RemoteCache::put(const Job& job) {
  if (setup_.uploads->send(request("HEAD", "cas", job.record.blob, 0)).ok()) {
    if (job.only_if_unknown && knows(job)) return;
  } else {
    const std::optional<Blob> blob = job.store.open(job.record.blob);
    if (!blob) return;  // pruned meanwhile
    HttpRequest put = request("PUT", "cas", job.record.blob, job.record.bytes);
    put.body = blob->bytes();
    put.stall = {};  // the answer comes when all is there
    send_upload(put);
    uploaded_ += put.body.size();
  }
  put_record(job);
}

std::vector<SignedRecord> RemoteCache::usable_records(const std::string& key) {
  const HttpResponse there = setup_.uploads->send(request("GET", "ac", key, 0));
  std::vector<SignedRecord> records = there.ok() ? decode_action(there.body) : std::vector<SignedRecord>();
  std::erase_if(records, [&](const SignedRecord& given) {
    return !is_digest(given.record.blob) || !is_trusted(setup_.keys, key, given);
  });
  return records;
}

/// Others may have put records under this key: theirs stay, if they may be used. Of two that do so at once one is lost,
/// which is a miss later.
void RemoteCache::put_record(const Job& job) {
  std::vector<SignedRecord> records = usable_records(job.key);
  std::erase_if(records, [&](const SignedRecord& given) { return given.record.id() == job.record.id(); });
  records.insert(records.begin(), sign_record(setup_.keys, job.key, job.record));
  if (records.size() > k_most_records) records.erase(records.begin() + k_most_records, records.end());
  HttpRequest put = request("PUT", "ac", job.key, 0);
  put.body = encode_action(records);
  put.headers.emplace_back("Content-Type", "application/octet-stream");
  send_upload(put);
}

void RemoteCache::finish() {
  std::string waiting;
  {
    std::unique_lock lock(mutex_);
    ends_ = true;
    std::uint64_t bytes = 0;
    for (const Job& job : jobs_) bytes += job.record.bytes;
    until_ = patience_for(bytes);
    wake_.notify_all();
    if (!wake_.wait_for(lock, setup_.moment, [this] { return jobs_.empty(); }))
      waiting = cat("handing layers to the remote cache ", setup_.url.masked(), " (", human_bytes(bytes), "), for ",
                    bytes / k_slowest + k_patience.count(), " s at most");
  }
  if (!waiting.empty()) setup_.note(waiting);
  if (worker_.joinable()) worker_.join();
  tell();
}

std::string RemoteCache::summary() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> parts;
  if (fetched_ > 0) parts.push_back(cat(human_bytes(fetched_), " fetched"));
  if (uploaded_ > 0) parts.push_back(cat(human_bytes(uploaded_), " uploaded"));
  if (parts.empty() && why_.empty()) return "";
  const std::string what = cat("remote cache ", setup_.url.masked(), ": ", join(parts, ", "));
  return why_.empty() ? cat(what, "\n")
                      : cat("warning: ", what, parts.empty() ? "" : "; ", "not used to the end: ", why_, "\n");
}

}  // namespace hearth::builder
