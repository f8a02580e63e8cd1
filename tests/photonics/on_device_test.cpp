// Numbers that lie in a GPU's memory: the answers are those about the same numbers on the host, on every device.

#include <complex>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/device.hpp"
#include "core/error.hpp"
#include "core/random.hpp"
#include "core/stopwatch.hpp"
#include "matchcount/batches.hpp"
#include "photonics/gradients.hpp"
#include "photonics/on_device.hpp"
#include "support/catch.hpp"
#include "support/skip.hpp"

using namespace matchcount;

namespace {

using Complex = std::complex<double>;

template <class T>
std::vector<T> random_batch(std::uint64_t seed, std::size_t n, std::size_t count) {
  Random random(seed, n);
  std::vector<T> made(count * n * n);
  for (T& entry : made) {
    entry = 2 * random.uniform() - 1;
    if constexpr (std::is_same_v<T, Complex>) entry += Complex(0, 2 * random.uniform() - 1);
  }
  for (std::size_t i = 0; i < made.size(); ++i) made[i] = made[i / (n * n) * n * n + i % n * n + i / n % n];
  return made;
}

// Holds numbers on a device, somewhere in an allocation.
template <class T>
struct There {
  There(const DeviceContext& context, const std::vector<T>& values)
      : buffer(context, (values.size() + 1) * sizeof(T)), size(values.size()) {
    buffer.upload(std::as_bytes(std::span(values)), sizeof(T));
  }
  OnDevice<T> entries() const { return {buffer.address() + sizeof(T), size}; }
  std::vector<T> downloaded() const {
    std::vector<T> values(size);
    buffer.download(std::as_writable_bytes(std::span(values)), sizeof(T));
    return values;
  }
  DeviceBuffer buffer;
  std::size_t size;
};

RunOptions with(DeviceChoice::Kind kind, std::vector<int> indices = {}) {
  return RunOptions{.device = {.kind = kind, .indices = std::move(indices)}};
}

// Requires answers that are the same, or within their bounds where they come another way.
template <class Answer>
void require_same(const std::vector<Answer>& one, const std::vector<Answer>& other) {
  REQUIRE(one.size() == other.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    INFO("matrix " << i);
    REQUIRE(to_string(one[i]) == to_string(other[i]));
    REQUIRE(one[i].log2_error == other[i].log2_error);
  }
}

template <class T>
void compare_batches(const DeviceContext& context) {
  const int index = context.device().index;
  const RunOptions on_it = with(DeviceChoice::Kind::cuda, {index});
  for (const std::size_t n : {1, 4, 11, 12, 17}) {
    const std::size_t count = n < 17 ? 200 : 3;
    std::vector<T> batch = random_batch<T>(1, n, count);
    INFO("n=" << n << ", " << sizeof(T) << " bytes");
    {
      const There<T> there(context, batch);
      require_same(permanents(there.entries(), n, on_it), permanents(batch, n, on_it));
      require_same(hafnians(there.entries(), n, false, on_it), hafnians(batch, n, false, on_it));
      require_same(hafnians(there.entries(), n, true, on_it), hafnians(batch, n, true, on_it));
      const RunOptions on_cpu = with(DeviceChoice::Kind::cpu);
      require_same(permanents(there.entries(), n, on_cpu), permanents(batch, n, on_cpu));
      CHECK_THROWS_AS(permanents(OnDevice<T>{there.entries().address, batch.size() + (n * n << 24)}, n), InputError);
      if (n > 1) CHECK_THROWS_AS(permanents(OnDevice<T>{there.entries().address, batch.size() - 1}, n), InputError);
    }
    if (n == 1) continue;
    // One matrix has no digits left in doubles: its permanent is 0.
    for (std::size_t i = 0; i < 2 * n; ++i) batch[2 * n * n + i] = i % n > 1 ? 0 : i == n + 1 ? -1 : 1;
    require_same(permanents(There<T>(context, batch).entries(), n, on_it), permanents(batch, n, on_it));
    CHECK_THROWS_AS(hafnians(There<T>(context, batch).entries(), n, true, on_it), InputError);  // not symmetric
    batch[5] = 1e-310;
    require_same(permanents(There<T>(context, batch).entries(), n, on_it), permanents(batch, n, on_it));
    batch[5] = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_AS(permanents(There<T>(context, batch).entries(), n, on_it), InputError);
  }
}

template <class T>
void compare_gradients(const DeviceContext& context, std::size_t n, std::size_t count) {
  INFO("n=" << n << ", " << sizeof(T) << " bytes");
  const RunOptions on_it = with(DeviceChoice::Kind::cuda, {context.device().index});
  const std::vector<T> batch = random_batch<T>(2, n, count);
  const There<T> there(context, batch), values(context, std::vector<T>(count)), derivatives(context, batch);
  const There<double> errors(context, std::vector<double>(count)),
      errors_of_all(context, std::vector<double>(batch.size()));
  const GradientsOnDevice<T> out{values.entries().address, errors.entries().address, derivatives.entries().address,
                                 errors_of_all.entries().address};
  for (const bool again : {false, true}) {
    Stopwatch stopwatch;
    REQUIRE(permanent_gradients(there.entries(), n, out, on_it));
    if (again && count >= 1000) WARN(count << " of " << n << " rows, there: " << stopwatch.lap() << " s");
  }
  const Gradients<T> here = permanent_gradients(batch, n, on_it);
  REQUIRE(values.downloaded() == here.values);
  REQUIRE(errors.downloaded() == here.errors);
  REQUIRE(derivatives.downloaded() == here.derivatives);
  REQUIRE(errors_of_all.downloaded() == here.derivative_errors);
}

}  // namespace

