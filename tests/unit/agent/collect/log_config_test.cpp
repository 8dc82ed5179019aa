#include "agent/collect/log_config.hpp"

#include <gmock/gmock.h>

#include "base/text.hpp"

namespace hearth::agent {
namespace {

const std::string k_file =
    "[loggers]\nkeys=root,own\n\n[handlers]\nkeys=file,err\n\n[formatters]\nkeys=plain\n\n"
    "[logger_root]\nlevel=WARNING\nhandlers=err\n\n"
    "[logger_own]\nqualname=os_collect_config\nlevel=DEBUG\nhandlers=file\npropagate=0\n\n"
    "[handler_file]\nclass=handlers.WatchedFileHandler\nargs=('/var/log/occ.log', 'a')\nformatter=plain\n\n"
    "[handler_err]\nclass=StreamHandler\nargs=(sys.stderr,)\nlevel=ERROR\n\n"
    "[formatter_plain]\nformat=%(levelname)s %(message)s\ndatefmt=%H:%M\n";

LogOptions log_config_options_of(const std::string& text) { return parse_log_config(text, "f").value_or_throw(); }

TEST(LogConfigTest, TheProgramsOwnLoggerDecides) {
  const LogOptions options = log_config_options_of(k_file);
  EXPECT_EQ(options.threshold, LogLevel::debug);
  EXPECT_EQ(options.file, "/var/log/occ.log");
  EXPECT_TRUE(options.watch_file);
  EXPECT_FALSE(options.to_stderr);
  EXPECT_EQ(options.format, "%(levelname)s %(message)s");
  EXPECT_EQ(options.date_format, "%H:%M");
}

TEST(LogConfigTest, ItsRecordsGoToTheRootsHandlersTooUnlessItSaysNo) {
  EXPECT_TRUE(log_config_options_of(replace_all(k_file, "propagate=0\n", "")).to_stderr);
}

TEST(LogConfigTest, WithoutAnOwnLoggerTheRootCountsAndTheHandlersLevelOnTop) {
  const LogOptions options = log_config_options_of(replace_all(k_file, "os_collect_config", "other"));
  EXPECT_EQ(options.threshold, LogLevel::error);
  EXPECT_TRUE(options.to_stderr);
  EXPECT_EQ(options.file, "");
}

TEST(LogConfigTest, CriticalMeansSilence) {
  EXPECT_EQ(log_config_options_of(replace_all(k_file, "level=DEBUG", "level=CRITICAL")).threshold, std::nullopt);
}

TEST(LogConfigTest, SyslogJournalAndNothing) {
  const auto with = [](const std::string& kind) {
    return log_config_options_of(replace_all(k_file, "handlers.WatchedFileHandler", kind));
  };
  EXPECT_TRUE(with("handlers.SysLogHandler").to_syslog);
  EXPECT_TRUE(with("systemd.journal.JournalHandler").to_journal);
  EXPECT_FALSE(with("NullHandler").to_stderr);
}

TEST(LogConfigTest, WhatIsMissingIsNamed) {
  const auto error = [](const std::string& text) { return parse_log_config(text, "f").error().text(); };
  EXPECT_EQ(error("[loggers]\nkeys=\n"), "f: there is no section [logger_root]");
  EXPECT_EQ(error("[logger_root]\nhandlers=x\n"), "f: there is no section [handler_x]");
  EXPECT_EQ(error("[logger_root]\nhandlers=x\n[handler_x]\nclass=FileHandler\nargs=()\n"),
            "f: the file name is missing in args=()");
  EXPECT_EQ(error("[logger_root\n").substr(0, 3), "f:1");
}

}  // namespace
}  // namespace hearth::agent
