#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops.h"

namespace visionext {
namespace {

struct Box {
  int64_t image, x, y, width, height;
};

// Whole cells of the feature map, clipped to it, never empty.
Box box_of(const float* roi, float scale, int64_t height, int64_t width) {
  const auto x1 = std::clamp<int64_t>(static_cast<int64_t>(std::floor(roi[1] * scale)), 0, width - 1);
  const auto y1 = std::clamp<int64_t>(static_cast<int64_t>(std::floor(roi[2] * scale)), 0, height - 1);
  const auto x2 = std::clamp<int64_t>(static_cast<int64_t>(std::ceil(roi[3] * scale)), x1 + 1, width);
  const auto y2 = std::clamp<int64_t>(static_cast<int64_t>(std::ceil(roi[4] * scale)), y1 + 1, height);
  return {static_cast<int64_t>(roi[0]), x1, y1, x2 - x1, y2 - y1};
}

template <typename T>
void pool_plane(const T* plane, const Box& box, int64_t pooled_height, int64_t pooled_width, int64_t width, T* out,
                int64_t* argmax) {
  for (int64_t ph = 0; ph < pooled_height; ++ph) {
    const int64_t y_begin = box.y + ph * box.height / pooled_height;
    const int64_t y_end = box.y + ((ph + 1) * box.height + pooled_height - 1) / pooled_height;
    for (int64_t pw = 0; pw < pooled_width; ++pw) {
      const int64_t x_begin = box.x + pw * box.width / pooled_width;
      const int64_t x_end = box.x + ((pw + 1) * box.width + pooled_width - 1) / pooled_width;
      int64_t best = y_begin * width + x_begin;
      for (int64_t y = y_begin; y < y_end; ++y) {
        for (int64_t x = x_begin; x < x_end; ++x) {
          if (plane[y * width + x] > plane[best]) best = y * width + x;
        }
      }
      *out++ = plane[best];
      *argmax++ = best;
    }
  }
}

template <typename T>
void blur_line(const T* in, T* out, int64_t length, int64_t stride, const T* kernel, int64_t radius) {
  for (int64_t i = 0; i < length; ++i) {
    T sum = 0;
    const int64_t first = std::max<int64_t>(0, i - radius);
    const int64_t last = std::min<int64_t>(length - 1, i + radius);
    for (int64_t j = first; j <= last; ++j) sum += in[j * stride] * kernel[j - i + radius];
    out[i * stride] = sum;
  }
}

}  // namespace

std::tuple<at::Tensor, at::Tensor> roi_pool_forward_cpu(const at::Tensor& input, const at::Tensor& rois,
                                                        double spatial_scale, int64_t pooled_height,
                                                        int64_t pooled_width) {
  CHECK_CPU_INPUT(input);
  CHECK_CPU_INPUT(rois);
  const int64_t channels = input.size(1), height = input.size(2), width = input.size(3);
  auto output = at::empty({rois.size(0), channels, pooled_height, pooled_width}, input.options());
  auto argmax = at::empty(output.sizes(), input.options().dtype(at::kLong));
  const float* roi = rois.const_data_ptr<float>();
  for (int64_t k = 0; k < rois.size(0); ++k) {
    TORCH_CHECK(roi[5 * k] >= 0 && roi[5 * k] < input.size(0), "roi ", k, " names no image of the batch");
  }
  AT_DISPATCH_FLOATING_TYPES(input.scalar_type(), "roi_pool_forward_cpu", [&] {
    const int64_t bins = pooled_height * pooled_width;
    at::parallel_for(0, rois.size(0), 1, [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k) {
        const Box box = box_of(roi + 5 * k, static_cast<float>(spatial_scale), height, width);
        for (int64_t c = 0; c < channels; ++c) {
          const auto* plane = input.const_data_ptr<scalar_t>() + (box.image * channels + c) * height * width;
          const int64_t first = (k * channels + c) * bins;
          pool_plane(plane, box, pooled_height, pooled_width, width, output.data_ptr<scalar_t>() + first,
                     argmax.data_ptr<int64_t>() + first);
        }
      }
    });
  });
  return {output, argmax};
}

at::Tensor roi_pool_backward_cpu(const at::Tensor& grad, const at::Tensor& rois, const at::Tensor& argmax,
                                 int64_t batch, int64_t height, int64_t width) {
  CHECK_CPU_INPUT(grad);
  const int64_t channels = grad.size(1), bins = grad.size(2) * grad.size(3);
  auto result = at::zeros({batch, channels, height, width}, grad.options());
  const float* roi = rois.const_data_ptr<float>();
  const int64_t* places = argmax.const_data_ptr<int64_t>();
  AT_DISPATCH_FLOATING_TYPES(grad.scalar_type(), "roi_pool_backward_cpu", [&] {
    const auto* from = grad.const_data_ptr<scalar_t>();
    auto* to = result.data_ptr<scalar_t>();
    for (int64_t i = 0; i < grad.numel(); ++i) {
      const int64_t c = i / bins % channels;
      const auto image = static_cast<int64_t>(roi[i / bins / channels * 5]);
      to[(image * channels + c) * height * width + places[i]] += from[i];
    }
  });
  return result;
}

at::Tensor gaussian_blur_cpu(const at::Tensor& input, const at::Tensor& kernel) {
  CHECK_CPU_INPUT(input);
  CHECK_CPU_INPUT(kernel);
  const int64_t height = input.size(2), width = input.size(3), radius = kernel.numel() / 2;
  auto rows = at::empty_like(input);
  auto result = at::empty_like(input);
  AT_DISPATCH_FLOATING_TYPES(input.scalar_type(), "gaussian_blur_cpu", [&] {
    const auto* weights = kernel.const_data_ptr<scalar_t>();
    at::parallel_for(0, input.size(0) * input.size(1), 1, [&](int64_t begin, int64_t end) {
      for (int64_t plane = begin; plane < end; ++plane) {
        const auto* in = input.const_data_ptr<scalar_t>() + plane * height * width;
        auto* middle = rows.data_ptr<scalar_t>() + plane * height * width;
        auto* out = result.data_ptr<scalar_t>() + plane * height * width;
        for (int64_t y = 0; y < height; ++y) {
          blur_line(in + y * width, middle + y * width, width, 1, weights, radius);
        }
        for (int64_t x = 0; x < width; ++x) blur_line(middle + x, out + x, height, width, weights, radius);
      }
    });
  });
  return result;
}

at::Tensor masked_mean_cpu(const at::Tensor& input, const at::Tensor& mask) {
  CHECK_CPU(input);
  const auto weights = mask.to(input.scalar_type()).unsqueeze(1);
  return (input * weights).sum({2, 3}) / weights.sum({2, 3}).clamp_min(1);
}

}  // namespace visionext
