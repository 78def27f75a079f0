"""Calls of overloads that torch's own samples do not reach. Each line is an expression over the names of `values`."""

from __future__ import annotations

import re
from typing import Any

import torch

CALLS = """
A.__lshift__.Scalar(i, 2), A.__lshift__.Tensor(i, j), A.__rshift__.Scalar(i, 1), A.__rshift__.Tensor(i, j)
A.__ilshift__.Scalar(+i, 2), A.__ilshift__.Tensor(+i, j), A.__irshift__.Scalar(+i, 1), A.__irshift__.Tensor(+i, j)
A._addmm_activation(v5, m45, m55), A._addmm_activation(v5, m45, m55, use_gelu=True)
A._aminmax(m45), A._aminmax.dim(m45, 1)
A._amp_foreach_non_finite_check_and_unscale_([m45 * 1, v5 / 0], zero * 1, one)
A._amp_foreach_non_finite_check_and_unscale_([m45 * 1, v5 * 1], zero * 1, one * 0.5)
A._amp_update_scale_(one * 8, counter * 1, one, 2.0, 0.5, 3), A._amp_update_scale_(one * 8, counter + 2, zero, 2.0, 0.5, 3)
A._assert_async(one == 1), A._assert_async.msg(one == 1, "text")
A._batch_norm_with_update(image, w3, b3, b3 * 1, w3 * 1, 0.1, 1e-5)
A._batch_norm_with_update.out(image, w3, b3, b3 * 1, w3 * 1, 0.1, 1e-5, out=+e, save_mean=+e, save_invstd=+e, reserve=+e8)
A._batch_norm_with_update_functional(image, w3, b3, b3, w3 * w3, 0.1, 1e-5)
A._batch_norm_no_update(image, w3, b3, b3, w3 * w3, 0.1, 1e-5)
A._native_batch_norm_legit(image, w3, b3, b3 * 1, w3 * w3, True, 0.1, 1e-5)
A._native_batch_norm_legit.no_stats(image, w3, b3, True, 0.1, 1e-5)
A._native_batch_norm_legit.no_stats_out(image, w3, b3, True, 0.1, 1e-5, out=+e, save_mean=+e, save_invstd=+e)
A._native_batch_norm_legit.out(image, w3, b3, b3 * 1, w3 * w3, True, 0.1, 1e-5, out=+e, save_mean=+e, save_invstd=+e)
A._native_batch_norm_legit_functional(image, w3, b3, b3, w3 * w3, True, 0.1, 1e-5)
A._native_batch_norm_legit_no_training(image, w3, b3, b3, w3 * w3, 0.1, 1e-5)
A._native_batch_norm_legit_no_training.out(image, w3, b3, b3, w3 * w3, 0.1, 1e-5, out0=+e, out1=+e, out2=+e)
A.batch_norm_update_stats(image, b3, w3 * w3, 0.1), A.batch_norm_stats(image, 1e-5)
A.batch_norm_elemt(image, w3, b3, b3, w3, 1e-5)
A.batch_norm_backward_reduce(image, image, b3, w3, w3, True, True, True)
A.batch_norm_backward_elemt(image, image, b3, w3, w3, b3, b3, k3 + 1)
A.batch_norm_gather_stats_with_counts(image, m33, m33 * m33, b3, w3, 0.1, 1e-5, w3 * w3)
A._cholesky_solve_helper(m55, torch.linalg.cholesky(m55 @ m55.mT + 5 * eye), False)
A._convert_indices_from_coo_to_csr(sorted_k, 4), A._convert_indices_from_csr_to_coo(crow, col)
A._convert_indices_from_csr_to_coo(crow, col, out_int32=True, transpose=True)
A._convert_indices_from_coo_to_csr.out(sorted_k, 4, out=+el), A._convert_indices_from_csr_to_coo.out(crow, col, out=+el)
A._copy_from(m45, torch.zeros(4, 5, device=d))
A._ctc_loss.Tensor(logs, targets, lengths, short)
A._ctc_loss_backward.Tensor(w2, logs, targets, lengths, short, *A._ctc_loss.Tensor(logs, targets, lengths, short), 0)
A._cummax_helper(m45, torch.empty(4, 5, device=d), torch.empty(4, 5, dtype=torch.long, device=d), 1)
A._cummin_helper(m45, torch.empty(4, 5, device=d), torch.empty(4, 5, dtype=torch.long, device=d), 0)
A._dirichlet_grad(p45, p45 + 1, p45.sum(1, True).expand(4, 5) + 5), A._sample_dirichlet(p45), A._standard_gamma(p45)
A._standard_gamma_grad(p45, p45), A.binomial(p45 * 9 // 1, p45), A.poisson(p45)
A._embedding_bag_forward_only(m45, k3, offsets), A._embedding_bag_forward_only(m45, k3, offsets, mode=2)
A._embedding_bag(m45, k3, offsets, mode=1)
A._embedding_bag_dense_backward(m35, k3, torch.arange(3, device=d), *A._embedding_bag(m45, k3, torch.arange(3, device=d))[2:], 4, False, 0, None)
A._fake_quantize_learnable_per_tensor_affine(m45, one * 0.1, zero, 0, 255, 1.0)
A._fake_quantize_learnable_per_tensor_affine_backward(m45, m45, one * 0.1, zero, 0, 255, 1.0)
A._fake_quantize_learnable_per_channel_affine(m45, p5 * 0.1, v5 * 0, 1, 0, 255, 1.0)
A._fake_quantize_learnable_per_channel_affine_backward(m45, m45, p5 * 0.1, v5 * 0, 1, 0, 255, 1.0)
A._fake_quantize_per_tensor_affine_cachemask_tensor_qparams(m45, one * 0.1, counter, on, 0, 255)
A.fake_quantize_per_channel_affine_cachemask(m45, p5 * 0.1, (k5 * 0).int(), 1, 0, 255)
A.fake_quantize_per_tensor_affine_cachemask(m45, 0.1, 3, 0, 255)
A._fused_moving_avg_obs_fq_helper(m45, on64, on64, -one, one, one * 0.1, counter, 0.01, 0, 255, 0)
A._fused_adam_(*adam([m45, v5]), lr=0.1, beta1=0.9, beta2=0.99, weight_decay=0.1, eps=1e-8, amsgrad=True, maximize=False)
A._fused_adam_.tensor_lr(*adam([m45], False), lr=one, beta1=0.9, beta2=0.99, weight_decay=0.1, eps=1e-8, amsgrad=False, maximize=True)
A._fused_adamw_(*adam([m45, v5]), lr=0.1, beta1=0.9, beta2=0.99, weight_decay=0.1, eps=1e-8, amsgrad=True, maximize=False)
A._fused_adamw_.tensor_lr(*adam([v5], False), lr=one, beta1=0.9, beta2=0.99, weight_decay=0.1, eps=1e-8, amsgrad=False, maximize=False)
A._fused_sgd_([+m45], [m45 * 2], [m45 * 0], weight_decay=0.1, momentum=0.9, lr=0.1, dampening=0, nesterov=True, maximize=False, is_first_step=False)
A._fused_sgd_.tensor_lr([+m45], [m45 * 2], [m45 * 0], weight_decay=0.1, momentum=0.9, lr=one, dampening=0, nesterov=False, maximize=False, is_first_step=True)
A._foreach_add.Tensor([m45, v5], one.squeeze()), A._foreach_add_.Tensor([m45.clone()], one.squeeze(), alpha=2)
A._foreach_addcdiv.Scalar([m45], [m45], [p45], 0.3), A._foreach_addcdiv.ScalarList([m45], [m45], [p45], [0.3])
A._foreach_addcdiv.Tensor([m45], [m45], [p45], torch.tensor([0.3])), A._foreach_addcdiv_.Tensor([m45.clone()], [m45], [p45], torch.tensor([0.3]))
A._foreach_addcdiv_.Scalar([m45.clone()], [m45], [p45], 0.3), A._foreach_addcdiv_.ScalarList([m45.clone()], [m45], [p45], [0.3])
A._foreach_addcmul.Tensor([m45], [m45], [p45], torch.tensor([0.3])), A._foreach_addcmul_.Tensor([m45.clone()], [m45], [p45], torch.tensor([0.3]))
A._foreach_div_.Tensor([m45.clone()], p45[0, 0]), A._foreach_pow.ScalarAndTensor(2.0, [m45]), A._foreach_mul.Tensor([m45], one.squeeze())
A.is_coalesced(coo), A._fused_sdp_choice(q, q, q), A._fused_sdp_choice(q, q, q, None, 0.1, True)
A._index_put_impl_(+m45, [k3], m35, True), A._index_put_impl_(+m45, [k3], m35, False, True)
A._linalg_eigvals(m55), A.linalg_eigvals.out(m55, out=torch.empty(0, dtype=torch.complex64, device=d))
A._masked_softmax(m45, m45 > 0, 1, 2), A._masked_softmax_backward(m45, torch.softmax(m45, 1), m45 > 0, 1)
A._native_multi_head_attention(m345, m345, m345, 5, 1, m155, v15, m55, v5, None)
A._transform_bias_rescale_qkv(m345.repeat(1, 1, 3), v15, 1)
A._transformer_encoder_layer_fwd(m345, 5, 1, m155, v15, m55, v5, False, False, 1e-5, p5, v5, p5, v5, m55, v5, m55, v5)
A._reshape_alias(m45, [5, 4], [4, 1]), A.is_set_to(m45, m45), A.is_set_to(m45, m55)
A._scaled_mm(m45.repeat(4, 4)[:, :16].to(f8), m55.repeat(4, 4)[:16, :16].to(f8).t(), one, one, out_dtype=torch.float32)
A._scaled_mm.out(m45.repeat(4, 4)[:, :16].to(f8), m55.repeat(4, 4)[:16, :16].to(f8).t(), one, one, out_dtype=torch.float32, out=+e)
A._unique(i), A._unique(i, True, True), A.unique_dim(i, 0), A.unique_dim_consecutive(i, 1, True, True)
A._upsample_bicubic2d_aa(image, [3, 4], False), A._upsample_bicubic2d_aa_backward(small, [3, 4], [2, 3, 6, 6], False)
A._upsample_nearest_exact2d(image, [3, 4]), A._upsample_nearest_exact2d_backward(small, [3, 4], [2, 3, 6, 6])
A.upsample_nearest2d(image, [3, 4]), A.upsample_nearest2d_backward(small, [3, 4], [2, 3, 6, 6])
A._upsample_nearest_exact3d(volume, [2, 3, 4]), A._upsample_nearest_exact3d_backward(little, [2, 3, 4], [1, 2, 4, 4, 4])
A.upsample_nearest3d(volume, [2, 3, 4]), A.upsample_nearest3d_backward(little, [2, 3, 4], [1, 2, 4, 4, 4])
A._upsample_bicubic2d_aa.out(image, [3, 4], False, out=+e), A._upsample_nearest_exact2d.out(image, [3, 4], out=+e)
A.upsample_nearest2d.out(image, [3, 4], out=+e), A.upsample_nearest3d.out(volume, [2, 3, 4], out=+e)
A._validate_compressed_sparse_indices(True, crow, col, 4, 5, 3)
A._weight_norm_interface(m45, v4), A._weight_norm_interface_backward(m45, m45, v4, p4, 0)
A.adaptive_avg_pool2d.out(image, [2, 3], out=+e), A.adaptive_avg_pool3d.out(volume, [2, 2, 3], out=+e)
A.adaptive_avg_pool3d_backward.grad_input(volume[..., :2, :2, :2] * 1, volume, grad_input=+e)
A._adaptive_avg_pool3d_backward(volume[..., :2, :2, :2] * 1, volume)
A.all.dim(b, 1), A.all.dims(b, [0, 1]), A.any.dims(b, [0]), A.all.out(b, 1, out=+eb), A.all.dims_out(b, [1], out=+eb)
A.any.dims_out(b, [1], out=+eb), A.any.dim(b, 0, True), A.all.dim(m45, 0), A.any.dims(m45, None, True)
A.arange.start_out(1, 9, 2, out=+e), A.eye.out(3, out=+e), A.eye.m_out(3, 4, out=+e), A.range.out(0, 5, 2, out=+e)
A.linspace.out(0, 1, 5, out=+e), A.logspace.out(0, 1, 5, out=+e), A.randperm.generator_out(7, generator=None, out=+el)
A.argsort.stable(i, stable=True), A.sort.stable(i, stable=True), A.sort.values_stable(m45, stable=True, values=+e, indices=+el)
A.bernoulli.out(p45 * 0.9, out=+e), A.bernoulli_.Tensor(+m45, p45 * 0.9), A.bernoulli_.float(+m45, 0.3), A.random_(+m45), A.random_(+i)
getattr(A.random_, 'from')(+i, -5, 9), A.random_.to(+i, 17), A.random_.to(+m45, 17), A.exponential_(+m45), A.geometric_(+m45, 0.4)
A.bucketize.Scalar(0.1, v5.sort()[0]), A.searchsorted.Scalar(v5.sort()[0], 0.1), A.searchsorted.Scalar_out(v5.sort()[0], 0.1, out=+el)
A.clamp(m45, -0.3, 0.4), A.clamp.out(m45, -0.3, out=+e), A.clamp_max(m45, 0.1), A.clamp_max.out(m45, 0.1, out=+e), A.clamp_max_(+m45, 0.1)
A.complex.out(m45, m45 + 1, out=+ec), A.polar.out(p45, m45, out=+ec), A.conj_physical.out(c, out=+ec), A.conj_physical.out(m45, out=+e)
A.convolution_overrideable(image, kernel, b4, [1, 1], [1, 1], [1, 1], False, [0, 0], 1)
A.convolution_overrideable(image, kernel.transpose(0, 1), b4, [2, 1], [1, 0], [1, 1], True, [1, 0], 1)
A.convolution_backward_overrideable(out4, image, kernel, [1, 1], [1, 1], [1, 1], False, [0, 0], 1, [True, True, True])
A.count_nonzero.dim_IntList(b, [0]), A.embedding_renorm_(+m45, k3, 0.5, 2.0), A.fill_.Tensor(+m45, one.squeeze())
A.fft_fft(c), A.fft_ifft(c), A.fft_rfft(m45), A.fft_irfft(c), A.fft_fft.out(c, out=+ec), A.fft_ifft.out(c, out=+ec)
A.fft_rfft.out(m45, out=+ec), A.fft_irfft.out(c, out=+e), A.stft(v15.repeat(9), 16, onesided=True, return_complex=True)
A.stft.center(v15.repeat(9), 16, onesided=True, return_complex=True), A.stft.center(v15.repeat(9), 16, return_complex=False)
A.floor_divide_.Tensor(+m45, p45), A.frexp.Tensor_out(m45, mantissa=+e, exponent=+ei)
A.glu_jvp(m45[:, :2], m45[:, :4], m45[:, :4] * 2, 1), A.glu_backward_jvp(m45[:, :4], m45[:, :2], m45[:, :4], m45[:, :2], m45[:, :4], 1)
A.glu_jvp.out(m45[:, :2], m45[:, :4], m45[:, :4] * 2, 1, out=+e)
A.glu_backward_jvp.out(m45[:, :4], m45[:, :2], m45[:, :4], m45[:, :2], m45[:, :4], 1, out=+e)
A.huber_loss_backward.out(m45, m45, p45, 1, 1.0, grad_input=+e), A.smooth_l1_loss_backward.grad_input(m45, m45, p45, 1, 1.0, grad_input=+e)
A.index_fill_.int_Scalar(+m45, 0, k3, 0.5), A.index_fill_.int_Tensor(+m45, 0, k3, one.squeeze())
A.isin.Scalar_Tensor(3, i), A.isin.Tensor_Scalar(i, 3), A.isin.Scalar_Tensor_out(3, i, out=+eb), A.isin.Tensor_Scalar_out(i, 3, out=+eb)
A.kthvalue.values(m45, 2, values=+e, indices=+el), A.median.dim_values(m45, 1, values=+e, indices=+el)
A.nanmedian.dim_values(m45, 1, values=+e, indices=+el), A.lerp.Tensor(m45, p45, p45), A.lerp.Tensor_out(m45, p45, p45, out=+e)
A.less.Tensor(m45, p45), A.less.Tensor_out(m45, p45, out=+eb), A.less_.Tensor(+m45, p45)
A.not_equal.Tensor(m45, p45), A.not_equal.Tensor_out(m45, p45, out=+eb), A.not_equal_.Tensor(+m45, p45)
A.linalg_lstsq.out(m55, m55, solution=+e, residuals=+e, rank=+el, singular_values=+e)
A.masked_fill_.Tensor(+m45, m45 > 0, one.squeeze()), A.masked_scatter_(+m45, m45 > 0, p45), A.mvlgamma.out(p45 + 4, 2, out=+e)
A.nan_to_num.out(m45 / 0, out=+e), A.native_channel_shuffle(four, 2), A.one_hot(k3, 5), A.one_hot(k3)
A.nll_loss2d_forward(image, classes, None, 1, -100), A.nll_loss2d_forward(image, classes, w3, 2, 1)
A.nll_loss2d_forward.output(image, classes, w3, 2, 1, output=+e, total_weight=+e)
A.nll_loss2d_backward(one.squeeze(), image, classes, None, 1, -100, one.squeeze() * 72)
A.nll_loss2d_backward.grad_input(one.squeeze(), image, classes, None, 1, -100, one.squeeze() * 72, grad_input=+e)
A.norm.ScalarOpt_dim_dtype(m45, 2, [1], False, dtype=torch.float64), A.norm.dtype_out(m45, 2, [1], False, dtype=torch.float32, out=+e)
A.normal.Tensor_float(m45), A.normal.Tensor_float_out(m45, 2.0, out=m45 * 0), A.normal.float_Tensor(1.0, p45), A.normal.float_Tensor_out(1.0, p45, out=m45 * 0)
A.pow_.Tensor(+p45, m45), A.prod.dim_int(m45, 1), A.prod.int_out(m45, 1, out=+e), A.put_(+m45, k3, v5[:3], True)
A.reflection_pad2d(image, [1, 2, 0, 1]), A.reflection_pad2d_backward(out2 * 1, image, [1, 1, 1, 1])
A.reflection_pad3d(volume, [1] * 6), A.reflection_pad3d_backward(big * 1, volume, [1] * 6)
A.replication_pad3d(volume, [1] * 6), A.replication_pad3d_backward(big * 1, volume, [1] * 6)
A.remainder.Scalar_Tensor(7, p45), A.repeat_interleave.Tensor(k3), A.rsub.Scalar_out(m45, 2, out=+e)
A.rrelu_with_noise(m45, m45 * 0, 0.1, 0.3, True), A.rrelu_with_noise_(+m45, m45 * 0, 0.1, 0.3, True)
A.rrelu_with_noise.out(m45, m45 * 0, 0.1, 0.3, True, out=m45 * 0), A.rrelu_with_noise_functional(m45, m45 * 0, 0.1, 0.3, True)
A.scatter.reduce(m45, 0, ix, p45, reduce="add"), A.scatter.reduce_out(m45, 0, ix, p45, reduce="multiply", out=+e)
A.scatter.value_reduce(m45, 0, ix, 2.0, reduce="add"), A.scatter.value_reduce_out(m45, 0, ix, 2.0, reduce="multiply", out=+e)
A.scatter_.reduce(+m45, 0, ix, p45, reduce="add"), A.scatter_.value_reduce(+m45, 0, ix, 2.0, reduce="multiply")
A.set_(+m45), A.set_.source_Tensor(+m45, p45), A.set_.source_Storage(+m45, p45.untyped_storage())
A.set_.source_Storage_storage_offset(+m45, p45.untyped_storage(), 2, [3, 4], [4, 1])
A.split_with_sizes_copy.out(m45, [2, 2], 0, out=[+e, +e]), A.record_stream(m45, torch.accelerator.current_stream())
A.quantized_max_pool2d(quint, [2, 2]), A.quantize_per_tensor(m45, 0.1, 10, torch.quint8), A.qscheme(quint), A.q_scale(quint)
A.q_zero_point(quint), A.int_repr(quint), A.dequantize.self(quint), A.q_per_channel_axis(channels), A.q_per_channel_scales(channels)
A.q_per_channel_zero_points(channels), A.quantize_per_channel(m45, p5 * 0.1, k5 * 0, 1, torch.quint8), A._to_sparse(m45)
A.quantize_per_tensor.tensor_qparams(m45, one * 0.1, counter, torch.quint8), A.quantize_per_tensor_dynamic(m45, torch.quint8, False)
A._empty_affine_quantized([2, 3], device=d, dtype=torch.quint8, scale=0.1, zero_point=3)
A._empty_per_channel_affine_quantized([2, 5], scales=p5, zero_points=k5, axis=1, device=d, dtype=torch.quint8)
A._make_per_tensor_quantized_tensor(u8, 0.1, 3), A._make_per_channel_quantized_tensor(u8, p5, k5, 1), A.empty_quantized([2, 2], quint)
A._to_sparse.sparse_dim(m45, 1), A._to_sparse_csr(m45), A.indices(coo), A.values(coo), A._indices(coo), A._values(coo), A._nnz(coo)
A.sparse_dim(coo), A._coalesce(torch.sparse_coo_tensor(k3[None], m35, (4, 5), device=d, is_coalesced=False)), A._coalesced_(coo, True), A.crow_indices(csr), A.col_indices(csr)
A._sparse_coo_tensor_with_dims_and_tensors(1, 1, [4, 5], k3[None], m35, layout=torch.sparse_coo, device=d)
A._nested_tensor_from_mask(m345, torch.ones(3, 4, dtype=torch.bool, device=d)), A.to_padded_tensor(nested, 0.0)
A._nested_tensor_from_mask_left_aligned(m345, torch.ones(3, 4, dtype=torch.bool, device=d))
A._nested_from_padded(m345, torch.tensor([[4, 5]] * 3)), A._nested_compute_contiguous_strides_offsets(torch.tensor([[4, 5]] * 3))
A._nested_view_from_buffer(m345.view(-1), torch.tensor([[4, 5]] * 3), torch.tensor([[5, 1]] * 3), torch.tensor([0, 20, 40]))
A._thnn_fused_lstm_cell(m45[:, :4], m45[:, :4], m45[:, :1]), A._thnn_fused_gru_cell(m45[:, :3], m45[:, :3], m45[:, :1])
A._flash_attention_forward(q, q, q, None, None, 4, 4, 0.0, False, False)
"""


