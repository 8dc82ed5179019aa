#include "builder/output/output_file.hpp"

#include "builder/output/checksums.hpp"
#include "builder/output/pipe_stage.hpp"

namespace hearth::builder {

std::vector<std::string> write_streamed(const fs::path& target, const std::vector<HashKind>& kinds,
                                        const std::function<void(int fd)>& write) {
  AtomicFile file = AtomicFile::create(target);
  std::vector<std::string> digests;
  PipeStage stage([&](const Fd& in) { digests = copy_hashing(in, file.fd().get(), kinds); });
  write(stage.input());
  stage.finish();
  file.commit();
  write_checksum_files(target, kinds, digests);
  return digests;
}

void write_placed(const fs::path& target, const std::vector<HashKind>& kinds,
                  const std::function<void(const AtomicFile& file)>& write) {
  AtomicFile file = AtomicFile::create(target);
  write(file);
  const std::vector<std::string> digests = digests_of(file.fd(), kinds);
  file.commit();
  write_checksum_files(target, kinds, digests);
}

}  // namespace hearth::builder
