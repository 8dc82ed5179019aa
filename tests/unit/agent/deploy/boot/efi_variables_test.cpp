#include "agent/deploy/boot/efi_variables.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/sys/file.hpp"

namespace hearth::agent::deploy {
namespace {

const LoadOption k_option{
    "Debian", 1, 2048, 65536, parse_guid("01020304-0506-0708-090a-0b0c0d0e0f10"), "\\EFI\\debian\\shimx64.efi"};
const std::string k_suffix = "-8be4df61-93ca-11d2-aa0d-00e098032b8c";

TEST(EfiVariables, ALoadOptionNamesPartitionAndFile) {
  const std::string value = encode_load_option(k_option);
  EXPECT_EQ(value.substr(0, 4), std::string("\x01\0\0\0", 4));
  EXPECT_EQ(label_of_load_option(value), "Debian");
  const std::size_t path = 6 + 2 * 7;
  EXPECT_EQ(value.substr(path, 4), std::string("\x04\x01\x2a\x00", 4));
  EXPECT_EQ(value.substr(path + 24, 16),
            std::string("\x04\x03\x02\x01\x06\x05\x08\x07\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10"));
  EXPECT_EQ(value.substr(value.size() - 4), std::string("\x7f\xff\x04\x00", 4));
  const auto paths = static_cast<unsigned char>(value[4]) | static_cast<unsigned char>(value[5]) << 8;
  EXPECT_EQ(static_cast<std::size_t>(paths), value.size() - path);
}

TEST(EfiVariables, AnEntryComesFirstAndReplacesItsNamesake) {
  const TempDir work = TempDir::create("/tmp", "efivars.");
  EfiVariables variables(work.path().string());
  EXPECT_THROW(variables.put_first(k_option), Error) << "no variables: not started by UEFI";
  const auto put = [&work](const std::string& name, const std::string& value) {
    RealFileSystem().write(work.path() / (name + k_suffix), std::string("\x07\0\0\0", 4) + value, {});
  };
  LoadOption other = k_option;
  other.label = "PXE";
  put("Boot0000", encode_load_option(other));
  put("Boot0001", encode_load_option(k_option));
  put("BootOrder", std::string("\0\0\1\0", 4));
  EXPECT_EQ(variables.put_first(k_option), "Boot0001");
  EXPECT_EQ(variables.boot_order(), (std::vector<std::uint16_t>{1, 0}));
}

TEST(EfiVariables, ShimsListsAreRead) {
  std::string bytes("\xff\xfe", 2);
  for (const char c : std::string_view("shimx64.efi,debian,,This is it\r\n..\\evil.efi,x,,\nbroken\n")) {
    bytes.push_back(c);
    bytes.push_back(0);
  }
  EXPECT_EQ(parse_boot_csv(bytes), (std::vector<CsvEntry>{{"shimx64.efi", "debian"}}));
}

}  // namespace
}  // namespace hearth::agent::deploy
