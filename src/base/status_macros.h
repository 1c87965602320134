// RETURN_IF_ERROR and ASSIGN_OR_RETURN: pass an absl::Status on to the caller.
#pragma once

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#define EVENMATCH_CONCAT_INNER(a, b) a##b
#define EVENMATCH_CONCAT(a, b) EVENMATCH_CONCAT_INNER(a, b)

#define RETURN_IF_ERROR(expression)                                           \
  do {                                                                        \
    if (::absl::Status status_ = (expression); !status_.ok()) return status_; \
  } while (false)

#define ASSIGN_OR_RETURN(lhs, expression) \
  EVENMATCH_ASSIGN_OR_RETURN(EVENMATCH_CONCAT(status_or_, __LINE__), lhs, expression)
#define EVENMATCH_ASSIGN_OR_RETURN(temporary, lhs, expression) \
  auto temporary = (expression);                               \
  if (!temporary.ok()) return std::move(temporary).status();   \
  lhs = std::move(temporary).value()
