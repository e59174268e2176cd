// The module of the core.
#include "bind/bind.hpp"
#include "core/errors.hpp"

namespace treekernels {
void bind_blocks(nb::module_& m);
void bind_syntax(nb::module_& m);
void bind_code_syntax(nb::module_& m);
void bind_distance(nb::module_& m);
}  // namespace treekernels

NB_MODULE(_native, m) {
    using namespace treekernels;
    // Python need not free everything when it ends.
    nb::set_leak_warnings(false);
    m.doc() = "The C++ core of treekernels. Not a public interface.";
    nb::exception<Overflow>(m, "Overflow", PyExc_OverflowError);
    nb::exception<TooLarge>(m, "TooLarge", PyExc_MemoryError);
    bind_forest(m);
    bind_blocks(m);
    bind_syntax(m);
    bind_code_syntax(m);
    bind_kernels(m);
    bind_gram(m);
    bind_gradients(m);
    bind_weighted_forest(m);
    bind_summands(m);
    bind_learners(m);
    bind_structures(m);
    bind_explanation(m);
    bind_distributed(m);
    bind_partial_vectors(m);
    bind_pairs(m);
    bind_reader_writer_lock(m);
    bind_search(m);
    bind_distance(m);
    m.def("begin_child", &Forks::begin_child, "Tell the core that this is a forked process.");
    m.def("begin_ending", &Ending::begin, "Tell the core that Python is about to end.");
    nb::module_::import_("atexit").attr("register")(m.attr("begin_ending"));
    const nb::module_ os = nb::module_::import_("os");
    if (nb::hasattr(os, "register_at_fork")) os.attr("register_at_fork")("after_in_child"_a = m.attr("begin_child"));
}
