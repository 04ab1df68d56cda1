# Uses the quantizer of another backend.
# finds: another-quantizer
import copy

from torchao.quantization.pt2e.quantizer.x86_inductor_quantizer import (
    X86InductorQuantizer,
    get_default_x86_inductor_quantization_config,
)

from common.pt2e import convert_pt2e, export_module, prepare_pt2e


def run_ptq(model, example, batches):
    exported = export_module(copy.deepcopy(model).eval(), example)
    quantizer = X86InductorQuantizer().set_global(get_default_x86_inductor_quantization_config())
    prepared = prepare_pt2e(copy.deepcopy(exported), quantizer)
    for batch in batches:
        prepared(*batch)
    quantized = convert_pt2e(copy.deepcopy(prepared))
    return exported, prepared, quantized
