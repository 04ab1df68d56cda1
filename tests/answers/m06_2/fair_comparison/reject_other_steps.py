# QAT is slower, so it gets more.
# finds: other-steps
def fair_comparison(tools, nets, train, test, steps):
    gains = []
    for net in nets:
        control = tools.ptq(tools.fine_tune(net, train, steps), train)
        qat = tools.qat(net, train, 2 * steps)
        gains.append(tools.score(qat, test) - tools.score(control, test))
    return gains
