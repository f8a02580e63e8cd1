#pragma once
// Includes all of the wing: torontonians, photon counters behind Gaussian states and interferometers, patterns and loop
// hafnians of one matrix, matrices in a GPU's memory, and derivatives.

#include "photonics/gradients.hpp"
#include "photonics/loop_hafnians.hpp"
#include "photonics/on_device.hpp"
#include "photonics/patterns.hpp"
#include "photonics/photons.hpp"
#include "photonics/torontonian.hpp"
