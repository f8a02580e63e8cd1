#include "core/device_choice.hpp"

#include <vector>

#include "core/error.hpp"
#include "support/catch.hpp"

using namespace matchcount;

namespace {

using Kind = DeviceChoice::Kind;

}  // namespace

TEST_CASE("what --device means") {
  CHECK(parse_device_choice("auto").kind == Kind::automatic);
  CHECK(parse_device_choice("cpu").kind == Kind::cpu);
  CHECK(parse_device_choice("cuda").kind == Kind::cuda);
  CHECK(parse_device_choice("cuda").indices.empty());
  CHECK(parse_device_choice("cuda:0").indices == std::vector<int>{0});
  CHECK(parse_device_choice("cuda:2,0,11").kind == Kind::cuda);
  CHECK(parse_device_choice("cuda:2,0,11").indices == std::vector<int>{2, 0, 11});
  for (const char* text : {"",         "Auto",     "cpu:0",      "gpu",      "cuda:",      "cuda:,",
                           "cuda:0,",  "cuda:,0",  "cuda:0,,1",  "cuda:-1",  "cuda:+1",    "cuda: 1",
                           "cuda:1 ",  "cuda:1.5", "cuda:0x1",   "cuda:a",   "cuda:10000", "cuda:99999999999999999999",
                           "cuda:0;1", "cudas",    "cuda:0,1,0", "cuda:1,01"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_device_choice(text), InputError);
  }
}

TEST_CASE("processes of a host share its devices out, and every one has one") {
  FoundDevices found;
  for (int index = 0; index < 3; ++index) {
    DeviceInfo device;
    device.index = index;
    found.devices.push_back(device);
  }
  DeviceChoice choice;
  const auto indices = [&](int share, int shares) {
    choice.share = share;
    choice.shares = shares;
    std::vector<int> result;
    for (const DeviceInfo& device : choose_devices(choice, found)) result.push_back(device.index);
    return result;
  };
  CHECK(indices(0, 1) == std::vector<int>{0, 1, 2});
  CHECK(indices(0, 2) == std::vector<int>{0, 2});
  CHECK(indices(1, 2) == std::vector<int>{1});
  CHECK(indices(2, 3) == std::vector<int>{2});
  CHECK(indices(4, 5) == std::vector<int>{1});
  found.devices.clear();
  CHECK(indices(1, 2).empty());
}

TEST_CASE("a device to plan for need not be here") {
  const DeviceChoice choice{.kind = DeviceChoice::Kind::cuda, .assumed = {known_device("h200")}};
  REQUIRE(choose_devices(choice).size() == 1);
  CHECK(choose_devices(choice)[0].multiprocessors == 132);
  CHECK_THROWS_AS(known_device("h300"), InputError);
}
