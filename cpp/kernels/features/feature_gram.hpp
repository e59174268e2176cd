// Gram matrices of kernels of features: two trees share what they have of equal features. On features that are numbered
// that is a dot product of counts.
#pragma once

#include <memory>

#include "gram/interfaces.hpp"
#include "kernels/features/feature_table.hpp"

namespace treekernels {

template <class Real>
std::unique_ptr<Rows<Real>> feature_rows(const Corpus& corpus, std::size_t columns, const FeatureParameters& parameters,
                                         const Task& task);

template <class Real>
Norms<Real> feature_norms(const Corpus& corpus, const FeatureParameters& parameters, const Task& task);

}  // namespace treekernels
