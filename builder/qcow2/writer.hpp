// A raw disk as qcow2. One pass over the data; the compression runs in as many threads as there are processors, and the
// file is the same for any number of them.
//
// The threads take batches of clusters in the order of the disk, read and compress them side by side, and wait for
// their turn before they get a place in the file: place follows place in the order of the batches, whoever was quicker.
// Then each writes its own pieces, again side by side. Tables, reference counts and the header come last, when all
// places are known: until then the file is no qcow2, and who is killed leaves nothing that looks like one.
//
// What must hold: each batch is placed once, in order; a thread that fails wakes those that wait for their turn; memory
// is that of the threads' buffers, not of the disk. With an image of before, clusters whose content it has are copied
// from there instead of being compressed again (KnownClusters); the bytes are those that compressing would give.
//
// Why not `qemu-img convert -c`: with its parallel writes (-W) the file is another one each time, without them it takes
// longer.
#pragma once

#include <string>

#include "base/path.hpp"
#include "base/sys/fd.hpp"
#include "builder/qcow2/cluster_codec.hpp"
#include "builder/qcow2/raw_disk.hpp"

namespace hearth::builder::qcow2 {

struct WriterOptions {
  Compression compression = Compression::fast;
  unsigned threads = 0;  ///< 0: as many as this process may use
  /// A raw disk whose equal clusters are left out (compared byte by byte); empty: none.
  fs::path backing_raw;
  /// What the image names as its backing file, and that file's format; used with backing_raw.
  std::string backing_file;
  std::string backing_format = "raw";
  /// An image made earlier, whose compressed clusters are taken where the disk still has them, and the index of what it
  /// holds; the index of the new image is written in its place. Empty: nothing is taken, nothing noted. The result is
  /// the same in any case.
  fs::path earlier_image;
  fs::path index;
};

/// Writes the disk `raw` into `out`, an empty file open for writing. Memory: about 3 MiB a thread, and 8
/// bytes for each 64 KiB of data. Throws Error when reading or writing fails; `out` is then to be thrown away.
void write_qcow2(const RawDisk& raw, const Fd& out, const WriterOptions& options);

}  // namespace hearth::builder::qcow2
