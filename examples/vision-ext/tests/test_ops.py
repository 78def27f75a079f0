import pytest
import torch

import visionext
from visionext import functional
from visionext.functional import gaussian_blur, gaussian_kernel, masked_mean, roi_pool

DEVICES = ["cpu"] + (["cuda"] if torch.cuda.is_available() else [])
needs_cuda = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
needs_extension = pytest.mark.skipif(visionext.extension() is None, reason="the extension is not built")

ROIS = torch.tensor([
    [0, 0, 0, 32, 32],
    [1, 3.3, 7.9, 20.1, 30.0],
    [1, 30, 30, 90, 90],  # beyond the image
    [0, 12, 12, 12, 12],  # empty
    [2, -9, 4, 5, 9],
], dtype=torch.float32)


@pytest.fixture(params=DEVICES)
def device(request):
    return torch.device(request.param)


def features(device, dtype=torch.float64):
    generator = torch.Generator().manual_seed(3)
    return torch.rand((3, 2, 16, 16), generator=generator, dtype=dtype).to(device)


def naive_roi_pool(x, rois, size, scale):
    out = torch.zeros(len(rois), x.shape[1], size, size, dtype=x.dtype)
    height, width = x.shape[-2:]
    for k, (image, *box) in enumerate(rois.tolist()):
        left, top = (int(max(0, min(limit - 1, v * scale // 1))) for v, limit in zip(box[:2], (width, height)))
        right, bottom = (
            int(max(low + 1, min(limit, -(-v * scale // 1))))
            for v, low, limit in zip(box[2:], (left, top), (width, height))
        )
        for i in range(size):
            for j in range(size):
                y0, y1 = top + i * (bottom - top) // size, top - (-(i + 1) * (bottom - top) // size)
                x0, x1 = left + j * (right - left) // size, left - (-(j + 1) * (right - left) // size)
                out[k, :, i, j] = x[int(image), :, y0:y1, x0:x1].amax((1, 2))
    return out


def test_roi_pool_equals_the_definition(device):
    x = features(device)
    assert torch.equal(roi_pool(x, ROIS.to(device), 3, 0.5).cpu(), naive_roi_pool(x.cpu(), ROIS, 3, 0.5))


def test_roi_pool_of_no_boxes(device):
    assert roi_pool(features(device), torch.zeros((0, 5), device=device), 2).shape == (0, 2, 2, 2)


def test_gradients(device):
    x = features(device).requires_grad_()
    rois = ROIS.to(device)
    mask = (features(device)[:, 0] > 0.5).float()
    assert torch.autograd.gradcheck(lambda t: roi_pool(t, rois, 3, 0.5), x, nondet_tol=1e-9)
    assert torch.autograd.gradcheck(lambda t: gaussian_blur(t, 1.2), x)
    assert torch.autograd.gradcheck(lambda t: masked_mean(t, mask), x)


def test_blur_keeps_the_mass_of_an_inner_dot(device):
    image = torch.zeros((1, 1, 31, 31), dtype=torch.float64, device=device)
    image[0, 0, 15, 15] = 1
    blurred = gaussian_blur(image, 2.0)
    assert blurred.sum().item() == pytest.approx(1)
    assert torch.allclose(blurred, blurred.flip(2)) and torch.allclose(blurred, blurred.transpose(2, 3))
    kernel = gaussian_kernel(2.0, device=device, dtype=torch.float64)
    assert torch.allclose(blurred[0, 0, 15, 9:22], kernel * kernel[6])


def test_masked_mean_of_an_empty_mask_is_zero(device):
    mask = torch.zeros((3, 16, 16), device=device)
    assert masked_mean(features(device), mask).abs().max() == 0
    mask[:, 2, 5] = 1
    assert torch.equal(masked_mean(features(device), mask), features(device)[:, :, 2, 5])


@needs_extension
def test_extension_equals_fallback(monkeypatch):
    x, mask = features("cpu", torch.float32), (features("cpu")[:, 1] > 0.3).float()
    compiled = [roi_pool(x, ROIS, (2, 3), 0.5), gaussian_blur(x, 1.5), masked_mean(x, mask)]
    monkeypatch.setattr(functional, "extension_for", lambda tensor: None)
    plain = [roi_pool(x, ROIS, (2, 3), 0.5), gaussian_blur(x, 1.5), masked_mean(x, mask)]
    for left, right in zip(compiled, plain):
        assert torch.allclose(left, right, atol=1e-6)


@needs_extension
def test_extension_refuses_bad_input():
    module = visionext.extension()
    x = features("cpu", torch.float32)
    with pytest.raises(RuntimeError, match="contiguous"):
        module.roi_pool_forward(x.transpose(2, 3), ROIS, 0.5, 2, 2)
    with pytest.raises(RuntimeError, match="names no image"):
        module.roi_pool_forward(x, ROIS + torch.tensor([2.0, 0, 0, 0, 0]), 0.5, 2, 2)
    with pytest.raises(RuntimeError, match="odd"):
        module.gaussian_blur(x, torch.ones(4))


@needs_cuda
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_cuda_equals_cpu(dtype):
    x = features("cpu", torch.float32)
    mask = (x[:, 0] > 0.5).float()
    tolerance = 1e-6 if dtype is torch.float32 else 2e-3
    for op in (lambda t: roi_pool(t, ROIS.to(t.device), 3, 0.5), lambda t: gaussian_blur(t, 1.5),
               lambda t: masked_mean(t, mask.to(t.device))):
        torch.testing.assert_close(op(x.cuda().to(dtype)).float().cpu(), op(x), atol=tolerance, rtol=tolerance)


@needs_cuda
def test_kernels_run_on_the_current_stream():
    x = features("cuda", torch.float32)
    expected = gaussian_blur(x, 1.5)
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        actual = gaussian_blur(x, 1.5)
    torch.cuda.current_stream().wait_stream(stream)
    assert torch.equal(actual, expected)


@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="needs two GPUs")
def test_second_device_is_respected():
    torch.cuda.set_device(0)
    x = features("cuda:1", torch.float32)
    assert roi_pool(x, ROIS.to("cuda:1"), 2, 0.5).device == torch.device("cuda:1")
