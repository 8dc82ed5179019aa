#include "agent/deploy/deploy_image.hpp"

#include "agent/deploy/disk/file_system.hpp"
#include "agent/deploy/partition/config_drive.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

/// Streams the image to a disk or a partition, and tells how long that took.
void write_to(const std::string& device, ImageInfo image, OrderWorld& world, Session& session) {
  const auto say = [&world](const std::string& text) { world.console.say(text); };
  const MonotonicTime began = world.clock.now();
  WriterWorld writer{world.http, world.dialer, world.clock, session.image_key, say, &session.spread};
  image.verify_tls = session.verify_tls;
  struct Writing {
    explicit Writing(Session& own) : session(own) { session.writing = true; }
    ~Writing() { session.writing = false; }
    Session& session;
  };
  WrittenImage written;
  {
    const Writing writing(session);
    written = world.machine.write_image(image, device, writer, session.progress);
  }
  const std::uint64_t from_peers = session.progress.from_peers;
  const double seconds = std::chrono::duration<double>(world.clock.now() - began).count();
  say(cat("the image is on ", device, " and verified: ", human_bytes(written.disk_size), " (",
          format_name(written.format), ", ", human_bytes(session.progress.fetched), " fetched",
          from_peers == 0 ? "" : cat(", ", human_bytes(from_peers), " of it from other machines"), ") in ",
          fixed(seconds, 1), " s"));
}

MadeParts write_partitions(const ImageInfo& image, const Disk& disk, bool drive, OrderWorld& world, Session& session) {
  world.console.say(cat("partitioning ", disk.name, " for an image of a file system"));
  const auto make_file_system = [&](const std::string& type, const std::string& device, const std::string& label) {
    world.machine.make_file_system(type, device, label);
  };
  MadeParts parts = make_parts(disk, *image.partitions, drive, make_file_system);
  write_to(parts.root, image, world, session);
  const auto found = find_file_system(head_of(parts.root));
  if (!found) throw Error(ErrorKind::input, cat("the image ", image.id, " holds no ext4, XFS or Btrfs"));
  parts.root_uuid = found->uuid;
  parts.root_type = found->type;
  return parts;
}

}  // namespace

std::string deploy_image(OrderWorld& world, Session& session, const Json& node, const Json& info, const Json& drive) {
  const ImageInfo image = parse_image_info(info);
  const Disk disk = root_disk_of(node.empty() ? session.node : node, world, session);
  const bool has_drive = drive.is_string() && !drive.get<std::string>().empty();
  const std::string drive_bytes =
      has_drive ? config_drive_bytes(drive.get<std::string>(), world.http, world.clock, session.verify_tls) : "";
  world.console.say(cat("writing the image ", image.id, " to ", disk.name, " (", human_bytes(disk.size), ")"));
  std::optional<MadeParts> parts;
  session.parts.set(parts);
  if (image.partitions) {
    parts = write_partitions(image, disk, has_drive, world, session);
    session.parts.set(parts);
  } else {
    write_to(disk.name, image, world, session);
  }
  const std::string drive_device = world.machine.finish_partitions(disk, drive_bytes);
  if (!drive_device.empty()) world.console.say(cat("the config drive is on ", drive_device));
  session.root_disk.set(disk);
  return cat("image (", image.id, ") written to device ", disk.name, " root_uuid=", parts ? parts->root_uuid : "None");
}

}  // namespace hearth::agent::deploy
