"""Small nets, one idea each. `get_model(name)` builds them; the same seed gives the same weights."""

from collections.abc import Callable

import torch
from torch import nn

from common.i18n import _


class ConvReLU(nn.Module):
    """3→8 channels: conv → relu. The smallest net with an activation and a weight to quantize."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)
        self.relu = nn.ReLU()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.relu(self.conv(x))


class ConvReLUConv(nn.Module):
    """conv → relu → conv: relu has one consumer, and there are two weights."""

    def __init__(self) -> None:
        super().__init__()
        self.conv_a = nn.Conv2d(3, 6, 3, padding=1)
        self.relu = nn.ReLU()
        self.conv_b = nn.Conv2d(6, 4, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.conv_b(self.relu(self.conv_a(x)))


class ConvChain(nn.Module):
    """conv → relu → conv → conv → relu: one conv without a relu in the middle, another number of channels each time."""

    def __init__(self) -> None:
        super().__init__()
        self.conv_a = nn.Conv2d(3, 5, 3, padding=1)
        self.relu_a = nn.ReLU()
        self.conv_b = nn.Conv2d(5, 7, 1)
        self.conv_c = nn.Conv2d(7, 4, 3)
        self.relu_c = nn.ReLU()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.relu_c(self.conv_c(self.conv_b(self.relu_a(self.conv_a(x)))))


class CatPool(nn.Module):
    """x feeds two convs; their outputs are concatenated and pooled."""

    def __init__(self) -> None:
        super().__init__()
        self.conv_a = nn.Conv2d(3, 4, 3, padding=1)
        self.conv_b = nn.Conv2d(3, 4, 1)
        self.pool = nn.MaxPool2d(2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.pool(torch.cat([self.conv_a(x), self.conv_b(x)], dim=1))


class Residual(nn.Module):
    """conv → relu → (conv + skip) → relu: the first relu has two consumers."""

    def __init__(self) -> None:
        super().__init__()
        self.conv_a = nn.Conv2d(3, 8, 3, padding=1)
        self.relu_a = nn.ReLU()
        self.conv_b = nn.Conv2d(8, 8, 3, padding=1)
        self.relu_b = nn.ReLU()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.relu_a(self.conv_a(x))
        return self.relu_b(self.conv_b(y) + y)


class TwiceUsed(nn.Module):
    """relu(x) + relu(x): one consumer takes the same node in both places."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 5, 1)
        self.relu = nn.ReLU()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.relu(self.conv(x))
        return y + y


