# Both to the geometric mean, one channel after the other.
def equalize(conv_a, conv_b):
    a, bias, b = (t.detach().clone() for t in (conv_a.weight, conv_a.bias, conv_b.weight))
    for i in range(len(bias)):
        middle = (a[i].abs().max() * b[:, i].abs().max()) ** 0.5
        factor = middle / a[i].abs().max()
        a[i] *= factor
        bias[i] *= factor
        b[:, i] *= middle / b[:, i].abs().max()
    return [a, bias, b]
