#include "bootstrap/heap.hpp"

#include <gperftools/malloc_extension.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <new>
#include <string_view>

#include "base/limits_hint.hpp"

namespace {

/// What libraries and the allocator take before main() begins; with less they crash there.
constexpr rlim_t k_least_data = 12U << 20U;

/// Runs before libraries are initialized: no memory, no stream, nothing that may throw.
void refuse_tiny_limits() {
  struct rlimit data {};
  if (::getrlimit(RLIMIT_DATA, &data) != 0 || data.rlim_cur >= k_least_data) return;
  for (const std::string_view part : {std::string_view("hearth: no memory to begin with\n  "),
                                      std::string_view(hearth::k_limits_hint), std::string_view("\n")})
    if (::write(STDERR_FILENO, part.data(), part.size()) < 0) break;
  ::_exit(1);
}
[[gnu::section(".preinit_array"), gnu::used]] void (*const k_before_all)() = refuse_tiny_limits;

/// Gives the allocator what its heap grows by. It calls this under a lock of its own; nothing is given back.
class LargePages final : public SysAllocator {
 public:
  explicit LargePages(SysAllocator* small) : small_(small) {}

  void* Alloc(std::size_t size, std::size_t* actual_size, std::size_t alignment) override {
    if (given_ >= k_small) {
      if (void* found = take(rounded(size, k_page), alignment); found != nullptr) {
        if (actual_size != nullptr) *actual_size = rounded(size, k_page);
        return found;
      }
    }
    given_ += size;
    return small_->Alloc(size, actual_size, alignment);
  }

 private:
  static constexpr std::size_t k_page = 2U << 20U;    ///< of x86-64; elsewhere the kernel takes what it has
  static constexpr std::size_t k_small = 64U << 20U;  ///< in pages of 4 KB
  static constexpr std::size_t k_reach = 64U << 20U;  ///< addresses at a time; they cost nothing until they are used

  static constexpr std::size_t rounded(std::size_t size, std::size_t unit) { return (size + unit - 1) / unit * unit; }

  void* take(std::size_t size, std::size_t alignment) {
    if (size > SIZE_MAX / 2 || alignment > k_page) return nullptr;
    if (size > static_cast<std::size_t>(end_ - next_) && !reach(size > k_reach ? size : k_reach)) return nullptr;
    void* found = next_;
    next_ += size;
    return found;
  }

  /// Addresses that begin and end where a large page does.
  bool reach(std::size_t size) {
    void* mapped =
        ::mmap(nullptr, size + k_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) return false;
    const auto at = reinterpret_cast<std::uintptr_t>(mapped);  // NOLINT(cppcoreguidelines-pro-type-reinterpret-cast)
    next_ = static_cast<char*>(mapped) + (rounded(at, k_page) - at);
    end_ = next_ + size;
    (void)::madvise(next_, size, MADV_HUGEPAGE);  // a kernel without them gives what it has
    return true;
  }

  SysAllocator* small_;
  std::size_t given_ = 0;
  char* next_ = nullptr;
  char* end_ = nullptr;
};

}  // namespace

namespace hearth::bootstrap {

void grow_in_large_pages() {
  alignas(LargePages) static char
      place[sizeof(LargePages)];  // NOLINT(modernize-avoid-c-arrays): it is there until the very end
  MallocExtension* heap = MallocExtension::instance();
  heap->SetSystemAllocator(new (place) LargePages(heap->GetSystemAllocator()));
}

}  // namespace hearth::bootstrap
