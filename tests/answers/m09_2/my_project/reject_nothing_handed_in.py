# finds: form
def my_project():
    return {"fp32": "nowhere.onnx", "quantized": "nowhere.onnx", "inputs": None, "sqnr": "good"}
