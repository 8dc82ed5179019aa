#include "agent/deploy/hardware/drive_commands.hpp"

#include <linux/nvme_ioctl.h>
#include <scsi/sg.h>
#include <sys/ioctl.h>

#include <array>

#include "base/error.hpp"
#include "base/hex.hpp"
#include "base/text.hpp"

namespace hearth::agent::deploy {

namespace {

constexpr std::uint8_t k_pass_through = 0x85;
constexpr std::uint8_t k_ata_identify = 0xec;
constexpr std::uint8_t k_nvme_identify = 0x06;
constexpr std::uint8_t k_nvme_log = 0x02;
constexpr std::uint8_t k_nvme_format = 0x80;
constexpr std::uint8_t k_nvme_sanitize = 0x84;
constexpr std::uint32_t k_identify_space = 0;  // what Identify shall tell of
constexpr std::uint32_t k_identify_controller = 1;
constexpr std::uint32_t k_identify_spaces = 2;
constexpr std::uint32_t k_log_sanitize = 0x81;
constexpr std::size_t k_nvme_page = 4096;
constexpr std::chrono::seconds k_identify_time(15);

std::uint32_t milliseconds(std::chrono::seconds time) {
  return static_cast<std::uint32_t>(std::chrono::milliseconds(time).count());
}

void pass_through(const Fd& fd, const std::string& name, std::uint8_t command, AtaData data, char* block,
                  std::chrono::seconds patience) {
  std::array<std::uint8_t, 16> words = pass_through_words(command, data);
  std::array<std::uint8_t, 64> sense{};
  sg_io_hdr_t header{};
  header.interface_id = 'S';
  header.cmd_len = words.size();
  header.cmdp = words.data();
  header.mx_sb_len = sense.size();
  header.sbp = sense.data();
  header.dxfer_direction = data == AtaData::none         ? SG_DXFER_NONE
                           : data == AtaData::from_drive ? SG_DXFER_FROM_DEV
                                                         : SG_DXFER_TO_DEV;
  header.dxfer_len = data == AtaData::none ? 0 : DriveCommands::k_ata_block;
  header.dxferp = block;
  header.timeout = milliseconds(patience);
  const std::string doing = cat("ATA command 0x", to_hex(std::string(1, static_cast<char>(command))), " to");
  if (::ioctl(fd.get(), SG_IO, &header) != 0) throw Error::from_errno(doing, name);
  if (header.status != 0 || header.host_status != 0 || header.driver_status != 0) {
    throw Error(ErrorKind::io, cat(doing, " ", name, ": the drive refuses (status ", int{header.status}, ", host ",
                                   header.host_status, ", driver ", header.driver_status, ")"));
  }
}

void admin(const Fd& fd, const std::string& name, const char* doing, nvme_admin_cmd& command) {
  const int status = ::ioctl(fd.get(), NVME_IOCTL_ADMIN_CMD, &command);
  if (status < 0) throw Error::from_errno(doing, name);
  if (status > 0) throw Error(ErrorKind::io, cat(doing, " ", name, ": the drive answers with status ", status));
}

}  // namespace

std::array<std::uint8_t, 16> pass_through_words(std::uint8_t command, AtaData data) {
  std::array<std::uint8_t, 16> words{k_pass_through};
  const unsigned protocol = data == AtaData::none ? 3 : data == AtaData::from_drive ? 4 : 5;  // no data, PIO in or out
  words[1] = static_cast<std::uint8_t>(protocol << 1U);
  if (data != AtaData::none) {
    words[2] = data == AtaData::from_drive ? 0x0e : 0x06;  // the count says how many blocks come, or go
    words[6] = 1;
  }
  words[14] = command;
  return words;
}

std::string RealDrive::ata_identify() {
  std::string block(k_ata_block, 0);
  pass_through(fd_, name_, k_ata_identify, AtaData::from_drive, block.data(), k_identify_time);
  return block;
}

void RealDrive::ata(std::uint8_t command, const std::string& block, std::chrono::seconds patience) {
  std::string sent = block;
  pass_through(fd_, name_, command, block.empty() ? AtaData::none : AtaData::to_drive, sent.data(), patience);
}

std::string RealDrive::identify(std::uint32_t what, std::uint32_t space) {
  std::string page(k_nvme_page, 0);
  nvme_admin_cmd command{};
  command.opcode = k_nvme_identify;
  command.nsid = space;
  command.addr = reinterpret_cast<std::uintptr_t>(page.data());
  command.data_len = k_nvme_page;
  command.cdw10 = what;
  command.timeout_ms = milliseconds(k_identify_time);
  admin(fd_, name_, "identifying", command);
  return page;
}

std::string RealDrive::nvme_identify(std::uint32_t space) {
  return identify(space == 0 ? k_identify_controller : k_identify_space, space);
}

std::string RealDrive::nvme_spaces() { return identify(k_identify_spaces, 0); }

std::uint32_t RealDrive::nvme_space() {
  const int space = ::ioctl(fd_.get(), NVME_IOCTL_ID);
  if (space <= 0) throw Error::from_errno("asking for the namespace of", name_);
  return static_cast<std::uint32_t>(space);
}

void RealDrive::nvme_format(std::uint32_t space, std::uint32_t word, std::chrono::seconds patience) {
  nvme_admin_cmd command{};
  command.opcode = k_nvme_format;
  command.nsid = space;
  command.cdw10 = word;
  command.timeout_ms = milliseconds(patience);
  admin(fd_, name_, "formatting", command);
}

void RealDrive::nvme_sanitize(std::uint32_t word) {
  nvme_admin_cmd command{};
  command.opcode = k_nvme_sanitize;
  command.cdw10 = word;
  command.timeout_ms = milliseconds(k_identify_time);
  admin(fd_, name_, "sanitizing", command);
}

std::string RealDrive::nvme_sanitize_status() {
  constexpr std::size_t size = 512;
  std::string page(size, 0);
  nvme_admin_cmd command{};
  command.opcode = k_nvme_log;
  command.nsid = 0xffffffff;
  command.addr = reinterpret_cast<std::uintptr_t>(page.data());
  command.data_len = size;
  command.cdw10 = k_log_sanitize | (size / 4 - 1) << 16U;
  command.timeout_ms = milliseconds(k_identify_time);
  admin(fd_, name_, "asking for the sanitize status of", command);
  return page;
}

}  // namespace hearth::agent::deploy
