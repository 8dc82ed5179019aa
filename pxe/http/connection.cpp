#include "pxe/http/connection.hpp"

#include <sys/epoll.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace hearth::pxe::http {

namespace {

constexpr std::uint64_t k_connection_piece = std::uint64_t{1}
                                             << 20U;  ///< most that one connection sends before others have a turn

}  // namespace

Connection::Connection(Server& server, Fd socket, std::unique_ptr<Wire> wire, const Endpoint& client, Ipv4 local,
                       std::uint64_t serial, Bucket& rate)
    : server_(server),
      socket_(std::move(socket)),
      wire_(std::move(wire)),
      client_(client),
      local_(local),
      serial_(serial),
      bucket_(rate),
      events_(EPOLLIN),
      active_(server.reactor_.now()) {
  server_.reactor_.watch(socket_.get(), EPOLLIN, *this);
}

Connection::~Connection() { server_.reactor_.forget(socket_.get(), *this); }

void Connection::wait_for(std::uint32_t events) {
  if (events == events_) return;
  events_ = events;
  server_.reactor_.change(socket_.get(), events, *this);
}

void Connection::ready(std::uint32_t events) {
  if (ended_) return;
  if ((events & (EPOLLERR | EPOLLHUP)) != 0) return end("the client went away");
  active_ = server_.reactor_.now();
  if (busy_) {
    proceed();
  } else {
    read();
  }
}

bool Connection::is_done(const Wire::Step& step) {
  switch (step.kind) {
    case Wire::Step::Kind::done: return true;
    case Wire::Step::Kind::want_read: wait_for(EPOLLIN); return false;
    case Wire::Step::Kind::want_write: wait_for(EPOLLOUT); return false;
    case Wire::Step::Kind::gone: break;
  }
  end("the client went away");
  return false;
}

void Connection::read() {
  std::array<char, 4096> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled by read
  do {
    const Wire::Step step = wire_->read(buffer);
    if (!is_done(step)) return;
    if (step.size == 0) return end("");
    input_.append(buffer.data(), step.size);
  } while (wire_->has_more() && input_.size() <= server_.limits_.head_bytes);
  answer_next();
  proceed();
}

void Connection::answer_next() {
  const std::optional<std::size_t> size = head_end(input_);
  if (!size && input_.size() <= server_.limits_.head_bytes) return wait_for(EPOLLIN);
  Ask ask;
  if (size && *size <= server_.limits_.head_bytes) {
    ask = parse_head(std::string_view(input_).substr(0, *size));
    input_.erase(0, *size);
  } else {
    ask.refused = 431;
    ask.keep_alive = false;
    input_.clear();
  }
  busy_ = true;
  began_ = server_.reactor_.now();
  sent_ = 0;
  close_after_ = !ask.keep_alive;
  what_ = ask.path;
  answer(ask);
}

void Connection::answer(const Ask& ask) {
  const std::int64_t now_s = unix_seconds(server_.clock_.wall());
  const auto refuse = [&](int status, std::string_view text) {
    status_ = status;
    text_ = plain_answer(ask, status, text, now_s);
  };
  if (ask.refused != 0) return refuse(ask.refused, "This request is not served");
  const std::optional<std::string> name = normalise_name(ask.path);
  if (!name) return refuse(403, "Access denied");
  std::variant<Content, Refusal> found = server_.source_.open({*name, client_.address, local_, Protocol::http});
  if (const auto* refusal = std::get_if<Refusal>(&found))
    return refuse(refusal->kind == Refusal::Kind::not_found ? 404 : 403, refusal->text);
  Content& content = std::get<Content>(found);
  Plan plan = plan_content(ask, content.size(), content.modified_s(), now_s);
  status_ = plan.status;
  text_ = std::move(plan.head);
  left_ = plan.body;
  if (left_.size > 0 && content.fd() < 0) {
    sent_ = left_.size;
    text_ += content.bytes().substr(static_cast<std::size_t>(left_.first), static_cast<std::size_t>(left_.size));
    left_ = {};
  }
  if (left_.size > 0) content_ = std::move(content);
}

void Connection::proceed() {
  while (busy_ && send()) {
    finish_request(status_ < 400, cat(status_));
    if (close_after_) return end("");
    if (!input_.empty()) answer_next();  // pipelined
    if (!busy_) wait_for(EPOLLIN);
  }
}

bool Connection::send() {
  if (ended_ || !send_text()) return false;
  return left_.size == 0 || send_body();
}

bool Connection::send_text() {
  while (!text_.empty()) {
    const Wire::Step step = wire_->write(text_, left_.size > 0);
    if (!is_done(step)) return false;
    text_.erase(0, step.size);
  }
  return true;
}

bool Connection::send_body() {
  const MonotonicTime now = server_.reactor_.now();
  const std::uint64_t wanted = std::min(left_.size, k_connection_piece);
  const std::uint64_t allowed = bucket_.allowance(server_.bucket_.allowance(wanted, now), now);
  if (allowed == 0) {
    wait_for(0);
    server_.wake_at(now + std::max(bucket_.wait(), server_.bucket_.wait()), serial_, &Connection::resume);
    return false;
  }
  const Wire::Step step = wire_->send_file(*content_, left_.first, static_cast<std::size_t>(allowed));
  if (!is_done(step)) return false;
  if (step.size == 0) {
    end("the file has become shorter");
    return false;
  }
  const std::uint64_t done = std::min<std::uint64_t>(step.size, left_.size);
  bucket_.take(done);
  server_.bucket_.take(done);
  sent_ += done;
  left_.first += done;
  left_.size -= done;
  if (left_.size == 0) return true;
  wait_for(EPOLLOUT);
  return false;
}

void Connection::finish_request(bool good, std::string outcome) {
  busy_ = false;
  content_.reset();
  server_.log_.record({.protocol = "http",
                       .client = client_.address,
                       .what = what_,
                       .outcome = std::move(outcome),
                       .good = good,
                       .bytes = sent_,
                       .took = server_.reactor_.now() - began_});
}

void Connection::end(const char* why) {
  if (ended_) return;
  ended_ = true;
  if (busy_) finish_request(false, why);
  server_.ended(serial_);
}

void Connection::resume() {
  if (ended_) return;
  active_ = server_.reactor_.now();
  proceed();
}

void Connection::check_idle() {
  if (ended_) return;
  const MonotonicTime last = active_ + server_.limits_.idle;
  if (server_.reactor_.now() >= last) return end("the client fell silent");
  server_.wake_at(last, serial_, &Connection::check_idle);
}

}  // namespace hearth::pxe::http
