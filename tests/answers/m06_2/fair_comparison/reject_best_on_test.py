# finds: other-steps


def fair_comparison(tools, nets, train, test, steps):
    gains = []
    for net in nets:
        best = max(tools.score(tools.qat(net, train, n), test) for n in (steps // 2, steps, 2 * steps))
        control = tools.ptq(tools.fine_tune(net, train, steps), train)
        gains.append(best - tools.score(control, test))
    return gains
