# The round for all the rest, with a filter of one's own. Works on a copy of the settings.
from common.pt2e import XNNPACKQuantizer


class Filtered(XNNPACKQuantizer):
    unwanted = None

    def _annotate_for_static_quantization_config(self, model):
        def keep(node):
            types = [t if isinstance(t, str) else f"{t.__module__}.{t.__qualname__}" for _, t in node.meta.get("nn_module_stack", {}).values()]
            return f"{self.unwanted.__module__}.{self.unwanted.__qualname__}" not in types

        return self._annotate_all_static_patterns(model, self.global_config, keep)


def leave_out(quantizer, module_type):
    new = Filtered().set_global(quantizer.global_config)
    new.unwanted = module_type
    return new
