#include <fcntl.h>
#include <unistd.h>

#include "base/byte_order.hpp"
#include "base/error.hpp"
#include "base/sys/fd.hpp"
#include "base/text.hpp"
#include "base/uuid.hpp"
#include "builder/disk/file_system_maker.hpp"
#include "builder/disk/layout/layout.hpp"

namespace hearth::builder {

namespace {

constexpr std::size_t k_swap_page = 4096;
constexpr std::uint64_t k_smallest = 10 * k_swap_page;  // the kernel refuses less

/// The kernel's union swap_header (include/linux/swap.h): at 1024 version, last page, bad pages (4 bytes each), UUID
/// and volume name (16 each); the magic word in the page's last ten bytes.
std::string header_page(const FileSystemJob& job) {
  std::string page(k_swap_page, '\0');
  put_le(page, 1024, 1, 4);
  put_le(page, 1028, std::min<std::uint64_t>(job.extent.length / k_swap_page - 1, UINT32_MAX), 4);
  page.replace(1036, 16, uuid_bytes(job.file_system.uuid));
  const std::string label = job.file_system.label.substr(0, 16);
  page.replace(1052, label.size(), label);
  page.replace(k_swap_page - 10, 10, "SWAPSPACE2");
  return page;
}

}  // namespace

void make_swap(const FileSystemJob& job) {
  if (job.extent.length < k_smallest) {
    throw Error(ErrorKind::input, cat("a swap area needs at least ", human_bytes(k_smallest)));
  }
  const Fd image = Fd::open(job.image.string(), O_WRONLY);
  const std::string page = header_page(job);
  const ssize_t written = ::pwrite(image.get(), page.data(), page.size(), static_cast<off_t>(job.extent.offset));
  if (written != static_cast<ssize_t>(page.size())) throw Error::from_errno("writing", job.image.string());
}

}  // namespace hearth::builder