def values(d: str) -> dict[str, Any]:
    """Small tensors on the device; names tell the shape, m, v, p: normal, vector, positive."""
    torch.manual_seed(2)
    made: dict[str, Any] = {"A": torch.ops.aten, "torch": torch, "d": d, "f8": torch.float8_e4m3fn}
    for name, shape in {
        "m45": (4, 5), "m55": (5, 5), "m33": (3, 3), "m25": (2, 5), "m35": (3, 5), "m345": (3, 4, 5), "m155": (15, 5),
        "v5": (5,), "v4": (4, 1), "v15": (15,), "b3": (3,), "b4": (4,), "image": (2, 3, 6, 6), "small": (2, 3, 3, 4), "volume": (1, 2, 4, 4, 4),
        "little": (1, 2, 2, 3, 4), "big": (1, 2, 6, 6, 6), "out2": (2, 3, 8, 8), "out4": (2, 4, 6, 6), "kernel": (4, 3, 3, 3),
        "four": (2, 4, 3, 3), "q": (2, 2, 4, 8),
    }.items():  # fmt: skip
        made[name] = torch.randn(shape).to(d)
    for name, shape in {"p45": (4, 5), "p5": (5,), "p4": (4, 1), "w3": (3,), "w2": (2,), "one": (1,)}.items():
        made[name] = torch.rand(shape).to(d) + 0.1
    made["one"] = torch.ones(1, device=d)
    made["zero"] = torch.zeros(1, device=d)
    made["eye"] = torch.eye(5).to(d)
    made["counter"] = torch.zeros(1, dtype=torch.int32, device=d)
    for name, of in {
        "k3": [1, 0, 3],
        "k5": [4, 0, 2, 1, 3],
        "sorted_k": [0, 1, 1, 3],
        "crow": [0, 1, 2, 2, 3],
        "col": [0, 2, 4],
    }.items():
        made[name] = torch.tensor(of, device=d)
    made["offsets"] = torch.tensor([0, 2], device=d)
    made["i"], made["j"] = torch.randint(1, 9, (3, 4)).to(d), torch.randint(1, 5, (3, 4)).to(d)
    made["ix"], made["classes"] = torch.randint(4, (4, 5)).to(d), torch.randint(3, (2, 6, 6)).to(d)
    made["b"], made["c"] = (torch.randn(4, 5) > 0).to(d), torch.randn(4, 5, dtype=torch.complex64).to(d)
    made["on"], made["on64"] = torch.ones(1, dtype=torch.int64).to(d), torch.ones(1, dtype=torch.int64).to(d)
    made["u8"] = torch.randint(9, (3, 5), dtype=torch.uint8).to(d)
    made["logs"], made["targets"] = torch.randn(6, 2, 4).log_softmax(2).to(d), torch.tensor([[1, 2], [3, 1]], device=d)
    made["lengths"], made["short"] = torch.tensor([6, 5], device=d), torch.tensor([2, 1], device=d)
    for name, dtype in {
        "e": torch.float32,
        "el": torch.int64,
        "ei": torch.int32,
        "eb": torch.bool,
        "ec": torch.complex64,
        "e8": torch.uint8,
    }.items():
        made[name] = _Fresh(dtype, d)
    made["adam"] = _adam
    return made


