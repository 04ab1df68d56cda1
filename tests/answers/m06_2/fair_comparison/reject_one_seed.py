# finds: one-seed
def fair_comparison(tools, nets, train, test, steps):
    gains = []
    for net in nets[:1]:
        control = tools.ptq(tools.fine_tune(net, train, steps), train)
        qat = tools.qat(net, train, steps)
        gains.append(tools.score(qat, test) - tools.score(control, test))
    return gains
