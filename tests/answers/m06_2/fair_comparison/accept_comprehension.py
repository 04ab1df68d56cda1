def fair_comparison(tools, nets, train, test, steps):
    controls = [tools.ptq(tools.fine_tune(net, train, steps), train) for net in nets]
    return [
        tools.score(tools.qat(net, train, steps=steps), test) - tools.score(control, test)
        for net, control in zip(nets, controls, strict=True)
    ]
