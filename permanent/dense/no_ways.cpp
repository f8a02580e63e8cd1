// A build without the wing photonics, which has others (photonics/means/ways.cpp).

#include <complex>

#include "permanent/dense/ways.hpp"

namespace matchcount::dense {

template <class T>
const Ways<T>* ways() {
  return nullptr;
}
template const Ways<double>* ways();
template const Ways<std::complex<double>>* ways();

}  // namespace matchcount::dense
