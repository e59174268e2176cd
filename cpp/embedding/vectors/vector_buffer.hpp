// Memory for vectors, aligned to cache lines and not initialised.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace treekernels {

// Labels' vectors that are kept while a block is computed take at most so many bytes.
inline constexpr std::size_t kLabelCacheBytes = 4 << 20;

template <class T>
class VectorBuffer {
public:
    void reserve(std::size_t size) {
        if (size <= size_) return;
        data_.reset();
        data_.reset(static_cast<T*>(::operator new(size * sizeof(T), kAlignment)));
        size_ = size;
    }
    T* data() const { return data_.get(); }

private:
    static constexpr std::align_val_t kAlignment{64};
    struct Free {
        void operator()(T* data) const { ::operator delete(data, kAlignment); }
    };
    std::unique_ptr<T, Free> data_;
    std::size_t size_ = 0;
};

}  // namespace treekernels