TEST_CASE("batches in a GPU's memory have the answers that they have on the host", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  for (const DeviceInfo& device : found.devices) {
    const DeviceContext context(device);
    compare_batches<double>(context);
    compare_batches<Complex>(context);
  }
}

TEST_CASE("derivatives stay in the GPU's memory where the entries are", "[cuda]") {
  MATCHCOUNT_DEVICES(found);
  for (const DeviceInfo& device : found.devices) {
    const DeviceContext context(device);
    compare_gradients<double>(context, 12, 5000);
    compare_gradients<Complex>(context, 12, 1000);
    compare_gradients<Complex>(context, 15, 7);
    compare_gradients<double>(context, 22, 2);
    // No kernel takes these.
    const There<double> small(context, random_batch<double>(3, 11, 1));
    const GradientsOnDevice<double> nowhere;
    CHECK_FALSE(permanent_gradients(small.entries(), 11, nowhere));
    const There<double> batch(context, random_batch<double>(3, 12, 1));
    CHECK_FALSE(permanent_gradients(batch.entries(), 12, nowhere, with(DeviceChoice::Kind::cpu)));
    CHECK_THROWS_AS(permanent_gradients(batch.entries(), 12, nowhere), InputError);
    std::vector<double> odd(144, 1);
    odd[7] = std::numeric_limits<double>::infinity();
    const There<double> infinite(context, odd), room(context, odd), one(context, std::vector<double>(1));
    const GradientsOnDevice<double> out{one.entries().address, one.entries().address, room.entries().address,
                                        room.entries().address};
    CHECK_THROWS_AS(permanent_gradients(infinite.entries(), 12, out), InputError);
    const There<double> large(context, std::vector<double>(144, 1e40));
    CHECK_THROWS_AS(permanent_gradients(large.entries(), 12, out), Unable);
  }
}

TEST_CASE("numbers on a GPU are refused without one") {
  if (!find_devices().devices.empty()) MATCHCOUNT_SKIP("there is one");
  CHECK_THROWS_AS(permanents(OnDevice<double>{4096, 4}, 2), Unable);
  CHECK_THROWS_AS(hafnians(OnDevice<Complex>{4096, 4}, 2), Unable);
  CHECK_THROWS_AS(permanent_gradients(OnDevice<double>{4096, 144}, 12, GradientsOnDevice<double>{}), Unable);
  std::byte here[8];
  CHECK_THROWS_AS(copy_from_device(4096, here), Unable);
  CHECK(permanents(OnDevice<double>{}, 3).empty());
}
