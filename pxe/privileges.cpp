#include "pxe/privileges.hpp"

#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>

#include "base/error.hpp"
#include "base/text.hpp"

namespace hearth::pxe {

namespace {

void become(const std::string& user) {
  const passwd* entry = ::getpwnam(user.c_str());
  if (entry == nullptr)
    throw Error(ErrorKind::input, cat("there is no user ", user)).hint("adduser --system makes one.");
  if (::setgroups(0, nullptr) != 0 || ::setresgid(entry->pw_gid, entry->pw_gid, entry->pw_gid) != 0 ||
      ::setresuid(entry->pw_uid, entry->pw_uid, entry->pw_uid) != 0)
    throw Error::from_errno("becoming user", user);
}

}  // namespace

void drop_privileges(const std::string& user) {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) throw Error::from_errno("giving up", "new privileges");
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  if (!user.empty()) become(user);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> none{};
  if (::syscall(SYS_capset, &header, none.data()) != 0) throw Error::from_errno("giving up", "capabilities");
}

}  // namespace hearth::pxe
