#include "builder/fleet/image_job.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/text.hpp"

namespace hearth::builder {

namespace {

constexpr std::size_t k_job_read = 65536;
constexpr std::size_t k_longest_job_line = std::size_t{1} << 20U;  // longer ones come in pieces
constexpr std::size_t k_longest_job_story = 60'000;

Fd readable_end(Pipe& pipe) {
  ::fcntl(pipe.read.get(), F_SETFL, O_NONBLOCK);
  return std::move(pipe.read);
}

void tell_starter(const Fd& news, const Json& what) {
  write_all(news, cat(format_json(what, {.lossy = true}), "\n"), "the pipe to the one who builds all images");
}

/// Descriptors of other images' builds would be a good part of those that this one may have.
void keep_only(const Fd& mine) {
  const auto kept = static_cast<unsigned>(mine.get());
  if (kept > STDERR_FILENO + 1) ::close_range(STDERR_FILENO + 1, kept - 1, 0);
  ::close_range(kept + 1, ~0U, 0);
}

int build_for(const ImageRequest& request, const Installation& installation, Verbosity verbosity,
              const BuildNeighbours& neighbours, const Fd& news) {
  try {
    return build_image(request, installation, verbosity, neighbours);
  } catch (const Error& error) {
    tell_starter(news, {{"failed", error.story().substr(0, k_longest_job_story)}});
    return error.exit_code();
  } catch (const std::exception& error) {
    tell_starter(news, {{"failed", error.what()}});
    return 1;
  }
}

}  // namespace

std::unique_ptr<ImageJob> ImageJob::start(const ImageRequest& request, const Installation& installation,
                                          Verbosity verbosity, BuildNeighbours neighbours, Listener listener) {
  Pipe out = Pipe::create();
  Pipe err = Pipe::create();
  Pipe news = Pipe::create();
  neighbours.stored = [&news](const std::string& step) { tell_starter(news.write, {{"stored", step}}); };
  neighbours.ends = [&news](const std::string& step) { tell_starter(news.write, {{"kept", step}}); };
  ProcessCopy process = ProcessCopy::start(
      [&] {
        ::signal(SIGPIPE, SIG_IGN);
        keep_only(news.write);
        return build_for(request, installation, verbosity, neighbours, news.write);
      },
      out.write, err.write);
  std::unique_ptr<ImageJob> job(new ImageJob(std::move(process), std::move(listener)));
  job->out_.fd = readable_end(out);
  job->err_.fd = readable_end(err);
  job->news_.fd = readable_end(news);
  return job;
}

std::vector<int> ImageJob::descriptors() const {
  std::vector<int> all;
  for (const Fd* fd : {&process_.end(), &out_.fd, &err_.fd, &news_.fd}) {
    if (*fd) all.push_back(fd->get());
  }
  return all;
}

void ImageJob::read(Source& source, const std::function<void(const std::string&)>& line) {
  std::array<char, k_job_read> bytes{};
  while (source.fd) {
    const ssize_t got = ::read(source.fd.get(), bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return;  // nothing more at the moment
    if (got == 0) source.fd = Fd();
    source.rest.append(bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    std::size_t begin = 0;
    for (std::size_t end = source.rest.find('\n'); end != std::string::npos; end = source.rest.find('\n', begin)) {
      line(source.rest.substr(begin, end - begin));
      begin = end + 1;
    }
    source.rest.erase(0, begin);
    if (source.rest.size() > k_longest_job_line || (got == 0 && !source.rest.empty()))
      line(std::exchange(source.rest, ""));
  }
}

void ImageJob::read_news() {
  read(news_, [this](const std::string& line) {
    const Json news = json_or_null(line);
    if (const std::string step = text_member(news, "stored"); !step.empty()) listener_.stored(step);
    if (const Json* const step = find_member(news, "kept"); step != nullptr) listener_.kept(text_member(news, "kept"));
    if (const std::string story = text_member(news, "failed"); !story.empty()) listener_.failed(story);
  });
}

void ImageJob::read_all() {
  read(out_, listener_.out);
  read(err_, listener_.err);
  read_news();
}

std::optional<ExitStatus> ImageJob::take() {
  const std::optional<ExitStatus> status = process_.ended();
  read_all();  // what it wrote before its end is there
  return status;
}

}  // namespace hearth::builder