class _Fresh:
    """`+e` is an empty tensor, a new one each time."""

    def __init__(self, dtype: torch.dtype, device: str) -> None:
        self._make = lambda: torch.empty(0, dtype=dtype, device=device)

    def __pos__(self) -> torch.Tensor:
        return self._make()


def _adam(parameters: list[torch.Tensor], amsgrad: bool = True) -> list[list[torch.Tensor]]:
    step = [torch.full((), 3.0, device=p.device) for p in parameters]
    moments = [[p.abs() * factor for p in parameters] for factor in (0.1, 0.2, 0.3)]
    if not amsgrad:
        moments[2] = []
    return [[p.clone() for p in parameters], [p * 2 for p in parameters], *moments, step]


def make_special(made: dict[str, Any], d: str) -> None:
    """Tensors of other kinds, as far as the device can make them."""
    for name, make in {
        "quint": lambda: torch.quantize_per_tensor(made["image"], 0.1, 10, torch.quint8),
        "channels": lambda: torch.quantize_per_channel(made["m45"], made["p5"], made["k5"] * 0, 1, torch.quint8),
        "coo": lambda: made["m45"].to_sparse(),
        "csr": lambda: made["m45"].to_sparse_csr(),
        "nested": lambda: torch.nested.nested_tensor([made["m45"], made["m35"]]),
    }.items():
        try:
            value = make()
        except (RuntimeError, NotImplementedError, TypeError):
            continue
        if value.device.type == torch.device(d).type:
            made[name] = value


def expressions() -> list[str]:
    """Each call alone."""
    out: list[str] = []
    for line in CALLS.strip().splitlines():
        out += re.split(r", (?=A\.|getattr\(A)", line)
    # `+x` is a copy of x, to be written; `+e` makes its own.
    return [re.sub(r"\+(m45|i|p45)\b(?! )", r"\1.clone()", expression) for expression in out]
