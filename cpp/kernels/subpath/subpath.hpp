// The subpath kernel (Kimura et al. 2011): two trees share what they have of equal paths down. On paths that are
// numbered it is a dot product of counts.
#pragma once

#include <memory>

#include "gram/interfaces.hpp"
#include "kernels/subpath/paths.hpp"

namespace treekernels {

template <class Real>
std::unique_ptr<Rows<Real>> subpath_rows(const Corpus& corpus, std::size_t columns, SubpathParameters parameters,
                                         const Task& task);

template <class Real>
std::unique_ptr<Norms<Real>> subpath_norms(const Corpus& corpus, SubpathParameters parameters, const Task& task);

}  // namespace treekernels
