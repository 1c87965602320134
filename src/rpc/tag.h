// Tag: what a completion queue hands back when an operation is over.
//
// Shape:   an object of a call for each kind of operation that may be under way at a time; it names the member function
//          that goes on.
#pragma once

namespace evenmatch {

class Tag {
 public:
  // ok: as gRPC says; false where the operation could not happen any more.
  virtual void Done(bool ok) = 0;

 protected:
  ~Tag() = default;
};

template <typename Owner, void (Owner::*kNext)(bool ok)>
class MemberTag final : public Tag {
 public:
  explicit MemberTag(Owner* owner) : owner_(owner) {}
  void Done(bool ok) override { (owner_->*kNext)(ok); }

 private:
  Owner* const owner_;
};

}  // namespace evenmatch
