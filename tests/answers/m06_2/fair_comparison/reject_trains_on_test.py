# finds: test-data
def fair_comparison(tools, nets, train, test, steps):
    gains = []
    for net in nets:
        control = tools.ptq(tools.fine_tune(net, test, steps), test)
        qat = tools.qat(net, test, steps)
        gains.append(tools.score(qat, test) - tools.score(control, test))
    return gains
