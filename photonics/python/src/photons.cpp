#include <matchcount/photonics.hpp>

#include <algorithm>
#include <complex>

#include "arrays.hpp"

namespace matchcount::python {
namespace {

template <class T>
using Taken = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;
using Drawn = nb::ndarray<std::uint32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Times = std::vector<std::uint32_t>;

double gaussian_probability(const Taken<double>& covariance, const Taken<double>& means, double hbar,
                            const Times& pattern, bool threshold, const Keywords& asked) {
  const GaussianState state({covariance.data(), covariance.size()}, {means.data(), means.size()}, hbar);
  return run_alone(asked, [&](const RunContext& run) { return state.probability(pattern, threshold, run.options()); });
}

void gaussian_samples(const Taken<double>& covariance, const Taken<double>& means, double hbar, bool threshold,
                      std::optional<std::uint32_t> cutoff, Drawn drawn, const Keywords& asked) {
  const GaussianState state({covariance.data(), covariance.size()}, {means.data(), means.size()}, hbar);
  std::ranges::copy(
      run_alone(asked,
                [&](const RunContext& run) { return state.sample(drawn.shape(0), threshold, cutoff, run.options()); }),
      drawn.data());
}

void photon_samples(const Taken<std::complex<double>>& matrix, const Times& counts, Drawn drawn,
                    const Keywords& asked) {
  std::ranges::copy(
      run_alone(asked,
                [&](const RunContext& run) {
                  return sample_photons({matrix.data(), matrix.size()}, counts, drawn.shape(0), run.options());
                }),
      drawn.data());
}

void add_photons(nb::module_& module) {
  module.def("gaussian_probability", &gaussian_probability);
  module.def("gaussian_samples", &gaussian_samples, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(),
             nb::arg(), nb::arg());
  module.def("photon_samples", &photon_samples);
}

const bool has_photons = (wings().push_back(&add_photons), true);

}  // namespace

}  // namespace matchcount::python
