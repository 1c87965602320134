// Threads carry names, so that top, gdb and a flame graph tell a shard from an egress thread.
#pragma once

#include <string>

namespace evenmatch {

// Names the calling thread; Linux keeps the first 15 bytes.
void NameThisThread(const std::string& name);

}  // namespace evenmatch
