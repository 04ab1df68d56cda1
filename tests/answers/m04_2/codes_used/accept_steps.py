def codes_used():
    return [255, 127.5, 63.75]
