// Serve: the whole of evenmatchd from its settings to its exit code.
//
// Shape:   starts what there is from the inside out, says `listening grpc=HOST:PORT http=HOST:PORT` on stdout, and
//          waits for SIGTERM, SIGINT or AdminService.Drain. Then, within server.drain_grace: not ready and NOT_SERVING
//          at once, new tickets refused with UNAVAILABLE, a moment for whoever balances load to notice, streams told
//          and closed, exit 0. A drain that hangs is cut off a little after the grace, with exit code 1.
// Errors:  logged; exit code 1.
// Threads: BlockSignals was called before.
#pragma once

#include "config/config.h"

namespace evenmatch {

int Serve(const Settings& settings);

}  // namespace evenmatch
