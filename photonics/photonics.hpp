#pragma once
// Includes all of the wing: torontonians, photon counters behind Gaussian states and interferometers, patterns of one
// matrix, and derivatives.

#include "photonics/gradients.hpp"
#include "photonics/patterns.hpp"
#include "photonics/photons.hpp"
#include "photonics/torontonian.hpp"
