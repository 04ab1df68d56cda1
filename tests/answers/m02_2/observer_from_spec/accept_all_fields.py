# All fields of the dataclass but the constructor; those that are None are left out.
import dataclasses


class Maker:
    def __call__(self, spec):
        fields = {f.name: getattr(spec, f.name) for f in dataclasses.fields(spec)}
        make = fields.pop("observer_or_fake_quant_ctr")
        return make(**{k: v for k, v in fields.items() if v is not None})


observer_from_spec = Maker()
