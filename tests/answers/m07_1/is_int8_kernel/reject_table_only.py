# finds: one-library
# not: prepack
def is_int8_kernel(names):
    yes = {
        "onednn::qconv_pointwise",
        "onednn::qlinear_pointwise",
        "quantized::conv2d",
        "quantized::linear_relu",
        "quantized::add",
        "aten::_int_mm",
    }
    return [n in yes for n in names]
