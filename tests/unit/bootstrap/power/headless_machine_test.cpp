#include "bootstrap/power/headless_machine.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace hearth::bootstrap {
namespace {

TEST(HeadlessMachine, ItsMonitorAndItsConsoleLieInItsDirectory) {
  const std::string command = join(headless_command({.name = "a,b", .home = "/h,1"}), " ");
  EXPECT_EQ(command.rfind("qemu-system-x86_64 -name a,,b -accel tcg -machine q35 -smp 1 -m 1024 ", 0), 0U) << command;
  EXPECT_NE(command.find("unix:/h,,1/qmp,server=on"), std::string::npos);
  EXPECT_NE(command.find("file,id=console,append=on,path=/h,,1/console.log"), std::string::npos);
  for (const char* other : {"-daemonize", "pflash", "socket"})
    EXPECT_EQ(command.find(other), std::string::npos) << other;
}

TEST(HeadlessMachine, WhatIsAskedForIsThere) {
  const std::string command =
      join(headless_command({.name = "a", .home = "/h", .background = true, .open_console = true, .uefi = true}), " ");
  for (const char* part : {"-daemonize -pidfile /h/pid",
                           "socket,id=console,server=on,wait=off,path=/h/console,logappend=on,"
                           "logfile=/h/console.log",
                           "readonly=on,file=/usr/share/OVMF/OVMF_CODE_4M.fd", "unit=1,format=raw,file=/h/vars.fd"})
    EXPECT_NE(command.find(part), std::string::npos) << part;
}

}  // namespace
}  // namespace hearth::bootstrap