class PlainConv(nn.Module):
    """3→4 channels: one conv and nothing behind it."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.conv(x)


class AddPool(nn.Module):
    """max_pool(relu(x) + x): there is much to quantize, but no weight."""

    def __init__(self) -> None:
        super().__init__()
        self.relu = nn.ReLU()
        self.pool = nn.MaxPool2d(2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.pool(self.relu(x) + x)


class LinearReLU(nn.Module):
    """3×16×16 image → flatten → linear → relu → linear: no convolution at all."""

    def __init__(self) -> None:
        super().__init__()
        self.fc_a = nn.Linear(3 * 16 * 16, 12)
        self.relu = nn.ReLU()
        self.fc_b = nn.Linear(12, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.fc_b(self.relu(self.fc_a(torch.flatten(x, 1))))


class ConvBNDrop(nn.Module):
    """conv → batch norm → relu → average → dropout → linear: in train mode it computes something else each time."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 6, 3, padding=1)
        self.bn = nn.BatchNorm2d(6)
        self.relu = nn.ReLU()
        self.pool = nn.AdaptiveAvgPool2d(4)
        self.drop = nn.Dropout(0.5)
        self.fc = nn.Linear(6 * 4 * 4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.pool(self.relu(self.bn(self.conv(x))))
        return self.fc(self.drop(torch.flatten(x, 1)))


class PoolChain(nn.Module):
    """Three times conv → relu, pools behind the first and the last, then flatten → linear."""

    def __init__(self) -> None:
        super().__init__()
        self.conv_a = nn.Conv2d(3, 4, 3, padding=1)
        self.relu_a = nn.ReLU()
        self.pool_a = nn.MaxPool2d(2)
        self.conv_b = nn.Conv2d(4, 6, 3, padding=1)
        self.relu_b = nn.ReLU()
        self.conv_c = nn.Conv2d(6, 8, 1)
        self.relu_c = nn.ReLU()
        self.pool_c = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(8, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.pool_a(self.relu_a(self.conv_a(x)))
        x = self.relu_c(self.conv_c(self.relu_b(self.conv_b(x))))
        return self.fc(torch.flatten(self.pool_c(x), 1))


class Branches(nn.Module):
    """Tensors with two kinds of reader: x feeds two convs, the first relu feeds a conv and cat."""

    def __init__(self) -> None:
        super().__init__()
        self.conv_a = nn.Conv2d(3, 4, 3, padding=1)
        self.relu_a = nn.ReLU()
        self.conv_b = nn.Conv2d(4, 6, 1)
        self.relu_b = nn.ReLU()
        self.conv_c = nn.Conv2d(3, 5, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.relu_a(self.conv_a(x))
        z = self.relu_b(self.conv_b(y))
        return torch.cat([z, y, self.conv_c(x)], dim=1)


class InPlace(nn.Module):
    """conv → relu → +1 → conv, where relu and +1 write into the tensor that they read."""

    def __init__(self) -> None:
        super().__init__()
        self.conv_a = nn.Conv2d(3, 4, 3, padding=1)
        self.relu = nn.ReLU(inplace=True)
        self.conv_b = nn.Conv2d(4, 2, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.relu(self.conv_a(x))
        y += 1
        return self.conv_b(y)


class Halves(nn.Module):
    """conv → halves of the channels (one op, two tensors) → swapped by cat → relu written into a view → conv → tanh."""

    def __init__(self) -> None:
        super().__init__()
        self.conv_a = nn.Conv2d(3, 6, 1)
        self.relu = nn.ReLU(inplace=True)
        self.conv_b = nn.Conv2d(6, 2, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        a, b = torch.chunk(self.conv_a(x), 2, dim=1)
        y = torch.cat([b, a], dim=1)
        self.relu(y[:, :3])
        return torch.tanh(self.conv_b(y))


class ManyOps(nn.Module):
    """Ops that are easy to take for each other: relu and relu6, two overloads of mean, add with and without alpha."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 3, 1)
        self.relu_a = nn.ReLU()
        self.relu_b = nn.ReLU()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.add(self.relu_a(self.conv(x)), x, alpha=2)
        y = y - torch.sigmoid(y.mean())
        y = self.relu_b(y + y.mean((2, 3), keepdim=True))
        return nn.functional.relu6(y)


class Gate(nn.Module):
    """conv → (relu → conv → sigmoid → relu) · conv: a conv with two readers, and ops that a quantizer may not know."""

    def __init__(self) -> None:
        super().__init__()
        self.conv_a = nn.Conv2d(3, 4, 3, padding=1)
        self.relu_a = nn.ReLU()
        self.conv_b = nn.Conv2d(4, 4, 1)
        self.sigmoid = nn.Sigmoid()
        self.relu_b = nn.ReLU()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.conv_a(x)
        gate = self.sigmoid(self.conv_b(self.relu_a(y)))
        return self.relu_b(gate) * y


class GatedHalves(nn.Module):
    """conv → two halves → a · sigmoid(b) → minus its mean → average: two overloads of mean, and a Python function."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        a, b = self.conv(x).chunk(2, dim=1)
        y = a * torch.sigmoid(b)
        y = y - y.mean()
        return y.mean(dim=(2, 3))


class Tied(nn.Module):
    """conv → relu → conv: the second conv has the weight of the first, and a bias of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.conv_a = nn.Conv2d(3, 3, 3, padding=1)
        self.relu = nn.ReLU()
        self.conv_b = nn.Conv2d(3, 3, 3, padding=1)
        self.conv_b.weight = self.conv_a.weight

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.conv_b(self.relu(self.conv_a(x)))


class SplitWeight(nn.Module):
    """conv → relu → average → linear · scale: the weight of linear is put together from two parameters by cat."""

    scale: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, bias=False)
        self.relu = nn.ReLU()
        self.top = nn.Parameter(torch.randn(2, 4))
        self.bottom = nn.Parameter(torch.randn(3, 4))
        self.register_buffer("scale", torch.linspace(0.5, 1.5, 5))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.relu(self.conv(x)).mean(dim=(2, 3))
        return nn.functional.linear(y, torch.cat([self.top, self.bottom])) * self.scale


class ReshapeLinear(nn.Module):
    """conv → relu → reshape → linear: forward reads the batch size of its input."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 2, 3, stride=2, padding=1)
        self.relu = nn.ReLU()
        self.fc = nn.Linear(2 * 8 * 8, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.relu(self.conv(x))
        return self.fc(y.reshape(x.shape[0], -1))


class ReluKinds(nn.Module):
    """Four times conv → something like relu: relu, relu6 as a function, ReLU6 as a module, relu in place."""

    def __init__(self) -> None:
        super().__init__()
        self.conv_a = nn.Conv2d(3, 3, 1)
        self.relu = nn.ReLU()
        self.conv_b = nn.Conv2d(3, 3, 1)
        self.conv_c = nn.Conv2d(3, 3, 1)
        self.relu6 = nn.ReLU6()
        self.conv_d = nn.Conv2d(3, 3, 1)
        self.in_place = nn.ReLU(inplace=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.relu(self.conv_a(x))
        y = nn.functional.relu6(self.conv_b(y))
        y = self.relu6(self.conv_c(y))
        return self.in_place(self.conv_d(y))


class SideReader(nn.Module):
    """conv → relu → conv, and the output of the first conv, before its relu, is added again."""

    def __init__(self) -> None:
        super().__init__()
        self.conv_a = nn.Conv2d(3, 4, 3, padding=1)
        self.relu_a = nn.ReLU()
        self.conv_b = nn.Conv2d(4, 4, 3, padding=1)
        self.relu_b = nn.ReLU()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.conv_a(x)
        return self.relu_b(y + self.conv_b(self.relu_a(y)))


class Adds(nn.Module):
    """Three additions: one takes relu twice, one has a conv on the right, one has a conv on the left."""

    def __init__(self) -> None:
        super().__init__()
        self.conv_a = nn.Conv2d(3, 4, 1)
        self.relu_a = nn.ReLU()
        self.conv_b = nn.Conv2d(4, 4, 1)
        self.relu_b = nn.ReLU()
        self.conv_c = nn.Conv2d(3, 4, 1)
        self.conv_d = nn.Conv2d(4, 4, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.relu_a(self.conv_a(x))
        y = self.relu_b(self.conv_b(y + y))
        z = y + self.conv_c(x)
        return self.conv_d(z) + z


class Lookalikes(nn.Module):
    """Ops whose names resemble conv, relu, linear and add: conv_transpose, leaky_relu, bilinear, addcmul; then conv → relu6."""

    def __init__(self) -> None:
        super().__init__()
        self.conv_a = nn.Conv2d(3, 4, 3, padding=1)
        self.leaky = nn.LeakyReLU()
        self.up = nn.ConvTranspose2d(4, 4, 1)
        self.larger = nn.Upsample(size=(16, 16), mode="bilinear")
        self.conv_b = nn.Conv2d(4, 4, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.leaky(self.conv_a(x))
        z = self.larger(self.up(y))
        return nn.functional.relu6(self.conv_b(torch.addcmul(y, z, z)))


class TwoReaders(nn.Module):
    """linear → relu, linear + relu → relu: the linear and the sum are also read by others than their relu."""

    def __init__(self) -> None:
        super().__init__()
        self.fc_a = nn.Linear(3 * 16 * 16, 8)
        self.relu_a = nn.ReLU()
        self.relu_b = nn.ReLU()
        self.fc_b = nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.fc_a(torch.flatten(x, 1))
        z = self.relu_a(y) + y
        return self.fc_b(self.relu_b(z)) + z


class Offsets(nn.Module):
    """conv with padding "same" → sigmoid → + a parameter → sigmoid → + 1 → tanh → + 2 in place → tanh."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, padding="same")
        self.offset = nn.Parameter(torch.linspace(-1, 1, 4).reshape(4, 1, 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.sigmoid(torch.sigmoid(self.conv(x)) + self.offset)
        y = torch.tanh(y + 1)
        y += 2
        return torch.tanh(y)


class ReluTwins(nn.Module):
    """conv → two relus → · → conv → relu → relu → average → linear without bias, whose weight is read by abs too."""

    def __init__(self) -> None:
        super().__init__()
        self.conv_a = nn.Conv2d(3, 4, 1, bias=False)
        self.relu_a, self.relu_b = nn.ReLU(), nn.ReLU()
        self.conv_b = nn.Conv2d(4, 4, 1)
        self.relu_c, self.relu_d = nn.ReLU(), nn.ReLU()
        self.fc = nn.Linear(4, 3, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.conv_a(x)
        y = self.relu_a(y) * self.relu_b(y)
        y = self.relu_d(self.relu_c(self.conv_b(y)))
        return self.fc(y.mean((2, 3))) * self.fc.weight.abs().sum(1)


class Scalars(nn.Module):
    """conv → · 0.5 → relu → + 3 → conv: two numbers that are no tensors, a float and an int."""

    def __init__(self) -> None:
        super().__init__()
        self.conv_a = nn.Conv2d(3, 4, 3, padding=1)
        self.relu = nn.ReLU()
        self.conv_b = nn.Conv2d(4, 2, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.conv_b(self.relu(self.conv_a(x) * 0.5) + 3)


class NumbersLeft(nn.Module):
    """Numbers in other places: left of the sign, in place, twice the same one, beside alpha, and where nothing is added."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = 2 + self.conv(x)
        y = torch.add(y, 0.25, alpha=2) * 2
        y *= 0.1
        return (y + y) * y.clamp(0, 6)


class Positions(nn.Module):
    """conv → average → position of the largest, + 1, · the average: the 1 is added to integers."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.conv(x).mean((2, 3)) * 10
        place = y.argmax(1, keepdim=True) + 1
        return y * place


class Doubled(nn.Module):
    """conv → relu → cat with itself → cat with x → conv: one cat reads the same tensor twice, another reads a cat."""

    def __init__(self) -> None:
        super().__init__()
        self.conv_a = nn.Conv2d(3, 4, 1)
        self.relu = nn.ReLU()
        self.conv_b = nn.Conv2d(11, 2, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.relu(self.conv_a(x))
        return self.conv_b(torch.cat([torch.cat([y, y], dim=1), x], dim=1))


class Pyramid(nn.Module):
    """conv → relu → two kinds of pool, put together by cat → flatten → linear."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 2, 3, padding=1)
        self.relu = nn.ReLU()
        self.max = nn.MaxPool2d(2)
        self.average = nn.AdaptiveAvgPool2d(8)
        self.fc = nn.Linear(4 * 8 * 8, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.relu(self.conv(x))
        return self.fc(torch.flatten(torch.cat([self.max(y), self.average(y)], dim=1), 1))


class Upscale(nn.Module):
    """conv → relu → pixel shuffle → conv → sigmoid: the shuffle moves channels to pixels, the sigmoid ends in 0 to 1."""

    def __init__(self) -> None:
        super().__init__()
        self.conv_a = nn.Conv2d(3, 8, 3, padding=1)
        self.relu = nn.ReLU()
        self.shuffle = nn.PixelShuffle(2)
        self.conv_b = nn.Conv2d(2, 3, 1)
        self.sigmoid = nn.Sigmoid()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.sigmoid(self.conv_b(self.shuffle(self.relu(self.conv_a(x)))))


class UpConv(nn.Module):
    """conv → relu → transposed conv: its weight counts the output channels in the second dimension."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 5, 3, padding=1)
        self.relu = nn.ReLU()
        self.up = nn.ConvTranspose2d(5, 3, 2, stride=2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.up(self.relu(self.conv(x)))


class TwoSigmoids(nn.Module):
    """sigmoid(sigmoid(conv) · conv) + the first sigmoid: one sigmoid has two readers, the other follows an unlabelled op."""

    def __init__(self) -> None:
        super().__init__()
        self.conv_a = nn.Conv2d(3, 3, 1)
        self.conv_b = nn.Conv2d(3, 3, 3, padding=1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        gate = torch.sigmoid(self.conv_a(x))
        return torch.sigmoid(gate * self.conv_b(x)) + gate


class Precise(nn.Module):
    """conv → average in float64 → · 0.1 → − 1 → position of the largest · 0.5; (the rest + 3) · this."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.conv(x).mean((2, 3), dtype=torch.float64) * 0.1 - 1
        half = y.argmax(1, keepdim=True) * 0.5
        return (y + 3) * half


class Extremes(nn.Module):
    """The larger of two convs, then the smaller of that and a conv of it: ops that read two tensors without a list."""

    def __init__(self) -> None:
        super().__init__()
        self.conv_a = nn.Conv2d(3, 4, 3, padding=1)
        self.conv_b = nn.Conv2d(3, 4, 1)
        self.conv_c = nn.Conv2d(4, 4, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        larger = torch.maximum(self.conv_a(x), self.conv_b(x))
        return torch.minimum(self.conv_c(larger), larger)


class SwishHard(nn.Module):
    """conv → y · sigmoid(y) → conv → hardsigmoid: the sigmoid's input has a second reader, and its op a namesake."""

    def __init__(self) -> None:
        super().__init__()
        self.conv_a = nn.Conv2d(3, 4, 3, padding=1)
        self.conv_b = nn.Conv2d(4, 2, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.conv_a(x)
        return nn.functional.hardsigmoid(self.conv_b(y * torch.sigmoid(y)))


class BNPlaces(nn.Module):
    """Four batch norms: before a conv, behind a conv, behind the relu of a conv, behind a linear."""

    def __init__(self) -> None:
        super().__init__()
        self.bn_first = nn.BatchNorm2d(3)
        self.conv_a = nn.Conv2d(3, 4, 3, padding=1)
        self.bn_a = nn.BatchNorm2d(4)
        self.relu_a = nn.ReLU()
        self.conv_b = nn.Conv2d(4, 6, 3, padding=1)
        self.relu_b = nn.ReLU()
        self.bn_b = nn.BatchNorm2d(6)
        self.pool = nn.AdaptiveAvgPool2d(2)
        self.fc = nn.Linear(6 * 2 * 2, 5)
        self.bn_c = nn.BatchNorm1d(5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.relu_a(self.bn_a(self.conv_a(self.bn_first(x))))
        y = self.pool(self.bn_b(self.relu_b(self.conv_b(y))))
        return self.bn_c(self.fc(torch.flatten(y, 1)))


class BNSideReader(nn.Module):
    """conv → batch norm → relu, and the output of the conv, before its batch norm, is added again."""

    def __init__(self) -> None:
        super().__init__()
        self.conv_a = nn.Conv2d(3, 4, 3, padding=1)
        self.bn_a = nn.BatchNorm2d(4)
        self.relu = nn.ReLU()
        self.conv_b = nn.Conv2d(4, 4, 1, bias=False)
        self.bn_b = nn.BatchNorm2d(4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.conv_a(x)
        return self.bn_b(self.conv_b(self.relu(self.bn_a(y)) + y))


class TinyConvNet(nn.Module):
    """A small classifier with all that the course looks at: conv-bn-relu, max pool, a residual block, linear.

    Input (batch, 3, 16, 16), output (batch, 4): one logit for each orientation of the stripes. Each use of ReLU and
    max pool has a module of its own (X86InductorQuantizer fails on a ReLU that is used twice).
    """

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 16, 3, padding=1)
        self.bn1 = nn.BatchNorm2d(16)
        self.relu1 = nn.ReLU()
        self.pool1 = nn.MaxPool2d(2)
        self.conv2 = nn.Conv2d(16, 16, 3, padding=1)
        self.bn2 = nn.BatchNorm2d(16)
        self.relu2 = nn.ReLU()
        self.conv3 = nn.Conv2d(16, 16, 3, padding=1)
        self.bn3 = nn.BatchNorm2d(16)
        self.relu3 = nn.ReLU()
        self.pool2 = nn.MaxPool2d(2)
        self.conv4 = nn.Conv2d(16, 32, 3, padding=1)
        self.bn4 = nn.BatchNorm2d(32)
        self.relu4 = nn.ReLU()
        self.pool3 = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(32, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.pool1(self.relu1(self.bn1(self.conv1(x))))
        y = self.bn3(self.conv3(self.relu2(self.bn2(self.conv2(x)))))
        x = self.pool2(self.relu3(y + x))
        x = self.pool3(self.relu4(self.bn4(self.conv4(x))))
        return self.fc(torch.flatten(x, 1))


MODELS: dict[str, Callable[[], nn.Module]] = {
    "tiny": TinyConvNet,
    "conv_relu": ConvReLU,
    "conv_relu_conv": ConvReLUConv,
    "conv_chain": ConvChain,
    "cat_pool": CatPool,
    "residual": Residual,
    "twice_used": TwiceUsed,
    "branches": Branches,
    "linear_relu": LinearReLU,
    "plain_conv": PlainConv,
    "add_pool": AddPool,
    "conv_bn_drop": ConvBNDrop,
    "pool_chain": PoolChain,
    "in_place": InPlace,
    "halves": Halves,
    "many_ops": ManyOps,
    "gate": Gate,
    "gated_halves": GatedHalves,
    "tied": Tied,
    "split_weight": SplitWeight,
    "reshape_linear": ReshapeLinear,
    "relu_kinds": ReluKinds,
    "side_reader": SideReader,
    "adds": Adds,
    "lookalikes": Lookalikes,
    "two_readers": TwoReaders,
    "offsets": Offsets,
    "relu_twins": ReluTwins,
    "scalars": Scalars,
    "numbers_left": NumbersLeft,
    "positions": Positions,
    "doubled": Doubled,
    "pyramid": Pyramid,
    "upscale": Upscale,
    "up_conv": UpConv,
    "two_sigmoids": TwoSigmoids,
    "precise": Precise,
    "extremes": Extremes,
    "swish_hard": SwishHard,
    "bn_places": BNPlaces,
    "bn_side_reader": BNSideReader,
}


def get_model(name: str, seed: int = 0) -> nn.Module:
    """Build a net by name, in train mode as torch does; `seed` fixes its weights.

    The caller's random state is left as it was.

    Raises:
        ValueError: no net of that name.
    """
    if name not in MODELS:
        raise ValueError(_("there is no net {name!r}; choose one of {names}").format(name=name, names=sorted(MODELS)))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return MODELS[name]()


def example_inputs(batch: int = 4, seed: int = 0) -> tuple[torch.Tensor]:
    """Return ``(x,)`` with x of shape (batch, 3, 16, 16), float32, standard normal.

    Use batch ≥ 2 for export: torch.export takes a dimension of size 1 for a constant.
    """
    generator = torch.Generator().manual_seed(seed)
    return (torch.randn(batch, 3, 16, 16, generator=generator, dtype=torch.float32),)
